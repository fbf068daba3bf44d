"""The list of views: each is a folder here with a function of its name."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])

_VIEWS: dict[str, Callable[..., Any]] = {}


def view(function: View) -> View:
    """Register what users call: a view, by the name of its folder.

    Raises:
        ValueError: A function with another name.
    """
    name, folder = function.__name__, function.__module__.rpartition(".")[2]
    if name != folder:
        raise ValueError(f"[viz] got a view {name!r} in {folder}/; need the same name.")
    _VIEWS[name] = function
    return function


def names() -> list[str]:
    """All views. None is loaded for that."""
    folders = os.scandir(os.path.dirname(__file__))
    return sorted(
        each.name
        for each in folders
        if os.path.exists(os.path.join(each.path, "__init__.py"))
    )


def find(name: str) -> Callable[..., Any]:
    """One view, loaded where it was not.

    Raises:
        KeyError: A folder that registers none.
    """
    importlib.import_module(f".{name}", __name__)
    return _VIEWS[name]
