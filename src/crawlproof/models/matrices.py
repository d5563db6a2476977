"""The matrices of an obsolescence queue under the paper's names, for writing its formulas down."""

from __future__ import annotations

from dataclasses import dataclass

from crawlproof.models.kronecker import Matrix, identity, kron, kronecker_sum, like, ones, power, zeros
from crawlproof.models.obsolescence_queue import ObsolescenceQueue


@dataclass(frozen=True)
class QueueMatrices:
    """D_k of each mode, (beta, S), (gamma, Gamma), and the products that the paper's Sections 3 to 5 build on.

    Everything is exact and of one kind: flint's rational matrices, or SymPy's if the queue has symbols.
    """

    queue: ObsolescenceQueue

    @property
    def example(self) -> Matrix:
        """Any matrix of the right kind."""
        return self.queue.generator

    def D(self, mode: int, batch: int) -> Matrix:
        """The rates of batches of this size in this mode; zero beyond the largest."""
        matrices = self.queue.arrivals[mode - 1]
        size = self.queue.arrival_phases
        return like(matrices[batch], self.example) if batch < len(matrices) else zeros(size, size, self.example)

    def D_at_1(self, mode: int) -> Matrix:
        """D(1): the sum over all batch sizes."""
        return sum((self.D(mode, k) for k in range(1, self.largest_batch + 1)), self.D(mode, 0))

    @property
    def largest_batch(self) -> int:
        return max(len(mode) for mode in self.queue.arrivals) - 1

    @property
    def beta(self) -> Matrix:
        return like([self.queue.service[0]], self.example)

    @property
    def S(self) -> Matrix:
        return like(self.queue.service[1], self.example)

    @property
    def S0(self) -> Matrix:
        return self.S * self.e(self.queue.service_phases) * -1

    @property
    def gamma(self) -> Matrix:
        return like([self.queue.obsolescence[0]], self.example)

    @property
    def Gamma(self) -> Matrix:
        return like(self.queue.obsolescence[1], self.example)

    @property
    def Gamma0(self) -> Matrix:
        return self.Gamma * self.e(self.queue.clock_phases) * -1

    def e(self, size: int) -> Matrix:
        return ones(size, self.example)

    def I(self, size: int) -> Matrix:  # noqa: E743  (the paper's name)
        return identity(size, self.example)

    def gamma_power(self, times: int) -> Matrix:
        """gamma ⊗ ... ⊗ gamma; 1 for no times."""
        return power(kron, self.gamma, times, self.I(1))

    def Gamma0_sum(self, times: int) -> Matrix:
        """Gamma_0 ⊕ ... ⊕ Gamma_0, at least once."""
        return kronecker_sum(*[self.Gamma0] * times)

    def phases(self, level: int) -> int:
        """M^a R^b: the phases of service and clocks with this number of pages."""
        q = self.queue
        return q.service_phases ** min(level, 1) * q.clock_phases ** max(level - 1, 0)

    def A(self, clocks: int) -> Matrix:
        """S ⊕ Gamma ⊕ ... ⊕ Gamma: service and clocks run, nothing ends."""
        return kronecker_sum(self.S, *[self.Gamma] * clocks)

    def B(self, clocks: int) -> Matrix:
        """One of the pages in service and in the queue leaves; at least one clock."""
        R = self.queue.clock_phases
        return kron(self.S0 * self.beta, self.e(R), self.I(R ** (clocks - 1))) + kron(
            self.I(self.queue.service_phases), self.Gamma0_sum(clocks)
        )
