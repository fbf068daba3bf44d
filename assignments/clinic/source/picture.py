"""Pictures of your own launches: `python picture.py 5.2` writes 5.2.html.

The picture shows the step that failed, or two threads without an order; of a kernel
that is well a step of the line that runs most often. Change sizes here as you like:
this file is not graded.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ["MINITORCH_CUDA"] = "emulator"  # pictures are of what it has seen

import clinic
import numpy as np

from minitorch_cuda import cuda, viz

A = np.arange(100, dtype=np.float32)
OUT = np.zeros(100, np.float32)
WHOLE = np.arange(100, dtype=np.int32)


def of_file(name: str) -> Any:
    """The kernel of patients/NAME.cu."""
    path = Path(__file__).parent / "patients" / f"{name}.cu"
    return cuda.RawKernel(path.read_text("utf-8"), name)


def launch_of(task: str) -> tuple[Any, ...]:
    """A task's kernel, grid, block, arguments; bytes of shared memory if it needs them.

    Kernels of files are compiled when they are asked for, not before.
    """
    if task == "5.9":
        return of_file("spread"), 1, 36, (np.zeros(1), A.astype(float)), 9 * 36
    if task == "5.10":
        return of_file("row_lengths"), 1, 32, (OUT, A, 20, 5)
    if task == "5.11":
        return of_file("warp_peaks"), 2, 64, (OUT, A, 100)
    if task == "5.12":
        signs = np.where((A < 32) | (A >= 64), 1, -1).astype(np.float32)
        return of_file("keep_positive"), 4, 32, (OUT, WHOLE[:2] * 0, signs, 100)
    return {
        "5.1": (clinic.brighten, 2, 64, (OUT, A, np.float32(3))),
        "5.2": (clinic.reverse_parts, 1, 64, (OUT[:64], A[:64])),
        "5.3": (clinic.histogram, 2, 64, (WHOLE[:16] * 0, WHOLE % 16)),
        "5.4": (clinic.part_sums, 2, 64, (OUT[:2], A)),
        "5.5": (clinic.running_sums, 1, 64, (OUT[:64], A[:64])),
        "5.6": (clinic.smooth, 2, 64, (OUT, A)),
        "5.7": (clinic.medians, 1, 64, (OUT[:20], A.reshape(20, 5))),
        "5.8": (clinic.group_means, 2, 64, (WHOLE * 0, WHOLE, WHOLE % 4)),
    }[task]


def main(task: str) -> None:
    """Draw the launch of a task and say what the picture says."""
    kernel, grid, block, args, *shared = launch_of(task)
    given = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in args]
    with cuda.inspect(trace=True) as run:
        kernel[(grid, block, 0, *shared)](*given)
    launch = run.launches[0]
    for finding in launch.findings[:1]:
        print(finding)
    race = any(each.kind.startswith("race") for each in launch.findings)
    figure = viz.race(launch) if race else launch.show()
    figure.save(f"{task}.html")
    print(f"{figure.answer}\nThe picture is in {task}.html.")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in {f"5.{n}" for n in range(1, 13)}:
        sys.exit("Which patient? For example: python picture.py 5.2")
    main(sys.argv[1])
