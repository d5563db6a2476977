# %% [markdown]
# # Table 5: the crawler's data
#
# Avrachenkov, Dudin, Klimenok, Nain and Semenova, end of Section 7. Batches from a log of a real crawler, service
# times from page sizes, $K = 20$, four modes. Here the printed inputs don't determine the printed results: rounded as they
# are, the matrices are no generator, and most entries have two digits. So the costs of Table 5 can't be decided one by one.
# What can be said: which of the other numbers agree, how far each way to repair the inputs is from the print, and that there
# are matrices and a service law whose entries round to the printed ones and which give the whole table.

# %%
import json

import matplotlib.pyplot as plt
import sympy as sp
from flint import fmpq, fmpq_mat

from claimproof import Paper
from claimproof.core.project import Project
from claimproof.engines.exact import stationary
from crawlproof.models.level_recursion import cheapest, policy_costs
from crawlproof.models.printed_examples import Example, exact_law, exact_matrix, falling_policies, moments, thresholds
from crawlproof.models.printed_numbers import (
    PrintedNumbers,
    as_printed,
    compare,
    decimal,
    integers,
    last_place,
    report,
    summary,
    tally,
)

paper = Paper("adkns")
printed = PrintedNumbers.load(Project.find().derivations / "adkns" / "printed.toml")
crawler = printed.inputs["crawler"]
D0, A = exact_matrix(crawler["no_arrival"]), exact_matrix(crawler["batch_arrival"])
MODES = (1, 2, 3, 4)


def agrees(cell):
    return cell.agreement.agrees


def rational(value):
    return sp.Rational(int(value.p), int(value.q))


# %% [markdown]
# ## The arrival matrices
# The rows of $D_0 + A$ must sum to 0. As printed they don't, but what is missing is less than rounding the entries can do:

# %%
row_sums = [sum(D0[i], fmpq(0)) + sum(A[i], fmpq(0)) for i in range(2)]
print("rows of D_0 + A sum to", [as_printed(s, 8) for s in row_sums])
arrivals = paper.claim("ADKNS-7.crawler-arrivals")
first_row, second_row = sp.symbols("first_row_sum second_row_sum", real=True)
for symbol, value in ((first_row, row_sums[0]), (second_row, row_sums[1])):
    arrivals.refute(sp.Eq(symbol, 0), witness={symbol: rational(value)})
ROUNDED = "the printed entries are rounded"


def slack_of_row(row, unit):
    """How far the row sum of D_0 + A can be off if each entry other than 0 is off by this part of its last place."""
    texts = [*crawler["no_arrival"][row], *crawler["batch_arrival"][row]]
    return sum((unit * last_place(text) for text in texts if text != "0"), fmpq(0))


arrivals.instances(
    range(2), lambda row: abs(row_sums[row]) <= slack_of_row(row, fmpq(1, 2)), what="row sums, within the rounding of the entries",
    wrong={"a fifth of the last places": lambda row: abs(row_sums[row]) <= slack_of_row(row, fmpq(1, 5))}, given=ROUNDED,
)


# %% [markdown]
# The following process has rows that sum to 0, each entry rounds to the printed one, and intervals between batches have the
# printed sample mean and variance. It is one of many.


# %%
def batch_process(rate_1, rate_2, to_second, to_first):
    """D_0 and A with rates rate_1, rate_2 of batches and these rates of a batch that changes the phase."""
    zero = fmpq(0)
    return ((-rate_1, zero), (zero, -rate_2)), ((rate_1 - to_second, to_second), (to_first, rate_2 - to_first))


