# %% [markdown]
# # Section 5: how long a page stays
#
# Theorem 4 gives the Laplace-Stieltjes transforms of the time that a page spends in the system: of any page, of one that is
# served, of one that becomes obsolete. Corollary 1 gives the means. Both are compared with the chain of one tagged page, built from
# the words: it enters at the end of the queue, pages before it are served or become obsolete, and it leaves by one of the two exits.
# All comparisons are exact, at several rational $u$ or as rational functions of $u$.

# %%
import functools
import itertools
import operator

import matplotlib.pyplot as plt
import sympy as sp
from flint import fmpq
from sympy.polys.matrices import DomainMatrix

from claimproof import Paper
from crawlproof.models.instances import random_queue
from crawlproof.models.kronecker import kron, like, shape, zeros
from crawlproof.models.matrices import QueueMatrices
from crawlproof.models.obsolescence_queue import ObsolescenceQueue, active_robots
from crawlproof.models.simulation import simulate_cycles

paper = Paper("adkns")
settings = [  # W', M, R, K, largest batch, thresholds
    (1, 1, 1, 1, 2, ()), (1, 1, 1, 4, 2, (1,)), (2, 2, 2, 2, 3, (0,)), (2, 2, 2, 3, 2, (1,)), (1, 2, 3, 3, 4, (0, 1)),
    (2, 1, 2, 4, 3, (0, 2)), (1, 3, 1, 4, 2, (2,)),
]
queues = [
    random_queue(
        70 + seed, arrival_phases=W, service_phases=M, clock_phases=R, capacity=K, robots=len(t) + 1, largest_batch=batch,
        thresholds=t,
    ) for seed, (W, M, R, K, batch, t) in enumerate(settings)
]
waiting_room = [queue for queue in queues if queue.capacity > 1]  # with K = 1 nobody waits
arguments = [fmpq(0), fmpq(1, 3), fmpq(2), fmpq(17, 5)]


def same(left, right):
    return shape(left) == shape(right) and all(
        sp.expand(a - b) == 0 if isinstance(a, sp.Expr) else a == b
        for r, s in zip(left.tolist(), right.tolist(), strict=True) for a, b in zip(r, s, strict=True))


# %% [markdown]
# ## What comes behind a page doesn't matter
# The first step of the proof. Two chains: one keeps the whole system and the place of the tagged page in it; the other only the
# service phase and the clocks up to the tagged page. For each state of the large chain the transform of the remaining time, with
# either exit, is that of its image in the small one.


# %%
def resolvent(rates, u):
    """(uI - A)^{-1}, over the rationals or over the rational functions of a symbol u."""
    size = shape(rates)[0]
    if not isinstance(u, sp.Expr):
        return (like([[u * (i == j) for j in range(size)] for i in range(size)], rates) - rates).inv()
    inner = u * sp.eye(size) - (rates if isinstance(rates, sp.MatrixBase) else to_sympy(rates))
    return DomainMatrix.from_Matrix(inner).to_field().inv().to_Matrix()


def to_sympy(matrix):
    return sp.Matrix([[sp.Rational(int(v.p), int(v.q)) for v in row] for row in matrix.tolist()])


def remaining(tagged, exits, u):
    """Transform of the remaining time with this exit, by state."""
    column = resolvent(tagged.rates, u) * exits
    return {state: column[i, 0] for i, state in enumerate(tagged.states)}


def clocks_ahead(state):
    """The tagged page's state: its place, the service phase, the clocks up to its own."""
    place = state[0]
    return (place, *state[3:4 + place])


def clocks_behind(state):
    """As many clocks, but from the end of the queue."""
    place, clocks = state[0], state[4:]
    return (place, state[3], *clocks[len(clocks) - place:])


def agree_everywhere(queue, u, image=clocks_ahead):
    small, large = queue.tagged_page(), queue.tagged_page_in_system()
    for exits in ("served", "obsolete"):
        little, big = (remaining(chain, getattr(chain, exits), u) for chain in (small, large))
        if any(value != little[image(state)] for state, value in big.items()):
            return False
    return True


tagged_small = [queue for queue in queues if len(queue.states) <= 40]
paper.claim("ADKNS-S5.arrivals-behind").instances(
    list(itertools.product(tagged_small, arguments[1:3])), lambda c: agree_everywhere(*c),
    what="random queues and u, all states of the whole system",
    wrong={"clocks at the end of the queue": lambda c: agree_everywhere(*c, image=clocks_behind)},
)
paper.claim("ADKNS-X.tagged").instances(
    tagged_small, lambda queue: all(
        small.transform(u, getattr(small, name)) == large.transform(u, getattr(large, name))
        and small.mean_time(getattr(small, name)) == large.mean_time(getattr(large, name))
        for small, large in [(queue.tagged_page(), queue.tagged_page_in_system())]
        for name in ("served", "obsolete") for u in arguments),
    what="random queues, transforms at 4 points and means",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"exits exchanged": lambda queue: all(
        small.transform(u, small.served) == large.transform(u, large.obsolete)
        for small, large in [(queue.tagged_page(), queue.tagged_page_in_system())] for u in arguments)},
)

