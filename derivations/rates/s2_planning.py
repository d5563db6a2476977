# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Planning for what is not known
#
# A page's rate is gamma distributed with shape $a$ and rate parameter $b$: what its log and those of all pages say about it. Accesses take a time $m$ each and
# come at equal distances, $m/f$. Which frequencies make the *expected* cost least?

# %%
import sympy as sp
from sympy.codegen.cfunctions import log1p

from claimproof import Paper
from claimproof.session.rules import substitution
from crawlproof.kernels.symbolic import gamma_chi, gamma_price, phi1

paper = Paper("rates")
r, s, a, b, t, c, kappa, f, m = paper.symbols("r s a b t c kappa f m")
p, tau, w = sp.symbols("p tau w", positive=True)

# %% [markdown]
# ## Cost
# A time $s$ after an access the page is up to date with probability $E\,e^{-rs} = (1 + s/b)^{-a}$. In units in which the mean rate is 1, $b = a$.

# %%
def lost(age):
    """What is out of date from one access to an age, in units of a change to expect."""
    return age - a * (1 - (1 + age / a) ** (1 - a)) / (a - 1)


obsolescence = 1 - a * (1 - (1 + t / a) ** (1 - a)) / ((a - 1) * t)
cost = paper.claim("RATES-expected-obsolescence")
cost.equal(sp.diff(lost(s), s), 1 - (1 + s / a) ** (-a))
proof = cost.equal((lost(t) - lost(0)) / t, obsolescence)
cost.follows(because="the share of time is the integral of what is expected at each age, over the time between two accesses", using=["RATES-expected-decay"])
cost.export(
    "uncertain_obsolescence", gamma_chi(a, t), of=proof,
    args={"shape": a, "age": t}, ulps=16,
    domain={"shape": "> 0", "age": "> 0"},
    describe={
        "shape": "a, the squared mean of the rate over its variance",
        "age": "t, changes to expect between two accesses",
    },
    sample={"shape": (1e-4, 1e8), "age": (1e-9, 1e6)},
    summary="Share of the time for which a page is expected to be out of date, its rate being gamma distributed.",
)

# %% [markdown]
# In accesses, $t = am/(fb)$:

# %%
paper.claim("RATES-expected-in-accesses").by(substitution, proof, values={t: a * m / (f * b)})
in_accesses = proof.substituted({t: a * m / (f * b)}).verified
in_accesses

# %% [markdown]
# ## Both ends of the shape

# %%
one = paper.claim("RATES-shape-one")
one.limit(obsolescence, a, 1, 1 - sp.log(1 + t) / t, using=["RATES-expected-obsolescence"])
infinite = paper.claim("RATES-shape-infinite")
infinite.limit((1 + t / a) ** (-a), a, sp.oo, sp.exp(-t))
infinite.equal((t - (1 - sp.exp(-t))) / t, (t - 1 + sp.exp(-t)) / t)
infinite.follows(because="the integrand is bounded by 1, so the limit may be taken inside", using=["RATES-expected-obsolescence"])

# %% [markdown]
# ## What more accesses save
# The cost of a page is $c$ times its obsolescence at the age $\kappa/f$.

# %%
price = a * (1 - (1 + t / a) ** (1 - a)) / (a - 1) - t * (1 + t / a) ** (-a)
page_cost = c * obsolescence.subs(t, kappa / f)
marginal = paper.claim("RATES-marginal")
saving = c / kappa * price.subs(t, kappa / f)
marginal_proof = marginal.equal(-sp.diff(page_cost, f), saving)
marginal.equal(sp.diff(price, t), t * (1 + t / a) ** (-a - 1))
marginal.equal(price.subs(t, 0), 0)
marginal.export(
    "uncertain_marginal_value", c / kappa * gamma_price(a, kappa / f), of=marginal_proof,
    args={"weight": c, "load": kappa, "shape": a, "frequency": f}, ulps=64,
    domain={"weight": "> 0", "load": "> 0", "shape": "> 0", "frequency": "> 0"},
    describe={
        "weight": "weight c of the page",
        "load": "kappa, changes to expect during one access",
        "shape": "a, the squared mean of the rate over its variance",
        "frequency": "accesses of the page per access of the robot",
    },
    sample={"weight": (1e-3, 1e3), "load": (1e-6, 1e2), "shape": (1e-2, 1e8), "frequency": (1e-4, 1)},
    summary="What one more unit of frequency of a page is expected to save, its rate being gamma distributed.",
)
convex = paper.claim("RATES-convex")
convex.equal(sp.diff(saving, f), -c * kappa / f**3 * (1 + kappa / (a * f)) ** (-a - 1), using=["RATES-marginal"])
convex.follows(because="each factor of the derivative is positive", using=["RATES-marginal"])

