"""PyTorch's Module: what it keeps, moves, saves and tells, and its hooks."""

from __future__ import annotations

import copy
import gc
import pickle
import warnings

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch
from minitorch.torch import nn


def tensor(values, dtype="float32"):
    return minitorch.tensor(values, dtype=dtype).as_torch()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.act = nn.ReLU()
        self.last = nn.Linear(4, 2, bias=False)
        self.register_buffer("steps", tensor([0.0]))
        self.register_buffer("passing", tensor([1.0]), persistent=False)

    def forward(self, x):
        return self.last(self.act(self.first(x)))


def test_parameters_are_tensors_of_their_own_class():
    x = tensor([1.0, 2.0])
    kept = nn.Parameter(x)
    assert isinstance(kept, torch.Tensor)
    assert kept.requires_grad
    assert not x.requires_grad
    assert type(kept + 1) is torch.Tensor
    assert type(kept.detach()) is torch.Tensor
    assert not nn.Parameter(x, requires_grad=False).requires_grad
    assert kept.value is kept
    assert repr(kept).startswith("Parameter containing:\ntensor([1., 2.]")
    for made in (
        copy.copy(kept),
        copy.deepcopy(kept),
        pickle.loads(pickle.dumps(kept)),
    ):
        assert type(made) is nn.Parameter
        assert made.requires_grad
        np.testing.assert_array_equal(made.detach().numpy(), [1, 2])


@pytest.mark.parametrize("wrong", [3.0, [1.0], minitorch.ones(2)])
def test_what_cannot_be_a_parameter(wrong):
    with pytest.raises(TypeError, match="need"):
        nn.Parameter(wrong)


def test_integers_learn_nothing():
    with pytest.raises(RuntimeError, match="floating"):
        nn.Parameter(tensor([1], "int64"))
    kept = nn.Parameter(tensor([1], "int64"), requires_grad=False)
    assert not kept.requires_grad


def test_shared_modules_and_parameters_count_once():
    net = nn.Sequential(nn.Linear(2, 2))
    net.append(net[0])
    assert len(list(net.parameters())) == 2
    assert len(list(net.named_parameters(remove_duplicate=False))) == 4
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_members_are_found_by_their_names():
    net = Net()
    assert list(net.state_dict()) == [
        "steps",
        "first.weight",
        "first.bias",
        "last.weight",
    ]
    assert net.get_parameter("first.bias") is net.first.bias
    assert net.last.bias is None
    assert "bias" in net.last._parameters
    with pytest.raises(AttributeError, match="nothere"):
        net.get_parameter("first.nothere")


def test_assignments():
    net = Net()
    with pytest.raises(TypeError, match="Parameter or None"):
        net.first.weight = tensor([[1.0]])
    with pytest.raises(TypeError, match="Module or None"):
        net.act = tensor([1.0])
    with pytest.raises(TypeError, match=r"Try torch\.nn\.ReLU"):
        net.act = minitorch.nn.ReLU()
    net.steps = tensor([5.0])
    assert net.state_dict()["steps"].item() == 5
    net.note = "any"
    net.first.bias = None
    assert list(net.first.state_dict()) == ["weight"]
    assert net.first(tensor([[1.0, 2.0, 3.0]])).shape == (1, 4)
    del net.act
    with pytest.raises(AttributeError, match="act"):
        _ = net.act
    net.extra = nn.Buffer(tensor([2.0]))
    assert "extra" in net.state_dict()
    with warnings.catch_warnings():  # once in a process: nothing is compiled here
        warnings.simplefilter("ignore", UserWarning)
        assert net.compile() is None


def test_a_tensor_may_stand_where_a_parameter_was():
    layer = nn.Linear(2, 1, bias=False)
    weight = layer.weight
    del layer.weight
    layer.weight = weight * 2
    assert layer(tensor([[1.0, 1.0]])).requires_grad


