"""The names that lessons use, and that their device is the emulator.

Importing it chooses the device of this process.
"""

# ruff: noqa: F401 - the package takes its names from here

from __future__ import annotations

import os
import sys

import numpy as np

from .. import (
    Scalar,
    ScalarFunction,
    cuda,
    custom_op,
    derivative_check,
    explain,
    functional,
    fuse,
    grad_check,
    models,
    nn,
    no_grad,
    ones,
    optim,
    override,
    profiler,
    rand,
    tensor,
    viz,
    zeros,
)
from ..data import load_digits
from ..tools import doctor
from . import lessons as course
from . import puzzles
from .lesson_clock import timing  # it looks how MINITORCH_CUDA is set: before this


def _choose_emulator() -> None:
    """Let device cuda be the emulator, unless the user has chosen.

    A GPU neither traces nor counts what threads do, nor names a mistake's line.
    """
    if os.environ.get("MINITORCH_CUDA"):
        return
    os.environ["MINITORCH_CUDA"] = "emulator"
    if cuda.is_emulated():
        return
    del os.environ["MINITORCH_CUDA"]  # too late: the device is open
    print(
        f"[learn] this process already uses {cuda.device_name()}; the lesson needs the "
        "emulator. Restart the kernel and run the lesson from its first cell.",
        file=sys.stderr,
    )


_choose_emulator()
