# %% [markdown]
# # Sections 3 and 6: the chain, its generator, its stationary law
#
# The state of the system is the number $i$ of pages, the phase $\nu$ of the arrivals, the phase $m$ of the
# service, and for every waiting page, oldest first, the phase of its clock. The Lemma writes the generator
# in Kronecker blocks. Here a second generator is built by listing, state by state, everything that can
# happen according to the model's description (`crawlproof.models.obsolescence_queue`), and the two are
# compared entry by entry: with symbols in all matrices for small sizes, in rationals for larger ones.

# %%
import itertools

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from flint import fmpq, fmpq_mat

from claimproof import Paper
from claimproof.engines.free_algebra import Relation, block, size, zero
from crawlproof.models.instances import random_queue
from crawlproof.models.kronecker import identity, kron, kronecker_sum, like, shape, zeros
from crawlproof.models.matrices import QueueMatrices
from crawlproof.models.obsolescence_queue import ObsolescenceQueue, active_robots

paper = Paper("adkns")

# %% [markdown]
# ## The instances
# Symbolic queues have an independent symbol for every rate and probability; two modes; batches up to 3, so
# that some batches don't fit. Random queues have rational entries and up to four modes.


# %%
def symbolic_law(name, phases):
    """Initial vector and sub-generator with symbols; the exit rates are symbols too."""
    start = [sp.Symbol(f"{name}_{i}", positive=True) for i in range(phases - 1)]
    matrix = sp.Matrix(phases, phases, lambda i, j: sp.Symbol(f"{name}_{i}{j}", positive=True))
    rows = [
        [-sum(matrix[i, :]) if i == j else matrix[i, j] for j in range(phases)] for i in range(phases)
    ]  # the diagonal symbol is the exit rate
    return [*start, 1 - sum(start)], rows


def symbolic_arrivals(name, phases, batch):
    rates = [
        sp.Matrix(phases, phases, lambda i, j, k=k: sp.Symbol(f"{name}{k}_{i}{j}", positive=True))
        for k in range(batch + 1)
    ]
    for i in range(phases):
        rates[0][i, i] = 0
        rates[0][i, i] = -sum(d[i, j] for d in rates for j in range(phases))
    return rates


def symbolic_queue(W, M, R, K, thresholds, batch=2):
    return ObsolescenceQueue(
        arrivals=[symbolic_arrivals(name, W, batch) for name in "fg"], service=symbolic_law("s", M),
        obsolescence=symbolic_law("r", R), capacity=K, active=active_robots(thresholds, (2, 1), K),
    )


symbolic = [
    symbolic_queue(1, 1, 1, 3, (1,), 4), symbolic_queue(2, 1, 1, 2, (0,)), symbolic_queue(1, 2, 1, 3, (0,), 3),
    symbolic_queue(1, 1, 2, 4, (2,)), symbolic_queue(2, 2, 2, 2, (1,)), symbolic_queue(1, 1, 3, 3, (0,)),
    symbolic_queue(1, 2, 2, 3, (1,), 1),
]
sizes = [
    (1, 1, 1, 1, 1, 1), (1, 1, 1, 6, 3, 2), (2, 2, 2, 3, 2, 2), (2, 2, 2, 4, 4, 3), (3, 2, 1, 5, 3, 4), (1, 3, 2, 4, 2, 2),
    (2, 1, 3, 4, 2, 1), (1, 2, 4, 3, 3, 5), (4, 1, 2, 3, 2, 1),
]


def rational(W, M, R, K, N, batch, seed=0):
    return random_queue(
        seed, arrival_phases=W, service_phases=M, clock_phases=R, capacity=K, robots=N, largest_batch=batch,
    )


rationals = [rational(*size, seed=i) for i, size in enumerate(sizes)]
everything = symbolic + rationals


def same(left, right):
    if shape(left) != shape(right):
        return False
    return all(sp.expand(a - b) == 0 if isinstance(a, sp.Expr) else a == b
               for r, s in zip(left.tolist(), right.tolist(), strict=True) for a, b in zip(r, s, strict=True))


[(len(q.states), q.symbolic) for q in everything]

# %% [markdown]
# ## States
# A small slip first: the waiting pages have the numbers 1 to $K - 1$; the print begins with 0.

# %%
paper.claim("ADKNS-S3.chain-index").textual(
    version="2011", place="Section 3, definition of r_t^{(i)}", words=r"i = \overline{0, K-1}",
    should_be=r"i = \overline{1, K-1}",
)
paper.claim("ADKNS-S3.numbering").definition()
paper.claim("ADKNS-S3.chain").argued(
    "everything that runs is in the state",
    "arrivals, service and each clock are Markov chains whose phases are components of the state, they are "
    "independent given the mode, the mode is a function of the number of pages, and the order of the waiting "
    "pages decides who is served next; so the rates of all next events are functions of the state",
)

