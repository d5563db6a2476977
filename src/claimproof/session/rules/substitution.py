"""What was proved for all values of some symbols, at these ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from claimproof.session.findings import Finding
from claimproof.session.rules.premises import Conclusion, RuleRefused, at, conclude, merged, require_in_domain


def substitution(finding: Finding, values: Mapping[sp.Symbol, Any]) -> Finding:
    """The finding at other values of its symbols, all at once.

    Refused unless each value certainly lies in its symbol's declared domain, and each hypothesis of the proof
    certainly holds there or is carried along in the remaining symbols.
    """
    exact = {symbol: sp.sympify(value) for symbol, value in values.items()}

    def draw(premise: Finding) -> Conclusion:
        relation = premise.relation
        assert isinstance(relation, sp.Rel)
        for symbol, value in exact.items():
            if symbol not in relation.free_symbols:
                raise RuleRefused(f"substitution: {relation} has no free {symbol}")
            require_in_domain("substitution", symbol, value)
            at(relation, symbol, value)  # refuses what a bound variable would catch
        carried = [condition.subs(exact, simultaneous=True) for condition in premise.where]
        for before, after in zip(premise.where, carried, strict=True):
            if after == sp.false:
                raise RuleRefused(f"substitution: the hypothesis {before} fails there")
        sides = (side.subs(exact, simultaneous=True) for side in relation.args)
        return Conclusion(relation.func(*sides, evaluate=False), merged(carried))

    return conclude("substitution", [finding], draw)
