"""Owns the code of the lessons and puzzles on the card: what it leaves in its arrays.

A cell that asks for what only the emulator tells is passed over, and so is one that
needs what such a cell would have made.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import minitorch
from minitorch import cuda

from ..place import NEEDS_EMULATOR, ROOT
from ..rows import Row, row

_LARGEST = 1 << 20  # cells of an array that is compared
_RTOL = 1e-3

Arrays = dict[str, np.ndarray]


@dataclass
class Book:
    """What came of a notebook."""

    ran: int = 0
    emulator: int = 0
    arrays: Arrays = field(default_factory=dict)
    wrong: str = ""
    note: str = ""


def items(quick: bool) -> list[str]:
    """Names of the notebooks."""
    names = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    return names[1:2] if quick else names


def _cells(name: str) -> list[str]:
    book = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text("utf-8"))
    _install, *cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    return ["".join(cell["source"]) for cell in cells]


def _array(value: Any) -> np.ndarray | None:
    if isinstance(value, minitorch.Tensor):
        value = value.detach().numpy()
    elif hasattr(value, "copy_to_host"):
        value = value.copy_to_host()
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
        return None
    return value.copy() if value.size <= _LARGEST else None


def _new_arrays(number: int, before: dict[str, int], space: dict[str, Any]) -> Arrays:
    """Arrays that names were bound to since `before`, by cell and name."""
    found = {}
    for name, value in space.items():
        if before.get(name) == id(value) or name.startswith("_"):
            continue
        array = _array(value)
        if array is not None:
            found[f"{number}:{name}"] = array
    return found


def _why_not(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".split("\n")[0][:200]


def run_book(name: str) -> Book:
    """Run the cells of a notebook in order, as far as this device can."""
    book = Book()
    space: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder:
        for number, source in enumerate(_cells(name), 2):  # 1 installs
            # A real file, so that inspect finds functions defined in a cell.
            cell = Path(folder, f"cell_{number}.py")
            cell.write_text(source, "utf-8")
            before = {key: id(value) for key, value in space.items()}
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(source, str(cell), "exec"), space)
                    cuda.synchronize()
                book.arrays |= _new_arrays(number, before, space)
            except Exception as error:
                if not _pass_over(book, number, source, error):
                    break
                continue
            book.ran += 1
    return book


def _pass_over(book: Book, number: int, source: str, error: Exception) -> bool:
    """Note a cell that raised; whether those after it can go on."""
    if NEEDS_EMULATOR in str(error):
        book.emulator += 1
        return True
    follows = book.emulator and isinstance(error, NameError | AttributeError)
    if follows or isinstance(error, ImportError):
        book.emulator += bool(follows)
        book.note = book.note or f"cell {number}: {_why_not(error)}"
        return True
    if isinstance(error, cuda.CudaError) and "KernelError" in source:
        book.note = f"ends at the wrong kernel of cell {number}"
        return False
    book.wrong = f"cell {number}: {_why_not(error)}"
    return not isinstance(error, cuda.CudaError)


def _kept(name: str, folder: Path) -> Path:
    return folder / "emulator" / f"{name}.npz"


def reference(name: str, folder: Path) -> Row:
    """Keep the arrays of the emulator."""
    book = run_book(name)
    _kept(name, folder).parent.mkdir(parents=True, exist_ok=True)
    np.savez(_kept(name, folder), **book.arrays)
    return row(name, "failed" if book.wrong else "ok", book.wrong, ran=book.ran)


def compare(card: Arrays, ours: Arrays) -> tuple[dict[str, int], str]:
    """Count arrays that are equal, close and apart; name the first that is apart."""
    counts = {"equal": 0, "close": 0, "apart": 0}
    first = ""
    for name in card.keys() & ours.keys():
        mine, its = ours[name], card[name]
        if mine.shape == its.shape and mine.tobytes() == its.tobytes():
            counts["equal"] += 1
        elif mine.shape == its.shape and np.allclose(
            mine, its, rtol=_RTOL, atol=_RTOL, equal_nan=True
        ):
            counts["close"] += 1
        else:
            counts["apart"] += 1
            first = first or f"array {name} (cell:name) is not the emulator's"
    return counts, first


def measure(name: str, folder: Path) -> Row:
    """Run a notebook on the card and compare."""
    book = run_book(name)
    ours: Arrays = {}
    if _kept(name, folder).exists():
        with np.load(_kept(name, folder)) as saved:
            ours = dict(saved)
    counts, first = compare(book.arrays, ours)
    wrong = book.wrong or first
    return row(
        name,
        "differs" if wrong else "ok",
        wrong,
        ran=book.ran,
        emulator=book.emulator,
        note=book.note,
        **counts,
    )
