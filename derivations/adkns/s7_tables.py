# %% [markdown]
# # Tables 1 to 4, cell by cell
#
# Avrachenkov, Dudin, Klimenok, Nain and Semenova, Section 7. One queue with $K = 5$ and up to four robots:
# Table 1 compares sets of modes, Table 2 varies $K$, Table 3 speeds up the server, Table 4 the obsolescence. Every cell is
# recomputed as an exact rational from the enumerated chain, and compared with what is printed: it agrees if
# rounding or cutting off gives the printed decimals.

# %%
import json
from itertools import pairwise

import matplotlib.pyplot as plt
import sympy as sp
from flint import fmpq

from claimproof import Paper
from claimproof.core.project import Project
from crawlproof.models.level_recursion import cheapest, exact_costs, policy_costs
from crawlproof.models.obsolescence_queue import active_robots
from crawlproof.models.printed_examples import (
    Example,
    falling_policies,
    lumped,
    mean,
    modes_of,
    thresholds,
)
from crawlproof.models.printed_numbers import (
    PrintedNumbers,
    as_printed,
    bounds,
    compare,
    decimal,
    integers,
    is_truncated,
    last_place,
    one_up,
    report,
    summary,
    tally,
)

paper = Paper("adkns")
printed = PrintedNumbers.load(Project.find().derivations / "adkns" / "printed.toml")
MODES = (1, 2, 3, 4)

# %% [markdown]
# ## The reading
# $K$ counts the page in service; thresholds act on the number of pages in the system; pages are served in
# the order of arrival; the cost (2) charges the mean time in the system of pages that *are served*; all
# thresholds are at least 0 and may coincide, so that each set of modes is used from its largest member
# downwards. The obsolescence law is exponential (shown with the inputs), so one clock phase is enough.

# %%
printed_example = Example.first(printed.inputs["first"])
example = printed_example.changed(obsolescence=lumped(printed_example.obsolescence))
K = example.capacity
costs = exact_costs(example, MODES)  # of all 84 threshold policies


def always(model, robots):
    """The cost with this number of robots always active."""
    return exact_costs(model, MODES)[(robots,) * (K + 1)]


# %% [markdown]
# Two remarks of the text don't fit this reading. It calls $K$ the capacity of the buffer, which by Section 2 is $K - 1$. And
# it has the thresholds strictly increasing, so that every mode is used; but the optimal ones of Table 1 coincide.

# %%
paper.claim("ADKNS-7.capacity").textual(
    version="2011", place="Section 7, first paragraph", words="buffer capacity is equal to 5",
    should_be="K = 5 places with the one in service; the buffer has K - 1 = 4",
)
paper.claim("ADKNS-7.strict").textual(
    version="2011", place="Section 7, before Table 1", words="the thresholds cannot coincide",
    should_be="they may coincide, as they do in Tables 1 and 5: 0 <= j_1 <= j_2 <= ...",
).instances(
    [integers(printed.tables[table].printed(label, "thresholds")) for table in ("1", "5") for label in printed.tables[table].labels if "," in label],
    lambda js: js[0] >= 0 and all(a <= b for a, b in pairwise(js)), what="printed lists of thresholds in Tables 1 and 5",
    wrong={"strictly increasing": lambda js: js[0] >= 0 and all(a < b for a, b in pairwise(js))},
)
paper.claim("ADKNS-7.explained").instances(
    [((2,), (3, 1), (3, 3, 3, 1, 1, 1)), ((0, 2, 2), (4, 3, 2, 1), (4, 3, 3, 1, 1, 1))],
    lambda case: active_robots(case[0], case[1], K) == case[2], what="rows that the text explains",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"thresholds on waiting pages": lambda case: (case[1][0], *active_robots(case[0], case[1], K)[:-1]) == case[2]},
)

# %% [markdown]
# The costs come from a recursion over levels that many policies share. It gives the same rationals as the
# stationary law of the whole chain, policy by policy:

# %%
paper.claim("ADKNS-X.level-recursion").instances(
    costs, lambda policy: costs[policy] == example.cost(policy), what="threshold policies, K = 5, two ways to the cost",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"the server 1/1000 faster": lambda policy: exact_costs(example.faster_service(fmpq(1001, 1000)), MODES)[policy] == example.cost(policy)},
)


# %%
def agrees(cell):
    return cell.agreement.agrees


