# %% [markdown]
# # The best frequencies of the bound: equations (7) to (10)
#
# Theorem 3.3 bounds the obsolescence rate of a page from below by a function of its frequency alone. Weighted by
# $c_i$ and added up, it leaves a small problem: share one robot among $N$ pages,
#
# $$C^* = \min \sum_{i=1}^N c_i\Bigl(1 - \frac{\nu}{\mu_i}x_i + \frac{\nu}{\mu_i}x_i h_i^{1/x_i}\Bigr)
#   \quad\text{over}\quad x_i \ge 0,\ \sum_i x_i = 1. \tag{7}$$
#
# The paper solves it with a Lagrange multiplier, for weights $c_i = c_0\mu_i$ in closed form (10), and then remarks on
# the result. This notebook takes the proof apart. Notation: $\nu = 1/E[X]$, $h_i = E e^{-\mu_i X}$,
# $\kappa_i = -\ln h_i$, $a_i = c_i\nu/\mu_i$, $\psi(z) = z - 1 + e^{-z}$. The 1997 report writes $\nu$ where the 1999
# version writes $1/E[X]$; apart from that both print the same equations (7) to (10).
#
# **Any $N$.** The objective is a sum of terms with one $x_i$ each. So every step below looks at one page, with
# the other pages in a symbol, and no step fixes $N$.

# %%
import functools

import sympy as sp

from claimproof import Paper
from crawlproof.kernels.symbolic import price_at_age

paper = Paper("clw")

# Relations stay as they are written; otherwise sympy decides the easy ones itself.
Gt, Lt = (functools.partial(relation, evaluate=False) for relation in (sp.Gt, sp.Lt))

c, c0, mu, nu, x, h, kappa, Q, t, z, s = sp.symbols("c c0 mu nu x h kappa Q t z s", positive=True)
lam, rest = sp.symbols("lambda rest", real=True)


def psi(value):
    """psi written out, so that each identity below is elementary."""
    return value - 1 + sp.exp(-value)


page_cost = c * (1 - nu / mu * x + nu / mu * x * h ** (1 / x))
page_cost

# %% [markdown]
# ## Convexity
#
# The paper states that the objective is convex. Differentiate one summand twice:

# %%
curvature = sp.simplify(sp.diff(page_cost, x, 2))
curvature

# %%
convex = paper.claim("CLW-T3.4b")
convex.equal(sp.diff(page_cost, x, 2), c * nu / mu * sp.log(h) ** 2 / x**3 * h ** (1 / x), sample={h: (0, 1)})

# %% [markdown]
# Every factor is positive, for all $x > 0$ and all $0 < h < 1$ (in $\kappa = -\ln h > 0$): each summand is *strictly*
# convex, and a sum of strictly convex functions of separate variables is strictly convex.

# %%
convex.inequality(Gt(kappa**2 * sp.exp(-kappa / x) / x**3, 0), on={x: (0, sp.oo), kappa: (0, sp.oo)})

# %% [markdown]
# **The corner.** (7) allows $x_i = 0$, where $h^{1/x}$ has no meaning. The summand has a limit there, and a slope:
# a page that is never accessed is always out of date and costs $c_i$; the first bit of attention saves $a_i = c_i\nu/\mu_i$
# per unit of frequency. This slope is finite, which is the seed of all trouble with general weights.

# %%
in_kappa = page_cost.subs(h, sp.exp(-kappa))
corner = paper.claim("CLW-X.page-cost-at-zero")
corner.limit(in_kappa, x, 0, c)
corner.limit((in_kappa - c) / x, x, 0, -c * nu / mu)

# %% [markdown]
# ## The equations (8) and (9)
#
# $\mathcal L = \sum_i(\dots) + \lambda(\sum_i x_i - 1)$. What does not contain $x_i$ is one symbol, `rest`.

# %%
lagrangian = page_cost + lam * x + rest
equation_8 = -c * nu / mu * (1 - h ** (1 / x) + sp.log(h) / x * h ** (1 / x)) + lam
paper.claim("CLW-T3.4d").equal(sp.diff(lagrangian, x), equation_8, sample={h: (0, 1)})

