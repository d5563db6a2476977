"""The error of a generated float64 function, in ulps, against its multiprecision twin."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import sympy as sp

from claimproof.codegen.kernels import kernels
from claimproof.engines.sampler import seed_of
from claimproof.engines.ulps import DIGITS, error_in_ulps

if TYPE_CHECKING:
    from claimproof.codegen.export import Export

SAMPLES = 600
# Every end of every range, together, as long as there are no more corners than this.
MOST_CORNERS = 128


@dataclass(frozen=True)
class Measured:
    """The largest error found, where, and among how many points."""

    ulps: float
    at: tuple[float, ...]
    points: int


def _draw(rng: random.Random, low: float, high: float) -> float:
    if low > 0 or high < 0:
        sign = 1 if low > 0 else -1
        a, b = sorted((math.log(abs(low)), math.log(abs(high))))
        return sign * min(max(math.exp(rng.uniform(a, b)), min(abs(low), abs(high))), max(abs(low), abs(high)))
    return rng.uniform(low, high)


def _complete(export: Export, drawn: dict[str, float]) -> tuple[float, ...] | None:
    """The arguments at a draw; None when an expression or a rule does not admit it."""
    values = dict(drawn)
    for name, source in export.sample:
        if isinstance(source, str):
            symbols = {n: sp.Symbol(n) for n in values}
            function = sp.lambdify(list(symbols.values()), sp.sympify(source, locals=symbols), "math")
            values[name] = float(function(*values.values()))
    for key in export.rules:
        rule = kernels().domain.RULES[key]
        if rule.excess(*(np.float64(values[n]) for n in rule.needs)) < 0:
            return None
    return tuple(values[a.word] for a in export.args)


def span(point: Sequence[Any]) -> int:
    """The largest decimal exponent at a point, in size.

    With three times as many digits to spare, 1 + x**3 still differs from 1 for every
    argument x, so that what a form cancels is not rounded away before.
    """
    return max((abs(int(mpmath.log10(abs(v)))) for v in point if v), default=0)


def points(export: Export, count: int) -> list[tuple[float, ...]]:
    """Corners of the sampling range, then ``count`` seeded draws that meet the rules."""
    rng = random.Random(seed_of(f"{export.claim} {export.name}"))
    ranges = {n: r for n, r in export.sample if not isinstance(r, str)}
    corners: list[dict[str, float]] = [{}]
    for name, ends in ranges.items():
        corners = [{**c, name: end} for c in corners for end in ends]
    rng.shuffle(corners)
    found = [_complete(export, c) for c in corners[:MOST_CORNERS]]
    tries = 0
    while sum(p is not None for p in found) < count + len(corners[:MOST_CORNERS]) and tries < 20 * count:
        tries += 1
        found.append(_complete(export, {n: _draw(rng, *r) for n, r in ranges.items()}))
    met = [p for p in found if p is not None]
    if len(met) < count:
        raise ValueError(f"{export.name}: only {len(met)} points of its sampling range meet {export.rules}")
    return met


def measure(
    export: Export, function: Callable[..., Any], exact: Callable[..., Any], count: int = SAMPLES
) -> Measured:
    """The largest error of ``function`` over the sampling range of the export."""
    where = points(export, count)
    values = function(*(np.array(column) for column in zip(*where, strict=True)))
    worst = Measured(-1.0, (), len(where))
    for point, value in zip(where, values, strict=True):
        with mpmath.workdps(DIGITS + 3 * span(point)):
            error = error_in_ulps(float(value), exact(*map(mpmath.mpf, point)))
        if error > worst.ulps:
            worst = Measured(error, point, len(where))
    return worst
