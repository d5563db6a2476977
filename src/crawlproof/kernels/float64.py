"""Kernels in float64: vectorised, each within a few ulps over its whole domain.

Conventions. A scalar gives a Python float, anything else an array. Every branch is
evaluated on arguments clipped to where it is used, so no branch warns or makes a nan.
Arguments outside the domain (and nan) raise a ValueError; +inf is accepted where the
function has a limit there. ``STATED_ULPS`` is what ``derivations/numerics`` checks.

The switch points are chosen so that, with an exponential good to one ulp, the bound of
a rounding analysis stays below two ulps on both sides of each of them.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

STATED_ULPS = {
    "psi": 2,
    "phi1": 2,
    "chi": 2,
    "psi2": 2,
    "price_at_age": 4,
    "age_at_price": 4,
    "mean_excess": 2,
    "relative_excess": 2,
    "gamma_chi": 8,
    "gamma_price": 64,
}

# Below the switch the Taylor series, above it the closed form.
PSI_SWITCH = 0.8125
PHI1_SWITCH = 1.125
CHI_SWITCH = 1.125
PSI2_SWITCH = 1.5
PRICE_SERIES_END = 1.0
PRICE_CLOSED_FROM = 1.6875
# For smaller x, x**2/2 is psi(x) and price_at_age(x) to the last bit, and the residual
# of x*x would underflow.
TINY = 2.0**-400
# exp(-64) is below half an ulp of everything that it is added to here.
EXP_END = 64.0

SERIES_TERMS = 22
# (1/2 - psi2(x))/x = sum of (-x)**n/(n + 3)!
PSI_TAIL = tuple(1 / factorial(n + 3) for n in range(SERIES_TERMS))
# (1/2 - price_at_age(x)/x**2)/x = sum of (n + 2)(-x)**n/(n + 3)!
PRICE_TAIL = tuple((n + 2) / factorial(n + 3) for n in range(SERIES_TERMS))
# exp(x) - 1 - x = x**2 * sum of x**n/(n + 2)!
EXP_TAIL = tuple(1 / factorial(n + 2) for n in range(24))
# log1p(v) = 2 atanh(s), s = v/(2 + v): atanh(s)/s - 1 = s**2 * sum of s**(2n)/(2n + 3)
ATANH_TAIL = tuple(1 / (2 * n + 3) for n in range(17))
# v - log1p(v) by that series below, by subtraction above.
LESS_LOG1P_SWITCH = 1.0
# The age is found from a polynomial in w = sqrt(2(v - log1p(v))), one below and one above.
AGE_SWITCH = 2.0
AGE_END = 8.75  # k < 1 in float64 means w < 8.58


def _fitted_start(low: float, high: float, degree: int) -> tuple[float, ...]:
    """v/w as a polynomial in w on [low, high], through Chebyshev points: a starting value for ``_age``."""
    points = 0.5 * (low + high) + 0.5 * (high - low) * np.polynomial.chebyshev.chebpts1(degree + 1)
    v = points + points * points / 2.0
    for _ in range(60):  # Newton; v - log1p(v) is convex and the start is on its right
        v = v - (v - np.log1p(v) - points * points / 2.0) * (1.0 + v) / v
    fit = np.polynomial.Polynomial.fit(points, v / points, degree, domain=[low, high])
    return tuple(map(float, fit.convert(domain=[-1, 1]).coef))


# A gamma law of larger shape is a point to the last bit; a smaller one has nothing but its value at 0.
SHAPE_END = 2.0**60
SHAPE_BEGIN = 2.0**-60
# gamma_chi and gamma_price by a divided difference of series below, in closed form above.
GAMMA_SWITCH = 1.5
RISE_SWITCH = 1.0
# exp of this is within the range of compiled loops.
LOG_END = 690.0
# (exp(x) - 1 - x)/x = sum of x**n/(n + 1)! from n = 1 on
RISE = (0.0, *(1 / factorial(n + 1) for n in range(1, 24)))

AGE_NEAR = _fitted_start(0.0, AGE_SWITCH, 8)
AGE_FAR = _fitted_start(AGE_SWITCH, AGE_END, 8)

_SPLITTER = 2.0**27 + 1


def _points(kernel: str, name: str, value: ArrayLike, *, positive: bool = False) -> Array:
    x = np.asarray(value, dtype=np.float64)
    bad = ~(x > 0) if positive else ~(x >= 0)
    if bad.any():
        need = "> 0" if positive else ">= 0"
        raise ValueError(f"{kernel}: {name} must be {need}, got {float(x[bad].flat[0])!r}")
    return x


def _result(value: Any) -> Any:
    """Python float for a scalar, the array otherwise."""
    return float(value) if np.ndim(value) == 0 else value


# The functions from here to ``_age`` take arrays or scalars and have no branch that Python
# would see: ``crawlproof.kernels.compiled`` compiles the same text for loops over pages.


def _select(condition: Any, yes: Any, no: Any) -> Any:
    return np.where(condition, yes, no)


def _exp(x: Any) -> Any:
    return np.exp(x)


def _log1p(x: Any) -> Any:
    return np.log1p(x)


def _alternating(coefficients: tuple[float, ...], x: Any) -> Any:
    """c0 - x*(c1 - x*(c2 - ...)), Horner."""
    total = coefficients[-1] + 0.0 * x
    for c in coefficients[-2::-1]:
        total = c - x * total
    return total


def _horner(coefficients: tuple[float, ...], x: Any) -> Any:
    total = coefficients[-1] + 0.0 * x
    for c in coefficients[-2::-1]:
        total = c + x * total
    return total


def _two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """a*b and its rounding error, exactly (Dekker), barring over- and underflow."""
    p = a * b
    t = _SPLITTER * a
    a_hi = t - (t - a)
    a_lo = a - a_hi
    t = _SPLITTER * b
    b_hi = t - (t - b)
    b_lo = b - b_hi
    return p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b and its rounding error, exactly (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def _half_square_less(x: Array, tail: Array) -> Array:
    """x**2/2 - x**3*tail, where the square's own rounding error is put back."""
    square, residual = _two_product(x, x)
    return 0.5 * square - (square * (x * tail) - 0.5 * residual)


