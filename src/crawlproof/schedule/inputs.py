"""What schedules accept: one error, with the index and the value, for anything else."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: How far the sum of frequencies may be from 1.
SUM_TOLERANCE = 1e-9


def numbers(name: str, values: ArrayLike, *, positive: bool = False, size: int | None = None) -> NDArray[np.float64]:
    """A one-dimensional array of finite numbers >= 0 (or > 0)."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, got {values!r}") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} is empty")
    if size is not None and array.size != size:
        raise ValueError(f"{name} has {array.size} entries, needs {size}")
    # Two passes where all is well: a nan or an infinity shows at the ends.
    low, high = float(array.min()), float(array.max())
    if not (math.isfinite(low) and math.isfinite(high) and (low > 0 if positive else low >= 0)):
        bad = ~(np.isfinite(array) & (array > 0 if positive else array >= 0))
        at = int(np.flatnonzero(bad)[0])
        raise ValueError(f"{name}[{at}] must be finite and {'> 0' if positive else '>= 0'}, got {float(array[at])!r}")
    return array


def frequencies(values: ArrayLike) -> NDArray[np.float64]:
    """Frequencies >= 0 that sum to 1; what the sum is off by, within the tolerance, is spread over all."""
    array = numbers("frequency", values)
    total = float(array.sum())
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise ValueError(f"frequencies must sum to 1, got {total!r}")
    return array / total


def whole_number(name: str, value: Any, *, at_least: int = 1) -> int:
    """An integer; floats that are not one, and booleans, are refused."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ValueError(f"{name} must be an integer >= {at_least}, got {value!r}")
    if value < at_least:
        raise ValueError(f"{name} must be >= {at_least}, got {value}")
    return int(value)


def page_indices(name: str, values: ArrayLike, pages: int) -> NDArray[np.integer]:
    """A sequence of accesses: integers from 0 to pages - 1, at least one."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} is empty")
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be integers, got dtype {array.dtype}")
    bad = (array < 0) | (array >= pages)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise ValueError(f"{name}[{at}] must be a page index from 0 to {pages - 1}, got {array[at]}")
    return array


def access_time_law(law: Any) -> Any:
    """A law with what Lemma 3.1 needs: a mean and a log-Laplace transform."""
    if not (hasattr(law, "mean") and callable(getattr(law, "log_laplace", None))):
        raise ValueError(f"access_time must be a law such as crawlproof.laws.Exponential(mean=1.0), got {law!r}")
    return law
