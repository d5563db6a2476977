"""LaTeX of trees and statements: the same tree always gives the same text, as it was written."""

from __future__ import annotations

from fractions import Fraction

from claimproof.core import tree as t
from claimproof.core.statement import Statement
from claimproof.core.symbols import SymbolTable
from claimproof.core.tree import Apply, Side, Tree

__all__ = ["latex", "latex_statement"]

_CONSTANTS = {"pi": r"\pi", "E": "e", "oo": r"\infty", "phi": r"\phi"}
_RELATIONS = {"Eq": "=", "Ne": r"\ne", "Lt": "<", "Le": r"\le", "Gt": ">", "Ge": r"\ge"}
_CONNECTIVES = {
    "And": (r" \;\wedge\; ", 2), "Or": (r" \;\vee\; ", 1), "Implies": (r" \;\Longrightarrow\; ", 0),
    "Equivalent": (r" \;\Longleftrightarrow\; ", 0),
}
_FUNCTIONS = {
    "log": r"\ln", "sin": r"\sin", "cos": r"\cos", "atan": r"\arctan", "sinh": r"\sinh", "cosh": r"\cosh",
    "tanh": r"\tanh", "gamma": r"\Gamma", "Max": r"\max", "Min": r"\min",
}
_BRACKETS = {"Abs": (r"\left|", r"\right|"), "floor": (r"\lfloor ", r" \rfloor"), "ceiling": (r"\lceil ", r" \rceil")}
_RANGED = {"Sum": r"\sum", "Product": r"\prod"}

# How strongly a piece binds: sums, signs and big operators, products, powers, atoms.
_RELATION, _SUM, _BIG, _PRODUCT, _POWER, _ATOM = 3, 4, 5, 6, 7, 8


def latex(tree: Tree, table: SymbolTable) -> str:
    """A formula in LaTeX, without dollars."""
    return _Printer(table).piece(tree)[0]


def latex_statement(statement: Statement, table: SymbolTable) -> str:
    """Conclusion, domains of what it speaks of, hypotheses that the domains don't say; without dollars."""
    printer = _Printer(table.extended(statement.symbols))
    said = statement.conditions
    hypotheses = [h for h in statement.hypotheses if not any(t.same(h, c) for c in said)]
    domains = [
        rf"{printer.family(s.name)} \in {s.domain.latex}" for s in statement.quantified if s.defined_by is None
    ]
    parts = [printer.piece(statement.conclusion)[0]]
    if domains:
        parts.append(r"\text{for } " + r",\ ".join(domains))
    if hypotheses:
        parts.append(r"\text{where } " + r",\ ".join(printer.piece(h)[0] for h in hypotheses))
    return r" \quad ".join(parts)


