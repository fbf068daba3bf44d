"""The tests of what PyTorch's programs ask of modules, parameters and their start.

Expected values are PyTorch's documented behaviour, or follow from a formula.
"""

from __future__ import annotations

import copy
import math
from collections import OrderedDict

import pytest

import minitorch
import minitorch as torch
from minitorch import nn
from minitorch.nn import init
from minitorch.torch import nn as torch_nn


def test_switches_of_cudnn_are_there():
    assert torch.backends.cudnn.enabled is True
    assert torch.backends.cudnn.benchmark is False


def deep(nn=nn):
    return nn.Sequential(
        OrderedDict(
            [
                ("first", nn.Linear(2, 3)),
                ("inner", nn.Sequential(nn.ReLU(inplace=True), nn.Linear(3, 1))),
            ]
        )
    )


def test_names_of_modules_come_outer_first():
    net = deep()
    assert [name for name, _ in net.named_modules()] == [
        "",
        "first",
        "inner",
        "inner.0",
        "inner.1",
    ]
    assert next(iter(net.named_modules()))[1] is net
    assert [name for name, _ in net.named_children()] == ["first", "inner"]
    assert list(net.children()) == net.modules()
    assert net.get_submodule("inner.1") is net.inner[1]
    assert net.get_submodule("") is net
    with pytest.raises(AttributeError, match=r"Sequential has no submodule '2'"):
        net.get_submodule("inner.2")


def test_a_module_that_is_there_twice_counts_once():
    shared = nn.Linear(2, 2)
    net = nn.Sequential(shared, nn.ReLU(), shared)
    assert [name for name, _ in net.named_modules()] == ["", "0", "1"]
    assert [name for name, _ in net.named_parameters()] == ["0.weight", "0.bias"]
    assert list(net.state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]


def test_modes_return_the_module():
    net = deep()
    assert net.eval() is net
    assert not any(module.training for _, module in net.named_modules())
    assert net.train() is net
    assert net.train(False) is net
    assert not net.inner[1].training
    with pytest.raises(ValueError, match="got mode 1; need True or False"):
        net.train(1)


def test_a_module_keeps_its_own_rule_of_training():
    class Frozen(nn.Module):
        def train(self, mode=True):
            return super().train(False)

    net = nn.Sequential(Frozen()).train()
    assert (net.training, net[0].training) == (True, False)


@pytest.mark.parametrize("layers", [nn, torch_nn])
def test_apply_goes_from_the_inside_out(layers):
    seen = []
    net = deep(layers)
    assert net.apply(lambda module: seen.append(type(module).__name__)) is net
    assert seen == ["Linear", "ReLU", "Linear", "Sequential", "Sequential"]


def test_frozen_parameters_get_no_gradient():
    net = deep()
    assert net.first.requires_grad_(False) is net.first
    assert [p.requires_grad for p in net.parameters()] == [False, False, True, True]
    net(minitorch.ones(1, 2)).sum().backward()
    assert [p.grad is None for p in net.parameters()] == [True, True, False, False]
    net.to("float32")  # new tensors, and still frozen
    assert not net.first.weight.value.requires_grad
    net.first.weight.requires_grad = True
    assert net.first.weight.value.requires_grad
    with pytest.raises(TypeError, match="got requires_grad 1; need True or False"):
        net.first.weight.requires_grad_(1)


def test_a_parameter_answers_for_its_value():
    weight = nn.Parameter(minitorch.ones(2, 3), requires_grad=False)
    assert (weight.shape, weight.numel(), weight.device) == ((2, 3), 6, "cpu")
    assert not weight.value.requires_grad
    assert nn.Parameter(weight).value is weight.value
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        weight.nothing  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute '_hidden'"):
        weight._hidden  # noqa: B018
    weight = nn.Parameter(minitorch.ones(2))
    (weight * 2).sum().backward()
    assert weight.grad.numpy().tolist() == [2, 2]
    weight.grad = None
    assert weight.value.grad is None


def test_a_copy_of_a_module_has_parameters_of_its_own():
    net = deep()
    other = copy.deepcopy(net)
    init.zeros_(other.first.weight)
    assert net.first.weight.value.numpy().any()
    assert other.first.weight.requires_grad


