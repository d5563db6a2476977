# %% [markdown]
# # The golden ratio policy, exactly
#
# Section 5 of the paper borrows a schedule from Itai and Rosberg. Put the points $\mathrm{frac}(j\phi^{-1})$,
# $j = 0, \dots, F_k - 1$, on a circle; page 1 owns the first $M_1$ indices $j$, page 2 the next $M_2$, and so on;
# the robot walks round the circle and accesses the owner of each point that it meets. Consecutive multiples of
# $\phi^{-1}$ are spread as evenly as multiples of any number can be, so each page is met at nearly even distances.
#
# This notebook makes "nearly" exact: the order of the points by integer arithmetic, the gaps and how often each
# occurs, for every cycle length and every number of accesses, and the limit of the cost as the cycle grows.

# %%
import itertools
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from claimproof import Paper
from claimproof.engines.balls import sign_of

paper = Paper("clw")

sqrt5 = sp.sqrt(5)
phi = (1 + sqrt5) / 2
fib = [int(sp.fibonacci(k)) for k in range(64)]

# %% [markdown]
# ## Fibonacci numbers
#
# An identity between Fibonacci numbers with symbolic indices is, by Binet's formula, a polynomial identity in the
# powers $u = \phi^l$, $v = (1-\phi)^l$: shifting the index by $m$ multiplies $u$ by $\phi^m$ and $v$ by $(1-\phi)^m$. So we
# keep $u$ and $v$ as free symbols, and let $uv = (-1)^l$ enter only where a sign depends on the parity.

# %%
u, v, U, V = sp.symbols("u v U V", real=True)


def binet(power, conjugate, shift=0):
    """F with index (that of the powers) + shift, where power = phi^l and conjugate = (1 - phi)^l."""
    return (power * phi**shift - conjugate * (1 - phi) ** shift) / sqrt5


paper.claim("CLW-G10").as_stated()

# %% [markdown]
# ## How many accesses each page gets
#
# $M_i$ is $f_iF_k$ rounded down or up so that the sum is $F_k$. Such numbers exist: round the partial sums,
# $M_i = \lfloor S_iF_k\rfloor - \lfloor S_{i-1}F_k\rfloor$ with $S_i = f_1 + \dots + f_i$. The sum telescopes, and with
# fractional parts $a$ of $S_{i-1}F_k$ and $b$ of $f_iF_k$ the difference is $\lfloor f_iF_k\rfloor + \lfloor a + b\rfloor$ where
# $0 \le a + b < 2$ (both brackets of $2 - (a+b) = (1-a) + (1-b)$ are positive), and $a + b < 1$ if $b = 0$.

