"""Modules, types and errors of the stand-in for `numba`."""

from __future__ import annotations

import builtins
import sys
import warnings
from types import ModuleType
from typing import Any

import numpy as np

from .. import cuda
from . import random
from .language.types import SCALARS, ArrayType, TupleType, Type, void

# Numba has no such names: Python's own, and a type of another module.
_ABSENT = ("bool", "int", "float", "complex", "bfloat16")

#: `numba.types.*`, which is also `numba.*`.
TYPES: dict[str, Any] = {
    **{name: type_ for name, type_ in SCALARS.items() if name not in _ABSENT},
    "void": void,
    "none": None,
    "Array": ArrayType,
    "Tuple": lambda items: TupleType(tuple(items)),
    "UniTuple": lambda item, count: TupleType((item,) * count),
    "NamedTuple": lambda items, cls: TupleType(tuple(items), tuple(cls._fields)),
    "from_dtype": lambda dtype: Type(np.dtype(dtype).name),
}


class NumbaError(cuda.CompileError):
    """Base class of Numba's own errors; never raised here."""


class NumbaWarning(builtins.Warning):
    """Base class of Numba's own warnings."""


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    """For the warning filters of programs; never issued."""


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    """For the warning filters of programs; never issued."""


#: `numba.core.errors.*`. An `except TypingError` catches our errors of the same kind.
ERRORS: dict[str, Any] = {
    "NumbaError": NumbaError,
    "TypingError": cuda.CompileError,
    "LoweringError": cuda.CompileError,
    "UnsupportedError": cuda.CompileError,
    "UnsupportedBytecodeError": cuda.CompileError,
    "ConstantInferenceError": cuda.CompileError,
    "NumbaTypeError": TypeError,
    "NumbaValueError": ValueError,
    "NumbaIndexError": IndexError,
    "NumbaNotImplementedError": NotImplementedError,
    "NumbaRuntimeError": RuntimeError,
    "CudaSupportError": cuda.CudaError,
    "NumbaWarning": NumbaWarning,
    "NumbaPerformanceWarning": cuda.NumbaPerformanceWarning,
    "NumbaDeprecationWarning": NumbaDeprecationWarning,
    "NumbaPendingDeprecationWarning": NumbaPendingDeprecationWarning,
    "NumbaExperimentalFeatureWarning": NumbaWarning,
    "NumbaInvalidConfigWarning": NumbaWarning,
}


def register_modules(version: str, functions: dict[str, Any]) -> None:
    """Register `numba` and the submodules that programs import in `sys.modules`.

    Args:
        version: `numba.__version__`.
        functions: Those for the CPU, by name.
    """
    names = {**TYPES, **functions, **ERRORS, "__version__": version}
    _register("numba", names)
    sys.modules["numba"].__dict__["__all__"] = [*TYPES, *functions]
    _register("numba.types", TYPES)
    _register("numba.errors", ERRORS)
    _register("numba.core", {})
    _register("numba.core.types", TYPES)
    _register("numba.core.errors", ERRORS)
    config = _Config("numba.core.config")
    for name in ("numba.config", "numba.core.config"):
        _insert(name, config)
    _register_device(version)


def _register_device(version: str) -> None:
    device = _Device("numba.cuda")
    device.__dict__.update(__version__=version)
    _insert("numba.cuda", device)
    _insert("numba.cuda.types", sys.modules["numba.types"])
    _register(
        "numba.cuda.random", {name: getattr(random, name) for name in dir(random)}
    )
    _register("numba.cuda.cudadrv", {})
    array: dict[str, Any] = {"is_cuda_ndarray": cuda.is_cuda_array}
    array |= dict.fromkeys(["DeviceNDArray", "DeviceNDArrayBase"], cuda.DeviceArray)
    _register("numba.cuda.cudadrv.devicearray", array)


def _register(name: str, names: dict[str, Any]) -> None:
    module = ModuleType(name, "A stand-in by minitorch.compat.")
    module.__dict__.update(names)
    _insert(name, module)


def _insert(name: str, module: ModuleType) -> None:
    if not hasattr(module, "__path__"):
        module.__dict__["__path__"] = []  # so that imports below look into sys.modules
    sys.modules[name] = module
    above, _, last = name.rpartition(".")
    if above:
        sys.modules[above].__dict__[last] = module


class _Device(ModuleType):
    """`numba.cuda`: all its names are those of `minitorch.cuda`."""

    __doc__ = "minitorch.cuda under Numba's name."

    def __getattr__(self, name: str) -> Any:
        return getattr(cuda, name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(cuda), *self.__dict__})


class _Config(ModuleType):
    """`numba.config`: keeps settings; two of them silence a warning, as in Numba."""

    ENABLE_CUDASIM = False
    DISABLE_JIT = False
    CUDA_LOW_OCCUPANCY_WARNINGS = True
    CUDA_WARN_ON_IMPLICIT_COPY = True
    NUMBA_NUM_THREADS = 1
    NUMBA_DEFAULT_NUM_THREADS = 1
    THREADING_LAYER = "default"

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        text = _WARNINGS.get(name)
        if text is not None and not value:
            warnings.filterwarnings("ignore", text, ERRORS["NumbaPerformanceWarning"])


_WARNINGS = {
    "CUDA_LOW_OCCUPANCY_WARNINGS": ".*got a grid of.*",
    "CUDA_WARN_ON_IMPLICIT_COPY": ".*[Hh]ost array.*",
}
