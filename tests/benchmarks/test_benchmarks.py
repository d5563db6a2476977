"""A ratio means something only if both sides compute the same: peers agree with ours on small instances."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from crawlproof import schedule

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def bench():
    """The modules run and peers, found where `make bench` finds them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        yield importlib.import_module("run"), importlib.import_module("peers")


def test_relaxed_optimum(bench):
    run, peers = bench
    rate, weight = run.instance(300)
    worth, kappa = run.worth_and_kappa(rate, weight)
    plan = run.solve(rate, weight)
    assert peers.relaxed_cost(weight, worth, kappa, plan.frequency) == pytest.approx(plan.cost, rel=1e-13)
    assert 0 < plan.dropped.sum() < 300
    np.testing.assert_allclose(peers.lambert_newton(worth, kappa), plan.frequency, atol=1e-9)
    found = peers.relaxed_cost(weight, worth, kappa, peers.trust_constr(worth, kappa))
    assert plan.cost - plan.gap <= found <= plan.cost * (1 + 1e-5)


def test_water_filling(bench):
    run, peers = bench
    rate, weight = run.instance(300)
    inverse = np.expm1(-run.ACCESS_TIME.log_laplace(rate))
    found = peers.loop_water_filling(weight.tolist(), rate.tolist(), inverse.tolist())
    np.testing.assert_allclose(found, run.solve(rate, weight, "randomized").frequency, atol=1e-11)


def test_heap_makes_the_random_phase_schedule(bench):
    run, peers = bench
    frequency = run.solve(run.instance(50)[0], None).frequency
    due = np.random.default_rng(3).random(50) / frequency
    expected = schedule.sequence(frequency, "random-phase", length=2000, seed=3)
    np.testing.assert_array_equal(peers.heap_schedule(frequency, due, 2000), expected)


def test_change_rates(bench):
    _, peers = bench
    intervals = [[1.0, 2.0, 0.5], [1.0, 3.0], [2.0, 1.0]]
    changed = [[True, False, True], [False, False], [True, True]]
    found = schedule.estimate_rates(
        {"page": [0, 0, 0, 1, 1, 2, 2], "interval": np.concatenate(intervals), "changed": np.concatenate(changed)},
        method="maximum-likelihood", confidence=0.95,
    )
    rates, lows, highs = peers.loop_rates(intervals, changed, 3.841458820694124 / 2)
    np.testing.assert_allclose(found.rate, rates, rtol=1e-10)
    np.testing.assert_allclose(found.low, lows, rtol=1e-9)
    np.testing.assert_allclose(found.high, highs, rtol=1e-9)


def test_queue(bench):
    run, peers = bench
    queue, active = run.shipped_queue(4)
    generator = run.dense_generator(queue, active)
    assert np.abs(generator.sum(axis=1)).max() < 1e-13
    exact = run._levels(queue, peers.gth(generator))
    np.testing.assert_allclose(queue.solve(active=active).level_probabilities, exact, rtol=1e-12)


def test_misses_are_said_plainly(bench):
    run, _ = bench
    rows = [
        run.Row("a", "1", "peer", 120.0, run.Goal(100)),
        run.Row("b", "1", "peer", 50.0, run.Goal(100)),
        run.Row("c", "1", "limit", 45.0, run.Goal(30, at_most=True)),
        run.Row("d", "1", "absent", None, run.Goal(5)),
    ]
    assert [row.cells()[5] for row in rows] == ["reached", "missed by 2×", "missed by 1.5×", "not measured"]
    told = run.summary(rows)
    assert told.startswith("1 of 3 goals reached. Missed: b at 1 against peer (50×, goal ≥ 100×); c at 1")
    assert "Not measured: d against absent" in told


def test_the_machine_is_not_named(bench):
    run, _ = bench
    import os
    import platform

    told = run.machine()
    assert f"{os.cpu_count()} cores" in told
    assert platform.node() not in told
    assert str(FOLDER) not in told


def test_memory_of_a_process_is_measured(bench):
    run, _ = bench
    if not run.MEASURES_MEMORY:
        pytest.skip("needs Linux's /proc")
    before = run._reset_peak()
    taken = np.ones(20_000_000)
    grown = run._peak() - before
    assert 0.9 * taken.nbytes < grown < 1.5 * taken.nbytes
