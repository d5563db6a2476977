# %% [markdown]
# # Lemma 3.1: how long a page is out of date between two accesses
#
# Coffman, Liu and Weber, Section 3, equation (5) and Lemma 3.1 (both versions print the same
# formula; the 1999 scans are garbled inside the proof, the 1997 report has it whole).
#
# Between two accesses of a page, $d$ accesses of the robot take $S = X_1 + \dots + X_d$. The page
# changes for the first time after $R$, exponential with rate $\mu$, and is out of date from then
# until the interval ends: $Z = (S - R)^+$, equation (5). With $h = E[e^{-\mu X}]$ the lemma says
#
# $$E[Z] = d\,E[X] - \frac{1 - h^d}{\mu}.$$

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from claimproof import Paper
from claimproof.session.rules import linear_expectation
from crawlproof.kernels.symbolic import chi, phi1, relative_excess

paper = Paper("clw")
mu, EX, x, z, r = sp.symbols("mu EX x z r", positive=True)
h = sp.Symbol("h", positive=True)
d = sp.Symbol("d", integer=True, positive=True)

formula = d * EX - (1 - h**d) / mu
formula

# %% [markdown]
# ## The proof's integrals
# The paper integrates the tail $P(Z > z)$ and exchanges the two integrals. What is left inside is
# elementary:

# %%
inner = sp.integrate(1 - sp.exp(-mu * (x - z)), (z, 0, x))
inner

# %%
step = paper.claim("CLW-L3.1a")
step.equal(inner, x - (1 - sp.exp(-mu * x)) / mu)

# %% [markdown]
# The same number by another way, without tails: average $(x - R)^+$ over $R$ itself.

# %%
over_changes = sp.integrate((x - r) * mu * sp.exp(-mu * r), (r, 0, x))
step.equal(over_changes, x - (1 - sp.exp(-mu * x)) / mu)

# %%
step.argued(
    "Tonelli",
    "the integrand 1 - exp(-mu (x - z)) on 0 < z < x is measurable and nowhere negative, so the order of "
    "integration over z and over the law of X_j may be exchanged for every law, whether or not its mean is finite",
)

# %% [markdown]
# ## General access times
# What is left to average is a combination of $1$, $S$ and $e^{-\mu S}$. The expectation is linear, so
# only two facts about the law of $S$ enter: $E[S] = d\,E[X]$, and $E[e^{-\mu S}] = h^d$ because the $d$
# access times are independent copies. Nothing else about $X$ matters.

# %%
S = sp.Symbol("S", positive=True)


def expectation(expression, mean=d * EX, transform=h**d):
    """E of a combination of 1, S and exp(-mu S); anything else is refused."""
    return linear_expectation(expression, S, {S: mean, sp.exp(-mu * S): transform})


lemma = paper.claim("CLW-L3.1")
lemma.equal(
    expectation(inner.subs(x, S)), formula, where=[h < 1], sample={h: (0, 1)}, corners=[{d: 1}, {d: 1000}],
)

# %% [markdown]
# That is the paper's way, with an exchange of two integrals over any law. There is a shorter one: *given* the length of the
# interval, average over the time of the change only. It needs that this time is exponential. The interval begins at a time that
# has nothing to do with the page's changes, so look at a fixed time $T$: the next $x$ are quiet if there was no change at all, or
# if the last change before $T$, the $n$-th, was at some $s$, and the next one comes after $T + x$.

# %%
n = sp.Symbol("n", integer=True, positive=True)
T, since = sp.symbols("T s", positive=True)
first_change = paper.claim("CLW-X.first-change")
nth_last = sp.integrate(
    sp.powsimp(mu**n * since ** (n - 1) / sp.factorial(n - 1) * sp.exp(-mu * since) * sp.exp(-mu * (T + x - since))), (since, 0, T)
)
quiet = sp.exp(-mu * (T + x)) * (mu * T) ** n / sp.factorial(n)
first_change.equal(nth_last, quiet, sample={n: [1, 2, 3, 7]}, using=["CLW-I0"])
first_change.equal(
    sp.exp(-mu * (T + x)) * sp.summation((mu * T) ** n / sp.factorial(n), (n, 0, sp.oo)), sp.exp(-mu * x), using=["CLW-I0"],
    sample={mu: (0, 2), T: (0, 3), x: (0, 3)},
)
lemma.equal(
    expectation(over_changes.subs(x, S)), formula, where=[h < 1], sample={h: (0, 1)}, corners=[{d: 1}],
    using=["CLW-S3.0", "CLW-X.first-change", "CLW-P1"],
)

