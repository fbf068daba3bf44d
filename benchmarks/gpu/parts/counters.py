"""Owns our counters against Nsight Compute's, by its metrics' names."""

from __future__ import annotations

import json
from pathlib import Path

from ..counted import METRICS, SHAPES, our_counters
from ..ncu_report import NcuError, read_metrics
from ..place import is_hardware
from ..rows import Row, row
from ..tools import find_tool, under

_SECONDS = 80.0


def items(quick: bool) -> list[str]:
    """The twelve kernels."""
    return list(SHAPES)[:2] if quick else list(SHAPES)


def _kept(name: str, folder: Path) -> Path:
    return folder / "emulator" / f"{name}.json"


def reference(name: str, folder: Path) -> Row:
    """Keep what the emulator counts."""
    counted = our_counters(name)
    _kept(name, folder).parent.mkdir(parents=True, exist_ok=True)
    _kept(name, folder).write_text(json.dumps(counted))
    return row(name, "ok", **counted)


def compare(name: str, ours: dict[str, int], text: str) -> Row:
    """The row of a kernel, from our counters and ncu's output."""
    try:
        theirs = read_metrics(text, name)
    except NcuError as error:
        outcome = "skipped" if "PERM" in str(error) else "failed"
        return row(name, outcome, f"ncu: {error}", ours=ours)
    pairs = {
        each: (ours[each], theirs[metric])
        for each, metric in METRICS.items()
        if theirs.get(metric) is not None
    }
    if not pairs:
        return row(name, "failed", "ncu gave none of the metrics", ours=ours)
    apart = {each: pair for each, pair in pairs.items() if pair[0] != pair[1]}
    made = row(
        name,
        "differs" if apart else "ok",
        "; ".join(
            f"{k}: {ours} here, {ncu:g} there" for k, (ours, ncu) in apart.items()
        ),
        agree=len(pairs) - len(apart),
        compared=len(pairs),
    )
    made["pairs"] = pairs
    return made


def measure(name: str, folder: Path) -> Row:
    """Run a kernel under ncu and compare."""
    kept = _kept(name, folder)
    ours = json.loads(kept.read_text()) if kept.exists() else {}
    if not is_hardware():
        return row(name, "skipped", "ncu measures cards", ours=ours)
    program = find_tool("ncu")
    if program is None:
        return row(name, "skipped", "ncu is not installed", ours=ours)
    if not ours:
        return row(name, "failed", "the emulator counted nothing to compare with")
    command = [program, "--csv", "--print-units", "base", "--metrics"]
    command += [",".join(METRICS.values()), "--kernel-name", name]
    text = under(command, "benchmarks.gpu.counted", name, seconds=_SECONDS)
    if text is None:
        return row(name, "timed out", f"ncu did not end after {_SECONDS:.0f} s")
    return compare(name, ours, text)
