"""Convert records to plain data for JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
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


def write_json(path: Path, tree: Any) -> None:
    """Write one file: a tree of plain data, a line each of its lists' members.

    Numbers that JSON does not have (infinities, NaN) are written as text.
    """
    path.write_text(json.dumps(_finite(tree), indent=1) + "\n", encoding="utf-8")


def _finite(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _finite(part) for key, part in tree.items()}
    if isinstance(tree, list):
        return [_finite(part) for part in tree]
    if isinstance(tree, float) and (tree != tree or tree in (1e999, -1e999)):
        return str(tree)
    return tree
