"""Monte Carlo against a formula: seeded, with a z-score, an interval, and what it could have detected."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from crawlproof.claims.evidence import CheckFailed, Evidence, Kind

__all__ = ["compare", "detectable"]

_NORMAL_95 = 1.959963984540054  # two-sided 95 % quantile of the normal law

Samples = Any  # a 1-D array of i.i.d. samples, or a pair (numerators, denominators)


def compare(
    simulate: Callable[[np.random.Generator, int], Samples],
    expected: Any,
    seed: int,
    runs: int,
    z_limit: float = 4,
    what: str = "",
) -> Evidence:
    """The mean of ``simulate(rng, runs)`` agrees with ``expected`` within ``z_limit`` standard errors.

    ``simulate`` returns i.i.d. samples; or a pair of arrays (numerators, denominators), i.i.d. in pairs, whose
    ratio of means is compared, with the standard error of the delta method (renewal-reward estimators). A nan,
    fewer samples than asked for, or samples without spread that miss the expected value, fail the check.
    """
    target = _as_float(expected)
    name = f"{what}: " if what else ""
    if not math.isfinite(target):
        raise CheckFailed(f"{name}the expected value is {target}")
    estimate, error = _estimate(simulate(np.random.default_rng(seed), runs), runs, name)
    difference = estimate - target
    rounding = 8 * np.finfo(float).eps * max(abs(target), abs(estimate))
    if error <= rounding:  # no spread but that of rounding: z would measure only that
        if abs(difference) > rounding:
            raise CheckFailed(f"{name}all samples give {estimate:.6g}, expected {target:.6g}")
        z = 0.0
    else:
        z = difference / error
    low, high = estimate - _NORMAL_95 * error, estimate + _NORMAL_95 * error
    summary = f"{estimate:.5g} in [{low:.5g}, {high:.5g}], expected {target:.5g}, z = {z:+.2f}"
    if not abs(z) <= z_limit:
        raise CheckFailed(f"{name}{summary}, beyond {z_limit:g} standard errors ({runs} runs, seed {seed})")
    resolution = detectable(error, target, z_limit)
    return Evidence(
        Kind.SIMULATED,
        f"simulated {runs} runs, z = {z:+.2f}",
        {
            "what": what,
            "seed": seed,
            "runs": runs,
            "z": f"{z:+.2f}",
            "z_limit": f"{z_limit:g}",
            "estimate": f"{estimate:.5g}",
            "interval": [f"{low:.5g}", f"{high:.5g}"],
            "expected": f"{target:.5g}",
            "detectable": None if resolution is None else f"{resolution:.1e}",
        },
    )


def detectable(standard_error: float, expected: float, z_limit: float = 4) -> float | None:
    """The smallest relative error of ``expected`` that the comparison would reject with probability 97.7 %.

    An error of (z_limit + 2) standard errors is rejected unless the noise hides two of them. None when
    ``expected`` is 0, where relative errors mean nothing.
    """
    return (z_limit + 2) * standard_error / abs(expected) if expected else None


def _estimate(samples: Samples, runs: int, name: str) -> tuple[float, float]:
    """The estimate and its standard error."""
    if isinstance(samples, tuple):
        numerators, denominators = (_checked(s, runs, name) for s in samples)
        mean = float(denominators.mean())
        if mean == 0:
            raise CheckFailed(f"{name}the denominators have mean 0")
        ratio = float(numerators.mean()) / mean
        # Delta method: the ratio moves like the mean of (numerator - ratio * denominator) / mean(denominator).
        return ratio, float((numerators - ratio * denominators).std(ddof=1)) / abs(mean) / math.sqrt(runs)
    values = _checked(samples, runs, name)
    return float(values.mean()), float(values.std(ddof=1)) / math.sqrt(runs)


def _checked(samples: Any, runs: int, name: str) -> np.ndarray:
    values = np.asarray(samples, dtype=float)
    if values.ndim != 1 or values.size != runs or runs < 2:
        raise CheckFailed(f"{name}expected {runs} (at least 2) samples in one dimension, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise CheckFailed(f"{name}{int((~np.isfinite(values)).sum())} of {runs} samples are not finite")
    return values


def _as_float(expected: Any) -> float:
    if hasattr(expected, "p") and hasattr(expected, "q"):  # fmpq and SymPy rationals
        return float(Fraction(int(expected.p), int(expected.q)))
    return float(expected)
