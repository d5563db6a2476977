"""The obsolescence queue played through: pages with sampled deadlines and service times, no phases, no matrices.

Batches arrive in Poisson streams, so that every moment at which the system becomes empty is a fresh
start: cycles from one such moment to the next are independent and alike, and long-run averages are ratios
of means over cycles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

Sampler = Callable[[np.random.Generator], float]


@dataclass
class Cycle:
    """What happened between two moments at which the system became empty; times in the system are sums."""

    duration: float = 0.0
    empty: float = 0.0
    robot_time: float = 0.0
    page_time: float = 0.0
    delivered: int = 0
    lost: int = 0
    served: int = 0
    obsolete: int = 0
    time_served: float = 0.0
    time_obsolete: float = 0.0


def simulate_cycles(
    rng: np.random.Generator, cycles: int, *, batch_rates: Sequence[Mapping[int, float]], service: Sampler,
    deadline: Sampler, capacity: int, active: Sequence[int],
) -> dict[str, np.ndarray]:
    """Play ``cycles`` cycles; ``batch_rates[n - 1]`` maps batch sizes to their rates with n active robots.

    Returns one array for each field of :class:`Cycle`.
    """
    played = [_play(rng, batch_rates, service, deadline, capacity, active) for _ in range(cycles)]
    return {f.name: np.array([getattr(c, f.name) for c in played], dtype=float) for f in fields(Cycle)}


def _play(rng, batch_rates, service, deadline, capacity, active) -> Cycle:
    cycle, now = Cycle(), 0.0
    waiting: list[tuple[float, float]] = []  # (arrival time, deadline), oldest first
    in_service: tuple[float, float] | None = None  # (arrival time, end of service)
    while True:
        pages = len(waiting) + (in_service is not None)
        rates = batch_rates[active[pages] - 1]
        next_arrival = now + rng.exponential(1 / sum(rates.values()))  # memoryless: drawn anew after each event
        next_end = in_service[1] if in_service else np.inf
        next_deadline = min((d for _, d in waiting), default=np.inf)
        then = min(next_arrival, next_end, next_deadline)
        cycle.duration += then - now
        cycle.robot_time += active[pages] * (then - now)
        cycle.page_time += pages * (then - now)
        cycle.empty += (then - now) if pages == 0 else 0.0
        now = then
        if now == next_arrival:
            sizes = list(rates)
            size = int(rng.choice(sizes, p=np.array([rates[s] for s in sizes]) / sum(rates.values())))
            accepted = min(size, capacity - pages)
            cycle.delivered += size
            cycle.lost += size - accepted
            if in_service is None and accepted:
                in_service = (now, now + service(rng))
                accepted -= 1
            waiting += [(now, now + deadline(rng)) for _ in range(accepted)]
        elif now == next_deadline:
            page = next(p for p in waiting if p[1] == now)
            waiting.remove(page)
            cycle.obsolete += 1
            cycle.time_obsolete += now - page[0]
        else:
            cycle.served += 1
            cycle.time_served += now - in_service[0]
            in_service = None
            if not waiting:
                return cycle
            in_service = (waiting.pop(0)[0], now + service(rng))
