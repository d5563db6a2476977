"""Points that satisfy a statement's hypotheses: seeded, exact, corners included."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

from crawlproof.claims.evidence import CheckFailed

Point = dict[sp.Symbol, sp.Expr]
Range = tuple | list | set

# Hypotheses that so many random points miss are either impossible or need ranges of their own.
ATTEMPTS = 4000


class VacuousHypotheses(CheckFailed):
    """No point satisfies the hypotheses, so a check under them says nothing."""


def seed_of(text: str) -> int:
    """A seed that depends on the statement alone, not on the process or the machine."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _default_range(symbol: sp.Symbol) -> Range:
    if symbol.is_integer:
        if symbol.is_positive:
            return [1, 2, 3, 4, 5, 7, 11, 17, 30]
        if symbol.is_nonnegative:
            return [0, 1, 2, 3, 5, 8, 13, 30]
        return [-7, -2, -1, 0, 1, 2, 5, 11]
    if symbol.is_positive or symbol.is_nonnegative:
        return (0, sp.oo)
    if symbol.is_negative:
        return (-sp.oo, 0)
    return (-sp.oo, sp.oo)


def _rational(value: float) -> sp.Rational:
    """A short exact rational near ``value``: three significant digits are enough to be generic."""
    return sp.Rational(f"{value:.3g}")


def _draw(rng: random.Random, limits: Range) -> sp.Expr:
    if not isinstance(limits, tuple):
        return sp.sympify(rng.choice(sorted(limits, key=sp.default_sort_key)))
    low, high = (sp.sympify(end) for end in limits)
    if low == -sp.oo and high == sp.oo:
        return rng.choice((-1, 1)) * _rational(10 ** rng.uniform(-2, 1.5))
    if high == sp.oo:
        return low + _rational(10 ** rng.uniform(-2, 1.5))
    if low == -sp.oo:
        return high - _rational(10 ** rng.uniform(-2, 1.5))
    share = sp.Rational(rng.randint(1, 999), 1000)
    return low + (high - low) * share


@dataclass(frozen=True)
class Sampler:
    """Draws exact points for ``symbols`` at which every relation of ``where`` holds.

    ``ranges`` overrides what a symbol's own assumptions suggest: a tuple is an open
    interval, a list or set the values to choose from. ``corners`` are always used.
    """

    symbols: Sequence[sp.Symbol]
    where: Sequence[sp.Basic] = ()
    ranges: Mapping[sp.Symbol, Range] = field(default_factory=dict)
    corners: Sequence[Mapping[sp.Symbol, sp.Expr]] = ()
    seed: int = 0

    def points(self, count: int) -> list[Point]:
        """``count`` random points after the corners; raises when the hypotheses can't be met."""
        if not self.symbols:
            return [{}]
        corners = [self._completed(corner) for corner in self.corners]
        met = [*corners, *itertools.islice(self._random_points(), count)]
        if not met:
            raise VacuousHypotheses(
                "hypotheses were met by none of the sampled points: "
                + ", ".join(str(relation) for relation in self.where)
            )
        return met

    def _completed(self, corner: Mapping[sp.Symbol, sp.Expr]) -> Point:
        """A corner may fix some symbols only; the rest takes the first draw that fits."""
        rng = random.Random(self.seed)
        for _ in range(2000):
            point = {s: sp.sympify(corner[s]) if s in corner else self._value(rng, s) for s in self.symbols}
            if self._meets(point):
                return point
        shown = ", ".join(f"{key} = {value}" for key, value in corner.items())
        raise CheckFailed(f"corner {shown} does not satisfy the hypotheses")

    def _random_points(self) -> Iterator[Point]:
        rng = random.Random(self.seed)
        equal = self._all_equal(rng)
        if equal is not None and self._meets(equal):
            yield equal
        for _ in range(ATTEMPTS):
            point = {symbol: self._value(rng, symbol) for symbol in self.symbols}
            if self._meets(point):
                yield point

    def _all_equal(self, rng: random.Random) -> Point | None:
        """Symbols of one range take one value: equal rates are a corner of their own."""
        values: dict[str, sp.Expr] = {}
        point = {}
        for symbol in self.symbols:
            limits = self.ranges.get(symbol, _default_range(symbol))
            point[symbol] = values.setdefault(str(limits), _draw(rng, limits))
        return point if len(values) < len(self.symbols) else None

    def _value(self, rng: random.Random, symbol: sp.Symbol) -> sp.Expr:
        return _draw(rng, self.ranges.get(symbol, _default_range(symbol)))

    def _meets(self, point: Point) -> bool:
        return all(decide(relation, point) for relation in self.where)


def decide(relation: sp.Basic, point: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Whether a relation holds at an exact point; raises when sympy can't tell."""
    value = sp.sympify(relation).subs(point)
    if value in (sp.true, sp.false):
        return bool(value)
    raise CheckFailed(f"can't tell whether {relation} holds at {dict(point)}: it became {value}")
