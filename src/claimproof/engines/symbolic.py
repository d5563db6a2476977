"""Exact identities: sympy's zero under declared assumptions, never a silent miss.

Every question is three-valued. A strategy either turns the difference of the two sides
into sympy's zero, which proves the identity, or it does not, which says nothing; only a
certified nonzero value refutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sympy as sp
from sympy.codegen.cfunctions import log1p

from claimproof.core.evidence import CheckFailed, Evidence, Kind
from claimproof.engines.sampler import domain_of

# Two sides that are one tree say X = X; where carrying out what is held makes them one tree, something was shown.
IDENTICAL = "identical"
EVALUATED = "evaluated"
_SIDES = {"+": "from above", "-": "from below", "+-": "from both sides"}


class UndeclaredAssumptions(CheckFailed):
    """A symbol without assumptions: zero would not be an identity of real numbers."""


def require_declared(*expressions: sp.Basic) -> None:
    """Every free symbol must say what it stands for (real, positive, integer, ...)."""
    for expression in expressions:
        for symbol in sorted(expression.free_symbols, key=str):
            if symbol.is_complex is None and symbol.is_extended_real is None and not isinstance(symbol, sp.Idx):
                raise UndeclaredAssumptions(
                    f"symbol {symbol} has no declared assumptions: declare it real, positive, integer, ..."
                )


def _unfold(expression: sp.Expr) -> sp.Expr:
    """Carry out what is held unevaluated and write kernels, log1p among them, by their definitions."""
    done = expression.doit().replace(log1p, lambda x: sp.log(1 + x))
    return done.replace(lambda e: hasattr(e, "kernel"), lambda e: e.rewrite(sp.exp))


def _expand(difference: sp.Expr) -> sp.Expr:
    return sp.expand(difference)


def _together(difference: sp.Expr) -> sp.Expr:
    numerator = sp.fraction(sp.together(difference))[0]
    return sp.expand(numerator)


def _exponentials(difference: sp.Expr) -> sp.Expr:
    """Powers of positive bases as exponentials, then one common denominator."""
    as_exp = difference.rewrite(sp.exp).replace(
        lambda e: e.is_Pow and not e.exp.is_number and e.base.is_positive,
        lambda e: sp.exp(sp.expand(e.exp * sp.log(e.base))),
    )
    numerator = sp.fraction(sp.together(sp.expand(as_exp)))[0]
    return sp.expand(sp.powsimp(sp.expand(numerator)))


def _logarithms(difference: sp.Expr) -> sp.Expr:
    return _together(sp.expand_log(difference))


def _radicals(difference: sp.Expr) -> sp.Expr:
    return sp.expand(sp.radsimp(sp.expand(sp.sqrtdenest(sp.together(difference)))))


def _cancel(difference: sp.Expr) -> sp.Expr:
    return sp.cancel(difference)


def _simplify(difference: sp.Expr) -> sp.Expr:
    return sp.simplify(difference)


def _gamma(difference: sp.Expr) -> sp.Expr:
    return sp.expand(sp.gammasimp(sp.combsimp(difference)))


_REWRITINGS: dict[str, Callable[[sp.Expr], sp.Expr]] = {
    "expand": _expand,
    "together": _together,
    "exp": _exponentials,
    "log": _logarithms,
    "radicals": _radicals,
    "cancel": _cancel,
}


def _by_rewriting(difference: sp.Expr) -> str | None:
    for name, rewrite in _REWRITINGS.items():
        if rewrite(difference) == 0:
            return name
    return None


def exponential_polynomial(expression: sp.Expr, variable: sp.Symbol) -> dict[sp.Expr, sp.Poly] | None:
    """``expression`` as the sum of p_a(x) exp(a x), as {a: p_a}; None if it is not of that form."""
    parts: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(sp.powsimp(sp.expand(expression)))):
        rate, rest = sp.Integer(0), []
        for factor in sp.Mul.make_args(term):
            if isinstance(factor, sp.exp) and factor.has(variable):
                slope = sp.expand(factor.args[0]).coeff(variable, 1)
                if slope.has(variable):
                    return None
                remainder = sp.expand(factor.args[0] - slope * variable)
                if remainder.has(variable):
                    return None
                rate += slope
                rest.append(sp.exp(remainder))
            else:
                rest.append(factor)
        rate = sp.nsimplify(sp.radsimp(rate)) if rate.is_rational else sp.radsimp(rate)
        parts[rate] = parts.get(rate, sp.Integer(0)) + sp.Mul(*rest)
    polynomials = {}
    for rate, part in parts.items():
        if not part.is_polynomial(variable):
            return None
        polynomials[rate] = sp.Poly(part, variable)
    return polynomials


def _by_series(difference: sp.Expr) -> bool:
    """An exponential polynomial solves a linear equation of known order n, so n vanishing
    Taylor coefficients at 0 make it vanish everywhere."""
    symbols = difference.free_symbols
    if len(symbols) != 1:
        return False
    (variable,) = symbols
    parts = exponential_polynomial(sp.fraction(sp.together(difference))[0], variable)
    if parts is None:
        return False
    order = sum(part.degree() + 1 for part in parts.values() if not part.is_zero)
    for n in range(order):
        # The n-th derivative at 0 of x^k exp(a x) is n!/(n-k)! a^(n-k).
        coefficient = sum(
            (c * sp.ff(n, k) * a ** (n - k)) if n >= k else 0
            for a, part in parts.items()
            for (k,), c in part.terms()
        )
        if _by_rewriting(sp.sympify(coefficient)) is None:
            return False
    return True


def strategy_for(lhs: sp.Expr, rhs: sp.Expr) -> str | None:
    """The first strategy that proves lhs = rhs, or None if none does (which refutes nothing)."""
    if lhs == rhs:
        return IDENTICAL
    difference = _unfold(lhs) - _unfold(rhs)
    if difference == 0:
        return EVALUATED
    if (name := _by_rewriting(difference)) is not None:
        return name
    if _by_series(difference):
        return "series"
    for name, rewrite in (("gamma", _gamma), ("simplify", _simplify)):
        if rewrite(difference) == 0:
            return name
    return None


def still_proves(strategy: str, lhs: sp.Expr, rhs: sp.Expr) -> bool:
    """Whether one named strategy proves lhs = rhs: how mutants meet the same check."""
    difference = _unfold(lhs) - _unfold(rhs)
    if difference == 0:
        return True
    if strategy == "series":
        return _by_series(difference)
    rewriting = {**_REWRITINGS, "gamma": _gamma, "simplify": _simplify, IDENTICAL: _expand, EVALUATED: _expand}[strategy]
    return rewriting(difference) == 0


def equal(lhs: sp.Expr, rhs: sp.Expr, where: Iterable[sp.Basic] = ()) -> tuple[Evidence, str]:
    """Prove lhs = rhs; the evidence names the strategy, and says when the two sides were one tree to begin with."""
    require_declared(sp.sympify(lhs), sp.sympify(rhs), *where)
    strategy = strategy_for(sp.sympify(lhs), sp.sympify(rhs))
    if strategy is None:
        raise CheckFailed(f"no strategy turns the difference into zero: {lhs} against {rhs}")
    return Evidence(Kind.SYMBOLIC, f"symbolic ({strategy})", _data(strategy)), strategy


def _data(strategy: str, vacuous: bool | None = None) -> dict[str, Any]:
    vacuous = strategy == IDENTICAL if vacuous is None else vacuous
    return {"strategy": strategy} | ({"vacuous": True} if vacuous else {})


def not_evaluated(evidence: Evidence) -> Evidence:
    """The same evidence, saying that no second, numerical witness was found."""
    return Evidence(
        evidence.kind, f"{evidence.detail}, not evaluated numerically", {**evidence.data, "numeric": "not evaluated"}
    )


def sides_of(variable: sp.Symbol, point: sp.Expr, direction: str | None, where: Sequence[sp.Basic] = ()) -> str:
    """From where a point is approached: ``direction`` if given, else every side that the variable's domain has.

    "+", "-" or "+-" for a finite point, "" for an infinite one.
    """
    if direction not in (None, "+", "-", "+-"):
        raise CheckFailed(f"a direction is '+', '-' or '+-', not {direction!r}")
    if variable.is_integer:
        low, high = -sp.oo if not variable.is_nonnegative else sp.Integer(0), sp.oo if not variable.is_nonpositive else sp.Integer(0)
    else:
        low, high = domain_of(variable, where)
    if point in (sp.oo, -sp.oo):
        if direction is not None:
            raise CheckFailed(f"{variable} -> {point} has one side only: no direction can be given")
        if point not in (low, high):
            raise CheckFailed(f"{variable} -> {point} leaves the domain ({low}, {high})")
        return ""
    if variable.is_integer:
        raise CheckFailed(f"the integer {variable} can't approach {point}")
    inner = "+-"
    for end, side in ((low, "+"), (high, "-")):
        if (beyond := sp.sympify(point - end)) == 0:
            inner = side
        elif (beyond.is_negative if side == "+" else beyond.is_positive):
            raise CheckFailed(f"{variable} -> {point} lies outside of the domain ({low}, {high})")
    if direction is None:
        return inner
    if set(direction) - set(inner):
        raise CheckFailed(f"{variable} -> {point}{direction} leaves the domain ({low}, {high})")
    return direction


def limits(expression: sp.Expr, variable: sp.Symbol, point: sp.Expr, sides: str) -> list[sp.Expr]:
    """The limit from each side as sympy finds it, unfolded; raises when sympy leaves one unevaluated."""
    require_declared(expression)
    unfolded = _unfold(expression)
    found = [sp.limit(unfolded, variable, point, dir=side) for side in sides] or [sp.limit(unfolded, variable, point)]
    for value in found:
        if value.has(sp.Limit, sp.AccumBounds, sp.nan, sp.zoo, sp.oo):
            raise CheckFailed(f"sympy finds no finite limit of {expression} at {variable} = {point}: {value}")
    return found


def coefficients(
    expression: sp.Expr, variable: sp.Symbol, point: sp.Expr, order: int, side: str = "+"
) -> list[sp.Expr]:
    """Taylor coefficients below ``order`` at ``point``, from one side of it."""
    require_declared(expression)
    if order < 1:
        raise CheckFailed(f"a series to order {order} says nothing: it needs order 1 at least")
    sign = 1 if side == "+" else -1
    shift = sp.Dummy("t", positive=True)
    moved = _unfold(expression).subs(variable, point + sign * shift)
    expansion = sp.series(moved, shift, 0, order).removeO()
    polynomial = sp.expand(expansion)
    found = [polynomial.coeff(shift, n) for n in range(order)]
    rest = sp.expand(polynomial - sum((c * shift**n for n, c in enumerate(found)), sp.Integer(0)))
    if rest != 0:
        raise CheckFailed(f"the expansion of {expression} at {variable} = {point} has other terms: {rest}")
    return [sign**n * c for n, c in enumerate(found)]


def limit_evidence(strategies: Sequence[str], sides: str, vacuous: bool = False) -> Evidence:
    """Evidence for a limit whose value was proved equal, from each side, by ``strategies``."""
    used = ", ".join(sorted(set(strategies)))
    where = f"limit {_SIDES[sides]}" if sides else "limit"
    data = _data(used, vacuous) | {"sides": sides or "infinite"}
    return Evidence(Kind.SYMBOLIC, f"symbolic ({where}, {used})", data)


def series_evidence(order: int, strategies: Sequence[str], sides: str, vacuous: bool = False) -> Evidence:
    """Evidence for series coefficients that were all proved equal."""
    data = {"strategies": sorted(set(strategies)), "sides": sides} | ({"vacuous": True} if vacuous else {})
    return Evidence(Kind.SYMBOLIC, f"symbolic (series to order {order} {_SIDES[sides]})", data)
