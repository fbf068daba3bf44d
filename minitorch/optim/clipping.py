"""Clip gradients before a step, in place."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

from .._core import Tensor
from ..autograd.function import no_grad
from ..functional.indexing import stack
from ..module import Parameter
from ..tensors.create import full

_Parameters = Iterable[Parameter | Tensor] | Parameter | Tensor


def clip_grad_norm_(
    parameters: _Parameters,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients by one factor so that their norm is at most `max_norm`.

    Nobody waits for the device: whether the gradients are scaled, is decided there.

    Args:
        parameters: Of a module, or tensors, or one; those without a gradient do not
            count.
        max_norm: The largest norm of all gradients as one vector.
        norm_type: 2 for the Euclidean norm, math.inf for the largest absolute value.
        error_if_nonfinite: Refuse a norm that is not finite.
        foreach: Taken for PyTorch's programs.

    Returns:
        The norm before, shape (), on the device of the first gradient.

    Raises:
        RuntimeError: `error_if_nonfinite`, and the norm is not finite.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0, 4.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> clip_grad_norm_([x], 1.0)
        tensor(10.)
        >>> x.grad.numpy().round(4)
        array([0.6, 0.8])
    """
    where = "clip_grad_norm_"
    _require_limit(where, max_norm)
    _require_limit(where, norm_type)
    gradients = _gradients(where, parameters)
    if not gradients:
        return full((), 0.0)
    with no_grad():
        home = gradients[0].device
        norms = [_norm(part.detach(), norm_type) for part in gradients]
        total: Tensor = _norm(
            stack([part._to_device(home) for part in norms]), norm_type
        )
        if error_if_nonfinite and not math.isfinite(total.item()):
            raise RuntimeError(
                f"[{where}] the norm is {total.item()}, not finite. "
                "error_if_nonfinite=False ignores this."
            )
        # PyTorch's 1e-6 keeps a norm of 0 from dividing.
        factor = Tensor.clamp(max_norm / (total + 1e-6), None, 1.0)
        for gradient in gradients:
            share = factor._to_device(gradient.device)._cast(gradient.dtype)
            Tensor.mul_(gradient, share)
    return total


def _norm(x: Any, norm_type: float) -> Any:
    """Return (sum of |x| ** norm_type) ** (1 / norm_type), of shape ()."""
    if math.isinf(norm_type):
        return Tensor.max(Tensor.abs(x), None, False)
    if norm_type == 0:
        return Tensor.sum(Tensor.ne(x, 0)._cast(x.dtype), None, False)
    if norm_type == 2:
        return Tensor.sqrt(Tensor.sum(x * x, None, False))
    return Tensor.sum(Tensor.abs(x) ** norm_type, None, False) ** (1 / norm_type)


def clip_grad_value_(
    parameters: _Parameters, clip_value: float, foreach: bool | None = None
) -> None:
    """Clamp all elements of all gradients to ±clip_value, in place.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0, 0.1], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> clip_grad_value_([x], 1.0)
        >>> x.grad.numpy()
        array([1. , 0.2])
    """
    where, limit = "clip_grad_value_", float(clip_value)
    _require_limit(where, limit)
    with no_grad():
        for gradient in _gradients(where, parameters):
            Tensor.copy_(gradient, Tensor.clamp(gradient, -limit, limit))


def _gradients(where: str, parameters: Any) -> list[Any]:
    """Return the existing gradients; warn if there are no parameters."""
    single = isinstance(parameters, Tensor | Parameter)
    if not single and not isinstance(parameters, Iterable):
        raise TypeError(
            f"[{where}] got {type(parameters).__name__}; need an iterable of tensors. "
            "Try net.parameters()."
        )
    kept = [parameters] if single else list(parameters)
    if not kept:
        warnings.warn(
            f"[{where}] got no parameters. Was the iterator already used up?",
            stacklevel=3,
        )
    values = (p.value if isinstance(p, Parameter) else p for p in kept)
    tensors = [t for t in values if isinstance(t, Tensor)]
    return [t.grad for t in tensors if t.grad is not None]


def _require_limit(where: str, limit: float) -> None:
    if not limit >= 0:
        raise ValueError(f"[{where}] got limit {limit}; need at least 0.")
