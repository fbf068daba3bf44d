"""Owns an explanation as a table for a terminal. Must not know how it was found."""

from __future__ import annotations

from collections.abc import Sequence

from .records import Kernel, Told, place_of

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


def table_of(explained: Told) -> str:
    """A line for each kernel, and their sum; then what the columns mean."""
    rows = [_row(explained, each) for each in explained.kernels]
    total = explained.totals
    rows.append(
        (
            "all",
            f"{total.kernels} kernel" + "s" * (total.kernels != 1),
            "",
            "",
            "",
            f"{total.macs_useful:,} / {total.macs_executed:,}",
            f"{total.touched:,} .. {total.asked:,}",
            time_text(total.at_least),
        )
    )
    lines = _aligned([_HEADS, *rows])
    gpu = explained.gpu
    return "\n".join(
        [
            f"{explained.call} on {gpu.title}: {total.parameters:,} parameters, "
            f"{total.parameter_bytes:,} B",
            *lines[:1],
            "-" * max(map(len, lines)),
            *lines[1:],
            "MACs: multiply-adds. Touched: 32 B for each different sector; asked: for "
            "each request.",
            "At least: a bound for cold caches, which says nothing of the time beyond.",
        ]
    )


def _row(explained: Told, kernel: Kernel) -> tuple[str, ...]:
    asked = kernel.moved.asked
    touched = kernel.moved.touched
    return (
        place_of(kernel, explained.layers, explained.ops),
        kernel.name,
        _extent(kernel.grid),
        _extent(kernel.block),
        f"{kernel.sms_used} of {explained.gpu.sms}",
        f"{kernel.macs_useful:,} / {kernel.macs_executed:,}",
        f"{touched.either if touched else 0:,} .. {asked.read + asked.written:,}",
        time_text(kernel.at_least.seconds),
    )


def _extent(extent: Sequence[int]) -> str:
    kept = list(extent)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return " x ".join(map(str, kept))


def time_text(seconds: float) -> str:
    """A time with three digits and a unit: "37.8 ns"."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
