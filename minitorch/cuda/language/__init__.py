"""Front end of the kernel language: Python functions to CUDA C++ and CPU code.

The way of a function: `source` finds its tree, `typing` types it by a rule for each
kind of node, with what `scope` knows of the function and the tables of `builtins`, into
the form of `typed`; `emit` writes that for a GPU and for the CPU. `scalar_function` and
`kernel` are the doors. Imports go one way: the files here but the doors, then
`builtins`, `typing`, `emit`, the doors.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import TranslationError
    from .kernel import KernelSource, compile_kernel
    from .scalar_function import ScalarFunction, translate
    from .source import python_location
    from .types import Type

__all__ = [
    "KernelSource",
    "ScalarFunction",
    "TranslationError",
    "Type",
    "compile_kernel",
    "python_location",
    "translate",
]

_PLACES = {
    "KernelSource": "kernel",
    "ScalarFunction": "scalar_function",
    "TranslationError": "errors",
    "Type": "types",
    "compile_kernel": "kernel",
    "python_location": "source",
    "translate": "scalar_function",
}


def __getattr__(name: str) -> Any:
    """Import lazily: the translator would double the package's import time."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f".{_PLACES[name]}", __name__)
    return getattr(module, name)