def with_last_digit_up(cell):
    return compare(one_up(cell.printed), cell.value).agrees if cell.printed and isinstance(cell.value, fmpq) else agrees(cell)


def printed_decimals(text, value):
    """The value with as many decimals as the text, rounded or cut off as the text says."""
    decimals = len(text.partition(".")[2])
    return as_printed(value if is_truncated(text, value) else value + last_place(text) / 2, decimals)


def check_column(claim_id, cells, corrections=None, slip=None):
    """All cells agree; or those that don't break what is printed, and the corrected ones agree.

    Whether a cell is wrong is computed; ``corrections`` (by row) must be for exactly these cells. ``slip`` says what
    in the paper itself shows that they are slips of the print: then the column is a misprint, else it is false.
    """
    differing = {(c.row, c.column) for c in cells if not agrees(c)}
    if differing != set(corrections or {}):
        raise AssertionError(f"{claim_id}: {differing} differ, but {set(corrections or {})} are corrected")
    wrong_digit = {"one unit more in the last place": with_last_digit_up}
    if not corrections:
        paper.claim(claim_id).instances(cells, agrees, what=summary(cells),
        only_gross="a unit in the last place is wrong for every printed value",
        wrong=wrong_digit)
        return
    if slip:
        wrong_cells = [c for c in cells if (c.row, c.column) in corrections]
        should_be = [corrections[c.row, c.column] for c in wrong_cells]
        rows = ", ".join(c.row for c in wrong_cells)
        claim = paper.claim(claim_id).textual(
            version="2011", place=f"{wrong_cells[0].place}, {wrong_cells[0].column} of {rows}",
            words=", ".join(c.printed for c in wrong_cells), should_be=f"{', '.join(should_be)}: {slip}",
        )
        for cell, text in zip(wrong_cells, should_be, strict=True):
            claim.misprint(
                sp.Rational(printed_decimals(text, cell.value)), printed=sp.Rational(cell.printed),
                corrected=sp.Rational(text), witness={},
            )
    else:
        for relation, witness in bounds(cells):
            paper.claim(claim_id).refute(relation, witness=witness)
        claim = paper.claim(f"{claim_id}-corrected")
    claim.instances(
        cells, lambda c: compare(corrections.get((c.row, c.column), c.printed), c.value).agrees,
        what=f"{summary(cells)}; corrected: {', '.join(f'{row} {text}' for (row, _), text in corrections.items())}",
        wrong={"as printed": agrees} | wrong_digit,
    )


def columns(cells, *names):
    return [c for c in cells if c.column in names]


# %% [markdown]
# ## Costs without control
# $C_r$ is the cost with $r$ robots always active.

# %%
constant_costs = {str(r): always(example, r) for r in MODES}
best = cheapest(costs)
text_cells = printed.text_cells("first", "cost", constant_costs | {"optimal": costs[best]})
print(report(text_cells))
exactly = {name: sp.Rational(int(cost.p), int(cost.q)) for name, cost in (constant_costs | {"optimal": costs[best]}).items()}


def always_cost(r):
    """The cost with r robots always active, as an exact number."""
    return exactly[str(r)]


paper.claim("ADKNS-7.costs").as_stated(C=always_cost, Cbest=exactly["optimal"])

# %%
paper.claim("ADKNS-7.best-constant").as_stated(C=always_cost)

# %% [markdown]
# ## Table 1

# %%
table_1 = {}
for label in printed.tables["1"].labels:
    modes = integers(label)
    policy = cheapest(costs, falling_policies(modes, K))
    table_1[label] = {"thresholds": thresholds(policy, modes), "cost": costs[policy]}
cells_1 = printed.tables["1"].cells(table_1)
print(report(cells_1))

# %% [markdown]
# One cost is misprinted: with the modes 4, 3 and 1 it is the one of the next row that is printed. The right value
# equals the last row's (mode 2 isn't used there), as it must.

# %%
threshold_cells = columns(cells_1, "thresholds")
paper.claim("ADKNS-T1.thresholds").instances(
    threshold_cells, agrees, what=summary(threshold_cells),
    wrong={
        "each threshold one larger": lambda c: integers(c.printed) == tuple(j + 1 for j in c.value),
        "modes used from the smallest upwards": lambda c: integers(c.printed) == tuple(K - 1 - j for j in reversed(c.value)),
    },
)
check_column(
    "ADKNS-T1.cost", columns(cells_1, "cost"), {("1,3,4", "cost"): "67.52"},
    slip="the last row's cost, whose policy is the same; the next row's is printed",
)

