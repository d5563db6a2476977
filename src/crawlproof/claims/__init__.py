"""The kernel: claims, evidence, verdicts and the ledger. It knows no paper.

``Paper`` (what derivations use) needs sympy and is therefore loaded on first use, so that
reading the ledger does not.
"""

from __future__ import annotations

from typing import Any

from crawlproof.claims.evidence import CheckFailed, Evidence, HandMadeEvidence, Kind
from crawlproof.claims.inventory import Claim, Inventory, InventoryError
from crawlproof.claims.verdict import Verdict

__all__ = [
    "CheckFailed", "Claim", "Evidence", "HandMadeEvidence", "Inventory", "InventoryError", "Kind", "Paper", "Verdict",
]


def __getattr__(name: str) -> Any:
    if name == "Paper":
        from crawlproof.claims.paper import Paper

        return Paper
    raise AttributeError(name)
