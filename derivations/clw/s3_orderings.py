# %% [markdown]
# # Do faster accesses help? Theorem 3.1, and what the abstract promises
#
# Section 3 opens with (5), $Z_j \stackrel{d}{=} (X_j - R_j)^+$, and draws a conclusion that nobody would doubt: if the access time
# $X$ gets smaller, in the increasing convex order, then every page is out of date for a smaller fraction of time.
#
# It is not so. A robot can make its pages *more* obsolete by shortening its accesses. This notebook shows how, finds the
# two numbers that decide, and then checks the remaining promises of the abstract and of the introduction.

# %%
import itertools
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from flint import arb

from claimproof import Paper

paper = Paper("clw")

mu, EX, h, kappa, x, z, s, t = sp.symbols("mu EX h kappa x z s t", positive=True)
d, N = sp.symbols("d N", integer=True, positive=True)

paper.claim("CLW-S3.0").definition()
paper.claim("CLW-S3.0c").definition()

# %% [markdown]
# ## The first change after an access
#
# A Poisson process that has been quiet for a time $s$ is quiet for another $t$ with probability $e^{-\mu t}$:

# %%
after_access = paper.claim("CLW-S3.0a")
after_access.equal(sp.exp(-mu * (s + t)) / sp.exp(-mu * s), sp.exp(-mu * t))

# %% [markdown]
# The end of an access is a random time, but it does not depend on *later* changes, and that is all that the strong
# Markov property asks. Here is a robot that reacts to what it finds: after an interval with a change it comes back
# after half a time unit, otherwise after one and a half. At the start of its sixth interval the next change is still
# exponential:

# %%
def reacting_robot(rng, runs, rate=0.7):
    """Time from the fifth completion to the next change, for a robot that reacts to the changes it finds."""
    changes = np.cumsum(rng.exponential(1 / rate, (runs, 60)), axis=1)
    clock, found = np.zeros(runs), np.zeros(runs, dtype=bool)
    for _ in range(5):
        following = np.where(changes > clock[:, None], changes, np.inf).min(axis=1)
        end = clock + np.where(found, 0.5, 1.5)
        found, clock = following <= end, end
    return np.where(changes > clock[:, None], changes, np.inf).min(axis=1) - clock


after_access.argued(
    "strong Markov property",
    "the end of an access is a stopping time for the changes together with everything the robot knows, because a "
    "robot can't foresee changes; a Poisson process starts afresh there",
)
after_access.simulated(reacting_robot, 1 / 0.7, seed=30, runs=460_000)

# %% [markdown]
# ## Equation (5)
#
# Given an interval of length $x$ that the page's own changes do not influence, $P(Z > z) = P(R < x - z)$:

# %%
r = sp.Symbol("r", positive=True)
not_watching = "the end of the interval does not depend on the page's changes in it"
equation_5 = paper.claim("CLW-S3.0b")
equation_5.equal(
    sp.integrate(mu * sp.exp(-mu * r), (r, 0, x - z)), 1 - sp.exp(-mu * (x - z)), where=[z < x],
    sample={z: (0, 1), x: (1, 4)}, given=not_watching,
)


def unchanged(rng, runs):
    """1 if a page does not change in an interval of two accesses of exponential length (rates 1 and 1/2)."""
    return (rng.exponential(1.0, (runs, 2)).sum(axis=1) < rng.exponential(2.0, runs)).astype(float)


equation_5.simulated(unchanged, Fraction(4, 9), seed=31, runs=580_000, given=not_watching)

# %% [markdown]
# The proof of Lemma 3.1 needs $R_j$ to be independent of $X_j$, and "any policy" does not give that. Let a site *announce*
# its changes: $N = 2$, $X = 1$, and the robot accesses page 2 until page 1 has changed, then page 1. It never finds page 1
# unchanged, $P(Z = 0) = 0$. With $y = e^{-\mu}$ the interval has $k + 1$ accesses with probability $(1 - y) y^{k-1}$, and (5)
# with an independent $R$ would give $P(Z = 0) = E[e^{-\mu X_j}] = \sum_k (1 - y) y^{k-1} y^{k+1}$:

# %%
y = sp.Symbol("y", positive=True)
by_equation_5 = sp.factor((1 - y) * y**2 / (1 - y**2))
equation_5.refute(sp.Eq(sp.Integer(0), by_equation_5, evaluate=False), witness={y: sp.Rational(1, 2)}, hypotheses=[y < 1])
by_equation_5

# %% [markdown]
# (The residual times of the same page are not independent of each other either: while the page stays unchanged, the next
# residual time is the rest of the last one. That does no harm: $Z_j$ depends on the changes inside interval $j$ only.)
#
# ## Mean obsolescence is a mixture of stop-loss transforms
#
# Averaging $(x - R)^+$ gives $\frac1\mu\psi(\mu x)$, $\psi(q) = q - 1 + e^{-q}$: increasing and convex in $x$.

# %%
obsolescence = x - (1 - sp.exp(-mu * x)) / mu
paper.claim("CLW-X.stop-loss").as_stated(EZ=sp.integrate(mu * sp.exp(-mu * t) * (x - t), (t, 0, x)), parts={2: {"zeros": {"q": (0, 1)}}})
q = paper.symbols("q")

# %% [markdown]
# So if $X' \le_{icx} X$, then $E[(X' - R)^+] \le E[(X - R)^+]$; and for a gap of $d$ accesses we may replace the access times
# one at a time, since $x \mapsto \frac1\mu\psi(\mu(x + y))$ is increasing and convex too. The first lines of the paper's proof
# are right, for a given gap. We check them on all pairs of laws on $\{0, 1, 2, 3\}$ with probabilities $k/4$. For laws on
# the integers $\le_{icx}$ is the order of the stop-loss transforms at the integers.

