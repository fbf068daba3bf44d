"""Bad input to PyTorch's face: each function gives a typed error in words.

Kinds of errors are PyTorch's where scripts catch them: RuntimeError for shapes that do
not fit, IndexError for dims, TypeError for arguments that are no tensors.
"""

from __future__ import annotations

import copy
import gc
import pickle

import pytest

import minitorch
import minitorch.torch as torch
import minitorch.torch.nn.functional as F
from minitorch.torch import nn, optim


def x():
    return torch.ones(2, 3)


def leaf():
    return torch.ones(2, 3, requires_grad=True)


def within_itself():
    made = []
    made.append(made)
    return made


# What is called, PyTorch's kind of error, words of its message.
WRONG = [
    (lambda: x() + torch.ones(4), RuntimeError, "dimension -1 has sizes 3 and 4"),
    (lambda: x().add_(torch.ones(4)), RuntimeError, "(4,)"),
    (lambda: torch.cat([x(), torch.ones(3, 2)]), RuntimeError, "(3, 2)"),
    (lambda: torch.stack([x(), torch.ones(3, 2)]), RuntimeError, "(3, 2)"),
    (lambda: nn.Linear(4, 2)(x()), RuntimeError, "4"),
    (lambda: nn.Linear(4, -5), RuntimeError, "-5"),
    (lambda: nn.Linear("a", 2), TypeError, "'a'"),
    (lambda: nn.Embedding(-1, 2), RuntimeError, "-1"),
    (lambda: x().sum(True), TypeError, "dim True"),
    (lambda: torch.zeros_like(None), TypeError, "NoneType"),
    (lambda: torch.topk(x(), "a"), TypeError, "k 'a'"),
    (lambda: x().select(0, 2.5), TypeError, "2.5"),
    (lambda: torch.sum(x(), foo=1), TypeError, "foo"),
    (lambda: torch.tensor([True]) ** torch.tensor([True]), RuntimeError, "torch.bool"),
    (lambda: torch.tensor([1]) // 0, RuntimeError, "ZeroDivisionError"),
    (lambda: torch.tensor([1]) % 0, RuntimeError, "division by zero"),
    (lambda: 1 % torch.tensor([0]), RuntimeError, "division by zero"),
    (lambda: torch.tensor([1]).fmod(torch.tensor([0])), RuntimeError, "[fmod]"),
    (lambda: torch.device("cuda", -5), RuntimeError, "-5"),
    (lambda: torch.device("cuda", "a"), TypeError, "'a'"),
    (lambda: torch.tensor(within_itself()), ValueError, "[tensor]"),
    (lambda: torch.eye(10**9), MemoryError, "bytes"),
    (lambda: torch.zeros(2**62), RuntimeError, "2**62"),
    (lambda: setattr(leaf(), "grad", torch.ones(5)), RuntimeError, "(5,)"),
    (lambda: setattr(leaf(), "grad", "a"), TypeError, "str"),
    (lambda: setattr(leaf(), "grad", minitorch.ones(2, 3)), TypeError, "minitorch"),
    (
        lambda: nn.Module().register_buffer("a", minitorch.ones(2)),
        TypeError,
        "as_torch",
    ),
    (lambda: optim.SGD([leaf()], lr="a"), TypeError, "lr 'a'"),
    (lambda: torch.ones(2) + minitorch.ones(2), TypeError, "one dialect"),
    (lambda: leaf().add_(1), RuntimeError, "leaf"),
    (lambda: (leaf() * 2).backward(), RuntimeError, "a gradient of that shape"),
]


@pytest.mark.parametrize("row", range(len(WRONG)))
def test_wrong_input_is_an_error_of_pytorchs_kind(row):
    call, error, text = WRONG[row]
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.parametrize("module", [minitorch, torch])
def test_what_does_not_fit_is_caught_as_a_runtime_error_too(module):
    with pytest.raises(RuntimeError) as caught:
        module.ones(2, 3) + module.ones(4)
    error = caught.value
    of_torch = module is torch
    assert type(error).__name__ == ("RuntimeError" if of_torch else "ValueError")
    assert isinstance(error, ValueError) is not of_torch
    for made in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(made) is type(error)
        assert made.args == error.args


def network_step():
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
    adam, images = optim.Adam(net.parameters()), torch.randn(4, 1, 4, 4)
    labels = torch.tensor([0, 1, 2, 0])

    def step():
        adam.zero_grad()
        F.cross_entropy(net(images), labels).backward()
        adam.step()

    return step


def recurrent_step():
    net = nn.LSTM(3, 4)
    sgd, rows = optim.SGD(net.parameters(), lr=0.1, momentum=0.9), torch.randn(5, 2, 3)

    def step():
        sgd.zero_grad()
        net(rows)[0].sum().backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        sgd.step()

    return step


def hooked_step():
    net = nn.Linear(3, 2)

    def step():
        w = leaf()
        y = w * 2
        y.register_hook(lambda g: g + y.detach())  # a cycle through the graph
        hook = net.register_forward_hook(lambda *given: given[2] * 1)
        (net(y).sum() + w[0, 1]).backward()
        hook.remove()
        net.load_state_dict(net.state_dict())
        nn.Parameter(torch.ones(2))
        for wrong in (lambda: x() + torch.ones(4), lambda: torch.topk(x(), "a")):
            with pytest.raises((RuntimeError, TypeError)):
                wrong()

    return step


@pytest.mark.parametrize("make", [network_step, recurrent_step, hooked_step])
def test_steps_leave_no_objects_behind(make):
    step = make()

    def count():
        for _ in range(60):
            step()
        gc.collect()
        return sum(1 for each in gc.get_objects() if type(each) is not tuple)

    count()
    before = count()
    assert count() - before < 60  # less than one a step


def test_by_floats_integers_are_divided_as_ever():
    k = torch.tensor([5, -5])
    assert (k // 2).tolist() == [2, -3]
    assert (k % 3).tolist() == [2, 1]
    assert (7 // k).tolist() == [1, -2]
    assert torch.isinf(k // 0.0).all()


def test_a_gradient_is_set_and_deleted():
    w = leaf()
    w.grad = torch.full((2, 3), 2.0)
    assert w.grad.sum().item() == 12
    del w.grad
    assert w.grad is None
