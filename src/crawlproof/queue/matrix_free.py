"""Large chains without a matrix: block Gauss-Seidel on the Kronecker structure, sped up by aggregation.

The waiting pages' phases r_1 ... r_n of level n + 1 are a word over R letters, the index of a row; a row holds the
probabilities over (nu, m). All rates follow from the word, so that a sweep reads and writes probabilities only. Words
are cut into a head and a short tail, such that the rows of all tails fit the cache and inner loops are contiguous.

One row's equations are solved at once (in nu and m), and no step subtracts. Errors that the sweeps would remove slowly
lie in how often each letter occurs at each level: a small chain over these counts corrects them after each sweep. Only
one of its rates has to be taken from the iterate, the letter of the head when a service ends; service is in order of
arrival, so that counts alone don't determine it, and a chain of counts by itself would be wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, prod

import numba
import numpy as np

from crawlproof.laws.phase_type import PhaseType
from crawlproof.queue import levels, m_matrix
from crawlproof.queue.arrivals import Bmap
from crawlproof.queue.fate import Fate
from crawlproof.queue.kronecker import off_diagonal, padded_batches, power

# Doubles in the rows of all tails: half of a first-level cache.
TAIL = 2048
SWEEPS = 500

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
                starts, first, top, dwell, tail_keys, head_keys, counts, heads_seen):
    """Solve the rows of one level in order, with the newest values of all others; returns (change, total)."""
    length = level - 1
    tails = letters**tail
    rows = tails * width
    heads = letters ** (length - tail)
    rhs = np.empty(rows)
    buffer = np.empty(rows)
    solved = np.empty(width)
    first_letter = letters ** max(length - 1, 0)
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
            key = head_keys[head] + tail_keys[word]
            solved[:] = 0.0
            for y in range(width):
                weight = rhs[here + y]
                for x in range(width):
                    solved[x] += weight * dwell[key, y, x]
            letter = (head * tails + word) // first_letter
            for x in range(width):
                change += abs(solved[x] - law[own + here + x])
                total += solved[x]
                law[own + here + x] = solved[x]
                counts[key, x] += solved[x]
                heads_seen[key, letter, x] += solved[x]
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


@dataclass(frozen=True)
class Words:
    """How many of each letter are in a word, as one number that is additive over its parts."""

    letters: int
    longest: int

    @property
    def radix(self) -> int:
        return self.longest + 1

    @property
    def keys(self) -> int:
        return self.radix ** (self.letters - 1)

    def of_all_words(self, length: int) -> np.ndarray:
        """Keys of all words of one length, in lexicographic order; letter 0 is not counted."""
        letter = np.array([0] + [self.radix**k for k in range(self.letters - 1)], dtype=np.int64)
        keys = np.zeros(1, dtype=np.int64)
        for _ in range(length):
            keys = (keys[:, None] + letter[None, :]).reshape(-1)
        return keys

    def counts(self, length: int) -> list[tuple[int, ...]]:
        """All counts of letters in words of one length."""
        return [
            tuple(chosen.count(letter) for letter in range(self.letters))
            for chosen in combinations_with_replacement(range(self.letters), length)
        ]

    def key(self, counts: Sequence[int]) -> int:
        return sum(count * self.radix**k for k, count in enumerate(counts[1:]))

    def split(self, length: int, width: int) -> int:
        """How many letters the tail has."""
        tail = 0
        while tail < length and self.letters ** (tail + 1) * width <= TAIL:
            tail += 1
        return tail


class CountsChain:
    """The chain of counts: level, how often each letter occurs among the waiting pages, and (nu, m).

    `heads` has, for each level, count and (nu, m), the probability that the head of the queue has each letter.
    """

    def __init__(self, problem: Problem, heads: list[np.ndarray]) -> None:
        self.problem, self.heads = problem, heads
        self.largest_jump = problem.largest_jump
        self.sizes = (problem.states, *(len(counts) * problem.width for counts in problem.level_counts[1:]))

    def local(self, level: int) -> np.ndarray:
        return self.problem.coarse_local[level][None]

    def up(self, level: int, above: int) -> np.ndarray:
        return self.problem.coarse_up[level, above][None]

    def down(self, level: int) -> np.ndarray:
        problem = self.problem
        if level == 1:
            return np.kron(np.eye(problem.states), problem.service.exit[:, None])
        served = np.kron(np.eye(problem.states), np.outer(problem.service.exit, problem.service.beta))
        rates = np.zeros((len(problem.level_counts[level]), problem.width,
                          len(problem.level_counts[level - 1]), problem.width))
        expire = np.eye(problem.width)
        for k, counts in enumerate(problem.level_counts[level]):
            for letter, count in enumerate(counts):
                if count:
                    target = problem.position[level - 1][fewer(counts, letter)]
                    rates[k, :, target, :] += self.heads[level][k, letter][:, None] * served
                    rates[k, :, target, :] += count * problem.obsolescence.exit[letter] * expire
        return rates.reshape(self.sizes[level], self.sizes[level - 1])


def fewer(counts: tuple[int, ...], letter: int) -> tuple[int, ...]:
    return (*counts[:letter], counts[letter] - 1, *counts[letter + 1:])


class Problem:
    """One policy: its rates by level, and what the chain of counts needs."""

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
        self.words = Words(self.letters, max(1, capacity - 1))
        self.gamma_moves = off_diagonal(obsolescence.S)
        self.has_moves = bool(self.gamma_moves.any())
        sizes = [self.states] + [self.letters ** (level - 1) * self.width for level in range(1, capacity + 1)]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        # Weights of new letters, by the number of new pages.
        powers = [power(obsolescence.beta, count) for count in range(self.largest_jump + 1)]
        self.first_start = np.concatenate([[0], np.cumsum([len(weights) for weights in powers])]).astype(np.int64)
        self.starts = np.concatenate(powers)
        self.tails = [0] + [self.words.split(level - 1, self.width) for level in range(1, capacity + 1)]
        self.tail_keys = [self.words.of_all_words(tail) for tail in self.tails]
        self.head_keys = [self.words.of_all_words(max(level - 1, 0) - tail) for level, tail in enumerate(self.tails)]
        self.level_counts = [self.words.counts(max(level - 1, 0)) for level in range(capacity + 1)]
        self.position = [{counts: k for k, counts in enumerate(row)} for row in self.level_counts]
        self.keys = [np.array([self.words.key(counts) for counts in row]) for row in self.level_counts]
        self.dwell = [np.empty(0)] + [self._dwell(level) for level in range(1, capacity + 1)]
        self._prepare_coarse()

    def rates_into(self, level: int) -> np.ndarray:
        """Rates of batches that lead to this level, by the number of pages they bring, (size, from, to).

        They belong to the mode of the level where they start; those that fill the buffer count larger ones too.
        """
        rates = np.zeros((self.largest_jump, self.states, self.states))
        for size in range(1, min(level, self.largest_jump) + 1):
            batches = self.batches[level - size]
            rates[size - 1] = batches[size - 1:].sum(axis=0) if level == self.capacity else batches[size - 1]
        return rates

    def inner(self, level: int) -> tuple[np.ndarray, np.ndarray]:
        """Moves of (nu, m) within a row, and the rate out of it that does not depend on the word."""
        batches = self.batches[level].sum(axis=0)
        full = level == self.capacity
        moves = off_diagonal(self.moves[level] + batches) if full else self.moves[level]
        rates = np.kron(moves, np.eye(self.service.phases)) + np.kron(np.eye(self.states), off_diagonal(self.service.S))
        away = np.zeros(self.states) if full else batches.sum(axis=1)
        return rates, (away[:, None] + self.service.exit[None, :]).reshape(-1)

    def _dwell(self, level: int) -> np.ndarray:
        """For each count of letters: expected times in (nu, m) before a row is left."""
        rates, leave = self.inner(level)
        leave_word = [sum(c * r for c, r in zip(counts, -np.diag(self.obsolescence.S), strict=True))
                      for counts in self.level_counts[level]]
        found = m_matrix.inverse(np.broadcast_to(rates, (len(leave_word), *rates.shape)),
                                 leave[None, :] + np.array(leave_word, dtype=float)[:, None])
        dwell = np.zeros((self.words.keys, *rates.shape))
        dwell[self.keys[level]] = found
        return dwell

    def _prepare_coarse(self) -> None:
        """The rates of the chain of counts that are known beforehand."""
        identity = np.eye(self.width)
        self.coarse_local = [self.moves[0]]
        for level in range(1, self.capacity + 1):
            inner, _ = self.inner(level)
            here = self.level_counts[level]
            rates = np.zeros((len(here), self.width, len(here), self.width))
            for k, counts in enumerate(here):
                rates[k, :, k, :] += inner
                for letter, other in zip(*np.nonzero(self.gamma_moves), strict=True):
                    if counts[letter]:
                        moved = list(fewer(counts, letter))
                        moved[other] += 1
                        rates[k, :, self.position[level][tuple(moved)], :] += (
                            counts[letter] * self.gamma_moves[letter, other] * identity)
            self.coarse_local.append(rates.reshape(len(here) * self.width, -1))
        self.coarse_up = {}
        for above in range(1, self.capacity + 1):
            into = self.rates_into(above)
            for size in range(1, min(above, self.largest_jump) + 1):
                level = above - size
                fresh = self.words.counts(size if level else size - 1)
                chances = [
                    factorial(sum(new)) / prod(map(factorial, new)) * prod(self.obsolescence.beta**np.array(new))
                    for new in fresh
                ]
                start = np.kron(into[size - 1], np.eye(self.service.phases) if level else self.service.beta[None, :])
                rates = np.zeros((len(self.level_counts[level]), len(start), len(self.level_counts[above]), self.width))
                for k, counts in enumerate(self.level_counts[level]):
                    for new, chance in zip(fresh, chances, strict=True):
                        target = self.position[above][tuple(map(sum, zip(counts, new, strict=True)))]
                        rates[k, :, target, :] += chance * start
                self.coarse_up[level, above] = rates.reshape(-1, len(self.level_counts[above]) * self.width)

    def coarse(self, heads: list[np.ndarray]) -> list[np.ndarray]:
        """The stationary law of counts, (count, (nu, m)) for each level."""
        laws = levels.stationary(CountsChain(self, heads), np.zeros((1, self.capacity + 1), dtype=np.intp))
        return [law.reshape(-1, self.width if level else self.states) for level, law in enumerate(laws)]

    def any_order(self, level: int) -> np.ndarray:
        """The letter of the head if all orders were alike: a first guess."""
        counts = np.array(self.level_counts[level], dtype=float)
        return np.repeat((counts / max(level - 1, 1))[:, :, None], self.width, axis=2)


def stationary(problem: Problem, tolerance: float,
               report: Callable[[int, float], None] | None = None) -> tuple[np.ndarray, float, int]:
    """The stationary law as one vector, an estimate of its relative error in each level, and the number of sweeps."""
    capacity, width = problem.capacity, problem.width
    guess = [problem.any_order(level) for level in range(capacity + 1)]
    coarse = problem.coarse(guess)
    law = np.ones(problem.offsets[-1])
    law[:problem.states] = coarse[0][0]
    into = [problem.rates_into(level) for level in range(capacity + 1)]
    used = [rates.any(axis=(1, 2)) for rates in into]

    def rescale(level: int, counts: np.ndarray, target: np.ndarray) -> None:
        factors = np.zeros((problem.words.keys, width))
        factors[problem.keys[level]] = np.divide(target, counts, out=np.zeros_like(target), where=counts > 0)
        rescale_level(law, problem.offsets[level], problem.tails[level], width, problem.letters, level - 1,
                      problem.tail_keys[level], problem.head_keys[level], factors)

    for level in range(1, capacity + 1):
        words = [factorial(level - 1) / prod(map(factorial, counts)) for counts in problem.level_counts[level]]
        rescale(level, np.repeat(np.array(words)[:, None], width, axis=1), coarse[level])
    previous = np.inf
    for sweep in range(1, SWEEPS + 1):
        counts: list[np.ndarray] = [np.empty(0)] * (capacity + 1)
        heads = list(guess)
        change = 0.0
        for level in range(capacity, 0, -1):
            found = np.zeros((problem.words.keys, width))
            heads_seen = np.zeros((problem.words.keys, problem.letters, width))
            moved, total = sweep_level(
                law, problem.offsets, level, problem.tails[level], width, problem.service.beta, problem.service.exit,
                problem.letters, problem.gamma_moves, problem.has_moves, problem.obsolescence.exit, into[level],
                used[level], problem.starts, problem.first_start, capacity, problem.dwell[level],
                problem.tail_keys[level], problem.head_keys[level], found, heads_seen)
            change = max(change, moved / total)
            counts[level] = found[problem.keys[level]]
            if level > 1:
                seen = heads_seen[problem.keys[level]]
                heads[level] = np.divide(seen, counts[level][:, None, :], out=guess[level].copy(),
                                         where=counts[level][:, None, :] > 0)
        coarse = problem.coarse(heads)
        law[:problem.states] = coarse[0][0]
        for level in range(1, capacity + 1):
            rescale(level, counts[level], coarse[level])
        # Successive changes shrink by a factor: what is left is their geometric series.
        factor = min(change / previous, 0.99) if np.isfinite(previous) else 0.99
        error = change * factor / (1 - factor)
        previous = change
        if report is not None:
            report(sweep, error)
        if error <= tolerance:
            return law, error, sweep
    raise NotConverged(f"{SWEEPS} sweeps left an error of {error:.1e}; {tolerance:.1e} was asked for")


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
    words = Words(letters, max(1, capacity - 1))
    moves = off_diagonal(obsolescence.S)
    has_moves = bool(moves.any())
    forward = not np.tril(moves).any()
    ahead = np.tile([1.0, 0.0], phases)
    served, obsolete = [np.ones((phases, 1))], [np.zeros((phases, 1))]
    for place in range(1, capacity):
        counts = words.counts(place)
        leave_word = np.array([sum(c * r for c, r in zip(row, -np.diag(obsolescence.S), strict=True)) for row in counts])
        dwell = np.zeros((words.keys, phases, phases))
        rates = np.broadcast_to(off_diagonal(service.S), (len(counts), phases, phases))
        dwell[[words.key(row) for row in counts]] = m_matrix.inverse(rates, service.exit + leave_word[:, None])
        tail = max(1, words.split(place, 2 * phases))
        values = np.zeros(letters**place * 2 * phases)
        for _ in range(SWEEPS * 20):
            change = place_rows(values, ahead, place, tail, 2 * phases, service.beta, service.exit, letters, moves,
                                has_moves, obsolescence.exit, dwell, words.of_all_words(tail),
                                words.of_all_words(place - tail))
            if forward or change < 1e-15:
                break
        else:
            raise NotConverged(f"fates at place {place} still change by {change:.1e}")
        ahead = values
        both = values.reshape(-1, phases, 2).transpose(2, 1, 0)
        served.append(both[0])
        obsolete.append(both[1])
    return Fate(served, obsolete)
