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
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).parent
LISTS = ("torch_one_liners", "torch_function_liners", "torch_newcomer_liners")
sys.path.insert(0, str(HERE.parent))

from one_liners import difference, run  # noqa: E402

Rule = Callable[[int], Any]


def numbers(dtype: str, shape: tuple[int, ...], rule: Rule) -> dict[str, Any]:
    """The facts of an input whose element number i is rule(i)."""
    row = [rule(i) for i in range(math.prod(shape))]
    return {"dtype": dtype, "shape": list(shape), "values": row}


def floats(shape: tuple[int, ...], step: int, around: int, over: int) -> dict[str, Any]:
    """float32 between -around // 2 / over and around // 2 / over, in mixed order."""
    return numbers("float32", shape, lambda i: (step * i % around - around // 2) / over)


def listed(dtype: str, *values: Any) -> dict[str, Any]:
    """A row of given numbers."""
    return {"dtype": dtype, "shape": [len(values)], "values": list(values)}


def make_inputs() -> dict[str, Any]:
    """Every name that a sentence may use, with its numbers."""
    x = floats((3, 4), 7, 11, 2)
    return {
        "x": x,
        "w": {**x, "requires_grad": True},
        "y": numbers("float32", (3, 4), lambda i: (5 * i % 12 + 1) / 4),
        "d": numbers("float64", (3, 4), lambda i: (7 * i % 11 - 5) / 3),
        "k": numbers("int64", (3, 4), lambda i: 7 * i % 12 - 3),
        "mask": numbers("bool", (3, 4), lambda i: i % 3 == 0),
        "probs": numbers("float32", (3, 4), lambda i: (0.1, 0.2, 0.3, 0.4)[i % 4]),
        "target01": numbers("float32", (3, 4), lambda i: float(i * i % 5 in (0, 1))),
        "u": listed("float32", 1.0, 2.0, 3.0),
        "v": listed("float32", 0.5, -1.5, 2.0, -0.25),
        "h": listed("float16", 0.5, -1.5, 2.0, -0.25),
        "big": listed("float32", -100.0, -1.0, 1.0, 100.0),
        "special": listed("float32", "nan", "inf", "-inf", 0.0, 1.5),
        "i": listed("int64", 2, 0, 1),
        "labels": listed("int64", 1, 0, 3),
        "p": {"dtype": "float32", "shape": [], "values": [2.0], "requires_grad": True},
        "a": floats((2, 3), 5, 7, 2),
        "b": floats((3, 2), 3, 7, 2),
        "m": numbers("float32", (3, 3), lambda i: 4.0 if i % 4 == 0 else i % 3 - 0.5),
        "row": floats((1, 4), 3, 5, 2),
        "col": floats((3, 1), 3, 5, 2),
        "e": floats((0, 3), 1, 2, 1),
        "batch": floats((2, 3, 4), 7, 13, 4),
        "batch2": floats((2, 4, 3), 5, 13, 4),
        "b4": floats((1, 4, 2), 5, 9, 4),
        "seq": floats((2, 5, 4), 11, 17, 8),
        "tokens": numbers("int64", (2, 5), lambda i: 3 * i % 8),
        "table": floats((8, 3), 5, 23, 4),
        "img": floats((2, 3, 6, 6), 13, 29, 8),
        "gray": floats((2, 1, 8, 8), 11, 31, 8),
        "kernel": floats((2, 3, 3, 3), 5, 19, 8),
        "depthwise": floats((3, 1, 3, 3), 5, 19, 8),
    }


def without_numbers(result: dict[str, Any]) -> dict[str, Any]:
    """Of random numbers only dtype and shape are kept."""
    kept = {key: value for key, value in result.items() if key != "values"}
    return {**kept, "random": True}


def record(name: str) -> dict[str, Any]:
    """Every sentence with what PyTorch makes of it, by topic."""
    inputs = make_inputs()
    topics = json.loads((HERE / f"{name}.json").read_text())["topics"]
    for row in (row for rows in topics.values() for row in rows):
        is_random = row.get("gives", {}).get("random", False)
        result = run(torch, row["code"], inputs)
        row["gives"] = without_numbers(result) if is_random else result
    return {"torch": torch.__version__, "inputs": inputs, "topics": topics}


def text_of(recorded: dict[str, Any]) -> str:
    """The file: a line per sentence, so that a change is seen."""

    def short(value: Any) -> str:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    inputs = ",\n".join(f"{short(k)}:{short(v)}" for k, v in recorded["inputs"].items())
    topics = ",\n".join(
        f"{short(topic)}:[\n" + ",\n".join(map(short, rows)) + "\n]"
        for topic, rows in recorded["topics"].items()
    )
    head = f'{{"torch":{short(recorded["torch"])}'
    return f'{head},\n"inputs":{{\n{inputs}\n}},\n"topics":{{\n{topics}\n}}}}\n'


def check(path: Path) -> int:
    """How many sentences PyTorch answers otherwise than the file says."""
    recorded = json.loads(path.read_text())
    wrong = 0
    for rows in recorded["topics"].values():
        for row in rows:
            got = run(torch, row["code"], recorded["inputs"])
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
