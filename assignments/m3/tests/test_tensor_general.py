"""The tests of tasks 3.1 to 3.4: the same mathematics on every backend.

What is right on the slow backend of module 2 must be right in compiled loops (`fast`)
and on the GPU (`cuda`), which is emulated where there is none. Run one task with
`python -m pytest -m task3_3`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numba.cuda
import pytest

import minitorch
from minitorch import MathTestVariable, Tensor, grad_check, operators

from .samples import (
    FastBackend,
    SimpleBackend,
    close,
    drawn,
    each_cell_is,
    samples,
    told,
)

one_arg, two_arg, red_arg = MathTestVariable._comp_testing()

shared = {"fast": FastBackend}
backend_tests = [pytest.param("fast", marks=pytest.mark.task3_1)]
matmul_tests = [pytest.param("fast", marks=pytest.mark.task3_2)]

if numba.cuda.is_available():
    shared["cuda"] = minitorch.TensorBackend(minitorch.CudaOps)
    backend_tests.append(pytest.param("cuda", marks=pytest.mark.task3_3))
    matmul_tests.append(pytest.param("cuda", marks=pytest.mark.task3_4))

needs_cuda = pytest.mark.skipif("cuda" not in shared, reason="needs device cuda")

Case = tuple[str, Callable[..., Any], Callable[..., Any]]


@pytest.mark.parametrize("backend", backend_tests)
def test_create(backend: str) -> None:
    """Numbers that go into a tensor come out of it, wherever they are kept."""
    numbers = [0.0, -1.5, 3.25, 100.0]
    t = minitorch.tensor(numbers, backend=shared[backend])
    assert [t[i] for i in range(len(numbers))] == numbers


@pytest.mark.parametrize("backend", backend_tests)
def test_map(backend: str) -> None:
    """map alone: no other function of yours has to be right."""
    on = shared[backend]
    for (a,) in samples(on):
        each_cell_is(on.neg_map(a), operators.neg, a)
        each_cell_is(on.sigmoid_map(a), operators.sigmoid, a)
    column = drawn((3, 1), on)
    out = on.neg_map(column, drawn((3, 5), on, seed=1))
    for i in range(3):
        for j in range(5):
            close(out[i, j], -column[i, 0], f"out[{i}, {j}] of a map of shape (3, 1)")


@pytest.mark.parametrize("backend", backend_tests)
def test_zip(backend: str) -> None:
    """zip alone: of two layouts, and of inputs that are smaller than the output."""
    on = shared[backend]
    for a, b in samples(on, 2):
        each_cell_is(on.mul_zip(a, b), operators.mul, a, b)
        each_cell_is(on.lt_zip(a, b), operators.lt, a, b)
    row = drawn((4, 5), on)
    column = drawn((4, 5), on, seed=1, turned=True)
    each_cell_is(on.mul_zip(row, column), operators.mul, row, column)
    column, row = drawn((3, 1), on), drawn((1, 5), on, seed=1)
    out = on.mul_zip(column, row)
    for i in range(3):
        for j in range(5):
            need = column[i, 0] * row[0, j]
            close(out[i, j], need, f"out[{i}, {j}] of shapes (3, 1) and (1, 5)")


@pytest.mark.parametrize("backend", backend_tests)
def test_sums_and_products(backend: str) -> None:
    """reduce alone, along each dimension."""
    on = shared[backend]
    for (t,) in samples(on):
        for dim in range(len(t.shape)):
            total, product = on.add_reduce(t, dim), on.mul_reduce(t, dim)
            for index in total._tensor.indices():
                before, after = tuple(index)[:dim], tuple(index)[dim + 1 :]
                cells = [t[(*before, i, *after)] for i in range(t.shape[dim])]
                at = f"{tuple(map(int, index))} of {told(t)} along {dim}"
                close(total[tuple(index)], sum(cells), f"sum at {at}")
                close(product[tuple(index)], math.prod(cells), f"product at {at}")


@pytest.mark.parametrize("fn", one_arg)
@pytest.mark.parametrize("backend", backend_tests)
def test_one_args(fn: Case, backend: str) -> None:
    """map: each cell is the function of the input's cell, whatever the strides."""
    _, base_fn, tensor_fn = fn
    for (a,) in samples(shared[backend]):
        each_cell_is(tensor_fn(a), base_fn, a)


@pytest.mark.parametrize("fn", two_arg)
@pytest.mark.parametrize("backend", backend_tests)
def test_two_args(fn: Case, backend: str) -> None:
    """zip: each cell is the function of two cells, whatever the strides."""
    _, base_fn, tensor_fn = fn
    for a, b in samples(shared[backend], 2):
        each_cell_is(tensor_fn(a, b), base_fn, a, b)
    row = drawn((4, 5), shared[backend])
    column = drawn((4, 5), shared[backend], seed=1, turned=True)  # two layouts at once
    each_cell_is(tensor_fn(row, column), base_fn, row, column)


