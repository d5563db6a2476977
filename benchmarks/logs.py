"""Crawl logs simulated at known change rates, and what plans made out of them cost at the true ones.

Rates are per day, intervals are in days. Each kind of log has a feature that spoils some estimator: pages
with hardly any history, pages that never change, weights or visits that go with the rates, long regular histories.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from crawlproof import laws, schedule
from crawlproof.schedule import mixture
from crawlproof.schedule.evaluation import lower_bound

Array = NDArray[np.float64]

#: Accesses a day for each page that the plan may spend.
BUDGET = 0.2


@dataclass(frozen=True)
class SimulatedLog:
    """What a crawler saw, and what it did not see: the true rates."""

    page: NDArray[np.int64]
    interval: Array
    changed: NDArray[np.bool_]
    rate: Array
    weight: Array

    @property
    def access_time(self) -> laws.Law:
        return laws.Deterministic(1 / (BUDGET * len(self.rate)))

    def columns(self) -> dict[str, NDArray]:
        return {"page": self.page, "interval": self.interval, "changed": self.changed}

    def stale(self, frequency: Array) -> float:
        """The share of the weight that is out of date at these frequencies, under the true rates."""
        return float(np.sum(self.weight * lower_bound(frequency, self.rate, self.access_time)) / self.weight.sum())


def _visited(
    rng: np.random.Generator, rate: Array, weight: Array, visits: NDArray[np.int64], mean_interval: Array | float,
    *, regular: bool = False,
) -> SimulatedLog:
    page = np.repeat(np.arange(len(rate)), visits)
    interval = np.broadcast_to(mean_interval, rate.shape)[page]
    if not regular:
        interval = interval * rng.gamma(2.0, 0.5, len(page))
    changed = rng.random(len(page)) < -np.expm1(-rate[page] * interval)
    return SimulatedLog(page, interval, changed, rate, weight)


def _few_visits(rng: np.random.Generator, pages: int) -> NDArray[np.int64]:
    """Half of the pages once or twice, the others up to twenty times."""
    return np.where(rng.random(pages) < 0.5, rng.integers(0, 3, pages), rng.integers(3, 21, pages))


def sparse(rng: np.random.Generator, pages: int) -> SimulatedLog:
    """Half of the pages seen twice at most; lognormal rates, equal weights."""
    rate = rng.lognormal(-3.0, 1.5, pages)
    return _visited(rng, rate, np.ones(pages), _few_visits(rng, pages), rng.lognormal(1.5, 1.0, pages))


def lognormal_weights(rng: np.random.Generator, pages: int) -> SimulatedLog:
    rate = rng.lognormal(-3.0, 1.5, pages)
    return _visited(rng, rate, rng.lognormal(0, 1.5, pages), _few_visits(rng, pages), rng.lognormal(1.5, 1.0, pages))


def never_changing(rng: np.random.Generator, pages: int) -> SimulatedLog:
    """Four pages of ten never change."""
    rate = np.where(rng.random(pages) < 0.4, 0.0, rng.lognormal(-2.0, 1.0, pages))
    return _visited(rng, rate, np.ones(pages), _few_visits(rng, pages), rng.lognormal(1.5, 1.0, pages))


def pareto_weights(rng: np.random.Generator, pages: int) -> SimulatedLog:
    rate = rng.gamma(0.5, 0.4, pages)
    return _visited(rng, rate, rng.pareto(1.2, pages) + 1, _few_visits(rng, pages), rng.lognormal(1.0, 1.0, pages))


def correlated(rng: np.random.Generator, pages: int) -> SimulatedLog:
    """What changes often is heavy, and was visited often."""
    size = rng.normal(0, 1, (3, pages))
    rate = np.exp(-3.0 + 1.5 * size[0])
    weight = np.exp(0.8 * size[0] + 0.8 * size[1])
    visits = np.minimum(np.exp(1.0 + 0.7 * size[0] + 0.7 * size[2]), 60).astype(np.int64)
    return _visited(rng, rate, weight, visits, np.exp(1.5 - 0.7 * size[0]))


def regular(rng: np.random.Generator, pages: int) -> SimulatedLog:
    """A visit a day for 200 days: nothing to shrink."""
    rate = rng.lognormal(-3.0, 1.5, pages)
    return _visited(rng, rate, rng.lognormal(0, 1, pages), np.full(pages, 200), 1.0, regular=True)


def bimodal(rng: np.random.Generator, pages: int) -> SimulatedLog:
    """News and archives: no gamma law fits the rates."""
    rate = np.where(rng.random(pages) < 0.1, rng.lognormal(1.0, 0.5, pages), rng.lognormal(-5.0, 0.8, pages))
    return _visited(rng, rate, np.ones(pages), _few_visits(rng, pages), rng.lognormal(1.0, 1.0, pages))


def one_visit(rng: np.random.Generator, pages: int) -> SimulatedLog:
    """One interval for each page, and none for every third."""
    rate = rng.gamma(0.7, 0.2, pages)
    return _visited(rng, rate, rng.lognormal(0, 1, pages), (rng.random(pages) < 2 / 3).astype(np.int64), 7.0)


KINDS: dict[str, Callable[[np.random.Generator, int], SimulatedLog]] = {
    "sparse": sparse, "lognormal weights": lognormal_weights, "never changing": never_changing,
    "Pareto weights": pareto_weights, "correlated": correlated, "long and regular": regular, "bimodal": bimodal,
    "one visit": one_visit,
}


def simulate(kind: str, pages: int, seed: int) -> SimulatedLog:
    return KINDS[kind](np.random.default_rng(seed), pages)


# A planner that knows each page's posterior in full: the prior on a fine grid, times the likelihood.

NODES = 240


def grid_of_gamma(prior: schedule.Prior, log: SimulatedLog) -> tuple[Array, Array]:
    """Rates and their probabilities, for a gamma law with an atom at 0."""
    law = stats.gamma(prior.shape, scale=1 / prior.rate)
    ends = np.concatenate([[0.0], np.geomspace(1e-7 / log.interval.max(), law.isf(1e-12), NODES)])
    return np.sqrt(np.maximum(ends[:-1], ends[1] / 10) * ends[1:]), np.diff(law.cdf(ends)) * (1 - prior.never) + prior.never * (ends[:-1] == 0)


def grid_of_truth(log: SimulatedLog) -> tuple[Array, Array]:
    """The true rates themselves: no planner can know their law better."""
    parts = np.array_split(np.sort(log.rate), NODES)
    return np.array([part.mean() for part in parts]), np.array([len(part) for part in parts]) / len(log.rate)


def full_posterior_plan(log: SimulatedLog, nodes: Array, probability: Array) -> Array:
    """The frequencies that are best under the whole posterior of each page, by Newton in each page and bisection in the price."""
    pages = len(log.rate)
    nodes = np.maximum(nodes, 1e-12)
    logs = np.log(np.maximum(probability, 1e-300))[None, :].repeat(pages, axis=0)
    for block in np.array_split(np.arange(len(log.page)), max(1, len(log.page) // 20_000)):
        load = log.interval[block, None] * nodes
        np.add.at(logs, log.page[block], np.where(log.changed[block, None], np.log(-np.expm1(-load)), -load))
    weight = np.exp(logs - logs.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    kappa = np.broadcast_to(nodes * log.access_time.mean, weight.shape).copy()
    known = np.zeros_like(kappa)
    worth = log.weight * (weight / kappa).sum(axis=1)
    frequency = np.full(pages, 1 / pages)

    def demand(log_price: float) -> float:
        price = np.exp(log_price)
        frequency[:] = np.where(worth > price, np.where(frequency > 0, frequency, 1e-3 / pages), 0.0)
        mixture._solve(kappa, known, weight, log.weight, np.full(pages, price), np.full(pages, 1e-15), True, frequency, np.empty(pages))
        return float(frequency.sum()) - 1.0

    start = float(np.log(np.median(log.weight) * pages / 2))
    optimize.brentq(demand, start - 15, start + 15, xtol=1e-6)
    return frequency / frequency.sum()


@dataclass(frozen=True)
class Outcome:
    """Shares of the weight that are out of date under the true rates."""

    ours: float
    #: the same estimates, taken for known
    certain: float
    alone: float
    equal: float
    #: with the full posteriors under our prior, and under the true one
    full: float
    best: float
    #: rates known
    oracle: float
    #: what our plan expects, and whether its 95 % interval has the truth
    expected: float
    inside: bool


def outcome(log: SimulatedLog) -> Outcome:
    pages, law = len(log.rate), log.access_time
    found = schedule.estimate_rates(log.columns(), pages=pages)
    alone = schedule.estimate_rates(log.columns(), pages=pages, method="cho-garcia-molina")
    plan = schedule.frequencies(found.rate, log.weight, access_time=law, shape=found.shape)
    low, high = plan.interval()
    ours = log.stale(plan.frequency)
    return Outcome(
        ours=ours,
        certain=log.stale(schedule.frequencies(found.rate, log.weight, access_time=law).frequency),
        alone=log.stale(schedule.frequencies(alone.rate, log.weight, access_time=law).frequency),
        equal=log.stale(np.full(pages, 1 / pages)),
        full=log.stale(full_posterior_plan(log, *grid_of_gamma(found.prior, log))),
        best=log.stale(full_posterior_plan(log, *grid_of_truth(log))),
        oracle=log.stale(schedule.frequencies(log.rate, log.weight, access_time=law).frequency),
        expected=plan.cost / float(log.weight.sum()),
        inside=bool(low <= ours * log.weight.sum() <= high),
    )