def _exp_minus(x: Any) -> Any:
    return _exp(-np.minimum(x, EXP_END))


def _psi(x: Any) -> Any:
    small = np.minimum(np.maximum(x, TINY), PSI_SWITCH)
    large = np.maximum(x, PSI_SWITCH)
    tiny = np.minimum(x, TINY)
    series = _half_square_less(small, _alternating(PSI_TAIL, small))
    closed = (large - 1.0) + _exp_minus(large)
    return _select(x < PSI_SWITCH, _select(x < TINY, 0.5 * tiny * tiny, series), closed)


def _phi1(x: Any) -> Any:
    small = np.minimum(x, PHI1_SWITCH)
    large = np.maximum(x, PHI1_SWITCH)
    # 1 - x/2 and what its rounding lost, then the rest of the series
    head = 1.0 - 0.5 * small
    lost = (1.0 - head) - 0.5 * small
    series = head + (small * small * _alternating(PSI_TAIL, small) + lost)
    closed = (1.0 - _exp_minus(large)) / large
    return _select(x < PHI1_SWITCH, series, closed)


def _chi(x: Any) -> Any:
    small = np.minimum(x, CHI_SWITCH)
    # chi(2**60) is 1 to the last bit; clipping there keeps inf/inf away
    large = np.minimum(np.maximum(x, CHI_SWITCH), 2.0**60)
    series = 0.5 * small - small * small * _alternating(PSI_TAIL, small)
    head, lost = _two_sum(large - 1.0, _exp_minus(large))
    closed = head / large + lost / large
    return _select(x < CHI_SWITCH, series, closed)