# %% [markdown]
# ## Law by law, from nothing but the density
# The same expectation by direct integration of $E[(X_1 + \dots + X_d - R)^+]$, for seven families of
# access times. None of these uses the formula above: each averages $(s - R)^+$ over its own density.


# %%
def against_formula(direct, mean, transform, distance):
    """Direct integration against the lemma with this law's mean and transform."""
    lemma.equal(direct, formula.subs({EX: mean, h: transform, d: distance}))


a, b, nu, w = sp.symbols("a b nu w", positive=True)
p = sp.Symbol("p", positive=True)

# %% [markdown]
# **Deterministic**, $X = a$: the only average is over the time of the change.

# %%
lemma.equal(
    sp.integrate((d * a - r) * mu * sp.exp(-mu * r), (r, 0, d * a)), formula.subs({EX: a, h: sp.exp(-mu * a)})
)

# %% [markdown]
# **Exponential**, rate $\nu$: $S$ is Erlang with $d$ stages; both integrals for $d = 1, 2, 3$.

# %%
s = sp.Symbol("s", positive=True)


def erlang(stages, rate):
    return rate**stages * s ** (stages - 1) * sp.exp(-rate * s) / sp.factorial(stages - 1)


def mean_overshoot(density):
    """E[(S - R)^+] for a density on s > 0: first s beyond r, then the change time r."""
    beyond = sp.integrate(sp.expand((s - r) * density), (s, r, sp.oo))
    return sp.integrate(sp.expand(beyond * mu * sp.exp(-mu * r)), (r, 0, sp.oo))


for distance in (1, 2, 3):
    against_formula(mean_overshoot(erlang(distance, nu)), 1 / nu, nu / (nu + mu), distance)

# %% [markdown]
# **Erlang** with two stages (so $S$ has $2d$), and **gamma** with any shape $\alpha$: here $S$ is gamma
# with shape $d\alpha$, and $d$ stays symbolic.

# %%
for distance in (1, 2):
    against_formula(mean_overshoot(erlang(2 * distance, nu)), 2 / nu, (nu / (nu + mu)) ** 2, distance)

# %%
alpha = sp.Symbol("alpha", positive=True)
shape = d * alpha
gamma_density = nu**shape * s ** (shape - 1) * sp.exp(-nu * s) / sp.gamma(shape)


def gamma_mean(power, rate):
    """The integral of s^power exp(-rate s) times the gamma density's constants, by Euler's integral."""
    return nu**shape / sp.gamma(shape) * sp.gamma(shape + power) / (nu + rate) ** (shape + power)


euler = sp.integrate(s ** (alpha - 1) * sp.exp(-nu * s), (s, 0, sp.oo), conds="none")
sp.Eq(sp.Integral(s ** (alpha - 1) * sp.exp(-nu * s), (s, 0, sp.oo)), euler)

# %%
gamma_direct = gamma_mean(1, 0) - (gamma_mean(0, 0) - gamma_mean(0, mu)) / mu
lemma.equal(gamma_direct, formula.subs({EX: alpha / nu, h: (nu / (nu + mu)) ** alpha}))

# %% [markdown]
# **Uniform** on $[a, a + w]$: one, two and three accesses, integrated over the cube of access times.

# %%
u1, u2, u3 = sp.symbols("u1 u2 u3", positive=True)
uniform_transform = sp.exp(-mu * a) * (1 - sp.exp(-mu * w)) / (mu * w)
for distance in (1, 2, 3):
    direct = over_changes.subs(x, sum((u1, u2, u3)[:distance]))
    for variable in (u1, u2, u3)[:distance]:
        direct = sp.integrate(sp.expand(direct), (variable, a, a + w)) / w
    against_formula(sp.expand(direct), a + w / 2, uniform_transform, distance)

