"""The runner's service: launch a kernel's form.

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
from minitorch_cuda.cuda.inspecting.inspection import Inspection, inspect
from minitorch_cuda.cuda.launching.launch_shape import Configuration
from minitorch_cuda.cuda.tracebacks import launch_site

from ..kernels import kernel_form
from ..kernels.form_fields import read_form
from ..kernels.loaded_kernel import LoadedKernel
from .finding_data import finding_data
from .thread_values import ThreadValues

#: A question or an answer: plain data, and arrays.
Message = tuple[dict[str, Any], list[NDArray[Any]]]

_MOST_FINDINGS, _MOST_VALUES = 64, 4  # of a launch, and those that have values
_TRACE_BYTES = 64 << 20


def answer(question: Mapping[str, Any], parts: Sequence[NDArray[Any]]) -> Message:
    """Launch a kernel; nothing that its form does is raised.

    Args:
        question: `{"grid", "block", "shared_bytes", "arguments"}`, see `_value`.
            Optional: "picture" (bool), "values" (bool, of variables in findings; of a
            form for debuggers) and "site" (what findings call its place).
        parts: The arrays, and the kernel's form as the last.

    Returns:
        `{"outcome", "message"}`, see `LaunchResult`. Of a launch also "findings",
        "counters", "seconds", "arrays" (numbers of the parts that come back, as they
        are afterwards) and, where it was asked for, "picture" (None or its words; the
        page is the last part).

    Example:
        >>> answer({}, [])[0]["outcome"]
        'no_kernel'
    """
    try:
        form = read_form(kernel_form.unpacked(parts[-1]))
        # Loaded anew: nothing that a kernel keeps in variables reaches the next launch.
        kernel = kernel_form.loaded(form)
    except PtxError as error:
        return _ended("does_not_compile", error), []
    except (OutOfMemoryError, MemoryError) as error:
        return _ended("memory", error), []
    except Exception as error:
        return _ended("no_kernel", error), []
    try:
        return _launch(kernel, question, parts)
    except OutOfMemoryError as error:
        return _ended("memory", error), []
    except MemoryError:
        return _ended("memory", "[runner] this process has no more memory."), []
    except Exception as error:
        return _ended("error", error), []


def _launch(
    kernel: LoadedKernel, question: Mapping[str, Any], parts: Sequence[NDArray[Any]]
) -> Message:
    # Findings name the judge's launch site, not a line of this program.
    _core.set_launch_site_provider(lambda: str(question.get("site", "")))
    try:
        # The build that is counted comes first: the other one, which a forger could
        # have do the work, must not leave it anything.
        counted = _run(kernel, question, parts, checked=False)
        if kernel.checks and kernel.finds_wrong_index(
            *_prepared(kernel, question, parts)[:2]
        ):
            return _run(kernel, question, parts, checked=True)
        return counted
    finally:
        _core.set_launch_site_provider(launch_site)


def _run(
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
    return _answer_of(run, question, arrays, kernel.form.sources)


def _answer_of(
    run: Inspection,
    question: Mapping[str, Any],
    arrays: Mapping[int, DeviceArray],
    sources: Mapping[str, str],
) -> Message:
    (launch,) = run.launches
    findings = sorted(launch.findings, key=lambda finding: finding.severity != "error")
    kinds = {finding.kind for finding in findings}
    reply = _ended("timeout" if "timeout" in kinds else "done", "")
    known = ThreadValues(launch, sources) if question.get("values") else None
    reply["findings"] = [
        finding_data(finding, known if number < _MOST_VALUES else None)
        for number, finding in enumerate(findings[:_MOST_FINDINGS])
    ]
    counters = launch.counters
    reply["counters"] = {name: int(counters[name]) for name in (*counters, *SUMS)}
    reply["seconds"] = launch.time
    reply["arrays"] = list(arrays)
    back = [array.copy_to_host() for array in arrays.values()]
    if question.get("picture"):
        from .launch_picture import picture_of

        reply["picture"], page = picture_of(launch)
        back.append(page)
    return reply, back


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


def _value(
    given: Mapping[str, Any],
    parts: Sequence[NDArray[Any]],
    arrays: dict[int, DeviceArray],
) -> Any:
    """Return an argument of the launch.

    Args:
        given: `{"array": number of its part, "unwritten": bool}`, `{"number": number
            of its part, "plain": bool}` for a part without dimensions, which is
            Python's number where it is plain.
        parts: What came with the question.
        arrays: Those made so far, by part: one that comes twice is one.
    """
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
