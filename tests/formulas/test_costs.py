"""Generated formulas on whole instances, against the papers' plain forms at 80 digits."""

import mpmath
import numpy as np
import pytest

from crawlproof import formulas
from crawlproof.kernels.float64 import mean_excess

MEAN = 0.5
LOADS = [1e-12, 1e-3, 0.7, 20.0]
RATES = np.array([0.3, 1.0, 0.05, 2.0, 0.65])


def exponential_pages(load):
    """Change rates (in total ``load`` changes per access) and log-Laplace transforms, X exponential."""
    rates = RATES / RATES.sum() * load / MEAN
    return rates, -np.log1p(rates * MEAN)


def plain(rates, log_laplace):
    """The same as 80-digit numbers: rates and transforms."""
    return [mpmath.mpf(float(r)) for r in rates], [mpmath.exp(mpmath.mpf(float(v))) for v in log_laplace]


def close(value, exact, relative=2e-15):
    return abs(mpmath.mpf(float(value)) - exact) <= relative * abs(exact)


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(80):
        yield


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("frequency", [1e-6, 0.2, 1.0])
def test_bound_of_a_page_is_that_of_theorem_3_3(load, frequency):
    rates, log_laplace = exponential_pages(load)
    found = formulas.obsolescence_bound(frequency, rates, MEAN, log_laplace)
    f = mpmath.mpf(frequency)
    for value, rate, h in zip(found, *plain(rates, log_laplace), strict=True):
        assert close(value, 1 - f / (rate * MEAN) * (1 - h ** (1 / f)))


@pytest.mark.parametrize("load", LOADS)
def test_gaps_weighted_with_themselves_give_the_rate(load):
    rates, log_laplace = exponential_pages(load)
    gaps = np.array([1, 2, 2, 7])
    for rate, value in zip(rates, log_laplace, strict=True):
        found = np.average(formulas.gap_obsolescence(gaps, rate, MEAN, value), weights=gaps)
        (r,), (h,) = plain([rate], [value])
        assert close(found, 1 - sum(1 - h ** int(d) for d in gaps) / (12 * r * MEAN))


def excess_of(rates, log_laplace):
    return float(np.sum(rates * mean_excess(MEAN, -log_laplace, rates)))


@pytest.mark.parametrize("load", LOADS)
def test_costs_of_an_instance_and_their_order(load):
    rates, log_laplace = exponential_pages(load)
    r, h = plain(rates, log_laplace)
    total_excess = excess_of(rates, log_laplace)
    bound = formulas.bound_cost(3.0, MEAN, float(-log_laplace.sum()), total_excess)
    exact_bound = 3 * (sum(r) - (1 - mpmath.fprod(h)) / MEAN)
    # the caller's sums carry an error of their own
    assert close(bound, exact_bound, 1e-12)
    odds = np.expm1(-log_laplace)
    so_far = np.concatenate([[0.0], np.cumsum(odds)[:-1]])
    merging = float(np.sum(formulas.randomized_merging_loss(so_far, odds)))
    randomized = formulas.randomized_cost(3.0, MEAN, float(odds.sum()), merging, total_excess)
    s = sum(1 / v - 1 for v in h)
    assert close(randomized, 3 * (sum(r) - s / (1 + s) / MEAN), 1e-12)
    every = formulas.every_policy_cost(3.0, float(rates.sum()), MEAN)
    assert close(every, 3 * (sum(r) - (1 - mpmath.exp(-sum(r) * MEAN)) / MEAN), 1e-14)
    assert every < bound < randomized
    shares = formulas.randomized_proportional_frequency(log_laplace, float(odds.sum()))
    assert shares.sum() == pytest.approx(1, rel=1e-14)
    by_pages = 3.0 * np.sum(rates * formulas.randomized_obsolescence(shares, rates, MEAN, log_laplace))
    assert randomized == pytest.approx(by_pages, rel=1e-13)


@pytest.mark.parametrize("load", LOADS)
def test_random_phases_are_a_product_over_the_other_pages(load):
    rates, log_laplace = exponential_pages(load)
    shares = np.array([16, 6, 5, 4, 1]) / 32  # exact, and of sum 1: the plain form needs that
    r, h = plain(rates, log_laplace)
    f = [mpmath.mpf(float(share)) for share in shares]
    for page in range(5):
        others = [j for j in range(5) if j != page]
        parts = np.array([float(f[j] / f[page] % 1) for j in others])
        loss = float(np.sum(formulas.random_phase_pair_loss(parts, log_laplace[page])))
        found = formulas.random_phase_obsolescence(shares[page], rates[page], MEAN, log_laplace[page], loss)
        unchanged = h[page]
        for j in others:
            ratio = f[j] / f[page]
            unchanged *= h[page] ** mpmath.floor(ratio) * (1 - ratio % 1 * (1 - h[page]))
        assert close(found, 1 - f[page] / (r[page] * MEAN) * (1 - unchanged), 1e-14)
        assert found <= (1 + shares[page] * (1 - shares[page])) * formulas.obsolescence_bound(
            shares[page], rates[page], MEAN, log_laplace[page]
        )


@pytest.mark.parametrize(("name", "frequency"), [("randomized_excess_near_zero", 1e-7), ("randomized_excess_near_one", 1 - 1e-7)])
def test_expansions_meet_what_they_expand(name, frequency):
    rates, log_laplace = exponential_pages(0.7)
    expansion = getattr(formulas, name)(frequency, rates, MEAN, log_laplace)
    # the next term is smaller by a factor of order 1e-7 times 1/kappa
    np.testing.assert_allclose(expansion, formulas.randomized_excess(frequency, rates, MEAN, log_laplace), rtol=2e-5)


def test_bounds_refuse_what_no_law_has():
    with pytest.raises(ValueError, match=r"obsolescence_bound: needs -log_laplace <= change_rate\*mean_access_time"):
        formulas.obsolescence_bound(0.5, 1.0, 1.0, -2.0)
    with pytest.raises(ValueError, match="every_policy_cost: total_change_rate must be finite and > 0, got nan"):
        formulas.every_policy_cost(1.0, float("nan"), 1.0)