def _psi2(x: Any) -> Any:
    small = np.minimum(x, PSI2_SWITCH)
    large = np.maximum(x, PSI2_SWITCH)
    series = 0.5 - small * _alternating(PSI_TAIL, small)
    return _select(x < PSI2_SWITCH, series, _chi(large) / large)


def _price(v: Any) -> Any:
    small = np.minimum(np.maximum(v, TINY), PRICE_SERIES_END)
    middle = np.minimum(np.maximum(v, PRICE_SERIES_END), PRICE_CLOSED_FROM)
    large = np.minimum(np.maximum(v, PRICE_CLOSED_FROM), EXP_END)
    tiny = np.minimum(v, TINY)
    series = _half_square_less(small, _alternating(PRICE_TAIL, small))
    # all terms positive: exp(-v) (exp(v) - 1 - v)
    positive = middle * middle * _horner(EXP_TAIL, middle) * _exp(-middle)
    closed = 1.0 - (1.0 + large) * _exp(-large)
    low = _select(v < TINY, 0.5 * tiny * tiny, series)
    high = _select(v < PRICE_CLOSED_FROM, positive, closed)
    return _select(v < PRICE_SERIES_END, low, high)


def _less_log1p(v: Any) -> Any:
    """v - log1p(v) for v >= 0 without cancellation."""
    small = np.minimum(v, LESS_LOG1P_SWITCH)
    s = small / (2.0 + small)
    square = s * s
    series = s * (small - 2.0 * square * _horner(ATANH_TAIL, square))
    large = np.maximum(v, LESS_LOG1P_SWITCH)
    return _select(v < LESS_LOG1P_SWITCH, series, large - _log1p(large))


def _age(k: Any) -> Any:
    target = -_log1p(-k)
    w = np.sqrt(2.0 * target)
    # Below, the series v = w + w**2/3 + w**3/36 - ... needs only two terms.
    is_tiny = target < 2.0**-64
    near = _horner(AGE_NEAR, np.minimum(w, AGE_SWITCH))
    far = _horner(AGE_FAR, np.maximum(w, AGE_SWITCH))
    start = np.maximum(w, 2.0**-32) * _select(w < AGE_SWITCH, near, far)
    # The starting value is within 2**-27: one step with the first two terms of the
    # inverse series of v - log1p(v) brings it to rounding.
    curve = 1.0 / (start * (1.0 + start))
    step = (target - _less_log1p(start)) * ((1.0 + start) * (1.0 + start) * curve)
    v = start + step * (1.0 - 0.5 * step * curve)
    return _select(is_tiny, w + w * w / 3.0, v)


# Mixtures over a gamma law of mean 1 and shape a: exp(-x) becomes (1 + x/a)**-a, which is exp(-log_age) with
# log_age = a log1p(x/a). Both functions are written in q = 1/a and p = 1 - 1/a for a >= 1 (wide shapes), and in a
# and b = 1 - a for a < 1 (narrow), so that no difference of nearby numbers is left.


def _rest_log1p(v: Any) -> Any:
    """1 - log1p(v)/v for v >= 0; 0 at 0."""
    small = np.minimum(v, LESS_LOG1P_SWITCH)
    s = small / (2.0 + small)
    series = s * (1.0 - 2.0 * s * _horner(ATANH_TAIL, s * s) / (2.0 + small))
    large = np.maximum(v, LESS_LOG1P_SWITCH)
    return _select(v < LESS_LOG1P_SWITCH, series, 1.0 - _log1p(large) / large)


def _phi1_and_chi(x: Any, decay: Any) -> Any:
    """phi1 and chi of x, for decay = exp(-x)."""
    small = np.minimum(x, CHI_SWITCH)
    series = 0.5 * small - small * small * _alternating(PSI_TAIL, small)
    closed = (1.0 - decay) / np.maximum(x, CHI_SWITCH)
    return _select(x < CHI_SWITCH, 1.0 - series, closed), _select(x < CHI_SWITCH, series, 1.0 - closed)


