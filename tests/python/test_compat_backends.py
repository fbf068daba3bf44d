"""Tests of backends: the library's, the one in Python, and a learner's own."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pytest

import minitorch
from minitorch import Function, History, MathTestVariable, TensorData, operators
from minitorch.cuda.errors import CompileError
from minitorch.tensors import simple_ops

ONE, TWO, MANY = MathTestVariable._comp_testing()
NATIVE = minitorch.FastBackend


class NumpyOps(minitorch.TensorOps):
    """A learner's operations, which count their calls."""

    calls: ClassVar[list[str]] = []

    @classmethod
    def _note(cls, kind, fn):
        cls.calls.append(f"{kind} {fn.__name__}")

    @staticmethod
    def map(fn):
        def mapped(a, out=None):
            NumpyOps._note("map", fn)
            cells = np.array([fn(x) for x in a.numpy().reshape(-1)])
            return a._new(TensorData(cells, a.shape))

        return mapped

    @staticmethod
    def zip(fn):
        def zipped(a, b):
            NumpyOps._note("zip", fn)
            left, right = np.broadcast_arrays(a.numpy(), b.numpy())
            pairs = zip(left.reshape(-1), right.reshape(-1), strict=True)
            return a._new(
                TensorData(np.array([fn(x, y) for x, y in pairs]), left.shape)
            )

        return zipped

    @staticmethod
    def reduce(fn, start=0.0):
        def reduced(a, dim):
            NumpyOps._note("reduce", fn)
            cells = np.moveaxis(a.numpy(), dim, -1)
            out = np.full(cells.shape[:-1], start)
            for i in np.ndindex(out.shape):
                for cell in cells[i]:
                    out[i] = fn(out[i], cell)
            shape = list(a.shape)
            shape[dim] = 1
            return a._new(TensorData(out.reshape(-1), tuple(shape)))

        return reduced

    @staticmethod
    def matrix_multiply(a, b):
        NumpyOps.calls.append("matmul")
        product = a.numpy() @ b.numpy()
        return a._new(TensorData(product.reshape(-1).copy(), product.shape))


LEARNER = minitorch.TensorBackend(NumpyOps)
BACKENDS = {"simple": minitorch.SimpleBackend, "learner": LEARNER, "fast": NATIVE}


def result_and_gradients(f, backend, *arrays):
    inputs = [minitorch.tensor(a, backend=backend, requires_grad=True) for a in arrays]
    out = f(*inputs)
    assert out.backend is backend
    out.sum().backward()
    assert all(x.grad.shape == x.shape for x in inputs)
    return [out.numpy()] + [x.grad.numpy() for x in inputs]


@pytest.mark.parametrize("kind", ["simple", "learner"])
@pytest.mark.parametrize("case", [*ONE, *TWO, *MANY], ids=lambda case: case[0])
def test_backends_agree_with_the_library(case, kind):
    name, _, f = case
    random = np.random.default_rng(3)
    count = 2 if name.endswith("2") else 1
    for shapes in (((2, 3), (2, 3)), ((3, 1), (1, 2)), ((4,), (2, 4))):
        arrays = [random.uniform(-3, 3, shape) for shape in shapes[:count]]
        found = result_and_gradients(f, BACKENDS[kind], *arrays)
        expected = result_and_gradients(f, NATIVE, *arrays)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_every_operator_reaches_the_learners_operations():
    x = minitorch.tensor([[1.0, 2.0]], backend=LEARNER, requires_grad=True)
    NumpyOps.calls.clear()
    y = 3 - (x + 1) * 2 / x + 1 / x
    z = (-y).relu().sigmoid() @ x.permute(1, 0).exp()
    w = (x < 2) + (x > 1) + (x == 1) + x.log().contiguous()
    assert x.is_close(x).all().item() == 1.0
    (z.sum() + w.mean(1).view(1)).backward()
    expected = {
        f"{kind} {name}"
        for kind, names in {
            "map": "neg inv relu sigmoid exp id log",
            "zip": "add mul lt eq is_close inv_back relu_back log_back",
            "reduce": "add mul",
        }.items()
        for name in names.split()
    }
    assert expected | {"matmul"} == set(NumpyOps.calls)
    assert x.grad.backend is LEARNER


