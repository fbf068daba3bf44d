"""The cases of fused loops: softmax, losses, normalisation, attention, descent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

import minitorch
from minitorch import functional as F
from minitorch import optim

from .case import Case

_BAR = 1.3
_Fn = Callable[..., Any]


def both(*shape: int, learns: bool = False) -> tuple[Any, Any]:
    """The same normal numbers as a float32 tensor of each library."""
    drawn = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    return (
        minitorch.tensor(drawn).requires_grad_(learns),
        torch.tensor(drawn).requires_grad_(learns),
    )


def labels(classes: int, *shape: int) -> tuple[Any, Any]:
    """The same integers below `classes` for each library."""
    drawn = np.random.default_rng(1).integers(0, classes, shape)
    return minitorch.tensor(drawn), torch.tensor(drawn)


def back(function: _Fn, inputs: Sequence[Any], gradient: Any) -> Callable[[], object]:
    """A run of the function and of its way back."""

    def run() -> None:
        for each in inputs:
            each.grad = None
        out = function(*inputs)
        out.backward(gradient) if gradient is not None else out.backward()

    return run


def pair(
    what: str,
    ours: _Fn,
    theirs: _Fn,
    inputs: Sequence[tuple[Any, Any]],
    gradient: tuple[Any, Any] | None,
    bar: float = _BAR,
) -> Iterator[Case]:
    """The function alone, and with its way back; without a gradient it is a loss."""
    still = [(x.detach(), y.detach()) for x, y in inputs]
    yield Case(
        what,
        lambda: ours(*[x for x, _ in still]),
        lambda: theirs(*[y for _, y in still]),
        bar,
    )
    g, h = gradient or (None, None)
    yield Case(
        f"{what}, both ways",
        back(ours, [x for x, _ in inputs], g),
        back(theirs, [y for _, y in inputs], h),
        bar,
    )


def _softmax() -> Iterator[Case]:
    for shape, dim in (((32, 64, 64), -1), ((1024, 1000), -1), ((1024, 1000), 0)):
        inputs, gradient = [both(*shape, learns=True)], both(*shape)
        for name in ("softmax", "log_softmax"):
            ours, theirs = getattr(F, name), getattr(torch, name)
            yield from pair(
                f"{name} of {shape}, dim {dim}",
                lambda x, f=ours, d=dim: f(x, d),
                lambda x, f=theirs, d=dim: f(x, d),
                inputs,
                gradient,
            )


def _losses() -> Iterator[Case]:
    for count, classes in ((128, 10), (2048, 65), (1024, 1000), (256, 32000)):
        y, z = labels(classes, count)
        yield from pair(
            f"cross_entropy of {(count, classes)}",
            lambda x, y=y: F.cross_entropy(x, y),
            lambda x, z=z: torch.nn.functional.cross_entropy(x, z),
            [both(count, classes, learns=True)],
            None,
        )


def _norms() -> Iterator[Case]:
    for shape in ((32, 64, 128), (512, 768)):
        inputs = [both(*s, learns=True) for s in (shape, shape[-1:], shape[-1:])]
        yield from pair(
            f"layer_norm of {shape}",
            lambda x, w, b: F.layer_norm(x, w.shape, w, b),
            lambda x, w, b: torch.nn.functional.layer_norm(x, w.shape, w, b),
            inputs,
            both(*shape),
        )


def _attention() -> Iterator[Case]:
    for shape in ((4, 4, 64, 32), (8, 6, 256, 64)):
        for causal in (False, True):
            yield from pair(
                f"attention of {shape}{', causal' * causal}",
                lambda q, k, v, c=causal: F.scaled_dot_product_attention(
                    q, k, v, is_causal=c
                ),
                lambda q, k, v, c=causal: (
                    torch.nn.functional.scaled_dot_product_attention(
                        q, k, v, is_causal=c
                    )
                ),
                [both(*shape, learns=True) for _ in range(3)],
                both(*shape),
            )


def _descent() -> Iterator[Case]:
    for name, options in (
        ("Adam", {}),
        ("AdamW", {}),
        ("SGD", {}),
        ("SGD", {"momentum": 0.9}),
    ):
        (x, y), (g, h) = both(1_000_000, learns=True), both(1_000_000)
        x.grad, y.grad = g, h
        ours = getattr(optim, name)([x], lr=1e-3, **options)
        theirs = getattr(torch.optim, name)([y], lr=1e-3, **options)
        what = f"{name}{' with momentum' * bool(options)}, 1e6"
        yield Case(what, ours.step, theirs.step, _BAR)


def _in_place() -> Iterator[Case]:
    (x, y), (a, b) = both(1000, 1000), both(1000, 1000)
    for name in ("add_", "sub_", "mul_"):
        ours, theirs = getattr(x, name), getattr(y, name)
        yield Case(
            f"{name} of 1e6",
            lambda f=ours: f(a),
            lambda f=theirs: f(b),
            _BAR,
        )


def cases() -> Iterator[Case]:
    """What networks spend their time on between products."""
    yield from _softmax()
    yield from _losses()
    yield from _norms()
    yield from _attention()
    yield from _descent()
    yield from _in_place()
