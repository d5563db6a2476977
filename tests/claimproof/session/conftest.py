"""A project in prose, without a symbol table: one paper, a few claims, and a recorder to look into."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimproof.core.project import Project
from claimproof.session.paper import CheckedClaim, Paper
from claimproof.session.recorder import Recorder

CLAIMS = '''
[paper]
key = "toy"
title = "A toy"
authors = ["A. Author"]
versions = { "1997" = "report", "1999" = "article" }

[[claim]]
id = "TOY-1"
place = "Lemma 1"
section = "1"
versions = ["1997"]
statement = "A statement in words."
hypotheses = ["the side is not empty"]

[[claim]]
id = "TOY-2"
place = "Lemma 2"
section = "1"
versions = ["1997", "1999"]
statement = "Another one."
'''


@pytest.fixture(scope="session")
def prose(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder: Path = tmp_path_factory.mktemp("prose") / "derivations" / "toy"
    folder.mkdir(parents=True)
    (folder / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    return Project(folder.parents[1])


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def paper(prose: Project, recorder: Recorder) -> Paper:
    return Paper("toy", prose, recorder)


@pytest.fixture
def claim(paper: Paper) -> CheckedClaim:
    return paper.claim("TOY-1")
