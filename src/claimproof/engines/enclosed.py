"""Inequalities proved on whole regions, by ball arithmetic and adaptive bisection.

:func:`prove` takes a relation between expressions of one to three real variables and a range for each.
The range of a variable is a pair (an **open** interval, ends exact or infinite) or a SymPy ``Interval``,
whose closed ends are then part of the statement. How a box is settled, in this order:

1. *Natural evaluation*: the difference of the two sides, evaluated in balls, is positive.
2. *Derivative help*: variables in which it is monotone on the box are moved to the worse end, the others
   enter by the mean-value form.
3. *Zeros of known order*: where ``zeros={x: (x0, n)}`` declares that the difference f vanishes at x = x0 to
   order n (for all values of the other variables; x0 may depend on them), f is (x - x0)^n / n! times a mean
   of its n-th derivative between x0 and x. The vanishing is verified exactly, the sign of the n-th derivative
   by 1 and 2. Several zeros in different variables combine.
4. *Half-lines*: on [X, oo) each term c x^k log(x)^l exp(-a x) is divided by the largest one; what remains
   decays monotonically from X on (checked: k + l/log X <= a X) and lies between 0 and its value at X.

Before that, factors whose sign is plain (powers of a positive variable, exponentials, ...) are removed, and
ends at which logarithms or powers are singular are moved to infinity by x = a + exp(-u), essential
singularities by x = a + 1/v. A box that is not settled is bisected; the search gives up loudly, and says so
when it has found a point at which the relation is certainly false.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NoReturn

import sympy as sp
from flint import arb, ctx, fmpq

from claimproof.core.evidence import CheckFailed, Evidence, Kind
from claimproof.engines.balls import (
    NoBallForm,
    ball,
    ball_function,
    exact_rational,
    interval,
    is_zero,
    refuse_floats,
    sign_of,
)

__all__ = ["prove"]

_MAX_HALVINGS = 48  # of one variable's range: narrower boxes mean an undeclared zero, not a hard spot
_MAX_TAIL_START = fmpq(2) ** 12
_MAX_INHABITING_CELLS = 4096  # cells searched for one point that meets all constraints
_JUMPS = (sp.floor, sp.ceiling, sp.sign, sp.Piecewise, sp.Heaviside)  # their derivatives prove nothing
_POINT_BITS = 512  # precision at which a suspected counterexample is decided


def prove(
    relation: sp.Basic,
    on: Mapping[sp.Symbol, Any],
    zeros: Mapping[sp.Symbol, Any] | None = None,
    tail: Mapping[sp.Symbol, Any] | None = None,
    where: Iterable[sp.Basic] = (),
    max_boxes: int = 100_000,
    precision: int = 128,
) -> Evidence:
    """Prove ``relation`` (``>``, ``>=``, ``<``, ``<=`` or ``Ne``) on a region; raise ``CheckFailed`` otherwise.

    ``on``     the range of each variable: ``(a, b)`` is open, a SymPy ``Interval`` is what it says.
    ``zeros``  ``{x: (x0, n)}`` or a list of such pairs: both sides agree at x = x0 to order n.
    ``tail``   ``{x: X}``: treat [X, oo) as a tail (found by itself when absent), or ``{x: (X, bound)}``: on
               [X, oo) prove both that the difference is at least ``bound`` and that ``bound`` is positive.
    ``where``  further constraints. A box that certainly violates one is skipped; a box that is cut by one
               must be settled as a whole, so a relation that fails just beyond the cut cannot be proved.
    """
    problem = _state(relation, on, zeros, where)
    total = _Tally()
    try:
        with ctx.workprec(precision):
            _require_inhabited(problem)
            for part in _cut_tails(problem, tail or {}):
                total += _settle(part, max_boxes)
    except NoBallForm as cause:
        raise CheckFailed(f"cannot be enclosed: {cause}") from cause
    domain = ", ".join(f"{x.name} in {_show_range(r)}" for x, r in problem.ranges.items())
    if problem.where:
        domain += ", " + ", ".join(_show(c.relation) for c in problem.where)
    margin = None if total.margin is None else _round_down(total.margin)
    boxes = f"{total.boxes} box{'' if total.boxes == 1 else 'es'}"
    detail = "enclosed by the signs of its factors" if margin is None else f"enclosed in {boxes}, margin {margin}"
    return Evidence(
        Kind.ENCLOSED,
        detail,
        {"domain": domain, "boxes": total.boxes, "margin": margin, "precision": precision},
    )


# --------------------------------------------------------------------------- the statement


@dataclass(frozen=True)
class _Range:
    low: sp.Expr
    high: sp.Expr
    low_open: bool = True
    high_open: bool = True


@dataclass(frozen=True)
class _Zero:
    """f vanishes at ``variable = at`` to ``order``; ``side`` is the sign of variable - at in the region."""

    variable: sp.Symbol
    at: sp.Expr
    order: int
    side: int | None = None


@dataclass(frozen=True)
class _Constraint:
    relation: sp.Basic

    @cached_property
    def difference(self) -> sp.Expr:
        return self.relation.gts - self.relation.lts if _is_order(self.relation) else self.relation.lhs - self.relation.rhs


@dataclass(frozen=True)
class _Problem:
    """Prove f > 0 (or f >= 0) on the box of ``ranges`` where the constraints hold."""

    f: sp.Expr
    strict: bool
    ranges: dict[sp.Symbol, _Range]
    zeros: tuple[_Zero, ...] = ()
    where: tuple[_Constraint, ...] = ()
    tails: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    # How the variables of this problem give those of the statement, for messages.
    original: dict[str, sp.Expr] = field(default_factory=dict)

    def substituted(self, x: sp.Symbol, form: sp.Expr, new: sp.Symbol, new_range: _Range) -> _Problem:
        """The same problem in a new variable, with ``x = form(new)``, a smooth bijection of the ranges."""
        inverse = _invert(form, new, x)
        falling = sp.diff(form, new).subs(new, sp.Dummy(positive=True)).is_negative
        zeros = []
        for zero in self.zeros:
            if zero.variable == x:
                side = zero.side if zero.side is None or not falling else -zero.side
                at = sp.simplify(inverse.subs(x, zero.at))
                if at.has(sp.zoo, sp.oo, sp.nan):
                    raise CheckFailed(f"zero {_show(x)} = {_show(zero.at)}: f is singular there, so it has no order")
                zeros.append(_Zero(new, at, zero.order, side))
            else:
                zeros.append(replace(zero, at=zero.at.subs(x, form)))
        ranges = {new if v == x else v: new_range if v == x else r for v, r in self.ranges.items()}
        return replace(
            self,
            f=self.f.subs(x, form),
            ranges=ranges,
            zeros=tuple(zeros),
            where=tuple(_Constraint(c.relation.subs(x, form)) for c in self.where),
            tails={v: t for v, t in self.tails.items() if v != x},
            original={name: e.subs(x, form) for name, e in self.original.items()},
        )


def _invert(form: sp.Expr, new: sp.Symbol, x: sp.Symbol) -> sp.Expr:
    """The inverse of one of our own substitutions: x = -n, a +- exp(-n), a +- 1/n."""
    shift, factor = form.as_independent(new, as_Add=True)
    core = sp.expand(factor)
    scaled = (x - shift) if not core.could_extract_minus_sign() else (shift - x)
    core = core if not core.could_extract_minus_sign() else -core
    if core == new:
        return scaled
    if core == sp.exp(-new):
        return -sp.log(scaled)
    if core == 1 / new:
        return 1 / scaled
    raise AssertionError(f"no inverse of {form}")


def _is_order(relation: sp.Basic) -> bool:
    return isinstance(relation, (sp.Gt, sp.Ge, sp.Lt, sp.Le))


def _state(
    relation: sp.Basic,
    on: Mapping[sp.Symbol, Any],
    zeros: Mapping[sp.Symbol, Any] | None,
    where: Iterable[sp.Basic],
) -> _Problem:
    if relation in (True, sp.true):
        raise CheckFailed("the relation is the constant True: nothing to prove (state it with evaluate=False)")
    if relation in (False, sp.false):
        raise CheckFailed("the relation is the constant False")
    if not (_is_order(relation) or isinstance(relation, sp.Ne)):
        raise TypeError(f"expected a relation >, >=, <, <= or Ne, got {relation!r}")
    refuse_floats(relation)
    if not 1 <= len(on) <= 3:
        raise ValueError(f"one to three variables are supported, got {len(on)}")
    if len({x.name for x in on}) < len(on):
        raise ValueError("two variables have the same name")
    unknown = relation.free_symbols - set(on)
    if unknown:
        raise CheckFailed(f"no range was given for {', '.join(sorted(map(str, unknown)))}")

    ranges = {x: _range(x, r) for x, r in on.items()}
    real = {x: sp.Dummy(x.name, **_assumptions(r)) for x, r in ranges.items()}
    constraints = tuple(_constraint(c, set(on)) for c in where)
    declared = [
        _Zero(x, sp.sympify(at), int(order))
        for x, entry in (zeros or {}).items()
        for at, order in ([entry] if isinstance(entry, tuple) else entry)
    ]
    strict = isinstance(relation, (sp.Gt, sp.Lt, sp.Ne))
    for zero in declared:
        if zero.variable not in on or not zero.at.free_symbols <= set(on) - {zero.variable}:
            raise CheckFailed(f"zero {zero.variable} = {zero.at}: not a place in the region's variables")
        if zero.order < 1:
            raise CheckFailed(f"zero {zero.variable} = {zero.at}: its order must be at least 1")
    sided = [_with_side(zero, ranges, constraints, strict) for zero in declared]
    swap = lambda e: e.xreplace(real)  # noqa: E731
    problem = _Problem(
        f=relation.gts - relation.lts if _is_order(relation) else relation.lhs - relation.rhs,
        strict=strict,
        ranges=ranges,
        zeros=tuple(sided),
        where=constraints,
        original={x.name: x for x in on},
    )
    problem = replace(
        problem,
        f=swap(problem.f),
        ranges={real[x]: r for x, r in ranges.items()},
        zeros=tuple(replace(z, variable=real[z.variable], at=swap(z.at)) for z in sided),
        where=tuple(_Constraint(swap(c.relation)) for c in constraints if swap(c.relation) != sp.true),
        original={x.name: real[x] for x in on},
    )
    if isinstance(relation, sp.Ne):
        return replace(problem, f=problem.f * _sign_somewhere(problem))
    return problem


def _range(x: sp.Symbol, given: Any) -> _Range:
    if isinstance(given, sp.Interval):
        r = _Range(given.start, given.end, bool(given.left_open), bool(given.right_open))
    else:
        low, high = given
        r = _Range(sp.sympify(low), sp.sympify(high))
    refuse_floats(r.low)
    refuse_floats(r.high)
    r = replace(r, low_open=r.low_open or r.low == -sp.oo, high_open=r.high_open or r.high == sp.oo)
    if r.low == sp.oo or r.high == -sp.oo or (_finite(r) and sign_of(r.high - r.low) != 1):
        raise CheckFailed(f"the range {_show_range(r)} of {x} is empty or a point")
    if (x.is_nonnegative and sign_of(r.low) == -1) or (x.is_nonpositive and sign_of(r.high) == 1):
        raise CheckFailed(f"{x} is declared one-signed, but its range is {_show_range(r)}")
    return r


def _finite(r: _Range) -> bool:
    return r.low != -sp.oo and r.high != sp.oo


def _assumptions(r: _Range) -> dict[str, bool]:
    if sign_of(r.low) == 1 or (sign_of(r.low) == 0 and r.low_open):
        return {"positive": True}
    if sign_of(r.low) == 0:
        return {"nonnegative": True}
    if sign_of(r.high) == -1 or (sign_of(r.high) == 0 and r.high_open):
        return {"negative": True}
    return {"real": True}


def _constraint(relation: sp.Basic, variables: set[sp.Symbol]) -> _Constraint:
    if relation == sp.false:
        raise CheckFailed("vacuous: a constraint is the constant False")
    if relation == sp.true:
        return _Constraint(sp.true)
    if not (_is_order(relation) or isinstance(relation, sp.Ne)):
        raise TypeError(f"a constraint must be a relation >, >=, <, <= or Ne, got {relation!r}")
    refuse_floats(relation)
    if not relation.free_symbols <= variables:
        raise CheckFailed(f"the constraint {relation} contains symbols without a range")
    return _Constraint(relation)


def _with_side(
    zero: _Zero, ranges: Mapping[sp.Symbol, _Range], where: Sequence[_Constraint], strict: bool
) -> _Zero:
    """Find on which side of the zero the region lies, and refuse a strict claim that includes the zero."""
    r = ranges[zero.variable]
    offset = zero.variable - zero.at
    if is_closed := not zero.at.free_symbols:
        if r.low != -sp.oo and is_zero(r.low - zero.at):
            zero, excluded = replace(zero, side=1), r.low_open
        elif r.high != sp.oo and is_zero(r.high - zero.at):
            zero, excluded = replace(zero, side=-1), r.high_open
        else:
            inside = sign_of(zero.at - r.low) == 1 and sign_of(r.high - zero.at) == 1
            if not inside:
                raise CheckFailed(f"zero {zero.variable} = {zero.at}: outside the range {_show_range(r)}")
            excluded = False
    else:
        excluded = False
    for constraint in where:
        if constraint.relation == sp.true:
            continue
        for side in (1, -1):
            if sp.expand(constraint.difference - side * offset) == 0:
                if _is_order(constraint.relation) and zero.side is None:
                    zero = replace(zero, side=side)
                excluded = excluded or isinstance(constraint.relation, (sp.Gt, sp.Lt, sp.Ne))
    if strict and not excluded:
        place = "inside or at a closed end of" if is_closed else "not excluded from"
        raise CheckFailed(
            f"the strict relation fails at the declared zero {zero.variable} = {zero.at}, which is {place} the region"
        )
    return zero


def _sign_somewhere(problem: _Problem) -> int:
    """The sign of f at an inner point, to turn f != 0 into an inequality."""
    point = {x: _inner_point(r) for x, r in problem.ranges.items()}
    sign = sign_of(problem.f.subs(point))
    if not sign:
        raise CheckFailed(f"f is 0 or undecided at {_show_point(problem, point)}")
    return sign


def _inner_point(r: _Range) -> sp.Rational:
    low = r.low if r.low != -sp.oo else (r.high - 2 if r.high != sp.oo else sp.Integer(-1))
    high = r.high if r.high != sp.oo else low + 2
    return _sympy(interval(_below(low), _above(high)).mid().fmpq())


def _require_inhabited(problem: _Problem) -> None:
    """Find a point of the region that certainly meets the constraints, or fail: nothing would be claimed."""
    if not problem.where:
        return
    region = _Region(problem)
    queue = region.cells()
    for cell in queue:  # the list grows while it is walked: breadth first
        if region.excludes(cell):
            continue
        if region.contains(cell.middle()):
            return
        if len(queue) > _MAX_INHABITING_CELLS:
            break
        i = min(range(len(cell.sides)), key=lambda j: cell.halvings[j])
        queue.extend(cell.split(i))
    raise CheckFailed("vacuous: no point of the region was found that certainly meets the constraints")


# --------------------------------------------------------------------------- preparation


def _cut_tails(problem: _Problem, tail: Mapping[sp.Symbol, Any]) -> list[_Problem]:
    """Separate declared tails: a start only, or a start with a bound that has to be proved itself."""
    names = {x.name: x for x in problem.ranges}
    parts = []
    for symbol, entry in tail.items():
        x = names.get(symbol.name)
        if x is None or problem.ranges[x].high != sp.oo:
            raise CheckFailed(f"tail of {symbol}: its range has no infinite upper end")
        start, bound = entry if isinstance(entry, tuple) else (entry, None)
        start = sp.sympify(start)
        refuse_floats(start)
        if sign_of(start - problem.ranges[x].low) == -1:
            raise CheckFailed(f"tail of {symbol}: it starts at {start}, below the range")
        if bound is None:
            problem = replace(problem, tails={**problem.tails, x: start})
            continue
        bound = sp.sympify(bound).subs({s: names[s.name] for s in sp.sympify(bound).free_symbols if s.name in names})
        far = {**problem.ranges, x: _Range(start, sp.oo, False, True)}
        parts.append(replace(problem, f=problem.f - bound, strict=True, ranges=far, zeros=()))
        parts.append(replace(problem, f=bound, ranges=far, zeros=()))
        problem = replace(
            problem, ranges={**problem.ranges, x: _Range(problem.ranges[x].low, start, problem.ranges[x].low_open, False)}
        )
    return [problem, *parts]


def _settle(problem: _Problem, max_boxes: int) -> _Tally:
    """Simplify, move singular ends to infinity (perhaps in pieces), then bisect."""
    problem = _without_plain_factors(problem)
    if problem.f.is_Rational and problem.f > 0:
        for zero in problem.zeros:  # it would be proved without them, but they are part of what was said
            _verify_zero(problem, zero)
        return _Tally()
    for x, r in problem.ranges.items():
        pieces = _tame(problem, x, r)
        if pieces is not None:
            total = _Tally()
            for piece in pieces:
                total += _settle(piece, max_boxes)
            return total
    for zero in problem.zeros:
        _verify_zero(problem, zero)
    return _Search(problem, max_boxes).run()


def _without_plain_factors(problem: _Problem) -> _Problem:
    """Divide f by factors whose sign on the region is plain, and lower the orders of the zeros accordingly."""
    for candidate in (problem.f, _factored(problem.f)):
        sign, plain, rest = 1, [], []
        for factor in sp.Mul.make_args(candidate):
            s = _plain_sign(factor, problem.ranges)
            if s is None:
                rest.append(factor)
            else:
                sign *= s
                plain.append(factor)
        # Pulling out only constants and exponentials does not help, and reshapes f.
        if not rest or not all(p.is_number or isinstance(p, sp.exp) for p in plain):
            zeros = []
            for zero in problem.zeros:
                removed = sum((_order_at(p, zero) for p in plain), 0)
                if zero.order - removed > 0:
                    zeros.append(replace(zero, order=zero.order - removed))
            return replace(problem, f=sp.Mul(sign, *rest), zeros=tuple(zeros))
    return problem


def _factored(f: sp.Expr) -> sp.Expr:
    if not isinstance(f, sp.Add) or sp.count_ops(f) > 300:
        return f
    try:
        return sp.factor(f)
    except (sp.PolynomialError, NotImplementedError):
        return f


def _plain_sign(e: sp.Expr, ranges: Mapping[sp.Symbol, _Range]) -> int | None:
    """The strict sign of ``e`` on the whole region when it can be read off, else None."""
    if e.is_number:
        return sign_of(e) or None
    if e in ranges:
        r = ranges[e]
        return _sign_between(sign_of(r.low), sign_of(r.high), r)
    if isinstance(e, sp.exp):
        return 1 if e.args[0].is_extended_real else None
    if isinstance(e, sp.log):
        return _plain_sign(sp.expand(e.args[0] - 1), ranges) if _plain_sign(e.args[0], ranges) == 1 else None
    if isinstance(e, sp.Pow):
        s = _plain_sign(e.base, ranges)
        if s == 1:
            return 1 if e.exp.is_extended_real else None
        return (-1) ** int(e.exp) if s == -1 and isinstance(e.exp, sp.Integer) else None
    signs = {_plain_sign(a, ranges) for a in e.args} if isinstance(e, (sp.Mul, sp.Add)) else {None}
    if isinstance(e, sp.Mul):
        return None if None in signs else math.prod(_plain_sign(a, ranges) for a in e.args)
    if isinstance(e, sp.Add):
        if len(signs) == 1:
            return signs.pop()
        number, growth = e.as_independent(*e.free_symbols, as_Add=True)
        if isinstance(ratio := -growth / number if number else None, sp.exp):  # number * (1 - exp(...))
            s = _plain_sign(ratio.args[0], ranges)
            return s and -s * sign_of(number)
        if len(e.free_symbols) == 1:
            x = next(iter(e.free_symbols))
            poly = e.as_poly(x)
            if poly is not None and poly.degree() == 1 and x in ranges:
                r = ranges[x]
                slope = sign_of(poly.LC())
                ends = [
                    sign_of(e.subs(x, end)) if end not in (sp.oo, -sp.oo) else slope * sign_of(end)
                    for end in (r.low, r.high)
                ]
                return _sign_between(*ends, r)
    return None


def _sign_between(low: int | None, high: int | None, r: _Range) -> int | None:
    """The sign of a monotone function that has these signs at the ends."""
    for s in (1, -1):
        if (low == s or (low == 0 and r.low_open)) and (high == s or (high == 0 and r.high_open)) and (low or high):
            return s
    return None


def _order_at(factor: sp.Expr, zero: _Zero) -> int:
    """The order to which a factor vanishes at the zero (negative for a pole)."""
    if isinstance(factor, sp.Pow) and isinstance(factor.exp, sp.Integer):
        return int(factor.exp) * _order_at(factor.base, zero)
    derivative = factor
    for order in range(20):
        value = derivative.subs(zero.variable, zero.at)
        if value.has(sp.nan, sp.zoo, sp.oo):
            raise CheckFailed(f"zero {_show(zero.variable)} = {_show(zero.at)}: the factor {_show(factor)} is singular there")
        if not _vanishes(value):
            return order
        derivative = derivative.diff(zero.variable)
    raise CheckFailed(f"zero {_show(zero.variable)} = {_show(zero.at)}: the factor {_show(factor)} vanishes to a high order")


def _vanishes(e: sp.Expr) -> bool:
    """Whether ``e`` is identically 0, by exact means only; False also when that is not seen."""
    if not e.free_symbols:
        return bool(is_zero(e))
    return sp.expand(e) == 0 or sp.simplify(e) == 0


def _verify_zero(problem: _Problem, zero: _Zero) -> None:
    derivative = problem.f
    for k in range(zero.order):
        value = derivative.subs(zero.variable, zero.at)
        if value.has(sp.nan, sp.zoo, sp.oo) or not _vanishes(value):
            what = "f" if k == 0 else f"its derivative of order {k}"
            raise CheckFailed(
                f"declared zero {_show(zero.variable)} = {_show(zero.at)} of order {zero.order}: "
                f"{what} is {_show(sp.simplify(value))} there, not 0"
            )
        derivative = derivative.diff(zero.variable)


def _tame(problem: _Problem, x: sp.Symbol, r: _Range) -> list[_Problem] | None:
    """Pieces with x moved so that only +oo is an infinite or singular end; None when nothing is to do."""
    if r.low == -sp.oo:
        if r.high == sp.oo:
            return _cut(problem, x, sp.Integer(0))
        new = sp.Dummy(x.name, **_assumptions(_Range(-r.high, sp.oo, r.high_open)))
        return [problem.substituted(x, -new, new, _Range(-r.high, sp.oo, r.high_open))]
    low = _singularity(problem.f, x, r.low) if r.low_open else None
    high = _singularity(problem.f, x, r.high) if r.high_open and r.high != sp.oo else None
    if low and (high or r.high == sp.oo):
        return _cut(problem, x, r.low + 1 if r.high == sp.oo else (r.low + r.high) / 2)
    if low or high:
        width = r.high - r.low
        kind = low or high
        start = sp.simplify(-sp.log(width)) if kind == "branch" else 1 / width
        new_range = _Range(start, sp.oo, r.high_open if low else r.low_open)
        new = sp.Dummy(x.name, **_assumptions(new_range))
        move = sp.exp(-new) if kind == "branch" else 1 / new
        return [problem.substituted(x, r.low + move if low else r.high - move, new, new_range)]
    if r.high == sp.oo:
        try:
            _Tail.of(problem.f, x)
        except _NoTail:
            if sign_of(r.low) != 1:
                cut = sp.Integer(1) if sign_of(1 - r.low) == 1 else r.low + 1
                return _cut(problem, x, cut)
            new_range = _Range(sp.Integer(0), 1 / r.low, True, r.low_open)
            new = sp.Dummy(x.name, positive=True)
            moved = problem.substituted(x, 1 / new, new, new_range)
            moved = _without_plain_factors(replace(moved, f=sp.simplify(moved.f)))
            if _singularity(moved.f, new, sp.Integer(0)):
                raise CheckFailed(
                    f"no way to treat {x.name} -> oo in {_show(problem.f)}; declare a tail bound or change the variable"
                ) from None
            return [moved]
    return None


def _cut(problem: _Problem, x: sp.Symbol, at: sp.Expr) -> list[_Problem]:
    r = problem.ranges[x]
    pieces = []
    for part in (_Range(r.low, at, r.low_open, False), _Range(at, r.high, False, r.high_open)):
        kept = tuple(
            z
            for z in problem.zeros
            if z.variable != x
            or z.at.free_symbols
            or not (sign_of(part.low - z.at) == 1 or sign_of(z.at - part.high) == 1)
        )
        pieces.append(replace(problem, ranges={**problem.ranges, x: part}, zeros=kept))
    return pieces


def _singularity(f: sp.Expr, x: sp.Symbol, end: sp.Expr) -> str | None:
    """What happens at a finite end: a ``branch`` point (logarithm, broken power), a ``pole``, or nothing."""

    def vanishing(base: sp.Expr) -> bool:
        if not base.has(x):
            return False
        value = base.subs(x, end)
        return value.has(sp.zoo, sp.nan, sp.oo) or _vanishes(value)

    poles = [p for p in f.atoms(sp.Pow) if isinstance(p.exp, sp.Integer) and p.exp < 0 and vanishing(p.base)]
    if poles:
        return "pole"
    logs = [e for e in f.atoms(sp.log) if vanishing(e.args[0])]
    powers = [p for p in f.atoms(sp.Pow) if p.base != sp.E and not isinstance(p.exp, sp.Integer) and vanishing(p.base)]
    return "branch" if logs or powers else None


# --------------------------------------------------------------------------- tails


class _NoTail(Exception):
    """The expression is not of the form that the tail argument treats."""


@dataclass(frozen=True)
class _Monomial:
    """x^power log(x)^logs exp(-decay x)"""

    decay: sp.Expr = sp.Integer(0)
    power: sp.Expr = sp.Integer(0)
    logs: sp.Expr = sp.Integer(0)

    def __mul__(self, other: _Monomial) -> _Monomial:
        return _Monomial(sp.expand(self.decay + other.decay), self.power + other.power, self.logs + other.logs)

    def to(self, exponent: sp.Expr) -> _Monomial:
        return _Monomial(sp.expand(self.decay * exponent), self.power * exponent, self.logs * exponent)

    @property
    def is_one(self) -> bool:
        return self == _Monomial()


@dataclass
class _Tail:
    """expr = (a positive monomial) * bounded, where ``bounded`` has decaying monomials as new variables."""

    x: sp.Symbol
    bounded: sp.Expr = sp.Integer(0)
    decaying: dict[_Monomial, sp.Dummy] = field(default_factory=dict)

    @classmethod
    def of(cls, expr: sp.Expr, x: sp.Symbol) -> _Tail:
        tail = cls(x)
        _, tail.bounded = tail._split(sp.expand(expr.rewrite(sp.exp)))
        return tail

    def _split(self, e: sp.Expr) -> tuple[_Monomial, sp.Expr]:
        x = self.x
        if not e.has(x):
            return _Monomial(), e
        if e == x:
            return _Monomial(power=sp.Integer(1)), sp.Integer(1)
        if e == sp.log(x):
            return _Monomial(logs=sp.Integer(1)), sp.Integer(1)
        if isinstance(e, sp.exp):
            poly = sp.expand(e.args[0]).as_poly(x)
            if poly is not None and poly.degree() == 1:
                return _Monomial(decay=-poly.coeff_monomial(x)), sp.exp(poly.coeff_monomial(1))
        if isinstance(e, sp.Mul):
            monomial, rest = _Monomial(), sp.Integer(1)
            for factor in e.args:
                m, b = self._split(factor)
                monomial, rest = monomial * m, rest * b
            return monomial, rest
        if isinstance(e, sp.Pow) and e.exp.is_number and e.exp.is_rational:
            m, b = self._split(e.base)
            return m.to(e.exp), b**e.exp
        if isinstance(e, sp.Add):
            return self._split_sum(e)
        if isinstance(e, (sp.Function, sp.exp)):
            return _Monomial(), e.func(*(self._bounded(a) for a in e.args))
        raise _NoTail(f"{e} as {x} -> oo")

    def _split_sum(self, e: sp.Add) -> tuple[_Monomial, sp.Expr]:
        collected: dict[_Monomial, sp.Expr] = {}
        for term in e.args:
            m, b = self._split(term)
            collected[m] = collected.get(m, sp.Integer(0)) + b
        collected = {m: b for m, b in collected.items() if not _vanishes(b)}
        if not collected:
            return _Monomial(), sp.Integer(0)
        numeric = [m for m in collected if m.decay.is_number]
        if not numeric:
            raise _NoTail(f"no leading term in {e}")
        lead = numeric[0]
        for m in numeric[1:]:
            if self._larger(m, lead):
                lead = m
        return lead, sp.Add(*(self._variable(m * lead.to(sp.Integer(-1))) * b for m, b in collected.items()))

    @staticmethod
    def _larger(m: _Monomial, n: _Monomial) -> bool:
        for mine, other in ((n.decay, m.decay), (m.power, n.power), (m.logs, n.logs)):
            s = sign_of(mine - other)
            if s is None:
                raise _NoTail("two rates that cannot be compared")
            if s:
                return s > 0
        return False

    def _bounded(self, e: sp.Expr) -> sp.Expr:
        m, b = self._split(e)
        return self._variable(m) * b

    def _variable(self, m: _Monomial) -> sp.Expr:
        if m.is_one:
            return sp.Integer(1)
        if m.decay.is_number and not self._larger(_Monomial(), m):
            raise _NoTail(f"a growing part as {self.x} -> oo")
        return self.decaying.setdefault(m, sp.Dummy(f"m{len(self.decaying)}", nonnegative=True))


class _TailForm:
    """Evaluates the bounded part of an expression on cells that are infinite in some variables."""

    def __init__(self, expr: sp.Expr, infinite: Sequence[sp.Symbol], variables: Sequence[sp.Symbol]):
        self._finite = [x for x in variables if x not in infinite]
        self._tails = []
        for x in infinite:
            tail = _Tail.of(expr, x)
            expr = tail.bounded
            self._tails.append(tail)
        for tail in self._tails:
            if any(m.decay.free_symbols & set(infinite) for m in tail.decaying):
                raise _NoTail("rates that depend on another infinite variable")
        self._decays = [ball_function(self._finite, [m.decay for m in t.decaying]) for t in self._tails]
        dummies = [d for t in self._tails for d in t.decaying.values()]
        self._function = ball_function([*dummies, *self._finite], expr)

    def __call__(self, starts: Sequence[fmpq], finite: Sequence[arb]) -> arb | None:
        if not all(start > 1 for start in starts):  # logarithms and powers of x are positive only there
            return None
        ranges = []
        for tail, start, decays in zip(self._tails, starts, self._decays, strict=True):
            for monomial, decay in zip(tail.decaying, decays(*finite), strict=True):
                value = _value_if_decaying(monomial, decay, start)
                if value is None:
                    return None
                ranges.append(value)
        return self._function(*ranges, *finite)


def _value_if_decaying(m: _Monomial, decay: arb, start: fmpq) -> arb | None:
    """The range of a monomial on [start, oo) when it certainly decreases there."""
    x = arb(start)
    power, logs = arb(exact_rational(m.power)), arb(exact_rational(m.logs))
    if not decay >= 0:
        return None
    slope = power + (logs / x.log() if logs > 0 else arb(0)) - decay * x
    if not slope <= 0:
        return None
    top = (power * x.log() + logs * x.log().log() - decay * x).exp() if logs != 0 else (power * x.log() - decay * x).exp()
    return arb(0).union(top.upper()).nonnegative_part()


# --------------------------------------------------------------------------- the search


@dataclass
class _Tally:
    boxes: int = 0
    margin: fmpq | None = None

    def __add__(self, other: _Tally) -> _Tally:
        margins = [m for m in (self.margin, other.margin) if m is not None]
        return _Tally(self.boxes + other.boxes, min(margins) if margins else None)


@dataclass(frozen=True)
class _Cell:
    """Sides with exact ends; ``None`` for an infinite upper end. ``halvings`` counts splits by variable."""

    sides: tuple[tuple[fmpq, fmpq | None], ...]
    halvings: tuple[int, ...]

    @property
    def infinite(self) -> tuple[int, ...]:
        return tuple(i for i, (_, high) in enumerate(self.sides) if high is None)

    def split(self, i: int) -> tuple[_Cell, _Cell]:
        low, high = self.sides[i]
        cut = 2 * max(low, fmpq(1)) if high is None else (low + high) / 2
        halvings = tuple(h + (j == i) for j, h in enumerate(self.halvings))
        return tuple(
            _Cell((*self.sides[:i], side, *self.sides[i + 1:]), halvings) for side in ((low, cut), (cut, high))
        )  # type: ignore[return-value]

    def middle(self) -> list[fmpq]:
        return [low + 1 if high is None else (low + high) / 2 for low, high in self.sides]


class _Region:
    """The box of a problem as cells, and its constraints as ball functions."""

    def __init__(self, problem: _Problem):
        self._problem = problem
        self._constraints = [
            (c.relation, ball_function(list(problem.ranges), c.difference)) for c in problem.where
        ]

    def cells(self) -> list[_Cell]:
        sides = []
        for x, r in self._problem.ranges.items():
            if r.low == -sp.oo:  # only before the ends are moved, when looking for any point
                sides.append([(_below(r.high) - 2, _above(r.high)) if r.high != sp.oo else (fmpq(-1), fmpq(1))])
                continue
            low = _below(r.low)
            if r.high != sp.oo:
                sides.append([(low, _above(r.high))])
                continue
            start = self._problem.tails.get(x)
            cut = _above(start) if start is not None else max(low + 1, fmpq(2))
            sides.append([(low, cut), (cut, None)] if cut > low else [(low, None)])
        return [_Cell(tuple(s), (0,) * len(sides)) for s in itertools.product(*sides)]

    def excludes(self, cell: _Cell) -> bool:
        """Whether the cell certainly violates a constraint."""
        if cell.infinite:
            return False
        box = [interval(low, high) for low, high in cell.sides]
        for relation, difference in self._constraints:
            value = difference(*box)
            if _is_order(relation) and (value < 0 or (value <= 0 and isinstance(relation, (sp.Gt, sp.Lt)))):
                return True
        return False

    def contains(self, point: Sequence[fmpq]) -> bool:
        """Whether the point certainly lies in the open box and meets all constraints."""
        for p, r in zip(point, self._problem.ranges.values(), strict=True):
            above = r.low == -sp.oo or arb(p) > ball(r.low, ctx.prec)
            if not (above and (r.high == sp.oo or arb(p) < ball(r.high, ctx.prec))):
                return False
        for relation, difference in self._constraints:
            value = difference(*point)
            weak = value >= 0 and isinstance(relation, (sp.Ge, sp.Le))
            if not (value > 0 or weak or (value < 0 and isinstance(relation, sp.Ne))):
                return False
        return True


class _Form:
    """One expression to be shown positive: natural evaluation, derivative help, tail form, all compiled late."""

    def __init__(self, expr: sp.Expr, variables: Sequence[sp.Symbol]):
        self.expr = expr
        self._variables = variables
        self._tails: dict[tuple[int, ...], _TailForm | None] = {}

    @cached_property
    def _value(self) -> Any:
        return ball_function(self._variables, self.expr)

    @cached_property
    def _gradient(self) -> Any:
        if self.expr.has(*_JUMPS):
            return None
        try:
            return ball_function(self._variables, [self.expr.diff(x) for x in self._variables])
        except NoBallForm:
            return None

    def lower_bound(self, box: Sequence[arb], sign: int) -> tuple[arb | None, list[arb] | None]:
        """A positive lower bound of sign * expr on the box (or None), and the gradient when it was computed."""
        value = sign * self._value(*box)
        if value > 0:
            return value.lower(), None
        if not value.is_finite() or self._gradient is None:
            return None, None
        slopes = [sign * s for s in self._gradient(*box)]
        if not all(s.is_finite() for s in slopes):
            return None, None
        corner = [
            b.lower() if s >= 0 else b.upper() if s <= 0 else b.mid() for b, s in zip(box, slopes, strict=True)
        ]
        spread = sum((s * (b - c) for b, c, s in zip(box, corner, slopes, strict=True) if not (s >= 0 or s <= 0)), arb(0))
        value = sign * self._value(*corner) + spread
        return (value.lower() if value > 0 else None), slopes

    def tail_bound(self, cell: _Cell, box: Sequence[arb | None], sign: int) -> arb | None:
        if cell.infinite not in self._tails:
            try:
                form = _TailForm(self.expr, [self._variables[i] for i in cell.infinite], self._variables)
            except _NoTail:
                form = None
            self._tails[cell.infinite] = form
        form = self._tails[cell.infinite]
        if form is None:
            return None
        value = form([cell.sides[i][0] for i in cell.infinite], [b for b in box if b is not None])
        return (sign * value).lower() if value is not None and sign * value > 0 else None


class _Search:
    """Adaptive bisection, depth first, in a fixed order: the same boxes on every run."""

    def __init__(self, problem: _Problem, max_boxes: int):
        self.problem = problem
        self.max_boxes = max_boxes
        self.variables = list(problem.ranges)
        self.forms: dict[tuple[_Zero, ...], _Form] = {}
        self.places = {z: ball_function(self.variables, z.at) for z in problem.zeros}
        self.region = _Region(problem)
        self.tally = _Tally()

    def run(self) -> _Tally:
        stack = list(self.region.cells())  # the last, the tails, first: they fail fast
        while stack:
            cell = stack.pop()
            if self.region.excludes(cell):
                continue
            self.tally.boxes += 1
            margin, slopes = self._attempt(cell)
            if margin is not None:
                self.tally += _Tally(0, margin)
                continue
            self._refute_in(cell)
            direction = self._direction(cell, slopes)
            if direction is None or self.tally.boxes >= self.max_boxes:
                self._give_up(cell, stack)
            stack.extend(cell.split(direction))
        return self.tally

    def _give_up(self, cell: _Cell, stack: Sequence[_Cell]) -> NoReturn:
        """Fail, with a point where the relation is false if one of the open boxes shows it."""
        for other in reversed(stack):
            self._refute_in(other)
        raise CheckFailed(f"unproved after {self.tally.boxes} boxes, on {self._show(cell)}{self._hint(cell)}")

    def _attempt(self, cell: _Cell) -> tuple[fmpq | None, list[arb] | None]:
        box = [None if high is None else interval(low, high) for low, high in cell.sides]
        slopes = None
        for used in self._choices(cell, box):
            sign, hull = 1, list(box)
            for zero in used:
                i = self.variables.index(zero.variable)
                place = self._place(zero, box)
                if zero.order % 2:
                    sign *= self._side(zero, cell.sides[i], place)
                hull[i] = hull[i].union(place)
                if cell.sides[i][0] >= 0 and place >= 0:
                    hull[i] = hull[i].nonnegative_part()
            if not sign:
                continue
            form = self._form(used)
            if cell.infinite:
                bound = form.tail_bound(cell, hull, sign)
            else:
                bound, slopes = form.lower_bound(hull, sign)
            if bound is not None:
                scale = math.prod(math.factorial(z.order) for z in used)
                return bound.fmpq() / scale, slopes
        return None, slopes

    def _choices(self, cell: _Cell, box: Sequence[arb | None]) -> list[tuple[_Zero, ...]]:
        """Which zeros to divide out: all that touch the cell; else none, then a near one."""
        touching, near = [], []
        for zero in self.problem.zeros:
            side = box[self.variables.index(zero.variable)]
            place = self._place(zero, box)
            if side is None or place is None or not place.is_finite():
                continue
            if side.overlaps(place):
                touching.append(zero)
            elif abs(side.mid() - place) < 4 * side.rad():
                near.append((zero,))
        if not touching:
            return [(), *near]
        distinct = len({z.variable for z in touching}) == len(touching)
        moving = sum(bool(z.at.free_symbols) for z in touching)
        return [tuple(touching)] if distinct and moving <= 1 else []

    def _place(self, zero: _Zero, box: Sequence[arb | None]) -> arb | None:
        if any(b is None for b, x in zip(box, self.variables, strict=True) if zero.at.has(x)):
            return None
        return self.places[zero](*(arb(0) if b is None else b for b in box))

    @staticmethod
    def _side(zero: _Zero, side: tuple[fmpq, fmpq | None], place: arb) -> int:
        low, high = side
        if arb(low) >= place:
            return 1
        if high is not None and arb(high) <= place:
            return -1
        return zero.side or 0

    def _form(self, used: tuple[_Zero, ...]) -> _Form:
        if used not in self.forms:
            expr = self.problem.f
            if used and expr.has(*_JUMPS, sp.Abs, sp.Max, sp.Min):
                raise CheckFailed(f"zeros need a smooth difference, not {_show(expr)}")
            for zero in used:
                expr = expr.diff(zero.variable, zero.order)
            self.forms[used] = _Form(expr, self.variables)
        return self.forms[used]

    def _direction(self, cell: _Cell, slopes: list[arb] | None) -> int | None:
        """The variable to split: where the expression varies most over the cell; None when all are too narrow."""

        def weight(i: int) -> tuple[int, fmpq]:
            low, high = cell.sides[i]
            if high is None:
                return (2 if low < _MAX_TAIL_START else -1), fmpq(0)
            if cell.halvings[i] >= _MAX_HALVINGS:
                return -1, fmpq(0)
            if slopes is not None:
                return 1, (high - low) * abs(slopes[i]).upper().fmpq()
            return 1, fmpq(1) / (cell.halvings[i] + 1)

        if cell.infinite and len(cell.sides) > 1:
            # Alternate between pushing the tail out and refining the other variables.
            i = min(range(len(cell.sides)), key=lambda j: (weight(j)[0] < 0, cell.halvings[j], j))
        else:
            i = max(range(len(cell.sides)), key=lambda j: (*weight(j), -j))
        return i if weight(i)[0] >= 0 else None

    def _refute_in(self, cell: _Cell) -> None:
        """Raise when the relation is certainly false at the middle of the cell."""
        point = cell.middle()
        with ctx.workprec(_POINT_BITS):
            value = self._form(())._value(*point)
            false = value < 0 or (self.problem.strict and value <= 0)
            if not false or not self.region.contains(point):
                return
        where = _show_point(self.problem, dict(zip(self.variables, map(_sympy, point), strict=True)))
        raise CheckFailed(f"false: at {where} the difference, up to positive factors, is {value.str(6, radius=False)}")

    def _hint(self, cell: _Cell) -> str:
        for i, (x, r) in enumerate(self.problem.ranges.items()):
            for end in (r.low, r.high):
                if end in (sp.oo, -sp.oo) or cell.sides[i][1] is None or self.problem.original.get(x.name) != x:
                    continue
                if not interval(*cell.sides[i]).overlaps(ball(end)):
                    continue
                declared = [z for z in self.problem.zeros if z.variable == x and _vanishes(z.at - end)]
                derivative, order = self.problem.f, 0
                while order < 9 and _vanishes(derivative.subs(x, end)):
                    derivative, order = derivative.diff(x), order + 1
                if order > sum(z.order for z in declared):
                    return f"; f vanishes to order {order} at {x.name} = {end}: declare it in zeros"
        return ""

    def _show(self, cell: _Cell) -> str:
        sides = ", ".join(
            f"{x.name} in [{_short(low)}, {'oo' if high is None else _short(high)}]"
            for x, (low, high) in zip(self.variables, cell.sides, strict=True)
        )
        changed = {n: e for n, e in self.problem.original.items() if e not in self.variables}
        names = "; ".join(f"{n} = {_show(e)}" for n, e in changed.items())
        return f"the box {sides}" + (f" (where {names} of the statement)" if names else "")


# --------------------------------------------------------------------------- numbers as text


def _below(end: sp.Expr) -> fmpq:
    return exact_rational(end) if isinstance(end, sp.Rational) else ball(end, ctx.prec).lower().fmpq()


def _above(end: sp.Expr) -> fmpq:
    return exact_rational(end) if isinstance(end, sp.Rational) else ball(end, ctx.prec).upper().fmpq()


def _sympy(q: fmpq) -> sp.Rational:
    return sp.Rational(int(q.p), int(q.q))


def _short(q: fmpq) -> str:
    return str(q) if len(str(q)) <= 12 else arb(q).str(8, radius=False)


def _show(e: sp.Basic) -> str:
    """An expression with plain names instead of our internal symbols."""
    return str(e.xreplace({d: sp.Symbol(d.name) for d in e.free_symbols}))


def _show_range(r: _Range) -> str:
    return f"{'(' if r.low_open else '['}{r.low}, {r.high}{')' if r.high_open else ']'}"


def _show_point(problem: _Problem, point: Mapping[sp.Symbol, sp.Expr]) -> str:
    return ", ".join(f"{name} = {e.subs(point)}" for name, e in problem.original.items())


def _round_down(q: fmpq, digits: int = 2) -> str:
    """A positive rational, rounded down to two significant digits, as text."""
    exponent = len(str(q.p)) - len(str(q.q))
    if fmpq(10) ** exponent > q:
        exponent -= 1
    mantissa = int((q / fmpq(10) ** (exponent - digits + 1)).floor())
    if -4 <= exponent <= 4:
        text = sp.Rational(mantissa) * sp.Rational(10) ** (exponent - digits + 1)
        return f"{float(text):.{max(digits - 1 - exponent, 0)}f}"
    return f"{mantissa // 10}.{mantissa % 10}e{exponent}"
