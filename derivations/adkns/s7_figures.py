# %% [markdown]
# # Figures 2 to 4: more variable service and obsolescence
#
# Avrachenkov, Dudin, Klimenok, Nain and Semenova, Section 7. The mean service time (Figures 2 and 3) or the mean
# time until obsolescence (Figure 4) stays as it is, and the law becomes a mixture of two exponential ones: rate
# $\alpha_1$ with weight 0.9, rate $\alpha_2$ with weight 0.1. The larger $\alpha_1$, the larger the variance. The
# figures have no numbers in print, but the text says what they show.

# %%
import matplotlib.pyplot as plt
import sympy as sp
from flint import fmpq

from claimproof import Paper
from claimproof.core.project import Project
from crawlproof.models.level_recursion import cheapest, exact_costs
from crawlproof.models.printed_examples import Example, falling_policies, lumped, mean, modes_of, moments, thresholds
from crawlproof.models.printed_numbers import PrintedNumbers, as_printed, compare, decimal, one_up, report

paper = Paper("adkns")
printed = PrintedNumbers.load(Project.find().derivations / "adkns" / "printed.toml")
printed_example = Example.first(printed.inputs["first"])
example = printed_example.changed(obsolescence=lumped(printed_example.obsolescence))
variation = printed.inputs["variation"]
WEIGHT = decimal(variation["weights"][0])
MODES = (1, 2, 3, 4)
K = example.capacity

# %% [markdown]
# ## The mixture
# A mixture with weights $w$, $1 - w$ has the mean $w/\alpha_1 + (1-w)/\alpha_2$. Solved for $\alpha_2$, with mean $b$:

# %%
alpha_1, alpha_2, b, t = paper.symbols("alpha1 alpha2 b t")
w = sp.Rational(9, 10)
sp.solve(sp.Eq(w / alpha_1 + (1 - w) / alpha_2, b), alpha_2)[0]

# %% [markdown]
# Its variance, integrated from the density, against $2\beta S^{-2}e - (\beta(-S)^{-1}e)^2$:

# %%
density = w * alpha_1 * sp.exp(-alpha_1 * t) + (1 - w) * alpha_2 * sp.exp(-alpha_2 * t)
first_moment = sp.integrate(sp.expand(t * density), (t, 0, sp.oo))
central_moment = sp.integrate(sp.expand((t - first_moment) ** 2 * density), (t, 0, sp.oo))
beta, S, e = sp.Matrix([[w, 1 - w]]), sp.diag(-alpha_1, -alpha_2), sp.ones(2, 1)
printed_variance = 2 * (beta * S.inv() ** 2 * e)[0] - (beta * (-S).inv() * e)[0] ** 2
paper.claim("ADKNS-7.mixture-rate").as_stated(mixmean=first_moment)
paper.claim("ADKNS-7.mixture-variance").as_stated(variance=central_moment, byphases=printed_variance)


# %%
def mixture(rate_1, mean_time):
    """The mixture with this first rate and this mean, exactly."""
    rate_2 = (1 - WEIGHT) * rate_1 / (mean_time * rate_1 - WEIGHT)
    zero = fmpq(0)
    return (WEIGHT, 1 - WEIGHT), ((-rate_1, zero), (zero, -rate_2))


def rational(value):
    return sp.Rational(int(value.p), int(value.q))


def variance(law):
    first, second = moments(law, 2)
    return second - first**2


b_1, g_1 = mean(example.service), mean(example.obsolescence)
service_rates = [decimal(text) for text in variation["service_rates"]]
clock_rates = [decimal(text) for text in variation["obsolescence_rates"]]
crossover = decimal({key: text for _, key, text in printed.text("variation", "service_mixture")}["crossover_rate"])


def agrees(cell):
    return cell.agreement.agrees


def two_units_more_agrees(cell):
    """Truncated numbers may well round to the next one, but never to the one after it."""
    return compare(one_up(one_up(cell.printed)), cell.value).agrees


# %% [markdown]
# The printed variances belong to $b_1 = 23/35$ exactly, not to the printed 0.657. At the printed $\alpha_1 = 1.521$ the
# law is exponential only up to the rounding: the exact rate is $1/b_1 = 35/23$.

