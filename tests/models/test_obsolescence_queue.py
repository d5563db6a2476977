"""The reference model: closed forms, exact laws that any queue obeys, and clear refusals."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from flint import fmpq, fmpq_mat

from crawlproof.models.instances import random_queue
from crawlproof.models.kronecker import identity, kron, kronecker_sum, shape
from crawlproof.models.matrices import QueueMatrices
from crawlproof.models.obsolescence_queue import ObsolescenceQueue, active_robots
from crawlproof.models.simulation import simulate_cycles

THIRD = fmpq(1, 3)


def poisson_queue(capacity=3, arrival_rate=1, service_rate=2, clock_rate=THIRD, **changes):
    parameters = {
        "arrivals": [[[[-arrival_rate]], [[arrival_rate]]]], "service": ([1], [[-service_rate]]),
        "obsolescence": ([1], [[-clock_rate]]),
        "capacity": capacity, "active": (1,) * (capacity + 1),
    }
    return ObsolescenceQueue(**(parameters | changes))


def test_birth_and_death_process():
    """Poisson arrivals, exponential service and clocks: p_i = p_0 * product of rate/(service + (i - 1) clock)."""
    queue = poisson_queue(capacity=4)
    weights = [fmpq(1)]
    for waiting in range(4):
        weights.append(weights[-1] / (2 + waiting * THIRD))
    total = sum(weights, fmpq(0))
    assert list(queue.measures().level_probabilities) == [w / total for w in weights]


def test_symbols_and_numbers_agree():
    rate, service, clock = sp.symbols("rate service clock", positive=True)
    symbolic = poisson_queue(2, rate, service, clock).measures()
    numbers = poisson_queue(2).measures()
    values = {rate: 1, service: 2, clock: sp.Rational(1, 3)}
    for name in ("arrival_rate", "loss", "obsolescence", "success", "starvation", "sojourn", "sojourn_served", "sojourn_obsolete"):
        number = getattr(numbers, name)
        assert getattr(symbolic, name).subs(values) == sp.Rational(int(number.p), int(number.q))


@pytest.mark.parametrize("seed", range(3))
def test_every_page_has_one_fate_and_little_holds(seed):
    measures = random_queue(seed, capacity=3, robots=3, largest_batch=4).measures()
    assert measures.loss + measures.obsolescence + measures.success == 1
    mean_number = sum((i * p for i, p in enumerate(measures.level_probabilities)), fmpq(0))
    assert mean_number == measures.arrival_rate * measures.sojourn


def test_a_batch_that_does_not_fit_is_cut():
    queue = poisson_queue(2, arrivals=[[[[-1]], [[0]], [[0]], [[1]]]])
    [event] = [e for e in queue.events((1, 0, 1)) if e.delivered]
    assert (event.delivered, event.lost, event.target) == (3, 2, (2, 0, 1, 1))
    [event] = [e for e in queue.events((2, 0, 1, 1)) if e.delivered]
    assert (event.lost, event.target) == (3, (2, 0, 1, 1))


def test_the_oldest_page_enters_service_and_any_clock_may_ring():
    queue = poisson_queue(3, obsolescence=(["0.5", "0.5"], [[-1, 0], [0, -2]]))
    ends = {(e.served, e.obsolete, e.removed): e.target for e in queue.events((3, 0, 1, 2, 1)) if e.served or e.obsolete}
    assert ends == {(1, 0, 0): (2, 0, 1, 1), (0, 1, 1): (2, 0, 1, 1), (0, 1, 2): (2, 0, 1, 2)}


def test_capacity_one_has_no_obsolescence():
    measures = poisson_queue(1).measures()
    assert measures.obsolescence == 0
    assert measures.sojourn_obsolete is None
    assert measures.sojourn_served == fmpq(1, 2)


def test_cost_is_the_weighted_sum():
    measures = poisson_queue().measures()
    cost = measures.cost(loss=5, obsolescence=10, sojourn=2, robot=20, starvation=300)
    assert cost == (
        measures.arrival_rate * (5 * measures.loss + 10 * measures.obsolescence)
        + 2 * measures.sojourn_served + 20 + 300 * measures.starvation
    )


def test_simulation_agrees():
    measures = poisson_queue().measures()
    cycles = simulate_cycles(
        np.random.default_rng(5), 4000, batch_rates=[{1: 1.0}], service=lambda rng: rng.exponential(1 / 2),
        deadline=lambda rng: rng.exponential(3), capacity=3, active=(1, 1, 1, 1),
    )
    assert cycles["page_time"].sum() == pytest.approx(cycles["time_served"].sum() + cycles["time_obsolete"].sum())
    starvation = int(measures.starvation.p) / int(measures.starvation.q)
    assert cycles["empty"].sum() / cycles["duration"].sum() == pytest.approx(starvation, rel=0.05)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arrivals": [[[[-1]], [[2]]]]}, r"row 0 of D\(1\) of mode 1 sums to 1, not to 0"),
        ({"arrivals": [[[[1]], [[-1]]]]}, r"D_1 of mode 1 has the negative rate -1 in row 0, column 0"),
        ({"arrivals": [[[[-1, 1]], [[1]]]]}, r"D_0 of mode 1 must be 1 x 1"),
        ({"service": (["0.5"], [[-1]])}, r"initial vector of service sums to 1/2, not to 1"),
        ({"service": ([2, -1], [[-1, 0], [0, -1]])}, r"initial vector of service has the negative entry -1 at position 1"),
        ({"service": ([1], [[1]])}, r"row 0 of the service matrix sums to 1, which is above 0"),
        ({"obsolescence": ([1], [[-1, 0]])}, r"the obsolescence matrix must be 1 x 1"),
        ({"capacity": 0}, r"capacity must be at least 1, not 0"),
        ({"active": (1, 1)}, r"active needs capacity \+ 1 = 4 entries, got 2"),
        ({"active": (1, 2, 1, 1)}, r"active\[1\] = 2 robots, but there are modes 1 to 1"),
    ],
)
def test_bad_input_is_named(changes, message):
    with pytest.raises(ValueError, match=message):
        poisson_queue(**changes)


def test_floats_are_refused():
    with pytest.raises(TypeError, match=r"-0\.5"):
        poisson_queue(service=([1], [[-0.5]]))


def test_thresholds():
    assert active_robots((0, 2, 2), (4, 3, 2, 1), 5) == (4, 3, 3, 1, 1, 1)
    assert active_robots((-1,), (2, 1), 2) == (1, 1, 1)
    assert active_robots((), (3,), 2) == (3, 3, 3)
    with pytest.raises(ValueError, match="need 2 modes, got 1"):
        active_robots((1,), (1,), 3)
    with pytest.raises(ValueError, match=r"\(2, 1\) must increase within -1 to 3"):
        active_robots((2, 1), (3, 2, 1), 3)


def test_kronecker_products_and_sums():
    a, b = fmpq_mat([[1, 2], [3, 4]]), fmpq_mat([[0, 5, 1]])
    product = kron(a, b)
    assert shape(product) == (2, 6)
    assert product[1, 4] == 4 * 5
    assert kronecker_sum(a, a) == kron(a, identity(2, a)) + kron(identity(2, a), a)
    column = fmpq_mat([[1], [2]])
    assert shape(kronecker_sum(column, column, column)) == (8, 4)


def test_matrices_have_the_papers_shapes():
    matrices = QueueMatrices(random_queue(1, service_phases=2, clock_phases=3, capacity=3))
    assert [shape(matrices.A(i)) for i in range(3)] == [(2, 2), (6, 6), (18, 18)]
    assert [shape(matrices.B(i)) for i in (1, 2)] == [(6, 2), (18, 6)]
    assert [matrices.phases(i) for i in range(4)] == [1, 2, 6, 18]
