"""The list of views: each is a module or a folder here with a function of its name."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any


def names() -> list[str]:
    """All views. None is loaded for that."""
    parts = os.scandir(os.path.dirname(__file__))
    return sorted(each.name.partition(".")[0] for each in parts if each.name[0] != "_")


def find(name: str) -> Callable[..., Any]:
    """One view, loaded where it was not."""
    module = importlib.import_module(f".{name}", __name__)
    found: Callable[..., Any] = getattr(module, name)
    return found
