# %% [markdown]
# # When control stops to pay
#
# Avrachenkov, Dudin, Klimenok, Nain and Semenova, Section 7, before Table 3: with a server at least 15 times as fast, no
# control is needed. Table 3 shows this for $s = 15$. Here it is proved for all $s \ge 15$ at once, and the speed at which
# control stops to pay is enclosed.

# %%
import matplotlib.pyplot as plt
from flint import arb, arb_mat, fmpq

from claimproof import Paper
from claimproof.core.project import Project
from claimproof.engines.balls import interval
from crawlproof.models.level_recursion import Level, costs_of_levels, exact_costs, state_rewards
from crawlproof.models.printed_examples import Example, lumped
from crawlproof.models.printed_numbers import PrintedNumbers, as_printed

paper = Paper("adkns")
printed = PrintedNumbers.load(Project.find().derivations / "adkns" / "printed.toml")
printed_example = Example.first(printed.inputs["first"])
example = printed_example.changed(obsolescence=lumped(printed_example.obsolescence))
MODES = (1, 2, 3, 4)
K = example.capacity
ONE_ROBOT = (1,) * (K + 1)

# %% [markdown]
# ## Intervals of speeds
# Rates are affine in $s$: $B_0 + sB_1$. With pages in the system every rate and reward is divided by $s$, which changes
# no descent from level to level: with $t = 1/s$ they are $tB_0 + B_1$. So $t$ may be a whole interval, and
# $t = 0$, an infinitely fast server, is no exception. All costs become balls that hold for every $t$ of the interval.


# %%
def affine(first, second):
    """B_0 and B_1 of a matrix B_0 + s B_1, from its values at s = 1 and 2."""
    return 2 * first - second, second - first


def between(parts, t):
    """t B_0 + B_1 for a ball t."""
    return t * arb_mat(parts[0]) + arb_mat(parts[1])


def affine_levels(robots):
    """For each level: its states, and the affine parts of its rates to itself, down and up."""
    slow, fast = (example.faster_service(fmpq(s)).queue((robots,) * (K + 1)) for s in (1, 2))
    largest = max(map(len, example.arrivals)) - 1
    return slow, [
        {
            "stay": affine(slow.block(i, i), fast.block(i, i)),
            "down": affine(slow.block(i, i - 1), fast.block(i, i - 1)) if i else None,
            "up": [affine(slow.block(i, j), fast.block(i, j)) for j in range(i + 1, min(i + largest, K) + 1)],
        }
        for i in range(K + 1)
    ]


def affine_fate():
    """The chain of a tagged page: states, parts of its rates, and the rate of being served at s = 1."""
    slow, fast = (example.faster_service(fmpq(s)).queue(ONE_ROBOT).tagged_page() for s in (1, 2))
    return slow.states, affine(slow.rates, fast.rates), slow.served


PARTS = {robots: affine_levels(robots) for robots in MODES}
FATE = affine_fate()
COEFFICIENTS = dict(example.costs)


def served_times(t):
    """E[time in the system; served] for a page in each state, for all speeds 1/t."""
    states, rates, served = FATE
    resolvent = -between(rates, t)  # that of the chain, divided by s
    times = resolvent.solve(resolvent.solve(arb_mat(served)))
    return {state: t * times[i, 0] for i, state in enumerate(states)}


def levels_at(robots, t):
    """The levels with this number of robots for all speeds 1/t, those with pages divided by the speed."""
    queue, parts = PARTS[robots]
    times, found = served_times(t), []
    for i, part in enumerate(parts):
        scale = t if i else arb(1)
        rewards = []
        for state in queue.level_states(i):
            time, cost, served_time, served = state_rewards(queue, state, COEFFICIENTS, times)
            rewards.append([scale * time, scale * cost, scale * served_time, served])  # served: at s = 1
        found.append(Level(
            stay=between(part["stay"], t) if i else arb_mat(part["stay"][0]),
            down=between(part["down"], t) if i else None,
            up=tuple(between(up, t) if i else arb_mat(up[0]) for up in part["up"]),
            rewards=arb_mat(rewards),
        ))
    return found


def costs_at(t):
    return dict(costs_of_levels({robots: levels_at(robots, t) for robots in MODES}, COEFFICIENTS["sojourn"]))


