"""The optimal access frequencies (7) and their randomized counterpart, with a certificate.

Minimise the sum over pages of weight times obsolescence, over frequencies x >= 0 that sum
to 1. Where weights are proportional to change rates, (10) and (16) are the answer. Else a page
has a demand at each price (``crawlproof.schedule.pages``), total demand falls strictly in
the price, and the price at which it is 1 is found by a safeguarded Newton iteration: for
many pages from the price that a histogram of them would pay.

The certificate is the dual function at the price found. It is a lower bound for every
feasible plan whatever the price is, it does not use the frequencies, and it is
compared to the cost of the frequencies as returned.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crawlproof.kernels.float64 import SHAPE_BEGIN, SHAPE_END, chi, phi1, price_at_age
from crawlproof.laws import Law
from crawlproof.schedule import pages
from crawlproof.schedule.inputs import access_time_law, numbers
from crawlproof.schedule.mixture import Posteriors

Array = NDArray[np.float64]

POLICIES = ("spaced", "randomized")
# Total demand this close to 1 is scaled to 1: that costs the square of it.
BALANCED = 1e-9
# Roundings in units of 2**-53 that the two sides of a gap may carry, relative to their terms:
# an age within 4 ulp moves a value by no more than that (NUM-dual-age), a kernel has 2 ulp,
# there are a handful of products, and a sum is good to 40 in the worst case.
ROUNDING = 128 * 2.0**-53
# The same for a price that only a certificate has to confirm.
NEARLY = 1e-6
GOOD_ENOUGH = 5e-13
# A page whose first access has no bound to its worth is looked at from this frequency on.
NEXT_TO_NOTHING = 1e-30
# Pages for each bin of a histogram: next to the price at which it is dropped, the demand of a spaced
# page is steep (one over a logarithm), and wants finer bins.
PER_BIN = {"spaced": 16, "randomized": 64}
# From so many pages on, compiled passes over all cores; below, numpy is at once at work.
MANY = 5_000
MANY_FOR_THREADS = 200_000
# Pages that a core works on at a time, in numpy.
PART = 2**16
# A total of kappa from which on sums of that size may be subtracted: the cost is not much smaller.
SUBTRACTS = 0.25
# Weights this close to a multiple of the change rates are proportional to them.
PROPORTIONAL = 2.0**-50


@dataclass(frozen=True, eq=False)
class Plan:
    """How often to access each page, and how far from optimal that can be at most."""

    #: share of all accesses that each page gets; they sum to 1, or to less where bounds and caps leave the robot idle
    frequency: Array
    #: lambda, what one more unit of frequency would save (to six digits at least)
    multiplier: float
    #: sum of weight times obsolescence
    cost: float
    #: certified: no plan costs less than cost - gap (rounding errors are included)
    gap: float
    policy: str
    _marginal: Callable[[Array], Array] = field(repr=False)
    #: with caps: what a larger share for each host would save, beyond the multiplier
    host_price: Array | None = None
    #: variance of the cost and the most that it can be, where rates are known up to a law
    _variance: Callable[[Array], tuple[float, float]] | None = field(default=None, repr=False)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Where the cost will be, given what is not known about the rates; the cost twice where they are known.

        If the posteriors of the pages are right and independent of each other: of the gamma law with the
        mean and variance of the cost, which for many pages is the normal law. A doubt that all pages share (is the prior
        right, has the Web become faster?) is not in it.
        """
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
        variance, most = self._uncertainty
        if variance == 0.0 or self.cost == 0.0:
            return self.cost, self.cost
        from scipy.special import gammaincinv

        shape = self.cost**2 / variance
        low, high = (float(gammaincinv(shape, end)) * variance / self.cost for end in ((1 - confidence) / 2, (1 + confidence) / 2))
        return low, min(high, most)

    @cached_property
    def _uncertainty(self) -> tuple[float, float]:
        return (0.0, self.cost) if self._variance is None else self._variance(self.frequency)

    @property
    def dropped(self) -> NDArray[np.bool_]:
        """Pages that are never accessed: their first access is worth less than the multiplier."""
        return self.frequency == 0

    @cached_property
    def price(self) -> Array:
        """What one more unit of frequency of a page would save: the multiplier, or less for a dropped page."""
        return self._marginal(self.frequency)


