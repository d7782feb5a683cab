"""solve_ivp and solve_dae: functions of Python, in the words of scipy.integrate."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any

import numpy as np

from . import _core
from ._core import TraceError
from ._methods import is_method
from ._model import Model
from ._problem import Problem
from ._solution import Curve, Solution
from ._system import About, Called, Derivative, EventFunction, FunctionSystem, Traced, is_met_at_start

METHODS = {"RK23": "bs32", "RK45": "dopri54", "DOP853": "dop853", "Radau": "radau5", "BDF": "radau5", "LSODA": "auto"}
_MESSAGES = {
    0: "The solver successfully reached the end of the integration interval.",
    1: "A termination event occurred.",
}
_STATUS = {"success": 0, "stopped": 0, "failed": -1, "interrupted": -1}
_FAR = 1e15  # the end of an interval without one, in units of its start
_DENSE = 0.2  # of the tolerances, at least, for values between the steps of radau methods
_KEPT = 32

_problems: OrderedDict[Any, Problem] = OrderedDict()
_lock = Lock()


class IvpCurve(Curve):
    """The curve of a solution of `solve_ivp`. Outside of the run the equations are continued, without events."""

    def __init__(self, solution: IvpSolution) -> None:
        self._own = solution

    @property
    def ts(self) -> np.ndarray[Any, Any]:
        return self._own._steps()

    @property
    def t_min(self) -> float:
        return float(min(self._own._ends))

    @property
    def t_max(self) -> float:
        return float(max(self._own._ends))

    def __call__(self, t: Any) -> np.ndarray[Any, Any]:
        points = np.asarray(t, dtype=float)
        flat = points.reshape(-1)
        values = self._own._at(flat)
        return values[:, 0] if points.ndim == 0 else values.reshape((len(values), *points.shape))


class IvpSolution(Solution):
    """What `solve_ivp` gives: the fields of SciPy's result, and those of `Solution`.

    t, y, sol, t_events, y_events, nfev, njev, nlu, status, message, success; `traced` says whether the function became
    a formula, and `reason` why not.
    """

    __slots__ = ("_ends", "_is_dense", "_about", "_events_t", "_events_y", "_status", "_y0", "_keep", "_last", "_beyond")

    def __init__(self, core: _core.Solution, problem: Problem, run: Any, about: About, is_dense: bool,
                 y0: np.ndarray[Any, Any], ends: tuple[float, float], at_start: Sequence[bool]) -> None:
        super().__init__(core, problem, run)
        self._about, self._is_dense, self._y0 = about, is_dense, y0
        self._keep: int | None = None  # points before the event that counts
        self._last: Any = None  # that event, where it is a point of its own
        self._beyond: Problem | None = None  # without events
        self._find_events(ends, at_start)

    def _find_events(self, ends: tuple[float, float], at_start: Sequence[bool]) -> None:
        """Crossings of each event, up to the one at which the run is over; `at_start`: those that are met at once."""
        met: list[list[Any]] = [[(ends[0], self._y0)] if is_met else [] for is_met in at_start]
        last, self._status = ends[1], _STATUS[self._core.status]
        if any(is_met and terminal == 1 for is_met, (_, terminal) in zip(at_start, self._about.events)):
            last, self._status = ends[0], 1
        places = {name: k for k, (name, _) in enumerate(self._about.events)}
        for name, t, values, *_ in self._core.events():
            k = places[name]
            met[k].append((t, self._about.join(values)))
            if len(met[k]) == self._about.events[k][1]:
                last, self._status = t, 1
                if self._run[3] is None and len(met[k]) > 1:  # all steps are wanted; the run itself went on
                    self._last = met[k][-1]
                break
        if self._status == -1 and len(self._core.t) > 0:
            last = float(self._core.t[-1])
        self._events_t = [np.array([t for t, _ in m]) for m in met]
        self._events_y = [np.array([y for _, y in m]) for m in met]
        self._ends = (ends[0], last)
        if self._status == 1:
            direction = 1 if ends[1] >= ends[0] else -1
            after = direction * (self._core.t - last)
            self._keep = int(np.sum(after < 0 if self._last else after <= 0))

    @property
    def traced(self) -> bool:
        """Was the function turned into formulas? If not it is called for every value."""
        return self._about.traced

    @property
    def reason(self) -> str:
        """Why it was not; empty where it was."""
        return self._about.reason

    @property
    def t(self) -> Any:
        t = self._core.t[: self._kept()]
        if self._last is not None:
            t = np.append(t, self._last[0])
        return t if len(t) > 0 else []

    @property
    def y(self) -> Any:
        y = self._about.join(self._core.y[:, : self._kept()])
        if self._last is not None:
            y = np.column_stack([y, self._last[1]])
        return y if y.shape[1] > 0 else []

    def _kept(self) -> int | None:
        is_nothing_wanted = self._run is not None and self._run[3] is not None and len(self._run[3]) == 0
        return 0 if is_nothing_wanted else self._keep

    @property
    def sol(self) -> IvpCurve | None:
        return IvpCurve(self) if self._is_dense else None

    @property
    def t_events(self) -> Any:
        return self._events_t if self._about.has_events else None

    @property
    def y_events(self) -> Any:
        return self._events_y if self._about.has_events else None

    @property
    def njev(self) -> int:
        """Evaluations of the derivative; none where `jac` is a matrix, which is the derivative."""
        return 0 if self._about.has_constant_jac else self._core.njev

    @property
    def status(self) -> int:
        """0: the end was reached, 1: an event ended it, -1: it failed."""
        return self._status

    @property
    def success(self) -> bool:
        return self._status >= 0

    @property
    def message(self) -> str:
        text = _MESSAGES.get(self._status, self._core.message)
        if self._status < 0 and self.traced and "sliding mode" in text:
            text += "\ntrace=False calls the function for every value, and steps across the condition as SciPy does."
        return text if self.traced else f"{text}\nThe function was called for every value: {self.reason}"

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name) if name in _FIELDS else super().__getitem__(name)

    def __call__(self, t: Any, name: str | None = None) -> Any:
        if name is not None:
            return super().__call__(t, name)
        return IvpCurve(self)(t)

    def keys(self) -> list[str]:
        return list(_FIELDS)

    def values(self) -> list[Any]:
        return [getattr(self, name) for name in _FIELDS]

    def items(self) -> list[tuple[str, Any]]:
        return list(zip(_FIELDS, self.values()))

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self, name) if name in _FIELDS else default

    def __iter__(self) -> Iterator[str]:
        return iter(_FIELDS)

    def __contains__(self, name: object) -> bool:
        return name in _FIELDS

    def __repr__(self) -> str:
        return "\n".join(f"{k:>10}: {getattr(self, k)!r}" for k in _FIELDS)

    def _steps(self) -> np.ndarray[Any, Any]:
        return self._core.t

    def _at(self, t: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        first, last = self._ends
        low, high = min(first, last), max(first, last)
        is_inside = (t >= low) & (t <= high)
        values = np.full((len(self._y0), len(t)), np.nan, dtype=self._y0.dtype)
        if first == last:
            values[:] = self._y0[:, None]
            return values
        if is_inside.any():
            values[:, is_inside] = self._about.join(self._with_curve().evaluate(t[is_inside], None))
        for end, is_beyond in ((first, (t - first) * (last - first) < 0), (last, (t - last) * (last - first) > 0)):
            if is_beyond.any():
                values[:, is_beyond] = self._continued(end, t[is_beyond])
        return values

    def _continued(self, end: float, t: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Outside of the run: the same equations from its end, with nothing that stops them."""
        if self._beyond is None:
            problem = self._problem
            assert problem is not None
            self._beyond = Problem(problem.model._without(frozenset({"event"})), problem.options)
        y = self._with_curve().evaluate(np.array([end]), None)[:, 0]
        far = t[np.argmax(np.abs(t - end))]
        found = self._beyond.solve((end, far), start=self._about.start_of(y), t_eval=np.unique(t), dense_output=False)
        if not found.success:
            raise ValueError(f"the equations cannot be continued outside of the run: {found.message}")
        place = np.searchsorted(np.unique(t), t)
        rows = found.y if far > end else found.y[:, ::-1]
        return self._about.join(rows[:, place])

    def _with_curve(self) -> _core.Solution:
        if self._problem is None:
            raise ValueError("the curve of a function that is called for every value is not pickled with its solution: "
                             "evaluate it before, or use t_eval")
        return super()._with_curve()

    def __reduce__(self) -> tuple[Any, ...]:
        """As SciPy's results, with any function: formulas go along, functions of Python do not."""
        restore, (version, kind, state, problem, run, extra) = super().__reduce__()
        return restore, (version, kind, state, problem if self.traced else None, run if self.traced else None, extra)

    def _extra(self) -> Any:
        return (self._about, self._is_dense, self._y0, self._keep, self._last, self._ends, self._events_t, self._events_y,
                self._status)

    def _set_extra(self, extra: Any) -> None:
        (self._about, self._is_dense, self._y0, self._keep, self._last, self._ends, self._events_t, self._events_y,
         self._status) = extra
        self._beyond = None


