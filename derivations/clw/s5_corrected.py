# %% [markdown]
# # What is true about the golden ratio policy: $\phi^5/10$
#
# Theorem 5.1 bounds the limiting cost of the golden ratio policy by $c_0\nu\,\psi(q)H(q)$, and Corollary 5.1 concludes that the
# cost is within $2\phi^2/5 = 1.0472$ of the optimum. This notebook shows that $H(q)$ is the *smallest* limit that occurs, not the largest.
# The right constant is $\phi^5/10 = 1.10902$, and equal pages come as close to it as you like.
#
# Notation: $\psi(x) = x - 1 + e^{-x}$, $q = \mu/\nu$, $\kappa_i = -\ln h_i$, $Q = \sum_i\kappa_i$, $f_i = \kappa_i/Q$ as in (10); $j$ is the index of a frequency,
# $\phi^{-j} \le f \le \phi^{1-j}$, and $s = f\phi^j \in [1, \phi]$ is its place in that interval.

# %%
from fractions import Fraction
from math import floor, log

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq

from claimproof import Paper
from claimproof.engines.balls import sign_of
from crawlproof.kernels.symbolic import psi, psi2

paper = Paper("clw")

sqrt5 = sp.sqrt(5)
phi = (1 + sqrt5) / 2
q, Q, s, f = sp.symbols("q Q s f", positive=True)
fib = [int(sp.fibonacci(k)) for k in range(64)]
e = sp.exp

# %% [markdown]
# ## The law of the gaps for small frequencies
#
# The gaps $F_j, F_{j+1}, F_{j+2}$ have frequencies $f - \phi^{-j}$, $f - \phi^{-j-1}$, $\phi^{1-j} - f$ per access of the robot (CLW-G19). Divide by $f = s\phi^{-j}$: their
# probabilities are $(s-1)/s$, $(s-\phi^{-1})/s$, $(\phi-s)/s$, whatever $j$ is. And $F_m = \phi^m/\sqrt5$ up to a factor $1 \mp \phi^{-2m}$, so the scaled gap $fd$ is
# nearly $s/\sqrt5$, $s\phi/\sqrt5$ or $s\phi^2/\sqrt5$.

# %%
U = sp.symbols("U", positive=True)  # phi^j
V = sp.symbols("V", real=True)  # (1 - phi)^j


def binet(power, conjugate, shift=0):
    return (power * phi**shift - conjugate * (1 - phi) ** shift) / sqrt5


def weights(f, power):
    """Frequencies per access of the gaps F_j, F_(j+1), F_(j+2), with power = phi^j."""
    return f - 1 / power, f - 1 / (phi * power), phi / power - f


chances = ((s - 1) / s, (s - 1 / phi) / s, (phi - s) / s)
values = (s, s * phi, s * phi**2)  # of D_s; the scaled gap is D_s/sqrt5


def mean(function, chances=chances, values=values):
    return sum(p * function(d) for p, d in zip(chances, values, strict=True))


law = paper.claim("CLW-X.limit-law")
for chance, weight in zip(chances, weights(s / U, U), strict=True):
    law.equal(weight / (s / U), chance, using=["CLW-G19"])
law.equal(mean(lambda d: 1), 1, using=["CLW-G19"])
law.equal(mean(lambda d: d), sqrt5, using=["CLW-G19"])
law.equal(mean(lambda d: d**2), 2 * phi * s * (phi**2 - s), using=["CLW-G19"])

# %% [markdown]
# How near? $fF_{j+i} - s\phi^i/\sqrt5 = \mp\frac{f^2}{s\sqrt5}\phi^{-i}$ exactly, at most $f^2/\sqrt5$ in size. As $|e^{-Qx} - e^{-Qy}| \le Q|x - y|$, the term
# $E e^{-Qfd}$ of a page differs from $e_s(Q) = E e^{-QD_s/\sqrt5}$ by at most $Qf^2/\sqrt5$.

# %%
sign = sp.symbols("epsilon", real=True)  # (-1)^j, so that (1 - phi)^j = epsilon/phi^j
t = sp.symbols("t", positive=True)
rate = paper.claim("CLW-X.limit-rate")
for i in range(3):
    rate.equal(
        (s / U) * binet(U, sign / U, i) - s * phi**i / sqrt5, -sign * (-1) ** i * (s / U) ** 2 / (s * sqrt5) * phi**-i,
        using=["CLW-X.limit-law"],
    )
rate.inequality(sp.Lt(1 - e(-t), t), on={t: (0, sp.oo)}, zeros={t: (0, 2)}, using=["CLW-X.limit-law"])

# %% [markdown]
# ## The best case: $s = 1$
#
# At $s = 1$ (and at $s = \phi$) only two gaps occur, and $e_1$ is the expression in (18). All $D_s$ have mean $\sqrt5$, and $D_1$ is the smallest of them in
# the convex order: the difference of the stop-loss transforms, $E(D_s-x)^+ - E(D_1-x)^+$, is, on the four intervals between the atoms
# $s \le \phi \le s\phi \le \phi^2 \le s\phi^2$, a product of factors that are visibly not negative.

# %%
x = sp.symbols("x", positive=True)
D1 = ((1 / phi**2, phi), (1 / phi, phi**2))


def excess(atoms):
    """Sum of p (d - x) over the atoms that lie above x on the interval in question."""
    return sum((p * (d - x) for p, d in atoms), sp.Integer(0))


Ds = tuple(zip(chances, values, strict=True))
pieces = [  # (interval, atoms of D_s and of D_1 above it, the difference)
    (s, phi, Ds[1:], D1, (s - 1) * (x - s) / s),
    (phi, s * phi, Ds[1:], D1[1:], (phi - s) * (s * phi - x) / (s * phi)),
    (s * phi, phi**2, Ds[2:], D1[1:], phi * (s - 1) * (x - s * phi) / s),
    (phi**2, s * phi**2, Ds[2:], (), (phi - s) * (s * phi**2 - x) / s),
]
order = paper.claim("CLW-X.golden-cx")
order.equal(mean(lambda d: d), sum(p * d for p, d in D1), using=["CLW-X.limit-law"])
for _, _, upper, lower, difference in pieces:
    order.equal(excess(upper) - excess(lower), difference, using=["CLW-X.limit-law"])

