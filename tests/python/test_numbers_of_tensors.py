"""The tests of x[i] where x collects a gradient: a tensor that is a number."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import minitorch
import minitorch.functional as F
from minitorch import Tensor

from .tensors import DEVICES, need


def leaf() -> Tensor:
    return minitorch.tensor([1.0, 2.5, 4.0], requires_grad=True)


@pytest.mark.parametrize("device", DEVICES)
def test_no_element_loses_its_gradient(device: str) -> None:
    need(device)
    x = minitorch.tensor([[1.0, 2.0], [3.0, 4.0]], device=device, requires_grad=True)
    total = x[0, 1] * 2 + x[1][0] ** 2 + 5 * x[-1, ..., -1] - x[(0, 0)] / 4
    assert total.shape == ()
    total.backward()
    assert x.grad.numpy().tolist() == [[-0.25, 2], [6, 5]]
    for row in x:
        for cell in row:
            assert cell.requires_grad
    y = minitorch.zeros(2, device=device)
    y[1] = x[1, 1] * 3
    x.grad = None
    y.sum().backward()
    assert x.grad.numpy().tolist() == [[0, 0], [0, 3]]


def test_a_number_with_a_gradient_is_a_number() -> None:
    x = leaf()
    assert float(x[1]) == 2.5
    assert int(x[2]) == 4
    assert f"{x[1]:.2f}" == "2.50"
    assert f"{x[1]}" == "2.5"
    assert round(x[1]) == 2
    assert round(x[1], 1) == 2.5
    assert math.exp(x[0]) == math.e
    assert x[0] < x[1] <= 2.5 < x[2]
    assert x[0] == 1
    assert max(x[0], x[1]) == 2.5
    assert sum([x[0], x[1], x[2]]).item() == 7.5
    assert abs(-x[1]).item() == 2.5
    assert minitorch.operators.is_close(x[0], 1.0)
    np.testing.assert_allclose(x[1], 2.5)
    assert np.array([x[0], x[2]]).tolist() == [1, 4]
    assert x[0].item() == 1


def test_where_nothing_is_recorded_it_is_a_python_number() -> None:
    x = leaf()
    with minitorch.no_grad():
        assert type(x[0]) is float
    assert type(x.detach()[0]) is float
    assert type(minitorch.tensor([1, 2], dtype="int64")[0]) is int


def test_it_keeps_the_value_that_was_there() -> None:
    x = leaf()
    y = x * 1
    first = y[0]
    y[0] = 7.0
    assert first == 1
    total = y[1] + 0
    before = total
    total += y[2]  # a new number, as for numbers
    assert (before.item(), total.item()) == (2.5, 6.5)
    total -= 1
    total *= 2
    total.backward()
    assert x.grad.numpy().tolist() == [0, 2, 2]


def test_leaves_of_shape_nothing_change_in_place() -> None:
    w = minitorch.tensor(2.0, requires_grad=True)
    same = w
    with minitorch.no_grad():
        w -= 0.5
    assert same is w
    assert same.item() == 1.5
    count = minitorch.tensor(1.0)
    also = count
    count += 1
    assert also.item() == 2


def test_formats_of_several_elements_are_refused() -> None:
    x = leaf()
    assert f"{minitorch.tensor([0.125]):.2f}" == "0.12"
    assert f"{x}" == str(x)
    with pytest.raises(
        TypeError, match=re.escape("the format '.2f' applies to one element")
    ):
        f"{x:.2f}"
    with pytest.raises(TypeError, match="digits 2"):
        round(x, 2)
    assert round(x).numpy().tolist() == [1, 2, 4]


def test_a_freed_graph_is_refused_through_sums_of_losses() -> None:
    x, total = leaf(), 0.0
    for _ in range(3):
        loss = (x * x).sum()
        loss.backward()
        total += loss[0]
    assert total.item() == 3 * 23.25
    with pytest.raises(RuntimeError, match="an earlier backward"):
        total.backward()
    live = (x * 2).sum() + total
    with pytest.raises(RuntimeError, match="an earlier backward"):
        live.backward()


def memory() -> int:
    """Bytes of this process."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * 4096


@pytest.mark.parametrize("added", ["before", "after"])
def test_adding_up_losses_keeps_no_graph(added: str) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("needs /proc")
    total, losses, start = 0.0, [], 0
    for step in range(1000):
        # A leaf of 100 KB: 100 MB if the graphs were kept.
        w = minitorch.tensor(np.full(12_800, 0.5), requires_grad=True)
        loss = -(w.sigmoid().log() / 12_800).sum()
        if added == "before":
            total += loss[0]
        loss.view(1).backward()
        if added == "after":
            total += loss.sum().view(1)[0]
        losses.append(float(total))
        start = start or (memory() if step == 100 else 0)
    assert memory() - start < 20e6
    assert losses[-1] == pytest.approx(1000 * math.log(1 + math.exp(-0.5)))


def test_errors_of_shapes_tell_that_sums_keep_their_dim() -> None:
    x = minitorch.ones(5, 3)
    kept = x.sum(1)
    assert kept.shape == (5, 1)
    hint = re.escape("sum(dim) and mean(dim) keep a dim of size 1; keepdim=False")
    with pytest.raises(ValueError, match=rf"^\[sub\] shapes .*{hint}"):
        minitorch.ones(4, 3) - kept
    for loss in (F.mse_loss, F.l1_loss, F.binary_cross_entropy_with_logits):
        with pytest.raises(ValueError, match=rf"\(5, 1\) and \(5,\).*{hint}"):
            loss(kept, minitorch.ones(5))
    with pytest.raises(ValueError, match="must be the same") as caught:
        F.mse_loss(x, minitorch.ones(5))
    assert "keepdim" not in str(caught.value)
    with pytest.raises(ValueError, match="cannot be broadcast") as caught:
        x + minitorch.ones(4)
    assert "keepdim" not in str(caught.value)
    torch = minitorch.ones(4, 1).as_torch()
    with pytest.raises(RuntimeError, match="cannot be broadcast") as caught:
        torch + minitorch.ones(5, 3).as_torch()
    assert "keepdim" not in str(caught.value)


def test_sums_of_losses_go_back_before_their_graph_is_freed() -> None:
    x, total = leaf(), 0.0
    for factor in range(3):
        total += (x * factor).sum()[0]
    total.backward(retain_graph=True)
    total.backward()
    assert x.grad.numpy().tolist() == [6, 6, 6]
