"""The sweep of wrong input over the public ops: typed errors, and no crash."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
import minitorch.functional as F
from minitorch import no_grad

from .tensors import DEVICES, need

HUGE = 2**40
T = minitorch.tensor
BYTES = minitorch.ones(2, dtype="uint8")


def vector(n=3, **options):
    return minitorch.ones(n, **options)


def matrix(m=2, n=3, **options):
    return minitorch.ones(m, n, **options)


# What is called, the error, and a part of its message: the values that were given.
CPU = [
    # making
    (lambda: T([[1, 2], [3]]), ValueError, "different lengths"),
    (lambda: T(["a"]), TypeError, "numbers"),
    (lambda: T([1j]), TypeError, "numbers"),
    (lambda: T([1], dtype="float31"), TypeError, "float31"),
    (lambda: T([1], dtype="int64", requires_grad=True), TypeError, "int64"),
    (lambda: T([1], device="tpu"), ValueError, "tpu"),
    (lambda: minitorch.zeros(-1), ValueError, "-1"),
    (lambda: minitorch.zeros("a"), TypeError, "'a'"),
    (lambda: minitorch.zeros(2**70), ValueError, "2**62"),
    (lambda: minitorch.zeros(2**50), MemoryError, "no room"),
    (lambda: minitorch.rand(3, dtype="int64"), TypeError, "int64"),
    (lambda: vector() + "a", TypeError, "str"),
    (lambda: vector() + None, TypeError, "NoneType"),
    (lambda: vector() * [1, 2, 3], TypeError, "Tensor"),
    (lambda: vector() @ 3, TypeError, "int"),
    (lambda: vector().maximum("a"), TypeError, "maximum"),
    # layout
    (lambda: matrix().permute(0, 0), ValueError, "(0, 0)"),
    (lambda: matrix().view(4), ValueError, "(4,)"),
    (lambda: matrix().view(-1, -1), ValueError, "-1"),
    (lambda: matrix().permute(1, 0).view(6), ValueError, "contiguous"),
    (lambda: matrix().reshape(0, -1), ValueError, "(0, -1)"),
    (lambda: matrix().expand(4, 3), ValueError, "(4, 3)"),
    (lambda: vector(1).expand(*[1] * 33), ValueError, "33"),
    (lambda: matrix().squeeze(0), ValueError, "size 2"),
    (lambda: minitorch.zeros(*[1] * 32).unsqueeze(0), ValueError, "33"),
    (lambda: matrix().log_softmax(2), IndexError, "2"),
    # products
    (lambda: matrix() @ matrix(), ValueError, "(2, 3)"),
    (lambda: minitorch.nll_loss(matrix(), vector(3)), ValueError, "(2, 3)"),
    (lambda: minitorch.cross_entropy(minitorch.zeros(0, 3), minitorch.zeros(0)),
     ValueError, "(0, 3)"),
    (lambda: F.linear(matrix(), matrix(2, 2)), ValueError, "(2, 3) and weight (2, 2)"),
    (lambda: F.linear(matrix(), matrix(), vector(3)), ValueError, "bias (3,)"),
    (lambda: F.clamp(BYTES, -1, 1), ValueError, "a tensor of uint8 cannot hold -1"),
    (lambda: F.where(BYTES, BYTES, 300), ValueError, "cannot hold 300"),
    # one number
    (lambda: float(matrix()), (ValueError, TypeError), "(2, 3)"),
    (lambda: len(T(1.0)), TypeError, "dimension"),
    (lambda: matrix().to("float31"), TypeError, "float31"),
    (lambda: matrix().to("cuda:a"), ValueError, "cuda:a"),
    # gradients
    (lambda: matrix(requires_grad=True).backward(), ValueError, "(2, 3)"),
    (lambda: matrix().backward(), RuntimeError, "has no history"),
    (lambda: vector(1, dtype="int64").requires_grad_(), TypeError, "int64"),
    (lambda: vector(3).copy_(3), TypeError, "copy_"),
    # modules and optimizers
    (lambda: minitorch.Linear(-1, 3), ValueError, "-1"),
    (lambda: minitorch.Linear(3, 2)(matrix(2, 4)), ValueError, "(2, 4)"),
    (lambda: minitorch.SGD([]), ValueError, "no parameters"),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(CPU)))
def test_wrong_input_is_a_typed_error_with_the_values(case):
    call, error, text = CPU[case]
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
    assert type(caught.value) is not Exception
    assert (matrix() + 1).sum().item() == 12  # the next call works


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: a + b,
        lambda a, b: a @ b.permute(1, 0),
        lambda a, b: a.add_(b),
        lambda a, b: a.copy_(b),
        lambda a, b: minitorch.cross_entropy(a, b[:, 0]),
        lambda a, b: a.requires_grad_().backward(b),
    ],
)
@pytest.mark.cuda
def test_two_devices_in_one_op_are_named(call):
    need("cuda")
    for a, b in (
        (matrix(), matrix(device="cuda")),
        (matrix(device="cuda"), matrix()),
    ):
        with pytest.raises(ValueError, match=r"\[\w+\] .*(cpu|cuda).*(cpu|cuda)"):
            call(a, b)
    assert (matrix(device="cuda") + 1).sum().item() == 12


UNARY = ["exp", "log", "sqrt", "sigmoid", "relu", "tanh", "neg", "abs"]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0, 2), ()])
def test_ops_take_tensors_without_elements_or_dimensions(device, shape):
    need(device)
    array = np.full(shape, 0.5)
    t = minitorch.tensor(array, device=device, requires_grad=True)
    for name in UNARY:
        assert getattr(t, name)().shape == shape
    for result in (t + t, t * 2, 1 - t, t < t, t.reshape(-1), t.unsqueeze(0)):
        assert result.numpy().size == array.size
    total = t.sum()
    total.backward()
    assert total.item() == array.sum()
    assert t.grad.shape == shape
    assert t.clone().numpy().tolist() == array.tolist()
    with no_grad():
        assert t.detach().clone().add_(1).numpy().tolist() == (array + 1).tolist()
