# %% [markdown]
# # When the bound is attained, and the bound on the cost: Theorem 3.4
#
# Which frequencies allow all pages to be spaced evenly at once? Then the cost bound (6), which also has the form of an
# equation, and the conclusions at the end of Section 3.

# %%
import itertools
import math
from fractions import Fraction

import sympy as sp

from claimproof import Paper
from crawlproof.kernels.symbolic import chi, phi1, relative_excess
from crawlproof.kernels.symbolic import psi as psi_kernel

paper = Paper("clw")

mu, nu, EX, h, kappa, f, c0, d, q = sp.symbols("mu nu EX h kappa f c0 d q", positive=True)
fixed = "the policy is non-adaptive"


def psi(argument):
    return argument - 1 + sp.exp(-argument)


# %% [markdown]
# ## Gaps are integers
#
# Let $1/f = k + \theta$. The chord of $h^d$ between $k$ and $k+1$ lies below $h^d$ at *every integer* $d$: with $j = d - k$ the claim is
# $h^j - 1 + j(1-h) \ge 0$, that is, $(1-h)\sum_{i<j}(1 - h^i) \ge 0$ for $j \ge 1$ and likewise for $j \le 0$, with zeros only at
# $j = 0, 1$. So of all gap laws with mean $1/f$ the one on $k$ and $k+1$ is best.

# %%
theta, k = sp.symbols("theta k", positive=True)
values = [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]
integer_bound = paper.claim("CLW-X.integer-bound")
integer_bound.instances(
    itertools.product(range(-6, 9), values),
    lambda case: (case[1] ** case[0] - 1 + case[0] * (1 - case[1]) > 0) == (case[0] not in (0, 1)),
    wrong={
        "zero only at 0": lambda case: (case[1] ** case[0] - 1 + case[0] * (1 - case[1]) > 0) == (case[0] != 0),
        "half the slope": lambda case: case[1] ** case[0] - 1 + case[0] * (1 - case[1]) / 2 >= 0,
    },
    what="chords at offsets -6 to 8, h = 1/10, 1/2, 9/10",
)
two_gaps = (1 - theta) * sp.exp(-kappa * k) + theta * sp.exp(-kappa * (k + 1))
integer_bound.equal(  # the second inequality: what the chord loses is the page-loss formula, zero only for theta = 0
    two_gaps,
    sp.exp(-kappa * (k + theta)) * (1 + (1 - theta) * psi(-kappa * theta) + theta * psi(kappa * (1 - theta))),
    where=[theta < 1], sample={theta: (0, 1), kappa: (0, 1), k: [1, 2, 5]}, using=["CLW-X.tangent-exp", "CLW-X.page-loss"],
)


def regular(share, length):
    """The regular binary sequence: access n is one of the page when floor(n f) grows."""
    return [math.floor(n * share) > math.floor((n - 1) * share) for n in range(1, length + 1)]


def cyclic_gaps(word, letter):
    places = [place for place, seen in enumerate(word) if seen == letter]
    return [there - here for here, there in zip(places, [*places[1:], places[0] + len(word)], strict=True)]


def best_possible(gaps, share, spread=0):
    """Only gaps floor(1/f) and ceil(1/f)."""
    return min(gaps) >= math.floor(1 / share) and max(gaps) <= math.ceil(1 / share) - spread


shares = [Fraction(n, m) for m in range(2, 31) for n in range(1, m) if math.gcd(n, m) == 1]
integer_bound.instances(
    shares, lambda share: best_possible(cyclic_gaps(regular(share, share.denominator), True), share),
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"equal gaps": lambda share: best_possible(cyclic_gaps(regular(share, share.denominator), True), share, 1)},
    what="regular sequences with frequencies of denominator up to 30",
)

# %% [markdown]
# For two pages the accesses of the *other* page are regular too, which is why these sequences are promising:

# %%
paper.claim("CLW-S3.15").instances(
    shares,
    lambda share: best_possible(cyclic_gaps(regular(share, share.denominator), True), share)
    and best_possible(cyclic_gaps(regular(share, share.denominator), False), 1 - share),
    wrong={
        "equal gaps for the other page": lambda share: best_possible(
            cyclic_gaps(regular(share, share.denominator), False), 1 - share, 1
        ),
        "the same gaps for both": lambda share: best_possible(
            cyclic_gaps(regular(share, share.denominator), False), share
        ),
    },
    what="two pages, frequencies of denominator up to 30", using=["CLW-X.integer-bound", "CLW-S3.3"],
)

