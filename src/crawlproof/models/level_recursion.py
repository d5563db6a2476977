"""The costs of very many policies at once: what happens above a level depends only on the policy up there.

From a level i the queue comes to level i - 1 sooner or later, and never jumps down by more than one level.
So the law of the state in which it arrives there, and what it earns on the way, follow level by level from
the top, and policies that agree on the levels from i upwards share them. A walk through the tree of policies
needs one small linear system for each node instead of one large system for each policy.

All rates and rewards are read off the enumerated model. Numbers are exact rationals or balls, as asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from flint import arb, arb_mat, fmpq, fmpq_mat

from crawlproof.models.obsolescence_queue import ObsolescenceQueue, State
from crawlproof.models.printed_examples import Example, Policy

Matrix = fmpq_mat | arb_mat

# What is added up along the way, per unit of time: time itself, the part of the cost that is a mean per
# unit of time, the times in the system of pages that will be served, the number of pages served.
REWARDS = ("time", "cost", "served time", "served")


@dataclass(frozen=True)
class Level:
    """Level i under one mode: rates to itself, down, and up by 1, 2, ..., and the rewards of its states."""

    stay: Matrix
    down: Matrix | None
    up: tuple[Matrix, ...]
    rewards: Matrix


@dataclass(frozen=True)
class Descent:
    """From the states of level i to the first visit of level i - 1: where it arrives, what it earns."""

    arrival: Matrix
    rewards: Matrix


def served_times(queue: ObsolescenceQueue) -> dict[State, fmpq]:
    """E[time in the system; the page is served] for a page in each state of the tagged chain."""
    tagged = queue.tagged_page()
    resolvent = -tagged.rates
    times = resolvent.solve(resolvent.solve(tagged.served))
    return {state: times[i, 0] for i, state in enumerate(tagged.states)}


def state_rewards(queue: ObsolescenceQueue, state: State, costs: dict[str, fmpq], times: dict[State, fmpq]) -> list[fmpq]:
    """The rates at which a state earns each of ``REWARDS``."""
    cost = costs["robot"] * queue.active[state[0]] + (costs["starvation"] if state[0] == 0 else 0)
    served_time, served = fmpq(0), fmpq(0)
    for event in queue.events(state):
        cost += event.rate * (costs["loss"] * event.lost + costs["obsolescence"] * event.obsolete)
        served += event.rate * event.served
        for place in range(state[0], state[0] + event.delivered - event.lost):
            served_time += event.rate * times[place, *event.target[2:3 + place]]
    return [fmpq(1), cost, served_time, served]


def levels_of_mode(example: Example, robots: int, matrix: Callable[[fmpq_mat], Matrix]) -> list[Level]:
    """All levels with this number of robots active."""
    queue = example.queue((robots,) * (example.capacity + 1))
    costs, times = dict(example.costs), served_times(queue)
    largest = max(len(mode) for mode in example.arrivals) - 1
    found = []
    for i in range(example.capacity + 1):
        found.append(Level(
            stay=matrix(queue.block(i, i)),
            down=matrix(queue.block(i, i - 1)) if i else None,
            up=tuple(matrix(queue.block(i, j)) for j in range(i + 1, min(i + largest, example.capacity) + 1)),
            rewards=matrix(fmpq_mat([state_rewards(queue, s, costs, times) for s in queue.level_states(i)])),
        ))
    return found


def seen_from(level: Level, above: Sequence[Descent]) -> tuple[Matrix, Matrix]:
    """Generator and rewards of a level while all visits of higher levels are cut out.

    ``above[0]`` descends to this level, ``above[1]`` to the one above it, and so on.
    """
    stay, rewards, rates = level.stay, level.rewards, None
    for jump in range(len(level.up), 0, -1):  # from the highest level that can be reached in one jump
        rates = level.up[jump - 1] if rates is None else level.up[jump - 1] + rates
        rewards = rewards + rates * above[jump - 1].rewards
        rates = rates * above[jump - 1].arrival
    return (stay if rates is None else stay + rates), rewards


def mean_cost(level: Level, above: Sequence[Descent], charge: fmpq) -> fmpq | arb:
    """The cost of a policy, from level 0 and the descents to it; ``charge`` is that for time in the system."""
    generator, rewards = seen_from(level, above)
    weights = stationary_row(generator)
    time, cost, served_time, served = ((weights * rewards)[0, k] for k in range(len(REWARDS)))
    return cost / time + charge * served_time / served


def stationary_row(generator: Matrix) -> Matrix:
    """The stationary law of a small irreducible generator, as a row."""
    size = generator.nrows()
    balance = [[generator[i, j] for i in range(size)] for j in range(size)]
    balance[-1] = [fmpq(1)] * size  # one balance equation is redundant
    solution = type(generator)(balance).solve(type(generator)([[int(i == size - 1)] for i in range(size)]))
    return type(generator)([[solution[i, 0] for i in range(size)]])


def costs_of_levels(
    levels: Mapping[int, Sequence[Level]], charge: fmpq, *, falling: bool = True
) -> Iterator[tuple[Policy, fmpq | arb]]:
    """Every policy with these modes (``falling``: never more robots for more pages) and its cost.

    ``levels[n]`` has the levels with n robots active. Each level may be scaled by a factor of its own, the
    same for all its rates and rewards: descents don't change.
    """
    capacity = len(next(iter(levels.values()))) - 1

    def walk(i: int, policy: Policy, above: list[Descent]) -> Iterator[tuple[Policy, fmpq | arb]]:
        for robots in levels:
            if falling and policy and robots < policy[0]:
                continue
            level = levels[robots][i]
            if i == 0:
                yield (robots, *policy), mean_cost(level, above, charge)
                continue
            stay, rewards = seen_from(level, above)
            descent = Descent((-stay).solve(level.down), (-stay).solve(rewards))
            yield from walk(i - 1, (robots, *policy), [descent, *above])

    yield from walk(capacity, (), [])


def policy_costs(
    example: Example, modes: Sequence[int], *, falling: bool = True, matrix: Callable[[fmpq_mat], Matrix] = arb_mat,
) -> Iterator[tuple[Policy, fmpq | arb]]:
    """Every policy with these modes and its cost, in balls unless ``matrix`` keeps the rationals."""
    levels = {robots: levels_of_mode(example, robots, matrix) for robots in modes}
    yield from costs_of_levels(levels, dict(example.costs)["sojourn"], falling=falling)


@cache
def exact_costs(example: Example, modes: tuple[int, ...], *, falling: bool = True) -> Mapping[Policy, fmpq]:
    """The costs of all policies with these modes, as rationals."""
    return dict(policy_costs(example, modes, falling=falling, matrix=lambda rational: rational))


def cheapest(costs: Mapping[Policy, fmpq | arb], policies: Iterable[Policy] | None = None) -> Policy:
    """The policy with the least cost, among ``policies`` if given.

    A tie of rationals is an error, for then there is no 'the'; so are balls that overlap the least one.
    """
    candidates = list(costs if policies is None else policies)
    if not candidates:
        raise ValueError("no policies to choose from")
    best = candidates[0]
    for policy in candidates[1:]:
        if costs[policy] < costs[best]:
            best = policy
    for policy in candidates:
        if policy != best and not costs[best] < costs[policy]:
            raise ValueError(f"policies {best} and {policy} have no certainly different costs")
    return best
