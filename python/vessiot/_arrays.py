"""Which columns of a solution are whole arrays: r[1,1] .. r[n,3] is r, b[1].r[1] .. b[n].r[3] is b.r."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Sequence

_INDICES = re.compile(r"\[([0-9,]+)\]")


def _split(name: str) -> tuple[str, tuple[int, ...]]:
    """"b[2].r[1,3]'": "b.r'" and (2, 1, 3)."""
    found = tuple(int(k) for text in _INDICES.findall(name) for k in text.split(","))
    return _INDICES.sub("", name), found


def columns_of(names: Sequence[str], array: str) -> tuple[int, tuple[int, ...]]:
    """The first column of an array and its shape; a scalar has none. Raises KeyError where there is no such array."""
    parts = [_split(name) for name in names]
    places = [k for k, (base, _) in enumerate(parts) if base == array]
    if not places:
        close = difflib.get_close_matches(array, {base for base, _ in parts}, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise KeyError(f"there is no array {array!r} in this solution{hint}")
    indices = [parts[k][1] for k in places]
    shape = indices[-1]
    box = list(itertools.product(*(range(1, n + 1) for n in shape)))
    if indices != box or places != list(range(places[0], places[0] + len(places))):
        raise KeyError(f"the elements of {array!r} are not one whole array: take them by their names")
    return places[0], shape
