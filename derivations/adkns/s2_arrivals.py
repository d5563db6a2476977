# %% [markdown]
# # Sections 1 and 2: arrivals in modes, clocks, thresholds
#
# Avrachenkov, Dudin, Klimenok, Nain and Semenova control how many robots fetch pages for an indexing
# machine. With $l$ active robots, pages arrive in batches by a Markovian arrival process (BMAP): the
# matrix $D_k^{(l)}$ holds the rates of events that bring $k$ pages, $D_0^{(l)}$ those that only change the
# phase. This notebook goes through the model: what the matrices mean, the four ways in which the paper
# obtains them, which of these give a generator, and what thresholds can do.
#
# Equation numbers are the paper's. "From the words" means: by listing what can happen, without matrices.

# %%
import itertools
import math
from random import Random

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from flint import fmpq, fmpq_mat

from claimproof import Paper
from claimproof.core.project import Project
from claimproof.engines.exact import stationary
from crawlproof.models.instances import random_arrivals
from crawlproof.models.kronecker import identity, kron, kronecker_sum, ones, shape, zeros
from crawlproof.models.obsolescence_queue import ObsolescenceQueue, active_robots
from crawlproof.models.printed_examples import Example
from crawlproof.models.printed_numbers import PrintedNumbers, as_printed

paper = Paper("adkns")

# %% [markdown]
# ## Section 1: what is generalised
# A phase-type law is the time to absorption of a finite chain. With one phase it is exponential; two
# phases in a row (Erlang) already have another coefficient of variation.

# %%
u, mu, x, n = sp.symbols("u mu x n", positive=True)
a, b, s1, s2 = sp.symbols("a b s_1 s_2", positive=True)
p = sp.Symbol("p", nonnegative=True)


def phase_type_transform(start, matrix):
    """Laplace-Stieltjes transform of the time to absorption."""
    exits = -matrix * sp.ones(matrix.rows, 1)
    return (start * (u * sp.eye(matrix.rows) - matrix).inv() * exits)[0]


exponential = phase_type_transform(sp.Matrix([[1]]), sp.Matrix([[-mu]]))
erlang = phase_type_transform(sp.Matrix([[1, 0]]), sp.Matrix([[-mu, mu], [0, -mu]]))


def squared_variation(transform):
    first, second = (-transform.diff(u)).subs(u, 0), transform.diff(u, 2).subs(u, 0)
    return sp.simplify(second / first**2 - 1)


contains_exponential = paper.claim("ADKNS-S1.ph-exponential")
contains_exponential.equal(exponential, mu / (mu + u)).exact(
    [squared_variation(exponential), squared_variation(erlang)], [1, sp.Rational(1, 2)]
)

# %% [markdown]
# Density: an Erlang law with $nx$ stages of rate $n$ piles up at $x$, so mixtures of Erlang laws come as
# near to any law as one likes.

# %%
paper.claim("ADKNS-S1.ph-dense").limit((n / (n + u)) ** (n * x), n, sp.oo, sp.exp(-u * x)).argued(
    "continuity theorem",
    "a law on the positive numbers is a weak limit of laws with finitely many atoms; by the limit just shown "
    "each atom x is the weak limit of Erlang laws, finite mixtures of Erlang laws are phase-type, and "
    "convergence of the transforms on u > 0 is weak convergence",
)

# %% [markdown]
# The cost (2) with the other coefficients at 0 is the weighted sum of loss rate and starvation
# probability of the earlier model.

# %%
rate, P_loss, P_obs, V1, N_act, P_star = sp.symbols("lambda P_loss P_obs V_1 N_act P_star", nonnegative=True)
c_loss, c_obs, weight, c_rob, c_star = sp.symbols("c_loss c_obs a c_rob c_star", nonnegative=True)
J = rate * (c_loss * P_loss + c_obs * P_obs) + weight * V1 + c_rob * N_act + c_star * P_star
paper.claim("ADKNS-2").definition()
paper.claim("ADKNS-S1.cost").equal(
    J.subs({c_obs: 0, weight: 0, c_rob: 0}), c_loss * (rate * P_loss) + c_star * P_star
)

# %%
paper.claim("ADKNS-S1.plan").textual(version="2011", place="Section 1, last paragraph", words="Section 8 concludes")

# %% [markdown]
# ## Service and obsolescence
# Two phase-type laws, $(\beta, S)$ and $(\gamma, \Gamma)$. The mean by the words: in a phase, wait for the next
# event, then start again from where it leads (first-step analysis). The paper: $\beta(-S)^{-1}e$.

# %%
paper.claim("ADKNS-S2.capacity").definition()
paper.claim("ADKNS-S2.service").definition()
paper.claim("ADKNS-S2.obsolescence").definition()
paper.claim("ADKNS-S2.admission").definition()

S = sp.Matrix([[-(a + s1), a], [b, -(b + s2)]])
beta = sp.Matrix([[p, 1 - p]])
from_1, from_2 = sp.symbols("from_1 from_2")
first_step = sp.solve(
    [from_1 - (1 + a * from_2) / (a + s1), from_2 - (1 + b * from_1) / (b + s2)], [from_1, from_2]
)
mean_by_words = p * first_step[from_1] + (1 - p) * first_step[from_2]
mean_by_matrix = (beta * (-S).inv() * sp.ones(2, 1))[0]
for name in ("ADKNS-S2.service-mean", "ADKNS-S2.obsolescence-mean"):
    claim = paper.claim(name)
    claim.equal(mean_by_words, mean_by_matrix, where=[p <= 1], sample={p: (0, 1)}, corners=[{p: 0}, {p: 1}])
    claim.equal(-phase_type_transform(beta, S).diff(u).subs(u, 0), mean_by_matrix, where=[p <= 1], sample={p: (0, 1)})

# %% [markdown]
# Two remarks on the exponential law. It does make the analysis simpler: without phases of the clocks the
# state space grows linearly in $K$, not like $R^K$ (counted by listing the states).


# %%
def states(arrival_phases, service_phases, clock_phases, capacity):
    """How many states the enumerated chain has."""
    def law(phases):
        return [fmpq(1, phases)] * phases, [[-1 if i == j else 0 for j in range(phases)] for i in range(phases)]

    switch = [[-1 if i == j else 1 if j == (i + 1) % arrival_phases else 0 for j in range(arrival_phases)]
              for i in range(arrival_phases)] if arrival_phases > 1 else [[0]]
    queue = ObsolescenceQueue([[switch]], law(service_phases), law(clock_phases), capacity, (1,) * (capacity + 1))
    return len(queue.states)


