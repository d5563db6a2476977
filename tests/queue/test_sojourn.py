"""The law of the time in the system, against a tagged page followed through the whole system in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from crawlproof.queue import Bmap, ModelError, PhaseType, ThresholdQueue, files
from crawlproof.queue.evolution import Evolution

Q = Fraction
TWO_MODES = [
    [[["-1.5", "0.5"], ["0.25", "-2"]], [["0.75", "0"], ["0.5", "1"]], [["0", "0.25"], ["0", "0.25"]]],
    [[["-3", "0.5"], ["0", "-4"]], [["2", "0"], ["1", "1"]], [["0", "0"], ["0", "0"]], [["0.25", "0.25"], ["1", "1"]]],
]
SERVICE = (["0.4", "0.6"], [["-3", "1"], ["2", "-3"]])
ERLANG = (["1", "0"], [["-4", "4"], ["0", "-4"]])
STIFF = (["0.5", "0.5"], [["-1000000.5", "1000000"], ["0", "-0.000001"]])
CASES = {
    "hyperexponential": (SERVICE, (["0.9", "0.1"], [["-1", "0"], ["0", "-0.025"]]), (2, 2, 1, 1)),
    "cyclic": (SERVICE, (["0.25", "0.75"], [["-2", "0.5"], ["1.5", "-1.6"]]), (1, 2, 1, 2)),
    "exponential": (ERLANG, (["1"], [["-0.2"]]), (2, 1, 2, 1, 1)),
    "never": (SERVICE, None, (2, 2, 1, 1)),
    "stiff": (ERLANG, STIFF, (2, 1, 1)),
}


def built(service, obsolescence, capacity):
    law = None if obsolescence is None else PhaseType(*obsolescence)
    return ThresholdQueue([Bmap(m) for m in TWO_MODES], PhaseType(*service), law, capacity)


@pytest.fixture(scope="module", params=CASES)
def case(request, words):
    service, obsolescence, active = CASES[request.param]
    exact = words.Queue(TWO_MODES, service, obsolescence, len(active) - 1, lambda s: active[s[0]] - 1)
    return exact, built(service, obsolescence, len(active) - 1).solve(active=active), obsolescence is None


def off(value, exact):
    return float(abs(Q(value) / exact - 1))


def test_all_measures(case, words):
    exact, found, _ = case
    error, by_name = words.worst(found, exact.measures())
    assert error <= 1e-12, by_name


@pytest.mark.parametrize("fate", ["served", "obsolete"])
def test_moments_transform_and_distribution(case, fate):
    exact, found, never = case
    law = found.sojourn_time(fate)
    if never and fate == "obsolete":
        assert (law.probability, found.sojourn_obsolete) == (0, None)
        for ask in (lambda: law.mean, lambda: law.cdf(1), lambda: law.quantile(0.5), lambda: law.laplace(1)):
            with pytest.raises(ModelError, match="no page is ever obsolete"):
                ask()
        return
    reference = exact.sojourn(fate)
    assert law.probability == (found.success if fate == "served" else found.obsolescence)
    assert max(off(law.moment(k), reference.moment(k)) for k in (1, 2, 3, 5)) <= 1e-12
    assert max(off(law.laplace(u), reference.laplace(u)) for u in (0.01, 0.5, 30)) <= 1e-12
    mean = law.mean
    for t in (mean / 1e6, mean / 10, mean, 7 * mean):
        left = reference.survival(t)
        assert off(law.survival(t), left) <= 1e-12, t
        assert off(law.cdf(t), 1 - left) <= 1e-12, t


@pytest.mark.parametrize("fate", ["served", "obsolete"])
@pytest.mark.parametrize("p", [1e-9, 0.03, 0.5, 0.99, 1 - 1e-9])
def test_quantiles(case, fate, p):
    """The exact distribution function brackets p between t (1 - 1e-10) and t (1 + 1e-10)."""
    exact, found, never = case
    if never and fate == "obsolete":
        return
    t = found.sojourn_time(fate).quantile(p)
    reference = exact.sojourn(fate)
    assert reference.survival(t * (1 - 1e-10)) > 1 - Q(p) > reference.survival(t * (1 + 1e-10))


def test_as_simulated():
    """Pages of the first example, followed one by one with sampled deadlines and no phases of them."""
    queue = ThresholdQueue([Bmap([[[-2]], [[1]], [[1]]])], PhaseType([1], [[-2]]), PhaseType([1], [["-1/2"]]), 4)
    found = queue.solve(modes=(1,))
    rng = np.random.default_rng(7)
    clock, busy_until, waiting = 0.0, None, []
    times: dict[str, list[float]] = {"served": [], "obsolete": []}
    delivered = 0
    arrival = rng.exponential(0.5)
    in_service = None
    while delivered < 60_000:
        expiry = min((w[1] for w in waiting), default=np.inf)
        clock = min(arrival, expiry, np.inf if busy_until is None else busy_until)
        if clock == arrival:
            for _ in range(rng.integers(1, 3)):
                delivered += 1
                if in_service is None:
                    in_service, busy_until = clock, clock + rng.exponential(0.5)
                elif len(waiting) < 3:
                    waiting.append((clock, clock + rng.exponential(2)))
            arrival = clock + rng.exponential(0.5)
        elif clock == expiry:
            gone = next(w for w in waiting if w[1] == expiry)
            waiting.remove(gone)
            times["obsolete"].append(clock - gone[0])
        else:
            times["served"].append(clock - in_service)
            in_service = waiting.pop(0)[0] if waiting else None
            busy_until = None if in_service is None else clock + rng.exponential(0.5)
    for fate, sample in times.items():
        law = found.sojourn_time(fate)
        assert len(sample) / delivered == pytest.approx(law.probability, abs=5 / delivered**0.5)
        for p in (0.1, 0.5, 0.9):
            share = np.mean(np.array(sample) <= law.quantile(p))
            assert abs(share - p) < 6 * (p * (1 - p) / len(sample)) ** 0.5 * 2, (fate, p)


def test_large_chains_take_single_jumps(monkeypatch):
    """With and without powers of dense matrices the same law."""
    from crawlproof.queue import evolution

    queue = built(SERVICE, CASES["cyclic"][1], 5)
    law = queue.solve(active=[1] * 6).sojourn_time("served")
    times = (0.01, 1.0, 20.0)
    dense = [law.survival(t) for t in times]
    monkeypatch.setattr(evolution, "DENSE", 0)
    assert [law.survival(t) for t in times] == pytest.approx(dense, rel=1e-11)


def test_by_every_method_the_same_law():
    queue = files.load("obsolescence-variation").queue
    policy = {"modes": (3, 1), "thresholds": (2,)}
    laws = [queue.solve(**policy, method=method).sojourn_time("obsolete") for method in ("dense", "sparse", "matrix-free")]
    assert len({round(law.quantile(0.9), 9) for law in laws}) == 1
    assert [law.laplace(1) for law in laws] == pytest.approx([laws[0].laplace(1)] * 3, rel=1e-11)


def test_capacity_400():
    queue = ThresholdQueue([Bmap([[[-1]], [[1]]])], PhaseType(*SERVICE), PhaseType([1], [["-0.001"]]), 400)
    law = queue.solve(modes=(1,)).sojourn_time("served")
    assert law.cdf(law.quantile(0.9)) == pytest.approx(0.9, rel=1e-12)


@pytest.mark.parametrize(("ask", "message"), [
    (lambda m: m.sojourn_time("lost"), "fate is 'lost'; there are served, obsolete"),
    (lambda m: m.sojourn_time("served").quantile(0), "p is 0; it must be above 0 and below 1"),
    (lambda m: m.sojourn_time("served").quantile(1), "p is 1; it must be above 0 and below 1"),
    (lambda m: m.sojourn_time("served").quantile(float("nan")), "p is nan"),
    (lambda m: m.sojourn_time("served").cdf(-1), "t is -1; it must be a finite number, not negative"),
    (lambda m: m.sojourn_time("served").survival(float("inf")), "t is inf"),
    (lambda m: m.sojourn_time("served").laplace(-0.5), "u is -0.5"),
    (lambda m: m.sojourn_time("served").moment(-1), "order is -1"),
    (lambda m: m.sojourn_time("served").moment(1.5), "order is 1.5; it must be a whole number"),
])
def test_bad_questions(ask, message):
    measures = files.load("section7").queue.solve(modes=(3,))
    with pytest.raises(ModelError, match=message):
        ask(measures)


def test_too_large_a_page():
    queue = built(SERVICE, CASES["cyclic"][1], 13)
    law = queue.solve(active=[1] * 14).sojourn_time("served")
    with pytest.raises(ModelError, match="the last place has 8,192 states of a page"):
        law.cdf(1)


def test_times_beyond_doubles_are_refused():
    chain = Evolution(np.array([[0.0]]), np.array([[1e200]]))
    with pytest.raises(ArithmeticError, match="too many powers of ten"):
        chain.after(np.ones(1), 1e100)
