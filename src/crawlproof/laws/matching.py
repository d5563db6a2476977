"""Phase-type laws with given moments: mixtures of two Erlang laws of common order.

After Johnson and Taaffe (Matching moments to phase distributions: mixtures of Erlang distributions of common order,
1989). With X = Y E, E an Erlang variable of n phases of rate 1 and Y on two points, moments of Y are those of X over
n (n + 1) ... (n + k - 1): three of them give the points as roots of a quadratic, which are positive if
E Y^2 > (E Y)^2 and E Y E Y^3 > (E Y^2)^2. For n large enough they are, whatever the moments of X are.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from crawlproof.laws.phase_type import ModelError, PhaseType, exact_vector, shown, solve_exactly, square_root

# Phases of each Erlang law.
LARGEST_ORDER = 100
# Moments that were rounded may miss those of an Erlang law by as much, relatively.
ROUNDED = Fraction(1, 10**13)


def with_moments(moments: Sequence[Any]) -> PhaseType:
    """One to three moments E X, E X^2, E X^3. Without the third one, that of a gamma law is taken."""
    given = exact_vector(moments, "moments")
    if len(given) > 3:
        raise ModelError(f"moments has {len(given)} entries; one to three are matched")
    for k, value in enumerate(given, 1):
        if value <= 0:
            raise ModelError(f"moments, entry {k}, is {shown(value)}; it must be positive")
    first = given[0]
    if len(given) == 1:
        return PhaseType.exponential(1 / first)
    second = given[1]
    variation = second / first**2 - 1
    if variation <= 0:
        raise ModelError(f"moments, entry 2, is {shown(second)}; it must be above the square of the mean, {shown(first**2)}")
    third = given[2] if len(given) == 3 else first**3 * (1 + variation) * (1 + 2 * variation)
    if first * third <= second**2:
        raise ModelError(f"moments, entry 3, is {shown(third)}; it must be above the square of the second over the first, "
                         f"{shown(second**2 / first)}")
    for order in range(1, LARGEST_ORDER + 1):
        one, two, three = first / order, second / (order * (order + 1)), third / (order * (order + 1) * (order + 2))
        if abs(two / one**2 - 1) <= ROUNDED and abs(three / one**3 - 1) <= ROUNDED:
            return PhaseType([1, *[0] * (order - 1)], erlang(order, one))
        if two > one**2 * (1 + ROUNDED) and one * three > two**2 * (1 + ROUNDED):
            return mixture(order, one, two, three)
    raise ModelError(f"moments with the squared coefficient of variation {float(variation):.3g} need Erlang laws "
                     f"of more than {LARGEST_ORDER} phases")


def mixture(order: int, one: Fraction, two: Fraction, three: Fraction) -> PhaseType:
    """Y on two points, with these moments: roots of y^2 - total y + product, a recursion that the moments follow."""
    total, less = solve_exactly([[one, Fraction(-1)], [two, -one]], [two, three])
    product = less
    large = (total + square_root(total**2 - 4 * product)) / 2
    small = product / large
    weight = (one - small) / (large - small)
    zero = [Fraction(0)] * order
    rows = [[*row, *zero] for row in erlang(order, large)] + [[*zero, *row] for row in erlang(order, small)]
    return PhaseType([weight, *zero[1:], 1 - weight, *zero[1:]], rows)


def erlang(order: int, scale: Fraction) -> list[list[Fraction]]:
    """Phases in line, each of this mean."""
    return [[-1 / scale if c == r else 1 / scale if c == r + 1 else Fraction(0) for c in range(order)] for r in range(order)]
