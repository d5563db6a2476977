"""Formulas from text: what is accepted, and that nothing else is, or runs."""

from __future__ import annotations

import ast
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import claimproof.core
from claimproof.core import tree as t
from claimproof.core.reader import StatementError, read
from claimproof.core.tree import Apply, Name, Side


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("Eq(EZ, d*EX - (1 - h**d)/mu)", "Eq(EZ, d*EX - (1 - h**d)/mu)"),
        ("  mu>0 ", "mu > 0"),
        ("0 < x <= 1", "And(0 < x, x <= 1)"),
        ("x == 1 != 2", "And(Eq(x, 1), Ne(1, 2))"),
        ("x - (y - 1) + -2", "x - (y - 1) + -2"),
        ("(x + y) + 1", "x + y + 1"),
        ("x + (y + 1)", "x + (y + 1)"),
        ("x/(y*mu)/2", "x/(y*mu)/2"),
        ("-x**2", "-x**2"),
        ("(-x)**2", "(-x)**2"),
        ("x**-1", "x**(-1)"),
        ("(x**y)**2", "(x**y)**2"),
        ("x**y**2", "x**(y**2)"),
        ("0.25*x + 1e-6 + .5 + 2.", "1/4*x + 1/1000000 + 1/2 + 2"),
        ("0.1", "1/10"),
        ("-1/2*x", "-1/2*x"),
        ("6/4", "3/2"),
        ("kappa[i] + kappa[1]", "kappa[i] + kappa[1]"),
        ("H(t)*psi(mu*t)", "H(t)*psi(mu*t)"),
        ("Sum(kappa[i], (i, 1, N))", "Sum(kappa[i], (i, 1, N))"),
        ("Integral(exp(-mu*t), (t, 0, oo))", "Integral(exp(-mu*t), (t, 0, oo))"),
        ("Derivative(x**2, x)", "Derivative(x**2, x)"),
        ("Derivative(x**2, (x, 2))", "Derivative(x**2, (x, 2))"),
        ("Eq(Limit(1/x, x, 0, '+'), oo)", 'Eq(Limit(1/x, x, 0, "+"), oo)'),
        ("Limit(x, x, -oo)", "Limit(x, x, -oo)"),
        ("Series(exp(x), x, 0, 2, 1 + x)", "Series(exp(x), x, 0, 2, 1 + x)"),
        ("Piecewise((0, x < 0), (x, True))", "Piecewise((0, x < 0), (x, True))"),
        ("Implies(And(x > 0, y > 0), Not(Or(x*y < 0, Eq(x, 0))))", "Implies(And(x > 0, y > 0), Not(Or(x*y < 0, Eq(x, 0))))"),
        ("Equivalent(Lt(x, 1), Gt(1, x))", "Equivalent(x < 1, 1 > x)"),
        ("LambertW(-x, -1) + Max(x, y, 1)", "LambertW(-x, -1) + Max(x, y, 1)"),
        ("fibonacci(n) + binomial(n, 2) + factorial(n) + phi**5/10", "fibonacci(n) + binomial(n, 2) + factorial(n) + phi**5/10"),
    ],
)
def test_accepted(table, text, canonical):
    tree = read(text, table)
    assert str(tree) == canonical
    assert read(canonical, table) == tree
    assert t.from_json(t.to_json(tree)) == tree


def test_decimals_are_exact(table):
    assert read("0.1", table) == t.Number(Fraction(1, 10))
    assert read("0.30000000000000000001", table) == t.Number(Fraction(30000000000000000001, 10**20))


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("Limit(mu, mu, 0)", Side.ABOVE), ("Limit(h, h, 0)", Side.ABOVE), ("Limit(h, h, 1)", Side.BELOW),
        ("Limit(x, x, 0)", Side.BOTH), ("Limit(h, h, 1/2)", Side.BOTH), ("Limit(x, x, oo)", Side.BELOW),
        ("Limit(x, x, -oo)", Side.ABOVE), ("Limit(x, x, 0, '-')", Side.BELOW), ("Limit(mu, mu, 0, '+-')", Side.BOTH),
        ("Limit(n, n, oo)", Side.BELOW),
    ],
)
def test_the_domain_says_from_where_a_limit_is_taken(table, text, side):
    tree = read(text, table)
    assert isinstance(tree, t.Limit)
    assert tree.side is side