# %%
optimum = paper.claim("ADKNS-7.optimum")
optimum.instances(
    costs, lambda policy: costs[policy] > costs[3, 3, 3, 1, 1, 1] or policy == (3, 3, 3, 1, 1, 1),
    what="threshold policies with any of the four modes",
    wrong={"threshold 3": lambda policy: costs[policy] > costs[3, 3, 3, 3, 1, 1] or policy == (3, 3, 3, 3, 1, 1)},
)


# %%
paper.claim("ADKNS-7.relative-profit").definition()


def profit(without_control, optimal):
    """R in percent, against the best number of robots always active."""
    return 100 * (1 - optimal / min(without_control))


paper.claim("ADKNS-7.profit").as_stated(C=always_cost, Cbest=exactly["optimal"])

# %% [markdown]
# ## No other reading gives the table
# How many of the 15 rows of Table 1 agree, cost and thresholds, if one part of the reading is changed:


# %%
def rows_that_agree(cost_of, capacity=K):
    """How many rows of Table 1 agree when each is the best of its policies under another cost."""
    count = 0
    for label in printed.tables["1"].labels:
        modes = integers(label)
        policy = cheapest({policy: cost_of(policy) for policy in falling_policies(modes, capacity)})
        values = {"thresholds": thresholds(policy, modes), "cost": cost_of(policy)}
        count += all(compare(printed.tables["1"].printed(label, column), value).agrees for column, value in values.items())
    return count


measures = {policy: example.measures(policy) for policy in costs}


def with_time_of(time_of):
    """The cost with another mean time in the system in the place of the served pages'."""
    charge = dict(example.costs)["sojourn"]
    return lambda policy: costs[policy] + charge * (time_of(measures[policy]) - measures[policy].sojourn_served)


one_more_place = exact_costs(example.changed(capacity=K + 1), MODES)
readings = {
    "as said": rows_that_agree(costs.__getitem__),
    "K places for waiting pages, one more in service": rows_that_agree(one_more_place.__getitem__, K + 1),
    "thresholds on waiting pages only": rows_that_agree(lambda policy: costs[policy[0], *policy[:-1]]),
    "time of all delivered pages": rows_that_agree(with_time_of(lambda m: m.sojourn)),
    "time of all accepted pages": rows_that_agree(with_time_of(lambda m: m.sojourn / (1 - m.loss))),
    "no charge for time": rows_that_agree(with_time_of(lambda m: fmpq(0))),
}
for reading, count in readings.items():
    print(f"{count:>3} of 15  {reading}")
paper.claim("ADKNS-X.reading").instances(
    [reading for reading in readings if reading != "as said"], lambda reading: readings[reading] < 8 < readings["as said"],
    what="other readings, rows of Table 1",
    wrong={"no other reading gives any row": lambda reading: readings[reading] == 0},
)

# %% [markdown]
# ## Figure 1
# The cost of two modes against the threshold; each curve has its minimum at Table 1's threshold. Threshold $-1$
# stands for the smaller mode alone, $K$ for the larger one alone.

# %%
def curve_of(pair, lowest):
    """The costs of two modes for the thresholds lowest, ..., K."""
    low, high = pair
    return [costs[(high,) * (j + 1) + (low,) * (K - j)] for j in range(lowest, K + 1)]


figure, axes = plt.subplots(figsize=(6.4, 4))
for label in (label for label in printed.tables["1"].labels if label.count(",") == 1):
    low, high = integers(label)
    axes.plot(range(-1, K + 1), [float(as_printed(cost, 10)) for cost in curve_of((low, high), -1)], marker="o", label=f"{high} or {low}")
    axes.plot(table_1[label]["thresholds"], [float(as_printed(table_1[label]["cost"], 10))], "ks", fillstyle="none", markersize=10)
axes.set(xlabel="threshold", ylabel="cost", title="Cost of two modes against the threshold (K = 5)")
axes.legend(title="active robots", loc="upper left", bbox_to_anchor=(1, 1))
figure.tight_layout()

# %%
pairs = [integers(label) for label in printed.tables["1"].labels if label.count(",") == 1]


