"""Owns the rows that a part leaves: one JSON object a line, written as they come.

A line `{"start": name}` is written before an item and its row after it, so that
whoever reads the file of a process that died knows where.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]

#: What may become of an item. `differs`: it ran, and the card says something else.
OUTCOMES = ("ok", "differs", "failed", "crashed", "timed out", "skipped")


def row(name: str, outcome: str, why: str = "", **figures: Any) -> Row:
    """A row; `why` says in a sentence what is not ok.

    Raises:
        ValueError: No such outcome.
    """
    if outcome not in OUTCOMES:
        raise ValueError(
            f"[row] got outcome {outcome!r}; need one of {', '.join(OUTCOMES)}."
        )
    return {"name": name, "outcome": outcome, "why": why, **figures}


class RowFile:
    """Where a process writes its rows; another may read it at any time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def start(self, name: str) -> None:
        """Say that an item begins."""
        self._write({"start": name})

    def add(self, made: Row) -> None:
        """Keep the row of an item that has ended."""
        self._write({"row": made})

    def _write(self, line: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def lines(self) -> list[dict[str, Any]]:
        """Every whole line so far."""
        if not self.path.exists():
            return []
        text = self.path.read_text("utf-8")
        return [json.loads(line) for line in text.split("\n")[:-1]]

    def rows(self) -> list[Row]:
        """The rows so far."""
        return [line["row"] for line in self.lines() if "row" in line]

    def started(self) -> set[str]:
        """Names of the items that have begun, ended or not."""
        return {line["start"] for line in self.lines() if "start" in line}

    def running(self) -> str | None:
        """The item that began last and has no row; None when there is none."""
        lines = self.lines()
        return lines[-1].get("start") if lines else None
