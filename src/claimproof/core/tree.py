"""Formulas as plain values: immutable trees of numbers, names and whitelisted operations.

Nothing here computes: a tree says what is written. The invariants stand in the constructors,
so that a tree which exists is well formed: numbers where numbers belong and propositions where
propositions do, known operations with the right number of arguments, no infinity inside
arithmetic and no number that would fill the memory when somebody does compute it.

``str(tree)`` is the canonical text on one line, which ``reader.read`` reads back as the same tree.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias, cast

MAX_DEPTH = 100
MAX_BITS = 4096  # of a number, and of the value of an expression without names
MAX_EXPONENT_BITS = 10  # exponents and arguments of factorials without names: below 1024

CONSTANTS = {"pi": "circle number", "E": "base of the logarithm", "oo": "infinity", "phi": "golden ratio"}
OPERATORS = {"Add": 2, "Sub": 2, "Mul": 2, "Div": 2, "Pow": 2, "Neg": 1}
RELATIONS = ("Eq", "Ne", "Lt", "Le", "Gt", "Ge")
ORDER_SIGNS = {"Lt": "<", "Le": "<=", "Gt": ">", "Ge": ">="}
MANY = None
# How many arguments a connective or function takes: (least, most).
CONNECTIVES: dict[str, tuple[int, int | None]] = {
    "And": (2, MANY), "Or": (2, MANY), "Not": (1, 1), "Implies": (2, 2), "Equivalent": (2, 2),
}
FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "Abs": (1, 1), "sqrt": (1, 1), "exp": (1, 1), "log": (1, 1), "floor": (1, 1), "ceiling": (1, 1),
    "sin": (1, 1), "cos": (1, 1), "atan": (1, 1), "sinh": (1, 1), "cosh": (1, 1), "tanh": (1, 1),
    "factorial": (1, 1), "gamma": (1, 1), "binomial": (2, 2), "fibonacci": (1, 1), "LambertW": (1, 2),
    "Mod": (2, 2), "Max": (2, MANY), "Min": (2, MANY),
}
RANGED = ("Sum", "Product", "Integral")
FORMS = (*RANGED, "Derivative", "Limit", "Series", "Piecewise")
RESERVED = frozenset((
    *CONSTANTS, *OPERATORS, *RELATIONS, *CONNECTIVES, *FUNCTIONS, *FORMS, "True", "False", "None",
))
_GROWING = {"exp", "sinh", "cosh", "factorial", "gamma", "binomial", "fibonacci"}


class TreeError(ValueError):
    """What was to be built is no formula."""


class Side(str, Enum):
    """From where a limit is taken."""

    ABOVE = "+"
    BELOW = "-"
    BOTH = "+-"


def is_name(text: object) -> bool:
    """Whether ``text`` can name a symbol or kernel: an ASCII identifier that means nothing else."""
    return (
        isinstance(text, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,59}", text) is not None
        and not keyword.iskeyword(text) and text not in RESERVED
    )


class Node:
    """Base of all trees: the canonical text, and nothing else."""

    __slots__ = ()

    def __str__(self) -> str:
        return text(cast("Tree", self))


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A rational number."""

    value: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.value, Fraction):
            raise TreeError(f"a number is a Fraction, not {self.value!r}")
        if max(self.value.numerator.bit_length(), self.value.denominator.bit_length()) > MAX_BITS:
            raise TreeError(f"a number of more than {MAX_BITS} bits")


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """pi, E, oo or phi, the golden ratio."""

    name: str

    def __post_init__(self) -> None:
        if self.name not in CONSTANTS:
            raise TreeError(f"unknown constant {self.name!r} (accepted: {', '.join(CONSTANTS)})")


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A symbol that stands for a number."""

    name: str

    def __post_init__(self) -> None:
        _require_name(self.name)


@dataclass(frozen=True, slots=True)
class Indexed(Node):
    """A member of a family, kappa[i]."""

    name: str
    indices: tuple[Tree, ...]

    def __post_init__(self) -> None:
        _require_name(self.name)
        if not self.indices:
            raise TreeError(f"{self.name} needs an index")
        for index in self.indices:
            _require_finite(index, f"an index of {self.name}")


@dataclass(frozen=True, slots=True)
class Apply(Node):
    """An operation, relation, connective, function or kernel at its arguments."""

    head: str
    args: tuple[Tree, ...]

    def __post_init__(self) -> None:
        least, most = arity(self.head)
        if len(self.args) < least or (most is not None and len(self.args) > most):
            takes = f"{least}" if least == most else f"at least {least}" if most is None else f"{least} to {most}"
            raise TreeError(f"{self.head} takes {takes} argument{'s' * (takes != '1')}, not {len(self.args)}")
        for argument in self.args:
            if self.head in CONNECTIVES:
                _require_proposition(argument, f"an argument of {self.head}")
            elif self.head in RELATIONS or self.head == "Neg":
                _require_number(argument, f"an argument of {self.head}")
            else:
                _require_finite(argument, f"an argument of {self.head}")
        _require_canonical(self)
        if self.head == "Pow" or self.head in _GROWING:
            magnitude(self)  # raises where a value would be too large


@dataclass(frozen=True, slots=True)
class Ranged(Node):
    """Sum, Product or Integral of ``body`` over ``variable`` from ``lower`` to ``upper``."""

    head: str
    body: Tree
    variable: str
    lower: Tree
    upper: Tree

    def __post_init__(self) -> None:
        if self.head not in RANGED:
            raise TreeError(f"unknown operation {self.head!r} over a range (accepted: {', '.join(RANGED)})")
        _require_binder(self.head, self.body, self.variable, (self.lower, self.upper))
        _require_number(self.lower, f"the lower end of {self.head}")
        _require_number(self.upper, f"the upper end of {self.head}")


@dataclass(frozen=True, slots=True)
class Derivative(Node):
    """The derivative of ``body`` by ``variable``, ``order`` times, at that variable."""

    body: Tree
    variable: str
    order: int = 1

    def __post_init__(self) -> None:
        _require_name(self.variable)
        _require_finite(self.body, "what Derivative differentiates")
        if type(self.order) is not int or not 1 <= self.order <= 20:
            raise TreeError(f"the order of Derivative is a whole number from 1 to 20, not {self.order}")


@dataclass(frozen=True, slots=True)
class Limit(Node):
    """The limit of ``body`` as ``variable`` goes to ``point`` from ``side``."""

    body: Tree
    variable: str
    point: Tree
    side: Side = Side.BOTH

    def __post_init__(self) -> None:
        _require_binder("Limit", self.body, self.variable, (self.point,))
        _require_number(self.point, "the point of Limit")
        if not isinstance(self.side, Side):
            raise TreeError(f"the side of Limit is one of {', '.join(s.value for s in Side)}, not {self.side!r}")
        forced = {INFINITY: Side.BELOW, MINUS_INFINITY: Side.ABOVE}.get(self.point, self.side)
        if self.side is not forced:
            raise TreeError(f"a limit at {self.point} is from side {forced.value!r}, not {self.side.value!r}")


@dataclass(frozen=True, slots=True)
class Series(Node):
    """The proposition body = expansion + O((variable - point)^order) as variable goes to point."""

    body: Tree
    variable: str
    point: Tree
    order: int
    expansion: Tree

    def __post_init__(self) -> None:
        _require_binder("Series", self.body, self.variable, (self.point,))
        _require_finite(self.expansion, "the expansion of Series")
        _require_finite(self.point, "the point of Series")
        if type(self.order) is not int or not 1 <= self.order <= 100:
            raise TreeError(f"the order of Series is a whole number from 1 to 100, not {self.order}")


@dataclass(frozen=True, slots=True)
class Cases(Node):
    """Piecewise: the value of the first branch (value, condition) whose condition holds, else ``otherwise``."""

    branches: tuple[tuple[Tree, Tree], ...]
    otherwise: Tree

    def __post_init__(self) -> None:
        if not self.branches:
            raise TreeError("Piecewise needs a branch (value, condition) before its last, (value, True)")
        for value, condition in self.branches:
            _require_finite(value, "a value of Piecewise")
            _require_proposition(condition, "a condition of Piecewise")
        _require_finite(self.otherwise, "a value of Piecewise")


Tree: TypeAlias = Number | Constant | Name | Indexed | Apply | Ranged | Derivative | Limit | Series | Cases


# ---- what the constructors ask ----------------------------------------------------------


def arity(head: str) -> tuple[int, int | None]:
    """The least and the largest number of arguments of an operation (None: no largest)."""
    if head in OPERATORS:
        return OPERATORS[head], OPERATORS[head]
    if head in RELATIONS:
        return 2, 2
    known = CONNECTIVES.get(head) or FUNCTIONS.get(head)
    if known:
        return known
    _require_name(head)  # a kernel, or a function of the symbol table
    return 1, MANY


def is_proposition(tree: Tree) -> bool:
    """Whether a tree is true or false, and not a number."""
    return isinstance(tree, Series) or (isinstance(tree, Apply) and tree.head in (*RELATIONS, *CONNECTIVES))


def is_infinite(tree: Tree) -> bool:
    return tree in (INFINITY, MINUS_INFINITY)


def _require_name(name: str) -> None:
    if not is_name(name):
        raise TreeError(f"{name!r} is no name of a symbol (accepted: a letter, then letters, digits and _; not reserved)")


def _require_number(tree: Tree, what: str) -> None:
    if not isinstance(tree, Tree):
        raise TreeError(f"{what} is no formula: {tree!r}")
    if is_proposition(tree):
        raise TreeError(f"{what} must be a number, not the proposition {tree}")


def _require_finite(tree: Tree, what: str) -> None:
    _require_number(tree, what)
    if is_infinite(tree):
        raise TreeError(f"{what} can't be {tree} (accepted there: ends of ranges, points of limits, sides of relations)")


def _require_proposition(tree: Tree, what: str) -> None:
    if not isinstance(tree, Tree):
        raise TreeError(f"{what} is no formula: {tree!r}")
    if not is_proposition(tree):
        raise TreeError(f"{what} must be a proposition such as Eq(a, b) or a < b, not the number {tree}")


def _require_binder(head: str, body: Tree, variable: str, outside: tuple[Tree, ...]) -> None:
    _require_name(variable)
    _require_finite(body, f"what {head} runs over")
    if variable in bound_names(body):
        raise TreeError(f"{variable} is bound twice, by {head} and inside it")
    for tree in outside:
        if variable in free_names(tree):
            raise TreeError(f"{variable}, which {head} binds, occurs in its own range or point {tree}")


def _require_canonical(tree: Apply) -> None:
    """One way to write a number, and no division by zero."""
    match tree:
        case Apply("Neg", (Number(value),)):
            raise TreeError(f"the negative of {value} is the number {-value}: use neg()")
        case Apply("Div", (_, Number(value))) if value == 0:
            raise TreeError("division by zero")
        case Apply("Pow", (Number(value), Number(exponent))) if value == 0 and exponent < 0:
            raise TreeError("division by zero")
        case Apply("Div", (Number(), Number())):
            raise TreeError("a quotient of numbers is a number: use div()")
        case Apply("Neg", (Apply("Neg", (Constant("oo"),)),)):
            raise TreeError("-(-oo) is oo")
        case Apply("LambertW", (_, branch)) if branch not in (Number(Fraction(0)), Number(Fraction(-1))):
            raise TreeError(f"the branch of LambertW is 0 or -1, not {branch}")
        case _:
            pass


def magnitude(tree: Tree) -> float | None:
    """A bound on the bits of a value without names (None: it has names); raises where they are too many."""
    match tree:
        case Number(value):
            return max(value.numerator.bit_length(), value.denominator.bit_length(), 1)
        case Constant():
            return 2
        case Apply(head, args) if not is_proposition(tree):
            sizes = [magnitude(a) for a in args]
            limited = sizes[1] if head == "Pow" else sizes[0] if head in _GROWING else None
            if limited is not None and limited > MAX_EXPONENT_BITS:
                part = args[1] if head == "Pow" else args[0]
                what = "exponent" if head == "Pow" else f"argument of {head}"
                raise TreeError(f"the {what} {part} is too large (accepted: below {2**MAX_EXPONENT_BITS})")
            known = [s for s in sizes if s is not None]
            if len(known) < len(sizes):
                return None
            size = _bits(head, known)
            if size > MAX_BITS:
                raise TreeError(f"the value of {tree} is too large (accepted: up to {MAX_BITS} bits)")
            return size
        case _:
            return None if free_names(tree) else 64.0


def _bits(head: str, sizes: list[float]) -> float:
    if head == "Pow":
        return float(sizes[0] * 2 ** sizes[1])
    if head in ("factorial", "gamma"):
        return float(sizes[0] * 2 ** sizes[0])
    if head in _GROWING:
        return float(2 * 2 ** sizes[0])
    return sum(sizes) + 1


# ---- building ---------------------------------------------------------------------------


def number(value: int | Fraction) -> Number:
    return Number(Fraction(value))


def neg(tree: Tree) -> Tree:
    """-tree, a number again if it is one."""
    return Number(-tree.value) if isinstance(tree, Number) else Apply("Neg", (tree,))


def div(above: Tree, below: Tree) -> Tree:
    """above/below, a number again if both are."""
    if isinstance(above, Number) and isinstance(below, Number) and below.value != 0:
        return Number(above.value / below.value)
    return Apply("Div", (above, below))


# ---- walking ----------------------------------------------------------------------------


def children(tree: Tree) -> tuple[Tree, ...]:
    match tree:
        case Indexed(_, parts) | Apply(_, parts):
            return parts
        case Ranged(_, body, _, lower, upper):
            return body, lower, upper
        case Derivative(body, _, _):
            return (body,)
        case Limit(body, _, point, _):
            return body, point
        case Series(body, _, point, _, expansion):
            return body, point, expansion
        case Cases(branches, otherwise):
            return (*(part for branch in branches for part in branch), otherwise)
        case _:
            return ()


def rebuilt(tree: Tree, parts: tuple[Tree, ...]) -> Tree:
    """The same operation with other children, in the order of ``children``; numbers are folded."""
    match tree:
        case Apply("Neg", _):
            return neg(parts[0])
        case Apply("Div", _):
            return div(*parts)
        case Apply(head, _):
            return Apply(head, parts)
        case Indexed(name, _):
            return Indexed(name, parts)
        case Ranged(head, _, variable, _, _):
            return Ranged(head, parts[0], variable, parts[1], parts[2])
        case Derivative(_, variable, order):
            return Derivative(parts[0], variable, order)
        case Limit(_, variable, _, side):
            return Limit(parts[0], variable, parts[1], side)
        case Series(_, variable, _, order, _):
            return Series(parts[0], variable, parts[1], order, parts[2])
        case Cases():
            return Cases(tuple(zip(parts[:-1:2], parts[1::2], strict=True)), parts[-1])
        case _:
            return tree


def walk(tree: Tree) -> Iterator[Tree]:
    """The tree and everything in it, from the outside in and from left to right."""
    yield tree
    for child in children(tree):
        yield from walk(child)


def depth(tree: Tree) -> int:
    return 1 + max((depth(child) for child in children(tree)), default=0)


def _own_name(tree: Tree) -> str | None:
    """The name of a symbol or kernel that a node itself uses."""
    match tree:
        case Name(name) | Indexed(name, _):
            return name
        case Derivative(_, variable, _):
            return variable
        case Apply(head, _) if head not in RESERVED:
            return head
        case _:
            return None


def free_names(tree: Tree) -> frozenset[str]:
    """The names that a value depends on: symbols, families, functions and kernels."""
    own = _own_name(tree)
    found = frozenset((own,) if own else ())
    match tree:
        case Ranged(_, body, variable, lower, upper):
            return (free_names(body) - {variable}) | free_names(lower) | free_names(upper)
        case Limit(body, variable, point, _):
            return (free_names(body) - {variable}) | free_names(point)
        case Series(body, variable, point, _, expansion):
            return ((free_names(body) | free_names(expansion)) - {variable}) | free_names(point)
        case _:
            return found.union(*(free_names(child) for child in children(tree)))


def bound_names(tree: Tree) -> frozenset[str]:
    """The names that some sum, product, integral, limit or series inside binds."""
    return frozenset(t.variable for t in walk(tree) if isinstance(t, Ranged | Limit | Series))


def names(tree: Tree) -> frozenset[str]:
    """All names, free and bound."""
    return frozenset(n for t in walk(tree) if (n := _own_name(t))) | bound_names(tree)


def replaced(tree: Tree, rule: Callable[[Tree], Tree | None]) -> Tree:
    """Every node for which ``rule`` gives another one is replaced by it, from the inside out."""
    parts = children(tree)
    fresh = tuple(replaced(part, rule) for part in parts)
    same = tree if fresh == parts else rebuilt(tree, fresh)
    other = rule(same)
    return same if other is None else other


def substituted(tree: Tree, values: Mapping[str, Tree]) -> Tree:
    """Free symbols replaced by trees; refuses to let a name of a value be captured."""
    if isinstance(tree, Name):
        return values.get(tree.name, tree)
    variable = getattr(tree, "variable", None)
    if variable is None:
        parts = children(tree)
        fresh = tuple(substituted(part, values) for part in parts)
        return tree if fresh == parts else rebuilt(tree, fresh)
    if isinstance(tree, Derivative):
        if variable in values:
            raise TreeError(f"can't substitute for {variable} in {tree}, which differentiates by it")
        _refuse_capture(tree, variable, (tree.body,), values)
        return Derivative(substituted(tree.body, values), variable, tree.order)
    inner = {name: value for name, value in values.items() if name != variable}
    match tree:
        case Ranged(head, body, _, lower, upper):
            _refuse_capture(tree, variable, (body,), inner)
            return Ranged(
                head, substituted(body, inner), variable, substituted(lower, values), substituted(upper, values)
            )
        case Limit(body, _, point, side):
            _refuse_capture(tree, variable, (body,), inner)
            return Limit(substituted(body, inner), variable, substituted(point, values), side)
        case Series(body, _, point, order, expansion):
            _refuse_capture(tree, variable, (body, expansion), inner)
            return Series(
                substituted(body, inner), variable, substituted(point, values), order, substituted(expansion, inner)
            )
        case _:
            raise AssertionError(tree)


def _refuse_capture(tree: Tree, variable: str, scope: tuple[Tree, ...], values: Mapping[str, Tree]) -> None:
    free = frozenset[str]().union(*(free_names(part) for part in scope))
    for name, value in values.items():
        if name in free and variable in free_names(value):
            raise TreeError(f"{value}, put for {name} in {tree}, has the name {variable} that is bound there: rename one")


# ---- text -------------------------------------------------------------------------------

_SIGNS = {"Add": (" + ", 1), "Sub": (" - ", 1), "Mul": ("*", 2), "Div": ("/", 2)}
_ATOM = 9


def text(tree: Tree) -> str:
    """The canonical text on one line."""
    return _text(tree)[0]


def _text(tree: Tree) -> tuple[str, int]:
    """Text and how strongly it binds, as in Python's own grammar."""
    match tree:
        case Number(value):
            return str(value), 2 if value.denominator != 1 else 3 if value < 0 else _ATOM
        case Constant(name) | Name(name):
            return name, _ATOM
        case Indexed(name, indices):
            return f"{name}[{', '.join(map(text, indices))}]", _ATOM
        case Apply("Neg", (inner,)):
            return f"-{_within(inner, 3)}", 3
        case Apply("Pow", (base, exponent)):
            return f"{_within(base, 5)}**{_within(exponent, 5)}", 4
        case Apply(head, (left, right)) if head in _SIGNS:
            sign, level = _SIGNS[head]
            return f"{_within(left, level)}{sign}{_within(right, level + 1)}", level
        case Apply(head, (left, right)) if head in ORDER_SIGNS:
            return f"{text(left)} {ORDER_SIGNS[head]} {text(right)}", 0
        case Apply(head, args):
            return f"{head}({', '.join(map(text, args))})", _ATOM
        case Ranged(head, body, variable, lower, upper):
            return f"{head}({text(body)}, ({variable}, {text(lower)}, {text(upper)}))", _ATOM
        case Derivative(body, variable, order):
            return f"Derivative({text(body)}, {variable if order == 1 else f'({variable}, {order})'})", _ATOM
        case Limit(body, variable, point, side):
            shown = "" if is_infinite(point) else f', "{side.value}"'
            return f"Limit({text(body)}, {variable}, {text(point)}{shown})", _ATOM
        case Series(body, variable, point, order, expansion):
            return f"Series({text(body)}, {variable}, {text(point)}, {order}, {text(expansion)})", _ATOM
        case Cases(branches, otherwise):
            shown = "".join(f"({text(value)}, {text(condition)}), " for value, condition in branches)
            return f"Piecewise({shown}({text(otherwise)}, True))", _ATOM


