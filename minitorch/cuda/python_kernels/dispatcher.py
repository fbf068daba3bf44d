"""`Dispatcher`: a Python kernel, compiled for each tuple of argument types."""

from __future__ import annotations

import functools
import math
import struct
import types
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.device_array import LARGE, DeviceArray
from ..compiling.kernel_options import JitOptions
from ..compiling.signatures import signature_from
from ..errors import LaunchError
from ..language.types import FunctionType
from ..launching.arguments import (
    Parameters,
    Transfer,
    check_fits,
    has_large,
    is_plain,
    key_of,
    type_of,
    warn_of_performance,
)
from ..launching.launch_notes import OPEN
from ..launching.launch_shape import bracketed, configuration
from ..raw.raw_kernel import ATTRIBUTES
from ..tracebacks import hide_library, learner_frames
from .device_function import is_global
from .kernel_launch import launch

if TYPE_CHECKING:
    from ..inspecting.resources import Resources
    from ..language.types import KernelType
    from .specialization import Specialization

Types = tuple["KernelType", ...]

_MOST_CONFIGURED = 256

#: Fewer blocks than this leave multiprocessors of a large GPU without work.
_SMALL_GRID = 128

# By argument types (of an array its `kernel_key`): how to pack, and launch.
Known = dict[tuple[Any, ...], tuple[Callable[..., bytes], Callable[..., None]]]


def _is_plain(brackets: Any) -> bool:
    """Return whether all parts are ints or tuples of ints (1.0 == 1 as a key)."""
    if type(brackets) is not tuple:
        return False
    for part in brackets:
        kind = type(part)
        if kind is tuple:
            for size in part:
                if type(size) is not int:
                    return False
        elif kind is not int:
            return False
    return True


