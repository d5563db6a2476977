"""Mutants: different from the statement, of every kind, and all rejected by a check that deserves the name."""

from __future__ import annotations

import pytest
import sympy as sp

from claimproof.core.evidence import CheckFailed
from claimproof.engines import mutants
from claimproof.engines.sampler import Sampler

x, y = sp.symbols("x y", positive=True)
n = sp.Symbol("n", integer=True, positive=True)
POINTS = Sampler([n, x, y], seed=1).points(8)


def test_each_kind_is_represented():
    kinds = {m.kind for m in mutants.of_expression(3 * x**2 - n * y * sp.exp(-x), 16)}
    assert kinds == {"subtle", "sign", "factor", "exponent", "dropped term", "index", "swapped arguments", "constant"}


def test_mutants_are_different_from_each_other_and_from_the_statement():
    statement = 3 * x**n - y
    found = [m.expression for m in mutants.of_expression(statement)]
    assert len(found) == len(set(found))
    assert statement not in found


def test_a_mutant_that_equals_the_statement_is_recognised():
    assert not mutants.differs(x + y, y + x, POINTS)
    assert not mutants.differs(sp.sin(x) ** 2 + sp.cos(x) ** 2, sp.Integer(1), POINTS)
    assert mutants.differs(x + y, x - y, POINTS)


def test_mutants_of_an_inequality_are_false_somewhere():
    wrong = mutants.of_inequality(sp.Gt(sp.exp(x), 1 + x), POINTS)
    assert any("revers" in str(m) or "turned" in str(m) for m in wrong)
    for mutant in wrong:
        assert any(mutant.expression.subs(p) == sp.false for p in POINTS), str(mutant)


def test_survivors_are_named():
    pair = [mutants.Mutant("sign", "of x", -x), mutants.Mutant("factor", "2", 2 * x)]
    tally = mutants.trial(pair, lambda m: m == 2 * x)
    assert (tally.killed, tally.total, tally.survivors) == (1, 2, ("factor: 2",))

    def raising(mutant):
        raise CheckFailed("no")

    assert mutants.trial(pair, raising).survivors == ()


def test_an_error_that_is_no_verdict_is_not_taken_for_a_rejection():
    def broken(mutant):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        mutants.trial([mutants.Mutant("sign", "of x", -x)], broken)