def frequencies(
    change_rate: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    access_time: Any,
    shape: ArrayLike | None = None,
    policy: str = "spaced",
    min_interval: ArrayLike | None = None,
    max_interval: ArrayLike | None = None,
    host: ArrayLike | None = None,
    host_cap: ArrayLike | None = None,
) -> Plan:
    """The frequencies that keep the pages as fresh as one robot can.

    Arguments:
        change_rate: changes of each page per unit of time, >= 0; a page that never changes
            is never out of date, costs nothing and gets no access
        weight: cost of each page being out of date, per unit of time, >= 0; by default its
            change rate; a page of weight 0 gets no access
        access_time: law of the duration of an access, see ``crawlproof.laws``
        shape: how much is known about each page's rate, for all pages or for each, > 0: the rate is gamma distributed
            with mean ``change_rate`` and variance ``change_rate**2/shape``, as ``estimate_rates`` finds it. Then the
            expected cost is as low as it can be. Infinite for a known rate. A page of shape 1 or less is never dropped:
            it may hardly change at all, and a first access to such a page is worth any price. Without weights, its change
            rate is a page's weight as before, whatever it is
        policy: ``spaced`` for accesses that are spread evenly, where the cost is the lower bound
            of Theorem 3.3; ``randomized`` for pages drawn independently, where it is exact
        min_interval, max_interval: bounds on the mean time between two accesses of a page,
            for all pages or for each; 0 and infinity for none
        host: an integer >= 0 for each page
        host_cap: the largest share of all accesses for the pages of each host, or one for all

    The budget is a ceiling: bounds and caps may leave a part of it that no page can use. With them the multiplier is
    that of the budget alone.
    """
    law = access_time_law(access_time)
    if not isinstance(law, Law):
        raise ValueError(f"access_time must be a crawlproof.laws.Law, got {law!r}")
    if policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}, got {policy!r}")
    rates, resting = _checked("change_rate", change_rate)
    if resting == rates.size:
        raise ValueError("all change rates are 0: there is nothing to schedule")
    weights, weightless = (None, resting) if weight is None else _checked("weight", weight, rates.size)
    if weights is not None and resting + weightless >= rates.size and not ((rates > 0) & (weights > 0)).any():
        raise ValueError("no page has both a weight and a change rate > 0: there is nothing to schedule")
    shapes = None if shape is None else _shapes(shape, rates.size)
    limited = any(option is not None for option in (min_interval, max_interval, host, host_cap))
    if shapes is None and not limited and (weights is None or _proportional(weights, rates)):
        return _closed_form(rates, weights, law, policy)
    if shapes is not None:
        problem = _uncertain_problem(rates, weights, shapes, law, policy)
    else:
        problem = _problem(rates, rates if weights is None else weights, law, policy, some_idle=bool(resting or weightless))
    if limited:
        from crawlproof.schedule.limits import limited_plan

        plan = limited_plan(problem, law.mean, min_interval, max_interval, host, host_cap)
    else:
        plan = _general(problem)
    return plan if shapes is None else replace(plan, _variance=_variance_of(rates, weights, shapes, law, policy))


def _shapes(shape: ArrayLike, size: int) -> Array | None:
    """One for each page, all > 0; None if all rates are known."""
    try:
        array = np.asarray(shape, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"shape must be numbers, got {shape!r}") from None
    if array.ndim > 1 or (array.ndim == 1 and array.size != size):
        raise ValueError(f"shape must be one number or {size}, one for each page, got shape {array.shape}")
    bad = ~(array > 0)
    if bad.any():
        at = f"[{int(np.flatnonzero(bad)[0])}]" if array.ndim else ""
        raise ValueError(f"shape{at} must be > 0, got {float(array[bad].flat[0])!r}")
    return None if np.isinf(array).all() else np.broadcast_to(array, (size,))


