"""Large chains without a matrix: block Gauss-Seidel on the Kronecker structure, sped up by aggregation.

All rates follow from the word of waiting phases, so that a sweep reads and writes probabilities only (see `kernels`).
One row's equations are solved at once, in nu and m, and no step subtracts: small probabilities are as accurate as
large ones. Errors that sweeps remove slowly lie in how often each letter occurs at each level: after every second
sweep a small chain of these counts corrects them. All its rates are known, but for the letter of the page at the head
when a service ends: service is in order of arrival, and a head tends to have waited long. That letter's probability
is taken from the iterate; a chain of counts by itself would be another model, with service in random order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from crawlproof.queue import fate, kernels, m_matrix
from crawlproof.queue.arrivals import Bmap
from crawlproof.queue.clocks import Clock
from crawlproof.queue.errors import NotConverged
from crawlproof.queue.kronecker import off_diagonal, padded_batches, power

# Doubles in the rows of all tails: half of a first-level cache.
TAIL = 2048
SWEEPS = 500
# A sweep that changes less than this only rounds.
FLOOR = 1e-14
# States of a page's fate up to which phases that move back and forth are solved for directly: few pages ahead leave
# seldom, and it is there that sweeps take long.
DIRECT = 300


class Counts:
    """How often each letter occurs, for words of up to `capacity` - 1 letters; level l has words of l - 1 letters."""

    def __init__(self, letters: int, capacity: int) -> None:
        self.letters = letters
        base = capacity + 1  # counts are at most capacity - 1, and tables have a row for each level
        by_level = [[], *(
            [[chosen.count(letter) for letter in range(letters)]
             for chosen in combinations_with_replacement(range(letters), level - 1)]
            for level in range(1, capacity + 1)
        )]
        weights = np.array([0] + [base**k for k in range(letters - 1)], dtype=np.int64)
        self.counts = np.array([row for rows in by_level for row in rows], dtype=np.int64)
        self.keys = self.counts @ weights
        self.level = np.repeat(np.arange(capacity + 1), [len(rows) for rows in by_level])
        self.first = np.concatenate([[0], np.cumsum([len(rows) for rows in by_level])]).astype(np.int64)
        self.group = np.full((base, base ** (letters - 1)), -1, dtype=np.int64)
        self.group[self.level, self.keys] = np.arange(len(self.keys))
        self.words = np.array([factorial(sum(row)) // prod(map(factorial, row)) for row in self.counts.tolist()], float)
        # Keys of all words, by length, as far as words are indexed by heads or tails.
        of_length = [np.zeros(1, dtype=np.int64)]
        for _ in range(1, capacity):
            of_length.append((of_length[-1][:, None] + weights).reshape(-1) if letters ** len(of_length) <= 2**22
                             else np.empty(0, dtype=np.int64))
        self.word_keys = np.concatenate(of_length)
        self.first_key = np.concatenate([[0], np.cumsum([len(keys) for keys in of_length])]).astype(np.int64)

    def tail(self, length: int, width: int) -> int:
        """How many letters of a word its tail has."""
        tail = 0
        while tail < length and self.letters ** (tail + 1) * width <= TAIL:
            tail += 1
        return tail


class Problem:
    """One policy: its rates by level, and how words are cut and counted."""

    def __init__(self, arrivals: Sequence[Bmap], service: Clock, obsolescence: Clock, capacity: int,
                 policy: Sequence[int]) -> None:
        self.service, self.obsolescence, self.capacity = service, obsolescence, capacity
        self.letters = obsolescence.phases
        self.states = arrivals[0].states
        self.width = self.states * service.phases
        batches = padded_batches(arrivals)[list(policy)]
        moves = np.array([off_diagonal(bmap.moves) for bmap in arrivals])[list(policy)]
        self.largest_jump = min(capacity, batches.shape[1])
        self.into = np.zeros((capacity + 1, self.largest_jump, self.states, self.states))
        for above in range(1, capacity + 1):
            for size in range(1, min(above, self.largest_jump) + 1):
                # The mode is that of the level where a batch starts; one that fills the buffer may have been larger.
                fitting = batches[above - size, size - 1:] if above == capacity else batches[above - size, size - 1:size]
                self.into[above, size - 1] = fitting.sum(axis=0)
        away = batches.sum(axis=(1, 3))
        away[capacity] = 0
        moves[capacity] += off_diagonal(batches[capacity].sum(axis=0))
        self.inner_empty = moves[0]
        self.dwell_empty = m_matrix.inverse(moves[0], away[0])
        identity = np.eye(service.phases)
        self.inner = (np.einsum("lab,cd->lacbd", moves, identity).reshape(capacity + 1, self.width, self.width)
                      + np.kron(np.eye(self.states), off_diagonal(service.S)))
        leave = (away[:, :, None] + service.exit).reshape(capacity + 1, self.width)
        self.counted = Counts(self.letters, capacity)
        self.moves = off_diagonal(obsolescence.S)
        leave_word = self.counted.counts @ -np.diag(obsolescence.S)
        self.dwell = m_matrix.inverse(self.inner[self.counted.level], leave[self.counted.level] + leave_word[:, None])
        sizes = [self.states, *(self.letters ** (level - 1) * self.width for level in range(1, capacity + 1))]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.tails = np.array([0, *(self.counted.tail(level - 1, self.width) for level in range(1, capacity + 1))])
        # Weights of new letters, by the number of new pages.
        powers = [power(obsolescence.beta, count) for count in range(self.largest_jump + 1)]
        self.first_start = np.concatenate([[0], np.cumsum([len(weights) for weights in powers])]).astype(np.int64)
        self.starts = np.concatenate(powers)


class Correction:
    """The chain of counts: it moves each group of words as a whole to the probability that it should have."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        counted = problem.counted
        chance = counted.words * np.prod(problem.obsolescence.beta**counted.counts, axis=1)
        self.known = kernels.known_rates(
            problem.inner_empty, problem.inner, problem.service.beta, problem.letters, problem.moves,
            problem.obsolescence.exit, problem.into, chance, counted.counts, counted.level, counted.first, counted.keys,
            counted.group)
        self.first = np.concatenate([[0], problem.states + counted.first[1:] * problem.width])

    def apply(self, law: np.ndarray, found: np.ndarray, heads_found: np.ndarray) -> None:
        problem, counted = self.problem, self.problem.counted
        rates = self.known.copy()
        kernels.add_ends_of_service(rates, problem.service.beta, problem.service.exit, problem.letters, counted.counts,
                                    counted.level, counted.keys, counted.group, found, heads_found)
        target = kernels.stationary(rates, self.first, problem.largest_jump)
        law[:problem.states] = target[:problem.states]
        factors = np.divide(target[problem.states:].reshape(found.shape), found, out=np.zeros_like(found), where=found > 0)
        kernels.rescale(law, problem.offsets, problem.tails, problem.letters, factors, counted.word_keys,
                        counted.first_key, counted.group)


