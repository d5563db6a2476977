"""The source folder of the site: pages of ``docs/`` filled from the ledger, notebooks with anchors.

Templates, scripts and styles that any ledger can use lie beside this module; ``docs/`` has those of the project.
Everything that a page shows about a claim is read here from ``derivations/ledger.json`` and
``notebooks/``; ``docs/build.py`` then runs Sphinx on the folder.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2
import nbformat
from markupsafe import Markup
from rich.console import Console

from claimproof import report
from claimproof.book import cells as notebook_cells
from claimproof.book import errata as errata_texts
from claimproof.book import functions
from claimproof.book.code import CheckLine, check_lines, deciding
from claimproof.book.errata import section_key
from claimproof.book.graph import graph_data
from claimproof.book.text import to_html, with_dollars
from claimproof.core import inventory
from claimproof.core.ledger import Ledger
from claimproof.core.project import Project
from claimproof.core.verdict import Verdict
from claimproof.run import notebooks

HERE = Path(__file__).parent
# What the names of notebook folders and derivations become on the site.
NOTEBOOK_PAGES = "derivations"


@dataclass(frozen=True)
class Notebook:
    """A derivation that has been executed: where it is, what it is called, what it checks."""

    path: str
    title: str
    claims: tuple[str, ...]
    paper: str  # that its claims are of: those about shipped code have a folder of their own

    @property
    def page(self) -> str:
        """The page on the site, without suffix."""
        return f"{NOTEBOOK_PAGES}/{self.path.removeprefix('notebooks/').removesuffix('.ipynb')}"


class Book:
    """The ledger, the inventory and the notebooks of a checkout, as the pages need them."""

    def __init__(self, project: Project) -> None:
        self.project = project
        loaded = inventory.load(project)
        # The oldest paper first; what has no versions is our own and comes last.
        papers = sorted(loaded.papers.values(), key=lambda paper: min(paper.versions, default="9999"))
        self.inventory = inventory.Inventory({paper.key: paper for paper in papers}, loaded.claims)
        order = list(self.inventory.papers)
        read = Ledger.read(project.ledger).claims
        self.ledger = Ledger(tuple(sorted(read, key=lambda claim: (order.index(claim["paper"]), section_key(claim["section"])))))
        self.claims = {claim["id"]: claim for claim in self.ledger.claims}
        self.papers = [p for p in papers if p.key in self.ledger.counts()]

    @cached_property
    def errata(self) -> list[errata_texts.Erratum]:
        return errata_texts.errata(self.ledger, self.project)

    @cached_property
    def notebooks(self) -> list[Notebook]:
        """Every executed notebook, by paper and section."""
        found = []
        for path in sorted(self.project.notebooks.glob("*/*.ipynb")):
            relative = self.project.relative(path)
            own = tuple(claim["id"] for claim in self.ledger.claims if claim["notebook"] == relative)
            paper = self.claims[own[0]]["paper"] if own else path.parent.name
            found.append(Notebook(relative, notebook_cells.title(nbformat.read(path, 4)), own, paper))
        return found

    @cached_property
    def checks(self) -> dict[str, CheckLine | None]:
        """The call that decides each claim."""
        by_file: dict[str, list[str]] = {}
        for claim in self.ledger.claims:
            if claim["derivation"] and (self.project.root / claim["derivation"]).exists():
                by_file.setdefault(claim["derivation"], []).append(claim["id"])
        lines: dict[str, list[CheckLine]] = {}
        for path, ids in by_file.items():
            lines |= check_lines(self.project.root, path, ids)
        return {claim: deciding(lines.get(claim, ())) for claim in self.claims}

    @cached_property
    def prepared(self) -> dict[str, notebook_cells.Cells]:
        """The notebooks with anchors and back links, by path."""
        ready = {}
        for notebook in self.notebooks:
            node = nbformat.read(self.project.root / notebook.path, 4)
            own = [self.claims[claim] for claim in notebook.claims]
            ready[notebook.path] = notebook_cells.with_anchors(node, own, self.checks, "../../", self.claims)
        return ready

    @cached_property
    def cells(self) -> dict[str, str]:
        """The address of the cell that checks each claim, seen from the site's root; '' without one."""
        addresses = dict.fromkeys(self.claims, "")
        for notebook in self.notebooks:
            for claim in self.prepared[notebook.path].anchored:
                addresses[claim] = f"{notebook.page}.html#{notebook_cells.anchor(claim)}"
        return addresses

    def used_by(self) -> dict[str, list[str]]:
        used: dict[str, list[str]] = {claim: [] for claim in self.claims}
        for claim in self.ledger.claims:
            for other in claim["rests_on"]:
                used[other].append(claim["id"])
        return used

    def tally(self) -> list[tuple[str, list[tuple[str, int]]]]:
        """Verdicts with their counts for each paper, and for all as paper ''."""
        counts = self.ledger.counts()
        rows = []
        for verdict in Verdict:
            row = [(paper.key, counts[paper.key][verdict.value]) for paper in self.papers]
            rows.append((verdict.value, [*row, ("", sum(count for _, count in row))]))
        return [row for row in rows if row[1][-1][1]]

    def findings(self) -> list[dict[str, Any]]:
        """The headline claims as printed, each with the claim that corrects it."""
        return [
            {"claim": claim, "corrected": self.claims[claim["corrected"]["id"]] if claim["corrected"] and claim["corrected"]["id"] else None}
            for claim in self.ledger.claims
            if claim["headline"] and not claim["corrects"]
        ]