# %% [markdown]
# With $\theta = q/\sqrt5$: $e_s(q) - e_1(q) = \theta^2\int(E(D_s-x)^+ - E(D_1-x)^+)e^{-\theta x}dx$, which is positive for $1 < s < \phi$. So
# $G_s(q) = E\psi(qD_s/\sqrt5)/\psi(q) = (q - 1 + e_s(q))/\psi(q)$ is least at $s = 1$, where it is $H(q)$.

# %%
theta = sp.symbols("theta", positive=True)
e_s, e_1 = mean(lambda d: e(-theta * d)), sum(p * e(-theta * d) for p, d in D1)


def moment(slope, zero, low, high):
    """theta^2 times the integral of slope (x - zero) exp(-theta x) from low to high."""
    def primitive(at):
        return -(theta * (at - zero) + 1) * e(-theta * at)

    return slope * (primitive(high) - primitive(low))


slopes = [((s - 1) / s, s), (-(phi - s) / (s * phi), s * phi), (phi * (s - 1) / s, s * phi), (-(phi - s) / s, s * phi**2)]
lowest = paper.claim("CLW-X.golden-lower")
for (slope, zero), (*_, difference) in zip(slopes, pieces, strict=True):
    lowest.equal(slope * (x - zero), difference, using=["CLW-X.golden-cx"])
lowest.equal(
    e_s - e_1, sum(moment(*line, low, high) for line, (low, high, *_) in zip(slopes, pieces, strict=True)),
    sample={s: (1, phi), theta: (0, 5)}, using=["CLW-X.golden-cx"],
)
G = mean(lambda d: psi(q * d / sqrt5)) / psi(q)
H = (psi(q * phi / sqrt5) / phi**2 + psi(q * phi**2 / sqrt5) / phi) / psi(q)
lowest.equal(G.subs(s, 1), H, using=["CLW-X.golden-cx"])
lowest.equal(G.subs(s, phi), H, using=["CLW-X.golden-cx"])
lowest.inequality(  # a second check, by balls, on the line of the worst case
    sp.Gt((e_s - e_1).subs(s, phi**2 / 2), 0), on={theta: (0, sp.oo)}, zeros={theta: (0, 2)}, using=["CLW-X.golden-cx"],
)

# %% [markdown]
# ## The worst case: $s = \phi^2/2$
#
# By the key lemma $G_s(q)$ decreases in $q$ from $E D_s^2/5 = \frac{2\phi}5s(\phi^2 - s)$, a parabola in $s$ with its top $\phi^5/10$ at $s = \phi^2/2$.

# %%
highest = paper.claim("CLW-X.golden-upper")
rests = ["CLW-X.limit-law", "CLW-X.key-lemma-1", "CLW-X.key-lemma-6", "CLW-X.key-lemma-7"]  # three values: no limit under an expectation
highest.equal(phi**5 / 10 - mean(lambda d: d**2) / 5, 2 * phi / 5 * (s - phi**2 / 2) ** 2, using=rests)
highest.exact([phi**5 / 10, phi**2 / 2 - 1 + (phi - phi**2 / 2)], [(11 + 5 * sqrt5) / 20, 1 / phi], using=rests)
highest.limit(sp.diff(mean(lambda d: psi(q * d / sqrt5)).rewrite(e), q, 2) / e(-q), q, 0, 2 * phi * s * (phi**2 - s) / 5, using=rests)
highest.inequality(  # on the top of the parabola, by balls
    sp.Lt(mean(lambda d: q * d / sqrt5 - 1 + e(-q * d / sqrt5)).subs(s, phi**2 / 2), phi**5 / 10 * (q - 1 + e(-q))),
    on={q: (0, sp.oo)}, zeros={q: (0, 3)}, using=rests,
)

# %% [markdown]
# *Figure.* Left: $G_s(q)$ against the place $s$ for several $q$; at the ends of each curve it is $H(q)$ (dotted), its least value. Right: the same against $q$: every limit of the cost ratio lies in the
# band between $H(q)$ and $\max_sG_s(q)$, which begin at the printed constant $2\phi^2/5$ and at the true one, $\phi^5/10$. Left of the vertical line, at $q = 1.148$, the band rises above the printed constant.

# %%
stable_G = sp.lambdify((s, q), (e_s.subs(theta, q / sqrt5) + q - 1) / (q - 1 + e(-q)))
top = (1 + 5**0.5) / 2
places = np.linspace(1, top, 200)
figure, (axis, band) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained", width_ratios=(3, 2))
loads = np.geomspace(0.02, 20, 200)
surface = stable_G(places[:, None], loads[None, :])
band.fill_between(loads, surface[0], surface.max(axis=0), color="C0", alpha=0.25, lw=0)
band.semilogx(loads, surface[0], color="C0", label="$H(q)$, least limit")
band.semilogx(loads, surface.max(axis=0), color="C3", label=r"$\max_s G_s(q)$, greatest limit")
band.axvline(1.147854, color="0.5", lw=0.8)
band.axhline(top**5 / 10, color="C3", ls="--", lw=0.8)
band.axhline(2 * top**2 / 5, color="C0", ls="--", lw=0.8)
band.set(xlabel="$q$", ylabel="limits of $C/C^*$")
band.legend(fontsize=8)
axis.plot(places, 2 * top / 5 * places * (top**2 - places), color="k", label=r"$q \to 0$")
for value in (0.25, 0.5, 1, 1.1479, 2, 4):
    axis.plot(places, stable_G(places, value), lw=1, label=f"q = {value:g}")
    axis.plot([1, top], [stable_G(1, value)] * 2, ":", lw=0.6, color="gray")
axis.axhline(top**5 / 10, color="C3", ls="--", lw=0.8)
axis.axhline(2 * top**2 / 5, color="C0", ls="--", lw=0.8)
axis.text(1.0, top**5 / 10 + 0.001, r"$\phi^5/10$", color="C3")
axis.text(1.22, 2 * top**2 / 5 + 0.001, r"$2\phi^2/5$", color="C0")
axis.set(xlabel="$s$", ylabel="$G_s(q)$", title="Cost ratio of small pages; the ends of each curve are $H(q)$")
axis.legend(fontsize=8, ncol=2)
plt.show()

