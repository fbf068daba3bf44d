"""Run a copy of a call under the recorder and the emulator's inspection."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .. import _core
from .._core import Tensor
from ..cuda.inspecting.inspection import Inspection, Launch, inspect
from ..cuda.inspecting.places import PlacedLaunch, record_places
from ..cuda.inspecting.trace import Trace
from ..cuda.launching.arguments import Argument
from ..module import Module
from ..tensors.create import new_tensors_on
from .copies import Call, has_own_call
from .layers import CalledLayer, LayerCall, LayerWatch, Reached, Start, keep_starts
from .records import ArrayUse
from .thread_modes import ThreadModes

_ELSEWHERE = (
    "minitorch.explain runs a copy on the device cuda. Other tensors that the call "
    'uses, such as one from a closure or one with device="cpu", are not moved. Pass '
    "them as arguments, or create them with device=x.device."
)
MOST = 1_000_000  # launches and other records of one run


@dataclass
class Ran:
    """What one run of a call left.

    Attributes:
        layers: that it went through; calls: of the layers.
        scope: the name of the scopes of these calls.
        scopes: rows of the recorder, by their ids.
        works: rows of its launches of kernels, in their order.
        launches: what the inspection has of each of `works`.
        arrays: of each of `works`, where they lay.
        traces: by the number of the launch, of those that were to be traced.
        first: the number of the first launch.
        complete: whether it came to the call after which it was to end, or to its end.
    """

    layers: list[CalledLayer]
    calls: list[LayerCall]
    scope: str
    scopes: list[dict[str, Any]]
    works: list[dict[str, Any]]
    launches: list[Launch]
    arrays: list[list[ArrayUse]]
    traces: dict[int, Trace]
    first: int
    complete: bool

    def release(self) -> None:
        """Release the results, and of the layers' inputs what is too much to keep."""
        for call in self.calls:
            for output in call.outputs:
                output.tensor = None
        keep_starts(self.calls)

    @cached_property
    def launches_of(self) -> list[range]:
        """Numbers of the launches of each call of a layer."""
        begins = [work["host_begin"] for work in self.works]
        spans: dict[int, range] = {}
        for scope in self.scopes:
            if scope["name"] == self.scope:
                first = bisect_left(begins, scope["begin"])
                end = bisect_right(begins, scope["end"])
                spans.setdefault(int(scope["detail"]), range(first, end))
        return [spans[number] for number in range(len(self.calls))]


@dataclass(frozen=True)
class Traced:
    """Warps of launches to trace; None means all."""

    launches: tuple[int, ...]
    blocks: tuple[int, ...] | None = None
    warps: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Wanted:
    """What a run is for.

    Attributes:
        backward: go back from the result, too.
        traced: whose instructions to record; where there are some, nothing is counted.
        until: the number of the call of a layer after which to end.
        start: of the call of a layer that runs alone; first: its number;
            first_launch: that of its first launch.
    """

    backward: bool = False
    traced: Sequence[Traced] = ()
    until: int | None = None
    start: Start | None = None
    first: int = 0
    first_launch: int = 0


def run(call: Call, modes: ThreadModes, wanted: Wanted) -> Ran:
    """Run a copy of a call on the device "cuda" and record what it launches.

    Args:
        call: on any device. modes: those under which it runs.

    Raises:
        ValueError: `backward`, and the result is not one number with a gradient.
        RuntimeError: more launches than are kept. What the call raises is passed on.
    """
    if wanted.start is not None:
        names = dict(call.modules())
        call, modes = Call(names[wanted.start.layer], ()), wanted.start.modes
    copied = call.copied("cuda")
    watch = LayerWatch(copied.modules(), wanted.first, wanted.until)
    with modes.within(), new_tensors_on("cuda"), ExitStack() as open_:
        inspections = [open_.enter_context(_inspection(not wanted.traced))]
        inspections += [
            open_.enter_context(_tracing(selection, wanted.first_launch))
            for selection in wanted.traced
        ]
        recording = _core.Recording.open(shapes=True, most_records=MOST)
        complete = wanted.until is None
        try:
            _run(copied, watch, wanted)
        except Reached:
            complete = True
        except _core.DeviceError as error:
            error.add_note(_ELSEWHERE)
            raise
        finally:
            recording.close()
            watch.release()
    if recording.dropped or inspections[0].dropped:
        raise RuntimeError(
            f"[explain] the call has more than {MOST:,} records. Explain a smaller "
            "call."
        )
    return _ran(watch, recording, inspections, wanted, complete)


def _ran(
    watch: LayerWatch,
    recording: _core.Recording,
    inspections: Sequence[Inspection],
    wanted: Wanted,
    complete: bool,
) -> Ran:
    """Return the records of a run; the first inspection is of all its launches."""
    inspections[0].raise_findings()
    of_each = [
        {entry.number: entry for entry in inspection.launches}
        for inspection in inspections
    ]
    # A recording is of all threads, an inspection of this one.
    works = [entry for entry in recording.works() if entry["launch"] in of_each[0]]
    _refuse_graphs(works)
    first = wanted.first_launch
    traces = {
        number: launches[works[number - first]["launch"]].trace
        for launches, part in zip(of_each[1:], wanted.traced, strict=True)
        for number in part.launches
        if number - first < len(works)  # it may have ended before
    }
    launches = [of_each[0][work["launch"]] for work in works]
    return Ran(
        layers=watch.layers,
        calls=watch.calls,
        scope=watch.scope,
        scopes=recording.scopes(),
        works=works,
        launches=launches,
        arrays=[_arrays(*pair) for pair in zip(works, launches, strict=True)],
        traces=traces,
        first=first,
        complete=complete,
    )


