"""Owns kernels that a user writes in CUDA C++ or PTX, and their launch.

Must not know how they compile.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, SupportsIndex

from .. import _core
from .errors import (
    Coordinates,
    Diagnostic,
    KernelWarning,
    LaunchError,
    diagnostic_from,
)
from .resources import Resources, resources_of
from .stream import Stream

Extent = SupportsIndex | Iterable[SupportsIndex]

_LARGEST = 2**31 - 1  # the largest grid of any card


def _extent(value: Extent, what: str) -> Coordinates:
    """Read a grid or block as three sizes; the core checks the device's limits."""
    try:
        parts = (value,) if isinstance(value, SupportsIndex) else tuple(value)
        sizes = [operator.index(part) for part in parts]
    except TypeError:
        raise LaunchError(
            f"[launch] got {what} {value!r}; need an int or a tuple of 1 to 3 ints."
        ) from None
    if not 1 <= len(sizes) <= 3:
        raise LaunchError(f"[launch] got {what} {value!r}; need 1 to 3 sizes.")
    if any(size < 1 for size in sizes):
        raise LaunchError(f"[launch] got {what} {value!r}; need sizes of 1 or more.")
    if any(size > _LARGEST for size in sizes):
        raise LaunchError(
            f"[launch] got {what} {value!r}; need at most {_LARGEST} in each direction."
        )
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _shared_bytes(value: SupportsIndex) -> int:
    if not isinstance(value, SupportsIndex):
        raise TypeError(f"[launch] got shared_mem {value!r}; need an int.")
    size = operator.index(value)
    if not 0 <= size <= _LARGEST:
        raise LaunchError(
            f"[launch] got shared_mem {size}; need 0 to {_LARGEST} bytes."
        )
    return size


def _arguments(value: object) -> tuple[Any, ...] | list[Any]:
    if isinstance(value, (tuple, list)):
        return value
    raise TypeError(
        f"[launch] got args of type {type(value).__name__}; need a tuple, also for one "
        "argument: (y,)."
    )


def _queue(value: object) -> _core.Stream | None:
    if value is None:
        return None
    if isinstance(value, Stream):
        return value._core
    raise TypeError(
        f"[launch] got stream {value!r}; need a cuda.Stream, or None for the current "
        "one."
    )


def _warn(module: _core.RawModule) -> None:
    for diagnostic in module.warnings:
        warnings.warn(str(diagnostic), KernelWarning, stacklevel=4)


def _compile(
    code: str,
    options: Iterable[str],
    name_expressions: Sequence[str],
    file: str,
    headers: Mapping[str, str],
) -> _core.RawModule:
    if isinstance(options, str):
        raise TypeError(f"[cuda] got options {options!r}; need a tuple of texts.")
    module = _core.RawModule.from_source(
        code, list(options), list(name_expressions), file, list(headers.items())
    )
    _warn(module)
    return module


class Kernel:
    """A kernel ready to launch: `k(grid, block, args)` or `k[grid, block](*args)`."""

    def __init__(self, core: _core.RawKernel) -> None:
        self._core = core

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self._core.name

    @property
    def ptx(self) -> str:
        """The PTX of its module."""
        return self._core.module.ptx

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """Dynamic shared memory that a launch may take, in bytes.

        Together with the declared arrays a block gets 48 KiB; set this before a launch
        that needs more (64 KiB in all on a T4, as `cudaFuncSetAttribute` allows).

        Raises:
            LaunchError: set to more than the card has.
        """
        return self._core.max_dynamic_shared

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, size: SupportsIndex) -> None:
        self._core.max_dynamic_shared = _shared_bytes(size)

    def resources(self, gpu: str | None = None) -> Resources:
        """Registers, memory and spills of the kernel's machine code for a card.

        NVRTC compiles for any card; none is needed.

        Args:
            gpu: "t4", "rtx3090", "a100", "h100" or "h200"; None: the device's card.

        Returns:
            Numbers with `occupancy(block)` and `table()`.

        Raises:
            ValueError: an unknown card.
            RuntimeError: the kernel was given as PTX.

        Example:
            >>> from minitorch import cuda
            >>> fill = cuda.RawKernel("__global__ void f(int* x) { *x = 1; }", "f")
            >>> found = fill.resources("a100")
            >>> found.shared_bytes, found.local_bytes, found.spill_stores
            (0, 0, 0)
        """
        return resources_of(self._core, gpu)

    def __call__(
        self,
        grid: Extent,
        block: Extent,
        args: Sequence[Any],
        shared_mem: int = 0,
        stream: Stream | None = None,
    ) -> None:
        """Launch; returns before the kernel has run.

        Args:
            grid: blocks, an int or a tuple of 1 to 3.
            block: threads of a block, an int or a tuple of 1 to 3.
            args: device arrays, numbers, None for a null pointer. A Python number
                converts to the parameter's type when that is exact.
            shared_mem: bytes of dynamic shared memory for each block.
            stream: where to queue the launch; None: the current stream.

        Raises:
            LaunchError: a grid, block or argument that does not fit.
            TypeError: a value that cannot be an argument, such as a host array; args
                that are no tuple or list.

        A fault of the kernel is raised as KernelError by the next call that waits.
        """
        self._core.launch(
            _extent(grid, "grid"),
            _extent(block, "block"),
            _arguments(args),
            _shared_bytes(shared_mem),
            _queue(stream),
        )

    def __getitem__(self, configuration: tuple[Any, ...]) -> Callable[..., None]:
        """Numba's form: `k[grid, block, stream, shared_mem](*args)`."""
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise LaunchError(
                f"[launch] got kernel[{configuration!r}]; need "
                "kernel[grid, block], optionally with stream and shared_mem."
            )
        grid, block, *rest = configuration
        stream = rest[0] or None if rest else None  # Numba: 0 is the default stream
        shared_mem = rest[1] if len(rest) == 2 else 0

        def launch(*args: Any) -> None:
            self(grid, block, args, shared_mem, stream)

        return launch

    def __repr__(self) -> str:
        types = ", ".join(type_ or "?" for _, type_, _ in self._core.parameters)
        return f"{type(self).__name__}({self.name}({types}))"


