"""The README says what is so: its tables are those of the ledger and the notebooks, its examples run."""

from __future__ import annotations

import io
import json
import re

import nbformat
import pytest
from rich.console import Console

from claimproof import report
from claimproof.core.ledger import Ledger
from claimproof.core.project import Project

PROJECT = Project.find()
README = (PROJECT.root / "README.md").read_text(encoding="utf-8")


def test_the_table_of_verdicts_is_that_of_the_ledger():
    ledger = Ledger.read(PROJECT.ledger)
    out = io.StringIO()
    titles = {key: key.upper() for key in ledger.counts()}
    Console(file=out, width=110).print(report.summary_table(ledger, titles))
    table = "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines())
    assert table in README


def printed_tallies() -> dict[str, dict[str, int]]:
    """The last line of JSON that the derivations of the tables print."""
    found: dict[str, dict[str, int]] = {}
    for name in ("s7_tables", "s7_crawler"):
        notebook = nbformat.read(PROJECT.notebooks / "adkns" / f"{name}.ipynb", as_version=4)
        lines = [
            line for cell in notebook.cells for output in cell.get("outputs", []) for line in output.get("text", "").splitlines()
            if line.startswith('{"')
        ]
        found |= json.loads(lines[-1])
    return found


@pytest.mark.parametrize("table", [f"Table {n}" for n in range(1, 6)])
def test_the_tallies_are_those_of_the_notebooks(table):
    tally = printed_tallies()[table]
    assert re.search(rf"\| {table} \| {tally['agree']} \| {tally['differ']} \| {tally['undecided']} \|", README)


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.DOTALL))
def test_examples_run(code):
    exec(compile(code, "README.md", "exec"), {})
