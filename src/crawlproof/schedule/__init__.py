"""Frequencies, policies and their evaluation."""
