"""The queue: arrivals switched by thresholds, one server, pages that become obsolete while they wait."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations_with_replacement
from typing import Literal, overload

import numpy as np

from crawlproof.laws.phase_type import ModelError, PhaseType
from crawlproof.queue import decision, fate, generator, levels, policies, transient
from crawlproof.queue.arrivals import Bmap
from crawlproof.queue.clocks import Patience, Unlimited
from crawlproof.queue.decision import Control
from crawlproof.queue.errors import NotConverged
from crawlproof.queue.kronecker import QueueChain, padded_batches
from crawlproof.queue.measures import Costs, Measures, Regime, measures, rates, totals
from crawlproof.queue.progress import Report, reporting
from crawlproof.queue.sensitivity import Sensitivities, sensitivities
from crawlproof.queue.structure import Structure
from crawlproof.queue.transient import AfterBurst

METHODS = ("dense", "minimal", "sparse", "matrix-free")
# Up to here the recursion on dense blocks is fast; it needs no compiled code and loses no digit.
DENSE_STATES = 1100
# Elimination of a sparse matrix fills it: beyond this it is hopeless.
SPARSE_STATES = 20_000
# Doubles for probabilities and fates, 8 GB.
LARGEST = 2**30
TOLERANCE = 1e-12
# Thresholds of one choice of modes up to which all of them are compared.
LISTED = 20_000


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
    exhaustive: bool
    """whether all policies were compared"""

    @property
    def active(self) -> tuple[int, ...]:
        """Robots for 0 ... K pages."""
        return self.measures.active


@dataclass(frozen=True, eq=False)
class ThresholdQueue:
    """A BMAP/PH/1/K queue with a choice of arrival processes and phase-type obsolescence.

    `arrivals` has one process for each mode, all directed by a chain of the same size; `robots` says how many robots
    are active in each of them, 1, 2, ... unless it is given. `capacity` counts the page in service too. Pages are served
    in the order of their arrival; of a batch that does not fit, the rest is lost. Waiting pages become obsolete
    independently of each other, or not at all (`obsolescence=None`); a page in service does not.
    """

    arrivals: Sequence[Bmap]
    service: PhaseType
    obsolescence: PhaseType | None
    capacity: int
    robots: Sequence[int] | None = None

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
        if not isinstance(self.service, PhaseType):
            raise ModelError(f"service is {self.service!r}, not a PhaseType")
        if not isinstance(self.obsolescence, PhaseType | None):
            raise ModelError(f"obsolescence is {self.obsolescence!r}, neither a PhaseType nor None")
        capacity = policies.whole(self.capacity, "capacity")
        if capacity < 1:
            raise ModelError(f"capacity is {capacity}; it counts the page in service, so it must be 1 at least")
        object.__setattr__(self, "capacity", capacity)
        object.__setattr__(self, "robots", policies.check_robots(self.robots, len(self.arrivals)))
        if not any(bmap.delivers for bmap in self.arrivals):
            raise ModelError("no mode ever delivers: all rates in D1, D2, ... are 0 in all of them")

    @property
    def modes(self) -> int:
        return len(self.arrivals)

    @cached_property
    def patience(self) -> Patience:
        """The clock of a waiting page; without obsolescence, one that never ends."""
        return Unlimited() if self.obsolescence is None else self.obsolescence

    @cached_property
    def _minimal(self) -> Patience:
        return self.patience.minimal()

    @cached_property
    def structure(self) -> Structure:
        return Structure(self.arrivals, self.capacity)

    def states(self, obsolescence: Patience | None = None) -> int:
        """States of the chain, with the obsolescence law as given or with another form of it."""
        phases = (self.patience if obsolescence is None else obsolescence).phases
        words = sum(phases ** (level - 1) for level in range(1, self.capacity + 1))
        return self.arrivals[0].states * (1 + self.service.phases * words)

    def active(self, thresholds: Sequence[int], modes: Sequence[int]) -> tuple[int, ...]:
        """The robots for 0 ... K pages that thresholds and modes stand for."""
        return policies.from_thresholds(thresholds, modes, self.capacity, self.robots)

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
        return self.solve_all([self._policy(active, thresholds, modes)], method=method, progress=progress)[0]

    def after_burst(self, burst: int, times: Sequence[float], active: Sequence[int] | None = None, *,
                    thresholds: Sequence[int] | None = None, modes: Sequence[int] | None = None,
                    start: str = "stationary") -> AfterBurst:
        """Measures at times after `burst` pages have come at once, to a queue in its long run or an "empty" one (its
        arrival phases then as in the long run of the whole queue)."""
        if not isinstance(start, str) or start not in transient.STARTS:
            raise ModelError(f"start is {start!r}; there are {', '.join(transient.STARTS)}")
        policy = self._checked(self._policy(active, thresholds, modes))
        generator.refuse_if_too_large(self.states(self._minimal), "the time after a burst")
        regime = self._regime_of_recursion(self._minimal, policy)
        phases = sum(law.reshape(self.arrivals[0].states, -1).sum(axis=1) for law in regime.laws)
        return transient.after_burst(self, self.chain(self._minimal), policy, regime if start == "stationary" else None,
                                     burst, times, phases)

    def sensitivities(self, costs: Costs, active: Sequence[int] | None = None, *, thresholds: Sequence[int] | None = None,
                      modes: Sequence[int] | None = None) -> Sensitivities:
        """Derivatives of the cost by all rates, of the laws as they are given, and by its coefficients."""
        check_costs(costs)
        policy = self._checked(self._policy(active, thresholds, modes))
        if self.patience.phases > 1:
            generator.refuse_if_too_large(self.states(), "a derivative by all rates")
        return sensitivities(self, self.patience, policy, costs, by_level)

    def _policy(self, active: Sequence[int] | None, thresholds: Sequence[int] | None,
                modes: Sequence[int] | None) -> Sequence[int]:
        if (active is None) == (modes is None) or (active is not None and thresholds is not None):
            raise ModelError("a policy is either active=..., or modes=... with thresholds=...")
        if modes is not None:
            return self.active(() if thresholds is None else thresholds, modes)
        return active

    def _checked(self, active: Sequence[int]) -> np.ndarray:
        """The modes, as indices, of a policy that has a long run."""
        checked = policies.check_active(active, self.capacity, self.robots)
        refusal = self._refusal(checked)
        if refusal is not None:
            raise ModelError(f"active is {checked}: {refusal}")
        return np.array(self._indices(checked), dtype=np.intp)

    @overload
    def optimise(self, costs: Costs, modes: Sequence[int] | Sequence[Sequence[int]] | None = None, *,
                 sees: Literal["level"] = "level", method: str | None = None,
                 progress: Report | bool | None = None) -> Optimum: ...

    @overload
    def optimise(self, costs: Costs, modes: None = None, *, sees: Literal["phase", "state"], method: str | None = None,
                 progress: Report | bool | None = None) -> Control: ...

    def optimise(self, costs: Costs, modes: Sequence[int] | Sequence[Sequence[int]] | None = None, *, sees: str = "level",
                 method: str | None = None, progress: Report | bool | None = None) -> Optimum | Control:
        """The best thresholds; or the best policy that sees the level and the arrival "phase", or the whole "state".

        What sees more is compared with the best thresholds, and comes with a bound that no policy is below.
        """
        check_costs(costs)
        if not isinstance(sees, str) or sees not in decision.SEES:
            raise ModelError(f"sees is {sees!r}; there are {', '.join(decision.SEES)}")
        if sees == "level":
            return self._best_thresholds(costs, modes, method, progress)
        if modes is not None:
            raise ModelError(f"modes is {modes!r}; with sees={sees!r} a policy may use all of them")
        generator.refuse_if_too_large(self.states(self.patience.lumped()), "a policy that sees phases")
        thresholds = self._best_thresholds(costs, None, method, progress)
        return decision.optimise(self, costs, sees, (thresholds.active, thresholds.cost))

    def _best_thresholds(self, costs: Costs, modes: Sequence[int] | Sequence[Sequence[int]] | None, method: str | None,
                         progress: Report | bool | None) -> Optimum:
        """The cheapest thresholds, for all choices of modes or for those given: one, (3, 1), or several, [(3, 1), (4,)].

        Thresholds are 0 <= j_1 <= j_2 <= ... <= K - 1 as in `solve`. Of policies that cost the same, the one with the
        fewest modes is taken. Where a choice of modes has too many thresholds to list (`exhaustive` is False), policy
        iteration over levels leads to thresholds that no shift of one, or of some next to each other, improves: mostly the
        best, but that is not proved.
        """
        if modes is None:
            chosen = policies.all_combinations(self.robots)
        elif isinstance(modes, Sequence) and modes and all(isinstance(m, tuple | list | np.ndarray) for m in modes):
            chosen = [policies.check_combination(combination, self.robots) for combination in modes]
        else:
            chosen = [policies.check_combination(modes, self.robots)]
        listed = {combination for combination in chosen
                  if policies.count_thresholds(len(combination), self.capacity) <= LISTED}
        candidates = {
            combination: {thresholds: self.active(thresholds, combination)
                          for thresholds in policies.all_thresholds(len(combination), self.capacity)}
            for combination in chosen if combination in listed
        }
        if len(listed) < len(chosen):
            generator.refuse_if_too_large(
                self.states(self.patience.lumped()),
                f"capacity {self.capacity} with {max(map(len, chosen))} modes has "
                f"{policies.count_thresholds(max(map(len, chosen)), self.capacity):,} policies; listing them is for {LISTED:,} at "
                "most, policy iteration")
        actives = sorted({active for options in candidates.values() for active in options.values()})
        refused = {active: reason for active in actives if (reason := self._refusal(active)) is not None}
        possible = [active for active in actives if active not in refused]
        found = dict(zip(possible, self._solve(possible, method, progress), strict=True))
        cost = {active: result.cost(costs) for active, result in found.items()}
        table: list[Choice] = []
        problem = decision.Problem(self, costs) if len(listed) < len(chosen) else None
        for combination in chosen:
            if combination in listed:
                options = {thresholds: active for thresholds, active in candidates[combination].items() if active in cost}
                if options:
                    thresholds = min(options, key=lambda option: cost[options[option]])
                    table.append(Choice(combination, thresholds, cost[options[thresholds]]))
            else:
                row, measures_of_row = self._descended(problem, combination, table, method)
                if row is not None:
                    table.append(row)
                    found[measures_of_row.active] = measures_of_row
        if not table:
            active = actives[0] if actives else self.active([0] * (len(chosen[0]) - 1), chosen[0])
            raise ModelError(f"active is {active}: {self._refusal(active)}; and so for all policies to choose from")
        best = min(table, key=lambda choice: choice.cost)
        return Optimum(best.modes, best.thresholds, best.cost, tuple(table), found[self.active(best.thresholds, best.modes)],
                       exhaustive=len(listed) == len(chosen))

    def _descended(self, problem: decision.Problem, combination: tuple[int, ...], table: Sequence[Choice],
                   method: str | None) -> tuple[Choice | None, Measures | None]:
        """Thresholds that no shift of neighbouring ones improves: by policy iteration over levels, from the best thresholds
        of fewer modes, and by trying all shifts in turn."""
        costs, indices = problem.costs, tuple(self._indices(combination))
        starts = {tuple(int(j) for j in np.linspace(0, self.capacity - 1, len(combination) + 1)[1:-1])}
        for row in table:
            if set(row.modes) <= set(combination) and {combination[0], combination[-1]} <= set(row.modes):
                # A mode that the row does not use is skipped.
                starts.add(tuple(row.thresholds[sum(m in row.modes for m in combination[:k + 1]) - 1]
                                 for k in range(len(combination) - 1)))
        starts = {start for start in starts if self._refusal(self.active(start, combination)) is None}
        if not starts:
            return None, None
        reached = {decision.threshold_iteration(problem, indices, start) for start in starts}
        best = min(self._solve([self.active(j, combination) for j in sorted(reached)], method, False),
                   key=lambda result: result.cost(costs))
        thresholds = next(j for j in sorted(reached) if self.active(j, combination) == best.active)
        before = math.inf
        while best.cost(costs) < before:
            before = best.cost(costs)
            for first, last in combinations_with_replacement(range(len(thresholds)), 2):
                options = {self.active(option, combination): option
                           for option in policies.shifted(thresholds, first, last, self.capacity)}
                actives = [active for active in options if self._refusal(active) is None]
                found = min(self._solve(actives, method, False), key=lambda result: result.cost(costs))
                if found.cost(costs) < best.cost(costs):
                    best, thresholds = found, options[found.active]
        return Choice(combination, thresholds, best.cost(costs)), best

    def solve_all(self, actives: Sequence[Sequence[int]], *, method: str | None = None,
                  progress: Report | bool | None = None) -> list[Measures]:
        """All measures under each of many policies (robots for 0 ... K pages); dense methods share most of the work."""
        checked = [policies.check_active(active, self.capacity, self.robots) for active in actives]
        for active in checked:
            self._checked(active)
        return self._solve(checked, method, progress)

    def _refusal(self, active: Sequence[int]) -> str | None:
        """Why a policy has no long-run measures, if it has none."""
        return self.structure.refusal([[mode] * self.arrivals[0].states for mode in self._indices(active)])

    def _indices(self, active: Sequence[int]) -> list[int]:
        return [self.robots.index(count) for count in active]

    def _solve(self, actives: Sequence[tuple[int, ...]], method: str | None, progress: Report | bool | None) -> list[Measures]:
        indices = np.array([self._indices(active) for active in actives], dtype=np.intp)
        indices = indices.reshape(len(actives), self.capacity + 1)
        chosen = self._method(method)
        law = self._law(chosen)
        long = len(actives) * self.states(law) > 50 * DENSE_STATES
        # What overflows becomes infinite or undefined, and `measures` refuses that.
        silence = np.errstate(over="ignore", divide="ignore", invalid="ignore")
        with silence, reporting(progress, f"{chosen}, {self.states(law):,} states", long) as report:
            if chosen in ("dense", "minimal"):
                return self._recursion(law, indices, actives, chosen, report)
            return self._iteration(law, indices, actives, chosen, may_choose=method is None, report=report)

    def _law(self, method: str) -> Patience:
        """The form of the obsolescence law that a method works with; of phases in one direction it needs half the sweeps."""
        return self.patience if method == "dense" else self._minimal if method == "minimal" else self._minimal.forward()

    def _method(self, method: str | None) -> str:
        if method is None:
            if self.states(self._minimal) <= DENSE_STATES or self._minimal.phases == 1:
                return "dense" if self._minimal is self.patience else "minimal"
            return "matrix-free"
        if method not in METHODS:
            raise ModelError(f"method is {method!r}; there are {', '.join(METHODS)}")
        return method

    def _refuse_if_too_large(self, doubles: float, method: str) -> None:
        if doubles > LARGEST:
            raise ModelError(f"capacity {self.capacity} with {self._minimal.phases} phases of obsolescence needs "
                             f"{doubles * 8 / 2**30:.3g} GB by method {method!r}; {LARGEST * 8 / 2**30:.0f} GB is the limit")

    def chain(self, law: Patience) -> QueueChain:
        """The blocks of the generator."""
        return QueueChain(self.arrivals, self.service, law, self.capacity)

    def _recursion(self, law: Patience, indices: np.ndarray, actives: Sequence[tuple[int, ...]], method: str,
                   report: Report) -> list[Measures]:
        states = self.states(law)
        self._refuse_if_too_large(2.0 * states**2, method)
        chain = self.chain(law)
        waiting = fate.of_waiting_pages(self.service, law, self.capacity)
        result: list[Measures | None] = [None] * len(indices)
        done = 0
        for group in levels.groups(chain, indices):
            laws = chain.by_level(levels.stationary(chain, indices[group]))
            sums = totals(laws, by_level(indices[group]), self.modes, self.service, law, waiting)
            again = [partial(self._regime_of_recursion, law, indices[k]) for k in group]
            found = measures(rates(sums, chain.batches, self.robots), [actives[k] for k in group], again,
                             method=method, states=states, error=states * np.finfo(float).eps)
            for k, item in zip(group, found, strict=True):
                result[k] = item
            done += len(group)
            report(done / len(indices), f"{done} of {len(indices)} policies")
        return result

    def _regime_of_recursion(self, law: Patience, policy: np.ndarray) -> Regime:
        chain = self.chain(law)
        laws = chain.by_level(levels.stationary(chain, policy[None]))
        return Regime([at[0] for at in laws], [at[0] for at in by_level(policy[None])], chain.batches, self.service, law)

    def _iteration(self, law: Patience, indices: np.ndarray, actives: Sequence[tuple[int, ...]], method: str, *,
                   may_choose: bool, report: Report) -> list[Measures]:
        # Compiled code: not loaded before it is needed.
        from crawlproof.queue import matrix_free

        states = self.states(law)
        self._refuse_if_too_large(2.0 * states, method)
        if method == "sparse" and states > SPARSE_STATES:
            raise ModelError(f"method 'sparse' is for {SPARSE_STATES:,} states at most, here are {states:,}")
        waiting = matrix_free.of_waiting_pages(self.service, law, self.capacity)
        batches = padded_batches(self.arrivals)
        result = []
        for k, policy in enumerate(indices):
            def sweeps(sweep: int, error: float, k: int = k) -> None:
                digits = min(max(math.log10(error) / math.log10(TOLERANCE), 0), 1)
                report((k + digits) / len(indices), f"policy {k + 1} of {len(indices)}, sweep {sweep}, error {error:.0e}")

            laws, error, used = self._iterated(law, policy, method, may_choose, sweeps)
            sums = totals(laws, by_level(policy[None]), self.modes, self.service, law, waiting)
            again = partial(self._regime_of_iteration, law, policy, used)
            result += measures(rates(sums, batches, self.robots), [actives[k]], [again], method=used, states=states,
                               error=error)
        return result

    def _iterated(self, law: Patience, policy: np.ndarray, method: str, may_choose: bool,
                  sweeps: Callable[[int, float], None]) -> tuple[list[np.ndarray], float, str]:
        """The stationary law by level, its error, and the method that gave it."""
        from crawlproof.queue import matrix_free, sparse

        problem = matrix_free.Problem(self.arrivals, self.service, law, self.capacity, policy)
        start = sparse.stationary(problem) if method == "sparse" else None
        try:
            found, error = matrix_free.stationary(problem, TOLERANCE, sweeps, start)
        except NotConverged:
            if not may_choose or self.states(law) > SPARSE_STATES:
                raise
            method = "sparse"
            found, error = matrix_free.stationary(problem, TOLERANCE, sweeps, sparse.stationary(problem))
        return matrix_free.by_level(problem, found), error, method

    def _regime_of_iteration(self, law: Patience, policy: np.ndarray, method: str) -> Regime:
        laws, _, _ = self._iterated(law, policy, method, False, lambda sweep, error: None)
        return Regime([at[0] for at in laws], [at[0] for at in by_level(policy[None])], padded_batches(self.arrivals),
                      self.service, law)


def check_costs(costs: Costs) -> None:
    if not isinstance(costs, Costs):
        raise ModelError(f"costs is {costs!r}; it must be Costs(...)")


def by_level(indices: np.ndarray) -> list[np.ndarray]:
    """Modes of policies that see the level alone, of the shapes of the laws of the levels."""
    return [at.reshape((-1, 1) if level == 0 else (-1, 1, 1, 1)) for level, at in enumerate(indices.T)]
