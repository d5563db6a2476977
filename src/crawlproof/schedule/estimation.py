"""Change rates from a crawl log: at each access one learns only *whether* the page has changed.

A page that changes at the epochs of a Poisson process of rate r is found changed after an
interval I with probability 1 - exp(-r I). Intervals may be irregular, and several changes in
one interval look like one.

* ``empirical-bayes``, the default: a gamma law of the rates of all pages (or of those of each host) is
  fitted to the whole log, and each page's rate is the mean of its posterior. ``shape`` says how much is known: the
  posterior is about a gamma law with this mean and shape (exactly, where a page was never found changed). Pages without
  history get the prior. Give rate and shape to ``frequencies``: it plans for what is not known.
* ``maximum-likelihood``: the rate that makes the page's own log most likely. It is 0 for a page that was
  never found changed and infinite for one that always was.
* ``cho-garcia-molina``: the same with half an observation more, of an unchanged page after the
  mean interval. For regular intervals this is Cho and Garcia-Molina's estimator
  -log((n - X + 1/2)/(n + 1/2))/I, whose bias is small. It is 0 for a page that was never found
  changed and finite for one that always was.

The last two look at each page alone. A plan made of them drops every page that has not been seen to change yet.

Intervals are those between quantiles of the posterior for ``empirical-bayes``: with the prior that the log
suggests, such an interval contains the rate with the probability that is asked for, on average over pages. For
the others they are those of the likelihood ratio. They start at 0 for pages
that never changed and end at infinity for pages that always did. A page without any interval
(accessed once at most) then has rate 0, from 0 to infinity, and 0 observations. Nothing is ever nan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri

from crawlproof.schedule.inputs import whole_number
from crawlproof.schedule.posterior import Histories, Prior, fit_groups, fit_prior, posterior

Array = NDArray[np.float64]

EMPIRICAL_BAYES = "empirical-bayes"
#: The weight of the unchanged observation that each method of a page alone adds.
ALONE = {"cho-garcia-molina": 0.5, "maximum-likelihood": 0.0}
METHODS = (EMPIRICAL_BAYES, *ALONE)
#: Columns that say which pages are alike; the first that a log has counts.
GROUPS = ("host", "section")

_compiled = njit(cache=True, error_model="numpy")


@dataclass(frozen=True)
class RateEstimates:
    """Change rates per unit of the log's time, one for each page."""

    #: what the log calls each page: its index, or its text
    page: NDArray
    rate: Array
    #: ends of the confidence interval
    low: Array
    high: Array
    #: intervals of each page, and after how many it was found changed
    observations: NDArray[np.int64]
    changes: NDArray[np.int64]
    method: str
    confidence: float
    #: of the gamma law that stands for what is known of each rate: mean**2/variance; infinite where a
    #: method takes its estimate for the rate
    shape: Array
    #: what the log says about a page before one looks at the page: the law of all rates, in the log's time; with
    #: groups its rate is one for each page
    prior: Prior | None = None


@_compiled
def _log_likelihood(interval, changed, unchanged_time, rate):
    """Log-likelihood of one page, and its derivative by log(rate)."""
    value, slope = -unchanged_time * rate, -unchanged_time * rate
    for k in range(len(interval)):
        if changed[k]:
            x = rate * interval[k]
            if x < 0.6931471805599453:
                value += np.log(-np.expm1(-x))
                slope += x / np.expm1(x)
            else:
                decay = np.exp(-x)
                value += np.log1p(-decay)
                slope += x * decay / (1.0 - decay)
    return value, slope


@_compiled
def _most_likely(interval, changed, unchanged_time):
    """The rate at which the derivative vanishes: Newton, from the left of a convex function's root."""
    changes, changed_time = 0, 0.0
    for k in range(len(interval)):
        if changed[k]:
            changes += 1
            changed_time += interval[k]
    if changes == 0:
        return 0.0
    if unchanged_time == 0.0:
        return np.inf
    # x/(exp(x) - 1) >= 1 - x/2, so here the derivative is not negative yet.
    rate = changes / (unchanged_time + 0.5 * changed_time)
    for _ in range(200):
        excess, slope = -unchanged_time, 0.0
        for k in range(len(interval)):
            if changed[k]:
                # exp(-x) I/(1 - exp(-x)): nothing overflows
                none = np.exp(-rate * interval[k])
                some = -np.expm1(-rate * interval[k])
                excess += interval[k] * none / some
                slope += interval[k] ** 2 * none / some**2
        step = excess / slope
        rate += step
        if not step > 4e-16 * rate:  # monotone, so no step forward is rounding
            break
    return rate


