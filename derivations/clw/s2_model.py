# %% [markdown]
# # The model, and what Section 2 says about it
#
# A robot accesses the pages $1, \dots, N$ of a search engine's data base one after the other, without pause. The $n$-th
# access takes the time $X_n$ (independent copies of $X$) and goes to page $\pi_n$. Page $i$ changes at the epochs of a
# Poisson process of rate $\mu_i$; it is *up to date* from the completion of an access until its next change, and *out
# of date* from there until its next access is complete. The **obsolescence rate** $r_i$ is the fraction of time in which
# page $i$ is out of date, and the cost of a policy is $C = \sum_i c_i r_i$.
#
# This notebook goes through the definitions and the side remarks of the introduction and of Section 2. Most of them
# are harmless; but a remark that is right for a schedule *written down in advance* is often wrong for a robot that
# *reacts* to how long its accesses take, or that throws dice. The paper speaks of "any policy"; we call a policy
# **non-adaptive** if its schedule is independent of the access times and of the changes.

# %%
import itertools
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from claimproof import Paper

paper = Paper("clw")

mu, EX, h, c, s, a = sp.symbols("mu EX h c s a", positive=True)
d = sp.Symbol("d", integer=True, positive=True)
n = sp.Symbol("n", integer=True, nonnegative=True)

for name in ("CLW-I0", "CLW-P0", "CLW-P3", "CLW-P8", "CLW-P9", "CLW-P9a", "CLW-P9b"):
    paper.claim(name).definition()

# %% [markdown]
# Lemma 3.1 (next notebook) gives the mean time out of date in an interval of $d$ accesses, and with it everything that
# this notebook needs in numbers: $E[Z] = d\,E[X] - (1 - h^d)/\mu$ with $h = E[e^{-\mu X}]$.

# %%
def mean_obsolescence(distance, laplace=h, mean=EX, rate=mu):
    """E[Z] of an interval that consists of ``distance`` accesses (Lemma 3.1)."""
    return distance * mean - (1 - laplace**distance) / rate


mean_obsolescence(d)

# %% [markdown]
# And here is the robot itself, from the words of the model. It gets the completion times of its accesses to one page;
# the page changes at Poisson epochs, unaware of the robot; an interval is out of date from the first change in it.

# %%
def out_of_date(rng, intervals, rate):
    """Time out of date in each of the consecutive ``intervals`` of a page that changes at ``rate``."""
    ends = np.cumsum(intervals)
    expected = int(rate * ends[-1])
    changes = np.cumsum(rng.exponential(1 / rate, expected + 10 * int(expected**0.5) + 100))
    first = changes[np.searchsorted(changes, ends - intervals, side="right")]
    return np.maximum(ends - first, 0)


def sums_over_blocks(values, blocks):
    """Sums over ``blocks`` blocks of equal length: so long that they are nearly independent."""
    return values.reshape(blocks, -1).sum(axis=1)


# %% [markdown]
# ## Indices, distances, frequencies
#
# $n_j$ is the index of the $j$-th access to the page, $d_j = n_j - n_{j-1}$ with $n_0 = 0$, and $m_n$ counts the accesses
# to it among the first $n$. We list *all* schedules of six accesses to two or three pages and read the definitions.

# %%
schedules = [word for pages in (2, 3) for word in itertools.product(range(1, pages + 1), repeat=6)]


def indices(schedule, page):
    """n_0 = 0, n_1, n_2, ...: the indices of the accesses to ``page``."""
    return [0] + [k for k, accessed in enumerate(schedule, start=1) if accessed == page]


def counts(schedule, page):
    """m_0, m_1, ..., m_n."""
    return [0, *itertools.accumulate(int(accessed == page) for accessed in schedule)]


paper.claim("CLW-P3a").instances(
    schedules,
    lambda word: all(sum(counts(word, page)[k] for page in set(word)) == k for k in range(7)),
    wrong={
        "one page left out": lambda word: sum(counts(word, page)[6] for page in set(word) - {1}) == 6,
        "completed intervals instead of accesses": lambda word: sum(indices(word, p)[-1] for p in set(word)) == 6,
    },
    what="schedules of six accesses",
)

# %% [markdown]
# **$X_j = \sum_{k = n_{j-1}+1}^{n_j} X_k$.** Completion times are sums of access times, because the robot never rests; so the
# time between two completions is the sum over the accesses after the first of them, up to and including the second.

