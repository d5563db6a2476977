# %% [markdown]
# # Merging pages with random phases: a rule with a guarantee
#
# The paper ends with a complaint: simple rules come close to the lower bound, but nobody could prove it of one. Here is
# a rule with a proof and an exact expected cost.
#
# Notation: $f_i$ frequencies, $\kappa = -\ln h$, $\psi(x) = x - 1 + e^{-x}$, $C^*$ the bound (6).

# %%
import itertools
import math
from fractions import Fraction

import numpy as np
import sympy as sp
from sympy.codegen.cfunctions import log1p

from claimproof import Paper
from crawlproof.kernels.symbolic import price_at_age, psi, relative_excess

paper = Paper("clw")
f, h, mu, EX, kappa, theta = sp.symbols("f h mu EX kappa theta", positive=True)
n = sp.Symbol("n", integer=True, nonnegative=True)

# %% [markdown]
# ## The rule and its gaps
#
# Give each page its own clock: page $i$ wants access at the times $(m + U_i)/f_i$, $m = 0, 1, 2, \dots$, with one random phase $U_i$, uniform on $[0, 1)$. Merge all
# these times, and access in that order. The times have density $\sum f_i = 1$, so there is one access per unit of time.
#
# Between two accesses of page $i$ lie $1/f_i$ units of time. How many times of page $j$ fall into them? In units of $1/f_j$ the interval has length
# $x = f_j/f_i$, and the times are $k + u$ with uniform $u$: the number is $\lfloor x\rfloor + 1$ if $u < \{x\}$, else $\lfloor x\rfloor$. (For $x = n/m$ the count changes only at multiples of $1/m$,
# so the midpoints between these are all cases.)

# %%
def points_inside(length, offset):
    """How many of the points offset, offset + 1, ... are below length; counted."""
    count = 0
    while offset + count < length:
        count += 1
    return count


def by_fraction(case, shift=0):
    length, offset = case
    return points_inside(length, offset) == math.floor(length) + (offset < length % 1) + shift


lengths = sorted({Fraction(a, b) for b in range(1, 13) for a in range(1, 3 * b + 1)})
cells = [(x, Fraction(2 * k + 1, 2 * x.denominator)) for x in lengths for k in range(x.denominator)]
gap = paper.claim("CLW-X.random-phase-gap")
gap.instances(
    cells, by_fraction, what="ratios of denominator up to 12, every cell of the phase",
    wrong={
        "always the floor": lambda case: points_inside(*case) == math.floor(case[0]),
        "the other part": lambda case: points_inside(*case) == math.floor(case[0]) + (case[1] > case[0] % 1),
    },
    using=[],
)

# %% [markdown]
# Seen from an access of page $i$, the next time of page $j$ is a uniform part of $1/f_j$ away, because $U_j$ is uniform and independent of $U_i$; and
# the phases of the other pages are independent of each other. So the gap is $1$ plus independent terms. Each has mean $x$, variance $\theta(1 - \theta)$ and transform
# $h^n(1 - \theta(1-h))$, for $x = n + \theta$. And $\theta(1-\theta) = x - (n + \theta^2) \le x$.

# %%
x = n + theta
two_values = [(n, 1 - theta), (n + 1, theta)]
ranges = {theta: (0, 1), h: (0, 1), n: [0, 1, 2, 5]}
gap.equal(sum(w * v for v, w in two_values), x, sample=ranges, using=[])
gap.equal(sum(w * (v - x) ** 2 for v, w in two_values), theta * (1 - theta), sample=ranges, using=[])
gap.equal(sum(w * h**v for v, w in two_values), h**n * (1 - theta * (1 - h)), sample=ranges, using=[])
gap.equal(theta * (1 - theta), x - (n + theta**2), sample=ranges, using=[])
gap.argued(
    "independent uniform phases", "modulo its spacing, the position of page j's times relative to an access of page i is U_j plus a function "
    "of U_i, hence uniform and independent of U_i; given U_i those of different pages j are independent", using=[],
)
gap.equal(1 + (1 - f) / f, 1 / f, using=[])  # the ratios f_j/f_i of the others add up to (1 - f_i)/f_i

# %% [markdown]
# The same from the definition, without probability: for rational frequencies the order depends only on where the phases lie among finitely
# many hyperplanes. Average $h^d$ over a fine enough grid of phases, with small offsets that avoid ties, and compare with the product.

# %%
def merged_gap(shares, phases, page):
    """The gap after the first access of ``page``, by sorting the wanted times."""
    begin, end = (phases[page] / shares[page], (phases[page] + 1) / shares[page])
    inside = 1
    for other, (share, phase) in enumerate(zip(shares, phases, strict=True)):
        if other != page:
            first = math.ceil(begin * share - phase)
            inside += sum(begin < (m + phase) / share < end for m in range(first, first + math.ceil(share / shares[page]) + 2))
    return inside


