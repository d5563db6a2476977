# %% [markdown]
# # Section 4: starvation, robots, loss, obsolescence
#
# The measures (5) to (15) are sums over the stationary law. Each of them is compared with what it means: the rate of the events
# (pages delivered, lost, served, obsolete) in the enumerated chain, exactly in rationals. At the end the queue is played through
# with sampled deadlines, which uses neither phases nor formulas.

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from flint import fmpq

from claimproof import Paper
from crawlproof.models.instances import random_queue
from crawlproof.models.kronecker import kron, shape
from crawlproof.models.matrices import QueueMatrices
from crawlproof.models.obsolescence_queue import ObsolescenceQueue, active_robots
from crawlproof.models.simulation import simulate_cycles

paper = Paper("adkns")

# %% [markdown]
# ## Instances
# Random queues with up to four modes and batches that may exceed the buffer; among the thresholds are some that coincide.

# %%
settings = [  # W', M, R, K, largest batch, thresholds
    (1, 1, 1, 1, 2, (0,)), (2, 2, 2, 3, 2, (1,)), (2, 2, 2, 4, 3, (0, 1, 3)), (3, 2, 1, 5, 4, (1, 1)),
    (1, 3, 2, 4, 2, (2, 2, 2)), (2, 1, 3, 3, 5, (0, 2)), (1, 2, 4, 3, 1, ()), (2, 2, 1, 6, 4, (0, 2, 4)),
]
queues = [
    (
        random_queue(
            seed, arrival_phases=W, service_phases=M, clock_phases=R, capacity=K, robots=len(thresholds) + 1,
            largest_batch=batch, thresholds=thresholds,
        ), thresholds,
    ) for seed, (W, M, R, K, batch, thresholds) in enumerate(settings)
]


def segments(queue, thresholds):
    """(mode N - n, level i) with j_n + 1 <= i <= j_{n+1}, n = 0, ..., N - 1: the double sum of (8), (9), (11), (12)."""
    N, bounds = len(thresholds) + 1, (-1, *thresholds, queue.capacity)
    return [(N - n, i) for n in range(N) for i in range(bounds[n] + 1, bounds[n + 1] + 1)]


def at_level(queue, i, matrix):
    """p_i (matrix ⊗ I) e."""
    m = QueueMatrices(queue)
    product = queue.level_vector(i) * kron(matrix, m.I(m.phases(i)))
    return (product * m.e(shape(product)[1]))[0, 0]


def mass(queue, i):
    return sum(queue.level_vector(i).tolist()[0], fmpq(0))


# %% [markdown]
# ## Theorem 1: starvation and active robots
# (5) is the probability of level 0. A check from another side: the server works when the system is not empty, so it completes
# $\lambda P_{success}$ pages of mean length $b_1$ in the fraction $1 - P_{star}$ of the time.

# %%
measures = [queue.measures() for queue, _ in queues]
numbered = list(enumerate(queues))


def mean_service(queue):
    m = QueueMatrices(queue)
    return (m.beta * (m.S * -1).inv() * m.e(queue.service_phases))[0, 0]


def idle_by_work(number):
    queue = queues[number][0]
    return 1 - queue.event_rate("served") * mean_service(queue)


starving = {
    "level 1": lambda c: bool(mass(c[1][0], 1) == idle_by_work(c[0])),
    "a full system": lambda c: bool(mass(c[1][0], c[1][0].capacity) == idle_by_work(c[0])),
}
paper.claim("ADKNS-5").instances(
    numbered, lambda c: bool(mass(c[1][0], 0) == idle_by_work(c[0])), what="random queues, against the server's work",
    only_gross="an identity: a wrong side differs in every case",
    wrong=starving,
)
paper.claim("ADKNS-X.utilisation").instances(
    numbered, lambda c: bool(measures[c[0]].arrival_rate * measures[c[0]].success * mean_service(c[1][0])
                             == 1 - measures[c[0]].starvation),
    what="random queues", wrong={"with all accepted pages": lambda c: bool(
        measures[c[0]].arrival_rate * (1 - measures[c[0]].loss) * mean_service(c[1][0]) == 1 - measures[c[0]].starvation)},
)


# %% [markdown]
# (7): $n$ robots are active for $j_{N-n} + 1 \le i \le j_{N-n+1}$. By the words: sum the probabilities of all states in which
# that many are active.

# %%
def phi_printed(queue, thresholds, n, shift=0):
    N, bounds = len(thresholds) + 1, (-1, *thresholds, queue.capacity)
    return sum((mass(queue, i) for i in range(bounds[N - n] + 1 + shift, bounds[N + 1 - n] + 1)), fmpq(0))


