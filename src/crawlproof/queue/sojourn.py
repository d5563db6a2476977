"""The law of the time that a page spends in the system, by its fate: formulas (16) to (18), as a phase-type law.

Phases are what the tagged page sees of the system, (place, m, r_1, ..., r_place). It starts where its batch puts it,
and is absorbed when it is served or becomes obsolete.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import brentq

from crawlproof.laws.phase_type import ModelError
from crawlproof.queue import fate as fates
from crawlproof.queue.evolution import Evolution
from crawlproof.queue.kronecker import power, service_moves
from crawlproof.queue.measures import Measures, Regime
from crawlproof.queue.policies import whole

FATES = ("served", "obsolete")
# States of a page at one place: dense matrices of that size are inverted.
LARGEST_PLACE = 4096
TINY = np.finfo(float).tiny


def sojourn_time(measures: Measures, fate: str) -> SojournTime:
    if not isinstance(fate, str) or fate not in FATES:
        raise ModelError(f"fate is {fate!r}; there are {', '.join(FATES)}")
    return SojournTime(fate, measures.success if fate == "served" else measures.obsolescence, measures)


@dataclass(frozen=True, eq=False)
class SojournTime:
    """The time in the system of pages with one fate."""

    fate: str
    probability: float
    """that a delivered page has this fate"""
    measures: Measures

    @property
    def mean(self) -> float:
        return self.moment(1)

    def moment(self, order: int) -> float:
        """E[V^order] = order! alpha (-T)^-order f / (alpha f), f the probabilities of the fate."""
        count = whole(order, "order")
        if count < 0:
            raise ModelError(f"order is {count}; it must not be negative")
        page = self._page
        values = page.fates[self.fate]
        for k in range(1, count + 1):
            values = [k * value for value in page.backward(values)]
        return float(page.from_start(values) / page.from_start(page.fates[self.fate]))

    def laplace(self, u: float) -> float:
        """E[exp(-u V)], u >= 0: the transforms (17) and (18)."""
        rate = not_negative(u, "u")
        page = self._page
        ends = [fates.ways_out(page.service, page.obsolescence, place)[:, self._way] for place in range(page.capacity)]
        return float(page.from_start(page.backward(ends, rate)) / page.from_start(page.fates[self.fate]))

    def cdf(self, t: float) -> float:
        """P(V <= t)."""
        return self._until(not_negative(t, "t"))[0]

    def survival(self, t: float) -> float:
        """P(V > t), with all its digits also where it is small."""
        return self._until(not_negative(t, "t"))[1]

    def density(self, t: float) -> float:
        """The density of V."""
        page = self._page
        inside, _ = page.evolution.after(page.start, not_negative(t, "t"))
        return float(inside @ page.evolution.out[:, self._way] / page.from_start(page.fates[self.fate]))

    def quantile(self, p: float) -> float:
        """The time t with P(V <= t) = p."""
        if isinstance(p, bool | np.bool_) or not isinstance(p, Real) or not 0 < p < 1:
            raise ModelError(f"p is {p!r}; it must be above 0 and below 1")
        share = float(p)

        def miss(log_time: float) -> float:
            reached, left = self._until(math.exp(log_time))
            # Whichever is smaller has the digits.
            if share <= 0.5:
                return math.log(max(reached, TINY)) - math.log(share)
            return math.log(1 - share) - math.log(max(left, TINY))

        low = high = math.log(self.mean)
        while self._until(math.exp(low))[0] >= share:
            low -= 2
        while self._until(math.exp(high))[1] > 1 - share:
            high += 1
        return math.exp(brentq(miss, low, high, xtol=1e-14, rtol=4 * np.finfo(float).eps))

    @property
    def _way(self) -> int:
        return FATES.index(self.fate)

    @cached_property
    def _page(self) -> TaggedPage:
        if self.probability == 0:
            raise ModelError(f"no page is ever {self.fate}: its time in the system has no law")
        return TaggedPage(self.measures.regime())

    def _until(self, time: float) -> tuple[float, float]:
        """P(V <= time) and P(V > time)."""
        page = self._page
        inside, gone = page.evolution.after(page.start, time)
        left = inside @ np.concatenate(page.fates[self.fate])
        return float(gone[self._way] / (gone[self._way] + left)), float(left / (gone[self._way] + left))


class TaggedPage:
    """One accepted page: where it starts, how it moves on, how it leaves."""

    def __init__(self, regime: Regime) -> None:
        self.regime, self.service, self.obsolescence = regime, regime.service, regime.obsolescence
        self.capacity = len(regime.laws) - 1
        widest = self.service.phases * float(self.obsolescence.phases) ** (self.capacity - 1)
        if widest > LARGEST_PLACE:
            raise ModelError(f"the last place has {widest:,.0f} states of a page, {LARGEST_PLACE:,} are the limit: the law of "
                             "its time in the system is too large")

    @cached_property
    def start(self) -> np.ndarray:
        """The law of the state that an accepted page starts in."""
        found = np.concatenate([entries(self.regime, place) for place in range(self.capacity)])
        return found / found.sum()

    def from_start(self, values: Sequence[np.ndarray]) -> float:
        return float(self.start @ np.concatenate(values))

    def backward(self, ends: Sequence[np.ndarray], killed: float = 0.0) -> list[np.ndarray]:
        return fates.backward(self.service, self.obsolescence, ends, killed)

    @cached_property
    def fates(self) -> dict[str, list[np.ndarray]]:
        """Probabilities of both fates, place by place."""
        found = fates.of_waiting_pages(self.service, self.obsolescence, self.capacity)
        return {"served": [at.reshape(-1) for at in found.served], "obsolete": [at.reshape(-1) for at in found.obsolete]}

    @cached_property
    def evolution(self) -> Evolution:
        blocks: list[list[Any]] = [[None] * self.capacity for _ in range(self.capacity)]
        for place in range(self.capacity):
            blocks[place][place] = sparse.csr_array(service_moves(self.service, self.obsolescence, place))
            if place:
                blocks[place][place - 1] = sparse.csr_array(fates.advances(self.service, self.obsolescence, place))
        out = np.concatenate([fates.ways_out(self.service, self.obsolescence, place) for place in range(self.capacity)])
        return Evolution(sparse.csr_array(sparse.block_array(blocks)), out)


def entries(regime: Regime, place: int) -> np.ndarray:
    """Rates at which pages are accepted into the states (m, r_1, ..., r_place) of a place."""
    service, obsolescence = regime.service, regime.obsolescence
    found = np.zeros(service.phases * obsolescence.phases**place)
    for level in range(max(0, place + 1 - regime.batches.shape[1]), place + 1):
        new = place + 1 - level  # the page is the one with this number in its batch, which has so many pages at least
        rate = regime.batches[:, new - 1:].sum(axis=(1, 3))
        flow = flow_of_batches(regime.laws[level], regime.modes[level], rate)
        if level == 0:
            found += flow.sum() * np.kron(service.beta, power(obsolescence.beta, place))
        else:
            found += np.kron(flow.reshape(-1), power(obsolescence.beta, new))
    return found


def flow_of_batches(law: np.ndarray, modes: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Batches per unit of time from the states (m, r_1, ...) of one level; rates are (mode, nu)."""
    by_mode = [np.tensordot(rate[n], np.where(modes == n, law, 0), axes=(0, 0)) for n in range(len(rate))]
    return np.sum(by_mode, axis=0)


def not_negative(value: Any, name: str) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real) or not math.isfinite(value) or value < 0:
        raise ModelError(f"{name} is {value!r}; it must be a finite number, not negative")
    return float(value)