# %%
N, i, j = sp.symbols("N i j", integer=True, positive=True)
share, cost_of = sp.Function("x", real=True), sp.Function("g", real=True)
whole = sp.Sum(cost_of(share(i)), (i, 1, N)) + lam * (sp.Sum(share(i), (i, 1, N)) - 1)
paper.claim("CLW-T3.4d2").equal(sp.diff(whole, lam), sp.Sum(share(i), (i, 1, N)) - 1)

# %% [markdown]
# ## $h_i < 1$, and $h_i^{1/x_i} < 1$
#
# $e^{-z} < 1$ for $z > 0$. With $z = \mu_i X$ and $X > 0$ with positive probability, the mean $h_i$ is below 1; with
# $z = \kappa_i/x_i$ so is $h_i^{1/x_i}$. (Only $X = 0$ almost surely would break it, and then $\nu$ does not exist.)

# %%
below_one = paper.claim("CLW-T3.4e")
below_one.inequality(Lt(sp.exp(-z), 1), on={z: (0, sp.oo)}, zeros={z: (0, 1)})
below_one.equal(h ** (1 / x), sp.exp(-sp.log(1 / h) / x), sample={h: (0, 1)})

# %% [markdown]
# ## $1 - y + y\ln y$ decreases
#
# The paper says: for $y < 1$. At $y \le 0$ there is nothing to say, as the logarithm is not real; the numbers
# $y = h_i^{1/x_i}$ never get there. The derivative is $\ln y$. Put $y = 1/(1+s)$: $s > 0$ is exactly $0 < y < 1$.

# %%
y = sp.Symbol("y", positive=True)
price = 1 - y + y * sp.log(y)
decreasing = paper.claim("CLW-T3.4f")
decreasing.equal(sp.diff(price, y), sp.log(y), sample={y: (0, 1)})
decreasing.inequality(Lt(-sp.log(1 + s), 0), on={s: (0, sp.oo)}, zeros={s: (0, 1)})
decreasing.limit(price, y, 0, 1)
decreasing.limit(price, y, 1, 0, direction="-")

# %% [markdown]
# Is the condition $y < 1$ needed? Yes: beyond 1 the function rises again ($y = 1 + s$, derivative $\ln(1+s) > 0$).

# %%
decreasing.inequality(Gt(sp.log(1 + s), 0), on={s: (0, sp.oo)}, zeros={s: (0, 1)})

# %% [markdown]
# ## Weights proportional to the change rates: (10)
#
# Let $c_i = c_0\mu_i$, and write (8) in $y_i = h_i^{1/x_i}$, that is $h_i = y_i^{x_i}$. The page disappears from the equation,
# but for $y_i$:

# %%
in_y = sp.simplify(equation_8.subs({c: c0 * mu, h: y**x}))
in_y

# %%
common = paper.claim("CLW-T3.4g1")
common.equal(equation_8.subs({c: c0 * mu, h: y**x}), lam - c0 * nu * price, sample={y: (0, 1)})

# %% [markdown]
# So every $y_i$ solves the same equation $c_0\nu(1 - y + y\ln y) = \lambda$, which has one root at most on $(0, 1)$: all $y_i$ are one
# $y$. From $x_i\ln y = \ln h_i$ and (9), $\ln y = \sum_j\ln h_j$. In $\kappa$: $x_i = \kappa_i/Q$ with $Q = \sum_j\kappa_j$; adding
# pages one by one, the shares of the first $n$ add up to $Q_n/Q$, which is 1 when all are in.

# %%
partial = sp.Symbol("Q_n", positive=True)
common.equal(partial / Q + kappa / Q, (partial + kappa) / Q)

# %%
frequencies = paper.claim("CLW-T3.4g")
saved = -sp.diff(page_cost, x).subs({c: c0 * mu, h: sp.exp(-kappa)}).subs(x, kappa / Q)
frequencies.equal(saved, c0 * nu * (1 - (1 + Q) * sp.exp(-Q)))

# %% [markdown]
# The right-hand side is the same for every page: this is the multiplier. The share of a page, given the
# total $Q$, is what the solvers use.