# %% [markdown]
# ## $\hat{\mathcal B}_i$: one page fewer before the tagged one
# With $i + 1$ pages before it (one in service, $i$ waiting) and its own clock, there are $i + 1$ clocks. When one of those pages leaves,
# $i$ are before it. The paper writes $\hat{\mathcal B}_i = \mathcal B_i \otimes I_R$ for $i = 0, \dots, K-1$. This needs a convention for $i = 0$,
# where $\mathcal B_0$ has no columns to speak of: the service ends, the tagged page moves into the server, and its clock is dropped, so
# $\hat{\mathcal B}_0 = S_0\beta \otimes e_R$ (the printed formula, if $I_{R^{-1}} \otimes I_R$ is read as 1 and the empty sum as 0).

# %%
def B_hat(m, i):
    """The matrix with the convention for i = 0."""
    R = m.queue.clock_phases
    return kron(m.S0 * m.beta, m.e(R)) if i == 0 else kron(m.B(i), m.I(R))


def tagged_block(queue, place, other):
    tagged = queue.tagged_page()
    rows = [i for i, s in enumerate(tagged.states) if s[0] == place]
    columns = [i for i, s in enumerate(tagged.states) if s[0] == other]
    return like([[tagged.rates[a, b] for b in columns] for a in rows], tagged.rates)


mu, nu, g, h, lam, pair, q = sp.symbols("mu nu g h lambda pi q", positive=True)
u = sp.Symbol("u", positive=True)


def symbolic_queue(service, obsolescence, capacity):
    return ObsolescenceQueue(
        arrivals=[[[[-lam]], [[lam]]]], service=service, obsolescence=obsolescence, capacity=capacity, active=(1,) * (capacity + 1),
    )


exponential = ([1], [[-mu]]), ([1], [[-g]])
plain = symbolic_queue(*exponential, 3)
two_phases = symbolic_queue(([q, 1 - q], [[-mu, mu / 2], [0, -nu]]), ([1], [[-g]]), 2)
two_clocks = symbolic_queue(([1], [[-mu]]), ([q, 1 - q], [[-g, g / 3], [0, -h]]), 2)
moves = [(queue, i) for queue in (*waiting_room, plain, two_phases, two_clocks) for i in range(queue.capacity - 1)]
paper.claim("ADKNS-S5.B-hat").textual(
    version="2011", place="Theorem 4, definition of B-hat_i", words=r"i = \overline{0, K-1}",
    should_be=r"\hat{\mathcal B}_0 = S_0\beta \otimes e_R, \hat{\mathcal B}_i = \mathcal B_i \otimes I_R for i = \overline{1, K-2}",
).instances(
    moves, lambda c: same(tagged_block(c[0], c[1] + 1, c[1]), B_hat(QueueMatrices(c[0]), c[1])),
    what="queues and numbers of pages before, 3 queues symbolic",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"the tagged page may ring": lambda c: same(tagged_block(c[0], c[1] + 1, c[1]), QueueMatrices(c[0]).B(c[1] + 1))},
)


# %% [markdown]
# ## Theorem 4
# The vectors $v_i^{(m)}(u)$ with $i$ pages before the tagged one, as printed. In the proof the index is said to count pages "in a queue";
# it counts the one in service as well.

# %%
def v1(m, u, last):
    """(20): v_0, ..., v_last."""
    result = [product(resolvent(m.A(0), u), m.S0)]
    for i in range(1, last + 1):
        result.append(product(resolvent(m.A(i), u), B_hat(m, i - 1), result[-1]))
    return result


def product(*factors):
    """The product; with a symbol in it, over the field of rational functions, so that fractions stay reduced."""
    if not any(isinstance(factor, sp.MatrixBase) for factor in factors):
        return functools.reduce(operator.mul, factors)
    exact = [DomainMatrix.from_Matrix(f if isinstance(f, sp.MatrixBase) else to_sympy(f)).to_field() for f in factors]
    return functools.reduce(lambda a, b: operator.mul(*a.unify(b)), exact).to_Matrix()


def own_clock(m, clocks):
    """(I_M ⊗ I ⊗ Gamma_0) e: the tagged page's own clock, the last one, rings."""
    size = m.queue.service_phases * m.queue.clock_phases ** (clocks - 1)
    return kron(m.I(size), m.Gamma0) * m.e(size)


def v2(m, u, last):
    """(21): v_0, ..., v_last, by the printed sum of products."""
    result = [product(resolvent(m.A(0), u), zeros(m.queue.service_phases, 1, m.S))]
    for i in range(1, last + 1):
        terms = []
        for l in range(i):
            before = [f for k in range(l) for f in (resolvent(m.A(i - k), u), B_hat(m, i - k - 1))]
            terms.append(product(*before, resolvent(m.A(i - l), u), own_clock(m, i - l)))
        result.append(functools.reduce(operator.add, terms))
    return result


def by_tagged_page(queue, exits, u):
    """The same vectors from the chain of the tagged page."""
    tagged = queue.tagged_page()
    column = resolvent(tagged.rates, u) * getattr(tagged, exits)
    return [
        like([[column[i, 0]] for i, s in enumerate(tagged.states) if s[0] == place], column)
        for place in range(queue.capacity)
    ]


def vectors_agree(formula, exits, queue, u):
    m = QueueMatrices(queue)
    return all(same(a, b) for a, b in zip(formula(m, u, queue.capacity - 1), by_tagged_page(queue, exits, u), strict=True))


