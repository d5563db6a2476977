"""Witnesses typeset: the ledger keeps relations and values as sympy's text."""

from __future__ import annotations

import ast
import re

import sympy as sp

from claimproof.codegen.kernels import kernels

_SIGNS = {ast.Lt: "<", ast.LtE: r"\le", ast.Gt: ">", ast.GtE: r"\ge", ast.Eq: "=", ast.NotEq: r"\ne"}
_CALLED = {"Eq": "=", "Ne": r"\ne"}
_WORDS = {"EX": "E[X]"}
# The golden ratio, which the papers call phi as well.
_GOLDEN = (1 + sp.sqrt(5)) / 2
# A longer formula tells a reader nothing that the code doesn't.
LONGEST = 700


def _latex(source: str, node: ast.AST) -> str:
    """One side: names become symbols, whatever sympy would take them for."""
    text = ast.get_source_segment(source, node) or ""
    called = {n.func.id for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - called
    symbols = {name: sp.Symbol(name) for name in names if name not in ("pi", "oo")}
    expression = sp.sympify(text, locals={**symbols, **{k: f for k, f in kernels().functions.items() if k in called}})
    if expression.atoms(sp.core.function.AppliedUndef):
        raise ValueError(text)
    if "phi" not in names:
        expression = expression.xreplace({_GOLDEN: sp.Symbol("phi")})
    return sp.latex(expression, symbol_names={sp.Symbol(name): _symbol(name) for name in names})


def _symbol(name: str) -> str:
    """A letter as sympy sets it, a word as a word."""
    if name in _WORDS:
        return _WORDS[name]
    letter = sp.latex(sp.Symbol(name))
    if re.match(r"[A-Za-z]{3,}", name) and not letter.startswith("\\"):
        return rf"\text{{{name.replace('_', ' ')}}}"
    return letter


def _decimal(digits: str) -> str:
    """A decimal number as it is written by hand: 3.42e-5 is 3.42 times a power of ten."""
    return re.sub(r"e([+-]?)0*(\d+)$", lambda m: rf" \cdot 10^{{{m[1].replace('+', '')}{m[2]}}}", digits)


def _python(text: str) -> str:
    """The text with the one Greek letter that Python reserves spelled as sympy does."""
    return re.sub(r"\blambda\b", "lamda", text)


def relation(text: str) -> str | None:
    """LaTeX of a relation such as ``x**2 <= 1`` or ``Eq(a, b)``; None where it can't be told."""
    source = _python(text)
    try:
        node = ast.parse(source, mode="eval").body
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            sign, sides = _SIGNS[type(node.ops[0])], (node.left, node.comparators[0])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLED:
            sign, sides = _CALLED[node.func.id], tuple(node.args)
        else:
            return None
        left, right = (_latex(source, side) for side in sides)
    except (SyntaxError, ValueError, TypeError, KeyError, AttributeError, sp.SympifyError):
        return None
    written = f"{left} {sign} {right}"
    return written if len(written) <= LONGEST else None


def value(text: str) -> str | None:
    """LaTeX of a value such as ``27/32 = 0.84375`` or ``exp(-1) ~ 0.3678``; None where it can't be told."""
    exact, separator, decimal = text.partition(" ~ ")
    sign = r"\approx"
    if not separator:
        exact, separator, decimal = text.partition(" = ")
        sign = "="
    source = _python(exact)
    try:
        if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", exact):
            written = _decimal(exact)
        else:
            written = _latex(source, ast.parse(source, mode="eval").body)
    except (SyntaxError, ValueError, TypeError, KeyError, AttributeError, sp.SympifyError):
        return None
    return f"{written} {sign} {_decimal(decimal)}" if separator else written


def point(at: dict[str, str]) -> str | None:
    """LaTeX of a witness's point: ``q = 1/20,\\; s = 13/10``."""
    written = []
    for name, exact in at.items():
        shown = value(exact)
        if shown is None or not re.fullmatch(r"\w+", name):
            return None
        written.append(f"{_symbol(name)} = {shown}")
    return r",\; ".join(written)
