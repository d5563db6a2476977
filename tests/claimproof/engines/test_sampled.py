"""Evaluation at many digits, at points that meet the hypotheses."""

from __future__ import annotations

import pytest
import sympy as sp

from claimproof.core.evidence import CheckFailed, Kind
from claimproof.engines import sampled
from claimproof.engines.sampler import Sampler, VacuousHypotheses, decide, seed_of

x, y = sp.symbols("x y", positive=True)


def sampler(**rest) -> Sampler:
    return Sampler([x, y], seed=1, **rest)


def test_a_true_statement():
    found = sampled.equal((x + y) ** 2, x**2 + 2 * x * y + y**2, sampler())
    assert found.kind is Kind.SAMPLED
    assert found.data["true"] >= 64
    assert found.data["false"] == 0


def test_a_false_statement_is_shown_with_its_point():
    with pytest.raises(CheckFailed, match=r"false at x = .*, y = "):
        sampled.equal(x + y, x - y, sampler())


def test_an_error_in_the_fortieth_digit_is_not_overlooked():
    with pytest.raises(CheckFailed):
        sampled.equal(x, x * (1 + sp.Rational(1, 10**40)), sampler())


def test_where_all_digits_cancel_nothing_is_claimed():
    lost = ((1 + x * sp.Rational(1, 10**70)) - 1) * 10**70
    unevaluated = sp.Add(sp.Add(sp.exp(x * sp.Rational(1, 10**90)), -1), 0, evaluate=False)
    assert sampled.equal(lost, x, sampler())  # sympy sums rationals exactly
    with pytest.raises(CheckFailed, match="can't tell"):
        sampled.equal(unevaluated * 10**90, x, sampler())


def test_a_float_is_refused_by_name():
    with pytest.raises(CheckFailed, match=r"0\.1"):
        sampled.equal(x + 0.1, x + 0.1, sampler())


def test_every_point_meets_the_hypotheses_and_corners_come_first():
    where = [x < y, y < 3]
    points = sampler(where=where, corners=[{x: sp.Rational(1, 2), y: 1}]).points(20)
    assert points[0] == {x: sp.Rational(1, 2), y: 1}
    assert len(points) == 21
    assert all(decide(relation, point) for relation in where for point in points)


def test_equal_values_are_always_tried():
    assert any(p[x] == p[y] for p in sampler().points(10))


def test_the_same_seed_gives_the_same_points():
    assert sampler().points(5) == sampler().points(5)
    assert seed_of("CLW-L3.1") != seed_of("CLW-L3.1a")


def test_hypotheses_that_can_never_be_met_are_named():
    with pytest.raises(VacuousHypotheses, match="x < y, y < x"):
        sampler(where=[x < y, y < x]).points(5)


def test_a_corner_outside_the_hypotheses_is_named():
    with pytest.raises(CheckFailed, match="corner x = 5"):
        sampler(where=[x < 3], corners=[{x: 5}]).points(5)


def test_violations_of_inequalities():
    points = sampler().points(30)
    assert sampled.violation(sp.Gt(x + y, x, evaluate=False), points) is None
    assert sampled.violation(sp.Gt(x, y), points) is not None
