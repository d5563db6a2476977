"""The threshold-controlled queue with obsolescence, enumerated from its description.

Pages arrive in batches, from an arrival process with one mode for each number of active robots. One
server takes them in the order of their arrival. At most ``capacity`` pages are in the system, the one
in service included; of a batch that doesn't fit, the pages that find no place are lost. A page that
waits carries a clock of its own, and leaves unserved when that clock rings.

A state is ``(i, nu)`` for the empty system (i = 0), else ``(i, nu, m, r_1, ..., r_{i-1})``: i pages, arrival
phase nu = 0, 1, ..., service phase m = 1, 2, ..., and for each waiting page, oldest first, the phase r of
its clock = 1, 2, .... States are in lexicographic order.

Every rate is read off :meth:`ObsolescenceQueue.events`, which lists what can happen in a state. Nothing
here uses a matrix formula, so matrix formulas can be tested against it. Entries are exact: integers,
fractions, decimals as text ("0.05"), flint rationals, or SymPy expressions; floats are refused.

>>> queue = ObsolescenceQueue(
...     arrivals=[[[[-1]], [[1]]], [[[-2]], [[2]]]],  # mode 1 at rate 1, mode 2 at rate 2
...     service=([1], [[-3]]), obsolescence=([1], [[-1]]), capacity=2, active=(2, 1, 1),
... )
>>> queue.states
((0, 0), (1, 0, 1), (2, 0, 1, 1))
>>> measures = queue.measures()
>>> measures.level_probabilities
(6/11, 4/11, 1/11)
>>> measures.loss + measures.obsolescence + measures.success
1
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp
from flint import fmpq, fmpq_mat

from claimproof.engines.balls import exact_rational
from claimproof.engines.exact import stationary

State = tuple[int, ...]
Number = Any  # a flint rational, or a SymPy expression when the model has symbols
Rows = tuple[tuple[Number, ...], ...]


@dataclass(frozen=True)
class Event:
    """Something that happens in a state: its rate, the state after it, and what becomes of pages.

    ``removed`` is the place in the system of the page that leaves (0 is the server), if one does.
    """

    rate: Number
    target: State
    delivered: int = 0
    lost: int = 0
    served: int = 0
    obsolete: int = 0
    removed: int | None = None


@dataclass(frozen=True)
class Measures:
    """The performance measures, exactly.

    ``loss``, ``obsolescence`` and ``success`` are probabilities for an arbitrary delivered page;
    ``sojourn`` counts a lost page with time 0; ``sojourn_served`` and ``sojourn_obsolete`` are means
    over the pages with that fate (None if there are none).
    """

    arrival_rate: Number
    loss: Number
    obsolescence: Number
    success: Number
    starvation: Number
    active_robots: Number
    level_probabilities: tuple[Number, ...]
    sojourn: Number
    sojourn_served: Number | None
    sojourn_obsolete: Number | None

    def cost(
        self, *, loss: Number, obsolescence: Number, sojourn: Number, robot: Number, starvation: Number
    ) -> Number:
        """The cost of a unit of time, with the mean sojourn time of *served* pages, as in the paper's (2)."""
        c_loss, c_obs, a, c_rob, c_star = (_exact(c) for c in (loss, obsolescence, sojourn, robot, starvation))
        return (
            self.arrival_rate * (c_loss * self.loss + c_obs * self.obsolescence)
            + a * self.sojourn_served + c_rob * self.active_robots + c_star * self.starvation
        )


@dataclass(frozen=True)
class TaggedPage:
    """What happens to one page from its arrival on, as an absorbing chain.

    ``rates`` holds the transitions between the states, ``served`` and ``obsolete`` the rates of the two
    ways out, ``entry`` the rate at which accepted pages start in each state.
    """

    states: tuple[State, ...]
    rates: fmpq_mat | sp.Matrix
    served: fmpq_mat | sp.Matrix
    obsolete: fmpq_mat | sp.Matrix
    entry: fmpq_mat | sp.Matrix

    def transform(self, u: Any, exit_rates: fmpq_mat | sp.Matrix) -> Number:
        """Entry rate times E[exp(-u T); the page leaves by this exit], T its time in the system."""
        return _entry_of(self.entry * _solve(self._resolvent(_exact(u)), exit_rates))

    def mean_time(self, exit_rates: fmpq_mat | sp.Matrix) -> Number:
        """Entry rate times E[T; the page leaves by this exit]."""
        resolvent = self._resolvent(_exact(0))
        return _entry_of(self.entry * _solve(resolvent, _solve(resolvent, exit_rates)))

    def _resolvent(self, u: Number) -> fmpq_mat | sp.Matrix:
        rows = self.rates.tolist()
        return type(self.rates)([[(u if i == j else 0) - v for j, v in enumerate(r)] for i, r in enumerate(rows)])