# %%
laws = [tuple(Fraction(k, 4) for k in w) for w in itertools.product(range(5), repeat=4) if sum(w) == 4]
laws = [law for law in laws if law[0] < 1]  # X = 0 always: no time passes and there is no rate


def mean(law):
    return sum(k * weight for k, weight in enumerate(law))


def stop_loss(law, level):
    return sum(max(k - level, 0) * weight for k, weight in enumerate(law))


def icx(smaller, larger):
    levels = range(max(len(smaller), len(larger)))
    return all(stop_loss(smaller, level) <= stop_loss(larger, level) for level in levels)


def convolution(law, times):
    total = (Fraction(1),)
    for _ in range(times):
        total = tuple(
            sum(total[i] * law[k - i] for i in range(len(total)) if 0 <= k - i < len(law))
            for k in range(len(total) + len(law) - 1)
        )
    return total


pairs = list(itertools.product(laws, repeat=2))
icx_pairs = [pair for pair in pairs if icx(*pair)]
fixed = "the policy is non-adaptive"

order_of_Z = paper.claim("CLW-T3.1a")
order_of_Z.instances(
    icx_pairs,
    lambda pair: all(icx(convolution(pair[0], gap), convolution(pair[1], gap)) for gap in (2, 3)),
    wrong={
        "the other way": lambda pair: icx(convolution(pair[1], 2), convolution(pair[0], 2)),
        "a longer gap for the smaller law": lambda pair: icx(convolution(pair[0], 3), convolution(pair[1], 2)),
    },
    what="pairs of laws in increasing convex order, gaps 2 and 3", given=fixed, using=["CLW-S3.0b"],
)
order_of_Z.equal(
    sp.integrate(mu * sp.exp(-mu * r) * (x - t - r), (r, 0, x - t)), obsolescence.subs(x, x - t), where=[t < x],
    sample={t: (0, 1), x: (1, 4)}, given=fixed, using=["CLW-S3.0b", "CLW-X.stop-loss"],
)

# %%
def mean_Z(law, gap, rate):
    """A ball around E[Z] for a gap of accesses with the given law, from (5)."""
    total = convolution(law, gap)
    balls = (arb(w.numerator) / w.denominator * (k - (1 - (-arb(k) * rate).exp()) / rate) for k, w in enumerate(total))
    return sum(balls, arb(0))


def less_obsolete(pair, gap, rate):
    """Certainly smaller mean obsolescence, or the same law."""
    return pair[0] == pair[1] or bool(mean_Z(pair[1], gap, rate) - mean_Z(pair[0], gap, rate) > 0)


order_of_means = paper.claim("CLW-T3.1b")
order_of_means.instances(
    icx_pairs, lambda pair: all(less_obsolete(pair, gap, arb(1)) for gap in (1, 2)),
    wrong={
        "the other way": lambda pair: less_obsolete(pair[::-1], 1, arb(1)),
        "per unit of time": lambda pair: pair[0] == pair[1]
        or bool(mean_Z(pair[1], 1, arb(1)) * mean(pair[0]).numerator / mean(pair[0]).denominator
                >= mean_Z(pair[0], 1, arb(1)) * mean(pair[1]).numerator / mean(pair[1]).denominator),
    },
    what="pairs of laws in increasing convex order, gaps 1 and 2, by balls", kind="enclosed", given=fixed, using=["CLW-T3.1a", "CLW-X.stop-loss"],
)
introduction_i = paper.claim("CLW-I1")
introduction_i.instances(
    icx_pairs, lambda pair: all(less_obsolete(pair, 1, rate) for rate in (arb(1) / 5, arb(2))),
    wrong={"the other way": lambda pair: less_obsolete(pair[::-1], 1, arb(2))},
    what="pairs of laws in increasing convex order, rates 1/5 and 2, by balls", kind="enclosed", given=fixed, using=["CLW-T3.1b"],
)

# %% [markdown]
# *An attempt to break it.* A robot that reacts may make a longer gap out of a shorter access. $X' = 1 \le_{cx} X \in \{\frac12,
# \frac32\}$, two pages; the robot uses the cycle $1, 2, 2$ if its first access took exactly one unit, and $1, 2$ otherwise.
# Then $d' = 3$ and $d = 2$:

# %%
mean_Z_primed = 3 - (1 - sp.exp(-3 * mu)) / mu
mean_Z_plain = 2 - (1 - ((sp.exp(-mu / 2) + sp.exp(-3 * mu / 2)) / 2) ** 2) / mu
for claim in (order_of_Z, order_of_means, introduction_i):
    claim.refute(
        sp.Le(mean_Z_primed, mean_Z_plain, evaluate=False), witness={mu: 1},
        meets=dict.fromkeys(claim.claim.hypotheses, "the two laws have equal means and are in convex order"),
        instance="Rate 1, X' always 1, X one half or three halves. A robot that accesses page 1 every third time if its first "
        "access took exactly 1, and every second time otherwise, leaves it out of date for 2.05 an interval under X', 1.17 under X.",
    )

# %% [markdown]
# These two laws are in *convex* order, so no order between $X'$ and $X$ will save the sentence for all adaptive policies: what
# can be repaired below is the statement for non-adaptive ones.
#
# ## The last line of the proof divides by the wrong number
#
# For a page with constant gap $d$, (2) and Lemma 3.1 give
# $$ r = \frac{E[Z]}{d\,E[X]} = 1 - \frac{1 - h^d}{d\,\mu\,E[X]}. $$
# The numerator $E[Z]$ goes down, but so does the denominator: $E[X'] \le E[X]$. Cut *short* accesses: they are the time in
# which pages are still fresh. Take one page, $\mu = 1$, and accesses of length $1$ or $3$ with equal probability; then cut the
# short ones to $1/10$.

