# %% [markdown]
# # Robots that watch their clock: who can beat the bounds of Section 3, and a bound that nobody beats
#
# Theorems 3.3 and 3.4 are stated for any policy, and Section 2 restricts policies by the existence of limits only. But the proofs use Lemma 3.1, which needs distances that do not depend on
# the access times. Here are robots that look at how long their accesses take and go *below* both bounds, in exact
# arithmetic; and the bound that holds for every robot, whatever it knows about its access times.
#
# For any policy, (5) and the inner integral of Lemma 3.1 give an interval of length $X_j$ the expected time out of date
# $X_j - (1 - e^{-\mu X_j})/\mu$, so that
# $$ r_i = 1 - \frac{f_i}{\mu_iE[X]}\bigl(1 - E[e^{-\mu_iX_j^i}]\bigr), \qquad C = c_0(\mu - \nu D) \quad\text{if } c_i = c_0\mu_i, $$
# where $D$ is the expected number of pages found changed per access. Less cost means more changes found.

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from claimproof import Paper
from claimproof.engines.balls import sign_of
from claimproof.session.rules import linear_expectation
from crawlproof.kernels.symbolic import chi
from crawlproof.kernels.symbolic import psi as psi_kernel

paper = Paper("clw")

p, a, a1, a2 = sp.symbols("p a a1 a2", positive=True)
mu, nu, EX, f, c0 = sp.symbols("mu nu EX f c0", positive=True)

# %% [markdown]
# ## Changes found by a rule, exactly
#
# An access takes $L$ with probability $p$ and no time otherwise; $a_i = 1 - e^{-\mu_iL}$ is the probability that page $i$ changes
# during a long access. A rule with finitely many states is a Markov chain. Two linear systems give $D$: the stationary law
# $\pi_s$, and for each page the weights $y_s = E[\mathbf 1\{s\}\,e^{-\mu_i(\text{time since its last access})}]$, which start afresh at $\pi_s$ whenever the page is
# accessed and lose the factor $1 - a_i$ in a long access.

# %%
def reachable(choose, follow, start):
    """The states that a rule can get into, in a fixed order."""
    states, waiting = [], [start]
    while waiting:
        state = waiting.pop()
        if state not in states:
            states.append(state)
            waiting += [follow(state, choose(state), was_long) for was_long in (True, False)]
    return states


def page_by_page(choose, follow, start, change_probabilities, chance=p):
    """For pages with these probabilities to change in a long access: frequency, and changes found per access."""
    states = reachable(choose, follow, start)
    outcomes = {True: chance, False: 1 - chance}
    stationary = sp.symbols(f"pi:{len(states)}")
    inflow = dict.fromkeys(states, sp.S.Zero)
    for state, weight in zip(states, stationary, strict=True):
        for was_long, share in outcomes.items():
            inflow[follow(state, choose(state), was_long)] += share * weight
    balance = [inflow[state] - weight for state, weight in zip(states, stationary, strict=True)]
    (law,) = sp.linsolve([*balance, sum(stationary) - 1], stationary)
    pages = []
    for page, change in enumerate(change_probabilities):
        kept = sp.symbols(f"y:{len(states)}")
        inflow = dict.fromkeys(states, sp.S.Zero)
        frequency, found_unchanged = sp.S.Zero, sp.S.Zero
        for state, probability_of_state, weight in zip(states, law, kept, strict=True):
            for was_long, share in outcomes.items():
                unchanged = share * weight * (1 - change if was_long else 1)
                after = follow(state, choose(state), was_long)
                if choose(state) == page:
                    frequency += share * probability_of_state
                    found_unchanged += unchanged
                    inflow[after] += share * probability_of_state
                else:
                    inflow[after] += unchanged
        (values,) = sp.linsolve([inflow[state] - weight for state, weight in zip(states, kept, strict=True)], kept)
        pages.append((sp.factor(frequency), sp.factor(frequency - found_unchanged.subs(dict(zip(kept, values, strict=True))))))
    return pages


