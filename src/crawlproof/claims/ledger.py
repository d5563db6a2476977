"""The ledger: every claim with its verdict, computed from the records of all derivations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawlproof.claims.inventory import Claim, Inventory, check_acyclic
from crawlproof.claims.project import Project
from crawlproof.claims.verdict import Check, ContradictoryChecks, Role, Verdict, verdict_of

# Kinds that settle a claim; sampling and simulation only support one.
_DECISIVE = {"symbolic", "exact", "enclosed", "textual", "argued"}
# Verdicts under which the statement (as corrected, or under its named hypothesis) stands.
_STANDING = {Verdict.HOLDS, Verdict.HOLDS_IF, Verdict.MISPRINT, Verdict.GAP, Verdict.DEFINITION}


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

    def __getitem__(self, claim_id: str) -> dict[str, Any]:
        for claim in self.claims:
            if claim["id"] == claim_id:
                return claim
        raise KeyError(claim_id)

    def to_text(self) -> str:
        """The committed form: the same bytes from the same records, wherever they were made."""
        return json.dumps({"claims": list(self.claims)}, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, path: Path) -> Ledger:
        try:
            return cls(tuple(json.loads(path.read_text(encoding="utf-8"))["claims"]))
        except FileNotFoundError:
            raise LedgerError(f"there is no ledger at {path.name}: run 'crawlproof verify --accept' once") from None
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


def _rests_on(claim: Claim, checks: tuple[Check, ...]) -> tuple[str, ...]:
    """What our verification rests on: as the checks say, else as the paper's argument does."""
    stated = [check.using for check in checks if check.using is not None]
    if not stated:
        return claim.rests_on
    return tuple(dict.fromkeys(other for using in stated for other in using))


def _cone(start: str, edges: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Everything that a claim rests on, itself first."""
    seen, queue = [], [start]
    while queue:
        node = queue.pop(0)
        if node not in seen:
            seen.append(node)
            queue.extend(edges[node])
    return seen


def build(inventory: Inventory, results: Iterable[DerivationResult], project: Project) -> Ledger:
    """Compute every verdict, what is fully verified, and what each claim waits for."""
    results = list(results)
    found = _collect(results)
    functions: dict[str, list[str]] = {}
    for result in results:
        for export in result.exports:
            functions.setdefault(export["claim"], []).append(export["name"])
    checks = {claim_id: found[claim_id][1] if claim_id in found else () for claim_id in inventory.claims}
    verdicts = {claim_id: verdict_of(claim_id, own) for claim_id, own in checks.items()}
    edges = {claim.id: _rests_on(claim, checks[claim.id]) for claim in inventory.claims.values()}
    check_acyclic(edges)
    for claim in inventory.claims.values():
        _check_consistent(claim, checks[claim.id], verdicts, inventory)

    def stands(claim_id: str) -> bool:
        decisive = any(e["kind"] in _DECISIVE for c in checks[claim_id] for e in c.evidence)
        verdict = verdicts[claim_id]
        return verdict in _STANDING and (decisive or verdict is Verdict.DEFINITION)

    entries = []
    for claim in inventory.claims.values():
        cone = _cone(claim.id, edges)
        waits = [other for other in cone if not stands(other)]
        argued = [
            f"{other}: {e['name']}" for other in cone for c in checks[other] for e in c.evidence
            if e["kind"] == "argued"
        ]
        entry = _entry(claim, checks[claim.id], verdicts, edges, waits, argued, inventory, found, project)
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
        if verdicts[correction.id] not in _STANDING:
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


def _entry(
    claim: Claim, checks: tuple[Check, ...], verdicts: Mapping[str, Verdict], edges: Mapping[str, tuple[str, ...]],
    waits: list[str], argued: list[str], inventory: Inventory, found: Mapping[str, tuple], project: Project,
) -> dict[str, Any]:
    correction = inventory.correction_of(claim.id)
    corrected: dict[str, Any] | None = None
    if correction is not None:
        corrected = {"id": correction.id, "statement": correction.statement, "verdict": verdicts[correction.id].value}
    elif slip := next((c for c in checks if c.role is Role.MISPRINT), None):
        corrected = {"id": None, "statement": slip.corrected, "verdict": Verdict.MISPRINT.value}
    derivation = found[claim.id][0] if claim.id in found else None
    printed = dict(claim.printed)
    for check in checks:
        if check.role is Role.MISPRINT and check.printed and not printed:
            printed = dict.fromkeys(claim.versions, check.printed)
    return {
        "id": claim.id,
        "paper": claim.paper,
        "place": claim.place,
        "section": claim.section,
        "versions": list(claim.versions),
        "statement": claim.statement,
        "hypotheses": list(claim.hypotheses),
        "headline": claim.headline,
        "printed": printed,
        "verdict": verdicts[claim.id].value,
        "fully_verified": not waits,
        "waits_for": waits,
        "argued": argued,
        "missing_hypotheses": sorted({c.given for c in checks if c.given}),
        "gap_steps": [c.gap_step for c in checks if c.gap_step],
        "evidence": [e | ({"of": c.of} if c.of else {}) for c in checks for e in c.evidence],
        "mutants": {"killed": sum(c.killed for c in checks), "total": sum(c.mutants for c in checks)},
        "rests_on": list(edges[claim.id]),
        "corrects": claim.corrects,
        "corrected": corrected,
        "witness": next((c.witness for c in checks if c.witness), None),
        "derivation": derivation,
        "notebook": None if derivation is None else project.notebook_of(derivation),
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
