"""The tests of backends whose kernels a learner wrote: networks train on them."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import minitorch
from minitorch import cuda, operators

from .source_tree import ROOT

pytestmark = pytest.mark.cuda

TINY_MATMUL = """
__global__ void tiny_matmul(const double* a, const double* b, double* out, int m,
                            int k, int n) {
  int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= n) return;
  double sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  out[row * n + column] = sum;
}"""


@pytest.fixture
def own_backend(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "notebooks" / "scripts"))
    return importlib.import_module("own_backend")


def launched(run):
    return {launch.kernel for launch in run.launches}


class OneOp(minitorch.CudaOps):
    """Replaces matrix_multiply alone."""

    @staticmethod
    def matrix_multiply(a, b):
        (m, k), n = a.shape, b.shape[1]
        out = a.zeros((m, n))
        kernel = cuda.RawKernel(TINY_MATMUL, "tiny_matmul")
        kernel[(-(-n // 32), m), 32](a.contiguous(), b.contiguous(), out, m, k, n)
        return out


@pytest.fixture(scope="module")
def backend():
    return minitorch.TensorBackend(OneOp)


class TestOneOperation:
    def test_forward_and_backward_use_it(self, backend):
        rng = np.random.default_rng(0)
        left, right = rng.normal(size=(5, 4)), rng.normal(size=(4, 3))
        a, b = (
            minitorch.tensor(x.tolist(), backend=backend, requires_grad=True)
            for x in (left, right)
        )
        with cuda.inspect() as run:
            out = a @ b
            out.sum().backward()
        assert [each.kernel for each in run.launches].count("tiny_matmul") == 3
        np.testing.assert_allclose(out.numpy(), left @ right)
        ones = np.ones((5, 3))
        np.testing.assert_allclose(a.grad.numpy(), ones @ right.T)
        np.testing.assert_allclose(b.grad.numpy(), left.T @ ones)

    def test_the_rest_is_the_librarys(self, backend):
        x = minitorch.tensor([[1.0, -2.0]], backend=backend)
        np.testing.assert_array_equal((x * x + x).relu().numpy(), [[2.0, 2.0]])
        assert x.sum().item() == -1.0


class TestAllOperations:
    def test_every_function_of_a_backend(self, own_backend):
        """Against the backend that is there to be read."""
        backend = minitorch.TensorBackend(own_backend.OwnOps)
        rng = np.random.default_rng(1)
        left, right = rng.uniform(0.5, 2, (3, 4)), rng.uniform(0.5, 2, (1, 4))
        for name in vars(minitorch.SimpleBackend):
            if not name.endswith(("_map", "_zip", "_reduce")):
                continue
            found = []
            for each in (backend, minitorch.SimpleBackend):
                a, b = (
                    minitorch.tensor(x.tolist(), backend=each) for x in (left, right)
                )
                function = getattr(each, name)
                arguments = (a, b) if name.endswith("_zip") else (a,)
                arguments = (a, 1) if name.endswith("_reduce") else arguments
                found.append(function(*arguments).numpy())
            np.testing.assert_allclose(*found, rtol=1e-12, err_msg=name)

    @pytest.mark.parametrize(
        ("left", "right"),
        [((3, 4), (4, 5)), ((2, 17, 33), (2, 33, 18)), ((2, 3, 4), (4, 5))],
    )
    def test_matmul(self, own_backend, left, right):
        rng = np.random.default_rng(2)
        a, b = rng.normal(size=left), rng.normal(size=right)
        backend = minitorch.TensorBackend(own_backend.OwnOps)
        x, y = (minitorch.tensor(each.tolist(), backend=backend) for each in (a, b))
        np.testing.assert_allclose((x @ y).numpy(), a @ b, rtol=1e-12)

    def test_functions_without_a_kernel_are_translated(self, own_backend):
        backend = minitorch.TensorBackend(own_backend.OwnOps)
        x = minitorch.tensor([1.0, 4.0], backend=backend)
        found = own_backend.OwnOps.map(lambda v: v * v + 1)(x)
        np.testing.assert_array_equal(found.numpy(), [2.0, 17.0])
        largest = own_backend.OwnOps.reduce(operators.max, -1e9)
        assert largest(x, 0).numpy().tolist() == [4.0]

    def test_a_network_trains(self, own_backend, capsys):
        with cuda.inspect() as run:
            losses = own_backend.main(["--dataset", "Diag", "--epochs", "20"])
        assert "epoch" in capsys.readouterr().out
        assert losses[-1] < 0.6 * losses[0]
        own = launched(run)
        assert {"matmul", "map_sigmoid", "zip_add", "reduce_add"} <= own
        assert run.findings == []

    def test_training_is_that_of_the_librarys_backend(self, own_backend, monkeypatch):
        rng = np.random.default_rng(5)
        points = rng.uniform(-1, 1, (20, 2)).tolist()
        labels = [int(x > y) for x, y in points]
        own_backend.random.seed(1)
        own = own_backend.train(points, labels, 5, 0.5)
        monkeypatch.setattr(own_backend, "OwnOps", minitorch.FastOps)
        own_backend.random.seed(1)
        np.testing.assert_allclose(
            own, own_backend.train(points, labels, 5, 0.5), rtol=1e-9
        )
