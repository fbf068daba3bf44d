"""How one element of a layer's output is computed: threads, factors, sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..cuda.pictures import picture_of
from ..cuda.tracebacks import learner_methods

Triple = tuple[int, int, int]


@dataclass(frozen=True)
class LoadedBy:
    """Thread (x, y, z) of the same block that loaded a number from global memory."""

    thread: Triple
    line: int


@dataclass(frozen=True)
class Factor:
    """One factor of a multiply-add.

    Attributes:
        value: the number.
        array: the kernel's parameter that it was read from; "" for a constant or for
            what was computed before.
        element: its index there; () where `array` is "".
        address: of it in global memory; 0 where `array` is "".
        loaded_by: who read it: the thread itself, or another one that passed it on
            through shared memory; None where `array` is "".
    """

    value: float
    array: str = ""
    element: tuple[int, ...] = ()
    address: int = 0
    loaded_by: LoadedBy | None = None


@dataclass(frozen=True)
class Mac:
    """A multiply-add: partial = a * b + the previous `partial`.

    Attributes:
        a, b: the factors.
        partial: the sum after it, as the register held it.
        padded: whether a factor is the zero that stands for a cell past the edge.
    """

    a: Factor
    b: Factor
    partial: float
    padded: bool


@dataclass(frozen=True)
class Part:
    """Computation of the element in one kernel: its thread and inputs.

    Attributes:
        kernel: its number in the explanation; name: its name.
        grid, block_shape: the shape of the launch.
        block: the block (x, y, z) of the thread; thread: it itself; warp, lane: where
            it stands in its block; sm: the multiprocessor (modelled: the block's number
            modulo their number).
        value: what it stored; address: where.
        macs: its multiply-adds, in order.
        steps: its other operations, in order, in words.
        source_line: the line of the store in the kernel's file; 0 where not known.
        place: the layer and the op that launched it, as the table names them.
    """

    kernel: int
    name: str
    grid: Triple
    block_shape: Triple
    block: Triple
    thread: Triple
    warp: int
    lane: int
    sm: int
    value: float
    address: int
    macs: tuple[Mac, ...]
    steps: tuple[str, ...]
    source_line: int
    place: str
    _recompute: Callable[[], float] = field(repr=False)

    def recompute(self) -> float:
        """Compute `value` from the loaded values, with exact arithmetic.

        Each operation is done as IEEE 754 says, a multiply-add with one rounding, in
        the thread's order. The result equals `value` bit for bit. What has no exact
        definition (approximate functions) keeps the value of the run.
        """
        return self._recompute()


@learner_methods
@dataclass(frozen=True)
class Neuron:
    """One element of a layer's output: see `Explanation.neuron`.

    Attributes:
        layer, index: which one.
        value: what it became.
        chain: a part for each kernel that had a share in it, in the order of the
            launches; the last one stored the value.
        left_out: parts beyond the most that are kept.
    """

    layer: str
    index: tuple[int, ...]
    value: float
    chain: tuple[Part, ...]
    left_out: int = 0

    def show(self) -> Any:
        """Draw the factors, their path, and the running sum; return a figure."""
        return picture_of("neuron", self)

    def __str__(self) -> str:
        index = ", ".join(map(str, self.index))
        lines = [f"{self.layer or 'result'}[{index}] = {self.value!r}"]
        for part in self.chain:
            macs = f", {len(part.macs)} multiply-adds" if part.macs else ""
            lines.append(
                f"  {part.place or 'kernel'} ({part.name}): block {part.block}, thread "
                f"{part.thread}, warp {part.warp}, lane {part.lane}, SM {part.sm}{macs}"
                f" -> {part.value!r}"
            )
        if self.left_out:
            lines.append(f"  and {self.left_out} more parts, not shown")
        return "\n".join(lines)
