"""Will a waiting page be served or become obsolete? For each place in the queue and all phases up to it.

The page at place j sees the service, the pages before it and its own phase, (m, r_1, ..., r_j): what arrives later
can't overtake it, so neither arrivals nor the policy matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crawlproof.laws.phase_type import PhaseType
from crawlproof.queue import m_matrix
from crawlproof.queue.kronecker import departures, service_moves


@dataclass(frozen=True)
class Fate:
    """Probabilities by place (index 0: in service), each as an array over m and (r_1, ..., r_j).

    Both are kept although they sum to 1: the smaller one would not survive the subtraction.
    """

    served: list[np.ndarray]
    obsolete: list[np.ndarray]


def next_place(service: PhaseType, obsolescence: PhaseType, place: int, served: np.ndarray,
               obsolete: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The fates at a place from those at the place before it, all as arrays over m and (r_1, ..., r_j)."""
    expires = np.kron(np.ones(served.size), obsolescence.exit)
    if place == 1:
        # The page is the head: the end of a service is what it waits for.
        leave_ahead = np.kron(service.exit, np.ones(obsolescence.phases))
        advance = (leave_ahead, np.zeros(len(expires)))
    else:
        ahead = np.kron(departures(service, obsolescence, place - 1), np.eye(obsolescence.phases))
        leave_ahead = ahead.sum(axis=1)
        advance = (ahead @ served.reshape(-1), ahead @ obsolete.reshape(-1))
    dwell = m_matrix.inverse(service_moves(service, obsolescence, place), leave_ahead + expires)
    shape = (service.phases, -1)
    return (dwell @ advance[0]).reshape(shape), (dwell @ (expires + advance[1])).reshape(shape)


def of_waiting_pages(service: PhaseType, obsolescence: PhaseType, capacity: int) -> Fate:
    """By the recursion of Theorem 4 at u = 0: solve for one place after the other."""
    served, obsolete = [np.ones((service.phases, 1))], [np.zeros((service.phases, 1))]
    for place in range(1, capacity):
        found = next_place(service, obsolescence, place, served[-1], obsolete[-1])
        served.append(found[0])
        obsolete.append(found[1])
    return Fate(served, obsolete)