def interval_statistics(no_arrival, arrival):
    """Mean, variance and the lag-1 to lag-6 correlations of the intervals between batches."""
    minus, with_batch = fmpq_mat([[-v for v in row] for row in no_arrival]), fmpq_mat([list(row) for row in arrival])
    jump, ones = minus.solve(with_batch), fmpq_mat([[1], [1]])
    start, interval = fmpq_mat([stationary(jump)]), minus.solve(ones)
    first = (start * interval)[0, 0]
    spread = 2 * (start * minus.solve(interval))[0, 0] - first**2
    correlations, moved = [], interval
    for _ in range(6):
        moved = jump * moved
        correlations.append(((start * minus.solve(moved))[0, 0] - first**2) / spread)
    return {"mean": first, "variance": spread} | {f"lag_{k}": c for k, c in enumerate(correlations, start=1)}


rounded_process = batch_process(decimal("0.0037654955"), decimal("0.0065659297"), decimal("6.58e-5"), decimal("1.28e-4"))
sample = {key: text for _, key, text in printed.text("crawler", "sample")}
entries = [
    (text, value)
    for printed_rows, rows in ((crawler["no_arrival"], rounded_process[0]), (crawler["batch_arrival"], rounded_process[1]))
    for printed_row, row in zip(printed_rows, rows, strict=True) for text, value in zip(printed_row, row, strict=True)
]
statistics = interval_statistics(*rounded_process)
arrivals.instances(
    [*entries, *((sample[key], statistics[key]) for key in ("mean", "variance"))], lambda pair: compare(*pair).agrees,
    what="entries, sample mean and variance of a process that rounds to the print",
    wrong={"3 percent faster": lambda pair: compare(pair[0], pair[1] * fmpq(103, 100)).agrees}, given=ROUNDED,
)
arrivals.exact(
    [sum(rounded_process[0][i], fmpq(0)) + sum(rounded_process[1][i], fmpq(0)) for i in range(2)], [fmpq(0), fmpq(0)],
    given=ROUNDED,
)

# %% [markdown]
# ## Correlations that no such process has
# With a diagonal $D_0$ an interval is exponential given the phase. Successive intervals share the phase with the
# correlation $\kappa = 1 - p_{12} - p_{21}$ of the phases, so the lag-1 correlation is $\kappa (c^2 - 1)/(2c^2)$, where $c^2$ is the
# squared coefficient of variation: less than $(c^2-1)/(2c^2)$, whatever the matrices.

# %%
l_1, l_2, p, q = sp.symbols("l_1 l_2 p q", positive=True)
pi = sp.Matrix([[q, p]]) / (p + q)
jump = sp.Matrix([[1 - p, p], [q, 1 - q]])
interval = sp.Matrix([1 / l_1, 1 / l_2])
D_inverse = sp.diag(1 / l_1, 1 / l_2)
mean_interval = (pi * interval)[0]
spread = 2 * (pi * D_inverse * interval)[0] - mean_interval**2
lag_1 = ((pi * D_inverse * jump * interval)[0] - mean_interval**2) / spread
squared_variation = spread / mean_interval**2
bound = paper.claim("ADKNS-X.correlation-bound")
bound.equal(
    lag_1, (1 - p - q) * (squared_variation - 1) / (2 * squared_variation),
    sample={l_1: (1, 9), l_2: (1, 9), p: (0, 1), q: (0, 1)},
)

# %%
c2 = decimal(sample["variance"]) / decimal(sample["mean"]) ** 2
largest = (c2 - 1) / (2 * c2)
print("c^2 of the sample:", as_printed(c2, 6), " largest lag-1 correlation:", as_printed(largest, 6), " printed:", sample["lag_1"])
print("the process above has", [as_printed(statistics[f"lag_{k}"], 4) for k in range(1, 7)])
print("printed:             ", [sample[f"lag_{k}"] for k in range(1, 7)])
bound.instances(
    range(1, 7), lambda k: decimal(sample[f"lag_{k}"]) > 8 * largest > 8 * statistics[f"lag_{k}"],
    what="printed lags, each more than eight times the largest possible correlation",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"no more than eight times": lambda k: decimal(sample[f"lag_{k}"]) <= 8 * largest},
)

# %% [markdown]
# A tenth of the printed correlations (0.0622, 0.0574, ...) would fit: the first is just below the bound, the others near
# the values of the process. The sample itself is not available, so these eight numbers stay undecided.

