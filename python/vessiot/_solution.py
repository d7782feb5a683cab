"""Solution: points, the curve between them, events, statistics; tables and pictures of other packages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    import matplotlib.axes
    import numpy as np
    import pandas as pd
    import xarray as xr

    from ._problem import Problem


class Curve:
    """`sol.sol`: the curve as a function of t, as in SciPy: (n,) for one t, (n, m) for m of them."""

    def __init__(self, solution: Solution) -> None:
        self._solution = solution

    @property
    def t_min(self) -> float:
        return float(self._solution.t.min())

    @property
    def t_max(self) -> float:
        return float(self._solution.t.max())

    def __call__(self, t: Any) -> Any:
        return self._solution(t)


class Solution:
    """What a run gave.

        >>> sol = vs.gallery("pendulum").solve((0, 10))
        >>> sol.t, sol.y                      # shapes (m,) and (n, m), the rows named by sol.names
        >>> sol["x"], sol["x'"]               # any name: unknowns, derivatives, outputs
        >>> sol(3.7), sol([1, 2], "x")        # the curve between the points, on the constraints
        >>> sol.success, sol.message, sol.residual

    Arrays are views without copies, which cannot be written.
    """

    __slots__ = ("_core", "_problem", "_run", "_again")

    def __init__(self, core: _core.Solution, problem: Problem | None, run: Any) -> None:
        self._core, self._problem, self._run = core, problem, run
        self._again: Solution | None = None

    # ---- numbers ----

    @property
    def t(self) -> np.ndarray[Any, Any]:
        """The points: those asked for, else every accepted step."""
        return self._core.t

    @property
    def y(self) -> np.ndarray[Any, Any]:
        """Values of `names` at the points, shape (n, m)."""
        return self._core.y

    @property
    def s(self) -> np.ndarray[Any, Any]:
        """Arclength at the points; empty in a run parametrised by time."""
        return self._core.s

    @property
    def names(self) -> list[str]:
        """x, x', y[3], …: the rows of y."""
        return self._core.names

    @property
    def output_names(self) -> list[str]:
        return self._core.output_names

    @property
    def outputs(self) -> np.ndarray[Any, Any]:
        """Values of the model's outputs at the points, shape (number of outputs, m)."""
        return self._core.outputs

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        """One name at all points: an unknown, a derivative, an output; of an array all of it, as `array` has it."""
        if not isinstance(name, str):
            raise TypeError(f"a solution has its values by names, sol[\"x\"], but found {name!r}; its arrays are t and y")
        try:
            return self._core.column(name)
        except _core.InvalidInput as error:
            try:
                return self.array(name)
            except KeyError:
                pass
            names = list(self)
            shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
            raise KeyError(f"{error}; it has {shown}") from None

    def __iter__(self) -> Iterator[str]:
        """The names that it has values of, as a table of pandas."""
        return iter([*self.names, *self.output_names])

    def __contains__(self, name: object) -> bool:
        try:
            self[name]  # type: ignore[index]
        except (KeyError, TypeError):
            return False
        return True

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """An array of the model at all points, with its shape: (m, n, 3) for `unknown r[n,3]`.

            >>> sol.array("r")[-1, 4]             # the last place of the fifth point
            >>> sol.array("b.r'")                 # velocities of a family of parts b[1].r, b[2].r, …
        """
        import numpy

        from ._arrays import columns_of

        first, shape = columns_of(self.names, name)
        size = int(numpy.prod(shape))
        return self.y[first : first + size].T.reshape(len(self.t), *shape)

    def __call__(self, t: Any, name: str | None = None) -> Any:
        """The curve at t, a number or an array: all names, (n,) or (n, m), or one, a number or (m,)."""
        import numpy

        points = numpy.asarray(t, dtype=float, order="C")
        self._check_curve()
        values = self._with_curve().evaluate(points.reshape(-1), name)
        if points.ndim == 0:
            return values[:, 0] if name is None else float(values[0])
        return values.reshape(values.shape[:-1] + points.shape)

    @property
    def sol(self) -> Curve | None:
        """The curve as SciPy has it, or None where it was not kept (dense_output=False)."""
        has_curve = self._core.has_curve or (self._run is not None and self._again is not None)
        return Curve(self) if has_curve or self._can_repeat() else None

    def _check_curve(self) -> None:
        if not self._core.has_curve and not self._can_repeat():
            raise _core.InvalidInput("the solution between the points was not kept: solve with dense_output=True")

    def _can_repeat(self) -> bool:
        return not self._core.has_curve and self._run is not None and self._run[-1].get("_unpickled", False)

    def _with_curve(self) -> _core.Solution:
        """A solution that was pickled has no curve: the same run, which has the same bits, makes it again."""
        if self._core.has_curve or not self._can_repeat():
            return self._core
        if self._again is None:
            t_span, params, start, t_eval, run = self._run
            run = {k: v for k, v in run.items() if not k.startswith("_") and k not in ("streams", "checkpoint")}
            assert self._problem is not None
            self._again = self._problem.solve(
                t_span, params=params, start=start, t_eval=t_eval, dense_output=True, **run)
        return self._again._core

    def sensitivity(self, name: str, variable: str, t: float | None = None) -> Any:
        """d name / d variable at all points, or at one t; asked for with sensitivity=["g", "start:x"]."""
        if not self._core.sensitivity_names:
            raise _core.InvalidInput(f"the solution has no derivatives: solve with sensitivity=[{variable!r}]")
        if t is None:
            return self._core.sensitivity(name, variable)
        return self._with_curve().sensitivity_at(t, name, variable)

    # ---- events ----

    @property
    def events(self) -> list[tuple[str, float, np.ndarray[Any, Any]]]:
        """Crossings in their order: name, t, values before."""
        return [(name, t, values) for name, t, values, _, _ in self._core.events()]

    @property
    def t_events(self) -> dict[str, np.ndarray[Any, Any]]:
        """Where each event of the model was met."""
        import numpy

        return {name: numpy.array([t for n, t, *_ in self._core.events() if n == name]) for name in self._event_names()}

    @property
    def y_events(self) -> dict[str, np.ndarray[Any, Any]]:
        """The values there, shape (number of crossings, n)."""
        import numpy

        found = self._core.events()
        n = len(self.names)
        return {name: numpy.array([v for e, _, v, *_ in found if e == name]).reshape(-1, n)
                for name in self._event_names()}

    def _event_names(self) -> list[str]:
        names = list(self._problem.model.events) if self._problem is not None else []
        return names + sorted({name for name, *_ in self._core.events()} - set(names))

    # ---- how it went ----

    @property
    def success(self) -> bool:
        return self._core.status == "success"

    @property
    def status(self) -> Any:
        """success, failed or interrupted."""
        return self._core.status

    @property
    def message(self) -> str:
        """One line: where and why it ended."""
        return self._core.message

    @property
    def nfev(self) -> int:
        return self._core.nfev

    @property
    def njev(self) -> int:
        return self._core.njev

    @property
    def nlu(self) -> int:
        return self._core.nlu

    @property
    def residual(self) -> float:
        """The largest of the constraints, hidden ones included, over all points."""
        return self._core.residual

    @property
    def invariant_drift(self) -> float:
        return self._core.invariant_drift

    @property
    def stats(self) -> dict[str, Any]:
        """Counts and seconds."""
        return self._core.stats()

    @property
    def method(self) -> dict[str, Any]:
        """The method and its options."""
        return self._core.method()

    @property
    def system(self) -> dict[str, Any]:
        """What kind of system was solved: class, index, degrees of freedom."""
        return self._core.system()

    @property
    def notes(self) -> list[str]:
        return self._core.notes

    @property
    def problem(self) -> Problem | None:
        return self._problem

    def summary(self) -> str:
        """A few lines, as the command line prints them."""
        return self._core.summary()

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        from ._html import solution_html

        return solution_html(self)

    def __len__(self) -> int:
        return len(self.t)

    # ---- tables, pictures, files ----

    def to_pandas(self) -> pd.DataFrame:
        """A table: a row for each point, t as its index."""
        import pandas

        columns = {name: self[name] for name in [*self.names, *self.output_names]}
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name=self._core.independent))

    def to_xarray(self) -> xr.Dataset:
        """A dataset with a variable for each name, over t."""
        import xarray

        t = self._core.independent
        variables = {name: (t, self[name]) for name in [*self.names, *self.output_names]}
        return xarray.Dataset(variables, coords={t: self.t}, attrs={"model": self._core.model, "message": self.message})

    def plot(self, *names: str, ax: matplotlib.axes.Axes | None = None, **style: Any) -> matplotlib.axes.Axes:
        """Two or three names against each other; one, or an array, or none for all unknowns, over t.

            >>> sol.plot("x", "y")
            >>> sol.plot()
        """
        from ._plot import plot

        drawn: matplotlib.axes.Axes = plot(self, names, ax, style)
        return drawn

    def report(self, path: str | os.PathLike[str]) -> None:
        """A page for a browser with the solution and the run."""
        if self._problem is None:
            raise ValueError("this solution does not know its model, which a report shows")
        self._core.write_report(self._problem.model._core, os.fspath(path), self._problem.options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all points to a .csv, .json, .npz or .h5 file (the last by h5py)."""
        name = os.fspath(path)
        if name.endswith(".csv"):
            self._core.write_csv(name)
        elif name.endswith(".json"):
            self._core.write_json(name)
        elif name.endswith((".npz", ".h5", ".hdf5")):
            from ._files import save

            save(self, name)
        else:
            raise ValueError(f"save writes .csv, .json, .npz and .h5 files, but found '{name}'")

    # ---- pickle, copy ----

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (_core.version(), type(self), self._core.state(), self._problem, self._run, self._extra())

    def _extra(self) -> Any:
        return None

    def _set_extra(self, extra: Any) -> None:
        pass


def _restore(version: str, kind: type[Solution], state: bytes, problem: Problem | None, run: Any, extra: Any) -> Solution:
    from ._model import check_version

    check_version(version, "solution")
    if run is not None:
        run = (*run[:-1], {**run[-1], "_unpickled": True})
    solution = kind.__new__(kind)
    Solution.__init__(solution, _core.Solution.from_state(state), problem, run)
    solution._set_extra(extra)
    return solution
