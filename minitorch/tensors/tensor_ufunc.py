"""NumPy's operators and ufuncs with tensor arguments."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core

Tensor = _core.Tensor

_OPERATORS: dict[Any, Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
    np.matmul: operator.matmul,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.negative: operator.neg,
    np.absolute: operator.abs,
    np.exp: Tensor.exp,
    np.log: Tensor.log,
    np.sqrt: Tensor.sqrt,
    np.tanh: Tensor.tanh,
}


def array_ufunc(
    self: Tensor, ufunc: Any, method: str, *inputs: Any, **options: Any
) -> Any:
    """Apply a NumPy ufunc to tensors; arrays become constant tensors.

    The result is a tensor, on the tensor's device and with its history.

    Raises:
        TypeError: Another function of NumPy, or one with `out=`, `where=` and the like.

    Example:
        >>> import minitorch
        >>> np.array([1.0, 2.0]) * minitorch.tensor([3.0, 4.0])
        tensor([3., 8.])
    """
    apply = _OPERATORS.get(ufunc)
    if apply is None or method != "__call__" or options:
        name = getattr(ufunc, "__name__", ufunc)
        raise TypeError(
            f"[{name}] this NumPy function does not accept a Tensor in this form; need "
            "an array. Try x.numpy()."
        )
    return apply(*(_constant(operand, self.device) for operand in inputs))


def _constant(value: Any, device: str) -> Any:
    """Convert an array to a tensor on `device`, a NumPy number to a Python number."""
    if isinstance(value, np.ndarray):
        return _core.from_numpy(value)._to_device(device)
    return value.item() if isinstance(value, np.generic) else value
