"""Owns one process of a part: runs its items in order and writes their rows.

    python -m benchmarks.gpu.worker PART ROLE ROWS SHARE OF [--quick]

ROLE is `reference` (on the emulator, before) or `card`. SHARE OF: this process does
the items SHARE, SHARE + OF, ... A part's row may be made by an exception. After each
item the context is asked whether it lives; if not, the process ends and says so.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
import time
import warnings
from pathlib import Path

from .plan import part
from .rows import Row, RowFile, row
from .supervise import CONTEXT_BROKEN, end_on_signals


def _measured(name: str, run: object, folder: Path) -> Row:
    assert callable(run)
    start = time.perf_counter()
    try:
        made = run(name, folder)
    except Exception as error:
        made = row(name, "failed", f"{type(error).__name__}: {error}")
    made["seconds"] = round(time.perf_counter() - start, 3)
    return made


def _context_lives() -> bool:
    """Whether device cuda, if this process opened it, takes more work."""
    from minitorch import cuda

    with contextlib.suppress(Exception):
        cuda.synchronize()  # raises what the item left behind
    try:
        cuda.synchronize()
    except Exception:
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part")
    parser.add_argument("role", choices=("reference", "card"))
    parser.add_argument("rows", type=Path)
    parser.add_argument("share", type=int)
    parser.add_argument("of", type=int)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    end_on_signals()
    measured = part(given.part)
    module = importlib.import_module(f"benchmarks.gpu.parts.{measured.name}")
    rows = RowFile(given.rows)
    run = module.measure if given.role == "card" else module.reference
    started = rows.started()
    for name in module.items(given.quick)[given.share :: given.of]:
        if name in started:
            continue
        rows.start(name)
        rows.add(_measured(name, run, given.rows.parent))
        if measured.opens_device and not _context_lives():
            sys.stdout.flush()
            os._exit(CONTEXT_BROKEN)  # a broken context may hang at the end
    return 0


if __name__ == "__main__":
    sys.exit(main())
