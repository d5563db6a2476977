# %% [markdown]
# # Plan a crawl
#
# One robot, pages that change at random, a law for how long an access takes. How often should each page be fetched, in
# which order, and how far is that from the best that any schedule can do?
#
# The pages: 400 of them, whose change rates (per hour) spread over three powers of ten.

# %%
import matplotlib.pyplot as plt
import numpy as np

from crawlproof import laws, schedule
from crawlproof.schedule import plots

rng = np.random.default_rng(1)
change_rate = np.sort(10 ** rng.uniform(-4, -1, 400))
access_time = laws.Exponential(mean=1 / 60)  # a minute, in hours
print(f"{change_rate.sum():.2f} changes and {1 / access_time.mean:.0f} accesses an hour")

# %% [markdown]
# ## Frequencies
#
# Without weights, every page costs its change rate while it is out of date, and the best frequencies have the closed form (10).
# With weights of your own, pages can drop out: the plan says which, and certifies how far it can be from the optimum.

# %%
plan = schedule.frequencies(change_rate, access_time=access_time)
print(f"cost of the bound: {plan.cost:.6g}, certified to {plan.gap:.1e}")

weight = rng.pareto(0.8, 400)
weighted = schedule.frequencies(change_rate, weight, access_time=access_time)
print(f"with weights: {weighted.cost:.6g}, {weighted.dropped.sum()} pages dropped")

figure, axes = plt.subplots(figsize=(7, 3.6))
per_day = 24 * weighted.frequency / access_time.mean
plots.frequency_against_rate(axes, 24 * change_rate, per_day)

# %% [markdown]
# ## An order of access, and its exact cost
#
# A frequency is not a schedule: gaps are whole numbers. `sequence` makes one cycle of a policy, `evaluate` gives its exact
# long-run cost by Lemma 3.1.

# %%
found = {}
for policy in schedule.POLICIES:
    accesses = schedule.sequence(plan.frequency, policy, length=500_000)
    found[policy] = schedule.evaluate(accesses, change_rate, access_time).ratio
for policy, ratio in sorted(found.items(), key=lambda item: item[1]):
    print(f"{policy:15s} {ratio:.4f} times the lower bound")

figure, axes = plt.subplots(figsize=(7, 3.6))
plots.ratio_of_policies(axes, found)

# %% [markdown]
# In the long run the golden ratio policy stays below 9/8 for every page, whatever the frequencies (CLW-X.golden-guarantee); the
# [explorer](../explorer.md) shows where in its wave a number of equal pages lies.
