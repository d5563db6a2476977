"""Policies: from frequencies to a sequence of accesses.

A policy is a maker of chunks: ``sequence`` asks it for one chunk, ``stream`` for as many as
are wanted, without ever holding the schedule.

=============== ==========================================================================
most-overdue    the page with the largest frequency times age
golden-ratio    a walk round the circle of points frac(j/phi), F_k of them
random-phase    pages in the order of (m + U_i)/f_i, U_i uniform: at most 1 + sum f_i^2 times
                the bound on average (for weights proportional to change rates)
deadline        the m-th access (from 0) of a page is released at m/f_i and due at (m + 1)/f_i;
                the earliest due of the released ones
tijdeman        the same with windows from (m + s)/f_i to (m + 1 - s)/f_i, s = 1/(2N - 2): accesses
                to a page are at any time within 1 - s of its share of them
randomized      independent choices (Section 4 of the paper)
round-robin     all pages in turn, whatever their frequencies
powers-of-two   frequencies rounded to powers of two, each page exactly evenly spaced
=============== ==========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from crawlproof.schedule.golden_ratio import GoldenRatioSchedule, fibonacci, fibonacci_index_at_least
from crawlproof.schedule.inputs import frequencies, whole_number
from crawlproof.schedule.owners import LONGEST, Owners
from crawlproof.schedule.wheel import EarliestKey, MostOverdue

Accesses = NDArray[np.int32]

DEFAULT_CHUNK = 2**16
# No schedule gets that far, and the time between two accesses would overflow for less than 1e-308.
HARDLY_EVER = 1e-250


class Maker(Protocol):
    """Makes a schedule chunk by chunk."""

    def take(self, count: int) -> Accesses:
        """The next accesses."""


class _Wheel:
    """A timing wheel over the pages that have a positive frequency."""

    def __init__(self, wheel: MostOverdue | EarliestKey, pages: NDArray[np.int32] | None) -> None:
        self._wheel = wheel
        self._pages = pages

    def take(self, count: int) -> Accesses:
        out = np.empty(count, dtype=np.int32)
        self._wheel.fill(out)
        return out if self._pages is None else self._pages[out]


def _wheel(frequency: NDArray, make: Callable[[NDArray], MostOverdue | EarliestKey]) -> _Wheel:
    pages = np.flatnonzero(frequency > HARDLY_EVER).astype(np.int32)
    if len(pages) == len(frequency):
        return _Wheel(make(frequency), None)
    return _Wheel(make(frequency[pages]), pages)


def _most_overdue(frequency: NDArray, rng: np.random.Generator) -> Maker:
    # Random ages put the schedule into its stationary course at once.
    return _wheel(frequency, lambda f: MostOverdue(f, rng.random(len(f))))


def _random_phase(frequency: NDArray, rng: np.random.Generator) -> Maker:
    return _wheel(frequency, lambda f: EarliestKey(f, rng.random(len(f))))


def _deadline(frequency: NDArray, rng: np.random.Generator) -> Maker:
    return _wheel(frequency, lambda f: EarliestKey(f, 1.0, shift=0.0))


def _tijdeman(frequency: NDArray, rng: np.random.Generator) -> Maker:
    def make(f: NDArray) -> EarliestKey:
        margin = 1 / (2 * len(f) - 2) if len(f) > 1 else 0.0
        # Shares are compared after the access, hence the lag of one.
        return EarliestKey(f, 1.0 - margin, shift=margin, lag=1.0)

    return _wheel(frequency, make)


class _Randomized:
    def __init__(self, frequency: NDArray, rng: np.random.Generator) -> None:
        self._owners = Owners.by_frequency(frequency, LONGEST)
        self._rng = rng

    def take(self, count: int) -> Accesses:
        return self._owners.of(self._rng.integers(LONGEST, size=count))


class _RoundRobin:
    def __init__(self, frequency: NDArray, rng: np.random.Generator) -> None:
        self._pages = np.flatnonzero(frequency).astype(np.int32)
        self._next = 0

    def take(self, count: int) -> Accesses:
        out = np.resize(np.roll(self._pages, -self._next), count)
        self._next = (self._next + count) % len(self._pages)
        return out


class _GoldenRatio:
    def __init__(self, frequency: NDArray, cycle: int) -> None:
        self._schedule = GoldenRatioSchedule(frequency, cycle)
        self._next = 0

    def take(self, count: int) -> Accesses:
        start, self._next = self._next, self._next + count
        if start == 0 and count == self._schedule.cycle:
            return self._schedule.sequence()
        return self._schedule.chunk(start, count)


class _PowersOfTwo:
    """Each page has a power of two of the cycle's accesses, evenly spaced.

    In bit-reversed order the accesses to a page are a block of consecutive indices; blocks
    fit together when larger ones come first.
    """

    def __init__(self, frequency: NDArray, cycle: int) -> None:
        if cycle & (cycle - 1):
            raise ValueError(f"cycle must be a power of two, got {cycle}")
        pages = np.flatnonzero(frequency).astype(np.int32)
        if len(pages) > cycle:
            raise ValueError(f"cycle must be at least the number of pages, {len(pages)}, got {cycle}")
        counts = _powers_of_two(frequency[pages], cycle)
        # by the exponent in one byte, which sorts in linear time
        order = np.argsort((64 - np.frexp(counts)[1]).astype(np.uint8), kind="stable")
        self._owners = Owners(pages[order], counts[order])
        self._bits = cycle.bit_length() - 1
        self._next = 0

    def take(self, count: int) -> Accesses:
        index = _reversed_bits(self._next, count, self._bits)
        self._next = (self._next + count) % (1 << self._bits)
        return self._owners.of(index)


def _powers_of_two(frequency: NDArray, cycle: int) -> NDArray[np.int64]:
    """Powers of two that sum to the cycle (itself one), near frequency*cycle and at least 1."""
    quota = frequency * cycle
    power = np.frexp(quota)[1].astype(np.int64) - 1  # 2**power <= quota < 2**(power + 1)
    counts = np.left_shift(1, np.maximum(power, 0))
    while counts.sum() > cycle:  # rare pages got more than their quota: the others give
        power -= 1
        counts = np.left_shift(1, np.maximum(power, 0))
    room = cycle - int(counts.sum())
    while room > 0:  # a page with the smallest count always fits: the room is a multiple of it
        room = _double(counts, np.argsort(-quota / counts, kind="stable"), room)
    return counts


@njit(cache=True)
def _reversed_bits(first, count, bits):
    """first, first + 1, ... with their lowest bits in reverse order."""
    out = np.empty(count, dtype=np.int64)
    for n in range(count):
        rest, index = first + n, 0
        for _ in range(bits):
            index = (index << 1) | (rest & 1)
            rest >>= 1
        out[n] = index
    return out


@njit(cache=True)
def _double(counts, order, room):
    """Double counts in the given order, wherever there is room for it; what room remains."""
    for page in order:
        if counts[page] <= room:
            room -= counts[page]
            counts[page] *= 2
    return room


_FREE: dict[str, Callable[[NDArray, np.random.Generator], Maker]] = {
    "most-overdue": _most_overdue,
    "random-phase": _random_phase,
    "deadline": _deadline,
    "tijdeman": _tijdeman,
    "randomized": _Randomized,
    "round-robin": _RoundRobin,
}
_CYCLIC: dict[str, tuple[Callable[[NDArray, int], Maker], Callable[[int], int]]] = {
    "golden-ratio": (_GoldenRatio, lambda length: fibonacci(fibonacci_index_at_least(length))),
    "powers-of-two": (_PowersOfTwo, lambda length: 1 << (length - 1).bit_length()),
}
POLICIES = (*_FREE, *_CYCLIC)


def maker_of(
    frequency: ArrayLike, policy: str, length: int | None, seed: int, cycle: int | None
) -> tuple[Maker, int | None]:
    """The policy's maker, and how many accesses were asked for."""
    if policy not in POLICIES:
        raise ValueError(f"unknown policy {policy!r}, choose one of {', '.join(POLICIES)}")
    checked = frequencies(frequency)
    if length is not None:
        length = whole_number("length", length)
    if policy in _FREE:
        if cycle is not None:
            raise ValueError(f"policy {policy!r} has no cycle, got cycle={cycle}: give length= alone")
        return _FREE[policy](checked, np.random.default_rng(whole_number("seed", seed, at_least=0))), length
    make, cycle_for = _CYCLIC[policy]
    if cycle is None:
        if length is None:
            raise ValueError(f"policy {policy!r} needs length= or cycle=")
        cycle = cycle_for(length)
    cycle = whole_number("cycle", cycle)
    if cycle > LONGEST:
        raise ValueError(f"cycle must be at most {LONGEST}, got {cycle}")
    return make(checked, cycle), cycle