small = list(itertools.product((1, 2, 3), (1, 2, 3), range(1, 6)))
paper.claim("ADKNS-S2.exponential-simple").instances(
    small, lambda c: states(c[0], c[1], 1, c[2]) == c[0] * (1 + c[1] * c[2]),
    what="numbers of states for (W', M, K)", using=["ADKNS-S3.dimension-corrected"],
    wrong={"two clock phases": lambda c: states(c[0], c[1], 2, c[2]) == c[0] * (1 + c[1] * c[2])},
)

# %% [markdown]
# But it doesn't mean that pages become obsolete "very quickly with high probability". Quickly and high are not defined;
# read as "within a tenth of the mean" and "more than one half", it is false: within a tenth of the mean, less than a tenth of
# the pages become obsolete.

# %%
quick = paper.claim("ADKNS-S2.exponential-quick")
quick.refute(sp.Gt(1 - sp.exp(-x), sp.Rational(1, 2)), witness={x: sp.Rational(1, 10)})

exponential_law = 1 - sp.exp(-x)  # P(T <= x g_1)
not_quick = paper.claim("ADKNS-S2.exponential-quick-corrected")
not_quick.inequality(exponential_law <= x, on={x: (0, sp.oo)}, zeros={x: (0, 2)}, tail={x: 20})
not_quick.exact(exponential_law.subs(x, sp.log(2)), sp.Rational(1, 2))

# %% [markdown]
# It is the laws of larger variance that have more mass near 0. A hyperexponential law (like those of the
# paper's Section 7) has a density at 0 that exceeds that of the exponential law with the same mean:

# %%
alpha_1, alpha_2 = sp.symbols("alpha_1 alpha_2", positive=True)
density_at_0 = p * alpha_1 + (1 - p) * alpha_2
same_mean_exponential = 1 / (p / alpha_1 + (1 - p) / alpha_2)
not_quick.equal(
    density_at_0 - same_mean_exponential,
    p * (1 - p) * (alpha_1 - alpha_2) ** 2 / ((1 - p) * alpha_1 + p * alpha_2),
    where=[p <= 1], sample={p: (0, 1)}, corners=[{p: 0}, {p: 1}],
)

# %% [markdown]
# Other ways of admission: the words of the model change in one place only.

# %%
paper.claim("ADKNS-S2.admission-others").argued(
    "one block changes",
    "with complete rejection a batch of k > K - i pages leaves the state as it is, so its rates move from the block "
    "(i, K) to the diagonal block (i, i); with complete admission levels above K are added, up to K - 1 plus the "
    "largest batch. State description, upper Hessenberg form and recursion stay the same",
)

# %% [markdown]
# ## (1): the matrices of one mode
# In phase $\nu$ the next event comes at rate $\lambda_\nu$; with probability $p_k(\nu, \nu')$ it brings $k$ pages and leads
# to $\nu'$. One index is missing in print: the probabilities $p_0$ in (1) belong to the mode as well.

# %%
paper.claim("ADKNS-S2.normalisation").definition()
paper.claim("ADKNS-1").textual(
    version="2011", place="(1), first line", words=r"\lambda_\nu^{(l)} p_0(\nu,\nu')",
    should_be=r"\lambda_\nu^{(l)} p_0^{(l)}(\nu,\nu')",
)

# %% [markdown]
# The time until the next event in $\nu$ is what the paper calls the sojourn time of the chain there, as usual for a BMAP. A remark
# for readers who count differently: the next event need not end the stay in $\nu$, because $p_k(\nu, \nu)$ may be positive for
# $k \ge 1$. So $\lambda_\nu$ is the rate of events, and the chain leaves $\nu$ at the rate
# $\lambda_\nu(1 - \sum_k p_k(\nu,\nu)) = -D(1)_{\nu\nu}$.

# %%
paper.claim("ADKNS-S2.holding-time").definition()

# %% [markdown]
# $D(1)$ is a generator: its rows sum to $\lambda_\nu(\sum p - 1) = 0$ and off the diagonal it is not negative. Two
# phases, batches of one and two, all probabilities symbols:

# %%
rates = sp.symbols("lambda_0 lambda_1", positive=True)
jump = {(k, i, j): sp.Symbol(f"p_{k}_{i}{j}", nonnegative=True) for k in (0, 1, 2) for i in (0, 1) for j in (0, 1)}
for i in (0, 1):
    jump[0, i, i] = sp.S.Zero
    jump[2, i, i] = 1 - sum(v for key, v in jump.items() if key[1] == i and key != (2, i, i))  # they sum to 1
D_words = [
    sp.Matrix(2, 2, lambda i, j, k=k: rates[i] * jump[k, i, j] - (rates[i] if k == 0 and i == j else 0))
    for k in (0, 1, 2)
]
D_at_1 = sum(D_words, sp.zeros(2, 2))
generator_claim = paper.claim("ADKNS-S2.generator")
for i in (0, 1):
    leaving_rate = rates[i] * sum(jump[k, i, 1 - i] for k in (0, 1, 2))
    generator_claim.equal(D_at_1[i, 1 - i], leaving_rate).equal(D_at_1[i, i], -leaving_rate)

# %% [markdown]
# ## Rates, variance, correlation
# An independent way to the paper's four numbers: look at the process just after each batch. The phases
# there form a chain with transition matrix $P = (-D_0)^{-1}(D(1) - D_0)$ and stationary law $\varphi$; intervals
# have moments by first steps. Then $\lambda_g = 1/E[T]$, and so on. Symbolically for two phases with the
# matrix $B = D(1) - D_0$ of all batches:

# %%
d12, d21 = sp.symbols("d_12 d_21", nonnegative=True)
b11, b12, b21, b22 = sp.symbols("b_11 b_12 b_21 b_22", positive=True)
B = sp.Matrix([[b11, b12], [b21, b22]])
D0 = sp.Matrix([[-(d12 + b11 + b12), d12], [d21, -(d21 + b21 + b22)]])
e = sp.ones(2, 1)
to_1, to_2 = d12 + b12, d21 + b21
theta = sp.Matrix([[to_2, to_1]]) / (to_1 + to_2)

bmaps = [
    [fmpq_mat(d) for d in random_arrivals(Random(seed), phases, batch)]
    for seed, (phases, batch) in enumerate([(1, 1), (2, 1), (2, 2), (3, 1), (3, 3), (4, 2), (5, 2)])
]


def total(bmap):
    """D(1)."""
    return sum(bmap, zeros(*shape(bmap[0]), bmap[0]))


def stationary_row(generator):
    return fmpq_mat([stationary(generator)])


stationary_claim = paper.claim("ADKNS-S2.stationary")
solution = sp.Matrix([sp.symbols("x_1 x_2")])
unique = sp.solve([(solution * (D0 + B))[0], (solution * e)[0] - 1], list(solution), dict=True)
for i in (0, 1):
    stationary_claim.equal(unique[0][solution[i]], theta[i])

