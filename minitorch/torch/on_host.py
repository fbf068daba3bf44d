"""The way of elements to NumPy and back, for what the library has no loops of.

Gradients do not go this way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._core import Tensor as Base
from .arguments import place_of


def to_host(input: Any) -> Any:
    """The elements as a NumPy array; 16-bit floats as float32."""
    here = Base._to_device(Base.detach(input), "cpu")
    if here.dtype.is_floating_point and here.dtype.itemsize == 2:
        here = Base._cast(here, _core.float32)
    return _core.to_numpy(here)


def to_device(array: Any, like: Any) -> Any:
    """A NumPy array as a tensor of PyTorch's dialect, where `like` lies."""
    made = _core.from_numpy(np.asarray(array, order="C")).as_torch()
    return Base._to_device(made, place_of(like))
