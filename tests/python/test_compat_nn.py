"""Tests of module 4: convolutions, pooling, maxima, softmax, dropout."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import minitorch

BACKENDS = {"own": None, "simple": minitorch.SimpleBackend}


def made(array, kind="own"):
    return minitorch.tensor(array, backend=BACKENDS[kind])


def convolved(x, w):
    """The definition, as loops: the kernel's first cell on the cell of the output."""
    out = np.zeros((x.shape[0], w.shape[0], *x.shape[2:]))
    for cell in np.ndindex(*x.shape[2:]):
        part = x[(slice(None), slice(None), *(slice(i, None) for i in cell))]
        part = part[(..., *(slice(0, k) for k in w.shape[2:]))]
        seen = w[(..., *(slice(0, k) for k in part.shape[2:]))]
        axes = list(range(1, x.ndim))
        out[(slice(None), slice(None), *cell)] = np.tensordot(part, seen, (axes, axes))
    return out


@pytest.mark.parametrize("kind", BACKENDS)
@pytest.mark.parametrize(
    ("x", "w"),
    [
        ((1, 1, 4), (1, 1, 3)),
        ((2, 2, 6), (3, 2, 2)),
        ((1, 1, 2), (1, 1, 5)),
        ((2, 2, 6, 5), (3, 2, 2, 4)),
        ((1, 3, 3, 3), (2, 3, 1, 1)),
    ],
)
def test_convolutions(x, w, kind):
    random = np.random.default_rng(1)
    function = minitorch.Conv1dFun if len(x) == 3 else minitorch.Conv2dFun
    a, b = random.normal(size=x), random.normal(size=w)
    out = function.apply(made(a, kind), made(b, kind))
    np.testing.assert_allclose(out.numpy(), convolved(a, b), atol=1e-12)
    minitorch.grad_check(function.apply, made(a, kind), made(b, kind))
    ctx = minitorch.Context()
    assert function.forward(ctx, made(a), made(b)).shape == out.shape
    g = random.normal(size=out.shape)
    of_x, of_w = function.backward(ctx, made(g))
    # <g, conv(x, w)> is linear in x and in w, so its gradients give it back.
    inner = (g * convolved(a, b)).sum()
    np.testing.assert_allclose((of_x.numpy() * a).sum(), inner)
    np.testing.assert_allclose((of_w.numpy() * b).sum(), inner)


@pytest.mark.cuda
def test_networks_agree_on_both_devices():
    random = np.random.default_rng(4)
    arrays = [random.normal(size=s) for s in ((2, 2, 4, 6), (3, 2, 2, 3), (2, 3, 4))]

    def f(image, kernels, signal):
        pooled = minitorch.maxpool2d(minitorch.conv2d(image, kernels), (2, 2))
        means = minitorch.avgpool2d(pooled, (1, 3)).view(2, 3, 2)
        return minitorch.logsoftmax(minitorch.conv1d(signal, means), 2)

    gradients = []
    for backend in (minitorch.FastBackend, minitorch.CudaBackend):
        inputs = [minitorch.tensor(a, backend, True) for a in arrays]
        out = f(*inputs)
        assert out.backend is backend
        (out * out).sum().backward()
        gradients.append([out.numpy()] + [x.grad.numpy() for x in inputs])
    for a, b in zip(*gradients, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", BACKENDS)
def test_pooling(kind):
    x = np.random.default_rng(2).normal(size=(2, 3, 4, 6))
    tiles = x.reshape(2, 3, 2, 2, 2, 3).transpose(0, 1, 2, 4, 3, 5)
    cut, height, width = minitorch.tile(made(x, kind), (2, 3))
    assert (height, width) == (2, 2)
    assert (cut.numpy() == tiles.reshape(2, 3, 2, 2, 6)).all()
    for function, expected in (
        (minitorch.avgpool2d, tiles.mean((4, 5))),
        (minitorch.maxpool2d, tiles.max((4, 5))),
    ):
        np.testing.assert_allclose(function(made(x, kind), (2, 3)).numpy(), expected)
        minitorch.grad_check(lambda t, f=function: f(t, (2, 3)), made(x, kind))
    with pytest.raises(AssertionError, match="need a multiple of 5"):
        minitorch.tile(made(x, kind), (2, 5))


@pytest.mark.parametrize("kind", BACKENDS)
def test_maxima(kind):
    x = made([[1.0, 3.0, 3.0], [5.0, 2.0, 4.0]], kind).requires_grad_()
    assert minitorch.max(x, 1).numpy().tolist() == [[3], [5]]
    assert minitorch.argmax(x, 1).numpy().tolist() == [[0, 1, 1], [1, 0, 0]]
    assert minitorch.max_reduce(x, 0).numpy().tolist() == [[5, 3, 4]]
    (minitorch.max(x, 1) * made([[2.0], [3.0]], kind)).sum().backward()
    assert x.grad.numpy().tolist() == [[0, 1, 1], [3, 0, 0]]
    assert minitorch.Max.apply(x, made([1])).numpy().tolist() == [[3], [5]]


@pytest.mark.parametrize("kind", BACKENDS)
@pytest.mark.parametrize("dim", [0, 1])
def test_softmax(kind, dim):
    x = np.array([[1.0, 2.0, 700.0], [0.5, -1.0, 710.0]])
    powers = np.exp(x - x.max(dim, keepdims=True))
    expected = powers / powers.sum(dim, keepdims=True)
    found = minitorch.softmax(made(x, kind), dim).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    logs = minitorch.logsoftmax(made(x, kind), dim).numpy()
    shifted = x - x.max(dim, keepdims=True)
    np.testing.assert_allclose(
        logs, shifted - np.log(powers.sum(dim, keepdims=True)), atol=1e-5
    )
    minitorch.grad_check(lambda t: minitorch.softmax(t, dim), made(x / 100, kind))


def test_dropout():
    minitorch.manual_seed(5)
    x = minitorch.ones(2000, requires_grad=True)
    kept = minitorch.dropout(x, 0.25)
    assert set(kept.numpy()) == {0.0, 1.0}
    assert abs(kept.mean().item() - 0.75) < 0.05
    kept.sum().backward()
    assert (x.grad.numpy() == kept.numpy()).all()
    assert minitorch.dropout(x, 0.0).sum().item() == 2000
    assert minitorch.dropout(x, 1.0).sum().item() == 0
    assert minitorch.dropout(x, 1.0, ignore=True) is x


def test_gradients_that_are_wrong_are_found():
    class Wrong(minitorch.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

        @staticmethod
        def backward(ctx, d):
            return d

    with pytest.raises(AssertionError, match="argument 0"):
        minitorch.grad_check(Wrong.apply, minitorch.tensor([3.0, 4.0]))


def test_grad_check_compares_nothing_where_a_function_jumps_or_bends():
    at_zero = minitorch.tensor([0.0])
    minitorch.grad_check(lambda x: x > 0.0, at_zero)
    minitorch.grad_check(lambda x: x.relu(), at_zero)


def test_every_name_of_the_page_exists():
    page = Path(__file__).parents[2] / "docs" / "minitorch_api.md"
    table = page.read_text().split("## Names by module")[1].split("\nA Tensor has")[0]
    checked = 0
    for row in table.strip().splitlines()[2:]:
        _, _, files, names, _ = row.split("|")
        modules = [getattr(minitorch, f, None) for f in re.findall(r"`(\w+)`", files)]
        for name in " ".join(re.findall(r"`([\w ]+)`", names)).split():
            homes = [minitorch, *filter(None, modules)]
            assert any(hasattr(home, name) for home in homes), name
            checked += 1
    assert checked > 100