# %%
after_batch = theta * B
group_rate = sum(after_batch)
phi = after_batch / group_rate
P = (-D0).inv() * B

palm = paper.claim("ADKNS-X.palm")
for i in (0, 1):
    palm.equal((theta * B)[i], (theta * (-D0))[i])
    palm.equal((phi * P)[i], phi[i])

# %% [markdown]
# Moments of an interval by first steps from each phase: $E_\nu[T]$ and $E_\nu[T^2]$ solve linear equations. The
# joint moment of two successive intervals: $E_\nu[T_1T_2]$ from the transform of the pair.

# %%
m1, m2, q1, q2 = sp.symbols("m_1 m_2 q_1 q_2")
out_1, out_2 = -D0[0, 0], -D0[1, 1]
first = sp.solve([out_1 * m1 - 1 - d12 * m2, out_2 * m2 - 1 - d21 * m1], [m1, m2])
second = sp.solve(
    [out_1 * q1 - 2 * first[m1] - d12 * q2, out_2 * q2 - 2 * first[m2] - d21 * q1], [q1, q2]
)
mean_interval = phi[0] * first[m1] + phi[1] * first[m2]
mean_square = phi[0] * second[q1] + phi[1] * second[q2]

group_claim = paper.claim("ADKNS-S2.group-rate")
group_claim.equal(1 / mean_interval, (theta * (-D0) * e)[0])

# %%
printed_variance = 2 / group_rate * (theta * (-D0).inv() * e)[0] - 1 / group_rate**2
pairs = sp.Symbol("b_2", nonnegative=True)
b11_pairs = sp.Matrix([[pairs, 0], [0, 0]])  # of the b_11 batches, b_2 bring a second page: D'(1) = B + this
numbers = {b11: 1, b21: 2, b22: 3}  # three of the six symbols stay: enough for algebra, few enough to be quick
mean_batch = (phi * (-D0).inv() * (b11_pairs + B) * e)[0]
paper.claim("ADKNS-S2.rate").equal(
    sp.cancel((mean_batch / mean_interval).subs(numbers)), sp.factor((theta * (b11_pairs + B) * e)[0].subs(numbers)),
    where=[pairs <= 1], sample={pairs: (0, 1)},
)
variance_claim = paper.claim("ADKNS-S2.variance")
variance_claim.equal(
    sp.cancel((mean_square - mean_interval**2).subs(numbers)), sp.factor(printed_variance.subs(numbers))
)


# %%
def rational_pair(bmap):
    """Rate, batch rate, variance and correlation of a BMAP by the chain at batches, and by the paper."""
    D0, D, e = bmap[0], total(bmap), ones(shape(bmap[0])[0], bmap[0])
    batches, inverse = D - D0, (D0 * fmpq(-1)).inv()
    at_batches = stationary_row(inverse * batches)
    mean_size = sum((at_batches * inverse * d * e)[0, 0] * k for k, d in enumerate(bmap))
    mean = (at_batches * inverse * e)[0, 0]
    variance = 2 * (at_batches * inverse * inverse * e)[0, 0] - mean**2
    joint = (at_batches * inverse * inverse * batches * inverse * e)[0, 0]
    words = mean_size / mean, 1 / mean, variance, (joint - mean**2) / variance

    theta = stationary_row(D)
    rate = sum((theta * d * e)[0, 0] * k for k, d in enumerate(bmap))
    group = -(theta * D0 * e)[0, 0]
    v = 2 / group * (theta * inverse * e)[0, 0] - 1 / group**2
    c = 1 / (v * group**2) * (group * (theta * inverse * (D - D0) * inverse * e)[0, 0] - 1)
    return words, (rate, group, v, c)


def agrees(position, change=lambda value: value):
    return lambda bmap: (lambda pair: bool(pair[0][position] == change(pair[1][position])))(rational_pair(bmap))


changes = {"doubled": lambda value: 2 * value, "one added": lambda value: value + 1}
for position, name in enumerate(["rate", "group-rate", "variance", "correlation"]):
    paper.claim(f"ADKNS-S2.{name}").instances(
        bmaps, agrees(position), what="random BMAPs with up to 5 phases",
        only_gross="an identity: a wrong side differs in every case",
        wrong={label: agrees(position, change) for label, change in changes.items()},
        using=["ADKNS-X.palm"],
    )

# %% [markdown]
# In print, two symbols of the correlation lack their mode.

# %%
paper.claim("ADKNS-S2.correlation-notation").textual(
    version="2011", place="Section 2, formula for the correlation", words=r"\frac{1}{v(\lambda_g^{(l)})^2}",
    should_be=r"\frac{1}{v^{(l)}(\lambda_g^{(l)})^2}",
)

# %% [markdown]
# ## BMAP and MMPP
# An MMPP switches between Poisson rates and never changes phase with an arrival: $D_0 = Q - \Lambda$,
# $D_1 = \Lambda$. With two phases its intervals can only be positively correlated: the covariance is a
# square times something positive.

# %%
l1, l2, r1, r2 = sp.symbols("l_1 l_2 r_1 r_2", positive=True)
Q_mmpp = sp.Matrix([[-r1, r1], [r2, -r2]])
Lambda = sp.diag(l1, l2)
mmpp = [Q_mmpp - Lambda, Lambda]
theta_mmpp = sp.Matrix([[r2, r1]]) / (r1 + r2)
inverse = (-mmpp[0]).inv()
phi_mmpp = theta_mmpp * Lambda / (theta_mmpp * Lambda * e)[0]
covariance = (phi_mmpp * inverse**2 * Lambda * inverse * e)[0] - (phi_mmpp * inverse * e)[0] ** 2
positive_part = l1 * l2 * r1 * r2 / (l1 * r2 + l2 * r1) ** 2 / (l1 * l2 + l1 * r2 + l2 * r1) ** 2
correlation_claim = paper.claim("ADKNS-X.mmpp-correlation")
correlation_claim.equal(covariance, (l1 - l2) ** 2 * positive_part)

# %% [markdown]
# The first BMAP of Section 7 is more than that: its correlation is negative.

