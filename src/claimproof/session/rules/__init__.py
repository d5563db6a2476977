"""Rules that join checks by machine: each a function from what was found to what follows from it.

A false premise, a premise of another form, or a side condition that is not met raises ``RuleRefused``; the
conclusion carries every hypothesis of its premises and is settled no better than the weakest of them.
"""

from claimproof.session.rules.cases import case_split
from claimproof.session.rules.consequence import consequence
from claimproof.session.rules.expectation import expected, linear_expectation
from claimproof.session.rules.induction import induction
from claimproof.session.rules.jensen import jensen, weighted_jensen
from claimproof.session.rules.limits import bounded_by, dominated, monotone, squeeze
from claimproof.session.rules.premises import RuleRefused
from claimproof.session.rules.substitution import substitution
from claimproof.session.rules.sums import summed

# What a derivation may call a rule: nothing that it made up itself.
RULES = (
    bounded_by, case_split, consequence, dominated, expected, induction, jensen, monotone, squeeze, substitution, summed,
    weighted_jensen,
)

__all__ = [
    "RULES", "RuleRefused", "bounded_by", "case_split", "consequence", "dominated", "expected", "induction", "jensen", "linear_expectation",
    "monotone", "squeeze", "substitution", "summed", "weighted_jensen",
]