# %% [markdown]
# **Hyperexponential**, rate $\nu$ with probability $p$ and $b$ otherwise.

# %%
def hyperexponential(t):
    return p * nu * sp.exp(-nu * t) + (1 - p) * b * sp.exp(-b * t)


hyper_mean = p / nu + (1 - p) / b
hyper_transform = p * nu / (nu + mu) + (1 - p) * b / (b + mu)
one = sp.integrate(sp.expand(over_changes.subs(x, u1) * hyperexponential(u1)), (u1, 0, sp.oo))
against_formula(one, hyper_mean, hyper_transform, 1)

# %%
# Two accesses: both of rate nu, both of rate b, or one of each (a convolution of two densities).
slow, fast = mean_overshoot(sp.exp(-b * s)), mean_overshoot(sp.exp(-nu * s))
unequal = nu * b / (nu - b) * (slow - fast)
two = (
    p**2 * mean_overshoot(erlang(2, nu))
    + (1 - p) ** 2 * mean_overshoot(erlang(2, b))
    + 2 * p * (1 - p) * unequal
)
lemma.equal(
    two, formula.subs({EX: hyper_mean, h: hyper_transform, d: 2}), where=[sp.Ne(nu, b)],
    sample={p: (0, 1), nu: (0, 1), b: (2, 3)},
)

# %% [markdown]
# **Two points**, $a$ with probability $p$, $b$ otherwise, up to four accesses: a finite sum.

# %%
for distance in (1, 2, 3, 4):
    direct = sum(
        sp.binomial(distance, k) * p**k * (1 - p) ** (distance - k)
        * over_changes.subs(x, k * a + (distance - k) * b)
        for k in range(distance + 1)
    )
    transform = p * sp.exp(-mu * a) + (1 - p) * sp.exp(-mu * b)
    against_formula(direct, p * a + (1 - p) * b, transform, distance)


# %% [markdown]
# ## From the words: a robot, Poisson changes, a stopwatch
# No formula at all: draw $d = 3$ access times, let changes arrive one after the other, and add up the
# time from the first change to the end of the interval.


# %%
def watch_a_page(rng, runs, rate=0.7, distance=3):
    """Time out of date in each of ``runs`` intervals; access times are gamma (shape 2, mean 1)."""
    length = rng.gamma(2.0, 0.5, size=(runs, distance)).sum(axis=1)
    # Changes keep arriving at exponential spacings until the interval is over; the first one counts.
    first = np.full(runs, np.inf)
    clock = np.zeros(runs)
    alive = np.ones(runs, dtype=bool)
    while alive.any():
        clock[alive] += rng.exponential(1 / rate, size=alive.sum())
        alive &= clock < length
        first[alive] = np.minimum(first[alive], clock[alive])
    return np.where(np.isfinite(first), length - first, 0.0)


expected = formula.subs({EX: 1, h: (2 / (2 + mu)) ** 2, d: 3}).subs(mu, sp.Rational(7, 10))
lemma.simulated(watch_a_page, expected, seed=31, runs=300_000, what="gamma access times, d = 3")

# %% [markdown]
# ## An attempt to break it
# The corners: rare changes cost nothing, frequent ones the whole interval, and the rate of change of
# the cost at $\mu = 0$ is half the second moment, which is why laws with the same mean differ.

# %%
lemma.limit(formula.subs({EX: a, h: sp.exp(-mu * a)}), mu, 0, 0)
lemma.limit(formula.subs({EX: a, h: sp.exp(-mu * a)}), mu, sp.oo, d * a)
lemma.series(formula.subs({EX: 1 / nu, h: nu / (nu + mu)}), mu, 0, 2, mu * d * (d + 1) / (2 * nu**2))

# %% [markdown]
# Two hypotheses do the work, and each can be missing. If $E[X] = \infty$ both sides are infinite. And
# the *independence* of distance and access times is real. The lemma is printed for any page, without a word on the policy; we read it with
# Section 2, which asserts that the intervals $X_j$ are independent. That assertion is a claim of its own (CLW-P1, true under a condition), and so is (5) (CLW-S3.0b); the
# lemma rests on both, and what adaptive robots break is booked there, not a second time here. (Theorem 3.2 and the remark on even spacing are read in the same way.)
# Independence holds for policies that don't look at access times (cyclic, randomized, golden ratio), and fails
# for a robot that does. Let $X \in \{0, b\}$ with probability one half each; the robot first accesses
# another page, and once more if that took no time. The distance is then 3 or 2, but the access times
# inside it are no fresh copies of $X$:

# %%
zb = sp.Symbol("z", positive=True)  # exp(-mu b)
half = sp.Rational(1, 2)
h_two = (1 + zb) / 2
true_transform = half * 1 * h_two**2 + half * zb * h_two
lemma_transform = half * h_two**3 + half * h_two**2
paper.claim("CLW-X.lemma-3.1-adaptive").equal(
    true_transform - lemma_transform, -h_two * (1 - zb) ** 2 / 8, where=[zb < 1], sample={zb: (0, 1)}
)

# %% [markdown]
# ## What it looks like
# *Figure.* Four laws with mean 1 and a page that changes once per ten accesses: at the same mean, a more
# variable access time leaves the page out of date for longer, most of all at small distances.

# %%
distances = np.arange(1, 41)
rate = 0.1
transforms = {
    "deterministic": np.exp(-rate),
    "gamma, shape 2": (1 + rate / 2) ** -2.0,
    "exponential": 1 / (1 + rate),
    "0 or 10 (p = 1/10)": 0.9 + 0.1 * np.exp(-10 * rate),
}
figure, axis = plt.subplots(figsize=(6.4, 3.6))
for name, transform in transforms.items():
    axis.plot(distances, (distances - (1 - transform**distances) / rate) / distances, label=name)
axis.set_xlabel("distance d between accesses")
axis.set_ylabel("share of the interval out of date")
axis.set_title("E[Z] / (d E[X]) at mu E[X] = 1/10")
axis.legend()
plt.show()

# %% [markdown]
# ## The function that comes out of it
# As printed the formula loses all its digits when changes are rare: $d\,E[X]$ and $(1-h^d)/\mu$ agree
# to first order. With $\kappa = -\ln h$, $\varrho = 1 - \kappa/(\mu E[X]) \ge 0$ (Jensen), and $\varphi_1(x) = (1 - e^{-x})/x$,
# $\chi(x) = 1 - \varphi_1(x)$, it is a sum of two non-negative numbers, and no factor of it is too small for a double:
#
# $$E[Z] = d\,E[X]\,\bigl(\varrho\,\varphi_1(d\kappa) + \chi(d\kappa)\bigr).$$
#
# Nothing in it asks for an integer: whatever the law of the interval, its length enters by $E[S] = d\,E[X]$ and $E[e^{-\mu S}] = e^{d\ln h}$ only.

# %%
log_h = sp.Symbol("log_h", negative=True)
distance = sp.Symbol("distance", positive=True)
in_logs = distance * EX - (1 - sp.exp(distance * log_h)) / mu
stable = distance * EX * (relative_excess(EX, -log_h, mu) * phi1(-distance * log_h) + chi(-distance * log_h))
lemma.equal(stable, in_logs)
from_integral = lemma.equal(expectation(over_changes.subs(x, S), distance * EX, sp.exp(distance * log_h)), in_logs)
stable

# %%
lemma.export(
    "expected_obsolescence", stable, of=from_integral,
    args={"distance": distance, "change_rate": mu, "mean_access_time": EX, "log_laplace": log_h},
    domain={"distance": ">= 1", "change_rate": "> 0", "mean_access_time": "> 0", "log_laplace": "<= 0"},
    describe={
        "distance": "d, the number of accesses from one access of the page to the next",
        "change_rate": "mu, the page's changes per unit of time",
        "mean_access_time": "E[X], the mean duration of an access",
        "log_laplace": "ln h = ln E[exp(-mu X)], the log-Laplace transform of the access time at mu",
    },
    sample={
        "load": (1e-300, 1e3), "mean_access_time": (1e-3, 1e3), "distance": (1, 1e9),
        "change_rate": "load/mean_access_time", "share": (1e-6, 1),
        "log_laplace": "-share*change_rate*mean_access_time",
    },
    summary="Expected time a page is out of date between two accesses.",
    rules=["jensen"], nonnegative=True, ulps=4,
)
