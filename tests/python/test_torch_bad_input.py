"""Bad input to PyTorch's face: each function gives a typed error in words.

Kinds of errors are PyTorch's where scripts catch them: RuntimeError for shapes that do
not fit, IndexError for dims, TypeError for arguments that are no tensors.
"""

from __future__ import annotations

import copy
import gc
import pickle
import random
from typing import Any

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch
import minitorch.torch.nn.functional as F
from minitorch.torch import nn, optim

EXPECTED = (
    ValueError,
    TypeError,
    IndexError,
    RuntimeError,
    KeyError,
    MemoryError,
    BufferError,
    AssertionError,  # as PyTorch's layers and data sets assert
)
MODULES = (
    torch,
    torch.linalg,
    nn,
    F,
    nn.init,
    nn.utils,
    optim,
    optim.lr_scheduler,
    torch.utils.data,
    torch.autograd,
)
# State of the whole process, files, and what calls the function that it is given.
LEFT_OUT = {
    "gradcheck",
    "gradgradcheck",
    "load",
    "manual_seed",
    "save",
    "seed",
    "set_default_device",
    "set_default_dtype",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_printoptions",
    "set_rng_state",
}
NOT_METHODS = set(dir(object)) | {"__setstate__"}


def odd_values() -> list[Any]:
    return [
        None, "a", "", 3, -5, 0, 2**70, 1.5, float("nan"), True, [], [1, 2], (0,),
        (1, -1), {}, object(), slice(None), np.ones((2, 3)), lambda *values: values,
        torch.tensor(2.0), torch.zeros(0), torch.zeros(0, 3), torch.ones(2, 3),
        torch.ones(3, 2, dtype=torch.float64), torch.ones(2, 3, dtype=torch.int64),
        torch.ones(2, 3, dtype=torch.bool), torch.zeros([1] * 8), torch.float32,
        torch.ones(2, 3, 4, 5, requires_grad=True), minitorch.ones(2, 3),
    ]  # fmt: skip


def _is_of(module: Any, value: Any) -> bool:
    return getattr(value, "__module__", "") == module.__name__


def public_callables() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in sorted(set(dir(torch.Tensor)) - NOT_METHODS - LEFT_OUT):
        method = getattr(torch.Tensor, name)
        if callable(method) and not name.startswith("_"):
            found[f"Tensor.{name}"] = method
    for module in MODULES:
        own = [n for n in dir(module) if _is_of(module, getattr(module, n))]
        for name in sorted(getattr(module, "__all__", own)):
            value = getattr(module, name)
            is_ours = getattr(value, "__module__", "").startswith("minitorch.")
            if name[0] != "_" and name not in LEFT_OUT and is_ours and callable(value):
                found[f"{module.__name__}.{name}"] = value
    return found


CALLABLES = public_callables()


def calls(name: str) -> list[tuple[Any, ...]]:
    """Each value alone, each behind a tensor, and combinations: the same each time."""
    values, draw = odd_values(), random.Random(name)
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    made: list[tuple[Any, ...]] = [()] + [(value,) for value in values]
    made += [(draw.choice(tensors), value) for value in values]
    for length in (2, 3, 4):
        for _ in range(3):
            rest = [draw.choice(values) for _ in range(length - 1)]
            made.append((draw.choice(tensors), *rest))
            made.append((draw.choice(values), *rest))
    if not name.startswith("Tensor."):
        return made
    return [call for call in made if call and isinstance(call[0], torch.Tensor)]


def kind(value: Any) -> str:
    is_tensor = isinstance(value, torch.Tensor)
    return f"{value.dtype}{tuple(value.shape)}" if is_tensor else repr(value)[:40]


@pytest.mark.filterwarnings("ignore")  # of NumPy, about the odd values
@pytest.mark.parametrize("name", CALLABLES)
def test_odd_arguments_give_a_result_or_an_expected_error(name):
    wrong = []
    for call in calls(name):
        try:
            CALLABLES[name](*call)
        except EXPECTED as error:
            if "SystemError" in str(error) or not str(error):
                wrong.append(f"({', '.join(map(kind, call))}): no words")
        except Exception as error:
            shown = ", ".join(map(kind, call))
            wrong.append(f"({shown}): {type(error).__name__}: {error}")
    assert not wrong, "\n".join(wrong[:5])
    assert (torch.ones(2, 3) + 1).sum().item() == 12  # the next call works


def x() -> Any:
    return torch.ones(2, 3)


def leaf() -> Any:
    return torch.ones(2, 3, requires_grad=True)


def within_itself() -> Any:
    made: list[Any] = []
    made.append(made)
    return made