# %%
def rate_of(gap, law, change_rate=mu):
    """Obsolescence rate for constant gaps; ``law`` lists (access time, probability)."""
    average = sum(weight * time for time, weight in law)
    laplace = sum(weight * sp.exp(-change_rate * time) for time, weight in law)
    return 1 - (1 - laplace**gap) / (gap * change_rate * average)


a, b, L, p = sp.symbols("a b L p", positive=True)
slow, fast = [(b, 1 - p), (L, p)], [(a, 1 - p), (L, p)]
one_page = {a: sp.Rational(1, 10), b: 1, L: 3, p: sp.Rational(1, 2), mu: 1}
many_pages = {a: sp.Rational(1, 100), b: sp.Rational(1, 2), L: 10, p: sp.Rational(1, 10), mu: 1}
theorem = paper.claim("CLW-T3.1")
theorem.refute(sp.Le(rate_of(1, fast), rate_of(1, slow), evaluate=False), witness=one_page, hypotheses=[a <= b, p < 1])
for pages in (2, 3, 10):  # cycle 1, ..., N: all gaps are N
    theorem.refute(
        sp.Le(rate_of(pages, fast), rate_of(pages, slow), evaluate=False), witness=many_pages, hypotheses=[a <= b, p < 1]
    )

# %% [markdown]
# *Figure: two timelines of one page.* Above: accesses of length 1 or 3; the coloured height is the probability that the page is out of date, which falls to 0 whenever an access ends. Below: the
# short accesses cut to 1/10. Everything ends sooner, but what was cut was mostly white, so a larger share of the time is coloured: the obsolescence rate goes up.

# %%
def sawtooth(axis, lengths, colour, title):
    """Probability of being out of date, along consecutive accesses to the only page."""
    start, stale = 0.0, 0.0
    for length in lengths:
        grid = np.linspace(0, length, 60)
        axis.fill_between(start + grid, 1 - np.exp(-grid), color=colour, alpha=0.55, lw=0)
        axis.plot(start + grid, 1 - np.exp(-grid), color=colour, lw=1)
        axis.axvline(start + length, color="0.3", lw=0.8)
        stale += length - (1 - np.exp(-length))
        start += length
    axis.set(xlim=(0, 16.3), ylim=(0, 1), yticks=[0, 1], ylabel="P(out of date)")
    axis.set_title(title.format(share=stale / start), loc="left", fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)


order = [1, 3, 1, 3, 3, 1, 3, 1]
figure, axes = plt.subplots(2, 1, figsize=(8, 3.6), sharex=True, layout="constrained")
sawtooth(axes[0], order, "tab:blue", "accesses of length 1 or 3: out of date {share:.1%} of the time")
sawtooth(axes[1], [0.1 if length == 1 else length for length in order], "tab:red",
         "the short ones cut to 0.1: out of date {share:.1%} of the time")
axes[1].set_xlabel("time; a line marks the end of an access, when the page is fresh again")
plt.show()

# %% [markdown]
# What was cut, 3.6 units of time, was mostly white: only 40 % of it coloured, where the rest is coloured to 60 %. (The
# coloured part of a sawtooth of length $\ell$ is $\ell - 1 + e^{-\ell}$.)
#
# The same from the words, with a robot, its clock, and a page that changes by itself:

# %%
def one_page_robot(times, rate=1.0, accesses=50):
    """Pairs (time out of date, time) over blocks of accesses whose lengths are drawn from ``times``."""

    def simulate(rng, runs):
        lengths = rng.choice(times, runs * accesses)
        ends = np.cumsum(lengths)
        changes = np.cumsum(rng.exponential(1 / rate, int(1.1 * rate * ends[-1]) + 1000))
        first = changes[np.searchsorted(changes, ends - lengths, side="right")]
        stale = np.maximum(ends - first, 0)
        return stale.reshape(runs, -1).sum(axis=1), lengths.reshape(runs, -1).sum(axis=1)

    return simulate


witnessed = paper.claim("CLW-X.icx-simulated")
for times, law in (([1.0, 3.0], slow), ([0.1, 3.0], fast)):
    witnessed.simulated(one_page_robot(times), sp.N(rate_of(1, law).subs(one_page)), seed=32, runs=4_000)
witnessed.equal(
    rate_of(1, slow).subs(one_page), 1 - (1 - sp.exp(-1) / 2 - sp.exp(-3) / 2) / 2, using=["CLW-L3.1", "CLW-P6"]
)

# %% [markdown]
# The failing step itself, with its hypothesis $E[Z'] \le E[Z]$ met, and what does follow: obsolescence *per access*,
# $E[X]\,r = E[Z]/d$, goes down.

# %%
def mean_Z_of(law):
    return sum(w * obsolescence.subs(x, value) for value, w in law)


last_step = paper.claim("CLW-T3.1c")
last_step.refute(
    sp.Le(mean_Z_of(fast) / (p * L + (1 - p) * a), mean_Z_of(slow) / (p * L + (1 - p) * b), evaluate=False),
    witness=one_page, hypotheses=[a <= b, sp.Le(mean_Z_of(fast), mean_Z_of(slow), evaluate=False)],
)
paper.claim("CLW-T3.1c-corrected").equal(
    EX * (1 - (1 - h**d) / (d * mu * EX)), (d * EX - (1 - h**d) / mu) / d, using=["CLW-L3.1", "CLW-P6", "CLW-T3.1b"],
)
paper.claim("CLW-A1").refute(
    sp.Le(rate_of(1, fast), rate_of(1, slow), evaluate=False), witness=one_page, hypotheses=[a <= b, p < 1],
)

# %% [markdown]
# Nor is it a matter of few pages. Keep long accesses of length $L$ with probability $p$, and shorten the others from $x$ to
# $0$. As $L \to \infty$ the transforms go to $h' \to 1 - p$ and $h \to (1 - p)e^{-\mu x}$, and $L/E[X']$ and $L/E[X]$ to $1/p$; so for
# every gap $d$ the rates differ, for large $L$, in the wrong direction.

