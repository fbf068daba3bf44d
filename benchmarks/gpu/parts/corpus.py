"""Owns the PTX corpus on the card: the memory it leaves against the emulator's."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from minitorch import cuda
from tests.python.test_gpu_validation import (
    COMPARED,
    NOT_COMPARED,
    corpus_ptx,
    run_corpus_kernel,
)

from ..rows import Row, row

_APPROXIMATE = 16  # ULP of float32, where the ISA bounds an instruction so


def items(quick: bool) -> list[str]:
    """Files, those that are not compared last."""
    return COMPARED[:3] if quick else [*COMPARED, *NOT_COMPARED]


def _kept(name: str, folder: Path) -> Path:
    return folder / "emulator" / f"{name}.npz"


def _run(text: str) -> list[np.ndarray]:
    """Run a kernel on any memory it is given: races there are not the question."""
    with cuda.checks("memory"):
        return run_corpus_kernel(text)


def reference(name: str, folder: Path) -> Row:
    """Keep what the emulator leaves."""
    if name in NOT_COMPARED:
        return row(name, "skipped", NOT_COMPARED[name])
    kept = _kept(name, folder)
    kept.parent.mkdir(parents=True, exist_ok=True)
    np.savez(kept, *_run(corpus_ptx(name)))
    return row(name, "ok")


def _ulp(left: np.ndarray, right: np.ndarray) -> int:
    """Representable values of float32 between the two, at the worst place."""
    keys = [
        np.where(bits < 0, np.int64(-(1 << 31)) - bits, bits)
        for bits in (each.view(np.int32).astype(np.int64) for each in (left, right))
    ]
    return int(np.abs(keys[0] - keys[1]).max(initial=0))


def measure(name: str, folder: Path) -> Row:
    """Run a kernel on the card and compare."""
    if name in NOT_COMPARED:
        return row(name, "skipped", NOT_COMPARED[name])
    if not _kept(name, folder).exists():
        return row(name, "failed", "the emulator left nothing to compare with")
    with np.load(_kept(name, folder)) as saved:
        ours = list(saved.values())
    text = corpus_ptx(name)
    theirs = _run(text)
    pairs = list(zip(ours, theirs, strict=True))
    wrong = sum(
        int((mine.view(np.uint8) != its.view(np.uint8)).sum()) for mine, its in pairs
    )
    ulp = max((_ulp(mine, its) for mine, its in pairs), default=0)
    size = sum(each.nbytes for each in theirs)
    allowed = _APPROXIMATE if ".approx" in text else 0
    made = row(name, "ok", wrong=wrong, bytes=size, ulp=ulp)
    if ulp > allowed or (wrong and not allowed):
        made.update(outcome="differs", why=f"{wrong} of {size} bytes differ")
    return made
