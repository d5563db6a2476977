"""The generator of the queue as Kronecker products: the blocks of the paper's Lemma.

A state with i pages is (nu, m, r_1, ..., r_{i-1}): the state that directs arrivals, the phase of the service, and the
phases of the waiting pages in order of arrival; states are in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from crawlproof.queue.clocks import Arrivals, Clock


def power(vector: np.ndarray, exponent: int) -> np.ndarray:
    """The Kronecker power of a vector; 1 for exponent 0."""
    return reduce(np.kron, [vector] * exponent, np.ones(1))


def kronecker_sum(matrix: np.ndarray, terms: int) -> np.ndarray:
    """Sum over positions of I x ... x matrix x ... x I; also for a column, which removes its position."""
    rows, columns = matrix.shape
    if rows == 1:
        return terms * matrix
    size = rows ** (terms - 1)
    total = np.zeros((rows * size, columns * size), dtype=matrix.dtype)
    for position in range(terms):
        total += np.kron(np.kron(np.eye(rows**position), matrix), np.eye(rows ** (terms - 1 - position)))
    return total


def off_diagonal(matrix: np.ndarray) -> np.ndarray:
    return np.where(np.eye(len(matrix), dtype=bool), 0.0, matrix)


def service_moves(service: Clock, obsolescence: Clock, waiting: int) -> np.ndarray:
    """Rates between (m, r_1, ..., r_n) while nobody leaves: S (+) Gamma (+) ... (+) Gamma, off its diagonal."""
    size = obsolescence.phases**waiting
    rates = np.kron(off_diagonal(service.S), np.eye(size))
    if waiting:
        rates = rates + np.kron(np.eye(service.phases), kronecker_sum(off_diagonal(obsolescence.S), waiting))
    return rates


def departures(service: Clock, obsolescence: Clock, waiting: int) -> np.ndarray:
    """Rates from n waiting pages to n - 1: the head goes into service, or one of them becomes obsolete."""
    served = np.outer(service.exit, service.beta)
    heads = np.ones((obsolescence.phases, 1))
    size = obsolescence.phases ** (waiting - 1)
    obsolete = kronecker_sum(obsolescence.exit[:, None], waiting)
    return np.kron(np.kron(served, heads), np.eye(size)) + np.kron(np.eye(service.phases), obsolete)


class QueueChain:
    """The blocks of the generator, stacked over modes."""

    def __init__(self, arrivals: Sequence[Arrivals], service: Clock, obsolescence: Clock, capacity: int) -> None:
        self.service, self.obsolescence, self.capacity = service, obsolescence, capacity
        self.largest_jump = min(capacity, max(len(bmap.batches) for bmap in arrivals))
        self.states = len(arrivals[0].moves)
        self.moves = np.array([bmap.moves for bmap in arrivals])
        self.batches = padded_batches(arrivals)
        self.sizes = tuple(
            self.states * (service.phases * obsolescence.phases ** (level - 1) if level else 1)
            for level in range(capacity + 1)
        )

    def batch(self, size: int, fills: bool) -> np.ndarray:
        """Rates of batches of this size, or, when they fill the buffer, of this size and all larger ones."""
        return self.batches[:, size - 1:].sum(axis=1) if fills else self.batches[:, size - 1]

    def local(self, level: int) -> np.ndarray:
        # A batch that finds the buffer full only moves the directing state.
        moves = self.moves + self.batches.sum(axis=1) if level == self.capacity else self.moves
        if level == 0:
            return moves
        inner = service_moves(self.service, self.obsolescence, level - 1)
        identity = np.eye(len(inner))
        return np.array([np.kron(off_diagonal(mode), identity) + np.kron(np.eye(self.states), inner) for mode in moves])

    def up(self, level: int, above: int) -> np.ndarray:
        rates = self.batch(above - level, fills=above == self.capacity)
        if level == 0:
            start = np.kron(self.service.beta, power(self.obsolescence.beta, above - 1))[None, :]
        else:
            same = np.eye(self.service.phases * self.obsolescence.phases ** (level - 1))
            start = np.kron(same, power(self.obsolescence.beta, above - level)[None, :])
        return np.array([np.kron(mode, start) for mode in rates])

    def down(self, level: int) -> np.ndarray:
        if level == 1:
            return np.kron(np.eye(self.states), self.service.exit[:, None])
        return np.kron(np.eye(self.states), departures(self.service, self.obsolescence, level - 1))

    def by_level(self, laws: list[np.ndarray]) -> list[np.ndarray]:
        """Laws over states as (policy, nu) for the empty system and (policy, nu, m, phases of waiting pages) above."""
        return [laws[0], *(law.reshape(len(law), self.states, self.service.phases, -1) for law in laws[1:])]


def padded_batches(arrivals: Sequence[Arrivals]) -> np.ndarray:
    """Rates of batches, (mode, size - 1, from, to), with zeros for sizes that a mode does not have."""
    largest = max(len(bmap.batches) for bmap in arrivals)
    states = len(arrivals[0].moves)
    padded = np.zeros((len(arrivals), largest, states, states), dtype=np.result_type(*(b.batches for b in arrivals)))
    for mode, bmap in enumerate(arrivals):
        padded[mode, :len(bmap.batches)] = bmap.batches
    return padded