def changes_found(*rule, **details):
    """Expected number of changed pages found per access."""
    return sp.factor(sum(found_of_page for _, found_of_page in page_by_page(*rule, **details)))


# %% [markdown]
# ## One page: below Theorem 3.3
#
# *Rule: access page 1 exactly after each long access, page 2 otherwise.* The state is whether the last access was long.
# So $f_1 = p$, and the intervals of page 1 that began with a short access contain exactly one long access before the last.

# %%
watcher = {"choose": lambda was_long: 0 if was_long else 1, "follow": lambda state, page, was_long: was_long, "start": True}
below_page = paper.claim("CLW-X.adaptive-page")
from_chain = changes_found(**watcher, change_probabilities=(a,))
below_page.equal(from_chain, p * (a - p * (1 - p) * a**2), where=[p < 1, a < 1], sample={p: (0, 1), a: (0, 1)})

# %% [markdown]
# The same by intervals: with probability $p$ one access, else a long access and one more, with $h = 1 - pa$:

# %%
h = 1 - p * a
below_page.equal(
    p * (1 - h * (p + (1 - p) * (1 - a))), p * (a - p * (1 - p) * a**2), where=[p < 1, a < 1], sample={p: (0, 1), a: (0, 1)}
)

# %% [markdown]
# Theorem 3.3 allows $f(1 - h^{1/f})$. For $p = \frac13$ the excess is $\frac{a^2(3-a)}{81}$:

# %%
third = sp.Rational(1, 3)
excess = (from_chain - p * (1 - h ** (1 / p))).subs(p, third)
below_page.equal(excess, a**2 * (3 - a) / 81, where=[a < 1], sample={a: (0, 1)})
below_page.inequality(sp.Gt(excess, 0, evaluate=False), on={a: (0, 1)}, zeros={a: (0, 2)})

# %% [markdown]
# From the words: Poisson changes, access times, a robot with a clock. A cycle lasts from one access of page 1 to the next.

# %%
def clock_watcher(rng, cycles):
    """Time out of date and length of intervals of page 1 (L = 1, p = 1/3, the page's rate is 2)."""
    stale, lengths = np.empty(cycles), np.empty(cycles)
    last_was_long = rng.random() < 1 / 3
    for cycle in range(cycles):
        clock = 0.0
        while not last_was_long:  # page 2 is accessed until an access takes long
            last_was_long = rng.random() < 1 / 3
            clock += last_was_long
        last_was_long = rng.random() < 1 / 3  # the access to page 1
        clock += last_was_long
        stale[cycle], lengths[cycle] = max(clock - rng.exponential(1 / 2), 0.0), clock
    return stale, lengths


rate = 1 - from_chain / (p * 2)  # 1 - D/(mu E[X]), with E[X] = p
below_page.simulated(
    clock_watcher, rate.subs({p: third, a: 1 - sp.exp(-2)}), seed=33, runs=140_000,
    what="a robot that accesses page 1 after each long access",
)

# %% [markdown]
# ## One page, with independent intervals
#
# The intervals of that robot depend on each other: a long access ends one and is seen by the next. Here is one with independent intervals. $X \in \{0, b\}$ with probability $\frac12$ each.
# *Rule: access another page, once more if that took no time, then page 1.* Nothing is carried over from one interval to the next. As a chain: just after page 1; after a short access to the other page; page 1 is due.

# %%
half = sp.Rational(1, 2)


def renewal_follow(state, page, was_long):
    if page == 0:
        return "fresh"
    return "short" if state == "fresh" and not was_long else "due"


renewal_rule = {"choose": lambda state: 0 if state == "due" else 1, "follow": renewal_follow, "start": "fresh"}
((frequency, found_1),) = page_by_page(**renewal_rule, change_probabilities=(a,), chance=half)
renewal = paper.claim("CLW-X.adaptive-renewal")
z_b = sp.Symbol("z", positive=True)
h_b = (1 + z_b) / 2
renewal.exact(frequency, sp.Rational(2, 5))
renewal.equal((1 - found_1 / frequency).subs(a, 1 - z_b), h_b * (1 + 3 * z_b) / 4, where=[z_b < 1], sample={z_b: (0, 1)})
renewal.equal(half * h_b**2 + half * z_b * h_b, h_b * (1 + 3 * z_b) / 4, where=[z_b < 1], sample={z_b: (0, 1)})