def falls_then_rises(values):
    """Strictly falling up to the least value, strictly rising from there."""
    turn = values.index(min(values))
    return all(a > b for a, b in pairwise(values[: turn + 1])) and all(a < b for a, b in pairwise(values[turn:]))


paper.claim("ADKNS-X.figure-1").instances(
    pairs, lambda pair: falls_then_rises(curve_of(pair, 0)), what="pairs of modes, thresholds 0 to 5",
    wrong={"always rising": lambda pair: curve_of(pair, 0) == sorted(curve_of(pair, 0))},
)

# %% [markdown]
# ## Table 2: more places
# $K$ from 1 to 30. Up to $K = 10$ all threshold policies are compared as rationals. For $K = 20$ and $30$ the
# 2024 and 5984 costs are enclosed in balls, which separate the best policy from all others; the printed
# cells are compared with exact values there too.


# %%
def profit_of_printed(table, label):
    """R as one gets it from the printed costs of the row instead of the exact ones."""
    constant = [decimal(table.printed(label, f"cost_{r}")) for r in MODES]
    return profit(constant, decimal(table.printed(label, "optimal_cost")))


def profit_candidates(table):
    return {(label, "profit"): {"from the printed costs": profit_of_printed(table, label)} for label in table.labels}


def costs_of_row(model):
    """The best policy of a capacity, its cost, and the costs without control."""
    policies = [(r,) * (model.capacity + 1) for r in MODES]
    if model.capacity <= 10:
        table = exact_costs(model, MODES)
        policy = cheapest(table)
        return policy, table[policy], [table[p] for p in policies]
    policy = cheapest(dict(policy_costs(model, MODES)))  # by balls that don't overlap
    return policy, model.cost(policy), [model.cost(p) for p in policies]


table_2 = printed.tables["2"]
models_2 = {label: example.changed(capacity=int(label)) for label in table_2.labels}
best_2, values_2 = {}, {}
for label, model in models_2.items():
    best_2[label], least, constant = costs_of_row(model)
    values_2[label] = {f"cost_{r}": cost for r, cost in zip(MODES, constant, strict=True)} | {
        "threshold": thresholds(best_2[label], (1, 3)), "optimal_cost": least, "profit": profit(constant, least),
    }
cells_2 = table_2.cells(values_2, profit_candidates(table_2))
print(report(cells_2))

# %% [markdown]
# From $K = 8$ on, the column of $C_1$ has slipped up by one row: 139.7 is missing, and 137.0 is there once too
# often. Three thresholds are one too large; the costs beside them are those of the right thresholds.

# %%
check_column("ADKNS-T2.optimal-cost", columns(cells_2, "optimal_cost"))
check_column(
    "ADKNS-T2.cost-1", columns(cells_2, "cost_1"),
    {("8", "cost_1"): "139.7", ("9", "cost_1"): "138.5", ("10", "cost_1"): "137.9"},
    slip="the column has slipped up by one row, so that the value for 20 is printed twice",
)
check_column("ADKNS-T2.costs", columns(cells_2, "cost_2", "cost_3", "cost_4"))
check_column("ADKNS-T2.profit", columns(cells_2, "profit"), {("1", "profit"): "21.2"})


# %%
def printed_policy(table, label, modes, capacity):
    """The policy that a row prints, for two modes."""
    [j] = integers(table.printed(label, "threshold"))
    low, high = modes
    return (high,) * (j + 1) + (low,) * (capacity - j)


def refute_policy(claim, model, policy):
    """The printed policy is said to be optimal; another one is cheaper (costs cut off at ten decimals)."""
    said, least = sp.symbols("cost_of_printed_policy least_cost", positive=True)
    table = exact_costs(model, MODES)
    claim.refute(
        sp.Le(said, least + sp.Rational(1, 10**10)),
        witness={
            said: sp.Rational(as_printed(table[policy], 10)),
            least: sp.Rational(as_printed(min(table.values()), 10)),
        },
    )


threshold_cells_2 = columns(cells_2, "threshold")
for label in (c.row for c in threshold_cells_2 if not agrees(c)):
    refute_policy(paper.claim("ADKNS-T2.threshold"), models_2[label], printed_policy(table_2, label, (1, 3), int(label)))
