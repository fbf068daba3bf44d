"""Owns launches on the emulator, with every check and all counters."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitorch_cuda import cuda


def launched(
    kernel: Any, grid: Any, block: Any, *args: Any, trace: bool = False
) -> tuple[list[np.ndarray], Any]:
    """Launch a kernel; a fault raises cuda.KernelError, whose words name the line.

    Returns:
        the arrays as the kernel has left them, and the record of the launch: its
        counters, and its trace if you asked for one.
    """
    given = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in args]
    with cuda.inspect(trace=trace) as run:
        kernel[grid, block](*given)
    run.raise_findings()
    arrays = [a for a in given if not isinstance(a, int | float | np.generic)]
    return [each.copy_to_host() for each in arrays], run.launches[0]


def poisoned(*shape: int) -> np.ndarray:
    """An output before the launch: numbers that no kernel should leave there."""
    return np.full(shape, -12345, np.float32)


def compare(launch: Any, **most: int) -> None:
    """Compare counters with what is enough; prints both (pytest -s shows it always)."""
    taken = {name: int(sum_of(launch.counters, name)) for name in most}
    lines = [f"{name}: {taken[name]:,}; {most[name]:,} are enough" for name in most]
    print("\n" + "\n".join(lines))
    too_much = [name for name in most if taken[name] > most[name]]
    assert not too_much, "; ".join(x for x in lines if x.split(":")[0] in too_much)


def sum_of(counters: Any, name: str) -> int:
    """A counter; loads, stores and atomics together for `global_sectors` and
    `shared_passes`."""
    if name == "global_sectors":
        kinds = "global_load", "global_store", "atomic_global"
        return sum(counters[f"{kind}_sectors"] for kind in kinds)
    if name == "shared_passes":
        kinds = "shared_load", "shared_store", "atomic_shared"
        return sum(counters[f"{kind}_wavefronts"] for kind in kinds)
    return int(counters[name])
