"""The numerical examples of the threshold-control paper as exact models, read from its printed inputs.

A printed sign is not trusted: rates are non-negative, only the diagonal of D_0 is negative, so the size of
an entry and its place determine its sign. Whether the rows then sum to 0 is left to the model to check.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flint import fmpq, fmpq_mat

from crawlproof.models.obsolescence_queue import Measures, ObsolescenceQueue
from crawlproof.models.printed_numbers import decimal

Matrix = tuple[tuple[fmpq, ...], ...]
Law = tuple[tuple[fmpq, ...], Matrix]  # initial vector, sub-generator
Policy = tuple[int, ...]  # active robots for 0, 1, ..., K pages


def exact_matrix(rows: Sequence[Sequence[str]]) -> Matrix:
    return tuple(tuple(decimal(entry) for entry in row) for row in rows)


def exact_law(law: Sequence[Any]) -> Law:
    return tuple(decimal(entry) for entry in law[0]), exact_matrix(law[1])


def scaled(matrix: Matrix, factor: fmpq) -> Matrix:
    return tuple(tuple(factor * entry for entry in row) for row in matrix)


def with_signs_of_rates(matrices: Sequence[Matrix]) -> tuple[Matrix, ...]:
    """D_0, D_1, ... with the only signs that rates can have: minus on the diagonal of D_0, plus elsewhere."""
    return tuple(
        tuple(tuple(-abs(v) if k == 0 and i == j else abs(v) for j, v in enumerate(row)) for i, row in enumerate(matrix))
        for k, matrix in enumerate(matrices)
    )


def row_sums(matrices: Sequence[Matrix]) -> list[fmpq]:
    """The row sums of D(1) = D_0 + D_1 + ...; a generator has only zeros."""
    return [sum((sum(m[i], fmpq(0)) for m in matrices), fmpq(0)) for i in range(len(matrices[0]))]


def common_exit_rate(law: Law) -> fmpq | None:
    """The rate g if every phase of the law is left for good at the same rate, so that it is exponential."""
    rates = {-sum(row, fmpq(0)) for row in law[1]}
    return rates.pop() if len(rates) == 1 else None


def lumped(law: Law) -> Law:
    """The same law with one phase, if all its phases have one exit rate; else the law itself."""
    rate = common_exit_rate(law)
    return law if rate is None else ((fmpq(1),), ((-rate,),))


def mean(law: Law) -> fmpq:
    """The mean of a phase-type law."""
    return moments(law, 1)[0]


def moments(law: Law, count: int) -> list[fmpq]:
    """E[T], E[T^2], ... of a phase-type law."""
    start, matrix = law
    minus, found, factorial = fmpq_mat([[-v for v in row] for row in matrix]), [], 1
    column = fmpq_mat([[1] for _ in start])
    for k in range(1, count + 1):
        column, factorial = minus.solve(column), factorial * k
        found.append(factorial * (fmpq_mat([list(start)]) * column)[0, 0])
    return found


@dataclass(frozen=True)
class Example:
    """A queue of the paper without a policy yet, and its cost coefficients."""

    arrivals: tuple[tuple[Matrix, ...], ...]
    service: Law
    obsolescence: Law
    capacity: int
    costs: tuple[tuple[str, fmpq], ...]

    @classmethod
    def first(cls, inputs: Mapping[str, Any]) -> Example:
        """The example of Tables 1 to 4, with the signs that rates must have."""
        arrivals = tuple(with_signs_of_rates([exact_matrix(m) for m in mode]) for mode in inputs["arrivals"])
        return cls._of(inputs, arrivals)

    @classmethod
    def crawler(cls, inputs: Mapping[str, Any], no_arrival: Matrix, batch_arrival: Matrix, modes: int = 4) -> Example:
        """The example of Table 5 with the given (repaired) matrices: mode r is r times mode 1."""
        sizes = [decimal(d) for d in inputs["batch_sizes"]]
        shares = [d / sum(sizes, fmpq(0)) for d in sizes]  # printed, they sum to 1 - 4e-9
        first = (no_arrival, *(scaled(batch_arrival, share) for share in shares))
        return cls._of(inputs, tuple(tuple(scaled(m, fmpq(r)) for m in first) for r in range(1, modes + 1)))

    @classmethod
    def _of(cls, inputs: Mapping[str, Any], arrivals: tuple[tuple[Matrix, ...], ...]) -> Example:
        return cls(
            arrivals=arrivals, service=exact_law(inputs["service"]), obsolescence=exact_law(inputs["obsolescence"]),
            capacity=int(inputs["capacity"]),
            costs=tuple((name, decimal(value)) for name, value in inputs["costs"].items()),
        )

    def changed(self, **changes: Any) -> Example:
        return replace(self, **changes)

    def faster_service(self, speed: fmpq) -> Example:
        return replace(self, service=(self.service[0], scaled(self.service[1], speed)))

    def faster_obsolescence(self, speed: fmpq) -> Example:
        return replace(self, obsolescence=(self.obsolescence[0], scaled(self.obsolescence[1], speed)))

    def queue(self, policy: Policy) -> ObsolescenceQueue:
        return ObsolescenceQueue(
            arrivals=self.arrivals, service=self.service, obsolescence=self.obsolescence,
            capacity=self.capacity, active=policy,
        )

    def measures(self, policy: Policy) -> Measures:
        return self.queue(policy).measures()

    def cost(self, policy: Policy) -> fmpq:
        """The exact cost (2) of a policy, from the stationary law of the whole chain."""
        return self.measures(policy).cost(**dict(self.costs))


def falling_policies(modes: Sequence[int], capacity: int) -> Iterator[Policy]:
    """All policies that use these modes and never more robots for more pages, with the largest at 0 pages.

    These are the threshold policies with 0 <= j_1 <= j_2 <= ... <= K.
    """
    largest = max(modes)
    for rest in itertools.combinations_with_replacement(sorted(modes, reverse=True), capacity):
        yield (largest, *rest)


def all_falling_policies(modes: Sequence[int], capacity: int) -> Iterator[Policy]:
    """All policies with these modes that never have more robots for more pages."""
    yield from itertools.combinations_with_replacement(sorted(modes, reverse=True), capacity + 1)


def thresholds(policy: Policy, modes: Sequence[int]) -> tuple[int, ...]:
    """The thresholds j_1 <= j_2 <= ... of a falling policy, one for each mode but the smallest.

    >>> thresholds((3, 3, 3, 1, 1, 1), (1, 3)), thresholds((3, 3, 3, 1, 1, 1), (1, 2, 3))
    ((2,), (2, 2))
    """
    ordered = sorted(modes, reverse=True)
    return tuple(sum(robots >= mode for robots in policy) - 1 for mode in ordered[:-1])


def modes_of(policy: Policy) -> tuple[int, ...]:
    """The numbers of robots that a policy uses, in increasing order."""
    return tuple(sorted(set(policy)))
