"""Compare gradients with central differences: `gradcheck`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import _core
from ... import autograd as neutral
from ...autograd.gradient_check import grad_central_difference
from ..modes import no_grad
from ..tensor import Tensor


class GradcheckError(RuntimeError):
    """Gradient that differs from the numerical derivative."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    **others: Any,
) -> bool:
    """Compare gradients with (f(x + eps) - f(x - eps)) / 2 eps.

    f sums the results of func, each element weighted by a number of its own.

    Args:
        func: A function of tensors, which gives one or several.
        inputs: A tensor or several; those that require a gradient are varied. They
            should be of float64, for differences need its digits.
        eps, atol, rtol: The step, and how close is close.
        raise_exception: Raise, or give False.
        others: For programs of PyTorch; they change nothing.

    Returns:
        True where all agree.

    Raises:
        GradcheckError: Some do not; a RuntimeError.
        ValueError: No input requires a gradient.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradcheck(lambda t: t**3, x)
        True
    """
    given = list(inputs) if isinstance(inputs, Sequence) else [inputs]
    varied = [i for i, x in enumerate(given) if getattr(x, "requires_grad", False)]
    if not varied:
        raise ValueError(
            "[gradcheck] got no input that requires a gradient; need at least one."
        )

    def total(*values: Any) -> Any:
        results = func(*values)
        outputs = [results] if isinstance(results, Tensor) else results
        return sum(_weighted(x) for x in outputs if x.dtype.is_floating_point)

    leaves = [given[i] for i in varied]
    gradients: Any = neutral.grad(total(*given), leaves, allow_unused=True)
    for i, gradient in zip(varied, gradients, strict=True):
        for index in np.ndindex(tuple(given[i].shape)):
            slope = 0.0 if gradient is None else float(gradient[index].item())
            with no_grad():
                wanted = grad_central_difference(
                    total, *given, arg=i, epsilon=eps, ind=index
                )
            if np.isclose(slope, wanted, rtol, atol, equal_nan=True):
                continue
            if not raise_exception:
                return False
            raise GradcheckError(
                f"[gradcheck] wrong derivative with respect to element {index} of "
                f"input {i}: backward gives {slope}, the central difference is "
                f"{wanted}."
            )
    return True


def _weighted(output: Any) -> Any:
    """Sum an output; its elements count between 1 and 2 times."""
    count = output.numel()
    weights = _core.arange(1, 1 / max(count, 1), count, output.dtype, output.device)
    return (output * weights._reshape(output.shape)).sum()
