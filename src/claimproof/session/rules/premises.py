"""What all rules share: a premise is a relation that was settled under hypotheses, and so is a conclusion.

``conclude`` runs a rule twice over: on its premises, and on every wrong variant of them. A rule that reaches the
same conclusion from a premise that was changed, or forgets a hypothesis of one, has a survivor.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from claimproof.core.evidence import CheckFailed
from claimproof.engines import mutants, ruled
from claimproof.engines.sampler import contradiction
from claimproof.session.findings import Finding

MUTANTS_OF_A_SIDE = 4
# A hypothesis that no premise has: a conclusion must not lose it.
NEEDED = sp.Gt(sp.Symbol("a hypothesis of a premise", real=True), 0)


class RuleRefused(CheckFailed):
    """A side condition of a rule is not met."""


@dataclass(frozen=True)
class Conclusion:
    """What follows, under which hypotheses, and for what: the line that is shown names all three."""

    relation: sp.Rel
    where: tuple[sp.Basic, ...]
    scope: str = ""

    @property
    def of(self) -> str:
        asked = " and ".join(map(str, self.where))
        parts = (str(self.relation), self.scope, asked and f"where {asked}", _domains(self.relation, *self.where))
        return " ".join(part for part in parts if part)


def _domains(*relations: sp.Basic) -> str:
    """What the symbols and the members of families are declared to be."""
    found = {a.func if isinstance(a, AppliedUndef) else a for r in relations for a in (*r.free_symbols, *r.atoms(AppliedUndef))}
    running = set[sp.Symbol]().union(*(bound(r) for r in relations)) - {m.args[1] for r in relations for m in r.atoms(ruled.Mean)}
    named = [f"{symbol} {_declared_as(symbol)}" for symbol in sorted(found - running, key=str)]
    return f"[{', '.join(named)}]" if named else ""


def _declared_as(symbol: Any) -> str:
    told = getattr(symbol, "_kwargs", None) or symbol.assumptions0
    sign = next((word for word in ("positive", "negative", "nonnegative", "nonpositive") if told.get(word)), "")
    return " ".join(word for word in (sign, "integer" if told.get("integer") else "" if sign else "real") if word)


def conclude(rule: str, premises: Sequence[Finding], draw: Callable[..., Conclusion]) -> Finding:
    """The conclusion of a rule as a finding: with evidence as weak as its weakest premise, and the rule's own mutants."""
    for premise in premises:
        if not isinstance(premise.relation, sp.Rel):
            raise RuleRefused(f"{rule}: a premise has no machine form: {premise.of}")
    found = draw(*premises)
    evidence = ruled.concluded(rule, [premise.evidence for premise in premises])
    survivors, total = [], 0
    for position, premise in enumerate(premises):
        for what, wrong in _wrong(premise):
            total += 1
            changed = [*premises[:position], wrong, *premises[position + 1:]]
            if _reaches(found, functools.partial(draw, *changed)):
                survivors.append(f"{rule}: premise {position + 1} with {what}")
    verified = found.relation.rhs if isinstance(found.relation, sp.Eq) else None
    tally = mutants.Tally(total - len(survivors), total, tuple(survivors))
    return Finding([evidence], tally, found.of, found.relation, verified, found.where)


def _wrong(premise: Finding) -> list[tuple[str, Finding]]:
    relation = premise.relation
    assert isinstance(relation, sp.Rel)
    turned = relation.negated if isinstance(relation, sp.Eq | sp.Ne) else mutants.reversed_relation(relation)
    found: list[tuple[str, sp.Rel]] = [("its relation turned", turned)]
    for side in (0, 1):
        for mutant in mutants.of_expression(relation.args[side], MUTANTS_OF_A_SIDE):
            sides = [*relation.args]
            sides[side] = mutant.expression
            found.append((str(mutant), relation.func(*sides, evaluate=False)))
    changed = [(what, replace(premise, relation=wrong)) for what, wrong in found if isinstance(wrong, sp.Rel)]
    return [*changed, ("one more hypothesis", replace(premise, where=(*premise.where, NEEDED)))]


def _reaches(found: Conclusion, draw: Callable[[], Conclusion]) -> bool:
    try:
        other = draw()
    except (CheckFailed, ValueError, TypeError, NotImplementedError):
        return False
    return same(other.relation, found.relation) and set(other.where) == set(found.where)


