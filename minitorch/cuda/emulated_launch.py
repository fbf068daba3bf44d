"""Owns one launch on the emulator in a process of its own, whatever device is in use.

Must not know pictures.
"""

from __future__ import annotations

import sys

from .. import _core
from .launch_data import CudaText, Job, RecordedLaunch
from .launch_process import answer, apart, on_device, prepared

_TABLES = (
    "facts", "findings", "counters", "line_counters", "trace_columns",
    "trace_instructions", "trace_registers",
)  # fmt: skip


def run_apart(job: Job) -> RecordedLaunch:
    """Make a launch in a fresh process on the emulator.

    What the kernel prints is printed here.

    Raises:
        CudaError: What the launch raised there, such as LaunchError.
        RuntimeError: The process ended without a result.
    """
    found = apart(__name__, job, "emulator")
    assert isinstance(found, RecordedLaunch)
    return found


def _run(job: Job) -> RecordedLaunch:
    from .inspection import inspect

    _core.set_launch_site_provider(lambda: job.launch_site)
    values = on_device(job.values, {})
    # A Python kernel's options say whether it is built for debuggers.
    debug = job.debug and isinstance(job.kernel, CudaText)
    with inspect(trace=True, debug=debug) as run:
        prepared(job, values)()
    (launch,) = run.launches
    tables = {name: getattr(launch._core, name)() for name in _TABLES}
    assert launch._note is not None
    return RecordedLaunch(tables, launch.arguments, launch._note.launched.ptx())


if __name__ == "__main__":
    # Under its own name, by which the other process knows its classes.
    from .emulated_launch import _run as run

    answer(run, *sys.argv[1:])
