"""Owns the names by which programs import the class: upstream's module of that name.

The class is made in C++; its methods are the table of `minitorch.tensor_methods`.
"""

from __future__ import annotations

from . import _core

Tensor = _core.Tensor
DType = _core.DType