# %%
every_N = paper.claim("CLW-X.icx-every-N")
lazy, quick = [(x, 1 - p), (L, p)], [(0, 1 - p), (L, p)]


def laplace_of(law, at=mu):
    return sum(weight * sp.exp(-at * time) for time, weight in law)


every_N.limit(laplace_of(quick), L, sp.oo, 1 - p, using=["CLW-L3.1"])
every_N.limit(laplace_of(lazy), L, sp.oo, (1 - p) * sp.exp(-mu * x), using=["CLW-L3.1"])
every_N.limit(L / (p * L + (1 - p) * x), L, sp.oo, 1 / p, using=["CLW-L3.1"])
h_quick, h_lazy = 1 - p, (1 - p) * sp.exp(-mu * x)
every_N.equal(
    ((1 - h_lazy**d) / p - (1 - h_quick**d) / p) / (d * mu), (1 - p) ** d * (1 - sp.exp(-mu * x * d)) / (d * p * mu),
    where=[p < 1], sample={p: (0, 1)}, corners=[{d: 1}], using=["CLW-L3.1"],
)

# %% [markdown]
# ## What is true
#
# For a non-adaptive policy with gap law $d$ and frequency $f = 1/E[d]$, $1 - r = \frac{f}{\mu E[X]} E[1 - h^d]$. So $r' \le r$ for all
# such policies if $\frac{1 - h'^d}{E[X']} \ge \frac{1 - h^d}{E[X]}$ for every $d \ge 1$, and two of these conditions are enough.
#
# *Necessary.* A page that is accessed $k$ times in a row and then again after $N$ accesses has, as $k \to \infty$, the rate of
# $d = 1$; and gaps $d \to \infty$ compare the means.

# %%
k = sp.Symbol("k", positive=True)
right_theorem = paper.claim("CLW-T3.1-corrected")
right_theorem.limit(
    1 - (k * (1 - h) + (1 - h**N)) / (mu * EX * (k + N)), k, sp.oo, 1 - (1 - h) / (mu * EX), using=["CLW-L3.1", "CLW-P6"]
)
gap = sp.Symbol("D", positive=True)
right_theorem.limit((1 - sp.exp(-kappa * gap)) / EX, gap, sp.oo, 1 / EX, using=["CLW-L3.1", "CLW-P6"])

# %% [markdown]
# *Sufficient.* If $h' \le h$ then $1 - h'^d \ge 1 - h^d$, and $E[X'] \le E[X]$ does the rest. If $h' > h$, use
# $1 - h^d = (1 - h)\sum_{k<d} h^k$ (by induction on $d$, the step is below): the sum is larger for $h'$, the factor
# $\frac{1 - h}{E[X]}$ is larger for $h'$ by the second condition. Both conditions, and only they, for all pairs of our laws and
# rates with $e^{-\mu} \in \{\frac14, \frac12, \frac34\}$, exactly:

# %%
right_theorem.equal(
    (1 - h**d) + h**d * (1 - h), 1 - h ** (d + 1), where=[h < 1], sample={h: (0, 1)}, using=["CLW-L3.1", "CLW-P6"]
)
UNCHANGED = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
TRIED_GAPS = (1, 2, 3, 5, 8, 20, 100)


def laplace(law, unchanged_per_unit):
    return sum(weight * unchanged_per_unit**k for k, weight in enumerate(law))


def better(pair, unchanged_per_unit, gaps=TRIED_GAPS):
    """r' <= r for these gaps."""
    (first, second), (m1, m2) = (laplace(law, unchanged_per_unit) for law in pair), map(mean, pair)
    return all((1 - first**gap) * m2 >= (1 - second**gap) * m1 for gap in gaps)


def means_ordered(pair):
    return mean(pair[0]) <= mean(pair[1])


cases = [(pair, unchanged_per_unit) for pair in pairs for unchanged_per_unit in UNCHANGED]
right_theorem.instances(
    cases, lambda case: better(*case) == (means_ordered(case[0]) and better(*case, gaps=(1,))),
    wrong={
        "the first condition alone": lambda case: better(*case) == means_ordered(case[0]),
        "the second condition alone": lambda case: better(*case) == better(*case, gaps=(1,)),
        "increasing convex order": lambda case: better(*case) == icx(*case[0]),
        "gap 2 instead of gap 1": lambda case: better(*case) == (means_ordered(case[0]) and better(*case, gaps=(2,))),
    },
    what="pairs of laws and rates", using=["CLW-L3.1", "CLW-P6"],
)

# %% [markdown]
# **Convex order.** With equal means the conditions reduce to $h' \le h$, and $e^{-\mu x}$ is convex. So the abstract's
# sentence is true with the convex order in place of the increasing convex order.

# %%
def cx(pair):
    return mean(pair[0]) == mean(pair[1]) and icx(*pair)


paper.claim("CLW-A1-corrected").instances(
    [case for case in cases if cx(case[0])], lambda case: better(*case),
    wrong={"the other way": lambda case: better(case[0][::-1], case[1])},
    what="pairs of laws in convex order, and rates", using=["CLW-T3.1-corrected"],
)
h2 = sp.Symbol("h'", positive=True)
same_mean = paper.claim("CLW-S3.1-corrected")
same_mean.equal(
    (1 - (1 - h2**d) / (d * mu * EX)) - (1 - (1 - h**d) / (d * mu * EX)), (h2**d - h**d) / (d * mu * EX),
    using=["CLW-L3.1", "CLW-T3.1-corrected"],
)

