"""Points that cover a statement's domain and meet its hypotheses: seeded, exact, corners included."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

from claimproof.core.evidence import CheckFailed

Point = dict[sp.Symbol, sp.Expr]
Range = tuple | list | set

# Hypotheses that so many random points miss are either impossible or need ranges of their own.
ATTEMPTS = 4000
# Every so many draws from an infinite range go far out, and near to its end.
FAR = 8


class VacuousHypotheses(CheckFailed):
    """No point satisfies the hypotheses, so a check under them says nothing."""


class RangeOutsideDomain(CheckFailed):
    """A range or corner holds values that the symbol's declaration excludes."""


def seed_of(text: str) -> int:
    """A seed that depends on the statement alone, not on the process or the machine."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def domain_of(symbol: sp.Symbol, where: Sequence[sp.Basic] = ()) -> Range:
    """What a symbol may be: by its declaration, and by hypotheses that bound it with a number."""
    if symbol.is_integer:
        values = [0, 1, 2, 3, 4, 5, 7, 8, 11, 13, 17, 30]
        signed = values if symbol.is_nonnegative else [-17, -8, -7, -2, -1, *values[:8]]
        return [v for v in signed if contradiction(symbol, sp.Integer(v)) is None]
    low = sp.Integer(0) if symbol.is_nonnegative else -sp.oo
    high = sp.Integer(0) if symbol.is_nonpositive else sp.oo
    for relation in _conjuncts(where):
        if not isinstance(relation, (sp.Lt, sp.Le, sp.Gt, sp.Ge)):
            continue
        if relation.lts == symbol and relation.gts.is_number:
            high = sp.Min(high, relation.gts)
        elif relation.gts == symbol and relation.lts.is_number:
            low = sp.Max(low, relation.lts)
    return (low, high)


def _conjuncts(where: Sequence[sp.Basic]) -> Iterator[sp.Basic]:
    for relation in where:
        yield from sp.And.make_args(sp.sympify(relation))


def _rational(value: float) -> sp.Rational:
    """A short exact rational near ``value``: three significant digits are enough to be generic."""
    return sp.Rational(f"{value:.3g}")


def _distance(rng: random.Random) -> sp.Rational:
    """How far from the end of an infinite range: mostly of order 1, now and then very near or far."""
    return _rational(10 ** (rng.uniform(-5, 3) if rng.randrange(FAR) == 0 else rng.uniform(-2, 1.5)))


def _draw(rng: random.Random, limits: Range) -> sp.Expr:
    if not isinstance(limits, tuple):
        return sp.sympify(rng.choice(sorted(limits, key=sp.default_sort_key)))
    low, high = (sp.sympify(end) for end in limits)
    if low == -sp.oo and high == sp.oo:
        return rng.choice((-1, 1)) * _distance(rng)
    if high == sp.oo:
        return low + _distance(rng)
    if low == -sp.oo:
        return high - _distance(rng)
    share = sp.Rational(rng.randint(1, 999), 1000)
    return low + (high - low) * share


def contradiction(symbol: sp.Symbol, value: sp.Expr) -> str | None:
    """Which part of a symbol's declaration an exact value is not seen to meet, in words; None if it meets all."""
    declared = symbol._assumptions_orig  # what was written; the rest follows from it
    for assumption, required in symbol.assumptions0.items():
        actual = getattr(value, f"is_{assumption}", None)
        undecided = actual is None and assumption in declared
        if undecided or (actual is not None and actual != required):
            return f"{symbol} is {'' if required else 'not '}{assumption}"
    return None


