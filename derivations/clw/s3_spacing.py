# %% [markdown]
# # Even spacing, and the bound on a page's obsolescence rate: Theorems 3.2 and 3.3
#
# Lemma 3.1 makes the expected obsolescence of an interval a convex function of its length $d$ in accesses. So a page's
# accesses should be spaced evenly, and perfectly even spacing bounds its rate from below. We check each line of that
# argument, and ask of each line *for which robots* it holds.

# %%
import itertools
from fractions import Fraction

import sympy as sp

from claimproof import Paper

paper = Paper("clw")

mu, EX, h, kappa, d, f, q = sp.symbols("mu EX h kappa d f q", positive=True)
x, y, M, t = sp.symbols("x y M t", real=True)


def psi(argument):
    return argument - 1 + sp.exp(-argument)


# %% [markdown]
# ## Majorization
#
# $x$ majorizes $y$ (same sum) when the sums of its $k$ largest entries are at least those of $y$. Two facts reduce
# Schur's theorem to one line: $y$ is then reached from $x$ by finitely many transfers
# $(a, b) \mapsto (\lambda a + (1-\lambda) b,\ (1-\lambda) a + \lambda b)$, and for a convex $g$ a transfer does not increase $g(a) + g(b)$.
# We enumerate the integer case for the functions $(t - c)^+$, of which, up to linear ones, every convex function on the
# integers is a mixture.

# %%
TOTAL, PARTS = 11, 4
vectors = [v for v in itertools.product(range(1, TOTAL), repeat=PARTS) if sum(v) == TOTAL]
shapes = sorted({tuple(sorted(v, reverse=True)) for v in vectors})


def majorizes(first, second):
    return all(sum(first[:k]) >= sum(second[:k]) for k in range(1, len(first) + 1))


pairs = [(a, b) for a in shapes for b in shapes if a != b and majorizes(a, b)]
knots = range(1, TOTAL)


def over(vector, knot):
    return sum(max(entry - knot, 0) for entry in vector)


schur = paper.claim("CLW-T3.2a")
schur.instances(
    pairs, lambda pair: all(over(pair[0], c) >= over(pair[1], c) for c in knots),
    wrong={
        "a concave function": lambda pair: all(
            sum(min(e, c) for e in pair[0]) >= sum(min(e, c) for e in pair[1]) for c in knots
        ),
        "always more": lambda pair: all(over(pair[0], c) > over(pair[1], c) for c in knots),
        "neither convex nor concave": lambda pair: sum(e % 2 for e in pair[0]) >= sum(e % 2 for e in pair[1]),
    },
    what=f"majorization pairs of {PARTS} positive integers with sum {TOTAL}",
)
schur.argued(
    "transfers (Hardy, Littlewood, Polya)",
    "a majorized vector is a finite product of transfers away; adding the two convexity inequalities for "
    "g(la + (1-l)b) and g((1-l)a + lb) gives at most g(a) + g(b)",
)

# %% [markdown]
# ## Theorem 3.2
#
# $E[Z] = d\,E[X] - (1 - h^d)/\mu$ with $h = e^{-\kappa}$ has second derivative $\kappa^2e^{-\kappa d}/\mu > 0$. As with Lemma 3.1, the theorem and the remark on even spacing
# after it are read with the independence that Section 2 asserts: distances that are not chosen by looking at the access times. What a robot with a clock breaks is booked at
# that assertion (CLW-P1), at (5) (CLW-S3.0b) and where the introduction repeats the conclusion (CLW-I2).

# %%
mean_Z = d * EX - (1 - sp.exp(-kappa * d)) / mu
theorem_2 = paper.claim("CLW-T3.2")
theorem_2.equal(sp.diff(mean_Z, d, 2), kappa**2 * sp.exp(-kappa * d) / mu)


def transforms(vector, value):
    """The sum of h^d; total obsolescence is this divided by mu, plus a constant for given n and sum."""
    return sum(value**entry for entry in vector)


