"""What a derivation hands to the generator: a proved formula and how it may be used."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import mpmath
import sympy as sp
from sympy.codegen import cfunctions

from claimproof.codegen.kernels import kernels
from claimproof.codegen.measure import points, span
from claimproof.core.evidence import CheckFailed
from claimproof.engines import symbolic

DIGITS = 60
# How far the digits may be raised before a cancellation in the paper's form is given up on.
MOST_DIGITS = 4000
CHECKED_POINTS = 24


class ExportError(CheckFailed):
    """A form that may not be exported, and why."""


@dataclass(frozen=True)
class Argument:
    """An argument of a generated function: a word for users, the symbol of the paper."""

    word: str
    symbol: str  # srepr
    description: str
    domain: str

    @property
    def as_symbol(self) -> sp.Symbol:
        return parse_srepr(self.symbol)


@dataclass(frozen=True)
class Export:
    """A verified formula on its way into the generated functions; JSON values only.

    ``sample`` says where its error is measured: a pair is a range (drawn log-uniformly when
    both ends have one sign), a text is an expression in the names before it. Names that
    are no argument are auxiliary.
    """

    name: str
    claim: str
    place: str
    module: str
    summary: str
    args: tuple[Argument, ...]
    form: str  # srepr
    verified: str  # srepr
    sample: tuple[tuple[str, tuple[float, float] | str], ...]
    rules: tuple[str, ...]
    nonnegative: bool
    ulps: float
    passes: tuple[str, ...]

    @property
    def expression(self) -> sp.Expr:
        return parse_srepr(self.form)

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.form.encode()).hexdigest()

    @property
    def domain(self) -> dict[str, str]:
        return {a.word: a.domain for a in self.args}

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Export:
        values = dict(data)
        values["args"] = tuple(Argument(**a) for a in data["args"])
        values["sample"] = tuple((n, r if isinstance(r, str) else tuple(r)) for n, r in data["sample"])
        values["rules"] = tuple(data["rules"])
        values["passes"] = tuple(data["passes"])
        return cls(**values)


def parse_srepr(text: str) -> Any:
    """The expression that ``sympy.srepr`` wrote, kernels included."""
    return eval(text, {**vars(sp), **vars(cfunctions), **kernels().functions, "__builtins__": {}})


def make_export(
    *,
    claim_id: str,
    place: str,
    name: str,
    verified: sp.Expr,
    form: sp.Expr,
    args: Mapping[str, sp.Symbol],
    domain: Mapping[str, str],
    describe: Mapping[str, str],
    sample: Mapping[str, tuple[float, float] | str],
    summary: str = "",
    ulps: float = 4,
    rules: Sequence[str] = (),
    nonnegative: bool = False,
    passes: Sequence[str] = ("cse",),
    module: str | None = None,
) -> Export:
    """Prove that ``form`` equals the verified expression, and record it for the generator.

    ``args`` maps the words of the public function to the symbols of the form, in order;
    ``domain`` and ``describe`` say for each word what is accepted and what it is.
    """
    verified, form = sp.sympify(verified), sp.sympify(form)
    if not name.isidentifier():
        raise ExportError(f"{claim_id}: {name!r} is not a function name")
    for what, given in (("domain", domain), ("describe", describe)):
        if set(given) != set(args):
            odd = sorted(set(given) ^ set(args))
            raise ExportError(f"{claim_id}: {what} of {name} must name its arguments, see {odd}")
    missing = [w for w in args if w not in sample]
    if missing:
        raise ExportError(f"{claim_id}: {name} has no sampling range for {missing}")
    unknown = (form.free_symbols | verified.free_symbols) - set(args.values())
    if unknown:
        raise ExportError(f"{claim_id}: {name} has no argument for {sorted(map(str, unknown))}")
    for expression in (form, verified):
        if floats := expression.atoms(sp.Float):
            raise ExportError(f"{claim_id}: Float {min(map(str, floats))} in {name}; use a Rational")
    for word in args:
        kernels().domain.parse(domain[word])
    written_out = kernels().in_exponentials
    symbolic.equal(written_out(form), written_out(verified))
    export = Export(
        name=name,
        claim=claim_id,
        place=place,
        module=module or claim_id.partition("-")[0].lower(),
        summary=summary or f"The right-hand side of {place}.",
        args=tuple(
            Argument(word, sp.srepr(symbol), describe[word], domain[word])
            for word, symbol in args.items()
        ),
        form=sp.srepr(form),
        verified=sp.srepr(verified),
        sample=tuple((n, r if isinstance(r, str) else tuple(map(float, r))) for n, r in sample.items()),
        rules=tuple(rules),
        nonnegative=nonnegative,
        ulps=float(ulps),
        passes=tuple(passes),
    )
    _agree_at_points(export)
    return export


def _agree_at_points(export: Export) -> None:
    """Form and verified expression agree to 50 digits at points of the sampling range."""
    symbols = [a.as_symbol for a in export.args]
    # the form with its kernels, which know their values at 0; the other without any
    known = kernels()
    numeric = {name: getattr(known.multiprecision, name) for name in known.functions}
    sides = [
        sp.lambdify(symbols, export.expression, modules=[numeric, "mpmath"]),
        sp.lambdify(symbols, known.in_exponentials(parse_srepr(export.verified)), modules="mpmath"),
    ]
    for point in points(export, CHECKED_POINTS):
        values = [mpmath.mpf(float(v)) for v in point]
        first, second = (_settled(export, side, values) for side in sides)
        with mpmath.workdps(DIGITS):
            gap = abs(first - second)
            if gap > mpmath.mpf(10) ** -50 * max(abs(first), abs(second)):
                raise ExportError(
                    f"{export.claim}: the form of {export.name} differs at {list(map(float, point))}"
                )


def _settled(export: Export, side: Any, values: list[mpmath.mpf]) -> mpmath.mpf:
    """The value to DIGITS digits: the precision is raised until two evaluations agree.

    It starts with digits for the span of the arguments: below that, two precisions can
    agree on a value from which a tiny argument has been rounded away.
    """
    digits, before = DIGITS + 3 * span(values), None
    while digits <= MOST_DIGITS:
        with mpmath.workdps(digits):
            now = mpmath.mpf(side(*values))
            if before is not None and abs(now - before) <= abs(now) * mpmath.mpf(10) ** -(DIGITS - 5):
                return now
        digits, before = 2 * digits, now
    raise ExportError(f"{export.claim}: {export.name} has no {DIGITS} digits at {values}")
