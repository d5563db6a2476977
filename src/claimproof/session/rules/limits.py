"""Limits by a bound: squeezed between two others, taken under an expectation, or of a bounded monotone sequence."""

from __future__ import annotations

import sympy as sp

from claimproof.engines.ruled import Mean
from claimproof.session.findings import Finding
from claimproof.session.rules.premises import (
    Conclusion,
    RuleRefused,
    conclude,
    greater_and_less,
    merged,
    region,
    require_plain,
)


def squeeze(below: Finding, above: Finding, lower: Finding, upper: Finding) -> Finding:
    """f -> L, from lo <= f, f <= hi, lo -> L and hi -> L: each proved, near the point, for the same parameters."""

    def draw(from_below: Finding, from_above: Finding, low: Finding, high: Finding) -> Conclusion:
        (lo, value), (hi, other) = _limit(low), _limit(high)
        if lo.args[1:] != hi.args[1:]:
            raise RuleRefused(f"squeeze: {lo} and {hi} are taken at different places")
        if value != other:
            raise RuleRefused(f"squeeze: the bounds go to {value} and to {other}")
        f, smaller = greater_and_less(_relation(from_below))
        larger, also_f = greater_and_less(_relation(from_above))
        if f != also_f or smaller != lo.args[0] or larger != hi.args[0]:
            raise RuleRefused(f"squeeze: {from_below.relation} and {from_above.relation} don't bound one function by {lo} and {hi}")
        where = merged(*(_near(p, lo) for p in (from_below, from_above)), *(_near(p, lo) for p in (low, high)))
        found = sp.Eq(sp.Limit(f, *lo.args[1:]), value, evaluate=False)
        return Conclusion(found, where)

    return conclude("squeeze", [below, above, lower, upper], draw)


def bounded_by(bound: Finding, vanishing: Finding) -> Finding:
    """f -> L, from |f - L| <= g near the point and g -> 0."""

    def draw(distance: Finding, to_zero: Finding) -> Conclusion:
        limit, value = _limit(to_zero)
        if value != 0:
            raise RuleRefused(f"bounded limit: the bound {limit.args[0]} goes to {value}, not to 0")
        g, gap = greater_and_less(_relation(distance))
        if g != limit.args[0]:
            raise RuleRefused(f"bounded limit: the distance is bounded by {g}, and what goes to 0 is {limit.args[0]}")
        if not isinstance(gap, sp.Abs):
            raise RuleRefused(f"bounded limit: {gap} is no distance |f - L|")
        variable = limit.args[1]
        moving, fixed = gap.args[0].as_independent(variable, as_Add=True)[::-1]
        if moving == 0:
            raise RuleRefused(f"bounded limit: {gap} does not depend on {variable}")
        found = sp.Eq(sp.Limit(moving, *limit.args[1:]), -fixed, evaluate=False)
        return Conclusion(found, merged(_near(distance, limit), _near(to_zero, limit)))

    return conclude("bounded limit", [bound, vanishing], draw)


def dominated(pointwise: Finding, bound: Finding, variable: sp.Symbol) -> Finding:
    """E f_t(X) -> E f(X), from f_t(x) -> f(x) and |f_t(x)| <= g(x), for every law with E g(X) finite."""

    def draw(converges: Finding, bounded: Finding) -> Conclusion:
        limit, value = _limit(converges)
        parameter = limit.args[1]
        g, size = greater_and_less(_relation(bounded))
        if size != sp.Abs(limit.args[0]) and not (size == limit.args[0] and size.is_nonnegative):
            raise RuleRefused(f"dominated limit: {bounded.relation} does not bound |{limit.args[0]}|")
        if g.has(parameter):
            raise RuleRefused(f"dominated limit: the bound {g} depends on {parameter}")
        if variable not in limit.args[0].free_symbols or variable == parameter:
            raise RuleRefused(f"dominated limit: {limit.args[0]} is no function of {variable}")
        mean, finite = Mean(limit.args[0], variable), sp.Lt(Mean(g, variable), sp.oo, evaluate=False)
        found = sp.Eq(sp.Limit(mean, *limit.args[1:]), Mean(value, variable) if value.has(variable) else value, evaluate=False)
        where = merged(_near(bounded, limit), _near(converges, limit), [finite] if g.has(variable) else [])
        return Conclusion(found, where, f"for every law of {variable}")

    return conclude("dominated limit", [pointwise, bound], draw)


def monotone(increasing: Finding, bound: Finding, variable: sp.Symbol) -> Finding:
    """f(n) converges, to no more than M, from f(n + 1) >= f(n) and f(n) <= M; the other way round for decreasing ones."""

    def draw(steps: Finding, bounded: Finding) -> Conclusion:
        require_plain("monotone limit", variable, integer=True)
        greater, less = greater_and_less(_relation(steps))
        larger, smaller = greater_and_less(_relation(bounded))
        if at_next(less) == greater:
            function, ceiling, sign = smaller, larger, sp.Le
        elif at_next(greater) == less:
            function, ceiling, sign = larger, smaller, sp.Ge
        else:
            raise RuleRefused(f"monotone limit: {steps.relation} does not compare a term with the next one")
        if function not in (less, greater) or at_next(function) not in (less, greater):
            raise RuleRefused(f"monotone limit: {bounded.relation} bounds another function")
        if ceiling.has(variable):
            raise RuleRefused(f"monotone limit: the bound {ceiling} moves with {variable}")
        limit = sp.Limit(function, variable, sp.oo)
        where = merged(_near(steps, limit), _near(bounded, limit))
        found = sign(limit, ceiling, evaluate=False)
        return Conclusion(found, where, f"and {function} converges")

    def at_next(function: sp.Expr) -> sp.Expr:
        return function.subs(variable, variable + 1)

    return conclude("monotone limit", [increasing, bound], draw)


def _relation(finding: Finding) -> sp.Rel:
    assert isinstance(finding.relation, sp.Rel)
    return finding.relation


def _limit(finding: Finding) -> tuple[sp.Limit, sp.Expr]:
    relation = _relation(finding)
    if not isinstance(relation, sp.Eq) or not isinstance(relation.lhs, sp.Limit):
        raise RuleRefused(f"{relation} says of no limit what it is")
    if relation.rhs.has(relation.lhs.args[1]):
        raise RuleRefused(f"{relation}: the value depends on {relation.lhs.args[1]}")
    return relation.lhs, relation.rhs


def _near(finding: Finding, limit: sp.Limit) -> tuple[sp.Basic, ...]:
    """The hypotheses on parameters, once those on the moving variable are seen to leave room next to the point."""
    _, variable, point, side = limit.args
    room, others = region(finding.where, variable)
    pieces = room.args if isinstance(room, sp.Union) else (room,)
    intervals = [piece for piece in pieces if isinstance(piece, sp.Interval)]
    if point == sp.oo:
        near = any(piece.end == sp.oo for piece in intervals)
    elif point == -sp.oo:
        near = any(piece.start == -sp.oo for piece in intervals)
    else:
        if point.free_symbols:
            raise RuleRefused(f"the place {point} is no number: whether {room} comes near it is not seen")
        from_above = any(bool(piece.start <= point < piece.end) for piece in intervals)
        from_below = any(bool(piece.start < point <= piece.end) for piece in intervals)
        near = all({"+": from_above, "-": from_below}[s] for s in str(side))
    if not near:
        raise RuleRefused(f"{finding.relation} was proved for {variable} in {room}, which does not come near {point}{side}")
    return others

