"""`torch.dtype`, promotion of dtypes and finfo.

Each is one object, so that `x.dtype is torch.float32` holds.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import _core

__all__ = [
    "bfloat16", "bool", "double", "dtype", "finfo", "float", "float16", "float32",
    "float64", "get_default_dtype", "half", "int", "int32", "int64", "long",
    "set_default_dtype", "uint8",
]  # fmt: skip


class dtype(_core.DType):
    """Type of a tensor's elements, such as `torch.float32`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(2).dtype
        torch.float32
        >>> torch.float is torch.float32
        True
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> Any:
        return _dtype_by_name, (self.name,)

    @property
    def is_complex(self) -> builtins.bool:
        """False: complex numbers are not supported."""
        return False

    @property
    def is_signed(self) -> builtins.bool:
        """Whether the dtype has negative numbers."""
        return self.name not in ("uint8", "bool")


_FLOATS = ("float32", "float64", "float16", "bfloat16")
_BY_NAME = {name: dtype(name) for name in (*_FLOATS, "int32", "int64", "uint8", "bool")}
for _each in _BY_NAME.values():
    _core.set_torch_dtype(_each)

float32 = float = _BY_NAME["float32"]
float64 = double = _BY_NAME["float64"]
float16 = half = _BY_NAME["float16"]
bfloat16 = _BY_NAME["bfloat16"]
int32 = int = _BY_NAME["int32"]
int64 = long = _BY_NAME["int64"]
uint8 = _BY_NAME["uint8"]
bool = _BY_NAME["bool"]

_PYTHONS = {builtins.float: None, builtins.int: int64, builtins.bool: bool}


def _dtype_by_name(name: str) -> dtype:
    return _BY_NAME[name]


def as_torch_dtype(core_dtype: _core.DType) -> dtype:
    """Return the core's dtype as a PyTorch dtype."""
    return core_dtype if isinstance(core_dtype, dtype) else _BY_NAME[core_dtype.name]


def as_dtype(where: str, wanted: Any) -> dtype:
    """Return an argument `dtype=` as a dtype; accepts Python's float, int and bool.

    Raises:
        TypeError: It is none of these.
    """
    if isinstance(wanted, _core.DType):
        return as_torch_dtype(wanted)
    if wanted is builtins.float:
        return float64
    if isinstance(wanted, type) and wanted in _PYTHONS:
        return _PYTHONS[wanted] or float64
    raise TypeError(
        f"[{where}] got dtype {wanted!r}; need a torch.dtype. Try torch.float32, or "
        "torch.int64 for integers."
    )


def get_default_dtype() -> dtype:
    """Return the dtype of tensors of Python floats, initially `torch.float32`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.get_default_dtype()
        torch.float32
    """
    return as_torch_dtype(_core.torch_default_dtype())


def set_default_dtype(d: dtype) -> None:
    """Set the dtype of tensors of Python floats.

    Raises:
        TypeError: `d` is not a floating dtype.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.set_default_dtype(torch.float64)
        >>> torch.tensor(1.5).dtype
        torch.float64
        >>> torch.set_default_dtype(torch.float32)
    """
    _core.set_torch_default_dtype(as_dtype("set_default_dtype", d))


def kind_of(dtype: _core.DType) -> builtins.int:
    """Return the category of a dtype: 0 bool, 1 integer, 2 floating."""
    return 2 if dtype.is_floating_point else builtins.int(dtype.name != "bool")


def promote_types(type1: _core.DType, type2: _core.DType) -> dtype:
    """Return the smallest dtype that holds both; float and integer give the float."""
    a, b = as_dtype("promote_types", type1), as_dtype("promote_types", type2)
    if kind_of(a) != kind_of(b):
        return a if kind_of(a) > kind_of(b) else b
    if {a.name, b.name} == {"float16", "bfloat16"}:
        return float32
    if a.itemsize == b.itemsize:
        return a
    return a if a.itemsize > b.itemsize else b


class finfo:
    """Limits of a floating dtype.

    Args:
        type: The dtype, by default the default dtype.

    Raises:
        TypeError: It is not floating.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.finfo(torch.float16).max
        65504.0
    """

    def __init__(self, type: dtype | None = None) -> None:
        of = get_default_dtype() if type is None else as_dtype("finfo", type)
        if not of.is_floating_point:
            raise TypeError(
                f"[finfo] got {of}; need a floating-point dtype. Try numpy.iinfo."
            )
        self.dtype, self.bits = of.name, of.itemsize * 8
        if of is bfloat16:  # which NumPy does not know
            self.eps, self.resolution = 2.0**-7, 0.01
            self.max = (2 - 2.0**-7) * 2.0**127
            self.smallest_normal = self.tiny = 2.0**-126
        else:
            known = np.finfo(of.name)
            self.eps = builtins.float(known.eps)
            self.resolution = builtins.float(known.resolution)
            self.max = builtins.float(known.max)
            self.smallest_normal = self.tiny = builtins.float(known.tiny)
        self.min = -self.max

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        rows = [f"{name}={getattr(self, name):g}" for name in names]
        return f"finfo({', '.join(rows)}, dtype={self.dtype})"
