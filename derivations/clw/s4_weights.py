# %% [markdown]
# # The best randomized policy: Theorem 4.1, all weights, and the pages that drop out
#
# Problem (12): minimise $\sum_i c_i r_i$ over the frequencies of the randomized policy. With $b = 1/h - 1$ a page costs
# $c\,\bigl(1 - \frac{\nu}{\mu}\frac{x b}{x + b}\bigr)$: its *gain* is a parallel sum of $x$ and $b$. That makes everything short.

# %%
import itertools
from fractions import Fraction

import matplotlib.pyplot as plt
import sympy as sp
from sympy.codegen.cfunctions import log1p

from claimproof import Paper
from crawlproof.kernels.symbolic import chi, phi1, psi

paper = Paper("clw")
mu, nu, c, c0, h, x, y, lam = sp.symbols("mu nu c c0 h x y lambda", positive=True)
b, s, t, S, X1, B1, x2, b2, U, Q, q = sp.symbols("b s t S X1 B1 x2 b2 U Q q", positive=True)
# Ranges of different length keep two symbols from being drawn equal, where a mutant would divide by zero.
symbols = (mu, nu, c, c0, x, y, lam, b, s, t, S, X1, B1, x2, b2, U, Q, q)
ranges = {symbol: (0, 2 + k) for k, symbol in enumerate(symbols)}
unit = ranges | {h: (0, 1)}
in_b = {h: 1 / (1 + b)}

# %% [markdown]
# ## The problem (12) and its derivatives

# %%
rate = 1 - nu * x / mu * (1 - x * h / (1 - h + x * h))  # Lemma 4.1 at frequency x
page = c - nu * c * x / mu + nu * c / mu * x**2 * h / (1 - h + x * h)  # one page of (12), as printed
paper.claim("CLW-T4.1c").equal(page, c * rate, where=[h < 1], sample=unit, using=["CLW-L4.1"])

# %%
second = 2 * nu * c / mu * h * (1 - h) ** 2 / (1 - h + h * x) ** 3
convex = paper.claim("CLW-T4.1d")
convex.equal(sp.diff(page, x, 2), second, where=[h < 1], sample=unit, using=[])
convex.equal(second.subs(in_b), 2 * nu * c / mu * b**2 / (b + x) ** 3, using=[], sample=ranges)
bregman = nu * c / mu * b**2 * (y - x) ** 2 / ((b + x) ** 2 * (b + y))
convex.equal((page.subs(x, y) - page - sp.diff(page, x) * (y - x)).subs(in_b), bregman, using=[], sample=ranges)

# %% [markdown]
# The second derivative is positive for $x \ge 0$, and the objective is a sum over pages, so it is strictly convex for every
# $N$. (Only for $x > -b$: beyond the pole it is not.)

# %%
printed_13 = -c * nu / mu + c * nu / mu * (2 * h * (1 - h) * x + h**2 * x**2) / (1 - h + h * x) ** 2 + lam
paper.claim("CLW-T4.1f").equal(sp.diff(page + lam * (x - 1), x), printed_13, where=[h < 1], sample=unit)
paper.claim("CLW-T4.1f2").equal(sp.diff(page + lam * (X1 + x - 1), lam), X1 + x - 1, sample=unit)
squared = lam * mu * (1 - h + h * x) ** 2 - nu * c * (1 - h) ** 2
paper.claim("CLW-T4.1g").equal(printed_13 * mu * (1 - h + h * x) ** 2, squared, where=[h < 1], sample=unit)

# %% [markdown]
# So $\lambda > 0$, and of the two roots only the positive one has $x \ge 0$: with $k = \sqrt{\nu c/(\lambda\mu)}$ the difference of squares is

