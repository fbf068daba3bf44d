"""The tables of kernels that ran: by kernel, and by kernel and shape of launch."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from minitorch import cuda

SHOWN = 5


@dataclass(frozen=True)
class KernelTotal:
    """All launches of one kernel; `threads` and `seconds` of them together."""

    kernel: str
    launches: int
    threads: int
    seconds: float


def threads_of(row: cuda.LaunchRow) -> int:
    """Threads of all launches of a row."""
    return math.prod(row.grid) * math.prod(row.block) * row.launches


def totals(rows: Iterable[cuda.LaunchRow]) -> list[KernelTotal]:
    """One total a kernel, the one that took longest first."""
    by_name: dict[str, list[cuda.LaunchRow]] = {}
    for row in rows:
        by_name.setdefault(row.kernel, []).append(row)
    found = [
        KernelTotal(
            name,
            sum(each.launches for each in of_one),
            sum(threads_of(each) for each in of_one),
            sum(each.seconds for each in of_one),
        )
        for name, of_one in by_name.items()
    ]
    return sorted(found, key=lambda each: -each.seconds)


def _name(kernel: str) -> str:
    """A name that may be broken after each underscore."""
    return f"<code>{escape(kernel).replace('_', '_<wbr>')}</code>"


def _shape(sizes: tuple[int, ...]) -> str:
    """Sizes without the ones at the end: 4 × 2."""
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return " × ".join(map(str, sizes))


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    head = "".join(f'<th scope="col">{words}</th>' for words in heads)
    body = "".join(
        f'<tr><th scope="row">{cells[0]}</th>'
        + "".join(f"<td>{cell}</td>" for cell in cells[1:])
        + "</tr>"
        for cells in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _by_kernel(found: list[KernelTotal]) -> str:
    whole = sum(each.seconds for each in found) or 1.0
    rows = (
        (
            _name(each.kernel),
            f"{each.launches:,}",
            f"{each.threads:,}",
            f'<i style="width:{60 * each.seconds / whole:.0f}px"></i>'
            f"{100 * each.seconds / whole:.0f} %",
        )
        for each in found[:SHOWN]
    )
    return _table(("kernel", "launches", "threads", "time"), rows)


def _by_shape(rows: list[cuda.LaunchRow]) -> str:
    cells = (
        (
            _name(row.kernel),
            _shape(row.grid),
            _shape(row.block),
            f"{row.launches:,}",
            f"{row.seconds * 1e3:.1f}",
        )
        for row in sorted(rows, key=lambda row: -row.seconds)
    )
    return _table(("kernel", "blocks", "threads per block", "launches", "ms"), cells)


def draw_kernels(rows: list[cuda.LaunchRow], time: str = "") -> str:
    """The kernels that took longest, and below them, folded, every shape of launch.

    Args:
        rows: Of `cuda.launch_table`, timed.
        time: A sentence on what the times are.
    """
    found = totals(rows)
    fold = (
        f"<details><summary>All {len(found)} kernels, with the shapes of their "
        f"launches ({len(rows)} rows)</summary>{_by_shape(rows)}</details>"
    )
    title = f"The kernels that took longest. {time}".strip()
    return f"<h3>{escape(title)}</h3>{_by_kernel(found)}{fold}"
