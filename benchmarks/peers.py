"""What people use today, each written as its users would write it, on the same arrays as ours.

Problem (7) for page i with weight c, change rate mu and kappa = -ln E exp(-mu X): minimise the sum of
c - a x (1 - exp(-kappa/x)) with a = c/(mu E X), over x >= 0 with sum 1.
"""

from __future__ import annotations

import heapq
import math
import warnings

import numpy as np
from scipy import optimize, sparse, special


def relaxed_cost(weight: np.ndarray, worth: np.ndarray, kappa: np.ndarray, frequency: np.ndarray) -> float:
    """The objective of (7), in plain numpy: the judge of how exact a solution is."""
    kept = frequency > 0
    gain = np.zeros_like(frequency)
    gain[kept] = worth[kept] * frequency[kept] * -np.expm1(-kappa[kept] / frequency[kept])
    return math.fsum(weight - gain)


def cone_program(worth: np.ndarray, kappa: np.ndarray, solver: str) -> np.ndarray:
    """(7) through cvxpy: with u = x/kappa, z >= u exp(-1/u) is an exponential cone."""
    import cvxpy

    # The scalings under which each solver did best out of a dozen that were tried; with others Clarabel gives up.
    unit = worth.max() if solver == "CLARABEL" else np.median(worth)
    size = kappa * len(kappa)
    scaled, above = cvxpy.Variable(len(kappa)), cvxpy.Variable(len(kappa))
    problem = cvxpy.Problem(
        cvxpy.Minimize((worth / unit * size) @ (above - scaled)),
        [size @ scaled == len(kappa), cvxpy.constraints.ExpCone(cvxpy.Constant(-np.ones(len(kappa))), scaled, above)],
    )
    with warnings.catch_warnings():
        # What "may be inaccurate" amounts to is in the table: the excess cost.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        problem.solve(solver=solver)
    if scaled.value is None:
        raise RuntimeError(f"{solver} ended with status {problem.status}")
    return _on_simplex(scaled.value * kappa)


