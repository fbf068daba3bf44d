"""The tests of the kernel cache as processes see it: hits, damage, no place."""

from __future__ import annotations

import pytest

from .kernels import SCALE
from .processes import printed_by

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
    return printed_by(PROGRAM, MINITORCH_CACHE_DIR=str(folder), **environment).strip()


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
    printed = printed_by(code, MINITORCH_CACHE_DIR=str(tmp_path))
    assert "pip install" in printed
    assert "nvrtc" in printed.lower()
