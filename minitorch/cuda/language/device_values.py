"""Owns the device names that are values: `threadIdx.x`, `laneid`; types no calls."""

from __future__ import annotations

from .names import DeviceName
from .typed import Constant, Expression
from .typed_kernel import Intrinsic, Special
from .types import Type

__all__ = ["device_value"]

_INDICES = {
    f"{root}.{axis}": f"{root}.{axis}"
    for root in ("threadIdx", "blockIdx", "blockDim", "gridDim")
    for axis in "xyz"
}


def device_value(name: DeviceName) -> Expression | None:
    """Give the value that a device name is, or None for a function or namespace.

    Args:
        name: A name of `minitorch.cuda`.

    Returns:
        An int32, as in Numba.

    Example:
        >>> from minitorch.cuda.language.names import device_name_of
        >>> print(device_value(device_name_of("threadIdx.x")).type)
        int32
    """
    if name.path in _INDICES:
        return Special(Type.INT32, name.path)
    if name.path == "warpsize":
        return Constant(Type.INT32, 32)
    if name.path == "laneid":
        return Intrinsic(Type.INT32, "lane_id", (), ("device.cuh",), nonnegative=True)
    return None