def test_before_super_init():
    class Early(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(1, 1)

    with pytest.raises(AttributeError, match="super"):
        Early()


@pytest.mark.parametrize(
    ("name", "error"), [("a.b", KeyError), ("", KeyError), (3, TypeError)]
)
def test_names_that_cannot_be(name, error):
    net = nn.Module()
    for register in (net.register_buffer, net.register_parameter, net.add_module):
        with pytest.raises(error):
            register(name, None)
    net.taken = 3
    with pytest.raises(KeyError, match="taken"):
        net.register_buffer("taken", None)


def test_moving_keeps_the_parameters():
    net = Net()
    before = list(net.parameters())
    net(tensor([[1.0, 2.0, 3.0]])).sum(None, False).backward()
    assert net.double() is net
    assert all(a is b for a, b in zip(before, net.parameters(), strict=True))
    assert net.steps.dtype == "float64"
    assert before[0].grad.dtype == "float64"
    assert net.half().first.weight.dtype == "float16"
    assert net.to(tensor([1.0])).first.weight.dtype == "float32"
    assert net.to("cpu", dtype=torch.bfloat16).steps.dtype == "bfloat16"
    with pytest.raises(TypeError, match="floating"):
        net.to(torch.int64)
    with pytest.raises(TypeError, match="got no arguments"):
        net.to()


@pytest.mark.cuda
def test_moving_to_the_device():
    net = Net().cuda()
    assert {p.device.type for p in net.parameters()} == {"cuda"}
    x = tensor([[1.0, 2.0, 3.0]]).to("cuda")
    net(x).sum(None, False).backward()
    grad = net.last.weight.grad
    assert net.cpu().last.weight.grad.device == "cpu"
    np.testing.assert_array_equal(net.last.weight.grad.numpy(), grad.to("cpu").numpy())


def test_state_dicts_share_memory_and_load_in_place():
    a, b = Net(), Net()
    state = a.state_dict()
    weight = b.first.weight
    assert repr(b.load_state_dict(state)) == "<All keys matched successfully>"
    assert b.first.weight is weight
    np.testing.assert_array_equal(
        weight.detach().numpy(), state["first.weight"].numpy()
    )
    state["steps"].fill_(7)
    assert a.steps.item() == 7
    assert a.state_dict(keep_vars=True)["first.bias"] is a.first.bias
    assert list(a.first.state_dict(prefix="one.")) == ["one.weight", "one.bias"]


def test_state_dicts_that_do_not_fit():
    net = Net()
    state = dict(net.state_dict())
    state["other"] = state.pop("steps")
    with pytest.raises(RuntimeError) as caught:
        net.load_state_dict(state)
    assert "missing: steps" in str(caught.value)
    assert "unexpected: other" in str(caught.value)
    found = net.load_state_dict(state, strict=False)
    assert (found.missing_keys, found.unexpected_keys) == (["steps"], ["other"])
    state["first.weight"] = tensor([1.0])
    with pytest.raises(RuntimeError, match=r"got shape \(1,\); need \(4, 3\)"):
        net.load_state_dict(state, strict=False)
    with pytest.raises(TypeError, match=r"as state_dict\(\)"):
        net.load_state_dict([1])


def test_assign_takes_the_tensors_themselves():
    net = nn.Linear(2, 1, bias=False)
    wide = tensor([[1.0, 2.0]], "float64")
    net.load_state_dict({"weight": wide}, assign=True)
    assert net.weight.dtype == "float64"
    assert isinstance(net.weight, nn.Parameter)


def test_forward_hooks():
    layer = nn.Identity()
    told = []
    first = layer.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    second = layer.register_forward_hook(
        lambda module, args, out: told.append(args[0].item()) or out * 10
    )
    assert layer(tensor([1.0])).item() == 20
    assert told == [2]
    first.remove()
    assert layer(tensor([1.0])).item() == 10
    second.remove()
    assert layer(tensor([1.0])).item() == 1
    with pytest.raises(TypeError, match="function"):
        layer.register_forward_hook(3)


@pytest.mark.parametrize(
    "name", ["register_full_backward_hook", "get_extra_state", "to_empty"]
)
def test_what_modules_cannot_is_said_in_a_sentence(name):
    words = rf"nn\.Module\.{name} is in PyTorch but not in minitorch; "
    with pytest.raises(AttributeError, match=words):
        getattr(Net(), name)


def test_the_first_object_of_a_class_may_be_met_by_a_collection():
    thresholds = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        for number in range(20):
            kind = type(f"Parameter{number}", (nn.Parameter,), {})
            assert kind(torch.ones(2)).sum().item() == 2
    finally:
        gc.set_threshold(*thresholds)
