"""Models: texts, files, the gallery, and statements made in Python."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import InvalidInput, ModelError
from ._problem import Problem, RUN_OPTIONS, mapping
from ._statements import Statements, Told, retell

if TYPE_CHECKING:
    import numpy as np

    from ._solution import Solution

_KEPT_PROBLEMS = 8  # of one model, by their options
_lock = Lock()  # of these


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


class Model(Statements):
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
    raises `ModelError` with the place. Texts of Base Modelica (.bmo, .mo) are models too: `model` says which one of
    several, `variables` what is in the results beside the unknowns (`["a.v", "frame_?.r*"]`).
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
        model: str = "",
        variables: Sequence[str] = (),
    ) -> None:
        if path is not None and text is not None:
            raise TypeError("Model takes a path or text=, but both were given")
        if text is not None and not isinstance(text, str):
            raise TypeError(f"text must be a str, but found {type(text).__name__}")
        self._name = name
        self._set = {k: _core_text(v) for k, v in (set or {}).items()}
        self._max_instances = max_instances
        self._modelica = (model, [variables] if isinstance(variables, str) else list(variables))
        self._problems: dict[Any, Problem] = {}
        self._derived: dict[Any, Model] = {}
        self._told: Told = []
        self._prefix = ""
        self._independent = independent
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
            self._core = _core.Model.parse(text, self._name or "model", list(self._set.items()), max_instances,
                                           *self._modelica)
            self._name = self._name or "model"
        else:
            if model or variables:
                raise TypeError("model= and variables= are for texts of Base Modelica")
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
        t_eval: Sequence[float] | np.ndarray[Any, Any] | None = None,
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
        with _lock:
            found = self._problems.get(key)
        if found is None:  # two threads may make it at once: either will do
            found = Problem(self, given, True)
            with _lock:
                if len(self._problems) >= _KEPT_PROBLEMS:
                    self._problems.pop(next(iter(self._problems)))
                self._problems[key] = found
        return found

    def _split(self, params: Mapping[str, Any] | None) -> tuple[Mapping[str, Any] | None, dict[str, str]]:
        """Those that a problem can take, and those that size something: the text is read anew with them."""
        if not params or self._text is None:
            return params, {}
        params = mapping("params", params)
        sizing = {name for name, _, _, is_structural in self._core.parameter_list() if is_structural}
        sizes = {k: _core_text(v) for k, v in params.items() if k in sizing}
        return {k: v for k, v in params.items() if k not in sizing}, sizes

    def _with_sizes(self, sizes: dict[str, str]) -> Model:
        return self._derive(("set", tuple(sizes.items())), self._text, {**self._set, **sizes})

    def _with_events(self, events: Mapping[str, str]) -> Model:
        if self._text is None:
            raise TypeError("events= adds events to a text model; to this one, built in Python, add them with event()")
        events = mapping("events", events)
        lines = "".join(f"event {name}: {what}\n" for name, what in events.items())
        return self._derive(("events", lines), f"{self._text}\n{lines}", self._set)

    def _derive(self, key: Any, text: str | None, settings: dict[str, str]) -> Model:
        if key not in self._derived:
            self._derived[key] = Model(text=text, name=self._name, set=settings, max_instances=self._max_instances,
                                       model=self._modelica[0], variables=self._modelica[1])
        return self._derived[key]

    def _forget_problems(self) -> None:
        self._problems.clear()

    def _without(self, words: frozenset[str]) -> Model:
        """A model built in Python once more, but for statements with these words."""
        other = Model(name=self.name, independent=self._independent)
        other._core.take_notes(self._core.notes())
        other._told = retell(other._core, self._told, words)
        return other

    def functions(self) -> _core.Functions:
        """f and df of the equations as functions of t and z: `f.names` are the coordinates z. For one thread."""
        return _core.Functions(self._core)

    # ---- pickle, copy ----

    def __reduce__(self) -> tuple[Any, ...]:
        if self._text is None:
            state = (self._core.notes(), self._told, self._core.n_arrays)
            return _retold, (_core.version(), self.name, self._independent, *state)
        return _restore, (_core.version(), self._text, self._name, self._set, self._max_instances, self._modelica)


def check_version(version: str, what: str) -> None:
    if version != _core.version():
        raise InvalidInput(
            f"this {what} was pickled by vessiot {version}, but this is vessiot {_core.version()}: make it anew")


def _restore(version: str, text: str, name: str, settings: dict[str, str], max_instances: int,
             modelica: tuple[str, list[str]]) -> Model:
    check_version(version, "model")
    return Model(text=text, name=name, set=settings, max_instances=max_instances, model=modelica[0], variables=modelica[1])


def _retold(version: str, name: str, independent: str, notes: bytes, told: Told, n_arrays: int) -> Model:
    check_version(version, "model")
    model = Model(name=name, independent=independent)
    model._core.take_notes(notes)
    model._told = retell(model._core, told)
    if model._core.n_arrays != n_arrays:
        raise InvalidInput(f"the model '{name}' cannot be made again: a statement that failed had left a name in it")
    return model


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


def decompose(model: Model, component: int | str | None = None) -> Decomposition:
    """The components of the constraints of a text model, by Singular (which must be installed).

    `component`: its number, from 1, an equation that stands in it, "other", or "2,1", as `vessiot decompose
    --component` takes them; without it that of the start point.

        >>> vs.decompose(vs.gallery("four_bar_singular"))["message"]
    """
    if model.text is None:
        raise TypeError("decompose takes a model that was read from text")
    data, text = _core.decompose(model.text, model._name or "model", "auto" if component is None else str(component))
    return Decomposition(json.loads(data), text, model.name)
