"""Compiled CUDA C++ of a user: the normal build, and a debug build on demand."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from ... import _core
from ..errors import CompileError, KernelWarning
from .debug_info import with_bools
from .kernel_source import compile_code, words

_FOR_DEBUGGERS = ("-G", "--device-debug")
# Texts and tables of the compiler itself have a $ or __ in front.
_VARIABLE = re.compile(
    r"^(?:\.visible\s+)?\.(?:global|const)\s[^;=]*?(?<![\w$])(?!__)([a-zA-Z_]\w*)"
    r"(?:\[\d*\])?\s*[=;]",
    re.MULTILINE,
)

# The NaN that NVRTC computes with where a value was never given, as number and as bits.
_UNDEFINED = re.compile(
    r"\b(?:0f7FC00000|0d7FF8000000000000|2143289344|9221120237041090560)\b"
)


class CompiledCode:
    """CUDA C++ and its builds; variables of the module are kept alike in both.

    Args:
        code: The text.
        options: For NVRTC.
        name_expressions: Templates and names in namespaces.
        file: What messages call it.
        headers: Text by name.

    Raises:
        CompileError: The code does not compile.

    Attributes:
        module: The normal build.
    """

    def __init__(
        self,
        code: str,
        options: Iterable[str],
        name_expressions: Iterable[str] | None,
        file: str,
        headers: Mapping[str, str],
    ) -> None:
        self._given = code, words(name_expressions, "name_expressions"), file, headers
        self._options = words(options, "options")
        self._debug_kernels: dict[str, _core.RawKernel] = {}
        self.module = compile_code(code, self._options, self._given[1], file, headers)

    @property
    def given(self) -> tuple[Any, ...]:
        """Arguments that compile the same code elsewhere."""
        code, names, file, headers = self._given
        return code, self._options, names, file, dict(headers)

    @cached_property
    def hides_undefined_values(self) -> bool:
        """Whether NVRTC replaces undefined values in the code by NaN.

        No check sees these. The build for debuggers reads them where the source does; a
        NaN that the source asks for is in both.
        """
        if not (_core.is_emulated() and _has_undefined(self.module)):
            return False
        try:
            return not _has_undefined(self._debug_module)
        except CompileError:
            return False

    @cached_property
    def _debug_module(self) -> _core.RawModule:
        if any(option in _FOR_DEBUGGERS for option in self._options):
            return self.module
        code, names, file, headers = self._given
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KernelWarning)  # the normal build has them
            options = [*self._options, "--device-debug"]
            return with_bools(
                code, lambda text: compile_code(text, options, names, file, headers)
            )

    def debug_kernel(self, core: _core.RawKernel) -> _core.RawKernel:
        """Return the same kernel from the debug build."""
        if core.name not in self._debug_kernels:
            self._debug_kernels[core.name] = self._debug_module.function(core.name)
        kernel = self._debug_kernels[core.name]
        if kernel.cooperative != core.cooperative:
            kernel.cooperative = core.cooperative
        if kernel.max_dynamic_shared != core.max_dynamic_shared:
            kernel.max_dynamic_shared = core.max_dynamic_shared
        return kernel

    @contextmanager
    def lent_variables(self) -> Iterator[None]:
        """Copy `__device__` variables to the debug build for a `with` block, and back.

        The copies are queued on the current stream, around what is launched meanwhile.
        """
        pairs = [] if self._debug_module is self.module else self._variables()
        for normal, debug in pairs:
            _core.copy_on_device(debug.pointer, normal.pointer, normal.nbytes)
        yield
        for normal, debug in pairs:
            _core.copy_on_device(normal.pointer, debug.pointer, normal.nbytes)

    def _variables(self) -> list[tuple[_core.DeviceBuffer, _core.DeviceBuffer]]:
        builds = self.module, self._debug_module
        ours, theirs = (set(_VARIABLE.findall(module.ptx)) for module in builds)
        names = sorted(ours & theirs)
        first, second = (
            [module.global_variable(n) for n in names] for module in builds
        )
        return list(zip(first, second, strict=True))


def _has_undefined(module: _core.RawModule) -> bool:
    code, _, _ = module.ptx.partition("\t.section\t")  # tables for debuggers follow
    return _UNDEFINED.search(code) is not None
