"""A student's CUDA C++ kernel with a typical mistake, and the report it gets."""

from __future__ import annotations

import numpy as np

from minitorch import cuda

SOURCE = """\
// Makes an image brighter; one thread a pixel.
extern "C" __global__ void brighten(float* out, const float* image, float gain, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = gain * image[i];
}
"""
BLOCK = 48


def run_without_guard(image: np.ndarray) -> cuda.KernelError | None:
    """Launches the kernel on ``image`` with more threads than pixels.

    Args:
        image: Pixels, any shape, float32.

    Returns:
        The error it is reported with; on a real GPU, where a small overrun often
        stays unnoticed, possibly None.
    """
    brighten = cuda.RawKernel(SOURCE, "brighten")
    pixels = cuda.to_device(np.ascontiguousarray(image, dtype=np.float32).ravel())
    out = cuda.device_array(pixels.size, np.float32)
    blocks = -(-pixels.size // BLOCK)
    try:
        brighten(blocks, BLOCK, (out, pixels, 1.5, pixels.size))
        cuda.synchronize()
    except cuda.KernelError as error:
        return error
    return None