# %%
k = sp.sqrt(nu * c / (lam * mu))
left = (1 - h + h * x) / (1 - h)
paper.claim("CLW-T4.1g2").equal(
    squared / (lam * mu * (1 - h) ** 2), (left - k) * (left + k), where=[h < 1], sample=unit
)
x15 = (k - 1) * (1 - h) / h
paper.claim("CLW-T4.1h").equal(left.subs(x, x15), k, where=[h < 1], sample=unit)

# %% [markdown]
# ## Theorem 4.1 in two lines
#
# With $c_i = c_0\mu_i$ the gain is $\sum_i x_i b_i/(x_i + b_i)$. Two pages are never better than one page with the sums:

# %%
gain = x * b / (x + b)
merged = (X1 + x2) * (B1 + b2) / (X1 + x2 + B1 + b2)
square = (X1 * b2 - x2 * B1) ** 2 / ((X1 + B1) * (x2 + b2) * (X1 + x2 + B1 + b2))
two_pages = X1 * B1 / (X1 + B1) + x2 * b2 / (x2 + b2)
parallel = paper.claim("CLW-X.parallel-sum")
parallel.equal(two_pages, merged - square, using=[], sample=ranges)

# %% [markdown]
# Induction on $N$ (first the pages so far, with sums $X_1, B_1$, then one more) gives $\sum_i \frac{x_i b_i}{x_i + b_i} \le \frac{S}{1 + S}$, with
# equality only if all squares vanish: $x \propto b$. That is (11), with "if and only if".

# %%
parallel.argued(
    "induction on the number of pages", "the identity bounds the pages so far and one more by one page with the sums; each step loses a square, which "
    "vanishes only if the new page has the same x/b as the sums before", using=[],
)
bound_11 = paper.claim("CLW-T4.1")
bound_11.equal((c0 * mu * rate).subs(in_b), c0 * mu - c0 * nu * gain, using=["CLW-L4.1"], sample=ranges)
bound_11.equal(
    (c0 * mu - c0 * nu * (merged - square)).subs(x2, 1 - X1),
    c0 * (mu - nu * (B1 + b2) / (1 + B1 + b2)) + c0 * nu * square.subs(x2, 1 - X1),
    where=[X1 < 1], sample=ranges | {X1: (0, 1)}, using=["CLW-X.parallel-sum"],
)


def total_gain(xs, bs):
    return sum((u * v / (u + v) for u, v in zip(xs, bs, strict=True)), Fraction(0))


def simplex(pages, parts):
    for cut in itertools.product(range(parts + 1), repeat=pages - 1):
        if sum(cut) <= parts:
            yield tuple(Fraction(part, parts) for part in (*cut, parts - sum(cut)))


sizes = [Fraction(1, 2), Fraction(1), Fraction(3)]
cases = [
    (xs, bs) for pages in (1, 2, 3) for bs in itertools.product(sizes, repeat=pages) for xs in simplex(pages, 6)
]


def sharp(case, ceiling=lambda total: total / (1 + total)):
    xs, bs = case
    proportional = all(u * sum(bs) == v for u, v in zip(xs, bs, strict=True))
    value, top = total_gain(xs, bs), ceiling(sum(bs))
    return value == top if proportional else value < top


paper.claim("CLW-T4.1b").equal(
    (X1 * B1 / (X1 + B1)).subs(X1, B1 / S), B1 / S * S / (1 + S), using=["CLW-X.parallel-sum"],
    sample=ranges,
).instances(
    cases, sharp, what="frequencies and pages, equality only if proportional",
    wrong={
        "always equality": lambda case: total_gain(*case) == sum(case[1]) / (1 + sum(case[1])),
        "another ceiling": lambda case: sharp(case, lambda total: total / (2 + total)),
    },
    using=["CLW-X.parallel-sum"],
)

