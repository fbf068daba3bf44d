"""The tests of history as Python sees it: modes, Function, memory, errors."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

import minitorch
from minitorch import Context, Function, Tensor


class Scale(Function):
    """x * factor with a gradient of its own; keeps its output too, as a cycle would."""

    @staticmethod
    def forward(ctx, x, factor):
        out = x * factor
        ctx.save_for_backward(x, factor, out)
        return out

    @staticmethod
    def backward(ctx, gradient):
        _, factor, _ = ctx.saved_values
        return gradient * factor, None


class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, gradient):
        a, b = ctx.saved_tensors
        return gradient * b, gradient * a


def leaf(*values):
    return minitorch.tensor(list(values), requires_grad=True)


def test_functions_in_python_join_the_graph():
    x = leaf(1, 2)
    y = Scale.apply(x * 3, 5.0)
    assert y.requires_grad
    y.sum().backward()
    assert x.grad.numpy().tolist() == [15, 15]


def test_broadcast_gradients_of_functions_are_summed():
    a, b = leaf(2), leaf(1, 2, 3)
    Product.apply(a, b).sum().backward()
    assert a.grad.numpy().tolist() == [6]
    assert b.grad.numpy().tolist() == [2, 2, 2]


def test_the_inside_of_forward_is_not_recorded():
    recorded = []

    class Watch(Function):
        @staticmethod
        def forward(ctx, x):
            recorded.append((x * 2).requires_grad)
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            recorded.append((gradient * 2).requires_grad)
            return gradient * 2

    Watch.apply(leaf(1)).backward()
    assert recorded == [False, False]


def test_nothing_is_saved_without_a_gradient_to_come():
    seen = []

    class Watch(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            seen.append(ctx)
            return x * 2

    out = Watch.apply(minitorch.tensor([1.0]))
    assert not out.requires_grad
    assert seen[0].saved_values == ()


def test_errors_inside_backward_come_out_as_they_are():
    class Broken(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        Broken.apply(leaf(1)).backward()


@pytest.mark.parametrize(
    ("returned", "error", "message"),
    [
        ((1, 2, 3), ValueError, r"\[Bad\] .* per argument \(1\), but returned 3"),
        (
            "text",
            TypeError,
            r"\[Bad\] backward returned str; it must return a Tensor or None",
        ),
        (minitorch.zeros(5), ValueError, r"got a gradient of shape \(5,\) from Bad"),
    ],
)
def test_wrong_gradients_are_named(returned, error, message):
    class Bad(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return returned

    with pytest.raises(error, match=message):
        Bad.apply(leaf(1, 2)).sum().backward()


def test_no_grad_is_of_one_thread_and_one_block():
    x = leaf(1)
    other = []
    with minitorch.no_grad():
        assert not (x * 2).requires_grad
        thread = threading.Thread(target=lambda: other.append((x * 2).requires_grad))
        thread.start()
        thread.join()
    assert other == [True]
    assert (x * 2).requires_grad


def test_a_long_chain_needs_no_recursion():
    x = leaf(1)
    y = x
    for _ in range(200_000):
        y = y + 1
    y.backward()
    assert x.grad.item() == 1
    del y


def test_a_chain_of_python_functions_is_freed_without_recursion():
    y = leaf(1)
    for _ in range(20_000):
        y = Scale.apply(y, 1.0)
    del y
    gc.collect()


def test_contexts_that_hold_their_own_output_are_collected():
    watched = []

    class Cyclic(Function):
        @staticmethod
        def forward(ctx, x):
            watched.append(weakref.ref(ctx))
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    x = leaf(1)
    out = Cyclic.apply(x)
    context = watched[0]()
    assert context is not None
    context.save_for_backward(out)  # out -> node -> context -> out
    loss = (out * out).sum()
    del out, context
    gc.collect()
    assert watched[0]() is not None, "the loss still needs it"
    loss.backward()
    assert x.grad.item() == 8  # d(2x)²/dx
    del loss
    gc.collect()
    assert watched[0]() is None


def test_training_does_not_grow():
    x = minitorch.rand(8, 4)
    layer = minitorch.Linear(4, 2)
    optimizer = minitorch.SGD(layer.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad()
        Scale.apply(layer(x).relu(), 2.0).sum().backward()
        optimizer.step()

    for _ in range(3):
        step()
    gc.collect()
    before = len([o for o in gc.get_objects() if isinstance(o, Tensor | Context)])
    for _ in range(50):
        step()
    gc.collect()
    after = len([o for o in gc.get_objects() if isinstance(o, Tensor | Context)])
    assert after == before


def test_ctrl_c_ends_a_long_backward():
    import signal

    x = leaf(1)
    y = x
    for _ in range(400_000):
        y = y + 1
    previous = signal.signal(signal.SIGALRM, _interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            y.backward()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    (x * 2).backward()
    assert x.grad.item() == 2


def _interrupt(number, frame):
    raise KeyboardInterrupt
