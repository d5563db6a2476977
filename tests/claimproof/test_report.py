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
