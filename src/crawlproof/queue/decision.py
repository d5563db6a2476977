"""Policies that see more than the number of pages: the best one, and how far any other can be below it.

The cost is C + a W/S, with long-run means C of costs, W of pages that will be served, S of services that end. For a time v
and a price mu the mean of c + mu (w - v s) is the cost of an ordinary Markov decision problem, solved by Howard's policy
iteration. Its values prove that *every* policy has C + mu (W - v S) >= g. A policy with V = W/S between v_1 and v_2 then
costs at least the smaller of g(v_1) + a v_1 and g(v_2) + a v_2: halving intervals of v closes in on the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from crawlproof.laws.phase_type import ModelError
from crawlproof.queue import fate, generator, levels
from crawlproof.queue.kronecker import QueueChain
from crawlproof.queue.measures import Costs, Measures, Regime, lost_rates, measures, rates, totals

if TYPE_CHECKING:
    from crawlproof.queue.model import ThresholdQueue

SEES = ("level", "phase", "state")
# A lower bound so close to the cost settles the matter.
CLOSED = 1e-9
# Decision problems that are solved for the bound, and policy iterations in each of them.
PROBLEMS, ROUNDS = 400, 200
# Prices that are tried for one interval of times.
PRICES = 20
# Policies by level and arrival phase that are listed, where no bound settles the matter.
LISTED = 20_000
# Ways to choose a mode for each arrival phase.
LARGEST_CHOICE = 256


@dataclass(frozen=True)
class Control:
    """The best policy that sees the level and the arrival phase, or the whole state."""

    sees: str
    active: tuple[Any, ...]
    """active[level][phase]: robots; by the whole state [service phase] and then [clock phase] of each waiting page follow.
    Clocks are those of `obsolescence.lumped()`, as other phases tell nothing, and are left out if they have one phase."""
    cost: float
    bound: float
    """no policy that chooses its modes by what it sees costs less, up to the rounding of an elimination (some 1e-12). It is
    the cost itself where that was shown to be the best, by values of the decision problem or by a list of all policies"""
    thresholds_lose: float
    """by how much the best thresholds cost more, as a share of this cost"""
    measures: Measures


@dataclass(frozen=True)
class Solved:
    """A policy of one decision problem, and what its values prove."""

    actions: np.ndarray
    bound: float


class Problem:
    """The chain of a queue with a mode to be chosen in each state."""

    def __init__(self, queue: ThresholdQueue, costs: Costs) -> None:
        self.queue, self.costs = queue, costs
        self.law = queue.patience.lumped()
        generator.refuse_if_too_large(queue.states(self.law), "a policy that sees phases")
        self.chain = queue.chain(self.law)
        self.fate = fate.of_waiting_pages(queue.service, self.law, queue.capacity)
        moves = generator.rates_by_mode(self.chain)
        self.generators = [sparse.csr_array(m - sparse.diags_array(m.sum(axis=1))) for m in moves]
        lost = generator.by_state(self.chain, lost_rates(self.chain.batches, queue.capacity)).T
        level = generator.levels_of_states(self.chain)
        self.paid = (costs.loss * lost + costs.obsolescence * generator.obsolete_pages(self.chain)
                     + costs.robot * np.array(queue.robots, dtype=float)[:, None] + costs.starvation * (level == 0))
        self.waits = will_be_served(self.chain, self.fate)
        self.served = generator.ends_of_service(self.chain)
        # To stay for ever with an empty system is no policy for which the cost is defined.
        self.allowed = np.array([(m.sum(axis=1) > 0) | (level > 0) for m in moves])
        self.level = level

    def has_long_run(self, actions: np.ndarray) -> bool:
        """Whether one closed class, with pages in it, is all that a policy ends in."""
        moves = generator.under(self.generators, actions)
        count, name = connected_components(moves, connection="strong")
        rows, columns = moves.nonzero()
        left = name[rows[name[rows] != name[columns]]]
        closed = set(range(count)) - set(left.tolist())
        return len(closed) == 1 and bool((self.level[name == closed.pop()] > 0).any())

    def law_under(self, actions: np.ndarray) -> np.ndarray:
        """The stationary law of a policy with a long run."""
        matrix = generator.under(self.generators, actions).T.tolil()
        matrix[-1] = np.ones(len(actions))
        right = np.zeros(len(actions))
        right[-1] = 1
        return splu(sparse.csc_array(matrix)).solve(right)

    def means(self, actions: np.ndarray) -> tuple[float, float, float]:
        """C, W and S of a policy."""
        law = self.law_under(actions)
        paid = self.paid[actions, np.arange(len(actions))]
        return float(law @ paid), float(law @ self.waits), float(law @ self.served)

    def cost(self, actions: np.ndarray) -> float:
        C, W, S = self.means(actions)
        return C + self.costs.sojourn * W / S

    def advantage(self, actions: np.ndarray, rewards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """c + Q h for all modes and states, h the relative values of a policy: where that is below the gain, a mode is
        better than the policy's. Second, how much of it is rounding."""
        matrix = generator.under(self.generators, actions).tolil()
        matrix[:, 0] = -1.0  # the value of state 0 is 0, and its column is that of the gain
        values = splu(sparse.csc_array(matrix)).solve(-rewards[actions, np.arange(len(actions))])
        values[0] = 0.0
        found = np.where(self.allowed, rewards + np.array([g @ values for g in self.generators]), np.inf)
        return found, 1e-13 * (np.abs(rewards).max() + np.abs(self.generators[0]) @ np.abs(values))

    def solve(self, price: float, time: float, actions: np.ndarray) -> Solved:
        """Howard's iteration for c + mu (w - v s), from a policy with a long run."""
        rewards = self.paid + price * (self.waits - time * self.served)
        states = np.arange(len(actions))
        for _ in range(ROUNDS):
            advantage, rounding = self.advantage(actions, rewards)
            best = advantage.argmin(axis=0)
            better = advantage[best, states] < advantage[actions, states] - rounding
            improved = np.where(better, best, actions)
            if not self.has_long_run(improved):
                improved = np.where(self.level == 0, actions, improved)
            if (improved == actions).all() or not self.has_long_run(improved):
                break
            actions = improved
        return Solved(actions, float(advantage.min()))

    def improved(self, actions: np.ndarray) -> np.ndarray:
        """As far as Dinkelbach's steps lead: time and price are those of the last policy."""
        cost = self.cost(actions)
        while True:
            _, W, S = self.means(actions)
            found = self.solve(self.costs.sojourn / S, W / S, actions).actions
            if (new := self.cost(found)) >= cost * (1 - 1e-13):
                return actions
            actions, cost = found, new

    def optimum(self, starts: list[np.ndarray]) -> tuple[np.ndarray, float]:
        """The best policy that is found, and a bound that none is below."""
        a = self.costs.sojourn
        best = min((self.improved(actions) for actions in starts), key=self.cost)
        cost = self.cost(best)
        cheapest = self.solve(0.0, 0.0, best)
        if a == 0:
            return cheapest.actions, min(cheapest.bound, self.cost(cheapest.actions))
        solved = 0

        def bound(low: float, high: float) -> float:
            """For times between these: at the price where the tangents of lower and higher ones meet, as long as the
            bound there may settle the matter."""
            nonlocal best, cost, solved
            found, price = -np.inf, a / self.means(best)[2]
            below: tuple[float, float, float] | None = None
            above: tuple[float, float, float] | None = None
            for _ in range(PRICES):
                ends = [(v, self.solve(price, v, best)) for v in (low, high)]
                solved += 2
                for _, end in ends:
                    if self.cost(end.actions) < cost * (1 - 1e-13):
                        best = self.improved(end.actions)
                        cost = self.cost(best)
                v, end = min(ends, key=lambda pair: pair[1].bound + a * pair[0])
                value = end.bound + a * v
                found = max(found, value)
                if found >= cost * (1 - CLOSED):
                    break
                _, W, S = self.means(end.actions)
                slope = W - v * S
                if slope > 0:
                    below = price, value, slope
                else:
                    above = price, value, slope
                if above is None:
                    price *= 4
                elif below is None:
                    if price == 0:
                        break
                    price = 0.0
                else:
                    price = ((above[1] - above[2] * above[0]) - (below[1] - below[2] * below[0])) / (below[2] - above[2])
                    if below[1] + below[2] * (price - below[0]) < cost * (1 - CLOSED):
                        break
            return found

        # A longer time costs more than the best policy does in all.
        longest = max(cost - cheapest.bound, 0.0) / a
        _, W, S = self.means(best)
        intervals = [(bound(low, high), low, high) for low, high in ((0.0, W / S), (W / S, max(longest, W / S)))]
        while solved < PROBLEMS and min(intervals)[0] < cost * (1 - CLOSED):
            _, low, high = intervals.pop(intervals.index(min(intervals)))
            middle = (low + high) / 2
            intervals += [(bound(low, middle), low, middle), (bound(middle, high), middle, high)]
        return best, min(cost, min(intervals)[0])

    def by_levels(self, actions: np.ndarray) -> list[np.ndarray]:
        """Actions of the levels, (nu), then (nu, m, phases of waiting pages)."""
        parts = np.split(actions, np.cumsum(self.chain.sizes)[:-1])
        return [parts[0], *(part.reshape(self.chain.states, self.chain.service.phases, -1) for part in parts[1:])]

    def measures(self, actions: np.ndarray, active: tuple[Any, ...]) -> Measures:
        """By the recursion, which subtracts nothing."""
        mixed = MixedChain(self.chain, np.split(actions, np.cumsum(self.chain.sizes)[:-1]))
        nothing = np.zeros((1, self.queue.capacity + 1), dtype=np.intp)
        laws = self.chain.by_level(levels.stationary(mixed, nothing))
        modes = self.by_levels(actions)
        sums = totals(laws, [at[None] for at in modes], self.queue.modes, self.queue.service, self.law, self.fate)
        regime = Regime([at[0] for at in laws], modes, self.chain.batches, self.queue.service, self.law)
        states = len(actions)
        return measures(rates(sums, self.chain.batches, self.queue.robots), [active], [partial(same, regime)],
                        method="dense", states=states, error=states * np.finfo(float).eps)[0]


