"""Runs every benchmark: `python -m benchmarks`. Ratios are taken within one run."""

from __future__ import annotations

import argparse
import importlib

_ALL = (
    "import_time",
    "cpu_tensors",
    "cpu_matmul",
    "cpu_memory",
    "torch",
    "training",
    "profiler",
    "explain",
    "resnet50",
    "cached_launch",
    "python_launch",
    "graph_replay",
    "emulator_matmul",
    "emulator_host_loops",
    "emulator_observers",
    "emulator_cudasim",
    "emulator_memory",
    "python_kernels",
    "grading",
    "viz",
    "waits",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", default=_ALL, help=", ".join(_ALL))
    for name in parser.parse_args().only:
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            print(row, flush=True)


if __name__ == "__main__":
    main()
