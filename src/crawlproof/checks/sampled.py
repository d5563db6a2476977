"""Evaluation at 50 digits and more, three-valued, at exact points."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mpmath
import sympy as sp

from crawlproof.checks.sampler import Point, Sampler
from crawlproof.claims.evidence import CheckFailed, Evidence, Kind

DIGITS = 60
# Values are computed with DIGITS and with DIGITS + GUARD digits; where the two disagree
# beyond half of the digits, cancellation ate them and the point can't tell.
GUARD = 40
_ABSTRACT = (sp.Integral, sp.Sum, sp.Product, sp.Limit, sp.Derivative, sp.Subs, sp.core.function.AppliedUndef)


def can_evaluate(*expressions: sp.Expr) -> bool:
    """Whether all expressions are closed forms that mpmath can evaluate."""
    return not any(expression.has(*_ABSTRACT) for expression in expressions)


def _refuse_floats(expression: sp.Expr) -> None:
    if floats := expression.atoms(sp.Float):
        raise CheckFailed(f"a float in an exact statement: {sorted(map(str, floats))[0]} in {expression}")


def evaluator(expression: sp.Expr, symbols: Sequence[sp.Symbol]) -> Callable[[Point], mpmath.mpc]:
    """A function from exact points to mpmath numbers at the precision in force."""
    _refuse_floats(expression)
    exact = expression.replace(lambda e: hasattr(e, "kernel"), lambda e: e.rewrite(sp.exp))
    function = sp.lambdify(symbols, exact, modules="mpmath", cse=True)

    def evaluate(point: Point) -> mpmath.mpc:
        # The point's numbers are exact; they become digits only here, at the precision in force.
        values = [mpmath.mpmathify(sp.N(point[s], mpmath.mp.dps + 5)) for s in symbols]
        return mpmath.mpc(function(*values))

    return evaluate


def evaluate_at(expression: sp.Expr, point: Point) -> tuple[mpmath.mpc, bool]:
    """The value at a point with DIGITS digits, and whether two precisions agree on it."""
    symbols = sorted(point, key=str)
    function = evaluator(expression, symbols)
    return _agreed(function, point)


def _agreed(function: Callable[[Point], mpmath.mpc], point: Point) -> tuple[mpmath.mpc, bool]:
    try:
        with mpmath.workdps(DIGITS):
            low = function(point)
        with mpmath.workdps(DIGITS + GUARD):
            high = function(point)
    except ZeroDivisionError:  # a pole: this point can't tell
        return mpmath.mpc(mpmath.nan), False
    with mpmath.workdps(DIGITS + GUARD):
        scale = max(abs(high), mpmath.mpf(10) ** (-DIGITS * 2))
        reliable = mpmath.isfinite(high) and abs(low - high) <= scale * mpmath.mpf(10) ** (-DIGITS // 2)
    return high, bool(reliable)


def compare(
    lhs: sp.Expr, rhs: sp.Expr, points: Sequence[Point], stop_at_first: bool = False
) -> tuple[int, int, int, Point | None]:
    """Counts of true, false and cannot-tell for lhs = rhs, and the first point that says false."""
    symbols = sorted({s for p in points for s in p}, key=str)
    left, right = evaluator(lhs, symbols), evaluator(rhs, symbols)
    true = false = unknown = 0
    first: Point | None = None
    for point in points:
        (a, a_ok), (b, b_ok) = _agreed(left, point), _agreed(right, point)
        with mpmath.workdps(DIGITS + GUARD):
            gap, scale = abs(a - b), max(abs(a), abs(b))
            close = gap <= scale * mpmath.mpf(10) ** (-(DIGITS - 10)) or gap == 0
            apart = gap > scale * mpmath.mpf(10) ** (-DIGITS // 3)
        if not (a_ok and b_ok) and not (close and gap == 0):
            unknown += 1
        elif close:
            true += 1
        elif apart:
            false += 1
            first = first or point
            if stop_at_first:
                break
        else:
            unknown += 1
    return true, false, unknown, first


def equal(lhs: sp.Expr, rhs: sp.Expr, sampler: Sampler, count: int = 64) -> Evidence:
    """lhs = rhs at ``count`` points that meet the hypotheses, and at every corner."""
    points = sampler.points(count)
    true, false, unknown, witness = compare(lhs, rhs, points)
    if false:
        raise CheckFailed(f"false at {_shown(witness)}: {lhs} against {rhs}")
    if true == 0 or unknown > len(points) // 4:
        raise CheckFailed(f"can't tell at {unknown} of {len(points)} points: {lhs} against {rhs}")
    detail = f"sampled {true}/{len(points)} at {DIGITS} digits"
    return Evidence(Kind.SAMPLED, detail, {"true": true, "false": 0, "cannot_tell": unknown, "digits": DIGITS})


def violation(relation: sp.Rel, points: Sequence[Point]) -> Point | None:
    """A point at which an inequality is certainly false, if the sample has one."""
    difference = relation.lhs - relation.rhs
    if isinstance(relation, (sp.Lt, sp.Le)):
        difference = -difference
    symbols = sorted({s for p in points for s in p}, key=str)
    function = evaluator(difference, symbols)
    for point in points:
        value, reliable = _agreed(function, point)
        if reliable and value.imag == 0 and value.real < 0:
            return point
    return None


def _shown(point: Point | None) -> str:
    return ", ".join(f"{s} = {v}" for s, v in sorted((point or {}).items(), key=lambda item: str(item[0])))
