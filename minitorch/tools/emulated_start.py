"""Python's start on the emulator: `emulate` copies this file as sitecustomize.py.

nvJitLink is not to be found there: with it numba-cuda hands machine code to the driver,
without it PTX, which the emulator runs. Imports nothing of minitorch.
"""

import importlib
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_PATHFINDER = "cuda.pathfinder"  # how NVIDIA's Python packages find libraries


def _hide_nvjitlink(module: ModuleType) -> None:
    load = module.load_nvidia_dynamic_lib

    def load_nvidia_dynamic_lib(name: str, *rest: Any) -> Any:
        if name == "nvJitLink":
            raise module.DynamicLibNotFoundError(
                "nvJitLink produces machine code, which the emulator cannot run"
            )
        return load(name, *rest)

    module.__dict__["load_nvidia_dynamic_lib"] = load_nvidia_dynamic_lib


class _Finder:
    """Import hook that changes the module when it is imported."""

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        if name != _PATHFINDER:
            return None
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_change(module: ModuleType) -> None:
            execute(module)
            _hide_nvjitlink(module)

        spec.loader.exec_module = execute_and_change  # type: ignore[method-assign]
        return spec


def _run_hidden() -> None:
    """Run another sitecustomize, which this one hides."""
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != folder]
    this = sys.modules.pop("sitecustomize")
    try:
        importlib.import_module("sitecustomize")
    except ModuleNotFoundError:
        sys.modules["sitecustomize"] = this


if __name__ == "sitecustomize":
    sys.meta_path.insert(0, _Finder())
    _run_hidden()