points = list(itertools.product(queues, arguments))
paper.claim("ADKNS-20").instances(
    points, lambda c: vectors_agree(v1, "served", *c), what="random queues and u, all vectors",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"the other fate": lambda c: vectors_agree(v1, "obsolete", *c)},
)
paper.claim("ADKNS-21").instances(
    points, lambda c: vectors_agree(v2, "obsolete", *c), what="random queues and u, all vectors",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"the other fate": lambda c: vectors_agree(v2, "served", *c)}, using=["ADKNS-S5.arrivals-behind", "ADKNS-S5.B-hat"],
)
paper.claim("ADKNS-S5.before").textual(
    version="2011", place="proof of Theorem 4, (ii)", words="in a queue before the tagged",
    should_be="in the system before the tagged",
)

# %% [markdown]
# With two service phases, $v_0^{(1)}$ by first steps; with exponential laws, $v_1$ and $v_2$ in closed form: each page before the tagged one
# leaves by service or by its clock before the tagged page's own clock rings.

# %%
x1, x2 = sp.symbols("x_1 x_2")
two = QueueMatrices(two_phases)
first_step = sp.solve([(u + mu) * x1 - mu / 2 - mu / 2 * x2, (u + nu) * x2 - nu], [x1, x2])
start = paper.claim("ADKNS-20.start")
for position, symbol in enumerate((x1, x2)):
    start.equal(first_step[symbol], v1(two, u, 0)[0][position])

one = QueueMatrices(plain)
served_symbolic, obsolete_symbolic = v1(one, u, 2), v2(one, u, 2)
once = mu / (u + mu)
sp.factor(served_symbolic[2][0])

# %%
paper.claim("ADKNS-20").equal(
    served_symbolic[2][0], (mu + g) / (u + mu + 2 * g) * mu / (u + mu + g) * once
)
paper.claim("ADKNS-21").equal(
    obsolete_symbolic[2][0], g / (u + mu + 2 * g) + (mu + g) / (u + mu + 2 * g) * g / (u + mu + g)
)

# %% [markdown]
# ### A reading in the proof that is not right
# The vectors are said to be conditional on the page's fate. They are joint with it: at $u = 0$ they are the probabilities of the two
# fates, and sum to one. In the same way the proof speaks loosely of $(uI - \mathcal A_i)^{-1}$ as probabilities: its entries are expected
# times, and probabilities are those of $(uI - \mathcal A_i)^{-1}\hat{\mathcal B}_{i-1}$, which is what (20) has. What is missing to 1 is the
# catastrophe, or the tagged page's own clock.

# %%
paper.claim("ADKNS-S5.conditional").refute(
    sp.Eq(served_symbolic[1][0].subs(u, 0), 1, evaluate=False), witness={mu: 1, g: 1}
)


def fates(queue):
    m, last = QueueMatrices(queue), queue.capacity - 1
    return list(zip(v1(m, fmpq(0), last), v2(m, fmpq(0), last), strict=True))


joint = paper.claim("ADKNS-S5.conditional-corrected")
joint.instances(
    waiting_room, lambda queue: all(
        same(a + b, QueueMatrices(queue).e(shape(a)[0])) and (i == 0 or all(0 < v < 1 for row in a.tolist() for v in row))
        for i, (a, b) in enumerate(fates(queue))),
    what="random queues", only_gross="an identity: a wrong side differs in every case", wrong={"served is certain": lambda queue: all(
        same(a, QueueMatrices(queue).e(shape(a)[0])) for a, _ in fates(queue))},
)


# %%
def total_probability(queue, i, u, own=True):
    m = QueueMatrices(queue)
    inverse, e = resolvent(m.A(i), u), m.e(shape(m.A(i))[0])
    decrease = B_hat(m, i - 1)
    leaves = decrease * m.e(shape(decrease)[1])
    return same(e - inverse * e * u, inverse * (leaves + own_clock(m, i) if own else leaves))


joint.instances(
    [(queue, i, u) for queue in waiting_room for i in range(1, queue.capacity) for u in arguments],
    lambda c: total_probability(*c), what="random queues, numbers of pages before, and u",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"own clock forgotten": lambda c: total_probability(*c, own=False)},
)


# %% [markdown]
# ### From the vectors to the transforms
# $p_{i,k}$: a page comes in a batch of $k$ and finds $i$ pages, in these phases. $v_{i,k}$: averaged over its place in the batch. Both from the
# events. (Printed or scanned, a bracket closes too early in $p_{i,k}$: $p_i$ has $W'M^{a_i}R^{b_i}$ entries and can't be multiplied by
# $\mathcal D_k$ alone.)

# %%
def p_ik(queue, i, k, rate):
    m, mode = QueueMatrices(queue), queue.active[i]
    batches = m.D(mode, k) * m.e(queue.arrival_phases)
    return queue.level_vector(i) * kron(batches, m.I(m.phases(i))) * (fmpq(k) / rate)


def C(m, i, l):
    if i == 0:
        return kron(m.beta, m.gamma_power(l - 1))
    return kron(m.I(m.phases(i)), m.gamma_power(l))


def v_ik(m, i, k, vectors):
    """(19) and (25)."""
    total = C(m, i, 1) * vectors[i] * fmpq(1, k)
    for l in range(2, min(k, m.queue.capacity - i) + 1):
        total = total + C(m, i, l) * vectors[i + l - 1] * fmpq(1, k)
    return total


def batches_into(queue, i):
    return range(1, QueueMatrices(queue).largest_batch + 1) if i <= queue.capacity else ()


