"""What notebooks show."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._solution import Solution

_STYLE = "font-family:monospace;line-height:1.5"
_MOST = 30


def _lines(items: list[str]) -> str:
    shown = [f"<div>{escape(i)}</div>" for i in items[:_MOST]]
    if len(items) > _MOST:
        shown.append(f"<div>… and {len(items) - _MOST} more</div>")
    return f"<div style='{_STYLE};margin:0 0 .6em 1em'>{''.join(shown)}</div>"


def _statement(entry: dict[str, Any]) -> str:
    domain = entry.get("domain")
    return (f"for {domain}: " if domain else "") + str(entry.get("text", ""))


def inspection_html(data: dict[str, Any]) -> str:
    numbers = data.get("numbers", {})
    parts = [f"<b>{escape(str(data.get('model', '')))}</b>"]
    facts = []
    if "index" in data:
        facts.append(f"index {data['index']}")
    for key, word in (("degrees_of_freedom", "degrees of freedom"), ("hidden_constraints", "hidden constraints")):
        if key in numbers:
            facts.append(f"{numbers[key]} {word}")
    if facts:
        parts.append(f" <span style='color:#666'>{escape(', '.join(facts))}</span>")
    for key, title in (("equation_list", "Equations"), ("derived", "Equations of motion"), ("invariants", "Invariants")):
        entries = data.get(key) or []
        if entries:
            parts.append(f"<div>{title}</div>{_lines([_statement(e) for e in entries])}")
    hidden = [c for c in numbers.get("constraints", []) if c.get("hidden")]
    if hidden:
        texts = [_statement(c) + (f"   ({c['origin']})" if c.get("origin") else "") for c in hidden]
        parts.append(f"<div>Hidden constraints</div>{_lines(texts)}")
    if numbers.get("problem"):
        parts.append(f"<div style='color:#a33'>{escape(numbers['problem'])}</div>")
    return "".join(parts)


def solution_html(solution: Solution) -> str:
    colour = "#2a7" if solution.success else "#a33"
    rows = [
        ("result", f"<span style='color:{colour}'>{escape(str(solution.status))}</span>: {escape(solution.message)}"),
        ("points", f"{len(solution.t)} of {escape(', '.join(solution.names[:8]))}{'…' if len(solution.names) > 8 else ''}"),
        ("method", escape(f"{solution.method['name']}, rtol {solution.method['rtol']:g}, {solution.stats['steps']} steps")),
        ("constraints", f"largest residual {solution.residual:.1e}"),
    ]
    cells = "".join(f"<tr><td style='text-align:left'>{k}</td><td style='text-align:left'>{v}</td></tr>" for k, v in rows)
    return f"<b>{escape(solution._core.model)}</b><table>{cells}</table>"
