"""Chains whose levels are left downwards one by one: the recursion of Section 3, for many policies at once.

The recursion goes from the top level down. What it finds at level l depends on the modes of levels l to K only, so
that policies which agree there share it: all monotone policies together cost little more than a few.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from crawlproof.queue import m_matrix

# Doubles that the recursion may hold for one group of policies (128 MB).
BUDGET = 2**24
# A level's weights are rescaled beyond this, long before they overflow.
LARGE = 1e150


class LevelChain(Protocol):
    """Blocks of the generator. Diagonals of `local` are ignored: they follow from the other rates."""

    sizes: tuple[int, ...]
    largest_jump: int

    def local(self, level: int) -> np.ndarray:
        """Rates within a level, stacked over modes."""

    def up(self, level: int, above: int) -> np.ndarray:
        """Rates to a higher level, stacked over modes."""

    def down(self, level: int) -> np.ndarray:
        """Rates to the next lower level, the same in all modes."""


def groups(chain: LevelChain, policies: np.ndarray) -> Iterator[np.ndarray]:
    """Indices of policies, in groups that fit the budget; neighbours share what they have in common."""
    order = np.lexsort(policies.T)
    sizes = np.array(chain.sizes, dtype=float)
    reach = np.array([sizes[level:level + chain.largest_jump + 1].sum() for level in range(len(sizes))])
    per_policy = float((sizes * reach + sizes**2).sum())
    count = max(1, int(BUDGET / per_policy))
    for start in range(0, len(order), count):
        yield order[start:start + count]


def stationary(chain: LevelChain, policies: np.ndarray) -> list[np.ndarray]:
    """The stationary law of every policy (rows: the mode's index at each level), one array (policy, state) per level."""
    top = len(chain.sizes) - 1
    node = [np.empty(0, dtype=np.intp)] * (top + 1)  # of each policy, at each level: which upper part it has
    row: list[dict[int, np.ndarray]] = [{} for _ in range(top + 1)]
    dwell: list[np.ndarray] = [np.empty(0)] * (top + 1)
    first_passage: list[np.ndarray] = [np.empty(0)] * (top + 1)  # the paper's G, from each level to the next lower one
    base = np.empty(0)
    for level in range(top, -1, -1):
        upper = node[level + 1] if level < top else 0
        numbers = upper * (int(policies.max()) + 1) + policies[:, level]
        _, example, node[level] = np.unique(numbers, return_index=True, return_inverse=True)
        modes = policies[example, level]
        reach = min(top, level + chain.largest_jump)
        through: np.ndarray | None = None
        for target in range(reach, level - 1, -1):
            direct = (chain.up(level, target) if target > level else chain.local(level))[modes]
            through = direct if through is None else direct + through @ first_passage[target + 1][node[target + 1][example]]
            row[level][target] = through
        if level:
            down = chain.down(level)
            dwell[level] = m_matrix.inverse(row[level].pop(level), np.broadcast_to(down.sum(axis=1), through.shape[:-1]))
            first_passage[level] = dwell[level] @ down
        else:
            base = m_matrix.stationary(row[0].pop(0))
    weights = [base[node[0]]]
    for level in range(1, top + 1):
        inflow = sum(
            weights[below][:, None, :] @ row[below][level][node[below]]
            for below in range(max(0, level - chain.largest_jump), level)
        )
        weights.append((inflow @ dwell[level][node[level]])[:, 0, :])
        largest = weights[-1].real.max(axis=1, keepdims=True)
        if (largest > LARGE).any():
            scale = np.where(largest > LARGE, largest, 1.0)
            weights = [weight / scale for weight in weights]
    total = sum(weight.sum(axis=1, keepdims=True) for weight in weights)
    return [weight / total for weight in weights]