def phi_words(queue, n):
    return sum((p for s, p in queue.probabilities.items() if queue.active[s[0]] == n), fmpq(0))


robots = [(queue, t, n) for queue, t in queues for n in range(1, len(t) + 2)]
paper.claim("ADKNS-7").instances(
    robots, lambda c: bool(phi_printed(*c) == phi_words(c[0], c[2])), what="random queues and numbers of robots",
    wrong={"one level late": lambda c: bool(phi_printed(*c, shift=1) == phi_words(c[0], c[2]))},
)
paper.claim("ADKNS-6").instances(
    numbered, lambda c: bool(
        sum((n * phi_printed(*c[1], n) for n in range(1, len(c[1][1]) + 2)), fmpq(0)) == measures[c[0]].active_robots),
    what="random queues", only_gross="an identity: a wrong side differs in every case", wrong={"deactivated robots": lambda c: bool(sum(
        ((len(c[1][1]) + 1 - n) * phi_printed(*c[1], n) for n in range(1, len(c[1][1]) + 2)), fmpq(0))
        == measures[c[0]].active_robots)},
)


# %% [markdown]
# ## Theorem 2: loss
# (9) is the rate of delivered pages, those included that are lost.

# %%
def rate_printed(queue, thresholds):
    m = QueueMatrices(queue)
    return sum(
        (k * at_level(queue, i, m.D(mode, k)) for mode, i in segments(queue, thresholds)
         for k in range(1, m.largest_batch + 1)), fmpq(0)
    )


paper.claim("ADKNS-9").instances(
    numbered, lambda c: bool(rate_printed(*c[1]) == c[1][0].event_rate("delivered")), what="random queues",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"accepted pages only": lambda c: bool(
        rate_printed(*c[1]) == c[1][0].event_rate("delivered") - c[1][0].event_rate("lost"))},
)

# %% [markdown]
# The proof: condition on the size of the batch and on the level that it finds. Batches by level and size, from the events:


# %%
def batches_found(queue):
    """Rate of batches by (level found, size)."""
    result = {}
    for state, p in queue.probabilities.items():
        for event in queue.events(state):
            if event.delivered:
                key = state[0], event.delivered
                result[key] = result.get(key, fmpq(0)) + p * event.rate
    return result


found = [batches_found(queue) for queue, _ in queues]


def P_level(queue, thresholds, i, k):
    """(11): a batch of k finds i pages."""
    m = QueueMatrices(queue)
    mode = next(mode for mode, level in segments(queue, thresholds) if level == i)
    total = sum((at_level(queue, level, m.D(n, k)) for n, level in segments(queue, thresholds)), fmpq(0))
    return at_level(queue, i, m.D(mode, k)) / total


def P_size(queue, thresholds, k):
    """(12): a page belongs to a batch of k."""
    m = QueueMatrices(queue)
    return sum((k * at_level(queue, i, m.D(n, k)) for n, i in segments(queue, thresholds)), fmpq(0)) / rate_printed(
        queue, thresholds)


def Phi(queue, i, k):
    """(13): a page of such a batch is accepted."""
    return fmpq(1) if k <= queue.capacity - i else fmpq(queue.capacity - i, k)


pairs = [
    (number, i, k) for number, (queue, _) in enumerate(queues) for i in range(queue.capacity + 1)
    for k in range(1, QueueMatrices(queue).largest_batch + 1)
]


def level_given_size(number, i, k):
    of_size = sum((rate for (_, size), rate in found[number].items() if size == k), fmpq(0))
    return found[number].get((i, k), fmpq(0)) / of_size


paper.claim("ADKNS-11").instances(
    pairs, lambda c: bool(P_level(*queues[c[0]], *c[1:]) == level_given_size(*c)), what="random queues, levels and batch sizes",
    wrong={"time average": lambda c: bool(mass(queues[c[0]][0], c[1]) == level_given_size(*c))},
)
paper.claim("ADKNS-11.range").textual(
    version="2011", place="below (11)", words=r"n = \overline{1, N-1}", should_be=r"n = \overline{0, N-1}",
)


def size_of_batch(number, k):
    pages = sum((size * rate for (_, size), rate in found[number].items()), fmpq(0))
    return sum((size * rate for (_, size), rate in found[number].items() if size == k), fmpq(0)) / pages


