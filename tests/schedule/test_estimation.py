"""Rate estimates against closed forms, another optimiser, and logs simulated at known rates."""

import mpmath
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import chdtri

from crawlproof import schedule
from crawlproof.schedule import posterior

METHODS = ["empirical-bayes", "cho-garcia-molina", "maximum-likelihood"]


def simulated(rates, accesses, seed, regular=False):
    """A log made of change epochs: each page's Poisson process is laid out and looked at."""
    rng = np.random.default_rng(seed)
    page, time, changed = [], [], []
    for i, rate in enumerate(rates):
        times = np.cumsum(np.ones(accesses) if regular else rng.exponential(size=accesses) + 0.01)
        epochs = rng.random(rng.poisson(rate * times[-1])) * times[-1]
        found = np.diff(np.searchsorted(np.sort(epochs), times), prepend=0) > 0
        page += [i] * accesses
        time += times.tolist()
        changed += found.tolist()
    order = rng.permutation(len(page))
    return {"page": np.array(page)[order], "time": np.array(time)[order], "changed": np.array(changed)[order]}


@pytest.mark.parametrize("changes", range(13))
@pytest.mark.parametrize("interval", [1e-6, 1.0, 3600.0])
def test_regular_intervals_have_closed_forms(changes, interval):
    n = 12
    log = {"page": np.zeros(n, int), "interval": np.full(n, interval), "changed": np.arange(n) < changes}
    cho = schedule.estimate_rates(log, method="cho-garcia-molina")
    assert cho.rate[0] == pytest.approx(-np.log((n - changes + 0.5) / (n + 0.5)) / interval, rel=1e-13)
    likely = schedule.estimate_rates(log, method="maximum-likelihood")
    expected = np.inf if changes == n else -np.log1p(-changes / n) / interval
    assert likely.rate[0] == pytest.approx(expected, rel=1e-13)
    assert likely.low[0] <= cho.rate[0] <= likely.high[0]
    assert (likely.low[0] == 0) == (changes == 0)
    assert (likely.high[0] == np.inf) == (changes == n)


observations = st.lists(st.tuples(st.floats(1e-6, 1e6), st.booleans()), min_size=1, max_size=30)


@settings(max_examples=200, deadline=None)
@given(observations=observations, confidence=st.sampled_from([0.5, 0.95, 0.999]))
def test_irregular_intervals_against_another_root_finder(observations, confidence):
    interval = np.array([i for i, _ in observations])
    changed = np.array([c for _, c in observations])
    log = {"page": np.zeros(len(interval), int), "interval": interval, "changed": changed}
    found = schedule.estimate_rates(log, method="maximum-likelihood", confidence=confidence)
    planning = schedule.estimate_rates(log, method="cho-garcia-molina")
    rate, low, high = found.rate[0], found.low[0], found.high[0]
    assert not np.isnan([rate, low, high, planning.rate[0]]).any()
    assert low <= rate <= high
    assert planning.rate[0] < np.inf

    def likelihood(s):  # logarithmic, in s = log(rate)
        x = np.exp(s) * interval
        return np.sum(np.where(changed, np.log(-np.expm1(-x)), -x))

    def slope(s):
        x = np.minimum(np.exp(s) * interval, 700)
        return np.sum(np.where(changed, x / np.expm1(x), -x))

    assert found.changes[0] == changed.sum()
    if changed.any() and not changed.all():
        with np.errstate(over="ignore", divide="ignore"):
            s = brentq(slope, -45, 45, xtol=1e-14, rtol=1e-14)
            assert rate == pytest.approx(np.exp(s), rel=1e-9)
            target = likelihood(np.log(rate)) - chdtri(1, 1 - confidence) / 2
            scale = max(1.0, abs(target))
            assert abs(likelihood(np.log(low)) - target) < 1e-9 * scale
            assert abs(likelihood(np.log(high)) - target) < 1e-9 * scale
    elif changed.all():
        assert (rate, high) == (np.inf, np.inf)
    else:
        assert (rate, low) == (0.0, 0.0)
        assert high == pytest.approx(chdtri(1, 1 - confidence) / 2 / interval.sum(), rel=1e-12)


@pytest.mark.parametrize("regular", [True, False])
def test_intervals_cover_the_rates_of_simulated_logs(regular):
    rates = np.full(1500, 0.7)
    found = schedule.estimate_rates(
        simulated(rates, 40, seed=3, regular=regular), confidence=0.9, method="cho-garcia-molina"
    )
    covered = np.mean((found.low <= rates) & (rates <= found.high))
    # The likelihood ratio's coverage at 40 observations is 0.9 within 0.02, its noise here 0.008.
    assert 0.86 <= covered <= 0.94
    assert np.mean(found.rate) == pytest.approx(0.7, rel=0.03)