# %%
printed = PrintedNumbers.load(Project.find().derivations / "adkns" / "printed.toml")
section_7 = Example.first(printed.inputs["first"])  # with the signs that rates must have
first_bmap = [fmpq_mat([list(row) for row in matrix]) for matrix in section_7.arrivals[0]]
correlation_claim.instances(
    [first_bmap], lambda bmap: bool(rational_pair(bmap)[0][3] < 0), what="the first BMAP of Section 7",
    only_gross="a single case",
    wrong={"positive": lambda bmap: bool(rational_pair(bmap)[0][3] > 0)},
)
more_general = paper.claim("ADKNS-S1.mmpp")
more_general.instances(
    itertools.product((0, 1), repeat=2), lambda ij: sp.expand((mmpp[0] + mmpp[1] - Q_mmpp)[ij]) == 0,
    what="entries of D_0 + D_1 = Q", wrong={"rates kept": lambda ij: sp.expand((mmpp[0] - Q_mmpp)[ij]) == 0},
    using=["ADKNS-X.mmpp-correlation"],
)

# %% [markdown]
# ## Interpretation 1: independent robots
# Robot $m$ has a BMAP of its own; the first $l$ are active. From the words: any robot's chain may move;
# if the robot is active its batch is delivered, otherwise only its phase changes. Built by listing, for
# symbolic matrices of two and three robots:


# %%
paper.claim("ADKNS-S2.kronecker").definition()


def symbolic_bmap(name, phases, batch):
    """D_0, ..., D_b with independent symbols, rows summing to 0."""
    matrices = [
        sp.Matrix(phases, phases, lambda i, j, k=k: sp.Symbol(f"{name}{k}_{i}{j}", positive=True))
        for k in range(batch + 1)
    ]
    for i in range(phases):
        matrices[0][i, i] = 0
        matrices[0][i, i] = -sum(d[i, j] for d in matrices for j in range(phases))
    return matrices


def superposition(robots, active):
    """The matrices of the first ``active`` of these robots, by listing what each may do next."""
    sizes = [m[0].rows for m in robots]
    phases = list(itertools.product(*map(range, sizes)))
    place = {s: i for i, s in enumerate(phases)}
    batch = max(len(m) for m in robots)
    result = [sp.zeros(len(phases), len(phases)) for _ in range(batch)]
    for state, (number, matrices) in itertools.product(phases, enumerate(robots)):
        for k, matrix in enumerate(matrices):
            for target in range(sizes[number]):
                after = (*state[:number], target, *state[number + 1:])
                if k or after != state:
                    delivered = k if number < active else 0
                    result[delivered][place[state], place[after]] += matrix[state[number], target]
                    result[0][place[state], place[state]] -= matrix[state[number], target]
    return result


def kronecker_D0(robots, active, joining):
    idle = [sum(m, sp.zeros(*m[0].shape)) for m in robots[active:]]
    return joining(kronecker_sum(*(m[0] for m in robots[:active])), idle)


def corrected_D0(robots, active):
    return kronecker_D0(robots, active, lambda busy, idle: kronecker_sum(busy, *idle))


def printed_D0(robots, active):
    return kronecker_D0(robots, active, lambda busy, idle: kron(busy, *idle))


def padded(matrices, k):
    return matrices[k] if k < len(matrices) else sp.zeros(*matrices[0].shape)


def printed_Dk(robots, active, k):
    """(D_k ⊕ ... ⊕ D_k) ⊗ I ⊗ ... ⊗ I."""
    return kron(
        kronecker_sum(*(padded(m, k) for m in robots[:active])), *(sp.eye(m[0].rows) for m in robots[active:])
    )


def same(left, right):
    return left.shape == right.shape and all(sp.expand(v) == 0 for v in left - right)


teams = [
    [symbolic_bmap("f", 2, 1), symbolic_bmap("g", 2, 2)],
    [symbolic_bmap("f", 1, 2), symbolic_bmap("g", 2, 1), symbolic_bmap("h", 2, 1)],
    [symbolic_bmap("f", 3, 1), symbolic_bmap("g", 1, 1), symbolic_bmap("h", 2, 2)],
]
modes = [(team, l) for team in teams for l in range(1, len(team) + 1)]
partly_active = [(team, l) for team, l in modes if l < len(team)]

# %% [markdown]
# The printed $\mathcal D_0^{(l)}$ multiplies the generators of the idle robots by $\otimes$. Then the rows of $\mathcal D^{(l)}(1)$ do not
# sum to 0: not a generator, as (1) demands. Already for a Poisson robot of rate $\lambda$ and an idle robot with two phases the
# row sum is $\lambda$. One symbol is wrong: with $\oplus$ in its place the phases of idle robots keep moving, and their pages are
# not fetched, which is what the listing gives.

# %%
poisson = [sp.Matrix([[-rate]]), sp.Matrix([[rate]])]
pair = [poisson, symbolic_bmap("g", 2, 1)]
superposed = paper.claim("ADKNS-S2.m1-D0")
superposed.textual(
    version="2011", place="Section 2, interpretation 1",
    words=r"\oplus D_0^{(l)} \otimes D^{(l+1)}(1) \otimes \dots \otimes D^{(N)}(1)",
    should_be=r"\oplus D_0^{(l)} \oplus D^{(l+1)}(1) \oplus \dots \oplus D^{(N)}(1)",
)
listed_D0 = superposition(pair, 1)[0]
some_rates = {s: 1 + i for i, s in enumerate(sorted(listed_D0.free_symbols, key=str))}
for entry in ((0, 0), (0, 1)):
    superposed.misprint(
        listed_D0[entry], printed=printed_D0(pair, 1)[entry], corrected=corrected_D0(pair, 1)[entry],
        witness=some_rates,
    )

# %%
superposed.instances(
    modes, lambda case: same(superposition(*case)[0], corrected_D0(*case)),
    what="teams of robots and modes, symbolic entries",
    wrong={
        "as printed": lambda case: same(superposition(*case)[0], printed_D0(*case)),
        "idle robots stand still": lambda case: same(
            superposition(*case)[0],
            kron(kronecker_sum(*(m[0] for m in case[0][:case[1]])), *(sp.eye(m[0].rows) for m in case[0][case[1]:])),
        ),
    },
)

# %% [markdown]
# The batches are right as printed, and it doesn't matter whether $\oplus$ or $\otimes$ comes first:
# $(A \oplus B) \otimes I = A \oplus (B \otimes I)$.


# %%
def products_first(robots, active, k):
    last = kron(padded(robots[active - 1], k), *(sp.eye(m[0].rows) for m in robots[active:]))
    return kronecker_sum(*(padded(m, k) for m in robots[:active - 1]), last)


def batches_agree(form):
    return lambda case: all(
        same(matrix, form(*case, k)) for k, matrix in enumerate(superposition(*case)) if k
    )


batch_claim = paper.claim("ADKNS-S2.m1-Dk")
for form in (printed_Dk, products_first):
    batch_claim.instances(
        modes, batches_agree(form), what="teams of robots and modes, symbolic entries",
        wrong={"all robots deliver": lambda case, form=form: batches_agree(
            lambda robots, active, k: form(robots, len(robots), k))(case)},
    )
