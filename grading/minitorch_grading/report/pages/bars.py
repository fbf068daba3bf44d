"""Bars of counts: a student's beside the solution's and the limit, on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..words import COUNTERS, amount, counted
from .frame import escaped

_WIDTH, _LEFT, _RIGHT = 480, 62, 96  # pixels: the picture, names, numbers
_HEIGHT = 78  # of one counter
_BOLD = "font-size='12' font-weight='600'"


def cost_bars(metrics: Mapping[str, Sequence[float | None]]) -> str:
    """An SVG of all counters of a row; "" without any.

    Args:
        metrics: by counter what was counted, the limit, the solution's count; the last
            two may be None or absent.

    Returns:
        SVG whose label says the numbers, too.
    """
    drawn = {name: metric for name, metric in metrics.items() if metric[0] is not None}
    if not drawn:
        return ""
    said = "; ".join(counted(name, list(metric)) for name, metric in drawn.items())
    body = "".join(
        _counter(number * _HEIGHT, name, metric)
        for number, (name, metric) in enumerate(drawn.items())
    )
    height = len(drawn) * _HEIGHT
    return (
        f'<svg role="img" aria-label="{escaped(said)}" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}">{body}</svg>'
    )


def _counter(top: int, name: str, metric: Sequence[float | None]) -> str:
    got, limit = metric[0] or 0, metric[1]
    solution = metric[2] if len(metric) > 2 else None
    most = max(got, limit or 0, solution or 0) * 1.02 or 1
    room = _WIDTH - _LEFT - _RIGHT

    def across(value: float) -> float:
        return round(room * value / most, 1)

    title = f"{name.replace('_', ' ')}: {COUNTERS.get(name, '')}".removesuffix(": ")
    parts = [_text(0, top + 13, title, "font-size='12'")]
    rows = [("yours", got, "var(--mut)"), ("solution", solution, "var(--d30)")]
    for number, (who, value, fill) in enumerate(rows):
        if value is None:
            continue
        y = top + 22 + 20 * number
        parts.append(_text(0, y + 11, who, "font-size='11.5' class='quiet'"))
        parts.append(
            f"<rect x='{_LEFT}' y='{y}' width='{max(across(value), 1)}' height='14' "
            f"rx='2' fill='{fill}'/>"
        )
        end = max(across(value), across(limit or 0)) + _LEFT + 6
        parts.append(
            _text(end, y + 11, amount(value), "font-size='12' font-weight='600'")
        )
    if limit is not None:
        x = _LEFT + across(limit)
        parts.append(
            f"<path d='M{x} {top + 18}V{top + 60}' "
            "stroke='var(--ink)' stroke-width='2'/>"
        )
        label = f"limit {amount(limit)}"
        parts.append(_text(x, top + 72, label, "font-size='11' text-anchor='middle'"))
    return "".join(parts)


def _text(x: float, y: float, text: str, style: str) -> str:
    return f"<text x='{x}' y='{y}' {style}>{escaped(text)}</text>"