_FIELDS = ("message", "success", "status", "t", "y", "sol", "t_events", "y_events", "nfev", "njev", "nlu", "traced")


def _method_name(method: Any) -> str:
    name = method if isinstance(method, str) else getattr(method, "__name__", repr(method))
    if name in METHODS:
        return METHODS[name]
    if not is_method(name):
        raise ValueError(f"`method` must be one of {sorted(METHODS)} or a name of vessiot.methods(), but found {name!r}")
    return name


def _tolerances(rtol: Any, atol: Any, n: int) -> tuple[float, float]:
    smallest = 100 * np.finfo(float).eps
    rtol, atol = np.asarray(rtol, dtype=float), np.asarray(atol, dtype=float)
    for name, given in (("rtol", rtol), ("atol", atol)):
        if np.isnan(given).any():
            raise ValueError(f"`{name}` must be a number, but found {given.tolist()!r}")
        if given.ndim > 0 and given.shape != (n,):
            raise ValueError(f"`{name}` has wrong shape: a number or {n} of them are needed, but found {given.shape}")
    if np.any(rtol < smallest):
        warnings.warn(
            "At least one element of `rtol` is too small. "
            f"Setting `rtol = np.maximum(rtol, {smallest})`.", stacklevel=5)
        rtol = np.maximum(rtol, smallest)
    if np.any(atol < 0):
        raise ValueError("`atol` must be positive.")
    return float(np.min(rtol)), max(float(np.min(atol)), 1e-300)


