"""Parameter and Buffer: tensors that a module registers.

Both are tensors, of a class of their own; what is computed with them is a plain tensor.
"""

from __future__ import annotations

from typing import Any, Self

from ... import _core, module
from ..tensor import Tensor

__all__ = ["Buffer", "Parameter"]


class _ModuleTensor(Tensor):
    """Tensor that a module registers when it is assigned to an attribute."""

    __slots__ = ()

    def __init__(self, *args: Any, **options: Any) -> None:
        """Do nothing: `__new__` creates the tensor."""

    @classmethod
    def _from_data(cls, data: Any, requires_grad: bool) -> Self:
        """Return a leaf of this class that shares the elements of `data`."""
        name = cls.__name__
        if data is None:
            data = _core.empty((0,), _core.torch_default_dtype(), "cpu")
        if isinstance(data, module.Parameter):  # what neutral layers make
            data = data.value
        if not isinstance(data, _core.Tensor):
            raise TypeError(
                f"[{name}] got {type(data).__name__}; need a tensor. Try "
                "torch.tensor(...)."
            )
        if data._dialect == "minitorch":
            raise TypeError(
                f"[{name}] got a minitorch.Tensor; need a torch.Tensor. Try "
                ".as_torch()."
            )
        if not isinstance(requires_grad, bool):
            raise TypeError(
                f"[{name}] got requires_grad {requires_grad!r}; need True or False."
            )
        result: Self = data.detach().as_torch()._as_instance(cls)
        result.requires_grad = requires_grad
        return result


class Parameter(_ModuleTensor):
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
        return cls._from_data(data, requires_grad)

    @property
    def value(self) -> Self:
        """The parameter itself: layers of both dialects read the tensor here."""
        return self

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


class Buffer(_ModuleTensor):
    """Tensor that a module keeps but does not learn.

    Args:
        data: A tensor, whose memory it shares.
        persistent: Is it part of state dicts?

    Raises:
        TypeError: `data` is no torch.Tensor.

    Example:
        >>> import minitorch
        >>> Buffer(minitorch.ones(2).as_torch()).requires_grad
        False
    """

    __slots__ = ()

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Self:
        buffer = cls._from_data(data, False)
        buffer.persistent = persistent
        return buffer