sizes = sorted({(number, k) for number, _, k in pairs})
paper.claim("ADKNS-12").instances(
    sizes, lambda c: bool(P_size(*queues[c[0]], c[1]) == size_of_batch(*c)), what="random queues and batch sizes",
    wrong={"share of batches": lambda c: bool(P_size(*queues[c[0]], c[1]) == size_of_batch(*c) / c[1])},
)
accepting = [
    (queue, i, k) for queue, _ in queues for i in range(queue.capacity + 1)
    for k in range(1, QueueMatrices(queue).largest_batch + 1)
]


def accepted_share(queue, i, k):
    """From the events: what part of a batch of k that finds i pages enters. All such events agree on it."""
    return {
        fmpq(event.delivered - event.lost, event.delivered)
        for state in queue.level_states(i) for event in queue.events(state) if event.delivered == k
    }


paper.claim("ADKNS-13").instances(
    accepting, lambda c: accepted_share(*c) == {Phi(*c)}, what="random queues, levels and batch sizes",
    wrong={"all or nothing": lambda c: accepted_share(*c) == {fmpq(int(c[2] <= c[0].capacity - c[1]))}},
)


# %%
def loss_by_10(queue, thresholds, accepted=Phi):
    m = QueueMatrices(queue)
    return 1 - sum(
        (P_level(queue, thresholds, i, k) * P_size(queue, thresholds, k) * accepted(queue, i, k)
         for i in range(queue.capacity + 1) for k in range(1, m.largest_batch + 1)), fmpq(0)
    )


def loss_by_8(queue, thresholds, first=0):
    m, K = QueueMatrices(queue), queue.capacity
    total = sum(
        ((k - K + i) * at_level(queue, i, m.D(mode, k)) for mode, i in segments(queue, thresholds)
         for k in range(first, K - i + 1)), fmpq(0)
    )
    return 1 - total / rate_printed(queue, thresholds)


paper.claim("ADKNS-10").instances(
    numbered, lambda c: bool(loss_by_10(*c[1]) == measures[c[0]].loss), what="random queues",
    wrong={"whole batches rejected": lambda c: bool(loss_by_10(
        *c[1], accepted=lambda queue, i, k: fmpq(int(k <= queue.capacity - i))) == measures[c[0]].loss)},
)
paper.claim("ADKNS-8").instances(
    numbered, lambda c: bool(loss_by_8(*c[1]) == measures[c[0]].loss), what="random queues",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"sum from k = 1": lambda c: bool(loss_by_8(*c[1], first=1) == measures[c[0]].loss)},
)

# %% [markdown]
# Substitution: at one level with $n = K - i$ free places, $\sum_kk\Phi\,d_k = \sum_k\min(k, n)d_k$ for the rates $d_k$ of batches. The rates of a row
# sum to zero with $d_0$ in it, so subtracting $n$ of everything costs nothing and removes all terms beyond $n$:
# $\sum_{k=0}^n(k - n)d_k$. That is (8).

# %%
nothing = sp.Symbol("d_0", real=True)
rates = sp.symbols("d_1:7", positive=True)
row = nothing + sum(rates)  # the row of D(1), which sums to 0
substitution = paper.claim("ADKNS-8.substitution")
for free in range(1, 5):  # with no place free both sides are empty
    accepted = sum(min(k, free) * d for k, d in enumerate(rates, start=1))
    as_printed = sum((k - free) * d for k, d in enumerate((nothing, *rates)) if k <= free)
    substitution.equal(accepted - as_printed, sp.Mul(free, row, evaluate=False))

# %% [markdown]
# ## Theorem 3: obsolescence and success


# %%
def obsolescence_printed(queue, rate, first=2):
    m = QueueMatrices(queue)
    total = fmpq(0)
    for i in range(first, queue.capacity + 1):
        product = queue.level_vector(i) * kron(m.I(queue.arrival_phases), m.I(queue.service_phases), m.Gamma0_sum(i - 1))
        total += (product * m.e(shape(product)[1]))[0, 0]
    return total / rate


def success_printed(queue, rate, last=0):
    m = QueueMatrices(queue)
    total = fmpq(0)
    for i in range(1, queue.capacity + 1 - last):
        product = queue.level_vector(i) * kron(m.I(queue.arrival_phases), m.S0, m.I(queue.clock_phases ** (i - 1)))
        total += (product * m.e(shape(product)[1]))[0, 0]
    return total / rate


