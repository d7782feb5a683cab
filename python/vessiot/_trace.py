"""Functions of numpy on formulas: a function of Python is called once, with formulas for its arguments, and what it
returns is the same function as a graph, to be differentiated and compiled."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core, _linear
from ._core import Condition, Equality, Expr, TraceError
from ._paths import as_condition as _condition

_KINDS = (Expr, Condition, Equality)
_NO_VALUE: Any = getattr(np, "_NoValue")  # what numpy gives where nothing was given


def _is_formula(x: Any) -> bool:
    return isinstance(x, _KINDS)


def _element(on_formulas: Callable[..., Any], on_numbers: Callable[..., Any], n: int) -> Any:
    """On the elements of arrays of objects: formulas, and numbers beside them."""

    def apply(*xs: Any) -> Any:
        return on_formulas(*xs) if any(map(_is_formula, xs)) else on_numbers(*xs)

    return np.frompyfunc(apply, n, 1)


_UNARY: dict[np.ufunc, Callable[[Any], Any]] = {
    np.sin: _core.sin, np.cos: _core.cos, np.tan: _core.tan, np.arcsin: _core.asin, np.arccos: _core.acos,
    np.arctan: _core.atan, np.sinh: _core.sinh, np.cosh: _core.cosh, np.tanh: _core.tanh, np.arcsinh: _core.asinh,
    np.arccosh: _core.acosh, np.arctanh: _core.atanh, np.exp: _core.exp, np.log: _core.log, np.log10: _core.log10,
    np.sqrt: _core.sqrt, np.cbrt: _core.cbrt, np.absolute: _core.abs, np.fabs: _core.abs, np.sign: _core.sign,
    np.floor: _core.floor, np.ceil: _core.ceil, np.square: lambda x: x * x, np.reciprocal: lambda x: 1.0 / x,
    np.positive: lambda x: x, np.negative: operator.neg, np.conjugate: lambda x: x,
    np.expm1: lambda x: _core.exp(x) - 1, np.log1p: lambda x: _core.log(1 + x),
    np.log2: lambda x: _core.log(x) / np.log(2.0), np.exp2: lambda x: 2.0**x,
    np.deg2rad: lambda x: x * (np.pi / 180), np.radians: lambda x: x * (np.pi / 180),
    np.rad2deg: lambda x: x * (180 / np.pi), np.degrees: lambda x: x * (180 / np.pi),
    np.logical_not: lambda x: ~_condition(x), np.invert: lambda x: ~_condition(x),
}
_BINARY: dict[np.ufunc, Callable[[Any, Any], Any]] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.true_divide: operator.truediv,
    np.power: operator.pow, np.float_power: operator.pow, np.remainder: operator.mod,
    np.floor_divide: operator.floordiv, np.arctan2: _core.atan2, np.hypot: _core.hypot, np.minimum: _core.min,
    np.maximum: _core.max, np.fmin: _core.min, np.fmax: _core.max,
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
    np.equal: lambda a, b: _condition(a == b), np.not_equal: operator.ne,
    np.logical_and: lambda a, b: _condition(a) & _condition(b),
    np.logical_or: lambda a, b: _condition(a) | _condition(b),
    np.bitwise_and: lambda a, b: _condition(a) & _condition(b),
    np.bitwise_or: lambda a, b: _condition(a) | _condition(b),
    np.heaviside: lambda x, at: _core.if_(x < 0, 0.0, _core.if_(x > 0, 1.0, at)),
}
_ELEMENTS: dict[np.ufunc, Any] = {
    **{u: _element(f, u, 1) for u, f in _UNARY.items()},
    **{u: _element(f, u, 2) for u, f in _BINARY.items()},
}


def _plain(x: Any) -> np.ndarray[Any, Any]:
    """An array of objects that numpy itself works on."""
    if isinstance(x, np.ndarray):
        return x.view(np.ndarray).astype(object)
    if _is_formula(x):
        a = np.empty((), dtype=object)
        a[()] = x
        return a
    return np.asarray(x.item() if isinstance(x, np.generic) else x, dtype=object)


def traced(x: Any) -> Any:
    """An array of objects as an array of formulas; what is no array stays."""
    if isinstance(x, np.ndarray) and x.dtype == object:
        return x.view(Traced) if x.ndim > 0 else x[()]
    return x


def array_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
    """What numpy calls where a formula meets one of its functions."""
    out = keywords.pop("out", None)
    keywords.pop("dtype", None)
    if keywords.get("where", True) is not True:
        raise TraceError(f"numpy.{ufunc.__name__} with where= has no formula")
    keywords.pop("where", None)
    arrays = [_plain(x) for x in inputs]
    if ufunc is np.matmul and method == "__call__":
        result = np.matmul(*arrays)
    elif ufunc not in _ELEMENTS:
        raise TraceError(f"numpy.{ufunc.__name__} has no formula")
    elif method == "__call__":
        result = _ELEMENTS[ufunc](*arrays)
    elif method in ("reduce", "accumulate"):
        initial = keywords.pop("initial", None)
        own = ufunc if ufunc in (np.add, np.multiply) else _ELEMENTS[ufunc]
        result = getattr(own, method)(*arrays, **keywords)
        if initial is not None and initial is not _NO_VALUE:
            result = _ELEMENTS[ufunc](result, initial)
    elif method == "outer":
        result = _ELEMENTS[ufunc].outer(*arrays)
    else:
        raise TraceError(f"numpy.{ufunc.__name__}.{method} has no formula")
    if out is None:
        return traced(result)
    if out[0].dtype != object:
        raise TraceError("a formula stands where a number is needed: an array of numbers cannot hold it; "
                         "numpy.empty_like(y) and numpy.zeros_like(y) can")
    out[0].view(np.ndarray)[...] = result
    return out[0]


class Traced(np.ndarray[Any, Any]):
    """Formulas in an array: what a function that is traced gets for y."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        return array_ufunc(self, ufunc, method, *inputs, **keywords)

    def __array_function__(self, function: Any, types: Any, args: Any, keywords: Any) -> Any:
        return array_function(self, function, types, args, keywords)


