"""Optimal control of a finite Markov chain in continuous time, for the mean cost per unit of time, exactly.

Howard's policy iteration in rationals. What it returns can be checked without trusting it: a gain g and a bias h
with ``cost(i, a) + sum_j rate_a(i, j) h(j) >= g`` in every state for every action prove that no policy, however it
uses the past, costs less than g per unit of time.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

Rates = Mapping[Hashable, Sequence[Sequence[fmpq]]]  # for each action, the generator that it would give
ActionCosts = Mapping[Hashable, Sequence[fmpq]]  # for each action, the cost of a unit of time in each state


@dataclass(frozen=True)
class Optimum:
    """An optimal action for each state, the mean cost (gain) and the relative costs (bias, 0 in state 0)."""

    actions: tuple[Hashable, ...]
    gain: fmpq
    bias: tuple[fmpq, ...]


def advantage(rates: Rates, costs: ActionCosts, bias: Sequence[fmpq], state: int, action: Hashable) -> fmpq:
    """cost(i, a) + sum_j rate_a(i, j) h(j): an optimal gain is the least of these in every state."""
    row = rates[action][state]
    return sum((rate * h for rate, h in zip(row, bias, strict=True) if rate != 0), costs[action][state])


def evaluate(rates: Rates, costs: ActionCosts, actions: Sequence[Hashable]) -> Optimum:
    """Gain and bias of the policy that takes ``actions[i]`` in state i; its chain must have one recurrent class."""
    size = len(actions)
    system = [[*rates[a][i][1:], fmpq(-1)] for i, a in enumerate(actions)]  # unknowns: bias from state 1 on, gain
    solution = fmpq_mat([list(row) for row in system]).solve(fmpq_mat([[-costs[a][i]] for i, a in enumerate(actions)]))
    bias = (fmpq(0), *(solution[i, 0] for i in range(size - 1)))
    return Optimum(tuple(actions), solution[size - 1, 0], bias)


def optimise(rates: Rates, costs: ActionCosts) -> Optimum:
    """Policy iteration from the first action everywhere; an action is changed only for a strictly better one."""
    actions: list[Hashable] = [next(iter(rates))] * len(next(iter(rates.values())))
    while True:
        found = evaluate(rates, costs, actions)
        better = list(actions)
        for state, current in enumerate(actions):
            values = {a: advantage(rates, costs, found.bias, state, a) for a in rates}
            best = min(values, key=values.__getitem__)
            if values[best] < values[current]:
                better[state] = best
        if better == actions:
            return found
        actions = better
