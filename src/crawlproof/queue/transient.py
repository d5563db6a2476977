"""What happens after a burst: measures that depend on time, by uniformisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crawlproof.laws.phase_type import ModelError
from crawlproof.queue import generator
from crawlproof.queue.evolution import Evolution
from crawlproof.queue.kronecker import QueueChain, power
from crawlproof.queue.measures import Regime, delivered_rates, lost_rates
from crawlproof.queue.policies import whole
from crawlproof.queue.sojourn import not_negative

if TYPE_CHECKING:
    from crawlproof.queue.model import ThresholdQueue

STARTS = ("stationary", "empty")


@dataclass(frozen=True, eq=False)
class AfterBurst:
    """The queue after `burst` pages have come at once at time 0; arrays by time."""

    burst: int
    times: np.ndarray
    level_probabilities: np.ndarray
    """of 0 ... K pages, (time, pages)"""
    pages: np.ndarray
    """mean number of pages in the system"""
    active_robots: np.ndarray
    """mean number of active robots"""
    delivered_rate: np.ndarray
    """pages delivered per unit of time, at each time"""
    lost_rate: np.ndarray
    """pages lost per unit of time, at each time"""
    lost_at_once: float
    """expected number of pages of the burst that find no place"""
    lost: np.ndarray
    """expected number of pages lost since the burst, without those of the burst"""
    obsolete: np.ndarray
    """expected number of pages that became obsolete since the burst"""
    served: np.ndarray
    """expected number of pages served since the burst"""

    @property
    def starvation(self) -> np.ndarray:
        """Probability of an empty system."""
        return self.level_probabilities[:, 0]

    @property
    def loss(self) -> np.ndarray:
        """Share of the pages delivered at each time that is lost; nan where nothing is delivered."""
        return np.divide(self.lost_rate, self.delivered_rate, out=np.full(len(self.times), np.nan),
                         where=self.delivered_rate > 0)


def after_burst(queue: ThresholdQueue, chain: QueueChain, policy: np.ndarray, regime: Regime | None, burst: Any,
                times: Any, start: np.ndarray | None) -> AfterBurst:
    """From the stationary law of a regime or, without one, from an empty system with arrival phases by `start`."""
    pages = whole(burst, "burst")
    if pages < 0:
        raise ModelError(f"burst is {pages}; it must not be negative")
    if isinstance(times, str) or not isinstance(times, Sequence | np.ndarray) or len(times) == 0:
        raise ModelError(f"times is {times!r}; it must be a list of times")
    moments = [not_negative(float(t) if isinstance(t, np.floating) else t, f"times, entry {k},")
               for k, t in enumerate(times, 1)]
    generator.refuse_if_too_large(sum(chain.sizes), "the time after a burst")
    by_level = [start] if regime is None else [law.reshape(-1) for law in regime.laws]
    law, lost_at_once = with_burst(chain, by_level, pages)
    modes = np.repeat(policy, chain.sizes)
    lost = np.take_along_axis(generator.by_state(chain, lost_rates(chain.batches, chain.capacity)), modes[:, None], 1)[:, 0]
    counted = np.stack([lost, generator.obsolete_pages(chain), generator.ends_of_service(chain)], axis=1)
    by_mode = generator.rates_by_mode(chain)
    evolution = Evolution(generator.under(by_mode, modes), np.zeros((len(law), 0)), counted)
    order, states, counts = np.argsort(moments, kind="stable"), [np.empty(0)] * len(moments), np.zeros((len(moments), 3))
    at, now, so_far = law, 0.0, np.zeros(3)
    for k in order:
        if moments[k] > now:
            at, more = evolution.after(at, moments[k] - now)
            now, so_far = moments[k], so_far + more
        states[k], counts[k] = at, so_far
    found = np.array(states)
    edges = np.concatenate([[0], np.cumsum(chain.sizes)[:-1]])
    levels = np.add.reduceat(found, edges, axis=1)
    delivered = generator.by_state(chain, np.broadcast_to(
        delivered_rates(chain.batches), (chain.capacity + 1, chain.states, len(chain.moves))))
    robots = np.array(queue.robots)[policy]
    return AfterBurst(
        burst=pages, times=np.array(moments), level_probabilities=levels, pages=levels @ np.arange(chain.capacity + 1),
        active_robots=levels @ robots, delivered_rate=found @ np.take_along_axis(delivered, modes[:, None], 1)[:, 0],
        lost_rate=found @ lost, lost_at_once=lost_at_once, lost=counts[:, 0], obsolete=counts[:, 1], served=counts[:, 2])


def with_burst(chain: QueueChain, by_level: Sequence[np.ndarray], pages: int) -> tuple[np.ndarray, float]:
    """The law after so many pages have joined, and the expected number of those that found no place."""
    found = [np.zeros(size) for size in chain.sizes]
    lost = 0.0
    for level, law in enumerate(by_level):
        new = min(pages, chain.capacity - level)
        lost += (pages - new) * float(law.sum())
        if level == 0 and new:
            joined = np.kron(law, np.kron(chain.service.beta, power(chain.obsolescence.beta, new - 1)))
        else:
            joined = np.kron(law, power(chain.obsolescence.beta, new))
        found[level + new] += joined
    return np.concatenate(found), lost
