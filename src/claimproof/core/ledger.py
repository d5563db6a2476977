"""The ledger: every claim with its verdict, computed from the records of all derivations."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from claimproof.core.basis import Basis, Bound, weakest
from claimproof.core.entries import CheckEntry, ClaimEntry, Corrected, Slip, Witness, misshapen
from claimproof.core.evidence import Kind
from claimproof.core.inventory import Claim, Inventory, check_acyclic
from claimproof.core.project import Project
from claimproof.core.verdict import (
    Check,
    ContradictoryChecks,
    Role,
    Scope,
    Verdict,
    basis_of,
    bound_of,
    steps_to_read,
    verdict_of,
)

LEDGER_VERSION = 2
# Verdicts under which a claim is not as printed.
ERRATA = tuple(verdict.value for verdict in (Verdict.FALSE, Verdict.MISPRINT, Verdict.HOLDS_IF, Verdict.GAP))
# What a ledger of this version looks like, for programs in any language.
SCHEMA = Path(__file__).with_name("ledger.schema.json")


@dataclass(frozen=True)
class DerivationResult:
    """What one derivation recorded: its path, and the checks per claim."""

    derivation: str
    claims: Mapping[str, tuple[Check, ...]]
    exports: tuple[dict[str, Any], ...] = ()

    @classmethod
    def from_json(cls, derivation: str, data: Mapping[str, Any]) -> DerivationResult:
        claims = {key: tuple(Check.from_json(c) for c in checks) for key, checks in data["claims"].items()}
        return cls(derivation, claims, tuple(data["exports"]))


@dataclass(frozen=True)
class Ledger:
    """The claims of all papers, each as the JSON object that is printed and committed."""

    claims: tuple[ClaimEntry, ...]
    package: str = field(default_factory=lambda: f"claimproof {importlib.metadata.version('crawlproof')}")

    def __getitem__(self, claim_id: str) -> ClaimEntry:
        for claim in self.claims:
            if claim["id"] == claim_id:
                return claim
        raise KeyError(claim_id)

    def to_text(self) -> str:
        """The committed form: the same bytes from the same records, wherever they were made."""
        written = {"ledger_version": LEDGER_VERSION, "package": self.package, "claims": list(self.claims)}
        return json.dumps(written, indent=1, ensure_ascii=False) + "\n"

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.to_text().encode()).hexdigest()

    @classmethod
    def read(cls, path: Path) -> Ledger:
        data = read_json(path)
        if (version := data.get("ledger_version", 1)) != LEDGER_VERSION:
            raise OtherVersion(
                f"{path.name} has version {version!r}, this claimproof reads {LEDGER_VERSION}: "
                "run 'verify --accept' to write it anew"
            )
        if reason := misshapen(data["claims"]):
            raise LedgerError(f"{path.name} is not a readable ledger: {reason}")
        if not isinstance(package := data.get("package"), str):
            raise LedgerError(f"{path.name} is not a readable ledger: 'package' is {package!r}")
        return cls(tuple(data["claims"]), package)

    def with_part(self, computed: Ledger, own: Container[str], order: Iterable[str]) -> Ledger:
        """This ledger with the claims of ``own`` as they were computed, in the order of the inventory."""
        kept = [claim for claim in self.claims if claim["id"] not in own]
        new = [claim for claim in computed.claims if claim["id"] in own]
        ranks = {claim_id: rank for rank, claim_id in enumerate(order)}
        return Ledger(tuple(sorted([*kept, *new], key=lambda claim: ranks.get(claim["id"], len(ranks)))))

    def counts(self) -> dict[str, Counter[str]]:
        """Verdicts per paper."""
        table: dict[str, Counter[str]] = {}
        for claim in self.claims:
            table.setdefault(claim["paper"], Counter())[claim["verdict"]] += 1
        return table

    def errata(self) -> list[ClaimEntry]:
        """The claims that are not as printed, in the papers' order."""
        return [claim for claim in self.claims if claim["verdict"] in ERRATA and claim["versions"]]


class LedgerError(RuntimeError):
    """The committed ledger can't be read."""


class NoLedger(LedgerError):
    """There is none yet."""


