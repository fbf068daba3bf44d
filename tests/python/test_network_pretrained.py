"""The check that a file of PyTorch with ResNet-50's weights, as torchvision names them,
becomes this library's network; names are from torchvision's structure, by hand.
"""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import models

from .pth_files import archive, state, tensor

Shape = tuple[int, ...]
LABEL = "num_batches_tracked"


def norm(name, channels):
    for each in ("weight", "bias", "running_mean", "running_var"):
        yield f"{name}.{each}", (channels,)
    yield f"{name}.{LABEL}", ()


def entries():
    """Names and shapes of torchvision's `resnet50().state_dict()`, in its order."""
    yield "conv1.weight", (64, 3, 7, 7)
    yield from norm("bn1", 64)
    last = 64
    for layer, (blocks, width) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)], 1):
        for block in range(blocks):
            at, out = f"layer{layer}.{block}", 4 * width
            yield f"{at}.conv1.weight", (width, last, 1, 1)
            yield from norm(f"{at}.bn1", width)
            yield f"{at}.conv2.weight", (width, width, 3, 3)
            yield from norm(f"{at}.bn2", width)
            yield f"{at}.conv3.weight", (out, width, 1, 1)
            yield from norm(f"{at}.bn3", out)
            if block == 0:
                yield f"{at}.downsample.0.weight", (out, last, 1, 1)
                yield from norm(f"{at}.downsample.1", out)
            last = out
    yield "fc.weight", (1000, 2048)
    yield "fc.bias", (1000,)


def numbers_of(shape, rng):
    """Positive, so that they can be variances; small, so that nothing overflows."""
    return (rng.random(shape, dtype=np.float32) * 0.1 + 0.01).astype(np.float32)


@pytest.fixture(scope="module")
def weights():
    rng = np.random.default_rng(50)
    return {
        name: np.array(7, np.int64) if name.endswith(LABEL) else numbers_of(shape, rng)
        for name, shape in entries()
    }


def strides(shape):
    return tuple(int(np.prod(shape[i + 1 :])) for i in range(len(shape)))


def written(path, weights):
    """The file that `torch.save(resnet50().state_dict(), path)` writes."""
    made, storages = {}, {}
    for key, (name, value) in enumerate(weights.items()):
        kind = "LongStorage" if value.dtype == np.int64 else "FloatStorage"
        layout = (value.size, 0, value.shape, strides(value.shape))
        made[name] = tensor(kind, str(key), *layout)
        storages[str(key)] = value.tobytes()
    return archive(path, state(**made), storages, byteorder=b"little", version=b"3\n")


def test_weights_of_pytorchs_form_are_the_networks(tmp_path, weights):
    assert len(weights) == 320
    trained = [v for k, v in weights.items() if k.endswith(("weight", "bias"))]
    assert sum(value.size for value in trained) == 25_557_032
    path = written(tmp_path / "resnet50.pth", weights)
    net = models.resnet50(weights=str(path), dtype="float32").eval()
    found = net.state_dict()
    assert list(found) == list(weights)
    for name, value in found.items():
        assert value.dtype.name == str(weights[name].dtype)
        np.testing.assert_array_equal(value.numpy(), weights[name], err_msg=name)
    assert not net.training
    same = models.resnet50(weights=weights, dtype="float32").eval()
    x = minitorch.rand(1, 3, 32, 32, dtype="float32")
    with minitorch.no_grad():
        np.testing.assert_array_equal(net(x).numpy(), same(x).numpy())