values = [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]
strictly_more = {
    "the other way": lambda pair: transforms(pair[0], values[1]) < transforms(pair[1], values[1]),
    "for h > 1 with the sign turned": lambda pair: transforms(pair[0], 2) < transforms(pair[1], 2),
}
theorem_2.instances(
    pairs, lambda pair: all(transforms(pair[0], v) > transforms(pair[1], v) for v in values),
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong=strictly_more,
    what="majorization pairs, h = 1/10, 1/2, 9/10",
)
power_sum = paper.claim("CLW-T3.3f")
power_sum.equal(sp.diff(h**d, d, 2), sp.log(h) ** 2 * h**d)
power_sum.instances(
    pairs, lambda pair: all(transforms(pair[0], v) > transforms(pair[1], v) for v in values),
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong=strictly_more,
    what="majorization pairs, h = 1/10, 1/2, 9/10",
)

# %% [markdown]
# The text before Lemma 3.1 says more: that the *rate* is a Schur-convex function of the infinite vector of distances. A
# Schur-convex function is symmetric, and a rate is not: $1,3,1,3,\dots$ and $1,1,3,1,1,3,\dots$ are rearrangements of each
# other (both have infinitely many ones and threes), with different rates. With $q = \mu E[X]$ a cycle of gaps has rate
# $1 - \sum(1 - h^{d_j})/(q\sum d_j)$. Between cycles of the same length with the same number of accesses the sentence is right.

# %%
def cyclic_rate(gaps):
    return 1 - sum(1 - h**gap for gap in gaps) / (q * sum(gaps))


rate_schur = paper.claim("CLW-T3.2b")
rate_schur.refute(
    sp.Eq(cyclic_rate([1, 3]), cyclic_rate([1, 1, 3]), evaluate=False), witness={h: sp.Rational(1, 2), q: 1},
    hypotheses=[h < 1, sp.Ge(h, sp.exp(-q), evaluate=False)],
)
same_cycle = "the distances are periodic, with the same period and the same number of accesses in it"
rate_schur.equal(
    cyclic_rate([1, 3]) - cyclic_rate([2, 2]), h * (1 - h) ** 2 / (4 * q), where=[h < 1], sample={h: (0, 1)},
    given=same_cycle, using=["CLW-T3.2"],
)
rate_schur.instances(
    pairs,
    lambda pair: all(PARTS - transforms(pair[0], v) < PARTS - transforms(pair[1], v) for v in values),
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"the other way": lambda pair: PARTS - transforms(pair[0], values[0]) > PARTS - transforms(pair[1], values[0])},
    what="majorization pairs of cycles: fresh time per cycle", given=same_cycle, using=["CLW-T3.2"],
)

# %% [markdown]
# ## As even as possible
#
# Move one unit from a gap $b + k$ to a gap $b$: the gain is $h^b(1-h)(1-h^{k-1})$, positive as long as $k \ge 2$. So in a
# minimiser no two gaps differ by more than one, and all such vectors are rearrangements of each other.

# %%
b, k = sp.symbols("b k", positive=True)
spaced = paper.claim("CLW-S3.3")
spaced.equal(
    h**b + h ** (b + k) - h ** (b + k - 1) - h ** (b + 1), h**b * (1 - h) * (1 - h ** (k - 1)), where=[h < 1, k >= 2],
    sample={h: (0, 1), b: [1, 2, 5], k: [2, 3, 7]},
)


def minimisers(number, total, value):
    options = [v for v in itertools.product(range(1, total), repeat=number) if sum(v) == total]
    best = min(transforms(v, value) for v in options)
    return {v for v in options if transforms(v, value) == best}, options


def balanced(options, spread=1):
    return {v for v in options if max(v) - min(v) <= spread}


def agree(case, spread):
    found, options = minimisers(*case)
    return found == balanced(options, spread)


spaced.instances(
    [(n, total, v) for n in (2, 3, 4) for total in range(n + 1, 11) for v in values[:2]],
    lambda case: agree(case, 1),
    wrong={"equal gaps only": lambda case: agree(case, 0), "a spread of two": lambda case: agree(case, 2)},
    what="2 to 4 gaps with sums up to 10, all positive integer vectors",
)
paper.claim("CLW-S3.3a").definition()

# %% [markdown]
# ## One identity behind all the bounds
#
# With $\psi(x) = x - 1 + e^{-x}$, the exponential function is its tangent at $M$ plus a remainder that is never negative:

