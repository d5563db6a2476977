# %% [markdown]
# # The limit $2\phi^2/5$: what is right about it
#
# The proof of Corollary 5.1 is about one function of $q = \mu/\nu$,
#
# $$H(q) = \frac{q - 1 + (1-\phi^{-1})e^{-q\phi/\sqrt5} + \phi^{-1}e^{-q\phi^2/\sqrt5}}{q - 1 + e^{-q}},$$
#
# and says that $H$ decreases from $2\phi^2/5$. Both is true. But the argument for "decreases" contains an inequality that is
# false for every $q > 0$; we show that, and prove the monotonicity in three ways that share nothing. Whether $H$ is what
# the paper takes it for, the limit superior of the cost ratio, is the matter of the next notebook (it is not).

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from claimproof import Paper
from claimproof.engines.balls import sign_of

paper = Paper("clw")

q = sp.symbols("q", positive=True)
sqrt5 = sp.sqrt(5)
phi = (1 + sqrt5) / 2
a, b = phi / sqrt5, phi**2 / sqrt5  # the two rates; b - a = 1/sqrt5

top = q - 1 + (1 - 1 / phi) * sp.exp(-a * q) + sp.exp(-b * q) / phi
bottom = q - 1 + sp.exp(-q)
H = top / bottom

# %% [markdown]
# ## l'Hospital twice
#
# Numerator and denominator vanish with their first derivatives at 0. The two quotients that the paper displays are the
# quotients of the first and of the second derivatives, and the last one is continuous at 0.

# %%
first_top = 1 - (phi - 1) / sqrt5 * sp.exp(-a * q) - phi / sqrt5 * sp.exp(-b * q)
second_top = (phi**2 - phi) / 5 * sp.exp(-a * q) + phi**3 / 5 * sp.exp(-b * q)
first_bottom, second_bottom = 1 - sp.exp(-q), sp.exp(-q)

hospital = paper.claim("CLW-C5.1d")
hospital.exact([top.subs(q, 0), bottom.subs(q, 0), first_top.subs(q, 0), first_bottom.subs(q, 0), 1], [0, 0, 0, 0, 1])
hospital.equal(sp.diff(top, q), first_top)
hospital.equal(sp.diff(first_top, q), second_top)
hospital.equal(sp.diff(bottom, q), first_bottom)
hospital.equal(sp.diff(first_bottom, q), second_bottom)
hospital.limit(second_top / second_bottom, q, 0, (phi**2 - phi + phi**3) / 5)
hospital.as_stated()

# %% [markdown]
# The constant: $2\phi^2/5 = (3+\sqrt5)/5 = 1.0472\ldots$

# %%
paper.claim("CLW-C5.1a").as_stated()

# %% [markdown]
# ## The paper's way to $H' \le 0$
#
# $H' = R/(q - 1 + e^{-q})^2$ with the quotient rule's numerator $R$, and $R$ can be written with weights $\lambda_1$, $\lambda_2$.

# %%
R = first_top * bottom - top * first_bottom


def of_q(expression):
    """What is computed here, as a function of q."""
    return lambda at: expression.subs(q, at)


paper.claim("CLW-C5.1f").as_stated(R=of_q(R), parts={2: {"zeros": {"q": (0, 2)}}})

mean = (1 - sp.exp(-q)) / q
lambda_1 = (1 - 2 / sqrt5) * mean + (sqrt5 - 1) / (2 * sqrt5)
lambda_2 = -(1 - 2 / sqrt5) * mean + (sqrt5 + 1) / (2 * sqrt5)
mixture = lambda_1 * sp.exp(-a * q) + lambda_2 * sp.exp(-b * q)

paper.claim("CLW-C5.1g").as_stated(R=of_q(R))

# %% [markdown]
# The weights are positive and add up to 1: $\lambda_1$ lies between $(\sqrt5-1)/(2\sqrt5) = 0.276$ and $\phi^{-2} = 0.382$.

# %%
cleared = {"times": {q: {}}, "zeros": {"q": (0, 1)}}
paper.claim("CLW-C5.1h").as_stated(parts={2: cleared, 3: cleared})

# %% [markdown]
# Convexity of $x \mapsto e^{-qx}$ gives $\lambda_1e^{-aq} + \lambda_2e^{-bq} \ge e^{-yq}$ with $y = \lambda_1a + \lambda_2b$: the tangent at $y$ lies below, and
# $\lambda_1(a - y) + \lambda_2(b - y) = 0$, that is, $\lambda_1a + \lambda_2b = (\lambda_1 + \lambda_2)y$.

