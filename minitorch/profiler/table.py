"""Format a profile as a table, as PyTorch does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

_WIDTH = 12
_GAP = "  "
_SIZES = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))
_FLOPS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")
COUNTERS = {
    "sectors_loaded": "Sectors in",
    "sectors_stored": "Sectors out",
    "macs": "MACs",
    "waits": "Waits",
}

_SORTED_BY = (
    *("cpu_time", "cuda_time", "cpu_time_total", "cuda_time_total"),
    *("self_cpu_time_total", "self_cuda_time_total"),
    *("cpu_memory_usage", "cuda_memory_usage"),
    *("self_cpu_memory_usage", "self_cuda_memory_usage"),
    *("count", "flops"),
)
# Characters beyond which a column is cut, as in PyTorch.
_NAME_WIDTH, _SHAPES_WIDTH, _SOURCE_WIDTH = 55, 80, 75


@dataclass(frozen=True)
class _Column:
    """A column of a table: its title and the text of a row."""

    title: str
    text: Callable[[Any], str]
    width: int = _WIDTH
    left: bool = False

    def cell(self, text: str) -> str:
        return text.ljust(self.width) if self.left else text.rjust(self.width)


def format_time(microseconds: float) -> str:
    """Format a time: "25.000us", "1.500ms" or "2.000s", by its size."""
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    if microseconds >= 1e3:
        return f"{microseconds / 1e3:.3f}ms"
    return f"{microseconds:.3f}us"


def format_share(part: float, total: float) -> str:
    """Format a percentage: "12.50%", or "NaN" if the total is 0."""
    return f"{part * 100 / total:.2f}%" if total else "NaN"


def format_memory(size: int) -> str:
    """Format a size: "512 B", "1.50 KB", "-2.00 MB", in units of 1,024."""
    for least, unit in _SIZES:
        if abs(size) >= least:
            return f"{size / least:.2f} {unit}"
    return f"{size} B"


def build_table(
    events: Sequence[Any], sort_by: Any, row_limit: Any, notes: Sequence[str]
) -> str:
    """Return the text of `EventList.table`."""
    is_integer = isinstance(row_limit, int) and not isinstance(row_limit, bool)
    if not is_integer or row_limit < -1:
        raise ValueError(
            f"[table] got row_limit {row_limit!r}; need a number of rows, or -1 for "
            "all."
        )
    rows = _sorted(events, sort_by)
    host = sum(event.self_cpu_ns for event in rows) / 1e3
    device = sum(event.self_device_ns for event in rows if _on_device(event)) / 1e3
    timed = any(event.self_device_ns > 0 for event in rows)
    columns = [
        _name_column(rows),
        *_host_columns(host),
        *(_device_columns(device) if timed else []),
        *_memory_columns(rows),
        _Column("# of Calls", lambda row: str(row.count)),
        *_counter_columns(rows),
        *_shape_columns(rows),
        *_source_columns(rows),
        *_flop_columns(rows),
    ]
    line = "".join("-" * column.width + _GAP for column in columns)
    text = [line, _joined(columns, [column.title for column in columns]), line]
    for row in rows if row_limit == -1 else rows[:row_limit]:
        text += _row(columns, row)
    text += [line, f"Self CPU time total: {format_time(host)}"]
    if timed:
        text.append(f"Self CUDA time total: {format_time(device)}")
    return "\n".join([*text, *notes, ""])


def _on_device(row: Any) -> bool:
    return row.device_type.name == "CUDA" and not row.is_user_annotation


def _sorted(events: Sequence[Any], key: Any) -> list[Any]:
    if key is None:
        return list(events)
    plain = key.replace("device", "cuda") if isinstance(key, str) else key
    if plain not in _SORTED_BY:
        raise ValueError(
            f"[table] got sort_by {key!r}; need one of: {', '.join(_SORTED_BY)} (or "
            "'device' for 'cuda')."
        )
    name = plain.replace("cuda", "device")
    return sorted(events, key=lambda row: getattr(row, name), reverse=True)


def _joined(columns: Sequence[_Column], texts: Sequence[str]) -> str:
    cells = zip(columns, texts, strict=True)
    return "".join(column.cell(text) + _GAP for column, text in cells)


def _row(columns: Sequence[_Column], row: Any) -> list[str]:
    """Return a row; below it the further lines of its stack, and an empty one."""
    lines = [_joined(columns, [column.text(row) for column in columns])]
    places = [n for n, column in enumerate(columns) if column.title == _SOURCE]
    for index in places:
        for below in (*row.stack[1:], ""):
            texts = [""] * len(columns)
            texts[index] = _end_of(below, columns[index].width)
            lines.append(_joined(columns, texts))
    return lines


def _cut(text: str) -> str:
    """Truncate a name as PyTorch does."""
    if len(text) < _NAME_WIDTH - 3:
        return text
    return text[: _NAME_WIDTH - 3] + "..."


def _end_of(text: str, width: int) -> str:
    """Truncate a path at its beginning."""
    return text if len(text) <= width else "..." + text[len(text) - width + 3 :]


def _width_of(texts: Iterable[str], least: int, most: int) -> int:
    return max(min(max(map(len, texts), default=0) + 4, most), least)


def _name_column(rows: Sequence[Any]) -> _Column:
    width = _width_of((row.key for row in rows), 4, _NAME_WIDTH)
    return _Column("Name", lambda row: _cut(row.key), width)


def _time(title: str, name: str) -> _Column:
    return _Column(title, lambda row: format_time(getattr(row, name)))


def _share(title: str, name: str, total: float) -> _Column:
    return _Column(title, lambda row: format_share(getattr(row, name), total))


def _size(title: str, name: str) -> _Column:
    return _Column(title, lambda row: format_memory(getattr(row, name)))


def _host_columns(total: float) -> list[_Column]:
    return [
        _share("Self CPU %", "self_cpu_time_total", total),
        _time("Self CPU", "self_cpu_time_total"),
        _share("CPU total %", "cpu_time_total", total),
        _time("CPU total", "cpu_time_total"),
        _time("CPU time avg", "cpu_time"),
    ]


def _device_columns(total: float) -> list[_Column]:
    return [
        _time("Self CUDA", "self_device_time_total"),
        _share("Self CUDA %", "self_device_time_total", total),
        _time("CUDA total", "device_time_total"),
        _time("CUDA time avg", "device_time"),
    ]


def _memory_columns(rows: Sequence[Any]) -> list[_Column]:
    if not any(row.cpu_memory_usage or row.device_memory_usage for row in rows):
        return []
    columns = [
        _size("CPU Mem", "cpu_memory_usage"),
        _size("Self CPU Mem", "self_cpu_memory_usage"),
    ]
    if any(row.self_device_memory_usage for row in rows):
        columns += [
            _size("CUDA Mem", "device_memory_usage"),
            _size("Self CUDA Mem", "self_device_memory_usage"),
        ]
    return columns


def _counter_columns(rows: Sequence[Any]) -> list[_Column]:
    if not any(row.counters for row in rows):
        return []

    def column(name: str, title: str) -> _Column:
        return _Column(title, lambda row: f"{row.counters.get(name, 0):,}")

    return [column(name, title) for name, title in COUNTERS.items()]


def _shape_columns(rows: Sequence[Any]) -> list[_Column]:
    if not any(row.input_shapes for row in rows):
        return []
    title = "Input Shapes"
    texts = (str(row.input_shapes) for row in rows)
    width = _width_of(texts, len(title), _SHAPES_WIDTH)
    return [_Column(title, lambda row: str(row.input_shapes)[:width], width)]


_SOURCE = "Source Location"


def _source_columns(rows: Sequence[Any]) -> list[_Column]:
    lines = [line for row in rows for line in row.stack]
    if not lines:
        return []
    width = _width_of(lines, len(_SOURCE), _SOURCE_WIDTH)

    def first(row: Any) -> str:
        return _end_of(row.stack[0], width) if row.stack else ""

    return [_Column(_SOURCE, first, width, left=True)]


def _flop_columns(rows: Sequence[Any]) -> list[_Column]:
    """Return the column of FLOPs, in the unit of the smallest number, as in PyTorch."""
    known = [row.flops for row in rows if row.flops > 0]
    if not known:
        return []
    power = min(int(math.log10(min(known)) / 3 + 1e-12), len(_FLOPS) - 1)

    def text(row: Any) -> str:
        return f"{row.flops / 1000**power:8.3f}" if row.flops > 0 else "--"

    return [_Column(f"Total {_FLOPS[power]}", text)]