def test_a_name_is_of_one_thing():
    net = deep()
    net.spare = None
    net.spare = nn.Linear(1, 1)  # as torchvision's `downsample`
    assert isinstance(net.spare, nn.Linear)
    net.first = None
    assert net.first is None
    assert [name for name, _ in net.named_children()] == ["inner", "spare"]
    net.first = nn.Identity()
    assert isinstance(net.first, nn.Identity)
    net.inner = nn.Parameter(minitorch.ones(1))
    assert [name for name, _ in net.named_children()] == ["first", "spare"]
    del net.spare, net.inner
    assert [name for name, _ in net.named_modules()] == ["", "first"]
    assert net.parameters() == []
    with pytest.raises(AttributeError):
        del net.spare
    with pytest.raises(TypeError, match=r"got int for 'first'; need an nn\.Module or"):
        net.first = 3
    layer = nn.Linear(1, 1)
    with pytest.raises(
        TypeError, match=r"need an nn\.Parameter or None. For new values, use \.wei"
    ):
        layer.weight = minitorch.ones(1, 1)


def test_registering_by_name():
    net = nn.Module()
    net.register_parameter("scale", nn.Parameter(minitorch.ones(2)))
    net.register_parameter("bias", None)
    net.add_module("inner", nn.ReLU())
    net.register_module("nothing", None)
    assert (net.bias, net.nothing) == (None, None)
    assert [name for name, _ in net.named_parameters()] == ["scale"]
    assert net.buffers() == []
    with pytest.raises(
        TypeError, match=r"\[register_parameter\] got Tensor for 'w'; need"
    ):
        net.register_parameter("w", minitorch.ones(1))
    with pytest.raises(
        TypeError, match=r"\[add_module\] got function for 'f'; need an"
    ):
        net.add_module("f", lambda x: x)
    for name in ("", "a.b"):
        with pytest.raises(KeyError, match=r"\[add_module\] got the name"):
            net.add_module(name, nn.ReLU())


def test_reprs():
    class Lines(nn.Module):
        def extra_repr(self):
            return "a=1\nb=2"

    assert repr(nn.AdaptiveAvgPool2d((1, 1))) == (
        "AdaptiveAvgPool2d(output_size=(1, 1))"
    )
    assert repr(nn.ReLU(inplace=True)) == "ReLU(inplace=True)"
    assert repr(Lines()) == "Lines(\n  a=1\n  b=2\n)"
    assert repr(nn.Sequential(nn.Identity())) == "Sequential(\n  (0): Identity()\n)"


def test_sequential_as_a_list():
    net = deep()
    assert net[-1] is net.inner
    assert list(dict(net[:1].named_children())) == ["first"]
    assert net[:1][0] is net.first
    net[0] = nn.Identity()
    assert [name for name, _ in net.named_children()] == ["first", "inner"]
    assert nn.Sequential(nn.ReLU()).append(nn.Tanh())[1](minitorch.zeros(1)).item() == 0
    with pytest.raises(IndexError, match=r"\[Sequential\] got index 2; need -2 to 1"):
        net[2]
    with pytest.raises(
        TypeError, match="got index 'first'; need an integer or a slice"
    ):
        net["first"]
    with pytest.raises(TypeError, match=r"\[Sequential\] got function; need an nn"):
        nn.Sequential(nn.ReLU(), torch.relu)
    with pytest.raises(TypeError, match=r"\[Sequential\] got int; need an nn"):
        net[0] = 3
    with pytest.raises(KeyError, match=r"got the name 'a\.b'"):
        nn.Sequential({"a.b": nn.ReLU()})
    layers = nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.ReLU()])
    assert [type(m).__name__ for m in layers[1:]] == ["Tanh", "ReLU"]
    layers[0] = nn.Identity()
    assert isinstance(layers[0], nn.Identity)
    with pytest.raises(IndexError, match=r"\[ModuleList\] got index 5; need -3 to 2"):
        layers[5]


def test_inplace_is_a_switch():
    x = minitorch.tensor([-2.0, 2.0])
    assert nn.LeakyReLU(0.5, inplace=True)(x) is x
    assert x.numpy().tolist() == [-1, 2]
    for layer, name in ((nn.ReLU, "ReLU"), (nn.SiLU, "SiLU")):
        with pytest.raises(TypeError, match=rf"\[{name}\] got inplace 1; need True or"):
            layer(inplace=1)