def _within(tree: Tree, level: int) -> str:
    shown, binds = _text(tree)
    return shown if binds >= level else f"({shown})"


# ---- plain data -------------------------------------------------------------------------


def to_json(tree: Tree) -> list[Any]:
    """Nested lists of strings and whole numbers, each with its kind first."""
    match tree:
        case Number(value):
            return ["Number", str(value)]
        case Constant(name) | Name(name):
            return [type(tree).__name__, name]
        case Indexed(name, parts) | Apply(name, parts):
            return [type(tree).__name__, name, *map(to_json, parts)]
        case Ranged(head, body, variable, lower, upper):
            return ["Ranged", head, to_json(body), variable, to_json(lower), to_json(upper)]
        case Derivative(body, variable, order):
            return ["Derivative", to_json(body), variable, order]
        case Limit(body, variable, point, side):
            return ["Limit", to_json(body), variable, to_json(point), side.value]
        case Series(body, variable, point, order, expansion):
            return ["Series", to_json(body), variable, to_json(point), order, to_json(expansion)]
        case Cases(branches, otherwise):
            return ["Cases", [[to_json(v), to_json(c)] for v, c in branches], to_json(otherwise)]


def from_json(data: Any) -> Tree:
    """The tree of ``to_json``; anything else is one TreeError."""
    return _from_json(data, MAX_DEPTH)


