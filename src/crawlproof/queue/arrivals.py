"""Batch Markovian arrival processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from crawlproof.laws.phase_type import (
    ExactMatrix,
    ExactVector,
    ModelError,
    check_rates,
    exact_number,
    exact_square,
    frozen,
    negligible,
    reachable,
    shown,
    solve_exactly,
)
from crawlproof.laws.repair import Repaired, generator

if TYPE_CHECKING:
    from crawlproof.queue.fitting import Fit

# Exact numbers grow by some digits with each lag.
LARGEST_LAG = 1000


def dot(weights: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    return sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0))


@dataclass(frozen=True, eq=False)
class Bmap:
    """Arrivals in batches, directed by a Markov chain: ``Bmap([D0, D1, D2, ...])``.

    D0 holds the rates of the moves without arrival, Dk those of the moves with a batch of k pages. Their sum D(1)
    must be a generator. The diagonal of D0 is checked and then computed from the other rates, so that no sum of a row
    cancels. As a mode of a queue, a process may be reducible, or deliver nothing at all (robots that are stopped:
    ``Bmap([D0, zeros])``, its phases moving or, with D0 = 0, frozen); its long-run rates then may not exist.

    >>> Bmap([[[-2]], [[1]], [[1]]]).rate
    3.0
    """

    matrices: Sequence[Any]
    moves: np.ndarray = field(init=False, repr=False)
    batches: np.ndarray = field(init=False, repr=False)
    _exact: tuple[ExactMatrix, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.matrices, Sequence | np.ndarray) or len(self.matrices) < 2:
            raise ModelError("a BMAP needs the matrices D0 and D1 at least")
        without = exact_square(self.matrices[0], "D0")
        size = len(without)
        check_rates(without, "D0")
        with_batch = []
        for k, matrix in enumerate(self.matrices[1:], 1):
            rates = exact_square(matrix, f"D{k}", size)
            for r, row in enumerate(rates, 1):
                for c, value in enumerate(row, 1):
                    if value < 0:
                        raise ModelError(f"D{k}, row {r}, column {c} is {shown(value)}: the rate of a batch is negative")
            with_batch.append(rates)
        for r in range(size):
            entries = [value for matrix in (without, *with_batch) for value in matrix[r]]
            total = sum(entries)
            if not negligible(total, entries):
                raise ModelError(f"D(1) = D0 + ... + D{len(with_batch)}, row {r + 1} sums to {shown(total)}, not to 0")
        # The diagonal is the exact sum of a row's other rates, rounded once.
        without = tuple(
            tuple(value if c != r else value - sum(v for matrix in (without, *with_batch) for v in matrix[r])
                  for c, value in enumerate(row))
            for r, row in enumerate(without))
        object.__setattr__(self, "_exact", (without, *with_batch))
        object.__setattr__(self, "matrices", tuple(frozen([[float(v) for v in row] for row in m]) for m in self._exact))
        object.__setattr__(self, "moves", frozen(np.where(np.eye(size, dtype=bool), 0.0, self.matrices[0])))
        object.__setattr__(self, "batches", frozen(np.array(self.matrices[1:])))

    @classmethod
    def fit(cls, timestamps: Sequence[float], phases: int = 2, together: float = 0.0) -> Fit:
        """Arrivals with the intervals and batches of time stamps: `.bmap`, and its `.log_likelihood`. Stamps that follow
        each other within `together` are a batch; the method is described in `crawlproof.queue.fitting`."""
        from crawlproof.queue.fitting import fit

        return fit(timestamps, phases, together)

    @classmethod
    def repaired(cls, matrices: Sequence[Any], limit: Any = "0.02") -> Repaired[Bmap]:
        """The process of matrices that were rounded, and how much was changed; more than `limit` is refused."""
        found, changes = generator(matrices, limit)
        return Repaired(cls(found), float(changes.size), tuple(changes.words))

    @property
    def states(self) -> int:
        return len(self.moves)

    @property
    def largest_batch(self) -> int:
        return len(self.batches)

    @cached_property
    def _arrows(self) -> list[set[int]]:
        """From each phase to those that some rate leads to."""
        rates = self.moves + self.batches.sum(axis=0)
        return [{int(c) for c in np.flatnonzero(row) if c != r} for r, row in enumerate(rates)]

    @cached_property
    def irreducible(self) -> bool:
        """Whether each phase leads to each other one; a queue can be controlled by modes that are not."""
        return all(len(reachable({phase}, self._arrows)) == self.states for phase in range(self.states))

    @property
    def delivers(self) -> bool:
        """Whether some batch is possible; with all robots stopped none is."""
        return bool(self.batches.any())

    @cached_property
    def _exact_phases(self) -> ExactVector:
        """The stationary law of the directing chain, theta D(1) = 0."""
        reached = [reachable({phase}, self._arrows) for phase in range(self.states)]
        closed = [phase for phase in range(self.states) if all(phase in reached[other] for other in reached[phase])]
        for phase in closed:
            if phase not in reached[closed[0]]:
                raise ModelError(f"D(1), row {closed[0] + 1}: the chain is reducible, state {closed[0] + 1} never leads to "
                                 f"state {phase + 1}, nor back: its long run depends on the start")
        total = [[sum(matrix[r][c] for matrix in self._exact) for r in range(self.states)] for c in range(self.states)]
        total[closed[0]] = [Fraction(1)] * self.states
        return tuple(solve_exactly(total, [Fraction(int(phase == closed[0])) for phase in range(self.states)]))

    @property
    def phase_probabilities(self) -> np.ndarray:
        """The stationary law of the directing chain; it has one if all phases come to the same ones."""
        return frozen([float(value) for value in self._exact_phases])

    @property
    def rate(self) -> float:
        """Pages per unit of time."""
        return float(sum(k * self._rate_of(matrix) for k, matrix in enumerate(self._exact[1:], 1)))

    @property
    def batch_rate(self) -> float:
        """Batches per unit of time; a batch that leaves the directing state as it is counts too."""
        return float(self._exact_batch_rate)

    def _rate_of(self, matrix: ExactMatrix) -> Fraction:
        return sum((p * value for p, row in zip(self._exact_phases, matrix, strict=True) for value in row), Fraction(0))

    @property
    def _exact_batch_rate(self) -> Fraction:
        return sum((self._rate_of(matrix) for matrix in self._exact[1:]), Fraction(0))

    def _until_batch(self, values: Sequence[Fraction]) -> list[Fraction]:
        """(-D0)^-1 times a column: what is collected until the next batch."""
        return solve_exactly([[-value for value in row] for row in self._exact[0]], values)

    @cached_property
    def _intervals(self) -> tuple[Fraction, Fraction, list[Fraction]]:
        """Mean and variance of the time between batches, and its mean from each phase on."""
        if not self.delivers or self._exact_batch_rate == 0:
            raise ModelError(f"the process never delivers: there are no intervals, as rates in D1 to "
                             f"D{self.largest_batch} are 0 where it stays")
        mean = 1 / self._exact_batch_rate
        times = self._until_batch([Fraction(1)] * self.states)
        return mean, 2 * mean * dot(self._exact_phases, times) - mean**2, times

    @property
    def interval_variance(self) -> float:
        """The variance of the time between batches."""
        return float(self._intervals[1])

    @property
    def scv(self) -> float:
        """The squared coefficient of variation of the time between batches."""
        mean, variance, _ = self._intervals
        return float(variance / mean**2)

    def correlation(self, lag: int) -> float:
        """The correlation of the times between batches, the one so many intervals after the other."""
        if isinstance(lag, bool | np.bool_) or not isinstance(lag, Integral):
            raise ModelError(f"lag is {lag!r}; it must be a whole number")
        if lag < 1:
            raise ModelError(f"lag is {lag}; it must be 1 at least")
        if lag > LARGEST_LAG:
            raise ModelError(f"lag is {lag}; exact correlations are for lags up to {LARGEST_LAG}")
        mean, variance, times = self._intervals
        for _ in range(int(lag)):
            at_batch = [sum((value * times[c] for matrix in self._exact[1:] for c, value in enumerate(matrix[r])), Fraction(0))
                        for r in range(self.states)]
            times = self._until_batch(at_batch)
        return float((mean * dot(self._exact_phases, times) - mean**2) / variance)

    @property
    def interval_correlation(self) -> float:
        """The correlation of successive times between batches."""
        return self.correlation(1)

    def scaled(self, speed: Any) -> Bmap:
        """The same process in another unit of time: every rate multiplied by `speed`."""
        factor = exact_number(speed, "speed")
        if factor <= 0:
            raise ModelError(f"speed is {shown(factor)}; it must be positive")
        return Bmap([[[factor * rate for rate in row] for row in matrix] for matrix in self._exact])
