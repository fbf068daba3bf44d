"""Counters of a launch, by name and by source line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ... import _core
from ..errors import SourceLine, original_lines
from ..tracebacks import display_name, learner_methods

_NAMES: list[tuple[str, str, str]] = _core.counter_names()
_INDEX = {name: index for index, (name, _, _) in enumerate(_NAMES)}
# Nsight Compute's names, also with the sub-metric of a plain sum left out.
_METRICS = {metric: name for name, metric, _ in _NAMES if metric}

# What the L1 caches are asked for, at 32 bytes a sector.
_SECTORS = (
    "global_load_sectors",
    "global_store_sectors",
    "local_load_sectors",
    "local_store_sectors",
    "atomic_global_sectors",
)
_FLOPS = {
    "f16": "flops_f16",
    "f32": "flops_f32",
    "f64": "flops_f64",
    "tensor": "tensor_flops",
}


def counter_name(name: str) -> str:
    """Return the plain name of a counter, given that or Nsight Compute's.

    Raises:
        KeyError: no such counter.
    """
    if name in _INDEX or name in DERIVED or name in SUMS:
        return name
    for spelled in (name, f"{name}.sum"):
        if spelled in _METRICS:
            return _METRICS[spelled]
    raise KeyError(
        f"[counters] got {name!r}; need one of "
        f"{', '.join([*_INDEX, *DERIVED, *SUMS])}, or the name of an Nsight Compute "
        "metric."
    )


def counter_meanings() -> dict[str, tuple[str, str]]:
    """Return each counter's Nsight Compute metric ("" if none) and meaning."""
    return {name: (metric, meaning) for name, metric, meaning in _NAMES}


# Ratios of counters, by name: dividend, divisor.
DERIVED = {
    "global_load_sectors_per_request": ("global_load_sectors", "global_load_requests"),
    "global_store_sectors_per_request": (
        "global_store_sectors",
        "global_store_requests",
    ),
    "lanes_per_instruction": ("active_lanes", "ptx_warp_instructions"),
}


# Sums of counters, by name.
SUMS = {
    "global_lane_bytes": (
        "global_load_bytes",
        "global_store_bytes",
        "atomic_global_bytes",
    ),
    "shared_lane_bytes": (
        "shared_load_bytes",
        "shared_store_bytes",
        "atomic_shared_bytes",
    ),
    "local_lane_bytes": ("local_load_bytes", "local_store_bytes"),
}
# What loads bring into registers, and stores take from them.
SUMS["register_bytes"] = tuple(name for names in SUMS.values() for name in names)
# Traffic with global memory and with the banks, whichever instruction makes it.
SUMS["global_sectors"] = (
    "global_load_sectors",
    "global_store_sectors",
    "atomic_global_sectors",
)
SUMS["shared_passes"] = (
    "shared_load_wavefronts",
    "shared_store_wavefronts",
    "atomic_shared_wavefronts",
)
SUMS["global_bytes"] = SUMS["global_sectors"]
# What each part of a sum counts for, where that is not 1.
WEIGHTS = {"global_bytes": 32}


@learner_methods
class CounterValues(Mapping[str, float]):
    """Mapping of counters by name; also accepts Nsight Compute's metric names."""

    def __init__(self, values: Sequence[int]) -> None:
        self._values = list(values)

    def _count(self, name: str) -> int:
        return self._values[_INDEX[name]]

    def __getitem__(self, name: str) -> float:
        plain = counter_name(name)
        if plain in SUMS:
            return WEIGHTS.get(plain, 1) * sum(map(self._count, SUMS[plain]))
        if plain not in DERIVED:
            return self._count(plain)
        above, below = map(self._count, DERIVED[plain])
        return above / below if below else 0.0

    def __iter__(self) -> Iterator[str]:
        return iter(_INDEX)

    def __len__(self) -> int:
        return len(_INDEX)

    @property
    def bytes(self) -> int:
        """Bytes requested from the L1 caches: 32 per sector of a request.

        Loads, stores and atomics on global and local memory. Caches keep some of it
        from the card's memory; `launch.footprint` has what must at least come from
        there where they are cold.
        """
        return 32 * sum(self._count(name) for name in _SECTORS)

    @property
    def flops(self) -> dict[str, int]:
        """Floating-point operations by type: "f16", "f32", "f64", "tensor"."""
        return {type_: self._count(name) for type_, name in _FLOPS.items()}

    @property
    def arithmetic_intensity(self) -> float:
        """Floating-point operations per byte of `bytes`; inf without bytes."""
        operations = sum(self.flops.values())
        if not self.bytes:
            return float("inf") if operations else 0.0
        return operations / self.bytes

    def __repr__(self) -> str:
        nonzero = {name: value for name, value in self.items() if value}
        return f"{type(self).__name__}({nonzero})"