# ------------------------------------------------------------------------------------------ index of places

_BESIDE = re.compile(r"(?:before|after|implied by|against|repeated from)\s+\(\d+\)")
_NAMED = re.compile(r"(?:Lemma|Theorem|Corollary|Proposition|Remark|Table|Figure|Example|Algorithm) \w+(?:\.\d+)?")


def places_of(place: str) -> list[str]:
    """The equation numbers and named statements that a claim's place names: '(19)', 'Corollary 5.1'."""
    own = _BESIDE.sub("", place)
    return [*_NAMED.findall(own), *re.findall(r"(?<!\w)\(\d{1,3}[a-z]?\)", own)]


def _place_key(place: str) -> tuple[str, list[int], str]:
    """Equations by number, then statements of each kind by number."""
    kind = "" if place.startswith("(") else place.split()[0]
    return (kind, [int(n) for n in re.findall(r"\d+", place)], place)


def index_of_places(book: Book, paper: str) -> list[tuple[str, list[str]]]:
    """Each equation number and named statement of a paper, with the claims about it."""
    found: dict[str, list[str]] = {}
    for claim in book.ledger.claims:
        if claim["paper"] == paper:
            for place in dict.fromkeys(places_of(claim["place"])):
                found.setdefault(place, []).append(claim["id"])
    return sorted(found.items(), key=lambda item: _place_key(item[0]))


# ------------------------------------------------------------------------------------------ pages


def _environment(folders: Sequence[Path], book: Book) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["words"] = lambda text: Markup(to_html(text))
    environment.filters["formula"] = lambda text: Markup(to_html(with_dollars(text)))
    environment.globals.update(claims=book.claims, papers=book.papers, root="")
    return environment


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _status(book: Book) -> dict[str, Any]:
    claims = book.ledger.claims
    count = Counter(c["paper"] for c in claims)
    full = Counter(c["paper"] for c in claims if c["fully_verified"])
    kinds = dict.fromkeys(item["kind"] for claim in claims for item in claim["evidence"])
    return {
        "ledger": claims,
        "tally": book.tally(),
        "totals": [*(count[p.key] for p in book.papers), count.total()],
        "full": [*(full[p.key] for p in book.papers), full.total()],
        "evidence_line": report.evidence_line(book.ledger),
        "sections": sorted({c["section"] for c in claims}, key=section_key),
        "kinds": sorted(kinds),
        "used_by": book.used_by(),
        "cells": book.cells,
        "errata_ids": {erratum.id for erratum in book.errata},
    }


# The finding that the start page opens with.
LEAD = "CLW-C5.1"


def _start(book: Book, picture: str) -> dict[str, Any]:
    erratum = next(e for e in book.errata if e.id == LEAD)
    lead = book.claims[LEAD]
    findings = book.findings()
    printed = [f for f in findings if f["claim"]["versions"]]
    stands = [f for f in printed if f["claim"]["verdict"] == Verdict.HOLDS.value]
    groups = [
        ("Not as printed", "With an exact witness each; the errata have them all.", [f for f in printed if f not in stands]),
        ("Holds as printed", "The most important ones; most claims do hold.", stands),
        ("New here", "Claims of ours, found and proved on the way.", [f for f in findings if not f["claim"]["versions"]]),
    ]
    return {
        "ledger": book.ledger.claims,
        "full": sum(c["fully_verified"] for c in book.ledger.claims),
        "mutants": sum(c["mutants"]["killed"] for c in book.ledger.claims),
        "errata": book.errata,
        "lead": lead,
        "lead_paper": book.inventory.papers[lead["paper"]],
        "lead_rows": erratum.rows,
        "lead_values": [_decimal(lead["witness"][side]) for side in ("left", "right")],
        "correction": book.claims[lead["corrected"]["id"]],
        "cells": book.cells,
        "wave": Markup(picture),
        "groups": [group for group in groups if group[2]],
    }


