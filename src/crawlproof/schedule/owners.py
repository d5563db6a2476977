"""A cycle of indices dealt out to pages in consecutive blocks, and whose an index is."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

#: Longest cycle: its indices are exact as floats.
LONGEST = 2**53

_compiled = njit(cache=True, error_model="numpy")


@_compiled
def _apportion(frequency, cycle):
    """Numbers of indices that sum to the cycle, each its quota rounded up or down.

    What rounding leaves over is carried to the next page, so partial sums are rounded
    partial quotas; 1e-9 keeps rounding errors of the carry from splitting whole quotas.
    """
    counts = np.empty(len(frequency), dtype=np.int64)
    carry, total, largest = 0.0, 0, 0
    for page in range(len(frequency)):
        quota = frequency[page] * cycle
        whole = np.floor(quota)
        carry += quota - whole
        counts[page] = int(whole)
        if carry + 1e-9 >= 1.0:
            counts[page] += 1
            carry -= 1.0
        total += counts[page]
        if counts[page] > counts[largest]:
            largest = page
    # Only cycles near 2**53 are off by more than the last carry.
    counts[largest] += cycle - total
    return counts


@_compiled
def _fill_guide(ends, scale, guide):
    """guide[g]: the first block whose last index falls into part g or a later one."""
    part = 0
    for block in range(len(ends)):
        reach = int((ends[block] - 1) * scale)
        while part <= reach and part < len(guide):
            guide[part] = block
            part += 1
    while part < len(guide):
        guide[part] = len(ends) - 1
        part += 1


@_compiled
def _owner(ends, guide, scale, index):
    """The block that has an index: expected O(1), by bisection where many blocks share a part."""
    part = min(int(index * scale), len(guide) - 1)
    low = guide[part]
    if ends[low] > index:
        return low
    high = guide[part + 1] if part + 1 < len(guide) else len(ends) - 1
    while low < high:  # the first block whose end is beyond the index
        middle = (low + high) >> 1
        if ends[middle] > index:
            high = middle
        else:
            low = middle + 1
    return low


@_compiled
def _owners(ends, guide, scale, pages, indices, out):
    for n in range(len(indices)):
        out[n] = pages[_owner(ends, guide, scale, indices[n])]


class Owners:
    """Blocks of consecutive indices 0, ..., cycle - 1, one for each page of ``pages`` in turn.

    Set up in O(pages). ``of(indices)`` takes O(1) for an index on average over the cycle
    (at most one step beyond a table look-up), and O(log pages) at worst.
    """

    def __init__(self, pages: NDArray[np.int32], counts: NDArray[np.int64]) -> None:
        self.pages = np.ascontiguousarray(pages)
        self.counts = counts
        self.ends = np.cumsum(counts)
        self.cycle = int(self.ends[-1])
        self._guide = np.empty(len(counts), dtype=np.int32)
        self._scale = len(counts) / self.cycle
        _fill_guide(self.ends, self._scale, self._guide)

    @classmethod
    def by_frequency(cls, frequency: NDArray[np.float64], cycle: int) -> Owners:
        """Each page gets its quota frequency*cycle, rounded up or down."""
        counts = _apportion(frequency, cycle)
        pages = np.flatnonzero(counts).astype(np.int32)
        return cls(pages, counts[pages])

    def table(self) -> NDArray[np.int32]:
        """The owner of every index."""
        return np.repeat(self.pages, self.counts)

    def of(self, indices: NDArray[np.int64]) -> NDArray[np.int32]:
        """The owner of each index."""
        out = np.empty(len(indices), dtype=np.int32)
        _owners(self.ends, self._guide, self._scale, self.pages, indices, out)
        return out
