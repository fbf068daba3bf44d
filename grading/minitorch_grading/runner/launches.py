"""Client of a runner: kernels and launches as calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Message = tuple[dict[str, Any], list[Array]]
Exchange = Callable[[Mapping[str, Any], Sequence[Array]], Message]

_NUMBERS = "biuf"
_OUTCOMES = ("done", "timeout", "memory", "error")
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


@dataclass(frozen=True)
class Loaded:
    """What became of a kernel, and why.

    "done"; "does_not_compile": the driver refuses its PTX; "memory": its variables are
    larger than the card; "error": it is no form, or its parameters are others.
    """

    outcome: str
    message: str


@dataclass(frozen=True)
class Picture:
    """A picture of a launch.

    Attributes:
        view: "race", "memory", "grid" or "step".
        form: "html" or "svg".
        title, alt: sentences.
        page: the whole file.
    """

    view: str
    form: str
    title: str
    alt: str
    page: str


@dataclass(frozen=True)
class LaunchResult:
    """What a launch did.

    Attributes:
        outcome: "done" (perhaps with findings), "timeout", "memory" or "error".
        message: why, where it is not "done".
        arrays: by argument, what it holds afterwards; None for numbers and tuples.
        findings: see `finding_data`; errors first.
        counters: by name, sums included.
        seconds: on the emulator.
        printed: what its threads printed, at most 64 KiB.
        picture: where one was asked for and there is one.
    """

    outcome: str
    message: str
    arrays: tuple[Array | None, ...] = ()
    findings: list[dict[str, Any]] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    printed: str = ""
    picture: Picture | None = None


class Runner:
    """Loads and launches kernels in another process, or in this one.

    Args:
        exchange: Asks a question and gives the answer. What it raises goes on to the
            caller: the runner's process has ended.

    Example:
        >>> from minitorch_grading.kernels import kernel_form
        >>> from minitorch_grading.runner.launch_service import LaunchService
        >>> text = "__global__ void set(int* x, int v) { x[threadIdx.x] = v; }"
        >>> runner = Runner(LaunchService().answer)
        >>> runner.load("set", kernel_form.packed(kernel_form.of_cuda(text, "set")))
        Loaded(outcome='done', message='')
        >>> done = runner.launch("set", 1, 2, (Unwritten(np.zeros(3, np.int32)), 7))
        >>> done.outcome, done.arrays[0].tolist(), done.counters["global_sectors"]
        ('done', [7, 7, 0], 1)
    """

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def load(self, name: str, form: Array) -> Loaded:
        """Load a kernel's form.

        Args:
            name: What to call it from now on.
            form: As `kernel_form.packed` gives it; nobody need have checked it.
        """
        answer, _ = self._exchange({"do": "load", "kernel": name}, [form])
        try:
            return Loaded(_text(answer, "outcome"), _text(answer, "message"))
        except _NoAnswer:
            return Loaded("error", _NO_ANSWER)

    def launch(
        self,
        name: str,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        arguments: Sequence[Any],
        shared_bytes: int = 0,
        *,
        picture: bool = False,
        site: str = "",
        instructions: int | None = None,
    ) -> LaunchResult:
        """Launch a kernel that was loaded.

        Args:
            name: Which.
            grid, block: Sizes, 1 to 3 of them.
            arguments: Arrays, `Unwritten` ones, numbers and tuples. An array that
                comes twice is one array on the device.
            shared_bytes: Dynamic shared memory of a block.
            picture: Draw the launch; for small ones whose inputs may be seen.
            site: What findings call the place of the launch; "" leaves that out.
            instructions: Most warp instructions of a block; None: as the runner has.

        Raises:
            TypeError: An argument that cannot travel.
        """
        question: dict[str, Any] = {
            "do": "launch",
            "kernel": name,
            "grid": _sizes(grid),
            "block": _sizes(block),
            "shared_bytes": int(shared_bytes),
            "picture": picture,
            "site": site,
        }
        if instructions is not None:
            question["instructions"] = instructions
        packing = _Packing()
        question["arguments"] = [packing.argument(argument) for argument in arguments]
        answer, parts = self._exchange(question, packing.parts)
        try:
            return _result(answer, parts, packing, question["arguments"])
        except _NoAnswer:
            return LaunchResult("error", _NO_ANSWER)


def _sizes(value: int | Sequence[int]) -> list[int]:
    return [int(size) for size in (value if isinstance(value, Sequence) else [value])]


class _Packing:
    """Turns arguments into plain data and parts."""

    def __init__(self) -> None:
        self.parts: list[Array] = []
        self._known: dict[int, int] = {}

    def argument(self, value: Any) -> dict[str, Any]:
        if isinstance(value, tuple):
            return {"tuple": [self.argument(entry) for entry in value]}
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
            "numbers, a number, or a tuple of them."
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


class _NoAnswer(Exception):
    """Raised when the data is not a valid answer of a runner."""


def _result(
    answer: Mapping[str, Any], parts: Sequence[Array], packing: _Packing, given: Any
) -> LaunchResult:
    """Read and validate a runner's answer, which is not trusted."""
    outcome, message = _text(answer, "outcome"), _text(answer, "message")
    if outcome not in _OUTCOMES:
        raise _NoAnswer
    if "arrays" not in answer:
        return LaunchResult(outcome, message)
    after = _arrays(answer["arrays"], parts, packing.parts)
    counters, seconds = answer.get("counters"), answer.get("seconds")
    findings = answer.get("findings")
    if not (isinstance(counters, dict) and isinstance(findings, list)):
        raise _NoAnswer
    if not all(type(count) is int for count in counters.values()):
        raise _NoAnswer
    if not isinstance(seconds, float):
        raise _NoAnswer
    return LaunchResult(
        outcome,
        message,
        tuple(after.get(entry.get("array")) for entry in given),
        [_finding(entry) for entry in findings],
        counters,
        seconds,
        _text(answer, "printed"),
        _picture(answer.get("picture"), parts[len(after) :]),
    )