# %% [markdown]
# The number of pages alone is not Markov: if it were, the time that the system stays empty would be
# exponential, with $E[T^2] = 2E[T]^2$. With two arrival phases it is not. With one phase it is.


# %%
def empty_time_moments(queue):
    """E[T] and E[T^2] of a stay at level 0, entered as in the stationary regime."""
    flow = queue.level_vector(1) * queue.block(1, 0)
    size = queue.arrival_phases
    total = sum(flow.tolist()[0], fmpq(0))
    inverse = (queue.block(0, 0) * fmpq(-1)).inv()
    e = QueueMatrices(queue).e(size)
    return (flow * inverse * e)[0, 0] / total, 2 * (flow * inverse * inverse * e)[0, 0] / total


def is_exponential(queue):
    first, second = empty_time_moments(queue)
    return bool(second == 2 * first**2)


paper.claim("ADKNS-S3.non-markov").instances(
    [q for q in rationals if q.arrival_phases > 1], lambda queue: not is_exponential(queue),
    what="random queues with several arrival phases",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"one arrival phase": lambda queue: not is_exponential(rational(1, 2, 2, 3, 2, 2))},
)

# %% [markdown]
# (3): the limits exist. A finite chain in continuous time has them, whatever its start, if it has only one
# recurrent class. The exact solver below refuses reducible chains, so every use of it is a check.

# %%
limits = paper.claim("ADKNS-3")
limits.instances(
    rationals, lambda queue: all(v > 0 for v in queue.probabilities.values()), what="random queues, all states positive",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"some state never visited": lambda queue: min(queue.probabilities.values()) == 0},
).argued(
    "one recurrent class",
    "from every state the queue empties before the next arrival with positive probability, so level 0 is reached; "
    "there, in the mode of the empty system, the irreducible arrival chain passes through all its phases, each "
    "batch on the way being served before the next event with positive probability: all states of level 0 "
    "communicate, hence there is one recurrent class, and in continuous time no periods",
)

# %% [markdown]
# Sizes: $W'M^{a_i}R^{b_i}$ states at level $i$. The paper adds them up to $W'(1 + M\frac{R^{K-1}-1}{R-1})$. The sum
# $\sum_{i=1}^K R^{i-1}$ has $K$ terms, not $K - 1$.

# %%
levels = [(queue, i) for queue in everything for i in range(queue.capacity + 1)]


def block_size(queue, i):
    return queue.arrival_phases * queue.service_phases ** min(i, 1) * queue.clock_phases ** max(i - 1, 0)


paper.claim("ADKNS-S3.block-size").instances(
    levels, lambda case: len(case[0].level_states(case[1])) == block_size(*case), what="queues and levels",
    wrong={"a clock for the page in service": lambda case: len(case[0].level_states(case[1])) == block_size(
        case[0], case[1] + 1)},
)

# %%
W, M, R, K, i = paper.symbols("W M R K i")
count = W * (1 + M * sp.Sum(R ** (i - 1), (i, 1, K)))
geometric = sp.piecewise_fold(count.doit())  # one branch for R = 1, one for the others
printed_count = W * (1 + M * (R ** (K - 1) - 1) / (R - 1))
corrected_count = W * (1 + M * (R**K - 1) / (R - 1))
ones_and_twos = {W: 2, M: 2, R: 2}

paper.claim("ADKNS-S3.dimension").refute_as_stated(
    {"W": 2, "M": 2, "R": 2, "K": 2}, states=count,
    instance="Two phases each of arrivals, service and clocks, two places: 2 + 4 + 8 states, not 2 + 4.",
)

every_size = list(itertools.product((1, 2, 3), (1, 2), (1, 2, 3), (1, 2, 3, 4)))


def number_of_states(W, M, R, K):
    return len(rational(W, M, R, K, 1, 1).states)


def by_formula(formula):
    def holds(size):
        values = dict(zip((W, M, R, K), size, strict=True))
        expected = sp.limit(formula.subs({s: v for s, v in values.items() if s != R}), R, values[R])
        return bool(expected == number_of_states(*size))
    return holds


