"""Finite mixtures: of exponentials, of points, of measured access times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crawlproof.kernels import float64
from crawlproof.laws.base import Array, Law, by_blocks, chances, compensated_sum, minus_log, minus_log_excess, numbers


@dataclass(frozen=True)
class Hyperexponential(Law):
    """X is exponential with rate ``rates[i]`` with probability ``probabilities[i]``.

    Probabilities are divided by their sum, which may miss 1 by rounding.
    """

    probabilities: tuple[float, ...]
    rates: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rates", numbers("Hyperexponential", "rates", self.rates))
        object.__setattr__(
            self, "probabilities", chances("Hyperexponential", self.probabilities, len(self.rates))
        )

    @property
    def mean(self) -> float:
        parts = [p / r for p, r in zip(self.probabilities, self.rates, strict=True)]
        return math.fsum(parts) / math.fsum(self.probabilities)

    def _kappa(self, rate: Array) -> Array:
        p = np.array(self.probabilities)
        service = np.array(self.rates)
        total = math.fsum(self.probabilities)

        def block(rate: Array) -> Array:
            rate = rate[:, None]
            both = service + rate
            h = compensated_sum(p * (service / both)) / total
            return minus_log(h, compensated_sum(p * (rate / both)) / total)

        return by_blocks(block, rate, len(p))

    def _excess(self, rate: Array) -> Array:
        p = np.array(self.probabilities)
        service = np.array(self.rates)
        total = math.fsum(self.probabilities)

        def block(rate: Array) -> Array:
            relative = rate[:, None] / service
            complement = compensated_sum(p * (relative / (1.0 + relative))) / total
            # r/s - r/(s + r), summed
            behind = compensated_sum(p * (relative * (relative / (1.0 + relative)))) / total
            h = compensated_sum(p / (1.0 + relative)) / total
            return behind - minus_log_excess(h, complement)

        return by_blocks(block, rate, len(p))

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        p = np.array(self.probabilities)
        branch = rng.choice(len(p), size=size, p=p / p.sum())
        return rng.exponential(1.0, size) / np.array(self.rates)[branch]


def points_kappa(values: Array, weights: Array, rate: Array) -> Array:
    """-ln of sum of weights*exp(-rate*values)/sum of weights."""
    least = values.min()
    shifted = values - least  # so that the largest term is exp(0)
    total = math.fsum(weights)

    def block(rate: Array) -> Array:
        exponent = rate[:, None] * shifted
        complement = compensated_sum(weights * -np.expm1(-exponent)) / total
        h = compensated_sum(weights * np.exp(-exponent)) / total
        return rate * least + minus_log(h, complement)

    return by_blocks(block, rate, len(values))


def points_excess(values: Array, weights: Array, rate: Array) -> Array:
    """rate*mean - kappa for the same law; a common shift cancels."""
    shifted = values - values.min()
    total = math.fsum(weights)

    def block(rate: Array) -> Array:
        exponent = rate[:, None] * shifted
        complement = compensated_sum(weights * -np.expm1(-exponent)) / total
        behind = compensated_sum(weights * float64.psi(exponent)) / total
        h = compensated_sum(weights * np.exp(-exponent)) / total
        return behind - minus_log_excess(h, complement)

    return by_blocks(block, rate, len(values))


@dataclass(frozen=True)
class TwoPoint(Law):
    """X is ``values[0]`` or ``values[1]`` (>= 0, not both 0), with the given probabilities."""

    values: tuple[float, float]
    probabilities: tuple[float, float]

    def __post_init__(self) -> None:
        values = numbers("TwoPoint", "values", self.values, at_least=0.0)
        if len(values) != 2:
            raise ValueError(f"TwoPoint: needs 2 values, got {len(values)}")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "probabilities", chances("TwoPoint", self.probabilities, 2))
        if not self.mean > 0:
            raise ValueError(
                f"TwoPoint: the mean must be > 0, got values {self.values}, probabilities {self.probabilities}"
            )

    @property
    def mean(self) -> float:
        parts = [p * v for p, v in zip(self.probabilities, self.values, strict=True)]
        return math.fsum(parts) / math.fsum(self.probabilities)

    def _kappa(self, rate: Array) -> Array:
        return points_kappa(*self._points, rate)

    def _excess(self, rate: Array) -> Array:
        return points_excess(*self._points, rate)

    @property
    def _points(self) -> tuple[Array, Array]:
        possible = [i for i in (0, 1) if self.probabilities[i] > 0]
        return np.array(self.values)[possible], np.array(self.probabilities)[possible]

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        first = self.probabilities[0] / math.fsum(self.probabilities)
        return np.where(rng.random(size) < first, *self.values)


@dataclass(frozen=True, repr=False, eq=False)
class Empirical(Law):
    """X is drawn from measured access times, each equally likely.

    One evaluation costs one exponential per distinct sample.
    """

    costly = True
    samples: Array

    def __post_init__(self) -> None:
        samples = np.array(self.samples, dtype=np.float64).ravel()
        if samples.size == 0:
            raise ValueError("Empirical: samples is empty")
        bad = ~(np.isfinite(samples) & (samples >= 0))
        if bad.any():
            at = int(np.argmax(bad))
            raise ValueError(f"Empirical: samples[{at}] must be finite and >= 0, got {float(samples[at])!r}")
        if not samples.any():
            raise ValueError("Empirical: at least one sample must be > 0, got only zeros")
        samples.setflags(write=False)
        object.__setattr__(self, "samples", samples)

    def __repr__(self) -> str:
        return f"Empirical({self.samples.size} samples, mean {self.mean:.6g})"

    @property
    def mean(self) -> float:
        return math.fsum(self.samples) / self.samples.size

    def _kappa(self, rate: Array) -> Array:
        return points_kappa(*self._points, rate)

    def _excess(self, rate: Array) -> Array:
        return points_excess(*self._points, rate)

    @cached_property
    def _points(self) -> tuple[Array, Array]:
        values, counts = np.unique(self.samples, return_counts=True)
        return values, counts.astype(np.float64)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        return rng.choice(self.samples, size=size)
