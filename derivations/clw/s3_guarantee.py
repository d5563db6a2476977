# %% [markdown]
# # How far from the bound can a schedule be? The key lemma and Theorem A
#
# Theorem 3.3 bounds the obsolescence rate of a page from below. This notebook proves the missing other half: for every
# schedule that does not look at the access times,
#
# $$LB(f_i)\;\le\; r_i\;\le\;\frac{E d^2}{(E d)^2}\,LB(f_i),$$
#
# where $d$ has the law of the distances between accesses to the page. Only the second moment of the gaps matters:
# no law of $X$, no rate, no weight enters the factor.
#
# Notation: $\psi(z) = z - 1 + e^{-z}$, $m = \mu E[X]$, $\kappa = -\ln h \le m$, $D = f d$ (so $E D = 1$), $q = \kappa/f$.

# %%
import functools
import itertools

import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq

from claimproof import Paper

paper = Paper("clw")

# Relations stay as they are written; otherwise sympy decides the easy ones itself.
Gt = functools.partial(sp.Gt, evaluate=False)

q, D, s, t, u, z, x = sp.symbols("q D s t u z x", positive=True)
m, kappa, f, mu, F, G, c0, nu = sp.symbols("m kappa f mu F G c0 nu", positive=True)


def psi(value):
    """psi written out, so that each identity below is elementary."""
    return value - 1 + sp.exp(-value)


psi_q, slope_q, curvature_q = psi(q), 1 - sp.exp(-q), sp.exp(-q)  # psi and its derivatives at q

# %% [markdown]
# ## The key lemma
#
# *Let $D \ge 0$, $E D = 1$, $D$ not constant. Then $G(q) = E\psi(qD)/\psi(q)$ decreases strictly from $E D^2$ to 1.*
#
# **Step 1.** Subtract from $\psi(qD)/\psi(q)$ a multiple of $D - 1$, whose mean is zero: $T = \psi(qD)/\psi(q) - (D-1)q\psi'(q)/\psi(q)$ has the
# same mean, and is monotone in $q$ *for each value of $D$*. So nothing has to be differentiated under the expectation.

# %%
J = q * slope_q**2 - psi_q * slope_q - q * psi_q * curvature_q
v = D * (1 - sp.exp(-q * D)) * psi_q - psi(q * D) * slope_q
T = psi(q * D) / psi_q - (D - 1) * q * slope_q / psi_q
step1 = paper.claim("CLW-X.key-lemma-1")
step1.equal(sp.diff(T, q) * psi_q**2, v + J * (D - 1))

# %% [markdown]
# **Steps 2, 3, 4.** Three functions of $q$ that are positive because a derivative is.

# %%
A = 2 * psi_q - q * slope_q
step2 = paper.claim("CLW-X.key-lemma-2")
step2.equal(A, q - 2 + (q + 2) * sp.exp(-q))
step2.equal(sp.diff(A, q, 2), q * sp.exp(-q))
step2.limit(A, q, 0, 0)
step2.limit(sp.diff(A, q), q, 0, 0)
step2.inequality(Gt(q - 2 + (q + 2) * sp.exp(-q), 0), on={q: (0, sp.oo)}, zeros={q: (0, 3)})

# %%
B = q * psi_q - A
step3 = paper.claim("CLW-X.key-lemma-3")
step3.equal(B, q**2 - 2 * q + 2 - 2 * sp.exp(-q))
step3.equal(sp.diff(B, q), 2 * psi_q)
step3.limit(B, q, 0, 0)
step3.inequality(Gt(q**2 - 2 * q + 2 - 2 * sp.exp(-q), 0), on={q: (0, sp.oo)}, zeros={q: (0, 3)})

# %%
step4 = paper.claim("CLW-X.key-lemma-4")
step4.equal(J, (1 - sp.exp(-q)) ** 2 - q**2 * sp.exp(-q))
step4.equal(J, sp.exp(-q) * ((2 * sp.sinh(q / 2)) ** 2 - q**2))
step4.inequality(Gt((1 - sp.exp(-q)) ** 2 - q**2 * sp.exp(-q), 0), on={q: (0, sp.oo)}, zeros={q: (0, 4)})

# %% [markdown]
# **Step 5.** The shape of $v$ in $D$: convex up to $D_1 = A/(q\psi) < 1$, concave after it.

# %%
step5 = paper.claim("CLW-X.key-lemma-5")
step5.equal(sp.diff(v, D, 2), q * sp.exp(-q * D) * (A - q * D * psi_q))
step5.equal(sp.diff(v, D).subs(D, 1), -J)
step5.equal((v + q).subs(D, 1), q)
step5.limit(v, D, 0, 0)