class RawModule:
    """CUDA C++ or PTX, compiled and loaded; holds any number of kernels.

    Args:
        code: CUDA C++. Give either `code` or `ptx`.
        ptx: PTX text.
        options: for NVRTC, such as ("-DTILE=16",).
        name_expressions: kernels that are templates, such as ("scale<float>",).
        headers: text of headers by the name that `#include` uses.

    Raises:
        CompileError: the source does not compile.
        PtxError: the PTX does not load.

    Example:
        >>> from minitorch import cuda
        >>> code = "template <class T> __global__ void set(T* x, T v) { *x = v; }"
        >>> module = cuda.RawModule(code=code, name_expressions=("set<int>",))
        >>> x = cuda.device_array(1, "int32")
        >>> module.get_function("set<int>")(1, 1, (x, 7))
        >>> x.copy_to_host()
        array([7], dtype=int32)
    """

    def __init__(
        self,
        code: str | None = None,
        *,
        ptx: str | None = None,
        options: Iterable[str] = (),
        name_expressions: Sequence[str] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if (code is None) == (ptx is None):
            raise ValueError("[RawModule] need either code=... or ptx=..., not both.")
        if code is not None:
            file = "/minitorch/user/module.cu"
            self._core = _compile(code, options, name_expressions, file, headers or {})
        elif ptx is not None:
            self._core = _core.RawModule.from_ptx(ptx)

    def get_function(self, name: str) -> Kernel:
        """Return the kernel called `name`; LaunchError lists the kernels there are."""
        return Kernel(self._core.function(name))

    @property
    def warnings(self) -> list[Diagnostic]:
        """What the compiler warned of."""
        return [diagnostic_from(each) for each in self._core.warnings]

    @property
    def kernel_names(self) -> list[str]:
        """The kernels there are."""
        return self._core.kernel_names

    @property
    def ptx(self) -> str:
        """The PTX in use."""
        return self._core.ptx


class RawKernel(Kernel):
    """A kernel written in CUDA C++.

    Args:
        code: the source; `extern "C"` is not needed.
        name: the `__global__` function, or a name expression of a template.
        options: for NVRTC, such as ("-DTILE=16",).

    Raises:
        CompileError: the source does not compile.
        LaunchError: there is no kernel of that name.

    Kernel: the user's; launched by calling the object.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> double = cuda.RawKernel('''
        ... __global__ void twice(float* x, int n) {
        ...   int i = blockIdx.x * blockDim.x + threadIdx.x;
        ...   if (i < n) x[i] *= 2;
        ... }''', "twice")
        >>> x = cuda.to_device(np.arange(5, dtype=np.float32))
        >>> double(1, 32, (x, 5))
        >>> x.copy_to_host()
        array([0., 2., 4., 6., 8.], dtype=float32)
    """

    def __init__(self, code: str, name: str, options: Iterable[str] = ()) -> None:
        expressions = (name,) if "<" in name else ()
        stem = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
        file = f"/minitorch/user/{stem}.cu"
        module = _compile(code, options, expressions, file, {})
        super().__init__(module.function(name))
