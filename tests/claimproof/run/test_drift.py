"""The committed notebooks are those of the committed derivations."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimproof.run.notebooks import check, derivation_files, drift, notebook_for

ROOT = Path(__file__).parents[3]
DERIVATIONS = derivation_files(ROOT / "derivations")


def test_there_are_derivations():
    assert DERIVATIONS


@pytest.mark.parametrize(
    "derivation", DERIVATIONS, ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_notebook_is_that_of_the_derivation(derivation):
    assert drift(derivation, notebook_for(derivation, ROOT / "notebooks")) == []


def test_every_notebook_has_a_derivation():
    gone = [
        problem
        for problem in check(ROOT / "derivations", ROOT / "notebooks")
        if "has no derivation" in problem
    ]
    assert gone == []
