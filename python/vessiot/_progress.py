"""How far a run is: a bar of tqdm where it is installed, else one line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._problem import Progress


class _Bar:
    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {postfix} [{elapsed}<{remaining}]")

    def show(self, now: Progress) -> None:
        self._bar.n = round(100 * now.fraction, 1)
        self._bar.set_postfix_str(f"t = {now.t:.6g}, h = {now.h:.2g}, {now.steps} steps")

    def close(self) -> None:
        self._bar.close()


class _Line:
    def show(self, now: Progress) -> None:
        text = f"{100 * now.fraction:5.1f} %   t = {now.t:.6g}, h = {now.h:.2g}, {now.steps} steps"
        sys.stderr.write(f"\r{text:<70}")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\r" + " " * 70 + "\r")


def progress_bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line()
    return _Bar(tqdm)