paper.claim("ADKNS-S3.dimension-corrected").as_stated(
    states=geometric.args[1][0], states1=count.subs(R, 1), using=["ADKNS-S3.block-size"],
)
paper.claim("ADKNS-S3.dimension-corrected").instances(
    every_size, by_formula(corrected_count), what="(W', M, R, K), states listed, R = 1 as a limit",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"as printed": by_formula(printed_count)}, using=["ADKNS-S3.block-size"],
)
ratio = sp.Symbol("R", positive=True)  # a number of phases can't approach 1, a real number can
paper.claim("ADKNS-S3.dimension-corrected").limit((ratio**K - 1) / (ratio - 1), ratio, 1, K, using=["ADKNS-S3.block-size"])

# %%
two = corrected_count.subs(ones_and_twos)
paper.claim("ADKNS-S3.dimension-222").refute_as_stated(
    {"K": 10}, states=count.subs(ones_and_twos), instance="Ten places: 4094 states, not 2046."
)
paper.claim("ADKNS-S3.dimension-222-corrected").as_stated(states=count.subs(ones_and_twos), sample={"K": list(range(1, 12))})
listed = number_of_states(2, 2, 2, 10)
paper.claim("ADKNS-S3.dimension-10").refute_as_stated({}, states=listed, instance=f"The list of all states has {listed} entries.")
paper.claim("ADKNS-S3.dimension-10-corrected").as_stated(states=listed)

# %% [markdown]
# The example of the paper, $W' = M = R = 2$, follows its formula: 2046 states for $K = 10$, where there are 4094.
#
# ## The Lemma
# The blocks as printed, with $\chi(i)$ for the mode at level $i$ (the scan has an $x$). A batch appends clocks at the end;
# the end of a service removes the first clock; any clock may ring.


# %%
def first_row(queue, j, mode):
    """Q_{0,j}; the paper has mode = N."""
    m, K = QueueMatrices(queue), queue.capacity
    if j == 0:
        return m.D(mode, 0)
    batches = m.D(mode, j) if j < K else sum((m.D(mode, r) * -1 for r in range(K)), m.D_at_1(mode))
    return kron(batches, m.beta, m.gamma_power(j - 1))


def down(queue, i):
    """Q_{i,i-1}."""
    m = QueueMatrices(queue)
    return kron(m.I(queue.arrival_phases), m.S0 if i == 1 else m.B(i - 1))


def diagonal(queue, i):
    """Q_{i,i} for i > 0."""
    m, mode = QueueMatrices(queue), queue.active[i]
    return kronecker_sum(m.D(mode, 0) if i < queue.capacity else m.D_at_1(mode), m.A(i - 1))


def up(queue, i, l):
    """Q_{i,i+l} for i > 0."""
    m, mode, K = QueueMatrices(queue), queue.active[i], queue.capacity
    batches = m.D(mode, l) if i + l < K else sum((m.D(mode, r) * -1 for r in range(K - i)), m.D_at_1(mode))
    return kron(batches, m.I(m.phases(i)), m.gamma_power(l))


rows = [(queue, j) for queue in everything for j in range(queue.capacity + 1)]
positive_levels = [(queue, i) for queue, i in levels if i > 0]
climbs = [(queue, i, l) for queue, i in positive_levels for l in range(1, queue.capacity - i + 1)]



# %% [markdown]
# Wrong variants that the comparison has to reject: the last clock leaves with the service, the full system still grows, new
# clocks stand in front of the old ones.


# %%
def down_last_clock(queue, i):
    m, R = QueueMatrices(queue), queue.clock_phases
    if i == 1:
        return down(queue, i)
    leaving = kron(m.S0 * m.beta, m.I(R ** (i - 2)), m.e(R)) + kron(m.I(queue.service_phases), m.Gamma0_sum(i - 1))
    return kron(m.I(queue.arrival_phases), leaving)


def diagonal_never_full(queue, i):
    m = QueueMatrices(queue)
    return kronecker_sum(m.D(queue.active[i], 0), m.A(i - 1))


def up_in_front(queue, i, l):
    m = QueueMatrices(queue)
    return kron(m.D(queue.active[i], l), m.gamma_power(l), m.I(m.phases(i)))


def matches(form, change):
    """The form gives the enumerated block from level i to level i + change(l)."""
    return lambda case: same(case[0].block(case[1], case[1] + change(*case[2:])), form(*case))


paper.claim("ADKNS-L.column-sum").definition()
paper.claim("ADKNS-L.down").instances(
    positive_levels, matches(down, lambda: -1), what="queues and levels, 7 queues symbolic",
    wrong={"last clock removed": matches(down_last_clock, lambda: -1)},
)
paper.claim("ADKNS-L.diagonal").instances(
    positive_levels, matches(diagonal, lambda: 0), what="queues and levels, 7 queues symbolic",
    wrong={"D_0 at level K too": matches(diagonal_never_full, lambda: 0)},
)
paper.claim("ADKNS-L.up").instances(
    climbs, matches(up, lambda l: l), what="queues, levels and batches, 7 queues symbolic",
    wrong={"new clocks in front": matches(up_in_front, lambda l: l)},
)
far = [(queue, i, j) for queue, i in levels for j in range(i - 1)]


