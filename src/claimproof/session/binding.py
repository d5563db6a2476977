"""Checks that take their statement from the inventory: what is proved is what is printed.

A derivation hands over only what it computed: values of symbols that are not primitive. Everything
else, the relation, both its sides, the region, comes from the statement. Falsify any of it and the
check fails; the ways in which that is tried here are those of ``Statement.falsified``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import sympy as sp

from claimproof.core import tree as t
from claimproof.core.evidence import CheckFailed, ShownFalse
from claimproof.core.latex import latex
from claimproof.core.statement import Definition, Falsified, Statement, Way, conditions, unfolded
from claimproof.core.symbols import SymbolTable
from claimproof.core.tree import Apply, Tree
from claimproof.engines import enclosed, exact, mutants, sampled, symbolic
from claimproof.engines.bridge import Bridge, BridgeError
from claimproof.session.findings import MUTANT_BOXES, MUTANT_SAMPLES, Finder, Finding

# Ways that make a statement wrong whatever its hypotheses are; subtle ones are tried as far as this.
MOST_SUBTLE = 6
_PLAIN = (Way.SIGN, Way.FACTOR, Way.SHIFT, Way.SUBTLE)
_ORDERS = ("Lt", "Le", "Gt", "Ge")
# Sympy relates the name of the golden ratio to nothing; with its value powers of it simplify.
GOLDEN = (1 + sp.sqrt(5)) / 2


class Vacuous(CheckFailed):
    """What was handed over is the inventory's own side: the check would say that a = a."""


@dataclass(frozen=True)
class Hints:
    """What an engine may be told: none of it changes what is stated. Keys are names of the symbol table.

    ``times`` has factors by which both sides of an inequality are multiplied, each with the zeros that the proof of
    its being positive needs; ``parts`` has hints for single conjuncts, counted from 1, in the place of the common ones.
    """

    sample: Mapping[str, Any] = field(default_factory=dict)
    corners: Sequence[Mapping[str, Any]] = ()
    zeros: Mapping[str, Any] = field(default_factory=dict)
    tail: Mapping[str, Any] = field(default_factory=dict)
    times: Mapping[Any, Mapping[str, Any]] = field(default_factory=dict)
    max_boxes: int = 100_000
    parts: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    def of_part(self, position: int) -> Hints:
        return replace(self, parts={}, **self.parts.get(position, {}))


@dataclass(frozen=True)
class Part:
    """One conjunct of a statement, confirmed: the finding, and what a reader sees of it."""

    finding: Finding
    formula: str
    latex: str
    part: tuple[int, int] | None
    not_needed: tuple[str, ...]