def _decimal(value: str) -> str:
    """The decimal part of a witness's value, to six digits."""
    return f"{float(re.split(' [~=] ', value)[-1]):.6g}"


def _claim_anchor(book: Book, root: str = "") -> Any:
    def link(claim: str) -> str:
        verdict = book.claims[claim]["verdict"]
        return f'<a class="claim-link verdict-{verdict}" href="{root}status.html#{claim}">{claim}</a>'

    return link


def errata_page(book: Book) -> str:
    """The errata as a page: the same Markdown as the file, with links."""

    def check_link(check: CheckLine, claim: str) -> str:
        where = f"{check.path}:{check.line}"
        return f'<a href="{book.cells[claim]}"><code>{where}</code></a>' if book.cells[claim] else f"`{where}`"

    body = errata_texts.to_markdown_text(
        errata_texts.by_paper(book.errata, book.inventory), _claim_anchor(book), check_link,
        lambda claim: f'<span class="anchor" id="{claim}"></span>\n',
        lambda own: "\n\n" + " ".join(
            f'<a class="claim-link verdict-{e.claim["verdict"]}" href="#{e.id}">{e.id}</a>' for e in own
        ),
    )
    return f"""# Errata

What is not as printed, in the order of each paper: the print, an exact witness with the values of both
sides, what holds instead, and the line of code that decides it. Nothing here was typed for this page.

Also as
<a href="errata.md" download>Markdown</a>,
<a href="errata.tex" download>LaTeX</a> (an article, for a letter or a PDF) and
<a href="errata.json" download>JSON</a>.

{body}
"""


def derivations_page(book: Book) -> str:
    """All notebooks by paper, and the way from each equation number to the cell that derives it."""
    out = ["# Derivations", "",
           "Every claim is derived and checked in a notebook, shown here as it was executed. The tables lead from "
           "the papers' equation numbers to the cells; in a notebook, the labels above a cell lead back.", ""]
    for paper in book.inventory.papers.values():
        own = [n for n in book.notebooks if n.paper == paper.key]
        if not own:
            continue
        out += [f"## {paper.title}", "", "```{toctree}", ":maxdepth: 1", ""]
        out += [n.page.removeprefix(f"{NOTEBOOK_PAGES}/") for n in own]
        out += ["```", ""]
        places = index_of_places(book, paper.key)
        if places:
            out += [f"### Equations and statements of {paper.key.upper()}", "", '<table class="places"><thead><tr>'
                    '<th scope="col">in the paper</th><th scope="col">derived in</th></tr></thead><tbody>']
            for place, claims in places:
                links = " ".join(_cell_tag(book, claim) for claim in claims)
                out.append(f'<tr id="{_place_id(paper.key, place)}"><th scope="row">{place}</th><td>{links}</td></tr>')
            out += ["</tbody></table>", ""]
    return "\n".join(out)


def _place_id(paper: str, place: str) -> str:
    return f"{paper}-{re.sub(r'[^A-Za-z0-9.]+', '-', place).strip('-')}"


def _cell_tag(book: Book, claim: str) -> str:
    """A link to the cell of a claim, or to its status where no notebook shows it."""
    address = book.cells[claim].removeprefix(f"{NOTEBOOK_PAGES}/") or f"../status.html#{claim}"
    return f'<a class="claim-link verdict-{book.claims[claim]["verdict"]}" href="{address}">{claim}</a>'


def _notebook_head(book: Book, notebook: Notebook) -> str:
    """The line below a notebook's title: its files and the claims it checks."""
    name = notebook.path.removeprefix("notebooks/")
    script = name.removesuffix(".ipynb") + ".py"
    links = " ".join(
        f'<a class="claim-link verdict-{book.claims[c]["verdict"]}" href="#{notebook_cells.anchor(c)}">{c}</a>'
        for c in notebook.claims if c in book.prepared[notebook.path].anchored
    )
    checks = f"<details><summary>{len(notebook.claims)} claims checked here</summary><p>{links}</p></details>" if links else ""
    return (
        f'<div class="notebook-head">Download <a href="../../files/{name}" download>the notebook</a> or '
        f'<a href="../../files/{script}" download>the script</a> that it was built from. {checks}</div>'
    )


