"""The model as its words describe it: pages change, the robot accesses, copies go out of date.

Nothing here uses a formula of the paper. Pages change at the epochs of independent Poisson
processes; accesses take independent times and end at one page each; a copy is out of date
from the page's first change after an access until the end of the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from crawlproof.schedule.evaluation import page_weights
from crawlproof.schedule.inputs import numbers, page_indices, whole_number
from crawlproof.schedule.policies import DEFAULT_CHUNK, chunks_of, maker_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Simulation:
    """Estimates with the half-widths of their confidence intervals (Student, over replications)."""

    #: fraction of time for which each page was out of date
    obsolescence: Array
    obsolescence_half_width: Array
    #: sum of weight times obsolescence
    cost: float
    cost_half_width: float
    confidence: float
    replications: int
    #: accesses measured in each replication
    accesses: int

    @property
    def cost_interval(self) -> tuple[float, float]:
        return self.cost - self.cost_half_width, self.cost + self.cost_half_width


@njit(cache=True)
def _drive(accesses, durations, patience, rate, next_change, out_of_date, clock, measured_from):
    """Let the robot make its accesses; returns the time at the end of the last one."""
    for n in range(len(accesses)):
        clock += durations[n]
        page = accesses[n]
        if next_change[page] < clock:
            out_of_date[page] += max(clock - max(next_change[page], measured_from), 0.0)
            next_change[page] = clock + patience[n] / rate[page]
    return clock


def _turns(cycle: NDArray, start: int) -> Iterator[NDArray]:
    """A cycle for ever, from one of its places on, in pieces of a moderate size."""
    turned = np.roll(cycle, -start)
    while True:
        for at in range(0, len(turned), DEFAULT_CHUNK):
            yield turned[at : at + DEFAULT_CHUNK]


def _split(chunks: Iterator[NDArray], warm_up: int, accesses: int) -> Iterator[tuple[NDArray, bool]]:
    """The accesses before the measurement and then those of it, each piece with whether it is measured."""
    done, end = 0, warm_up + accesses
    for chunk in chunks:
        chunk = chunk[: end - done]
        before = min(max(warm_up - done, 0), len(chunk))
        if before:
            yield chunk[:before], False
        if before < len(chunk):
            yield chunk[before:], True
        done += len(chunk)
        if done == end:
            return


def simulate(
    policy: str | ArrayLike = "most-overdue", *, change_rate: ArrayLike, access_time: Any,
    frequency: ArrayLike | None = None, weight: ArrayLike | None = None, accesses: int = 100_000,
    warm_up: int | None = None, replications: int = 16, confidence: float = 0.95, seed: int = 0,
) -> Simulation:
    """Run the model and measure.

    Arguments:
        policy: the name of one, with ``frequency``; or a sequence of page indices, repeated for ever
        change_rate: changes of each page per unit of time, >= 0
        access_time: law of the duration of an access, see ``crawlproof.laws``
        frequency: access frequencies, for a named policy
        weight: cost of each page being out of date, per unit of time; by default its change rate
        accesses: measured accesses of a replication (rounded up to whole turns of a given sequence)
        warm_up: accesses before the measurement, by default a quarter of the measured ones (for a
            sequence at least one turn). All copies are fresh at the start; a page that is not
            accessed while warming up looks fresher than it is.
        replications: independent runs, at least 2
        confidence: of the intervals
        seed: same seed, same result
    """
    rates = numbers("change_rate", change_rate)
    weights = page_weights(weight, rates)
    accesses = whole_number("accesses", accesses)
    replications = whole_number("replications", replications, at_least=2)
    seed = whole_number("seed", seed, at_least=0)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    if not callable(getattr(access_time, "sample", None)):
        raise ValueError(f"access_time must be a law such as crawlproof.laws.Exponential(mean=1.0), got {access_time!r}")
    cycle = None
    if isinstance(policy, str):
        if frequency is None:
            raise ValueError(f"policy {policy!r} needs frequency=")
        numbers("frequency", frequency, size=len(rates))
    else:
        cycle = page_indices("policy", policy, len(rates))
        accesses = -(-accesses // len(cycle)) * len(cycle)
    if warm_up is None:
        warm_up = max(accesses // 4, 0 if cycle is None else len(cycle))
    warm_up = whole_number("warm_up", warm_up, at_least=0)

    mean, squares = np.zeros(len(rates)), np.zeros(len(rates))
    costs = np.empty(replications)
    for run in range(replications):
        rng = np.random.default_rng([seed, run])
        if cycle is None:
            maker, _ = maker_of(frequency, policy, accesses, int(rng.integers(2**62)), None)
            chunks = chunks_of(maker, None, DEFAULT_CHUNK)
        else:
            chunks = _turns(cycle, int(rng.integers(len(cycle))))
        share = _replication(chunks, rates, access_time, warm_up, accesses, rng)
        costs[run] = np.sum(weights * share)
        step = share - mean  # Welford: mean and squared deviations in one pass
        mean += step / (run + 1)
        squares += step * (share - mean)
    quantile = float(stdtrit(replications - 1, (1 + confidence) / 2))
    scale = quantile / np.sqrt(replications * (replications - 1))
    return Simulation(
        obsolescence=mean, obsolescence_half_width=scale * np.sqrt(squares), cost=float(costs.mean()),
        cost_half_width=float(scale * np.sqrt(np.sum((costs - costs.mean()) ** 2))), confidence=confidence,
        replications=replications, accesses=accesses,
    )


def _replication(chunks: Iterator[NDArray], rates: Array, law: Any, warm_up: int, accesses: int, rng: Any) -> Array:
    """The share of time out of date, for each page, in one run."""
    with np.errstate(divide="ignore"):
        next_change = rng.standard_exponential(len(rates)) / rates  # never, at rate 0
    out_of_date = np.zeros(len(rates))
    clock = start = 0.0
    for piece, measured in _split(chunks, warm_up, accesses):
        durations, patience = law.sample(rng, len(piece)), rng.standard_exponential(len(piece))
        measured_from = start if measured else np.inf
        clock = _drive(piece, durations, patience, rates, next_change, out_of_date, clock, measured_from)
        if not measured:
            start = clock
    out_of_date += np.maximum(clock - np.maximum(next_change, start), 0.0)
    return out_of_date / (clock - start)
