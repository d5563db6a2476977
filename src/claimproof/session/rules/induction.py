"""From P(first), and P(n) implies P(n + 1), to P(n) for every n from first on."""

from __future__ import annotations

from typing import Any

import sympy as sp

from claimproof.engines.ruled import Every
from claimproof.session.findings import Finding
from claimproof.session.rules.premises import (
    Conclusion,
    RuleRefused,
    at,
    conclude,
    merged,
    require_in_domain,
    require_plain,
    same,
)


def induction(predicate: sp.Rel, variable: sp.Symbol, first: Any, *, base: Finding, step: Finding) -> Finding:
    """P(n) for every n >= first.

    Refused unless ``base`` is P(first), ``step`` is P(n + 1) with P(n) among its hypotheses, for the one P given,
    and n is a whole number whose declaration has ``first`` in it. Other hypotheses are carried: those of the step
    that speak of n, for every n from first on, unless n >= first implies them.
    """
    first = sp.sympify(first)
    require_plain("induction", variable, integer=True)
    require_in_domain("induction", variable, first)
    if variable not in predicate.free_symbols:
        raise RuleRefused(f"induction: {predicate} does not depend on {variable}")

    def draw(begins: Finding, goes_on: Finding) -> Conclusion:
        if not same(begins.relation, at(predicate, variable, first)):
            raise RuleRefused(f"induction: the base is {begins.relation}, not {at(predicate, variable, first)}")
        if not same(goes_on.relation, at(predicate, variable, variable + 1)):
            raise RuleRefused(f"induction: the step ends in {goes_on.relation}, not {at(predicate, variable, variable + 1)}")
        others = [h for h in goes_on.where if not same(h, predicate)]
        if len(others) == len(goes_on.where):
            raise RuleRefused(f"induction: the step does not start from {predicate}")
        if any(variable in h.free_symbols for h in begins.where):
            raise RuleRefused(f"induction: the base has a hypothesis on {variable}")
        carried = [_carried(h, variable, first) for h in others]
        start = () if _implied(sp.Ge(variable, first), variable, _least(variable, first)) else (sp.Ge(variable, first),)
        where = merged(begins.where, [h for h in carried if h is not None], start)
        return Conclusion(predicate, where, f"for every whole {variable} >= {first}")

    return conclude("induction", [base, step], draw)


def _least(variable: sp.Symbol, first: sp.Expr) -> sp.Expr:
    """The least number that the declaration allows, if it has one."""
    return sp.S.One if variable.is_positive else sp.S.Zero if variable.is_nonnegative else -sp.oo


def _implied(hypothesis: sp.Basic, variable: sp.Symbol, first: sp.Expr) -> bool:
    """Whether a hypothesis certainly holds for all whole numbers from ``first`` on."""
    if not first.is_finite:
        return False
    beyond = sp.Dummy("beyond", integer=True, nonnegative=True)
    return bool(hypothesis.subs(variable, first + beyond) == sp.true)


def _carried(hypothesis: sp.Basic, variable: sp.Symbol, first: sp.Expr) -> sp.Basic | None:
    if variable not in hypothesis.free_symbols:
        return hypothesis
    return None if _implied(hypothesis, variable, first) else Every(hypothesis, variable, first, sp.oo)

