"""Chains too large for a matrix, checked against what is known of them by other ways."""

from __future__ import annotations

import numpy as np
import pytest

from crawlproof.queue import Bmap, ModelError, NotConverged, PhaseType, ThresholdQueue, files, matrix_free
from crawlproof.queue.kronecker import padded_batches
from crawlproof.queue.measures import measures, rates, totals
from crawlproof.queue.model import by_level

NAMES = ("arrival_rate", "loss", "obsolescence", "success", "starvation", "active_robots", "sojourn", "sojourn_served",
         "sojourn_obsolete")
EXAMPLE = files.load("section7").queue
HYPER = PhaseType([0.9, 0.1], [[-1, 0], ["0", "-1/41"]])
CYCLIC = PhaseType(["1/4", "3/4"], [[-2, 0.5], [1.5, -1.6]])


def queue(obsolescence: PhaseType, capacity: int) -> ThresholdQueue:
    return ThresholdQueue(EXAMPLE.arrivals, EXAMPLE.service, obsolescence, capacity)


def assert_same(one, other, limit):
    for name in NAMES:
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=limit, abs=0), name
    assert one.level_probabilities == pytest.approx(other.level_probabilities, rel=limit, abs=0)


@pytest.mark.parametrize("law", [HYPER, CYCLIC], ids=["hyperexponential", "cyclic"])
@pytest.mark.parametrize("modes", [(3, 1), (4, 2)])
def test_agrees_with_the_recursion(law, modes):
    model = queue(law, 8)
    swept = model.solve(modes=modes, thresholds=(2,), method="matrix-free")
    assert_same(swept, model.solve(modes=modes, thresholds=(2,), method="dense"), 1e-11)


def test_agrees_with_sparse_elimination_beyond_the_recursion():
    model = queue(HYPER, 10)
    policy = {"modes": (3, 1), "thresholds": (3,)}
    swept = model.solve(**policy)
    assert swept.method == "matrix-free"
    assert swept.states == 4094
    assert_same(swept, model.solve(**policy, method="sparse"), 1e-11)


def test_words_of_phases_that_do_not_matter():
    """Both phases end at the same rate: 65534 states, of which the sweeps know nothing, against 58 after lumping."""
    capacity = 14
    model = queue(EXAMPLE.obsolescence, capacity)
    active = model.active((3,), (3, 1))
    policy = np.array(active) - 1
    problem = matrix_free.Problem(model.arrivals, model.service, model.obsolescence, capacity, policy)
    law, error = matrix_free.stationary(problem, 1e-12, lambda sweep, error: None)
    fate = matrix_free.of_waiting_pages(model.service, model.obsolescence, capacity)
    laws = matrix_free.by_level(problem, law)
    sums = totals(laws, by_level(policy[None]), model.modes, model.service, model.obsolescence, fate)
    found = rates(sums, padded_batches(model.arrivals), model.robots)
    swept = measures(found, [active], [lambda: None], method="", states=len(law), error=error)[0]
    assert swept.states == 65534
    small = model.solve(active=active)
    assert small.states == 58
    assert_same(swept, small, 1e-11)


@pytest.mark.parametrize(("law", "same"), [(EXAMPLE.obsolescence, True), (HYPER, False)], ids=["exponential", "not"])
def test_counts_of_phases_are_not_enough(law, same):
    """Counts with a head of random letter, that is service in random order, give the right levels of an exponential law
    in disguise, and wrong ones otherwise: order matters, and the chain can't be lumped to counts."""
    model = queue(law, 6)
    active = model.active((2,), (3, 1))
    problem = matrix_free.Problem(model.arrivals, model.service, law, 6, np.array(active) - 1)
    counted = problem.counted
    found = np.repeat(counted.words[:, None], problem.width, axis=1)
    shares = counted.counts / np.maximum(counted.level - 1, 1)[:, None]
    guess = np.ones(problem.offsets[-1])
    matrix_free.Correction(problem).apply(guess, found, found[:, None, :] * shares[:, :, None])
    random_order = np.add.reduceat(guess, problem.offsets[:-1])
    in_order = model.solve(active=active).level_probabilities
    apart = max(abs(random_order / in_order - 1))
    assert apart < 1e-12 if same else apart > 1e-3


