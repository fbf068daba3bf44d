"""The numbers of compiled Python kernels, by which findings name them."""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..language.typed_kernel import Access
    from ..language.types import KernelType
    from .argument_layout import ArgumentLayout


class SourceTables(Protocol):
    """What findings need to know of a kernel's source; see `KernelSource`."""

    @property
    def file(self) -> str:
        """Its pseudo name."""

    @property
    def parameters(self) -> Sequence[tuple[str, KernelType]]:
        """Name and type of each."""

    @property
    def accesses(self) -> Mapping[str, list[Access]]:
        """The subscripts by pseudo file."""

    @property
    def checks(self) -> Sequence[Access]:
        """The subscripts that are checked, by their numbers."""

    @property
    def shared(self) -> Mapping[str, tuple[int, ...]]:
        """Sizes of the shared arrays, by their names in C++."""

    @property
    def dynamic(self) -> frozenset[str]:
        """Names of C++ of arrays that are all of dynamic shared memory."""

    @property
    def compared(self) -> frozenset[str]:
        """Names of C++ that the kernel compares with something."""


class CompiledKernel(Protocol):
    """What findings need to know of a kernel."""

    layout: ArgumentLayout
    number: int

    @property
    def source(self) -> SourceTables:
        """What it was made of, as far as findings need it."""

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
