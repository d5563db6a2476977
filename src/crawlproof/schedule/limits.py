"""Optimal frequencies under bounds for each page and caps for each host.

Bounds cut a page's demand off; a host whose pages would together buy more than its cap
gets a price of its own, at which they buy exactly that. So a page pays the larger of its
host's price and the common one, total demand still falls in the common price, and the dual
function is that of the prices: a lower bound for every plan within the limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crawlproof.schedule.frequencies import ROUNDING, Array, Plan, Problem, mixed

# How far a limit may be beyond what can be met before it is an error: roundings of its input.
SLACK = 1e-12
LOWEST = 5e-324
"""The price at which a page takes all that it may."""


@dataclass(frozen=True)
class Limits:
    """Bounds on the frequency of each page, and the share of each host."""

    lower: Array
    upper: Array
    host: NDArray[np.intp]
    cap: Array

    def of_hosts(self, values: Array) -> Array:
        """Sum over the pages of each host."""
        return np.bincount(self.host, weights=values, minlength=self.cap.size)


def _each(name: str, values: ArrayLike, size: int) -> Array:
    """One number for all pages, or one for each; > 0 or infinite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim > 1 or (array.ndim == 1 and array.size != size):
        raise ValueError(f"{name} must be one number or {size}, one for each page, got shape {array.shape}")
    bad = ~(array >= 0)
    if bad.any():
        at = f"[{int(np.flatnonzero(bad)[0])}]" if array.ndim else ""
        raise ValueError(f"{name}{at} must be >= 0, got {float(array[bad].flat[0])!r}")
    return np.broadcast_to(array, (size,))


def _limits(
    size: int, mean: float, min_interval: Any, max_interval: Any, host: Any, host_cap: Any
) -> Limits:
    lower, upper = np.zeros(size), np.ones(size)
    with np.errstate(divide="ignore"):
        if min_interval is not None:
            upper = np.minimum(mean / _each("min_interval", min_interval, size), 1.0)
        if max_interval is not None:
            lower = mean / _each("max_interval", max_interval, size)
    crossed = lower > upper * (1 + SLACK)
    if crossed.any():
        at = int(np.flatnonzero(crossed)[0])
        raise ValueError(
            f"page {at}: max_interval {mean / lower[at]:.6g} is below min_interval {mean / upper[at]:.6g}"
            " (no page can be accessed more often than once in a mean access time)"
        )
    if (host is None) != (host_cap is None):
        raise ValueError("host and host_cap go together, got only one of them")
    if host is None:
        return Limits(lower, upper, np.zeros(size, dtype=np.intp), np.array([np.inf]))
    hosts = np.asarray(host)
    if hosts.shape != (size,) or hosts.dtype.kind not in "iu":
        raise ValueError(f"host must be {size} integers, one for each page, got {hosts.dtype} of shape {hosts.shape}")
    if (hosts < 0).any():
        at = int(np.flatnonzero(hosts < 0)[0])
        raise ValueError(f"host[{at}] must be >= 0, got {hosts[at]}")
    count = int(hosts.max()) + 1
    cap = np.asarray(host_cap, dtype=np.float64)
    if cap.ndim > 1 or (cap.ndim == 1 and cap.size < count):
        raise ValueError(f"host_cap must be one number or {count}, one for each host, got shape {cap.shape}")
    if not (cap > 0).all():
        at = f"[{int(np.flatnonzero(~(cap > 0))[0])}]" if cap.ndim else ""
        raise ValueError(f"host_cap{at} must be > 0, got {float(cap[~(cap > 0)].flat[0])!r}")
    return Limits(lower, upper, hosts.astype(np.intp), np.array(np.broadcast_to(cap, (max(count, cap.size),))))


def _check(limits: Limits) -> None:
    """Whether any plan is within the limits."""
    asked = float(limits.lower.sum())
    if asked > 1 + SLACK:
        raise ValueError(f"max_interval asks for {asked:.6g} times as many accesses as there are")
    asked_of = limits.of_hosts(limits.lower)
    over = asked_of > limits.cap * (1 + SLACK)
    if over.any():
        at = int(np.flatnonzero(over)[0])
        raise ValueError(
            f"host {at}: max_interval asks for a share of {asked_of[at]:.6g} of the accesses, host_cap is {limits.cap[at]:.6g}"
        )


