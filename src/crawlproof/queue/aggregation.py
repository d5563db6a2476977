"""A small chain that corrects the large one: words of waiting phases, known by their first letters and by counts.

A group of words is (prefix, counts): the first `depth` letters in order, and how often each letter occurs after them.
Nearly all rates between groups follow from the group. The one that does not: when a page of the prefix leaves, the
first letter after it moves up, and which one that is has to be taken from an iterate of the large chain (`next`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import factorial, prod

import numpy as np

from crawlproof.laws.phase_type import PhaseType
from crawlproof.queue import levels
from crawlproof.queue.kronecker import off_diagonal


@dataclass(frozen=True)
class Group:
    prefix: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def words(self) -> int:
        """How many words belong to it."""
        return factorial(sum(self.counts)) // prod(map(factorial, self.counts))

    def letters(self) -> Iterator[tuple[int, int]]:
        """Each letter with the number of its occurrences, prefix and rest."""
        for letter, count in enumerate(self.counts):
            total = count + self.prefix.count(letter)
            if total:
                yield letter, total


def changed(counts: tuple[int, ...], letter: int, by: int) -> tuple[int, ...]:
    return (*counts[:letter], counts[letter] + by, *counts[letter + 1:])


@dataclass(frozen=True)
class Grouping:
    """All groups of words over `letters` letters, and numbers for them that add up over the places of a word."""

    letters: int
    depth: int
    longest: int

    @property
    def radix(self) -> int:
        return self.longest + 1

    @property
    def count_keys(self) -> int:
        return self.radix ** (self.letters - 1)

    @property
    def keys(self) -> int:
        return self.letters**self.depth * self.count_keys

    def groups(self, length: int) -> list[Group]:
        rest = max(0, length - self.depth)
        counts = [
            tuple(chosen.count(letter) for letter in range(self.letters))
            for chosen in combinations_with_replacement(range(self.letters), rest)
        ]
        return [Group(prefix, c) for prefix in product(range(self.letters), repeat=length - rest) for c in counts]

    def weight(self, place: int, letter: int) -> int:
        """What a letter at a place (from 0) adds to the key of its word."""
        if place < self.depth:
            return letter * self.letters ** (self.depth - 1 - place) * self.count_keys
        return self.radix ** (letter - 1) if letter else 0

    def word_keys(self, first: int, last: int) -> np.ndarray:
        """What all words on the places first, ..., last - 1 add, in lexicographic order."""
        keys = np.zeros(1, dtype=np.int64)
        for place in range(first, last):
            keys = (keys[:, None] + np.array([self.weight(place, letter) for letter in range(self.letters)])).reshape(-1)
        return keys

    def key(self, group: Group) -> int:
        known = sum(self.weight(place, letter) for place, letter in enumerate(group.prefix))
        return known + sum(count * self.weight(self.depth, letter) for letter, count in enumerate(group.counts))

    def append(self, group: Group, pages: int, law: Sequence[float]) -> Iterator[tuple[Group, float]]:
        """Groups after this many pages have joined, with letters drawn by `law`."""
        ordered = min(pages, self.depth - len(group.prefix))
        for letters in product(range(self.letters), repeat=ordered):
            for rest in combinations_with_replacement(range(self.letters), pages - ordered):
                new = [rest.count(letter) for letter in range(self.letters)]
                orders = factorial(len(rest)) // prod(map(factorial, new))
                counts = tuple(map(sum, zip(group.counts, new, strict=True)))
                chance = orders * prod(float(law[letter]) for letter in (*letters, *rest))
                yield Group((*group.prefix, *letters), counts), chance

    def remove(self, group: Group, place: int) -> Iterator[tuple[int | None, Group]]:
        """Groups after the page at a place of the prefix (or, without one, the head) has gone; the letter that moved
        up, or None when there is nobody behind the prefix."""
        shorter = group.prefix[:place] + group.prefix[place + 1:]
        if not any(group.counts):
            yield None, Group(shorter, group.counts)
            return
        for letter, count in enumerate(group.counts):
            if count:
                prefix = (*shorter, letter) if self.depth else ()
                yield letter, Group(prefix, changed(group.counts, letter, -1))


class GroupChain:
    """The chain over (group, (nu, m)), level by level, for one policy; `next` is set before it is solved.

    `next[level]` has, over (group, letter, (nu, m)), the probability of the first letter behind the prefix.
    """

    def __init__(self, grouping: Grouping, service: PhaseType, obsolescence: PhaseType, states: int, capacity: int,
                 inner: Sequence[np.ndarray], into: Sequence[np.ndarray]) -> None:
        self.grouping, self.service, self.obsolescence = grouping, service, obsolescence
        self.states, self.width, self.capacity = states, states * service.phases, capacity
        self.largest_jump = into[0].shape[0]
        self.groups = [grouping.groups(max(level - 1, 0)) for level in range(capacity + 1)]
        self.position = [{group: k for k, group in enumerate(groups)} for groups in self.groups]
        self.keys = [np.array([grouping.key(group) for group in groups]) for groups in self.groups]
        self.sizes = (states, *(len(groups) * self.width for groups in self.groups[1:]))
        self.served = np.kron(np.eye(states), np.outer(service.exit, service.beta))
        self._local = [inner[0], *(self._moves(level, inner[level]) for level in range(1, capacity + 1))]
        self._up = {
            (above - size, above): self._arrivals(above - size, above, into[above][size - 1])
            for above in range(1, capacity + 1) for size in range(1, min(above, self.largest_jump) + 1)
        }
        self._down = [self._departures(level) for level in range(2, capacity + 1)]
        self.next = [self.any_order(level) for level in range(capacity + 1)]

    def any_order(self, level: int) -> np.ndarray:
        """The letter behind the prefix if all orders were alike: a first guess."""
        counts = np.array([group.counts for group in self.groups[level]], dtype=float)
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        return np.repeat(shares[:, :, None], self.width, axis=2)

    def _moves(self, level: int, inner: np.ndarray) -> np.ndarray:
        groups, position = self.groups[level], self.position[level]
        rates = np.zeros((len(groups), self.width, len(groups), self.width))
        identity = np.eye(self.width)
        moves = off_diagonal(self.obsolescence.S)
        for k, group in enumerate(groups):
            rates[k, :, k, :] += inner
            for letter, other in zip(*np.nonzero(moves), strict=True):
                rate = moves[letter, other]
                for place, known in enumerate(group.prefix):
                    if known == letter:
                        prefix = (*group.prefix[:place], int(other), *group.prefix[place + 1:])
                        rates[k, :, position[Group(prefix, group.counts)], :] += rate * identity
                if group.counts[letter]:
                    counts = changed(changed(group.counts, letter, -1), other, 1)
                    rates[k, :, position[Group(group.prefix, counts)], :] += group.counts[letter] * rate * identity
        return rates.reshape(self.sizes[level], -1)

    def _arrivals(self, level: int, above: int, batch: np.ndarray) -> np.ndarray:
        start = np.kron(batch, np.eye(self.service.phases) if level else self.service.beta[None, :])
        rates = np.zeros((len(self.groups[level]), len(start), len(self.groups[above]), self.width))
        waiting = above - level if level else above - 1
        for k, group in enumerate(self.groups[level]):
            for target, chance in self.grouping.append(group, waiting, self.obsolescence.beta):
                rates[k, :, self.position[above][target], :] += chance * start
        return rates.reshape(self.sizes[level], -1)

    def _departures(self, level: int) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
        """Rates that are known, and for the others (group, letter, target) with the matrix that `next` multiplies."""
        groups, position = self.groups[level], self.position[level - 1]
        known = np.zeros((len(groups), len(position), self.width, self.width))
        identity = np.eye(self.width)
        expire = self.obsolescence.exit
        places: list[tuple[int, int, int]] = []
        matrices: list[np.ndarray] = []
        for k, group in enumerate(groups):
            leaving = [(0, self.served)]
            leaving += [(place, expire[letter] * identity) for place, letter in enumerate(group.prefix)]
            for place, matrix in leaving:
                for letter, target in self.grouping.remove(group, place):
                    if letter is None:
                        known[k, position[target]] += matrix
                    else:
                        places.append((k, letter, position[target]))
                        matrices.append(matrix)
            for letter, count in enumerate(group.counts):
                if count:
                    target = Group(group.prefix, changed(group.counts, letter, -1))
                    known[k, position[target]] += count * expire[letter] * identity
        return known, (np.array(places, dtype=np.intp).reshape(-1, 3), np.array(matrices).reshape(-1, *identity.shape))

    def local(self, level: int) -> np.ndarray:
        return self._local[level][None]

    def up(self, level: int, above: int) -> np.ndarray:
        return self._up[level, above][None]

    def down(self, level: int) -> np.ndarray:
        if level == 1:
            return np.kron(np.eye(self.states), self.service.exit[:, None])
        known, (places, matrices) = self._down[level - 2]
        rates = known.copy()
        source, letter, target = places.T
        np.add.at(rates, (source, target), self.next[level][source, letter][:, :, None] * matrices)
        return rates.transpose(0, 2, 1, 3).reshape(self.sizes[level], self.sizes[level - 1])

    def solve(self) -> list[np.ndarray]:
        """The stationary law, (group, (nu, m)) for each level; (1, nu) for the empty system."""
        laws = levels.stationary(self, np.zeros((1, self.capacity + 1), dtype=np.intp))
        return [law.reshape(len(groups), -1) for law, groups in zip(laws, self.groups, strict=True)]
