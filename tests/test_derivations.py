"""The project's own claims: run anew, they give the committed ledger and the committed formulas."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from claimproof.codegen import generator
from claimproof.codegen.export import Export
from claimproof.core import inventory, ledger
from claimproof.core.project import Project
from claimproof.run import derivations as run
from claimproof.run.notebook_guard import RECORDED

PROJECT = Project.find()


@pytest.fixture(scope="module")
def results():
    # What the notebooks of this session have recorded; what has not been run as a notebook is run here.
    recorded = os.environ.get(RECORDED)
    outcomes = run.run_all(PROJECT, PROJECT.scripts(), use_cache=False, recorded=Path(recorded) if recorded else None)
    assert not [f"{o.derivation}: {o.error}" for o in outcomes if o.error]
    return [o.result for o in outcomes]


@pytest.fixture(scope="module")
def listed():
    return inventory.load(PROJECT)


@pytest.fixture(scope="module")
def computed(listed, results):
    return ledger.build(listed, results, PROJECT)


def test_the_ledger_is_what_the_derivations_give_byte_for_byte(computed):
    committed = ledger.Ledger.read(PROJECT.ledger)
    assert ledger.differences(committed, computed) == []
    assert computed.to_text() == PROJECT.ledger.read_text(encoding="utf-8")


def test_the_formulas_are_what_the_claims_give(computed, results):
    verdicts = {claim["id"]: claim["verdict"] for claim in computed.claims}
    exports = [Export.from_json(e) for result in results for e in result.exports]
    assert generator.check(exports, verdicts, PROJECT.formulas) == []


def test_papers_that_are_complete_stay_complete(listed, computed):
    complete = [key for key, paper in listed.papers.items() if paper.complete]
    assert ledger.incomplete(computed, complete) == []


def test_all_mutants_are_killed_and_every_notebook_exists(computed):
    for claim in computed.claims:
        assert claim["mutants"]["killed"] == claim["mutants"]["total"], claim["id"]
        assert claim["notebook"] is None or (PROJECT.root / claim["notebook"]).exists(), claim["id"]


def test_what_is_not_as_printed_has_its_witness_and_what_holds_instead(computed):
    for claim in computed.errata():
        assert claim["witness"] or claim["gap_steps"] or any(e["kind"] == "textual" for e in claim["evidence"]), claim["id"]
        if claim["verdict"] in ("false", "misprint"):
            assert claim["corrected"], claim["id"]