def _checked(name: str, values: ArrayLike, size: int | None = None) -> tuple[Array, int]:
    """Finite numbers >= 0, and how many of them are 0."""
    array = np.asarray(values)
    if array.dtype != np.float64 or array.ndim != 1 or array.size < MANY or not array.flags.c_contiguous:
        array = numbers(name, values, size=size)
        return array, int(np.count_nonzero(array == 0))
    counted = _in_threads(lambda part: passes().count_bad(array[part]), _shares(array.size))
    if (size is not None and array.size != size) or any(bad for bad, _ in counted):
        numbers(name, values, size=size)  # says what is wrong
    return array, sum(zeros for _, zeros in counted)


def _proportional(weight: Array, rate: Array) -> bool:
    """Whether weight/rate is the same for all pages up to rounding; a look at a few decides most cases."""
    for part in (slice(0, 64), slice(None)):
        first = int(np.argmax(rate[part]))
        if rate[first] > 0:
            ratio = weight[first] / rate[first]
            if not np.all(np.abs(weight[part] - ratio * rate[part]) <= PROPORTIONAL * weight[part]):
                return False
    return True


# Closed forms


class Sides(NamedTuple):
    """The two sides of a certificate for proportional weights, at worth 1."""

    price: float
    #: what the frequencies leave stale
    stale: float
    #: the value of all pages at the price, less the price
    dual: float


def _closed_form(rate: Array, weight: Array | None, law: Law, policy: str) -> Plan:
    """(10): frequencies proportional to kappa; (16): to b = 1/h - 1."""
    # All worths are the same, c_0/E[X].
    worth = (1.0 if weight is None else float(weight.max() / rate.max())) / law.mean
    frequency, constant, sides = _closed_form_of_many(rate, law, policy) or _closed_form_of_any(rate, law, policy)
    price, stale, dual = (worth * side for side in sides)
    return Plan(
        frequency, price, worth * constant + stale, _gap(stale, dual, price), policy,
        lambda x: np.where(x > 0, price, 0.0),
    )


def _closed_form_of_any(rate: Array, law: Law, policy: str) -> tuple[Array, float, Sides]:
    """Frequencies, the sum of mu E[X] - kappa, and the certificate."""
    kappa = np.abs(_of_law(law, law.log_laplace, rate))
    total = float(kappa.sum())
    if total > SUBTRACTS:
        constant = max(float(rate.sum()) * law.mean - total, 0.0)
    else:
        constant = float((rate * _of_law(law, law.relative_excess, rate)).sum()) * law.mean
    if policy == "spaced":
        return pages.optimal_frequency(kappa, total), constant, _spaced_sides(total)
    highest = float(kappa.max())
    if highest > pages.KAPPA_END:  # b would overflow: in units of exp(highest)
        b = np.exp(kappa - highest) * -np.expm1(-kappa)
        return pages.optimal_frequency(b, float(b.sum())), constant, Sides(1.0, total - 1.0, total - 1.0)
    b = np.expm1(kappa)
    sides = _randomized_sides(float(b.sum()), total) if total > SUBTRACTS else _small_randomized_sides(kappa, b)
    return pages.optimal_frequency(b, float(b.sum())), constant, sides


def _closed_form_of_many(rate: Array, law: Law, policy: str) -> tuple[Array, float, Sides] | None:
    """The same in two passes over the rates alone, where sums may be subtracted."""
    if law.gamma_shape is None or rate.size < MANY:
        return None
    shape, mean, frequency = law.gamma_shape, law.mean, np.empty(rate.size)
    parts = _shares(rate.size)
    found = _in_threads(lambda part: passes().gamma_sums(rate[part], shape, mean), parts)
    rates, total = (math.fsum(column) for column in zip(*found, strict=True))
    if total <= SUBTRACTS:
        return None
    constant = max(rates * mean - total, 0.0)
    if policy == "spaced":
        _in_threads(lambda part: passes().gamma_shares(rate[part], shape, mean, total, frequency[part]), parts)
        return frequency, constant, _spaced_sides(total)
    growth = math.fsum(
        _in_threads(lambda part: passes().gamma_growth(rate[part], shape, mean, frequency[part]), parts)
    )
    if growth >= math.exp(pages.KAPPA_END):  # some page was cut off
        return None
    _in_threads(lambda part: passes().divide(frequency[part], growth), parts)
    return frequency, constant, _randomized_sides(growth, total)