@dataclass(frozen=True)
class Binding:
    """A statement, and what a derivation computed its symbols to be."""

    statement: Statement
    table: SymbolTable
    definitions: Mapping[str, Definition]
    handed: Mapping[str, Any]
    hints: Hints
    finder: Finder
    refusals: dict[str, CheckFailed | None] = field(default_factory=dict)  # of falsified forms, by their text

    def __post_init__(self) -> None:
        known = {symbol.name: symbol for symbol in (*self.statement.quantified, *self.explicit.quantified)}
        for name in self.handed:
            if name not in known:
                raise CheckFailed(f"{name} is handed over, but the statement is about {', '.join(known) or 'no symbol'}")
            if known[name].is_primitive:
                raise CheckFailed(
                    f"{name} is primitive: a value for it would make the statement an instance of itself "
                    "(only symbols with defined_by or computed can be handed over)"
                )

    @cached_property
    def explicit(self) -> Statement:
        """The statement with definitions in the place of the symbols for which nothing was handed over.

        Symbols that come in with what was handed over bring the bounds of their domains as hypotheses.
        """
        defined = {name: d for name, d in self.definitions.items() if name not in self.handed}
        conclusion, *hypotheses = (unfolded(tree, defined) for tree in (self.statement.conclusion, *self.statement.hypotheses))
        # The statement's own symbols, as it declares them: a falsified one may do so otherwise than the table.
        declared = self.table.extended(self.statement.symbols)
        stated = Statement.of(conclusion, hypotheses, declared)
        present = {symbol.name for symbol in stated.quantified}
        brought = sorted({str(s) for v in self.handed.values() if isinstance(v, sp.Basic) for s in v.free_symbols} - present)
        domains = [c for name in brought if name in declared.symbols for c in conditions(declared[name])]
        return Statement.of(conclusion, (*hypotheses, *domains), declared) if domains else stated

    # ---- confirming -------------------------------------------------------------------

    def confirmed(self) -> list[Part]:
        """Every conjunct confirmed, and every falsified form of it rejected."""
        shown = [own.conclusion for own in conjuncts(self.statement)]
        parts = []
        for position, own in enumerate(conjuncts(self.explicit), start=1):
            part = replace(self, hints=self.hints.of_part(position), refusals={})
            part._refuse_vacuous(own)
            finding = part._confirm(own, part.hints.max_boxes)
            tally, not_needed = part._rejected(own)
            finding = replace(finding, tally=finding.tally + tally)
            conclusion = shown[position - 1]
            parts.append(Part(
                finding, str(conclusion), latex(conclusion, self.table),
                (position, len(shown)) if len(shown) > 1 else None, not_needed,
            ))
        return parts

    def _written(self, statement: Statement, tree: Tree) -> sp.Basic:
        """A tree in sympy as it stands, with what was computed in the place of its symbols."""
        bridge = Bridge.of(statement)
        written = _put(bridge.written(tree), self._values(bridge, statement))
        return written.xreplace({sp.GoldenRatio: GOLDEN}) if written.has(sp.GoldenRatio) else written

    def _values(self, bridge: Bridge, statement: Statement) -> dict[Any, Any]:
        """Handed-over values by symbol, in the symbols of this statement (a falsified one may declare them more widely)."""
        renamed = self._renaming(bridge, statement)
        used = {symbol.name for symbol in statement.symbols}
        return {
            bridge.symbol(name): _renamed(value, renamed) for name, value in self.handed.items() if name in used
        }

    def _renaming(self, bridge: Bridge, statement: Statement) -> dict[sp.Symbol, sp.Symbol]:
        """From the symbols of the table, in which derivations write, to those of a statement that may declare them otherwise."""
        table = Bridge(self.table.symbols)
        return {table.symbol(s.name): bridge.symbol(s.name) for s in statement.symbols if not s.of and s.name in self.table.symbols}

    def _hypotheses(self, statement: Statement) -> list[sp.Basic]:
        """The hypotheses, and the bounds of domains that sympy's assumptions can't hold."""
        trees = [*statement.hypotheses, *(c for c in statement.conditions if _is_upper(c))]
        found = [self._written(statement, tree) for tree in trees]
        return [relation for relation in found if relation is not sp.true]

    def _refuse_vacuous(self, own: Statement) -> None:
        """A side that was handed over must have been computed, not copied."""
        match own.conclusion:
            case Apply("Eq", (left, right)):
                bridge = Bridge.of(own)
                for side, other in ((left, right), (right, left)):
                    if isinstance(side, t.Name) and side.name in self.handed:
                        value = self.handed[side.name]
                        if not callable(value) and not _is_number(value) and bridge.same(other, value):
                            raise Vacuous(f"vacuous: what is handed over for {side.name} is the inventory's own side, {other}")
                one, two = bridge.evaluated(left), bridge.evaluated(right)
                values = self._values(bridge, own)
                # A number that was computed has one form only, however it was found.
                if values and _is_number(_put(one, values)) and _is_number(_put(two, values)):
                    return
                if _put(one, values) == _put(two, values) and not _held(one, two):
                    raise Vacuous(f"vacuous: both sides of {own.conclusion} are one expression before any step is taken")
            case _:
                pass

    def _confirm(self, own: Statement, max_boxes: int) -> Finding:
        """One conjunct by the engine that fits its form."""
        where = self._hypotheses(own)
        match own.conclusion:
            case Apply("Eq", (t.Limit() as limit, value)) | Apply("Eq", (value, t.Limit() as limit)):
                body, point, wanted = (self._written(own, tree) for tree in (limit.body, limit.point, value))
                variable = Bridge.of(own).symbol(limit.variable)
                direction = None if t.is_infinite(limit.point) else limit.side.value
                return self.finder.limit(body, variable, point, wanted, direction, where)
            case Apply("Eq", (left, right)):
                lhs, rhs = self._differentiated(own, left, right)
                if _is_number(lhs) and _is_number(rhs):
                    return self.finder.compared(sp.Eq(lhs, rhs, evaluate=False))
                hints = self._by_symbol(own)
                return self.finder.equal(lhs, rhs, where, hints["sample"], hints["corners"])
            case Apply(head, (left, right)) if head in _ORDERS:
                return self._inequality(own, head, left, right, where, max_boxes)
            case t.Series() as series:
                body, point, expansion = (self._written(own, tree) for tree in (series.body, series.point, series.expansion))
                variable = Bridge.of(own).symbol(series.variable)
                return self.finder.series(body, variable, point, series.order, expansion, None, where)
            case other:
                raise CheckFailed(f"no engine confirms {other} as it stands")

    def _differentiated(self, own: Statement, left: Tree, right: Tree) -> tuple[sp.Basic, sp.Basic]:
        """The sides with derivatives carried out, so that numbers can be put in; as they are where that is all there is to show."""
        held = self._written(own, left), self._written(own, right)
        done = [side.replace(lambda e: isinstance(e, sp.Derivative), lambda e: e.doit()) for side in held]
        return held if done[0] == done[1] else (done[0], done[1])

    def _inequality(
        self, own: Statement, head: str, left: Tree, right: Tree, where: list[sp.Basic], max_boxes: int
    ) -> Finding:
        sides = [self._written(own, side).doit() for side in (left, right)]
        relation = {"Lt": sp.Lt, "Le": sp.Le, "Gt": sp.Gt, "Ge": sp.Ge}[head](*sides, evaluate=False)
        if not relation.free_symbols:
            return self.finder.compared(relation)
        on, rest = _region(own, relation.free_symbols, where)
        hints = self._by_symbol(own)
        multiplied = self._multiplied(own, relation, on, rest)
        return self.finder.inequality(multiplied, on, hints["zeros"], hints["tail"], rest, max_boxes)

    def _multiplied(self, own: Statement, relation: sp.Rel, on: Mapping[sp.Symbol, Any], rest: Sequence[sp.Basic]) -> sp.Rel:
        """Both sides times the factors of the hints, each of which is proved to be positive on the region."""
        bridge = Bridge.of(own)
        renamed = self._renaming(bridge, own)
        factors = []
        for factor, zeros in self.hints.times.items():
            positive = sp.Gt(_renamed(factor, renamed), 0, evaluate=False)
            within = {symbol: range_ for symbol, range_ in on.items() if symbol in positive.free_symbols}
            enclosed.prove(positive, on=within, zeros={bridge.symbol(n): z for n, z in zeros.items()} or None, where=rest)
            factors.append(positive.lhs)
        if not factors:
            return relation
        by = sp.Mul(*factors)
        sides = (_expanded(sp.Add(*(by * term for term in sp.Add.make_args(side)))) for side in relation.args)
        multiplied = relation.func(*sides, evaluate=False)
        assert isinstance(multiplied, sp.Rel)
        return multiplied

    def _by_symbol(self, own: Statement) -> dict[str, Any]:
        """The hints with sympy's symbols for their names."""
        bridge = Bridge.of(own)

        def named(given: Mapping[str, Any]) -> dict[Any, Any]:
            return {bridge.symbol(name): value for name, value in given.items()}

        return {
            "sample": named(self.hints.sample) or None, "corners": [named(c) for c in self.hints.corners],
            "zeros": named(self.hints.zeros) or None, "tail": named(self.hints.tail) or None,
        }

    # ---- falsified --------------------------------------------------------------------

    def _rejected(self, own: Statement) -> tuple[mutants.Tally, tuple[str, ...]]:
        """Falsified forms that are shown to be wrong somewhere must be rejected; hypotheses that change nothing are named."""
        subtle = own.subtle()[:MOST_SUBTLE]
        wrong = [f for f in (*own.falsified(), *subtle) if f.way in _PLAIN and self._shown_wrong(f.statement)]
        survivors = [f.description for f in wrong if self._accepts(f.statement)]
        weaker = [f for f in own.falsified() if f.way in (Way.HYPOTHESIS, Way.DOMAIN)]
        not_needed = []
        needed: list[Falsified] = []
        for f in weaker:
            (needed if self._shown_wrong(f.statement) else not_needed).append(f)
        survivors += [f.description for f in needed if self._accepts(f.statement)]
        total = len(wrong) + len(needed)
        if not wrong:
            raise CheckFailed(f"no falsified form of {own.conclusion} is shown to be wrong: nothing would be noticed")
        return (
            mutants.Tally(total - len(survivors), total, tuple(f"statement: {s}" for s in survivors)),
            tuple(f.description for f in not_needed),
        )

    def _shown_wrong(self, falsified: Statement) -> bool:
        """Whether the form is certainly false somewhere on its own domain, told without the engine that checks."""
        try:
            where = self._hypotheses(falsified)
            match falsified.conclusion:
                case Apply("Eq", (t.Limit(), _)) | Apply("Eq", (_, t.Limit())) | t.Series():
                    # Numbers near the point decide; the engine's own algebra is not asked.
                    return self._refused_by_numbers(falsified)
                case Apply(("Eq" | "Lt" | "Le" | "Gt" | "Ge") as head, (left, right)):
                    lhs, rhs = (self._written(falsified, side).doit() for side in (left, right))
                    symbols = lhs.free_symbols | rhs.free_symbols | {s for r in where for s in r.free_symbols}
                    points = self.finder.sampler(symbols, where, None, ()).points(4 * MUTANT_SAMPLES)
                    if not sampled.can_evaluate(lhs, rhs):
                        return self._refused_by_numbers(falsified)
                    if head == "Eq":
                        return sampled.compare(lhs, rhs, points, stop_at_first=True)[1] > 0
                    relation = {"Lt": sp.Lt, "Le": sp.Le, "Gt": sp.Gt, "Ge": sp.Ge}[head](lhs, rhs, evaluate=False)
                    return sampled.violation(relation, points) is not None
                case _:
                    return False
        except (CheckFailed, BridgeError, ValueError, TypeError, ZeroDivisionError, NotImplementedError):
            return False  # where it can't be evaluated it is not shown to be wrong

    def _refused_by_numbers(self, falsified: Statement) -> bool:
        return isinstance(self._refusal(falsified), ShownFalse)

    def _accepts(self, falsified: Statement) -> bool:
        return self._refusal(falsified) is None

    def _refusal(self, falsified: Statement) -> CheckFailed | None:
        """Why the check does not accept a falsified form; asked once."""
        if falsified.text not in self.refusals:
            try:
                self._confirm(falsified, MUTANT_BOXES)
                self.refusals[falsified.text] = None
            except CheckFailed as error:
                self.refusals[falsified.text] = error
        return self.refusals[falsified.text]

    # ---- refuting ---------------------------------------------------------------------

    def refuted(self, witness: Mapping[str, Any]) -> tuple[exact.Refutation, Statement, int]:
        """A conjunct that is false at the witness, where all hypotheses and domains hold; how many were evaluated."""
        reasons = []
        for own, shown in zip(conjuncts(self.explicit), conjuncts(self.statement), strict=True):
            bridge = Bridge.of(own)
            where = [self._written(own, tree) for tree in (*own.hypotheses, *own.conditions)]
            point = {bridge.symbol(name): value for name, value in witness.items() if name in {s.name for s in own.symbols}}
            try:
                return exact.refutes(self._asserted(own), point, where), shown, len(where)
            except CheckFailed as error:
                reasons.append(str(error))
        raise CheckFailed("; ".join(dict.fromkeys(reasons)))

    def met(self, witness: Mapping[str, Any]) -> int:
        """Every hypothesis and domain certainly holds at the witness (names and values); how many there are."""
        bridge = Bridge.of(self.statement)
        names = {symbol.name for symbol in self.statement.symbols}
        where = [self._written(self.statement, tree) for tree in (*self.statement.hypotheses, *self.statement.conditions)]
        exact.meets({bridge.symbol(name): value for name, value in witness.items() if name in names}, where)
        return len(where)

    def _asserted(self, own: Statement) -> sp.Rel:
        match own.conclusion:
            case Apply("Eq", (t.Limit() as limit, value)):
                body, point = self._written(own, limit.body), self._written(own, limit.point)
                variable = Bridge.of(own).symbol(limit.variable)
                where = self._hypotheses(own)
                sides = symbolic.sides_of(variable, point, None if t.is_infinite(limit.point) else limit.side.value, where)
                found = symbolic.limits(body, variable, point, sides)[0]
                return sp.Eq(found, self._written(own, value), evaluate=False)
            case Apply(("Eq" | "Ne" | "Lt" | "Le" | "Gt" | "Ge") as head, (left, right)):
                relation = {"Eq": sp.Eq, "Ne": sp.Ne, "Lt": sp.Lt, "Le": sp.Le, "Gt": sp.Gt, "Ge": sp.Ge}[head]
                return relation(self._written(own, left), self._written(own, right), evaluate=False)
            case other:
                raise CheckFailed(f"no witness can refute {other} as it stands")