@dataclass(frozen=True)
class Sampler:
    """Draws exact points for ``symbols`` at which every relation of ``where`` holds.

    Points cover what the symbols' declarations allow, on both sides of 0 where the sign is open.
    ``ranges`` adds emphasis and takes nothing away: a tuple is an open interval, a list or set the
    values to choose from, and every other point is drawn there. ``corners`` are always used.
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
        emphasised = {s: limits for s, limits in self.ranges.items() if s in set(self.symbols)}
        for symbol, limits in emphasised.items():
            self._require_inside(symbol, limits)
        domains = {s: domain_of(s, self.where) for s in self.symbols}
        inside = self._some(domains, count - count // 2 if emphasised else count, "the declared domain")
        stressed = self._some({**domains, **emphasised}, count // 2, "the ranges given") if emphasised else []
        mixed = itertools.chain.from_iterable(itertools.zip_longest(inside, stressed))
        return [*self.corner_points(), *(point for point in mixed if point is not None)]

    def corner_points(self) -> list[Point]:
        """The corners, completed to whole points."""
        return [self._completed(corner) for corner in self.corners] if self.symbols else []

    def _require_inside(self, symbol: sp.Symbol, limits: Range) -> None:
        if isinstance(limits, tuple):
            if symbol.is_integer:
                raise RangeOutsideDomain(f"the range {limits} of the integer {symbol} must list values")
            low, high = (sp.sympify(end) for end in limits)
            if not low < high:
                raise RangeOutsideDomain(f"the range ({low}, {high}) of {symbol} is empty")
            declared_low, declared_high = domain_of(symbol)
            if low < declared_low or high > declared_high:
                raise RangeOutsideDomain(
                    f"the range ({low}, {high}) of {symbol} leaves its declared domain ({declared_low}, {declared_high})"
                )
            return
        for value in limits:
            if why := contradiction(symbol, sp.sympify(value)):
                raise RangeOutsideDomain(f"the range of {symbol} holds {value}, but {why}")

    def _some(self, domains: Mapping[sp.Symbol, Range], count: int, place: str) -> list[Point]:
        met = list(itertools.islice(self._random_points(domains), count))
        if not met and count:
            raise VacuousHypotheses(
                f"hypotheses were met by none of the points sampled from {place}: "
                + ", ".join(str(relation) for relation in self.where)
            )
        return met

    def _completed(self, corner: Mapping[sp.Symbol, sp.Expr]) -> Point:
        """A corner may fix some symbols only; the rest takes the first draw that fits."""
        shown = ", ".join(f"{key} = {value}" for key, value in corner.items())
        for symbol, value in corner.items():
            if symbol not in self.symbols:
                raise CheckFailed(f"corner {shown}: the statement has no {symbol}")
            if why := contradiction(symbol, sp.sympify(value)):
                raise RangeOutsideDomain(f"corner {shown} lies outside of the domain: {why}")
        rng = random.Random(self.seed)
        domains = {s: domain_of(s, self.where) for s in self.symbols}
        for _ in range(2000):
            drawn = {s: _draw(rng, domains[s]) for s in self.symbols}
            point = {s: sp.sympify(corner[s]) if s in corner else drawn[s] for s in self.symbols}
            if self._meets(point):
                return point
        raise CheckFailed(f"corner {shown} does not satisfy the hypotheses")

    def _random_points(self, domains: Mapping[sp.Symbol, Range]) -> Iterator[Point]:
        rng = random.Random(self.seed)
        for special in (self._all_equal(rng, domains), self._at_zero(rng, domains)):
            if special is not None and self._meets(special):
                yield special
        signed = [s for s, limits in domains.items() if tuple(limits) == (-sp.oo, sp.oo)]
        patterns = itertools.cycle(itertools.product((1, -1), repeat=len(signed)))
        for _, pattern in zip(range(ATTEMPTS), patterns, strict=False):
            point = {symbol: _draw(rng, domains[symbol]) for symbol in self.symbols}
            # Every combination of signs in turn: a statement may be true on one side only.
            point |= {s: sign * abs(point[s]) for s, sign in zip(signed, pattern, strict=True)}
            if self._meets(point):
                yield point

    def _all_equal(self, rng: random.Random, domains: Mapping[sp.Symbol, Range]) -> Point | None:
        """Symbols of one range take one value: equal rates are a corner of their own."""
        values: dict[str, sp.Expr] = {}
        point = {s: values.setdefault(str(domains[s]), _draw(rng, domains[s])) for s in self.symbols}
        return point if len(values) < len(self.symbols) else None

    def _at_zero(self, rng: random.Random, domains: Mapping[sp.Symbol, Range]) -> Point | None:
        """Symbols that may be 0 are."""
        point = {
            s: sp.Integer(0) if s.is_zero is None and contradiction(s, sp.Integer(0)) is None else _draw(rng, domains[s])
            for s in self.symbols
        }
        return point if any(value == 0 for value in point.values()) else None

    def _meets(self, point: Point) -> bool:
        return all(decide(relation, point) for relation in self.where)


def decide(relation: sp.Basic, point: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Whether a relation holds at an exact point; raises when sympy can't tell."""
    try:
        value = sp.sympify(relation).subs(point)
    except TypeError:  # sympy compares no infinities of the complex plane: a side has no value there
        return False
    if value in (sp.true, sp.false):
        return bool(value)
    raise CheckFailed(f"can't tell whether {relation} holds at {dict(point)}: it became {value}")
