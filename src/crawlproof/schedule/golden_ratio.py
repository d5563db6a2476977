"""The golden ratio policy by integer arithmetic, and its gaps in the limit of long cycles.

Claims CLW-G10 to CLW-G19 and CLW-X.golden-guarantee.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from crawlproof.formulas import golden_ratio_second_moment
from crawlproof.schedule.inputs import frequencies, whole_number
from crawlproof.schedule.owners import LONGEST, Owners

SQRT5 = math.sqrt(5)
PHI = (1 + SQRT5) / 2
#: Below it the gaps would exceed the largest float.
LEAST_FREQUENCY = 1e-300


@dataclass(frozen=True)
class GapLaw:
    """Gaps of one page, in accesses of the robot, and their probabilities."""

    gaps: tuple[int, int, int]
    probabilities: tuple[float, float, float]

    @property
    def mean(self) -> float:
        return sum(p * d for p, d in zip(self.probabilities, self.gaps, strict=True))

    @property
    def second_moment(self) -> float:
        return sum(p * d * d for p, d in zip(self.probabilities, self.gaps, strict=True))


def _place(frequency: float) -> tuple[float, int, int]:
    """The place s = f phi^j of a frequency, in [1, phi], and its gaps F_j and F_(j+1)."""
    if not LEAST_FREQUENCY <= frequency <= 1:
        raise ValueError(f"frequency must be in [{LEAST_FREQUENCY:g}, 1], got {frequency}")
    before, first = 0, 1  # F_(j-1), F_j, from j = 1
    # phi^j = F_j phi + F_(j-1): no error builds up as it would in a product of j factors
    while (place := frequency * (first * PHI + before)) < 1:
        before, first = first, before + first
    return place, first, first + before


def golden_ratio_gap_law(frequency: float) -> GapLaw:
    """The three gaps F_j, F_(j+1), F_(j+2) of a page, where phi^-j <= frequency <= phi^(1-j).

    Error: probabilities are within 1e-15 of their values.
    """
    place, short, middle = _place(frequency)
    weights = (place - 1, place - 1 / PHI, max(PHI - place, 0.0))
    return GapLaw((short, middle, short + middle), tuple(w / place for w in weights))


def golden_ratio_guarantee(frequency: float) -> float:
    """V(f): the page's obsolescence rate is at most this multiple of its lower bound; never above 9/8."""
    place, short, middle = _place(frequency)
    return golden_ratio_second_moment(place, frequency * short, frequency * middle)  # of the gaps in units of their mean


def fibonacci_index_at_least(length: int) -> int:
    """The smallest k >= 2 with F_k >= length."""
    k, previous, current = 2, 1, 1
    while current < length:
        k, previous, current = k + 1, current, previous + current
    return k


def fibonacci(k: int) -> int:
    """F_k, with F_1 = F_2 = 1."""
    previous, current = 0, 1
    for _ in range(k):
        previous, current = current, previous + current
    return previous


@njit(cache=True, error_model="numpy")
def _walk(table, start, stride, out):
    """The owners of start, start + stride, ... around the circle."""
    cycle = len(table)
    index = start
    for n in range(len(out)):
        out[n] = table[index]
        index += stride
        if index >= cycle:
            index -= cycle


@njit(cache=True, error_model="numpy")
def _modular_product(numbers, factor, modulus):
    """numbers*factor modulo a modulus up to 2**53, for factors below it."""
    out = np.empty(len(numbers), dtype=np.int64)
    ratio = float(factor) / float(modulus)
    for n in range(len(numbers)):
        # The quotient is off by a few units at most; the difference is small and exact modulo 2**64.
        out[n] = (numbers[n] * factor - int(float(numbers[n]) * ratio) * modulus) % modulus
    return out


class GoldenRatioSchedule:
    """The golden ratio policy on a cycle of F_k accesses (claim CLW-G10 ff.), seekable.

    The points frac(j/phi), j = 0, ..., F_k - 1, lie on a circle; each page owns a block of
    consecutive j, as many as its frequency times F_k rounded up or down; the robot walks
    round the circle. The rank of point j is j F_(k-1) mod F_k, and F_(k-1)^2 = (-1)^k
    modulo F_k, so the n-th access (from 0) is to the owner of (-1)^k n F_(k-1) mod F_k.

    Set-up is O(N) in the number of pages, and needs memory O(N) whatever the cycle. An access
    is then one multiplication modulo F_k and one look-up: O(1) on average over a cycle,
    O(log N) at worst.
    """

    def __init__(self, frequency: ArrayLike, cycle: int) -> None:
        cycle = whole_number("cycle", cycle)
        k = fibonacci_index_at_least(cycle)
        if fibonacci(k) != cycle:
            raise ValueError(
                f"cycle must be a Fibonacci number such as {fibonacci(k - 1)} or {fibonacci(k)}, got {cycle}"
            )
        if cycle > LONGEST:
            raise ValueError(f"cycle must be at most {LONGEST}, got {cycle}")
        self.cycle = cycle
        self._owners = Owners.by_frequency(frequencies(frequency), cycle)
        before = fibonacci(k - 1)
        self._stride = (before if k % 2 == 0 else -before) % cycle

    def __len__(self) -> int:
        return self.cycle

    def access(self, n: ArrayLike) -> Any:
        """The page of the n-th access, n >= 0, for an integer of any size or an array of integers."""
        if np.ndim(n) == 0:
            n = whole_number("n", n if isinstance(n, int) else np.asarray(n)[()], at_least=0)
            index = n * self._stride % self.cycle
            return int(self._owners.of(np.array([index]))[0])
        positions = np.asarray(n)
        if positions.dtype.kind not in "iu":
            raise ValueError(f"n must be integers, got dtype {positions.dtype}")
        if (positions < 0).any():
            raise ValueError(f"n must be >= 0, got {positions[positions < 0].flat[0]}")
        flat = (positions.ravel() % self.cycle).astype(np.int64)
        return self._owners.of(_modular_product(flat, self._stride, self.cycle)).reshape(positions.shape)

    def chunk(self, start: int, count: int) -> NDArray[np.int32]:
        """Accesses start, ..., start + count - 1; the schedule itself is never held."""
        return self.access(start % self.cycle + np.arange(count, dtype=np.int64))

    def sequence(self) -> NDArray[np.int32]:
        """One whole cycle."""
        out = np.empty(self.cycle, dtype=np.int32)
        _walk(self._owners.table(), 0, self._stride, out)
        return out


def golden_ratio_access(n: ArrayLike, frequency: ArrayLike | GoldenRatioSchedule, cycle: int | None = None) -> Any:
    """The page of the n-th access of the golden ratio policy, for one n or an array of them.

    With frequencies each call sets up anew, in O(N); for many calls make a
    ``GoldenRatioSchedule`` once and pass it in their place: then a call is O(1) per access.
    """
    if isinstance(frequency, GoldenRatioSchedule):
        return frequency.access(n)
    if cycle is None:
        raise ValueError("golden_ratio_access needs cycle=, a Fibonacci number")
    return GoldenRatioSchedule(frequency, cycle).access(n)