# %%
frequencies.equal((-sp.log(h) / Q).subs(h, sp.exp(-kappa)), kappa / Q)
others, exponent = sp.symbols("x_others t_common", positive=True)  # kappa_i/x_i is the same for all pages, and the x_i add up to 1
(shares,) = sp.solve(
    [sp.Eq(x * exponent, kappa), sp.Eq(others * exponent, Q - kappa), sp.Eq(x + others, 1)], [x, others, exponent], dict=True
)
share_of_page = frequencies.equal(1 - shares[others], kappa / Q, where=[kappa < Q], sample={kappa: (0, 1), Q: (1, 2)})  # what the others leave
frequencies.export(
    "optimal_frequency", kappa / Q, of=share_of_page, args={"log_inverse_laplace": kappa, "total": Q}, ulps=1,
    domain={"log_inverse_laplace": "> 0", "total": "> 0"},
    describe={
        "log_inverse_laplace": "kappa = ln(1/h) of the page, h = E exp(-mu X)",
        "total": "sum of kappa over all pages",
    },
    sample={"log_inverse_laplace": (1e-12, 1e6), "total": (1e-12, 1e9)},
    summary="Optimal access frequency (10) of a page when the weights are proportional to the change rates.",
)

# %% [markdown]
# **Two readings.** (10) is printed twice over: with $\ln h_i$, and with $\ln(h_i)^{-1}$. Read as $\ln(1/h_i)$ it is the same
# ratio; read as $1/\ln h_i$ it is another one. With $h = (1/2, 1/4)$ the frequencies are $1/3, 2/3$, and the second reading
# would swap them.

# %%
h1, h2 = sp.symbols("h1 h2", positive=True)
second_form = paper.claim("CLW-T3.4g2")
second_form.refute(
    sp.Eq(sp.log(h1) / (sp.log(h1) + sp.log(h2)), (1 / sp.log(h1)) / (1 / sp.log(h1) + 1 / sp.log(h2))),
    witness={h1: sp.Rational(1, 2), h2: sp.Rational(1, 4)},
    hypotheses=[h1 < 1, h2 < 1],
)
second_form.equal(
    sp.log(h) / (sp.log(h) - Q), sp.log(1 / h) / (sp.log(1 / h) + Q),
    sample={h: (0, 1)}, given="ln(h)^(-1) is read as ln(1/h)",
)

# %% [markdown]
# And one letter: $i$ is the page on the left of (10) and the summation index on the right.

# %%
index = paper.claim("CLW-T3.4g3")
for version in ("1997", "1999"):
    index.textual(
        version=version, place="(10)", words="x_i = ln h_i / sum_{i=1}^N ln h_i",
        should_be="x_i = ln h_i / sum_{j=1}^N ln h_j",
    )

# %% [markdown]
# ## Why (10) solves (7)
#
# No appeal to convex analysis is needed. Compare any feasible $x$ with (10): the line that touches $x e^{-\kappa/x}$ where
# $\kappa/x = Q$ lies below it, and the difference is a $\psi$:

# %%
line = sp.exp(-Q) * ((1 + Q) * x - kappa)
solves = paper.claim("CLW-T3.4h")
solves.equal(x * sp.exp(-kappa / x) - line, x * sp.exp(-Q) * psi(kappa / x - Q))

# %% [markdown]
# The lines of all pages together, with $\sum x_i = 1$ and $\sum\kappa_i = Q$, give $e^{-Q}$, which is the value at (10). And
# $\psi \ge 0$, zero only at 0 (both sides of 0 below). A page with $x = 0$ is not better off: its term tends to
# $\kappa e^{-Q} > 0$.

# %%
solves.equal(sp.exp(-Q) * ((1 + Q) * 1 - Q), sp.exp(-Q))
solves.inequality(Gt(psi(z), 0), on={z: (0, sp.oo)}, zeros={z: (0, 2)})
solves.inequality(Gt(sp.exp(z) - 1 - z, 0), on={z: (0, sp.oo)}, zeros={z: (0, 2)})
solves.limit(x * sp.exp(-Q) * psi(kappa / x - Q), x, 0, kappa * sp.exp(-Q))

# %% [markdown]
# ## The remark on proportionality
#
# (10) is proportional to $\ln(1/h_i)$. Not to $\mu_i$: take $X$ exponential with mean 1, so $h = 1/(1+\mu)$ and
# $\kappa = \ln(1+\mu)$. For $\mu = 2^k - 1$ everything is rational: $\kappa = k\ln 2$.