# %% [markdown]
# **An order that works.** Dividing the stop-loss transforms by the means gives the *harmonic mean residual life* order,
# $E(X' - t)^+/E[X'] \le E(X - t)^+/E[X]$. By the mixture formula above it implies the second condition, for every rate; with
# $E[X'] \le E[X]$ the theorem holds. (It implies the increasing convex order, so this *is* Theorem 3.1 under a stronger
# hypothesis. An atom at $0$ can spoil the means, therefore they are a condition of their own.)

# %%
def hmrl(pair):
    return all(stop_loss(pair[0], k) * mean(pair[1]) <= stop_loss(pair[1], k) * mean(pair[0]) for k in range(4))


works = paper.claim("CLW-X.hmrl")
works.instances(
    cases, lambda case: better(*case) or not (hmrl(case[0]) and means_ordered(case[0])),
    wrong={
        "without the means": lambda case: better(*case) or not hmrl(case[0]),
        "increasing convex order instead": lambda case: better(*case) or not icx(*case[0]),
        "the other way": lambda case: better(*case) or not (hmrl(case[0][::-1]) and means_ordered(case[0])),
    },
    what="pairs of laws and rates", using=["CLW-T3.1-corrected", "CLW-X.stop-loss"],
)
works.equal(
    sp.integrate(mu * sp.exp(-mu * t) * (x - t), (t, 0, x)) / x, 1 - (1 - sp.exp(-mu * x)) / (mu * x),
    using=["CLW-T3.1-corrected", "CLW-X.stop-loss"],
)

# %% [markdown]
# ## The remark on the Laplace-transform order
#
# After Lemma 3.1 the paper says that Theorem 3.1 still holds with "the weaker Laplace-transform ordering". There are two
# sign conventions, so we try both.
#
# 1. $X'$ is smaller if $E[e^{-sX'}] \ge E[e^{-sX}]$ for all $s > 0$ (the usual one). Take $X' \in \{0, 2a\}$ with equal probability and
#    $X = a$: then $h' - h = \frac12(1 - e^{-as})^2 \ge 0$, the means agree, and $r' > r$.
# 2. The reverse. Take $X' = 2a$, $X = a$: $h' < h$, and $r' > r$ because $1 - (1 - e^{-q})/q$ increases.
#
# In both cases $E[Z'] > E[Z]$ as well, so not even the proof's second line survives.

# %%
split, constant, doubled = [(0, sp.Rational(1, 2)), (2 * a, sp.Rational(1, 2))], [(a, 1)], [(2 * a, 1)]


remark = paper.claim("CLW-S3.1")
at_one = {a: 1, mu: 1}
for smaller, hypothesis in (
    (split, sp.Ge(laplace_of(split), laplace_of(constant), evaluate=False)),
    (doubled, sp.Le(laplace_of(doubled), laplace_of(constant), evaluate=False)),
):
    remark.refute(
        sp.Le(rate_of(1, smaller), rate_of(1, constant), evaluate=False), witness=at_one, hypotheses=[hypothesis]
    )
    remark.refute(
        sp.Le(mean_Z_of(smaller), mean_Z_of(constant), evaluate=False), witness=at_one, hypotheses=[hypothesis]
    )

# %% [markdown]
# What Lemma 3.1 does give was shown above: for *equal means* $r' \le r$ if and only if $h' \le h$. In general one must compare
# the Laplace transforms of the *stationary-excess* laws, density $P(X > t)/E[X]$, for $\int_0^x e^{-\mu t} dt = (1 - e^{-\mu x})/\mu$:

# %%
same_mean.equal(
    sp.integrate(sp.exp(-mu * t), (t, 0, x)), (1 - sp.exp(-mu * x)) / mu, using=["CLW-L3.1", "CLW-T3.1-corrected"]
)

# %% [markdown]
# And it is not *weaker* than $\le_{icx}$, under either sign: $1 \le_{cx} \{0, 2\}$ but $e^{-s} < (1 + e^{-2s})/2$; and $1 \le 2$ but
# $e^{-s} > e^{-2s}$. The first convention belongs to the increasing **concave** order, since $1 - e^{-sx}$ is a mixture of the
# functions $\min(x, t)$; the second is implied by $\le_{cx}$.

# %%
weaker = paper.claim("CLW-S3.2")
weaker.refute(sp.Ge(laplace_of(constant, s), laplace_of(split, s), evaluate=False), witness={a: 1, s: 1})
weaker.refute(sp.Le(laplace_of(constant, s), laplace_of(doubled, s), evaluate=False), witness={a: 1, s: 1})

mixture = sp.integrate(s**2 * sp.exp(-s * t) * t, (t, 0, x)) + x * s * sp.exp(-s * x)
really = paper.claim("CLW-S3.2-corrected")
really.equal(mixture, 1 - sp.exp(-s * x))


def icv(pair):
    """Increasing concave order: E min(Y, t), at the integers."""
    capped = [[sum(min(k, level) * w for k, w in enumerate(law)) for level in range(1, 4)] for law in pair]
    return all(first <= second for first, second in zip(*capped, strict=True))


def larger_laplace(pair):
    return all(laplace(pair[0], Fraction(k, 16)) >= laplace(pair[1], Fraction(k, 16)) for k in range(1, 16))


really.instances(
    pairs,
    lambda pair: (larger_laplace(pair) or not icv(pair)) and (larger_laplace(pair[::-1]) or not cx(pair)),
    wrong={
        "implied by the increasing convex order": lambda pair: larger_laplace(pair) or not icx(*pair),
        "reversed sign, implied by it": lambda pair: larger_laplace(pair[::-1]) or not icx(*pair),
        "implies the increasing convex order": lambda pair: icx(*pair) or not larger_laplace(pair),
        "reversed sign, implies it": lambda pair: icx(*pair) or not larger_laplace(pair[::-1]),
    },
    what="pairs of laws",
)