# %%
durations = [Fraction(1, k) for k in range(1, 7)]
completion = [Fraction(0), *itertools.accumulate(durations)]


def by_clock(word):
    marks = indices(word, 1)
    return [completion[second] - completion[first] for first, second in itertools.pairwise(marks)]


paper.claim("CLW-P1a").instances(
    schedules,
    lambda word: by_clock(word) == [sum(durations[i:j]) for i, j in itertools.pairwise(indices(word, 1))],
    wrong={
        "first access of the gap left out": lambda word: by_clock(word)
        == [sum(durations[i + 1 : j]) for i, j in itertools.pairwise(indices(word, 1))],
        "access to the page itself left out": lambda word: by_clock(word)
        == [sum(durations[i : j - 1]) for i, j in itertools.pairwise(indices(word, 1))],
    },
    what="schedules of six accesses",
)

# %% [markdown]
# ## "So the $X_j^i$ are mutually independent": only for schedules written down in advance
#
# The blocks of accesses are disjoint, and so the sums are independent **if the blocks are fixed**. Exactly, for every
# schedule: the joint law of the first two intervals of page 1 is the product of their laws.

# %%
LAW = {0: Fraction(2, 3), 1: Fraction(1, 6), 3: Fraction(1, 6)}


def joint_law(first, second, accesses=4):
    """Exact joint law of two sums of access times, over two sets of access indices."""
    law = {}
    for times in itertools.product(LAW, repeat=accesses):
        weight = np.prod([LAW[t] for t in times])
        key = (sum(times[k] for k in first), sum(times[k] for k in second))
        law[key] = law.get(key, 0) + weight
    return law


def is_product(law):
    left, right = {}, {}
    for (x, y), weight in law.items():
        left[x] = left.get(x, 0) + weight
        right[y] = right.get(y, 0) + weight
    return all(law.get((x, y), 0) == left[x] * right[y] for x in left for y in right)


two_intervals = [
    marks[:3] for word in itertools.product((1, 2), repeat=4) if len(marks := indices(word, 1)) >= 3
]
independence = paper.claim("CLW-P1")
independence.instances(
    two_intervals,
    lambda m: is_product(joint_law(range(m[0], m[1]), range(m[1], m[2]))),
    only_gross="an identity: a wrong side differs in every case",
    wrong={
        "the access between the intervals counted in both": lambda m: is_product(
            joint_law(range(m[0], m[1]), range(m[1] - 1, m[2]))
        )
    },
    what="fixed schedules of four accesses",
    given="the schedule is fixed in advance",
)

# %% [markdown]
# *A robot that throws one coin.* Let the cycle be $1, 1, 2$, so that page 1 has the distances $1, 2, 1, 2, \dots$ with
# probability $\theta$, and $2, 1, 2, 1, \dots$ otherwise. (For $\theta = 1/2$ this is stationary and ergodic.) With $X = c$
# the first two intervals add up to $3c$, whatever the coin says:

# %%
theta = sp.Symbol("theta", positive=True)
mean_first = c * (theta + 2 * (1 - theta))
mean_second = c * (2 * theta + (1 - theta))
covariance = sp.factor(2 * c**2 - mean_first * mean_second)
independence.refute(
    sp.Eq(covariance, 0, evaluate=False), witness={theta: sp.Rational(1, 2), c: 1}, hypotheses=[theta < 1]
)
covariance

# %% [markdown]
# *A robot that looks at its watch.* $X = 2$ with probability $p$, else $1$. Page 1 first; then again page 1 at once if that
# access was short, and after one access to page 2 if it was long. The second interval knows about the first:

# %%
p = sp.Symbol("p", positive=True)
mean_X = 1 + p
product_mean = (1 - p) * 1 * mean_X + p * 2 * (2 * mean_X)
means = mean_X * ((1 - p) * mean_X + p * 2 * mean_X)
watching = sp.factor(product_mean - means)
independence.refute(sp.Eq(watching, 0, evaluate=False), witness={p: sp.Rational(1, 2)}, hypotheses=[p < 1])
watching

# %% [markdown]
# What survives for every non-adaptive policy: *given the schedule*, the intervals are independent. That is what the
# later sections need, and where they need more (Theorems 3.1, 3.3, 3.4 for "any policy") they fail.
#
# ## Exponential access times: Erlang intervals
#
# The Laplace transform of the Erlang density with $d$ stages is $(\lambda/(\lambda + s))^d$: that of a sum of $d$ accesses.

