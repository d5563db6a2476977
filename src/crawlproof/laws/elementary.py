"""Laws whose transform is elementary: constant, uniform, exponential, gamma, Erlang."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crawlproof.kernels import float64
from crawlproof.laws.base import Array, Law, minus_log, minus_log_excess, number


@dataclass(frozen=True)
class Deterministic(Law):
    """X is the constant ``value`` > 0."""

    gamma_shape: ClassVar[float] = math.inf
    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", number("Deterministic", "value", self.value))

    @property
    def mean(self) -> float:
        return self.value

    def _kappa(self, rate: Array) -> Array:
        return rate * self.value

    def _excess(self, rate: Array) -> Array:
        return np.zeros(rate.shape)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        return np.full(size, self.value)


@dataclass(frozen=True)
class Uniform(Law):
    """X is uniform on [low, high], 0 <= low < high."""

    low: float
    high: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", number("Uniform", "low", self.low, at_least=0.0))
        object.__setattr__(self, "high", number("Uniform", "high", self.high))
        if not self.low < self.high:
            raise ValueError(f"Uniform: low must be below high, got low = {self.low!r}, high = {self.high!r}")

    @property
    def mean(self) -> float:
        return 0.5 * self.low + 0.5 * self.high

    def _kappa(self, rate: Array) -> Array:
        spread = rate * (self.high - self.low)
        # E exp(-rate (X - low)) = phi1(spread), and 1 - phi1 is chi
        return rate * self.low + minus_log(float64.phi1(spread), float64.chi(spread))

    def _excess(self, rate: Array) -> Array:
        spread = rate * (self.high - self.low)
        small, large = np.minimum(spread, 1.0), np.maximum(spread, 1.0)
        # spread/2 - chi(spread) = spread**2 times the integral of (1 - u)**2/2 exp(-u spread) over [0, 1]
        moments = float64.phi1(small) - 2.0 * float64.exp_moment(1, small) + float64.exp_moment(2, small)
        behind = 0.5 * small * small * moments
        low = behind - minus_log_excess(float64.phi1(small), float64.chi(small))
        high = 0.5 * large + np.log(float64.phi1(large))
        return np.where(spread < 1.0, low, high)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        return rng.uniform(self.low, self.high, size)


@dataclass(frozen=True, kw_only=True)
class Exponential(Law):
    """X is exponential with the given mean."""

    gamma_shape: ClassVar[float] = 1.0
    mean: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", number("Exponential", "mean", self.mean))

    def _kappa(self, rate: Array) -> Array:
        return np.log1p(rate * self.mean)

    def _excess(self, rate: Array) -> Array:
        return float64.less_log1p(rate * self.mean)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        return rng.exponential(self.mean, size)


@dataclass(frozen=True, kw_only=True)
class Gamma(Law):
    """X has a gamma law: ``shape`` > 0 (the squared coefficient of variation is 1/shape)."""

    shape: float
    mean: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", number("Gamma", "shape", self.shape))
        object.__setattr__(self, "mean", number("Gamma", "mean", self.mean))

    @property
    def gamma_shape(self) -> float:
        return self.shape

    def _kappa(self, rate: Array) -> Array:
        return self.shape * np.log1p(rate * self.mean / self.shape)

    def _excess(self, rate: Array) -> Array:
        return self.shape * float64.less_log1p(rate * self.mean / self.shape)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        return rng.gamma(self.shape, self.mean / self.shape, size)


@dataclass(frozen=True, kw_only=True)
class Erlang(Law):
    """X is a sum of ``stages`` independent exponentials with equal means."""

    stages: int
    mean: float

    def __post_init__(self) -> None:
        if isinstance(self.stages, bool) or not isinstance(self.stages, int | np.integer) or self.stages < 1:
            raise ValueError(f"Erlang: stages must be an integer >= 1, got {self.stages!r}")
        object.__setattr__(self, "mean", number("Erlang", "mean", self.mean))

    @property
    def gamma_shape(self) -> float:
        return float(self.stages)

    @property
    def _gamma(self) -> Gamma:
        return Gamma(shape=float(self.stages), mean=self.mean)

    def _kappa(self, rate: Array) -> Array:
        return self._gamma._kappa(rate)

    def _excess(self, rate: Array) -> Array:
        return self._gamma._excess(rate)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        return self._gamma.sample(rng, size)
