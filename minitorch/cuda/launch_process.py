"""Owns a launch in a process of its own: how it gets there, is made, and is answered.

Must not know which device that process uses.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from .array_creation import to_device
from .device_array import DeviceArray
from .launch_data import Job, PythonText
from .launch_shape import configuration

_PACKAGE = Path(__file__).parents[2]  # the folder that holds the package
_OWNER = 1  # number of a Python kernel in the other process


def apart(module: str, job: Job, backend: str) -> Any:
    """Let a module answer in a fresh process.

    What the kernel prints is printed here.

    Args:
        module: its full name; run as a program, it calls `answer`.
        job: the launch.
        backend: the process's MINITORCH_CUDA.

    Raises:
        CudaError: What the launch raised there, such as LaunchError.
        RuntimeError: The process ended without a result.
    """
    paths = [str(_PACKAGE), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "MINITORCH_CUDA": backend,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    if module.startswith("minitorch_cuda."):
        # Pickles hold the names of modules: the other process must use this one, too.
        environment["MINITORCH_SECOND_NAME"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        given, result = Path(folder, "job"), Path(folder, "result")
        given.write_bytes(pickle.dumps(job))
        done = subprocess.run(
            [sys.executable, "-m", module, str(given), str(result)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        print(done.stdout, end="")
        if not result.exists():
            raise RuntimeError(
                f"[launch] got no result from its process, which ended with "
                f"{done.returncode}: {done.stderr.strip()[-500:]}"
            )
        found = pickle.loads(result.read_bytes())
    if isinstance(found, Exception):
        raise found
    return found


def answer(work: Callable[[Job], Any], given: str, result: str) -> None:
    """Do what another process asked for by `apart`; what is raised, is raised there.

    Args:
        work: makes the answer; it can be pickled.
        given: path of the job.
        result: path of the answer.
    """
    try:
        found = work(pickle.loads(Path(given).read_bytes()))
    except Exception as error:
        found = error
    Path(result).write_bytes(pickle.dumps(found))


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


def prepared(job: Job, values: tuple[Any, ...]) -> Callable[[], object]:
    """Compile the kernel of a job; the call that launches it.

    Args:
        job: the launch.
        values: its arguments, with arrays of this process's device.
    """
    from .compiled_code import CompiledCode
    from .raw_kernel import Kernel
    from .raw_module import RawModule

    kernel = job.kernel
    if isinstance(kernel, PythonText):
        return _prepared_python(job, kernel, values)
    if kernel.compiled is None:
        core = RawModule(ptx=kernel.ptx).get_function(kernel.name)._core
        made = Kernel(core, kernel.cooperative)
    else:
        compiled = CompiledCode(*kernel.compiled)
        core = compiled.module.function(kernel.name)
        made = Kernel(core, kernel.cooperative, compiled)
    return lambda: made(job.grid, job.block, values, job.shared_mem)


def _prepared_python(
    job: Job, kernel: PythonText, values: tuple[Any, ...]
) -> Callable[[], object]:
    from . import launch_notes
    from .argument_layout import ArgumentLayout
    from .kernel_launch import finds_wrong_index
    from .specialization import compiled_source

    source, layout = kernel.source, ArgumentLayout(kernel.types)
    names = [name for name, _ in source.parameters]

    def made(module: _core.RawModule) -> _core.PackedKernel:
        core = module.function(source.entry)
        if source.cooperative:
            core.cooperative = True
        return _core.PackedKernel(core, layout.rows(names), _OWNER)

    how = configuration(job.grid, job.block, job.shared_mem)
    module = compiled_source(source, kernel.options)
    packed, data = made(module), layout.pack(values)
    rehearsed = source.checked and not kernel.options.for_debuggers
    if rehearsed and _core.is_emulated():
        checked = made(compiled_source(source, kernel.options, checks=True))
        if finds_wrong_index(how, checked, layout, data):
            packed = checked
    noted = launch_notes.Launched(
        source.name, _OWNER, job.grid, job.block, names, values, str, lambda: module.ptx
    )
    return lambda: launch_notes.note(noted, lambda: packed.launch(how.core, data))
