"""LaTeX of trees: readable, unambiguous, always the same."""

from __future__ import annotations

import re

import pytest

from claimproof.core.latex import latex, latex_statement
from claimproof.core.reader import read
from claimproof.core.statement import Statement


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Eq(EZ, d*EX - (1 - h**d)/mu)", r"\mathrm{E}Z = d \mathrm{E}X - \frac{1 - h^{d}}{\mu}"),
        ("x - (y - 1)", r"x - \left(y - 1\right)"),
        ("x - (y + 1)", r"x - \left(y + 1\right)"),
        ("x + (y + 1)", r"x + y + 1"),
        ("x + -1", r"x + \left(-1\right)"),
        ("-(x + y)", r"-\left(x + y\right)"),
        ("-x*y", r"-x y"),
        ("x*(-y)", r"x \left(-y\right)"),
        ("x - -2*y", r"x - \left(-2 y\right)"),
        ("(x + 1)*(y - 1)", r"\left(x + 1\right) \left(y - 1\right)"),
        ("2*3*x", r"2 \cdot 3 x"),
        ("x*2**n", r"x \cdot 2^{n}"),
        ("3*(1/2)", r"3 \cdot \frac{1}{2}"),
        ("1/2*x", r"\frac{1}{2} x"),
        ("(1/2)**n", r"\left(\frac{1}{2}\right)^{n}"),
        ("(-1)**n", r"\left(-1\right)^{n}"),
        ("(x/y)**2", r"\left(\frac{x}{y}\right)^{2}"),
        ("(x**y)**2", r"\left(x^{y}\right)^{2}"),
        ("V2**2", r"\left(V^{(2)}\right)^{2}"),
        ("exp(-mu*t)**2", r"\left(e^{-\mu t}\right)^{2}"),
        ("log(x)**2", r"\left(\ln\left(x\right)\right)^{2}"),
        ("phi**5/10", r"\frac{\phi^{5}}{10}"),
        ("sqrt(5)", r"\sqrt{5}"),
        ("kappa[i]**2", r"\kappa_{i}^{2}"),
        ("psi(mu*t)/H(t)", r"\frac{\psi\left(\mu t\right)}{H\left(t\right)}"),
        ("Abs(x) + floor(x) + ceiling(x)", r"\left|x\right| + \lfloor x \rfloor + \lceil x \rceil"),
        ("factorial(n + 1)*binomial(n, 2)", r"\left(n + 1\right)! \binom{n}{2}"),
        ("fibonacci(n + 1)", r"F_{n + 1}"),
        ("LambertW(-x, -1)", r"W_{-1}\left(-x\right)"),
        ("Max(x, 0)", r"\max\left(x, 0\right)"),
        ("Mod(n, 2)", r"n \bmod 2"),
        ("Sum(kappa[i] + 1, (i, 1, N))", r"\sum_{i=1}^{N} \left(\kappa_{i} + 1\right)"),
        ("mu*Sum(kappa[i], (i, 1, N))", r"\mu \sum_{i=1}^{N} \kappa_{i}"),
        ("mu*Sum(kappa[i], (i, 1, N))*h", r"\left(\mu \sum_{i=1}^{N} \kappa_{i}\right) h"),
        ("-Sum(kappa[i], (i, 1, N))*h", r"\left(-\sum_{i=1}^{N} \kappa_{i}\right) h"),
        ("Product(h**i, (i, 1, N))", r"\prod_{i=1}^{N} h^{i}"),
        ("Integral(exp(-mu*t), (t, 0, oo))", r"\int_{0}^{\infty} e^{-\mu t} \, dt"),
        ("Derivative(x**2, x)", r"\frac{d}{dx} x^{2}"),
        ("Derivative(H(t), t)", r"\frac{d}{dt} H\left(t\right)"),
        ("Derivative(x*y, (x, 2))", r"\frac{\partial^{2}}{\partial x^{2}} \left(x y\right)"),
        ("Limit(1/x, x, 0, '+')", r"\lim_{x \downarrow 0} \frac{1}{x}"),
        ("Limit(1/x, x, 0, '-')", r"\lim_{x \uparrow 0} \frac{1}{x}"),
        ("Limit(x + 1, x, 0)", r"\lim_{x \to 0} \left(x + 1\right)"),
        ("Limit(x, x, oo)", r"\lim_{x \to \infty} x"),
        ("Series(exp(x), x, 0, 3, 1 + x)", r"e^{x} = 1 + x + O\left(x^{3}\right) \quad \left(x \to 0\right)"),
        ("Series(exp(x), x, 1, 1, E)", r"e^{x} = e + O\left(x - 1\right) \quad \left(x \to 1\right)"),
        ("Series(x, x, -1, 2, x)", r"x = x + O\left(\left(x - \left(-1\right)\right)^{2}\right) \quad \left(x \to -1\right)"),
        ("0 < x <= 1", r"0 < x \le 1"),
        ("And(x < y, y > 0)", r"x < y \;\wedge\; y > 0"),
        ("Implies(x > 0, Or(y > 0, Ne(y, x)))", r"x > 0 \;\Longrightarrow\; y > 0 \;\vee\; y \ne x"),
        ("And(Or(x > 0, y > 0), x < 1)", r"\left(x > 0 \;\vee\; y > 0\right) \;\wedge\; x < 1"),
        ("Implies(Implies(x > 0, y > 0), x > 1)", r"\left(x > 0 \;\Longrightarrow\; y > 0\right) \;\Longrightarrow\; x > 1"),
        ("Not(x < 1)", r"\neg \left(x < 1\right)"),
        ("Equivalent(x < 1, x > 0)", r"x < 1 \;\Longleftrightarrow\; x > 0"),
        ("Piecewise((0, x < 0), (x, True))", r"\begin{cases} 0, & x < 0 \\ x & \text{otherwise} \end{cases}"),
    ],
)
def test_formulas(table, text, expected):
    assert latex(read(text, table), table) == expected


