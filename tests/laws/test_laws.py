"""Each law's transform against 50 digits, over all rates that a crawl can have; then its other duties."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from claimproof.engines.ulps import error_in_ulps
from crawlproof import laws
from crawlproof.laws.base import MANY_RATES

DIGITS = 50
STATED = 8

# Half of the rates are near one over the scale, where nothing is small.
rates = st.one_of(
    st.floats(-300, 6).map(lambda e: min(10.0**e, 1e6)),
    st.floats(-6, 6).map(lambda e: min(10.0**e, 1e6)),
)
means = st.floats(-6, 6).map(lambda e: 10.0**e)
few = settings(max_examples=60)


def error(law: laws.Law, exact: Callable[[mpf], mpf], rate: float) -> float:
    """Of ``log_laplace`` in ulps; ``exact`` may lose digits by cancellation near rate 0."""
    with mpmath.workdps(2 * DIGITS + max(0, round(-2 * math.log10(rate)))):
        return error_in_ulps(law.log_laplace(rate), exact(mpf(rate)))


@given(value=means, rate=rates)
@few
def test_deterministic(value: float, rate: float) -> None:
    assert error(laws.Deterministic(value), lambda r: -r * mpf(value), rate) <= 1


@given(mean=means, rate=rates)
@few
def test_exponential(mean: float, rate: float) -> None:
    assert error(laws.Exponential(mean=mean), lambda r: -mpmath.log1p(r * mpf(mean)), rate) <= STATED


@given(low=st.one_of(st.just(0.0), means), width=means, rate=rates)
@few
def test_uniform(low: float, width: float, rate: float) -> None:
    high = low + width
    if not high > low:
        return

    def exact(r: mpf) -> mpf:
        z = r * (mpf(high) - mpf(low))
        return -r * mpf(low) + mpmath.log(-mpmath.expm1(-z) / z)

    assert error(laws.Uniform(low, high), exact, rate) <= STATED


@given(shape=st.floats(1e-3, 1e3), mean=means, rate=rates)
@few
def test_gamma(shape: float, mean: float, rate: float) -> None:
    def exact(r: mpf) -> mpf:
        return -mpf(shape) * mpmath.log1p(r * mpf(mean) / mpf(shape))

    assert error(laws.Gamma(shape=shape, mean=mean), exact, rate) <= STATED


@given(stages=st.integers(1, 50), mean=means, rate=rates)
@few
def test_erlang(stages: int, mean: float, rate: float) -> None:
    def exact(r: mpf) -> mpf:
        return -stages * mpmath.log1p(r * mpf(mean) / stages)

    assert error(laws.Erlang(stages=stages, mean=mean), exact, rate) <= STATED


@given(first=st.floats(0, 1), service=st.tuples(means, means), rate=rates)
@few
def test_hyperexponential(first: float, service: tuple[float, float], rate: float) -> None:
    chances = (first, 1.0 - first)

    def exact(r: mpf) -> mpf:
        parts = [mpf(p) * mpf(s) / (mpf(s) + r) for p, s in zip(chances, service, strict=True)]
        return mpmath.log(sum(parts) / sum(map(mpf, chances)))

    assert error(laws.Hyperexponential(chances, service), exact, rate) <= STATED


@given(first=st.floats(1e-9, 1), values=st.tuples(st.one_of(st.just(0.0), means), means), rate=rates)
@few
def test_two_point(first: float, values: tuple[float, float], rate: float) -> None:
    chances = (first, 1.0 - first)
    if chances[1] == 0 and values[0] == 0:
        return

    def exact(r: mpf) -> mpf:
        parts = [mpf(p) * mpmath.exp(-r * mpf(v)) for p, v in zip(chances, values, strict=True)]
        return mpmath.log(sum(parts) / sum(map(mpf, chances)))

    assert error(laws.TwoPoint(values, chances), exact, rate) <= STATED


@given(samples=st.lists(means, min_size=1, max_size=40), rate=rates)
@few
def test_empirical(samples: list[float], rate: float) -> None:
    def exact(r: mpf) -> mpf:
        return mpmath.log(sum(mpmath.exp(-r * mpf(v)) for v in samples) / len(samples))

    assert error(laws.Empirical(samples), exact, rate) <= STATED


def phase_type_exact(beta: list[float], S: list[list[float]]) -> Callable[[mpf], mpf]:
    def exact(r: mpf) -> mpf:
        n = len(beta)
        entries = [[mpf(str(v)) for v in row] for row in S]  # as PhaseType reads them
        M = mpmath.matrix(n, n)
        for i in range(n):
            for j in range(n):
                M[i, j] = (r if i == j else 0) - entries[i][j]
        x = mpmath.lu_solve(M, mpmath.ones(n, 1))
        return mpmath.log1p(-r * sum(mpf(str(b)) * x[i] for i, b in enumerate(beta)))

    return exact


@given(rate=rates)
@few
def test_phase_type(rate: float) -> None:
    for beta, S in (
        ([0.3, 0.7], [[-0.6, 0.4], [0.1, -0.3]]),
        ([1, 0, 0], [[-3, 3, 0], [0, -3, 3], [0, 0, -3]]),
        ([0.5, 0.25, 0.25], [[-1000, 999, 0], [0.001, -0.002, 0.001], [1, 1, -2.000001]]),
    ):
        assert error(laws.PhaseType(beta, S), phase_type_exact(beta, S), rate) <= STATED


def lognormal_exact(mean: float, sigma: float) -> Callable[[mpf], mpf]:
    """The trapezoidal rule in 60 digits, with a step five times below what 50 digits need."""

    def exact(r: mpf) -> mpf:
        m, s = mpf(mean), mpf(sigma)
        with mpmath.workdps(DIGITS + 10):
            y = r * m * mpmath.exp(-s * s / 2)
            w = mpmath.lambertw(s * s * y).real
            step = 1 / (14 * max(1, s) * mpmath.sqrt(1 + w))
            reach = int(17 / step)
            if r * m < 1:  # small: sum 1 - exp(-r X), tilted to its top
                total = sum(
                    mpmath.exp(-((k * step) ** 2) / 2 - s * k * step - s * s / 2)
                    * -mpmath.expm1(-y * mpmath.exp(s * (k * step + s)))
                    for k in range(-reach - int(s / step), reach)
                )
                return mpmath.log1p(-total * step / mpmath.sqrt(2 * mpmath.pi))
            total = sum(
                mpmath.exp(-((k * step) ** 2) / 2 - w / s / s * (mpmath.expm1(s * k * step) - s * k * step))
                for k in range(-reach, reach)
            )
            return -(w * w + 2 * w) / (2 * s * s) + mpmath.log(total * step / mpmath.sqrt(2 * mpmath.pi))

    return exact


@given(sigma=st.floats(0.05, 3), mean=means, rate=rates)
@settings(max_examples=25)
def test_lognormal(sigma: float, mean: float, rate: float) -> None:
    assert error(laws.Lognormal(mean=mean, sigma=sigma), lognormal_exact(mean, sigma), rate) <= STATED


@given(shape=st.one_of(st.floats(1.001, 3), st.floats(3, 60)), mean=means, rate=rates)
@settings(max_examples=25)
def test_pareto(shape: float, mean: float, rate: float) -> None:
    def exact(r: mpf) -> mpf:
        a = mpf(shape)
        y = r * mpf(mean) * (a - 1) / a
        # expint loses digits where the order is near an integer
        with mpmath.workdps(DIGITS + 40):
            if y > 1:
                return mpmath.log(a * mpmath.expint(a + 1, y))
            return mpmath.log1p(mpmath.expm1(-y) - y * mpmath.expint(a, y))

    assert error(laws.Pareto(shape=shape, mean=mean), exact, rate) <= STATED


# The same transforms once more, for what is left of rate E[X] after kappa.
EXACT = [
    (laws.Exponential(mean=2.0), mpf(2), lambda r: -mpmath.log1p(2 * r)),
    (laws.Gamma(shape=0.25, mean=2.0), mpf(2), lambda r: -mpmath.log1p(8 * r) / 4),
    (laws.Uniform(1.0, 3.0), mpf(2), lambda r: -r + mpmath.log((1 - mpmath.exp(-2 * r)) / (2 * r))),
    (laws.Hyperexponential((0.25, 0.75), (1.0, 4.0)), mpf(0.4375), lambda r: mpmath.log(0.25 / (1 + r) + 3 / (4 + r))),
    (laws.TwoPoint((0.0, 2.0), (0.5, 0.5)), mpf(1), lambda r: mpmath.log((1 + mpmath.exp(-2 * r)) / 2)),
    (laws.Empirical([1.0, 2.0, 2.0, 7.0]), mpf(3), lambda r: mpmath.log((mpmath.exp(-r) + 2 * mpmath.exp(-2 * r) + mpmath.exp(-7 * r)) / 4)),
    (laws.PhaseType([0.3, 0.7], [[-0.6, 0.4], [0.1, -0.3]]), mpf(5), phase_type_exact([0.3, 0.7], [[-0.6, 0.4], [0.1, -0.3]])),
    (laws.Lognormal(mean=2.0, sigma=1.0), mpf(2), lognormal_exact(2.0, 1.0)),
    (laws.Pareto(shape=1.5, mean=3.0), mpf(3), lambda r: mpmath.log(mpmath.exp(-r) - r * mpmath.expint(mpf(1.5), r))),
    (laws.Pareto(shape=3.0, mean=1.5), mpf(1.5), lambda r: mpmath.log(mpmath.exp(-r) - r * mpmath.expint(3, r))),
]


@pytest.mark.parametrize(("law", "mean", "exact"), EXACT, ids=lambda v: type(v).__name__)
@given(rate=st.floats(-30, 3).map(lambda e: 10.0**e))
@settings(max_examples=15)
def test_relative_excess(law: laws.Law, mean: mpf, exact: Callable[[mpf], mpf], rate: float) -> None:
    """To a few roundings of itself or of kappa, whichever is larger, however small both are."""
    with mpmath.workdps(DIGITS + 4 * max(10, round(-math.log10(rate)))):
        kappa = -exact(mpf(rate))
        excess = 1 - kappa / (mpf(rate) * mean)
        # the reference for the lognormal law is itself good to 50 digits only
        if isinstance(law, laws.Lognormal) and rate < 1e-25:
            return
        assert abs(mpf(law.relative_excess(rate)) - excess) <= 2.0**-53 * 16 * max(excess, kappa)


@pytest.mark.parametrize(("law", "mean", "exact"), [case for case in EXACT if case[0].costly], ids=lambda v: type(v).__name__)
def test_many_rates_are_interpolated_within_the_stated_error(law: laws.Law, mean: mpf, exact: Callable[[mpf], mpf]) -> None:
    rng = np.random.default_rng(8)
    rate = np.concatenate([10.0 ** rng.uniform(-300, 6, 1000), 10.0 ** rng.uniform(-9, 6, 5000)])
    assert rate.size >= MANY_RATES
    kappa, excess = law.log_laplace(rate), law.relative_excess(rate)
    np.testing.assert_allclose(kappa[:50], [law.log_laplace(float(r)) for r in rate[:50]], rtol=2e-15)
    for at in range(1000, 1060):
        with mpmath.workdps(DIGITS + 60):
            value = exact(mpf(rate[at]))
            left = 1 + value / (mpf(rate[at]) * mean)
            assert error_in_ulps(float(kappa[at]), value) <= law.stated_ulps
            assert abs(mpf(float(excess[at])) - left) <= 2.0**-53 * 24 * max(left, -value)


@given(rate=st.floats(-12, 2).map(lambda e: 10.0**e))
@settings(max_examples=10)
def test_from_scipy_integrates_what_it_does_not_know(rate: float) -> None:
    # a Weibull law with exponent 1 is exponential, under a name that is not recognised
    law = laws.FromScipy(scipy.stats.weibull_min(1.0, loc=0.5, scale=2.0))
    assert law.log_laplace(rate) == pytest.approx(-0.5 * rate - math.log1p(2 * rate), rel=1e-11)


ALL = [
    laws.Deterministic(0.5),
    laws.Uniform(1.0, 3.0),
    laws.Exponential(mean=2.0),
    laws.Gamma(shape=0.5, mean=2.0),
    laws.Erlang(stages=3, mean=2.0),
    laws.Hyperexponential((0.25, 0.75), (1.0, 5.0)),
    laws.PhaseType([0.3, 0.7], [[-0.6, 0.4], [0.1, -0.3]]),
    laws.TwoPoint((0.0, 2.0), (0.5, 0.5)),
    laws.Lognormal(mean=2.0, sigma=0.75),
    laws.Pareto(shape=5.0, mean=2.0),
    laws.Empirical([1.0, 2.0, 2.0, 7.0]),
    laws.FromScipy(scipy.stats.gamma(2.0, loc=1.0, scale=0.5)),
    laws.FromScipy(scipy.stats.weibull_min(1.5)),
    laws.FromScipy(scipy.stats.poisson(3.0)),
]


@pytest.mark.parametrize("law", ALL, ids=lambda law: type(law).__name__)
def test_samples_have_the_mean_and_the_transform(law: laws.Law) -> None:
    samples = law.sample(np.random.default_rng(7), 40_000)
    assert samples.shape == (40_000,)
    assert samples.min() >= 0
    for values, expected in ((samples, law.mean), (np.exp(-0.7 * samples), math.exp(law.log_laplace(0.7)))):
        spread = values.std() / math.sqrt(values.size)
        assert abs(values.mean() - expected) <= 4 * spread + 1e-12 * expected


@pytest.mark.parametrize("law", ALL, ids=lambda law: type(law).__name__)
def test_slope_at_zero_is_the_mean(law: laws.Law) -> None:
    assert law.log_laplace(0.0) == 0.0
    assert law.log_laplace(1e-250) == pytest.approx(-1e-250 * law.mean, rel=1e-10)
    assert 0 <= law.relative_excess(1e-250) < 1e-9


@pytest.mark.parametrize("law", ALL, ids=lambda law: type(law).__name__)
def test_arrays_and_scalars_agree(law: laws.Law) -> None:
    grid = np.array([[0.0, 1e-9], [0.3, 40.0]])
    values = law.log_laplace(grid)
    assert values.shape == grid.shape
    singly = [law.log_laplace(float(r)) for r in grid.flat]
    assert all(type(v) is float for v in singly)
    # the grid of a quadrature depends on the largest rate that it is asked for
    np.testing.assert_allclose(values.ravel(), singly, rtol=1e-10)
    assert law.log_laplace(np.array([])).shape == (0,)


@pytest.mark.parametrize("law", ALL, ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("rate", [-1.0, math.nan, math.inf])
def test_bad_rates(law: laws.Law, rate: float) -> None:
    with pytest.raises(ValueError, match=r"a rate must be finite and >= 0, got (-1.0|nan|inf)"):
        law.log_laplace([1.0, rate])


def test_blocks_do_not_change_the_values() -> None:
    law = laws.Empirical(np.linspace(0.5, 2.0, 700))
    many = np.linspace(0.0, 3.0, 1000)
    np.testing.assert_array_equal(law.log_laplace(many)[[1, 999]], law.log_laplace(many[[1, 999]]))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: laws.Deterministic(0.0), "Deterministic: value must be finite and > 0, got 0.0"),
        (lambda: laws.Deterministic("x"), "Deterministic: value must be a number > 0, got 'x'"),
        (lambda: laws.Uniform(3, 1), "Uniform: low must be below high, got low = 3.0, high = 1.0"),
        (lambda: laws.Uniform(-1, 1), "Uniform: low must be finite and >= 0, got -1.0"),
        (lambda: laws.Exponential(mean=math.nan), "Exponential: mean must be finite and > 0, got nan"),
        (lambda: laws.Erlang(stages=1.5, mean=1), "Erlang: stages must be an integer >= 1, got 1.5"),
        (lambda: laws.Hyperexponential((0.5, 0.4), (1, 2)), "Hyperexponential: probabilities must sum to 1, got 0.9"),
        (lambda: laws.Hyperexponential((1.0,), (1, 2)), "Hyperexponential: needs 2 probabilities, got 1"),
        (lambda: laws.Hyperexponential((0.5, 0.5), (1, 0)), "Hyperexponential: rates[1] must be finite and > 0, got 0.0"),
        (lambda: laws.TwoPoint((0, 0), (0.5, 0.5)), "TwoPoint: the mean must be > 0"),
        (lambda: laws.TwoPoint((1, 2, 3), (0.5, 0.5)), "TwoPoint: needs 2 values, got 3"),
        (lambda: laws.Lognormal(mean=1, sigma=9), "Lognormal: sigma must be <= 8, got 9.0"),
        (lambda: laws.Pareto(shape=1, mean=1), "Pareto: shape must be finite and > 1, got 1.0"),
        (lambda: laws.Empirical([]), "Empirical: samples is empty"),
        (lambda: laws.Empirical([1.0, -2.0]), "Empirical: samples[1] must be finite and >= 0, got -2.0"),
        (lambda: laws.Empirical([0.0]), "Empirical: at least one sample must be > 0"),
        (lambda: laws.FromScipy(3), "FromScipy: needs a frozen distribution of scipy.stats, got 3"),
        (lambda: laws.FromScipy(scipy.stats.norm()), "FromScipy: an access time can't be negative"),
        (lambda: laws.FromScipy(scipy.stats.pareto(0.9)), "FromScipy: the mean must be finite and > 0, got inf"),
    ],
)
def test_bad_parameters(build: Callable[[], laws.Law], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message is compared below)
        build()
    assert str(caught.value).startswith(message)


def test_a_transform_that_underflows_is_said_to() -> None:
    with pytest.raises(ValueError, match="does not settle at rate"):
        laws.FromScipy(scipy.stats.invgauss(1.0)).log_laplace(1e6)


def test_laws_need_no_computer_algebra() -> None:
    code = "import sys; import crawlproof.laws; print([m for m in ('sympy', 'mpmath', 'flint') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
