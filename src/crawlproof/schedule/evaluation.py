"""The exact cost of a schedule, by Lemma 3.1 on the gaps of its cycle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from crawlproof import formulas
from crawlproof.kernels.float64 import chi, phi1
from crawlproof.schedule.frequencies import frequencies as optimal_frequencies
from crawlproof.schedule.inputs import access_time_law, frequencies, numbers, page_indices

Array = NDArray[np.float64]

# Gaps whose obsolescence is computed at once: bounds the memory of temporaries.
BLOCK = 2**18
# Up to here E[exp(-mu X)] is a normal float64.
LARGEST_KAPPA = 700.0


@dataclass(frozen=True)
class Evaluation:
    """What a cyclic schedule costs, and how far from the least possible that is."""

    #: fraction of time for which each page is out of date
    obsolescence: Array
    #: sum of weight times obsolescence
    cost: float
    #: no schedule that is independent of the access times costs less
    bound: float
    #: no schedule with these gap moments costs more than this multiple of the bound (Theorem A)
    guarantee: float
    #: the share of accesses that each page has in the cycle
    frequency: Array
    #: E[d^2]/E[d]^2 over the gaps d of each page: how uneven they are, 1 if they are equal;
    #: infinite for a page that is never accessed
    gap_factor: Array

    @property
    def ratio(self) -> float:
        """cost/bound; 1 where both are 0."""
        return self.cost / self.bound if self.bound > 0 else 1.0


@njit(cache=True)
def _cyclic_gaps(accesses, pages):
    """For each access, the distance from the access before it to the same page, around the cycle."""
    length = len(accesses)
    last = np.full(pages, -1, dtype=np.int64)
    first = np.full(pages, -1, dtype=np.int64)
    gaps = np.empty(length, dtype=np.int64)
    for n in range(length):
        page = accesses[n]
        if last[page] < 0:
            first[page] = n
        else:
            gaps[n] = n - last[page]
        last[page] = n
    for page in range(pages):
        if first[page] >= 0:
            gaps[first[page]] = first[page] + length - last[page]
    return gaps


@njit(cache=True)
def _accumulate(total, lost, page, value):
    """Add each value to its page's total; what rounding loses is summed up apart (values are >= 0)."""
    for n in range(len(page)):
        at = page[n]
        before = total[at]
        after = before + value[n]
        lost[at] += (before - after) + value[n] if before >= value[n] else (value[n] - after) + before
        total[at] = after


def cyclic_gaps(sequence: ArrayLike, pages: int | None = None) -> NDArray[np.int64]:
    """For each access the distance, in accesses, from the one before it to the same page, around the cycle."""
    array = np.asarray(sequence)
    if pages is None:
        pages = int(array.max()) + 1 if array.size and array.dtype.kind in "iu" else 1
    return _cyclic_gaps(page_indices("sequence", array, pages), pages)


def page_weights(weight: ArrayLike | None, change_rate: Array) -> Array:
    """Weights of the pages; by default their change rates."""
    return change_rate if weight is None else numbers("weight", weight, size=len(change_rate))


def _stale_share(age: Array, excess: Array) -> Array:
    """The share of a gap d in which a page is out of date, at age d kappa (Lemma 3.1 over d E[X]).

    The generated ``gap_obsolescence`` takes rho = 1 - kappa/(mu E[X]) from kappa, and where changes are
    rare the rounding error of kappa is all that is left of it; the law knows rho better.
    """
    return np.minimum(chi(age) + excess * phi1(age), 1.0)


def lower_bound(frequency: Array, change_rate: Array, access_time: Any) -> Array:
    """The least obsolescence of each page at a frequency in [0, 1] (Theorem 3.3); 1 at frequency 0."""
    result = np.where(change_rate > 0, 1.0, 0.0)
    some = (frequency > 0) & (change_rate > 0)
    rate = change_rate[some]
    with np.errstate(over="ignore"):  # a page that is hardly ever accessed is always out of date
        age = -access_time.log_laplace(rate) / frequency[some]
    result[some] = _stale_share(age, access_time.relative_excess(rate))
    return result


def least_cost(change_rate: Array, weight: Array, access_time: Any) -> float:
    """The bound (6) if weights are proportional to change rates, else the certified bound on the optimum of (7)."""
    if not ((weight > 0) & (change_rate > 0)).any():
        return 0.0
    plan = optimal_frequencies(change_rate, weight, access_time=access_time)
    return plan.cost - plan.gap


