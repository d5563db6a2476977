"""Any frozen distribution of scipy.stats as an access-time law."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from crawlproof.laws.base import Array, Law, by_blocks, compensated_sum, minus_log
from crawlproof.laws.elementary import Exponential, Gamma, Uniform
from crawlproof.laws.heavy import Lognormal, Pareto
from crawlproof.laws.mixtures import points_excess, points_kappa

# What two resolutions of the quadrature may differ by, relative to the result.
AGREEMENT = 1e-10
# What the quadrature may leave out at either end, relative to the result.
LEFT_OUT = 1e-18
MOST_ATOMS = 10**6
# A panel of the quadrature, in units of ln x, and its nodes on [0, 1].
PANEL = 0.5
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_NODES, _WEIGHTS = 0.5 * (_NODES + 1.0), 0.5 * _WEIGHTS


@dataclass(frozen=True, eq=False, repr=False)
class FromScipy(Law):
    """X has the law of ``frozen``, a frozen distribution of scipy.stats on [0, inf).

    ``expon``, ``uniform``, ``gamma``, ``erlang``, ``lognorm`` and ``pareto`` (shifted or
    not) go to the laws of this package and keep their accuracy; discrete laws are summed.
    Others are integrated from ``pdf`` and ``sf`` on panels in ln x, and a refinement has
    to agree to 1e-10, or a ValueError says so: the result is as good as that, or as the
    distribution's own functions.
    """

    frozen: Any
    shift: float = field(init=False)
    _known: Law | None = field(init=False)
    mean: float = field(init=False)

    def __post_init__(self) -> None:
        missing = [name for name in ("sf", "mean", "support", "rvs") if not hasattr(self.frozen, name)]
        if missing or not hasattr(self.frozen, "dist"):
            raise ValueError(f"FromScipy: needs a frozen distribution of scipy.stats, got {self.frozen!r}")
        least = float(self.frozen.support()[0])
        if not least >= 0:
            raise ValueError(f"FromScipy: an access time can't be negative, but the support begins at {least!r}")
        mean = float(self.frozen.mean())
        if not (math.isfinite(mean) and mean > 0):
            raise ValueError(f"FromScipy: the mean must be finite and > 0, got {mean!r}")
        shift, known = _known_law(self.frozen, least)
        object.__setattr__(self, "shift", shift)
        object.__setattr__(self, "_known", known)
        object.__setattr__(self, "mean", mean if known is None else shift + known.mean)

    def __repr__(self) -> str:
        return f"FromScipy({self.frozen.dist.name}, mean {self.mean:.6g})"

    @property
    def costly(self) -> bool:
        return self._known is None or self._known.costly

    @property
    def stated_ulps(self) -> float:
        return 8 if self._known is not None else AGREEMENT * 2.0**53

    def _kappa(self, rate: Array) -> Array:
        if self._known is not None:
            return rate * self.shift + self._known._kappa(rate)
        if not hasattr(self.frozen, "pdf"):
            return points_kappa(*self._atoms, rate)
        coarse, fine = self._integrated(rate, 1), self._integrated(rate, 2)
        with np.errstate(invalid="ignore"):  # both may be infinite, where E exp(-rate X) underflows
            off = ~(np.abs(coarse - fine) <= AGREEMENT * fine)
        if off.any():
            at = float(rate[off][0])
            raise ValueError(
                f"{self}: the quadrature does not settle at rate = {at!r} "
                f"(two resolutions differ by more than {AGREEMENT:g}); use Empirical with samples of it"
            )
        return fine

    def _excess(self, rate: Array) -> Array:
        if self._known is not None:
            return self._known._excess(rate)
        if not hasattr(self.frozen, "pdf"):
            return points_excess(*self._atoms, rate)
        return super()._excess(rate)

    @cached_property
    def _atoms(self) -> tuple[Array, Array]:
        """Values of a discrete law and their probabilities, without a negligible tail."""
        least = int(self.frozen.support()[0])
        count = 64
        while self.frozen.sf(least + count - 1) > LEFT_OUT:
            count *= 2
            if count > MOST_ATOMS:
                raise ValueError(f"{self}: more than {MOST_ATOMS} values; use Empirical with samples of it")
        values = np.arange(least, least + count)
        chance = np.asarray(self.frozen.pmf(values), dtype=np.float64)
        return values[chance > 0].astype(np.float64), chance[chance > 0]

    def _integrated(self, rate: Array, refinement: int) -> Array:
        s, weight = self._grid(float(rate.max()), refinement)
        above = np.asarray(self.frozen.sf(self.shift + s)) * (weight * s)
        density = np.asarray(self.frozen.pdf(self.shift + s)) * (weight * s)

        def block(rate: Array) -> Array:
            decay = np.exp(-rate[:, None] * s)
            complement = rate * compensated_sum(decay * above)
            return rate * self.shift + minus_log(compensated_sum(decay * density), complement)

        return by_blocks(block, rate, s.size)

    def _grid(self, fastest: float, refinement: int) -> tuple[Array, Array]:
        """Nodes s > 0 and weights of ds/s, from where nothing decays to where nothing is left."""
        scale = self.mean - self.shift
        low = math.log(min(scale, 1.0 / fastest)) + math.log(LEFT_OUT)
        high = math.log(scale)
        width = float(self.frozen.support()[1]) - self.shift
        top = min(math.log(width) if math.isfinite(width) else math.inf, 650.0)
        while high < top and math.exp(high) * float(self.frozen.sf(self.shift + math.exp(high))) > LEFT_OUT * scale:
            high += 1.0
        high = min(high, top)
        count = math.ceil((high - low) / PANEL) * refinement
        panel = (high - low) / count
        v = low + panel * (np.arange(count)[:, None] + _NODES)
        return np.exp(v).ravel(), np.broadcast_to(panel * _WEIGHTS, v.shape).ravel()

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        return np.asarray(self.frozen.rvs(size=size, random_state=rng), dtype=np.float64)


def _known_law(frozen: Any, least: float) -> tuple[float, Law | None]:
    """The law of this package with the same distribution, and what to add to it."""
    name = frozen.dist.name
    try:
        shapes, loc, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
    except (AttributeError, TypeError, ValueError):  # a distribution of another kind
        return least, None
    loc, scale = float(loc), float(scale)
    if name == "expon":
        return loc, Exponential(mean=scale)
    if name == "uniform":
        return 0.0, Uniform(loc, loc + scale)
    if name in ("gamma", "erlang"):
        return loc, Gamma(shape=float(shapes[0]), mean=scale * float(shapes[0]))
    if name == "lognorm" and loc >= 0 and float(shapes[0]) <= 8:
        sigma = float(shapes[0])
        return loc, Lognormal(mean=scale * math.exp(0.5 * sigma * sigma), sigma=sigma)
    if name == "pareto" and loc >= 0:
        b = float(shapes[0])
        return loc, Pareto(shape=b, mean=scale * (b / (b - 1.0)))
    return least, None