@_compiled
def _crossing(interval, changed, unchanged_time, target, rate):
    """Where the log-likelihood, concave in log(rate), reaches the target: Newton from outside."""
    for _ in range(200):
        value, slope = _log_likelihood(interval, changed, unchanged_time, rate)
        step = (target - value) / slope
        rate *= np.exp(step)
        if abs(step) <= 1e-14 or value >= target:
            break
    return rate


@_compiled
def _estimate_all(starts, interval, changed, extra, drop, rate, low, high):
    """Rates and intervals of all pages; the observations of page i are starts[i] to starts[i + 1]."""
    for page in range(len(starts) - 1):
        own = interval[starts[page] : starts[page + 1]]
        seen = changed[starts[page] : starts[page + 1]]
        changes, unchanged_time, total_time, longest = 0, 0.0, 0.0, 0.0
        for k in range(len(own)):
            total_time += own[k]
            if seen[k]:
                changes += 1
                longest = max(longest, own[k])
            else:
                unchanged_time += own[k]
        if len(own) == 0:
            rate[page], low[page], high[page] = 0.0, 0.0, np.inf
            continue
        best = _most_likely(own, seen, unchanged_time)
        rate[page] = best if extra == 0.0 else _most_likely(own, seen, unchanged_time + extra * total_time / len(own))
        # The likelihood's supremum is 1 (its logarithm 0) for pages that never or always changed.
        peak = 0.0
        if 0.0 < best < np.inf:
            peak, _ = _log_likelihood(own, seen, unchanged_time, best)
        target = peak - drop
        low[page] = 0.0
        if changes > 0:
            # the likelihood is at most (rate longest)^changes
            low[page] = _crossing(own, seen, unchanged_time, target, np.exp(target / changes) / longest)
        high[page] = np.inf
        if unchanged_time > 0.0:
            # and at most exp(-rate unchanged_time)
            high[page] = _crossing(own, seen, unchanged_time, target, -target / unchanged_time)


@dataclass(frozen=True)
class _Observations:
    """Intervals between accesses, page by page."""

    index: NDArray[np.int64]
    interval: Array
    changed: NDArray[np.bool_]
    #: time since the last change where that is known, else nan
    age: Array


