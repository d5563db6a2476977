"""Exact arithmetic: rationals, Q(sqrt 5), algebraic numbers, finite enumeration, refutation at a witness.

Nothing here is ever rounded; a floating-point number is refused by name.

>>> golden = Q5(fmpq(1, 2), fmpq(1, 2))
>>> golden * golden == golden + 1
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from claimproof.core.evidence import CheckFailed, Evidence, Kind
from claimproof.engines.balls import NoBallForm, ball, exact_rational, is_zero, sign_of
from claimproof.engines.sampler import contradiction

__all__ = ["Q5", "FloatInExact", "Refutation", "changed", "equal", "every", "failures", "rational_matrix", "refutes", "stationary"]


class FloatInExact(TypeError):
    """A floating-point number was about to enter exact arithmetic."""


# --------------------------------------------------------------------------- Q(sqrt 5)


@total_ordering
@dataclass(frozen=True)
class Q5:
    """The number ``a + b*sqrt(5)`` with rational a, b; exact field operations and exact order."""

    a: fmpq
    b: fmpq = fmpq(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", exact_rational(self.a))
        object.__setattr__(self, "b", exact_rational(self.b))

    @classmethod
    def of(cls, value: Any) -> Q5:
        """From an exact rational, a Q5, or a SymPy number that lies in Q(sqrt 5)."""
        if isinstance(value, Q5):
            return value
        if isinstance(value, sp.Expr) and not isinstance(value, (sp.Rational, sp.Float)):
            return cls._of_sympy(value)
        return cls(exact_rational(value))

    @classmethod
    def _of_sympy(cls, value: sp.Expr) -> Q5:
        root = sp.sqrt(5)
        plain = sp.expand(sp.radsimp(sp.expand(value, func=True)), func=True)
        b = plain.coeff(root)
        a = sp.expand(plain - b * root)
        if not (isinstance(a, sp.Rational) and isinstance(b, sp.Rational)):
            raise TypeError(f"{value} is not seen to lie in Q(sqrt 5)")
        return cls(exact_rational(a), exact_rational(b))

    def to_sympy(self) -> sp.Expr:
        return sp.Rational(int(self.a.p), int(self.a.q)) + sp.Rational(int(self.b.p), int(self.b.q)) * sp.sqrt(5)

    def sign(self) -> int:
        """-1, 0 or 1: the larger of a^2 and 5 b^2 decides when a and b disagree."""
        sa, sb = _sign(self.a), _sign(self.b)
        if sa * sb >= 0:
            return sa or sb
        return sa if self.a * self.a > 5 * self.b * self.b else sb

    def conjugate(self) -> Q5:
        return Q5(self.a, -self.b)

    def norm(self) -> fmpq:
        return self.a * self.a - 5 * self.b * self.b

    def floor(self) -> int:
        """The largest integer not above the number, from an integer square root."""
        denominator = int(self.a.q) * int(self.b.q)
        whole, root = int(self.a.p) * int(self.b.q), int(self.b.p) * int(self.a.q)
        below = math.isqrt(5 * root * root)
        if root < 0:
            below = -below - 1  # 5 root^2 is not a square
        return (whole + below) // denominator

    def __add__(self, other: Any) -> Q5:
        other = Q5.of(other)
        return Q5(self.a + other.a, self.b + other.b)

    def __neg__(self) -> Q5:
        return Q5(-self.a, -self.b)

    def __sub__(self, other: Any) -> Q5:
        return self + -Q5.of(other)

    def __rsub__(self, other: Any) -> Q5:
        return Q5.of(other) - self

    def __mul__(self, other: Any) -> Q5:
        other = Q5.of(other)
        return Q5(self.a * other.a + 5 * self.b * other.b, self.a * other.b + self.b * other.a)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Any) -> Q5:
        other = Q5.of(other)
        if not other.sign():
            raise ZeroDivisionError("division by zero in Q(sqrt 5)")
        scaled = self * other.conjugate()
        return Q5(scaled.a / other.norm(), scaled.b / other.norm())

    def __rtruediv__(self, other: Any) -> Q5:
        return Q5.of(other) / self

    def __pow__(self, exponent: int) -> Q5:
        if exponent < 0:
            return Q5.of(1) / self**-exponent
        result, base = Q5.of(1), self
        while exponent:
            if exponent & 1:
                result = result * base
            base, exponent = base * base, exponent >> 1
        return result

    def __abs__(self) -> Q5:
        return -self if self.sign() < 0 else self

    def __eq__(self, other: object) -> bool:
        try:
            other = Q5.of(other)
        except TypeError:
            return NotImplemented
        return self.a == other.a and self.b == other.b

    def __lt__(self, other: Any) -> bool:
        return (self - other).sign() < 0

    def __hash__(self) -> int:
        return hash((self.a, self.b))

    def __str__(self) -> str:
        return str(self.to_sympy())


def _sign(q: fmpq) -> int:
    return (q > 0) - (q < 0)


# --------------------------------------------------------------------------- equality


def equal(lhs: Any, rhs: Any) -> Evidence:
    """The two sides are the same exact number, or sequences or matrices of the same exact numbers."""
    left, right = _entries(lhs), _entries(rhs)
    if left[0] != right[0]:
        raise CheckFailed(f"the two sides have different shapes: {_show_shape(left[0])} and {_show_shape(right[0])}")
    if not left[1]:
        raise CheckFailed("vacuous: both sides are empty")
    fields = [_same(a, b, f" at entry {i}" if left[0] else "") for i, (a, b) in enumerate(zip(left[1], right[1], strict=True))]
    field = max(fields, key=_FIELDS.index)
    count = f", {len(fields)} entries" if left[0] else ""
    data: dict[str, Any] = {"field": field, "entries": len(fields)}
    if lhs is rhs or (left[1] == right[1] and all(isinstance(e, sp.Expr) and not e.is_Rational for e in left[1])):
        data["vacuous"] = True  # one value on both sides, or one tree: nothing was compared
    return Evidence(Kind.EXACT, f"exact in {field}{count}", data)


_FIELDS = ["Q", "Q(sqrt 5)", "algebraic numbers"]


def _same(a: Any, b: Any, place: str) -> str:
    """The field in which a == b was decided; raises when they differ."""
    try:
        x, y = Q5.of(a), Q5.of(b)
    except TypeError:
        return _same_algebraic(_to_sympy(a), _to_sympy(b), place)
    if x != y:
        raise CheckFailed(f"{a} != {b}{place}: the difference is {x - y}")
    return "Q(sqrt 5)" if x.b != 0 else "Q"


def _same_algebraic(a: sp.Expr, b: sp.Expr, place: str) -> str:
    if a.free_symbols or b.free_symbols:
        raise TypeError(f"{a} = {b} is not about closed numbers; use the symbolic engine")
    difference = a - b
    verdict = is_zero(difference)
    if verdict is False:
        raise CheckFailed(f"{a} != {b}{place}: the difference is {ball(difference).str(10, radius=False)}")
    if verdict is None or not difference.is_algebraic:
        raise CheckFailed(f"cannot decide {a} = {b}{place} exactly: not algebraic")
    return "algebraic numbers"


def _to_sympy(value: Any) -> sp.Expr:
    if isinstance(value, Q5):
        return value.to_sympy()
    if isinstance(value, sp.Expr):
        return value
    q = exact_rational(value)
    return sp.Rational(int(q.p), int(q.q))


def _entries(value: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Shape and entries; a scalar has the empty shape."""
    if isinstance(value, (fmpq_mat, fmpz_mat)):
        return (value.nrows(), value.ncols()), [_scalar(v) for v in value.entries()]
    if isinstance(value, sp.MatrixBase):
        return tuple(value.shape), [_scalar(v) for v in value]
    if isinstance(value, (list, tuple, sp.Tuple)):
        parts = [_entries(v) for v in value]
        shapes = {shape for shape, _ in parts}
        if len(shapes) > 1:
            raise TypeError("a ragged sequence: its parts have different shapes")
        inner = shapes.pop() if shapes else ()
        return (len(parts), *inner), [e for _, entries in parts for e in entries]
    return (), [_scalar(value)]