# %% [markdown]
# ## All pages at once
#
# By the page-loss formula the bound is attained for all pages exactly when each page has asymptotically constant gaps $p_i = 1/f_i$.
# Long stretches of the schedule are then free of other gaps, and there page $i$ occupies one residue class modulo
# $p_i$: the classes partition the integers. We enumerate all partitions of $\mathbb Z_{12}$ into residue classes.

# %%
def exact_covers(cycle, allowed=None):
    """All partitions of the integers modulo ``cycle`` into residue classes, as tuples of moduli."""
    moduli = [m for m in (allowed or range(1, cycle + 1)) if cycle % m == 0]

    def extend(free):
        if not free:
            yield ()
            return
        first = min(free)
        for modulus in moduli:
            places = set(range(first % modulus, cycle, modulus))
            if places <= free:
                for rest in extend(free - places):
                    yield (modulus, *rest)

    return sorted({tuple(sorted(cover)) for cover in extend(frozenset(range(cycle)))})


covers = exact_covers(12)
attained = paper.claim("CLW-X.attained-iff")
attained.instances(
    [cover for cover in covers if len(cover) > 1],
    lambda cover: cover.count(max(cover)) >= 2
    and all(math.gcd(a, b) > 1 for a, b in itertools.combinations(cover, 2))
    and sum(Fraction(1, m) for m in cover) == 1,
    wrong={
        "all moduli equal": lambda cover: len(set(cover)) == 1,
        "the smallest modulus twice": lambda cover: cover.count(min(cover)) >= 2,
        "moduli divide each other": lambda cover: all(
            max(a, b) % min(a, b) == 0 for a, b in itertools.combinations(cover, 2)
        ),
    },
    what="partitions of the integers modulo 12 into residue classes, by their moduli",
)
attained.argued(
    "constant gaps are residue classes",
    "if asymptotically all gaps of page i are 1/f_i, there are arbitrarily long stretches without another gap for any "
    "page; in a stretch of length lcm(p_i) the pages are residue classes that partition it, and that repeats",
    using=["CLW-X.page-loss"],
)
attained.argued(
    "Mirsky and Newman; Chinese remainders",
    "1/(1-z) = sum of z^r/(1-z^p) has no pole at a primitive root of unity of the largest modulus on the left, so at "
    "least two terms on the right have one; classes with coprime moduli meet",
)

# %% [markdown]
# So "only in special cases" is right. Among all frequencies $n_i/m$, $m \le 12$, of two or three pages these are
# the only ones:

# %%
def frequencies(pages):
    found = set()
    for m in range(pages, 13):
        for parts in itertools.product(range(1, m), repeat=pages):
            if sum(parts) == m:
                found.add(tuple(sorted(Fraction(part, m) for part in parts)))
    return sorted(found)


def attainable(shares_of_pages):
    """Whether disjoint residue classes with these frequencies exist (tried in all positions)."""
    if any(share.numerator != 1 for share in shares_of_pages):
        return False
    moduli = [share.denominator for share in shares_of_pages]
    return any(
        all((a - b) % math.gcd(m, n) for (a, m), (b, n) in itertools.combinations(zip(start, moduli, strict=True), 2))
        for start in itertools.product(*map(range, moduli))
    )


half, third, quarter = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
special = {(half, half), (third, third, third), (quarter, quarter, half)}
special_cases = paper.claim("CLW-S3.4")
special_cases.instances(
    frequencies(2) + frequencies(3), lambda shares_of_pages: attainable(shares_of_pages) == (shares_of_pages in special),
    wrong={
        "all frequencies 1/p": lambda s: attainable(s) == all(share.numerator == 1 for share in s),
        "equal frequencies only": lambda s: attainable(s) == (len(set(s)) == 1),
        "all": attainable,
    },
    what="frequencies with denominators up to 12 of two or three pages", using=["CLW-X.attained-iff"],
    given=fixed,
)

# %% [markdown]
# A robot that watches its clock needs no special frequency. Access page 1 exactly after each long access ($X = L$ with
# probability $p$, else $0$; $a = 1 - e^{-\mu L}$): then $f = p$, and it finds $p(a - p(1-p)a^2)$ changes per access where the bound allows
# $p(1 - (1-pa)^{1/p})$. For $p = \frac25$, which is not $1/$integer and so out of reach for any fixed schedule, it finds more. (The notebook on such robots
# has one that is below the bounds of all its pages at once.)

