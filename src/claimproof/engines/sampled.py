"""Evaluation at 60 digits and more, three-valued, at exact points: closed forms, integrals, sums, limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import mpmath
import sympy as sp

from claimproof.core.evidence import CheckFailed, Evidence, Kind, ShownFalse
from claimproof.engines.sampler import Point, Sampler

DIGITS = 60
# Values are computed with DIGITS and with DIGITS + GUARD digits; where the two disagree
# beyond half of the digits, cancellation ate them and the point can't tell.
GUARD = 40
# e^(-1000) needs 435 digits to be seen beside 1.
LAST_WORD = 600
# A quadrature or a sum costs a thousand evaluations: a few points are enough for a second witness.
HELD_POINTS = 3
# How near to a limit point (10^-k) or how far out (10^k) a limit or a remainder is looked at. Cancellation
# takes a multiple of k digits, so as many more are carried.
NEAR = (5, 20, 80)
REMAINDER = (8, 16, 32, 64)
DIGITS_PER_STEP = 6
# Not a power of ten, and no multiple of pi: a sequence through special points could hide an oscillation.
OFFSET = sp.Rational(137, 100)
# At distance 10^-80 even x^(1/8) is below this.
CONVERGED = mpmath.mpf(10) ** -9
# x^n log x is no O(x^n): its ratio grows eightfold along REMAINDER.
BOUNDED = 2
MOST_TERMS = 4000
_HELD = (sp.Integral, sp.Sum, sp.Product)
_ABSTRACT = (*_HELD, sp.Limit, sp.Derivative, sp.Subs, sp.core.function.AppliedUndef)

Values = Mapping[sp.Symbol, mpmath.mpf]


class NotEvaluated(Exception):
    """No trustworthy number was found: nothing is said either way."""


def can_evaluate(*expressions: sp.Expr) -> bool:
    """Whether all expressions are closed forms that mpmath can evaluate."""
    return not any(expression.has(*_ABSTRACT) for expression in expressions)


def holds_integrals(*expressions: sp.Expr) -> bool:
    """Whether there are integrals, sums or products to evaluate, and nothing that has no number at all."""
    carried = [_derivatives_done(e) for e in expressions]
    return any(e.has(*_HELD) for e in carried) and not any(
        e.has(sp.Limit, sp.Derivative, sp.Subs, sp.core.function.AppliedUndef) for e in carried
    )


def _derivatives_done(expression: sp.Expr) -> sp.Expr:
    return expression.replace(lambda e: isinstance(e, sp.Derivative), lambda e: e.doit(deep=False))


def _refuse_floats(expression: sp.Expr) -> None:
    if floats := expression.atoms(sp.Float):
        raise CheckFailed(f"a float in an exact statement: {sorted(map(str, floats))[0]} in {expression}")


def evaluator(expression: sp.Expr, symbols: Sequence[sp.Symbol]) -> Callable[[Point], mpmath.mpc]:
    """A function from exact points to mpmath numbers at the precision in force."""
    _refuse_floats(expression)
    function = _compiled(expression)

    def evaluate(point: Point) -> mpmath.mpc:
        # The point's numbers are exact; they become digits only here, at the precision in force.
        return mpmath.mpc(function({s: mpmath.mpmathify(sp.N(point[s], mpmath.mp.dps + 5)) for s in symbols}))

    return evaluate


# --------------------------------------------------------------------------- integrals and sums


def _compiled(expression: sp.Expr) -> Callable[[Values], mpmath.mpc]:
    """A function of the symbols' values; integrals and sums inside are evaluated for each."""
    exact = expression.replace(lambda e: hasattr(e, "kernel"), lambda e: e.rewrite(sp.exp))
    exact = _derivatives_done(exact)
    stand_ins = {node: sp.Dummy("held") for node in _outermost(exact)}
    parts = {dummy: _compiled_held(node) for node, dummy in stand_ins.items()}
    closed = exact.xreplace(stand_ins) if stand_ins else exact
    symbols = sorted(closed.free_symbols, key=sp.default_sort_key)
    function = sp.lambdify(symbols, closed, modules="mpmath", cse=True)

    def evaluate(values: Values) -> mpmath.mpc:
        known = {**values, **{dummy: part(values) for dummy, part in parts.items()}}
        return function(*(known[s] for s in symbols))

    return evaluate


def _outermost(expression: sp.Basic) -> Iterator[sp.Basic]:
    if isinstance(expression, _HELD):
        yield expression
        return
    for argument in expression.args:
        yield from _outermost(argument)


