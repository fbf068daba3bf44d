"""Owns a stand-in for the package `numba`: as much as MiniTorch's code asks of it.

Functions stay Python functions. Tensor operations take them as they are: `FastOps` and
`CudaOps` translate a function of numbers to native code by themselves.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from .. import cuda as _device
from ..create import tensor
from ..tensor import Tensor

__version__ = "0.0 (minitorch.compat)"


def install_numba() -> bool:
    """Registers the modules `numba` and `numba.cuda` where Numba is not installed.

    Returns:
        Whether the stand-in is in place; False where the real Numba is installed.

    Example:
        >>> if install_numba():
        ...     import numba
        ...     print(numba.cuda.is_available())
        True
    """
    present = sys.modules.get("numba")
    if present is not None:
        return getattr(present, "__version__", "") == __version__
    if importlib.util.find_spec("numba") is not None:
        return False
    numba, cuda = ModuleType("numba"), ModuleType("numba.cuda")
    for module, names in ((numba, _NUMBA), (cuda, _CUDA)):
        module.__dict__.update(names)
        module.__doc__ = "A stand-in by minitorch.compat."
    numba.__dict__["cuda"] = cuda
    numba.__dict__[
        "__path__"
    ] = []  # so that `import numba.cuda` looks into sys.modules
    sys.modules["numba"], sys.modules["numba.cuda"] = numba, cuda
    return True


def _same(*functions: Any, **_options: Any) -> Any:
    """`@njit` and `@njit(...)`: the function as it is."""
    if functions and callable(functions[0]):
        return functions[0]
    return lambda fn: fn


def _jit(*functions: Any, **options: Any) -> Any:
    """`cuda.jit`: a device function as it is, a kernel that cannot be launched."""
    if not (functions and callable(functions[0])):
        return lambda fn: _jit(fn, **options)
    return functions[0] if options.get("device") else _Kernel(functions[0])


class _Kernel:
    """A kernel written for Numba, which this stand-in does not compile."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = getattr(function, "__name__", "kernel")

    def __getitem__(self, launch: Any) -> Any:
        raise NotImplementedError(
            f"[numba.cuda] got a launch of the Python kernel '{self.__name__}'; this "
            "stand-in compiles none. Use minitorch.CudaOps, a kernel in CUDA C++ "
            "(minitorch.cuda.RawKernel), or numba-cuda under `minitorch emulate`."
        )


def _to_device(array: Any) -> Tensor:
    return tensor(np.asarray(array), device="cuda")


def _is_cuda_array(value: Any) -> bool:
    return isinstance(value, Tensor) and value.device == "cuda"


_NUMBA: dict[str, Any] = {
    "__version__": __version__,
    "njit": _same,
    "jit": _same,
    "vectorize": lambda *_, **__: np.vectorize,
    "prange": range,
    **{
        name: getattr(np, name)
        for name in ("int32", "int64", "float32", "float64", "uint8")
    },
}
_CUDA: dict[str, Any] = {
    "is_available": _device.is_available,
    "jit": _jit,
    "to_device": _to_device,
    "is_cuda_array": _is_cuda_array,
    "synchronize": _device.synchronize,
}
