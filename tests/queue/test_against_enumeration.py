"""The solver against a chain enumerated from the words of the model, solved in exact rationals.

Nothing is shared with the solver: states are tuples, transitions are listed one by one, and sojourn times follow a
tagged page from its arrival on, where the solver uses Little's law.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import flint
import numpy as np
import pytest

from crawlproof.queue import Bmap, Costs, PhaseType, ThresholdQueue

Q = Fraction


def solve_exactly(rows, right):
    n = len(right)
    matrix = flint.fmpq_mat(n, n, [flint.fmpq(v.numerator, v.denominator) for row in rows for v in row])
    columns = flint.fmpq_mat(n, 1, [flint.fmpq(v.numerator, v.denominator) for v in right])
    solution = matrix.solve(columns)
    return [Q(int(solution[k, 0].p), int(solution[k, 0].q)) for k in range(n)]


class Words:
    """The model as the paper's words have it; a state is (nu, m, phases), with m None when the system is empty."""

    def __init__(self, arrivals, service, obsolescence, capacity, active):
        self.arrivals, self.capacity, self.active = arrivals, capacity, active
        self.beta, self.S = service
        self.gamma, self.G = obsolescence

    def joined(self, m, phases, pages):
        """Laws of (m, phases) after pages join: [(probability, m, phases)]."""
        results = [(Q(1), m, phases)]
        for _ in range(pages):
            grown = []
            for weight, service, waiting in results:
                if service is None:
                    grown += [(weight * b, k, waiting) for k, b in enumerate(self.beta)]
                else:
                    grown += [(weight * g, service, (*waiting, r)) for r, g in enumerate(self.gamma)]
            results = grown
        return [result for result in results if result[0]]

    def departures(self, m, phases):
        """Moves of (m, phases) other than arrivals: (rate, event, m, phases, who) with who = index of a page that goes."""
        if m is None:
            return
        for k, rate in enumerate(self.S[m]):
            if k != m and rate:
                yield rate, "phase", k, phases, None
        done = -sum(self.S[m])
        if done:
            if phases:
                for k, b in enumerate(self.beta):
                    if b:
                        yield done * b, "served", k, phases[1:], 0
            else:
                yield done, "served", None, (), None
        for place, r in enumerate(phases):
            for s, rate in enumerate(self.G[r]):
                if s != r and rate:
                    yield rate, "phase", m, (*phases[:place], s, *phases[place + 1:]), None
            if sum(self.G[r]):
                yield -sum(self.G[r]), "obsolete", m, phases[:place] + phases[place + 1:], place

    def moves(self, state):
        nu, m, phases = state
        present = 0 if m is None else 1 + len(phases)
        D = self.arrivals[self.active[present] - 1]
        for size, matrix in enumerate(D):
            for to, rate in enumerate(matrix[nu]):
                if not rate or (size == 0 and to == nu):
                    continue
                for weight, k, waiting in self.joined(m, phases, min(size, self.capacity - present)):
                    yield rate * weight, f"batch {size}", (to, k, waiting)
        for rate, event, k, waiting, _ in self.departures(m, phases):
            yield rate, event, (nu, k, waiting)

    def stationary(self):
        start = (0, None, ())
        index, todo = {start: 0}, [start]
        while todo:
            for _, _, target in self.moves(todo.pop()):
                if target not in index:
                    index[target] = len(index)
                    todo.append(target)
        n = len(index)
        rows = [[Q(0)] * n for _ in range(n)]
        for state, k in index.items():
            for rate, _, target in self.moves(state):
                rows[index[target]][k] += rate
                rows[k][k] -= rate
        rows[0] = [Q(1)] * n
        law = solve_exactly(rows, [Q(1)] + [Q(0)] * (n - 1))
        return {state: law[k] for state, k in index.items()}

    def tagged(self):
        """For a page with service m and phases up to its own (the last): (P(served), E[T; served], E[T; obsolete])."""
        from itertools import product
        M, R = len(self.beta), len(self.gamma)
        known = {}
        for m in range(M):
            e = [Q(1)] * M
            known[m, ()] = (Q(1), solve_exactly([[-v for v in row] for row in self.S], e)[m], Q(0))
        for place in range(1, self.capacity):
            states = [(m, phases) for m in range(M) for phases in product(range(R), repeat=place)]
            index = {state: k for k, state in enumerate(states)}
            rows = [[Q(0)] * len(states) for _ in states]
            win, win_time, lose_time = ([Q(0)] * len(states) for _ in range(3))
            for (m, phases), k in index.items():
                for rate, event, to, waiting, who in self.departures(m, phases):
                    rows[k][k] += rate
                    if event == "phase":
                        rows[k][index[to, waiting]] -= rate
                    elif not (event == "obsolete" and who == place - 1):
                        a, b, c = known[to, waiting]
                        win[k] += rate * a
                        win_time[k] += rate * b
                        lose_time[k] += rate * c
            success = solve_exactly(rows, win)
            served = solve_exactly(rows, [t + s for t, s in zip(win_time, success, strict=True)])
            obsolete = solve_exactly(rows, [t + 1 - s for t, s in zip(lose_time, success, strict=True)])
            for state, k in index.items():
                known[state] = (success[k], served[k], obsolete[k])
        return known

    def measures(self):
        law = self.stationary()
        tagged = self.tagged()
        result = defaultdict(Q)
        levels = [Q(0)] * (self.capacity + 1)
        success, served_time, obsolete_time = Q(0), Q(0), Q(0)
        rate = lost = served = obsolete = Q(0)
        for state, weight in law.items():
            nu, m, phases = state
            present = 0 if m is None else 1 + len(phases)
            levels[present] += weight
            result["active_robots"] += weight * self.active[present]
            for size, matrix in enumerate(self.arrivals[self.active[present] - 1]):
                if size == 0:
                    continue
                batches = weight * sum(matrix[nu])
                rate += size * batches
                lost += max(0, size - (self.capacity - present)) * batches
                for page in range(1, min(size, self.capacity - present) + 1):
                    for chance, k, waiting in self.joined(m, phases, page):
                        a, b, c = tagged[k, waiting]
                        success += batches * chance * a
                        served_time += batches * chance * b
                        obsolete_time += batches * chance * c
            for move_rate, event, *_ in self.departures(m, phases):
                served += weight * move_rate * (event == "served")
                obsolete += weight * move_rate * (event == "obsolete")
        assert success == served
        assert lost + served + obsolete == rate
        result |= {
            "arrival_rate": rate, "loss": lost / rate, "obsolescence": obsolete / rate, "success": served / rate,
            "starvation": levels[0], "sojourn": (served_time + obsolete_time) / rate,
            "sojourn_served": served_time / served, "level_probabilities": levels,
            "sojourn_obsolete": obsolete_time / obsolete if obsolete else None,
        }
        return result


