"""Module tree of the stand-in for `numba`."""

from __future__ import annotations

import sys
import warnings
from types import ModuleType
from typing import Any

from .. import cuda as _cuda
from ..cuda import random as _random
from .numba_functions import FUNCTIONS
from .numba_names import ERRORS, TYPES
from .numba_ufuncs import guvectorize, vectorize

__all__ = ["register_modules"]


def register_modules(version: str) -> None:
    """Register `numba` and the submodules that programs import in `sys.modules`."""
    ufuncs = {"vectorize": vectorize, "guvectorize": guvectorize}
    functions = {**FUNCTIONS, **ufuncs}
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
    _register("numba.np", {})
    _register("numba.np.numpy_support", {"from_dtype": TYPES["from_dtype"]})
    _register("numba.typed", {"List": list, "Dict": dict})
    _register("numba.extending", {"register_jitable": FUNCTIONS["jit"]})
    _register_device(version)


def _register_device(version: str) -> None:
    device = _Device("numba.cuda")
    device.__dict__.update(
        __version__=version,
        vectorize=vectorize,
        guvectorize=guvectorize,
    )
    _insert("numba.cuda", device)
    _insert("numba.cuda.types", sys.modules["numba.types"])
    _register(
        "numba.cuda.random", {name: getattr(_random, name) for name in dir(_random)}
    )
    _register("numba.cuda.cudadrv", {})
    array: dict[str, Any] = {"is_cuda_ndarray": _cuda.is_cuda_array}
    array |= dict.fromkeys(["DeviceNDArray", "DeviceNDArrayBase"], _cuda.DeviceArray)
    _register("numba.cuda.cudadrv.devicearray", array)
    driver = {"CudaAPIError": _cuda.CudaError, "LinkerError": _cuda.CompileError}
    _register("numba.cuda.cudadrv.driver", driver)
    _register("numba.cuda.cudadrv.error", {"CudaSupportError": _cuda.CudaError})


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
        try:
            return getattr(_cuda, name)
        except AttributeError:
            raise AttributeError(
                "[numba.cuda] minitorch.cuda, which replaces Numba, has no attribute "
                f"{name!r}."
            ) from None

    def __dir__(self) -> list[str]:
        return sorted({*dir(_cuda), *self.__dict__})


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
