"""Stand-ins for `numba` and the device, for tasks about loops: `njit`, `prange`.

Functions stay Python functions. A package imports its kernels beside what is judged, so
a module of kernels loads here in any form that tasks with a device take: names of types
and of the device exist, and do nothing. Who launches a kernel is told.
"""

from __future__ import annotations

import contextlib
import numbers
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import FunctionType, ModuleType
from typing import Any, NoReturn

import numpy as np

from minitorch_cuda.compat import FUNCTIONS, __version__

_ADVICE = "[numba.cuda] got a use of the device; need none: this task has none."
_DEVICES = ("numba.cuda", "minitorch_cuda.cuda")
# Names that a kernel's module imports from the library beside `cuda`.
_TYPES = [
    *("float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64"),
]


class _NoKernel:
    """A kernel or device function that was never compiled."""

    def __init__(self, function: Any) -> None:
        self.py_func = function

    def __getitem__(self, shape: object) -> NoReturn:
        raise RuntimeError(_ADVICE)

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


class _Name:
    """A name of the device or of a type: its parts, calls and subscripts are such.

    Called with a number it is the number, as NumPy's type of that name makes it, with
    a function a kernel that was never compiled: so it is a decorator, too.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> _Name:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Name(name)

    def __getitem__(self, index: object) -> _Name:
        return self

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if len(arguments) == 1 and not options:
            if isinstance(arguments[0], FunctionType):
                return _NoKernel(arguments[0])
            if isinstance(arguments[0], numbers.Number):
                with contextlib.suppress(TypeError):
                    return np.dtype(self._name).type(arguments[0])
        return self


class _NoDevice(ModuleType):
    """A stand-in for a module of the device: its decorators and names do nothing."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "A stand-in: there is no device here.")
        self.__path__ = []  # so that imports below are searched for

    @staticmethod
    def is_available() -> bool:
        """Return False."""
        return False

    def __getattr__(self, name: str) -> _Name:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Name(name)


class _Parts(MetaPathFinder, Loader):
    """Import hook for `numba.types`, `numba.cuda.random` and other modules of names."""

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        parts = name.startswith(("numba.", *(f"{device}." for device in _DEVICES)))
        return ModuleSpec(name, self, is_package=True) if parts else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _NoDevice(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def install() -> None:
    """Register `numba`, and the device under both of its names, in `sys.modules`."""
    numba = _NoDevice("numba")
    numba.__dict__.update(FUNCTIONS, __version__=__version__)
    sys.modules["numba"] = numba
    sys.meta_path.append(_Parts())
    device = _NoDevice(_DEVICES[0])
    for name in _DEVICES:
        above, _, last = name.rpartition(".")
        sys.modules[name] = sys.modules[above].__dict__[last] = device
    vars(sys.modules["minitorch_cuda"]).update(
        {type_name: _Name(type_name) for type_name in _TYPES}
    )
