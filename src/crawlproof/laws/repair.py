"""Matrices that were rounded in print, made into a model again, with the size of what was changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

import numpy as np

from crawlproof.laws.phase_type import ModelError, PhaseType, exact_number, exact_square, exact_vector, shown

Model = TypeVar("Model")


@dataclass(frozen=True)
class Repaired(Generic[Model]):
    """A model, and what had to be changed for it."""

    model: Model
    size: float
    """the largest change of an entry, as a share of the largest entry of its row"""
    changes: tuple[str, ...]
    """each entry that was changed, in words"""


class Changes:
    """Records changes, and refuses those that are no rounding."""

    def __init__(self, limit: Any) -> None:
        self.limit = exact_number(limit, "limit")
        if self.limit <= 0:
            raise ModelError(f"limit is {shown(self.limit)}; it must be positive")
        self.size, self.words = Fraction(0), list[str]()

    def note(self, place: str, old: Fraction, new: Fraction, scale: Fraction) -> Fraction:
        """The new value of an entry whose row has entries of this size."""
        if new != old:
            size = abs(new - old) / scale if scale else Fraction(1)
            if size > self.limit:
                raise ModelError(f"{place} is {shown(old)} and would have to be {shown(new)}: a change by "
                                 f"{float(size):.2g} of the row's largest entry is no rounding; {float(self.limit):.2g} is the limit")
            self.size = max(self.size, size)
            self.words.append(f"{place}: {shown(old)} became {shown(new)}")
        return new

    def without_negatives(self, rows: Sequence[Sequence[Fraction]], name: str, scales: Sequence[Fraction], *,
                          diagonal: bool) -> list[list[Fraction]]:
        """Negative rates become 0, except for those on a diagonal that is a balance."""
        return [[value if value >= 0 or (diagonal and c == r)
                 else self.note(f"{name}, row {r + 1}, column {c + 1}", value, Fraction(0), scales[r])
                 for c, value in enumerate(row)] for r, row in enumerate(rows)]


def phase_type(beta: Any, S: Any, limit: Any) -> Repaired[PhaseType]:
    """`beta` is divided by its sum; a row of S with a positive sum gets a larger diagonal, so that its exit rate is 0."""
    changes = Changes(limit)
    start, rows = exact_vector(beta, "beta"), exact_square(S, "S")
    largest = max(abs(value) for value in start)
    start = tuple(v if v >= 0 else changes.note(f"beta, entry {k}", v, Fraction(0), largest) for k, v in enumerate(start, 1))
    total = sum(start)
    if total == 0:
        raise ModelError("beta has no positive entry")
    start = tuple(changes.note(f"beta, entry {k}", v, v / total, largest) for k, v in enumerate(start, 1))
    scales = [max(abs(value) for value in row) for row in rows]
    found = changes.without_negatives(rows, "S", scales, diagonal=True)
    for r, row in enumerate(found):
        if sum(row) > 0:
            row[r] = changes.note(f"S, row {r + 1}, column {r + 1}", row[r], row[r] - sum(row), scales[r])
    return Repaired(PhaseType(start, found), float(changes.size), tuple(changes.words))


def generator(matrices: Any, limit: Any) -> tuple[list[list[list[Fraction]]], Changes]:
    """D0, D1, ... whose rows sum to 0 together: the diagonal of D0 takes what is missing."""
    changes = Changes(limit)
    if not isinstance(matrices, Sequence | np.ndarray) or len(matrices) < 2:
        raise ModelError("a BMAP needs the matrices D0 and D1 at least")
    size = len(exact_square(matrices[0], "D0"))
    stack = [exact_square(matrix, f"D{k}", size) for k, matrix in enumerate(matrices)]
    scales = [max(abs(value) for matrix in stack for value in matrix[r]) for r in range(size)]
    found = [changes.without_negatives(matrix, f"D{k}", scales, diagonal=k == 0) for k, matrix in enumerate(stack)]
    for r in range(size):
        missing = sum(value for matrix in found for value in matrix[r])
        found[0][r][r] = changes.note(f"D0, row {r + 1}, column {r + 1}", found[0][r][r], found[0][r][r] - missing, scales[r])
    return found, changes