def _arrays(work: dict[str, Any], launch: Launch) -> list[ArrayUse]:
    if work["library"] or not launch.arrays:
        return [_recorded_array(row) for row in work["arrays"]]
    return [_argument(entry) for entry in launch.arrays]


_SAME = (
    "The call must do the same each time: pass as arguments what it reads from "
    "outside, and explain it again."
)


def require_same_launches(where: str, explained: Ran, ran: Ran) -> None:
    """Compare the launches of a run with those that were explained.

    Raises:
        RuntimeError: a launch is another one, or the run ended before it was to.
    """
    count = len(explained.works)
    for index in range(len(ran.works)):
        number = ran.first + index
        if number < count and _identity(explained, number) == _identity(ran, index):
            continue
        now = _in_words(ran, index)
        was = _in_words(explained, number) if number < count else "none"
        other = "a changed version of " if was == now else ""
        raise RuntimeError(
            f"[{where}] two runs of the call differ: launch {number} was {was}, now it "
            f"is {other}{now}. {_SAME}"
        )
    if not ran.complete:
        raise RuntimeError(
            f"[{where}] two runs of the call differ: the second ended after "
            f"{len(ran.works)} launches, before that layer. {_SAME}"
        )


def _identity(ran: Ran, index: int) -> tuple[Any, ...]:
    work = ran.works[index]
    arrays = [(array.shape, array.dtype) for array in ran.arrays[index]]
    text = work["source"], work["spec"]
    return work["name"], work["file"], work["grid"], work["block"], text, arrays


def _in_words(ran: Ran, index: int) -> str:
    work = ran.works[index]
    shapes = ", ".join(str(array.shape) for array in ran.arrays[index])
    file = f" ({work['file']})" if work["file"] else ""
    return f"{work['name']}{file} with {work['grid']} blocks and arrays {shapes}"


def run_for_places(
    call: Call, modes: ThreadModes, backward: bool
) -> tuple[PlacedLaunch, ...]:
    """Run a copy of a call with kernels that record their multiprocessors.

    Raises:
        As `run` does.
    """
    copied = call.copied("cuda")
    with modes.within(), new_tensors_on("cuda"), record_places() as recording:
        result = copied.function(*copied.arguments)
        if backward:
            _loss(result).backward()
    return recording.launches


def _refuse_graphs(works: Sequence[dict[str, Any]]) -> None:
    for work in works:
        if work["kind"] == "graph":
            raise ValueError(
                f"[explain] the call replays a {work['name']}, whose arrays are "
                "unknown. Explain the function that was captured."
            )


def _inspection(counted: bool) -> Inspection:
    return inspect(
        "memory", counters=counted, footprint=counted, library=True, most_launches=MOST
    )


def _tracing(part: Traced, first_launch: int) -> Inspection:
    return inspect(
        "memory",
        counters=False,
        trace=True,
        library=True,
        most_launches=MOST,
        trace_launches=[number - first_launch for number in part.launches],
        trace_blocks=None if part.blocks is None else list(part.blocks),
        trace_warps=None if part.warps is None else list(part.warps),
    )


def _run(call: Call, watch: LayerWatch, wanted: Wanted) -> None:
    function: Any = call.function
    if wanted.start is not None:
        values, options = wanted.start.arguments
        result = function.forward(*values, **options)
    elif isinstance(function, Module) and not has_own_call(function):
        result = function(*call.arguments)
    else:
        with watch.outermost(call.name) as kept:
            result = function(*call.arguments)
            kept.append(result)
    if wanted.backward:
        loss = _loss(result)
        with watch.going_back():
            loss.backward()


def _loss(result: Any) -> Tensor:
    """Return the result; ValueError unless it is one number with a gradient."""
    got = type(result).__name__
    if isinstance(result, Tensor):
        if math.prod(result.shape) == 1 and result.requires_grad:
            return result
        got = f"a tensor {tuple(result.shape)}"
    raise ValueError(
        "[explain] backward=True needs a scalar result with requires_grad, such as a "
        f"loss; got {got}."
    )


def _recorded_array(row: dict[str, Any]) -> ArrayUse:
    """Return an array of the work log; of unknown dtype it is bytes (uint8)."""
    if row["shape"] is None:
        row = {**row, "shape": (row["bytes"],), "strides": (1,), "dtype": "uint8"}
    return ArrayUse.of(
        row["parameter"],
        shape=row["shape"],
        dtype=row["dtype"],
        address=row["address"],
        strides=row["strides"],
        item=row["bytes"] // max(1, math.prod(row["shape"])),
    )


def _argument(argument: Argument) -> ArrayUse:
    """Return an array of a user's kernel."""
    assert argument.dtype is not None
    item = argument.dtype.itemsize
    return ArrayUse.of(
        argument.name,
        shape=argument.shape,
        dtype=argument.dtype.name,
        address=argument.pointer,
        strides=[step // item for step in argument.strides],
        item=item,
    )
