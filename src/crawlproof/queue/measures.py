"""What a policy does: rates, probabilities, times, and their cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from crawlproof.laws.phase_type import ModelError, exact_number
from crawlproof.queue.clocks import Clock
from crawlproof.queue.fate import Fate

if TYPE_CHECKING:
    from crawlproof.queue.sojourn import SojournTime

# No result is returned with a larger error than this.
WORST = 1e-10


@dataclass(frozen=True)
class Costs:
    """The coefficients of the cost (2), none of them negative."""

    loss: float = 0.0
    """for each page lost because the buffer is full"""
    obsolescence: float = 0.0
    """for each page that becomes obsolete while it waits"""
    sojourn: float = 0.0
    """for the mean time in the system of the pages that are served"""
    robot: float = 0.0
    """for each active robot and unit of time"""
    starvation: float = 0.0
    """for the share of time in which the system is empty"""

    def __post_init__(self) -> None:
        for item in fields(self):
            value = float(exact_number(getattr(self, item.name), f"the cost of {item.name}"))
            if value < 0:
                raise ModelError(f"the cost of {item.name} is {value}; it must not be negative")
            object.__setattr__(self, item.name, value)


@dataclass(frozen=True)
class Measures:
    """A queue under one policy, in its stationary regime."""

    active: tuple[Any, ...]
    """robots that are active with 0 ... K pages in the system; by phases, if the policy sees them"""
    arrival_rate: float
    """pages delivered per unit of time, lost ones included"""
    loss: float
    """share of pages that find the buffer full"""
    obsolescence: float
    """share of pages that become obsolete while they wait"""
    success: float
    """share of pages that are served"""
    starvation: float
    """share of time in which the system is empty"""
    active_robots: float
    """mean number of active robots"""
    sojourn: float
    """mean time in the system of a page, 0 for a lost one"""
    sojourn_served: float
    """mean time in the system of the pages that are served"""
    sojourn_obsolete: float | None
    """mean time in the system of the pages that become obsolete; None when there are none, as with K = 1, or so few
    that doubles can't hold their rate"""
    level_probabilities: tuple[float, ...]
    """share of time with 0 ... K pages in the system"""
    method: str
    """how it was computed"""
    states: int
    """states of the chain that was solved"""
    error: float
    """an estimate of the relative error of all measures"""
    regime: Callable[[], Regime] = field(repr=False, compare=False)
    """the stationary law, computed when it is asked for"""

    def sojourn_time(self, fate: str) -> SojournTime:
        """The law of the time in the system of the pages that are "served" or become "obsolete"."""
        from crawlproof.queue.sojourn import sojourn_time

        return sojourn_time(self, fate)

    def numbers(self) -> dict[str, Any]:
        """All measures by name."""
        return {item.name: getattr(self, item.name) for item in fields(self) if item.name != "regime"}

    def cost(self, costs: Costs) -> float:
        """The cost (2): J = lambda (c_loss P_loss + c_obs P_obs) + a V_served + c_rob N_act + c_star P_star."""
        return (self.arrival_rate * (costs.loss * self.loss + costs.obsolescence * self.obsolescence)
                + costs.sojourn * self.sojourn_served + costs.robot * self.active_robots
                + costs.starvation * self.starvation)


@dataclass(frozen=True)
class Regime:
    """A stationary law, with what is needed to follow pages through it."""

    laws: list[np.ndarray]
    """(nu) for the empty system, (nu, m, phases of waiting pages) above"""
    modes: list[np.ndarray]
    """the index of the mode in each state, of a shape that fits that of the law"""
    batches: np.ndarray
    """rates, (mode, size - 1, from, to)"""
    service: Clock
    obsolescence: Clock


@dataclass(frozen=True)
class Totals:
    """Sums over the stationary law from which all measures follow; arrays over policies."""

    shares: np.ndarray
    """P(i pages, arrivals directed by nu, mode n), (policy, i, nu, n)"""
    served: np.ndarray
    """services that end, per unit of time"""
    obsolete: np.ndarray
    """pages that become obsolete, per unit of time"""
    will_be_served: np.ndarray
    """mean number of pages in the system that will be served"""
    will_be_obsolete: np.ndarray
    """mean number of pages in the system that will become obsolete"""


def shares_of_modes(law: np.ndarray, modes: np.ndarray, count: int) -> np.ndarray:
    """P(policy; nu, n) at one level; modes are indices that fit (policy, nu, m, phases of waiting pages)."""
    if modes.size == len(modes):
        # The mode depends on the level alone: no need to look at each state.
        phases = law.sum(axis=tuple(range(2, law.ndim)))
        return phases[:, :, None] * (modes.reshape(-1, 1, 1) == np.arange(count))
    return np.stack([np.where(modes == n, law, 0).sum(axis=tuple(range(2, law.ndim))) for n in range(count)], axis=2)


