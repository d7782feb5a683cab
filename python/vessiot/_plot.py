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


def plot(solution: Solution, names: Sequence[str], ax: Any, style: dict[str, Any]) -> Any:
    if ax is None:
        import matplotlib.pyplot as pyplot

        is_space = len(names) == 3
        _, ax = pyplot.subplots(layout="constrained", subplot_kw={"projection": "3d"} if is_space else {})
    t_name = solution._core.independent
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
        else:
            ax.set_aspect("equal", adjustable="datalim")
            ax.locator_params(nbins=6)
    else:
        shown = list(names) or [n for n in solution.names if "'" not in n][:_MOST_LINES]
        t, rows, _ = _curve(solution, shown)
        for k, (name, row) in enumerate(zip(shown, rows)):
            ax.plot(t, row, label=name, **{"color": COLOURS[k % len(COLOURS)], **style})
        for name, t_event, values in solution.events:
            ax.axvline(t_event, color="0.8", linewidth=0.8, zorder=0)
        ax.set_xlabel(t_name)
        if len(shown) == 1:
            ax.set_ylabel(shown[0])
        else:
            ax.legend(frameon=False)
    ax.set_title(solution._core.model, fontsize="medium", loc="left")
    if hasattr(ax, "spines") and len(names) < 3:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(True, color="0.93", linewidth=0.8)
        ax.set_axisbelow(True)
    return ax
