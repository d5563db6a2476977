"""Monte Carlo against a formula: seeded, with a z-score, an interval, and what it could have detected."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from claimproof.core.evidence import CheckFailed, Evidence, Kind

__all__ = ["compare", "detectable"]

_NORMAL_95 = 1.959963984540054  # two-sided 95 % quantile of the normal law

RESOLUTION = 0.01  # the relative error that a simulation has to be able to see
FEWEST_RUNS = 1000  # with fewer the spread itself is not known well enough for a z-score
# One sample with more than this share of the spread: the mean hangs on rare events, of which the sample has too few.
LARGEST_SHARE = 0.1

Samples = Any  # a 1-D array of i.i.d. samples, or a pair (numerators, denominators)


def compare(
    simulate: Callable[[np.random.Generator, int], Samples],
    expected: Any,
    seed: int,
    runs: int,
    z_limit: float = 4,
    what: str = "",
    resolution: float = RESOLUTION,
) -> Evidence:
    """The mean of ``simulate(rng, runs)`` agrees with ``expected`` within ``z_limit`` standard errors.

    ``simulate`` returns i.i.d. samples; or a pair of arrays (numerators, denominators), i.i.d. in pairs, whose
    ratio of means is compared, with the standard error of the delta method (renewal-reward estimators). A nan,
    fewer samples than asked for, samples without spread or with all of it in one of them fail the check; so does a
    simulation that could not have seen a relative error of ``resolution``.
    """
    target = _as_float(expected)
    name = f"{what}: " if what else ""
    if not math.isfinite(target):
        raise CheckFailed(f"{name}the expected value is {target}")
    estimate, error = _estimate(simulate(np.random.default_rng(seed), runs), runs, name)
    difference = estimate - target
    rounding = 8 * np.finfo(float).eps * max(abs(target), abs(estimate))
    if error <= rounding:  # no spread but that of rounding: nothing was drawn
        raise CheckFailed(f"{name}all samples give {estimate:.6g} (expected {target:.6g}): a constant is no simulation")
    z = difference / error
    low, high = estimate - _NORMAL_95 * error, estimate + _NORMAL_95 * error
    summary = f"{estimate:.5g} in [{low:.5g}, {high:.5g}], expected {target:.5g}, z = {z:+.2f}"
    if not abs(z) <= z_limit:
        raise CheckFailed(f"{name}{summary}, beyond {z_limit:g} standard errors ({runs} runs, seed {seed})")
    seen = detectable(error, target, z_limit)
    if seen is None:
        raise CheckFailed(f"{name}the expected value is 0, of which no share can be seen: simulate 1 + it")
    if seen > resolution:
        raise CheckFailed(
            f"{name}{runs} runs can't see an error below {seen:.1%} of {target:.5g}; {resolution:.1%} is asked for"
        )
    weaker = "" if resolution <= RESOLUTION else f", sees errors of {resolution:.1%} only"
    return Evidence(
        Kind.SIMULATED,
        f"simulated {runs} runs, z = {z:+.2f}{weaker}",
        {
            "what": what,
            "seed": seed,
            "runs": runs,
            "z": f"{z:+.2f}",
            "z_limit": f"{z_limit:g}",
            "estimate": f"{estimate:.5g}",
            "interval": [f"{low:.5g}", f"{high:.5g}"],
            "expected": f"{target:.5g}",
            "detectable": f"{seen:.1e}",
            "resolution": f"{resolution:g}",
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
        return ratio, _spread(numerators - ratio * denominators, name) / abs(mean) / math.sqrt(runs)
    values = _checked(samples, runs, name)
    return float(values.mean()), _spread(values, name) / math.sqrt(runs)


def _spread(values: np.ndarray, name: str) -> float:
    """The standard deviation, unless a single sample makes most of it."""
    squares = (values - values.mean()) ** 2
    if (total := float(squares.sum())) and float(squares.max()) > LARGEST_SHARE * total:
        raise CheckFailed(f"{name}one sample of {values.size} has {float(squares.max()) / total:.0%} of the spread")
    return float(values.std(ddof=1))


def _checked(samples: Any, runs: int, name: str) -> np.ndarray:
    values = np.asarray(samples, dtype=float)
    if values.ndim != 1 or values.size != runs or runs < FEWEST_RUNS:
        raise CheckFailed(f"{name}expected {runs} (at least {FEWEST_RUNS}) samples in one dimension, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise CheckFailed(f"{name}{int((~np.isfinite(values)).sum())} of {runs} samples are not finite")
    return values


def _as_float(expected: Any) -> float:
    if hasattr(expected, "p") and hasattr(expected, "q"):  # fmpq and SymPy rationals
        return float(Fraction(int(expected.p), int(expected.q)))
    return float(expected)
