"""Values and gradients at the limits of functions: at 0, near saturation, where squares
over- or underflow, of equal and of no elements. The numbers are PyTorch 2.15's.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
import pytest

import minitorch
import minitorch.functional as F
from minitorch import Tensor, nn

from .tensors import DEVICES, need

TOLERANCE = {"float64": 1e-8, "float32": 1e-5, "float16": 4e-3, "bfloat16": 1e-2}


class Case(NamedTuple):
    """A function of tensors made of `inputs`, its value, and each input's gradient."""

    dtype: str
    call: Callable[..., Tensor]
    inputs: list[Any]
    value: Any
    gradients: list[Any]


def like(x, numbers):
    return minitorch.tensor(numbers, dtype=x.dtype, device=x.device)


CASES = [
    Case(
        "float32",
        lambda a, b: a / b,
        [[1, 0, 1e30, 1e-30, 1e20], [1e-30, 1e-38, 1e30, 1e-25, 1e25]],
        [1e30, 0, 1, 9.9999997e-06, 1.0000001e-05],
        [
            [1e30, 1.0000001e38, 1e-30, 9.9999996e24, 1e-25],
            [-inf, 0, -1e-30, -9.9999993e19, -1.0000001e-30],
        ],
    ),
    Case(
        "float16",
        lambda a, b: a / b,
        [[1, 2, 300], [300, 0.001, 300]],
        [0.003334, 1999, 1],
        [[0.003334, 999.5, 0.003334], [-1.1086e-05, -inf, -0.003334]],
    ),
    Case(
        "float32",
        lambda a: 3 / a,
        [[1e-15, 1e25, -1e25, inf]],
        [3000000000000000.0, 3.0000001e-25, -3.0000001e-25, 0],
        [[-2.9999999e30, 0, 0, 0]],
    ),
    Case(
        "float32",
        lambda a: a**0,
        [[0, 1e-40, -1, inf, nan]],
        [1, 1, 1, 1, 1],
        [[0, 0, 0, 0, 0]],
    ),
    Case(
        "float32",
        lambda a, b: a**b,
        [[0, 0, 0, 0, 0, 2, -2, nan, 1e-40, inf], [0, 1, 2, 0.5, -1, 0, 0, 0, 0, 0]],
        [1, 0, 0, 0, inf, 1, 1, 1, 1, 1],
        [
            [0, 1, 0, inf, -inf, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, -inf, 0.69314718, nan, nan, -92.103409, inf],
        ],
    ),
    Case(
        "float32",
        lambda a: 0**a,
        [[0, 1, -1, 0.5]],
        [1, 0, inf, 0],
        [[0, 0, -inf, 0]],
    ),
    Case(
        "float32",
        lambda a: 2**a,
        [[0, 1, -1, -200, 200]],
        [1, 2, 0.5, 0, inf],
        [[0.69314718, 1.3862944, 0.34657359, 0, inf]],
    ),
    Case(
        "float32",
        lambda a, b: F.maximum(a, b),
        [[1, 1, 2, nan, 1], [1, 2, 1, 1, nan]],
        [1, 2, 2, nan, nan],
        [[0.5, 0, 1, 1, 1], [0.5, 1, 0, 1, 1]],
    ),
    Case(
        "float32",
        lambda a, b: F.minimum(a, b),
        [[1, 1, 2, nan, 1], [1, 2, 1, 1, nan]],
        [1, 1, 1, nan, nan],
        [[0.5, 1, 0, 1, 1], [0.5, 0, 1, 1, 1]],
    ),
    Case(
        "float32",
        lambda a: a.relu(),
        [[0, 0, 1, -1, nan, inf, -inf]],
        [0, 0, 1, 0, nan, inf, 0],
        [[0, 0, 1, 0, 1, 1, 0]],
    ),
    Case(
        "float32",
        lambda a: nn.LeakyReLU(0.25)(a),
        [[0, 0, 1, -1, nan, inf]],
        [0, 0, 1, -0.25, nan, inf],
        [[0.25, 0.25, 1, 0.25, 0.25, 1]],
    ),
    Case(
        "float32",
        lambda a: F.clamp(a, 0, 1),
        [[0, 0, 1, 0.5, -1, 2, nan, inf]],
        [0, 0, 1, 0.5, 0, 1, nan, 1],
        [[0, 0, 0, 1, 0, 0, 0, 0]],
    ),
    Case(
        "float32",
        lambda a: F.clamp(a, 0),
        [[0, 1, -1, inf]],
        [0, 1, 0, inf],
        [[0, 1, 0, 1]],
    ),
    Case(
        "float32",
        lambda a: F.where(a.gt(0), a.log(), 0),
        [[1, 2, 0.5]],
        [0, 0.69314718, -0.69314718],
        [[1, 0.5, 2]],
    ),
    Case(
        "float64",
        lambda a: F.log1p(a),
        [[0, 1e-20, -1, -0.5, 1e20, inf]],
        [0, 1e-20, -inf, -0.6931471805599453, 46.05170185988091, inf],
        [[1, 1, inf, 2, 1e-20, 0]],
    ),
    Case(
        "float32",
        lambda a: a.sqrt(),
        [[0, 1e-38, 1e38, 4]],
        [0, 9.9999997e-20, 1e19, 2],
        [[inf, 5e18, 5.0000002e-20, 0.25]],
    ),
    Case(
        "float32",
        lambda a: F.rsqrt(a),
        [[1e-20, 4, 1e20]],
        [10000000000.0, 0.5, 1e-10],
        [[-5.0000001e29, -0.0625, -5.0000005e-31]],
    ),
    Case(
        "float32",
        lambda a: a.sigmoid(),
        [[0, 17, -17, 100, -100, inf, -inf]],
        [0.5, 1, 4.1399378e-08, 1, 0, 1, 0],
        [[0.25, 0, 4.1399375e-08, 0, 0, 0, 0]],
    ),
    Case(
        "float32",
        lambda a: a.tanh(),
        [[0, 1e-10, 100, inf]],
        [0, 1e-10, 1, 1],
        [[1, 1, 0, 0]],
    ),
    Case(
        "float32",
        lambda a: F.std(a),
        [[2, 2, 2]],
        0,
        [[0, 0, 0]],
    ),
    Case(
        "float32",
        lambda a: F.std(a),
        [[1e-30, 2e-30, 0]],
        1e-30,
        [[0, 0.5, -0.5]],
    ),
    Case(
        "float32",
        lambda a: F.std(a),
        [[1e20, 2e20]],
        7.0710679e19,
        [[-0.70710677, 0.70710677]],
    ),
    Case(
        "float32",
        lambda a: F.std(a),
        [[5]],
        nan,
        [[nan]],
    ),
    Case(
        "float64",
        lambda a: F.std(a, correction=0),
        [[3, 3, 4]],
        0.4714045207910317,
        [[-0.2357022603955159, -0.2357022603955159, 0.4714045207910315]],
    ),
    Case(
        "float32",
        lambda a, b: F.binary_cross_entropy(a, b, reduction="none"),
        [[0, 0, 1, 1, 0.5, 1e-07, 0.25], [0, 1, 0, 1, 0.5, 1, 0.3]],
        [0, 100, 100, 0, 0.69314718, 16.118095, 0.61726576],
        [
            [0, -1000000000000.0, 1000000000000.0, 0, 0, -10000000.0, -0.26666674],
            [inf, inf, -inf, -inf, 0, 16.118095, 1.0986123],
        ],
    ),
    Case(
        "float64",
        lambda a, b: F.binary_cross_entropy_with_logits(a, b, reduction="none"),
        [[17, -17, 0, 100, -100, 40, -800], [1, 1, 0.5, 1, 1, 0, 0]],
        [
            4.139937633089748e-08,
            17.00000004139937,
            0.6931471805599453,
            3.720075976020836e-44,
            100,
            40,
            0,
        ],
        [
            [-4.139937559433093e-08, -0.9999999586006245, 0, 0, -1, 1, 0],
            [-17, 17, 0, -100, 100, -40, 800],
        ],
    ),
    Case(
        "float64",
        lambda a, b: F.binary_cross_entropy_with_logits(
            a, b, pos_weight=like(a, [2, 3]), reduction="none"
        ),
        [[[17, -3], [0, 0.5]], [[1, 0.5], [1, 0]]],
        [
            [8.279875266179495e-08, 4.597174703147484],
            [1.386294361119891, 0.9740769841801067],
        ],
        [
            [[-8.279875118866187e-08, -1.405148253644867], [-1, 0.6224593312018546]],
            [
                [-16.99999995860062, 9.097174703147484],
                [0.6931471805599453, 0.4481539683602134],
            ],
        ],
    ),
    Case(
        "float32",
        lambda a: F.logsumexp(a, 0),
        [[]],
        -inf,
        [[]],
    ),
    Case(
        "float32",
        lambda a: F.logsumexp(a, 0),
        [[-inf, 0]],
        0,
        [[0, 1]],
    ),
    Case(
        "float64",
        lambda a: F.sum(a, ()),
        [[[1, 2], [3, 4]]],
        10,
        [[[1, 1], [1, 1]]],
    ),
    Case(
        "float64",
        lambda a: F.amax(a, (0, 1)),
        [[[4, 4], [3, 4]]],
        4,
        [[[0.3333333333333333, 0.3333333333333333], [0, 0.3333333333333333]]],
    ),
    Case(
        "float64",
        lambda a: F.max(a),
        [[nan, 1, 2]],
        nan,
        [[1, 0, 0]],
    ),
    Case(
        "float64",
        lambda a: F.max(a, 1).values,
        [[[1, 1], [0, 2]]],
        [1, 2],
        [[[1, 0], [0, 1]]],
    ),
    Case(
        "float64",
        lambda a: F.sum(a, 0),
        [2.5],
        2.5,
        [1],
    ),
    Case(
        "float64",
        lambda a: F.amax(a, 0),
        [2.5],
        2.5,
        [1],
    ),
    Case(
        "float64",
        lambda a: F.prod(a),
        [[0, 2, 3]],
        0,
        [[6, 0, 0]],
    ),
    Case(
        "float32",
        lambda a: F.masked_fill(a, a.gt(1), inf),
        [[1, 2, 0]],
        [1, inf, 0],
        [[1, 0, 1]],
    ),
    Case(
        "float32",
        lambda a, b: F.mse_loss(a, b),
        [[], []],
        nan,
        [[], []],
    ),
    Case(
        "float32",
        lambda a, b: F.binary_cross_entropy(a, b, reduction="sum"),
        [[], []],
        0,
        [[], []],
    ),
]