def _spaced_sides(total: float) -> Sides:
    """All pages have the age Q, the sum of kappa."""
    price = price_at_age(total)
    return Sides(price, total * chi(total), total * (total * phi1(total)) - price)


def _randomized_sides(growth: float, total: float) -> Sides:
    """With B the sum of b: all pages have the level B/(1 + B)."""
    rest = 1.0 / (1.0 + growth)
    level = growth * rest
    return Sides(level * level, total - level, total - level * rest - level * level)


def _small_randomized_sides(kappa: Array, b: Array) -> Sides:
    """The same where changes are rare and those differences would cancel.

    Q - B/(1 + B) = (Q B - (B - Q))/(1 + B) with B - Q summed from its parts exp(kappa) - 1 - kappa;
    the values page by page.
    """
    total, growth = float(kappa.sum()), float(b.sum())
    rest = 1.0 / (1.0 + growth)
    price = (growth * rest) ** 2
    behind = float((np.exp(kappa) * price_at_age(kappa)).sum())
    _, value = pages.randomized_offer(1.0, kappa[kappa > 0], price)
    return Sides(price, (total * growth - behind) * rest, float(value.sum()) - price)


# General weights


@dataclass(frozen=True, eq=False)
class Family:
    """Consecutive pages of a problem for which the same formulas are compiled."""

    name: str
    pages: slice


@dataclass(frozen=True, eq=False)
class Problem:
    """The pages that matter, in units in which the largest weight is between 1 and 2."""

    policy: str
    #: worth, kappa, and for rates that are not known the shape of what is known
    page: tuple[Array, ...]
    #: sum over all pages of what no frequency can save
    constant: float
    #: factor by which weights were divided, a power of two
    unit: float
    #: which pages of the input these are, in this order; None for all
    kept: NDArray[np.intp] | None
    size: int
    #: with shapes: how many of the pages, which come first, have one of at least 1
    wide: int = 0

    @property
    def worth(self) -> Array:
        return self.page[0]

    @property
    def kappa(self) -> Array:
        return self.page[1]

    @property
    def count(self) -> int:
        return len(self.page[0])

    @property
    def model(self) -> str:
        """Whose formulas hold for a page."""
        return self.policy if len(self.page) == 2 else "gamma"

    def families(self) -> list[Family]:
        """Parts for the cores, each of pages with the same compiled formulas."""
        if len(self.page) == 2:
            return [Family(self.policy, part) for part in _shares(self.count)]
        halves = (("wide", 0, self.wide), ("narrow", self.wide, self.count - self.wide))
        return [
            Family(name, slice(first + part.start, first + part.stop))
            for name, first, count in halves if count for part in _shares(count)
        ]

    def each(self, part: slice) -> tuple[Array, ...]:
        return tuple(values[part] for values in self.page)

    @cached_property
    def ceiling(self) -> Array:
        """For each page a price from which on it buys nothing, or next to nothing."""
        if len(self.page) == 2:
            return self.worth
        worth, kappa, shape = self.page
        with np.errstate(divide="ignore", over="ignore"):
            # worth times gamma_price, which is at most its age kappa/frequency
            return worth * np.minimum(np.where(shape > 1, shape / np.maximum(shape - 1, 0), np.inf), kappa / NEXT_TO_NOTHING)

    @cached_property
    def top(self) -> float:
        """The price from which on nobody buys."""
        ceiling = self.ceiling
        top = max(_in_threads(lambda part: float(ceiling[part].max()), _shares(self.count)))
        if not math.isfinite(top):
            at = int(np.argmax(ceiling))
            page = at if self.kept is None else int(self.kept[at])
            raise ValueError(f"change_rate[{page}] is too small: weight over changes per access is no float64 number")
        return top

    def plan(self, frequency: Array, price: float, stale: float, gap: float) -> Plan:
        """The plan for all pages of the input."""
        return Plan(
            self.spread(frequency), price * self.unit, (self.constant + stale) * self.unit, gap * self.unit,
            self.policy, self._marginal,
        )

    def spread(self, values: Array) -> Array:
        if self.kept is None:
            return values
        result = np.zeros(self.size)
        result[self.kept] = values
        return result

    def _marginal(self, frequency: Array) -> Array:
        if self.kept is not None:
            frequency = frequency[self.kept]
        marginal = pages.MARGINAL[self.model]
        values = _map(lambda part: marginal(*self.each(part), frequency[part]), self.count)
        return self.spread(values) * self.unit

    def demand(self, price: Array | float) -> Array:
        """Frequency of each page at a price for all, or for each."""
        each = np.full(self.count, price)
        if self.count >= MANY:
            frequency, compiled = np.empty(self.count), passes().EACH

            def work(family: Family) -> None:
                part = family.pages
                compiled[family.name](self.each(part), each[part], frequency[part])

            _in_threads(work, self.families())
            return frequency
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # far below the price that is looked for
            return pages.DEMAND[self.model](*self.page, each)

    def value(self, price: float) -> Array:
        """Each page's part of the dual function."""
        offer = pages.OFFER[self.model]
        return _map(lambda part: offer(*self.each(part), price)[1], self.count)

    def stale(self, frequency: Array) -> Array:
        stale = pages.STALE[self.model]
        return _map(lambda part: stale(*self.each(part), frequency[part]), self.count)


