"""What a policy does: rates, probabilities, times, and their cost."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from crawlproof.laws.phase_type import ModelError, PhaseType, exact_number
from crawlproof.queue.fate import Fate

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

    active: tuple[int, ...]
    """robots that are active with 0 ... K pages in the system"""
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

    def cost(self, costs: Costs) -> float:
        """The cost (2): J = lambda (c_loss P_loss + c_obs P_obs) + a V_served + c_rob N_act + c_star P_star."""
        return (self.arrival_rate * (costs.loss * self.loss + costs.obsolescence * self.obsolescence)
                + costs.sojourn * self.sojourn_served + costs.robot * self.active_robots
                + costs.starvation * self.starvation)


@dataclass(frozen=True)
class Totals:
    """Sums over the stationary law from which all measures follow; arrays over policies."""

    phases: np.ndarray
    """P(i pages, arrivals directed by nu), (policy, i, nu)"""
    served: np.ndarray
    """services that end, per unit of time"""
    obsolete: np.ndarray
    """pages that become obsolete, per unit of time"""
    will_be_served: np.ndarray
    """mean number of pages in the system that will be served"""
    will_be_obsolete: np.ndarray
    """mean number of pages in the system that will become obsolete"""


def totals(laws: list[np.ndarray], service: PhaseType, obsolescence: PhaseType, fate: Fate) -> Totals:
    """Sums over laws given as (policy, nu) for the empty system and (policy, nu, m, phases of waiting pages) above."""
    count = len(laws[0])
    phases = np.array([laws[0], *(law.sum(axis=(2, 3)) for law in laws[1:])]).transpose(1, 0, 2)
    served, obsolete = np.zeros(count), np.zeros(count)
    will_be_served, will_be_obsolete = np.zeros(count), np.zeros(count)
    # Pages at place j, over (m, r_1, ..., r_j): all levels with that many pages, later phases summed out.
    at_place: np.ndarray | None = None
    for place in range(len(laws) - 2, -1, -1):
        seen = laws[place + 1].sum(axis=1)
        at_place = seen if at_place is None else seen + at_place.reshape(*seen.shape, obsolescence.phases).sum(axis=3)
        served += seen.sum(axis=2) @ service.exit
        if place:
            # Each page is the last one at its own place: its own phase is the last letter there.
            own = at_place.reshape(count, service.phases, -1, obsolescence.phases).sum(axis=(1, 2))
            obsolete += own @ obsolescence.exit
        will_be_served += np.einsum("kmw,mw->k", at_place, fate.served[place])
        will_be_obsolete += np.einsum("kmw,mw->k", at_place, fate.obsolete[place])
    return Totals(phases, served, obsolete, will_be_served, will_be_obsolete)


def measures(sums: Totals, policies: np.ndarray, batches: np.ndarray, *, method: str, states: int,
             error: float) -> list[Measures]:
    """One set of measures for each policy (rows of mode indices)."""
    capacity = policies.shape[1] - 1
    sizes = np.arange(1, batches.shape[1] + 1)
    by_phase = batches.sum(axis=3)  # (mode, size, nu)
    delivered = np.einsum("k,nkv->nv", sizes, by_phase)
    free = capacity - np.arange(capacity + 1)
    excess = np.maximum(sizes[None, :] - free[:, None], 0)
    turned_away = np.einsum("ik,nkv->inv", excess, by_phase)
    level = np.arange(capacity + 1)
    arrival_rate = (sums.phases * delivered[policies]).sum(axis=(1, 2))
    lost = (sums.phases * turned_away[level, policies]).sum(axis=(1, 2))
    levels = sums.phases.sum(axis=2)
    robots = (levels * (policies + 1)).sum(axis=1)
    numbers = (arrival_rate, lost, sums.obsolete, sums.served, sums.will_be_served, sums.will_be_obsolete, robots)
    if not all(np.isfinite(array).all() for array in numbers) or not (arrival_rate > 0).all() or not (sums.served > 0).all():
        raise ArithmeticError("the rates of this model differ by too many powers of ten for doubles")
    # What is lost, obsolete and served is computed apart from each other: that they make up all is a check of each.
    imbalance = float(np.abs((lost + sums.obsolete + sums.served) / arrival_rate - 1).max(initial=0))
    if imbalance > WORST:
        raise ArithmeticError(f"shares of pages miss their sum by {imbalance:.1e}: the rates of this model differ by "
                              "too many powers of ten for doubles")
    return [
        Measures(
            active=tuple(active),
            arrival_rate=rate,
            loss=float(lost[k]) / rate,
            obsolescence=float(sums.obsolete[k]) / rate,
            success=float(sums.served[k]) / rate,
            starvation=float(levels[k, 0]),
            active_robots=float(robots[k]),
            sojourn=float(sums.will_be_served[k] + sums.will_be_obsolete[k]) / rate,
            sojourn_served=float(sums.will_be_served[k] / sums.served[k]),
            sojourn_obsolete=float(sums.will_be_obsolete[k] / sums.obsolete[k]) if sums.obsolete[k] > 0 else None,
            level_probabilities=tuple(levels[k].tolist()),
            method=method, states=states, error=float(error),
        )
        for k, (active, rate) in enumerate(zip((policies + 1).tolist(), arrival_rate.tolist(), strict=True))
    ]
