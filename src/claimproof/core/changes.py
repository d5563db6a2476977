"""What changed its verdict or its basis between two ledgers, of whatever versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from claimproof.core.ledger import LedgerError


@dataclass(frozen=True)
class Settled:
    """What a ledger says of a claim; the first version knew no basis."""

    verdict: str
    basis: str | None
    closed: bool

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Settled:
        return cls(entry["verdict"], entry.get("basis"), entry.get("closed", entry.get("fully_verified", False)))

    def __str__(self) -> str:
        return f"{self.verdict}, {self.basis or '—'}"


@dataclass(frozen=True)
class Change:
    """A claim before and after; None where the ledger doesn't have it."""

    claim: str
    before: Settled | None
    after: Settled | None

    @property
    def tells(self) -> bool:
        """Whether anything changed; that a basis is known now, and none was before, is no change."""
        if self.before is None or self.after is None:
            return True
        known = self.before.basis is not None and self.after.basis is not None
        return self.before.verdict != self.after.verdict or (known and self.before.basis != self.after.basis)

    def __str__(self) -> str:
        return f"{self.claim}: {self.before or 'not there'} -> {self.after or 'not there'}"


def settled(data: Mapping[str, Any]) -> dict[str, Settled]:
    """All claims of a ledger's JSON, of any version."""
    try:
        return {entry["id"]: Settled.of(entry) for entry in data["claims"]}
    except (KeyError, TypeError, AttributeError) as error:
        raise LedgerError(f"not a readable ledger: a claim has no {error}") from None


def changes(old: Mapping[str, Settled], new: Mapping[str, Settled]) -> list[Change]:
    """The claims whose verdict or basis changed, in the order of the new ledger; those that are gone come last."""
    found = (Change(claim, old.get(claim), new.get(claim)) for claim in dict.fromkeys([*new, *old]))
    return [change for change in found if change.tells]
