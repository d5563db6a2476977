"""Evidence for what a rule concludes: never stronger than its premises, and looked at once more in numbers.

A rule's conclusion speaks of all sizes and all laws. ``looked_at`` takes small sizes, members of families and laws
with a few values at random, and evaluates the conclusion there: a rule that concludes too much is found out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import BooleanFunction

from claimproof.core.evidence import CheckFailed, Evidence, Kind, ShownFalse
from claimproof.core.verdict import DECISIVE
from claimproof.engines import sampled
from claimproof.engines.sampler import Sampler, seed_of

INSTANCES = 8
POINTS = 3
LARGEST = 4  # of sizes, and of the number of values of a law


class Mean(sp.Function):  # type: ignore[misc]
    """E of a function of a random variable: ``Mean(exp(-X), X)``. Nothing is assumed but what the rules use."""

    nargs = 2
    is_real = True


class Every(BooleanFunction):  # type: ignore[misc]
    """A hypothesis for each index: ``Every(relation, i, first, last)``."""

    nargs = 4


def concluded(rule: str, premises: Sequence[Sequence[Evidence]]) -> Evidence:
    """Evidence of the weakest kind among the premises, each of which must be settled by itself."""
    kinds = [kind for evidence in premises if (kind := _settled(rule, evidence)) is not None]
    if not kinds:
        raise CheckFailed(f"{rule}: vacuous: every premise says that a = a")
    weakest = max(kinds, key=list(Kind).index)
    from_ = ", ".join(kind.value for kind in kinds)
    return Evidence(weakest, f"{weakest.value} (by {rule}, from {from_})", {"rule": rule, "premises": [k.value for k in kinds]})


def _settled(rule: str, evidence: Sequence[Evidence]) -> Kind | None:
    """The kind that settles a premise; None for one that is true because it says a = a."""
    if any(e.kind is Kind.ARGUED for e in evidence):
        raise CheckFailed(f"{rule}: a premise is argued: a rule joins what machines have settled")
    deciding = [e for e in evidence if e.kind.value in DECISIVE]
    if not deciding:
        raise CheckFailed(f"{rule}: a premise is not settled, but {', '.join(e.kind.value for e in evidence) or 'unchecked'}")
    telling = [e.kind for e in deciding if not e.data.get("vacuous")]
    return max(telling, key=list(Kind).index) if telling else None


# ---- in numbers -------------------------------------------------------------------------


def looked_at(relation: sp.Rel, where: Sequence[sp.Basic], seed_text: str) -> Evidence | None:
    """The conclusion at small sizes, for random members of families and laws of a few values.

    None where it can't be evaluated; raises ``ShownFalse`` where it is false.
    """
    if relation.has(sp.Limit):
        return _limit_looked_at(relation, where, seed_text)
    rng = random.Random(seed_of(seed_text))
    true = 0
    for number in range(INSTANCES):
        try:
            instance, conditions = _small(relation, where, rng)
            if not sampled.can_evaluate(instance.lhs, instance.rhs):
                return None
            symbols = sorted(instance.free_symbols | {s for c in conditions for s in c.free_symbols}, key=str)
            points = Sampler(symbols, conditions, seed=seed_of(f"{seed_text} {number}")).points(POINTS)
        except CheckFailed:  # no point met the hypotheses at this size
            continue
        true += _true_points(instance, points)
    if not true:
        return None
    return Evidence(
        Kind.SAMPLED, f"conclusion evaluated at {true} instances of small size",
        {"true": true, "false": 0, "digits": sampled.DIGITS},
    )


def _true_points(instance: sp.Rel, points: Sequence[dict[sp.Symbol, sp.Expr]]) -> int:
    if isinstance(instance, sp.Eq):
        true, false, _, witness = sampled.compare(instance.lhs, instance.rhs, points)
    else:
        witness = sampled.violation(instance, points)
        true, false = len(points), int(witness is not None)
    if false:
        place = ", ".join(f"{s} = {v}" for s, v in (witness or {}).items())
        raise ShownFalse(f"the conclusion is false at {place}: {instance}")
    return true


def _limit_looked_at(relation: sp.Rel, where: Sequence[sp.Basic], seed_text: str) -> Evidence | None:
    """Only equations of one limit with a value, by going near the point."""
    if not isinstance(relation, sp.Eq) or not isinstance(relation.lhs, sp.Limit) or relation.has(Mean):
        return None
    body, variable, point, side = relation.lhs.args
    symbols = sorted(relation.free_symbols - {variable}, key=str)
    own = [condition for condition in where if condition.free_symbols <= set(symbols)]
    parameters = Sampler(symbols, own, seed=seed_of(seed_text)).points(POINTS)
    signs = [1 if s == "+" else -1 for s in str(side)] if point.is_finite else [1]
    try:
        return sampled.limit(body, variable, point, relation.rhs, signs, parameters)
    except (NotImplementedError, TypeError):
        return None


def _small(
    relation: sp.Rel, where: Sequence[sp.Basic], rng: random.Random
) -> tuple[sp.Rel, list[sp.Basic]]:
    """One instance: sizes are small numbers, members of families and values of laws are symbols of their own."""
    conditions = [*where]
    sizes = {
        size: sp.Integer(rng.randint(0 if size.is_positive is not True else 1, LARGEST))
        for size in sorted(_sizes(relation, conditions), key=str)
    }
    parts: list[Any] = [relation, *conditions]
    for change in (lambda e: e.subs(sizes), _with_small_laws(parts, rng), _summed_up, _members_as_symbols()):
        parts = [part for before in parts for part in _each(change, before)]
    instance, *rest = parts
    if not isinstance(instance, sp.Rel):
        instance = sp.Eq(sp.Integer(0), sp.Integer(0 if instance == sp.true else 1), evaluate=False)
    if sp.false in rest:
        raise CheckFailed("the hypotheses fail at this size")
    solved, open_conditions = _equations_solved([r for r in rest if r != sp.true])
    return instance.func(*(a.subs(solved) for a in instance.args), evaluate=False), open_conditions


def _each(change: Callable[[Any], Any], part: Any) -> Iterator[Any]:
    """A relation keeps its sides as they are; a hypothesis may become several, one for each index or value."""
    changed = _sidewise(change, part) if isinstance(part, sp.Rel) else change(part)
    if isinstance(changed, list):
        yield from changed
    else:
        yield changed


def _sidewise(change: Callable[[Any], Any], relation: sp.Rel) -> Any:
    sides = [change(side) for side in relation.args]
    if any(isinstance(side, list) for side in sides):
        both = zip(*(side if isinstance(side, list) else [side] * LARGEST for side in sides), strict=False)
        return [relation.func(*pair, evaluate=False) for pair in both]
    return relation.func(*sides, evaluate=False)


def _sizes(relation: sp.Rel, conditions: Sequence[sp.Basic]) -> set[sp.Symbol]:
    """The symbols that say how many there are."""
    found: set[sp.Symbol] = set()
    for part in (relation, *conditions):
        for node in part.atoms(sp.Sum, sp.Product):
            found |= set[sp.Symbol]().union(*(end.free_symbols for _, *ends in node.limits for end in ends))
        for node in part.atoms(Every):
            found |= node.args[3].free_symbols | node.args[2].free_symbols
    bound = {variable for part in (relation, *conditions) for n in part.atoms(sp.Sum, sp.Product) for variable, *_ in n.limits}
    return {s for s in found - bound if s.is_integer}


def _with_small_laws(parts: Sequence[sp.Basic], rng: random.Random) -> Callable[[Any], Any]:
    """Mean(g, X) as a weighted sum over a few values; a hypothesis on X holds for each of them."""
    variables = sorted({node.args[1] for part in parts for node in part.atoms(Mean)}, key=str)
    values: dict[sp.Symbol, list[sp.Dummy]] = {}
    weights: dict[sp.Symbol, list[sp.Rational]] = {}
    for variable in variables:
        count = rng.randint(1, LARGEST)
        values[variable] = [sp.Dummy(f"{variable}{k}", **variable._assumptions_orig) for k in range(count)]
        shares = [rng.randint(1, 9) for _ in range(count)]
        weights[variable] = [sp.Rational(share, sum(shares)) for share in shares]

    def averaged(body: sp.Expr, variable: sp.Symbol) -> sp.Expr:
        return sum((w * body.subs(variable, v) for w, v in zip(weights[variable], values[variable], strict=True)), sp.S.Zero)

    def change(part: Any) -> Any:
        done = part.replace(Mean, averaged)
        for variable in variables:
            if done.has(variable):
                return [done.subs(variable, value) for value in values[variable]]
        return done

    return change


def _summed_up(part: Any) -> Any:
    """Sums, products and hypotheses over an index, written out."""
    if isinstance(part, Every):
        condition, index, first, last = part.args
        if not last.is_finite:
            raise CheckFailed(f"{part} can't be met one by one")
        return [condition.subs(index, k) for k in range(int(first), int(last) + 1)]
    return part.replace(lambda e: isinstance(e, sp.Sum | sp.Product), lambda e: e.doit())


def _members_as_symbols() -> Callable[[Any], Any]:
    known: dict[AppliedUndef, sp.Dummy] = {}

    def change(part: Any) -> Any:
        for member in sorted(part.atoms(AppliedUndef), key=sp.default_sort_key):
            known.setdefault(member, sp.Dummy(str(member), **member.func._kwargs))
        return part.xreplace(known)

    return change


def _equations_solved(conditions: Sequence[sp.Basic]) -> tuple[dict[sp.Symbol, sp.Expr], list[sp.Basic]]:
    """An equation among hypotheses is met by no random point: one of its symbols is solved for, and keeps its domain."""
    solved: dict[sp.Symbol, sp.Expr] = {}
    rest: list[sp.Basic] = []
    for condition in conditions:
        held = condition.subs(solved)
        if isinstance(held, sp.Eq) and held.free_symbols:
            symbol, value = _linear_solution(held)
            solved = {known: e.subs(symbol, value) for known, e in solved.items()} | {symbol: value}
            if symbol.is_nonnegative:
                rest.append(sp.Gt(value, 0) if symbol.is_positive else sp.Ge(value, 0))
        else:
            rest.append(held)
    if sp.false in (final := [sp.sympify(r).subs(solved) for r in rest]):
        raise CheckFailed("the hypotheses fail at this size")
    return solved, [r for r in final if r != sp.true]


def _linear_solution(equation: sp.Eq) -> tuple[sp.Symbol, sp.Expr]:
    gap = sp.expand(equation.lhs - equation.rhs)
    for symbol in sorted(gap.free_symbols, key=str):
        slope = gap.diff(symbol)
        if slope != 0 and symbol not in slope.free_symbols:
            return symbol, -gap.subs(symbol, 0) / slope
    raise CheckFailed(f"{equation} fixes no symbol")
