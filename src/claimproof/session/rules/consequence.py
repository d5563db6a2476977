"""What follows from hypotheses that have been proved follows."""

from __future__ import annotations

import sympy as sp

from claimproof.session.findings import Finding
from claimproof.session.rules.premises import Conclusion, RuleRefused, conclude, merged, same


def consequence(implied: Finding, *known: Finding) -> Finding:
    """The conclusion of an implication without those hypotheses that are ``known``; theirs take their place.

    Refused unless each of them is a hypothesis of it, word for word.
    """
    if not known:
        raise RuleRefused("consequence: nothing is known")

    def draw(implication: Finding, *facts: Finding) -> Conclusion:
        left = list(implication.where)
        for fact in facts:
            met = [h for h in left if same(h, fact.relation)] if isinstance(fact.relation, sp.Rel) else []
            if not met:
                raise RuleRefused(f"consequence: {fact.relation} is no hypothesis of {implication.of}")
            left = [h for h in left if h not in met]
        assert isinstance(implication.relation, sp.Rel)
        return Conclusion(implication.relation, merged(left, *(fact.where for fact in facts)))

    return conclude("consequence", [implied, *known], draw)
