"""Kernels loaded from forms: launch them, and describe their findings."""

from __future__ import annotations

import linecache
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import minitorch_cuda._core as _core
from minitorch_cuda.cuda.errors import LaunchError
from minitorch_cuda.cuda.language.types import ArrayType, KernelType
from minitorch_cuda.cuda.launching import launch_notes
from minitorch_cuda.cuda.launching.arguments import ArgumentName, check_fits
from minitorch_cuda.cuda.launching.launch_notes import Launched
from minitorch_cuda.cuda.launching.launch_shape import (
    Configuration,
    Extent,
    configuration,
)
from minitorch_cuda.cuda.python_kernels import findings
from minitorch_cuda.cuda.python_kernels.argument_layout import ArgumentLayout
from minitorch_cuda.cuda.python_kernels.kernel_registry import register

from .form_fields import Form

_ORDINARY_SHARED = 48 << 10  # dynamic shared memory that needs no leave


class LoadedKernel(ABC):
    """A kernel of a form, in the memory of this process's device.

    Attributes:
        name: For people.
        form: What it is made of.
    """

    def __init__(self, form: Form) -> None:
        self.form = form
        self.name = form.name

    _cores: list[_core.RawKernel]

    #: Is there a build that checks indices?
    checks = False

    @abstractmethod
    def run(
        self, configuration: Configuration, values: Sequence[Any], checked: bool
    ) -> None:
        """Launch with checked arguments."""

    def finds_wrong_index(
        self, configuration: Configuration, values: Sequence[Any]
    ) -> bool:
        """Run a launch with the build that checks indices; return whether one is wrong.

        Nothing of it is counted or told; what it writes into the arrays stays.
        """
        return False

    def ready(
        self,
        grid: Extent,
        block: Extent,
        values: Sequence[Any],
        shared_bytes: int = 0,
    ) -> Configuration:
        """Check a launch, and let messages of it quote the sources.

        Args:
            grid, block: Sizes, as kernels take them.
            values: Device arrays, numbers, tuples of them.
            shared_bytes: Dynamic shared memory of a block.

        Raises:
            LaunchError: A size or a number of arguments that no launch has.
            TypeError, ValueError: A value that does not fit its parameter.
        """
        read = configuration(grid, block, shared_bytes)
        kinds = self.form.types
        if kinds is not None:
            self._check(kinds, values)
        if shared_bytes > _ORDINARY_SHARED:
            for core in self._cores:
                core.max_dynamic_shared = shared_bytes
        self._cache_sources()
        return read

    def _check(self, kinds: Sequence[KernelType], values: Sequence[Any]) -> None:
        if len(values) != len(kinds):
            raise LaunchError(
                f"[launch] got {len(values)} arguments for {self.name}; need "
                f"{len(kinds)}.",
                kind="arg_mismatch",
            )
        names = [*self.form.names, *[""] * len(kinds)]
        for index, (value, kind) in enumerate(zip(values, kinds, strict=True)):
            check_fits(value, kind, ArgumentName(index, names[index]))

    def _cache_sources(self) -> None:
        """Register source lines with `linecache`, so that messages can quote files
        that are not on this machine.
        """
        for file, text in self.form.sources.items():
            lines = text.splitlines(keepends=True)
            linecache.cache[file] = (len(text), None, lines, file)