def limited_plan(
    problem: Problem, mean: float, min_interval: Any, max_interval: Any, host: Any, host_cap: Any
) -> Plan:
    everywhere = _limits(problem.size, mean, min_interval, max_interval, host, host_cap)
    kept = np.arange(problem.size) if problem.kept is None else problem.kept
    movable = np.zeros(problem.size, dtype=bool)
    movable[kept] = True
    _check(everywhere)
    fixed = np.where(movable, 0.0, everywhere.lower)
    limits = Limits(
        everywhere.lower[kept], everywhere.upper[kept], everywhere.host[kept],
        np.maximum(everywhere.cap - everywhere.of_hosts(fixed), 0.0),
    )
    budget = 1.0 - float(fixed.sum())
    solution = _solve(problem, limits, budget)
    plan = problem.plan(solution.frequency, solution.price, solution.stale, solution.gap)
    host_price = None if host is None else np.maximum(solution.host_price - solution.price, 0.0) * problem.unit
    return Plan(
        plan.frequency + fixed, plan.multiplier, plan.cost, plan.gap, plan.policy, plan._marginal, host_price
    )


@dataclass(frozen=True)
class _Solution:
    frequency: Array
    price: float
    host_price: Array
    stale: float
    gap: float


def _solve(problem: Problem, limits: Limits, budget: float) -> _Solution:
    def demand(price: Array | float) -> Array:
        return np.clip(problem.demand(price), limits.lower, limits.upper)

    host_price, at_cap = _host_prices(problem, limits, demand)
    page_host_price = host_price[limits.host]

    def bought(price: float) -> Array:
        return np.where(page_host_price > price, at_cap, demand(price))

    # The budget is a ceiling: where bounds and caps let the pages have less, the robot rests.
    budget = min(budget, float(bought(LOWEST).sum()))
    low, high = _bisect(
        lambda price: np.array([bought(float(price[0])).sum() > budget]), np.array([problem.top])
    )
    frequency = mixed(bought(low[0]), bought(high[0]), budget)
    stale = float(problem.stale(frequency).sum())
    bounds = [_dual(problem, limits, demand, float(price), host_price, budget) for price in {low[0], high[0]}]
    dual, terms = max(bounds)
    gap = max(stale - dual, 0.0) + ROUNDING * (stale + terms)
    return _Solution(frequency, float(high[0]), host_price, stale, gap)


def _dual(
    problem: Problem, limits: Limits, demand: Any, price: float, host_price: Array, budget: float
) -> tuple[float, float]:
    """The dual function at the prices, and the sum of its terms without their signs."""
    paid = np.maximum(host_price, price)
    page_price = paid[limits.host]
    wanted = demand(page_price)
    value = float((problem.stale(wanted) + page_price * wanted).sum())
    extra = (paid - price) > 0  # 0 times an infinite cap
    charges = price * budget + float(((paid - price)[extra] * limits.cap[extra]).sum())
    return value - charges, value + charges


def _host_prices(problem: Problem, limits: Limits, demand: Any) -> tuple[Array, Array]:
    """The price of each host with a cap that binds, else 0, and what the pages of all hosts buy there."""
    binding = limits.of_hosts(limits.upper) > limits.cap
    price = np.zeros(limits.cap.size)
    frequency = limits.upper.copy()
    if not binding.any():
        return price, frequency
    worth = np.zeros(limits.cap.size)
    np.maximum.at(worth, limits.host, problem.ceiling)
    low, high = _bisect(
        lambda price: limits.of_hosts(demand(price[limits.host])) > limits.cap, np.where(worth > 0, worth, 1.0)
    )
    more, less = demand(low[limits.host]), demand(high[limits.host])
    above, below = limits.of_hosts(more), limits.of_hosts(less)
    room = above > below
    part = np.where(room, np.clip((limits.cap - below) / np.where(room, above - below, 1.0), 0.0, 1.0), 0.0)
    at_cap = less + part[limits.host] * (more - less)
    return np.where(binding, high, 0.0), np.where(binding[limits.host], at_cap, frequency)


def _bisect(is_above: Any, top: Array) -> tuple[Array, Array]:
    """Neighbouring doubles between which a falling condition turns from true to false, for each entry.

    Positive doubles are ordered as the integers that have their bits: 63 halvings are enough.
    """
    low, high = np.ones(top.shape, dtype=np.int64), top.view(np.int64).copy()
    while (high - low > 1).any():
        middle = low + (high - low) // 2
        above = is_above(middle.view(np.float64))
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return low.view(np.float64), high.view(np.float64)
