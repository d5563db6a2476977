# %% [markdown]
# # General weights: dropped pages, one multiplier, and a closed form
#
# For weights $c_i$ that are not proportional to the change rates the paper says that (8) and (9) are necessary and
# sufficient for (7), that Lagrange multipliers still solve the problem, and that it has no closed form. The first two
# need a condition, and the third can be narrowed down:
#
# * (8), (9) are sufficient, not necessary: a page whose first access is worth too little is **dropped**;
# * so they solve the problem only when no page drops out;
# * and there is a closed form up to one scalar, the multiplier: $x_i = \ln h_i/(1 + W_{-1}((\lambda/a_i - 1)/e))$.
#
# Notation: $a_i = c_i/(\mu_iE[X])$ (worth of the first access), $\kappa_i = -\ln h_i$, $t_i = \kappa_i/x_i$ (the *age*),
# $g(t) = 1 - (1+t)e^{-t}$, $\psi(z) = z - 1 + e^{-z}$. The summand of (7) is $\varphi(x) = c - a x(1 - e^{-\kappa/x})$, $\varphi(0) = c$.
# Everything is done page by page, so $N$ is arbitrary throughout.

# %%
import functools

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from claimproof import Paper
from crawlproof.kernels import float64
from crawlproof.kernels.symbolic import age_at_price, phi1

paper = Paper("clw")

# Relations stay as they are written; otherwise sympy decides the easy ones itself.
Gt, Lt = (functools.partial(relation, evaluate=False) for relation in (sp.Gt, sp.Lt))

a, c, kappa, x, t, z, h, k, lam, s = sp.symbols("a c kappa x t z h k lambda s", positive=True)
mu, nu, c0, c2, Q = sp.symbols("mu nu c0 c2 Q", positive=True)


def psi(value):
    """psi written out, so that each identity below is elementary."""
    return value - 1 + sp.exp(-value)


def g(age):
    """The price at which a page of this age is content."""
    return 1 - (1 + age) * sp.exp(-age)


page_cost = c - a * x * (1 - sp.exp(-kappa / x))
page_cost

# %% [markdown]
# ## The marginal gain
#
# It starts at $a$, not at infinity, and falls strictly to 0.

# %%
gain = -sp.diff(page_cost, x)
marginal = paper.claim("CLW-X.weights-marginal")
marginal.equal(gain, a * g(kappa / x))
marginal.equal(sp.diff(gain, x), -a * kappa**2 / x**3 * sp.exp(-kappa / x))
marginal.inequality(Gt(kappa**2 / x**3 * sp.exp(-kappa / x), 0), on={x: (0, sp.oo), kappa: (0, sp.oo)})
marginal.limit(gain, x, 0, a)
marginal.limit(gain, x, sp.oo, 0)

# %% [markdown]
# ## A page and a price
#
# Charge $\lambda$ per unit of frequency. A page with $\lambda = a\,g(t)$ buys $x^* = \kappa/t$, and any other purchase costs more, by
# an amount that one can write down:

# %%
best = page_cost.subs(x, kappa / t) + a * g(t) * kappa / t
gap = paper.claim("CLW-X.weights-gap")
gap.equal(page_cost + a * g(t) * x - best, a * x * sp.exp(-t) * psi(kappa / x - t))
gap.inequality(Gt(psi(z), 0), on={z: (0, sp.oo)}, zeros={z: (0, 2)})
gap.inequality(Gt(psi(-z), 0), on={z: (0, sp.oo)}, zeros={z: (0, 2)})

# %% [markdown]
# A page with $a \le \lambda$ buys nothing: every purchase costs more than it saves. (`lam` is $\lambda$; $\varphi(0) = c$.)

# %%
dropped = paper.claim("CLW-X.weights-dropped")
dropped.equal(page_cost + lam * x, c + (lam - a) * x + a * x * sp.exp(-kappa / x))
dropped.inequality(
    Gt(a * x * sp.exp(-kappa / x), 0), on={a: (0, sp.oo), x: (0, sp.oo), kappa: (0, sp.oo)}
)

