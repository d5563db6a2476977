"""Batch Markovian arrival processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from crawlproof.laws.phase_type import (
    ExactMatrix,
    ModelError,
    check_rates,
    exact_number,
    exact_square,
    frozen,
    negligible,
    reachable,
    shown,
)
from crawlproof.queue import m_matrix


@dataclass(frozen=True, eq=False)
class Bmap:
    """Arrivals in batches, directed by a Markov chain: ``Bmap([D0, D1, D2, ...])``.

    D0 holds the rates of the moves without arrival, Dk those of the moves with a batch of k pages. Their sum D(1)
    must be the generator of an irreducible chain, and some batch must be possible. The diagonal of D0 is checked and
    then computed from the other rates, so that no sum of a row cancels.

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
        if all(value == 0 for matrix in with_batch for row in matrix for value in row):
            raise ModelError(f"the process never delivers: all rates in D1 to D{len(with_batch)} are 0")
        arrows = [
            {c for c in range(size) if c != r and any(matrix[r][c] > 0 for matrix in (without, *with_batch))}
            for r in range(size)
        ]
        for r in range(size):
            unreached = set(range(size)) - reachable({r}, arrows)
            if unreached:
                raise ModelError(f"D(1), row {r + 1}: the chain is reducible, "
                                 f"state {r + 1} never leads to state {min(unreached) + 1}")
        object.__setattr__(self, "_exact", (without, *with_batch))
        off_diagonal = [[float(v) if c != r else 0.0 for c, v in enumerate(row)] for r, row in enumerate(without)]
        object.__setattr__(self, "moves", frozen(off_diagonal))
        object.__setattr__(self, "batches", frozen([[[float(v) for v in row] for row in m] for m in with_batch]))
        # The exact sum of a row's other rates, rounded once.
        diagonal = [
            -float(sum((v for m in (without, *with_batch) for c, v in enumerate(m[r]) if m is not without or c != r),
                       Fraction(0)))
            for r in range(size)
        ]
        silent = np.array(off_diagonal)
        np.fill_diagonal(silent, diagonal)
        object.__setattr__(self, "matrices", (frozen(silent), *(frozen(matrix) for matrix in self.batches)))

    @property
    def states(self) -> int:
        return len(self.moves)

    @property
    def largest_batch(self) -> int:
        return len(self.batches)

    @cached_property
    def phase_probabilities(self) -> np.ndarray:
        """The stationary law of the directing chain, theta D(1) = 0."""
        return frozen(m_matrix.stationary(self.moves + self.batches.sum(axis=0)))

    @property
    def rate(self) -> float:
        """Pages per unit of time."""
        sizes = np.arange(1, self.largest_batch + 1)
        return float(self.phase_probabilities @ np.einsum("k,krc->r", sizes, self.batches))

    @property
    def batch_rate(self) -> float:
        """Batches per unit of time; a batch that leaves the directing state as it is counts too."""
        return float(self.phase_probabilities @ self.batches.sum(axis=(0, 2)))

    @cached_property
    def _time_to_batch(self) -> np.ndarray:
        """(-D0)^-1: expected time in each state until the next batch."""
        return m_matrix.inverse(self.moves, self.batches.sum(axis=(0, 2)))

    @property
    def interval_variance(self) -> float:
        """The variance of the time between batches."""
        mean = 1 / self.batch_rate
        return float(2 * mean * self.phase_probabilities @ self._time_to_batch.sum(axis=1) - mean**2)

    @property
    def interval_correlation(self) -> float:
        """The correlation of successive times between batches."""
        mean = 1 / self.batch_rate
        times = self._time_to_batch
        product = mean * self.phase_probabilities @ times @ self.batches.sum(axis=0) @ times.sum(axis=1)
        return float((product - mean**2) / self.interval_variance)

    def scaled(self, speed: Any) -> Bmap:
        """The same process in another unit of time: every rate multiplied by `speed`."""
        factor = exact_number(speed, "speed")
        if factor <= 0:
            raise ModelError(f"speed is {shown(factor)}; it must be positive")
        return Bmap([[[factor * rate for rate in row] for row in matrix] for matrix in self._exact])
