"""The pytest plugin that has tests beside a student's `minitorch` test that one.

The student's package has the library's name, so `import minitorch` could give the
library, whose functions are right: a student's mistakes would pass. Does nothing where
there is no such package. A package of its own: pytest reads it at every start, and must
not load the library for that. PYTEST_DONT_REWRITE: it has no asserts.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

import pytest

from .assignment import LAUNCH_SECONDS, Assignment

_NAME = "minitorch"
_ASSIGNMENT = "assignment.toml"
# What MiniTorch's tests are marked with, and what its guide says: `-m test3_3`.
_MARKER = re.compile(r"(task|test)(\d+_\d+\w*)")
_OTHER = {"task": "test", "test": "task"}


def _is_library(package: Path) -> bool:
    return (package / "cuda" / "language").is_dir()


def _checkout_above(place: Path) -> Path | None:
    """The nearest folder at or above `place` that holds a student's package."""
    for folder in (place, *place.parents):
        if (folder / _ASSIGNMENT).is_file():
            return folder
        package = folder / _NAME
        if (package / "__init__.py").is_file():
            return None if _is_library(package) else folder
        if (folder / ".git").exists():
            return None
    return None


def _checkout_of(config: pytest.Config) -> Path | None:
    """The student's checkout that this run tests, or None."""
    start = config.invocation_params.dir
    given = getattr(config.known_args_namespace, "file_or_dir", None) or ()
    places = [Path(start, str(each).split("::")[0]).resolve() for each in given]
    above = [_checkout_above(each) for each in places if each.exists()]
    found = sorted({each for each in above if each is not None})
    if len(found) > 1:
        raise pytest.UsageError(
            f"[{_NAME}] the tests belong to {len(found)} packages called minitorch, in "
            f"{', '.join(map(str, found))}. Run pytest once for each."
        )
    if found:
        return found[0]
    return _checkout_above(config.rootpath) or _checkout_above(start.resolve())


class _Finder:
    """Finds `minitorch` and what is below it in the student's checkout only."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if name != _NAME and not name.startswith(f"{_NAME}."):
            return None
        spec = PathFinder.find_spec(name, [str(self._root)] if name == _NAME else path)
        if spec is None:
            # Another finder would take the library's module of that name.
            raise ModuleNotFoundError(
                f"[{_NAME}] the package in {self._root} has no module {name!r}. Import "
                "the library as minitorch_cuda.",
                name=name,
            )
        return spec


class _Checkout:
    """What the plugin does in a run beside a student's checkout."""

    def __init__(self, root: Path, numba: str) -> None:
        self._root, self._numba = root, numba

    def pytest_report_header(self) -> str:
        package = self._root / _NAME
        if not package.is_dir():  # an assignment whose files are no package
            return f"assignment: {self._root}, numba: {self._numba}"
        return f"minitorch: {package}, numba: {self._numba}"

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """A test of `task3_3` is one of `test3_3`, too, and the other way round."""
        names = {mark.name for mark in item.iter_markers()}
        for found in filter(None, map(_MARKER.fullmatch, sorted(names))):
            other = _OTHER[found[1]] + found[2]
            if other not in names:
                item.config.addinivalue_line("markers", f"{other}: as {found[0]}")
                item.add_marker(other)

    def pytest_collection_finish(self) -> None:
        check(self._root)


def check(root: Path) -> None:
    """Refuses a run whose `minitorch` is not that of the checkout.

    Raises:
        UsageError: pytest ends with status 4.
    """
    module = sys.modules.get(_NAME)
    if module is None:
        return
    folders = [Path(each).resolve() for each in getattr(module, "__path__", ())]
    if folders != [(root / _NAME).resolve()]:
        where = getattr(module, "__file__", None) or ", ".join(map(str, folders))
        raise pytest.UsageError(
            f"[{_NAME}] these tests need the package in {root}, but "
            f"{where or 'a package without a file'} was imported. Remove what imports "
            "it, such as `-p minitorch.tools.numba_plugin`; import the library as "
            "minitorch_cuda."
        )


def _stand_in_for_numba() -> str:
    # Here, where `minitorch` is the student's: the library comes as minitorch_cuda.
    compat = importlib.import_module("minitorch_cuda.compat")
    return "minitorch_cuda's stand-in" if compat.install_numba() else "Numba itself"


@pytest.hookimpl(tryfirst=True)  # before any conftest.py of the student is read
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    root = _checkout_of(early_config)
    if root is None:
        return
    sys.meta_path.insert(0, _Finder(root))
    check(root)
    given = (root / _ASSIGNMENT).is_file()
    if given:
        # What is found must not depend on the machine: the same for all students.
        os.environ.setdefault("MINITORCH_CUDA", "emulator")
        os.environ.setdefault("MINITORCH_TIME_LIMIT", str(LAUNCH_SECONDS))
        sys.path.insert(0, str(root))  # for files beside it that are no package
    plugins = early_config.pluginmanager
    plugins.register(_Checkout(root, _stand_in_for_numba()), "minitorch_cuda_checkout")
    if given:
        plugins.register(Assignment(root), "minitorch_cuda_assignment")
    early_config.add_cleanup(_remove_finders)


def _remove_finders() -> None:
    """For programs that go on after pytest: they may import the library."""
    sys.meta_path[:] = [e for e in sys.meta_path if not isinstance(e, _Finder)]