# %%
share = paper.claim("CLW-T4.1i")
level_k = 1 + 1 / S  # from sum of (k - 1) b_i = (k - 1) S = 1
share.equal((level_k - 1) * b, b / S, sample=ranges)
share.equal((x15.subs(c, c0 * mu).subs(in_b)).subs(lam, nu * c0 / level_k**2), b / S, sample=ranges)
paper.claim("CLW-T4.1j").equal(printed_13.subs(c, c0 * mu).subs(in_b).subs({x: b / S}), lam - nu * c0 / level_k**2, sample=ranges)
value = paper.claim("CLW-T4.1j2")
value.equal(c0 * mu * rate, c0 * mu - c0 * nu * x * (1 - h) / (1 - h + x * h), where=[h < 1], sample=unit)
value.equal((x * (1 - h) / (1 - h + x * h)).subs(in_b).subs(x, b / S), b / S * S / (1 + S), sample=ranges)

# %% [markdown]
# ## General weights
#
# Put $s = \sqrt{c/\mu}$. For any level $t > 0$ the weighted gain lies below a line, by an exact square:

# %%
weighted = s**2 * x * b / (x + b)
tangent = paper.claim("CLW-X.randomized-tangent")
tangent.equal(weighted, t**2 * x + (s - t) ** 2 * b - (t * x - (s - t) * b) ** 2 / (x + b), using=[], sample=ranges)
tangent.equal(s**2 * x - weighted, s**2 * x**2 / (x + b), using=[], sample=ranges)

# %% [markdown]
# The second identity serves the pages with $s \le t$: there $s^2 x b/(x + b) \le s^2 x \le t^2 x$, with equality only at $x = 0$.
# Add up over pages with $\sum x_i = 1$: the gain is at most $t^2 + \sum_i \max(s_i - t, 0)^2 b_i$, with equality exactly for
# $x_i = \max(s_i/t - 1, 0)\,b_i$: if these add up to 1, they are the one and only solution of (12), for every $N$.
# The sum falls strictly from $\infty$ to 0 on $(0, \max s)$, so there is exactly one such level. With
# $U = \sum_A s b$, $B = \sum_A b$ over the pages with $s > t$: $U/t - B = 1$.

# %%
W = sp.Symbol("W", positive=True)  # sum of s^2 b over A
filling = paper.claim("CLW-X.water-filling")
filling.equal((U / t - B1).subs(t, U / (1 + B1)), sp.Integer(1) + 0 * U, using=["CLW-X.randomized-tangent"], sample=ranges)
filling.equal(
    (t**2 + W - 2 * t * U + t**2 * B1).subs(t, U / (1 + B1)), W - U**2 / (1 + B1), using=["CLW-X.randomized-tangent"],
    sample=ranges,
)


def fill(pages):
    """Add pages in decreasing s while s exceeds the level of those before: level and frequencies."""
    level, top, bottom = Fraction(0), Fraction(0), Fraction(1)
    for s_i, b_i in sorted(pages, reverse=True):
        if s_i <= level:
            break
        top, bottom = top + s_i * b_i, bottom + b_i
        level = top / bottom
    return level, [max(s_i / level - 1, Fraction(0)) * b_i for s_i, b_i in pages]


def all_pages_level(pages):
    return sum(s_i * b_i for s_i, b_i in pages) / (1 + sum(b_i for _, b_i in pages))


def worth(pages, xs):
    return sum((s_i**2 * x_i * b_i / (x_i + b_i) for (s_i, b_i), x_i in zip(pages, xs, strict=True)), Fraction(0))


def solves(pages, xs):
    """KKT: on the simplex, marginal gains equal where x > 0, and no larger where x = 0."""
    if sum(xs) != 1 or min(xs) < 0:
        return False
    slopes = [s_i**2 * (b_i / (b_i + x_i)) ** 2 for (s_i, b_i), x_i in zip(pages, xs, strict=True)]
    price = max(slopes)
    return all(slope == price for slope, x_i in zip(slopes, xs, strict=True) if x_i > 0)


scores = [Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2)]
worlds = [
    world for pages in (1, 2, 3)
    for world in itertools.product(itertools.product(scores, (Fraction(1, 2), Fraction(1), Fraction(3))), repeat=pages)
]
some_worlds = worlds[::3]