def _divided(coefficients: tuple[float, ...], x: Any, y: Any) -> Any:
    """The polynomial at x, and its divided difference between x and y: without cancellation where all is positive."""
    value, difference = coefficients[-1] + 0.0 * x, 0.0 * y
    for c in coefficients[-2::-1]:
        value, difference = c + x * value, value + y * difference
    return value, difference


def _clipped_shape(a: Any) -> Any:
    return np.minimum(np.maximum(a, SHAPE_BEGIN), SHAPE_END)


def _log_age(a: Any, x: Any) -> Any:
    """a log1p(x/a)."""
    u = x / a
    return _select(u < 2.0**-60, x, a * _log1p(u))


def _wide_chi(a: Any, x: Any) -> Any:
    u = x / a
    rest = _rest_log1p(u)
    return rest + (1.0 - rest) * _chi((a - 1.0) * _log1p(u))


def _narrow_chi(a: Any, x: Any) -> Any:
    """a w ((1 + u) phi1(a w) - exp(b w) phi1(b w))/u, or a w Q[w, b w] with Q(x) = (exp(x) - 1 - x)/x."""
    u, b = x / a, 1.0 - a
    w = _log1p(u)
    near, far = np.minimum(w, GAMMA_SWITCH), np.maximum(w, GAMMA_SWITCH)
    _, difference = _divided(RISE, near, b * near)
    part = b * far
    growth = np.maximum(u, 3.0)  # exp(GAMMA_SWITCH) - 1 > 3
    closed = (1.0 + 1.0 / growth) * _phi1(a * far) - _exp(np.minimum(part, 709.0)) / growth * _phi1(part)
    return a * _select(w < GAMMA_SWITCH, (1.0 - _rest_log1p(u)) * near * difference, far * closed)


def _gamma_chi(a: Any, x: Any) -> Any:
    a = _clipped_shape(a)
    return _select(a < 1.0, _narrow_chi(np.minimum(a, 1.0), x), _wide_chi(np.maximum(a, 1.0), x))


def _wide_level(p: Any, q: Any, log_age: Any) -> Any:
    """y with 1 - p g = exp(-p y), where g is gamma_price; phi1(q log_age), and 1 + p log_age phi1(q log_age)."""
    flat, bent = _phi1_and_chi(q * log_age, _exp(-np.minimum(q * log_age, LOG_END)))
    reach = p * log_age * flat
    return log_age * (bent + flat * _rest_log1p(reach)), flat, 1.0 + reach


def _narrow_rise(a: Any, b: Any, w: Any, rise: Any, decay: Any) -> Any:
    """(exp(b w) - 1)/b - (1 - exp(-a w))/a with a + b = 1, for rise = exp(b w) and decay = exp(-a w)."""
    small = np.minimum(w, RISE_SWITCH)
    series = small * small * (b * _horner(EXP_TAIL, b * small) + a * _alternating(EXP_TAIL, a * small))
    flat_b, _ = _phi1_and_chi(b * w, 1.0 / rise)
    flat_a, _ = _phi1_and_chi(a * w, decay)
    return _select(w < RISE_SWITCH, series, w * (rise * flat_b - flat_a))


def _gamma_price(a: Any, x: Any) -> Any:
    a = _clipped_shape(a)
    wide, narrow = np.maximum(a, 1.0), np.minimum(a, 1.0)
    p, b = (wide - 1.0) / wide, 1.0 - narrow
    log_age = _log_age(wide, x)
    level, _, _ = _wide_level(p, 1.0 / wide, log_age)
    above = level * _phi1(p * level)
    w = _log1p(x / narrow)
    rise, decay = _exp(np.minimum(b * w, 709.0)), _exp(-np.minimum(narrow * w, 709.0))
    return _select(a < 1.0, narrow * narrow * _narrow_rise(narrow, b, w, rise, decay), above)


# The x with gamma_price(a, x) = k. In the logarithm of the age both equations have the same form: a level y
# that is half a square for small ages and grows linearly for large ones.


