"""What was proved for all values of some symbols, at these ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from claimproof.session.findings import Finding
from claimproof.session.rules.premises import RuleRefused, at, require_in_domain


def substitution(finding: Finding, values: Mapping[sp.Symbol, Any]) -> Finding:
    """The finding at other values of its symbols, all at once.

    Refused unless each value certainly lies in its symbol's declared domain, and each hypothesis of the proof
    certainly holds there or is carried along in the remaining symbols.
    """
    if not isinstance(finding.relation, sp.Rel):
        raise RuleRefused(f"substitution: the finding has no machine form: {finding.of}")
    exact = {symbol: sp.sympify(value) for symbol, value in values.items()}
    relation = finding.relation
    for symbol, value in exact.items():
        if symbol not in relation.free_symbols:
            raise RuleRefused(f"substitution: {relation} has no free {symbol}")
        require_in_domain("substitution", symbol, value)
        at(relation, symbol, value)  # refuses what a bound variable would catch
    carried = [condition.subs(exact, simultaneous=True) for condition in finding.where]
    for before, after in zip(finding.where, carried, strict=True):
        if after == sp.false:
            raise RuleRefused(f"substitution: the hypothesis {before} fails there")
    return replace(
        finding, verified=None if finding.verified is None else finding.verified.subs(exact, simultaneous=True),
        relation=relation.func(*(a.subs(exact, simultaneous=True) for a in relation.args), evaluate=False),
        where=tuple(condition for condition in carried if condition != sp.true),
        of=f"{finding.of}, with {', '.join(f'{s} = {v}' for s, v in exact.items())}",
    )