# %%
not_mu = paper.claim("CLW-S3.8")
kappa2 = sp.Symbol("kappa2", positive=True)
not_mu.equal((kappa / Q) / (kappa2 / Q), kappa / kappa2)
not_mu.instances(
    [(k, l) for k in range(1, 9) for l in range(k + 1, 10)],
    lambda pair: sp.Rational(pair[0], pair[1]) > sp.Rational(2 ** pair[0] - 1, 2 ** pair[1] - 1),
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={
        "proportional to mu": lambda pair: sp.Rational(*pair) == sp.Rational(2 ** pair[0] - 1, 2 ** pair[1] - 1),
        "the other way": lambda pair: sp.Rational(*pair) < sp.Rational(2 ** pair[0] - 1, 2 ** pair[1] - 1),
    },
    what="pairs of rates 2^k - 1, X exponential",
)

# %% [markdown]
# "Only when $X$ is constant" is too strong: with equal rates (and trivially with one page) the frequencies are
# proportional to the rates for every law. $X \in \{0, 1\}$ with probability $1/2$ each, $\mu_1 = \mu_2 = 1$:

# %%
mu1, mu2, p = sp.symbols("mu1 mu2 p", positive=True)


def coin(rate):
    """-ln E exp(-rate X) for X = 1 with probability p, else 0."""
    return -sp.log(1 - p + p * sp.exp(-rate))


only_constant = paper.claim("CLW-S3.9")
only_constant.refute(
    sp.Ne(coin(mu1) * mu2, coin(mu2) * mu1),
    witness={mu1: 1, mu2: 1, p: sp.Rational(1, 2)},
    hypotheses=[p * (1 - p) > 0],
)

# %% [markdown]
# **What is true.** Let $\mu_1 < \mu_2$, $\theta = \mu_1/\mu_2$, and $u = e^{-\mu_2X}/h_2$, so $E u = 1$. The exponential is convex: with
# $u = e^s$,
#
# $$1 - \theta + \theta e^s - e^{\theta s} = s^2\Bigl(\int_0^\theta v(1-\theta)e^{vs}dv + \int_\theta^1\theta(1-v)e^{vs}dv\Bigr),$$
#
# and the integrands are positive: so $u^\theta < 1 + \theta(u - 1)$ unless $u = 1$. Take means: $h_1/h_2^\theta = E u^\theta \le 1$, that is
# $\kappa_1/\mu_1 \ge \kappa_2/\mu_2$, with equality only if $u = 1$ almost surely: $X$ constant.

# %%
theta, v = sp.symbols("theta v", positive=True)
slope = sp.Symbol("s", real=True, nonzero=True)
below = sp.integrate(v * (1 - theta) * sp.exp(v * slope), (v, 0, theta))
above = sp.integrate(theta * (1 - v) * sp.exp(v * slope), (v, theta, 1))
proportional = paper.claim("CLW-X.proportional-iff")
proportional.equal(
    slope**2 * (below + above), 1 - theta + theta * sp.exp(slope) - sp.exp(theta * slope), sample={theta: (0, 1)}
)
proportional.inequality(Gt(v * (1 - theta), 0), on={v: (0, 1), theta: (0, 1)})

# %% [markdown]
# The step from $E u^\theta \le 1$ to the $\kappa$'s, and the equality case ($X = b$ constant gives $\kappa = \mu b$):

# %%
b = sp.Symbol("b", positive=True)
proportional.equal(sp.log(sp.exp(-kappa) / sp.exp(-kappa2) ** (mu1 / mu2)), mu1 * (kappa2 / mu2 - kappa / mu1))
proportional.equal(-sp.log(sp.exp(-mu * b)) / mu, b)

# %% [markdown]
# So the paper's sentence (and that of the French abstract of 1997) holds as soon as two of the rates differ:

# %%
differ = "two of the rates differ"
only_constant.equal(
    slope**2 * (below + above), 1 - theta + theta * sp.exp(slope) - sp.exp(theta * slope), sample={theta: (0, 1)},
    given=differ, using=["CLW-X.proportional-iff"],
)
only_constant.equal(
    sp.log(sp.exp(-kappa) / sp.exp(-kappa2) ** (mu1 / mu2)), mu1 * (kappa2 / mu2 - kappa / mu1),
    given=differ, using=["CLW-X.proportional-iff"],
)

# %% [markdown]
# An enclosure on its own, for the two-point law of the witness with different rates: $\kappa(\mu)/\mu$ falls strictly.
# ($2\mu$ against $\mu$, all $\mu > 0$; in $z = e^{-\mu}$ it is $((1+z)/2)^2 < (1+z^2)/2$.)