def by_words(queue, i, k, exits, u):
    """p_ik and v_ik from the events, by the phases of service and clocks at the arrival."""
    tagged = queue.tagged_page()
    after = remaining(tagged, getattr(tagged, exits), u)
    shares, sums = {}, {}
    for state in queue.level_states(i):
        phases = state[2:]
        for event in queue.events(state):
            if event.delivered != k:
                continue
            weight = queue.probabilities[state] * event.rate * k
            places = range(i, i + event.delivered - event.lost)
            mean = sum((after[(place, *event.target[2:3 + place])] for place in places), fmpq(0)) / k
            shares[phases] = shares.get(phases, fmpq(0)) + weight
            sums[phases] = sums.get(phases, fmpq(0)) + weight * mean
    return shares, sums


paper.claim("ADKNS-S5.p-ik-brackets").textual(
    version="2011", place="Theorem 4, definition of p_{i,k}", words=r"(\mathcal D_k^{(\chi(i))}) e \otimes I",
    should_be=r"(\mathcal D_k^{(\chi(i))} e \otimes I)",
)
found_by = [
    (queue, i, k) for queue in queues for i in range(queue.capacity) for k in batches_into(queue, i)
]
rates = {id(queue): queue.event_rate("delivered") for queue in queues}


def phases_of(queue, i):
    return sorted({s[2:] for s in queue.level_states(i)})


def shares_agree(queue, i, k, size=1):
    shares, _ = by_words(queue, i, k, "served", fmpq(1))
    row = p_ik(queue, i, k, rates[id(queue)]).tolist()[0]
    return all(bool(row[j] * rates[id(queue)] == shares.get(ph, fmpq(0)) * size) for j, ph in enumerate(phases_of(queue, i)))


p_claim = paper.claim("ADKNS-S5.p-ik")
p_claim.instances(
    found_by, lambda c: shares_agree(*c), what="random queues, levels and batch sizes",
    wrong={"batches in place of pages": lambda c: shares_agree(*c, size=fmpq(1, c[2]))},
)
p_claim.instances(
    queues, lambda queue: bool(sum((
        v for i in range(queue.capacity + 1) for k in batches_into(queue, i)
        for v in p_ik(queue, i, k, rates[id(queue)]).tolist()[0]), fmpq(0)) == 1),
    what="random queues: sum over all levels and sizes is 1",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"without level K": lambda queue: bool(sum((
        v for i in range(queue.capacity) for k in batches_into(queue, i)
        for v in p_ik(queue, i, k, rates[id(queue)]).tolist()[0]), fmpq(0)) == 1)},
)


def averages_agree(queue, i, k, u, factor=1):
    m = QueueMatrices(queue)
    for exits, formula in (("served", v1), ("obsolete", v2)):
        shares, sums = by_words(queue, i, k, exits, u)
        column = v_ik(m, i, k, formula(m, u, queue.capacity - 1))
        for j, phases in enumerate(phases_of(queue, i)):
            if phases in shares and column[j, 0] * factor * shares[phases] != sums[phases]:
                return False
    return True


paper.claim("ADKNS-19").instances(
    [(*c, u) for c in found_by for u in arguments[1:3]], lambda c: averages_agree(*c),
    what="random queues, levels, batch sizes and u",
    wrong={"accepted pages only": lambda c: averages_agree(*c, factor=fmpq(c[2], min(c[2], c[0].capacity - c[1])))},
)


# %%
def transforms(queue, u):
    """(16) to (18): v, v1, v2 by the paper, with the measures of Section 4."""
    m, rate = QueueMatrices(queue), rates[id(queue)]
    success, obsolescence, loss = (queue.event_rate(name) / rate for name in ("served", "obsolete", "lost"))
    totals = []
    for vectors in (v1(m, u, queue.capacity - 1), v2(m, u, queue.capacity - 1)):
        totals.append(sum((
            (p_ik(queue, i, k, rate) * v_ik(m, i, k, vectors))[0, 0]
            for i in range(queue.capacity) for k in batches_into(queue, i)), fmpq(0)))
    first = totals[0] / success
    second = totals[1] / obsolescence if obsolescence else fmpq(0)
    return first * success + second * obsolescence + loss, first, second


def transforms_by_words(queue, u):
    tagged = queue.tagged_page_in_system() if queue in tagged_small else queue.tagged_page()
    served, obsolete = tagged.transform(u, tagged.served), tagged.transform(u, tagged.obsolete)
    lost, rate = queue.event_rate("lost"), rates[id(queue)]
    total_obsolete = queue.event_rate("obsolete")
    return (
        (served + obsolete + lost) / rate, served / queue.event_rate("served"),
        obsolete / total_obsolete if total_obsolete else fmpq(0),
    )


computed = {(id(queue), u): (transforms(queue, u), transforms_by_words(queue, u)) for queue, u in points}


def transform_agrees(position, other=None):
    return lambda c: bool(
        computed[id(c[0]), c[1]][0][position] == computed[id(c[0]), c[1]][1][position if other is None else other])


waiting_points = [c for c in points if c[0].capacity > 1]
for name, position, other in (("ADKNS-16", 0, 1), ("ADKNS-17", 1, 2), ("ADKNS-18", 2, 1)):
    paper.claim(name).instances(
        waiting_points, transform_agrees(position), what="random queues and u",
        wrong={"another page's transform": transform_agrees(position, other)},
    )
