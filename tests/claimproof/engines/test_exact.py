"""Exact arithmetic: equality, enumeration, refutation and stationary vectors, and what each of them rejects."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import fmpq, fmpq_mat
from sympy import log, sqrt

from claimproof.core.evidence import CheckFailed, Kind
from claimproof.engines.exact import Q5, FloatInExact, equal, every, refutes, stationary

phi = sp.GoldenRatio
golden = Q5(fmpq(1, 2), fmpq(1, 2))
x = sp.Symbol("x")
h = sp.Symbol("h", positive=True)
n = sp.Symbol("n", integer=True, positive=True)


class TestQ5:
    def test_field_operations_agree_with_sympy(self):
        a, b = Q5(fmpq(2, 3), fmpq(-1, 7)), Q5(fmpq(-5), fmpq(9, 4))
        for ours, theirs in [
            (a + b, a.to_sympy() + b.to_sympy()),
            (a - b, a.to_sympy() - b.to_sympy()),
            (a * b, a.to_sympy() * b.to_sympy()),
            (a / b, a.to_sympy() / b.to_sympy()),
            (a**-3, a.to_sympy() ** -3),
        ]:
            assert ours == Q5.of(theirs)
        assert 1 / golden == golden - 1
        assert 1 - golden == -(golden - 1)

    def test_order_is_exact(self):
        # Ratios of Fibonacci numbers lie alternately on both sides of the golden ratio.
        fibonacci = [int(sp.fibonacci(k)) for k in range(2, 200)]
        for k, (low, high) in enumerate(itertools.pairwise(fibonacci)):
            assert (golden > Q5(fmpq(high, low))) == (k % 2 == 1) or high == low
        assert Q5(fmpq(1)) < golden <= golden < 2
        assert abs(-golden) == golden

    def test_signs_and_floor(self):
        assert [Q5(fmpq(a), fmpq(b)).sign() for a, b in [(0, 0), (-2, 1), (-3, 1), (2, -1), (3, -1)]] == [0, 1, -1, -1, 1]
        assert [(golden * k).floor() for k in range(6)] == [0, 1, 3, 4, 6, 8]
        assert (-golden).floor() == -2
        assert [Q5(fmpq(7, 2)).floor(), Q5(fmpq(-7, 2)).floor(), Q5(fmpq(3)).floor()] == [3, -4, 3]
        huge = golden * 10**400 / 3
        assert huge.floor() <= huge < huge.floor() + 1

    def test_what_is_not_in_the_field(self):
        for value in (sp.sqrt(2), sp.pi, "1"):
            with pytest.raises(TypeError):
                Q5.of(value)
        assert golden != sp.sqrt(2)
        with pytest.raises(ZeroDivisionError):
            golden / 0


class TestEqual:
    @pytest.mark.parametrize(
        ("lhs", "rhs", "field"),
        [
            (Fraction(1, 3), fmpq(2, 6), "Q"),
            (phi**2, phi + 1, "Q(sqrt 5)"),
            (golden**12, (sp.lucas(12) + sp.fibonacci(12) * sp.sqrt(5)) / 2, "Q(sqrt 5)"),
            (sp.sqrt(2 + sp.sqrt(3)), (sp.sqrt(6) + sp.sqrt(2)) / 2, "algebraic numbers"),
            (fmpq_mat([[1, 2], [3, 4]]), sp.Matrix([[1, 2], [3, 4]]), "Q"),
            ([1, fmpq(1, 2)], (1, sp.Rational(1, 2)), "Q"),
        ],
    )
    def test_true_equalities(self, lhs, rhs, field):
        found = equal(lhs, rhs)
        assert found.kind is Kind.EXACT
        assert found.data["field"] == field

    @pytest.mark.parametrize(
        ("lhs", "rhs"),
        [
            (1, 2),
            (phi**2, phi + sp.Rational(10**20 + 1, 10**20)),
            (sp.sqrt(2 + sp.sqrt(3)), (sp.sqrt(6) - sp.sqrt(2)) / 2),
            ([1, 2], [1, 3]),
            ([1, 2], [1, 2, 3]),
            ([], []),
            (sp.pi, sp.Rational(22, 7)),
            (sp.log(2) * sp.pi, sp.Rational(217758609030, 10**11)),
        ],
    )
    def test_false_or_empty_ones_fail(self, lhs, rhs):
        with pytest.raises(CheckFailed):
            equal(lhs, rhs)

    def test_the_failing_entry_is_named(self):
        with pytest.raises(CheckFailed, match="entry 1"):
            equal([1, 2], [1, 3])

    @pytest.mark.parametrize("value", [0.5, sp.Float("0.5"), np.float64(0.5), sp.sqrt(2) * 0.5])
    def test_floats_are_refused(self, value):
        with pytest.raises(FloatInExact, match="0"):
            equal(value, Fraction(1, 2))

    def test_open_expressions_are_refused(self):
        with pytest.raises(TypeError, match="closed"):
            equal(x, x)


class TestEvery:
    def test_counts_cases(self):
        assert every(range(1, 8), lambda k: k > 0, "numbers").data == {"cases": 7, "what": "numbers"}
        assert every([2], lambda k: np.bool_(True), "numpy truth").data["cases"] == 1

    def test_names_the_failing_case(self):
        with pytest.raises(CheckFailed, match="fails for 3, after 2 cases"):
            every(range(1, 8), lambda k: k < 3, "small numbers")

    def test_no_cases_is_vacuous(self):
        with pytest.raises(CheckFailed, match="vacuous"):
            every([], lambda k: True, "nothing")

    @pytest.mark.parametrize("answer", [None, 1, "yes", [True]])
    def test_an_answer_must_be_a_truth_value(self, answer):
        with pytest.raises(TypeError, match="truth value"):
            every([1], lambda k: answer, "answers")


class TestRefutes:
    def test_exactly_by_rationals(self):
        found = refutes(x**2 <= x, {x: Fraction(3, 2)}, [x > 1])
        assert found.evidence.kind is Kind.EXACT
        assert (found.left, found.right, found.witness) == ("9/4 = 2.25", "3/2 = 1.5", {"x": "3/2"})

    def test_by_balls_with_digits_that_tell_the_sides_apart(self):
        found = refutes(sp.exp(-h) <= 1 - h, {h: sp.Rational(1, 10**9)}, [h < 1])
        assert found.evidence.kind is Kind.ENCLOSED
        assert found.left == "exp(-1/1000000000) ~ 0.999999999000000000500000"
        assert found.right == "999999999/1000000000 = 0.999999999"

    def test_equality_and_strictness(self):
        assert refutes(sp.Eq(x**2, x), {x: 2}).left == "4"
        assert refutes(sp.Lt(sp.sqrt(x), x), {x: 1}).left == "1"
        assert refutes(sp.Ne(x * phi, x + x / phi), {x: 3}).evidence.kind is Kind.EXACT

    @pytest.mark.parametrize("relation", [x**2 >= x, x**2 > x, sp.Ne(x**2, x)])
    def test_a_true_relation_is_not_refuted(self, relation):
        with pytest.raises(CheckFailed, match="not refuted"):
            refutes(relation, {x: 2})

    def test_hypotheses_must_hold_at_the_witness(self):
        with pytest.raises(CheckFailed, match="does not certainly meet"):
            refutes(x**2 <= x, {x: 2}, [x < 2])
        with pytest.raises(CheckFailed, match="does not certainly meet"):
            refutes(x**2 <= x, {x: 2}, [sp.And(x > 0, x < 1)])

    @pytest.mark.parametrize(("symbol", "value"), [(h, -1), (n, sp.Rational(1, 2)), (n, 0)])
    def test_a_witness_must_respect_its_symbol(self, symbol, value):
        with pytest.raises(CheckFailed, match="contradicts"):
            refutes(sp.Gt(symbol, 10), {symbol: value})

    def test_a_missing_value_is_named(self):
        with pytest.raises(CheckFailed, match="no value for h"):
            refutes(x > h, {x: 1})

    @pytest.mark.parametrize("side", [1 / (x - 1), log(x - 1), sp.zeta(x + 2), sqrt(x - 2)])
    def test_what_has_no_real_value_is_undecided(self, side):
        with pytest.raises(CheckFailed, match="undecided"):
            refutes(side > 100, {x: 1})

    def test_floats_are_refused(self):
        with pytest.raises(FloatInExact):
            refutes(x > 1, {x: 0.5})
        with pytest.raises(FloatInExact):
            refutes(x > 1.5, {x: 1})

    def test_constants_have_no_sides(self):
        with pytest.raises(CheckFailed, match="True"):
            refutes(sp.true, {})
        with pytest.raises(TypeError, match="evaluate=False"):
            refutes(sp.false, {})


class TestStationary:
    def test_generator_and_stochastic_matrix(self):
        assert stationary([[-1, 1], [2, -2]]) == [fmpq(2, 3), fmpq(1, 3)]
        assert stationary(sp.Matrix([[sp.Rational(1, 2), sp.Rational(1, 2)], [1, 0]])) == [fmpq(2, 3), fmpq(1, 3)]
        assert stationary([[0]]) == stationary([[1]]) == [1]

    def test_birth_and_death(self):
        size = 6
        rows = [[0] * size for _ in range(size)]
        for i in range(size - 1):
            rows[i][i + 1], rows[i + 1][i] = 2, 3
        for i in range(size):
            rows[i][i] = -sum(rows[i])
        pi = stationary(rows)
        assert sum(pi) == 1
        assert all(b / a == fmpq(2, 3) for a, b in itertools.pairwise(pi))

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ([[-1, 1], [2, -1]], "row 1 sums to 1"),
            ([[fmpq(1, 2), fmpq(1, 3)], [1, 0]], "row 0 sums to 5/6"),
            ([[1, -1], [2, -2]], "row 0 has the negative off-diagonal entry -1"),
            ([[-1, 1], [0, 0]], "reducible: state 0 can't be reached from state 1"),
            ([[0, 0], [1, -1]], "reducible: state 1 can't be reached from state 0"),
            ([[1, 0]], "square"),
        ],
    )
    def test_clear_errors(self, rows, message):
        with pytest.raises(ValueError, match=message):
            stationary(rows)
