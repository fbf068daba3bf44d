"""Writes torch_optim.json beside itself, with PyTorch, which no test needs.

    python tests/python/data/make_torch_optim.py

Owns the form of the file; what is run is optim_runs.py's. Must not know minitorch.
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
    OPTIMIZERS,
    PLATEAUS,
    SCHEDULES,
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
    for name, texts, run in (
        ("optimizers", OPTIMIZERS, run_optimizer),
        ("schedules", SCHEDULES, run_schedule),
        ("plateaus", PLATEAUS, run_plateau),
    ):
        found[name] = {text: run(torch.optim, make, text) for text in texts}

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
    (HERE / "torch_optim.json").write_text("{" + ",\n".join(parts) + "}\n")


if __name__ == "__main__":
    main()