def _problem(rate: Array, weight: Array, law: Law, policy: str, *, some_idle: bool) -> Problem:
    heaviest = max(_in_threads(lambda part: float(weight[part].max()), _shares(weight.size)))
    unit = 2.0 ** max(math.floor(math.log2(heaviest)), -1000)
    kept = None
    size = rate.size
    if some_idle:
        kept = np.flatnonzero((rate > 0) & (weight > 0))
        rate, weight = rate[kept], weight[kept]
    shape = law.gamma_shape
    if shape is not None and rate.size >= MANY:
        worth, kappa = np.empty(rate.size), np.empty(rate.size)

        def work(part: slice) -> float:
            return passes().gamma_pages(rate[part], weight[part], 1.0 / unit, shape, law.mean, worth[part], kappa[part])

        constant = math.fsum(_in_threads(work, _shares(rate.size)))
    else:
        kappa = np.abs(_of_law(law, law.log_laplace, rate))
        worth = _map(lambda part: _worth(rate[part], weight[part] / unit, law.mean), rate.size)
        constant = float((weight / unit * _of_law(law, law.relative_excess, rate)).sum())
    return Problem(policy, (worth, kappa), constant, unit, kept, size)


def _uncertain_problem(rate: Array, weight: Array | None, shape: Array, law: Law, policy: str) -> Problem:
    """The pages by shape: those of at least 1 first."""
    costs = rate if weight is None else weight
    kept = (rate > 0) & (costs > 0)
    kept, wide = np.concatenate([np.flatnonzero(kept & (shape >= 1)), np.flatnonzero(kept & ~(shape >= 1))]), int(np.count_nonzero(kept & (shape >= 1)))
    unit = 2.0 ** max(math.floor(math.log2(float(costs.max()))), -1000)
    mean, costs, known = rate[kept], costs[kept] / unit, shape[kept]
    if weight is None:  # weighted by itself, a gamma rate has one more of shape (RATES-weighted-by-itself)
        mean, known = mean * (1 + 1 / known), known + 1
        wide = kept.size
    known = np.clip(known, SHAPE_BEGIN, SHAPE_END)
    page = (_worth(mean, costs, law.mean), mean * law.mean, known)
    if policy == "spaced" and law.gamma_shape == math.inf:
        return Problem(policy, page, 0.0, unit, kept, rate.size, wide)
    return MixtureProblem(policy, page, 0.0, unit, kept, rate.size, wide, Posteriors(mean, known, law, policy))


