"""Keeping a search engine fresh: verified theory, generated formulas, fast solvers."""

__version__ = "0.1.0"
