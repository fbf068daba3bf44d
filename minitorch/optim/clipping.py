"""The limits on gradients before a step."""

from __future__ import annotations

import math
from collections.abc import Iterable

from .._core import Tensor
from ..autograd.function import no_grad
from ..functional.indexing import stack
from ..module import Parameter
from ..tensors.create import full


def clip_grad_norm_(
    parameters: Iterable[Parameter | Tensor], max_norm: float, norm_type: float = 2.0
) -> Tensor:
    """Scales all gradients by one factor so that their norm is at most `max_norm`.

    Args:
        parameters: Of a module, or tensors; those without a gradient do not count.
        max_norm: The largest norm of all gradients as one vector.
        norm_type: 2 for the Euclidean norm, math.inf for the largest absolute value.

    Nobody waits for the device: whether the gradients are scaled, is decided there.

    Returns:
        The norm before, shape (), on the device of the first gradient.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0, 4.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> clip_grad_norm_([x], 1.0)
        tensor(10.)
        >>> x.grad.numpy().round(4)
        array([0.6, 0.8])
    """
    _require_positive(max_norm, "clip_grad_norm_")
    _require_positive(norm_type, "clip_grad_norm_")
    found = _gradients(parameters)
    if not found:
        return full((), 0.0)
    with no_grad():
        home = found[0][1].device
        norms = [_norm(g, norm_type).to(home) for _, g in found]
        total = _norm(stack(norms), norm_type)
        # PyTorch's 1e-6 keeps a norm of 0 from dividing.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for tensor, gradient in found:
            share = factor.to(gradient.device)._cast(gradient.dtype)
            tensor.grad = gradient * share
    return total


def _norm(a: Tensor, norm_type: float) -> Tensor:
    """(sum of |cells| ** norm_type) ** (1 / norm_type), of shape ()."""
    if math.isinf(norm_type):
        return a.abs().amax()
    if norm_type == 2:
        return (a * a).sum(None, False).sqrt()
    return (a.abs() ** norm_type).sum(None, False) ** (1 / norm_type)


def clip_grad_value_(
    parameters: Iterable[Parameter | Tensor], clip_value: float
) -> None:
    """Brings every cell of every gradient into ±clip_value.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0, 0.1], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> clip_grad_value_([x], 1.0)
        >>> x.grad.numpy()
        array([1. , 0.2])
    """
    _require_positive(clip_value, "clip_grad_value_")
    with no_grad():
        for tensor, gradient in _gradients(parameters):
            tensor.grad = gradient.minimum(clip_value).maximum(-clip_value)


def _gradients(
    parameters: Iterable[Parameter | Tensor],
) -> list[tuple[Tensor, Tensor]]:
    """Every tensor that has a gradient, with it."""
    held = (p.value if isinstance(p, Parameter) else p for p in parameters)
    tensors = [t for t in held if isinstance(t, Tensor)]
    return [(t, t.grad) for t in tensors if t.grad is not None]


def _require_positive(limit: float, where: str) -> None:
    if not limit > 0:
        raise ValueError(f"[{where}] got limit {limit}; need a number above 0.")