class OtherVersion(LedgerError):
    """A ledger of another version: to be compared with, not to be read."""


def read_json(path: Path) -> dict[str, Any]:
    """A ledger of any version, as far as all have it: an object with a list of claims."""
    try:
        return parsed(path.read_text(encoding="utf-8"), path.name)
    except FileNotFoundError:
        raise NoLedger(f"there is no ledger at {path.name}: run 'verify --accept' once") from None
    except (OSError, UnicodeDecodeError) as error:
        raise LedgerError(f"{path.name} is not a readable ledger: {error}") from None


def parsed(text: str, name: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise LedgerError(f"{name} is not a readable ledger: {error}") from None
    if not isinstance(data, dict) or not isinstance(data.get("claims"), list):
        raise LedgerError(f"{name} is not a readable ledger: it has no list of claims")
    return data


def _collect(results: Iterable[DerivationResult]) -> dict[str, tuple[str, tuple[Check, ...]]]:
    """The one derivation that checks each claim, and its checks."""
    found: dict[str, tuple[str, tuple[Check, ...]]] = {}
    for result in results:
        for claim_id, checks in result.claims.items():
            if claim_id in found:
                raise ContradictoryChecks(
                    f"{claim_id} is checked in {found[claim_id][0]} and again in {result.derivation}: keep one"
                )
            found[claim_id] = (result.derivation, checks)
    return found


def _rests_on(claim: Claim, verdict: Verdict, checks: Sequence[Check]) -> tuple[str, ...]:
    """What a verdict rests on: the paper's argument and what our checks use, less what they replace by name.

    A refutation stands by itself: what the paper would have argued from doesn't matter to it. A step that is
    named as a gap is one that our own check does without.
    """
    dropped = {other for check in checks for other in (*check.instead_of, check.gap_step)}
    used = [other for check in checks for other in check.using]
    stated = () if verdict is Verdict.FALSE else claim.rests_on
    return tuple(other for other in dict.fromkeys([*stated, *used]) if other not in dropped)


def _cone(start: str, edges: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Everything that a claim rests on, itself first."""
    seen, queue = [], [start]
    while queue:
        node = queue.pop(0)
        if node not in seen:
            seen.append(node)
            queue.extend(edges[node])
    return seen


@dataclass(frozen=True)
class _Own:
    """What is known of one claim from its own checks."""

    verdict: Verdict
    bound: Bound
    basis: Basis
    edges: tuple[str, ...]
    steps: tuple[str, ...]  # that a person has to read

    @classmethod
    def of(cls, claim: Claim, checks: Sequence[Check]) -> _Own:
        verdict = verdict_of(claim.id, checks)
        about_print = claim.about == "print"
        bound = bound_of(verdict, claim.stated is not None, checks, claim.in_words is not None)
        basis = basis_of(verdict, bound, claim.hypotheses, checks, about_print)
        steps = steps_to_read(verdict, bound, about_print, checks)
        return cls(verdict, bound, basis, _rests_on(claim, verdict, checks), tuple(steps))

    @classmethod
    def of_entry(cls, entry: ClaimEntry, known: Container[str]) -> _Own:
        """From the committed ledger, for a claim whose derivation isn't run now."""
        own = f"{entry['id']}: "
        return cls(
            Verdict(entry["verdict"]), Bound(entry["bound"]), Basis(entry["basis"]),
            tuple(other for other in entry["rests_on"] if other in known),
            tuple(step.removeprefix(own) for step in entry["argued"] if step.startswith(own)),
        )


@dataclass(frozen=True)
class _Settled:
    """What is known of all claims before their entries are written."""

    own: Mapping[str, _Own]

    @property
    def edges(self) -> dict[str, tuple[str, ...]]:
        return {claim_id: own.edges for claim_id, own in self.own.items()}

    def false_edges(self, cone: Iterable[str]) -> list[str]:
        """Edges of a cone that lead to a refuted claim: what leans on one stands on nothing."""
        return [
            f"{claim} -> {other}" for claim in cone for other in self.own[claim].edges
            if self.own[other].verdict is Verdict.FALSE
        ]

    def standing(self, cone: Sequence[str]) -> Basis:
        """The weakest basis of a cone; definitions assert nothing and weigh nothing."""
        if self.false_edges(cone):
            return Basis.NONE
        return weakest(
            self.own[c].basis for c in cone if self.own[c].verdict is not Verdict.DEFINITION or c == cone[0]
        )

    def open_claims(self, cone: Iterable[str]) -> list[str]:
        """What a cone waits for: claims that a person has to read, that stand on instances, or on nothing."""
        return [c for c in cone if self.own[c].verdict is not Verdict.DEFINITION and not self.own[c].basis.closes]

    def of_cone(self, claim: Claim, checks: Sequence[Check] | None, inventory: Inventory) -> dict[str, Any]:
        """The fields of an entry that depend on other claims."""
        cone = _cone(claim.id, self.edges)
        waits, leaning = self.open_claims(cone), self.false_edges(cone)
        found: dict[str, Any] = {
            "standing": self.standing(cone).value,
            "closed": not waits and not leaning,
            "fully_verified": not waits and not leaning,
            "waits_for": waits,
            "stands_on_false": leaning,
            "argued": [f"{other}: {step}" for other in cone for step in self.own[other].steps],
        }
        correction = inventory.correction_of(claim.id)
        if correction is not None or checks is not None:
            found["corrected"] = _corrected(correction, checks or (), self)
        return found


def _with_gaps(own: Mapping[str, _Own], checks: Mapping[str, Sequence[Check]]) -> dict[str, _Own]:
    """That a step fails is part of what a gap says: the weaker of our support and that refutation counts."""
    found = dict(own)
    for claim_id, of_claim in checks.items():
        steps = [check.gap_step for check in of_claim if check.gap_step]
        found[claim_id] = replace(
            own[claim_id], basis=weakest([own[claim_id].basis, *(own[step].basis for step in steps)])
        )
    return found


def build(
    inventory: Inventory, results: Iterable[DerivationResult], project: Project, committed: Ledger | None = None
) -> Ledger:
    """Compute every verdict, its basis, and what each claim waits for.

    With ``committed``, only some derivations were run: what the others found is taken from that ledger, and
    only what depends on the run is computed.
    """
    results = list(results)
    found = _collect(results)
    ran = {result.derivation for result in results}
    kept = {
        entry["id"]: entry for entry in (committed.claims if committed else ())
        if entry["id"] in inventory.claims and entry["id"] not in found and entry["derivation"] not in (*ran, None)
    }
    functions: dict[str, list[str]] = {}
    for result in results:
        for export in result.exports:
            functions.setdefault(export["claim"], []).append(export["name"])
    claims = inventory.claims
    checks = {c: found[c][1] if c in found else () for c in claims if c not in kept}
    own = {c: _Own.of_entry(kept[c], claims) if c in kept else _Own.of(claim, checks[c]) for c, claim in claims.items()}
    settled = _Settled(_with_gaps(own, checks))
    check_acyclic(settled.edges)
    for claim_id, of_claim in checks.items():
        _check_consistent(claims[claim_id], of_claim, settled, inventory)
    entries = []
    for claim in claims.values():
        if claim.id in kept:
            entries.append(cast(ClaimEntry, kept[claim.id] | settled.of_cone(claim, None, inventory)))
        else:
            derivation = found[claim.id][0] if claim.id in found else None
            entry = _entry(claim, checks[claim.id], settled, inventory, derivation, project)
            entry["functions"] = functions.get(claim.id, [])
            entries.append(entry)
    return Ledger(tuple(entries))


def _check_consistent(claim: Claim, checks: Sequence[Check], settled: _Settled, inventory: Inventory) -> None:
    own = settled.own[claim.id]
    if own.verdict is Verdict.FALSE:
        correction = inventory.correction_of(claim.id)
        if correction is None:
            raise ContradictoryChecks(f"{claim.id} is refuted, but no claim states its corrected form")
        corrected = settled.own[correction.id]
        if corrected.verdict in (Verdict.FALSE, Verdict.UNCHECKED, Verdict.DEFINITION):
            raise ContradictoryChecks(
                f"{claim.id} is refuted, but its corrected form {correction.id} is {corrected.verdict.value}"
            )
        if corrected.basis is Basis.NONE:
            raise ContradictoryChecks(f"{claim.id} is refuted, but nothing supports its corrected form {correction.id}")
    if own.verdict is Verdict.HOLDS_IF and not any(c.role is Role.REFUTATION for c in checks):
        raise ContradictoryChecks(f"{claim.id} needs a hypothesis: show by a witness that it fails without")
    for check in checks:
        if check.gap_step and settled.own[check.gap_step].verdict not in (Verdict.FALSE, Verdict.HOLDS_IF):
            raise ContradictoryChecks(
                f"{claim.id}: the gap is said to be {check.gap_step}, whose verdict is "
                f"{settled.own[check.gap_step].verdict.value}"
            )
        _check_replacing(claim, check, checks)


def _check_replacing(claim: Claim, check: Check, checks: Sequence[Check]) -> None:
    """An edge is dropped by a check that bears the claim itself, and only where there is one."""
    for other in check.instead_of:
        if other not in claim.rests_on:
            raise ContradictoryChecks(f"{claim.id}: instead_of= names {other}, on which it does not rest")
        if any(other in one.using for one in checks):
            raise ContradictoryChecks(f"{claim.id}: {other} is in using= and in instead_of=")
        if check.basis is Basis.NONE or check.scope is Scope.SECOND_LINE:
            raise ContradictoryChecks(f"{claim.id}: a check that settles nothing stands instead_of= {other}")


def _corrected(correction: Claim | None, checks: Sequence[Check], settled: _Settled) -> Corrected | None:
    """What holds instead: a claim of its own, or what a misprint should read."""
    if correction is not None:
        verdict = settled.own[correction.id].verdict.value
        return {"id": correction.id, "statement": correction.statement, "verdict": verdict}
    slips = [c.corrected for c in checks if c.role is Role.MISPRINT]
    return {"id": None, "statement": slips[0], "verdict": Verdict.MISPRINT.value} if slips else None


def _entry(
    claim: Claim, checks: Sequence[Check], settled: _Settled, inventory: Inventory, derivation: str | None,
    project: Project,
) -> ClaimEntry:
    own = settled.own[claim.id]
    misprints = [c for c in checks if c.role is Role.MISPRINT]
    printed = dict(claim.printed)
    if misprints and misprints[0].printed and not printed:
        printed = dict.fromkeys(claim.versions, misprints[0].printed)
    entry = {
        "id": claim.id,
        "paper": claim.paper,
        "place": claim.place,
        "section": claim.section,
        "versions": list(claim.versions),
        "statement": claim.statement,
        "hypotheses": list(claim.hypotheses),
        "formula": None if claim.stated is None else str(claim.stated.conclusion),
        "where": [] if claim.stated is None else [str(h) for h in claim.stated.hypotheses],
        "sha256": None if claim.stated is None else claim.stated.sha256,
        "headline": claim.headline,
        "printed": printed,
        "verdict": own.verdict.value,
        "basis": own.basis.value,
        "bound": own.bound.value,
        "missing_hypotheses": sorted({c.given for c in checks if c.given}),
        "gap_steps": [c.gap_step for c in checks if c.gap_step],
        "gaps": [{"step": c.gap_step, "because": c.because} for c in checks if c.gap_step],
        "checks": [_check_entry(c) for c in checks],
        "evidence": [e | ({"of": c.of} if c.of else {}) for c in checks for e in (*c.against, *c.evidence)],
        "mutants": {"killed": sum(c.killed for c in checks), "total": sum(c.mutants for c in checks)},
        "rests_on": list(own.edges),
        "corrects": claim.corrects,
        "slips": [_slip_entry(c) for c in misprints],
        "witness": next((c.witness for c in checks if c.witness), None),
        "derivation": derivation,
        "notebook": None if derivation is None else project.notebook_of(derivation),
        "functions": [],
    } | settled.of_cone(claim, checks, inventory)
    # One order for all entries, so that a change is all that a comparison shows.
    return cast(ClaimEntry, {key: entry[key] for key in ClaimEntry.__annotations__})


def _slip_entry(check: Check) -> Slip:
    place = next((e["place"] for e in check.evidence if e["kind"] == "textual"), None)
    return {
        "printed": check.printed, "corrected": check.corrected, "place": place, "instance": check.instance,
        "witness": cast("Witness | None", check.witness),
    }


def _check_entry(check: Check) -> CheckEntry:
    """A check as people and programs read it: what exactly was checked, how, how generally, where."""
    evidence = (*check.against, *check.evidence)
    kinds = [e["kind"] for e in evidence]
    decides = next((kind for kind in Kind if kind.value in kinds), None)
    return {
        "role": check.role.value,
        "kind": decides.value if decides else None,
        "kinds": kinds,
        "basis": check.basis.value,
        "scope": check.scope.value,
        "part": None if check.part is None else list(check.part),
        "rule": check.rule,
        "file": check.file,
        "line": check.line,
        "cell": check.cell,
        "what": check.of,
        "formula": check.formula,
        "latex": check.latex,
        "handed": dict(check.handed),
        "not_needed": list(check.not_needed),
        "because": check.because,
        "given": check.given,
        "using": list(check.using),
        "instead_of": list(check.instead_of),
        "instance": check.instance,
        "meets": dict(check.meets),
        "hypotheses": check.hypotheses,
        "witness": cast("Witness | None", check.witness),
        "gap_step": check.gap_step,
        "detail": [e["detail"] for e in evidence],
        "mutants": {"killed": check.killed, "total": check.mutants},
    }


# Where a check stands in its file: it moves with every line that is added above it.
_PLACE = ("line", "cell")


def differences(committed: Ledger, computed: Ledger) -> list[str]:
    """What changed against the committed ledger, one line for each claim that did; those that only moved in one."""
    old = {claim["id"]: claim for claim in committed.claims}
    new = {claim["id"]: claim for claim in computed.claims}
    lines, moved = [], []
    for claim_id in dict.fromkeys([*old, *new]):
        before, after = old.get(claim_id), new.get(claim_id)
        if after is None:
            lines.append(f"{claim_id} is in the ledger, but no claims.toml lists it any more")
        elif before is None:
            lines.append(f"{claim_id} is not in the ledger yet ({after['verdict']}, {after['basis']})")
        elif before != after:
            if _without_places(before) == _without_places(after):
                moved.append(claim_id)
            else:
                lines.append(_difference(before, after))
    if moved:
        lines.append(f"the checks of {len(moved)} claims moved to other lines: {', '.join(moved)}")
    return lines


def _difference(before: ClaimEntry, after: ClaimEntry) -> str:
    claim_id = after["id"]
    if before["verdict"] != after["verdict"]:
        lost = " (it lost its check)" if after["verdict"] == Verdict.UNCHECKED.value else ""
        return f"{claim_id}: the ledger says {before['verdict']}, now {after['verdict']}{lost}"
    if before["basis"] != after["basis"]:
        return f"{claim_id}: {after['verdict']} was {before['basis']}, now {after['basis']}"
    if len(before["checks"]) > len(after["checks"]):
        return f"{claim_id} lost a check: {len(before['checks'])} before, {len(after['checks'])} now"
    if len(before["evidence"]) > len(after["evidence"]):
        return (f"{claim_id} lost a check: {len(before['evidence'])} pieces of evidence before, "
                f"{len(after['evidence'])} now")
    old: Mapping[str, Any] = before
    new: Mapping[str, Any] = after
    fields = [key for key in {**new, **old} if old.get(key) != new.get(key)]
    return f"{claim_id}: {', '.join(fields)} differ from the ledger"


def _without_places(entry: ClaimEntry) -> dict[str, Any]:
    checks = [{key: value for key, value in check.items() if key not in _PLACE} for check in entry["checks"]]
    return {**entry, "checks": checks}


def incomplete(ledger: Ledger, papers: Iterable[str]) -> list[str]:
    """The unchecked claims of the given papers."""
    wanted = set(papers)
    return [c["id"] for c in ledger.claims if c["paper"] in wanted and c["verdict"] == Verdict.UNCHECKED.value]
