"""Verdicts: a closed set, computed from what was recorded, never typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Verdict(str, Enum):
    HOLDS = "holds"
    HOLDS_IF = "holds-if"
    MISPRINT = "misprint"
    GAP = "gap"
    FALSE = "false"
    DEFINITION = "definition"
    UNCHECKED = "unchecked"


class Role(str, Enum):
    """What a check says about its claim."""

    SUPPORT = "support"
    REFUTATION = "refutation"
    MISPRINT = "misprint"
    DEFINITION = "definition"
    GAP = "gap"


class ContradictoryChecks(AssertionError):
    """The checks of one claim can't all be right, or one that the verdict needs is missing."""


@dataclass(frozen=True)
class Check:
    """One passed check: its role, its evidence (as JSON), its mutants, what it rests on."""

    role: Role
    evidence: tuple[dict[str, Any], ...]
    killed: int = 0
    mutants: int = 0
    survivors: tuple[str, ...] = ()
    using: tuple[str, ...] | None = None
    given: str | None = None
    witness: dict[str, Any] | None = None
    printed: str | None = None
    corrected: str | None = None
    gap_step: str | None = None
    of: str | None = None  # what was checked, where the evidence itself doesn't say it

    def to_json(self) -> dict[str, Any]:
        values = {
            "role": self.role.value, "evidence": list(self.evidence), "killed": self.killed,
            "mutants": self.mutants, "survivors": list(self.survivors),
            "using": None if self.using is None else list(self.using), "given": self.given,
            "witness": self.witness, "printed": self.printed, "corrected": self.corrected,
            "gap_step": self.gap_step, "of": self.of,
        }
        return {key: value for key, value in values.items() if value not in (None, [])} | {
            "evidence": values["evidence"]
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Check:
        return cls(
            role=Role(data["role"]), evidence=tuple(data["evidence"]), killed=data.get("killed", 0),
            mutants=data.get("mutants", 0), survivors=tuple(data.get("survivors", ())),
            using=tuple(data["using"]) if "using" in data else None, given=data.get("given"),
            witness=data.get("witness"), printed=data.get("printed"), corrected=data.get("corrected"),
            gap_step=data.get("gap_step"), of=data.get("of"),
        )


def verdict_of(claim_id: str, checks: Sequence[Check]) -> Verdict:
    """The verdict that the checks of one claim amount to."""
    def having(role: Role) -> list[Check]:
        return [check for check in checks if check.role is role]

    support = [c for c in having(Role.SUPPORT) if c.given is None]
    conditional = [c for c in having(Role.SUPPORT) if c.given is not None]
    if having(Role.REFUTATION):
        if support:
            raise ContradictoryChecks(f"{claim_id} is both confirmed and refuted: split it, or name the hypothesis")
        return Verdict.HOLDS_IF if conditional else Verdict.FALSE
    if having(Role.MISPRINT):
        return Verdict.MISPRINT
    if having(Role.GAP):
        if not support and not conditional:
            raise ContradictoryChecks(f"{claim_id}: a gap needs a check of ours that closes it")
        return Verdict.GAP
    if having(Role.DEFINITION):
        return Verdict.DEFINITION
    if support:
        return Verdict.HOLDS
    return Verdict.HOLDS_IF if conditional else Verdict.UNCHECKED


@dataclass
class ClaimRecord:
    """What a derivation recorded about one claim."""

    claim_id: str
    checks: list[Check] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.claim_id, self.checks)