# %% [markdown]
# ## The closed form
#
# $\lambda/a = k$ asks for $(1 + t)e^{-t} = 1 - k$. With $W = -(1 + t)$ this is $We^W = (k - 1)/e$, and $t > 0$ means $W < -1$: the branch
# $W_{-1}$. Parametrised by $t$ the check has no branch left to choose: $k = g(t)$, and $-(1+t)$ is the number below $-1$
# whose $We^W$ is $(k-1)/e$.

# %%
closed = paper.claim("CLW-X.weights-closed-form")
W = -(1 + t)
closed.equal(W * sp.exp(W), (g(t) - 1) / sp.E)
closed.equal(gain.subs({x: sp.log(h) / (1 + W)}).subs(h, sp.exp(-kappa)), a * g(t))
closed.inequality(Gt(t * sp.exp(-t), 0), on={t: (0, sp.oo)})
closed.limit(g(t), t, 0, 0)
closed.limit(g(t), t, sp.oo, 1)

# %% [markdown]
# ($g$ rises strictly from 0 to 1, as $g' = te^{-t} > 0$, so each $0 < k < 1$ has exactly one $t$.) Numerically the logarithm of
# the same equation is better: $t - \ln(1+t) = -\ln(1-k)$, well conditioned at both ends.

# %%
age = paper.claim("CLW-X.weights-age")
age.equal(sp.exp(-(t - sp.log(1 + t))), 1 - g(t))
age.equal(sp.diff(t - sp.log(1 + t), t), t / (1 + t))
age.inequality(Gt(t / (1 + t), 0), on={t: (0, sp.oo)})
age.limit(t - sp.log(1 + t), t, 0, 0)
age.limit(1 / (t - sp.log(1 + t)), t, sp.oo, 0)

# %% [markdown]
# For a given price, solve "marginal gain $= ak$" for $x$, with $y = e^{-\kappa/x}$ still in it. For $t = \kappa/x = -1 - W$ the definition
# $We^W = (k-1)/e$ says $y = e^{-t} = (k-1)/W$, and what comes out is $\kappa/t$ again. The form that is compiled has a kernel for this $t$.

# %%
still_fresh = sp.Symbol("y", positive=True)
(content,) = sp.solve(sp.Eq(sp.expand(gain).subs(sp.exp(-kappa / x), still_fresh), a * k), x)
branch = sp.LambertW((k - 1) * sp.exp(-1), -1)
at_price = closed.equal(
    content.subs(still_fresh, (k - 1) / branch), -kappa / (1 + branch), where=[k < 1], sample={k: (0, 1)}
)
closed.export(
    "frequency_at_price", kappa / age_at_price(k), of=at_price,
    args={"log_inverse_laplace": kappa, "relative_price": k}, ulps=8,
    domain={"log_inverse_laplace": "> 0", "relative_price": "> 0 and < 1"},
    describe={
        "log_inverse_laplace": "kappa = ln(1/h) of the page, h = E exp(-mu X)",
        "relative_price": "lambda/a, price over worth a = c/(mu E X); from 1 on the page is dropped",
    },
    sample={"log_inverse_laplace": (1e-9, 1e3), "relative_price": (1e-12, 0.999999)},
    summary="Optimal access frequency of a page at a given price, general weights.",
)

# %% [markdown]
# ## One multiplier
#
# Along the curve $\lambda = a\,g(t)$, $x = \kappa/t$:

# %%
slope = sp.diff(kappa / t, t) / sp.diff(a * g(t), t)
multiplier = paper.claim("CLW-X.weights-multiplier")
multiplier.equal(slope, -kappa * sp.exp(t) / (a * t**3))
multiplier.inequality(
    Lt(-kappa * sp.exp(t) / (a * t**3), 0), on={t: (0, sp.oo), kappa: (0, sp.oo), a: (0, sp.oo)}
)
multiplier.limit(kappa / t, t, sp.oo, 0)
multiplier.limit(t / kappa, t, 0, 0)
multiplier.argued(
    "a sum of decreasing functions", "x_i is continuous and falls strictly from infinity to 0 on (0, a_i), and is 0 from there on; so the sum over any "
    "number of pages is continuous, falls strictly on (0, max a_i) and takes the value 1 exactly once", using=["CLW-X.weights-marginal"],
)