# %%
service_cells = printed.text_cells("variation", "service_mixture", {
    "least_rate": WEIGHT / b_1, "exponential_rate": 1 / b_1,
    "least_variance": variance(mixture(service_rates[0], b_1)), "largest_variance": variance(mixture(service_rates[-1], b_1)),
    "crossover_rate": crossover, "crossover_variance": variance(mixture(crossover, b_1)),
})
service_cells = [cell for cell in service_cells if cell.row != "crossover_rate"]  # judged below, from the costs
print(report(service_cells))
rounded_mean = fmpq(657, 1000)
def variance_with(mean_time):
    """The variance of the mixture with this mean, as a function of its first rate; exact numbers."""
    return lambda rate_1: rational(variance(mixture(fmpq(rate_1.p, rate_1.q), mean_time)))


paper.claim("ADKNS-7.service-mixture").as_stated(b1=rational(b_1), v=variance_with(b_1))

# %% [markdown]
# ## Figures 2 and 3: service times
# The best policy for each $\alpha_1$, and the best ones with the modes 3, 1 and 4, 1 only:


# %%
def with_service(rate_1):
    return example.changed(service=mixture(rate_1, b_1))


def best_of(costs, modes):
    policy = cheapest(costs, falling_policies(modes, K))
    return policy, costs[policy]


grid = sorted({*service_rates, crossover, *(fmpq(k, 2) for k in range(4, 19))})
service_costs = {rate_1: exact_costs(with_service(rate_1), MODES) for rate_1 in grid}
for rate_1 in service_rates:
    costs = service_costs[rate_1]
    line = [f"{modes}: j = {thresholds(best_of(costs, modes)[0], modes)}, {as_printed(best_of(costs, modes)[1], 6)}" for modes in ((1, 3), (1, 4))]
    best = cheapest(costs)
    print(f"alpha_1 = {float(as_printed(rate_1, 3)):<6}", *line, f"best: {best}, {as_printed(costs[best], 6)}", sep="  ")

# %% [markdown]
# Up to $\alpha_1 = 4$, says the text, the optimal set of modes is 1 and 3. That is right at 1.521 and 3, but from about 3.35 on a
# policy with four robots in the empty system is better, at 4 one with four robots up to 1 page:

# %%
up_to_4 = {text: exact_costs(with_service(decimal(text)), MODES) for text in ("1.521", "3", "3.3", "3.35", "3.4", "4")}
for text, costs in up_to_4.items():
    best = cheapest(costs)
    print(f"alpha_1 = {text:<6} best: {best}, {as_printed(costs[best], 6)}  with the modes 1 and 3: {as_printed(best_of(costs, (1, 3))[1], 6)}")

# %%
pair_1_3, least_of_all = sp.symbols("least_cost_with_modes_1_and_3 least_cost", positive=True)
for text in ("3.4", "4"):
    costs = up_to_4[text]
    paper.claim("ADKNS-F2.modes").refute(
        sp.Le(pair_1_3, least_of_all + sp.Rational(1, 10**10)),
        witness={
            pair_1_3: sp.Rational(as_printed(best_of(costs, (1, 3))[1], 10)),
            least_of_all: sp.Rational(as_printed(costs[cheapest(costs)], 10)),
        },
    )
best_up_to_4 = {
    "1.521": (3, 3, 3, 1, 1, 1), "3": (3, 3, 3, 1, 1, 1), "3.3": (3, 3, 3, 1, 1, 1), "3.35": (4, 3, 3, 1, 1, 1),
    "3.4": (4, 3, 3, 1, 1, 1), "4": (4, 4, 3, 1, 1, 1),
}
paper.claim("ADKNS-F2.modes-corrected").instances(
    up_to_4, lambda text: cheapest(up_to_4[text]) == best_up_to_4[text], what="values of alpha_1 up to 4, all threshold policies",
    wrong={"modes 1 and 3 throughout": lambda text: modes_of(cheapest(up_to_4[text])) == (1, 3)},
)

