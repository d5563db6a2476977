"""Trees: invariants, names, substitution, and when two of them say the same."""

from __future__ import annotations

from fractions import Fraction

import pytest

from claimproof.core import tree as t
from claimproof.core.reader import read
from claimproof.core.tree import Apply, Name, TreeError


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x + y + 1", "1 + (y + x)"),
        ("x - y", "-y + x"),
        ("x/y", "x*y**(-1)"),
        ("x/(y*mu)", "x/y/mu"),
        ("sqrt(x)", "x**(1/2)"),
        ("exp(x)", "E**x"),
        ("-(x - y)", "y - x"),
        ("2*(x + y)", "2*x + 2*y"),
        ("x*2*3", "6*x"),
        ("x > y", "y < x"),
        ("x >= 1", "1 <= x"),
        ("Eq(x, y)", "Eq(y, x)"),
        ("And(x < 1, And(y < 1, mu < 1))", "And(mu < 1, y < 1, x < 1)"),
        ("Max(x, y)", "Max(y, x)"),
        ("Sum(k, (k, 1, N))", "Sum(n, (n, 1, N))"),
        ("Integral(Integral(x*t, (t, 0, 1)), (x, 0, 1))", "Integral(Integral(y*x, (x, 0, 1)), (y, 0, 1))"),
        ("0.5*x", "x/2"),
        ("LambertW(x, 0)", "LambertW(x)"),
        ("x**1", "x"),
        ("Derivative(Derivative(x*y, x), y)", "Derivative(Derivative(x*y, y), x)"),
        ("Derivative(Derivative(x**3, x), x)", "Derivative(x**3, (x, 2))"),
        ("-(1 - x)/mu", "(x - 1)/mu"),
        ("mu/(1 - x)**3", "-mu/(x - 1)**3"),
        ("(2 - 2*x)/mu", "2*(1 - x)/mu"),
    ],
)
def test_the_same_in_other_words(table, left, right):
    assert t.same(read(left, table), read(right, table))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x", "y"), ("x + y", "x - y"), ("x*y", "x/y"), ("x**y", "y**x"), ("x < y", "x <= y"), ("x < y", "y < x"),
        ("(x + 1)**2", "x**2 + 2*x + 1"),  # expanding is computing
        ("x*x", "x**2"), ("x + x", "2*x"), ("x/x", "1"), ("log(1)", "0"), ("sqrt(4)", "2"),
        ("x*(y + 1)", "x*y + x"), ("Sum(k, (k, 1, N))", "Sum(k, (k, 0, N))"), ("kappa[1]", "kappa[2]"),
        ("Integral(Integral(x*t, (t, 0, 1)), (x, 0, 2))", "Integral(Integral(x*t, (t, 0, 2)), (x, 0, 1))"),
        ("Limit(x, x, 0, '+')", "Limit(x, x, 0, '-')"), ("Derivative(x*y, x)", "Derivative(x*y, y)"),
        ("Implies(x < 1, y < 1)", "Implies(y < 1, x < 1)"), ("And(x < 1, y < 1)", "Or(x < 1, y < 1)"),
        ("Mod(x, y)", "Mod(y, x)"), ("Sum(k*x, (k, 1, N))", "Sum(x*x, (k, 1, N))"),
        ("Derivative(x**2, x)", "Derivative(x**2, (x, 2))"), ("LambertW(x, -1)", "LambertW(x)"),
    ],
)
def test_not_the_same(table, left, right):
    assert not t.same(read(left, table), read(right, table))


def test_free_and_bound_names(table):
    tree = read("Sum(kappa[k]*x, (k, 1, N)) + Limit(y*t, t, x0) + Derivative(mu*h, x) + H(EX) + psi(d)", table)
    assert t.free_names(tree) == {"kappa", "x", "N", "y", "x0", "mu", "h", "H", "EX", "psi", "d"}
    assert t.bound_names(tree) == {"k", "t"}
    assert t.names(tree) == t.free_names(tree) | {"k", "t"}
    assert t.depth(read("x", table)) == 1
    assert t.depth(read("exp(x + 1)", table)) == 3


def test_substitution(table):
    tree = read("Integral(x*t, (t, 0, x)) + kappa[i] + t", table)
    put = t.substituted(tree, {"x": read("y + 1", table), "t": read("mu", table), "i": read("3", table)})
    assert put == read("Integral((y + 1)*t, (t, 0, y + 1)) + kappa[3] + mu", table)
    assert t.substituted(read("-x/y", table), {"x": t.number(3), "y": t.number(6)}) == t.Number(Fraction(-1, 2))


@pytest.mark.parametrize("text", ["Integral(x*t, (t, 0, 1))", "Limit(x*t, t, 0)", "Series(x*t, t, 0, 1, 0)", "Derivative(x, t)"])
def test_substitution_lets_no_name_be_captured(table, text):
    with pytest.raises(TreeError, match="t that is bound there"):
        t.substituted(read(text, table), {"x": Name("t")})


def test_no_substitution_for_the_variable_of_a_derivative(table):
    with pytest.raises(TreeError, match="differentiates by it"):
        t.substituted(read("Derivative(x**2, x)", table), {"x": t.number(1)})


@pytest.mark.parametrize(
    "make",
    [
        lambda: Apply("Neg", (t.number(1),)), lambda: Apply("Div", (t.number(1), t.number(2))), lambda: Apply("eval", ()),
        lambda: Apply("Add", (Name("x"),)), lambda: Apply("__import__", (Name("x"),)), lambda: Name("E"), lambda: Name("a.b"),
        lambda: Name("lambda"), lambda: Name("x" * 61), lambda: t.Number(0.5), lambda: t.Number(Fraction(2**5000)),
        lambda: t.Constant("e"), lambda: t.Indexed("kappa", ()), lambda: t.Ranged("Union", Name("x"), "k", Name("x"), Name("x")),
        lambda: t.Limit(Name("x"), "x", t.number(0), "+"), lambda: t.Derivative(Name("x"), "x", True),
        lambda: Apply("exp", ("x",)), lambda: Apply("Not", ("x",)), lambda: t.Cases((), Name("x")),
    ],
)
def test_what_is_no_formula_is_not_built(make):
    with pytest.raises(TreeError):
        make()


@pytest.mark.parametrize(
    "data",
    [
        None, 3, "x", [], ["Name"], ["Name", 3], ["Name", "__class__"], ["Number", 3], ["Number", "1/0"], ["Number", "1e9"],
        ["Number", "9" * 2000], ["Apply", "exp"], ["Apply", "exp", "x"], ["Eval", "x"], ["Limit", ["Name", "x"], "x", ["Name", "y"], "up"],
        ["Derivative", ["Name", "x"], "x", 1.5], ["Cases", [3], ["Name", "x"]], {"Name": "x"}, ["Apply", "Neg", ["Number", "1"]],
        ["Apply", "Pow", ["Number", "9"], ["Apply", "Pow", ["Number", "9"], ["Number", "9"]]],
    ],
)
def test_data_that_is_no_formula(data):
    with pytest.raises(TreeError):
        t.from_json(data)


def test_deep_data_is_refused_and_does_not_overflow():
    data = ["Name", "x"]
    for _ in range(5000):
        data = ["Apply", "exp", data]
    with pytest.raises(TreeError, match="deep"):
        t.from_json(data)


def test_children_rebuild_the_tree(trees):
    for tree in trees:
        assert t.rebuilt(tree, t.children(tree)) == tree
        assert t.replaced(tree, lambda node: None) == tree
        assert t.same(tree, tree)
