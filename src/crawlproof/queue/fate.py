"""Will a waiting page be served or become obsolete? For each place in the queue and all phases up to it.

The page at place j sees the service, the pages before it and its own phase, (m, r_1, ..., r_j): what arrives later
can't overtake it, so neither arrivals nor the policy matter. It leaves each place downwards, or the system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crawlproof.queue import m_matrix
from crawlproof.queue.clocks import Clock
from crawlproof.queue.kronecker import departures, service_moves


@dataclass(frozen=True)
class Fate:
    """Probabilities by place (index 0: in service), each as an array over m and (r_1, ..., r_j).

    Both are kept although they sum to 1: the smaller one would not survive the subtraction.
    """

    served: list[np.ndarray]
    obsolete: list[np.ndarray]


def expires(service: Clock, obsolescence: Clock, place: int) -> np.ndarray:
    """Rates at which the page at a place becomes obsolete; in service it does not."""
    if place == 0:
        return np.zeros(service.phases)
    return np.kron(np.ones(service.phases * obsolescence.phases ** (place - 1)), obsolescence.exit)


def advances(service: Clock, obsolescence: Clock, place: int) -> np.ndarray:
    """Rates from a place, 1 at least, to the one before it: a service ends, or a page ahead becomes obsolete."""
    if place == 1:
        return np.kron(np.outer(service.exit, service.beta), np.ones((obsolescence.phases, 1)))
    return np.kron(departures(service, obsolescence, place - 1), np.eye(obsolescence.phases))


def dwell(service: Clock, obsolescence: Clock, place: int, killed: float = 0.0) -> np.ndarray:
    """Expected times in the states of a place; `killed` is the rate of a clock that ends everything."""
    leave = expires(service, obsolescence, place) + killed
    leave = leave + (advances(service, obsolescence, place).sum(axis=1) if place else service.exit)
    return m_matrix.inverse(service_moves(service, obsolescence, place), leave)


def backward(service: Clock, obsolescence: Clock, ends: Sequence[np.ndarray], killed: float = 0.0) -> list[np.ndarray]:
    """What a page collects on its way, from each state: `ends[place]` per unit of time (rows: states)."""
    found: list[np.ndarray] = []
    for place, gain in enumerate(ends):
        if place:
            gain = gain + advances(service, obsolescence, place) @ found[-1]
        found.append(dwell(service, obsolescence, place, killed) @ gain)
    return found


def ways_out(service: Clock, obsolescence: Clock, place: int) -> np.ndarray:
    """Rates out of the states of a place: served, obsolete (columns)."""
    served = service.exit if place == 0 else np.zeros(service.phases * obsolescence.phases**place)
    return np.stack([served, expires(service, obsolescence, place)], axis=1)


def next_place(service: Clock, obsolescence: Clock, place: int, served: np.ndarray,
               obsolete: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The fates at a place from those at the place before it, all as arrays over m and (r_1, ..., r_j)."""
    ahead = np.stack([served.reshape(-1), obsolete.reshape(-1)], axis=1)
    gain = ways_out(service, obsolescence, place) + advances(service, obsolescence, place) @ ahead
    found = dwell(service, obsolescence, place) @ gain
    return found[:, 0].reshape(service.phases, -1), found[:, 1].reshape(service.phases, -1)


def of_waiting_pages(service: Clock, obsolescence: Clock, capacity: int) -> Fate:
    """By the recursion of Theorem 4 at u = 0: solve for one place after the other."""
    served, obsolete = [np.ones((service.phases, 1))], [np.zeros((service.phases, 1))]
    for place in range(1, capacity):
        found = next_place(service, obsolescence, place, served[-1], obsolete[-1])
        served.append(found[0])
        obsolete.append(found[1])
    return Fate(served, obsolete)