# %%
proportional.inequality(
    Gt((1 + s**2) / 2, ((1 + s) / 2) ** 2), on={s: (0, 1)}, zeros={s: (1, 2)}
)

# %% [markdown]
# ## The remark on the variance
#
# The difference $\mu E[X] - \ln(1/h)$ is said to be large when the variance is. Compare two laws with mean 1, at $\mu = 1$:
#
# * $X \in \{0, 2\}$, each with probability $1/2$: variance 1;
# * $X' = A$ nearly always, and $10^6$ with probability $10^{-8}$; $A$ is chosen so that the mean is 1. The variance is about
#   $10^4$.
#
# The rare giant carries only $1/100$ of the mean, so it can move the difference by $1/100$ only.

# %%
A, L = sp.symbols("A L", positive=True)


def difference(rate, law):
    """mu E X - ln(1/h) for a finite law [(value, probability)]."""
    mean = sum(value * weight for value, weight in law)
    return rate * mean + sp.log(sum(weight * sp.exp(-rate * value) for value, weight in law))


rare = [(A, 1 - p), (L, p)]
mean = A * (1 - p) + L * p
variance = A**2 * (1 - p) + L**2 * p - mean**2
chance, giant = sp.Rational(1, 10**8), sp.Integer(10) ** 6
large_variance = paper.claim("CLW-S3.10")
large_variance.refute(
    sp.Ge(difference(mu, rare), difference(mu, [(sp.Integer(0), sp.Rational(1, 2)), (sp.Integer(2), sp.Rational(1, 2))])),
    witness={mu: 1, p: chance, L: giant, A: (1 - giant * chance) / (1 - chance)},
    hypotheses=[sp.Eq(mean, 1), variance > 9999],
)

# %% [markdown]
# **What is true.** From $\ln h \le h - 1$ (that is $\psi(\kappa) \ge 0$): the difference is at most $E\psi(\mu X)$, and $\psi(z)$ is at most $z$ and
# at most $z^2/2$; and it is at most $\mu E[X]$ because $\kappa \ge 0$. From below it is $\ge 0$: $e^{-z} \ge e^{-m}(1 - (z - m))$, which
# after taking means is $h \ge e^{-m}$, $m = \mu E[X]$ (`CLW-X.kappa-jensen`).

# %%
spread = paper.claim("CLW-S3.10-corrected")
spread.inequality(Lt(psi(z), z**2 / 2), on={z: (0, sp.oo)}, zeros={z: (0, 3)})
spread.inequality(Lt(psi(z), z), on={z: (0, sp.oo)}, zeros={z: (0, 1)})
spread.inequality(Gt(psi(kappa), 0), on={kappa: (0, sp.oo)}, zeros={kappa: (0, 2)}, using=["CLW-X.kappa-jensen"])

# %% [markdown]
# The exact value is an integral of variances, but of *tilted* laws: with $H(s) = E e^{-sX}$,
# $(\ln H)'' = H''/H - (H'/H)^2 = \operatorname{Var}_s X$, and the giant is tilted away. Two derivatives and two initial values fix the
# integral; a two-point law shows it in full.

# %%
H = sp.Function("H", positive=True)(s)
spread.equal(sp.diff(sp.log(H), s, 2), sp.diff(H, s, 2) / H - (sp.diff(H, s) / H) ** 2)
two_point = 1 - p + p * sp.exp(-s * L)
tilted_mean = p * L * sp.exp(-s * L) / two_point
tilted_square = p * L**2 * sp.exp(-s * L) / two_point
spread.equal(sp.diff(sp.log(two_point), s, 2), tilted_square - tilted_mean**2, sample={p: (0, 1)})

# %% [markdown]
# For a given law of finite variance and $\mu \to 0$ the variance does decide (in the first two moments $m_1, m_2$):

# %%
m1, m2 = sp.symbols("m1 m2", positive=True)
spread.series(mu * m1 + sp.log(1 - mu * m1 + mu**2 * m2 / 2), mu, 0, 3, mu**2 * (m2 - m1**2) / 2)

# %% [markdown]
# And no variance is large enough: $X = n^2$ with probability $n^{-3}$, else 0. As $n$ grows, $1/\operatorname{Var}X \to 0$ and the difference
# $\to 0$ too.

