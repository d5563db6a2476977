"""Planning for rates that are known up to gamma laws, against closed forms, quadrature and other optimisers."""

import mpmath
import numpy as np
import pytest
from scipy import integrate, optimize, stats

from crawlproof import laws, schedule
from crawlproof.kernels import float64
from crawlproof.schedule.mixture import ERROR, Posteriors

CONSTANT = laws.Deterministic(1.0)
EXPONENTIAL = laws.Exponential(mean=1.0)


def instance(pages, seed=7):
    rng = np.random.default_rng(seed)
    shape = rng.gamma(0.5, 1, pages) + 0.3 + rng.integers(0, 5, pages)
    shape[::7] = np.inf
    shape[1::11] = 1.0
    return rng.gamma(1, 1, pages) * 3 / pages, rng.lognormal(0, 1.5, pages), shape


def expected(rate, weight, shape, frequency):
    """With X = 1, in mpmath."""
    total = mpmath.mpf(0)
    with mpmath.workdps(40):
        for r, c, a, f in zip(rate, weight, shape, frequency, strict=True):
            if f == 0:
                total += c
                continue
            t, a = mpmath.mpf(r) / f, mpmath.mpf(a)
            if mpmath.isinf(a):
                total += c * (1 + mpmath.expm1(-t) / t)
            elif a == 1:
                total += c * (1 - mpmath.log1p(t) / t)
            else:
                total += c * (1 - a / ((a - 1) * t) * (1 - (1 + t / a) ** (1 - a)))
        return float(total)


@pytest.mark.parametrize("pages", [1, 2, 40])
def test_cost_is_the_formula(pages):
    rate, weight, shape = instance(pages)
    plan = schedule.frequencies(rate, weight, access_time=CONSTANT, shape=shape)
    assert plan.frequency.sum() == pytest.approx(1, abs=1e-12)
    assert plan.cost == pytest.approx(expected(rate, weight, shape, plan.frequency), rel=1e-13)
    assert plan.gap < 1e-12 * plan.cost


def test_no_other_optimiser_does_better():
    rate, weight, shape = instance(12, seed=1)
    plan = schedule.frequencies(rate, weight, access_time=CONSTANT, shape=shape)

    def cost(logits):
        f = np.exp(logits - logits.max())
        f /= f.sum()
        return float(np.sum(weight * float64.gamma_chi(np.minimum(shape, 2.0**60), rate / f)))

    found = optimize.minimize(cost, np.log(plan.frequency + 1e-6), method="BFGS").fun
    start = optimize.minimize(cost, np.zeros(12), method="BFGS").fun
    assert min(found, start) >= plan.cost - plan.gap
    assert min(found, start) <= plan.cost * (1 + 1e-4)


@pytest.mark.parametrize("pages", [30, 6_000])
def test_many_pages_are_planned_as_few_are(pages):
    """The compiled passes against the price at which each page is content."""
    rate, weight, shape = instance(pages)
    plan = schedule.frequencies(rate, weight, access_time=CONSTANT, shape=shape)
    kept = plan.frequency > 0
    assert plan.price[kept] == pytest.approx(plan.multiplier, rel=1e-6)
    assert (plan.price[~kept] <= plan.multiplier * (1 + 1e-6)).all()
    assert plan.cost == pytest.approx(
        np.sum(weight * np.where(kept, float64.gamma_chi(np.minimum(shape, 2.0**60), rate / np.maximum(plan.frequency, 1e-300)), 1.0)),
        rel=1e-12,
    )
    assert plan.gap < 1e-12 * plan.cost


def test_pages_of_shape_up_to_one_are_never_dropped():
    rate, weight, shape = instance(3_000)
    plan = schedule.frequencies(rate, weight, access_time=laws.Deterministic(50.0), shape=shape)
    assert plan.dropped.any()
    assert not plan.dropped[shape <= 1].any()


def test_an_infinite_shape_is_a_known_rate():
    rate, weight, _ = instance(500)
    known = schedule.frequencies(rate, weight, access_time=CONSTANT)
    for shape in (np.inf, np.full(500, np.inf)):
        plan = schedule.frequencies(rate, weight, access_time=CONSTANT, shape=shape)
        assert np.array_equal(plan.frequency, known.frequency)
        assert plan.interval() == (plan.cost, plan.cost)
    nearly = schedule.frequencies(rate, weight, access_time=CONSTANT, shape=1e12)
    assert nearly.cost == pytest.approx(known.cost, rel=1e-9)


def test_rates_as_weights():
    """E[r stale(r)] = a/b - (f/m)(1 - (1 + m/(f b))^(-a))."""
    rate, _, shape = instance(40)
    shape = np.minimum(shape, 50.0)
    plan = schedule.frequencies(rate, access_time=CONSTANT, shape=shape)
    f, b = plan.frequency, shape / rate
    kept = f > 0
    cost = np.where(kept, rate - f * (1 - (1 + 1 / (np.where(kept, f, 1) * b)) ** -shape), rate).sum()
    assert plan.cost == pytest.approx(cost, rel=1e-12)
    for other in (f[::-1], np.full(40, 1 / 40)):
        assert np.sum(rate - other * (1 - (1 + 1 / (np.maximum(other, 1e-300) * b)) ** -shape)) >= plan.cost - plan.gap


