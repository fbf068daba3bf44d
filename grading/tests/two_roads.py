"""Launching a kernel twice: here as programs do, and as a form by a runner."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from minitorch import cuda
from minitorch_grading.kernels import kernel_form
from minitorch_grading.runner.launch_service import answer
from minitorch_grading.runner.launches import LaunchResult, Unwritten, launch

_KERNELS = Path(__file__).parents[2] / "tests" / "python"
_PACKAGE = "python_of_tests"  # whose modules import each other


def kernels_of_tests(name: str) -> ModuleType:
    """A module of tests/python, such as "module3_kernels"."""
    if _PACKAGE not in sys.modules:
        package = ModuleType(_PACKAGE)
        package.__path__ = [str(_KERNELS)]
        sys.modules[_PACKAGE] = package
    return importlib.import_module(f"{_PACKAGE}.{name}")


class Loaded:
    """A kernel's form, for launches by a runner: in this process, or by `exchange`."""

    def __init__(self, form: Any, exchange: Any = answer) -> None:
        self.form, self.exchange = kernel_form.packed(form), exchange

    def launch(self, *arguments: Any, **options: Any) -> LaunchResult:
        return launch(self.exchange, self.form, *arguments, **options)


def through_json(form: Any) -> Any:
    """The form as another process reads it."""
    return json.loads(json.dumps(form))


@dataclass
class Here:
    """What a launch in this process did."""

    types: list[str] | None
    arrays: list[np.ndarray]
    findings: list[tuple[Any, ...]]
    counters: dict[str, float]
    site: str


def shown(error: cuda.KernelError) -> tuple[Any, ...]:
    """What both roads must tell alike; files by their last part."""
    other = error.other
    return (
        error.kind,
        error.severity,
        _name(error.file),
        error.line,
        error.block,
        error.thread,
        (_name(other.file), other.line, other.block, other.thread)
        if other and error.kind in ("race_global", "race_shared")
        else None,
        error.message,
    )


def _name(file: str | None) -> str | None:
    return file.rpartition("/")[2] if file else file


def told(finding: dict[str, Any]) -> tuple[Any, ...]:
    """The same of a runner's finding."""

    def place(site: dict[str, Any]) -> tuple[Any, ...]:
        block, thread = site["block"], site["thread"]
        return (
            _name(site["file"]),
            site["line"],
            tuple(block) if block else None,
            tuple(thread) if thread else None,
        )

    return (
        finding["kind"],
        finding["severity"],
        *place(finding),
        place(finding["race"]["other"]) if finding["race"] else None,
        finding["text"],
    )


def here(kernel: Any, grid: Any, block: Any, values: Sequence[Any]) -> Here:
    """Launch in this process with copies of the arrays, all of them written."""
    known: dict[int, Any] = {}

    def ready(value: Any) -> Any:
        if isinstance(value, Unwritten):
            value = value.values
            return known.setdefault(
                id(value), cuda.device_array(value.shape, value.dtype)
            )
        if isinstance(value, np.ndarray):
            return known.setdefault(id(value), cuda.to_device(value))
        return value

    given = [ready(value) for value in values]
    cuda.synchronize()
    with cuda.inspect() as run:
        kernel[grid, block](*given)
    (launch,) = run.launches
    overloads = getattr(kernel, "overloads", None)
    types = [str(each) for each in list(overloads)[-1]] if overloads else None
    return Here(
        types,
        [array.copy_to_host() for array in given if hasattr(array, "copy_to_host")],
        [shown(each) for each in launch.findings],
        {name: launch.counters[name] for name in launch.counters},
        launch.launch_site,
    )


def by_form(
    kernel: Any, grid: Any, block: Any, values: Sequence[Any], first: Here
) -> LaunchResult:
    """Launch by a runner, with the types and the place of the launch here."""
    form = through_json(kernel_form.of(kernel, first.types))
    return Loaded(form).launch(grid, block, values, site=first.site)


def assert_alike(kernel: Any, grid: Any, block: Any, *values: Any) -> LaunchResult:
    """Launch both ways, and compare findings word for word, counters and arrays."""
    first = here(kernel, grid, block, values)
    second = by_form(kernel, grid, block, values, first)
    order = [each for each in first.findings if each[1] == "error"]
    order += [each for each in first.findings if each[1] != "error"]
    assert [told(each) for each in second.findings] == order
    # Of a launch with an error the build with checks is recorded here, the plain one
    # by a runner.
    if not any(each[1] == "error" for each in order):
        counters = {name: second.counters[name] for name in first.counters}
        assert counters == first.counters
    arrays = [array for array in second.arrays if array is not None]
    if not order:
        for ours, theirs in zip(first.arrays, arrays, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    return second
