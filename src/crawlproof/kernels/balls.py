"""Kernels in ball arithmetic (python-flint's arb): the result contains every value.

The functions of one real variable are monotone, or fall and rise with their minimum at
0, so a ball is enclosed by the values at its two ends: tight however wide the ball is,
and with no singularity when it contains 0. A value at an exact point comes from the
closed form, or near 0 from the power series with a bound on its remainder.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, ctx, fmpz

GUARD_BITS = 32


def _series(x: arb, first: int, weight: Callable[[int], int]) -> arb:
    """Sum of weight(n) (-x)**n/(n + first)! for an exact |x| < 1.

    The weight is 1, or n + 1 with first = 2: the ratio of two terms in a row is then at
    most 2/3 (reached by the first two), so what is left out is at most three times its
    first term.
    """
    term = arb(1) / arb(fmpz.fac_ui(first))
    total = arb(0)
    goal = term * arb(2) ** -(ctx.prec + 8)
    n = 0
    while not abs(weight(n) * term) < goal:
        total += weight(n) * term
        n += 1
        term = -term * x / (n + first)
    rest = 3 * weight(n) * abs(term)
    return total + rest.union(-rest)


def _monotone(point: Callable[[arb], arb], x: arb) -> arb:
    if not x.is_finite():
        return arb.nan()
    # enough bits for the ends of a narrow ball to be themselves
    with ctx.workprec(max(ctx.prec, x.bits()) + GUARD_BITS):
        value = point(x.lower()).union(point(x.upper()))
    return +value


def _valley(point: Callable[[arb], arb], x: arb) -> arb:
    """For a function that falls to 0 at 0 and rises after it."""
    value = _monotone(point, x)
    return value.union(arb(0)) if x.contains(0) else value


def _near_zero(x: arb) -> bool:
    return abs(x) < 1


def psi(x: arb) -> arb:
    """x - 1 + exp(-x)."""

    def point(p: arb) -> arb:
        if _near_zero(p):
            return p * p * _series(p, 2, lambda n: 1)
        return p - 1 + (-p).exp()

    return _valley(point, arb(x))


def phi1(x: arb) -> arb:
    """(1 - exp(-x))/x, decreasing; phi1(0) = 1."""

    def point(p: arb) -> arb:
        return _series(p, 1, lambda n: 1) if _near_zero(p) else (1 - (-p).exp()) / p

    return _monotone(point, arb(x))


def chi(x: arb) -> arb:
    """psi(x)/x = 1 - phi1(x), increasing; chi(0) = 0."""

    def point(p: arb) -> arb:
        return p * _series(p, 2, lambda n: 1) if _near_zero(p) else (p - 1 + (-p).exp()) / p

    return _monotone(point, arb(x))


def psi2(x: arb) -> arb:
    """psi(x)/x**2, decreasing; psi2(0) = 1/2."""

    def point(p: arb) -> arb:
        if _near_zero(p):
            return _series(p, 2, lambda n: 1)
        return (p - 1 + (-p).exp()) / (p * p)

    return _monotone(point, arb(x))


def price_at_age(v: arb) -> arb:
    """1 - (1 + v) exp(-v)."""

    def point(p: arb) -> arb:
        if _near_zero(p):
            return p * p * _series(p, 2, lambda n: n + 1)
        return 1 - (1 + p) * (-p).exp()

    return _valley(point, arb(v))


def age_at_price(k: arb) -> arb:
    """The v > 0 with (1 + v) exp(-v) = 1 - k, increasing on 0 < k < 1; nan outside."""
    k = arb(k)
    if not (k > 0 and k < 1):
        return arb.nan()

    def point(p: arb) -> arb:
        # 1 + W loses half of the bits by which k is below one
        lost = max(0, -_exponent(p))
        with ctx.workprec(ctx.prec + 2 * lost):
            return -1 - ((p - 1) * (arb(-1)).exp()).lambertw(-1)

    return _monotone(point, k)


def _exponent(p: arb) -> int:
    """e with |p| < 2**e, for an exact nonzero p."""
    mantissa, exponent = p.man_exp()
    return int(abs(mantissa)).bit_length() + int(exponent)


def exp_moment(n: int | arb, x: arb) -> arb:
    """The integral of u**n exp(-u x) over u in [0, 1], decreasing in x."""
    n = int(n.unique_fmpz()) if isinstance(n, arb) else int(n)
    if n < 0:
        raise ValueError(f"exp_moment: n must be an integer >= 0, got {n!r}")
    if n == 0:
        return phi1(x)

    def point(p: arb) -> arb:
        if abs(p) < 2 * n + 4:
            return _moment_series(n, p)
        decay = (-p).exp()
        moment = (1 - decay) / p
        for k in range(1, n + 1):
            moment = (k * moment - decay) / p
        return moment

    return _monotone(point, arb(x))


def gamma_chi(a: arb, x: arb) -> arb:
    """1 - (a/(a - 1)) (1 - (1 + x/a)**(1 - a))/x, increasing in both; nan unless a > 0 and x >= 0."""
    return _gamma_mixture(a, x, lambda a, x: x / 2 * (-x / a).hypgeom_2f1(a + 1, 1, 3))


def gamma_price(a: arb, x: arb) -> arb:
    """The integral of s (1 + s/a)**(-a - 1) over [0, x], increasing in x."""
    return _gamma_mixture(a, x, lambda a, x: x * x / 2 * (-x / a).hypgeom_2f1(a + 1, 2, 3))


def _gamma_mixture(a: arb, x: arb, function: Callable[[arb, arb], arb]) -> arb:
    """By its values at the two ends of x; Euler's integral gives the hypergeometric functions."""
    a, x = arb(a), arb(x)
    if not (a > 0 and x >= 0):
        return arb.nan()
    with ctx.workprec(2 * max(ctx.prec, x.bits(), a.bits()) + GUARD_BITS):
        value = function(a, x.lower()).union(function(a, x.upper()))
    return +value


