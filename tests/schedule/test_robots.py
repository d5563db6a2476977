"""Schedules dealt out to several robots: fairness, exact costs, and what is lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlproof import laws, schedule
from crawlproof.formulas import optimal_frequency


@settings(max_examples=60, deadline=None)
@given(sequence=st.lists(st.integers(0, 9), min_size=1, max_size=80), robots=st.integers(1, 10))
def test_dealt_fairly_and_in_order(sequence, robots):
    counts = np.bincount(sequence)
    robots = min(robots, np.count_nonzero(counts))
    dealt = schedule.deal(sequence, robots)
    assert sum(len(s) for s in dealt.sequences) == len(sequence)
    assert max(len(s) for s in dealt.sequences) <= len(sequence) / robots + counts.max()
    for robot, part in enumerate(dealt.sequences):
        assert part.tolist() == [page for page in sequence if dealt.robot[page] == robot]
    assert dealt.imbalance >= 1 - 1e-12


def instance(pages=60, seed=0):
    rates = 0.05 * np.exp(np.random.default_rng(seed).normal(size=pages))
    law = laws.Exponential(mean=1.0)
    kappa = -law.log_laplace(rates)
    sequence = schedule.sequence(optimal_frequency(kappa, kappa.sum()), "most-overdue", length=6000)
    return sequence, rates, law


def test_one_robot_loses_nothing():
    sequence, rates, law = instance()
    found = schedule.evaluate_robots(schedule.deal(sequence, 1), sequence, rates, law)
    alone = schedule.evaluate(sequence, rates, law)
    assert found.cost == pytest.approx(alone.cost, rel=1e-14)
    assert found.loss == pytest.approx(1.0, rel=1e-14)
    assert found.bound == pytest.approx(alone.bound, rel=1e-13)


@pytest.mark.parametrize("robots", [2, 5])
def test_each_robot_is_a_robot_of_its_own(robots):
    sequence, rates, law = instance()
    dealt = schedule.deal(sequence, robots)
    found = schedule.evaluate_robots(dealt, sequence, rates, law)
    assert 1 <= found.ratio < 1.05
    assert 1 <= found.loss < 1.2
    # from the words: every robot works on its own
    simulated = np.empty(len(rates))
    for robot, part in enumerate(dealt.sequences):
        pages = np.flatnonzero(dealt.robot == robot)
        own = schedule.simulate(np.searchsorted(pages, part), change_rate=rates[pages], access_time=law, accesses=20_000)
        simulated[pages] = own.obsolescence
    assert np.sum(rates * simulated) == pytest.approx(found.cost, rel=0.02)


def test_constant_access_times_and_divisible_pages_lose_nothing():
    """Six equal pages among three robots: each comes round to its two as fast as one robot would to six."""
    sequence, law = np.arange(6), laws.Deterministic(1.0)
    found = schedule.evaluate_robots(schedule.deal(sequence, 3), sequence, np.full(6, 0.3), law)
    assert found.loss == pytest.approx(1.0, rel=1e-14)
    assert found.ratio == pytest.approx(1.0, rel=1e-13)


def test_pages_without_a_robot():
    law = laws.Exponential(mean=1.0)
    dealt = schedule.deal([0, 1], 2, pages=3)
    assert dealt.robot.tolist() == [0, 1, -1]
    found = schedule.evaluate_robots(dealt, [0, 1], [0.1, 0.1, 0.1], law, allow_missing=True)
    assert found.obsolescence[2] == 1.0
    with pytest.raises(ValueError, match=r"page 2 .* is never accessed"):
        schedule.evaluate_robots(dealt, [0, 1], [0.1, 0.1, 0.1], law)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="robots must be >= 1, got 0"):
        schedule.deal([0, 1], 0)
    with pytest.raises(ValueError, match="robots must be at most the number of accessed pages, 2, got 3"):
        schedule.deal([0, 1], 3)
    with pytest.raises(ValueError, match="sequence is empty"):
        schedule.deal([], 1)
    with pytest.raises(ValueError, match="change_rate has 3 entries, the deal has 2 pages"):
        schedule.evaluate_robots(schedule.deal([0, 1], 2), [0, 1], [1.0, 1.0, 1.0], laws.Deterministic(1.0))