def evaluate(
    sequence: ArrayLike, change_rate: ArrayLike, access_time: Any, weight: ArrayLike | None = None,
    *, allow_missing: bool = False,
) -> Evaluation:
    """The exact long-run cost of repeating a sequence of accesses for ever.

    Arguments:
        sequence: page indices in the order of access, one cycle
        change_rate: changes of each page per unit of time, >= 0
        access_time: law of the duration of an access, see ``crawlproof.laws``
        weight: cost of each page being out of date, per unit of time; by default its change rate
        allow_missing: count a page that the sequence does not access as always out of date,
            which is right for pages that a plan has dropped; otherwise such a page is an error

    Error: obsolescence and cost are good to 1e-14, relatively, if the law's ``log_laplace`` and
    ``relative_excess`` are to a few units in the last place. The bound is below the optimum by at
    most the certified gap of its plan.
    """
    rates = numbers("change_rate", change_rate)
    law = access_time_law(access_time)
    weights = page_weights(weight, rates)
    accesses = page_indices("sequence", sequence, len(rates))
    counts = np.bincount(accesses, minlength=len(rates))
    missing = (counts == 0) & (rates > 0)
    if missing.any() and not allow_missing:
        at = int(np.flatnonzero(missing)[0])
        raise ValueError(
            f"page {at} (change rate {float(rates[at])!r}) is never accessed in the sequence"
            f"{f', nor are {missing.sum() - 1} others' if missing.sum() > 1 else ''}:"
            " pass allow_missing=True to count it as always out of date"
        )
    gaps = _cyclic_gaps(accesses, len(rates))
    length = len(accesses)
    obsolescence = np.where(missing, 1.0, _mean_obsolescence(accesses, gaps, rates, law, length))
    return _compared(obsolescence, counts / length, _gap_factors(accesses, gaps, counts), rates, weights, law)


def evaluate_random_phase(
    frequency: ArrayLike, change_rate: ArrayLike, access_time: Any, weight: ArrayLike | None = None
) -> Evaluation:
    """The exact expected cost of the policy random-phase, over its random phases and the access times.

    Takes time in proportion to the number of pages times that of different frequencies. Pages with
    frequency 0 count as always out of date. At the frequencies (10), and for weights proportional to
    change rates, the ratio is at most 1 + the sum of squared frequencies.
    """
    rates = numbers("change_rate", change_rate)
    law = access_time_law(access_time)
    weights = page_weights(weight, rates)
    share = frequencies(numbers("frequency", frequency, size=len(rates)))
    log_laplace = law.log_laplace(rates)
    seen = share > 0
    different, pages_with = np.unique(share[seen], return_counts=True)
    loss, variance = np.zeros(len(rates)), np.zeros(len(rates))
    # Beyond that, no change goes unnoticed from one access to the next: only the frequency matters.
    random = np.flatnonzero(seen & (rates > 0) & (log_laplace >= -LARGEST_KAPPA))
    block = max(1, BLOCK // len(different))
    for start in range(0, len(random), block):
        page = random[start : start + block, None]
        part = np.modf(different / share[page])[0]  # of the other pages' accesses per own access
        loss[page[:, 0]] = formulas.random_phase_pair_loss(part, log_laplace[page]) @ pages_with
    for start in range(0, len(rates), block):
        page = np.flatnonzero(seen[start : start + block])[:, None] + start
        part = np.modf(different / share[page])[0]
        variance[page[:, 0]] = (part * (1 - part)) @ pages_with
    obsolescence = lower_bound(share, rates, law)
    # CLW-X.random-phase-cost, with the law's own rho for the reason given at _stale_share
    f, lost = share[random], loss[random]
    age = np.maximum(-log_laplace[random] / f - lost, 0.0)
    scale = f / (rates[random] * law.mean)
    obsolescence[random] = np.minimum(law.relative_excess(rates[random]) + scale * lost + scale * age * chi(age), 1.0)
    factor = np.where(seen, 1 + share**2 * variance, np.inf)
    return _compared(obsolescence, share, factor, rates, weights, law)


def _compared(obsolescence: Array, frequency: Array, factor: Array, rates: Array, weights: Array, law: Any) -> Evaluation:
    """Costs, next to the least and the most that they can be."""
    bound = least_cost(rates, weights, law)
    # A page that is never accessed costs its weight and no more.
    most = np.minimum(lower_bound(frequency, rates, law) * np.where(frequency > 0, factor, 1.0), 1.0)
    return Evaluation(
        obsolescence=obsolescence, cost=float(np.sum(weights * obsolescence)), bound=bound,
        guarantee=float(np.sum(weights * most)) / bound if bound > 0 else 1.0, frequency=frequency, gap_factor=factor,
    )


def _mean_obsolescence(accesses: NDArray, gaps: NDArray, rates: Array, law: Any, length: int) -> Array:
    """Each page's share of time out of date: the mean over its gaps, weighted with the gaps."""
    total, lost = np.zeros(len(rates)), np.zeros(len(rates))
    kappa, excess = -law.log_laplace(rates), law.relative_excess(rates)
    for start in range(0, length, BLOCK):
        page = accesses[start : start + BLOCK]
        gap = gaps[start : start + BLOCK]
        _accumulate(total, lost, page, gap * _stale_share(gap * kappa[page], excess[page]))
    # Rounding may lift a page that is nearly always out of date above 1.
    return np.minimum((total + lost) / length, 1.0)


def _gap_factors(accesses: NDArray, gaps: NDArray, counts: NDArray) -> Array:
    squares = np.bincount(accesses, weights=gaps.astype(np.float64) ** 2, minlength=len(counts))
    factor = np.full(len(counts), np.inf)
    seen = counts > 0
    # Not below 1, which rounding alone could make of equal gaps.
    factor[seen] = np.maximum(formulas.guarantee_factor(len(accesses) / counts[seen], squares[seen] / counts[seen]), 1.0)
    return factor
