"""Trees to sympy and back.

``Bridge.written`` builds what a tree says without letting sympy evaluate any of it; ``evaluated``
builds the same with sympy's automatic evaluation (derivatives, integrals, sums and limits stay
unevaluated: that is ``doit``, which is the engines' business). ``tree`` goes back, so that a check
can record what it was given, and ``same`` asks whether a side was computed or merely retyped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import Boolean, BooleanFunction

from claimproof.core import tree as t
from claimproof.core.statement import Statement
from claimproof.core.symbols import Domain, Kernel, Symbol, near
from claimproof.core.tree import Apply, Side, Tree, TreeError

__all__ = ["Bridge", "BridgeError", "Expansion", "as_kernels", "assumptions"]


class BridgeError(ValueError):
    """A sympy expression has no tree, or a tree names what the bridge does not know."""


class Expansion(BooleanFunction):  # type: ignore[misc]
    """Series(body, variable, point, order, expansion) as sympy carries it: a proposition that it leaves alone."""

    nargs = 5


_ASSUMPTIONS: dict[Domain, dict[str, bool]] = {
    Domain.REAL: {"real": True},
    Domain.POSITIVE: {"positive": True},
    Domain.NONNEGATIVE: {"nonnegative": True},
    Domain.NEGATIVE: {"negative": True},
    Domain.OPEN_UNIT: {"positive": True},
    Domain.CLOSED_UNIT: {"nonnegative": True},
    Domain.LEFT_OPEN_UNIT: {"positive": True},
    Domain.RIGHT_OPEN_UNIT: {"nonnegative": True},
    Domain.INTEGER: {"integer": True},
    Domain.POSITIVE_INTEGER: {"integer": True, "positive": True},
    Domain.NONNEGATIVE_INTEGER: {"integer": True, "nonnegative": True},
}


def assumptions(domain: Domain) -> dict[str, bool]:
    """What sympy can be told of a domain; upper ends are for ``Statement.conditions``."""
    return dict(_ASSUMPTIONS[domain])


def as_kernels(functions: Mapping[str, type[sp.Function]]) -> tuple[Kernel, ...]:
    """Kernels, given as sympy classes with ``nargs`` and ``_latex_name``, for a symbol table."""
    return tuple(
        Kernel(name, getattr(cls, "_latex_name", rf"\operatorname{{{name}}}"), _one_arity(name, cls))
        for name, cls in functions.items()
    )


def _one_arity(name: str, cls: type[sp.Function]) -> int:
    counts = list(cls.nargs) if isinstance(cls.nargs, sp.Set) else [cls.nargs]
    if len(counts) != 1 or not isinstance(counts[0], int | sp.Integer):
        raise BridgeError(f"kernel {name} must take one fixed number of arguments, not {cls.nargs}")
    return int(counts[0])


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Abs": sp.Abs, "exp": sp.exp, "log": sp.log, "floor": sp.floor, "ceiling": sp.ceiling, "sin": sp.sin, "cos": sp.cos,
    "atan": sp.atan, "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh, "factorial": sp.factorial, "gamma": sp.gamma,
    "binomial": sp.binomial, "fibonacci": sp.fibonacci, "LambertW": sp.LambertW, "Mod": sp.Mod, "Max": sp.Max,
    "Min": sp.Min,
}
_HEADS: dict[type, str] = {function: head for head, function in _FUNCTIONS.items() if isinstance(function, type)}
_RELATIONS: dict[str, type[sp.Rel]] = {"Eq": sp.Eq, "Ne": sp.Ne, "Lt": sp.Lt, "Le": sp.Le, "Gt": sp.Gt, "Ge": sp.Ge}
_CONNECTIVES: dict[str, type[Boolean]] = {
    "And": sp.And, "Or": sp.Or, "Not": sp.Not, "Implies": sp.Implies, "Equivalent": sp.Equivalent,
}
_RANGED: dict[str, type[sp.Basic]] = {"Sum": sp.Sum, "Product": sp.Product, "Integral": sp.Integral}
_CONSTANTS: dict[str, sp.Basic] = {"pi": sp.pi, "E": sp.E, "oo": sp.oo, "phi": sp.GoldenRatio}
_LEAVES: dict[sp.Basic, Tree] = {
    **{value: t.Constant(name) for name, value in _CONSTANTS.items()}, sp.S.NegativeInfinity: t.MINUS_INFINITY,
}


class Bridge:
    """The way between trees and sympy for one table of symbols and one set of kernels (sympy classes by name)."""

    def __init__(self, symbols: Mapping[str, Symbol], kernels: Mapping[str, type[sp.Function]] | None = None) -> None:
        self.symbols = dict(symbols)
        self.kernels = dict(kernels or {})
        self._forward = {s.name: _symbol(s) for s in symbols.values()}
        self._back: dict[Any, str] = {value: name for name, value in self._forward.items()}
        self._names = {cls: name for name, cls in self.kernels.items()}

    @classmethod
    def of(cls, statement: Statement, kernels: Mapping[str, type[sp.Function]] | None = None) -> Bridge:
        """With the symbols as the statement declares them (a falsified one may declare them more widely)."""
        return cls({s.name: s for s in statement.symbols}, kernels)

    def with_local(self, *expressions: sp.Basic) -> Bridge:
        """A bridge that also knows the symbols and undefined functions which only these expressions have.

        They are in its ``symbols`` under a name that is free, with the domain that sympy was told.
        """
        wider = Bridge(self.symbols, self.kernels)
        for value in sorted({a for e in expressions for a in e.atoms(sp.Symbol, AppliedUndef)}, key=sp.default_sort_key):
            key, of = (value.func, tuple(map(_domain, value.args))) if isinstance(value, AppliedUndef) else (value, ())
            if key not in wider._back:
                name = _fresh(str(key), {*wider.symbols, *wider.kernels})
                shown = sp.latex(sp.Symbol(str(key)))
                wider.symbols[name] = Symbol(name, shown, _domain(value), "a symbol of one derivation", None, of)
                wider._forward[name], wider._back[key] = key, name
        return wider

    def symbol(self, name: str) -> Any:
        """The sympy symbol, or undefined function, that a name stands for."""
        try:
            return self._forward[name]
        except KeyError:
            raise BridgeError(f"no symbol {name!r}{near(name, self._forward)}") from None

    # ---- to sympy -----------------------------------------------------------------------

    def written(self, tree: Tree) -> Any:
        """What the tree says, with nothing evaluated."""
        return self._build(tree, False)

    def evaluated(self, tree: Tree) -> Any:
        """The same with sympy's automatic evaluation; nothing is carried out."""
        try:
            return self._build(tree, True)
        except (TypeError, ValueError, ZeroDivisionError) as error:  # such as 1/0 in a comparison
            raise BridgeError(f"sympy can't evaluate {tree}: {error}") from error

    def _build(self, tree: Tree, evaluate: bool) -> Any:
        def of(part: Tree) -> Any:
            return self._build(part, evaluate)

        match tree:
            case t.Number(value):
                return sp.Rational(value.numerator, value.denominator)
            case t.Constant(name):
                return _CONSTANTS[name]
            case t.Name(name):
                return self.symbol(name)
            case t.Indexed(name, parts):
                return self.symbol(name)(*map(of, parts), evaluate=evaluate)
            case t.Ranged(head, body, variable, lower, upper):
                limits = (self.symbol(variable), of(lower), of(upper))
                return _RANGED[head](of(body), limits) if evaluate else _held_range(_RANGED[head], of(body), limits)
            case t.Derivative(body, variable, order):
                return sp.Derivative(of(body), (self.symbol(variable), order), evaluate=False)
            case t.Limit(body, variable, point, side):
                return sp.Limit(of(body), self.symbol(variable), of(point), side.value)
            case t.Series(body, variable, point, order, expansion):
                return Expansion(of(body), self.symbol(variable), of(point), sp.Integer(order), of(expansion))
            case t.Cases(branches, otherwise):
                pairs = [*((of(v), of(c)) for v, c in branches), (of(otherwise), sp.true)]
                return sp.Piecewise(*pairs) if evaluate else _held_cases(pairs)
            case Apply(head, args):
                return self._apply(head, [of(a) for a in args], evaluate)

    def _apply(self, head: str, args: list[Any], evaluate: bool) -> Any:
        match head, args:
            case "Add", _:
                return sp.Add(*args, evaluate=evaluate)
            case "Mul", _:
                return sp.Mul(*args, evaluate=evaluate)
            case "Pow", _:
                return sp.Pow(*args, evaluate=evaluate)
            case "Neg", [inner]:
                return -inner if inner is sp.oo else sp.Mul(sp.S.NegativeOne, inner, evaluate=evaluate)
            case "Sub", [left, right]:
                return sp.Add(left, sp.Mul(sp.S.NegativeOne, right, evaluate=evaluate), evaluate=evaluate)
            case "Div", [above, below]:
                return sp.Mul(above, sp.Pow(below, sp.S.NegativeOne, evaluate=evaluate), evaluate=evaluate)
            case "sqrt", [inner]:
                return sp.Pow(inner, sp.S.Half, evaluate=evaluate)
        if head in _RELATIONS:
            return _RELATIONS[head](*args, evaluate=evaluate)
        if head in ("And", "Or", "Equivalent") and not evaluate:
            return _held(_CONNECTIVES[head], args)
        if head in _CONNECTIVES:
            return _CONNECTIVES[head](*args, evaluate=evaluate)
        function = _FUNCTIONS.get(head) or self.kernels.get(head) or self.symbol(head)
        return function(*args, evaluate=evaluate)

    # ---- from sympy ---------------------------------------------------------------------

    def tree(self, expression: Any) -> Tree:
        """The tree of a sympy expression as it stands; raises BridgeError where there is none."""
        expression = _value(expression)
        try:
            return self._tree(expression)
        except TreeError as error:
            raise BridgeError(f"{_shown(expression)} has no machine form: {error}") from None

    def same(self, side: Tree, handed: Any) -> bool:
        """Whether ``handed`` is ``side`` before any simplification: as a tree, or after sympy's automatic evaluation.

        A check whose computed side is the inventory's own proves nothing.
        """
        handed = _value(handed)
        return bool(self.evaluated(side) == handed) or t.same(side, self.with_local(handed).tree(handed))

    def _tree(self, e: Any) -> Tree:
        if e in _LEAVES:
            return _LEAVES[e]
        match e:
            case sp.Rational():
                return t.Number(Fraction(int(e.p), int(e.q)))
            case sp.Symbol():
                return t.Name(self._known(e))
            case sp.Add():
                return self._sum(list(e.args))
            case sp.Mul():
                return self._product(list(e.args))
            case sp.Pow():
                return self._power(*e.args)
            case sp.Derivative():
                return self._derivative(e)
            case sp.Sum() | sp.Product() | sp.Integral():
                return self._ranged(e)
            case sp.Limit():
                body, variable, point, side = e.args
                return t.Limit(self._tree(body), self._known(variable), self._tree(point), Side(str(side)))
            case Expansion():
                body, variable, point, order, expansion = e.args
                return t.Series(
                    self._tree(body), self._known(variable), self._tree(point), int(order), self._tree(expansion)
                )
            case sp.Piecewise():
                return self._cases(e)
            case AppliedUndef():
                name = self._known(e.func)
                parts = tuple(map(self._tree, e.args))
                return t.Indexed(name, parts) if self.symbols[name].is_family else Apply(name, parts)
            case sp.And() | sp.Or() | sp.Max() | sp.Min() if len(e.args) == 1:
                return self._tree(e.args[0])
            case sp.And() | sp.Or() | sp.Max() | sp.Min() | sp.Equivalent():
                # Sympy keeps these as sets, in an order that changes with how their members are written.
                return Apply(self._head(e), tuple(sorted(map(self._tree, e.args), key=str)))
            case _:
                return Apply(self._head(e), tuple(map(self._tree, e.args)))

    def _head(self, e: Any) -> str:
        if e.func in self._names:
            return self._names[e.func]
        if e.func in _HEADS:
            return _HEADS[e.func]
        for head, cls in (*_RELATIONS.items(), *_CONNECTIVES.items()):
            if isinstance(e, cls):
                return head
        raise BridgeError(f"{_shown(e)} has no machine form: {type(e).__name__} is not among the accepted operations")

    def _known(self, symbol: Any) -> str:
        """The name of a symbol that is declared as the table declares it."""
        if symbol in self._back:
            return self._back[symbol]
        name = str(symbol)
        if name in self.symbols:
            declared = self.symbols[name].domain.value
            raise BridgeError(f"symbol {name} is declared otherwise than in the symbol table, which says {declared}")
        raise BridgeError(f"symbol {name} is not in the symbol table{near(name, self.symbols)}")

    def _sum(self, terms: list[Any]) -> Tree:
        first, *rest = terms
        total = self._tree(first)
        for term in rest:
            positive = _without_sign(term)
            if positive is None:
                total = Apply("Add", (total, self._tree(term)))
            else:
                total = Apply("Sub", (total, self._tree(positive)))
        return total

    def _product(self, factors: list[Any]) -> Tree:
        first, *rest = factors
        if first is sp.S.NegativeOne and rest:
            return t.neg(self._product(rest))
        if first.is_Rational and not first.is_Integer and first < 0 and rest:
            return t.neg(self._product([-first, *rest]))
        above, below = [], []
        for factor in factors:
            if isinstance(factor, sp.Pow) and factor.exp.is_Rational and factor.exp.is_negative:
                below.append(self._power(factor.base, -factor.exp))
            else:
                above.append(self._tree(factor))
        # A rational coefficient p/q of an evaluated product reads better as p ... / q ...
        if above and isinstance(above[0], t.Number) and above[0].value.denominator != 1 and len(factors) > 1:
            value = above[0].value
            above[0] = t.number(value.numerator)
            below.insert(0, t.number(value.denominator))
            if value.numerator == 1 and len(above) > 1:
                del above[0]
        product = _chain(above) if above else t.number(1)
        return t.div(product, _chain(below)) if below else product

    def _power(self, base: Any, exponent: Any) -> Tree:
        if exponent is sp.S.One:
            return self._tree(base)
        if exponent is sp.S.Half:
            return Apply("sqrt", (self._tree(base),))
        if base is sp.E:
            return Apply("exp", (self._tree(exponent),))
        if exponent is sp.S.NegativeOne:
            return t.div(t.number(1), self._tree(base))
        return Apply("Pow", (self._tree(base), self._tree(exponent)))

    def _derivative(self, e: Any) -> Tree:
        body = self._tree(e.expr)
        for variable, count in e.variable_count:
            if not isinstance(count, int | sp.Integer):
                raise BridgeError(f"{_shown(e)} has no machine form: the order of a derivative must be a whole number")
            body = t.Derivative(body, self._known(variable), int(count))
        return body

    def _ranged(self, e: Any) -> Tree:
        body = self._tree(e.function)
        for limits in e.limits:  # the first is the innermost
            if len(limits) != 3:
                raise BridgeError(f"{_shown(e)} has no machine form: it needs a lower and an upper end")
            variable, lower, upper = limits
            body = t.Ranged(type(e).__name__, body, self._known(variable), self._tree(lower), self._tree(upper))
        return body

    def _cases(self, e: Any) -> Tree:
        *branches, (last, condition) = [tuple(pair.args) for pair in e.args]
        if condition is not sp.true:
            raise BridgeError(f"{_shown(e)} has no machine form: its last condition must be True")
        return t.Cases(tuple((self._tree(v), self._tree(c)) for v, c in branches), self._tree(last))


