"""Optimal frequencies: against 50 digits, an independent solver, their invariances, and bad input."""

from __future__ import annotations

import math
import multiprocessing
import sys

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf
from scipy import optimize

from crawlproof import laws
from crawlproof.schedule import Plan, frequencies

POLICIES = ["spaced", "randomized"]
LAWS = [
    laws.Exponential(mean=2.0),
    laws.Deterministic(0.5),
    laws.Gamma(shape=0.25, mean=1.0),
    laws.TwoPoint((0.0, 100.0), (0.99, 0.01)),
    laws.Pareto(shape=1.5, mean=1.0),
]
# rates over 18 orders of magnitude, weights over 30
wide_pages = st.lists(
    st.tuples(st.floats(-12, 6).map(lambda e: 10.0**e), st.floats(-15, 15).map(lambda e: 10.0**e)), min_size=1, max_size=12
)
# what one crawler sees: some pages dropped, some not
pages = st.lists(
    st.tuples(st.floats(-3, 1).map(lambda e: 10.0**e), st.floats(-2, 2).map(lambda e: 10.0**e)), min_size=1, max_size=8
)
law_of = st.sampled_from(LAWS)
policy_of = st.sampled_from(POLICIES)
many = settings(max_examples=60)


def split(found: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([r for r, _ in found]), np.array([w for _, w in found])


def check(plan: Plan) -> None:
    """What every plan promises."""
    assert abs(math.fsum(plan.frequency) - 1) <= 1e-12
    assert (plan.frequency >= 0).all()
    assert 0 <= plan.gap <= 1e-12 * plan.cost
    assert (plan.dropped == (plan.frequency == 0)).all()


# Against many digits. The reference knows nothing of kernels, ages or demand: it evaluates
# the cost of Theorem 3.3 or Lemma 4.1 as printed, and the dual bound by the Lambert function.


def exact_kappa(law: laws.Law, rate: float) -> mpf:
    """-ln h for the laws used here, from their definitions."""
    r = mpf(rate)
    if isinstance(law, laws.Exponential):
        return mpmath.log1p(r * mpf(law.mean))
    if isinstance(law, laws.Deterministic):
        return r * mpf(law.value)
    assert isinstance(law, laws.TwoPoint)
    # 1 - h, so that the probabilities sum to 1 although their floats need not
    return -mpmath.log1p(sum(mpf(p) * mpmath.expm1(-r * mpf(v)) for p, v in zip(law.probabilities, law.values, strict=True)))


def exact_mean(law: laws.Law) -> mpf:
    """E X of the same law: its floats as they are, not their rounded sum."""
    if isinstance(law, laws.TwoPoint):
        return sum(mpf(p) * mpf(v) for p, v in zip(law.probabilities, law.values, strict=True))
    return mpf(law.mean)


def exact_cost(policy: str, law: laws.Law, rate: float, weight: float, x: mpf) -> mpf:
    c, mu = mpf(weight), mpf(rate)
    if x == 0:
        return c
    kappa, load = exact_kappa(law, rate), mu * exact_mean(law)
    if policy == "spaced":
        return c * (1 - x * (1 - mpmath.exp(-kappa / x)) / load)
    h = mpmath.exp(-kappa)
    return c * (1 - x * (1 - h) / (1 - h + h * x) / load)


def exact_demand(policy: str, law: laws.Law, rate: float, weight: float, price: mpf) -> mpf:
    worth = mpf(weight) / (mpf(rate) * exact_mean(law))
    if price >= worth:
        return mpf(0)
    kappa = exact_kappa(law, rate)
    if policy == "spaced":
        return -kappa / (1 + mpmath.lambertw((price / worth - 1) / mpmath.e, -1).real)
    return mpmath.expm1(kappa) * (mpmath.sqrt(worth / price) - 1)


def exact_optimum(policy: str, law: laws.Law, rate: np.ndarray, weight: np.ndarray) -> tuple[list[mpf], mpf]:
    """Frequencies and cost by bisection on the price."""
    low, high = mpf(0), max(mpf(w) / (mpf(r) * exact_mean(law)) for r, w in zip(rate, weight, strict=True))
    for _ in range(250):
        middle = (low + high) / 2
        total = sum(exact_demand(policy, law, r, w, middle) for r, w in zip(rate, weight, strict=True))
        low, high = (middle, high) if total > 1 else (low, middle)
    x = [exact_demand(policy, law, r, w, low) for r, w in zip(rate, weight, strict=True)]
    x = [v / sum(x) for v in x]
    return x, sum(exact_cost(policy, law, r, w, v) for r, w, v in zip(rate, weight, x, strict=True))


@given(found=pages, law=st.sampled_from([LAWS[0], LAWS[1], LAWS[3]]), policy=policy_of)
@settings(max_examples=25)
def test_against_fifty_digits(found: list[tuple[float, float]], law: laws.Law, policy: str) -> None:
    rate, weight = split(found)
    plan = frequencies(rate, weight, access_time=law, policy=policy)
    check(plan)
    with mpmath.workdps(80):
        exact, cost = exact_optimum(policy, law, rate, weight)
        ours = [mpf(float(v)) for v in plan.frequency]
        actual = sum(exact_cost(policy, law, r, w, v) for r, w, v in zip(rate, weight, ours, strict=True))
        assert abs(mpf(plan.cost) - actual) <= 1e-13 * actual
        assert actual - cost <= mpf(plan.gap)
        # the cost is flat at its minimum: frequencies are known to the square root of the gap only where it is
        assert max(abs(a - b) for a, b in zip(ours, exact, strict=True)) <= 1e-6


@given(
    found=st.lists(
        st.tuples(st.floats(-14, -5).map(lambda e: 10.0**e), st.floats(-2, 2).map(lambda e: 10.0**e)), min_size=1, max_size=4
    ),
    law=st.sampled_from([LAWS[0], LAWS[1], LAWS[3]]),
    policy=policy_of,
)
@settings(max_examples=20)
def test_rare_changes_against_fifty_digits(found: list[tuple[float, float]], law: laws.Law, policy: str) -> None:
    """A robot that is much faster than the pages: costs are small differences, and have to be right."""
    rate, weight = split(found)
    for weights in (weight, rate):
        plan = frequencies(rate, weights, access_time=law, policy=policy)
        check(plan)
        with mpmath.workdps(80):
            ours = [mpf(float(v)) for v in plan.frequency]
            # the frequencies sum to 1 up to rounding, which the printed cost reacts to
            actual = sum(exact_cost(policy, law, r, w, v) for r, w, v in zip(rate, weights, ours, strict=True))
            assert abs(mpf(plan.cost) - actual) <= 1e-13 * actual


def test_a_page_too_slow_for_a_float_price() -> None:
    """kappa = 100: at the optimum 1 - price/worth is about 1e-42."""
    law = laws.Deterministic(1.0)
    plan = frequencies([100.0, 1e-3], [1.0, 1e-30], access_time=law)
    check(plan)
    assert plan.frequency[0] == 1.0
    plan = frequencies([100.0, 100.0], [1.0, 1.0 + 2**-40], access_time=law)
    check(plan)
    # nearly the same worth, no memory: the second page takes all that the first does not need
    with mpmath.workdps(80):
        _, cost = exact_optimum("spaced", law, np.array([100.0, 100.0]), np.array([1.0, 1.0 + 2**-40]))
        assert abs(mpf(plan.cost) - cost) <= 1e-14 * cost


@given(found=wide_pages, law=law_of, policy=policy_of)
@many
def test_any_magnitudes(found: list[tuple[float, float]], law: laws.Law, policy: str) -> None:
    rate, weight = split(found)
    check(frequencies(rate, weight, access_time=law, policy=policy))
    check(frequencies(rate, access_time=law, policy=policy))


# Against an independent solver


@pytest.mark.parametrize("policy", POLICIES)
def test_against_a_convex_solver(policy: str) -> None:
    rng = np.random.default_rng(5)
    law = laws.Exponential(mean=1.0)
    for _ in range(6):
        size = int(rng.integers(2, 12))
        rate, weight = rng.lognormal(0, 1, size) / size * 3, rng.lognormal(0, 1, size)
        h = np.exp(law.log_laplace(rate))

        def cost(x: np.ndarray, rate: np.ndarray = rate, weight: np.ndarray = weight, h: np.ndarray = h) -> float:
            x = np.maximum(x, 1e-12)
            fresh = x * (1 - h ** (1 / x)) if policy == "spaced" else x * (1 - h) / (1 - h + h * x)
            return float(np.sum(weight * (1 - fresh / (rate * law.mean))))

        start = np.full(size, 1 / size)
        sum_to_one = {"type": "eq", "fun": lambda x: x.sum() - 1}
        theirs = optimize.minimize(
            cost, start, method="SLSQP", bounds=[(0, 1)] * size, constraints=[sum_to_one], options={"ftol": 1e-14, "maxiter": 500}
        )
        plan = frequencies(rate, weight, access_time=law, policy=policy)
        check(plan)
        assert cost(plan.frequency) == pytest.approx(plan.cost, rel=1e-9)
        assert plan.cost - plan.gap <= cost(theirs.x / theirs.x.sum()) * (1 + 1e-12)
        assert plan.cost == pytest.approx(theirs.fun, rel=1e-6)


def test_limits_against_a_convex_solver() -> None:
    rng = np.random.default_rng(6)
    law = laws.Deterministic(1.0)
    for _ in range(6):
        size = 9
        rate, weight = rng.lognormal(0, 1, size) / 3, rng.lognormal(0, 1, size)
        host = np.arange(size) % 3
        cap = np.array([0.3, 0.45, 0.5])
        upper, lower = 0.25, 0.01
        plan = frequencies(
            rate, weight, access_time=law, host=host, host_cap=cap, min_interval=1 / upper, max_interval=1 / lower
        )
        check(plan)
        assert (plan.frequency <= upper * (1 + 1e-12)).all()
        assert (plan.frequency >= lower * (1 - 1e-12)).all()
        assert (np.bincount(host, plan.frequency) <= cap * (1 + 1e-12)).all()

        def cost(x: np.ndarray, rate: np.ndarray = rate, weight: np.ndarray = weight) -> float:
            return float(np.sum(weight * (1 - x * -np.expm1(-rate / x) / rate)))

        theirs = optimize.minimize(
            cost, np.full(size, 1 / size), method="SLSQP", bounds=[(lower, upper)] * size,
            constraints=[
                {"type": "eq", "fun": lambda x: x.sum() - 1},
                {"type": "ineq", "fun": lambda x, host=host, cap=cap: cap - np.bincount(host, x)},
            ],
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert plan.cost - plan.gap <= theirs.fun * (1 + 1e-9)
        assert plan.cost == pytest.approx(theirs.fun, rel=1e-6)


@given(found=st.lists(pages.filter(lambda p: len(p) >= 3), min_size=1, max_size=1), policy=policy_of, law=law_of)
@many
def test_limits_are_kept_and_certified(found: list, policy: str, law: laws.Law) -> None:
    rate, weight = split(found[0])
    size = len(rate)
    host = np.arange(size) % 2
    plan = frequencies(
        rate, weight, access_time=law, policy=policy, host=host, host_cap=[0.6, 0.7],
        min_interval=law.mean * 1.25, max_interval=law.mean * 10 * size,
    )
    check(plan)
    assert (np.bincount(host, plan.frequency) <= np.array([0.6, 0.7]) * (1 + 1e-12)).all()
    assert plan.frequency.min() >= 0.1 / size * (1 - 1e-12)
    assert plan.frequency.max() <= 0.8 * (1 + 1e-12)
    assert (plan.host_price >= 0).all()
    free = frequencies(rate, weight, access_time=law, policy=policy)
    assert free.cost - free.gap <= plan.cost


@given(found=wide_pages.filter(lambda p: len(p) >= 3), policy=policy_of, law=law_of)
@many
def test_limits_at_any_magnitude(found: list, policy: str, law: laws.Law) -> None:
    """Host prices may be many orders of magnitude above the common one."""
    rate, weight = split(found)
    host = np.arange(len(rate)) % 3
    plan = frequencies(
        rate, weight, access_time=law, policy=policy, host=host, host_cap=0.4, max_interval=law.mean * 3e3 * len(rate)
    )
    check(plan)
    assert (np.bincount(host, plan.frequency) <= 0.4 * (1 + 1e-12)).all()
    assert plan.frequency.min() >= 1 / (3e3 * len(rate)) * (1 - 1e-12)


def test_limits_that_do_not_bind_change_nothing() -> None:
    rate, weight = np.array([0.1, 0.5, 2.0]), np.array([1.0, 2.0, 0.5])
    law = laws.Exponential(mean=1.0)
    plan = frequencies(rate, weight, access_time=law)
    same = frequencies(rate, weight, access_time=law, min_interval=0.0, max_interval=math.inf, host=[0, 1, 2], host_cap=1.0)
    np.testing.assert_allclose(same.frequency, plan.frequency, rtol=1e-7)
    assert same.cost == pytest.approx(plan.cost, rel=1e-13)
    assert (same.host_price == 0).all()


# Prices


@given(found=pages, law=law_of, policy=policy_of)
@many
def test_prices_satisfy_the_conditions(found: list[tuple[float, float]], law: laws.Law, policy: str) -> None:
    """Kuhn and Tucker: accessed pages have one price, dropped ones are worth no more."""
    rate, weight = split(found)
    plan = frequencies(rate, weight, access_time=law, policy=policy)
    np.testing.assert_allclose(plan.price[~plan.dropped], plan.multiplier, rtol=1e-8)
    assert (plan.price[plan.dropped] <= plan.multiplier * (1 + 1e-12)).all()


def test_the_dropped_page_of_the_paper() -> None:
    """X = 1, both rates 1, weights 1 and c: page 2 is dropped exactly when c <= 1 - 2/e."""
    law = laws.Deterministic(1.0)
    edge = 1 - 2 / math.e
    assert frequencies([1.0, 1.0], [1.0, edge * 0.999], access_time=law).dropped.tolist() == [False, True]
    assert frequencies([1.0, 1.0], [1.0, edge * 1.001], access_time=law).dropped.tolist() == [False, False]


# Invariances


def same(one: Plan, other: Plan, scale: float = 1.0) -> None:
    """Equal up to what the cost, flat at its minimum, determines."""
    assert other.cost == pytest.approx(scale * one.cost, rel=1e-13)
    np.testing.assert_allclose(other.frequency, one.frequency, rtol=0, atol=2e-7)


@given(found=pages, law=law_of, policy=policy_of, scale=st.floats(-12, 12).map(lambda e: 10.0**e))
@many
def test_scale_of_weights(found: list, law: laws.Law, policy: str, scale: float) -> None:
    rate, weight = split(found)
    one = frequencies(rate, weight, access_time=law, policy=policy)
    other = frequencies(rate, weight * scale, access_time=law, policy=policy)
    same(one, other, scale)
    assert other.multiplier == pytest.approx(scale * one.multiplier, rel=1e-8)


@given(found=pages, policy=policy_of, factor=st.integers(-20, 20).map(lambda e: 2.0**e))
@many
def test_units_of_time(found: list, policy: str, factor: float) -> None:
    rate, weight = split(found)
    one = frequencies(rate, weight, access_time=laws.Exponential(mean=2.0), policy=policy)
    other = frequencies(rate / factor, weight, access_time=laws.Exponential(mean=2.0 * factor), policy=policy)
    same(one, other)


@given(found=pages, law=law_of, policy=policy_of, seed=st.integers(0, 99))
@many
def test_order_of_pages(found: list, law: laws.Law, policy: str, seed: int) -> None:
    rate, weight = split(found)
    order = np.random.default_rng(seed).permutation(len(rate))
    one = frequencies(rate, weight, access_time=law, policy=policy)
    other = frequencies(rate[order], weight[order], access_time=law, policy=policy)
    assert other.cost == pytest.approx(one.cost, rel=1e-13)
    np.testing.assert_allclose(other.frequency, one.frequency[order], rtol=0, atol=2e-7)


@given(found=pages, share=st.floats(0.1, 0.9))
@many
def test_splitting_a_page(found: list, share: float) -> None:
    """With X constant, a page and its two parts (changes, weight and accesses shared out) cost the same."""
    rate, weight = split(found)
    law = laws.Deterministic(0.5)
    one = frequencies(rate, weight, access_time=law)
    parts = np.array([share, 1 - share])
    other = frequencies(
        np.concatenate([rate[0] * parts, rate[1:]]), np.concatenate([weight[0] * parts, weight[1:]]), access_time=law
    )
    assert other.cost == pytest.approx(one.cost, rel=1e-12)
    assert other.frequency[:2].sum() == pytest.approx(one.frequency[0], abs=2e-7)


@pytest.mark.parametrize("policy", POLICIES)
def test_closed_form_and_general_solver_agree(policy: str) -> None:
    """Proportional weights through the closed form, and nearly proportional ones through the solver."""
    rate = np.random.default_rng(1).lognormal(0, 2, 50) / 20
    law = laws.Exponential(mean=1.0)
    closed = frequencies(rate, access_time=law, policy=policy)
    check(closed)
    general = frequencies(rate, rate * (1 + 1e-13 * np.arange(50)), access_time=law, policy=policy)
    np.testing.assert_allclose(general.frequency, closed.frequency, rtol=1e-7)
    assert general.cost == pytest.approx(closed.cost, rel=1e-11)
    kappa = -law.log_laplace(rate)
    expected = kappa if policy == "spaced" else np.expm1(kappa)
    np.testing.assert_allclose(closed.frequency, expected / expected.sum(), rtol=1e-14)
    doubled = frequencies(rate, 2 * rate, access_time=law, policy=policy)
    assert doubled.cost == pytest.approx(2 * closed.cost, rel=1e-15)


@pytest.mark.parametrize("policy", POLICIES)
def test_one_page_and_equal_pages(policy: str) -> None:
    law = laws.Exponential(mean=1.0)
    single = frequencies([0.3], [7.0], access_time=law, policy=policy)
    check(single)
    assert single.frequency.tolist() == [1.0]
    equal = frequencies(np.full(7, 0.3), np.full(7, 2.0), access_time=law, policy=policy)
    check(equal)
    np.testing.assert_allclose(equal.frequency, 1 / 7, rtol=1e-15)


@pytest.mark.parametrize("policy", POLICIES)
def test_pages_that_need_no_access(policy: str) -> None:
    law = laws.Exponential(mean=1.0)
    plan = frequencies([0.3, 0.0, 0.5, 0.4], [1.0, 5.0, 0.0, 1.0], access_time=law, policy=policy)
    check(plan)
    assert plan.dropped.tolist() == [False, True, True, False]
    without = frequencies([0.3, 0.4], [1.0, 1.0], access_time=law, policy=policy)
    assert plan.cost == without.cost
    assert plan.price[1] == plan.price[2] == 0
    by_default = frequencies([0.3, 0.0, 0.4], access_time=law, policy=policy)
    check(by_default)
    assert by_default.frequency[1] == 0


# Many pages: compiled passes, which must do what numpy does on few


def many_pages(size: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.lognormal(0, 1.5, size) / size, rng.lognormal(0, 1.5, size)


@pytest.mark.parametrize("law", [LAWS[0], LAWS[1], LAWS[2], laws.Uniform(0.5, 2.0)], ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("proportional", [False, True])
def test_many_pages_as_few(law: laws.Law, policy: str, proportional: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rate, weight = many_pages(30_000)
    solver = sys.modules["crawlproof.schedule.frequencies"]
    plans = []
    for threshold, threads in ((10**9, 10**9), (1000, 10**9), (1000, 2000)):
        monkeypatch.setattr(solver, "MANY", threshold)
        monkeypatch.setattr(solver, "MANY_FOR_THREADS", threads)
        plans.append(frequencies(rate, None if proportional else weight, access_time=law, policy=policy))
        check(plans[-1])
    for plan in plans[1:]:
        assert plan.cost == pytest.approx(plans[0].cost, rel=1e-13)
        assert plan.multiplier == pytest.approx(plans[0].multiplier, rel=1e-6)
        # the demand of a page that is nearly dropped reacts to the last digits of the price
        assert np.abs(plan.frequency - plans[0].frequency).sum() <= 1e-5
        np.testing.assert_allclose(plan.price, plans[0].price, rtol=1e-5)


@pytest.mark.parametrize("policy", POLICIES)
def test_many_pages_of_any_magnitude(policy: str) -> None:
    rng = np.random.default_rng(4)
    rate, weight = 10.0 ** rng.uniform(-12, 6, 30_000), 10.0 ** rng.uniform(-15, 15, 30_000)
    check(frequencies(rate, weight, access_time=laws.Exponential(mean=1.0), policy=policy))
    weight[::7] = 0
    rate[::5] = 0
    plan = frequencies(rate, weight, access_time=laws.Exponential(mean=1.0), policy=policy)
    check(plan)
    assert plan.dropped[::5].all()
    check(frequencies(rate * 1e-9, access_time=laws.Exponential(mean=1e-6), policy=policy))


@pytest.mark.parametrize("policy", POLICIES)
def test_limits_on_many_pages_as_on_few(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rate, weight = many_pages(3000)
    host = np.arange(3000) % 40
    solver = sys.modules["crawlproof.schedule.frequencies"]
    plans = []
    for threshold in (10**9, 1000):
        monkeypatch.setattr(solver, "MANY", threshold)
        plans.append(
            frequencies(rate, weight, access_time=LAWS[0], policy=policy, host=host, host_cap=0.027, max_interval=2.0 * 3e5)
        )
        check(plans[-1])
    assert (plans[0].host_price > 0).any()
    assert plans[1].cost == pytest.approx(plans[0].cost, rel=1e-13)
    np.testing.assert_allclose(plans[1].frequency, plans[0].frequency, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(plans[1].host_price, plans[0].host_price, rtol=1e-9, atol=1e-9 * plans[0].multiplier)


def test_one_worth_for_many_pages() -> None:
    """All pages in one bin, and half of them in another that is one rounding away."""
    rate = np.linspace(0.5, 2.0, 25_000) / 10_000
    weight = rate.copy()
    weight[::2] *= 1 + 2**-40
    check(frequencies(rate, weight, access_time=laws.Deterministic(1.0)))


def test_bad_input_among_many() -> None:
    rate, weight = many_pages(30_000)
    rate[12_345] = math.nan
    with pytest.raises(ValueError, match=r"change_rate\[12345\] must be finite and >= 0, got nan"):
        frequencies(rate, weight, access_time=laws.Exponential(mean=1.0))
    rate[12_345] = 1.0
    weight[77] = -1.0
    with pytest.raises(ValueError, match=r"weight\[77\] must be finite and >= 0, got -1.0"):
        frequencies(rate, weight, access_time=laws.Exponential(mean=1.0))


# Bad input

X = laws.Exponential(mean=1.0)
TWO = [1.0, 2.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"change_rate": [1.0, -2.0]}, "change_rate[1] must be finite and >= 0, got -2.0"),
        ({"change_rate": [1.0, math.nan]}, "change_rate[1] must be finite and >= 0, got nan"),
        ({"change_rate": [math.inf, 1.0]}, "change_rate[0] must be finite and >= 0, got inf"),
        ({"change_rate": []}, "change_rate is empty"),
        ({"change_rate": [0.0, 0.0]}, "all change rates are 0"),
        ({"change_rate": [[1.0]]}, "change_rate must have one dimension, got shape (1, 1)"),
        ({"change_rate": TWO, "weight": [1.0]}, "weight has 1 entries, needs 2"),
        ({"change_rate": TWO, "weight": [1.0, -1.0]}, "weight[1] must be finite and >= 0, got -1.0"),
        ({"change_rate": TWO, "weight": [0.0, 0.0]}, "no page has both a weight and a change rate > 0"),
        ({"change_rate": [1.0, 0.0], "weight": [0.0, 1.0]}, "no page has both a weight and a change rate > 0"),
        ({"change_rate": TWO, "policy": "best"}, "policy must be one of spaced, randomized, got 'best'"),
        ({"change_rate": TWO, "access_time": 3.0}, "access_time must be a law"),
        ({"change_rate": [1e-310, 1.0], "weight": TWO}, "change_rate[0] is too small"),
        ({"change_rate": TWO, "host": [0, 1]}, "host and host_cap go together"),
        ({"change_rate": TWO, "host": [0, -1], "host_cap": 1.0}, "host[1] must be >= 0, got -1"),
        ({"change_rate": TWO, "host": [0, 1.5], "host_cap": 1.0}, "host must be 2 integers"),
        ({"change_rate": TWO, "host": [0, 1], "host_cap": [1.0]}, "host_cap must be one number or 2"),
        ({"change_rate": TWO, "host": [0, 1], "host_cap": [1.0, math.nan]}, "host_cap[1] must be > 0, got nan"),
        ({"change_rate": TWO, "max_interval": 1.5}, "max_interval asks for 1.33333 times as many accesses"),
        ({"change_rate": TWO, "max_interval": [9.0, math.nan]}, "max_interval[1] must be >= 0, got nan"),
        ({"change_rate": TWO, "max_interval": [9.0]}, "max_interval must be one number or 2"),
        ({"change_rate": TWO, "min_interval": 2.0, "max_interval": [4.0, 1.75]}, "page 1: max_interval 1.75 is below min_interval 2"),
        (
            {"change_rate": TWO, "max_interval": [2.5, 9.0], "host": [0, 1], "host_cap": [0.3, 1.0]},
            "host 0: max_interval asks for a share of 0.4 of the accesses, host_cap is 0.3",
        ),
    ],
)
def test_bad_input(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message is compared below)
        frequencies(**{"access_time": X, **arguments})
    assert str(caught.value).startswith(message)


def _cost(rate: np.ndarray, weight: np.ndarray) -> float:
    return frequencies(rate, weight, access_time=X).cost


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    rng = np.random.default_rng(3)
    rate, weight = rng.lognormal(size=(2, 250_000))
    here = _cost(rate, weight)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_cost, (rate, weight)).get(timeout=60) == here


@pytest.mark.parametrize("policy", ["spaced", "randomized"])
@pytest.mark.parametrize(("limits", "share"), [
    ({"host": [0, 1], "host_cap": 0.4}, [0.4, 0.4]), ({"min_interval": 4.0}, [0.25, 0.25]),
    ({"min_interval": [8.0, 2.0], "host": [0, 1], "host_cap": [1.0, 0.3]}, [0.125, 0.3]),
])
def test_the_budget_is_a_ceiling(policy, limits, share):
    plan = frequencies([1.0, 2.0], access_time=laws.Deterministic(1.0), policy=policy, **limits)
    assert plan.frequency == pytest.approx(share, rel=1e-12)
    assert plan.multiplier == pytest.approx(0, abs=1e-300)
    assert plan.gap < 1e-12 * plan.cost
