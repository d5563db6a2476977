"""The queue from its words, in rationals: every state and event is listed, the policy may see all of it.

Written apart from the package and from its models: no block, no Kronecker product, no recursion.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache, cached_property
from types import SimpleNamespace

import pytest
from flint import arb_mat, ctx, fmpq, fmpq_mat

Q = Fraction
CTX_BITS = 400


def rational(value) -> fmpq:
    exact = Q(str(value)) if isinstance(value, float) else Q(value)
    return fmpq(exact.numerator, exact.denominator)


def fraction(value: fmpq) -> Fraction:
    return Q(int(value.p), int(value.q))


class Words:
    """Arrivals by mode, laws as (beta, S), obsolescence None or such a law; `mode(state)` is an index."""

    def __init__(self, arrivals, service, obsolescence, capacity, mode, robots=None):
        self.arrivals = [[[[rational(v) for v in row] for row in m] for m in bmap] for bmap in arrivals]
        self.service = self.law(service)
        self.clock = ([fmpq(1)], [[fmpq(0)]], [fmpq(0)]) if obsolescence is None else self.law(obsolescence)
        self.capacity, self.mode = capacity, mode
        self.robots = robots or list(range(1, len(arrivals) + 1))
        self.states = [s for n in range(capacity + 1) for s in self.level(n)]
        self.position = {s: k for k, s in enumerate(self.states)}

    @staticmethod
    def law(given):
        beta, S = [rational(v) for v in given[0]], [[rational(v) for v in row] for row in given[1]]
        return beta, S, [-sum(row, fmpq(0)) for row in S]

    def level(self, pages):
        """(nu,) or (nu, m, r_1, ...), in lexicographic order."""
        ranges = [range(len(self.arrivals[0][0]))]
        if pages:
            ranges += [range(len(self.service[0]))] + [range(len(self.clock[0]))] * (pages - 1)
        return [(pages, *rest) for rest in itertools.product(*ranges)]

    def events(self, state):
        """(rate, next state, page that leaves and how, delivered, lost)."""
        pages, nu, *rest = state
        for k, matrix in enumerate(self.arrivals[self.mode(state)]):
            for to, rate in enumerate(matrix[nu]):
                if rate == 0 or (k == 0 and to == nu):
                    continue
                taken = min(k, self.capacity - pages)
                for new in itertools.product(*[range(len(self.service[0]))] * (pages == 0 < taken),
                                             *[range(len(self.clock[0]))] * (taken - (pages == 0 < taken))):
                    weight = fmpq(1)
                    for place, phase in enumerate(new):
                        weight *= (self.service if pages == 0 and place == 0 else self.clock)[0][phase]
                    if weight != 0:
                        yield rate * weight, (pages + taken, to, *rest, *new), None, k, k - taken
        if not pages:
            return
        m, *clocks = rest
        beta, S, done = self.service
        for to, rate in enumerate(S[m]):
            if to != m and rate != 0:
                yield rate, (pages, nu, to, *clocks), None, 0, 0
        if done[m] != 0:
            if pages == 1:
                yield done[m], (0, nu), (0, "served"), 0, 0
            else:
                for to, weight in enumerate(beta):
                    if weight != 0:
                        yield done[m] * weight, (pages - 1, nu, to, *clocks[1:]), (0, "served"), 0, 0
        for place, r in enumerate(clocks):
            for to, rate in enumerate(self.clock[1][r]):
                if to != r and rate != 0:
                    yield rate, (pages, nu, m, *clocks[:place], to, *clocks[place + 1:]), None, 0, 0
            if self.clock[2][r] != 0:
                left = (pages - 1, nu, m, *clocks[:place], *clocks[place + 1:])
                yield self.clock[2][r], left, (place + 1, "obsolete"), 0, 0

    def generator(self):
        rows = [[fmpq(0)] * len(self.states) for _ in self.states]
        for state, k in self.position.items():
            for rate, to, *_ in self.events(state):
                rows[k][self.position[to]] += rate
                rows[k][k] -= rate
        return fmpq_mat(rows)

    @cached_property
    def law_of_states(self):
        """p Q = 0 with sum 1: the balance of one recurrent state is left out; chains with transient states do too."""
        n = len(self.states)
        table = self.generator().transpose().tolist()
        # The empty system with some phase is recurrent: the sum replaces the equation of whichever state works.
        for k in range(n):
            rows = [list(row) for row in table]
            rows[k] = [fmpq(1)] * n
            try:
                found = fmpq_mat(rows).solve(fmpq_mat([[fmpq(int(j == k))] for j in range(n)]))
            except ZeroDivisionError:
                continue
            return {s: found[j, 0] for j, s in enumerate(self.states)}
        raise ZeroDivisionError("several closed classes")

    @cached_property
    def tagged(self):
        """The page that is followed, (place, state of the whole system): rates, ways out, entries."""
        states = [(place, s) for place in range(self.capacity) for s in self.states if s[0] > place]
        position = {s: k for k, s in enumerate(states)}
        n = len(states)
        rows = [[fmpq(0)] * n for _ in states]
        out = {"served": [fmpq(0)] * n, "obsolete": [fmpq(0)] * n}
        for (place, state), k in position.items():
            for rate, to, leaver, *_ in self.events(state):
                rows[k][k] -= rate
                if leaver and leaver[0] == place:
                    out[leaver[1]][k] += rate
                else:
                    rows[k][position[place - bool(leaver and leaver[0] < place), to]] += rate
        entry = [fmpq(0)] * n
        for state, p in self.law_of_states.items():
            for rate, to, _, delivered, lost in self.events(state):
                for place in range(state[0], state[0] + delivered - lost):
                    entry[position[place, to]] += p * rate
        return fmpq_mat([entry]), fmpq_mat(rows), {f: fmpq_mat([[v] for v in col]) for f, col in out.items()}

    def measures(self):
        law = self.law_of_states
        count = dict.fromkeys(("delivered", "lost", "served", "obsolete"), fmpq(0))
        for state, p in law.items():
            for rate, _, leaver, delivered, lost in self.events(state):
                count["delivered"] += p * rate * delivered
                count["lost"] += p * rate * lost
                if leaver:
                    count[leaver[1]] += p * rate
        entry, T, out = self.tagged
        time = {f: (entry * (-T).solve((-T).solve(out[f])))[0, 0] for f in out}
        rate = count["delivered"]
        levels = [sum((p for s, p in law.items() if s[0] == n), fmpq(0)) for n in range(self.capacity + 1)]
        return SimpleNamespace(
            arrival_rate=fraction(rate), loss=fraction(count["lost"] / rate), success=fraction(count["served"] / rate),
            obsolescence=fraction(count["obsolete"] / rate), starvation=fraction(levels[0]),
            active_robots=fraction(sum((p * self.robots[self.mode(s)] for s, p in law.items()), fmpq(0))),
            level_probabilities=[fraction(p) for p in levels],
            sojourn=fraction((time["served"] + time["obsolete"]) / rate),
            sojourn_served=fraction(time["served"] / count["served"]),
            sojourn_obsolete=fraction(time["obsolete"] / count["obsolete"]) if count["obsolete"] != 0 else None)

    @cache  # noqa: B019 - instances live as long as the tests
    def sojourn(self, fate):
        """Moments, transform and distribution function of the time of pages with a fate."""
        entry, T, out = self.tagged
        n = T.nrows()
        chance = (-T).solve(out[fate])
        weight = (entry * chance)[0, 0]

        def moment(k):
            column, factor = chance, fmpq(1)
            for j in range(1, k + 1):
                column, factor = (-T).solve(column), factor * j
            return fraction(factor * (entry * column)[0, 0] / weight)

        def laplace(u):
            shifted = fmpq_mat([[(rational(u) if i == j else fmpq(0)) - T[i, j] for j in range(n)] for i in range(n)])
            return fraction((entry * shifted.solve(out[fate]))[0, 0] / weight)

        def survival(t):
            """P(V > t), with many digits; t is taken for the double that it is."""
            ctx.prec = CTX_BITS
            try:
                stay = (arb_mat(T) * arb_mat([[rational(Q(t))]])[0, 0]).exp()
                value = (arb_mat(entry) * stay * arb_mat(chance))[0, 0] / arb_mat([[weight]])[0, 0]
                mid = value.mid()
                assert value.rad() < mid.abs_lower() / 10**40
                mantissa, exponent = mid.man_exp()
                return Q(int(mantissa)) * Q(2) ** int(exponent)
            finally:
                ctx.prec = 53

        return SimpleNamespace(moment=moment, laplace=laplace, survival=survival)


def worst(found, exact):
    """The largest relative error of all measures, compared as rationals; what is exactly zero must be so."""
    errors = {}
    for name, reference in vars(exact).items():
        value = getattr(found, name)
        if reference is None:
            assert value is None
            continue
        pairs = zip(value, reference, strict=True) if isinstance(reference, list) else [(value, reference)]
        errors[name] = float(max(abs(Q(v) / r - 1) if r else abs(Q(v)) for v, r in pairs))
    return max(errors.values()), errors


@pytest.fixture(scope="session")
def words():
    return SimpleNamespace(Queue=Words, worst=worst, rational=rational, fraction=fraction)