def estimate_rates(
    log: Mapping[str, ArrayLike] | Any, *, method: str = EMPIRICAL_BAYES, confidence: float = 0.95,
    pages: int | None = None, window: float | None = None, atom: bool = True,
) -> RateEstimates:
    """Change rates of pages, with intervals and with how much is known, from what their accesses found.

    Arguments:
        log: columns by name (a mapping, a structured array, a table): ``page``, page indices from 0 or
            texts (``url`` is taken if there is no ``page``); ``changed``, whether the access found a
            change since the one before it, nan where that is not known; and either ``interval``, the time since then, or ``time``,
            the time of the access. With ``time``, the rows may come in any order, and what the first
            access to a page found does not count. Optional: ``last_modified``, beside ``time`` and in its unit, the time
            of the last change where the access told it, else nan; and ``host`` or ``section``: pages of one of
            them (texts or numbers) have a prior of their own, as far as the log can tell.
        method: empirical-bayes, cho-garcia-molina or maximum-likelihood, see the head of this module
        confidence: of the intervals
        pages: how many there are, if pages are indices and some may be missing from the log
        window: only intervals that end within this time before the log's last access count
        atom: whether the prior has room for pages that never change; its share is fitted as well

    ``last_modified``, groups and the atom are for empirical-bayes; the other methods leave them aside.
    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}, choose one of {', '.join(METHODS)}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    names, index = _pages(log, pages)
    seen = _observed(log, index, window)
    count = len(names)
    observations = np.bincount(seen.index, minlength=count)
    changes = np.bincount(seen.index[seen.changed], minlength=count)
    if method == EMPIRICAL_BAYES:
        return _shrunk(names, seen, observations, changes, confidence, atom, _groups(log, index, count))
    starts = np.concatenate([[0], np.cumsum(observations)])
    rate, low, high = np.empty(count), np.empty(count), np.empty(count)
    drop = float(chdtri(1, 1 - confidence)) / 2
    _estimate_all(starts, seen.interval, seen.changed, ALONE[method], drop, rate, low, high)
    return RateEstimates(
        names, rate, low, high, observations, changes, method, confidence, np.full(count, np.inf)
    )


def _shrunk(
    names: NDArray, seen: _Observations, observations: NDArray[np.int64], changes: NDArray[np.int64], confidence: float,
    atom: bool, group: NDArray[np.int64] | None,
) -> RateEstimates:
    count = len(names)
    if not len(seen.interval):
        raise ValueError("no page has two accesses: there is nothing to learn change rates from")
    # In units of the mean interval nothing overflows.
    unit = float(np.mean(seen.interval))
    told, counted = ~np.isnan(seen.age), seen.changed & np.isnan(seen.age)
    unchanged = np.where(told, seen.age, np.where(seen.changed, 0.0, seen.interval)) / unit
    histories = Histories(
        known=np.bincount(seen.index[told], minlength=count).astype(np.float64),
        unchanged=np.bincount(seen.index, weights=unchanged, minlength=count),
        starts=np.concatenate([[0], np.cumsum(np.bincount(seen.index[counted], minlength=count))]),
        interval=seen.interval[counted] / unit,
    )
    prior = fit_prior(histories, atom=atom)
    if group is not None:
        prior = fit_groups(histories, prior, group, atom=atom)
    found = posterior(histories, prior, confidence)
    real = 1 - found.never
    return RateEstimates(
        names, real * found.mean / unit, found.low / unit, found.high / unit, observations, changes, EMPIRICAL_BAYES,
        # mean and variance of the mixture with the atom
        confidence, real / (1 / found.shape + found.never), Prior(prior.shape, prior.rate * unit, prior.never),
    )


def _observed(log: Any, index: NDArray[np.int64], window: float | None) -> _Observations:
    rows = len(index)
    changed, known = _changed(_column(log, "changed"), rows)
    if window is not None and not window > 0:
        raise ValueError(f"window must be > 0, got {window!r}")
    if _has(log, "interval"):
        for name, given in (("window", window is not None), ("last_modified", _has(log, "last_modified"))):
            if given:
                raise ValueError(f"{name} needs a column 'time', the log has 'interval'")
        interval = _numbers("interval", _column(log, "interval"), rows)
        if (interval <= 0).any():
            at = int(np.flatnonzero(interval <= 0)[0])
            raise ValueError(f"interval[{at}] must be > 0, got {float(interval[at])!r}")
        order = np.argsort(index, kind="stable")
        order = order[known[order]]
        return _Observations(index[order], interval[order], changed[order], np.full(len(order), np.nan))
    if not _has(log, "time"):
        raise ValueError("the log needs a column 'interval' or 'time'")
    times = _column(log, "time")
    time = _numbers("time", times, rows)
    modified = np.full(rows, np.nan)
    if _has(log, "last_modified"):
        modified = _moments("last_modified", _column(log, "last_modified"), times, rows)
    return _intervals(index, time, changed, known, modified, window)


def _has(log: Any, name: str) -> bool:
    known = getattr(log, "column_names", None)  # pyarrow
    if known is None:
        known = getattr(getattr(log, "dtype", None), "names", None)  # numpy records
    return name in (log if known is None else known)


def _column(log: Any, name: str) -> NDArray:
    if not _has(log, name):
        raise ValueError(f"the log needs a column {name!r}")
    column = np.asarray(log[name])
    if column.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {column.shape}")
    return column


def _numbers(name: str, column: NDArray, rows: int) -> Array:
    if column.dtype.kind == "M":
        if np.isnat(column).any():
            raise ValueError(f"{name}[{int(np.flatnonzero(np.isnat(column))[0])}] is missing")
        column = (column - column.min()) / np.timedelta64(1, "s")  # rates are per second
    try:
        values = column.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, got {column.dtype}") from None
    if len(values) != rows:
        raise ValueError(f"{name} has {len(values)} rows, page has {rows}")
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"{name}[{at}] must be finite, got {float(values[at])!r}")
    return values


def _pages(log: Any, pages: int | None) -> tuple[NDArray, NDArray[np.int64]]:
    """What the pages are called, and each row's place among them."""
    column = _column(log, "page" if _has(log, "page") or not _has(log, "url") else "url")
    if column.size == 0:
        raise ValueError("the log is empty")
    if column.dtype.kind in "iu":
        bad = (column < 0) if pages is None else (column < 0) | (column >= whole_number("pages", pages))
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            raise ValueError(f"page[{at}] must be a page index{'' if pages is None else f' below {pages}'}, got {column[at]}")
        return np.arange(int(column.max()) + 1 if pages is None else pages), column.astype(np.int64)
    if column.dtype.kind == "f":
        raise ValueError(f"page must be indices or texts, got {column.dtype}")
    if pages is not None:
        raise ValueError(f"pages={pages} goes with page indices only")
    names, index = np.unique(column.astype(str), return_inverse=True)
    return names, index.astype(np.int64)