def is_zero_block(queue, i, j):
    return same(queue.block(i, j), zeros(block_size(queue, i), block_size(queue, j), queue.generator))


paper.claim("ADKNS-L.zero").instances(
    far, lambda c: is_zero_block(*c), what="queues and pairs of levels",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"one level down": lambda c: is_zero_block(c[0], c[1], c[1] - 1)},
)

# %% [markdown]
# The first row has the mode $N$: all robots work when the system is empty. That is so with the strict inequalities
# $-1 = j_0 < j_1 < \dots$ of Section 2, under which the Lemma holds as printed. Section 2 also mentions non-strict ones; with
# $j_1 = -1$ fewer robots work in the empty system, and the first row needs $\chi(0)$ in place of $N$. Then the Lemma holds for
# every number of active robots per level.

# %%
l1, l2, mu, g = sp.symbols("lambda_1 lambda_2 mu g", positive=True)


def two_modes(thresholds, capacity=2):
    return ObsolescenceQueue(
        arrivals=[[[[-l1]], [[l1]]], [[[-l2]], [[l2]]]], service=([1], [[-mu]]), obsolescence=([1], [[-g]]),
        capacity=capacity, active=active_robots(thresholds, (2, 1), capacity),
    )


never_two = two_modes((-1,))


def robots(queue):
    return len(queue.arrivals)


paper.claim("ADKNS-L.first-row").instances(
    rows, lambda c: same(c[0].block(0, c[1]), first_row(*c, mode=robots(c[0]))),
    what="queues and levels, 7 queues symbolic",
    wrong={"mode 1": lambda c: same(c[0].block(0, c[1]), first_row(*c, mode=1))},
)


# %%
def lemma_generator(queue, first_mode):
    """Q from the blocks of the Lemma."""
    place, offsets = 0, []
    for i in range(queue.capacity + 1):
        offsets.append(place)
        place += block_size(queue, i)
    entries = zeros(place, place, queue.generator).tolist()
    for i, j in itertools.product(range(queue.capacity + 1), repeat=2):
        if j < i - 1:
            continue
        block = (
            first_row(queue, j, first_mode) if i == 0 else down(queue, i) if j == i - 1
            else diagonal(queue, i) if j == i else up(queue, i, j - i)
        ).tolist()
        for row, values in enumerate(block):
            entries[offsets[i] + row][offsets[j]:offsets[j] + len(values)] = values
    return like(entries, queue.generator)


paper.claim("ADKNS-L").instances(
    everything, lambda queue: same(queue.generator, lemma_generator(queue, robots(queue))),
    what="whole generators, 7 queues symbolic",
    wrong={"mode 1 when empty": lambda queue: same(queue.generator, lemma_generator(queue, 1))},
)

# %%
policies = [
    ObsolescenceQueue(q.arrivals, q.service, q.obsolescence, q.capacity, policy)
    for q in (rational(2, 2, 2, 2, 3, 2, seed=5), rational(1, 2, 1, 3, 3, 3, seed=6))
    for policy in itertools.product((1, 2, 3), repeat=q.capacity + 1)
]
paper.claim("ADKNS-X.lemma-mode").instances(
    [*everything, never_two, two_modes((2,)), *policies],
    lambda queue: same(queue.generator, lemma_generator(queue, queue.active[0])),
    what="queues with every policy of three modes", wrong={
        "mode N when empty": lambda queue: same(queue.generator, lemma_generator(queue, robots(queue)))},
)

# %%
figure, axes = plt.subplots(figsize=(4.6, 4.6))
pattern = np.array([[float(v != 0) for v in row] for row in rationals[3].generator.tolist()])
axes.spy(pattern, markersize=1.2)
edges = np.cumsum([len(rationals[3].level_states(i)) for i in range(rationals[3].capacity + 1)])
for edge in edges[:-1]:
    axes.axhline(edge - 0.5, linewidth=0.4, color="grey")
    axes.axvline(edge - 0.5, linewidth=0.4, color="grey")
axes.set_title("The generator by levels: up by any batch, down by one", fontsize=9)
plt.show()