def same(regime: Regime) -> Regime:
    return regime


class MixedChain:
    """The blocks under a policy that chooses by state: rows of the blocks of the modes."""

    def __init__(self, chain: QueueChain, actions: list[np.ndarray]) -> None:
        self.chain, self.actions = chain, actions
        self.sizes, self.largest_jump = chain.sizes, chain.largest_jump

    def _rows(self, blocks: np.ndarray, level: int) -> np.ndarray:
        return blocks[self.actions[level], np.arange(self.sizes[level])][None]

    def local(self, level: int) -> np.ndarray:
        return self._rows(self.chain.local(level), level)

    def up(self, level: int, above: int) -> np.ndarray:
        return self._rows(self.chain.up(level, above), level)

    def down(self, level: int) -> np.ndarray:
        return self.chain.down(level)


def will_be_served(chain: QueueChain, fates: fate.Fate) -> np.ndarray:
    """How many of the pages in the system will be served on average, by state."""
    found, so_far = [np.zeros(chain.states)], np.zeros((chain.service.phases, 1))
    for place in range(chain.capacity):
        # A page more, with a letter more: what is known of those ahead of it does not depend on that.
        letters = chain.obsolescence.phases if place else 1
        so_far = np.repeat(so_far, letters, axis=1) + fates.served[place]
        found.append(np.tile(so_far.reshape(-1), chain.states))
    return np.concatenate(found)