@dataclass(frozen=True)
class ObsolescenceQueue:
    """The queue under a fixed policy.

    ``arrivals[n - 1]`` is the list D_0, D_1, ..., D_b of mode n (n robots active), ``service`` is (beta, S),
    ``obsolescence`` is (gamma, Gamma), ``active[i]`` is the number of active robots with i pages in the
    system, i = 0, ..., capacity.
    """

    arrivals: Sequence[Sequence[Any]]
    service: tuple[Any, Any]
    obsolescence: tuple[Any, Any]
    capacity: int
    active: Sequence[int]
    symbolic: bool = field(init=False)

    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)  # noqa: E731  (frozen)
        put("arrivals", tuple(tuple(_rows(d) for d in mode) for mode in self.arrivals))
        put("service", (_vector(self.service[0]), _rows(self.service[1])))
        put("obsolescence", (_vector(self.obsolescence[0]), _rows(self.obsolescence[1])))
        put("active", tuple(self.active))
        numbers = [
            v for rows in (*itertools.chain(*self.arrivals), self.service[1], self.obsolescence[1],
                           (self.service[0],), (self.obsolescence[0],)) for row in rows for v in row
        ]
        put("symbolic", any(isinstance(v, sp.Expr) for v in numbers))
        if self.symbolic:  # flint rationals and SymPy expressions don't mix
            put("arrivals", tuple(tuple(_sympy_rows(d) for d in mode) for mode in self.arrivals))
            put("service", (_sympy_rows((self.service[0],))[0], _sympy_rows(self.service[1])))
            put("obsolescence", (_sympy_rows((self.obsolescence[0],))[0], _sympy_rows(self.obsolescence[1])))
        self._validate()

    def _validate(self) -> None:
        if self.capacity < 1:
            raise ValueError(f"capacity must be at least 1, not {self.capacity}")
        if len(self.active) != self.capacity + 1:
            raise ValueError(f"active needs capacity + 1 = {self.capacity + 1} entries, got {len(self.active)}")
        for i, robots in enumerate(self.active):
            if not 1 <= robots <= len(self.arrivals):
                raise ValueError(f"active[{i}] = {robots} robots, but there are modes 1 to {len(self.arrivals)}")
        for n, mode in enumerate(self.arrivals, start=1):
            for k, matrix in enumerate(mode):
                _require_shape(matrix, self.arrival_phases, self.arrival_phases, f"D_{k} of mode {n}")
                _require_rates(matrix, k == 0, f"D_{k} of mode {n}")
            for nu in range(self.arrival_phases):
                total = sum((sum(d[nu], self._zero) for d in mode), self._zero)
                if not _is_zero(total):
                    raise ValueError(f"row {nu} of D(1) of mode {n} sums to {total}, not to 0")
        for name, (start, matrix) in (("service", self.service), ("obsolescence", self.obsolescence)):
            _require_shape(matrix, len(start), len(start), f"the {name} matrix")
            _require_rates(matrix, True, f"the {name} matrix")
            for place, weight in enumerate(start):
                if not self.symbolic and weight < 0:
                    raise ValueError(f"the initial vector of {name} has the negative entry {weight} at position {place}")
            if not _is_zero(sum(start, self._zero) - 1):
                raise ValueError(f"the initial vector of {name} sums to {sum(start, self._zero)}, not to 1")
            for row, rate in enumerate(_exit_rates(matrix)):
                if not self.symbolic and rate < 0:
                    raise ValueError(f"row {row} of the {name} matrix sums to {-rate}, which is above 0")

    # ---- what can happen ------------------------------------------------------------

    @property
    def _zero(self) -> Number:
        return sp.S.Zero if self.symbolic else fmpq(0)

    @property
    def arrival_phases(self) -> int:
        return len(self.arrivals[0][0])

    @property
    def service_phases(self) -> int:
        return len(self.service[0])

    @property
    def clock_phases(self) -> int:
        return len(self.obsolescence[0])

    @cached_property
    def states(self) -> tuple[State, ...]:
        """All states, in lexicographic order."""
        return tuple(
            state for level in range(self.capacity + 1) for state in self.level_states(level)
        )

    def level_states(self, pages: int) -> tuple[State, ...]:
        """The states with this number of pages, in lexicographic order."""
        phases = [range(self.arrival_phases)]
        if pages:
            phases.append(range(1, self.service_phases + 1))
            phases += [range(1, self.clock_phases + 1)] * (pages - 1)
        return tuple((pages, *rest) for rest in itertools.product(*phases))

    def events(self, state: State) -> Iterator[Event]:
        """Everything that can happen in a state, an arrival that changes no phase and is lost included."""
        yield from self._arrival_events(state)
        if state[0]:
            yield from self._service_events(state)
            yield from self._clock_events(state)

    def _arrival_events(self, state: State) -> Iterator[Event]:
        pages, nu, *rest = state
        for size, matrix in enumerate(self.arrivals[self.active[pages] - 1]):
            for phase, rate in enumerate(matrix[nu]):
                if _is_zero(rate) or (size == 0 and phase == nu):
                    continue
                accepted = min(size, self.capacity - pages)
                for weight, new in self._newcomers(pages, accepted):
                    yield Event(
                        rate * weight, (pages + accepted, phase, *rest, *new), delivered=size, lost=size - accepted
                    )

    def _newcomers(self, pages: int, accepted: int) -> Iterator[tuple[Number, tuple[int, ...]]]:
        """The phases that accepted pages start with: the first of them in service if the server is free."""
        starts = [self.obsolescence[0]] * accepted
        if pages == 0 and accepted:
            starts[0] = self.service[0]
        for choice in itertools.product(*(range(len(start)) for start in starts)):
            weight = self._zero + 1
            for start, index in zip(starts, choice, strict=True):
                weight = weight * start[index]
            if not _is_zero(weight):
                yield weight, tuple(index + 1 for index in choice)

    def _service_events(self, state: State) -> Iterator[Event]:
        pages, nu, m, *clocks = state
        beta, matrix = self.service
        for phase, rate in enumerate(matrix[m - 1], start=1):
            if phase != m and not _is_zero(rate):
                yield Event(rate, (pages, nu, phase, *clocks))
        done = _exit_rates(matrix)[m - 1]
        if _is_zero(done):
            return
        if pages == 1:
            yield Event(done, (0, nu), served=1, removed=0)
            return
        for phase, weight in enumerate(beta, start=1):  # the oldest waiting page enters service
            if not _is_zero(weight):
                yield Event(done * weight, (pages - 1, nu, phase, *clocks[1:]), served=1, removed=0)

    def _clock_events(self, state: State) -> Iterator[Event]:
        pages, nu, m, *clocks = state
        matrix = self.obsolescence[1]
        for place, r in enumerate(clocks):
            for phase, rate in enumerate(matrix[r - 1], start=1):
                if phase != r and not _is_zero(rate):
                    yield Event(rate, (pages, nu, m, *clocks[:place], phase, *clocks[place + 1:]))
            rings = _exit_rates(matrix)[r - 1]
            if not _is_zero(rings):
                left = (pages - 1, nu, m, *clocks[:place], *clocks[place + 1:])
                yield Event(rings, left, obsolete=1, removed=place + 1)

    # ---- the chain ------------------------------------------------------------------

    @cached_property
    def generator(self) -> fmpq_mat | sp.Matrix:
        """The infinitesimal generator over :attr:`states`."""
        return self._matrix(_generator_rows(self.states, self._moves, self._zero))

    def _moves(self, state: State) -> Iterator[tuple[Number, State]]:
        return ((event.rate, event.target) for event in self.events(state))

    def block(self, level: int, other: int) -> fmpq_mat | sp.Matrix:
        """The part of the generator that leads from states with ``level`` pages to states with ``other``."""
        position = {s: i for i, s in enumerate(self.states)}
        columns = [position[s] for s in self.level_states(other)]
        return self._matrix(
            [[self.generator[position[s], j] for j in columns] for s in self.level_states(level)]
        )

    @cached_property
    def probabilities(self) -> Mapping[State, Number]:
        """The stationary probability of each state; the chain must be irreducible."""
        if self.symbolic:
            return dict(zip(self.states, _stationary_symbolic(self.generator), strict=True))
        return dict(zip(self.states, stationary(self.generator), strict=True))

    def level_vector(self, pages: int) -> fmpq_mat | sp.Matrix:
        """The row vector p_i of the stationary probabilities of the states with i pages."""
        return self._matrix([[self.probabilities[s] for s in self.level_states(pages)]])

    def event_rate(self, count: str) -> Number:
        """How many pages per unit of time are ``delivered``, ``lost``, ``served`` or become ``obsolete``."""
        return sum(
            (p * e.rate * getattr(e, count) for s, p in self.probabilities.items() for e in self.events(s)), self._zero
        )

    def measures(self) -> Measures:
        """All performance measures, from the events, the stationary law and the tagged page."""
        levels = tuple(
            sum((self.probabilities[s] for s in self.level_states(i)), self._zero) for i in range(self.capacity + 1)
        )
        rate = self.event_rate("delivered")
        tagged = self.tagged_page()
        served, obsolete = self.event_rate("served"), self.event_rate("obsolete")
        time_served, time_obsolete = tagged.mean_time(tagged.served), tagged.mean_time(tagged.obsolete)
        return Measures(
            arrival_rate=rate,
            loss=self.event_rate("lost") / rate,
            obsolescence=obsolete / rate,
            success=served / rate,
            starvation=levels[0],
            active_robots=sum((p * n for p, n in zip(levels, self.active, strict=True)), self._zero),
            level_probabilities=levels,
            sojourn=(time_served + time_obsolete) / rate,
            sojourn_served=time_served / served,
            sojourn_obsolete=None if _is_zero(obsolete) else time_obsolete / obsolete,
        )

    # ---- one page among the others ----------------------------------------------------

    def tagged_page(self) -> TaggedPage:
        """The chain of one accepted page: the service phase and the clocks up to its own.

        A state is ``(place, m, r_1, ..., r_place)``, place 0 being the server; what comes later or is
        decided by arrivals is left out (:meth:`tagged_page_in_system` keeps it).
        """
        def project(state: State, place: int) -> State:
            return (place, *state[2:3 + place])

        # A system without arrivals, filled up to the tagged page, makes exactly its moves.
        def moves(tagged: State) -> Iterator[tuple[Event, State | None]]:
            place, *phases = tagged
            ahead = (place + 1, 0, *phases)
            for event in itertools.chain(self._service_events(ahead), self._clock_events(ahead)):
                yield event, _follow(event, place, project)

        states = [
            (place, *phases[2:]) for place in range(self.capacity)
            for phases in self.level_states(place + 1) if phases[1] == 0
        ]
        return self._tagged(states, moves, project)

    def tagged_page_in_system(self) -> TaggedPage:
        """The chain of one accepted page inside the whole system: state ``(place, *state of the system)``.

        Far larger than :meth:`tagged_page`; it shows that what comes behind a page doesn't matter.
        """
        def project(state: State, place: int) -> State:
            return (place, *state)

        def moves(tagged: State) -> Iterator[tuple[Event, State | None]]:
            place, *state = tagged
            for event in self.events(tuple(state)):
                yield event, _follow(event, place, project)

        states = [
            (place, *state) for place in range(self.capacity) for state in self.states if state[0] > place
        ]
        return self._tagged(states, moves, project)

    def _tagged(self, states, moves, project) -> TaggedPage:
        position = {s: i for i, s in enumerate(states)}
        served, obsolete = [self._zero] * len(states), [self._zero] * len(states)
        inside: dict[State, list[tuple[Number, State]]] = {}
        for state, i in position.items():
            inside[state] = []
            for event, target in moves(state):
                if target is not None:
                    inside[state].append((event.rate, target))
                elif event.served:
                    served[i] += event.rate
                else:
                    obsolete[i] += event.rate
        rows = _generator_rows(states, lambda s: inside[s], self._zero)
        for i in range(len(states)):
            rows[i][i] -= served[i] + obsolete[i]
        entry = [self._zero] * len(states)
        for state, probability in self.probabilities.items():
            for event in self.events(state):
                for place in range(state[0], state[0] + event.delivered - event.lost):
                    entry[position[project(event.target, place)]] += probability * event.rate
        column = lambda values: self._matrix([[v] for v in values])  # noqa: E731
        return TaggedPage(tuple(states), self._matrix(rows), column(served), column(obsolete), self._matrix([entry]))

    def _matrix(self, rows: Sequence[Sequence[Number]]) -> fmpq_mat | sp.Matrix:
        return sp.Matrix(rows) if self.symbolic else fmpq_mat([list(row) for row in rows])