def sequence(
    frequency: ArrayLike, policy: str = "most-overdue", *, length: int | None = None, seed: int = 0,
    cycle: int | None = None,
) -> Accesses:
    """Page indices in the order of access: one cycle of a schedule.

    Arguments:
        frequency: access frequencies >= 0 with sum 1; pages with frequency 0 are never accessed
        policy: one of ``POLICIES``, see the head of this module
        length: number of accesses. golden-ratio gives the smallest Fibonacci number, powers-of-two
            the smallest power of two that is at least this
        seed: for policies that draw (most-overdue: the ages at the start; random-phase; randomized)
        cycle: for golden-ratio and powers-of-two, their exact number of accesses
    """
    maker, count = maker_of(frequency, policy, length, seed, cycle)
    if count is None:
        raise ValueError(f"policy {policy!r} needs length=")
    return maker.take(count)


def stream(
    frequency: ArrayLike, policy: str = "most-overdue", *, length: int | None = None, seed: int = 0,
    cycle: int | None = None, chunk: int = DEFAULT_CHUNK,
) -> Iterator[Accesses]:
    """The accesses of ``sequence`` in chunks, holding O(pages + chunk), never the schedule.

    Without ``length`` (and ``cycle``) the stream has no end; concatenated chunks are what
    ``sequence`` gives for the same arguments.
    """
    chunk = whole_number("chunk", chunk)
    maker, count = maker_of(frequency, policy, length, seed, cycle)
    return chunks_of(maker, count, chunk)


def chunks_of(maker: Maker, count: int | None, chunk: int) -> Iterator[Accesses]:
    """So many accesses in chunks; without end if ``count`` is None."""
    done = 0
    while count is None or done < count:
        size = chunk if count is None else min(chunk, count - done)
        yield maker.take(size)
        done += size