def beats_everything(pages, xs):
    return all(worth(pages, xs) >= worth(pages, other) for other in simplex(len(pages), 5))


def paper_15(pages):
    level = all_pages_level(pages)
    return [(s_i / level - 1) * b_i for s_i, b_i in pages]


filling.instances(
    some_worlds, lambda pages: solves(pages, fill(pages)[1]) and beats_everything(pages, fill(pages)[1]),
    what="worlds of up to three pages",
    wrong={
        "never drop a page": lambda pages: solves(pages, paper_15(pages)),
        "only the best page": lambda pages: solves(pages, [Fraction(int(p == max(pages))) for p in pages]),
    },
    using=["CLW-X.randomized-tangent", "CLW-T4.1c"],
)

# %%
level = paper.claim("CLW-X.water-level")
level.equal((U + s * b) / (1 + B1 + b), ((1 + B1) * (U / (1 + B1)) + b * s) / (1 + B1 + b), using=[], sample=ranges)


def best_subset(pages):
    subsets = itertools.chain.from_iterable(itertools.combinations(pages, r) for r in range(1, len(pages) + 1))
    return max(all_pages_level(subset) for subset in subsets)


level.instances(
    some_worlds, lambda pages: fill(pages)[0] == best_subset(pages), what="worlds of up to three pages, all subsets",
    wrong={"level of all pages": lambda pages: all_pages_level(pages) == best_subset(pages)},
    using=["CLW-X.water-filling"],
)

# %%
kkt = paper.claim("CLW-X.randomized-kkt")
kkt.equal((page.subs(x, y) - page - sp.diff(page, x) * (y - x)).subs(in_b), bregman, using=["CLW-T4.1d"], sample=ranges)
kkt.equal(-sp.diff(page, x).subs(x, 0), nu * c / mu, where=[h < 1], sample=unit, using=["CLW-T4.1f"])
kkt.instances(
    [(pages, xs) for pages in worlds[:156:2] for xs in [*simplex(len(pages), 4), tuple(fill(pages)[1])]],
    lambda case: solves(*case) == (list(case[1]) == fill(case[0])[1]),
    what="points of the simplex, KKT against water-filling",
    wrong={"all points": lambda case: solves(*case)},
    using=["CLW-X.water-filling"],
)

# %% [markdown]
# ### What the paper says about general weights
#
# (13) and (14) are sufficient, but not necessary: X exponential with mean 1, $\mu = (1, 1)$, so $h = 1/2$, $b = 1$, and weights
# $c = (1, 1/16)$, $s = (1, 1/4)$. The minimum is at $x = (1, 0)$, where (13) would need $\lambda = 1/4$ and $\lambda = 1/16$ at once.

# %%
ca, cb = sp.symbols("c_1 c_2", positive=True)
multiplier = nu * c / mu * ((1 - h) / (1 - h + h * x)) ** 2
conditions = paper.claim("CLW-T4.1e")
conditions.refute(
    sp.Eq(multiplier.subs({c: ca, x: 1}), multiplier.subs({c: cb, x: 0})),
    witness={ca: 1, cb: sp.Rational(1, 16), mu: 1, nu: 1, h: sp.Rational(1, 2)},
    hypotheses=[h < 1, cb <= ca * (1 - h) ** 2],
    using=["CLW-X.dropped-page"],
)
interior = "every page has a positive frequency at the minimum, as it does for c_i = c_0 mu_i"
conditions.equal(
    (page.subs(x, y) - page - sp.diff(page, x) * (y - x)).subs(in_b), bregman, using=["CLW-T4.1d", "CLW-T4.1f"],
    given=interior,
    sample=ranges,
)