def _options(options: dict[str, Any], n: int) -> dict[str, Any]:
    """Options of SciPy in our words; ours stay. What is only there for differences is not needed."""
    found = dict(options)
    for unneeded in ("jac", "jac_sparsity", "lband", "uband"):
        found.pop(unneeded, None)
    found["rtol"], found["atol"] = _tolerances(found.pop("rtol", 1e-3), found.pop("atol", 1e-6), n)
    for scipy_name, name in (("first_step", "h_first"), ("max_step", "h_max"), ("min_step", "h_min")):
        value = found.pop(scipy_name, None)
        if value is None:
            continue
        if not value > 0 and scipy_name != "min_step":
            raise ValueError(f"`{scipy_name}` must be positive.")
        if np.isfinite(value) and value > 0:
            found[name] = float(value)
    return found


def _dense_part(rtol: float) -> float:
    """Radau methods hold the estimate of a step, which is of the order of the polynomial inside of it, to 0.1 rtol^(2/3),
    SciPy's to rtol: the same at (10 rtol)^(3/2). The polynomial itself is held to 30 tolerances, so that it never takes
    less than a fifth for SciPy's 10. The result tells the tolerances that it was computed with."""
    return float(np.clip(np.sqrt(1e3 * rtol), _DENSE, 1.0))