class LoadedPythonKernel(LoadedKernel):
    """A kernel in Python, of its PTX and tables.

    Attributes:
        source, layout, number: What findings look at; see `CompiledKernel`.
    """

    def __init__(self, form: Form) -> None:
        super().__init__(form)
        self.layout = ArgumentLayout(tuple(kind for _, kind in form.parameters))
        self.source = form
        self.number = register(self)
        self.checks = bool(form.checked) and _core.is_emulated()
        # All are loaded now: what the driver refuses is no kernel.
        texts = [form.ptx, form.checked] if self.checks else [form.ptx]
        self._cores = [self._core_of(text, text != form.ptx) for text in texts]
        self._builds = [self._packed(core) for core in self._cores]

    def _core_of(self, ptx: str, checks: bool) -> _core.RawKernel:
        module = _core.RawModule.from_compiled(ptx, "", self.form.file, {}, checks)
        core = module.function(self.form.entry)
        if self.form.cooperative:
            core.cooperative = True
        return core

    def _packed(self, core: _core.RawKernel) -> _core.PackedKernel:
        rows = self.layout.rows(self.form.names)
        return _core.PackedKernel(core, rows, self.number)

    def python_location(self, file: str, line: int) -> tuple[str, int] | None:
        """Return the Python file and line of a pseudo file's line, or None for other
        files.
        """
        location = self.form.places.get(file)
        return (location[0], location[1] + line - 1) if location else None

    def finds_wrong_index(
        self, configuration: Configuration, values: Sequence[Any]
    ) -> bool:
        """Run a launch with the checking build; return whether an index is wrong."""
        if not self.checks:
            return False
        packed = self.layout.pack(values)
        return self._builds[1].finds_mistake(
            configuration.core, packed, index_only=True
        )

    def run(
        self, configuration: Configuration, values: Sequence[Any], checked: bool
    ) -> None:
        """Launch with checked arguments."""
        build, packed = self._builds[checked], self.layout.pack(values)
        texts = self.form.ptx, self.form.checked
        noted = Launched(
            kernel=self.name.rpartition(".")[2],
            owner=self.number,
            grid=configuration.grid,
            block=configuration.block,
            names=self.form.names,
            values=values,
            source=self._text,
            ptx=lambda: texts[checked],
            debug=self.form.debug,
            renamed=self.form.variables,
        )
        launch_notes.note(noted, lambda: build.launch(configuration.core, packed))

    def _text(self) -> str:
        location = self.form.places.get(self.form.file)
        return self.form.sources.get(location[0], "") if location else ""


class LoadedCudaKernel(LoadedKernel):
    """A kernel in CUDA C++, loaded from PTX; its text gives the parameters' names."""

    def __init__(self, form: Form) -> None:
        super().__init__(form)
        module = _core.RawModule.from_compiled(
            form.ptx, form.code, form.file, form.lowered, False
        )
        self._core = module.function(form.entry)
        self._cores = [self._core]
        if form.cooperative:
            self._core.cooperative = True
        self._check_parameters()

    def _check_parameters(self) -> None:
        """Check the types against the PTX: pointers take 8 bytes."""
        if self.form.types is None:
            return
        needed = [_size(kind) for kind in self.form.types]
        parameters = self._core.parameters
        sizes = [size for _, _, size in parameters]
        if needed == sizes:
            return
        listed = ", ".join(
            f"{type_ or '?'} {name}".strip() for name, type_, _ in parameters
        )
        kinds = ", ".join(map(str, self.form.types))
        raise LaunchError(
            f"[launch] got the kernel {self.name}({listed}); need parameters for "
            f"({kinds}): a pointer for each array, and numbers of the same size.",
            kind="arg_mismatch",
        )

    def run(
        self, configuration: Configuration, values: Sequence[Any], checked: bool
    ) -> None:
        """Launch with checked arguments; there is only one build."""
        noted = Launched(
            kernel=self.name,
            owner=0,
            grid=configuration.grid,
            block=configuration.block,
            names=[name for name, _, _ in self._core.parameters],
            values=values,
            source=lambda: self.form.code,
            ptx=lambda: self.form.ptx,
            debug=self.form.debug,
        )
        launch_notes.note(noted, lambda: self._core.launch(configuration.core, values))


def _size(kind: KernelType) -> int:
    if isinstance(kind, ArrayType):
        return 8
    sizes = ArgumentLayout((kind,)).rows([""])
    return math.prod(size for _, _, size, _ in sizes)


findings.connect()
