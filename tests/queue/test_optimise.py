"""The best thresholds: against enumeration of the exact model, and fast."""

from __future__ import annotations

import time
from dataclasses import asdict
from itertools import combinations_with_replacement

import pytest

from crawlproof.models.instances import random_queue
from crawlproof.models.obsolescence_queue import ObsolescenceQueue, active_robots
from crawlproof.queue import Bmap, Costs, ModelError, PhaseType, ThresholdQueue, files

COSTS = Costs(loss=5, obsolescence=10, sojourn=2, robot=20, starvation=300)


def test_against_exact_costs_of_all_policies():
    model = random_queue(11, robots=3, clock_phases=2, service_phases=1, arrival_phases=1)

    def number(value):
        return f"{value.p}/{value.q}"

    def rows(matrix):
        return [[number(value) for value in row] for row in matrix]

    queue = ThresholdQueue([Bmap([rows(matrix) for matrix in mode]) for mode in model.arrivals],
                           PhaseType([number(v) for v in model.service[0]], rows(model.service[1])),
                           PhaseType([number(v) for v in model.obsolescence[0]], rows(model.obsolescence[1])),
                           model.capacity)

    def exact_cost(modes, thresholds):
        active = active_robots(thresholds, modes, model.capacity)
        exact = ObsolescenceQueue(model.arrivals, model.service, model.obsolescence, model.capacity, active)
        return exact.measures().cost(**{name: int(value) for name, value in asdict(COSTS).items()})

    best = queue.optimise(COSTS)
    assert [row.modes for row in best.table] == [(1,), (2,), (3,), (2, 1), (3, 1), (3, 2), (3, 2, 1)]
    cheapest = []
    for row in best.table:
        costs = {t: exact_cost(row.modes, t) for t in combinations_with_replacement(range(3), len(row.modes) - 1)}
        assert costs[row.thresholds] == min(costs.values())
        assert row.cost == pytest.approx(float(min(costs.values())), rel=1e-13)
        cheapest.append(min(costs.values()))
    assert exact_cost(best.modes, best.thresholds) == min(cheapest)
    assert best.measures.cost(COSTS) == best.cost == pytest.approx(float(min(cheapest)), rel=1e-13)


def test_all_monotone_policies_in_a_tenth_of_a_second():
    """Capacity 5 and four modes: 84 policies. The fastest of a few runs: others may be using the machine."""
    model = files.load("section7")
    times = []
    for _ in range(5):
        fresh = ThresholdQueue(model.queue.arrivals, model.queue.service, model.queue.obsolescence, 5)
        start = time.perf_counter()
        best = fresh.optimise(model.costs)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.1
    assert (best.modes, best.thresholds) == ((3, 1), (2,))
    assert len(best.table) == 15


def test_a_choice_of_modes():
    queue = files.load("section7").queue
    one = queue.optimise(COSTS, (4, 2))
    assert [row.modes for row in one.table] == [(4, 2)]
    two = queue.optimise(COSTS, [(4, 2), (3,)])
    assert [row.modes for row in two.table] == [(4, 2), (3,)]
    assert two.cost == min(one.cost, queue.solve(modes=(3,)).cost(COSTS))


def test_of_equal_policies_the_one_with_fewest_modes():
    best = files.load("section7").queue.optimise(COSTS)
    same = [row for row in best.table if row.cost == best.cost]
    assert len(same) > 1
    assert best.modes == min((row.modes for row in same), key=len)


@pytest.mark.parametrize(("modes", "message"), [
    ((5, 1), "modes, entry 1, is 5; there are modes 1 to 4"),
    ((3, 3), r"modes is \(3, 3\); each mode can be used once"),
    ((), "modes is "),
    ("31", "modes is '31'"),
    (3, "modes is 3"),
    ([(3, 0)], "modes, entry 2, is 0"),
])
def test_bad_choices(modes, message):
    with pytest.raises(ModelError, match=message):
        files.load("section7").queue.optimise(COSTS, modes)


def test_progress_is_reported():
    seen = []
    files.load("section7").queue.optimise(COSTS, progress=lambda share, words: seen.append((share, words)))
    assert seen[-1] == (1.0, "84 of 84 policies")


def test_costs_must_be_costs():
    with pytest.raises(ModelError, match=r"costs is \{'loss': 5\}; it must be Costs"):
        files.load("section7").queue.optimise({"loss": 5})
