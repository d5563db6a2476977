# %% [markdown]
# # Section 7: what the examples start from
#
# Avrachenkov, Dudin, Klimenok, Nain and Semenova, Section 7, before Table 1: four arrival processes, a
# service law, an obsolescence law, and the first numbers computed from them. All printed numbers are in
# `printed.toml`, as text; here they are read, repaired where they can't be rates, and recomputed as exact
# rationals.

# %%
import sympy as sp
from flint import fmpq, fmpq_mat

from claimproof import Paper
from claimproof.core.project import Project
from claimproof.engines.exact import stationary
from crawlproof.models.obsolescence_queue import ObsolescenceQueue
from crawlproof.models.printed_examples import (
    Example,
    common_exit_rate,
    exact_law,
    exact_matrix,
    lumped,
    mean,
    row_sums,
    with_signs_of_rates,
)
from crawlproof.models.printed_numbers import PrintedNumbers, compare, one_up, report

paper = Paper("adkns")
printed = PrintedNumbers.load(Project.find().derivations / "adkns" / "printed.toml")
first = printed.inputs["first"]

# %% [markdown]
# ## The arrival matrices
# Rates can't be negative and the rows of $D^{(r)}(1)$ must sum to 0. As printed, this fails in two modes:

# %%
as_printed = [[exact_matrix(m) for m in mode] for mode in first["arrivals"]]
repaired = [with_signs_of_rates(mode) for mode in as_printed]
for r, (before, after) in enumerate(zip(as_printed, repaired, strict=True), start=1):
    changed = [
        f"D_{k}[{i + 1},{j + 1}] printed {before[k][i][j]}"
        for k, matrix in enumerate(before) for i, row in enumerate(matrix) for j, v in enumerate(row)
        if v != after[k][i][j]
    ]
    print(f"mode {r}: rows of D(1) sum to {row_sums(before)}, with the signs of rates to {row_sums(after)}", *changed, sep="\n  ")

# %% [markdown]
# The place of an entry decides its sign: minus on the diagonal of $D_0$, plus elsewhere. With these signs
# all rows sum to 0 exactly, so the three signs are the whole slip. (Printed or scanned: the two can't be
# told apart here. The rates below agree only with the repaired matrices.)


# %%
def rational(value: fmpq) -> sp.Rational:
    return sp.Rational(int(value.p), int(value.q))


def row_of_sum(matrices, row):
    """The row sum of D(1), left as a sum of its entries."""
    return sp.Add(*(rational(v) for m in matrices for v in m[row]), evaluate=False)


arrivals = paper.claim("ADKNS-7.arrivals")
for mode, row in ((2, 0), (3, 1)):
    arrivals.misprint(
        sp.Integer(0), printed=row_of_sum(as_printed[mode - 1], row), corrected=row_of_sum(repaired[mode - 1], row),
        witness={},
    )

# %% [markdown]
# ## Rates and correlations
# With $\theta D(1) = 0$, $\theta e = 1$: $\lambda = \theta \sum_k k D_k e$ and $\lambda_g = \theta \sum_{k \ge 1} D_k e$. Between
# batches the phase moves by $P = (-D_0)^{-1}(D(1) - D_0)$; with its stationary vector $\pi$, an interval has the
# moments $\pi(-D_0)^{-1}e$ and $2\pi(-D_0)^{-2}e$, and two successive ones have
# $E[T_0 T_1] = \pi(-D_0)^{-1}P(-D_0)^{-1}e$. This is from the definitions, not from Section 2's formulas.


# %%
def total(matrices, weights):
    """The sum of matrices with weights, as an exact matrix."""
    size = len(matrices[0])
    return fmpq_mat([[sum((w * m[i][j] for w, m in zip(weights, matrices, strict=True)), fmpq(0)) for j in range(size)] for i in range(size)])


def arrival_statistics(matrices):
    """Rate, rate of batches, and lag-1 correlation of the intervals between batches."""
    ones = fmpq_mat([[1] for _ in matrices[0]])
    generator, batches = total(matrices, [1] * len(matrices)), total(matrices, range(len(matrices)))
    with_batch = total(matrices[1:], [1] * (len(matrices) - 1))
    minus_d0 = -total(matrices[:1], [1])
    theta = fmpq_mat([stationary(generator)])
    jump = minus_d0.solve(with_batch)
    pi = fmpq_mat([stationary(jump)])
    interval = minus_d0.solve(ones)
    first_moment, second_moment = (pi * interval)[0, 0], 2 * (pi * minus_d0.solve(interval))[0, 0]
    product = (pi * minus_d0.solve(jump * interval))[0, 0]
    return {
        "rate": (theta * batches * ones)[0, 0],
        "batch_rate": (theta * with_batch * ones)[0, 0],
        "correlation": (product - first_moment**2) / (second_moment - first_moment**2),
    }


statistics = {str(r): arrival_statistics(mode) for r, mode in enumerate(repaired, start=1)}
rate_cells = [
    cell for measure in ("rate", "batch_rate")
    for cell in printed.text_cells("first", measure, {r: values[measure] for r, values in statistics.items()})
]
correlation_cells = printed.text_cells("first", "correlation", {r: values["correlation"] for r, values in statistics.items()})
print(report(rate_cells + correlation_cells))


# %%
def agrees(cell):
    return cell.agreement.agrees


def next_number_agrees(cell):
    return compare(one_up(cell.printed), cell.value).agrees