def _moment_series(n: int, x: arb) -> arb:
    """Sum of (-x)**k/(k! (n + 1 + k)) for an exact x.

    From k >= 2|x| on the terms at least halve, so the rest is at most twice the next.
    """
    size = abs(x)
    # the terms grow up to exp(|x|) before they fall
    with ctx.workprec(ctx.prec + int(3 * float(size.upper())) + 8):
        goal = arb(2) ** -ctx.prec
        power = arb(1)
        total = arb(0)
        k = 0
        while not (k >= 2 * size and abs(power) < goal):
            total += power / (n + 1 + k)
            k += 1
            power = -power * x / k
        rest = 2 * abs(power) / (n + 1 + k)
        return total + rest.union(-rest)


def mean_excess(mean: arb, kappa: arb, mu: arb) -> arb:
    """mean - kappa/mu."""
    mean, kappa, mu = arb(mean), arb(kappa), arb(mu)
    with ctx.workprec(2 * ctx.prec + GUARD_BITS):
        value = mean - kappa / mu
    return +value


def relative_excess(mean: arb, kappa: arb, mu: arb) -> arb:
    """1 - kappa/(mean*mu)."""
    mean, kappa, mu = arb(mean), arb(kappa), arb(mu)
    with ctx.workprec(2 * ctx.prec + GUARD_BITS):
        value = 1 - kappa / (mean * mu)
    return +value


def power(base: arb, exponent: int) -> arb:
    """Integer power; a wide ball by its ends, because a power is monotone on each side of 0."""
    base = arb(base)
    low, high = base.lower(), base.upper()
    if base.rel_accuracy_bits() >= 20 or not (low >= 0 or high <= 0):
        return base**exponent
    return (low**exponent).union(high**exponent)


def root(value: arb, degree: int) -> arb:
    """Principal root; nan for a ball that reaches below 0."""
    value = arb(value)
    if not value >= 0:
        return arb.nan()
    return value.sqrt() if degree == 2 else value.root(degree)


def general_power(base: arb, exponent: arb) -> arb:
    """base**exponent for a base that is certainly positive, nan otherwise."""
    base = arb(base)
    return (base.log() * exponent).exp() if base > 0 else arb.nan()


def maximum(first: arb, *others: arb) -> arb:
    """The largest of the arguments."""
    result = arb(first)
    for other in others:
        result = result.max(arb(other))
    return result


def minimum(first: arb, *others: arb) -> arb:
    """The smallest of the arguments."""
    result = arb(first)
    for other in others:
        result = result.min(arb(other))
    return result


def sign(value: arb) -> arb:
    """-1, 0 or 1, or a ball around those that are possible."""
    return arb(value).sgn()