def trust_constr(worth: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """(7) by scipy's interior point method, with exact gradient and (diagonal) Hessian."""
    pages = len(kappa)
    unit = worth.max()
    value, ages = worth / unit, kappa * pages

    def cost(x: np.ndarray) -> float:
        return float(value @ (x * np.expm1(-ages / x)))

    def gradient(x: np.ndarray) -> np.ndarray:
        age = ages / x
        return value * (np.expm1(-age) + age * np.exp(-age))

    def hessian(x: np.ndarray) -> sparse.csr_array:
        age = ages / x
        return sparse.diags_array(value * age**2 * np.exp(-age) / x, format="csr")

    budget = optimize.LinearConstraint(sparse.csr_array(np.ones((1, pages))), pages, pages)
    found = optimize.minimize(
        cost, np.ones(pages), jac=gradient, hess=hessian, method="trust-constr", constraints=[budget],
        bounds=optimize.Bounds(1e-9, np.inf), options={"maxiter": 300, "gtol": 1e-8, "xtol": 1e-10},
    )
    return _on_simplex(found.x / pages)


def lambert_newton(worth: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """(7) by a safeguarded Newton iteration on the multiplier, each page's frequency by scipy's Lambert W."""
    low, high = 0.0, float(worth.max())
    price = high / 2
    frequency = np.zeros_like(kappa)
    for _ in range(200):
        kept = worth > price
        age = -1 - special.lambertw((price / worth[kept] - 1) / math.e, -1).real
        bought = kappa[kept] / age
        excess = bought.sum() - 1
        if excess > 0:
            low = price
        else:
            high = price
        if abs(excess) <= 1e-12 or high - low <= 1e-16 * high:
            break
        slope = -(kappa[kept] * np.exp(age) / (worth[kept] * age**3)).sum()
        price = price - excess / slope
        if not low < price < high:
            price = (low + high) / 2
    frequency[kept] = bought
    return frequency


def loop_water_filling(weight: list[float], change_rate: list[float], inverse_laplace: list[float]) -> list[float]:
    """The randomized optimum by bisection on the water level, page by page.

    ``inverse_laplace`` is b = 1/h - 1; a page gets b (s - t)/t with s = sqrt(c/mu), t the level.
    """
    score = [math.sqrt(c / mu) for c, mu in zip(weight, change_rate, strict=True)]
    low, high = 0.0, max(score)
    while high - low > 1e-15 * high:
        level = (low + high) / 2
        if level in (low, high):
            break
        total = 0.0
        for s, b in zip(score, inverse_laplace, strict=True):
            if s > level:
                total += b * (s - level)
        if total > level:
            low = level
        else:
            high = level
    return [b * (s - high) / high if s > high else 0.0 for s, b in zip(score, inverse_laplace, strict=True)]


def heap_schedule(frequency: np.ndarray, first: np.ndarray, length: int) -> list[int]:
    """Always the page with the earliest due time, which then moves on by 1/frequency."""
    gap = (1 / frequency).tolist()
    queue = [(due, page) for page, due in enumerate(first.tolist())]
    heapq.heapify(queue)
    order = []
    for _ in range(length):
        due, page = queue[0]
        order.append(page)
        heapq.heapreplace(queue, (due + gap[page], page))
    return order


def loop_rates(
    intervals: list[list[float]], changed: list[list[bool]], drop: float
) -> tuple[list[float], list[float], list[float]]:
    """Change rates by maximum likelihood with likelihood-ratio intervals, page after page.

    The rate solves sum over changed of d/(exp(rate d) - 1) = sum over unchanged of d; at the ends of its interval the
    log-likelihood is ``drop`` below its peak.
    """
    rates, lows, highs = [], [], []
    for waited, seen in zip(intervals, changed, strict=True):
        quiet = sum(d for d, c in zip(waited, seen, strict=True) if not c)
        busy = [d for d, c in zip(waited, seen, strict=True) if c]
        rate = 0.0 if not busy else math.inf if quiet == 0 else _newton_rate(busy, quiet)
        peak = _log_likelihood(rate, busy, quiet) if 0 < rate < math.inf else 0.0

        def below(rate: float, busy: list[float] = busy, quiet: float = quiet, target: float = peak - drop) -> float:
            return _log_likelihood(rate, busy, quiet) - target

        low, high = 0.0, math.inf
        if busy:
            # The likelihood is at most (rate longest)^changes, and at most exp(-rate quiet).
            start = math.exp((peak - drop) / len(busy)) / max(busy)
            top = rate if rate < math.inf else 40 / min(busy)
            low = optimize.brentq(below, start, top, rtol=1e-12) if below(start) < 0 else start
        if quiet:
            start = (drop - peak) / quiet
            high = optimize.brentq(below, rate, start, rtol=1e-12) if rate and below(start) < 0 else start
        rates.append(rate)
        lows.append(low)
        highs.append(high)
    return rates, lows, highs


def _newton_rate(busy: list[float], quiet: float) -> float:
    # From the left of the root Newton's steps on a convex function only go forward.
    rate = len(busy) / (quiet + sum(busy) / 2)
    for _ in range(100):
        value, slope = -quiet, 0.0
        for d in busy:
            grown = math.expm1(rate * d)
            value += d / grown
            slope -= d * d * (grown + 1) / (grown * grown)
        step = value / slope
        rate -= step
        if abs(step) <= 1e-13 * rate:
            break
    return rate


def _log_likelihood(rate: float, busy: list[float], quiet: float) -> float:
    return sum(math.log(-math.expm1(-rate * d)) for d in busy) - rate * quiet


def gth(generator: np.ndarray) -> np.ndarray:
    """The stationary law by Grassmann, Taksar and Heyman's elimination: no subtraction, so every digit counts."""
    rates = generator.copy()
    states = len(rates)
    for last in range(states - 1, 0, -1):
        rates[:last, last] /= rates[last, :last].sum()
        rates[:last, :last] += rates[:last, last, None] * rates[last, :last]
    law = np.zeros(states)
    law[0] = 1
    for state in range(1, states):
        law[state] = law[:state] @ rates[:state, state]
    return law / law.sum()


def jmarkov_stationary(generator: np.ndarray) -> np.ndarray:
    """jmarkov's steady state of a chain that is given by its generator."""
    from jmarkov.ctmc import ctmc

    return ctmc(generator).steady_state()


def line_stationary(generator: np.ndarray) -> np.ndarray:
    """LINE's steady state of a chain that is given by its generator."""
    from line_solver.api.mc import ctmc_solve

    return ctmc_solve(generator)


def _on_simplex(frequency: np.ndarray) -> np.ndarray:
    """Interior point methods meet constraints only nearly; their cost is judged at the nearest honest plan."""
    frequency = np.maximum(frequency, 0)
    return frequency / frequency.sum()
