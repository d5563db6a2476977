"""The golden ratio policy's gaps in the limit of long cycles (claims CLW-G19 and CLW-X.golden-guarantee)."""

from __future__ import annotations

import math
from dataclasses import dataclass

SQRT5 = math.sqrt(5)
PHI = (1 + SQRT5) / 2


@dataclass(frozen=True)
class GapLaw:
    """Gaps of one page, in accesses of the robot, and their probabilities."""

    gaps: tuple[int, int, int]
    probabilities: tuple[float, float, float]

    @property
    def mean(self) -> float:
        return sum(p * d for p, d in zip(self.probabilities, self.gaps, strict=True))

    @property
    def second_moment(self) -> float:
        return sum(p * d * d for p, d in zip(self.probabilities, self.gaps, strict=True))


def golden_ratio_gap_law(frequency: float) -> GapLaw:
    """The three gaps F_j, F_(j+1), F_(j+2) of a page, where phi^-j <= frequency <= phi^(1-j)."""
    if not 0 < frequency <= 1:
        raise ValueError(f"frequency must be in (0, 1], got {frequency}")
    power = PHI  # phi^j, from j = 1
    first, second = 1, 1  # F_j, F_(j+1)
    while frequency * power < 1:
        power *= PHI
        first, second = second, first + second
    scaled = frequency * power  # s, in [1, phi]
    weights = (scaled - 1, scaled - 1 / PHI, max(PHI - scaled, 0.0))
    return GapLaw((first, second, first + second), tuple(w / scaled for w in weights))


def golden_ratio_guarantee(frequency: float) -> float:
    """V(f): the page's obsolescence rate is at most this multiple of its lower bound; never above 9/8."""
    return frequency**2 * golden_ratio_gap_law(frequency).second_moment