# %%
sample_cells = printed.text_cells("crawler", "sample", dict.fromkeys(sample))
print(report(sample_cells))

# %% [markdown]
# ## Batch sizes, service times, rates
# The printed $d_k$ sum to $1 - 3.6 \cdot 10^{-9}$, and the printed mean batch size has more digits than they have: it lies
# within what their rounding allows, and can't be checked further.

# %%
sizes = crawler["batch_sizes"]
mean_batch = sum((k * decimal(d) for k, d in enumerate(sizes, start=1)), fmpq(0))
slack = sum((k * last_place(d) / 2 for k, d in enumerate(sizes, start=1)), fmpq(0))
[(_, _, printed_mean_batch)] = printed.text("crawler", "mean_batch")
print("mean batch size", as_printed(mean_batch, 12), "+-", as_printed(slack, 12), " printed", printed_mean_batch)
paper.claim("ADKNS-7.crawler-batches").as_stated(batch=rational(mean_batch), slack=rational(slack))
batch_cells = printed.text_cells("crawler", "mean_batch", {"mean": None})

# %%
service = exact_law(crawler["service"])
first, second = moments(service, 2)
service_cells = printed.text_cells("crawler", "service", {"mean": first, "squared_variation": second / first**2 - 1})
clock_cells = printed.text_cells("crawler", "mean", {"obsolescence": moments(exact_law(crawler["obsolescence"]), 1)[0]})
print(report(service_cells + clock_cells))
paper.claim("ADKNS-7.crawler-service").as_stated(
    b1=rational(first), c2=rational(second / first**2 - 1), g1=rational(moments(exact_law(crawler["obsolescence"]), 1)[0]),
)

# %% [markdown]
# The law is said to come from three moments of the page sizes. The mixture of two exponential laws with exactly these
# moments has the rates in the ratio 167.6 (printed: 172.1) and the squared coefficient of variation 83.78, which no
# change of units alters (printed: 86.03). Rounding the first weight and rate to two digits explains that much.


# %%
def three_moment_mixture(m_1, m_2, m_3):
    """Weight and mean times (x_1 > x_2) of the mixture: the x are the roots of x^2 - s x + t."""
    a_1, a_2, a_3 = m_1, m_2 / 2, m_3 / 6
    solution = fmpq_mat([[a_1, -1], [a_2, -a_1]]).solve(fmpq_mat([[a_2], [a_3]]))
    s, t = rational(solution[0, 0]), rational(solution[1, 0])
    x_1, x_2 = (s + sp.sqrt(s**2 - 4 * t)) / 2, (s - sp.sqrt(s**2 - 4 * t)) / 2
    return (rational(a_1) - x_2) / (x_1 - x_2), x_1, x_2


contents = [decimal(text) for text in crawler["content_moments"]]
weight, long_time, short_time = three_moment_mixture(*contents)
print("weight", sp.N(weight, 8), " ratio of rates", sp.N(long_time / short_time, 8), " squared variation", as_printed(contents[1] / contents[0] ** 2 - 1, 4))
fit = paper.claim("ADKNS-X.service-fit")
fit.exact(
    [sp.factorial(k) * (weight * long_time**k + (1 - weight) * short_time**k) for k in (1, 2, 3)],
    [rational(m) for m in contents],
)
fit.as_stated(c2fit=rational(contents[1] / contents[0] ** 2 - 1))

# %% [markdown]
# The rates $\lambda^{(r)}$ are $r$ times the printed mean batch size over the printed mean interval, cut off:

# %%
rate_cells = printed.text_cells(
    "crawler", "rate", {str(r): r * decimal(printed_mean_batch) / decimal(sample["mean"]) for r in MODES}
)
print(report(rate_cells))
paper.claim("ADKNS-7.crawler-rates").as_stated(
    lam=lambda r: rational(fmpq(int(r)) * decimal(printed_mean_batch) / decimal(sample["mean"])),
)

