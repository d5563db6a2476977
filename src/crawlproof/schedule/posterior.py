"""What a page's history says about its change rate, given how the rates of all pages are spread.

The prior of a page's rate is a gamma law, optionally with an atom at 0 for pages that never change. It is fitted
to all histories by type-II maximum likelihood. What a page's accesses found has the likelihood

    rate**known * exp(-rate*unchanged) * product of (1 - exp(-rate*interval)),

with one factor for each interval after which the page had changed (RATES-likelihood). Without such factors the
posterior is a gamma law; with them its density in log(rate) is log-concave, falls at least exponentially
on both sides, and is integrated by the trapezoidal rule between the places where it has fallen to exp(-DEPTH) of
its peak.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import digamma, expit, gammaincinv, gammaln

Array = NDArray[np.float64]

DEPTH = 26.0
"""The logarithm of what is left out on either side of a density, against its peak."""
NODES = 64
"""Nodes of the trapezoidal rule: moments are good to 1e-7, quantiles to 1e-3 (both are tested)."""
ENOUGH = 20_000
"""Pages that a prior is fitted to at most, taken evenly: its two or three parameters need no more."""
HYPERPRIOR = 1.0
"""Standard deviation of log(shape) of the prior around 0, as of one more page: a log of a few pages can't tell how
unlike pages are, and without this would make them all the same."""
PRIOR_SHAPES = (0.02, 1000.0)
NEVER_LOGITS = (-14.0, 14.0)
GROUP_ROUNDS = 3
GROUP_PAGES = 10.0
"""The prior of a group (a host, a section) counts the mean of all pages like so many pages of its own."""

_compiled = njit(cache=True, error_model="numpy", nogil=True)


@dataclass(frozen=True)
class Histories:
    """What is known of each page; the intervals of page i are ``interval[starts[i] : starts[i + 1]]``."""

    #: changes whose time is known, as by a Last-Modified
    known: Array
    #: time for which each page is known not to have changed
    unchanged: Array
    starts: NDArray[np.int64]
    #: intervals in which a page changed at least once
    interval: Array

    def __len__(self) -> int:
        return len(self.known)

    def evenly(self, most: int) -> Histories:
        """At most so many of the pages."""
        if len(self) <= most:
            return self
        pages = np.arange(most) * len(self) // most
        counts = np.diff(self.starts)[pages]
        starts = np.concatenate([[0], np.cumsum(counts)])
        rows = np.arange(starts[-1]) + np.repeat(self.starts[pages] - starts[:-1], counts)
        return Histories(self.known[pages], self.unchanged[pages], starts, self.interval[rows])


    def slowed(self, factor: Array) -> Histories:
        """The same with each page's time stretched by its factor."""
        interval = self.interval * np.repeat(factor, np.diff(self.starts))
        return Histories(self.known, self.unchanged * factor, self.starts, interval)


@dataclass(frozen=True)
class Prior:
    """Rates are 0 with probability ``never``, else gamma distributed with this shape and rate parameter."""

    shape: float
    rate: float | Array
    never: float = 0.0


@dataclass(frozen=True)
class Posterior:
    """For each page, given that its rate is not 0; and the probability that it is."""

    mean: Array
    #: mean**2/variance
    shape: Array
    mean_log: Array
    log_evidence: Array
    low: Array
    high: Array
    never: Array


@_compiled
def _density(y, power, time, interval):
    """Logarithm of the density of log(rate) at y, up to a constant."""
    rate = np.exp(y)
    value, product = power * y - time * rate, 1.0
    for k in range(len(interval)):
        product *= -np.expm1(-rate * interval[k])
        if product < 1e-200:  # one logarithm for many factors
            value += np.log(product) if product > 0.0 else -1e300
            product = 1.0
    return value + np.log(product)


@_compiled
def _peak(power, time, interval):
    """The rate at which power/rate - time + sum of I/(exp(I rate) - 1), convex in the rate, is 0: Newton from the left."""
    total = 0.0
    for k in range(len(interval)):
        total += interval[k]
    # x/(exp(x) - 1) >= 1 - x/2, so here the sum is not negative yet.
    rate = (power + len(interval)) / (time + 0.5 * total)
    for _ in range(100):
        excess, slope = power / rate - time, power / rate**2
        for k in range(len(interval)):
            none, some = np.exp(-rate * interval[k]), -np.expm1(-rate * interval[k])
            excess += interval[k] * none / some
            slope += interval[k] ** 2 * none / some**2
        step = excess / slope
        rate += step
        if not step > 1e-9 * rate:
            break
    return rate, rate * np.sqrt(slope)


