"""Robots that are stopped, modes that are reducible by themselves, pages that never become obsolete."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from crawlproof.queue import Bmap, Costs, ModelError, PhaseType, ThresholdQueue, files

Q = Fraction
ZERO = [[0, 0], [0, 0]]
MOVING = [[[-1, 1], [2, -2]], ZERO]
FROZEN = [ZERO, ZERO]
ONE_WAY = [[[-3, 1], [0, -1]], [[1, 1], [0, 1]]]  # from phase 2 nothing leads back
BACK = [[[-2, 0], [1, -2]], [[2, 0], [1, 0]]]
BOTH = [[[-1.5, 0.5], [0.25, -2]], [[0.75, 0], [0.5, 1]], [[0, 0.25], [0, 0.25]]]
SERVICE = (["0.4", "0.6"], [["-3", "1"], ["2", "-3"]])
CLOCK = (["0.9", "0.1"], [["-1", "0"], ["0", "-0.025"]])


def queue(modes, obsolescence=CLOCK, capacity=3, robots=None):
    law = None if obsolescence is None else PhaseType(*obsolescence)
    return ThresholdQueue([Bmap(m) for m in modes], PhaseType(*SERVICE), law, capacity, robots)


@pytest.mark.parametrize(("modes", "active"), [
    ([MOVING, BOTH], (1, 1, 0, 0)),
    ([FROZEN, BOTH], (1, 0, 0, 0)),
    ([FROZEN, BOTH], (1, 0, 1, 0)),
    ([ONE_WAY, BACK], (0, 1, 0, 1)),
    ([ONE_WAY, BACK], (1, 1, 0, 0)),
    ([ONE_WAY, BACK], (0, 0, 0, 0)),  # phase 1 is left for good
    ([BACK, ONE_WAY], (0, 0, 0, 0)),  # and so is phase 2, the other way round
])
@pytest.mark.parametrize("obsolescence", [CLOCK, None], ids=["obsolescence", "none"])
@pytest.mark.parametrize("method", ["dense", "minimal"])
def test_measures_against_the_words(words, modes, active, obsolescence, method):
    exact = words.Queue(modes, SERVICE, obsolescence, 3, lambda s: active[s[0]], robots=[0, 1])
    found = queue(modes, obsolescence, robots=[0, 1]).solve(active=active, method=method)
    error, by_name = words.worst(found, exact.measures())
    assert error <= 1e-12, by_name
    assert found.active == active


@pytest.mark.parametrize("method", ["sparse", "matrix-free"])
def test_iterations_without_obsolescence(words, method):
    active = (1, 1, 0, 0)
    exact = words.Queue([MOVING, BOTH], SERVICE, None, 3, lambda s: active[s[0]], robots=[0, 1])
    found = queue([MOVING, BOTH], None, robots=[0, 1]).solve(active=active, method=method)
    assert words.worst(found, exact.measures())[0] <= 1e-11


def test_the_numbers_of_robots_are_those_that_are_given():
    stopped = queue([FROZEN, BOTH, ONE_WAY], robots=[0, 1, 2])
    measures = stopped.solve(modes=(1, 0), thresholds=(1,))
    assert measures.active == (1, 1, 0, 0)
    assert measures.active_robots == pytest.approx(sum(measures.level_probabilities[:2]), rel=1e-14)
    best = stopped.optimise(Costs(loss=50, robot=3, starvation=5), modes=[(1, 0), (1,)])
    assert [row.modes for row in best.table] == [(1, 0), (1,)]


def test_the_optimum_passes_over_policies_without_a_long_run(words):
    """Against all thresholds in rationals: a system that stops when it is empty is no candidate."""
    costs = {"loss": 50, "robot": 3, "starvation": 5, "sojourn": 1}
    model = queue([MOVING, BOTH], robots=[0, 1])
    best = model.optimise(Costs(**costs))
    assert [row.modes for row in best.table] == [(1,), (1, 0)]

    def cost(active):
        m = words.Queue([MOVING, BOTH], SERVICE, CLOCK, 3, lambda s: active[s[0]], robots=[0, 1]).measures()
        return m.arrival_rate * 50 * m.loss + m.sojourn_served + 3 * m.active_robots + 5 * m.starvation

    exact = {active: cost(active) for active in [(1, 1, 1, 1), (1, 0, 0, 0), (1, 1, 0, 0), (1, 1, 1, 0)]}
    assert best.active == min(exact, key=exact.__getitem__)
    assert best.cost == pytest.approx(float(min(exact.values())), rel=1e-13)


@pytest.mark.parametrize(("modes", "robots", "policy", "message"), [
    ([FROZEN, BOTH], [0, 1], (0, 1, 1, 1), r"active is \(0, 1, 1, 1\): the chain is reducible, .* phases 1 and 2"),
    ([MOVING, BOTH], [0, 1], (0, 1, 1, 1), r"active is \(0, 1, 1, 1\): no page ever arrives"),
    ([MOVING, BOTH], [0, 1], (0, 2, 1, 1), "active, for 1 pages, is 2; there are modes 0, 1"),
    ([[[[-1, 0], [0, -1]], [[1, 0], [0, 1]]]], None, (1, 1, 1, 1), "the chain is reducible"),
])
def test_policies_without_a_long_run(modes, robots, policy, message):
    with pytest.raises(ModelError, match=message):
        queue(modes, robots=robots).solve(active=policy)


@pytest.mark.parametrize(("modes", "robots", "message"), [
    ([FROZEN, BOTH], [0], r"robots is \[0\]; it must list the robots of each mode, 2 numbers"),
    ([FROZEN, BOTH], 3, "robots is 3"),
    ([FROZEN, BOTH], [0, -1], "robots, entry 2, is -1; it must not be negative"),
    ([FROZEN, BOTH], [1, 1], "robots, entry 2, is 1 again"),
    ([FROZEN, BOTH], [0, 1.5], "robots, entry 2, is 1.5; it must be a whole number"),
    ([FROZEN, MOVING], [0, 1], "no mode ever delivers"),
])
def test_what_is_no_queue(modes, robots, message):
    with pytest.raises(ModelError, match=message):
        queue(modes, robots=robots)


def test_every_small_policy_is_refused_or_right(words):
    """All 3^4 policies of a stopped, a one-way and an ordinary mode: the structure decides as the rationals do."""
    modes = [FROZEN, ONE_WAY, BOTH]
    model = queue(modes, CLOCK, robots=[0, 1, 2])
    for active in product(range(3), repeat=4):
        exact = words.Queue(modes, (["1"], [["-2"]]), (["1"], [["-1"]]), 3, lambda s, a=active: a[s[0]])
        try:
            law = exact.law_of_states
            alive = any(p != 0 for s, p in law.items() if s[0])
        except ZeroDivisionError:
            alive = False
        try:
            model.solve(active=active)
        except ModelError:
            assert not alive, active
        else:
            assert alive, active


def test_characteristics_that_need_a_long_run():
    with pytest.raises(ModelError, match=r"D\(1\), row 1: the chain is reducible, state 1 never leads to state 2, nor back"):
        _ = Bmap([[[-1, 0], [0, -1]], [[1, 0], [0, 1]]]).rate
    with pytest.raises(ModelError, match="the process never delivers: there are no intervals, as rates in D1 to D1 are 0"):
        _ = Bmap(MOVING).scv
    assert Bmap(MOVING).rate == 0
    assert Bmap(ONE_WAY).phase_probabilities.tolist() == [0, 1]


def test_correlations_against_sampled_intervals_and_rationals():
    bmap = files.load("section7").queue.arrivals[0]
    # The embedded chain of batches, in exact numbers.
    D0 = [[Q(-10), Q(2)], [Q(0), Q(-1, 2)]]
    with_batch = [[Q("0.1"), Q("7.9")], [Q("0.49"), Q("0.01")]]
    det = D0[0][0] * D0[1][1] - D0[0][1] * D0[1][0]
    inverse = [[-D0[1][1] / det, D0[0][1] / det], [D0[1][0] / det, -D0[0][0] / det]]
    step = [[sum(inverse[i][k] * with_batch[k][j] for k in range(2)) for j in range(2)] for i in range(2)]
    first = step[1][0] / (step[0][1] + step[1][0])
    start = [first, 1 - first]
    mean = [sum(row) for row in inverse]
    m1 = sum(s * m for s, m in zip(start, mean, strict=True))
    second = [2 * sum(inverse[i][k] * mean[k] for k in range(2)) for i in range(2)]
    variance = sum(s * m for s, m in zip(start, second, strict=True)) - m1**2
    assert bmap.scv == pytest.approx(float(variance / m1**2), rel=1e-15)
    weights = [sum(start[i] * inverse[i][j] for i in range(2)) for j in range(2)]
    later = mean
    for lag in range(1, 40):
        later = [sum(step[i][j] * later[j] for j in range(2)) for i in range(2)]
        exact = (sum(w * v for w, v in zip(weights, later, strict=True)) - m1**2) / variance
        assert bmap.correlation(lag) == pytest.approx(float(exact), rel=1e-15), lag
    rng = np.random.default_rng(1)
    rates, state, times = bmap.matrices, 0, []
    leave = -np.diag(rates[0])
    targets = np.hstack([bmap.moves, bmap.batches.sum(axis=0)]) / leave[:, None]
    elapsed = 0.0
    while len(times) < 40_000:
        elapsed += rng.exponential(1 / leave[state])
        to = rng.choice(4, p=targets[state])
        if to >= 2:
            times.append(elapsed)
            elapsed = 0.0
        state = to % 2
    assert np.corrcoef(times[:-1], times[1:])[0, 1] == pytest.approx(bmap.correlation(1), abs=0.03)
    assert np.var(times) / np.mean(times) ** 2 == pytest.approx(bmap.scv, rel=0.05)


@pytest.mark.parametrize(("lag", "message"), [(0, "lag is 0; it must be 1 at least"), (-3, "lag is -3"), (1.5, "lag is 1.5"),
                                              (True, "lag is True"), (5000, "lag is 5000; exact correlations")])
def test_bad_lags(lag, message):
    with pytest.raises(ModelError, match=message):
        Bmap(BOTH).correlation(lag)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices_and_row_vectors_of_other_packages():
    beta, S = np.matrix("0.4 0.6"), np.matrix("-3 1; 2 -3")
    expected = PhaseType([0.4, 0.6], [[-3, 1], [2, -3]])
    for law in (PhaseType(beta, S), PhaseType([[0.4, 0.6]], S), PhaseType(beta.T, S.tolist()), PhaseType(np.array(beta), S)):
        assert law.beta.tolist() == expected.beta.tolist()
        assert law.S.tolist() == expected.S.tolist()
    bmap = Bmap([np.matrix(m) for m in BOTH])
    assert [m.tolist() for m in bmap.matrices] == [m.tolist() for m in Bmap(BOTH).matrices]
    with pytest.raises(ModelError, match=r"beta must be a non-empty list of numbers|beta, entry 1"):
        PhaseType(np.eye(2), S)
    with pytest.raises(ModelError, match="D1 has 1 rows; 2 are needed"):
        Bmap([np.matrix(BOTH[0]), np.matrix("1 0")])
