"""Owns one launch on the emulator in a process of its own, whatever device is in use.

Must not know pictures.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from .array_creation import to_device
from .device_array import DeviceArray
from .launch_data import CudaText, Job, PythonText, RecordedLaunch

_PACKAGE = Path(__file__).parents[2]  # the folder that holds the package
_OWNER = 1  # number of a Python kernel in the other process


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
    paths = [str(_PACKAGE), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "MINITORCH_CUDA": "emulator",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    if __name__.startswith("minitorch_cuda."):
        # Pickles hold the names of modules: the other process must use this one, too.
        environment["MINITORCH_SECOND_NAME"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        given, result = Path(folder, "job"), Path(folder, "result")
        given.write_bytes(pickle.dumps(job))
        done = subprocess.run(
            [sys.executable, "-m", __name__, str(given), str(result)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        print(done.stdout, end="")
        if not result.exists():
            raise RuntimeError(
                f"[trace] got no result from the emulator's process, which ended with "
                f"{done.returncode}: {done.stderr.strip()[-500:]}"
            )
        found = pickle.loads(result.read_bytes())
    if isinstance(found, Exception):
        raise found
    assert isinstance(found, RecordedLaunch)
    return found


def on_device(value: Any, known: dict[int, DeviceArray]) -> Any:
    """Copy NumPy's arrays, also those in tuples, to the device; the rest stays.

    Args:
        value: An argument.
        known: The copies so far by the arrays' ids: one that comes twice stays one.
    """
    if isinstance(value, tuple):
        items = [on_device(each, known) for each in value]
        return getattr(type(value), "_make", tuple)(items)
    if not isinstance(value, np.ndarray):
        return value
    if id(value) not in known:
        known[id(value)] = to_device(value)
    return known[id(value)]


def _launch(job: Job, values: tuple[Any, ...]) -> None:
    from .compiled_code import CompiledCode
    from .raw_kernel import Kernel
    from .raw_module import RawModule

    kernel = job.kernel
    if isinstance(kernel, PythonText):
        _launch_python(job, kernel, values)
        return
    if kernel.compiled is None:
        core = RawModule(ptx=kernel.ptx).get_function(kernel.name)._core
        made = Kernel(core, kernel.cooperative)
    else:
        compiled = CompiledCode(*kernel.compiled)
        core = compiled.module.function(kernel.name)
        made = Kernel(core, kernel.cooperative, compiled)
    made(job.grid, job.block, values, job.shared_mem)


def _launch_python(job: Job, kernel: PythonText, values: tuple[Any, ...]) -> None:
    from . import launch_notes
    from .argument_layout import ArgumentLayout
    from .rehearsal import finds_wrong_index
    from .specialization import compiled_source

    source, layout = kernel.source, ArgumentLayout(kernel.types)
    names = [name for name, _ in source.parameters]

    def made(module: _core.RawModule) -> _core.PackedKernel:
        core = module.function(source.entry)
        if source.cooperative:
            core.cooperative = True
        return _core.PackedKernel(core, layout.rows(names), _OWNER)

    def is_wrong(data: bytes) -> bool:
        return checked.finds_wrong_index(
            job.grid, job.block, data, job.shared_mem, None
        )

    module = compiled_source(source, kernel.options)
    packed, data = made(module), layout.pack(values)
    if source.checked and not kernel.options.for_debuggers:
        checked = made(compiled_source(source, kernel.options, checks=True))
        packed = checked if finds_wrong_index(is_wrong, data, layout) else packed
    noted = launch_notes.Launched(
        source.name, _OWNER, job.grid, job.block, names, values, str, lambda: module.ptx
    )
    launch_notes.note(
        noted, lambda: packed.launch(job.grid, job.block, data, job.shared_mem, None)
    )


def _run(job: Job) -> RecordedLaunch:
    from .inspection import inspect

    _core.set_launch_site_provider(lambda: job.launch_site)
    values = on_device(job.values, {})
    # A Python kernel's options say whether it is built for debuggers.
    debug = job.debug and isinstance(job.kernel, CudaText)
    with inspect(trace=True, debug=debug) as run:
        _launch(job, values)
    (launch,) = run.launches
    tables = {name: getattr(launch._core, name)() for name in _TABLES}
    assert launch._note is not None
    return RecordedLaunch(tables, launch.arguments, launch._note.launched.ptx())


def _main(given: str, result: str) -> None:
    found: RecordedLaunch | Exception
    try:
        found = _run(pickle.loads(Path(given).read_bytes()))
    except Exception as error:  # it is raised where the launch was asked for
        found = error
    Path(result).write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    # Under its own name, by which the other process knows its classes.
    from .emulated_launch import _main as main

    main(*sys.argv[1:])
