"""What `import minitorch.torch as torch` brings: PyTorch's names and meaning.

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
    draws,
    dtypes,
    extremes,
    indexing,
    joining,
    linalg,
    modes,
    nn,
    optim,
    parts,
    placing,
    pointwise,
    printing,
    products,
    profiler,
    random,
    ranges,
    reduce,
    return_types,
    serialization,
    shapes,
    size,
    sorting,
    switches,
    tensor_methods,
    utils,
)
from .arithmetic import *
from .comparison import *
from .conversions import *
from .create import *
from .devices import *
from .draws import *
from .dtypes import *
from .einsum import einsum
from .extremes import *
from .indexing import *
from .joining import *
from .linalg import norm_of as norm
from .modes import *
from .parts import *
from .placing import *
from .pointwise import *
from .printing import *
from .products import *
from .random import *
from .ranges import *
from .reduce import *
from .serialization import *
from .shapes import *
from .size import *
from .sorting import *
from .switches import *
from .switches import __version__ as __version__
from .tensor import Tensor

__all__ = [
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
__all__ += draws.__all__
__all__ += dtypes.__all__
__all__ += extremes.__all__
__all__ += indexing.__all__
__all__ += joining.__all__
__all__ += modes.__all__
__all__ += parts.__all__
__all__ += placing.__all__
__all__ += pointwise.__all__
__all__ += printing.__all__
__all__ += products.__all__
__all__ += random.__all__
__all__ += ranges.__all__
__all__ += reduce.__all__
__all__ += serialization.__all__
__all__ += shapes.__all__
__all__ += size.__all__
__all__ += sorting.__all__
__all__ += switches.__all__

tensor_methods.attach()
absent.attach(Tensor)