@pytest.mark.parametrize("fn", one_arg)
@pytest.mark.parametrize("backend", backend_tests)
def test_one_derivative(fn: Case, backend: str) -> None:
    """Derivatives are made of maps and zips, too."""
    _, _, tensor_fn = fn
    for turned in (False, True):
        grad_check(tensor_fn, drawn((3, 2), shared[backend], turned=turned))


@pytest.mark.parametrize("fn", two_arg)
@pytest.mark.parametrize("backend", backend_tests)
def test_two_grad(fn: Case, backend: str) -> None:
    """The same with two inputs."""
    _, _, tensor_fn = fn
    for turned in (False, True):
        a = drawn((2, 3), shared[backend], turned=turned)
        b = drawn((2, 3), shared[backend], seed=1)
        grad_check(tensor_fn, a, b)


@pytest.mark.parametrize("fn", red_arg)
@pytest.mark.parametrize("backend", backend_tests)
def test_reduce(fn: Case, backend: str) -> None:
    """reduce: sums and means, and their derivatives."""
    _, _, tensor_fn = fn
    for shape in [(5,), (3, 4), (2, 3, 2)]:
        for turned in (False, True):
            t = drawn(shape, shared[backend], turned=turned)
            simple = drawn(shape, SimpleBackend, turned=turned)
            each_cell_is(tensor_fn(t), lambda need: need, tensor_fn(simple))
            grad_check(tensor_fn, t)


@pytest.mark.parametrize("fn", two_arg)
@pytest.mark.parametrize("backend", backend_tests)
def test_two_grad_broadcast(fn: Case, backend: str) -> None:
    """zip with an input that is smaller than the output."""
    _, base_fn, tensor_fn = fn
    on = shared[backend]
    column, row = drawn((3, 1), on), drawn((1, 5), on, seed=1)
    out = tensor_fn(column, row)
    assert out.shape == (3, 5)
    for i in range(3):
        for j in range(5):
            need = base_fn(column[i, 0], row[0, j])
            close(out[i, j], need, f"out[{i}, {j}] of shapes (3, 1) and (1, 5)")
    matrix, short = drawn((2, 3), on, turned=True), drawn((3,), on, seed=1)
    grad_check(tensor_fn, matrix, short)
    grad_check(tensor_fn, matrix.sum(0), matrix)


@pytest.mark.parametrize("backend", backend_tests)
def test_permute(backend: str) -> None:
    """A permuted tensor has its cells elsewhere, and the same derivatives."""
    t = drawn((2, 3, 2), shared[backend])
    for order in [(0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)]:
        out = t.permute(*order).contiguous()
        for index in out._tensor.indices():
            there = [0, 0, 0]
            for dim, of in enumerate(order):
                there[of] = int(index[dim])
            assert out[tuple(index)] == t[tuple(there)], f"permute{order} at {index}"
        grad_check(lambda a, order=order: a.permute(*order), t)


def check_product(a: Tensor, b: Tensor, out: Tensor) -> None:
    """out = a @ b, batch by batch and cell by cell."""
    __tracebackhide__ = True
    batches = out.shape[0]
    for n in range(batches):
        for i in range(out.shape[1]):
            for j in range(out.shape[2]):
                of = n if a.shape[0] > 1 else 0
                by = n if b.shape[0] > 1 else 0
                need = sum(a[of, i, k] * b[by, k, j] for k in range(a.shape[2]))
                where = f"out[{n}, {i}, {j}] of {told(a)} @ {told(b)}"
                close(out[n, i, j], need, where)


@pytest.mark.task3_2
def test_mm2() -> None:
    """A product of matrices is a broadcast zip and a sum, and has derivatives."""
    a, b = drawn((2, 3), FastBackend), drawn((3, 4), FastBackend, seed=1)
    need = (a.view(2, 3, 1) * b.view(1, 3, 4)).sum(1).view(2, 4)
    each_cell_is(a @ b, lambda cell: cell, need)
    grad_check(lambda a, b: a @ b, a, b)


@pytest.mark.task3_2
def test_product_of_two() -> None:
    """A product alone, of any strides."""
    for rows, inner, columns in [(2, 2, 2), (3, 5, 2), (2, 6, 7), (1, 9, 1)]:
        for turned in (False, True):
            a = drawn((1, rows, inner), FastBackend, turned=turned)
            b = drawn((1, inner, columns), FastBackend, seed=1, turned=not turned)
            check_product(a, b, a @ b)


