"""What describes no queue, no arrivals, no policy: refused with the place and the value."""

from __future__ import annotations

import numpy as np
import pytest

from crawlproof.queue import Bmap, Costs, ModelError, PhaseType, ThresholdQueue, files

GOOD = files.load("section7").queue
EXPONENTIAL = PhaseType([1], [[-1]])


@pytest.mark.parametrize(("matrices", "message"), [
    ([], "a BMAP needs the matrices D0 and D1"),
    ([[[-1]]], "a BMAP needs the matrices D0 and D1"),
    ([[[-2.48, 0.48], [0.48, 3.48]], [[2, 0], [0, 3]]], "D0, row 2, column 2 is 3.48: the diagonal must not be positive"),
    ([[[-5, -1], [1, -2]], [[6, 0], [0, 1]]], "D0, row 1, column 2 is -1: a rate off the diagonal is negative"),
    ([[[-5, 2], [1, -2]], [[3.01, 0], [0, 1]], [[-0.01, 0], [0, 0]]], "D2, row 1, column 1 is -0.01"),
    ([[[-5, 2], [1, -2]], [[3, 0], [0, 1.5]]], r"D\(1\) = D0 \+ ... \+ D1, row 2 sums to 0.5, not to 0"),
    ([[[-0.0038, 0], [0, -0.0066]], [[0.0037, 6.58e-5], [1.3e-4, 0.0064]]], r"D\(1\).*, row 1 sums to -3.42e-05, not to 0"),
    ([[[-1]], [[1, 0], [0, 1]]], "D1 has 2 rows; 1 are needed"),
    ([[[-1]], [[float("inf")]]], "D1, row 1, column 1 is inf"),
])
def test_what_is_no_bmap(matrices, message):
    with pytest.raises(ModelError, match=message):
        Bmap(matrices)


def test_rounded_rows_are_accepted():
    thirds = Bmap([[[-1 / 3 - 0.1 - 0.2, 0.1], [1 / 7, -1 / 7 - 1 / 3]], [[1 / 3, 0.2], [0, 1 / 3]]])
    assert thirds.moves.tolist() == [[0, 0.1], [1 / 7, 0]]


def test_characteristics_of_poisson_arrivals_in_batches():
    bmap = Bmap([[[-3]], [[2]], [[0]], [[1]]])
    assert (bmap.rate, bmap.batch_rate) == (5, 3)
    assert bmap.interval_variance == pytest.approx(1 / 9, rel=1e-15)
    assert bmap.interval_correlation == pytest.approx(0, abs=1e-15)
    assert bmap.scaled(2).rate == 10


@pytest.mark.parametrize(("changes", "message"), [
    ({"capacity": 0}, "capacity is 0; it counts the page in service"),
    ({"capacity": 2.5}, "capacity is 2.5; it must be a whole number"),
    ({"capacity": True}, "capacity is True"),
    ({"arrivals": []}, "arrivals must be a list with one Bmap"),
    ({"arrivals": GOOD.arrivals[0]}, "arrivals must be a list with one Bmap"),
    ({"arrivals": [GOOD.arrivals[0], Bmap([[[-1]], [[1]]])]}, "arrivals, mode 2, has 1 states, but mode 1 has 2"),
    ({"arrivals": [GOOD.arrivals[0], "x"]}, "arrivals, mode 2, is 'x', not a Bmap"),
    ({"service": 3}, "service is 3, not a PhaseType"),
    ({"obsolescence": 3}, "obsolescence is 3, neither a PhaseType nor None"),
])
def test_what_is_no_queue(changes, message):
    given = {"arrivals": GOOD.arrivals, "service": EXPONENTIAL, "obsolescence": EXPONENTIAL, "capacity": 3} | changes
    with pytest.raises(ModelError, match=message):
        ThresholdQueue(**given)