def stationary(problem: Problem, tolerance: float, report: Callable[[int, float], None],
               start: np.ndarray | None = None) -> tuple[np.ndarray, float]:
    """The stationary law as one vector, and an estimate of its relative error: the largest over all levels and counts
    of letters, in the sum of the errors of their words.

    Changes shrink by a factor, and what is left is their geometric series. A sweep goes from the top level down, so
    that each level sees all departures afresh.
    """
    counted, service = problem.counted, problem.service
    correction = Correction(problem)
    found = np.repeat(counted.words[:, None], problem.width, axis=1)
    heads_found = np.zeros((len(found), problem.letters, problem.width))
    if start is None:
        law = np.ones(problem.offsets[-1])
        shares = counted.counts / np.maximum(counted.level - 1, 1)[:, None]
        correction.apply(law, found, found[:, None, :] * shares[:, :, None])
    else:
        law = start.copy()
    changed = np.empty_like(found)
    changes: list[float] = []
    error = np.inf
    while len(changes) < SWEEPS:
        changes.append(kernels.sweep(
            law, problem.offsets, problem.tails, service.beta, service.exit, problem.letters, problem.moves,
            bool(problem.moves.any()), problem.obsolescence.exit, problem.into, problem.starts, problem.first_start,
            problem.dwell_empty, problem.dwell, counted.word_keys, counted.first_key, counted.group, found, heads_found,
            changed))
        if not np.isfinite(changes[-1]):
            break
        if len(changes) > 3:
            # Over two sweeps, one of them with a correction; the slower of the last two, and never better than a half,
            # lest one lucky sweep stops it: fast errors go first, and slow ones are still hidden behind them.
            pairs = [(changes[-3], changes[-1]), (changes[-4], changes[-2])]
            factor = max((new / old for old, new in pairs if old > FLOOR), default=0.98) ** 0.5
            factor = min(max(factor, 0.5), 0.999)
            error = max(changes[-1], FLOOR) * factor / (1 - factor)
            report(len(changes), error)
            if error <= tolerance or changes[-1] <= FLOOR:
                break
        if len(changes) % 2 == 0:
            correction.apply(law, found, heads_found)
    if error <= tolerance:
        law /= law.sum()
        return law, error
    raise NotConverged(f"{len(changes)} sweeps left an error of {error:.1e}; {tolerance:.1e} was asked for")


