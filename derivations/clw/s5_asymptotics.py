# %% [markdown]
# # Asymptotic optimality: the opening of Section 5
#
# Before the golden ratio policy the paper fixes what "asymptotically optimal" means, looks at a vanishing total change rate $\mu$,
# and finds the limit (17) of the bound for many slowly changing pages. Three hypotheses are missing on the way: a cycle must be
# cut in the right place, $X$ needs moments, and the rates must vanish *uniformly*.

# %%
import itertools
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from claimproof import Paper

paper = Paper("clw")
mu, nu, m, h, K, c0, v, u, x, z = sp.symbols("mu nu m h K c0 v u x z", positive=True)
d, n = sp.symbols("d n", integer=True, positive=True)
a, r, w = sp.symbols("a r w", positive=True)
paper.claim("CLW-G1").definition()

# %% [markdown]
# ## A law with finite mean and infinite variance, in closed form
#
# $X$ exponential with a random rate of density $2\sqrt x/(\pi(1 + x)^2)$; with $x = w^2$ everything is a rational integral.

# %%
density = 4 * w**2 / (sp.pi * (1 + w**2) ** 2)  # of the root of the rate
transform = (1 + 2 * r) / (1 + r) ** 2  # at s = r^2
heavy = paper.claim("CLW-X.heavy-law")
heavy.exact(sp.integrate(density, (w, 0, sp.oo)), 1, using=[])
heavy.exact(sp.integrate(density / w**2, (w, 0, sp.oo)), 1, using=[])
parts = sp.apart(4 * w**4 / ((1 + w**2) ** 2 * (w**2 + r**2)), w)
heavy.equal(sp.simplify(sp.integrate(parts, (w, 0, sp.oo)) / sp.pi), transform, where=[r < 1], sample={r: (0, 1)}, using=[])

# %% [markdown]
# Infinite second moment: $(E e^{-sX} - 1 + s)/s^2$, which would tend to $E X^2/2$, grows beyond all bounds: it is
# $2 s^{-1/2}$ to first order.

# %%
heavy.limit((transform - 1 + r**2) / r**3, r, 0, 2, using=[])

# %% [markdown]
# ## The display for cyclic policies
#
# Lines 1 and 2 use (3) with the distances $d_1, \dots, d_{m_K}$ of Section 2, which count the first one from $n_0 = 0$. For the cycle $1, 2$
# page 1 then has $d_1 = 1$, although it is accessed every second time. The distances must be those of a whole cycle.

# %%
e1, e2 = sp.symbols("d_1 d_2", positive=True)
loss = mu * (u * m - (1 - h**u) / mu)  # one distance u
as_printed = nu / 2 * (loss.subs(u, e1) + loss.subs(u, e2))
cycle_12 = {mu: 1, nu: 1, m: 1, h: sp.Rational(1, 2), e1: 1, e2: 2}
whole = "the distances of a page are those of one whole cycle (n_0 is its last access of the cycle before)"


def distances(cycle, page, begin=None):
    """Distances of the accesses to ``page`` in one cycle; the first one from ``begin`` if given, else cyclically."""
    places = [place + 1 for place, found in enumerate(cycle) if found == page]
    before = places[-1] - len(cycle) if begin is None else begin
    return [after - earlier for earlier, after in zip([before, *places], places, strict=False)]


def long_run(cycle, page, fresh):
    """Mean out-of-date time per access over many cycles after the first, from the definition (mu = E X = 1)."""
    rounds = 3
    words = cycle * rounds
    return sum(
        (gap - (1 - fresh**gap) for gap in distances(words, page, begin=0)[len(distances(cycle, page)):]), Fraction(0)
    ) / (len(cycle) * (rounds - 1))


def by_formula(cycle, page, fresh, begin=None):
    return sum((gap - (1 - fresh**gap) for gap in distances(cycle, page, begin)), Fraction(0)) / len(cycle)


cycles = [
    (word, page) for length in range(2, 7) for word in itertools.product(range(2), repeat=length)
    if len(set(word)) == 2 for page in range(2)
]
half = Fraction(1, 2)
lines = paper.claim("CLW-G3")
lines.refute(
    sp.Eq(as_printed, nu / 2 * 2 * loss.subs(u, 2)), witness=cycle_12, hypotheses=[h < 1],
    meets=dict.fromkeys(lines.claim.hypotheses, "one page is looked at, of the cycle 1, 2"),
    instance="The cycle 1, 2 with h = 1/2: the printed sum gives 7/8 where Lemma 3.1 gives 5/4.",
)
lines.instances(
    cycles, lambda case: by_formula(*case, half) == long_run(*case, half), what="cycles of two pages up to length 6",
    wrong={"first distance from zero": lambda case: by_formula(*case, half, begin=0) == long_run(*case, half)},
    using=["CLW-L3.1"], given=whole,
)

