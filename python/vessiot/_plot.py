"""Pictures by matplotlib: calm, with few lines and little ink."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import matplotlib.axes
    import numpy as np

    from ._solution import Solution

COLOURS = ("#1f5a94", "#c1440e", "#3a7d44", "#7b4b94", "#a67c00", "#00798c", "#8c2f39", "#4f5d75")
_MOST_LINES = 12
_POINTS = 1000


def _curve(solution: Solution, names: Sequence[str]) -> tuple[np.ndarray[Any, Any], list[np.ndarray[Any, Any]], bool]:
    """Values along the curve where it was kept and all names are on it, else at the points."""
    import numpy

    on_curve = solution.sol is not None and all(name in solution.names for name in names)
    if not on_curve or len(solution.t) > _POINTS or len(solution.t) < 2 or len(solution.s) > 0:
        return solution.t, [solution[name] for name in names], False
    t = numpy.linspace(solution.t[0], solution.t[-1], _POINTS)
    rows = solution(t)
    return t, [rows[solution.names.index(name)] for name in names], True


def _elements(solution: Solution, name: str) -> list[str]:
    """A name, or those of all elements of an array."""
    if name in solution.names or name in solution.output_names:
        return [name]
    from ._arrays import columns_of

    try:
        first, shape = columns_of(solution.names, name)
    except KeyError:
        return [name]  # which is none: it will be said there
    n = 1
    for size in shape:
        n *= size
    return solution.names[first : first + n]


def plot(solution: Solution, names: Sequence[str], ax: Any, style: dict[str, Any]) -> Any:
    if ax is None:
        import matplotlib.pyplot as pyplot

        is_space = len(names) == 3
        _, ax = pyplot.subplots(layout="constrained", subplot_kw={"projection": "3d"} if is_space else {})
    t_name, title = solution._core.independent, solution._core.model
    style.setdefault("linewidth", 1.4)
    if len(names) > 3:
        raise ValueError(f"plot draws two or three names against each other, but found {len(names)}")
    if len(names) >= 2:
        _, rows, _ = _curve(solution, names)
        style.setdefault("color", COLOURS[0])
        ax.plot(*rows, **style)
        ax.plot(*[r[:1] for r in rows], "o", color=style["color"], markersize=4)
        ax.set_xlabel(names[0])
        ax.set_ylabel(names[1])
        if len(names) == 3:
            ax.set_zlabel(names[2])
            ax.locator_params(nbins=5)
        else:
            if names[0].count("'") == names[1].count("'"):  # of one unit
                ax.set_aspect("equal", adjustable="datalim")
            ax.locator_params(nbins=6)
    else:
        drawable = _elements(solution, names[0]) if names else [n for n in solution.names if "'" not in n]
        shown = drawable[:_MOST_LINES]
        title += f": {len(shown)} of {len(drawable)}" if len(shown) < len(drawable) else ""
        t, rows, _ = _curve(solution, shown)
        for k, (name, row) in enumerate(zip(shown, rows)):
            look = {"color": COLOURS[k % len(COLOURS)], "linestyle": "-" if k < len(COLOURS) else "--"}
            ax.plot(t, row, label=name, **{**look, **style})
        for name, t_event, values in solution.events:
            ax.axvline(t_event, color="0.8", linewidth=0.8, zorder=0)
        ax.set_xlabel(t_name)
        if len(shown) == 1:
            ax.set_ylabel(shown[0])
        else:
            ax.legend(frameon=False)
    ax.set_title(title, fontsize="medium", loc="left")
    if hasattr(ax, "spines") and len(names) < 3:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(True, color="0.93", linewidth=0.8)
        ax.set_axisbelow(True)
    return ax
