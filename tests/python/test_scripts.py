"""The quick runs of notebooks/scripts, in small settings."""

from __future__ import annotations

import gzip
import importlib
import struct

import numpy as np
import pytest

import minitorch.torch as torch

from .source_tree import ROOT
from .tensors import DEVICES, need


@pytest.fixture
def script(monkeypatch):
    """Imports a script as it is run: from its own folder."""
    monkeypatch.syspath_prepend(str(ROOT / "notebooks" / "scripts"))
    return importlib.import_module


def bars(folder, count):
    """MNIST's files with images that anybody can tell: a bar at the label's height."""
    labels = np.arange(count) % 10
    images = np.random.default_rng(0).integers(0, 60, (count, 28, 28))
    images[np.arange(count)[:, None], 2 * labels[:, None] + [4, 5]] = 255
    for name in ("train", "t10k"):
        head = struct.pack(">BBBBIII", 0, 0, 8, 3, count, 28, 28)
        (folder / f"{name}-images-idx3-ubyte.gz").write_bytes(
            gzip.compress(head + images.astype("u1").tobytes(), 1)
        )
        head = struct.pack(">BBBBI", 0, 0, 8, 1, count)
        (folder / f"{name}-labels-idx1-ubyte").write_bytes(
            head + labels.astype("u1").tobytes()
        )


@pytest.mark.parametrize("device", DEVICES)
def test_mnist_cnn(script, tmp_path, capsys, device):
    need(device)
    count, epochs = (300, "5") if device == "cpu" else (20, "1")
    bars(tmp_path, count)
    loss, share = script("mnist_cnn").main(
        ["--folder", str(tmp_path), "--epochs", epochs, "--device", device]
    )
    printed = capsys.readouterr().out
    assert "test accuracy" in printed
    if device == "cpu":
        assert loss < 0.5
        assert share > 0.9
    else:
        assert "conv2d_grad_weight" in printed


def test_char_transformer_learns(script, capsys):
    first, _, last, right = script("char_transformer").main(
        ["--steps", "60", "--width", "32", "--context", "24", "--batch", "8"]
    )
    assert first > 3  # about log(41), a guess among the letters
    assert last < 2.7
    assert right > 0.2
    assert "next letter right" in capsys.readouterr().out


@pytest.mark.cuda
def test_char_transformer_on_cuda_agrees(script, capsys):
    need("cuda")
    small = ["--steps", "2", "--width", "16", "--context", "8", "--batch", "2"]
    here = script("char_transformer").main(small)
    there = script("char_transformer").main([*small, "--device", "cuda"])
    np.testing.assert_allclose(there, here, rtol=1e-4)
    assert "standardise_grad" in capsys.readouterr().out


def test_resnet18_on_cpu(script, capsys):
    losses = script("resnet18").main(["--steps", "4", "--width", "8", "--batch", "4"])
    assert losses[-1] < losses[0]
    assert "accuracy" in capsys.readouterr().out


@pytest.mark.parametrize("device", DEVICES)
def test_torch_lenet(script, tmp_path, capsys, device):
    pytest.importorskip("sklearn", reason="its digits are learned")
    need(device)
    few = ["--epochs", "1", "--images", "40", "--device", device]
    settings = ["--epochs", "4"] if device == "cpu" else few
    file = tmp_path / "lenet.pth"
    lenet = script("torch_lenet")
    loss, share = lenet.main([*settings, "--save", str(file)])
    assert "test accuracy" in capsys.readouterr().out
    if device == "cpu":
        assert loss < 0.7
        assert share > 0.8
    state = torch.load(file, map_location="cpu")
    assert lenet.LeNet().load_state_dict(state).missing_keys == []


def test_torch_lenet_differs_from_a_program_of_pytorch_in_imports_alone():
    text = (ROOT / "notebooks" / "scripts" / "torch_lenet.py").read_text()
    lines = [line for line in text.splitlines() if "minitorch" in line]
    assert len(lines) == 4
    assert all(line.startswith(("import ", "from ")) for line in lines)
