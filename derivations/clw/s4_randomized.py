# %% [markdown]
# # The randomized policy: Section 4, Lemma 4.1
#
# The simplest robot that has given access frequencies $f_1, \dots, f_N$ throws a die: each access goes to
# page $i$ with probability $f_i$, whatever happened before. Section 4 of the paper finds its obsolescence
# rate (Lemma 4.1), compares it with the lower bound of Theorem 3.3 for $f \to 0$ and $f \to 1$, and then
# chooses the best frequencies (Theorem 4.1; the next notebook).
#
# Notation: $\mu$ is the change rate of the page we look at, $f$ its frequency, $h = E e^{-\mu X}$,
# $\kappa = -\ln h$, $E X = 1/\nu$ the mean access time. The 1999 version writes $1/E[X]$ where the 1997 report
# writes $\nu$; apart from that the two print the same formulas in this section.

# %%
import itertools
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from claimproof import Paper
from crawlproof.kernels.symbolic import chi, exp_moment, phi1, relative_excess

paper = Paper("clw")

mu, EX, kappa, f, x = sp.symbols("mu EX kappa f x", positive=True)
h, p = sp.symbols("h p", positive=True)
n, M = sp.symbols("n M", integer=True, positive=True)
nu = 1 / EX

# %%
paper.claim("CLW-R0").definition()

# %% [markdown]
# ## The distance between two accesses is geometric
#
# Page $i$ is avoided $n$ times in a row with probability $(1 - f)^n$. With $p = 1 - f$, the law of the distance $d$
# is the decrement of $P(d > n) = p^n$.

# %%
law = (1 - p) * p ** (n - 1)
geometric = paper.claim("CLW-R2")
geometric.equal(p ** (n - 1) - p**n, law, where=[p < 1], sample={p: (0, 1)})

# %% [markdown]
# From the words, without that shortcut: list every sequence of pages in which page $i$ comes up for the first time at
# the $n$-th access, multiply the probabilities (symbols $f_1, f_2, \dots$ with $f_N = 1 - f_1 - \dots - f_{N-1}$), and add
# up. The result must be the polynomial $f_i (1 - f_i)^{n-1}$, for each page and each $n$.

# %%
def die(pages):
    """Symbolic probabilities of the pages; the last one is what the others leave."""
    free = sp.symbols(f"f1:{pages}", positive=True)
    return (*free, 1 - sum(free))


def first_time(pages, page, length):
    """Probability, word by word, that ``page`` is accessed first at access number ``length``."""
    weights = die(pages)
    words = itertools.product(range(pages), repeat=length)
    return sp.expand(sum(
        sp.prod([weights[letter] for letter in word])
        for word in words
        if word[-1] == page and page not in word[:-1]
    ))


def agrees(formula):
    return lambda case: sp.expand(first_time(*case) - formula(die(case[0])[case[1]], case[2])) == 0


geometric.instances(
    [(pages, page, length) for pages in (2, 3) for page in range(pages) for length in range(1, 6)],
    agrees(lambda f, n: f * (1 - f) ** (n - 1)),
    what="first access times, word by word",
    wrong={
        "counted from zero": agrees(lambda f, n: f * (1 - f) ** n),
        "access and miss exchanged": agrees(lambda f, n: (1 - f) * f ** (n - 1)),
        "tail instead of law": agrees(lambda f, n: (1 - f) ** (n - 1)),
    },
)

# %% [markdown]
# ## Which sequences are i.i.d.?
#
# The paper says that $\{d_j\}$, $\{X_j\}$ and $\{Z_j\}$ are three sequences of i.i.d. variables, for each page. It means
# each of them by itself, and that is right: after each access to the page everything starts anew, because the die has
# no memory, the access times are independent, and neither have the changes a memory. (Like (5), it takes the page
# to be up to date at time 0.)
#
# We check it on a small world in exact arithmetic. Two pages, the first with $f = 2/5$; an access takes 1 or 2 units
# of time, with probabilities $1/3$ and $2/3$; a unit of time passes without a change with probability $e^{-\mu} = 1/2$.
# A *visit* is what happens up to the next access to page 1: its distance $d$, its duration $X_j$, and in how many
# full units $W_j$ the page was out of date. Play through all that can happen in two successive visits, and compare the
# joint law with the product of the laws of single visits.

# %%
ACCESS = {1: Fraction(1, 3), 2: Fraction(2, 3)}
CHOICE = {True: Fraction(2, 5), False: Fraction(3, 5)}
UNCHANGED = Fraction(1, 2)
HORIZON = 6