# %% [markdown]
# ## Equal pages reach every $s$
#
# $N$ equal pages have $f = 1/N$ and $s = \phi^j/N$. While $N$ runs from $\phi^{j-1}$ to $\phi^j$, $s$ runs through $[1, \phi]$ in steps of
# $s_N - s_{N+1} = s_Ns_{N+1}\phi^{-j} \le \phi^{2-j}$. Given a place $s$, take $N = \lfloor\phi^j/s\rfloor$, that is, $\phi^j = (N + \rho)s$ with $0 \le \rho < 1$: then $s_N - s = \rho s/N$. And $e_s$ moves slowly:
# $|\partial_se_s| \le \frac{2\phi}{s^2} + \frac{\sqrt5\theta}{s} \le 2\phi + q$, since the probabilities change by $\frac1{s^2}, \frac1{\phi s^2}, \frac{\phi}{s^2}$ per unit of $s$ and the values by $v/s$, with $E[D_s] = \sqrt5$. With CLW-X.limit-rate the cost
# divided by $c_0\nu$ is within $\frac{Q}{\sqrt5N^2} + (2\phi + q)\frac{s}{N} + |Q - q|$ of $\psi(q)G_s(q)$, which tends to 0: every $G_s(q)$ is a limit point of the cost ratio.

# %%
N = sp.symbols("N", integer=True, positive=True)
equal_pages = paper.claim("CLW-X.equal-pages")
rests = ["CLW-G19", "CLW-X.limit-rate", "CLW-X.uniform-limit"]
equal_pages.equal(U / N - U / (N + 1), (U / N) * (U / (N + 1)) / U, using=rests)
remainder = sp.symbols("rho", nonnegative=True)
equal_pages.equal((N + remainder) * s / N - s, remainder * s / N, sample={remainder: (0, 1)}, using=rests)
decay = [e(-theta * d) for d in values]
equal_pages.equal(
    sp.diff(e_s, s),
    (decay[0] + decay[1] / phi - phi * decay[2]) / s**2 - theta * sum(p * d / s * x for p, d, x in zip(chances, values, decay, strict=True)),
    sample={s: (1, phi), theta: (0, 2)}, using=rests,
)
equal_pages.exact(1 + 1 / phi + phi, 2 * phi, using=rests)
equal_pages.limit(Q / (sqrt5 * x**2) + (2 * phi + q) * s / x, x, sp.oo, 0, using=rests)  # x stands for N

# %% [markdown]
# *Figure.* Cost ratio for $N$ equal pages and rare changes, against $N$ on a logarithmic scale: it goes up and down for ever between $2\phi^2/5 = 1.047$ and $\phi^5/10 = 1.109$, once for every factor $\phi$.

# %%
def second_moment(frequency):
    """V(f), the limit of C/C* for q -> 0 when all pages have this frequency."""
    j = -floor(log(frequency, top))
    w = frequency - top**-j, frequency - top ** (-j - 1), top ** (1 - j) - frequency
    return frequency * sum(weight * fib[j + i] ** 2 for i, weight in enumerate(w))


sizes = np.arange(2, 1500)
figure, axis = plt.subplots(figsize=(7.5, 3.4), layout="constrained")
axis.semilogx(sizes, [second_moment(1 / n) for n in sizes], lw=0.9)
axis.axhline(top**5 / 10, color="C3", ls="--", lw=0.8, label=r"$\phi^5/10$")
axis.axhline(2 * top**2 / 5, color="k", ls="--", lw=0.8, label=r"$2\phi^2/5$, the printed bound")
axis.set(xlabel="number of equal pages $N$", ylabel="$C/C^*$, $q \\to 0$", title="The cost ratio has no limit: a wave in $\\ln N$")
axis.legend()
plt.show()

# %% [markdown]
# ## Theorem 5.1 and Corollary 5.1
#
# Let $m = \max_i\mu_{i,N} \to 0$. Then $Q \to q$ (CLW-X.uniform-limit) and $\max f_i = \max\kappa_i/Q \le mE[X]/Q \to 0$. As $h_i^d = e^{-Qf_id}$,
#
# $$\frac{C(\gamma(N))}{c_0\nu} = q - 1 + \sum_if_iE e^{-Qf_id_i}, \qquad \Bigl|\sum_if_iE e^{-Qf_id_i} - \sum_if_ie_{s_i}(q)\Bigr| \le \frac{Q}{\sqrt5}\max f_i^2 + |Q - q|$$
#
# ($|e_s(Q) - e_s(q)| \le |Q-q|E D_s/\sqrt5 = |Q-q|$). The sum on the right is an average of values $e_s(q)$. So the cost ends up between
# $c_0\nu(q-1+e_1(q))$ and $c_0\nu(q-1+\max_se_s(q))$, and equal pages reach both. **(18) has its inequality the wrong way round**: for $1 < s < \phi$ and
# every $q$, $e_s(q) > e_1(q)$. (19), the weaker statement, fails when $q$ is small.

