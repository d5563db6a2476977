"""The whole generator as sparse matrices, one a mode, and what a state is."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from crawlproof.laws.phase_type import ModelError
from crawlproof.queue.kronecker import QueueChain

# States up to which blocks are built dense before they are stored sparse.
LARGEST = 5000


def refuse_if_too_large(states: int, what: str) -> None:
    if states > LARGEST:
        raise ModelError(f"{what} is for {LARGEST:,} states at most, here are {states:,}")


def rates_by_mode(chain: QueueChain) -> list[sparse.csr_array]:
    """Rates between different states."""
    offsets = np.concatenate([[0], np.cumsum(chain.sizes)])
    found: list[list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = [[] for _ in chain.moves]

    def add(mode: int, block: np.ndarray, level: int, to: int) -> None:
        rows, columns = np.nonzero(block)
        found[mode].append((rows + offsets[level], columns + offsets[to], block[rows, columns]))

    for level in range(chain.capacity + 1):
        for mode, block in enumerate(chain.local(level)):
            add(mode, np.where(np.eye(len(block), dtype=bool), 0.0, block), level, level)
            if level:
                add(mode, chain.down(level), level, level - 1)
        for above in range(level + 1, min(chain.capacity, level + chain.largest_jump) + 1):
            for mode, block in enumerate(chain.up(level, above)):
                add(mode, block, level, above)
    result = []
    for parts in found:
        rows, columns, values = (np.concatenate(column) for column in zip(*parts, strict=True))
        result.append(sparse.csr_array((values, (rows, columns)), shape=(offsets[-1], offsets[-1])))
    return result


def under(by_mode: list[sparse.csr_array], modes: np.ndarray) -> sparse.csr_array:
    """The rows of the modes that are chosen in each state."""
    return sparse.csr_array(sum(sparse.diags_array((modes == n).astype(float)) @ rates for n, rates in enumerate(by_mode)))


def by_state(chain: QueueChain, values: np.ndarray) -> np.ndarray:
    """Values by (level, nu, ...) for each state: it has those of its level and arrival phase."""
    return np.concatenate([np.repeat(values[level], size // chain.states, axis=0) for level, size in enumerate(chain.sizes)])


def levels_of_states(chain: QueueChain) -> np.ndarray:
    return np.repeat(np.arange(chain.capacity + 1), chain.sizes)


def ends_of_service(chain: QueueChain) -> np.ndarray:
    """Rates of services that end, by state."""
    above = [np.tile(np.repeat(chain.service.exit, size // (chain.states * chain.service.phases)), chain.states)
             for size in chain.sizes[1:]]
    return np.concatenate([np.zeros(chain.states), *above])


def obsolete_pages(chain: QueueChain) -> np.ndarray:
    """Rates at which waiting pages become obsolete, by state."""
    word, found = np.zeros(1), [np.zeros(chain.states)]
    for _ in chain.sizes[1:]:
        found.append(np.tile(word, chain.states * chain.service.phases))
        word = (word[:, None] + chain.obsolescence.exit).reshape(-1)
    return np.concatenate(found)
