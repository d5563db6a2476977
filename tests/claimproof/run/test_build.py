"""Notebooks from derivations: the same bytes every time, and nothing of the machine in them."""

from __future__ import annotations

import base64
import io
import os
import textwrap
from pathlib import Path

import nbformat
import pytest
from rich.console import Console

from claimproof.run.notebooks import (
    BuildFailed,
    build,
    check,
    derivation_files,
    drift,
    notebook_for,
    read,
)

SAMPLE = """
    # %% [markdown]
    # # A sample
    # with $x^2$.

    # %%
    import sympy as sp

    x = sp.Symbol("x")
    x**2

    # %%
    print("CLW-L3.1  holds  symbolic")

    # %%
    print({"b", "a", "c"}, hash("order") % 1000)

    # %%
    import matplotlib.pyplot as plt

    plt.plot([0, 1]);

    # %%
    x;

    # %%
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("svg")
    plt.plot([1, 0]);

    # %% tags=["raises-exception"]
    raise ValueError("as announced")
"""


@pytest.fixture
def project(tmp_path: Path):
    """Writes derivations/clw/<name>.py and builds it to notebooks/clw/<name>.ipynb."""

    class Project:
        derivations = tmp_path / "derivations"
        notebooks = tmp_path / "notebooks"

        def write(self, source: str, name: str = "sample") -> Path:
            path = self.derivations / "clw" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(source).lstrip(), encoding="utf-8")
            return path

        def build(self, out: Path | None = None, **options):
            self.console = Console(file=io.StringIO(), width=200)
            files = derivation_files(self.derivations)
            return build(files, out or self.notebooks, console=self.console, **options)

        def notebook(self, name: str = "sample") -> Path:
            return self.notebooks / "clw" / f"{name}.ipynb"

    return Project()


def test_a_build_is_the_same_every_time_and_says_nothing_of_its_machine(project, monkeypatch):
    project.write(SAMPLE)
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    monkeypatch.setenv("COLUMNS", "40")
    (first,) = project.build()
    assert first.changed
    text = first.notebook.read_text(encoding="utf-8")

    monkeypatch.setenv("PYTHONHASHSEED", "2")
    monkeypatch.setenv("COLUMNS", "200")
    (second,) = project.build(project.derivations.parent / "elsewhere" / "deeper")
    assert second.notebook.read_text(encoding="utf-8") == text

    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert code[1].outputs[0].text == "CLW-L3.1  holds  symbolic\n"
    assert code[0].outputs[0].data["text/latex"]
    picture = base64.b64decode(code[3].outputs[0].data["image/png"])
    assert picture.startswith(b"\x89PNG")
    assert b"IEND" in picture
    assert b"Software" not in picture
    assert code[4].outputs == []
    assert "<metadata>" not in code[5].outputs[0].data["image/svg+xml"]
    assert code[6].outputs[0].ename == "ValueError"
    for word in (str(Path.home()), os.getcwd(), "site-packages", "iopub", "jupytext"):
        assert word not in text
    assert check(project.derivations, project.notebooks) == []


def test_the_second_build_leaves_an_equal_notebook_alone(project):
    project.write("# %%\nprint(1)\n")
    (first,) = project.build()
    before = first.notebook.stat().st_mtime_ns
    (second,) = project.build()
    assert (first.changed, second.changed) == (True, False)
    assert second.notebook.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("# %%\nx = 1\n\n# %%\nx / 0", "cell 1: ZeroDivisionError: division by zero\n    x / 0"),
        ("# %%\nimport warnings\nwarnings.warn('careful')", "UserWarning: careful"),
        ("# %%\nimport os\nos._exit(3)", "Kernel died"),
        ('# %% tags=["raises-exception"]\nx = 1', "raised nothing"),
        ("# %%\nobject()", "changes with every run"),
        ("# %%\nimport os\nprint(os.getcwd())", "a path of this machine"),
    ],
    ids=["error", "warning", "death", "no exception", "address", "path"],
)
def test_what_must_not_be_committed_is_not_written(project, cell, words):
    project.write(cell)
    with pytest.raises(BuildFailed) as caught:
        project.build()
    assert "sample.py: " in str(caught.value)
    assert words in str(caught.value)
    assert not project.notebook().exists()


