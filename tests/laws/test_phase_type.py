"""Phase-type laws: what is read, what is refused, moments, lumping."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from crawlproof.laws.phase_type import ModelError, PhaseType


def test_entries_are_read_as_the_decimals_that_were_typed():
    law = PhaseType([0.3, 0.7], [[-0.6, 0.4], [0.1, -0.3]])
    assert law.exit.tolist() == [0.2, 0.2]
    assert law.mean == 5.0


@pytest.mark.parametrize("third", [1 / 3, Fraction(1, 3), "1/3", np.float64(1) / 3])
def test_thirds_are_a_distribution(third):
    assert PhaseType([third] * 3, np.diag([-1, -2, -3])).beta.sum() == pytest.approx(1, rel=1e-15)


def test_moments_of_a_hyperexponential_law():
    law = PhaseType([Fraction(1, 4), Fraction(3, 4)], [[-1, 0], [0, Decimal(-2)]])
    for order, factorial in enumerate([1, 1, 2, 6, 24]):
        assert law.moment(order) == pytest.approx(factorial * (0.25 + 0.75 / 2**order), rel=1e-15)
    assert law.variance == pytest.approx(law.moment(2) - law.mean**2, rel=1e-14)


def test_lumping_finds_the_exponential_law_in_disguise():
    law = PhaseType([0.3, 0.7], [[-0.6, 0.4], [0.1, -0.3]]).lumped()
    assert law.S.tolist() == [[-0.2]]


def test_lumping_keeps_what_differs_and_drops_what_is_never_reached():
    law = PhaseType([0.9, 0.1], [[-1, 0], [0, -2]])
    assert law.lumped() is law
    assert PhaseType([1, 0], [[-1, 0], [0, -2]]).lumped().S.tolist() == [[-1]]
    lumped = PhaseType([0.5, 0.25, 0.25], [[-4, 1, 1], [0, -2, 1], [0, 1.5, -2.5]]).lumped()
    assert lumped.S.tolist() == [[-4, 2], [0, -1]]
    assert lumped.beta.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(("beta", "S", "message"), [
    ([0.4, 0.5], [[-3, 1], [2, -3]], "beta sums to 0.9"),
    ([1.4, -0.4], [[-3, 1], [2, -3]], "beta, entry 2 is -0.4"),
    ([1.0], [[-3, 1], [2, -3]], "beta has 1 entries, but S has 2 rows"),
    ([], [], "S must be a square matrix"),
    ([0.4, 0.6], [[-3, 1], [2]], r"S, row 2 is \[2\]; 2 numbers"),
    ([0.4, 0.6], [[-3, -1], [2, -3]], "S, row 1, column 2 is -1"),
    ([0.4, 0.6], [[-3, 1], [2, 3]], "S, row 2, column 2 is 3"),
    ([0.4, 0.6], [[-3, 3.25], [2, -3]], "S, row 1 sums to 0.25"),
    ([0.4, 0.6], [[-3, 0], [2, -2]], None),
    ([0.4, 0.6], [[-3, 0], [0, 0]], "S, row 2: phase 2 can't reach absorption"),
    ([1], [[float("nan")]], "S, row 1, column 1 is nan"),
    ([1], [["-1e400"]], "S, row 1, column 1 is -1e400; it must be 0 or between 1e-250 and 1e250 in size"),
    ([1], [[-1e-300]], "S, row 1, column 1 is -1e-300; it must be 0 or between"),
    ([1], [[None]], "S, row 1, column 1 is None"),
    ([1], [[True]], "S, row 1, column 1 is True"),
    ([1], [["x"]], "S, row 1, column 1 is 'x'"),
])
def test_what_is_no_law_is_refused_by_place_and_value(beta, S, message):
    if message is None:
        PhaseType(beta, S)
        return
    with pytest.raises(ModelError, match=message):
        PhaseType(beta, S)


def test_a_law_cannot_be_changed():
    law = PhaseType.exponential(2)
    with pytest.raises(ValueError, match="read-only"):
        law.S[0, 0] = 1


def test_minimal_form_of_an_exponential_law_that_no_lumping_finds():
    law = PhaseType(["3/4", "1/4"], [[-1, "1/4"], [0, "-7/4"]])  # beta S = -beta, with exit rates 3/4 and 7/4
    assert law.lumped() is law
    assert law.minimal().S.tolist() == [[-1]]


def test_what_is_minimal_stays():
    law = PhaseType(["1/2", "1/2"], [[-1, 1], [0, -1]])
    assert law.minimal() is law


@pytest.mark.parametrize(("beta", "S"), [
    (["1/4", "1/4", "1/2"], [[-1, 0, 0], [0, -3, 0], [0, 0, -1]]),
    (["1/5", "1/5", "3/5"], [[-2, 1, 0], [0, -1, 0], ["1/3", "1/3", -2]]),
    ([1, 0, 0], [[-3, 1, 1], [0, -2, 0], [0, 0, -2]]),
])
def test_minimal_form_has_the_same_moments(beta, S):
    law = PhaseType(beta, S)
    minimal = law.minimal()
    assert minimal.phases <= law.phases
    for order in range(1, 7):
        assert minimal.moment(order) == pytest.approx(law.moment(order), rel=1e-14)


def test_minimal_form_of_order_two():
    law = PhaseType(["1/2", "1/4", "1/4"], [[-2, "1/2", "1/2"], [0, -1, 0], [0, 0, -3]])
    assert law.lumped() is law
    minimal = law.minimal()
    assert minimal.phases == 2
    for order in range(1, 7):
        assert minimal.moment(order) == pytest.approx(law.moment(order), rel=1e-14)


@pytest.mark.parametrize(("beta", "S"), [
    (["1/4", "3/4"], [[-2, 0.5], [1.5, -1.6]]),
    ([1, 0], [[-1, 1], [1, -1.001]]),
    ([0, 1], [[-1000, 1], [0.001, -0.002]]),
])
def test_forward_form(beta, S):
    law = PhaseType(beta, S)
    forward = law.forward()
    assert forward.S[1, 0] == 0
    for order in range(1, 7):
        assert forward.moment(order) == pytest.approx(law.moment(order), rel=1e-14)


def test_forward_form_of_what_has_it():
    law = PhaseType([0.9, 0.1], [[-1, 0.5], [0, -2]])
    assert law.forward() is law