# %%
lam, x = sp.symbols("lambda x", positive=True)
erlang_density = lam**d * x ** (d - 1) * sp.exp(-lam * x) / sp.factorial(d - 1)
erlang = paper.claim("CLW-P2")
erlang.equal(
    sp.integrate(erlang_density * sp.exp(-s * x), (x, 0, sp.oo)), (lam / (lam + s)) ** d,
    sample={lam: (2, 5), s: (0, 1)},
    given="the policy is non-adaptive, and the law is that given the distance",
)

# %% [markdown]
# Now a robot with $X \sim \mathrm{Exp}(1)$ that accesses page 2 after page 1, goes back to page 1 if that took less than
# $a$, and otherwise accesses page 2 once more. Given the distance $d = 2$ the interval is not Erlang with two stages: its
# mean is $E[X \mid X < a] + 1$, not $2$.

# %%
mean_given_two = sp.integrate(x * sp.exp(-x), (x, 0, a)) / sp.integrate(sp.exp(-x), (x, 0, a)) + 1
erlang.refute(
    sp.Eq(mean_given_two, 2, evaluate=False), witness={a: 1}, meets={"X exponential": "X is exponential with mean 1"},
    instance="Two pages, X exponential with mean 1. The robot goes back to page 1 after one access of page 2 if that took "
    "less than 1, else after two: given two accesses its interval has mean 1.418, not 2.",
)
sp.simplify(mean_given_two)

# %% [markdown]
# ## Which limits are required, and when they exist
#
# The 1997 report asks for the limits of $\frac1n\sum_{j \le n} Z_j$ and $\frac1n\sum_{j \le n} E[Z_j]$; equation (2) uses sums
# up to $m_n$. (One scan of the 1999 version reads $m_n^i$ in both places, the other reads $n$.) With equal distances $d$
# the first is the mean per *interval*, the second the mean per *access*, and they differ by the factor $f = 1/d$:

# %%
per_interval = mean_obsolescence(d)
paper.claim("CLW-P5").misprint(
    per_interval / d, printed=per_interval, corrected=EX - (1 - h**d) / (mu * d),
    witness={d: 2, EX: 1, mu: 1, h: sp.Rational(1, 2)}, where=[h < 1], sample={h: (0, 1)}, corners=[{d: 1}],
)
paper.claim("CLW-P5").textual(
    version="1997", place="before (2)", words="sums over j = 1 to n", should_be="sums over j = 1 to m_n",
)

# %% [markdown]
# As a *requirement* the slip is harmless. $m_n$ never jumps: it runs through all integers, so the partial sums that one
# version averages are those that the other averages, and $\frac1n\sum_{j\le m_n} = \frac{m_n}{n} \cdot \frac{1}{m_n}\sum_{j\le m_n}$ with
# $m_n/n \to f > 0$. Both limits exist or none.

# %%
paper.claim("CLW-X.limit-ranges").instances(
    schedules,
    lambda word: sorted(set(counts(word, 1))) == list(range(counts(word, 1)[-1] + 1)),
    wrong={
        "n_j instead of m_n": lambda word: sorted(set(indices(word, 1))) == list(range(indices(word, 1)[-1] + 1)),
        "m_n strictly increasing": lambda word: len(set(counts(word, 1))) == 7,
    },
    what="schedules of six accesses",
    using=["CLW-P3"],
)
sums, share = sp.symbols("S m", positive=True)
size = sp.Symbol("n_", positive=True)
paper.claim("CLW-X.limit-ranges").equal(sums / size, (share / size) * (sums / share), using=["CLW-P3"])

# %% [markdown]
# **Is it enough that $\{d_j\}$ is stationary and ergodic?** For a non-adaptive policy it is: the marks (the access times of
# the gap, the changes in it) are i.i.d. and independent of the distances, a product of an ergodic and a Bernoulli
# sequence is ergodic, and Birkhoff's theorem does the rest.

# %%
GAPS = np.array([1, 4])
SWITCH = 0.2  # the distance changes between 1 and 4 with this probability: dependent, stationary, ergodic


def markov_gaps(rng, number):
    flips = rng.random(number) < SWITCH
    flips[0] = rng.random() < 0.5
    return GAPS[np.cumsum(flips) % 2]