def _level_start(narrow: bool) -> tuple[tuple[float, ...], ...]:
    """Coefficients of (x/w - 1)/w, w = sqrt(2 y), in w/(w + 4) and the parameter (1/a or a) from 0 to 1."""
    parameter, x = (part.ravel() for part in np.meshgrid((1 - np.cos(np.pi * np.arange(12) / 11)) / 2, np.geomspace(5e-3, 700, 160)))
    parameter = np.maximum(parameter, SHAPE_BEGIN)
    other = np.maximum(1 - parameter, SHAPE_BEGIN)
    if narrow:
        rise = _narrow_rise(parameter, other, x, np.exp(np.minimum(other * x, LOG_END)), np.exp(-parameter * x))
        level = np.log1p(other * rise) / other
    else:
        level, _, _ = _wide_level(1 - parameter, parameter, x)
    w = np.sqrt(2 * level)
    share = w / (w + START_SCALE)
    columns = np.stack([share**i * parameter**j for i in range(7) for j in range(4)], axis=1)
    size = (w / x)[:, None]  # errors relative to x
    fit, *_ = np.linalg.lstsq(columns * size * w[:, None], (x / w - 1) * size[:, 0], rcond=None)
    return tuple(tuple(map(float, row)) for row in fit.reshape(7, 4))


def _surface(coefficients: tuple[tuple[float, ...], ...], x: Any, y: Any) -> Any:
    """A polynomial in x whose coefficients are polynomials in y."""
    total = _horner(coefficients[-1], y) + 0.0 * x
    for row in coefficients[-2::-1]:
        total = _horner(row, y) + x * total
    return total


START_SCALE = 4.0
WIDE_START = _level_start(narrow=False)
NARROW_START = _level_start(narrow=True)


def _started(coefficients: tuple[tuple[float, ...], ...], level: Any, parameter: Any) -> Any:
    """Within 2 % of the logarithm of the age."""
    w = np.sqrt(2.0 * level)
    return w * (1.0 + w * _surface(coefficients, w / (w + START_SCALE), parameter))


def _halley(x: Any, excess: Any, slope: Any, bend: Any) -> Any:
    step = excess / slope
    return x - step / (1.0 - 0.5 * step * bend / slope)


def _wide_step(p: Any, q: Any, target: Any, x: Any) -> Any:
    level, flat, reach = _wide_level(p, q, x)
    decay = 1.0 - q * x * flat
    return _halley(x, level - target, x * flat / reach, decay * (q * reach + p * decay) / (reach * reach))


def _narrow_step(a: Any, b: Any, target: Any, w: Any) -> Any:
    rise, decay = _exp(np.minimum(b * w, LOG_END)), _exp(-np.minimum(a * w, LOG_END))
    found = _narrow_rise(a, b, w, rise, decay)
    whole = 1.0 + b * found
    # the difference of two levels, log1p(b found)/b and log1p(b target)/b
    excess = (found - target) / (1.0 + b * target)
    excess = excess * (1.0 - _select(b * excess > -0.5, _signed_rest(b * excess), 0.5))
    flat, _ = _phi1_and_chi(w, decay / rise)  # rise - decay = rise (1 - exp(-w))
    slope = rise * w * flat / whole
    return _halley(w, excess, slope, (b * rise + a * decay) / whole - b * slope * slope)


def _signed_rest(v: Any) -> Any:
    """1 - log1p(v)/v to third order: steps towards a root need no more."""
    return v * (0.5 - v * (1.0 / 3.0 - 0.25 * v))


def _grown(a: Any, w: Any) -> Any:
    """a (exp(w) - 1)."""
    flat, _ = _phi1_and_chi(w, _exp(-np.minimum(w, LOG_END)))
    return a * w * flat * _exp(np.minimum(w, LOG_END))