# %% [markdown]
# ## Table 5: what was tried
# Four ways to make $D_0 + A$ a generator; the service law as printed or fitted to the three moments (at 6000 bytes per
# unit of time, which gives the printed mean 8.2); $K = 20$ with the page in service, or without (one law). For each, the best
# thresholds of all 15 sets of modes, by balls that don't overlap, and the costs.

# %%
minus_rows = tuple(tuple(-sum(A[i], fmpq(0)) if i == j else fmpq(0) for j in range(2)) for i in range(2))
filled = tuple(tuple(-D0[i][i] - A[i][1 - i] if i == j else A[i][j] for j in range(2)) for i in range(2))
stretched = tuple(tuple(A[i][j] * -D0[i][i] / sum(A[i], fmpq(0)) for j in range(2)) for i in range(2))
repairs = {
    "diagonal of D_0 from A": (minus_rows, A),
    "diagonal of A from D_0": (D0, filled),
    "rows of A stretched": (D0, stretched),
    "the rounding process above": rounded_process,
}


def cut(value, digits):
    """An exact number cut off at this many decimals, as a rational."""
    return decimal(str(sp.Rational(sp.floor(value * 10**digits), 10**digits)))


fitted_weight = cut(weight, 15)
fitted_service = (
    (fitted_weight, 1 - fitted_weight),
    ((-cut(6000 / long_time, 15), fmpq(0)), (fmpq(0), -cut(6000 / short_time, 15))),
)
services = {"service as printed": service, "service from three moments": fitted_service}
table_5 = printed.tables["5"]
tries = {
    f"{repair}, {name}, K = {capacity}": Example.crawler(crawler, *matrices).changed(service=law, capacity=capacity)
    for repair, matrices in repairs.items() for name, law in services.items()
    for capacity in ((20, 21) if law is service else (20,))
}


def table_of(model):
    """Thresholds and costs (balls) of Table 5 for a model."""
    enclosures = dict(policy_costs(model, MODES))
    found = {}
    for label in table_5.labels:
        policy = cheapest(enclosures, falling_policies(integers(label), model.capacity))
        found[label] = {"thresholds": thresholds(policy, integers(label)), "cost": enclosures[policy]}
    return found


def deviations(table):
    """How far each cost is from the printed one, relative to it (balls)."""
    return {label: row["cost"] / decimal(table_5.printed(label, "cost")) - 1 for label, row in table.items()}


def matching_thresholds(table):
    return sum(integers(table_5.printed(label, "thresholds")) == row["thresholds"] for label, row in table.items() if "," in label)


tables = {name: table_of(model) for name, model in tries.items()}
for name, table in tables.items():
    off = deviations(table).values()
    low, high = (100 * float(f(off, key=float)) for f in (min, max))
    print(f"{name:<72} costs {low:+.2f} to {high:+.2f} percent, thresholds {matching_thresholds(table)} of 11")

# %% [markdown]
# No try gives the printed costs, and all come within 1.2 percent; with $K = 20$ counting the page in service within 0.25
# percent. Cell by cell, for the first repair:

# %%
REPAIR = "diagonal of D_0 from A, service as printed, K = 20"
for label, row in tables[REPAIR].items():
    text = table_5.printed(label, "cost")
    print(f"{label:<8} printed {text}, here {float(row['cost']):.4f} ({100 * float(deviations(tables[REPAIR])[label]):+.3f} percent)  thresholds {row['thresholds']}")

# %%
near = [name for name in tries if name.endswith("K = 20")]
paper.claim("ADKNS-X.table-5-tries").instances(
    [(name, label) for name in near for label in table_5.labels],
    lambda case: bool(abs(deviations(tables[case[0]])[case[1]]) < fmpq(1, 400)),
    what="eight repaired inputs, 15 costs each, within 0.25 percent", kind="enclosed",
    wrong={
        "to the printed decimals": lambda case: bool(
            abs(tables[case[0]][case[1]]["cost"] - decimal(table_5.printed(case[1], "cost"))) < fmpq(1, 100)
        ),
    },
)

