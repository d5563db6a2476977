"""The wheel, built from a clean clone of what is here: all that an installation needs, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RECORD = "crawlproof/record"


def listed(folder: Path, *which: str) -> list[str]:
    command = ["git", "ls-files", "-z", *which]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True)
    return [name for name in done.stdout.split("\0") if (folder / name).is_file()]


def files() -> list[str]:
    """What is here and not ignored, committed or not."""
    return listed(ROOT, "--cached", "--others", "--exclude-standard")


@pytest.fixture(scope="module")
def clone(tmp_path_factory) -> Path:
    """A clone with the files of this working tree, so that it is tested before it is committed."""
    folder = tmp_path_factory.mktemp("clone") / "crawlproof"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder)], check=True)
    for name in listed(folder):
        (folder / name).unlink()
    for name in files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def wheel(clone, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    # The build backend is one of the pins: nothing is fetched.
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*command, "-w", str(out), str(clone)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def contents(wheel) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_it_has_every_file_of_both_packages(contents):
    sources = {name.removeprefix("src/") for name in files() if name.startswith("src/")}
    packed = {name for name in contents if ".dist-info/" not in name and not name.startswith(RECORD)}
    assert packed == sources
    for name in packed:
        assert contents[name] == (ROOT / "src" / name).read_bytes(), name


@pytest.mark.parametrize(
    "name",
    [
        "claimproof/py.typed", "crawlproof/py.typed", "crawlproof/kernels/float64.js", "crawlproof/formulas/clw.js",
        "claimproof/book/templates/status.html", "claimproof/book/static/site.css", "claimproof/book/static/graph.js",
        "claimproof/book/vendor/vendored.toml", "claimproof/book/vendor/katex/LICENSE",
        "claimproof/book/vendor/katex/fonts/KaTeX_Main-Regular.woff2", "claimproof/book/vendor/dagre/LICENSE",
        "crawlproof/schedule/data/demo_pages.parquet",
    ],
)
def test_data_that_is_easily_forgotten_is_there(contents, name):
    assert contents[name] or name.endswith("py.typed")


def test_it_carries_the_inventory_and_the_ledger(contents):
    derivations = [path for path in (ROOT / "derivations").rglob("*") if path.suffix == ".toml"]
    wanted = {path.relative_to(ROOT).as_posix() for path in [*derivations, ROOT / "pyproject.toml", ROOT / "derivations" / "ledger.json"]}
    carried = {name.removeprefix(f"{RECORD}/") for name in contents if name.startswith(RECORD)}
    assert carried == wanted
    for name in wanted:
        assert contents[f"{RECORD}/{name}"] == (ROOT / name).read_bytes()


def test_it_brings_both_programs_and_says_where_its_record_is(contents):
    (name,) = [name for name in contents if name.endswith(".dist-info/entry_points.txt")]
    lines = contents[name].decode().split("\n")
    for line in ("claimproof = claimproof.cli:main", "crawlproof = crawlproof.cli:main", "[claimproof.record]"):
        assert line in lines


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory) -> Path:
    """The wheel as it is installed."""
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


# What the wheel depends on is borrowed from this environment. Its editable install is not: -S reads no .pth file.
RUN = """
import runpy, sys
_, site, dependencies, *sys.argv = sys.argv
sys.path[:] = [site, *sys.path, dependencies]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


@pytest.fixture
def program(site, tmp_path):
    dependencies = next(path for path in sys.path if path.endswith("site-packages"))
    environment = {key: value for key, value in os.environ.items() if not key.endswith("PROOF_ROOT")}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-S", "-c", RUN, site, dependencies, *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize("name", ["crawlproof", "claimproof"])
def test_outside_of_a_checkout_claims_are_those_of_the_wheel(program, name):
    done = program(name, "claims", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == json.loads((ROOT / "derivations" / "ledger.json").read_text(encoding="utf-8"))["claims"]


def test_outside_of_a_checkout_the_solvers_work(program):
    done = program("crawlproof", "plan", "--demo", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