# %%
def rounded(frequencies, total):
    """Numbers of accesses by rounding the partial sums down."""
    sums = [sum(frequencies[:i], Fraction(0)) * total for i in range(len(frequencies) + 1)]
    return [int(b // 1) - int(a // 1) for a, b in itertools.pairwise(sums)]


def partitions_of(n, largest=None):
    """The partitions of n as decreasing tuples."""
    if n == 0:
        yield ()
    for first in range(min(n, largest or n), 0, -1):
        for rest in partitions_of(n - first, first):
            yield (first, *rest)


def is_rounding(frequencies, total, counts):
    return sum(counts) == total and all(
        f * total // 1 <= m <= -((-f * total) // 1) for f, m in zip(frequencies, counts, strict=True)
    )


cases = [
    ([Fraction(part, n) for part in parts], fib[k])
    for n in range(1, 12) for parts in partitions_of(n) for k in (5, 8, 13)
]
a, b = sp.symbols("a b", nonnegative=True)
paper.claim("CLW-G11").equal(2 - (a + b), (1 - a) + (1 - b), using=[]).instances(
    cases, lambda case: is_rounding(*case, rounded(*case)), what="frequency vectors and cycle lengths",
    wrong={
        "each rounded down": lambda case: is_rounding(*case, [int(f * case[1] // 1) for f in case[0]]),
        "each rounded up": lambda case: is_rounding(*case, [int(-((-f * case[1]) // 1)) for f in case[0]]),
    },
    using=[],
)

# %% [markdown]
# The frequencies themselves are those of (10); in print the sum runs over the index that is free on the left.

# %%
for version, words in (("1997", "x_i = ln h_i / sum over i"), ("1999", "f_i = ln h_i / sum over i")):
    paper.claim("CLW-G11a").textual(
        version=version, place="Section 5, (10) repeated", words=words,
        should_be=r"$\ln h_i/\sum_{m} \ln h_m$", using=["CLW-T3.4g"],
    )

# %% [markdown]
# $M_i$ differs from $f_iF_k$ by less than 1, so $|M_i/F_k - f_i| < 1/F_k$, and
# $F_k \ge \phi^k(1 - \phi^{-2k})/\sqrt5$ for either parity of $k$; put $y = \phi^{-k} \to 0$.

# %%
y = sp.symbols("y", positive=True)
paper.claim("CLW-G12").limit(sqrt5 * y / (1 - y**2), y, 0, 0, using=["CLW-G10", "CLW-G11"])

# %% [markdown]
# ## The order of the points, by integers
#
# $\phi^{-1}F_k = F_{k-1} - (1-\phi)^k$: so $j\phi^{-1} = jF_{k-1}/F_k \mp j\phi^{-k}/F_k$, with a minus for even and a plus
# for odd $k$. The shift is less than $F_k\phi^{-k}/F_k$, and $F_k\phi^{-k} = (1 \mp \phi^{-2k})/\sqrt5 < 1$. Put
# $r = jF_{k-1} \bmod F_k$. For odd $k$ the point of index $j$ lies in $[r/F_k, (r+1)/F_k)$. For even $k$ it lies in
# $((r-1)/F_k, r/F_k]$, and nothing is pushed below 0, because $r = 0$ only for $j = 0$, which does not move
# ($F_{k-1}$ and $F_k$ have no common factor: d'Ocagne's identity with $l = k - 1$ says $F_{k-1}^2 - F_{k-2}F_k = \pm1$). Either way the points
# stand in the order of $r$: **the rank of $\mathrm{frac}(j\phi^{-1})$ is $jF_{k-1} \bmod F_k$.**

# %%
x = sp.symbols("x", positive=True)
shift_free = paper.claim("CLW-X.golden-rank")
shift_free.equal(binet(u, v) / phi, binet(u, v, -1) - v, using=["CLW-G10"])
shift_free.inequality(sp.Lt((1 + x) / sqrt5, 1), on={x: (0, 1)}, using=["CLW-G10"])

# %% [markdown]
# Second check, straight from the definition: sort the points with exact comparisons. $\mathrm{frac}(j\phi^{-1})$ is
# $(j\sqrt5 - (j + 2n))/2$ with $n = \lfloor j\phi^{-1}\rfloor$; an integer square root gives $n$, and the sign of $a\sqrt5 + b$
# is that of an integer.

# %%
def floor_over_phi(j):
    """floor(j/phi) = floor((sqrt(5 j^2) - j)/2), exactly."""
    return (sp.integer_nthroot(5 * j * j, 2)[0] - j) // 2


def before(first, second):
    """Whether frac(first/phi) < frac(second/phi): the sign of a sqrt5 + b with integers."""
    a = second - first
    b = -a - 2 * (floor_over_phi(second) - floor_over_phi(first))
    return a * abs(a) * 5 + b * abs(b) > 0


def walk(k, multiplier):
    """The indices in the order of the ranks that the multiplier gives."""
    order = [0] * fib[k]
    for j in range(fib[k]):
        order[j * multiplier % fib[k]] = j
    return order


def is_sorted(order):
    return all(before(i, j) for i, j in itertools.pairwise(order))


shift_free.instances(
    range(3, 18), lambda k: is_sorted(walk(k, fib[k - 1])), what="cycle lengths, every comparison in integers",
    wrong={
        "next Fibonacci number but one": lambda k: is_sorted(walk(k, fib[k - 2])),
        "sign reversed": lambda k: is_sorted(walk(k, fib[k] - fib[k - 1])),
    },
    using=["CLW-G10"],
)

# %% [markdown]
# $\phi$ is irrational, so the $F_k$ points are distinct (two that coincide would have equal ranks). But the definition lets
# $M_i$ be 0 when $f_iF_k < 1$, and then page $i$ is never accessed, its frequency is 0, and $\gamma(k,N)$ is no policy in
# the sense of Section 2. Example: $f_1 = 1/10$, $F_5 = 5$, $M_1 = \lfloor1/2\rfloor = 0$. It takes $F_k\min_if_i \ge 1$.

# %%
index, count = sp.symbols("k M", integer=True, nonnegative=True)
tenth = sp.Rational(1, 10)
well_defined = paper.claim("CLW-G13")
well_defined.refute(
    sp.Ge(count, 1), witness={index: 5, count: 0},
    hypotheses=[sp.Le(sp.floor(tenth * sp.fibonacci(index)), count), sp.Le(count, sp.ceiling(tenth * sp.fibonacci(index)))],
)
well_defined.instances(
    range(3, 18), lambda k: sorted(j * fib[k - 1] % fib[k] for j in range(fib[k])) == list(range(fib[k])),
    what="cycle lengths: the ranks are a permutation",
    wrong={"even multiplier": lambda k: sorted(2 * j % fib[k] for j in range(fib[k])) == list(range(fib[k]))},
    given="$F_k \\min_i f_i \\ge 1$", using=["CLW-G11", "CLW-X.golden-rank"],
)

# %% [markdown]
# ## The example of the 1999 version, number by number
#
# $N = 4$, $f = (2, 3, 3, 5)/13$. By the paper's own formula $F_8 = 21$; the cycle length 13 is $F_7$. That formula is in the 1997 report (the page is lost in our copies of the 1999 version, and might
# number differently). But the 1999 version has the limit of the cost with weights $f - \phi^{-j}$, $f - \phi^{-j-1}$, $\phi^{1-j} - f$ for the gaps $F_j, F_{j+1}, F_{j+2}$; per access of the robot they must add up to 1,
# and do with $F_0 = 0$ only: numbered so that $F_8 = 13$ they add up to $\phi^{-1}$.

# %%
example_index = paper.claim("CLW-G14")
example_index.textual(version="1999", place="Section 5, example", words="k = 8", should_be="$k = 7$")
example_index.exact([sp.fibonacci(7), sp.fibonacci(8)], [13, 21])


def time_covered(j, first):
    """Gaps times their weights, with F_j numbered from ``first`` (F_first = 0); the frequency f drops out."""
    numbers = [sp.fibonacci(j - first + i) for i in range(3)]
    return sp.expand(sp.radsimp(phi ** (1 - j) * numbers[2] - phi**-j * numbers[0] - phi ** (-j - 1) * numbers[1]))


example_index.instances(
    range(2, 12), lambda j: time_covered(j, 0) == 1, what="indices: the gaps of a page fill the time",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"numbered so that F_8 = 13": lambda j: time_covered(j, 1) == 1},
)


# %%
def schedule(counts, k):
    """The access sequence of the policy: the owner of each point, in the order of the points."""
    owner = [page for page, m in enumerate(counts, start=1) for _ in range(m)]
    return [owner[j] for j in walk(k, fib[k - 1])]


printed = [4, 2, 4, 1, 3, 4, 2, 4, 1, 3, 4, 2, 3]
sequence = schedule([2, 3, 3, 5], 7)
sequence

# %% [markdown]
# The printed sequence is this one started five accesses later. It is what one gets when the indices run from 1 to $F_k$
# instead of from 0 to $F_k - 1$. As a cyclic policy it is the same, with the same gaps and cost; but by the definition
# the smallest point is $j = 0$, which belongs to page 1.

# %%
example = paper.claim("CLW-G15")
example.textual(
    version="1999", place="Section 5, example", words="{4,2,4,1,3,4,2,4,1,3,4,2,3}",
    should_be="$1,3,4,2,3,4,2,4,1,3,4,2,4$ (the same cycle, begun at its smallest point)", using=["CLW-X.golden-rank"],
)
from_one = sorted(range(1, 14), key=lambda j: j * fib[6] % fib[7])  # the same ranks, indices 1..13
example.instances(
    [5], lambda start: sequence[start:] + sequence[:start] == printed and sequence != printed, what="rotation",
    only_gross="a single case",
    wrong={"not rotated": lambda start: sequence == printed, "rotated by 3": lambda start: sequence[3:] + sequence[:3] == printed},
    using=["CLW-X.golden-rank"],
)
example.exact([[1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4][j - 1] for j in from_one], printed, using=["CLW-X.golden-rank"])

# %% [markdown]
# ## The gaps: three at most, and how often each occurs
#
# Page $i$ owns $M$ consecutive indices. Moving the index by $F_l$ moves the rank by $F_lF_{k-1}$ modulo $F_k$, and
# d'Ocagne's identity says that this is $\pm F_{k-l}$: a small step on the circle for a large step in the index.

# %%
docagne = paper.claim("CLW-X.docagne")
# u, v belong to l; U, V to j = k - l; so phi^k = u U, and (-1)^(l-1) = -u v
docagne.equal(
    binet(u, v) * binet(u * U, v * V, -1) - binet(u, v, -1) * binet(u * U, v * V), -u * v * binet(U, V),
    using=["CLW-G10"],
)
docagne.equal(binet(U, V, 1) * binet(u, v) + binet(U, V) * binet(u, v, -1), binet(u * U, v * V), using=["CLW-G10"])

# %% [markdown]
# Let $F_l \le M \le F_{l+1}$, $j = k - l$, and let $l$ be odd (for even $l$ reverse all directions). Send the index
#
# $$i \mapsto \begin{cases} i + F_l & 0 \le i < M - F_l & \text{(rank} + F_j)\\
# i + F_{l-2} & M - F_l \le i < F_{l-1} & \text{(rank} + F_{j+2})\\ i - F_{l-1} & F_{l-1} \le i < M & \text{(rank} + F_{j+1}).\end{cases}$$
#
# The three images $[F_l, M)$, $[M - F_{l-1}, F_l)$, $[0, M - F_{l-1})$ tile $[0, M)$: a bijection, whose steps add up to
# $(M-F_l)F_j + (F_{l+1}-M)F_{j+2} + (M-F_{l-1})F_{j+1} = F_k$, one turn of the circle.

# %%
M = sp.symbols("M", positive=True)
F_l, F_before, F_two_before, F_next = (binet(u, v, m) for m in (0, -1, -2, 1))
gaps = paper.claim("CLW-X.three-gaps")
rests = ["CLW-X.golden-rank", "CLW-X.docagne"]
gaps.equal((M - F_l) + F_two_before, M - F_before, using=rests)  # where the second image begins
gaps.equal(F_before + F_two_before, F_l, using=rests)  # where it ends
gaps.equal(
    (M - F_l) * binet(U, V) + (M - F_before) * binet(U, V, 1) + (F_next - M) * binet(U, V, 2), binet(u * U, v * V),
    using=rests,
)

# %% [markdown]
# It takes every point to its *successor*, by induction on $M$. For $M = 1$ ($l = 2$) there is one point and one gap, $F_k$. From $M$ to $M + 1 \le F_{l+1}$: the index
# $M - F_l$ is in the second range, so it and $M - F_{l-1}$ are neighbours, $F_{j+2}$ apart. The new index $M$ lies $F_j$ after the one and $F_{j+1}$ before the other (d'Ocagne again, and
# both signs agree), so it splits that gap, and nothing else changes. In the table, too, nothing changes but that: $M - F_l$ moves to the first range, and $M$ joins the third. At
# $M = F_{l+1}$ the second range is empty, and the table for $l + 1$, in the other direction, is the inverse map.

# %%
towards = -u * v  # (-1)^(l-1): the direction in which ranks are counted
for shift, gap_shift, forward in ((0, 0, 1), (-1, 1, -1), (-2, 2, 1)):  # index moved by F_l, -F_(l-1), F_(l-2)
    moved = binet(u, v, shift) * binet(u * U, v * V, -1) - binet(u, v, shift - 1) * binet(u * U, v * V)
    gaps.equal(forward * moved, towards * binet(U, V, gap_shift), using=rests)
gaps.equal(binet(U, V) + binet(U, V, 1), binet(U, V, 2), using=rests)  # the gap that is split
gaps.exact([fib[3] - 1, 1 - fib[2], 1 - fib[1]], [1, 0, 0], using=rests)  # M = 1, l = 2: once F_k, nothing else


def bracket(m, k):
    """An l >= 2 with F_l <= m <= F_(l+1)."""
    return max(l for l in range(2, k + 1) if fib[l] <= m)


def successor_by_table(k, m, parity=1):
    """The successor map of the table; for even l all directions are reversed, so it is inverted."""
    l = bracket(m, k)
    forward = {}
    for i in range(m):
        forward[i] = i + fib[l] if i < m - fib[l] else i + fib[l - 2] if i < fib[l - 1] else i - fib[l - 1]
    return forward if l % 2 == parity else {after: before for before, after in forward.items()}


def successor_by_sorting(k, m):
    order = sorted(range(m), key=lambda i: i * fib[k - 1] % fib[k])
    return dict(zip(order, [*order[1:], order[0]], strict=True))


gaps.instances(
    [(k, m) for k in range(3, 14) for m in range(1, fib[k] + 1)], lambda c: successor_by_table(*c) == successor_by_sorting(*c),
    what="pairs (k, M), the successor of every point", using=rests,
    wrong={"directions exchanged": lambda c: successor_by_table(*c, parity=0) == successor_by_sorting(*c)},
)

# %% [markdown]
# Second check, by brute force: every cycle length up to $F_{17} = 1597$ and every $M$.

# %%
def counted(k, m, start=0):
    """Cyclic gaps of m consecutive indices and how often each occurs, by sorting the ranks."""
    ranks = np.sort(np.arange(start, start + m) * fib[k - 1] % fib[k])
    steps = np.diff(ranks, append=ranks[0] + fib[k])
    values, times = np.unique(steps, return_counts=True)
    return dict(zip(values.tolist(), times.tolist(), strict=True))


def claimed(k, l, m):
    """The three gaps of the theorem with their multiplicities; equal gaps are added, absent ones left out."""
    j, law = k - l, {}
    for gap, times in ((fib[j], m - fib[l]), (fib[j + 1], m - fib[l - 1]), (fib[j + 2], fib[l + 1] - m)):
        if times:
            law[gap] = law.get(gap, 0) + times
    return law


exhaustive = [(k, m) for k in range(3, 18) for m in range(1, fib[k] + 1)]
gaps.instances(
    exhaustive, lambda c: counted(*c) == claimed(c[0], bracket(c[1], c[0]), c[1]), what="pairs (k, M)",
    wrong={
        "bracket one lower": lambda c: counted(*c) == claimed(c[0], bracket(c[1], c[0]) - 1, c[1]),
        "first two counts swapped": lambda c: counted(*c) == dict(zip(
            sorted(claimed(c[0], bracket(c[1], c[0]), c[1])),
            reversed(list(claimed(c[0], bracket(c[1], c[0]), c[1]).values())), strict=True,
        )),
    },
    using=rests,
)
gaps.instances(
    [(k, m, start) for k in range(3, 11) for m in range(1, fib[k] + 1) for start in range(0, fib[k], 3)],
    lambda c: counted(*c) == counted(c[0], c[1]), what="blocks that begin elsewhere",
    wrong={"one index more": lambda c: counted(c[0], min(c[1] + 1, fib[c[0]]), c[2]) == counted(c[0], c[1])},
    using=rests,
)

# %% [markdown]
# *Figure: three gaps on a circle.* Left: 27 consecutive indices on the circle of $F_{10} = 55$ places. Only three arcs occur, 1, 2 and 3 places long, with the multiplicities of the theorem ($l = 8$, $j = 2$).
# Middle and right: whole schedules, one ring for each page. In the 1999 example page 4 has the indices 8 to 12 of 13, and gaps 2, 3.

# %%
figure, axes = plt.subplots(1, 3, figsize=(11.5, 4.2), subplot_kw={"projection": "polar"}, layout="constrained")
ranks = np.sort(np.arange(27) * fib[9] % fib[10])
turn = 2 * np.pi / fib[10]
for number, (arc, times) in enumerate(counted(10, 27).items()):
    begins = ranks[np.diff(ranks, append=ranks[0] + fib[10]) == arc]
    for place, begin in enumerate(begins):
        along = np.linspace(begin, begin + arc, 20) * turn
        axes[0].plot(along, np.full(20, 0.9), color=f"C{number}", lw=4, label=f"{arc}: {times} times" if place == 0 else None)
axes[0].plot(ranks * turn, np.full(27, 0.9), "o", ms=4, color="k")
axes[0].set(yticks=[], xticks=[], ylim=(0, 1), title="27 of 55 places: three gaps")
axes[0].legend(fontsize=8, loc="center")
axes[0].set_theta_zero_location("N")
axes[0].set_theta_direction(-1)
for axis, (k, counts) in zip(axes[1:], ((7, [2, 3, 3, 5]), (9, [6, 9, 19])), strict=True):
    cycle = np.array(schedule(counts, k))
    angle = 2 * np.pi * np.arange(fib[k]) / fib[k]
    for page in range(1, len(counts) + 1):
        mine = angle[cycle == page]
        axis.plot(np.append(mine, mine[0]), np.full(len(mine) + 1, 1 - 0.13 * page), lw=0.6, color=f"C{page}")
        axis.plot(mine, np.full(len(mine), 1 - 0.13 * page), "o", ms=4, color=f"C{page}", label=f"page {page}")
    axis.set(yticks=[], xticks=[], ylim=(0, 1), title=f"$F_{{{k}}} = {fib[k]}$, M = {tuple(counts)}")
    axis.set_theta_zero_location("N")
    axis.set_theta_direction(-1)
    axis.legend(fontsize=7, loc="center")
plt.show()

# %% [markdown]
# ## The cost of one cycle
#
# By (3) and Lemma 3.1 page $i$ contributes $c_0\mu_i\frac{1}{F_kE[X]}\sum_m\{d_mE[X] - (1 - h_i^{d_m})/\mu_i\}$, and its gaps
# add up to the cycle, $\sum_md_m = F_k$. Write $S$ for $\sum_m(1 - h_i^{d_m})$. As in (3), the gaps must be those of a whole cycle. With the distances of Section 2 the first one
# counts from 0: in the paper's example page 3 is accessed at 2, 5 and 10, so $d_1, d_2, d_3$ are $2, 3, 5$ and the cycle's gaps are $5, 3, 5$.

# %%
mu, EX, c0, cycle_length, S, h = sp.symbols("mu EX c_0 F_k S h", positive=True)
places = [place for place, page in enumerate(sequence, start=1) if page == 3]
from_zero = [after - earlier for earlier, after in itertools.pairwise([0, *places])]
whole_cycle = [after - earlier for earlier, after in itertools.pairwise([places[-1] - 13, *places])]
one_cycle = paper.claim("CLW-G16")
one_cycle.refute(
    sp.Eq(sum(1 - h**gap for gap in from_zero), sum(1 - h**gap for gap in whole_cycle), evaluate=False),
    witness={h: sp.Rational(1, 2)}, hypotheses=[h < 1], using=["CLW-X.golden-rank"],
)
one_cycle.equal(
    c0 * mu * (cycle_length * EX - S / mu) / (cycle_length * EX), c0 * mu - c0 / EX / cycle_length * S,
    given="the distances of a page are those of one whole cycle (n_0 is its last access of the cycle before)",
    using=["CLW-P7", "CLW-L3.1", "CLW-G13"],
)

# %% [markdown]
# ## Which index belongs to a frequency
#
# $M \approx fF_k$ lies between $F_{k-j}$ and $F_{k-j+1}$ when $\phi^{-j} \le f \le \phi^{1-j}$, that is, $j = -\lfloor\ln_\phi f\rfloor$: a
# positive number for $f < 1$. The paper prints it without the minus sign, in both versions. (Of the two scans of the 1999 version one has the lower brackets, the other the upper ones;
# $-\lceil\ln_\phi f\rceil$ would be $j - 1$ for every $f$ that is no power of $\phi$.)

# %%
def index_of(f):
    """The j >= 1 with phi^-j <= f < phi^(1-j), for a rational f in (0, 1); exact comparisons."""
    j = 1
    while sign_of(phi**-j - sp.Rational(f)) == 1:
        j += 1
    return j


some_frequencies = [Fraction(p, n) for n in range(2, 40) for p in range(1, n) if sp.igcd(p, n) == 1]
wrong_sign = paper.claim("CLW-G17")
for version, words in (("1997", "floor of ln_phi x_i,N"), ("1999", "floor of ln_phi f_i; ceiling in another scan")):
    wrong_sign.textual(
        version=version, place="Section 5, after the cost of a cycle", words=words,
        should_be=r"$j_i = -\lfloor\ln_\phi f_i\rfloor$", using=["CLW-X.three-gaps", "CLW-X.index-threshold"],
    )


def gaps_are(f, j, k=24):
    """Whether the gaps of a page of frequency f in a long cycle are among F_j, F_(j+1), F_(j+2)."""
    return set(counted(k, int(f * fib[k]))) <= {int(sp.fibonacci(j + i)) for i in range(3)}


wrong_sign.instances(
    some_frequencies[::12], lambda f: gaps_are(f, -int(sp.floor(sp.log(sp.Rational(f), phi)))), what="frequencies, in a cycle of F_24",
    only_gross="an identity: a wrong side differs in every case",
    wrong={
        "as printed": lambda f: gaps_are(f, int(sp.floor(sp.log(sp.Rational(f), phi)))),
        "rounded up": lambda f: gaps_are(f, int(sp.ceiling(sp.log(sp.Rational(f), phi)))),
    },
    using=["CLW-X.three-gaps", "CLW-X.index-threshold"],
)

# %% [markdown]
# From which $k$ on is that so? $F_{k-j} = \phi^{-j}F_k - (-1)^{k-j}F_j\phi^{-k}$, so $fF_k$ lies between $F_{k-j}$ and $F_{k-j+1}$, and
# with it both of its roundings, as soon as the distance of $f$ from $\phi^{-j}$ and from $\phi^{1-j}$, times $F_k$, is at least
# $F_j\phi^{-k} \ge F_{j-1}\phi^{-k}$.

# %%
threshold = paper.claim("CLW-X.index-threshold")
# u, v belong to k - j; U, V to j; (-1)^(k-j) = u v, phi^-k = 1/(u U)
u_, U_ = sp.symbols("u U", positive=True)
sign = sp.symbols("epsilon", real=True)  # (-1)^(k-j)
threshold.equal(
    binet(u_, sign / u_), binet(u_ * U_, sign / u_ * V) / U_ - sign * binet(U_, V) / (u_ * U_),
    using=["CLW-G10"],
)


def long_enough(f, k):
    """The sufficient condition: F_k phi^k min(f - phi^-j, phi^(1-j) - f) >= F_j."""
    j = index_of(f)
    margins = (sp.Rational(f) - phi**-j, phi ** (1 - j) - sp.Rational(f))
    return j <= k and all(sign_of(margin * fib[k] * phi**k - fib[j]) >= 0 for margin in margins)


def roundings_fit(f, k, j):
    low, high = f * fib[k] // 1, -((-f * fib[k]) // 1)
    return j <= k and fib[k - j] <= low and high <= fib[k - j + 1]


long_cases = [(f, k) for f in some_frequencies[::9] for k in range(3, 20) if long_enough(f, k)]
threshold.instances(
    long_cases, lambda c: roundings_fit(*c, index_of(c[0])), what="frequencies and cycle lengths beyond the threshold",
    wrong={"index one larger": lambda c: roundings_fit(*c, index_of(c[0]) + 1)}, using=["CLW-G10"],
)

# %% [markdown]
# Below the threshold it need not be so. $f_1 = 5/13$ has $\phi^{-2} < f_1 < \phi^{-1}$, so $j = 2$ and the gaps should be 1, 2 or 3. In the
# cycle of $F_5 = 5$, $f_1F_5 = 25/13$ may be rounded down to $M = 1$ (and $f_2F_5 = 40/13$ up to 4); then the only
# gap of page 1 is 5.

# %%
share = sp.Rational(5, 13)
j_ = sp.symbols("j", integer=True, positive=True)
three = paper.claim("CLW-G18")
three.refute(
    sp.Le(sp.fibonacci(index) / count, sp.fibonacci(j_ + 2)), witness={index: 5, count: 1, j_: 2},
    hypotheses=[
        sp.Le(sp.floor(share * sp.fibonacci(index)), count), sp.Le(count, sp.ceiling(share * sp.fibonacci(index))),
        sp.Le(phi**-j_, share), sp.Lt(share, phi ** (1 - j_)),
    ],
)


def both_roundings(f, k, j):
    allowed = {fib[j], fib[j + 1], fib[j + 2]}
    return all(set(counted(k, int(m))) <= allowed for m in {f * fib[k] // 1, -((-f * fib[k]) // 1)})


three.instances(
    long_cases, lambda c: both_roundings(*c, index_of(c[0])), what="frequencies and cycle lengths, gaps counted",
    wrong={"index one larger": lambda c: both_roundings(*c, index_of(c[0]) + 1)},
    given=r"$k$ is large: $F_k\phi^k\min(f - \phi^{-j}, \phi^{1-j} - f) \ge F_j$",
    using=["CLW-X.three-gaps", "CLW-X.index-threshold"],
)

# %% [markdown]
# ## The limit of long cycles
#
# Per access of the robot, page $i$ has gap $F_j$ with frequency $(M - F_{k-j})/F_k$, and so on, and
# $F_{k-m}/F_k = \phi^{-m} \pm F_m\phi^{-k}/F_k \to \phi^{-m}$. So the three frequencies tend to $f - \phi^{-j}$, $f - \phi^{-j-1}$, $\phi^{1-j} - f$; they add up
# to $f$, and the mean gap is $1/f$. At $f = \phi^{-j}$, where $M$ may fall on either side of $F_{k-j}$ as $k$ grows, the formulas for $j$
# and for $j + 1$ agree. So the paper's limit formula is right, with its plus and minus signs, once $j$ is.

# %%
f, h = sp.symbols("f h", positive=True)


def weights(f, power):
    """Frequencies per access of the gaps F_j, F_(j+1), F_(j+2), with power = phi^j."""
    return f - 1 / power, f - 1 / (phi * power), phi / power - f


limit_cost = paper.claim("CLW-G19")
rests = ["CLW-G12", "CLW-G16", "CLW-X.three-gaps", "CLW-X.index-threshold"]
limit_cost.limit(y * sqrt5 * y / (1 - y**2), y, 0, 0, using=rests)  # phi^-k/F_k, y = phi^-k
w = weights(f, U_)
limit_cost.equal(sum(w), f, using=rests)
nu = 1 / EX
a0, a1, a2 = sp.symbols("a_0 a_1 a_2", positive=True)  # h^F_j, h^F_(j+1), h^F_(j+2)
limit_cost.equal(
    c0 * mu - c0 * nu * (w[0] * (1 - a0) + w[1] * (1 - a1) + w[2] * (1 - a2)),
    c0 * mu - c0 * nu * (f - ((f - 1 / U_) * a0 + (f - 1 / U_ / phi) * a1 - (f - phi / U_) * a2)),
    using=rests,
)
limit_cost.equal(  # f = phi^-j: index j on the left, j + 1 on the right
    sum(wi * ai for wi, ai in zip(weights(1 / U_, U_), (a0, a1, a2), strict=True)),
    sum(wi * ai for wi, ai in zip(weights(1 / U_, phi * U_), (a1, a2, sp.symbols("a_3", positive=True)), strict=True)),
    using=rests,
)

# %% [markdown]
# And from the definition: the counted frequencies differ from their limits by less than $2/F_k$.

# %%
def close_to_limit(f, k, shift=0):
    """Counted gap frequencies against f - phi^-j, f - phi^(-j-1), phi^(1-j) - f, within 2/F_k."""
    j = index_of(f)
    law = counted(k, int(f * fib[k] // 1))
    limits = weights(sp.Rational(f), phi ** (j + shift))
    merged = {}
    for i, weight in enumerate(limits):
        merged[fib[j + i]] = merged.get(fib[j + i], 0) + weight
    misses = [sp.Rational(law.get(gap, 0), fib[k]) - w for gap, w in merged.items()]
    return all(sign_of(sp.Rational(2, fib[k]) - side) == 1 for miss in misses for side in (miss, -miss))


limit_cost.instances(
    [(f, k) for f in some_frequencies[::25] for k in (17, 20, 23)], lambda c: close_to_limit(*c),
    what="frequencies and cycle lengths, gaps counted", kind="enclosed",
    only_gross="an identity: a wrong side differs in every case",
    wrong={"index shifted": lambda c: close_to_limit(*c, 1)}, using=rests,
)

# %% [markdown]
# ## No rapid fire
#
# Section 6 mentions that a robot should not access one site too often in a row. The golden ratio policy sees to that:
# with $x = (-1)^j\phi^{-2j}$, $\phi^{-j}F_j = (1 - x)/\sqrt5$ and $\phi^{1-j}F_{j+2} = \phi^3(1 - x\phi^{-4})/\sqrt5$, and $x$ lies between its values at $j = 1$
# and $j = 2$, $-\phi^{-2}$ and $\phi^{-4}$. So every gap is between $\phi^{-2} = 0.38$ and 2 times its mean.

# %%
X = sp.symbols("X", real=True)
between = (-(phi**-2), phi**-4)
fire = paper.claim("CLW-X.gap-range")
fire.equal(binet(U_, X * U_) / U_, (1 - X) / sqrt5, using=["CLW-G19"])
fire.equal(phi * binet(U_, X * U_, 2) / U_, phi**3 * (1 - X / phi**4) / sqrt5, using=["CLW-G19"])
fire.inequality(sp.Ge((1 - X) / sqrt5, phi**-2), on={X: between}, zeros={X: (phi**-4, 1)}, using=["CLW-G19"])
fire.inequality(sp.Le(phi**3 * (1 - X / phi**4) / sqrt5, 2), on={X: between}, zeros={X: (-(phi**-2), 1)}, using=["CLW-G19"])
fire.exact([phi**-2 * fib[2], phi**0 * fib[3]], [phi**-2, 2], using=["CLW-G19"])  # the two ends: j = 2 and j = 1
