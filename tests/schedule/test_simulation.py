"""The simulated model against the exact cost, and against what can be computed by hand."""

import numpy as np
import pytest

from crawlproof import laws, schedule
from crawlproof.formulas import randomized_obsolescence

RATES = np.array([0.5, 0.05, 0.2, 1.0])
SEQUENCE = np.array([0, 1, 0, 2, 3, 0, 3])


@pytest.mark.parametrize("law", [laws.Deterministic(1.0), laws.Exponential(mean=0.5), laws.Uniform(0.0, 2.0)])
def test_agrees_with_lemma_3_1(law):
    exact = schedule.evaluate(SEQUENCE, RATES, law)
    found = schedule.simulate(SEQUENCE, change_rate=RATES, access_time=law, accesses=20_000, replications=20, seed=4)
    # 0.9999 for each of five intervals: a failure by chance is rarer than 1 in 1000 seeds
    wide = schedule.simulate(
        SEQUENCE, change_rate=RATES, access_time=law, accesses=20_000, replications=20, seed=4, confidence=0.9999
    )
    assert (np.abs(wide.obsolescence - exact.obsolescence) <= wide.obsolescence_half_width).all()
    low, high = wide.cost_interval
    assert low <= exact.cost <= high
    assert found.cost == wide.cost
    assert found.cost_half_width < wide.cost_half_width < 0.05 * exact.cost


def test_intervals_cover_as_often_as_they_say():
    law = laws.Exponential(mean=1.0)
    exact = schedule.evaluate(SEQUENCE, RATES, law).cost
    covered = 0
    for seed in range(200):
        found = schedule.simulate(
            SEQUENCE, change_rate=RATES, access_time=law, accesses=1000, replications=8, confidence=0.8, seed=seed
        )
        covered += abs(found.cost - exact) <= found.cost_half_width
    # 160 expected, standard deviation 5.7
    assert 137 <= covered <= 183


def test_randomized_policy_agrees_with_lemma_4_1():
    law = laws.Exponential(mean=1.0)
    frequency = np.array([0.4, 0.1, 0.2, 0.3])
    exact = randomized_obsolescence(frequency, RATES, law.mean, law.log_laplace(RATES))
    found = schedule.simulate(
        "randomized", frequency=frequency, change_rate=RATES, access_time=law, accesses=20_000, confidence=0.9999
    )
    assert (np.abs(found.obsolescence - exact) <= found.obsolescence_half_width).all()


@pytest.mark.parametrize("policy", schedule.POLICIES)
def test_every_policy_agrees_with_its_own_sequence(policy):
    frequency = np.array([0.4, 0.1, 0.2, 0.3])
    law = laws.Gamma(shape=2.0, mean=1.0)
    sequence = schedule.sequence(frequency, policy, length=50_000)
    exact = schedule.evaluate(sequence, RATES, law)
    found = schedule.simulate(policy, frequency=frequency, change_rate=RATES, access_time=law, accesses=20_000)
    assert found.cost == pytest.approx(exact.cost, rel=0.02)


def test_pages_that_never_change_stay_fresh_and_unvisited_ones_go_stale():
    law = laws.Deterministic(1.0)
    found = schedule.simulate([0], change_rate=[0.0, 5.0], access_time=law, accesses=1000, warm_up=100)
    assert found.obsolescence.tolist() == [0.0, 1.0]


def test_same_seed_same_result():
    arguments = {"change_rate": RATES, "access_time": laws.Exponential(mean=1.0), "accesses": 500}
    first, again, other = (schedule.simulate(SEQUENCE, seed=s, **arguments).cost for s in (1, 1, 2))
    assert first == again != other


BAD = [
    ({"policy": "random"}, "unknown policy 'random'"),
    ({"policy": []}, "policy is empty"),
    ({"policy": [0, 9]}, r"policy\[1\] must be a page index from 0 to 3, got 9"),
    ({"frequency": None}, "policy 'most-overdue' needs frequency="),
    ({"frequency": [1.0]}, "frequency has 1 entries, needs 4"),
    ({"accesses": 0}, "accesses must be >= 1, got 0"),
    ({"warm_up": -1}, "warm_up must be >= 0, got -1"),
    ({"replications": 1}, "replications must be >= 2, got 1"),
    ({"confidence": 1.0}, "confidence must be between 0 and 1, got 1.0"),
    ({"access_time": 1.0}, "access_time must be a law"),
    ({"change_rate": [1.0, 1.0, 1.0, float("nan")]}, r"change_rate\[3\] must be finite"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_input_is_named(change, message):
    arguments = {
        "policy": "most-overdue", "frequency": [0.25] * 4, "change_rate": RATES,
        "access_time": laws.Deterministic(1.0), "accesses": 100,
    } | change
    with pytest.raises(ValueError, match=message):
        schedule.simulate(**arguments)
