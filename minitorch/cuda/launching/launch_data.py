"""Launches as plain data, to send to another process and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import Coordinates
from .arguments import Argument

if TYPE_CHECKING:
    from ..compiling.kernel_options import JitOptions
    from ..language.kernel import KernelSource
    from ..language.types import KernelType


@dataclass(frozen=True)
class CudaText:
    """Kernel in CUDA C++ or PTX: its compile arguments, and its name."""

    name: str
    compiled: tuple[Any, ...] | None
    ptx: str
    cooperative: bool


@dataclass(frozen=True)
class PythonText:
    """Translated Python kernel, and the types of its arguments."""

    source: KernelSource
    types: tuple[KernelType, ...]
    options: JitOptions


@dataclass(frozen=True)
class Job:
    """Launch to execute; arrays in `values` are NumPy arrays."""

    kernel: CudaText | PythonText
    grid: Coordinates
    block: Coordinates
    values: tuple[Any, ...]
    shared_mem: int
    debug: bool
    launch_site: str


@dataclass
class RecordedLaunch:
    """Record of a launch from the core, as plain data."""

    tables: dict[str, Any]
    arguments: tuple[Argument, ...]
    ptx: str

    def facts(self) -> dict[str, Any]:
        """Return the record's scalar fields."""
        facts: dict[str, Any] = self.tables["facts"]
        return facts

    def __getattr__(self, name: str) -> Any:
        """Return a function that gives a table, as the core's methods do."""
        if name.startswith("_") or name not in self.tables:
            raise AttributeError(name)
        return lambda: self.tables[name]