def _wide_age(a: Any, k: Any) -> Any:
    """For a >= 1. Prices from p k = 1 on, at which nothing is bought, are the caller's to leave out."""
    q, p = 1.0 / a, (a - 1.0) / a
    small = np.maximum(p, SHAPE_BEGIN)
    target = -_log1p(-np.minimum(small * k, 1.0 - 2.0**-53)) / small
    x = _started(WIDE_START, target, q)
    x = _wide_step(p, q, target, _wide_step(p, q, target, x))
    return _grown(a, q * x)


def _narrow_age(a: Any, k: Any) -> Any:
    """For a <= 1."""
    b = np.maximum(1.0 - a, SHAPE_BEGIN)
    target = k / (a * a)
    w = _started(NARROW_START, _log1p(b * target) / b, a)
    return _grown(a, _narrow_step(a, b, target, _narrow_step(a, b, target, w)))


def _gamma_age(a: Any, k: Any) -> Any:
    a = _clipped_shape(a)
    return _select(a < 1.0, _narrow_age(np.minimum(a, 1.0), k), _wide_age(np.maximum(a, 1.0), k))


def psi(x: ArrayLike) -> Any:
    """x - 1 + exp(-x) for x >= 0."""
    x = _points("psi", "x", x)
    with np.errstate(under="ignore"):
        return _result(_psi(x))


def phi1(x: ArrayLike) -> Any:
    """(1 - exp(-x))/x for x >= 0; phi1(0) = 1, phi1(inf) = 0."""
    x = _points("phi1", "x", x)
    with np.errstate(under="ignore"):
        return _result(_phi1(x))


def chi(x: ArrayLike) -> Any:
    """psi(x)/x = 1 - phi1(x) for x >= 0; chi(0) = 0, chi(inf) = 1."""
    x = _points("chi", "x", x)
    with np.errstate(under="ignore"):
        return _result(_chi(x))


def psi2(x: ArrayLike) -> Any:
    """psi(x)/x**2 for x >= 0; psi2(0) = 1/2, psi2(inf) = 0."""
    x = _points("psi2", "x", x)
    with np.errstate(under="ignore"):
        return _result(_psi2(x))


def price_at_age(v: ArrayLike) -> Any:
    """1 - (1 + v) exp(-v) for v >= 0; price_at_age(inf) = 1."""
    v = _points("price_at_age", "v", v)
    with np.errstate(under="ignore"):
        return _result(_price(v))


def age_at_price(k: ArrayLike) -> Any:
    """The v > 0 with (1 + v) exp(-v) = 1 - k, for 0 < k < 1.

    v = -1 - W((k - 1)/e) on the branch -1 of Lambert's W, solved as
    v - log1p(v) = -log1p(-k), which is well conditioned at both ends.
    """
    k = _points("age_at_price", "k", k, positive=True)
    if (k >= 1.0).any():
        raise ValueError(f"age_at_price: k must be < 1, got {float(k[k >= 1.0].flat[0])!r}")
    with np.errstate(under="ignore"):
        return _result(_age(k))


def less_log1p(v: ArrayLike) -> Any:
    """v - log1p(v) for v >= 0, within 4 ulp."""
    v = _points("less_log1p", "v", v)
    with np.errstate(under="ignore"):
        return _result(_less_log1p(v))


def gamma_chi(a: ArrayLike, x: ArrayLike) -> Any:
    """1 - (a/(a - 1)) (1 - (1 + x/a)**(1 - a))/x for a > 0, x >= 0: the mean of chi(x Z), Z gamma of mean 1 and shape a."""
    a, x = _points("gamma_chi", "a", a, positive=True), _points("gamma_chi", "x", x)
    with np.errstate(under="ignore"):
        return _result(_gamma_chi(a, x))


def gamma_price(a: ArrayLike, x: ArrayLike) -> Any:
    """The integral of s (1 + s/a)**(-a - 1) over [0, x], for a > 0, x >= 0: x**2 times the slope of gamma_chi in x."""
    a, x = _points("gamma_price", "a", a, positive=True), _points("gamma_price", "x", x)
    with np.errstate(under="ignore"):
        return _result(_gamma_price(a, x))


