"""torch.nn.init and torch.nn.utils: starts, limits on gradients, padded sequences."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch
from minitorch.torch import nn
from minitorch.torch.nn.utils import rnn


def numbers(x):
    return x.detach().numpy()


@pytest.mark.parametrize("name", [n for n in nn.init.__all__ if n.endswith("_")])
def test_starts_are_in_place_and_leave_no_history(name):
    weight = nn.Parameter(torch.full((4, 4), 9.0))
    options = (0.5,) if name == "constant_" else ()
    torch.manual_seed(0)
    assert getattr(nn.init, name)(weight, *options) is weight
    assert weight.requires_grad
    assert weight.is_leaf
    assert 9 not in numbers(weight)
    first = weight.detach().clone()
    torch.manual_seed(0)
    getattr(nn.init, name)(weight.data, *options)
    np.testing.assert_array_equal(numbers(weight), numbers(first))
    with pytest.raises(TypeError, match=r"torch\.Tensor"):
        getattr(nn.init, name)(minitorch.ones(4, 4), *options)


def test_ones_of_integers():
    assert nn.init.ones_(torch.zeros(2, dtype=torch.int64)).tolist() == [1, 1]


def with_gradients():
    a, b = (torch.ones(n, requires_grad=True) for n in (1, 2))
    (a.sum() * 3 + b.sum() * 2).backward()  # the norm is sqrt(9 + 4 + 4)
    return [a, b]


def test_clipping_by_the_norm():
    kept = with_gradients()
    gradient = kept[0].grad
    total = nn.utils.clip_grad_norm_(iter(kept), 1.0)
    assert total.item() == pytest.approx(math.sqrt(17))
    assert kept[0].grad is gradient  # in its own memory
    assert gradient.item() == pytest.approx(3 / math.sqrt(17), rel=1e-5)
    assert nn.utils.clip_grad_norm_(kept, 9.0).item() == pytest.approx(1)
    kept = with_gradients()
    assert nn.utils.clip_grad_norm_(kept, 9.0, norm_type=math.inf).item() == 3
    assert kept[1].grad.tolist() == [2, 2]
    assert nn.utils.clip_grad_norm_(kept[0], 9.0, norm_type=1).item() == 3
    kept[0].grad.fill_(math.nan)
    with pytest.raises(RuntimeError, match="finite"):
        nn.utils.clip_grad_norm_(kept, 1.0, error_if_nonfinite=True)
    with pytest.warns(UserWarning, match="no parameters"):
        assert nn.utils.clip_grad_norm_([], 1.0).item() == 0
    with pytest.raises(TypeError, match=r"torch\.Tensor"):
        nn.utils.clip_grad_norm_([minitorch.ones(1)], 1.0)


def test_padded_sequences():
    parts = [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0])]
    assert rnn.pad_sequence(parts).tolist() == [[1, 4], [2, 0], [3, 0]]
    left = rnn.pad_sequence(parts, True, padding_value=9.0, padding_side="left")
    assert left.tolist() == [[1, 2, 3], [9, 9, 4]]
    wide = rnn.pad_sequence([torch.ones(2, 3), torch.ones(1, 3)])
    assert wide.shape == (2, 2, 3)
    with pytest.raises(ValueError, match="padding_side"):
        rnn.pad_sequence(parts, padding_side="up")
    for wrong in ([], [torch.ones(1, 2), torch.ones(1, 3)], [torch.tensor(1.0)]):
        with pytest.raises(RuntimeError, match="sequence"):
            rnn.pad_sequence(wrong)