def grid_mean(case, value=Fraction(2, 3), finest=6):
    """The mean of value^d over a grid of phases."""
    shares, page = case
    steps = [Fraction(k, finest) for k in range(finest)]
    offsets = [Fraction(10**i, 10**4) for i in range(len(shares))]
    total = Fraction(0)
    for phases in itertools.product(steps, repeat=len(shares)):
        shifted = [phase + offset for phase, offset in zip(phases, offsets, strict=True)]
        total += value ** merged_gap(shares, shifted, page)
    return total / finest ** len(shares)


def product_form(case, value=Fraction(2, 3)):
    shares, page = case
    result = value
    for other, share in enumerate(shares):
        if other != page:
            ratio = share / shares[page]
            result *= value ** math.floor(ratio) * (1 - ratio % 1 * (1 - value))
    return result


vectors = [tuple(Fraction(part, sum(parts)) for part in parts) for parts in ((1, 1), (1, 2), (2, 3), (1, 2, 3), (1, 1, 2), (2, 2, 3))]
phase_cases = [(shares, page) for shares in vectors for page in range(len(shares))]
gap.instances(
    phase_cases, lambda case: grid_mean(case) == product_form(case), what="pages, averaged over a grid of phases",
    wrong={"no fractional parts": lambda case: grid_mean(case) == Fraction(2, 3) ** math.floor(1 / case[0][case[1]])}, using=[],
)

# %% [markdown]
# ## The guarantee
#
# Averaged over the phases a page has the gap law above, and its expected rate is $1 - \frac{f}{\mu E[X]}(1 - E h^d)$, as for any non-adaptive schedule. Theorem A gives the factor
# $E(fd)^2 = 1 + f^2\operatorname{Var}d \le 1 + f(1 - f)$:

# %%
per_page = paper.claim("CLW-X.random-phase-page")
rests = ["CLW-X.random-phase-gap", "CLW-X.theorem-A"]
per_page.equal(f**2 * ((1 - f) / f + 1 / f**2), 1 + f * (1 - f), using=rests)
per_page.equal(sp.Rational(5, 4) - (1 + f * (1 - f)), (f - sp.Rational(1, 2)) ** 2, using=rests)

# %% [markdown]
# With $c_i = c_0\mu_i$ and (10), $C/C^* \le \sum_if_iE(f_id_i)^2$. Page $i$ contributes at most $f_i + f_i^2(1-f_i)$, and the $f_i$ add up to 1:

# %%
guarantee = paper.claim("CLW-X.random-phase")
rests = ["CLW-X.random-phase-gap", "CLW-X.theorem-A-cost"]
guarantee.equal(f * f**2 * ((1 - f) / f + 1 / f**2), f + f**2 * (1 - f), using=rests)


def variance(shares, page):
    return sum(
        (share / shares[page] % 1 * (1 - share / shares[page] % 1) for other, share in enumerate(shares) if other != page), Fraction(0)
    )


def exact_factor(shares):
    """The sum of f_i E (f_i d_i)^2, which is the limit of E C/C* for rare changes and constant X."""
    return sum((share * (1 + share**2 * variance(shares, page)) for page, share in enumerate(shares)), Fraction(0))


def partitions_of(total, largest):
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in partitions_of(total - first, first):
            yield (first, *rest)


family = [tuple(Fraction(part, total) for part in parts) for total in range(2, 19) for parts in partitions_of(total, total - 1)]
guarantee.instances(
    family, lambda shares: 1 <= exact_factor(shares) <= 1 + sum(share**2 * (1 - share) for share in shares),
    what="frequency vectors with denominators up to 18",
    wrong={
        "always optimal": lambda shares: exact_factor(shares) == 1,
        "half the excess": lambda shares: exact_factor(shares) <= 1 + sum(share**2 * (1 - share) for share in shares) / 2,
    },
    using=rests,
)

# %% [markdown]
# If the largest frequency $M$ tends to 0, $\sum f_i^2 \le M\sum f_i = M$ does: asymptotically optimal in ratio, whatever the law of $X$ and however unequal the
# pages. (The golden ratio is not: its limit is up to $\phi^5/10$.)

# %%
M = sp.Symbol("M", positive=True)
guarantee.equal(M * f - f**2, f * (M - f), using=rests)  # not negative, since f <= M
guarantee.argued(
    "some phases are as good as the mean", "the cost is a function of the phases whose mean is at most the bound, so it is at most "
    "the bound somewhere", using=rests,
)

# %% [markdown]
# ## The exact expected cost
#
# $\kappa d$ has mean $\kappa/f$. Write $E h^d = e^{\ell - \kappa/f}$: the loss $\ell \ge 0$ adds up over the other pages, and each term is the logarithm of
# $(1-\theta)e^{\theta\kappa} + \theta e^{-(1-\theta)\kappa} = 1 + (1-\theta)\psi(-\theta\kappa) + \theta\psi((1-\theta)\kappa)$, in which nothing cancels. ($\psi(-a) = e^a(1 - (1+a)e^{-a})$.)

