"""The backend of kernels on device `cuda`, and the two practice kernels.

The kernels of its operations are the library's own.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from . import _core
from ._core import Tensor
from .cuda import RawKernel
from .fast_ops import NativeOps
from .functional.arguments import require_tensors
from .tensor_data import TensorData
from .tensors.tensor_backend import TensorBackend, plain

__all__ = [
    "THREADS_PER_BLOCK",
    "CudaBackend",
    "CudaOps",
    "jit_mm_practice",
    "jit_sum_practice",
    "mm_practice",
    "sum_practice",
]


def __dir__() -> list[str]:
    return sorted(__all__)


THREADS_PER_BLOCK = 32


class CudaOps(NativeOps):
    """Kernels on device `cuda`, a GPU or the emulator.

    Functions of numbers are translated to CUDA C++; what cannot be is a CompileError.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[1.0, 4.0]], backend=minitorch.CudaBackend)
        >>> (x @ x.permute(1, 0)).device
        'cuda'
    """

    cuda = True
    native: str | None = "cuda"
    place = "cuda"


CudaBackend = TensorBackend(CudaOps)


# Each block of 32 threads sums its 32 numbers in shared memory, halving the number of
# active threads in every round.
_SUM = """
extern "C" __global__ void sum_practice(double* out, const double* a, int size) {
  __shared__ double cells[32];
  const int i = blockIdx.x * 32 + threadIdx.x;
  cells[threadIdx.x] = i < size ? a[i] : 0.0;
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (threadIdx.x < half) cells[threadIdx.x] += cells[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = cells[0];
}
"""

# (size, size) @ (size, size) with size at most 32, in one block: every cell of `a` and
# `b` is read once into shared memory, every cell of `out` written once.
_PRODUCT = """
extern "C" __global__ void mm_practice(double* out, const double* a, const double* b,
                                       int size) {
  __shared__ double left[32][32], right[32][32];
  const int i = threadIdx.y, j = threadIdx.x;
  const bool inside = i < size && j < size;
  left[i][j] = inside ? a[i * size + j] : 0.0;
  right[i][j] = inside ? b[i * size + j] : 0.0;
  __syncthreads();
  double sum = 0.0;
  for (int k = 0; k < size; ++k) sum += left[i][k] * right[k][j];
  if (inside) out[i * size + j] = sum;
}
"""


class _PracticeKernel:
    """A kernel compiled at its first launch, so that importing opens no device."""

    def __init__(self, code: str, name: str) -> None:
        self._code, self._name = code, name

    @cached_property
    def _kernel(self) -> RawKernel:
        return RawKernel(self._code, self._name)

    def __getitem__(self, launch: Any) -> Any:
        return self._kernel[launch]

    def __call__(self, *arguments: Any, **options: Any) -> None:
        self._kernel(*arguments, **options)


jit_sum_practice = _PracticeKernel(_SUM, "sum_practice")
jit_mm_practice = _PracticeKernel(_PRODUCT, "mm_practice")


def _device_row(tensor: Tensor) -> Tensor:
    """Return the elements as a flat float64 tensor on the device, row-major."""
    there = plain(tensor)._to_device("cuda")._cast(_core.float64)
    return there.contiguous()._reshape([there.size])


def sum_practice(a: Tensor) -> TensorData:
    """Return the sums of blocks of 32 numbers of a one-dimensional tensor.

    Returns:
        At least two cells on the device, one for each block of 32 numbers.

    Example:
        >>> import minitorch
        >>> x = minitorch.ones(40, backend=minitorch.CudaBackend)
        >>> sums = sum_practice(x)
        >>> sums._storage[0], sums._storage[1]
        (32.0, 8.0)
    """
    require_tensors("sum_practice", a)
    (size,) = a.shape
    blocks = max(2, -(-size // THREADS_PER_BLOCK))
    out = TensorData([0.0] * blocks, (blocks,))
    out.to_cuda_()
    jit_sum_practice[blocks, THREADS_PER_BLOCK](out._storage, _device_row(a), size)
    return out


def mm_practice(a: Tensor, b: Tensor) -> TensorData:
    """a @ b for square matrices of up to 32 rows, by one block.

    Raises:
        ValueError: The matrices are not square, not of one size, or too large.
    """
    require_tensors("mm_practice", a, b)
    size = a.shape[0] if a.dims else 0
    if a.shape != (size, size) or b.shape != a.shape or size > THREADS_PER_BLOCK:
        raise ValueError(
            f"[mm_practice] a is {tuple(a.shape)}, b is {tuple(b.shape)}; need square "
            f"matrices of equal size, at most {THREADS_PER_BLOCK}."
        )
    out = TensorData([0.0] * (size * size), (size, size))
    out.to_cuda_()
    threads = (THREADS_PER_BLOCK, THREADS_PER_BLOCK)
    jit_mm_practice[1, threads](out._storage, _device_row(a), _device_row(b), size)
    return out