def _from_json(data: Any, room: int) -> Tree:
    if room == 0:
        raise TreeError(f"a formula nested more than {MAX_DEPTH} deep")

    def read(part: Any) -> Tree:
        return _from_json(part, room - 1)

    match data:
        case ["Number", str(value)] if re.fullmatch(r"-?[0-9]{1,1300}(/[1-9][0-9]{0,1300})?", value):
            return Number(Fraction(value))
        case ["Constant", str(name)]:
            return Constant(name)
        case ["Name", str(name)]:
            return Name(name)
        case ["Indexed", str(name), *parts]:
            return Indexed(name, tuple(map(read, parts)))
        case ["Apply", str(head), *parts]:
            return Apply(head, tuple(map(read, parts)))
        case ["Ranged", str(head), body, str(variable), lower, upper]:
            return Ranged(head, read(body), variable, read(lower), read(upper))
        case ["Derivative", body, str(variable), int(order)]:
            return Derivative(read(body), variable, order)
        case ["Limit", body, str(variable), point, ("+" | "-" | "+-") as side]:
            return Limit(read(body), variable, read(point), Side(side))
        case ["Series", body, str(variable), point, int(order), expansion]:
            return Series(read(body), variable, read(point), order, read(expansion))
        case ["Cases", list(branches), otherwise] if all(isinstance(b, list) and len(b) == 2 for b in branches):
            return Cases(tuple((read(v), read(c)) for v, c in branches), read(otherwise))
        case _:
            shown = repr(data)
            raise TreeError(f"no formula: {shown if len(shown) <= 80 else shown[:77] + '...'}")


