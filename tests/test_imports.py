"""Who may import whom, and what an import must not do."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from claimproof.core.project import Project

ROOT = Path(__file__).parents[1]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """A new interpreter: this one has long imported everything."""
    return subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False, env=os.environ | environment
    )


# Contracts


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    linter = Path(sys.executable).with_name("lint-imports")
    return run(linter, "--no-cache", cwd=root, PYTHONPATH=str(root / "src"), COLUMNS="200")


def test_every_contract_is_kept():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout
    for contract in CONTRACTS:
        assert f"{contract['name']} KEPT" in " ".join(done.stdout.split())


@pytest.fixture(scope="module")
def wrong(tmp_path_factory) -> str:
    """What the linter says of a copy with one import too many for each contract."""
    root = tmp_path_factory.mktemp("wrong")
    shutil.copy(ROOT / "pyproject.toml", root)
    shutil.copytree(ROOT / "src", root / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    for module, line in {
        "claimproof/core/files.py": "import claimproof.engines.stated",
        "claimproof/engines/stated.py": "import crawlproof",
        "crawlproof/writing.py": "import claimproof",
        "crawlproof/queue/errors.py": "def late():\n    import sympy",
        "claimproof/core/basis.py": "import mpmath",
        "crawlproof/models/matrices.py": "def late():\n    import crawlproof.formulas",
    }.items():
        with (root / "src" / module).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{line}\n")
    done = lint(root)
    assert done.returncode == 1
    return " ".join(done.stdout.split())


@pytest.mark.parametrize("name", [contract["name"] for contract in CONTRACTS])
def test_a_contract_notices_an_import_too_many(wrong, name):
    assert f"{name} BROKEN" in wrong


def imported_from_crawlproof(script: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(script.read_text(encoding="utf-8"))))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.partition(".")[0] == "crawlproof"}


@pytest.mark.parametrize("script", Project(ROOT).scripts(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_only_derivations_about_shipped_code_import_it(script):
    allowed = ("crawlproof.kernels", "crawlproof.models")
    shipped = {name for name in imported_from_crawlproof(script) if not f"{name}.".startswith(tuple(f"{a}." for a in allowed))}
    assert not shipped or Project(ROOT).is_about_shipped_code(script)


# What an import does

NOTHING_HEAVY = ("sympy", "mpmath", "flint", "matplotlib", "jupytext", "nbclient", "ipykernel", "jsonschema")
PUBLIC = (
    "claimproof", "claimproof.cli", "claimproof.core.ledger", "claimproof.report", "crawlproof", "crawlproof.cli",
    "crawlproof.formulas", "crawlproof.laws", "crawlproof.queue", "crawlproof.schedule",
)


@pytest.mark.parametrize("module", PUBLIC)
def test_import_loads_no_computer_algebra(module):
    code = f"import sys, {module}; sys.exit(', '.join(m for m in {NOTHING_HEAVY} if m in sys.modules))"
    assert run(sys.executable, "-c", code).stderr.strip() == ""


@pytest.mark.parametrize("module", [name for name in PUBLIC if name.startswith("crawlproof")])
def test_what_crawler_people_run_does_not_load_the_method(module):
    code = f"import sys, {module}; sys.exit('claimproof' in sys.modules)"
    assert run(sys.executable, "-c", code).returncode == 0


def modules_of(package: str) -> list[str]:
    folder = ROOT / "src" / package
    names = (path.relative_to(ROOT / "src").with_suffix("").parts for path in folder.rglob("*.py"))
    return sorted(".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in names if parts[-1] != "__main__")


@pytest.mark.parametrize("package", ["claimproof", "crawlproof"])
def test_no_import_makes_a_console_or_prints(package):
    """Whoever makes one at import decides for all what a terminal is, before anybody has said anything."""
    code = (
        "import importlib, sys, rich.console\n"
        "def refuse(*_, **__): raise AssertionError('made at import')\n"
        "rich.console.Console.__init__ = refuse\n"
        "for name in sys.argv[1:]:\n"
        "    importlib.import_module(name)\n"
    )
    done = run(sys.executable, "-c", code, *modules_of(package))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# Programs


@pytest.mark.parametrize("program", ["claimproof", "crawlproof"])
def test_a_program_runs_as_a_script_and_as_a_module(program):
    script = Path(sys.executable).with_name(program)
    helps = [run(*command, "--help", COLUMNS="120") for command in ([script], [sys.executable, "-m", program])]
    assert [done.returncode for done in helps] == [0, 0]
    for done in helps:
        assert "verify" in done.stdout
        assert "Usage: " in done.stdout


# Extras

HIDING = """
import runpy, sys

hidden = sys.argv.pop(1).split(",")

class Hiding:
    def __init__(self, finder): self.finder = finder
    def __getattr__(self, name): return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in hidden else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Hiding(finder) for finder in sys.meta_path]
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""
VERIFY = "sympy,mpmath,flint,jsonschema,jupytext,nbclient,nbformat,ipykernel,matplotlib"


@pytest.mark.parametrize(
    ("hidden", "command", "extra"),
    [
        (VERIFY, "crawlproof verify --no-cache", "verify"),
        (VERIFY, "crawlproof generate", "verify"),
        (VERIFY, "crawlproof notebooks", "verify"),
        (VERIFY, "claimproof verify", "verify"),
        (VERIFY, "claimproof notebooks --check", "verify"),
        ("matplotlib", "crawlproof plan --demo --plot never.png", "plot"),
    ],
)
def test_a_command_without_its_extra_says_in_one_line_what_to_install(hidden, command, extra, tmp_path):
    program, *arguments = command.split()
    done = run(sys.executable, "-c", HIDING, hidden, program, *arguments, cwd=tmp_path, CLAIMPROOF_ROOT=str(ROOT))
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{program}: ")
    assert f"pip install 'crawlproof[{extra}]'" in line


@pytest.mark.parametrize("command", ["crawlproof claims --summary", "crawlproof errata", "claimproof claims --json"])
def test_reading_the_ledger_needs_no_extra(command, tmp_path):
    """Asked of a small ledger: what the project's own says is tested elsewhere."""
    (tmp_path / "derivations").mkdir()
    (tmp_path / "derivations" / "ledger.json").write_text(
        '{"ledger_version": 2, "package": "claimproof 0", "claims": []}', encoding="utf-8"
    )
    program, *arguments = command.split()
    done = run(sys.executable, "-c", HIDING, VERIFY, program, *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