def _changed(column: NDArray, rows: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether a change was found, and whether that is known."""
    if len(column) != rows:
        raise ValueError(f"changed has {len(column)} rows, page has {rows}")
    if column.dtype.kind == "b":
        return column, np.ones(rows, dtype=bool)
    unknown = np.isnan(column) if column.dtype.kind == "f" else np.zeros(rows, dtype=bool)
    bad = ~np.isin(column, (0, 1)) & ~unknown
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise ValueError(f"changed[{at}] must be true or false, got {column[at]!r}")
    return column == 1, ~unknown


def _moments(name: str, column: NDArray, times: NDArray, rows: int) -> Array:
    """Times that may be missing, counted as those of the column ``time`` are."""
    if len(column) != rows:
        raise ValueError(f"{name} has {len(column)} rows, page has {rows}")
    if (column.dtype.kind == "M") != (times.dtype.kind == "M"):
        raise ValueError(f"{name} must be of the kind of time, {times.dtype}, got {column.dtype}")
    if column.dtype.kind == "M":
        missing = np.isnat(column)
        moments = (column - times.min()) / np.timedelta64(1, "s")
        return np.where(missing, np.nan, moments)
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, got {column.dtype}") from None


def _groups(log: Any, index: NDArray[np.int64], count: int) -> NDArray[np.int64] | None:
    """Each page's group: that of its first row. Pages that the log does not have are a group of their own."""
    name = next((name for name in GROUPS if _has(log, name)), None)
    if name is None:
        return None
    column = _column(log, name)
    if len(column) != len(index):
        raise ValueError(f"{name} has {len(column)} rows, page has {len(index)}")
    _, code = np.unique(column if column.dtype.kind in "iu" else column.astype(str), return_inverse=True)
    group = np.full(count, code.max() + 1)
    group[index[::-1]] = code[::-1]  # the last write wins: the first row of each page
    return group


def _intervals(
    index: NDArray[np.int64], time: Array, changed: NDArray[np.bool_], known: NDArray[np.bool_], modified: Array,
    window: float | None,
) -> _Observations:
    """Intervals between accesses to the same page, page by page."""
    order = np.lexsort((time, index))
    index, time, changed, known, modified = (column[order] for column in (index, time, changed, known, modified))
    again = index[1:] == index[:-1]
    interval = np.diff(time)
    if (interval[again] <= 0).any():
        at = int(np.flatnonzero(again & (interval <= 0))[0]) + 1
        raise ValueError(f"time[{order[at]}] repeats the time of another access to the same page, {float(time[at])!r}")
    again &= known[1:]
    if window is not None:
        again &= time[1:] >= time.max() - window
    # A last change that is not within the interval says nothing that ``changed`` does not say better.
    age = time[1:] - modified[1:]
    told = changed[1:] & (age >= 0) & (age < interval)
    age[~told] = np.nan
    return _Observations(index[1:][again], interval[again], changed[1:][again], age[again])