corrected_thresholds = {"3": "1", "6": "2", "7": "2"}
paper.claim("ADKNS-T2.threshold-corrected").instances(
    threshold_cells_2, lambda c: compare(corrected_thresholds.get(c.row, c.printed), c.value).agrees,
    what=f"{summary(threshold_cells_2)}; corrected: {', '.join(map(' '.join, corrected_thresholds.items()))}",
    wrong={"as printed": agrees},
)
paper.claim("ADKNS-T2.modes").instances(
    table_2.labels, lambda label: modes_of(best_2[label]) == (1, 3),
    what="capacities, all threshold policies; K = 20 and 30 by balls", kind="enclosed",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"three robots alone": lambda label: modes_of(best_2[label]) == (3,)},
)

# %% [markdown]
# ### Beyond 30 places
# For $K = 30, \dots, 100$ the optimal cost and $C_1, C_2, C_3$ keep their printed decimals. $C_4$ does not: with four
# robots more pages arrive than can be served, the queue is held down only by obsolescence, and 30 places are
# not many yet. It ends up 1 percent higher.

# %%
def costs_at(capacity):
    """The costs without control, and of three robots up to 3 pages, then one."""
    model = example.changed(capacity=capacity)
    policies = {f"cost_{r}": (r,) * (capacity + 1) for r in MODES} | {"optimal_cost": (3,) * 4 + (1,) * (capacity - 3)}
    return {column: model.cost(policy) for column, policy in policies.items()}


costs_for = {capacity: costs_at(capacity) for capacity in (30, 40, 60, 100)}
for capacity, row in costs_for.items():
    print(f"K = {capacity:<5}", *(f"{column} {as_printed(cost, 6)}" for column, cost in row.items()))

# %%
larger = [(capacity, column) for capacity in costs_for if capacity > 30 for column in costs_for[30]]


def change(case):
    """The relative change of a cost since K = 30."""
    capacity, column = case
    return abs(costs_for[capacity][column] / costs_for[30][column] - 1)


paper.claim("ADKNS-7.large-K").instances(
    larger, lambda case: change(case) < fmpq(1, 80), what="costs for K = 40, 60, 100, relative to K = 30",
    wrong={"within 0.5 percent": lambda case: change(case) < fmpq(1, 200)},
)


def as_for_30(case):
    """The cost has the decimals that are printed for K = 30."""
    capacity, column = case
    return compare(table_2.printed("30", column), costs_for[capacity][column]).agrees


paper.claim("ADKNS-X.large-K").instances(
    larger, lambda case: as_for_30(case) == (case[1] != "cost_4"), what="costs for K = 40, 60, 100 against the printed row K = 30",
    wrong={"all as printed": as_for_30},
)

# %% [markdown]
# ## Table 3: a faster server
# $S$ is multiplied by $s$. The best policy is searched among all threshold policies with any modes.


# %%
def row_of(model):
    """The results of one row of Tables 3 and 4."""
    policy = cheapest(exact_costs(model, MODES))
    used, least = modes_of(policy), exact_costs(model, MODES)[policy]
    constant = {f"cost_{r}": always(model, r) for r in MODES}
    return constant | {
        "mean_service": mean(model.service), "mean_obsolescence": mean(model.obsolescence),
        "modes": used, "threshold": thresholds(policy, used), "optimal_cost": least,
        "profit": profit(constant.values(), least),
    }


def least_cost(model, modes):
    return min(exact_costs(model, MODES)[policy] for policy in falling_policies(modes, K))


table_3 = printed.tables["3"]
models_3 = {label: example.faster_service(decimal(label)) for label in table_3.labels}
values_3 = {label: row_of(model) for label, model in models_3.items()}
candidates_3 = profit_candidates(table_3) | {
    (label, "optimal_cost"): {
        f"the least cost with the modes {a} and {b}": least_cost(models_3[label], (a, b)) for a, b in pairs
    }
    for label in table_3.labels
}
cells_3 = table_3.cells(values_3, candidates_3)
print(report(cells_3))

# %% [markdown]
# In the row $s = 3$ the printed cost belongs to the policy with 4 robots up to 1 page, 3 up to 3 pages, then 1:
# mode 4 and its threshold are missing in the print. The printed policy (3 robots up to 3 pages, then 1) costs
# more. In the row $s = 15$ the printed optimal cost is the best of the modes 4 and 1, which loses against one
# robot, as the row says itself ($C_1$ is smaller, $R$ is 0). One profit was computed from costs already cut off.