MISTAKES = [
    ("", 1, "empty"),
    ("x +", 3, "accepted"),
    ("Eq(x, foo)", 7, "unknown name 'foo'"),
    ("kapa + 1", 1, "near: kappa"),
    ("sqr(x)", 1, "near: sqrt"),
    ("mu(x + 1)", 1, "mu*(...)"),
    ("kappa(i)", 1, "kappa[...]"),
    ("1 + kappa", 5, "kappa[...]"),
    ("H", 1, "H(...)"),
    ("H[1]", 1, "no family"),
    ("kappa[1, 2]", 1, "1 index"),
    ("kappa[1:2]", 8, "':'"),
    ("H(t, t)", 1, "1 argument"),
    ("psi(x, x)", 1, "1 argument"),
    ("psi", 1, "called with arguments"),
    ("Sum", 1, "called with arguments"),
    ("exp(x, x)", 1, "exp takes 1 argument, not 2"),
    ("Eq(x)", 1, "Eq takes 2 arguments, not 1"),
    ("And(x < 1)", 1, "at least 2"),
    ("And(x, y)", 1, "must be a proposition"),
    ("(x < 1) + 1", 1, "must be a number"),
    ("Eq(x < 1, y)", 1, "must be a number"),
    ("x + oo", 1, "can't be oo"),
    ("--oo", 1, "-(-oo) is oo"),
    ("oo", 1, "alone"),
    ("1/0", 1, "division by zero"),
    ("x/0", 1, "division by zero"),
    ("0**(-1)", 1, "division by zero"),
    ("Sum(x, k)", 1, "(variable, lower, upper)"),
    ("Sum(x, (x, 1, 2))", 9, "whole numbers"),
    ("Integral(k, (k, 1, 2))", 14, "real numbers"),
    ("Integral(x, (2, 1, 2))", 14, "name of a symbol"),
    ("Integral(x, (kappa, 1, 2))", 14, "family"),
    ("Sum(k, (k, 1, k))", 1, "its own range"),
    ("Sum(Sum(k, (k, 1, n)), (k, 1, n))", 1, "bound twice"),
    ("Derivative(x, 2)", 1, "Derivative(expression, variable)"),
    ("Derivative(x, (x, 0))", 1, "from 1 to 20"),
    ("Derivative(x, (x, y))", 19, "whole number"),
    ("Limit(x, x)", 1, "Limit(expression, variable, point)"),
    ("Limit(n, n, 3)", 13, "whole numbers"),
    ("Limit(x, x, 0, 'up')", 16, '"+", "-", "+-"'),
    ("Limit(x, x, oo, '+')", 1, "from side '-'"),
    ("Series(x, x, 0, 0, x)", 1, "from 1 to 100"),
    ("Series(x, x, oo, 2, x)", 1, "can't be oo"),
    ("Series(x, x, 0, 2)", 1, "Series(expression, variable, point, order, expansion)"),
    ("Piecewise((1, x < 0))", 1, "(value, True)"),
    ("Piecewise((1, True))", 1, "branch"),
    ("LambertW(x, 3)", 1, "0 or -1"),
    ("x if x > 0 else y", 1, "if ... else"),
    ("x > 0 and y > 0", 1, "And(a, b)"),
    ("not x", 1, "accepted"),
    ("x in y", 1, "in is not accepted"),
    ("x // y", 1, "this operator"),
    ("x % y", 3, "'%'"),
    ("True", 1, "no number"),
    ("'x'", 1, "no number"),
    ("1_000", 1, "no number"),
    ("0x10", 1, "no number"),
    ("1e400", 1, "two digits"),
    ("3j", 1, "no number"),
    ("x, y", 1, "a tuple"),
    ("Eq(x, y, evaluate=False)", 1, "this call"),
    ("x)(y", 2, "closes nothing"),
]


@pytest.mark.parametrize(("text", "position", "part"), MISTAKES)
def test_mistakes(table, text, position, part):
    with pytest.raises(StatementError) as caught:
        read(text, table, source="clw/claims.toml: CLW-L3.1: formula")
    message = str(caught.value)
    assert message.startswith(f"clw/claims.toml: CLW-L3.1: formula: {text!r}, position {position}: ")
    assert part in message
    assert "\n" not in message


