"""Expectations are linear and monotone, whatever the law: that is all that is used of them here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from claimproof.engines.ruled import Mean
from claimproof.session.findings import Finding
from claimproof.session.rules.premises import Conclusion, RuleRefused, bound, conclude


def linear_expectation(expression: sp.Expr, variable: sp.Symbol, means: Mapping[sp.Expr, Any]) -> sp.Expr:
    """E of a linear combination of functions of a random ``variable`` whose expectations are known.

    ``means`` maps those functions (``S``, ``exp(-mu*S)``) to their expectations; constants are their own. Refused
    if the expression has any other dependence on the variable.
    """
    stand_ins = {function: sp.Dummy(f"E{position}") for position, function in enumerate(means)}
    # The most composite first, so that S inside exp(-mu*S) is not taken for S itself.
    ordered = sorted(means, key=lambda function: -sp.count_ops(function))
    written = sp.expand(expression)
    for function in ordered:
        if not function.has(variable):
            raise RuleRefused(f"linearity: {function} is no function of {variable}")
        written = written.subs(function, stand_ins[function])
    if written.has(variable):
        raise RuleRefused(f"linearity: {expression} is no combination of 1 and {', '.join(map(str, means))}")
    unknowns = list(stand_ins.values())
    try:
        polynomial = sp.Poly(written, *unknowns)
    except sp.PolynomialError as error:
        raise RuleRefused(f"linearity: {error}") from None
    if polynomial.total_degree() > 1:
        raise RuleRefused(f"linearity: {expression} has a product of functions of {variable}")
    return written.xreplace({stand_ins[function]: sp.sympify(value) for function, value in means.items()})


def expected(pointwise: Finding, variable: sp.Symbol, means: Mapping[sp.Expr, Any] | None = None) -> Finding:
    """E g(X) against E k(X) for every law, from g(x) against k(x) for every x of its support.

    With ``means``, the expectations are written by linearity in those that are known. What the premise asks of x is
    asked of X: the conclusion is about laws that live there.
    """

    def mean(side: sp.Expr) -> sp.Expr:
        if not side.has(variable):
            return side
        if means is None:
            return Mean(side, variable)
        return linear_expectation(side, variable, means)

    def draw(premise: Finding) -> Conclusion:
        relation = premise.relation
        assert isinstance(relation, sp.Rel)
        if isinstance(relation, sp.Ne):
            raise RuleRefused("expectation: that two functions differ says nothing of their expectations")
        if variable in bound(relation):
            raise RuleRefused(f"expectation: {variable} is bound in {relation}")
        if not relation.has(variable):
            raise RuleRefused(f"expectation: {relation} does not depend on {variable}")
        found = relation.func(*map(mean, relation.args), evaluate=False)
        named = tuple(sp.Eq(Mean(f, variable), sp.sympify(e), evaluate=False) for f, e in (means or {}).items())
        where = (*premise.where, *named)
        return Conclusion(found, where, f"for every law of {variable} for which both sides are finite")

    return conclude("monotone expectation", [pointwise], draw)
