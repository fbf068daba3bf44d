"""Owns the names by which programs import the class: upstream's module of that name.

The class is C++; `minitorch.tensors.tensor_methods` is the table of its methods.
"""

from __future__ import annotations

from . import _core

Tensor = _core.Tensor
DType = _core.DType