# %% [markdown]
# $h(1 + 3z)/4 < h^{5/2}$ is $(1 + 3z)^2/16 < h^3$, and $2(1 + z)^3 - (1 + 3z)^2 = (1 - z)^2(1 + 2z) > 0$:

# %%
renewal.equal(h_b**3 - (1 + 3 * z_b) ** 2 / 16, (1 - z_b) ** 2 * (1 + 2 * z_b) / 16, where=[z_b < 1], sample={z_b: (0, 1)})
renewal.inequality(sp.Gt((1 - z_b) ** 2 * (1 + 2 * z_b), 0, evaluate=False), on={z_b: (0, 1)}, zeros={z_b: (1, 2)})

# %% [markdown]
# ## Two pages: below the cost bound (6)
#
# *Rule: access the page that has not been accessed since the end of the last long access; if both have, page 1.* (The page
# whose access was the long one is fresh when it ends.) The state is the set of fresh pages; there are three.

# %%
def fresh_after(fresh, page, was_long):
    """Only the page just accessed is fresh after a long access; a short one takes no time."""
    return frozenset([page]) if was_long else fresh | {page}


def stale_first(pages):
    """Access the first page that is not fresh; page 1 (index 0) if there is none."""
    return lambda fresh: next((page for page in range(pages) if page not in fresh), 0)


two_pages = {"choose": stale_first(2), "follow": fresh_after, "start": frozenset([0])}
chain = paper.claim("CLW-X.adaptive-chain")
found = changes_found(**two_pages, change_probabilities=(a1, a2))
stated = p * (a1 + a2) - p**2 * (a2**2 + p * a1**2) / (1 + p)
unit = {p: (0, 1), a1: (0, 1), a2: (0, 1)}
proper = [p < 1, a1 < 1, a2 < 1]
chain.equal(found, stated, where=proper, sample=unit)
chain.exact([len(reachable(**two_pages)), found.subs({p: sp.Rational(1, 10), a1: sp.Rational(9, 10), a2: sp.Rational(3, 10)})],
            [3, sp.Rational(13029, 110000)])

# %% [markdown]
# From the words, in time: $L = 1$, $p = \frac13$, $\mu_1 = 2$, $\mu_2 = 1$. A cycle lasts from one moment at which both pages are fresh
# to the next. The simulation knows nothing of $a_i$ or of the chain's equations.

# %%
RATES = (2.0, 1.0)


def robot_with_a_clock(rng, cycles):
    """Cost (time out of date, weighted with the rates) and length of cycles between moments when both pages are fresh."""
    costs, lengths = np.empty(cycles), np.empty(cycles)
    for cycle in range(cycles):
        clock, cost = 0.0, 0.0
        next_change = [rng.exponential(1 / rate) for rate in RATES]
        fresh = {0, 1}
        while True:
            page = 1 if fresh == {0} else 0
            took_long = rng.random() < 1 / 3
            clock += took_long
            if next_change[page] < clock:
                cost += RATES[page] * (clock - next_change[page])
                next_change[page] = clock + rng.exponential(1 / RATES[page])
            fresh = {page} if took_long else fresh | {page}
            if fresh == {0, 1}:
                break
        costs[cycle], lengths[cycle] = cost, clock
    return costs, lengths


chain.simulated(
    robot_with_a_clock, (3 - stated / p).subs({p: third, a1: 1 - sp.exp(-2), a2: 1 - sp.exp(-1)}), seed=34, runs=230_000,
    what="a robot that accesses stale pages first",
)

# %% [markdown]
# (6) allows $1 - h_1h_2$ with $h_i = 1 - pa_i$. Write $a_2 = a_1(p + (1-p)t)$, so that $t \in (0,1)$ says $pa_1 < a_2 < a_1$. Then the
# excess is $\frac{p^2(1-p)^2}{1+p}a_1^2\,t(1-t)$, for *every* real $t$:

# %%
t = sp.Symbol("t", real=True)
allowed = 1 - (1 - p * a1) * (1 - p * a2)
beats = paper.claim("CLW-X.adaptive-beats")
beats.equal(
    stated - allowed, p**2 * (a1 - a2) * (a2 - p * a1) / (1 + p), where=proper, sample=unit, using=["CLW-X.adaptive-chain"]
)
beats.equal(
    (stated - allowed).subs(a2, a1 * (p + (1 - p) * t)), p**2 * (1 - p) ** 2 / (1 + p) * a1**2 * t * (1 - t),
    where=[p < 1, a1 < 1], sample={p: (0, 1), a1: (0, 1), t: (-1, 2)}, using=["CLW-X.adaptive-chain"],
)
for where_t, relation in (((0, 1), sp.Gt), ((1, sp.oo), sp.Lt), ((-sp.oo, 0), sp.Lt)):
    beats.inequality(relation(t * (1 - t), 0, evaluate=False), on={t: where_t}, using=["CLW-X.adaptive-chain"])
at = {p: sp.Rational(1, 10), a1: sp.Rational(9, 10), a2: sp.Rational(3, 10)}
beats.exact(
    [stated.subs(at), allowed.subs(at)], [sp.Rational(13029, 110000), sp.Rational(1173, 10000)], using=["CLW-X.adaptive-chain"]
)

# %% [markdown]
# ## Three pages: even where a schedule attains (6)
#
# One might hope that a schedule that *attains* (6) is optimal. The cycle $1,2,1,3$ has gaps $2,4,4$ and attains it when
# $h_1 = h_2^2$, $h_2 = h_3$, that is, $a_1 = 2b - pb^2$ for $a_2 = a_3 = b$. The rule "stale pages first, in the order 1, 2, 3" still
# finds more:

# %%
b = sp.Symbol("b", positive=True)
fifth = sp.Rational(1, 5)
first = 2 * b - fifth * b**2
h1, h2 = 1 - fifth * first, 1 - fifth * b
three = paper.claim("CLW-X.adaptive-three")
attaining = (1 - h1**2) / 2 + 2 * (1 - h2**4) / 4  # changes found per access in the cycle 1, 2, 1, 3
three.equal(attaining, 1 - h1 * h2 * h2, where=[b < 1], sample={b: (0, 1)}, using=["CLW-L3.1", "CLW-T3.4i"])
three_pages = {"choose": stale_first(3), "follow": fresh_after, "start": frozenset([0])}
found_three = changes_found(**three_pages, change_probabilities=(first, b, b), chance=fifth)
three.inequality(
    sp.Gt(sp.expand(found_three - attaining), 0, evaluate=False), on={b: (0, sp.Rational(1, 2))}, zeros={b: (0, 2)}, using=[],
)
sp.N(found_three.subs(b, fifth), 6), sp.N(attaining.subs(b, fifth), 6)

# %% [markdown]
# ## All pages at once below Theorem 3.3
#
# Nor does one page pay for another. Three pages, $p = \frac3{10}$, all $a_i = \frac12$; stale pages first, in the order 1, 2, 3; when all are fresh, the pages $1, 1, 1, 2, 2$ in turn. The state is the set of fresh pages
# and the place in that list. Frequencies and changes found are rational, and *every* page is found changed more often than $f(1 - h^{1/f})$:

# %%
PASTIME = (0, 0, 0, 1, 1)


def stale_or_pastime(state):
    fresh, place = state
    return next((page for page in range(3) if page not in fresh), PASTIME[place])


def after_pastime(state, page, was_long):
    fresh, place = state
    return fresh_after(fresh, page, was_long), (place + (len(fresh) == 3)) % len(PASTIME)


three_tenths = sp.Rational(3, 10)
pages_of_three = page_by_page(stale_or_pastime, after_pastime, (frozenset([0]), 0), (half, half, half), three_tenths)