class _Printer:
    def __init__(self, table: SymbolTable) -> None:
        self.table = table

    def family(self, name: str) -> str:
        """A symbol by itself; a family or function with places for what it takes."""
        symbol = self.table[name]
        dots = ", ".join(r"\cdot" for _ in symbol.of)
        if symbol.is_family:
            return self.subscripted(symbol.latex, dots)
        return f"{symbol.latex}({dots})" if symbol.of else symbol.latex

    def plain(self, tree: Tree) -> str:
        return self.piece(tree)[0]

    def within(self, tree: Tree, level: int) -> str:
        shown, binds = self.piece(tree)
        return shown if binds >= level else rf"\left({shown}\right)"

    def piece(self, tree: Tree) -> tuple[str, int]:
        """LaTeX and how strongly it binds."""
        match tree:
            case t.Number(value):
                return self.number(value)
            case t.Constant(name):
                return _CONSTANTS[name], _ATOM
            case t.Name(name):
                return self.table.latex(name), _ATOM
            case t.Indexed(name, indices):
                return self.subscripted(self.table.latex(name), ", ".join(map(self.plain, indices))), _ATOM
            case t.Ranged("Integral", body, variable, lower, upper):
                ends = rf"\int_{{{self.plain(lower)}}}^{{{self.plain(upper)}}}"
                return rf"{ends} {self.within(body, _BIG)} \, d{self.table.latex(variable)}", _BIG
            case t.Ranged(head, body, variable, lower, upper):
                under = rf"{self.table.latex(variable)}={self.plain(lower)}"
                return rf"{_RANGED[head]}_{{{under}}}^{{{self.plain(upper)}}} {self.within(body, _BIG)}", _BIG
            case t.Derivative(body, variable, order):
                return self.derivative(body, variable, order), _BIG
            case t.Limit(body, variable, point, side):
                return self.limit(body, variable, point, side), _BIG
            case t.Series(body, variable, point, order, expansion):
                return self.series(body, variable, point, order, expansion), _RELATION
            case t.Cases(branches, otherwise):
                rows = [rf"{self.plain(v)}, & {self.plain(c)}" for v, c in branches]
                rows.append(rf"{self.plain(otherwise)} & \text{{otherwise}}")
                return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}", _ATOM
            case Apply(head, args):
                return self.apply(head, args)

    def number(self, value: Fraction) -> tuple[str, int]:
        sign = "-" if value < 0 else ""
        if value.denominator == 1:
            return str(value), _SUM if sign else _ATOM
        if decimal := _decimal(value):
            return decimal, _SUM if sign else _ATOM
        return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}", _SUM if sign else _PRODUCT

    def subscripted(self, base: str, index: str) -> str:
        # A second subscript on the same letter is an error in TeX.
        return rf"{{{base}}}_{{{index}}}" if "_" in base else rf"{base}_{{{index}}}"

    def apply(self, head: str, args: tuple[Tree, ...]) -> tuple[str, int]:
        if head in _RELATIONS:
            return f" {_RELATIONS[head]} ".join(self.within(a, _SUM) for a in args), _RELATION
        if head in _CONNECTIVES:
            if head == "And" and (chain := self.chain(args)):
                return chain, _RELATION
            sign, level = _CONNECTIVES[head]
            return sign.join(self.within(a, level + 1) for a in args), level
        match head, args:
            case "Not", (inner,):
                return rf"\neg \left({self.plain(inner)}\right)", _RELATION
            case "Add", (left, right):
                return f"{self.plain(left)} + {self.after_sign(right, _SUM)}", _SUM
            case "Sub", (left, right):
                return f"{self.plain(left)} - {self.after_sign(right, _BIG)}", _SUM
            case "Neg", (inner,):
                return f"-{self.after_sign(inner, _BIG)}", _SUM
            case "Mul", (left, right):
                return self.product(left, right)
            case "Div", (above, below):
                return rf"\frac{{{self.plain(above)}}}{{{self.plain(below)}}}", _PRODUCT
            case "Pow", (base, exponent):
                return self.power(base, exponent), _POWER
            case "exp", (inner,):
                return rf"e^{{{self.plain(inner)}}}", _POWER
            case "sqrt", (inner,):
                return rf"\sqrt{{{self.plain(inner)}}}", _ATOM
            case "factorial", (inner,):
                return f"{self.within(inner, _ATOM)}!", _POWER
            case "binomial", (above, below):
                return rf"\binom{{{self.plain(above)}}}{{{self.plain(below)}}}", _ATOM
            case "fibonacci", (inner,):
                return rf"F_{{{self.plain(inner)}}}", _ATOM
            case "Mod", (value, modulus):
                return rf"{self.within(value, _PRODUCT)} \bmod {self.within(modulus, _PRODUCT)}", _SUM
            case "LambertW", (inner, *branch):
                index = f"_{{{self.plain(branch[0])}}}" if branch else ""
                return rf"W{index}\left({self.plain(inner)}\right)", _POWER
        if head in _BRACKETS:
            before, after = _BRACKETS[head]
            return f"{before}{self.plain(args[0])}{after}", _ATOM
        name = _FUNCTIONS.get(head) or self.table.latex(head)
        return rf"{name}\left({', '.join(map(self.plain, args))}\right)", _POWER

    def chain(self, parts: tuple[Tree, ...]) -> str | None:
        """0 < x < 1, where each relation starts with what the one before ends with; otherwise None."""
        heads = {part.head for part in parts if isinstance(part, Apply)}
        if not (heads <= {"Eq", "Lt", "Le"} or heads <= {"Eq", "Gt", "Ge"}):
            return None
        shown, last = "", None
        for part in parts:
            if not isinstance(part, Apply) or last not in (None, part.args[0]):
                return None
            left, right = (self.within(a, _SUM) for a in part.args)
            shown += f"{'' if last else left} {_RELATIONS[part.head]} {right}"
            last = part.args[1]
        return shown

    def after_sign(self, tree: Tree, level: int) -> str:
        """A term after + or -: in brackets also where it starts with a sign of its own."""
        shown = self.within(tree, level)
        return rf"\left({shown}\right)" if shown.startswith("-") else shown

    def product(self, left: Tree, right: Tree) -> tuple[str, int]:
        before = self.plain(left) if _starts_with_sign(left) else self.within(left, _PRODUCT)
        after = self.within(right, _BIG)
        binds = min(self.piece(right)[1], _PRODUCT) if self.piece(right)[1] >= _BIG else _PRODUCT
        # Two numbers side by side would read as one, a number and a fraction as their sum.
        apart = after[0].isdigit() or (after.startswith(r"\frac{") and before[-1].isdigit())
        return before + (r" \cdot " if apart else " ") + after, _SUM if before.startswith("-") else binds

    def power(self, base: Tree, exponent: Tree) -> str:
        shown = self.within(base, _ATOM)
        if "^" in shown and isinstance(base, t.Name | t.Indexed):  # a second superscript is an error in TeX
            shown = rf"\left({shown}\right)"
        return rf"{shown}^{{{self.plain(exponent)}}}"

    def derivative(self, body: Tree, variable: str, order: int) -> str:
        functions = {*self.table.kernels, *(s.name for s in self.table.values() if s.is_function)}
        alone = t.free_names(body) - functions <= {variable}
        d = "d" if alone else r"\partial"
        gap = "" if alone else " "
        times = "" if order == 1 else f"^{{{order}}}"
        below = f"{d}{gap}{self.table.latex(variable)}{times}"
        return rf"\frac{{{d}{times}}}{{{below}}} {self.within(body, _POWER)}"

    def limit(self, body: Tree, variable: str, point: Tree, side: Side) -> str:
        arrow = r"\to" if t.is_infinite(point) else {
            Side.ABOVE: r"\downarrow", Side.BELOW: r"\uparrow", Side.BOTH: r"\to",
        }[side]
        return rf"\lim_{{{self.table.latex(variable)} {arrow} {self.plain(point)}}} {self.within(body, _BIG)}"

    def series(self, body: Tree, variable: str, point: Tree, order: int, expansion: Tree) -> str:
        name = self.table.latex(variable)
        moved = name if point == t.number(0) else f"{name} - {self.after_sign(point, _BIG)}"
        base = moved if moved == name else rf"\left({moved}\right)"
        rest = moved if order == 1 else f"{base}^{{{order}}}"
        head = f"{self.within(body, _SUM)} = {self.within(expansion, _SUM)}"
        return rf"{head} + O\left({rest}\right) \quad \left({name} \to {self.plain(point)}\right)"


