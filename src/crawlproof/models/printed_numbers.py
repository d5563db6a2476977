"""Printed numbers against exact ones: which decimals agree, and what may have slipped where they don't.

A printed decimal agrees with a value if rounding or cutting off the value at that many decimals gives
it. Lists of integers (thresholds, modes) agree if they are equal. Nothing is compared with a tolerance.

>>> compare("0.66", fmpq(23, 35)), compare("0.65", fmpq(23, 35)), compare("0.67", fmpq(23, 35))
(<Agreement.ROUNDED: 'rounded'>, <Agreement.TRUNCATED: 'truncated'>, <Agreement.DIFFERS: 'differs'>)
"""

from __future__ import annotations

import string
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import sympy as sp
from flint import fmpq

from claimproof.engines.balls import exact_rational

Value = fmpq | tuple[int, ...] | None  # None: can't be computed from what is printed


class Agreement(str, Enum):
    """How a printed number relates to the exact value."""

    EITHER = "rounded or truncated"  # both give what is printed
    ROUNDED = "rounded"
    TRUNCATED = "truncated"
    EQUAL = "equal"
    DIFFERS = "differs"
    UNDECIDED = "undecided"

    @property
    def agrees(self) -> bool:
        return self not in (Agreement.DIFFERS, Agreement.UNDECIDED)


def decimal(text: str) -> fmpq:
    """The number that a decimal stands for."""
    try:
        return exact_rational(Fraction(text))
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{text!r} is not a decimal number") from None


def last_place(text: str) -> fmpq:
    """The unit of the last printed digit: 1/100 for "63.54", 1/10**5 for "6.58e-3"."""
    mantissa, _, exponent = text.lower().partition("e")
    power = int(exponent or 0) - len(mantissa.partition(".")[2])
    return fmpq(10) ** power


def integers(text: str) -> tuple[int, ...]:
    """A printed list of integers; an empty cell is the empty list."""
    return tuple(int(part) for part in text.split(",")) if text else ()


def is_rounded(printed: str, value: fmpq) -> bool:
    """Rounding to the printed decimals gives the printed number (a half may go either way)."""
    return abs(value - decimal(printed)) <= last_place(printed) / 2


def is_truncated(printed: str, value: fmpq) -> bool:
    """Cutting off the value behind the printed decimals gives the printed number."""
    number, negative = decimal(printed), printed.startswith("-")
    if value != 0 and negative != (value < 0):
        return False
    return 0 <= abs(value) - abs(number) < last_place(printed)


def compare(printed: str, value: Value) -> Agreement:
    """The relation of a printed number to the exact value (None: nothing to compare with)."""
    if value is None:
        return Agreement.UNDECIDED
    if isinstance(value, tuple):
        return Agreement.EQUAL if integers(printed) == value else Agreement.DIFFERS
    if not isinstance(value, fmpq):
        raise TypeError(f"an exact value is needed to compare {printed} with, not {value!r}")
    rounded, truncated = is_rounded(printed, value), is_truncated(printed, value)
    if rounded and truncated:
        return Agreement.EITHER
    if rounded:
        return Agreement.ROUNDED
    return Agreement.TRUNCATED if truncated else Agreement.DIFFERS


def as_printed(value: fmpq, decimals: int) -> str:
    """The value cut off behind this many decimals."""
    scaled = abs(value) * 10**decimals
    whole = int(scaled.p) // int(scaled.q)
    digits = str(whole).rjust(decimals + 1, "0")
    point = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    return f"-{point}" if value < 0 and whole else point


def one_up(printed: str) -> str:
    """The next larger number with as many decimals (a check that accepts it too sees no last digit)."""
    decimals = len(printed.partition(".")[2])
    return as_printed(decimal(printed) + last_place(printed), decimals)


@dataclass(frozen=True)
class Cell:
    """One printed number, the exact value, and other values that a slip may have put in its place."""

    place: str
    row: str
    column: str
    printed: str
    value: Value
    candidates: Mapping[str, Value] = field(default_factory=dict, compare=False)

    @property
    def agreement(self) -> Agreement:
        return compare(self.printed, self.value)

    @property
    def right(self) -> str:
        """The exact value as text: lists as they are, numbers cut off at ten decimals."""
        if self.value is None:
            return "unknown"
        if isinstance(self.value, tuple):
            return ",".join(map(str, self.value)) or "none"
        return as_printed(self.value, 10)

    def slips(self) -> list[str]:
        """What may have happened, if the cell differs: each explanation gives exactly what is printed."""
        if self.agreement is not Agreement.DIFFERS:
            return []
        found = [name for name, value in self.candidates.items() if compare(self.printed, value).agrees]
        if isinstance(self.value, fmpq):
            found += self._single_slips(self.value)
        elif self.value is not None and set(integers(self.printed)) < set(self.value):
            found.append("entries left out")
        return found

    def _single_slips(self, value: fmpq) -> Iterator[str]:
        negated = self.printed[1:] if self.printed.startswith("-") else "-" + self.printed
        if compare(negated, value).agrees:
            yield "sign"
        for position, old in enumerate(self.printed):
            for new in string.digits if old in string.digits else ():
                variant = self.printed[:position] + new + self.printed[position + 1:]
                if new != old and compare(variant, value).agrees:
                    yield f"one digit ({variant})"