# %% [markdown]
# ## Kronecker sums of columns, and $\mathcal B_0$
# $\Gamma_0^{\oplus l}$ is a "Kronecker sum" of columns, which the usual definition does not cover. It has to be read with identities
# as large as the *rows* of the other terms; then it is the matrix of the ways in which one of $l$ clocks rings.

# %%
clock_sums = [(symbolic_queue(1, 1, R, 1, (0,), 1), l) for R in (1, 2, 3) for l in (1, 2, 3)]


def by_summation(queue, l):
    m, R = QueueMatrices(queue), queue.clock_phases
    terms = [kron(m.I(R**j), m.Gamma0, m.I(R ** (l - j - 1))) for j in range(l)]
    return sum(terms[1:], terms[0])


def exits(queue, l):
    m, R = QueueMatrices(queue), queue.clock_phases
    return kronecker_sum(*[m.Gamma] * l) * m.e(R**l) * -1


paper.claim("ADKNS-X.column-sum").instances(
    clock_sums, lambda c: same(QueueMatrices(c[0]).Gamma0_sum(c[1]), by_summation(*c))
    and same(by_summation(*c) * QueueMatrices(c[0]).e(c[0].clock_phases ** (c[1] - 1)), exits(*c)),
    what="(R, l) with symbolic entries",
    wrong={"one clock less": lambda c: same(by_summation(*c), by_summation(c[0], max(c[1] - 1, 1)))},
)

# %% [markdown]
# $\mathcal B_i$ has $MR^{i-1}$ columns. The range that is printed for it (and rightly for $\mathcal A_i$) begins with 0, where that is no
# number of columns unless $R = 1$: a slip, as the Lemma uses it only for $i \ge 1$. What Section 5 needs for $i = 0$ is said there.

# %%
paper.claim("ADKNS-L.B-range").textual(
    version="2011", place="Lemma, definition of B_i", words=r"i = \overline{0, K-1}",
    should_be=r"i = \overline{1, K-1} for \mathcal B_i, i = \overline{0, K-1} for \mathcal A_i",
).instances(
    [(queue, i) for queue, i in positive_levels if i < queue.capacity],
    lambda c: shape(QueueMatrices(c[0]).B(c[1])) == tuple(
        c[0].service_phases * c[0].clock_phases ** k for k in (c[1], c[1] - 1)),
    what="queues and indices 1 to K - 1",
    wrong={"square": lambda c: shape(QueueMatrices(c[0]).B(c[1])) == (c[0].service_phases * c[0].clock_phases ** c[1],) * 2},
)

# %% [markdown]
# $\chi(i) = N - \psi(i)$ is the strategy of Section 2 with $r = \psi(i) + 1$:

# %%
sets_of_thresholds = [
    (t, N, K) for K in range(1, 5) for N in range(1, 6)
    for t in itertools.combinations_with_replacement(range(-1, K + 1), N - 1)
]


def chi(thresholds, N, K, i):
    bounds = (-1, *thresholds, K)
    return [N - psi for psi in range(N) if bounds[psi] + 1 <= i <= bounds[psi + 1]]


paper.claim("ADKNS-L.chi").instances(
    sets_of_thresholds, lambda c: all(
        chi(*c, i) == [robots_at_i]
        for i, robots_at_i in enumerate(active_robots(c[0], range(c[1], 0, -1), c[2]))),
    what="sets of thresholds, equality allowed",
    wrong={"one level later": lambda c: all(
        chi(*c, max(i - 1, 0)) == [r] for i, r in enumerate(active_robots(c[0], range(c[1], 0, -1), c[2])))},
)

# %% [markdown]
# ## (4) and the algorithm
# $pQ = 0$ has one normalised solution when the rank of $Q$ is one less than its size.

# %%
def law(queue):
    return fmpq_mat([[queue.probabilities[s] for s in queue.states]])


equilibrium = paper.claim("ADKNS-4")
equilibrium.instances(
    rationals, lambda queue: (law(queue) * lemma_generator(queue, robots(queue))) == zeros(1, len(queue.states), law(queue))
    and sum(law(queue).tolist()[0]) == 1 and queue.generator.rank() == len(queue.states) - 1,
    what="random queues",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"uniform law": lambda queue: fmpq_mat([[1] * len(queue.states)]) * queue.generator == zeros(
        1, len(queue.states), queue.generator)},
)

# %% [markdown]
# The earlier model that the paper generalises has no obsolescence. A phase-type time is finite, so that is no special case but a
# limit: $\Gamma = 0$, which the formulas of Sections 3 to 5 allow all the same. Then, with Poisson robots and exponential service, the
# chain is a birth and death process with rates $\lambda_{\chi(i)}$ and $\mu$.

