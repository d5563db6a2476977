"""Statements that are falsified in the inventory are noticed: by the check, under the name of the claim.

A derivation runs once; each of its checks that took a statement from the inventory is then made again, with
everything that was handed over, against falsified forms of that statement. ``make test`` does this for a few
derivations, others each time that the number of bound claims changes; ``--every-binding`` for all of them.
"""

from __future__ import annotations

import re
import runpy
import shutil
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from claimproof.core import inventory
from claimproof.core.evidence import CheckFailed
from claimproof.core.project import Project
from claimproof.core.statement import Falsified, Statement, Way
from claimproof.run import derivations as run
from claimproof.session.paper import CheckedClaim

PROJECT = Project.find()
LISTED = inventory.load(PROJECT)
AT_ONCE = 2  # derivations that one run of the tests looks at
FEWER_BOXES = 20_000  # for a proof of what is false
_TAKES = re.compile(r"\.(?:as|misprint_as)_stated\(")


def _binding() -> list[Path]:
    return [script for script in PROJECT.scripts() if _TAKES.search(script.read_text(encoding="utf-8"))]


def _chosen() -> list[Path]:
    """The derivations of this run: they move on as claims are bound."""
    scripts = _binding()
    start = sum(claim.stated is not None for claim in LISTED.claims.values()) % len(scripts)
    return (scripts[start:] + scripts[:start])[:AT_ONCE]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "script" in metafunc.fixturenames:
        scripts = _binding() if metafunc.config.getoption("--every-binding") else _chosen()
        metafunc.parametrize("script", scripts, ids=[f"{s.parent.name}/{s.stem}" for s in scripts])


@dataclass(frozen=True)
class Taken:
    """A check that took its statement from the inventory: how to make it again against another one."""

    claim_id: str
    statement: Statement
    not_needed: frozenset[str]
    against: Callable[[Statement], object]


def _taken(script: Path, monkeypatch: pytest.MonkeyPatch) -> list[Taken]:
    """Run a derivation, and keep those of its checks that stand."""
    found: list[Taken] = []
    original = {name: getattr(CheckedClaim, name) for name in ("as_stated", "misprint_as_stated")}

    def kept(name: str, field: Callable[[Mapping[str, Any]], str]) -> Callable[..., Any]:
        def check(self: CheckedClaim, *args: Any, **hints: Any) -> Any:
            before = len(self.paper.recorder.records[self.claim.id].checks) if self.claim.id in self.paper.recorder.records else 0
            proof = original[name](self, *args, **hints)
            which = field(hints)
            made = self.paper.recorder.records[self.claim.id].checks[before:]

            def against(statement: Statement) -> object:
                fewer = {"max_boxes": FEWER_BOXES} if name == "as_stated" else {}
                return original[name](CheckedClaim(replace(self.claim, **{which: statement}), self.paper), *args, **{**hints, **fewer})

            not_needed = frozenset(what for check in made for what in check.not_needed)
            found.append(Taken(self.claim.id, getattr(self.claim, which), not_needed, against))
            return proof

        return check

    monkeypatch.setattr(CheckedClaim, "as_stated", kept("as_stated", lambda hints: "needs" if hints.get("given") else "stated"))
    monkeypatch.setattr(CheckedClaim, "misprint_as_stated", kept("misprint_as_stated", lambda hints: "corrected"))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runpy.run_path(str(script), run_name="__main__")
    return found


def _accepted(taken: Taken, falsified: Falsified) -> bool:
    try:
        taken.against(falsified.statement)
    except CheckFailed as error:
        failure = str(error)
    else:
        return True
    assert failure.startswith(taken.claim_id)
    return False


def test_a_falsified_statement_fails_its_check(script, monkeypatch):
    unnoticed = []
    for taken in _taken(script, monkeypatch):
        falsified = taken.statement.falsified()
        accepted = {f: _accepted(taken, f) for f in falsified}
        # An inequality that is made sharper may still be true: of these one has to be noticed, of the others all.
        sharper = [f for f in falsified if "er side" in f.description]
        if sharper and all(accepted[f] for f in sharper):
            unnoticed.append(f"{taken.claim_id}: {', '.join(f.description for f in sharper)}")
        weaker = {f for f in falsified if f.way in (Way.HYPOTHESIS, Way.DOMAIN) and f.description in taken.not_needed}
        unnoticed += [
            f"{taken.claim_id}: {f.description}" for f in falsified if accepted[f] and f not in weaker and f not in sharper
        ]
    assert unnoticed == []


def test_a_formula_falsified_in_the_file_stops_the_derivation(tmp_path):
    folder = tmp_path / "derivations" / "clw"
    shutil.copytree(PROJECT.derivations / "clw", folder)
    claims = folder / "claims.toml"
    text = claims.read_text(encoding="utf-8")
    assert text.count("2*phi**2/5 < 1.05)") == 1
    claims.write_text(text.replace("2*phi**2/5 < 1.05)", "2*phi**2/5 < 1.04)"), encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    outcome = run.run_one(Project(tmp_path), folder / "s5_limit.py", use_cache=False)
    assert outcome.result is None
    assert outcome.error is not None
    assert "CLW-C5.1a" in outcome.error
    assert "s5_limit.py" in outcome.error


def test_every_claim_with_a_formula_is_checked_by_it():
    """A formula that no derivation takes from the inventory would be decoration."""
    texts = [script.read_text(encoding="utf-8") for script in PROJECT.scripts()]
    for claim in LISTED.claims.values():
        if claim.stated is not None:
            assert any(f'"{claim.id}"' in text and "_stated(" in text for text in texts), claim.id
