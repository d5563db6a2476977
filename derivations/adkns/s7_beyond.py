# %% [markdown]
# # What do thresholds lose?
#
# Avrachenkov, Dudin, Klimenok, Nain and Semenova look for the best policy among those with thresholds, and say that
# they can't prove more. For the example of Table 1 everything is finite and small, so the question has an answer: first
# among all policies that see the number of pages, then among all policies whatsoever that also see the phases.

# %%
import matplotlib.pyplot as plt
import sympy as sp
from flint import fmpq

from claimproof import Paper
from claimproof.core.project import Project
from crawlproof.models.decision import advantage, evaluate, optimise
from crawlproof.models.level_recursion import exact_costs, served_times, state_rewards
from crawlproof.models.printed_examples import Example, lumped
from crawlproof.models.printed_numbers import PrintedNumbers, as_printed

paper = Paper("adkns")
printed = PrintedNumbers.load(Project.find().derivations / "adkns" / "printed.toml")
printed_example = Example.first(printed.inputs["first"])
example = printed_example.changed(obsolescence=lumped(printed_example.obsolescence))
MODES = (1, 2, 3, 4)
K = example.capacity

# %% [markdown]
# ## Every policy that sees the number of pages
# There are $4^6 = 4096$ ways to choose a number of robots for 0 to 5 pages; 84 of them never rise. Exact costs of all:

# %%
costs = exact_costs(example, MODES, falling=False)
THRESHOLD_POLICY = (3, 3, 3, 1, 1, 1)  # Table 1's best
ranking = sorted(costs, key=costs.__getitem__)
for policy in ranking[:5]:
    print(policy, as_printed(costs[policy], 10))

# %%
paper.claim("ADKNS-X.level-policies").instances(
    costs, lambda policy: policy == THRESHOLD_POLICY or costs[policy] > costs[THRESHOLD_POLICY],
    what="policies that see the number of pages",
    wrong={"a threshold of 3 is best": lambda policy: policy == (3, 3, 3, 3, 1, 1) or costs[policy] > costs[3, 3, 3, 3, 1, 1]},
)

# %% [markdown]
# Among these, a threshold policy is the best: thresholds lose nothing.
#
# ## Policies that see the phases
# Now the action may depend on the whole state: pages, arrival phase, service phase (the phases of the clocks don't matter, as
# the obsolescence law is exponential). In state $i$ under action $a$, per unit of time: $c$, the part of the cost that
# is a mean per unit of time; $w$, the time that newly accepted pages will spend in the system, if they are served; $s$,
# pages served. With long-run means $C$, $W$, $S$ the cost is
#
# $$J = C + a_V V, \qquad V = W/S,$$
#
# with the coefficient $a_V = 2$ of the time in the system. The ratio makes this no ordinary decision problem.
# As in Dinkelbach's method, replace it by one with a parameter: for a number $v$ and a multiplier $\mu$, minimise the mean of
# $c + \mu(w - v s)$. Start anywhere, take $v = V$ and $\mu = a_V/S$ of the last policy, and repeat.

# %%
queues = {robots: example.queue((robots,) * (K + 1)) for robots in MODES}
states = queues[1].states
times = served_times(queues[1])
coefficients = dict(example.costs)
rates = {robots: queue.generator.tolist() for robots, queue in queues.items()}
rewards = {robots: [state_rewards(queue, s, coefficients, times) for s in states] for robots, queue in queues.items()}
a_V = coefficients["sojourn"]


def linear_costs(mu, v):
    """c + mu (w - v s) for each action and state."""
    return {robots: [c + mu * (w - v * s) for _, c, w, s in rows] for robots, rows in rewards.items()}


def means(actions):
    """The long-run means C, W, S of a policy: the gains of its three rewards."""
    return tuple(evaluate(rates, {r: [row[k] for row in rows] for r, rows in rewards.items()}, actions).gain for k in (1, 2, 3))


actions = (3,) * len(states)
while True:
    C, W, S = means(actions)
    print(f"J = {as_printed(C + a_V * W / S, 10)}  V = {as_printed(W / S, 10)}  S = {as_printed(S, 10)}")
    improved = optimise(rates, linear_costs(a_V / S, W / S)).actions
    if improved == actions:
        break
    actions = improved
optimal_cost = C + a_V * W / S

# %% [markdown]
# (A policy that looks at the pages only has the same cost in this form as before:)

# %%
phase_policy = paper.claim("ADKNS-X.phase-policy")
C_level, W_level, S_level = means([THRESHOLD_POLICY[state[0]] for state in states])
phase_policy.exact(C_level + a_V * W_level / S_level, costs[THRESHOLD_POLICY])

# %%
print("robots by arrival phase (rows) and pages (columns), for both service phases:")
chosen = dict(zip(states, actions, strict=True))
for phase in (0, 1):
    by_pages = [sorted({robots for state, robots in chosen.items() if state[:2] == (pages, phase)}) for pages in range(K + 1)]
    print(f"phase {phase + 1}:", by_pages)