# %%
pair = (1 - theta) * sp.exp(theta * kappa) * price_at_age(theta * kappa) + theta * psi((1 - theta) * kappa)
cost = paper.claim("CLW-X.random-phase-cost")
rests = ["CLW-X.random-phase-gap", "CLW-L3.1"]
small = {theta: (0, 1), kappa: (0, 3)}
cost.equal(  # e^(theta kappa) times the transform, without the whole accesses
    sp.exp(theta * kappa) * (1 - theta * (1 - sp.exp(-kappa))), 1 + pair.rewrite(sp.exp), where=[theta < 1], sample=small, using=rests
)
loss = sp.Symbol("l", positive=True)
plain = 1 - f / (mu * EX) * (1 - sp.exp(loss - kappa / f))
stable = relative_excess(EX, kappa, mu) + f / (mu * EX) * (loss + psi(kappa / f - loss))
expected_rate = cost.equal(plain, stable.rewrite(sp.exp), sample={f: (sp.Rational(1, 2), 1), kappa: (0, 1), loss: (0, sp.Rational(1, 10))}, using=rests)

# %% [markdown]
# From the words: three pages, exponential access times, Poisson changes. Each run draws phases, merges, and looks at one interval of page 2, whose ratios to the others are not integers.

# %%
SHARES = (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5))
RATE = 0.4


def one_interval(rng, runs):
    """Time out of date and length of an interval of page 2 in a random-phase merge; X exponential with mean 1."""
    times, owners = [], []
    for page, share in enumerate(SHARES):
        wanted = (np.arange(16) + rng.random((runs, 1))) / float(share)
        times.append(wanted)
        owners.append(np.full(wanted.shape, page))
    order = np.argsort(np.concatenate(times, axis=1), axis=1)
    accesses = np.take_along_axis(np.concatenate(owners, axis=1), order, axis=1) == 1
    places = np.argsort(~accesses, axis=1, kind="stable")[:, 2:4]  # its third and fourth access
    gaps = places[:, 1] - places[:, 0]
    lengths = rng.gamma(gaps.astype(float))  # the sum of that many exponential access times
    return np.maximum(lengths - rng.exponential(1 / RATE, runs), 0.0), lengths


log_h = -math.log1p(RATE)
transform = math.exp(log_h)
unchanged = transform
for other in (0, 2):
    ratio = SHARES[other] / SHARES[1]
    unchanged *= transform ** math.floor(ratio) * (1 - float(ratio % 1) * (1 - transform))
cost.simulated(
    one_interval, 1 - float(SHARES[1]) / RATE * (1 - unchanged), seed=35, runs=300_000, what="page 2 of a random-phase merge", using=rests
)

# %%
log_laplace = sp.Symbol("lnh", negative=True)
to_log = {kappa: -log_laplace}
pair_loss = log1p(pair).subs(to_log)
logarithm_of_mean = cost.equal(  # ln of the mean of h^(v - x) over the two values v
    sp.log(sum(w * sp.exp(-kappa * (v - x)) for v, w in two_values)).subs(to_log), pair_loss,
    where=[theta < 1], sample={theta: (0, 1), log_laplace: (-3, 0)}, using=rests,
)
cost.export(
    "random_phase_pair_loss", pair_loss, of=logarithm_of_mean,
    args={"fraction": theta, "log_laplace": log_laplace},
    domain={"fraction": ">= 0 and < 1", "log_laplace": "<= 0 and >= -700"},
    describe={
        "fraction": "the fractional part of f_j/f_i, for another page j",
        "log_laplace": "ln h = ln E[exp(-mu X)] of page i",
    },
    sample={"fraction": (0, 0.999999), "log_laplace": (-700, -1e-100)}, ulps=8,
    summary="What page j adds to phase_loss, the argument of random_phase_obsolescence.",
)
cost.export(
    "random_phase_obsolescence", stable.subs(to_log), of=expected_rate.substituted(to_log),
    args={"frequency": f, "change_rate": mu, "mean_access_time": EX, "log_laplace": log_laplace, "phase_loss": loss},
    domain={"frequency": "> 0 and <= 1", "change_rate": "> 0", "mean_access_time": "> 0", "log_laplace": "< 0", "phase_loss": ">= 0"},
    describe={
        "frequency": "f, the share of accesses that go to the page",
        "change_rate": "mu, the page's changes per unit of time",
        "mean_access_time": "E[X], the mean duration of an access",
        "log_laplace": "ln h = ln E[exp(-mu X)], the log-Laplace transform of the access time at mu",
        "phase_loss": "the sum of random_phase_pair_loss over the other pages, at most -log_laplace/frequency",
    },
    sample={
        "frequency": (1e-9, 1), "load": (1e-100, 1e3), "mean_access_time": (1e-3, 1e3), "change_rate": "load/mean_access_time",
        "part": (1e-3, 1), "log_laplace": "-part*change_rate*mean_access_time", "lost": (1e-9, 0.9),
        "phase_loss": "lost*part*load/frequency",
    },
    rules=["jensen"], nonnegative=True, ulps=8,
    summary="Expected obsolescence rate of a page in a random-phase merge.",
)