# %%
adds_up = paper.claim("CLW-G3b")
adds_up.refute(
    sp.Eq(e1, K), witness={e1: 1, K: 2},
    meets=dict.fromkeys(adds_up.claim.hypotheses, "nothing is asked of the weights, and the cycle 1, 2 is cyclic"),
    instance="In the cycle 1, 2 the distances that are printed add up to 1, the length of the cycle is 2.",
)
adds_up.instances(
    cycles, lambda case: sum(distances(*case)) == len(case[0]), what="cycles of two pages up to length 6",
    wrong={"first distance from zero": lambda case: sum(distances(*case, begin=0)) == len(case[0])}, given=whole,
    using=["CLW-G3"],
)
adds_up.equal(c0 * nu / K * loss, (c0 * mu * u * nu * m - c0 * nu * (1 - h**u)) / K, given=whole, using=["CLW-G3"],
              sample={h: (0, 1)})

# %% [markdown]
# Line 3 differs between the versions. In 1997 the expansion of $h^d$ carries the factor $d$ *and* the exponent $d$; its derivative at
# $\mu = 0$ is then $d^2 E X$. The 1999 text has dropped the exponent, and is right.

# %%
expansion = 1 - mu * m + mu**2 * v / 2
paper.claim("CLW-G4").misprint(
    sp.diff(1 - expansion**d, mu).subs(mu, 0), printed=d**2 * m, corrected=d * m, witness={d: 2, m: 1}
)

# %% [markdown]
# $1 - h^d = d\mu E X + O(\mu^2)$ needs a second moment. With the heavy law ($E X = 1$, $\mu = r^2$) the remainder is of order $\mu^{3/2}$:
# divided by $\mu^{3/2}$ it should vanish.

# %%
order = sp.limit((transform**2 - 1 + 2 * r**2) / r**3, r, 0)  # d = 2
second_moment = "E[X^2] is finite"
linear = paper.claim("CLW-G4b")
linear.refute(sp.Eq(order, 0, evaluate=False), witness={}, using=["CLW-X.heavy-law"])
psi_x = x - 1 + sp.exp(-x)
linear.inequality(sp.Le(psi_x, x**2 / 2), on={x: (0, sp.oo)}, zeros={x: (0, 3)}, tail={x: 20}, given=second_moment, using=[])
linear.equal(d**2 * v - (d * (v - m**2) + d**2 * m**2), d * (d - 1) * (v - m**2), given=second_moment, using=[])

# %% [markdown]
# (With $S_d$ the sum of $d$ access times: $0 \le h^d - 1 + d\mu E X = E\psi(\mu S_d) \le \mu^2 E S_d^2/2 \le \mu^2 d^2 E X^2/2$, the last step by the identity and
# $E X^2 \ge (E X)^2$.) The same for the cost, where also the cycle counts:

# %%
quadratic = paper.claim("CLW-G5")
quadratic.refute(
    sp.Eq(sp.limit((r**2 - 1 + transform) / r**3, r, 0), 0, evaluate=False), witness={}, using=["CLW-X.heavy-law"],
    meets=dict.fromkeys(quadratic.claim.hypotheses, "one page of weight c_0 mu that every access goes to"),
    instance="One page, accessed every time. With E exp(-sX) = (1 + 2 sqrt(s))/(1 + sqrt(s))^2 its cost is of order mu^(3/2), not mu^2.",
)
quadratic.inequality(
    sp.Le(psi_x, x**2 / 2), on={x: (0, sp.oo)}, zeros={x: (0, 3)}, tail={x: 20}, using=["CLW-X.cyclic-bound"],
    given="E[X^2] is finite and the cycle length stays bounded",
)
constants = paper.claim("CLW-X.cyclic-bound")
constants.inequality(sp.Le(psi_x, x**2 / 2), on={x: (0, sp.oo)}, zeros={x: (0, 3)}, tail={x: 20}, using=["CLW-L3.1"])
constants.equal(d**2 * v - (d * (v - m**2) + d**2 * m**2), d * (d - 1) * (v - m**2), using=["CLW-L3.1"])
constants.instances(
    cycles, lambda case: sum(gap**2 for gap in distances(*case)) <= len(case[0]) ** 2,
    what="cycles of two pages up to length 6",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"K instead of K^2": lambda case: sum(gap**2 for gap in distances(*case)) <= len(case[0])},
    using=["CLW-G3b"],
)
constants.limit(1 - (1 - sp.exp(-z)) / z, z, sp.oo, 1, using=["CLW-L3.1"])

