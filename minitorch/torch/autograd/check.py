"""Compare gradients with central differences: `gradcheck`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import autograd as neutral
from ...tensors.create import tensor
from ..modes import enable_grad, no_grad
from ..tensor import Tensor


class GradcheckError(RuntimeError):
    """Gradient that differs from the numerical derivative."""


def _outputs(results: Any) -> list[Any]:
    outputs: list[Any] = [results] if isinstance(results, Tensor) else list(results)
    return [output for output in outputs if isinstance(output, Tensor)]


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    **others: Any,
) -> bool:
    """Compare each derivative with (f(x + eps) - f(x - eps)) / 2 eps.

    Args:
        func: A function of tensors, which gives one or several.
        inputs: A tensor or several; those that require a gradient are varied. They
            should be of float64, for differences need its digits.
        eps, atol, rtol: The step, and how close is close.
        raise_exception: Raise, or give False.
        nondet_tol, check_undefined_grad, check_grad_dtypes, others: For programs of
            PyTorch; change nothing.

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
    varied = [
        i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad
    ]
    if not varied:
        raise ValueError(
            "[gradcheck] got no input that requires a gradient; need at least one."
        )
    try:
        for which in varied:
            _check(func, given, which, eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _array(x: Any) -> Any:
    return np.array(x.detach().cpu().tolist(), np.float64).reshape(tuple(x.shape))


def _check(
    func: Any, given: list[Any], which: int, eps: float, atol: float, rtol: float
) -> None:
    """Compare the derivatives by one input, for all elements of all outputs."""
    x = given[which]
    start = _array(x)

    def values(moved: Any) -> list[Any]:
        perturbed = tensor(moved, dtype=x.dtype.name, device=str(x.device)).as_torch()
        with no_grad():
            return [_array(o) for o in _outputs(func(*_with(given, which, perturbed)))]

    numeric = []
    for index in np.ndindex(start.shape):
        up, down = start.copy(), start.copy()
        up[index] += eps
        down[index] -= eps
        pairs = zip(values(up), values(down), strict=True)
        numeric.append([(above - below) / (2 * eps) for above, below in pairs])
    with enable_grad():
        outputs = _outputs(func(*given))
    for number, output in enumerate(outputs):
        if not output.dtype.is_floating_point:
            continue
        slopes = [column[number] for column in numeric]
        wanted = np.array(slopes).reshape(*start.shape, *output.shape)
        for index in np.ndindex(tuple(output.shape)):
            analytic = _slope(output, x, index)
            right = wanted[(..., *index)]
            if not np.allclose(analytic, right, rtol, atol, equal_nan=True):
                raise GradcheckError(
                    f"[gradcheck] wrong derivative of element {index} of output "
                    f"{number} with respect to input {which}: backward gives "
                    f"{analytic.tolist()}, the central difference is {right.tolist()}."
                )


def _with(given: list[Any], which: int, replacement: Any) -> list[Any]:
    return [replacement if i == which else x for i, x in enumerate(given)]


def _slope(output: Any, x: Any, index: tuple[int, ...]) -> Any:
    if not output.requires_grad:
        return np.zeros(tuple(x.shape))
    one = np.zeros(tuple(output.shape))
    one[index] = 1.0
    given = tensor(one, dtype=output.dtype.name, device=str(output.device)).as_torch()
    (gradient,) = neutral.grad([output], [x], [given], True, False, True)
    return np.zeros(tuple(x.shape)) if gradient is None else _array(gradient)
