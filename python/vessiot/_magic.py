"""The cell magic %%ves: the cell is a model; it is solved, and the solution shown.

    %%ves pendulum --rtol 1e-8 --to 5
    unknown x
    ...

The first word is the variable that gets the solution; NAME_model gets the model.
"""

from __future__ import annotations

import shlex
from typing import Any

from ._model import Model


def run_cell(shell: Any, line: str, cell: str) -> Any:
    words = shlex.split(line)
    name = words.pop(0) if words and not words[0].startswith("--") else None
    options: dict[str, Any] = {}
    while words:
        option = words.pop(0)
        if not option.startswith("--") or not words:
            raise ValueError(f"%%ves takes [name] and options as in --rtol 1e-8, but found '{option}'")
        options[option[2:].replace("-", "_")] = words.pop(0)
    model = Model(text=cell, name=name or "cell")
    solution = model.solve(**options)
    if name:
        shell.user_ns[name] = solution
        shell.user_ns[f"{name}_model"] = model
    return solution


def register(shell: Any) -> None:
    shell.register_magic_function(lambda line, cell: run_cell(shell, line, cell), "cell", "ves")
