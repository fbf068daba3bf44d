"""The variables of a module as arrays: their memory, and dtype and shape from how CUDA
C++ declares them.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ..arrays.device_array import DeviceArray
from ..arrays.layout import Layout, Shape, as_dtype, as_sizes, contiguous_strides

_DTYPES = {
    "bool": "bool",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "unsigned": "uint32",
    "unsigned int": "uint32",
    "long": "int64",
    "unsigned long": "uint64",
    "long long": "int64",
    "unsigned long long": "uint64",
    "size_t": "uint64",
    "half": "float16",
    "__half": "float16",
    "float": "float32",
    "double": "float64",
}
_DTYPES |= {f"{s}int{b}_t": f"{s}int{b}" for s in ("", "u") for b in (8, 16, 32, 64)}
_NO_TYPE = {"__device__", "__constant__", "__managed__", "static", "extern", "const",
            "volatile", "inline", "constexpr"}  # fmt: skip


def variable(
    module: _core.RawModule,
    name: str,
    dtype: npt.DTypeLike | None,
    shape: Shape | None,
) -> DeviceArray:
    """The memory of a `__device__` or `__constant__` variable as an array.

    Args:
        module: where it is.
        name: its name, or the name expression that was given for it.
        dtype: None for that of the declaration; bytes where that is not understood.
        shape: None for that of the declaration; one dimension where it is not told.

    Raises:
        ValueError: there is no such variable, or the shape does not fit.
    """
    memory = module.global_variable(name)
    known, sizes = declared(module.code, name)
    kind = as_dtype(known if dtype is None else dtype, "get_global")
    if shape is not None:
        sizes = as_sizes(shape, "get_global")
    fits = sizes is not None and math.prod(sizes) * kind.itemsize == memory.nbytes
    if not fits:
        count, rest = divmod(memory.nbytes, kind.itemsize)
        if shape is not None or (dtype is not None and rest):
            raise ValueError(
                f"[get_global] got shape {sizes} of {kind} for {name!r} of "
                f"{memory.nbytes} bytes; need a shape and dtype of that size."
            )
        kind = np.dtype(np.uint8) if rest else kind
        sizes = (memory.nbytes if rest else count,)
    assert sizes is not None
    strides = contiguous_strides(sizes, kind.itemsize)
    return DeviceArray(Layout(0, sizes, strides), kind, memory)


def declared(code: str, name: str) -> tuple[np.dtype[Any], tuple[int, ...] | None]:
    """What CUDA C++ says of a variable: dtype and sizes.

    Returns:
        uint8 where the type is not understood; None for sizes that are no numbers.

    Example:
        >>> declared("__constant__ float weights[3][5] = {};", "weights")
        (dtype('float32'), (3, 5))
        >>> declared("__device__ Point corner;", "corner")
        (dtype('uint8'), ())
    """
    word = re.escape(name.lstrip("&").rpartition("::")[2])
    found = re.search(
        r"((?:\w+\s+)*__(?:device|constant|managed)__\s+(?:\w+\s+)*)"
        rf"{word}\s*((?:\[[^\]]*\]\s*)*)[=;{{]",
        code,
    )
    if found is None:
        return np.dtype(np.uint8), None
    words = [each for each in found.group(1).split() if each not in _NO_TYPE]
    dtype = np.dtype(_DTYPES.get(" ".join(words), "uint8"))
    sizes = re.findall(r"\[\s*([^\]]*?)\s*\]", found.group(2))
    if not all(size.isdigit() for size in sizes):
        return dtype, None
    return dtype, tuple(map(int, sizes))
