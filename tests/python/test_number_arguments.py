"""The tests of Python numbers beside tensors: one launch, no memory, NumPy's values,
gradients and errors.
"""

from __future__ import annotations

import operator

import numpy as np
import pytest

import minitorch
from minitorch import cuda
from minitorch import functional as F

from .tensors import DEVICES, need

NUMBERS = [2, 2.5, -3, 0.1]
CELLS = np.array([[-2.0, -0.5, 0.0], [0.25, 1.5, 2.5]])


def launches(call):
    """The kernels that the library launches for the call, in order."""
    with cuda.inspect(library=True) as report:
        call()
    return [launch.kernel for launch in report.launches]


ONE_LAUNCH = {
    "x * 2": lambda x: x * 2,
    "2 - x": lambda x: 2 - x,
    "2 / x": lambda x: 2 / x,
    "x ** 2": lambda x: x**2,
    "x ** 0.5": lambda x: x**0.5,
    "x // 2": lambda x: x // 2,
    "x % 2": lambda x: x % 2,
    "x > 0": lambda x: x > 0,
    "x == 0": lambda x: x == 0,
    "x.gt(0)": lambda x: x.gt(0),
    "maximum": lambda x: x.maximum(0),
    "clamp": lambda x: F.clamp(x, -1, 1),
    "clamp one": lambda x: F.clamp(x, 0),
    "where": lambda x: F.where(x, x, 0.0),
    "masked_fill": lambda x: F.masked_fill(x, x, -1.0),
    "fill_": lambda x: x.detach().fill_(3),
}


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", ONE_LAUNCH)
def test_a_number_is_an_argument_of_the_one_launch(name, dtype):
    need("cuda")
    x = minitorch.tensor(CELLS).to(dtype).cuda()
    names = launches(lambda: ONE_LAUNCH[name](x))
    assert len(names) == 1
    assert names != ["fill"] or name == "fill_"


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("forward", "most"),
    [
        (lambda x: x * 2, 1),
        (lambda x: x + 2, 1),
        (lambda x: 2 - x, 1),
        (lambda x: x / 2, 1),
        (lambda x: F.where(x.detach().gt(0), x, 0.0), 1),
    ],
)
def test_a_gradient_beside_a_number_is_one_launch(forward, most):
    need("cuda")
    x = minitorch.tensor(CELLS, device="cuda", requires_grad=True)
    g = minitorch.ones(2, 3, device="cuda")
    out = forward(x)
    names = launches(lambda: out.backward(g))
    assert len([n for n in names if n != "copy"]) <= most  # a gradient of its own


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("op", ["add", "sub", "mul", "truediv", "floordiv", "mod"])
def test_values_are_numpys(op, dtype, number, device):
    need(device)
    apply = getattr(operator, op)
    cells = CELLS.astype(dtype)
    cells[cells == 0] = 1
    x = minitorch.tensor(cells, device=device)
    kind = np.float64 if dtype == "int64" and isinstance(number, float) else dtype
    beside = np.array(number, kind)  # as an array it has a dtype of its own
    for got, want in (
        (apply(x, number), apply(cells, beside)),
        (apply(number, x), apply(beside, cells)),
    ):
        assert got.dtype.name == str(want.dtype)
        np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("number", [0, 0.5, -3])
def test_comparisons_and_choices_are_numpys(number, device):
    need(device)
    x = minitorch.tensor(CELLS, device=device)
    view = x.permute(1, 0)
    for op in ("lt", "le", "gt", "ge", "eq", "ne"):
        want = getattr(operator, op)(CELLS.T, number)
        np.testing.assert_array_equal(getattr(view, op)(number).numpy(), want)
        floats = getattr(operator, op)(view, number)
        assert floats.dtype.name == "float64"
        np.testing.assert_array_equal(floats.numpy(), want.astype(float))
    np.testing.assert_array_equal(
        F.where(x.gt(0), number, x).numpy(), np.where(CELLS > 0, number, CELLS)
    )
    np.testing.assert_array_equal(
        F.clamp(view, number, number + 1).numpy(), CELLS.T.clip(number, number + 1)
    )


@pytest.mark.parametrize("device", DEVICES)
def test_filling_a_view_changes_its_cells_alone(device):
    need(device)
    x = minitorch.tensor(CELLS, device=device)
    x.permute(1, 0)[1:].fill_(7)
    np.testing.assert_array_equal(x.numpy(), [[-2.0, 7, 7], [0.25, 7, 7]])
    whole = minitorch.tensor([1, 2], dtype="int64", device=device)
    whole.fill_(2.75)  # as NumPy: towards zero
    np.testing.assert_array_equal(whole.numpy(), [2, 2])


@pytest.mark.cuda
def test_integers_and_truth_values_beside_numbers_are_one_launch_too():
    need("cuda")
    labels = minitorch.tensor([1, 2, 3], dtype="int64", device="cuda")
    truth = labels.gt(1)
    assert launches(lambda: labels + 1) == ["zip_number"]
    assert launches(lambda: labels * 2.5) == ["zip_number"]
    assert launches(lambda: truth & True) == ["zip_number"]