def _follow(event: Event, place: int, project) -> State | None:
    """Where the page at ``place`` is after an event; None if it was the one that left."""
    if event.removed is None:
        return project(event.target, place)
    if event.removed == place:
        return None
    return project(event.target, place - (event.removed < place))


def active_robots(thresholds: Sequence[int], modes: Sequence[int], capacity: int) -> tuple[int, ...]:
    """The number of active robots for i = 0, ..., capacity pages, under thresholds j_1 <= j_2 <= ...

    ``modes`` lists the numbers of robots in the order of use, one more than there are thresholds: the
    first up to j_1 pages, the second from j_1 + 1 to j_2 pages, and so on; a mode between equal thresholds
    is never used.

    >>> active_robots((2,), (3, 1), capacity=5)
    (3, 3, 3, 1, 1, 1)
    """
    bounds = (*thresholds, capacity)
    if len(modes) != len(bounds):
        raise ValueError(f"{len(thresholds)} thresholds need {len(bounds)} modes, got {len(modes)}")
    if any(a > b for a, b in itertools.pairwise((-1, *bounds))):
        raise ValueError(f"thresholds {tuple(thresholds)} must increase within -1 to {capacity}")
    return tuple(next(n for n, last in zip(modes, bounds, strict=True) if i <= last) for i in range(capacity + 1))


