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

# From n robots, a page at rate 0.4 n and two at once at rate 0.1 n.
robots = [Bmap([[[-0.5 * n]], [[0.4 * n]], [[0.1 * n]]]) for n in (1, 2, 3)]
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
for name in ("loss", "obsolescence", "success", "starvation", "active_robots"):
    print(f"{name:15s} {getattr(measured, name):.6f}")

# %% [markdown]
# ## The best policy
#
# Thresholds and modes that cost least, for the cost function (2) of the paper, and how the choice changes as an idle indexer gets more expensive.

# %%
def best_policy(price):
    return queue.optimise(Costs(loss=5, obsolescence=5, robot=0.3, starvation=price))


best = best_policy(4)
print(f"modes {best.modes}, thresholds {best.thresholds}, cost {best.cost:.6f}")

prices = np.linspace(0, 12, 49)
found = [best_policy(price).measures for price in prices]
figure, (above, below) = plt.subplots(2, figsize=(7, 4.4), sharex=True)
above.step(prices, [measures.active_robots for measures in found], where="mid")
above.set(ylabel="active robots, mean")
below.step(prices, [measures.starvation for measures in found], where="mid")
below.set(xlabel="price of an idle indexer", ylabel="share of time idle")
for axes in (above, below):
    axes.grid(alpha=0.3)