# %% [markdown]
# **Step 6.** $w = -J(D-1) - v$ is positive off $D = 1$. One can see it from step 5 (on $[D_1, \infty)$ the line is a tangent of a concave
# function; on $[0, D_1]$ $w$ is concave and positive at both ends). Shorter: since $\psi(q) = q^2\int_0^1(1-t)e^{-qt}dt$ and
# $\psi(qD) - \psi(q) - q\psi'(q)(D-1) = q^2\int_1^D(D-s)e^{-qs}ds$, $w$ is a double integral of something positive. For $D > 1$, $s > 1 > t$:

# %%
w = -J * (D - 1) - v


def double(integrand, over_s, over_t):
    """q^4 times the double integral of integrand e^(-q(s+t))."""
    inner = sp.integrate(sp.expand(integrand) * sp.exp(-q * s) * sp.exp(-q * t), (s, *over_s))
    return q**4 * sp.integrate(sp.expand(inner), (t, *over_t))


step6 = paper.claim("CLW-X.key-lemma-6")
step6.equal(double((s - t) * (D - s) * (1 - t), (1, D), (0, 1)), w)

# %% [markdown]
# For $D < 1$ the part with $t < D < s$ is positive as it stands; in the part with both $s$ and $t$ in $[D, 1]$ exchange the two
# names and take the mean. What remains is a square:

# %%
step6.equal(
    ((s - t) * (s - D) * (1 - t) + (t - s) * (t - D) * (1 - s)) / 2, (1 - D) * (s - t) ** 2 / 2
)
step6.equal(
    double((s - t) * (s - D) * (1 - t), (D, 1), (0, D)) + double((1 - D) * (s - t) ** 2 / 2, (D, 1), (D, 1)), w
)

# %% [markdown]
# The signs. For $D > 1$ put $t = 1 - v$, $s = 1 + \sigma$, $D = s + \delta$; for $D < 1$ put $D = 1/(1 + \omega)$, $t = D(1 - v)$, $s = D + (1-D)\rho$. The integrands are then products of sums of positive terms:

# %%
sigma, delta, v_, rho, omega = sp.symbols("sigma delta v rho omega", positive=True)
above_1 = (sigma + v_) * delta * v_
step6.equal(((s - t) * (D - s) * (1 - t)).subs(D, s + delta).subs({s: 1 + sigma, t: 1 - v_}), above_1)
step6.inequality(Gt(above_1, 0), on={sigma: (0, sp.oo), delta: (0, sp.oo), v_: (0, 1)})
below_1 = (v_ + omega * rho) * omega * rho * (v_ + omega) / (1 + omega) ** 3
step6.equal(
    ((s - t) * (s - D) * (1 - t)).subs({s: D + (1 - D) * rho, t: D * (1 - v_)}).subs(D, 1 / (1 + omega)), below_1,
    sample={rho: (0, 1), v_: (0, 1)},
)
step6.inequality(Gt(below_1, 0), on={omega: (0, sp.oo), rho: (0, 1), v_: (0, 1)})

# %% [markdown]
# An independent look, by balls, at a compact piece on each side of $D = 1$:

# %%
shown = sp.expand(w)
step6.inequality(
    Gt(shown, 0), on={q: (sp.Rational(1, 2), 4), D: (1, 3)}, zeros={D: (1, 2)}, max_boxes=20_000,
)

# %% [markdown]
# **Step 7.** The ends, for each $D$. The means of the limits are $E D^2$ (as $E D = 1$) and 1.

# %%
step7 = paper.claim("CLW-X.key-lemma-7")
step7.equal(sp.integrate((1 - u) * sp.exp(-u * x), (u, 0, 1)), psi(x) / x**2)
step7.limit(T, q, 0, D**2 - 2 * (D - 1))
step7.limit(T, q, sp.oo, 1)

# %% [markdown]
# **Together.** $\partial_qT = -w/\psi^2 < 0$ for every $D \ne 1$ (steps 1, 6; at $D = 0$, $w = J > 0$ by step 4), so $G = E\,T$ decreases strictly.
# As $q \downarrow 0$, $T$ increases to $D^2 - 2(D-1)$, and as $q \to \infty$ it decreases to its limit: monotone convergence gives the limits of $G$,
# also when $E D^2 = \infty$.

