"""Record what PyTorch gives for the sentences of torch_cases.json.

    python tests/python/data/make_torch_cases.py

A new sentence is a row `{"topic": "...", "code": "..."}`. How a sentence is run is
one_liners.py's. Must not know minitorch.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from one_liners import run  # noqa: E402


def main() -> None:
    """Write a line a sentence."""
    path = HERE / "torch_cases.json"
    lines = []
    for row in json.loads(path.read_text())["cases"]:
        row["gives"] = run(torch, row["code"])
        lines.append(json.dumps(row, ensure_ascii=False))
    rows = ",\n".join(lines)
    path.write_text(f'{{"torch": "{torch.__version__}", "cases": [\n{rows}\n]}}\n')


if __name__ == "__main__":
    main()
