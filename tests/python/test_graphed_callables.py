"""The tests of functions and modules whose two ways are graphs."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import cuda, nn

pytestmark = pytest.mark.cuda


def tensor(values, **named):
    return minitorch.tensor(np.asarray(values).tolist(), device="cuda", **named)


def square_sum(a):
    return (a * a).sum()


def test_a_function_has_its_value_and_its_gradient():
    f = cuda.make_graphed_callables(
        square_sum, (tensor([0.0, 0.0], requires_grad=True),)
    )
    for values in ([1.0, 2.0], [3.0, -4.0]):
        x = tensor(values, requires_grad=True)
        y = f(x)
        assert y.item() == sum(v * v for v in values)
        y.backward()
        assert x.grad.numpy().tolist() == [2 * v for v in values]


def test_a_gradient_that_was_collected_stays():
    f = cuda.make_graphed_callables(square_sum, (tensor([0.0], requires_grad=True),))
    x = tensor([3.0], requires_grad=True)
    f(x).backward()
    first = x.grad
    f(tensor([5.0], requires_grad=True)).backward()
    assert first.item() == 6
    f(x).backward()
    assert x.grad.item() == 12


def network():
    minitorch.manual_seed(5)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).to("cuda")


def train(graphed):
    net, losses = network(), []
    rng = np.random.default_rng(2)
    if graphed:
        same = cuda.make_graphed_callables(net, (tensor(rng.normal(size=(16, 4))),))
        assert same is net
    rng = np.random.default_rng(3)
    for _ in range(10):
        x, y = tensor(rng.normal(size=(16, 4))), tensor(rng.normal(size=(16, 2)))
        for parameter in net.parameters():
            parameter.value.grad = None
        error = net(x) - y
        loss = (error * error).sum()
        loss.backward()
        with minitorch.no_grad():
            for parameter in net.parameters():
                value = parameter.value
                value -= value.grad * 0.01
        losses.append(loss.item())
    return losses


def test_a_module_trains_as_it_does_without():
    eager, graphed = train(False), train(True)
    assert eager == graphed  # bit for bit
    assert eager[-1] != eager[0]


def test_a_parameter_that_was_replaced_is_read_anew():
    net = nn.Linear(1, 1).to("cuda")
    net = cuda.make_graphed_callables(net, (tensor([[1.0]]),))
    for parameter, value in zip(net.parameters(), ([[3.0]], [4.0]), strict=True):
        parameter.update(tensor(np.reshape(value, parameter.value.shape)))
    y = net(tensor([[2.0]]))
    assert y[0, 0] == 10
    y.sum().backward()
    assert [float(p.grad.sum()) for p in net.parameters()] == [2.0, 1.0]


def test_a_module_in_another_mode_runs_eagerly():
    net = network().eval()
    cuda.make_graphed_callables(net, (tensor(np.zeros((16, 4))),))
    net.train()
    assert net(tensor(np.zeros((3, 4)))).shape == (3, 2)
    net.eval()
    with pytest.raises(ValueError, match=r"captured with shape \(16, 4\)"):
        net(tensor(np.zeros((3, 4))))


def test_several_share_a_pool_and_follow_each_other():
    double, square = cuda.make_graphed_callables(
        (lambda a: a + a, square_sum),
        ((tensor([0.0], requires_grad=True),), (tensor([0.0], requires_grad=True),)),
    )
    x = tensor([3.0], requires_grad=True)
    y = square(double(x))
    assert y.item() == 36
    y.backward()
    assert x.grad.item() == 24


def test_inputs_without_a_gradient_and_unused_ones():
    a, b = tensor([1.0], requires_grad=True), tensor([2.0])
    f = cuda.make_graphed_callables(lambda a, b: a * b, (a, b))
    x = tensor([5.0], requires_grad=True)
    f(x, tensor([7.0])).backward()
    assert x.grad.item() == 7
    c = tensor([1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="allow_unused"):
        cuda.make_graphed_callables(lambda a, c: a * 2, (a, c))
    g = cuda.make_graphed_callables(lambda a, c: a * 2, (a, c), allow_unused_input=True)
    unused = tensor([1.0], requires_grad=True)
    g(x, unused).backward()
    assert unused.grad is None


def test_what_saved_an_output_notices_the_next_call():
    f = cuda.make_graphed_callables(
        lambda a: a + a, (tensor([0.0], requires_grad=True),)
    )
    x = tensor([3.0], requires_grad=True)
    y = f(x)
    z = (y * y).sum()
    f(x)
    with pytest.raises(RuntimeError, match="was changed in place"):
        z.backward()


def test_gradients_of_gradients_are_refused():
    f = cuda.make_graphed_callables(square_sum, (tensor([0.0], requires_grad=True),))
    x = tensor([3.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="create_graph"):
        minitorch.autograd.grad(f(x), x, create_graph=True)[0].backward()


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (lambda: tensor([1.0, 2.0]), ValueError, r"captured with shape \(1,\)"),
        (lambda: tensor([1.0], requires_grad=True), ValueError, "without a gradient"),
        (lambda: tensor([1], dtype="int64"), ValueError, "captured with .*float"),
        (lambda: minitorch.tensor([1.0]), ValueError, "cuda"),
        (lambda: 3.0, TypeError, "float as argument 1; need a tensor"),
    ],
)
def test_other_arguments_than_the_samples(value, error, words):
    f = cuda.make_graphed_callables(lambda a: a + a, (tensor([1.0]),))
    with pytest.raises(error, match=words):
        f(value())
    with pytest.raises(ValueError, match=r"2 argument.*captured with 1"):
        f(tensor([1.0]), tensor([1.0]))


@pytest.mark.parametrize(
    ("call", "samples", "named", "error", "words"),
    [
        (3, (), {}, TypeError, "need a function or a module"),
        (square_sum, 3, {}, TypeError, "need a tuple of tensors"),
        (square_sum, (3,), {}, TypeError, "int as sample 1"),
        (square_sum, (minitorch.tensor([1.0]),), {}, ValueError, "on cpu; need cuda"),
        ((square_sum,), (), {}, ValueError, "1 callables"),
        (square_sum, (), {"num_warmup_iters": 0}, ValueError, "at least 1"),
        (square_sum, (), {"num_warmup_iters": True}, TypeError, "need an int"),
        (
            lambda: 3,
            (),
            {},
            TypeError,
            "returned a int; need one tensor on cuda",
        ),
        (lambda: (), (), {}, TypeError, "returned a tuple; need one tensor on cuda"),
        (lambda: minitorch.tensor([1.0]), (), {}, TypeError, "a tensor on cpu; need"),
    ],
)
def test_what_cannot_be_graphed(call, samples, named, error, words):
    with pytest.raises(error, match=words):
        cuda.make_graphed_callables(call, samples, **named)


def test_a_callable_whose_output_differs_from_run_to_run():
    runs = []

    def varies(a):
        runs.append(a)
        return a * 2 if len(runs) % 2 else a.view(1, 1)

    with pytest.raises(RuntimeError, match=r"during capture, but .* in the run before"):
        cuda.make_graphed_callables(varies, (tensor([1.0], requires_grad=True),))
    assert tensor([2.0]).item() == 2


def test_an_error_of_the_callable_is_its_own():
    runs = []

    def fails(a):
        runs.append(a)
        return a / (len(runs) < 4) if len(runs) < 4 else 1 / 0

    with pytest.raises(ZeroDivisionError):  # in the capture, after three runs
        cuda.make_graphed_callables(fails, (tensor([1.0]),))
    assert not cuda.is_current_stream_capturing()
    assert tensor([2.0]).item() == 2


def test_a_callable_that_waits_is_named_by_its_line():
    with pytest.raises(cuda.GraphCaptureError, match=r"test_graphed_callables.py:\d+"):
        cuda.make_graphed_callables(lambda a: a * a.item(), (tensor([1.0]),))
    assert tensor([2.0]).item() == 2


def test_a_result_without_a_gradient():
    f = cuda.make_graphed_callables(
        lambda a: a.argmax(0), (tensor([0.0, 0.0], requires_grad=True),)
    )
    for values in ([1.0, 2.0], [4.0, 3.0]):
        largest = f(tensor(values, requires_grad=True))
        assert largest.item() == int(np.argmax(values))
        assert not largest.requires_grad


def test_a_call_goes_back_before_the_next_one():
    f = cuda.make_graphed_callables(square_sum, (tensor([0.0], requires_grad=True),))
    a = tensor([1.0], requires_grad=True)
    first = f(a)
    first.backward(retain_graph=True)
    with minitorch.no_grad():
        assert not f(a).requires_grad
    with pytest.raises(RuntimeError, match=r"backward.. before the next call"):
        first.backward()


def test_a_sample_that_comes_back():
    f = cuda.make_graphed_callables(lambda a: a, (tensor([0.0], requires_grad=True),))
    x = tensor([2.0], requires_grad=True)
    (3 * f(x)).sum().backward()
    assert x.grad.item() == 3