# ---- exact arithmetic ------------------------------------------------------------------


def _exact(value: Any) -> Number:
    """A flint rational, or a SymPy expression if the value is one that is no rational."""
    if isinstance(value, sp.Expr) and not isinstance(value, (sp.Rational, sp.Float)):
        return value
    return exact_rational(Fraction(value) if isinstance(value, str) else value)


def _vector(values: Any) -> tuple[Number, ...]:
    return tuple(_exact(v) for v in values)


def _rows(matrix: Any) -> Rows:
    rows = matrix.tolist() if hasattr(matrix, "tolist") else matrix
    return tuple(_vector(row) for row in rows)


def _sympy_rows(rows: Rows) -> Rows:
    return tuple(
        tuple(v if isinstance(v, sp.Expr) else sp.Rational(int(v.p), int(v.q)) for v in row) for row in rows
    )


def _is_zero(value: Number) -> bool:
    return sp.expand(value) == 0 if isinstance(value, sp.Expr) else value == 0


def _exit_rates(matrix: Rows) -> tuple[Number, ...]:
    return tuple(-sum(row[1:], row[0]) for row in matrix)


def _require_shape(matrix: Rows, rows: int, columns: int, name: str) -> None:
    if len(matrix) != rows or any(len(row) != columns for row in matrix):
        raise ValueError(f"{name} must be {rows} x {columns}")


