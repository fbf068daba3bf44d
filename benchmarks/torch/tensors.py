"""The cases of parts of tensors, products in batches and convolutions."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import torch

from minitorch import functional as F

from .case import Case
from .fused import both, labels, pair

_BAR = 1.2


def _small() -> Iterator[Case]:
    (x, y), (a, b) = both(10), both(10, learns=True)
    yield Case("a + b of 10", lambda: x + x, lambda: y + y, 0.6)
    yield Case("a + b of 10, recorded", lambda: a + a, lambda: b + b, 0.6)
    (x, y) = both(1000, 1000)
    yield Case("argmax of 1e6, dim 0", lambda: x.argmax(0), lambda: y.argmax(0), 1.0)


def _parts() -> Iterator[Case]:
    x, y = both(1000, 1000)
    image, other = both(16, 32, 64, 64)
    for what, part in (
        ("x[:, 1:-1]", lambda x: x[:, 1:-1]),
        ("x[:, 1:-1].clone()", lambda x: x[:, 1:-1].clone()),
        ("x[::2].clone()", lambda x: x[::2].clone()),
        ("x[:, 1:-1].sum()", lambda x: x[:, 1:-1].sum()),
        ("x[1:, 1:] + x[:-1, :-1]", lambda x: x[1:, 1:] + x[:-1, :-1]),
    ):
        yield Case(
            f"{what} of 1000 x 1000",
            lambda f=part: f(x),
            lambda f=part: f(y),
            _BAR,
        )
    yield Case(
        "x[:, :, 1:-1, 1:-1].clone() of 16 x 32 x 64 x 64",
        lambda: image[:, :, 1:-1, 1:-1].clone(),
        lambda: other[:, :, 1:-1, 1:-1].clone(),
        _BAR,
    )


def _picked() -> Iterator[Case]:
    x, y = both(1000, 1000)
    i, j = labels(1000, 1000, 1000)
    rows, lines = labels(1000, 1000)
    for dim in (0, 1):
        yield Case(
            f"gather of 1000 x 1000, dim {dim}",
            lambda d=dim: F.gather(x, d, i),
            lambda d=dim: torch.gather(y, d, j),
            _BAR,
        )
        yield Case(
            f"index_select of 1000 x 1000, dim {dim}",
            lambda d=dim: F.index_select(x, d, rows),
            lambda d=dim: torch.index_select(y, d, lines),
            _BAR,
        )


def _products() -> Iterator[Case]:
    for count, m, k, n in ((8, 64, 64, 64), (16, 128, 128, 128), (48, 256, 64, 256)):
        (a, b), (c, d) = both(count, m, k), both(count, k, n)
        what = f"{count} products ({m}, {k}) @ ({k}, {n})"
        yield Case(
            what,
            lambda a=a, c=c: operator.matmul(a, c),
            lambda b=b, d=d: operator.matmul(b, d),
            _BAR,
        )


def _convolutions() -> Iterator[Case]:
    theirs: Any = torch.nn.functional.conv2d
    for what, shape, outputs, kernel, groups in (
        ("3x3 64 -> 64", (8, 64, 56, 56), 64, 3, 1),
        ("3x3 512 -> 512", (1, 512, 7, 7), 512, 3, 1),
        ("1x1 256 -> 64", (4, 256, 28, 28), 64, 1, 1),
        ("depthwise 3x3", (8, 32, 56, 56), 32, 3, 32),
    ):
        options = {"padding": kernel // 2, "groups": groups}
        inputs = [
            both(*shape, learns=True),
            both(outputs, shape[1] // groups, kernel, kernel, learns=True),
        ]
        yield from pair(
            f"convolution {what} of {shape}",
            lambda x, w, o=options: F.conv2d(x, w, None, **o),
            lambda x, w, o=options: theirs(x, w, None, **o),
            inputs,
            both(shape[0], outputs, *shape[2:]),
            _BAR,
        )


def cases() -> Iterator[Case]:
    """Small ops, parts, what indices pick, products and convolutions."""
    yield from _small()
    yield from _parts()
    yield from _picked()
    yield from _products()
    yield from _convolutions()