def gamma_age(a: ArrayLike, k: ArrayLike) -> Any:
    """The x > 0 with gamma_price(a, x) = k, for a > 0 and 0 < k; k < a/(a - 1) where a > 1."""
    a, k = _points("gamma_age", "a", a, positive=True), _points("gamma_age", "k", k, positive=True)
    bad = (a > 1.0) & (k * (1.0 - 1.0 / a) >= 1.0)
    if bad.any():
        first, shape = (float(np.broadcast_to(v, bad.shape)[bad].flat[0]) for v in (k, a))
        raise ValueError(f"gamma_age: k must be < a/(a - 1), got {first!r} at a = {shape!r}")
    with np.errstate(under="ignore"):
        return _result(_gamma_age(a, k))


def exp_moment(n: int, x: ArrayLike) -> Any:
    """The integral of u**n exp(-u x) over u in [0, 1], for x >= 0 and a small integer n >= 0."""
    if n < 0 or n != int(n):
        raise ValueError(f"exp_moment: n must be an integer >= 0, got {n!r}")
    if n == 0:
        return phi1(x)
    x = _points("exp_moment", "x", x)
    with np.errstate(under="ignore"):
        switch = float(n + 2)
        small = np.minimum(x, switch)
        large = np.maximum(x, switch)
        # Kummer: exp(-x) * sum of x**k/((n + 1)...(n + 1 + k)), all terms positive
        total = np.ones_like(small)
        for k in range(24 + 6 * int(n), 0, -1):
            total = 1.0 + small * total / (n + 1 + k)
        series = np.exp(-small) * total / (n + 1)
        decay = np.exp(-large)  # not clipped: a high moment is small itself
        moment = (1.0 - decay) / large
        for k in range(1, int(n) + 1):
            moment = (k * moment - decay) / large
        return _result(np.where(x < switch, series, moment))


def _scaled_excess(
    kernel: str, mean: ArrayLike, kappa: ArrayLike, mu: ArrayLike
) -> tuple[Array, Array, Array, Array, Array]:
    """mean*mu - kappa, exactly up to one rounding, in units of a power of two.

    Returns (difference, product, the product's rounding error, mantissa of mu, exponent
    of mean): all magnitudes are near one, so nothing over- or underflows whatever the
    arguments, and the residual of the product restores what a cancellation uncovers.
    """
    mean = _points(kernel, "mean", mean, positive=True)
    kappa = _points(kernel, "kappa", kappa)
    mu = _points(kernel, "mu", mu, positive=True)
    for name, value in (("mean", mean), ("kappa", kappa), ("mu", mu)):
        if np.isinf(value).any():
            raise ValueError(f"{kernel}: {name} must be finite, got inf")
    mean, mean_exponent = np.frexp(mean)
    kappa, kappa_exponent = np.frexp(kappa)
    mu, mu_exponent = np.frexp(mu)
    product, residual = _two_product(mean, mu)
    shift = kappa_exponent - mean_exponent - mu_exponent
    with np.errstate(under="ignore"):
        scaled = np.ldexp(kappa, np.clip(shift, -1080, 1000))
    head, lost = _two_sum(product, -scaled)
    return head + (lost + residual), product, residual, mu, mean_exponent


def mean_excess(mean: ArrayLike, kappa: ArrayLike, mu: ArrayLike) -> Any:
    """mean - kappa/mu for mean, mu > 0 and kappa >= 0, to full relative accuracy."""
    difference, _, _, mu, exponent = _scaled_excess("mean_excess", mean, kappa, mu)
    with np.errstate(under="ignore"):
        return _result(np.ldexp(difference / mu, exponent))


def relative_excess(mean: ArrayLike, kappa: ArrayLike, mu: ArrayLike) -> Any:
    """1 - kappa/(mean*mu) for mean, mu > 0 and kappa >= 0, to full relative accuracy."""
    difference, product, residual, _, _ = _scaled_excess("relative_excess", mean, kappa, mu)
    ratio = difference / product
    return _result(ratio - ratio * (residual / product))
