"""Methods and other choices: what there is, and Runge-Kutta and multistep methods of one's own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from . import _core

_own: set[str] = set()  # names of methods that were added


def methods() -> list[dict[str, Any]]:
    """All methods, each with its family, order, what it needs and can do: `vessiot methods`.

        >>> [m["name"] for m in vs.methods() if m["is_implicit"] and m["has_quad"]]
    """
    return _core.methods()


def projections() -> list[dict[str, Any]]:
    """The ways in which points are brought onto the constraints: what `projection=` can name.

        >>> [p["name"] for p in vs.projections() if p["finds_nearest"]]
    """
    return _core.projections()


def distributions() -> list[dict[str, Any]]:
    """The ways to the direction of the curve at a point: what `distribution=` can name.

        >>> {d["name"]: d["needs"] for d in vs.distributions()}
    """
    return _core.distributions()


def is_method(name: str) -> bool:
    return name == "auto" or name in _own or any(m["name"] == name for m in _core.methods())


def _texts(values: Any) -> list[str]:
    """Coefficients as text, which keeps fractions and all digits."""
    return [repr(float(v)) if isinstance(v, float) else str(v) for v in values]


def _added(entry: dict[str, Any]) -> dict[str, Any]:
    _own.add(entry["name"])
    return entry


def add_tableau(name: str, a: Sequence[Sequence[Any]], b: Sequence[Any], b_hat: Sequence[Any] = (), c: Sequence[Any] = (),
                *, order: int = 0, embedded_order: int = 0) -> dict[str, Any]:
    """A Runge-Kutta method of your own, explicit or implicit, which `method=` can name then.

    Coefficients are numbers, fractions, or texts such as "1/3". b_hat: the embedded method that estimates the error;
    without it steps are chosen by step doubling. c: the sums of the rows of a. Orders are found, by the order
    conditions; those that are given are checked. The result is its entry in the words of `methods()`.

        >>> vs.add_tableau("heun", [[0, 0], [1, 0]], ["1/2", "1/2"], b_hat=[1, 0])["order"]
        2
        >>> vs.gallery("pendulum").solve((0, 1), method="heun")
    """
    return _added(_core.add_tableau(name, [_texts(row) for row in a], _texts(b), _texts(b_hat), _texts(c), order,
                                    embedded_order))


def load_tableau(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The same from a JSON file {"name": …, "a": [[…]], "b": […], "b_hat": […], "c": […]}: `vessiot solve --tableau`.

        >>> vs.load_tableau("heun.json")
    """
    return _added(_core.load_tableau(os.fspath(path)))


def add_multistep(name: str, alpha: Sequence[Any], beta: Sequence[Any], *, on: str = "manifold",
                  order: int = 0) -> dict[str, Any]:
    """A linear multistep method of your own: sum_j alpha_j x_(n+j) = h sum_j beta_j V(x_(n+j)), oldest first.

    on: "manifold", or "equations" for one on the equations as they stand, M u' = F(u). Its order is found, and its root
    condition checked.

        >>> vs.add_multistep("leapfrog_like", [-1, 0, 1], ["1/3", "4/3", "1/3"])["order"]
        4
    """
    if on not in ("manifold", "equations"):
        raise ValueError(f"on must be \"manifold\" or \"equations\", but found {on!r}")
    return _added(_core.add_multistep(name, _texts(alpha), _texts(beta), on == "equations", order))


def load_multistep(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The same from a JSON file {"name": …, "alpha": […], "beta": […], "on": …}: `vessiot solve --multistep`.

        >>> vs.load_multistep("am2.json")
    """
    return _added(_core.load_multistep(os.fspath(path)))
