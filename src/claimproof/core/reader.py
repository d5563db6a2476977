"""Formulas from text, by a whitelist of Python's syntax: nothing is ever evaluated.

Accepted: whole and decimal numbers (kept exact), names of the symbol table, pi, E, oo and phi (the
golden ratio), + - * / **, comparisons, and calls of the operations in ``tree``. Text is checked
character by character before Python's parser sees it, and the parser's result is read node by
node; whatever is not listed here is an error that says where.
"""

from __future__ import annotations

import ast
import re
import string
import warnings
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any, NoReturn

from claimproof.core import tree as t
from claimproof.core.symbols import Symbol, SymbolTable, near
from claimproof.core.tree import Apply, Side, Tree, TreeError

MAX_LENGTH = 2000
_CHARACTERS = frozenset(string.ascii_letters + string.digits + "_ +-*/()[]<>=!,.\"'")
_LITERAL = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,2}))?")
_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "Add", ast.Sub: "Sub", ast.Mult: "Mul", ast.Div: "Div", ast.Pow: "Pow"}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "Lt", ast.LtE: "Le", ast.Gt: "Gt", ast.GtE: "Ge", ast.Eq: "Eq", ast.NotEq: "Ne",
}
_SYNTAX = "numbers, names of symbols, + - * / **, comparisons, and calls such as Eq(a, b) or Sum(a, (k, 1, n))"


class StatementError(ValueError):
    """A text is no formula: the message has the text, the place and what is accepted."""


def read(text: str, table: SymbolTable, *, source: str = "formula") -> Tree:
    """The tree of one formula; ``source`` names in messages where the text stands."""
    return _Reader(text, table, source).read()