# %%
dropped = paper.claim("CLW-X.dropped-page")
dropped.equal(s * b / (1 + b) - 1, b / (1 + b) * (s - (1 + b) / b), using=["CLW-X.water-filling"], sample=ranges)
dropped.equal(((1 + b) / b).subs(b, 1 / h - 1) ** -2, (1 - h) ** 2, where=[h < 1], sample=unit, using=["CLW-X.water-filling"])
dropped.instances(
    [(s_1, b_1) for s_1 in map(Fraction, (1, "5/4", "3/2", 2, 3, 5)) for b_1 in map(Fraction, ("1/3", "1/2", 1, 2, 3))],
    lambda case: (fill([case, (Fraction(1), case[1])])[1][1] == 0) == (case[0] >= (1 + case[1]) / case[1]),
    what="two equal pages", wrong={"strictly": lambda case: (fill([case, (Fraction(1), case[1])])[1][1] == 0) == (case[0] > (1 + case[1]) / case[1])},
    using=["CLW-X.water-filling"],
)

# %%
paper.claim("CLW-R7").equal(
    (sp.sqrt(nu / lam) * U - B1).subs(lam, nu * (U / (1 + B1)) ** 2), sp.Integer(1) + 0 * U,
    sample=ranges,
)
condition = paper.claim("CLW-R8")
condition.equal(x15.subs(in_b).subs({c: mu * s**2, lam: nu * t**2}), (s - t) / t * b, using=["CLW-R7", "CLW-T4.1h"], sample=ranges)
condition.instances(
    worlds, lambda pages: min(pages)[0] < all_pages_level(pages) or solves(pages, paper_15(pages)),
    what="worlds of up to three pages",
    wrong={"largest instead of smallest": lambda pages: max(pages)[0] < all_pages_level(pages) or solves(pages, paper_15(pages))},
    using=["CLW-R7", "CLW-X.water-filling"],
)
paper.claim("CLW-R6b").instances(
    worlds, lambda pages: min(paper_15(pages)) <= 0 or solves(pages, paper_15(pages)),
    what="worlds of up to three pages", wrong={"always": lambda pages: solves(pages, paper_15(pages))},
    using=["CLW-X.water-filling"],
).equal((page.subs(x, y) - page - sp.diff(page, x) * (y - x)).subs(in_b), bregman, using=["CLW-T4.1d"], sample=ranges)

# %% [markdown]
# "Valid only when positive": for a *policy* that is right, because Section 2 wants positive frequencies (1). For the *minimiser of (12)*, where $x_i \ge 0$, it is
# too strict at equality, and the paper's own condition has $\ge$: $c = (1, 1/4)$ in the same world has
# $\lambda = 1/4$ and $x = (1, 0)$; page 2 meets KKT, its right-hand side of (15) is 0, and (15) is the minimiser.

# %%
valid = paper.claim("CLW-R6")
valid.refute(
    sp.Ne(x15.subs(c, cb), 0),  # positive would mean: not zero
    witness={ca: 1, cb: sp.Rational(1, 4), mu: 1, nu: 1, h: sp.Rational(1, 2), lam: sp.Rational(1, 4)},
    hypotheses=[h < 1, sp.Ge(lam, nu * cb / mu), sp.Eq(x15.subs(c, ca) + x15.subs(c, cb), 1)],
)
valid.instances(
    worlds,
    lambda pages: (min(fill(pages)[1]) > 0 and fill(pages)[1] == list(paper_15(pages))) == (min(paper_15(pages)) > 0),
    what="worlds of up to three pages: the minimiser is (15) and a policy",
    wrong={"non-negative": lambda pages: (min(fill(pages)[1]) > 0 and fill(pages)[1] == list(paper_15(pages))) == (min(paper_15(pages)) >= 0)},
    given="valid means: the minimiser of (12) and a policy in the sense of (1), all frequencies positive", using=["CLW-X.water-filling", "CLW-R7"],
)
paper.claim("CLW-X.validity-condition").instances(
    worlds, lambda pages: solves(pages, paper_15(pages)) == (min(paper_15(pages)) >= 0),
    what="worlds of up to three pages, by the signs of (15)",
    wrong={"positive": lambda pages: solves(pages, paper_15(pages)) == (min(paper_15(pages)) > 0)},
    using=["CLW-X.water-filling", "CLW-R7"],
).equal(x15.subs(in_b).subs({c: mu * s**2, lam: nu * t**2}), (s - t) / t * b, using=["CLW-X.randomized-tangent"], sample=ranges)
paper.claim("CLW-X.validity-condition").instances(
    worlds,
    lambda pages: (solves(pages, paper_15(pages)) == (min(pages)[0] >= all_pages_level(pages)))
    and (min(fill(pages)[1]) > 0) == (min(pages)[0] > all_pages_level(pages)),
    what="worlds of up to three pages",
    wrong={"not dropped at equality": lambda pages: (min(fill(pages)[1]) > 0) == (min(pages)[0] >= all_pages_level(pages))},
    using=["CLW-X.water-filling", "CLW-R7"],
).equal(s - s * S / (1 + S), s / (1 + S), using=[], sample=ranges)

