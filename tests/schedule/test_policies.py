"""Policies against their definitions, chosen by looking at every page at every access."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlproof import schedule
from crawlproof.schedule.wheel import RELEASE_SLACK, EarliestKey, MostOverdue


def spread(name: str, pages: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    weight = {
        "equal": lambda: np.ones(pages),
        "lognormal": lambda: np.exp(1.5 * rng.normal(size=pages)),
        "wide": lambda: np.exp(8 * rng.normal(size=pages)),
        "zipf": lambda: 1 / np.arange(1, pages + 1),
        "two-class": lambda: np.where(np.arange(pages) < pages // 10 + 1, 9.0, 1.0),
        "powers": lambda: 2.0 ** -rng.integers(0, 10, pages),
    }[name]()
    return weight / weight.sum()


SPREADS = ["equal", "lognormal", "wide", "zipf", "two-class", "powers"]


def by_chunks(wheel, length: int) -> np.ndarray:
    out = np.empty(length, dtype=np.int32)
    start, size = 0, 1
    while start < length:
        wheel.fill(out[start : start + size])
        start, size = start + size, size % 997 + 100
    return out


@pytest.mark.parametrize("name", SPREADS)
@pytest.mark.parametrize("pages", [1, 2, 3, 24, 50, 300])
def test_most_overdue_is_the_largest_frequency_times_age(name, pages):
    frequency, length = spread(name, pages), 3000
    phase = np.random.default_rng(1).random(pages)
    last, expected = -phase / frequency, []
    for now in range(length):
        expected.append(int(np.argmax(frequency * (now - last))))  # first of equals
        last[expected[-1]] = now
    assert by_chunks(MostOverdue(frequency, phase), length).tolist() == expected


def earliest_by_definition(frequency, offset, shift, lag, length):
    count, chosen = np.zeros(len(frequency)), []
    for now in range(length):
        released = np.full(len(frequency), True)
        if shift is not None:
            release = np.ceil((count + shift) / frequency * RELEASE_SLACK - lag)
            released = release <= max(now, release.min())
        key = np.where(released, (count + offset) / frequency, np.inf)
        chosen.append(int(np.argmin(key)))
        count[chosen[-1]] += 1
    return chosen


@pytest.mark.parametrize("name", SPREADS)
@pytest.mark.parametrize("pages", [1, 2, 3, 24, 300])
@pytest.mark.parametrize("policy", ["deadline", "tijdeman", "random-phase"])
def test_earliest_key_by_definition(name, pages, policy):
    frequency, length = spread(name, pages), 3000
    margin = 1 / max(2 * pages - 2, 1) if pages > 1 else 0.0
    arguments = {
        "deadline": (1.0, 0.0, 0.0),
        "tijdeman": (1.0 - margin, margin, 1.0),
        "random-phase": (np.random.default_rng(2).random(pages), None, 0.0),
    }[policy]
    expected = earliest_by_definition(frequency, *arguments, length)
    assert by_chunks(EarliestKey(frequency, *arguments), length).tolist() == expected


@pytest.mark.parametrize("name", SPREADS)
@pytest.mark.parametrize("pages", [2, 3, 7, 50])
def test_tijdeman_stays_within_its_discrepancy(name, pages):
    frequency, length = spread(name, pages), 2000
    accesses = schedule.sequence(frequency, "tijdeman", length=length)
    done = np.cumsum(accesses[:, None] == np.arange(pages), axis=0)
    share = np.arange(1, length + 1)[:, None] * frequency
    assert np.abs(done - share).max() <= 1 - 1 / (2 * pages - 2) + 1e-9


@pytest.mark.parametrize("pages", [1, 3, 22, 100])
@pytest.mark.parametrize("name", SPREADS)
def test_golden_ratio_from_the_definition(name, pages):
    """Sort the points frac(j/phi) with exact integers: j/phi = (sqrt(5 j^2) - j)/2, and scale by 10^40."""
    frequency, cycle = spread(name, pages), 610
    accesses = schedule.sequence(frequency, "golden-ratio", cycle=cycle)
    counts = np.bincount(accesses, minlength=pages)
    quota = frequency * cycle
    assert (np.abs(counts - quota) < 1 + 1e-9).all()
    scale = 10**40
    place = [(math.isqrt(5 * (j * scale) ** 2) - j * scale) // 2 % scale for j in range(cycle)]
    owner = np.repeat(np.arange(pages), counts)
    assert accesses.tolist() == owner[np.argsort(place)].tolist()


@pytest.mark.parametrize("cycle", [1, 2, 89, 2178309, 5527939700884757])
def test_golden_ratio_is_seekable(cycle):
    plan = schedule.GoldenRatioSchedule(spread("lognormal", 40), cycle)
    positions = np.unique(np.array([0, 1, 2, 17, cycle // 2, cycle - 1, cycle, 3 * cycle + 5]))
    one_by_one = [schedule.golden_ratio_access(int(n), plan) for n in positions]
    assert schedule.golden_ratio_access(positions, plan).tolist() == one_by_one
    assert plan.access(10**30) == plan.access(10**30 % cycle)
    if cycle < 10**6:
        assert plan.sequence().tolist() == [plan.access(n) for n in range(cycle)]
        assert plan.chunk(cycle - 1, 3).tolist() == [plan.access(cycle - 1), plan.access(0), plan.access(1 % cycle)]


@pytest.mark.parametrize("name", SPREADS)
@pytest.mark.parametrize("pages", [1, 2, 5, 60])
def test_powers_of_two_are_evenly_spaced(name, pages):
    accesses = schedule.sequence(spread(name, pages), "powers-of-two", length=300)
    assert len(accesses) == 512
    gaps = schedule.cyclic_gaps(accesses)
    for page in range(pages):
        own = np.unique(gaps[accesses == page])
        assert len(own) == 1
        assert int(own[0]).bit_count() == 1


def test_powers_of_two_are_met_exactly():
    frequency = np.array([1, 2, 4, 1]) / 8
    accesses = schedule.sequence(frequency, "powers-of-two", length=8)
    assert np.bincount(accesses).tolist() == [1, 2, 4, 1]


@pytest.mark.parametrize("policy", schedule.POLICIES)
def test_chunks_make_the_sequence(policy):
    frequency = spread("lognormal", 30)
    whole = schedule.sequence(frequency, policy, length=2000, seed=3)
    chunks = list(schedule.stream(frequency, policy, length=2000, seed=3, chunk=77))
    assert np.concatenate(chunks).tolist() == whole.tolist()
    assert max(map(len, chunks)) == 77


def test_a_stream_never_holds_the_schedule():
    frequency = spread("zipf", 1000)
    first = next(schedule.stream(frequency, "golden-ratio", cycle=5527939700884757, chunk=10))
    assert len(first) == 10
    for policy in ("most-overdue", "deadline", "random-phase", "randomized", "round-robin"):
        endless = schedule.stream(frequency, policy, chunk=1000)  # without a length there is no end
        taken = np.concatenate([next(endless) for _ in range(5)])
        assert taken.tolist() == schedule.sequence(frequency, policy, length=5000).tolist()


@pytest.mark.parametrize("policy", schedule.POLICIES)
def test_frequencies_of_any_size(policy):
    frequency = np.array([1e-320, 1e-300, 1e-200, 1e-30, 1e-9, 0.5, 0.5 - 1e-9])
    accesses = schedule.sequence(frequency, policy, length=3000)
    if policy not in ("round-robin", "powers-of-two"):  # which visit every page
        assert np.bincount(accesses, minlength=7)[5:].sum() >= 2990


@pytest.mark.parametrize("policy", schedule.POLICIES)
@settings(max_examples=25, deadline=None)
@given(
    weights=st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=30), zeros=st.integers(0, 3), seed=st.integers(0, 99)
)
def test_shares_are_near_the_frequencies(policy, weights, zeros, seed):
    weight = np.array([0.0] * zeros + weights)
    frequency = weight / weight.sum()
    accesses = schedule.sequence(frequency, policy, length=4000, seed=seed)
    assert accesses.dtype == np.int32
    share = np.bincount(accesses, minlength=len(frequency)) / len(accesses)
    assert (share[:zeros] == 0).all()
    if policy in ("deadline", "tijdeman", "golden-ratio"):  # less than one access, by their theorems
        assert np.abs(share - frequency).max() <= (1 + 1e-6) / len(accesses)
    elif policy == "random-phase":  # the merge's clock is off by at most the number of pages
        assert np.abs(share - frequency).max() <= (len(frequency) + 2) / len(accesses)
    elif policy == "randomized":
        assert np.abs(share - frequency).max() <= 6 * np.sqrt(0.25 / len(accesses))


def test_randomized_draws_are_seeded():
    frequency = spread("zipf", 10)
    first, again, other = (schedule.sequence(frequency, "randomized", length=500, seed=s) for s in (1, 1, 2))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


BAD = [
    ({"frequency": [0.5, 0.6]}, r"frequencies must sum to 1, got 1\.1"),
    ({"frequency": [0.5, -0.5, 1.0]}, r"frequency\[1\] must be finite and >= 0, got -0\.5"),
    ({"frequency": [0.5, float("nan")]}, r"frequency\[1\] must be finite and >= 0, got nan"),
    ({"frequency": []}, "frequency is empty"),
    ({"frequency": [[1.0]]}, "one dimension"),
    ({"frequency": ["a"]}, "must be numbers"),
    ({"policy": "golden"}, "unknown policy 'golden', choose one of most-overdue"),
    ({"length": 0}, "length must be >= 1, got 0"),
    ({"length": 2.5}, "length must be an integer >= 1, got 2.5"),
    ({"length": None}, "needs length="),
    ({"seed": -1}, "seed must be >= 0, got -1"),
    ({"cycle": 8}, "has no cycle, got cycle=8"),
    ({"policy": "golden-ratio", "cycle": 9}, "cycle must be a Fibonacci number such as 8 or 13, got 9"),
    ({"policy": "powers-of-two", "cycle": 12}, "cycle must be a power of two, got 12"),
    ({"policy": "powers-of-two", "cycle": 1}, "at least the number of pages, 2, got 1"),
    ({"policy": "golden-ratio", "cycle": 14472334024676221}, "cycle must be at most"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_input_is_named(change, message):
    arguments = {"frequency": [0.5, 0.5], "policy": "most-overdue", "length": 10} | change
    with pytest.raises(ValueError, match=message):
        schedule.sequence(arguments.pop("frequency"), **arguments)


@pytest.mark.parametrize(("n", "message"), [(-1, "n must be >= 0"), (0.5, "n must be an integer"), ([0, -2], "got -2")])
def test_bad_position_is_named(n, message):
    with pytest.raises(ValueError, match=message):
        schedule.golden_ratio_access(n, [0.5, 0.5], cycle=8)
