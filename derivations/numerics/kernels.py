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
# # How good the float64 kernels are
#
# $\psi(x) = x - 1 + e^{-x}$, $\varphi_1(x) = (1 - e^{-x})/x$, $\chi = \psi/x$ and $\psi_2 = \psi/x^2$ are computed by a series below
# a switch point and in closed form above it. Here: what the series leaves out, how far an exponential
# that is good to one ulp spoils the closed forms, and the errors as measured. The rounding of the series branches
# is measured only.

# %%
import numpy as np
import sympy as sp

from claimproof import Paper
from claimproof.engines import ulps
from crawlproof.kernels import float64, multiprecision

paper = Paper("numerics")
x = sp.Symbol("x", positive=True)
psi = x - 1 + sp.exp(-x)

# %% [markdown]
# ## What the series leaves out

# %%
terms = float64.SERIES_TERMS
left_out = x**terms / sp.factorial(terms + 3)
paper.claim("NUM-series").inequality(
    sp.Lt(left_out, (sp.Rational(1, 6) - x / 24) / 2**60), on={x: (0, sp.Rational(8, 5))}
)

# %% [markdown]
# ## The closed forms
# The exponential brings $2u\,e^{-x}$ of absolute error; each claim sets it against the result. The switch points are those
# of the code.

# %%
switch = {name: sp.Rational(getattr(float64, f"{name}_SWITCH")) for name in ("PSI", "PHI1", "CHI", "PSI2")}


def beyond(name):
    """An open half-line that contains the switch point."""
    return {x: (switch[name] - sp.Rational(1, 100), sp.oo)}


paper.claim("NUM-psi").inequality(sp.Lt(2 * sp.exp(-x), 4 * psi), on=beyond("PSI"))
paper.claim("NUM-phi1").inequality(sp.Lt(2 * sp.exp(-x), 2 * (1 - sp.exp(-x))), on=beyond("PHI1"))
paper.claim("NUM-chi").inequality(sp.Lt(2 * sp.exp(-x), 2 * psi), on=beyond("CHI"))
paper.claim("NUM-psi2").inequality(sp.Lt(2 * sp.exp(-x), psi), on=beyond("PSI2"))

# %% [markdown]
# ## As measured
# Against 60 digits, over the whole positive range and around the switch points. Sampling proves nothing: it is named
# for what it is, and each bound would be missed by a function with twice the stated error on top.

# %%
REGIONS = ((5e-324, 1.7e308), (1e-3, 64.0), (0.7, 1.8))


def measure(name, columns):
    paper.claim(f"NUM-{name}-ulps").measured(
        getattr(float64, name), getattr(multiprecision, name), columns, ulps=float64.STATED_ULPS[name], what=name
    )


for name in ("psi", "phi1", "chi", "psi2", "price_at_age"):
    points = np.concatenate([ulps.log_uniform(low, high, 300, seed=1) for low, high in REGIONS])
    measure(name, [points])
measure("age_at_price", [ulps.log_uniform(1e-300, 1 - 2.0**-53, 600, seed=1)])

# %% [markdown]
# The gamma mixtures, over shapes from tiny to huge and around 1:

# %%
shape = np.concatenate([
    ulps.log_uniform(1e-6, 1e9, 300, seed=5), ulps.log_uniform(0.1, 10.0, 150, seed=6), 1 + np.linspace(-1e-6, 1e-6, 151),
])
age = np.concatenate([ulps.log_uniform(1e-12, 1e6, 450, seed=7), ulps.log_uniform(1e-9, 1e4, 151, seed=8)])
measure("gamma_chi", [shape, age])
measure("gamma_price", [shape, age])

# %% [markdown]
# The excesses $E[X] - \kappa/\mu$ and $1 - \kappa/(\mu E[X])$ are differences that cancel where changes are rare: the
# arguments are drawn so that $\kappa$ is anything from a millionth of $\mu E[X]$ up to $\mu E[X]$ itself.

# %%
mean = ulps.log_uniform(1e-3, 1e3, 600, seed=2)
rate = ulps.log_uniform(1e-290, 1e3, 600, seed=3)
share = ulps.log_uniform(1e-6, 1.0, 600, seed=4)
kappa = share * rate * mean * (1 - 2.0**-50)
measure("mean_excess", [mean, kappa, rate])
measure("relative_excess", [mean, kappa, rate])

# %% [markdown]
# What the claims on the closed forms need from arithmetic is standard: one rounding per operation, and Sterbenz's
# lemma for the exact difference $x - 1$.

# %%
for name in ("psi", "phi1", "chi", "psi2"):
    paper.claim(f"NUM-{name}").argued(
        "first-order rounding", "each of the operations named adds at most u of relative error"
    )