paper.claim("ADKNS-S2.m1-size").instances(
    modes, lambda case: corrected_D0(*case).rows == math.prod(m[0].rows for m in case[0]),
    what="teams of robots and modes",
    wrong={"sum of the sizes": lambda case: corrected_D0(*case).rows == sum(m[0].rows for m in case[0])},
)

# %% [markdown]
# ## Interpretations 2 and 3: thinning, and batches marked by robots
# Thinning rejects a whole batch with probability $1 - q$; a rejected batch is a change of phase without
# pages. In a BMMAP each batch carries the number of its robot, and a batch of an inactive robot is again
# only a change of phase.


# %%
def collect(events, phases, batch):
    """D_0, ..., D_b from a list of (phase, next phase, delivered pages, rate)."""
    result = [sp.zeros(phases, phases) for _ in range(batch + 1)]
    for i, j, delivered, event_rate in events:
        if delivered or i != j:
            result[delivered][i, j] += event_rate
            result[0][i, i] -= event_rate
    return result


q = sp.Symbol("q", positive=True)
common = [symbolic_bmap("c", phases, batch) for phases, batch in ((1, 1), (2, 2), (3, 1))]


def thinned_by_words(bmap):
    events = []
    for k, matrix in enumerate(bmap):
        for i, j in itertools.product(range(matrix.rows), repeat=2):
            if k == 0 and i != j:
                events.append((i, j, 0, matrix[i, j]))
            elif k:
                events += [(i, j, k, q * matrix[i, j]), (i, j, 0, (1 - q) * matrix[i, j])]
    return collect(events, bmap[0].rows, len(bmap) - 1)


def thinned_as_printed(bmap, rejected=1 - q):
    D = sum(bmap, sp.zeros(*bmap[0].shape))
    return [q * bmap[0] + rejected * D, *(q * d for d in bmap[1:])]


def all_same(left, right):
    return all(same(x, y) for x, y in zip(left, right, strict=True))


paper.claim("ADKNS-S2.m2").instances(
    common, lambda bmap: all_same(thinned_by_words(bmap), thinned_as_printed(bmap)), what="symbolic BMAPs",
    wrong={
        "rejected batches forgotten": lambda bmap: all_same(thinned_by_words(bmap), thinned_as_printed(bmap, 0)),
        "rejected with q": lambda bmap: all_same(thinned_by_words(bmap), thinned_as_printed(bmap, q)),
    },
)

# %%
paper.claim("ADKNS-S2.m3-normalisation").definition()
paper.claim("ADKNS-S2.m3-notation").textual(
    version="2011", place="Section 2, interpretation 3", words=r"probabilities p_0(\nu,\nu)",
    should_be=r"probabilities p_0(\nu,\nu')",
)


def marked(phases, robots, batch):
    """A BMMAP with symbols: D_0 and, for each robot, D_1, ..., D_b; rows sum to 0."""
    matrices = {
        (m, k): sp.Matrix(phases, phases, lambda i, j, m=m, k=k: sp.Symbol(f"x{m}{k}_{i}{j}", positive=True))
        for m in range(1, robots + 1) for k in range(1, batch + 1)
    }
    D0 = sp.Matrix(phases, phases, lambda i, j: 0 if i == j else sp.Symbol(f"x0_{i}{j}", positive=True))
    for i in range(phases):
        D0[i, i] = -sum(D0[i, :]) - sum(sum(d[i, :]) for d in matrices.values())
    return D0, matrices, robots, batch


def marked_by_words(bmmap, active):
    D0, matrices, _, batch = bmmap
    phases = D0.rows
    events = [(i, j, 0, D0[i, j]) for i in range(phases) for j in range(phases) if i != j]
    events += [
        (i, j, k if m <= active else 0, d[i, j])
        for (m, k), d in matrices.items() for i in range(phases) for j in range(phases)
    ]
    return collect(events, phases, batch)


def marked_as_printed(bmmap, active, first_idle=1):
    D0, matrices, robots, batch = bmmap
    nothing = sp.zeros(*D0.shape)
    idle = [matrices[m, k] for m in range(active + first_idle, robots + 1) for k in range(1, batch + 1)]
    return [sum(idle, D0), *(sum((matrices[m, k] for m in range(1, active + 1)), nothing) for k in range(1, batch + 1))]


bmmaps = [marked(1, 3, 2), marked(2, 2, 2), marked(2, 3, 1), marked(3, 2, 1)]
marked_modes = [(bmmap, l) for bmmap in bmmaps for l in range(1, bmmap[2] + 1)]
paper.claim("ADKNS-S2.m3").instances(
    marked_modes, lambda case: all_same(marked_by_words(*case), marked_as_printed(*case)),
    what="symbolic BMMAPs and modes",
    wrong={"one idle robot forgotten": lambda case: all_same(marked_by_words(*case), marked_as_printed(*case, 2))},
)

# %% [markdown]
# The robots of a BMMAP can depend on each other: let robot 1 deliver only in phase 0 and robot 2 only in
# phase 1, each batch switching the phase. Then they alternate; two batches of robot 1 never follow each
# other, though each robot brings half of the batches.

# %%
x1, x2 = sp.symbols("x_1 x_2", positive=True)
robot_1, robot_2 = sp.Matrix([[0, x1], [0, 0]]), sp.Matrix([[0, 0], [x2, 0]])
waiting = (sp.diag(x1, x2)).inv()
share_then_robot_1 = sp.Matrix([[0, 1]]) * waiting * robot_1 * e  # the phase after a batch of robot 1 is 1
share_of_robot_1 = sp.Matrix([[sp.Rational(1, 2), sp.Rational(1, 2)]]) * waiting * robot_1 * e
paper.claim("ADKNS-S2.m3-dependent").exact([share_then_robot_1[0], share_of_robot_1[0]], [0, sp.Rational(1, 2)])

# %% [markdown]
# But that fewer active robots have more to crawl each and so change their pace does not follow from this
# interpretation: $\mathcal D^{(l)}(1)$ is the same matrix for all $l$, so robot $m$ brings
# $\theta\sum_kkD_k^{(m)}e$ pages per unit of time whoever else is active.


# %%
def rate_of_robot(bmmap, robot, active):
    """Pages per unit of time that one robot brings in a mode with two phases."""
    D = sum(marked_by_words(bmmap, active), sp.zeros(2, 2))
    theta = sp.Matrix([[D[1, 0], D[0, 1]]]) / (D[0, 1] + D[1, 0])
    _, matrices, _, batch = bmmap
    return sum(k * (theta * matrices[robot, k] * e)[0] for k in range(1, batch + 1))


