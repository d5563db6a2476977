"""The kernels as sympy functions, so that a stable formula can still be proved.

``psi(x)`` stays ``psi(x)`` in an expression and prints as a call to
``crawlproof.kernels.<backend>.psi``; ``expr.rewrite(sp.exp)`` gives the definition back,
so that equality with a paper's formula is an ordinary symbolic proof.

Each class has an attribute ``kernel``, the name of the numeric function.
"""

from __future__ import annotations

from typing import Any

import mpmath
import sympy as sp
from sympy.core.function import ArgumentIndexError

from crawlproof.kernels import multiprecision

__all__ = [
    "KERNELS",
    "Kernel",
    "age_at_price",
    "chi",
    "exp_moment",
    "gamma_chi",
    "gamma_price",
    "in_exponentials",
    "mean_excess",
    "phi1",
    "price_at_age",
    "psi",
    "psi2",
    "relative_excess",
]


class Kernel(sp.Function):
    """Base of the kernels: definition, numeric value and typesetting in one place."""

    kernel: str
    _latex_name: str

    def definition(self) -> sp.Expr:
        """The function in elementary terms, exact wherever it is not 0/0."""
        raise NotImplementedError

    def _eval_rewrite_as_exp(self, *args: sp.Expr, **kwargs: Any) -> sp.Expr:
        return self.func(*args, evaluate=False).definition()

    def _eval_evalf(self, prec: int) -> sp.Expr | None:
        # A few guard bits: evalf may ask again with more when digits cancel.
        values = [a._to_mpmath(prec + 10) if a.is_number else None for a in self.args]
        if any(v is None for v in values):
            return None
        with mpmath.mp.workprec(prec + 10):
            value = getattr(multiprecision, self.kernel)(*values)
        return sp.Expr._from_mpmath(value, prec)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        inside = ", ".join(printer._print(a) for a in self.args)
        power = "" if exp is None else f"^{{{exp}}}"
        return f"{self._latex_name}{power}\\left({inside}\\right)"

    def _real_if_args_real(self) -> bool | None:
        return True if all(a.is_extended_real for a in self.args) else None

    _eval_is_real = _real_if_args_real
    _eval_is_extended_real = _real_if_args_real


class psi(Kernel):
    """psi(x) = x - 1 + exp(-x)."""

    nargs = 1
    kernel = "psi"
    _latex_name = r"\psi"

    @classmethod
    def eval(cls, x: sp.Expr) -> sp.Expr | None:
        if x.is_zero:
            return sp.S.Zero
        return sp.oo if x is sp.oo else None

    def definition(self) -> sp.Expr:
        (x,) = self.args
        return x - 1 + sp.exp(-x)

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        (x,) = self.args
        return x * phi1(x)

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[0].is_real else None

    def _eval_is_zero(self) -> bool | None:
        return self.args[0].is_zero if self.args[0].is_real else None


class phi1(Kernel):
    """phi1(x) = (1 - exp(-x))/x, with phi1(0) = 1."""

    nargs = 1
    kernel = "phi1"
    _latex_name = r"\varphi_1"

    @classmethod
    def eval(cls, x: sp.Expr) -> sp.Expr | None:
        if x.is_zero:
            return sp.S.One
        return sp.S.Zero if x is sp.oo else None

    def definition(self) -> sp.Expr:
        (x,) = self.args
        return (1 - sp.exp(-x)) / x

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        (x,) = self.args
        return -exp_moment(1, x)

    def _eval_is_positive(self) -> bool | None:
        return True if self.args[0].is_real else None


class chi(Kernel):
    """chi(x) = psi(x)/x = 1 - phi1(x), with chi(0) = 0."""

    nargs = 1
    kernel = "chi"
    _latex_name = r"\chi"

    @classmethod
    def eval(cls, x: sp.Expr) -> sp.Expr | None:
        if x.is_zero:
            return sp.S.Zero
        return sp.S.One if x is sp.oo else None

    def definition(self) -> sp.Expr:
        (x,) = self.args
        return (x - 1 + sp.exp(-x)) / x

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        (x,) = self.args
        return exp_moment(1, x)

    def _eval_is_positive(self) -> bool | None:
        return self.args[0].is_positive if self.args[0].is_real else None


