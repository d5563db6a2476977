"""Kernels in mpmath numbers, good to the caller's precision at every argument.

Each function works with guard bits and rounds once at the end. Near zero the power
series is summed, because there the closed forms cancel without limit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import mpmath
from mpmath import mp

GUARD_BITS = 32


def _guarded(kernel: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(kernel)
    def rounded(*args: Any) -> Any:
        values = [mp.convert(a) for a in args]
        with mp.workprec(mp.prec + GUARD_BITS):
            value = kernel(*values)
        return +value

    return rounded


def _series(x: Any, first: int, weight: Callable[[int], int]) -> Any:
    """Sum of weight(n) (-x)**n/(n + first)! for |x| <= 1."""
    term = mpmath.mpf(1) / mpmath.factorial(first)
    total = mpmath.mpf(0)
    n = 0
    while True:
        part = weight(n) * term
        total += part
        if abs(part) <= mp.eps * abs(total):
            return total
        n += 1
        term = -term * x / (n + first)


@_guarded
def psi(x: Any) -> Any:
    """x - 1 + exp(-x)."""
    return x * x * _series(x, 2, lambda n: 1) if abs(x) < 1 else x - 1 + mpmath.exp(-x)


@_guarded
def phi1(x: Any) -> Any:
    """(1 - exp(-x))/x; phi1(0) = 1."""
    return _series(x, 1, lambda n: 1) if abs(x) < 1 else (1 - mpmath.exp(-x)) / x


@_guarded
def chi(x: Any) -> Any:
    """psi(x)/x = 1 - phi1(x); chi(0) = 0."""
    return x * _series(x, 2, lambda n: 1) if abs(x) < 1 else (x - 1 + mpmath.exp(-x)) / x


@_guarded
def psi2(x: Any) -> Any:
    """psi(x)/x**2; psi2(0) = 1/2."""
    return _series(x, 2, lambda n: 1) if abs(x) < 1 else (x - 1 + mpmath.exp(-x)) / x**2


@_guarded
def price_at_age(v: Any) -> Any:
    """1 - (1 + v) exp(-v)."""
    if abs(v) < 1:
        return v * v * _series(v, 2, lambda n: n + 1)
    return 1 - (1 + v) * mpmath.exp(-v)


@_guarded
def age_at_price(k: Any) -> Any:
    """The v > 0 with (1 + v) exp(-v) = 1 - k, for 0 < k < 1."""
    if not 0 < k < 1:
        raise ValueError(f"age_at_price: k must be in (0, 1), got {mpmath.nstr(k)}")
    goal = mp.prec
    # mp.log1p keeps the relative accuracy of a small k; a k near 1 is exact in 1 - k
    with mp.workprec(goal + 10):
        target = -mpmath.log1p(-k) if k < 0.5 else -mpmath.log(mp.fsub(1, k, exact=True))
        w = mpmath.sqrt(2 * target)
        v = w + w**2 / 3 + w**3 / 36 if w < 2 else target + mpmath.log1p(target)
    # v - log1p(v) loses as many bits as v is below one
    extra = max(0, -int(mp.mag(v))) + 20
    with mp.workprec(goal + extra):
        for _ in range(200):
            step = (v - mpmath.log1p(v) - target) * (1 + v) / v
            v -= step
            if abs(step) <= abs(v) * mpmath.ldexp(1, -goal // 2 - 8):
                # quadratic convergence: the next step is below the goal
                return v - (v - mpmath.log1p(v) - target) * (1 + v) / v
    raise ArithmeticError(f"age_at_price: no convergence at k = {mpmath.nstr(k)}")


def exp_moment(n: int, x: Any) -> Any:
    """The integral of u**n exp(-u x) over u in [0, 1]."""
    n = int(n)
    if n < 0:
        raise ValueError(f"exp_moment: n must be an integer >= 0, got {n!r}")
    x = mp.convert(x)
    with mp.workprec(mp.prec + GUARD_BITS):
        if mpmath.re(x) < 0 and abs(x) < n + 2:
            power = mpmath.mpf(1)
            term = total = power / (n + 1)
            k = 0
            while abs(term) > mp.eps * abs(total):
                k += 1
                power = -power * x / k
                term = power / (n + 1 + k)
                total += term
            value = total
        elif abs(x) < n + 2:
            # Kummer, all terms positive for x > 0
            term = total = mpmath.mpf(1) / (n + 1)
            k = 0
            while abs(term) > mp.eps * abs(total):
                k += 1
                term = term * x / (n + 1 + k)
                total += term
            value = mpmath.exp(-x) * total
        else:
            decay = mpmath.exp(-x)
            value = (1 - decay) / x
            with mp.workprec(mp.prec + 4 * n):
                for k in range(1, n + 1):
                    value = (k * value - decay) / x
    return +value


def _cross_difference(mean: Any, kappa: Any, mu: Any) -> Any:
    """mean*mu - kappa without any rounding."""
    return mp.fsub(mp.fmul(mean, mu, exact=True), kappa, exact=True)


@_guarded
def mean_excess(mean: Any, kappa: Any, mu: Any) -> Any:
    """mean - kappa/mu."""
    return _cross_difference(mean, kappa, mu) / mu


@_guarded
def relative_excess(mean: Any, kappa: Any, mu: Any) -> Any:
    """1 - kappa/(mean*mu)."""
    return _cross_difference(mean, kappa, mu) / (mean * mu)


def _spare_bits(a: Any, x: Any) -> int:
    """What the closed forms of the gamma mixtures may lose: twice the digits of a small age, those of a large shape,
    and those by which the shape is near 1."""
    lost = 2 * abs(int(mp.mag(x))) + 2 * abs(int(mp.mag(a)))
    return lost + (abs(int(mp.mag(a - 1))) if a != 1 else 0)


@_guarded
def gamma_chi(a: Any, x: Any) -> Any:
    """1 - (a/(a - 1)) (1 - (1 + x/a)**(1 - a))/x; gamma_chi(a, 0) = 0."""
    if x == 0:
        return mpmath.mpf(0)
    with mp.workprec(mp.prec + _spare_bits(a, x)):
        if a == 1:
            return 1 - mpmath.log1p(x) / x
        return 1 - a / (a - 1) * (1 - mpmath.exp((1 - a) * mpmath.log1p(x / a))) / x


@_guarded
def gamma_price(a: Any, x: Any) -> Any:
    """The integral of s (1 + s/a)**(-a - 1) over [0, x]."""
    if x == 0:
        return mpmath.mpf(0)
    with mp.workprec(mp.prec + _spare_bits(a, x)):
        log_age = a * mpmath.log1p(x / a)
        spent = x * mpmath.exp(-log_age)
        if a == 1:
            return log_age - spent
        return a / (a - 1) * (1 - mpmath.exp(-log_age) * (1 + x / a)) - spent
