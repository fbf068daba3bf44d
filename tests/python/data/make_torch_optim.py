"""Record torch_optim.json anew with PyTorch, which no test needs.

    python tests/python/data/make_torch_optim.py

A new sentence is added as a row with an empty result; optim_runs.py says how it is run.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from optim_runs import (  # noqa: E402
    RECORDED,
    recorded,
    run_optimizer,
    run_plateau,
    run_schedule,
)


def make(row: list[float]) -> Any:
    """A parameter."""
    return torch.tensor(row, requires_grad=True)


def main() -> None:
    """Record all."""
    torch.set_num_threads(1)
    found: dict[str, Any] = {"torch": torch.__version__}
    for name, run in (
        ("optimizers", run_optimizer),
        ("schedules", run_schedule),
        ("plateaus", run_plateau),
    ):
        found[name] = {text: run(torch.optim, make, text) for text in recorded()[name]}

    def short(value: Any) -> str:
        if isinstance(value, float):
            return repr(float(f"{value:.9g}"))
        if isinstance(value, list):
            return f"[{','.join(map(short, value))}]"
        return json.dumps(value)

    parts = [f'"torch":{short(found.pop("torch"))}']
    for name, rows in found.items():
        lines = ",\n".join(f"{short(text)}:{short(row)}" for text, row in rows.items())
        parts.append(f'"{name}":{{\n{lines}\n}}')
    RECORDED.write_text("{" + ",\n".join(parts) + "}\n")


if __name__ == "__main__":
    main()