# %% [markdown]
# ## The promises of the abstract and of the introduction
#
# ### Even spacing
#
# The abstract asks for accesses evenly spaced **in time**. Given the completion times, the expected total obsolescence is
# $\frac1\mu\sum\psi(\mu s_j)$; moving $\varepsilon$ from a longer interval $s_1$ to a shorter one $s_2$ changes $\sum\psi$ by
# $(e^\varepsilon - 1)(e^{-s_1} - e^{-s_2 - \varepsilon}) \le 0$ while $s_2 + \varepsilon \le s_1$. This holds for every robot that does not see
# the changes, also for one that reacts to its access times.

# %%
def psi(value):
    return value - 1 + sp.exp(-value)


s1, s2, eps = sp.symbols("s1 s2 epsilon", positive=True)
paper.claim("CLW-A2").equal(
    psi(s1 - eps) + psi(s2 + eps) - psi(s1) - psi(s2), (sp.exp(eps) - 1) * (sp.exp(-s1) - sp.exp(-s2 - eps)),
    where=[s2 + eps <= s1], sample={s1: (3, 9), s2: (0, 1), eps: (1, 2)}, using=["CLW-X.stop-loss"],
)
gap_excess = sp.Symbol("w", positive=True)
paper.claim("CLW-A2").inequality(
    sp.Lt((sp.exp(eps) - 1) * (sp.exp(-gap_excess) - 1), 0, evaluate=False),
    on={eps: (0, sp.oo), gap_excess: (0, sp.oo)}, zeros={eps: (0, 1), gap_excess: (0, 1)}, using=["CLW-X.stop-loss"],
)

# %% [markdown]
# The introduction and Theorem 3.2 speak of even *distances*: the same identity in $h^d$. For non-adaptive policies this is
# right: among the compositions of $12$ into $5$ parts only the balanced ones are best.

# %%
in_distances = paper.claim("CLW-I2")
d1, d2 = sp.symbols("d1 d2", integer=True, positive=True)
in_distances.equal(
    h ** (d1 - 1) + h ** (d2 + 1) - h**d1 - h**d2, (1 - h) * (h ** (d1 - 1) - h**d2), where=[h < 1, d2 < d1],
    sample={h: (0, 1)}, given=fixed, using=["CLW-L3.1"],
)
compositions = [c for c in itertools.product(range(1, 9), repeat=5) if sum(c) == 12]


def undetected(parts, laplace_value=Fraction(2, 3)):
    return sum(laplace_value**part for part in parts)


least = min(map(undetected, compositions))
in_distances.instances(
    compositions, lambda c: (undetected(c) == least) == (max(c) - min(c) <= 1),
    wrong={
        "any spread up to two": lambda c: (undetected(c) == least) == (max(c) - min(c) <= 2),
        "only sorted ones": lambda c: (undetected(c) == least) == (max(c) - min(c) <= 1 and list(c) == sorted(c)),
    },
    what="compositions of 12 into 5 parts", given=fixed, using=["CLW-L3.1"],
)

# %% [markdown]
# A robot with a watch does better with *uneven* distances. Let page 1 get two of six accesses; $X \in \{0, L\}$ with equal
# probability, $\alpha = e^{-\mu L}$, $h = (1 + \alpha)/2$. With $d = (3, 3)$ page 1 is found unchanged $2h^3$ times on average. The robot
# begins with page 2 and looks at its watch: after a short access it keeps to $(3, 3)$, after a long one it takes $(2, 4)$.
# Then page 1 is found unchanged $\frac12(h^2 + h^3) + \frac12(\alpha h + h^4)$ times, which is less: the distances are uneven, the
# *times* are more even.

# %%
alpha = sp.Symbol("alpha", positive=True)
h_two = (1 + alpha) / 2
watching = (h_two**2 + h_two**3) / 2 + (alpha * h_two + h_two**4) / 2
in_distances.refute(
    sp.Le(2 * h_two**3, watching, evaluate=False), witness={alpha: sp.Rational(1, 2)}, hypotheses=[alpha < 1]
)
sp.factor(watching - 2 * h_two**3)

# %% [markdown]
# ### "A tight bound"
#
# Equal pages in turn attain (6), for every $N$:

# %%
tight = paper.claim("CLW-A3")
equal_pages = N * mu * (1 - (1 - h**N) / (N * mu * EX))
tight.equal(
    equal_pages, N * mu - 1 / EX + h**N / EX, where=[h < 1], sample={h: (0, 1)}, corners=[{N: 1}], given=fixed,
    using=["CLW-T3.4", "CLW-S3.5", "CLW-L3.1", "CLW-P7"],
)

# %% [markdown]
# but it is no bound for a robot that reacts (the chain is derived in the notebook on the lower bound; $a_i = 1 - e^{-\mu_i L}$,
# $X = L$ with probability $p$, else $0$; both sides are changes detected per access, of which (6) allows at most the right one):

# %%
a1, a2 = sp.symbols("a1 a2", positive=True)
detected = p * (a1 + a2) - p**2 * (a2**2 + p * a1**2) / (1 + p)
allowed = p * (a1 + a2) - p**2 * a1 * a2
tight.refute(
    sp.Le(detected, allowed, evaluate=False),
    witness={p: sp.Rational(1, 10), a1: sp.Rational(9, 10), a2: sp.Rational(3, 10)}, hypotheses=[p < 1, a1 < 1, a2 < 1],
    using=["CLW-X.adaptive-chain"],
)

# %% [markdown]
# ### "The optimal frequency is proportional to $\ln(1/h_i)$"
#
# These frequencies minimise the *bound* (7). With $\kappa_i = \ln(1/h_i)$, $Q = \sum\kappa_i$ and $\sum x_i = 1$,
# $$ \sum_i x_i h_i^{1/x_i} = e^{-Q}\Bigl(1 + \sum_i x_i\,\psi(\kappa_i/x_i - Q)\Bigr) \ge e^{-Q}, $$
# with equality only if all $\kappa_i/x_i = Q$. Each page contributes $x e^{-\kappa/x} = e^{-Q}\bigl(x - (\kappa - xQ) + x\psi(\kappa/x - Q)\bigr)$, for any
# number of pages; the middle terms add up to $0$.

