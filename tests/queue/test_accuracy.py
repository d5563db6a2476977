"""Every measure by every method against the exact model, which lists what can happen and solves in rationals."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest

from crawlproof.models.instances import random_queue
from crawlproof.models.obsolescence_queue import ObsolescenceQueue
from crawlproof.queue import Bmap, Costs, PhaseType, ThresholdQueue

Q = Fraction
DIRECT, ITERATIVE = 1e-12, 1e-11

PAPER = [
    [[["-10", "2"], ["0", "-0.5"]], [["0.05", "3"], ["0.29", "0.005"]], [["0.05", "4.9"], ["0.2", "0.005"]]],
    [[["-5.65", "1.1"], ["0", "-0.85"]], [["0.01", "2.5"], ["0.25", "0"]], [["0.02", "0.5"], ["0.25", "0"]],
     [["0.02", "1.5"], ["0.1", "0.25"]]],
    [[["-2.48", "0.48"], ["0.48", "-3.48"]], [["1.5", "0"], ["0", "2.25"]], [["0.5", "0"], ["0", "0.75"]]],
    [[["-1.45", "0.45"], ["0.6", "-2.6"]], [["0.25", "0"], ["0", "0.5"]], [["0", "0"], ["0", "0"]],
     [["0", "0"], ["0", "0"]], [["0.75", "0"], ["0", "1.5"]]],
]
# Arrivals of very different speed: idle times and losses that a subtraction would lose.
RARE = [
    [[["-0.000011", "0.000001"], ["2", "-3"]], [["0.00001", "0"], ["1", "0"]]],
    [[["-1000", "0"], ["2", "-3"]], [["990", "10"], ["0", "0"]], [["0", "0"], ["1", "0"]]],
]
SERVICE = (["0.4", "0.6"], [["-3", "1"], ["2", "-3"]])
ERLANG = (["1", "0"], [["-4", "4"], ["0", "-4"]])
LAWS = {
    "exponential in disguise": (["0.3", "0.7"], [["-0.6", "0.4"], ["0.1", "-0.3"]]),
    "hyperexponential": (["0.9", "0.1"], [["-1", "0"], ["0", "-0.025"]]),
    "cyclic": (["0.25", "0.75"], [["-2", "0.5"], ["1.5", "-1.6"]]),
    "three phases": (["0.5", "0.5", "0"], [["-1", "0.5", "0.25"], ["0", "-2", "1.5"], ["0.125", "0", "-0.5"]]),
    "stiff": (["0.5", "0.5"], [["-1000000.5", "1000000"], ["0", "-0.000001"]]),
}
# Arrivals, service, obsolescence, robots for 0 ... K pages.
CASES = {
    "exponential in disguise": (PAPER, SERVICE, LAWS["exponential in disguise"], (3, 3, 3, 1, 1)),
    "hyperexponential": (PAPER, SERVICE, LAWS["hyperexponential"], (4, 3, 2, 2, 1)),
    "cyclic": (PAPER, SERVICE, LAWS["cyclic"], (1, 4, 2, 3, 1)),
    "three phases": (PAPER, (["1"], [["-2"]]), LAWS["three phases"], (4, 4, 1, 1, 1)),
    "no buffer": (PAPER, SERVICE, LAWS["hyperexponential"], (3, 1)),
    "room for one": (PAPER, SERVICE, LAWS["cyclic"], (4, 4, 4)),
    "stiff": (PAPER, SERVICE, LAWS["stiff"], (3, 2, 1, 1)),
    "rare": (RARE, SERVICE, LAWS["hyperexponential"], (1, 1, 1, 1, 2)),
    "rare and stiff": (RARE, ERLANG, LAWS["stiff"], (1, 1, 1, 1)),
}


def rational(value) -> Fraction:
    return Q(int(value.p), int(value.q))


def queue_of(model: ObsolescenceQueue) -> ThresholdQueue:
    def rows(matrix):
        return [[rational(value) for value in row] for row in matrix]

    def law(given):
        return PhaseType([rational(value) for value in given[0]], rows(given[1]))

    return ThresholdQueue([Bmap([rows(matrix) for matrix in mode]) for mode in model.arrivals],
                          law(model.service), law(model.obsolescence), model.capacity)


def relative_errors(measures, exact) -> dict[str, float]:
    """Of each measure, compared as rationals: the comparison itself does not round."""
    errors = {}
    for item in fields(exact):
        value, reference = getattr(measures, item.name), getattr(exact, item.name)
        if reference is None:
            assert value is None
            continue
        pairs = zip(value, reference, strict=True) if isinstance(reference, tuple) else [(value, reference)]
        # What is exactly zero must be so.
        errors[item.name] = float(max(abs(Q(v) / rational(r) - 1) if r else abs(Q(v)) for v, r in pairs))
    return errors


@pytest.fixture(scope="module", params=CASES)
def case(request):
    arrivals, service, obsolescence, active = CASES[request.param]
    model = ObsolescenceQueue(arrivals, service, obsolescence, len(active) - 1, active)
    return model, model.measures()


@pytest.mark.parametrize(("method", "limit"), [
    ("dense", DIRECT), ("minimal", DIRECT), ("sparse", ITERATIVE), ("matrix-free", ITERATIVE)])
def test_every_measure_by_every_method(case, method, limit):
    model, exact = case
    measures = queue_of(model).solve(active=model.active, method=method)
    assert measures.method == method
    errors = relative_errors(measures, exact)
    assert max(errors.values()) <= limit, errors


@pytest.mark.parametrize("seed", range(8))
def test_random_instances(seed):
    shapes = [{"arrival_phases": 1}, {"clock_phases": 1, "capacity": 6}, {"service_phases": 3}, {"largest_batch": 5},
              {"robots": 4, "capacity": 4}, {"clock_phases": 3}, {"arrival_phases": 3, "capacity": 2}, {"capacity": 1}]
    model = random_queue(seed, **shapes[seed])
    exact = model.measures()
    queue = queue_of(model)
    for method in ("dense", "matrix-free"):
        errors = relative_errors(queue.solve(active=model.active, method=method), exact)
        assert max(errors.values()) <= (DIRECT if method == "dense" else ITERATIVE), (method, errors)


def test_cost_is_formula_2(case):
    model, exact = case
    given = {"loss": 5, "obsolescence": 10, "sojourn": 2, "robot": 20, "starvation": 300}
    cost = queue_of(model).solve(active=model.active).cost(Costs(**given))
    assert abs(Q(cost) / rational(exact.cost(**given)) - 1) <= DIRECT


def test_estimated_errors_are_not_too_small(case):
    model, exact = case
    for method in ("dense", "sparse", "matrix-free"):
        measures = queue_of(model).solve(active=model.active, method=method)
        assert max(relative_errors(measures, exact).values()) <= measures.error + 16 * np.finfo(float).eps


def test_many_policies_at_once_are_the_same_as_one_by_one():
    queue = queue_of(random_queue(3, robots=3))
    policies = np.random.default_rng(1).integers(1, 4, size=(20, 4)).tolist()
    for policy, measures in zip(policies, queue.solve_all(policies), strict=True):
        alone = queue.solve(active=policy)
        assert measures.active == tuple(policy) == alone.active
        assert measures.level_probabilities == pytest.approx(alone.level_probabilities, rel=1e-13)
        assert measures.sojourn_served == pytest.approx(alone.sojourn_served, rel=1e-13)


def test_phases_matter_only_through_the_law():
    """Lumping is exact: the whole chain with two phases and the lumped one with one give the same measures."""
    arrivals, service, obsolescence, active = CASES["exponential in disguise"]
    queue = queue_of(ObsolescenceQueue(arrivals, service, obsolescence, len(active) - 1, active))
    whole, lumped = (queue.solve(active=active, method=method) for method in ("dense", "minimal"))
    assert whole.states > lumped.states
    assert whole.sojourn_obsolete == pytest.approx(lumped.sojourn_obsolete, rel=1e-13)
    assert whole.level_probabilities == pytest.approx(lumped.level_probabilities, rel=1e-13)
