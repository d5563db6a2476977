"""A statement: for all symbols in their domains, under these hypotheses, this conclusion.

A value that the ledger keeps, the book prints, an engine checks and an exporter translates. It is
read from the inventory's text (``Statement.read``), has one canonical line (``text``) with a
fingerprint (``sha256``), and can be falsified: a check that accepts a falsified statement is no check.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any

from claimproof.core import tree as t
from claimproof.core.reader import StatementError, read
from claimproof.core.symbols import Symbol, SymbolTable
from claimproof.core.tree import Apply, Name, Tree, TreeError, number

__all__ = ["Definition", "Falsified", "Statement", "StatementError", "Way", "conditions", "definitions", "read", "unfolded"]


class Way(str, Enum):
    """How a statement is made wrong."""

    SIGN = "sign"
    FACTOR = "factor"
    SHIFT = "+ 1"
    RELATION = "relation turned"
    HYPOTHESIS = "hypothesis dropped"
    DOMAIN = "domain widened"
    SUBTLE = "subtle"


@dataclass(frozen=True)
class Falsified:
    """A statement that is meant to be wrong, and what was done to it.

    Meant: -r is r where r = 0, and a hypothesis may not be needed. Whoever rejects mutants shows
    that each differs from the original somewhere, or names it.
    """

    way: Way
    description: str
    statement: Statement


@dataclass(frozen=True)
class Statement:
    """``symbols`` are all that occur, free or bound, by name; kernels are not among them."""

    symbols: tuple[Symbol, ...]
    hypotheses: tuple[Tree, ...]
    conclusion: Tree

    def __post_init__(self) -> None:
        for what, proposition in (*(("a hypothesis", h) for h in self.hypotheses), ("the conclusion", self.conclusion)):
            if not t.is_proposition(proposition):
                raise TreeError(f"{what} must be a proposition such as Eq(a, b) or a < b, not the number {proposition}")
        free, bound = t.free_names(self.conclusion), t.bound_names(self.conclusion)
        for hypothesis in self.hypotheses:
            for name in sorted(t.free_names(hypothesis) & (bound - free)):
                raise TreeError(
                    f"the hypothesis {hypothesis} is about {name}, which the conclusion binds: it would restrict nothing"
                )

    # ---- reading ----------------------------------------------------------------------

    @classmethod
    def read(
        cls, formula: str, where: Sequence[str] = (), *, table: SymbolTable, source: str = "statement"
    ) -> Statement:
        """From the texts of an inventory; every error is a StatementError that names ``source``."""
        conclusion = read(formula, table, source=f"{source}: formula")
        hypotheses = tuple(read(text, table, source=f"{source}: where") for text in where)
        try:
            return cls.of(conclusion, hypotheses, table)
        except TreeError as error:
            raise StatementError(f"{source}: {error}") from None

    @classmethod
    def of(cls, conclusion: Tree, hypotheses: Iterable[Tree], table: Mapping[str, Symbol]) -> Statement:
        """From trees, with the symbols of ``table``."""
        hypotheses = tuple(hypotheses)
        used = frozenset[str]().union(*(t.names(p) for p in (*hypotheses, conclusion)))
        return cls(tuple(table[name] for name in sorted(used) if name in table), hypotheses, conclusion)

    # ---- what it says -----------------------------------------------------------------

    @property
    def quantified(self) -> tuple[Symbol, ...]:
        """The symbols that the statement speaks of: those that occur free."""
        free = frozenset[str]().union(*(t.free_names(p) for p in (*self.hypotheses, self.conclusion)))
        return tuple(s for s in self.symbols if s.name in free)

    @property
    def conditions(self) -> tuple[Tree, ...]:
        """What the domains of the quantified symbols say, as propositions (families and functions left out)."""
        return tuple(c for symbol in self.quantified if not symbol.of for c in conditions(symbol))

    @property
    def text(self) -> str:
        """The canonical line, domains included."""
        symbols = ", ".join(f"{_shown(s)}: {s.domain.value}" for s in self.symbols)
        parts = ["for all " + symbols if symbols else "", "where " + "; ".join(map(str, self.hypotheses)) if self.hypotheses else ""]
        return " ".join([*(p for p in parts if p), "|-", str(self.conclusion)])

    def __str__(self) -> str:
        return self.text

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    # ---- plain data -------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        return {
            "symbols": [s.to_json() for s in self.symbols],
            "hypotheses": [t.to_json(h) for h in self.hypotheses],
            "conclusion": t.to_json(self.conclusion),
        }

    @classmethod
    def from_json(cls, data: Any) -> Statement:
        match data:
            case {"symbols": list(symbols), "hypotheses": list(hypotheses), "conclusion": conclusion}:
                return cls(
                    tuple(map(Symbol.from_json, symbols)), tuple(map(t.from_json, hypotheses)), t.from_json(conclusion)
                )
            case _:
                raise TreeError(f"no statement: {data!r:.80}")

    # ---- made wrong -------------------------------------------------------------------

    def falsified(self) -> tuple[Falsified, ...]:
        """The plain ways to make it wrong: a sign, a factor, + 1, the relation turned, a hypothesis dropped.

        A hypothesis that only repeats the domain of its symbol is dropped together with it. Domains
        that no hypothesis repeats are widened on their own.
        """
        found = [
            Falsified(way, description, replace(self, conclusion=conclusion))
            for way, description, conclusion in _falsified(self.conclusion)
        ]
        return (*found, *self._weakened())

    def subtle(self) -> tuple[Falsified, ...]:
        """Ways that are easily missed: a factor 1 + 1e-6, one inner sign, one end of a range moved by one."""
        return tuple(
            Falsified(Way.SUBTLE, description, replace(self, conclusion=conclusion))
            for description, conclusion in (*_nearly(self.conclusion), *_inner(self.conclusion))
        )

    def _weakened(self) -> Iterator[Falsified]:
        repeated: set[str] = set()
        for position, hypothesis in enumerate(self.hypotheses):
            rest = self.hypotheses[:position] + self.hypotheses[position + 1:]
            owners = {
                s.name for s in self.quantified if not s.of and any(t.same(hypothesis, c) for c in conditions(s))
            }
            repeated |= owners
            also = f", and {', '.join(sorted(owners))} taken from all numbers" if owners else ""
            weaker = replace(self, symbols=self._widened(owners), hypotheses=rest)
            yield Falsified(Way.HYPOTHESIS, f"without {hypothesis}{also}", weaker)
        for symbol in self.quantified:
            if symbol.domain is not symbol.domain.widened and not symbol.of and symbol.name not in repeated:
                wider = replace(self, symbols=self._widened({symbol.name}))
                yield Falsified(
                    Way.DOMAIN, f"{symbol.name} {symbol.domain.widened.value}, not {symbol.domain.value}", wider
                )

    def _widened(self, names: Iterable[str]) -> tuple[Symbol, ...]:
        chosen = set(names)
        return tuple(replace(s, domain=s.domain.widened) if s.name in chosen else s for s in self.symbols)


def _shown(symbol: Symbol) -> str:
    if not symbol.of:
        return symbol.name
    inside = ", ".join(d.value for d in symbol.of)
    return f"{symbol.name}[{inside}]" if symbol.is_family else f"{symbol.name}({inside})"


def conditions(symbol: Symbol) -> tuple[Tree, ...]:
    """The bounds of a symbol's domain as propositions; that it is whole is not among them."""
    bounds, name = symbol.domain.bounds, Name(symbol.name)
    found: list[Tree] = []
    if bounds.lower is not None:
        found.append(Apply("Gt" if bounds.lower_open else "Ge", (name, number(bounds.lower))))
    if bounds.upper is not None:
        found.append(Apply("Lt" if bounds.upper_open else "Le", (name, number(bounds.upper))))
    return tuple(found)


