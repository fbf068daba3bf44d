"""Writes torch_cases.json beside itself: what PyTorch gives for torch_cases.txt.

    python tests/python/data/make_torch_cases.py

Owns the form of both files. How a sentence is run is one_liners.py's; `~` in front of
one is not needed, since none here is random. Must not know minitorch.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from one_liners import run  # noqa: E402


def sentences(text: str) -> dict[str, list[str]]:
    """The sentences of each topic, with what stands before them."""
    topics: dict[str, list[str]] = {}
    topic = before = ""
    for line in text.splitlines():
        if line.startswith("## "):
            topic, before = line[3:], ""
            topics[topic] = []
        elif line.startswith(": "):
            before = line[2:] + "; "
        elif line and not line.startswith("#"):
            topics[topic].append(before + line)
    return topics


def main() -> None:
    """Writes a line a sentence."""
    topics = sentences((HERE / "torch_cases.txt").read_text())
    lines = []
    for topic, codes in topics.items():
        for code in codes:
            row = {"topic": topic, "code": code, "gives": run(torch, code, {})}
            lines.append(json.dumps(row, ensure_ascii=False))
    rows = ",\n".join(lines)
    text = f'{{"torch": "{torch.__version__}", "cases": [\n{rows}\n]}}\n'
    (HERE / "torch_cases.json").write_text(text)


if __name__ == "__main__":
    main()
