"""The queue: arrivals switched by thresholds, one server, pages that become obsolete while they wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crawlproof.laws.phase_type import ModelError, PhaseType
from crawlproof.queue import fate, levels, policies
from crawlproof.queue.arrivals import Bmap
from crawlproof.queue.kronecker import QueueChain
from crawlproof.queue.measures import Costs, Measures, measures, totals

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is."""


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
    def _lumped(self) -> PhaseType:
        return self.obsolescence.lumped()

    @cached_property
    def _chain(self) -> QueueChain:
        return QueueChain(self.arrivals, self.service, self._lumped, self.capacity)

    @cached_property
    def _fate(self) -> fate.Fate:
        return fate.of_waiting_pages(self.service, self._lumped, self.capacity)

    def active(self, thresholds: Sequence[int], modes: Sequence[int]) -> tuple[int, ...]:
        """The robots for 0 ... K pages that thresholds and modes stand for."""
        return policies.from_thresholds(thresholds, modes, self.capacity, self.modes)

    def solve(self, active: Sequence[int] | None = None, *, thresholds: Sequence[int] | None = None,
              modes: Sequence[int] | None = None) -> Measures:
        """All measures under one policy: robots for 0 ... K pages, or thresholds with modes in the order of use."""
        if (active is None) == (modes is None) or (active is not None and thresholds is not None):
            raise ModelError("a policy is either active=..., or modes=... with thresholds=...")
        if modes is not None:
            active = self.active(() if thresholds is None else thresholds, modes)
        return self.solve_all([active])[0]

    def optimise(self, costs: Costs, modes: Sequence[int] | Sequence[Sequence[int]] | None = None, *,
                 progress: Progress | None = None) -> Optimum:
        """The cheapest thresholds, for all choices of modes or for those given: one, (3, 1), or several, [(3, 1), (4,)].

        Thresholds are 0 <= j_1 <= j_2 <= ... <= K - 1 as in `solve`. Of policies that cost the same, the one with the
        fewest modes is taken.
        """
        if modes is None:
            chosen = policies.all_combinations(self.modes)
        elif isinstance(modes, Sequence) and len(modes) and all(isinstance(m, Sequence | np.ndarray) for m in modes):
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
        found = dict(zip(actives, self.solve_all(actives, progress=progress), strict=True))
        cost = {active: result.cost(costs) for active, result in found.items()}
        table = []
        for combination, options in candidates.items():
            thresholds = min(options, key=lambda option: cost[options[option]])
            table.append(Choice(combination, thresholds, cost[options[thresholds]]))
        best = min(table, key=lambda choice: choice.cost)
        return Optimum(best.modes, best.thresholds, best.cost, tuple(table), found[candidates[best.modes][best.thresholds]])

    def solve_all(self, actives: Sequence[Sequence[int]], *, progress: Progress | None = None) -> list[Measures]:
        """All measures under each of many policies (robots for 0 ... K pages); they share most of the work."""
        checked = [policies.check_active(active, self.capacity, self.modes) for active in actives]
        indices = np.array(checked, dtype=np.intp).reshape(len(checked), self.capacity + 1) - 1
        result: list[Measures | None] = [None] * len(checked)
        done = 0
        for group in levels.groups(self._chain, indices):
            laws = levels.stationary(self._chain, indices[group])
            sums = totals(self._chain.by_level(laws), self.service, self._lumped, self._fate)
            states = sum(self._chain.sizes)
            found = measures(sums, indices[group], self._chain.batches, method="dense", states=states,
                             errors=np.full(len(group), states * np.finfo(float).eps))
            for k, item in zip(group, found, strict=True):
                result[k] = item
            done += len(group)
            if progress is not None:
                progress(done, len(checked))
        return result
