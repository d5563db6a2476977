"""From the calls of a derivation to verdict and basis: the second reading's attacks on claims in prose and in machine form."""

from __future__ import annotations

import pytest
import sympy as sp

from claimproof.core import ledger
from claimproof.core.evidence import CheckFailed
from claimproof.core.ledger import DerivationResult
from claimproof.core.project import Project
from claimproof.session.paper import Paper

CLAIMS = """
[paper]
key = "toy"
title = "A toy"
authors = ["A. Author"]
versions = { "1" = "print" }

[[claim]]
id = "GOLDBACH"
place = "a letter"
section = "1"
versions = ["1"]
statement = "Every even number above two is a sum of two primes."

[[claim]]
id = "STATED"
place = "(1)"
section = "1"
versions = ["1"]
formula = "x**2 > x"
where = ["x < y", "y < 5"]

[[claim]]
id = "STATED-corrected"
place = "(1)"
section = "1"
versions = []
formula = "Eq(x**2 - x, x*(x - 1))"
corrects = "STATED"

[[claim]]
id = "SLIP"
place = "(2)"
section = "1"
versions = ["1"]
statement = "a square"
"""

SYMBOLS = """
[symbol.x]
latex = "x"
domain = "positive"
meaning = "a length"

[symbol.y]
latex = "y"
domain = "positive"
meaning = "a length"
"""

HALF = sp.Rational(1, 2)


@pytest.fixture
def paper(tmp_path) -> Paper:
    folder = tmp_path / "derivations" / "toy"
    folder.mkdir(parents=True)
    (folder / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    (folder / "symbols.toml").write_text(SYMBOLS, encoding="utf-8")
    return Paper("toy", Project(tmp_path))


def entry(paper: Paper, claim: str) -> ledger.ClaimEntry:
    own = {key: tuple(record.checks) for key, record in paper.recorder.records.items()}
    return ledger.build(paper.inventory, [DerivationResult("derivations/toy/all.py", own)], Project.find())[claim]


class TestGoldbach:
    def test_by_a_square_and_28_cases(self, paper):
        x = sp.Symbol("x", real=True)
        claim = paper.claim("GOLDBACH")
        claim.equal((x + 1) ** 2, x**2 + 2 * x + 1)
        found = entry(paper, "GOLDBACH")
        assert (found["basis"], found["bound"], found["closed"]) == ("argued", "prose", False)
        claim.instances(
            range(4, 60, 2), lambda n: any(sp.isprime(p) and sp.isprime(n - p) for p in range(2, n)), what="even numbers",
            wrong={"twice a prime": lambda n: sp.isprime(n // 2)},
        )
        assert entry(paper, "GOLDBACH")["basis"] == "instances"

    def test_by_words_by_definition_and_by_one_is_one(self, paper):
        paper.claim("GOLDBACH").textual(version="1", place="a letter", words="every even number")
        assert entry(paper, "GOLDBACH")["basis"] == "argued"
        x = sp.Symbol("x", real=True)
        paper.recorder.records.clear()
        paper.claim("GOLDBACH").equal(x, x)
        found = entry(paper, "GOLDBACH")
        assert (found["verdict"], found["basis"]) == ("unchecked", "none")


class TestRefuting:
    def test_every_hypothesis_of_the_inventory_is_evaluated_at_the_witness(self, paper):
        x, y = paper.symbols("x y")
        claim = paper.claim("STATED")
        with pytest.raises(CheckFailed, match="no value for y"):
            claim.refute(x**2 > x, witness={x: HALF})
        with pytest.raises(CheckFailed, match="does not certainly meet"):
            claim.refute(x**2 > x, witness={x: HALF, y: HALF})
        with pytest.raises(CheckFailed, match="does not certainly meet"):
            claim.refute_as_stated({"x": HALF, "y": 7}, instance="A short length.")
        claim.refute(x**2 > x, witness={x: HALF, y: sp.Integer(1)}, instance="A short length.")
        paper.claim("STATED-corrected").as_stated()
        (check,) = entry(paper, "STATED")["checks"]
        assert check["hypotheses"] == 4  # two of the inventory, two domains
        assert check["instance"] == "A short length."
        assert check["witness"]["asserted"] == "x**2 > x"
        assert entry(paper, "STATED")["basis"] == "argued"  # the relation was typed here

    def test_the_statement_of_the_inventory_is_refuted(self, paper):
        paper.claim("STATED").refute_as_stated({"x": HALF, "y": 1}, instance="A short length.")
        paper.claim("STATED-corrected").as_stated()
        found = entry(paper, "STATED")
        assert (found["verdict"], found["basis"], found["closed"], found["waits_for"]) == ("false", "refuted", True, [])


class TestMisprint:
    def test_what_shows_the_print_wrong_does_not_support_the_correction(self, paper):
        x = sp.Symbol("x", positive=True)
        paper.claim("SLIP").misprint(x**2, printed=x, corrected=x**2, witness={x: 2}, instance="A side of 2.")
        found = entry(paper, "SLIP")
        assert (found["verdict"], found["basis"]) == ("misprint", "none")

    def test_all_slips_and_no_machine_form_where_people_read(self, paper):
        x = sp.Symbol("x", positive=True)
        claim = paper.claim("SLIP")
        claim.misprint((x + 1) ** 2, printed=x**2 + 1, corrected=x**2 + 2 * x + 1, witness={x: 2}, instance="A side of 3.")
        claim.textual(version="1", place="(2)", words="i", should_be="j")
        found = entry(paper, "SLIP")
        assert found["basis"] == "argued"
        assert [(s["printed"], s["corrected"]) for s in found["slips"]] == [("x^{2} + 1", "x^{2} + 2 x + 1"), ("i", "j")]
        assert found["slips"][0]["witness"]["asserted"] == "(x + 1)**2 == x**2 + 1"


def test_a_simulation_needs_to_be_called_a_second_line(paper):
    x = sp.Symbol("x", real=True)
    claim = paper.claim("SLIP")
    claim.equal((x + 1) ** 2, x**2 + 2 * x + 1)

    def simulate(second_line: bool) -> None:
        claim.simulated(lambda rng, n: rng.random(n) + 1, 1.5, seed=1, runs=400_000, what="mean", second_line=second_line)

    simulate(second_line=True)
    assert entry(paper, "SLIP")["basis"] == "argued"
    simulate(second_line=False)
    assert entry(paper, "SLIP")["basis"] == "instances"