# %%
p, a = sp.symbols("p a", positive=True)
special_cases.refute(
    sp.Lt(p * (a - p * (1 - p) * a**2), p * (1 - (1 - p * a) ** (1 / p)), evaluate=False),
    witness={p: sp.Rational(2, 5), a: sp.Rational(1, 2)}, hypotheses=[p < 1, a < 1], using=["CLW-X.adaptive-page", "CLW-X.adaptive-all"],
)

# %%
paper.claim("CLW-X.no-even-spacing").instances(
    itertools.product(range(2), range(3)),
    lambda start: any(place % 2 == start[0] and place % 3 == start[1] for place in range(6)),
    wrong={"within three places": lambda start: any(n % 2 == start[0] and n % 3 == start[1] for n in range(3))},
    what="positions of the classes modulo 2 and 3: they always meet",
)

# %% [markdown]
# The two examples of the paper. Equal frequencies, in turn: all gaps are $N$. Powers of one half: give page $i$ the numbers whose
# *reversed* binary digits begin with the page's code word; Kraft's equality makes the words a complete prefix code.

# %%
N = sp.Symbol("N", integer=True, positive=True)


def bound(frequency, transform=h):
    return 1 - frequency / (mu * EX) * (1 - transform ** (1 / frequency))


in_turn = paper.claim("CLW-S3.5")
in_turn.equal((N * EX - (1 - h**N) / mu) / (N * EX), bound(1 / N), where=[h < 1], sample={h: (0, 1), N: [1, 2, 3, 10]})


def kraft(levels, room=Fraction(1), least=0):
    """All non-decreasing k_1, k_2, ... <= levels with sum of 2^-k equal to ``room``."""
    if room == 0:
        yield ()
    for level in range(least, levels + 1):
        if Fraction(1, 2**level) <= room:
            for rest in kraft(levels, room - Fraction(1, 2**level), level):
                yield (level, *rest)


def dyadic_schedule(exponents, reverse=True):
    """One cycle of length 2^max; page i has the code word that follows its predecessors'."""
    depth = max(exponents)
    cycle, start = [None] * 2**depth, 0
    for page, exponent in enumerate(exponents):
        for number in range(start, start + 2 ** (depth - exponent)):
            place = int(format(number, f"0{depth}b")[::-1], 2) if reverse and depth else number
            cycle[place] = page
        start += 2 ** (depth - exponent)
    return cycle


def evenly(exponents, reverse=True):
    cycle = dyadic_schedule(exponents, reverse)
    return all(set(cyclic_gaps(cycle, page)) == {2**exponent} for page, exponent in enumerate(exponents))


powers = paper.claim("CLW-S3.6")
powers.instances(
    list(kraft(4)), evenly, wrong={"without reversing the digits": lambda exponents: evenly(exponents, reverse=False)},
    what="lists of exponents up to 4 with frequencies that add up to 1",
)
powers.argued(
    "reversed code words", "numbers whose reversed digits begin with a word of k digits are a residue class modulo 2^k; "
    "sorted exponents with Kraft's equality give a complete prefix code", using=["CLW-X.page-loss"],
)

# %% [markdown]
# ## Theorem 3.4 as an equation
#
# With $c_i = c_0\mu_i$ every page may use the *same* tangent, at $Q = \sum\kappa_i$. Since $\sum f_iE[\kappa_id_i] = Q$,
# $$ C = c_0\Bigl(\mu - \nu + \nu\prod h_i\Bigr) + c_0\nu e^{-Q}\sum_if_i\,E\,\psi(\kappa_id_i - Q). $$
# No multipliers, no convexity in $x$. Two pages, the first with two different gaps:

# %%
mu1, mu2, k1, k2, g1, g2, w = sp.symbols("mu1 mu2 kappa1 kappa2 d1 d2 w", positive=True)
f1 = 1 / (w * g1 + (1 - w) * g2)
f2 = 1 - f1
Q = k1 + k2
fresh = f1 * (1 - w * sp.exp(-k1 * g1) - (1 - w) * sp.exp(-k1 * g2)) + f2 * (1 - sp.exp(-k2 / f2))
cost = c0 * (mu1 * (1 - nu / mu1 * (fresh - f2 * (1 - sp.exp(-k2 / f2)))) + mu2 * (1 - nu / mu2 * f2 * (1 - sp.exp(-k2 / f2))))
losses = f1 * (w * psi(k1 * g1 - Q) + (1 - w) * psi(k1 * g2 - Q)) + f2 * psi(k2 / f2 - Q)
printed = c0 * (mu1 + mu2 - nu + nu * sp.exp(-k1) * sp.exp(-k2))
ranges = {w: (0, 1), g1: (2, 3), g2: (3, 5), k1: (0, 1), k2: (0, 1)}
cost_loss = paper.claim("CLW-X.cost-loss")
cost_loss.equal(cost, printed + c0 * nu * sp.exp(-Q) * losses, where=[w < 1, g1 > 1, g2 > 1], sample=ranges)

# %% [markdown]
# So (6) holds for non-adaptive schedules. The print says "any scheduling policy", and Section 2 restricts policies by the existence of limits only. The robot of the notebook on adaptive policies goes below it
# (its intervals depend on each other, so the authors could reply that Section 2 takes them to be independent; for (6) we give no witness with independent intervals, for Theorem 3.3 we do): with
# $p = \frac1{10}$, $a_1 = \frac9{10}$, $a_2 = \frac3{10}$, $\nu = 1/(pL)$ its cost is $c_0(\mu - \nu D)$ with
# $D = p(a_1 + a_2) - p^2(a_2^2 + pa_1^2)/(1+p)$ changes found per access.

# %%
a1, a2, L = sp.symbols("a1 a2 L", positive=True)
total_rate = (-sp.log(1 - a1) - sp.log(1 - a2)) / L
found = p * (a1 + a2) - p**2 * (a2**2 + p * a1**2) / (1 + p)
adaptive_cost = c0 * (total_rate - found / (p * L))
bound_6 = c0 * (total_rate - 1 / (p * L) + (1 - p * a1) * (1 - p * a2) / (p * L))
robot = {p: sp.Rational(1, 10), a1: sp.Rational(9, 10), a2: sp.Rational(3, 10), L: 1, c0: 1}
proper = [p < 1, a1 < 1, a2 < 1]
theorem, relaxed = paper.claim("CLW-T3.4"), paper.claim("CLW-T3.4a")
for claim in (theorem, relaxed):  # with these weights (6) is the value of (7)
    claim.refute(
        sp.Ge(adaptive_cost, bound_6, evaluate=False), witness=robot, hypotheses=proper, using=["CLW-X.adaptive-chain"]
    )
theorem.equal(
    cost - c0 * nu * sp.exp(-Q) * losses, printed, where=[w < 1, g1 > 1, g2 > 1], sample=ranges, given=fixed,
    using=["CLW-X.cost-loss", "CLW-X.tangent-exp"],
)
theorem.argued(
    "the losses are not negative", "psi >= 0, and (6) is positive", given=fixed,
    using=["CLW-X.cost-loss", "CLW-X.tangent-exp", "CLW-T3.4k"],
)
relaxed.argued(
    "Theorem 3.3, page by page", "the frequencies of a policy are feasible in (7), and each rate is at least its bound",
    given=fixed, using=["CLW-T3.3", "CLW-P3"],
)
x = sp.Symbol("x", positive=True)
relaxed.limit(  # a page with frequency 0 is out of date all the time, as the objective says
    1 - nu * x / mu * (1 - sp.exp(-kappa / x)), x, 0, 1, given=fixed, using=["CLW-T3.3"],
)

# %% [markdown]
# The steps at the end of the paper's proof: at (10) all $h_i^{1/x_i}$ are $e^{-Q}$.

# %%
k3, mu3 = sp.symbols("kappa3 mu3", positive=True)
rates, kappas = (mu1, mu2, mu3), (k1, k2, k3)
S = sum(kappas)
objective = sum(
    c0 * m * (1 - nu / m * (c / S) + nu / m * (c / S) * sp.exp(-c / (c / S))) for m, c in zip(rates, kappas, strict=True)
)
value = paper.claim("CLW-T3.4i")
value.equal(objective, c0 * (sum(rates) - nu + nu * sp.exp(-k1) * sp.exp(-k2) * sp.exp(-k3)))