# %%
at_limit = {theta: q / sqrt5}
limits = ["CLW-X.equal-pages", "CLW-X.golden-lower"]
paper.claim("CLW-T5.1").refute(
    sp.Le(e_s.subs(at_limit), e_1.subs(at_limit)), witness={q: 1, s: sp.Rational(13, 10)}, hypotheses=[sp.Ge(s, 1), sp.Le(s, phi)],
    meets=dict.fromkeys(paper.inventory["CLW-T5.1"].hypotheses, "N equal pages with rates q/N and weights in proportion"),
    instance="Equal pages, X = 1, q = 1, N near 1.3 times a power of the golden ratio: the last term tends to 0.3872, which (18) has at most 0.3769.",
    using=limits,
)
kappa, d = sp.symbols("kappa d", positive=True)
theorem = paper.claim("CLW-T5.1-corrected")
rests = ["CLW-X.uniform-limit", "CLW-G19", "CLW-X.limit-rate", "CLW-X.golden-lower", "CLW-X.equal-pages"]
theorem.equal(e(-kappa * d), e(-Q * f * d).subs(f, kappa / Q), using=rests)
theorem.equal(  # the slope of e_s in Q is a mean of D/sqrt5, which has mean 1, times a factor between 0 and 1
    sp.diff(mean(lambda d: e(-Q * d / sqrt5)), Q), -mean(lambda d: d / sqrt5 * e(-Q * d / sqrt5)), sample={s: (1, phi)}, using=rests,
)
theorem.equal(mean(lambda d: d / sqrt5), 1, sample={s: (1, phi)}, using=rests)
largest, EX = sp.symbols("m EX", positive=True)
theorem.limit(Q / sqrt5 * (largest * EX / Q) ** 2, largest, 0, 0, using=rests)

# %%
ratio = (q - 1 + e_s.subs(at_limit)) / (q - 1 + e(-q))
printed_H = (q - 1 + e_1.subs(at_limit)) / (q - 1 + e(-q))
worst = {q: sp.Rational(1, 20), s: sp.Rational(13, 10)}
paper.claim("CLW-C5.1").refute(
    sp.Le(ratio, 2 * phi**2 / 5), witness=worst, hypotheses=[sp.Ge(s, 1), sp.Le(s, phi)],
    meets=dict.fromkeys(paper.inventory["CLW-C5.1"].hypotheses, "N equal pages with rates q/N and weights in proportion"),
    instance="Equal pages, X = 1, q = 1/20, N near 1.3 times a power of the golden ratio: 1.1051 times the bound, where (19) has 1.0472.",
    using=limits,
)
paper.claim("CLW-C5.1b").refute(
    sp.Le(ratio, printed_H), witness=worst, hypotheses=[sp.Ge(s, 1), sp.Le(s, phi)], using=limits,
)
equal_limits = paper.claim("CLW-C5.1b-corrected")
equal_limits.equal(G, ratio, sample={s: (1, phi)}, using=limits)
least_ratio = equal_limits.equal(G.subs(s, 1), printed_H, using=limits)

# %% [markdown]
# The sentence that (19) will hold if $H' \le 0$ fails too: $H' \le 0$ is true, (19) is not. The fault is not in this step; it is inherited from (18) by way of the equation of $H$ with the limsup.

# %%
paper.claim("CLW-C5.1m").refute(
    sp.Le(ratio, 2 * phi**2 / 5), witness=worst,
    hypotheses=[sp.Ge(s, 1), sp.Le(s, phi), sp.Le(sp.diff(printed_H, q), 0)], using=limits,
)
paper.claim("CLW-C5.1m-corrected").equal(
    phi**5 / 10 - 2 * phi / 5 * s * (phi**2 - s), 2 * phi / 5 * (s - phi**2 / 2) ** 2, using=["CLW-X.golden-upper"],
)

corollary = paper.claim("CLW-C5.1-corrected")
rests = ["CLW-T5.1-corrected", "CLW-X.uniform-limit", "CLW-X.golden-lower", "CLW-X.golden-upper", "CLW-X.equal-pages"]
limit_ratio = corollary.equal(G, ratio, sample={s: (1, phi)}, using=rests)
corollary.exact(phi**5 / 10, (11 + 5 * sqrt5) / 20, using=rests)
corollary.instances(
    [sp.Rational(11091, 10000)], lambda bound: sign_of(bound - phi**5 / 10) == 1, what="decimal bound", kind="enclosed",
    only_gross="a single case",
    wrong={"1.109": lambda bound: sign_of(bound - sp.Rational(1, 10000) - phi**5 / 10) == 1}, using=rests,
)
corollary.inequality(  # sharp: the ratio at s = phi^2/2 exceeds phi^5/10 - q/5 for all q
    sp.Gt(mean(lambda d: q * d / sqrt5 - 1 + e(-q * d / sqrt5)).subs(s, phi**2 / 2), (phi**5 / 10 - q / 5) * (q - 1 + e(-q))),
    on={q: (0, 1)}, zeros={q: (0, 3)}, using=rests,
)

# %% [markdown]
# ## The steps of the printed proof
#
# For finite $N$: two equal pages, $f = 1/2$, $j = 2$, gaps 1, 2, 3. The first display of the proof fails at $h = 9/10$.

# %%
h = sp.symbols("h", positive=True)
half = sp.Rational(1, 2)
two_pages = 2 * sum(w * h ** fib[2 + i] for i, w in enumerate(weights(half, phi**2)))
display = (1 - 1 / phi) * h ** (2 * phi / sqrt5) + h ** (2 * phi**2 / sqrt5) / phi
paper.claim("CLW-T5.1a").refute(sp.Le(two_pages, display), witness={h: sp.Rational(9, 10)}, hypotheses=[sp.Lt(h, 1)], using=["CLW-G19"])

# %% [markdown]
# What holds for every $N$ is a bound by second moments: Theorem A with $V(f) = E(fd)^2$.

# %%
def moment_of(f, power, conjugate):
    return f * sum(w * binet(power, conjugate, i) ** 2 for i, w in enumerate(weights(f, power)))


finite = paper.claim("CLW-T5.1a-corrected")
rests = ["CLW-G19", "CLW-X.theorem-A-cost"]
finite.equal(sum(w / f * (f * binet(U, V, i)) ** 2 for i, w in enumerate(weights(f, U))), moment_of(f, U, V), using=rests)
finite.equal(sum(w / f * binet(U, sign / U, i) for i, w in enumerate(weights(f, U))), 1 / f, using=rests)
short, middle = sp.symbols("F_j F_{j+1}", positive=True)  # and the long gap is their sum
place_moment = sum(p * gap**2 for p, gap in zip(chances, (short, middle, short + middle), strict=True))
in_place = finite.equal(
    place_moment, ((s - 1) * short**2 + (s - 1 / phi) * middle**2 + (phi - s) * (short + middle) ** 2) / s, sample={s: (1, phi)}, using=rests,
)

