"""The comparison of printed with exact numbers: every way to be wrong is seen, every way to be right is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest
import sympy as sp
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from claimproof.core.project import Project
from crawlproof.models.printed_numbers import (
    Agreement,
    Cell,
    PrintedNumbers,
    PrintedTable,
    as_printed,
    bounds,
    compare,
    decimal,
    integers,
    last_place,
    one_up,
    report,
    summary,
    tally,
)

PRINTED = PrintedNumbers.load(Project.find(Path(__file__).parent).derivations / "adkns" / "printed.toml")


@pytest.mark.parametrize(
    ("printed", "value", "expected"),
    [
        ("0.66", fmpq(23, 35), Agreement.ROUNDED),
        ("0.65", fmpq(23, 35), Agreement.TRUNCATED),
        ("0.67", fmpq(23, 35), Agreement.DIFFERS),
        ("0.64", fmpq(23, 35), Agreement.DIFFERS),
        ("63.54", fmpq(6354254769, 10**8), Agreement.EITHER),
        ("63.54", fmpq(6354, 100), Agreement.EITHER),
        ("-0.218", fmpq(-21830182, 10**8), Agreement.EITHER),
        ("0.218", fmpq(-21830182, 10**8), Agreement.DIFFERS),
        ("-0.219", fmpq(-21830182, 10**8), Agreement.DIFFERS),
        ("110", fmpq(1100090, 10**4), Agreement.EITHER),
        ("0", fmpq(-1, 3), Agreement.ROUNDED),
        ("0.5", fmpq(45, 100), Agreement.ROUNDED),  # a half may be rounded either way
        ("0.4", fmpq(45, 100), Agreement.EITHER),
        ("1.3e-4", fmpq(128, 10**6), Agreement.ROUNDED),
        ("2,2", (2, 2), Agreement.EQUAL),
        ("2", (2, 2), Agreement.DIFFERS),
        ("", (), Agreement.EQUAL),
        ("", (1,), Agreement.DIFFERS),
        ("1.0", None, Agreement.UNDECIDED),
    ],
)
def test_compare(printed, value, expected):
    assert compare(printed, value) is expected


def test_floats_are_refused():
    with pytest.raises(TypeError, match=r"an exact value is needed to compare 0\.5 with, not 0\.5"):
        compare("0.5", 0.5)


@pytest.mark.parametrize("text", ["", "1,2", "abc", "1/0"])
def test_what_is_no_decimal(text):
    with pytest.raises(ValueError, match="not a decimal number"):
        decimal(text)


exact_values = st.builds(lambda p, q: fmpq(p, q), st.integers(-10**9, 10**9), st.integers(1, 10**6))


@given(exact_values, st.integers(0, 8))
def test_cutting_off_is_recognised_and_two_units_are_not(value, decimals):
    text = as_printed(value, decimals)
    assert compare(text, value).agrees or (value < 0 and decimal(text) == 0)  # "-0" is never printed
    shifted = as_printed(decimal(text) + 2 * last_place(text), decimals)
    if value >= 0:
        assert compare(shifted, value) is Agreement.DIFFERS


@given(st.integers(0, 10**6), st.integers(0, 6))
def test_one_up_is_one_unit(number, decimals):
    text = as_printed(fmpq(number, 10**decimals), decimals)
    assert decimal(one_up(text)) - decimal(text) == last_place(text)


def cell(printed, value, **candidates):
    return Cell("Table 0", "row", "cost", printed, value, candidates)


def test_slips_are_found():
    value = fmpq(5107741, 10**5)
    assert cell("51.07", value).slips() == []
    assert cell("52.07", value).slips() == ["one digit (51.07)"]
    assert cell("-51.07", value).slips() == ["sign"]
    assert cell("80.50", value, copied=fmpq(8050597, 10**5)).slips() == ["copied"]
    assert cell("99.99", value).slips() == []
    assert cell("1,3", (1, 3, 4)).slips() == ["entries left out"]
    assert cell("2", (1,)).slips() == []
    assert cell("51.07", None).slips() == []


def test_bounds_are_broken_by_their_witness_and_only_made_for_differing_cells():
    too_small, too_large = cell("51.00", fmpq(5107741, 10**5)), cell("51.09", fmpq(5107741, 10**5))
    found = list(bounds([cell("51.07", fmpq(5107741, 10**5)), too_small, too_large, cell("1.0", None)]))
    assert len(found) == 2
    assert all(relation.subs(witness) == False for relation, witness in found)  # noqa: E712  (a SymPy truth value)


def test_the_bound_holds_for_every_value_that_agrees():
    [(relation, witness)] = bounds([cell("51.09", fmpq(5107741, 10**5))])
    [symbol] = witness
    assert relation.subs(symbol, sp.Rational("51.0850000001"))
    assert relation.subs(symbol, sp.Rational("51.0999"))


def test_tally_and_report():
    cells = [cell("51.07", fmpq(5107741, 10**5)), cell("52.07", fmpq(5107741, 10**5)), cell("1.0", None)]
    assert tally(cells) == {"agree": 1, "differ": 1, "undecided": 1}
    assert summary(cells) == "3 cells: 1 agree, 1 differ, 1 undecided"
    lines = report(cells).splitlines()
    assert lines[1].split() == ["Table", "0", "cost", "1", "1", "1"]
    assert "printed 52.07, is 51.0774100000 (one digit (51.07))" in lines[2]
    assert "printed 1.0, can't be decided" in lines[3]


def test_neighbouring_rows_are_candidates_and_dashes_are_left_out():
    table = PrintedTable("Table 0", ("row", "cost", "thresholds"), (("a", "2.0", ""), ("b", "2.0", "1")))
    cells = table.cells({"a": {"cost": fmpq(1), "thresholds": ()}, "b": {"cost": fmpq(2), "thresholds": (1,)}})
    assert [(c.row, c.column) for c in cells] == [("a", "cost"), ("b", "cost"), ("b", "thresholds")]
    assert cells[0].slips() == ["the value of the row below", "one digit (1.0)"]


def test_a_missing_cell_that_should_print_something_differs():
    table = PrintedTable("Table 0", ("row", "thresholds"), (("a", ""),))
    [only] = table.cells({"a": {"thresholds": (1,)}})
    assert only.agreement is Agreement.DIFFERS


def test_all_printed_numbers_can_be_read():
    for table in PRINTED.tables.values():
        for label in table.labels:
            for column in table.results:
                text = table.printed(label, column)
                assert integers(text) is not None if column in ("modes", "threshold", "thresholds") else decimal(text) >= 0
    assert sum(len(entry["printed"]) for entry in PRINTED.numbers) == 56
    assert sum(bool(text) for table in PRINTED.tables.values() for row in table.rows for text in row[1:]) == 446


def test_unknown_measure():
    with pytest.raises(KeyError, match="no printed number 'nothing' of 'first'"):
        PRINTED.text("first", "nothing")


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        ('[["1"]]', '["a", "b"]', "row '1' has 1 cells, not 2"),
        ('[["1", "2"]]', '["a", "c"]', "column 'c' is not described"),
    ],
)
def test_broken_files(tmp_path, rows, columns, message):
    path = tmp_path / "printed.toml"
    path.write_text(
        f'numbers = []\n[inputs]\n[columns]\na = "first"\nb = "second"\n[tables.1]\nplace = "T"\ncolumns = {columns}\nrows = {rows}\n',
        encoding="utf-8",
    )
    with pytest.raises(ValueError, match=message):
        PrintedNumbers.load(path)
