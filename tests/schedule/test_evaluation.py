"""Costs of schedules against Lemma 3.1 in 60 digits, against the bound, and against each other."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlproof import laws, schedule
from crawlproof.formulas import optimal_frequency, randomized_obsolescence

LAWS = [laws.Deterministic(1.0), laws.Exponential(mean=0.3), laws.Gamma(shape=3.5, mean=2.0)]


def exact_transform(law, rate):
    rate, mean = mpmath.mpf(float(rate)), mpmath.mpf(law.mean)
    if isinstance(law, laws.Deterministic):
        return mpmath.exp(-rate * mean)
    shape = mpmath.mpf(3.5) if isinstance(law, laws.Gamma) else 1
    return (1 + rate * mean / shape) ** -shape


def exact_obsolescence(sequence, rates, law):
    length, mean = len(sequence), mpmath.mpf(law.mean)
    result = []
    for page, rate in enumerate(rates):
        places = np.flatnonzero(np.asarray(sequence) == page)
        gaps = np.diff(places, append=places[0] + length)
        h, mu = exact_transform(law, rate), mpmath.mpf(float(rate))
        result.append(sum(int(d) * mean - (1 - h ** int(d)) / mu for d in gaps) / (length * mean))
    return result


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1.0, 30.0])
def test_against_sixty_digits(law, scale):
    rng = np.random.default_rng(0)
    rates = scale * np.exp(rng.normal(size=7))
    sequence = np.concatenate([np.arange(7), rng.integers(7, size=200)])
    evaluation = schedule.evaluate(sequence, rates, law)
    with mpmath.workdps(60):
        exact = exact_obsolescence(sequence, rates, law)
        cost = sum(mpmath.mpf(r) * x for r, x in zip(rates, exact, strict=True))
        kappa = [-mpmath.log(exact_transform(law, r)) for r in rates]
        # (6) with c_i = mu_i: the sum of mu_i less (1 - the product of h_i)/E[X]
        bound = sum(map(mpmath.mpf, rates)) - (1 - mpmath.exp(-sum(kappa))) / mpmath.mpf(law.mean)
        assert max(abs(a / b - 1) for a, b in zip(evaluation.obsolescence, exact, strict=True)) < 1e-14
        assert abs(evaluation.cost / cost - 1) < 1e-14
        assert -1e-12 < evaluation.bound / bound - 1 < 1e-14


def test_worst_instance_of_the_golden_ratio():
    """22 equal pages, F_20 accesses: the certified instance of Section 5."""
    sequence = schedule.sequence(np.full(22, 1 / 22), "golden-ratio", cycle=6765)
    evaluation = schedule.evaluate(sequence, np.full(22, 0.05 / 22), laws.Deterministic(1.0))
    assert evaluation.ratio == pytest.approx(1.10499, abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(
    sequence=st.lists(st.integers(0, 4), min_size=1, max_size=60), scale=st.floats(-8, 2), seed=st.integers(0, 10**6)
)
def test_ratio_lies_between_one_and_the_guarantee(sequence, scale, seed):
    rng = np.random.default_rng(seed)
    rates = 10**scale * np.exp(rng.normal(size=5))
    law = LAWS[seed % 3]
    evaluation = schedule.evaluate([*range(5), *sequence], rates, law)
    assert 1 - 1e-12 <= evaluation.ratio <= evaluation.guarantee * (1 + 1e-12)
    assert (evaluation.gap_factor >= 1).all()
    assert ((evaluation.obsolescence > 0) & (evaluation.obsolescence <= 1)).all()


@pytest.mark.parametrize("policy", [p for p in schedule.POLICIES if p not in ("round-robin", "randomized")])
def test_good_policies_are_near_the_bound(policy):
    rng = np.random.default_rng(5)
    law = laws.Exponential(mean=1.0)
    rates = 0.02 * np.exp(rng.normal(size=60))
    kappa = -law.log_laplace(rates)
    frequency = optimal_frequency(kappa, kappa.sum())
    sequence = schedule.sequence(frequency, policy, length=40_000)
    assert schedule.evaluate(sequence, rates, law).ratio < 1.12


def test_randomized_sequence_costs_what_lemma_4_1_says():
    law, rates = laws.Exponential(mean=0.5), np.array([0.3, 0.7, 1.5])
    frequency = np.array([0.2, 0.3, 0.5])
    sequence = schedule.sequence(frequency, "randomized", length=200_000, seed=1)
    exact = randomized_obsolescence(frequency, rates, law.mean, law.log_laplace(rates))
    assert schedule.evaluate(sequence, rates, law).obsolescence == pytest.approx(exact, rel=0.01)


def test_turning_the_cycle_and_renaming_pages_change_nothing():
    rng = np.random.default_rng(2)
    law, rates = laws.Exponential(mean=1.0), rng.random(6) + 0.1
    sequence = np.concatenate([np.arange(6), rng.integers(6, size=100)])
    first = schedule.evaluate(sequence, rates, law)
    assert schedule.evaluate(np.roll(sequence, 17), rates, law).cost == pytest.approx(first.cost, rel=1e-14)
    assert schedule.evaluate(np.tile(sequence, 5), rates, law).cost == pytest.approx(first.cost, rel=1e-14)
    order = rng.permutation(6)
    renamed = schedule.evaluate(np.argsort(order)[sequence], rates[order], law)
    assert renamed.obsolescence == pytest.approx(first.obsolescence[order], rel=1e-14)
    other_units = schedule.evaluate(sequence, rates / 60, laws.Exponential(mean=60.0))
    assert other_units.obsolescence == pytest.approx(first.obsolescence, rel=1e-13)


def test_weights_that_are_proportional_use_the_closed_bound():
    law, rates, sequence = laws.Exponential(mean=1.0), np.array([0.1, 0.4, 0.2]), [0, 1, 2, 1]
    plain = schedule.evaluate(sequence, rates, law)
    scaled = schedule.evaluate(sequence, rates, law, weight=3 * rates)
    assert scaled.cost == pytest.approx(3 * plain.cost, rel=1e-14)
    assert scaled.bound == pytest.approx(3 * plain.bound, rel=1e-12)


def test_general_weights_are_compared_to_the_optimum():
    law, rates = laws.Exponential(mean=1.0), np.array([0.1, 0.4, 0.2, 0.05])
    weight = np.array([5.0, 1.0, 2.0, 1e-9])  # the last page is not worth an access
    plan = schedule.frequencies(rates, weight, access_time=law)
    assert plan.dropped.tolist() == [False, False, False, True]
    sequence = schedule.sequence(plan.frequency, "most-overdue", length=5000)
    evaluation = schedule.evaluate(sequence, rates, law, weight, allow_missing=True)
    assert evaluation.bound == pytest.approx(plan.cost, rel=1e-11)
    assert 1 <= evaluation.ratio < 1.05
    assert evaluation.ratio <= evaluation.guarantee * (1 + 1e-12)


def random_phase_instance():
    law, rates = laws.Exponential(mean=0.5), np.array([0.3, 0.7, 1.5, 0.02])
    return law, rates, np.array([0.17, 0.25, 0.45, 0.13])


def test_random_phases_cost_what_their_merges_cost_on_average():
    law, rates, frequency = random_phase_instance()
    expected = schedule.evaluate_random_phase(frequency, rates, law)
    costs, factors = [], []
    for seed in range(300):
        sequence = schedule.sequence(frequency, "random-phase", length=4000, seed=seed)
        found = schedule.evaluate(sequence, rates, law)
        costs.append(found.cost)
        factors.append(found.gap_factor)
    error = np.std(costs) / np.sqrt(len(costs))
    # 4 standard errors, and the ends of a cycle of 4000: one gap of each page
    assert abs(np.mean(costs) - expected.cost) < 4 * error + expected.cost / 1000
    spread = np.std(factors, axis=0) / np.sqrt(len(factors))
    assert (np.abs(np.mean(factors, axis=0) - expected.gap_factor) < 4 * spread + 1e-2).all()


@settings(max_examples=50, deadline=None)
@given(pages=st.integers(1, 30), scale=st.floats(-9, 2), seed=st.integers(0, 10**6))
def test_random_phases_keep_their_promise(pages, scale, seed):
    rng = np.random.default_rng(seed)
    law, rates = LAWS[seed % 3], 10**scale * np.exp(rng.normal(size=pages))
    plan = schedule.frequencies(rates, access_time=law)
    found = schedule.evaluate_random_phase(plan.frequency, rates, law)
    assert 1 - 1e-12 <= found.ratio <= 1 + np.sum(plan.frequency**2) + 1e-12
    assert found.ratio <= found.guarantee * (1 + 1e-12)


def test_random_phases_of_rare_and_of_frequent_changes():
    law, rates, frequency = random_phase_instance()
    for scale in (1e-100, 1e-12, 1e6):
        found = schedule.evaluate_random_phase(frequency, scale * rates, law)
        assert 1 - 1e-12 <= found.ratio < 2
    rare, rarer = (schedule.evaluate_random_phase(frequency, s * rates, law) for s in (1e-30, 1e-250))
    assert rarer.obsolescence == pytest.approx(1e-220 * rare.obsolescence, rel=1e-13)
    dropped = schedule.evaluate_random_phase([0.5, 0.5, 0.0], [1.0, 0.0, 1.0], law)
    assert dropped.obsolescence[1:].tolist() == [0.0, 1.0]


def test_pages_that_never_change_are_never_out_of_date():
    evaluation = schedule.evaluate([0, 1], [0.0, 1.0, 0.0], laws.Exponential(mean=1.0))
    assert evaluation.obsolescence[[0, 2]].tolist() == [0.0, 0.0]
    nothing = schedule.evaluate([0, 1], [0.0, 0.0], laws.Exponential(mean=1.0))
    assert (nothing.cost, nothing.bound, nothing.ratio, nothing.guarantee) == (0.0, 0.0, 1.0, 1.0)


def test_dropped_pages_count_as_out_of_date_when_asked():
    law = laws.Exponential(mean=1.0)
    evaluation = schedule.evaluate([0, 1], [0.5, 0.5, 0.01], law, allow_missing=True)
    assert evaluation.obsolescence[2] == 1.0
    assert np.isfinite(evaluation.guarantee)
    assert evaluation.gap_factor[2] == np.inf


BAD = [
    ({"sequence": []}, "sequence is empty"),
    ({"sequence": [0, 5]}, r"sequence\[1\] must be a page index from 0 to 1, got 5"),
    ({"sequence": [0, -1]}, r"sequence\[1\] must be a page index from 0 to 1, got -1"),
    ({"sequence": [0.0, 1.0]}, "sequence must be integers, got dtype float64"),
    ({"sequence": [0, 0]}, r"page 1 \(change rate 2\.0\) is never accessed"),
    ({"change_rate": [1.0, float("nan")]}, r"change_rate\[1\] must be finite and >= 0, got nan"),
    ({"change_rate": [1.0, -2.0]}, r"change_rate\[1\] must be finite and >= 0, got -2\.0"),
    ({"weight": [1.0]}, "weight has 1 entries, needs 2"),
    ({"weight": [1.0, float("inf")]}, r"weight\[1\] must be finite and >= 0, got inf"),
    ({"access_time": 2.0}, "access_time must be a law"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_input_is_named(change, message):
    arguments = {"sequence": [0, 1], "change_rate": [1.0, 2.0], "access_time": laws.Deterministic(1.0)} | change
    with pytest.raises(ValueError, match=message):
        schedule.evaluate(**arguments)
