"""Compiled passes over many pages, for ``crawlproof.schedule.frequencies``.

Each pass goes over the pages in pieces that fit into the nearest cache: first the formulas of
``crawlproof.schedule.pages`` in vector instructions, then the sums, whose order inside
a piece is left to the compiler (the error of a sum is then below that of its terms).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numba.extending import overload

from crawlproof.formulas import clw
from crawlproof.kernels import compiled as kernels
from crawlproof.kernels import float64
from crawlproof.kernels.compiled import OPTIONS, digest_of
from crawlproof.schedule import pages

PIECE = 1024
# Code that is kept on disk has to go when the text that was compiled into it changes, here or in the
# modules below. numba looks at this file alone, and at the variables that a function takes from
# around it: so a function with formulas in it takes the digest of all sources, and is made by a function.
SOURCES = digest_of(float64, kernels, clw, pages)


def compiled(make: Callable[[str], Callable[..., Any]]) -> Callable[..., Any]:
    return njit(cache=True, **OPTIONS)(make(SOURCES))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def _sum(values, count):
    total = 0.0
    for i in range(count):
        total += values[i]
    return total


@njit(cache=True, nogil=True, forceinline=True)
def _add(total, lost, value):
    """One more piece, and what the rounding of the sum has lost so far."""
    after = total + value
    seen = after - total
    return after, lost + ((total - (after - seen)) + (value - seen))


def _piece(page: tuple[Any, ...], start: int) -> tuple[Any, ...]:
    return tuple(values[start : start + PIECE] for values in page)


def _of(page: tuple[Any, ...], i: int) -> tuple[Any, ...]:
    return tuple(values[i] for values in page)


# A page is (worth, kappa) or (worth, kappa, shape): written out, so that a loop over pages stays one of vectors.
@overload(_piece, inline="always")
def _compiled_piece(page, start):
    if len(page) == 2:
        return lambda page, start: (page[0][start : start + PIECE], page[1][start : start + PIECE])
    return lambda page, start: (
        page[0][start : start + PIECE], page[1][start : start + PIECE], page[2][start : start + PIECE]
    )


@overload(_of, inline="always")
def _compiled_of(page, i):
    if len(page) == 2:
        return lambda page, i: (page[0][i], page[1][i])
    return lambda page, i: (page[0][i], page[1][i], page[2][i])


def _totals(response: Callable[..., Any], sources: str) -> Callable[..., Any]:
    @njit(cache=True, **OPTIONS)
    def totals(page, price):
        """Total demand at a price, and its derivative."""
        sources  # noqa: B018
        bought, falling = np.empty(PIECE), np.empty(PIECE)
        total = change = lost = 0.0
        for start in range(0, page[0].size, PIECE):
            p = _piece(page, start)
            count = p[0].size
            for i in range(count):
                bought[i], falling[i] = response(*_of(p, i), price)
            total, lost = _add(total, lost, _sum(bought, count))
            change += _sum(falling, count)
        return total + lost, change

    return totals


def _fill(offer: Callable[..., Any], sources: str) -> Callable[..., Any]:
    @njit(cache=True, **OPTIONS)
    def fill(page, price, frequency):
        """Each page's demand; their total, and the sum of the values at this price."""
        sources  # noqa: B018
        values = np.empty(PIECE)
        total = least = total_lost = least_lost = 0.0
        for start in range(0, page[0].size, PIECE):
            p, x = _piece(page, start), frequency[start : start + PIECE]
            count = x.size
            for i in range(count):
                x[i], values[i] = offer(*_of(p, i), price)
            total, total_lost = _add(total, total_lost, _sum(x, count))
            least, least_lost = _add(least, least_lost, _sum(values, count))
        return total + total_lost, least + least_lost

    return fill


def _finish(stale: Callable[..., Any], sources: str) -> Callable[..., Any]:
    @njit(cache=True, **OPTIONS)
    def finish(page, frequency, scale):
        """Multiply the frequencies; the cost that they leave."""
        sources  # noqa: B018
        costs = np.empty(PIECE)
        total = lost = 0.0
        for start in range(0, page[0].size, PIECE):
            p, x = _piece(page, start), frequency[start : start + PIECE]
            count = x.size
            for i in range(count):
                x[i] *= scale
                costs[i] = stale(*_of(p, i), x[i])
            total, lost = _add(total, lost, _sum(costs, count))
        return total + lost

    return finish


def _each(demand: Callable[..., Any], sources: str) -> Callable[..., Any]:
    @njit(cache=True, **OPTIONS)
    def each(page, price, frequency):
        """The demand of each page at a price of its own."""
        sources  # noqa: B018
        for i in range(frequency.size):
            frequency[i] = demand(*_of(page, i), price[i])

    return each


