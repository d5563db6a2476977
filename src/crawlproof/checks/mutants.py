"""Wrong variants of a statement, made from its own tree: a check must reject every one.

A mutant that happens to equal the original is recognised by an independent comparison
at 60 digits and is not counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import sympy as sp

from crawlproof.checks import sampled
from crawlproof.checks.sampler import Point
from crawlproof.claims.evidence import CheckFailed

LIMIT = 12


@dataclass(frozen=True)
class Mutant:
    """A wrong variant and what was done to the statement to get it."""

    kind: str
    what: str
    expression: sp.Basic

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}"


@dataclass(frozen=True)
class Tally:
    """How many mutants a check killed; survivors by name."""

    killed: int
    total: int
    survivors: tuple[str, ...] = ()

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.killed + other.killed, self.total + other.total, self.survivors + other.survivors)


NONE = Tally(0, 0)


def _rebuilt(expression: sp.Basic, path: tuple[int, ...], replacement: sp.Basic) -> sp.Basic:
    if not path:
        return replacement
    head, *rest = path
    arguments = list(expression.args)
    arguments[head] = _rebuilt(arguments[head], tuple(rest), replacement)
    return expression.func(*arguments)


def _nodes(expression: sp.Basic, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], sp.Basic]]:
    yield path, expression
    for position, argument in enumerate(expression.args):
        if isinstance(argument, sp.Expr):
            yield from _nodes(argument, (*path, position))


def _signs(expression: sp.Basic) -> Iterator[tuple[str, sp.Basic]]:
    for path, node in _nodes(expression):
        if isinstance(node, sp.Add):
            for term in node.args:
                yield f"sign of {term}", _rebuilt(expression, path, node - 2 * term)
    yield "sign of the whole", -expression


def _factors(expression: sp.Basic) -> Iterator[tuple[str, sp.Basic]]:
    yield "twice the whole", 2 * expression
    for path, node in _nodes(expression):
        if isinstance(node, sp.Add):
            for term in node.args:
                yield f"twice {term}", _rebuilt(expression, path, node + term)
        if isinstance(node, sp.Mul):
            coefficient, rest = node.as_coeff_Mul()
            if coefficient not in (1, -1):
                yield f"factor {coefficient} dropped", _rebuilt(expression, path, rest)
            for factor in node.args:
                if not factor.is_number:
                    yield f"factor {factor} dropped", _rebuilt(expression, path, node / factor)


def _exponents(expression: sp.Basic) -> Iterator[tuple[str, sp.Basic]]:
    for path, node in _nodes(expression):
        if isinstance(node, sp.Pow):
            yield f"exponent of {node} raised", _rebuilt(expression, path, node.base ** (node.exp + 1))
        if isinstance(node, sp.exp):
            yield f"exponent of {node} negated", _rebuilt(expression, path, sp.exp(-node.args[0]))


def _dropped(expression: sp.Basic) -> Iterator[tuple[str, sp.Basic]]:
    for path, node in _nodes(expression):
        if isinstance(node, sp.Add):
            for term in node.args:
                yield f"{term} dropped", _rebuilt(expression, path, node - term)


def _indices(expression: sp.Basic) -> Iterator[tuple[str, sp.Basic]]:
    for symbol in sorted(expression.free_symbols, key=str):
        if symbol.is_integer:
            yield f"{symbol} shifted by one", expression.subs(symbol, symbol + 1)


def _swaps(expression: sp.Basic) -> Iterator[tuple[str, sp.Basic]]:
    symbols = sorted((s for s in expression.free_symbols if not s.is_integer), key=str)
    for first, second in itertools.combinations(symbols, 2):
        yield f"{first} and {second} swapped", expression.xreplace({first: second, second: first})


def _constants(expression: sp.Basic) -> Iterator[tuple[str, sp.Basic]]:
    for path, node in _nodes(expression):
        if isinstance(node, (sp.Integer, sp.Rational)) and node not in (0, 1, -1):
            yield f"{node} raised to {node + 1}", _rebuilt(expression, path, node + 1)
    yield "one added", expression + 1


_KINDS = {
    "sign": _signs, "factor": _factors, "exponent": _exponents, "dropped term": _dropped,
    "index": _indices, "swapped arguments": _swaps, "constant": _constants,
}


def of_expression(expression: sp.Basic, limit: int = LIMIT) -> list[Mutant]:
    """Up to ``limit`` different mutants, taken from the kinds in turn so that each is represented."""
    expression = sp.sympify(expression)
    queues = {kind: make(expression) for kind, make in _KINDS.items()}
    chosen: dict[sp.Basic, Mutant] = {}
    while queues and len(chosen) < limit:
        for kind, queue in list(queues.items()):
            try:
                what, mutant = next(queue)
            except StopIteration:
                del queues[kind]
                continue
            if mutant != expression and not mutant.has(sp.zoo, sp.nan, sp.oo):
                chosen.setdefault(mutant, Mutant(kind, what, mutant))
    return list(chosen.values())[:limit]


def reversed_relation(relation: sp.Rel) -> sp.Rel:
    """The same two sides with the inequality turned round."""
    return {sp.Gt: sp.Lt, sp.Ge: sp.Le, sp.Lt: sp.Gt, sp.Le: sp.Ge}[relation.func](
        relation.lhs, relation.rhs, evaluate=False
    )


def of_inequality(relation: sp.Rel, points: Sequence[Point], limit: int = 6) -> list[Mutant]:
    """The reversed inequality, and tree mutants of it that a sampled point shows to be false.

    A mutated inequality may well be true too; only those that are certainly false at some
    point of the region are wrong, and so must be rejected.
    """
    difference = relation.lhs - relation.rhs
    candidates = [Mutant("inequality", "reversed", reversed_relation(relation))]
    candidates += [
        Mutant(m.kind, m.what, relation.func(m.expression, 0, evaluate=False))
        for m in of_expression(difference, limit * 3)
    ]
    wrong = [m for m in candidates if sampled.violation(m.expression, points) is not None]
    return wrong[:limit]


def differs(original: sp.Expr, mutant: sp.Expr, points: Sequence[Point]) -> bool:
    """Whether the mutant certainly differs from the original at one of the points."""
    return sampled.compare(original, mutant, points, stop_at_first=True)[1] > 0


def trial(mutants: Sequence[Mutant], accepts: Callable[[sp.Basic], object]) -> Tally:
    """Run the same check on each mutant; ``accepts`` raises CheckFailed (or is false) to reject."""
    survivors = []
    for mutant in mutants:
        try:
            accepted = accepts(mutant.expression)
        except CheckFailed:
            accepted = False
        if accepted is not False:
            survivors.append(str(mutant))
    return Tally(len(mutants) - len(survivors), len(mutants), tuple(survivors))
