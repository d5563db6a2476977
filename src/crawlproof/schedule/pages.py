"""One page at a price, under each policy: what it buys, what it then costs, what more would be worth.

Each function is one text for arrays and, through ``crawlproof.kernels.compiled``, for loops
over pages. The staleness cost of a page is a constant, c rho, plus a part that
depends on its frequency, here called stale: c rho + stale(0) = c, the page's weight.

    worth   a = c/(mu E[X]), what the first access saves per unit of frequency
    kappa   -ln E[exp(-mu X)]
    price   lambda, what a unit of frequency costs
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from crawlproof import formulas
from crawlproof.kernels.compiled import INSIDE, compiled_formula
from crawlproof.kernels.float64 import (
    LOG_END,
    _exp,
    _gamma_age,
    _log_age,
    _narrow_age,
    _narrow_chi,
    _select,
    _wide_age,
    _wide_chi,
    chi,
    gamma_chi,
    gamma_price,
    phi1,
)

Array = NDArray[np.float64]

# price/worth is kept inside (0, 1); from 1 on a page buys nothing.
LEAST = 2.0**-1000
LAST = 1.0 - 2.0**-53
# exp of more is not needed: a page of this kappa has no memory of its last access but one.
KAPPA_END = 600.0
# A demand above 1 is cut off here, well away from any that can be met.
MOST = 4.0

optimal_frequency = compiled_formula(formulas.optimal_frequency)
_frequency_at_price = compiled_formula(formulas.frequency_at_price)
_page_value_at_age = compiled_formula(formulas.page_value_at_age)
_marginal_value = compiled_formula(formulas.marginal_value)
_randomized_frequency = compiled_formula(formulas.randomized_frequency)


@register_jitable(**INSIDE)
def _relative(worth: Any, price: Any) -> Any:
    return np.minimum(np.maximum(price / worth, LEAST), LAST)


@register_jitable(**INSIDE)
def spaced_demand(worth: Any, kappa: Any, price: Any) -> Any:
    """The frequency that minimises cost plus price times frequency."""
    return _select(price < worth, _frequency_at_price(kappa, _relative(worth, price)), 0.0)


@register_jitable(**INSIDE)
def spaced_response(worth: Any, kappa: Any, price: Any) -> Any:
    """The demand and its derivative in the price: -kappa exp(t)/(a t**3), where (1 + t) exp(-t) = 1 - price/a."""
    k = _relative(worth, price)
    bought = _frequency_at_price(kappa, k)
    age = kappa / bought
    slope = -bought * (1.0 + age) / (worth * (1.0 - k) * age * age)
    return _select(price < worth, bought, 0.0), _select(price < worth, slope, 0.0)


@register_jitable(**INSIDE)
def spaced_offer(worth: Any, kappa: Any, price: Any) -> Any:
    """The demand, and the least stale cost plus price times frequency: the page's part of the dual function."""
    bought = _frequency_at_price(kappa, _relative(worth, price))
    reduced = worth * kappa  # c (1 - rho)
    value = _page_value_at_age(reduced, 0.0, kappa / bought)
    return _select(price < worth, bought, 0.0), _select(price < worth, value, reduced)


@register_jitable(**INSIDE)
def spaced_stale(worth: Any, kappa: Any, frequency: Any) -> Any:
    """Theorem 3.3 at this frequency, without the constant."""
    bought = np.maximum(frequency, kappa * 2.0**-64)  # chi(2**64) is 1
    return worth * kappa * chi(kappa / bought)


@register_jitable(**INSIDE)
def spaced_marginal(worth: Any, kappa: Any, frequency: Any) -> Any:
    """What one more unit of frequency saves."""
    return _marginal_value(worth, kappa, np.maximum(frequency, kappa * 2.0**-64))


@register_jitable(**INSIDE)
def growth(kappa: Any) -> Any:
    """b = 1/h - 1 = exp(kappa) - 1, which (16) is proportional to; kappa is cut off."""
    small = np.minimum(kappa, KAPPA_END)
    return small * phi1(small) * _exp(small)


@register_jitable(**INSIDE)
def _over(kappa: Any) -> Any:
    """h/(1 - h) = 1/b."""
    small = np.minimum(kappa, KAPPA_END)
    return _exp(-small) / (small * phi1(small))


@register_jitable(**INSIDE)
def randomized_demand(worth: Any, kappa: Any, price: Any) -> Any:
    score, level = np.sqrt(worth), np.sqrt(price)
    bought = _randomized_frequency(np.maximum(score, level), level, -np.minimum(kappa, KAPPA_END))
    # No page gets more than all accesses; where h is nothing it would at once want any number.
    return np.minimum(bought, MOST)


@register_jitable(**INSIDE)
def randomized_response(worth: Any, kappa: Any, price: Any) -> Any:
    wanted = randomized_demand(worth, kappa, price)
    slope = -0.5 * np.sqrt(worth / price) / (_over(kappa) * price)
    return wanted, _select(wanted > 0.0, _select(wanted < MOST, slope, 0.0), 0.0)


