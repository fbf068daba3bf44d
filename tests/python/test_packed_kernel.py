"""The tests of launches whose arguments come as bytes, below Python kernels."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from minitorch import _core, cuda

pytestmark = pytest.mark.cuda

CODE = """
struct View { float* data; long long size; };
extern "C" __global__ void fill(View view, float value, char last) {
  int i = threadIdx.x;
  if (i < view.size) view.data[i] = value + last;
}
"""
ROWS = [("view", 0, 16, [0]), ("value", 16, 4, []), ("last", 20, 1, [])]


@pytest.fixture(scope="module")
def raw():
    return _core.RawModule.from_source(
        CODE, [], [], "/minitorch/user/f.cu", []
    ).function("fill")


def config(threads, stream=None):
    queue = stream._core if stream else None
    return _core.LaunchConfig((1, 1, 1), (threads, 1, 1), 0, queue)


def packed(x, size):
    return struct.pack("<Qqfb", x.pointer, size, 1.5, 2)


def test_bytes_arrive_as_they_are(raw):
    kernel = _core.PackedKernel(raw, ROWS, 0)
    assert kernel.nbytes == 21
    x = cuda.to_device(np.zeros(8, np.float32))
    kernel.launch(config(8), packed(x, 7))
    assert x.copy_to_host().tolist() == [3.5] * 7 + [0]
    stream = cuda.Stream()
    kernel.launch(config(8, stream), packed(x, 8))
    stream.synchronize()
    assert x.copy_to_host().tolist() == [3.5] * 8


def test_a_finding_names_the_parameter_whose_struct_holds_the_pointer(raw):
    if not cuda.is_emulated():
        pytest.skip("a GPU does not tell")
    kernel = _core.PackedKernel(raw, ROWS, 0)
    x = cuda.device_array(4, np.float32)
    kernel.launch(config(8), packed(x, 8))
    with pytest.raises(cuda.KernelError) as error:
        cuda.synchronize()
    allocation = error.value.allocation
    assert allocation is not None
    assert (allocation.parameter, allocation.label) == (0, "view")
    assert "'view' (16 bytes)" in str(error.value)
