"""The numbers of the network view: an explanation, read and checked.

It reads `minitorch.explain/1`, which `to_dict` gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import PurePosixPath
from typing import Any

from ...traces.residency import short_card
from ...traces.schemas import Form
from .writers import goes_along, is_librarys, owners_of

_FORM = Form(
    view="network",
    schema="minitorch.explain/1",
    what="an explanation",
    method="to_dict",
    made="explanation = minitorch.explain(model, x).",
)
LANES = 32
_LIMITS = {"warps": "threads", "shared": "shared memory", "blocks": "block slots"}
MOST_OWNED = 10_240  # cells of an output whose threads are told one by one


@dataclass(frozen=True)
class Array:
    """An array of a launch: its parameter, its shape, elements between neighbours.

    `strides` is () where they are not known.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many elements it has."""
        return prod(self.shape)

    @property
    def item(self) -> int:
        """Bytes of an element."""
        digits = "".join(each for each in self.dtype if each.isdigit())
        return int(digits) // 8 if digits else 1


@dataclass(frozen=True)
class Kernel:
    """One launch of a network.

    Attributes:
        index: Its place among all launches.
        name: Of the kernel.
        layer: Path of the module that launched it; "" for the outermost.
        kind: That module's class.
        op: The operation, such as "matmul".
        line: The Python line, "net.py:9", or "".
        grid, block: Its shape, (x, y, z).
        sms: Multiprocessors that get a block.
        places: The multiprocessor of each block, where it was measured; else None.
        waves: Rounds, if all blocks take equally long.
        occupancy: Blocks that one multiprocessor holds, their warps, most warps, and
            what stops the next block.
        useful, executed: Multiply-adds.
        registers, shared: Bytes moved.
        asked, touched: Bytes of global memory: requested, and those of distinct
            sectors (as many as asked where these were not recorded).
        seconds: At least; of these the memory, the arithmetic and the issue of
            instructions need.
        least_bytes: What the memory's bound is of.
        bound: "memory", "compute", "issue" or "neither".
        measured: Seconds, where a GPU ran it; else None.
        inputs, outputs: Its arrays.
        owners: The thread of the launch that stores each element of the first output,
            or () where that is not known or the cells are too many.
        along: Whether thread number i of the launch stores element i.
        own: Whether it is a kernel of the library, whose reads are known by its name.
        back: Whether it belongs to the way back.
    """

    index: int
    name: str
    layer: str
    kind: str
    op: str
    line: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    sms: int
    places: tuple[int, ...] | None
    waves: int
    occupancy: tuple[int, int, int, str]
    useful: int
    executed: int
    registers: int
    shared: int
    asked: int
    touched: int
    seconds: float
    memory_seconds: float
    compute_seconds: float
    issue_seconds: float
    least_bytes: int
    bound: str
    measured: float | None
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    owners: tuple[int, ...]
    along: bool
    own: bool
    back: bool

    @property
    def blocks(self) -> int:
        """Of its grid."""
        return prod(self.grid)

    @property
    def threads(self) -> int:
        """Of a block."""
        return prod(self.block)

    @property
    def warps(self) -> int:
        """Of a block."""
        return -(-self.threads // LANES)

    @property
    def products(self) -> int:
        """Multiply-adds that each thread executes; 0 where they differ or are none.

        Threads that are past the end of the cells need not execute any.
        """
        every = self.blocks * self.threads
        if self.executed % every and self.along:
            every = self.cells
        return self.executed // every if self.executed % every == 0 else 0

    @property
    def writers(self) -> int:
        """Threads that write a cell; 0 where that is not known."""
        if self.along:
            return self.cells
        return len({each for each in self.owners if each >= 0})

    @property
    def cells(self) -> int:
        """Of its first output."""
        return self.outputs[0].size if self.outputs else 0


@dataclass(frozen=True)
class Card:
    """The card that a network is mapped onto; `bandwidth` 0 where it is not known."""

    name: str
    sms: int
    bandwidth: float


@dataclass(frozen=True)
class Net:
    """A network and its launches, in their order.

    Attributes:
        call: What was called.
        card: What it is mapped onto.
        kernels: Its launches.
        layers: Path and class of each module, in the order of their first calls.
        parameters, parameter_bytes: Of the outermost module.
    """

    call: str
    card: Card
    kernels: tuple[Kernel, ...]
    layers: tuple[tuple[str, str], ...]
    parameters: int
    parameter_bytes: int


def _three(values: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = (*values, 1, 1, 1)[:3]
    return int(x), int(y), int(z)


def _array(found: Mapping[str, Any]) -> Array:
    strides = found.get("strides") or ()
    return Array(
        str(found["parameter"]),
        tuple(map(int, found["shape"])),
        str(found["dtype"]),
        tuple(map(int, strides)),
    )


def _places(kernel: Mapping[str, Any], blocks: int) -> tuple[int, ...] | None:
    """The multiprocessor of each block, where all were measured."""
    known = {int(block): int(sm) for block, sm in kernel.get("places") or ()}
    if len(known) < blocks:
        return None
    return tuple(known[block] for block in range(blocks))


def _owners(
    kernel: Mapping[str, Any], outputs: Sequence[Array]
) -> tuple[tuple[int, ...], bool]:
    """Which thread writes which cell, and whether threads go along the cells."""
    blocks, threads = prod(kernel["grid"]), prod(kernel["block"])
    if not outputs or not outputs[0].size:
        return (), False
    out, name = outputs[0], str(kernel["name"])
    few, own = out.size <= MOST_OWNED, is_librarys(name, str(kernel["file"]))
    told = tuple(map(int, kernel.get("owners") or ()))
    in_order = range(out.size) if few else ()
    along = own and goes_along(name, out.shape, out.strides, blocks, threads)
    if along and (not told or told == tuple(in_order)):
        return tuple(in_order), True
    if few and len(told) == out.size and max(told) < blocks * threads:
        return told, False
    if not own:
        return (), False
    grid, block = _three(kernel["grid"]), _three(kernel["block"])
    return owners_of(name, out.shape, grid, block) if few else (), False


def _occupancy(fit: Mapping[str, Any] | None) -> tuple[int, int, int, str]:
    if not fit:
        return 0, 0, 0, ""
    limits = str(fit["limit"] or "").split(" and ")
    limit = " and ".join(_LIMITS.get(each, each) for each in limits)
    held, warps, most = (int(fit[each]) for each in ("blocks_per_sm", "warps", "of"))
    return held, warps, most, limit


def _bytes(moved: Mapping[str, Any]) -> dict[str, Any]:
    asked = int(moved["asked"]["read"] + moved["asked"]["written"])
    touched = int((moved["touched"] or {"either": asked})["either"])
    levels = {each: int(moved[each]) for each in ("registers", "shared")}
    return {**levels, "asked": asked, "touched": touched}


def _bounds(least: Mapping[str, Any], bandwidth: float) -> dict[str, Any]:
    memory, compute, issue = (
        float(least[f"{each}_seconds"]) for each in ("memory", "compute", "issue")
    )
    return {
        "seconds": float(least["seconds"]),
        "bound": str(least["bound"]),
        "memory_seconds": memory,
        "compute_seconds": compute,
        "issue_seconds": issue,
        "least_bytes": round(memory * bandwidth),
    }


def _of(rows: list[Any], at: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = {} if at is None else rows[at]
    return found


def _kernel(
    found: Mapping[str, Any], layers: list[Any], ops: list[Any], bandwidth: float
) -> Kernel:
    layer, op = _of(layers, found["layer"]), _of(ops, found["op"])
    grid, block = _three(found["grid"]), _three(found["block"])
    outputs = tuple(map(_array, found["outputs"]))
    seconds = found["seconds"]
    owners, along = _owners(found, outputs)
    return Kernel(
        index=int(found["index"]),
        name=str(found["name"]),
        layer=str(layer.get("name", "")),
        kind=str(layer.get("type", "")),
        op=str(op.get("name", "")) or PurePosixPath(str(found["file"])).stem,
        line=str(found["python_line"] or ""),
        grid=grid,
        block=block,
        sms=int(found["sms_used"]),
        places=_places(found, prod(grid)),
        waves=int(found["waves"] or 0),
        occupancy=_occupancy(found["occupancy"]),
        useful=int(found["macs_useful"]),
        executed=int(found["macs_executed"]),
        **_bytes(found["moved"]),
        **_bounds(found["at_least"], bandwidth),
        measured=None if seconds is None else float(seconds),
        inputs=tuple(map(_array, found["inputs"])),
        outputs=outputs,
        owners=owners,
        along=along,
        own=is_librarys(str(found["name"]), str(found["file"])),
        back=bool(op.get("backward", False)),
    )


def net_of(explanation: Any) -> Net:
    """Read an explanation.

    Args:
        explanation: An `Explanation`, or its dict.

    Raises:
        TypeError: Neither of these.
        ValueError: A dict of another form, or without a launch.
    """
    found = _FORM.of(explanation)
    try:
        layers, ops = list(found["layers"]), list(found["ops"])
        totals, gpu = found["totals"], found["gpu"]
        card = Card(
            short_card(str(gpu.get("title") or gpu["name"])),
            int(gpu["sms"]),
            float(gpu.get("bandwidth") or 0),
        )
        kernels = tuple(
            _kernel(each, layers, ops, card.bandwidth) for each in found["kernels"]
        )
        parameters, size = totals["parameters"], totals["parameter_bytes"]
        names = tuple((str(each["name"]), str(each["type"])) for each in layers)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(
            f"[viz.network] got an explanation that lacks something ({error}); need "
            f"all of {_FORM.schema!r}, as explanation.to_dict() gives it."
        ) from error
    if not kernels:
        raise ValueError(
            "[viz.network] got an explanation without a launch; need one. Explain a "
            "call that computes something."
        )
    call = str(found.get("call", ""))
    return Net(call, card, kernels, names, int(parameters), int(size))