# %%
key = paper.claim("CLW-X.key-lemma")
key.equal(sp.diff(T, q), -w / psi_q**2, using=["CLW-X.key-lemma-1"])
key.limit(w, D, 0, J, using=["CLW-X.key-lemma-4", "CLW-X.key-lemma-6", "CLW-X.key-lemma-7"])
key.argued(
    "monotone convergence",
    "T is monotone in q for every value of D, and E T is finite for every q > 0 because psi(qD) <= qD; "
    "so the limits may be taken inside the expectation.",
)

# %% [markdown]
# ## The bound alone, without limits
#
# For Theorem A the two inequalities $1 \le G \le E D^2$ suffice, and they hold before taking means:
#
# $$0 \le \psi(qD) - \psi(q) - q\psi'(q)(D-1) \le (D-1)^2\psi(q).$$
#
# On the left stands the integral of step 6, positive on both sides of $D = 1$:

# %%
bregman = psi(q * D) - psi_q - q * slope_q * (D - 1)
bound = paper.claim("CLW-X.key-bound")
bound.equal(q**2 * sp.integrate(sp.expand((D - s) * sp.exp(-q * s)), (s, 1, D)), bregman)

# %% [markdown]
# Substitute $s = 1 + (D-1)\sigma$ in that integral, and $t = \sigma$ in $\psi(q) = q^2\int_0^1(1-\sigma)e^{-q\sigma}d\sigma$: both have the weight $1 - \sigma$, so
# $U = (D-1)^2\psi(q) - (\dots) = q^2(D-1)^2\int_0^1(1-\sigma)\bigl(e^{-q\sigma} - e^{-q(1+(D-1)\sigma)}\bigr)d\sigma$. For $D = 1 + x > 1$ the bracket is positive, because
# the second exponent exceeds the first by $q\,((1-\sigma) + x\sigma) > 0$:

# %%
sigma = sp.Symbol("sigma", positive=True)
U = (D - 1) ** 2 * psi_q - bregman
integrand = (1 - sigma) * (sp.exp(-q * sigma) - sp.exp(-q) * sp.exp(-q * (D - 1) * sigma))
bound.equal(q**2 * sp.integrate(integrand.subs(D, 1 + x), (sigma, 0, 1)) * x**2, U.subs(D, 1 + x))
bound.equal(q * (1 + x * sigma) - q * sigma, q * ((1 - sigma) + x * sigma), sample={sigma: (0, 1)})
bound.inequality(
    Gt(q * x * sigma, 0), on={q: (0, sp.oo), x: (0, sp.oo), sigma: (0, 1)}, using=["CLW-X.key-lemma-2"]
)

# %% [markdown]
# For $0 \le D < 1$: $U'' = 2\psi - q^2e^{-qD}$ increases in $D$, so $U$ is concave up to some point and convex after it; at $D = 1$ it is convex
# ($2\psi(q) > q^2e^{-q}$) with $U = U' = 0$. On the convex part $U > 0$ because the tangent at 1 is zero; on the concave part
# $U$ is above its chord, which is positive: $U(0) = A > 0$. (The key lemma says the same: $T$ falls in $q$ from
# $D^2 - 2(D-1)$, so $T \le D^2 - 2(D-1)$, which is $U \ge 0$.)

# %%
bound.equal(sp.diff(U, D, 2), 2 * psi_q - q**2 * sp.exp(-q * D))
bound.inequality(Gt(2 * psi_q, q**2 * sp.exp(-q)), on={q: (0, sp.oo)}, zeros={q: (0, 3)})
bound.equal(sp.diff(U, D).subs(D, 1) + q, q)
bound.limit(U, D, 0, A, using=["CLW-X.key-lemma-1", "CLW-X.key-lemma-6", "CLW-X.key-lemma-7"])
bound.equal(D**2 - 2 * (D - 1) - T, U / psi_q)

# %% [markdown]
# ## Theorem A
#
# Lemma 3.1 gives $r = 1 - \frac{f}{m}(1 - E e^{-\kappa d})$ for a non-adaptive policy, and the bound is the same with $d = 1/f$. Written with $\psi$ both are
# a common term and a convex one ($E d = 1/f$; `G` stands for $E\psi(\kappa d) = E[\kappa d] - 1 + E e^{-\kappa d}$):

# %%
mean_exp = sp.Symbol("M", positive=True)  # E exp(-kappa d)
forms = paper.claim("CLW-X.obsolescence-psi")
forms.equal(1 - f / m * (1 - mean_exp), (m - kappa + f * (kappa / f - 1 + mean_exp)) / m)
forms.equal(1 - f / m * (1 - sp.exp(-kappa / f)), (m - kappa + f * psi(kappa / f)) / m)

