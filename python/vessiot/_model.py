"""Models: texts, files, the gallery, and statements made in Python."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._core import Array, Equality, Expr, Index, InvalidInput, Matrix, ModelError
from ._problem import Problem, RUN_OPTIONS

if TYPE_CHECKING:
    import numpy as np

    from ._solution import Solution

Number = Union[int, float]
Formula = Union[Expr, Index, int, float]

_KEPT_PROBLEMS = 8  # of one model, by their options


class Inspection:
    """What a model is: equations, hidden constraints, index, a consistent start point, methods that fit.

    `str()` is the text of `vessiot inspect`, `to_dict()` what it says as JSON, and `["index"]` one entry of that.

        >>> vs.gallery("pendulum").inspect()["index"]
        3
    """

    def __init__(self, core: _core.Model) -> None:
        self._core = core
        self._data: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        if self._data is None:
            self._data = json.loads(self._core.inspection_json())
        return self._data

    def __getitem__(self, key: str) -> Any:
        return self.to_dict()[key]

    def text(self, full: bool = False) -> str:
        """The page of the command line; with `full` nothing is shortened."""
        return self._core.inspection_text(full)

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from ._html import inspection_html

        return inspection_html(self.to_dict())


def _loops(loops: Index | Sequence[Index] | None) -> list[Index]:
    if loops is None:
        return []
    return [loops] if isinstance(loops, Index) else list(loops)


def _extent(shape: int | Sequence[int]) -> list[int]:
    return [shape] if isinstance(shape, int) else [int(n) for n in shape]


class Model:
    """A differential system as its author wrote it.

    From a file, from text, or built by statements:

        >>> m = vs.Model("pendulum.ves")
        >>> m = vs.Model(text="unknown x\\nx' = -x\\nstart x = 1\\nsolve t = 0 .. 1\\n")
        >>> m = vs.Model()
        >>> x = m.unknown("x")
        >>> m.equation(x.d() == -x); m.start(x == 1)
        >>> m.solve((0, 1))["x"][-1]
        0.367879...

    `set` gives parameters of a text other values before it is read, those that size arrays included. A wrong model
    raises `ModelError` with the place.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        text: str | None = None,
        name: str | None = None,
        set: Mapping[str, Any] | None = None,
        independent: str = "t",
        max_instances: int = 100_000_000,
    ) -> None:
        if path is not None and text is not None:
            raise TypeError("Model takes a path or text=, but both were given")
        self._name = name
        self._set = {k: _core_text(v) for k, v in (set or {}).items()}
        self._max_instances = max_instances
        self._problems: dict[Any, Problem] = {}
        self._derived: dict[Any, Model] = {}
        if path is not None:
            self._name = os.fspath(path)
            with open(path, "rb") as file:
                raw = file.read()
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise ModelError(f"{self._name} is not UTF-8 text: {error}") from None
        self._text = text
        if text is not None:
            self._core = _core.Model.parse(text, self._name or "model", list(self._set.items()), max_instances)
            self._name = self._name or "model"
        else:
            if self._set:
                raise TypeError("set= gives parameters of a text other values; a model built in Python has none yet")
            self._core = _core.Model(name or "model", independent)

    # ---- what it is ----

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def text(self) -> str | None:
        """The text it was read from; None for a model built in Python."""
        return self._text

    @property
    def unknowns(self) -> list[str]:
        """Names of the unknowns, multipliers included."""
        return self._core.unknown_names()

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters and their values: numbers, or arrays of numpy."""
        values: dict[str, Any] = {}
        for name, shape, numbers, _ in self._core.parameter_list():
            if shape:
                import numpy

                values[name] = numpy.array(numbers).reshape(shape)
            else:
                values[name] = numbers[0]
        return values

    @property
    def outputs(self) -> list[str]:
        """Names of the model's outputs."""
        return self._core.output_names()

    @property
    def events(self) -> list[str]:
        """Names of the model's events."""
        return self._core.event_names()

    @property
    def warnings(self) -> list[str]:
        """What reading it found strange."""
        return self._core.warnings

    def inspect(self) -> Inspection:
        """What the equations are and imply, without solving: the page of `vessiot inspect`."""
        return Inspection(self._core)

    def __repr__(self) -> str:
        names = self.unknowns
        shown = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
        return f"<vessiot.Model {self.name}: {shown}>" if names else f"<vessiot.Model {self.name}, empty>"

    def _repr_html_(self) -> str:
        return self.inspect()._repr_html_()

    # ---- solving ----

    def compile(
        self,
        *,
        method: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        dense_output: bool = True,
        **options: Any,
    ) -> Problem:
        """The model analysed, completed and compiled, once, for these options: any number of threads may solve it.

            >>> p = m.compile(method="dop853", rtol=1e-10)
            >>> [p.solve((0, 10), params={"g": g})(3.7, "x") for g in (9.81, 1.62)]

        `vessiot.options()` lists the options; they have the names of the command line, with _ for -.
        """
        given = {"method": method, "rtol": rtol, "atol": atol, **options}
        given = {k: v for k, v in given.items() if v is not None}
        return Problem(self, given, dense_output)

    def solve(
        self,
        t_span: Sequence[float] | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        start: Mapping[str, float] | None = None,
        method: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        t_eval: Sequence[float] | np.ndarray | None = None,
        dense_output: bool = True,
        events: Mapping[str, str] | None = None,
        progress: bool = False,
        callback: Any = None,
        **options: Any,
    ) -> Solution:
        """Solves it from the start point, on the constraints, hidden ones included.

        t_span: from and to; the model's own interval where it is not given. params, start: values by name, such as
        `{"m[2]": 3}`, `{"x'": 0.5}`. t_eval: the points to report, else every step. events: further events of a text
        model, `{"low": "x = 0 rising stop"}`. callback: called now and then with a `Progress`; False ends the run.
        All further options are those of `vessiot solve`: `vessiot.options()`.

            >>> sol = vs.gallery("pendulum").solve((0, 10), params={"g": 1.62}, rtol=1e-8, t_eval=[1, 2, 3])
            >>> sol["x"]
        """
        model = self
        if events:
            model = model._with_events(events)
        params, sizes = model._split(params)
        if sizes:
            model = model._with_sizes(sizes)
        run = {k: options.pop(k) for k in RUN_OPTIONS & options.keys()}
        given = {"method": method, "rtol": rtol, "atol": atol, **options}
        given = {k: v for k, v in given.items() if v is not None}
        if {"checkpoint", "resume"} & run.keys():  # options about checkpoints need them beside
            problem = Problem(model, {**given, **{k: str(v) for k, v in run.items() if k in ("checkpoint", "resume")}})
        else:
            problem = model._problem(given)
        return problem.solve(
            t_span, params=params, start=start, t_eval=t_eval, dense_output=dense_output, progress=progress,
            callback=callback, **run,
        )

    def _problem(self, given: dict[str, Any]) -> Problem:
        try:
            key = tuple(sorted((k, v if isinstance(v, (str, float, int)) else repr(v)) for k, v in given.items()))
        except TypeError:
            return Problem(self, given, True)
        if key not in self._problems:
            if len(self._problems) >= _KEPT_PROBLEMS:
                self._problems.pop(next(iter(self._problems)))
            self._problems[key] = Problem(self, given, True)
        return self._problems[key]

    def _split(self, params: Mapping[str, Any] | None) -> tuple[Mapping[str, Any] | None, dict[str, str]]:
        """Those that a problem can take, and those that size something: the text is read anew with them."""
        if not params or self._text is None:
            return params, {}
        sizing = {name for name, _, _, is_structural in self._core.parameter_list() if is_structural}
        sizes = {k: _core_text(v) for k, v in params.items() if k in sizing}
        return {k: v for k, v in params.items() if k not in sizing}, sizes

    def _with_sizes(self, sizes: dict[str, str]) -> Model:
        return self._derive(("set", tuple(sizes.items())), self._text, {**self._set, **sizes})

    def _with_events(self, events: Mapping[str, str]) -> Model:
        if self._text is None:
            raise TypeError("events= adds events to a text model; to this one, built in Python, add them with event()")
        lines = "".join(f"event {name}: {what}\n" for name, what in events.items())
        return self._derive(("events", lines), f"{self._text}\n{lines}", self._set)

    def _derive(self, key: Any, text: str | None, settings: dict[str, str]) -> Model:
        if key not in self._derived:
            self._derived[key] = Model(text=text, name=self._name, set=settings, max_instances=self._max_instances)
        return self._derived[key]

    def functions(self) -> _core.Functions:
        """f and df of the equations as functions of t and z: `f.names` are the coordinates z. For one thread."""
        return _core.Functions(self._core)

    # ---- statements: the words of the model language ----

    def _changed(self) -> _core.Model:
        self._problems.clear()
        return self._core

    @property
    def t(self) -> Expr:
        """The independent variable."""
        return self._core.t()

    def unknown(self, *names: str, shape: int | Sequence[int] | None = None) -> Any:
        """Declares unknowns: one, a tuple of several, or an array where a shape is given. Indices count from 1.

            >>> x, y = m.unknown("x", "y")
            >>> q = m.unknown("q", shape=3)      # q[1], q[2], q[3]
        """
        core = self._changed()
        made = [core.unknown(n) if shape is None else core.unknowns(n, _extent(shape)) for n in names]
        return made[0] if len(made) == 1 else tuple(made)

    def matrix(self, name: str, shape: Sequence[int], group: str = "") -> Matrix:
        """A matrix of unknowns, and the group that it stays in: "SO(3)", "Stiefel(4,2)"."""
        return self._changed().matrix(name, _extent(shape), group)

    def parameter(self, name: str, value: Any) -> Any:
        """A parameter with its value: a number, or an array of numbers in nested lists or numpy."""
        return self._values(name, value, self._changed().parameter, self._core.parameters)

    def discrete(self, name: str, value: Any) -> Any:
        """A quantity that events change and nothing else; the value is that at the start."""
        return self._values(name, value, self._changed().discrete, self._core.discretes)

    @staticmethod
    def _values(name: str, value: Any, one: Any, many: Any) -> Any:
        if isinstance(value, (int, float)):
            return one(name, float(value))
        import numpy

        numbers = numpy.asarray(value, dtype=float)
        if numbers.ndim == 0:
            return one(name, float(numbers))
        return many(name, list(numbers.shape), numbers.ravel().tolist())

    def index(self, name: str, first: int | Index, last: int | Index) -> Index:
        """A loop index from first to last, both included."""
        return self._changed().index(name, first, last)

    def let(self, name: str, loops: Index | Sequence[Index], value: Formula) -> Array:
        """A named quantity for all values of the loops, computed once for each."""
        return self._changed().let(name, _loops(loops), value)

    def multipliers(self) -> Array:
        """lambda[1], lambda[2], … of the constraints of a lagrangian or hamiltonian."""
        return self._core.multipliers()

    def equation(self, *equations: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """lhs == rhs, of any order; with loops for all their values."""
        self._state("equation", equations, loops)

    def constraint(self, *equations: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """A holonomic constraint of a lagrangian or hamiltonian; otherwise an equation."""
        self._state("constraint", equations, loops)

    def force(self, *forces: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """x == value: a generalised force on the equation of x."""
        self._state("force", forces, loops)

    def invariant(self, *quantities: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """A conserved quantity, kept at its value at the start, or at the one given: E == 1."""
        self._state("invariant", quantities, loops)

    def lagrangian(self, L: Formula) -> None:
        """The equations of motion follow from it, with a multiplier for each constraint."""
        self._changed().lagrangian(L)

    def hamiltonian(self, H: Formula, pairs: Iterable[tuple[Any, Any]]) -> None:
        """q' = H_p, p' = -H_q for the pairs (q, p) of unknowns or arrays."""
        self._changed().hamiltonian(H, list(pairs))

    def start(self, *values: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """x == 1, x.d() == 0: values at the start; those of parameters and indices."""
        self._state("start", values, loops)

    def guess(self, *values: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """Where unknowns that the equations determine are looked for."""
        self._state("guess", values, loops)

    def hold(self, *unknowns: Any, loops: Index | Sequence[Index] | None = None) -> None:
        """Unknowns that are not moved when the start point is made consistent."""
        for x in unknowns:
            self._changed().hold(_loops(loops), x)

    def _state(self, word: str, statements: Sequence[Any], loops: Index | Sequence[Index] | None) -> None:
        core = self._changed()
        for s in statements:
            if isinstance(s, bool) or (word != "invariant" and not isinstance(s, (Equality, _core.MatrixEquality))):
                raise TypeError(f"{word} takes lhs == rhs of formulas, but found {s!r}")
            if isinstance(s, _core.MatrixEquality):
                getattr(core, word)(s)
            else:
                getattr(core, word)(_loops(loops), s)

    def interval(self, start: Formula, end: Formula) -> None:
        """Where a run begins and ends, if solve is not told."""
        self._changed().interval(start, end)

    def event(
        self,
        name: str,
        crossing: Equality | None = None,
        *,
        every: Formula | None = None,
        direction: str = "both",
        stop: bool = False,
        then: Sequence[Equality] = (),
        guess: Sequence[Equality] = (),
    ) -> None:
        """Where lhs == rhs is crossed (both, rising, falling), or every so often; `then` sets values there.

            >>> m.event("hit", y == 0, direction="falling", then=[y.d() == -0.9 * y.d()])
        """
        if (crossing is None) == (every is None):
            raise TypeError("event takes either a crossing, lhs == rhs, or every=")
        core = self._changed()
        if crossing is not None:
            core.event(name, crossing, direction, stop, list(then), list(guess))
        else:
            core.event_every(name, every, stop, list(then), list(guess))

    def contact(
        self,
        name: str,
        gap: Formula,
        *,
        restitution: Formula = 0,
        friction: Formula = 0,
        along: Formula | Sequence[Formula] = (),
    ) -> None:
        """gap >= 0 beside a lagrangian or hamiltonian: impacts, rest, friction along one or two velocities.

            >>> m.contact("floor", y, restitution=0.8, friction=0.3, along=x.d())
        """
        velocities = list(along) if isinstance(along, (list, tuple)) else [along]
        self._changed().contact(name, gap, restitution, friction, velocities)

    def output(self, name: str, value: Formula) -> None:
        """A named column of the results."""
        self._changed().output(name, value)

    def output_every(self, interval: Formula) -> None:
        self._changed().output_every(interval)

    def output_at(self, times: Sequence[float]) -> None:
        self._changed().output_at([float(t) for t in times])

    def output_section(self, event: str) -> None:
        self._changed().output_section(event)

    def option(self, name: str, value: Any) -> None:
        """An option of solve that this model is meant for."""
        self._changed().option(name, value)

    # ---- pickle, copy ----

    def __reduce__(self) -> tuple[Any, ...]:
        if self._text is None:
            raise TypeError("a model built in Python cannot be pickled yet; one that is written as text can")
        return _restore, (_core.version(), self._text, self._name, self._set, self._max_instances)


def check_version(version: str, what: str) -> None:
    if version != _core.version():
        raise InvalidInput(
            f"this {what} was pickled by vessiot {version}, but this is vessiot {_core.version()}: make it anew")


def _restore(version: str, text: str, name: str, settings: dict[str, str], max_instances: int) -> Model:
    check_version(version, "model")
    return Model(text=text, name=name, set=settings, max_instances=max_instances)


def _core_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return repr(value)
    return "[" + ", ".join(_core_text(v) for v in value) + "]"


def _gallery_folder() -> str:
    return os.path.join(os.path.dirname(__file__), "gallery")


class _Titles(dict):  # type: ignore[type-arg]
    """Names and titles of the models of the gallery, one to a line."""

    def __repr__(self) -> str:
        width = max(map(len, self))
        return "\n".join(f"{name:{width}}   {title}" for name, title in self.items())


def gallery(name: str | None = None, *, set: Mapping[str, Any] | None = None) -> Any:
    """A model of the gallery by its name; without a name all of them, with their titles.

        >>> vs.gallery("pendulum").solve()["x"][-1]
    """
    folder = _gallery_folder()
    names = sorted(f[:-4] for f in os.listdir(folder) if f.endswith(".ves"))
    if name is None:
        return _Titles((n, _title(os.path.join(folder, n + ".ves"))) for n in names)
    if name.removesuffix(".ves") not in names:
        from difflib import get_close_matches

        near = get_close_matches(name, names, 1)
        meant = f"; did you mean '{near[0]}'?" if near else "."
        raise ModelError(f"the gallery has no model '{name}'{meant} vessiot.gallery() lists them.")
    return Model(os.path.join(folder, name.removesuffix(".ves") + ".ves"), set=set)


def _title(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        for line, _ in zip(file, range(20)):
            if line.startswith("#"):
                return line.lstrip("# ").rstrip()
    return ""


def methods() -> list[dict[str, Any]]:
    """All methods, each with its family, order, and what it needs: `vessiot methods`."""
    return _core.methods()


def options() -> dict[str, str]:
    """All options of solve, each with what it takes and does: `vessiot help solve`."""
    return {
        name: f"{', '.join(words) if words else value}: {help}" for name, value, help, words in _core.options()
    }


def native_code() -> tuple[bool, str]:
    """Whether equations are compiled to native code; if not, why."""
    return _core.native_code()


class Decomposition:
    """The irreducible components of a model's constraints, and the model of one of them.

    `to_dict()` has everything that `vessiot decompose --json` says; `model` is the chosen component, or None.
    """

    def __init__(self, data: dict[str, Any], text: str | None, name: str) -> None:
        self._data, self._text, self._name = data, text, name

    def to_dict(self) -> dict[str, Any]:
        return self._data

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    @property
    def model(self) -> Model | None:
        return None if self._text is None else Model(text=self._text, name=self._name)

    def __repr__(self) -> str:
        return f"<vessiot.Decomposition of {self._name}: {self._data.get('message', '')}>"


def decompose(model: Model, component: int | None = None) -> Decomposition:
    """The components of the constraints of a text model, by Singular (which must be installed).

        >>> vs.decompose(vs.gallery("four_bar_singular"))["message"]
    """
    if model.text is None:
        raise TypeError("decompose takes a model that was read from text")
    data, text = _core.decompose(model.text, model._name or "model", component)
    return Decomposition(json.loads(data), text, model.name)
