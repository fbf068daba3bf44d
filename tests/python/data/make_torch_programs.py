"""Writes torch_programs/printed.json, with PyTorch, which no test needs.

    python tests/python/data/make_torch_programs.py

Owns which printed lines count: those that are the same whatever the random numbers are,
found by running every program with three seeds. The others are kept as null. How a
program is run is torch_programs.py's. Must not know minitorch.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from torch_programs import (
    FOLDER,
    line_difference,
    printed,
    programs,
    reseeded,
    text_of,
)

SEEDS = 3


def steady_lines(name: str) -> list[str | None]:
    """The lines of a program; None in place of those that hang on random numbers."""
    runs = []
    for more in range(SEEDS):
        start = time.process_time()
        runs.append(printed(reseeded(text_of(name), more), name))
        print(f"{name}, seeds + {more}: {time.process_time() - start:.1f} s")
    assert len({len(lines) for lines in runs}) == 1, (
        f"{name} prints more or fewer lines"
    )
    return [
        None
        if any(line_difference(lines[0], other) for other in lines[1:])
        else lines[0]
        for lines in zip(*runs, strict=True)
    ]


def main() -> None:
    """Run all programs and write what they print."""
    torch.set_num_threads(1)
    found = {name: steady_lines(name) for name in programs()}
    recorded = {"torch": torch.__version__, "printed": found}
    text = json.dumps(recorded, indent=1, ensure_ascii=False)
    (FOLDER / "printed.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
