"""Format a profile as a table, as PyTorch does."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import zip_longest
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
_SOURCE = "Source Location"
_MOST_WIDE = {"Name": 55, "Input Shapes": 80, _SOURCE: 75}


Column = tuple[str, list[str]]  # its title, and the text of each row


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
    columns = _columns(rows, host, device if timed else None)
    widths = [_width(*column) for column in columns]
    form = "".join(
        f"{{:{'<' if title == _SOURCE else '>'}{width}}}{_GAP}"
        for (title, _), width in zip(columns, widths, strict=True)
    )
    titles, *cells = zip(*([title, *texts] for title, texts in columns), strict=True)
    line = form.format(*("-" * width for width in widths))
    text = [line, form.format(*titles), line]
    for row in cells if row_limit == -1 else cells[:row_limit]:
        parts = zip_longest(*(cell.split("\n") for cell in row), fillvalue="")
        text += [form.format(*part) for part in parts]
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


def _width(title: str, texts: Sequence[str]) -> int:
    if title not in _MOST_WIDE:
        return _WIDTH
    longest = max((len(line) for text in texts for line in text.split("\n")), default=0)
    return max(min(longest + 4, _MOST_WIDE[title]), len(title))


def _cut(text: str) -> str:
    """Truncate a name as PyTorch does."""
    most = _MOST_WIDE["Name"] - 3
    return text if len(text) < most else text[:most] + "..."


def _end_of(text: str) -> str:
    """Truncate a path at its beginning."""
    most = _MOST_WIDE[_SOURCE]
    return text if len(text) <= most else "..." + text[len(text) - most + 3 :]


def _columns(rows: Sequence[Any], host: float, device: float | None) -> list[Column]:
    """Return the columns that some row has something for.

    Args:
        host, device: sums of the times; None: there are none of the device.
    """

    def texts(text: Callable[[Any], str], name: str) -> list[str]:
        return [text(getattr(row, name)) for row in rows]

    def shares(total: float, name: str) -> list[str]:
        return texts(lambda part: format_share(part, total), name)

    columns = [
        ("Name", texts(_cut, "key")),
        ("Self CPU %", shares(host, "self_cpu_time_total")),
        ("Self CPU", texts(format_time, "self_cpu_time_total")),
        ("CPU total %", shares(host, "cpu_time_total")),
        ("CPU total", texts(format_time, "cpu_time_total")),
        ("CPU time avg", texts(format_time, "cpu_time")),
    ]
    if device is not None:
        columns += [
            ("Self CUDA", texts(format_time, "self_device_time_total")),
            ("Self CUDA %", shares(device, "self_device_time_total")),
            ("CUDA total", texts(format_time, "device_time_total")),
            ("CUDA time avg", texts(format_time, "device_time")),
        ]
    if any(row.cpu_memory_usage or row.device_memory_usage for row in rows):
        columns += [
            ("CPU Mem", texts(format_memory, "cpu_memory_usage")),
            ("Self CPU Mem", texts(format_memory, "self_cpu_memory_usage")),
        ]
    if any(row.self_device_memory_usage for row in rows):
        columns += [
            ("CUDA Mem", texts(format_memory, "device_memory_usage")),
            ("Self CUDA Mem", texts(format_memory, "self_device_memory_usage")),
        ]
    columns.append(("# of Calls", texts(str, "count")))
    if any(row.counters for row in rows):
        columns += [
            (title, [f"{row.counters.get(name, 0):,}" for row in rows])
            for name, title in COUNTERS.items()
        ]
    if any(row.input_shapes for row in rows):
        most = _MOST_WIDE["Input Shapes"]
        shapes = [str(row.input_shapes)[:most] for row in rows]
        columns.append(("Input Shapes", shapes))
    if any(row.stack for row in rows):  # a line each, and an empty one
        stacks = [[*map(_end_of, row.stack or [""]), ""] for row in rows]
        columns.append((_SOURCE, ["\n".join(lines) for lines in stacks]))
    known = [row.flops for row in rows if row.flops > 0]
    if known:  # in the unit of the smallest number, as in PyTorch
        power = min(int(math.log10(min(known)) / 3 + 1e-12), len(_FLOPS) - 1)
        numbers = [row.flops / 1000**power for row in rows]
        cells = [f"{number:8.3f}" if number else "--" for number in numbers]
        columns.append((f"Total {_FLOPS[power]}", cells))
    return columns
