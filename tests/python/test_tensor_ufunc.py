"""The tests of NumPy's operators and functions with a tensor beside arrays."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import minitorch

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
OPERATORS += [operator.floordiv, operator.mod, operator.lt, operator.ge, operator.eq]
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_array_beside_tensor(op, device):
    array = np.array([[1.0, 2.0, 3.0]])
    values = np.array([[2.0], [3.0]])
    tensor = minitorch.tensor(values, device=device)
    for got, expected in (
        (op(array, tensor), op(array, values)),
        (op(tensor, array), op(values, array)),
    ):
        assert isinstance(got, minitorch.Tensor)
        assert got.device == device
        np.testing.assert_allclose(got.numpy(), expected.astype(float), rtol=1e-14)


def test_matmul_on_both_sides():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal((a @ minitorch.tensor(b)).numpy(), a @ b)
    np.testing.assert_array_equal((minitorch.tensor(a) @ b).numpy(), a @ b)


def test_arrays_have_a_dtype_and_numbers_do_not():
    x = minitorch.tensor([1.0, 2.0], dtype="float32")
    assert (x + np.ones(2)).dtype == minitorch.float64
    assert (np.ones(2, np.int32) + x).dtype == minitorch.float64
    assert (np.float64(2) * x).dtype == minitorch.float32
    assert (x * np.int64(2)).dtype == minitorch.float32


def test_functions_of_one_tensor():
    values = np.array([0.5, 2.0])
    for function in (np.exp, np.log, np.sqrt, np.tanh, np.negative, np.absolute):
        got = function(minitorch.tensor(values))
        assert isinstance(got, minitorch.Tensor)
        np.testing.assert_allclose(got.numpy(), function(values), rtol=1e-15)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.arctan2(x, 1.0),
        lambda x: np.add(x, 1.0, out=np.zeros(2)),
        lambda x: np.add.reduce(x),
    ],
)
def test_what_tensors_do_not_have_is_refused(call):
    x = minitorch.tensor([1.0, 2.0])
    with pytest.raises(TypeError, match=r"Try x\.numpy\(\)"):
        call(x)
    np.testing.assert_array_equal((x + 1).numpy(), [2.0, 3.0])


def test_arrays_of_other_things_are_refused():
    with pytest.raises(TypeError):
        minitorch.tensor([1.0]) + np.array(["a"])
