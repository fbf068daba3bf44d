"""`import minitorch.torch as torch`: PyTorch's names and meaning.

Tensors made here have PyTorch's dialect, and so has what comes of them; `as_minitorch`
shows one in MiniTorch's. A name that is not here says so in one sentence (absent.py).
"""

from __future__ import annotations

from . import (
    absent,
    arithmetic,
    autograd,
    backends,
    comparison,
    conversions,
    create,
    cuda,
    devices,
    distributions,
    dtypes,
    in_place,
    indexing,
    indexing_ops,
    joining,
    linalg,
    minmax,
    modes,
    nn,
    optim,
    pointwise,
    printing,
    products,
    profiler,
    random,
    ranges,
    reduce,
    return_types,
    sampling,
    serialization,
    shapes,
    slicing,
    sorting,
    utils,
)
from .arithmetic import *
from .comparison import *
from .conversions import *
from .create import *
from .devices import *
from .dtypes import *
from .einsum import einsum
from .indexing import *
from .indexing_ops import *
from .joining import *
from .linalg import norm_of as norm
from .minmax import *
from .modes import *
from .modes import __version__ as __version__
from .pointwise import *
from .printing import *
from .products import *
from .random import *
from .ranges import *
from .reduce import *
from .sampling import *
from .serialization import *
from .shapes import *
from .slicing import *
from .sorting import *
from .tensor import METHODS, Size, Tensor

__all__ = [
    "Size",
    "Tensor",
    "__version__",
    "autograd",
    "backends",
    "cuda",
    "distributions",
    "einsum",
    "linalg",
    "nn",
    "norm",
    "optim",
    "profiler",
    "random",
    "return_types",
    "utils",
]
for _family in (
    arithmetic,
    comparison,
    conversions,
    create,
    devices,
    dtypes,
    in_place,
    indexing,
    indexing_ops,
    joining,
    minmax,
    modes,
    pointwise,
    printing,
    products,
    random,
    ranges,
    reduce,
    sampling,
    serialization,
    shapes,
    slicing,
    sorting,
):
    __all__ += _family.__all__

for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
absent.attach(Tensor)
