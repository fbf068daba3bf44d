"""The class of tensors of PyTorch's dialect.

A subclass of the C++ class, which holds what all dialects share; `tensor_methods` gives
it PyTorch's methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core

__all__ = ["Tensor"]


class Tensor(_core.Tensor):
    """A tensor whose methods have PyTorch's names, defaults and meaning.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([1.0, 2.0]).as_torch()
        >>> type(x + 1) is type(x)
        True
        >>> type(x.as_minitorch()) is minitorch.Tensor
        True
    """

    __slots__ = ()

    if TYPE_CHECKING:  # what the families attach has no type here
        device: Any  # type: ignore[assignment]
        shape: Any
        size: Any

        def __getattr__(self, name: str) -> Any: ...


_core.set_tensor_type("torch", Tensor)
