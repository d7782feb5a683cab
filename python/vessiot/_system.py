"""A system given by functions of Python: traced into formulas, or called for every value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._complex import join_complex, split_complex, trace_complex
from ._core import TraceError
from ._model import Model
from ._paths import explore, merged
from ._trace import formulas, room_for_formulas, sparse_products, traced


class EventFunction(NamedTuple):
    name: str
    function: Callable[..., Any]
    terminal: int  # the crossing at which the run is over; 0: none
    direction: float

    @property
    def crossing(self) -> str:
        return "rising" if self.direction > 0 else "falling" if self.direction < 0 else "both"


class About(NamedTuple):
    """What a solution has to know of the functions that it solves."""

    traced: bool
    reason: str  # why not
    is_complex: bool
    n: int  # real unknowns
    rates: list[float] | None  # at the start, where they were given
    has_events: bool
    events: list[tuple[str, int]]  # name; the crossing at which the run is over
    has_constant_jac: bool

    def join(self, y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Rows of real unknowns as the caller's."""
        return join_complex(y) if self.is_complex else y[: self.n]

    def start_of(self, y: np.ndarray[Any, Any]) -> dict[str, float]:
        start = {f"y[{k}]": float(v) for k, v in enumerate(y[: self.n], 1)}
        start.update({f"y[{k}]'": v for k, v in enumerate(self.rates or [], 1)})
        return start