def histories(visits, horizon, time=0, visit=(0, 0, 0), stale=False, done=()):
    """Every history of that many visits within the horizon, as (visits, probability), step by step."""
    if len(done) == visits:
        yield done, Fraction(1)
        return
    for mine, chance in CHOICE.items():
        for duration, likely in ACCESS.items():
            if time + duration > horizon:
                continue
            for slots in itertools.product((True, False), repeat=duration):
                d, total, out = visit[0] + 1, visit[1] + duration, visit[2]
                now = stale
                for changed in slots:
                    out += now  # a full unit out of date: the change came in an earlier unit
                    now = now or changed
                weight = chance * likely * UNCHANGED**duration  # changed or not, each has probability 1/2
                rest = (0, 0, 0) if mine else (d, total, out)
                after = (*done, (d, total, out)) if mine else done
                for found, probability in histories(
                    visits, horizon, time + duration, rest, False if mine else now, after
                ):
                    yield found, weight * probability


def law_of(visits, horizon=HORIZON):
    table = {}
    for found, probability in histories(visits, horizon):
        table[found] = table.get(found, Fraction(0)) + probability
    return table


single = {found[0]: probability for found, probability in law_of(1).items()}
double = law_of(2)
pairs = [
    (first, second) for first in single for second in single if first[1] + second[1] <= HORIZON
]


def without_restart(pair):
    """A page that stays out of date after its access would show up here."""
    (first, second) = pair
    shifted = (second[0], second[1], second[1])
    return double.get(pair, 0) == single[first] * single.get(shifted, 0)


independent = paper.claim("CLW-R1")
independent.instances(
    pairs,
    lambda pair: double.get(pair, 0) == single[pair[0]] * single[pair[1]],
    what="pairs of successive visits (distance, duration, units out of date)",
    only_gross="an identity: a wrong side differs in every case",
    wrong={
        "the same visit twice": lambda pair: double.get(pair, 0) == single[pair[0]] * (pair[0] == pair[1]),
        "no restart at an access": without_restart,
    },
    using=["CLW-R0", "CLW-S3.0b"],
)

# %% [markdown]
# What is *not* true, and not needed: the pages are not independent of each other (two pages cannot both be the first
# one accessed), and $d_j$ and $X_j$ of one page are not independent (a long distance takes a long time). The cost is a
# sum over pages of expectations, so neither matters.

# %%
Ed, Ed2 = 1 / f, (2 - f) / f**2
dependent = paper.claim("CLW-X.pages-dependent")
dependent.equal(EX * Ed2 - EX * Ed * Ed, EX * (1 - f) / f**2, where=[f < 1], sample={f: (0, 1)}, using=["CLW-R2"])


def joint(weights, first, second):
    """P(page 1 is accessed first at ``first``, page 2 at ``second``), word by word."""
    words = itertools.product(range(len(weights)), repeat=max(first, second))
    return sum(
        sp.prod([weights[letter] for letter in word])
        for word in words
        if {0, 1} <= set(word) and word.index(0) + 1 == first and word.index(1) + 1 == second
    )


def product_law(weights, first, second):
    return weights[0] * (1 - weights[0]) ** (first - 1) * weights[1] * (1 - weights[1]) ** (second - 1)


thirds = (sp.Rational(1, 3),) * 3
dependent.instances(
    [(1, 2), (2, 1), (1, 3), (3, 1)],
    lambda case: joint(thirds, *case) != product_law(thirds, *case),
    what="first access times of two of three pages",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"independent": lambda case: joint(thirds, *case) == product_law(thirds, *case)},
)

# %% [markdown]
# ## Lemma 4.1
#
# First the mean intercompletion time. The partial sums up to distance $M$ have a closed form; it is checked by induction
# (value 0 for $M = 0$, and the step from $M - 1$ to $M$ adds the $M$-th term). Then the limit, for which $p = 1 - f = e^{-g}$.

# %%
g = sp.Symbol("g", positive=True)
distance_sum = EX / (1 - p) * (1 - p**M * (1 + M * (1 - p)))
mean_gap = paper.claim("CLW-L4.1a")
mean_gap.equal(
    distance_sum - distance_sum.subs(M, M - 1), (law * n * EX).subs(n, M), where=[p < 1], sample={p: (0, 1)},
    corners=[{M: 1}], using=["CLW-R2"],
)
mean_gap.exact(sp.simplify(distance_sum.subs(M, 0)), 0, using=["CLW-R2"])
mean_gap.limit(distance_sum.subs(p, sp.exp(-g)), M, sp.oo, EX / (1 - sp.exp(-g)), using=["CLW-R2"])

