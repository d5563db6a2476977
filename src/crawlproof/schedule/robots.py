"""Several robots: a schedule dealt out among them, and what that costs.

Each page is given to one robot. The robots need not agree on a clock, and a page's accesses stay
in the hands of one of them: if robots took turns on a page instead, their random access times
would let them drift apart, and evenly spaced accesses would bunch. The price: gaps that were
even in the common schedule are less so in a robot's part of it, and long waits are made of
fewer, longer access times. ``evaluate_robots`` says how much that is.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crawlproof.laws import Law
from crawlproof.schedule.evaluation import evaluate, least_cost, page_weights
from crawlproof.schedule.inputs import access_time_law, numbers, page_indices, whole_number

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Deal:
    """A schedule in the hands of several robots, each of which repeats its own part for ever."""

    #: the accesses of each robot, in the order of the common schedule
    sequences: tuple[NDArray, ...]
    #: the robot of each page; -1 for pages that are never accessed
    robot: NDArray[np.int64]

    @property
    def imbalance(self) -> float:
        """The longest part over the mean part, at least 1: how much slower the busiest robot comes round."""
        lengths = [len(s) for s in self.sequences]
        return max(lengths) * len(lengths) / sum(lengths)


@dataclass(frozen=True)
class DealEvaluation:
    """What a dealt schedule costs, exactly, and what was lost by dealing it out."""

    #: fraction of time for which each page is out of date
    obsolescence: Array
    #: sum of weight times obsolescence
    cost: float
    #: no non-adaptive schedules of that many robots, each page with one of them, cost less
    bound: float
    #: cost of the common schedule with one robot that is as fast as all of them together
    single_cost: float

    @property
    def ratio(self) -> float:
        """cost/bound; 1 where both are 0."""
        return self.cost / self.bound if self.bound > 0 else 1.0

    @property
    def loss(self) -> float:
        """cost/single_cost: what it takes to have several slow robots for a fast one."""
        return self.cost / self.single_cost if self.single_cost > 0 else 1.0


def deal(sequence: ArrayLike, robots: int, *, pages: int | None = None) -> Deal:
    """Deal a schedule out: every page to one robot, nearly the same number of accesses to each.

    Pages go to the robot with the fewest accesses so far, those with many accesses first. No robot
    then has more than its fair share and one page's accesses on top.

    Arguments:
        sequence: page indices in the order of access, one cycle
        robots: how many, at most the number of pages in the sequence
        pages: how many pages there are, if the last ones may be missing from the sequence
    """
    robots = whole_number("robots", robots)
    array = np.asarray(sequence)
    if pages is None:
        pages = int(array.max()) + 1 if array.size and array.dtype.kind in "iu" else 1
    accesses = page_indices("sequence", array, whole_number("pages", pages))
    counts = np.bincount(accesses, minlength=pages)
    seen = int(np.count_nonzero(counts))
    if robots > seen:
        raise ValueError(f"robots must be at most the number of accessed pages, {seen}, got {robots}")
    robot = np.full(pages, -1)
    loads = [(0, r) for r in range(robots)]
    for page in np.argsort(-counts, kind="stable")[:seen].tolist():
        load, r = loads[0]
        robot[page] = r
        heapq.heapreplace(loads, (load + int(counts[page]), r))
    owner = robot[accesses]
    return Deal(tuple(accesses[owner == r] for r in range(robots)), robot)


def evaluate_robots(
    dealt: Deal, sequence: ArrayLike, change_rate: ArrayLike, access_time: Any, weight: ArrayLike | None = None,
    *, allow_missing: bool = False,
) -> DealEvaluation:
    """The exact long-run cost of a dealt schedule, by Lemma 3.1 for each robot.

    Arguments as for ``evaluate``; ``sequence`` is the common schedule that was dealt out.
    """
    rates = numbers("change_rate", change_rate)
    law = access_time_law(access_time)
    weights = page_weights(weight, rates)
    robots = len(dealt.sequences)
    if len(dealt.robot) != len(rates):
        raise ValueError(f"change_rate has {len(rates)} entries, the deal has {len(dealt.robot)} pages")
    # With access times shorter by a factor, or changes rarer by it, the same happens.
    single = evaluate(sequence, rates / robots, law, weights, allow_missing=allow_missing)
    obsolescence = single.obsolescence.copy()  # right for pages without a robot
    for own, part in enumerate(dealt.sequences):
        pages = np.flatnonzero(dealt.robot == own)
        local = np.empty(len(rates), dtype=np.int64)
        local[pages] = np.arange(len(pages))
        obsolescence[pages] = evaluate(local[part], rates[pages], law).obsolescence
    return DealEvaluation(
        obsolescence=obsolescence, cost=float(np.sum(weights * obsolescence)),
        bound=_shared_bound(rates, weights, law, robots), single_cost=single.cost,
    )


class _PartOf(Law):
    """A law in name only: mean and log-Laplace transform of X, both divided by the number of robots."""

    def __init__(self, law: Any, parts: int) -> None:
        self._law, self._parts = law, parts
        self.mean = law.mean / parts

    def _kappa(self, rate: Array) -> Array:
        return -self._law.log_laplace(rate) / self._parts

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        raise NotImplementedError("no random variable has this transform, unless X is infinitely divisible")


def _shared_bound(rates: Array, weights: Array, law: Any, robots: int) -> float:
    """The least that pages can cost if their frequencies, each in accesses of its own robot, sum to ``robots``.

    In terms of frequency/robots this is the problem for one robot with kappa/robots and E[X]/robots.
    It allows frequencies above 1, so it is a bound, if one that a page with most of the accesses
    may keep out of reach.
    """
    return least_cost(rates, weights, _PartOf(law, robots))
