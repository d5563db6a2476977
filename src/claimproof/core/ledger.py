"""The ledger: every claim with its verdict, computed from the records of all derivations."""

from __future__ import annotations

import importlib.metadata
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claimproof.core.basis import Basis, Bound, weakest
from claimproof.core.inventory import Claim, Inventory, check_acyclic
from claimproof.core.project import Project
from claimproof.core.verdict import Check, ContradictoryChecks, Role, Verdict, basis_of, bound_of, verdict_of

# Verdicts under which the statement (as corrected, or under its named hypothesis) stands.
_STANDING = {Verdict.HOLDS, Verdict.HOLDS_IF, Verdict.MISPRINT, Verdict.GAP, Verdict.DEFINITION}
LEDGER_VERSION = 2


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

    claims: tuple[dict[str, Any], ...]
    package: str = field(default_factory=lambda: f"claimproof {importlib.metadata.version('crawlproof')}")

    def __getitem__(self, claim_id: str) -> dict[str, Any]:
        for claim in self.claims:
            if claim["id"] == claim_id:
                return claim
        raise KeyError(claim_id)

    def to_text(self) -> str:
        """The committed form: the same bytes from the same records, wherever they were made."""
        written = {"ledger_version": LEDGER_VERSION, "package": self.package, "claims": list(self.claims)}
        return json.dumps(written, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, path: Path) -> Ledger:
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if data["ledger_version"] != LEDGER_VERSION:
                raise LedgerError(
                    f"{path.name} has version {data['ledger_version']}, this claimproof reads {LEDGER_VERSION}: "
                    "run 'verify --accept' to write it anew"
                )
            return cls(tuple(data["claims"]), data["package"])
        except FileNotFoundError:
            raise LedgerError(f"there is no ledger at {path.name}: run 'verify --accept' once") from None
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise LedgerError(f"{path.name} is not a readable ledger: {error}") from None

    def counts(self) -> dict[str, Counter[str]]:
        """Verdicts per paper."""
        table: dict[str, Counter[str]] = {}
        for claim in self.claims:
            table.setdefault(claim["paper"], Counter())[claim["verdict"]] += 1
        return table

    def errata(self) -> list[dict[str, Any]]:
        """The claims that are not as printed, in the papers' order."""
        wrong = {Verdict.FALSE.value, Verdict.MISPRINT.value, Verdict.HOLDS_IF.value, Verdict.GAP.value}
        return [claim for claim in self.claims if claim["verdict"] in wrong and claim["versions"]]


class LedgerError(RuntimeError):
    """The committed ledger can't be read."""


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


def _rests_on(claim: Claim, verdict: Verdict, checks: tuple[Check, ...]) -> tuple[str, ...]:
    """What a verdict rests on: the paper's argument and what our checks use, less what they replace by name.

    A refutation stands by itself: what the paper would have argued from doesn't matter to it.
    """
    dropped = {other for check in checks for other in check.instead_of}
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
class _Settled:
    """What is known of all claims before their entries are written."""

    checks: Mapping[str, tuple[Check, ...]]
    verdicts: Mapping[str, Verdict]
    bounds: Mapping[str, Bound]
    bases: Mapping[str, Basis]
    edges: Mapping[str, tuple[str, ...]]

    def false_edges(self, cone: Iterable[str]) -> list[str]:
        """Edges of a cone that lead to a refuted claim: what leans on one stands on nothing."""
        return [
            f"{claim} -> {other}" for claim in cone for other in self.edges[claim]
            if self.verdicts[other] is Verdict.FALSE
        ]

    def standing(self, cone: list[str]) -> Basis:
        """The weakest basis of a cone; definitions assert nothing and weigh nothing."""
        if self.false_edges(cone):
            return Basis.NONE
        return weakest(self.bases[c] for c in cone if self.verdicts[c] is not Verdict.DEFINITION or c == cone[0])

    def open_claims(self, cone: list[str]) -> list[str]:
        """What a cone waits for: claims that a person has to read, that stand on instances, or on nothing."""
        return [c for c in cone if self.verdicts[c] is not Verdict.DEFINITION and not self.bases[c].closes]


def build(inventory: Inventory, results: Iterable[DerivationResult], project: Project) -> Ledger:
    """Compute every verdict, its basis, and what each claim waits for."""
    results = list(results)
    found = _collect(results)
    functions: dict[str, list[str]] = {}
    for result in results:
        for export in result.exports:
            functions.setdefault(export["claim"], []).append(export["name"])
    claims = inventory.claims
    checks = {claim_id: found[claim_id][1] if claim_id in found else () for claim_id in claims}
    verdicts = {claim_id: verdict_of(claim_id, own) for claim_id, own in checks.items()}
    bounds = {
        claim_id: bound_of(claims[claim_id].stated is not None, own, claims[claim_id].in_words is not None)
        for claim_id, own in checks.items()
    }
    bases = {
        claim_id: basis_of(verdicts[claim_id], bounds[claim_id], claims[claim_id].hypotheses, own)
        for claim_id, own in checks.items()
    }
    edges = {claim.id: _rests_on(claim, verdicts[claim.id], checks[claim.id]) for claim in claims.values()}
    settled = _Settled(checks, verdicts, bounds, bases, edges)
    check_acyclic(edges)
    for claim in claims.values():
        _check_consistent(claim, checks[claim.id], verdicts, inventory)
    entries = []
    for claim in claims.values():
        derivation = found[claim.id][0] if claim.id in found else None
        entry = _entry(claim, settled, inventory, derivation, project)
        entries.append(entry | {"functions": functions.get(claim.id, [])})
    return Ledger(tuple(entries))