def _decimal(value: Fraction) -> str | None:
    """The digits of a number that has finitely many, where they are no longer than the fraction: measurements, not 1/2."""
    digits = next((n for n in range(1, 21) if (value * 10**n).denominator == 1), None)
    if digits is None:
        return None
    whole, rest = divmod(abs(value.numerator) * 10**digits // value.denominator, 10**digits)
    shown = f"{whole}.{rest:0{digits}d}"
    sign = "-" if value < 0 else ""
    return sign + shown if len(shown) <= len(f"{abs(value.numerator)}{value.denominator}") else None


def _starts_with_sign(tree: Tree) -> bool:
    """Whether a left factor is a negative number or negated: -x y needs no brackets, -(sum of x) y does."""
    match tree:
        case t.Number(value):
            return value < 0
        case Apply("Neg", (inner,)):
            return not _ends_open(inner)
        case Apply("Mul", (left, right)):
            return _starts_with_sign(left) and not _ends_open(right)
        case _:
            return False


def _ends_open(tree: Tree) -> bool:
    """Whether a further factor would read as part of what a big operator runs over."""
    match tree:
        case t.Ranged() | t.Limit() | t.Derivative():
            return True
        case Apply("Mul", (_, right)):
            return _ends_open(right)
        case Apply("Neg", (inner,)):
            return _ends_open(inner)
        case _:
            return False
