"""Laws without an elementary transform: lognormal and Pareto, by quadrature.

Both integrands are analytic, so that the rules below converge geometrically: their
truncation is below the rounding of the sum, which ``tests/laws`` measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crawlproof.kernels import float64
from crawlproof.laws.base import Array, Law, by_blocks, compensated_sum, minus_log, minus_log_excess, number

# exp(-TAIL) is what an integral may leave out.
TAIL = 42.0


@dataclass(frozen=True, kw_only=True)
class Lognormal(Law):
    """ln X is normal with standard deviation ``sigma`` (0 < sigma <= 8), and E[X] = ``mean``.

    With U standard normal, 1 - E exp(-rate X) = m E phi1(m exp(sigma**2/2 + sigma U)),
    m = rate E[X]. Where that is above 1/2, E exp(-rate X) itself is integrated around the
    saddle point of exp(-z**2/2 - y exp(sigma z)), y = m exp(-sigma**2/2): with
    W exp(W) = sigma**2 y it lies at z = -W/sigma and has the height
    (W**2 + 2 W)/(2 sigma**2), which is taken out of the exponential.
    """

    costly = True
    mean: float
    sigma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", number("Lognormal", "mean", self.mean))
        object.__setattr__(self, "sigma", number("Lognormal", "sigma", self.sigma))
        if self.sigma > 8:
            raise ValueError(f"Lognormal: sigma must be <= 8, got {self.sigma!r}")

    def _exp_half_variance(self, sign: float) -> float:
        """exp(sign*sigma**2/2) to one ulp: the rounding error of the square is put back."""
        square = self.sigma * self.sigma
        head = self.sigma * (2.0**27 + 1)
        head = head - (head - self.sigma)
        rest = self.sigma - head
        lost = ((head * head - square) + 2 * head * rest) + rest * rest
        value = math.exp(sign * 0.5 * square)
        return value + value * (sign * 0.5 * lost)

    def _kappa(self, rate: Array) -> Array:
        load = rate * self.mean
        complement = by_blocks(self._complement, load, self._nodes.size)
        kappa = minus_log(np.ones_like(complement), complement)
        large = complement >= 0.5
        if large.any():
            kappa[large] = by_blocks(self._far, load[large], 4 * self._nodes.size)
        return kappa

    def _step(self, width: Array | float) -> Array | float:
        """Trapezoidal step for exp(-(1 + width) z**2/2) times a function of y exp(sigma z).

        The latter is tame for |Im z| = b up to pi/(2 sigma), where the former has grown
        by exp((1 + width) b**2/2); the rule is off by about that times exp(-2 pi b/step).
        """
        b = np.minimum(np.sqrt(2 * TAIL / (1.0 + width)), 0.5 * math.pi / self.sigma)
        return 2 * math.pi * b / (TAIL + 0.5 * (1.0 + width) * b * b)

    @property
    def _nodes(self) -> Array:
        """The top of the integrand with phi1 is between U = -sigma and 0, with chi between 0 and sigma."""
        step = float(self._step(0.0))
        count = math.ceil((math.sqrt(2 * TAIL) + self.sigma) / step)
        return np.arange(-count, count + 1) * step

    def _tilted(self, kernel: Callable[[Array], Array], load: Array) -> Array:
        """E kernel(load exp(sigma**2/2 + sigma U))."""
        u = self._nodes
        weights = np.exp(-0.5 * u * u) * (self._step(0.0) / math.sqrt(2 * math.pi))
        argument = (load * self._exp_half_variance(1.0))[:, None] * np.exp(self.sigma * u)
        return compensated_sum(weights * kernel(argument))

    def _complement(self, load: Array) -> Array:
        return load * self._tilted(float64.phi1, load)

    def _excess(self, rate: Array) -> Array:
        load = rate * self.mean
        behind = load * by_blocks(lambda part: self._tilted(float64.chi, part), load, self._nodes.size)
        complement = by_blocks(self._complement, load, self._nodes.size)
        excess = behind - minus_log_excess(np.ones_like(complement), complement)
        large = complement >= 0.5
        if large.any():
            excess[large] = load[large] - self._kappa(rate[large])
        return excess

    def _far(self, load: Array) -> Array:
        variance = self.sigma * self.sigma
        w = _product_log(variance * (load * self._exp_half_variance(-1.0)))
        step = self._step(w)
        count = math.ceil(math.sqrt(2 * TAIL) / float(np.min(step)))
        z = np.arange(-count, count + 1) * step[:, None]
        shift = self.sigma * z
        exponent = 0.5 * z * z + (w / variance)[:, None] * (np.expm1(shift) - shift)
        area = compensated_sum(np.exp(-exponent)) * (step / math.sqrt(2 * math.pi))
        return 0.5 * w * (w + 2.0) / variance - np.log(area)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        return self.mean * np.exp(self.sigma * rng.standard_normal(size) - 0.5 * self.sigma**2)


def _product_log(y: Array) -> Array:
    """The w > 0 with w exp(w) = y > 0, by Newton's method for w + ln w - ln y."""
    w = np.where(y < 1.0, y / (1.0 + y), np.log1p(y) * (1.0 - np.log1p(np.log1p(y)) / (2.0 + np.log1p(y))))
    for _ in range(4):
        # where w is small w*exp(w) - y, else its logarithm: each is linear there
        small = w < 0.5
        calm = np.minimum(w, 0.5)
        below = (calm * np.exp(calm) - np.minimum(y, 1.0)) / (np.exp(calm) * (1.0 + calm))
        busy = np.maximum(w, 0.5)
        above = (busy + np.log(busy / np.maximum(y, 0.5))) * busy / (1.0 + busy)
        w = w - np.where(small, below, above)
    return w


