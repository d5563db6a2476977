"""The kernels against 60 digits, at their seams, and with arguments that they must refuse."""

from __future__ import annotations

import math
import subprocess
import sys

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from claimproof.engines.ulps import error_in_ulps
from crawlproof.kernels import balls, float64, multiprecision

ONE_ARGUMENT = ["psi", "phi1", "chi", "psi2", "price_at_age"]
SEAMS = [
    float64.PSI_SWITCH,
    float64.PHI1_SWITCH,
    float64.PSI2_SWITCH,
    float64.PRICE_SERIES_END,
    float64.PRICE_CLOSED_FROM,
    float64.TINY,
    float64.EXP_END,
    2.0**60,
]
positive = st.floats(min_value=5e-324, max_value=1.7e308)
moderate = st.floats(min_value=1e-3, max_value=60.0)


def error(kernel: str, *args: float) -> float:
    with mpmath.workdps(60):
        exact = getattr(multiprecision, kernel)(*map(mpmath.mpf, args))
        return error_in_ulps(getattr(float64, kernel)(*args), exact)


@pytest.mark.parametrize("kernel", ONE_ARGUMENT)
@given(x=st.one_of(positive, moderate))
@settings(max_examples=150, deadline=None)
def test_error_is_as_stated(kernel: str, x: float) -> None:
    assert error(kernel, x) <= float64.STATED_ULPS[kernel]


@pytest.mark.parametrize("kernel", ONE_ARGUMENT)
def test_both_sides_of_each_seam(kernel: str) -> None:
    for seam in SEAMS:
        for x in (math.nextafter(seam, 0), seam, math.nextafter(seam, math.inf)):
            assert error(kernel, x) <= float64.STATED_ULPS[kernel]


@given(k=st.one_of(st.floats(1e-300, 0.5), st.floats(0.5, 1 - 2**-53)))
@settings(max_examples=150, deadline=None)
def test_age_at_price(k: float) -> None:
    assert error("age_at_price", k) <= 4


def test_age_at_price_at_the_ends() -> None:
    for k in (5e-324, 1e-300, 2.0**-64, 0.5, 1 - 2.0**-53):
        assert error("age_at_price", k) <= 4


@pytest.mark.parametrize("kernel", ["mean_excess", "relative_excess"])
@given(
    mean=st.floats(1e-150, 1e150),
    mu=st.floats(1e-150, 1e150),
    gap=st.one_of(st.floats(0, 1), st.floats(1e-17, 1e-12)),
)
@settings(max_examples=150, deadline=None)
def test_excess_survives_cancellation(kernel: str, mean: float, mu: float, gap: float) -> None:
    kappa = mean * mu * (1 - gap)
    assert error(kernel, mean, kappa, mu) <= float64.STATED_ULPS[kernel]


def test_excess_of_equal_values_is_the_rounding_residual() -> None:
    mean, mu = 0.1, 0.3
    with mpmath.workdps(60):
        exact = (mpmath.mpf(mean) * mpmath.mpf(mu) - mpmath.mpf(mean * mu)) / mpmath.mpf(mu)
        assert error_in_ulps(float64.mean_excess(mean, mean * mu, mu), exact) <= 2


@pytest.mark.parametrize("kernel", ONE_ARGUMENT)
@pytest.mark.parametrize("bad", [-1.0, math.nan, -math.inf])
def test_outside_the_domain_is_one_clear_error(kernel: str, bad: float) -> None:
    with pytest.raises(ValueError, match=rf"{kernel}: \w must be >= 0, got"):
        getattr(float64, kernel)(np.array([1.0, bad]))


@pytest.mark.parametrize("bad", [0.0, 1.0, 2.0, -0.5, math.nan])
def test_price_outside_the_open_interval(bad: float) -> None:
    with pytest.raises(ValueError, match="age_at_price: k must be"):
        float64.age_at_price(bad)


def test_limits_and_shapes() -> None:
    assert float64.phi1(0.0) == 1.0
    assert float64.psi2(0) == 0.5
    assert float64.chi(math.inf) == 1.0
    assert float64.phi1(math.inf) == float64.psi2(math.inf) == 0.0
    assert isinstance(float64.psi(2), float)
    grid = np.geomspace(1e-5, 1e5, 12).reshape(3, 4)
    assert float64.psi(grid).shape == (3, 4)
    assert [float64.psi(float(x)) for x in grid.flat] == list(float64.psi(grid).flat)