def optimise(queue: ThresholdQueue, costs: Costs, sees: str, thresholds: tuple[tuple[int, ...], float]) -> Control:
    """`thresholds` are the robots and the cost of the best thresholds."""
    problem = Problem(queue, costs)
    by_level = np.repeat([queue.robots.index(count) for count in thresholds[0]], problem.chain.sizes)
    constant = [np.full(len(by_level), mode) for mode in range(queue.modes)]
    starts = [by_level, *(actions for actions in constant if problem.has_long_run(actions))]
    actions, bound = problem.optimum(starts)
    if sees == "phase":
        actions, bound = by_phase(problem, actions, bound, by_level)
    robots = np.array(queue.robots)
    chosen = [robots[at] for at in problem.by_levels(actions)]
    if sees == "phase":
        chosen = [at.reshape(len(at), -1)[:, 0] for at in chosen]
    else:
        # One phase is no information: as many levels of brackets as there are pages would be none either.
        words = [problem.law.phases] * queue.capacity if problem.law.phases > 1 else []
        chosen = [chosen[0], *(at.reshape(*at.shape[:2], *words[:level]) if words else at[:, :, 0] for level, at in enumerate(chosen[1:]))]
    active = tuple(nested(at) for at in chosen)
    found = problem.measures(actions, active)
    cost = found.cost(costs)
    return Control(sees, active, cost, min(bound, cost), thresholds[1] / cost - 1 if cost else 0.0, found)