# %%
y = lambda_1 * a + lambda_2 * b
t = sp.symbols("t", real=True)
convex = paper.claim("CLW-C5.1i")
convex.equal(lambda_1 * a + lambda_2 * b, (lambda_1 + lambda_2) * y, using=["CLW-C5.1h"])
convex.inequality(sp.Ge(sp.exp(-t), 1 - t), on={t: (-2, 2)}, zeros={t: (0, 2)}, using=["CLW-C5.1h"])
convex.inequality(sp.Gt(sp.exp(-t), 1 - t), on={t: (1, sp.oo)}, using=["CLW-C5.1h"])
convex.inequality(sp.Gt(sp.exp(-t), 1 - t), on={t: (-sp.oo, -1)}, using=["CLW-C5.1h"])

# %% [markdown]
# Then the paper finds it simple to check that $y < 1$. It is not so, for no $q$ whatever:
#
# $$y - 1 = \frac{1}{\sqrt5}\Bigl(1 - \frac{2}{\sqrt5}\Bigr)\Bigl(1 - \frac{1 - e^{-q}}{q}\Bigr) > 0,$$
#
# because $1 - e^{-q} < q$. The chain $\lambda_1e^{-aq} + \lambda_2e^{-bq} \ge e^{-yq} > e^{-q}$ breaks at its second sign.

# %%
at_one = f"At $q = 1$ the mean exponent is $y = {sp.N(y.subs(q, 1), 6)}$."
paper.claim("CLW-C5.1j").refute_as_stated({"q": 1}, instance=at_one)
paper.claim("CLW-C5.1j-corrected").as_stated(parts={2: {"times": {q: {}}, "zeros": {"q": (0, 2)}}})

paper.claim("CLW-C5.1k").refute_as_stated({"q": 1}, instance=at_one)
below = paper.claim("CLW-C5.1k-corrected")
below.equal(sp.exp(-y * q), sp.exp(-q) * sp.exp(-(1 - 2 / sqrt5) * (q - 1 + sp.exp(-q)) / sqrt5), using=["CLW-C5.1j-corrected"])
below.as_stated(times={sp.exp(q): {}}, zeros={"q": (0, 2)}, using=["CLW-C5.1j-corrected"])

# %% [markdown]
# *Figure.* The exponent $y$ against $q$: it starts at 1 and rises above it at once.

# %%
grid = np.linspace(0.01, 12, 400)
figure, axis = plt.subplots(figsize=(7, 3.2))
axis.plot(grid, sp.lambdify(q, y)(grid), label="$y(q)$")
axis.axhline(1, color="k", lw=0.7, ls=":")
axis.set(xlabel="$q$", title="$y > 1$ for every $q > 0$")
axis.legend()
plt.show()

# %% [markdown]
# ## $H$ decreases: first proof, by the key lemma
#
# $H(q) = E\psi(qD)/\psi(q)$ for a $D$ with two values and mean 1, so the key lemma applies: $H$ falls strictly from $E D^2$
# at 0 to 1 at infinity.

# %%
falling = {"times": {bottom**2: {"q": (0, 4)}}, "zeros": {"q": (0, 4)}}  # of H', times the square of its denominator
key = paper.claim("CLW-X.H-key")
key.as_stated(using=["CLW-X.key-lemma"])

# %% [markdown]
# ## Second proof: every Taylor coefficient has the right sign
#
# Multiply $-R = q(\lambda_1e^{-aq} + \lambda_2e^{-bq} - e^{-q})$ by $e^{(1+b)q}$. With $r = 1/\sqrt5$, $p = 1 + r$, $c = 1 - 2r$, $\alpha = (1-r)/2$, $\beta = (1+r)/2$ it becomes
# $c(e^{pq} - e^{rq} - e^q + 1) + q(\alpha e^{pq} + \beta e^q - e^{bq})$, so its Taylor coefficients are $T_n/n!$,
#
# $$T_n = c(p^n - 1 - r^n + [n=0]) + n(\alpha p^{n-1} + \beta - b^{n-1}).$$

# %%
r = 1 / sqrt5
p, c, alpha, beta = 1 + r, 1 - 2 * r, (1 - r) / 2, (1 + r) / 2
taylor = paper.claim("CLW-X.H-taylor")
expanded = c * (sp.exp(p * q) - sp.exp(r * q) - sp.exp(q) + 1) + q * (alpha * sp.exp(p * q) + beta * sp.exp(q) - sp.exp(b * q))
taylor.equal(sp.expand(-R * sp.exp((1 + b) * q)), expanded, using=["CLW-C5.1g"])


