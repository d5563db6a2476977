"""Policies that see more, and thresholds that are too many to list: against all policies in rationals."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from crawlproof.queue import Bmap, Costs, ModelError, PhaseType, ThresholdQueue, files, model

Q = Fraction
SECTION7 = files.load("section7")


def random_rates(rng, phases, largest):
    """D0, ..., with some rates 0."""
    matrices = [[[Q(rng.choice([0, 1, 2, 3, 5]), rng.randint(1, 6)) for _ in range(phases)] for _ in range(phases)]
                for _ in range(largest + 1)]
    for i in range(phases):
        matrices[0][i][(i + 1) % phases] += Q(1, 3)
        matrices[1][i][0] += Q(1, 5)
        matrices[0][i][i] = Q(0)
        matrices[0][i][i] = -sum(sum(m[i]) for m in matrices)
    return matrices


def random_law(rng, phases):
    weights = [rng.randint(1, 5) for _ in range(phases)]
    S = [[Q(rng.randint(0, 4), rng.randint(1, 3)) for _ in range(phases)] for _ in range(phases)]
    for i, row in enumerate(S):
        row[i] = Q(0)
        row[i] = -sum(row) - Q(rng.randint(1, 9), rng.randint(1, 5))
    return [Q(w, sum(weights)) for w in weights], S


def random_case(seed, *, modes, arrival_phases, service_phases, clock_phases, capacity):
    rng = Random(seed)
    arrivals = [random_rates(rng, arrival_phases, 2) for _ in range(modes)]
    service, clock = random_law(rng, service_phases), random_law(rng, clock_phases)
    costs = {"loss": rng.randint(0, 20), "obsolescence": rng.randint(0, 20), "sojourn": rng.randint(0, 9),
             "robot": rng.randint(0, 3), "starvation": rng.randint(0, 60)}
    queue = ThresholdQueue([Bmap(m) for m in arrivals], PhaseType(*service), PhaseType(*clock), capacity)
    return (arrivals, service, clock, capacity), costs, queue


def exact_cost(measures, costs):
    return (measures.arrival_rate * (costs["loss"] * measures.loss + costs["obsolescence"] * measures.obsolescence)
            + costs["sojourn"] * measures.sojourn_served + costs["robot"] * measures.active_robots
            + costs["starvation"] * measures.starvation)


def best_of_all(words, case, costs, modes, seen):
    """The cheapest of all functions of what is seen, and the costs of all."""
    given = words.Queue(*case, lambda s: 0)
    observations = sorted({seen(s) for s in given.states})
    found = {}
    for choice in product(range(modes), repeat=len(observations)):
        rule = dict(zip(observations, choice, strict=True))
        found[choice] = exact_cost(words.Queue(*case, lambda s, rule=rule: rule[seen(s)]).measures(), costs)
    return observations, found


def of_active(active, state):
    """The robots in a state; clocks of one phase have no index."""
    at = active[state[0]]
    for index in state[1:]:
        at = at[index] if isinstance(at, tuple) else at
    return at


def check(found, words, case, costs, modes, seen):
    observations, exact = best_of_all(words, case, costs, modes, seen)
    least = min(exact.values())
    assert abs(Q(found.cost) / least - 1) <= 1e-12
    assert found.bound <= float(least) * (1 + 1e-11)
    assert found.bound >= float(least) * (1 - 1e-8)
    chosen = tuple(of_active(found.active, seen_state) - 1 for seen_state in observations)
    assert abs(exact[chosen] / least - 1) <= Q(1, 10**12)
    assert found.measures.cost(Costs(**costs)) == found.cost


@pytest.mark.parametrize("seed", range(6))
def test_the_whole_state(words, seed):
    shape = [{"arrival_phases": 2, "service_phases": 1, "clock_phases": 1}, {"arrival_phases": 1, "service_phases": 2, "clock_phases": 2}]
    case, costs, queue = random_case(seed, modes=2, capacity=2, **shape[seed % 2])

    found = queue.optimise(Costs(**costs), sees="state")
    check(found, words, case, costs, 2, lambda s: s)
    best = queue.optimise(Costs(**costs))
    assert found.thresholds_lose == pytest.approx(best.cost / found.cost - 1, abs=1e-14)
    assert found.thresholds_lose >= -1e-14


@pytest.mark.parametrize("seed", range(8))
def test_level_and_arrival_phase(words, seed):
    """With two phases of service that are not seen, too."""
    case, costs, queue = random_case(100 + seed, modes=2, capacity=2, arrival_phases=2, service_phases=2,
                                     clock_phases=1 + seed % 2)
    found = queue.optimise(Costs(**costs), sees="phase")
    _, exact = best_of_all(words, case, costs, 2, lambda s: s[:2])
    assert abs(Q(found.cost) / min(exact.values()) - 1) <= 1e-12
    assert found.bound <= float(min(exact.values())) * (1 + 1e-11)
    state = queue.optimise(Costs(**costs), sees="state")
    assert state.bound <= found.cost * (1 + 1e-12)
    rule = {(level, phase): robots - 1 for level, row in enumerate(found.active) for phase, robots in enumerate(row)}
    again = words.Queue(*case, lambda s: rule[s[:2]])
    assert words.worst(found.measures, again.measures())[0] <= 1e-12


def test_descent_over_phases_finds_what_listing_does(monkeypatch):
    from crawlproof.queue import decision

    for seed in range(12):
        _, costs, queue = random_case(seed, modes=2, capacity=3, arrival_phases=2, service_phases=2, clock_phases=1)
        listed = queue.optimise(Costs(**costs), sees="phase")
        with monkeypatch.context() as patch:
            patch.setattr(decision, "LISTED", 0)
            descended = queue.optimise(Costs(**costs), sees="phase")
        assert descended.bound <= listed.cost * (1 + 1e-12)
        assert descended.cost == pytest.approx(listed.cost, rel=1e-12), seed


@pytest.mark.parametrize("sees", ["phase", "state"])
def test_what_thresholds_lose_in_section_7(sees):
    found = SECTION7.queue.optimise(SECTION7.costs, sees=sees)
    assert round(100 * found.thresholds_lose, 2) == 17.85
    assert found.bound == pytest.approx(found.cost, rel=1e-9)
    if sees == "phase":
        assert found.active == ((1, 3), (1, 3), (1, 3), (1, 1), (1, 1), (1, 1))


def test_a_long_queue_that_sees_the_whole_state():
    """More levels than an array has axes."""
    queue = files.load("section7", capacity=80).queue
    found = queue.optimise(SECTION7.costs, sees="state")
    assert found.bound == pytest.approx(found.cost, rel=1e-9)
    assert [len(row) for row in found.active] == [2] * 81
    # So few pages get so far that capacity 30 is as good.
    short = files.load("section7", capacity=30).queue.optimise(SECTION7.costs, sees="state")
    assert found.cost == pytest.approx(short.cost, rel=1e-7)


def test_the_measures_and_times_of_such_policies(words):
    case, costs, queue = random_case(4, modes=2, capacity=2, arrival_phases=2, service_phases=2, clock_phases=2)
    found = queue.optimise(Costs(**costs), sees="state")

    exact = words.Queue(*case, lambda s: of_active(found.active, s) - 1)
    assert words.worst(found.measures, exact.measures())[0] <= 1e-12
    law, reference = found.measures.sojourn_time("obsolete"), exact.sojourn("obsolete")
    assert abs(Q(law.survival(0.7)) / reference.survival(0.7) - 1) <= 1e-12


def test_robots_that_stop():
    """An empty system never stops all robots where nothing would start them again; numbers are those of the robots."""
    zero = [[0, 0], [0, 0]]
    moving = Bmap([[[-1, 1], [2, -2]], zero])
    busy = Bmap([[[-3, 1], [1, -2]], [[2, 0], [0, 1]]])
    queue = ThresholdQueue([moving, busy], PhaseType.exponential(2), None, 4, robots=[0, 3])
    found = queue.optimise(Costs(loss=1, sojourn=5, robot=2, starvation=1), sees="phase")
    assert {robots for row in found.active for robots in row} == {0, 3}
    assert 3 in found.active[0]
    assert found.bound <= found.cost <= queue.optimise(Costs(loss=1, sojourn=5, robot=2, starvation=1)).cost


def test_iteration_over_thresholds_finds_what_listing_does(monkeypatch):
    for seed in range(8):
        _, costs, queue = random_case(seed, modes=4, capacity=8, arrival_phases=2, service_phases=1 + seed % 2, clock_phases=1)
        listed = queue.optimise(Costs(**costs))
        with monkeypatch.context() as patch:
            patch.setattr(model, "LISTED", 50)
            found = queue.optimise(Costs(**costs))
        assert listed.exhaustive
        assert not found.exhaustive
        assert found.cost == pytest.approx(listed.cost, rel=1e-11), seed
        assert [row.modes for row in found.table] == [row.modes for row in listed.table]


def test_capacity_400_and_four_modes():
    """10.7 million policies of all four modes; the best three-mode ones were listed once, at a smaller capacity."""
    queue = files.load("section7", capacity=400).queue
    best = queue.optimise(SECTION7.costs, [(3, 1), (4, 3, 2, 1)])
    assert not best.exhaustive
    assert (best.modes, best.thresholds) == ((3, 1), (3,))
    small = files.load("section7", capacity=30).queue.optimise(SECTION7.costs, [(4, 3, 2, 1)])
    assert small.exhaustive
    assert best.table[1].thresholds == small.thresholds


@pytest.mark.parametrize(("arguments", "message"), [
    ({"sees": "weather"}, "sees is 'weather'; there are level, phase, state"),
    ({"sees": 3}, "sees is 3"),
    ({"sees": "phase", "modes": (3, 1)}, r"modes is \(3, 1\); with sees='phase' a policy may use all of them"),
])
def test_bad_questions(arguments, message):
    with pytest.raises(ModelError, match=message):
        SECTION7.queue.optimise(SECTION7.costs, **arguments)


def test_what_is_too_large():
    hyper = files.load("obsolescence-variation", capacity=12).queue
    with pytest.raises(ModelError, match="a policy that sees phases is for 5,000 states at most, here are 16,382"):
        hyper.optimise(SECTION7.costs, sees="state")
    many = files.load("obsolescence-variation", capacity=60).queue
    with pytest.raises(ModelError, match="capacity 60 with 4 modes has 37,820 policies; listing them is for 20,000 at most"):
        many.optimise(SECTION7.costs)