# %%
y = sp.Symbol("y", positive=True)
u1, u2 = sp.symbols("u1 u2", positive=True)
product = paper.claim("CLW-T3.4j")
product.inequality(sp.Gt(sp.exp(-y), 1 - y, evaluate=False), on={y: (0, sp.oo)}, zeros={y: (0, 2)})
product.equal(  # independence, for a law on {u1, u2}: the mean of the product over all four outcomes
    (w * sp.exp(-mu1 * u1) + (1 - w) * sp.exp(-mu1 * u2)) * (w * sp.exp(-mu2 * u1) + (1 - w) * sp.exp(-mu2 * u2)),
    w**2 * sp.exp(-mu1 * u1 - mu2 * u1) + w * (1 - w) * sp.exp(-mu1 * u1 - mu2 * u2)
    + w * (1 - w) * sp.exp(-mu1 * u2 - mu2 * u1) + (1 - w) ** 2 * sp.exp(-mu1 * u2 - mu2 * u2),
    where=[w < 1], sample={w: (0, 1)},
)
product.argued("strictness", "E[X] > 0, so the sum is positive with positive probability, where the inequality is strict")
P = sp.Symbol("P", positive=True)
positive = paper.claim("CLW-T3.4k")
more = sp.Symbol("y", positive=True)  # by how much the product exceeds 1 - mu/nu, positive by the line before
positive.equal((mu - nu + nu * P).subs(P, 1 - mu / nu + more), nu * more, using=["CLW-T3.4j"])

# %% [markdown]
# ## Forms without cancellation
#
# With $\varphi_1(x) = (1 - e^{-x})/x$, $\chi = 1 - \varphi_1$ and $\rho = E[X] - \kappa/\mu \ge 0$ (Jensen):

# %%
rho = EX - kappa / mu


def share_form(argument):
    return chi(argument).rewrite(sp.exp) + rho / EX * phi1(argument).rewrite(sp.exp)


stable_bound = paper.claim("CLW-X.stable-bound")
bound_share = stable_bound.equal((EX - f / mu + f / mu * sp.exp(-kappa / f)) / EX, share_form(kappa / f))
share = paper.claim("CLW-X.gap-share")
share.equal(  # the rate of a cycle of two gaps is the mean of the shares weighted with the gaps
    1 - (2 - sp.exp(-kappa * g1) - sp.exp(-kappa * g2)) / (mu * EX * (g1 + g2)),
    (g1 * share_form(kappa * g1) + g2 * share_form(kappa * g2)) / (g1 + g2),
)
gap_share = share.equal((d * EX - (1 - sp.exp(-kappa * d)) / mu) / (d * EX), share_form(kappa * d))
Qs, excess = sp.symbols("Q e", positive=True)
stable_cost = paper.claim("CLW-X.stable-cost")
stable_cost.equal(c0 * (mu - 1 / EX + sp.exp(-Qs) / EX), c0 / EX * (psi_kernel(Qs).rewrite(sp.exp) + (mu * EX - Qs)))
with_excess = c0 * ((Qs + excess) / EX - 1 / EX + sp.exp(-Qs) / EX)  # mu = (Q + e)/E[X]
cost_with_excess = stable_cost.equal(with_excess, c0 / EX * (psi_kernel(Qs).rewrite(sp.exp) + excess))

# %% [markdown]
# These become functions for users. A page is described by its change rate, $E[X]$ and $\ln h$; the excess $e = \sum(\mu_iE[X] - \kappa_i)$ is an argument of
# the cost, because only the caller can add it up page by page without cancellation.

# %%
log_h = sp.Symbol("lnh", negative=True)
to_log = {kappa: -log_h}
page_words = {"change_rate": mu, "mean_access_time": EX, "log_laplace": log_h}
page_domain = {"change_rate": "> 0", "mean_access_time": "> 0", "log_laplace": "<= 0"}
page_describe = {
    "change_rate": "mu, the page's changes per unit of time",
    "mean_access_time": "E[X], the mean duration of an access",
    "log_laplace": "ln h = ln E[exp(-mu X)], the log-Laplace transform of the access time at mu",
}
page_sample = {
    "load": (1e-200, 1e3), "mean_access_time": (1e-3, 1e3), "change_rate": "load/mean_access_time", "part": (1e-6, 1),
    "log_laplace": "-part*change_rate*mean_access_time",
}


