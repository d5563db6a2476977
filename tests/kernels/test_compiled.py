"""The kernels in compiled loops: the same text as ``float64``, with other elementary functions."""

from __future__ import annotations

import math

import mpmath
import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimproof.engines.ulps import error_in_ulps
from crawlproof import formulas
from crawlproof.kernels import float64, multiprecision
from crawlproof.kernels.compiled import OPTIONS, compiled_formula


@numba.njit(**OPTIONS)
def _log1p(x):
    return float64._log1p(x)


@numba.njit(**OPTIONS)
def _exp(x):
    return float64._exp(x)


@numba.njit(**OPTIONS)
def _psi(x):
    return float64.psi(x)


@numba.njit(**OPTIONS)
def _phi1(x):
    return float64.phi1(x)


@numba.njit(**OPTIONS)
def _chi(x):
    return float64.chi(x)


@numba.njit(**OPTIONS)
def _psi2(x):
    return float64.psi2(x)


@numba.njit(**OPTIONS)
def _price_at_age(v):
    return float64.price_at_age(v)


@numba.njit(**OPTIONS)
def _age_at_price(k):
    return float64.age_at_price(k)


def error(compiled, exact, x: float) -> float:
    with mpmath.workdps(60):
        return error_in_ulps(compiled(x), exact(mpmath.mpf(x)))


@given(x=st.one_of(st.floats(-300, 300).map(lambda e: 10.0**e), st.floats(-0.999, 50)))
@settings(max_examples=300)
def test_log1p(x: float) -> None:
    assert error(_log1p, mpmath.log1p, x) <= 2


@given(x=st.floats(-700, 700))
@settings(max_examples=300)
def test_exp(x: float) -> None:
    assert error(_exp, mpmath.exp, x) <= 1


@pytest.mark.parametrize("compiled", [_psi, _phi1, _chi, _psi2, _price_at_age], ids=lambda f: f.__name__[1:])
@given(x=st.one_of(st.floats(-300, 300).map(lambda e: 10.0**e), st.floats(1e-3, 60)))
@settings(max_examples=150)
def test_kernels_keep_their_error(compiled, x: float) -> None:
    name = compiled.__name__[1:]
    assert error(compiled, getattr(multiprecision, name), x) <= float64.STATED_ULPS[name]


@given(k=st.one_of(st.floats(1e-300, 0.5), st.floats(0.5, 1 - 2**-53)))
@settings(max_examples=200)
def test_age_at_price(k: float) -> None:
    assert error(_age_at_price, multiprecision.age_at_price, k) <= float64.STATED_ULPS["age_at_price"]


@given(v=st.floats(-150, 10).map(lambda e: 10.0**e))
@settings(max_examples=150)
def test_less_log1p(v: float) -> None:
    with mpmath.workdps(60 + max(0, -2 * round(math.log10(v)))):
        assert error_in_ulps(float64.less_log1p(v), mpmath.mpf(v) - mpmath.log1p(mpmath.mpf(v))) <= 4


def test_a_loop_over_a_kernel_is_vector_code() -> None:
    """What the compiled passes live on: no call and no branch is left in the loop."""

    @numba.njit(**OPTIONS)
    def loop(x, out):
        for i in range(x.size):
            out[i] = float64.age_at_price(x[i])

    x = np.linspace(0.01, 0.99, 1000)
    out = np.empty_like(x)
    loop(x, out)
    np.testing.assert_allclose(out, float64.age_at_price(x), rtol=1e-15)
    (code,) = loop.inspect_llvm().values()
    assert "x double>" in code, "no vector of doubles in the optimised code"


def test_generated_formulas_are_compiled_as_they_stand() -> None:
    inside = compiled_formula(formulas.frequency_at_price)

    @numba.njit(**OPTIONS)
    def call(kappa, price):
        return inside(kappa, price)

    assert call(2.0, 0.3) == pytest.approx(formulas.frequency_at_price(2.0, 0.3), rel=1e-15)


def test_an_exponential_in_a_formula_leaves_the_loop_vectorised() -> None:
    inside = compiled_formula(formulas.randomized_frequency)

    @numba.njit(**OPTIONS)
    def loop(log_laplace, out):
        for i in range(out.size):
            out[i] = inside(3.0, 2.0, log_laplace[i])

    log_laplace = -np.geomspace(1e-12, 600, 1000)
    out = np.empty_like(log_laplace)
    loop(log_laplace, out)
    np.testing.assert_allclose(out, formulas.randomized_frequency(3.0, 2.0, log_laplace), rtol=2e-15)
    (code,) = loop.inspect_llvm().values()
    assert "x double>" in code, "no vector of doubles in the optimised code"