def _text(data: Any, name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str):
        raise _NoAnswer
    return value


def _arrays(
    numbers: Any, parts: Sequence[Array], sent: Sequence[Array]
) -> dict[int, Array]:
    """Return the arrays by number; raise unless shapes and dtypes match."""
    if not isinstance(numbers, list) or len(numbers) > len(parts):
        raise _NoAnswer
    for number, array in zip(numbers, parts, strict=False):
        if type(number) is not int or not 0 <= number < len(sent):
            raise _NoAnswer
        before = sent[number]
        if (array.shape, array.dtype) != (before.shape, before.dtype):
            raise _NoAnswer
    return dict(zip(numbers, parts, strict=False))


def _finding(data: Any) -> dict[str, Any]:
    """Check the fields of a finding and return it."""
    if not isinstance(data, dict):
        raise _NoAnswer
    for name in ("kind", "severity", "text"):
        _text(data, name)
    _check_site(data)
    if data.get("other") is not None:
        if not isinstance(data["other"], dict):
            raise _NoAnswer
        _check_site(data["other"])
    race = data.get("race")
    if race is not None:
        if not (isinstance(race, dict) and isinstance(race.get("other"), dict)):
            raise _NoAnswer
        for name in ("element", "access", "other_access", "remedy"):
            _text(race, name)
        _check_site(race["other"])
    return data


def _check_site(data: Mapping[str, Any]) -> None:
    file, line = data.get("file"), data.get("line")
    if not (file is None or isinstance(file, str)):
        raise _NoAnswer
    if not (line is None or type(line) is int):
        raise _NoAnswer
    for name in ("block", "thread"):
        index = data.get(name)
        if index is None:
            continue
        if (
            not isinstance(index, list)
            or [type(number) for number in index] != [int] * 3
        ):
            raise _NoAnswer


def _picture(data: Any, parts: Sequence[Array]) -> Picture | None:
    if data is None:
        return None
    if len(parts) != 1 or parts[0].dtype != np.uint8:
        raise _NoAnswer
    view, form, title, alt = (
        _text(data, name) for name in ("view", "form", "title", "alt")
    )
    page = parts[0].tobytes().decode("utf-8", "replace")
    return Picture(view, form, title, alt, page)