@learner_methods
@dataclass(frozen=True)
class LineCounters:
    """Counters of one source line.

    Attributes:
        file, line: the line; line 0 where the PTX does not say.
        callers: (file, line) of the calls it was inlined into, innermost first.
        counters: by name.
    """

    file: str
    line: int
    callers: tuple[tuple[str, int], ...]
    counters: CounterValues

    def __getitem__(self, name: str) -> float:
        return self.counters[name]


_COLUMNS = (
    "ptx_warp_instructions",
    "global_load_sectors",
    "global_store_sectors",
    "shared_load_wavefronts",
    "shared_store_wavefronts",
    "shared_bank_conflicts",
    "divergent_branches",
)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Align rows in columns: the first left-justified, the others right-justified."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [first.ljust(widths[0])]
        cells += [
            cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


LineRow = tuple[SourceLine, list[SourceLine], list[int]]


def by_original_line(owner: int, rows: Sequence[LineRow]) -> list[LineRow]:
    """Map rows by device line to rows by the author's lines.

    Rows that become one line with the same callers are added up.

    Args:
        owner: The number of the kernel; 0: the rows stay as they are.
        rows: Place, callers and counts of each.
    """
    if owner == 0:
        return list(rows)
    sums: dict[tuple[SourceLine | None, ...], list[int]] = {}
    for position, callers, counts in rows:
        key = tuple(original_lines(owner, [position, *callers]))
        known = sums.setdefault(key, [0] * len(counts))
        sums[key] = [a + b for a, b in zip(known, counts, strict=True)]
    merged = [
        (key[0] or ("", 0), [caller for caller in key[1:] if caller], counts)
        for key, counts in sums.items()
    ]
    return sorted(merged)


class Counters(CounterValues):
    """Counters of one launch, in total and by source line."""

    def __init__(
        self,
        values: Sequence[int],
        lines: Sequence[LineRow],
    ) -> None:
        super().__init__(values)
        self._lines = [
            LineCounters(file, line, tuple(callers), CounterValues(counts))
            for (file, line), callers, counts in lines
        ]

    def by_line(self) -> list[LineCounters]:
        """Rows in order of file and line; their sums are the launch's counters.

        Code inlined from several places has a row for each.
        """
        return list(self._lines)

    def table(self, by_line: bool = False) -> str:
        """Format the counters as a table.

        Args:
            by_line: a row for each source line, with the counters that most often
                matter; else a row for each counter that is not zero.
        """
        if not by_line:
            rows = [("counter", "value", "Nsight Compute")]
            for name, metric, _ in _NAMES:
                if self[name]:
                    rows.append((name, f"{self[name]:,}", metric or "-"))
            width = max(len(row[0]) for row in rows)
            span = max(len(row[1]) for row in rows)
            return "\n".join(
                f"{name:<{width}}  {value:>{span}}  {metric}"
                for name, value, metric in rows
            )
        columns = [name for name in _COLUMNS if self[name]] or [_COLUMNS[0]]
        lines = [["line", *columns]]
        for row in self._lines:
            label = f"{display_name(row.file)}:{row.line}" if row.line else "(no line)"
            lines.append([label, *(f"{row[name]:,}" for name in columns)])
        lines.append(["total", *(f"{self[name]:,}" for name in columns)])
        return aligned(lines)