# %%
without_clocks = ObsolescenceQueue(
    arrivals=[[[[-l1]], [[l1]]], [[[-l2]], [[l2]]]], service=([1], [[-mu]]), obsolescence=([1], [[0]]), capacity=3,
    active=active_robots((1,), (2, 1), 3),
)
products = [sp.S.One, l2 / mu, l2**2 / mu**2, l2**2 * l1 / mu**3]
special = paper.claim("ADKNS-S2.special-case")
obsolete_rate = two_modes((1,)).event_rate("obsolete")
special.refute(sp.Eq(obsolete_rate, 0, evaluate=False), witness={l1: 1, l2: 2, mu: 1, g: 1})
for level, weight in enumerate(products):
    special.equal(
        without_clocks.level_vector(level)[0, 0], weight / sum(products), given="Gamma = 0 is allowed: no obsolescence",
    )

# %% [markdown]
# The algorithm goes down through the levels and up again. Each step has a meaning that can be computed in another way, from the
# enumerated chain as a whole:
#
# 1. $G_i$: the phases at the first visit to level $i$, starting at level $i + 1$;
# 2. $\bar Q_{i,l}$: the rates of the chain watched only while at levels $\le l$ (a Schur complement);
# 3. $F_l$: expected time at level $l$ between visits to level 0, per unit of time at level 0.


# %%
def part(queue, rows, columns):
    """The generator between two ranges of levels."""
    position = {s: i for i, s in enumerate(queue.states)}
    picked = [[position[s] for level in side for s in queue.level_states(level)] for side in (rows, columns)]
    return like([[queue.generator[a, b] for b in picked[1]] for a in picked[0]], queue.generator)


def recursion(queue):
    """Steps 1 to 5 as printed: G, the censored rates, F, and the level vectors p_i."""
    K, Q = queue.capacity, queue.block
    G = {}
    for i in range(K - 1, -1, -1):
        inner = Q(i + 1, i + 1) * -1
        for l in range(1, K - i):
            product = Q(i + 1, i + 1 + l)
            for k in range(l, 0, -1):
                product = product * G[i + k]
            inner = inner - product
        G[i] = inner.inv() * Q(i + 1, i)
    censored = {(i, K): Q(i, K) for i in range(K + 1)}
    for l in range(K - 1, -1, -1):
        for i in range(l + 1):
            censored[i, l] = Q(i, l) + censored[i, l + 1] * G[l]
    F = {0: identity(queue.arrival_phases, queue.generator)}
    for l in range(1, K + 1):
        total = F[0] * censored[0, l]
        for i in range(1, l):
            total = total + F[i] * censored[i, l]
        F[l] = total * (censored[l, l] * -1).inv()
    m = QueueMatrices(queue)
    weights = F[0] * m.e(shape(F[0])[1])
    for l in range(1, K + 1):
        weights = weights + F[l] * m.e(shape(F[l])[1])
    # The balance equations of level 0, the last replaced by the normalisation.
    system = [list(row) for row in zip(*censored[0, 0].tolist(), strict=True)]
    system[-1] = [row[0] for row in weights.tolist()]
    right = like([[int(k == len(system) - 1)] for k in range(len(system))], queue.generator)
    p0 = like([[row[0] for row in (like(system, queue.generator).inv() * right).tolist()]], queue.generator)
    return G, censored, F, {i: p0 * F[i] for i in range(K + 1)}


solved = {i: recursion(queue) for i, queue in enumerate(rationals)}
cases = list(enumerate(rationals))


def first_passage(queue, i):
    above = range(i + 1, queue.capacity + 1)
    down_rates = part(queue, above, [i])
    return like((((part(queue, above, above) * -1).inv()) * down_rates).tolist()[:block_size(queue, i + 1)], queue.generator)


paper.claim("ADKNS-S3.step1").instances(
    [(c, i) for c in cases for i in range(c[1].capacity)],
    lambda c: same(solved[c[0][0]][0][c[1]], first_passage(c[0][1], c[1])), what="random queues and levels",
    wrong={"without climbing": lambda c: same(
        (c[0][1].block(c[1] + 1, c[1] + 1) * -1).inv() * c[0][1].block(c[1] + 1, c[1]), first_passage(c[0][1], c[1]))},
)


def watched(queue, i, l):
    """The rates from level i to level l of the chain watched at levels up to l."""
    above = range(l + 1, queue.capacity + 1)
    direct = queue.block(i, l)
    if not above:
        return direct
    return direct + part(queue, [i], above) * (part(queue, above, above) * -1).inv() * part(queue, above, [l])


