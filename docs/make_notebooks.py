"""The pairs of notebooks: writes `NAME.ipynb` from `NAME.py`, which is reviewed.

Run from a checkout: `python docs/make_notebooks.py`. It needs jupytext.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jupytext
import nbformat

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"

#: The first cell of code of every notebook; scripts leave it out. It compiles nothing,
#: and takes a wheel that lies beside the notebook. Its error is no ImportError: Colab
#: adds advice to those, to install packages with `!pip` or `!apt`.
SETUP = """\
# Installs minitorch-cuda if it is missing, as in Colab: this takes up to a minute.
import sys
from importlib.util import find_spec

if not find_spec("minitorch_cuda"):
    %pip install -qq --retries 1 --only-binary :all: -f . "minitorch-cuda[lessons]"
if not find_spec("minitorch_cuda"):
    raise RuntimeError(
        "Until minitorch-cuda is on PyPI, put its wheel, minitorch_cuda-…-"
        f"cp3{sys.version_info.minor}-….whl, beside this notebook (in Colab: click the "
        "folder icon on the left, then the upload icon), and run this cell again."
    )
"""

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
    read = jupytext.read(source, fmt="py:percent").cells
    first = next(i for i, cell in enumerate(read) if cell.cell_type == "code")
    read.insert(first, nbformat.v4.new_code_cell(SETUP.rstrip()))
    for number, cell in enumerate(read):
        made: dict[str, Any] = {"cell_type": cell.cell_type, "id": f"cell-{number}"}
        tags = cell.metadata.get("tags")
        made["metadata"] = {"tags": tags} if tags else {}
        if cell.cell_type == "code":
            made |= {"execution_count": None, "outputs": []}
        source = cell.source
        if source.startswith("%%"):  # a cell in another language: a comment in scripts
            source = re.sub("^# ?", "", source, flags=re.MULTILINE)
        made["source"] = source.splitlines(keepends=True)
        cells.append(made)
    whole = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for path in sources():
        path.with_suffix(".ipynb").write_text(notebook(path), "utf-8")