# %% [markdown]
# As $t$ runs from $\infty$ to 0 the price falls from $a$ to 0 and $x$ rises from 0 to $\infty$: $x(\lambda)$ is continuous, also at $a$
# where it becomes 0. The sum $S(\lambda)$ over any number of pages is continuous, infinite at $0+$ and zero from $\max a_i$
# on, and on $(0, \max a_i)$ it falls strictly because the page with the largest $a_i$ does. So $S(\lambda) = 1$ has
# exactly one root.
#
# ## The conditions of Kuhn and Tucker
#
# At that root, add the gap identities of all pages: for every feasible $x$,
#
# $$C(x) - C^* = \sum_{\text{kept}}a_ix_ie^{-t_i}\psi(\kappa_i/x_i - t_i)
#     + \sum_{\text{dropped}}x_i\bigl(\lambda - a_i + a_ie^{-\kappa_i/x_i}\bigr) \ge 0,$$
#
# with equality only at $x_i = x_i(\lambda)$. (A kept page that gets nothing still adds $a_i\kappa_ie^{-t_i} > 0$.) So the solution of (7)
# is unique, it satisfies the conditions of Kuhn and Tucker, and whatever satisfies them, or (8) and (9) with $x > 0$, is it.

# %%
kkt = paper.claim("CLW-X.weights-kkt")
kkt.equal(gain.subs(x, kappa / t), a * g(t))

# %% [markdown]
# Here is the sum for three pages, two kept (with ages $t_1, t_2$ and frequencies $y$, $1 - y$) and one dropped, against any feasible $x$; the identity is separable, so
# more pages only add more terms.

# %%
t1, t2, y, x1, x2, k3, a3 = sp.symbols("t1 t2 y x1 x2 kappa3 a3", positive=True)
x3 = 1 - x1 - x2
kept = [(lam / g(t1), t1 * y, t1, x1, y), (lam / g(t2), t2 * (1 - y), t2, x2, 1 - y)]  # worth, kappa, age, frequency, best frequency


def gained(worth, decay, frequency):
    return worth * frequency * (1 - sp.exp(-decay / frequency))


best_gain = sum(gained(worth, decay, best_x) for worth, decay, _, _, best_x in kept)
other_gain = sum(gained(worth, decay, any_x) for worth, decay, _, any_x, _ in kept) + gained(a3, k3, x3)
losses = sum(worth * any_x * sp.exp(-age_) * psi(decay / any_x - age_) for worth, decay, age_, any_x, _ in kept)
kkt.equal(
    best_gain - other_gain, losses + x3 * (lam - a3 + a3 * sp.exp(-k3 / x3)), where=[y < 1, x1 + x2 < 1],
    sample={y: (0, 1), x1: (0, sp.Rational(1, 2)), x2: (0, sp.Rational(1, 2)), t1: (0, 3), t2: (0, 3)},
    using=["CLW-X.weights-gap", "CLW-X.weights-dropped", "CLW-X.weights-multiplier"],
)
kkt.limit(a * x * sp.exp(-t) * psi(kappa / x - t), x, 0, a * kappa * sp.exp(-t))
kkt.inequality(
    Gt(a * kappa * sp.exp(-t), 0), on={a: (0, sp.oo), kappa: (0, sp.oo), t: (0, sp.oo)},
    using=["CLW-X.weights-gap", "CLW-X.weights-dropped", "CLW-X.weights-multiplier"],
)

# %% [markdown]
# ## (8) and (9) are not necessary
#
# Two pages, $X = 1$, $\mu = (1, 1)$, $c = (1, c_2)$; so $\kappa = (1, 1)$ and $a = (1, c_2)$. Give page 1 everything: its marginal gain
# is $g(1) = 1 - 2/e \approx 0.264$. With $c_2 = 1/4$ the first access to page 2 is worth less than that, and $x = (1, 0)$ is the minimum.
# (8) would ask both pages for the same $\lambda$:

# %%
necessary = paper.claim("CLW-T3.4c")
necessary.refute(sp.Eq(1 - 2 * sp.exp(-1), c2), witness={c2: sp.Rational(1, 4)}, hypotheses=[c2 > 0])