# %% [markdown]
# Then the mean obsolescence time: Lemma 3.1 gives $n E X - 1/\mu + h^n/\mu$ for a distance of $n$. Only the last part is new:
# a geometric sum with ratio $p h$, and $1 - p h = 1 - h + f h$.

# %%
power_sum = (1 - p) * h * (1 - (p * h) ** M) / (1 - p * h)
mean_stale = paper.claim("CLW-L4.1b")
mean_stale.equal(
    power_sum - power_sum.subs(M, M - 1), (law * h**n).subs(n, M), where=[p < 1, h < 1],
    sample={p: (0, 1), h: (0, 1)}, corners=[{M: 1}], using=["CLW-L3.1", "CLW-R2"],
)
mean_stale.exact(power_sum.subs(M, 0), 0, using=["CLW-L3.1", "CLW-R2"])

# %%
limit_power = sp.limit(power_sum.subs({p: sp.exp(-g), h: sp.exp(-kappa)}), M, sp.oo)
EZ = EX / f - 1 / mu + f * h / (1 - h + f * h) / mu
mean_stale.equal(
    EX / f - 1 / mu + limit_power.subs({kappa: -sp.log(h), g: -sp.log(1 - f)}) / mu, EZ,
    where=[f < 1, h < 1], sample={f: (0, 1), h: (0, 1)}, using=["CLW-L3.1", "CLW-R2", "CLW-L4.1a"],
)
mean_stale.equal((EX * n - 1 / mu + h**n / mu).subs(n, 1), EZ.subs(f, 1), sample={h: (0, 1)}, using=["CLW-L3.1"])
EZ

# %% [markdown]
# The long-run fraction is $E Z/E X_j$. The paper's (2) says the same: of $n$ accesses $f n$ are to the page, so
# $\frac{1}{E X}\lim \frac1n \sum_{j \le m_n} E Z_j = \frac{f\, E Z}{E X}$.

# %%
rate = 1 - f / (mu * EX) * (1 - f * h / (1 - h + f * h))
renewal = paper.claim("CLW-L4.1c")
renewal.argued(
    "strong law of large numbers",
    "Visits to the page are i.i.d. with finite means E Z <= E X_j = E X/f, so by the strong law the sums of Z_j and of "
    "X_j over the first m visits, divided by m, tend to these means almost surely, and so does their quotient.",
    using=["CLW-R1"],
)
renewal.equal(f * EZ / EX, EZ / (EX / f), where=[f <= 1], sample={f: (0, 1), h: (0, 1)}, using=["CLW-R1", "CLW-P6"])

lemma = paper.claim("CLW-L4.1")
lemma.equal(
    EZ / (EX / f), rate, where=[f <= 1, h < 1], sample={f: (0, 1), h: (0, 1)}, corners=[{f: 1}, {h: sp.Rational(1, 2)}],
    using=["CLW-L4.1a", "CLW-L4.1b", "CLW-L4.1c"],
)
rate

# %% [markdown]
# The print itself: the display in the proof writes $r_i(\rho)$, $Z_j^i(\rho)$, $X_j^i(\rho)$ for a policy $\rho$ that occurs
# nowhere else.

# %%
paper.claim("CLW-L4.1d").textual(
    version="1997", place="proof of Lemma 4.1, last display", words="r_i(ρ) = E[Z_j^i(ρ)]/E[X_j^i(ρ)]",
    should_be="r_i = E[Z_j^i]/E[X_j^i]",
).textual(
    version="1999", place="proof of Lemma 4.1, last display", words="r_i(ρ) = E[Z_j^i(ρ)]/E[X_j^i(ρ)]",
    should_be="r_i = E[Z_j^i]/E[X_j^i]",
)

# %% [markdown]
# ### From the words: a robot, a die, Poisson changes
#
# Three pages with frequencies $1/2, 3/10, 1/5$; access times are the sum of two exponentials with mean $1/2$ each;
# page 1 changes at rate $7/10$. The simulation knows nothing of $h$: it draws the pages, the access times and the change
# times, and measures for each visit how long the page was out of date.

# %%
FREQUENCIES = (sp.Rational(1, 2), sp.Rational(3, 10), sp.Rational(1, 5))
CHANGE_RATE = sp.Rational(7, 10)