def _start(y0: Any) -> np.ndarray[Any, Any]:
    y = np.asarray(y0)
    if y.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    is_complex = np.iscomplexobj(y) or (y.dtype == object and any(isinstance(v, complex) for v in y))
    try:
        y = y.astype(complex if is_complex else float)
    except (TypeError, ValueError):
        raise ValueError(f"`y0` must be numbers, but found {y.tolist()!r}"[:200]) from None
    if not np.isfinite(y).all():
        raise ValueError("All components of the initial state `y0` must be finite.")
    return y


def _points(t_eval: Any, t0: float, t1: float) -> np.ndarray[Any, Any] | None:
    if t_eval is None:
        return None
    points = np.asarray(t_eval, dtype=float)
    if points.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if np.any(points < min(t0, t1)) or np.any(points > max(t0, t1)):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    steps = np.diff(points)
    if (t1 > t0 and np.any(steps <= 0)) or (t1 < t0 and np.any(steps >= 0)):
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return points


def _interval(t_span: Any) -> tuple[float, float]:
    try:
        t0, t1 = map(float, t_span)
    except (TypeError, ValueError):
        raise ValueError(f"`t_span` must be two numbers, but found {t_span!r}") from None
    if not np.isfinite(t0) or np.isnan(t1):
        raise ValueError(f"`t_span` must begin with a finite number and end with a number, but found {t_span!r}")
    return t0, t1


def _with_args(function: Callable[..., Any] | None, args: tuple[Any, ...]) -> Any:
    if function is None or not args:
        return function
    return lambda *x: function(*x, *args)


def _unpacked(args: Any) -> tuple[Any, ...]:
    if args is None:
        return ()
    try:
        return tuple(args)
    except TypeError as error:
        raise TypeError("Supplied 'args' cannot be unpacked. Please supply `args` as a tuple (e.g. `args=(1,)`)") from error


def _events(events: Any, args: tuple[Any, ...]) -> list[EventFunction]:
    if events is None:
        return []
    listed: Sequence[Any] = (events,) if callable(events) else tuple(events)
    return [EventFunction(f"event{k}", _with_args(e, args), *_event_words(e)) for k, e in enumerate(listed, 1)]


def _event_words(event: Any) -> tuple[int, float]:
    terminal = getattr(event, "terminal", None) or 0
    if int(terminal) != terminal or terminal < 0:
        raise ValueError("The `terminal` attribute of each event must be a boolean or positive integer.")
    return int(terminal), float(getattr(event, "direction", 0) or 0)


def _problem_of(system: FunctionSystem, options: dict[str, Any]) -> Problem:
    """Formulas that were compiled before are not compiled again."""
    key = system.key()
    if key is None:
        return Problem(system.model(), options)
    key = (key, tuple(sorted((k, repr(v)) for k, v in options.items())))
    with _lock:
        if key in _problems:
            _problems.move_to_end(key)
            return _problems[key]
    problem = Problem(system.model(), options)
    with _lock:
        _problems[key] = problem
        if len(_problems) > _KEPT:
            _problems.popitem(last=False)
    return problem


def _system(kind: str, trace: Any, **parts: Any) -> FunctionSystem:
    if trace not in (True, False, "auto"):
        raise ValueError(f"`trace` must be True, False or \"auto\", but found {trace!r}")
    reason = "trace=False"
    try:
        if trace is not False:
            return Traced(kind, **parts)
    except Exception as error:  # whatever the function does with formulas
        if trace is True:
            raise
        reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    try:
        return Called(kind, reason, **parts)
    except TraceError as error:  # of a part that is numbers
        raise ValueError(str(error)) from None