# ---- the same tree ----------------------------------------------------------------------

Shape: TypeAlias = tuple[Any, ...]
_ONE: Shape = ("Number", Fraction(1))
_SYMMETRIC = {"Eq", "Ne", "Equivalent"}


def same(left: Tree, right: Tree) -> bool:
    """Whether two trees say the same before anything is simplified: ``shape`` agrees."""
    return shape(left) == shape(right)


def shape(tree: Tree) -> Shape:
    """What remains of a tree when the ways to write it are forgotten.

    Order and grouping of sums and products, a - b for a + (-1) b, a/b for a b^(-1), sqrt and exp for
    powers, where a rational factor of a sum stands, a > b for b < a, the order of derivatives, and names of
    bound variables.
    Rational numbers that stand together are combined; nothing is expanded, cancelled or collected.
    """
    return _shape(tree, ())


def _shape(tree: Tree, binders: tuple[str, ...]) -> Shape:
    def of(part: Tree) -> Shape:
        return _shape(part, binders)

    def inside(part: Tree, variable: str) -> Shape:
        return _shape(part, (variable, *binders))

    match tree:
        case Number(value):
            return "Number", value
        case Name(name) if name in binders:
            return "Bound", binders.index(name)
        case Constant(name) | Name(name):
            return type(tree).__name__, name
        case Apply("Add", (a, b)):
            return _sum([of(a), of(b)])
        case Apply("Sub", (a, b)):
            return _sum([of(a), _scaled(Fraction(-1), of(b))])
        case Apply("Neg", (a,)):
            return _scaled(Fraction(-1), of(a))
        case Apply("Mul", (a, b)):
            return _product([of(a), of(b)])
        case Apply("Div", (a, b)):
            return _product([of(a), _power(of(b), ("Number", Fraction(-1)))])
        case Apply("Pow", (a, b)):
            return _power(of(a), of(b))
        case Apply("sqrt", (a,)):
            return _power(of(a), ("Number", Fraction(1, 2)))
        case Apply("exp", (a,)):
            return _power(("Constant", "E"), of(a))
        case Apply(("Gt" | "Ge") as head, (a, b)):
            return "L" + head[1], of(b), of(a)
        case Apply(("And" | "Or") as head, parts):
            flat = [q for p in map(of, parts) for q in (p[1:] if p[0] == head else (p,))]
            return _unordered(head, flat)
        case Apply(("Max" | "Min") as head, parts):
            return _unordered(head, [of(p) for p in parts])
        case Apply("LambertW", (a, Number(value))) if value == 0:
            return "LambertW", of(a)
        case Apply(head, parts):
            shapes = [of(p) for p in parts]
            return head, *(sorted(shapes, key=repr) if head in _SYMMETRIC else shapes)
        case Indexed(name, parts):
            return "Indexed", name, *map(of, parts)
        case Ranged(head, body, variable, lower, upper):
            return head, inside(body, variable), of(lower), of(upper)
        case Derivative(body, variable, order):
            orders: Counter[Shape] = Counter({of(Name(variable)): order})
            while isinstance(body, Derivative):
                orders[of(Name(body.variable))] += body.order
                body = body.body
            return "Derivative", of(body), *sorted(orders.items(), key=repr)
        case Limit(body, variable, point, side):
            return "Limit", inside(body, variable), of(point), side.value
        case Series(body, variable, point, order, expansion):
            return "Series", inside(body, variable), of(point), order, inside(expansion, variable)
        case Cases(branches, otherwise):
            return "Cases", *((of(v), of(c)) for v, c in branches), of(otherwise)


