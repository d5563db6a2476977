"""Simulation against a formula: right ones pass, wrong ones and broken samples fail."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

from claimproof.core.evidence import CheckFailed, Kind
from claimproof.engines.simulated import compare, detectable

RUNS = 400_000  # enough to see an error of 1 % in the mean of an exponential law


def exponential(rng, runs):
    return rng.exponential(2.0, runs)


def renewal(rng, runs):
    """Rewards and lengths of cycles: uniform on (0, 2) over 1 + exponential."""
    lengths = 1 + rng.exponential(1.0, runs)
    return rng.uniform(0, 2, runs) * lengths, lengths


@pytest.mark.parametrize("expected", [2, 2.0, sp.Integer(2), fmpq(2), Fraction(2), sp.sqrt(4)])
def test_a_right_value_passes(expected):
    found = compare(exponential, expected, seed=1, runs=RUNS)
    assert found.kind is Kind.SIMULATED
    assert abs(float(found.data["z"])) < 4
    low, high = map(float, found.data["interval"])
    assert low < float(found.data["estimate"]) < high


def test_a_ratio_uses_the_delta_method():
    found = compare(renewal, 1, seed=3, runs=RUNS)
    # Var(N - L) / E[L]^2 = E[(U - 1)^2] E[L^2] / 4 = (1/3) 5 / 4
    low, high = map(float, found.data["interval"])
    assert (high - low) / (2 * 1.96) == pytest.approx((5 / 12 / RUNS) ** 0.5, rel=0.03)


def test_the_same_seed_gives_the_same_evidence():
    assert compare(exponential, 2, seed=5, runs=RUNS) == compare(exponential, 2, seed=5, runs=RUNS)
    assert compare(exponential, 2, seed=5, runs=RUNS) != compare(exponential, 2, seed=6, runs=RUNS)


@pytest.mark.parametrize("expected", [2.2, -2, 0])
def test_a_wrong_value_fails(expected):
    with pytest.raises(CheckFailed, match="beyond 4 standard errors"):
        compare(exponential, expected, seed=1, runs=RUNS, what="mean")


def test_it_rejects_what_it_says_it_can_detect():
    resolution = float(compare(exponential, 2, seed=1, runs=RUNS).data["detectable"])
    noticed = 0
    for factor in (1 + resolution, 1 - resolution):
        for seed in range(6):
            try:
                compare(exponential, 2 * factor, seed=seed, runs=RUNS)
            except CheckFailed:
                noticed += 1
    assert noticed >= 11  # of 12, each with probability 0.977


def test_detectable():
    assert detectable(0.01, 2.0, 4) == pytest.approx(0.03)
    assert detectable(0.01, 0.0) is None


@pytest.mark.parametrize(
    ("simulate", "message"),
    [
        (lambda rng, runs: np.full(runs, np.nan), "not finite"),
        (lambda rng, runs: np.full(runs, 3.0), "all samples give 3"),
        (lambda rng, runs: np.ones(runs - 1), "samples"),
        (lambda rng, runs: np.ones((runs, 2)), "samples"),
        (lambda rng, runs: (np.ones(runs), np.zeros(runs)), "mean 0"),
    ],
)
def test_broken_samples_fail(simulate, message):
    with pytest.raises(CheckFailed, match=message):
        compare(simulate, 2, seed=1, runs=1000)


def test_a_constant_is_no_simulation_and_nan_no_value():
    with pytest.raises(CheckFailed, match="a constant is no simulation"):
        compare(lambda rng, runs: np.full(runs, 0.1), 0.1, seed=1, runs=1000)
    with pytest.raises(CheckFailed, match="nan"):
        compare(exponential, float("nan"), seed=1, runs=1000)


def test_too_coarse_a_simulation_is_refused_even_if_it_agrees():
    with pytest.raises(CheckFailed, match=r"can't see an error below 4\.\d%"):
        compare(exponential, 2, seed=1, runs=20_000)
    assert "sees errors of 5.0% only" in compare(exponential, 2, seed=1, runs=20_000, resolution=0.05).detail
