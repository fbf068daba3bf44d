"""The author process: import a submission and answer the judge's requests.

Runs confined. From the first import on this process is the submission's: nothing here
is protected from it, and nothing here is worth protecting.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from numpy.typing import NDArray

from .problem import problem
from .values import ValueForm, unpack

Answer = tuple[dict[str, Any], Sequence[NDArray[Any]]]

_folder = ""
_drivers: dict[str, ModuleType] = {}


def load(settings: dict[str, Any]) -> None:
    """Import the library's modules; a process that did so may be forked.

    Args:
        settings: `sees` and `nvrtc`.
    """
    importlib.import_module("numpy.random")
    if settings["sees"] == "numba":
        from .numba_on_host import install

        install()
    if settings["sees"] == "cuda":
        from minitorch_cuda.compat import install_numba

        install_numba(force=True)
        importlib.import_module(f"{__package__.rpartition('.')[0]}.kernels.kernel_form")
        if settings["nvrtc"]:
            ctypes.CDLL(settings["nvrtc"])


def prepare(settings: dict[str, Any]) -> None:
    """Import and set up what a submission needs, while all files can still be read."""
    global _folder
    _folder = settings["folder"]
    load(settings)
    sys.modules["numpy.random"].seed()  # copies of a process would draw the same
    sys.path.insert(0, _folder)


def answer(header: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> Answer:
    """Answer a request; an exception of the submission becomes data.

    Raises:
        MemoryError: There is none left: the process ends with a status of its own.
    """
    before = set(sys.modules)
    try:
        return _ANSWERS[header["ask"]](header, arrays)
    except MemoryError:
        raise
    except Exception as error:
        report = problem(error, _folder)
        _forget_since(before)
        return {"error": report}, []


def _forget_since(before: set[str]) -> None:
    """Unload the submission's modules that a failed request imported, so that the
    next request fails with the same message instead of finding half-imported packages.
    """
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        submitted = isinstance(file, str) and file.startswith(_folder + os.sep)
        if submitted or name == "drivers":
            del sys.modules[name]


def _find(dotted: str) -> Any:
    """Return the value of a dotted name, whose longest prefix is a module."""
    parts = dotted.split(".")
    for count in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:count])
        try:
            value: Any = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            continue
        for part in parts[count:]:
            value = getattr(value, part)
        return value
    raise ModuleNotFoundError(f"No module named {parts[0]!r}", name=parts[0])


def _driver(text: str) -> ModuleType:
    if text not in _drivers:
        module = ModuleType("drivers")
        # Imports of classes and the like look it up while it runs.
        sys.modules["drivers"] = module
        exec(compile(text, "<drivers>", "exec"), module.__dict__)
        _drivers[text] = module
    return _drivers[text]


def _value(value: object) -> Answer:
    form = ValueForm()
    return {"value": form.pack(value)}, form.arrays


def _call(header: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> Answer:
    arguments = unpack(header["arguments"], arrays)
    return _value(getattr(_driver(header["drivers"]), header["name"])(*arguments))


def _package_file(header: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> Answer:
    file = getattr(importlib.import_module(header["package"]), "__file__", None) or ""
    if file.startswith(_folder + os.sep):
        file = os.path.relpath(file, _folder)
    return _value(str(file)[:4096])


def _kernel(header: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> Answer:
    # Late: only an author that compiles needs it.
    from ..kernels import kernel_form

    module, attribute = header["module"], header["attribute"]
    if module.endswith(".cu"):
        with open(os.path.join(_folder, module), encoding="utf-8-sig") as file:
            text = file.read()
        form = kernel_form.of_cuda(
            text, attribute, header["types"], file=module, debug=header["debug"]
        )
    else:
        kernel = getattr(importlib.import_module(module), attribute)
        if header["fn"] is not None:
            kernel = kernel(_find(header["fn"]))
        form = kernel_form.of(
            kernel, header["types"], root=_folder, debug=header["debug"]
        )
    return {"made": True}, [kernel_form.packed(form)]


def _tests(header: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> Answer:
    from .student_tests import run_tests

    return {"results": run_tests(header["file"], _folder, header["to_failure"])}, []


_ANSWERS: dict[str, Callable[..., Answer]] = {
    "call": _call,
    "kernel": _kernel,
    "package_file": _package_file,
    "tests": _tests,
}
