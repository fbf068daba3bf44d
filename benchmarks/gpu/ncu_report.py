"""Owns reading what `ncu --csv` prints. Must not know how it was started."""

from __future__ import annotations

import csv
import re

_NUMBER = re.compile(r"-?[\d,]+(\.\d+)?")


class NcuError(Exception):
    """There is no table; the message is ncu's own."""


def _value(text: str) -> float | None:
    """A number with thousands separators; None for `n/a` and the like."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    return float(text.replace(",", ""))


def _complaint(text: str) -> str:
    lines = [line for line in text.splitlines() if line.startswith("==ERROR==")]
    return lines[0].removeprefix("==ERROR==").strip() if lines else "no table"


def read_metrics(text: str, kernel: str) -> dict[str, float | None]:
    """The metrics of one kernel from the output of `ncu --csv`.

    Args:
        text: all that ncu and the program wrote, the table among it. Both forms are
            read: a line for each metric, and (`--page raw`) a column for each.
        kernel: its name, without parameters.

    Raises:
        NcuError: there is no table, or the kernel is not in it.
    """
    lines = [line for line in text.splitlines() if line.startswith('"')]
    start = next((n for n, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise NcuError(_complaint(text))
    metrics: dict[str, float | None] = {}
    for line in csv.DictReader(lines[start:]):
        if (line.get("Kernel Name") or "").split("(")[0] != kernel:
            continue
        if "Metric Name" in line:
            metrics[line["Metric Name"]] = _value(line["Metric Value"])
        else:
            metrics |= {
                name: _value(value) for name, value in line.items() if "__" in name
            }
    if not metrics:
        raise NcuError(f"the table has no kernel {kernel!r}")
    return metrics