def bound_beaten(page, more=0):
    """Certainly more changes found than Theorem 3.3 allows at this frequency, by more than the given share."""
    frequency, found_changed = page
    return sign_of(found_changed - (1 + more) * frequency * (1 - (1 - three_tenths * half) ** (1 / frequency))) == 1


all_below = paper.claim("CLW-X.adaptive-all")
all_below.instances(
    pages_of_three, bound_beaten, what="pages, found against allowed in balls", kind="enclosed", using=[],
    wrong={"by a hundredth": lambda page: bound_beaten(page, sp.Rational(1, 100))},
)
all_below.exact(sum(frequency for frequency, _ in pages_of_three), 1, using=[])
all_below.instances(
    pages_of_three, lambda page: page[0].p != 1, what="pages whose frequency is no 1/integer", using=[],
    wrong={"denominator below 1000": lambda page: page[0].q < 1000},
)
[(sp.N(frequency, 4), sp.N(found_changed, 5)) for frequency, found_changed in pages_of_three]

# %% [markdown]
# ## "Close to the bounds is close to the least cost"
#
# So says the end of Section 3. Quantitatively: if $r_i \le (1+\varepsilon)\mathrm{LB}(f_i)$ and $f_i \ge x_i/(1+\delta)$, then $C \le (1+\varepsilon)(1+\delta)C(\pi)$. The robot above
# refutes it for adaptive $\pi$: $1,2,1,3$ has $\varepsilon = \delta = 0$. Both costs are $c_0(\mu - \nu D)$, so with $b = \frac25$:

# %%
close = paper.claim("CLW-S3.12")
close.refute(
    sp.Le(found_three, attaining, evaluate=False), witness={b: sp.Rational(2, 5)}, hypotheses=[b < sp.Rational(1, 2)],
    using=["CLW-X.adaptive-three"],
)

# %% [markdown]
# Among non-adaptive schedules it is true. $\mathrm{LB}$ as a function of $u = 1/f$ is $(\rho'u + \psi(\kappa u))/(\mu E[X]u)$ with
# $\rho' = \mu E[X] - \kappa \ge 0$. Both $\rho'/u$ and $\psi(\kappa u)/u^2$ decrease, so $\mathrm{LB}/u$ decreases: $(1+\delta)$ times longer gaps
# cost at most the factor $1 + \delta$.

# %%
kappa, u = sp.symbols("kappa u", positive=True)
fixed = "the competing policy is non-adaptive"


def psi(value):
    return value - 1 + sp.exp(-value)


close.equal(sp.diff(psi(u) / u**2, u), -(u - 2 + (u + 2) * sp.exp(-u)) / u**3, given=fixed, using=["CLW-T3.3"])
close.inequality(
    sp.Gt(u - 2 + (u + 2) * sp.exp(-u), 0, evaluate=False), on={u: (0, sp.oo)}, zeros={u: (0, 3)}, given=fixed,
    using=["CLW-T3.3"],
)
close.equal(
    (1 - (1 - sp.exp(-kappa * u)) / (mu * EX * u)) / u, ((mu * EX - kappa) / u + psi(kappa * u) / u**2) / (mu * EX),
    given=fixed, using=["CLW-T3.3"],
)
close.argued(
    "sum over the pages", "r_i <= (1+e) LB(f_i) <= (1+e) LB(x_i/(1+de)) <= (1+e)(1+de) LB(x_i), and sum c_i LB(x_i) is (6)",
    given=fixed, using=["CLW-T3.3", "CLW-T3.4"],
)

# %% [markdown]
# ## A bound for every robot
#
# Let the robot know *all* access times, past and future, and even choose its accesses by them. It still can't see changes
# before it fetches, so each interval costs what (5) says. Put $y_j = \mu_iX_j$ and $m = \mu_iE[X]/f_i$, the mean of the $y_j$ (the time of $n$
# accesses, about $nE[X]$, is divided into about $nf_i$ intervals). $\psi$ is convex; as an equation, at *each* value of $y$,
# $$ \psi(y) = \psi(m) + (1 - e^{-m})(y - m) + e^{-m}\,\psi(y - m). $$

