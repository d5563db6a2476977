"""The ledger's JSON as types: what ``ledger.schema.json`` says, for programs in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict


class Tally(TypedDict):
    killed: int
    total: int


class Witness(TypedDict):
    """Where a relation fails, and what its sides are there."""

    at: dict[str, str]
    asserted: str
    left: str
    right: str


class CheckEntry(TypedDict):
    """What exactly was checked, how, how generally, and where."""

    role: str
    kind: str | None  # of the evidence that decides; gaps and definitions have none
    kinds: list[str]
    basis: str
    scope: str
    part: list[int] | None
    rule: str | None
    file: str | None
    line: int | None
    cell: int | None
    what: str | None
    formula: str | None
    latex: str | None
    handed: dict[str, str]
    not_needed: list[str]
    because: str | None
    given: str | None
    using: list[str]
    instead_of: list[str]
    instance: str | None
    meets: dict[str, str]
    hypotheses: int
    witness: Witness | None
    gap_step: str | None
    detail: list[str]
    mutants: Tally


class Slip(TypedDict):
    """One place where the print is wrong."""

    printed: str | None
    corrected: str | None
    place: str | None
    instance: str | None
    witness: Witness | None


class Gap(TypedDict):
    step: str
    because: str | None


class Corrected(TypedDict):
    """What holds instead: a claim of its own, or (``id`` is null) what a misprint should read."""

    id: str | None
    statement: str | None
    verdict: str


class ClaimEntry(TypedDict):
    """A claim with its verdict, and on what that stands."""

    id: str
    paper: str
    place: str
    section: str
    versions: list[str]
    statement: str
    hypotheses: list[str]
    formula: str | None
    where: list[str]
    sha256: str | None
    headline: str | None
    printed: dict[str, str]
    verdict: str
    basis: str
    standing: str
    closed: bool
    bound: str
    fully_verified: bool
    waits_for: list[str]
    stands_on_false: list[str]
    argued: list[str]
    missing_hypotheses: list[str]
    gap_steps: list[str]
    gaps: list[Gap]
    checks: list[CheckEntry]
    evidence: list[dict[str, Any]]
    mutants: Tally
    rests_on: list[str]
    corrects: str | None
    corrected: Corrected | None
    slips: list[Slip]
    witness: Witness | None
    derivation: str | None
    notebook: str | None
    functions: list[str]


def misshapen(entries: Iterable[Any]) -> str | None:
    """The first thing that makes entries unfit to be read as claims, in words."""
    for position, entry in enumerate(entries, start=1):
        if not isinstance(entry, Mapping):
            return f"claim number {position} is no object"
        name = entry.get("id", f"number {position}")
        if missing := [key for key in ClaimEntry.__annotations__ if key not in entry]:
            return f"claim {name} has no {missing[0]!r}"
        checks = entry["checks"]
        if not isinstance(checks, list) or not all(isinstance(check, Mapping) for check in checks):
            return f"the checks of claim {name} are no list of objects"
        for check in checks:
            if missing := [key for key in CheckEntry.__annotations__ if key not in check]:
                return f"a check of claim {name} has no {missing[0]!r}"
    return None