# %% [markdown]
# The best policy looks at the arrival phase: in phase 1 one robot, always; in phase 2 three robots up to 2 pages, then one. It
# doesn't care about the service phase, and it has a threshold again, one for each arrival phase.
#
# ## It is optimal
# The iteration might have stopped at a local optimum, so a proof is needed. Let $\mu = a_V/S$ be that of the policy found, with
# cost $J^*$. A solution of the decision problem comes with a gain $g$ and numbers $h$ such that
# $c_a(i) + \mu(w_a(i) - v s_a(i)) + \sum_j q_a(i, j)h_j \ge g$ for all states and actions. Then *every* policy has
# $C + \mu(W - vS) \ge g$. Three such certificates are enough:
#
# 1. at $v = 0$ the gain is $J^*$, so $C + \mu W \ge J^*$;
# 2. at some $v_1$ it is $J^* - a_V v_1$, so $C + \mu(W - v_1 S) + a_V v_1 \ge J^*$;
# 3. with $\mu = 0$ the gain is some $C_{\min}$ with $C_{\min} + a_V v_1 > J^*$.
#
# A policy with $V = W/S \le v_1$ gets $C + a_V V \ge J^*$ from 1 and 2, added up with the weights $1 - V/v_1$ and $V/v_1$. One with
# $V > v_1$ gets it from 3.

# %%
mu = a_V / S
v_1 = fmpq(37, 20)
certificates = {
    "v = 0": (linear_costs(mu, fmpq(0)), optimal_cost),
    "v = v_1": (linear_costs(mu, v_1), optimal_cost - a_V * v_1),
    "mu = 0": (linear_costs(fmpq(0), fmpq(0)), optimal_cost - a_V * v_1),
}
solutions = {name: optimise(rates, problem) for name, (problem, _) in certificates.items()}
for name, (_, needed) in certificates.items():
    print(f"{name:<8} gain {as_printed(solutions[name].gain, 10)}, needed {as_printed(needed, 10)}")


def certified(case, surplus=0):
    """The inequality of one state and action, and a gain that is large enough."""
    name, state, robots = case
    problem, needed = certificates[name]
    solution = solutions[name]
    return solution.gain >= needed + surplus and advantage(rates, problem, solution.bias, state, robots) >= solution.gain + surplus


cases = [(name, state, robots) for name in certificates for state in range(len(states)) for robots in MODES]
phase_policy.instances(
    cases, certified, what="inequalities: three certificates, all states and actions",
    wrong={"one millionth more": lambda case: certified(case, fmpq(1, 10**6))},
)

# %%
V, weight = sp.symbols("V weight", positive=True)
C_any, W_any, S_any, v_one, m, a = sp.symbols("C W S v_1 mu a_V", positive=True)
first_bound, second_bound = C_any + m * W_any, C_any + m * (W_any - v_one * S_any) + a * v_one
combined = (1 - V / v_one) * first_bound + V / v_one * second_bound
phase_policy.equal(combined.subs(W_any, V * S_any), C_any + a * V)
phase_policy.argued(
    "policies with a memory",
    "the inequality bounds the expected cost of any policy over a long time from below by g times that time, up to the "
    "largest difference of the h: so it holds for all limits of means, of randomised policies and policies with a memory too",
)

# %% [markdown]
# ## The loss

# %%
loss = costs[THRESHOLD_POLICY] - optimal_cost
print(
    f"best policy that sees pages  {as_printed(costs[THRESHOLD_POLICY], 10)}\n"
    f"best policy that sees phases {as_printed(optimal_cost, 10)}\n"
    f"loss {as_printed(loss, 10)}, {as_printed(100 * loss / optimal_cost, 4)} percent of the optimum",
)
thresholds_claim = paper.claim("ADKNS-X.thresholds-lose")
thresholds_claim.instances(
    [loss / optimal_cost], lambda share: fmpq(178, 1000) < share < fmpq(179, 1000), what="relative loss of the best policy without phases",
    only_gross="a single case",
    wrong={"no loss": lambda share: share == 0},
)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
ordered = [float(as_printed(costs[policy], 10)) for policy in ranking]
falling = [index for index, policy in enumerate(ranking) if policy == tuple(sorted(policy, reverse=True))]
left.plot(range(1, len(ordered) + 1), ordered, color="0.6", label="all 4096 policies that see pages")
left.plot([i + 1 for i in falling], [ordered[i] for i in falling], ".", label="84 threshold policies")
left.axhline(float(as_printed(optimal_cost, 10)), color="C3", label="best policy that sees phases")
left.set(xlabel="rank", ylabel="cost", xscale="log", title="Costs of all policies (Table 1's example)")
left.legend()
for phase, style in ((0, "C3s-"), (1, "C3o-")):
    right.plot(range(K + 1), [chosen[next(s for s in states if s[:2] == (pages, phase))] for pages in range(K + 1)], style, label=f"arrival phase {phase + 1}")
right.plot(range(K + 1), THRESHOLD_POLICY, "k--", label="best without phases")
right.set(xlabel="pages in the system", ylabel="active robots", yticks=MODES, title="The best policy that sees phases")
right.legend()
figure.tight_layout()
