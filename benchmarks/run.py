"""Measures the solvers against what people use, as ratios in one run, and writes benchmarks/results.md.

    make bench                      everything (some minutes), results to benchmarks/results.md
    make bench ARGS=--quick         small sizes, to see that all of it runs; writes nothing
    make bench ARGS="--only rates"  the cases whose name contains this; writes nothing

A ratio is peer's time over ours (higher is better), or ours over that of one pass over memory (lower is better).
Both sides of a ratio alternate within the same run, for about the same time, and their means count. Compilation is not counted,
everything else is: checking the input, the law's transform, the certificate.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from importlib import metadata
from pathlib import Path

import logs
import numba
import numpy as np
import peers
from scipy import sparse, special

from crawlproof import laws, schedule
from crawlproof.queue import ThresholdQueue
from crawlproof.queue import files as models
from crawlproof.queue.kronecker import QueueChain

HERE = Path(__file__).resolve().parent
SEED = 7
MEASURES_MEMORY = Path("/proc/self/clear_refs").exists()


@dataclass(frozen=True)
class Goal:
    """A ratio to reach: at least ``value``, or at most."""

    value: float
    at_most: bool = False

    def __str__(self) -> str:
        return f"{'≤' if self.at_most else '≥'} {self.value:g}×"

    def reached(self, ratio: float) -> bool:
        return ratio <= self.value if self.at_most else ratio >= self.value

    def miss(self, ratio: float) -> float:
        """By what factor the goal is missed."""
        return ratio / self.value if self.at_most else self.value / ratio


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    size: str
    against: str
    ratio: float | None
    goal: Goal | None = None
    note: str = ""

    def cells(self) -> tuple[str, ...]:
        if self.ratio is None:
            verdict = "not measured"
        elif self.goal is None:
            verdict = ""
        elif self.goal.reached(self.ratio):
            verdict = "reached"
        else:
            verdict = f"missed by {self.goal.miss(self.ratio):.3g}×"
        shown = "" if self.ratio is None else f"{self.ratio:.3g}×"
        return self.what, self.size, self.against, shown, str(self.goal or ""), verdict, self.note


HEADER = ("what", "size", "against", "ratio", "goal", "result", "accuracy, remarks")


LONGEST_SPAN = 1.0
"""Seconds for which the faster side of a ratio is repeated at most, in each round."""


def mean_times(*calls: Callable[[], object], rounds: int) -> list[float]:
    """Mean time of each call; they take turns, so that a busy moment of the machine hits all alike."""
    spent = [0.0] * len(calls)
    for _ in range(rounds):
        for position, call in enumerate(calls):
            started = time.perf_counter()
            call()
            spent[position] += time.perf_counter() - started
    return [seconds / rounds for seconds in spent]


def times_against(ours: Callable[[], object], peer: Callable[[], object], rounds: int) -> float:
    """Peer's time over ours, the median of some rounds.

    In a round the quick side (ours) is repeated, before the slow one and then for about as long as that took, and its
    mean counts. The best of many short calls would find a quiet moment of a busy machine where one long
    call can't, and would flatter the quick side.
    """
    ours()
    ratios = []
    for _ in range(rounds):
        count, before = _repeated(ours, LONGEST_SPAN / 20)
        started = time.perf_counter()
        peer()
        span = time.perf_counter() - started
        more, after = _repeated(ours, min(span, LONGEST_SPAN))
        ratios.append(span / ((before + after) / (count + more)))
    return float(np.median(ratios))


def _repeated(call: Callable[[], object], at_least: float) -> tuple[int, float]:
    """How often a call was made until so many seconds had passed, and the seconds."""
    started = time.perf_counter()
    count, spent = 0, 0.0
    while count == 0 or spent < at_least:
        call()
        count += 1
        spent = time.perf_counter() - started
    return count, spent


# The instance: rates and weights independent and lognormal, which drops about a third of the pages.

ACCESS_TIME = laws.Exponential(mean=1.0)


def instance(pages: int) -> tuple[np.ndarray, np.ndarray]:
    """Change rates and weights; the rates sum to about 3 per access."""
    rng = np.random.default_rng(SEED)
    return rng.lognormal(0, 1.5, pages) / pages, rng.lognormal(0, 1.5, pages)


def worth_and_kappa(change_rate: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return weight / (change_rate * ACCESS_TIME.mean), -ACCESS_TIME.log_laplace(change_rate)


def solve(change_rate: np.ndarray, weight: np.ndarray | None, policy: str = "spaced"):
    return schedule.frequencies(change_rate, weight=weight, access_time=ACCESS_TIME, policy=policy)


def relaxed_against_solvers(quick: bool) -> Iterator[Row]:
    """(7) at a size that generic solvers can still do."""
    pages = 1_000 if quick else 10_000
    change_rate, weight = instance(pages)
    worth, kappa = worth_and_kappa(change_rate, weight)
    plan = solve(change_rate, weight)
    cost = peers.relaxed_cost(weight, worth, kappa, plan.frequency)
    for name, goal, peer in (
        ("ECOS (cvxpy)", Goal(100), lambda: peers.cone_program(worth, kappa, "ECOS")),
        ("Clarabel (cvxpy)", None, lambda: peers.cone_program(worth, kappa, "CLARABEL")),
        ("scipy trust-constr", None, lambda: peers.trust_constr(worth, kappa)),
    ):
        if "cvxpy" in name and not has_peers():
            yield Row("optimum (7)", f"{pages:,}", name, None, goal, "cvxpy is not installed")
            continue
        try:
            excess = peers.relaxed_cost(weight, worth, kappa, peer()) / cost - 1
        except Exception as error:  # a peer that gives up is a result too
            yield Row("optimum (7)", f"{pages:,}", name, None, goal, f"the peer failed: {str(error).splitlines()[0]}")
            continue
        ratio = times_against(lambda: solve(change_rate, weight), peer, 1 if name == "scipy trust-constr" else 5)
        yield Row(
            "optimum (7)", f"{pages:,}", name, ratio, goal,
            f"certified relative gap {plan.gap / plan.cost:.0e}; the peer's cost is {excess:+.0e} off ours",
        )


def relaxed_against_lambert(quick: bool) -> Iterator[Row]:
    pages = 100_000 if quick else 1_000_000
    change_rate, weight = instance(pages)
    plan = solve(change_rate, weight)

    def peer() -> np.ndarray:
        return peers.lambert_newton(*worth_and_kappa(change_rate, weight))

    worth, kappa = worth_and_kappa(change_rate, weight)
    theirs = peers.relaxed_cost(weight, worth, kappa, peer())
    ours = peers.relaxed_cost(weight, worth, kappa, plan.frequency)
    yield Row(
        "optimum (7)", f"{pages:,}", "scipy lambertw, Newton", times_against(lambda: solve(change_rate, weight), peer, 5),
        Goal(50), f"certified relative gap {plan.gap / plan.cost:.0e}; the peer's cost is {theirs / ours - 1:+.0e} off ours",
    )


@numba.njit(error_model="numpy", parallel=True)
def triad(out, left, right, scale):
    for i in numba.prange(out.size):
        out[i] = left[i] + scale * right[i]


def against_memory(quick: bool) -> Iterator[Row]:
    """How far from one pass over the same arrays, on all cores: no method can do better than some such passes."""
    pages = 1_000_000 if quick else 10_000_000
    change_rate, weight = instance(pages)
    out = np.empty(pages)

    def memory() -> None:
        triad(out, change_rate, weight, 3.0)

    memory()
    for what, policy, weights, goal in (
        ("optimum (7)", "spaced", weight, Goal(30, at_most=True)),
        ("closed form (10)", "spaced", None, Goal(1.5, at_most=True)),
        ("closed form (16)", "randomized", None, Goal(1.5, at_most=True)),
        ("randomized, any weights", "randomized", weight, None),
    ):
        solve(change_rate[:1000], None if weights is None else weights[:1000], policy)
        plan = solve(change_rate, weights, policy)
        ratio = times_against(memory, lambda weights=weights, policy=policy: solve(change_rate, weights, policy), 5)
        yield Row(
            what, f"{pages:,}", "one triad pass", ratio, goal,
            f"certified relative gap {plan.gap / plan.cost:.0e}" + ("; stretch goal ≤ 15×" if goal and goal.value == 30 else ""),
        )


def randomized_against_loop(quick: bool) -> Iterator[Row]:
    pages = 20_000 if quick else 1_000_000
    change_rate, weight = instance(pages)
    plan = solve(change_rate, weight, "randomized")
    found = []

    def peer() -> None:
        inverse = np.expm1(-ACCESS_TIME.log_laplace(change_rate)).tolist()
        found[:] = peers.loop_water_filling(weight.tolist(), change_rate.tolist(), inverse)

    ratio = times_against(lambda: solve(change_rate, weight, "randomized"), peer, 1)
    apart = float(np.abs(np.array(found) - plan.frequency).max() / plan.frequency.max())
    yield Row(
        "randomized, any weights", f"{pages:,}", "water-filling in Python", ratio, Goal(200),
        f"certified relative gap {plan.gap / plan.cost:.0e}; frequencies agree to {apart:.0e}",
    )


def schedules_against_heap(quick: bool) -> Iterator[Row]:
    """Orders of access at the optimal frequencies, all pages kept; setting up counts on both sides."""
    pages, length = (50_000, 100_000) if quick else (1_000_000, 4_000_000)
    frequency = solve(instance(pages)[0], None).frequency
    due = np.random.default_rng(0).random(pages) / frequency
    goals = {"most-overdue": Goal(50), "deadline": Goal(50), "golden-ratio": Goal(200)}
    names = ("most-overdue", "deadline", "random-phase", "golden-ratio", "powers-of-two", "randomized")
    found = {}

    def make(policy: str) -> None:
        found[policy] = schedule.sequence(frequency, policy, length=length, seed=0)

    def heap() -> None:
        found["heapq"] = peers.heap_schedule(frequency, due, length)

    for policy in names:
        schedule.sequence(frequency[:100] / frequency[:100].sum(), policy, length=1000)
    peer, *ours = mean_times(heap, *(lambda policy=policy: make(policy) for policy in names), rounds=2)
    for policy, seconds in zip(names, ours, strict=True):
        # Cyclic policies make somewhat more accesses than they are asked for: count them one by one.
        ratio = peer / length / (seconds / len(found[policy]))
        note = ""
        if policy == "random-phase":
            same = float(np.mean(found[policy] == np.array(found["heapq"])))
            note = f"the same page as heapq's in {same:.4%} of the accesses"
        yield Row(f"schedule, {policy}", f"{pages:,}", "heapq, for each access", ratio, goals.get(policy), note)


def rates_against_loop(quick: bool) -> Iterator[Row]:
    """Maximum likelihood with likelihood-ratio intervals, out of a log with irregular intervals."""
    pages, accesses = (500, 20) if quick else (20_000, 20)
    rng = np.random.default_rng(SEED)
    rate = rng.lognormal(0, 1, (pages, 1))
    interval = rng.exponential(1, (pages, accesses))
    changed = rng.random((pages, accesses)) < -np.expm1(-rate * interval)
    log = {"page": np.repeat(np.arange(pages), accesses), "interval": interval.ravel(), "changed": changed.ravel()}
    intervals, flags = interval.tolist(), changed.tolist()
    drop = float(special.chdtri(1, 0.05)) / 2

    def ours() -> schedule.RateEstimates:
        return schedule.estimate_rates(log, method="maximum-likelihood", confidence=0.95)

    found = ours()
    theirs = peers.loop_rates(intervals, flags, drop)
    apart = 0.0
    for mine, other in zip((found.rate, found.low, found.high), map(np.array, theirs), strict=True):
        proper = np.isfinite(other) & (other > 0)
        apart = max(apart, float(np.max(np.abs(mine[proper] / other[proper] - 1))))
    ratio = times_against(ours, lambda: peers.loop_rates(intervals, flags, drop), 3)
    yield Row("change rates", f"{pages * accesses:,} intervals", "Python loop with brentq", ratio, None,
              f"rates and confidence intervals agree to {apart:.0e}")


def uncertain_rates(quick: bool) -> Iterator[Row]:
    """Frequencies at rates that are known up to gamma laws, against (7) at known rates."""
    pages = 100_000 if quick else 1_000_000
    change_rate, weight = instance(pages)
    shape = np.random.default_rng(SEED).gamma(0.5, 1, pages) + 0.3 + np.arange(pages) % 3
    law = laws.Deterministic(1.0)
    plan = schedule.frequencies(change_rate, weight, access_time=law, shape=shape)

    def known() -> None:
        schedule.frequencies(change_rate, weight, access_time=law)

    known()
    ratio = times_against(known, lambda: schedule.frequencies(change_rate, weight, access_time=law, shape=shape), 5)
    yield Row("optimum, unknown rates", f"{pages:,}", "optimum (7)", ratio, Goal(5, at_most=True),
              f"certified relative gap {plan.gap / plan.cost:.0e}")


def simulated_logs(quick: bool) -> Iterator[Row]:
    """From a log to a plan: what is out of date at the true rates, which no planner has seen."""
    pages = 2_000 if quick else 20_000
    for kind in logs.KINDS:
        found = logs.outcome(logs.simulate(kind, pages, SEED))
        note = (
            f"out of date {found.ours:.4f}, expected {found.expected:.4f}; {found.alone:.3f} with each page alone; "
            f"{found.oracle:.4f} at known rates"
        )
        yield Row(f"log to plan, {kind}", f"{pages:,}", "equal frequencies", found.equal / found.ours, Goal(1), note)
        for against, other in (("regret of full posteriors", found.full), ("regret, law of rates known", found.best)):
            ratio = (found.ours - found.oracle) / (other - found.oracle)
            yield Row(f"log to plan, {kind}", f"{pages:,}", against, ratio, Goal(1.15, at_most=True))


def threshold_queue(quick: bool) -> Iterator[Row]:
    """All measures of one policy, against peers that only solve for the stationary law, given the generator."""
    capacity = 7 if quick else 9
    queue, active = shipped_queue(capacity)
    generator = dense_generator(queue, active)
    result = queue.solve(active=active)
    size = f"{len(generator):,} states"
    exact = _levels(queue, peers.gth(generator))
    error = float(np.max(np.abs(np.array(result.level_probabilities) / exact - 1)))

    def ours() -> None:
        # A queue of its own each time: nothing that an earlier solution has computed is used again.
        ThresholdQueue(queue.arrivals, queue.service, queue.obsolescence, capacity).solve(active=active)

    for name, peer in (("LINE, stationary law", peers.line_stationary), ("jmarkov, stationary law", peers.jmarkov_stationary)):
        try:
            theirs = float(np.max(np.abs(_levels(queue, peer(generator)) / exact - 1)))
        except ImportError:
            yield Row("threshold queue", size, name, None, Goal(20), "not installed")
            continue
        ratio = times_against(ours, lambda peer=peer: peer(generator), 5)
        yield Row("threshold queue", size, name, ratio, Goal(20),
                  f"levels within {error:.0e} of GTH (goal 1e-12), the peer's within {theirs:.0e}")
    matrix = sparse.csr_array(generator)
    law = np.full(len(generator), 1 / len(generator))
    products = times_against(lambda: law @ matrix, ours, 9)
    yield Row("threshold queue", size, "one sparse product", products, Goal(100, at_most=True),
              "all measures of the model, not only the stationary law")


def shipped_queue(capacity: int) -> tuple[ThresholdQueue, tuple[int, ...]]:
    """Section 7's queue with an obsolescence of high variation (two phases), and a policy that uses two modes."""
    queue = models.load("obsolescence-variation", capacity=capacity).queue
    return queue, queue.active((capacity // 3,), (3, 1))


def dense_generator(queue: ThresholdQueue, active: Sequence[int]) -> np.ndarray:
    """The whole generator, for peers, put together out of the blocks."""
    chain = QueueChain(queue.arrivals, queue.service, queue.obsolescence, queue.capacity)
    start = np.concatenate([[0], np.cumsum(chain.sizes)])
    whole = np.zeros((start[-1], start[-1]))
    for level, robots in enumerate(active):
        rows = slice(start[level], start[level + 1])
        whole[rows, rows] = chain.local(level)[robots - 1]
        if level:
            whole[rows, start[level - 1]:start[level]] = chain.down(level)
        for above in range(level + 1, min(queue.capacity, level + chain.largest_jump) + 1):
            whole[rows, start[above]:start[above + 1]] = chain.up(level, above)[robots - 1]
    np.fill_diagonal(whole, 0)
    np.fill_diagonal(whole, -whole.sum(axis=1))
    return whole


def _levels(queue: ThresholdQueue, law: np.ndarray) -> np.ndarray:
    sizes = QueueChain(queue.arrivals, queue.service, queue.obsolescence, queue.capacity).sizes
    return np.add.reduceat(np.asarray(law).ravel(), np.concatenate([[0], np.cumsum(sizes)[:-1]]))


def _large_queue(capacity: int) -> tuple[float, int, int, float]:
    """Seconds, bytes of growth, states and stated error of one solution, compiled beforehand."""
    shipped_queue(10)[0].solve(active=shipped_queue(10)[1], method="matrix-free")
    queue, active = shipped_queue(capacity)
    before = _reset_peak()
    started = time.perf_counter()
    result = queue.solve(active=active, method="matrix-free")
    return time.perf_counter() - started, _peak() - before, result.states, result.error


def large_queue(quick: bool) -> Iterator[Row]:
    """Where dense and sparse elimination have long given up; the goals are absolute: two minutes, 4 GB."""
    if not MEASURES_MEMORY:
        yield Row("threshold queue, K = 24", "", "2 minutes", None, None, "needs Linux's /proc")
        return
    capacity = 14 if quick else 24
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        seconds, grown, states, error = pool.apply(_large_queue, (capacity,))
    what, size = f"threshold queue, K = {capacity}", f"{states:,} states"
    once = Goal(1, at_most=True)
    yield Row(what, size, "2 minutes", seconds / 120, once, f"all measures; stated relative error {error:.0e}")
    yield Row(what, size, "4 GB of memory", grown / 4e9, once, f"{grown / states:.0f} bytes for each state")


# Memory: each case in a process of its own, because a peak can't be taken back.

def _peak_growth(case: str, pages: int) -> int:
    """Bytes by which the process grew beyond its input while it solved."""
    change_rate, weight = instance(pages)
    small = slice(0, 1000)
    if case == "spaced":
        solve(change_rate[small], weight[small])
        before = _reset_peak()
        solve(change_rate, weight)
    else:
        solve(change_rate[small], weight[small], "randomized")
        before = _reset_peak()
        solve(change_rate, weight, "randomized")
    return _peak() - before


def _reset_peak() -> int:
    """Set the process's peak to what it uses now (Linux), and return that."""
    Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> int:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def memory_peaks(quick: bool) -> Iterator[Row]:
    if not MEASURES_MEMORY:
        yield Row("memory peak", "", "the two input arrays", None, None, "needs Linux's /proc")
        return
    pages = 1_000_000 if quick else 10_000_000
    for case in ("spaced", "randomized"):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            grown = pool.apply(_peak_growth, (case, pages))
        yield Row(
            f"memory peak, {case}, any weights", f"{pages:,}", "the two input arrays", grown / (16 * pages), None,
            f"{grown / pages:.0f} bytes for each page beyond the input, results included",
        )


CASES: dict[str, Callable[[bool], Iterator[Row]]] = {
    "solvers": relaxed_against_solvers,
    "lambert": relaxed_against_lambert,
    "triad": against_memory,
    "randomized": randomized_against_loop,
    "schedules": schedules_against_heap,
    "rates": rates_against_loop,
    "uncertain": uncertain_rates,
    "logs": simulated_logs,
    "queue": threshold_queue,
    "large-queue": large_queue,
    "memory": memory_peaks,
}


# Peers that are not among the suite's requirements.

def install_peers() -> None:
    """Put the pinned peers into a directory of their own, once; without them their rows say so."""
    wanted = HERE / "requirements.txt"
    place = HERE.parent / ".cache" / f"benchmarks-{hashlib.sha256(wanted.read_bytes()).hexdigest()[:12]}"
    if not place.exists():
        unfinished = place.with_name(f"{place.name}.{os.getpid()}")
        print(f"installing peers for comparison from {wanted.relative_to(HERE.parent)}", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", unfinished, "-r", wanted],
            check=False, capture_output=True, text=True,
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
            print(f"peers can't be installed, their rows are skipped: {last}", file=sys.stderr)
            return
        unfinished.rename(place)
    # Last on the path: what the suite has itself (numpy, scipy) comes from its own environment.
    sys.path.append(str(place))


def has_peers() -> bool:
    try:
        import cvxpy  # noqa: F401
    except ImportError:
        return False
    return True


def machine() -> str:
    """What the ratios depend on; nothing that names the machine."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text().splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy", "numba"))
    return (
        f"{os.cpu_count()} cores ({model}), {memory:.0f} GB, {platform.system()}, "
        f"Python {platform.python_version()}, {versions}"
    )


def table(rows: list[Row]) -> str:
    """As Markdown, columns aligned so that it reads well on a terminal too."""
    cells = [HEADER, *(row.cells() for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEADER))]
    lines = ["| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |" for line in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def summary(rows: list[Row]) -> str:
    with_goal = [row for row in rows if row.goal and row.ratio is not None]
    missed = [row for row in with_goal if not row.goal.reached(row.ratio)]
    text = f"{len(with_goal) - len(missed)} of {len(with_goal)} goals reached." if with_goal else ""
    if missed:
        text += " Missed: " + "; ".join(
            f"{row.what} at {row.size} against {row.against} ({row.ratio:.3g}×, goal {row.goal})" for row in missed
        ) + "."
    if skipped := [f"{row.what} against {row.against}" for row in rows if row.ratio is None]:
        text += " Not measured: " + "; ".join(skipped) + "."
    return text


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="small sizes; no results are written")
    options.add_argument("--only", metavar="NAME", help=f"only cases whose name contains this: {', '.join(CASES)}")
    chosen = options.parse_args()
    names = [name for name in CASES if chosen.only is None or chosen.only in name]
    if not names:
        options.error(f"--only {chosen.only}: no such case; there are {', '.join(CASES)}")
    install_peers()
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    rows = []
    for number, name in enumerate(names, 1):
        print(f"[{number}/{len(names)}] {name}", flush=True)
        rows += CASES[name](chosen.quick)
    if chosen.quick:
        print("\nsmall sizes: the goals, which are for full sizes, are left out")
        rows = [replace(row, goal=None) for row in rows]
    print(f"\n{table(rows)}\n\n{summary(rows)}")
    if not chosen.quick and chosen.only is None:
        results = HERE / "results.md"
        intro = (
            "# Benchmarks\n\nWritten by `make bench`. Ratios: the peer's time over ours (higher is better), except where the "
            "other side is one\npass over memory (lower is better) or an amount of memory. Both sides ran in turn, in one run.\n"
        )
        results.write_text(
            f"{intro}\nMachine: {machine()}; {date.today().isoformat()}. Load by other processes at the start: {load}.\n\n"
            f"{summary(rows)}\n\n{table(rows)}\n", encoding="utf-8",
        )
        print(f"written: {results.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
