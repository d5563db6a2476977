"""The ledger for people: summary table, headline findings, one claim, errata."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from claimproof.core.ledger import Ledger
from claimproof.core.verdict import Verdict

_STYLE = {
    "holds": "green", "definition": "green", "holds-if": "yellow", "misprint": "yellow", "gap": "yellow",
    "false": "red", "unchecked": "bold red",
}

# A longer relation at a witness is left to the notebook: on a terminal nobody reads it.
LONGEST_RELATION = 500


def styled(verdict: str) -> str:
    return f"[{_STYLE[verdict]}]{verdict}[/]"


def summary_table(ledger: Ledger, titles: dict[str, str]) -> Table:
    """Verdicts × papers."""
    counts = ledger.counts()
    table = Table(title="Claims by verdict", title_justify="left")
    table.add_column("verdict")
    for paper in counts:
        table.add_column(titles.get(paper, paper), justify="right")
    table.add_column("all", justify="right")
    for verdict in Verdict:
        row = [counts[paper][verdict.value] for paper in counts]
        table.add_row(styled(verdict.value), *map(str, row), str(sum(row)))
    table.add_section()
    total = [counts[paper].total() for paper in counts]
    table.add_row("claims", *map(str, total), str(sum(total)))
    full = [sum(c["fully_verified"] for c in ledger.claims if c["paper"] == paper) for paper in counts]
    table.add_row("fully verified", *map(str, full), str(sum(full)))
    return table


def evidence_line(ledger: Ledger) -> str:
    """How many pieces of evidence of each kind, and the mutants."""
    kinds: dict[str, int] = {}
    for claim in ledger.claims:
        for item in claim["evidence"]:
            kinds[item["kind"]] = kinds.get(item["kind"], 0) + 1
    killed = sum(c["mutants"]["killed"] for c in ledger.claims)
    total = sum(c["mutants"]["total"] for c in ledger.claims)
    parts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items(), key=lambda kv: -kv[1]))
    return f"Evidence: {parts}; mutants killed {killed}/{total}"


def headlines(ledger: Ledger) -> list[str]:
    """The headline claims with their computed verdicts, each with its correction."""
    lines = []
    for claim in ledger.claims:
        if not claim["headline"] or claim["corrects"]:
            continue
        lines.append(f"{styled(claim['verdict'])}  {escape(claim['id'])}: {escape(claim['headline'])}")
        correction = claim["corrected"]
        if correction and correction["id"]:
            corrected = ledger[correction["id"]]
            text = corrected["headline"] or corrected["statement"]
            lines.append(f"    instead ({styled(corrected['verdict'])}, {escape(corrected['id'])}): {escape(text)}")
    return lines


def _wrapped(console: Console, label: str, text: str) -> None:
    body = textwrap.fill(" ".join(text.split()), width=96, initial_indent=f"{label:<14}", subsequent_indent=" " * 14)
    console.print(escape(body), highlight=False)


def tell(console: Console, claim: dict[str, Any], formulas: str) -> None:
    """The whole story of one claim; ``formulas`` is the package of the generated functions."""
    full = "fully verified" if claim["fully_verified"] else "not fully verified"
    console.print(f"[bold]{escape(claim['id'])}[/]  {styled(claim['verdict'])}  ({full})", highlight=False)
    versions = ", ".join(claim["versions"]) or "our own"
    _wrapped(console, "place", f"{claim['place']} (section {claim['section']}; {versions})")
    _wrapped(console, "statement", claim["statement"])
    for label, values in (
        ("hypotheses", claim["hypotheses"]), ("missing", claim["missing_hypotheses"]),
        ("gap at", claim["gap_steps"]), ("waits for", claim["waits_for"]), ("rests on", claim["rests_on"]),
        ("argued", claim["argued"]),
    ):
        if values:
            _wrapped(console, label, "; ".join(values))
    for version, printed in claim["printed"].items():
        _wrapped(console, f"printed {version}", printed)
    for of, items in itertools.groupby(claim["evidence"], key=lambda item: item.get("of")):
        how = " · ".join(item["detail"] + (f": {item['why']}" if "why" in item else "") for item in items)
        if of:
            _wrapped(console, "checked", of)
        _wrapped(console, "" if of else "checked", how)
    if claim["mutants"]["total"]:
        _wrapped(console, "mutants", f"killed {claim['mutants']['killed']}/{claim['mutants']['total']}")
    if claim["witness"]:
        _wrapped(console, "witness", witness_text(claim["witness"]))
    if claim["corrected"]:
        name = claim["corrected"]["id"] or "in place"
        _wrapped(console, "corrected", f"({name}) {claim['corrected']['statement']}")
    if claim["functions"]:
        _wrapped(console, "functions", ", ".join(f"{formulas}.{name}" for name in claim["functions"]))
    if claim["notebook"]:
        _wrapped(console, "notebook", claim["notebook"])


def witness_text(witness: dict[str, Any]) -> str:
    at = ", ".join(f"{name} = {value}" for name, value in witness["at"].items())
    sides = f"left {witness['left']}, right {witness['right']}"
    asserted = witness["asserted"]
    if len(asserted) > LONGEST_RELATION:
        asserted = f"a relation of {len(asserted)} characters, which the notebook states,"
    return f"{at + ': ' if at else ''}{sides}, though {asserted} is asserted"


def list_claims(console: Console, claims: Iterable[dict[str, Any]]) -> None:
    table = Table()
    for column in ("id", "verdict", "full", "place", "evidence", "mutants"):
        table.add_column(column)
    for claim in claims:
        kinds = ", ".join(dict.fromkeys(item["kind"] for item in claim["evidence"]))
        tally = claim["mutants"]
        table.add_row(
            escape(claim["id"]), styled(claim["verdict"]), "yes" if claim["fully_verified"] else "no",
            escape(claim["place"]), kinds, f"{tally['killed']}/{tally['total']}" if tally["total"] else "",
        )
    console.print(table)


def tell_errata(console: Console, errata: list[dict[str, Any]]) -> None:
    """What is not as printed: the place, what is claimed, the witness, what holds instead."""
    for claim in errata:
        console.print(
            f"[bold]{escape(claim['id'])}[/]  {styled(claim['verdict'])}  {escape(claim['place'])}"
            f" ({', '.join(claim['versions'])})", highlight=False,
        )
        for version, printed in claim["printed"].items():
            _wrapped(console, f"printed {version}", printed)
        if not claim["printed"]:
            _wrapped(console, "claimed", claim["statement"])
        if claim["witness"]:
            _wrapped(console, "witness", witness_text(claim["witness"]))
        if claim["missing_hypotheses"]:
            _wrapped(console, "needs", "; ".join(claim["missing_hypotheses"]))
        if claim["gap_steps"]:
            _wrapped(console, "gap at", ", ".join(claim["gap_steps"]))
        if claim["corrected"]:
            _wrapped(console, "correct", claim["corrected"]["statement"] or "")
        if claim["notebook"]:
            _wrapped(console, "checked in", claim["notebook"])
        console.print()
