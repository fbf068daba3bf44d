"""Convert records to plain data for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any


def plain(value: Any) -> Any:
    """Convert dataclasses to dictionaries and tuples to lists.

    A field whose metadata has "plain": False is left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        visible = [part for part in fields(value) if part.metadata.get("plain", True)]
        return {part.name: plain(getattr(value, part.name)) for part in visible}
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(part) for part in value]
    return value