# Weights of 400 outputs, 50 inputs and 6 taps: fan_in 300, fan_out 2,400.
SHAPE = (400, 50, 2, 3)
SPREADS = [
    (lambda t: init.uniform_(t, -1, 3), "uniform", 1.0, 2.0),
    (lambda t: init.normal_(t, 2, 0.5), "normal", 2.0, 0.5),
    (init.kaiming_uniform_, "uniform", 0.0, math.sqrt(6 / 300)),
    (
        lambda t: init.kaiming_uniform_(t, a=math.sqrt(5)),
        "uniform",
        0.0,
        1 / math.sqrt(300),
    ),
    (
        lambda t: init.kaiming_normal_(t, mode="fan_out", nonlinearity="relu"),
        "normal",
        0.0,
        math.sqrt(2 / 2400),
    ),
    (
        lambda t: init.kaiming_normal_(t, nonlinearity="tanh"),
        "normal",
        0.0,
        5 / 3 / math.sqrt(300),
    ),
    (init.xavier_uniform_, "uniform", 0.0, math.sqrt(6 / 2700)),
    (lambda t: init.xavier_normal_(t, 2.0), "normal", 0.0, 2 * math.sqrt(2 / 2700)),
]


@pytest.mark.parametrize(("start", "kind", "mean", "spread"), SPREADS)
def test_starts_have_their_spread(start, kind, mean, spread):
    minitorch.manual_seed(3)
    weight = nn.Parameter(minitorch.zeros(*SHAPE, dtype="float32"))
    before = weight.value._storage
    assert start(weight) is weight
    assert weight.value._storage == before  # in place
    assert weight.value.requires_grad
    assert weight.value.is_leaf()
    found = weight.value.detach().numpy().astype("float64")
    deviation = spread / math.sqrt(3) if kind == "uniform" else spread
    assert found.mean() == pytest.approx(mean, abs=0.02 * spread)
    assert found.std() == pytest.approx(deviation, rel=0.02)
    if kind == "uniform":
        assert abs(found - mean).max() <= spread * (1 + 1e-6)
        assert abs(found - mean).max() > 0.99 * spread


def test_constants_start_what_they_are_given():
    layer = nn.Linear(2, 3)
    init.constant_(layer.weight, 0.25)
    init.ones_(layer.bias)
    assert layer(minitorch.ones(1, 2)).detach().numpy().tolist() == [[1.5, 1.5, 1.5]]
    assert init.zeros_(minitorch.ones(2)).numpy().tolist() == [0, 0]
    assert init.normal_(minitorch.zeros(0, 3)).shape == (0, 3)
    assert init.calculate_gain("leaky_relu", 0.2) == 1.3867504905630728


BAD_STARTS = [
    (
        lambda: init.normal_(minitorch.tensor([1], dtype="int64")),
        TypeError,
        r"\[normal_\] got int64; need a floating-point dtype",
    ),
    (
        lambda: init.constant_(minitorch.ones(1), "a"),
        TypeError,
        "got val 'a'; need a number",
    ),
    (
        lambda: init.uniform_(minitorch.ones(1), 2, 1),
        ValueError,
        "got a 2 and b 1; need a <= b",
    ),
    (
        lambda: init.normal_(minitorch.ones(1), 0, -1),
        ValueError,
        "got std -1; need 0 or more",
    ),
    (
        lambda: init.normal_(minitorch.ones(1), math.nan),
        ValueError,
        "got mean nan; need a finite number",
    ),
    (
        lambda: init.kaiming_normal_(minitorch.ones(3)),
        ValueError,
        r"got shape \(3,\); need at least two dim.* Try uniform_",
    ),
    (
        lambda: init.kaiming_normal_(minitorch.ones(3, 2), nonlinearity="gelu"),
        ValueError,
        "got 'gelu'; need one of linear, conv1d",
    ),
    (
        lambda: init.xavier_uniform_(minitorch.ones(3, 2), gain=None),
        TypeError,
        "got gain None; need a number",
    ),
]


@pytest.mark.parametrize(("call", "kind", "told"), BAD_STARTS)
def test_starts_that_are_none(call, kind, told):
    with pytest.raises(kind, match=told):
        call()


def test_to_takes_device_and_dtype_by_name():
    net = deep().to(device="cpu", dtype="float32")
    assert {p.dtype.name for p in net.parameters()} == {"float32"}
    assert {p.dtype.name for p in net.to("cpu", "float64").parameters()} == {"float64"}
    assert net.cpu() is net