two_robots = bmmaps[1]
alone, together = (rate_of_robot(two_robots, 1, l) for l in (1, 2))
witness = {s: sp.Rational(1, 1 + i) for i, s in enumerate(sorted(alone.free_symbols | together.free_symbols, key=str))}
paper.claim("ADKNS-S2.m3-travel").refute(sp.Ne(alone, together, evaluate=False), witness=witness)
paper.claim("ADKNS-S2.m3-travel-corrected").instances(
    marked_modes, lambda case: same(
        sum(marked_by_words(*case), sp.zeros(*case[0][0].shape)),
        sum(marked_by_words(case[0], case[0][2]), sp.zeros(*case[0][0].shape)),
    ),
    what="D(1) of each mode against that of all robots, symbolic BMMAPs",
    wrong={"D_0": lambda case: same(marked_by_words(*case)[0], marked_by_words(case[0], case[0][2])[0])},
)

# %% [markdown]
# ## Interpretation 4, and all four
# Any family of BMAPs, one for each mode. The three others are of this form: with the correction, their
# matrices meet the conditions of (1), rows that sum to 0 and no negative rate. Exactly, for random teams
# with thinning probabilities $1/3, 1/2, 1$; and their rates grow with the number of robots.


# %%
def is_bmap(matrices):
    D = sum(matrices, zeros(*shape(matrices[0]), matrices[0]))
    size = shape(D)[0]
    rows_ok = all(sum(D[i, j] for j in range(size)) == 0 for i in range(size))
    signs_ok = all(
        d[i, j] >= 0 for k, d in enumerate(matrices) for i in range(size) for j in range(size) if k or i != j
    )
    return bool(rows_ok and signs_ok)


def random_team(seed, joining):
    team = [[fmpq_mat(d) for d in random_arrivals(Random(10 * seed + m), 2, 2)] for m in range(3)]
    result = []
    for l in (1, 2, 3):
        busy, idle = kronecker_sum(*(m[0] for m in team[:l])), [total(m) for m in team[l:]]
        D0 = joining(busy, idle)
        eyes = [identity(2, busy)] * (3 - l)
        result.append([D0, *(kron(kronecker_sum(*(m[k] for m in team[:l])), *eyes) for k in (1, 2))])
    return result


def random_thinned(seed):
    bmap = [fmpq_mat(d) for d in random_arrivals(Random(seed), 3, 2)]
    return [
        [bmap[0] * q + total(bmap) * (1 - q), *(d * q for d in bmap[1:])]
        for q in (fmpq(1, 3), fmpq(1, 2), fmpq(1))
    ]


def random_marked(seed):
    bmap = [fmpq_mat(d) for d in random_arrivals(Random(seed), 2, 6)]  # six matrices: three robots, batches of 1 and 2
    return [
        [sum(bmap[2 * l + 1:], bmap[0]), *(sum((bmap[2 * m + k] for m in range(l)), zeros(2, 2, bmap[0])) for k in (1, 2))]
        for l in (1, 2, 3)
    ]


families = [
    family for seed in range(4) for family in (
        random_team(seed, lambda busy, idle: kronecker_sum(busy, *idle)), random_thinned(seed), random_marked(seed)
    )
]
paper.claim("ADKNS-S2.m4").instances(
    families, lambda family: all(is_bmap(mode) for mode in family), what="families of modes by interpretations 1 to 3",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"tensor product as printed": lambda family: all(
        is_bmap(mode) for mode in random_team(0, lambda busy, idle: kron(busy, *idle)))},
    using=["ADKNS-S2.m1-D0", "ADKNS-S2.m1-Dk", "ADKNS-S2.m2", "ADKNS-S2.m3"],
)


def rates_of(family):
    return [rational_pair(mode)[1][0] for mode in family]


def increasing(values):
    return all(bool(first < second) for first, second in itertools.pairwise(values))


def rate_of_member(seed, member):
    return rational_pair([fmpq_mat(d) for d in random_arrivals(Random(10 * seed + member), 2, 2)])[1][0]


def team_rate(case):
    seed, l = case
    return rates_of(random_team(seed, lambda busy, idle: kronecker_sum(busy, *idle)))[l - 1]


paper.claim("ADKNS-X.modes-monotone").instances(
    families, lambda family: increasing(rates_of(family)), what="families of modes by interpretations 1 to 3",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"modes in reverse": lambda family: increasing(rates_of(family[::-1]))},
).instances(
    list(itertools.product(range(4), (1, 2, 3))),
    lambda case: team_rate(case) == sum(rate_of_member(case[0], m) for m in range(case[1])),
    what="rates of random teams as sums over their active robots",
    wrong={
        "each like the first": lambda case: team_rate(case) == case[1] * rate_of_member(case[0], 0),
        "one robot more": lambda case: team_rate(case) == sum(rate_of_member(case[0], m) for m in range(case[1] + 1)),
    },
)

# %% [markdown]
# ## Threshold strategies
# Fixed integers $-1 = j_0 < j_1 < \dots < j_{N-1} < j_N = K$; with $j_{r-1} + 1 \le i \le j_r$ pages, $N - r + 1$ robots
# are active. All strict sets for $N \le 6$, $K \le 7$:


# %%
def strict_thresholds(N, K):
    return list(itertools.combinations(range(K), N - 1))


def segments(i, bounds):
    """All r with j_{r-1} + 1 <= i <= j_r."""
    return [r for r in range(1, len(bounds)) if bounds[r - 1] + 1 <= i <= bounds[r]]


def by_words(thresholds, N, K):
    bounds = (-1, *thresholds, K)
    return [N + 1 - r for i in range(K + 1) for r in segments(i, bounds)]


strict = [(t, N, K) for K in range(2, 8) for N in range(1, 7) for t in strict_thresholds(N, K)]


def is_decreasing_policy(case):
    thresholds, N, K = case
    robots = by_words(*case)
    one_each = all(len(segments(i, (-1, *thresholds, K))) == 1 for i in range(K + 1))
    return (
        one_each and robots[0] == N and robots[-1] == 1 and robots == sorted(robots, reverse=True)
        and robots == list(active_robots(thresholds, range(N, 0, -1), K))
    )


paper.claim("ADKNS-S2.thresholds").instances(
    strict, is_decreasing_policy, what="strict sets of thresholds",
    wrong={"last threshold at K": lambda case: case[0] == () or is_decreasing_policy(((*case[0][:-1], case[2]), *case[1:]))},
)
paper.claim("ADKNS-S2.m1-order").instances(
    strict, lambda case: all(robots >= 1 for robots in by_words(*case)) and all(
        sum(r >= m for r in by_words(*case)) >= sum(r >= m + 1 for r in by_words(*case)) for m in range(1, case[1])
    ),
    what="strict sets of thresholds",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"some robot always idle": lambda case: all(r <= case[1] - 1 for r in by_words(*case))},
)