# %%
at_0 = {"zeros": {"u": (0, 2)}}
u = paper.symbols("u")
paper.claim("CLW-X.tangent-exp").as_stated(
    sample={"y": (-3, 3), "M": (-3, 3)}, parts={2: at_0, 3: {**at_0, "times": {sp.exp(-u): {}}}},
)

# %% [markdown]
# ## Theorem 3.3, line by line
#
# **Lines 1 and 2** insert Lemma 3.1, which needs gaps that do not depend on the access times. Here is a robot that watches
# its clock. Two pages; accesses take $L$ with probability $p$ and no time otherwise; page 1 is accessed exactly after each long
# access. With $a = 1 - e^{-\mu L}$, $h = 1 - pa$, an interval of page 1 is one access (if the access that began it was
# long, probability $p$) or otherwise runs through the next long access and one more:
# $E[e^{-\mu X_j}] = h\,(p + (1-p)(1-a))$. But $E[h^{d_j}]$ is another number.

# %%
p, a = sp.symbols("p a", positive=True)
h_clock = 1 - p * a
truly_unchanged = h_clock * (p + (1 - p) * (1 - a))
by_lemma = p * h_clock + (1 - p) * p * h_clock**2 / (1 - (1 - p) * h_clock)
muL = -sp.log(1 - a)


def rate_from(unchanged):
    """The rate of a page with frequency p, if an interval passes without change with that probability."""
    return 1 - (1 - unchanged) / muL


clock_watcher = {p: sp.Rational(1, 3), a: sp.Rational(1, 2)}
fixed = "the policy is non-adaptive"
first_lines = paper.claim("CLW-T3.3a")
first_lines.refute(
    sp.Eq(rate_from(truly_unchanged), rate_from(by_lemma), evaluate=False), witness=clock_watcher, hypotheses=[p < 1, a < 1]
)
first_lines.argued(
    "condition on the schedule",
    "given the schedule, the access times inside an interval are d independent copies of X, so Lemma 3.1 gives each "
    "summand; the limits exist by hypothesis",
    given=fixed, using=["CLW-L3.1", "CLW-P6"],
)
gap1, gap2 = sp.symbols("d1 d2", positive=True)
first_lines.equal(  # a cycle of two gaps: (2) with Lemma 3.1, against the printed line
    (mean_Z.subs(d, gap1) + mean_Z.subs(d, gap2)) / ((gap1 + gap2) * EX),
    1 - (2 - sp.exp(-kappa * gap1) - sp.exp(-kappa * gap2)) / (mu * EX * (gap1 + gap2)),
    given=fixed, using=["CLW-L3.1", "CLW-P6"],
)

# %% [markdown]
# **Line 3** sets $\sum_{j\le m_n}d_j = n$. That is so only when access $n$ is one of page $i$. In general the sum falls short by
# the page's age, which is less than the next gap, and that is $o(n)$ when $m_n/n$ converges to a positive number.

# %%
n, period = sp.symbols("n period", integer=True, positive=True)
third_line = paper.claim("CLW-T3.3b")
third_line.refute(sp.Eq(period * sp.floor(n / period), n, evaluate=False), witness={n: 3, period: 2})
words = [w for length in (5, 7, 9) for w in itertools.product((0, 1), repeat=length) if any(w)]


def shortfall(word):
    """n minus the sum of the distances up to n, and the page's age then."""
    places = [place for place, seen in enumerate(word, 1) if seen]
    distances = [there - here for here, there in zip([0, *places], places, strict=False)]
    return len(word) - sum(distances), len(word) - places[-1]


in_limit = "divided by n, in the limit (or access n is one of page i)"
third_line.instances(
    words, lambda word: shortfall(word)[0] == shortfall(word)[1] >= 0,
    wrong={"as printed": lambda word: shortfall(word)[0] == 0, "at most one": lambda word: shortfall(word)[0] <= 1},
    what="accesses to one page among 5, 7 or 9", given=in_limit,
)
third_line.argued(
    "the age is o(n)",
    "if the m-th access of the page is at t_m and t_m/m -> 1/f, then (t_{m+1} - t_m)/m -> 0", given=in_limit, using=["CLW-P3"],
)