@_compiled
def _end(peak, top, step, power, time, interval):
    """A place where the density has fallen to exp(-DEPTH) of its peak, or somewhat less."""
    near, far = peak, peak + step
    while _density(far, power, time, interval) > top - DEPTH:
        near, far = far, peak + 2.0 * (far - peak)
    for _ in range(4):
        middle = 0.5 * (near + far)
        if _density(middle, power, time, interval) > top - DEPTH:
            near = middle
        else:
            far = middle
    return far


@_compiled
def _quantile(first, step, weight, slope, total, share):
    """Where the integral of the density reaches a share of its total; between nodes the density is exponential."""
    reached = 0.0
    for i in range(len(weight) - 1):
        # Euler and Maclaurin: without the slopes a part of the integral would be much worse than the whole
        part = step * (0.5 * (weight[i] + weight[i + 1]) - step / 12.0 * (slope[i + 1] - slope[i]))
        if reached + part >= share * total:
            within = (share * total - reached) / part
            growth = np.log(weight[i + 1] / weight[i])
            if abs(growth) > 1e-6:
                within = np.log1p(within * np.expm1(growth)) / growth
            return first + (i + within) * step
        reached += part
    return first + (len(weight) - 1) * step


@_compiled
def _integrate(starts, interval, power, time, tail, mean, shape, mean_log, evidence, low, high):
    """Moments, quantiles and the integral of the density, for the pages with intervals."""
    weight, slope = np.empty(NODES), np.empty(NODES)
    for page in range(len(power)):
        own = interval[starts[page] : starts[page + 1]]
        if len(own) == 0:
            continue
        rate, sharpness = _peak(power[page], time[page], own)
        peak = np.log(rate)
        top = _density(peak, power[page], time[page], own)
        width = np.sqrt(2.0 * DEPTH) / sharpness
        first = _end(peak, top, -width, power[page], time[page], own)
        step = (_end(peak, top, width, power[page], time[page], own) - first) / (NODES - 1)
        total = first_moment = logs = 0.0
        for i in range(NODES):
            weight[i] = np.exp(_density(first + i * step, power[page], time[page], own) - top)
            total += weight[i]
            first_moment += weight[i] * np.exp(first + i * step - peak)
            logs += weight[i] * (first + i * step - peak)
        centre, spread = first_moment / total, 0.0
        for i in range(NODES):
            spread += weight[i] * (np.exp(first + i * step - peak) - centre) ** 2
        mean[page] = rate * centre
        shape[page] = centre**2 * total / spread
        mean_log[page] = peak + logs / total
        evidence[page] = top + np.log(total * step)
        if tail > 0.0:
            slope[0] = slope[-1] = 0.0
            for i in range(1, NODES - 1):
                slope[i] = (weight[i + 1] - weight[i - 1]) / (2.0 * step)
            low[page] = np.exp(_quantile(first, step, weight, slope, total * step, tail))
            high[page] = np.exp(_quantile(first, step, weight, slope, total * step, 1.0 - tail))


def posterior(histories: Histories, prior: Prior, confidence: float | None = None) -> Posterior:
    """Each page's posterior under a prior; ``low`` and ``high`` only with a ``confidence``."""
    size = len(histories)
    tail = 0.0 if confidence is None else (1 - confidence) / 2
    power, time = prior.shape + histories.known, prior.rate + histories.unchanged
    mean, shape, mean_log, evidence = power / time, power.copy(), digamma(power) - np.log(time), gammaln(power) - power * np.log(time)
    low, high = np.zeros(size), np.full(size, np.inf)
    _integrate(histories.starts, histories.interval, power, time, tail, mean, shape, mean_log, evidence, low, high)
    evidence += prior.shape * np.log(prior.rate) - gammaln(prior.shape)
    unseen = (np.diff(histories.starts) == 0) & (histories.known == 0)
    never = np.zeros(size)
    if prior.never > 0:
        never[unseen] = expit(np.log(prior.never) - np.log1p(-prior.never) - evidence[unseen])
    if confidence is not None:
        plain = np.diff(histories.starts) == 0
        for end, share in ((low, tail), (high, 1 - tail)):
            within = np.maximum(share - never[plain], 0.0) / (1 - never[plain])
            end[plain] = gammaincinv(power[plain], within) / time[plain]
    return Posterior(mean, shape, mean_log, evidence, low, high, never)