# %% [markdown]
# The text has the modes 1 and 4 as the optimal set beyond $\alpha_1 = 4$. They do beat the modes 1 and 3 at 5, 7 and 9, but
# a policy with the modes 1, 3 and 4 beats both: four robots up to 1 page, three at 2 pages, then one. At
# $\alpha_1 = 5$ it saves 1.45. (In Table 3, in the row $s = 3$, the paper does have such a policy's cost.)

# %%
pair_cost, least_cost = sp.symbols("least_cost_with_modes_1_and_4 least_cost", positive=True)
modes_claim = paper.claim("ADKNS-F3.modes")
at_5 = service_costs[fmpq(5)]
modes_claim.refute(
    sp.Le(pair_cost, least_cost + sp.Rational(1, 10**10)),
    witness={
        pair_cost: sp.Rational(as_printed(best_of(at_5, (1, 4))[1], 10)),
        least_cost: sp.Rational(as_printed(at_5[cheapest(at_5)], 10)),
    },
)
paper.claim("ADKNS-F3.modes-corrected").instances(
    service_rates, lambda rate_1: modes_of(cheapest(service_costs[rate_1])) == ((1, 3) if rate_1 <= 3 else (1, 3, 4)),
    what="values of alpha_1, all threshold policies",
    wrong={
        "modes 1 and 4 beyond 4": lambda rate_1: modes_of(cheapest(service_costs[rate_1]))
        == ((1, 3) if rate_1 <= 4 else (1, 4)),
        "modes 1 and 3 throughout": lambda rate_1: modes_of(cheapest(service_costs[rate_1])) == (1, 3),
    },
)

# %% [markdown]
# Among policies with two modes, the text is right for the five curves of the figure. The crossover itself lies
# between 4.07 and 4.08, which is 4 without decimals; the printed variance 3.415 is the one at 4.


# %%
def pairs(costs):
    """All sets of two modes, cheapest first, by their best policies."""
    sets = [(low, high) for low in MODES for high in MODES if low < high]
    return sorted(sets, key=lambda modes: best_of(costs, modes)[1])


paper.claim("ADKNS-F3.pairs").instances(
    service_rates, lambda rate_1: pairs(service_costs[rate_1])[0] == ((1, 3) if rate_1 <= crossover else (1, 4)),
    what="values of alpha_1, all pairs of modes",
    wrong={"modes 1 and 3 throughout": lambda rate_1: pairs(service_costs[rate_1])[0] == (1, 3)},
)
around = {text: exact_costs(with_service(decimal(text)), MODES) for text in ("4", "4.07", "4.08", "4.1")}
for text, costs in around.items():
    print(f"alpha_1 = {text:<5}", *(f"{modes}: {as_printed(best_of(costs, modes)[1], 6)}" for modes in ((1, 3), (1, 4))))
paper.claim("ADKNS-X.crossover").instances(
    around, lambda text: pairs(around[text])[0] == ((1, 3) if decimal(text) <= fmpq(407, 100) else (1, 4)),
    what="values of alpha_1 around the crossover",
    wrong={"a crossover at 4": lambda text: pairs(around[text])[0] == ((1, 3) if decimal(text) <= 4 else (1, 4))},
)

# %% [markdown]
# The figure's curves, cost against threshold: those of $\alpha_1 = 1.521$ and 3 (modes 1 and 3) are said to be the two lower
# ones. At the thresholds of their minima they are, and at all thresholds from 1 on; only at threshold 0 they cross.


# %%
def curve(costs, modes):
    low, high = modes
    return [costs[(high,) * (j + 1) + (low,) * (K - j)] for j in range(K + 1)]


curves = {rate_1: curve(service_costs[rate_1], (1, 3) if rate_1 <= crossover else (1, 4)) for rate_1 in service_rates}
lower, upper = ([curves[r] for r in service_rates if (r <= crossover) == low] for low in (True, False))
lower_at = [j for j in range(K + 1) if max(c[j] for c in lower) < min(c[j] for c in upper)]
print("lower at the thresholds", lower_at)
paper.claim("ADKNS-F3.curves").instances(
    [(low, high) for low in lower for high in upper], lambda pair: min(pair[0]) < min(pair[1]),
    what="pairs of a lower and another curve, at their minima",
    wrong={"lower at every threshold": lambda pair: all(a < b for a, b in zip(*pair, strict=True))},
)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
for rate_1, values in curves.items():
    modes = "3 or 1" if rate_1 <= crossover else "4 or 1"
    left.plot(range(K + 1), [float(as_printed(v, 10)) for v in values], marker="o", label=f"{as_printed(rate_1, 3)}, {modes}")