def _compiled_held(node: sp.Basic) -> Callable[[Values], mpmath.mpf]:
    """An integral or a sum over its last variable; those before it stay inside."""
    *inner, limits = node.limits
    if len(limits) != 3:
        raise NotEvaluated(f"{node} has no limits")
    variable, low, high = limits
    inside = _compiled(node.func(node.function, *inner) if inner else node.function)
    ends = [_compiled(sp.sympify(end)) if end not in (sp.oo, -sp.oo) else None for end in (low, high)]
    infinite = [mpmath.inf if end == sp.oo else -mpmath.inf for end in (low, high)]
    evaluate = {sp.Integral: _quadrature, sp.Sum: _summed, sp.Product: _multiplied}[node.func]

    def value(values: Values) -> mpmath.mpf:
        a, b = (infinite[i] if end is None else end(values) for i, end in enumerate(ends))
        return evaluate(lambda at: inside({**values, variable: at}), a, b)

    return value


def _quadrature(function: Callable[[mpmath.mpf], mpmath.mpf], low: mpmath.mpf, high: mpmath.mpf) -> mpmath.mpf:
    if low == high:
        return mpmath.mpf(0)
    try:
        value, error = mpmath.quad(function, [low, high], error=True)
    except (ZeroDivisionError, OverflowError, ValueError) as cause:
        raise NotEvaluated(f"quadrature: {cause}") from cause
    if not mpmath.isfinite(value) or error > mpmath.mpf(10) ** (-DIGITS // 2) * max(abs(value), mpmath.mpf(10) ** -DIGITS):
        raise NotEvaluated(f"quadrature with an error of {mpmath.nstr(error, 3)}")
    return value


def _terms(low: mpmath.mpf, high: mpmath.mpf) -> range:
    if low != mpmath.floor(low) or high != mpmath.floor(high):
        raise NotEvaluated("a sum between limits that are not integers")
    if high - low > MOST_TERMS:
        raise NotEvaluated("a sum of too many terms")
    return range(int(low), int(high) + 1)


def _summed(function: Callable[[mpmath.mpf], mpmath.mpf], low: mpmath.mpf, high: mpmath.mpf) -> mpmath.mpf:
    if mpmath.isinf(low):
        raise NotEvaluated("a sum without a first term")
    if not mpmath.isinf(high):
        return mpmath.fsum(function(mpmath.mpf(k)) for k in _terms(low, high))
    # Terms that fall geometrically leave less behind than the last of them times ratio/(1 - ratio).
    total, before, start = mpmath.mpf(0), None, int(low)
    for k in range(start, start + MOST_TERMS):
        term = function(mpmath.mpf(k))
        total += term
        if before and k > start + 20:
            ratio = abs(term / before)
            if ratio < 0.99 and abs(term) * ratio / (1 - ratio) < abs(total) * mpmath.mpf(10) ** -(mpmath.mp.dps + 5):
                return total
        before = term
    raise NotEvaluated("a sum that does not fall geometrically")


def _multiplied(function: Callable[[mpmath.mpf], mpmath.mpf], low: mpmath.mpf, high: mpmath.mpf) -> mpmath.mpf:
    if mpmath.isinf(low) or mpmath.isinf(high):
        raise NotEvaluated("a product of infinitely many factors")
    return mpmath.fprod(function(mpmath.mpf(k)) for k in _terms(low, high))


# --------------------------------------------------------------------------- comparing


def evaluate_at(expression: sp.Expr, point: Point) -> tuple[mpmath.mpc, bool]:
    """The value at a point with DIGITS digits, and whether two precisions agree on it."""
    symbols = sorted(point, key=str)
    function = evaluator(expression, symbols)
    return _agreed(function, point)


def _agreed(
    function: Callable[[Point], mpmath.mpc], point: Point, digits: int = DIGITS, guard: int = GUARD
) -> tuple[mpmath.mpc, bool]:
    try:
        with mpmath.workdps(digits):
            low = function(point)
        with mpmath.workdps(digits + guard):
            high = function(point)
    except (ZeroDivisionError, NotEvaluated):  # a pole, or no number: this point can't tell
        return mpmath.mpc(mpmath.nan), False
    with mpmath.workdps(digits + guard):
        scale = max(abs(high), mpmath.mpf(10) ** (-digits * 2))
        reliable = mpmath.isfinite(high) and abs(low - high) <= scale * mpmath.mpf(10) ** (-DIGITS // 2)
    return high, bool(reliable)


def _verdict(left: Callable[[Point], mpmath.mpc], right: Callable[[Point], mpmath.mpc], point: Point) -> bool | None:
    """Whether two values agree at a point. Where they seem to differ, more digits have the last word: a side that
    cancels below 10^-100 looks like an exact 0."""
    verdict = _verdict_with(left, right, point, DIGITS)
    return _verdict_with(left, right, point, LAST_WORD) if verdict is False else verdict


def _verdict_with(
    left: Callable[[Point], mpmath.mpc], right: Callable[[Point], mpmath.mpc], point: Point, digits: int
) -> bool | None:
    (a, a_ok), (b, b_ok) = _agreed(left, point, digits), _agreed(right, point, digits)
    with mpmath.workdps(digits + GUARD):
        gap, scale = abs(a - b), max(abs(a), abs(b))
        close = gap <= scale * mpmath.mpf(10) ** (-(DIGITS - 10)) or gap == 0
        apart = gap > scale * mpmath.mpf(10) ** (-DIGITS // 3)
    if not (a_ok and b_ok) and not (close and gap == 0):
        return None
    return True if close else False if apart else None


def compare(
    lhs: sp.Expr, rhs: sp.Expr, points: Sequence[Point], stop_at_first: bool = False
) -> tuple[int, int, int, Point | None]:
    """Counts of true, false and cannot-tell for lhs = rhs, and the first point that says false."""
    symbols = sorted({s for p in points for s in p}, key=str)
    left, right = evaluator(lhs, symbols), evaluator(rhs, symbols)
    true = false = unknown = 0
    first: Point | None = None
    for point in points:
        verdict = _verdict(left, right, point)
        true, false, unknown = true + (verdict is True), false + (verdict is False), unknown + (verdict is None)
        if verdict is False:
            first = first or point
            if stop_at_first:
                break
    return true, false, unknown, first


def equal(lhs: sp.Expr, rhs: sp.Expr, sampler: Sampler, count: int = 64) -> Evidence:
    """lhs = rhs at ``count`` points that cover the domain and meet the hypotheses, and at every corner."""
    _require_true_corners(lhs, rhs, sampler)
    points = sampler.points(count)
    true, false, unknown, witness = compare(lhs, rhs, points, stop_at_first=True)
    if false:
        raise ShownFalse(f"false at {_shown(witness)}: {lhs} against {rhs}")
    if true == 0 or unknown > len(points) // 4:
        raise CheckFailed(f"can't tell at {unknown} of {len(points)} points: {lhs} against {rhs}")
    detail = f"sampled {true}/{len(points)} at {DIGITS} digits"
    return Evidence(Kind.SAMPLED, detail, {"true": true, "false": 0, "cannot_tell": unknown, "digits": DIGITS})


def _require_true_corners(lhs: sp.Expr, rhs: sp.Expr, sampler: Sampler) -> None:
    """A corner is named because it matters: where it can't be told, or is undefined, nothing was shown."""
    for corner in sampler.corner_points():
        true, false, _, _ = compare(lhs, rhs, [corner])
        # Where both sides are 0 no digits are left to compare; exact arithmetic may still tell.
        if not true and (lhs - rhs).subs(corner) != 0:
            what = "false" if false else "undefined or undecided"
            raise CheckFailed(f"{what} at the corner {_shown(corner)}: {lhs} against {rhs}")


def integrals(lhs: sp.Expr, rhs: sp.Expr, sampler: Sampler) -> Evidence | None:
    """lhs = rhs with every integral and sum evaluated by quadrature and summation at a few points.

    None when mpmath finds no number it would vouch for; raises where the two sides are apart.
    """
    points = sampler.points(HELD_POINTS)
    try:
        true, false, unknown, witness = compare(lhs, rhs, points, stop_at_first=True)
    except NotEvaluated:
        return None
    if false:
        raise ShownFalse(f"false at {_shown(witness)}, by quadrature or summation: {lhs} against {rhs}")
    if not true:
        return None
    return Evidence(
        Kind.SAMPLED, f"integrals and sums evaluated at {true}/{len(points)} points, {DIGITS} digits",
        {"true": true, "false": 0, "cannot_tell": unknown, "digits": DIGITS, "evaluated": "integrals and sums"},
    )


# --------------------------------------------------------------------------- limits and remainders


def _near(variable: sp.Symbol, point: sp.Expr, side: int, k: int) -> sp.Expr:
    """An exact place at distance about 10^-k from ``point`` on one side of it, or about 10^k far out."""
    if point in (sp.oo, -sp.oo):
        far = OFFSET * 10**k
        return (sp.Integer(1) if point == sp.oo else sp.Integer(-1)) * (sp.floor(far) if variable.is_integer else far)
    return point + side * OFFSET / sp.Integer(10) ** k


def limit(
    expression: sp.Expr, variable: sp.Symbol, point: sp.Expr, value: sp.Expr, sides: Sequence[int],
    parameters: Sequence[Point],
) -> Evidence | None:
    """The expression comes as near to ``value`` as its distance to the limit point lets one expect.

    None when it can't be evaluated near the point; raises where it stays away from the value.
    """
    symbols = sorted({variable, *(s for p in parameters for s in p)}, key=str)
    true = unknown = 0
    try:
        function, target = evaluator(expression, symbols), evaluator(value, symbols)
    except NotEvaluated:
        return None
    for parameter in parameters:
        for side in sides:
            errors = _errors(function, target, parameter, variable, point, side)
            if errors is None:
                unknown += 1
                continue
            (first, middle, last), scale = errors
            if last > CONVERGED * (scale or first):
                if _falls_like_a_power(first, middle, last):
                    unknown += 1
                    continue
                place = f"{variable} = {point}{'' if point in (sp.oo, -sp.oo) else '+' if side > 0 else '-'}"
                given = f" for {_shown(parameter)}" if parameter else ""
                raise ShownFalse(
                    f"{expression} stays {mpmath.nstr(last, 3)} away from {value} near {place}{given}"
                )
            true += 1
    if not true:
        return None
    detail = f"approached at {true}/{true + unknown} points, {DIGITS} digits"
    return Evidence(Kind.SAMPLED, detail, {"true": true, "false": 0, "cannot_tell": unknown, "digits": DIGITS})


def _falls_like_a_power(first: mpmath.mpf, middle: mpmath.mpf, last: mpmath.mpf) -> bool:
    """Whether the distances fall on as 10^(-c k) does, for a small c: slow, but not stuck at a distance."""
    before, after = mpmath.log(first / middle), mpmath.log(middle / last)
    return bool(before > 0 and after > 2 * before)  # along 5, 20, 80 a power falls four times as much


def _errors(
    function: Callable[[Point], mpmath.mpc], target: Callable[[Point], mpmath.mpc], parameter: Point,
    variable: sp.Symbol, point: sp.Expr, side: int,
) -> tuple[list[mpmath.mpf], mpmath.mpf] | None:
    """The distances from the value along the approach, and the value's own size (0 when it is 0)."""
    errors = []
    size = mpmath.mpf(0)
    for k in NEAR:
        place = {**parameter, variable: _near(variable, point.subs(parameter), side, k)}
        digits = DIGITS + DIGITS_PER_STEP * k
        (found, found_ok), (wanted, wanted_ok) = _agreed(function, place, digits), _agreed(target, place, digits)
        if not (found_ok and wanted_ok):
            return None
        with mpmath.workdps(digits):
            errors.append(abs(found - wanted))
            size = abs(wanted)
    return errors, size


def remainder(
    difference: sp.Expr, variable: sp.Symbol, point: sp.Expr, order: int, sides: Sequence[int],
    parameters: Sequence[Point],
) -> Evidence | None:
    """``difference`` / (variable - point)^order stays bounded on the way to the point, from each side.

    None when it can't be evaluated near the point; raises where the ratio grows.
    """
    symbols = sorted({variable, *(s for p in parameters for s in p)}, key=str)
    true = unknown = 0
    function = evaluator(difference, symbols)
    for parameter in parameters:
        centre = point.subs(parameter)
        for side in sides:
            ratios = []
            for k in REMAINDER:
                place = _near(variable, centre, side, k)
                digits = DIGITS + (order + DIGITS_PER_STEP) * k
                value, reliable = _agreed(function, {**parameter, variable: place}, digits)
                with mpmath.workdps(digits):
                    step = mpmath.mpmathify(sp.N(abs(place - centre), digits))
                    ratios.append(abs(value) / step**order if reliable else None)
            known = [r for r in ratios if r is not None]
            if len(known) < len(ratios):
                unknown += 1
            elif known[-1] > BOUNDED * known[0]:
                given = f" for {_shown(parameter)}" if parameter else ""
                raise ShownFalse(
                    f"the remainder is no O(({variable} - {point})^{order}) from {'above' if side > 0 else 'below'}{given}: "
                    f"the ratio grows from {mpmath.nstr(known[0], 3)} to {mpmath.nstr(known[-1], 3)}"
                )
            else:
                true += 1
    if not true:
        return None
    detail = f"remainder bounded at {true}/{true + unknown} points, {DIGITS} digits"
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
