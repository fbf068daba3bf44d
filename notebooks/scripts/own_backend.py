"""Trains a small network on kernels that are written here, in CUDA C++.

Every operation of the network, forward and backward, is one of the kernels below: a
backend is the class OwnOps. Run: python own_backend.py --dataset Xor --epochs 30
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable, Sequence

import minitorch
from minitorch import cuda, operators

# What the functions of a backend are in CUDA C++.
MAPS = {
    operators.neg: "y = -x",
    operators.sigmoid: "y = 1 / (1 + exp(-x))",
    operators.relu: "y = x > 0 ? x : 0",
    operators.log: "y = log(x + 1e-6)",
    operators.exp: "y = exp(x)",
    operators.id: "y = x",
    operators.inv: "y = 1 / x",
}
ZIPS = {
    operators.add: "z = x + y",
    operators.mul: "z = x * y",
    operators.lt: "z = x < y",
    operators.eq: "z = x == y",
    operators.is_close: "z = fabs(x - y) < 1e-2",
    operators.relu_back: "z = x > 0 ? y : 0",
    operators.log_back: "z = y / (x + 1e-6)",
    operators.inv_back: "z = -y / (x * x)",
}
JOINS = {operators.add: ("a + b", "0"), operators.mul: ("a * b", "1")}

# (m, k) @ (k, n) -> (m, n) for each batch: a block computes a tile of 16 x 16 and reads
# each tile of a and b once into shared memory.
MATMUL = """
const int TILE = 16;
__global__ void matmul(const double* a, const double* b, double* out, int m, int k,
                       int n, int a_batch, int b_batch) {
  __shared__ double left[TILE][TILE], right[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y, batch = blockIdx.z;
  const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  a += batch * a_batch;
  b += batch * b_batch;
  double sum = 0;
  for (int start = 0; start < k; start += TILE) {
    left[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0;
    right[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  if (row < m && column < n) out[(batch * m + row) * n + column] = sum;
}"""


# (outer, length, inner) -> (outer, inner): a thread combines the cells of one result.
REDUCE = """
__global__ void NAME(const double* cells, double* out, int length, int inner, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cells += i / inner * length * inner + i % inner;
  double a = IDENTITY;
  for (int k = 0; k < length; ++k) {
    const double b = cells[k * inner];
    a = JOIN;
  }
  out[i] = a;
}"""


class OwnOps(minitorch.CudaOps):
    """A backend with its own kernels; functions without one run as in CudaOps."""

    @staticmethod
    def map(fn: Callable[[float], float]):
        """out[i] = fn(a[i])"""
        if fn not in MAPS:
            return minitorch.CudaOps.map(fn)
        name = f"map_{fn.__name__}"
        kernel = cuda.ElementwiseKernel("float64 x", "float64 y", MAPS[fn], name)

        def mapped(a, out=None):
            return kernel(a, a.zeros(a.shape) if out is None else out)

        return mapped

    @staticmethod
    def zip(fn: Callable[[float, float], float]):
        """out[i] = fn(a[i], b[i]), shapes broadcast"""
        if fn not in ZIPS:
            return minitorch.CudaOps.zip(fn)
        inputs, name = "float64 x, float64 y", f"zip_{fn.__name__}"
        kernel = cuda.ElementwiseKernel(inputs, "float64 z", ZIPS[fn], name)

        def zipped(a, b):
            out = a.zeros(minitorch.shape_broadcast(a.shape, b.shape))
            return kernel(a, b, out)

        return zipped

    @staticmethod
    def reduce(fn: Callable[[float, float], float], start: float = 0.0):
        """Cells along a dimension combined by fn; the dimension stays with size 1"""
        join, identity = JOINS.get(fn, ("", ""))
        if not join or float(identity) != start:
            return minitorch.CudaOps.reduce(fn, start)
        name = f"reduce_{fn.__name__}"
        code = REDUCE.replace("NAME", name).replace("IDENTITY", identity)
        kernel = cuda.RawKernel(code.replace("JOIN", join), name)

        def reduced(a, dim):
            out = a.zeros((*a.shape[:dim], 1, *a.shape[dim + 1 :]))
            inner = math.prod(a.shape[dim + 1 :])
            blocks = -(-out.size // 128)
            kernel[blocks, 128](a.contiguous(), out, a.shape[dim], inner, out.size)
            return out

        return reduced

    @staticmethod
    def matrix_multiply(a, b):
        """(..., m, k) @ (..., k, n) -> (..., m, n)"""
        batch = minitorch.shape_broadcast(a.shape[:-2], b.shape[:-2])
        m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
        out = a.zeros((*batch, m, n))
        count = out.size // (m * n)
        steps = [_batch_step(x, count) for x in (a, b)]
        grid = (-(-n // 16), -(-m // 16), count)
        _matmul()[grid, (16, 16)](a.contiguous(), b.contiguous(), out, m, k, n, *steps)
        return out


def _batch_step(x, count: int) -> int:
    """From one matrix of `x` to the next; 0 where all batches share one."""
    matrix = x.shape[-2] * x.shape[-1]
    if x.size == matrix:
        return 0
    if x.size != matrix * count:
        raise ValueError(f"got batches {x.shape[:-2]}; need one matrix or {count}.")
    return matrix


_compiled: list[cuda.RawKernel] = []


def _matmul() -> cuda.RawKernel:
    """The kernel, compiled when it is first needed."""
    if not _compiled:
        _compiled.append(cuda.RawKernel(MATMUL, "matmul"))
    return _compiled[0]


class Network(minitorch.Module):
    """Two layers: x -> relu -> sigmoid."""

    def __init__(self, hidden: int, backend: minitorch.TensorBackend) -> None:
        super().__init__()

        def weights(n: int, columns: int) -> minitorch.Parameter:
            rows = [[random.uniform(-1, 1) for _ in range(columns)] for _ in range(n)]
            return minitorch.Parameter(minitorch.tensor(rows, backend=backend))

        self.first, self.first_bias = weights(2, hidden), weights(1, hidden)
        self.second, self.second_bias = weights(hidden, 1), weights(1, 1)

    def forward(self, x: minitorch.Tensor) -> minitorch.Tensor:
        """(points, 2) -> (points, 1): how likely each belongs to the class."""
        hidden = (x @ self.first.value + self.first_bias.value).relu()
        return (hidden @ self.second.value + self.second_bias.value).sigmoid()


def train(
    points: Sequence[Sequence[float]], labels: Sequence[int], epochs: int, rate: float
) -> list[float]:
    """The loss of each epoch."""
    backend = minitorch.TensorBackend(OwnOps)
    network = Network(8, backend)
    optimizer = minitorch.SGD(network.parameters(), rate)
    x = minitorch.tensor([list(point) for point in points], backend=backend)
    y = minitorch.tensor([[float(label)] for label in labels], backend=backend)
    losses = []
    for _ in range(epochs):
        optimizer.zero_grad()
        out = network.forward(x)
        likely = out * y + (out - 1.0) * (y - 1.0)
        loss = (-likely.log()).sum() / len(labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main(arguments: Sequence[str] | None = None) -> list[float]:
    """Train, and print the loss."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", default="Xor", choices=sorted(minitorch.datasets))
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--rate", type=float, default=2.0)
    asked = parser.parse_args(arguments)
    random.seed(3)
    graph = minitorch.datasets[asked.dataset](asked.points)
    losses = train(graph.X, graph.y, asked.epochs, asked.rate)
    for epoch in range(0, asked.epochs, max(1, asked.epochs // 10)):
        print(f"epoch {epoch:4}  loss {losses[epoch]:.4f}")
    print(f"last        loss {losses[-1]:.4f}")
    return losses


if __name__ == "__main__":
    main()
