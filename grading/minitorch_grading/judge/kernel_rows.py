"""Kernels in graded tests: launch, compare, count, record findings.

A kernel was compiled before its inputs were drawn, by an author that never sees any. A
launch's values are compared at once; findings and counters are gathered for the rows
`clean` and `cost`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import AssignmentError
from ..report.report import Picture
from ..runner.launches import LaunchResult, Unwritten
from .bench import Bench
from .rows import Ended, Record
from .values import Difference, Poisoned, difference, format_value

_ARRAY = re.compile(r"\s*(\w+)\s*\[([^\]]*)\]\s*")
SavePicture = Callable[[str, str, str], Picture]


@dataclass(frozen=True)
class _Launcher:
    """`kernel.same` or `kernel.check(...)`: takes the configuration in brackets.

    A launch is judged by `expected`, the judge's own values, or else by the solution.
    """

    kernel: Kernel
    expected: Mapping[int, Any] | None = None
    rtol: float | None = None
    atol: float | None = None

    def __getitem__(self, shape: Any) -> Callable[..., None]:
        given = tuple(shape) if isinstance(shape, tuple) else (shape,)
        if len(given) not in (2, 3):
            raise AssignmentError(
                f"[judge] got a launch of [{', '.join(map(str, given))}]; need [grid, "
                "block] or [grid, block, shared_mem]."
            )
        configuration = (
            *map(_sizes, given[:2]),
            int(given[2]) if len(given) == 3 else 0,
        )

        def launch(*arguments: Any) -> None:
            self.kernel.launch(self, configuration, arguments)

        return launch


def _sizes(given: Any) -> tuple[int, ...]:
    sizes = given if isinstance(given, list | tuple) else (given,)
    return tuple(int(size) for size in sizes)


@dataclass
class Kernel:
    """A submission's kernel, compiled; `submission.kernel` makes it.

    Attributes:
        request: Module, attribute, types and factory's function, as both sides take it.
        form: The submission's.
        poison: Random numbers for outputs that nobody has written.
    """

    bench: Bench
    record: Record
    request: tuple[str, str, tuple[str, ...], str | None]
    form: NDArray[np.uint8]
    poison: np.random.Generator
    save: SavePicture
    _first: tuple[Any, ...] = field(default=(), repr=False)
    _noted: tuple[Any, ...] = field(default=(), repr=False)

    @property
    def same(self) -> _Launcher:
        """Judge a launch by the solution's: all arrays afterwards, findings, counts.

        Example:
            >>> kernel.same[grid, block](poisoned(15), a, 15)  # doctest: +SKIP
        """
        return _Launcher(self)

    def check(
        self, expected: Any, rtol: float | None = None, atol: float | None = None
    ) -> _Launcher:
        """Judge a launch by the judge's own values.

        Args:
            expected: An array for argument 0, or arrays by number of argument.
            rtol, atol: For floats; by default those of the expected width.

        Example:
            >>> kernel.check(a + b)[2, 8](poisoned(15), a, b)  # doctest: +SKIP
        """
        by_number = expected if isinstance(expected, Mapping) else {0: expected}
        return _Launcher(self, by_number, rtol, atol)

    def launch(
        self, judging: _Launcher, shape: tuple[Any, ...], arguments: Sequence[Any]
    ) -> None:
        """Launch on the submission's side, and on the solution's if needed.

        Raises:
            Ended: Values are wrong, or the launch did not end as launches do.
            AssignmentError: Arguments are not of the kernel's types.
        """
        values = self._arguments(arguments)
        record = self.record
        relative = any(limit.relative for limit in record.limits)
        if judging.expected is None or relative:
            solved = self.bench.solution_launch(self.request, shape, values)
            record.costs.add(solved.counters, solution=True)
        result = self.bench.submitted.launch(self.form, shape, values)
        record.costs.add(result.counters)
        record.findings += result.findings
        self._first = self._first or (shape, values)
        if record.noted:
            self._noted = self._noted or (shape, values)
        if record.errors and not record.item.hidden:
            self.draw(shape, values)
        if judging.expected is None:
            judging = _Launcher(self, dict(enumerate(solved.arrays)))
        self._compare(judging, result, arguments)

    @property
    def _name(self) -> str:
        return f"{self.request[0]}.{self.request[1]}({self.request[3]})"

    def _arguments(self, arguments: Sequence[Any]) -> list[Any]:
        types = self.request[2]
        if len(arguments) != len(types):
            raise AssignmentError(
                f"[judge] got {len(arguments)} arguments for {self._name}, whose types "
                f"declare {len(types)}."
            )
        return [
            self._argument(value, kind, n)
            for n, (value, kind) in enumerate(zip(arguments, types, strict=True))
        ]

    def _argument(self, value: Any, kind: str, index: int) -> Any:
        kind = kind.replace("boolean", "bool")  # Numba's word, NumPy's word
        array = _ARRAY.fullmatch(kind)
        if array is None:
            return np.dtype(kind.strip()).type(value)
        if isinstance(value, Poisoned):
            value = Unwritten(_poison(value, self.poison))
        inner = value.values if isinstance(value, Unwritten) else value
        dimensions = array[2].count(",") + 1
        if not isinstance(inner, np.ndarray) or (inner.dtype.name, inner.ndim) != (
            array[1],
            dimensions,
        ):
            raise AssignmentError(
                f"[judge] got {format_value(value)} for argument {index} of "
                f"{self._name}; need {kind}."
            )
        return value

    def _compare(
        self, judging: _Launcher, result: LaunchResult, arguments: Sequence[Any]
    ) -> None:
        assert judging.expected is not None
        self.record.compared += 1
        for index, expected in judging.expected.items():
            if expected is None:
                continue
            wrong = difference(
                result.arrays[index], np.asarray(expected), judging.rtol, judging.atol
            )
            if wrong is not None:
                raise self._wrong(index, wrong, arguments)

    def _wrong(self, index: int, wrong: Difference, arguments: Sequence[Any]) -> Ended:
        given = ", ".join(format_value(value, 60) for value in arguments)
        return Ended(
            "failed",
            f"The kernel leaves wrong values: {wrong.plain}",
            f"Argument {index}: {wrong.details}. Launched with ({given}).",
        )

    def draw(self, shape: tuple[Any, ...] = (), values: Sequence[Any] = ()) -> None:
        """Draw a public launch; without arguments the first one with a note, or else
        the first one.
        """
        shape, values = (shape, values) if shape else self._noted or self._first
        if self.record.drawn or not shape:
            return
        self.record.drawn = True
        side = self.bench.submitted
        # It was judged before: neither a picture nor values change a grade.
        with contextlib.suppress(Ended), self.bench.clock.aside():
            result = side.launch(self.form, shape, values, picture=True)
            if result.picture is not None:
                picture = result.picture
                name = f"{self.record.item.id}.{picture.form}"
                self.record.pictures.append(self.save(name, picture.page, picture.alt))
            form = side.form(*self.request, debug=True)
            result = side.launch(form, shape, values, values=True)
            self.record.add_values(result.findings)


def _poison(output: Poisoned, numbers: np.random.Generator) -> NDArray[Any]:
    """Return random values, seeded by the secret, that no kernel gives by chance."""
    kind = np.dtype(output.dtype)
    if kind.kind == "f":
        values: NDArray[Any] = numbers.uniform(-9e3, -1e3, output.shape).astype(kind)
        return values
    return (
        np.frombuffer(numbers.bytes(output.nbytes), kind).reshape(output.shape).copy()
    )