# ---- definitions ------------------------------------------------------------------------


@dataclass(frozen=True)
class Definition:
    """A symbol that is not primitive: its parameters (none for a number) and what it stands for."""

    symbol: str
    parameters: tuple[str, ...]
    body: Tree


def definitions(table: SymbolTable) -> dict[str, Definition]:
    """All ``defined_by`` of a table, read and free of circles.

    That of a number is an expression, that of a family or function an equation such as
    ``Eq(kappa[i], -log(h[i]))``.
    """
    found = {s.name: _definition(s, table) for s in table.values() if s.defined_by is not None}
    for name in found:
        _refuse_circle(name, found, (), table.source)
    return found


def _definition(symbol: Symbol, table: SymbolTable) -> Definition:
    source = f"{table.source}: {symbol.name}: defined_by"
    tree = read(symbol.defined_by or "", table, source=source)
    if not symbol.of:
        if t.is_proposition(tree):
            raise StatementError(f"{source}: must be an expression, not the proposition {tree}")
        return Definition(symbol.name, (), tree)
    match tree:
        case Apply("Eq", (t.Indexed(name, places) | Apply(name, places), body)) if name == symbol.name:
            parameters = tuple(p.name for p in places if isinstance(p, Name))
            if len(set(parameters)) == len(places):
                return Definition(symbol.name, parameters, body)
        case _:
            pass
    form = f"{symbol.name}[i]" if symbol.is_family else f"{symbol.name}(x)"
    raise StatementError(f"{source}: must be an equation Eq({form}, ...) with distinct symbols as arguments, not {tree}")


