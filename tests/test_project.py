"""The promises that files at the root make to one another."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


def pins(lines: list[str]) -> dict[str, str]:
    return {canonicalize_name(line.split("==")[0]): line.split("==")[1] for line in lines}


PYPROJECT = tomllib.loads(text("pyproject.toml"))
PINNED_LINES = text("requirements.txt").split()
WANTED = [line for line in text("requirements.in").splitlines() if not line.startswith("#")]


def declared() -> list[Requirement]:
    project = PYPROJECT["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    found = [Requirement(line) for group in groups for line in group]
    found += [Requirement(line) for line in PYPROJECT["build-system"]["requires"]]
    return [requirement for requirement in found if requirement.name != "crawlproof"]


def needed(name: str, seen: set[str]) -> set[str]:
    """All that a package needs here, itself included."""
    if name not in seen:
        seen.add(name)
        for line in importlib.metadata.requires(name) or []:
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                needed(canonicalize_name(requirement.name), seen)
    return seen


# Requirements


def test_every_pin_is_exact():
    for line in PINNED_LINES:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.+!]*", line), line


def test_pins_are_sorted_and_unique():
    names = [canonicalize_name(line.split("==")[0]) for line in PINNED_LINES]
    assert len(names) == len(set(names))
    assert sorted(PINNED_LINES, key=str.lower) == PINNED_LINES


def test_conda_users_get_the_same_versions():
    environment = yaml.safe_load(text("environment.yml"))
    *plain, from_pip = environment["dependencies"]
    assert environment["name"] == "crawlproof"
    assert plain == [f"python{PYPROJECT['project']['requires-python']}", "pip"]
    assert from_pip == {"pip": PINNED_LINES}


def test_all_that_is_wanted_and_all_that_it_needs_is_pinned():
    closure: set[str] = set()
    for name in WANTED:
        needed(canonicalize_name(name), closure)
    assert closure <= set(pins(PINNED_LINES))


def test_the_pins_are_what_is_installed():
    installed = {name: importlib.metadata.version(name) for name in pins(PINNED_LINES)}
    assert installed == pins(PINNED_LINES)


@pytest.mark.parametrize("requirement", declared(), ids=str)
def test_pyproject_admits_the_pinned_version(requirement):
    name = canonicalize_name(requirement.name)
    assert name in {canonicalize_name(wanted) for wanted in WANTED}
    assert requirement.specifier.contains(pins(PINNED_LINES)[name])


def test_a_solver_needs_no_computer_algebra():
    runtime = {Requirement(line).name for line in PYPROJECT["project"]["dependencies"]}
    assert not runtime & {"sympy", "mpmath", "python-flint", "jupytext", "nbclient", "ipykernel"}


@pytest.mark.parametrize("module", ["crawlproof", "crawlproof.formulas"])
def test_import_leaves_sympy_alone(module):
    # A new interpreter: this one has long imported everything.
    code = f"import {module}, sys; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "name",
    [
        "requirements.in",
        "requirements.txt",
        "environment.yml",
        "pyproject.toml",
        "Makefile",
        "tools/environment.py",
        ".ci/run",
    ],
)
def test_no_registry_is_named(name):
    """Where packages come from is for the machine's own settings to say."""
    named = re.search(
        r"https?://|index-url|find-links|trusted-host|^\s*channels:|::", text(name), re.MULTILINE
    )
    # "::" separates a conda channel from its package, and the parts of a trove classifier.
    assert named is None or (name == "pyproject.toml" and named.group() == "::"), named


# Files


def test_no_tracked_file_names_a_path_of_a_machine():
    machine_path = re.compile(
        r"(?<![\w.)}$-])/(?:home|root|Users|work|opt|private/var)/\w|\b[A-Z]:\\\w"
    )
    found = []
    for path in tracked_files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
            for number, line in enumerate(lines, start=1)
            if machine_path.search(line)
        ]
    assert found == []


def test_continuous_integration_runs_make_prove_where_coq_is_and_make_test():
    script = text(".ci/run")
    assert script.startswith("#!/usr/bin/env bash\n")
    assert "set -euo pipefail" in script
    makes = re.findall(r"^\s*(?:exec )?make\b.*$", script, re.MULTILINE)
    assert [make.strip() for make in makes] == ["make prove", "make test"]
    assert script.endswith("\nmake test\n")
    assert not re.search(r"pytest|\|\| *true|set \+e", script)
    # What it installs is for tests that skip themselves without it.
    installed = re.findall(r"install -y --no-install-recommends ([^;]*);", script)
    assert installed == ["chromium", "coq libcoq-coquelicot libcoq-interval"]