paper.claim("ADKNS-S3.step2").instances(
    [(c, i, l) for c in cases for l in range(c[1].capacity + 1) for i in range(l + 1)],
    lambda c: same(solved[c[0][0]][1][c[1], c[2]], watched(c[0][1], c[1], c[2])), what="random queues and pairs of levels",
    wrong={"not watched": lambda c: same(c[0][1].block(c[1], c[2]), watched(c[0][1], c[1], c[2]))},
)


def time_above(queue):
    """Expected times at the levels 1 to K between visits to level 0, per unit of time there."""
    above = range(1, queue.capacity + 1)
    return part(queue, [0], above) * (part(queue, above, above) * -1).inv()


def beside(F, levels):
    return like([list(itertools.chain(*(F[l].tolist()[r] for l in levels))) for r in range(shape(F[0])[0])], F[0])


paper.claim("ADKNS-S3.step3").instances(
    cases, lambda c: same(beside(solved[c[0]][2], range(1, c[1].capacity + 1)), time_above(c[1])), what="random queues",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"doubled": lambda c: same(beside(solved[c[0]][2], range(1, c[1].capacity + 1)) * 2, time_above(c[1]))},
)

# %%
paper.claim("ADKNS-S3.step4").instances(
    cases, lambda c: same(solved[c[0]][3][0], c[1].level_vector(0)) and solved[c[0]][1][0, 0].rank() == c[1].arrival_phases - 1,
    what="random queues", only_gross="an identity: a wrong side differs in every case", wrong={"normalised alone": lambda c: same(
        solved[c[0]][3][0] * (1 / sum(solved[c[0]][3][0].tolist()[0])), c[1].level_vector(0))},
)
paper.claim("ADKNS-S3.step5").instances(
    [(c, i) for c in cases for i in range(1, c[1].capacity + 1)],
    lambda c: same(solved[c[0][0]][3][c[1]], c[0][1].level_vector(c[1])), what="random queues and levels",
    wrong={"rates in place of F": lambda c: same(
        solved[c[0][0]][3][0] * c[0][1].block(0, c[1]), c[0][1].level_vector(c[1]))},
)

# %% [markdown]
# For every $K$, every level $l < K$ and blocks of every size: what steps 3 and 4 ask of the levels $l$ and $l + 1$ gives the balance of
# column $l$. Stack the levels up to $l$: $p = (p_0, \dots, p_l)$, $Q$ and $\bar B$ the columns of the blocks $Q_{i,l}$ and $\bar Q_{i,l+1}$,
# $i \le l$. Then step 2 is one equation, $\bar Q_{i,l} = Q_{i,l} + \bar Q_{i,l+1}G_l$, and neither $K$ nor a size is left in it.

# %%
above, at_level, next_level = (size(name) for name in ("a", "m", "n"))
p, p_next = block("p", 1, above), block("p_next", 1, next_level)
Q, Q_bar = block("Q", above, at_level), block("Qbar", above, next_level)
down_block, watched_next = block("D", next_level, at_level), block("W", next_level, next_level)
G = -watched_next.inverse() * down_block
censored_column = Q + Q_bar * G  # step 2
step_3_next = Relation(p * Q_bar, -(p_next * watched_next), p_next)  # p_{l+1} by step 3
step_3_here = Relation(p * censored_column, zero(1, at_level), Q)  # p_l by step 3, p_0 by step 4
paper.claim("ADKNS-S3.step5").free_algebra(
    p * Q + p_next * down_block, zero(1, at_level), relations=[step_3_next, step_3_here], as_step=True,
)

# %% [markdown]
# Stability: all quantities are probabilities or times, none is negative; the diagonals can be had from row sums, so that no two
# close numbers are ever subtracted.


# %%
def nonnegative(matrix):
    return all(v >= 0 for row in matrix.tolist() for v in row)


def no_cancellation(case):
    number, queue = case
    G, censored, F, _ = solved[number]
    m = QueueMatrices(queue)
    return bool(
        all(nonnegative(matrix) for matrix in (*G.values(), *F.values()))
        and all(same(matrix * m.e(shape(matrix)[1]), m.e(shape(matrix)[0])) for matrix in G.values())
        and all(nonnegative((censored[l, l] * -1).inv()) for l in range(1, queue.capacity + 1))
        and all(
            v >= 0 for (i, l), matrix in censored.items() for a, row in enumerate(matrix.tolist())
            for b, v in enumerate(row) if i != l or a != b
        )
    )


paper.claim("ADKNS-S3.stable").instances(
    cases, no_cancellation, what="random queues",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"diagonals too": lambda c: all(nonnegative(matrix) for matrix in solved[c[0]][1].values())},
)