def conjuncts(statement: Statement) -> list[Statement]:
    """The conjuncts of a conclusion, each under all hypotheses; a premise becomes a hypothesis."""
    match statement.conclusion:
        case Apply("And", parts):
            return [own for part in parts for own in conjuncts(replace(statement, conclusion=part))]
        case Apply("Implies", (premise, consequence)):
            return conjuncts(replace(statement, hypotheses=(*statement.hypotheses, premise), conclusion=consequence))
        case _:
            return [statement]


def _is_upper(condition: Tree) -> bool:
    """Domains with an upper end: sympy's assumptions know lower ends only."""
    return isinstance(condition, Apply) and condition.head in ("Lt", "Le") and condition.args[1] != t.number(0)


def _expanded(expression: sp.Expr) -> sp.Expr:
    """A sum of products without roots in denominators: the fewer terms, the tighter the balls."""
    return sp.expand(sp.radsimp(sp.expand(expression)))


def _renamed(value: Any, symbols: Mapping[sp.Symbol, sp.Symbol]) -> Any:
    """A value, or what a function returns, in other symbols."""
    if callable(value) and not isinstance(value, sp.Basic):
        return lambda *places: sp.sympify(value(*places)).xreplace(symbols)
    return sp.sympify(value).xreplace(symbols)