def threshold_iteration(problem: Problem, combination: tuple[int, ...], thresholds: tuple[int, ...]) -> tuple[int, ...]:
    """Policy iteration over levels, from some thresholds between these modes (indices), as far as it leads.

    What another mode would gain is averaged over the states of a level. The best thresholds for these averages are
    found by one pass over the levels.
    """
    a, sizes, top = problem.costs.sojourn, problem.chain.sizes, problem.queue.capacity
    edges = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def actions_of(candidate: tuple[int, ...]) -> np.ndarray:
        return np.repeat([combination[sum(level > j for j in candidate)] for level in range(top + 1)], sizes)

    actions = actions_of(thresholds)
    cost = problem.cost(actions)
    while True:
        law = problem.law_under(actions)
        S = float(law @ problem.served)
        rewards = problem.paid + a / S * (problem.waits - float(law @ problem.waits) / S * problem.served)
        advantage, _ = problem.advantage(actions, rewards)
        gains = np.add.reduceat(np.where(law > 0, law, 0.0) * advantage[list(combination)], edges, axis=1)
        candidate = best_cuts(np.where(np.isfinite(gains), gains, np.inf))
        changed = actions_of(candidate)
        if not problem.has_long_run(changed) or (new := problem.cost(changed)) >= cost * (1 - 1e-12):
            return thresholds
        thresholds, actions, cost = candidate, changed, new


def best_cuts(gains: np.ndarray) -> tuple[int, ...]:
    """Thresholds 0 <= j_1 <= j_2 <= ... <= K - 1 with the least sum of (row of the mode, level)."""
    count, levels_ = gains.shape
    best = np.full(count, np.inf)
    best[0] = gains[0, 0]
    came = np.zeros((levels_, count), dtype=int)
    for level in range(1, levels_):
        # The mode before is this one or an earlier one.
        for k in range(count - 1, -1, -1):
            came[level, k] = int(best[:k + 1].argmin())
        best = best[came[level]] + gains[:, level]
    used = [count - 1]
    for level in range(levels_ - 1, 0, -1):
        used.append(int(came[level, used[-1]]))
    used.reverse()
    return tuple(sum(k <= j for k in used) - 1 for j in range(count - 1))


def nested(array: np.ndarray) -> tuple[Any, ...]:
    return tuple(nested(row) if row.ndim else int(row) for row in array)


