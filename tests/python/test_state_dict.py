"""The tests of buffers, state dicts and moving a module."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import nn

from .tensors import need


def network():
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))


def test_a_state_is_a_copy_that_another_module_takes():
    minitorch.manual_seed(1)
    first, second = network(), network()
    x = minitorch.rand(5, 3)
    first(x)  # moves the running statistics
    state = first.state_dict()
    second.load_state_dict(state)
    first.eval()
    second.eval()
    np.testing.assert_array_equal(first(x).numpy(), second(x).numpy())
    assert dict(second.named_buffers())["1.num_batches_tracked"].item() == 1
    for value in state.values():
        assert not value.requires_grad
    with minitorch.no_grad():  # no memory is shared
        state["0.bias"]._assign(state["0.bias"] + 1)
        second.modules()[0].bias.value._assign(state["0.bias"] * 0)
    assert first.modules()[0].bias.value.numpy().any()


def test_arrays_of_another_dtype_are_converted():
    layer = nn.Linear(2, 1, dtype="float32")
    layer.load_state_dict({"weight": np.array([[1.5, 2]]), "bias": np.array([3])})
    assert layer.weight.value.dtype == minitorch.float32
    assert layer.weight.value.requires_grad
    assert layer(minitorch.ones(1, 2, dtype="float32")).item() == 6.5


def test_what_does_not_fit_changes_nothing():
    net = network()
    before = {k: v.numpy().copy() for k, v in net.state_dict().items()}
    state = net.state_dict()
    wrong = {**state, "extra": state["0.bias"]}
    del wrong["2.bias"]
    with pytest.raises(KeyError, match=r"missing \['2.bias'\], unexpected \['extra'\]"):
        net.load_state_dict(wrong)
    zeros = {k: v * 0 for k, v in state.items()}
    with pytest.raises(ValueError, match=r"'2.bias' has shape \(3,\); need \(2,\)"):
        net.load_state_dict({**zeros, "2.bias": minitorch.zeros(3)})
    with pytest.raises(
        TypeError, match=r"got list for '0.bias'; need a tensor or a Num"
    ):
        net.load_state_dict({**zeros, "0.bias": [0.0] * 4})
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), before[name])
    net.load_state_dict({"2.bias": minitorch.ones(2), "extra": 0}, strict=False)
    assert net.modules()[2].bias.value.numpy().tolist() == [1, 1]


def test_buffers():
    module = minitorch.Module()
    module.register_buffer("kept", minitorch.zeros(2))
    module.register_buffer("passing", minitorch.zeros(3), persistent=False)
    module.register_buffer("none", None)
    assert list(module.state_dict()) == ["kept"]
    module.kept = minitorch.ones(2)
    assert module.state_dict()["kept"].numpy().tolist() == [1, 1]
    assert [name for name, _ in module.named_buffers()] == ["kept", "passing"]
    assert module.parameters() == []
    for name in ("a.b", "", "training"):
        with pytest.raises(KeyError, match=r"\[register_buffer\] .*name"):
            module.register_buffer(name, minitorch.zeros(1))


def test_to_another_dtype_leaves_integers():
    net = network().to("float32")
    assert {p.value.dtype.name for p in net.parameters()} == {"float32"}
    assert all(p.value.requires_grad for p in net.parameters())
    kinds = {name: b.dtype.name for name, b in net.named_buffers()}
    assert kinds["1.running_var"] == "float32"
    assert kinds["1.num_batches_tracked"] == "int64"


@pytest.mark.cuda
def test_to_another_device_and_back():
    need("cuda")
    net = network()
    x = minitorch.rand(5, 3)
    net.eval()
    here = net(x).numpy()
    there = net.to("cuda")(x.to("cuda"))
    assert there.device == "cuda"
    np.testing.assert_allclose(there.numpy(), here, rtol=1e-12)
    state = net.state_dict()
    assert {v.device for v in state.values()} == {"cuda"}
    fresh = network()
    fresh.load_state_dict(state)
    fresh.eval()
    np.testing.assert_allclose(fresh(x).numpy(), here, rtol=1e-15)


def test_a_state_keeps_bfloat16():
    layer = nn.Linear(3, 2, dtype="bfloat16")
    state = layer.state_dict()
    assert {each.dtype for each in state.values()} == {minitorch.bfloat16}
    state["bias"][0] = 7
    assert layer.bias.value[0] != 7