# %% [markdown]
# ## The price of throwing a die
#
# (11) against the bound (6): $c_0\nu\bigl(\frac{1}{1 + S} - \prod h_i\bigr)$ more; $\prod (1 + b_i) > 1 + S$ for $N \ge 2$ by induction.

# %%
price = paper.claim("CLW-X.randomized-price")
P = sp.Symbol("P", positive=True)  # product of the h_i
price.equal(c0 * (mu - nu * S / (1 + S)) - c0 * (mu - nu + nu * P), c0 * nu * (1 / (1 + S) - P), sample=ranges)
price.equal((1 + S) * (1 + b) - (1 + S + b), S * b, sample=ranges)
price.equal(Q - 1 + 2 * sp.exp(-Q) - 1 / (1 + Q), (Q**2 - 2 + 2 * (1 + Q) * sp.exp(-Q)) / (1 + Q), sample=ranges)
price.inequality(sp.Gt(Q**2 - 2 + 2 * (1 + Q) * sp.exp(-Q), 0), on={Q: (0, sp.oo)}, zeros={Q: (0, 3)}, tail={Q: 20})

# %% [markdown]
# (Twice the bound minus the cost is $c_0\nu(\mu/\nu - 1 + 2e^{-Q} - \frac{1}{1 + S})$; $\mu/\nu \ge Q = \sum\kappa_i$ by Jensen and $S \ge Q$ leave the third line.)

# %%
N = sp.Symbol("N", positive=True)
sharpness = paper.claim("CLW-X.randomized-price-sharp")
equal_pages = (q - 1 + 1 / (1 + N * (sp.exp(q / N) - 1))) / (q - 1 + sp.exp(-q))
many = q / ((1 + q) * chi(q))
sharpness.limit(equal_pages, q, 0, 2 - 1 / N)
limit_of_many = sharpness.equal((q - 1 + 1 / (1 + q)) / (q - 1 + sp.exp(-q)), many, sample=ranges)
sharpness.limit(N * (sp.exp(q / N) - 1), N, sp.oo, q)
sharpness.limit(many, q, 0, 2)
sharpness.limit(many, q, sp.oo, 1)
sharpness.equal(
    sp.diff((1 + q) * (q - 1 + sp.exp(-q)) / q**2, q), (2 - (q**2 + 2 * q + 2) * sp.exp(-q)) / q**3,
    sample=ranges,
)
sharpness.inequality(sp.Gt(2 - (q**2 + 2 * q + 2) * sp.exp(-q), 0), on={q: (0, sp.oo)}, zeros={q: (0, 3)}, tail={q: 20})

# %% [markdown]
# ## What a program should compute
#
# The frequency of a page from its score $s$, the level $t$ and $\ln h$ (a difference of the two inputs, so nothing cancels): where the weighted gain has slope $t^2$.

