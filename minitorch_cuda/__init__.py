"""The library's second name, for where `minitorch` is somebody else's package.

Students of MiniTorch write a package `minitorch` of their own. If that name is free,
both names give the same modules: the compiled core cannot be loaded twice into one
process. If it is not, the library's files are loaded under this name. The library
itself takes the place of this module in `sys.modules`.
"""

from __future__ import annotations

import os
import sys

if sys.argv[:2] == ["-m", "course"] and sys.path[0] in ("", os.getcwd()):
    # Nothing is imported of the folder where it is started: hand-ins may lie there.
    del sys.path[0]

import importlib
import importlib.util
from collections.abc import Iterator, Sequence
from importlib.abc import Loader
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

_FIRST, _SECOND = "minitorch", "minitorch_cuda"
_FOLDER = Path(__file__).resolve().parents[1] / _FIRST
_START = _FOLDER / "__init__.py"
_MARK = "from . import _core as _core"  # a line of it that is in no other minitorch's


def _refuse_another() -> None:
    """Tell of a package that was installed into the library's own folder.

    Raises:
        ImportError: `minitorch/__init__.py` is missing or somebody else's.
    """
    if _START.is_file() and _MARK in _START.read_text("utf-8", "replace"):
        return
    raise ImportError(
        f"[{_SECOND}] another package called minitorch has overwritten this one in "
        f"{_FOLDER}, or was uninstalled with it. Run: pip uninstall -y minitorch "
        "minitorch-cuda, then pip install minitorch-cuda."
    )


def _is_library(file: str | None) -> bool:
    return file is not None and Path(file).exists() and _START.samefile(file)


def _first_name_is_the_library() -> bool:
    """Does `import minitorch` give the library, or did it?"""
    if "MINITORCH_SECOND_NAME" in os.environ:  # asked for by a process of this library
        return False
    if _FIRST in sys.modules:
        return _is_library(getattr(sys.modules[_FIRST], "__file__", None))
    try:
        spec = importlib.util.find_spec(_FIRST)
    except ModuleNotFoundError:  # beside an assignment that has no such package yet
        return False
    return spec is not None and _is_library(spec.origin)


def _has_core(folder: str | Path) -> bool:
    return any(Path(folder, f"_core{each}").exists() for each in EXTENSION_SUFFIXES)


def _folders() -> list[str]:
    """Where the library's files are: an editable install keeps its core elsewhere."""
    if _has_core(_FOLDER):
        return [str(_FOLDER)]
    for finder in sys.meta_path:
        try:
            spec = finder.find_spec(_FIRST, None)
        except ModuleNotFoundError:
            continue
        places = spec.submodule_search_locations if spec is not None else None
        if spec and _is_library(spec.origin) and any(map(_has_core, places or ())):
            return list(places or ())
    return [str(_FOLDER)]


class _Same(Loader):
    """Finds `minitorch_cuda.x` where the library is `minitorch`: the same module."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if not name.startswith(f"{_SECOND}."):
            return None
        try:
            found = importlib.util.find_spec(_first(name))
        except ModuleNotFoundError:  # a package above it is none
            found = None
        if found is None:
            return None
        package = found.submodule_search_locations is not None
        return ModuleSpec(name, self, origin=found.origin, is_package=package)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None  # one for the import system to write on: exec_module replaces it

    def exec_module(self, module: ModuleType) -> None:
        importlib.import_module(_first(module.__name__))
        _add_second_names()

    def get_code(self, name: str) -> CodeType | None:
        """For `python -m minitorch_cuda.x`."""
        spec = importlib.util.find_spec(_first(name))
        code: CodeType | None = spec.loader.get_code(_first(name))  # type: ignore
        return code


def _first(name: str) -> str:
    return _FIRST + name.removeprefix(_SECOND)


def _loaded() -> Iterator[tuple[str, ModuleType]]:
    for name, module in list(sys.modules.items()):
        if name == _FIRST or name.startswith(f"{_FIRST}."):
            yield name, module


def _add_second_names() -> None:
    for name, module in _loaded():
        sys.modules[_SECOND + name.removeprefix(_FIRST)] = module


def _load_here() -> None:
    """Loads the library's files as `minitorch_cuda`."""
    spec = importlib.util.spec_from_file_location(
        _SECOND, _START, submodule_search_locations=_folders()
    )
    assert spec is not None
    assert spec.loader is not None
    sys.modules[_SECOND] = library = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(library)


_refuse_another()
if _first_name_is_the_library():
    importlib.import_module(_FIRST)
    sys.meta_path.insert(0, _Same())
    _add_second_names()
else:
    _load_here()
