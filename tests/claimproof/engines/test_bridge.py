"""Trees to sympy and back: nothing evaluated, nothing lost, and a retyped side is seen."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
import sympy as sp

from claimproof.core import tree as t
from claimproof.core.reader import read
from claimproof.core.statement import Statement, Way
from claimproof.core.symbols import Domain, Symbol
from claimproof.core.tree import Apply
from claimproof.engines.bridge import Bridge, BridgeError, Expansion, as_kernels, assumptions


class psi(sp.Function):
    """x - 1 + exp(-x), as a project would supply it."""

    nargs = 1
    _latex_name = r"\psi"

    @classmethod
    def eval(cls, x: sp.Expr) -> sp.Expr | None:
        return sp.S.Zero if x.is_zero else None

    def _eval_evalf(self, prec: int) -> sp.Expr:
        (x,) = self.args
        return (x - 1 + sp.exp(-x))._eval_evalf(prec)


@pytest.fixture(scope="module")
def bridge(table) -> Bridge:
    return Bridge(table, {"psi": psi})


# ---- to sympy ---------------------------------------------------------------------------


@pytest.mark.parametrize("domain", Domain)
def test_symbols_have_the_assumptions_of_their_domain(domain):
    symbol = Bridge({"q": Symbol("q", "q", domain, "q")}).symbol("q")
    assert symbol == sp.Symbol("q", **assumptions(domain))
    assert symbol.is_real
    assert bool(symbol.is_integer) is domain.bounds.integer
    inside = [v for n in range(-4, 5) if domain.bounds.contains(v := Fraction(n, 2))]
    for sign, holds in (("is_positive", lambda v: v > 0), ("is_negative", lambda v: v < 0), ("is_nonnegative", lambda v: v >= 0)):
        if getattr(symbol, sign):  # what sympy is told is true of every member
            assert all(map(holds, inside))


@pytest.mark.parametrize(
    "text",
    [
        "1 + 1", "x - x", "x*x", "x/x", "0*x", "1*x", "x**1", "log(1)", "sqrt(4)", "exp(0)", "psi(0)", "factorial(3)",
        "Max(1, 2)", "floor(1/2)", "Abs(mu)", "2*(x + 1)", "fibonacci(5)", "binomial(4, 2)",
        "Eq(x, x)", "1 < 2", "mu > 0", "And(x < 1, x >= 1)", "Or(x < 1, x >= 1)", "Not(x < 1)", "Implies(x < 1, x < 1)",
        "Derivative(x**2, x)", "Derivative(y, x)", "Integral(t, (t, 0, 1))", "Sum(k, (k, 1, 3))", "Product(k, (k, 1, 3))",
        "Limit(x, x, 0)", "Piecewise((1, 1 < 2), (x, True))", "Sum(k + 1 - 1, (k, 1, 3))",
    ],
)
def test_nothing_is_evaluated_when_written(table, bridge, text):
    tree = read(text, table)
    written = bridge.written(tree)
    assert written not in (sp.true, sp.false)
    assert not isinstance(written, sp.Number | sp.Symbol)
    assert t.same(bridge.tree(written), tree)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 1", 2), ("x - x", 0), ("x/x", 1), ("log(1)", 0), ("sqrt(4)", 2), ("psi(0)", 0), ("Max(1, 2)", 2),
        ("Eq(x, x)", sp.true), ("mu > 0", sp.true), ("And(x < 1, x >= 1)", sp.false), ("Piecewise((1, 1 < 2), (x, True))", 1),
    ],
)
def test_sympy_evaluates_what_is_evaluated(table, bridge, text, value):
    assert bridge.evaluated(read(text, table)) == value


@pytest.mark.parametrize("text", ["Derivative(x**2, x)", "Integral(t, (t, 0, 1))", "Sum(k, (k, 1, 3))", "Limit(x, x, 0, '+')"])
def test_carrying_out_is_left_to_the_engines(table, bridge, text):
    assert bridge.evaluated(read(text, table)) == bridge.written(read(text, table))


def test_limits_and_series(table, bridge):
    x = bridge.symbol("x")
    assert bridge.written(read("Limit(1/x, x, 0, '-')", table)).doit() == -sp.oo
    assert bridge.evaluated(read("Limit(1/x, x, oo)", table)) == sp.Limit(1 / x, x, sp.oo)
    series = bridge.written(read("Series(exp(x), x, 0, 2, 1 + x)", table))
    assert isinstance(series, Expansion)
    assert series.args[0] == sp.exp(x)
    assert series.args[3] == 2


def test_families_and_functions(table, bridge):
    member = bridge.written(read("kappa[i]", table))
    assert member == sp.Function("kappa", positive=True)(bridge.symbol("i"))
    assert member.is_positive
    assert bridge.written(read("H(t)", table)).func == bridge.symbol("H")


def test_unknown_names(bridge):
    with pytest.raises(BridgeError, match=r"kapa.*near: kappa"):
        bridge.written(t.Name("kapa"))
    with pytest.raises(BridgeError, match="foo"):
        bridge.written(Apply("foo", (t.Name("x"),)))


# ---- and back ---------------------------------------------------------------------------


def test_round_trip(bridge, trees):
    for tree in trees:
        if isinstance(tree, Apply) and tree.head == "Equivalent" and t.same(*tree.args):
            continue
        back = bridge.tree(bridge.written(tree))
        assert t.same(back, tree), f"{tree} came back as {back}"
        assert bridge.tree(bridge.written(back)) == back


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (lambda x, mu: x - mu, "-mu + x"),
        (lambda x, mu: 1 - 2 * x, "1 - 2*x"),
        (lambda x, mu: -x / (2 * mu), "-(x/(2*mu))"),
        (lambda x, mu: sp.Rational(3, 4) * x, "3*x/4"),
        (lambda x, mu: 1 / sp.sqrt(mu), "mu**(-1/2)"),
        (lambda x, mu: x / mu**2, "x/mu**2"),
        (lambda x, mu: sp.exp(-mu * x), "exp(-(mu*x))"),
        (lambda x, mu: sp.Integral(sp.exp(-mu * x), (x, 0, sp.oo)), "Integral(exp(-(mu*x)), (x, 0, oo))"),
        (lambda x, mu: sp.GoldenRatio**5 / 10, "phi**5/10"),
        (lambda x, mu: sp.Derivative(x**2 * mu, x, mu), "Derivative(Derivative(mu*x**2, mu), x)"),
        (lambda x, mu: sp.Eq(x, -sp.oo, evaluate=False), "Eq(x, -oo)"),
    ],
)
def test_sympy_expressions_read_well(table, bridge, expression, text):
    tree = bridge.tree(expression(bridge.symbol("x"), bridge.symbol("mu")))
    assert t.same(tree, read(text, table))
    assert read(str(tree), table) == tree


@pytest.mark.parametrize(
    ("value", "part"),
    [
        ("x", "no expression of sympy"), ("__import__('os')", "no expression of sympy"), (0.5, "no expression of sympy"), (True, "no expression of sympy"),
        (sp.Float(0.5), "Float"), (sp.I, "ImaginaryUnit"), (sp.nan, "NaN"), (sp.zoo, "ComplexInfinity"), (sp.true, "BooleanTrue"),
        (sp.Symbol("x"), "declared otherwise"), (sp.Symbol("x", positive=True), "declared otherwise"),
        (sp.Symbol("zeta", real=True), "not in the symbol table"), (sp.Matrix([[1]]), "no expression of sympy"),
        (sp.Integral(sp.Symbol("x", real=True)), "lower and an upper end"), (sp.Integer(9) ** 5000, "bits"),
        (sp.zeta(3), "zeta is not among"),
    ],
)
def test_what_has_no_tree(bridge, value, part):
    with pytest.raises(BridgeError) as caught:
        bridge.tree(value)
    assert part in str(caught.value)


def test_exact_numbers(bridge):
    assert bridge.tree(3) == t.number(3)
    assert bridge.tree(Fraction(1, 2)) == t.Number(Fraction(1, 2))


def test_symbols_of_one_derivation(bridge):
    lam, z, wider_mu = sp.Symbol("lambda", positive=True), sp.Symbol("z", integer=True), sp.Symbol("mu", real=True)
    share = sp.Function("share", nonnegative=True)
    expression = lam * z + wider_mu + share(bridge.symbol("i")) + bridge.symbol("mu")
    local = bridge.with_local(expression)
    tree = local.tree(expression)
    assert t.free_names(tree) == {"lambda_", "z", "mu_", "mu", "share", "i"}
    assert local.symbols["lambda_"].domain is Domain.POSITIVE
    assert local.symbols["lambda_"].latex == r"\lambda"
    assert local.symbols["z"].domain is Domain.INTEGER
    assert local.symbols["mu_"].domain is Domain.REAL
    assert local.symbols["share"].is_family
    assert local.evaluated(tree) == expression
    assert "z" not in bridge.symbols
    with pytest.raises(BridgeError, match="no domain"):
        bridge.with_local(sp.Symbol("w"))


# ---- retyped sides ----------------------------------------------------------------------


def test_a_retyped_side_is_seen_and_a_computed_one_is_not(table, bridge):
    side = read("d*EX - (1 - h**d)/mu", table)
    d, EX, h, mu = (bridge.symbol(n) for n in ("d", "EX", "h", "mu"))
    z = sp.Symbol("z", positive=True)
    for retyped in (d * EX - (1 - h**d) / mu, EX * d + (h**d - 1) / mu, bridge.written(side), bridge.evaluated(side)):
        assert bridge.same(side, retyped)
    computed = sp.Integral(1 - sp.exp(-mu * z), (z, 0, d * EX))
    assert not bridge.same(side, computed)
    assert not bridge.same(side, (mu * d * EX - (1 - h**d)) / mu)
    assert bridge.same(read("x*x", table), bridge.symbol("x") ** 2)  # sympy collects by itself
    assert bridge.same(read("1/2", table), Fraction(1, 2))
    with pytest.raises(BridgeError, match="no expression of sympy"):
        bridge.same(side, "d*EX - (1 - h**d)/mu")


# ---- kernels ----------------------------------------------------------------------------


def test_kernels_for_a_symbol_table():
    (kernel,) = as_kernels({"psi": psi})
    assert (kernel.name, kernel.latex, kernel.arity) == ("psi", r"\psi", 1)

    class several(sp.Function):
        nargs = (1, 2)

    with pytest.raises(BridgeError, match="several"):
        as_kernels({"several": several})


# ---- values -----------------------------------------------------------------------------

POINT = {"mu": Fraction(3, 2), "h": Fraction(2, 5), "d": 3, "x": Fraction(-7, 3), "y": Fraction(5, 4), "x0": Fraction(1, 7), "V2": 2}
_VALUES = {
    "Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b, "Div": lambda a, b: a / b, "Pow": mpmath.power,
    "Neg": lambda a: -a, "sqrt": mpmath.sqrt, "exp": mpmath.exp, "Abs": abs, "atan": mpmath.atan, "cosh": mpmath.cosh,
    "psi": lambda a: a - 1 + mpmath.exp(-a), "Max": max,
}


def value(tree: t.Tree) -> Any:
    """A second evaluator, which knows nothing of sympy; None where it does not know how."""
    match tree:
        case t.Number(number):
            return mpmath.mpf(number.numerator) / number.denominator
        case t.Constant(name):
            return {"pi": mpmath.pi, "E": mpmath.e, "phi": mpmath.phi}[name] + mpmath.mpf(0)
        case t.Name(name) if name in POINT:
            return mpmath.mpf(Fraction(POINT[name]).numerator) / Fraction(POINT[name]).denominator
        case Apply(head, args) if head in _VALUES:
            parts = [value(a) for a in args]
            if any(p is None or isinstance(p, mpmath.mpc) or not mpmath.isfinite(p) or abs(p) > 1e6 for p in parts):
                return None
            try:
                return _VALUES[head](*parts)
            except ZeroDivisionError:
                return None
        case _:
            return None


def test_both_forms_have_the_value_of_the_tree(bridge, trees):
    compared = 0
    with mpmath.workdps(40):
        for tree in trees:
            expected = value(tree)
            if expected is None or isinstance(expected, mpmath.mpc) or not 1e-9 < abs(expected) < 1e9:
                continue
            at = {bridge.symbol(n): sp.Rational(Fraction(v)) for n, v in POINT.items()}
            for form in (bridge.written(tree), bridge.evaluated(tree)):
                found = mpmath.mpmathify(sp.N(form.subs(at), 40))
                assert abs(found - expected) < mpmath.mpf(10) ** -25 * abs(expected), str(tree)
            compared += 1
    assert compared > 30


TRUE = [
    ("Eq((x + 1)**2, x**2 + 2*x + 1)", [], [{"x": 2}, {"x": -3}]),
    ("Eq(Derivative(x**3, x), 3*x**2)", [], [{"x": 2}, {"x": -3}]),
    ("Eq(Integral(exp(-mu*t), (t, 0, oo)), 1/mu)", ["mu > 0"], [{"mu": 2}]),
    ("Eq(Sum(k, (k, 1, N)), N*(N + 1)/2)", [], [{"N": 3}, {"N": 4}]),
    ("Eq(Limit((1 - exp(-mu))/mu, mu, 0), 1)", [], [{}]),
    ("Eq(sqrt(y**2), y)", ["y >= 0"], [{"y": 2}, {"y": -2}]),
    ("x**2 + 1 >= 2*x", [], [{"x": 1}, {"x": 3}]),
    ("exp(x) >= 1 + x", [], [{"x": 0}, {"x": 1}]),
    ("And(Eq(x - x0, -(x0 - x)), h < 1)", [], [{"x": 2, "x0": 5, "h": Fraction(1, 2)}]),
    ("Implies(x >= 1, x**2 >= x)", [], [{"x": 1}, {"x": Fraction(1, 2)}]),
    ("Equivalent(x > 0, -x < 0)", [], [{"x": 1}, {"x": -1}]),
    ("Eq(phi**2 - phi, 1)", [], [{}]),
]


def holds(statement: Statement, point: dict[str, Any]) -> bool:
    """Whether a statement is true at a point: numerically, apart from the engines; true outside its domain."""
    if any(not s.domain.bounds.contains(Fraction(point[s.name])) for s in statement.quantified):
        return True
    bridge = Bridge.of(statement, {"psi": psi})
    at = {bridge.symbol(s.name): sp.Rational(Fraction(point[s.name])) for s in statement.quantified}

    def true(tree: t.Tree) -> bool:
        match tree:
            case Apply("And", parts):
                return all(map(true, parts))
            case Apply("Implies", (premise, consequence)):
                return not true(premise) or true(consequence)
            case Apply("Equivalent", (left, right)):
                return true(left) == true(right)
            case Apply(head, sides):
                left, right = (sp.N(bridge.written(side).doit().subs(at), 30) for side in sides)
                close = abs(left - right) < 1e-20
                return {
                    "Eq": close, "Ne": not close, "Lt": left < right and not close, "Gt": left > right and not close,
                    "Le": left < right or close, "Ge": left > right or close,
                }[head]
            case _:
                raise AssertionError(tree)

    return not all(map(true, statement.hypotheses)) or bool(true(statement.conclusion))


@pytest.mark.parametrize(("formula", "where", "points"), TRUE)
def test_falsified_statements_are_false_somewhere(table, formula, where, points):
    statement = Statement.read(formula, where, table=table)
    assert all(holds(statement, point) for point in points)
    for variant in statement.falsified():
        unneeded = variant.way in (Way.HYPOTHESIS, Way.DOMAIN) and formula != "Eq(sqrt(y**2), y)" and "Implies" not in formula
        if not unneeded:
            assert any(not holds(variant.statement, point) for point in points), variant.description


def test_subtle_variants_of_a_sum_are_false_somewhere(table):
    statement = Statement.read("Eq(Sum(k, (k, 1, N)), N*(N + 1)/2)", table=table)
    variants = statement.subtle()
    assert len(variants) == 4
    for variant in variants:
        assert not all(holds(variant.statement, {"N": n}) for n in (3, 4)), variant.description