# %% [markdown]
# The remarks on $h_i$, $f_i$ and $t_i$: the first is the expansion of a Laplace transform with finite mean, $0 \le \psi(x) \le x$ and $\psi(x)/x \to 0$. The second
# and third need $Q \to q$, hence $\max\mu_i \to 0$ and not only each $\mu_i \to 0$. One page that keeps half of the changes is a counterexample.

# %%
expansion = paper.claim("CLW-T5.1b")
expansion.inequality(sp.Lt(t - 1 + e(-t), t), on={t: (0, sp.oo)}, zeros={t: (0, 1)}, using=[])
expansion.limit((t - 1 + e(-t)) / t, t, 0, 0, using=[])
expansion.argued(
    "dominated convergence",
    "h - (1 - mu EX) = E psi(mu X), and psi(mu X)/mu is at most X and tends to 0 as mu does; the same for constant X.", using=[],
)

y = sp.symbols("y", positive=True)  # 1/(N - 1)
heavy = paper.claim("CLW-X.one-heavy-page")
rests = ["CLW-T3.4g"]
heavy_Q = sp.Rational(1, 2) + sp.log(sp.Rational(3, 2))
heavy.limit(sp.log(1 + y / 2) / y + sp.log(1 + half), y, 0, heavy_Q, using=rests)
heavy.limit(sp.log(1 + y / 2) / (y / 2), y, 0, 1, using=rests)
heavy.instances(
    [heavy_Q], lambda value: sign_of(1 - value) == 1, what="limit of Q", kind="enclosed",
    only_gross="a single case",
    wrong={"larger": lambda value: sign_of(value - 1) == 1}, using=rests,
)

share = paper.claim("CLW-T5.1b2")
one_heavy = "the rates sum to 1, and the rate of each fixed page vanishes"
share.refute(
    sp.Eq(1 / heavy_Q, sp.Integer(1), evaluate=False), witness={}, using=["CLW-X.one-heavy-page"],
    meets=dict.fromkeys(share.claim.hypotheses, one_heavy),
    instance="X exponential with mean 1, one page of rate 1/2, the others sharing 1/2: f/mu of each of the others tends to 1.104, not to 1.",
)
a, m, mu = sp.symbols("a m mu", positive=True)  # kappa_i/mu_i, mu_i and their sum
share.equal((a * m / Q - m / mu) / m, (a * mu - Q) / (Q * mu), given=r"$\max_i\mu_{i,N} \to 0$, so that $\kappa_i/\mu_i \to E[X]$ uniformly and $Q \to \mu E[X]$", using=["CLW-X.uniform-limit"])
common = paper.claim("CLW-T5.1c")
common.refute(
    sp.Eq(e(-heavy_Q / sqrt5), e(-1 / sqrt5), evaluate=False), witness={}, using=["CLW-X.one-heavy-page"],
    meets=dict.fromkeys(common.claim.hypotheses, one_heavy),
    instance="X exponential with mean 1, one page of rate 1/2, the others sharing 1/2: t tends to 0.6670, not to exp(-1/sqrt 5) = 0.6394.",
)
common.equal(
    sp.log(e(-kappa) ** (1 / (sqrt5 * f))) + Q / sqrt5, (Q * f - kappa) / (sqrt5 * f),
    given=r"$\max_i\mu_{i,N} \to 0$, so that $Q \to q$", using=["CLW-X.uniform-limit"],
)

F, c0, nu, T = sp.symbols("F c_0 nu t", positive=True)  # F: the sum of all f_i
bracket = (1 - 1 / phi) * T**phi + T ** (phi**2) / phi
passage = paper.claim("CLW-T5.1d")
passage.equal(  # t_i is the same for all pages
    sp.log(e(-kappa) ** (1 / (sqrt5 * f))) + Q / sqrt5, (Q * f - kappa) / (sqrt5 * f), using=["CLW-T3.4g"]
)
stated = c0 * mu - c0 * nu * (1 - (1 - 1 / phi) * T**phi - T ** (phi**2) / phi)
passage.equal(
    c0 * mu - c0 * nu * (1 - F * bracket) - stated, c0 * nu * (F - 1) * bracket, using=["CLW-T5.1c"],
)
paper.claim("CLW-T5.1e").equal(
    (c0 * mu - c0 * nu * (1 - bracket)).subs(T, e(-mu / nu / sqrt5)),
    c0 * (mu - nu + nu * (1 - 1 / phi) * e(-mu * phi / nu / sqrt5) + nu / phi * e(-mu * phi**2 / nu / sqrt5)),
)

# %% [markdown]
# ## From which $q$ on (19) is true
#
# $\max_sG_s(q)$ decreases in $q$ (each $G_s$ does) and crosses $2\phi^2/5$ at one point $q^*$. Below it, one $s$ is enough to violate (19); at the upper end of the
# enclosure every $s$ must be good: $sG_s$ is compared with the constant, its derivative has one sign on either side of a short interval, and on that
# interval the difference itself is negative.

# %%
low, high = sp.Rational(1147854492548, 10**12), sp.Rational(1147854492549, 10**12)
best = sp.Rational(1279060741166, 10**12)


def lead(s, q):
    """s (psi(q) G_s(q) - 2 phi^2/5 psi(q)): positive where (19) fails."""
    terms = ((s - 1, s), (s - 1 / phi, s * phi), (phi - s, s * phi**2))
    return sum(w * e(-q * d / sqrt5) for w, d in terms) + s * (q - 1) - 2 * phi**2 / 5 * s * (q - 1 + e(-q))


