"""Owns one task of a class: grade one submission anywhere, hand back bytes.

It may run twice, on any worker, and writes nothing but its own scratch folder. Must not
know the results folder.
"""

from __future__ import annotations

import json
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, TypedDict

from ..sandbox.library_subset import share
from .ledger import PICTURES_BYTES

#: The function that grades one submission, where no other is named.
GRADE_ONE = "minitorch_cuda.grading.judge.grade:grade_one"


class Told(TypedDict):
    """What a worker is told.

    Two folders spare all but the first work: `cache` for what the solution gives,
    `library` for what confined processes import ("": each worker has its own).
    """

    grade: str
    assignment: str
    submission: str
    secret: bytes
    level: str | None
    cache: str
    library: str


class Graded(TypedDict):
    """What a worker hands back: a report, pictures by name."""

    report: dict[str, Any]
    pictures: dict[str, bytes]


def grade_task(told: Told) -> Graded:
    """Grade one submission in a scratch folder.

    Args:
        told: paths that this machine can read, and the function to call, as
            "module:function" with the parameters of `grade_one`.

    Returns:
        The report and its pictures, some MB at most.
    """
    module, _, name = told["grade"].partition(":")
    grade_one = getattr(import_module(module), name)
    if told["library"]:
        share(Path(told["library"]))  # a worker's own would outlive it
    with tempfile.TemporaryDirectory(prefix="minitorch-grade-") as scratch:
        to = Path(scratch, "to")
        report = grade_one(
            Path(told["assignment"]),
            Path(told["submission"]),
            to,
            told["secret"],
            told["level"],
            cache=Path(told["cache"]),
            library=Path(told["library"]) if told["library"] else None,
        )
        return {"report": _plain(report), "pictures": _pictures(to / "pictures")}


def _plain(report: Any) -> dict[str, Any]:
    """The report as JSON reads it: no type of ours travels."""
    plain: dict[str, Any] = json.loads(json.dumps(report, allow_nan=False))
    return plain


def _pictures(folder: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    room = PICTURES_BYTES
    for path in sorted(folder.glob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= room:
            found[path.name] = path.read_bytes()
            room -= len(found[path.name])
    return found