def T(n):
    """n! times the n-th Taylor coefficient of -R exp((1 + b) q), exactly."""
    return sp.radsimp(sp.expand(c * (p**n - 1 - r**n + int(n == 0)) + (n * (alpha * p ** (n - 1) + beta - b ** (n - 1)) if n else 0)))


taylor.instances(
    range(6), lambda n: sp.radsimp(sp.expand(sp.diff(expanded, q, n).subs(q, 0) - T(n))) == 0, what="coefficients against derivatives",
    wrong={"n for n + 1": lambda n: sp.radsimp(sp.expand(sp.diff(expanded, q, n + 1).subs(q, 0) - T(n))) == 0}, using=["CLW-C5.1g"],
)
taylor.exact([T(n) for n in range(4)] + [1], [0, 0, 0, 0, 1], using=["CLW-C5.1g"])
taylor.instances(
    range(4, 8), lambda n: sign_of(T(n)) == 1, what="coefficients 4 to 7 positive", kind="enclosed",
    wrong={"from 3 on": lambda n: sign_of(T(n - 1)) == 1}, using=["CLW-C5.1g"],
)

# %% [markdown]
# For $n \ge 8$: $\alpha(p/b)^{n-1} \ge \alpha(p/b)^7 = 1.218 > 1$, because $p > b$, so $\alpha p^{n-1} > b^{n-1}$; and $p^n = (1+r)^n > 1 + r^n$. Every term is positive. (At
# $n = 7$ the first of these still fails, $\alpha(p/b)^6 = 0.986$: the threshold is where it has to be.)

# %%
taylor.instances(
    [7], lambda n: all(sign_of(value) == 1 for value in (p - b, alpha * (p / b) ** n - 1, c, beta)), what="threshold", kind="enclosed",
    only_gross="a single case",
    wrong={"one earlier": lambda n: sign_of(alpha * (p / b) ** (n - 1) - 1) == 1}, using=["CLW-C5.1g"],
)

# %% [markdown]
# ## Third proof: balls
#
# $R < 0$ on the whole half-line, with the zero of order 4 at the origin and the tail treated: no algebra beyond $R$ itself.

# %%
paper.claim("CLW-X.H-balls").as_stated(R=of_q(R), zeros={"q": (0, 4)}, using=["CLW-C5.1f"])

# %% [markdown]
# So the two statements stand, though not by the printed argument.

# %%
three_proofs = ["CLW-X.H-key", "CLW-X.H-taylor", "CLW-X.H-balls", "CLW-C5.1f"]
because = r"$y > 1$ for every $q > 0$, so $e^{-yq} < e^{-q}$ and the chain of inequalities proves nothing"
negative = paper.claim("CLW-C5.1l")
negative.as_stated(R=of_q(R), parts={1: {"times": {q: {}}, "zeros": {"q": (0, 4)}}}, using=three_proofs)
negative.gap(step="CLW-C5.1j", because=because)
decreasing = paper.claim("CLW-C5.1c")
decreasing.as_stated(**falling, using=three_proofs)
decreasing.gap(step="CLW-C5.1j", because=because)

# %% [markdown]
# A decreasing function has its supremum as the limit at the left end: $\sup H = 2\phi^2/5$, not attained ($H$ is not defined at
# $q = 0$, although the paper's supremum runs over $q \ge 0$). As a second check, $H < 2\phi^2/5$ by balls.

# %%
supremum = paper.claim("CLW-C5.1e")
supremum.as_stated(parts={2: {"times": {bottom: {"q": (0, 2)}}, "zeros": {"q": (0, 3)}}}, using=["CLW-C5.1c", "CLW-C5.1d"])

# %% [markdown]
# *Figure.* $H(q)$ against $q$ on a logarithmic scale: it falls from $2\phi^2/5$ (dotted) to 1.

# %%
figure, axis = plt.subplots(figsize=(7, 3.2))
stable = np.concatenate([np.geomspace(0.02, 1, 100), np.linspace(1, 30, 200)])
axis.semilogx(stable, sp.lambdify(q, H)(stable), label="$H(q)$")
axis.axhline(float(2 * phi**2 / 5), color="k", lw=0.7, ls=":", label=r"$2\phi^2/5$")
axis.set(xlabel=r"$q = \mu/\nu$", title="$H$ decreases from $2\\phi^2/5$ to 1")
axis.legend()
plt.show()
