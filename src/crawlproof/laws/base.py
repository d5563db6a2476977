"""What every law of the access time X offers, and the checks that all of them share."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crawlproof.kernels import float64

Array = NDArray[np.float64]

# Terms that are summed for one block of rates: bounds the memory of a sum or an integral.
BLOCK = 2**18
# From so many rates on a costly law is interpolated, with so many coefficients for an octave, found
# from so many points: more of them than needed, so that their roundings cancel.
MANY_RATES = 4096
COEFFICIENTS = 22
POINTS = 88


class Law(ABC):
    """A law of the access time X >= 0, with a positive and finite mean."""

    #: Largest error of ``log_laplace``, in units in the last place, for rates up to 1e6.
    stated_ulps: float = 8

    #: E[X].
    mean: float
    #: For a gamma law its shape (infinite for a constant X): solvers have compiled passes for those.
    gamma_shape: float | None = None
    #: Whether one evaluation takes microseconds: many are then interpolated, within the stated error.
    costly: bool = False

    @abstractmethod
    def _kappa(self, rate: Array) -> Array:
        """-ln E[exp(-rate X)] at positive, finite rates (one axis)."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        """Independent access times."""

    def log_laplace(self, rate: ArrayLike) -> Any:
        """ln E[exp(-rate X)] <= 0 for rates >= 0: a float for a scalar, else an array.

        Accurate relative to its own size, also where it is tiny (slow pages) or where
        E[exp(-rate X)] itself would underflow.
        """
        rates = _rates(type(self).__name__, rate)
        result = np.zeros(rates.shape)
        positive = rates > 0
        if positive.any():
            with np.errstate(over="ignore", under="ignore", divide="ignore"):
                result[positive] = -self._on_many(self._kappa, rates[positive])
        if not np.isfinite(result).all():
            at = float(rates[~np.isfinite(result)].flat[0])
            raise OverflowError(f"{self}: ln E[exp(-rate X)] has no finite float64 value at rate = {at!r}")
        return float(result) if result.ndim == 0 else result

    def relative_excess(self, rate: ArrayLike) -> Any:
        """1 - kappa/(rate E[X]) >= 0, with kappa = -log_laplace(rate); 0 for a constant X.

        Its error is within a few roundings of the larger of itself and kappa, also where
        it is far below the rounding error of kappa/(rate E[X]).
        """
        rates = _rates(type(self).__name__, rate)
        result = np.zeros(rates.shape)
        positive = rates > 0
        if positive.any():
            with np.errstate(over="ignore", under="ignore", divide="ignore"):
                excess = self._on_many(self._excess, rates[positive]) / (rates[positive] * self.mean)
            result[positive] = np.clip(excess, 0.0, 1.0)
        return float(result) if result.ndim == 0 else result

    def _on_many(self, function: Callable[[Array], Array], rate: Array) -> Array:
        if self.costly and rate.size >= MANY_RATES:
            return interpolated(function, rate)
        return function(rate)

    def _excess(self, rate: Array) -> Array:
        """rate E[X] - kappa. Here by subtraction, which is good where kappa is not small."""
        return rate * float64.mean_excess(self.mean, self._kappa(rate), rate)


def _rates(law: str, rate: ArrayLike) -> Array:
    rates = np.asarray(rate, dtype=np.float64)
    bad = ~(np.isfinite(rates) & (rates >= 0))
    if bad.any():
        raise ValueError(f"{law}: a rate must be finite and >= 0, got {float(rates[bad].flat[0])!r}")
    return rates


def number(law: str, name: str, value: Any, *, above: float = 0.0, at_least: float | None = None) -> float:
    """A finite parameter above a bound (or at least at one), as a float."""
    need = f"> {above:g}" if at_least is None else f">= {at_least:g}"
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{law}: {name} must be a number {need}, got {value!r}") from None
    inside = result > above if at_least is None else result >= at_least
    if not (math.isfinite(result) and inside):
        raise ValueError(f"{law}: {name} must be finite and {need}, got {result!r}")
    return result


def numbers(law: str, name: str, values: Any, *, at_least: float | None = None) -> tuple[float, ...]:
    """A sequence of parameters; an error names the position."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ValueError(f"{law}: {name} must be a sequence of numbers, got {values!r}")
    if len(values) == 0:
        raise ValueError(f"{law}: {name} is empty")
    return tuple(number(law, f"{name}[{i}]", v, at_least=at_least) for i, v in enumerate(values))


