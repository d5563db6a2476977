"""Policy iteration against the enumeration of all policies."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from flint import fmpq

from claimproof.engines.exact import stationary
from crawlproof.models.decision import advantage, evaluate, optimise


def random_problem(seed: int, size: int = 4, actions: int = 3):
    rng = Random(seed)
    rates, costs = {}, {}
    for action in range(actions):
        rows = [[fmpq(rng.randint(1, 9), rng.randint(1, 9)) for _ in range(size)] for _ in range(size)]
        for i, row in enumerate(rows):
            row[i] = -sum((v for j, v in enumerate(row) if j != i), fmpq(0))
        rates[action] = rows
        costs[action] = [fmpq(rng.randint(-9, 9), rng.randint(1, 5)) for _ in range(size)]
    return rates, costs


def mean_cost(rates, costs, actions):
    law = stationary([rates[a][i] for i, a in enumerate(actions)])
    return sum((p * costs[a][i] for i, (p, a) in enumerate(zip(law, actions, strict=True))), fmpq(0))


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_the_best_of_all_policies(seed):
    rates, costs = random_problem(seed)
    policies = list(itertools.product(rates, repeat=4))
    found = optimise(rates, costs)
    assert found.gain == min(mean_cost(rates, costs, policy) for policy in policies)
    assert found.gain == mean_cost(rates, costs, found.actions)
    assert all(advantage(rates, costs, found.bias, i, a) >= found.gain for i in range(4) for a in rates)


def test_the_certificate_of_a_worse_policy_fails():
    rates, costs = random_problem(0)
    best = optimise(rates, costs)
    worse = evaluate(rates, costs, [(a + 1) % 3 for a in best.actions])
    assert worse.gain > best.gain
    assert any(advantage(rates, costs, worse.bias, i, a) < worse.gain for i in range(4) for a in rates)
