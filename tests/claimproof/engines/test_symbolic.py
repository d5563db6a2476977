"""Identities: proved by a named strategy, or not at all."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy.codegen.cfunctions import log1p

from claimproof.core.evidence import CheckFailed, Kind
from claimproof.engines import symbolic
from crawlproof.kernels.symbolic import phi1, psi

x, y = sp.symbols("x y", positive=True)
n, k = sp.symbols("n k", integer=True, positive=True)


@pytest.mark.parametrize(
    ("lhs", "rhs", "strategies"),
    [
        ((x + 1) ** 2, x**2 + 2 * x + 1, {"expand"}),
        (1 / x - 1 / (x + 1), 1 / (x * (x + 1)), {"together"}),
        (x ** (n + 1), x * x**n, {"identical", "expand", "exp"}),
        (sp.sinh(x), (sp.exp(x) - sp.exp(-x)) / 2, {"exp"}),
        (sp.log(x**2 * y), 2 * sp.log(x) + sp.log(y), {"expand", "log"}),
        (sp.sqrt(3 + 2 * sp.sqrt(2)), 1 + sp.sqrt(2), {"radicals", "expand", "together"}),
        (psi(x) / x, 1 - phi1(x), {"expand", "together"}),
        (sp.log((1 + x) ** 2), 2 * log1p(x), {"expand", "log"}),
        (sp.Integral(sp.exp(-y), (y, 0, x)), 1 - sp.exp(-x), {"evaluated", "expand"}),
        (sp.Sum(k, (k, 1, n)), n * (n + 1) / 2, {"expand"}),
        (sp.binomial(n + 1, 2), sp.binomial(n, 2) + n, {"gamma", "simplify", "expand", "cancel", "together"}),
    ],
)
def test_true_identities(lhs, rhs, strategies):
    found, strategy = symbolic.equal(lhs, rhs)
    assert found.kind is Kind.SYMBOLIC
    assert strategy in strategies
    assert strategy in found.detail


def test_a_vanishing_exponential_polynomial_by_its_taylor_coefficients():
    f = sp.exp(sp.sqrt(5) * x) * (x + 1) - sp.exp(x * sp.sqrt(5)) * x - sp.exp(sp.sqrt(5) * x)
    assert symbolic._by_series(f)
    assert not symbolic._by_series(f + x**3 * sp.exp(x) / 10**9)


@pytest.mark.parametrize(
    ("lhs", "rhs"),
    [
        (sp.sin(x), x),
        ((x + 1) ** 2, x**2 + 1),
        (sp.atan(x) + sp.atan(1 / x), sp.pi / 3),
        (sp.sqrt(x**2 + 1), x + 1),
        (sp.exp(x), 1 + x + x**2 / 2 + x**3 / 6),
        (sp.log(x), log1p(x)),
    ],
)
def test_false_identities_are_never_proved(lhs, rhs):
    with pytest.raises(CheckFailed, match="no strategy"):
        symbolic.equal(lhs, rhs)


def test_a_symbol_must_say_what_it_stands_for():
    z = sp.Symbol("z")
    with pytest.raises(symbolic.UndeclaredAssumptions, match="symbol z"):
        symbolic.equal(z, z + 0)


def test_assumptions_decide():
    real, positive = sp.Symbol("r", real=True), sp.Symbol("p", positive=True)
    symbolic.equal(sp.sqrt(positive**2), positive)
    with pytest.raises(CheckFailed):
        symbolic.equal(sp.sqrt(real**2), real)


def test_zero_slope_and_one_point_prove_nothing():
    real = sp.Symbol("r", real=True)
    for symbol in (real, sp.Symbol("m", negative=True), x):
        with pytest.raises(CheckFailed, match="no strategy"):
            symbolic.equal(sp.atan(symbol) + sp.atan(1 / symbol), sp.pi / 2)


def test_one_tree_is_marked():
    assert symbolic.equal(x + y, y + x)[0].data == {"strategy": "identical", "vacuous": True}
    assert symbolic.equal(sp.Derivative(x**2, x), 2 * x)[0].data == {"strategy": "evaluated"}


def test_limits():
    assert symbolic.limits(psi(x) / x**2, x, sp.Integer(0), "+") == [sp.Rational(1, 2)]
    assert symbolic.limits(sp.sign(sp.Symbol("r", real=True)), sp.Symbol("r", real=True), sp.Integer(0), "+-") == [1, -1]
    assert symbolic.limits(1 / x, x, sp.oo, "") == [0]
    for function, sides in ((sp.sin(x), ""), (x, "")):
        with pytest.raises(CheckFailed, match="no finite limit"):
            symbolic.limits(function, x, sp.oo, sides)


def test_the_sides_of_a_point():
    real = sp.Symbol("r", real=True)
    assert symbolic.sides_of(real, sp.Integer(0), None) == "+-"
    assert symbolic.sides_of(x, sp.Integer(0), None) == "+"
    assert symbolic.sides_of(x, sp.Integer(1), None, [x < 1]) == "-"
    assert symbolic.sides_of(x, y, None) == "+-"
    assert symbolic.sides_of(n, sp.oo, None) == ""
    assert symbolic.sides_of(real, sp.Integer(0), "-") == "-"


def test_series_coefficients():
    assert symbolic.coefficients(psi(x), x, sp.Integer(0), 4) == [0, 0, sp.Rational(1, 2), sp.Rational(-1, 6)]
    real = sp.Symbol("r", real=True)
    assert symbolic.coefficients(sp.Abs(real), real, sp.Integer(0), 3, "-") == [0, -1, 0]
    with pytest.raises(CheckFailed, match="order 1 at least"):
        symbolic.coefficients(psi(x), x, sp.Integer(0), 0)
    with pytest.raises(CheckFailed, match="other terms"):
        symbolic.coefficients(1 / x, x, sp.Integer(0), 2)