def _variance_of(
    rate: Array, weight: Array | None, shape: Array, law: Law, policy: str
) -> Callable[[Array], tuple[float, float]]:
    def variance(frequency: Array) -> tuple[float, float]:
        _, found = Posteriors(rate, np.minimum(shape, SHAPE_END), law, policy).stale(weight, frequency)
        return float(found.sum()), math.inf if weight is None else float(weight[rate > 0].sum())

    return variance


@dataclass(frozen=True, eq=False)
class MixtureProblem(Problem):
    """The same where expectations over what is not known have no closed form."""

    posteriors: Posteriors = None  # type: ignore[assignment]

    def _solved(self, price: Array | float) -> tuple[Array, Array]:
        """Demand at a price, and its derivative; the search starts where the one before it has ended."""
        worth, kappa, shape = self.page
        each = np.broadcast_to(np.asarray(price, dtype=np.float64), worth.shape)
        # from the demand that a constant access time would have
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            frequency = np.maximum(pages.DEMAND["gamma"](worth, kappa, shape, each), self._floor)
        slope = np.empty(self.count)

        def work(part: slice) -> None:
            some = Posteriors(
                self.posteriors.rate[part], shape[part], self.posteriors.law, self.policy
            )
            some.solve(worth[part] * kappa[part], each[part], frequency[part], slope[part], self._floor[part])

        dropped = (shape > 1) & (self.ceiling <= each)
        frequency[dropped] = 0.0
        _in_threads(work, _shares(self.count))
        return np.where(dropped, 0.0, frequency), np.where(dropped, 0.0, slope)

    @cached_property
    def _floor(self) -> Array:
        """No page gets less, unless it is dropped."""
        return np.minimum(self.kappa * NEXT_TO_NOTHING, 1.0)

    @cached_property
    def ceiling(self) -> Array:
        return self.posteriors.gain(self.worth * self.kappa, self._floor)

    def demand(self, price: Array | float) -> Array:
        return self._solved(price)[0]

    def totals(self, price: float) -> Totals:
        demand, slope = self._solved(price)
        return Totals(float(demand.sum()), float(slope.sum()))

    def value(self, price: float) -> Array:
        frequency = self.demand(price)
        return self.stale(frequency) + price * frequency

    def stale(self, frequency: Array) -> Array:
        return self.posteriors.stale(self.worth * self.kappa, frequency)[0]

    def _marginal(self, frequency: Array) -> Array:
        """A page that is never accessed: what the first access is worth."""
        kept = frequency[self.kept]
        return self.spread(self.posteriors.gain(self.worth * self.kappa, np.maximum(kept, self._floor))) * self.unit


def _of_law(law: Law, function: Callable[[Array], Array], rate: Array) -> Array:
    """By parts on all cores, unless the law looks for what many rates have in common."""
    return function(rate) if law.costly else _map(lambda part: function(rate[part]), rate.size)


def _worth(rate: Array, weight: Array, mean: float) -> Array:
    with np.errstate(over="ignore", divide="ignore"):  # Problem.top says what is wrong
        return weight / (rate * mean)


class Totals(NamedTuple):
    """Total demand at a price, and its derivative."""

    demand: float
    slope: float


@dataclass(frozen=True)
class Bracket:
    """Two prices between which total demand passes 1; equal where it is 1 up to ``BALANCED``."""

    low: float
    high: float


def balance(totals: Callable[[float], Totals], start: float, top: float) -> Bracket:
    """Where total demand is 1. It falls in the price and is below 1 at ``top``.

    Newton's method for the logarithm of the demand in that of the price, inside a bracket;
    bisection where a step leaves it, or where two have not halved it.
    """
    low, high = 0.0, top
    price = min(start, top)
    span = math.inf
    for count in range(2000):
        demand, slope = totals(price)
        if abs(demand - 1.0) <= BALANCED:
            return Bracket(price, price)
        if demand > 1.0:
            low = price
        else:
            high = price
        if low > 0 and high <= math.nextafter(low, math.inf):
            return Bracket(low, high)
        step = _newton_step(price, Totals(demand, slope)) if demand > 0 and slope < 0 else math.nan
        following = price * math.exp(min(max(step, -60.0), 60.0)) if math.isfinite(step) else math.nan
        if count % 3 == 2:
            if not math.log(high / low if low > 0 else math.inf) <= 0.5 * span:
                following = math.nan
            span = math.log(high / low) if low > 0 else math.inf
        if not low < following < high:
            following = _middle(low, high)
        price = following
    raise RuntimeError(f"no balance between the prices {low!r} and {high!r}")