# %% [markdown]
# Is $(1, 0)$ really the minimum, and is there no solution of (8), (9) elsewhere? For every $0 < x_1 < 1$ the age $t = 1/x_1$ is
# above 1 and page 1 gains more than page 2 possibly can: $g(t) > 1/4$. So the cost falls all the way to $x_1 = 1$.

# %%
kkt.inequality(Gt(g(t), sp.Rational(1, 4)), on={t: (1, sp.oo)})

# %% [markdown]
# If every page has a positive frequency at the minimum, (8) and (9) are necessary, being the conditions for a stationary point inside the simplex, and
# sufficient: for two pages that satisfy them, with ages $t_1, t_2$ and frequencies $y$, $1 - y$, against any other $x_1$, $1 - x_1$:

# %%
interior = "every x_i > 0 at the minimum, as for c_i = c_0 mu_i"
(worth1, decay1, *_), (worth2, decay2, *_) = kept
necessary.equal(gain.subs(x, kappa / t), a * g(t), given=interior, using=["CLW-X.weights-kkt"])
necessary.equal(
    gained(worth1, decay1, y) + gained(worth2, decay2, 1 - y) - gained(worth1, decay1, x1) - gained(worth2, decay2, 1 - x1),
    worth1 * x1 * sp.exp(-t1) * psi(decay1 / x1 - t1) + worth2 * (1 - x1) * sp.exp(-t2) * psi(decay2 / (1 - x1) - t2),
    where=[y < 1, x1 < 1], sample={y: (0, 1), x1: (0, 1), t1: (0, 3), t2: (0, 3)}, given=interior, using=["CLW-X.weights-gap"],
)

# %% [markdown]
# In general page $i$ is dropped exactly when the others, at price $a_i$, would already take the whole robot:
# $\lambda \ge a_i \Leftrightarrow S(a_i) \ge S(\lambda) = 1$. In the example $S(c_2) \ge 1$ means that page 1 buys at least 1, so its age at price $c_2$ is at
# most 1: $c_2 \le g(1)$.

# %%
validity = paper.claim("CLW-X.weights-validity")
validity.equal(g(t).subs(t, 1), 1 - 2 / sp.E, using=["CLW-X.weights-multiplier", "CLW-X.weights-kkt"])
validity.inequality(Lt(g(t), 1 - 2 / sp.E), on={t: (0, 1)}, zeros={t: (1, 1)})
validity.inequality(Gt(g(t), 1 - 2 / sp.E), on={t: (1, sp.oo)}, zeros={t: (1, 1)})

# %% [markdown]
# So the paper's remark (and the 1999 version's announcement before Theorem 3.4), read as a statement on (8) and (9), needs a condition; with it, the
# closed form solves (8) and (9). The remark itself speaks of Lagrange multipliers only: with one more multiplier for each $x_i \ge 0$ it is right.

# %%
for name in ("CLW-S3.7", "CLW-S3.7a"):
    remark = paper.claim(name)
    remark.refute(Lt(1 - 2 * sp.exp(-1), c2), witness={c2: sp.Rational(1, 4)}, hypotheses=[c2 > 0])
    remark.equal(
        gain.subs(x, kappa / t), a * g(t),
        given="no page drops out: sum of x_i(a_min) < 1 at the price a_min = min c_i/(mu_i E X)",
        using=["CLW-X.weights-validity", "CLW-X.weights-closed-form", "CLW-X.weights-kkt"],
    )

# %% [markdown]
# **Proportional weights.** With $c_i = c_0\mu_i$ all $a_i = c_0\nu$ are equal: a price that drops one page drops all, so none is
# dropped; all ages agree, and $\sum\kappa_i/t = 1$ makes the age $Q$: this is (10).

# %%
proportional = paper.claim("CLW-X.weights-proportional")
proportional.equal((c * nu / mu).subs(c, c0 * mu), c0 * nu)
proportional.equal(sp.solve(sp.Eq(Q / t, 1), t)[0], Q)

# %% [markdown]
# ## The value, and the dual function
#
# The least that a page pays, access and staleness together, is $c - a\kappa e^{-t}$; its derivative in the price is the
# frequency that it buys.