def fit_prior(histories: Histories, *, atom: bool) -> Prior:
    """The prior under which the histories are most likely.

    A log without any change has no most likely mean rate, nor has one of nothing but changes: the mean is
    kept between half a change in all the time and the rate that leaves half an interval without change.
    """
    sample = histories.evenly(ENOUGH)
    size, changed = len(sample), len(sample.interval)
    total = float(sample.unchanged.sum() + sample.interval.sum())
    changes = changed + float(sample.known.sum())
    if total == 0.0:
        raise ValueError("no page has two accesses: there is nothing to learn change rates from")
    lowest = 0.5 / total
    intervals = max(changes, 1.0)
    highest = max(math.log1p(2 * intervals) * intervals / total, 2 * lowest)
    if changed:
        highest = max(highest, math.log1p(2 * changed) / float(sample.interval.min()))
    start = min(max((changes + 0.5) / total, 1.001 * lowest), 0.999 * highest)

    def value(parameters: Array) -> tuple[float, Array]:
        """Minus the logarithm of the evidence, and its derivatives (RATES-evidence-shape, RATES-evidence-rate)."""
        shape, mean = math.exp(parameters[0]), math.exp(parameters[1])
        never = float(expit(parameters[2])) if atom else 0.0
        rate = shape / mean
        found = posterior(sample, Prior(shape, rate, never))
        real = 1 - found.never
        logs = np.log1p(-never) + found.log_evidence - np.log(real) if atom else found.log_evidence
        by_shape = float((real * (found.mean_log + math.log(rate) - digamma(shape))).sum())
        by_rate = float((real * (shape / rate - found.mean)).sum())
        # rate = shape/mean: a step of log(shape) moves both
        slopes = [shape * by_shape + rate * by_rate - parameters[0] / HYPERPRIOR**2, -rate * by_rate]
        if atom:
            slopes.append(float((found.never - never).sum()))
        return parameters[0] ** 2 / (2 * HYPERPRIOR**2) - float(logs.sum()), -np.array(slopes)

    bounds = [tuple(map(math.log, PRIOR_SHAPES)), (math.log(lowest), math.log(highest))] + [NEVER_LOGITS] * atom
    first = np.array([0.0, math.log(start)] + [-2.0] * atom)
    found = minimize(
        lambda p: tuple(part / size for part in value(p)), first, jac=True, method="L-BFGS-B", bounds=bounds,
        options={"maxiter": 100, "ftol": 1e-10, "gtol": 1e-6},
    ).x
    shape = math.exp(found[0])
    return Prior(shape, shape / math.exp(found[1]), float(expit(found[2])) if atom else 0.0)


def fit_groups(histories: Histories, prior: Prior, group: NDArray[np.int64], *, atom: bool) -> Prior:
    """A prior with a mean for each group of pages and a shape for all: its rate is one for each page.

    Steps of expectation and maximisation for the means, each that of a group's pages and of ``GROUP_PAGES`` more at the
    mean of all; and in between the shape is fitted anew, which is larger once the groups are told apart.
    """
    centre = prior.shape / float(prior.rate)
    mean = np.full(int(group.max()) + 1, centre)
    shape, never = prior.shape, prior.never
    for _ in range(GROUP_ROUNDS):
        for _ in range(GROUP_ROUNDS):
            found = posterior(histories, Prior(shape, shape / mean[group], never))
            real = 1 - found.never
            seen = np.bincount(group, weights=real * found.mean, minlength=len(mean))
            count = np.bincount(group, weights=real, minlength=len(mean))
            mean = (seen + GROUP_PAGES * centre) / (count + GROUP_PAGES)
        fitted = fit_prior(histories.slowed(mean[group]), atom=atom)
        shape, never = fitted.shape, fitted.never
        mean *= fitted.shape / fitted.rate
    return Prior(shape, shape / mean[group], never)
