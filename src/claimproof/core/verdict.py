"""Verdicts and their bases: closed sets, computed from what was recorded, never typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    SECOND_LINE = "second line"  # beside a check that settles it: lowers nothing, and settles nothing


# The step from the checks of a claim to its sentence, with a reason and without.
FOLLOWS = "the checks give the statement"
UNSAID = f"{FOLLOWS} (no reason is recorded)"


class ContradictoryChecks(AssertionError):
    """The checks of one claim can't all be right, or one that the verdict needs is missing."""


DECISIVE = frozenset({"symbolic", "exact", "enclosed"})
# Some cases, whatever decides each of them.
_PARTIAL = (Scope.INSTANCES, Scope.SECOND_LINE)


@dataclass(frozen=True)
class Check:
    """One passed check: what it says, its evidence (as JSON), its mutants, what it rests on, where it stands."""

    role: Role
    evidence: tuple[dict[str, Any], ...]  # for what the check says; of a misprint, for the corrected form
    against: tuple[dict[str, Any], ...] = ()  # of a misprint: what shows that the print is wrong
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
    part: tuple[int, int] | None = None  # of a statement: which conjunct (or conclusion of a rule) of how many
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
        for name in ("evidence", "against", "survivors", "using", "instead_of", "not_needed", "part"):
            if name in values:
                values[name] = tuple(values[name])
        values["role"] = Role(values["role"])
        values["scope"] = Scope(values.get("scope", Scope.STEP.value))
        return cls(**values)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of evidence that say something: identical sides say nothing."""
        return _kinds(self.evidence)

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
        return Basis.DERIVED if kinds & DECISIVE and self.scope not in _PARTIAL else Basis.INSTANCES


def _kinds(evidence: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(e["kind"] for e in evidence if not e.get("vacuous"))


def verdict_of(claim_id: str, checks: Sequence[Check]) -> Verdict:
    """The verdict that the checks of one claim amount to; one that compared nothing confirms nothing."""
    def having(role: Role) -> list[Check]:
        return [check for check in checks if check.role is role]

    support = [c for c in having(Role.SUPPORT) if c.given is None and c.kinds]
    conditional = [c for c in having(Role.SUPPORT) if c.given is not None and c.kinds]
    if having(Role.DEFINITION) and len(having(Role.DEFINITION)) < len(checks):
        raise ContradictoryChecks(f"{claim_id} is said to be a definition, and checked: what asserts something defines nothing")
    if having(Role.REFUTATION):
        if support:
            raise ContradictoryChecks(f"{claim_id} is both confirmed and refuted: split it, or name the hypothesis")
        return Verdict.HOLDS_IF if conditional else Verdict.FALSE
    if having(Role.MISPRINT):
        return Verdict.MISPRINT
    if having(Role.GAP):
        if not support:
            raise ContradictoryChecks(f"{claim_id}: a gap needs a check of ours that closes it")
        return Verdict.GAP
    if having(Role.DEFINITION):
        return Verdict.DEFINITION
    if support:
        return Verdict.HOLDS
    return Verdict.HOLDS_IF if conditional else Verdict.UNCHECKED


def _supporting(verdict: Verdict, checks: Iterable[Check]) -> list[Check]:
    """The checks that confirm what the verdict says: under the missing hypothesis if there is one, else without any."""
    if verdict is Verdict.FALSE:
        return []
    support = [c for c in checks if c.role is Role.SUPPORT and c.kinds]
    return [c for c in support if (c.given is not None) is (verdict is Verdict.HOLDS_IF)]


def bound_of(verdict: Verdict, has_formula: bool, checks: Sequence[Check], more_in_words: bool = False) -> Bound:
    """Whether what was checked is what the inventory states, on each side that the verdict has; with
    ``more_in_words`` never all of it."""
    if not has_formula:
        return Bound.PROSE
    support = _supporting(verdict, checks)
    sides: list[Bound] = []
    if verdict in (Verdict.FALSE, Verdict.HOLDS_IF):
        # One conjunct that fails is enough: the statement is false.
        stated = any(c.scope is Scope.STATEMENT for c in checks if c.role is Role.REFUTATION)
        sides.append(Bound.BOUND if stated else Bound.PROSE)
    if verdict is Verdict.MISPRINT:
        sides.append(_covered([c for c in checks if c.role is Role.MISPRINT]))
    if verdict in (Verdict.HOLDS, Verdict.HOLDS_IF, Verdict.GAP):
        sides.append(_covered(support))
    if not sides or set(sides) == {Bound.PROSE}:
        return Bound.PROSE
    return Bound.BOUND if set(sides) == {Bound.BOUND} and not more_in_words else Bound.IN_PART


def _covered(checks: Sequence[Check]) -> Bound:
    """Whether the conjuncts that were checked as stated are all there are."""
    taken = [c for c in checks if c.scope is Scope.STATEMENT and c.basis is not Basis.NONE]
    if not taken:
        return Bound.PROSE
    parts = [c.part for c in taken if c.part is not None]
    whole = any(c.part is None for c in taken) or any(
        {k for k, n in parts if n == total} == set(range(1, total + 1)) for _, total in parts
    )
    return Bound.BOUND if whole else Bound.IN_PART


def basis_of(
    verdict: Verdict, bound: Bound, worded_hypotheses: Sequence[str], checks: Sequence[Check], about_print: bool = False
) -> Basis:
    """On what the verdict stands; for misprint and holds-if the weaker of support and refutation counts.

    Evidence serves what it was found for: a refutation's says nothing for the opposite, nor one part's for another.
    """
    if verdict in (Verdict.DEFINITION, Verdict.UNCHECKED):
        return Basis.NONE
    sides = _support(bound, _supporting(verdict, checks), about_print)  # first: of equals, it names the basis
    if verdict in (Verdict.FALSE, Verdict.HOLDS_IF):
        refuting = [_refutation(c, c.kinds, worded_hypotheses) for c in checks if c.role is Role.REFUTATION]
        sides.append(max(refuting, key=lambda basis: basis.rank, default=Basis.NONE))  # one witness is enough
    if verdict is Verdict.MISPRINT:
        sides += [_slip(c, worded_hypotheses, about_print) for c in checks if c.role is Role.MISPRINT]
    return weakest(sides)


def _refutation(check: Check, kinds: frozenset[str], worded_hypotheses: Sequence[str]) -> Basis:
    """A witness settles the statement of the inventory where every hypothesis was evaluated.

    That a relation which a derivation wrote is what a sentence says, or that a worded hypothesis is met, is for
    a reader to see; where nothing says so for some hypothesis, the witness shows nothing.
    """
    unmet = [words for words in worded_hypotheses if words not in check.meets]
    if not kinds & DECISIVE or check.hypotheses < len(unmet):
        return Basis.NONE
    return Basis.REFUTED if check.scope is Scope.STATEMENT and not check.meets else Basis.ARGUED


def _slip(check: Check, worded_hypotheses: Sequence[str], about_print: bool) -> Basis:
    """One slip of a misprint: the print is wrong, and what it should say is confirmed."""
    if not check.against:
        return _unbound(check, about_print)  # words of the print, and those that should stand there
    refuted = _refutation(check, _kinds(check.against), worded_hypotheses)
    return weakest((check.basis if check.scope is Scope.STATEMENT else _unbound(check, about_print), refuted))


def _unbound(check: Check, about_print: bool) -> Basis:
    """That a check says what a sentence says is for a reader to see, unless the sentence is about the print itself."""
    if check.basis is Basis.TEXTUAL and about_print:
        return Basis.TEXTUAL
    return weakest((check.basis, Basis.ARGUED))


def _support(bound: Bound, support: Sequence[Check], about_print: bool) -> list[Basis]:
    """What each supporting check gives by its own evidence; a second line is left out where there is a first."""
    if bound is Bound.BOUND:
        # The statement itself was checked: other checks are steps on the way, unless a person has to read them.
        return [c.basis for c in support if c.scope is Scope.STATEMENT or c.basis is Basis.ARGUED]
    if concluded := concluding(support):
        return [c.basis for c in support if c in concluded or c.basis is Basis.ARGUED]
    counted = [c for c in support if c.scope is not Scope.SECOND_LINE] or support
    return [_unbound(c, about_print) for c in counted]


def steps_to_read(verdict: Verdict, bound: Bound, about_print: bool, checks: Sequence[Check]) -> list[str]:
    """What a person has to read to believe the verdict; where nobody named the step, that there is one is said."""
    steps = [e["name"] for c in checks for e in c.evidence if e["kind"] == "argued"]
    steps += [f"these cases are all: {c.because}" for c in checks if c.scope is Scope.CASES]
    steps += [f"at the witness, {words}: {why}" for c in checks for words, why in c.meets.items()]
    asserting = verdict not in (Verdict.DEFINITION, Verdict.UNCHECKED) and not about_print
    joined = FOLLOWS in steps or concluding(checks)
    if asserting and bound is not Bound.BOUND and not joined:
        steps.append(UNSAID)
    return list(dict.fromkeys(steps))


def concluding(support: Sequence[Check]) -> list[Check]:
    """The conclusions of rules that are all the inventory shows beside a sentence; none while one is missing."""
    found = [c for c in support if c.scope is Scope.RULE and c.part is not None and c.basis is not Basis.NONE]
    parts = {c.part for c in found if c.part is not None}
    reached = {place for place, _ in parts}
    return found if all(reached == set(range(1, total + 1)) for _, total in parts) else []


@dataclass
class ClaimRecord:
    """What a derivation recorded about one claim."""

    claim_id: str
    checks: list[Check] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.claim_id, self.checks)
