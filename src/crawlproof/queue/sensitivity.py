"""How the cost depends on rates and on its coefficients.

The recursion adds, multiplies and divides only, so it can be run on complex rates: with a rate that is increased by i h,
h tiny, the imaginary part of the cost is h times its derivative. Nothing is subtracted, and nothing is truncated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crawlproof.queue import fate, levels
from crawlproof.queue.clocks import Clock
from crawlproof.queue.kronecker import QueueChain
from crawlproof.queue.measures import Costs, Rates, rates, totals

if TYPE_CHECKING:
    from crawlproof.queue.model import ThresholdQueue

STEP = 1e-100


@dataclass(frozen=True)
class Sensitivities:
    """Derivatives of the cost. Rates on a diagonal are no rates of their own (but for batches): there it is 0."""

    cost: float
    costs: dict[str, float]
    """by each coefficient of the cost"""
    arrivals: tuple[np.ndarray, ...]
    """by the rates of each mode, (batch size, from, to)"""
    service: np.ndarray
    """by the rates between phases of the service"""
    service_exit: np.ndarray
    """by the rates at which a service ends"""
    obsolescence: np.ndarray | None
    obsolescence_exit: np.ndarray | None
    speeds: dict[str, Any]
    """by the logarithms of all rates of each mode, of the service, of the obsolescence at once"""


@dataclass(frozen=True)
class RatesOfClock:
    beta: np.ndarray
    S: np.ndarray
    exit: np.ndarray

    @property
    def phases(self) -> int:
        return len(self.beta)


@dataclass(frozen=True)
class RatesOfArrivals:
    moves: np.ndarray
    batches: np.ndarray


def sensitivities(queue: ThresholdQueue, law: Clock, policy: np.ndarray, costs: Costs,
                  level_policies: Callable[[np.ndarray], list[np.ndarray]]) -> Sensitivities:
    """By one run for each rate."""
    values = {
        "arrivals": [np.concatenate([bmap.moves[None], bmap.batches]) for bmap in queue.arrivals],
        "service": queue.service.S, "service_exit": queue.service.exit,
        "obsolescence": law.S, "obsolescence_exit": law.exit,
    }

    def run(given: dict[str, Any]) -> Rates:
        arrivals = [RatesOfArrivals(stack[0], stack[1:]) for stack in given["arrivals"]]
        service = RatesOfClock(queue.service.beta, given["service"], given["service_exit"])
        clock = RatesOfClock(law.beta, given["obsolescence"], given["obsolescence_exit"])
        chain = QueueChain(arrivals, service, clock, queue.capacity)
        laws = chain.by_level(levels.stationary(chain, policy[None]))
        sums = totals(laws, level_policies(policy[None]), len(arrivals), service, clock,
                      fate.of_waiting_pages(service, clock, queue.capacity))
        return rates(sums, chain.batches, queue.robots)

    def derivative(name: str, place: tuple[int, ...], mode: int | None = None) -> float:
        changed = (values[name] if mode is None else values[name][mode]).astype(complex)
        changed[place] += STEP * 1j
        every = changed if mode is None else [*values[name][:mode], changed, *values[name][mode + 1:]]
        return float(run(values | {name: every}).cost(costs)[0].imag / STEP)

    def of_clock(name: str) -> np.ndarray:
        array = values[name]
        return np.array([0.0 if array.ndim == 2 and place[0] == place[1] else derivative(name, place)
                         for place in np.ndindex(array.shape)]).reshape(array.shape)

    arrivals = []
    for mode, array in enumerate(values["arrivals"]):
        used = mode in policy
        arrivals.append(np.array([
            derivative("arrivals", place, mode) if used and (place[0] or place[1] != place[2]) else 0.0
            for place in np.ndindex(array.shape)]).reshape(array.shape))
    service, service_exit = of_clock("service"), of_clock("service_exit")
    has = queue.obsolescence is not None
    obsolescence, obsolescence_exit = (of_clock("obsolescence"), of_clock("obsolescence_exit")) if has else (None, None)
    plain = run(values)
    speeds: dict[str, Any] = {
        "arrivals": tuple(float((array * rate).sum()) for array, rate in zip(arrivals, values["arrivals"], strict=True)),
        "service": float((service * queue.service.S).sum() + service_exit @ queue.service.exit),
        "obsolescence": float((obsolescence * law.S).sum() + obsolescence_exit @ law.exit) if has else None,
    }
    return Sensitivities(
        cost=float(plain.cost(costs)[0]),
        costs={"loss": float(plain.lost[0]), "obsolescence": float(plain.obsolete[0]),
               "sojourn": float(plain.will_be_served[0] / plain.served[0]), "robot": float(plain.robots[0]),
               "starvation": float(plain.levels[0, 0])},
        arrivals=tuple(arrivals), service=service, service_exit=service_exit,
        obsolescence=obsolescence, obsolescence_exit=obsolescence_exit, speeds=speeds)