def rational(matrix):
    return [[Q(str(value)) for value in row] for row in matrix]


PAPER = [
    [[[-10, 2], [0, -0.5]], [[0.05, 3], [0.29, 0.005]], [[0.05, 4.9], [0.2, 0.005]]],
    [[[-5.65, 1.1], [0, -0.85]], [[0.01, 2.5], [0.25, 0]], [[0.02, 0.5], [0.25, 0]], [[0.02, 1.5], [0.1, 0.25]]],
    [[[-2.48, 0.48], [0.48, -3.48]], [[1.5, 0], [0, 2.25]], [[0.5, 0], [0, 0.75]]],
    [[[-1.45, 0.45], [0.6, -2.6]], [[0.25, 0], [0, 0.5]], [[0, 0], [0, 0]], [[0, 0], [0, 0]], [[0.75, 0], [0, 1.5]]],
]
SERVICE = ([0.4, 0.6], [[-3, 1], [2, -3]])
DISGUISED = ([0.3, 0.7], [[-0.6, 0.4], [0.1, -0.3]])
HYPER = ([0.9, 0.1], [[-1, 0], [0, -0.025]])
CYCLIC = ([0.25, 0.75], [[-2, 0.5], [1.5, -1.6]])
THREE = ([0.5, 0.5, 0], [[-1, 0.5, 0.25], [0, -2, 1.5], [0.125, 0, -0.5]])
# Rates that differ by twelve powers of ten: losses and idle times that a subtraction would lose.
STIFF = ([0.5, 0.5], [["-1000000.000001", 1000000], [0, "-0.000001"]])
RARE = [[[["-0.000011", "0.000001"], [2, -3]], [["0.00001", 0], [1, 0]]],
        [[[-1000, 0], [2, -3]], [[990, 10], [0, 0]], [[0, 0], [1, 0]]]]