# %%
log_h = sp.Symbol("lnh", negative=True)
b_from_log = {b: sp.exp(-log_h) - 1}
(at_level,) = sp.solve(sp.diff(weighted, x) - t**2, x)
filled = filling.equal(at_level.subs(b_from_log), (s - t) / t * (sp.exp(-log_h) - 1), where=[s > t], sample=ranges)
filling.export(
    "randomized_frequency", (s - t) / t * -log_h * phi1(-log_h) * sp.exp(-log_h), of=filled,
    args={"score": s, "level": t, "log_laplace": log_h},
    domain={"score": "> 0", "level": "> 0", "log_laplace": "< 0"},
    describe={
        "score": "s = sqrt(c/mu) of the page, at least the level (else the page is dropped)",
        "level": "t = sqrt(lambda E[X]), the water level common to all pages",
        "log_laplace": "ln h = ln E[exp(-mu X)] of the page",
    },
    sample={"level": (1e-6, 1e6), "ratio": (1, 1e6), "score": "level*ratio", "log_laplace": (-300, -1e-12)},
    ulps=8, summary="Access probability of a page in the best randomized policy, (15) with the water level.",
)
# %% [markdown]
# With $c_i = c_0\mu_i$ the frequencies are (16). The cost (11) is $\frac{c_0}{E[X]}\bigl(\mu E[X] - \frac{S}{1+S}\bigr)$, which cancels to second order when changes are rare.
# Put $w = \ln(1 + S)$, so that $\frac{S}{1+S} = 1 - e^{-w}$, $e = \mu E[X] - Q \ge 0$ (Jensen) and $g = Q - w = \sum\ln(1 + b_i) - \ln(1 + \sum b_i) \ge 0$: then
# the cost is $\frac{c_0}{E[X]}(e + g + \psi(w))$. And $g$ is what it costs to throw the die for several pages; it adds up page by page, because
# merging $B$ (the pages so far) with $b$ loses $\ln(1 + B) + \ln(1 + b) - \ln(1 + B + b) = \ln\bigl(1 + \frac{Bb}{1 + B + b}\bigr)$.