class psi2(Kernel):
    """psi2(x) = psi(x)/x**2, with psi2(0) = 1/2."""

    nargs = 1
    kernel = "psi2"
    _latex_name = r"\psi_2"

    @classmethod
    def eval(cls, x: sp.Expr) -> sp.Expr | None:
        if x.is_zero:
            return sp.S.Half
        return sp.S.Zero if x is sp.oo else None

    def definition(self) -> sp.Expr:
        (x,) = self.args
        return (x - 1 + sp.exp(-x)) / x**2

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        (x,) = self.args
        # psi2 is the integral of (1 - u) exp(-u x)
        return exp_moment(2, x) - exp_moment(1, x)

    def _eval_is_positive(self) -> bool | None:
        return True if self.args[0].is_real else None


class price_at_age(Kernel):
    """price_at_age(v) = 1 - (1 + v) exp(-v)."""

    nargs = 1
    kernel = "price_at_age"
    _latex_name = r"\operatorname{price}"

    @classmethod
    def eval(cls, v: sp.Expr) -> sp.Expr | None:
        if v.is_zero:
            return sp.S.Zero
        if isinstance(v, age_at_price):
            return v.args[0]
        return sp.S.One if v is sp.oo else None

    def definition(self) -> sp.Expr:
        (v,) = self.args
        return 1 - (1 + v) * sp.exp(-v)

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        (v,) = self.args
        return v * sp.exp(-v)

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[0].is_real else None


class age_at_price(Kernel):
    """age_at_price(k), 0 < k < 1: the v > 0 with price_at_age(v) = k."""

    nargs = 1
    kernel = "age_at_price"
    _latex_name = r"\operatorname{age}"

    @classmethod
    def eval(cls, k: sp.Expr) -> sp.Expr | None:
        if k.is_zero:
            return sp.S.Zero
        return sp.oo if k is sp.S.One else None

    def definition(self) -> sp.Expr:
        (k,) = self.args
        return -1 - sp.LambertW((k - 1) * sp.exp(-1), -1)

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        # exp(v)/v with exp(v) = (1 + v)/(1 - k)
        (k,) = self.args
        return (1 + self) / ((1 - k) * self)

    def _inside_domain(self) -> bool | None:
        k = self.args[0]
        return True if k.is_positive and (1 - k).is_positive else None

    _eval_is_positive = _inside_domain
    _eval_is_real = _inside_domain
    _eval_is_extended_real = _inside_domain


class exp_moment(Kernel):
    """exp_moment(n, x): the integral of u**n exp(-u x) over u in [0, 1]; n = 0, 1, 2, ..."""

    nargs = 2
    kernel = "exp_moment"
    _latex_name = "M"

    @classmethod
    def eval(cls, n: sp.Expr, x: sp.Expr) -> sp.Expr | None:
        if not (n.is_Integer and n >= 0):
            raise ValueError(f"exp_moment: n must be a literal integer >= 0, got {n}")
        if n.is_zero:
            return phi1(x)
        if x.is_zero:
            return sp.Rational(1, n + 1)
        return sp.S.Zero if x is sp.oo else None

    def definition(self) -> sp.Expr:
        n, x = self.args
        # n!/x**(n+1) (1 - exp(-x) sum of x**k/k!, k <= n)
        partial = sum((x**k / sp.factorial(k) for k in range(int(n) + 1)), sp.S.Zero)
        return sp.factorial(n) * (1 - sp.exp(-x) * partial) / x ** (n + 1)

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        if argindex != 2:
            raise ArgumentIndexError(self, argindex)
        n, x = self.args
        return -exp_moment(n + 1, x)

    def _eval_is_positive(self) -> bool | None:
        return True if self.args[1].is_real else None