def _unordered(head: str, parts: list[Shape]) -> Shape:
    members = sorted(set(parts), key=repr)
    return members[0] if len(members) == 1 else (head, *members)


def _sum(parts: list[Shape]) -> Shape:
    flat = [q for p in parts for q in (p[1:] if p[0] == "Sum of" else (p,))]
    constant = sum((p[1] for p in flat if p[0] == "Number"), Fraction(0))
    rest = sorted((p for p in flat if p[0] != "Number"), key=repr)
    terms = rest if constant == 0 else [("Number", constant), *rest]
    return ("Number", Fraction(0)) if not terms else terms[0] if len(terms) == 1 else ("Sum of", *terms)


def _product(parts: list[Shape]) -> Shape:
    flat = [q for p in parts for q in (p[1:] if p[0] == "Product of" else (p,))]
    split = [_split(part) for part in flat]
    factor = Fraction(1)
    for content, _ in split:
        factor *= content
    rest = sorted((part for _, part in split if part != _ONE), key=repr)
    if not rest or factor == 0:
        return "Number", factor
    if len(rest) == 1 and rest[0][0] == "Sum of":
        return _sum([_scaled(factor, term) for term in rest[0][1:]])
    factors = rest if factor == 1 else [("Number", factor), *rest]
    return factors[0] if len(factors) == 1 else ("Product of", *factors)


