"""The graded rows of module 3: values that NumPy agrees with, and its kernels.

The judge makes storages of any layout, launches kernels itself, and knows what should
come out; a submission sees none of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from minitorch_grading.judge import poisoned

Flat = tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]


def laid_out(array: NDArray[Any], order: tuple[int, ...] | None = None) -> Flat:
    """A storage, a shape and strides whose cells are the array's.

    Args:
        array: Any shape.
        order: The dimensions from the slowest to the fastest; None is row by row.
    """
    order = tuple(range(array.ndim)) if order is None else order
    steps = [0] * array.ndim
    step = 1
    for dim in reversed(order):
        steps[dim] = step
        step *= array.shape[dim]
    storage = np.ascontiguousarray(array.transpose(order)).reshape(-1)
    shape = np.array(array.shape, np.int64)
    return storage, shape, np.array(steps, np.int64)


def numbers(rng: np.random.Generator, *shape: int) -> NDArray[np.float64]:
    """Numbers of two decimals: sums of products of them come out alike in any order."""
    return np.round(rng.uniform(-4.0, 4.0, size=shape), 2)


def bent(x: Any) -> Any:
    """What `drivers.fast_map` maps."""
    return 2.0 * x * x - 3.0 * x + 0.5


def mixed(x: Any, y: Any) -> Any:
    """What `drivers.fast_zip` zips."""
    return x * y - 2.0 * y + 0.25


@pytest.mark.task("3.1-map")
def test_map(submission, rng):
    for shape, out_shape, order in [
        ((6,), (6,), None),
        ((4, 3), (4, 3), (1, 0)),
        ((3, 1), (3, 5), None),
        ((2, 1, 4), (3, 2, 2, 4), (2, 0, 1)),
    ]:
        a = numbers(rng, *shape)
        need = np.broadcast_to(bent(a), out_shape)
        shape = np.array(out_shape)
        submission.check("drivers.fast_map", shape, *laid_out(a, order), expected=need)
    flat = laid_out(numbers(rng, 3, 4), (1, 0))
    submission.check("drivers.fast_map_turned", *flat, expected=bent(flat[0]))


@pytest.mark.task("3.1-zip")
def test_zip(submission, rng):
    for one, other, out_shape, orders in [
        ((5,), (5,), (5,), (None, None)),
        ((3, 1), (1, 5), (3, 5), (None, None)),
        ((4, 3), (4, 3), (4, 3), (None, (1, 0))),
        ((2, 3, 4), (3, 1), (2, 3, 4), ((2, 1, 0), (1, 0))),
    ]:
        a, b = numbers(rng, *one), numbers(rng, *other)
        flat = (*laid_out(a, orders[0]), *laid_out(b, orders[1]))
        shape = np.array(out_shape)
        submission.check("drivers.fast_zip", shape, *flat, expected=mixed(a, b))


@pytest.mark.task("3.1-reduce")
def test_reduce(submission, rng):
    for shape, dim, order in [
        ((7,), 0, None),
        ((3, 4), 1, (1, 0)),
        ((3, 4), 0, None),
        ((2, 5, 3), 1, (2, 0, 1)),
        ((4, 1), 1, None),
    ]:
        a = numbers(rng, *shape)
        flat = laid_out(a, order)
        need = a.sum(dim, keepdims=True) + 2.5
        submission.check("drivers.fast_reduce", *flat, dim, 2.5, False, expected=need)
        need = np.maximum(a.max(dim, keepdims=True), -3.5)
        submission.check("drivers.fast_reduce", *flat, dim, -3.5, True, expected=need)


def products(submission, rng, cases):
    for one, other, orders in cases:
        a, b = numbers(rng, *one), numbers(rng, *other)
        flat = (*laid_out(a, orders[0]), *laid_out(b, orders[1]))
        shape = np.array((max(one[0], other[0]), one[1], other[2]))
        submission.check("drivers.fast_matmul", shape, *flat, expected=a @ b)


@pytest.mark.task("3.2-matmul")
def test_matmul(submission, rng):
    # Values cannot tell a loop from a library's product: whoever appeals or is asked
    # may explain it.
    ready_made = ("matmul", "dot", "vdot", "inner", "einsum", "tensordot", "@")
    submission.note_uses("minitorch/fast_ops.py", *ready_made)
    row, column = None, (0, 2, 1)
    products(
        submission,
        rng,
        [
            ((1, 4, 4), (1, 4, 4), (row, row)),
            ((1, 3, 5), (1, 5, 2), (column, row)),
            ((1, 2, 6), (1, 6, 7), (row, column)),
            ((1, 1, 9), (1, 9, 1), (row, row)),
        ],
    )


@pytest.mark.task("3.2-batches")
def test_batches(submission, rng):
    products(
        submission,
        rng,
        [
            ((3, 2, 4), (3, 4, 3), (None, None)),
            ((4, 2, 3), (1, 3, 2), (None, None)),
            ((1, 3, 2), (3, 2, 5), (None, (1, 2, 0))),
        ],
    )


@pytest.mark.task("3.5-train")
@pytest.mark.requires("3.1-map", "3.1-zip")
def test_train(submission, rng):
    points = rng.uniform(size=(50, 2))
    secret = rng.uniform(size=(60, 2))
    # The labels of secret points stay here: 1 above a line that only the judge knows.
    slope, height = rng.uniform(-0.5, 0.5), rng.uniform(0.35, 0.65)

    def above(p):
        return (p[:, 1] > height + slope * (p[:, 0] - 0.5)).astype(np.float64)

    got = submission.call("drivers.learned", points, above(points), secret)
    right = np.mean((got > 0.5) == (above(secret) > 0.5))
    assert right >= 0.85, f"{right:.0%} of the secret points right; need 85 %"


INDEX = "int64[::1]"
STORAGE = ("float64[::1]", INDEX, INDEX)
MAP = (*STORAGE, "int64", *STORAGE)
ZIP = (*MAP, *STORAGE)
REDUCE = (*MAP, "int64", "float64")
ROW = ("float64[::1]", "float64[::1]", "int64")
SQUARE = ("float64[::1]", "float64[::1]", "float64[::1]", "int64")


def wanted(array: NDArray[Any], order: tuple[int, ...] | None = None) -> tuple:
    """An output that nobody has written, and the storage that it should become."""
    storage, shape, strides = laid_out(np.ascontiguousarray(array), order)
    return (poisoned(len(storage)), shape, strides, len(storage)), storage


@pytest.mark.task("3.3-map")
@pytest.mark.max_metric(global_sectors="1.25x", ptx_warp_instructions="8x")
def test_cuda_map(submission, rng):
    kernel = submission.kernel(
        "minitorch.cuda_ops", "tensor_map", fn="operators.neg", types=MAP
    )
    for shape, out_shape, orders in [
        ((1,), (1,), (None, None)),
        ((45,), (45,), (None, None)),
        ((3, 1), (3, 15), (None, None)),
        ((7, 5), (7, 5), (None, (1, 0))),
        ((2, 1, 8), (3, 2, 4, 8), ((3, 2, 1, 0), (2, 0, 1))),
        ((300,), (300,), (None, None)),
    ]:
        a = numbers(rng, *shape)
        out, need = wanted(np.broadcast_to(-a, out_shape), orders[0])
        blocks = -(-out[3] // 32)
        kernel.check(need)[blocks, 32](*out, *laid_out(a, orders[1]))


@pytest.mark.task("3.3-zip")
@pytest.mark.max_metric(global_sectors="1.25x", ptx_warp_instructions="8x")
def test_cuda_zip(submission, rng):
    kernel = submission.kernel(
        "minitorch.cuda_ops", "tensor_zip", fn="operators.mul", types=ZIP
    )
    for one, other, orders in [
        ((1,), (1,), (None, None, None)),
        ((45,), (45,), (None, None, None)),
        ((3, 1), (1, 15), (None, None, None)),
        ((7, 5), (7, 5), (None, (1, 0), None)),
        ((2, 1, 4), (5, 1), ((1, 2, 0), (2, 1, 0), (1, 0))),
        ((300,), (300,), (None, None, None)),
    ]:
        a, b = numbers(rng, *one), numbers(rng, *other)
        out, need = wanted(a * b, orders[0])
        flat = (*laid_out(a, orders[1]), *laid_out(b, orders[2]))
        blocks = -(-out[3] // 32)
        kernel.check(need)[blocks, 32](*out, *flat)


@pytest.mark.task("3.3-sum")
@pytest.mark.max_metric(
    global_sectors="1.1x", shared_bank_conflicts=0, ptx_warp_instructions="8x"
)
def test_cuda_sum(submission, rng):
    kernel = submission.kernel("minitorch.cuda_ops", "jit_sum_practice", types=ROW)
    for size in (1, 16, 32, 45, 128, 200):
        a = numbers(rng, size)
        need = np.add.reduceat(a, np.arange(0, size, 32))
        kernel.check(need, rtol=1e-9, atol=1e-9)[len(need), 32](
            poisoned(len(need)), a, size
        )


@pytest.mark.task("3.3-reduce")
@pytest.mark.max_metric(
    global_sectors="1.25x", shared_bank_conflicts=0, ptx_warp_instructions="8x"
)
def test_cuda_reduce(submission, rng):
    kernel = submission.kernel(
        "minitorch.cuda_ops", "tensor_reduce", fn="operators.mul", types=REDUCE
    )
    for shape, dim, order in [
        ((1,), 0, None),
        ((33,), 0, None),
        ((3, 4), 1, (1, 0)),
        ((2, 5, 3), 1, (2, 0, 1)),
        ((4, 1), 1, None),
        ((2, 500), 1, None),
        ((1100,), 0, None),
    ]:
        a = rng.uniform(0.99, 1.01, size=shape)
        parts = np.arange(0, shape[dim], 1024)
        out, need = wanted(np.multiply.reduceat(a, parts, axis=dim))
        kernel.check(need, rtol=1e-9)[out[3], 1024](*out, *laid_out(a, order), dim, 1.0)


@pytest.mark.task("3.4-practice")
@pytest.mark.max_metric(
    global_sectors="1.1x", shared_bank_conflicts=0, ptx_warp_instructions="8x"
)
def test_cuda_practice(submission, rng):
    kernel = submission.kernel("minitorch.cuda_ops", "jit_mm_practice", types=SQUARE)
    for size in (1, 5, 32):
        a, b = numbers(rng, size, size), numbers(rng, size, size)
        need = (a @ b).reshape(-1)
        kernel.check(need, rtol=1e-9, atol=1e-9)[1, (32, 32)](
            poisoned(size * size), a.reshape(-1), b.reshape(-1), size
        )


@pytest.mark.task("3.4-matmul")
@pytest.mark.max_metric(
    global_sectors="1.1x", shared_bank_conflicts=0, ptx_warp_instructions="8x"
)
def test_cuda_matmul(submission, rng):
    kernel = submission.kernel(
        "minitorch.cuda_ops", "tensor_matrix_multiply", types=ZIP
    )
    column = (0, 2, 1)
    for one, other, orders in [
        ((1, 1, 1), (1, 1, 1), (None, None)),
        ((1, 33, 40), (1, 40, 45), (None, None)),
        ((2, 5, 33), (2, 33, 3), (None, column)),
        ((3, 4, 6), (1, 6, 5), (column, None)),
        ((1, 64, 64), (1, 64, 64), (None, None)),
    ]:
        a, b = numbers(rng, *one), numbers(rng, *other)
        out, need = wanted(a @ b)
        batches, rows, columns = out[1]
        grid = (-(-rows // 32), -(-columns // 32), batches)
        kernel.check(need, rtol=1e-9, atol=1e-9)[grid, (32, 32)](
            *out, *laid_out(a, orders[0]), *laid_out(b, orders[1])
        )