ERLANG = ([1, 0], [[-4, 4], [0, -4]])

CASES = {
    "exponential in disguise": (PAPER, SERVICE, DISGUISED, 4, (3, 3, 3, 1, 1)),
    "hyperexponential": (PAPER, SERVICE, HYPER, 4, (4, 3, 2, 2, 1)),
    "cyclic phases": (PAPER, SERVICE, CYCLIC, 4, (1, 4, 2, 3, 1)),
    "three phases": (PAPER, ([1], [[-2]]), THREE, 4, (4, 4, 1, 1, 1)),
    "no buffer": (PAPER, SERVICE, HYPER, 1, (3, 1)),
    "room for one": (PAPER, SERVICE, CYCLIC, 2, (4, 4, 4)),
    "stiff obsolescence": (PAPER, SERVICE, STIFF, 3, (3, 2, 1, 1)),
    "rare arrivals": (RARE, SERVICE, HYPER, 4, (1, 1, 1, 1, 2)),
    "rare arrivals, stiff": (RARE, ERLANG, STIFF, 3, (1, 1, 1, 1)),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    arrivals, service, obsolescence, capacity, active = CASES[request.param]
    words = Words([[rational(m) for m in D] for D in arrivals],
                  ([Q(str(b)) for b in service[0]], rational(service[1])),
                  ([Q(str(g)) for g in obsolescence[0]], rational(obsolescence[1])), capacity, active)
    queue = ThresholdQueue([Bmap(D) for D in arrivals], PhaseType(*service), PhaseType(*obsolescence), capacity)
    return queue, active, words.measures()


def relative_error(value, reference):
    """Largest relative error, in exact arithmetic: no rounding of the comparison itself."""
    if reference is None:
        return 0.0 if value is None else float("inf")
    pairs = [(value, reference)] if isinstance(reference, Fraction) else zip(value, reference, strict=True)
    errors = [abs(Q(v) - r) / r if r else abs(Q(v)) for v, r in pairs]
    return float(max(errors))


def test_all_measures_to_twelve_digits(case):
    queue, active, exact = case
    measures = queue.solve(active=active)
    errors = {name: relative_error(getattr(measures, name), value) for name, value in exact.items()}
    assert set(errors) >= {"loss", "obsolescence", "success", "sojourn_served", "sojourn_obsolete", "active_robots"}
    assert max(errors.values()) <= 1e-12, errors


def test_cost_is_formula_2(case):
    queue, active, exact = case
    costs = Costs(loss=5, obsolescence=10, sojourn=2, robot=20, starvation=300)
    expected = (exact["arrival_rate"] * (5 * exact["loss"] + 10 * exact["obsolescence"]) + 2 * exact["sojourn_served"]
                + 20 * exact["active_robots"] + 300 * exact["starvation"])
    assert relative_error(queue.solve(active=active).cost(costs), expected) <= 1e-12


def test_many_policies_at_once_are_the_same_as_one_by_one():
    queue = ThresholdQueue([Bmap(D) for D in PAPER], PhaseType(*SERVICE), PhaseType(*HYPER), 3)
    rng = np.random.default_rng(1)
    policies = rng.integers(1, 5, size=(20, 4)).tolist()
    together = queue.solve_all(policies)
    for policy, measures in zip(policies, together, strict=True):
        alone = queue.solve(active=policy)
        assert measures.active == tuple(policy) == alone.active
        assert measures.level_probabilities == pytest.approx(alone.level_probabilities, rel=1e-13)
        assert measures.sojourn_served == pytest.approx(alone.sojourn_served, rel=1e-13)