# %%
y, m = sp.symbols("y m", real=True)
every_page = paper.claim("CLW-X.every-policy-page")
rests = ["CLW-S3.0a", "CLW-P6", "CLW-L3.1a", "CLW-X.tangent-exp"]
tangent = psi(m) + (1 - sp.exp(-m)) * (y - m)
every_page.equal(psi(y), tangent + sp.exp(-m) * psi(y - m), sample={y: (-3, 3), m: (-3, 3)}, using=rests)

# %% [markdown]
# The mean over the intervals, divided by $m$, is the rate: $r_i = E\psi(y)/m = \chi(m) + \frac{e^{-m}}{m}E\psi(y - m) \ge \chi(m)$, because $\psi \ge 0$.

# %%
load = sp.Symbol("m", positive=True)
mean_unchanged = sp.Symbol("M", positive=True)  # E exp(-y)
every_page.equal(  # the rate in the words of (2), and as E psi(y)/m
    1 - f / (mu * EX) * (1 - mean_unchanged), ((mu * EX / f) - 1 + mean_unchanged) / (mu * EX / f), using=rests
)
every_page.equal(1 - (1 - sp.exp(-load)) / load, chi(load).rewrite(sp.exp), using=rests)
page_bound = every_page.equal(  # the mean of the tangent, divided by the mean of the y_j
    (linear_expectation(tangent.subs(m, load), y, {y: load}) / load).subs(load, mu * EX / f),
    1 - f / (mu * EX) * (1 - sp.exp(-mu * EX / f)), using=rests,
)
for side in (psi(u), psi(-u)):
    every_page.inequality(sp.Gt(side, 0, evaluate=False), on={u: (0, sp.oo)}, zeros={u: (0, 2)}, using=rests)
every_page.argued(
    "law of large numbers", "the intervals up to access n fill the time of n accesses up to o(n), which is n E[X] + o(n) "
    "whatever the robot does with it, and there are f n + o(n) of them; so the y_j have mean mu E[X]/f", using=rests,
)

# %% [markdown]
# It is sharp: as $p \to 0$ the clock watcher, who has $f = p$ and $E[X] = pL$, so $m = \mu L$ for every $p$, comes as close as we like.

# %%
watcher_rate = 1 - (a - p * (1 - p) * a**2) / load
every_page.limit(watcher_rate.subs(a, 1 - sp.exp(-load)), p, 0, psi(load) / load, using=rests)

# %% [markdown]
# **All pages.** With $c_i = c_0\mu_i$ take the same tangent for all of them, at $M = \mu E[X] = \mu/\nu$. Page $i$ costs
# $c_0\nu f_iE\psi(y_i)$, and $\sum f_iE[y_i] = \sum\mu_iE[X] = M$, so the linear terms add up to zero:
# $$ C = c_0\nu\psi(M) + c_0\nu e^{-M}\sum_if_i\,E\,\psi(y_i - M). $$
# For three pages, each with two kinds of intervals (the identity is linear in each page's law):

# %%
f1, f2, y1, y2, y3, w, z = sp.symbols("f1 f2 y1 y2 y3 w z", positive=True)
every_policy = paper.claim("CLW-X.every-policy")
rests = ["CLW-X.every-policy-page", "CLW-S3.0a", "CLW-X.tangent-exp"]
f3 = 1 - f1 - f2
M = f1 * (w * y1 + (1 - w) * z) + f2 * y2 + f3 * y3
weights = [(f1 * w, y1), (f1 * (1 - w), z), (f2, y2), (f3, y3)]
shares = {f1: (0, sp.Rational(1, 2)), f2: (0, sp.Rational(1, 2)), w: (0, 1), y1: (0, 1), z: (1, 2), y2: (1, 3), y3: (2, 4)}
cost = c0 * nu * (M - 1 + sum(weight * sp.exp(-value) for weight, value in weights))
every_policy.equal(
    cost, c0 * nu * psi(M) + c0 * nu * sp.exp(-M) * sum(weight * psi(value - M) for weight, value in weights),
    where=[f1 + f2 < 1, w < 1], sample=shares, using=rests,
)
cost_bound = every_policy.equal(c0 * (mu - nu + nu * sp.exp(-mu / nu)), c0 * nu * psi(mu / nu), using=rests)
every_policy.inequality(sp.Gt(psi(u), 0, evaluate=False), on={u: (0, sp.oo)}, zeros={u: (0, 2)}, using=rests)
every_policy.inequality(sp.Gt(psi(-u), 0, evaluate=False), on={u: (0, sp.oo)}, zeros={u: (0, 2)}, using=rests)

