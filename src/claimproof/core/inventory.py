"""The inventory: what the papers say, claim by claim, read from ``claims.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claimproof.core import symbols
from claimproof.core.latex import latex_statement
from claimproof.core.project import Project
from claimproof.core.statement import Statement, StatementError, definitions
from claimproof.core.symbols import SymbolError, SymbolTable


class InventoryError(ValueError):
    """The inventory contradicts itself or its schema."""


@dataclass(frozen=True)
class PaperInfo:
    """A paper, and whether every claim of it must have a check (``complete``)."""

    key: str
    title: str
    authors: tuple[str, ...]
    versions: Mapping[str, str]
    complete: bool = False


@dataclass(frozen=True)
class Claim:
    """One claim: what is said, where, under which hypotheses, and what it rests on."""

    id: str
    paper: str
    place: str
    section: str
    versions: tuple[str, ...]
    statement: str
    hypotheses: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    corrects: str | None = None
    printed: Mapping[str, str] = field(default_factory=dict)
    headline: str | None = None
    about: str | None = None  # "print": the sentence is about what stands in the paper, not about what is so
    stated: Statement | None = None  # the machine form, hypotheses included
    needs: Statement | None = None  # the same under the hypotheses that the paper leaves out
    corrected: Statement | None = None  # what a misprint should say, under the same hypotheses
    concludes: tuple[str, ...] = ()  # what rules must reach, word for word, where the statement can't be a formula
    in_words: str | None = None  # what the statement says beyond its formula: such a claim is bound in part


@dataclass(frozen=True)
class Inventory:
    """All papers and all their claims, in the order of the files."""

    papers: Mapping[str, PaperInfo]
    claims: Mapping[str, Claim]
    symbols: Mapping[str, SymbolTable] = field(default_factory=dict)  # by paper; empty tables are left out

    def __getitem__(self, claim_id: str) -> Claim:
        try:
            return self.claims[claim_id]
        except KeyError:
            raise InventoryError(f"unknown claim {claim_id!r}: no claims.toml lists it") from None

    def correction_of(self, claim_id: str) -> Claim | None:
        """The claim that states the corrected form of ``claim_id``, if any."""
        return next((c for c in self.claims.values() if c.corrects == claim_id), None)


_PAPER_FIELDS: dict[str, tuple[type, bool]] = {
    "key": (str, True), "title": (str, True), "authors": (list, True), "versions": (dict, True),
    "complete": (bool, False),
}
_CLAIM_FIELDS: dict[str, tuple[type, bool]] = {
    "id": (str, True), "place": (str, True), "section": (str, True), "versions": (list, True),
    "statement": (str, False), "hypotheses": (list, False), "rests_on": (list, False),
    "corrects": (str, False), "printed": (dict, False), "headline": (str, False), "about": (str, False),
    "formula": (str, False), "where": (list, False), "needs": (list, False), "corrected": (str, False),
    "concludes": (list, False),
    "in_words": (str, False),
}


def _validate(table: Mapping[str, Any], fields: Mapping[str, tuple[type, bool]], where: str) -> dict[str, Any]:
    """Check one TOML table against its fields; lists hold strings and become tuples."""
    for key in table:
        if key not in fields:
            raise InventoryError(f"{where}: unknown field {key!r} (accepted: {', '.join(fields)})")
    values: dict[str, Any] = {}
    for key, (kind, required) in fields.items():
        if key not in table:
            if required:
                raise InventoryError(f"{where}: field {key!r} is missing")
            continue
        if not isinstance(table[key], kind):
            raise InventoryError(f"{where}: field {key!r} must be a {kind.__name__}, not {table[key]!r}")
        value = table[key]
        if kind is str and not value.strip():
            raise InventoryError(f"{where}: field {key!r} is empty")
        members = value if kind is list else value.values() if kind is dict else ()
        for member in members:
            if not isinstance(member, str):
                raise InventoryError(f"{where}: field {key!r} holds {member!r}, which is not a string")
        values[key] = tuple(value) if kind is list else value
    return values


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InventoryError(f"{path.parent.name}/{path.name}: not valid TOML: {error}") from None


# Where the text of a claim shows its formula, made from the machine form; nothing is typed twice.
FORMULA = "$formula$"


def _claim(paper: str, values: dict[str, Any], table: SymbolTable, where: str) -> Claim:
    """A claim with its machine forms read; its text comes from them wherever it says so."""
    if values.get("about", "print") != "print":
        raise InventoryError(f"{where}: 'about' says that a sentence is about the print, it can't be {values['about']!r}")
    formula, hypotheses = values.pop("formula", None), values.pop("where", ())
    needs, corrected = values.pop("needs", ()), values.pop("corrected", None)
    if formula is not None and "about" in values:
        raise InventoryError(f"{where}: a claim with a formula is not about the print")
    if formula is None:
        for key, given in (
            ("where", hypotheses), ("needs", needs), ("corrected", corrected), ("in_words", values.get("in_words")),
        ):
            if given:
                raise InventoryError(f"{where}: {key!r} belongs to a formula, and there is none")
        if "statement" not in values:
            raise InventoryError(f"{where}: field 'statement' is missing, and there is no formula to show instead")
        # Whoever reads the sentence sees what the machine concludes for it.
        shown = "".join(f" `{conclusion}`" for conclusion in values.get("concludes", ()))
        return Claim(paper=paper, **values | {"statement": values["statement"] + shown})
    if "concludes" in values:
        raise InventoryError(f"{where}: 'concludes' is for a statement in words; here a rule must conclude the formula")
    try:
        stated = Statement.read(formula, hypotheses, table=table, source=where)
        shown = f"${latex_statement(stated, table)}$"
        text = values.pop("statement", FORMULA)
        if FORMULA not in text:
            raise InventoryError(f"{where}: the statement of a claim with a formula shows it as {FORMULA}")
        return Claim(
            paper=paper, statement=text.replace(FORMULA, shown), stated=stated,
            needs=Statement.read(formula, (*hypotheses, *needs), table=table, source=where) if needs else None,
            corrected=Statement.read(corrected, hypotheses, table=table, source=where) if corrected else None, **values,
        )
    except StatementError as error:
        raise InventoryError(str(error)) from None


def _load_symbols(folder: Path) -> SymbolTable:
    path = folder / "symbols.toml"
    if not path.exists():
        return SymbolTable({}, source=f"{folder.name}/symbols.toml")
    try:
        table = symbols.load(path)
        definitions(table)  # read once here, so that a wrong one is named whatever is run
        return table
    except (SymbolError, StatementError) as error:
        raise InventoryError(str(error)) from None


def _load_paper(folder: Path) -> tuple[PaperInfo, list[Claim], SymbolTable]:
    name = f"{folder.name}/claims.toml"
    table = _read(folder / "claims.toml")
    if unknown := set(table) - {"paper", "claim"}:
        raise InventoryError(f"{name}: unknown table {sorted(unknown)[0]!r} (accepted: paper, claim)")
    if "paper" not in table:
        raise InventoryError(f"{name}: table 'paper' is missing")
    paper = PaperInfo(**_validate(table["paper"], _PAPER_FIELDS, f"{name}: paper"))
    if paper.key != folder.name:
        raise InventoryError(f"{name}: paper key {paper.key!r} differs from its folder {folder.name!r}")
    claims = []
    known = _load_symbols(folder)
    for position, row in enumerate(table.get("claim", []), start=1):
        label = row.get("id", f"claim number {position}")
        where = f"{name}: {label}"
        claim = _claim(paper.key, _validate(row, _CLAIM_FIELDS, where), known, where)
        for version in (*claim.versions, *claim.printed):
            if version not in paper.versions:
                raise InventoryError(
                    f"{name}: {claim.id}: unknown version {version!r} (accepted: {', '.join(paper.versions)})"
                )
        claims.append(claim)
    return paper, claims, known


def load(project: Project) -> Inventory:
    """Read and check the inventories of all papers of a checkout."""
    papers: dict[str, PaperInfo] = {}
    claims: dict[str, Claim] = {}
    tables: dict[str, SymbolTable] = {}
    for path in sorted(project.derivations.glob("*/claims.toml")):
        paper, listed, known = _load_paper(path.parent)
        papers[paper.key] = paper
        if known:
            tables[paper.key] = known
        for claim in listed:
            if claim.id in claims:
                raise InventoryError(f"claim {claim.id} is listed twice ({claims[claim.id].paper}, {claim.paper})")
            claims[claim.id] = claim
    _check_references(claims)
    check_acyclic({claim.id: claim.rests_on for claim in claims.values()})
    return Inventory(papers, claims, tables)


def _check_references(claims: Mapping[str, Claim]) -> None:
    corrected: dict[str, str] = {}
    for claim in claims.values():
        for other in (*claim.rests_on, *((claim.corrects,) if claim.corrects else ())):
            if other not in claims:
                raise InventoryError(f"{claim.id} refers to {other}, which no claims.toml lists")
        if claim.corrects:
            if claim.corrects in corrected:
                raise InventoryError(f"{claim.corrects} is corrected twice: {corrected[claim.corrects]} and {claim.id}")
            corrected[claim.corrects] = claim.id


def check_acyclic(edges: Mapping[str, Iterable[str]]) -> None:
    """Raise with the whole circle if the dependencies have one."""
    done: set[str] = set()

    def visit(node: str, path: list[str]) -> None:
        if node in path:
            circle = " -> ".join([*path[path.index(node):], node])
            raise InventoryError(f"claims rest on each other in a cycle: {circle}")
        if node in done:
            return
        for following in edges.get(node, ()):
            visit(following, [*path, node])
        done.add(node)

    for node in edges:
        visit(node, [])
