"""From SymPy expressions to ball arithmetic, with nothing inexact on the way.

A ball (python-flint's ``arb``) is a midpoint and a radius that certainly contain the true value.
That is worth something only when every number in the printed code is exact: ``lambdify`` would
write ``Rational(1, 3)`` as a Python float and produce a tiny ball around a wrong value. The printer
below writes exact ``fmpq`` rationals, asks for constants such as pi at the precision of the call, and
refuses a SymPy ``Float`` or a Python ``float`` by name.

>>> import sympy as sp
>>> x = sp.Symbol("x")
>>> f = ball_function([x], sp.exp(x) / 3)
>>> f(0).contains(fmpq(1, 3))
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import sympy as sp
from flint import acb, arb, ctx, fmpq, fmpz, fmpz_poly
from sympy.codegen import cfunctions
from sympy.printing.pycode import PythonCodePrinter

__all__ = [
    "FloatInBall",
    "NoBallForm",
    "ball",
    "ball_function",
    "exact_rational",
    "interval",
    "is_zero",
    "refuse_floats",
    "sign_of",
    "to_ball",
]


class FloatInBall(TypeError):
    """A floating-point number was about to enter rigorous arithmetic."""


class NoBallForm(TypeError):
    """An expression contains something that has no ball form here."""


# --------------------------------------------------------------------------- numbers


def exact_rational(value: Any) -> fmpq:
    """``value`` as an exact rational; floats are refused, not converted."""
    if isinstance(value, fmpq):
        return value
    if isinstance(value, (int, fmpz)) and not isinstance(value, bool):
        return fmpq(value)
    if isinstance(value, (Fraction, sp.Rational)):
        return fmpq(int(value.numerator), int(value.denominator))
    if isinstance(value, (float, sp.Float)):
        raise FloatInBall(f"{value!r} is a floating-point number; give an exact rational")
    raise TypeError(f"{value!r} ({type(value).__name__}) is not an exact rational")


def to_ball(value: Any) -> arb:
    """An argument of a ball function: a ball, an exact rational or a closed SymPy number."""
    if isinstance(value, arb):
        return value
    if isinstance(value, sp.Expr) and not isinstance(value, (sp.Rational, sp.Float)):
        return ball_function([], value)()
    return arb(exact_rational(value))


def interval(low: fmpq, high: fmpq) -> arb:
    """The smallest ball around [low, high] that the format allows.

    Radii are rounded up, so a ball reaches a little beyond its ends; at an end of exactly 0 that
    would leave the domain of sqrt, hence the cut there.
    """
    hull = arb(low).union(arb(high))
    return hull.nonnegative_part() if low >= 0 else hull


# --------------------------------------------------------------------------- runtime of printed code


def _wide(value: arb) -> bool:
    return value.rel_accuracy_bits() < 20


def _power(base: arb | fmpq, exponent: int) -> arb | fmpq:
    """Integer power; for a wide ball by its ends, because a power is monotone on each side of 0."""
    if isinstance(base, fmpq) or not _wide(base):
        return base**exponent
    low, high = base.lower(), base.upper()
    if low >= 0 or high <= 0 or (exponent > 0 and exponent % 2):
        hull = (low**exponent).union(high**exponent)
        return hull.nonnegative_part() if low >= 0 or exponent % 2 == 0 else hull
    if exponent > 0:
        return arb(0).union(abs(base).upper() ** exponent).nonnegative_part()
    return base**exponent


def _root(value: arb | fmpq, degree: int) -> arb:
    """Principal root; a ball that reaches below 0 has none (``nan``)."""
    value = arb(value)
    if value >= 0:
        return value.sqrt() if degree == 2 else value.root(degree)
    return arb.nan()


def _general_power(base: arb | fmpq, exponent: arb | fmpq) -> arb:
    """base**exponent for a base that is certainly positive."""
    base = arb(base)
    return (base.log() * exponent).exp() if base > 0 else arb.nan()


def _real_root(coefficients: Sequence[int], index: int) -> arb:
    """The real root number ``index`` (in increasing order) of an integer polynomial."""
    roots = [root for root, _ in fmpz_poly(list(coefficients)).complex_roots()]
    real = [arb(r.real) if isinstance(r, acb) else r for r in roots if not isinstance(r, acb) or r.imag.is_zero()]
    return sorted(real, key=lambda r: r.mid().fmpq())[index]


def _maximum(*values: arb | fmpq) -> arb:
    result = arb(values[0])
    for value in values[1:]:
        result = result.max(arb(value))
    return result


def _minimum(*values: arb | fmpq) -> arb:
    return -_maximum(*(-v for v in values))


def _sign(value: arb | fmpq) -> arb:
    return arb(value).sgn()


_METHODS: dict[type, str] = {
    sp.exp: "exp",
    sp.log: "log",
    sp.sin: "sin",
    sp.cos: "cos",
    sp.tan: "tan",
    sp.asin: "asin",
    sp.acos: "acos",
    sp.atan: "atan",
    sp.sinh: "sinh",
    sp.cosh: "cosh",
    sp.tanh: "tanh",
    sp.coth: "coth",
    sp.sech: "sech",
    sp.csch: "csch",
    sp.asinh: "asinh",
    sp.acosh: "acosh",
    sp.atanh: "atanh",
    sp.erf: "erf",
    sp.erfc: "erfc",
    sp.gamma: "gamma",
    sp.loggamma: "lgamma",
    sp.factorial: "fac",
    sp.digamma: "digamma",
    sp.Ei: "ei",
    sp.floor: "floor",
    sp.ceiling: "ceil",
    cfunctions.expm1: "expm1",
    cfunctions.log1p: "log1p",
}

_CONSTANTS: dict[Any, str] = {
    sp.pi: "arb.pi()",
    sp.E: "arb.const_e()",
    sp.EulerGamma: "arb.const_euler()",
    sp.Catalan: "arb.const_catalan()",
    sp.GoldenRatio: "((arb(5).sqrt() + 1)/2)",
}

_RUNTIME: dict[str, Any] = {
    "arb": arb,
    "fmpq": fmpq,
    "power": _power,
    "root": _root,
    "general_power": _general_power,
    "real_root": _real_root,
    "maximum": _maximum,
    "minimum": _minimum,
    "sign": _sign,
}


class BallPrinter(PythonCodePrinter):
    """Prints python-flint code in which every atom is an ``arb`` or an exact ``fmpq``."""

    def __init__(self, names: Mapping[sp.Basic, str]):
        super().__init__({"fully_qualified_modules": False})
        self._names = names

    def _print_Float(self, expr: sp.Float) -> str:
        raise FloatInBall(f"the Float {expr} has no exact value; write it as a Rational")

    def _print_Rational(self, expr: sp.Rational) -> str:
        return f"fmpq({expr.p}, {expr.q})" if expr.q != 1 else f"fmpq({expr.p})"

    _print_Integer = _print_Zero = _print_One = _print_NegativeOne = _print_Half = _print_Rational

    def _print_Infinity(self, expr: sp.Number) -> str:
        raise NoBallForm(f"{expr} is not a real number")

    _print_NegativeInfinity = _print_NaN = _print_ComplexInfinity = _print_Infinity

    def _print_NumberSymbol(self, expr: sp.NumberSymbol) -> str:
        if expr not in _CONSTANTS:
            raise NoBallForm(f"no ball form for the constant {expr}")
        return _CONSTANTS[expr]

    _print_Pi = _print_Exp1 = _print_EulerGamma = _print_Catalan = _print_GoldenRatio = _print_NumberSymbol

    def _print_Symbol(self, expr: sp.Symbol) -> str:
        if expr not in self._names:
            raise NoBallForm(f"{expr} is neither a number nor an argument of this function")
        return self._names[expr]

    _print_Dummy = _print_Symbol

    def _print_Add(self, expr: sp.Add, order: Any = None) -> str:
        return "(" + " + ".join(self._print(term) for term in self._as_ordered_terms(expr)) + ")"

    def _print_Mul(self, expr: sp.Mul) -> str:
        return "(" + "*".join(self._print(factor) for factor in expr.as_ordered_factors()) + ")"

    def _print_Pow(self, expr: sp.Pow, rational: bool = False) -> str:
        base, exponent = expr.args
        text = self._print(base)
        if isinstance(exponent, sp.Integer):
            return f"power({text}, {int(exponent)})"
        if isinstance(exponent, sp.Rational):
            return f"power(root({text}, {exponent.q}), {exponent.p})"
        return f"general_power({text}, {self._print(exponent)})"

    def _print_Abs(self, expr: sp.Abs) -> str:
        return f"abs({self._print(expr.args[0])})"

    def _print_sign(self, expr: sp.sign) -> str:
        return f"sign({self._print(expr.args[0])})"

    def _print_Max(self, expr: sp.Max) -> str:
        return self._call("maximum", sp.ordered(expr.args))

    def _print_Min(self, expr: sp.Min) -> str:
        return self._call("minimum", sp.ordered(expr.args))

    def _print_LambertW(self, expr: sp.LambertW) -> str:
        branch = int(expr.args[1]) if len(expr.args) > 1 else 0
        if branch not in (0, -1):
            raise NoBallForm(f"branch {branch} of LambertW is not real")
        return f"arb({self._print(expr.args[0])}).lambertw({branch})"

    def _print_ComplexRootOf(self, expr: sp.CRootOf) -> str:
        if not expr.is_real:
            raise NoBallForm(f"{expr} is not real")
        coefficients = [int(c) for c in reversed(expr.poly.clear_denoms()[1].all_coeffs())]
        distinct = sorted(set(sp.Poly(expr.poly).real_roots()), key=lambda r: r.evalf(50))
        return f"real_root({coefficients}, {distinct.index(expr)})"

    def _print_Function(self, expr: sp.Function) -> str:
        kernel = getattr(expr.func, "kernel", None)
        if isinstance(kernel, str):
            return self._call(f"kernels.{kernel}", expr.args, wrap=True)
        method = _METHODS.get(expr.func)
        if method is None or len(expr.args) != 1:
            raise NoBallForm(f"no ball form for {expr.func.__name__}, in {expr}")
        return f"arb({self._print(expr.args[0])}).{method}()"

    def _print(self, expr: Any, **kwargs: Any) -> str:
        # The parent knows many more classes, and prints them for ``math``: exact or not at all.
        if isinstance(expr, (sp.Abs, sp.sign, sp.Max, sp.Min, sp.LambertW)):
            return super()._print(expr, **kwargs)
        if isinstance(expr, sp.Function):
            return self._print_Function(expr)
        if isinstance(expr, (sp.Number, sp.NumberSymbol, sp.Symbol, sp.Add, sp.Mul, sp.Pow, sp.CRootOf)):
            return super()._print(expr, **kwargs)
        raise NoBallForm(f"no ball form for {type(expr).__name__}, in {expr}")

    def _call(self, name: str, arguments: Any, wrap: bool = False) -> str:
        printed = (self._print(a) for a in arguments)
        return f"{name}({', '.join(f'arb({p})' if wrap else p for p in printed)})"


def _ball_kernels(expressions: Iterable[sp.Expr]) -> SimpleNamespace:
    """The kernels of the expressions for balls: module ``balls`` beside the one that has their sympy form."""
    found = {f.func for e in expressions for f in e.atoms(sp.Function) if isinstance(getattr(f.func, "kernel", None), str)}
    package = {f: f.__module__.rpartition(".")[0] for f in found}
    return SimpleNamespace(**{f.kernel: getattr(import_module(f"{package[f]}.balls"), f.kernel) for f in found})


def ball_function(
    args: Sequence[sp.Symbol], expr: sp.Expr | Sequence[sp.Expr]
) -> Callable[..., Any]:
    """Compile ``expr`` to a function of balls, evaluated at the precision of the moment (``ctx.prec``).

    The function takes balls, exact rationals or closed SymPy numbers; a float raises
    :class:`FloatInBall`. A sequence of expressions gives a tuple of balls, common parts shared.
    A result that is not finite means "cannot tell".
    """
    single = isinstance(expr, (sp.Basic, int, Fraction))
    expressions = [sp.sympify(e) for e in ([expr] if single else expr)]
    for e in expressions:
        refuse_floats(e)
    shared, reduced = sp.cse(expressions, symbols=sp.numbered_symbols("t", cls=sp.Dummy), order="canonical")
    names: dict[sp.Basic, str] = {a: f"x{i}" for i, a in enumerate(args)}
    names |= {symbol: f"t{i}" for i, (symbol, _) in enumerate(shared)}
    printer = BallPrinter(names)
    lines = [f"def printed({', '.join(names[a] for a in args)}):"]
    lines += [f"    {names[symbol]} = {printer.doprint(value)}" for symbol, value in shared]
    lines += [f"    return ({' '.join(f'arb({printer.doprint(e)}),' for e in reduced)})"]
    namespace = {**_RUNTIME, "kernels": _ball_kernels(expressions)}
    exec("\n".join(lines), namespace)
    printed = namespace["printed"]

    def evaluate(*values: Any) -> Any:
        if len(values) != len(args):
            raise TypeError(f"expected {len(args)} arguments ({', '.join(map(str, args))}), got {len(values)}")
        result = printed(*(to_ball(v) for v in values))
        return result[0] if single else result

    evaluate.source = "\n".join(lines)  # type: ignore[attr-defined]
    return evaluate


def refuse_floats(expr: sp.Basic) -> None:
    """Raise when a floating-point number is anywhere in ``expr``, and name it."""
    floats = sorted(map(str, expr.atoms(sp.Float)))
    if floats:
        raise FloatInBall(f"Float {', '.join(floats)} in {expr}: write it as a Rational")


# --------------------------------------------------------------------------- closed numbers


def ball(expr: Any, precision: int = 128) -> arb:
    """A ball around a closed exact number."""
    with ctx.workprec(precision):
        return to_ball(sp.sympify(expr)) if isinstance(expr, sp.Basic) else to_ball(expr)


def is_zero(expr: sp.Expr) -> bool | None:
    """Whether a closed number is exactly 0; None when neither exact arithmetic nor a ball can tell."""
    expr = sp.sympify(expr)
    refuse_floats(expr)
    if isinstance(expr, sp.Rational):
        return bool(expr == 0)
    for precision in (64, 512):
        try:
            value = ball(expr, precision)
        except NoBallForm:
            break
        if value.is_finite() and not value.contains(0):
            return False
    if sp.expand(expr) == 0 or sp.radsimp(sp.expand(expr)) == 0:
        return True
    if expr.is_algebraic:
        t = sp.Dummy("t")
        return sp.minimal_polynomial(expr, t) == t
    return True if sp.simplify(expr) == 0 else None


def sign_of(expr: Any, max_precision: int = 8192) -> int | None:
    """-1, 0 or 1 for a closed real number; None when undecided at ``max_precision`` bits."""
    expr = sp.sympify(expr)
    refuse_floats(expr)
    if expr.free_symbols:
        raise TypeError(f"{expr} is not a closed number: it contains {sorted(map(str, expr.free_symbols))}")
    if isinstance(expr, sp.Rational):
        return (expr.p > 0) - (expr.p < 0)
    if expr is sp.oo or expr is -sp.oo:
        return 1 if expr is sp.oo else -1
    if is_zero(expr):
        return 0
    precision = 64
    while precision <= max_precision:
        value = ball(expr, precision)
        if value > 0:
            return 1
        if value < 0:
            return -1
        precision *= 2
    return None
