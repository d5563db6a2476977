# %% [markdown]
# # Section 8: what the paper concludes
#
# Four statements of the conclusion, on the paper's first example (Section 7, $K = 5$, four modes). All costs are exact: every
# threshold policy is solved in rationals.

# %%
import itertools

import matplotlib.pyplot as plt
import sympy as sp
from flint import fmpq

from claimproof import Paper
from claimproof.core.project import Project
from crawlproof.models.level_recursion import cheapest, exact_costs
from crawlproof.models.printed_examples import Example, all_falling_policies, lumped, mean
from crawlproof.models.printed_numbers import PrintedNumbers, decimal

paper = Paper("adkns")
printed = PrintedNumbers.load(Project.find().derivations / "adkns" / "printed.toml")
example = Example.first(printed.inputs["first"])
example = example.changed(obsolescence=lumped(example.obsolescence))  # exponential in disguise, see Section 7
MODES = (1, 2, 3, 4)
policies = list(all_falling_policies(MODES, example.capacity))

# %% [markdown]
# ## A monotone control?
# Thresholds make the *number of robots* fall with the number of pages. The arrival rate falls with it if the modes are numbered by
# their rates, which the model does not demand: in interpretation 4 of Section 2 the matrices of the modes are free.

# %%
l1, l2 = sp.symbols("lambda_1 lambda_2", positive=True)
monotone = paper.claim("ADKNS-S8.monotone")
few_pages, many_pages = l2, l1  # two Poisson modes, two robots up to the threshold and one above
monotone.refute(sp.Ge(few_pages, many_pages), witness={l1: 2, l2: 1})


def rates_by_level(policy, rates):
    return [rates[robots] for robots in policy]


def falling(values):
    return all(a >= b for a, b in itertools.pairwise(values))


ordered, disordered = {1: 1, 2: 2, 3: 3, 4: 4}, {1: 1, 2: 3, 3: 2, 4: 4}
monotone.instances(
    policies, lambda policy: falling(rates_by_level(policy, ordered)), what="threshold policies with K = 5 and N = 4",
    given="the rate of a mode grows with its number of robots",
    wrong={"two modes exchanged": lambda policy: falling(rates_by_level(policy, disordered))},
)

# %% [markdown]
# ## A known function of integers
# All 84 threshold policies of the example have a cost. The recursion over levels, which shares work between policies, and the
# stationary law of the whole chain give the same rationals.

# %%
costs = exact_costs(example, MODES)


def same_cost(policy, factor=1):
    return bool(costs[policy] * factor == example.cost(policy))


paper.claim("ADKNS-S8.known-function").instances(
    policies, same_cost, what="threshold policies with K = 5 and N = 4, each solved in two ways",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"doubled": lambda policy: same_cost(policy, 2)},
)

# %% [markdown]
# ## Profit
# The best constant number of robots against the best threshold policy.

# %%
constant = min(costs[(robots,) * 6] for robots in MODES)
best = min(costs.values())


def profit_above(bound):
    return lambda pair: bool(1 - pair[1] / pair[0] > bound)


paper.claim("ADKNS-S8.profit").instances(
    [(constant, best)], profit_above(fmpq(28, 100)), what="relative profit above 28 % in the first example",
    only_gross="a single case",
    wrong={"above 30 %": profit_above(fmpq(30, 100))},
)

# %% [markdown]
# ## Planning with exponential laws
# The most variable laws of Figure 2 (service, $\alpha_1 = 9$) and of Figure 4 (obsolescence, $\alpha_1 = 7$), each against the
# exponential law of the same mean. Plan with the exponential law, then run the plan in the system as it is.

# %%
weight = decimal(printed.inputs["variation"]["weights"][0])


def mixture(alpha_1, law_mean):
    """Rate alpha_1 with the printed weight, and a second rate that keeps the mean."""
    alpha_2 = (1 - weight) * alpha_1 / (law_mean * alpha_1 - weight)
    return (weight, 1 - weight), ((-alpha_1, fmpq(0)), (fmpq(0), -alpha_2))


def exponential(law_mean):
    return (fmpq(1),), ((-1 / law_mean,),)


def mistake(what, alpha_1):
    """The plan made with the exponential law, the best policy, and (expected, real, best) cost."""
    law_mean = mean(getattr(example, what))
    planned = exact_costs(example.changed(**{what: exponential(law_mean)}), MODES)
    real = exact_costs(example.changed(**{what: mixture(alpha_1, law_mean)}), MODES)
    plan, optimum = cheapest(planned), cheapest(real)
    return plan, optimum, (planned[plan], real[plan], real[optimum])


def decimals(value):
    return round(int(value.p) / int(value.q), 2)


mistakes = {"service": mistake("service", fmpq(9)), "obsolescence": mistake("obsolescence", fmpq(7))}
{what: (plan, optimum, *map(decimals, values)) for what, (plan, optimum, values) in mistakes.items()}

# %%
poor = paper.claim("ADKNS-S8.exponential")
poor.instances(
    mistakes.values(), lambda c: c[0] != c[1] and bool(c[2][1] > c[2][0] * fmpq(3, 2)),
    what="service law of Figure 2, obsolescence law of Figure 4: another policy, cost half as high again",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"estimate within a half": lambda c: bool(c[2][1] <= c[2][0] * fmpq(3, 2)), "right policy": lambda c: c[0] == c[1]},
)
stated = {
    "service": ((3, 3, 3, 1, 1, 1), (4, 4, 3, 1, 1, 1), (65, 103, 93)),
    "obsolescence": ((3, 3, 3, 1, 1, 1), (3, 1, 1, 1, 1, 1), (64, 152, 131)),
}


def as_stated(what, shift=0):
    plan, optimum, (below, above, best_below) = stated[what]
    expected, paid, least = mistakes[what][2]
    return bool(
        mistakes[what][:2] == (plan, optimum)
        and expected < below + shift and paid > above + shift and least < best_below + shift
        and expected > below - 1 and paid < above + 1 and least > best_below - 1
    )


paper.claim("ADKNS-X.exponential-mistake").instances(
    stated, as_stated, what="laws of Figures 2 and 4",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"bounds one lower": lambda what: as_stated(what, -1)},
)

# %%
figure, axes = plt.subplots(figsize=(6, 3.2))
labels = ("expected with\nexponential law", "paid with\nthat plan", "paid with\nthe best plan")
for position, (what, (_, _, values)) in enumerate(mistakes.items()):
    axes.bar([k + 0.4 * position for k in range(3)], [decimals(v) for v in values], width=0.38, label=f"variable {what}")
axes.set_xticks([k + 0.2 for k in range(3)], labels)
axes.set(ylabel="cost", title="Planning with an exponential law of the right mean")
axes.legend()
plt.show()
