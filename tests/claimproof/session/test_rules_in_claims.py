"""A rule's conclusion settles a claim only if the inventory says in machine form that this is what it states."""

from __future__ import annotations

import pytest
import sympy as sp

from claimproof.core import inventory
from claimproof.core.evidence import CheckFailed
from claimproof.core.inventory import InventoryError
from claimproof.core.ledger import DerivationResult, build
from claimproof.core.project import Project
from claimproof.core.verdict import Check, Role, Scope
from claimproof.engines.free_algebra import Relation, block, size, zero
from claimproof.session.paper import Paper
from claimproof.session.rules import expected, induction, jensen, summed

INVENTORY = r'''
[paper]
key = "toy"
title = "A toy"
authors = ["A. Author"]
versions = { "1997" = "report" }

[[claim]]
id = "GEOMETRIC"
place = "1"
section = "1"
versions = ["1997"]
formula = "Eq(1 - h**n, (1 - h)*Sum(h**k, (k, 0, n - 1)))"

[[claim]]
id = "GEOMETRIC-FALSE"
place = "1"
section = "1"
versions = ["1997"]
formula = "Eq(1 - h**n, (1 - h)*Sum(h**k, (k, 0, n)))"

[[claim]]
id = "NARROW"
place = "1"
section = "1"
versions = ["1997"]
formula = "exp(-x) > 1 - x"

[[claim]]
id = "LAWS"
place = "2"
section = "1"
versions = ["1997"]
statement = "The mean exceeds the value at the mean."
concludes = ["Mean(exp(-x), x) >= exp(-Mean(x, x)) for every law of x where Mean(x, x) < oo [x positive]"]

[[claim]]
id = "BLOCKS"
place = "3"
section = "1"
versions = ["1997"]
statement = "What flows in flows out."
concludes = ["B A e + B B e = 0 for blocks of every size if A e = -B e"]

[[claim]]
id = "GOLDBACH"
place = "4"
section = "1"
versions = ["1997"]
statement = "Every even number from 4 on is the sum of two primes."
'''
SYMBOLS = r'''
[symbol.h]
latex = "h"
domain = "positive"
meaning = "a ratio"

[symbol.x]
latex = "x"
domain = "positive"
meaning = "a length"

[symbol.n]
latex = "n"
domain = "positive integer"
meaning = "a number"

[symbol.k]
latex = "k"
domain = "integer"
meaning = "an index"
'''
size_n = size("n")
A, B, e = block("A", size_n, size_n), block("B", size_n, size_n), block("e", size_n, 1)
GENERATOR = Relation(A * e, -(B * e), A)


def project(folder, text=INVENTORY):
    paper = folder / "derivations" / "toy"
    paper.mkdir(parents=True, exist_ok=True)
    (paper / "claims.toml").write_text(text, encoding="utf-8")
    (paper / "symbols.toml").write_text(SYMBOLS, encoding="utf-8")
    return Project(folder)


@pytest.fixture
def paper(tmp_path):
    return Paper("toy", project(tmp_path))


def entry(paper, claim_id, tmp_path):
    checks = {key: tuple(record.checks) for key, record in paper.recorder.records.items()}
    return build(paper.inventory, [DerivationResult("toy/one.py", checks)], Project(tmp_path))[claim_id]


def geometric(h, m, k):
    return sp.Eq(1 - h**m, (1 - h) * sp.Sum(h**k, (k, 0, m - 1)), evaluate=False)


def by_induction(paper, claim_id, **details):
    h, n, k = paper.symbols("h n k")
    claim = paper.claim(claim_id)
    base = claim.equal(1 - h, (1 - h) * sp.Sum(h**k, (k, 0, 0)))
    step = claim.implied(geometric(h, n + 1, k), geometric(h, n, k))
    return claim.by(induction, geometric(h, n, k), n, 1, base=base, step=step, **details)


def test_a_conclusion_that_is_the_formula_binds_the_claim(paper, tmp_path, capsys):
    by_induction(paper, "GEOMETRIC")
    found = entry(paper, "GEOMETRIC", tmp_path)
    assert (found["verdict"], found["basis"], found["bound"]) == ("holds", "derived", "bound")
    assert found["checks"][-1]["rule"] == "induction"
    assert "for every whole n >= 1" in found["checks"][-1]["formula"]
    assert found["checks"][-1]["because"].startswith("from 1 - h = ")
    assert "by induction" in capsys.readouterr().out


def test_a_conclusion_that_is_not_the_formula_is_refused(paper):
    with pytest.raises(CheckFailed, match="which is not"):
        by_induction(paper, "GEOMETRIC-FALSE")


def test_a_step_on_the_way_binds_nothing(paper, tmp_path):
    by_induction(paper, "GEOMETRIC-FALSE", as_step=True)
    found = entry(paper, "GEOMETRIC-FALSE", tmp_path)
    assert (found["basis"], found["bound"]) == ("argued", "prose")


def test_every_falsified_form_of_the_statement_is_told_apart(paper):
    proof = by_induction(paper, "GEOMETRIC")
    check = proof.paper.recorder.records["GEOMETRIC"].checks[-1]
    assert check.scope is Scope.STATEMENT
    assert check.killed == check.mutants > 24
    assert not check.survivors


def test_a_hypothesis_that_the_statement_lacks_is_noticed(paper):
    """e^(-x) > 1 - x proved for x < 2 only, as a sum of one term: the statement has no such bound."""
    (x,) = (paper.symbols("x"),)
    claim = paper.claim("GOLDBACH")
    narrow = claim.inequality(sp.Gt(sp.exp(-x), 1 - x, evaluate=False), on={x: (0, 2)}, zeros={x: [(0, 2)]})
    from claimproof.session.rules import case_split

    with pytest.raises(CheckFailed):
        paper.claim("NARROW").by(case_split, narrow, narrow)