def watch_page_one(rng, visits):
    """Out-of-date time and length of each of the first ``visits`` visits to page 1."""
    accesses = int(visits / float(FREQUENCIES[0]) * 1.1) + 200
    pages = rng.choice(3, size=accesses, p=[float(share) for share in FREQUENCIES])
    clock = np.cumsum(rng.exponential(0.5, size=(accesses, 2)).sum(axis=1))
    completed = clock[pages == 0][:visits]
    if len(completed) < visits:
        raise RuntimeError("too few accesses were drawn")
    begun = np.concatenate(([0.0], completed[:-1]))
    expected_changes = float(CHANGE_RATE) * clock[-1]
    changes = np.cumsum(rng.exponential(1 / float(CHANGE_RATE), size=int(expected_changes * 1.1) + 200))
    if changes[-1] < clock[-1]:
        raise RuntimeError("too few changes were drawn")
    first_change = changes[np.searchsorted(changes, begun)]
    return np.maximum(completed - first_change, 0.0), completed - begun


two_stages = {h: (1 + CHANGE_RATE / 2) ** -2, mu: CHANGE_RATE, EX: 1, f: FREQUENCIES[0]}
lemma.simulated(watch_page_one, rate.subs(two_stages), seed=41, runs=300_000, what="a robot with a die, page 1 of 3")
independent.simulated(
    lambda rng, runs: (lambda z: z[:-1:2] * z[1::2])(watch_page_one(rng, 2 * runs)[0]),
    (EZ**2).subs(two_stages), seed=42, runs=160_000, resolution=0.05, what="product of successive obsolescence times",
)

# %% [markdown]
# ## Against the lower bound
#
# The bound of Theorem 3.3 at the same frequency is $1 - \frac{f}{\mu E X}(1 - h^{1/f})$. The difference is
# $$\Delta(f) = \frac{\nu f}{\mu}\Bigl(\frac{f h}{1 - h + f h} - h^{1/f}\Bigr).$$

# %%
bound = 1 - f / (mu * EX) * (1 - h ** (1 / f))
excess = sp.simplify(rate - bound)
in_kappa = {h: sp.exp(-kappa)}
excess_kappa = f / (mu * EX) * (f * sp.exp(-kappa) / (1 - sp.exp(-kappa) + f * sp.exp(-kappa)) - sp.exp(-kappa / f))
excess

# %% [markdown]
# ### It vanishes at both ends

# %%
ends = paper.claim("CLW-R3")
ends.equal(
    (rate - bound).subs(in_kappa), excess_kappa, where=[f <= 1], sample={f: (0, 1)}, using=["CLW-L4.1", "CLW-T3.3"]
)
ends.limit(excess_kappa, f, 0, 0, using=["CLW-L4.1", "CLW-T3.3"])
ends.limit(excess_kappa, f, 1, 0, direction="-", using=["CLW-L4.1", "CLW-T3.3"])

# %% [markdown]
# ### How fast? Both printed expansions are wrong
#
# The paper gives $\frac{\nu h}{\mu} f^2$ for $f \to 0$ and $\frac{\nu h}{\mu}(1 + \ln h)(f - 1)$ for $f \to 1$. The second one cannot
# be right: for $h > 1/e$ it is negative, and the randomized policy would beat a lower bound. The limits say

# %%
at_zero = sp.simplify(sp.limit(excess_kappa / f**2, f, 0).subs(kappa, -sp.log(h)))
at_one = sp.simplify(sp.limit(excess_kappa / (f - 1), f, 1).subs(kappa, -sp.log(h)))
at_zero, at_one

# %%
printed_zero = nu * h / mu
printed_one = nu * h / mu * (1 + sp.log(h))
true_zero = nu / mu * h / (1 - h)
true_one = nu * h / mu * (1 - h + sp.log(h))
somewhere = {h: sp.Rational(1, 2), mu: 1, EX: 1}

paper.claim("CLW-R4").refute(sp.Eq(at_zero, printed_zero), witness=somewhere, hypotheses=[h < 1])
paper.claim("CLW-R5").refute(sp.Eq(at_one, printed_one), witness=somewhere, hypotheses=[h < 1])

# %%
corrected_zero = paper.claim("CLW-R4-corrected")
corrected_zero.limit(excess_kappa / f**2, f, 0, true_zero.subs(in_kappa), using=["CLW-L4.1"])
corrected_zero.limit(
    (excess_kappa - f**2 * true_zero.subs(in_kappa)) / f**3, f, 0,
    -nu / mu * (sp.exp(-kappa) / (1 - sp.exp(-kappa))) ** 2, using=["CLW-L4.1"],
)
first_term = corrected_zero.equal(f**2 * at_zero.subs(in_kappa), f**2 * true_zero.subs(in_kappa), using=["CLW-L4.1"])

