"""How records become plain data for JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any


def plain(value: Any) -> Any:
    """Give dataclasses as dictionaries and tuples as lists.

    A field whose metadata has "plain": False is left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        shown = [each for each in fields(value) if each.metadata.get("plain", True)]
        return {each.name: plain(getattr(value, each.name)) for each in shown}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(each) for each in value]
    return value


def write_json(path: Path, tree: Any) -> None:
    """Write one file: a tree of plain data, a line each of its lists' members.

    Numbers that JSON does not have (infinities, NaN) are written as text.
    """
    path.write_text(json.dumps(_finite(tree), indent=1) + "\n", encoding="utf-8")


def _finite(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _finite(each) for key, each in tree.items()}
    if isinstance(tree, list):
        return [_finite(each) for each in tree]
    if isinstance(tree, float) and (tree != tree or tree in (1e999, -1e999)):
        return str(tree)
    return tree
