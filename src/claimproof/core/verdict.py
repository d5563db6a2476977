"""Verdicts and their bases: closed sets, computed from what was recorded, never typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any

from claimproof.core.basis import Basis, Bound, weakest


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


class Scope(str, Enum):
    """Of how much of the statement a check speaks."""

    STATEMENT = "statement"  # taken from the inventory: the statement itself, or one conjunct of it
    STEP = "step"  # something that the statement follows from, as a person has to see
    RULE = "rule"  # the conclusion of a rule from recorded premises
    CASES = "cases"  # all cases that there are
    INSTANCES = "instances"  # some cases of a general statement
    SECOND_LINE = "second line"  # beside a check that settles it: lowers nothing


class ContradictoryChecks(AssertionError):
    """The checks of one claim can't all be right, or one that the verdict needs is missing."""


DECISIVE = frozenset({"symbolic", "exact", "enclosed"})


@dataclass(frozen=True)
class Check:
    """One passed check: what it says, its evidence (as JSON), its mutants, what it rests on, where it stands."""

    role: Role
    evidence: tuple[dict[str, Any], ...]
    killed: int = 0
    mutants: int = 0
    survivors: tuple[str, ...] = ()
    using: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    given: str | None = None
    witness: dict[str, Any] | None = None
    printed: str | None = None
    corrected: str | None = None
    gap_step: str | None = None
    of: str | None = None  # what was checked, in one line
    formula: str | None = None  # the same in machine form
    latex: str | None = None  # and as it is printed
    scope: Scope = Scope.STEP
    part: tuple[int, int] | None = None  # of a statement: which conjunct of how many
    handed: Mapping[str, str] = field(default_factory=dict)  # what symbols that are not primitive were computed to be
    not_needed: tuple[str, ...] = ()  # hypotheses without which the same check still confirms
    because: str | None = None  # why the cases are all, why it follows, why the step fails
    instance: str | None = None  # the counterexample in words
    meets: Mapping[str, str] = field(default_factory=dict)  # worded hypotheses, and why the witness meets them
    hypotheses: int = 0  # how many were evaluated at the witness
    rule: str | None = None
    file: str | None = None
    line: int | None = None
    cell: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data; what is not there is left out."""
        found: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Enum):
                value = value.value
            elif isinstance(value, tuple):
                value = list(value)
            elif isinstance(value, Mapping):
                value = dict(value)
            if item.name in ("role", "evidence") or value not in (None, [], {}, 0):
                found[item.name] = value
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Check:
        values = {item.name: data[item.name] for item in fields(cls) if item.name in data}
        for name in ("evidence", "survivors", "using", "instead_of", "not_needed", "part"):
            if name in values:
                values[name] = tuple(values[name])
        values["role"] = Role(values["role"])
        values["scope"] = Scope(values.get("scope", Scope.STEP.value))
        return cls(**values)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of evidence that say something: identical sides say nothing."""
        return frozenset(e["kind"] for e in self.evidence if not e.get("vacuous"))

    @property
    def basis(self) -> Basis:
        """What this check alone settles, of whatever it speaks of."""
        kinds = self.kinds
        if "argued" in kinds:
            return Basis.ARGUED
        if not kinds:
            return Basis.NONE
        if kinds == {"textual"}:
            return Basis.TEXTUAL
        return Basis.DERIVED if kinds & DECISIVE and self.scope is not Scope.INSTANCES else Basis.INSTANCES


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


def bound_of(has_formula: bool, checks: Sequence[Check], more_in_words: bool = False) -> Bound:
    """Whether what was checked is what the inventory states; with ``more_in_words`` never all of it."""
    taken = [c for c in checks if c.scope is Scope.STATEMENT and c.basis is not Basis.NONE]
    if not has_formula or not taken:
        return Bound.PROSE
    parts = [c.part for c in taken if c.part is not None]
    whole = any(c.part is None for c in taken) or any(
        {k for k, n in parts if n == total} == set(range(1, total + 1)) for _, total in parts
    )
    return Bound.BOUND if whole and not more_in_words else Bound.IN_PART


def basis_of(verdict: Verdict, bound: Bound, worded_hypotheses: Sequence[str], checks: Sequence[Check]) -> Basis:
    """On what the verdict stands; for misprint and holds-if the weaker of support and refutation counts."""
    if verdict in (Verdict.DEFINITION, Verdict.UNCHECKED):
        return Basis.NONE
    parts = []
    if verdict in (Verdict.FALSE, Verdict.HOLDS_IF):
        parts.append(weakest(_refutation(c, worded_hypotheses) for c in checks if c.role is Role.REFUTATION))
    if verdict is Verdict.MISPRINT:
        parts += [_unbound(c) if c.scope is not Scope.STATEMENT else c.basis for c in checks if c.role is Role.MISPRINT]
    support = [c for c in checks if c.role is Role.SUPPORT]
    if support and verdict is not Verdict.FALSE:
        parts.append(_support(bound, support))
    return weakest(parts)


def _refutation(check: Check, worded_hypotheses: Sequence[str]) -> Basis:
    """A witness settles a claim if nothing is left to a reader: the statement is in machine form, or the
    instance is told in words and every hypothesis was evaluated at it."""
    if not check.kinds & DECISIVE:
        return Basis.NONE
    taken = check.scope is Scope.STATEMENT
    unmet = [h for h in worded_hypotheses if h not in check.meets]
    evaluated = taken or (check.instance is not None and check.hypotheses >= len(unmet))
    return Basis.REFUTED if evaluated and not check.meets else Basis.ARGUED


def _unbound(check: Check) -> Basis:
    """That a check says what a sentence says is for a reader to see, unless it is about the print itself."""
    return check.basis if check.basis is Basis.TEXTUAL else weakest((check.basis, Basis.ARGUED))


def _support(bound: Bound, support: Sequence[Check]) -> Basis:
    argued = [c.basis for c in support if c.basis is Basis.ARGUED]
    if bound is Bound.BOUND:
        return weakest([*(c.basis for c in support if c.scope is Scope.STATEMENT), *argued])
    counted = [c for c in support if c.scope is not Scope.SECOND_LINE]
    # Samples and simulations stand beside what settles a claim; alone they are all there is.
    settling = [c for c in counted if c.kinds & (DECISIVE | {"argued", "textual"})] or counted
    return weakest(_unbound(c) for c in settling)


@dataclass
class ClaimRecord:
    """What a derivation recorded about one claim."""

    claim_id: str
    checks: list[Check] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.claim_id, self.checks)
