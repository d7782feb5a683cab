"""Many runs of one problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._problem import Problem

_REDUCTIONS = ("mean", "std", "min", "max")


class Ensemble:
    """What an ensemble gave: `ens["x"]` has the shape of the members, and a last axis for the points of t_eval.

    t, names, status (a word for each member), success, steps, t_end, failures (text, how often, first member), counts,
    seconds; of a reduction `reduced["max"]["x"]`, over the points.
    """

    def __init__(self, parts: list[dict[str, Any]], shape: tuple[int, ...], has_points: bool) -> None:
        first = parts[0]
        self.names: list[str] = first["columns"]
        self.t: np.ndarray[Any, Any] = first["t"]
        self.shape = shape
        self.seconds: float = max(p["seconds"] for p in parts)
        self.counts = {word: sum(p["counts"][word] for p in parts) for word in first["counts"]}
        self.failures: list[tuple[str, int, int, list[float]]] = [f for p in parts for f in p["failures"]]
        self.notes: list[str] = [n for p in parts for n in p["notes"]]
        self.reduced: dict[str, dict[str, np.ndarray[Any, Any]]] = first["reduced"]
        self.device: str = first["device"]  # "cpu", or the name of a graphics processor
        self.keeps_members: bool = first["values"] is not None
        self._has_points = has_points
        if self.keeps_members:
            self.values: np.ndarray[Any, Any] = _joined([p["values"] for p in parts])  # member, point, name
            self.steps = _joined([p["steps"] for p in parts]).reshape(shape)
            self.t_end = _joined([p["t_end"] for p in parts]).reshape(shape)
            self.status = np.array([w for p in parts for w in p["status"]]).reshape(shape)

    @property
    def success(self) -> np.ndarray[Any, Any]:
        """Which members reached the end."""
        return np.asarray(self.status == "success")

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        if name not in self.names:
            raise KeyError(f"the ensemble has no value '{name}'; it has {', '.join(self.names[:20])}")
        if not self.keeps_members:
            raise KeyError(f"members were not kept; reduced has {', '.join(self.reduced)}")
        column = self.values[:, :, self.names.index(name)]
        return column.reshape(self.shape + column.shape[1:]) if self._has_points else column[:, 0].reshape(self.shape)

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    def to_xarray(self, *dims: str) -> Any:
        """A dataset over the members, and over t where points were asked for."""
        import xarray

        names = list(dims) or [f"member{k}" if k else "member" for k in range(len(self.shape))]
        names += ["t"] if self._has_points else []
        data = {name: (names, self[name]) for name in self.names}
        return xarray.Dataset(data, coords={"t": self.t} if self._has_points else {})

    def __repr__(self) -> str:
        told = ", ".join(f"{n} {word}" for word, n in self.counts.items() if n)
        return f"<vessiot.Ensemble of {len(self)}: {told}, {self.seconds:.3g} s>"


def _joined(arrays: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _spread(params: Mapping[str, Any] | None, start: Mapping[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What all members share, and what varies."""
    shared: dict[str, Any] = {}
    varied: dict[str, Any] = {}
    given = {**(params or {}), **{f"start:{name}": v for name, v in (start or {}).items()}}
    for name, value in given.items():
        if np.ndim(value) == 0 and not name.startswith("start:"):
            shared[name] = value
        else:
            varied[name] = np.asarray(value, dtype=float)
    return shared, varied


def run_ensemble(problem: Problem, params: Any, start: Any, ends: tuple[float | None, float | None], points: Any,
                 outputs: Sequence[str] | None, reduce: Any, threads: int | None, device: str, executor: Any,
                 chunk: int | None, callback: Any) -> Ensemble:
    shared, varied = _spread(params, start)
    if not varied:
        raise ValueError("an ensemble needs at least one array among params or start")
    try:
        arrays = np.broadcast_arrays(*varied.values())
    except ValueError:
        sizes = ", ".join(f"{k} {v.shape}" for k, v in varied.items())
        raise ValueError(f"the arrays of an ensemble must fit each other, but have the shapes {sizes}") from None
    shape = arrays[0].shape
    table = np.ascontiguousarray(np.stack([a.ravel() for a in arrays], axis=1))
    words = [reduce] if isinstance(reduce, str) else list(reduce or [])
    told = (list(varied), ends, shared, points, list(outputs or []), ",".join(words))
    if executor is None:
        parts = [run_part(problem, table, told, threads or 0, device, not words, callback)]
    else:
        if words:
            raise ValueError("reduce= works without an executor: each of its workers sees a part of the members")
        size = chunk or max(1, -(-len(table) // (4 * (getattr(executor, "_max_workers", None) or 4))))
        pieces = [table[k : k + size] for k in range(0, len(table), size)]
        waiting = [executor.submit(run_part, problem, piece, told, threads or 1, device, True, None) for piece in pieces]
        parts = [w.result() for w in waiting]
        for k, part in enumerate(parts):  # the number of a member is that of all of them
            part["failures"] = [(text, n, first + k * size, values) for text, n, first, values in part["failures"]]
    return Ensemble(parts, shape, points is not None)


def run_part(problem: Problem, table: np.ndarray[Any, Any], told: Any, threads: int, device: str,
             keeps_members: bool, callback: Any) -> dict[str, Any]:
    """Members of these rows: in this process, or in that of a worker."""
    names, ends, shared, points, outputs, reduce = told
    core, error = problem._core.ensemble(
        names, table, ends[0], ends[1], shared or None, points, "last" if points is None else "points", outputs, reduce,
        keeps_members, threads, device, callback)
    if error is not None:
        raise error
    return {
        "columns": core.columns, "t": core.t, "seconds": core.seconds, "counts": core.counts, "notes": core.notes,
        "failures": core.failures(), "reduced": _reduced(core, reduce), "status": core.member_status, "device": core.device,
        "values": core.values if keeps_members else None, "steps": core.steps, "t_end": core.t_end,
    }


def _reduced(core: Any, reduce: str) -> dict[str, dict[str, np.ndarray[Any, Any]]]:
    if not reduce:
        return {}
    rows = core.statistics()
    n = len(core.columns)

    def table(place: int) -> dict[str, np.ndarray[Any, Any]]:
        return {name: np.array([rows[k][place] for k in range(c, len(rows), n)]) for c, name in enumerate(core.columns)}

    found = {word: table(place) for place, word in enumerate(_REDUCTIONS, 1) if word in reduce}
    for q, level in enumerate(core.quantile_levels):
        found[f"quantile({level:g})"] = {
            name: np.array([rows[k][5][q] for k in range(c, len(rows), n)]) for c, name in enumerate(core.columns)}
    return found