class Dispatcher:
    """Kernel written in Python, compiled per tuple of argument types.

    `kernel[grid, block](...)` compiles it for the types of the arguments, if that has
    not been done, and launches it.

    Attributes:
        py_func: The Python function.
        options: What `jit` was asked for.
        overloads: What it is compiled to, by argument types.
        declared: Argument types of its signatures; none: it takes any.
    """

    __name__: str
    is_kernel = True

    def __init__(
        self,
        function: types.FunctionType,
        options: JitOptions,
        signatures: Sequence[FunctionType] = (),
    ) -> None:
        functools.update_wrapper(self, function)
        self.overloads: dict[Types, Specialization] = {}
        self.declared: list[Types] = []
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.py_func = function
        self.options = options
        self._parameters = Parameters(function)
        self.known: Known = {}
        self.known_to_small: Known = {}
        self._seen: dict[Any, Specialization] = {}
        self._configured: dict[Any, ConfiguredKernel] = {}
        self._kept: list[Any] = []  # whose ids are in `known` and `_seen`
        for signature in signatures:
            self.compile(signature)
            self.declared.append(signature.arguments)

    @property
    def signatures(self) -> list[Types]:
        """Argument types for which it is compiled."""
        return list(self.overloads)

    @learner_frames
    def compile(self, signature: Any) -> Specialization:
        """Compile for argument types, without a launch.

        Args:
            signature: Such as `'void(float32[:], int32)'` or `(float32[:], int32)`.

        Raises:
            CompileError: The function has no meaning for them.
            TypeError: The signature has a result, or another number of arguments.
        """
        parsed = signature_from(signature)
        if parsed.result is not None:
            raise TypeError(
                f"[jit] a kernel returns nothing, but its signature is {parsed}; need "
                "void(...). Write results to an array parameter."
            )
        self._parameters.check_count(len(parsed.arguments))
        return self._specialization(parsed.arguments)

    def _specialization(self, kinds: Types) -> Specialization:
        specialization = self.overloads.get(kinds)
        if specialization is None:
            from ..language.kernel import compile_kernel
            from .specialization import Specialization

            source = compile_kernel(self.py_func, kinds)
            file = self.py_func.__code__.co_filename
            specialization = Specialization(source, kinds, self.options, file)
            self.overloads[kinds] = specialization
        return specialization

    def __getitem__(self, brackets: Any) -> ConfiguredKernel:
        """Return the kernel with grid, block and, optionally, stream and shared memory.

        Raises:
            LaunchError: Not 2 to 4 parts, or sizes that no launch can have.
        """
        plain = _is_plain(brackets)
        configured = self._configured.get(brackets) if plain else None
        if configured is None:
            with learner_frames:
                configured = ConfiguredKernel(self, brackets, warns=True)
            if plain:
                if len(self._configured) >= _MOST_CONFIGURED:
                    self._configured.clear()
                self._configured[brackets] = configured
        return configured

    @learner_frames
    def forall(self, ntasks: int) -> Callable[..., None]:
        """Return a launcher with one thread for each of `ntasks` tasks.

        Args:
            ntasks: Number of tasks; with 0 nothing is launched. The last block may have
                threads without a task: the kernel has to guard against them.

        Example:
            >>> import numpy as np
            >>> from minitorch import cuda
            >>> @cuda.jit
            ... def triple(x):
            ...     i = cuda.grid(1)
            ...     if i < x.size:
            ...         x[i] *= 3
            >>> x = cuda.to_device(np.arange(5))
            >>> triple.forall(x.size)(x)
            >>> x.copy_to_host()
            array([ 0,  3,  6,  9, 12])
        """
        if isinstance(ntasks, bool) or not isinstance(ntasks, (int, np.integer)):
            raise TypeError(f"[forall] got ntasks {ntasks!r}; need an int.")
        if ntasks < 0:
            raise ValueError(f"[forall] got ntasks {ntasks}; need at least 0.")

        @learner_frames
        def launch_all(*args: Any) -> None:
            if ntasks == 0:
                return
            # 256 threads a block, or fewer if registers limit it.
            most = ATTRIBUTES["max_threads_per_block"]
            threads = min(256, self.chosen_for(args).raw.attribute(most))
            ConfiguredKernel(self, (-(-int(ntasks) // threads), threads))(*args)

        return launch_all

    def chosen_for(self, args: Sequence[Any]) -> Specialization:
        """Return the specialization that a launch with these arguments would run."""
        ready = self._transferred(Transfer(), args)
        return self._chosen(self._types(ready), ready)

    def launch(
        self, configured: ConfiguredKernel, args: Sequence[Any], named: dict[str, Any]
    ) -> None:
        """Launch with any arguments: check, copy in, compile, run, copy back."""
        args = self._parameters.bound(args, named)
        with configured.configuration.stream or nullcontext():
            transfer = Transfer()
            ready = self._transferred(transfer, args)
            if transfer.moved:
                warn_of_performance(
                    "[launch] got a host array, which is copied to the device and "
                    "back. A device array is faster: cuda.to_device(array).",
                    "NUMBA_CUDA_WARN_ON_IMPLICIT_COPY",
                )
            key = tuple([key_of(value) for value in ready])
            if configured.is_small and has_large(key):
                configured.warn_of_small_grid()
            chosen = self._seen.get(key)
            if chosen is None:
                chosen = self._chosen(self._types(ready), ready)
                self._remember(args, ready, chosen)
            transfer.check_written(chosen.source.written)
            launch(configured.configuration, chosen, ready)
            transfer.finish()

    def _transferred(self, transfer: Transfer, args: Sequence[Any]) -> list[Any]:
        return [
            transfer.ready(value, self._parameters.name(index))
            for index, value in enumerate(args)
        ]

    def _types(self, values: Sequence[Any]) -> Types:
        return tuple(
            type_of(value, self._parameters.name(index))
            for index, value in enumerate(values)
        )

    def _chosen(self, kinds: Types, values: Sequence[Any]) -> Specialization:
        if not self.declared or kinds in self.declared:
            return self._specialization(kinds)
        problems: list[Exception] = []
        for declared in self.declared:
            try:
                for index, (value, kind) in enumerate(
                    zip(values, declared, strict=True)
                ):
                    check_fits(value, kind, self._parameters.name(index))
            except (TypeError, ValueError) as problem:
                problems.append(problem)
                continue
            return self._specialization(declared)
        if len(problems) == 1:
            raise problems[0]
        given = ", ".join(map(str, kinds))
        known = "; ".join(
            f"({', '.join(map(str, declared))})" for declared in self.declared
        )
        raise TypeError(
            f"[launch] {self.__name__} got arguments of types ({given}); need one of "
            f"its signatures: {known}."
        )

    def _remember(
        self, args: Sequence[Any], ready: Sequence[Any], chosen: Specialization
    ) -> None:
        """Cache the specialization: later launches with these types are faster."""
        if self._types(ready) != chosen.types:
            return  # another value of these types may not fit the signature
        key = tuple([key_of(value) for value in ready])
        self._kept.append(chosen.types)
        self._kept.extend(getattr(value, "kernel_type", None) for value in ready)
        self._seen[key] = chosen
        if chosen.layout.is_plain and all(map(is_plain, args)):
            way = chosen.layout.pack_plain, chosen.kernel.launch
            self.known[key] = way
            if not has_large(key):
                self.known_to_small[key] = way

    @learner_frames
    def __call__(self, *args: Any, **named: Any) -> Any:
        """Raise LaunchError: a kernel needs a grid and a block."""
        raise LaunchError(
            f"[launch] {self.__name__} is a kernel: launch it as "
            f"{self.__name__}[blocks, threads](...). The plain Python function is "
            f"{self.__name__}.py_func."
        )

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        raise TypeError(
            f"[jit] {self.__name__} is a method of {type(instance).__name__}; a kernel "
            "cannot take self. Put @staticmethod above @cuda.jit."
        )

    def __reduce__(self) -> Any:
        if is_global(self):
            return self.__qualname__
        signatures = [FunctionType(None, types) for types in self.declared]
        return type(self), (self.py_func, self.options, signatures)

    def __repr__(self) -> str:
        return f"<cuda kernel {self.__qualname__}, {len(self.overloads)} compiled>"

    def _inspect(self, signature: Any, read: Callable[[Specialization], Any]) -> Any:
        if signature is not None:
            return read(self.compile(signature))
        if self.declared and len(self.overloads) == 1:
            return read(next(iter(self.overloads.values())))
        return {
            kinds: read(specialization)
            for kinds, specialization in self.overloads.items()
        }

    @learner_frames
    def inspect_cuda(self, signature: Any = None) -> Any:
        """Return the CUDA C++ that the function was translated to.

        Args:
            signature: For which types (compiled if need be); None: all so far, by
                argument types.
        """
        return self._inspect(signature, lambda kernel: kernel.source.cuda)

    @learner_frames
    def inspect_ptx(self, signature: Any = None) -> Any:
        """Return the PTX that NVRTC compiled; see `inspect_cuda`."""
        return self._inspect(signature, lambda kernel: kernel.ptx)

    inspect_asm = inspect_ptx

    @learner_frames
    def resources(self, gpu: str | None = None, signature: Any = None) -> Resources:
        """Return registers, memory and spills of the machine code for a GPU.

        Args:
            gpu: "t4", "rtx3090", "a100", "h100" or "h200"; None: the device's card.
            signature: For which types; None: the one it is compiled for so far.

        Raises:
            ValueError: An unknown card, or not compiled for exactly one tuple of types.
        """
        if signature is None and len(self.overloads) != 1:
            raise ValueError(
                f"[resources] {self.__name__} is compiled for {len(self.overloads)} "
                "signatures; pass one of them, such as 'void(float32[:])'."
            )
        if signature is not None:
            return self.compile(signature).resources(gpu)
        return next(iter(self.overloads.values())).resources(gpu)

    @learner_frames
    def get_regs_per_thread(self, signature: Any = None) -> Any:
        """Return registers per thread; see `inspect_cuda` for `signature`."""
        number = ATTRIBUTES["num_regs"]
        return self._inspect(signature, lambda kernel: kernel.raw.attribute(number))


class ConfiguredKernel:
    """Kernel with its launch configuration, `kernel[grid, block]`: call it to launch.

    Arguments that were seen before by type go to the core in one step; all others take
    the long way through the dispatcher.

    Attributes:
        configuration: Grid, block, stream and dynamic shared memory.
        is_small: Is the grid to be warned of where an array is large?
    """

    def __init__(
        self, dispatcher: Dispatcher, brackets: Any, warns: bool = False
    ) -> None:
        self.configuration = configuration(*bracketed(brackets))
        self._core = self.configuration.core
        self._dispatcher = dispatcher
        self.is_small = warns and math.prod(self.configuration.grid) < _SMALL_GRID
        self._known = dispatcher.known_to_small if self.is_small else dispatcher.known

    def warn_of_small_grid(self) -> None:
        """Warn, once per call site, that the grid leaves most of a GPU idle."""
        blocks = math.prod(self.configuration.grid)
        warn_of_performance(
            f"[launch] got a grid of {blocks} block{'s' * (blocks > 1)} for at least "
            f"{LARGE:,} elements, which leaves most of a GPU idle. Use at least "
            f"{_SMALL_GRID} blocks.",
            "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS",
        )

    def __call__(self, *args: Any, **named: Any) -> None:
        """Launch. Asynchronous, unless host arrays are copied back."""
        try:
            if OPEN:  # the inspections want to know more than types
                self._dispatcher.launch(self, args, named)
                return
            fast_path = self._known.get(
                tuple(
                    [
                        arg.kernel_key
                        if arg.__class__ is DeviceArray
                        else arg.__class__
                        for arg in args
                    ]
                )
            )
            if fast_path is not None and not named:
                pack, launch_core = fast_path
                try:
                    packed = pack(
                        *[
                            arg.kernel_bytes if arg.__class__ is DeviceArray else arg
                            for arg in args
                        ]
                    )
                except struct.error:  # an int that is no int64
                    packed = None
                if packed is not None:
                    launch_core(self._core, packed)
                    return
            self._dispatcher.launch(self, args, named)
        except Exception as error:
            hide_library(error)
            raise

    def __repr__(self) -> str:
        grid, block = self.configuration.grid, self.configuration.block
        return f"{self._dispatcher.__name__}[{grid}, {block}]"
