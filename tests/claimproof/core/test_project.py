"""Where a project is looked for, and what its settings may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimproof.core import project as projects
from claimproof.core.project import NotACheckout, Project, Settings, SettingsError


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    """No variable names a project, no installed package carries one, and the working folder is none."""
    for name in ("CLAIMPROOF_ROOT", "CRAWLPROOF_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(projects, "_installed_records", list)
    monkeypatch.chdir(tmp_path)


def checkout(folder: Path) -> Path:
    (folder / "derivations").mkdir(parents=True)
    return folder


def test_it_is_found_upwards_from_the_working_folder(tmp_path, monkeypatch):
    root = checkout(tmp_path / "outer" / "inner")
    checkout(tmp_path / "outer" / "other")
    deep = root / "notebooks" / "toy"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert Project.find().root == root
    assert Project.find(root).root == root


@pytest.mark.parametrize("variable", ["CLAIMPROOF_ROOT", "CRAWLPROOF_ROOT"])
def test_a_variable_names_it_from_outside(tmp_path, monkeypatch, variable):
    elsewhere = checkout(tmp_path / "elsewhere")
    monkeypatch.chdir(checkout(tmp_path / "here"))
    monkeypatch.setenv(variable, str(elsewhere))
    assert Project.find().root == elsewhere
    # Whoever says where to look has said it.
    assert Project.find(tmp_path / "here").root == tmp_path / "here"


def test_the_newer_variable_goes_first(tmp_path, monkeypatch):
    for variable in ("CLAIMPROOF_ROOT", "CRAWLPROOF_ROOT"):
        monkeypatch.setenv(variable, str(checkout(tmp_path / variable)))
    assert Project.find().root == tmp_path / "CLAIMPROOF_ROOT"


@pytest.mark.parametrize("variable", ["CLAIMPROOF_ROOT", "CRAWLPROOF_ROOT"])
def test_a_variable_that_names_none_is_told(tmp_path, monkeypatch, variable):
    monkeypatch.setenv(variable, str(tmp_path / "gone"))
    with pytest.raises(NotACheckout, match=rf"{variable} names .*gone, which has no folder 'derivations'"):
        Project.find()


def test_outside_of_a_checkout_an_installed_record_serves(tmp_path, monkeypatch):
    with pytest.raises(NotACheckout, match="run this inside a checkout"):
        Project.find()
    record = checkout(tmp_path / "site-packages" / "record")
    monkeypatch.setattr(projects, "_installed_records", lambda: [record])
    assert Project.find().root == record
    monkeypatch.chdir(checkout(tmp_path / "mine"))
    assert Project.find().root == tmp_path / "mine"


def test_without_settings_all_have_defaults(tmp_path):
    assert Settings.read(tmp_path) == Settings()
    assert Project(tmp_path).formulas_package == "formulas"


def test_settings(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.claimproof]\nkernels = "a.kernels"\nformulas = "src/a/formulas"\nafter-generation = ["shipped"]\n', encoding="utf-8"
    )
    found = Project(tmp_path)
    assert found.settings == Settings(kernels="a.kernels", formulas="src/a/formulas", after_generation=("shipped",))
    assert found.formulas_package == "a.formulas"
    assert found.is_about_shipped_code(tmp_path / "derivations" / "shipped" / "calls.py")
    assert not found.is_about_shipped_code(tmp_path / "derivations" / "toy" / "all.py")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.claimproof]\ncolour = 'red'\n", "unknown field 'colour'"),
        ("[tool.claimproof]\nkernels = 3\n", "kernels must be a string, not 3"),
        ("[tool.claimproof]\nreference = 'one'\n", "reference must be a list of strings, not 'one'"),
        ("[tool.claimproof]\nreference = [1]\n", r"reference must be a list of strings, not \[1\]"),
        ("[tool.claimproof\n", "not valid TOML"),
    ],
)
def test_settings_that_are_not_understood(tmp_path, text, message):
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=message):
        Settings.read(tmp_path)
