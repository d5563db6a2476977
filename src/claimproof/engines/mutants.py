"""Wrong variants of a statement, made from its own tree: a check must reject every one.

A mutant that happens to equal the original is recognised by an independent comparison
at 60 digits and is not counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from claimproof.core.evidence import CheckFailed
from claimproof.engines import sampled
from claimproof.engines.sampler import Point, domain_of

LIMIT = 14
MILLIONTH = sp.Rational(1, 10**6)
# How far, in shares of a range's width (or of 1), an enlarged region reaches beyond it.
BEYOND = sp.Rational(1, 4)


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


def _subtle(expression: sp.Basic) -> Iterator[tuple[str, sp.Basic]]:
    """Errors that a loose comparison or one look at the leading term would miss."""
    yield "a millionth more", expression * (1 + MILLIONTH)
    sums = [(path, node) for path, node in _nodes(expression) if isinstance(node, sp.Add) and path]
    for path, node in sorted(sums, key=lambda found: -len(found[0]))[:1]:
        term = node.args[-1]
        yield f"deep sign of {term}", _rebuilt(expression, path, node - 2 * term)


def _bounds(expression: sp.Basic) -> Iterator[tuple[str, sp.Basic]]:
    for node in sorted(expression.atoms(sp.Sum, sp.Product, sp.Integral), key=sp.default_sort_key):
        *others, limits = node.limits
        if len(limits) != 3:
            continue
        variable, low, high = limits
        moved = (variable, low, high + 1) if high != sp.oo else (variable, low + 1, high)
        yield f"limits of {variable} shifted", expression.xreplace({node: node.func(node.function, *others, moved)})


_KINDS = {
    "subtle": _subtle, "bounds": _bounds, "sign": _signs, "factor": _factors, "exponent": _exponents, "dropped term": _dropped,
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


def negated_relation(relation: sp.Rel) -> sp.Rel:
    """What holds exactly where an inequality does not."""
    return {sp.Gt: sp.Le, sp.Ge: sp.Lt, sp.Lt: sp.Ge, sp.Le: sp.Gt}[relation.func](
        relation.lhs, relation.rhs, evaluate=False
    )


def of_inequality(relation: sp.Rel, points: Sequence[Point], limit: int = 6) -> list[Mutant]:
    """The reversed inequality, one that asks a millionth too much, and tree mutants, all shown to be false at a point.

    A mutated inequality may well be true too; only those that are certainly false at some
    point of the region are wrong, and so must be rejected.
    """
    difference = relation.lhs - relation.rhs
    rising = isinstance(relation, (sp.Gt, sp.Ge))
    tightened = difference - MILLIONTH if rising else difference + MILLIONTH
    candidates = [
        Mutant("inequality", "reversed", reversed_relation(relation)),
        Mutant("subtle", "a millionth too much", relation.func(tightened, 0, evaluate=False)),
    ]
    candidates += [
        Mutant(m.kind, m.what, relation.func(m.expression, 0, evaluate=False))
        for m in of_expression(difference, limit * 3)
    ]
    return list(itertools.islice((m for m in candidates if sampled.violation(m.expression, points) is not None), limit))


@dataclass(frozen=True)
class Region:
    """The ranges and hypotheses of an inequality, and what was done to them."""

    what: str
    on: dict[sp.Symbol, Any]
    where: tuple[sp.Basic, ...]


def larger_regions(on: Mapping[sp.Symbol, tuple], where: Sequence[sp.Basic]) -> list[Region]:
    """The region with one hypothesis dropped, or with one range reaching beyond an end, as far as declarations allow."""
    found = [
        Region(f"hypothesis {relation} dropped", dict(on), tuple(r for r in where if r is not relation))
        for relation in where if relation != sp.true
    ]
    for symbol, limits in on.items():
        low, high = (sp.sympify(end) for end in ((limits.start, limits.end) if isinstance(limits, sp.Interval) else limits))
        step = BEYOND * (high - low if low != -sp.oo and high != sp.oo else 1)
        declared = domain_of(symbol) if not symbol.is_integer else (low, high)
        if high != sp.oo and (high + step <= declared[1]) == True:  # noqa: E712 - sympy's truth
            found.append(Region(f"{symbol} up to {high + step}", {**on, symbol: (low, high + step)}, tuple(where)))
        if low != -sp.oo and (low - step >= declared[0]) == True:  # noqa: E712
            found.append(Region(f"{symbol} from {low - step}", {**on, symbol: (low - step, high)}, tuple(where)))
    return found


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