crossing = paper.claim("CLW-X.golden-threshold")
rests = ["CLW-X.golden-upper", "CLW-X.equal-pages"]
crossing.equal(s * (mean(lambda d: psi(q * d / sqrt5)) - 2 * phi**2 / 5 * psi(q)), lead(s, q), sample={s: (1, phi)}, using=rests)
crossing.inequality(sp.Gt(lead(sp.Rational(32, 25), q), 0), on={q: (0, sp.Rational(1147, 1000))}, zeros={q: (0, 2)}, using=rests)
crossing.instances(
    [low], lambda value: sign_of(lead(best, value)) == 1, what="lower end, in balls", kind="enclosed",
    only_gross="a single case",
    wrong={"the upper end": lambda value: sign_of(lead(best, high)) == 1}, using=rests,
)
width = sp.Rational(1, 10**7)
just_above = (high, high + sp.Rational(1, 10**15))
slope = sp.expand(s**2 * sp.diff(sp.expand(lead(s, q) / s), s))
crossing.inequality(sp.Gt(slope, 0), on={s: (1, best - width), q: just_above}, using=rests)
crossing.inequality(sp.Lt(slope, 0), on={s: (best + width, phi), q: just_above}, using=rests)
crossing.inequality(sp.Lt(lead(s, q), 0), on={s: (best - 2 * width, best + 2 * width), q: just_above}, using=rests)

# %% [markdown]
# ## An instance, access by access
#
# 22 equal pages, $X = 1$, $\mu = 1/20$, cycle $F_{20} = 6765$. Each page gets 307 or 308 accesses. Sort, take differences, count: nothing but the
# definition and integers. Then $C/C^* = (q - 1 + \frac{1}{F_k}\sum h^d)/\psi(q)$ with $h = e^{-q/22}$, and it decreases in $q$.

# %%
def gap_counts(counts, k):
    """How often each gap occurs over one cycle, all pages together."""
    found, start = {}, 0
    for m in counts:
        ranks = sorted(j * fib[k - 1] % fib[k] for j in range(start, start + m))
        start += m
        for here, there in zip(ranks, [*ranks[1:], ranks[0] + fib[k]], strict=True):
            found[there - here] = found.get(there - here, 0) + 1
    return found


counts = [307 + i % 2 for i in range(22)]
found = gap_counts(counts, 20)
found

# %%
def instance_lead(found, pages, bound):
    """psi(q) (C/C* - bound)."""
    total = sum(found.values())
    return q - 1 + sum(sp.Rational(n, total) * e(-q * gap / pages) for gap, n in found.items()) - bound * (q - 1 + e(-q))


instance = paper.claim("CLW-X.golden-instance")
rests = ["CLW-X.golden-rank", "CLW-G16"]
tiny = sp.Rational(1, 10**9)
instance.exact([sum(counts), sum(gap * n for gap, n in found.items())], [fib[20], 22 * fib[20]], using=rests)
instance.inequality(
    sp.Gt(instance_lead(found, 22, sp.Rational(1104994, 10**6)), 0), on={q: (0, half / 10 + tiny)}, zeros={q: (0, 2)}, using=rests,
)
instance.inequality(
    sp.Lt(instance_lead(found, 22, sp.Rational(1104995, 10**6)), 0), on={q: (half / 10 - tiny, sp.oo)}, using=rests,
)

# %% [markdown]
# ## For every $N$: 9/8
#
# For finite $N$ the second moment of a page's scaled gap is $V(f)$, a parabola in $f$ on each $[\phi^{-j}, \phi^{1-j}]$. With $x = (-1)^j\phi^{-2j}$ its top is a rational function
# $V^*(x)$, and $x$ lies between $-\phi^{-2}$ ($j = 1$) and $\phi^{-4}$ ($j = 2$). $V^* \le 9/8$ there, with equality at $j = 1$: $f = 3/4$.

# %%
X = sp.symbols("X", real=True)


def scaled(i):
    """F_(j+i)/phi^j as a function of X = (-1)^j phi^(-2j)."""
    return phi**i * (1 - X * (-1) ** i * phi ** (-2 * i)) / sqrt5


linear = phi * scaled(2) ** 2 - scaled(0) ** 2 - scaled(1) ** 2 / phi
product = scaled(0) * scaled(1)
peak = linear**2 / (8 * product)

guarantee = paper.claim("CLW-X.golden-guarantee")
rests = ["CLW-G19", "CLW-X.theorem-A"]
guarantee.equal(  # the parabola in s = f phi^j
    peak - 2 * product * (s - linear / (4 * product)) ** 2, moment_of(s / U, U, X * U), sample={s: (1, phi), X: (-sp.Rational(1, 3), sp.Rational(1, 8))},
    using=rests,
)
guarantee.inequality(
    sp.Ge(sp.expand(sp.radsimp(sp.expand(9 * product - linear**2))), 0), on={X: (-(phi**-2), phi**-4)}, zeros={X: (-(phi**-2), 1)}, using=rests,
)
guarantee.exact(
    [sp.Rational(3, 4) * sum(w * fib[1 + i] ** 2 for i, w in enumerate(weights(sp.Rational(3, 4), phi))), peak.subs(X, phi**-4)],
    [sp.Rational(9, 8), phi**6 / 16], using=rests,
)

# %% [markdown]
# ## The worst ratio of all
#
# With $c_i = c_0\mu_i$, $C/C^* \le \sum_if_iV(f_i)$, and for constant $X$ it tends to that as $q \to 0$. So the worst ratio over all $N$, $X$ and rates is the supremum of $\sum_if_iV(f_i)$
# over all ways to split 1 into frequencies. It is attained neither by equal pages nor by one page at $3/4$: nine pages already give 1.1212283.

# %%
def exact_moment(frequency):
    j = -floor(log(frequency, top))
    assert phi**-j <= sp.Rational(frequency) <= phi ** (1 - j)
    return sp.Rational(frequency) * sum(w * fib[j + i] ** 2 for i, w in enumerate(weights(sp.Rational(frequency), phi**j)))


nine = [Fraction(755308, 10**6), Fraction(192432, 10**6), Fraction(27868, 10**6)]
nine += [(1 - sum(nine)) / 6] * 6
worst_sum = sp.radsimp(sp.expand(sum(sp.Rational(w) * exact_moment(w) for w in nine)))
sp.N(worst_sum, 12)