# %% [markdown]
# At single speeds this gives what the rationals give:

# %%
SPEEDS = (fmpq(1), fmpq(3), fmpq(15))
balls = {s: costs_at(arb(1 / s)) for s in SPEEDS}


def contains(s, policy, factor=1):
    """The ball for speed s contains the exact cost at that speed times a factor."""
    return balls[s][policy].contains(exact_costs(example.faster_service(s * factor), MODES)[policy])


paper.claim("ADKNS-X.speed-intervals").instances(
    [(s, policy) for s in SPEEDS for policy in balls[s]], lambda case: contains(*case),
    what="speeds and policies, the ball contains the rational", kind="enclosed",
    only_gross="every interval is narrower than a per cent",
    wrong={"a speed 1 percent off": lambda case: contains(*case, fmpq(101, 100))},
)

# %% [markdown]
# ## All speeds from 15 on
# The interval $0 \le t \le 1/15$ is cut into pieces until in each the ball of "one robot, always" lies below the balls of
# the other 83 threshold policies.


# %%
def one_robot_is_best(low, high):
    """For all speeds 1/t with low <= t <= high, one robot without control beats every other threshold policy."""
    costs = costs_at(interval(low, high))
    return all(costs[ONE_ROBOT] < costs[policy] for policy in costs if policy != ONE_ROBOT)


def pieces(low, high, depth=14):
    """Subintervals on which one robot is best; an error names the first that can't be settled."""
    if one_robot_is_best(low, high):
        return [(low, high)]
    if not depth:
        raise ValueError(f"not settled for 1/s from {low} to {high}")
    middle = (low + high) / 2
    return pieces(low, middle, depth - 1) + pieces(middle, high, depth - 1)


from_15 = pieces(fmpq(0), fmpq(1, 15))
paper.claim("ADKNS-7.no-control").instances(
    from_15, lambda piece: one_robot_is_best(*piece), what="pieces that cover 0 <= 1/s <= 1/15", kind="enclosed",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"half the speed": lambda piece: one_robot_is_best(2 * piece[0], 2 * piece[1])},
)

# %% [markdown]
# ## Where control stops to pay
# The bound 15 is only the first speed of the table beyond the true one, which lies between 13.29 and 13.30.

# %%
below, above = fmpq(1329, 100), fmpq(133, 10)
at_below = exact_costs(example.faster_service(below), MODES)
best_below = min(at_below, key=at_below.__getitem__)
print(f"s = {as_printed(below, 2)}: {best_below} costs {as_printed(at_below[best_below], 6)}, one robot {as_printed(at_below[ONE_ROBOT], 6)}")
crossing = paper.claim("ADKNS-X.no-control-from")
crossing.instances(
    [best_below], lambda policy: at_below[policy] < at_below[ONE_ROBOT], what="a policy with control that is better at s = 13.29",
    only_gross="a single case",
    wrong={"one robot": lambda policy: at_below[policy] >= at_below[ONE_ROBOT]},
)
crossing.instances(
    pieces(fmpq(1, 15), 1 / above), lambda piece: one_robot_is_best(*piece), what="pieces that cover 13.30 <= s <= 15", kind="enclosed",
    only_gross="each case shows it strictly: the opposite fails in each",
    wrong={"10 percent slower": lambda piece: one_robot_is_best(*(t * fmpq(11, 10) for t in piece))},
    using=["ADKNS-7.no-control"],
)

# %%
shown = [fmpq(k, 2) for k in range(16, 61)]
figure, axes = plt.subplots(figsize=(6.4, 4))
for policy, label in (((4, 4, 1, 1, 1, 1), "4 robots up to 1 page"), ((4, 1, 1, 1, 1, 1), "4 robots at 0 pages"), ((3, 1, 1, 1, 1, 1), "3 robots at 0 pages"), (ONE_ROBOT, "one robot")):
    values = [exact_costs(example.faster_service(s), MODES)[policy] for s in shown]
    axes.plot([float(as_printed(s, 2)) for s in shown], [float(as_printed(v, 10)) for v in values], label=label)
axes.axvline(13.3, color="0.7", linewidth=0.8)
axes.set(xlabel="speed of the server", ylabel="cost", title="From 13.3 on, control doesn't pay")
axes.legend()
figure.tight_layout()
