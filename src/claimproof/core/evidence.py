"""What speaks for (or against) a claim, named for what it is."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Kind(str, Enum):
    """The closed set of evidence kinds, strongest reading first."""

    SYMBOLIC = "symbolic"
    EXACT = "exact"
    ENCLOSED = "enclosed"
    SAMPLED = "sampled"
    SIMULATED = "simulated"
    TEXTUAL = "textual"
    ARGUED = "argued"


class HandMadeEvidence(TypeError):
    """Raised when anything but an engine tries to make evidence."""


@dataclass(frozen=True)
class Evidence:
    """One engine's finding. Only modules of ``claimproof.engines`` can make one.

    ``detail`` is the short, stable text of the verdict line; ``data`` holds what a
    machine wants to read (counts, margins, seeds): JSON values only.
    """

    kind: Kind
    detail: str
    data: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Frame 1 is the dataclass __init__, frame 2 whoever called Evidence(...).
        caller = sys._getframe(2).f_globals.get("__name__", "")
        if not caller.startswith("claimproof.engines."):
            raise HandMadeEvidence(
                f"evidence can only come from an engine in claimproof.engines, not from {caller!r}"
            )

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "detail": self.detail, **self.data}


class CheckFailed(AssertionError):
    """A check did not confirm its statement (refuted it, or could not tell)."""


class ShownFalse(CheckFailed):
    """Numbers show that a statement is false: not a proof that failed, but a place where it is wrong."""