# %% [markdown]
# ## The first access
# For $a = 1 + z > 1$ the powers of $1 + t/a$ vanish as $t \to \infty$. For $a < 1$ the first part of $g_a$ grows like $t^{1-a}$, for $a = 1$ like a
# logarithm, while the second stays below $a$ for $a \le 1$ times a power that is smaller.

# %%
first = paper.claim("RATES-first-access")
first.equal(price.subs(a, 2), t**2 / (1 + t / 2) ** 2 / 2)
first.equal(sp.diff(sp.log(1 + t) - t / (1 + t), t), t / (1 + t) ** 2)
first.follows(
    because="g_a is the integral of s(1 + s/a)^(-a-1), which behaves as a^(a+1) s^(-a): it converges exactly for a > 1, to a/(a - 1)",
    using=["RATES-marginal"],
)

# %% [markdown]
# ## A page at a price

# %%
value = paper.claim("RATES-value")
paid = c * obsolescence + c / t * price
value_proof = value.equal(paid, c * (1 - (1 + t / a) ** (-a)), using=["RATES-marginal", "RATES-convex"])
log_age = a * log1p(t / a)
value.export(
    "uncertain_page_value", c * log_age * phi1(log_age), of=value_proof, passes=("cse",),
    args={"weight": c, "shape": a, "age": t}, ulps=8, domain={"weight": "> 0", "shape": "> 0", "age": "> 0"},
    describe={
        "weight": "weight c of the page",
        "shape": "a, the squared mean of the rate over its variance",
        "age": "t, changes to expect between two accesses at the optimum",
    },
    sample={"weight": (1e-6, 1e6), "shape": (1e-4, 1e8), "age": (1e-9, 1e6)},
    summary="Least expected cost of a page of gamma distributed rate, price of its accesses included.",
)
value.follows(because="the cost is convex in the frequency, so the least of cost and price is where the saving is the price", using=["RATES-convex"])

# %% [markdown]
# ## Weights that are change rates

# %%
itself = paper.claim("RATES-weighted-by-itself")
density = b**a * r ** (a - 1) * sp.exp(-b * r) / sp.gamma(a)
itself.equal(r * density, a / b * (b ** (a + 1) * r**a * sp.exp(-b * r) / sp.gamma(a + 1)))
itself.equal(
    a / b * in_accesses.subs(a, a + 1), a / b - f / m * (1 - (1 + m / (f * b)) ** (-a)),
    using=["RATES-expected-in-accesses"],
)
itself.follows(because="an expectation of the rate times anything is a/b times one under the other law", using=["RATES-expected-in-accesses"])

# %% [markdown]
# ## From a price to an age
# In $\tau = a\ln(1 + t/a)$, the age $t$ is $(e^{q\tau} - 1)/q$ and $(1 + t/a)^{-a}$ is $e^{-\tau}$.

# %%
wide = paper.claim("RATES-level")
q = 1 - p
age = (sp.exp(q * tau) - 1) / q
g = (1 - sp.exp(-p * tau)) / p - age * sp.exp(-tau)
flat = (1 - sp.exp(-q * tau)) / (q * tau)
wide.equal(1 - p * g, sp.exp(-p * tau) * (1 + p * tau * flat), where=[p < 1], sample={p: (0, 1)})
wide.equal(
    sp.diff(tau - sp.log(1 + p * tau * flat) / p, tau), tau * flat / (1 + p * tau * flat), where=[p < 1], sample={p: (0, 1)},
)
wide.follows(because="the logarithm of the first identity, and a derivative whose factors are positive", using=["RATES-marginal"])
narrow = paper.claim("RATES-level-narrow")
bracket = (sp.exp((1 - a) * w) - 1) / (1 - a) - (1 - sp.exp(-a * w)) / a
in_log = a * (1 - sp.exp((1 - a) * w)) / (a - 1) - a * (sp.exp(w) - 1) * sp.exp(-a * w)
narrow.equal(in_log, a**2 * bracket)
narrow.equal(sp.diff(bracket, w), sp.exp((1 - a) * w) - sp.exp(-a * w))
narrow.follows(because="1 + t/a = exp(w) in the formula for g_a", using=["RATES-marginal"])
