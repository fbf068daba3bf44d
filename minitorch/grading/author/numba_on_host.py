"""Owns the stand-in for `numba` in tasks about loops: `njit`, `prange`, no device.

Functions stay Python functions. `numba.cuda` is there for files that import it beside
what is judged; whoever launches something with it is told. Must not know kernels.
"""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import Any

from ...compat.numba_functions import FUNCTIONS
from ...compat.numba_module import __version__

_ADVICE = "[numba.cuda] got a use of the device; need none: this task has none."


class _NoKernel:
    """A kernel or device function that nobody has compiled."""

    def __init__(self, function: Any) -> None:
        self.py_func = function

    def __getitem__(self, shape: object) -> Any:
        raise RuntimeError(_ADVICE)

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


def _jit(*arguments: Any, **options: Any) -> Any:
    if arguments and isinstance(arguments[0], FunctionType):
        return _NoKernel(arguments[0])
    return _NoKernel


def _refuse(*arguments: Any, **options: Any) -> Any:
    raise RuntimeError(_ADVICE)


class _NoDevice(ModuleType):
    """`numba.cuda` without a device: decorators do nothing, all else is refused."""

    jit = staticmethod(_jit)

    @staticmethod
    def is_available() -> bool:
        """No."""
        return False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _refuse


def install() -> None:
    """Registers `numba` and `numba.cuda` in this process."""
    numba = ModuleType("numba", "A stand-in: functions stay Python functions.")
    numba.__dict__.update(FUNCTIONS, __version__=__version__, __path__=[])
    numba.__dict__["cuda"] = device = _NoDevice("numba.cuda")
    sys.modules["numba"] = numba
    sys.modules["numba.cuda"] = device
