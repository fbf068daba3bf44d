"""The limits on gradients before a step, in the gradients' own memory."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any, cast

from .... import _core
from ....autograd.function import no_grad
from ....functional.indexing import stack
from ...tensor import Tensor
from ..arguments import require_torch

_base: Any = _core.Tensor


def _listed(tensors: Any) -> list[Tensor]:
    if isinstance(tensors, Tensor):
        return [tensors]
    if not isinstance(tensors, Iterable):
        raise TypeError(
            f"[torch.nn.utils] got {type(tensors).__name__}; need tensors. Try "
            "net.parameters()."
        )
    listed = list(tensors)
    require_torch("torch.nn.utils", *listed)
    return listed


def _norm(x: Any, norm_type: float) -> Any:
    """(sum of |cells| ** norm_type) ** (1 / norm_type), of shape ()."""
    if math.isinf(norm_type):
        return _base.max(_base.abs(x), None, False)
    if norm_type == 0:
        return _base.sum(_base.ne(x, 0)._cast(x.dtype), None, False)
    if norm_type == 2:
        return _base.sqrt(_base.sum(x * x, None, False))
    return _base.sum(_base.abs(x) ** norm_type, None, False) ** (1 / norm_type)


def clip_grad_norm_(
    parameters: Iterable[Tensor] | Tensor,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales all gradients by one factor so that their norm is at most `max_norm`.

    Args:
        parameters: Of a module, or one; those without a gradient do not count.
        max_norm: The largest norm of all gradients as one vector.
        norm_type: 2 for the Euclidean norm, math.inf for the largest absolute value.
        error_if_nonfinite: Refuse a norm that is not finite.
        foreach: Taken for PyTorch's programs.

    Returns:
        The norm before, of shape ().

    Raises:
        RuntimeError: `error_if_nonfinite`, and the norm is not finite.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([3.0, 4.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> clip_grad_norm_([x], 1.0).item()
        10.0
    """
    kept = _listed(parameters)
    if not kept:
        warnings.warn(
            "[clip_grad_norm_] got no parameters; need some. Was the iterator used up?",
            stacklevel=2,
        )
    require_torch("clip_grad_norm_", *kept)
    gradients: Any = [p.grad for p in kept if p.grad is not None]
    if not gradients:
        none = _core.full((), 0.0, _core.torch_default_dtype(), "cpu")
        return cast(Tensor, none.as_torch())
    with no_grad():
        home, kind = gradients[0].device, float(norm_type)
        norms = [_norm(each.detach(), kind)._to_device(home) for each in gradients]
        total = _norm(stack(norms), kind)
        if error_if_nonfinite and not math.isfinite(total.item()):
            raise RuntimeError(
                f"[clip_grad_norm_] got a norm of {total.item()}; need a finite one. "
                "error_if_nonfinite=False takes it as it is."
            )
        # PyTorch's 1e-6 keeps a norm of 0 from dividing.
        limit: Any = (float(max_norm) / (total + 1e-6)).minimum(
            _core.full((), 1.0, total.dtype, total.device).as_torch()
        )
        for gradient in gradients:
            share = limit._to_device(gradient.device)._cast(gradient.dtype)
            _base.mul_(gradient, share)
    return cast(Tensor, total)


def clip_grad_value_(
    parameters: Iterable[Tensor] | Tensor,
    clip_value: float,
    foreach: bool | None = None,
) -> None:
    """Brings every cell of every gradient into ±clip_value, in place.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([3.0, 0.125], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> clip_grad_value_([x], 1.0)
        >>> x.grad.tolist()
        [1.0, 0.25]
    """
    limit = float(clip_value)
    with no_grad():
        for each in _listed(parameters):
            if each.grad is not None:
                _base.copy_(each.grad, _base.clamp(each.grad, -limit, limit))