# %%
corrected_one = paper.claim("CLW-R5-corrected")
last_term = corrected_one.series(
    excess_kappa, f, 1, 2, (f - 1) * true_one.subs(in_kappa), direction="-", using=["CLW-L4.1"]
)
corrected_one.limit(excess_kappa / (f - 1), f, 1, true_one.subs(in_kappa), direction="-", using=["CLW-L4.1"])
corrected_one.inequality(sp.Lt(1 - sp.exp(-kappa) - kappa, 0), on={kappa: (0, sp.oo)}, zeros={kappa: (0, 2)}, tail={kappa: 20})

# %% [markdown]
# What happened? Both printed terms are what one gets from $\frac{\nu f}{\mu}(f h - h^{1/f})$, that is, with the denominator
# $1 - h + f h$ of Lemma 4.1 lost on the way. For slowly changing pages that is no small matter: with $h = 1 - \epsilon$ the true
# coefficient for $f \to 0$ is $1/\epsilon$ times the printed one.

# %%
without_denominator = f / (mu * EX) * (f * sp.exp(-kappa) - sp.exp(-kappa / f))
slip = paper.claim("CLW-X.expansion-slip")
slip.limit(without_denominator / f**2, f, 0, printed_zero.subs(in_kappa))
slip.limit(without_denominator / (f - 1), f, 1, printed_one.subs(in_kappa), direction="-")

# %% [markdown]
# ### A closed form without cancellation, and strict positivity
#
# Near both ends $\Delta$ is a small difference of larger numbers. With $\delta = (1 - f)\kappa/f$, the part of $\kappa/f$ that
# exceeds $\kappa$, it is a product of positive factors and a sum of non-negative terms:

# %%
delta = (1 - f) * kappa / f
bracket = delta * exp_moment(1, delta) + sp.exp(-delta) * chi(kappa)
stable_excess = (
    kappa / (mu * EX) * (1 - f) * f * sp.exp(-kappa) / (f + (1 - f) * kappa * phi1(kappa)) * bracket
)
closed = paper.claim("CLW-X.excess-closed")
difference = closed.equal(
    (rate - bound).subs(in_kappa), excess_kappa, where=[f <= 1], sample={f: (0, 1)}, using=["CLW-L4.1", "CLW-T3.3"]
)
closed.equal(
    excess_kappa,
    kappa / (mu * EX) * (1 - f) * f * sp.exp(-kappa) / (f + (1 - f) * kappa * phi1(kappa))
    * (phi1(delta) - sp.exp(-delta) * phi1(kappa)),
    where=[f < 1], sample={f: (0, 1)}, using=["CLW-L4.1"],
)
closed.equal(
    phi1(delta) - sp.exp(-delta) * phi1(kappa), bracket, where=[f < 1], sample={f: (0, 1)},
)

# %% [markdown]
# Every factor is positive for $0 < f < 1$: $x\,M_1(x) = (1 - (1 + x)e^{-x})/x$ and $\chi(x) = 1 - (1 - e^{-x})/x$ are positive for
# $x > 0$. Another way to see it is Bernoulli's inequality $(1 + b)^{1/f} > 1 + b/f$ with $b = 1/h - 1$.

# %%
above = paper.claim("CLW-X.randomized-above-bound")
above.inequality(sp.Gt(1 - (1 + x) * sp.exp(-x), 0), on={x: (0, sp.oo)}, zeros={x: (0, 2)}, tail={x: 20}, using=["CLW-X.excess-closed"])
above.inequality(sp.Gt(x - 1 + sp.exp(-x), 0), on={x: (0, sp.oo)}, zeros={x: (0, 2)}, tail={x: 20}, using=["CLW-X.excess-closed"])
above.limit(excess_kappa, f, 1, 0, direction="-", using=["CLW-X.excess-closed"])

# %% [markdown]
# ## What a program should compute
#
# $1 - \frac{f}{\mu E X}(\dots)$ cancels when the page is fresh most of the time. With $\kappa$, and with
# $1 - \kappa/(\mu E X) \ge 0$ as a kernel of its own, the rate is a sum of non-negative terms.

