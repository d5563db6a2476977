"""Typed values: claims, evidence, verdicts, the ledger, and where a project keeps its things. No sympy here."""