def _value(value: Any) -> Any:
    """A sympy value; exact Python numbers become one, text never does."""
    if isinstance(value, sp.Basic):
        return value
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return sp.Rational(value)
    raise BridgeError(f"{value!r:.80} is no expression of sympy and no exact number")


def _symbol(symbol: Symbol) -> Any:
    known = assumptions(symbol.domain)
    return sp.Function(symbol.name, **known) if symbol.of else sp.Symbol(symbol.name, **known)


def _held(connective: Any, args: list[Any]) -> Any:
    """And, Or, Equivalent as they stand: sympy's own constructors decide relations even when told not to evaluate."""
    members = frozenset(args)
    held = sp.Basic.__new__(connective, *sp.ordered(members))
    held._argset = members
    return held


def _held_range(kind: Any, body: Any, limits: tuple[Any, Any, Any]) -> Any:
    """Sum, Integral, Product as they stand: sympy's own constructors draw the cases of the body to its outside."""
    held = sp.Expr.__new__(kind, body, sp.Tuple(*limits))
    held.is_commutative = body.is_commutative
    return held


def _held_cases(pairs: list[tuple[Any, Any]]) -> Any:
    """Piecewise as it stands: sympy's own constructor folds one into the other, and decides conditions."""
    return sp.Basic.__new__(sp.Piecewise, *(sp.Tuple.__new__(ExprCondPair, *pair) for pair in pairs))