paper.claim("ADKNS-Theorem-4").instances(
    points, lambda c: computed[id(c[0]), c[1]][0] == computed[id(c[0]), c[1]][1], what="random queues and u, all three transforms",
    wrong={"at another u": lambda c: computed[id(c[0]), c[1]][0] == computed[id(c[0]), arguments[-1]][1]},
    using=["ADKNS-16", "ADKNS-17", "ADKNS-18", "ADKNS-S5.B-hat"],
)
paper.claim("ADKNS-Theorem-4").gap(
    step="ADKNS-S5.conditional",
    because="the proof reads the vectors as conditional on the page's fate; (17) and (18) need them joint with it, as (20) and (21) give them. "
    "It also calls the entries of the inverse in (20) probabilities, which only its product with B-hat holds",
)
paper.claim("ADKNS-X.transforms-at-0").instances(
    waiting_room, lambda queue: computed[id(queue), arguments[0]][0] == (1, 1, 1), what="random queues",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"at u = 1/3": lambda queue: computed[id(queue), arguments[1]][0] == (1, 1, 1)},
)

# %% [markdown]
# The meaning of $u$: given the sojourn time $T$, no event of an independent Poisson process of rate $u$ falls into it with probability $e^{-uT}$.
# For an exponential $T$ this is the race of two clocks.

# %%
paper.claim("ADKNS-S5.transforms").definition()
t = sp.Symbol("t", positive=True)
paper.claim("ADKNS-S5.catastrophes").equal(
    sp.integrate(mu * sp.exp(-mu * t) * sp.exp(-u * t), (t, 0, sp.oo)), mu / (mu + u)
).argued(
    "conditioning on the sojourn time",
    "the catastrophes are independent of the queue, so given T = x none falls into the sojourn time with probability "
    "exp(-u x); the average over the law of T is the transform at u",
)


# %% [markdown]
# ## Corollary 1
# Minus the derivatives at 0. Taken symbolically, as rational functions of $u$, for each vector; then compared with the printed
# recursions. For $w^{(2)}$ the print has a minus sign before the sum that does not belong there, as (24) and the derivative of (21)
# show: with exponential laws and one page before the tagged one it would give a negative time. The cost (2) uses $\bar V^{(1)}$ only, so Section 7 doesn't suffer from it.

# %%
def w1(m, last):
    vectors = v1(m, fmpq(0), last)
    result = [(m.S * -1).inv() * m.e(m.queue.service_phases)]
    for i in range(1, last + 1):
        result.append((m.A(i) * -1).inv() * (vectors[i] + B_hat(m, i - 1) * result[-1]))
    return result


def w2(m, last, sign=1):
    """The printed sum; sign = -1 is the print, with e of the length that fits."""
    result = [zeros(m.queue.service_phases, 1, m.S)]
    inverse = {i: m.A(i).inv() for i in range(last + 1)}

    def steps(i, first, beyond):
        product = m.I(shape(m.A(i - first))[0])
        for k in range(first, beyond):
            product = product * inverse[i - k] * B_hat(m, i - k - 1)
        return product

    for i in range(1, last + 1):
        total = own_clock(m, i) * 0
        for l in range(i):
            bracket = steps(i, 0, l) * inverse[i - l]
            for j in range(l):
                bracket = bracket + steps(i, 0, j) * inverse[i - j] * inverse[i - j] * B_hat(m, i - j - 1) * steps(i, j + 1, l)
            total = total + bracket * inverse[i - l] * own_clock(m, i - l) * (-1) ** l
        result.append(total * sign)
    return result


def derivative_at_0(entry, order):
    """The derivative of a rational function of u at 0, from the power series of numerator over denominator."""
    numerator, denominator = (sp.Poly(part, u).all_coeffs()[::-1] for part in sp.fraction(sp.cancel(entry)))

    def coefficient(coefficients, k):
        return coefficients[k] if k < len(coefficients) else 0

    series = []
    for k in range(order + 1):
        known = sum((coefficient(denominator, j) * series[k - j] for j in range(1, k + 1)), sp.S.Zero)
        series.append(sp.cancel((coefficient(numerator, k) - known) / denominator[0]))
    return sp.factorial(order) * series[order]


def minus_derivative(vector):
    return vector.applyfunc(lambda entry: -derivative_at_0(entry, 1))


@functools.cache
def symbolic_vectors(number, vectors):
    return vectors(QueueMatrices(queues[number]), u, queues[number].capacity - 1)


@functools.cache
def derivatives(number, vectors, order=1):
    """(-1)^order times the derivatives at 0 of all vectors of one queue, as rational functions of u."""
    return [
        v.applyfunc(lambda entry: (-1) ** order * derivative_at_0(entry, order))
        for v in symbolic_vectors(number, vectors)
    ]


def slopes_agree(formula, vectors, number, **change):
    m, last = QueueMatrices(queues[number]), queues[number].capacity - 1
    return all(
        same(to_sympy(w), slope) for w, slope in zip(formula(m, last, **change), derivatives(number, vectors), strict=True)
    )


def with_phases_up_to(largest):
    """Queues whose rational functions stay small."""
    return [
        number for number, queue in enumerate(queues)
        if queue.service_phases * queue.clock_phases ** (queue.capacity - 1) <= largest
    ]


