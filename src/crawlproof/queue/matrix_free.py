"""Large chains without a matrix: block Gauss-Seidel on the Kronecker structure, sped up by aggregation.

The waiting pages' phases r_1 ... r_n of level n + 1 are a word over R letters, the index of a row; a row holds the
probabilities over (nu, m). All rates follow from the word, so that a sweep reads and writes probabilities only. Words
are cut into a head and a short tail, such that the rows of all tails fit the cache and inner loops are contiguous.

One row's equations are solved at once (in nu and m), and no step subtracts. Errors that the sweeps would remove slowly
lie in how often each letter occurs at each level: a small chain over groups of words corrects them after each sweep.
Service is in order of arrival, so that counts of letters don't determine what happens next, and a chain of counts by
itself would be wrong; see `aggregation`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numba
import numpy as np

from crawlproof.laws.phase_type import PhaseType
from crawlproof.queue import m_matrix
from crawlproof.queue.aggregation import GroupChain, Grouping
from crawlproof.queue.arrivals import Bmap
from crawlproof.queue.fate import Fate
from crawlproof.queue.kronecker import off_diagonal, padded_batches, power

# Doubles in the rows of all tails: half of a first-level cache.
TAIL = 2048
SWEEPS = 500
# A sweep that changes less than this only rounds.
FLOOR = 1e-14
# Letters of the queue's head that the correction keeps in order: more save few sweeps and cost more than they save.
DEPTH = 1

compiled = numba.njit(cache=True, error_model="numpy", fastmath={"contract"})


class NotConverged(ArithmeticError):
    """The iteration did not reach its tolerance."""


@compiled
def add_scaled(target: np.ndarray, start: int, source: np.ndarray, first: int, length: int, factor: float) -> None:
    out = target[start:start + length]
    values = source[first:first + length]
    for x in range(length):
        out[x] += factor * values[x]


@compiled
def add_arrivals(rhs, law, offsets, level, head, tail, width, phases, service, letters, rates, used, starts, first):
    """Batches that lead to this level: from a prefix of the word, with new letters drawn by the initial law."""
    length = level - 1
    states = width // service
    pushed = np.empty(width)
    tails = letters**tail
    for size in range(1, min(rates.shape[0], length) + 1):
        if not used[size - 1]:
            continue
        weights = starts[first[size]:]
        prefixes = letters ** (tail - size) if size <= tail else 1
        for prefix in range(prefixes):
            if size <= tail:
                row, offset, span = head * prefixes + prefix, 0, letters**size
            else:
                cut = letters ** (size - tail)
                row, offset, span = head // cut, (head % cut) * tails, tails
            origin = offsets[level - size] + row * width
            for to in range(states):
                for m in range(service):
                    total = 0.0
                    for nu in range(states):
                        total += law[origin + nu * service + m] * rates[size - 1, nu, to]
                    pushed[to * service + m] = total
            for word in range(span):
                weight = weights[offset + word]
                target = (prefix * span + word) * width
                for x in range(width):
                    rhs[target + x] += weight * pushed[x]
    if level <= rates.shape[0] and used[level - 1]:
        weights = starts[first[length]:]
        for to in range(states):
            total = 0.0
            for nu in range(states):
                total += law[nu] * rates[level - 1, nu, to]
            for m in range(service):
                pushed[to * service + m] = total * phases[m]
        for word in range(tails):
            weight = weights[head * tails + word]
            for x in range(width):
                rhs[word * width + x] += weight * pushed[x]


@compiled
def add_departures(rhs, law, above, length, head, tail, width, beta, served, letters, expire, buffer):
    """One page less: a service ends and the head of the queue goes, or some page becomes obsolete."""
    service = len(beta)
    tails = letters**tail
    rows = tails * width
    heads = letters ** (length - tail)
    for letter in range(letters):
        start = above + (letter * heads + head) * rows
        if letter == 0:
            buffer[:rows] = law[start:start + rows]
        else:
            add_scaled(buffer, 0, law, start, rows, 1.0)
    for x in range(0, rows, service):
        done = 0.0
        for m in range(service):
            done += buffer[x + m] * served[m]
        for m in range(service):
            rhs[x + m] += done * beta[m]
    rest = heads
    for _ in range(length - tail):
        # Obsolete was the page before the letters of the head that `rest` counts.
        left, right = head // rest, head % rest
        for letter in range(letters):
            add_scaled(rhs, 0, law, above + ((left * letters + letter) * rest + right) * rows, rows, expire[letter])
        rest //= letters
    block = above + head * rows * letters
    rest = tails
    for _ in range(tail + 1):
        for left in range(tails // rest):
            for letter in range(letters):
                add_scaled(rhs, left * rest * width, law, block + (left * letters + letter) * rest * width,
                           rest * width, expire[letter])
        rest //= letters


@compiled
def sweep_level(law, offsets, level, tail, width, beta, served, letters, gamma_moves, has_moves, expire, rates, used,
                starts, first, top, dwell, tail_counts, head_counts, tail_keys, head_keys, depth, found, following):
    """Solve the rows of one level in order, with the newest values of all others; returns (change, total).

    Sums by group go to `found`, and by the letter after the group's prefix to `following`.
    """
    length = level - 1
    tails = letters**tail
    rows = tails * width
    heads = letters ** (length - tail)
    rhs = np.empty(rows)
    buffer = np.empty(rows)
    solved = np.empty(width)
    after_prefix = letters ** max(length - 1 - depth, 0)
    change = 0.0
    total = 0.0
    for head in range(heads):
        rhs[:] = 0.0
        add_arrivals(rhs, law, offsets, level, head, tail, width, beta, len(beta), letters, rates, used, starts, first)
        if level < top:
            add_departures(rhs, law, offsets[level + 1], length, head, tail, width, beta, served, letters, expire, buffer)
        own = offsets[level] + head * rows
        if has_moves:
            rest = heads
            for _ in range(length - tail):
                rest //= letters
                letter = (head // rest) % letters
                for other in range(letters):
                    if other != letter and gamma_moves[other, letter] > 0:
                        source = head + (other - letter) * rest
                        add_scaled(rhs, 0, law, offsets[level] + source * rows, rows, gamma_moves[other, letter])
        for word in range(tails):
            here = word * width
            if has_moves:
                rest = tails
                for _ in range(tail):
                    rest //= letters
                    letter = (word // rest) % letters
                    for other in range(letters):
                        if other != letter and gamma_moves[other, letter] > 0:
                            source = own + (word + (other - letter) * rest) * width
                            for x in range(width):
                                rhs[here + x] += gamma_moves[other, letter] * law[source + x]
            count = head_counts[head] + tail_counts[word]
            solved[:] = 0.0
            for y in range(width):
                weight = rhs[here + y]
                for x in range(width):
                    solved[x] += weight * dwell[count, y, x]
            key = head_keys[head] + tail_keys[word]
            letter = ((head * tails + word) // after_prefix) % letters
            for x in range(width):
                change += abs(solved[x] - law[own + here + x])
                total += solved[x]
                law[own + here + x] = solved[x]
                found[key, x] += solved[x]
                following[key, letter, x] += solved[x]
    return change, total


@compiled
def rescale_level(law, start, tail, width, letters, length, tail_keys, head_keys, factors):
    tails = letters**tail
    for head in range(letters ** (length - tail)):
        for word in range(tails):
            key = head_keys[head] + tail_keys[word]
            for x in range(width):
                law[start + x] *= factors[key, x]
            start += width


@compiled
def place_rows(values, ahead, length, tail, width, beta, served, letters, gamma_moves, has_moves, expire, dwell,
               tail_keys, head_keys):
    """Fates at one place from those at the place before it; a row is (m, served or obsolete). Returns the change.

    Words are taken from the last to the first: a law whose phases only move forward is solved in one pass.
    """
    service = len(beta)
    tails = letters**tail
    rows = tails * width
    heads = letters ** (length - tail)
    rhs = np.empty(rows)
    change = 0.0
    for head in range(heads - 1, -1, -1):
        rhs[:] = 0.0
        # The page in service leaves: the first letter goes. With an empty head, that letter is in the tail.
        behind = letters ** (length - 1)
        for word in range(tails):
            source = ((head * tails + word) % behind) * width
            for fate in range(2):
                after = 0.0
                for m in range(service):
                    after += beta[m] * ahead[source + 2 * m + fate]
                for m in range(service):
                    rhs[word * width + 2 * m + fate] += served[m] * after
        rest = heads
        for _ in range(length - tail):
            rest //= letters
            letter = (head // rest) % letters
            shorter = (head // (rest * letters)) * rest + head % rest
            add_scaled(rhs, 0, ahead, shorter * rows, rows, expire[letter])
            if has_moves:
                for other in range(letters):
                    if other != letter and gamma_moves[letter, other] > 0:
                        source = head + (other - letter) * rest
                        add_scaled(rhs, 0, values, source * rows, rows, gamma_moves[letter, other])
        for word in range(tails - 1, -1, -1):
            here = word * width
            rest = tails
            for digit in range(tail):
                rest //= letters
                letter = (word // rest) % letters
                if digit < tail - 1:
                    shorter = (word // (rest * letters)) * rest + word % rest
                    source = (head * (tails // letters) + shorter) * width
                    for x in range(width):
                        rhs[here + x] += expire[letter] * ahead[source + x]
                else:
                    for m in range(service):
                        rhs[here + 2 * m + 1] += expire[letter]
                if has_moves:
                    for other in range(letters):
                        if other != letter and gamma_moves[letter, other] > 0:
                            source = (head * tails + word + (other - letter) * rest) * width
                            for x in range(width):
                                rhs[here + x] += gamma_moves[letter, other] * values[source + x]
            key = head_keys[head] + tail_keys[word]
            target = (head * tails + word) * width
            for m in range(service):
                for fate in range(2):
                    value = 0.0
                    for k in range(service):
                        value += dwell[key, m, k] * rhs[here + 2 * k + fate]
                    old = values[target + 2 * m + fate]
                    if value > 0:
                        change = max(change, abs(value - old) / value)
                    values[target + 2 * m + fate] = value
    return change


def tail_length(letters: int, length: int, width: int) -> int:
    tail = 0
    while tail < length and letters ** (tail + 1) * width <= TAIL:
        tail += 1
    return tail


class Problem:
    """One policy: its rates by level, and how words are cut and grouped."""

    def __init__(self, arrivals: Sequence[Bmap], service: PhaseType, obsolescence: PhaseType, capacity: int,
                 policy: Sequence[int]) -> None:
        self.service, self.obsolescence, self.capacity = service, obsolescence, capacity
        self.states = arrivals[0].states
        self.width = self.states * service.phases
        self.letters = obsolescence.phases
        batches = padded_batches(arrivals)
        self.largest_jump = min(capacity, batches.shape[1])
        self.moves = [off_diagonal(arrivals[mode].moves) for mode in policy]
        self.batches = [batches[mode] for mode in policy]
        self.gamma_moves = off_diagonal(obsolescence.S)
        sizes = [self.states] + [self.letters ** (level - 1) * self.width for level in range(1, capacity + 1)]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        # Weights of new letters, by the number of new pages.
        powers = [power(obsolescence.beta, count) for count in range(self.largest_jump + 1)]
        self.first_start = np.concatenate([[0], np.cumsum([len(weights) for weights in powers])]).astype(np.int64)
        self.starts = np.concatenate(powers)
        self.into = [self._batches_into(level) for level in range(capacity + 1)]
        longest = max(1, capacity - 1)
        self.counting = Grouping(self.letters, 0, longest)
        self.grouping = Grouping(self.letters, DEPTH, longest)
        self.inner = [self._inner(level) for level in range(capacity + 1)]
        self.dwell = [np.empty(0)] + [
            dwell_by_counts(self.counting, level - 1, *self.inner[level], -np.diag(obsolescence.S))
            for level in range(1, capacity + 1)
        ]
        self.coarse = GroupChain(self.grouping, service, obsolescence, self.states, capacity,
                                 [rates for rates, _ in self.inner], self.into)
        self.tails = [tail_length(self.letters, max(level - 1, 0), self.width) for level in range(capacity + 1)]

    def _batches_into(self, level: int) -> np.ndarray:
        """Rates of batches that lead to this level, by the number of pages they bring, (size, from, to).

        They belong to the mode of the level where they start; those that fill the buffer count larger ones too.
        """
        rates = np.zeros((self.largest_jump, self.states, self.states))
        for size in range(1, min(level, self.largest_jump) + 1):
            batches = self.batches[level - size]
            rates[size - 1] = batches[size - 1:].sum(axis=0) if level == self.capacity else batches[size - 1]
        return rates

    def _inner(self, level: int) -> tuple[np.ndarray, np.ndarray]:
        """Moves of (nu, m) within a row, and the rate out of it that does not depend on the word; of nu when empty."""
        if level == 0:
            return self.moves[0], self.batches[0].sum(axis=(0, 2))
        batches = self.batches[level].sum(axis=0)
        full = level == self.capacity
        moves = off_diagonal(self.moves[level] + batches) if full else self.moves[level]
        rates = np.kron(moves, np.eye(self.service.phases)) + np.kron(np.eye(self.states), off_diagonal(self.service.S))
        away = np.zeros(self.states) if full else batches.sum(axis=1)
        return rates, (away[:, None] + self.service.exit[None, :]).reshape(-1)

    def keys(self, grouping: Grouping, level: int) -> tuple[np.ndarray, np.ndarray]:
        """Parts of the groups' keys for all tails and for all heads of words."""
        length, cut = level - 1, level - 1 - self.tails[level]
        return grouping.word_keys(cut, length), grouping.word_keys(0, cut)