def chances(law: str, values: Any, count: int) -> tuple[float, ...]:
    """Probabilities, one for each of ``count`` branches, that sum to 1 up to their rounding."""
    found = numbers(law, "probabilities", values, at_least=0.0)
    if len(found) != count:
        raise ValueError(f"{law}: needs {count} probabilities, got {len(found)}")
    if abs(math.fsum(found) - 1.0) > 1e-12:
        raise ValueError(f"{law}: probabilities must sum to 1, got {math.fsum(found)!r}")
    return found


def compensated_sum(terms: Array) -> Array:
    """Sum over the last axis, by halves, with the rounding errors summed up as well."""
    lost = np.zeros(terms.shape[:-1])
    while terms.shape[-1] > 1:
        half = (terms.shape[-1] + 1) // 2
        left, right = terms[..., :half].copy(), terms[..., half:]
        total = left[..., : right.shape[-1]] + right
        part = total - right
        lost += ((left[..., : right.shape[-1]] - part) + (right - (total - part))).sum(axis=-1)
        left[..., : right.shape[-1]] = total
        terms = left
    return terms[..., 0] + lost


def minus_log(h: Array, complement: Array) -> Array:
    """-ln h where both h and 1 - h are given, by whichever is the better conditioned."""
    near_one = complement < 0.5
    return np.where(
        near_one, -np.log1p(-np.where(near_one, complement, 0.0)), -np.log(np.where(near_one, 1.0, h))
    )


def minus_log_excess(h: Array, complement: Array) -> Array:
    """-ln h - (1 - h), without cancellation where 1 - h is small."""
    near = np.minimum(complement, 0.5)
    # with c = 1 - h and u = c/(1 - c): ln(1 + u) - u/(1 + u)
    u = near / (1.0 - near)
    return np.where(
        complement < 0.5, u * near - float64.less_log1p(u), -np.log(np.where(complement < 0.5, 1.0, h)) - complement
    )


def interpolated(function: Callable[[Array], Array], rate: Array) -> Array:
    """``function`` at many positive rates, from its values at a few in each octave that occurs.

    For kappa and for rate E[X] - kappa, which are positive and analytic for positive real parts. Seen
    from the octave [1, 2], 0 is outside of the ellipse with foci 1 and 2 whose half-axes sum up to
    (3 + sqrt(8))/2: a Chebyshev series of n terms is off by about 5.83**-n. What is
    interpolated is the small deviation from a power of the rate, so that its rounding is small as well.
    """
    angles = math.pi * (np.arange(POINTS) + 0.5) / POINTS
    mantissa, exponent = np.frexp(rate)
    octaves, place = np.unique(exponent, return_inverse=True)
    points = 0.75 + 0.25 * np.cos(angles)
    values = function(np.ldexp(points, octaves[:, None]).ravel()).reshape(-1, POINTS)
    with np.errstate(invalid="ignore"):
        power = np.log(values[:, 0] / values[:, -1]) / math.log(points[0] / points[-1])
    power = np.where(np.isfinite(power), power, 0.0)  # all zeros, where an excess underflows
    values = values / points ** power[:, None]
    middle = values[:, POINTS // 2]
    # values at the points to coefficients: a cosine transform
    transform = (2.0 / POINTS) * np.cos(np.outer(np.arange(COEFFICIENTS), angles))
    coefficients = transform @ (values - middle[:, None]).T
    coefficients[0] *= 0.5
    result = np.empty(rate.size)
    for start in range(0, rate.size, BLOCK // 8):
        part = slice(start, start + BLOCK // 8)
        octave, m = place[part], mantissa[part]
        x = (m - 0.75) * 4.0
        last, before = np.zeros_like(x), np.zeros_like(x)
        for row in coefficients[:0:-1]:  # Clenshaw
            last, before = 2.0 * x * last - before + row[octave], last
        deviation = x * last - before + coefficients[0][octave]
        result[part] = (middle[octave] + deviation) * m ** power[octave]
    return result


def by_blocks(function: Any, rate: Array, terms: int) -> Array:
    """``function`` on pieces of ``rate`` small enough that rates times terms fit a block."""
    step = max(1, BLOCK // max(1, terms))
    if rate.size <= step:
        return function(rate)
    return np.concatenate([function(rate[i : i + step]) for i in range(0, rate.size, step)])