# %%
check_column("ADKNS-T3.mean", columns(cells_3, "mean_service"))
check_column("ADKNS-T3.costs", columns(cells_3, "cost_1", "cost_2", "cost_3", "cost_4"))
check_column(
    "ADKNS-T3.optimal-cost", columns(cells_3, "optimal_cost"), {("15", "optimal_cost"): "303.47"},
    slip="the cost with one robot in the same row, where the relative profit is 0",
)
check_column("ADKNS-T3.profit", columns(cells_3, "profit"), {("0.2", "profit"): "24.16"})


# %%
policy_cells = columns(cells_3, "modes", "threshold")
differing_rows = {c.row for c in policy_cells if not agrees(c)}
for label in sorted(differing_rows):
    refute_policy(
        paper.claim("ADKNS-T3.policy"), models_3[label], printed_policy(table_3, label, integers(table_3.printed(label, "modes")), K)
    )
corrected_policies = {("3", "modes"): "1,3,4", ("3", "threshold"): "1,3"}
paper.claim("ADKNS-T3.policy-corrected").instances(
    policy_cells, lambda c: compare(corrected_policies.get((c.row, c.column), c.printed), c.value).agrees,
    what=f"{summary(policy_cells)}; corrected: {', '.join(f'{row} {column} {text}' for (row, column), text in corrected_policies.items())}",
    wrong={"as printed": agrees},
)

# %% [markdown]
# ### When control stops to pay
# At $s = 15$ one robot without control is the best policy (for all larger speeds: see the notebook on fast servers).
# But $s \ge 15$ means $b_1 \le 23/525 = 0.0438$, not $b_1 < 0.04$: the bound is the rounded entry of the table.

# %%
at_15 = mean(models_3["15"].service)
exact_mean = sp.Rational(int(at_15.p), int(at_15.q))
paper.claim("ADKNS-7.no-control-mean").refute_as_stated({}, b1=exact_mean, instance=f"The mean service time at $s = 15$ is {exact_mean}.")
paper.claim("ADKNS-7.no-control-mean-corrected").as_stated(b1=exact_mean)

# %% [markdown]
# ## Table 4: faster obsolescence

# %%
table_4 = printed.tables["4"]
models_4 = {label: example.faster_obsolescence(decimal(label)) for label in table_4.labels}
values_4 = {label: row_of(model) for label, model in models_4.items()}
cells_4 = table_4.cells(values_4, profit_candidates(table_4))
print(report(cells_4))

# %%
check_column("ADKNS-T4.mean", columns(cells_4, "mean_obsolescence"))
threshold_cells_4 = columns(cells_4, "threshold")
paper.claim("ADKNS-T4.threshold").instances(
    threshold_cells_4, agrees, what=summary(threshold_cells_4),
    wrong={"the threshold of the row above": lambda c: compare(c.printed, c.candidates.get("the value of the row above", c.value)).agrees},
)
check_column(
    "ADKNS-T4.optimal-cost", columns(cells_4, "optimal_cost"), {("0.01", "optimal_cost"): "51.07"},
    slip="one digit, as the relative profit in the same row shows",
)
check_column("ADKNS-T4.cost-1", columns(cells_4, "cost_1"), {("30", "cost_1"): "230.42"})
check_column("ADKNS-T4.costs", columns(cells_4, "cost_2", "cost_3", "cost_4"))
check_column("ADKNS-T4.profit", columns(cells_4, "profit"), {("0.3", "profit"): "34.08", ("0.9", "profit"): "29.56"})
paper.claim("ADKNS-T4.modes").instances(
    table_4.labels, lambda label: values_4[label]["modes"] == (1, 3), what="speeds of obsolescence, all threshold policies",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"modes 1 and 4": lambda label: values_4[label]["modes"] == (1, 4)},
)

# %% [markdown]
# ## All in all

# %%
tallies = {place: tally(cells) for place, cells in (("Table 1", cells_1), ("Table 2", cells_2), ("Table 3", cells_3), ("Table 4", cells_4))}
print(f"{'':<10}{'agree':>7}{'differ':>8}{'undecided':>11}")
for place, counts in tallies.items():
    print(f"{place:<10}{counts['agree']:>7}{counts['differ']:>8}{counts['undecided']:>11}")
print(json.dumps(tallies))