def dwell_by_counts(counting: Grouping, length: int, rates: np.ndarray, leave: np.ndarray,
                    leave_letter: np.ndarray) -> np.ndarray:
    """Expected times in the states of a row before it is left, by the key of the word's counts."""
    groups = counting.groups(length)
    leave_word = np.array([np.dot(group.counts, leave_letter) for group in groups])
    found = np.zeros((counting.count_keys, *rates.shape))
    found[[counting.key(group) for group in groups]] = m_matrix.inverse(
        np.broadcast_to(rates, (len(groups), *rates.shape)), leave + leave_word[:, None])
    return found


def stationary(problem: Problem, tolerance: float, report: Callable[[int, float], None],
               start: np.ndarray | None = None) -> tuple[np.ndarray, float]:
    """The stationary law as one vector, and an estimate of its relative error, the largest over all levels.

    The error of a level is taken in the sum of its probabilities' errors. Successive changes shrink by a factor: what
    is left is their geometric series. Goes from the top level down, so that each level sees all departures afresh.
    """
    capacity, width, coarse = problem.capacity, problem.width, problem.coarse
    law = np.ones(problem.offsets[-1])
    used = [rates.any(axis=(1, 2)) for rates in problem.into]
    count_keys = [problem.keys(problem.counting, max(level, 1)) for level in range(capacity + 1)]
    group_keys = [problem.keys(problem.grouping, max(level, 1)) for level in range(capacity + 1)]

    def rescale(level: int, found: np.ndarray, target: np.ndarray) -> None:
        factors = np.zeros((problem.grouping.keys, width))
        factors[coarse.keys[level]] = np.divide(target, found, out=np.zeros_like(target), where=found > 0)
        rescale_level(law, problem.offsets[level], problem.tails[level], width, problem.letters, level - 1,
                      *group_keys[level], factors)

    if start is None:
        found = [np.repeat([[float(group.words)] for group in groups], width, axis=1) for groups in coarse.groups]
    else:
        law[:] = start
        found = None
    changes: list[float] = []
    error = np.inf
    for sweep in range(1, SWEEPS + 1):
        if found is not None:
            target = coarse.solve()
            law[:problem.states] = target[0][0]
            for level in range(1, capacity + 1):
                rescale(level, found[level], target[level])
        found = [np.empty(0)] * (capacity + 1)
        change = 0.0
        for level in range(capacity, 0, -1):
            by_key = np.zeros((problem.grouping.keys, width))
            following = np.zeros((problem.grouping.keys, problem.letters, width))
            moved, total = sweep_level(
                law, problem.offsets, level, problem.tails[level], width, problem.service.beta, problem.service.exit,
                problem.letters, problem.gamma_moves, bool(problem.gamma_moves.any()), problem.obsolescence.exit,
                problem.into[level], used[level], problem.starts, problem.first_start, capacity, problem.dwell[level],
                *count_keys[level], *group_keys[level], problem.grouping.depth, by_key, following)
            change = max(change, moved / total)
            found[level] = by_key[coarse.keys[level]]
            if level - 1 > problem.grouping.depth:
                seen, whole = following[coarse.keys[level]], found[level][:, None, :]
                coarse.next[level] = np.divide(seen, whole, out=coarse.any_order(level), where=whole > 0)
        changes.append(change)
        # One lucky sweep must not stop the iteration: the slowest of the last three ratios counts.
        ratios = [new / old for old, new in pairwise(changes[-4:]) if old > FLOOR]
        factor = min(max(ratios, default=0.99), 0.999)
        error = max(change, FLOOR) * factor / (1 - factor)
        report(sweep, error)
        if sweep > 3 and (error <= tolerance or change <= FLOOR):
            break
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


