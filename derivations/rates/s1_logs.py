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
# # What a log says about a change rate
#
# A page changes at the epochs of a Poisson process of rate $r$. An access tells whether there was a change since the access before
# it, not how many there were; sometimes it tells when the last one was. Intervals between accesses may be of any length.

# %%
import sympy as sp

from claimproof import Paper

paper = Paper("rates")
r, I, s, a, b, U, n, q, d = paper.symbols("r I s a b U n q d")
x = sp.Symbol("x", positive=True)

# %% [markdown]
# ## One interval
# The time to the next change is exponential, whenever one starts to wait.

# %%
unchanged = paper.claim("RATES-unchanged")
unchanged.equal(sp.diff(-sp.exp(-r * s), s), r * sp.exp(-r * s))
unchanged.limit(sp.exp(-r * s), s, sp.oo, 0)
unchanged.follows(because="the probability is the integral of the density from I on, the difference of an antiderivative at its ends")

# %% [markdown]
# Intervals that don't overlap see independent parts of the process, so the likelihood of a log is the product of those of its
# intervals. The last change before an access lies $s$ back with density $re^{-rs}$, as seen backwards the process is one of the
# same kind; that there was none in a time $U$ has probability $e^{-rU}$.

# %%
likelihood = paper.claim("RATES-likelihood")
likelihood.equal(-sp.exp(-r * I) - (-sp.exp(-r * 0)), 1 - sp.exp(-r * I))
likelihood.follows(because="increments of a Poisson process over disjoint intervals are independent, and its reversal is one of the same rate")

# %% [markdown]
# ## Score and information

# %%
change = sp.log(1 - sp.exp(-r * I))
paper.claim("RATES-score").as_stated()
information = paper.claim("RATES-information")
observed = I**2 * sp.exp(r * I) / (sp.exp(r * I) - 1) ** 2
information.equal(-sp.Derivative(change, (r, 2)), observed)
information.equal((1 - sp.exp(-r * I)) * observed, I**2 / (sp.exp(r * I) - 1))
information.inequality(sp.Gt(sp.exp(x) / (sp.exp(x) - 1) ** 2, 0, evaluate=False), on={x: (0, sp.oo)})

# %% [markdown]
# ## The maximum
# The score is $\sum_j I_j/(e^{rI_j} - 1) - U$. Each term falls strictly, from infinity to 0: with $U > 0$ and at least one term there is exactly
# one root, and the score goes from positive to negative there. Without terms it is $-U < 0$; with $U = 0$ it is positive.

# %%
maximum = paper.claim("RATES-maximum")
maximum.limit((sp.exp(r * I) - 1) / I, r, 0, 0)
maximum.limit(I / (sp.exp(r * I) - 1), r, sp.oo, 0)
maximum.follows(
    because="a finite sum of terms that fall strictly from infinity to 0 takes the value U > 0 exactly once, and changes its sign there",
    using=["RATES-score", "RATES-information"],
)

# %% [markdown]
# ## In the logarithm of the rate
# With $x = rI$ and $y = \ln r$, $d/dy = x\,d/dx$. The second derivative of $\ln(1 - e^{-x})$ is negative, as $e^x(x - 1) + 1 > 0$. A gamma prior adds
# $ay - be^y$, which is concave as well.

# %%
concave = paper.claim("RATES-log-concave")
first = x * sp.diff(sp.log(1 - sp.exp(-x)), x)
concave.equal(x * sp.diff(first, x), -x * (sp.exp(x) * (x - 1) + 1) / (sp.exp(x) - 1) ** 2)
concave.inequality(sp.Gt(sp.exp(x) * (x - 1) + 1, 0, evaluate=False), on={x: (0, 4)}, zeros={x: (0, 2)})
concave.inequality(sp.Gt(x - 1, 0, evaluate=False), on={x: (sp.Rational(7, 2), sp.oo)})
concave.follows(
    because="a sum of concave functions is concave, and a log-concave density that is integrable falls at least exponentially on both sides",
    using=["RATES-likelihood"],
)

# %% [markdown]
# ## Regular intervals: half an observation more
# $S$ is binomial with mean $nq$ and variance $nq(1 - q)$. To first order in $1/n$ the mean of $\ln(S + d)$ is $\ln(nq)$, plus $d/(nq)$, less half the relative
# variance $(1 - q)/(nq)$; and $\ln(n + d) = \ln n + d/n$.

# %%
bias = paper.claim("RATES-bias")
e, delta = sp.symbols("e delta", positive=True)
bias.series(sp.log(1 + delta), delta, 0, 3, delta - delta**2 / 2)
bias.equal(n * q * (1 - q) / (n * q) ** 2, (1 - q) / (n * q))
bias.equal(
    -(d / (n * q) - (1 - q) / (2 * n * q) - d / n), (sp.Rational(1, 2) - d) * (1 - q) / (n * q),
)
bias.follows(because="the third and fourth central moments of S over (nq)^3 and (nq)^4 are of order 1/n^2, so that the expansion may be cut off "
             "on the event that S is within nq/2 of its mean, and the rest has exponentially small probability")

# %% [markdown]
# ## A gamma law of rates

# %%
# In v = (b + U) r the product of density and decay is a gamma density again, times a number:
decay = paper.claim("RATES-expected-decay")
v = sp.Symbol("v", positive=True)
scaled = b**a * r ** (a - 1) * sp.exp(-(b + U) * r) / sp.gamma(a)
decay.equal(
    (scaled / (b + U)).subs(r, v / (b + U)), (1 + U / b) ** (-a) * v ** (a - 1) * sp.exp(-v) / sp.gamma(a),
)
decay.follows(because="the density v^(a-1) exp(-v)/gamma(a) has the integral 1, by the definition of the gamma function")
evidence = paper.claim("RATES-evidence")
log_density = a * sp.log(b) + (a - 1) * sp.log(r) - b * r - sp.loggamma(a)
evidence.equal(sp.diff(log_density, a), sp.log(b) + sp.log(r) - sp.digamma(a))
evidence.equal(sp.diff(log_density, b), a / b - r)
evidence.follows(because="the derivative of the logarithm of an integral of prior times likelihood is the posterior mean of the derivative of the log-prior")
