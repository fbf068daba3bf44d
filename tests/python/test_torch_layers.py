"""PyTorch's layers: what they print and keep, and what differs from minitorch.nn's."""

from __future__ import annotations

import warnings
from collections import OrderedDict

import pytest

import minitorch
import minitorch.torch as torch
import minitorch.torch.nn.functional as F
from minitorch.torch import nn


def test_devices_and_dtypes_of_layers():
    layer = nn.Linear(2, 1, device=torch.device("cpu"), dtype=torch.float64)
    assert layer.weight.dtype is torch.float64
    torch.set_default_dtype(torch.float64)
    try:
        assert nn.Conv2d(1, 1, 1).weight.dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_layers_refuse_the_other_dialect():
    for layer in (nn.Linear(2, 1), nn.ReLU(), nn.Flatten(), nn.Softmax(0)):
        with pytest.raises(TypeError, match=r"need a torch\.Tensor"):
            layer(minitorch.ones(1, 2))
        with pytest.raises(TypeError, match=r"need a torch\.Tensor"):
            layer([1.0])


def test_inplace_changes_the_input_and_keeps_gradients():
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    h = x * 3
    out = nn.ReLU(inplace=True)(h)
    assert out is h
    assert h.tolist() == [0, 6]
    (out * out).sum().backward()
    assert x.grad.tolist() == [0, 36]
    with pytest.raises(RuntimeError, match="leaf"):
        F.relu(x, inplace=True)
    y = torch.tensor([-1.0, 2.0])
    assert F.leaky_relu(y, 0.5, inplace=True) is y
    assert y.tolist() == [-0.5, 2]
    assert F.silu(y, inplace=True) is y
    assert F.dropout(y, 0.0, inplace=True) is y


@pytest.mark.parametrize("look", ["detach()", "view(2)", "numpy()", "[:1]"])
def test_inplace_shows_in_all_that_share_the_memory(look):
    x = torch.tensor([-1.0, 2.0])
    seen = eval(f"x.{look}".replace(".[", "["))
    F.relu(x, inplace=True)
    assert seen[0].item() == 0
    h = torch.tensor([-1.0, 2.0], requires_grad=True) * 1
    seen = h.detach()
    F.leaky_relu(h, 0.5, inplace=True).sum().backward()
    assert seen.tolist() == [-0.5, 2]


def test_inplace_on_what_a_gradient_needs_is_refused():
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    h = torch.sigmoid(x)  # whose gradient needs its result
    F.relu(h, inplace=True)
    with pytest.raises(RuntimeError, match="was changed in place"):
        h.sum().backward()


def test_starting_anew():
    torch.manual_seed(0)
    for layer in (nn.Linear(3, 2), nn.Conv2d(2, 2, 3), nn.Embedding(4, 3, 1)):
        weight, before = layer.weight, layer.weight.detach().clone()
        layer.reset_parameters()
        assert layer.weight is weight
        assert (weight != before).any()
    assert layer.weight[1].tolist() == [0, 0, 0]
    norm = nn.BatchNorm1d(2)
    norm(torch.rand(3, 2))
    norm.reset_parameters()
    assert norm.running_mean.tolist() == [0, 0]
    assert norm.num_batches_tracked.item() == 0


def test_batch_norm_without_a_bias():
    norm = nn.BatchNorm2d(3, bias=False)
    assert norm.bias is None
    assert norm(torch.rand(2, 3, 2, 2)).shape == (2, 3, 2, 2)
    plain = nn.BatchNorm2d(3, track_running_stats=False).eval()
    assert plain.running_mean is None
    assert plain(torch.rand(2, 3, 2, 2)).shape == (2, 3, 2, 2)
    assert list(plain.state_dict()) == ["weight", "bias"]


def test_embeddings():
    table = torch.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    layer = nn.Embedding.from_pretrained(table.clone())
    assert layer(torch.tensor([1])).tolist() == table[1:2].tolist()
    with pytest.raises(TypeError, match=r"\[Embedding\] .*'max_norm'"):
        nn.Embedding(3, 1, max_norm=1.0)
    with pytest.raises(AssertionError, match="padding_idx"):
        nn.Embedding(3, 1, padding_idx=3)
    assert nn.Embedding(3, 1, padding_idx=-1).padding_idx == 2


def test_sequentials():
    net = nn.Sequential(OrderedDict([("in", nn.Linear(2, 3)), ("act", nn.ReLU())]))
    assert list(net.state_dict()) == ["in.weight", "in.bias"]
    assert type(net[:1]) is nn.Sequential
    net = nn.Sequential(nn.ReLU())
    net.append(nn.Tanh()).extend([nn.Sigmoid()]).insert(0, nn.Identity())
    kinds = [type(each).__name__ for each in net]
    assert kinds == ["Identity", "ReLU", "Tanh", "Sigmoid"]
    assert type(net.pop(1)) is nn.ReLU
    del net[0]
    assert list(net._modules) == ["0", "1"]
    assert len(net + net) == 4


def test_lists_and_dictionaries_of_modules():
    row = nn.ModuleList([nn.ReLU()])
    row += [nn.Tanh()]
    row.insert(1, nn.Identity())
    assert [type(each).__name__ for each in row[1:]] == ["Identity", "Tanh"]
    del row[0]
    assert len(row) == 2
    with pytest.raises(NotImplementedError):
        row(torch.ones(1))
    named = nn.ModuleDict([["a", nn.ReLU()]])
    named["b"] = nn.Linear(1, 1)
    named.update({"c": nn.Tanh()})
    assert list(named.keys()) == ["a", "b", "c"]
    assert "b" in named
    assert type(named.pop("a")) is nn.ReLU
    assert len(named) == 2
    with pytest.raises(KeyError):
        _ = named["a"]
    with pytest.raises(TypeError, match=r"nn\.Module"):
        named["d"] = 3
    named.clear()
    assert not len(named)


@pytest.mark.parametrize("cls", [nn.MSELoss, nn.L1Loss])
def test_losses_of_two_shapes_warn(cls):
    with pytest.warns(UserWarning, match="broadcast"):
        loss = cls()(torch.ones(5, 1), torch.zeros(5))
    assert loss.item() == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(RuntimeError, match="cannot be broadcast"):
            cls()(torch.ones(5), torch.zeros(4))


def test_unknown_words_for_reductions():
    x, y = torch.ones(2), torch.zeros(2)
    with pytest.raises(ValueError, match="'none', 'mean' or 'sum'"):
        F.mse_loss(x, y, reduction="avg")


def test_softmax_without_a_dim_warns():
    with pytest.warns(UserWarning, match="dim="):
        out = nn.Softmax()(torch.zeros(2, 4))
    assert out[0].tolist() == [0.25] * 4
    assert F.softmax(torch.tensor(3.0), dim=0).item() == 1
    assert F.softmax(torch.tensor([1, 1]), 0, dtype=torch.float32).tolist() == [0.5] * 2
    with pytest.raises(RuntimeError, match="floating"):
        F.softmax(torch.tensor([1, 1]), 0)


def test_where_pytorch_keeps_its_layers():
    from minitorch.torch.nn.modules.conv import Conv2d

    assert Conv2d is nn.Conv2d
    assert nn.modules.Linear is nn.Linear
    assert nn.init._calculate_fan_in_and_fan_out(torch.empty(3, 5, 2)) == (10, 6)