def robot_with_markov_gaps(rng, runs):
    gaps = markov_gaps(rng, 200 * runs)
    ends = np.cumsum(rng.exponential(1.0, gaps.sum()))[np.cumsum(gaps) - 1]
    intervals = np.diff(ends, prepend=0.0)
    return sums_over_blocks(out_of_date(rng, intervals, 0.5), runs), sums_over_blocks(intervals, runs)


half = sp.Rational(1, 2)
exponential_h = 1 / (1 + half)
mean_Z = (mean_obsolescence(1, exponential_h, 1, half) + mean_obsolescence(4, exponential_h, 1, half)) / 2
stationarity = paper.claim("CLW-P4")
stationarity.argued(
    "Birkhoff",
    "distances stationary and ergodic, marks i.i.d. and independent of them: the marked sequence is ergodic, "
    "Z_j is a function of the j-th mark with E Z <= E[d] E[X] finite, so both averages converge to E Z",
    given="the policy is non-adaptive and E[X] is finite",
).simulated(
    robot_with_markov_gaps, mean_Z / sp.Rational(5, 2), seed=4, runs=2_000,
    given="the policy is non-adaptive and E[X] is finite", using=["CLW-L3.1"],
)

# %% [markdown]
# For a robot that reacts it is not. Let $X \in \{0, L\}$ with probability $1/2$ each, $a = e^{-\mu L}$, $h = (1 + a)/2$. After
# page 1 the robot accesses page 2 once or twice:
#
# * *mode A*: twice if the first of these accesses was short, else once;
# * *mode B*: it throws a fair coin.
#
# In both modes the distances of page 1 are i.i.d., $2$ or $3$ with probability $1/2$. But the probability $E[e^{-\mu X_j}]$ that
# page 1 does not change in an interval differs:

# %%
h_two = (1 + a) / 2
unchanged_A = (a * h_two + 1 * h_two**2) / 2
unchanged_B = (h_two**2 + h_two**3) / 2
stationarity.refute(
    sp.Eq(unchanged_A, unchanged_B, evaluate=False), witness={a: sp.Rational(1, 2)}, hypotheses=[a < 1]
)
sp.factor(unchanged_A - unchanged_B)

# %% [markdown]
# Use mode A in the blocks of intervals $j \in [4^k, 2 \cdot 4^k)$ and mode B in the others. The distances never notice: they
# stay i.i.d. But the share of mode A among the first $2^M$ intervals swings between $1/3$ and $2/3$, and the averages of
# $Z_j$ and of $E[Z_j]$ with it: no limit, for a sequence of distances that is as stationary and ergodic as can be.
#
# *Figure.* The share of mode A against the number of intervals, on a logarithmic scale: a wave between $1/3$ and $2/3$ that does not die out.

# %%
intervals = np.arange(1, 4**7)
in_mode_A = np.floor(np.log2(intervals)) % 2 == 0
share_of_A = np.cumsum(in_mode_A) / intervals
figure, axis = plt.subplots(figsize=(7, 2.4))
axis.semilogx(intervals, share_of_A, color="tab:red")
axis.axhline(1 / 3, color="0.7", lw=0.8)
axis.axhline(2 / 3, color="0.7", lw=0.8)
axis.set(xlabel="number of intervals", ylabel="share of mode A", title="Stationary distances, no limit")
plt.show()

# %% [markdown]
# ## Equation (2): a ratio of limits
#
# The numerator of (2) has a limit by assumption. In the denominator, $\sum_{j\le m_n} X_j = \sum_{k \le n_{m_n}} X_k$ ends with the
# last access to the page before $n$; and $n_{m_n} \le n < n_{m_n + 1}$ with $n_m/m \to 1/f$ gives $n_{m_n}/n \to 1$: the strong
# law for the $X_k$ then gives $E[X]$. This holds for every stationary policy, adaptive or not.

# %%
def sandwich(word, shift=0):
    marks, count = [*indices(word, 1), 7], counts(word, 1)
    return all(marks[count[k]] <= k < marks[count[k] + 1] + shift for k in range(7))


ratio = paper.claim("CLW-P6")
ratio.instances(
    schedules, sandwich,
    only_gross="an identity: a wrong side differs in every case",
    wrong={"the next access one earlier": lambda word: sandwich(word, -1)},
    what="schedules of six accesses",
)
ratio.argued(
    "strong law of large numbers",
    "the access times are i.i.d. with finite positive mean whatever the schedule is, so their averages over the "
    "first n_{m_n} accesses converge to E[X], and n_{m_n}/n converges to 1",
)


