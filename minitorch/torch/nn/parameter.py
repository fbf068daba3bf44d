"""Parameter: a tensor that a module registers.

What is computed with it is a plain tensor.
"""

from __future__ import annotations

from typing import Any, Self

from ... import _core, module
from ..arguments import require_torch
from ..tensor import Tensor

__all__ = ["Parameter"]


class Parameter(Tensor):
    """Tensor that a module learns: a leaf that requires a gradient.

    Args:
        data: A tensor, whose memory it shares; by default one without elements.
        requires_grad: Does it collect a gradient?

    Raises:
        TypeError: `data` is no torch.Tensor, or not of a floating dtype though it is
            to have a gradient.

    Example:
        >>> import minitorch
        >>> weight = Parameter(minitorch.ones(2).as_torch())
        >>> isinstance(weight, Tensor), weight.requires_grad
        (True, True)
        >>> type(weight * 2) is Tensor
        True
    """

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Self:
        if data is None:
            data = _core.empty((0,), _core.torch_default_dtype(), "cpu")
        if isinstance(data, module.Parameter):  # what neutral layers make
            data = data.value
        require_torch(cls.__name__, data)
        if not isinstance(requires_grad, bool):
            raise TypeError(
                f"[{cls.__name__}] got requires_grad {requires_grad!r}; need True or "
                "False."
            )
        result: Self = data.detach().as_torch()._as_instance(cls)
        result.requires_grad = requires_grad
        return result

    def __init__(self, *args: Any, **options: Any) -> None:
        """Do nothing: `__new__` creates the tensor."""

    @property
    def value(self) -> Self:
        """The parameter itself: layers of both dialects read the tensor here."""
        return self

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"