# %% [markdown]
# **Line 4** takes a limit of $\frac1n\sum_{j\le m_n}h^{d_j}$. Frequencies alone do not give it. Let blocks of pairs of gaps $(2,2)$
# and $(1,3)$ alternate, block $k$ with $4^k$ pairs. Each pair takes four accesses, two of them to the page: $f = \frac12$.
# At the end of block $2K$ the share of pairs $(2,2)$ is $\sum_{i\le K}16^i/\sum_{i\le2K}4^i$; at the end of block $2K+1$
# it is $\sum_{i\le K}16^i/\sum_{i\le2K+1}4^i$.

# %%
K = sp.Symbol("K", positive=True)
even_pairs = (16 * 16**K - 1) / 15
share_even = even_pairs / ((4 * 16**K - 1) / 3)
share_odd = even_pairs / ((16 * 16**K - 1) / 3)
no_limit = paper.claim("CLW-X.limit-needed")
no_limit.limit(share_even, K, sp.oo, sp.Rational(4, 5))
no_limit.limit(share_odd, K, sp.oo, sp.Rational(1, 5))


def average(share):
    """The average of h^d per access to any page, when that share of the pairs is (2, 2)."""
    return (share * 2 * h**2 + (1 - share) * (h + h**3)) / 4


after_even, after_odd = average(sp.Rational(4, 5)), average(sp.Rational(1, 5))
no_limit.equal(after_odd - after_even, sp.Rational(3, 20) * h * (1 - h) ** 2, where=[h < 1], sample={h: (0, 1)})
fourth_line = paper.claim("CLW-T3.3c")
fourth_line.refute(
    sp.Eq(after_odd, after_even, evaluate=False), witness={h: sp.Rational(1, 2)}, hypotheses=[h < 1],
    using=["CLW-X.limit-needed"],
)
fourth_line.argued(
    "difference of two limits",
    "m_n/n -> f is the definition (1); if the limit that defines r exists, so does that of the remaining term",
    given="the limit that defines the rate exists", using=["CLW-P3", "CLW-P5", "CLW-T3.3b"],
)

# %% [markdown]
# **Line 5** is right for *every* sequence of accesses, and needs no limit: by the tangent identity the mean of $h^{d_j}$ is at
# least $h^{\bar d}$, and $\bar d \le n/m_n$. The exact test raises both sides to the power $m_n$.

# %%
def fifth_line_holds(word, value, strict=False, extra=0):
    places = [place for place, seen in enumerate(word, 1) if seen]
    distances = [there - here for here, there in zip([0, *places], places, strict=False)]
    left = (transforms(distances, value) / len(places)) ** len(places)
    right = value ** (len(word) + extra)
    return left > right if strict else left >= right


fifth_line = paper.claim("CLW-T3.3d")
fifth_line.instances(
    words, lambda word: all(fifth_line_holds(word, v) for v in values),
    wrong={
        "always strict": lambda word: fifth_line_holds(word, values[1], strict=True),
        "one access fewer": lambda word: fifth_line_holds(word, values[1], extra=-1),
        "the other way": lambda word: not fifth_line_holds(word, values[1], strict=True),
    },
    what="accesses to one page among 5, 7 or 9; h = 1/10, 1/2, 9/10", using=["CLW-X.tangent-exp"],
)
fifth_line.equal(  # mean of tangents at the mean
    (sp.exp(-gap1) + sp.exp(-gap2)) / 2,
    sp.exp(-(gap1 + gap2) / 2) * (1 + (psi((gap1 - gap2) / 2) + psi((gap2 - gap1) / 2)) / 2), using=["CLW-X.tangent-exp"],
)

# %% [markdown]
# **Line 6** is continuity of $x \mapsto x h^{1/x}$.

# %%
z = sp.Symbol("z", positive=True)
sixth_line = paper.claim("CLW-T3.3e")
sixth_line.limit(z * sp.exp(-kappa / z), z, f, f * sp.exp(-kappa / f), using=["CLW-P3"])
sixth_line.limit(z * sp.exp(-kappa / z), z, f, f * sp.exp(-kappa / f), direction="-", using=["CLW-P3"])

