"""Solutions as files of other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._solution import Solution


def save(solution: Solution, path: str) -> None:
    columns = {name: solution[name] for name in [*solution.names, *solution.output_names]}
    t = solution._core.independent
    if path.endswith(".npz"):
        import numpy

        numpy.savez_compressed(path, **{t: solution.t}, **columns)  # type: ignore[arg-type]
        return
    import h5py

    with h5py.File(path, "w") as file:
        file.attrs["model"] = solution._core.model
        file.attrs["message"] = solution.message
        file[t] = solution.t
        for name, values in columns.items():
            file[name.replace("/", "_")] = values
