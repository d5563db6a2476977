"""Phase-type laws: the time until a finite Markov chain is absorbed.

Entries are read as exact rationals first: a float stands for the shortest decimal that rounds to it, so that
``-0.6 + 0.4`` is ``-0.2`` and a row that sums to zero on paper does so here. Only then are they rounded, once each:
exit rates carry no cancellation error, and lumpings are decided without a tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from crawlproof.laws.base import Array, Law, by_blocks, minus_log, minus_log_excess

if TYPE_CHECKING:
    from crawlproof.laws.repair import Repaired

ExactVector = tuple[Fraction, ...]
ExactMatrix = tuple[ExactVector, ...]

# Entries given as floats are rounded themselves, each by up to 2^-53 of it; computed ones by a few times as much.
ROUNDING = Fraction(1, 2**51)

# Beyond these, products of a few entries leave the range of doubles.
SMALLEST, LARGEST = Fraction(1, 10**250), Fraction(10**250)


class ModelError(ValueError):
    """A matrix, vector or parameter that describes no model; the message names the place and the value."""


def shown(value: Fraction) -> str:
    """A value the way a person would have typed it."""
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def exact_number(value: Any, place: str) -> Fraction:
    """One entry as a rational: int, float (as its shortest decimal), Fraction, Decimal, or text such as "1/3"."""
    if isinstance(value, bool | np.bool_):
        raise ModelError(f"{place} is {value}, not a number")
    if isinstance(value, float | np.floating) and not math.isfinite(value):
        raise ModelError(f"{place} is {value}; it must be finite")
    try:
        if isinstance(value, float | np.floating):
            exact = Fraction(repr(float(value)))
        elif isinstance(value, np.integer):
            exact = Fraction(int(value))
        elif isinstance(value, Rational | Decimal | str):
            exact = Fraction(value)
        else:
            raise ValueError
    except (ValueError, OverflowError, ZeroDivisionError):
        raise ModelError(f"{place} is {value!r}, not a finite number") from None
    if exact and not SMALLEST <= abs(exact) <= LARGEST:
        raise ModelError(f"{place} is {value}; it must be 0 or between 1e-250 and 1e250 in size")
    return exact


def is_row(values: Any) -> bool:
    return isinstance(values, Sequence | np.ndarray) and not isinstance(values, str)


def flat(values: Any) -> Any:
    """A vector that was given as a matrix with one row or one column, as `numpy.matrix` and BuTools have them."""
    if isinstance(values, np.ndarray) and values.ndim == 2 and 1 in values.shape:
        return np.asarray(values).reshape(-1)
    if is_row(values) and len(values) == 1 and is_row(values[0]):
        return values[0]
    return values


def exact_vector(values: Any, name: str) -> ExactVector:
    values = flat(values)
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str) or len(values) == 0:
        raise ModelError(f"{name} must be a non-empty list of numbers, not {values!r}")
    return tuple(exact_number(value, f"{name}, entry {k}") for k, value in enumerate(values, 1))


def exact_square(rows: Any, name: str, size: int | None = None) -> ExactMatrix:
    """A square matrix of rationals; `size` insists on its order."""
    if isinstance(rows, np.matrix):
        rows = np.asarray(rows)  # rows of a matrix are matrices
    if not isinstance(rows, Sequence | np.ndarray) or isinstance(rows, str) or len(rows) == 0:
        raise ModelError(f"{name} must be a square matrix (a list of rows), not {rows!r}")
    expected = len(rows) if size is None else size
    if len(rows) != expected:
        raise ModelError(f"{name} has {len(rows)} rows; {expected} are needed")
    matrix = []
    for k, row in enumerate(rows, 1):
        if not isinstance(row, Sequence | np.ndarray) or isinstance(row, str) or len(row) != expected:
            raise ModelError(f"{name}, row {k} is {row!r}; {expected} numbers are needed")
        matrix.append(tuple(exact_number(value, f"{name}, row {k}, column {c}") for c, value in enumerate(row, 1)))
    return tuple(matrix)


def negligible(rest: Fraction, entries: Sequence[Fraction]) -> bool:
    """Whether `rest` is what rounding the entries can leave of a sum that is zero."""
    return abs(rest) <= ROUNDING * sum(abs(entry) for entry in entries)


def check_rates(matrix: ExactMatrix, name: str) -> None:
    """Off the diagonal no rate is negative; on it none is positive."""
    for k, row in enumerate(matrix, 1):
        for c, value in enumerate(row, 1):
            if c != k and value < 0:
                raise ModelError(f"{name}, row {k}, column {c} is {shown(value)}: a rate off the diagonal is negative")
        if row[k - 1] > 0:
            raise ModelError(f"{name}, row {k}, column {k} is {shown(row[k - 1])}: the diagonal must not be positive")


def check_distribution(vector: ExactVector, name: str) -> ExactVector:
    """Non-negative and with sum 1, up to the rounding of its entries; that rest is then divided out."""
    for k, value in enumerate(vector, 1):
        if value < 0:
            raise ModelError(f"{name}, entry {k} is {shown(value)}: a probability is negative")
    total = sum(vector)
    if not negligible(total - 1, (*vector, Fraction(1))):
        raise ModelError(f"{name} sums to {shown(total)}: it is no distribution, its sum must be 1")
    return tuple(value / total for value in vector)


def frozen(values: ArrayLike) -> np.ndarray:
    array = np.array(values, dtype=float)
    array.flags.writeable = False
    return array


def reachable(start: set[int], arrows: Sequence[set[int]]) -> set[int]:
    """All nodes that can be reached from `start`, itself included."""
    seen, todo = set(start), list(start)
    while todo:
        for node in arrows[todo.pop()] - seen:
            seen.add(node)
            todo.append(node)
    return seen


@dataclass(frozen=True, eq=False)
class PhaseType(Law):
    """The law of the time until absorption: start by `beta`, move by the sub-generator `S`.

    The exit rates are S0 = -S e. Each phase must be able to reach absorption; phases that `beta` never reaches are
    allowed and have no influence.

    >>> PhaseType([0.3, 0.7], [[-0.6, 0.4], [0.1, -0.3]]).mean
    5.0
    """

    beta: np.ndarray
    S: np.ndarray
    exit: np.ndarray = field(init=False, repr=False)
    _exact: tuple[ExactVector, ExactMatrix, ExactVector] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        S = exact_square(self.S, "S")
        beta = check_distribution(exact_vector(self.beta, "beta"), "beta")
        if len(beta) != len(S):
            raise ModelError(f"beta has {len(beta)} entries, but S has {len(S)} rows")
        check_rates(S, "S")
        exit_rates = []
        for k, row in enumerate(S, 1):
            rate = -sum(row)
            if negligible(rate, row):
                rate = Fraction(0)
            if rate < 0:
                raise ModelError(f"S, row {k} sums to {shown(-rate)}: its exit rate S0 would be negative")
            exit_rates.append(rate)
        # arrows against the direction of time, from each phase to those that may have preceded it
        before = [{a for a in range(len(S)) if a != b and S[a][b] > 0} for b in range(len(S))]
        absorbed = reachable({k for k, rate in enumerate(exit_rates) if rate > 0}, before)
        for k in range(len(S)):
            if k not in absorbed:
                raise ModelError(f"S, row {k + 1}: phase {k + 1} can't reach absorption, so the time may be infinite")
        # The diagonal follows from the rates, as the sums of rows do.
        S = tuple(
            tuple(value if c != k else -(exit_rates[k] + sum(row) - row[k]) for c, value in enumerate(row))
            for k, row in enumerate(S)
        )
        object.__setattr__(self, "_exact", (beta, S, tuple(exit_rates)))
        object.__setattr__(self, "beta", frozen([float(value) for value in beta]))
        object.__setattr__(self, "S", frozen([[float(value) for value in row] for row in S]))
        object.__setattr__(self, "exit", frozen([float(value) for value in exit_rates]))

    @classmethod
    def exponential(cls, rate: float) -> PhaseType:
        """One phase."""
        return cls([1], [[-exact_number(rate, "rate")]])

    @classmethod
    def fit(cls, moments: Sequence[Any]) -> PhaseType:
        """A law with these moments E X, E X^2, E X^3, or the first one or two: a mixture of two Erlang laws with as few
        phases as possible (see `crawlproof.laws.matching`)."""
        from crawlproof.laws.matching import with_moments

        return with_moments(moments)

    @classmethod
    def repaired(cls, beta: Any, S: Any, limit: Any = "0.02") -> Repaired[PhaseType]:
        """The law of matrices that were rounded, and how much was changed; more than `limit` is refused."""
        from crawlproof.laws.repair import phase_type

        return phase_type(beta, S, limit)

    @property
    def phases(self) -> int:
        return len(self.beta)

    def moment(self, order: int) -> float:
        """E[X^order] = order! beta (-S)^-order e, without rounding until the end."""
        if order < 0:
            raise ModelError(f"the order of a moment is {order}; it must not be negative")
        beta, S, _ = self._exact
        vector: Sequence[Fraction] = [Fraction(1)] * len(beta)
        for _ in range(order):
            vector = solve_exactly([[-value for value in row] for row in S], vector)
        return float(math.factorial(order) * sum(b * v for b, v in zip(beta, vector, strict=True)))

    @property
    def mean(self) -> float:
        return self.moment(1)

    @property
    def variance(self) -> float:
        beta, S, _ = self._exact
        negative = [[-value for value in row] for row in S]
        first = solve_exactly(negative, [Fraction(1)] * len(beta))
        second = solve_exactly(negative, first)
        mean = sum(b * v for b, v in zip(beta, first, strict=True))
        return float(2 * sum(b * v for b, v in zip(beta, second, strict=True)) - mean**2)

    @property
    def costly(self) -> bool:
        return self.phases > 2

    def _kappa(self, rate: Array) -> Array:
        return by_blocks(self._kappa_block, rate, self.phases**2)

    def _kappa_block(self, rate: Array) -> Array:
        """1 - h = rate beta (rate I - S)^-1 e and h = beta (rate I - S)^-1 S0."""
        right = np.stack([np.ones((rate.size, self.phases)), np.tile(self.exit, (rate.size, 1))], axis=-1)
        time, h = np.moveaxis(self._from_start(self._resolvent(rate, right)), -1, 0)
        return minus_log(h, rate * time)

    def _excess(self, rate: Array) -> Array:
        return by_blocks(self._excess_block, rate, self.phases**2)

    def _excess_block(self, rate: Array) -> Array:
        """rate E[X] - (1 - h) = rate^2 beta (-S)^-1 (rate I - S)^-1 e."""
        right = np.stack([np.ones((rate.size, self.phases)), np.tile(self.exit, (rate.size, 1))], axis=-1)
        solved = self._resolvent(rate, right)
        time, h = np.moveaxis(self._from_start(solved), -1, 0)
        behind = self._from_start(self._resolvent(np.zeros_like(rate), solved[..., :1]))[..., 0]
        return rate * (rate * behind) - minus_log_excess(h, rate * time)

    def _from_start(self, values: Array) -> Array:
        return (self.beta[:, None] * values).sum(axis=1)

    def _resolvent(self, rate: Array, right: Array) -> Array:
        """(rate I - S)^-1 times non-negative right-hand sides, by elimination without a subtraction.

        The matrix is kept as its rates off the diagonal and its row sums, as Grassmann, Taksar and Heyman do, so that
        every number stays accurate relative to itself.
        """
        n = self.phases
        moves = np.repeat(np.where(np.eye(n), 0.0, self.S)[None], rate.size, axis=0)
        slack = self.exit + rate[:, None]
        right = right.copy()
        diagonal = np.empty((rate.size, n))
        for k in range(n - 1, -1, -1):
            diagonal[:, k] = slack[:, k] + moves[:, k, :k].sum(axis=-1)
            factor = moves[:, :k, k] / diagonal[:, k, None]
            through = factor[:, :, None] * moves[:, None, k, :k]
            through[:, np.arange(k), np.arange(k)] = 0.0
            moves[:, :k, :k] += through
            slack[:, :k] += factor * slack[:, k, None]
            right[:, :k] += factor[:, :, None] * right[:, None, k]
        for k in range(n):
            known = (moves[:, k, :k, None] * right[:, :k]).sum(axis=1)
            right[:, k] = (right[:, k] + known) / diagonal[:, k, None]
        return right

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        """Runs the chain, all samples at a time."""
        count = math.prod(np.atleast_1d(size))
        total_rate = -np.diag(self.S)
        jump = np.cumsum(np.hstack([np.where(np.eye(self.phases), 0.0, self.S), self.exit[:, None]]), axis=1)
        jump /= jump[:, -1:]
        phase = rng.choice(self.phases, size=count, p=self.beta / self.beta.sum())
        time = np.zeros(count)
        alive = np.arange(count)
        while alive.size:
            time[alive] += rng.exponential(1.0, alive.size) / total_rate[phase[alive]]
            phase[alive] = (rng.random(alive.size)[:, None] >= jump[phase[alive]]).sum(axis=1)
            alive = alive[phase[alive] < self.phases]
        return time.reshape(size)

    def scaled(self, speed: float) -> PhaseType:
        """The law of X / speed: every rate multiplied by `speed`."""
        factor = exact_number(speed, "speed")
        if factor <= 0:
            raise ModelError(f"speed is {shown(factor)}; it must be positive")
        beta, S, _ = self._exact
        return PhaseType(beta, [[factor * value for value in row] for row in S])

    def lumped(self) -> PhaseType:
        """The same law with as few phases as lumping gives: phases never reached are dropped, and phases that leave
        and move between lumps at the same rates become one.

        With S e = -c e, all phases become one: the law is exponential, whatever `beta` is.
        """
        beta, S, exit_rates = self._exact
        arrows = [{b for b in range(len(S)) if b != a and S[a][b] > 0} for a in range(len(S))]
        kept = sorted(reachable({k for k, weight in enumerate(beta) if weight > 0}, arrows))
        lump = dict.fromkeys(kept, 0)
        count = 1
        while True:
            # Two phases stay together as long as they can't be told apart by their rates into the present lumps.
            def signature(k: int, lump: dict[int, int] = lump, count: int = count) -> tuple:
                rates = [Fraction(0)] * count
                for c in kept:
                    if lump[c] != lump[k]:
                        rates[lump[c]] += S[k][c]
                return (lump[k], exit_rates[k], *rates)

            signatures = {k: signature(k) for k in kept}
            names: dict[tuple, int] = {}
            lump = {k: names.setdefault(signatures[k], len(names)) for k in kept}
            if len(names) == count:
                break
            count = len(names)
        if count == len(beta):
            return self
        first = {lump[k]: k for k in reversed(kept)}
        weights = [sum((beta[k] for k in kept if lump[k] == a), Fraction(0)) for a in range(count)]
        rows = []
        for a in range(count):
            row = [sum((S[first[a]][k] for k in kept if lump[k] == b), Fraction(0)) for b in range(count)]
            rows.append(row)
        return PhaseType(weights, rows)


    def _derivatives(self, count: int) -> list[Fraction]:
        """Of the survival function at 0: beta S^k e."""
        beta, S, _ = self._exact
        vector: Sequence[Fraction] = [Fraction(1)] * len(beta)
        found = []
        for _ in range(count):
            found.append(sum(b * v for b, v in zip(beta, vector, strict=True)))
            vector = [sum(s * v for s, v in zip(row, vector, strict=True)) for row in S]
        return found

    def _order(self) -> int:
        """The least size of any matrices that give this law."""
        derivatives = self._derivatives(2 * self.phases)
        return rank_exactly([derivatives[k:k + self.phases] for k in range(self.phases)])

    def _two_in_line(self) -> PhaseType:
        """A law of order 2 as a phase with the larger rate, followed or not by one with the smaller.

        The rates are roots of a quadratic: this form is as exact as doubles are.
        """
        one, first, second, third = self._derivatives(4)
        # x^2 + total x + product: the recursion that the derivatives follow.
        total, product = solve_exactly([[first, one], [second, first]], [-second, -third])
        fast = (total + square_root(total**2 - 4 * product)) / 2
        return PhaseType([1, 0], [[-fast, fast + first], [0, -product / fast]])

    def minimal(self) -> PhaseType:
        """The same law in a form with fewer phases, if one is found; else the law itself.

        Phases are lumped. Then the order of the law is found exactly: of order 1 it is exponential, of order 2 it has
        a form with two phases.
        """
        law = self.lumped()
        if law.phases == 1:
            return law
        order = law._order()
        if order == 1:
            return PhaseType.exponential(-law._derivatives(2)[1])
        return law._two_in_line() if order == 2 < law.phases else law

    def forward(self) -> PhaseType:
        """The same law with phases that are passed in one direction, if it has two phases; else the law itself."""
        cyclic = self.phases == 2 and self.S[1, 0] > 0
        return self._two_in_line() if cyclic and self._order() == 2 else self


def square_root(value: Fraction) -> Fraction:
    """With sixty decimals, far more than are kept in the end."""
    scale = 10**60
    return Fraction(math.isqrt(value.numerator * scale**2 // value.denominator), scale)


def rank_exactly(matrix: Sequence[Sequence[Fraction]]) -> int:
    rows, rank = [list(row) for row in matrix], 0
    for column in range(len(rows[0])):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][column] != 0), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for r in range(rank + 1, len(rows)):
            factor = rows[r][column] / rows[rank][column]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[rank], strict=True)]
        rank += 1
    return rank


def solve_exactly(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """Gaussian elimination over the rationals, for the small systems of a law's phases."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    n = len(rows)
    for k in range(n):
        pivot = next(r for r in range(k, n) if rows[r][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for r in range(n):
            if r != k and rows[r][k] != 0:
                factor = rows[r][k] / rows[k][k]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[k], strict=True)]
    return [row[n] / row[k] for k, row in enumerate(rows)]
