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
    tensor_methods,
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
from .tensor import Size, Tensor

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
__all__ += arithmetic.__all__
__all__ += comparison.__all__
__all__ += conversions.__all__
__all__ += create.__all__
__all__ += devices.__all__
__all__ += sampling.__all__
__all__ += dtypes.__all__
__all__ += minmax.__all__
__all__ += indexing.__all__
__all__ += joining.__all__
__all__ += modes.__all__
__all__ += slicing.__all__
__all__ += indexing_ops.__all__
__all__ += pointwise.__all__
__all__ += printing.__all__
__all__ += products.__all__
__all__ += random.__all__
__all__ += ranges.__all__
__all__ += reduce.__all__
__all__ += serialization.__all__
__all__ += shapes.__all__
__all__ += sorting.__all__

tensor_methods.attach()
absent.attach(Tensor)