def totals(laws: list[np.ndarray], modes: list[np.ndarray], count: int, service: Clock, obsolescence: Clock,
           fate: Fate) -> Totals:
    """Sums over laws given as (policy, nu) for the empty system and (policy, nu, m, phases of waiting pages) above."""
    shares = np.stack([shares_of_modes(law, at, count) for law, at in zip(laws, modes, strict=True)], axis=1)
    served = obsolete = will_be_served = will_be_obsolete = np.zeros(len(laws[0]))
    # Pages at place j, over (m, r_1, ..., r_j): all levels with that many pages, later phases summed out.
    at_place: np.ndarray | None = None
    for place in range(len(laws) - 2, -1, -1):
        seen = laws[place + 1].sum(axis=1)
        at_place = seen if at_place is None else seen + at_place.reshape(*seen.shape, obsolescence.phases).sum(axis=3)
        served = served + seen.sum(axis=2) @ service.exit
        if place:
            # Each page is the last one at its own place: its own phase is the last letter there.
            own = at_place.reshape(len(seen), service.phases, -1, obsolescence.phases).sum(axis=(1, 2))
            obsolete = obsolete + own @ obsolescence.exit
        will_be_served = will_be_served + np.einsum("kmw,mw->k", at_place, fate.served[place])
        will_be_obsolete = will_be_obsolete + np.einsum("kmw,mw->k", at_place, fate.obsolete[place])
    return Totals(shares, served, obsolete, will_be_served, will_be_obsolete)


def delivered_rates(batches: np.ndarray) -> np.ndarray:
    """Pages per unit of time, by mode and arrival phase."""
    sizes = np.arange(1, batches.shape[1] + 1)
    return np.einsum("k,nkvw->vn", sizes, batches)


def lost_rates(batches: np.ndarray, capacity: int) -> np.ndarray:
    """Pages that find no place, per unit of time, (i, nu, mode)."""
    sizes, free = np.arange(1, batches.shape[1] + 1), capacity - np.arange(capacity + 1)
    excess = np.maximum(sizes[None, :] - free[:, None], 0)
    return np.einsum("ik,nkvw->ivn", excess, batches)


@dataclass(frozen=True)
class Rates:
    """What the cost is made of, by policy."""

    delivered: np.ndarray
    lost: np.ndarray
    obsolete: np.ndarray
    served: np.ndarray
    will_be_served: np.ndarray
    will_be_obsolete: np.ndarray
    robots: np.ndarray
    levels: np.ndarray

    def cost(self, costs: Costs) -> np.ndarray:
        """The cost (2)."""
        return (costs.loss * self.lost + costs.obsolescence * self.obsolete
                + costs.sojourn * self.will_be_served / self.served + costs.robot * self.robots
                + costs.starvation * self.levels[:, 0])


def rates(sums: Totals, batches: np.ndarray, robots: Sequence[int]) -> Rates:
    """Long-run rates and means."""
    capacity = sums.shares.shape[1] - 1
    return Rates(
        delivered=np.einsum("kivn,vn->k", sums.shares, delivered_rates(batches)),
        lost=np.einsum("kivn,ivn->k", sums.shares, lost_rates(batches, capacity)),
        obsolete=sums.obsolete, served=sums.served,
        will_be_served=sums.will_be_served, will_be_obsolete=sums.will_be_obsolete,
        robots=np.einsum("kivn,n->k", sums.shares, np.asarray(robots, dtype=float)),
        levels=sums.shares.sum(axis=(2, 3)))


def measures(found: Rates, actives: Sequence[tuple[Any, ...]], regimes: Sequence[Callable[[], Regime]], *, method: str,
             states: int, error: float) -> list[Measures]:
    """One set of measures for each policy."""
    if not all(np.isfinite(getattr(found, item.name)).all() for item in fields(found)) or not (
            (found.delivered > 0).all() and (found.served > 0).all()):
        raise ArithmeticError("the rates of this model differ by too many powers of ten for doubles")
    # What is lost, obsolete and served is computed apart from each other: that they make up all is a check of each.
    imbalance = float(np.abs((found.lost + found.obsolete + found.served) / found.delivered - 1).max(initial=0))
    if imbalance > WORST:
        raise ArithmeticError(f"shares of pages miss their sum by {imbalance:.1e}: the rates of this model differ by "
                              "too many powers of ten for doubles")
    return [
        Measures(
            active=active,
            arrival_rate=rate,
            loss=float(found.lost[k]) / rate,
            obsolescence=float(found.obsolete[k]) / rate,
            success=float(found.served[k]) / rate,
            starvation=float(found.levels[k, 0]),
            active_robots=float(found.robots[k]),
            sojourn=float(found.will_be_served[k] + found.will_be_obsolete[k]) / rate,
            sojourn_served=float(found.will_be_served[k] / found.served[k]),
            sojourn_obsolete=float(found.will_be_obsolete[k] / found.obsolete[k]) if found.obsolete[k] > 0 else None,
            level_probabilities=tuple(found.levels[k].tolist()),
            method=method, states=states, error=float(error), regime=regime,
        )
        for k, (active, rate, regime) in enumerate(zip(actives, found.delivered.tolist(), regimes, strict=True))
    ]
