"""Write the pages of docs/ whose tables and messages come from the code.

    python docs/make_pages.py FOLDER

A line of a page with `<!-- made: NAME -->` is replaced by the table of that name.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

# The same pages on every computer.
os.environ |= {"MINITORCH_CUDA": "emulator", "MINITORCH_EMULATED_GPU": "t4"}

import make_error_catalogue
import make_ops
import make_ptx_subset
import make_pytorch

TABLES: dict[str, Callable[[], dict[str, str]]] = {
    "checks.md": make_error_catalogue.tables,
    "errors.md": dict,
    "ops.md": make_ops.tables,
    "ptx_subset.md": make_ptx_subset.tables,
    "pytorch.md": make_pytorch.tables,
}


def filled(page: str, tables: dict[str, str]) -> str:
    """Return a page with its tables in the lines that name them."""
    line = re.compile(r"^.*<!-- made: (\w+) -->.*$", re.MULTILINE)
    return line.sub(lambda found: tables[found[1]], page)


def main(folder: Path) -> None:
    """Write the pages into a folder."""
    # Kernels print past Python, and one example prints a lot.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for name, made in TABLES.items():
        page = filled((Path(__file__).parent / name).read_text("utf-8"), made())
        if name == "errors.md":
            page = make_error_catalogue.with_messages(page)
        (folder / name).write_text(page, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