def _check_consistent(
    claim: Claim, checks: tuple[Check, ...], verdicts: Mapping[str, Verdict], inventory: Inventory
) -> None:
    verdict = verdicts[claim.id]
    if verdict is Verdict.FALSE:
        correction = inventory.correction_of(claim.id)
        if correction is None:
            raise ContradictoryChecks(f"{claim.id} is refuted, but no claim states its corrected form")
        if verdicts[correction.id] not in _STANDING - {Verdict.DEFINITION}:
            raise ContradictoryChecks(
                f"{claim.id} is refuted, but its corrected form {correction.id} is {verdicts[correction.id].value}"
            )
    if verdict is Verdict.HOLDS_IF and not any(c.role is Role.REFUTATION for c in checks):
        raise ContradictoryChecks(f"{claim.id} needs a hypothesis: show by a witness that it fails without")
    for check in checks:
        if check.gap_step and verdicts[check.gap_step] not in (Verdict.FALSE, Verdict.HOLDS_IF):
            raise ContradictoryChecks(
                f"{claim.id}: the gap is said to be {check.gap_step}, whose verdict is {verdicts[check.gap_step].value}"
            )


def _corrected(claim: Claim, settled: _Settled, inventory: Inventory) -> dict[str, Any] | None:
    """What holds instead: a claim of its own, or what a misprint should read."""
    correction = inventory.correction_of(claim.id)
    if correction is not None:
        verdict = settled.verdicts[correction.id].value
        return {"id": correction.id, "statement": correction.statement, "verdict": verdict}
    slips = [c.corrected for c in settled.checks[claim.id] if c.role is Role.MISPRINT]
    return {"id": None, "statement": slips[0], "verdict": Verdict.MISPRINT.value} if slips else None


def _entry(
    claim: Claim, settled: _Settled, inventory: Inventory, derivation: str | None, project: Project
) -> dict[str, Any]:
    checks = settled.checks[claim.id]
    cone = _cone(claim.id, settled.edges)
    waits, leaning = settled.open_claims(cone), settled.false_edges(cone)
    misprints = [c for c in checks if c.role is Role.MISPRINT]
    printed = dict(claim.printed)
    if misprints and misprints[0].printed and not printed:
        printed = dict.fromkeys(claim.versions, misprints[0].printed)
    return {
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
        "verdict": settled.verdicts[claim.id].value,
        "basis": settled.bases[claim.id].value,
        "standing": settled.standing(cone).value,
        "closed": not waits and not leaning,
        "bound": settled.bounds[claim.id].value,
        "fully_verified": not waits and not leaning,
        "waits_for": waits,
        "stands_on_false": leaning,
        "argued": [
            f"{other}: {e['name']}" for other in cone for c in settled.checks[other] for e in c.evidence
            if e["kind"] == "argued"
        ],
        "missing_hypotheses": sorted({c.given for c in checks if c.given}),
        "gap_steps": [c.gap_step for c in checks if c.gap_step],
        "checks": [_check_entry(c) for c in checks],
        "evidence": [e | ({"of": c.of} if c.of else {}) for c in checks for e in c.evidence],
        "mutants": {"killed": sum(c.killed for c in checks), "total": sum(c.mutants for c in checks)},
        "rests_on": list(settled.edges[claim.id]),
        "corrects": claim.corrects,
        "corrected": _corrected(claim, settled, inventory),
        "slips": [{"printed": c.printed, "corrected": c.corrected} for c in misprints],
        "witness": next((c.witness for c in checks if c.witness), None),
        "derivation": derivation,
        "notebook": None if derivation is None else project.notebook_of(derivation),
    }


def _check_entry(check: Check) -> dict[str, Any]:
    """A check as people and programs read it: what exactly was checked, how, how generally, where."""
    return {
        "role": check.role.value,
        "kind": [e["kind"] for e in check.evidence],
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
        "instance": check.instance,
        "meets": dict(check.meets),
        "detail": [e["detail"] for e in check.evidence],
        "mutants": {"killed": check.killed, "total": check.mutants},
    }


def differences(committed: Ledger, computed: Ledger) -> list[str]:
    """What changed against the committed ledger, one line for each claim that did."""
    old = {claim["id"]: claim for claim in committed.claims}
    new = {claim["id"]: claim for claim in computed.claims}
    lines = []
    for claim_id in dict.fromkeys([*old, *new]):
        before, after = old.get(claim_id), new.get(claim_id)
        if before == after:
            continue
        if after is None:
            lines.append(f"{claim_id} is in the ledger, but no claims.toml lists it any more")
        elif before is None:
            lines.append(f"{claim_id} is not in the ledger yet ({after['verdict']})")
        elif before["verdict"] != after["verdict"]:
            lost = " (it lost its check)" if after["verdict"] == Verdict.UNCHECKED.value else ""
            lines.append(f"{claim_id}: the ledger says {before['verdict']}, now {after['verdict']}{lost}")
        elif before["basis"] != after["basis"]:
            lines.append(f"{claim_id}: {after['verdict']} was {before['basis']}, now {after['basis']}")
        elif len(before["evidence"]) > len(after["evidence"]):
            lines.append(f"{claim_id} lost a check: {len(before['evidence'])} pieces of evidence before, "
                         f"{len(after['evidence'])} now")
        else:
            fields = [key for key in after if before.get(key) != after[key]]
            lines.append(f"{claim_id}: {', '.join(fields)} differ from the ledger")
    return lines


def incomplete(ledger: Ledger, papers: Iterable[str]) -> list[str]:
    """The unchecked claims of the given papers."""
    wanted = set(papers)
    return [c["id"] for c in ledger.claims if c["paper"] in wanted and c["verdict"] == Verdict.UNCHECKED.value]
