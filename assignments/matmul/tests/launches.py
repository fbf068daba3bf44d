"""Launches on the emulator, with every check and all counters."""

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
    __tracebackhide__ = True
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
    """Compare counters with what is enough; `pytest -s` shows both in any case.

    `global_sectors` and `shared_passes` are loads, stores and atomics together.
    """
    __tracebackhide__ = True
    taken = {name: int(launch.counters[name]) for name in most}
    lines = [f"{name}: {taken[name]:,}; {most[name]:,} are enough" for name in most]
    print("\n" + "\n".join(lines))
    too_much = [name for name in most if taken[name] > most[name]]
    assert not too_much, "; ".join(x for x in lines if x.split(":")[0] in too_much)