def cyclic_robot(gaps, mean_uniform):
    """Page with the given cycle of distances; access times uniform on (0, 2 mean)."""

    def simulate(rng, runs):
        distances = np.tile(gaps, 50 * runs)
        ends = np.cumsum(rng.uniform(0, 2 * mean_uniform, distances.sum()))[np.cumsum(distances) - 1]
        lengths = np.diff(ends, prepend=0.0)
        return sums_over_blocks(out_of_date(rng, lengths, 1.0), runs), sums_over_blocks(lengths, runs)

    return simulate


uniform_h = (1 - sp.exp(-2)) / 2  # E exp(-X), X uniform on (0, 2)
ratio.simulated(
    cyclic_robot([1, 3], 1), sum(mean_obsolescence(g, uniform_h, 1, 1) for g in (1, 3)) / 4, seed=6, runs=2_000,
    using=["CLW-L3.1"],
)

# %% [markdown]
# The paper divides by $E[X]$ and so assumes $0 < E[X] < \infty$. If $E[X] = \infty$, then (2) reads $\infty/\infty$; the model
# is clear all the same: an interval is up to date for at most an $\mathrm{Exp}(\mu)$ time, while the mean time per access is
# infinite, so $r = 1$. The formula of Lemma 3.1 has that limit.

# %%
endless = paper.claim("CLW-X.infinite-mean")
endless.limit(1 - (1 - h**d) / (d * mu * EX), EX, sp.oo, 1, using=["CLW-L3.1"])
endless.argued(
    "strong law without a mean",
    "the up-to-date times are at most the exponential times R_j, whose average is 1/mu, while the sum of the first "
    "n access times divided by n goes to infinity",
    using=["CLW-S3.0a"],
)

# %% [markdown]
# ## Equation (3): a cycle has as many gaps as accesses, but not the first ones
#
# For a cyclic policy of length $K$ the paper sums $E[Z_j]$ over $j = 1, \dots, m_K$. But $n_0 = 0$: the first distance runs from
# the start of the process to the first access, not from the last access of the cycle. The sum of $d_1, \dots, d_{m_K}$ is the
# index of the page's last access in the cycle, less than $K$ unless that is the last access of the cycle. The gaps of a
# cycle are $d_2, \dots, d_{m_K + 1}$:
#
# The smallest case: the cycle $1, 2$ has for page 1 the distances $1, 2, 2, 2, \dots$, so the printed sum is $E[Z_1]$, with
# distance $1$, and the right one is $E[Z_2]$, with distance $2$.

# %%
cyclic = paper.claim("CLW-P7")
cyclic.misprint(
    1 - (1 - h**2) / (2 * mu * EX),
    printed=mean_obsolescence(1) / (2 * EX), corrected=mean_obsolescence(2) / (2 * EX),
    witness={h: sp.Rational(1, 2), mu: 1, EX: 1}, where=[h < 1], sample={h: (0, 1)}, using=["CLW-P6", "CLW-L3.1"],
)
cyclic.simulated(
    cyclic_robot([2], 1), mean_obsolescence(2, uniform_h, 1, 1) / 2, seed=7, runs=3_000, using=["CLW-L3.1"],
)

# %% [markdown]
# And for all cycles of at most six accesses, with the printed range as the wrong variant:

# %%
cycles = [word for length in range(1, 7) for word in itertools.product((1, 2), repeat=length) if 1 in word]


def distances_from(word, first):
    """The distances d_first, ..., in number the accesses per cycle, of the repeated word."""
    marks = indices(word * 3, 1)
    gaps = [second - before for before, second in itertools.pairwise(marks)]
    return gaps[first - 1 : first - 1 + word.count(1)]


def gaps_round_the_cycle(word):
    places = [k for k, page in enumerate(word) if page == 1]
    return sorted((after - place - 1) % len(word) + 1 for place, after in zip(places, places[1:] + places[:1], strict=True))


cyclic.instances(
    cycles, lambda word: sorted(distances_from(word, 2)) == gaps_round_the_cycle(word),
    wrong={"from the first distance on, as printed": lambda w: sorted(distances_from(w, 1)) == gaps_round_the_cycle(w)},
    what="cycles of at most six accesses",
)

