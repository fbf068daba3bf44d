"""Owns timing a launch on a GPU in a process of its own, whatever device is in use.

Must not know what a launch should take.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from .. import _core
from .device import clear_launch_table, launch_table, synchronize, time_launches
from .errors import CudaError
from .launch_data import Job
from .launch_process import answer, apart, on_device, prepared

_LAUNCHES = 20


@dataclass(frozen=True)
class GpuTime:
    """How long a launch took.

    Attributes:
        gpu: the card's name.
        seconds: of the fastest launch, between two events around it.
        launches: how many were timed.
    """

    gpu: str
    seconds: float
    launches: int


def timed_apart(job: Job) -> GpuTime | None:
    """Launch a kernel some times on the GPU of this machine, in a fresh process.

    What its launches write stays there; each begins with what the last one left.

    Returns:
        None on a machine without a usable GPU.

    Raises:
        CudaError: What the launch raised there, such as LaunchError.
        RuntimeError: The process ended without a result.
    """
    found = apart(__name__, job, "gpu")
    assert found is None or isinstance(found, GpuTime)
    return found


def _timed(job: Job) -> GpuTime | None:
    try:
        name = _core.device_name()
    except CudaError:
        return None
    launch = prepared(job, on_device(job.values, {}))
    launch()  # the first one loads the code
    synchronize()
    time_launches()
    seconds = []
    for _ in range(_LAUNCHES):
        clear_launch_table()
        launch()
        synchronize()
        seconds.append(sum(row.seconds for row in launch_table()))
    return GpuTime(name, min(seconds), _LAUNCHES)


if __name__ == "__main__":
    # Under its own name, by which the other process knows its classes.
    from .gpu_launch import _timed as timed

    answer(timed, *sys.argv[1:])
