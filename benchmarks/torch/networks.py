"""The cases of whole networks: ResNet-18's way forward, a step of a character GPT.

Both are written once, for either library: `nn` is the one's or the other's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

import minitorch
from minitorch import functional as F
from minitorch import nn, optim

from .case import Case
from .fused import labels

_WIDTH, _HEADS, _LAYERS, _LENGTH, _BATCH, _LETTERS = 128, 4, 4, 64, 16, 65


def _resnet() -> Iterator[Case]:
    ours = minitorch.models.resnet18(dtype="float32").eval()
    theirs = _torch_resnet().eval()
    drawn = np.random.default_rng(0).random((1, 3, 224, 224), dtype=np.float32)
    x, y = minitorch.tensor(drawn), torch.tensor(drawn)

    def forward() -> None:
        with minitorch.no_grad():
            ours(x)

    def their_forward() -> None:
        with torch.no_grad():
            theirs(y)

    yield Case("ResNet-18, an image of 224 x 224", forward, their_forward, 1.2)


class _Block(torch.nn.Module):
    def __init__(self, before: int, width: int, stride: int) -> None:
        super().__init__()
        make = torch.nn
        self.inside = make.Sequential(
            make.Conv2d(before, width, 3, stride, 1, bias=False),
            make.BatchNorm2d(width),
            make.ReLU(inplace=True),
            make.Conv2d(width, width, 3, 1, 1, bias=False),
            make.BatchNorm2d(width),
        )
        self.beside = make.Sequential()
        if before != width:
            self.beside = make.Sequential(
                make.Conv2d(before, width, 1, stride, bias=False),
                make.BatchNorm2d(width),
            )

    def forward(self, x: Any) -> Any:
        return torch.relu(self.inside(x) + self.beside(x))


def _torch_resnet() -> Any:
    make = torch.nn
    parts: list[Any] = [
        make.Conv2d(3, 64, 7, 2, 3, bias=False),
        make.BatchNorm2d(64),
        make.ReLU(inplace=True),
        make.MaxPool2d(3, 2, 1),
    ]
    before = 64
    for width in (64, 128, 256, 512):
        parts += [_Block(before, width, 1 + (before != width)), _Block(width, width, 1)]
        before = width
    return make.Sequential(
        *parts, make.AdaptiveAvgPool2d(1), make.Flatten(), make.Linear(512, 1000)
    )


class _Gpt:
    """Layers by name in a dict, so that both libraries run the same lines."""

    def __init__(self, library: Any, functions: Any, **kind: Any) -> None:
        self.functions = functions
        self.layers: dict[str, Any] = {
            "letters": library.Embedding(_LETTERS, _WIDTH, **kind),
            "places": library.Embedding(_LENGTH, _WIDTH, **kind),
            "norm": library.LayerNorm(_WIDTH, **kind),
            "head": library.Linear(_WIDTH, _LETTERS, **kind),
        }
        for i in range(_LAYERS):
            self.layers |= {
                f"norm1_{i}": library.LayerNorm(_WIDTH, **kind),
                f"qkv_{i}": library.Linear(_WIDTH, 3 * _WIDTH, **kind),
                f"out_{i}": library.Linear(_WIDTH, _WIDTH, **kind),
                f"norm2_{i}": library.LayerNorm(_WIDTH, **kind),
                f"up_{i}": library.Linear(_WIDTH, 4 * _WIDTH, **kind),
                f"down_{i}": library.Linear(4 * _WIDTH, _WIDTH, **kind),
            }

    def parameters(self) -> list[Any]:
        return [p for layer in self.layers.values() for p in layer.parameters()]

    def attention(self, x: Any, i: int) -> Any:
        split = self.layers[f"qkv_{i}"](x).reshape(
            _BATCH, _LENGTH, 3, _HEADS, _WIDTH // _HEADS
        )
        # (n, length, 3, heads, share) -> three of (n, heads, length, share)
        split = split.permute(2, 0, 3, 1, 4)
        q, k, v = (split[part] for part in range(3))
        out = self.functions.scaled_dot_product_attention(q, k, v, is_causal=True)
        joined = out.permute(0, 2, 1, 3).reshape(_BATCH, _LENGTH, _WIDTH)
        return self.layers[f"out_{i}"](joined)

    def loss(self, letters: Any, places: Any, targets: Any) -> Any:
        x = self.layers["letters"](letters) + self.layers["places"](places)
        for i in range(_LAYERS):
            x = x + self.attention(self.layers[f"norm1_{i}"](x), i)
            up = self.functions.gelu(
                self.layers[f"up_{i}"](self.layers[f"norm2_{i}"](x))
            )
            x = x + self.layers[f"down_{i}"](up)
        scores = self.layers["head"](self.layers["norm"](x))
        return self.functions.cross_entropy(
            scores.reshape(_BATCH * _LENGTH, _LETTERS), targets
        )


def _step(net: _Gpt, optimizer: Any, *given: Any) -> Callable[[], None]:
    def run() -> None:
        optimizer.zero_grad()
        net.loss(*given).backward()
        optimizer.step()

    return run


def _gpt() -> Iterator[Case]:
    letters = labels(_LETTERS, _BATCH, _LENGTH)
    targets = labels(_LETTERS, _BATCH * _LENGTH)
    places = np.arange(_LENGTH)
    ours = _Gpt(nn, F, dtype="float32")
    theirs = _Gpt(torch.nn, torch.nn.functional)
    yield Case(
        f"character GPT, {_LAYERS} layers of {_WIDTH}: a step",
        _step(
            ours,
            optim.AdamW(ours.parameters(), lr=1e-3),
            letters[0],
            minitorch.tensor(places),
            targets[0],
        ),
        _step(
            theirs,
            torch.optim.AdamW(theirs.parameters(), lr=1e-3),
            letters[1],
            torch.tensor(places),
            targets[1],
        ),
        1.0,
    )


def cases() -> Iterator[Case]:
    """A network of images and one of letters."""
    yield from _resnet()
    yield from _gpt()