def test_a_backend_follows_its_tensor_everywhere():
    x = minitorch.tensor([[4.0, 9.0]], backend=LEARNER)
    plain = minitorch.ones(1, 2)
    for t in (x.sqrt(), x.detach(), x[:, 0], x.reshape(2), plain + x, x**2, x.tanh()):
        assert t.backend is LEARNER
    assert plain.backend is NATIVE
    assert minitorch.tensor([1.0], LEARNER, True).requires_grad
    assert minitorch.zeros((2,), LEARNER).backend is LEARNER
    plain.backend = LEARNER
    assert (plain + 1).backend is LEARNER


def test_mistakes_in_a_backend_are_named():
    class Broken(minitorch.TensorOps):
        map = staticmethod(lambda fn: lambda a, out=None: None)
        zip = staticmethod(lambda fn: lambda a, b: 3)
        reduce = staticmethod(lambda fn, start=0.0: lambda a, dim: a)

    x = minitorch.tensor([1.0, 2.0], minitorch.TensorBackend(Broken))
    for call, error, text in (
        (lambda: -x, TypeError, r"\[Neg\] forward returned NoneType"),
        (lambda: x + 1, TypeError, r"\[Add\] forward returned int"),
        (lambda: x @ x, NotImplementedError, "needs matrix_multiply"),
        (
            lambda: minitorch.tensor([1.0], backend=Broken),
            TypeError,
            "got Broken; need",
        ),
        (lambda: minitorch.zeros(2, backend=3), TypeError, "got 3; need a TensorBack"),
    ):
        with pytest.raises(error, match=text):
            call()
    assert x.numpy().tolist() == [1.0, 2.0]


def test_logarithms():
    values = [0.0, 1.0]
    with_backend = minitorch.tensor(values, backend=NATIVE).log().numpy()
    assert with_backend.tolist() == [math.log(1e-6), math.log(1 + 1e-6)]
    assert minitorch.tensor(values).log().numpy().tolist() == [-math.inf, 0.0]


def test_functions_that_cannot_be_translated_are_errors():
    table = {1.0: 5.0, 2.0: 7.0}
    x = minitorch.tensor([[1.0, 2.0]])
    with pytest.raises(CompileError, match="table"):
        minitorch.FastOps.map(lambda v: table[v])(x)


def test_a_map_writes_into_a_tensor():
    out = minitorch.zeros(2, 2)
    minitorch.FastOps.map(operators.neg)(minitorch.tensor([1.0, 2.0]), out)
    assert out.numpy().tolist() == [[-1, -2], [-1, -2]]


def test_kernels_over_rows():
    out = np.zeros(6)
    simple_ops.tensor_zip(operators.add)(
        out,
        (2, 3),
        (1, 2),
        np.arange(3.0),
        (3,),
        (1,),
        np.array([10.0, 20.0]),
        (2, 1),
        (1, 1),
    )
    assert out.reshape(3, 2).T.tolist() == [[10, 11, 12], [20, 21, 22]]
    total = np.array([100.0, 100.0])
    sums = simple_ops.tensor_reduce(operators.add)
    sums(total, (2, 1), (1, 1), out, (2, 3), (1, 2), 1)
    assert total.tolist() == [133, 163]


def test_products_in_python():
    random = np.random.default_rng(0)
    for a, b in (((2, 3), (3, 4)), ((2, 2, 3), (1, 3, 2)), ((1, 3, 2), (2, 2, 1))):
        x, y = random.normal(size=a), random.normal(size=b)
        found = minitorch.tensor(x, minitorch.SimpleBackend) @ minitorch.tensor(y)
        np.testing.assert_allclose(found.numpy(), x @ y)
    wide = minitorch.zeros(2, 3, backend=minitorch.SimpleBackend)
    with pytest.raises(ValueError, match=r"\[matmul\] a is \(2, 3\), b is \(2, 3\)"):
        wide @ wide