# %% [markdown]
# From the words: a robot that runs through 1, 1, 2 for ever, exponential access times, Poisson changes. Page 1 has gaps
# 1 and 2.

# %%
RATE = sp.Rational(3, 5)


def watch_page_one(rng, cycles):
    """Out-of-date time of page 1 and length, per cycle 1, 1, 2; X exponential with mean 1."""
    clock = np.cumsum(rng.exponential(1.0, size=3 * cycles + 1))
    completed = clock[np.arange(3 * cycles + 1) % 3 != 2]
    changes = np.cumsum(rng.exponential(1 / float(RATE), size=int(float(RATE) * clock[-1] * 1.1) + 200))
    if changes[-1] < clock[-1]:
        raise RuntimeError("too few changes were drawn")
    begun, ended = completed[:-1], completed[1:]
    first_change = changes[np.searchsorted(changes, begun)]
    stale = np.maximum(ended - first_change, 0.0)
    return stale.reshape(cycles, 2).sum(axis=1), (ended - begun).reshape(cycles, 2).sum(axis=1)


h_exponential = 1 / (1 + RATE)
rate_of_page_one = 1 - sp.Rational(2, 3) / RATE * (1 - (h_exponential + h_exponential**2) / 2)
forms.simulated(watch_page_one, rate_of_page_one, seed=7, runs=250_000, what="a robot in the cycle 1, 1, 2")

# %% [markdown]
# The common term is not negative: $\kappa \le m$, by the tangent of $e^{-z}$ at $m$.

# %%
jensen = paper.claim("CLW-X.kappa-jensen")
jensen.equal(sp.exp(-z) - sp.exp(-m) * (1 - (z - m)), sp.exp(-m) * psi(z - m))
jensen.inequality(Gt(psi(x), 0), on={x: (0, sp.oo)}, zeros={x: (0, 2)})
jensen.inequality(Gt(psi(-x), 0), on={x: (0, sp.oo)}, zeros={x: (0, 2)})

# %% [markdown]
# With $F = E d^2/(E d)^2 = E D^2 = 1 + \operatorname{Var}D$ and $E\psi(\kappa d) = G\psi(q)$, $1 \le G \le F$:
#
# $$r - LB = \frac fm(G - 1)\psi(q) \ge 0,\qquad F\,LB - r = \frac{(F-1)(m-\kappa) + f(F - G)\psi(q)}{m} \ge 0.$$

# %%
P = sp.Symbol("P", positive=True)  # psi(q)
rate, lower = (m - kappa + f * G * P) / m, (m - kappa + f * P) / m
theorem = paper.claim("CLW-X.theorem-A")
theorem.equal(rate - lower, f * (G - 1) * P / m, using=["CLW-X.obsolescence-psi", "CLW-X.key-bound"])
theorem.equal(F * lower - rate, ((F - 1) * (m - kappa) + f * (F - G) * P) / m, using=["CLW-X.kappa-jensen"])
above_one, room, slack = sp.symbols("y z e", positive=True)  # G = 1 + y, F = G + z, m = kappa + e: all terms below are positive
theorem.equal((rate - lower).subs(G, 1 + above_one), f * above_one * P / m, using=["CLW-X.obsolescence-psi", "CLW-X.key-bound"])
theorem.equal(
    (F * lower - rate).subs({F: 1 + above_one + room, G: 1 + above_one, m: kappa + slack}),
    ((above_one + room) * slack + f * room * P) / (kappa + slack), using=["CLW-X.kappa-jensen"],
)
second, first = sp.symbols("second first", positive=True)
variance = second - first**2
factor = theorem.equal(1 + variance / first**2, second / first**2)
theorem.export(
    "guarantee_factor", second / first**2, of=factor, args={"mean_gap": first, "mean_square_gap": second}, ulps=4,
    domain={"mean_gap": "> 0", "mean_square_gap": "> 0"},
    describe={
        "mean_gap": "E d, mean distance between accesses to the page",
        "mean_square_gap": "E d^2",
    },
    sample={"mean_gap": (1, 1e9), "mean_square_gap": (1, 1e18)},
    summary="Theorem A: a non-adaptive schedule has an obsolescence rate of at most this factor times the bound.",
)