def _refuse_circle(name: str, found: Mapping[str, Definition], path: tuple[str, ...], source: str) -> None:
    if name in path:
        circle = " -> ".join((*path[path.index(name):], name))
        raise StatementError(f"{source}: symbols are defined by each other in a circle: {circle}")
    for other in sorted(t.free_names(found[name].body) & found.keys()):
        _refuse_circle(other, found, (*path, name), source)


def unfolded(tree: Tree, defined: Mapping[str, Definition]) -> Tree:
    """The tree with every defined symbol replaced by what it stands for, until only primitive ones are left."""

    def rule(node: Tree) -> Tree | None:
        match node:
            case t.Indexed(name, places) | Apply(name, places) if name in defined:
                values = dict(zip(defined[name].parameters, places, strict=True))
                return unfolded(t.substituted(defined[name].body, values), defined)
            case _:
                return None

    plain = {name: unfolded(d.body, defined) for name, d in defined.items() if not d.parameters and name in t.free_names(tree)}
    return t.replaced(t.substituted(tree, plain), rule)


# ---- ways to be wrong -------------------------------------------------------------------

_TURNED = {"Eq": "Ne", "Ne": "Eq", "Lt": "Ge", "Le": "Gt", "Gt": "Le", "Ge": "Lt"}
_NAMES = {"Lt": "<", "Le": "<=", "Gt": ">", "Ge": ">=", "Eq": "=", "Ne": "!="}
_ZERO, _ONE, _TWO = number(0), number(1), number(2)


def _add(tree: Tree, other: Tree) -> Tree:
    return other if tree == _ZERO else Apply("Add", (tree, other))


def _times(factor: t.Number, tree: Tree) -> Tree:
    return number(factor.value * tree.value) if isinstance(tree, t.Number) else Apply("Mul", (factor, tree))


def _spoilt(side: Tree) -> Iterator[tuple[Way, str, Tree]]:
    """A side of an equation made wrong; 0 has no other sign and no multiple, infinity no other size."""
    if side != _ZERO:
        yield Way.SIGN, "negated", t.MINUS_INFINITY if side == t.INFINITY else t.INFINITY if side == t.MINUS_INFINITY else t.neg(side)
        if not t.is_infinite(side):
            yield Way.FACTOR, "doubled", _times(_TWO, side)
    if not t.is_infinite(side):
        yield Way.SHIFT, "plus 1", number(side.value + 1) if isinstance(side, t.Number) else Apply("Add", (side, _ONE))


def _falsified(tree: Tree) -> Iterator[tuple[Way, str, Tree]]:
    match tree:
        case Apply("Eq", (left, right)):
            for way, what, side in _spoilt(right):
                yield way, f"right side {what}", Apply("Eq", (left, side))
            yield Way.RELATION, "= turned into !=", Apply("Ne", (left, right))
        case Apply(("Lt" | "Le" | "Gt" | "Ge") as head, (left, right)):
            yield from _sharper(head, left, right)
            yield Way.RELATION, f"{_NAMES[head]} turned into {_NAMES[_TURNED[head]]}", Apply(_TURNED[head], (left, right))
        case Apply("Ne", sides):
            yield Way.RELATION, "!= turned into =", Apply("Eq", sides)
        case t.Series(body, variable, point, order, expansion):
            for way, what, side in _spoilt(expansion):
                yield way, f"expansion {what}", t.Series(body, variable, point, order, side)
        case Apply("And", parts):
            for position, part in enumerate(parts):
                for way, what, wrong in _falsified(part):
                    yield way, f"part {position + 1}: {what}", Apply("And", (*parts[:position], wrong, *parts[position + 1:]))
        case Apply("Implies", (premise, consequence)):
            for way, what, wrong in _falsified(consequence):
                yield way, what, Apply("Implies", (premise, wrong))
            yield Way.HYPOTHESIS, f"without {premise}", consequence
        case Apply("Equivalent", (left, right)):
            yield Way.RELATION, "right side denied", Apply("Equivalent", (left, _denied(right)))
        case _:
            yield Way.RELATION, "denied", _denied(tree)


