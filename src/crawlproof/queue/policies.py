"""Policies: how many robots are active with i pages in the system."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from numbers import Integral
from typing import Any

import numpy as np

from crawlproof.laws.phase_type import ModelError


def whole(value: Any, place: str) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise ModelError(f"{place} is {value!r}; it must be a whole number")
    return int(value)


def check_robots(robots: Sequence[int] | None, modes: int) -> tuple[int, ...]:
    """How many robots are active in each mode: 1, 2, ... unless it is said."""
    if robots is None:
        return tuple(range(1, modes + 1))
    if isinstance(robots, str) or not isinstance(robots, Sequence | np.ndarray) or len(robots) != modes:
        raise ModelError(f"robots is {robots!r}; it must list the robots of each mode, {modes} numbers")
    found = tuple(whole(value, f"robots, entry {k},") for k, value in enumerate(robots, 1))
    for k, value in enumerate(found, 1):
        if value < 0:
            raise ModelError(f"robots, entry {k}, is {value}; it must not be negative")
        if value in found[:k - 1]:
            raise ModelError(f"robots, entry {k}, is {value} again; each mode needs its own number")
    return found


def check_mode(value: Any, place: str, robots: Sequence[int]) -> int:
    mode = whole(value, place)
    if mode not in robots:
        known = f"1 to {len(robots)}" if tuple(robots) == tuple(range(1, len(robots) + 1)) else ", ".join(map(str, robots))
        raise ModelError(f"{place} is {mode}; there are modes {known}")
    return mode


def check_active(active: Sequence[int], capacity: int, modes: Sequence[int]) -> tuple[int, ...]:
    """Robots for each number of pages from 0 to K."""
    if isinstance(active, str) or not isinstance(active, Sequence | np.ndarray) or len(active) != capacity + 1:
        raise ModelError(f"active is {active!r}; it must list the robots for 0 to {capacity} pages, "
                         f"{capacity + 1} numbers")
    return tuple(check_mode(value, f"active, for {pages} pages,", modes) for pages, value in enumerate(active))


def check_combination(modes: Sequence[int], available: Sequence[int]) -> tuple[int, ...]:
    if isinstance(modes, str) or not isinstance(modes, Sequence | np.ndarray) or len(modes) == 0:
        raise ModelError(f"modes is {modes!r}; it must list the modes in the order of their use, such as (3, 1)")
    combination = tuple(check_mode(mode, f"modes, entry {k},", available) for k, mode in enumerate(modes, 1))
    if len(set(combination)) < len(combination):
        raise ModelError(f"modes is {combination}; each mode can be used once")
    return combination


def from_thresholds(thresholds: Sequence[int], modes: Sequence[int], capacity: int,
                    available: Sequence[int]) -> tuple[int, ...]:
    """The paper's form: modes[0] up to thresholds[0] pages, then modes[1] up to thresholds[1], ..., at last modes[-1].

    0 <= j_1 <= j_2 <= ... <= K - 1: the first and the last mode are always used, one in between is skipped when its
    two thresholds coincide.
    """
    combination = check_combination(modes, available)
    if isinstance(thresholds, str) or not isinstance(thresholds, Sequence | np.ndarray):
        raise ModelError(f"thresholds is {thresholds!r}; it must be a list of whole numbers")
    if len(thresholds) != len(combination) - 1:
        raise ModelError(f"{len(combination)} modes need {len(combination) - 1} thresholds, not {len(thresholds)}")
    previous = 0
    active: list[int] = []
    for k, (value, mode) in enumerate(zip(thresholds, combination[:-1], strict=True), 1):
        threshold = whole(value, f"thresholds, entry {k},")
        if not 0 <= threshold <= capacity - 1:
            raise ModelError(f"thresholds, entry {k}, is {threshold}; it must be in 0 to K - 1 = {capacity - 1}")
        if threshold < previous:
            raise ModelError(f"thresholds, entry {k}, is {threshold}, below the one before it, {previous}")
        active += [mode] * (threshold + 1 - len(active))
        previous = threshold
    return tuple(active + [combination[-1]] * (capacity + 1 - len(active)))


def all_combinations(available: Sequence[int]) -> list[tuple[int, ...]]:
    """Every choice of modes, fewest first, each in the order of its use: more robots while there are fewer pages."""
    return [
        tuple(reversed(chosen))
        for count in range(1, len(available) + 1)
        for chosen in combinations(sorted(available), count)
    ]


def count_thresholds(count: int, capacity: int) -> int:
    """How many thresholds there are between `count` modes."""
    return math.comb(capacity + count - 2, count - 1)


def all_thresholds(count: int, capacity: int) -> Iterator[tuple[int, ...]]:
    """All thresholds between `count` modes."""
    return combinations_with_replacement(range(capacity), count - 1)


def shifted(thresholds: tuple[int, ...], first: int, last: int, capacity: int) -> list[tuple[int, ...]]:
    """Thresholds with those from `first` to `last` moved by the same number, in all ways that keep the order."""
    low = thresholds[first - 1] if first else 0
    high = thresholds[last + 1] if last + 1 < len(thresholds) else capacity - 1
    return [(*thresholds[:first], *(j + by for j in thresholds[first:last + 1]), *thresholds[last + 1:])
            for by in range(low - thresholds[first], high - thresholds[last] + 1)]
