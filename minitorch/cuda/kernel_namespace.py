"""Names of `minitorch.cuda` that are loaded on first use.

All that writing kernels in Python takes, `jit`, the types, `threadIdx` and the rest,
and what few programs use of the host side. Others need not wait for it.
"""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import Any

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
    "ElementwiseKernel": "expressions.elementwise_kernel",
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
    "ReductionKernel": "expressions.reduction_kernel",
    "require_context": "device.devices",
    "runtime": "device.versions",
    "select_device": "device.devices",
    "TranslationError": "language.errors",
    "void": "language.types",
}
_TYPES = {
    name: name
    for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
        "uint64", "float16", "bfloat16", "float32", "float64", "complex64",
        "complex128",
    )
}  # fmt: skip
_TYPES |= {"boolean": "bool", "bool_": "bool", "intp": "int64", "uintp": "uint64"}
_DEVICE = (
    "activemask", "all_sync", "any_sync", "atomic", "ballot_sync", "bf16", "blockDim",
    "blockIdx", "brev", "cbrt", "cg", "clz", "const", "eq_sync", "ffs", "fma", "fp16",
    "grid", "gridDim", "gridsize", "laneid", "lanemask_lt", "local", "match_all_sync",
    "match_any_sync", "nanosleep", "popc", "selp", "shared", "shfl_down_sync",
    "shfl_sync", "shfl_up_sync", "shfl_xor_sync", "syncthreads", "syncthreads_and",
    "syncthreads_count", "syncthreads_or", "syncwarp", "threadIdx", "threadfence",
    "threadfence_block", "threadfence_system", "vote_sync_intrinsic", "warpsize",
)  # fmt: skip

# Modules below `minitorch.cuda` that programs name.
_SUBMODULES = ("random",)

# What has another name, or place, than in `torch.cuda`.
_OF_PYTORCH = {
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
        from .language.names import DEVICE_NAMES

        return DEVICE_NAMES[name]
    if name in _MODULES:
        module = import_module(f".{_MODULES[name]}", __package__)
        return getattr(module, name)
    if name in _SUBMODULES:
        return import_module(f".{name}", __package__)
    if name in _TYPES:
        from .language.types import Type

        return Type(_TYPES[name])
    near = difflib.get_close_matches(name, LAZY_NAMES, 1)
    hint = f" Did you mean {near[0]}?" if near else ""
    if name in _OF_PYTORCH:
        hint = f" There is {_OF_PYTORCH[name]}."
    raise AttributeError(f"module 'minitorch.cuda' has no attribute {name!r}.{hint}")
