"""The queue: arrivals switched by thresholds, one server, pages that become obsolete while they wait."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crawlproof.laws.phase_type import ModelError, PhaseType
from crawlproof.queue import fate, levels, policies
from crawlproof.queue.arrivals import Bmap
from crawlproof.queue.errors import NotConverged
from crawlproof.queue.kronecker import QueueChain, padded_batches
from crawlproof.queue.measures import Costs, Measures, measures, totals
from crawlproof.queue.progress import Report, reporting

METHODS = ("dense", "minimal", "sparse", "matrix-free")
# Up to here the recursion on dense blocks is fast; it needs no compiled code and loses no digit.
DENSE_STATES = 1100
# Elimination of a sparse matrix fills it: beyond this it is hopeless.
SPARSE_STATES = 20_000
# Doubles for probabilities and fates, 8 GB.
LARGEST = 2**30
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Choice:
    """The best thresholds for one choice of modes."""

    modes: tuple[int, ...]
    thresholds: tuple[int, ...]
    cost: float


@dataclass(frozen=True)
class Optimum:
    """The best policy, and the best one of every choice of modes."""

    modes: tuple[int, ...]
    thresholds: tuple[int, ...]
    cost: float
    table: tuple[Choice, ...]
    measures: Measures


@dataclass(frozen=True, eq=False)
class ThresholdQueue:
    """A BMAP/PH/1/K queue with a choice of arrival processes and phase-type obsolescence.

    `arrivals` has one process for each number of active robots (index = robots - 1), all directed by a chain of the
    same size. `capacity` counts the page in service too. Pages are served in the order of their arrival; of a batch
    that does not fit, the rest is lost. Waiting pages become obsolete independently of each other; a page in service
    does not.
    """

    arrivals: Sequence[Bmap]
    service: PhaseType
    obsolescence: PhaseType
    capacity: int

    def __post_init__(self) -> None:
        if isinstance(self.arrivals, Bmap) or len(self.arrivals) == 0:
            raise ModelError("arrivals must be a list with one Bmap for each number of active robots")
        object.__setattr__(self, "arrivals", tuple(self.arrivals))
        for mode, bmap in enumerate(self.arrivals, 1):
            if not isinstance(bmap, Bmap):
                raise ModelError(f"arrivals, mode {mode}, is {bmap!r}, not a Bmap")
            if bmap.states != self.arrivals[0].states:
                raise ModelError(f"arrivals, mode {mode}, has {bmap.states} states, but mode 1 has "
                                 f"{self.arrivals[0].states}: all modes share one directing chain")
        for name in ("service", "obsolescence"):
            if not isinstance(getattr(self, name), PhaseType):
                raise ModelError(f"{name} is {getattr(self, name)!r}, not a PhaseType")
        capacity = policies.whole(self.capacity, "capacity")
        if capacity < 1:
            raise ModelError(f"capacity is {capacity}; it counts the page in service, so it must be 1 at least")
        object.__setattr__(self, "capacity", capacity)

    @property
    def modes(self) -> int:
        return len(self.arrivals)

    @cached_property
    def _minimal(self) -> PhaseType:
        return self.obsolescence.minimal()

    def states(self, obsolescence: PhaseType | None = None) -> int:
        """States of the chain, with the obsolescence law as given or with another form of it."""
        phases = (self.obsolescence if obsolescence is None else obsolescence).phases
        words = sum(phases ** (level - 1) for level in range(1, self.capacity + 1))
        return self.arrivals[0].states * (1 + self.service.phases * words)

    def active(self, thresholds: Sequence[int], modes: Sequence[int]) -> tuple[int, ...]:
        """The robots for 0 ... K pages that thresholds and modes stand for."""
        return policies.from_thresholds(thresholds, modes, self.capacity, self.modes)

    def solve(self, active: Sequence[int] | None = None, *, thresholds: Sequence[int] | None = None,
              modes: Sequence[int] | None = None, method: str | None = None,
              progress: Report | bool | None = None) -> Measures:
        """All measures under one policy: robots for 0 ... K pages, or thresholds with modes in the order of use.

        Methods, chosen by size unless `method` says which:

        - "dense": the recursion over levels of Section 3, on the obsolescence law as it is given;
        - "minimal": the same after the law is brought to a form with fewer phases (exact, see `PhaseType.minimal`);
        - "sparse": elimination in the sparse generator of that form, confirmed by sweeps of the next method;
        - "matrix-free": block Gauss-Seidel on the Kronecker structure of that form.

        The first two err by little more than the rounding of the input, however rare an event is. The others stop at an
        estimated relative error of 1e-12, level by level, or raise `NotConverged`.
        """
        if (active is None) == (modes is None) or (active is not None and thresholds is not None):
            raise ModelError("a policy is either active=..., or modes=... with thresholds=...")
        if modes is not None:
            active = self.active(() if thresholds is None else thresholds, modes)
        return self.solve_all([active], method=method, progress=progress)[0]

    def optimise(self, costs: Costs, modes: Sequence[int] | Sequence[Sequence[int]] | None = None, *,
                 method: str | None = None, progress: Report | bool | None = None) -> Optimum:
        """The cheapest thresholds, for all choices of modes or for those given: one, (3, 1), or several, [(3, 1), (4,)].

        Thresholds are 0 <= j_1 <= j_2 <= ... <= K - 1 as in `solve`. Of policies that cost the same, the one with the
        fewest modes is taken.
        """
        if not isinstance(costs, Costs):
            raise ModelError(f"costs is {costs!r}; it must be Costs(...)")
        if modes is None:
            chosen = policies.all_combinations(self.modes)
        elif isinstance(modes, Sequence) and modes and all(isinstance(m, tuple | list | np.ndarray) for m in modes):
            chosen = [policies.check_combination(combination, self.modes) for combination in modes]
        else:
            chosen = [policies.check_combination(modes, self.modes)]
        candidates = {
            combination: {
                thresholds: policies.from_thresholds(thresholds, combination, self.capacity, self.modes)
                for thresholds in policies.all_thresholds(len(combination), self.capacity)
            }
            for combination in chosen
        }
        actives = sorted({active for options in candidates.values() for active in options.values()})
        found = dict(zip(actives, self._solve(actives, method, progress), strict=True))
        cost = {active: result.cost(costs) for active, result in found.items()}
        table = []
        for combination, options in candidates.items():
            thresholds = min(options, key=lambda option: cost[options[option]])
            table.append(Choice(combination, thresholds, cost[options[thresholds]]))
        best = min(table, key=lambda choice: choice.cost)
        return Optimum(best.modes, best.thresholds, best.cost, tuple(table), found[candidates[best.modes][best.thresholds]])

    def solve_all(self, actives: Sequence[Sequence[int]], *, method: str | None = None,
                  progress: Report | bool | None = None) -> list[Measures]:
        """All measures under each of many policies (robots for 0 ... K pages); dense methods share most of the work."""
        checked = [policies.check_active(active, self.capacity, self.modes) for active in actives]
        return self._solve(checked, method, progress)

    def _solve(self, actives: Sequence[tuple[int, ...]], method: str | None, progress: Report | bool | None) -> list[Measures]:
        indices = np.array(actives, dtype=np.intp).reshape(len(actives), self.capacity + 1) - 1
        chosen = self._method(method)
        law = self.obsolescence if chosen == "dense" else self._minimal
        long = len(actives) * self.states(law) > 50 * DENSE_STATES
        # What overflows becomes infinite or undefined, and `measures` refuses that.
        silence = np.errstate(over="ignore", divide="ignore", invalid="ignore")
        with silence, reporting(progress, f"{chosen}, {self.states(law):,} states", long) as report:
            if chosen in ("dense", "minimal"):
                return self._recursion(law, indices, chosen, report)
            return self._iteration(law, indices, chosen, may_choose=method is None, report=report)

    def _method(self, method: str | None) -> str:
        if method is None:
            if self.states(self._minimal) <= DENSE_STATES or self._minimal.phases == 1:
                return "dense" if self._minimal is self.obsolescence else "minimal"
            return "matrix-free"
        if method not in METHODS:
            raise ModelError(f"method is {method!r}; there are {', '.join(METHODS)}")
        return method

    def _refuse_if_too_large(self, doubles: float, method: str) -> None:
        if doubles > LARGEST:
            raise ModelError(f"capacity {self.capacity} with {self._minimal.phases} phases of obsolescence needs "
                             f"{doubles * 8 / 2**30:.3g} GB by method {method!r}; {LARGEST * 8 / 2**30:.0f} GB is the limit")

    def _recursion(self, law: PhaseType, indices: np.ndarray, method: str, report: Report) -> list[Measures]:
        states = self.states(law)
        self._refuse_if_too_large(2.0 * states**2, method)
        chain = QueueChain(self.arrivals, self.service, law, self.capacity)
        waiting = fate.of_waiting_pages(self.service, law, self.capacity)
        result: list[Measures | None] = [None] * len(indices)
        done = 0
        for group in levels.groups(chain, indices):
            laws = chain.by_level(levels.stationary(chain, indices[group]))
            found = measures(totals(laws, self.service, law, waiting), indices[group], chain.batches,
                             method=method, states=states, error=states * np.finfo(float).eps)
            for k, item in zip(group, found, strict=True):
                result[k] = item
            done += len(group)
            report(done / len(indices), f"{done} of {len(indices)} policies")
        return result

    def _iteration(self, law: PhaseType, indices: np.ndarray, method: str, *, may_choose: bool,
                   report: Report) -> list[Measures]:
        # Compiled code: not loaded before it is needed.
        from crawlproof.queue import matrix_free, sparse

        states = self.states(law)
        self._refuse_if_too_large(2.0 * states, method)
        law = law.forward()  # halves the number of sweeps
        if method == "sparse" and states > SPARSE_STATES:
            raise ModelError(f"method 'sparse' is for {SPARSE_STATES:,} states at most, here are {states:,}")
        waiting = matrix_free.of_waiting_pages(self.service, law, self.capacity)
        result = []
        for k, policy in enumerate(indices):
            def sweeps(sweep: int, error: float, k: int = k) -> None:
                digits = min(max(math.log10(error) / math.log10(TOLERANCE), 0), 1)
                report((k + digits) / len(indices), f"policy {k + 1} of {len(indices)}, sweep {sweep}, error {error:.0e}")

            problem = matrix_free.Problem(self.arrivals, self.service, law, self.capacity, policy)
            start = sparse.stationary(problem) if method == "sparse" else None
            used = method
            try:
                found, error = matrix_free.stationary(problem, TOLERANCE, sweeps, start)
            except NotConverged:
                if not may_choose or states > SPARSE_STATES:
                    raise
                used = "sparse"
                found, error = matrix_free.stationary(problem, TOLERANCE, sweeps, sparse.stationary(problem))
            sums = totals(matrix_free.by_level(problem, found), self.service, law, waiting)
            result += measures(sums, policy[None], padded_batches(self.arrivals), method=used, states=states, error=error)
        return result