def same(one: sp.Basic, other: sp.Basic) -> bool:
    """Whether two relations are one, side by side; a relation turned round with its sides is the same."""
    if not isinstance(one, sp.Rel) or not isinstance(other, sp.Rel):
        return bool(one == other)
    if one.func is other.func and one.args == other.args:
        return True
    swapped = other.reversed if not isinstance(other, sp.Eq | sp.Ne) else other.func(other.rhs, other.lhs, evaluate=False)
    return bool(one.func is swapped.func and one.args == swapped.args)


def at(relation: sp.Rel, symbol: sp.Symbol, value: sp.Expr) -> sp.Rel:
    """A relation with a value in the place of a symbol that occurs free in it."""
    caught = bound(relation)
    if symbol in caught or value.free_symbols & caught:
        raise RuleRefused(f"{symbol} = {value} would be caught by a bound variable of {relation}")
    return relation.func(*(side.subs(symbol, value) for side in relation.args), evaluate=False)


def bound(expression: sp.Basic) -> set[sp.Symbol]:
    """The symbols that a sum, integral, limit, derivative or expectation inside of it runs over."""
    found = {limits[0] for node in expression.atoms(sp.Sum, sp.Product, sp.Integral) for limits in node.limits}
    found |= {node.args[1] for node in expression.atoms(sp.Limit, ruled.Mean)}
    return found | {variable for node in expression.atoms(sp.Derivative) for variable in node.variables}


def require_in_domain(rule: str, symbol: sp.Symbol, value: sp.Expr) -> None:
    """A value is certainly what its symbol is declared to be."""
    if why := contradiction(symbol, value):
        raise RuleRefused(f"{rule}: {value} in the place of {symbol} is not seen to meet what it is declared to be: {why}")


def require_plain(rule: str, symbol: sp.Symbol, *, integer: bool) -> None:
    """Declared as a number, or whole number, of some sign and nothing else: even numbers have no next one, and numbers
    other than 0 are no interval."""
    known = {"real", "positive", "nonnegative", "negative", "nonpositive", "commutative"} | ({"integer"} if integer else set())
    if symbol.is_integer is not True and integer:
        raise RuleRefused(f"{rule}: {symbol} is not declared to be a whole number")
    if other := sorted(set(symbol._assumptions_orig) - known):
        raise RuleRefused(f"{rule}: {symbol} is declared {other[0]}, so that what was proved leaves numbers out")


def merged(*hypotheses: Sequence[sp.Basic]) -> tuple[sp.Basic, ...]:
    """Hypotheses of several premises, each once."""
    return tuple(dict.fromkeys(h for some in hypotheses for h in some if h != sp.true))


def greater_and_less(relation: sp.Rel) -> tuple[sp.Expr, sp.Expr]:
    if not isinstance(relation, sp.Gt | sp.Ge | sp.Lt | sp.Le):
        raise RuleRefused(f"{relation} is no inequality")
    return relation.gts, relation.lts


def is_strict(relation: sp.Rel) -> bool:
    return isinstance(relation, sp.Gt | sp.Lt)


def region(where: Sequence[sp.Basic], variable: sp.Symbol) -> tuple[sp.Set, tuple[sp.Basic, ...]]:
    """The set that the declaration and the hypotheses leave to one variable, and the hypotheses on others.

    Refused where a hypothesis joins the variable to others: then its set is not one for all of them.
    """
    left: sp.Set = declared(variable)
    others = []
    for relation in where:
        if variable not in relation.free_symbols:
            others.append(relation)
        elif relation.free_symbols == {variable}:
            left = left.intersect(relation.as_set())
        else:
            raise RuleRefused(f"the hypothesis {relation} joins {variable} to other symbols")
    return left, tuple(others)


def declared(variable: sp.Symbol) -> sp.Set:
    if variable.is_positive:
        return sp.Interval.open(0, sp.oo)
    if variable.is_negative:
        return sp.Interval.open(-sp.oo, 0)
    if variable.is_nonnegative:
        return sp.Interval(0, sp.oo)
    if variable.is_nonpositive:
        return sp.Interval(-sp.oo, 0)
    if variable.is_real:
        return sp.S.Reals
    raise RuleRefused(f"{variable} has no declared domain")