# %% [markdown]
# ## Convex order and variance
#
# $g(y) = y$ and $g(y) = -y$ are convex, so the means agree; $g(y) = y^2$ gives the variances; and every increasing convex
# function is convex. We decide both orders exactly on all pairs of laws on $\{0, 1, 2, 3\}$ with probabilities $k/4$, in two
# unrelated ways: $\le_{cx}$ by the extreme convex functions $\pm y$, $(y - 1)^+$, $(y - 2)^+$ on the grid; $\le_{icx}$ by its
# definition, with all functions whose increments $0 \le a \le b \le c \le 3$ are integers (they contain the extreme ones).

# %%
laws = [
    tuple(Fraction(k, 4) for k in weights) for weights in itertools.product(range(5), repeat=4) if sum(weights) == 4
]


def expect(law, function):
    return sum(weight * function(value) for value, weight in enumerate(law))


def mean(law):
    return expect(law, lambda y: y)


def variance(law):
    return expect(law, lambda y: (y - mean(law)) ** 2)


def stop_loss(law, t):
    return expect(law, lambda y: max(y - t, 0))


increasing_convex = [
    tuple(itertools.accumulate((0, *steps))) for steps in itertools.combinations_with_replacement(range(4), 3)
]


def icx(smaller, larger):
    return all(expect(smaller, g.__getitem__) <= expect(larger, g.__getitem__) for g in increasing_convex)


def cx(smaller, larger):
    return mean(smaller) == mean(larger) and all(stop_loss(smaller, t) <= stop_loss(larger, t) for t in (1, 2))


pairs = list(itertools.product(laws, repeat=2))
convex_pairs = [pair for pair in pairs if cx(*pair)]
paper.claim("CLW-P10").instances(
    convex_pairs,
    lambda pair: mean(pair[0]) == mean(pair[1]) and variance(pair[0]) <= variance(pair[1]),
    wrong={
        "variance strictly smaller": lambda pair: variance(pair[0]) < variance(pair[1]),
        "variance larger": lambda pair: variance(pair[0]) >= variance(pair[1]),
        "variances always equal": lambda pair: variance(pair[0]) == variance(pair[1]),
    },
    what="pairs of laws in convex order",
)
y, m, t = sp.symbols("y m t", real=True)
paper.claim("CLW-P10").equal(y**2 - m**2, (y - m) ** 2 + 2 * m * (y - m))
paper.claim("CLW-P11").instances(
    pairs,
    lambda pair: icx(*pair) or not cx(*pair),
    wrong={
        "the converse": lambda pair: cx(*pair) or not icx(*pair),
        "increasing order the other way": lambda pair: icx(*pair[::-1]) or not cx(*pair),
    },
    what="pairs of laws",
)

# %% [markdown]
# "Smaller variance" must be read as "not larger": $Y \le_{cx} Y$. It is strictly smaller as soon as the laws differ, because
# $y^2 = 2\int_0^\infty (y - t)^+ dt$ for $y \ge 0$ makes the difference of the variances the area between two continuous
# stop-loss transforms, which determine their laws.

# %%
Y = sp.Symbol("Y", positive=True)
strict = paper.claim("CLW-X.strict-variance")
strict.equal(2 * sp.integrate(Y - t, (t, 0, Y)), Y**2)


def area_between(pair):
    """2∫(E(Y2 − t)⁺ − E(Y1 − t)⁺)dt: trapezia, exact because the transforms are linear between integers."""
    gap = [stop_loss(pair[1], k) - stop_loss(pair[0], k) for k in range(5)]
    return sum(left + right for left, right in itertools.pairwise(gap))


strict.instances(
    convex_pairs,
    lambda p: variance(p[1]) - variance(p[0]) == area_between(p) and (area_between(p) > 0 or p[0] == p[1]),
    wrong={
        "half the area": lambda p: 2 * (variance(p[1]) - variance(p[0])) == area_between(p),
        "never equal": lambda p: area_between(p) > 0,
    },
    what="pairs of laws in convex order",
)

# %% [markdown]
# ## The polling view of the introduction
#
# Take the robot for a server, pages for stations, accesses for switch-over times, changes for customers with zero
# service time. At its visit the server clears the station at once, so all customers of the cycle wait until the same
# moment, and the first of them waits longest: **the longest wait is the obsolescence time**. Exactly, for all sets of
# arrivals on a grid (no customer: no wait, and no obsolescence):

# %%
CYCLE = 6
arrival_sets = [
    tuple(time for time in range(CYCLE) if bits >> time & 1) for bits in range(2**CYCLE)
]