# %%
Q = sp.Symbol("Q", positive=True)
of_bound = paper.claim("CLW-A4-corrected")
of_bound.as_stated(sample={"x": (0, 1), "kappa": (1, 2), "Q": (2, 3)}, using=["CLW-T3.4a", "CLW-X.tangent-exp"])
of_bound.inequality(sp.Gt(psi(q), 0, evaluate=False), on={q: (0, sp.oo)}, zeros={q: (0, 2)}, using=["CLW-T3.4a"])
of_bound.inequality(sp.Gt(psi(-q), 0, evaluate=False), on={q: (0, sp.oo)}, zeros={q: (0, 2)}, using=["CLW-T3.4a"])

# %% [markdown]
# The *robot* has integer gaps and can do better elsewhere. Two pages, $X = 1$, $h_1 = t^{10}$, $h_2 = t^{11}$: the abstract wants
# $f = (\frac{10}{21}, \frac{11}{21})$. With these frequencies no non-adaptive schedule detects more than the one with gaps $2, 3$ for
# page 1 and $1, 2$ for page 2 (integer gaps nearest to $1/f$); in turn, $1, 2, 1, 2, \dots$, is better:

# %%
f1 = sp.Rational(10, 21)
h_1, h_2 = t**10, t**11
logarithmic = (
    f1 * (1 - h_1**2) + (1 - 2 * f1) * (h_1**2 - h_1**3) + (1 - f1) * (1 - h_2) + f1 * (h_2 - h_2**2)
)
alternating = (1 - h_1**2) / 2 + (1 - h_2**2) / 2
paper.claim("CLW-A4").refute(
    sp.Ge(logarithmic, alternating, evaluate=False), witness={t: sp.Rational(9, 10)}, hypotheses=[t < 1],
    using=["CLW-X.integer-bound"],
)

# %% [markdown]
# The print $\ln(h_i)^{-1}$ is to be read as $\ln(h_i^{-1})$; (10) shows it.

# %%
g1, g2 = sp.symbols("h1 h2", positive=True)
reading = paper.claim("CLW-A4a")
reading.equal(
    sp.log(g1) / (sp.log(g1) + sp.log(g2)), sp.log(1 / g1) / (sp.log(1 / g1) + sp.log(1 / g2)),
    where=[g1 < 1, g2 < 1], sample={g1: (0, sp.Rational(1, 2)), g2: (sp.Rational(1, 2), 1)},
)
reading.textual(version="1999", place="abstract, and (10)", words="ln(h_i)^{-1}")

# %% [markdown]
# ### Proportional to $\mu_i$?
#
# For constant $X$ yes. For other laws no: $E[e^{-2\mu X}] - E[e^{-\mu X}]^2$ is a variance, so $\ln(1/h)$ at $2\mu$ is less than twice
# what it is at $\mu$. Written for two values $a_1, a_2$ of $e^{-\mu X}$:

# %%
proportional = paper.claim("CLW-A5")
proportional.equal(-sp.log(sp.exp(-mu * x)), mu * x)
spread = p * a1**2 + (1 - p) * a2**2 - (p * a1 + (1 - p) * a2) ** 2
proportional.equal(spread, p * (1 - p) * (a1 - a2) ** 2, where=[p < 1], sample={p: (0, 1)})

# %% [markdown]
# The French abstract of 1997 adds "only when $X$ is constant". Equal rates are proportional to anything (and $N = 1$ too).

# %%
mu1, mu2 = sp.symbols("mu1 mu2", positive=True)
two_point = [(1, sp.Rational(1, 2)), (3, sp.Rational(1, 2))]
kappa1, kappa2 = (-sp.log(laplace_of(two_point, rate)) for rate in (mu1, mu2))
only = paper.claim("CLW-A5a")
only.equal(
    spread, p * (1 - p) * (a1 - a2) ** 2, where=[p < 1], sample={p: (0, 1)}, given="two of the rates differ",
    using=["CLW-X.proportional-iff"],
)
only.refute(sp.Ne(kappa1 / (kappa1 + kappa2), mu1 / (mu1 + mu2), evaluate=False), witness={mu1: 1, mu2: 1})

# %% [markdown]
# ### The randomized policy
#
# With $b = 1/h - 1$, Lemma 4.1 makes the cost $\mu - \nu\sum \frac{f_i b_i}{b_i + f_i}$. The function $u/(1 + u)$, $u = f/b$, lies below
# its tangent at $T$ by $\frac{(u - T)^2}{(1 + T)^2(1 + u)}$; weighted with $b_i$ the linear parts depend on $\sum f_i = 1$ only, so the cost
# is least when all $f_i/b_i$ equal $T = 1/\sum b_i$, and only then.

# %%
u, T, f = sp.symbols("u T f", positive=True)
randomized = paper.claim("CLW-A6")
randomized.equal(
    f * (1 - h) / (1 - h + f * h), f * (1 / h - 1) / (1 / h - 1 + f), where=[h < 1],
    sample={h: (0, 1), f: (1, 2)}, using=["CLW-L4.1"],
)
randomized.equal(
    T / (1 + T) + (u - T) / (1 + T) ** 2 - u / (1 + u), (u - T) ** 2 / ((1 + T) ** 2 * (1 + u)),
    sample={u: (0, 1), T: (2, 5)}, using=["CLW-L4.1"],
)

# %% [markdown]
# The introduction promises the best distribution for the cost $C$, which has general weights. Section 4 solves the
# problem when all right sides of (15) are positive: $x_i = (\sigma_i/\tau - 1)b_i$, $\sigma_i = \sqrt{c_i/\mu_i}$,
# $\tau = \sum\sigma b/(1 + \sum b)$. They add up to $1$, but a page with a small weight gets a negative frequency:

