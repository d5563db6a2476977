"""The error of a float64 function in units in the last place, against many digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np

from claimproof.core.evidence import CheckFailed, Evidence, Kind

DIGITS = 60


def error_in_ulps(value: float, exact: mpmath.mpf) -> float:
    """|value - exact| in units in the last place of the double format at ``exact``."""
    if not mpmath.isfinite(exact) or not math.isfinite(value):
        return math.inf
    exponent = mpmath.frexp(exact)[1] if exact else -2000
    unit = mpmath.ldexp(1, max(exponent - 53, -1074))
    return float(abs(mpmath.mpf(value) - exact) / unit)


def log_uniform(low: float, high: float, count: int, seed: int) -> np.ndarray:
    """``count`` seeded doubles between two positive ones, both ends first."""
    rng = np.random.default_rng(seed)
    drawn = np.exp(rng.uniform(math.log(low), math.log(high), count))
    return np.concatenate([[low, high], np.clip(drawn, low, high)])


def within(
    function: Callable[..., Any],
    exact: Callable[..., Any],
    points: Sequence[np.ndarray],
    stated: float,
    what: str,
) -> Evidence:
    """``function`` is within ``stated`` ulps of ``exact`` at every point (columns of arguments).

    The verdict line gives the stated bound, not the measured one: the last digits of the
    latter depend on the exponential of the machine's library.
    """
    columns = [np.asarray(c, dtype=np.float64) for c in points]
    values = np.asarray(function(*columns))
    if values.size == 0:
        raise CheckFailed(f"{what}: no point to measure at")
    worst, where = -1.0, ()
    with mpmath.workdps(DIGITS):
        for *point, value in zip(*columns, values, strict=True):
            error = error_in_ulps(float(value), exact(*(mpmath.mpf(float(p)) for p in point)))
            if error > worst:
                worst, where = error, tuple(map(float, point))
    if not worst <= stated:
        raise CheckFailed(f"{what}: {worst:.2f} ulp at {where}, stated {stated:g}")
    detail = f"sampled {values.size}/{values.size} within {stated:g} ulp at {DIGITS} digits"
    data = {"points": int(values.size), "stated_ulps": float(stated), "digits": DIGITS}
    return Evidence(Kind.SAMPLED, detail, data)
