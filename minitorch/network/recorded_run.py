"""Run a copy of a call under the recorder and the emulator's inspection."""

from __future__ import annotations

import inspect as python_inspect
import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
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
from .layers import CalledLayer, LayerWatch, Reached
from .progress import Progress
from .thread_modes import ThreadModes

_ELSEWHERE = (
    "minitorch.explain runs a copy on the device cuda. What the call finds elsewhere, "
    'such as a tensor of its closure or one made with device="cpu", stays where it '
    "is: give it as an argument, or make it with device=x.device."
)
MOST = 1_000_000  # launches and other records of one run


@dataclass
class Ran:
    """What one run of a call left.

    Attributes:
        layers: that it went through; scope: the name of the scopes of their calls.
        scopes: rows of the recorder, by their ids.
        works: rows of its launches of kernels, in their order.
        launches: what the inspection has of each of `works`.
        traces: by the number of the work, of those that were to be traced.
        complete: whether it came to the call after which it was to end, or to its end.
    """

    layers: list[CalledLayer]
    scope: str
    scopes: list[dict[str, Any]]
    works: list[dict[str, Any]]
    launches: list[Launch]
    traces: dict[int, Trace]
    complete: bool = True

    def release(self) -> None:
        """Release the results, when their memory is no longer needed."""
        for layer in self.layers:
            for output in (result for call in layer.outputs for result in call):
                output.release()


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
        until: the numbers of a layer and of one of its calls, after which to end.
    """

    backward: bool = False
    traced: Sequence[Traced] = ()
    until: tuple[int, int] | None = None


def run(call: Call, start: ThreadModes, wanted: Wanted, progress: Progress) -> Ran:
    """Run a copy of a call on the device "cuda" and record what it launches.

    Args:
        call: on any device. start: the modes under which it runs.
        progress: told of each layer.

    Raises:
        ValueError: `backward`, and the result is not one number with a gradient.
        RuntimeError: more launches than are kept. What the call raises is passed on.
    """
    copied = call.copied("cuda")
    roots = copied.roots(parameter_names(copied.function))
    watch = LayerWatch(roots, progress, wanted.until)
    with start.within(), new_tensors_on("cuda"), ExitStack() as open_:
        inspections = [open_.enter_context(_inspection(not wanted.traced))]
        inspections += [
            open_.enter_context(_tracing(selection)) for selection in wanted.traced
        ]
        recording = _core.Recording.open(shapes=True, most_records=MOST)
        complete = wanted.until is None
        try:
            _run(copied, watch, wanted.backward)
        except Reached:
            complete = True
        except ValueError as error:
            if "one device" in str(error):
                error.add_note(_ELSEWHERE)
            raise
        finally:
            recording.close()
            watch.release()
    if recording.dropped or inspections[0].dropped:
        raise RuntimeError(
            f"[explain] got a call with more than {MOST:,} records; need a smaller one."
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
    inspected = {entry.number for entry in inspections[0].launches}
    # A recording is of all threads, an inspection of this one.
    inspections[0].raise_findings()
    works = [entry for entry in recording.works() if entry["launch"] in inspected]
    _refuse_graphs(works)
    of_each = [_joined(works, entry.launches) for entry in inspections]
    traces = {
        number: of_each[1 + i][number].trace
        for i, part in enumerate(wanted.traced)
        for number in part.launches
        if number < len(works)  # it may have ended before
    }
    for work, launch in zip(works, of_each[0], strict=True):
        if not work["library"] and launch.arrays:
            work["arrays"] = [_row(entry) for entry in launch.arrays]
    scopes = recording.scopes()
    return Ran(watch.layers, watch.scope, scopes, works, of_each[0], traces, complete)


_SAME = (
    "need a call that does the same each time. Give what it reads from outside as "
    "arguments, and explain it again."
)


def require_same_launches(
    where: str, expected: Sequence[dict[str, Any]], ran: Ran
) -> None:
    """Compare the launches of a run with those of an earlier one, which is as long.

    Raises:
        RuntimeError: a launch is another one, or the run ended before it was to.
    """
    for number, work in enumerate(ran.works):
        before = expected[number] if number < len(expected) else None
        if before is None or _identity(before) != _identity(work):
            was = _in_words(before) if before else "none"
            other = "another text of " if before and was == _in_words(work) else ""
            raise RuntimeError(
                f"[{where}] got {other}{_in_words(work)} as launch {number} of another "
                f"run of the call, where {was} was explained; {_SAME}"
            )
    if not ran.complete:
        raise RuntimeError(
            f"[{where}] got another run of the call, which ended after "
            f"{len(ran.works)} launches and did not come to that layer; {_SAME}"
        )


def _identity(work: dict[str, Any]) -> tuple[Any, ...]:
    arrays = [(array["shape"], array.get("dtype")) for array in work["arrays"]]
    text = work["source"], work["spec"]
    return work["name"], work["file"], work["grid"], work["block"], text, arrays


def _in_words(work: dict[str, Any]) -> str:
    shapes = ", ".join(str(array["shape"]) for array in work["arrays"])
    file = f" ({work['file']})" if work["file"] else ""
    return f"{work['name']}{file} with {work['grid']} blocks and arrays {shapes}"


def run_for_places(
    call: Call, start: ThreadModes, backward: bool, progress: Progress
) -> tuple[PlacedLaunch, ...]:
    """Run a copy of a call with kernels that record their multiprocessors.

    Raises:
        As `run` does.
    """
    copied = call.copied("cuda")
    watch = LayerWatch(copied.roots(parameter_names(copied.function)), progress)
    with start.within(), record_places() as recording:
        try:
            _run(copied, watch, backward)
        finally:
            watch.release()
    return recording.launches


def _refuse_graphs(works: Sequence[dict[str, Any]]) -> None:
    for work in works:
        if work["kind"] == "graph":
            raise ValueError(
                f"[explain] got a call that replays a {work['name']}, whose arrays "
                "nobody knows any more; need what was captured: call that instead."
            )


def _inspection(counted: bool) -> Inspection:
    return inspect(
        "memory", counters=counted, footprint=counted, library=True, most_launches=MOST
    )


def _tracing(part: Traced) -> Inspection:
    return inspect(
        "memory",
        counters=False,
        trace=True,
        library=True,
        most_launches=MOST,
        trace_launches=list(part.launches),
        trace_blocks=None if part.blocks is None else list(part.blocks),
        trace_warps=None if part.warps is None else list(part.warps),
    )


def _run(call: Call, watch: LayerWatch, backward: bool) -> None:
    if isinstance(call.function, Module) and not has_own_call(call.function):
        result = call.function(*call.arguments)
    else:
        with watch.outermost(name_of(call.function)) as kept:
            result = call.function(*call.arguments)
            kept.append(result)
    if not backward:
        return
    single = isinstance(result, Tensor) and math.prod(result.shape) == 1
    if not single or not result.requires_grad:
        got = type(result).__name__
        if isinstance(result, Tensor):
            got = f"a tensor {tuple(result.shape)}"
        raise ValueError(
            f"[explain] got {got} as the result, with backward=True; need one number "
            "that has a gradient, such as a loss."
        )
    with watch.going_back():
        result.backward()


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a call: a module's class, or a function's name."""
    if isinstance(function, Module):
        return type(function).__name__
    return str(getattr(function, "__name__", type(function).__name__))


def parameter_names(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's positional parameters, or [] if unknown."""
    if isinstance(function, Module):
        return []
    try:
        parameters = python_inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    positional = (
        python_inspect.Parameter.POSITIONAL_ONLY,
        python_inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    return [parameter.name for parameter in parameters if parameter.kind in positional]


def _row(argument: Argument) -> dict[str, Any]:
    """Return an array of a user's kernel in the recorder's form."""
    assert argument.dtype is not None
    item = argument.dtype.itemsize
    return {
        "parameter": argument.name,
        "address": argument.pointer,
        "shape": argument.shape,
        "strides": tuple(step // item for step in argument.strides),
        "dtype": argument.dtype.name,
        "bytes": item * math.prod(argument.shape),
    }


def _joined(
    works: Sequence[dict[str, Any]], launches: Sequence[Launch]
) -> list[Launch]:
    """Return the inspected launch of each recorded one, by launch number."""
    known = {entry.number: entry for entry in launches}
    return [known[entry["launch"]] for entry in works]