def _denied(tree: Tree) -> Tree:
    match tree:
        case Apply("Not", (inner,)):
            return inner
        case Apply(head, sides) if head in _TURNED:
            return Apply(_TURNED[head], sides)
        case _:
            return Apply("Not", (tree,))


def _sharper(head: str, left: Tree, right: Tree) -> Iterator[tuple[Way, str, Tree]]:
    """An inequality with its larger side made smaller: negated, halved, less by 1."""
    small, large = (left, right) if head in ("Lt", "Le") else (right, left)

    def relation(side: Tree, other: Tree) -> Tree:
        return Apply(head, (side, other) if head in ("Lt", "Le") else (other, side))

    if not t.is_infinite(large):
        if large != _ZERO:
            yield Way.SIGN, "larger side negated", relation(small, t.neg(large))
            yield Way.FACTOR, "larger side halved", relation(small, t.div(large, _TWO))
        elif small != _ZERO and not t.is_infinite(small):
            yield Way.SIGN, "smaller side negated", relation(t.neg(small), large)
        less = number(large.value - 1) if isinstance(large, t.Number) else Apply("Sub", (large, _ONE))
        yield Way.SHIFT, "larger side less by 1", relation(small, less)


def _nearly(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Factors of 1 + 1e-6 on the right of equations, and one more term in expansions."""
    factor = number(Fraction(1_000_001, 1_000_000))
    match tree:
        case Apply("Eq", (left, right)) if right != _ZERO and not t.is_infinite(right):
            yield "right side times 1 + 1e-6", Apply("Eq", (left, _times(factor, right)))
        case t.Series(body, variable, point, order, expansion):
            moved = Name(variable) if point == _ZERO else Apply("Sub", (Name(variable), point))
            last = _ONE if order == 1 else moved if order == 2 else Apply("Pow", (moved, number(order - 1)))
            yield "a last term added", t.Series(body, variable, point, order, _add(expansion, last))
        case Apply("And" | "Implies", parts):
            first = 1 if tree.head == "Implies" else 0
            for position, part in list(enumerate(parts))[first:]:
                for what, wrong in _nearly(part):
                    yield what, t.rebuilt(tree, (*parts[:position], wrong, *parts[position + 1:]))
        case _:
            pass


def _inner(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """One inner sign or one end of a range changed, at every place in turn."""
    for what, wrong in _changed(tree):
        yield what, wrong
    parts = t.children(tree)
    first = 1 if isinstance(tree, Apply) and tree.head == "Implies" else 0  # a premise is no part of what is claimed
    for position, part in list(enumerate(parts))[first:]:
        for what, wrong in _inner(part):
            try:
                yield what, t.rebuilt(tree, (*parts[:position], wrong, *parts[position + 1:]))
            except TreeError:  # such as a division by zero that the change has made
                continue


def _changed(tree: Tree) -> Iterator[tuple[str, Tree]]:
    match tree:
        case Apply("Add", sides):
            yield f"{tree}: + turned into -", Apply("Sub", sides)
        case Apply("Sub", sides):
            yield f"{tree}: - turned into +", Apply("Add", sides)
        case Apply("Neg", (inner,)) if not t.is_infinite(tree):
            yield f"{tree}: - left out", inner
        case t.Ranged(head, body, variable, lower, upper):
            if not t.is_infinite(lower):
                yield f"{tree}: from one more on", t.Ranged(head, body, variable, _one_more(lower), upper)
            if not t.is_infinite(upper):
                yield f"{tree}: to one more", t.Ranged(head, body, variable, lower, _one_more(upper))
        case _:
            pass


def _one_more(tree: Tree) -> Tree:
    return number(tree.value + 1) if isinstance(tree, t.Number) else Apply("Add", (tree, _ONE))
