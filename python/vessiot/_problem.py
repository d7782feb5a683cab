"""Problem: compiled once, solved many times from any number of threads. Integrator: one curve in progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._solution import Solution

if TYPE_CHECKING:
    import numpy as np

    from ._ensemble import Ensemble
    from ._model import Model

# What a single run is told; everything else belongs to the problem.
RUN_OPTIONS = frozenset({"guess", "to_s", "every", "section", "keep", "checkpoint", "resume", "streams"})


class Progress(NamedTuple):
    """Where a run is, at most ten times a second."""

    t: float
    h: float  # the step
    steps: int
    fraction: float  # of the interval


def _ends(t_span: Any) -> tuple[float | None, float | None]:
    if t_span is None:
        return None, None
    try:
        start, end = t_span
        return float(start), float(end)
    except (TypeError, ValueError):
        raise ValueError(f"t_span must be two numbers, from and to, but found {t_span!r}") from None


def _points(t_eval: Any) -> Any:
    if t_eval is None:
        return None
    import numpy

    points = numpy.ascontiguousarray(t_eval, dtype=float)
    if points.size == 0:
        raise ValueError("t_eval has no points; leave it out for every step")
    if points.ndim > 1:
        raise ValueError(f"t_eval must be a list of numbers, but it has {points.ndim} dimensions")
    return points


def mapping(what: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    if given is None:
        return {}
    if type(given) is dict:
        return given
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} must be a dictionary by names, but found {given!r}")
    return dict(given)


class Problem:
    """A model made ready for one choice of options: `Model.compile`. It never changes."""

    __slots__ = ("_core", "_model", "_options", "_dense", "_functions", "_field")

    def __init__(self, model: Model, options: dict[str, Any], dense_output: bool = True) -> None:
        self._model, self._options, self._dense = model, options, dense_output
        self._core = _core.Problem(model._core, options)
        self._functions: list[_core.Functions] = []  # that no thread uses now
        self._field: tuple[list[str], list[bool]] | None = None  # names of a point, and which are algebraic

    @property
    def model(self) -> Model:
        return self._model

    @property
    def options(self) -> dict[str, Any]:
        """The options it was compiled with."""
        return dict(self._options)

    @property
    def parameter_names(self) -> list[str]:
        """Parameters that a solve may change."""
        return self._core.parameter_names

    def solve(
        self,
        t_span: Sequence[float] | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        start: Mapping[str, float] | None = None,
        t_eval: Sequence[float] | np.ndarray[Any, Any] | None = None,
        dense_output: bool | None = None,
        progress: bool = False,
        callback: Any = None,
        **run: Any,
    ) -> Solution:
        """One solve, as `Model.solve`: the answer is that of a fresh one with the same numbers, bit for bit.

        Further arguments: guess (where unknowns are looked for that equations determine), to_s, every, section, keep, checkpoint, resume, streams.
        """
        begin, end = _ends(t_span)
        dense = self._dense if dense_output is None else dense_output
        watch, bar = None, None
        if progress or callback is not None:
            watch, bar = _watch(progress, callback)
        try:
            core, error = self._core.solve(begin, end, mapping("params", params) or None, mapping("start", start) or None,
                                            _points(t_eval), dense, watch, run or None)
        finally:
            if bar is not None:
                bar.close()
        solution = Solution(core, self, (t_span, params, start, t_eval, run))
        if error is not None:
            error.solution = solution
            raise error
        return solution

    def begin(
        self,
        t_span: Sequence[float] | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        start: Mapping[str, float] | None = None,
    ) -> Integrator:
        """A run that is stepped by hand.

            >>> run = p.begin(start={"x": 0.6, "y": -0.8})
            >>> while run.t < 5: run.step()
            >>> run.advance(7.5); run["x"]
        """
        begin, end = _ends(t_span)
        return Integrator(self._core.begin(begin, end, mapping("params", params) or None, mapping("start", start) or None),
                          self)

    def ensemble(
        self,
        params: Mapping[str, Any] | None = None,
        t_span: Sequence[float] | None = None,
        *,
        start: Mapping[str, Any] | None = None,
        t_eval: Sequence[float] | np.ndarray[Any, Any] | None = None,
        outputs: Sequence[str] | None = None,
        reduce: str | Sequence[str] | None = None,
        threads: int | None = None,
        device: str = "cpu",
        executor: Any = None,
        chunk: int | None = None,
        callback: Any = None,
    ) -> Ensemble:
        """Many runs with other parameters and start values, on all cores.

        params, start: numbers, which all members share, and arrays, which are broadcast against each other: member k
        has their k-th elements, and the bits of `solve` with these. t_eval: the points to keep, else the end.
        outputs: the names to keep, else all. reduce: "mean", "std", "min", "max", "quantile(0.05,0.95)", or several of
        these: only these are kept, in memory that does not grow. device: "cpu", or "gpu" for a graphics processor of
        NVIDIA, which keeps the end of every member. executor: a `concurrent.futures.Executor`, over
        whose workers the members are spread, in pieces of `chunk`.

            >>> ens = p.ensemble({"g": np.linspace(1, 20, 1000)}, (0, 10), t_eval=[5, 10])
            >>> ens["x"].shape
            (1000, 2)
        """
        from ._ensemble import run_ensemble

        return run_ensemble(self, mapping("params", params), mapping("start", start), _ends(t_span), _points(t_eval), outputs, reduce, threads, device,
                            executor, chunk, callback)

    def misfit(self, method: str) -> str:
        """Why a method of `vessiot.methods()` does not fit: what it needs, and what is there; empty where it does.

            >>> [m["name"] for m in vs.methods() if not p.misfit(m["name"])]
        """
        return self._core.misfit(method)

    def projection_misfit(self, projection: str) -> str:
        """The same of `vessiot.projections()`, with the method of this problem."""
        return self._core.projection_misfit(projection)

    def distribution_misfit(self, distribution: str) -> str:
        """The same of `vessiot.distributions()`."""
        return self._core.distribution_misfit(distribution)

    # ---- its functions, of numpy arrays ----

    @property
    def names(self) -> list[str]:
        """What a point of the curve is: the rows of `sol.y` and of `direction`."""
        return list(self._point()[0])

    def _point(self) -> tuple[list[str], list[bool]]:
        if self._field is None:
            start, end = (None, None) if self._model._core.has_interval else (0.0, 1.0)
            run = self._core.begin(start, end, None, None)
            self._field = run.names, [bool(rate != rate) for rate in run.direction]
        return self._field

    @property
    def coordinates(self) -> list[str]:
        """What the equations are functions of: the argument z of `f` and `df`, the highest derivatives included."""
        functions = self._take_functions()
        self._functions.append(functions)
        return functions.names

    def _take_functions(self) -> _core.Functions:
        try:
            return self._functions.pop()  # NOTE: one step of the interpreter: no other thread gets the same
        except IndexError:
            return _core.Functions(self._model._core)

    def f(self, t: Any, z: Any, params: Mapping[str, Any] | None = None) -> np.ndarray[Any, Any]:
        """The equations as lhs - rhs: shape (k,) for z of the shape (n,), (k, m) for m points (n, m).

            >>> p.coordinates
            ["x", "x'", "x''", "y", "y'", "y''", 'lambda']
            >>> p.f(0.0, z)
        """
        return self._evaluated("f", t, z, params)

    def df(self, t: Any, z: Any, params: Mapping[str, Any] | None = None) -> np.ndarray[Any, Any]:
        """Their derivative by z: shape (k, n), or (k, n, m) for m points."""
        return self._evaluated("df", t, z, params)

    def _evaluated(self, which: str, t: Any, z: Any, params: Mapping[str, Any] | None) -> np.ndarray[Any, Any]:
        import numpy

        functions = self._take_functions()
        try:
            times, points, is_one = _columns("z", t, z, functions.names)
            for name, values in _flat(params).items():
                functions.set_parameter(name, values)
            evaluate = getattr(functions, which)
            found = [evaluate(at, numpy.ascontiguousarray(point)) for at, point in zip(times, points.T)]
        finally:
            if not params:  # with others it is not used again
                self._functions.append(functions)
        return found[0] if is_one else numpy.stack(found, axis=-1)

    def direction(self, t: Any, y: Any, params: Mapping[str, Any] | None = None) -> np.ndarray[Any, Any]:
        """The direction field: the derivatives of `names` by t at points of the constraints, (n,) or (n, m) as y has.

        Rows of algebraic unknowns are NaN, since the field says nothing of them; their values are first guesses. Points
        that are nearly on the constraints are moved onto them; further away it is a ValueError.

            >>> p.direction(sol.t, sol.y)
        """
        import numpy

        names, is_algebraic = self._point()
        times, points, is_one = _columns("y", t, y, names)
        rates = self._core.directions(times, numpy.ascontiguousarray(points), names, is_algebraic, params)
        return rates[:, 0] if is_one else rates

    def __repr__(self) -> str:
        told = ", ".join(f"{k}={v!r}" for k, v in self._options.items())
        return f"<vessiot.Problem {self._core.name}{': ' if told else ''}{told}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Problem, (self._model, self._options, self._dense)


def _watch(progress: bool, callback: Any) -> tuple[Any, Any]:
    bar = None
    if progress:
        from ._progress import progress_bar

        bar = progress_bar()

    def watch(t: float, h: float, steps: int, fraction: float) -> Any:
        now = Progress(t, h, steps, fraction)
        if bar is not None:
            bar.show(now)
        return callback(now) if callback is not None else None

    return watch, bar


def _columns(what: str, t: Any, z: Any, names: list[str]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], bool]:
    """Times and points by columns, and whether one point was meant."""
    import numpy

    points = numpy.asarray(z, dtype=float)
    if points.ndim not in (1, 2) or points.shape[0] != len(names):
        shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
        raise ValueError(f"{what} must have the shape ({len(names)},) or ({len(names)}, m), a row for each of {shown}; "
                         f"but found {points.shape}")
    is_one = points.ndim == 1
    points = points.reshape(len(names), -1)
    times = numpy.asarray(t, dtype=float)
    if times.ndim > 1 or (times.ndim == 1 and len(times) != points.shape[1]):
        raise ValueError(f"t must be a number, or one for each of the {points.shape[1]} points, but found the shape {times.shape}")
    return numpy.ascontiguousarray(numpy.broadcast_to(times, (points.shape[1],))), points, is_one


def _flat(params: Mapping[str, Any] | None) -> dict[str, list[float]]:
    import numpy

    return {name: numpy.ravel(value).astype(float).tolist() for name, value in (params or {}).items()}


class Integrator:
    """One curve in progress: `Problem.begin`. For one thread at a time."""

    __slots__ = ("_core", "_problem")

    def __init__(self, core: _core.Integrator, problem: Problem) -> None:
        self._core, self._problem = core, problem

    def step(self) -> bool:
        """To the end of the next step; False where the run is over."""
        return self._core.step()

    def advance(self, t: float) -> bool:
        """To this t exactly, on the constraints; False where the run is over before."""
        return self._core.advance(t)

    @property
    def t(self) -> float:
        return self._core.t

    @property
    def point(self) -> np.ndarray[Any, Any]:
        """The values here, in the order of `names`."""
        return self._core.point

    @property
    def direction(self) -> np.ndarray[Any, Any]:
        """The derivatives of `point` by t; NaN for algebraic unknowns."""
        return self._core.direction

    def __getitem__(self, name: str) -> float:
        try:
            return self._core[name]
        except _core.InvalidInput as error:
            raise KeyError(str(error)) from None

    @property
    def names(self) -> list[str]:
        return self._core.names

    @property
    def residual(self) -> float:
        """The largest of the constraints at this point."""
        return self._core.residual

    @property
    def is_over(self) -> bool:
        return self._core.is_over

    @property
    def status(self) -> str:
        return self._core.status

    @property
    def message(self) -> str:
        return self._core.message

    @property
    def solution(self) -> Solution:
        """What was computed so far; the run can go on."""
        return Solution(self._core.solution(), self._problem, None)

    def __repr__(self) -> str:
        return f"<vessiot.Integrator at t = {self.t:g}{', over' if self.is_over else ''}>"
