"""Races are searched for where a process may not map much memory, or it says so."""

from __future__ import annotations

import pytest

from .processes import printed_by

pytestmark = pytest.mark.cuda

PROGRAM = '''
import resource
import numpy as np
from minitorch import cuda

kernel = cuda.RawKernel("""
__device__ __noinline__ float twice(float x) {{ return 2 * x; }}
extern "C" __global__ void f(float* out, const float* a) {{
  float* own = {own};
  if (own) out[threadIdx.x % 2] = twice(a[threadIdx.x]);
}}""", "f")
out = cuda.to_device(np.zeros(2, np.float32))
a = cuda.to_device(np.arange({size}, dtype=np.float32))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (256 << 20),) * 2)
try:
    kernel[1, 64](out, a)
    cuda.synchronize()
except cuda.KernelError as error:
    print(error)
'''


@pytest.mark.parametrize(
    ("own", "size", "expected"),
    [
        ("out", 64, "race on element"),  # a call alone does not ask for all memory
        ("(float*)malloc(64)", 64, "race on element"),
        ("out", 60_000_000, "the search for races needs 923 MB of address space"),
    ],
)
def test_a_limit_of_the_process_hides_no_race(own, size, expected):
    text = printed_by(PROGRAM.format(own=own, size=size), MINITORCH_CUDA="emulator")
    assert expected in text
