"""What was kept of a run is believed only while all that it depended on is the same."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import pytest

from claimproof.core.project import Project
from claimproof.run import derivations as run
from claimproof.run.inputs import Inputs

CLAIMS = """
[paper]
key = "toy"
title = "A toy"
authors = ["A. Author"]
versions = { "1" = "print" }

[[claim]]
id = "TOY-1"
place = "Lemma 1"
section = "1"
versions = ["1"]
statement = "s"
"""

DERIVATION = """
import json
from pathlib import Path
from claimproof import Paper
import helper

numbers = json.loads((Path("derivations") / "toy" / "numbers.json").read_text())
Paper("toy").claim("TOY-1").exact(numbers["one"] + helper.ONE, 2)
"""


@pytest.fixture(params=["project", "formulas/project", ".cache/project", "site-packages/project"])
def project(request, tmp_path) -> Project:
    """A checkout in folders of telling names."""
    root = tmp_path / request.param
    folder = root / "derivations" / "toy"
    folder.mkdir(parents=True)
    (folder / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    (folder / "all.py").write_text(DERIVATION, encoding="utf-8")
    (folder / "helper.py").write_text("ONE = 1\n", encoding="utf-8")
    (folder / "numbers.json").write_text('{"one": 1}', encoding="utf-8")
    return Project(root)


@pytest.fixture
def script(project) -> Path:
    return project.derivations / "toy" / "all.py"


def inputs(project: Project, script: Path) -> Inputs:
    return Inputs(
        {project.relative(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in (script, script.with_name("helper.py"))}, {"python": sys.version},
        tuple(sorted(project.relative(p) for p in project.derivations.glob("*/*.toml"))),
    )


def kept(project: Project) -> dict:
    (path,) = project.cache.glob("*.json")
    return json.loads(path.read_text(encoding="utf-8"))


def test_all_that_was_imported_and_read_is_in_the_key(project, script, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(script.parent))
    first = run.run_one(project, script, use_cache=True)
    assert first.error is None
    assert not first.cached
    found = kept(project)["inputs"]
    assert {f"derivations/toy/{name}" for name in ("all.py", "helper.py", "numbers.json", "claims.toml")} <= set(found["files"])
    assert any(name.endswith("claimproof/engines/exact.py") for name in found["files"])
    assert found["versions"]["sympy"]
    assert run.run_one(project, script, use_cache=True).cached
    # Contents count: another one of each file, one after the other, is a reason to run.
    for name, old, new in (("numbers.json", "1}", "1 }"), ("helper.py", "1", "2 - 1"), ("claims.toml", '"s"', '"t"')):
        path = script.with_name(name)
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        assert not run.run_one(project, script, use_cache=True).cached, name
        assert run.run_one(project, script, use_cache=True).cached, name


@pytest.mark.parametrize("project", ["project"], indirect=True)
class TestUnchanged:
    def test_itself(self, project, script):
        assert inputs(project, script).unchanged(project)
        assert Inputs.from_json(json.loads(json.dumps(inputs(project, script).to_json()))).unchanged(project)

    def test_another_version_of_a_library(self, project, script):
        own = inputs(project, script)
        assert Inputs(own.files, own.versions | {"sympy": "1.14.0"}, own.inventories).unchanged(project)
        for versions in ({"sympy": "1.13.0"}, {"no-such-library": "1"}, {"python": "3.0"}):
            assert not Inputs(own.files, own.versions | versions, own.inventories).unchanged(project)

    def test_a_file_that_is_gone_and_a_paper_that_is_new(self, project, script):
        own = inputs(project, script)
        script.with_name("helper.py").unlink()
        assert not own.unchanged(project)
        script.with_name("helper.py").write_text("ONE = 1\n", encoding="utf-8")
        assert own.unchanged(project)
        script.with_name("symbols.toml").write_text("", encoding="utf-8")
        assert not own.unchanged(project)

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"inputs": 3}', '{"inputs": {"files": {}, "versions": {}, "inventories": []}}'])
    def test_what_is_no_record_is_not_believed(self, project, script, text, monkeypatch):
        monkeypatch.setenv("PYTHONPATH", str(script.parent))
        project.cache.mkdir(parents=True)
        (project.cache / "toy.all.json").write_text(text, encoding="utf-8")
        assert not run.run_one(project, script, use_cache=True).cached