# %% [markdown]
# A page that is never accessed is out of date all the time, $r_i = 1$. Then the others share the tangent at $M' = M - v$, $v > 0$, and
# $C \ge c_0(\mu - \nu(1 - e^{-M'}))$, which is larger still:

# %%
v = sp.Symbol("v", positive=True)
every_policy.equal(
    c0 * (mu - nu * (1 - sp.exp(v - mu / nu))) - c0 * nu * psi(mu / nu), c0 * nu * sp.exp(-mu / nu) * (sp.exp(v) - 1),
    sample={mu: (0, 2), nu: (1, 2), v: (0, 2)}, using=rests,
)
every_policy.inequality(sp.Gt(sp.exp(v) - 1, 0, evaluate=False), on={v: (0, sp.oo)}, zeros={v: (0, 1)}, using=rests)

# %% [markdown]
# ## For which access times there is no difference
#
# (6) exceeds the bound for every policy by $c_0\nu\bigl(\prod h_i - e^{-M}\bigr)$, and page by page Theorem 3.3 exceeds $\chi$ by
# $\frac{1}{m}(e^{-\kappa/f} - e^{-\mu E[X]/f})$, $m = \mu E[X]/f$. Both have the sign of $\mu E[X] - \kappa$, and
# $h = E[e^{-\mu X}] = e^{-\mu E[X]}\bigl(1 + E\,\psi(\mu X - \mu E[X])\bigr)$: since $\psi > 0$ off $0$, $\kappa = \mu E[X]$ exactly when $X$ is constant.

# %%
Q, x = sp.symbols("Q x", positive=True)
constant = paper.claim("CLW-X.constant-access")
both = ["CLW-X.every-policy", "CLW-X.every-policy-page", "CLW-X.kappa-jensen", "CLW-T3.4i", "CLW-X.tangent-exp"]
constant.equal(
    c0 * (mu - nu + nu * sp.exp(-Q)) - c0 * nu * psi(mu / nu), c0 * nu * (sp.exp(-Q) - sp.exp(-mu / nu)), using=both
)
constant.equal(
    1 - f / (mu * EX) * (1 - sp.exp(-kappa / f)) - chi(mu * EX / f).rewrite(sp.exp),
    f / (mu * EX) * (sp.exp(-kappa / f) - sp.exp(-mu * EX / f)), using=both,
    sample={f: (sp.Rational(1, 2), 1), kappa: (0, 2), mu: (0, 2), EX: (1, 2)},
)
constant.equal(  # each value x of X; the mean of the middle term is zero
    sp.exp(-mu * x), sp.exp(-mu * EX) * (1 - mu * (x - EX) + psi(mu * (x - EX))), using=both
)
for side in (psi(u), psi(-u)):
    constant.inequality(sp.Gt(side, 0, evaluate=False), on={u: (0, sp.oo)}, zeros={u: (0, 2)}, using=both)

# %% [markdown]
# For two values $l \pm s$ of $X$ the gap between the two bounds is open, and it closes as they meet:

# %%
spread, mean_value = sp.symbols("s l", positive=True)
two_values = (sp.exp(-mu * (mean_value - spread)) + sp.exp(-mu * (mean_value + spread))) / 2
constant.equal(
    two_values - sp.exp(-mu * mean_value), sp.exp(-mu * mean_value) * (sp.cosh(mu * spread) - 1), using=both,
    where=[spread < mean_value], sample={spread: (0, 1), mean_value: (1, 2)},
)
constant.limit(two_values, spread, 0, sp.exp(-mu * mean_value), using=both)