def test_a_failure_names_its_file_and_leaves_the_others_and_the_old_one(project):
    project.write("# %%\nprint(1)\n", "good")
    project.write("# %%\nprint(1)\n", "bad")
    project.build()
    old = project.notebook("bad").read_text()
    project.write("# %%\nprint(2)\n", "good")
    project.write("# %%\nprint(2)\nraise ValueError\n", "bad")
    with pytest.raises(BuildFailed) as caught:
        project.build(jobs=1)
    assert [path.name for path in caught.value.failures] == ["bad.py"]
    assert project.notebook("bad").read_text() == old
    assert '"2\\n"' in project.notebook("good").read_text()
    assert "failed" in project.console.file.getvalue()


def test_a_cell_that_never_ends_is_stopped(project):
    project.write("# %%\nimport time\ntime.sleep(60)\n")
    with pytest.raises(BuildFailed, match="timed out"):
        project.build(timeout=1)


def test_equal_cells_have_different_ids_that_an_insertion_keeps(project):
    before = read(project.write("# %%\nx = 1\n\n# %%\nx = 1\n"))
    after = read(project.write("# %%\ny = 0\n\n# %%\nx = 1\n\n# %%\nx = 1\n"))
    ids = [cell.id for cell in before.cells]
    assert len(set(ids)) == 2
    assert [cell.id for cell in after.cells][1:] == ids


def test_only_chooses_by_name_or_paper(project):
    one, two = project.write("", "one"), project.write("", "two")
    assert derivation_files(project.derivations) == [one, two]
    assert derivation_files(project.derivations, "tw*") == [two]
    assert derivation_files(project.derivations, "clw/one.py") == [one]
    assert derivation_files(project.derivations, "clw") == [one, two]
    assert derivation_files(project.derivations, "adkns/*") == []


# Drift


@pytest.fixture
def built(project):
    source = project.write("# %% [markdown]\n# Words\n\n# %%\nx = 1\n\n# %%\nprint(x)\n")
    project.build()
    return source, project.notebook()


def edit(path: Path, change) -> None:
    notebook = nbformat.read(path, as_version=4)
    change(notebook)
    nbformat.write(notebook, path)


def test_no_drift_after_a_build(built):
    assert drift(*built) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda nb: nb.cells[1].update(source="x = 2"), "cell 1: source differs"),
        (lambda nb: nb.cells[0].update(source="Other words"), "cell 0: source differs"),
        (lambda nb: nb.cells[1].metadata.update(tags=["nbval-skip"]), "cell 1: metadata is"),
        (lambda nb: nb.cells.pop(), "has 2 cells"),
        (lambda nb: nb.cells[2].update(execution_count=None, outputs=[]), "cell 2 was never run"),
        (lambda nb: nb.cells[2].update(execution_count=5), "run as [5] instead of [2]"),
    ],
    ids=["code", "words", "tag", "cell removed", "stripped", "out of order"],
)
def test_an_edited_notebook_is_named(built, change, words):
    source, notebook = built
    edit(notebook, change)
    (problem,) = drift(source, notebook)
    assert problem.startswith(str(notebook))
    assert words in problem


def test_an_edited_derivation_is_named(built):
    source, notebook = built
    source.write_text(source.read_text().replace("x = 1", "x = 3"))
    (problem,) = drift(source, notebook)
    assert "-x = 3" in problem
    assert "+x = 1" in problem


def test_a_missing_counterpart_is_named(project, built):
    source, notebook = built
    lonely = project.write("# %%\nx = 1\n", "lonely")
    assert check(project.derivations, project.notebooks) == drift(
        lonely, notebook_for(lonely, project.notebooks)
    )
    lonely.unlink()
    source.unlink()
    (problem,) = check(project.derivations, project.notebooks)
    assert problem.startswith(f"{notebook} has no derivation")
