"""A launch as plain data: what another process needs for it, and what it recorded."""

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
    """A kernel in CUDA C++ or PTX: how it is compiled, and its name."""

    name: str
    compiled: tuple[Any, ...] | None
    ptx: str
    cooperative: bool


@dataclass(frozen=True)
class PythonText:
    """A kernel in Python, translated already, and the types of its arguments."""

    source: KernelSource
    types: tuple[KernelType, ...]
    options: JitOptions


@dataclass(frozen=True)
class Job:
    """A launch to make: arrays in `values` are NumPy's."""

    kernel: CudaText | PythonText
    grid: Coordinates
    block: Coordinates
    values: tuple[Any, ...]
    shared_mem: int
    debug: bool
    launch_site: str


@dataclass
class RecordedLaunch:
    """What the core's record of a launch says, as plain data."""

    tables: dict[str, Any]
    arguments: tuple[Argument, ...]
    ptx: str

    def facts(self) -> dict[str, Any]:
        """Its plain values."""
        found: dict[str, Any] = self.tables["facts"]
        return found

    def __getattr__(self, name: str) -> Any:
        """The other tables, by calls as the core has them."""
        if name.startswith("_") or name not in self.tables:
            raise AttributeError(name)
        return lambda: self.tables[name]