@pytest.mark.parametrize("kernel", ONE_ARGUMENT)
@given(mid=st.floats(-30, 30), rad=st.floats(0, 5), share=st.floats(-1, 1))
@settings(max_examples=80, deadline=None)
def test_balls_contain_every_value(kernel: str, mid: float, rad: float, share: float) -> None:
    value = getattr(balls, kernel)(arb(mid, rad))
    with ctx.workprec(400):
        point = getattr(balls, kernel)(arb(mid) + arb(rad) * arb(share))
    assert value.overlaps(point)


@pytest.mark.parametrize("kernel", ONE_ARGUMENT)
def test_a_ball_around_zero_is_narrow(kernel: str) -> None:
    value = getattr(balls, kernel)(arb(0, 1e-9))
    assert value.is_finite()
    assert float(value.rad()) < 1e-8


def test_ball_of_a_point_is_the_multiprecision_value() -> None:
    with ctx.workprec(200), mpmath.workprec(150):
        for kernel in [*ONE_ARGUMENT, "age_at_price"]:
            ball = getattr(balls, kernel)(arb(1) / 4)
            value = getattr(multiprecision, kernel)(mpmath.mpf(1) / 4)
            assert abs(ball - arb(mpmath.nstr(value, 45))) < arb(10) ** -40


def test_no_sympy_comes_along() -> None:
    code = (
        "import sys, crawlproof, crawlproof.formulas, crawlproof.kernels.float64, "
        "crawlproof.kernels.multiprecision, crawlproof.kernels.balls, crawlproof.kernels.domain; "
        "sys.exit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


shapes = st.one_of(st.floats(1e-6, 1e9), st.floats(0.9, 1.1), st.just(1.0), st.floats(1e-3, 20.0))
ages = st.one_of(st.floats(1e-12, 1e6), st.floats(-9, 4).map(lambda e: 10.0**e))


@pytest.mark.parametrize("kernel", ["gamma_chi", "gamma_price"])
@given(a=shapes, x=ages)
@settings(max_examples=150, deadline=None)
def test_gamma_mixtures(kernel: str, a: float, x: float) -> None:
    assert error(kernel, a, x) <= float64.STATED_ULPS[kernel]


@pytest.mark.parametrize("kernel", ["gamma_chi", "gamma_price"])
@pytest.mark.parametrize("a", [1e-3, 0.5, 1.0, 1.0 + 2**-40, 3.0, 1e5])
@pytest.mark.parametrize("x", [1e-9, 0.3, 4.0, 1e4])
def test_gamma_mixtures_in_balls(kernel: str, a: float, x: float) -> None:
    with ctx.workprec(200), mpmath.workprec(200):
        ball = getattr(balls, kernel)(arb(a), arb(x))
        exact = getattr(multiprecision, kernel)(mpmath.mpf(a), mpmath.mpf(x))
        assert abs(mpmath.mpf(ball.mid().str(55, radius=False)) / exact - 1) < mpmath.mpf(10) ** -50
        wide = getattr(balls, kernel)(arb(a), arb(x, x / 8))
        assert wide.contains(ball)


@given(a=st.one_of(st.floats(1e-3, 1e6), st.just(1.0)), x=st.floats(1e-6, 1e3))
@settings(max_examples=150, deadline=None)
def test_gamma_age_is_the_inverse(a: float, x: float) -> None:
    k = float64.gamma_price(a, x)
    if a > 1 and k * (1 - 1 / a) > 1 - 1e-4:  # next to where nothing is bought, the price says little about the age
        return
    assert float64.gamma_age(a, k) == pytest.approx(x, rel=1e-10)


def test_gamma_mixtures_refuse_what_they_must() -> None:
    for kernel in (float64.gamma_chi, float64.gamma_price):
        with pytest.raises(ValueError, match="a must be > 0, got 0"):
            kernel(0.0, 1.0)
        with pytest.raises(ValueError, match="x must be >= 0, got -1"):
            kernel(1.0, -1.0)
        assert kernel(2.0, 0.0) == 0.0
    with pytest.raises(ValueError, match=r"k must be < a/\(a - 1\), got 2\.0 at a = 2\.0"):
        float64.gamma_age(2.0, 2.0)