# %% [markdown]
# Symbolically: $K = 2$, singles at rate $f_1$ and pairs at rate $f_2$ (two modes), one phase everywhere.

# %%
small = symbolic_queue(1, 1, 1, 2, (0,))
level_by_recursion = recursion(small)[3]
whole = paper.claim("ADKNS-X.state-space-reduction")
for level in range(3):
    whole.equal(level_by_recursion[level][0, 0], sp.factor(small.level_vector(level)[0, 0]))
whole.instances(
    cases, lambda c: all(same(solved[c[0]][3][i], c[1].level_vector(i)) for i in range(c[1].capacity + 1)),
    what="random queues, all levels", only_gross="an identity: a wrong side differs in every case", wrong={"next level": lambda c: all(
        same(solved[c[0]][3][i], c[1].level_vector(max(i - 1, 0))) for i in range(c[1].capacity + 1))},
)

# %% [markdown]
# ## Section 6: single arrivals
# With batches of one only, the chain moves one level at a time and the recursion is shorter. Its step 2 is printed for
# $i = 1, \dots, K$; at $i = K$ it would need $Q_{K,K+1}$ and $G_K$, which don't exist.

# %%
singles = [rational(W, M, R, K, N, 1, seed=30 + W + M) for W, M, R, K, N in
           ((1, 1, 1, 1, 1), (2, 2, 2, 3, 2), (2, 1, 3, 4, 3), (3, 2, 1, 5, 4), (1, 3, 2, 4, 2))]


def is_tridiagonal(queue):
    return all(
        is_zero_block(queue, i, j)
        for i in range(queue.capacity + 1) for j in range(queue.capacity + 1) if abs(i - j) > 1
    )


paper.claim("ADKNS-S6.qbd").instances(
    [*singles, symbolic_queue(2, 1, 2, 3, (1,), 1)], is_tridiagonal, what="queues with single arrivals, one symbolic",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"pairs arrive": lambda queue: is_tridiagonal(rational(1, 2, 2, 3, 2, 2))},
)


def short_recursion(queue):
    """Section 6, with F_K as it must be."""
    K, Q = queue.capacity, queue.block
    G = {K - 1: Q(K, K).inv() * -1 * Q(K, K - 1)}
    for i in range(K - 2, -1, -1):
        G[i] = ((Q(i + 1, i + 1) + Q(i + 1, i + 2) * G[i + 1]) * -1).inv() * Q(i + 1, i)
    F = {0: identity(queue.arrival_phases, queue.generator)}
    for i in range(1, K + 1):
        inner = Q(i, i) + Q(i, i + 1) * G[i] if i < K else Q(K, K)
        F[i] = F[i - 1] * Q(i - 1, i) * (inner * -1).inv()
    return G, F


single_cases = [(queue, short_recursion(queue), recursion(queue)) for queue in singles]
paper.claim("ADKNS-S6.step1").instances(
    single_cases, lambda c: all(same(c[1][0][i], c[2][0][i]) for i in c[2][0]), what="queues with single arrivals",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"doubled": lambda c: all(same(c[1][0][i] * 2, c[2][0][i]) for i in c[2][0])},
)
paper.claim("ADKNS-S6.step2").instances(
    single_cases, lambda c: all(same(c[1][1][i], c[2][2][i]) for i in c[2][2]), what="queues with single arrivals",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"doubled": lambda c: all(same(c[1][1][i] * 2, c[2][2][i]) for i in c[2][2])},
)
paper.claim("ADKNS-S6.step2-last").textual(
    version="2011", place="Section 6, step 2", words=r"i = \overline{1, K}",
    should_be=r"i = \overline{1, K-1}, and F_K = F_{K-1} Q_{K-1,K} (-Q_{K,K})^{-1}",
)


def balanced_at_0(queue, G):
    watched_0 = queue.block(0, 0) + queue.block(0, 1) * G[0]
    return same(queue.level_vector(0) * watched_0, zeros(1, queue.arrival_phases, queue.generator)) and (
        watched_0.rank() == queue.arrival_phases - 1)


paper.claim("ADKNS-S6.step3").instances(
    single_cases, lambda c: balanced_at_0(c[0], c[1][0]) and all(
        same(c[0].level_vector(0) * c[1][1][i], c[0].level_vector(i)) for i in range(1, c[0].capacity + 1)),
    what="queues with single arrivals",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"doubled": lambda c: balanced_at_0(c[0], c[1][0]) and all(
        same(c[0].level_vector(0) * c[1][1][i] * 2, c[0].level_vector(i)) for i in range(1, c[0].capacity + 1))},
)
