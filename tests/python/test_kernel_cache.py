"""The tests of the kernel cache as processes see it: hits, damage, no place."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from .kernels import SCALE
from .source_tree import ROOT

pytestmark = pytest.mark.cuda

PROGRAM = f"""
import numpy as np
from minitorch import _core, cuda
x = cuda.to_device(np.ones(8, np.float32))
out = cuda.device_array(8, np.float32)
cuda.RawKernel({SCALE!r}, "scale")(1, 8, (x, out, 3.0, 8))
assert (out.copy_to_host() == 3).all()
print(_core.nvrtc_loaded(), _core.cache_statistics()["disk_hits"])
"""


def run(folder, **environment):
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        env={**os.environ, "MINITORCH_CACHE_DIR": str(folder), **environment},
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


def test_second_process_does_not_load_nvrtc(tmp_path):
    assert run(tmp_path) == "True 0"
    assert run(tmp_path) == "False 1"


def test_without_nvrtc_one_sentence_says_what_to_install(tmp_path):
    code = (
        "from minitorch import _core, cuda\n"
        "_core.set_nvrtc_locator(lambda: ('', []))\n"
        "try:\n"
        "    cuda.RawKernel('__global__ void k() {}', 'k')\n"
        "except RuntimeError as error:\n"
        "    print(error)\n"
        "assert cuda.to_device([1]).copy_to_host().tolist() == [1]\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        env={**os.environ, "MINITORCH_CACHE_DIR": str(tmp_path)},
    )
    assert process.returncode == 0, process.stderr
    assert "pip install" in process.stdout
    assert "nvrtc" in process.stdout.lower()
