"""The ledger for people: the table of verdicts, headline findings, one claim, errata, what changed."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from claimproof.core.basis import Basis
from claimproof.core.changes import Change, Settled
from claimproof.core.entries import CheckEntry, ClaimEntry, Witness
from claimproof.core.ledger import Ledger
from claimproof.core.verdict import Scope, Verdict

_STYLE = {
    "holds": "green", "definition": "green", "holds-if": "yellow", "misprint": "yellow", "gap": "yellow",
    "false": "red", "unchecked": "bold red",
}

# How much of its claim a check speaks of, for a reader.
_GENERALITY = {
    Scope.STATEMENT.value: "the statement itself", Scope.STEP.value: "a step", Scope.RULE.value: "by a rule",
    Scope.CASES.value: "all cases there are", Scope.INSTANCES.value: "some cases",
    Scope.SECOND_LINE.value: "beside what settles it",
}

# A longer relation at a witness is left to the notebook: on a terminal nobody reads it.
LONGEST_RELATION = 500
# An exact number of more characters is told by its digits.
LONGEST_NUMBER = 24


def styled(verdict: str) -> str:
    return f"[{_STYLE[verdict]}]{verdict}[/]"


# ---- all claims ---------------------------------------------------------------------------


def summary_table(ledger: Ledger, titles: Mapping[str, str]) -> Table:
    """Verdict × basis for each paper."""
    bases = [basis.value for basis in Basis if any(claim["basis"] == basis.value for claim in ledger.claims)]
    table = Table(title="Claims by verdict and basis", title_justify="left")
    for column in ("", "verdict"):
        table.add_column(column)
    for column in (*bases, "all", "closed"):
        table.add_column(column, justify="right")
    papers = [(titles.get(paper, paper), [c for c in ledger.claims if c["paper"] == paper]) for paper in ledger.counts()]
    for title, claims in [*papers, ("all", ledger.claims)]:
        table.add_section()
        for verdict in Verdict:
            if own := [claim for claim in claims if claim["verdict"] == verdict.value]:
                table.add_row(title, styled(verdict.value), *_counts(own, bases))
                title = ""
        table.add_row(title, "claims", *_counts(claims, bases))
    return table


def _counts(claims: Sequence[ClaimEntry], bases: Iterable[str]) -> list[str]:
    """How many on each basis, how many at all, how many closed."""
    count = Counter(claim["basis"] for claim in claims)
    closed = sum(claim["closed"] for claim in claims)
    return [*(str(count[basis] or "") for basis in bases), str(len(claims)), str(closed)]


def evidence_line(ledger: Ledger) -> str:
    """How many pieces of evidence of each kind, and the mutants."""
    kinds = Counter(item["kind"] for claim in ledger.claims for item in claim["evidence"])
    killed = sum(c["mutants"]["killed"] for c in ledger.claims)
    total = sum(c["mutants"]["total"] for c in ledger.claims)
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    return f"Evidence: {parts}; mutants killed {killed}/{total}"


def headlines(ledger: Ledger) -> list[str]:
    """The headline claims with their computed verdicts, each with its correction."""
    lines = []
    for claim in ledger.claims:
        if not claim["headline"] or claim["corrects"]:
            continue
        lines.append(f"{styled(claim['verdict'])} ({claim['basis']})  {escape(claim['id'])}: {escape(claim['headline'])}")
        correction = claim["corrected"]
        if correction and correction["id"]:
            corrected = ledger[correction["id"]]
            text = corrected["headline"] or corrected["statement"]
            verdict = f"{styled(corrected['verdict'])}, {corrected['basis']}, {escape(corrected['id'])}"
            lines.append(f"    instead ({verdict}): {escape(text)}")
    return lines


def list_claims(console: Console, claims: Iterable[ClaimEntry]) -> None:
    table = Table()
    for column in ("id", "verdict", "basis", "closed", "place", "evidence", "mutants"):
        table.add_column(column)
    for claim in claims:
        kinds = ", ".join(dict.fromkeys(item["kind"] for item in claim["evidence"]))
        tally = claim["mutants"]
        table.add_row(
            escape(claim["id"]), styled(claim["verdict"]), claim["basis"], "yes" if claim["closed"] else "no",
            escape(claim["place"]), kinds, f"{tally['killed']}/{tally['total']}" if tally["total"] else "",
        )
    console.print(table)


# ---- one claim ----------------------------------------------------------------------------


def _wrapped(console: Console, label: str, text: str) -> None:
    body = textwrap.fill(" ".join(text.split()), width=96, initial_indent=f"{label:<14}", subsequent_indent=" " * 14)
    console.print(escape(body), highlight=False)


def tell(console: Console, claim: ClaimEntry, ledger: Ledger, program: str, functions: str) -> None:
    """The whole story of one claim: what is said, what was checked, what is left to a person, how to run it again."""
    console.print(
        f"[bold]{escape(claim['id'])}[/]  {styled(claim['verdict'])}  {claim['basis']}"
        f"  ({'closed' if claim['closed'] else 'not closed'}; with all that it rests on: {claim['standing']})",
        highlight=False,
    )
    versions = ", ".join(claim["versions"]) or "our own"
    _wrapped(console, "place", f"{claim['place']} (section {claim['section']}; {versions})")
    _wrapped(console, "statement", claim["statement"])
    _wrapped(console, "bound", _bound(claim))
    for label, values in (
        ("hypotheses", claim["hypotheses"]), ("rests on", claim["rests_on"]),
        ("on false", [f"{edge} (refuted): this stands on nothing" for edge in claim["stands_on_false"]]),
    ):
        if values:
            _wrapped(console, label, "; ".join(values))
    for check in claim["checks"]:
        _tell_check(console, claim, check)
    if claim["mutants"]["total"]:
        _wrapped(console, "mutants", f"killed {claim['mutants']['killed']}/{claim['mutants']['total']}")
    for label, text in _told_wrong(claim):
        _wrapped(console, label, text)
    if claim["corrected"] and claim["corrected"]["id"]:
        _wrapped(console, "see", claim["corrected"]["id"])
    for position, step in enumerate(claim["argued"]):
        _wrapped(console, "to be read" if not position else "", step)
    for position, other in enumerate(claim["waits_for"]):
        entry = ledger[other]
        _wrapped(console, "open" if not position else "", f"{other} ({entry['verdict']}, {entry['basis']})")
    if claim["functions"]:
        _wrapped(console, "functions", ", ".join(f"{functions}.{name}" for name in claim["functions"]))
    if claim["notebook"]:
        _wrapped(console, "notebook", claim["notebook"])
        _wrapped(console, "run again", f"{program} verify --no-cache --only '{claim['id']}'")


def _bound(claim: ClaimEntry) -> str:
    if claim["formula"] is None:
        return "no: the statement is prose, that the checks give it is for a person to see"
    where = f", where {'; '.join(claim['where'])}" if claim["where"] else ""
    how = {"bound": "yes, checked as", "in part": "in part, to", "prose": "not yet, to"}[claim["bound"]]
    return f"{how} {claim['formula']}{where}"


def _tell_check(console: Console, claim: ClaimEntry, check: CheckEntry) -> None:
    """What exactly was checked, of how much it speaks, how, and where it stands."""
    scope = _GENERALITY[check["scope"]] if check["role"] == "support" else check["role"]
    if check["part"]:
        scope += f" (part {check['part'][0]} of {check['part'][1]})"
    if check["rule"]:
        scope += f" ({check['rule']})"
    if check["what"] or check["detail"]:
        _wrapped(console, "checked", f"{scope}: {check['what'] or ''}".rstrip(": "))
    notes = list(check["detail"])
    if check["because"]:
        notes.append(f"because {check['because']}")
    if check["given"]:
        notes.append(f"given {check['given']}")
    if check["handed"]:
        notes.append(f"computed: {', '.join(check['handed'])}")
    if check["not_needed"]:
        notes.append(f"also {', '.join(check['not_needed'])}")
    if check["role"] == "refutation" and claim["hypotheses"]:
        met = f"; met for a reason: {'; '.join(check['meets'])}" if check["meets"] else ""
        notes.append(f"hypotheses and domains evaluated at the witness: {check['hypotheses']}{met}")
    if notes:
        _wrapped(console, "", " · ".join(notes))
    if check["file"]:
        cell = f", cell {check['cell']}" if check["cell"] else ""
        _wrapped(console, "", f"derivations/{check['file']}:{check['line']}{cell}")


# ---- what is not as printed ---------------------------------------------------------------


def _number(text: str) -> str:
    """A value as the ledger has it, exact and decimal; of a long exact form only the digits are told."""
    exact, _, decimal = text.replace(" ~ ", " = ").partition(" = ")
    if len(exact) <= LONGEST_NUMBER:
        return text
    if decimal:
        return f"about {decimal}"
    return f"about {float(Fraction(text)):.6g}" if re.fullmatch(r"-?\d+/\d+", text) else text


def witness_text(witness: Witness) -> str:
    at = ", ".join(f"{name} = {_number(value)}" for name, value in witness["at"].items())
    sides = f"left {_number(witness['left'])}, right {_number(witness['right'])}"
    asserted = witness["asserted"].replace(" == ", " = ").replace(" != ", " ≠ ")
    if len(asserted) > LONGEST_RELATION:
        asserted = f"a relation of {len(asserted)} characters, which the notebook states,"
    elif "Eq(" in asserted or "Ne(" in asserted:
        asserted = "a relation, which the notebook states,"
    return f"{at + ': ' if at else ''}{sides}, though {asserted} is asserted"


def _told_wrong(claim: ClaimEntry) -> list[tuple[str, str]]:
    """Labels and texts: what is printed, where it fails, what it needs, what is true instead."""
    rows = []
    if not claim["slips"]:
        rows += [(f"printed {version}", text) for version, text in claim["printed"].items()]
    for check in claim["checks"]:
        if check["role"] not in ("refutation", "misprint"):
            continue
        if check["instance"]:
            rows.append(("instance", check["instance"]))
        if check["witness"]:
            rows.append(("witness", witness_text(check["witness"])))
        rows += [("hypothesis", f"{words}: {why}") for words, why in check["meets"].items()]
    for slip in claim["slips"]:
        where = f" ({slip['place']})" if slip["place"] else ""
        rows.append(("printed", f"{slip['printed']}{where}"))
        rows.append(("should read", slip["corrected"] or ""))
    if claim["missing_hypotheses"]:
        rows.append(("needs", "; ".join(claim["missing_hypotheses"])))
    for gap in claim["gaps"]:
        rows.append(("gap at", f"{gap['step']}{': ' + gap['because'] if gap['because'] else ''}"))
    if claim["corrected"] and claim["corrected"]["id"]:
        rows.append(("correct", claim["corrected"]["statement"] or ""))
    return rows


def erratum_rows(claim: ClaimEntry) -> list[tuple[str, str]]:
    """An entry of the errata below its heading."""
    rows = _told_wrong(claim)
    if not any(label.startswith("printed") for label, _ in rows):
        rows.insert(0, ("claimed", claim["statement"]))
    if claim["notebook"]:
        rows.append(("checked in", claim["notebook"]))
    return rows


def tell_errata(console: Console, errata: Iterable[ClaimEntry]) -> None:
    """What is not as printed: the place, what is claimed, an instance, what holds instead."""
    for claim in errata:
        console.print(
            f"[bold]{escape(claim['id'])}[/]  {styled(claim['verdict'])} ({claim['basis']})  {escape(claim['place'])}"
            f" ({', '.join(claim['versions'])})", highlight=False,
        )
        for label, text in erratum_rows(claim):
            _wrapped(console, label, text)
        console.print()


def errata_markdown(errata: Iterable[ClaimEntry]) -> str:
    """The same in Markdown with dollar math."""
    lines = []
    for claim in errata:
        lines += [f"### {claim['place']} ({', '.join(claim['versions'])})", "",
                  f"`{claim['id']}`, {claim['verdict']}, {claim['basis']}", ""]
        lines += [f"- **{label.capitalize()}.** {' '.join(text.split())}" for label, text in erratum_rows(claim)]
        lines.append("")
    return "\n".join(lines)


# ---- what changed -------------------------------------------------------------------------


def changes_table(changed: Iterable[Change]) -> Table:
    table = Table()
    for column in ("id", "verdict", "basis", "verdict now", "basis now"):
        table.add_column(column)
    for change in changed:
        table.add_row(escape(change.claim), *_settled_cells(change.before), *_settled_cells(change.after))
    return table


def _settled_cells(settled: Settled | None) -> tuple[str, str]:
    return ("—", "—") if settled is None else (styled(settled.verdict), settled.basis or "—")


def changes_markdown(changed: Iterable[Change]) -> str:
    lines = ["| claim | verdict | basis | verdict now | basis now |", "|---|---|---|---|---|"]
    for change in changed:
        cells = [
            cell for settled in (change.before, change.after)
            for cell in (("—", "—") if settled is None else (settled.verdict, settled.basis or "—"))
        ]
        lines.append(f"| `{change.claim}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def closed_line(old: Mapping[str, Settled], new: Mapping[str, Settled]) -> str:
    """How many claims nothing is left to do for, before and now."""
    before, after = (sum(settled.closed for settled in ledger.values()) for ledger in (old, new))
    return f"closed: {before} of {len(old)} before, {after} of {len(new)} now"
