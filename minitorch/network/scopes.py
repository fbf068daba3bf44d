"""Scopes of a recording as a tree: an op within an op, within a module's call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

Record = Mapping[str, Any]
_Scope = TypeVar("_Scope", bound=Record)


def outwards(scopes: Mapping[int, _Scope], number: int) -> Iterator[_Scope]:
    """Yield the scope of a number and those around it, innermost first."""
    while number in scopes:
        yield scopes[number]
        number = scopes[number]["parent"]