# %%
sig1, sig2, b1, b2 = sp.symbols("sigma1 sigma2 b1 b2", positive=True)
tau = (sig1 * b1 + sig2 * b2) / (1 + b1 + b2)
general = paper.claim("CLW-I7")
general.equal(
    (sig1 / tau - 1) * b1 + (sig2 / tau - 1) * b2, 1,
    sample={sig1: (0, 1), sig2: (1, 2), b1: (2, 3), b2: (3, 4)},
    given="the right sides of (15) are positive for all pages", using=["CLW-R8"],
)
x1 = (sig1 / tau - 1) * b1
general.equal(  # the gain c/mu * d/dx (x b/(b + x)) is the same for all pages: the condition for a maximum
    sig1**2 * sp.diff(f * b1 / (b1 + f), f).subs(f, x1), tau**2,
    sample={sig1: (0, 1), sig2: (1, 2), b1: (2, 3), b2: (3, 4)},
    given="the right sides of (15) are positive for all pages", using=["CLW-R8", "CLW-T4.1d"],
)
general.refute(
    sp.Ge((sig2 / tau - 1) * b2, 0, evaluate=False), witness={sig1: 1, sig2: sp.Rational(1, 10), b1: 1, b2: 1},
    using=["CLW-T4.1h"],
)

# %% [markdown]
# ### General weights: no explicit solution
#
# In 1997 the authors have none for (7), in 1999 none is attainable in general; both speak of (8) and (9) together. (8) alone is
# solved by Lambert's function (notebook on general weights). What is left is one number, the root of the decreasing function
# $\sum_ix_i(\lambda) - 1$. We have no formula for it either, and make no statement about all formulas there might be.

# %%
explicit = paper.claim("CLW-I6")
explicit.textual(
    version="1997", place="after Theorem 3.4", words="no closed-form solutions in general", using=["CLW-X.weights-closed-form"],
)
explicit.textual(
    version="1999", place="introduction", words="explicit formulas not attainable in general", using=["CLW-X.weights-closed-form"],
)
explicit.argued(
    "one scalar is left", "given lambda each x_i is explicit; lambda is the one root of sum x_i(lambda) = 1, an equation in as many "
    "different Lambert functions as there are different values of c_i/mu_i", using=["CLW-X.weights-closed-form", "CLW-X.weights-multiplier"],
)

# %% [markdown]
# ### "We obtain solutions" (1999: explicit ones)
#
# under assumptions on the weights, the access times and the policies. For $c_i = c_0\mu_i$ and randomized policies that is so, for every law of $X$: the
# frequencies (16) are $b_i/S$, $S = \sum b_i$, and put into Lemma 4.1 they give (11); that nothing is better is the tangent above. Per page and access the policy finds
# $\frac{f_ib_i}{b_i + f_i}$ changes:

# %%
solved = paper.claim("CLW-I8")
b3, nu, c0 = sp.symbols("b3 nu c0", positive=True)
S = b1 + b2 + b3
solved.equal(
    c0 * (mu - nu * sum((b / S) * b / (b + b / S) for b in (b1, b2, b3))), c0 * (mu - nu * S / (1 + S)),
    sample={b1: (0, 1), b2: (1, 2), b3: (2, 3), mu: (1, 2), nu: (0, 1), c0: (1, 2)}, using=["CLW-L4.1", "CLW-T4.1", "CLW-T4.1b"],
)
solved.equal(
    T / (1 + T) + (u - T) / (1 + T) ** 2 - u / (1 + u), (u - T) ** 2 / ((1 + T) ** 2 * (1 + u)),
    sample={u: (0, 1), T: (2, 5)}, using=["CLW-A6"],
)
for version, words in (("1997", "solutions"), ("1999", "explicit solutions")):
    solved.textual(version=version, place="introduction", words=words, using=["CLW-T4.1", "CLW-T4.1b"])

# %% [markdown]
# ### "Within 5 % of optimal"
#
# The claim is on large $N$, so the witness is a limit. Take equal pages and $X = 1$. There the least cost is known: in turn, $1, 2, \dots, N$, attains (6), and with constant access times
# no robot at all goes below (6), so $\inf_\pi C(\pi) = C^*$. In the limit of many equal pages the gaps of the golden-ratio policy have a phase
# $s \in [1, \phi]$, and $C/C^*$ comes as close as we like to $G_s(q) = E\psi(qD_s/\sqrt5)/\psi(q)$ for every $s$, again and again as $N$ grows:

# %%
phi = (1 + sp.sqrt(5)) / 2
limit_law = [(s, (s - 1) / s), (s * phi, (s - 1 / phi) / s), (s * phi**2, (phi - s) / s)]
limit_ratio = sum(weight * psi(q * size / sp.sqrt(5)) for size, weight in limit_law) / psi(q)
within = paper.claim("CLW-A7")
within.refute(
    sp.Le(limit_ratio, sp.Rational(21, 20), evaluate=False), witness={s: sp.Rational(13, 10), q: sp.Rational(1, 20)},
    hypotheses=[s >= 1, s <= phi], using=["CLW-X.limit-law", "CLW-X.equal-pages", "CLW-S3.5", "CLW-X.constant-access"],
)

# %% [markdown]
# The true constant. In the limit of many rare pages the scaled gap law depends on a phase $s \in [1, \phi]$, with
# $E[D_s^2]/E[D_s]^2 = \frac25\phi\,s(\phi^2 - s)$ (notebook on the golden ratio); the largest value is at $s = \phi^2/2$:

# %%
constant_11 = paper.claim("CLW-A7-corrected")
constant_11.as_stated(using=["CLW-C5.1-corrected"])
