"""Client of a runner: kernels and launches as calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..report.report import FindingReport

Array = NDArray[Any]
Message = tuple[dict[str, Any], list[Array]]
Exchange = Callable[[dict[str, Any], list[Array]], Message]

_NUMBERS = "biuf"
_NO_ANSWER = "[runner] got an answer that is none; the process is not to be trusted."


@dataclass(frozen=True, eq=False)
class Unwritten:
    """An uninitialized array, with the values that its memory happens to hold.

    A kernel that reads it is told of (`uninit_global`); a cell that it does not write
    keeps its value.

    Attributes:
        values: What the memory holds.

    Example:
        >>> Unwritten(np.full(3, 7.5, np.float32)).values.shape
        (3,)
    """

    values: Array


class Picture(msgspec.Struct):
    """A picture of a launch.

    Attributes:
        view: "race", "memory", "grid" or "step".
        form: "html" or "svg".
        alt: a sentence.
        page: the whole file.
    """

    view: str
    form: str
    alt: str
    page: str = ""


@dataclass(frozen=True)
class LaunchResult:
    """What a launch did.

    Attributes:
        outcome: "done" (perhaps with findings), "timeout", "memory", "error",
            "does_not_compile" (the driver refuses its PTX) or "no_kernel" (it is no
            form, or its parameters are others).
        message: why, where it is not "done".
        arrays: by argument, what it holds afterwards; None for numbers and tuples.
        findings: errors first.
        counters: by name, sums included.
        seconds: on the emulator.
        picture: where one was asked for and there is one.
    """

    outcome: str
    message: str
    arrays: tuple[Array | None, ...] = ()
    findings: list[FindingReport] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    picture: Picture | None = None


def launch(
    exchange: Exchange,
    form: Array,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    arguments: Sequence[Any],
    shared_bytes: int = 0,
    *,
    picture: bool = False,
    values: bool = False,
    site: str = "",
) -> LaunchResult:
    """Launch a kernel in another process, or in this one.

    Args:
        exchange: Asks a question and gives the answer. What it raises goes on to the
            caller: the runner's process has ended.
        form: As `kernel_form.packed` gives it; nobody need have checked it.
        grid, block: Sizes, 1 to 3 of them.
        arguments: Arrays, `Unwritten` ones and numbers. An array that comes twice is
            one array on the device.
        shared_bytes: Dynamic shared memory of a block.
        picture: Draw the launch; for small ones whose inputs may be seen.
        values: Add the values of variables to findings, if the form is one for
            debuggers; for the same launches.
        site: What findings call the place of the launch; "" leaves that out.

    Raises:
        TypeError: An argument that cannot travel.

    Example:
        >>> from minitorch_grading.kernels import kernel_form
        >>> from minitorch_grading.runner.launch_service import answer
        >>> text = "__global__ void set(int* x, int v) { x[threadIdx.x] = v; }"
        >>> form = kernel_form.packed(kernel_form.of_cuda(text, "set"))
        >>> done = launch(answer, form, 1, 2, (Unwritten(np.zeros(3, np.int32)), 7))
        >>> done.outcome, done.arrays[0].tolist(), done.counters["global_sectors"]
        ('done', [7, 7, 0], 1)
    """
    packing = _Packing()
    question: dict[str, Any] = {
        "grid": _sizes(grid),
        "block": _sizes(block),
        "arguments": [packing.argument(argument) for argument in arguments],
        "shared_bytes": int(shared_bytes),
        "picture": picture,
        "values": values,
        "site": site,
    }
    answer, parts = exchange(question, [*packing.parts, form])
    try:
        return _result(answer, parts, packing.parts, question["arguments"])
    except msgspec.ValidationError:
        return LaunchResult("error", _NO_ANSWER)


def _sizes(value: int | Sequence[int]) -> list[int]:
    return [int(size) for size in (value if isinstance(value, Sequence) else [value])]


class _Packing:
    """Turns arguments into plain data and parts."""

    def __init__(self) -> None:
        self.parts: list[Array] = []
        self._known: dict[int, int] = {}

    def argument(self, value: Any) -> dict[str, Any]:
        if isinstance(value, Unwritten):
            return {"array": self._part(value.values), "unwritten": True}
        if isinstance(value, np.ndarray) and value.ndim > 0:
            return {"array": self._part(value)}
        number = np.asarray(value)
        if number.ndim == 0 and number.dtype.kind in _NUMBERS:
            self.parts.append(number)
            plain = not isinstance(value, np.generic)
            return {"number": len(self.parts) - 1, "plain": plain}
        raise TypeError(
            f"[runner] got {type(value).__name__} for an argument; need an array of "
            "numbers, or a number."
        )

    def _part(self, array: Array) -> int:
        if array.dtype.kind not in _NUMBERS:
            raise TypeError(
                f"[runner] got an array of {array.dtype}; need one of bools, integers "
                "or floats."
            )
        if id(array) not in self._known:
            self._known[id(array)] = len(self.parts)
            self.parts.append(np.ascontiguousarray(array))
        return self._known[id(array)]


class _Answer(msgspec.Struct):
    """A runner's answer to a launch, which is not trusted."""

    outcome: Literal[
        "done", "timeout", "memory", "error", "does_not_compile", "no_kernel"
    ]
    message: str
    arrays: list[int] | None = None
    findings: list[FindingReport] = []
    counters: dict[str, int] = {}
    seconds: float = 0.0
    picture: Picture | None = None


def _result(
    data: Mapping[str, Any], parts: Sequence[Array], sent: Sequence[Array], given: Any
) -> LaunchResult:
    """Return a runner's answer; raise ValidationError unless it is one."""
    answer = msgspec.convert(data, _Answer)
    if answer.arrays is None:
        return LaunchResult(answer.outcome, answer.message)
    count = len(answer.arrays)
    after = dict(zip(answer.arrays, parts, strict=False))
    fits = len(after) == count and all(
        0 <= number < len(sent)
        and (array.shape, array.dtype) == (sent[number].shape, sent[number].dtype)
        for number, array in after.items()
    )
    picture, pages = answer.picture, parts[count:]
    if picture is not None:
        fits = fits and [page.dtype for page in pages] == [np.uint8]
    if not fits:
        raise msgspec.ValidationError
    if picture is not None:
        picture.page = pages[0].tobytes().decode("utf-8", "replace")
    return LaunchResult(
        answer.outcome,
        answer.message,
        tuple(after.get(entry.get("array")) for entry in given),
        answer.findings,
        answer.counters,
        answer.seconds,
        picture,
    )