def _histogram(size: Callable[..., Any], sources: str) -> Callable[..., Any]:
    @njit(cache=True, **OPTIONS)
    def histogram(worth, kappa, first, shift, mass, moment):
        """For each bin of worths the sum of the pages' sizes, and of sizes times worth.

        Bins are equal in the leading bits of a double, from those of ``first`` on.
        """
        sources  # noqa: B018
        begin = np.float64(first).view(np.int64) >> np.int64(shift)
        sizes = np.empty(PIECE)
        for start in range(0, worth.size, PIECE):
            a, k = worth[start : start + PIECE], kappa[start : start + PIECE]
            for i in range(a.size):
                sizes[i] = size(k[i])
            for i in range(a.size):
                at = (np.float64(a[i]).view(np.int64) >> np.int64(shift)) - begin
                mass[at] += sizes[i]
                moment[at] += sizes[i] * a[i]

    return histogram


EACH = {name: _each(pages.DEMAND[name], SOURCES) for name in pages.DEMAND}
TOTALS = {name: _totals(pages.RESPONSE[name], SOURCES) for name in pages.RESPONSE}
FILL = {name: _fill(pages.OFFER[name], SOURCES) for name in pages.OFFER}
FINISH = {name: _finish(pages.STALE[name], SOURCES) for name in pages.STALE}
HISTOGRAM = {name: _histogram(pages.SIZE[name], SOURCES) for name in pages.SIZE}


# A gamma law has kappa = shape log1p(mean rate/shape); an infinite shape stands for constant X.


@compiled
def gamma_pages(sources):
    def gamma_pages(rate, weight, scale, shape, mean, worth, kappa):
        """worth and kappa of each page, its weight times the scale; the sum of what no frequency can save."""
        sources  # noqa: B018
        lost = np.empty(PIECE)
        constant = 0.0
        for start in range(0, rate.size, PIECE):
            r, c = rate[start : start + PIECE], weight[start : start + PIECE]
            a, k = worth[start : start + PIECE], kappa[start : start + PIECE]
            count = r.size
            if np.isinf(shape):
                for i in range(count):
                    load = r[i] * mean
                    k[i] = load
                    a[i] = scale * c[i] / load
            else:
                for i in range(count):
                    load = r[i] * mean
                    stage = load / shape
                    k[i] = shape * float64._log1p(stage)
                    a[i] = scale * c[i] / load
                    lost[i] = scale * c[i] * (float64._less_log1p(stage) / stage)
                constant += _sum(lost, count)
        return constant

    return gamma_pages


@compiled
def gamma_kappa(sources):
    def gamma_kappa(rate, shape, mean, kappa):
        """kappa of pages of any rate >= 0."""
        sources  # noqa: B018
        if np.isinf(shape):
            for i in range(rate.size):
                kappa[i] = rate[i] * mean
        else:
            stage = mean / shape
            for i in range(rate.size):
                kappa[i] = shape * float64._log1p(rate[i] * stage)

    return gamma_kappa


@compiled
def gamma_sums(sources):
    def gamma_sums(rate, shape, mean):
        """Sum of the rates, and of kappa."""
        sources  # noqa: B018
        kappa = np.empty(PIECE)
        rates = kappas = rates_lost = kappas_lost = 0.0
        for start in range(0, rate.size, PIECE):
            r = rate[start : start + PIECE]
            gamma_kappa(r, shape, mean, kappa)
            rates, rates_lost = _add(rates, rates_lost, _sum(r, r.size))
            kappas, kappas_lost = _add(kappas, kappas_lost, _sum(kappa, r.size))
        return rates + rates_lost, kappas + kappas_lost

    return gamma_sums


@compiled
def gamma_shares(sources):
    def gamma_shares(rate, shape, mean, total, frequency):
        """(10): kappa over its total."""
        sources  # noqa: B018
        for start in range(0, rate.size, PIECE):
            x = frequency[start : start + PIECE]
            gamma_kappa(rate[start : start + PIECE], shape, mean, x)
            for i in range(x.size):
                x[i] = pages.optimal_frequency(x[i], total)

    return gamma_shares


@compiled
def gamma_growth(sources):
    def gamma_growth(rate, shape, mean, growth):
        """b of each page, and its sum."""
        sources  # noqa: B018
        total = lost = 0.0
        for start in range(0, rate.size, PIECE):
            r, b = rate[start : start + PIECE], growth[start : start + PIECE]
            if shape == 1.0:  # exponential: 1/h = 1 + mu E[X]
                for i in range(b.size):
                    b[i] = r[i] * mean
            else:
                gamma_kappa(r, shape, mean, b)
                for i in range(b.size):
                    b[i] = pages.growth(b[i])
            total, lost = _add(total, lost, _sum(b, b.size))
        return total + lost

    return gamma_growth


@njit(cache=True, **OPTIONS)
def divide(values, total):
    for i in range(values.size):
        values[i] = values[i] / total


@njit(cache=True, **OPTIONS)
def count_bad(values):
    """How many values are negative, infinite or nan, and how many are 0."""
    bad = zeros = 0
    for i in range(values.size):
        bad += not (values[i] >= 0.0 and values[i] <= 1.7976931348623157e308)
        zeros += values[i] == 0.0
    return bad, zeros
