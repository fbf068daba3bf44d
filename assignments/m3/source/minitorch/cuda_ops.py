"""The operations on the GPU: kernels of map, zip, reduce and matmul (3.3, 3.4).

A kernel is one function that thousands of threads run at once; what tells them apart is
`cuda.threadIdx` and `cuda.blockIdx`. Must not know histories: numbers in, numbers out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import cuda

from .tensor import Tensor
from .tensor_data import (
    MAX_DIMS,
    TensorData,
    broadcast_index,
    index_to_position,
    shape_broadcast,
    to_index,
)
from .tensor_ops import MapProto, TensorOps

# Your functions of module 2, for use inside kernels.
to_index = cuda.jit(device=True)(to_index)
index_to_position = cuda.jit(device=True)(index_to_position)
broadcast_index = cuda.jit(device=True)(broadcast_index)

THREADS_PER_BLOCK = 32
REDUCED_BY_BLOCK = 1024


def blocks_for(threads: int, per_block: int = THREADS_PER_BLOCK) -> int:
    """How many blocks hold so many threads; the last one may be half empty."""
    return -(-threads // per_block)


class CudaOps(TensorOps):
    """What a backend needs, on the GPU: the host's side, which launches the kernels.

    Example:
        >>> backend = TensorBackend(CudaOps)  # doctest: +SKIP
    """

    cuda = True

    @staticmethod
    def map(fn: Callable[[float], float]) -> MapProto:
        """out[i] = fn(a[i]), `a` broadcast to `out` if that is given."""
        kernel = tensor_map(cuda.jit(device=True)(fn))

        def mapped(a: Tensor, out: Tensor | None = None) -> Tensor:
            if out is None:
                out = a.zeros(a.shape)
            launch = kernel[blocks_for(out.size), THREADS_PER_BLOCK]
            launch(*out.tuple(), out.size, *a.tuple())
            return out

        return mapped

    @staticmethod
    def zip(fn: Callable[[float, float], float]) -> Callable[[Tensor, Tensor], Tensor]:
        """out[i] = fn(a[i], b[i]), both broadcast to a common shape."""
        kernel = tensor_zip(cuda.jit(device=True)(fn))

        def zipped(a: Tensor, b: Tensor) -> Tensor:
            out = a.zeros(shape_broadcast(a.shape, b.shape))
            launch = kernel[blocks_for(out.size), THREADS_PER_BLOCK]
            launch(*out.tuple(), out.size, *a.tuple(), *b.tuple())
            return out

        return zipped

    @staticmethod
    def reduce(
        fn: Callable[[float, float], float], start: float = 0.0
    ) -> Callable[[Tensor, int], Tensor]:
        """The cells along `dim` joined to one; a block joins up to 1024 of them."""
        kernel = tensor_reduce(cuda.jit(device=True)(fn))

        def reduced(a: Tensor, dim: int) -> Tensor:
            while True:  # again, until one block was enough
                shape = list(a.shape)
                shape[dim] = blocks_for(a.shape[dim], REDUCED_BY_BLOCK)
                out = a.zeros(tuple(shape))
                launch = kernel[out.size, REDUCED_BY_BLOCK]
                launch(*out.tuple(), out.size, *a.tuple(), dim, start)
                if shape[dim] == 1:
                    return out
                a = out

        return reduced

    @staticmethod
    def matrix_multiply(a: Tensor, b: Tensor) -> Tensor:
        """(m, k) @ (k, n) -> (m, n), or batches of that, which are broadcast."""
        flat = len(a.shape) == len(b.shape) == 2
        if len(a.shape) == 2:
            a = a.contiguous().view(1, *a.shape)
        if len(b.shape) == 2:
            b = b.contiguous().view(1, *b.shape)
        assert a.shape[-1] == b.shape[-2], f"inner sizes of {a.shape} and {b.shape}"
        batches = shape_broadcast(a.shape[:-2], b.shape[:-2])
        out = a.zeros((*batches, a.shape[-2], b.shape[-1]))
        rows, columns = out.shape[1:]
        grid = (blocks_for(rows), blocks_for(columns), *batches)
        launch = tensor_matrix_multiply[grid, (THREADS_PER_BLOCK, THREADS_PER_BLOCK)]
        launch(*out.tuple(), out.size, *a.tuple(), *b.tuple())
        return out.view(rows, columns) if flat else out


def tensor_map(fn: Callable[[float], float]) -> Any:
    """A kernel (out, shape, strides, out_size, a, shape, strides): out[i] = fn(a[i]).

    `a` is broadcast to `out`; both may have any strides. Launched with at least
    `out_size` threads, in blocks of 32.
    """

    def _map(out, out_shape, out_strides, out_size, in_storage, in_shape, in_strides):
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # out_index = cuda.local.array(MAX_DIMS, numba.int32)
        # in_index = cuda.local.array(MAX_DIMS, numba.int32)
        # i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        # # Task 3.3: which cell of `out` does thread i own, and what if there is none?
        # raise NotImplementedError("Task 3.3")
        ### END STARTER
        out_index = cuda.local.array(MAX_DIMS, numba.int32)
        in_index = cuda.local.array(MAX_DIMS, numba.int32)
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if i < out_size:
            to_index(i, out_shape, out_index)
            broadcast_index(out_index, out_shape, in_shape, in_index)
            value = in_storage[index_to_position(in_index, in_strides)]
            out[index_to_position(out_index, out_strides)] = fn(value)
        ### END SOLUTION

    return cuda.jit()(_map)


def tensor_zip(fn: Callable[[float, float], float]) -> Any:
    """A kernel (out, …, out_size, a, …, b, …): out[i] = fn(a[i], b[i]).

    `a` and `b` are broadcast to `out`; all may have any strides. Launched with at least
    `out_size` threads, in blocks of 32.
    """

    def _zip(
        out, out_shape, out_strides, out_size,
        a_storage, a_shape, a_strides, b_storage, b_shape, b_strides,
    ):  # fmt: skip
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # out_index = cuda.local.array(MAX_DIMS, numba.int32)
        # a_index = cuda.local.array(MAX_DIMS, numba.int32)
        # b_index = cuda.local.array(MAX_DIMS, numba.int32)
        # i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        # # Task 3.3: as map, with two cells to read.
        # raise NotImplementedError("Task 3.3")
        ### END STARTER
        out_index = cuda.local.array(MAX_DIMS, numba.int32)
        a_index = cuda.local.array(MAX_DIMS, numba.int32)
        b_index = cuda.local.array(MAX_DIMS, numba.int32)
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if i < out_size:
            to_index(i, out_shape, out_index)
            broadcast_index(out_index, out_shape, a_shape, a_index)
            broadcast_index(out_index, out_shape, b_shape, b_index)
            x = a_storage[index_to_position(a_index, a_strides)]
            y = b_storage[index_to_position(b_index, b_strides)]
            out[index_to_position(out_index, out_strides)] = fn(x, y)
        ### END SOLUTION

    return cuda.jit()(_zip)


def _sum_practice(out, a, size):
    """out[block] = the sum of the block's 32 numbers of `a`, in shared memory.

    Launched with one block of 32 threads for every 32 numbers. Beyond `size` there is
    nothing to add.
    """
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # BLOCK_DIM = 32
    # cache = cuda.shared.array(BLOCK_DIM, numba.float64)
    # i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    # pos = cuda.threadIdx.x
    # # Task 3.3: half of the threads add the other half's numbers to their own; again
    # # and again. What must all threads have done before the next round?
    # raise NotImplementedError("Task 3.3")
    ### END STARTER
    BLOCK_DIM = 32
    cache = cuda.shared.array(BLOCK_DIM, numba.float64)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    pos = cuda.threadIdx.x
    cache[pos] = a[i] if i < size else 0.0
    cuda.syncthreads()
    half = BLOCK_DIM // 2
    while half > 0:
        if pos < half:
            cache[pos] += cache[pos + half]
        cuda.syncthreads()
        half //= 2
    if pos == 0:
        out[cuda.blockIdx.x] = cache[0]
    ### END SOLUTION


jit_sum_practice = cuda.jit()(_sum_practice)


def sum_practice(a: Tensor) -> TensorData:
    """The sums of 32 numbers each, of a tensor of one dimension: two cells, or more."""
    (size,) = a.shape
    blocks = blocks_for(size)
    cells = max(2, blocks)
    out = TensorData([0.0] * cells, (cells,))
    out.to_cuda_()
    jit_sum_practice[blocks, THREADS_PER_BLOCK](out.tuple()[0], a.tuple()[0], size)
    return out


def tensor_reduce(fn: Callable[[float, float], float]) -> Any:
    """A kernel (out, …, out_size, a, …, reduce_dim, reduce_value): cells joined by fn.

    Block b makes cell b of `out`: along `reduce_dim` it joins up to 1024 cells of `a`,
    the first 1024 for index 0 of `out`, the next for index 1, and so on, together with
    `reduce_value`. Launched with `out_size` blocks of 1024 threads.
    """

    def _reduce(
        out, out_shape, out_strides, out_size,
        a_storage, a_shape, a_strides, reduce_dim, reduce_value,
    ):  # fmt: skip
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # BLOCK_DIM = 1024
        # cache = cuda.shared.array(BLOCK_DIM, numba.float64)
        # out_index = cuda.local.array(MAX_DIMS, numba.int32)
        # out_pos = cuda.blockIdx.x
        # pos = cuda.threadIdx.x
        # # Task 3.3: sum_practice with strides. Which cell of `a` is thread pos's, and
        # # which threads have none?
        # raise NotImplementedError("Task 3.3")
        ### END STARTER
        BLOCK_DIM = 1024
        cache = cuda.shared.array(BLOCK_DIM, numba.float64)
        out_index = cuda.local.array(MAX_DIMS, numba.int32)
        out_pos = cuda.blockIdx.x
        pos = cuda.threadIdx.x
        if out_pos < out_size:  # true for all threads of a block, or for none
            to_index(out_pos, out_shape, out_index)
            place = index_to_position(out_index, out_strides)
            cell = out_index[reduce_dim] * BLOCK_DIM + pos
            size = min(a_shape[reduce_dim] - cell + pos, BLOCK_DIM)
            if pos < size:
                out_index[reduce_dim] = cell
                cache[pos] = a_storage[index_to_position(out_index, a_strides)]
            cuda.syncthreads()
            half = BLOCK_DIM // 2
            while half > 0:
                if half < size:  # else there is nothing to join yet
                    if pos < half and pos + half < size:
                        cache[pos] = fn(cache[pos], cache[pos + half])
                    cuda.syncthreads()
                half //= 2
            if pos == 0:
                out[place] = fn(reduce_value, cache[0])
        ### END SOLUTION

    return cuda.jit()(_reduce)


def _mm_practice(out, a, b, size):
    """out = a @ b for square matrices of up to 32 rows, by one block of (32, 32).

    Each cell of `a` and `b` is read once from global memory, each of `out` written
    once: in between, the numbers wait in shared memory.
    """
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # BLOCK_DIM = 32
    # # Task 3.4: one thread for each cell. The threads of a warp differ in threadIdx.x:
    # # should it count the rows or the columns?
    # raise NotImplementedError("Task 3.4")
    ### END STARTER
    BLOCK_DIM = 32
    a_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    b_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    i = cuda.threadIdx.y
    j = cuda.threadIdx.x  # neighbours in a warp read neighbours in a row
    if i < size and j < size:
        a_shared[i, j] = a[i * size + j]
        b_shared[i, j] = b[i * size + j]
    cuda.syncthreads()
    if i < size and j < size:
        total = 0.0
        for k in range(size):
            total += a_shared[i, k] * b_shared[k, j]
        out[i * size + j] = total
    ### END SOLUTION


jit_mm_practice = cuda.jit()(_mm_practice)


def mm_practice(a: Tensor, b: Tensor) -> TensorData:
    """a @ b for square matrices of up to 32 rows, as the memory of the result."""
    size, _ = a.shape
    out = TensorData([0.0] * (size * size), (size, size))
    out.to_cuda_()
    launch = jit_mm_practice[1, (THREADS_PER_BLOCK, THREADS_PER_BLOCK)]
    launch(out.tuple()[0], a.tuple()[0], b.tuple()[0], size)
    return out


def _tensor_matrix_multiply(
    out, out_shape, out_strides, out_size,
    a_storage, a_shape, a_strides, b_storage, b_shape, b_strides,
):  # fmt: skip
    """out = a @ b for batches: (n, rows, inner) @ (n, inner, columns), any strides.

    A batch of size 1 serves all. Launched with blocks of (32, 32): blockIdx.x counts
    tiles of 32 rows, blockIdx.y tiles of 32 columns, blockIdx.z batches. Each block
    brings a tile of `a` and one of `b` into shared memory, uses them, and goes on to
    the next two; each cell of `out` is written once.
    """
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # BLOCK_DIM = 32
    # a_batch_stride = a_strides[0] if a_shape[0] > 1 else 0
    # b_batch_stride = b_strides[0] if b_shape[0] > 1 else 0
    # batch = cuda.blockIdx.z
    # a_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    # b_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    # # Task 3.4: mm_practice, tile after tile. When may a tile be overwritten?
    # raise NotImplementedError("Task 3.4")
    ### END STARTER
    BLOCK_DIM = 32
    a_batch_stride = a_strides[0] if a_shape[0] > 1 else 0
    b_batch_stride = b_strides[0] if b_shape[0] > 1 else 0
    batch = cuda.blockIdx.z
    a_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    b_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    pi = cuda.threadIdx.y
    pj = cuda.threadIdx.x  # neighbours in a warp read neighbours in a row
    i = cuda.blockIdx.x * BLOCK_DIM + pi
    j = cuda.blockIdx.y * BLOCK_DIM + pj
    rows, columns, inner = out_shape[1], out_shape[2], a_shape[2]
    a_row = batch * a_batch_stride + i * a_strides[1]
    b_column = batch * b_batch_stride + j * b_strides[2]
    total = 0.0
    for start in range(0, inner, BLOCK_DIM):
        if i < rows and start + pj < inner:
            a_shared[pi, pj] = a_storage[a_row + (start + pj) * a_strides[2]]
        if start + pi < inner and j < columns:
            b_shared[pi, pj] = b_storage[b_column + (start + pi) * b_strides[1]]
        cuda.syncthreads()
        if i < rows and j < columns:
            for k in range(min(BLOCK_DIM, inner - start)):
                total += a_shared[pi, k] * b_shared[k, pj]
        cuda.syncthreads()
    if i < rows and j < columns:
        place = batch * out_strides[0] + i * out_strides[1] + j * out_strides[2]
        out[place] = total
    ### END SOLUTION


tensor_matrix_multiply = cuda.jit()(_tensor_matrix_multiply)