def _newton_step(price: float, totals: Totals) -> float:
    """In the logarithm of the price, for that of the demand."""
    return -math.log(totals.demand) * totals.demand / (price * totals.slope)


def _middle(low: float, high: float) -> float:
    """A price between two, half way in logarithms or, when they are close, in numbers."""
    if low == 0:
        return high * 2.0**-20
    middle = math.sqrt(low) * math.sqrt(high)
    return middle if low < middle < high else low + 0.5 * (high - low)


def _general(problem: Problem) -> Plan:
    if isinstance(problem, MixtureProblem):
        # the price for constant access times is near
        near = _general(Problem(problem.policy, problem.page, 0.0, 1.0, None, problem.count, problem.wide)).multiplier
        return _balanced(problem, problem.totals, near)
    if problem.count >= MANY and (plan := _from_histogram(problem)) is not None:
        return plan
    return _balanced(problem, _totals(problem), 0.5 * problem.top)


def _balanced(problem: Problem, totals: Callable[[float], Totals], start: float) -> Plan:
    found = balance(totals, start, problem.top)
    frequency = mixed(problem.demand(found.low), problem.demand(found.high))
    stale = float(problem.stale(frequency).sum())
    dual = max(float(problem.value(price).sum()) - price for price in {found.low, found.high})
    return problem.plan(frequency, found.high, stale, _gap(stale, dual, found.high))


def _gap(stale: float, dual: float, price: float) -> float:
    return max(stale - dual, 0.0) + ROUNDING * (stale + price)


def _totals(problem: Problem) -> Callable[[float], Totals]:
    if problem.count < MANY:
        response = pages.RESPONSE[problem.model]

        def few(price: float) -> Totals:
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                return Totals(*(float(values.sum()) for values in response(*problem.page, price)))

        return few
    compiled = passes().TOTALS

    def totals(price: float) -> Totals:
        found = _in_threads(
            lambda family: compiled[family.name](problem.each(family.pages), price), problem.families()
        )
        return Totals(math.fsum(demand for demand, _ in found), math.fsum(slope for _, slope in found))

    return totals


def _from_histogram(problem: Problem) -> Plan | None:
    """All pages at the price that a histogram of them would pay, or a few steps from it.

    Scaling to the budget costs the square of what demand is off by. Whether that is good
    enough the certificate says; if it never is: None.
    """
    families = problem.families()
    fill, finish = passes().FILL, passes().FINISH
    frequency = np.empty(problem.count)
    price, elasticity = _histogram_price(problem) if len(problem.page) == 2 else _sample_price(problem)
    before, step = None, 0.0
    for _ in range(6):

        def filled(family: Family, price: float = price) -> tuple[float, float]:
            part = family.pages
            return fill[family.name](problem.each(part), price, frequency[part])

        found = _in_threads(filled, families)
        demand = math.fsum(total for total, _ in found)
        if abs(demand - 1.0) <= NEARLY:
            dual = math.fsum(value for _, value in found) - price
            scale = 1.0 / demand

            def finished(family: Family, scale: float = scale) -> float:
                part = family.pages
                return finish[family.name](problem.each(part), frequency[part], scale)

            stale = math.fsum(_in_threads(finished, families))
            gap = _gap(stale, dual, price)
            if gap <= GOOD_ENOUGH * (problem.constant + stale):
                return problem.plan(frequency, price, stale, gap)
        if elasticity is not None and demand > 0:
            # a sample's slope first, then that between the last two prices: cheaper than another pass for the slope
            if before is not None:
                elasticity = (math.log(demand) - before) / step
            before, step = math.log(demand), -math.log(demand) / elasticity
        else:
            totals = _totals(problem)(price)
            if not (totals.demand > 0 and totals.slope < 0):
                return None
            step = _newton_step(price, totals)
        price *= math.exp(step)
    return None


