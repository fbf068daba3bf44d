"""The functions whose gradients are checked, and the shapes of arguments."""

from __future__ import annotations

import numpy as np

import minitorch
import minitorch.functional as F

from . import elementwise_cases


def steps_of(a):
    return a.floor() + a.ceil() + a.round()


PLACES = minitorch.tensor([[1, 2], [0, 1], [-1, 0]], dtype="int64")
LABELS = np.array([2, 0, 1])

# name: (function of tensors, shapes of its arguments, smallest value)
FUNCTIONS = {
    **{
        name: (function, [(2, 3)], low)
        for name, (function, _, _, low) in elementwise_cases.UNARY.items()
        if low is not None
    },
    "add": (lambda a, b: a + b, [(2, 3), (3,)], -4),
    "sub": (lambda a, b: a - b, [(2, 1), (2, 3)], -4),
    "mul": (lambda a, b: a * b, [(2, 3), (4, 1, 3)], -4),
    "div": (lambda a, b: a / b, [(2, 3), ()], 0.3),
    "pow": (lambda a, b: a**b, [(2, 3), (3,)], 0.3),
    "square": (lambda a: a**2, [(5,)], -4),
    "atan2": (F.atan2, [(2, 3), (3,)], 0.3),
    "copysign": (lambda a, b: F.copysign(a, -b), [(2, 3), (3,)], 0.3),
    "fmod": (lambda a, b: F.fmod(a, 5 + b), [(2, 3), (3,)], 0.3),
    "hypot": (F.hypot, [(2, 3), (3,)], -4),
    "maximum": (lambda a, b: a.maximum(b).maximum(0.5), [(2, 3), (3,)], -4),
    "minimum": (lambda a, b: a.minimum(b), [(2, 3), (3,)], -4),
    "lt": (lambda a, b: (a < b) * a, [(2, 3), (3,)], -4),
    "numbers": (lambda a: 3 / (2 - a * 0.25) + 1 - 2**a, [(2, 3)], -4),
    "sum_dim": (lambda a: a.sum(1) * a, [(2, 3)], -4),
    "mean": (lambda a: a.mean(0, keepdim=False) * 2, [(2, 3)], -4),
    "permute": (lambda a: a.permute(2, 0, 1) * 2, [(2, 3, 4)], -4),
    "reshape": (
        lambda a: a.permute(1, 0).reshape(3, 2) * a.reshape(3, 2),
        [(2, 3)],
        -4,
    ),
    "expand": (lambda a: a.expand(4, 2, 3) * 2, [(2, 1)], -4),
    "slice": (lambda a: a[1:, ::2] * 3, [(3, 5)], -4),
    "index": (lambda a: a[1] * a[0], [(3, 5)], -4),
    "matmul": (lambda a, b: a @ b, [(2, 3), (3, 4)], -4),
    "matmul_batch": (lambda a, b: a @ b, [(2, 2, 3), (3, 4)], -4),
    "matmul_broadcast": (lambda a, b: a @ b, [(2, 1, 2, 3), (3, 3, 2)], -4),
    "log_softmax": (lambda a: a.log_softmax(1), [(3, 4)], -4),
    "softmax": (lambda a: a.softmax(0), [(3, 4)], -4),
    "cross_entropy": (
        lambda a: minitorch.cross_entropy(a, minitorch.tensor(LABELS, device=a.device)),
        [(3, 4)],
        -4,
    ),
    "nll_loss": (
        lambda a: minitorch.nll_loss(a, minitorch.tensor(LABELS, device=a.device)),
        [(3, 4)],
        -4,
    ),
    "floordiv": (lambda a: (a // 2 + 1) * a, [(2, 3)], 0.3),
    "mod": (lambda a, b: a % b + 9.5 % (5 + b), [(2, 3), (3,)], 0.3),
    "sign": (lambda a: a.sign() * a, [(5,)], -4),
    "floor": (lambda a: steps_of(a * 0.01 + 0.3) + a, [(5,)], -4),
    "clamp": (lambda a: a.clamp(-1, 2) * a, [(2, 3)], -4),
    "where": (lambda a, b: F.where(a.gt(0), a * a, b), [(2, 3), (3,)], -4),
    "masked_fill": (lambda a: a.masked_fill(a.gt(1), 7) * a, [(2, 3)], -4),
    "mean_dims": (lambda a: F.mean(a, (0, -1), True) * a, [(2, 3, 4)], -4),
    "var": (lambda a: F.var(a, 1), [(3, 4)], -4),
    "std": (lambda a: F.std(a, (0, 1), 0), [(3, 4)], -4),
    "min": (lambda a: a.amin(1), [(2, 5)], -4),
    "max_dims": (lambda a: F.amax(a, (0, 2)), [(2, 3, 4)], -4),
    "prod": (lambda a: a.prod(1), [(2, 4)], -4),
    "logsumexp": (lambda a: a.logsumexp(1), [(3, 4)], -4),
    "cumsum": (lambda a: a.cumsum(1) * a, [(2, 5)], -4),
    "index_steps": (lambda a: a[::-2, None, ..., 1] * 3, [(5, 2, 3)], -4),
    "index_array": (lambda a: a[[0, 2, 0]] * 2, [(3, 4)], -4),
    "index_arrays": (lambda a: a[[0, 1], :, [2, -1]] * 2, [(2, 2, 3)], -4),
    "index_mask": (lambda a: a[a.gt(0)] * 3, [(3, 4)], -4),
    "gather": (lambda a: a.gather(1, PLACES.to(a.device)) * 2, [(3, 4)], -4),
    "scatter": (
        lambda a, b: a.scatter(1, PLACES.to(a.device), b),
        [(3, 4), (3, 2)],
        -4,
    ),
    "scatter_add": (
        lambda a, b: a.scatter_add(0, PLACES.to(a.device), b) * a,
        [(3, 4), (3, 2)],
        -4,
    ),
    "cat": (lambda a, b: F.cat([a, b * 2], 1) * 3, [(2, 3), (2, 1)], -4),
    "stack": (lambda a, b: F.stack([a, b], 1), [(2, 3), (2, 3)], -4),
    "split": (lambda a: F.split(a, 2, 1)[0] * F.chunk(a, 3, 1)[1], [(2, 6)], -4),
    "flip": (lambda a: a.flip((0, 1)) * a, [(2, 3)], -4),
    "tril": (lambda a: a.tril() + a.triu(1) * 2, [(3, 3)], -4),
    "repeat": (lambda a: a.repeat(2, 1, 3), [(2, 3)], -4),
    "flatten": (lambda a: a.permute(2, 0, 1).flatten(1), [(2, 3, 2)], -4),
    "mse_loss": (lambda a, b: F.mse_loss(a, b), [(2, 3), (2, 3)], -4),
    "l1_loss": (lambda a, b: F.l1_loss(a, b, "sum"), [(2, 3), (2, 3)], -4),
    "bce": (
        lambda a, b: F.binary_cross_entropy(a * 0.2, b * 0.2),
        [(2, 3), (2, 3)],
        0.3,
    ),
    "bce_logits": (
        lambda a, b: F.binary_cross_entropy_with_logits(a, b),
        [(2, 3), (2, 3)],
        -4,
    ),
    "f_cross_entropy": (
        lambda a: F.cross_entropy(
            a,
            minitorch.tensor(LABELS, device=a.device),
            weight=minitorch.tensor([1.0, 2.0, 3.0, 4.0], device=a.device),
            label_smoothing=0.1,
        ),
        [(3, 4)],
        -4,
    ),
    "f_cross_entropy_soft": (
        lambda a, b: F.cross_entropy(a, F.softmax(b, 1), reduction="sum"),
        [(3, 4), (3, 4)],
        -4,
    ),
    "f_nll_loss": (
        lambda a: F.nll_loss(
            a, minitorch.tensor(LABELS, device=a.device), ignore_index=1
        ),
        [(3, 4)],
        -4,
    ),
}
