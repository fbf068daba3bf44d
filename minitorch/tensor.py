"""The class of tensors of MiniTorch's dialect, by upstream's name of the module.

A subclass of the C++ class, which holds what all dialects share;
`minitorch.tensors.tensor_methods` is the table of the methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    # One class to tools that read types: the core's stub has MiniTorch's methods, so
    # that code for both dialects and code for this one agree.
    Tensor = _core.Tensor
else:

    class Tensor(_core.Tensor):
        """A tensor of MiniTorch's dialect: an array with a place in a graph.

        Its methods have upstream MiniTorch's meaning: `sum(dim)` keeps the dim, and
        comparisons are 1 and 0. `as_torch()` shows the same elements to programs of
        PyTorch.
        """

        __slots__ = ()

    _core.set_tensor_type("minitorch", Tensor)

DType = _core.DType