# %% [markdown]
# How many robots? The $N - 1$ thresholds are different numbers among $0, \dots, K-1$, so there are
# $\binom{K}{N-1}$ strategies. That is positive up to $N = K + 1$, one more than the paper says.

# %%
N_, K_ = sp.symbols("N K", integer=True, positive=True)
paper.claim("ADKNS-S2.thresholds-N").refute(
    sp.Eq(sp.binomial(K_, N_ - 1), 0, evaluate=False), witness={K_: 2, N_: 3}, hypotheses=[N_ > K_, K_ >= 2]
)
sizes = list(itertools.product(range(1, 11), range(2, 9)))
paper.claim("ADKNS-S2.thresholds-N-corrected").instances(
    sizes, lambda c: len(strict_thresholds(*c)) == math.comb(c[1], c[0] - 1)
    and bool(strict_thresholds(*c)) == (c[0] <= c[1] + 1),
    what="pairs (N, K)", wrong={"only N <= K": lambda c: bool(strict_thresholds(*c)) == (c[0] <= c[1])},
)
paper.claim("ADKNS-S2.enumeration").instances(
    sizes, lambda c: all(is_decreasing_policy((t, *c)) for t in strict_thresholds(*c))
    and len(set(strict_thresholds(*c))) == math.comb(c[1], c[0] - 1),
    what="pairs (N, K), all their thresholds listed",
    wrong={"as many as N <= K allows": lambda c: len(strict_thresholds(*c)) == math.comb(c[1], c[0])},
)

# %% [markdown]
# With $-1 \le j_1 \le \dots \le j_{N-1} \le K$ any number of robots is possible: every number of pages still has exactly
# one mode, and modes between equal thresholds are not used.

# %%
loose = [
    (t, N, K) for K in range(2, 5) for N in range(1, 7)
    for t in itertools.combinations_with_replacement(range(-1, K + 1), N - 1)
]
paper.claim("ADKNS-S2.thresholds-equal").instances(
    loose, lambda c: len(by_words(*c)) == c[2] + 1 and by_words(*c) == sorted(by_words(*c), reverse=True),
    what="sets of thresholds with equality allowed, N up to 6 and K up to 4",
    wrong={"all modes used": lambda c: len(set(by_words(*c))) == c[1]},
)

# %% [markdown]
# The example from the earlier model ($N = 16$, $K = 5$): four switches of two or three robots each lead from
# 14 to 4, and six levels leave room for them. So it is a threshold strategy for groups of robots.

# %%
switches = [c for c in itertools.product((2, 3), repeat=4) if 14 - sum(c) == 4]
paper.claim("ADKNS-S2.thresholds-other").instances(
    switches, lambda c: any(
        is_decreasing_policy((t, 5, 5)) for t in strict_thresholds(5, 5)
    ) and len({14 - sum(c[:i]) for i in range(5)}) == 5,
    what="ways from 14 to 4 robots in four switches of two or three",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"in three switches": lambda c: 14 - sum(c[:3]) == 4},
    using=["ADKNS-S2.thresholds"],
)

# %% [markdown]
# ## Is the cost monotone in the number of robots?
# The paper finds it clear that with more active robots the first three terms of (2) grow and starvation
# becomes rarer. The paper's own first example of Section 7 ($K = 5$) says otherwise. Use the modes 4 and 3 and raise the
# threshold from 2 to 3 to 4: more robots are active on average, and served pages spend *less* time in the system. (Mode 4
# brings more pages, but in fewer and larger batches.)


# %%
def sympy_rational(value):
    return sp.Rational(int(value.p), int(value.q))


def four_up_to(threshold):
    """Four robots up to this many pages, then three."""
    return (4,) * (threshold + 1) + (3,) * (section_7.capacity - threshold)


by_threshold = {j: section_7.measures(four_up_to(j)) for j in range(section_7.capacity)}
for j, m in by_threshold.items():
    print(f"threshold {j}: active robots {as_printed(m.active_robots, 6)}, mean sojourn time of served pages {as_printed(m.sojourn_served, 6)}")

# %%
robots_before, robots_after, time_before, time_after = sp.symbols("N_before N_after V_before V_after", positive=True)
cut_off = sp.Rational(1, 10**10)  # the witnesses are cut off at ten decimals
increasing_claim = paper.claim("ADKNS-S2.cost-increasing")
for before, after in ((2, 3), (3, 4)):
    increasing_claim.refute(
        sp.Gt(time_after + cut_off, time_before), hypotheses=[robots_after > robots_before + cut_off],
        witness={
            symbol: sp.Rational(as_printed(value, 10)) for symbol, value in (
                (robots_before, by_threshold[before].active_robots), (robots_after, by_threshold[after].active_robots),
                (time_before, by_threshold[before].sojourn_served), (time_after, by_threshold[after].sojourn_served),
            )
        },
    )

# %%
figure, axes = plt.subplots(figsize=(6, 3.2))
axes.plot(*([float(as_printed(getattr(m, name), 10)) for m in by_threshold.values()] for name in ("active_robots", "sojourn_served")), "o-")
for j, m in by_threshold.items():
    axes.annotate(f"$j_1 = {j}$", (float(as_printed(m.active_robots, 10)), float(as_printed(m.sojourn_served, 10))), xytext=(4, 4), textcoords="offset points")
axes.set(xlabel="mean number of active robots", ylabel="mean sojourn time, served pages", title="More robots can shorten the time in the system")
plt.show()

# %% [markdown]
# What is true: with a single Poisson stream of single pages everything is monotone. Symbolically for
# $K = 2, 3$, rates $\lambda$, $\mu$, $g$: the derivative of each measure by $\lambda$ is a quotient of polynomials
# with positive coefficients only.


# %%
arrival, service, clock = sp.symbols("lambda mu g", positive=True)


def poisson_queue(capacity):
    return ObsolescenceQueue(
        arrivals=[[[[-arrival]], [[arrival]]]], service=([1], [[-service]]), obsolescence=([1], [[-clock]]),
        capacity=capacity, active=(1,) * (capacity + 1),
    ).measures()


def slope_is_positive(expression):
    """The derivative by the arrival rate is a quotient of polynomials with positive coefficients."""
    quotient = sp.fraction(sp.cancel(sp.diff(expression, arrival)))
    return all(
        all(c > 0 for c in sp.Poly(part, arrival, service, clock).coeffs()) for part in quotient
    )