def _sample_price(problem: Problem) -> tuple[float, float | None]:
    """The price for every sixteenth page in the place of all, and d log(demand)/d log(price) there."""
    each = problem.count // (MANY // 2) if problem.count < 8 * MANY else 16
    first = tuple(values[: problem.wide : each].copy() for values in problem.page)
    last = tuple(values[problem.wide :: each].copy() for values in problem.page)
    scale = problem.count / (len(first[0]) + len(last[0]))
    compiled = passes().TOTALS

    def totals(price: float) -> Totals:
        parts = [compiled[name](part, price) for name, part in (("wide", first), ("narrow", last)) if len(part[0])]
        return Totals(*(scale * math.fsum(column) for column in zip(*parts, strict=True)))

    # if all had the mean worth and took the same part
    start = float(first[0].mean() if len(first[0]) else last[0].mean())
    found = balance(totals, start, problem.top).low
    demand, slope = totals(found)
    return found, found * slope / demand


def _histogram_price(problem: Problem) -> tuple[float, None]:
    """The price for as many pages as there are bins, each with the mean worth in its bin."""
    worth, kappa = problem.worth, problem.kappa
    histogram = passes().HISTOGRAM[problem.policy]
    parts = _shares(len(worth))
    least = min(_in_threads(lambda part: float(worth[part].min()), parts))
    # bins of equal leading bits, as fine as there are many pages for each
    bits = int(np.float64(problem.top).view(np.int64)) - int(np.float64(least).view(np.int64))
    shift = max((bits * PER_BIN[problem.policy] // len(worth)).bit_length(), 52 - 12)
    bins = (bits >> shift) + 2

    def count(part: slice) -> tuple[Array, Array]:
        mass, moment = np.zeros(bins), np.zeros(bins)
        histogram(worth[part], kappa[part], least, shift, mass, moment)
        return mass, moment

    masses, moments = zip(*_in_threads(count, parts), strict=True)
    mass, moment = sum(masses), sum(moments)
    seen = np.flatnonzero(mass)
    bin_worth = moment[seen] / mass[seen]
    bin_kappa = np.log1p(mass[seen]) if problem.policy == "randomized" else mass[seen]
    compiled = passes().TOTALS[problem.policy]
    top = float(bin_worth.max())
    return balance(lambda price: Totals(*compiled((bin_worth, bin_kappa), price)), 0.5 * top, top).low, None


def mixed(more: Array, less: Array, budget: float = 1.0) -> Array:
    """The plan between two that uses exactly the budget.

    Next to the price at which a page is dropped its demand may be out of reach of float64
    prices: then it gets a part of what it would take at the price below.
    """
    above, below = float(more.sum()), float(less.sum())
    part = min(max((budget - below) / (above - below), 0.0), 1.0) if above > below else 0.0
    result = less + part * (more - less)
    return result * (budget / float(result.sum()))


# Work by parts, on all cores


def _map(function: Callable[[slice], Array], size: int) -> Array:
    """``function`` on the parts of range(size), put together."""
    if size <= PART:
        return function(slice(0, size))
    result = np.empty(size)

    def work(part: slice) -> None:
        result[part] = function(part)

    _in_threads(work, [slice(i, min(i + PART, size)) for i in range(0, size, PART)])
    return result


def _in_threads(work: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
    if len(parts) == 1:
        return [work(parts[0])]
    return list(_pool().map(work, parts))


@cache
def _pool() -> ThreadPoolExecutor:
    """The threads, which wait for the next pass: to make them takes as long as a short one."""
    return ThreadPoolExecutor(_cores())


# A forked process has the pool, but not its threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


def _shares(size: int) -> list[slice]:
    """One part for each core, if that is worth a thread."""
    count = _cores() if size >= MANY_FOR_THREADS else 1
    edges = [size * i // count for i in range(count + 1)]
    return [slice(a, b) for a, b in itertools.pairwise(edges)]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def passes() -> Any:
    """The compiled passes, which take a moment to load: only where there are many pages."""
    from crawlproof.schedule import passes as module

    return module