def _put(expression: sp.Basic, values: Mapping[Any, Any]) -> sp.Basic:
    """Values in the place of symbols, and functions in the place of undefined ones."""
    plain = {s: v for s, v in values.items() if isinstance(s, sp.Symbol)}
    written = expression.xreplace(plain)
    for function, value in values.items():
        if not isinstance(function, sp.Symbol):
            make: Callable[..., Any] = value
            written = written.replace(lambda e, f=function: isinstance(e, sp.Function) and e.func == f, lambda e, m=make: sp.sympify(m(*e.args)))
    return written


def _is_number(value: Any) -> bool:
    return bool(sp.sympify(value).is_Rational)


def _held(*sides: sp.Basic) -> bool:
    """Whether a side has something that is yet to be carried out."""
    return any(side.has(sp.Integral, sp.Sum, sp.Product, sp.Derivative, sp.Limit) for side in sides)


def _region(
    own: Statement, symbols: set[sp.Symbol], where: Sequence[sp.Basic]
) -> tuple[dict[sp.Symbol, Any], list[sp.Basic]]:
    """The range of each symbol from its domain and the hypotheses that bound it alone; the others are left."""
    bridge = Bridge.of(own)
    ranges: dict[sp.Symbol, tuple[Any, Any, bool, bool]] = {}
    for symbol in own.quantified:
        if not symbol.of and bridge.symbol(symbol.name) in symbols | {s for r in where for s in r.free_symbols}:
            bounds = symbol.domain.bounds
            low = -sp.oo if bounds.lower is None else sp.Rational(bounds.lower.numerator, bounds.lower.denominator)
            high = sp.oo if bounds.upper is None else sp.Rational(bounds.upper.numerator, bounds.upper.denominator)
            ranges[bridge.symbol(symbol.name)] = (low, high, bounds.lower_open, bounds.upper_open)
    rest = []
    for relation in where:
        tightened = next(_tightened(relation, ranges), None)
        if tightened is None:
            rest.append(relation)
        else:
            symbol_, limits = tightened
            ranges[symbol_] = limits
    return {s: _interval(*limits) for s, limits in ranges.items()}, rest