class _GammaMixture(Kernel):
    """A function of a shape a > 0 and an age x >= 0; a = 1 is its limit."""

    nargs = 2

    @classmethod
    def eval(cls, a: sp.Expr, x: sp.Expr) -> sp.Expr | None:
        return sp.S.Zero if x.is_zero else None

    def _inside_domain(self) -> bool | None:
        return True if all(argument.is_positive for argument in self.args) else None

    _eval_is_positive = _inside_domain
    _eval_is_real = _inside_domain
    _eval_is_extended_real = _inside_domain

    def _by_age(self) -> sp.Expr:
        raise NotImplementedError

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        if argindex == 2:
            return self._by_age()
        shape = sp.Dummy("a", positive=True)
        return self.func(shape, self.args[1]).definition().diff(shape).subs(shape, self.args[0])


class gamma_chi(_GammaMixture):
    """gamma_chi(a, x) = 1 - (a/(a - 1)) (1 - (1 + x/a)**(1 - a))/x."""

    kernel = "gamma_chi"
    _latex_name = r"\chi_\Gamma"

    def definition(self) -> sp.Expr:
        a, x = self.args
        if (a - 1).is_zero:
            return 1 - sp.log(1 + x) / x
        return 1 - a * (1 - (1 + x / a) ** (1 - a)) / ((a - 1) * x)

    def _by_age(self) -> sp.Expr:
        a, x = self.args
        return gamma_price(a, x) / x**2


class gamma_price(_GammaMixture):
    """gamma_price(a, x) = (a/(a - 1)) (1 - (1 + x/a)**(1 - a)) - x (1 + x/a)**(-a)."""

    kernel = "gamma_price"
    _latex_name = r"g_\Gamma"

    def definition(self) -> sp.Expr:
        a, x = self.args
        if (a - 1).is_zero:
            return sp.log(1 + x) - x / (1 + x)
        return a * (1 - (1 + x / a) ** (1 - a)) / (a - 1) - x * (1 + x / a) ** (-a)

    def _by_age(self) -> sp.Expr:
        a, x = self.args
        return x * (1 + x / a) ** (-a - 1)


class mean_excess(Kernel):
    """mean_excess(mean, kappa, mu) = mean - kappa/mu."""

    nargs = 3
    kernel = "mean_excess"
    _latex_name = r"\operatorname{excess}"

    @classmethod
    def eval(cls, mean: sp.Expr, kappa: sp.Expr, mu: sp.Expr) -> sp.Expr | None:
        return mean if kappa.is_zero else None

    def definition(self) -> sp.Expr:
        mean, kappa, mu = self.args
        return mean - kappa / mu

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        _, kappa, mu = self.args
        return {1: sp.S.One, 2: -1 / mu, 3: kappa / mu**2}[argindex]


class relative_excess(Kernel):
    """relative_excess(mean, kappa, mu) = 1 - kappa/(mean*mu)."""

    nargs = 3
    kernel = "relative_excess"
    _latex_name = r"\operatorname{relexcess}"

    @classmethod
    def eval(cls, mean: sp.Expr, kappa: sp.Expr, mu: sp.Expr) -> sp.Expr | None:
        return sp.S.One if kappa.is_zero else None

    def definition(self) -> sp.Expr:
        mean, kappa, mu = self.args
        return 1 - kappa / (mean * mu)

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        mean, kappa, mu = self.args
        slopes = {1: kappa / (mean**2 * mu), 2: -1 / (mean * mu), 3: kappa / (mean * mu**2)}
        return slopes[argindex]


KERNELS: dict[str, type[Kernel]] = {
    cls.kernel: cls
    for cls in (
        psi,
        phi1,
        chi,
        psi2,
        price_at_age,
        age_at_price,
        exp_moment,
        gamma_chi,
        gamma_price,
        mean_excess,
        relative_excess,
    )
}


def in_exponentials(expr: sp.Expr) -> sp.Expr:
    """The expression with every kernel replaced by its definition."""
    return expr.replace(lambda e: isinstance(e, Kernel), lambda e: e.definition())
