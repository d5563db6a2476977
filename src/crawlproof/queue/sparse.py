"""The generator as a sparse matrix and its factors, for chains of some ten thousand states."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from crawlproof.queue.kronecker import off_diagonal, power
from crawlproof.queue.matrix_free import Problem


def generator_rates(problem: Problem) -> sparse.csr_array:
    """All rates between different states, in the order of `matrix_free`: level, word of waiting phases, nu, m."""
    service, obsolescence, letters = problem.service, problem.obsolescence, problem.letters
    states = sparse.eye_array(problem.states)
    blocks: list[list[sparse.sparray | None]] = [[None] * (problem.capacity + 1) for _ in range(problem.capacity + 1)]
    for above in range(1, problem.capacity + 1):
        for size in range(1, min(above, problem.largest_jump) + 1):
            level, batch = above - size, problem.into[above, size - 1]
            if level == 0:
                blocks[0][above] = sparse.kron(power(obsolescence.beta, above - 1)[None, :],
                                               np.kron(batch, service.beta[None, :]))
            else:
                words = sparse.kron(sparse.eye_array(letters ** (level - 1)), power(obsolescence.beta, size)[None, :])
                blocks[level][above] = sparse.kron(words, np.kron(batch, np.eye(service.phases)))
    for level in range(problem.capacity + 1):
        if level == 0:
            blocks[0][0] = sparse.csr_array(problem.inner_empty)
            continue
        waiting = level - 1
        blocks[level][level] = sparse.kron(sparse.eye_array(letters**waiting), problem.inner[level])
        row = sparse.eye_array(problem.width)
        for place in range(waiting):
            before, behind = sparse.eye_array(letters**place), sparse.eye_array(letters ** (waiting - 1 - place))
            moves = sparse.kron(sparse.kron(before, off_diagonal(obsolescence.S)), behind)
            blocks[level][level] = blocks[level][level] + sparse.kron(moves, row)
            expire = sparse.kron(sparse.kron(before, obsolescence.exit[:, None]), behind)
            expired = sparse.kron(expire, row)
            blocks[level][level - 1] = expired if place == 0 else blocks[level][level - 1] + expired
        if level == 1:
            blocks[1][0] = sparse.kron(states, service.exit[:, None])
        else:
            heads = sparse.kron(np.ones((letters, 1)), sparse.eye_array(letters ** (waiting - 1)))
            served = sparse.kron(heads, sparse.kron(states, np.outer(service.exit, service.beta)))
            blocks[level][level - 1] = blocks[level][level - 1] + served
    return sparse.csr_array(sparse.block_array(blocks))


def stationary(problem: Problem) -> np.ndarray:
    """A stationary law by sparse elimination. Its small entries may have lost digits: sweeps have to confirm it."""
    rates = generator_rates(problem)
    balance = (sparse.diags_array(rates.sum(axis=1)) - rates).T.tocsc()
    # With its probability set to 1, one state's equation is superfluous; the others form a regular M-matrix.
    known = int(problem.offsets[min(problem.capacity, 1)])
    others = np.delete(np.arange(balance.shape[0]), known)
    factors = splu(balance[others][:, others].tocsc(), permc_spec="COLAMD", diag_pivot_thresh=0.0)
    law = np.ones(balance.shape[0])
    law[others] = np.abs(factors.solve(-balance[others][:, [known]].toarray()[:, 0]))
    return law / law.sum()