paper.claim("ADKNS-14").instances(
    numbered, lambda c: bool(obsolescence_printed(c[1][0], measures[c[0]].arrival_rate) == measures[c[0]].obsolescence),
    what="random queues", using=["ADKNS-4", "ADKNS-9", "ADKNS-X.column-sum"],
    wrong={"from level 3": lambda c: bool(
        obsolescence_printed(c[1][0], measures[c[0]].arrival_rate, first=3) == measures[c[0]].obsolescence)},
)
paper.claim("ADKNS-15").instances(
    numbered, lambda c: bool(success_printed(c[1][0], measures[c[0]].arrival_rate) == measures[c[0]].success),
    what="random queues", only_gross="an identity: a wrong side differs in every case", wrong={"without level K": lambda c: bool(
        success_printed(c[1][0], measures[c[0]].arrival_rate, last=1) == measures[c[0]].success)},
)

# %% [markdown]
# The three fates sum to 1: every delivered page has exactly one. In the chain: let $h$ be the number of pages of a state. Then
# $(Qh)$ is, state by state, the rate of accepted minus served minus obsolete pages, and $pQh = 0$. With symbols:

# %%
l1, l2, b1, b2, mu, nu, g1, g2, q = sp.symbols("l_1 l_2 b_1 b_2 mu nu g_1 g_2 q", positive=True)
symbolic = ObsolescenceQueue(
    arrivals=[[[[-l1 - b1]], [[l1]], [[0]], [[b1]]], [[[-l2 - b2]], [[l2]], [[b2]]]],
    service=([q, 1 - q], [[-mu, 0], [0, -nu]]), obsolescence=([q, 1 - q], [[-g1, g1 / 2], [0, -g2]]),
    capacity=3, active=(2, 2, 1, 1),
)


def drift(queue, state):
    """(Qh)(state): from the generator."""
    row = queue.states.index(state)
    return sum(queue.generator[row, j] * other[0] for j, other in enumerate(queue.states))


def page_balance(queue, state, counted=("served", "obsolete")):
    return sum(
        event.rate * (event.delivered - event.lost - sum(getattr(event, name) for name in counted))
        for event in queue.events(state)
    )


balance = paper.claim("ADKNS-X.balance")
balance.instances(
    symbolic.states, lambda s: sp.expand(drift(symbolic, s) - page_balance(symbolic, s)) == 0,
    what="states of a symbolic queue with K = 3",
    wrong={"clocks forgotten": lambda s: sp.expand(drift(symbolic, s) - page_balance(symbolic, s, ("served",))) == 0},
)
fates = paper.claim("ADKNS-X.fates")
fates.instances(
    numbered, lambda c: bool(
        loss_by_8(*c[1]) + obsolescence_printed(c[1][0], rate_printed(*c[1])) + success_printed(c[1][0], rate_printed(*c[1])) == 1),
    what="random queues, by (8), (14) and (15)",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"without loss": lambda c: bool(
        obsolescence_printed(c[1][0], rate_printed(*c[1])) + success_printed(c[1][0], rate_printed(*c[1])) == 1)},
)

# %% [markdown]
# ## Section 6: single arrivals
# The loss formula has mode 1 at level $K$, as it must with the strict inequalities $\dots < j_{N-1} < j_N = K$. With the non-strict
# ones that Section 2 also mentions, $j_{N-1} = K$ is possible, and then another mode is at work there: $\chi(K)$.

# %%
poisson = ObsolescenceQueue(
    arrivals=[[[[-l1]], [[l1]]], [[[-l2]], [[l2]]]], service=([1], [[-mu]]), obsolescence=([1], [[-g1]]), capacity=2,
    active=active_robots((2,), (2, 1), 2),
)
any_mode = paper.claim("ADKNS-X.loss-mode")
any_mode.equal(poisson.event_rate("lost"), sp.factor(poisson.level_vector(2)[0, 0]) * l2)

singles = [
    (random_queue(50 + i, arrival_phases=W, service_phases=M, clock_phases=R, capacity=K, robots=len(t) + 1, largest_batch=1,
                  thresholds=t), t)
    for i, (W, M, R, K, t) in enumerate(((2, 2, 2, 3, (1,)), (1, 2, 3, 4, (0, 2)), (3, 2, 1, 5, (0, 0, 3)), (2, 1, 2, 4, ())))
]


def loss_at_K(queue, mode):
    return at_level(queue, queue.capacity, QueueMatrices(queue).D(mode, 1))