def _solve(system: FunctionSystem, t_span: Any, y0: np.ndarray[Any, Any], method: Any, t_eval: Any, dense_output: bool,
           options: dict[str, Any], callback: Any, progress: bool) -> IvpSolution:
    t0, t1 = _interval(t_span)
    points = _points(t_eval, t0, t1)
    given = {"method": _method_name(method), **_options(options, len(y0))}
    given = {k: v for k, v in given.items() if v is not None}
    if given.get("h_first", 0) > abs(t1 - t0) > 0:
        raise ValueError("`first_step` exceeds bounds.")
    if 0 < abs(t1 - t0) <= given.get("h_max", 0) or t0 == t1:
        given.pop("h_max", None)
    if dense_output and given["method"].startswith("radau"):
        part = _dense_part(given["rtol"])
        given["rtol"], given["atol"] = part * given["rtol"], part * given["atol"]
    problem = _problem_of(system, given)
    end = t1 if np.isfinite(t1) else t0 + np.copysign(_FAR * max(1.0, abs(t0)), t1)
    about = system.about()
    at_start = [is_met_at_start(system, event, t1) for event in system.events]
    if any(is_met and event.terminal == 1 for is_met, event in zip(at_start, system.events)):
        end = t0
        points = points if points is None else points[points == t0]
    counts = {e.name: e.terminal - is_met for e, is_met in zip(system.events, at_start) if e.terminal > 1}
    extra = {"stop_after": counts} if counts else {}
    run: tuple[Any, ...] = ((t0, end), None, about.start_of(system.split(y0)), points, extra)

    def result_of(found: Solution) -> IvpSolution:
        return IvpSolution(found._core, problem, run, about, dense_output, y0, (t0, t1), at_start)

    try:
        result = result_of(problem.solve(run[0], start=run[2], t_eval=points if points is None or len(points) else [t0],
                                         dense_output=dense_output, callback=callback, progress=progress, **extra))
    except BaseException as error:  # of the function, of the callback, Ctrl-C
        so_far = getattr(error, "solution", None)
        if isinstance(so_far, Solution):
            error.solution = result_of(so_far)  # type: ignore[attr-defined]
        raise
    if system.raises and result.status < 0:
        _raise_there(system, result)
    return result


def _raise_there(system: FunctionSystem, result: IvpSolution) -> None:
    """A function that raises for some values ended the run: what it raises there is for the caller."""
    t, y = result._ends[1], result._core.y[:, -1]
    for further in (0.0, 1e-12, 1e-9, 1e-6, 1e-3):
        try:
            system.call_all(t + further * max(1.0, abs(t)) * np.sign(result._core.t[-1] - result._ends[0] or 1.0), y)
        except Exception as error:
            error.solution = result  # type: ignore[attr-defined]
            raise


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Sequence[float],
    y0: Any,
    method: Any = "auto",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: Any = None,
    *,
    constraints: Callable[..., Any] | None = None,
    invariants: Callable[..., Any] | None = None,
    mass: Any = None,
    trace: bool | str = "auto",
    callback: Any = None,
    progress: bool = False,
    **options: Any,
) -> IvpSolution:
    """Solves y' = fun(t, y), y(t0) = y0: a call of `scipy.integrate.solve_ivp` gives the same fields.

    `fun` is called once with formulas instead of numbers; what it returns is compiled to native code, with exact
    derivatives. Where that fails (it decides by a value, or calls something that is not numpy), it is called for
    every value; `traced`, `reason` and `message` of the result say so. `trace` = True or False wants one of the two.

    method: RK23, RK45, DOP853, Radau, BDF, LSODA stand for bs32, dopri54, dop853, radau5, radau5, auto; and every name
    of `vessiot.methods()`. constraints: g(t, y) = 0 is kept at every step, and what follows from it. invariants:
    h(t, y) stays at its value at the start. mass: M in M y' = fun(t, y), an array, or a function of t and y; it may be
    singular. jac and jac_sparsity are used where the function is called for every value; formulas need neither. rtol and atol as in SciPy (of arrays the smallest
    counts; radau methods with dense_output run at smaller ones, down to a fifth); first_step, max_step, and all options of `vessiot.options()`.

        >>> sol = vs.solve_ivp(lambda t, y: [y[1], -np.sin(y[0])], (0, 10), [1, 0], rtol=1e-8,
        ...                    invariants=lambda t, y: y[1]**2/2 - np.cos(y[0]))
        >>> sol.t, sol.y, sol.traced
    """
    y = _start(y0)
    extra = _unpacked(args)
    jac = options.get("jac")
    found_events = _events(events, extra)
    if len(y) == 0:
        nothing: IvpSolution = _nothing(t_span, y, dense_output, t_eval, events is not None)
        return nothing
    system = _system(
        "ivp", trace, function=_with_args(fun, extra), t0=_interval(t_span)[0], y0=y, yp0=None, events=found_events,
        vectorized=vectorized, constraints=_with_args(constraints, extra), invariants=_with_args(invariants, extra),
        mass=_with_args(mass, extra) if callable(mass) else mass, has_events=events is not None,
        jac=_with_args(jac, extra) if callable(jac) else jac, sparsity=options.get("jac_sparsity"))
    if system.jac is not None and not system.is_complex and _method_name(method).startswith("radau"):
        Derivative(system.numbers, system.jac, len(y), None).by_y(system.t0, y)  # it must fit, used or not
    return _solve(system, t_span, y, method, t_eval, dense_output, options, callback, progress)


