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


def of_waiting_pages(service: PhaseType, obsolescence: PhaseType, capacity: int) -> Fate:
    """By the recursion of Theorem 4 at u = 0: solve for one place after the other."""
    served, obsolete = [np.ones(service.phases)], [np.zeros(service.phases)]
    own = np.eye(obsolescence.phases)
    for place in range(1, capacity):
        expires = np.kron(np.ones(len(served[-1])), obsolescence.exit)
        if place == 1:
            # The page is the head: the end of a service is what it waits for.
            leave_ahead = np.kron(service.exit, np.ones(obsolescence.phases))
            advance = (leave_ahead, np.zeros(len(expires)))
        else:
            ahead = np.kron(departures(service, obsolescence, place - 1), own)
            leave_ahead = ahead.sum(axis=1)
            advance = (ahead @ served[-1], ahead @ obsolete[-1])
        dwell = m_matrix.inverse(service_moves(service, obsolescence, place), leave_ahead + expires)
        served.append(dwell @ advance[0])
        obsolete.append(dwell @ (expires + advance[1]))
    shape = (service.phases, -1)
    return Fate([values.reshape(shape) for values in served], [values.reshape(shape) for values in obsolete])