def by_level(problem: Problem, law: np.ndarray) -> list[np.ndarray]:
    """Views of the law as (policy, nu) for the empty system and (policy, nu, m, word) for each level."""
    views = [law[:problem.states].reshape(1, -1)]
    for level in range(1, problem.capacity + 1):
        rows = law[problem.offsets[level]:problem.offsets[level + 1]]
        views.append(rows.reshape(1, -1, problem.states, problem.service.phases).transpose(0, 2, 3, 1))
    return views


def of_waiting_pages(service: Clock, obsolescence: Clock, capacity: int) -> fate.Fate:
    """As `fate.of_waiting_pages`, one word after the other instead of by inverses."""
    phases = service.phases
    counted = Counts(obsolescence.phases, capacity)
    moves = off_diagonal(obsolescence.S)
    forward = not np.tril(moves).any()
    leave_word = counted.counts @ -np.diag(obsolescence.S)
    rates = np.broadcast_to(off_diagonal(service.S), (len(leave_word), phases, phases))
    dwell = m_matrix.inverse(rates, service.exit + leave_word[:, None])
    served, obsolete = [np.ones((phases, 1))], [np.zeros((phases, 1))]
    for place in range(1, capacity):
        if not forward and phases * obsolescence.phases**place <= DIRECT:
            found = fate.next_place(service, obsolescence, place, served[-1], obsolete[-1])
            served.append(found[0])
            obsolete.append(found[1])
            continue
        ahead = np.stack([served[-1].T, obsolete[-1].T], axis=2).reshape(-1)
        values = np.zeros(obsolescence.phases**place * 2 * phases)
        tail = max(1, counted.tail(place, 2 * phases))
        for _ in range(20 * SWEEPS):
            change = kernels.fates_at_place(
                values, ahead, place, tail, service.beta, service.exit, obsolescence.phases, moves, bool(moves.any()),
                obsolescence.exit, dwell, counted.word_keys, counted.first_key, counted.group)
            if forward or change < FLOOR / 10:
                break
        else:
            raise NotConverged(f"fates at place {place} still change by {change:.1e}")
        both = values.reshape(-1, phases, 2).transpose(2, 1, 0)
        served.append(both[0])
        obsolete.append(both[1])
    return fate.Fate(served, obsolete)
