"""A student's page: results, findings in their lines, and what to try next.

No page has a script or needs the network. What a student wrote is hostile: templates
escape every value.
"""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape

from minitorch_cuda.viz.scene.palette import style_sheet

from ..advice import OUTCOMES
from ..words import (
    COUNTERS,
    ISOLATION,
    STAGES,
    Item,
    amount,
    counted,
    finding_says,
    headline,
    index_of,
    items_of,
    other_line,
    points_of,
    row_says,
    stage_of,
    students_rows,
    tried,
)
from .sources import Sources, around

_PICTURE_BYTES = 400_000  # of one picture that is put into the page
_DATA = {".svg": "image/svg+xml", ".png": "image/png"}
_ROOT = "mt-report"
_WIDTH, _LEFT, _RIGHT = 480, 62, 96  # pixels: a picture of counts, names, numbers
_HEIGHT = 78  # of one counter


def _code(text: object) -> Markup:
    """Escape text for HTML; text in backticks becomes code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _says(row: Mapping[str, Any]) -> str:
    """Return a row's first sentence, or "" if the row is right and has no message."""
    silent = row["outcome"] == "passed" and not row["message"]
    return "" if silent else row_says(row)[0]


_PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True
)
_PAGES.filters.update(amount=amount, code=_code)
_PAGES.globals.update(
    finding_says=finding_says,
    outcomes=OUTCOMES,
    root=_ROOT,
    says=_says,
    stage_of=stage_of,
    stages=STAGES,
    style=Markup(style_sheet(_ROOT)),
)


def student_page(
    report: Mapping[str, Any],
    folder: Path | None = None,
    sources: Sources | None = None,
) -> str:
    """Return the page of a report.

    Args:
        report: of `minitorch.grade/1`; rows may have a teacher's `override`.
        folder: the report's, with `pictures/`.
        sources: lines of the student's files; without them no code is quoted.

    Returns:
        HTML with the pictures inside, but for very large ones, which are linked.
    """
    rows, lines = students_rows(report), sources or {}
    items = items_of(rows)
    plain = [row for item in items if not _is_drawn(item) for row in item.rows]
    first, message = headline(report, rows), str(report["message"])
    detail = "" if message.rstrip(".") in first else message
    return _PAGES.get_template("student.html").render(
        report=report,
        answer=first,
        detail=_detail(rows) or detail,
        sections=_sections(items, lines, folder),
        others=[row for row in plain if not row["hidden"]],
        hidden=[row for row in plain if row["hidden"]],
        isolation=ISOLATION[report["isolation"]],
        example=report["rows"][0]["id"] if report["rows"] else "",
    )


