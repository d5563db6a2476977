"""The laws that a chain runs by: their phases, whatever else is known of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from crawlproof.laws.phase_type import frozen


class Clock(Protocol):
    """Phases that start by `beta`, move by `S` and end at the rates `exit`."""

    @property
    def beta(self) -> np.ndarray: ...

    @property
    def S(self) -> np.ndarray: ...

    @property
    def exit(self) -> np.ndarray: ...

    @property
    def phases(self) -> int: ...


class Arrivals(Protocol):
    """Rates of moves without arrival, (from, to), and with batches, (size - 1, from, to)."""

    @property
    def moves(self) -> np.ndarray: ...

    @property
    def batches(self) -> np.ndarray: ...


class Patience(Clock, Protocol):
    """The clock of a waiting page, with forms of fewer phases or of phases that are passed in one direction."""

    def minimal(self) -> Patience: ...

    def lumped(self) -> Patience: ...

    def forward(self) -> Patience: ...


@dataclass(frozen=True, eq=False)
class Unlimited:
    """A clock that never ends: waiting pages do not become obsolete."""

    beta: np.ndarray = field(default_factory=lambda: frozen([1]))
    S: np.ndarray = field(default_factory=lambda: frozen([[0]]))
    exit: np.ndarray = field(default_factory=lambda: frozen([0]))
    phases: int = 1

    def minimal(self) -> Unlimited:
        return self

    def lumped(self) -> Unlimited:
        return self

    def forward(self) -> Unlimited:
        return self