def cells(x):
    return x.detach().cpu().double().numpy()


def close(got, want, dtype):
    expected = np.asarray(want, np.float64)
    assert got.shape == expected.shape
    # Below the least normal number a GPU may say 0, and PyTorch rounds 1 - 1 so.
    least = 1e-40 if dtype == "float64" else 1e-37
    np.testing.assert_allclose(cells(got), expected, TOLERANCE[dtype], least)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("row", range(len(CASES)))
def test_at_the_limit(row, device):
    need(device)
    case = CASES[row]
    leaves = [
        minitorch.tensor(x, dtype="float64", device=device)
        .to(case.dtype)
        .detach()
        .requires_grad_()
        for x in case.inputs
    ]
    made = case.call(*leaves)
    made.sum(None, False).backward()
    close(made, case.value, case.dtype)
    for leaf, gradient in zip(leaves, case.gradients, strict=True):
        close(leaf.grad, gradient, case.dtype)


def test_gradients_of_gradients_at_the_limit():
    x = minitorch.tensor([0.0, 2.0], requires_grad=True)
    y = minitorch.tensor([0.0, 0.0], requires_grad=True)
    first = minitorch.autograd.grad((x**y).sum(), [x], create_graph=True)[0]
    (mixed,) = minitorch.autograd.grad(first.sum(), [y])
    assert mixed.numpy()[1] == 0.5  # d/dy of y x**(y - 1) at y = 0 is 1 / x
    z = minitorch.tensor([0.3, 0.9], requires_grad=True)
    loss = F.binary_cross_entropy(z, like(z, [1, 0]), reduction="sum")
    slope = minitorch.autograd.grad(loss, [z], create_graph=True)[0]
    (curve,) = minitorch.autograd.grad(slope.sum(), [z])
    np.testing.assert_allclose(curve.numpy(), [1 / 0.09, 1 / 0.01], 1e-9)