@pytest.mark.parametrize("law", [EXPONENTIAL, laws.Gamma(mean=1.0, shape=3.0)], ids=["exponential", "gamma"])
@pytest.mark.parametrize("policy", ["spaced", "randomized"])
def test_other_laws_by_quadrature(law, policy):
    from crawlproof.formulas import randomized_obsolescence
    from crawlproof.schedule.evaluation import lower_bound

    rate, weight, shape = instance(12)
    shape = np.clip(shape, 0.3, 50.0)
    plan = schedule.frequencies(rate, weight, access_time=law, shape=shape, policy=policy)
    assert plan.frequency.sum() == pytest.approx(1, abs=1e-12)
    assert plan.gap < 1e-10 * plan.cost
    total = 0.0
    for r, c, a, f in zip(rate, weight, shape, plan.frequency, strict=True):
        if f == 0:
            total += c
            continue

        def stale(x, f=f):
            x = np.array([x])
            if policy == "spaced":
                return float(lower_bound(np.array([f]), x, law)[0])
            return float(randomized_obsolescence(f, x, law.mean, law.log_laplace(x))[0])

        posterior = stats.gamma(a, scale=r / a)
        value, _ = integrate.quad(
            lambda y, stale=stale, posterior=posterior: stale(np.exp(y)) * posterior.pdf(np.exp(y)) * np.exp(y),
            np.log(r) - 40 / min(a, 1), np.log(r) + 8, points=[np.log(r)], limit=400,
        )
        total += c * value
    assert plan.cost == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize(("low", "high", "error"), [(1e-3, 1.0, ERROR), (1.0, 1e12, 1e-10)])
def test_quadrature_keeps_its_error(low, high, error):
    """Against the closed form, which constant access times have."""
    rng = np.random.default_rng(0)
    shape = np.exp(rng.uniform(np.log(low), np.log(high), 4_000))
    age = np.exp(rng.uniform(np.log(1e-6), np.log(1e6), 4_000))
    mean, _ = Posteriors(np.full(4_000, 1e-3), shape, CONSTANT, "spaced").stale(np.ones(4_000), 1e-3 / age)
    assert np.abs(mean - float64.gamma_chi(shape, age)).max() < error


@pytest.mark.parametrize("weighted", [True, False])
def test_interval_has_its_confidence(weighted):
    rate, weight, shape = instance(60)
    shape = np.minimum(shape, 30.0)
    plan = schedule.frequencies(rate, weight if weighted else None, access_time=CONSTANT, shape=shape)
    rng = np.random.default_rng(3)
    costs = []
    for _ in range(4_000):
        true = rng.gamma(shape, rate / shape)
        age = true / np.maximum(plan.frequency, 1e-300)
        costs.append(np.sum((weight if weighted else true) * np.where(plan.frequency > 0, float64.chi(age), 1.0)))
    low, high = plan.interval(0.9)
    assert np.mean((low <= np.array(costs)) & (np.array(costs) <= high)) == pytest.approx(0.9, abs=0.03)
    assert np.mean(costs) == pytest.approx(plan.cost, rel=0.02)


def test_limits_hold():
    rate, weight, shape = instance(60)
    plan = schedule.frequencies(
        rate, weight, access_time=CONSTANT, shape=shape, max_interval=500.0, host=np.arange(60) % 3, host_cap=0.4
    )
    assert plan.frequency.sum() == pytest.approx(1, abs=1e-12)
    assert (plan.frequency >= 1 / 500 * (1 - 1e-12)).all()
    assert np.bincount(np.arange(60) % 3, weights=plan.frequency).max() <= 0.4 * (1 + 1e-12)
    assert plan.gap < 1e-10 * plan.cost


@pytest.mark.parametrize(("shape", "message"), [
    ([1.0, 0.0, 2.0], r"shape\[1\] must be > 0, got 0\.0"), ([1.0, 2.0, np.nan], r"shape\[2\] must be > 0, got nan"),
    ([1.0, 2.0], "shape must be one number or 3"), (-1.0, r"shape must be > 0, got -1\.0"), ("x", "shape must be numbers"),
])
def test_bad_shapes_are_named(shape, message):
    with pytest.raises(ValueError, match=message):
        schedule.frequencies([1.0, 2.0, 3.0], access_time=CONSTANT, shape=shape)


def test_pages_at_a_price_are_as_the_generated_formulas_say():
    """Compiled for one regime of shapes each, against the formulas of the claims."""
    from crawlproof import formulas
    from crawlproof.schedule import pages

    rng = np.random.default_rng(2)
    weight, kappa = rng.lognormal(0, 1, 500), rng.lognormal(-5, 1, 500)
    for name, shape in (("wide", 1 + rng.gamma(1, 2, 500)), ("narrow", rng.random(500)), ("gamma", rng.gamma(1, 1, 500))):
        worth = weight / kappa
        price = worth * rng.random(500) * np.where(shape > 1, shape / np.maximum(shape - 1, 1e-9), 3.0).clip(max=3.0) * 0.99
        frequency = pages.DEMAND[name](worth, kappa, shape, price)
        some = frequency < pages.MOST
        x, c, k, a = frequency[some], weight[some], kappa[some], shape[some]
        assert formulas.uncertain_marginal_value(c, k, a, x) == pytest.approx(price[some], rel=1e-11)
        _, value = pages.OFFER[name](worth, kappa, shape, price)
        assert value[some] == pytest.approx(formulas.uncertain_page_value(c, a, k / x), rel=1e-12)
        stale = pages.STALE[name](worth, kappa, shape, frequency)[some]
        assert stale == pytest.approx(c * formulas.uncertain_obsolescence(a, k / x), rel=1e-13)
        assert value[some] == pytest.approx(stale + price[some] * x, rel=1e-11)
