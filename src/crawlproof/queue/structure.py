"""Which arrival phases a policy keeps returning to, decided from which rates are positive.

Services end whatever happens, so every state leads to the empty system with its arrival phase: phases of the empty
system are all that can tell closed classes apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crawlproof.laws.phase_type import reachable
from crawlproof.queue.arrivals import Bmap


class Structure:
    """The arrows between (pages, arrival phase) in each mode."""

    def __init__(self, arrivals: Sequence[Bmap], capacity: int) -> None:
        self.capacity, self.states = capacity, arrivals[0].states
        moves = [bmap.moves > 0 for bmap in arrivals]
        self.sizes = [[k for k, rates in enumerate(bmap.batches, 1) if rates.any()] for bmap in arrivals]
        self.arrows = [[still, *(rates > 0 for rates in bmap.batches)]
                       for still, bmap in zip(moves, arrivals, strict=True)]
        #: Modes that suffice in the empty system: they lead to every phase, and to arrivals.
        self.complete = {mode for mode, bmap in enumerate(arrivals) if bmap.irreducible and bmap.delivers}

    def refusal(self, active: Sequence[Sequence[int]]) -> str | None:
        """What is wrong with a policy, given as mode indices for 0 ... K pages and all arrival phases."""
        if len(set(active[0])) == 1 and active[0][0] in self.complete:
            return None
        arrows = self._arrows(active)
        reached = [reachable({phase}, arrows) for phase in range(self.states)]
        closed = {frozenset(p for p in found if p < self.states) for phase, found in enumerate(reached)
                  if all(phase in reached[p] for p in found if p < self.states)}
        if len(closed) > 1:
            one, other = sorted(closed, key=min)[:2]
            return (f"the chain is reducible, with an empty system arrival phases {min(one) + 1} and {min(other) + 1} "
                    "never lead to each other, so that the long run depends on the start")
        if max(reached[min(closed.pop())]) < self.states:
            return "no page ever arrives once the system is empty"
        return None

    def _arrows(self, active: Sequence[Sequence[int]]) -> list[set[int]]:
        """To the nodes `pages * states + phase`."""
        found: list[set[int]] = []
        for pages, modes in enumerate(active):
            for phase, mode in enumerate(modes):
                to = {(pages - 1) * self.states + phase} if pages else set()
                for size in (0, *self.sizes[mode]):
                    level = min(pages + size, self.capacity)
                    to |= {level * self.states + int(p) for p in np.flatnonzero(self.arrows[mode][size][phase])}
                found.append(to)
        return found
