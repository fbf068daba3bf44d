"""Owns the PTX corpus on the card: the memory it leaves against the emulator's."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.python.corpus_launches import LAUNCHES, NOT_LAUNCHED
from tests.python.test_gpu_validation import CORPUS, run_corpus_kernel

from ..rows import Row, row

_APPROXIMATE = 16  # ULP of float32, where the ISA bounds an instruction so


def items(quick: bool) -> list[str]:
    """Kernels, those that are not compared last."""
    return list(LAUNCHES)[:3] if quick else [*LAUNCHES, *NOT_LAUNCHED]


def _kept(name: str, folder: Path) -> Path:
    return folder / "emulator" / f"{name}.npz"


def reference(name: str, folder: Path) -> Row:
    """Keep what the emulator leaves."""
    if name in NOT_LAUNCHED:
        return row(name, "skipped", NOT_LAUNCHED[name])
    kept = _kept(name, folder)
    kept.parent.mkdir(parents=True, exist_ok=True)
    np.savez(kept, *run_corpus_kernel(name))
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
    if name in NOT_LAUNCHED:
        return row(name, "skipped", NOT_LAUNCHED[name])
    if not _kept(name, folder).exists():
        return row(name, "failed", "the emulator left nothing to compare with")
    with np.load(_kept(name, folder)) as saved:
        ours = list(saved.values())
    theirs = run_corpus_kernel(name)
    pairs = list(zip(ours, theirs, strict=True))
    wrong = sum(
        int((mine.view(np.uint8) != its.view(np.uint8)).sum()) for mine, its in pairs
    )
    floats = [pair for pair in pairs if pair[0].dtype == np.float32]
    ulp = max((_ulp(mine, its) for mine, its in floats), default=0)
    size = sum(each.nbytes for each in theirs)
    allowed = _APPROXIMATE if ".approx" in CORPUS[name].read_text() else 0
    made = row(name, "ok", wrong=wrong, bytes=size, ulp=ulp)
    if wrong and (ulp > allowed or not allowed):
        made.update(outcome="differs", why=f"{wrong} of {size} bytes differ")
    return made
