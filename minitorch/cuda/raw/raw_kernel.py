"""Kernels written in CUDA C++, and their launch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any, SupportsIndex

from ... import _core
from ..compiling.compiled_code import CompiledCode
from ..compiling.kernel_source import (
    pseudo_file,
    require_text,
)
from ..device.stream import Stream
from ..inspecting.resources import Resources, resources_of
from ..launching import launch_notes
from ..launching.launch_notes import Launched
from ..launching.launch_shape import (
    Configuration,
    Extent,
    argument_list,
    bracketed,
    configuration,
    shared_bytes,
)
from ..tracebacks import hide_library, learner_frames

# The numbers of the driver's CUfunction_attribute, by CuPy's names.
ATTRIBUTES = {
    "max_threads_per_block": 0,
    "shared_size_bytes": 1,
    "const_size_bytes": 2,
    "local_size_bytes": 3,
    "num_regs": 4,
    "ptx_version": 5,
    "binary_version": 6,
    "cache_mode_ca": 7,
    "max_dynamic_shared_size_bytes": 8,
    "preferred_shared_memory_carveout": 9,
}


class Kernel:
    """Kernel ready to launch: `k(grid, block, args)` or `k[grid, block](*args)`."""

    def __init__(
        self,
        core: _core.RawKernel,
        cooperative: bool = False,
        compiled: CompiledCode | None = None,
    ) -> None:
        self._core = core
        self._compiled = compiled
        self._checked = compiled is not None and compiled.hides_undefined_values
        if cooperative:
            core.cooperative = True

    @property
    def name(self) -> str:
        """Name of the kernel."""
        return self._core.name

    @property
    def ptx(self) -> str:
        """PTX of its module."""
        return self._core.module.ptx

    @property
    def code(self) -> str:
        """CUDA C++ of its module; "" if it was loaded from PTX."""
        return self._core.module.code

    @property
    def compiled_from(self) -> tuple[Any, ...] | None:
        """Arguments for `CompiledCode`; None if it was loaded from PTX."""
        return self._compiled.given if self._compiled else None

    @property
    def enable_cooperative_groups(self) -> bool:
        """Whether launches are cooperative, so that `this_grid().sync()` works."""
        return self._core.cooperative

    @property
    def attributes(self) -> dict[str, int]:
        """Attributes of the kernel from the driver, by the names below.

        Example:
            >>> from minitorch import cuda
            >>> fill = cuda.RawKernel("__global__ void f(int* x) { *x = 1; }", "f")
            >>> fill.attributes["shared_size_bytes"]
            0
        """
        numbers = ATTRIBUTES.items()
        return {name: self._core.attribute(number) for name, number in numbers}

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """Maximum dynamic shared memory of a launch, in bytes.

        Together with the declared arrays a block gets 48 KiB; set this before a launch
        that needs more (64 KiB in all on a T4, as `cudaFuncSetAttribute` allows).

        Raises:
            LaunchError: set to more than the card has.
        """
        return self._core.max_dynamic_shared

    @max_dynamic_shared_size_bytes.setter
    @learner_frames
    def max_dynamic_shared_size_bytes(self, size: SupportsIndex) -> None:
        self._core.max_dynamic_shared = shared_bytes(size)

    @learner_frames
    def resources(self, gpu: str | None = None) -> Resources:
        """Return registers, memory and spills of the machine code for a GPU.

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
        """Launch asynchronously.

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
        try:
            values = argument_list(args)
            read = configuration(grid, block, shared_mem, stream)
            if not launch_notes.OPEN and not self._checked:
                self._core.launch(read.core, values)
                return
            with read.stream or nullcontext():
                self._launch_noted(read, values)
        except Exception as error:
            hide_library(error)
            raise

    def _launch_noted(self, read: Configuration, values: Sequence[Any]) -> None:
        """Launch, perhaps the debug build, and notify the open inspections."""
        for_debuggers = self._checked or launch_notes.wants_debug()
        compiled = self._compiled if for_debuggers else None
        core = compiled.debug_kernel(self._core) if compiled else self._core
        noted = Launched(
            kernel=self.name,
            owner=0,
            grid=read.grid,
            block=read.block,
            names=[name for name, _, _ in core.parameters],
            values=values,
            source=lambda: self.code,
            ptx=lambda: core.module.ptx,
            debug=compiled is not None,
        )
        with compiled.lent_variables() if compiled else nullcontext():
            launch_notes.note(noted, lambda: core.launch(read.core, values))

    @learner_frames
    def __getitem__(self, brackets: tuple[Any, ...]) -> Callable[..., None]:
        """Return a launcher: `k[grid, block, stream, shared_mem](*args)`."""
        grid, block, shared_mem, stream = bracketed(brackets)

        @learner_frames
        def launch(*args: Any) -> None:
            self(grid, block, args, shared_mem, stream)

        return launch

    def __repr__(self) -> str:
        types = ", ".join(type_ or "?" for _, type_, _ in self._core.parameters)
        return f"{type(self).__name__}({self.name}({types}))"


class RawKernel(Kernel):
    """Kernel written in CUDA C++.

    Args:
        code: the source; `extern "C"` is not needed.
        name: the `__global__` function, or a name expression of a template.
        options: for NVRTC, such as ("-DTILE=16",).
        enable_cooperative_groups: launch cooperatively: all blocks run at once, and
            `cooperative_groups::this_grid().sync()` waits for all of them.

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

    @learner_frames
    def __init__(
        self,
        code: str,
        name: str,
        options: Iterable[str] = (),
        *,
        enable_cooperative_groups: bool = False,
    ) -> None:
        require_text(code, "code")
        require_text(name, "name")
        expressions = (name,) if "<" in name else ()
        compiled = CompiledCode(code, options, expressions, pseudo_file(name), {})
        core = compiled.module.function(name)
        super().__init__(core, enable_cooperative_groups, compiled)
