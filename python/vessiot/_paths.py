"""Functions that decide by values: traced once for every way through their decisions, which become choices of formulas.

    if y[0] > 0: …                     the condition is asked for its truth: True in one trace, False in another
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from . import _core
from ._core import Equality, TraceError

_MOST_WAYS = 64
_MOST_DECISIONS = 24  # of one way: a loop that ends by a value has no end here


def as_condition(x: Any) -> Any:
    """An equality as the condition that it is inside of formulas."""
    return x & x if isinstance(x, Equality) else x


@dataclass
class Way:
    """What a function returns, or raises; or the condition that it decides by, and what comes then."""

    leaf: Any = None
    condition: Any = None
    yes: Way | None = None
    no: Way | None = None

    def leaves(self) -> Iterator[Any]:
        if self.condition is None:
            yield self.leaf
            return
        for way in (self.yes, self.no):
            if way is not None:
                yield from way.leaves()


class _Walk(threading.local):
    decisions: list[bool] | None = None  # those to be taken, then True
    conditions: list[Any]


_walk = _Walk()


def decide(condition: Any) -> bool:
    """What a condition says that Python asks for its truth."""
    if _walk.decisions is None:
        raise TraceError("a condition on formulas has no value here, so that no 'if', 'and', 'or', 'while', 'min' or "
                         "'max' of Python can decide by it; use vessiot.if_, numpy.where, & and |, numpy.minimum")
    k = len(_walk.conditions)
    if k >= _MOST_DECISIONS:
        raise TraceError("the function decides more than 24 times by values")
    _walk.conditions.append(as_condition(condition))
    if k == len(_walk.decisions):
        _walk.decisions.append(True)
    return _walk.decisions[k]


def explore(trace: Callable[[], Any]) -> Way:
    """All ways through the decisions of `trace`. What every way raises is raised."""
    root = Way()
    decisions: list[bool] = []
    outer = _walk.decisions
    for _ in range(_MOST_WAYS):
        _walk.decisions, _walk.conditions = decisions, []
        _core.number_was_asked()
        try:
            result = trace()
            if _core.number_was_asked():
                raise TraceError("the function wants a number where a formula stands, and goes on without it")
        except TraceError:
            raise
        except Exception as error:
            if not _walk.conditions:
                raise
            result = error
        finally:
            _walk.decisions = outer
        _insert(root, _walk.conditions, decisions, result)
        decisions = decisions[: len(_walk.conditions)]
        while decisions and not decisions[-1]:
            decisions.pop()
        if not decisions:
            _check(root)
            return root
        decisions[-1] = False
    raise TraceError(f"the function has more than {_MOST_WAYS} ways through its decisions by values")


def _insert(root: Way, conditions: list[Any], decisions: list[bool], result: Any) -> None:
    way = root
    for condition, decision in zip(conditions, decisions):
        if way.condition is None:
            way.condition = condition
        if decision:
            way.yes = way.yes or Way()
            way = way.yes
        else:
            way.no = way.no or Way()
            way = way.no
    way.leaf = result


def _check(root: Way) -> None:
    leaves = list(root.leaves())
    if all(isinstance(leaf, Exception) for leaf in leaves):
        raise leaves[0]


def merged(way: Way, nothing: Any) -> list[Any]:
    """One formula for each result, with a choice at every decision; `nothing` where the function raises."""
    size = next(len(leaf) for leaf in way.leaves() if not isinstance(leaf, Exception))
    return _merged(way, [nothing] * size)


def _merged(way: Way, nothing: list[Any]) -> list[Any]:
    if way.condition is None:
        if isinstance(way.leaf, Exception):
            return nothing
        if len(way.leaf) != len(nothing):
            raise TraceError("the function returns more values in one way through its decisions than in another")
        return list(way.leaf)
    assert way.yes is not None and way.no is not None
    yes, no = _merged(way.yes, nothing), _merged(way.no, nothing)
    return [a if _same(a, b) else _core.if_(way.condition, a, b) for a, b in zip(yes, no)]


def _same(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, float) and isinstance(b, float) and a == b)
