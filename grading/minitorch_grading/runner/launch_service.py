"""The runner's service: load a kernel's form, launch it.

The judge, who asks, is trusted; the forms are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

import minitorch_cuda._core as _core
from minitorch_cuda.cuda.arrays.array_creation import to_device
from minitorch_cuda.cuda.arrays.device_array import DeviceArray
from minitorch_cuda.cuda.device.device import synchronize
from minitorch_cuda.cuda.errors import (
    KernelError,
    OutOfMemoryError,
    PtxError,
)
from minitorch_cuda.cuda.inspecting.counters import SUMS
from minitorch_cuda.cuda.inspecting.inspection import Inspection, Launch, inspect
from minitorch_cuda.cuda.launching.launch_shape import Configuration
from minitorch_cuda.cuda.tracebacks import launch_site

from ..kernels import kernel_form
from ..kernels.form_fields import Form, FormError, read_form
from ..kernels.loaded_kernel import LoadedKernel
from .finding_data import finding_data
from .thread_values import ThreadValues

#: A question or an answer: plain data, and arrays.
Message = tuple[dict[str, Any], list[NDArray[Any]]]

_MOST_FINDINGS, _MOST_VALUES = 64, 4  # of a launch, and those that have values
_TRACE_BYTES = 64 << 20


class LaunchService:
    """Answers questions, one after the other; nothing that a form does is raised.

    Example:
        >>> LaunchService().answer({"do": "wait"}, [])[0]["outcome"]
        'error'
    """

    def __init__(self) -> None:
        self._forms: dict[str, Form] = {}

    def answer(
        self, question: Mapping[str, Any], parts: Sequence[NDArray[Any]]
    ) -> Message:
        """Execute a request.

        Args:
            question: `{"do": "load", "kernel": name}` with the form as the only part;
                or `{"do": "launch", "kernel", "grid", "block", "shared_bytes",
                "arguments"}`, see `_value`. Of a launch optional: "picture" (bool),
                "values" (bool, of variables in findings; of a form for debuggers) and
                "site" (what findings call its place).
            parts: The arrays.

        Returns:
            `{"outcome", "message"}`: "done", "does_not_compile", "error", "memory" or
            "timeout". Of a launch also "findings", "counters", "seconds", "arrays"
            (numbers of the parts that come back, as they are afterwards) and, where it
            was asked for, "picture" (None or its words; the page is the last part).
        """
        try:
            if question.get("do") == "load":
                return self._load(str(question["kernel"]), parts), []
            if question.get("do") == "launch":
                return self._launch(question, parts)
            raise ValueError(f"[runner] got {question.get('do')!r}; need load, launch.")
        except OutOfMemoryError as error:
            return _ended("memory", error), []
        except MemoryError:
            return _ended("memory", "[runner] this process has no more memory."), []
        except Exception as error:
            return _ended("error", error), []

    def _load(self, name: str, parts: Sequence[NDArray[Any]]) -> dict[str, Any]:
        self._forms.pop(name, None)
        (data,) = parts
        form = read_form(kernel_form.unpacked(data))
        try:
            kernel_form.loaded(form)
        except PtxError as error:
            return _ended("does_not_compile", error)
        self._forms[name] = form
        return _ended("done", "")

    def _launch(
        self, question: Mapping[str, Any], parts: Sequence[NDArray[Any]]
    ) -> Message:
        form = self._forms.get(question["kernel"])
        if form is None:
            raise FormError(f"[runner] got no kernel {question['kernel']!r}; load it.")
        # Loaded anew: nothing that a kernel keeps in variables reaches the next launch.
        kernel = kernel_form.loaded(form)
        # Findings name the judge's launch site, not a line of this program.
        _core.set_launch_site_provider(lambda: str(question.get("site", "")))
        try:
            # The build that is counted comes first: the other one, which a forger could
            # have do the work, must not leave it anything.
            answer = self._run(kernel, question, parts, checked=False)
            if kernel.checks and kernel.finds_wrong_index(
                *_prepared(kernel, question, parts)[:2]
            ):
                answer = self._run(kernel, question, parts, checked=True)
            return answer
        finally:
            _core.set_launch_site_provider(launch_site)

    def _run(
        self,
        kernel: LoadedKernel,
        question: Mapping[str, Any],
        parts: Sequence[NDArray[Any]],
        checked: bool,
    ) -> Message:
        configuration, values, arrays = _prepared(kernel, question, parts)
        synchronize()
        trace = bool(question.get("picture") or question.get("values"))
        with inspect(trace=trace, trace_bytes=_TRACE_BYTES) as run:
            try:
                kernel.run(configuration, values, checked)
                synchronize()
            except KernelError:
                pass  # is among the findings
        return self._answer_of(run, question, arrays, kernel.form.sources)

    def _answer_of(
        self,
        run: Inspection,
        question: Mapping[str, Any],
        arrays: Mapping[int, DeviceArray],
        sources: Mapping[str, str],
    ) -> Message:
        (launch,) = run.launches
        findings = sorted(
            launch.findings, key=lambda finding: finding.severity != "error"
        )
        kinds = {finding.kind for finding in findings}
        answer = _ended("timeout" if "timeout" in kinds else "done", "")
        known = ThreadValues(launch, sources) if question.get("values") else None
        answer["findings"] = [
            finding_data(finding, known if number < _MOST_VALUES else None)
            for number, finding in enumerate(findings[:_MOST_FINDINGS])
        ]
        answer["counters"] = counted(launch)
        answer["seconds"] = launch.time
        answer["arrays"] = list(arrays)
        back = [array.copy_to_host() for array in arrays.values()]
        if question.get("picture"):
            from .launch_picture import picture_of

            answer["picture"], page = picture_of(launch)
            back.append(page)
        return answer, back


def _ended(outcome: str, message: object) -> dict[str, Any]:
    return {"outcome": outcome, "message": str(message)[:4000]}


def _prepared(
    kernel: LoadedKernel, question: Mapping[str, Any], parts: Sequence[NDArray[Any]]
) -> tuple[Configuration, tuple[Any, ...], dict[int, DeviceArray]]:
    """Return configuration, arguments, and the new arrays by part number."""
    arrays: dict[int, DeviceArray] = {}
    values = tuple(
        _value(argument, parts, arrays) for argument in question["arguments"]
    )
    grid, block = tuple(question["grid"]), tuple(question["block"])
    shared = question.get("shared_bytes", 0)
    return kernel.ready(grid, block, values, shared), values, arrays


def counted(launch: Launch) -> dict[str, int]:
    """Return all counters of a launch and all sums of them, by name."""
    counters = launch.counters
    return {name: int(counters[name]) for name in (*counters, *SUMS)}


def _value(
    given: Mapping[str, Any],
    parts: Sequence[NDArray[Any]],
    arrays: dict[int, DeviceArray],
) -> Any:
    """Return an argument of the launch.

    Args:
        given: `{"array": number of its part, "unwritten": bool}`, `{"number": number
            of its part, "plain": bool}` for a part without dimensions, which is
            Python's number where it is plain, or `{"tuple": [...]}`.
        parts: What came with the question.
        arrays: Those made so far, by part: one that comes twice is one.
    """
    if "tuple" in given:
        return tuple(_value(entry, parts, arrays) for entry in given["tuple"])
    if "number" in given:
        part = parts[given["number"]]
        return part.item() if given.get("plain") else part[()]
    number = given["array"]
    if number not in arrays:
        array = to_device(parts[number])
        if given.get("unwritten"):
            assert isinstance(array._buffer, _core.DeviceBuffer)
            array._buffer.mark_unwritten()
        arrays[number] = array
    return arrays[number]