def of_waiting_pages(service: PhaseType, obsolescence: PhaseType, capacity: int) -> Fate:
    """As `fate.of_waiting_pages`, one word after the other instead of by inverses."""
    letters, phases = obsolescence.phases, service.phases
    counting = Grouping(letters, 0, max(1, capacity - 1))
    moves = off_diagonal(obsolescence.S)
    has_moves = bool(moves.any())
    forward = not np.tril(moves).any()
    ahead = np.tile([1.0, 0.0], phases)
    served, obsolete = [np.ones((phases, 1))], [np.zeros((phases, 1))]
    for place in range(1, capacity):
        dwell = dwell_by_counts(counting, place, off_diagonal(service.S), service.exit, -np.diag(obsolescence.S))
        tail = max(1, tail_length(letters, place, 2 * phases))
        values = np.zeros(letters**place * 2 * phases)
        for _ in range(SWEEPS * 20):
            change = place_rows(values, ahead, place, tail, 2 * phases, service.beta, service.exit, letters, moves,
                                has_moves, obsolescence.exit, dwell, counting.word_keys(place - tail, place),
                                counting.word_keys(0, place - tail))
            if forward or change < 1e-15:
                break
        else:
            raise NotConverged(f"fates at place {place} still change by {change:.1e}")
        ahead = values
        both = values.reshape(-1, phases, 2).transpose(2, 1, 0)
        served.append(both[0])
        obsolete.append(both[1])
    return Fate(served, obsolete)
