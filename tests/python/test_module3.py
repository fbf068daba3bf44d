"""Tests of Module 3 with kernels in Python: a backend that NumPy agrees with."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import cuda

from . import module3_kernels as module3

pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def backend():
    return minitorch.TensorBackend(module3.PythonKernelOps)


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def tensor(array, backend, requires_grad=False):
    return minitorch.tensor(
        array.tolist(), backend=backend, requires_grad=requires_grad
    )


def test_tensors_run_on_these_kernels(backend):
    x = tensor(drawn(3, 4), backend)
    with cuda.inspect() as run:
        y = (x + 1.0) * x
        z = -y.sum(1)
    assert z.device == "cuda"
    assert z.backend is backend
    names = " ".join(launch.kernel for launch in run.launches)
    assert (names.count("_zip"), names.count("_reduce")) == (2, 1)
    assert run.findings == []


@pytest.mark.parametrize("length", [1, 2, 3, 31, 32, 33, 500, 1024, 1025, 2500])
def test_reductions_of_any_length(backend, length):
    a = drawn(2, length, 3)
    x = tensor(a, backend)
    np.testing.assert_allclose(x.sum(1).numpy(), a.sum(1, keepdims=True), rtol=1e-10)
    swapped = x.permute(1, 0, 2).sum(0).numpy()
    np.testing.assert_allclose(swapped, a.sum(1)[np.newaxis], rtol=1e-10)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((2, 45, 33), (2, 33, 40)),
        ((3, 2, 5), (1, 5, 4)),
        ((1, 2, 70), (3, 70, 1)),
        ((2, 3, 4), (4, 5)),
    ],
)
def test_products_of_batches(backend, one, other):
    a, b = drawn(*one), drawn(*other, seed=1)
    got = tensor(a, backend) @ tensor(b, backend)
    np.testing.assert_allclose(got.numpy(), a @ b, atol=1e-12)


def test_products_of_transposed_views(backend):
    a, b = drawn(3, 35, 34), drawn(3, 40, 34, seed=1)
    with cuda.inspect() as run:
        got = tensor(a, backend) @ tensor(b, backend).permute(0, 2, 1)
    assert run.findings == []
    np.testing.assert_allclose(got.numpy(), a @ b.transpose(0, 2, 1), atol=1e-12)


@pytest.mark.parametrize("size", [1, 16, 32, 48, 64])
def test_sum_practice(backend, size):
    a = drawn(size)
    with cuda.inspect() as run:
        sums = module3.sum_practice(tensor(a, backend))
    assert run.findings == []
    padded = np.concatenate([a, np.zeros(64 - size)]).reshape(2, 32)
    got = [float(sums._storage[0]), float(sums._storage[1])]
    np.testing.assert_allclose(got, padded.sum(1), atol=1e-13)


def test_a_block_too_many_is_reported(backend):
    out = cuda.to_device(np.zeros(2))
    a = cuda.to_device(drawn(64))
    with cuda.inspect() as run:
        module3.jit_sum_practice[64 // 32 + 1, 32](out, a, 64)
    (finding,) = run.findings
    assert finding.kind == "oob_global"
    assert finding.file.endswith("module3_kernels.py")
    assert finding.block == (2, 0, 0)
    assert ", but out has " in str(finding)


@pytest.mark.parametrize("size", [1, 2, 31, 32])
def test_mm_practice_reads_each_cell_once(backend, size):
    a, b = drawn(size, size), drawn(size, size, seed=1)
    with cuda.inspect() as run:
        product = module3.mm_practice(tensor(a, backend), tensor(b, backend))
    assert run.findings == []
    got = [float(product._storage[i]) for i in range(size * size)]
    np.testing.assert_allclose(got, (a @ b).reshape(-1), atol=1e-12)
    counters = run.launches[0].counters
    assert counters["global_load_bytes"] == 2 * 8 * size * size
    assert counters["global_store_bytes"] == 8 * size * size


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: (x * y + x).sigmoid(),
        lambda x, y: (x / (y * y + 1.0)).exp(),
        lambda x, y: (x.relu() - y).sum(0),
        lambda x, y: x @ y.permute(1, 0),
    ],
)
def test_gradients(backend, function):
    x = tensor(drawn(3, 4), backend, requires_grad=True)
    y = tensor(drawn(3, 4, seed=1), backend, requires_grad=True)
    minitorch.grad_check(function, x, y)
