"""A program of Triton: ten kernels of the kinds that its users write.

Triton needs no PyTorch when arguments say where they are: a buffer here is memory of
the driver API. Every result is compared with NumPy. Knows nothing of minitorch. Triton
reads the annotations.
"""

import ctypes

import numpy as np
import triton
import triton.language as tl
from client_cases import case, main

DRIVER = ctypes.CDLL("libcuda.so.1")
RNG = np.random.default_rng(1)


def call(name, *arguments):
    status = getattr(DRIVER, name)(*arguments)
    assert status == 0, f"{name} returned {status}"


class Buffer:
    """An array's copy on the device, with what Triton asks of a tensor."""

    def __init__(self, array):
        array = np.ascontiguousarray(array)
        self.dtype, self.shape = array.dtype, array.shape
        self.address = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(array.nbytes))
        call("cuMemcpyHtoD_v2", self.address, *host(array))

    def data_ptr(self):
        return self.address.value

    def numpy(self):
        array = np.empty(self.shape, self.dtype)
        call("cuMemcpyDtoH_v2", *host(array)[:1], self.address, host(array)[1])
        return array


def host(array):
    return ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)


def zeros(*shape, dtype=np.float32):
    return Buffer(np.zeros(shape, dtype))


def normal(*shape, dtype=np.float32):
    return RNG.standard_normal(shape).astype(dtype)


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask) + tl.load(y + at, mask), mask)


@case
def vector_add():
    x, y, out = normal(10_007), normal(10_007), zeros(10_007)
    add_kernel[(triton.cdiv(x.size, 256),)](
        Buffer(x), Buffer(y), out, x.size, BLOCK=256
    )
    np.testing.assert_array_equal(out.numpy(), x + y)


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, 0), at < columns)


@case
def softmax():
    x, out = normal(33, 781), zeros(33, 781)
    softmax_kernel[(33,)](Buffer(x), out, 781, BLOCK=1024)
    powers = np.exp(x - x.max(1, keepdims=True))
    expected = powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5)


@triton.jit
def matmul_kernel(
    a, b, out, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    sums = tl.zeros((M, N), tl.float32)
    for first in range(0, k, K):
        at = first + inner
        left = tl.load(
            a + rows[:, None] * k + at[None, :],
            (rows[:, None] < m) & (at[None, :] < k),
            other=0.0,
        )
        right = tl.load(
            b + at[:, None] * n + columns[None, :],
            (at[:, None] < k) & (columns[None, :] < n),
            other=0.0,
        )
        sums = tl.dot(left, right, sums)
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(out + rows[:, None] * n + columns[None, :], sums, mask)


def multiply(dtype, tolerance):
    m, n, k = 70, 50, 90
    a, b, out = normal(m, k, dtype=dtype), normal(k, n, dtype=dtype), zeros(m, n)
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 32))
    matmul_kernel[grid](Buffer(a), Buffer(b), out, m, n, k, M=32, N=32, K=32)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(out.numpy(), expected, rtol=tolerance, atol=tolerance)


@case
def matmul_of_halves():
    multiply(np.float16, 1e-3)


@case
def matmul_of_floats():
    multiply(np.float32, 2e-2)  # cards from sm_80 on round the inputs to TF32


@triton.jit
def layer_norm_kernel(x, weight, bias, out, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    mask = at < columns
    values = tl.load(x + row * columns + at, mask, other=0.0)
    centred = tl.where(mask, values - tl.sum(values, 0) / columns, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, 0) / columns + 1e-5)
    result = centred * scale * tl.load(weight + at, mask) + tl.load(bias + at, mask)
    tl.store(out + row * columns + at, result, mask)


@case
def layer_norm():
    x, weight, bias, out = normal(17, 300), normal(300), normal(300), zeros(17, 300)
    layer_norm_kernel[(17,)](
        Buffer(x), Buffer(weight), Buffer(bias), out, 300, BLOCK=512
    )
    spread = np.sqrt(x.var(1, keepdims=True) + 1e-5)
    expected = (x - x.mean(1, keepdims=True)) / spread * weight + bias
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-4, atol=1e-5)


