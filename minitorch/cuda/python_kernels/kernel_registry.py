"""Owns the numbers of compiled Python kernels, by which findings name them.

Must not know how kernels compile.
"""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..language.kernel import KernelSource
    from .argument_layout import ArgumentLayout


class CompiledKernel(Protocol):
    """What findings need to know of a kernel."""

    source: KernelSource
    layout: ArgumentLayout
    number: int

    def python_place(self, file: str, line: int) -> tuple[str, int] | None:
        """Give the Python file and line for a pseudo file's, or None for another."""


_numbers = itertools.count(1)
_by_number: weakref.WeakValueDictionary[int, CompiledKernel] = (
    weakref.WeakValueDictionary()
)

# A kernel that its program has dropped may still run: its findings come later.
_recent: deque[CompiledKernel] = deque(maxlen=64)


def register(kernel: CompiledKernel) -> int:
    """Give a kernel its number."""
    number = next(_numbers)
    _by_number[number] = kernel
    _recent.append(kernel)
    return number


def kernel_of(number: int) -> CompiledKernel | None:
    """Give the kernel that a finding names, if it still exists."""
    return _by_number.get(number)
