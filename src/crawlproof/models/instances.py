"""Instances of the obsolescence queue to test formulas with: exact, reproducible, of any small size."""

from __future__ import annotations

from random import Random

from flint import fmpq

from crawlproof.models.obsolescence_queue import ObsolescenceQueue, active_robots


def random_arrivals(rng: Random, phases: int, largest_batch: int) -> list[list[list[fmpq]]]:
    """D_0, D_1, ..., D_b with random rates, some of them 0; every batch size occurs in some row."""
    matrices = [
        [[_rate(rng) for _ in range(phases)] for _ in range(phases)] for _ in range(largest_batch + 1)
    ]
    for nu in range(phases):
        matrices[0][nu][(nu + 1) % phases] += fmpq(1, 3)  # a way round all phases: irreducible
        matrices[0][nu][nu] = fmpq(0)
    for k in range(1, largest_batch + 1):
        matrices[k][k % phases][0] += fmpq(1, 5)
    for nu in range(phases):
        matrices[0][nu][nu] = -sum((d[nu][nu2] for d in matrices for nu2 in range(phases)), fmpq(0))
    return matrices


def random_phase_type(rng: Random, phases: int) -> tuple[list[fmpq], list[list[fmpq]]]:
    """An initial vector and a sub-generator, with every phase in use and every exit rate positive."""
    weights = [rng.randint(1, 5) for _ in range(phases)]
    start = [fmpq(w, sum(weights)) for w in weights]
    matrix = [[_rate(rng) for _ in range(phases)] for _ in range(phases)]
    for m in range(phases):
        matrix[m][m] = fmpq(0)
        matrix[m][m] = -sum(matrix[m], fmpq(0)) - fmpq(rng.randint(1, 9), rng.randint(2, 7))
    return start, matrix


def random_queue(
    seed: int, *, arrival_phases: int = 2, service_phases: int = 2, clock_phases: int = 2, capacity: int = 3,
    robots: int = 2, largest_batch: int = 2, thresholds: tuple[int, ...] | None = None,
) -> ObsolescenceQueue:
    """A queue with random rational parameters; without ``thresholds``, random ones with 0 <= j_1 <= ... < K."""
    rng = Random(seed)
    if thresholds is None:
        thresholds = tuple(sorted(rng.randrange(capacity) for _ in range(robots - 1)))
    return ObsolescenceQueue(
        arrivals=[random_arrivals(rng, arrival_phases, largest_batch) for _ in range(robots)],
        service=random_phase_type(rng, service_phases),
        obsolescence=random_phase_type(rng, clock_phases),
        capacity=capacity,
        active=active_robots(thresholds, range(robots, 0, -1), capacity),
    )


def _rate(rng: Random) -> fmpq:
    return fmpq(rng.choice([0, 1, 1, 2, 3, 5]), rng.randint(1, 6))