def by_robots(measure):
    """A family of exact numbers, by the number of robots."""
    return lambda r: rational(statistics[str(r)][measure])


paper.claim("ADKNS-7.rates").as_stated(lam=by_robots("rate"), lamg=by_robots("batch_rate"))
paper.claim("ADKNS-7.correlations").as_stated(ccor=by_robots("correlation"))

# %% [markdown]
# ## The two laws

# %%
service, obsolescence = exact_law(first["service"]), exact_law(first["obsolescence"])
mean_cells = printed.text_cells("first", "mean", {"service": mean(service), "obsolescence": mean(obsolescence)})
print(report(mean_cells))
paper.claim("ADKNS-7.means").as_stated(b1=rational(mean(service)), g1=rational(mean(obsolescence)))

# %% [markdown]
# ## Exponential in disguise
# Both rows of $\Gamma$ sum to $-1/5$: whatever phase the clock of a page is in, it rings at rate $1/5$. Then the
# phase tells nothing, and the time until the clock rings is exponential. In transforms, with any initial
# vector $(g, 1 - g)$:

# %%
gamma, G = obsolescence
print("exit rates:", [-sum(row, fmpq(0)) for row in G], "common:", common_exit_rate(obsolescence))
p, u = paper.symbols("p u")
Gamma = sp.Matrix([[rational(v) for v in row] for row in G])
exit_rates = -Gamma * sp.ones(2, 1)
transform = (sp.Matrix([[p, 1 - p]]) * (u * sp.eye(2) - Gamma).inv() * exit_rates)[0]
disguise = paper.claim("ADKNS-X.exponential-in-disguise")
disguise.exact([rational(common_exit_rate(obsolescence))] * 2, list(exit_rates))
disguise.as_stated(transform=transform, sample={"p": (0, 1), "u": (0, 10)}, corners=[{"p": 0}, {"p": 1}, {"p": sp.Rational(3, 10)}])

# %% [markdown]
# The whole chain lumps. From a state with the phases of all waiting pages, the rate into each class (pages,
# arrival phase, service phase) is the same for all states of a class, namely the rate of the chain with one
# clock phase. Checked state by state on the enumerated chain, where a law with two exit rates fails:

# %%
example = Example.first(first)
POLICIES = ((3, 3, 3, 1, 1, 1), (4, 3, 3, 1, 1, 1), (2, 2, 2, 2, 2, 2))


def rates_into_classes(queue: ObsolescenceQueue, state):
    """The total rate from a state into each class (pages, arrival phase, service phase) other than its own."""
    rates = {}
    for event in queue.events(state):
        if event.target[:3] != state[:3]:
            rates[event.target[:3]] = rates.get(event.target[:3], fmpq(0)) + event.rate
    return rates


def lumps(queue: ObsolescenceQueue, small: ObsolescenceQueue, state) -> bool:
    one_phase = (*state[:3], *(1 for _ in state[3:]))
    return rates_into_classes(queue, state) == rates_into_classes(small, one_phase)


def cases(law):
    """Every state of the chain with this law, for some capacities and policies, beside the lumped chain."""
    return [
        (queue, small, state)
        for capacity in (1, 2, 4, 5) for policy in POLICIES
        for queue, small in [(
            example.changed(obsolescence=law, capacity=capacity).queue(policy[: capacity + 1]),
            example.changed(obsolescence=lumped(obsolescence), capacity=capacity).queue(policy[: capacity + 1]),
        )]
        for state in queue.states
    ]


not_exponential = (gamma, ((fmpq(-3, 5), fmpq(2, 5)), (fmpq(1, 10), fmpq(-2, 5))))
one_phase = paper.claim("ADKNS-X.one-clock-phase")
lumped_cases = cases(obsolescence)
one_phase.instances(
    lumped_cases, lambda case: lumps(*case), what="states of chains with the printed law",
    wrong={
        "a second phase that rings at rate 3/10": lambda case: lumps(
            example.changed(obsolescence=not_exponential, capacity=case[0].capacity).queue(case[0].active), *case[1:]
        ),
    },
)

# %% [markdown]
# The measures are then equal as well, to the last digit of rationals with a hundred of them; and the sojourn
# times too, though a tagged page is followed there through its own clock's phases.

# %%
small_example = example.changed(obsolescence=lumped(obsolescence))
one_phase.instances(
    POLICIES, lambda policy: example.measures(policy) == small_example.measures(policy), what="policies, all ten measures",
    only_gross="an identity: a wrong side differs in every case",
    wrong={
        "another rate": lambda policy: example.measures(policy)
        == small_example.faster_obsolescence(fmpq(11, 10)).measures(policy),
    },
)

# %%
one_phase.instances(
    range(1, 9),
    lambda capacity: (
        len(example.changed(capacity=capacity).queue((1,) * (capacity + 1)).states),
        len(small_example.changed(capacity=capacity).queue((1,) * (capacity + 1)).states),
    ) == (2 ** (capacity + 2) - 2, 2 + 4 * capacity),
    what="capacities, both numbers of states",
    only_gross="an identity: a wrong side differs in every case",
    wrong={
        "one level less": lambda capacity: len(small_example.changed(capacity=capacity).queue((1,) * (capacity + 1)).states)
        == 4 * capacity - 2,
    },
)
one_phase.argued(
    "every capacity",
    "each waiting page adds the same exit rate 1/5 whatever its phase, the phases of newcomers sum to probability 1, and "
    "changes of a clock's phase stay inside a class: the rates between classes never look at a phase, for any K",
)