def _notebook_pages(book: Book, source: Path) -> None:
    for notebook in book.notebooks:
        node = book.prepared[notebook.path].notebook
        head = nbformat.v4.new_markdown_cell(_notebook_head(book, notebook), id="head")
        first, *rest = node.cells
        title, _, below = first.source.partition("\n")
        opening = [nbformat.v4.new_markdown_cell(title, id="title"), head]
        if below.strip():
            opening.append(nbformat.v4.new_markdown_cell(below, id="opening"))
        node = nbformat.from_dict({**node, "cells": [*opening, *rest]})
        path = source / f"{notebook.page}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(node, path)
        files = source / "_extra" / "files"
        derivation = notebook.path.replace("notebooks/", "derivations/", 1).removesuffix(".ipynb") + ".py"
        for original in (notebook.path, derivation):
            if (book.project.root / original).exists():
                target = files / Path(original).relative_to(Path(original).parts[0])
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(book.project.root / original, target)


def _examples(project: Project, source: Path, claims: Mapping[str, Mapping[str, Any]]) -> None:
    """Run the examples of ``docs/examples`` and put them among the pages."""
    folder = project.root / "docs" / "examples"
    for built in notebooks.build(notebooks.derivation_files(folder), source, console=Console(quiet=True)):
        node = nbformat.read(built.notebook, 4)
        nbformat.write(notebook_cells.with_anchors(node, [], {}, "../", claims).notebook, built.notebook)


def _script_data(name: str, data: Any) -> str:
    """Data as a script, which a page can load from a folder without a server."""
    return f"window.{name} = {json.dumps(data, ensure_ascii=False, separators=(',', ':'))};\n"


def prepare(project: Project, source: Path, picture: str, commands: Sequence[tuple[str, str]]) -> Book:
    """Fill the source folder from scratch; ``picture`` is the start page's plot as SVG."""
    docs = project.root / "docs"
    book = Book(project)
    if source.exists():
        shutil.rmtree(source)
    shutil.copytree(docs / "pages", source)
    shutil.copy(docs / "conf.py", source)
    shutil.copytree(HERE / "static", source / "_static")
    shutil.copytree(HERE / "vendor", source / "_static" / "vendor")
    shutil.copytree(docs / "static", source / "_static", dirs_exist_ok=True)
    shutil.copytree(docs / "theme", source / "_templates")

    environment = _environment([docs / "templates", HERE / "templates"], book)
    contexts: Mapping[str, Mapping[str, Any]] = {
        "start": _start(book, picture),
        "status": _status(book),
        "graph": {"tally": book.tally(), "first_paper": book.claims[LEAD]["paper"]},
        "explorer": {"scripts": [path.name for path in sorted(project.formulas.glob("*.js"))]},
        "functions": {
            "generated": functions.generated(project.formulas),
            "solvers": [(package, functions.documented(package)) for package in project.settings.reference],
            "commands": commands,
            "cells": book.cells,
        },
    }
    for name, context in contexts.items():
        _write(source / "_fragments" / f"{name}.html", environment.get_template(f"{name}.html").render(context))

    _write(source / "errata.md", errata_page(book))
    grouped = errata_texts.by_paper(book.errata, book.inventory)
    extra = source / "_extra"
    _write(extra / "errata.md", "# Errata\n\n" + errata_texts.to_markdown_text(grouped))
    _write(extra / "errata.tex", errata_texts.to_latex_text(grouped))
    _write(extra / "errata.json", errata_texts.to_json_text(grouped))
    shutil.copy(project.ledger, extra / "ledger.json")

    _notebook_pages(book, source)
    _write(source / NOTEBOOK_PAGES / "index.md", derivations_page(book))
    scripts = source / "_static" / "formulas"
    scripts.mkdir()
    for path in (*project.formulas.glob("*.js"), *(project.formulas.parent / "kernels").glob("*.js")):
        shutil.copy(path, scripts)
    _examples(project, source, book.claims)
    _write(source / "_static" / "graph-data.js", _script_data("claimGraph", graph_data(book.ledger)))
    return book