small_enough = with_phases_up_to(8)
obsolete_mean = paper.claim("ADKNS-C1.w2")
true_mean = -sp.diff(obsolete_symbolic[1][0], u).subs(u, 0)
printed_mean = -(one.A(1).inv() * one.A(1).inv() * one.Gamma0)[0]
obsolete_mean.textual(
    version="2011", place="Corollary 1, w_i^{(2)}", words=r"-\sum_{l=0}^{i-1}(-1)^l", should_be=r"\sum_{l=0}^{i-1}(-1)^l",
)
obsolete_mean.misprint(true_mean, printed=printed_mean, corrected=-printed_mean, witness={mu: 1, g: 1})

# %%
obsolete_mean.instances(
    [n for n in small_enough if queues[n].capacity > 1], lambda number: slopes_agree(w2, v2, number),
    what="random queues: symbolic derivatives of all vectors",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"as printed": lambda number: slopes_agree(w2, v2, number, sign=-1)},
)


def w2_recursive(m, last):
    vectors = v2(m, fmpq(0), last)
    result = [zeros(m.queue.service_phases, 1, m.S)]
    for i in range(1, last + 1):
        result.append((m.A(i) * -1).inv() * (vectors[i] + B_hat(m, i - 1) * result[-1]))
    return result


paper.claim("ADKNS-X.w2-recursion").instances(
    waiting_room, lambda queue: all(
        same(a, b) for a, b in zip(*(f(QueueMatrices(queue), queue.capacity - 1) for f in (w2, w2_recursive)), strict=True)),
    what="random queues: sum against recursion", only_gross="an identity: a wrong side differs in every case", wrong={"as printed": lambda queue: all(
        same(a, b) for a, b in zip(w2(QueueMatrices(queue), queue.capacity - 1, sign=-1),
                                   w2_recursive(QueueMatrices(queue), queue.capacity - 1), strict=True))},
)
paper.claim("ADKNS-C1.w1").instances(
    small_enough, lambda number: slopes_agree(w1, v1, number), what="random queues: symbolic derivatives of all vectors",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"the other fate": lambda number: slopes_agree(w1, v2, number)},
)


def probability_served(m, last):
    """v_i^{(1)}(0) by the printed recursion."""
    result = [m.e(m.queue.service_phases)]
    for i in range(1, last + 1):
        result.append((m.A(i) * -1).inv() * B_hat(m, i - 1) * result[-1])
    return result


paper.claim("ADKNS-C1.v1").instances(
    queues, lambda queue: all(same(a, b) for a, b in zip(
        probability_served(QueueMatrices(queue), queue.capacity - 1), by_tagged_page(queue, "served", fmpq(0)), strict=True)),
    what="random queues, all vectors",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"the other fate": lambda queue: all(same(a, b) for a, b in zip(
        probability_served(QueueMatrices(queue), queue.capacity - 1), by_tagged_page(queue, "obsolete", fmpq(0)), strict=True))},
)

# %% [markdown]
# "Response time" is $\bar V^{(1)}$ in Section 2 and $\bar V$ here. Two slips in the print: the vector of ones has the wrong length, and the range of $i$ goes one too far while $w_0^{(2)} = 0$ is not given.

# %%
paper.claim("ADKNS-C1.w2-length").textual(
    version="2011", place="Corollary 1, end of w_i^{(2)}", words=r"(I_{MR^{i-l-1}} \otimes \Gamma_0) \mathbf{e}_M",
    should_be=r"(I_{MR^{i-l-1}} \otimes \Gamma_0) \mathbf{e}_{MR^{i-l-1}}",
)
paper.claim("ADKNS-C1.response-time").textual(
    version="2011", place="Corollary 1, first line", words="Average sojourn time (response time) V",
    should_be="average sojourn time V; the response time of (2) is V^{(1)}",
)
paper.claim("ADKNS-C1.range").textual(
    version="2011", place="below (25)", words=r"i = \overline{0, K}, m = 1,2",
    should_be=r"i = \overline{0, K-1}, m = 1, 2, with w_0^{(2)} = 0",
)


# %% [markdown]
# (25) is (19) differentiated, and (22) to (24) are (16) to (18). The means against the tagged page:

# %%
def averaged(number, i, k, vectors):
    """The right-hand side of (19) and (25) with SymPy vectors."""
    m = QueueMatrices(queues[number])
    places = range(1, min(k, queues[number].capacity - i) + 1)
    return functools.reduce(operator.add, (to_sympy(C(m, i, l)) * vectors[i + l - 1] / k for l in places))


def slope_of_average(number, i, k, factor=1):
    """(25) against the derivative of (19), which is differentiated as a whole."""
    m, last = QueueMatrices(queues[number]), queues[number].capacity - 1
    return all(
        same(
            to_sympy(v_ik(m, i, k, w(m, last))) * factor,
            minus_derivative(averaged(number, i, k, symbolic_vectors(number, v))),
        ) for w, v in ((w1, v1), (w2, v2))
    )


paper.claim("ADKNS-25").instances(
    [(n, i, k) for n in with_phases_up_to(4) for i in range(queues[n].capacity) for k in batches_into(queues[n], i)],
    lambda c: slope_of_average(*c),
    what="random queues, levels and batch sizes: symbolic derivatives",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"doubled": lambda c: slope_of_average(*c, factor=2)},
)


