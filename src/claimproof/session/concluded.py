"""Whether what a rule concludes is what the inventory says, compared by machine and never by eye.

A formula is compared side by side with the conclusion, and the hypotheses of the conclusion have to be among the
inventory's; each falsified form of the statement has to be told apart. A statement in words shows beside it, in
``concludes``, what rules must reach: that is compared word for word.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from claimproof.core import tree as t
from claimproof.core.evidence import CheckFailed
from claimproof.core.inventory import Claim
from claimproof.core.statement import Statement, Way, definitions, unfolded
from claimproof.core.symbols import SymbolTable
from claimproof.core.tree import Apply
from claimproof.core.verdict import Scope
from claimproof.engines import mutants
from claimproof.engines.bridge import Bridge, BridgeError
from claimproof.session.binding import conjuncts
from claimproof.session.findings import Finding


@dataclass(frozen=True)
class Place:
    """Of how much of the inventory's statement a conclusion speaks."""

    scope: Scope
    part: tuple[int, int] | None = None
    tally: mutants.Tally = mutants.NONE
    not_needed: tuple[str, ...] = ()


def place_of(finding: Finding, claim: Claim, table: SymbolTable, as_step: bool) -> Place:
    """Where a conclusion stands; raises where the inventory has something to compare with and it is something else."""
    if as_step:
        return Place(Scope.RULE)
    if claim.stated is not None:
        return _of_statement(finding, claim.stated, table)
    if claim.concludes:
        if finding.of not in claim.concludes:
            raise CheckFailed(f"the rule concludes {finding.of!r}, the inventory {' and '.join(map(repr, claim.concludes))}")
        return Place(Scope.RULE, (claim.concludes.index(finding.of) + 1, len(claim.concludes)))
    return Place(Scope.RULE)


def _of_statement(finding: Finding, statement: Statement, table: SymbolTable) -> Place:
    parts = conjuncts(statement)
    for position, own in enumerate(parts, start=1):
        if _says(finding, own, table):
            wrong = [f for f in (*own.falsified(), *own.subtle()) if f.way not in (Way.HYPOTHESIS, Way.DOMAIN)]
            survivors = tuple(f"statement: {f.description}" for f in wrong if _says(finding, f.statement, table))
            weaker = [f for f in own.falsified() if f.way is Way.HYPOTHESIS]
            not_needed = tuple(f.description for f in weaker if _says(finding, f.statement, table))
            tally = mutants.Tally(len(wrong) - len(survivors), len(wrong), survivors)
            return Place(Scope.STATEMENT, (position, len(parts)) if len(parts) > 1 else None, tally, not_needed)
    raise CheckFailed(f"the rule concludes {finding.of}, which is not {statement} (as_step=True: a step on the way to it)")


def _says(finding: Finding, own: Statement, table: SymbolTable) -> bool:
    """Whether the conclusion is the statement's, under no hypothesis that the statement doesn't have."""
    defined = definitions(table)
    bridge = Bridge.of(own)
    head = {sp.Eq: "Eq", sp.Ne: "Ne", sp.Lt: "Lt", sp.Le: "Le", sp.Gt: "Gt", sp.Ge: "Ge"}.get(type(finding.relation))
    match own.conclusion, finding.relation:
        case Apply(stated, (left, right)), sp.Rel(args=(lhs, rhs)) if stated == head:
            sides = [(unfolded(left, defined), lhs), (unfolded(right, defined), rhs)]
        case _:
            return False
    try:
        if not all(bridge.same(tree, side) for tree, side in sides):
            return False
        known = [*own.hypotheses, *own.conditions]
        return all(any(t.same(bridge.tree(h), unfolded(k, defined)) for k in known) for h in finding.where)
    except BridgeError:  # a symbol that is declared otherwise, or a hypothesis that the statement could not have
        return False