simple = {K: poisson_queue(K) for K in (2, 3)}
growing = [
    sp.together(value) for m in simple.values()
    for value in (m.arrival_rate * m.loss, m.arrival_rate * m.obsolescence, m.sojourn_served)
]
paper.claim("ADKNS-S2.cost-increasing-corrected").instances(
    growing, slope_is_positive, what="measures for K = 2 and 3, symbolic rates",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"negated": lambda value: slope_is_positive(-value)},
)
paper.claim("ADKNS-S2.cost-starvation-corrected").instances(
    [m.starvation for m in simple.values()], lambda value: slope_is_positive(-value),
    what="K = 2 and 3, symbolic rates", only_gross="each case shows it strictly: the opposite fails in each", wrong={"increasing": slope_is_positive},
)

# %% [markdown]
# Starvation: the modes 3 and 4 of the paper's own Section 7 (with the sign of $D_0^{(3)}$ put right). Mode 4 brings
# more pages, but in fewer and larger batches, and the system is empty more often. Section 7's service and
# obsolescence laws, $K = 5$, always three robots against always four:

# %%
empty = [section_7.measures((robots,) * (section_7.capacity + 1)).starvation for robots in (3, 4)]
three, four = map(sympy_rational, empty)
paper.claim("ADKNS-S2.cost-starvation").refute(sp.Lt(four, three, evaluate=False), witness={})

# %% [markdown]
# ## Cost coefficients and Lagrange multipliers
# The paper says that the coefficients can be viewed as Lagrange multipliers of a problem with constraints, and be found from its dual.
# Thresholds are integers, so there can be a duality gap. Three Poisson robots of rate 1 each, $K = 3$, service at rate 1, obsolescence
# at rate $1/10$: make starvation as rare as possible while the loss rate is at most $8/25$. All thresholds, exactly:

# %%
def loss_and_starvation(thresholds):
    measures = ObsolescenceQueue(
        arrivals=[[[[-n]], [[n]]] for n in (1, 2, 3)], service=([1], [[-1]]), obsolescence=([1], [[fmpq(-1, 10)]]), capacity=3,
        active=active_robots(thresholds, (3, 2, 1), 3),
    ).measures()
    return sympy_rational(measures.arrival_rate * measures.loss), sympy_rational(measures.starvation)


plans = {t: loss_and_starvation(t) for t in itertools.combinations_with_replacement(range(-1, 4), 2)}
bound = sp.Symbol("bound", positive=True)


def constrained(limit):
    """The smallest starvation probability with a loss rate up to the limit."""
    return min(star for loss, star in plans.values() if loss <= limit)


def dual_value(multiplier, limit):
    return min(star + multiplier * (loss - limit) for loss, star in plans.values())


def best_dual(limit):
    """The maximum of a concave piecewise linear function lies where two plans tie."""
    ties = [
        (s2 - s1) / (l1 - l2) for (l1, s1), (l2, s2) in itertools.combinations(plans.values(), 2) if l1 != l2
    ]
    return max(dual_value(y, limit) for y in [sp.S.Zero, *(y for y in ties if y > 0)])


limit = sp.Rational(8, 25)
duality = paper.claim("ADKNS-S2.lagrange")
duality.refute(sp.Eq(constrained(limit), best_dual(limit), evaluate=False), witness={})

# %% [markdown]
# The constrained optimum lies above the lower hull of the points (loss rate, starvation): no multiplier of the constraint leads to
# it. If the operator may toss a coin once and for all between two sets of thresholds, so that both measures are averages, the hull
# itself is available, and the dual value is reached for every bound.


# %%
def constrained_mixture(limit):
    """The smallest starvation probability of a mixture of two plans whose loss rate is at most the limit."""
    mixed = [
        s1 + (s2 - s1) * (limit - l1) / (l2 - l1)
        for (l1, s1), (l2, s2) in itertools.permutations(plans.values(), 2) if l1 <= limit < l2
    ]
    return min([constrained(limit), *mixed])


least_loss, most_loss = (f(loss for loss, _ in plans.values()) for f in (min, max))
limits = [limit, *(least_loss + (most_loss - least_loss) * sp.Rational(k, 12) for k in range(1, 13))]
duality.instances(
    limits, lambda limit: bool(constrained_mixture(limit) == best_dual(limit)), what="bounds on the loss rate",
    wrong={"one set of thresholds": lambda limit: bool(constrained(limit) == best_dual(limit))},
    given="mixtures of sets of thresholds are allowed",
)
duality.argued(
    "strong duality of linear programs",
    "over mixtures, objective and constraints are linear in the probabilities of the finitely many sets of thresholds; a feasible "
    "linear program with a bounded objective has no duality gap, for any number of constraints",
    given="mixtures of sets of thresholds are allowed",
)

# %% [markdown]
# Without mixtures the easy half remains: a plan that is optimal for some multiplier solves the problem with its own loss rate as the
# bound.

# %%
multipliers = [sp.Rational(n, 20) for n in range(1, 80)]


def optimal_for_its_bound(multiplier):
    loss, star = min(plans.values(), key=lambda point: point[1] + multiplier * point[0])
    return bool(constrained(loss) == star)


paper.claim("ADKNS-X.weak-duality").instances(
    multipliers, lambda y: optimal_for_its_bound(y) and bool(dual_value(y, limit) <= constrained(limit)),
    what="multipliers", only_gross="each case shows it strictly: the opposite fails in each", wrong={
        "no gap": lambda y: bool(dual_value(y, limit) >= constrained(limit)),
        "every plan is optimal for its bound": lambda y: all(bool(constrained(loss) == star) for loss, star in plans.values()),
    },
).argued(
    "weak duality",
    "if a plan minimises starvation plus y times loss, y >= 0, any plan with no more loss has at least its starvation; "
    "and for every y the minimum of starvation + y (loss - bound) is at most its value at the constrained optimum",
)

# %%
figure, axes = plt.subplots(figsize=(6, 3.4))
points = np.array([[float(v) for v in point] for point in plans.values()])
chosen = min((point for point in plans.values() if point[0] <= limit), key=lambda point: point[1])
axes.plot(*points.T, "o", color="grey", label="thresholds")
axes.plot(*map(float, chosen), "s", color="tab:red", label="constrained optimum")
axes.axvline(float(limit), linestyle=":", color="black", label="bound on the loss rate")
supported = sorted({min(plans.values(), key=lambda point, y=y: point[1] + y * point[0]) for y in multipliers})
axes.plot(*np.array([[float(v) for v in point] for point in supported]).T, "-", color="tab:blue", label="optimal for some coefficients")
axes.set(xlabel="loss rate", ylabel="starvation probability")
axes.legend(fontsize=8)
plt.show()