# What is called, PyTorch's kind of error, words of its message.
WRONG: list[tuple[Any, Any, str]] = [
    (lambda: x() + torch.ones(4), RuntimeError, "dim -1 has 3 and 4"),
    (lambda: x().add_(torch.ones(4)), RuntimeError, "(4,)"),
    (lambda: x() @ x(), RuntimeError, "inner sizes"),
    (lambda: x().view(4), RuntimeError, "(2, 3)"),
    (lambda: torch.cat([x(), torch.ones(3, 2)]), RuntimeError, "(3, 2)"),
    (lambda: torch.stack([x(), torch.ones(3, 2)]), RuntimeError, "(3, 2)"),
    (lambda: nn.Linear(4, 2)(x()), RuntimeError, "4"),
    (lambda: nn.Linear(4, -5), RuntimeError, "-5"),
    (lambda: nn.Linear("a", 2), TypeError, "'a'"),
    (lambda: nn.Embedding(-1, 2), RuntimeError, "-1"),
    (lambda: x().sum(5), IndexError, "-2 to 1"),
    (lambda: x().sum(True), TypeError, "dim True"),
    (lambda: x().sum("a"), TypeError, "'a'"),
    (lambda: torch.softmax(x(), "a"), TypeError, "'a'"),
    (lambda: x()[7], IndexError, "need -2 to 1"),
    (lambda: torch.zeros_like(None), TypeError, "NoneType"),
    (lambda: torch.topk(x(), "a"), TypeError, "k 'a'"),
    (lambda: x().narrow(1, object(), 1), TypeError, "integer"),
    (lambda: x().select(0, 2.5), TypeError, "2.5"),
    (lambda: x().chunk({}), TypeError, "chunks {}"),
    (lambda: torch.roll(x(), x()), TypeError, "help()"),
    (lambda: torch.nan_to_num(x(), posinf=object()), TypeError, "posinf=object"),
    (lambda: torch.sum(x(), foo=1), TypeError, "foo"),
    (lambda: torch.tensor([True]) ** torch.tensor([True]), RuntimeError, "torch.bool"),
    (lambda: torch.tensor([1]) // 0, RuntimeError, "ZeroDivisionError"),
    (lambda: torch.tensor([1]) % 0, RuntimeError, "divisor 0"),
    (lambda: 1 % torch.tensor([0]), RuntimeError, "divisor 0"),
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
    (lambda: (leaf() * 2).backward(), RuntimeError, "one element"),
]


@pytest.mark.parametrize("row", range(len(WRONG)))
def test_wrong_input_is_an_error_of_pytorchs_kind(row):
    call, error, text = WRONG[row]
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_by_floats_integers_are_divided_as_ever():
    k = torch.tensor([5, -5])
    assert (k // 2).tolist() == [2, -3]
    assert (k % 3).tolist() == [2, 1]
    assert (7 // k).tolist() == [1, -2]
    assert torch.isinf(k // 0.0).all()


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


@pytest.mark.parametrize("kind", ["ValueError", "TypeError", "IndexError"])
def test_errors_of_both_kinds_are_found_by_name(kind):
    made = minitorch._core.fit_error(kind, "[here] got it")
    assert isinstance(made, RuntimeError)
    assert kind in [each.__name__ for each in type(made).__mro__[1:]]
    with pytest.raises(ValueError, match="KeyError"):
        minitorch._core.fit_error("KeyError", "[here]")


def test_a_gradient_is_set_and_deleted():
    w = leaf()
    w.grad = torch.full((2, 3), 2.0)
    assert w.grad.sum().item() == 12
    del w.grad
    assert w.grad is None


def network_step() -> Any:
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
    adam, images = optim.Adam(net.parameters()), torch.randn(4, 1, 4, 4)
    labels = torch.tensor([0, 1, 2, 0])

    def step() -> None:
        adam.zero_grad()
        F.cross_entropy(net(images), labels).backward()
        adam.step()

    return step


def recurrent_step() -> Any:
    net = nn.LSTM(3, 4)
    sgd, rows = optim.SGD(net.parameters(), lr=0.1, momentum=0.9), torch.randn(5, 2, 3)

    def step() -> None:
        sgd.zero_grad()
        net(rows)[0].sum().backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        sgd.step()

    return step


def hooked_step() -> Any:
    net = nn.Linear(3, 2)

    def step() -> None:
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

    def count() -> int:
        for _ in range(60):
            step()
        gc.collect()
        return sum(1 for each in gc.get_objects() if type(each) is not tuple)

    count()
    before = count()
    assert count() - before < 60  # less than one a step
