"""The symbols of a paper: what each stands for, where it lives, how it is printed.

``derivations/<paper>/symbols.toml`` has one table for each symbol::

    [symbol.mu]
    latex = '\\mu'
    domain = "positive"
    meaning = "change rate of a page"

    [symbol.kappa]            # a family, written kappa[i]
    latex = '\\kappa'
    domain = "positive"
    of = "positive integer"
    meaning = "..."
    defined_by = "Eq(kappa[i], -log(h[i]))"

A symbol that is not primitive has ``defined_by``, a formula (read by ``statement.definitions``), or
``computed``, words on how derivations compute it from the model; a check may hand over values of
such symbols only. ``of`` makes a symbol a family (whole numbers, written with brackets) or a function (anything else,
written with parentheses); several arguments are a list.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

from claimproof.core.tree import is_name


class SymbolError(ValueError):
    """A symbol table contradicts itself or its schema."""


@dataclass(frozen=True)
class Bounds:
    """An interval of real or whole numbers; None is no bound on that side."""

    lower: Fraction | None = None
    upper: Fraction | None = None
    lower_open: bool = True
    upper_open: bool = True
    integer: bool = False

    def contains(self, value: Fraction) -> bool:
        if self.integer and value.denominator != 1:
            return False
        if self.lower is not None and (value < self.lower or (self.lower_open and value == self.lower)):
            return False
        return self.upper is None or not (value > self.upper or (self.upper_open and value == self.upper))


class Domain(Enum):
    """The closed set of domains; the value is how a symbol table writes it."""

    REAL = "real"
    POSITIVE = "positive"
    NONNEGATIVE = "nonnegative"
    NEGATIVE = "negative"
    OPEN_UNIT = "(0, 1)"
    CLOSED_UNIT = "[0, 1]"
    LEFT_OPEN_UNIT = "(0, 1]"
    RIGHT_OPEN_UNIT = "[0, 1)"
    INTEGER = "integer"
    POSITIVE_INTEGER = "positive integer"
    NONNEGATIVE_INTEGER = "nonnegative integer"

    @property
    def bounds(self) -> Bounds:
        return _BOUNDS[self]

    @property
    def latex(self) -> str:
        return _LATEX[self]

    @property
    def widened(self) -> Domain:
        """All real numbers, or all whole ones."""
        return Domain.INTEGER if self.bounds.integer else Domain.REAL


_ZERO, _ONE = Fraction(0), Fraction(1)
_BOUNDS = {
    Domain.REAL: Bounds(),
    Domain.POSITIVE: Bounds(_ZERO),
    Domain.NONNEGATIVE: Bounds(_ZERO, lower_open=False),
    Domain.NEGATIVE: Bounds(upper=_ZERO),
    Domain.OPEN_UNIT: Bounds(_ZERO, _ONE),
    Domain.CLOSED_UNIT: Bounds(_ZERO, _ONE, lower_open=False, upper_open=False),
    Domain.LEFT_OPEN_UNIT: Bounds(_ZERO, _ONE, upper_open=False),
    Domain.RIGHT_OPEN_UNIT: Bounds(_ZERO, _ONE, lower_open=False),
    Domain.INTEGER: Bounds(integer=True),
    Domain.POSITIVE_INTEGER: Bounds(_ONE, lower_open=False, integer=True),
    Domain.NONNEGATIVE_INTEGER: Bounds(_ZERO, lower_open=False, integer=True),
}
_LATEX = {
    Domain.REAL: r"\mathbb{R}",
    Domain.POSITIVE: r"(0, \infty)",
    Domain.NONNEGATIVE: r"[0, \infty)",
    Domain.NEGATIVE: r"(-\infty, 0)",
    Domain.OPEN_UNIT: "(0, 1)",
    Domain.CLOSED_UNIT: "[0, 1]",
    Domain.LEFT_OPEN_UNIT: "(0, 1]",
    Domain.RIGHT_OPEN_UNIT: "[0, 1)",
    Domain.INTEGER: r"\mathbb{Z}",
    Domain.POSITIVE_INTEGER: r"\{1, 2, \dots\}",
    Domain.NONNEGATIVE_INTEGER: r"\{0, 1, \dots\}",
}


@dataclass(frozen=True)
class Symbol:
    """A symbol; with ``of`` a family or function with values in ``domain``."""

    name: str
    latex: str
    domain: Domain
    meaning: str
    defined_by: str | None = None
    of: tuple[Domain, ...] = ()
    computed: str | None = None

    @property
    def is_primitive(self) -> bool:
        return self.defined_by is None and self.computed is None

    @property
    def is_family(self) -> bool:
        return bool(self.of) and all(d.bounds.integer for d in self.of)

    @property
    def is_function(self) -> bool:
        return bool(self.of) and not self.is_family

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name, "latex": self.latex, "domain": self.domain.value, "meaning": self.meaning,
            "defined_by": self.defined_by, "of": [d.value for d in self.of], "computed": self.computed,
        }

    @classmethod
    def from_json(cls, data: Any) -> Symbol:
        if not isinstance(data, dict) or not isinstance(data.get("name"), str):
            raise SymbolError(f"no symbol: {data!r:.80}")
        row = {k: v for k, v in data.items() if k != "name" and v not in (None, [])}
        return _symbol(data["name"], row, "data")


@dataclass(frozen=True)
class Kernel:
    """A function that the project supplies, such as psi: formulas may call it by name."""

    name: str
    latex: str
    arity: int


@dataclass(frozen=True)
class SymbolTable(Mapping[str, Symbol]):
    """The symbols of a paper, and the kernels that its formulas may call."""

    symbols: Mapping[str, Symbol]
    kernels: Mapping[str, Kernel] = field(default_factory=dict)
    source: str = "the symbol table"

    def __post_init__(self) -> None:
        for name in (*self.symbols, *self.kernels):
            if not is_name(name):
                raise SymbolError(
                    f"{self.source}: {name}: not a name "
                    "(accepted: a letter, then letters, digits and _; no word of Python or of the formulas)"
                )
        if both := sorted(set(self.symbols) & set(self.kernels)):
            raise SymbolError(f"{self.source}: {both[0]}: a kernel has this name")

    def __getitem__(self, name: str) -> Symbol:
        try:
            return self.symbols[name]
        except KeyError:
            raise KeyError(f"{self.source} has no symbol {name!r}{near(name, self.symbols)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.symbols)

    def __len__(self) -> int:
        return len(self.symbols)

    def latex(self, name: str) -> str:
        """How a symbol or kernel is printed."""
        return self.kernels[name].latex if name in self.kernels else self[name].latex

    def extended(self, symbols: Iterable[Symbol]) -> SymbolTable:
        """With further symbols, or with others in the place of those of the same name."""
        return SymbolTable({**self.symbols, **{s.name: s for s in symbols}}, self.kernels, self.source)


def near(name: str, known: Iterable[str]) -> str:
    """Names that look like ``name``, as an ending of a message."""
    close = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.5)
    return f" (near: {', '.join(close)})" if close else ""


def load(path: Path, kernels: Iterable[Kernel] = ()) -> SymbolTable:
    """Read and check ``symbols.toml``."""
    source = f"{path.parent.name}/{path.name}"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SymbolError(f"{source}: not valid TOML: {error}") from None
    if unknown := sorted(set(table) - {"symbol"}):
        raise SymbolError(f"{source}: unknown table {unknown[0]!r} (accepted: symbol)")
    rows = table.get("symbol", {})
    if not isinstance(rows, dict):
        raise SymbolError(f"{source}: 'symbol' must be tables such as [symbol.mu], not {rows!r:.80}")
    symbols = {name: _symbol(name, row, source) for name, row in rows.items()}
    return SymbolTable(symbols, {k.name: k for k in kernels}, source)


_FIELDS = {"latex": True, "domain": True, "meaning": True, "defined_by": False, "of": False, "computed": False}


def _symbol(name: str, row: Any, source: str) -> Symbol:
    where = f"{source}: {name}"
    if not isinstance(row, dict):
        raise SymbolError(f"{where}: must be a table with the fields {', '.join(_FIELDS)}, not {row!r:.80}")
    for key in row:
        if key not in _FIELDS:
            raise SymbolError(f"{where}: unknown field {key!r} (accepted: {', '.join(_FIELDS)})")
    for key, required in _FIELDS.items():
        if required and key not in row:
            raise SymbolError(f"{where}: field {key!r} is missing")
        if key in row and key != "of" and not (isinstance(row[key], str) and row[key].strip()):
            raise SymbolError(f"{where}: field {key!r} must be a text that is not empty, not {row[key]!r:.80}")
    of = row.get("of", [])
    of = [of] if isinstance(of, str) else of
    if not isinstance(of, list) or ("of" in row and not of):
        raise SymbolError(f"{where}: field 'of' must be a domain or a list of domains, not {row['of']!r:.80}")
    if not is_name(name):
        raise SymbolError(
            f"{where}: not a name (accepted: a letter, then letters, digits and _; no word of Python or of the formulas)"
        )
    return Symbol(
        name, row["latex"], _domain(row["domain"], f"{where}: field 'domain'"), row["meaning"], row.get("defined_by"),
        tuple(_domain(d, f"{where}: field 'of'") for d in of), row.get("computed"),
    )


def _domain(value: Any, where: str) -> Domain:
    accepted = [d.value for d in Domain]
    if value not in accepted:
        raise SymbolError(f"{where} is {value!r:.80} (accepted: {'; '.join(accepted)})")
    return Domain(value)