def size(value: Any) -> int:
    """The number of entries."""
    return len(_entries(value)[1])


def changed(value: Any, position: int, change: Callable[[Any], Any]) -> Any:
    """``value`` with one entry changed, as nested lists of the same shape."""
    shape, entries = _entries(value)
    entries[position] = change(entries[position])
    for length in reversed(shape[1:]):
        entries = [entries[i : i + length] for i in range(0, len(entries), length)]
    return entries if shape else entries[0]


def a_millionth_more(value: Any) -> Any:
    """A subtle error: the factor 1 + 10^-6, exactly."""
    if isinstance(value, sp.Expr):
        return value * sp.Rational(1000001, 1000000)
    return (value if isinstance(value, Q5) else exact_rational(value)) * fmpq(1000001, 1000000)


def _scalar(value: Any) -> Any:
    if isinstance(value, float) or (isinstance(value, sp.Basic) and value.atoms(sp.Float)):
        raise FloatInExact(f"{value!r} is or contains a floating-point number; give an exact one")
    if isinstance(value, (int, fmpz, fmpq, Fraction, Q5, sp.Expr)) and not isinstance(value, bool):
        return value
    raise TypeError(f"{value!r} ({type(value).__name__}) is not an exact number")


def _show_shape(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "a single number"


def compare(first: sp.Expr, second: sp.Expr) -> int:
    """The sign of first - second for closed real numbers, infinite ones included; raises when undecided."""
    if first == second:
        return 0
    for side, value in ((1, first), (-1, second)):
        if value.is_infinite:
            return side if value.is_positive else -side
    sign = _sign_by_balls(first - second)
    if sign is None:
        raise CheckFailed(f"undecided: {first} against {second}")
    return sign


# --------------------------------------------------------------------------- enumeration


# Of Python, numpy and SymPy: the types themselves, since any class can call itself bool_.
_TRUTH_VALUES = (bool, np.bool_, type(sp.true), type(sp.false))


def _truth_value(answer: Any, case: Any, what: str) -> bool:
    if type(answer) not in _TRUTH_VALUES:
        raise TypeError(f"{what}: the predicate answered {answer!r} for {case!r}, which is not a truth value")
    return bool(answer)


def every(
    cases: Iterable[Any], predicate: Callable[[Any], bool], what: str, kind: str = "exact",
    straw_men: Sequence[str] = (), only_gross: str | None = None,
) -> Evidence:
    """``predicate`` is true for each of the finitely many cases; there must be at least one.

    ``kind`` names how the predicate decides: in "exact" arithmetic, or by balls ("enclosed"). The predicate has
    to answer with a truth value: a number or None that happens to be truthy is an error. ``straw_men`` are the
    wrong variants that failed on all cases, ``only_gross`` says why there are no others.
    """
    if kind not in (Kind.EXACT.value, Kind.ENCLOSED.value):
        raise ValueError(f"{what}: a predicate decides exactly or by enclosures, not {kind!r}")
    count = 0
    for case in cases:
        if not _truth_value(predicate(case), case, what):
            raise CheckFailed(f"{what}: fails for {case!r}, after {count} cases that hold")
        count += 1
    if not count:
        raise CheckFailed(f"vacuous: {what} has no cases")
    data: dict[str, Any] = {"cases": count, "what": what}
    if straw_men:
        data["straw_men"] = list(straw_men)
    if only_gross is not None:
        data["only_gross"] = only_gross
    return Evidence(Kind(kind), f"{kind} in {count} cases ({what})", data)


def failures(cases: Sequence[Any], variant: Callable[[Any], bool], what: str) -> int:
    """On how many cases a wrong variant answers False. Whatever it raises is an error, not a rejection."""
    return sum(not _truth_value(variant(case), case, what) for case in cases)


# --------------------------------------------------------------------------- refutation


@dataclass(frozen=True)
class Refutation:
    """A relation that is certainly false at an exact witness; both sides as text."""

    evidence: Evidence
    left: str
    right: str
    witness: dict[str, str]


def refutes(
    relation: sp.Basic, witness: Mapping[sp.Symbol, Any], hypotheses: Iterable[sp.Basic] = ()
) -> Refutation:
    """Show that ``relation`` is false at ``witness``, where every hypothesis holds. There is no search.

    Decided in Q or Q(sqrt 5) where both sides lie there (``exact``), else by balls (``enclosed``). Raises
    ``CheckFailed`` when the relation is true or undecided there, or a hypothesis is not certainly met.
    """
    if relation in (True, sp.true):
        raise CheckFailed("the relation is the constant True: it can't be refuted")
    if not isinstance(relation, (sp.Gt, sp.Ge, sp.Lt, sp.Le, sp.Eq, sp.Ne)):
        raise TypeError(f"expected a relation with two sides (use evaluate=False), got {relation!r}")
    values = {symbol: _witness_value(symbol, value) for symbol, value in witness.items()}
    _require_values(relation, values)
    meets(witness, hypotheses)
    left, right = (_at(side, values) for side in (relation.lhs, relation.rhs))
    exact = all(_in_q5(v) for v in (left, right))
    sign = (Q5.of(left) - Q5.of(right)).sign() if exact else _sign_by_balls(left - right)
    if sign is None:
        raise CheckFailed(f"undecided: {relation} at {_show_witness(values)}")
    if _truth(relation, sign):
        raise CheckFailed(f"not refuted: {relation} is true at {_show_witness(values)}")
    shown = _show_sides(left, right, sign)
    witness_text = {str(s): str(v) for s, v in values.items()}
    kind = Kind.EXACT if exact else Kind.ENCLOSED
    evidence = Evidence(
        kind,
        f"{kind.value} at {_show_witness(values)}: {shown[0]} against {shown[1]}",
        {"witness": witness_text, "left": shown[0], "right": shown[1]},
    )
    return Refutation(evidence, *shown, witness_text)


def meets(witness: Mapping[sp.Symbol, Any], hypotheses: Iterable[sp.Basic]) -> None:
    """Every hypothesis certainly holds at ``witness``, or ``CheckFailed`` names the one that doesn't."""
    values = {symbol: _witness_value(symbol, value) for symbol, value in witness.items()}
    hypotheses = [sp.sympify(hypothesis) for hypothesis in hypotheses]
    for hypothesis in hypotheses:
        _require_values(hypothesis, values)
    for hypothesis in hypotheses:
        for part in sp.And.make_args(hypothesis):
            if not _holds(part, values):
                raise CheckFailed(f"the witness {_show_witness(values)} does not certainly meet {part}")


def _require_values(statement: sp.Basic, values: Mapping[sp.Symbol, sp.Expr]) -> None:
    """Before any value goes in: a symbol that drops out at the witness is one that was not asked."""
    if missing := sorted(map(str, statement.free_symbols - set(values))):
        raise CheckFailed(f"the witness gives no value for {', '.join(missing)} in {statement}")


def _witness_value(symbol: sp.Symbol, value: Any) -> sp.Expr:
    exact = _to_sympy(_scalar(value))
    if exact.free_symbols:
        raise TypeError(f"the witness {symbol} = {exact} is not a closed number")
    if why := contradiction(symbol, exact):
        raise CheckFailed(f"the witness {symbol} = {exact} contradicts: {why}")
    return exact


def _at(side: sp.Expr, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    if side.atoms(sp.Float):
        raise FloatInExact(f"{side} contains a floating-point number")
    value = side.subs(values, simultaneous=True).doit()
    if value.free_symbols:
        raise CheckFailed(f"the witness gives no value for {', '.join(sorted(map(str, value.free_symbols)))}")
    return value


def _holds(hypothesis: sp.Basic, values: Mapping[sp.Symbol, sp.Expr]) -> bool:
    if hypothesis in (sp.true, sp.false):
        return hypothesis == sp.true
    if isinstance(hypothesis, (sp.Gt, sp.Ge, sp.Lt, sp.Le, sp.Eq, sp.Ne)):
        sign = _sign_by_balls(_at(hypothesis.lhs, values) - _at(hypothesis.rhs, values))
        return sign is not None and _truth(hypothesis, sign)
    return hypothesis.subs(values) == sp.true


def _sign_by_balls(value: sp.Expr) -> int | None:
    """The sign of a real number; None also when it is infinite, undefined or has no ball form."""
    try:
        return sign_of(value) if value.is_finite is not False else None
    except NoBallForm:
        return None


def _truth(relation: sp.Basic, sign: int) -> bool:
    """The truth of a relation, from the sign of left minus right."""
    allowed = {sp.Gt: (1,), sp.Ge: (0, 1), sp.Lt: (-1,), sp.Le: (-1, 0), sp.Eq: (0,), sp.Ne: (-1, 1)}
    return sign in allowed[relation.func]


def _in_q5(value: sp.Expr) -> bool:
    try:
        Q5.of(value)
    except TypeError:
        return False
    return True


def _show_sides(left: sp.Expr, right: sp.Expr, sign: int) -> tuple[str, str]:
    """Both sides with enough certified digits to tell them apart."""
    digits = 12
    while True:
        decimals = tuple(_decimal(v, digits) for v in (left, right))
        if sign == 0 or decimals[0] != decimals[1]:
            return tuple(_show_number(v, d) for v, d in zip((left, right), decimals, strict=True))  # type: ignore[return-value]
        digits *= 2


def _decimal(value: sp.Expr, digits: int) -> str:
    """``digits`` significant digits, all certified up to one unit in the last place."""
    if isinstance(value, sp.Integer):
        return str(value)
    precision = 4 * digits + 64
    enclosure = ball(value, precision)
    while enclosure.rel_accuracy_bits() < 4 * digits and not enclosure.is_zero():
        precision *= 2
        if precision > 1 << 16:
            raise CheckFailed(f"no certified digits for {value}")
        enclosure = ball(value, precision)
    return enclosure.str(digits, radius=False)


def _show_number(value: sp.Expr, decimal: str) -> str:
    """The exact form when it is short, and the decimals: ``9/4 = 2.25``, ``exp(-1) ~ 0.367879441171``."""
    text = str(value)
    if text == decimal or len(text) > 40:
        return decimal
    short = decimal.rstrip("0") if "." in decimal and "e" not in decimal else decimal
    if isinstance(value, sp.Rational) and sp.Rational(short) == value:
        return f"{text} = {short}"
    return f"{text} ~ {decimal}"


def _show_witness(values: Mapping[sp.Symbol, sp.Expr]) -> str:
    return ", ".join(f"{s} = {v}" for s, v in values.items()) or "no symbols"


# --------------------------------------------------------------------------- Markov chains


def rational_matrix(rows: Any) -> fmpq_mat:
    """An exact matrix from a SymPy matrix, nested sequences or a flint matrix."""
    if isinstance(rows, fmpq_mat):
        return rows
    if isinstance(rows, (fmpz_mat, sp.MatrixBase)):
        rows = rows.tolist()
    return fmpq_mat([[exact_rational(v) for v in row] for row in rows])


def stationary(generator: Any) -> list[fmpq]:
    """The exact stationary distribution of an irreducible generator (rows sum to 0) or stochastic matrix (to 1)."""
    matrix = rational_matrix(generator)
    n = matrix.nrows()
    if n == 0 or matrix.ncols() != n:
        raise ValueError(f"expected a square matrix, got {n} x {matrix.ncols()}")
    rows = matrix.tolist()
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            if i != j and value < 0:
                raise ValueError(f"row {i} has the negative off-diagonal entry {value} in column {j}")
    # A matrix with a negative entry, or with nothing in it, can only be meant as a generator.
    target = 0 if any(rows[i][i] < 0 for i in range(n)) or all(v == 0 for row in rows for v in row) else 1
    for i, row in enumerate(rows):
        if (total := sum(row, fmpq(0))) != target:
            kind = "a generator" if target == 0 else "a stochastic matrix"
            raise ValueError(f"row {i} sums to {total}, not to {target} as in {kind}")
    _require_irreducible(rows)
    balance = [[rows[i][j] - (target if i == j else 0) for i in range(n)] for j in range(n)]
    balance[-1] = [fmpq(1)] * n  # one balance equation is redundant: the normalisation takes its place
    solution = fmpq_mat(balance).solve(fmpq_mat(n, 1, [0] * (n - 1) + [1]))
    return list(solution.entries())


def _require_irreducible(rows: Sequence[Sequence[fmpq]]) -> None:
    n = len(rows)
    for forward in (True, False):
        seen, queue = {0}, [0]
        while queue:
            i = queue.pop()
            for j in range(n):
                if j not in seen and (rows[i][j] if forward else rows[j][i]) != 0:
                    seen.add(j)
                    queue.append(j)
        if missing := sorted(set(range(n)) - seen):
            how = f"state {missing[0]} can't be reached from state 0" if forward else f"state 0 can't be reached from state {missing[0]}"
            raise ValueError(f"reducible: {how}")