# %%
fresh = (1 - f) * kappa * phi1(kappa)
stable_rate = relative_excess(EX, kappa, mu) + kappa / (mu * EX) * (fresh + f * chi(kappa)) / (f + fresh)
rate_kappa = rate.subs(in_kappa)
in_kernels = lemma.equal(rate_kappa, stable_rate, where=[f <= 1], sample={f: (0, 1)}, using=["CLW-L4.1a", "CLW-L4.1b", "CLW-L4.1c"])

# %%
log_h = sp.Symbol("lnh", negative=True)
to_log = {kappa: -log_h}
words = {"frequency": f, "change_rate": mu, "mean_access_time": EX, "log_laplace": log_h}
domain = {"frequency": "> 0 and <= 1", "change_rate": "> 0", "mean_access_time": "> 0", "log_laplace": "< 0"}
describe = {
    "frequency": "f, the probability that an access goes to this page",
    "change_rate": "mu, the page's changes per unit of time",
    "mean_access_time": "E[X], the mean duration of an access",
    "log_laplace": "ln h = ln E[exp(-mu X)], the log-Laplace transform of the access time at mu",
}
drawn = {
    "frequency": (1e-9, 1), "load": (1e-12, 300), "mean_access_time": (1e-3, 1e3),
    "change_rate": "load/mean_access_time", "share": (1e-3, 1),
    "log_laplace": "-share*change_rate*mean_access_time",
}
common = {"args": words, "domain": domain, "describe": describe, "sample": drawn, "rules": ["jensen"], "nonnegative": True}
lemma.export(
    "randomized_obsolescence", stable_rate.subs(to_log), of=in_kernels.substituted(to_log), ulps=8,
    summary="Fraction of time a page is out of date under the randomized policy (Lemma 4.1).", **common,
)
closed.export(
    "randomized_excess", stable_excess.subs(to_log), of=difference.substituted(to_log), ulps=8,
    summary="Randomized obsolescence rate minus the lower bound of Theorem 3.3 at the same frequency.", **common,
)
near_zero = f**2 * sp.exp(-kappa) / (mu * EX * kappa * phi1(kappa))
corrected_zero.export(
    "randomized_excess_near_zero", near_zero.subs(to_log), of=first_term.substituted(to_log), ulps=8,
    summary="First term of randomized_excess as the frequency tends to 0 (corrected expansion).", **common,
)
near_one = (1 - f) * sp.exp(-kappa) * kappa / (mu * EX) * chi(kappa)
corrected_one.export(
    "randomized_excess_near_one", near_one.subs(to_log), of=last_term.substituted(to_log), ulps=8,
    summary="First-order term of randomized_excess as the frequency tends to 1 (corrected expansion).", **common,
)

# %% [markdown]
# ## The picture
#
# *Figure.* Left: obsolescence rate against frequency for a slow and a fast page; right: how far the die is above the bound, with the corrected and the printed expansion. Spaced accesses (one in every $1/f$, drawn where $1/f$ is an integer) lie on the bound; the die stays above it.

# %%
grid = np.linspace(0.004, 1, 400)
figure, axes = plt.subplots(1, 2, figsize=(10, 3.8))
for q, colour in ((0.2, "tab:blue"), (2.0, "tab:red")):
    decay = np.exp(-q)  # constant access time 1, change rate q
    die_rate = 1 - grid / q * (1 - decay) / (1 - decay + grid * decay)
    floor = 1 - grid / q * (1 - decay ** (1 / grid))
    spaced = 1 / np.arange(1, 30)
    axes[0].plot(grid, die_rate, color=colour, label=f"randomized, μ E[X] = {q}")
    axes[0].plot(grid, floor, color=colour, ls=":", label="bound")
    axes[0].plot(spaced, 1 - spaced / q * (1 - decay ** (1 / spaced)), "o", ms=3, color=colour, label="spaced")
    axes[1].plot(grid, die_rate - floor, color=colour, label=f"Δ, μ E[X] = {q}")
    axes[1].plot(grid, (1 - grid) * decay * (q - 1 + decay) / q, color=colour, ls="--", lw=1, label="corrected, f → 1")
    axes[1].plot(grid, (grid - 1) * decay * (1 - q) / q, color=colour, ls=":", lw=1, label="printed, f → 1")
axes[0].set(xlabel="access frequency f", ylabel="obsolescence rate r", ylim=(0, 1))
axes[1].set(xlabel="access frequency f", ylabel="randomized minus bound", ylim=(-0.25, 0.35))
axes[1].axhline(0, color="k", lw=0.5)
for axis in axes:
    axis.legend(fontsize=7)
figure.tight_layout()
plt.show()
