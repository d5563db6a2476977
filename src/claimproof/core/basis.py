"""On what a verdict stands: computed from the checks, and closed over what a claim rests on."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Basis(str, Enum):
    """How a claim was settled, strongest first; the meaning of each stands in CONTRIBUTING.md."""

    PROVED = "proved"
    PROVED_INTERVAL = "proved (interval)"
    DERIVED = "derived"
    REFUTED = "refuted"
    TEXTUAL = "textual"
    ARGUED = "argued"
    INSTANCES = "instances"
    NONE = "none"

    @property
    def rank(self) -> int:
        return _RANK[self]

    @property
    def closes(self) -> bool:
        """Whether nothing is left for a person to read, and no case is left out."""
        return self.rank >= _RANK[Basis.DERIVED]


# proved > derived = refuted = textual > argued > instances > none
_RANK = {
    Basis.PROVED: 4, Basis.PROVED_INTERVAL: 4, Basis.DERIVED: 3, Basis.REFUTED: 3, Basis.TEXTUAL: 3,
    Basis.ARGUED: 2, Basis.INSTANCES: 1, Basis.NONE: 0,
}


class Bound(str, Enum):
    """How far a claim's statement is in machine form and was checked as such."""

    BOUND = "bound"  # the conclusion and every hypothesis
    IN_PART = "in part"
    PROSE = "prose"


def weakest(bases: Iterable[Basis]) -> Basis:
    """The weakest of some bases, the first of equals; ``none`` of nothing."""
    return min(bases, key=lambda basis: basis.rank, default=Basis.NONE)
