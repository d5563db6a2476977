"""Costs by descending from level to level, against the stationary law of the whole chain."""

from __future__ import annotations

from pathlib import Path

import pytest
from flint import arb, fmpq

from claimproof.core.project import Project
from crawlproof.models.instances import random_queue
from crawlproof.models.level_recursion import cheapest, exact_costs, policy_costs
from crawlproof.models.printed_examples import (
    Example,
    all_falling_policies,
    common_exit_rate,
    falling_policies,
    lumped,
    modes_of,
    moments,
    row_sums,
    thresholds,
    with_signs_of_rates,
)
from crawlproof.models.printed_numbers import PrintedNumbers

PRINTED = PrintedNumbers.load(Project.find(Path(__file__).parent).derivations / "adkns" / "printed.toml")
COSTS = (("loss", fmpq(5)), ("obsolescence", fmpq(7)), ("sojourn", fmpq(2)), ("robot", fmpq(3)), ("starvation", fmpq(11)))


def random_example(seed: int, **sizes) -> Example:
    queue = random_queue(seed, **sizes)
    return Example(queue.arrivals, queue.service, queue.obsolescence, queue.capacity, COSTS)


@pytest.mark.parametrize(
    ("seed", "sizes"),
    [
        (1, {}),
        (2, {"capacity": 1, "largest_batch": 3}),
        (3, {"arrival_phases": 3, "service_phases": 1, "clock_phases": 1, "capacity": 4, "largest_batch": 5}),
        (4, {"arrival_phases": 1, "service_phases": 3, "clock_phases": 2, "capacity": 3, "robots": 3}),
    ],
)
def test_every_policy_has_the_cost_of_the_whole_chain(seed, sizes):
    example = random_example(seed, **sizes)
    modes = tuple(range(1, len(example.arrivals) + 1))
    costs = exact_costs(example, modes, falling=False)
    assert len(costs) == len(modes) ** (example.capacity + 1)
    assert all(cost == example.cost(policy) for policy, cost in costs.items())


def test_balls_contain_the_rationals():
    example = random_example(5)
    exact = exact_costs(example, (1, 2))
    for policy, ball in policy_costs(example, (1, 2)):
        assert ball.contains(exact[policy])
        assert ball.rad() < arb("1e-10")


def test_falling_policies():
    assert sorted(exact_costs(random_example(1), (1, 2))) == sorted(all_falling_policies((1, 2), 3))
    assert list(falling_policies((1, 3), 2)) == [(3, 3, 3), (3, 3, 1), (3, 1, 1)]
    assert len(list(all_falling_policies((1, 2, 3, 4), 5))) == 84


def test_thresholds_and_modes():
    assert thresholds((4, 3, 3, 1), (1, 2, 3, 4)) == (0, 2, 2)
    assert thresholds((1, 1), (1,)) == ()
    assert modes_of((4, 3, 3, 1)) == (1, 3, 4)


def test_cheapest_refuses_ties_and_overlapping_balls():
    with pytest.raises(ValueError, match=r"policies \(1,\) and \(2,\) have no certainly different costs"):
        cheapest({(1,): fmpq(1), (2,): fmpq(1)})
    with pytest.raises(ValueError, match="no certainly different costs"):
        cheapest({(1,): arb(1, 0.5), (2,): arb(1.2)})
    with pytest.raises(ValueError, match="no policies"):
        cheapest({})
    assert cheapest({(1,): fmpq(2), (2,): fmpq(1), (3,): fmpq(0)}, [(1,), (2,)]) == (2,)


def test_laws():
    service, clock = Example.first(PRINTED.inputs["first"]).service, Example.first(PRINTED.inputs["first"]).obsolescence
    assert common_exit_rate(service) is None
    assert lumped(service) == service
    assert lumped(clock) == ((fmpq(1),), ((fmpq(-1, 5),),))
    assert moments(lumped(clock), 3) == [5, 50, 750] == moments(clock, 3)


def test_signs():
    [matrix] = with_signs_of_rates([((fmpq(3), fmpq(-1)), (fmpq(0), fmpq(-2)))])
    assert matrix == ((fmpq(-3), fmpq(1)), (fmpq(0), fmpq(-2)))
    assert row_sums([matrix]) == [-2, -2]
    assert all(row_sums(mode) == [0, 0] for mode in Example.first(PRINTED.inputs["first"]).arrivals)