def test_a_family_whose_letter_has_a_subscript(table):
    from claimproof.core.symbols import Domain, Symbol

    wider = table.extended([Symbol("q", "q_{0}", Domain.REAL, "a family", None, (Domain.INTEGER,))])
    assert latex(read("q[k]**2", wider), wider) == r"{q_{0}}_{k}^{2}"


def test_a_statement(table):
    statement = Statement.read("Eq(EZ, d*EX - (1 - h**d)/mu)", ["mu > 0", "h < mu"], table=table)
    assert latex_statement(statement, table) == (
        r"\mathrm{E}Z = d \mathrm{E}X - \frac{1 - h^{d}}{\mu} \quad \text{for } \mathrm{E}X \in (0, \infty),"
        r"\ \mathrm{E}Z \in [0, \infty),\ d \in \{1, 2, \dots\},\ h \in (0, 1),\ \mu \in (0, \infty)"
        r" \quad \text{where } h < \mu"
    )
    assert latex_statement(Statement.read("Eq(1, 1)", table=table), table) == "1 = 1"


def test_families_and_functions_in_a_statement(table):
    shown = latex_statement(Statement.read("kappa[i] < H(t)", table=table), table)
    assert r"\kappa_{\cdot} \in (0, \infty)" in shown
    assert r"H(\cdot) \in (0, \infty)" in shown


def test_every_tree_has_balanced_latex(table, trees):
    for tree in trees:
        shown = latex(tree, table)
        assert shown == latex(tree, table)
        assert shown.count("{") == shown.count("}")
        assert shown.count(r"\left") - shown.count(r"\leftrightarrow") == shown.count(r"\right")
        # TeX refuses a second superscript or subscript on one letter.
        assert not re.search(r"\^\{[^{}]*\}\^|_\{[^{}]*\}_", shown)
        assert "\n" not in shown