@pytest.mark.parametrize("backend", matmul_tests)
def test_bmm(backend: str) -> None:
    """Products of batches: of any strides, and of one matrix with all of a batch."""
    on = shared[backend]
    for left, right in [
        ((1, 2, 2), (1, 2, 2)),
        ((3, 2, 4), (3, 4, 3)),
        ((2, 3, 4), (1, 4, 2)),
        ((1, 3, 2), (4, 2, 3)),
    ]:
        for turned in (False, True):
            a = drawn(left, on, turned=turned)
            b = drawn(right, on, seed=1, turned=not turned)
            check_product(a, b, a @ b)


def on_device(numbers: list[Any]) -> Tensor:
    return minitorch.tensor(numbers, backend=shared["cuda"])


def numbers(count: int) -> list[float]:
    chance = random.Random(count)
    return [round(chance.random(), 3) for _ in range(count)]


def check_sums(count: int) -> None:
    __tracebackhide__ = True
    x = numbers(count)
    out = minitorch.sum_practice(on_device(x))
    for block in range(0, count, 32):
        got = out._storage[block // 32]
        need = sum(x[block : block + 32])
        close(got, need, f"sum of {count}, block {block // 32}")


@needs_cuda
@pytest.mark.task3_3
def test_sum_practice() -> None:
    """Half of a block has numbers."""
    check_sums(16)


@needs_cuda
@pytest.mark.task3_3
def test_sum_practice2() -> None:
    """Two full blocks."""
    check_sums(64)


@needs_cuda
@pytest.mark.task3_3
def test_sum_practice3() -> None:
    """One and a half."""
    check_sums(48)


def check_row(count: int) -> None:
    __tracebackhide__ = True
    x = numbers(count)
    close(on_device(x).sum(0)[0], sum(x), f"sum of {count} cells in one dimension")


@needs_cuda
@pytest.mark.task3_3
def test_sum_practice4() -> None:
    """reduce with one warp's worth of numbers."""
    check_row(32)


@needs_cuda
@pytest.mark.task3_3
def test_sum_practice5() -> None:
    """reduce with many warps; and with more than one block can join."""
    check_row(500)
    check_row(1100)


@needs_cuda
@pytest.mark.task3_3
def test_sum_practice_other_dims() -> None:
    """reduce along each dimension of a matrix."""
    t = drawn((16, 33), shared["cuda"])
    out = t.sum(1)
    for i in range(16):
        close(out[i, 0], sum(t[i, j] for j in range(33)), f"row {i}")
    out = t.sum(0)
    for j in range(33):
        close(out[0, j], sum(t[i, j] for i in range(16)), f"column {j}")


def check_square(size: int) -> None:
    __tracebackhide__ = True
    a, b = drawn((size, size), shared["cuda"]), drawn((size, size), shared["cuda"])
    out = minitorch.mm_practice(a, b)._storage.copy_to_host()
    left, right = a.to_numpy(), b.to_numpy()
    for i in range(size):
        for j in range(size):
            need = sum(left[i, k] * right[k, j] for k in range(size))
            close(out[i * size + j], need, f"out[{i}, {j}] of size {size}")


@needs_cuda
@pytest.mark.task3_4
def test_mul_practice1() -> None:
    """A block of 1024 threads for 4 cells: most have nothing to do."""
    check_square(2)


@needs_cuda
@pytest.mark.task3_4
def test_mul_practice2() -> None:
    """As many threads as cells."""
    check_square(32)


def check_matmul(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    __tracebackhide__ = True
    on = shared["cuda"]
    a, b = drawn(left, on), drawn(right, on, seed=1)
    out = (a @ b).to_numpy()
    need = a.to_numpy() @ b.to_numpy()
    for index in [(0,) * out.ndim, tuple(size - 1 for size in out.shape)]:
        where = f"out{list(index)} of {told(a)} @ {told(b)}"
        close(out[index], need[index], where)
    worst = abs(out - need).max()
    assert worst < 1e-6, f"{told(a)} @ {told(b)} is wrong by up to {worst}"


@needs_cuda
@pytest.mark.task3_4
def test_mul_practice3() -> None:
    """One tile, hardly used."""
    check_matmul((2, 2), (2, 2))


@needs_cuda
@pytest.mark.task3_4
def test_mul_practice4() -> None:
    """One row and column more than a tile has."""
    check_matmul((33, 33), (33, 33))


@needs_cuda
@pytest.mark.task3_4
def test_mul_practice5() -> None:
    """The same in batches."""
    check_matmul((2, 33, 33), (2, 33, 33))


@needs_cuda
@pytest.mark.task3_4
def test_mul_practice6() -> None:
    """Three sizes that differ."""
    check_matmul((2, 45, 33), (2, 33, 40))