# %% [markdown]
# For an upper bound, let $n_j$ be the number of pages in $[\phi^{-j}, \phi^{1-j}]$. For any price $\lambda \ge \sup_{i>j}V_i^*$ (what the remaining frequency can be worth per unit)
#
# $$\sum_if_iV(f_i) \le \lambda + \sum_{i\le j}n_i\max_f\,(fV(f) - \lambda f).$$
#
# $fV(f)$ is concave on each interval, so a tangent bounds the maximum. Branch on $n_1, n_2, \dots$ (the intervals' lower ends limit the numbers), and close a branch as soon as some $\lambda$ brings it
# below 1.1212284. Every closed branch is a certificate in balls; together they cover everything.

# %%
ctx.prec = 128
PHI = (1 + arb(5).sqrt()) / 2
GOAL, DEPTH = fmpq(11212284, 10**7), 8


def coefficients(j):
    """f V(f) = linear f^2 - cubic f^3 on the j-th interval, in balls."""
    linear = PHI ** (1 - j) * fib[j + 2] ** 2 - PHI**-j * fib[j] ** 2 - PHI ** (-j - 1) * fib[j + 1] ** 2
    return linear, arb(2 * fib[j] * fib[j + 1])


def peak_of(j):
    linear, cubic = coefficients(j)
    return linear**2 / (4 * cubic)


TABLE = {j: coefficients(j) for j in range(1, 40)}


def as_rational(value, digits=12):
    return fmpq(round(value * 10**digits), 10**digits)


def rest_value(j):
    """An upper bound, rational, for V^* over all intervals after the j-th (FAR covers those from the 14th on)."""
    return as_rational(max(float(peak_of(i).mid()) for i in range(j + 1, 14)) + 1e-10)


REST = {j: rest_value(j) for j in range(DEPTH + 1)}
FAR = fmpq(1109018, 10**6)  # above V^* on all intervals from the 14th on


def best_place(j, price):
    """Where f V(f) - price f is greatest on the j-th interval, roughly."""
    linear, cubic = (float(c.mid()) for c in TABLE[j])
    root = linear**2 - 3 * cubic * price
    place = (linear + max(root, 0) ** 0.5) / (3 * cubic)
    return min(max(place, top**-j), top ** (1 - j))


def profit(j, price):
    """An upper bound, in balls, for f V(f) - price f on the j-th interval: the tangent of a concave function."""
    linear, cubic = TABLE[j]
    place = arb(as_rational(best_place(j, float(price)), 15))
    if not 2 * linear - 6 * cubic * PHI**-j < 0:  # concave from the lower end on
        raise ArithmeticError(f"f V(f) is not concave on interval {j}")
    value = linear * place**2 - cubic * place**3 - arb(price) * place
    slope = 2 * linear * place - 3 * cubic * place**2 - arb(price)
    ends = [slope * (end - place) for end in (PHI**-j, PHI ** (1 - j))]
    return value + arb.max(*ends)


def roughly(numbers, price):
    def one(j):
        linear, cubic = (float(c.mid()) for c in TABLE[j])
        place = best_place(j, price)
        return linear * place**2 - cubic * place**3 - price * place

    return price + sum(n * one(j) for j, n in numbers.items() if n)


def good_price(numbers, floor_price):
    """A price at which the bound is nearly least: bisection on the mass used."""
    low, high = floor_price, floor_price + 2
    for _ in range(60):
        middle = (low + high) / 2
        if sum(n * best_place(j, middle) for j, n in numbers.items()) > 1:
            low = middle
        else:
            high = middle
    return min((floor_price, high), key=lambda price: roughly(numbers, price))


def fits(numbers):
    """Whether so many pages can have total frequency at most 1 (their lower ends do)."""
    return not sum((n * PHI**-j for j, n in numbers.items()), arb(0)) > 1


def branches(numbers, depth):
    """Closed branches that together cover all numbers of pages."""
    price = good_price(numbers, float(REST[depth])) if numbers else float(REST[depth])
    if numbers and (roughly(numbers, price) < float(GOAL) - 1e-9 or depth == DEPTH):
        yield numbers, max(as_rational(price), REST[depth])
        return
    for n in range(10**6):
        extended = {**numbers, depth + 1: n}
        if not fits(extended):
            return
        yield from branches(extended, depth + 1)


def closed(branch, goal=GOAL):
    numbers, price = branch
    depth = max(numbers)
    bound = arb(price) + sum((n * profit(j, price) for j, n in numbers.items() if n), arb(0))
    return price >= REST[depth] > FAR and all(peak_of(i) < arb(REST[depth]) for i in range(depth + 1, 14)) and bool(bound < arb(goal))


covering = list(branches({}, 0))
len(covering)

# %%
worst_of_all = paper.claim("CLW-X.golden-sup")
rests = ["CLW-T5.1a-corrected", "CLW-X.golden-guarantee", "CLW-X.theorem-A-sharp"]
worst_of_all.instances(
    [worst_sum], lambda value: sign_of(value - sp.Rational(11212283, 10**7)) == 1 and sum(nine) == 1, what="instance of nine pages",
    only_gross="a single case",
    wrong={"1.1212284": lambda value: sign_of(value - sp.Rational(11212284, 10**7)) == 1}, using=rests, kind="enclosed",
)
worst_of_all.instances(
    covering, closed, what="branches of a covering, each closed in balls", kind="enclosed",
    wrong={"1.1212283": lambda branch: closed(branch, fmpq(11212283, 10**7))}, using=rests,
)
worst_of_all.inequality(  # intervals from the 14th on: V^* stays below FAR
    sp.Lt(sp.expand(sp.radsimp(sp.expand(linear**2 - 8 * sp.Rational(int(FAR.p), int(FAR.q)) * product))), 0),
    on={X: (-sp.Rational(1, 10**5), sp.Rational(1, 10**5))}, using=rests,
)

# %% [markdown]
# ## Section 6: greedy rules
#
# The paper's closing remark is that there are simple greedy policies that seem to do remarkably well. One that does: access the page that is *most overdue*, with the largest
# $f_i\cdot\text{age}_i$ (ties to the more frequent page). With integer weights it soon runs in a cycle, so its cost ratio for $q \to 0$, $\sum_if_i^2E d_i^2/E d_i$, is an exact
# rational. For every way to write $n \le 12$ as a sum of parts of which none exceeds $n/3$, it is at most $1.034$. The remark itself is an impression, on which we give no verdict.