@pytest.mark.parametrize("method", METHODS)
def test_estimates_converge_to_the_rates(method):
    rates = np.geomspace(0.05, 2.0, 12)
    found = schedule.estimate_rates(simulated(rates, 20_000, seed=1), method=method)
    assert found.rate == pytest.approx(rates, rel=0.08)
    assert (found.high - found.low < 0.2 * rates).all()


def test_half_an_observation_takes_most_of_the_bias_away():
    log = simulated(np.full(4000, 1.0), 10, seed=5, regular=True)
    cho = schedule.estimate_rates(log, method="cho-garcia-molina").rate.mean()
    naive = np.mean(-np.log1p(-np.minimum(schedule.estimate_rates(log).changes / 10, 0.95)))
    assert abs(cho - 1) < 0.03 < abs(naive - 1)


@pytest.mark.parametrize("method", METHODS)
def test_units_and_order_do_not_matter(method):
    log = simulated(np.array([0.2, 1.0, 3.0]), 50, seed=2)
    first = schedule.estimate_rates(log, method=method)
    in_minutes = schedule.estimate_rates(log | {"time": log["time"] / 60}, method=method)
    # the prior is found to about the square root of the optimiser's tolerance
    rel = 1e-3 if method == "empirical-bayes" else 1e-9
    assert in_minutes.rate == pytest.approx(60 * first.rate, rel=rel)
    assert in_minutes.high == pytest.approx(60 * first.high, rel=rel)


def test_a_single_access_says_nothing():
    log = {"page": [0, 2, 2], "time": [1.0, 1.0, 2.0], "changed": [True, False, True]}
    alone = schedule.estimate_rates(log, pages=4, method="cho-garcia-molina")
    assert alone.observations.tolist() == [0, 0, 1, 0]
    assert (alone.rate[0], alone.low[0], alone.high[0]) == (0.0, 0.0, np.inf)
    among_others = schedule.estimate_rates(log, pages=4)
    assert among_others.rate[0] == among_others.rate[1] == among_others.rate[3] > 0
    assert among_others.rate[0] == pytest.approx(
        (1 - among_others.prior.never) * among_others.prior.shape / among_others.prior.rate
    )


def test_tables_and_names():
    table = pa.table({
        "url": ["b", "a", "a", "b"], "changed": [True, False, True, True],
        "time": np.array(["2026-01-01T00:00", "2026-01-01", "2026-01-02", "2026-01-03"], dtype="datetime64[ns]"),
    })
    found = schedule.estimate_rates(table, method="cho-garcia-molina")
    assert found.page.tolist() == ["a", "b"]
    day = 86400.0
    assert found.rate == pytest.approx(np.log(3) / np.array([day, 2 * day]), rel=1e-12)
    records = np.array([(0, 1.0, True)], dtype=[("page", int), ("interval", float), ("changed", bool)])
    assert schedule.estimate_rates(records, method="cho-garcia-molina").rate[0] == pytest.approx(np.log(3), rel=1e-14)