HOSTILE = [
    "__import__('os').system('touch {canary}')",
    "open('{canary}', 'w')",
    "exec('open(1)')",
    "().__class__.__bases__[0].__subclasses__()",
    "x.__class__",
    "(lambda: x)()",
    "[x for x in (1, 2)]",
    "(x for x in (1, 2))",
    "(x := 3)",
    "f'{{x}}'",
    "f'x'",
    "{{x}}",
    "x; y",
    "x\ny",
    "x\\\n",
    "\x00x",
    "9**9**9",
    "9**9**9**9",
    "10**1000000",
    "x**100000",
    "2**(2**(2**(2**2)))**2",
    "(9**900)**900",
    "factorial(factorial(100))",
    "factorial(99999999)",
    "gamma(10**9)",
    "binomial(10**9, 5*10**8)",
    "fibonacci(10**9)",
    "exp(exp(exp(exp(9))))",
    "1e999999999",
    "9" * 1999,
    "(" * 99 + "x" + ")" * 99 + "(",
    "(" * 1500,
    "-" * 1999 + "x",
    "x" + "+x" * 900,
    "x" + "**x" * 600,
    "exp(" * 300 + "x" + ")" * 300,
    "kappa[" * 150 + "1" + "]" * 150,
    "a" * 2001,
    "ｘ + 1",
    "х + 1",
    "μ",
    "x\u200b",
    "∞",
    "ｅxp(x)",
    "x\u2212y",
    "eval(x)",
    "sympify(x)",
    "Symbol('x')",
    "print(x)",
    "*x",
    "Max(*x)",
    "Eq(**x)",
    "x @ y",
    "~x",
    "await x",
    "yield",
    "None",
    "...",
    "b'x'",
    "'x' 'y'",
    "import os",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_get_one_error_and_run_nothing(table, text, tmp_path):
    canary = tmp_path / "canary"
    text = text.format(canary=canary) if "{" in text else text
    with pytest.raises(StatementError) as caught:
        read(text, table)
    assert len(str(caught.value)) < 900
    assert "\n" not in str(caught.value)
    assert not canary.exists()


TOKENS = [
    "x", "mu", "kappa", "H", "psi", "Eq", "Sum", "Limit", "Piecewise", "exp", "oo", "pi", "True", "lambda", "for", "in",
    "if", "else", "not", "and", "is", "None", "__import__", "eval", "(", ")", "[", "]", ",", ".", "+", "-", "*", "**", "/",
    "<", "<=", "==", "!=", "=", ":=", ":", "'", '"', "1", "0", "2.5", "1e9", "9**9", " ", "{", "}", "@", "~", "\\", "\n", "é",
]


@given(tokens=st.lists(st.sampled_from(TOKENS), max_size=30), glue=st.sampled_from(["", " "]))
def test_any_mixture_of_tokens_is_a_formula_or_one_error(table, tokens, glue):
    text = glue.join(tokens)
    before = set(sys.modules)
    try:
        tree = read(text, table)
    except StatementError as error:
        outcome: t.Tree | str = str(error)
    else:
        outcome = tree
    if isinstance(outcome, str):
        assert "position" in outcome
    else:
        assert read(str(outcome), table) == outcome
    assert set(sys.modules) == before


@given(text=st.text(st.characters(max_codepoint=0x2FFF), max_size=60))
def test_any_text_is_a_formula_or_one_error(table, text):
    try:
        tree = read(text, table)
    except StatementError:
        return
    assert read(str(tree), table) == tree


@pytest.mark.parametrize("value", [None, 3, b"x", ["x"]])
def test_only_text_is_read(table, value):
    with pytest.raises(StatementError, match="a formula is a text"):
        read(value, table)


def test_no_module_of_the_core_can_evaluate_text_or_knows_sympy():
    forbidden = {"eval", "exec", "compile", "sympify", "parse_expr", "literal_eval", "__import__", "import_module", "S"}
    files = [Path(claimproof.core.__path__[0]) / f"{name}.py" for name in ("tree", "symbols", "reader", "statement", "latex")]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                owner = node.func.value.id if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) else ""
                assert called not in forbidden or owner == "re", f"{file.name} calls {called}"
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] + [getattr(node, "module", "") or ""]
                assert not any(name.split(".")[0] in ("sympy", "mpmath", "numpy") for name in names)


def test_every_tree_reads_back_from_its_text_and_data(table, trees):
    for tree in trees:
        assert read(str(tree), table) == tree
        assert t.from_json(t.to_json(tree)) == tree
    assert {type(part) for tree in trees for part in t.walk(tree)} == {
        t.Number, t.Constant, t.Name, t.Indexed, Apply, t.Ranged, t.Derivative, t.Limit, t.Series, t.Cases,
    }


def test_trees_are_values():
    tree = Apply("Add", (Name("x"), t.number(1)))
    assert tree == Apply("Add", (Name("x"), t.number(1)))
    assert hash(tree) == hash(Apply("Add", (Name("x"), t.number(1))))
    with pytest.raises(AttributeError):
        tree.head = "Sub"  # type: ignore[misc]