def by_phase(problem: Problem, actions: np.ndarray, bound: float, by_level: np.ndarray) -> tuple[np.ndarray, float]:
    """The best policy by level and arrival phase. If the best one of all needs no more, it is that; few policies are
    listed; of many, each level is changed in turn until none changes, and the bound says how much better may exist."""
    cost = problem.cost(actions)
    projected = majority(problem, actions)
    if problem.has_long_run(projected) and problem.cost(projected) <= cost * (1 + CLOSED):
        return projected, bound
    choices = list(product(range(problem.queue.modes), repeat=problem.chain.states))
    if len(choices) > LARGEST_CHOICE:
        raise ModelError(f"{problem.queue.modes} modes in {problem.chain.states} arrival phases are {len(choices):,} choices for "
                         f"each number of pages, {LARGEST_CHOICE} are the limit")
    top = problem.queue.capacity
    evaluate = PhasePolicies(problem, choices)
    if float(len(choices)) ** (top + 1) <= LISTED:
        every = np.array(list(product(range(len(choices)), repeat=top + 1)), dtype=np.intp)
        costs = evaluate.costs(every)
        return evaluate.actions(every[costs.argmin()]), float(costs.min())
    starts = [evaluate.numbers(start) for start in (projected, by_level)]
    found = min((evaluate.descended(start) for start in starts), key=lambda pair: pair[1])
    return evaluate.actions(found[0]), bound


def majority(problem: Problem, actions: np.ndarray) -> np.ndarray:
    """The mode that is chosen most often for each level and arrival phase."""
    def most(row: np.ndarray) -> int:
        return int(np.bincount(row.reshape(-1)).argmax())

    return np.concatenate([np.repeat([most(row) for row in at], at[0].size) for at in problem.by_levels(actions)])


class PhasePolicies:
    """Policies as numbers of choices, one a level; a choice has a mode for each arrival phase."""

    def __init__(self, problem: Problem, choices: list[tuple[int, ...]]) -> None:
        self.problem, self.choices = problem, np.array(choices)
        chain = problem.chain
        phases = np.arange(chain.states)
        self.chain = problem.queue.chain(problem.law)
        self.chain.moves, self.chain.batches = chain.moves[self.choices, phases], np.stack(
            [chain.batches[choice, :, phases].swapaxes(0, 1) for choice in self.choices])

    def costs(self, policies: np.ndarray) -> np.ndarray:
        """Infinite where there is no long run."""
        problem, queue = self.problem, self.problem.queue
        found = np.full(len(policies), np.inf)
        possible = np.array([k for k, policy in enumerate(policies)
                             if queue.structure.refusal(self.choices[policy].tolist()) is None], dtype=np.intp)
        for group in levels.groups(self.chain, policies[possible]):
            chosen = policies[possible[group]]
            laws = self.chain.by_level(levels.stationary(self.chain, chosen))
            modes = [self.choices[chosen[:, level]].reshape(len(chosen), -1, *(1, 1) * (level > 0))
                     for level in range(queue.capacity + 1)]
            sums = totals(laws, modes, queue.modes, queue.service, problem.law, problem.fate)
            found[possible[group]] = rates(sums, problem.chain.batches, queue.robots).cost(problem.costs)
        return found

    def actions(self, policy: np.ndarray) -> np.ndarray:
        return np.concatenate([np.repeat(self.choices[number], size // self.chain.states)
                               for number, size in zip(policy, self.chain.sizes, strict=True)])

    def numbers(self, actions: np.ndarray) -> np.ndarray:
        known = {tuple(choice): k for k, choice in enumerate(self.choices.tolist())}
        return np.array([known[tuple(at.reshape(len(at), -1)[:, 0].tolist())] for at in self.problem.by_levels(actions)])

    def descended(self, policy: np.ndarray) -> tuple[np.ndarray, float]:
        """Level by level, all choices, until none is better."""
        cost, before = float(self.costs(policy[None])[0]), np.inf
        while cost < before:
            before = cost
            for level in range(self.problem.queue.capacity + 1):
                candidates = np.repeat(policy[None], len(self.choices), axis=0)
                candidates[:, level] = np.arange(len(self.choices))
                found = self.costs(candidates)
                if found.min() < cost * (1 - 1e-13):
                    policy, cost = candidates[found.argmin()], float(found.min())
        return policy, cost