def _split(part: Shape) -> tuple[Fraction, Shape]:
    """A rational factor and what remains; of a sum, the factor of its first term, so that a - b and b - a agree."""
    if part[0] == "Number":
        return part[1], _ONE
    if part[0] == "Product of" and part[1][0] == "Number":
        return part[1][1], part[2] if len(part) == 3 else ("Product of", *part[2:])
    if part[0] == "Sum of":
        content, _ = min((_split(term) for term in part[1:]), key=lambda pair: repr(pair[1]))
        return content, _sum([_scaled(1 / content, term) for term in part[1:]])
    return Fraction(1), part


def _scaled(factor: Fraction, term: Shape) -> Shape:
    """A rational multiple of one term of a sum."""
    if term[0] == "Sum of":
        return _sum([_scaled(factor, part) for part in term[1:]])
    content, rest = _split(term)
    if rest == _ONE or factor == 0:
        return "Number", factor * content
    factors = rest[1:] if rest[0] == "Product of" else (rest,)
    return rest if factor * content == 1 else ("Product of", ("Number", factor * content), *factors)


def _power(base: Shape, exponent: Shape) -> Shape:
    if exponent == _ONE:
        return base
    if exponent[0] == "Number" and exponent[1].denominator == 1:
        power = int(exponent[1])  # bounded, like the bases, when the tree was built
        if base[0] == "Number" and base[1] != 0:
            return "Number", base[1] ** power
        if base[0] == "Product of":
            return _product([_power(factor, exponent) for factor in base[1:]])
        content, rest = _split(base)
        if content not in (0, 1):
            return _product([("Number", content**power), ("Pow", rest, exponent)])
    return "Pow", base, exponent


INFINITY = Constant("oo")
MINUS_INFINITY = Apply("Neg", (INFINITY,))
