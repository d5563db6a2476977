"""Pages whose rates are known up to a gamma law, for any law of access times: quadrature over the posterior.

With Z = exp(x - exp(-x)) the density of a gamma variable of mean 1 is a smooth bump in x whose tails fall double
exponentially on both sides, whatever the shape: the trapezoidal rule does the rest. A page becomes
``NODES`` pages of known rates that share one frequency. The plan is optimal, and certified, for these; what a page
costs differs from the integral by less than ``ERROR`` of its weight (tested against adaptive quadrature).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crawlproof.laws import Law

Array = NDArray[np.float64]

NODES = 96
#: Of a page's expected cost, against its weight, for shapes from SMALLEST on and up to a million changes between two
#: accesses; from shape 1 on it is below 1e-10.
ERROR = 1e-4
SMALLEST = 1e-3
DEPTH = 32.0
"""Where the density has fallen to exp(-DEPTH) of its peak, the rule ends."""
PART = 2**14
SPACED = "spaced"

_compiled = njit(cache=True, error_model="numpy", nogil=True)


@_compiled
def _nodes(shape, z, weight):
    """Nodes and weights for gamma laws of mean 1."""
    count = z.shape[1]
    for page in range(len(shape)):
        a = min(shape[page], 1e15)
        depth = DEPTH / a
        # the places y with exp(y) - 1 - y = depth, by Newton from outside
        high, low = np.log1p(depth + np.sqrt(2.0 * depth)), -depth - np.sqrt(2.0 * depth)
        for _ in range(60):
            step = (np.expm1(high) - high - depth) / np.expm1(high)
            high -= step
            other = (np.expm1(low) - low - depth) / np.expm1(low)
            low -= other
            if abs(step) < 1e-9 * abs(high) and abs(other) < 1e-9 * abs(low):
                break
        first, last = _bent(low), _bent(high)
        step, total = (last - first) / (count - 1), 0.0
        for i in range(count):
            x = first + i * step
            decay = np.exp(-x)
            y = x - decay
            z[page, i] = np.exp(y)
            # against the peak, where y = 0
            weight[page, i] = np.exp(-a * (np.expm1(y) - y)) * (1.0 + decay)
            total += weight[page, i]
        for i in range(count):
            weight[page, i] /= total


@_compiled
def _bent(y):
    """The x with x - exp(-x) = y."""
    x = -np.log(1.0 - y) if y < -1.0 else 0.6 * (1.0 + y)
    for _ in range(60):
        decay = np.exp(-x)
        step = (x - decay - y) / (1.0 + decay)
        x -= step
        if abs(step) < 1e-12 * (1.0 + abs(x)):
            break
    return x


@_compiled
def _node_response(kappa, excess, frequency, spaced):
    """What one node saves with one more unit of frequency, per unit of weight, and the derivative of that."""
    reduced = 1.0 - excess
    if spaced:
        age = kappa / frequency
        decay = np.exp(-age)
        if age < 0.03:
            price = age * (0.5 - age * (1.0 / 3.0 - age * (0.125 - age * (1.0 / 30.0 - age / 144.0))))
        else:
            price = (1.0 - (1.0 + age) * decay) / age
        return reduced * price / frequency, -reduced * age * decay / frequency**2
    over = np.exp(-kappa) * kappa / -np.expm1(-kappa) if kappa > 0.0 else 1.0
    whole = kappa + frequency * over
    gain = reduced * kappa / whole**2
    return gain, -2.0 * gain * over / whole


@_compiled
def _node_stale(kappa, excess, frequency, spaced):
    """The share of time for which one node is out of date."""
    if spaced:
        age = kappa / frequency
        part = 0.5 * age - age * age / 6.0 if age < 1e-6 else 1.0 + np.expm1(-age) / age
        return part + excess * (1.0 - part)
    flat = -np.expm1(-kappa) / kappa if kappa > 0.0 else 1.0
    rest = 1.0 - flat if kappa > 1e-6 else 0.5 * kappa - kappa * kappa / 6.0
    # Lemma 4.1: with forgotten = (1 - f) (1 - exp(-kappa))
    forgotten = (1.0 - frequency) * kappa * flat
    return excess + (1.0 - excess) * (forgotten + frequency * rest) / (frequency + forgotten)


@_compiled
def _solve(kappa, excess, weight, factor, price, floor, spaced, frequency, slope):
    """The frequency at which each page's gain is the price: Newton in logarithms, within a bracket.

    Pages whose frequency is 0 at the start are left out.
    """
    count = kappa.shape[1]
    for page in range(len(factor)):
        if frequency[page] == 0.0:
            slope[page] = 0.0
            continue
        low, high = floor[page], 4.0
        x = min(max(frequency[page], low), high)
        goal = price[page] / factor[page]
        bend = 0.0
        for _ in range(200):
            gain = bend = 0.0
            for i in range(count):
                one, other = _node_response(kappa[page, i], excess[page, i], x, spaced)
                gain += weight[page, i] * one
                bend += weight[page, i] * other
            if gain > goal:
                low = x
            else:
                high = x
            step = np.log(gain / goal) * gain / (-bend * x) if gain > 0.0 and bend < 0.0 else -1.0
            following = x * np.exp(min(max(step, -5.0), 5.0))
            if abs(step) < 1e-9:  # the next step would be its square
                x = min(max(following, low), high)
                break
            if not (following > low and following < high):
                following = np.sqrt(low * high)
            if high <= low * (1.0 + 4e-16):
                break
            x = following
        frequency[page] = x
        slope[page] = 1.0 / (factor[page] * bend) if bend < 0.0 else 0.0


@_compiled
def _stale(kappa, excess, weight, scale, frequency, spaced, mean, variance):
    """Mean and variance of scale times what is stale, over the nodes; a frequency of 0 leaves all of it stale."""
    for page in range(len(frequency)):
        first = second = 0.0
        for i in range(kappa.shape[1]):
            share = _node_stale(kappa[page, i], excess[page, i], frequency[page], spaced) if frequency[page] > 0.0 else 1.0
            first += weight[page, i] * scale[page, i] * share
        for i in range(kappa.shape[1]):
            share = _node_stale(kappa[page, i], excess[page, i], frequency[page], spaced) if frequency[page] > 0.0 else 1.0
            second += weight[page, i] * (scale[page, i] * share - first) ** 2
        mean[page], variance[page] = first, second


class Posteriors:
    """Pages of mean rate ``rate`` and this shape, under a law of access times."""

    def __init__(self, rate: Array, shape: Array, law: Law, policy: str) -> None:
        self.rate, self.shape, self.law, self.spaced = rate, shape, law, policy == SPACED

    def parts(self) -> Iterator[tuple[slice, Array, Array, Array, Array]]:
        """Slices of the pages with the rates of their nodes, weights, kappa and relative excess."""
        for start in range(0, len(self.rate), PART):
            part = slice(start, min(start + PART, len(self.rate)))
            z, weight = np.empty((part.stop - start, NODES)), np.empty((part.stop - start, NODES))
            _nodes(self.shape[part], z, weight)
            # A rate below any number is 0 for whoever looks.
            rate = np.maximum(self.rate[part, None] * z, np.finfo(float).tiny)
            flat = rate.ravel()
            kappa = np.abs(self.law.log_laplace(flat)).reshape(rate.shape)
            yield part, rate, weight, kappa, self.law.relative_excess(flat).reshape(rate.shape)

    def solve(self, factor: Array, price: Array, frequency: Array, slope: Array, floor: Array) -> None:
        """Demand of each page at its price, from ``frequency`` as the start; and its derivative."""
        for part, _, weight, kappa, excess in self.parts():
            _solve(
                kappa, excess, weight, factor[part], price[part], floor[part], self.spaced, frequency[part], slope[part]
            )

    def stale(self, factor: Array | None, frequency: Array) -> tuple[Array, Array]:
        """Mean and variance of each page's cost; without factors a page's weight is its rate."""
        mean, variance = np.empty(len(frequency)), np.empty(len(frequency))
        for part, rate, weight, kappa, excess in self.parts():
            scale = rate if factor is None else np.broadcast_to(factor[part, None], rate.shape)
            _stale(kappa, excess, weight, scale, frequency[part], self.spaced, mean[part], variance[part])
        return mean, variance

    def gain(self, factor: Array, frequency: Array) -> Array:
        """What one more unit of frequency saves."""
        found = np.empty(len(frequency))
        for part, _, weight, kappa, excess in self.parts():
            found[part] = _gains(kappa, excess, weight, frequency[part], self.spaced)
        return factor * found


@_compiled
def _gains(kappa, excess, weight, frequency, spaced):
    found = np.zeros(len(frequency))
    for page in range(len(frequency)):
        for i in range(kappa.shape[1]):
            found[page] += weight[page, i] * _node_response(kappa[page, i], excess[page, i], frequency[page], spaced)[0]
    return found