def _without_sign(term: Any) -> Any | None:
    """-term where a term starts with a minus, as in a sum that is printed with -; otherwise None."""
    if term.is_Rational:
        return -term if term < 0 else None
    if isinstance(term, sp.Mul):
        first, *rest = term.args
        if first is sp.S.NegativeOne:
            return rest[0] if len(rest) == 1 else sp.Mul(*rest, evaluate=False)
        if first.is_Rational and first < 0:
            return sp.Mul(-first, *rest, evaluate=False)
    return None


def _chain(factors: Iterable[Tree]) -> Tree:
    first, *rest = factors
    for factor in rest:
        first = Apply("Mul", (first, factor))
    return first


def _shown(expression: Any) -> str:
    try:
        text = str(expression)
    except ValueError:  # Python prints no whole number of more than 4300 digits
        return "a number of too many digits"
    return text if len(text) <= 120 else text[:117] + "..."


# ---- symbols that only one derivation has -------------------------------------------------

# The strongest that a symbol meets is its domain.
_BY_STRENGTH = (
    (Domain.POSITIVE_INTEGER, ("is_integer", "is_positive")),
    (Domain.NONNEGATIVE_INTEGER, ("is_integer", "is_nonnegative")),
    (Domain.INTEGER, ("is_integer",)),
    (Domain.POSITIVE, ("is_positive",)),
    (Domain.NEGATIVE, ("is_negative",)),
    (Domain.NONNEGATIVE, ("is_nonnegative",)),
    (Domain.REAL, ("is_real",)),
)


def _domain(value: Any) -> Domain:
    for domain, needed in _BY_STRENGTH:
        if all(getattr(value, what) for what in needed):
            return domain
    raise BridgeError(f"{value} has no domain: declare it real, positive, integer, ...")


def _fresh(name: str, taken: Iterable[str]) -> str:
    """A name of a tree that looks like ``name`` and is not taken."""
    found = re.sub(r"[^A-Za-z0-9_]+", "_", name).lstrip("_0123456789")[:50] or "symbol"
    while found in taken or not t.is_name(found):
        found += "_"
    return found
