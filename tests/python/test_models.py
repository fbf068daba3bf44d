"""The tests of whole networks: torchvision's names and sizes, and their weights.

Numbers of parameters, entries and multiply-adds are those of torchvision's documents.
"""

from __future__ import annotations

import math
from functools import cache, partial

import numpy as np
import pytest

import minitorch
from minitorch import functional, models
from minitorch.models import BasicBlock, Bottleneck, LeNet5, ResNet, lenet5

F32 = {"dtype": "float32"}
SMALL = partial(ResNet, BasicBlock, (1, 1, 1, 1), num_classes=3, **F32)


@cache
def network(name):
    return getattr(models, name)(**F32)


def parameters(net):
    return sum(p.numel() for p in net.parameters())


@pytest.mark.parametrize(
    ("name", "count", "entries"),
    [
        ("resnet18", 11_689_512, 122),
        ("resnet50", 25_557_032, 320),
    ],
)
def test_sizes_are_torchvisions(name, count, entries):
    net = network(name)
    assert parameters(net) == count
    state = net.state_dict()
    assert len(state) == entries
    # One batch norm follows each convolution; it has two parameters and three buffers.
    convolutions = [k for k, v in state.items() if len(v.shape) == 4]
    assert entries == 6 * len(convolutions) + 2
    assert state["bn1.num_batches_tracked"].dtype.name == "int64"


def test_names_of_basic_blocks_are_torchvisions():
    basic = models.resnet18(**F32).state_dict()
    assert "layer1.0.downsample.0.weight" not in basic
    assert basic["layer2.0.downsample.0.weight"].shape == (128, 64, 1, 1)
    assert basic["layer4.1.conv2.weight"].shape == (512, 512, 3, 3)


@pytest.fixture
def macs(monkeypatch):
    """Multiply-adds of what runs, by kind: outputs times the inputs of each."""
    counts = {"conv": 0, "linear": 0}
    convolve, multiply = functional.conv2d, minitorch.Tensor.__matmul__

    def conv2d(input, weight, *rest):
        out = convolve(input, weight, *rest)
        counts["conv"] += out.numel() * math.prod(weight.shape[1:])
        return out

    def matmul(self, other):
        out = multiply(self, other)
        counts["linear"] += out.numel() * other.shape[0]
        return out

    monkeypatch.setattr(functional, "conv2d", conv2d)
    monkeypatch.setattr(minitorch.Tensor, "__matmul__", matmul)
    return counts


@pytest.mark.parametrize(("size", "total"), [(224, 4_089_184_256)])
def test_multiply_adds_of_resnet50(macs, size, total):
    net = network("resnet50").eval()
    with minitorch.no_grad():
        out = net(minitorch.zeros(1, 3, size, size, **F32))
    assert out.shape == (1, 1000)
    assert sum(macs.values()) == total
    assert macs["linear"] == 2048 * 1000


def test_a_residual_network_computes_the_papers_sum():
    """With its last batch norm at 0, a block gives back relu of what it got."""
    block = Bottleneck(8, 2).eval()
    minitorch.nn.init.zeros_(block.bn3.weight)
    x = minitorch.randn(2, 8, 5, 5)
    out = block(x).detach().numpy()
    np.testing.assert_array_equal(out, np.maximum(x.numpy(), 0))
    basic = BasicBlock(2, 2).eval()
    minitorch.nn.init.zeros_(basic.bn2.weight)
    minitorch.nn.init.ones_(basic.bn2.bias)
    x = minitorch.randn(1, 2, 3, 3)
    np.testing.assert_array_equal(
        basic(x).detach().numpy(), np.maximum(x.numpy() + 1, 0)
    )


@pytest.mark.cuda
def test_both_devices_agree():
    net = ResNet(BasicBlock, (1, 1, 1, 1), num_classes=3, **F32).eval()
    x = minitorch.randn(1, 3, 16, 16, **F32)
    with minitorch.no_grad():
        here = net(x).numpy()
        there = net.to("cuda")(x.to("cuda")).cpu().numpy()
    np.testing.assert_allclose(there, here, rtol=1e-4, atol=1e-5)


def test_weights_of_a_file(tmp_path):
    first = lenet5()
    minitorch.save(first, tmp_path / "weights.safetensors")
    for weights in (tmp_path / "weights.safetensors", first.state_dict()):
        state = lenet5(weights=weights).state_dict()
        for name, value in first.state_dict().items():
            np.testing.assert_array_equal(state[name].numpy(), value.numpy())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: SMALL()(minitorch.zeros(1, 1, 32, 32, **F32)),
            r"\[Conv2d.* got input \(1, 1, 32, 32\)",
        ),
        (lambda: SMALL()(np.zeros((1, 3, 32, 32))), r"\[Conv2d.* got ndarray; need a"),
        (
            lambda: LeNet5()(minitorch.zeros(1, 1, 28, 28)),
            r"\[Linear\(400, 120\)\] got input \(1, 256\)",
        ),
        (lambda: LeNet5()([1.0]), r"\[Conv2d.* got list; need a Tensor"),
    ],
)
def test_inputs_that_do_not_fit(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_weights_that_do_not_fit(tmp_path):
    with pytest.raises(
        ValueError, match=r"got weights 'DEFAULT'; need a file .* Nothing"
    ):
        models.resnet18(weights="DEFAULT", **F32)
    with pytest.raises(
        ValueError, match=r"\[load_state_dict\] 'fc3.weight' has shape \(10, 84\)"
    ):
        lenet5(weights=LeNet5().state_dict(), num_classes=3)
    part = {k: v for k, v in LeNet5().state_dict().items() if "fc3" not in k}
    with pytest.raises(KeyError, match=r"missing \['fc3.weight', 'fc3.bias'\]"):
        lenet5(weights=part)
    with pytest.raises(TypeError, match=r"\[load_state_dict\] got int; need a dict"):
        lenet5(weights=3)
    with pytest.raises(FileNotFoundError):
        lenet5(weights=tmp_path / "none.pth")


def test_lenet_has_the_sizes_of_its_paper(macs):
    net = lenet5()
    assert parameters(net) == 156 + 2_416 + 48_120 + 10_164 + 850 == 61_706
    macs.update(conv=0, linear=0)
    assert net(minitorch.zeros(1, 1, 32, 32)).shape == (1, 10)
    assert macs["linear"] == 48_000 + 120 * 84 + 84 * 10
    assert macs["conv"] == 28 * 28 * 6 * 25 + 10 * 10 * 16 * 150


def test_convolutions_start_by_their_outputs():
    minitorch.manual_seed(2)
    weight = models.resnet18(**F32).layer4[1].conv2.weight.value.detach().numpy()
    assert weight.std() == pytest.approx(math.sqrt(2 / (512 * 9)), rel=0.01)
