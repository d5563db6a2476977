# %% [markdown]
# # Size the robots
#
# Robots deliver pages to an indexing queue. Too many, and pages are lost or grow old while they wait; too few, and the
# indexer starves. How many should run, depending on how full the queue is?
#
# Here one, two or three robots deliver pages in batches; the buffer holds six, the page in service included.

# %%
import matplotlib.pyplot as plt
import numpy as np

from crawlproof.queue import Bmap, Costs, PhaseType, ThresholdQueue

robots = [Bmap([[[-0.5 * n]], [[0.4 * n]], [[0.1 * n]]]) for n in (1, 2, 3)]  # one page, or two at once
service = PhaseType([1, 0], [[-3, 3], [0, -3]])  # Erlang
obsolescence = PhaseType([1], [[-0.2]])
queue = ThresholdQueue(robots, service, obsolescence, capacity=6)
print(f"{queue.states()} states")

# %% [markdown]
# ## One policy
#
# All robots while at most two pages are there, then one.

# %%
measured = queue.solve(thresholds=(2,), modes=(3, 1))
for name in ("loss", "obsolescence", "success", "starvation", "active_robots", "sojourn_served"):
    print(f"{name:15s} {getattr(measured, name):.6f}")

# %% [markdown]
# ## The best policy
#
# Thresholds and modes that cost least, for the cost function (2) of the paper, and how the choice changes as an idle indexer gets more expensive.

# %%
best = queue.optimise(Costs(loss=5, obsolescence=5, robot=0.3, starvation=4))
print(f"modes {best.modes}, thresholds {best.thresholds}, cost {best.cost:.6f}")

prices = np.linspace(0, 12, 49)
optima = [queue.optimise(Costs(loss=5, obsolescence=5, robot=0.3, starvation=price)) for price in prices]
figure, axes = plt.subplots(figsize=(7, 3.6))
axes.plot(prices, [optimum.measures.active_robots for optimum in optima], drawstyle="steps-mid", label="mean number of active robots")
axes.plot(prices, [10 * optimum.measures.starvation for optimum in optima], "--", drawstyle="steps-mid", label="10 × share of time without a page")
axes.set(xlabel="price of an idle indexer", ylabel="under the best policy")
axes.legend()
axes.grid(alpha=0.3)
