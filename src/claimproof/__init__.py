"""Verify a paper claim by claim: statements, checks, verdicts, the ledger, and what is made of them.

A derivation needs one name: ``from claimproof import Paper``. It needs sympy and is loaded on first
use, so that reading a ledger does not.
"""

from __future__ import annotations

from typing import Any

from claimproof.core.evidence import CheckFailed, Evidence, HandMadeEvidence, Kind
from claimproof.core.inventory import Claim, Inventory, InventoryError
from claimproof.core.verdict import Verdict

__all__ = [
    "CheckFailed", "Claim", "Evidence", "HandMadeEvidence", "Inventory", "InventoryError", "Kind", "Paper", "Verdict",
]


def __getattr__(name: str) -> Any:
    if name == "Paper":
        from claimproof.session.paper import Paper

        return Paper
    raise AttributeError(f"module 'claimproof' has no attribute {name!r}")