def _require_rates(matrix: Rows, diagonal_is_exit: bool, name: str) -> None:
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            if not isinstance(value, sp.Expr) and value < 0 and not (diagonal_is_exit and i == j):
                raise ValueError(f"{name} has the negative rate {value} in row {i}, column {j}")


def _generator_rows(states, moves, zero: Number) -> list[list[Number]]:
    """Rates between different states, and minus their sum on the diagonal."""
    position = {s: i for i, s in enumerate(states)}
    rows = [[zero] * len(position) for _ in position]
    for state, i in position.items():
        for rate, target in moves(state):
            if target != state:
                rows[i][position[target]] += rate
                rows[i][i] -= rate
    return rows


def _stationary_symbolic(generator: sp.Matrix) -> list[sp.Expr]:
    """The stationary law over the field of rational functions of the symbols."""
    size = generator.rows
    balance = generator.T.as_mutable()
    balance[size - 1, :] = sp.ones(1, size)
    target = sp.zeros(size, 1)
    target[size - 1] = 1
    return list(_solve(balance, target))


def _solve(matrix: fmpq_mat | sp.Matrix, right: fmpq_mat | sp.Matrix) -> fmpq_mat | sp.Matrix:
    if isinstance(matrix, fmpq_mat):
        return matrix.solve(right)
    left, other = sp.polys.matrices.DomainMatrix.from_Matrix(matrix), sp.polys.matrices.DomainMatrix.from_Matrix(right)
    left, other = left.unify(other)
    return left.to_field().lu_solve(other.to_field()).to_Matrix()


def _entry_of(matrix: fmpq_mat | sp.Matrix) -> Number:
    return matrix[0, 0]