left.set(xlabel="threshold", ylabel="cost", title="Figure 3: two modes")
left.legend(title="alpha_1, modes")
variances = [float(as_printed(variance(mixture(r, b_1)), 10)) for r in grid]
for modes, label in (((1, 3), "modes 3, 1"), ((1, 4), "modes 4, 1"), (MODES, "all modes")):
    least = [min(cost for policy, cost in service_costs[r].items() if set(policy) <= set(modes)) for r in grid]
    right.plot(variances, [float(as_printed(cost, 10)) for cost in least], label=label)
right.set(xlabel="variance of the service time", ylabel="least cost", title="The best policy has three modes")
right.legend()
figure.tight_layout()

# %% [markdown]
# ## Figure 4: times until obsolescence
# Now the clock of a page has two phases that matter: 126 states, with the phases of all waiting pages in order. (The text
# calls the matrix of this law $G$; everywhere else it is $\Gamma$, and $G_i$ are the matrices of the algorithm.)

# %%
paper.claim("ADKNS-7.mixture-letter").textual(
    version="2011", place="Section 7, before Figure 4", words="G", should_be=r"\Gamma",
)
clock_costs = {rate_1: exact_costs(example.changed(obsolescence=mixture(rate_1, g_1)), MODES) for rate_1 in clock_rates}
best_clock = {rate_1: cheapest(costs) for rate_1, costs in clock_costs.items()}
clock_cells = printed.text_cells("variation", "obsolescence_mixture", {
    "mean": g_1, "exponential_rate": 1 / g_1,
    "least_variance": variance(mixture(clock_rates[0], g_1)), "largest_variance": variance(mixture(clock_rates[-1], g_1)),
    "first_threshold": thresholds(best_clock[clock_rates[0]], (1, 3)), "last_threshold": thresholds(best_clock[clock_rates[-1]], (1, 3)),
})
print(report(clock_cells))
number_cells = [cell for cell in clock_cells if isinstance(cell.value, fmpq)]
paper.claim("ADKNS-7.obsolescence-mixture").as_stated(g1=rational(g_1), v=variance_with(g_1))

# %%
for rate_1, policy in best_clock.items():
    print(f"alpha_1 = {as_printed(rate_1, 1):<4} variance {as_printed(variance(mixture(rate_1, g_1)), 3):>8}  best {policy}  cost {as_printed(clock_costs[rate_1][policy], 10)}")
paper.claim("ADKNS-F4.modes").instances(
    clock_rates, lambda rate_1: modes_of(best_clock[rate_1]) == (1, 3), what="values of alpha_1, all threshold policies",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"three robots alone": lambda rate_1: modes_of(best_clock[rate_1]) == (3,)},
)
found = [thresholds(best_clock[rate_1], (1, 3))[0] for rate_1 in clock_rates]
paper.claim("ADKNS-F4.thresholds").instances(
    [found], lambda js: (js[0], js[-1]) == (2, 0) and js == sorted(js, reverse=True), what=f"thresholds {found}",
    only_gross="a single case",
    wrong={"one less at each step": lambda js: js == list(range(js[0], js[0] - len(js), -1))},
)

# %%
figure, axes = plt.subplots(figsize=(6.4, 4))
for rate_1 in clock_rates:
    axes.plot(range(K + 1), [float(as_printed(v, 10)) for v in curve(clock_costs[rate_1], (1, 3))], marker="o", label=as_printed(rate_1, 1))
axes.set(xlabel="threshold", ylabel="cost", title="Figure 4: modes 3 and 1, more variable obsolescence")
axes.legend(title="alpha_1")
figure.tight_layout()
