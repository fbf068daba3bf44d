"""A complete solution of MiniTorch's Module 3: its kernels, and a backend of them.

Kernels take flat storages with shape and strides, as in the course: tensors of any
layout, numbers of float64, indices in local arrays of MAX_DIMS cells.
"""

from __future__ import annotations

import minitorch
from minitorch import cuda
from minitorch.tensor_data import (
    MAX_DIMS,
    TensorData,
    broadcast_index,
    shape_broadcast,
    to_index,
)

THREADS = 32
REDUCED_BY_BLOCK = 1024

to_index = cuda.jit(device=True)(to_index)
broadcast_index = cuda.jit(device=True)(broadcast_index)


@cuda.jit(device=True)
def position_of(index, strides):
    position = 0
    for dim in range(len(strides)):
        position += index[dim] * strides[dim]
    return position


def tensor_map(fn):
    def _map(out, out_shape, out_strides, out_size, in_storage, in_shape, in_strides):
        out_index = cuda.local.array(MAX_DIMS, cuda.int32)
        in_index = cuda.local.array(MAX_DIMS, cuda.int32)
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if i < out_size:
            to_index(i, out_shape, out_index)
            broadcast_index(out_index, out_shape, in_shape, in_index)
            value = in_storage[position_of(in_index, in_strides)]
            out[position_of(out_index, out_strides)] = fn(value)

    return cuda.jit()(_map)


def tensor_zip(fn):
    def _zip(
        out, out_shape, out_strides, out_size,
        a_storage, a_shape, a_strides, b_storage, b_shape, b_strides,
    ):  # fmt: skip
        out_index = cuda.local.array(MAX_DIMS, cuda.int32)
        a_index = cuda.local.array(MAX_DIMS, cuda.int32)
        b_index = cuda.local.array(MAX_DIMS, cuda.int32)
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if i < out_size:
            to_index(i, out_shape, out_index)
            broadcast_index(out_index, out_shape, a_shape, a_index)
            broadcast_index(out_index, out_shape, b_shape, b_index)
            a = a_storage[position_of(a_index, a_strides)]
            b = b_storage[position_of(b_index, b_strides)]
            out[position_of(out_index, out_strides)] = fn(a, b)

    return cuda.jit()(_zip)


def tensor_reduce(fn):
    """A block joins up to 1024 cells along a dimension, one for each thread, to one."""

    def _reduce(
        out, out_shape, out_strides, out_size,
        a_storage, a_shape, a_strides, reduce_dim, reduce_value,
    ):  # fmt: skip
        BLOCK_DIM = 1024
        cache = cuda.shared.array(BLOCK_DIM, cuda.float64)
        index = cuda.local.array(MAX_DIMS, cuda.int32)
        out_pos = cuda.blockIdx.x
        pos = cuda.threadIdx.x
        if out_pos < out_size:  # true for all threads of a block, or for none
            inner = 1
            for dim in range(reduce_dim + 1, len(out_shape)):
                inner *= out_shape[dim]
            part = out_pos // inner % out_shape[reduce_dim]
            size = min(a_shape[reduce_dim] - part * BLOCK_DIM, BLOCK_DIM)
            if pos < size:
                to_index(out_pos, out_shape, index)
                index[reduce_dim] = part * BLOCK_DIM + pos
                cache[pos] = a_storage[position_of(index, a_strides)]
            cuda.syncthreads()
            half = BLOCK_DIM // 2
            while half > 0:
                if half < size:  # else there is nothing to join yet
                    if pos < half and pos + half < size:
                        cache[pos] = fn(cache[pos], cache[pos + half])
                    cuda.syncthreads()
                half //= 2
            if pos == 0:
                index[reduce_dim] = part
                out[position_of(index, out_strides)] = fn(reduce_value, cache[0])

    return cuda.jit()(_reduce)


def _sum_practice(out, a, size):
    BLOCK_DIM = 32
    cache = cuda.shared.array(BLOCK_DIM, cuda.float64)
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


jit_sum_practice = cuda.jit()(_sum_practice)


def sum_practice(a):
    (size,) = a.shape
    blocks = -(-size // THREADS)
    out = TensorData([0.0, 0.0], (2,))
    out.to_cuda_()
    jit_sum_practice[blocks, THREADS](out.tuple()[0], a._tensor._storage, size)
    return out


def _mm_practice(out, a, b, size):
    BLOCK_DIM = 32
    a_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), cuda.float64)
    b_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), cuda.float64)
    i = cuda.threadIdx.x
    j = cuda.threadIdx.y
    if i < size and j < size:
        a_shared[i, j] = a[i * size + j]
        b_shared[i, j] = b[i * size + j]
    cuda.syncthreads()
    if i < size and j < size:
        total = 0.0
        for k in range(size):
            total += a_shared[i, k] * b_shared[k, j]
        out[i * size + j] = total


