"""Products of matrices of numbers with arrays of formulas: sparse matrices of SciPy, numpy.linalg.solve, numpy.gradient."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ._core import TraceError


def product(rows: Any, columns: Any, entries: Any, n_rows: int, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Of a matrix given by its entries and an array of objects (n,) or (n, m): entries that are zero stand in no formula."""
    result = np.zeros((n_rows, *x.shape[1:]), dtype=object)
    for i, j, a in zip(rows.tolist(), columns.tolist(), entries.tolist()):
        result[i] = result[i] + a * x[j]
    return result


def dense_product(matrix: np.ndarray[Any, Any], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    rows, columns = np.nonzero(matrix)
    return product(rows, columns, matrix[rows, columns], len(matrix), x)


def solve(matrix: Any, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """numpy.linalg.solve for a matrix of numbers."""
    try:
        numbers = np.asarray(matrix, dtype=float)
    except TypeError:
        raise TraceError("numpy.linalg.solve has a formula for matrices of numbers only") from None
    if numbers.ndim != 2:
        raise TraceError("numpy.linalg.solve has a formula for one matrix only")
    return dense_product(np.linalg.inv(numbers), x)


def gradient(x: np.ndarray[Any, Any], spacing: tuple[Any, ...], axis: Any, edge_order: int) -> Any:
    """numpy.gradient: along every axis a matrix of numbers."""
    axes = range(x.ndim) if axis is None else [int(k) % x.ndim for k in np.atleast_1d(axis)]
    try:
        steps = [np.asarray(s, dtype=float) for s in spacing] or [np.asarray(1.0)]
    except TypeError:
        raise TraceError("numpy.gradient has a formula for distances that are numbers only") from None
    steps = steps * len(axes) if len(steps) == 1 else steps
    if len(steps) != len(axes):
        raise TypeError("invalid number of arguments")
    found = []
    for k, step in zip(axes, steps):
        distances: Any = step if step.ndim else float(step)
        order: Any = edge_order
        matrix: Any = np.gradient(np.eye(x.shape[k]), distances, axis=0, edge_order=order)
        found.append(np.moveaxis(dense_product(matrix, np.moveaxis(x, k, 0)), 0, k))
    return found[0] if len(found) == 1 else found


class sparse_products:
    """While it lasts, sparse matrices of SciPy multiply arrays of formulas as well."""

    _lock = threading.RLock()

    def __init__(self, is_formulas: Callable[[Any], bool], made: Callable[[Any], Any]) -> None:
        self._is_formulas, self._made = is_formulas, made
        self._owner: Any = None

    def __enter__(self) -> None:
        self._lock.acquire()
        base = getattr(sys.modules.get("scipy.sparse"), "_base", None)
        owner = getattr(base, "_spbase", None) or getattr(base, "spmatrix", None)
        names = [n for n in ("_matmul_dispatch", "_mul_dispatch") if n in vars(owner)] if owner is not None else []
        if not names:
            return
        self._owner, self._name, self._original = owner, names[0], vars(owner)[names[0]]
        is_formulas, made, original = self._is_formulas, self._made, self._original

        def multiply(matrix: Any, other: Any, *args: Any, **keywords: Any) -> Any:
            if not is_formulas(other) or other.ndim not in (1, 2):
                return original(matrix, other, *args, **keywords)
            if matrix.shape[-1] != other.shape[0]:
                raise ValueError(f"dimension mismatch: {matrix.shape} and {other.shape}")
            by_rows = matrix.tocsr().tocoo()
            return made(product(by_rows.row, by_rows.col, by_rows.data, matrix.shape[0], other.view(np.ndarray)))

        setattr(owner, self._name, multiply)

    def __exit__(self, *error: Any) -> None:
        if self._owner is not None:
            setattr(self._owner, self._name, self._original)
        self._lock.release()
