"""Registry of compiled Python kernels by number, for findings."""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..language.typed import Access
    from ..language.types import KernelType
    from .argument_layout import ArgumentLayout


class SourceTables(Protocol):
    """Part of `KernelSource` that findings use."""

    @property
    def file(self) -> str:
        """Pseudo file name."""

    @property
    def parameters(self) -> Sequence[tuple[str, KernelType]]:
        """Name and type of each parameter."""

    @property
    def accesses(self) -> Mapping[str, list[Access]]:
        """Subscripts by pseudo file."""

    @property
    def checks(self) -> Sequence[Access]:
        """Checked subscripts, by number."""

    @property
    def shared(self) -> Mapping[str, tuple[int, ...]]:
        """Shapes of shared arrays, by C++ name."""

    @property
    def dynamic(self) -> frozenset[str]:
        """C++ names of arrays that are all of dynamic shared memory."""

    @property
    def compared(self) -> frozenset[str]:
        """C++ names that the kernel compares with something."""


class CompiledKernel(Protocol):
    """Part of a compiled kernel that findings use."""

    layout: ArgumentLayout
    number: int

    @property
    def source(self) -> SourceTables:
        """Source of the kernel, as far as findings need it."""

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