jit_mm_practice = cuda.jit()(_mm_practice)


def mm_practice(a, b):
    size, _ = a.shape
    out = TensorData([0.0] * (size * size), (size, size))
    out.to_cuda_()
    storages = out.tuple()[0], a._tensor._storage, b._tensor._storage
    jit_mm_practice[1, (THREADS, THREADS)](*storages, size)
    return out


def _tensor_matrix_multiply(
    out, out_shape, out_strides, out_size,
    a_storage, a_shape, a_strides, b_storage, b_shape, b_strides,
):  # fmt: skip
    BLOCK_DIM = 32
    a_batch_stride = a_strides[0] if a_shape[0] > 1 else 0
    b_batch_stride = b_strides[0] if b_shape[0] > 1 else 0
    batch = cuda.blockIdx.z
    a_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), cuda.float64)
    b_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), cuda.float64)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    pi = cuda.threadIdx.x
    pj = cuda.threadIdx.y
    rows, columns, inner = out_shape[1], out_shape[2], a_shape[2]
    a_row = batch * a_batch_stride + i * a_strides[1]
    b_column = batch * b_batch_stride + j * b_strides[2]
    total = 0.0
    for start in range(0, inner, BLOCK_DIM):
        k = start + pj
        if i < rows and k < inner:
            a_shared[pi, pj] = a_storage[a_row + k * a_strides[2]]
        k = start + pi
        if k < inner and j < columns:
            b_shared[pi, pj] = b_storage[b_column + k * b_strides[1]]
        cuda.syncthreads()
        if i < rows and j < columns:
            for k in range(min(BLOCK_DIM, inner - start)):
                total += a_shared[pi, k] * b_shared[k, pj]
        cuda.syncthreads()
    if i < rows and j < columns:
        place = batch * out_strides[0] + i * out_strides[1] + j * out_strides[2]
        out[place] = total


tensor_matrix_multiply = cuda.jit(_tensor_matrix_multiply)


class PythonKernelOps(minitorch.TensorOps):
    """The operations of Module 3, as its CudaOps launches them."""

    cuda = True

    @staticmethod
    def map(fn):
        kernel = tensor_map(cuda.jit(device=True)(fn))

        def mapped(a, out=None):
            if out is None:
                out = a.zeros(a.shape)
            blocks = -(-out.size // THREADS)
            kernel[blocks, THREADS](*out.tuple(), out.size, *a.tuple())
            return out

        return mapped

    @staticmethod
    def zip(fn):
        kernel = tensor_zip(cuda.jit(device=True)(fn))

        def zipped(a, b):
            out = a.zeros(shape_broadcast(a.shape, b.shape))
            blocks = -(-out.size // THREADS)
            kernel[blocks, THREADS](*out.tuple(), out.size, *a.tuple(), *b.tuple())
            return out

        return zipped

    @staticmethod
    def reduce(fn, start=0.0):
        kernel = tensor_reduce(cuda.jit(device=True)(fn))

        def reduced(a, dim):
            while True:
                shape = list(a.shape)
                shape[dim] = -(-a.shape[dim] // REDUCED_BY_BLOCK)
                out = a.zeros(tuple(shape))
                threads = min(-(-a.shape[dim] // THREADS) * THREADS, REDUCED_BY_BLOCK)
                arguments = (*out.tuple(), out.size, *a.tuple(), dim, start)
                kernel[out.size, threads](*arguments)
                if shape[dim] == 1:
                    return out
                a = out

        return reduced

    @staticmethod
    def matrix_multiply(a, b):
        flat = len(a.shape) == len(b.shape) == 2
        if len(a.shape) == 2:
            a = a.contiguous().view(1, *a.shape)
        if len(b.shape) == 2:
            b = b.contiguous().view(1, *b.shape)
        batches = shape_broadcast(a.shape[:-2], b.shape[:-2])
        out = a.zeros((*batches, a.shape[-2], b.shape[-1]))
        blocks = (-(-out.shape[1] // THREADS), -(-out.shape[2] // THREADS), *batches)
        tensor_matrix_multiply[blocks, (THREADS, THREADS, 1)](
            *out.tuple(), out.size, *a.tuple(), *b.tuple()
        )
        return out.view(out.shape[1], out.shape[2]) if flat else out
