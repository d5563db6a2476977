"""Kronecker products and sums of exact matrices, flint's rational ones and SymPy's alike.

>>> a = fmpq_mat([[0, 1], [2, 0]])
>>> kronecker_sum(a, a) == kron(a, identity(2, a)) + kron(identity(2, a), a)
True
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import sympy as sp
from flint import fmpq_mat

Matrix = fmpq_mat | sp.MatrixBase


def shape(matrix: Matrix) -> tuple[int, int]:
    return tuple(matrix.shape) if isinstance(matrix, sp.MatrixBase) else (matrix.nrows(), matrix.ncols())


def like(rows: Any, example: Matrix) -> Matrix:
    """A matrix of the kind of ``example`` from nested rows."""
    return (sp.Matrix if isinstance(example, sp.MatrixBase) else fmpq_mat)([list(row) for row in rows])


def identity(size: int, example: Matrix) -> Matrix:
    return like([[int(i == j) for j in range(size)] for i in range(size)], example)


def ones(size: int, example: Matrix) -> Matrix:
    """The column vector e of this size."""
    return like([[1]] * size, example)


def zeros(rows: int, columns: int, example: Matrix) -> Matrix:
    return like([[0] * columns for _ in range(rows)], example)


def transpose(matrix: Matrix) -> Matrix:
    return like(zip(*matrix.tolist(), strict=True), matrix)


def kron(*factors: Matrix) -> Matrix:
    """The Kronecker product of one or more matrices, vectors included."""
    return reduce(_product, factors)


def _product(left: Matrix, right: Matrix) -> Matrix:
    return like(
        [[a * b for a in left_row for b in right_row] for left_row in left.tolist() for right_row in right.tolist()],
        left,
    )


def kronecker_sum(*terms: Matrix) -> Matrix:
    """A_1 ⊕ ... ⊕ A_l: the sum over j of I ⊗ A_j ⊗ I.

    The identities have the sizes of the *rows* of the other terms. For square matrices that is the
    usual Kronecker sum; for columns it lists the ways in which one of several components is absorbed.
    """
    return reduce(
        lambda left, right: kron(left, identity(shape(right)[0], right)) + kron(identity(shape(left)[0], left), right),
        terms,
    )


def power(operation: Callable[..., Matrix], matrix: Matrix, times: int, empty: Matrix) -> Matrix:
    """``matrix`` combined with itself ``times`` times; ``empty`` for no times at all."""
    return operation(*[matrix] * times) if times else empty
