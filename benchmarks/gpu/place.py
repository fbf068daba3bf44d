"""Owns where things are, and which machine a process gets as device cuda."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "gpu"

#: The emulated card that stands beside the real one: it runs every instruction.
EMULATED = "h100"

#: What the library says where only the emulator can answer.
NEEDS_EMULATOR = "need the emulator"

#: What a stand-in for the driver adds to the environment (stand_in.py).
STAND_IN = ("LD_PRELOAD", "LD_LIBRARY_PATH", "MINITORCH_STAND_IN")


def is_hardware() -> bool:
    """Whether this process was given a card, and not the emulator or a stand-in."""
    stands_in = "MINITORCH_STAND_IN" in os.environ
    return os.environ.get("MINITORCH_CUDA") == "gpu" and not stands_in


def on_the_emulator(environment: dict[str, str]) -> dict[str, str]:
    """That environment, with the emulator as device cuda."""
    changed = {"MINITORCH_CUDA": "emulator", "MINITORCH_EMULATED_GPU": EMULATED}
    if "MINITORCH_STAND_IN" not in environment:
        return environment | changed
    kept = {name: value for name, value in environment.items() if name not in STAND_IN}
    # What a stand-in keeps as machine code is none.
    changed["MINITORCH_CACHE_DIR"] = environment["MINITORCH_CACHE_DIR"] + "-emulator"
    return kept | changed