# %%
def gain(table):
    return 100 * (1 - min((row["cost"] for row in table.values()), key=float) / min((table[str(r)]["cost"] for r in MODES), key=float))


[(_, _, bound_text)] = printed.text("crawler", "profit_exceeds")
paper.claim("ADKNS-7.crawler-profit").instances(
    near, lambda name: bool(gain(tables[name]) > decimal(bound_text)), what="eight repaired inputs", kind="enclosed",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"more than 10 percent": lambda name: bool(gain(tables[name]) > 10)},
)

# %%
figure, axes = plt.subplots(figsize=(10, 4))
for name in near:
    axes.plot(range(len(table_5.labels)), [100 * float(d) for d in deviations(tables[name]).values()], marker=".", label=name.removesuffix(", K = 20"))
axes.axhline(0, color="black", linewidth=0.8)
axes.set_xticks(range(len(table_5.labels)), table_5.labels, rotation=45)
axes.set(xlabel="modes", ylabel="percent above the print", title="Table 5: every repair, every row")
axes.legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1, 1))
figure.tight_layout()

# %% [markdown]
# ## Why the costs can't be decided one by one
# The first service rate is printed with two digits, 0.0014. Within its rounding the cost with one robot moves by far
# more than the distance to the print:

# %%
model = Example.crawler(crawler, *repairs["diagonal of D_0 from A"])


def cost_at(rate_text):
    """C_1 with another first service rate."""
    law = (service[0], ((-decimal(rate_text), fmpq(0)), service[1][1]))
    return model.changed(service=law).cost((1,) * (model.capacity + 1))


rates = ("0.00135", "0.0014", "0.00145")
around = {text: cost_at(text) for text in rates}
print({text: as_printed(value, 4) for text, value in around.items()}, "printed", table_5.printed("1", "cost"))
paper.claim("ADKNS-X.table-5-undecided").instances(
    [("0.00135", "0.00145")],
    lambda ends: around[ends[1]] < decimal(table_5.printed("1", "cost")) < around[ends[0]],
    what="C_1 at the ends of the rounding of one rate, around the print",
    only_gross="a single case",
    wrong={"below both": lambda ends: decimal(table_5.printed("1", "cost")) < around[ends[1]]},
)

# %% [markdown]
# ## Entries that give the whole table
# A search over the digits that are not printed finds matrices $D_0$, $A$ and a service law $(\beta, S)$ each entry of which rounds
# or cuts off to the printed one, the rows sum to 0, and *all* cells of Table 5 come out: 15 costs and 11 thresholds. So the
# table is consistent with the printed entries. It is not shown to be consistent with everything that is printed: see below.
# (The search is not shown. What it found is checked exactly.)

# %%
unrounded_process = batch_process(*map(decimal, ("0.00377310958", "0.006585", "6.5751e-5", "1.31081074e-4")))
unrounded_weight, slow, fast = map(decimal, ("0.00575", "0.00143707951", "0.240937328"))
unrounded_service = ((unrounded_weight, 1 - unrounded_weight), ((-slow, fmpq(0)), (fmpq(0), -fast)))
unrounded = Example.crawler(crawler, *unrounded_process).changed(service=unrounded_service)


def flat(rows):
    return [entry for row in rows for entry in row]


pairs_of_entries = [
    pair for texts, values in (
        (flat(crawler["no_arrival"]), flat(unrounded_process[0])), (flat(crawler["batch_arrival"]), flat(unrounded_process[1])),
        (crawler["service"][0], unrounded_service[0]), (flat(crawler["service"][1]), flat(unrounded_service[1])),
    ) for pair in zip(texts, values, strict=True)
]
for text, value in pairs_of_entries:
    if text != "0":
        print(f"{text:>8}  {as_printed(value, 14):>18}  {compare(text, value).value}")

