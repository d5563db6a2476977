"""After a burst, and when a rate changes: against exponentials of the exact generator and exact costs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb_mat, ctx, fmpq, fmpq_mat

from crawlproof.queue import Bmap, Costs, ModelError, PhaseType, ThresholdQueue, files

Q = Fraction
MODES = [
    [[["-1.5", "0.5"], ["0.25", "-2"]], [["0.75", "0"], ["0.5", "1"]], [["0", "0.25"], ["0", "0.25"]]],
    [[["-3", "0.5"], ["0", "-4"]], [["2", "0"], ["1", "1"]], [["0", "0"], ["0", "0"]], [["0.25", "0.25"], ["1", "1"]]],
]
SERVICE = (["0.4", "0.6"], [["-3", "1"], ["2", "-3"]])
CLOCK = (["0.9", "0.1"], [["-1", "0"], ["0", "-0.025"]])
ACTIVE = (2, 2, 1, 1)
COSTS = {"loss": 5, "obsolescence": 10, "sojourn": 2, "robot": 20, "starvation": 300}


def built(obsolescence=CLOCK, capacity=3):
    law = None if obsolescence is None else PhaseType(*obsolescence)
    return ThresholdQueue([Bmap(m) for m in MODES], PhaseType(*SERVICE), law, capacity)


def exact_after(words, obsolescence, burst, times, empty):
    """The law over states at times, by the exponential of the exact generator at 400 bits, and integrals of rates."""
    model = words.Queue(MODES, SERVICE, obsolescence, 3, lambda s: ACTIVE[s[0]] - 1)
    law = model.law_of_states
    if empty:
        phases = {nu: sum((p for s, p in law.items() if s[1] == nu), fmpq(0)) for nu in range(2)}
        law = {s: phases[s[1]] if s[0] == 0 else fmpq(0) for s in model.states}
    start = dict.fromkeys(model.states, fmpq(0))
    for state, p in law.items():
        # The burst as an arrival event of a queue whose only batches are of this size and move no phase.
        pages = [[["0" if k else "-1" if i == j else "0" for j in range(2)] for i in range(2)] for k in range(burst + 1)]
        pages[burst] = [["1", "0"], ["0", "1"]]
        jump = words.Queue([pages], SERVICE, obsolescence, 3, lambda s: 0)
        if burst == 0:
            start[state] += p
            continue
        for rate, to, leaver, delivered, _ in jump.events(state):
            if delivered and leaver is None:
                start[to] += p * rate
    n = len(model.states)
    gains = [[fmpq(0)] * 3 for _ in range(n)]
    for state, k in model.position.items():
        for rate, _, leaver, _, lost in model.events(state):
            gains[k][0] += rate * lost
            if leaver:
                gains[k][1 if leaver[1] == "obsolete" else 2] += rate
    # One more column for each integral: exp of [[Q, g], [0, 0]].
    Q_rows = model.generator().tolist()
    rows = [[*Q_rows[k], *gains[k]] for k in range(n)] + [[fmpq(0)] * (n + 3)] * 3
    result = []
    ctx.prec = 400
    try:
        first = arb_mat(fmpq_mat([[*(start[s] for s in model.states), fmpq(0), fmpq(0), fmpq(0)]]))
        for t in times:
            values = first * (arb_mat(fmpq_mat(rows)) * arb_mat([[words.rational(Q(t))]])[0, 0]).exp()
            numbers = []
            for k in range(n + 3):
                mantissa, exponent = values[0, k].mid().man_exp()
                numbers.append(Q(int(mantissa)) * Q(2) ** int(exponent))
            levels = [sum((numbers[k] for s, k in model.position.items() if s[0] == i), Q(0)) for i in range(4)]
            result.append((levels, numbers[n:]))
    finally:
        ctx.prec = 53
    return result


@pytest.mark.parametrize("obsolescence", [CLOCK, None], ids=["obsolescence", "none"])
@pytest.mark.parametrize(("burst", "start"), [(0, "empty"), (2, "stationary"), (7, "empty"), (7, "stationary")])
@pytest.mark.parametrize("dense", [True, False])
def test_after_a_burst(words, monkeypatch, obsolescence, burst, start, dense):
    from crawlproof.queue import evolution

    if not dense:
        monkeypatch.setattr(evolution, "DENSE", 0)
    times = [0.25, 1e-3, 3.0, 40.0]
    found = built(obsolescence).after_burst(burst, times, ACTIVE, start=start)
    for k, (levels, counts) in enumerate(exact_after(words, obsolescence, burst, times, start == "empty")):
        for value, exact in zip(found.level_probabilities[k], levels, strict=True):
            assert abs(Q(value) / exact - 1) <= 1e-12
        for value, exact in zip((found.lost[k], found.obsolete[k], found.served[k]), counts, strict=True):
            assert value == 0 if exact == 0 else abs(Q(value) / exact - 1) <= 1e-12


def test_at_time_0_and_in_the_long_run():
    queue = built()
    found = queue.after_burst(3, [0, 1000], ACTIVE, start="empty")
    assert found.level_probabilities[0].tolist() == pytest.approx([0, 0, 0, 1], abs=1e-15)
    assert found.lost_at_once == 0
    assert queue.after_burst(5, [0], ACTIVE, start="empty").lost_at_once == pytest.approx(2, rel=1e-14)
    steady = queue.solve(ACTIVE)
    assert found.level_probabilities[1].tolist() == pytest.approx(steady.level_probabilities, rel=1e-12)
    assert found.loss[1] == pytest.approx(steady.loss, rel=1e-12)
    assert found.active_robots[1] == pytest.approx(steady.active_robots, rel=1e-12)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"burst": -1}, "burst is -1; it must not be negative"),
    ({"burst": 1.5}, "burst is 1.5; it must be a whole number"),
    ({"times": []}, r"times is \[\]; it must be a list of times"),
    ({"times": [1, -2]}, "times, entry 2, is -2"),
    ({"times": 3}, "times is 3"),
    ({"start": "full"}, "start is 'full'; there are stationary, empty"),
    ({"active": (1, 1)}, "active is"),
])
def test_bad_bursts(arguments, message):
    with pytest.raises(ModelError, match=message):
        built().after_burst(**({"burst": 1, "times": [1], "active": ACTIVE} | arguments))


def test_too_large():
    with pytest.raises(ModelError, match="the time after a burst is for 5,000 states at most, here are 65,534"):
        built(capacity=14).after_burst(1, [1], modes=(1,))


EPSILON = Q(1, 10**40)


def exact_cost(words, modes, service, obsolescence):
    m = words.Queue(modes, service, obsolescence, 2, lambda s: ACTIVE[s[0]] - 1).measures()
    return (m.arrival_rate * (5 * m.loss + 10 * m.obsolescence) + 2 * m.sojourn_served + 20 * m.active_robots
            + 300 * m.starvation)


def exact_rows(matrix):
    return [[Q(v) for v in row] for row in matrix]


def test_derivatives_by_all_rates(words):
    """Central differences in rationals, with a step of 1e-40."""
    found = built(capacity=2).sensitivities(Costs(**COSTS), ACTIVE[:3])
    modes = [[exact_rows(m) for m in bmap] for bmap in MODES]
    service, clock = ([Q(v) for v in SERVICE[0]], exact_rows(SERVICE[1])), ([Q(v) for v in CLOCK[0]], exact_rows(CLOCK[1]))

    def derivative(change):
        values = []
        for step in (EPSILON, -EPSILON):
            copy = ([[[list(row) for row in m] for m in bmap] for bmap in modes],
                    [list(row) for row in service[1]], [list(row) for row in clock[1]])
            change(copy, step)
            values.append(exact_cost(words, copy[0], (service[0], copy[1]), (clock[0], copy[2])))
        return float((values[0] - values[1]) / (2 * EPSILON))

    def check(value, change):
        assert value == pytest.approx(derivative(change), rel=1e-11, abs=1e-11)

    for mode, bmap in enumerate(modes):
        for k in range(len(bmap)):
            for i in range(2):
                for j in range(2):
                    if k == 0 and i == j:
                        assert found.arrivals[mode][k, i, j] == 0
                        continue

                    def by_rate(copy, step, mode=mode, k=k, i=i, j=j):
                        copy[0][mode][k][i][j] += step
                        copy[0][mode][0][i][i] -= step

                    check(found.arrivals[mode][k, i, j], by_rate)
    for which, moves, ends in ((1, found.service, found.service_exit), (2, found.obsolescence, found.obsolescence_exit)):
        for i in range(2):
            def by_exit(copy, step, which=which, i=i):
                copy[which][i][i] -= step

            def by_move(copy, step, which=which, i=i):
                copy[which][i][1 - i] += step
                copy[which][i][i] -= step

            check(ends[i], by_exit)
            check(moves[i, 1 - i], by_move)

    def all_faster(copy, step):
        for i in range(2):
            for j in range(2):
                copy[1][i][j] *= 1 + step

    check(found.speeds["service"], all_faster)
    plain = built(capacity=2).solve(ACTIVE[:3])
    assert found.cost == pytest.approx(plain.cost(Costs(**COSTS)), rel=1e-14)
    for name in COSTS:
        more = Costs(**(COSTS | {name: COSTS[name] + 1}))
        assert found.costs[name] == pytest.approx(plain.cost(more) - found.cost, rel=1e-9)


def test_derivatives_without_obsolescence():
    found = built(None).sensitivities(Costs(**COSTS), modes=(2, 1), thresholds=(1,))
    assert found.obsolescence is None
    assert found.speeds["obsolescence"] is None
    assert np.isfinite(found.service_exit).all()


def test_derivatives_of_modes_that_are_not_used():
    found = files.load("section7").queue.sensitivities(Costs(**COSTS), modes=(2,))
    assert [bool(array.any()) for array in found.arrivals] == [False, True, False, False]


def test_bad_derivatives():
    with pytest.raises(ModelError, match="costs is 3; it must be Costs"):
        built().sensitivities(3, ACTIVE)
    with pytest.raises(ModelError, match="a derivative by all rates is for 5,000 states"):
        built(capacity=12).sensitivities(Costs(), modes=(1,))