# %% [markdown]
# ## If $\mu \to 0$: true for a simpler reason, and empty
#
# $0 \le r_i \le 1$ already gives $C \le c_0\mu \to 0$, for *every* policy; and the bound lies between 0 and $c_0 \mu$ too. So the paper's conclusion stands
# without its $O(\mu^2)$, but the definition by a difference tells no two policies apart here.

# %%
P = sp.Symbol("P", positive=True)
trivial = paper.claim("CLW-X.any-policy-vanishes")
trivial.equal(mu - (mu - nu + nu * P), nu * (1 - P), using=["CLW-T3.4k"])
trivial.inequality(sp.Le(x - 1 + sp.exp(-x), x), on={x: (0, sp.oo)}, zeros={x: (0, 1)}, tail={x: 20}, using=["CLW-T3.4k"])
trivial.limit(c0 * mu, mu, 0, 0, using=["CLW-T3.4k"])
for name in ("CLW-G6", "CLW-G2"):
    paper.claim(name).limit(c0 * mu, mu, 0, 0, using=["CLW-X.any-policy-vanishes"]).gap(
        step="CLW-G5", because="C = O(mu^2) needs E[X^2] finite and bounded cycles; r <= 1 gives C <= c0 mu at once"
    )

# %% [markdown]
# In *ratio* cyclic policies do differ: $n$ ones and $n$ twos, constant $X = 1$, equal rates $q/2$.

# %%
q = sp.Symbol("q", positive=True)
fresh = sp.exp(-q / 2)
blocks = q - ((n - 1) * (1 - fresh) + 1 - fresh ** (n + 1)) / n
ratio = paper.claim("CLW-X.cyclic-ratio")
ratio.limit(blocks / (q - 1 + sp.exp(-q)), q, 0, (n + 3) / sp.Integer(4), using=["CLW-G3b"])

# %% [markdown]
# ## The limit (17)
#
# $C^* = c_0\mu - c_0\nu(1 - \prod h_i)$, and the paper lets each $\mu_{i,N} \to 0$ with $\sum_i \mu_{i,N} = \mu$ fixed. But one page may keep a share: take
# $\mu_{N,N} = a$ and $(1 - a)/(N - 1)$ for the others, $X$ exponential with mean 1. Every *fixed* page's rate vanishes.

# %%
paper.claim("CLW-G7a").as_stated()
product = sp.limit((1 + (1 - a) / z) ** (-z), z, sp.oo) / (1 + a)
alpha = sp.Symbol("alpha", positive=True)
uniform = "max_i mu_i tends to 0, not only each mu_i"
seventeen = paper.claim("CLW-G7")
seventeen.refute(
    sp.Eq(product, sp.exp(-1), evaluate=False), witness={a: sp.Rational(1, 2)}, hypotheses=[a < 1],
    meets=dict.fromkeys(seventeen.claim.hypotheses, "the rates sum to 1, E X = 1, and the rate of each fixed page vanishes; weights are those rates"),
    instance="X exponential with mean 1, one page of rate 1/2, the others sharing 1/2: the product of all h tends to 0.4044, not to exp(-1) = 0.3679.",
)

# %%
powers = paper.claim("CLW-G9")
kept = a**alpha + sp.limit(z ** (-x), z, sp.oo) * (1 - a) ** alpha  # x = alpha - 1 > 0
powers.refute(sp.Eq(kept, 0, evaluate=False), witness={a: sp.Rational(1, 2), alpha: sp.Rational(3, 2)}, hypotheses=[alpha > 1, alpha < 2])
powers.equal(u ** (1 + x) * (r / u) ** x, u * r**x, given=uniform, using=[])
powers.limit(mu * r**x, r, 0, 0, given=uniform, using=[])

# %% [markdown]
# (Each $\mu_i^\alpha = \mu_i\,\mu_i^{\alpha - 1} \le \mu_i M^{\alpha - 1}$ with $M = \max_i \mu_i$; the sum is at most $\mu M^{\alpha - 1}$.)
#
# The expansion that the paper quotes, $E e^{-\mu X} = e^{-\mu E X} + o(\mu^\alpha)$ for all $\alpha < 2$, fails for the heavy law at $\alpha = 3/2$:

# %%
moments = "E[X^alpha] is finite for every alpha < 2"
expanded = paper.claim("CLW-G8")
expanded.refute(
    sp.Eq(sp.limit((transform - sp.exp(-(r**2))) / r**3, r, 0), 0, evaluate=False), witness={}, using=["CLW-X.heavy-law"],
    meets=dict.fromkeys(expanded.claim.hypotheses, "the law has mean 1"),
    instance="With E exp(-sX) = (1 + 2 sqrt(s))/(1 + sqrt(s))^2 the difference is of order mu^(3/2), so not o(mu^alpha) for alpha = 3/2.",
)
expanded.inequality(sp.Le(psi_x, x**2 / 2), on={x: (0, sp.oo)}, zeros={x: (0, 3)}, tail={x: 20}, given=moments, using=["CLW-X.moment-expansion"])
moment = paper.claim("CLW-X.moment-expansion")
moment.inequality(sp.Le(psi_x, x**2 / 2), on={x: (0, sp.oo)}, zeros={x: (0, 3)}, tail={x: 20}, using=[])
moment.inequality(sp.Le(psi_x, x), on={x: (0, sp.oo)}, zeros={x: (0, 1)}, tail={x: 20}, using=[])
moment.inequality(sp.Ge(psi_x, sp.exp(-1)), on={x: (1, sp.oo)}, zeros={x: (1, 1)}, tail={x: 20}, using=[])
moment.equal(sp.integrate(a * x ** (a - 1) * x ** (-a - z), (x, 1, sp.oo)), a / z, using=[])

# %% [markdown]
# ($\psi(x) \le x^2/2 \le x^\beta$ for $x \le 1$ and $\psi(x) \le x \le x^\beta$ for $x \ge 1$ give the upper bound; $\psi \ge \psi(1) = 1/e$ beyond 1 gives the lower one.)
#
# ### (17) with the right hypothesis
#
# Jensen twice: $h(u) \ge e^{-u E X}$, and $h(u) \le h(M)^{u/M}$ for $u \le M$. Multiply over pages:
# $e^{-\mu E X} \le \prod h_i \le e^{-\mu\kappa(M)/M}$. Both are a tangent line: $e^{-y} \ge 1 - y$, and $1 + a(e^y - 1) - e^{ay} \ge 0$ for $0 \le a \le 1$, which is 0 at
# $y = 0$ and whose derivative has the sign of $y$.

# %%
squeeze = paper.claim("CLW-X.uniform-limit")
yv = sp.Symbol("y", real=True)
squeeze.inequality(sp.Ge(psi_x, 0), on={x: (0, sp.oo)}, zeros={x: (0, 2)}, tail={x: 20}, using=["CLW-G7a"])
squeeze.equal(
    sp.diff(1 + a * (sp.exp(yv) - 1) - sp.exp(a * yv), yv), a * sp.exp(a * yv) * (sp.exp((1 - a) * yv) - 1),
    where=[a < 1], sample={a: (0, 1)}, using=["CLW-G7a"],
)
squeeze.argued(
    "monotone convergence",
    "(1 - exp(-M X))/M increases to X as M decreases to 0, so its mean tends to E X, and kappa(M)/M lies between it and E X.",
    using=["CLW-G7a"],
)
squeeze.limit(sp.log(1 + u) / u, u, 0, 1, using=["CLW-G7a"])
seventeen.limit(sp.exp(-mu * sp.log(1 + u * m) / u), u, 0, sp.exp(-mu * m), given=uniform, using=["CLW-X.uniform-limit"])

# %% [markdown]
# ## The picture
#
# *Figure.* The bound $C^*/c_0$ for $N$ pages, $\mu = \nu = 1$, exponential $X$: equal rates, and one page that keeps half of the total rate.

# %%
count = np.arange(2, 200)
equal_rates = (1 + 1 / count) ** (-count)
one_keeps = (1 + 0.5 / (count - 1)) ** (-(count - 1)) / 1.5
figure, axis = plt.subplots(figsize=(6.5, 3.4))
axis.plot(count, equal_rates, label="equal rates")
axis.plot(count, one_keeps, label="one page keeps rate 1/2")
axis.axhline(np.exp(-1), color="k", ls=":", lw=1, label="limit (17)")
axis.set(xlabel="pages N", ylabel="C*/c₀", xscale="log")
axis.legend()
figure.tight_layout()
plt.show()
