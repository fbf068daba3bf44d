"""An explanation as a table for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .records import Kernel, place_of

if TYPE_CHECKING:
    from .explanation import Explanation

_BY = ("kernel", "layer")
_HEADS = (
    "layer",
    "kernel",
    "grid",
    "block",
    "SMs",
    "MACs useful / executed",
    "bytes touched .. asked",
    "at least",
)
_BELOW = """\
MACs: multiply-adds; useful ones are in the formula of a product or convolution. Other
kernels have none (-), and are not in the sum. Touched: 32 B for each different sector;
asked: for each request. At least: with cold caches, the longest of moving bytes,
arithmetic, and issuing the PTX's instructions; it says nothing of the time beyond."""


@dataclass
class TableRow:
    """Equal launches, or the launches of one layer; the numbers are sums."""

    names: tuple[str, ...]
    kernels: list[Kernel]

    def sum(self, number: Callable[[Kernel], Any]) -> Any:
        return sum(map(number, self.kernels))

    @property
    def launches(self) -> int:
        return len(self.kernels)

    @property
    def at_least(self) -> float:
        return float(self.sum(lambda kernel: kernel.at_least.seconds))

    @property
    def macs_useful(self) -> int:
        return int(self.sum(lambda kernel: kernel.macs_useful))

    @property
    def macs_executed(self) -> int:
        """Executed multiply-adds; if some kernels have useful ones, only of those."""
        only = self.macs_useful > 0
        return int(
            self.sum(
                lambda kernel: (
                    kernel.macs_executed if kernel.macs_useful or not only else 0
                )
            )
        )

    @property
    def touched(self) -> int:
        parts = (part.moved.touched for part in self.kernels)
        return sum(part.either for part in parts if part)

    @property
    def asked(self) -> int:
        return int(
            self.sum(
                lambda kernel: kernel.moved.asked.read + kernel.moved.asked.written
            )
        )

    @property
    def sms_used(self) -> int:
        return max(kernel.sms_used for kernel in self.kernels)


def table_of(explained: Explanation, by: str) -> str:
    """Return a line for each row, their sum, and a legend of the columns."""
    if by not in _BY:
        raise ValueError(f"[table] got by={by!r}; need 'kernel' or 'layer'.")
    rows = _rows_by_layer(explained) if by == "layer" else rows_by_kernel(explained)
    heads = _HEADS[:4] if by == "kernel" else ("layer", "type")
    counted = by == "layer" or any(row.launches > 1 for row in rows)
    if counted:
        heads = (*heads, "launches")
    cells = [(*heads, *_HEADS[4:])]
    cells += [_cells(explained, row, counted) for row in rows]
    total = explained.totals
    count = f"{total.kernels} kernel" + "s" * (total.kernels != 1)
    names = ("all", "" if counted else count, *("" for _ in _HEADS[2:4]))
    sums = TableRow(names[: 4 if by == "kernel" else 2], list(explained.kernels))
    cells.append(_cells(explained, sums, counted, total=True))
    lines = _aligned(cells)
    return "\n".join(
        [
            f"{explained.call} on {explained.gpu.title}: {total.parameters:,} "
            f"parameters, {total.parameter_bytes:,} B",
            lines[0],
            "-" * max(map(len, lines)),
            *lines[1:],
            _BELOW,
        ]
    )


def _rows_by_layer(explained: Explanation) -> list[TableRow]:
    """Return a row for each layer that launches kernels itself."""
    rows: dict[int, TableRow] = {}
    for kernel in explained.kernels:
        layer = explained.layers[kernel.layer]
        names = (layer.name or "(outermost)", layer.type)
        rows.setdefault(kernel.layer, TableRow(names, [])).kernels.append(kernel)
    return list(rows.values())


def rows_by_kernel(explained: Explanation) -> list[TableRow]:
    """Return a row for each distinct launch; repeated ones share a row."""
    rows: dict[tuple[Any, ...], TableRow] = {}
    for kernel in explained.kernels:
        caller = place_of(kernel, explained.layers, explained.ops)
        names = (caller, kernel.name, _extent(kernel.grid), _extent(kernel.block))
        rows.setdefault(names, TableRow(names, [])).kernels.append(kernel)
    return list(rows.values())


def _cells(
    explained: Explanation, row: TableRow, counted: bool, total: bool = False
) -> tuple[str, ...]:
    useful = f"{row.macs_useful:,}" if row.macs_useful else "-"
    return (
        *row.names,
        *([f"{row.launches:,}"] if counted else []),
        "" if total else f"{row.sms_used} of {explained.gpu.sms}",
        f"{useful} / {row.macs_executed:,}",
        f"{row.touched:,} .. {row.asked:,}",
        time_text(row.at_least),
    )


def _extent(extent: Sequence[int]) -> str:
    kept = list(extent)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return " x ".join(map(str, kept))


def time_text(seconds: float) -> str:
    """Return a time with three digits and a unit: "37.8 ns"."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