def _untraced(x: Any) -> Any:
    """Arguments of a function of numpy with arrays of objects for formulas."""
    if _is_formula(x) or isinstance(x, Traced):
        return _plain(x)
    if type(x) in (list, tuple):
        return type(x)(map(_untraced, x))
    return x


def array_function(self: Any, function: Any, types: Any, args: Any, keywords: Any) -> Any:
    """Functions of numpy that are no ufuncs: our own where values decide, else what they do with objects."""
    own = _FUNCTIONS.get(function)
    if own is not None:
        return own(*args, **keywords)
    result = function(*_untraced(tuple(args)), **{k: _untraced(v) for k, v in keywords.items()})
    return [traced(x) for x in result] if isinstance(result, list) else traced(result)


def _where(condition: Any, a: Any, b: Any) -> Any:
    choose = np.frompyfunc(
        lambda c, x, y: _core.if_(_condition(c), x, y) if _is_formula(c) else (x if c else y), 3, 1)
    return traced(choose(_plain(condition), _plain(a), _plain(b)))


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **keywords: Any) -> Any:
    low = keywords.get("min", a_min)
    high = keywords.get("max", a_max)
    if low is not None:
        a = np.maximum(a, low)
    return a if high is None else np.minimum(a, high)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord not in (None, 2) or (x.ndim != 1 and axis is None):
        raise TraceError("numpy.linalg.norm has a formula for the Euclidean length only")
    squares: Any = np.square(x)
    return np.sqrt(squares.sum(axis=axis, keepdims=keepdims))


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    raise TraceError("numpy.interp has no formula")


def _cross(a: Any, b: Any) -> Any:
    if np.shape(a) != (3,) or np.shape(b) != (3,):
        raise TraceError("numpy.cross has a formula for vectors of three elements")
    return traced(_plain([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]))


def _gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    found = _linear.gradient(_plain(f), spacing, axis, edge_order)
    return [traced(x) for x in found] if isinstance(found, list) else traced(found)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where, np.clip: _clip, np.linalg.norm: _norm, np.interp: _interp, np.cross: _cross,
    np.gradient: _gradient, np.linalg.solve: lambda a, b: traced(_linear.solve(a, _plain(b))),
    np.max: lambda a, axis=None, **k: np.maximum.reduce(a, axis=axis),
    np.min: lambda a, axis=None, **k: np.minimum.reduce(a, axis=axis),
    np.array_equal: lambda *a, **k: (_ for _ in ()).throw(TraceError("numpy.array_equal decides by values")),
}


def sparse_products() -> _linear.sparse_products:
    return _linear.sparse_products(lambda x: isinstance(x, Traced), traced)


class room_for_formulas:
    """While it lasts, numpy.empty, zeros, ones and full make arrays in this thread that can hold formulas."""

    _makers = ("empty", "zeros", "ones", "full")
    _lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()
        self._originals = {name: getattr(np, name) for name in self._makers}
        owner = threading.get_ident()
        for name, original in self._originals.items():
            setattr(np, name, self._maker(original, owner, 2 if name == "full" else 1))

    def __exit__(self, *error: Any) -> None:
        for name, original in self._originals.items():
            setattr(np, name, original)
        self._lock.release()

    @staticmethod
    def _maker(original: Any, owner: int, n: int) -> Any:
        """With `n` arguments before the type."""

        def make(*args: Any, **keywords: Any) -> Any:
            kind = keywords.get("dtype", args[n] if len(args) > n else float)
            if threading.get_ident() != owner or kind not in (None, float, np.float64) or keywords.keys() - {"dtype"}:
                return original(*args, **keywords)
            numbers = original(*args[:n])
            return numbers.astype(object).view(Traced) if numbers.ndim > 0 else numbers

        return make


def formulas(result: Any, shape: tuple[int, ...], what: str) -> list[Any]:
    """What a traced function returned, as one formula for each element."""
    if _is_formula(result):
        result = [result]
    array = np.asarray(result, dtype=object).view(np.ndarray)
    if array.shape not in (shape, (), (1,)):
        raise ValueError(f"{what} must return an array of the shape {shape}, but its shape is {array.shape}")
    array = np.broadcast_to(array, shape)
    found: list[Any] = []
    for x in array.ravel():
        if isinstance(x, Condition):
            x = _core.if_(x, 1.0, 0.0)
        if isinstance(x, Expr):
            found.append(x)
            continue
        number = float(x)
        if not np.isfinite(number):
            raise TraceError(f"{what} returns {number}")
        found.append(number)
    return found
