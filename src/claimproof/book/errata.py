"""What is not as printed: the errata of each paper as Markdown, LaTeX and JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claimproof.book import relations
from claimproof.book.code import CheckLine, check_lines, deciding
from claimproof.book.text import to_latex, to_markdown, with_dollars
from claimproof.core.inventory import Inventory, PaperInfo
from claimproof.core.ledger import Ledger
from claimproof.core.project import Project

_SAYS = {
    "false": "does not hold",
    "misprint": "misprint",
    "holds-if": "needs a hypothesis that is not stated",
    "gap": "true, but the printed argument does not prove it",
}


@dataclass(frozen=True)
class Row:
    """A labelled line of an erratum: words and formulas."""

    label: str
    text: str


@dataclass(frozen=True)
class Erratum:
    """One claim that is not as printed, and the call that shows it."""

    claim: Mapping[str, Any]
    rows: tuple[Row, ...]
    check: CheckLine | None

    @property
    def id(self) -> str:
        return self.claim["id"]

    @property
    def says(self) -> str:
        return _SAYS[self.claim["verdict"]]


def _values(witness: Mapping[str, Any]) -> list[Row]:
    """The point, what is asserted there, and what both sides are."""
    rows = []
    if witness["at"]:
        at = relations.point(dict(witness["at"]))
        plain = ", ".join(f"{name} = {exact}" for name, exact in witness["at"].items())
        rows.append(Row("Witness", f"${at}$" if at else f"`{plain}`"))
    asserted = relations.relation(witness["asserted"])
    if asserted is None and len(witness["asserted"]) > relations.LONGEST:
        shown = "a relation too long for a page, which the code below states"
    else:
        shown = f"${asserted}$" if asserted else f"`{witness['asserted']}`"
    rows.append(Row("Asserted there", shown))
    for label, key in (("Left side", "left"), ("Right side", "right")):
        shown = relations.value(witness[key])
        rows.append(Row(label, f"${shown}$" if shown else f"`{witness[key]}`"))
    return rows


def _rows(claim: Mapping[str, Any]) -> tuple[Row, ...]:
    rows = []
    if claim["printed"]:
        forms = list(claim["printed"].values())
        if len(set(forms)) == 1:
            rows.append(Row("Printed", with_dollars(forms[0])))
        else:
            rows += [Row(f"Printed {version}", with_dollars(form)) for version, form in claim["printed"].items()]
    rows.append(Row("Claimed", claim["statement"]))
    if claim["hypotheses"]:
        rows.append(Row("Hypotheses stated", "; ".join(claim["hypotheses"])))
    if claim["witness"]:
        rows += _values(claim["witness"])
    if claim["missing_hypotheses"]:
        rows.append(Row("Holds if", "; ".join(claim["missing_hypotheses"])))
    if claim["gap_steps"]:
        rows.append(Row("Step that fails", ", ".join(claim["gap_steps"])))
    if claim["corrected"] and claim["corrected"]["statement"]:
        rows.append(Row("Correct", with_dollars(claim["corrected"]["statement"])))
    return tuple(rows)


def section_key(section: str) -> tuple[int, str]:
    """Sections in the order of the paper: 2 before 10, appendices last."""
    return (int(section), "") if section.isdigit() else (10**6, section)


def errata(ledger: Ledger, project: Project) -> list[Erratum]:
    """All errata in the papers' order, each with the line of code that shows it."""
    wrong = sorted(ledger.errata(), key=lambda claim: section_key(claim["section"]))
    by_file: dict[str, list[str]] = {}
    for claim in wrong:
        if claim["derivation"]:
            by_file.setdefault(claim["derivation"], []).append(claim["id"])
    lines: dict[str, list[CheckLine]] = {}
    for path, ids in by_file.items():
        lines |= check_lines(project.root, path, ids)
    return [Erratum(claim, _rows(claim), deciding(lines.get(claim["id"], ()))) for claim in wrong]


def by_paper(found: Sequence[Erratum], inventory: Inventory) -> list[tuple[PaperInfo, list[Erratum]]]:
    """Errata under their papers; a paper without any is left out."""
    grouped = [(paper, [e for e in found if e.claim["paper"] == paper.key]) for paper in inventory.papers.values()]
    return [(paper, own) for paper, own in grouped if own]


