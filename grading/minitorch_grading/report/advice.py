"""Advice for students by kind of finding and outcome; its words are in advice.toml."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec


class Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words for a kind of finding.

    Attributes:
        name: what a finding is called in a sentence: "not yet: a race".
        advice: what to try; "" for races, see `RACES`.
    """

    name: str
    advice: str = ""


class Outcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words for an outcome of a row.

    Attributes:
        word: in front of the row, such as "right".
        means: a sentence: what it means.
        advice: a sentence: what to do; "" where there is nothing to do.
        lost: whether it is drawn as wrong; the others are right or not judged.
    """

    word: str
    means: str
    advice: str = ""
    lost: bool = False


class _Advice(msgspec.Struct, forbid_unknown_fields=True):
    kinds: dict[str, Kind]
    races: dict[str, str]
    outcomes: dict[str, Outcome]


_ADVICE = msgspec.toml.decode(
    Path(__file__).with_suffix(".toml").read_bytes(), type=_Advice
)
KINDS, OUTCOMES = _ADVICE.kinds, _ADVICE.outcomes
#: What to try about a race, by what the two accesses are.
RACES = _ADVICE.races


def race_case(race: Mapping[str, Any] | None, same_block: bool) -> str:
    """Classify the two accesses of a race.

    Args:
        race: of a finding; None where that is not told.
        same_block: whether both threads are of one block.

    Returns:
        A key of `RACES`.

    Example:
        >>> race_case(None, True)
        'unknown'
    """
    if race is None:
        return "unknown"
    if race["remedy"].startswith("AwaitCopy"):
        return "copy"
    if race["access"] == race["other_access"]:
        return "store"
    if race["remedy"] in ("AtomicUpdate", "AtomicExtremum"):
        return "update"
    return "block" if same_block else "blocks"


def of_finding(finding: Mapping[str, Any]) -> str:
    """Return advice on a finding.

    Args:
        finding: one of a report's row: `kind`, and `race` where it is told.

    Returns:
        One or two sentences without inputs or values.

    Raises:
        ValueError: a kind that has no advice.

    Example:
        >>> of_finding({"kind": "race_benign"})[:50]
        'Whichever thread stores last, the cell is right. A'
    """
    kind = str(finding.get("kind"))
    if kind in ("race_global", "race_shared"):
        race = finding.get("race")
        same_block = race is None or finding["block"] == race["other"]["block"]
        return RACES[race_case(race, same_block)]
    if kind not in KINDS:
        raise ValueError(
            f"[advice] got a finding of kind {kind!r}; need one of docs/checks.md: "
            f"{', '.join(sorted(KINDS))}."
        )
    return KINDS[kind].advice


def of_row(row: Mapping[str, Any]) -> str:
    """Return advice for a row that lost points, or ""."""
    # What was found in a row that is right is a note.
    severity = "note" if row["outcome"] == "passed" else "error"
    for finding in row.get("findings", []):
        # A kind that is new elsewhere does not break a report.
        if finding.get("severity") == severity and finding.get("kind") in KINDS:
            return of_finding(finding)
    return OUTCOMES[row["outcome"]].advice
