"""Notebooks for the site: each check carries an anchor and leads back to its claim."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import nbformat
from nbformat import NotebookNode

from claimproof.book.code import CheckLine


@dataclass(frozen=True)
class Cells:
    """A notebook with its anchors put in, and which claims got one."""

    notebook: NotebookNode
    anchored: frozenset[str]


def anchor(claim: str) -> str:
    """The id of the cell that checks a claim, within its notebook's page."""
    return f"check-{claim}"


def _printed(cell: NotebookNode) -> str:
    return "".join(output.get("text", "") for output in cell.get("outputs", ()) if output.output_type == "stream")


def _checked_in(cells: Sequence[NotebookNode], claim: str, deciding: CheckLine | None) -> list[int]:
    """The code cells that check a claim: those that print its verdict, else those that name it."""
    code = [n for n, cell in enumerate(cells) if cell.cell_type == "code"]
    line = re.compile(rf"^{re.escape(claim)}  ", re.MULTILINE)
    found = [n for n in code if line.search(_printed(cells[n]))]
    found = found or [n for n in code if f'"{claim}"' in cells[n].source]
    if deciding is not None:
        found.sort(key=lambda n: deciding.code not in cells[n].source)
    return found


_LABEL = re.compile(r"set_?(x|y)label\(\s*r?f?[\"'](.+?)[\"']|\b(x|y)label=r?f?[\"'](.+?)[\"']")
_TITLE = re.compile(r"set_title\(\s*r?f?[\"'](.+?)[\"']|\btitle=r?f?[\"'](.+?)[\"']")


def _alternative_text(source: str, heading: str) -> str:
    """What a plot shows, from the labels that its code gives to the axes and the heading above it."""
    axes: dict[str, list[str]] = {"x": [], "y": []}
    for one, first, other, second in _LABEL.findall(source):
        axes[one or other].append(first or second)
    titles = [first or second for first, second in _TITLE.findall(source)]
    said = "Plot"
    if axes["y"] and axes["x"]:
        said += " of " + ", ".join(dict.fromkeys(axes["y"])) + " against " + ", ".join(dict.fromkeys(axes["x"]))
    if titles:
        said += ": " + ", ".join(dict.fromkeys(titles))
    said += f". It belongs to the section “{heading}”." if heading else "."
    return re.sub(r"\\[a-z]*|[${}]", "", said)


# Formulas, code, links, HTML and headings stay as they are; what else looks like the id of a claim may be one.
_KEPT_OR_ID = re.compile(
    r"\$\$.*?\$\$|\$[^$]*\$|```.*?```|`[^`]*`|\[[^\]]*\]\([^)]*\)|<[^>]*>|^#.*?$|(?P<id>\b[A-Z]{2,}-[\w.-]*\w)",
    re.DOTALL | re.MULTILINE,
)


def with_links(source: str, known: Mapping[str, Mapping[str, Any]], root: str) -> str:
    """Markdown in which the ids of claims lead to their status."""

    def link(match: re.Match[str]) -> str:
        claim = known.get(match["id"] or "")
        if claim is None:
            return match[0]
        return f'<a class="claim-link verdict-{claim["verdict"]}" href="{root}status.html#{claim["id"]}">{claim["id"]}</a>'

    return _KEPT_OR_ID.sub(link, source)


def _tag(claim: Mapping[str, Any], with_id: bool, root: str) -> str:
    name = html.escape(claim["id"])
    place = html.escape(re.sub(r"\$([^$]*)\$", r"\1", claim["place"]))
    identity = f' id="{anchor(name)}"' if with_id else ""
    return (
        f'<a class="claim-tag verdict-{claim["verdict"]}"{identity} href="{root}status.html#{name}">'
        f"<b>{name}</b> {place} <i>{claim['verdict']}</i></a>"
    )


def with_anchors(
    notebook: NotebookNode, claims: Sequence[Mapping[str, Any]], deciding: Mapping[str, CheckLine | None], root: str,
    known: Mapping[str, Mapping[str, Any]],
) -> Cells:
    """A copy of the notebook in which every checking cell is preceded by links to its claims.

    ``root`` leads from the notebook's page to the root of the site; ``known`` has all claims, so
    that those which the text mentions become links too.
    """
    cells = list(notebook.cells)
    tags: dict[int, list[str]] = {}
    anchored = set()
    for claim in claims:
        for position, cell in enumerate(_checked_in(cells, claim["id"], deciding.get(claim["id"]))):
            tags.setdefault(cell, []).append(_tag(claim, position == 0, root))
            anchored.add(claim["id"])
    out, heading = [], ""
    for number, cell in enumerate(cells):
        copied = nbformat.from_dict(dict(cell))
        if copied.cell_type == "markdown":
            for line in copied.source.splitlines():
                if found := re.match(r"#+ (.*)", line):
                    heading = re.sub(r"[$*`]", "", found[1])
            copied.source = with_links(copied.source, known, root)
        else:
            alt = _alternative_text(copied.source, heading)
            copied.metadata = nbformat.from_dict({**copied.metadata, "mystnb": {"image": {"alt": alt}}})
        if number in tags:
            here = f'<div class="claims-here">{"".join(tags[number])}</div>'
            out.append(nbformat.v4.new_markdown_cell(here, id=f"tags-{number}"))
        out.append(copied)
    prepared = nbformat.from_dict({**notebook, "cells": out})
    return Cells(prepared, frozenset(anchored))


def title(notebook: NotebookNode) -> str:
    """The first heading."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (found := re.search(r"^# (.+)$", cell.source, re.MULTILINE)):
            return found[1]
    raise ValueError("the notebook has no heading of the first level")
