"""Records of an explanation: card, layers, ops, kernels, sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ..cuda.inspecting.inspection import Launch

Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Gpu:
    """The card of an explanation, from its data sheet.

    Attributes:
        name: its short name, such as "rtx3090"; title: its whole name.
        sms: multiprocessors; warps_per_sm: warps that each holds.
        clock_ghz: the clock at which the peaks below are reached.
        bandwidth: bytes a second of its memory; l2_bytes: of its second cache.
        peak: operations a second by type: "half", "single", "double".
    """

    name: str
    title: str
    sms: int
    warps_per_sm: int
    clock_ghz: float
    bandwidth: float
    l2_bytes: int
    peak: Mapping[str, float]


@dataclass(frozen=True)
class Layer:
    """One module that was called, in the order of first calls.

    Its `name` is dotted, from the outermost module, whose own is ""; its `type` is its
    class.

    Attributes:
        parent: the number of the layer around it; None for the outermost.
        input_shapes, output_shape: of its tensors at the first call; output_shape is
            None where the result is no single tensor.
        parameters, parameter_bytes: of it and all within it.
        calls: how often it ran.
        kernels: numbers of the kernels that ran in it or in layers within.
    """

    name: str
    type: str
    parent: int | None
    input_shapes: tuple[tuple[int, ...], ...]
    output_shape: tuple[int, ...] | None
    parameters: int
    parameter_bytes: int
    calls: int
    kernels: tuple[int, ...]


@dataclass(frozen=True)
class Op:
    """One operation of the library that was called.

    Its `name` is such as "matmul"; `file` and `line` are those of its C++.

    Attributes:
        layer: the number of the layer in which it was called.
        parent: the number of the op that called it, or None.
        backward: whether it is a step of a backward pass, or within one.
        shapes, dtypes: of its tensors.
        python_line: the caller's, "train.py:12", or "".
        kernels: numbers of the kernels that it launched.
    """

    name: str
    layer: int
    parent: int | None
    backward: bool
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    python_line: str
    file: str
    line: int
    kernels: tuple[int, ...]


@dataclass(frozen=True)
class Asked:
    """Bytes that warps request, by direction: 32 per sector and request."""

    read: int
    written: int


@dataclass(frozen=True)
class Touched:
    """Bytes of distinct sectors: read, written, and either of them counted once."""

    read: int
    written: int
    either: int


@dataclass(frozen=True)
class Moved:
    """Bytes that a kernel moves, by where they lie.

    Attributes:
        registers: what loads bring into registers, and stores take from them.
        shared: what lanes load from and store to shared memory.
        asked: 32 for each sector that its warps request of global memory.
        touched: 32 for each distinct sector of it; None where it was not recorded.
            What goes over the bus of the card's memory is between the two.
    """

    registers: int
    shared: int
    asked: Asked
    touched: Touched | None


@dataclass(frozen=True)
class Residency:
    """How many blocks of a kernel one multiprocessor of the card holds at once.

    Attributes:
        blocks_per_sm: blocks; 0 when such a block cannot run.
        warps: of these blocks; of: warps that a multiprocessor can hold.
        limit: what keeps more blocks away, such as "registers".
    """

    blocks_per_sm: int
    warps: int
    of: int
    limit: str


@dataclass(frozen=True)
class AtLeast:
    """Lower bound of a kernel's time on the card.

    Attributes:
        seconds: the largest of the three below.
        bound: which one that is: "memory", "compute", "issue", or "neither".
        memory_seconds: what must be read, and what is written beyond the L2, at the
            bandwidth of the memory.
        compute_seconds: the executed operations at the peak of the multiprocessors
            that have a block.
        issue_seconds: the PTX instructions of warps, where each of these
            multiprocessors issues 4 a clock. Machine code has about as many.
    """

    seconds: float
    bound: Literal["memory", "compute", "issue", "neither"]
    memory_seconds: float
    compute_seconds: float
    issue_seconds: float


@dataclass(frozen=True)
class ArrayUse:
    """An array that a kernel got.

    Attributes:
        parameter: the kernel's name of it; shape; dtype: such as "float32".
        address: of its first element; bytes: from there to its last one.
        strides: from an element to the next one of each dimension, in elements.
    """

    parameter: str
    shape: tuple[int, ...]
    dtype: str
    address: int
    bytes: int
    strides: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        parameter: str,
        shape: Sequence[int],
        dtype: str,
        address: int,
        strides: Sequence[int],
        item: int,
    ) -> ArrayUse:
        """Create from strides in elements, and the bytes of an element."""
        steps = zip(shape, strides, strict=True)
        reach = 0 if 0 in shape else 1 + sum((n - 1) * step for n, step in steps)
        return cls(
            parameter, tuple(shape), dtype, address, reach * item, tuple(strides)
        )

    @cached_property
    def item(self) -> int:
        """Bytes of an element."""
        steps = zip(self.shape, self.strides, strict=True)
        return self.bytes // (1 + sum((n - 1) * step for n, step in steps)) or 1

    def element(self, address: int) -> tuple[int, ...] | None:
        """Return the index of the element at an address, or None if there is none."""
        if not self.address <= address < self.address + self.bytes:
            return None
        left, rest = divmod(address - self.address, self.item)
        index = [0] * len(self.shape)
        for dim, step, last in self._steps:
            index[dim] = min(left // step, last)
            left -= index[dim] * step
        return None if left or rest else tuple(index)

    @cached_property
    def _steps(self) -> list[tuple[int, int, int]]:
        """Dimension, stride and last index of each dimension, largest stride first."""
        steps = [
            (dim, step, extent - 1)
            for dim, (step, extent) in enumerate(
                zip(self.strides, self.shape, strict=True)
            )
            if step > 0 and extent > 1
        ]
        return sorted(steps, key=lambda entry: -entry[1])

    def address_of(self, index: tuple[int, ...]) -> int:
        """Return the address of an element."""
        steps = zip(index, self.strides, strict=True)
        return self.address + self.item * sum(i * step for i, step in steps)


def array_at(arrays: Iterable[ArrayUse], address: int) -> ArrayUse | None:
    """Return the smallest array that has an element at an address, or None."""
    matches = [array for array in arrays if array.element(address) is not None]
    return min(matches, key=lambda array: array.bytes, default=None)


@dataclass(frozen=True)
class Kernel:
    """One launch of a kernel, with the kernel's `name` and `file`.

    Attributes:
        index: its number, in the order of the launches.
        source: the text of its file.
        layer, op: numbers of the layer and of the op that launched it; op is None for
            a kernel of the user.
        layer_name, op_name: their names; "" for the outermost layer, and for no op.
        python_line: the line of the program, "train.py:12", or "".
        grid, block: the shape; blocks: of the grid; threads: of one block.
        macs_useful: multiply-adds that the formula of a product or convolution has; 0
            for other kernels.
        macs_executed: multiply-adds that lanes execute: with those of padding, and
            those that a compiler makes of other arithmetic, as of exp's polynomial.
        moved: see there.
        occupancy: None where the machine code for the card is not known.
        sms: multiprocessors of the card; sms_used: those with a block.
        waves: rounds until all blocks have run.
        sm_of_block: on which multiprocessor a block runs, in words.
        noted_places: pairs (block, multiprocessor) that a run noted; None where none
            did, and `sm_of_block` says why where it was asked for.
        at_least: see there.
        seconds: measured on a GPU; None on the emulator.
        inputs, outputs: its arrays.
        launch: as `cuda.inspect` has it, with all counters.
    """

    index: int
    name: str
    file: str
    layer: int
    op: int | None
    layer_name: str
    op_name: str
    python_line: str
    grid: Triple
    block: Triple
    blocks: int
    threads: int
    source: str
    macs_useful: int
    macs_executed: int
    moved: Moved
    occupancy: Residency | None
    sms_used: int
    waves: int | None
    sm_of_block: str
    noted_places: tuple[tuple[int, int], ...] | None = field(metadata={"plain": False})
    sms: int = field(metadata={"plain": False})
    at_least: AtLeast
    seconds: float | None
    inputs: tuple[ArrayUse, ...]
    outputs: tuple[ArrayUse, ...]
    launch: Launch | None = field(default=None, metadata={"plain": False})

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """Pairs (block, multiprocessor): measured, or by the model `sm_of_block`."""
        if self.noted_places is not None:
            return self.noted_places
        return tuple((block, block % self.sms) for block in range(self.blocks))


def place_of(kernel: Kernel, layers: Sequence[Layer], ops: Sequence[Op]) -> str:
    """Return the layer and op that launched a kernel: "layer1.matmul (back)"."""
    op = ops[kernel.op] if kernel.op is not None else None
    names = (layers[kernel.layer].name, op.name if op else "")
    back = " (back)" if op is not None and op.backward else ""
    return ".".join(name for name in names if name) + back


@dataclass(frozen=True)
class Totals:
    """Sums over all kernels; `at_least` in seconds, one kernel after another."""

    kernels: int
    macs_useful: int
    macs_executed: int
    asked: int
    touched: int
    parameters: int
    parameter_bytes: int
    at_least: float