def summary(own: Sequence[Erratum]) -> str:
    """How many of which kind, in one line."""
    counts = [(sum(e.claim["verdict"] == verdict for e in own), verdict) for verdict in _SAYS]
    return ", ".join(f"{count} {verdict}" for count, verdict in counts if count)


def _versions(paper: PaperInfo) -> str:
    return "; ".join(f"{key}: {name}" for key, name in paper.versions.items())


# How a page of the site shows an id, and the place of a check; elsewhere both are plain text.
Link = Callable[[str], str]


def to_markdown_text(
    grouped: Sequence[tuple[PaperInfo, Sequence[Erratum]]],
    claim_link: Link = lambda claim: f"`{claim}`",
    check_link: Callable[[CheckLine, str], str] = lambda check, claim: f"`{check.path}:{check.line}`",
    anchor: Link = lambda claim: "",
    overview: Callable[[Sequence[Erratum]], str] = lambda own: "",
) -> str:
    """The errata in Markdown with dollar math, one section for each paper."""
    out = []
    for paper, own in grouped:
        out += [f"## {paper.title}", "", f"{', '.join(paper.authors)} ({_versions(paper)}).", "",
                f"{len(own)} entries: {summary(own)}.", overview(own), ""]
        for erratum in own:
            claim = erratum.claim
            out += [f"{anchor(erratum.id)}", f"### {to_markdown(claim['place'])}: {erratum.says}", "",
                    f"{claim_link(erratum.id)}, {claim['verdict']} ({', '.join(claim['versions'])})", ""]
            out += [f"- **{row.label}.** {to_markdown(row.text)}" for row in erratum.rows]
            if claim["corrected"] and claim["corrected"]["id"]:
                out.append(f"- **Corrected claim.** {claim_link(claim['corrected']['id'])}, "
                           f"{claim['corrected']['verdict']}")
            if erratum.check:
                out += [f"- **Checked by** {check_link(erratum.check, erratum.id)}:", "", "  ```python",
                        *(f"  {line}" for line in textwrap.dedent(erratum.check.code).splitlines()), "  ```"]
            out.append("")
    return "\n".join(out)


_PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amssymb}
\usepackage[margin=25mm]{geometry}
\setlength{\emergencystretch}{3em}
\allowdisplaybreaks
"""


def to_latex_text(grouped: Sequence[tuple[PaperInfo, Sequence[Erratum]]]) -> str:
    """The errata as a LaTeX article, ready for pdflatex and a letter to the authors."""
    out = [_PREAMBLE + r"\title{Errata}", r"\date{}", r"\begin{document}", r"\maketitle"]
    for paper, own in grouped:
        out += ["", rf"\section*{{{to_latex(paper.title)}}}",
                f"{to_latex(', '.join(paper.authors))} ({to_latex(_versions(paper))}). "
                f"{len(own)} entries: {to_latex(summary(own))}."]
        for erratum in own:
            claim = erratum.claim
            out += ["", rf"\subsection*{{{to_latex(claim['place'])}: {to_latex(erratum.says)}}}",
                    r"\begin{description}"]
            out += [rf"\item[{to_latex(row.label)}] {to_latex(row.text)}" for row in erratum.rows]
            name = rf"\texttt{{{to_latex(erratum.id)}}}"
            where = f", \\texttt{{{to_latex(erratum.check.path)}}}, line {erratum.check.line}" if erratum.check else ""
            out += [rf"\item[Checked as] {name}{where}", r"\end{description}"]
    return "\n".join([*out, "", r"\end{document}", ""])


def to_json_text(grouped: Sequence[tuple[PaperInfo, Sequence[Erratum]]]) -> str:
    """The errata for programs: the ledger's fields and the line that checks each."""
    fields = ("id", "place", "section", "versions", "verdict", "statement", "hypotheses", "printed", "witness",
              "missing_hypotheses", "gap_steps", "corrected", "notebook")
    papers = [
        {
            "key": paper.key, "title": paper.title, "authors": list(paper.authors), "versions": dict(paper.versions),
            "errata": [
                {field: e.claim[field] for field in fields}
                | {"check": None if e.check is None else {"path": e.check.path, "line": e.check.line, "code": e.check.code}}
                for e in own
            ],
        }
        for paper, own in grouped
    ]
    return json.dumps({"papers": papers}, indent=1, ensure_ascii=False) + "\n"
