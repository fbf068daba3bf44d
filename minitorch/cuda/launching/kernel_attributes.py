"""What the driver says of a loaded kernel, by CuPy's names."""

from __future__ import annotations

from typing import SupportsIndex

from ... import _core
from ..tracebacks import learner_frames
from .launch_shape import shared_bytes

# The numbers of the driver's CUfunction_attribute, by CuPy's names.
_ATTRIBUTES = {
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


class KernelAttributes:
    """Numbers of one loaded kernel."""

    def __init__(self, core: _core.RawKernel) -> None:
        self._core = core

    @property
    def attributes(self) -> dict[str, int]:
        """What the driver says of the kernel, by the names below.

        Example:
            >>> from minitorch import cuda
            >>> fill = cuda.RawKernel("__global__ void f(int* x) { *x = 1; }", "f")
            >>> fill.attributes["shared_size_bytes"], fill.local_size_bytes
            (0, 0)
        """
        numbers = _ATTRIBUTES.items()
        return {name: self._core.attribute(number) for name, number in numbers}

    @property
    def max_threads_per_block(self) -> int:
        """Threads that a block may have, by the registers it needs."""
        return self._core.attribute(_ATTRIBUTES["max_threads_per_block"])

    @property
    def shared_size_bytes(self) -> int:
        """Bytes of the shared arrays that it declares."""
        return self._core.attribute(_ATTRIBUTES["shared_size_bytes"])

    @property
    def const_size_bytes(self) -> int:
        """Bytes of constant memory."""
        return self._core.attribute(_ATTRIBUTES["const_size_bytes"])

    @property
    def local_size_bytes(self) -> int:
        """Bytes of local memory of a thread."""
        return self._core.attribute(_ATTRIBUTES["local_size_bytes"])

    @property
    def num_regs(self) -> int:
        """Registers of a thread."""
        return self._core.attribute(_ATTRIBUTES["num_regs"])

    @property
    def ptx_version(self) -> int:
        """The virtual architecture that it was compiled for: 75 for compute_75."""
        return self._core.attribute(_ATTRIBUTES["ptx_version"])

    @property
    def binary_version(self) -> int:
        """The architecture of its machine code: 75 for sm_75."""
        return self._core.attribute(_ATTRIBUTES["binary_version"])

    @property
    def cache_mode_ca(self) -> int:
        """1 where it was compiled to cache global loads in L1."""
        return self._core.attribute(_ATTRIBUTES["cache_mode_ca"])

    @property
    def preferred_shared_memory_carveout(self) -> int:
        """Percent of L1 to use as shared memory; -1 leaves it to the driver.

        Raises:
            ValueError: set to anything but -1 to 100.
        """
        return self._core.attribute(_ATTRIBUTES["preferred_shared_memory_carveout"])

    @preferred_shared_memory_carveout.setter
    @learner_frames
    def preferred_shared_memory_carveout(self, percent: int) -> None:
        if not isinstance(percent, int) or not -1 <= percent <= 100:
            raise ValueError(
                f"[kernel] got carveout {percent!r}; need an int from -1 to 100."
            )
        number = _ATTRIBUTES["preferred_shared_memory_carveout"]
        self._core.set_attribute(number, percent)

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
    @learner_frames
    def max_dynamic_shared_size_bytes(self, size: SupportsIndex) -> None:
        self._core.max_dynamic_shared = shared_bytes(size)
