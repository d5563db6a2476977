"""Arrivals fitted to time stamps: a hidden Markov chain of exponential intervals, by expectation and maximisation.

Stamps that lie together are a batch. An interval between batches is exponential with the rate of a hidden phase, and the
phase changes with the batches: D0 is diagonal, Dk = d_k (-D0) P, with P the matrix of these changes and d_k the shares of
the sizes, which are independent of the rest. For the intervals this is the algorithm of Baum and Welch, whose every step
increases the likelihood; its maximum may be a local one. It starts from phases that share the sorted intervals evenly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from crawlproof.laws.phase_type import ModelError
from crawlproof.queue.arrivals import Bmap
from crawlproof.queue.policies import whole

STEPS = 1000
# The log-likelihood of an interval that one more step has to gain.
GAIN = 1e-10
# Intervals for each phase that are needed at least.
INTERVALS_PER_PHASE = 3


@dataclass(frozen=True, eq=False)
class Fit:
    """Arrivals that were fitted, and how well."""

    bmap: Bmap
    log_likelihood: float
    """of intervals and sizes of batches, with the first phase by the law that was fitted for it"""
    batches: int
    """how many batches the time stamps are"""
    steps: int
    converged: bool
    first_phase: np.ndarray
    """the law of the phase of the first interval"""


def fit(timestamps: Any, phases: Any = 2, together: Any = 0.0) -> Fit:
    """Stamps that follow each other within `together` are a batch."""
    count = whole(phases, "phases")
    if count < 1:
        raise ModelError(f"phases is {count}; it must be 1 at least")
    stamps = read(timestamps)
    gap = float(together) if isinstance(together, int | float | np.integer | np.floating) else math.nan
    if not (math.isfinite(gap) and gap >= 0):
        raise ModelError(f"together is {together!r}; it must be a finite time, not negative")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(stamps) > gap]))
    sizes = np.diff(np.concatenate([starts, [len(stamps)]]))
    intervals = np.diff(stamps[starts])
    if len(intervals) < INTERVALS_PER_PHASE * count:
        raise ModelError(f"timestamps have {len(intervals)} intervals between batches; {count} phases need "
                         f"{INTERVALS_PER_PHASE * count} at least")
    rates, changes, first = start_of(intervals, count)
    before, converged, steps = -math.inf, False, 0
    while not converged and steps < STEPS:
        likelihood, in_phase, moved, beginning = expectation(intervals, rates, changes, first)
        converged = likelihood - before <= GAIN * len(intervals)
        if converged:
            break
        before, steps = likelihood, steps + 1
        rates = in_phase.sum(axis=0) / (in_phase * intervals[:, None]).sum(axis=0)
        changes = moved / moved.sum(axis=1, keepdims=True)
        first = beginning / beginning.sum()
    likelihood = expectation(intervals, rates, changes, first)[0]
    counts = np.bincount(sizes)[1:]
    shares = counts / counts.sum()
    likelihood += float((counts[counts > 0] * np.log(shares[counts > 0])).sum())
    bmap = Bmap([-np.diag(exact_sums(rates, changes, shares)), *(share * rates[:, None] * changes for share in shares)])
    return Fit(bmap, likelihood, len(sizes), steps, converged, first)


def exact_sums(rates: np.ndarray, changes: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The rows of all rates of batches together, so that D(1) is a generator to the last digit."""
    return np.array([math.fsum(float(share * rate * p) for share in shares for p in row)
                     for rate, row in zip(rates, changes, strict=True)])


def read(timestamps: Any) -> np.ndarray:
    if isinstance(timestamps, str) or not isinstance(timestamps, Sequence | np.ndarray) or np.ndim(timestamps) != 1:
        raise ModelError(f"timestamps is {timestamps!r}; it must be a list of times")
    try:
        stamps = np.array(timestamps, dtype=float)
    except (TypeError, ValueError):
        raise ModelError("timestamps must be numbers, such as seconds") from None
    for k, value in enumerate(stamps, 1):
        if not math.isfinite(value):
            raise ModelError(f"timestamps, entry {k}, is {value}; it must be finite")
    late = np.flatnonzero(np.diff(stamps) < 0)
    if late.size:
        k = int(late[0]) + 2
        raise ModelError(f"timestamps, entry {k}, is {stamps[k - 1]}, before the one ahead of it, {stamps[k - 2]}")
    return stamps


def start_of(intervals: np.ndarray, phases: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rates of even parts of the sorted intervals; a phase tends to stay."""
    parts = np.array_split(np.sort(intervals), phases)
    rates = np.array([1 / part.mean() for part in parts])
    changes = np.full((phases, phases), 0.5 / phases) + 0.5 * np.eye(phases)
    return rates, changes, np.full(phases, 1 / phases)


@numba.njit(cache=True)
def expectation(intervals, rates, changes, first):
    """Log-likelihood, chances of the phases of all intervals, expected numbers of changes, law of the first phase.

    Both passes are scaled at each interval.
    """
    count, phases = len(intervals), len(rates)
    forward, scale = np.empty((count, phases)), np.empty(count)
    likelihood = 0.0
    for k in range(count):
        total = 0.0
        least = rates.min() * intervals[k]  # taken out, lest all phases underflow
        for j in range(phases):
            prior = 0.0
            if k == 0:
                prior = first[j]
            else:
                for i in range(phases):
                    prior += forward[k - 1, i] * changes[i, j]
            forward[k, j] = prior * rates[j] * np.exp(least - rates[j] * intervals[k])
            total += forward[k, j]
        scale[k] = total
        likelihood += np.log(total) - least
        for j in range(phases):
            forward[k, j] /= total
    in_phase, moved = np.empty((count, phases)), np.zeros((phases, phases))
    backward, behind = np.ones(phases), np.empty(phases)
    for k in range(count - 1, -1, -1):
        least = rates.min() * intervals[k]
        for j in range(phases):
            in_phase[k, j] = forward[k, j] * backward[j]
            behind[j] = rates[j] * np.exp(least - rates[j] * intervals[k]) * backward[j] / scale[k]
        if k:
            for i in range(phases):
                backward[i] = 0.0
                for j in range(phases):
                    step = changes[i, j] * behind[j]
                    moved[i, j] += forward[k - 1, i] * step
                    backward[i] += step
    return likelihood, in_phase, moved, in_phase[0].copy()