# %%
def partitions_of(n, largest):
    """The partitions of n into parts up to ``largest``, as decreasing tuples."""
    if n == 0:
        yield ()
    for first in range(min(n, largest), 0, -1):
        for rest in partitions_of(n - first, first):
            yield (first, *rest)


def cycle_of(choose, parts):
    """The cycle into which a rule on the ages runs."""
    ages, seen, accesses = (1,) * len(parts), {}, []
    while ages not in seen:
        seen[ages] = len(accesses)
        page = max(range(len(parts)), key=lambda i: choose(parts[i], ages[i]))
        accesses.append(page)
        ages = tuple(1 if i == page else age + 1 for i, age in enumerate(ages))
    return accesses[seen[ages] :]


def greedy_ratio(parts, choose):
    """C/C* for q -> 0, exactly; None when a page is never accessed."""
    cycle, total = cycle_of(choose, parts), Fraction(0)
    for page, part in enumerate(parts):
        at = [n for n, owner in enumerate(cycle) if owner == page]
        if not at:
            return None
        gaps = [there - here for here, there in zip(at, [*at[1:], at[0] + len(cycle)], strict=True)]
        total += Fraction(part, sum(parts)) ** 2 * Fraction(sum(gap**2 for gap in gaps), len(cycle))
    return total


def within(parts, choose, bound=Fraction(1034, 1000)):
    ratio = greedy_ratio(parts, choose)
    return ratio is not None and 1 <= ratio <= bound


family = [parts for n in range(3, 13) for parts in partitions_of(n, n // 3)]
paper.claim("CLW-K1").definition()  # an impression, nothing to check
paper.claim("CLW-X.most-overdue").instances(
    family, lambda parts: within(parts, lambda weight, age: (weight * age, weight)), what="frequency vectors",
    wrong={
        "oldest first": lambda parts: within(parts, lambda weight, age: (age, weight)),
        "within 3.3 %": lambda parts: within(parts, lambda weight, age: (weight * age, weight), Fraction(1033, 1000)),
    },
    using=["CLW-T3.3"],
)

# %% [markdown]
# But greed as such is no virtue. "Access the page with the largest expected gain $\mu_i(1 - h_i^{\text{age}})$" never looks at a page with $\mu_i < \mu_1(1 - h_1)$: page 1, one access old, is always
# worth more. With $X = 1$, one page of rate $m$ and $n$ pages of rate $\frac12m(1 - e^{-m})$, the cost is $C/c_0 = m - 1 + e^{-m} + n\cdot\frac12m(1 - e^{-m})$ and the ratio tends to $1 + n$.

# %%
m = sp.symbols("m", positive=True)
n = sp.symbols("n", integer=True, positive=True)
slow = m * (1 - e(-m)) / 2
unsafe = paper.claim("CLW-X.greedy-unsafe")
rests = ["CLW-L3.1", "CLW-T3.4i"]
unsafe.inequality(sp.Lt(slow, m * (1 - e(-m))), on={m: (0, sp.oo)}, zeros={m: (0, 2)}, using=rests)
unsafe.limit((m - 1 + e(-m) + n * slow) / m**2, m, 0, half * (1 + n), using=rests)
unsafe.limit((m + n * slow - 1 + e(-(m + n * slow))) / m**2, m, 0, half, using=rests)

# %% [markdown]
# The last section says that Section 3 has named the sequencing problem as open; it has, at its end.

# %%
for version in ("1997", "1999"):
    paper.claim("CLW-K2").textual(version=version, place="Section 6, second paragraph; end of Section 3", words="open problems ... sequencing")

# %% [markdown]
# ## For users
#
# Both ratios as functions of $q$, written with $\psi(x)/x^2$, so that $q = 0$ is an ordinary point. And $E d^2$ from the place of a frequency and the gaps $F_j$, $F_{j+1}$: times $f^2$ it is the guarantee $V(f)$.

# %%
finite.export(
    "golden_ratio_second_moment", ((s - 1) * short**2 + (s - 1 / phi) * middle**2 + (phi - s) * (short + middle) ** 2) / s,
    of=in_place, args={"place": s, "short_gap": short, "middle_gap": middle},
    domain={"place": ">= 1 and < 2", "short_gap": "> 0", "middle_gap": "> 0"},
    describe={
        "place": "s = f phi^j in [1, phi], the place of the frequency between two powers of 1/phi",
        "short_gap": "F_j, the shortest gap of the page",
        "middle_gap": "F_(j+1); the longest gap is the sum of both",
    },
    sample={"place": (1.0, 1.618), "short_gap": (1, 1e9), "ratio": (1, 2), "middle_gap": "short_gap*ratio"},
    summary="E d^2 of a page under the golden ratio policy; times the squared frequency it is the page's guarantee V(f).", ulps=8,
)
corollary.export(
    "golden_ratio_ratio", mean(lambda d: d**2 / 5 * psi2(q * d / sqrt5)) / psi2(q), of=limit_ratio,
    args={"place": s, "relative_rate": q},
    domain={"place": ">= 1 and < 2", "relative_rate": ">= 0"},
    describe={
        "place": "s = f phi^j in [1, phi], the place of a small frequency between two powers of 1/phi",
        "relative_rate": "q = mu E[X], the total change rate times the mean access time",
    },
    sample={"place": (1.0, 1.618), "relative_rate": (1e-6, 50.0)},
    summary="Limit G_s(q) of the golden ratio policy's cost over the lower bound, for many small pages.",
    ulps=8,
)
equal_limits.export(
    "golden_ratio_best_ratio", (phi**2 / 5 / phi**2 * psi2(q * phi / sqrt5) + phi**4 / 5 / phi * psi2(q * phi**2 / sqrt5)) / psi2(q),
    of=least_ratio, args={"relative_rate": q}, domain={"relative_rate": ">= 0"},
    describe={"relative_rate": "q = mu E[X], the total change rate times the mean access time"},
    sample={"relative_rate": (1e-6, 50.0)},
    summary="H(q), the least limit of the golden ratio policy's cost over the lower bound.", ulps=8,
)