def obsolescence(arrivals):
    """By the definition of the model: from the first change to the end of the interval."""
    up_to_date = True
    total = 0
    for unit in range(CYCLE):
        up_to_date = up_to_date and unit not in arrivals
        total += not up_to_date
    return total


def waits(arrivals):
    return [CYCLE - time for time in arrivals]


paper.claim("CLW-I3").instances(
    arrival_sets, lambda arrivals: obsolescence(arrivals) == max(waits(arrivals), default=0),
    wrong={
        "shortest wait": lambda arrivals: obsolescence(arrivals) == min(waits(arrivals), default=0),
        "total wait": lambda arrivals: obsolescence(arrivals) == sum(waits(arrivals)),
    },
    what="sets of arrivals in a cycle",
)

# %% [markdown]
# With *unit buffers* (1999) only the first customer is let in, and its wait is the obsolescence time, **if there is a
# customer**. An interval without a change has the obsolescence time $0$ but no waiting time, so the two laws differ:
# $E[W] = E[Z \mid Z > 0] = E[Z]/(1 - h^d)$.

# %%
buffered = paper.claim("CLW-I4")
buffered.instances(
    [arrivals for arrivals in arrival_sets if arrivals],
    lambda arrivals: obsolescence(arrivals) == waits(arrivals)[0],
    wrong={"the last customer": lambda arrivals: obsolescence(arrivals) == waits(arrivals)[-1]},
    what="non-empty sets of arrivals in a cycle", given="the interval has a customer (Z > 0)",
)
mean_wait = mean_obsolescence(d) / (1 - h**d)
buffered.refute(
    sp.Eq(mean_wait, mean_obsolescence(d), evaluate=False),
    witness={d: 1, EX: 1, mu: 1, h: sp.Rational(1, 2)}, hypotheses=[h < 1], using=["CLW-L3.1"],
)

# %% [markdown]
# Little's law puts it right: the obsolescence *rate* is the mean number in the buffer, the rate of accepted customers
# times their mean wait.

# %%
accepted = (1 - h**d) / (d * EX)
buffered.equal(
    accepted * mean_wait, 1 - (1 - h**d) / (d * mu * EX), where=[h < 1], sample={h: (0, 1)}, using=["CLW-L3.1"],
    given="the interval has a customer (Z > 0)",
)

# %% [markdown]
# ## Is the cost an error rate?
#
# The 1999 version motivates weights: if $c_i$ is the rate at which users ask for page $i$, then $\sum c_i r_i$ is the rate of
# wrong answers. With Poisson requests, independent of the rest, it is: the mean number of requests in a stale period of
# length $z$ is $c z$ (below), so the rate is $c\,E[Z]/E[X_j] = c\,r$.

# %%
z = sp.Symbol("z", positive=True)
errors = paper.claim("CLW-I5")
errors.equal(
    sp.summation(n * (c * z) ** n * sp.exp(-c * z) / sp.factorial(n), (n, 0, sp.oo)), c * z,
    given="requests are Poisson and independent of accesses and changes",
)


def users(rng, runs):
    """One page, X = 1; users ask at Poisson epochs of rate 2; 1 for each stale answer, per unit of time."""
    units = 50 * runs
    stale = out_of_date(rng, np.ones(units), 1.0)
    requests = rng.uniform(0, units, rng.poisson(2 * units))
    interval = np.floor(requests).astype(int)
    wrong = requests - interval > 1 - stale[interval]
    return sums_over_blocks(np.bincount(interval[wrong], minlength=units), runs) / 50


errors.simulated(
    users, 2 * sp.exp(-1), seed=9, runs=20_000, using=["CLW-L3.1"],
    given="requests are Poisson and independent of accesses and changes",
)

# %% [markdown]
# But users who come in step with the robot see something else. One page, $X = 1$, $c = 1$: a user who asks at the time $u$
# after each completion gets a stale answer with probability $1 - e^{-\mu u}$, which is not $r = 1 - (1 - e^{-\mu})/\mu$.

# %%
u = sp.Symbol("u", positive=True)
errors.refute(
    sp.Eq(1 - sp.exp(-mu * u), 1 - (1 - sp.exp(-mu)) / mu, evaluate=False),
    witness={u: sp.Rational(1, 10), mu: 1}, hypotheses=[u < 1],
)
paper.claim("CLW-I5a").textual(
    version="1999", place="introduction, on the choice of weights", words="page-change rate μ",
    should_be="page-change rate μ_i",
)
