"""From what holds for one page to what holds for the sum over any number of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from claimproof.engines.ruled import Every
from claimproof.session.findings import Finding
from claimproof.session.rules.premises import Conclusion, RuleRefused, bound, conclude, require_in_domain


def summed(
    termwise: Finding, members: Mapping[sp.Symbol, sp.Expr], index: sp.Symbol, count: Any, *, first: Any = 1
) -> Finding:
    """sum a_i against sum b_i for every number of terms, from a against b in generic symbols.

    ``members`` puts members of families (``x(i)``) in the place of the generic symbols; the other symbols are the
    same for all terms. Refused unless each member is certainly what its symbol is declared to be. Hypotheses on the
    generic symbols are asked of every term. A strict inequality needs a term: ``count`` >= ``first``.
    """
    first, count = sp.sympify(first), sp.sympify(count)
    if not index.is_integer:
        raise RuleRefused(f"sum: {index} is not declared to be a whole number")
    for symbol, member in members.items():
        if index not in sp.sympify(member).free_symbols:
            raise RuleRefused(f"sum: {member} is no member of a family: it does not depend on {index}")
        require_in_domain("sum", symbol, member)
    require_in_domain("sum", index, first)
    if index in count.free_symbols | first.free_symbols:
        raise RuleRefused(f"sum: the range {first} to {count} depends on {index}")

    def of_one(part: sp.Basic) -> sp.Basic:
        return part.subs(members, simultaneous=True)

    def draw(term: Finding) -> Conclusion:
        relation = term.relation
        assert isinstance(relation, sp.Rel)
        if isinstance(relation, sp.Ne):
            raise RuleRefused("sum: that no term is the same says nothing of the sums")
        if caught := (set(members) | {index}) & bound(relation):
            raise RuleRefused(f"sum: {', '.join(map(str, caught))} is bound in {relation}")
        if index in relation.free_symbols:
            raise RuleRefused(f"sum: {relation} already has the index {index}")
        if not set(members) & relation.free_symbols:
            raise RuleRefused(f"sum: {relation} has none of {', '.join(map(str, members))}: all terms are one")
        if isinstance(relation, sp.Lt | sp.Gt) and (count - first).is_nonnegative is not True:
            raise RuleRefused(f"sum: strict, and the sum from {first} to {count} may be empty")
        sides = (side if side == 0 else sp.Sum(of_one(side), (index, first, count)) for side in relation.args)
        where = tuple(
            Every(of_one(h), index, first, count) if h.free_symbols & set(members) else h for h in term.where
        )
        found = relation.func(*sides, evaluate=False)
        return Conclusion(found, where, f"for every {count}")

    return conclude("termwise summation", [termwise], draw)
