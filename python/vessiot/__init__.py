"""Vessiot: differential equations as curves on manifolds.

    >>> import vessiot as vs
    >>> m = vs.gallery("pendulum")
    >>> sol = m.solve((0, 10), params={"g": 1.62}, rtol=1e-8)
    >>> sol["x"], sol(3.7, "x")

A `Model` is what the author wrote, a `Problem` the model compiled for one choice of options, an `Integrator` one curve
in progress, a `Solution` what came out. `solve_ivp` and `solve_dae` take functions of Python, as SciPy does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._core import (
    Array,
    Condition,
    Equality,
    Expr,
    Index,
    InvalidInput,
    Matrix,
    ModelError,
    OutputFailed,
    TableFunction,
    TraceError,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cbrt,
    ceil,
    cos,
    cosh,
    der,
    det,
    diff,
    erf,
    exp,
    floor,
    hypot,
    identity,
    if_,
    integer,
    inverse,
    log,
    log10,
    mod,
    product,
    quotient,
    sign,
    sin,
    sinh,
    skew,
    sqrt,
    sum,
    tan,
    tanh,
    trace,
)
from ._core import version as _version
from ._methods import (
    add_multistep,
    add_tableau,
    distributions,
    load_multistep,
    load_tableau,
    methods,
    projections,
)
from ._model import Decomposition, Inspection, Model, decompose, gallery, native_code, options
from ._problem import Integrator, Problem, Progress
from ._solution import Solution

if TYPE_CHECKING:
    from ._ensemble import Ensemble
    from ._ivp import IvpSolution, solve_dae, solve_ivp

__version__ = _version()

_lazy = {"Ensemble": "_ensemble", "solve_ivp": "_ivp", "solve_dae": "_ivp", "IvpSolution": "_ivp"}


def __getattr__(name: str) -> object:
    """What needs numpy is read when it is first used: importing the package takes a few milliseconds."""
    if name in _lazy:
        from importlib import import_module

        return getattr(import_module(f".{_lazy[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_lazy])


def load_ipython_extension(shell: object) -> None:
    """`%load_ext vessiot` gives the cell magic `%%ves`."""
    from ._magic import register

    register(shell)


__all__ = [
    "Array", "Condition", "Decomposition", "Ensemble", "Equality", "Expr", "Index", "Inspection", "Integrator", "InvalidInput",
    "IvpSolution", "Matrix", "Model", "ModelError", "OutputFailed", "Problem", "Progress", "Solution", "TableFunction",
    "TraceError",
    "acos", "acosh", "add_multistep", "add_tableau", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "cos", "cosh", "decompose", "der",
    "det", "diff", "distributions", "erf", "exp", "floor", "gallery", "hypot", "identity", "if_", "integer", "inverse", "load_multistep",
    "load_tableau", "log", "log10", "methods", "mod", "native_code", "options", "product", "projections", "quotient", "sign", "sin", "sinh", "skew", "solve_dae",
    "solve_ivp", "sqrt", "sum", "tan", "tanh", "trace",
]