def test_continuous_integration_script_is_executable():
    mode = subprocess.run(
        ["git", "ls-files", "-s", ".ci/run"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout.split()[0]
    assert mode == "100755"


def test_readme_shows_both_commands_at_the_start():
    start = text("README.md").split("\n## Layout")[0]
    for command in ("make verify", "make test"):
        assert f"$ {command}\n" in start


def test_readme_links_lead_somewhere():
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", text("README.md")):
        assert (ROOT / target).exists(), target


NAME = {
    "anyOf": [{"required": ["family-names", "given-names"]}, {"required": ["name"]}],
    "type": "object",
}
WORK = {"title": {"type": "string"}, "authors": {"type": "array", "items": NAME, "minItems": 1}}
# The part of the Citation File Format 1.2.0 that a citing tool can't do without.
CITATION = {
    "type": "object",
    "required": ["cff-version", "message", "title", "authors", "version", "license"],
    "properties": {
        **WORK,
        "cff-version": {"const": "1.2.0"},
        "type": {"enum": ["software", "dataset"]},
        "version": {"type": "string"},
        "license": {"type": "string"},
        "references": {
            "type": "array",
            "minItems": 2,
            "items": {
                "type": "object",
                "required": ["type", "title", "authors", "year"],
                "properties": {**WORK, "doi": {"pattern": r"^10\.\d{4,9}/\S+$"}},
            },
        },
    },
}


def test_citation_is_valid_and_agrees_with_the_package():
    citation = yaml.safe_load(text("CITATION.cff"))
    jsonschema.validate(citation, CITATION)
    project = PYPROJECT["project"]
    assert citation["version"] == project["version"]
    assert citation["license"] == project["license"] == "MIT"
    assert text("LICENSE").startswith("MIT License\n")


def test_changelog_starts_with_this_version():
    versions = re.findall(r"^## (\S+)", text("CHANGELOG.md"), re.MULTILINE)
    assert versions[0] == PYPROJECT["project"]["version"]


# Makefile and set-up


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """The files that set-up reads, with a pip that notes its calls instead of installing."""
    for name in ("Makefile", "pyproject.toml", "requirements.txt", "tools/environment.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    package = tmp_path / "fake" / "pip"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(
        "import os, sys\n"
        f"open({str(tmp_path / 'calls')!r}, 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
        "sys.exit(int(os.environ.get('PIP_FAILS', 0)))\n"
    )
    return tmp_path


@pytest.fixture
def make(bare: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("MAKEFLAGS", "MAKELEVEL", "CRAWLPROOF_PYTHON", "PYTHON"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(bare / "fake"))

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        return subprocess.run(
            ["make", *arguments], cwd=bare, capture_output=True, text=True, check=False
        )

    return run


def calls(bare: Path) -> list[str]:
    path = bare / "calls"
    return path.read_text().splitlines() if path.exists() else []


def interpreter() -> str:
    """The one below any virtual environment."""
    return f"PYTHON={Path(sys.base_prefix, 'bin', 'python3')}"


def test_help_is_the_default_and_lists_every_target(make):
    listed = make().stdout
    targets = re.search(r"^\.PHONY: (.*)$", text("Makefile"), re.MULTILINE).group(1).split()
    for target in targets:
        assert f"make {target} " in listed
    assert make("help").stdout == listed


def test_set_up_follows_the_content_of_the_pins_and_never_their_date(make, bare):
    assert make("setup", interpreter()).returncode == 0
    installs = [call for call in calls(bare) if "install" in call]
    assert len(installs) == 2
    assert installs[0].endswith("-r " + str(bare / "requirements.txt"))
    assert "--no-deps" in installs[1]
    assert installs[1].endswith(f"-e {bare}")

    done = len(calls(bare))
    (bare / "requirements.txt").touch()
    second = make("setup", interpreter())
    assert (second.returncode, second.stdout) == (0, "")
    assert len(calls(bare)) == done

    with (bare / "requirements.txt").open("a") as file:
        file.write("another==1.0\n")
    assert make("setup", interpreter()).returncode == 0
    assert len(calls(bare)) == done + 2


def test_set_up_that_failed_is_done_again(make, bare):
    failed = make("setup", interpreter(), PIP_FAILS="1")
    assert failed.returncode != 0
    assert "error: " in failed.stderr
    assert make("setup", interpreter(), PIP_FAILS="0").returncode == 0
    assert make("setup", interpreter()).stdout == ""


def test_an_old_python_is_named(bare):
    """As an old interpreter sees it: the same script, told that it is 3.9."""
    code = (
        "import sys; sys.path.insert(0, 'tools'); import environment; "
        "sys.version_info = (3, 9, 18); environment.main(['setup'])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=bare, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "needs Python 3.11 or later" in result.stderr
    assert "is Python 3.9.18" in result.stderr


def test_a_python_without_venv_is_named(bare):
    code = (
        "import sys; sys.path.insert(0, 'tools'); import environment; "
        "sys.modules['ensurepip'] = None; environment.main(['setup'])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=bare, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "can't make virtual environments" in result.stderr
    assert "-venv" in result.stderr


def test_a_missing_python_is_named(make):
    result = make("setup", "PYTHON=python3.99")
    assert result.returncode != 0
    assert "there is no python3.99 here" in result.stderr