GOOD = {"page": [0, 0, 1], "interval": [1.0, 2.0, 3.0], "changed": [0, 1, 1]}
BAD = [
    ({"interval": [1.0, 0.0, 1.0]}, r"interval\[1\] must be > 0, got 0\.0"),
    ({"interval": [1.0, float("nan"), 1.0]}, r"interval\[1\] must be finite, got nan"),
    ({"interval": [1.0]}, "interval has 1 rows, page has 3"),
    ({"changed": [0, 1, 2]}, r"changed\[2\] must be true or false, got "),
    ({"changed": [0]}, "changed has 1 rows, page has 3"),
    ({"page": [0, -1, 0]}, r"page\[1\] must be a page index, got -1"),
    ({"page": [0.5, 1.0, 2.0]}, "page must be indices or texts, got float64"),
    ({"page": []}, "the log is empty"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_rows_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        schedule.estimate_rates(GOOD | change)


def test_bad_use_is_named():
    for missing in ("page", "changed"):
        with pytest.raises(ValueError, match=f"needs a column '{missing}'"):
            schedule.estimate_rates({k: v for k, v in GOOD.items() if k != missing})
    with pytest.raises(ValueError, match="needs a column 'interval' or 'time'"):
        schedule.estimate_rates({"page": [0], "changed": [True]})
    with pytest.raises(ValueError, match=r"time\[2\] repeats the time of another access to the same page, 1\.0"):
        schedule.estimate_rates({"page": [0, 1, 0], "time": [1.0, 1.0, 1.0], "changed": [1, 1, 1]})
    with pytest.raises(ValueError, match="unknown method 'mle'"):
        schedule.estimate_rates(GOOD, method="mle")
    with pytest.raises(ValueError, match="confidence must be between 0 and 1, got 95"):
        schedule.estimate_rates(GOOD, confidence=95)
    with pytest.raises(ValueError, match=r"page\[2\] must be a page index below 1, got 1"):
        schedule.estimate_rates(GOOD, pages=1)


# What is not known


def drawn(seed, pages, *, shape=0.8, never=0.0, visits=6, groups=None):
    """Histories under a gamma law of rates with mean 0.3, some of them 0."""
    rng = np.random.default_rng(seed)
    rate = np.where(rng.random(pages) < never, 0.0, rng.gamma(shape, 0.3 / shape, pages))
    if groups is not None:
        rate = rate * groups
    page = np.repeat(np.arange(pages), rng.integers(0, visits, pages))
    interval = rng.gamma(2.0, 1.0, len(page))
    changed = rng.random(len(page)) < -np.expm1(-rate[page] * interval)
    return rate, {"page": page, "interval": interval, "changed": changed}


def test_the_prior_is_found():
    _, log = drawn(1, 20_000)
    prior = schedule.estimate_rates(log, pages=20_000).prior
    assert prior.shape == pytest.approx(0.8, rel=0.08)
    assert prior.shape / prior.rate == pytest.approx(0.3, rel=0.03)
    assert prior.never < 0.03


def test_pages_that_never_change_are_seen():
    rate, log = drawn(2, 20_000, shape=2.0, never=0.4, visits=12)
    found = schedule.estimate_rates(log, pages=20_000)
    assert found.prior.never == pytest.approx(0.4, abs=0.03)
    assert found.prior.shape == pytest.approx(2.0, rel=0.15)
    assert np.mean((found.low <= rate) & (rate <= found.high)) > 0.94


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_intervals_are_honest(confidence):
    rate, log = drawn(3, 20_000)
    found = schedule.estimate_rates(log, pages=20_000, confidence=confidence)
    covered = np.mean((found.low <= rate) & (rate <= found.high))
    assert covered == pytest.approx(confidence, abs=4 * np.sqrt(confidence * (1 - confidence) / 20_000) + 0.005)


@pytest.mark.parametrize("intervals", [[2.0], [0.3, 4.0, 4.0], [1.0] * 40, []])
@pytest.mark.parametrize("known", [0, 3])
@pytest.mark.parametrize("shape", [0.05, 1.0, 30.0])
def test_posterior_against_adaptive_quadrature(intervals, known, shape):
    prior_rate, unchanged = 2.0, 1.5
    one = posterior.Histories(
        np.array([float(known)]), np.array([unchanged]), np.array([0, len(intervals)]), np.array(intervals)
    )
    found = posterior.posterior(one, posterior.Prior(shape, prior_rate), 0.9)
    with mpmath.workdps(20):
        def density(r):
            value = mpmath.mpf(prior_rate) ** shape * r ** (shape + known - 1) * mpmath.exp(-(prior_rate + unchanged) * r)
            for i in intervals:
                value *= -mpmath.expm1(-r * i)
            return value / mpmath.gamma(shape)

        # in log(rate): a shape of 0.05 has its mass at very small rates
        places = [-900, -400, -200, -100, -50, -25, -12, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5]
        moments = [mpmath.quad(lambda y, k=k: mpmath.exp((k + 1) * y) * density(mpmath.exp(y)), places) for k in range(3)]
        mean = moments[1] / moments[0]
        variance = moments[2] / moments[0] - mean**2
        assert found.mean[0] == pytest.approx(float(mean), rel=1e-6)
        assert found.shape[0] == pytest.approx(float(mean**2 / variance), rel=1e-5)
        assert found.log_evidence[0] == pytest.approx(float(mpmath.log(moments[0])), abs=1e-6)
        if shape >= 1:
            for end, share in ((found.low[0], 0.05), (found.high[0], 0.95)):
                below = mpmath.quad(density, [0, end / 100, end / 4, end]) / moments[0]
                assert float(below) == pytest.approx(share, abs=1e-3)


def test_a_few_pages_do_not_make_one_sure():
    found = schedule.estimate_rates({"page": [0, 0], "interval": [1.0, 1.0], "changed": [True, False]})
    assert 0 < found.shape[0] < 10
    assert found.low[0] < 0.7 * found.rate[0] < 1.3 * found.rate[0] < found.high[0]


def test_hosts_have_priors_of_their_own():
    groups = np.repeat([0.2, 5.0], 3_000)
    rate, log = drawn(4, 6_000, shape=3.0, visits=6, groups=groups)
    log["interval"] = log["interval"] / 4
    log["changed"] = np.random.default_rng(5).random(len(log["page"])) < -np.expm1(-rate[log["page"]] * log["interval"])
    seen = np.unique(log["page"])
    alone = schedule.estimate_rates(log, pages=6_000)
    host = np.where(np.arange(6_000) < 3_000, "slow.example", "fast.example")
    grouped = schedule.estimate_rates(log | {"host": host[log["page"]]}, pages=6_000)
    assert np.mean((grouped.rate - rate)[seen] ** 2) < 0.8 * np.mean((alone.rate - rate)[seen] ** 2)
    assert np.mean((grouped.low <= rate)[seen] & (rate <= grouped.high)[seen]) == pytest.approx(0.95, abs=0.03)
    assert np.array_equal(
        grouped.rate, schedule.estimate_rates(log | {"section": host[log["page"]]}, pages=6_000).rate
    )


def test_only_what_is_recent():
    log = {"page": [0] * 4 + [1] * 2, "time": [0.0, 1.0, 2.0, 10.0, 0.0, 10.0], "changed": [0, 1, 1, 0, 0, 1]}
    assert schedule.estimate_rates(log, window=5.0).observations.tolist() == [1, 1]
    assert schedule.estimate_rates(log).observations.tolist() == [3, 1]
    with pytest.raises(ValueError, match="window must be > 0, got -1"):
        schedule.estimate_rates(log, window=-1)
    with pytest.raises(ValueError, match="window needs a column 'time'"):
        schedule.estimate_rates(GOOD, window=1.0)


def test_last_modified_tells_more():
    rng = np.random.default_rng(6)
    rate = rng.gamma(1.0, 2.0, 3_000)
    times = np.cumsum(rng.gamma(2.0, 1.0, (3_000, 5)), axis=1)
    last = times - rng.exponential(1, times.shape) / rate[:, None]
    changed = last[:, 1:] > times[:, :-1]
    changed = np.hstack([np.zeros((3_000, 1), dtype=bool), changed])
    log = {"page": np.repeat(np.arange(3_000), 5), "time": times.ravel(), "changed": changed.ravel()}
    without = schedule.estimate_rates(log)
    told = schedule.estimate_rates(log | {"last_modified": np.where(changed, last, np.nan).ravel()})
    assert np.mean((told.rate - rate) ** 2) < 0.7 * np.mean((without.rate - rate) ** 2)
    assert np.mean((told.low <= rate) & (rate <= told.high)) == pytest.approx(0.95, abs=0.02)


def test_accesses_that_say_nothing_are_times_only():
    log = {"page": [0, 0, 0, 1, 1], "time": [0.0, 1.0, 3.0, 0.0, 2.0], "changed": [np.nan, np.nan, 1.0, 0.0, 0.0]}
    found = schedule.estimate_rates(log)
    assert found.observations.tolist() == [1, 1]
    same = {"page": [0, 1], "interval": [2.0, 2.0], "changed": [1, 0]}
    assert found.rate == pytest.approx(schedule.estimate_rates(same).rate, rel=1e-9)


def test_units_may_be_extreme():
    log = {"page": [0, 0, 1], "interval": np.array([1.0, 2.0, 3.0]), "changed": [0, 1, 1]}
    plain = schedule.estimate_rates(log)
    for scale in (1e-300, 1e300):
        found = schedule.estimate_rates(log | {"interval": log["interval"] * scale})
        assert found.rate * scale == pytest.approx(plain.rate, rel=1e-6)


def test_nothing_to_learn_from():
    with pytest.raises(ValueError, match="no page has two accesses"):
        schedule.estimate_rates({"page": [0, 1], "time": [0.0, 1.0], "changed": [0, 0]})
    never = schedule.estimate_rates({"page": [0, 1], "interval": [1.0, 1.0], "changed": [0, 0]})
    assert np.isfinite(never.rate).all()
    assert (never.rate > 0).all()
    always = schedule.estimate_rates({"page": [0, 1], "interval": [1.0, 1.0], "changed": [1, 1]})
    assert np.isfinite(always.rate).all()
