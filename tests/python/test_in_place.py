"""The tests of in-place changes: memory, histories of views, saved tensors."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import no_grad

from .tensors import DEVICES, need, on


def leaf(values, device="cpu"):
    return on(device, np.array(values, dtype=np.float64), requires_grad=True)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda t: t.pow_(2), [1, 4, 16]),
        (lambda t: t.fill_(7), [7, 7, 7]),
        (lambda t: t.zero_(), [0, 0, 0]),
    ],
)
def test_changes_the_memory_that_views_show(device, change, expected):
    need(device)
    t = on(device, np.array([1.0, 2.0, 4.0]))
    view = t.view(3, 1)
    assert change(t) is t
    np.testing.assert_array_equal(t.numpy(), expected)
    np.testing.assert_array_equal(view.numpy(), np.array(expected)[:, None])


@pytest.mark.parametrize("device", DEVICES)
def test_gradients_go_through_a_change_of_the_whole(device):
    need(device)
    x, w = leaf([1.0, 2.0, 3.0], device), leaf([4.0, 5.0, 6.0], device)
    y = x * 2
    y *= w  # 2 x w
    y += x  # 2 x w + x
    y.pow_(2)
    y.sum().backward()
    a, b = x.numpy(), w.numpy()
    outer = 2 * (2 * a * b + a)
    np.testing.assert_allclose(x.grad.numpy(), outer * (2 * b + 1))
    np.testing.assert_allclose(w.grad.numpy(), outer * 2 * a)


@pytest.mark.parametrize("device", DEVICES)
def test_gradients_go_through_a_change_of_a_view(device):
    need(device)
    x, w = leaf(np.arange(6.0).reshape(2, 3) + 1, device), leaf([10.0, 20.0], device)
    y = x * x
    column = y[:, 1]
    before = y.permute(1, 0)  # made before the change, read after it
    column *= w
    (before.sum() + 3 * column.sum()).backward()
    a, b = x.numpy(), w.numpy()
    expected = 2 * a
    expected[:, 1] = 4 * b * 2 * a[:, 1]
    np.testing.assert_allclose(x.grad.numpy(), expected)
    np.testing.assert_allclose(w.grad.numpy(), 4 * a[:, 1] ** 2)


def test_views_follow_a_change_of_their_base():
    x = leaf([1.0, 2.0, 3.0, 4.0])
    y = x * 1
    view = y.view(2, 2)[1]
    y *= x  # x²
    assert view.numpy().tolist() == [9, 16]
    view.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0, 0, 6, 8])


def test_a_tensor_without_history_takes_that_of_what_is_written():
    buffer, x = minitorch.zeros(2, 3), leaf([1.0, 2.0, 3.0])
    row, other = buffer[0], buffer[1]
    row.copy_(x * x)
    assert buffer.requires_grad
    assert not buffer.is_leaf()
    assert other.requires_grad  # as a part of the buffer
    (buffer.sum() + other.sum()).backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2, 4, 6])


def test_what_is_written_over_has_no_gradient():
    x, w = leaf([1.0, 2.0, 3.0]), leaf([5.0])
    y = x * 2
    y[1:]._assign_view(w)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2, 0, 0])
    np.testing.assert_array_equal(w.grad.numpy(), [2])


def test_zeroed_elements_have_no_gradient_even_if_that_is_nan():
    x = leaf([1.0, 2.0])
    y = x * 1
    y.zero_()
    (y / y).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0, 0])


def test_gradients_of_gradients_go_through_views():
    x = leaf([2.0, 3.0])
    y = x * x
    y[0:1].mul_(x[0:1])  # x0³, x1²
    y.sum().backward(create_graph=True)
    first = x.grad
    np.testing.assert_array_equal(first.numpy(), [12, 6])
    x.grad = None
    first.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [12, 2])


def test_overlapping_source_is_read_before_it_is_written():
    t = minitorch.tensor([1.0, 2.0, 3.0, 4.0])
    t[1:].copy_(t[:-1])
    assert t.numpy().tolist() == [1, 1, 2, 3]


@pytest.mark.parametrize(
    ("op", "name"),
    [
        (lambda y, w: y * w, "mul"),
        (lambda y, w: y.exp(), None),  # saves its output, not y
        (lambda y, w: y.log(), "log"),
        (lambda y, w: y.relu(), "relu"),
        (lambda y, w: y.view(1, 2) @ w.view(2, 1), "matmul"),
        (lambda y, w: y + w, None),
    ],
)
def test_a_changed_saved_tensor_is_an_error(op, name):
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    y = x * 1
    out = op(y, w).sum()
    y += 1
    if name is None:
        out.backward()
        assert x.grad is not None
        return
    with pytest.raises(RuntimeError, match=rf"\(.*2.*\).*{name} saved at version 0"):
        out.backward()


def test_a_changed_saved_output_is_an_error():
    for op in ("exp", "sigmoid", "tanh", "sqrt"):
        x = leaf([1.0, 2.0])
        y = getattr(x, op)()
        y.mul_(2)
        with pytest.raises(RuntimeError, match=f"{op} saved at version 0 was changed"):
            y.sum().backward()
    x = leaf([[1.0, 2.0]])
    y = x.log_softmax(1)
    y += 1
    with pytest.raises(RuntimeError, match="log_softmax saved"):
        y.sum().backward()


def test_a_change_of_detached_memory_is_seen():
    x = leaf([1.0, 2.0])
    y = x * x
    x.detach().add_(1)
    with pytest.raises(RuntimeError, match="mul saved at version 0 was changed"):
        y.sum().backward()


def test_leaves_need_no_grad():
    x = leaf([1.0, 2.0])
    for change in (lambda: x.add_(1), lambda: x[0:1].zero_(), lambda: x.fill_(2)):
        with pytest.raises(
            RuntimeError, match=r"leaf that requires a gradient cannot.*no_grad"
        ):
            change()
    with no_grad():
        x.add_(1)
    assert x.numpy().tolist() == [2, 3]
    assert x.requires_grad
    assert x.is_leaf()


def test_a_view_made_without_recording_cannot_be_changed_later():
    x = leaf([1.0, 2.0])
    y = x * 1
    with no_grad():
        view = y[0:1]
        view.add_(1)  # not recorded: the gradient does not know
    with pytest.raises(RuntimeError, match="made under no_grad"):
        view.add_(1)
    y.sum().backward()
    assert x.grad.numpy().tolist() == [1, 1]


def test_shared_elements_cannot_be_written():
    t = minitorch.zeros(3, 1)
    with pytest.raises(ValueError, match=r"\[add_\] got shape \(3, 2\) with strides"):
        t.expand(3, 2).add_(1)
    assert not t.numpy().any()


def test_results_must_fit():
    t = minitorch.tensor([1, 2], dtype="int64")
    with pytest.raises(TypeError, match=r"\[add_\] the result is float64.*int64"):
        t.add_(0.5)
    with pytest.raises(ValueError, match=r"result has shape \(2, 2\), .* has \(2,"):
        t += minitorch.zeros(2, 2, dtype="int64")
    with pytest.raises(ValueError, match=r"\[copy_\] shape \(3,\) cannot be"):
        t.copy_(minitorch.zeros(3))
    t += 1
    assert t.numpy().tolist() == [2, 3]
    assert t.dtype == minitorch.int64
    t.copy_(minitorch.tensor([2.9, -2.9]))  # truncates, as NumPy's assignment does
    assert t.numpy().tolist() == [2, -2]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64"])
@pytest.mark.parametrize("name", ["add_", "sub_", "mul_", "div_"])
def test_arithmetic_over_its_operand(name, dtype, device):
    need(device)
    if name == "div_" and dtype == "int64":
        pytest.skip("a quotient is no integer")
    plain = {"add_": np.add, "sub_": np.subtract, "mul_": np.multiply}
    op = plain.get(name, np.divide)
    a = (np.arange(1, 106).reshape(3, 35) % 13 + 1).astype(dtype)
    b = (np.arange(35) % 7 + 1).astype(dtype)
    for where in (np.s_[:], np.s_[:, 1:-1], np.s_[:, ::3]):
        for other in (a[where][::-1].copy(), b[where[-1:]] if where != np.s_[:] else b):
            x = minitorch.tensor(a, device=device)
            part = x[where]
            getattr(part, name)(minitorch.tensor(other.copy(), device=device))
            want = a.copy()
            want[where] = op(want[where], other)
            np.testing.assert_array_equal(x.numpy(), want)
    x = minitorch.tensor(a, device=device)
    getattr(x, name)(x)
    np.testing.assert_array_equal(x.numpy(), op(a, a).astype(dtype))
    getattr(x, name)(2)
    np.testing.assert_array_equal(x.numpy(), op(op(a, a), 2).astype(dtype))