# %% [markdown]
# **Trying to break it.** All ways to place the accesses to one page in a cycle of 9 (compositions of 9 into gaps), three
# laws, in balls: $X$ constant with $\mu$ small, medium, large. The lower side alone, and a factor without the
# square, must fail somewhere.

# %%
def compositions(total):
    """All tuples of positive integers with this sum."""
    for cuts in itertools.product((False, True), repeat=total - 1):
        parts, size = [], 1
        for cut in cuts:
            if cut:
                parts.append(size)
                size = 1
            else:
                size += 1
        yield (*parts, size)


def sides(case):
    """r, LB and the factor, as balls, for X = 1 and a cyclic schedule with these gaps."""
    gaps, change_rate = case
    cycle, visits = sum(gaps), len(gaps)
    with ctx.workprec(160):
        k, share = arb(change_rate), arb(fmpq(visits, cycle))
        out_of_date = sum((arb(gap) * k - 1 + (-k * gap).exp() for gap in gaps), arb(0)) / (k * cycle)
        lower_bound = 1 - share / k * (1 - (-k / share).exp())
        factor = arb(fmpq(visits * sum(gap * gap for gap in gaps), cycle * cycle))
    return out_of_date, lower_bound, factor


def even(gaps):
    return len(set(gaps)) == 1


cases = [(gaps, k) for gaps in compositions(9) for k in (fmpq(1, 100), fmpq(1), fmpq(7)) if not even(gaps)]


def holds(case):
    out_of_date, lower_bound, factor = sides(case)
    return bool(lower_bound < out_of_date and out_of_date < factor * lower_bound)


def without_square(case):
    out_of_date, lower_bound, factor = sides(case)
    return bool(out_of_date < factor.sqrt() * lower_bound)


def at_most_the_bound(case):
    out_of_date, lower_bound, _ = sides(case)
    return bool(out_of_date <= lower_bound)


theorem.instances(
    cases, holds, wrong={"square root of the factor": without_square, "no factor": at_most_the_bound},
    what="uneven cyclic schedules of length 9, three rates", kind="enclosed",
)

# %% [markdown]
# **Sharp.** With $X$ constant, $m = \kappa$ and $r/LB = G(q)$, $q = \mu X/f$: it tends to $E D^2$ for $\mu \to 0$ and to 1 for $\mu \to \infty$. For each gap:

# %%
sharp = paper.claim("CLW-X.theorem-A-sharp")
sharp.equal((rate / lower).subs(m, kappa), G)
sharp.limit(psi(q * D) / psi_q, q, 0, D**2)
sharp.limit(psi(q * D) / psi_q, q, sp.oo, D)

# %% [markdown]
# **The total cost.** With $c_i = c_0\mu_i$ and the frequencies (10), $q = \kappa_i/f_i = Q$ is the same for all pages, and page $i$ costs
# $c_0\nu(m_i - \kappa_i + f_iG_i\psi(Q))$. Add up over the pages, with $R = \sum(m_i - \kappa_i) \ge 0$ and $\Phi = \sum f_iE D_i^2 \ge 1$:

# %%
Q, R, Phi = sp.symbols("Q R Phi", positive=True)
total = paper.claim("CLW-X.theorem-A-cost")
total.equal(c0 * mu * rate.subs(m, mu / nu), c0 * nu * (mu / nu - kappa + f * G * P))
total.equal(
    Phi * c0 * nu * (R + psi(Q)) - c0 * nu * (R + Phi * psi(Q)), c0 * nu * (Phi - 1) * R,
    using=["CLW-X.theorem-A", "CLW-T3.4g", "CLW-T3.4i"],
)
total.equal(c0 * nu * (R + psi(Q)).subs(R, mu / nu - Q), c0 * (mu - nu + nu * sp.exp(-Q)))

# %% [markdown]
# The last line is Theorem 3.4's value ($\prod h_i = e^{-Q}$), so $C/C^* \le \Phi$.
#
# **The randomized policy.** Its gaps start anew with every access: $d = 1$ with probability $f$, else $1 + d'$. The first two moments
# solve $M_1 = 1 + (1-f)M_1$ and $M_2 = 1 + (1-f)(2M_1 + M_2)$:

# %%
M1, M2 = 1 / f, (2 - f) / f**2
geometric = paper.claim("CLW-X.theorem-A-randomized")
geometric.equal(1 + (1 - f) * M1, M1, sample={f: (0, 1)})
geometric.equal(1 + (1 - f) * (2 * M1 + M2), M2, sample={f: (0, 1)})
geometric.equal(M2 / M1**2, 2 - f, sample={f: (0, 1)})
