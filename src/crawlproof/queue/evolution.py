"""Where a chain is after a time: uniformisation, with non-negative terms only.

A chain that is not large is taken over a short time first, and then over twice, four times, ... as long. After each
doubling the rows, which are probabilities of all that can happen, are divided by their sums: errors then grow with
the number of doublings and not with that of jumps, however different the rates are.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.special import gammainc, gammaln, xlogy

from crawlproof.laws.phase_type import ModelError

# States up to which powers of dense matrices are kept.
DENSE = 1000
# States times jumps of a large chain: some minutes.
WORK = 10**11
# The short time, in units of the mean time between jumps, and the terms that it takes.
SHORT, TERMS = 1 / 16, 30
NEGLIGIBLE = 1e-18
# Products with numbers that are smaller than normal doubles are a hundred times as slow.
IMPOSSIBLE = 1e-150


class Evolution:
    """A chain with these rates between its states (the diagonal is ignored) and with rates of ways out, one a column.

    `counted` has further columns: rates of events that are counted, but do not end the chain.
    """

    def __init__(self, rates: sparse.sparray, out: np.ndarray, counted: np.ndarray | None = None) -> None:
        self.rates = sparse.csr_array(rates - sparse.diags_array(rates.diagonal()))
        self.ways = out.shape[1]
        self.out = out if counted is None else np.concatenate([out, counted], axis=1)
        self.leave = self.rates.sum(axis=1) + out.sum(axis=1)
        # A power of two, so that times are cut without rounding.
        self.jumps = 2.0 ** np.ceil(np.log2(self.leave.max()))
        self._powers: list[tuple[np.ndarray, np.ndarray]] = []

    @cached_property
    def _stays(self) -> np.ndarray:
        return 1 - self.leave / self.jumps

    def after(self, start: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities of the states at a time, and of the ways out until then; expected numbers of counted events."""
        total = start.sum()
        if len(start) <= DENSE:
            short = SHORT / self.jumps
            rest = float(np.fmod(time, short))
            count = (time - rest) / short
            if count >= 2**53:
                raise ArithmeticError(f"{count:.1e} short times up to {time:.6g}: the rates of this model differ by too "
                                      "many powers of ten for doubles")
            inside, gone = self._series(start, rest)
            for k in range(int(count).bit_length()):
                if int(count) >> k & 1:
                    over, out = self._power(k)
                    inside, gone = inside @ over, gone + inside @ out
        else:
            if len(start) * time * self.jumps > WORK:
                raise ModelError(f"time is {time:.6g}: {time * self.jumps:.1e} jumps of a chain of {len(start):,} states "
                                 "are too many")
            inside, gone = self._series(start, time)
        scale = total / (inside.sum() + gone[:self.ways].sum())
        return inside * scale, gone * scale

    def _step(self, inside: np.ndarray) -> np.ndarray:
        return inside * self._stays + (inside @ self.rates) / self.jumps

    def _series(self, start: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Row vectors, by the number of jumps of a Poisson process."""
        mean = time * self.jumps
        inside, gone = np.zeros_like(start), np.zeros((*start.shape[:-1], self.out.shape[1]))
        at, k = start, 0
        while True:
            weight = np.exp(xlogy(k, mean) - mean - gammaln(k + 1))
            later = gammainc(k + 1, mean)
            inside, gone = inside + weight * at, gone + later * (at @ self.out) / self.jumps
            if k >= mean and (weight * at <= NEGLIGIBLE * (1 - mean / (k + 1)) * inside).all():
                return inside, gone
            if k > mean + len(start) + 20 * (mean + 1) ** 0.5:
                return inside, gone
            at, k = self._step(at), k + 1

    def _power(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities over 2^k short times: between states, and out."""
        if not self._powers:
            jump = self.rates.toarray() / self.jumps + np.diag(self._stays)
            inside, gone = np.zeros_like(jump), np.zeros_like(self.out)
            at = np.eye(len(jump))
            for terms in range(TERMS):
                weight = np.exp(xlogy(terms, SHORT) - SHORT - gammaln(terms + 1))
                inside += weight * at
                gone += gammainc(terms + 1, SHORT) * (at @ self.out) / self.jumps
                if (weight * at <= NEGLIGIBLE * inside).all():
                    break
                at = at @ jump
                at[at < IMPOSSIBLE] = 0.0
            self._powers.append(self._normalised(inside, gone))
        while len(self._powers) <= k:
            inside, gone = self._powers[-1]
            self._powers.append(self._normalised(inside @ inside, gone + inside @ gone))
        return self._powers[k]

    def _normalised(self, inside: np.ndarray, gone: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inside[inside < IMPOSSIBLE] = 0.0
        total = (inside.sum(axis=1) + gone[:, :self.ways].sum(axis=1))[:, None]
        return inside / total, gone / total
