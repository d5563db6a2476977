"""Printing to balls: exact all the way, floats refused, enclosures that contain the truth."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from flint import arb, ctx, fmpq

from claimproof.engines.balls import FloatInBall, NoBallForm, ball, ball_function, interval, is_zero, sign_of
from crawlproof.kernels.symbolic import psi

x, y = sp.symbols("x y")


def test_rationals_stay_exact():
    with ctx.workprec(256):
        third = ball_function([x], x / 3)(1)
        assert (3 * third).contains(1)
        assert third.rad() < arb(10) ** -70
    assert "fmpq(1, 3)" in ball_function([x], x / 3).source


def test_a_quotient_that_was_held_back_does_not_become_a_float():
    held = sp.Mul(1, sp.Pow(3, -1, evaluate=False), evaluate=False)
    with ctx.workprec(256):
        assert (3 * ball(held, 256)).contains(1)
        assert ball(held, 256).rad() < arb(10) ** -60


@pytest.mark.parametrize(
    "expr",
    [
        sp.exp(-x) + sp.pi * sp.sqrt(x),
        x ** sp.Rational(-2, 3) + sp.E**2,
        x**x + sp.log(x, 3),
        sp.LambertW(x) + sp.LambertW(-x / 10) + sp.LambertW(-x / 10, -1),
        sp.sinh(x) * sp.cosh(x) - sp.tanh(x),
        sp.Abs(-x) + sp.Max(x, 1) - sp.Min(x, 2),
        sp.erf(x) + sp.gamma(x) + sp.loggamma(x + 2),
        sp.GoldenRatio**x + sp.EulerGamma,
        sp.CRootOf(x**5 - x - 1, 0) + 1,
    ],
)
@pytest.mark.parametrize("value", [sp.Rational(1, 7), sp.Rational(5, 4)])
def test_balls_contain_what_mpmath_finds(expr, value):
    with ctx.workprec(200):
        found = ball_function([x], expr)(value)
        assert found.is_finite()
        with mpmath.workdps(40):
            reference = mpmath.mpf(str(sp.N(expr.subs(x, value), 40)))
        assert abs(float(found.mid()) - float(reference)) <= 1e-15 * max(1, abs(float(reference)))
        assert found.rad() < arb(10) ** -45


def test_a_wide_ball_contains_every_value():
    f = ball_function([x], x**3 - x**2 / 7 + x**-2)
    box = interval(fmpq(1, 2), fmpq(3, 2))
    whole = f(box)
    assert all(whole.contains(f(fmpq(k, 20))) for k in range(10, 31))


def test_even_powers_of_a_ball_around_zero_are_not_negative():
    square = ball_function([x], x**2)(interval(fmpq(-1), fmpq(1)))
    assert square >= 0
    assert square.contains(1)
    assert square.contains(0)


def test_a_ball_that_ends_at_zero_stays_in_the_domain_of_sqrt():
    assert ball_function([x], sp.sqrt(x))(interval(fmpq(0), fmpq(1))).contains(fmpq(1, 2))


def test_outside_the_domain_nothing_is_claimed():
    f = ball_function([x], [sp.log(x), sp.sqrt(x), sp.cbrt(x), 1 / x, x**y.subs(y, sp.pi)])
    assert not any(v.is_finite() for v in f(interval(fmpq(-1), fmpq(1))))
    assert not ball_function([x], sp.cbrt(x))(-8).is_finite()  # the principal root is complex


@pytest.mark.parametrize("expr", [sp.Float("0.5") * x, x + 0.1, sp.exp(x * 0.3), sp.Max(x, sp.Float(2))])
def test_a_float_in_the_expression_is_refused_by_name(expr):
    with pytest.raises(FloatInBall, match=r"0\.5|0\.1|0\.3|2\.0"):
        ball_function([x], expr)


@pytest.mark.parametrize("value", [0.5, sp.Float("0.5")])
def test_a_float_argument_is_refused_by_name(value):
    with pytest.raises(FloatInBall, match=r"0\.5"):
        ball_function([x], x + 1)(value)


def test_exact_arguments_are_accepted():
    f = ball_function([x], 2 * x)
    for value in (1, fmpq(1), Fraction(1), sp.Integer(1), arb(1), sp.cos(0)):
        assert f(value) == 2
    with pytest.raises(TypeError):
        f(1, 2)


def test_what_has_no_ball_form_is_named():
    with pytest.raises(NoBallForm, match="zeta"):
        ball_function([x], sp.zeta(x))
    with pytest.raises(NoBallForm, match="y"):
        ball_function([x], x + y)
    with pytest.raises(NoBallForm, match="Derivative"):
        ball_function([x], sp.Derivative(sp.Function("f")(x), x))


def test_kernels_print_as_calls_into_the_ball_kernels():
    f = ball_function([x], psi(x) / 2)
    assert "kernels.psi(" in f.source
    with ctx.workprec(128):
        assert f(1).overlaps(ball(sp.exp(-1) / 2))


@pytest.mark.parametrize(
    ("expr", "sign"),
    [
        (sp.Rational(-1, 3), -1),
        (sp.exp(sp.pi * sp.sqrt(163)) - 262537412640768744, -1),  # close to 0: 7.5e-13
        (sp.sqrt(2) + sp.sqrt(3) - sp.sqrt(5 + 2 * sp.sqrt(6)), 0),
        (sp.GoldenRatio**2 - sp.GoldenRatio - 1, 0),
        (sp.pi - sp.Rational(22, 7), -1),
        (sp.oo, 1),
    ],
)
def test_signs_of_closed_numbers(expr, sign):
    assert sign_of(expr) == sign


def test_an_undecided_sign_is_none():
    # exp(-10**5) vanishes next to 1 below some 144000 bits.
    tiny = sp.log(1 + sp.exp(-(10**5))) - sp.exp(-(10**5))
    assert sign_of(tiny, max_precision=1024) is None
    assert is_zero(sp.Integer(0))
    assert is_zero(sp.sqrt(8) - 2 * sp.sqrt(2))
    with pytest.raises(TypeError, match="x"):
        sign_of(x + 1)
