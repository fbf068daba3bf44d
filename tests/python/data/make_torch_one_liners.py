"""Record what PyTorch gives for the sentences of torch_one_liners.json and its two
sisters (LISTS); no test needs PyTorch.

    python tests/python/data/make_torch_one_liners.py [--check]

A new sentence is a row `{"code": "..."}` of its topic, with `"gives": {"random": true}`
where only dtype and shape count. `--check` runs PyTorch again and compares: every
sentence must agree with its own record. How a sentence is run is one_liners.py's. Must
not know minitorch.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).parent
LISTS = ("torch_one_liners", "torch_function_liners", "torch_newcomer_liners")
sys.path.insert(0, str(HERE.parent))

from one_liners import difference, run  # noqa: E402


def without_numbers(result: dict[str, Any]) -> dict[str, Any]:
    """Of random numbers only dtype and shape are kept."""
    kept = {key: value for key, value in result.items() if key != "values"}
    return {**kept, "random": True}


def record(name: str) -> dict[str, Any]:
    """Every sentence with what PyTorch makes of it, by topic."""
    topics = json.loads((HERE / f"{name}.json").read_text())["topics"]
    for row in (row for rows in topics.values() for row in rows):
        is_random = row.get("gives", {}).get("random", False)
        result = run(torch, row["code"])
        row["gives"] = without_numbers(result) if is_random else result
    return {"torch": torch.__version__, "topics": topics}


def text_of(recorded: dict[str, Any]) -> str:
    """The file: a line per sentence, so that a change is seen."""

    def short(value: Any) -> str:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    topics = ",\n".join(
        f"{short(topic)}:[\n" + ",\n".join(map(short, rows)) + "\n]"
        for topic, rows in recorded["topics"].items()
    )
    head = f'{{"torch":{short(recorded["torch"])}'
    return f'{head},\n"topics":{{\n{topics}\n}}}}\n'


def check(path: Path) -> int:
    """How many sentences PyTorch answers otherwise than the file says."""
    recorded = json.loads(path.read_text())
    wrong = 0
    for rows in recorded["topics"].values():
        for row in rows:
            got = run(torch, row["code"])
            if problem := difference(row["gives"], got):
                print(f"{row['code']}: {problem}")
                wrong += 1
    return wrong


def main() -> None:
    """Record, or with --check compare."""
    torch.set_num_threads(1)
    paths = {name: HERE / f"{name}.json" for name in LISTS}
    if sys.argv[1:] == ["--check"]:
        sys.exit(1 if sum(map(check, paths.values())) else 0)
    for name, path in paths.items():
        path.write_text(text_of(record(name)))


if __name__ == "__main__":
    main()
