"""What the solver may raise besides `ModelError`."""

from __future__ import annotations


class NotConverged(ArithmeticError):
    """The iteration did not reach its tolerance."""
