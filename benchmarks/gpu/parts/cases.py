"""Owns the kernel cases on the card: values of right ones, what is said of wrong ones.

A card does not tell kinds and lines: what it says of a wrong kernel is for reading.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

from minitorch import _core, cuda
from tests.cases.case import DATA, Case, read_cases
from tests.cases.judge import compile_case, observe

from ..rows import Row, row

_BUDGET = 2**24  # warp instructions of a block: the emulator's loops without end

FOLDERS = ("sample", "rules", "algorithms")


@functools.cache
def all_cases() -> dict[str, Case]:
    """`folder/case` of every case, the samples first."""
    return {
        f"{folder}/{case.name}": case
        for folder in FOLDERS
        for case in read_cases(DATA / folder)
    }


def items(quick: bool) -> list[str]:
    """`folder/case` of what is run."""
    names = list(all_cases())
    return [*names[:3], "sample/bug_output_too_small"] if quick else names


def said(case: Case) -> str:
    """Run a case; the kinds reported, or what became of its values."""
    _core.set_budget(_BUDGET)
    try:
        reports, wrong = observe(case, compile_case(case))
    except cuda.CudaError as error:
        return str(error).split(";")[0]
    kinds = {each.kind for each in reports if each.severity == "error"}
    if kinds:
        return ", ".join(sorted(kinds))
    return "wrong values" if wrong else "right values"


def _kept(name: str, folder: Path) -> Path:
    """Beside the folder of whichever part asks."""
    return folder.parent / "cases" / "emulator" / f"{name.replace('/', '-')}.json"


def our_verdict(name: str, folder: Path) -> str:
    """What the emulator said of a case; "" where it was not asked."""
    kept = _kept(name, folder)
    return json.loads(kept.read_text())["ours"] if kept.exists() else ""


def reference(name: str, folder: Path) -> Row:
    """Keep what the emulator says."""
    kept = _kept(name, folder)
    kept.parent.mkdir(parents=True, exist_ok=True)
    ours = said(all_cases()[name])
    kept.write_text(json.dumps({"ours": ours}))
    return row(name, "ok", ours=ours)


def measure(name: str, folder: Path) -> Row:
    """Run a case on the card."""
    case = all_cases()[name]
    card = said(case)
    made = row(
        name, "ok", expect=case.expect, card=card, ours=our_verdict(name, folder)
    )
    if case.expect == "ok" and card != "right values":
        made.update(outcome="differs", why=f"a right kernel: {card}")
    elif case.expect == "ok":
        made["quiet"] = True
    return made
