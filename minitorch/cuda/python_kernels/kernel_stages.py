"""Looking at what a Python kernel became: CUDA C++, PTX, machine code, registers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..tracebacks import learner_frames

if TYPE_CHECKING:
    from ..inspecting.resources import Resources
    from ..language.types import KernelType
    from .specialization import Specialization

Types = tuple["KernelType", ...]


class KernelStages:
    """The specialisations of a kernel, each stage of them at hand.

    Attributes:
        overloads: What it is compiled to, by argument types.
        declared: Argument types of its signatures; none: it takes any.
    """

    __name__: str

    def __init__(self) -> None:
        self.overloads: dict[Types, Specialization] = {}
        self.declared: list[Types] = []

    @abstractmethod
    def compile(self, signature: Any) -> Specialization:
        """Compile for argument types."""

    @property
    def specialized(self) -> bool:
        """Is it compiled for declared types, and for no others?"""
        return bool(self.declared)

    def _each(self, signature: Any, read: Callable[[Specialization], Any]) -> Any:
        if signature is not None:
            return read(self.compile(signature))
        if self.specialized and len(self.overloads) == 1:
            return read(next(iter(self.overloads.values())))
        return {kinds: read(each) for kinds, each in self.overloads.items()}

    @learner_frames
    def inspect_cuda(self, signature: Any = None) -> Any:
        """Give the CUDA C++ that the function became.

        Args:
            signature: For which types (compiled if need be); None: all so far, by
                argument types.
        """
        return self._each(signature, lambda each: each.source.cuda)

    @learner_frames
    def inspect_ptx(self, signature: Any = None) -> Any:
        """Give the PTX that NVRTC made of it; see `inspect_cuda`."""
        return self._each(signature, lambda each: each.ptx)

    inspect_asm = inspect_ptx

    def inspect_llvm(self, signature: Any = None) -> Any:
        """Refuse: there is no LLVM here."""
        raise NotImplementedError(
            "[inspect_llvm] kernels become CUDA C++ and then PTX; need inspect_cuda() "
            "or inspect_ptx()."
        )

    @learner_frames
    def inspect_sass(self, signature: Any = None) -> Any:
        """Give the machine code of the device's card, by nvdisasm; see `inspect_cuda`.

        Raises:
            RuntimeError: nvdisasm is not installed.
        """
        from ..compiling.disassembly import sass_of

        return self._each(signature, lambda each: sass_of(each.raw))

    @learner_frames
    def resources(self, gpu: str | None = None, signature: Any = None) -> Resources:
        """Registers, memory and spills of the machine code for a card.

        Args:
            gpu: "t4", "rtx3090", "a100", "h100" or "h200"; None: the device's card.
            signature: For which types; None: the one it is compiled for so far.

        Raises:
            ValueError: An unknown card, or not compiled for exactly one tuple of types.
        """
        if signature is None and len(self.overloads) != 1:
            raise ValueError(
                f"[resources] {self.__name__} is compiled for {len(self.overloads)} "
                "tuples of types; need a signature, such as 'void(float32[:])'."
            )
        if signature is not None:
            return self.compile(signature).resources(gpu)
        return next(iter(self.overloads.values())).resources(gpu)

    @learner_frames
    def get_regs_per_thread(self, signature: Any = None) -> Any:
        """Registers of a thread; see `inspect_cuda` for `signature`."""
        return self._each(signature, lambda each: each.regs_per_thread)

    @learner_frames
    def get_const_mem_size(self, signature: Any = None) -> Any:
        """Bytes of constant memory; see `inspect_cuda` for `signature`."""
        return self._each(signature, lambda each: each.const_mem_size)

    @learner_frames
    def get_shared_mem_per_block(self, signature: Any = None) -> Any:
        """Bytes of the shared arrays of a block; see `inspect_cuda`."""
        return self._each(signature, lambda each: each.shared_mem_per_block)

    @learner_frames
    def get_max_threads_per_block(self, signature: Any = None) -> Any:
        """Most threads of a block; see `inspect_cuda` for `signature`."""
        return self._each(signature, lambda each: each.max_threads_per_block)

    @learner_frames
    def get_local_mem_per_thread(self, signature: Any = None) -> Any:
        """Bytes of local memory of a thread; see `inspect_cuda` for `signature`."""
        return self._each(signature, lambda each: each.local_mem_per_thread)
