"""The running of tinygrad's own tests of its operations on the emulator.

    python tests/clients/run_tinygrad.py --python ENV/bin/python --source CHECKOUT \
        [--dev CUDA:PTX] [--minimum 0.95] [--show]

CHECKOUT is tinygrad's source, which has the tests; ENV has PyTorch, which says what is
right, and NumPy. DEV=CUDA needs NVRTC, too. This Python is one that has minitorch.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from run_numba import told
from run_unittests import run_modules


def main():
    parser = argparse.ArgumentParser(description="tinygrad's test_ops on the emulator")
    parser.add_argument("--python", required=True, help="of the client's environment")
    parser.add_argument(
        "--source", type=Path, required=True, help="tinygrad's checkout"
    )
    parser.add_argument("--dev", default="CUDA:PTX", help="CUDA (NVRTC) or CUDA:PTX")
    parser.add_argument("--limit", type=float, default=3600, help="seconds")
    parser.add_argument("--minimum", type=float, default=0, help="share that must pass")
    parser.add_argument("--output", type=Path, help="results, one line of JSON a test")
    parser.add_argument("--show", action="store_true", help="print why tests failed")
    options = parser.parse_args()
    before = os.environ.get("PYTHONPATH")
    path = [str(options.source.resolve()), *([before] if before else [])]
    os.environ |= {
        "PYTHONPATH": os.pathsep.join(path),
        "DEV": options.dev,
        "CACHELEVEL": "0",  # kernels of other devices are not reused
    }
    command = [sys.executable, "-m", "minitorch", "emulate", "--", options.python]
    modules = ["test.backend.test_ops"]
    results = run_modules(command, modules, options.limit, {}, options.output)
    return 0 if told(results, options.show) >= options.minimum else 1


if __name__ == "__main__":
    sys.exit(main())
