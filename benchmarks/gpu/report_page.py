"""Owns the tables of a result as Markdown, and the page docs/gpu.md that shows them.

Must not know how anything was measured.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .place import ROOT
from .rows import OUTCOMES, Row

PAGE = ROOT / "docs" / "gpu.md"
RESULTS = ROOT / "benchmarks" / "gpu" / "results"
MARK = "<!-- results: written by benchmarks/gpu/run --publish -->"

_MOST_ROWS = 60  # of one table; the JSON has all

#: What a result may claim, by what was in the card's place.
CLAIMS = {
    "card": "Measured on a card.",
    "emulator": "The **emulator** was in the card's place: this says that the "
    "programs of the hour work, and nothing of hardware.",
    "stand-in": "A **stand-in** for the driver was in the card's place: this says "
    "that the road of a GPU works, and nothing of hardware.",
}


def _cell(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def _table(heads: list[str], lines: list[list[Any]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for line in lines:
        yield "| " + " | ".join(map(_cell, line)) + " |"
    yield ""


def counted(rows: list[Row]) -> str:
    counts = Counter(row["outcome"] for row in rows)
    told = [f"{counts[each]} {each}" for each in OUTCOMES if counts[each]]
    return ", ".join(told) or "nothing ran"


def _part(made: dict[str, Any]) -> Iterator[str]:
    rows: list[Row] = made["rows"]
    yield f"### {made['title']}"
    yield ""
    yield f"{made['shows'][:1].upper()}{made['shows'][1:]}. {made['seconds']:.0f} s."
    yield ""
    yield f"**{counted(rows)}.**"
    yield ""
    reasons = Counter(row["why"] for row in rows if row["outcome"] == "skipped")
    shown = [
        row for row in rows if row["outcome"] != "skipped" and not row.get("quiet")
    ]
    if made["lists"] != "all":
        shown = [row for row in shown if row["outcome"] != "ok"]
    for reason, count in reasons.most_common(8):
        yield f"- {count} skipped: {_cell(reason)}"
    if reasons:
        yield ""
    if not shown:
        return
    columns = [tuple(each) for each in made["columns"]]
    heads = ["", "outcome", *(head for head, _ in columns), "why"]
    keys = ["name", "outcome", *(key for _, key in columns), "why"]
    lines = [[row.get(key, "") for key in keys] for row in shown[:_MOST_ROWS]]
    yield from _table(heads, lines)
    if len(shown) > _MOST_ROWS:
        yield f"{len(shown) - _MOST_ROWS} more are in the JSON."
        yield ""


def markdown(result: dict[str, Any]) -> str:
    """The result of a run as Markdown, from its JSON."""
    lines = [CLAIMS[result["device"]], ""]
    if result["quick"]:
        lines += ["Only a few items of each part ran (`--quick`).", ""]
    facts = [[name, value] for name, value in result["machine"].items()]
    lines += _table(["machine", ""], facts)
    build = result["build"]
    lines += [
        f"Build: {build['outcome']}, {build['seconds']:.0f} s. {build['why']}",
        "",
    ]
    for made in result["parts"].values():
        lines += _part(made)
    return "\n".join(lines).rstrip() + "\n"


def publish(result: dict[str, Any], page: Path = PAGE, results: Path = RESULTS) -> Path:
    """Put a card's result into the page and its JSON beside the programs.

    Returns:
        Where the JSON is.

    Raises:
        ValueError: it was not a card, or not everything ran.
    """
    if result["device"] != "card" or result["quick"]:
        raise ValueError(
            f"[publish] got a result of device {result['device']!r}"
            f"{', --quick' if result['quick'] else ''}; need a whole run on a card."
        )
    head, mark, _ = page.read_text("utf-8").partition(MARK)
    if not mark:
        raise ValueError(f"[publish] {page} has no line {MARK!r}.")
    card = result["machine"].get("card's name", result["machine"].get("device", "card"))
    kept = results / ("-".join(card.lower().split()) + ".json")
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    page.write_text(f"{head}{MARK}\n\n{markdown(result)}", "utf-8")
    return kept