# %% [markdown]
# ## For users

# %%
every_page.export(
    "every_policy_obsolescence", chi(mu * EX / f), of=page_bound,
    args={"frequency": f, "change_rate": mu, "mean_access_time": EX},
    domain={"frequency": "> 0 and <= 1", "change_rate": "> 0", "mean_access_time": "> 0"},
    describe={
        "frequency": "f, the share of accesses that go to the page",
        "change_rate": "mu, the page's changes per unit of time",
        "mean_access_time": "E[X], the mean duration of an access",
    },
    sample={"frequency": (1e-9, 1), "change_rate": (1e-100, 1e3), "mean_access_time": (1e-3, 1e3)},
    ulps=8, summary="A bound on a page's obsolescence rate that no policy can beat, whatever it knows of its access times.",
)
every_policy.export(
    "every_policy_cost", c0 / EX * psi_kernel(mu * EX), of=cost_bound.substituted({nu: 1 / EX}),
    args={"cost_per_change": c0, "total_change_rate": mu, "mean_access_time": EX},
    domain={"cost_per_change": "> 0", "total_change_rate": "> 0", "mean_access_time": "> 0"},
    describe={
        "cost_per_change": "c_0, where page i has weight c_i = c_0 mu_i",
        "total_change_rate": "mu, the sum of the change rates of all pages",
        "mean_access_time": "E[X], the mean duration of an access",
    },
    sample={"cost_per_change": (1e-6, 1e6), "total_change_rate": (1e-100, 1e3), "mean_access_time": (1e-3, 1e3)},
    ulps=8, summary="A bound on the cost that no policy can beat, c_i = c_0 mu_i.",
)

# %% [markdown]
# ## What it looks like
#
# *Figure.* Left: the cost of the two-page rule over the bound (6), against $p$, for $a_1 = \frac9{10}$ and three values of $a_2/a_1$. Each curve is below 1 as long as $p < a_2/a_1$.
# Right: where the rule wins in the plane of $p$ and $a_2/a_1$: between the diagonal and 1, the more the darker.

# %%
chances = np.linspace(0.005, 0.999, 300)
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.8))
left.axhline(1, color="0.3", linewidth=1)
for relation, colour in ((1 / 3, "tab:blue"), (2 / 3, "tab:orange"), (0.9, "tab:green")):
    strong, weak = 0.9, 0.9 * relation
    total = -np.log(1 - strong) - np.log(1 - weak)
    changes = chances * (strong + weak) - chances**2 * (weak**2 + chances * strong**2) / (1 + chances)
    bound_6 = total - (1 - (1 - strong * chances) * (1 - weak * chances)) / chances
    left.plot(chances, (total - changes / chances) / bound_6, color=colour, label=f"$a_2/a_1$ = {relation:.2g}")
    left.plot(relation, 1, "o", color=colour, markersize=4)
left.set_ylim(0.985, 1.01)
left.set_xlabel("p, probability of a long access")
left.set_ylabel("cost / bound (6)")
left.legend(loc="upper left")
grid_p, ratio = np.meshgrid(np.linspace(0.002, 1, 200), np.linspace(0.002, 1.1, 200))
gain = grid_p**2 * (1 - ratio) * (ratio - grid_p) / (1 + grid_p)
contours = right.contourf(
    grid_p, ratio, np.where(gain > 0, gain, np.nan), levels=np.linspace(0, 0.012, 9), cmap="Blues",
)
figure.colorbar(contours, ax=right, label="more changes found, in units of $a_1^2$")
right.plot([0, 1], [0, 1], color="0.4", linewidth=0.8)
right.axhline(1, color="0.4", linewidth=0.8)
right.set_xlabel("p")
right.set_ylabel("$a_2/a_1$")
figure.tight_layout()
plt.show()
