"""The command line on a small project: what passes, and what each kind of damage is called."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src" / "crawlproof"
CLAIMS = '''
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
statement = "$(x+1)^2 = x^2 + 2x + 1$"
headline = "squares"

[[claim]]
id = "TOY-2"
place = "Lemma 2"
section = "1"
versions = ["1"]
statement = "$e^x > 1 + x$ for $0 < x < 4$"
rests_on = ["TOY-1"]

[[claim]]
id = "TOY-3"
place = "Remark"
section = "1"
versions = ["1"]
statement = "$x^2 > x$"

[[claim]]
id = "TOY-3-corrected"
place = "Remark"
section = "1"
versions = []
statement = "$x^2 - x = x(x-1)$"
corrects = "TOY-3"
'''

DERIVATION = '''
import sympy as sp
from claimproof import Paper

x = sp.Symbol("x", positive=True)
paper = Paper("toy")
square = paper.claim("TOY-1")
proof = square.equal((x + 1) ** 2, x**2 + 2 * x + 1)
square.export(
    "square", (x + 1) ** 2, of=proof, args={"side": x}, domain={"side": "> 0"}, describe={"side": "x, a length"},
    sample={"side": (1e-6, 1e6)}, summary="A square.", ulps=4,
)
paper.claim("TOY-2").inequality(sp.exp(x) > 1 + x, on={x: (0, 4)}, zeros={x: (0, 2)})
paper.claim("TOY-3").refute(x**2 > x, witness={x: sp.Rational(1, 2)})
paper.claim("TOY-3-corrected").equal(x**2 - x, x * (x - 1))
'''

SETTINGS = '''
[tool.claimproof]
command = "crawlproof"
kernels = "crawlproof.kernels"
formulas = "src/crawlproof/formulas"
'''


@dataclass(frozen=True)
class Toy:
    """A project of four claims in a folder of its own."""

    root: Path

    @property
    def script(self) -> Path:
        return self.root / "derivations" / "toy" / "all.py"

    @property
    def inventory(self) -> Path:
        return self.root / "derivations" / "toy" / "claims.toml"

    @property
    def ledger(self) -> Path:
        return self.root / "derivations" / "ledger.json"

    def __call__(
        self, *arguments: str, program: str = "crawlproof", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        clean = {key: value for key, value in os.environ.items() if key != "CI"}
        return subprocess.run(
            [sys.executable, "-m", program, *arguments], cwd=self.root, capture_output=True, text=True, check=False,
            env=clean | {"CRAWLPROOF_ROOT": str(self.root)} | environment,
        )

    def replace(self, old: str, new: str) -> None:
        path = self.inventory if old in self.inventory.read_text(encoding="utf-8") else self.script
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")


def make(root: Path) -> Toy:
    toy = Toy(root)
    toy.script.parent.mkdir(parents=True)
    (root / "src" / "crawlproof" / "formulas").mkdir(parents=True)
    (root / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    toy.inventory.write_text(CLAIMS, encoding="utf-8")
    toy.script.write_text(DERIVATION, encoding="utf-8")
    return toy


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Toy:
    """Verified, accepted and generated; tests only read it."""
    toy = make(tmp_path_factory.mktemp("toy"))
    for command in (["verify", "--accept"], ["generate"]):
        done = toy(*command)
        assert done.returncode == 0, done.stderr
    return toy


@pytest.fixture
def toy(finished, tmp_path) -> Toy:
    """A copy of the finished project to damage."""
    copy = make(tmp_path / "toy")
    copy.ledger.write_bytes(finished.ledger.read_bytes())
    for path in (finished.root / "src" / "crawlproof" / "formulas").iterdir():
        (copy.root / "src" / "crawlproof" / "formulas" / path.name).write_bytes(path.read_bytes())
    return copy


def test_verify_passes_and_says_what_it_found(toy):
    done = toy("verify", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    assert "derivations/toy/all.py  4 claims" in done.stdout
    assert "squares" in done.stdout
    assert "All 4 claims are as recorded." in done.stdout
    assert (toy.root / "out.json").read_bytes() == toy.ledger.read_bytes()


def test_two_runs_give_the_same_bytes_whatever_the_hash_seed(toy):
    for seed in ("1", "2"):
        assert toy("verify", "--no-cache", "--json", f"{seed}.json", PYTHONHASHSEED=seed).returncode == 0
    assert (toy.root / "1.json").read_bytes() == (toy.root / "2.json").read_bytes() == toy.ledger.read_bytes()


def test_results_are_kept_by_content_and_never_in_continuous_integration(toy):
    assert "unchanged" not in toy("verify").stdout
    os.utime(toy.script, (1, 1))
    assert "unchanged" in toy("verify").stdout
    assert "unchanged" not in toy("verify", "--no-cache").stdout
    assert "unchanged" not in toy("verify", CI="true").stdout
    toy.replace("(x + 1) ** 2, x**2", "(1 + x) ** 2, x**2")
    assert "unchanged" not in toy("verify").stdout


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("x**2 + 2 * x + 1)", "x**2 - 2 * x + 1)", ["all.py", "line 8", "TOY-1: false at x ="]),
        ("sp.exp(x) > 1 + x", "sp.exp(x) < 1 + x", ["TOY-2: ", "line 13"]),
        ("2 * x + 1)", "2 * x + 1, where=[x < 1, x > 2])", ["TOY-1: hypotheses were met by none", "x < 1"]),
        ("sp.exp(x) > 1 + x", "sp.exp(x) > 0.5 + x", ["FloatInBall: TOY-2", "0.5"]),
        ('rests_on = ["TOY-1"]', 'rests_on = ["TOY-2"]', ["cycle: TOY-2 -> TOY-2"]),
        ('witness={x: sp.Rational(1, 2)}', 'witness={x: sp.Integer(2)}', ["all.py", "line 14"]),
        (
            'paper.claim("TOY-2").inequality(sp.exp(x) > 1 + x, on={x: (0, 4)}, zeros={x: (0, 2)})', "",
            ["TOY-2", "lost its check"],
        ),
        ("square.equal((x + 1) ** 2, x**2 + 2 * x + 1)", "square.definition()", ["no right-hand side to export"]),
        ('paper.claim("TOY-3-corrected").equal(x**2 - x, x * (x - 1))', "", ["TOY-3 is refuted", "is unchecked"]),
        ('claim("TOY-2")', 'claim("TOY-9")', ["unknown claim 'TOY-9'"]),
    ],
)
def test_damage_is_named(toy, old, new, words):
    toy.replace(old, new)
    done = toy("verify")
    assert done.returncode == 1
    for word in words:
        assert word in " ".join(done.stderr.split())


def test_a_claim_that_was_never_checked_fails_where_completeness_is_asked_for(toy):
    toy.replace('[[claim]]\nid = "TOY-2"', '[[claim]]\nid = "TOY-0"\nplace = "p"\nsection = "1"\nversions = []\n'
                'statement = "s"\n\n[[claim]]\nid = "TOY-2"')
    assert toy("verify", "--accept").returncode == 0
    done = toy("verify", "--complete")
    assert done.returncode == 1
    assert "1 claims are unchecked: TOY-0" in done.stderr
    toy.replace('key = "toy"', 'key = "toy"\ncomplete = true')
    assert toy("verify").returncode == 1


def test_a_survivor_is_named(toy):
    toy.replace("paper.claim(\"TOY-3-corrected\").equal(x**2 - x, x * (x - 1))",
                "paper.claim('TOY-3-corrected').instances([1, 2], lambda n: n > 0, what='n', wrong={'n >= 0': lambda n: n >= 0})")
    done = toy("verify")
    assert done.returncode == 1
    assert "mutants survived: variant: n >= 0" in done.stderr


def test_a_part_can_be_verified(toy):
    done = toy("verify", "--only", "toy/*")
    assert done.returncode == 0
    assert "TOY-2" in done.stdout
    by_claim = toy("verify", "--only", "TOY-2*")
    assert by_claim.returncode == 0
    assert "toy/all" in by_claim.stdout
    wrong = toy("verify", "--only", "nothing*")
    assert wrong.returncode == 2
    assert "known: toy/all" in wrong.stderr


def test_a_hand_edit_in_the_formulas_is_named(toy):
    assert toy("generate", "--check").returncode == 0
    path = toy.root / "src" / "crawlproof" / "formulas" / "toy.py"
    path.write_text(path.read_text(encoding="utf-8").replace("side + 1", "side - 1"), encoding="utf-8")
    done = toy("generate", "--check")
    assert done.returncode == 1
    assert "toy.py: square differs from what its claim gives" in done.stderr


def test_formulas_are_generated_where_there_are_none(toy):
    """In a checkout without them: what a derivation imports may not need what is made from it."""
    place = toy.root / "src" / "crawlproof"
    before = {path.name: path.read_bytes() for path in (place / "formulas").iterdir()}
    shutil.copytree(SOURCES, place, dirs_exist_ok=True, ignore=shutil.ignore_patterns("formulas", "__pycache__"))
    shutil.rmtree(place / "formulas")
    (toy.root / "derivations" / "shipped").mkdir()
    shipped = toy.root / "derivations" / "shipped" / "calls.py"
    shipped.write_text("from crawlproof.formulas import square\nassert square(3.0) == 16.0\n", encoding="utf-8")
    settings = toy.root / "pyproject.toml"
    settings.write_text(SETTINGS + 'after-generation = ["shipped"]\n', encoding="utf-8")
    path = {"PYTHONPATH": str(toy.root / "src")}
    toy.replace("import sympy as sp", "import sympy as sp, crawlproof.kernels.symbolic, crawlproof.models.kronecker")

    without = toy("verify", "--no-cache", program="claimproof", **path)
    assert without.returncode == 1
    assert "No module named 'crawlproof.formulas'" in without.stderr
    done = toy("generate", "--no-cache", program="claimproof", **path)
    assert done.returncode == 0, done.stderr
    assert {path.name: path.read_bytes() for path in (place / "formulas").iterdir() if path.is_file()} == before
    again = toy("verify", "--no-cache", program="claimproof", **path)
    assert again.returncode == 0, again.stderr


def test_claims_tell_the_story(finished):
    story = finished("claims", "TOY-3").stdout
    for word in ("TOY-3", "false", "1/2", "1/4", "TOY-3-corrected"):
        assert word in story
    told = finished("claims", "TOY-1").stdout
    for word in ("(x + 1)**2 = x**2 + 2*x + 1", "symbolic (expand) · sampled", "crawlproof.formulas.square", "notebooks/toy/all.ipynb"):
        assert word in told
    one = json.loads(finished("claims", "TOY-1", "--json").stdout)
    assert one["verdict"] == "holds"
    # A formula beside words: that it is what the words say is for a reader to see.
    assert (one["bound"], one["basis"], one["closed"], one["fully_verified"]) == ("prose", "argued", False, False)
    assert one["mutants"]["killed"] == one["mutants"]["total"] > 0
    everything = json.loads(finished("claims", "--json").stdout)
    assert [claim["id"] for claim in everything] == ["TOY-1", "TOY-2", "TOY-3", "TOY-3-corrected"]
    assert "false" in finished("claims", "--summary").stdout


def test_errata_are_those_that_were_printed(finished):
    (entry,) = json.loads(finished("errata", "--json").stdout)
    assert entry["id"] == "TOY-3"
    assert entry["witness"]["at"] == {"x": "1/2"}
    assert entry["corrected"]["id"] == "TOY-3-corrected"
    assert "TOY-3" in finished("errata").stdout


@pytest.mark.parametrize(
    ("arguments", "words"), [(["claims", "TOY-7"], "unknown claim 'TOY-7'"), (["no-such-command"], "No such command")]
)
def test_wrong_use_is_told_and_exits_with_two(finished, arguments, words):
    done = finished(*arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_outside_of_a_checkout_it_says_so(finished, tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "CRAWLPROOF_ROOT"}
    done = subprocess.run(
        [sys.executable, "-m", "crawlproof", "claims"], cwd=tmp_path, env=environment, capture_output=True, text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "run this inside a checkout" in done.stderr


@pytest.mark.parametrize("command", ["verify", "claims", "errata", "generate", "notebooks"])
def test_help_has_examples(finished, command):
    done = finished(command, "--help")
    assert done.returncode == 0
    assert f"$ crawlproof {command}" in done.stdout