def means(queue, sign=1):
    """(22) to (24)."""
    m, rate, last = QueueMatrices(queue), rates[id(queue)], queue.capacity - 1
    success, obsolescence = (queue.event_rate(name) / rate for name in ("served", "obsolete"))
    totals = [
        sum(((p_ik(queue, i, k, rate) * v_ik(m, i, k, vectors))[0, 0] for i in range(queue.capacity)
             for k in batches_into(queue, i)), fmpq(0))
        for vectors in (w1(m, last), w2(m, last, sign))
    ]
    first, second = totals[0] / success, totals[1] / obsolescence
    return first * success + second * obsolescence, first, second


def means_by_words(queue):
    measures = queue.measures()
    return measures.sojourn, measures.sojourn_served, measures.sojourn_obsolete


for name, position in (("ADKNS-22", 0), ("ADKNS-23", 1), ("ADKNS-24", 2)):
    paper.claim(name).instances(
        waiting_room, lambda queue, position=position: bool(means(queue)[position] == means_by_words(queue)[position]),
        what="random queues",
        only_gross="an identity: a wrong side differs in every case",
        wrong={"another page's mean": lambda queue, position=position: bool(
            means(queue)[position] == means_by_words(queue)[(position + 1) % 3])},
    )
corollary = paper.claim("ADKNS-C1")
corollary.instances(
    waiting_room, lambda queue: means(queue) == means_by_words(queue), what="random queues, all three means",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"sign as printed": lambda queue: means(queue, sign=-1) == means_by_words(queue)},
    using=["ADKNS-22", "ADKNS-23", "ADKNS-24", "ADKNS-25", "ADKNS-C1.w1", "ADKNS-C1.w2"],
)


# %% [markdown]
# Little's law: the mean number of pages is the rate of arrivals times the mean sojourn time, lost pages counted with time 0.

# %%
def mean_number(queue, per_level=lambda i: i):
    return sum((per_level(i) * sum(queue.level_vector(i).tolist()[0], fmpq(0)) for i in range(queue.capacity + 1)), fmpq(0))


paper.claim("ADKNS-X.little").instances(
    waiting_room, lambda queue: bool(mean_number(queue) == rates[id(queue)] * means(queue)[0]), what="random queues",
    only_gross="an identity: a wrong side differs in every case",
    wrong={
        "sign as printed": lambda queue: bool(mean_number(queue) == rates[id(queue)] * means(queue, sign=-1)[0]),
        "accepted pages": lambda queue: bool(
            mean_number(queue) == (rates[id(queue)] - queue.event_rate("lost")) * means(queue)[0]),
    },
)

# %% [markdown]
# The same with symbols: two modes with batches of one and two, $K = 2$.

# %%
l1, l2, b1 = sp.symbols("l_1 l_2 b_1", positive=True)
small = ObsolescenceQueue(
    arrivals=[[[[-l1]], [[l1]], [[0]]], [[[-l2 - b1]], [[l2]], [[b1]]]], service=([1], [[-mu]]), obsolescence=([1], [[-g]]),
    capacity=2, active=(2, 1, 1),
)
by_level = [small.level_vector(i)[0, 0] for i in range(3)]
paper.claim("ADKNS-X.little").equal(
    small.measures().arrival_rate * small.measures().sojourn, sp.factor(by_level[1] + 2 * by_level[2])
)

# %% [markdown]
# Higher moments follow from the transforms: the second derivative at 0, as a rational function of $u$, against $2a(-T)^{-3}t$ of the tagged
# chain.


# %%
def second_moments(number, order=2):
    queue = queues[number]
    return [
        sum((
            (to_sympy(p_ik(queue, i, k, rates[id(queue)])) * averaged(number, i, k, derivatives(number, vectors, order)))[0]
            for i in range(queue.capacity) for k in batches_into(queue, i)), sp.S.Zero)
        for vectors in (v1, v2)
    ]


def second_moments_by_words(number):
    queue = queues[number]
    tagged = queue.tagged_page()
    inverse = resolvent(tagged.rates, fmpq(0))
    return [
        to_sympy(tagged.entry * inverse * inverse * inverse * exits * (2 / rates[id(queue)]))[0]
        for exits in (tagged.served, tagged.obsolete)
    ]


paper.claim("ADKNS-S5.moments").instances(
    [n for n in small_enough if queues[n].capacity > 1],
    lambda number: second_moments(number) == second_moments_by_words(number), what="random queues, second moments of both fates",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"first derivative": lambda number: second_moments(number, 1) == second_moments_by_words(number)},
)


# %% [markdown]
# ## Waiting times
# The abstract promises the mean time in the buffer; the formulas give the time in the system. The wait of a served page ends when it
# enters service, which then takes $b_1$ on average whatever has happened before.

# %%
def mean_wait_served(queue):
    """E[wait; served] per unit of time, from the tagged chain: places behind the server only."""
    tagged = queue.tagged_page()
    behind = [i for i, s in enumerate(tagged.states) if s[0] > 0]
    in_service = [i for i, s in enumerate(tagged.states) if s[0] == 0]
    inner = like([[tagged.rates[a, b] for b in behind] for a in behind], tagged.rates)
    into_service = like([[sum((tagged.rates[a, b] for b in in_service), fmpq(0))] for a in behind], tagged.rates)
    entry = like([[tagged.entry[0, a] for a in behind]], tagged.rates)
    inverse = resolvent(inner, fmpq(0))
    return (entry * inverse * inverse * into_service)[0, 0]


def mean_service(queue):
    m = QueueMatrices(queue)
    return (m.beta * (m.S * -1).inv() * m.e(queue.service_phases))[0, 0]