# %%
enclosures = dict(policy_costs(unrounded, MODES))
best_policies = {
    label: cheapest(enclosures, falling_policies(integers(label), unrounded.capacity)) for label in table_5.labels
}
exact_of = {policy: unrounded.cost(policy) for policy in set(best_policies.values())}
consistent_cells = table_5.cells({
    label: {"thresholds": thresholds(policy, integers(label)), "cost": exact_of[policy]} for label, policy in best_policies.items()
})
for cell in consistent_cells:
    if cell.column == "cost":
        print(f"{cell.row:<8} printed {cell.printed}, from these entries {as_printed(cell.value, 6)}: {cell.agreement.value}")

# %% [markdown]
# Four printed numbers are not reproduced by these entries: mean and variance of the intervals between batches, mean and squared
# coefficient of variation of the service time. The latter is that of the page sizes, while 8.2 and 86.03 are what one computes
# from the rounded law. This suggests that the table was computed with the law fitted to the three moments, and that the text
# describes its two-digit print.

# %%
unrounded_statistics = interval_statistics(*unrounded_process)
first, second = moments(unrounded_service, 2)
printed_service = {key: text for _, key, text in printed.text("crawler", "service")}
not_reproduced = {
    "mean interval": (sample["mean"], unrounded_statistics["mean"]),
    "variance of intervals": (sample["variance"], unrounded_statistics["variance"]),
    "mean service time": (printed_service["mean"], first),
    "squared variation of service": (printed_service["squared_variation"], second / first**2 - 1),
}
for name, (text, value) in not_reproduced.items():
    print(f"{name:<30} printed {text:>9}, from these entries {as_printed(value, 4)}: {compare(text, value).value}")

# %%
GIVEN = (
    "entries of D_0, A, beta, S with more digits; the printed "
    + ", ".join(text for text, _ in not_reproduced.values()) + " are then not reproduced"
)
for claim_id, column, other in (
    ("ADKNS-T5.cost", "cost", lambda c: bool(abs(tables[REPAIR][c.row]["cost"] - decimal(c.printed)) < fmpq(1, 100))),
    ("ADKNS-T5.thresholds", "thresholds", lambda c: integers(c.printed) == tables["diagonal of A from D_0, service as printed, K = 20"][c.row]["thresholds"]),
):
    claim = paper.claim(claim_id)
    claim.refute(sp.Eq(first_row, 0), witness={first_row: rational(row_sums[0])})
    cells = [c for c in consistent_cells if c.column == column]
    claim.instances(cells, agrees, what=summary(cells), given=GIVEN,
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"another repair": other}, kind="enclosed")  # the best policies were found by balls
    claim.instances(
        pairs_of_entries, lambda pair: compare(*pair).agrees, what="entries of D_0, A, beta, S against the print", given=GIVEN,
        wrong={"3 percent faster": lambda pair: compare(pair[0], pair[1] * fmpq(103, 100)).agrees},
    )
    claim.instances(
        not_reproduced.values(), lambda pair: not compare(*pair).agrees, what="printed means and variances, not reproduced",
        given=GIVEN, only_gross="each case shows it strictly: the opposite fails in each", wrong={"reproduced": lambda pair: compare(*pair).agrees},
    )

# %% [markdown]
# ## All in all

# %%
cells_5 = table_5.cells({
    label: {"thresholds": tables[REPAIR][label]["thresholds"], "cost": None} for label in table_5.labels
})
costs_in_text = printed.text_cells("crawler", "cost", dict.fromkeys(("1", "2", "3", "4", "optimal")))
tallies = {
    "Table 5": tally(cells_5),
    "Table 5, from entries with more digits": tally(consistent_cells),
    "text on the crawler": tally(sample_cells + batch_cells + service_cells + clock_cells + rate_cells + costs_in_text),
}
print(f"{'':<40}{'agree':>7}{'differ':>8}{'undecided':>11}")
for place, counts in tallies.items():
    print(f"{place:<40}{counts['agree']:>7}{counts['differ']:>8}{counts['undecided']:>11}")
print(json.dumps(tallies))
