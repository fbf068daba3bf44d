"""Owns what `minitorch check` is told of a Python kernel's findings: words and lines.

The emulator reports to a folder, and knows pseudo files alone; the process that knows
the Python lines adds them there. Must not know who reads it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: What the emulator calls a finding: kind, kernel, pseudo file and line.
Name = tuple[str, str, str, int]


def add(fields: Mapping[str, Any], text: str, place: tuple[str, int] | None) -> None:
    """Keep the words of a finding where the emulator keeps its report, if it does.

    Args:
        fields: What the core knows of it.
        text: The whole text in words of Python.
        place: The line of Python, if one is known.
    """
    folder, site = os.environ.get("MINITORCH_REPORT"), fields["site"]
    if not folder or not site or not site["position"]:
        return
    file, line, _column = site["position"]
    row: dict[str, Any] = {"of": [fields["kind"], fields["kernel"], file, line]}
    row["indices"] = [list(each) for each in fields["indices"]]
    row["text"] = text
    if place:
        row["file"], row["line"] = place
    # A full disk must not take the words from the error that is being raised.
    with (
        contextlib.suppress(OSError),
        Path(folder, f"{os.getpid()}.words").open("a", encoding="utf-8") as words,
    ):
        words.write(json.dumps(row) + "\n")


def read(folder: Path) -> dict[Name, dict[str, Any]]:
    """What was added, by the emulator's name of the finding; the first of each."""
    known: dict[Name, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.words")):
        for line in path.read_text("utf-8", "replace").splitlines():
            try:
                row = json.loads(line)
            except ValueError:  # cut short by a crash
                continue
            kind, kernel, file, number = row.pop("of")
            known.setdefault((kind, kernel, file, number), row)
    return known