def bounds(cells: Sequence[Cell]) -> Iterator[tuple[sp.Rel, dict[sp.Symbol, sp.Rational]]]:
    """For each decimal that differs: a bound that the print implies, and the value that breaks it.

    What is printed as p with last place e, rounded or truncated, is of a value x with -e/2 <= x - p < e (for
    x > 0). The witness is x cut off at ten decimals, so the bound is relaxed by that much.
    """
    for cell in cells:
        if cell.agreement is not Agreement.DIFFERS or not isinstance(cell.value, fmpq):
            continue
        if cell.value <= 0:
            raise ValueError(f"{cell.row}, {cell.column}: bounds are for positive values, not {cell.value}")
        symbol = sp.Symbol(cell.column, positive=True)
        printed, unit = _rational(decimal(cell.printed)), _rational(last_place(cell.printed))
        if cell.value < decimal(cell.printed):
            relation = sp.Ge(symbol + sp.Rational(1, 10**10), printed - unit / 2)
        else:
            relation = sp.Lt(symbol, printed + unit)
        yield relation, {symbol: sp.Rational(cell.right)}


def _rational(value: fmpq) -> sp.Rational:
    return sp.Rational(int(value.p), int(value.q))


@dataclass(frozen=True)
class PrintedTable:
    """A table as printed: the first column says what a row is about, the other columns are results."""

    place: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(row[0] for row in self.rows)

    @property
    def results(self) -> tuple[str, ...]:
        return self.columns[1:]

    def printed(self, label: str, column: str) -> str:
        return self.rows[self.labels.index(label)][self.columns.index(column)]

    def cells(
        self, recomputed: Mapping[str, Mapping[str, Value]],
        candidates: Mapping[tuple[str, str], Mapping[str, Value]] | None = None,
    ) -> list[Cell]:
        """All cells that print something, with the recomputed values (by row label and column).

        The values of the rows above and below are always among the candidates for a slip.
        """
        cells = []
        for index, label in enumerate(self.labels):
            neighbours = {
                name: self.labels[other]
                for name, other in (("the row above", index - 1), ("the row below", index + 1))
                if 0 <= other < len(self.rows)
            }
            for column in self.results:
                text = self.printed(label, column)
                value = recomputed[label][column]
                if not text and value in ((), None):
                    continue  # a dash, and there is nothing to say
                others: dict[str, Value] = {
                    f"the value of {name}": recomputed[other][column] for name, other in neighbours.items()
                }
                others.update((candidates or {}).get((label, column), {}))
                cells.append(Cell(self.place, label, column, text, value, others))
        return cells


@dataclass(frozen=True)
class PrintedNumbers:
    """All printed numbers of a section: inputs, numbers in the text, tables."""

    inputs: Mapping[str, Mapping[str, Any]]
    numbers: tuple[Mapping[str, Any], ...]
    tables: Mapping[str, PrintedTable]

    @classmethod
    def load(cls, path: Path) -> PrintedNumbers:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        known = set(data["columns"])
        tables = {}
        for key, table in data["tables"].items():
            if unknown := set(table["columns"]) - known:
                raise ValueError(f"table {key}: column {sorted(unknown)[0]!r} is not described in [columns]")
            for row in table["rows"]:
                if len(row) != len(table["columns"]):
                    raise ValueError(f"table {key}: row {row[0]!r} has {len(row)} cells, not {len(table['columns'])}")
            tables[key] = PrintedTable(table["place"], tuple(table["columns"]), tuple(map(tuple, table["rows"])))
        return cls(data["inputs"], tuple(data["numbers"]), tables)

    def text(self, instance: str, measure: str) -> list[tuple[str, str, str]]:
        """(place, key, printed) of the numbers in the text with this measure."""
        found = [
            (entry["place"], key, printed) for entry in self.numbers
            if (entry["instance"], entry["measure"]) == (instance, measure)
            for key, printed in entry["printed"].items()
        ]
        if not found:
            raise KeyError(f"no printed number {measure!r} of {instance!r}")
        return found

    def text_cells(
        self, instance: str, measure: str, recomputed: Mapping[str, Value],
        candidates: Mapping[str, Mapping[str, Value]] | None = None,
    ) -> list[Cell]:
        """The numbers in the text with this measure, against recomputed values by key."""
        return [
            Cell(place, key, measure, printed, recomputed[key], (candidates or {}).get(key, {}))
            for place, key, printed in self.text(instance, measure)
        ]


def tally(cells: Sequence[Cell]) -> dict[str, int]:
    """How many cells agree, differ, can't be decided."""
    counts = Counter(
        "agree" if c.agreement.agrees else "differ" if c.agreement is Agreement.DIFFERS else "undecided" for c in cells
    )
    return {name: counts[name] for name in ("agree", "differ", "undecided")}


def summary(cells: Sequence[Cell]) -> str:
    """The tally in words: ``96 cells: 89 agree, 7 differ, 0 undecided``."""
    return f"{len(cells)} cells: " + ", ".join(f"{count} {name}" for name, count in tally(cells).items())


def report(cells: Sequence[Cell]) -> str:
    """The tally of each table and column in plain text, and then every cell that does not agree."""
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.place, cell.column), []).append(cell)
    wide, narrow = (max(map(len, names)) + 2 for names in zip(*groups, ("place", "column"), strict=True))
    lines = [f"{'place':<{wide}}{'column':<{narrow}}{'agree':>6}{'differ':>8}{'undecided':>11}"]
    for (place, column), members in groups.items():
        counts = tally(members)
        numbers = f"{counts['agree']:>6}{counts['differ']:>8}{counts['undecided']:>11}"
        lines.append(f"{place:<{wide}}{column:<{narrow}}{numbers}")
    for cell in cells:
        if not cell.agreement.agrees:
            why = "; ".join(cell.slips()) or "no explanation found"
            shown = f"is {cell.right} ({why})" if cell.value is not None else "can't be decided"
            lines.append(f"{cell.place}, {cell.row}, {cell.column}: printed {cell.printed}, {shown}")
    return "\n".join(lines)