# %% [markdown]
# ## Theorem 3.3 as an equation
#
# Averaging the tangent identity over the gap law, $E[d] = 1/f$, gives the bound *and* what a schedule loses:
# $$ r = \mathrm{LB}(f) + \frac{f h^{1/f}}{\mu E[X]}\,E\,\psi\bigl(\kappa(d - 1/f)\bigr). $$
# Here for gaps $d_1$ (probability $w$) and $d_2$; any law with mean $1/f$ is a mixture of such pairs with that mean, and the
# identity is linear in the law.

# %%
w = sp.Symbol("w", positive=True)
mean_gap = w * gap1 + (1 - w) * gap2
two_gap_rate = 1 - (1 - w * sp.exp(-kappa * gap1) - (1 - w) * sp.exp(-kappa * gap2)) / (mu * EX * mean_gap)
bound = 1 - (1 - sp.exp(-kappa * mean_gap)) / (mu * EX * mean_gap)
loss = sp.exp(-kappa * mean_gap) / (mu * EX * mean_gap) * (
    w * psi(kappa * (gap1 - mean_gap)) + (1 - w) * psi(kappa * (gap2 - mean_gap))
)
page_loss = paper.claim("CLW-X.page-loss")
page_loss.equal(two_gap_rate, bound + loss, where=[w < 1], sample={w: (0, 1), kappa: (0, 1)})
page_loss.argued(
    "psi vanishes only at 0", "so the loss is 0 exactly when the limiting gap law is the point 1/f",
    using=["CLW-X.tangent-exp"],
)

# %% [markdown]
# So the theorem holds for schedules that do not react to the access times. The print has no such restriction: Section 2 admits every policy for which its limits exist, and the theorem says
# "any accessing policy". The authors could reply that Section 2 takes the intervals to be independent. So here is a robot whose intervals are independent and identically
# distributed, and which is below the bound all the same. $X \in \{0, b\}$ with probability $\frac12$ each; access another page, once more if that took no time, then page 1. Every interval of page 1
# begins afresh, the distance is 2 or 3, so $f = \frac25$; with $z = e^{-\mu b}$, $h = (1 + z)/2$, an interval passes without change with probability
# $\frac12h^2 + \frac12zh = h(1 + 3z)/4$, and the theorem allows no less than $h^{5/2}$. (They could still reply that Lemma 3.1 takes the distance for a given number. That is
# the hypothesis that we name.)

# %%
zb = sp.Symbol("z", positive=True)  # exp(-mu b)
h_renewal = (1 + zb) / 2
load = -sp.log(zb) / 2  # mu E[X]
found_unchanged = h_renewal * (1 + 3 * zb) / 4
five_halves, two_fifths = sp.Rational(5, 2), sp.Rational(2, 5)
renewal_rate = 1 - two_fifths * (1 - found_unchanged) / load
printed_bound = 1 - two_fifths * (1 - h_renewal**five_halves) / load
theorem = paper.claim("CLW-T3.3")
theorem.refute(
    sp.Ge(renewal_rate, printed_bound, evaluate=False), witness={zb: sp.Rational(1, 2)}, hypotheses=[zb < 1],
    meets=dict.fromkeys(theorem.claim.hypotheses, "the intervals of page 1 are independent and alike, so that all limits exist"),
    instance="Accesses take no time or a time in which the page stays fresh with probability 1/2, equally likely. A robot that "
    "sees which it was leaves page 1 out of date for 38.7 % of the time; the bound at its frequency 2/5 is 40.8 %.",
    using=["CLW-X.adaptive-renewal"],
)
theorem.equal(
    two_gap_rate - loss, (EX - (1 / mean_gap) / mu + (1 / mean_gap) / mu * sp.exp(-kappa * mean_gap)) / EX,
    where=[w < 1], sample={w: (0, 1), kappa: (0, 1)}, given=fixed, using=["CLW-X.page-loss"],
)
theorem.argued(
    "the loss is not negative", "psi >= 0, and r = LB(f) + loss for every gap law", given=fixed,
    using=["CLW-X.page-loss", "CLW-X.tangent-exp"],
)
sp.N(renewal_rate.subs(zb, sp.Rational(1, 2)), 6), sp.N(printed_bound.subs(zb, sp.Rational(1, 2)), 6)