def solve_dae(
    F: Callable[..., Any],
    t_span: Sequence[float],
    y0: Any,
    yp0: Any = None,
    method: Any = "auto",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    args: Any = None,
    *,
    invariants: Callable[..., Any] | None = None,
    trace: bool | str = "auto",
    callback: Any = None,
    progress: bool = False,
    **options: Any,
) -> IvpSolution:
    """Solves F(t, y, y') = 0, of any index: hidden constraints are found and kept.

    y0, and yp0 where it is given, say where the start point is looked for: both are made consistent.

        >>> # a pendulum of length 1: x, y, u, v, lambda
        >>> F = lambda t, y, yp: [yp[0] - y[2], yp[1] - y[3], yp[2] + y[4]*y[0], yp[3] + y[4]*y[1] + 9.81,
        ...                       y[0]**2 + y[1]**2 - 1]
        >>> sol = vs.solve_dae(F, (0, 10), [1, 0, 0, 0, 0], rtol=1e-8)
    """
    y = _start(y0)
    yp = None if yp0 is None else _start(yp0)
    if yp is not None and yp.shape != y.shape:
        raise ValueError(f"`yp0` must have {len(y)} elements, as `y0`, but has {len(yp)}")
    extra = _unpacked(args)
    system = _system(
        "dae", trace, function=_with_args(F, extra), t0=_interval(t_span)[0], y0=y, yp0=yp,
        events=_events(events, extra), vectorized=False, constraints=None, invariants=_with_args(invariants, extra),
        mass=None, has_events=events is not None)
    return _solve(system, t_span, y, method, t_eval, dense_output, options, callback, progress)


def _nothing(t_span: Any, y: np.ndarray[Any, Any], dense_output: bool, t_eval: Any, has_events: bool) -> Any:
    """A system without unknowns: there is nothing to solve."""
    t0, t1 = _interval(t_span)
    t = np.array([t0, t1]) if t_eval is None else _points(t_eval, t0, t1)
    assert t is not None

    class Constant(Curve):
        def __init__(self) -> None:
            self.ts = t

        def __call__(self, at: Any) -> np.ndarray[Any, Any]:
            return np.empty((0, *np.shape(at)))

    fields = {"message": _MESSAGES[0], "success": True, "status": 0, "t": t, "y": np.empty((0, len(t))),
              "sol": Constant() if dense_output else None, "t_events": [] if has_events else None,
              "y_events": [] if has_events else None, "nfev": 0, "njev": 0, "nlu": 0, "traced": True}
    return type("EmptySolution", (), fields)()