def _tightened(
    relation: sp.Basic, ranges: Mapping[sp.Symbol, tuple[Any, Any, bool, bool]]
) -> Iterator[tuple[sp.Symbol, tuple[Any, Any, bool, bool]]]:
    """The range of the one symbol that a hypothesis bounds by a closed number."""
    if not isinstance(relation, sp.Lt | sp.Le | sp.Gt | sp.Ge):
        return
    for symbol, bound, above in ((relation.lhs, relation.rhs, isinstance(relation, sp.Lt | sp.Le)),
                                 (relation.rhs, relation.lhs, isinstance(relation, sp.Gt | sp.Ge))):
        if symbol in ranges and not bound.free_symbols:
            low, high, low_open, high_open = ranges[symbol]
            strict = isinstance(relation, sp.Lt | sp.Gt)
            if above and exact.compare(bound, high) <= 0:
                yield symbol, (low, bound, low_open, strict or (high_open and bound == high))
            elif not above and exact.compare(bound, low) >= 0:
                yield symbol, (bound, high, strict or (low_open and bound == low), high_open)
            else:
                yield symbol, (low, high, low_open, high_open)


def _interval(low: Any, high: Any, low_open: bool, high_open: bool) -> Any:
    if low_open and high_open:
        return (low, high)
    return sp.Interval(low, high, low_open, high_open)
