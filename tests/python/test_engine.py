"""The tests of the engine as Python sees it: grad, hooks, anomaly mode, modes."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import minitorch
from minitorch import autograd, enable_grad, is_grad_enabled, no_grad, set_grad_enabled

from .tensors import DEVICES, need, on


def leaf(values, device="cpu"):
    return on(device, np.array(values, dtype=np.float64), requires_grad=True)


@pytest.mark.parametrize("device", DEVICES)
def test_grad_gives_values_and_changes_no_leaf(device):
    need(device)
    x, w = leaf([1.0, 2.0], device), leaf([3.0, 4.0], device)
    y = x * w
    dx, dy = autograd.grad((y * y).sum(), [x, y])
    np.testing.assert_array_equal(dy.numpy(), [6, 16])  # 2 x w
    np.testing.assert_array_equal(dx.numpy(), [18, 64])  # 2 x w²
    assert x.grad is None
    assert w.grad is None


def test_grad_visits_only_what_lies_between():
    x, w = leaf([2.0]), leaf([3.0])
    called = []
    inner = w * 5
    inner.register_hook(lambda g: called.append("w"))
    y = x * x
    (dx,) = autograd.grad((y * inner).sum(), x)
    assert dx.item() == 60
    assert called == []
    inner.sum().backward()  # not freed by the call above
    assert called == ["w"]


def test_grad_of_an_inner_tensor_leaves_its_own_history():
    x = leaf([2.0])
    y = x * x
    (dy,) = autograd.grad((y * 3).sum(), y)
    assert dy.item() == 3
    y.backward()
    assert x.grad.item() == 4


def test_several_outputs_one_of_which_depends_on_another():
    x = leaf([2.0])
    y = x * x
    z = y * 3
    (dx,) = autograd.grad([y, z], x)  # 2x + 6x
    assert dx.item() == 16
    y = x * x
    autograd.backward([y, y * 3], [None, minitorch.tensor([10.0])])  # 2x + 60x
    assert x.grad.item() == 124


def test_higher_derivatives_of_every_order():
    x = leaf([1.5])
    value = x**5
    expected = [5 * 1.5**4, 20 * 1.5**3, 60 * 1.5**2, 120 * 1.5, 120]
    for wanted in expected:
        (value,) = autograd.grad(value, x, create_graph=True)
        np.testing.assert_allclose(value.item(), wanted)


def test_unused_inputs_are_named_or_allowed():
    x, w = leaf([1.0]), leaf([1.0, 2.0])
    y = x * 2
    with pytest.raises(
        RuntimeError, match=r"\[grad\] no output depends on input 1 of shape \(2,\)"
    ):
        autograd.grad(y, [x, w], retain_graph=True)
    assert autograd.grad(y, [w], allow_unused=True) == (None,)


def test_what_grad_is_given_must_fit():
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"input of shape \(3,\) without a gradient"):
        autograd.grad(x.sum(), minitorch.zeros(3))
    with pytest.raises(RuntimeError, match="has no history"):
        autograd.grad(minitorch.zeros(1), x)
    with pytest.raises(ValueError, match=r"of shape \(2,\) needs a gradient"):
        autograd.grad(x * 2, x)
    with pytest.raises(ValueError, match=r"got a gradient of shape \(3,\); need \(2,"):
        autograd.grad(x * 2, x, minitorch.zeros(3))
    with pytest.raises(ValueError, match="got 2 gradients for 1 outputs"):
        autograd.grad(x * 2, x, [None, None])
    with pytest.raises(TypeError, match="got int among the inputs"):
        autograd.grad(x * 2, [1])
    assert x.grad is None


def test_the_freed_graph_is_named_with_a_hint():
    x = leaf([2.0])
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(
        RuntimeError, match=r"freed this graph \(at mul\)\. .*retain_graph=True"
    ):
        y.backward()
    assert x.grad.item() == 8


def test_hooks_see_the_whole_gradient_and_may_replace_it():
    x = leaf([1.0, 2.0])
    y = x * 3
    seen = []
    y.register_hook(lambda g: seen.append(g.numpy().tolist()))
    y.register_hook(lambda g: g * 10)
    handle = y.register_hook(lambda g: g * 1000)
    handle.remove()
    handle.remove()  # harmless
    (y.sum() + (y * y).sum()).backward()
    assert seen == [[7, 13]]  # 1 + 2y, once
    assert x.grad.numpy().tolist() == [210, 390]


def test_hooks_of_leaves_stay_and_can_be_removed():
    x = leaf([1.0])
    with x.register_hook(lambda g: g * 2):
        for _ in range(2):
            (x * 3).backward()
    (x * 3).backward()
    assert x.grad.item() == 6 + 6 + 3


def test_a_hook_must_return_a_gradient():
    x = leaf([1.0, 2.0])
    y = x * 2
    y.register_hook(lambda g: 5)
    with pytest.raises(TypeError, match=r"\[hook\] got int; need a Tensor or None"):
        y.sum().backward()
    y = x * 2
    y.register_hook(lambda g: minitorch.zeros(3))
    with pytest.raises(ValueError, match=r"gradient of shape \(3,\) from a hook"):
        y.sum().backward()
    with pytest.raises(TypeError, match="got int; need a function of the gradient"):
        y.register_hook(3)
    with pytest.raises(RuntimeError, match="without a gradient"):
        minitorch.zeros(1).register_hook(print)


def test_errors_of_hooks_arrive_and_the_next_call_works():
    x = leaf([1.0])

    def fail(gradient):
        raise KeyError("mine")

    handle = x.register_hook(fail)
    with pytest.raises(KeyError, match="mine"):
        (x * 2).backward()
    handle.remove()
    (x * 2).backward()
    assert x.grad.item() == 2


def test_retain_grad_keeps_the_gradient_of_an_inner_tensor():
    x = leaf([1.0, 2.0])
    y = x * 2
    y.retain_grad()
    y.retain_grad()
    (y * y).sum().backward()
    assert y.grad.numpy().tolist() == [4, 8]
    assert x.grad.numpy().tolist() == [8, 16]


def test_hooks_that_hold_their_tensor_are_collected():
    gone = []
    for make in (lambda x: x, lambda x: x * 2):
        x = leaf([1.0])
        tensor = make(x)
        marker = type("Marker", (), {})()
        tensor.register_hook(lambda g, t=tensor, m=marker: None)
        gone.append(weakref.ref(marker))
        del x, tensor, marker
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


class Named(minitorch.Tensor):
    """As a learner writes one: with attributes of its own."""


class Slotted(minitorch.Tensor):
    __slots__ = ()


@pytest.mark.parametrize("kind", [minitorch.Tensor, Named, Slotted])
def test_tensors_that_hold_themselves_are_collected(kind):
    gone = []
    for _ in range(3):
        tensor = kind(minitorch.TensorData([1.0], (1,)), backend=None)
        marker = type("Marker", (), {})()
        tensor.itself = tensor
        tensor.marker = marker
        assert vars(tensor) == {"itself": tensor, "marker": marker}
        gone.append(weakref.ref(marker))
        del tensor, marker
    gc.collect()
    assert [ref() for ref in gone] == [None] * 3


def test_anomaly_mode_names_the_line_of_the_forward_op():
    x = leaf([1.0, 0.0])
    with autograd.detect_anomaly():
        y = x.sqrt()  # the line to be named
        loss = (y * 0).sum()
        with pytest.raises(RuntimeError) as caught:
            loss.backward()
    message = str(caught.value)
    assert "[backward] got NaN from sqrt as the gradient of its input 0" in message
    assert "test_engine.py" in message
    assert "y = x.sqrt()  # the line to be named" in message
    (x * 2).sum().backward()  # the next call works


def test_anomaly_mode_names_steps_written_in_python():
    class Bad(minitorch.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, gradient):
            return gradient * float("nan")

    x = leaf([1.0])
    y = Bad.apply(x)
    with (
        autograd.detect_anomaly(),
        pytest.raises(RuntimeError, match=r"NaN from Bad.*before detect_anomaly"),
    ):
        y.backward()
    y = Bad.apply(x)
    y.backward()  # NaN is no error outside
    assert np.isnan(x.grad.item())


def test_anomaly_mode_refuses_nan_to_start_from():
    x = leaf([1.0])
    with (
        autograd.detect_anomaly(),
        pytest.raises(RuntimeError, match="NaN in the gradient to start from"),
    ):
        (x * 2).backward(minitorch.tensor([float("nan")]))


def test_modes_are_restored_in_every_form():
    @no_grad()
    def off():
        return is_grad_enabled()

    @no_grad
    def bare():
        return is_grad_enabled()

    assert (off(), bare(), is_grad_enabled()) == (False, False, True)
    with pytest.raises(ZeroDivisionError), no_grad():
        _ = 1 / 0
    assert is_grad_enabled()
    with set_grad_enabled(False):
        assert not is_grad_enabled()
        with enable_grad():
            assert is_grad_enabled()
        assert not is_grad_enabled()
    assert is_grad_enabled()
    set_grad_enabled(False)
    try:
        assert not (leaf([1.0]) * 2).requires_grad
    finally:
        set_grad_enabled(True)


def test_a_function_whose_saved_tensor_was_changed():
    class Square(minitorch.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_values
            return gradient * 2 * x

    x = leaf([3.0])
    y = x * 1
    out = Square.apply(y)
    y += 1
    with pytest.raises(RuntimeError, match=r"Square saved at version 0 was changed"):
        out.backward()


def test_threads_may_share_a_leaf():
    x = leaf(np.ones(1000))
    results = []

    def work():
        for _ in range(50):
            (dx,) = autograd.grad((x * x).sum(), x)
            results.append(float(dx.sum().item()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [2000.0] * 200