@register_jitable(**INSIDE)
def randomized_stale(worth: Any, kappa: Any, frequency: Any) -> Any:
    """Lemma 4.1 at this frequency, without the constant."""
    forgotten = (1.0 - frequency) * kappa * phi1(kappa)
    return worth * kappa * ((forgotten + frequency * chi(kappa)) / (frequency + forgotten))


@register_jitable(**INSIDE)
def randomized_offer(worth: Any, kappa: Any, price: Any) -> Any:
    wanted = randomized_demand(worth, kappa, price)
    return wanted, randomized_stale(worth, kappa, wanted) + price * wanted


@register_jitable(**INSIDE)
def randomized_marginal(worth: Any, kappa: Any, frequency: Any) -> Any:
    ratio = 1.0 / (1.0 + frequency * _over(kappa))
    return worth * ratio * ratio


# Pages whose rates are known up to a gamma law, accessed every X = E[X] on average (RATES-expected-obsolescence):
# kappa is the mean of mu X, and what is stale, worth and asked for are means over the law. ``wide`` has the
# shapes from 1 on, ``narrow`` those up to 1; ``gamma`` takes all.


def _uncertain(age_at: Any, chi_of: Any) -> tuple[Any, ...]:
    """Demand, response, offer and stale cost of a page, with the kernels for its shape."""

    @register_jitable(**INSIDE)
    def buys(worth: Any, shape: Any, price: Any) -> Any:
        # what the first access is worth is a/(a - 1) times as much as at a known rate, and has no bound for a <= 1
        return price * (shape - 1.0) < worth * shape

    @register_jitable(**INSIDE)
    def demand(worth: Any, kappa: Any, shape: Any, price: Any) -> Any:
        bought = np.minimum(kappa / age_at(shape, np.maximum(price / worth, LEAST)), MOST)
        return _select(buys(worth, shape, price), bought, 0.0)

    @register_jitable(**INSIDE)
    def response(worth: Any, kappa: Any, shape: Any, price: Any) -> Any:
        """The demand and its derivative in the price: -kappa (1 + t/a)**(a + 1)/(worth t**3)."""
        age = age_at(shape, np.maximum(price / worth, LEAST))
        bought = kappa / age
        steep = _exp(np.minimum((shape + 1.0) / shape * _log_age(shape, age), LOG_END))
        slope = -bought * steep / (worth * age * age)
        some = buys(worth, shape, price)
        return _select(some, np.minimum(bought, MOST), 0.0), _select(some, _select(bought < MOST, slope, 0.0), 0.0)

    @register_jitable(**INSIDE)
    def offer(worth: Any, kappa: Any, shape: Any, price: Any) -> Any:
        age = age_at(shape, np.maximum(price / worth, LEAST))
        log_age = _log_age(shape, age)
        some, reduced = buys(worth, shape, price), worth * kappa
        return _select(some, kappa / age, 0.0), _select(some, reduced * (log_age * phi1(log_age)), reduced)

    @register_jitable(**INSIDE)
    def stale(worth: Any, kappa: Any, shape: Any, frequency: Any) -> Any:
        found = worth * kappa * chi_of(shape, kappa / np.maximum(frequency, LEAST))
        return _select(frequency > 0.0, found, worth * kappa)

    return demand, response, offer, stale


_wide, _narrow, _gamma = (
    _uncertain(age, chi_of) for age, chi_of in ((_wide_age, _wide_chi), (_narrow_age, _narrow_chi), (_gamma_age, gamma_chi))
)


def gamma_marginal(worth: Array, kappa: Array, shape: Array, frequency: Array) -> Array:
    """What one more unit of frequency saves, in the mean."""
    with np.errstate(divide="ignore"):
        first = np.where(shape > 1, shape / np.maximum(shape - 1, 0), np.inf)
    asked = gamma_price(shape, kappa / np.maximum(frequency, LEAST))
    return worth * np.where(frequency > 0, asked, first)


@register_jitable(**INSIDE)
def _itself(kappa: Any) -> Any:
    return kappa


# What demand at a price is proportional to, for pages of the same worth.
SIZE = {"spaced": _itself, "randomized": growth}
DEMAND = {"spaced": spaced_demand, "randomized": randomized_demand}
RESPONSE = {"spaced": spaced_response, "randomized": randomized_response}
OFFER = {"spaced": spaced_offer, "randomized": randomized_offer}
STALE = {"spaced": spaced_stale, "randomized": randomized_stale}
MARGINAL = {"spaced": spaced_marginal, "randomized": randomized_marginal, "gamma": gamma_marginal}
for _name, _functions in (("wide", _wide), ("narrow", _narrow), ("gamma", _gamma)):
    DEMAND[_name], RESPONSE[_name], OFFER[_name], STALE[_name] = _functions