def waits_agree(queue, service_mean):
    served, obsolete = queue.event_rate("served"), queue.event_rate("obsolete")
    _, first, second = means(queue)
    return bool(
        mean_wait_served(queue) / served == first - service_mean
        and mean_number(queue, lambda i: max(i - 1, 0)) == served * (first - service_mean) + obsolete * second
    )


paper.claim("ADKNS-X.waiting-time").instances(
    waiting_room, lambda queue: waits_agree(queue, mean_service(queue)), what="random queues",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"sojourn time": lambda queue: waits_agree(queue, fmpq(0))},
)
paper.claim("ADKNS-A1").textual(
    version="2011", place="Abstract", words="the average time waiting in the buffer", should_be="the average sojourn time",
)


# %% [markdown]
# ## Section 6: single arrivals

# %%
singles = [
    random_queue(90 + i, arrival_phases=W, service_phases=M, clock_phases=R, capacity=K, robots=len(t) + 1, largest_batch=1,
                 thresholds=t)
    for i, (W, M, R, K, t) in enumerate(((2, 2, 2, 3, (1,)), (1, 2, 3, 3, (0, 1)), (3, 2, 1, 4, (0, 0, 2)), (2, 1, 2, 4, ())))
]
rates |= {id(queue): queue.event_rate("delivered") for queue in singles}


def by_section_6(queue, vectors, pages):
    """1/(lambda P) times the sum over i of p_i (D_1 e ⊗ I) C_{i,1} times the vector."""
    m = QueueMatrices(queue)
    return sum((
        (queue.level_vector(i) * kron(m.D(queue.active[i], 1) * m.e(queue.arrival_phases), m.I(m.phases(i)))
         * C(m, i, 1) * vectors[i])[0, 0] for i in range(queue.capacity)), fmpq(0)) / pages


def single_transforms(queue, u):
    m, last = QueueMatrices(queue), queue.capacity - 1
    return (
        by_section_6(queue, v1(m, u, last), queue.event_rate("served")),
        by_section_6(queue, v2(m, u, last), queue.event_rate("obsolete")),
    )


def single_means(queue, sign=1):
    m, last = QueueMatrices(queue), queue.capacity - 1
    return (
        by_section_6(queue, w1(m, last), queue.event_rate("served")),
        by_section_6(queue, w2(m, last, sign), queue.event_rate("obsolete")),
    )


paper.claim("ADKNS-S6.transforms").instances(
    list(itertools.product(singles, arguments)), lambda c: single_transforms(*c) == transforms_by_words(*c)[1:],
    what="random queues with single arrivals, and u",
    wrong={"exchanged": lambda c: single_transforms(*c) == transforms_by_words(*c)[:0:-1]},
)
paper.claim("ADKNS-S6.means").instances(
    singles, lambda queue: single_means(queue) == means_by_words(queue)[1:], what="random queues with single arrivals",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"sign as printed": lambda queue: single_means(queue, sign=-1) == means_by_words(queue)[1:]},
    using=["ADKNS-23", "ADKNS-24", "ADKNS-C1.w2"],
)

# %% [markdown]
# ## Played through
# The same queue as in Section 4's notebook: deadlines and service times are sampled, no phases. Times in the system per page, by fate.

# %%
played = {
    "batch_rates": [{1: 0.8, 2: 0.3}, {1: 1.2, 3: 0.5}], "capacity": 4, "active": (2, 2, 1, 1, 1),
    "service": lambda rng: rng.gamma(2, 1 / 3),
    "deadline": lambda rng: rng.exponential(1 / 2 if rng.random() < 0.7 else 5.0),
}


def exact_queue(thresholds):
    return ObsolescenceQueue(
        arrivals=[[[["-1.1"]], [["0.8"]], [["0.3"]]], [[["-1.7"]], [["1.2"]], [[0]], [["0.5"]]]],
        service=([1, 0], [[-3, 3], [0, -3]]), obsolescence=(["0.7", "0.3"], [[-2, 0], [0, "-0.2"]]), capacity=4,
        active=active_robots(thresholds, (2, 1), 4),
    )


cycles = {}


def ratio(numerator, denominator):
    """Both ratios come from the same cycles, which are played once."""
    def simulate(rng, runs):
        if not cycles:
            cycles.update(simulate_cycles(rng, runs, **played))
        return cycles[numerator], cycles[denominator]
    return simulate


example = exact_queue((1,)).measures()
for numerator, denominator, expected in (
    ("time_served", "served", example.sojourn_served), ("time_obsolete", "obsolete", example.sojourn_obsolete),
):
    corollary.simulated(
        ratio(numerator, denominator), sp.Rational(int(expected.p), int(expected.q)), seed=22, runs=50_000, resolution=0.02,
        what=f"{numerator} per page",
    )

# %%
figure, axes = plt.subplots(figsize=(6, 3.2))
curves = {"served": [], "obsolete": []}
for threshold in range(5):
    values = exact_queue((threshold,)).measures()
    for name, column in curves.items():
        value = getattr(values, f"sojourn_{name}")
        column.append(int(value.p) / int(value.q))
for name, column in curves.items():
    axes.plot(range(5), column, "o-", label=f"{name} pages")
axes.set(xlabel="threshold $j_1$", xticks=range(5), ylabel="mean sojourn time", title="Two modes, K = 4")
axes.legend()
plt.show()
