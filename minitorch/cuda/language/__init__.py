"""Owns the front end of the kernel language: Python functions to CUDA C++ and CPU code.

The way of a function: `source` finds its tree, `infer` types it (with `expressions`
and `calls`, by the rules of `types`) into the form of `typed`, and `emit_cuda` and
`emit_flat` write it for a GPU and for the CPU. `translate` is the door. Must not know
tensors.
"""

from .errors import TranslationError
from .source import python_location
from .translate import ScalarFunction, translate
from .types import Type

__all__ = ["ScalarFunction", "TranslationError", "Type", "python_location", "translate"]
