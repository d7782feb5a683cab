"""Complex unknowns as pairs of real ones: y = a + i b is a, b one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Expr, TraceError
from ._trace import formulas


def split_complex(y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.column_stack([y.real, y.imag]).ravel()


def join_complex(y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return y[0::2] + 1j * y[1::2]


class ComplexExpr:
    """a + i b of formulas."""

    __slots__ = ("real", "imag")
    __array_ufunc__ = None

    def __init__(self, real: Any, imag: Any) -> None:
        self.real, self.imag = real, imag

    @staticmethod
    def of(x: Any) -> ComplexExpr:
        if isinstance(x, ComplexExpr):
            return x
        if isinstance(x, Expr):
            return ComplexExpr(x, 0.0)
        z = complex(x)
        return ComplexExpr(z.real, z.imag)

    def __add__(self, other: Any) -> Any:
        b = _of(other)
        return b if b is NotImplemented else ComplexExpr(self.real + b.real, self.imag + b.imag)

    __radd__ = __add__

    def __neg__(self) -> ComplexExpr:
        return ComplexExpr(-self.real, -self.imag)

    def __sub__(self, other: Any) -> Any:
        b = _of(other)
        return b if b is NotImplemented else ComplexExpr(self.real - b.real, self.imag - b.imag)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __mul__(self, other: Any) -> Any:
        b = _of(other)
        if b is NotImplemented:
            return b
        return ComplexExpr(self.real * b.real - self.imag * b.imag, self.real * b.imag + self.imag * b.real)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        b = _of(other)
        if b is NotImplemented:
            return b
        size = b.real * b.real + b.imag * b.imag
        z = self * b.conjugate()
        return ComplexExpr(z.real / size, z.imag / size)

    def __rtruediv__(self, other: Any) -> Any:
        return ComplexExpr.of(other) / self

    def __pow__(self, n: Any) -> Any:
        if int(n) != n or not 0 <= n <= 64:
            raise TraceError("powers of complex formulas are whole numbers from 0 to 64")
        result = ComplexExpr(1.0, 0.0)
        for _ in range(int(n)):
            result = result * self
        return result

    def conjugate(self) -> ComplexExpr:
        return ComplexExpr(self.real, -self.imag)

    def exp(self) -> ComplexExpr:
        size = np.exp(self.real)
        return ComplexExpr(size * np.cos(self.imag), size * np.sin(self.imag))

    def __abs__(self) -> Any:
        return np.sqrt(self.real * self.real + self.imag * self.imag)


def _of(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return NotImplemented
    return ComplexExpr.of(x)


def trace_complex(function: Any, t: Expr, y: list[Any], is_vectorized: bool) -> list[Any]:
    """Right sides of the real unknowns."""
    n = len(y) // 2
    z = np.empty(n, dtype=object)
    z[:] = [ComplexExpr(y[2 * k], y[2 * k + 1]) for k in range(n)]
    result = function(t, z.reshape(-1, 1) if is_vectorized else z)
    found = np.broadcast_to(np.ravel(np.asarray(result, dtype=object)), (n,))
    pairs = [ComplexExpr.of(x) for x in found]
    return formulas([x for p in pairs for x in (p.real, p.imag)], (2 * n,), "the function")
