"""Registry of compiled Python kernels by number, for findings."""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..language.kernel import KernelSource
    from .argument_layout import ArgumentLayout


class CompiledKernel(Protocol):
    """Part of a compiled kernel that findings use."""

    layout: ArgumentLayout
    number: int

    @property
    def source(self) -> KernelSource:
        """CUDA C++ of the kernel, and its subscripts."""

    def python_location(self, file: str, line: int) -> tuple[str, int] | None:
        """Map a pseudo file and line to the Python file and line, or None."""


_numbers = itertools.count(1)
_by_number: weakref.WeakValueDictionary[int, CompiledKernel] = (
    weakref.WeakValueDictionary()
)

# A kernel that its program has dropped may still run: its findings come later.
_recent: deque[CompiledKernel] = deque(maxlen=64)


def register(kernel: CompiledKernel) -> int:
    """Register a kernel and return its number."""
    number = next(_numbers)
    _by_number[number] = kernel
    _recent.append(kernel)
    return number


def kernel_of(number: int) -> CompiledKernel | None:
    """Return the kernel with this number, if it still exists."""
    return _by_number.get(number)