def test_weights_of_yes_that_do_not_fit_are_refused():
    x = minitorch.zeros(2, 3)
    with pytest.raises(
        ValueError,
        match=r"pos_weight of shape \(2,\) cannot be broadcast",
    ):
        F.binary_cross_entropy_with_logits(x, x, pos_weight=minitorch.ones(2))


@pytest.mark.parametrize("dtype", ["bool", "int32", "int64", "uint8", "float16"])
def test_parts_of_a_tensor_keep_its_dtype(dtype):
    x = minitorch.tensor([[1, 0], [1, 1]], dtype=dtype)
    for made in (F.tril(x), F.triu(x), F.masked_fill(x, x.eq(0), 1)):
        assert made.dtype == dtype
    assert F.triu(x).numpy().tolist() == [[1, 0], [0, 1]]
    assert F.masked_fill(x, x.eq(0), 1).numpy().tolist() == [[1, 1], [1, 1]]


def test_what_integers_cannot_hold_is_no_filling():
    x = minitorch.tensor([1, 2], dtype="int64")
    assert F.masked_fill(x, x.eq(1), 2.75).numpy().tolist() == [2, 2]
    with pytest.raises(ValueError, match="inf cannot be stored in a tensor of int64"):
        F.masked_fill(x, x.eq(1), inf)
    with pytest.raises(TypeError, match="got str; need a number"):
        F.masked_fill(x, x.eq(1), "2")
    with pytest.raises(ValueError, match=r"value of shape \(2,\)"):
        F.masked_fill(x, x.eq(1), x)
