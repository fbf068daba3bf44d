"""Names of `minitorch.cuda` that are loaded on first use.

All that writing kernels in Python takes, `jit`, the types, `threadIdx` and the rest,
and what few programs use of the host side. Others need not wait for it.
"""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import Any

from .language.names import DEVICE_NAMES
from .language.types import Type

# Name -> the module below `minitorch.cuda` that has it.
_MODULES = {
    "close": "device.devices",
    "compile": "python_kernels.ptx_text",
    "compile_ptx": "python_kernels.ptx_text",
    "Context": "device.devices",
    "cuda_error": "device.versions",
    "current_context": "device.devices",
    "CUSource": "python_kernels.linking",
    "declare_device": "python_kernels.linking",
    "defer_cleanup": "device.devices",
    "detect": "device.devices",
    "Device": "device.devices",
    "DeviceFunction": "python_kernels.device_function",
    "Dispatcher": "python_kernels.dispatcher",
    "ElementwiseKernel": "raw.elementwise_kernel",
    "get_current_device": "device.devices",
    "gpus": "device.devices",
    "In": "launching.arguments",
    "InOut": "launching.arguments",
    "is_supported_version": "device.versions",
    "jit": "python_kernels.jit_decorator",
    "list_devices": "device.devices",
    "managed_array": "arrays.host_memory",
    "mapped": "arrays.host_memory",
    "mapped_array": "arrays.host_memory",
    "mapped_array_like": "arrays.host_memory",
    "MappedArray": "arrays.host_memory",
    "NumbaPerformanceWarning": "launching.arguments",
    "PerformanceWarning": "launching.arguments",
    "Out": "launching.arguments",
    "pinned": "arrays.host_memory",
    "pinned_array": "arrays.host_memory",
    "pinned_array_like": "arrays.host_memory",
    "profile_start": "device.devices",
    "profile_stop": "device.devices",
    "profiling": "device.devices",
    "Reduce": "python_kernels.reduce_kernel",
    "reduce": "python_kernels.reduce_kernel",
    "require_context": "device.devices",
    "runtime": "device.versions",
    "select_device": "device.devices",
    "TranslationError": "language.errors",
    "void": "language.types",
}
# Modules below `minitorch.cuda` that programs name.
_SUBMODULES = ("random",)

_TYPES = {type_.value: type_ for type_ in Type}
_TYPES |= {"boolean": Type.BOOL, "bool_": Type.BOOL}
_TYPES |= {"intp": Type.INT64, "uintp": Type.UINT64}
# What kernels alone can use.
_DEVICE = {
    path: name
    for path, name in DEVICE_NAMES.items()
    if "." not in path and path not in _SUBMODULES
}

# What has another name, or place, in `torch.cuda` or CuPy.
_INSTEAD = {
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
