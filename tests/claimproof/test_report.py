"""What people read of the ledger."""

from __future__ import annotations

import pytest

from claimproof import report


@pytest.mark.parametrize("length", [report.LONGEST_RELATION, report.LONGEST_RELATION + 1])
def test_a_relation_that_nobody_would_read_is_left_to_the_notebook(length):
    relation = "x" * length
    text = report.witness_text({"at": {"K": "2"}, "left": "14", "right": "6", "asserted": relation})
    assert text.startswith("K = 2: left 14, right 6, though ")
    assert (relation in text) == (length <= report.LONGEST_RELATION)
    assert (f"of {length} characters" in text) == (length > report.LONGEST_RELATION)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("27/32 = 0.84375", "left 27/32 = 0.84375,"),
        ("123456789012345678/1234567890123456789 = 0.0999999999", "left about 0.0999999999,"),
        ("exp(-1/3)*sqrt(2)*log(5)/(3 + exp(2)) ~ 0.15698", "left about 0.15698,"),
    ],
)
def test_a_number_that_nobody_would_read_is_told_by_its_digits(value, shown):
    text = report.witness_text({"at": {"x": "1/2"}, "left": value, "right": "6", "asserted": "x == y"})
    assert shown in text
    assert text.endswith("though x = y is asserted")


def test_a_long_witness_is_told_by_its_digits():
    at = {"x": "1234567890123456789/12345678901234567890"}
    assert report.witness_text({"at": at, "left": "1", "right": "6", "asserted": "x"}).startswith("x = about 0.1: left 1")


@pytest.mark.parametrize("asserted", ["Eq(x, y)", "Piecewise((1, Eq(n, 0)), (2, True)) == y"])
def test_no_machine_form_is_read_by_people(asserted):
    text = report.witness_text({"at": {}, "left": "1", "right": "2", "asserted": asserted})
    assert text == "left 1, right 2, though a relation, which the notebook states, is asserted"