paper.claim("ADKNS-S6.loss").instances(
    singles, lambda c: bool(loss_at_K(c[0], 1) == c[0].event_rate("lost")), what="random queues with single arrivals",
    wrong={"mode N": lambda c: bool(loss_at_K(c[0], len(c[0].arrivals)) == c[0].event_rate("lost"))},
)
up_to_K = [
    random_queue(60 + i, arrival_phases=2, service_phases=2, clock_phases=1, capacity=K, robots=len(t) + 1, largest_batch=1,
                 thresholds=t)
    for i, (K, t) in enumerate(((2, (2,)), (3, (1, 3)), (3, (3, 3)), (3, (0, 1))))
]
any_mode.instances(
    up_to_K, lambda queue: bool(loss_at_K(queue, queue.active[queue.capacity]) == queue.event_rate("lost")),
    what="random queues with single arrivals, last threshold up to K",
    wrong={"mode 1": lambda queue: bool(loss_at_K(queue, 1) == queue.event_rate("lost"))},
)


def single_rate(queue, thresholds):
    return sum((at_level(queue, i, QueueMatrices(queue).D(mode, 1)) for mode, i in segments(queue, thresholds)), fmpq(0))


paper.claim("ADKNS-S6.rate").instances(
    singles, lambda c: bool(single_rate(*c) == c[0].event_rate("delivered")), what="random queues with single arrivals",
    wrong={"modes in reverse": lambda c: bool(sum(
        (at_level(c[0], i, QueueMatrices(c[0]).D(len(c[1]) + 2 - mode, 1)) for mode, i in segments(*c)), fmpq(0))
        == c[0].event_rate("delivered"))},
)

# %% [markdown]
# ## Played through
# Poisson batches in two modes, $K = 4$; service in two exponential stages; deadlines from a hyperexponential law, sampled page by
# page. No phases, no matrices: a list of pages with the time at which each becomes obsolete.

# %%
played = {
    "batch_rates": [{1: 0.8, 2: 0.3}, {1: 1.2, 3: 0.5}], "capacity": 4, "active": (2, 2, 1, 1, 1),
    "service": lambda rng: rng.gamma(2, 1 / 3),
    "deadline": lambda rng: rng.exponential(1 / 2 if rng.random() < 0.7 else 5.0),
}
exact = ObsolescenceQueue(
    arrivals=[[[["-1.1"]], [["0.8"]], [["0.3"]]], [[["-1.7"]], [["1.2"]], [[0]], [["0.5"]]]],
    service=([1, 0], [[-3, 3], [0, -3]]), obsolescence=(["0.7", "0.3"], [[-2, 0], [0, "-0.2"]]), capacity=4,
    active=(2, 2, 1, 1, 1),
).measures()


cycles = {}


def ratio(numerator, denominator):
    """A ratio of means over the same cycles, as ``simulated`` expects it; they are played once for all measures."""
    def simulate(rng, runs):
        if not cycles:
            cycles.update(simulate_cycles(rng, runs, **played))
        return cycles[numerator], cycles[denominator]
    return simulate


# Rare events (a lost page, an empty system) need a hundred times the cycles to be seen within 1 %.
for name, numerator, denominator, expected, resolution in (
    ("ADKNS-5", "empty", "duration", exact.starvation, 0.03), ("ADKNS-6", "robot_time", "duration", exact.active_robots, 0.01),
    ("ADKNS-9", "delivered", "duration", exact.arrival_rate, 0.015), ("ADKNS-8", "lost", "delivered", exact.loss, 0.07),
    ("ADKNS-14", "obsolete", "delivered", exact.obsolescence, 0.015),
    ("ADKNS-15", "served", "delivered", exact.success, 0.015),
):
    paper.claim(name).simulated(
        ratio(numerator, denominator), sp.Rational(int(expected.p), int(expected.q)),
        seed=2011, runs=60_000, resolution=resolution, what=f"{numerator} per {denominator}",
    )

# %%
figure, axes = plt.subplots(figsize=(6, 3.2))
series = {"loss": [], "obsolescence": [], "success": []}
thresholds = range(5)
for threshold in thresholds:
    values = ObsolescenceQueue(
        arrivals=[[[["-1.1"]], [["0.8"]], [["0.3"]]], [[["-1.7"]], [["1.2"]], [[0]], [["0.5"]]]],
        service=([1, 0], [[-3, 3], [0, -3]]), obsolescence=(["0.7", "0.3"], [[-2, 0], [0, "-0.2"]]), capacity=4,
        active=active_robots((threshold,), (2, 1), 4),
    ).measures()
    for name, column in series.items():
        value = getattr(values, name)
        column.append(int(value.p) / int(value.q))
bottom = np.zeros(len(thresholds))
for name, column in series.items():
    axes.bar(list(thresholds), column, bottom=bottom, label=name)
    bottom = bottom + np.array(column)
axes.set(xlabel="threshold $j_1$", ylabel="probability", title="The fate of a page")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()
