"""Three kernels in Python as a course writes them; their twins are in kernels/."""

from __future__ import annotations

from minitorch import cuda


def twice_plus_one(out, inp, n):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < n:
        out[i] = inp[i] * 2.0 + 1.0


def reduce(out, inp, n):
    """out[block] = sum of the block's 256 cells."""
    s = cuda.shared.array(256, cuda.float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * 256 + t
    s[t] = inp[i] if i < n else 0.0
    cuda.syncthreads()
    d = 128
    while d > 0:
        if t < d:
            s[t] += s[t + d]
        cuda.syncthreads()
        d >>= 1
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


def tiled16(c, a, b, n):
    """(n, n) @ (n, n) -> (n, n), tiles of 16 by 16."""
    left = cuda.shared.array((16, 16), cuda.float32)
    right = cuda.shared.array((16, 16), cuda.float32)
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + y
    column = cuda.blockIdx.x * 16 + x
    total = cuda.float32(0)
    for start in range(0, n, 16):
        k = start + x
        m = start + y
        left[y, x] = a[row, k] if row < n and k < n else 0.0
        right[y, x] = b[m, column] if m < n and column < n else 0.0
        cuda.syncthreads()
        for i in range(16):
            total += left[y, i] * right[i, x]
        cuda.syncthreads()
    if row < n and column < n:
        c[row, column] = total
