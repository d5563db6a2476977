"""The kernels of ``float64`` as scalar functions for compiled loops over pages.

The text is the same: numba compiles the functions of ``float64``. Only exp, log1p and the
choice between two values are put in other words here, without calls and branches, so that
a loop over pages becomes vector instructions. Arguments are not checked.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.extending import overload, register_jitable

from crawlproof.kernels import float64

# No exception for a division by zero, and a*b + c in one instruction where there is one.
# The two-products of ``float64`` stay exact under that: fused or not, they subtract a
# rounded product from itself exactly.
OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}, "nogil": True}
# A call that is left in a loop, or a check for a zero divisor, keeps it scalar.
INSIDE = {"error_model": "numpy", "fastmath": {"contract"}, "forceinline": True}

_LN2_HEAD = float.fromhex("0x1.62e42feep-1")  # 33 bits, so that its product with an exponent is exact
_LN2_TAIL = float.fromhex("0x1.a39ef35793c76p-33")
_INVERSE_LN2 = 1 / math.log(2)
_SQRT_HALF = 0x3FE6A09E667F3BCD
_TWICE_ONE = 2 * 0x3FF0000000000000
_ATANH = tuple(1 / (2 * n + 3) for n in range(11))  # s**2 <= 0.0295: 2**-57 is left out
_EXP = tuple(1 / math.factorial(n + 2) for n in range(12))  # |x| <= 0.35: 2**-58 is left out
# Adding and subtracting it rounds to an integer, which then is in the low bits.
_ROUNDER = 1.5 * 2.0**52


@overload(float64._select, jit_options=INSIDE)
def _select(condition, yes, no):
    return lambda condition, yes, no: yes if condition else no


# A loop over more than a dozen coefficients would stay a loop, and the one around it scalar.
@overload(float64._horner, jit_options=INSIDE)
def _horner(coefficients, x):
    if len(coefficients) == 1:
        return lambda coefficients, x: coefficients[0]
    return lambda coefficients, x: coefficients[0] + x * float64._horner(coefficients[1:], x)


@overload(float64._alternating, jit_options=INSIDE)
def _alternating(coefficients, x):
    if len(coefficients) == 1:
        return lambda coefficients, x: coefficients[0]
    return lambda coefficients, x: coefficients[0] - x * float64._alternating(coefficients[1:], x)


@overload(float64._divided, jit_options=INSIDE)
def _divided(coefficients, x, y):
    if len(coefficients) == 1:
        return lambda coefficients, x, y: (coefficients[0] + 0.0 * x, 0.0 * y)

    def compiled(coefficients, x, y):
        value, difference = float64._divided(coefficients[1:], x, y)
        return coefficients[0] + x * value, value + y * difference

    return compiled


@overload(float64._surface, jit_options=INSIDE)
def _surface(coefficients, x, y):
    if len(coefficients) == 1:
        return lambda coefficients, x, y: float64._horner(coefficients[0], y)
    return lambda coefficients, x, y: (
        float64._horner(coefficients[0], y) + x * float64._surface(coefficients[1:], x, y)
    )


@register_jitable(**INSIDE)
def _log(u):
    """ln u for a normal u > 0."""
    bits = np.float64(u).view(np.int64)
    exponent = (bits - np.int64(_SQRT_HALF)) >> np.int64(52)
    mantissa = np.int64(bits - (exponent << np.int64(52))).view(np.float64)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    square = s * s
    n = np.float64(exponent)
    return (n, 2.0 * s, 2.0 * s * square * float64._horner(_ATANH, square) + n * _LN2_TAIL)


@overload(float64._log1p, jit_options=INSIDE)
def _log1p(x):
    def compiled(x):
        u = 1.0 + x
        n, head, tail = _log(u)
        # What 1 + x lost, over u: at most half a rounding, or all of a tiny x, where u = 1. So 1/u is
        # good enough to an eighth and near u = 1, as the negative of the bits of u gives it.
        inverse = np.int64(np.int64(_TWICE_ONE) - np.float64(u).view(np.int64)).view(np.float64)
        return n * _LN2_HEAD + (head + (tail + (x - (u - 1.0)) * inverse))

    return compiled


@overload(float64._exp, jit_options=INSIDE)
def _exp(x):
    def compiled(x):
        """For |x| <= 700."""
        shifted = x * _INVERSE_LN2 + _ROUNDER
        n = shifted - _ROUNDER
        bits = np.float64(shifted).view(np.int64)
        rest = (x - n * _LN2_HEAD) - n * _LN2_TAIL
        power = np.int64((bits << np.int64(52)) + np.int64(0x3FF0000000000000)).view(np.float64)
        return power + power * (rest + rest * rest * float64._horner(_EXP, rest))

    return compiled


for _function in (
    float64._two_product,
    float64._two_sum,
    float64._half_square_less,
    float64._exp_minus,
    float64._less_log1p,
    float64._psi,
    float64._phi1,
    float64._chi,
    float64._psi2,
    float64._price,
    float64._age,
    float64._rest_log1p,
    float64._phi1_and_chi,
    float64._clipped_shape,
    float64._log_age,
    float64._wide_chi,
    float64._narrow_chi,
    float64._gamma_chi,
    float64._wide_level,
    float64._narrow_rise,
    float64._gamma_price,
    float64._started,
    float64._halley,
    float64._wide_step,
    float64._signed_rest,
    float64._narrow_step,
    float64._grown,
    float64._wide_age,
    float64._narrow_age,
    float64._gamma_age,
):
    register_jitable(**INSIDE)(_function)


def _always(core: Callable[..., Any]) -> Callable[..., Any]:
    if core.__code__.co_argcount == 2:
        return lambda first, second: core
    return lambda argument: core


# What generated formulas call. Their text is compiled as well: ``compiled_formula``.
for _public, _core in (
    (float64.psi, float64._psi),
    (float64.phi1, float64._phi1),
    (float64.chi, float64._chi),
    (float64.psi2, float64._psi2),
    (float64.price_at_age, float64._price),
    (float64.age_at_price, float64._age),
    (float64.gamma_chi, float64._gamma_chi),
    (float64.gamma_price, float64._gamma_price),
):
    overload(_public, jit_options=INSIDE, strict=False)(_always(_core))


def compiled_formula(function: Callable[..., Any]) -> Callable[..., Any]:
    """The text of a generated formula without the checks around it, for arrays and for compiled loops.

    Its exp and log1p are those of the kernels: a call of the C library would keep the loop scalar.
    """
    text = function.__wrapped__
    names = text.__globals__ | {"exp": float64._exp, "log1p": float64._log1p}
    return register_jitable(**INSIDE)(FunctionType(text.__code__, names, text.__name__))


def digest_of(*modules: ModuleType) -> str:
    """Of the text of modules: what code compiled from them depends on."""
    digest = hashlib.sha256()
    for module in modules:
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()