# %%
value = paper.claim("CLW-X.weights-cost")
value.equal(best, c - a * kappa * sp.exp(-t))
dual = paper.claim("CLW-X.weights-dual")
dual.equal(sp.diff(c - a * kappa * sp.exp(-t), t) / sp.diff(a * g(t), t), kappa / t)
dual.inequality(Gt(psi(z), 0), on={z: (0, sp.oo)}, zeros={z: (0, 2)}, using=["CLW-X.weights-gap", "CLW-X.weights-dropped"])
dual.inequality(Gt(psi(-z), 0), on={z: (0, sp.oo)}, zeros={z: (0, 2)})

# %% [markdown]
# For the solvers without cancellation: $a = c/m$ with $m = \mu E[X]$, and with the relative excess $\rho = 1 - \kappa/m \ge 0$ (it is zero
# for constant $X$) the value of a kept page is $c\,(\rho + (1-\rho)(1 - e^{-t}))$, a sum of non-negative terms.

# %%
rho = sp.Symbol("rho", nonnegative=True)
m = sp.Symbol("m", positive=True)
at_age = value.equal((c - a * kappa * sp.exp(-t)).subs({a: c / m}).subs(kappa, m * (1 - rho)),
                     c * (1 - (1 - rho) * sp.exp(-t)), sample={rho: (0, 1)})
value.export(
    "page_value_at_age", c * (rho + (1 - rho) * t * phi1(t)), of=at_age,
    args={"weight": c, "relative_excess": rho, "age": t}, ulps=8,
    domain={"weight": "> 0", "relative_excess": ">= 0 and < 1", "age": "> 0"},
    describe={
        "weight": "weight c of the page",
        "relative_excess": "rho = 1 - kappa/(mu E X); zero when X is constant",
        "age": "kappa/x at the optimum",
    },
    sample={"weight": (1e-6, 1e6), "relative_excess": (0, 0.999), "age": (1e-12, 1e3)},
    summary="Least cost of a page, price of its accesses included: its part of the dual function.",
    nonnegative=True,
)

# %% [markdown]
# *Figure.* Above: the dual function of six pages, from valuable to worthless, against the price; below: the accesses that the pages buy at that price. The dual function is concave; its slope is $S(\lambda) - 1$; each page leaves at its own
# $a_i$, and at the top the price is right.

# %%
worth = np.array([3.0, 2.0, 1.2, 0.7, 0.35, 0.15])
kappas = np.array([0.4, 0.8, 0.3, 0.6, 1.0, 0.5])
weights = worth * kappas  # X constant: mu E X = kappa


def ages(price):
    """Ages of the pages at a price; infinite for dropped pages."""
    kept = price < worth
    return np.where(kept, float64.age_at_price(np.where(kept, price / worth, 0.5)), np.inf)


def dual_value(price):
    return weights.sum() - (worth * kappas * np.exp(-ages(price))).sum() - price


prices = np.linspace(0.02, 3.2, 500)
values = np.array([dual_value(price) for price in prices])
demand = np.array([(kappas / ages(price)).sum() for price in prices])
top = int(values.argmax())

figure, (upper, lower) = plt.subplots(2, 1, figsize=(7, 5.5), sharex=True, height_ratios=(2, 1))
upper.plot(prices, values, color="tab:blue")
upper.plot(prices[top], values[top], "o", color="tab:red")
upper.annotate("maximum of the dual\n= minimum of (7)", (prices[top], values[top] - 0.1), ha="center", va="top", color="tab:red")
for number, edge in enumerate(worth, start=1):
    upper.axvline(edge, color="0.75", lw=0.8, ls="--" if edge > prices[top] else "-")
    upper.text(edge, values.min(), f" {number}", color="0.4", fontsize=8)
upper.set_ylabel("dual function")
upper.set_title("Page $i$ leaves at price $a_i$ (solid: dropped at the optimum)", fontsize=10)
lower.semilogy(prices, np.maximum(demand, 1e-3), color="tab:green")
lower.axhline(1, color="0.4", lw=0.8)
lower.set_ylabel(r"demand $\sum_i x_i(\lambda)$")
lower.set_xlabel(r"price $\lambda$")
figure.tight_layout()
plt.show()
