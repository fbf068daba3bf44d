"""Names of `minitorch.cuda` that are loaded on first use.

All that writing kernels in Python takes, `jit`, the types, `threadIdx` and the rest,
and what few programs use of the host side. Others need not wait for it.
"""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import Any

from .language.names import DEVICE_NAMES
from .language.types import SCALARS, Type

# Name -> the module below `minitorch.cuda` that has it.
_MODULES = {
    "compile": "python_kernels.ptx_text",
    "compile_ptx": "python_kernels.ptx_text",
    "Context": "device.devices",
    "current_context": "device.devices",
    "CUSource": "python_kernels.linking",
    "declare_device": "python_kernels.linking",
    "Device": "device.devices",
    "DeviceFunction": "python_kernels.device_function",
    "Dispatcher": "python_kernels.dispatcher",
    "ElementwiseKernel": "raw.elementwise_kernel",
    "get_current_device": "device.devices",
    "gpus": "device.devices",
    "jit": "python_kernels.jit_decorator",
    "list_devices": "device.devices",
    "mapped_array": "arrays.host_memory",
    "MappedArray": "arrays.host_memory",
    "NumbaPerformanceWarning": "launching.arguments",
    "PerformanceWarning": "launching.arguments",
    "pinned_array": "arrays.host_memory",
    "Reduce": "python_kernels.reduce_kernel",
    "reduce": "python_kernels.reduce_kernel",
    "select_device": "device.devices",
    "TranslationError": "language.errors",
    "void": "language.types",
}
# Modules below `minitorch.cuda` that programs name.
_SUBMODULES = ("random",)

_TYPES = {type_.value: type_ for type_ in Type}
_TYPES |= {name: SCALARS[name] for name in ("boolean", "bool_", "intp", "uintp")}
# What kernels alone can use.
_DEVICE = {
    path: name
    for path, name in DEVICE_NAMES.items()
    if "." not in path and path not in _SUBMODULES
}

# What has another name, or place, in `torch.cuda`, Numba or CuPy.
_INSTEAD = {
    "close": "minitorch.cuda.reset()",
    "In": "minitorch.cuda.to_device(array)",
    "InOut": "no need: NumPy arrays are copied to the device and back",
    "Out": "minitorch.cuda.device_array_like(array)",
    "detect": "the command minitorch doctor",
    "event_elapsed_time": "minitorch.cuda.Event.elapsed_time(end)",
    "external_stream": "minitorch.cuda.as_cuda_array(array), which waits for a stream",
    "from_cuda_array_interface": "minitorch.cuda.as_cuda_array(array)",
    "managed_array": "minitorch.cuda.mapped_array(shape)",
    "mapped": "minitorch.cuda.mapped_array(shape)",
    "mapped_array_like": "minitorch.cuda.mapped_array(array.shape, array.dtype)",
    "pinned": "minitorch.cuda.pinned_array(shape)",
    "pinned_array_like": "minitorch.cuda.pinned_array(array.shape, array.dtype)",
    "profiling": "minitorch.profiler",
    "ReductionKernel": "minitorch.cuda.reduce(), and RawKernel for CUDA C++",
    "current_device": "minitorch.cuda.get_current_device()",
    "device_count": "len(minitorch.cuda.list_devices())",
    "get_device_name": "minitorch.cuda.device_name()",
    "manual_seed": "minitorch.manual_seed(), for every device",
    "mem_get_info": "minitorch.cuda.current_context().get_memory_info()",
    "memory_allocated": "minitorch.cuda.current_context().get_memory_info()",
    "set_device": "minitorch.cuda.select_device()",
}

#: Not brought by `import *`, where they would hide Python's own.
HIDING_NAMES = ("bool", "compile")
#: Every other name that `find` knows.
LAZY_NAMES = sorted({*_MODULES, *_SUBMODULES, *_TYPES, *_DEVICE} - {*HIDING_NAMES})


def find(name: str) -> Any:
    """Return the attribute of `minitorch.cuda` with this name.

    Raises:
        AttributeError: There is no such name; the nearest one is in the message.

    Example:
        >>> find("threadIdx"), find("float32")
        (<minitorch.cuda.threadIdx, for kernels only>, <Type.FLOAT32: 'float32'>)
    """
    if name in _DEVICE:
        return _DEVICE[name]
    if name in _TYPES:
        return _TYPES[name]
    if name in _MODULES:
        module = import_module(f".{_MODULES[name]}", __package__)
        return getattr(module, name)
    if name in _SUBMODULES:
        return import_module(f".{name}", __package__)
    near = difflib.get_close_matches(name, LAZY_NAMES, 1)
    hint = f" Did you mean {near[0]}?" if near else ""
    if name in _INSTEAD:
        hint = f" There is {_INSTEAD[name]}."
    raise AttributeError(f"module 'minitorch.cuda' has no attribute {name!r}.{hint}")
