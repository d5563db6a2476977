"""Linear algebra of Markov chains without a subtraction (after Grassmann, Taksar and Heyman).

A matrix -T, T a sub-generator, is given by its rates off the diagonal and by the rates out of the set (`leave`): its
diagonal is their sum and never appears. Products and sums of non-negative numbers only: every entry of a result has a
small relative error, however small it is and however badly conditioned T may be. Leading axes are batches.
"""

from __future__ import annotations

import numpy as np


def inverse(rates: np.ndarray, leave: np.ndarray) -> np.ndarray:
    """(-T)^-1, for T with these rates between its states and `leave` out of them; the diagonal of `rates` is ignored.

    Entry (r, c) is the expected time in c before leaving, from r. By halves: states of the second half are eliminated,
    which turns paths through them into rates of the first, so that nearly all work is in products of matrices.
    """
    size = rates.shape[-1]
    if size == 1:
        return 1 / leave[..., None]
    half = size // 2
    stay, there = rates[..., :half, :half], rates[..., :half, half:]
    back, beyond = rates[..., half:, :half], rates[..., half:, half:]
    second = inverse(beyond, leave[..., half:] + back.sum(axis=-1))
    detour = there @ second
    first = inverse(stay + detour @ back, leave[..., :half] + (detour @ leave[..., half:, None])[..., 0])
    result = np.empty(np.broadcast_shapes(rates.shape, (*leave.shape, 1)), dtype=np.result_type(rates, leave))
    result[..., :half, :half] = first
    result[..., :half, half:] = first @ detour
    return_visits = second @ back
    result[..., half:, :half] = return_visits @ first
    result[..., half:, half:] = second + return_visits @ result[..., :half, half:]
    return result


def stationary(rates: np.ndarray) -> np.ndarray:
    """The stationary law of a chain with one closed class; the diagonal of its rates is ignored."""
    rates = np.array(rates, dtype=np.result_type(rates, float))
    size = rates.shape[-1]
    # States are eliminated down to the first one: it must be one that all others lead to.
    order = np.broadcast_to(np.arange(size), rates.shape[:-1]).copy()
    first = recurrent_state(rates)
    order[..., 0] = first
    np.put_along_axis(order, first[..., None], 0, axis=-1)
    rates = np.take_along_axis(np.take_along_axis(rates, order[..., None], axis=-2), order[..., None, :], axis=-1)
    for k in range(size - 1, 0, -1):
        rates[..., :k, k] /= rates[..., k, :k].sum(axis=-1)[..., None]
        rates[..., :k, :k] += rates[..., :k, k, None] * rates[..., k, None, :k]
    law = np.zeros(rates.shape[:-1], dtype=rates.dtype)
    law[..., 0] = 1
    for k in range(1, size):
        law[..., k] = (law[..., :k] * rates[..., :k, k]).sum(axis=-1)
    # The order swaps two states: it is its own inverse.
    return np.take_along_axis(law, order, axis=-1) / law.sum(axis=-1, keepdims=True)


def recurrent_state(rates: np.ndarray) -> np.ndarray:
    """The number of the first state that is reached again from wherever it leads to."""
    size = rates.shape[-1]
    leads = (rates.real > 0) | np.eye(size, dtype=bool)
    for _ in range(max(size - 1, 1).bit_length()):
        leads = leads @ leads
    return (~leads | leads.swapaxes(-1, -2)).all(axis=-1).argmax(axis=-1)
