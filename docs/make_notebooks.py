"""Owns the pairs of notebooks: writes `NAME.ipynb` from `NAME.py`, which is reviewed.

Run from a checkout: `python docs/make_notebooks.py`. It needs jupytext.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jupytext

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
_METADATA = {
    "kernelspec": {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}


def sources() -> list[Path]:
    """The notebooks that are written as percent scripts."""
    return sorted(NOTEBOOKS.glob("*.py"))


def notebook(source: Path) -> str:
    """The text of the notebook that belongs to a script, without outputs.

    Cells are named by their place, so that the same script gives the same text.
    """
    cells = []
    for number, cell in enumerate(jupytext.read(source, fmt="py:percent").cells):
        made: dict[str, Any] = {"cell_type": cell.cell_type, "id": f"cell-{number}"}
        made["metadata"] = {}
        if cell.cell_type == "code":
            made |= {"execution_count": None, "outputs": []}
        made["source"] = cell.source.splitlines(keepends=True)
        cells.append(made)
    whole = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for path in sources():
        path.with_suffix(".ipynb").write_text(notebook(path), "utf-8")
