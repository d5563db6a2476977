"""What was proved in each of some regions holds everywhere, if the regions leave nothing out."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import sympy as sp

from claimproof.session.findings import Finding
from claimproof.session.rules.premises import Conclusion, RuleRefused, bound, conclude, declared, merged, same

MOST_EXPRESSIONS = 6
_SIGNS: dict[type[sp.Rel], frozenset[int]] = {
    sp.Gt: frozenset({1}), sp.Ge: frozenset({0, 1}), sp.Lt: frozenset({-1}), sp.Le: frozenset({-1, 0}),
    sp.Eq: frozenset({0}), sp.Ne: frozenset({-1, 1}),
}


def case_split(*cases: Finding, where: Sequence[sp.Basic] = ()) -> Finding:
    """One relation that was proved under several hypotheses, under none of them, or under ``where`` only.

    Hypotheses that all cases share are kept. The others must leave nothing out of what remains: either they bound one symbol by
    numbers and their union is its whole domain, or they are about signs of expressions and every combination of
    signs is in some case.
    """
    if len(cases) < 2:
        raise RuleRefused(f"case split: {len(cases)} case is no split")

    def draw(*findings: Finding) -> Conclusion:
        first, *others = findings
        relation = first.relation
        assert isinstance(relation, sp.Rel)
        for other in others:
            if not same(relation, other.relation):
                raise RuleRefused(f"case split: one case proves {relation}, another {other.relation}")
        common = tuple(h for h in first.where if all(h in other.where for other in others))
        own = [[h for h in finding.where if h not in common] for finding in findings]
        if caught := bound(relation) & {s for conditions in own for h in conditions for s in h.free_symbols}:
            raise RuleRefused(f"case split: {', '.join(map(str, caught))} is bound in {relation}: no case is about all of it")
        kept = merged(common, where)
        if not (_covers_one_symbol(own, kept) or _covers_all_signs(own, kept)):
            raise RuleRefused(f"case split: the cases {' | '.join(map(str, map(list, own)))} leave something out")
        return Conclusion(relation, kept, f"in each of {len(findings)} cases, which are all")

    return conclude("case split", cases, draw)


def _covers_one_symbol(own: Sequence[Sequence[sp.Basic]], kept: Sequence[sp.Basic]) -> bool:
    symbols = {s for conditions in own for h in conditions for s in h.free_symbols}
    if len(symbols) != 1 or any(not isinstance(h, sp.Rel) for conditions in own for h in conditions):
        return False
    (symbol,) = symbols
    try:
        regions = [sp.Intersection(sp.S.Reals, *(h.as_set() for h in conditions)) for conditions in own]
        everything = declared(symbol).intersect(
            sp.Intersection(sp.S.Reals, *(h.as_set() for h in kept if h.free_symbols == {symbol}))
        )
    except NotImplementedError:
        return False
    left = everything - sp.Union(*regions)
    if symbol.is_integer:
        left = sp.Intersection(left, sp.S.Integers)
    return bool(left is sp.S.EmptySet)


def _covers_all_signs(own: Sequence[Sequence[sp.Basic]], kept: Sequence[sp.Basic]) -> bool:
    """Each hypothesis says which signs an expression may have; every combination that is kept must be in some case."""
    expressions: list[sp.Expr] = []

    def signs(conditions: Sequence[sp.Basic]) -> dict[int, frozenset[int]]:
        found: dict[int, frozenset[int]] = {}
        for condition in conditions:
            gap, possible = sp.expand(condition.lhs - condition.rhs), _SIGNS[condition.func]
            if sp.expand(-gap) in expressions:
                gap, possible = sp.expand(-gap), frozenset(-sign for sign in possible)
            if gap not in expressions:
                expressions.append(gap)
            place = expressions.index(gap)
            found[place] = found.get(place, frozenset({-1, 0, 1})) & possible
        return found

    if any(condition.func not in _SIGNS for conditions in own for condition in conditions):
        return False
    allowed = [signs(conditions) for conditions in own]
    asked = signs([condition for condition in kept if condition.func in _SIGNS])
    if len(expressions) > MOST_EXPRESSIONS or any(e.is_extended_real is not True for e in expressions):
        return False

    def within(combination: tuple[int, ...], conditions: dict[int, frozenset[int]]) -> bool:
        return all(combination[place] in possible for place, possible in conditions.items())

    return all(
        any(within(combination, conditions) for conditions in allowed)
        for combination in itertools.product((-1, 0, 1), repeat=len(expressions)) if within(combination, asked)
    )