class Scale(Function):
    """A learner's function; its gradient of the number is a plain 0."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x.f, factor)
        return x.f.mul_zip(x, x._ensure_tensor(factor))

    @staticmethod
    def backward(ctx, d):
        f, factor = ctx.saved_values
        return f.mul_zip(d, d._ensure_tensor(factor)), 0.0


@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
def test_a_function_of_a_learner(backend):
    x = minitorch.tensor([1.0, 2.0], backend=backend, requires_grad=True)
    (Scale.apply(x, 3.0) * x).sum().backward()
    assert x.grad.numpy().tolist() == [6.0, 12.0]


@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
def test_a_history_made_by_hand(backend):
    x = minitorch.tensor([1.0, 2.0], backend=backend, requires_grad=True)
    ctx = minitorch.Context()
    made = Scale.forward(ctx, x.detach(), 3.0)
    y = minitorch.Tensor(made._tensor, History(Scale, ctx, [x, 3.0]), backend=backend)
    assert y.history.last_fn is Scale
    y.sum().backward()
    assert x.grad.numpy().tolist() == [3.0, 3.0]
    leaf = minitorch.Tensor(made._tensor, History(), backend=backend)
    assert leaf.is_leaf()


def test_gradients_of_gradients_of_a_backend_are_an_error():
    x = minitorch.tensor([1.0, 2.0], backend=LEARNER, requires_grad=True)
    with pytest.raises(
        RuntimeError, match=r"\[Sum\] does not support create_graph=True"
    ):
        (x * x).sum().backward(create_graph=True)


def test_graphs_are_walked_from_python():
    def f(x, y):
        return ((x * y + y).sigmoid() @ x.permute(1, 0)).sum()

    for backend in BACKENDS.values():
        make = [np.array([[0.5, -1.0]]), np.array([[2.0, 3.0]])]
        first = [minitorch.tensor(a, backend=backend, requires_grad=True) for a in make]
        second = [
            minitorch.tensor(a, backend=backend, requires_grad=True) for a in make
        ]
        f(*first).backward()
        minitorch.backpropagate(f(*second), minitorch.ones(1, backend=backend))
        for a, b in zip(first, second, strict=True):
            np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-12)
        order = minitorch.topological_sort(f(*second))
        assert {v.unique_id for v in order if v.is_leaf()} == {
            v.unique_id for v in second
        }
    x = minitorch.tensor([1.0], requires_grad=True)
    assert x.history == History()
    assert minitorch.ones(1).history is None
    assert (x.exp() + 1).history.last_fn is minitorch.Add


def test_a_tensor_that_an_op_made_becomes_a_leaf():
    x = minitorch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 3).requires_grad_(True)
    (y * y).sum().backward()
    assert x.grad is None
    assert y.grad.numpy().tolist() == [6.0, 12.0]
    assert y.is_leaf()
    assert minitorch.ones(1).is_constant()


@pytest.mark.cuda
def test_tensors_of_the_cuda_backend():
    backend = minitorch.TensorBackend(minitorch.CudaOps)
    x = minitorch.tensor([[1.0, 2.0], [3.0, 4.0]], backend=backend, requires_grad=True)
    assert (x.device, x.backend is backend) == ("cuda", True)
    y = minitorch.tensor([[1.0], [0.5]])
    out = (x @ y).log().sum() + (x > y) * y  # y comes to where x is
    assert out.device == "cuda"
    out.sum().backward()
    expected = 4 / (np.array([[2.0], [5.0]]) + 1e-6) * [[1.0, 0.5]]
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-12)
    assert [x._tensor._storage[i] for i in range(4)] == [1, 2, 3, 4]
    assert x._tensor.get((1, 0)) == 3.0
    squared = minitorch.CudaOps.map(lambda v: v * v)(x)
    assert squared.numpy().tolist() == [[1, 4], [9, 16]]
    with pytest.raises(minitorch.cuda.CompileError):
        minitorch.CudaOps.map(lambda v: {}[v])(x)


@pytest.mark.cuda
@pytest.mark.parametrize("size", [1, 16, 32, 33, 64, 100])
def test_sum_practice(size):
    values = np.random.default_rng(size).uniform(size=size)
    out = minitorch.sum_practice(minitorch.tensor(values, minitorch.CudaBackend))
    expected = [values[i : i + 32].sum() for i in range(0, size, 32)]
    found = [out._storage[i] for i in range(out.size)]
    np.testing.assert_allclose(found[: len(expected)], expected)
    assert out.size == max(2, len(expected))


@pytest.mark.cuda
@pytest.mark.parametrize("size", [1, 2, 31, 32])
def test_mm_practice(size):
    a, b = np.random.default_rng(size).uniform(size=(2, size, size))
    on = [minitorch.tensor(x, minitorch.CudaBackend) for x in (a, b)]
    found = minitorch.mm_practice(on[0], on[1].permute(1, 0))
    product = (a @ b.T).reshape(-1)
    np.testing.assert_allclose([found._storage[i] for i in range(size * size)], product)
    with pytest.raises(ValueError, match="need square matrices"):
        minitorch.mm_practice(on[0], minitorch.zeros(size + 1, size))
