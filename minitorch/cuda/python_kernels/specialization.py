"""Python kernel compiled for one tuple of argument types."""

from __future__ import annotations

import linecache
import math
import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from ... import _core
from ..compiling.debug_info import with_bools
from ..compiling.kernel_options import JitOptions
from ..errors import KernelWarning
from ..inspecting.resources import Resources, resources_of
from ..language.kernel import KernelSource
from ..language.source import python_location
from ..language.types import KernelType
from ..launching.launch_data import PythonText
from ..launching.launch_notes import Launched
from ..launching.launch_shape import Configuration
from ..tracebacks import warn_at_caller
from . import findings
from .argument_layout import ArgumentLayout
from .kernel_registry import register
from .linking import linked


class Specialization:
    """Compiled kernel for one signature, with its source and builds.

    Args:
        file: That of the Python function, if it is on this machine.

    Attributes:
        types: Of the arguments.
        source: The CUDA C++ and what belongs to it.
        options: Of its `jit`.
        layout: Where the arguments lie.
        checks: Whether its kernel checks indices.
        kernel: The core's kernel with its layout, which is launched.
        number: Identifies the kernel in the findings of its launches.

    On the emulator, a build that checks each index is launched (`emit_indices`).
    Resources, counters and machine code are those of the plain build, which is compiled
    on first use.
    """

    def __init__(
        self,
        source: KernelSource,
        types: tuple[KernelType, ...],
        options: JitOptions,
        file: str = "",
    ) -> None:
        self.source, self.types, self.options = source, types, options
        self._file = file
        self.layout = ArgumentLayout(types)
        self.number = register(self)
        # Another function of the same name may come later, elsewhere.
        self._places = {file: python_location(file, 1) for file in self.source.accesses}
        self.checks = (
            bool(self.source.checked)
            and not options.for_debuggers
            and _core.is_emulated()
        )
        if self.checks:
            self._checked_module = compiled_source(self.source, options, checks=True)
            raw = self._kernel_in(self._checked_module)
        else:
            raw = self.raw
        self.kernel = self._packed(raw)

    def _kernel_in(self, module: _core.RawModule) -> _core.RawKernel:
        raw = module.function(self.source.entry)
        if self.source.cooperative:
            raw.cooperative = True
        return raw

    def _packed(self, raw: _core.RawKernel) -> _core.PackedKernel:
        names = [name for name, _ in self.source.parameters]
        return _core.PackedKernel(raw, self.layout.rows(names), self.number)

    @cached_property
    def _module(self) -> _core.RawModule:
        """Build without index checks."""
        if not self.checks:
            return compiled_source(self.source, self.options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KernelWarning)  # the other build has them
            return compiled_source(self.source, self.options)

    @cached_property
    def raw(self) -> _core.RawKernel:
        """Core kernel of the plain build."""
        return self._kernel_in(self._module)

    @cached_property
    def plain(self) -> _core.PackedKernel:
        """Kernel to launch without index checks."""
        return self._packed(self.raw) if self.checks else self.kernel

    def launched(
        self, configuration: Configuration, values: Sequence[Any], checked: bool
    ) -> Launched:
        """Return the description of a launch, for inspections."""
        module = self._checked_module if checked else None
        return Launched(
            kernel=self.source.name.rpartition(".")[2],
            owner=self.number,
            grid=configuration.grid,
            block=configuration.block,
            names=[name for name, _ in self.source.parameters],
            values=values,
            source=self.python_source,
            ptx=lambda: module.ptx if module else self.ptx,
            debug=self.options.for_debuggers,
            renamed=self.source.variables,
        )

    @cached_property
    def for_debuggers(self) -> Specialization:
        """The same kernel, compiled so that variables keep their names."""
        options = self.options.built_for_debuggers()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KernelWarning)  # the normal build has them
            return Specialization(self.source, self.types, options, self._file)

    def portable(self, debug: bool) -> PythonText:
        """Return what another process needs to compile it, optionally for debug."""
        options = self.options
        if debug:
            options = options.built_for_debuggers()
        return PythonText(self.source, self.types, options)

    def python_source(self) -> str:
        """Text of the file that defines the function."""
        return "".join(linecache.getlines(self._file))

    def python_location(self, file: str, line: int) -> tuple[str, int] | None:
        """Map a pseudo file and line to the Python file and line, or None."""
        location = self._places.get(file)
        return (location[0], location[1] + line - 1) if location else None

    @property
    def ptx(self) -> str:
        """PTX that NVRTC compiled."""
        return self._module.ptx

    def resources(self, gpu: str | None) -> Resources:
        """Return the resources that the kernel uses on a GPU."""
        return resources_of(self.raw, gpu)

    def max_cooperative_grid_blocks(
        self, blockdim: int | tuple[int, ...], dynsmemsize: int = 0
    ) -> int:
        """Return the most blocks of a cooperative launch.

        Args:
            blockdim: Threads of a block, a number or one for each direction.
            dynsmemsize: Dynamic shared memory of a block in bytes.
        """
        sizes = blockdim if isinstance(blockdim, tuple) else (blockdim,)
        return self.raw.most_resident_blocks(math.prod(sizes), dynsmemsize)

    def __repr__(self) -> str:
        types = ", ".join(map(str, self.types))
        return f"{type(self).__name__}({self.source.name}({types}))"


# Variables that are not used, which Python does not mind: 177 and 550.
_QUIET = "--diag-suppress=177,550"


def compiled_source(
    source: KernelSource, options: JitOptions, checks: bool = False
) -> _core.RawModule:
    """Compile a translated kernel; raise the compiler's warnings in Python.

    Args:
        source: The kernel.
        options: Of its `jit`.
        checks: The build that checks its indices, for the emulator.
    """
    text = source.checked if checks else source.cuda
    cuda, headers = linked(text, options.link, source.headers)

    def compiled(text: str) -> _core.RawModule:
        flags = [*options.nvrtc, _QUIET]
        return _core.RawModule.from_source(
            text, flags, [], source.file, list(headers.items()), checks
        )

    module = with_bools(cuda, compiled) if options.for_debuggers else compiled(cuda)
    for text in (*source.notes, *map(str, module.warnings)):
        warn_at_caller(text, KernelWarning)
    return module


findings.connect()