def _detail(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the first finding as a sentence, or ""."""
    for row in rows:
        if OUTCOMES[row["outcome"]].lost:
            sentence = row_says(row)[0]
            return sentence[:1].upper() + sentence[1:]
    return ""


def _is_drawn(item: Item) -> bool:
    """Return whether an item has a lost row, a finding, a count or an override."""
    return any(
        OUTCOMES[row["outcome"]].lost
        or row["metrics"]
        or row["findings"]
        or "override" in row
        for row in item.rows
    )


def _lost(item: Item) -> Mapping[str, Any] | None:
    """Return the first row of the item that lost points, or None."""
    return next((row for row in item.rows if OUTCOMES[row["outcome"]].lost), None)


def _sections(
    items: Sequence[Item], sources: Sources, folder: Path | None
) -> Iterator[dict[str, Any]]:
    """Yield a section for each kernel that is drawn; a task's single rows share one."""
    drawn = [item for item in items if _is_drawn(item)]
    last = {item.task: item.id for item in drawn if _lost(item)}
    groups = itertools.groupby(
        drawn, key=lambda item: (item.task, item.id if stage_of(item.rows[0]) else "")
    )
    for (task, _), group in groups:
        group_items = list(group)
        title, _, points = group_items[0].says.rpartition(": ")
        hidden = group_items[0].rows[0]["hidden"]
        if len(group_items) > 1:  # single rows say their titles and points themselves
            task_items = [item for item in items if item.task == task]
            title, hidden = f"Task {task}", False
            points = points_of(
                sum(item.points for item in task_items),
                sum(item.max_points for item in task_items),
            )
        yield {
            "title": title,
            "points": points,
            "hidden": hidden,
            "named": len(group_items) > 1,
            # The last that is lost of a task says how to go on.
            "parts": [
                _part(item, sources, folder, task * (item.id == last.get(task)))
                for item in group_items
            ],
        }


def _part(
    item: Item, sources: Sources, folder: Path | None, task: str
) -> dict[str, Any]:
    """Return a graded test: its rows, and details of the first lost or noted row."""
    lost = _lost(item)
    row_shown = lost or next((row for row in item.rows if row["findings"]), None)
    bars = ((row, cost_bars(row["metrics"])) for row in item.rows)
    counted_row, drawn = next((entry for entry in bars if entry[1]), (None, ""))
    return {
        "item": item,
        "lost": lost,
        "task": task,
        "code": row_shown and _lines(row_shown, sources),
        "tries": _tries(row_shown) if row_shown else [],
        "pictures": [_picture(entry, folder) for entry in row_shown["pictures"]]
        if row_shown
        else [],
        "bars": drawn,
        "waits": counted_row is not None and counted_row["outcome"] == "not_yet",
    }


def _lines(row: Mapping[str, Any], sources: Sources) -> dict[str, Any] | None:
    """Return the student's lines around the first finding that has a line."""
    for finding in row["findings"]:
        other = other_line(finding)
        lines = around(sources, finding, other)
        if lines:
            named = {finding["line"], other}
            threads, values = _values(finding)
            return {
                "finding": finding,
                "lines": lines,
                "named": named,
                "threads": threads,
                "values": values,
            }
    return None


def _values(finding: Mapping[str, Any]) -> tuple[str, dict[int, str]]:
    """Return whose values of variables a finding has, and the values by line."""
    other = (finding["race"] or {}).get("other") or finding
    sites = [finding]
    if other is not finding and other["file"] == finding["file"]:
        sites.append(other)
    sites = [site for site in sites if site["values"]]
    apart = other["block"] != finding["block"]
    by_line: dict[int, list[str]] = {}
    threads = ""
    for site in sites:
        thread = f"thread {index_of(site['thread'])}"
        if apart:
            thread += f" of block {index_of(site['block'])}"
        threads = "both threads" if threads else thread
        for entry in site["values"]:
            text = entry["text"] if len(sites) == 1 else f"{thread}: {entry['text']}"
            by_line.setdefault(entry["line"], []).append(text)
    return threads, {line: " · ".join(texts) for line, texts in by_line.items()}


def _tries(row: Mapping[str, Any]) -> list[str]:
    """Return what to try about a row: its sentences except findings, then advice."""
    advice = tried(row)
    # A finding stands under the code; what is left are the row's own sentences.
    left = {advice, *map(finding_says, row["findings"])}
    left |= {f"Picture: {sentence['file']}" for sentence in row["pictures"]}
    tries = [sentence for sentence in row_says(row)[1:] if sentence not in left]
    return [*tries, advice] if advice else tries


def _picture(picture: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    """Embed a picture in the page, which may be moved; HTML goes into a sandbox."""
    path = None if folder is None else folder / picture["file"]
    entry = {**picture, "source": "", "page": None}
    if path is not None and path.is_file() and path.stat().st_size <= _PICTURE_BYTES:
        if path.suffix in _DATA:
            data = base64.b64encode(path.read_bytes()).decode()
            entry["source"] = f"data:{_DATA[path.suffix]};base64,{data}"
        else:
            entry["page"] = path.read_text("utf-8")
    return entry


def cost_bars(metrics: Mapping[str, Sequence[float | None]]) -> str:
    """Return an SVG of all counters of a row with the solution's and the limit, on one
    scale, or "".

    Args:
        metrics: by counter what was counted, the limit, the solution's count; the last
            two may be None or absent.

    Returns:
        SVG whose label says the numbers, too.
    """
    drawn = {name: metric for name, metric in metrics.items() if metric[0] is not None}
    if not drawn:
        return ""
    picture = _PAGES.get_template("bars.svg").render(
        said="; ".join(counted(name, list(metric)) for name, metric in drawn.items()),
        width=_WIDTH,
        height=len(drawn) * _HEIGHT,
        left=_LEFT,
        counters=[
            _counter(number * _HEIGHT, name, metric)
            for number, (name, metric) in enumerate(drawn.items())
        ],
    )
    return Markup(picture)


def _counter(top: int, name: str, metric: Sequence[float | None]) -> dict[str, Any]:
    got, limit, solution = [*metric, None, None][:3]
    most = max(got or 0, limit or 0, solution or 0) * 1.02 or 1

    def across(value: float) -> float:
        return round((_WIDTH - _LEFT - _RIGHT) * value / most, 1)

    rows = [("yours", got or 0, "var(--mut)"), ("solution", solution, "var(--d30)")]
    title = f"{name.replace('_', ' ')}: {COUNTERS.get(name, '')}"
    return {
        "top": top,
        "title": title.removesuffix(": "),
        "bars": [
            {
                "who": label,
                "value": value,
                "fill": fill,
                "y": top + 22 + 20 * number,
                "width": max(across(value), 1),
                "end": max(across(value), across(limit or 0)) + _LEFT + 6,
            }
            for number, (label, value, fill) in enumerate(rows)
            if value is not None
        ],
        "limit": limit,
        "x": _LEFT + across(limit or 0),
    }