@pytest.mark.parametrize(("policy", "message"), [
    ({}, "a policy is either active"),
    ({"thresholds": (1,)}, "a policy is either active"),
    ({"active": [1] * 6, "modes": (1,)}, "a policy is either active"),
    ({"active": [1] * 6, "thresholds": (1,)}, "a policy is either active"),
    ({"active": [1] * 5}, "robots for 0 to 5 pages, 6 numbers"),
    ({"active": [1, 1, 1, 1, 1, 5]}, "active, for 5 pages, is 5; there are modes 1 to 4"),
    ({"active": [0, 1, 1, 1, 1, 1]}, "active, for 0 pages, is 0"),
    ({"active": [1.0] * 6}, "active, for 0 pages, is 1.0; it must be a whole number"),
    ({"modes": (3, 1)}, "2 modes need 1 thresholds, not 0"),
    ({"modes": (3, 1), "thresholds": (2, 3)}, "2 modes need 1 thresholds, not 2"),
    ({"modes": (3, 1), "thresholds": (5,)}, "thresholds, entry 1, is 5; it must be in 0 to K - 1 = 4"),
    ({"modes": (3, 1), "thresholds": (-1,)}, "thresholds, entry 1, is -1"),
    ({"modes": (4, 3, 1), "thresholds": (3, 2)}, "thresholds, entry 2, is 2, below the one before it, 3"),
    ({"modes": (4, 3, 1), "thresholds": (1, 1.5)}, "thresholds, entry 2, is 1.5"),
    ({"modes": (4, 4), "thresholds": (1,)}, "each mode can be used once"),
    ({"modes": (3,), "method": "guess"}, "method is 'guess'; there are dense, minimal, sparse, matrix-free"),
])
def test_what_is_no_policy(policy, message):
    with pytest.raises(ModelError, match=message):
        GOOD.solve(**policy)


def test_thresholds_that_coincide_skip_a_mode():
    assert GOOD.active((0, 2, 2), (4, 3, 2, 1)) == (4, 3, 3, 1, 1, 1)
    assert GOOD.solve(modes=(3, 2, 1), thresholds=(2, 2)) == GOOD.solve(modes=(3, 1), thresholds=(2,))
    assert GOOD.solve(active=np.array([3, 3, 3, 1, 1, 1])) == GOOD.solve(modes=(3, 1), thresholds=(2,))


def test_batches_larger_than_the_buffer_lose_what_does_not_fit():
    """Batches of 4 at rate 1 into a system of 2 that is always emptied first: half of them are lost."""
    bmap = Bmap([[[-1]], [[0]], [[0]], [[0]], [[1]]])
    fast = PhaseType([1], [[-(10**12)]])
    measures = ThresholdQueue([bmap], fast, EXPONENTIAL, 2).solve(modes=(1,))
    assert measures.loss == pytest.approx(0.5, rel=1e-11)
    assert measures.arrival_rate == pytest.approx(4, rel=1e-15)


@pytest.mark.parametrize(("value", "message"), [(-1, "the cost of loss is -1.0"), (float("nan"), "the cost of loss is nan"),
                                                ("x", "the cost of loss is 'x'")])
def test_bad_costs(value, message):
    with pytest.raises(ModelError, match=message):
        Costs(loss=value)


def test_a_heavily_loaded_long_queue_does_not_overflow():
    queue = ThresholdQueue([Bmap([[[-(10**6)]], [[10**6]]])], EXPONENTIAL, PhaseType([1], [["-1e-9"]]), 80)
    measures = queue.solve(modes=(1,))
    assert measures.success == pytest.approx(1e-6, rel=1e-5)
    assert measures.loss + measures.obsolescence + measures.success == pytest.approx(1, rel=1e-13)
    assert sum(measures.level_probabilities) == pytest.approx(1, rel=1e-13)


@pytest.mark.parametrize(("method", "message"), [("dense", "too many powers of ten"), ("matrix-free", "sweeps left an error")])
def test_rates_beyond_doubles_are_refused_rather_than_wrong(method, message):
    slow, law = Bmap([[[-1e-240]], [[1e-240]]]), PhaseType([0.5, 0.5], [[-1e240, 1e-240], [0, -1e-240]])
    with pytest.raises(ArithmeticError, match=message):
        ThresholdQueue([slow], law, law, 4).solve(modes=(1,), method=method)