class Derivative:
    """The derivative by t and y of a right side with numbers: `jac` for y, differences for t. Columns one after another,
    those entries that the pattern has."""

    def __init__(self, function: Any, jac: Any, n: int, entries: list[tuple[int, int]] | None) -> None:
        self._function, self._jac, self._n = function, jac, n
        self._places = None if entries is None else np.array(sorted(entries, key=lambda e: (e[1], e[0])))

    def __call__(self, z: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        t, y = z[0], z[1:]
        matrix = np.column_stack([self._by_t(t, y), self.by_y(t, y)])
        if self._places is None:
            return np.ascontiguousarray(matrix.T.ravel())
        return np.ascontiguousarray(matrix[self._places[:, 0], self._places[:, 1]])

    def by_y(self, t: float, y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        found = self._jac(t, y) if callable(self._jac) else self._jac
        matrix = np.atleast_2d(np.asarray(found.toarray() if hasattr(found, "toarray") else found, dtype=float))
        if matrix.shape != (self._n, self._n):
            raise ValueError(f"`jac` is expected to have shape {(self._n, self._n)}, but actually has {matrix.shape}")
        return matrix

    def _by_t(self, t: float, y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        h = 6e-6 * max(1.0, abs(t))
        before = self._function(t - h, y)
        try:
            return np.asarray((self._function(t + h, y) - before) / (2 * h))
        except Exception:  # it ends here
            return np.asarray((self._function(t, y) - before) / h)


class NumberFunction:
    """A right side with numbers. NOTE: it knows no model: one that holds it would never be freed."""

    def __init__(self, function: Any, n: int, vectorized: bool, is_complex: bool) -> None:
        self._function, self._n, self._vectorized, self._is_complex = function, n, vectorized, is_complex

    def __call__(self, t: float, y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        values = join_complex(y) if self._is_complex else y
        result = self._function(t, values.reshape(-1, 1) if self._vectorized else values)
        if result is None:
            raise TypeError(f"the function returns None, but {self._n} numbers are needed")
        found = np.asarray(result)
        if self._vectorized:
            found = found.reshape(-1)
        if np.iscomplexobj(found) and not self._is_complex:
            raise TypeError("the function returns complex numbers, but y0 is real: give a complex y0")
        found = found.astype(complex if self._is_complex else float)
        if found.shape not in ((self._n,), (), (1,)):
            raise ValueError(
                f"the function must return an array of the shape ({self._n},), but its shape is {found.shape}")
        found = np.broadcast_to(found, (self._n,))
        return split_complex(found) if self._is_complex else found


class FunctionSystem:
    """What both kinds have: the parts, and real numbers for complex ones."""

    reason = ""
    raises = False  # somewhere, for some values

    def __init__(self, kind: str, *, function: Any, t0: float, y0: np.ndarray[Any, Any], yp0: np.ndarray[Any, Any] | None,
                 events: list[EventFunction], vectorized: bool, constraints: Any, invariants: Any, mass: Any,
                 has_events: bool, jac: Any = None, sparsity: Any = None) -> None:
        self.kind, self.function, self.t0, self.y0, self.yp0 = kind, function, t0, y0, yp0
        self.events, self.vectorized, self.has_events = events, vectorized, has_events
        self.constraints, self.invariants, self.mass = constraints, invariants, mass
        self.jac, self.sparsity = jac, sparsity
        self.is_complex = bool(np.iscomplexobj(y0))
        if self.is_complex and (constraints or invariants or mass is not None or kind == "dae"):
            raise TypeError("constraints, invariants and mass matrices need real numbers, but y0 is complex")
        self.n = len(y0) * (2 if self.is_complex else 1)  # real unknowns
        self.numbers = NumberFunction(function, len(y0), vectorized, self.is_complex)

    def split(self, y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return split_complex(y) if self.is_complex else y

    def about(self) -> About:
        rates = None if self.yp0 is None else [float(v) for v in self.yp0]
        return About(not isinstance(self, Called), self.reason, self.is_complex, self.n, rates, self.has_events,
                     [(e.name, e.terminal) for e in self.events], self.jac is not None and not callable(self.jac))

    def call(self, t: float, y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The function with numbers: real unknowns, real results. Raises what it raises, or what is wrong with them."""
        if self.kind == "ivp":
            return self.numbers(t, y)
        result = np.asarray(_given("the function", self.function(t, y, np.zeros(self.n) if self.yp0 is None else self.yp0)))
        return result.astype(float)

    def call_all(self, t: float, y: np.ndarray[Any, Any]) -> None:
        """Every function but those of events, for what it raises."""
        self.call(t, y)
        for part in (self.constraints, self.invariants):
            if part is not None:
                part(t, y)

    def key(self) -> Any:
        raise NotImplementedError

    def model(self) -> Model:
        raise NotImplementedError


def is_met_at_start(system: FunctionSystem, event: EventFunction, t1: float) -> bool:
    """An event that is zero at the start and leaves it in its direction, as SciPy has it. Of systems that are no plain
    right side only those of both directions are known to."""
    value = event.function(system.t0, system.y0.copy())
    if np.size(value) != 1 or np.asarray(value).reshape(()) != 0:
        return False
    if event.direction == 0:
        return True
    if system.kind != "ivp" or system.mass is not None or t1 == system.t0:
        return False
    h = 1e-6 * np.sign(t1 - system.t0) * max(1e-3, min(1.0, abs(t1 - system.t0)))
    y = system.split(system.y0)
    y = y + h * system.call(system.t0, y)
    after = float(np.asarray(event.function(system.t0 + h, join_complex(y) if system.is_complex else y)).reshape(()))
    return after * event.direction >= 0


def _agree(found: np.ndarray[Any, Any], given: np.ndarray[Any, Any], slack: Any) -> bool:
    is_number = np.isfinite(given)
    difference = np.abs(np.where(is_number, found, 0.0) - np.where(is_number, given, 0.0))
    return bool(np.all((difference <= 1e-9 * np.maximum(np.abs(given), 1e-300) + slack) | ~is_number))


def _given(what: str, result: Any) -> Any:
    """What a function returned. NOTE: numpy would take None for NaN."""
    if result is None:
        raise TypeError(f"{what} returns None, but numbers must be returned")
    return result


def _count(what: str, result: Any) -> int:
    return int(np.size(np.asarray(_given(what, result), dtype=object)))


class Traced(FunctionSystem):
    """The functions as formulas. Raises whatever they raise on formulas, or TraceError."""

    def __init__(self, kind: str, **parts: Any) -> None:
        super().__init__(kind, **parts)
        self._model = Model(name="function")
        y = self._model.unknown("y", shape=self.n)
        self._y = [y[k] for k in range(1, self.n + 1)]
        self._t = self._model.t
        self._rhs = self._all_ways(self._of_complex if self.is_complex else self._of_function)
        self._mass = self._mass_rows()
        self._zeros = self._of_part(self.constraints, "constraints")
        self._kept = self._of_part(self.invariants, "invariants")
        self._crossings = [self._of_event(e) for e in self.events]
        self._check_values()

    def _all_ways(self, trace: Callable[[], list[Any]], may_raise: bool = True) -> list[Any]:
        """The formulas of a function, with a choice wherever it decides by a value. One that raises has no value there,
        which ends the run; but an event that raises is called, since a run goes on without its value."""
        with sparse_products():
            try:
                ways = explore(trace)
            except TraceError:  # perhaps since an array of numbers cannot hold them
                with room_for_formulas():
                    ways = explore(trace)
        raised = [leaf for leaf in ways.leaves() if isinstance(leaf, Exception)]
        if raised and not may_raise:
            raise TraceError(f"an event raises {type(raised[0]).__name__} for some values")
        self.raises = self.raises or bool(raised)
        nothing = _core.sqrt(-1 - self._y[0] * self._y[0])
        return merged(ways, nothing)

    def _array(self, elements: list[Any]) -> Any:
        a = np.empty(len(elements), dtype=object)
        a[:] = elements
        return traced(a)

    def _of_function(self) -> list[Any]:
        y = self._array(self._y)
        if self.kind == "dae":
            result = self.function(self._t, y, self._array([e.d() for e in self._y]))
            return formulas(result, (_count("the function", result),), "the function")
        if self.vectorized:
            return formulas(np.ravel(np.asarray(self.function(self._t, y.reshape(-1, 1)), dtype=object)), (self.n,),
                            "the function")
        return formulas(self.function(self._t, y), (self.n,), "the function")

    def _of_complex(self) -> list[Any]:
        return trace_complex(self.function, self._t, self._y, self.vectorized)

    def _of_part(self, part: Any, what: str) -> list[Any]:
        if part is None:
            return []

        def trace() -> list[Any]:
            result = part(self._t, self._array(self._y))
            return formulas(np.ravel(np.asarray(result, dtype=object)), (_count(what, result),), what)

        return self._all_ways(trace)

    def _of_event(self, event: EventFunction) -> Any:
        if self.is_complex:
            raise TraceError("events of complex functions have no formula")
        return self._all_ways(lambda: formulas(event.function(self._t, self._array(self._y)), (1,), event.name),
                              may_raise=False)[0]

    def _mass_rows(self) -> list[list[Any]] | None:
        """M as rows of formulas and numbers."""
        if self.mass is None:
            return None
        mass = self.mass(self._t, self._array(self._y)) if callable(self.mass) else self.mass
        mass = mass.toarray() if hasattr(mass, "toarray") else mass
        matrix = np.asarray(mass, dtype=object)
        if matrix.shape != (self.n, self.n):
            raise ValueError(f"`mass` must be a matrix of {self.n} x {self.n}, but has the shape {matrix.shape}")
        return [formulas(row, (self.n,), "mass") for row in matrix]

    def _all(self) -> list[Any]:
        rows = [x for row in self._mass or [] for x in row]
        return [*self._rhs, *rows, *self._zeros, *self._kept, *self._crossings]

    def _check_values(self) -> None:
        """The formulas must say at the start point what the function says: one that keeps a state, throws dice or looks
        at types is called instead."""
        if self.is_complex or self.kind == "dae":
            return
        y = np.ascontiguousarray(self.y0, dtype=float)

        def number(t: float, y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            return self.call(t, y.copy())

        given = number(self.t0, y)
        found = self._model._core.values([_core.to_expr(e) for e in self._rhs], self.t0, y, np.zeros(self.n))
        if _agree(found, given, 0.0):
            return
        # round-off that cancellation made large: as much as a small change of the point
        slack, change = np.zeros(self.n), 1 + 1e-12
        for t, z in ((self.t0, y * change), (self.t0 * change, y), (self.t0 / change, y)):
            try:
                slack += np.abs(number(t, z) - given)
            except Exception:
                continue
        if not _agree(found, given, slack):
            raise TraceError("the formulas differ from the function's value at the start point")

    def key(self) -> Any:
        words = (self.kind, self.n, len(self._rhs), self._mass is not None, len(self._zeros), len(self._kept),
                 tuple((e.crossing, e.terminal == 1) for e in self.events))
        return words, self._model._core.key([_core.to_expr(e) for e in self._all()])

    def model(self) -> Model:
        m = self._model
        if self.kind == "dae":
            m.equation(*[_core.to_expr(e) == 0 for e in self._rhs])
        elif self._mass is None:
            m.equation(*[y.d() == e for y, e in zip(self._y, self._rhs)])
        else:
            rates = [y.d() for y in self._y]
            for row, e in zip(self._mass, self._rhs):
                terms = [a * r for a, r in zip(row, rates) if not (isinstance(a, float) and a == 0)]
                left = _core.to_expr(terms[0] if terms else 0.0)
                for term in terms[1:]:
                    left = left + term
                m.equation(left == e)
        m.equation(*[_core.to_expr(e) == 0 for e in self._zeros])
        m.invariant(*[_core.to_expr(e) for e in self._kept])
        for event, e in zip(self.events, self._crossings):
            m.event(event.name, _core.to_expr(e) == 0, direction=event.crossing, stop=event.terminal == 1)
        return m


class Called(Traced):
    """The functions as they are: the library calls them for every value. Raises what they raise at the start point."""

    def __init__(self, kind: str, reason: str, **parts: Any) -> None:
        self.reason = reason
        self._is_tracing = False
        super().__init__(kind, **parts)

    def _called(self, name: str, function: Callable[..., Any], n_results: int, pattern: Any = None,
                derivative: Derivative | None = None) -> list[Any]:
        """One formula for each result: the function of t and y by its name."""

        def call(z: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            return np.ascontiguousarray(np.ravel(_given(name, function(z[0], z[1:]))), dtype=float)

        made = self._model._tell("external", name, 1 + self.n, n_results, call, pattern, derivative)
        found: list[Any] = made(self._t, *self._y)
        return found

    def _all_ways(self, trace: Callable[[], list[Any]], may_raise: bool = True) -> list[Any]:
        return super()._all_ways(trace, may_raise) if self._is_tracing else trace()

    def _traced_or(self, trace: Callable[[], Any], call: Callable[[], Any]) -> Any:
        """Other functions than the first become formulas where they can."""
        self._is_tracing = True
        try:
            return trace()
        except Exception:
            return call()
        finally:
            self._is_tracing = False

    def _of_function(self) -> list[Any]:
        first = self.call(self.t0, self.split(self.y0))
        if not np.isfinite(first).all():
            raise ValueError(f"the function must return finite numbers, but at the start it returns {first.tolist()!r}"[:300])
        if self.kind == "ivp":
            pattern = self._pattern()
            return self._called("f", self.numbers, self.n, pattern, self._derivative(pattern))
        function, n = self.function, self.n

        def residual(z: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            return np.ascontiguousarray(np.ravel(function(z[0], z[1 : 1 + n], z[1 + n :])), dtype=float)

        made = self._model._tell("external", "F", 1 + 2 * n, len(first), residual)
        found: list[Any] = made(self._t, *self._y, *[y.d() for y in self._y])
        return found

    def _derivative(self, pattern: list[tuple[int, int]] | None) -> Derivative | None:
        if self.jac is None or self.is_complex:
            return None
        made = Derivative(self.numbers, self.jac, self.n, pattern)
        made.by_y(self.t0, self.y0)  # what is wrong with it is said at once
        return made

    def _pattern(self) -> list[tuple[int, int]] | None:
        """Entries of the derivative by t and y, where jac_sparsity says where they are."""
        if self.sparsity is None or self.is_complex:
            return None
        rows, columns = np.nonzero(self.sparsity.toarray() if hasattr(self.sparsity, "toarray") else self.sparsity)
        by_t = [(k, 0) for k in range(self.n)]
        return by_t + [(int(i), int(j) + 1) for i, j in zip(rows, columns)]

    def _of_complex(self) -> list[Any]:
        return self._of_function()

    def _of_part(self, part: Any, what: str) -> list[Any]:
        if part is None:
            return []
        traced_part = super()._of_part
        found: list[Any] = self._traced_or(
            lambda: traced_part(part, what),
            lambda: self._called(what, part, _count(what, part(self.t0, self.split(self.y0)))))
        return found

    def _of_event(self, event: EventFunction) -> Any:
        function, is_complex = event.function, self.is_complex
        traced_event = super()._of_event

        def value(t: float, y: np.ndarray[Any, Any]) -> Any:
            return function(t, join_complex(y) if is_complex else y)

        return self._traced_or(lambda: traced_event(event), lambda: self._called(event.name, value, 1)[0])

    def _mass_rows(self) -> list[list[Any]] | None:
        traced_rows = super()._mass_rows
        if not callable(self.mass):
            return traced_rows()

        def called() -> list[list[Any]]:
            found = self._called("mass", self.mass, self.n * self.n)
            return [found[k * self.n : (k + 1) * self.n] for k in range(self.n)]

        rows: list[list[Any]] = self._traced_or(traced_rows, called)
        return rows

    def _check_values(self) -> None:
        pass

    def key(self) -> Any:
        return None
