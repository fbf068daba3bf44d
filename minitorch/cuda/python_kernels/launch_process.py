"""Run a launch in a process of its own: recorded on the emulator, or timed on a GPU.

Which device is in use here does not matter.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ... import _core
from ..arrays.array_creation import to_device
from ..arrays.device_array import DeviceArray
from ..device.device import clear_launch_table, launch_table, synchronize, time_launches
from ..errors import CudaError
from ..launching.launch_data import CudaText, Job, PythonText, RecordedLaunch
from ..launching.launch_shape import configuration

_PACKAGE = Path(__file__).parents[3]  # the folder that holds the package
TABLES = (
    "facts", "findings", "counters", "line_counters", "footprint", "trace_columns",
    "trace_instructions", "trace_registers",
)  # fmt: skip
_LAUNCHES = 20  # that are timed


@dataclass(frozen=True)
class GpuTime:
    """Duration of a launch.

    Attributes:
        gpu: the card's name.
        seconds: of the fastest launch, between two events around it.
        launches: how many were timed.
    """

    gpu: str
    seconds: float
    launches: int


def run_in_process(job: Job) -> RecordedLaunch:
    """Run a launch in a fresh process on the emulator.

    What the kernel prints is printed here.

    Raises:
        CudaError: What the launch raised there, such as LaunchError.
        RuntimeError: The process ended without a result.
    """
    answered = _in_process(job, "emulator")
    assert isinstance(answered, RecordedLaunch)
    return answered


def time_in_process(job: Job) -> GpuTime | None:
    """Time a kernel on this machine's GPU, in a fresh process.

    What its launches write stays there; each begins with what the last one left.

    Returns:
        None on a machine without a usable GPU.

    Raises:
        CudaError: What the launch raised there, such as LaunchError.
        RuntimeError: The process ended without a result.
    """
    answered = _in_process(job, "gpu")
    assert answered is None or isinstance(answered, GpuTime)
    return answered


def _in_process(job: Job, backend: str) -> Any:
    """Run `answer` in a fresh process, whose MINITORCH_CUDA is `backend`."""
    paths = [str(_PACKAGE), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "MINITORCH_CUDA": backend,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    if __name__.startswith("minitorch_cuda."):
        # Pickles hold the names of modules: the other process must use this one, too.
        environment["MINITORCH_SECOND_NAME"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        given, result = Path(folder, "job"), Path(folder, "result")
        given.write_bytes(pickle.dumps(job))
        done = subprocess.run(
            [sys.executable, "-m", __name__, backend, str(given), str(result)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        print(done.stdout, end="")
        if not result.exists():
            raise RuntimeError(
                "[launch] the process of the launch ended with exit status "
                f"{done.returncode} and no result: {done.stderr.strip()[-500:]}"
            )
        answered = pickle.loads(result.read_bytes())
    if isinstance(answered, Exception):
        raise answered
    return answered


def answer(backend: str, given: str, result: str) -> None:
    """Run a job for another process; an exception is raised there.

    Args:
        backend: what it is that does it: "emulator" or "gpu".
        given: path of the job.
        result: path of the answer, which can be pickled.
    """
    work = _recorded if backend == "emulator" else _timed
    try:
        outcome: Any = work(pickle.loads(Path(given).read_bytes()))
    except Exception as error:
        outcome = error
    Path(result).write_bytes(pickle.dumps(outcome))


def _recorded(job: Job) -> RecordedLaunch:
    from ..inspecting.inspection import inspect

    _core.set_launch_site_provider(lambda: job.launch_site)
    values = on_device(job.values, {})
    # A Python kernel's options say whether it is built for debuggers.
    debug = job.debug and isinstance(job.kernel, CudaText)
    with inspect(trace=True, debug=debug) as run:
        _prepared(job, values)()
    (launch,) = run.launches
    tables = {name: getattr(launch._core, name)() for name in TABLES}
    assert launch._note is not None
    return RecordedLaunch(tables, launch.arguments, launch._note.launched.ptx())


def _timed(job: Job) -> GpuTime | None:
    try:
        name = _core.device_name()
    except CudaError:
        return None
    launch = _prepared(job, on_device(job.values, {}))
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


def on_device(value: Any, known: dict[int, DeviceArray]) -> Any:
    """Copy NumPy arrays, also those in tuples, to the device; leave the rest.

    Args:
        value: An argument.
        known: The copies so far by the arrays' ids: one that comes twice stays one.
    """
    if isinstance(value, tuple):
        items = [on_device(element, known) for element in value]
        return getattr(type(value), "_make", tuple)(items)
    if not isinstance(value, np.ndarray):
        return value
    if id(value) not in known:
        known[id(value)] = to_device(value)
    return known[id(value)]


def _prepared(job: Job, values: tuple[Any, ...]) -> Callable[[], object]:
    """Compile the kernel of a job; return the function that launches it.

    Args:
        job: the launch.
        values: its arguments, with arrays of this process's device.
    """
    from ..compiling.compiled_code import CompiledCode
    from ..raw.raw_kernel import Kernel
    from ..raw.raw_module import RawModule
    from .kernel_launch import launch
    from .specialization import Specialization

    kernel = job.kernel
    if isinstance(kernel, PythonText):
        source, types, options = kernel.source, kernel.types, kernel.options
        chosen = Specialization(source, types, options)
        how = configuration(job.grid, job.block, job.shared_mem)
        return lambda: launch(how, chosen, values)
    if kernel.compiled is None:
        core = RawModule(ptx=kernel.ptx).get_function(kernel.name)._core
        launchable = Kernel(core, kernel.cooperative)
    else:
        compiled = CompiledCode(*kernel.compiled)
        core = compiled.module.function(kernel.name)
        launchable = Kernel(core, kernel.cooperative, compiled)
    return lambda: launchable(job.grid, job.block, values, job.shared_mem)


if __name__ == "__main__":
    # Under its own name, by which the other process knows its classes.
    from .launch_process import answer as _answer

    _answer(*sys.argv[1:])