def test_a_sentence_is_settled_by_the_conclusion_that_stands_beside_it(paper, tmp_path):
    x = paper.symbols("x")
    claim = paper.claim("LAWS")
    convex = claim.inequality(sp.Gt(sp.exp(-x), 0, evaluate=False), on={x: (0, sp.oo)})
    claim.by(jensen, convex, sp.exp(-x), x)
    found = entry(paper, "LAWS", tmp_path)
    assert (found["verdict"], found["basis"]) == ("holds", "derived")
    assert "`Mean(exp(-x), x) >= " in found["statement"]
    assert found["checks"][-1]["formula"] in found["statement"]


def test_free_algebra_settles_what_is_said_of_blocks(paper, tmp_path, capsys):
    paper.claim("BLOCKS").free_algebra(B * A * e + B * B * e, zero(size_n, 1), relations=[GENERATOR])
    found = entry(paper, "BLOCKS", tmp_path)
    assert (found["verdict"], found["basis"]) == ("holds", "derived")
    assert "blocks of every size" in capsys.readouterr().out
    with pytest.raises(CheckFailed, match="the rule concludes"):
        paper.claim("BLOCKS").free_algebra(A * e, -(B * e), relations=[GENERATOR])
    with pytest.raises(CheckFailed, match="false for blocks"):
        paper.claim("BLOCKS").free_algebra(A * B, B * A)


def test_goldbach_is_not_settled_by_a_rule(paper, tmp_path):
    """A sentence without a conclusion beside it: whatever a rule concludes, that it says so is for a reader to see."""
    paper.claim("GOLDBACH").free_algebra(B * A * e + B * B * e, zero(size_n, 1), relations=[GENERATOR])
    found = entry(paper, "GOLDBACH", tmp_path)
    assert found["basis"] == "argued"
    assert not found["closed"]


def test_conclusions_that_are_not_all_settle_nothing(paper, tmp_path):
    evidence = ({"kind": "symbolic", "detail": "symbolic"},)
    checks = (Check(Role.SUPPORT, evidence, scope=Scope.RULE, rule="jensen", part=(1, 2)),)
    built = build(paper.inventory, [DerivationResult("toy/one.py", {"LAWS": checks})], Project(tmp_path))
    assert built["LAWS"]["basis"] == "argued"
    both = (*checks, Check(Role.SUPPORT, evidence, scope=Scope.RULE, rule="jensen", part=(2, 2)))
    built = build(paper.inventory, [DerivationResult("toy/one.py", {"LAWS": both})], Project(tmp_path))
    assert built["LAWS"]["basis"] == "derived"
    argued = (*both, Check(Role.SUPPORT, ({"kind": "argued", "detail": "argued", "name": "a", "why": "b"},)))
    built = build(paper.inventory, [DerivationResult("toy/one.py", {"LAWS": argued})], Project(tmp_path))
    assert built["LAWS"]["basis"] == "argued"


def test_premises_of_other_claims_and_what_they_were_given_are_kept(paper):
    x, n = paper.symbols("x n")
    i = sp.Symbol("i", integer=True, positive=True)
    page = sp.Function("x", positive=True)(i)
    premise = paper.claim("GOLDBACH").inequality(
        sp.Gt(x - 1 + sp.exp(-x), 0, evaluate=False), on={x: (0, sp.oo)}, zeros={x: [(0, 2)]}, given="it rains")
    proof = paper.claim("NARROW").by(summed, premise, {x: page}, i, n, as_step=True)
    check = paper.recorder.records["NARROW"].checks[-1]
    assert check.using == ("GOLDBACH",)
    assert check.given == proof.given == "it rains"
    assert "(GOLDBACH)" in check.because


def test_only_rules_of_the_package_and_only_from_proofs(paper):
    claim = paper.claim("GOLDBACH")
    x = paper.symbols("x")
    proof = claim.equal((x + 1) ** 2, x**2 + 2 * x + 1)
    with pytest.raises(CheckFailed, match="is no rule"):
        claim.by(lambda premise: premise._finding, proof)
    with pytest.raises(CheckFailed, match="no premise is a proof"):
        claim.by(expected, proof._finding, x)
    argued = claim.argued("a step", "somebody has to read this one here")
    with pytest.raises(CheckFailed, match="no machine form"):
        claim.by(expected, argued, x)
    cases = claim.instances([1, 2], lambda c: c < 3, what="two cases", wrong={"less than 2": lambda c: c < 2})
    with pytest.raises(CheckFailed, match="no machine form"):
        claim.by(expected, cases, x)


def test_concludes_is_for_sentences(tmp_path):
    text = INVENTORY.replace('formula = "exp(-x) > 1 - x"', 'formula = "exp(-x) > 1 - x"\nconcludes = ["x"]')
    with pytest.raises(InventoryError, match="concludes"):
        inventory.load(project(tmp_path, text))


def test_what_an_engine_confirmed_as_stated_is_a_premise_like_any_other(paper):
    x, n = paper.symbols("x n")
    i = sp.Symbol("i", integer=True, positive=True)
    stated = paper.claim("NARROW").as_stated(zeros={"x": (0, 2)})
    found = paper.claim("GOLDBACH").by(summed, stated, {x: sp.Function("x", positive=True)(i)}, i, n)
    assert found.says.startswith("Sum(exp(-x(i)), (i, 1, n)) > Sum(1 - x(i), (i, 1, n)) for every n")