@triton.jit
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, at) > p
    values = tl.load(x + at, at < n)
    tl.store(out + at, tl.where(keep, values / (1 - p), 0.0), at < n)


@case
def dropout_by_philox():
    x, outs = np.ones(20_000, np.float32), [zeros(20_000) for _ in range(3)]
    for out, seed in zip(outs, (7, 7, 8), strict=True):
        dropout_kernel[(triton.cdiv(x.size, 512),)](
            Buffer(x), out, x.size, 0.25, seed, BLOCK=512
        )
    first, again, other = (out.numpy() for out in outs)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert set(np.unique(first)) == {np.float32(0), np.float32(1) / np.float32(0.75)}
    assert abs((first == 0).mean() - 0.25) < 0.02


@triton.jit
def histogram_kernel(x, bins, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.atomic_add(bins + tl.load(x + at, mask, other=0), 1, mask)


@case
def histogram_by_atomics():
    x, bins = RNG.integers(0, 10, 5_000, np.int32), zeros(10, dtype=np.int32)
    histogram_kernel[(triton.cdiv(x.size, 256),)](Buffer(x), bins, x.size, BLOCK=256)
    np.testing.assert_array_equal(bins.numpy(), np.bincount(x, minlength=10))


@triton.jit
def scan_and_sort_kernel(x, sums, ordered, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + at)
    tl.store(sums + at, tl.cumsum(values, 0))
    tl.store(ordered + at, tl.sort(values))


@case
def scan_and_sort():
    x = RNG.integers(-1000, 1000, 512, np.int32)
    sums, ordered = zeros(512, dtype=np.int32), zeros(512, dtype=np.int32)
    scan_and_sort_kernel[(1,)](Buffer(x), sums, ordered, BLOCK=512)
    np.testing.assert_array_equal(sums.numpy(), np.cumsum(x))
    np.testing.assert_array_equal(ordered.numpy(), np.sort(x))


@triton.jit
def transpose_kernel(x, out, m, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    tile = tl.load(x + rows[:, None] * n + columns[None, :], mask)
    to = out + columns[:, None] * m + rows[None, :]
    tl.store(to, tl.trans(tile), tl.trans(mask))


@case
def transpose():
    x, out = normal(75, 131), zeros(131, 75)
    transpose_kernel[(triton.cdiv(75, 32), triton.cdiv(131, 32))](
        Buffer(x), out, 75, 131, BLOCK=32
    )
    np.testing.assert_array_equal(out.numpy(), x.T)


@triton.jit
def attention_kernel(q, k, v, out, scale, n, BLOCK: tl.constexpr, WIDTH: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    width = tl.arange(0, WIDTH)
    at = rows[:, None] * WIDTH + width[None, :]
    queries = tl.load(q + at)
    most = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    sums = tl.zeros((BLOCK, WIDTH), tl.float32)
    for first in range(0, n, BLOCK):
        columns = first + tl.arange(0, BLOCK)
        keys = tl.load(k + columns[None, :] * WIDTH + width[:, None])
        scores = tl.dot(queries, keys) * scale
        now = tl.maximum(most, tl.max(scores, 1))
        powers = tl.exp(scores - now[:, None])
        shrink = tl.exp(most - now)
        total = total * shrink + tl.sum(powers, 1)
        values = tl.load(v + columns[:, None] * WIDTH + width[None, :])
        sums = tl.dot(powers.to(tl.float16), values, sums * shrink[:, None])
        most = now
    tl.store(out + at, sums / total[:, None])


@case
def flash_attention():
    n, width = 64, 32
    q, k, v = (normal(n, width, dtype=np.float16) for _ in range(3))
    out, scale = zeros(n, width), width**-0.5
    attention_kernel[(n // 32,)](
        Buffer(q), Buffer(k), Buffer(v), out, scale, n, BLOCK=32, WIDTH=width
    )
    scores = q.astype(np.float32) @ k.T.astype(np.float32) * scale
    powers = np.exp(scores - scores.max(1, keepdims=True))
    expected = powers / powers.sum(1, keepdims=True) @ v.astype(np.float32)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-2, atol=2e-3)


if __name__ == "__main__":
    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    main()
