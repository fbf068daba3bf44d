"""Owns what `import minitorch` brings. Must not find or load a GPU, driver or NVRTC."""

from __future__ import annotations

try:
    from . import _core as _core
except ImportError as error:
    # A missing module is reported as a circular import, which is no help.
    reason = "it was not built" if "circular" in str(error) else str(error)
    raise ImportError(
        f"[minitorch] the compiled core does not load: {reason}. In a checkout, build "
        "it with: pip install -e . (or: make test)."
    ) from None

from . import blas as _blas
from . import cuda
from ._core import bfloat16, float16, float32, float64, int32, int64, uint8
from ._core import bool_ as bool

# The name `tensor` is the function; the module of that name is minitorch.tensor in
# imports only.
from .tensor import DType, Tensor  # isort: skip
from .create import (  # isort: skip
    full,
    get_default_dtype,
    manual_seed,
    ones,
    rand,
    randn,
    set_default_dtype,
    tensor,
    zeros,
)
from .create_ranges import (  # isort: skip
    arange,
    empty,
    empty_like,
    eye,
    full_like,
    linspace,
    ones_like,
    rand_like,
    randint,
    randn_like,
    zeros_like,
)
from . import (
    autograd,
    compat,
    data,
    functional,
    nn,
    operators,
    optim,
    scalar_functions,
    tensor_ops,
)
from .autodiff import (
    Context,
    Variable,
    backpropagate,
    central_difference,
    topological_sort,
    variable_count,
)
from .datasets import datasets
from .function import (
    Function,
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from .interchange import from_dlpack, from_numpy
from .memory import memory_stats, release_cached_memory, reset_peak_memory
from .module import Module, Parameter
from .nn import (
    Linear,
    ReLU,
    Sequential,
    Sigmoid,
    Tanh,
    cross_entropy,
    logsoftmax,
    nll_loss,
    softmax,
)
from .operators import prod
from .optim import SGD, Optimizer
from .scalar import Scalar, ScalarHistory, derivative_check
from .scalar_functions import ScalarFunction
from .serialization import load, save
from .testing import MathTest, MathTestVariable

__version__ = "0.1.0"
version = "0.4"  # of MiniTorch, whose names these are

__all__ = [
    "SGD",
    "Context",
    "DType",
    "Function",
    "Linear",
    "MathTest",
    "MathTestVariable",
    "Module",
    "Optimizer",
    "Parameter",
    "ReLU",
    "Scalar",
    "ScalarFunction",
    "ScalarHistory",
    "Sequential",
    "Sigmoid",
    "Tanh",
    "Tensor",
    "Variable",
    "arange",
    "autograd",
    "backpropagate",
    "bfloat16",
    "bool",
    "central_difference",
    "compat",
    "cross_entropy",
    "cuda",
    "data",
    "datasets",
    "derivative_check",
    "empty",
    "empty_like",
    "enable_grad",
    "eye",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "from_numpy",
    "full",
    "full_like",
    "functional",
    "get_default_dtype",
    "int32",
    "int64",
    "is_grad_enabled",
    "linspace",
    "load",
    "logsoftmax",
    "manual_seed",
    "memory_stats",
    "nll_loss",
    "nn",
    "no_grad",
    "ones",
    "ones_like",
    "operators",
    "optim",
    "prod",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "release_cached_memory",
    "reset_peak_memory",
    "save",
    "scalar_functions",
    "set_default_dtype",
    "set_grad_enabled",
    "softmax",
    "tensor",
    "tensor_ops",
    "topological_sort",
    "uint8",
    "variable_count",
    "version",
    "zeros",
    "zeros_like",
]

_blas.connect()