class _Reader:
    def __init__(self, text: str, table: SymbolTable, source: str) -> None:
        self.text, self.table, self.source = text, table, source

    def read(self) -> Tree:
        tree = self.number_or_proposition(self.parsed().body, t.MAX_DEPTH)
        if t.is_infinite(tree):
            self.fail(0, "oo alone says nothing")
        return tree

    def fail(self, position: int, what: str) -> NoReturn:
        shown = self.text if len(self.text) <= 200 else self.text[:197] + "..."
        raise StatementError(f"{self.source}: {shown!r}, position {position + 1}: {what}") from None

    def parsed(self) -> ast.Expression:
        if not isinstance(self.text, str):
            raise StatementError(f"{self.source}: a formula is a text, not {self.text!r:.80}")
        if not self.text.strip():
            self.fail(0, f"the text is empty (accepted: {_SYNTAX})")
        if len(self.text) > MAX_LENGTH:
            self.fail(MAX_LENGTH, f"the text has {len(self.text)} characters (accepted: up to {MAX_LENGTH})")
        nesting = 0
        for position, character in enumerate(self.text):
            if character not in _CHARACTERS:
                self.fail(position, f"character {character!r} (U+{ord(character):04X}) is not accepted (accepted: {_SYNTAX})")
            nesting += (character in "([") - (character in ")]")
            if nesting < 0:
                self.fail(position, f"{character} closes nothing (accepted: {_SYNTAX})")
            if nesting > t.MAX_DEPTH:
                self.fail(position, f"nested too deep (accepted: up to {t.MAX_DEPTH})")
        # Spaces in front would be an indentation to Python; a bracket makes them none and moves columns by one.
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(f"({self.text})", mode="eval")
        except SyntaxError as error:
            self.fail(max(0, min((error.offset or 2) - 2, len(self.text) - 1)), f"{error.msg} (accepted: {_SYNTAX})")
        except (ValueError, RecursionError, MemoryError):
            self.fail(0, f"nested too deep (accepted: up to {t.MAX_DEPTH})")

    # ---- nodes ------------------------------------------------------------------------

    def at(self, node: ast.expr) -> int:
        return max(0, node.col_offset - 1)

    def built(self, node: ast.expr, make: Callable[..., Tree], *parts: Any) -> Tree:
        """What ``make`` builds; its refusal gets the place."""
        try:
            return make(*parts)
        except TreeError as error:
            self.fail(self.at(node), str(error))

    def number_or_proposition(self, node: ast.expr, room: int) -> Tree:
        if room == 0:
            self.fail(self.at(node), f"nested too deep (accepted: up to {t.MAX_DEPTH})")
        match node:
            case ast.Constant():
                return self.literal(node)
            case ast.Name(id=name):
                return self.name(node, name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.number_or_proposition(operand, room - 1)
                return self.built(node, t.neg, inner)
            case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATORS:
                head = _OPERATORS[type(op)]
                parts = self.number_or_proposition(left, room - 1), self.number_or_proposition(right, room - 1)
                return self.built(node, t.div, *parts) if head == "Div" else self.built(node, Apply, head, parts)
            case ast.Compare(left=left, ops=ops, comparators=rest):
                return self.comparison(node, [left, *rest], ops, room)
            case ast.Call(func=ast.Name(id=head), args=args, keywords=[]):
                return self.call(node, head, args, room)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return self.member(node, name, index, room)
            case _:
                self.fail(self.at(node), f"{_KINDS.get(type(node), type(node).__name__)} is not accepted (accepted: {_SYNTAX})")

    def literal(self, node: ast.Constant) -> Tree:
        # The parser has made a float of a decimal: the digits that are written are what counts.
        digits = self.text[self.at(node):(node.end_col_offset or 0) - 1]
        found = _LITERAL.fullmatch(digits)
        if type(node.value) not in (int, float) or not found:
            self.fail(self.at(node), f"{digits[:40]} is no number (accepted: 12, 0.25, 1e-6; exponents of two digits)")
        return self.built(node, t.Number, Fraction(digits))

    def name(self, node: ast.expr, name: str) -> Tree:
        if name in t.CONSTANTS:
            return t.Constant(name)
        symbol = self.symbol(node, name)
        if symbol.of:
            form = f"{name}[...]" if symbol.is_family else f"{name}(...)"
            self.fail(self.at(node), f"{name} needs its {'index' if symbol.is_family else 'argument'}: {form}")
        return t.Name(name)

    def symbol(self, node: ast.expr, name: str) -> Symbol:
        if name in self.table.symbols:
            return self.table.symbols[name]
        if name in t.RESERVED or name in self.table.kernels:
            self.fail(self.at(node), f"{name} is no symbol; it is called with arguments")
        known = {*self.table.symbols, *t.CONSTANTS}
        hint = near(name, known) or f" (accepted: {', '.join(sorted(known))})"
        self.fail(self.at(node), f"unknown name {name!r}: {self.table.source} does not list it{hint}")

    def member(self, node: ast.expr, name: str, index: ast.expr, room: int) -> Tree:
        symbol = self.symbol(node, name)
        if not symbol.is_family:
            self.fail(self.at(node), f"{name} is no family, it takes no index in brackets")
        indices = index.elts if isinstance(index, ast.Tuple) else [index]
        if len(indices) != len(symbol.of):
            self.fail(self.at(node), f"{name} takes {len(symbol.of)} index(es), not {len(indices)}")
        parts = tuple(self.number_or_proposition(i, room - 1) for i in indices)
        return self.built(node, t.Indexed, name, parts)

    def comparison(self, node: ast.expr, sides: list[ast.expr], ops: list[ast.cmpop], room: int) -> Tree:
        for op in ops:
            if type(op) not in _COMPARISONS:
                self.fail(self.at(node), f"{_KINDS.get(type(op), type(op).__name__)} is not accepted (accepted: < <= > >= == !=)")
        parts = [self.number_or_proposition(side, room - 1) for side in sides]
        links = tuple(
            self.built(node, Apply, _COMPARISONS[type(op)], pair) for op, pair in zip(ops, pairwise(parts), strict=True)
        )
        return links[0] if len(links) == 1 else self.built(node, Apply, "And", links)

    def call(self, node: ast.Call, head: str, args: list[ast.expr], room: int) -> Tree:
        for argument in args:
            if isinstance(argument, ast.Starred):
                self.fail(self.at(argument), f"* is not accepted (accepted: {_SYNTAX})")
        if head in t.RANGED:
            return self.ranged(node, head, args, room)
        special = {
            "Derivative": self.derivative, "Limit": self.limit, "Series": self.series, "Piecewise": self.piecewise,
        }.get(head)
        if special:
            return special(node, args, room)
        self.callable(node, head, len(args))
        parts = tuple(self.number_or_proposition(a, room - 1) for a in args)
        return self.built(node, Apply, head, parts)

    def callable(self, node: ast.expr, head: str, count: int) -> None:
        """Whether ``head`` may be called with ``count`` arguments; ``tree`` counts those of its own operations."""
        if head in (*t.RELATIONS, *t.CONNECTIVES, *t.FUNCTIONS):
            return
        symbol = self.table.symbols.get(head)
        if head in self.table.kernels:
            takes = self.table.kernels[head].arity
        elif symbol is None:
            functions = {n for n, s in self.table.symbols.items() if s.is_function}
            known = {*t.RELATIONS, *t.CONNECTIVES, *t.FUNCTIONS, *t.FORMS, *self.table.kernels, *functions}
            self.fail(
                self.at(node), f"unknown function {head!r}{near(head, known)} (accepted: {', '.join(sorted(known))})"
            )
        elif not symbol.is_function:
            hint = f"write {head}[...]" if symbol.is_family else f"for a product write {head}*(...)"
            self.fail(self.at(node), f"{head} is no function: {hint}")
        else:
            takes = len(symbol.of)
        if count != takes:
            self.fail(self.at(node), f"{head} takes {takes} argument(s), not {count}")

    # ---- forms with variables of their own ----------------------------------------------

    def variable(self, node: ast.expr, head: str, integer: bool | None) -> Symbol:
        """The name of a symbol; ``integer`` says which kind it must be (None: any)."""
        if not isinstance(node, ast.Name):
            self.fail(self.at(node), f"the variable of {head} must be the name of a symbol")
        symbol = self.symbol(node, node.id)
        if symbol.of:
            self.fail(self.at(node), f"the variable of {head} can't be the family or function {node.id}")
        if integer is not None and symbol.domain.bounds.integer is not integer:
            kind = "whole" if integer else "real"
            self.fail(self.at(node), f"{head} needs a variable for {kind} numbers; {node.id} is declared {symbol.domain.value}")
        return symbol

    def ranged(self, node: ast.Call, head: str, args: list[ast.expr], room: int) -> Tree:
        match args:
            case [body, ast.Tuple(elts=[name, lower, upper])]:
                variable = self.variable(name, head, head != "Integral").name
                parts = [self.number_or_proposition(part, room - 1) for part in (body, lower, upper)]
                return self.built(node, t.Ranged, head, parts[0], variable, parts[1], parts[2])
            case _:
                self.fail(self.at(node), f"write {head}(expression, (variable, lower, upper))")

    def derivative(self, node: ast.Call, args: list[ast.expr], room: int) -> Tree:
        match args:
            case [body, ast.Tuple(elts=[name, count])]:
                order = self.whole(count)
            case [body, ast.Name() as name]:
                order = 1
            case _:
                self.fail(self.at(node), "write Derivative(expression, variable) or Derivative(expression, (variable, order))")
        variable = self.variable(name, "Derivative", False).name
        inner = self.number_or_proposition(body, room - 1)
        return self.built(node, t.Derivative, inner, variable, order)

    def limit(self, node: ast.Call, args: list[ast.expr], room: int) -> Tree:
        if len(args) not in (3, 4):
            self.fail(self.at(node), 'write Limit(expression, variable, point) or Limit(expression, variable, point, "+")')
        symbol = self.variable(args[1], "Limit", None)
        body, point = (self.number_or_proposition(a, room - 1) for a in (args[0], args[2]))
        if symbol.domain.bounds.integer and not t.is_infinite(point):
            self.fail(self.at(args[2]), f"{symbol.name} takes whole numbers: its limit is at oo or -oo, not at {point}")
        side = self.side(args[3]) if len(args) == 4 else natural_side(symbol, point)
        return self.built(node, t.Limit, body, symbol.name, point, side)

    def side(self, node: ast.expr) -> Side:
        match node:
            case ast.Constant(value=("+" | "-" | "+-") as value):
                return Side(value)
            case _:
                self.fail(self.at(node), 'the side of Limit is one of "+", "-", "+-"')

    def series(self, node: ast.Call, args: list[ast.expr], room: int) -> Tree:
        if len(args) != 5:
            self.fail(self.at(node), "write Series(expression, variable, point, order, expansion)")
        variable = self.variable(args[1], "Series", False).name
        body, point, expansion = (self.number_or_proposition(args[i], room - 1) for i in (0, 2, 4))
        order = self.whole(args[3])
        return self.built(node, t.Series, body, variable, point, order, expansion)

    def whole(self, node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        self.fail(self.at(node), "the order must be a whole number")

    def piecewise(self, node: ast.Call, args: list[ast.expr], room: int) -> Tree:
        pairs = [a.elts for a in args if isinstance(a, ast.Tuple) and len(a.elts) == 2]
        match pairs[-1:]:
            case [[_, ast.Constant(value=True)]] if len(pairs) == len(args):
                branches = tuple(
                    (self.number_or_proposition(v, room - 1), self.number_or_proposition(c, room - 1)) for v, c in pairs[:-1]
                )
                otherwise = self.number_or_proposition(pairs[-1][0], room - 1)
                return self.built(node, t.Cases, branches, otherwise)
            case _:
                self.fail(self.at(node), "write Piecewise((value, condition), ..., (value, True))")


def natural_side(symbol: Symbol, point: Tree) -> Side:
    """The side from which a variable reaches ``point`` within its domain; both, if it can."""
    bounds = symbol.domain.bounds
    if point == t.INFINITY:
        return Side.BELOW
    if point == t.MINUS_INFINITY:
        return Side.ABOVE
    if isinstance(point, t.Number) and point.value == bounds.lower:
        return Side.ABOVE
    if isinstance(point, t.Number) and point.value == bounds.upper:
        return Side.BELOW
    return Side.BOTH


_KINDS: dict[type[ast.AST], str] = {
    ast.Attribute: "an attribute (a dot)", ast.Lambda: "lambda", ast.ListComp: "a comprehension",
    ast.GeneratorExp: "a comprehension", ast.NamedExpr: ":=", ast.JoinedStr: "an f-string", ast.IfExp: "if ... else",
    ast.BoolOp: "and/or (write And(a, b), Or(a, b))", ast.UnaryOp: "this sign (not, ~ or a leading +)",
    ast.Subscript: "an index here", ast.Tuple: "a tuple here", ast.List: "a list", ast.Call: "this call",
    ast.Starred: "*", ast.BinOp: "this operator", ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
    ast.Await: "await", ast.Yield: "yield", ast.YieldFrom: "yield",
}
