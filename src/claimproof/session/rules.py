"""Rules that join checks by machine: from what was found to a conclusion, refused where a side condition is not met.

Each takes findings or expressions whose truth has been recorded, and returns what follows from them.
None is a label: a false premise, or a premise that is not of the right form, raises ``RuleRefused``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from claimproof.core.evidence import CheckFailed
from claimproof.session.findings import Finding


class RuleRefused(CheckFailed):
    """A side condition of a rule is not met."""


def substitution(finding: Finding, values: Mapping[sp.Symbol, Any]) -> Finding:
    """What was proved for all values of some symbols, at these ones.

    Refused unless each value certainly lies in its symbol's declared domain, and each hypothesis of the proof
    certainly holds there or is carried along in the remaining symbols.
    """
    if finding.verified is None:
        raise RuleRefused("substitution: the finding has no right-hand side")
    exact = {symbol: sp.sympify(value) for symbol, value in values.items()}
    for symbol, value in exact.items():
        for assumption, required in symbol.assumptions0.items():
            if assumption in _CHECKED and getattr(value, f"is_{assumption}") is not required:
                raise RuleRefused(f"substitution: {value} is not seen to be {assumption}, as {symbol} is declared")
    carried = [relation.subs(exact, simultaneous=True) for relation in finding.where]
    for before, after in zip(finding.where, carried, strict=True):
        if after == sp.false:
            raise RuleRefused(f"substitution: the hypothesis {before} fails there")
    relation = finding.relation
    return replace(
        finding, verified=finding.verified.subs(exact, simultaneous=True),
        relation=None if relation is None else relation.func(*(a.subs(exact, simultaneous=True) for a in relation.args), evaluate=False),
        where=tuple(relation for relation in carried if relation != sp.true),
        of=f"{finding.of}, with {', '.join(f'{s} = {v}' for s, v in exact.items())}",
    )


# What a symbol is declared to be; the other assumptions of sympy follow from these.
_CHECKED = ("real", "positive", "nonnegative", "negative", "nonpositive", "integer", "nonzero")


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
