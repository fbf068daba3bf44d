"""Owns a teacher's changes of points: a file with reasons that outlives every regrade.

    [[override]]
    submission = "ada"          # the platform's name, or 4 digits or more of the hash
    row = "3.3-zip.clean"       # as an appeal names it
    points = 1
    reason = "The race was in the code that we handed out."

Must not know how points came about.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = "overrides.toml"
_HASH = re.compile(r"[0-9a-f]{4,64}")
_MOST = 1_000_000  # points of a row: more is a slip of the pen


class OverrideError(ValueError):
    """A file of overrides that does not say whose points, which row, how many, why."""


@dataclass(frozen=True)
class Override:
    """One change: whose, of which row, how many points, and why."""

    submission: str
    row: str
    points: float
    reason: str

    def is_for(self, name: str, sha256: str) -> bool:
        """Whether it speaks of this submission: its name, or how its hash begins."""
        if self.submission == name:
            return True
        is_hash = _HASH.fullmatch(self.submission) is not None
        return is_hash and sha256.startswith(self.submission)


def read_overrides(path: Path) -> list[Override]:
    """Read the file; without one there are none.

    Raises:
        OverrideError: no TOML, a key missing or unknown, points that are no number of
            at least 0, no reason.

    Example:
        >>> read_overrides(Path("no such file"))
        []
    """
    try:
        facts = tomllib.loads(path.read_text("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, ValueError) as error:
        raise OverrideError(f"[{path.name}] got {error}; need TOML.") from None
    unknown = sorted(set(facts) - {"override"})
    entries = facts.get("override", [])
    if unknown or not isinstance(entries, list):
        raise OverrideError(
            f"[{path.name}] got {', '.join(unknown) or 'one override'}; need tables "
            "[[override]] alone."
        )
    return [_one(path.name, n, each) for n, each in enumerate(entries, 1)]


def check_overrides(
    file: Path | None, results: Path, names: Iterable[str], rows: Sequence[str]
) -> None:
    """Tell a slip in a file of overrides before hours of work.

    Args:
        file: the teacher's; None: the one in `results`, if there is one.
        results: the results folder.
        names: submissions of the class.
        rows: ids of the assignment's rows.

    Raises:
        OverrideError: as `read_overrides`; no such file; a row that nobody has.
    """
    if file is not None and not file.is_file():
        raise OverrideError(
            f"[{FILE}] got {file}, which is no file; need a file of [[override]]."
        )
    known = set(names)
    for each in read_overrides(file or results / FILE):
        spoken_of = each.submission in known or _HASH.fullmatch(each.submission)
        if spoken_of and each.row not in rows:
            raise _no_row(each, rows)


def _no_row(override: Override, rows: Iterable[str]) -> OverrideError:
    return OverrideError(
        f"[{FILE}] got row = {override.row!r} for {override.submission}; need one of "
        f"{', '.join(rows)}."
    )


def keep_overrides(file: Path | None, results: Path) -> None:
    """Keep a teacher's file with the results: pages and `compare` read it there.

    Raises:
        OverrideError: another one is there already.
    """
    place = results / FILE
    if file is None or file.resolve() == place.resolve():
        return
    text = file.read_bytes()
    if place.is_file() and place.read_bytes() != text:
        raise OverrideError(
            f"[{FILE}] got {file} and another in {results}; need one. Put all tables "
            f"into {place}, and leave --overrides out."
        )
    place.write_bytes(text)


def _one(file: str, number: int, entry: Any) -> Override:
    where = f"[{file}] [[override]] {number}:"
    known: dict[str, Any] = {
        "submission": str,
        "row": str,
        "points": (int, float),
        "reason": str,
    }
    if not isinstance(entry, dict) or set(entry) != set(known):
        got = ", ".join(entry) if isinstance(entry, dict) else repr(entry)
        raise OverrideError(f"{where} got {got}; need {', '.join(known)}.")
    for key, kind in known.items():
        value = entry[key]
        empty = isinstance(value, str) and not value.strip()
        if isinstance(value, bool) or not isinstance(value, kind) or empty:
            raise OverrideError(f"{where} got {key} = {value!r}; need {_need(key)}.")
    points = entry["points"]
    if not 0 <= points <= _MOST:  # not a number is neither
        raise OverrideError(f"{where} got points = {points}; need {_need('points')}.")
    return Override(
        entry["submission"], entry["row"], float(points), entry["reason"].strip()
    )


def _need(key: str) -> str:
    return {
        "points": f"a number of at least 0, at most {_MOST:,}",
        "reason": "a reason, which the student reads",
        "row": "a row's id, such as 3.3-zip.clean",
        "submission": "a submission's name, or how its hash begins",
    }[key]


def by_name(
    told: Sequence[Override], hashes: Mapping[str, str]
) -> dict[str, list[Override]]:
    """The overrides of each submission. A name goes before a hash that begins so.

    Args:
        told: of `read_overrides`.
        hashes: by the platform's name how reports say what was handed in; who handed in
            equal files has the same one, and is meant by the same digits.

    Returns:
        By name; an override that fits nobody is nowhere.

    Raises:
        OverrideError: digits that begin the hashes of different files.

    Example:
        >>> one = Override("a81f", "1.1", 1, "Our mistake.")
        >>> [name for name, own in by_name([one], {"ada": "a81f00"}).items() if own]
        ['ada']
    """
    found: dict[str, list[Override]] = {name: [] for name in hashes}
    for each in told:
        if each.submission in hashes:
            found[each.submission].append(each)
            continue
        fits = [name for name, sha256 in hashes.items() if each.is_for(name, sha256)]
        if len({hashes[name] for name in fits}) > 1:
            known = ", ".join(f"{hashes[name][:8]} of {name}" for name in fits)
            raise OverrideError(
                f"[{FILE}] got submission = {each.submission!r}, with which "
                f"{len(fits)} begin: {known}; need more digits of one, or a name."
            )
        for name in fits:
            found[name].append(each)
    return found


def changed(
    report: Mapping[str, Any], name: str, overrides: Iterable[Override]
) -> dict[str, Any]:
    """A report with a teacher's points in place, and the reasons in the rows' messages.

    Args:
        report: of `minitorch.grade/1`; it stays as it is.
        name: the platform's name of the submission.
        overrides: of any submissions; the last one of a row counts.

    Returns:
        The report; rows that were changed have `override`: points before, and reason.

    Raises:
        OverrideError: a row that the report does not have.
    """
    rows = {row["id"]: dict(row) for row in report["rows"]}
    for each in overrides:
        if not each.is_for(name, report["submission"]["sha256"]):
            continue
        row = rows.get(each.row)
        if row is None:
            raise _no_row(each, rows)
        before = row.get("override", {}).get("before", row["points"])
        row["override"] = {"before": before, "reason": each.reason}
        row["points"] = _whole(each.points)
    score = _whole(sum(float(row["points"]) for row in rows.values()))
    return {**report, "rows": list(rows.values()), "score": score}


def _whole(value: float) -> float:
    return int(value) if float(value).is_integer() else round(float(value), 6)
