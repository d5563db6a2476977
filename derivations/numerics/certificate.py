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
# # What a certificate may lose to rounding
#
# The solver returns frequencies $x$ and a price $\lambda$. Its certificate compares
#
# $$\sum a\kappa\,\chi(\kappa/x) \quad\text{with}\quad \sum a\kappa\,(1 - e^{-t}) - \lambda, \qquad \lambda = a\,(1 - (1+t)e^{-t}),$$
#
# the cost of the frequencies and the dual bound of the price, both without the part that no frequency can change. All terms are
# positive, so a sum keeps the relative error of its terms. Left to see: that an error of the age $t$ is not blown up, and that
# subtracting $\lambda$ does not cancel.

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from claimproof import Paper
from crawlproof.kernels import float64

paper = Paper("numerics")
t, v = sp.symbols("t v", positive=True)
delta = sp.Symbol("delta", real=True)

# %% [markdown]
# ## The age in a value
# The logarithmic derivative of $1 - e^{-t}$ in $\ln t$ is $te^{-t}/(1 - e^{-t})$. It is below 1 because $e^t > 1 + t$.

# %%
value = 1 - sp.exp(-t)
dual_age = paper.claim("NUM-dual-age")
dual_age.equal(t * sp.diff(value, t), t * sp.exp(-t))
dual_age.inequality(sp.Gt(value - t * sp.exp(-t), 0, evaluate=False), on={t: (0, sp.oo)}, zeros={t: (0, 2)}, tail={t: 20})

# %% [markdown]
# ## The age in a cost
# With $\chi(t) = (t - 1 + e^{-t})/t$, $t\chi'(t) = (1 - (1+t)e^{-t})/t$, and $\chi(t) - t\chi'(t)$ is $(t - 2 + (t+2)e^{-t})/t$.

# %%
chi = (t - 1 + sp.exp(-t)) / t
price = 1 - (1 + t) * sp.exp(-t)
stale_age = paper.claim("NUM-stale-age")
stale_age.equal(t * sp.diff(chi, t), price / t)
stale_age.equal(chi - price / t, (t - 2 + (t + 2) * sp.exp(-t)) / t)
stale_age.inequality(
    sp.Gt(t - 2 + (t + 2) * sp.exp(-t), 0, evaluate=False), on={t: (0, sp.oo)}, zeros={t: (0, 3)}, tail={t: 20}
)
stale_age.inequality(sp.Gt(price, 0, evaluate=False), on={t: (0, sp.oo)}, zeros={t: (0, 2)}, tail={t: 20})

# %% [markdown]
# ## What a page pays is less than what it costs
# $\lambda x = \lambda\kappa/t$ is $a\kappa$ times $(1 - (1+t)e^{-t})/t$: the same two functions.

# %%
a, kappa = sp.symbols("a kappa", positive=True)
paper.claim("NUM-price-share").equal(
    a * kappa * chi - a * price * kappa / t, a * kappa * (t - 2 + (t + 2) * sp.exp(-t)) / t, using=["NUM-stale-age"]
)

# %% [markdown]
# ## The step that finds an age
# $f(v) = v - \ln(1+v)$ has $f'(v) = v/(1+v)$. One Newton step is off by the square of what the start was off by, and the
# second term of the inverse series takes that away.

# %%
f = v - sp.log(1 + v)
step = (f.subs(v, v + delta) - f) * (1 + v) / v
age_step = paper.claim("NUM-age-step")
age_step.series(step, delta, 0, 3, delta + delta**2 / (2 * v * (1 + v)))
age_step.series(step - step**2 / (2 * v * (1 + v)), delta, 0, 3, delta)

# %% [markdown]
# The starting value of the kernel is a polynomial in $w = \sqrt{2f}$, within $2^{-27}$ of the age; the cube of that is nothing
# in float64. Both polynomials:

# %%
figure, axes = plt.subplots(figsize=(7, 3))
for low, high, coefficients in ((1e-3, float64.AGE_SWITCH, float64.AGE_NEAR), (float64.AGE_SWITCH, 8.58, float64.AGE_FAR)):
    ages = np.linspace(*(float64.age_at_price(-np.expm1(-w * w / 2)) for w in (low, high)), 400)
    w = np.sqrt(2 * float64.less_log1p(ages))
    axes.semilogy(w, np.abs(w * np.polynomial.Polynomial(coefficients)(w) / ages - 1) + 1e-17, lw=1)
axes.axhline(2.0**-27, color="0.6", ls="--", lw=0.8)
axes.set_xlabel("$w$")
axes.set_ylabel("relative error of the start")
figure.tight_layout()
plt.show()