# %%
EX, excess, loss = sp.symbols("EX e g", positive=True)
cost_11 = c0 * ((sp.log(1 + S) + loss + excess) / EX - S / (1 + S) / EX)  # mu = (w + g + e)/E[X]
stable_cost = c0 / EX * (excess + loss + psi(sp.log(1 + S)))
stable = paper.claim("CLW-X.randomized-cost")
total_cost = stable.equal(cost_11, stable_cost.rewrite(sp.exp), sample=ranges, using=["CLW-T4.1", "CLW-T4.1b"])
merging = sp.log(1 + B1) + sp.log(1 + b2) - sp.log(1 + B1 + b2)
stable.equal(sp.exp(merging), 1 + B1 * b2 / (1 + B1 + b2), sample=ranges, using=["CLW-T4.1", "CLW-T4.1b"])
accurate = log1p(B1 * b2 / (1 + B1 + b2))
merging_loss = stable.equal(
    sp.log(1 + sp.cancel(sp.exp(merging) - 1)), accurate, sample=ranges, using=["CLW-T4.1", "CLW-T4.1b"]
)
stable.export(
    "randomized_merging_loss", accurate, of=merging_loss,
    args={"odds_so_far": B1, "odds": b2}, domain={"odds_so_far": ">= 0", "odds": ">= 0"},
    describe={
        "odds_so_far": "B, the sum of b = 1/h - 1 over the pages so far",
        "odds": "b = 1/h - 1 of the next page",
    },
    sample={"odds_so_far": (1e-100, 1e100), "odds": (1e-100, 1e100)}, ulps=8,
    summary="What the next page adds to merging_loss, the argument of randomized_cost.",
)
stable.export(
    "randomized_cost", stable_cost, of=total_cost,
    args={"cost_per_change": c0, "mean_access_time": EX, "total_odds": S, "merging_loss": loss, "total_excess": excess},
    domain={"cost_per_change": "> 0", "mean_access_time": "> 0", "total_odds": ">= 0", "merging_loss": ">= 0", "total_excess": ">= 0"},
    describe={
        "cost_per_change": "c_0, where page i has weight c_i = c_0 mu_i",
        "mean_access_time": "E[X], the mean duration of an access",
        "total_odds": "S, the sum of 1/h_i - 1 over the pages",
        "merging_loss": "g, the sum of -ln h_i less ln(1 + S): add up randomized_merging_loss, 0 for one page",
        "total_excess": "e, the sum of mu_i E[X] + ln h_i over the pages, 0 for a constant access time",
    },
    sample={
        "cost_per_change": (1e-6, 1e6), "mean_access_time": (1e-3, 1e3), "total_odds": (1e-100, 1e100),
        "part": (1e-9, 1e3), "merging_loss": "part*total_odds/(1+total_odds)", "share": (1e-9, 1e3),
        "total_excess": "share*total_odds/(1+total_odds)",
    },
    passes=("log1p", "cse"), ulps=8, summary="Cost (11) of the best randomized policy, c_i = c_0 mu_i.",
)
from_15 = share.equal(
    x15.subs(c, c0 * mu).subs(h, sp.exp(log_h)).subs(lam, nu * c0 / level_k**2), (sp.exp(-log_h) - 1) / S, sample=ranges
)
share.export(
    "randomized_proportional_frequency", -log_h * phi1(-log_h) * sp.exp(-log_h) / S, of=from_15,
    args={"log_laplace": log_h, "total_odds": S}, domain={"log_laplace": "< 0", "total_odds": "> 0"},
    describe={
        "log_laplace": "ln h = ln E[exp(-mu X)] of the page",
        "total_odds": "S, the sum of 1/h_i - 1 over the pages",
    },
    sample={"log_laplace": (-300, -1e-100), "total_odds": (1e-100, 1e150)}, ulps=8,
    summary="Access probability of a page in the best randomized policy, (16), c_i = c_0 mu_i.",
)

# %% [markdown]
# And the price of the die for many pages:

# %%
sharpness.export(
    "randomized_price", many, of=limit_of_many,
    args={"load": q}, domain={"load": "> 0"},
    describe={"load": "q = mu E[X], changes of all pages per access"}, sample={"load": (1e-12, 1e12)},
    ulps=8, summary="Best randomized cost over the lower bound for many slowly changing pages, constant access time.",
)

# %% [markdown]
# ## The picture: water-filling
#
# *Figure.* Each page is a vessel of width $b_i$ whose floor stands at $1/s_i$; one unit of water is poured in. The water stands at $1/t$, a page's
# frequency is $s_i$ times the water in its vessel, and a page whose floor is above the water is dropped.

# %%
world = [(Fraction(2), Fraction(1, 2)), (Fraction(3, 2), Fraction(1)), (Fraction(1), Fraction(1, 2)), (Fraction(2, 5), Fraction(1))]
water, frequencies = fill(world)
figure, axis = plt.subplots(figsize=(7, 3.4))
edge = 0.0
for (score, width), share_i in zip(world, frequencies, strict=True):
    floor = 1 / float(score)
    axis.bar(edge, floor, width=float(width), align="edge", color="0.8", edgecolor="k")
    depth = max(1 / float(water) - floor, 0)
    axis.bar(edge, depth, bottom=floor, width=float(width), align="edge", color="tab:blue", alpha=0.6)
    axis.text(edge + float(width) / 2, floor + depth + 0.05, f"x = {float(share_i):.3f}", ha="center", fontsize=8)
    edge += float(width)
axis.axhline(1 / float(water), color="tab:blue", ls=":")
axis.set(xlabel="b = 1/h − 1 (width of the vessel)", ylabel="1/s (floor) and 1/t (water)")
figure.tight_layout()
plt.show()