def stable_form(argument):
    """The share of time out of date in terms of kernels."""
    return (chi(argument) + relative_excess(EX, kappa, mu) * phi1(argument)).subs(to_log)


stable_bound.export(
    "obsolescence_bound", stable_form(kappa / f), of=bound_share.substituted(to_log), args={"frequency": f, **page_words},
    domain={"frequency": "> 0 and <= 1", **page_domain},
    describe={"frequency": "f, the share of accesses that go to the page", **page_describe},
    sample={"frequency": (1e-9, 1), **page_sample}, rules=["jensen"], nonnegative=True, ulps=8,
    summary="LB(f): no schedule that ignores the access times keeps a page out of date for a smaller fraction of time.",
)
share.export(
    "gap_obsolescence", stable_form(kappa * d), of=gap_share.substituted(to_log), args={"distance": d, **page_words},
    domain={"distance": "> 0", **page_domain},
    describe={
        "distance": "d, accesses from one access of the page to the next; the rate of a sequence of gaps is the mean of "
        "this share over its gaps, weighted with the gaps", **page_describe,
    },
    sample={"distance": (1, 1e9), **page_sample}, rules=["jensen"], nonnegative=True, ulps=8,
    summary="Expected share of a gap between two accesses in which the page is out of date.",
)
stable_cost.export(
    "bound_cost", c0 / EX * (psi_kernel(Qs) + excess), of=cost_with_excess,
    args={"cost_per_change": c0, "mean_access_time": EX, "total": Qs, "total_excess": excess},
    domain={"cost_per_change": "> 0", "mean_access_time": "> 0", "total": ">= 0", "total_excess": ">= 0"},
    describe={
        "cost_per_change": "c_0, where page i has weight c_i = c_0 mu_i",
        "mean_access_time": "E[X], the mean duration of an access",
        "total": "Q, the sum of -ln h_i over the pages",
        "total_excess": "e, the sum of mu_i E[X] + ln h_i over the pages, 0 for a constant access time",
    },
    sample={"cost_per_change": (1e-6, 1e6), "mean_access_time": (1e-3, 1e3), "total": (1e-150, 1e3), "part": (1e-9, 1e3),
            "total_excess": "part*total"},
    ulps=8, summary="The bound (6) on the cost of any schedule that ignores the access times, c_i = c_0 mu_i.",
)

# %% [markdown]
# ## The conclusions of Section 3
#
# The next sections are announced under the wrong numbers. (That coming close to the bounds is coming close to the least
# cost is taken up in the notebook on robots that watch their clock.)

# %%
for version in ("1997", "1999"):
    paper.claim("CLW-S3.13").textual(
        version=version, place="end of Section 3", words="randomized: Section 5, golden ratio: Section 6",
        should_be="randomized: Section 4, golden ratio: Section 5",
    )

# %% [markdown]
# *Within 5 %.* In the limit of many rare pages the gap law of the golden-ratio policy has a phase $s$, and
# $C/C^* \to G_s(q) = E\psi(qD_s/\sqrt5)/\psi(q)$; equal pages come as close as we like to every $s \in [1, \phi]$.

# %%
s = sp.Symbol("s", positive=True)
phi = (1 + sp.sqrt(5)) / 2
law = [(s, (s - 1) / s), (s * phi, (s - 1 / phi) / s), (s * phi**2, (phi - s) / s)]
G = sum(weight * psi(q * size / sp.sqrt(5)) for size, weight in law) / psi(q)
five = paper.claim("CLW-S3.14")
five.refute(
    sp.Le(G, sp.Rational(21, 20), evaluate=False), witness={s: sp.Rational(13, 10), q: sp.Rational(1, 20)},
    hypotheses=[s >= 1, s <= phi], using=["CLW-X.limit-law", "CLW-X.equal-pages"],
)
eleven = paper.claim("CLW-S3.14-corrected")
rests = ["CLW-C5.1-corrected"]
eleven.equal(
    sum(weight * size**2 for size, weight in law) / 5, phi**5 / 10 - sp.Rational(2, 5) * phi * (s - phi**2 / 2) ** 2,
    where=[s < 2], sample={s: (1, sp.Rational(8, 5))}, using=rests,
)
eleven.limit(G.subs(s, phi**2 / 2), q, 0, phi**5 / 10, using=rests)
eleven.exact(sp.expand(phi**5 / 10), (11 + 5 * sp.sqrt(5)) / 20, using=rests)
