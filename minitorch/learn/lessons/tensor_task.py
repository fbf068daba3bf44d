"""An exercise that asks for a function on tensors, right and cheap to launch.

What it queues and where it waits is recorded, on the emulator and on a GPU alike. Must
not know a lesson.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ... import _core, cuda
from ..._core import Tensor
from ...tensors.create import tensor
from ..puzzles.exercise import Array
from .function_task import CalledTask, call_of
from .question import Answer

_WORK = ("kernel", "fill", "copy")
_MOST_RECORDS = 100_000


@dataclass(frozen=True)
class Most:
    """The most that one call may take of one thing.

    Attributes:
        what: "launches", which copies and fills count as, or "waits".
        enough: that many are.
        advice: what to look at where there are more.
    """

    what: Literal["launches", "waits"]
    enough: int
    advice: str


@dataclass(frozen=True)
class TensorTask(CalledTask):
    """A function of tensors to write; it is called, compared, and its launches counted.

    Attributes:
        name: the lesson and the number of the exercise, such as "18.3".
        specification: NumPy arrays in, the right result out.
        cases: arguments of the calls; arrays are given as tensors on device cuda.
        hint: said where nothing is returned yet.
        most: what a call may take.
    """

    most: tuple[Most, ...] = ()

    def _judge(self, function: Callable[..., Any], case: tuple[Any, ...]) -> Answer:
        inputs = _tensors(case)
        with _recorded() as seen:
            got = function(*inputs)
        if got is None or got is ...:
            return Answer(self.name, "not yet", self.hint)
        wrong = _difference(got, self.specification(*case))
        if wrong:
            message = f"{call_of(function, case)} gave {wrong}"
            return Answer(self.name, "wrong", message)
        return self._cost(seen)

    def _cost(self, seen: _Recorded) -> Answer:
        """Return "too costly" for the first limit exceeded, or "right"."""
        for limit in self.most:
            taken = seen.count(limit.what)
            if taken > limit.enough:
                sites = seen.sites(limit.what)
                message = f"{_amount(taken, limit)}{sites}. {limit.advice}"
                return Answer(self.name, "too costly", message)
        counted = [_amount(seen.count(limit.what), limit) for limit in self.most]
        return Answer(self.name, "right", "; ".join(counted))


@dataclass(frozen=True)
class ReplayedTask(TensorTask):
    """A step to write that changes its arguments; it is captured once, then replayed.

    Attributes:
        replays: how often. The specification gives the arguments after one step.
    """

    replays: int = 3

    def _judge(self, function: Callable[..., Any], case: tuple[Any, ...]) -> Answer:
        inputs = _tensors(case)
        with _recorded() as seen:
            function(*inputs)  # loads the kernels, too
        if not seen.works:
            return Answer(self.name, "not yet", self.hint)
        inputs = _tensors(case)
        graph = cuda.CUDAGraph()
        with cuda.graph(graph):
            function(*inputs)
        for _ in range(self.replays):
            graph.replay()
        wanted = case
        for _ in range(self.replays):
            wanted = self.specification(*wanted)
        for index, (got, right) in enumerate(zip(inputs, wanted, strict=True)):
            wrong = _difference(got, right)
            if wrong:
                message = f"after {self.replays} replays, argument {index} is {wrong}"
                return Answer(self.name, "wrong", f"{message} {self.hint}")
        return self._cost(seen)


@dataclass(frozen=True)
class _Recorded:
    """Work that a call queued, and its waits."""

    works: list[dict[str, Any]]
    waits: list[dict[str, Any]]

    def count(self, counted: str) -> int:
        return len(self._rows(counted))

    def sites(self, counted: str) -> str:
        """Return the lines that launched or waited, most frequent first, or ""."""
        sites = [row["site"] for row in self._rows(counted) if row["site"]]
        lines = sorted(set(sites), key=lambda site: (-sites.count(site), site))
        return f" ({', '.join(lines[:3])})" if lines else ""

    def _rows(self, counted: str) -> list[dict[str, Any]]:
        return self.works if counted == "launches" else self.waits


@contextmanager
def _recorded() -> Iterator[_Recorded]:
    """Yield a record that is filled when the block ends."""
    seen = _Recorded([], [])
    opened = _core.Recording.open(
        shapes=False,
        stack=True,
        memory=False,
        device=False,
        most_records=_MOST_RECORDS,
    )
    with closing(opened) as recording:
        yield seen
    seen.works.extend(work for work in recording.works() if work["kind"] in _WORK)
    seen.waits.extend(recording.waits())


def waves(*shape: int) -> Array:
    """Return an array for a case: numbers of both signs, which all differ."""
    index = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    return np.asarray(np.sin(3 * index) + 0.5 * (index % 3) - 0.25, np.float32)


def _tensors(case: tuple[Any, ...]) -> list[Any]:
    return [
        tensor(value, device="cuda") if isinstance(value, np.ndarray) else value
        for value in case
    ]


def _amount(taken: int, most: Most) -> str:
    one = {"launches": "launch", "waits": "wait"}[most.what]
    amount = f"{taken} {one if taken == 1 else most.what}"
    if most.enough:
        return f"{amount}; {most.enough} {'is' if most.enough == 1 else 'are'} enough"
    return f"{amount}; need none" if taken else amount


def _difference(got: Any, expected: Any) -> str:
    """Describe what is wrong with a result, or return ""."""
    right = np.asarray(expected)
    if not isinstance(got, Tensor):
        return f"{type(got).__name__}; need a tensor {right.shape}."
    values = got.detach().numpy()
    if values.shape != right.shape:
        return f"a tensor {values.shape}; need {right.shape}."
    same = np.isclose(values, right, rtol=1e-4, atol=1e-5, equal_nan=True)
    if same.all():
        return ""
    index = tuple(int(i) for i in np.argwhere(~same)[0])
    suffix = f" at {list(index)}" if index else ""
    return f"{float(values[index]):.6g}{suffix}; need {float(right[index]):.6g}."
