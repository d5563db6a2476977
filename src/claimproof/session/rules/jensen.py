"""Jensen's inequality: for every law on an interval, and for weighted sums of any number of terms."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from claimproof.core.evidence import CheckFailed
from claimproof.engines import symbolic
from claimproof.engines.ruled import Every, Mean
from claimproof.session.findings import Finding
from claimproof.session.rules.premises import (
    Conclusion,
    RuleRefused,
    conclude,
    greater_and_less,
    region,
    require_in_domain,
    require_plain,
)


def jensen(convex: Finding, function: sp.Expr, variable: sp.Symbol, *, interval: sp.Interval | None = None) -> Finding:
    """E f(X) >= f(E X) for every law on the interval where f'' >= 0 was proved; turned round where f'' <= 0.

    ``interval`` may be smaller, or have ends which the premise leaves out, if f is continuous there.
    """

    def draw(premise: Finding) -> Conclusion:
        sign, where = _curvature(premise, function, variable, interval)
        mean_of, of_mean = Mean(function, variable), function.subs(variable, Mean(variable, variable))
        found = sign(mean_of, of_mean, evaluate=False)
        where = (*where, sp.Lt(Mean(sp.Abs(variable), variable), sp.oo, evaluate=False))
        return Conclusion(found, where, f"for every law of {variable}")

    return conclude("Jensen", [convex], draw)


def weighted_jensen(
    convex: Finding, function: sp.Expr, variable: sp.Symbol, *, weight: AppliedUndef, point: AppliedUndef,
    index: sp.Symbol, count: Any, interval: sp.Interval | None = None,
) -> Finding:
    """sum w_i f(x_i) >= f(sum w_i x_i) for every number of terms, where the weights are nonnegative and sum to 1."""
    if not index.is_integer or index not in weight.free_symbols or index not in point.free_symbols:
        raise RuleRefused(f"Jensen: {weight} and {point} must be members of families by the whole number {index}")
    if not weight.is_nonnegative:
        raise RuleRefused(f"Jensen: the weight {weight} is not declared nonnegative")
    require_in_domain("Jensen", variable, point)
    limits = (index, 1, sp.sympify(count))

    def draw(premise: Finding) -> Conclusion:
        sign, where = _curvature(premise, function, variable, interval)
        found = sign(
            sp.Sum(weight * function.subs(variable, point), limits),
            function.subs(variable, sp.Sum(weight * point, limits)), evaluate=False,
        )
        asked = [Every(h.subs(variable, point), *limits) if h.has(variable) else h for h in where]
        whole = sp.Eq(sp.Sum(weight, limits), 1, evaluate=False)
        return Conclusion(found, (*asked, whole), f"for every {count}")

    return conclude("Jensen", [convex], draw)


def _curvature(
    premise: Finding, function: sp.Expr, variable: sp.Symbol, interval: sp.Interval | None
) -> tuple[type[sp.Rel], tuple[sp.Basic, ...]]:
    """>= for a convex function, <= for a concave one, and the hypotheses: the interval for the variable, and the others."""
    require_plain("Jensen", variable, integer=False)
    _require_smooth(function, variable)
    relation = premise.relation
    assert isinstance(relation, sp.Rel)
    greater, less = greater_and_less(relation)
    second = sp.diff(function, variable, 2)
    held = sp.Derivative(function, (variable, 2))
    if less == 0 and greater in (second, held):
        sign: type[sp.Rel] = sp.Ge
    elif greater == 0 and less in (second, held):
        sign = sp.Le
    else:
        raise RuleRefused(f"Jensen: the premise {relation} does not compare the second derivative {second} with 0")
    proved, others = region(premise.where, variable)
    if not isinstance(proved, sp.Interval):
        raise RuleRefused(f"Jensen: {proved} is no interval of positive length: E X may fall outside of it")
    wanted = _closed_up(function, variable, proved, interval or proved)
    return sign, (*_conditions(variable, wanted), *others)


# Second derivatives of these, as sympy writes them, have no value wherever the function is not smooth.
_SMOOTH = (sp.Add, sp.Mul, sp.Pow, sp.exp, sp.log, sp.Symbol, sp.Number, sp.NumberSymbol)


def _require_smooth(function: sp.Expr, variable: sp.Symbol) -> None:
    """Not a function with a kink or jump, whose second derivative looks harmless on both sides of it."""
    if variable not in function.free_symbols:
        raise RuleRefused(f"Jensen: {function} does not depend on {variable}")
    for node in sp.preorder_traversal(function):
        if node.has(variable) and not isinstance(node, _SMOOTH) and not hasattr(node, "kernel"):
            raise RuleRefused(f"Jensen: {node} is not known to be smooth")


def _closed_up(
    function: sp.Expr, variable: sp.Symbol, proved: sp.Interval, wanted: sp.Interval
) -> sp.Interval:
    """``wanted``, if it lies in what was proved and such ends as the function reaches continuously."""
    if wanted.is_subset(proved) is True:
        return wanted
    if not isinstance(wanted, sp.Interval) or wanted.is_subset(proved.closure) is not True:
        raise RuleRefused(f"Jensen: convexity was proved on {proved}, not on {wanted}")
    for end, side in ((proved.start, "+"), (proved.end, "-")):
        if end in wanted and end not in proved:
            try:
                (reached,) = symbolic.limits(function, variable, end, side)
            except CheckFailed as error:
                raise RuleRefused(f"Jensen: {error}") from None
            if symbolic.strategy_for(reached, function.subs(variable, end)) is None:
                raise RuleRefused(f"Jensen: {function} is not seen to be continuous at {variable} = {end}")
    return wanted


def _conditions(variable: sp.Symbol, interval: sp.Interval) -> tuple[sp.Basic, ...]:
    """The interval as relations; what the declaration says is left out."""
    low = sp.Gt(variable, interval.start) if interval.left_open else sp.Ge(variable, interval.start)
    high = sp.Lt(variable, interval.end) if interval.right_open else sp.Le(variable, interval.end)
    found = [low] if interval.start.is_finite else []
    found += [high] if interval.end.is_finite else []
    return tuple(relation for relation in found if relation != sp.true)
