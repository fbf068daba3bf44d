"""Owns every conformance row on the card: against the emulator and the exact table."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from minitorch import cuda
from tests.python.conformance_tables import THREADS, WARPS, Form, read_forms
from tests.python.test_gpu_validation import distance, needs, run_form

from ..rows import Row, row

_WIDTH = {"f64": 64, "f16": 16, "bf16": 16, "f16x2": 16, "bf16x2": 16}
_QUICK = 4  # forms of each family


@functools.cache
def _forms(family: str) -> dict[str, Form]:
    return {form.name: form for form in read_forms(family)}


def items(quick: bool) -> list[str]:
    """`family/form` of every form in the tables."""
    return [
        f"{family}/{name}"
        for family in (*THREADS, *WARPS)
        for name in list(_forms(family))[: _QUICK if quick else None]
    ]


def _form(name: str) -> Form:
    family, _, form = name.partition("/")
    return _forms(family)[form]


def _kept(name: str, folder: Path) -> Path:
    return folder / "emulator" / (name.replace("/", "-") + ".npy")


def reference(name: str, folder: Path) -> Row:
    """Keep what the emulator gives."""
    kept = _kept(name, folder)
    kept.parent.mkdir(parents=True, exist_ok=True)
    np.save(kept, run_form(_form(name)))
    return row(name, "ok")


def _is_nan(bits: int, width: int, bf16: bool) -> bool:
    mantissa = {64: 52, 32: 23, 16: 7 if bf16 else 10}[width]
    exponent = (1 << (width - 1)) - (1 << mantissa)
    return bits & exponent == exponent and bool(bits & ((1 << mantissa) - 1))


def compare(
    form: Form, card: np.ndarray, others: dict[str, np.ndarray]
) -> tuple[int, str]:
    """Count the words in which the card differs, and describe the first.

    Args:
        form: says how far a result may be from the table.
        card: what the card gave.
        others: what it is compared with, by name.

    Returns:
        Words that differ from any of `others` by more than the form allows; and the
        first of them in words, with a remark if all are payloads of NaN.
    """
    kind = form.kind
    width = _WIDTH.get(kind, 32)
    wrong: dict[tuple[int, ...], str] = {}
    only_nan = kind in _WIDTH or kind == "f32"
    for who, other in others.items():
        mine, theirs = card, other.astype(card.dtype)
        if width == 16 and card.dtype == np.uint32:  # two in a word
            mine, theirs = mine.view(np.uint16), theirs.view(np.uint16)
        for at in zip(*np.nonzero(mine != theirs), strict=True):
            if form.ulp and distance(mine[at], theirs[at], width) <= form.ulp:
                continue
            place = tuple(map(int, at))
            wrong[place] = f"at {place}: {int(mine[at]):x}, {who} {int(theirs[at]):x}"
            pair = (int(mine[at]), int(theirs[at]))
            only_nan &= all(_is_nan(bits, width, "bf" in kind) for bits in pair)
    if not wrong:
        return 0, ""
    remark = " (only payloads of NaN)" if only_nan else ""
    return len(wrong), next(iter(wrong.values())) + remark


def measure(name: str, folder: Path) -> Row:
    """Run a form on the card and compare."""
    form = _form(name)
    major, minor = cuda.get_current_device().compute_capability
    if needs(form.ptx) > 10 * major + minor:
        return row(name, "skipped", f"the card is sm_{major}{minor}, needs sm_90")
    card = run_form(form)
    others = {"the table has": form.results}
    if _kept(name, folder).exists():
        others["the emulator has"] = np.load(_kept(name, folder))
    wrong, first = compare(form, card, others)
    outcome = "differs" if wrong else "ok"
    return row(name, outcome, first, wrong=wrong, words=int(form.results.size))