def test_balances_that_no_method_uses():
    """What arrives leaves; times of served and obsolete pages make up the mean number, by Little's law."""
    m = queue(CYCLIC, 15).solve(modes=(4, 1), thresholds=(4,))
    assert m.states > 100_000
    assert m.loss + m.obsolescence + m.success == pytest.approx(1, rel=1e-13)
    number = sum(k * p for k, p in enumerate(m.level_probabilities))
    assert m.arrival_rate * m.sojourn == pytest.approx(number, rel=1e-12)
    assert m.success * m.sojourn_served + m.obsolescence * m.sojourn_obsolete == pytest.approx(m.sojourn, rel=1e-12)


def test_a_larger_buffer_changes_little_once_losses_are_rare():
    small, large = (queue(HYPER, capacity).solve(modes=(3, 1), thresholds=(2,)) for capacity in (14, 16))
    assert large.loss < small.loss < 2e-5
    assert large.success == pytest.approx(small.success, rel=1e-4)


def test_says_when_it_does_not_converge(monkeypatch):
    monkeypatch.setattr(matrix_free, "SWEEPS", 5)
    with pytest.raises(NotConverged, match="5 sweeps left an error of"):
        queue(HYPER, 8).solve(modes=(3, 1), thresholds=(2,), method="matrix-free")


def test_elimination_steps_in_when_sweeps_fail(monkeypatch):
    model = queue(HYPER, 9)
    expected = model.solve(modes=(4,), method="matrix-free")
    monkeypatch.setattr(matrix_free, "SWEEPS", 5)
    found = model.solve(modes=(4,))
    assert found.method == "sparse"
    assert_same(found, expected, 1e-11)


def test_what_is_too_large_is_refused_before_it_is_tried():
    with pytest.raises(ModelError, match=r"capacity 40 with 2 phases of obsolescence needs 6\.55e\+04 GB"):
        queue(HYPER, 40).solve(modes=(3,))
    with pytest.raises(ModelError, match="method 'sparse' is for 20,000 states at most"):
        queue(HYPER, 14).solve(modes=(3,), method="sparse")
    with pytest.raises(ModelError, match="by method 'dense'"):
        queue(HYPER, 16).solve(modes=(3,), method="dense")


def test_progress_is_reported():
    seen = []
    queue(HYPER, 9).solve(modes=(3, 1), thresholds=(2,), progress=lambda share, words: seen.append((share, words)))
    shares = [share for share, _ in seen]
    assert 0 <= min(shares) <= max(shares) <= 1
    assert shares[-1] > 0.9
    assert "sweep" in seen[0][1]


def wild_law(rng: np.random.Generator, phases: int) -> PhaseType:
    moves = 10 ** rng.uniform(-2, 2, (phases, phases)) * (rng.random((phases, phases)) < 0.6)
    np.fill_diagonal(moves, 0)
    leave = 10 ** rng.uniform(-2, 2, phases)
    return PhaseType(rng.dirichlet(np.ones(phases)), moves - np.diag(moves.sum(axis=1) + leave))


def wild_arrivals(rng: np.random.Generator, states: int) -> Bmap:
    rates = 10 ** rng.uniform(-2, 2, (4, states, states)) * (rng.random((4, states, states)) < 0.5)
    rates[:2] += 0.1
    np.fill_diagonal(rates[0], 0)
    rates[0] -= np.diag(rates.sum(axis=(0, 2)))
    return Bmap(rates)


@pytest.mark.parametrize("seed", range(12))
def test_rates_over_four_powers_of_ten(seed):
    """Rare phases with large rates: what sweeps and their estimate of the error must not overlook."""
    rng = np.random.default_rng(seed)
    model = ThresholdQueue([wild_arrivals(rng, 2) for _ in range(2)], wild_law(rng, 2), wild_law(rng, 2 + seed % 2), 4)
    active = rng.integers(1, 3, 5)
    swept = model.solve(active=active, method="matrix-free")
    exact = model.solve(active=active, method="dense")
    assert_same(swept, exact, 2e-12)