# %%
n = sp.Symbol("n", positive=True)
giants = [(sp.Integer(0), 1 - n**-3), (n**2, n**-3)]
spread.limit(1 / (n**4 * n**-3 - n**-2), n, sp.oo, 0)
spread.limit(difference(1, giants), n, sp.oo, 0)

# %% [markdown]
# ## The remark on the convex order
#
# This one stands. $x \mapsto e^{-\mu x}$ is convex, so $X \le_{cx} Y$ gives $E e^{-\mu X} \le E e^{-\mu Y}$, while the means agree; and
# $\mu E[X] + \ln h$ increases in $h$.

# %%
value = sp.Symbol("x", real=True)
larger = paper.claim("CLW-S3.11")
larger.equal(sp.diff(sp.exp(-mu * value), value, 2), mu**2 * sp.exp(-mu * value))
larger.inequality(Gt(mu**2 * sp.exp(-mu * x), 0), on={mu: (0, sp.oo), x: (0, sp.oo)})
larger.equal(sp.diff(mu * m1 + sp.log(h), h), 1 / h, sample={h: (0, 1)})

# %% [markdown]
# The smallest move in the convex order, splitting a value $x$ into $x \pm s$, multiplies its part of $h$ by $\cosh(\mu s) > 1$:

# %%
split = (sp.exp(-mu * (x - s)) + sp.exp(-mu * (x + s))) / 2
larger.equal(split, sp.exp(-mu * x) * sp.cosh(mu * s))
larger.inequality(Gt(sp.exp(z) + sp.exp(-z), 2), on={z: (0, sp.oo)}, zeros={z: (0, 2)})

# %% [markdown]
# ## What $C^*$ means
#
# The letter has three uses: the minimum (7) (first for general weights, then for $c_i = c_0\mu_i$), the minimum (12) over
# randomized policies in Section 4, and again the bound of Theorem 3.4 in Section 5, which speaks of ratios to it.

# %%
notation = paper.claim("CLW-N1")
for version in ("1997", "1999"):
    notation.textual(
        version=version, place="Section 4, (12)", words="C^* = min sum c_i - ...",
        should_be="a letter of its own, such as C_rand^*",
    )

# %% [markdown]
# The two are different numbers. With $b_i = 1/h_i - 1$, $S = \sum b_i$, $P = \prod(1 + b_i) = 1/\prod h_i$, they are
# $c_0(\mu - \nu + \nu/P)$ and $c_0(\mu - \nu S/(1+S))$:

# %%
S, P = sp.symbols("S P", positive=True)
notation.equal(
    c0 * (mu - nu * S / (1 + S)) - c0 * (mu - nu + nu / P), c0 * nu * (P - 1 - S) / (P * (1 + S))
)

# %% [markdown]
# and $P - 1 - S$, zero for one page, grows with every further page: by $(P - 1 - S)b + S b > 0$.

# %%
notation.equal(P * (1 + b) - 1 - (S + b), (P - 1 - S) * (1 + b) + S * b)

# %% [markdown]
# ## For the solvers: the marginal value of a page
#
# (8) says what one more unit of frequency is worth to page $i$: $a_i(1 - y + y\ln y)$ at $y = e^{-\kappa/x}$; in the age
# $t = \kappa/x$ this is the kernel $1 - (1+t)e^{-t}$, computed without cancellation.

# %%
a = sp.Symbol("a", positive=True)
marginal = paper.claim("CLW-T3.4d")
in_age = marginal.equal(
    -sp.diff(page_cost, x).subs({c: a * mu / nu, h: sp.exp(-kappa)}),
    a * (1 - (1 + kappa / x) * sp.exp(-kappa / x)),
)
marginal.export(
    "marginal_value", a * price_at_age(kappa / x), of=in_age,
    args={"worth": a, "log_inverse_laplace": kappa, "frequency": x}, ulps=8,
    domain={"worth": "> 0", "log_inverse_laplace": "> 0", "frequency": "> 0"},
    describe={
        "worth": "a = c/(mu E X), what the first access saves per unit of frequency",
        "log_inverse_laplace": "kappa = ln(1/h) of the page, h = E exp(-mu X)",
        "frequency": "access frequency x of the page",
    },
    sample={"worth": (1e-6, 1e6), "log_inverse_laplace": (1e-9, 1e3), "frequency": (1e-9, 1e0)},
    summary="What one more unit of frequency saves in the bound: minus the derivative (8) of a page's cost.",
    nonnegative=True,
)
