"""Modules of several kernels and variables, from CUDA C++, PTX or a cubin."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ... import _core
from ..arrays.device_array import DeviceArray
from ..arrays.layout import Layout, as_dtype
from ..compiler_messages import Diagnostic, diagnostic_from
from ..compiling.compiled_code import CompiledCode
from ..compiling.kernel_source import (
    is_image,
    pseudo_file,
    require_text,
    words,
)
from ..tracebacks import learner_frames
from .raw_kernel import Kernel


class RawModule:
    """Compiled and loaded CUDA C++ or PTX, with any number of kernels.

    Args:
        code: CUDA C++. Give one of `code`, `path` and `ptx`.
        path: a file of CUDA C++, of PTX (`.ptx`) or of machine code (`.cubin`, for a
            GPU; the emulator refuses it).
        options: for NVRTC, such as ("-DTILE=16",).
        enable_cooperative_groups: launch its kernels cooperatively, so that
            `cooperative_groups::this_grid().sync()` works.
        name_expressions: kernels that are templates, such as ("scale<float>",), and
            variables in namespaces, such as ("&model::weights",).
        ptx: PTX text.
        headers: text of headers by the name that `#include` uses.

    Raises:
        CompileError: the source does not compile.
        PtxError: the PTX or cubin does not load.
        OSError: the file cannot be read.
        ValueError: not one of `code`, `path` and `ptx`.

    Example:
        >>> from minitorch import cuda
        >>> code = "template <class T> __global__ void set(T* x, T v) { *x = v; }"
        >>> module = cuda.RawModule(code=code, name_expressions=("set<int>",))
        >>> x = cuda.device_array(1, "int32")
        >>> module.get_function("set<int>")(1, 1, (x, 7))
        >>> x.copy_to_host()
        array([7], dtype=int32)
    """

    @learner_frames
    def __init__(
        self,
        code: str | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        options: Iterable[str] = (),
        enable_cooperative_groups: bool = False,
        name_expressions: Iterable[str] | None = None,
        ptx: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if [code, path, ptx].count(None) != 2:
            raise ValueError(
                "[RawModule] pass exactly one of code=..., path=... and ptx=..."
            )
        self.enable_cooperative_groups = enable_cooperative_groups
        file, flags = pseudo_file("module"), words(options, "options")
        self._compiled: CompiledCode | None = None
        if path is not None:
            source = Path(path)
            if is_image(source):
                self._core = _core.RawModule.from_image(source.read_bytes())
                return
            code, file = source.read_text(encoding="utf-8"), str(source)
            flags = [*flags, f"--include-path={source.resolve().parent}"]
        if ptx is not None:
            require_text(ptx, "ptx")
            self._core = _core.RawModule.from_ptx(ptx)
            return
        require_text(code, "code")
        assert code is not None
        headers = headers or {}
        self._compiled = CompiledCode(code, flags, name_expressions, file, headers)
        self._core = self._compiled.module

    @classmethod
    def loaded(cls, compiled: CompiledCode, cooperative: bool) -> RawModule:
        """Return a module of code that is compiled already."""
        module = cls.__new__(cls)
        module._compiled, module._core = compiled, compiled.module
        module.enable_cooperative_groups = cooperative
        return module

    @learner_frames
    def get_function(self, name: str) -> Kernel:
        """Return the kernel called `name`; LaunchError lists the available kernels."""
        require_text(name, "name")
        core = self._core.function(name)
        return Kernel(core, self.enable_cooperative_groups, self._compiled)

    @learner_frames
    def get_global(self, name: str, dtype: npt.DTypeLike = np.uint8) -> DeviceArray:
        """Return a `__device__` or `__constant__` variable as an array on its memory.

        Args:
            name: its name; one of a namespace as in `name_expressions`.
            dtype: of its numbers.

        Returns:
            An array of one dimension.

        Raises:
            ValueError: there is no such variable; a dtype of another size.

        Example:
            >>> import numpy as np
            >>> from minitorch import cuda
            >>> module = cuda.RawModule(code='''
            ... __constant__ float weights[3];
            ... __global__ void scale(float* x) {
            ...   x[threadIdx.x] *= weights[threadIdx.x];
            ... }
            ... ''')
            >>> module.get_global("weights", "float32")[:] = [1, 10, 100]
            >>> x = cuda.to_device(np.ones(3, np.float32))
            >>> module.get_function("scale")(1, 3, (x,))
            >>> x.copy_to_host()
            array([  1.,  10., 100.], dtype=float32)
        """
        require_text(name, "name")
        memory = self._core.global_variable(name)
        kind = as_dtype(dtype, "get_global")
        count, rest = divmod(memory.nbytes, kind.itemsize)
        if rest:
            raise ValueError(
                f"[get_global] {name!r} has {memory.nbytes} bytes, which is no whole "
                f"number of {kind}."
            )
        return DeviceArray(Layout(0, (count,), (kind.itemsize,)), kind, memory)

    @property
    def warnings(self) -> list[Diagnostic]:
        """Warnings of the compiler."""
        return [diagnostic_from(warning) for warning in self._core.warnings]

    @property
    def kernel_names(self) -> list[str]:
        """Names of the module's kernels."""
        return self._core.kernel_names

    @property
    def ptx(self) -> str:
        """PTX in use."""
        return self._core.ptx