# Nodes and weights on [0, 1] of one panel.
_NODES, _WEIGHTS = (0.5 * (a + b) for a, b in zip(np.polynomial.legendre.leggauss(16), (1.0, 0.0), strict=True))
PANELS = 32


@dataclass(frozen=True, kw_only=True)
class Pareto(Law):
    """P(X > x) = (x_0/x)**shape for x >= x_0, shape > 1, with x_0 such that E[X] = ``mean``.

    With y = rate x_0 and F(b) the integral of exp(-b v - y (exp(v) - 1)) over v > 0,
    E exp(-rate (X - x_0)) = shape F(shape) = 1 - y F(shape - 1).
    """

    costly = True
    shape: float
    mean: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", number("Pareto", "shape", self.shape, above=1.0))
        object.__setattr__(self, "mean", number("Pareto", "mean", self.mean))

    @property
    def minimum(self) -> float:
        """x_0, the smallest access time."""
        return self.mean * ((self.shape - 1.0) / self.shape)

    def _kappa(self, rate: Array) -> Array:
        y = rate * self.minimum
        complement = y * self._integral(self.shape - 1.0, y)
        kappa = minus_log(np.ones_like(y), complement)
        large = complement >= 0.5
        if large.any():
            kappa[large] = -np.log(self.shape * self._integral(self.shape, y[large]))
        return y + kappa

    def _excess(self, rate: Array) -> Array:
        y = rate * self.minimum
        complement = y * self._integral(self.shape - 1.0, y)
        behind = y * self._integral(self.shape - 1.0, y, lacking=True)
        excess = behind - minus_log_excess(np.ones_like(y), complement)
        large = complement >= 0.5
        if large.any():
            excess[large] = rate[large] * self.mean - self._kappa(rate[large])
        return excess

    def _integral(self, b: float, y: Array, *, lacking: bool = False) -> Array:
        return by_blocks(lambda part: _pareto_integral(b, part, lacking), y, PANELS * _NODES.size)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        return self.minimum * np.exp(rng.exponential(1.0 / self.shape, size))


def _pareto_integral(b: float, y: Array, lacking: bool) -> Array:
    """The integral of exp(-b v) w over v > 0, w = exp(-y (exp(v) - 1)), or 1 - w for what is ``lacking``."""
    log_y = np.log(y)
    no_more = np.where(y < 1.0, math.log(TAIL + 1.0) - log_y, np.log1p(TAIL / np.maximum(y, 1.0)))
    # The rest may also be small by exp(-b v) alone; 1 - w takes one power of exp(v) from that.
    decay = max(b - 1.0, TAIL / 800) if lacking else b
    end = np.minimum(no_more, TAIL / decay)
    # Up to here y (exp(v) - 1) is less than a rounding, and the integral is elementary.
    start = np.clip(-56 * math.log(2.0) - log_y, 0.0, end)
    panel = (end - start) / PANELS
    v = start[:, None, None] + panel[:, None, None] * (np.arange(PANELS)[:, None] + _NODES)
    # exp(v) may overflow where its product with a tiny y does not
    tiny = y < 2.0**-64
    grown = np.empty_like(v)
    grown[tiny] = np.exp(v[tiny] + log_y[tiny, None, None]) - y[tiny, None, None]
    grown[~tiny] = y[~tiny, None, None] * np.expm1(v[~tiny])
    if lacking:
        terms = np.exp(-b * v) * -np.expm1(-grown)
        # exp((1 - b) v) - exp(-b v) up to the start, and all of exp(-b v) from the end on
        grows = max(1.0 - b, 0.0)
        first = y * np.exp(grows * start) * start * float64.phi1(abs(1.0 - b) * start)
        beyond = np.where(end < no_more, 0.0, np.exp(-b * end) / b)
        around = first - y * start * float64.phi1(b * start) + beyond
    else:
        terms = np.exp(-b * v - grown)
        around = start * float64.phi1(b * start)
    return around + panel * compensated_sum((terms * _WEIGHTS).reshape(len(y), -1))
