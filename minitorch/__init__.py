"""MiniTorch on CUDA: tensors, autograd, modules and GPU kernels."""

from __future__ import annotations

import os
import sys

if sys.argv[:2] == ["-m", "course"] and sys.path[0] in ("", os.getcwd()):
    # Nothing is imported of the folder where it is started: hand-ins may lie there.
    del sys.path[0]

import importlib
import importlib.util
from typing import TYPE_CHECKING

try:
    from . import _core as _core
except ImportError as error:
    # A missing module is reported as a circular import, which is no help.
    built = importlib.util.find_spec(f"{__name__}._core") is not None
    reason = str(error) if built else "it was not built"
    raise ImportError(
        f"[minitorch] the compiled core cannot be loaded: {reason}. In a checkout, "
        "build it with pip install -e . (or make test)."
    ) from None

from . import cuda
from ._core import bfloat16, float16, float32, float64, int32, int64, uint8
from .tensors import blas as _blas

# The name `tensor` is the function; the module of that name is minitorch.tensor in
# imports only.
from .tensor import DType, Tensor  # isort: skip
from .tensors.create import (  # isort: skip
    get_default_dtype,
    manual_seed,
    set_default_dtype,
)
from .tensors.in_minitorch import (  # isort: skip
    arange,
    empty,
    empty_like,
    eye,
    from_dlpack,
    from_numpy,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    tensor,
    zeros,
    zeros_like,
)
from . import (
    autograd,
    backends,
    compat,
    cuda_ops,
    data,
    fast_ops,
    functional,
    nn,
    operators,
    optim,
    scalar_functions,
    tensor_functions,
    tensor_ops,
    viz,
)
from .autodiff import (
    Context,
    Variable,
    backpropagate,
    central_difference,
    topological_sort,
    variable_count,
)
from .autograd.custom_op import custom_op
from .autograd.function import (
    Function,
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from .autograd.fuse import fuse
from .autograd.gradient_check import grad_central_difference, grad_check
from .autograd.graphed import make_graphed as _make_graphed
from .autograd.override import override
from .cuda.device.graphs import connect_tensors as _connect_tensors
from .cuda_ops import (
    CudaBackend,
    CudaOps,
    jit_mm_practice,
    jit_sum_practice,
    mm_practice,
    sum_practice,
)
from .datasets import datasets
from .fast_conv import (
    Conv1dFun,
    Conv2dFun,
    conv1d,
    conv2d,
)
from .fast_ops import FastBackend, FastOps
from .functional import (
    cat,
    clamp,
    cos,
    erf,
    exp,
    flatten,
    log,
    matmul,
    maximum,
    minimum,
    relu,
    rsqrt,
    sigmoid,
    sin,
    sqrt,
    squeeze,
    stack,
    tanh,
    transpose,
    unsqueeze,
    where,
)
from .functional.methods import METHODS as _FUNCTIONAL
from .module import Module, Parameter
from .nn import (
    Linear,
    ReLU,
    Sequential,
    Sigmoid,
    Tanh,
    cross_entropy,
    nll_loss,
)
from .nn.functions import (
    Max,
    argmax,
    avgpool2d,
    dropout,
    logsoftmax,
    max_reduce,
    maxpool2d,
    softmax,
    tile,
)
from .nn.functions import max as max
from .operators import prod
from .optim import SGD, Optimizer
from .scalar import Scalar, ScalarHistory, derivative_check
from .scalar_functions import ScalarFunction
from .tensor_data import (
    MAX_DIMS,
    Index,
    IndexingError,
    OutIndex,
    Shape,
    Storage,
    Strides,
    TensorData,
    UserIndex,
    UserShape,
    UserStrides,
    broadcast_index,
    index_to_position,
    shape_broadcast,
    strides_from_shape,
    to_index,
)
from .tensor_functions import (
    EQ,
    LT,
    Add,
    All,
    Copy,
    Exp,
    Inv,
    IsClose,
    Log,
    MatMul,
    Mul,
    Neg,
    Permute,
    Sum,
    View,
)
from .tensors.memory import memory_stats, release_cached_memory, reset_peak_memory
from .tensors.simple_ops import (
    SimpleBackend,
    SimpleOps,
    tensor_map,
    tensor_reduce,
    tensor_zip,
)
from .tensors.tensor_backend import MapProto, TensorBackend, TensorOps
from .tensors.tensor_methods import attach as _attach
from .testing import MathTest, MathTestVariable
from .upstream.tensor_history import History
from .upstream.upstream_dialect import MINITORCH as _MINITORCH
from .upstream.upstream_dialect import register_operations as _register_operations

__version__ = "0.1.0"  # of this package
# Of upstream MiniTorch, whose names these are: its programs ask for it.
version = "0.4"
bool = _core.bool_


def load_ipython_extension(shell: object) -> None:
    """Register the cell magics `%%cuda` and `%%cu` (`%load_ext minitorch`)."""
    from .tools import program_cell  # late: programs outside of notebooks do without

    cuda.load_ipython_extension(shell)
    program_cell.load_ipython_extension(shell)


__all__ = [
    "EQ",
    "LT",
    "MAX_DIMS",
    "SGD",
    "Add",
    "All",
    "Context",
    "Conv1dFun",
    "Conv2dFun",
    "Copy",
    "CudaBackend",
    "CudaOps",
    "DType",
    "Exp",
    "FastBackend",
    "FastOps",
    "Function",
    "History",
    "Index",
    "IndexingError",
    "Inv",
    "IsClose",
    "Linear",
    "Log",
    "MapProto",
    "MatMul",
    "MathTest",
    "MathTestVariable",
    "Max",
    "Module",
    "Mul",
    "Neg",
    "Optimizer",
    "OutIndex",
    "Parameter",
    "Permute",
    "ReLU",
    "Scalar",
    "ScalarFunction",
    "ScalarHistory",
    "Sequential",
    "Shape",
    "Sigmoid",
    "SimpleBackend",
    "SimpleOps",
    "Storage",
    "Strides",
    "Sum",
    "Tanh",
    "Tensor",
    "TensorBackend",
    "TensorData",
    "TensorOps",
    "UserIndex",
    "UserShape",
    "UserStrides",
    "Variable",
    "View",
    "arange",
    "argmax",
    "autograd",
    "avgpool2d",
    "backends",
    "backpropagate",
    "bfloat16",
    "broadcast_index",
    "cat",
    "central_difference",
    "clamp",
    "compat",
    "conv1d",
    "conv2d",
    "cos",
    "cross_entropy",
    "cuda",
    "cuda_ops",
    "custom_op",
    "data",
    "datasets",
    "derivative_check",
    "dropout",
    "empty",
    "empty_like",
    "enable_grad",
    "erf",
    "exp",
    "explain",
    "eye",
    "fast_ops",
    "flatten",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "from_numpy",
    "full",
    "full_like",
    "functional",
    "fuse",
    "get_default_dtype",
    "grad_central_difference",
    "grad_check",
    "index_to_position",
    "int32",
    "int64",
    "is_grad_enabled",
    "jit_mm_practice",
    "jit_sum_practice",
    "linspace",
    "load",
    "log",
    "logsoftmax",
    "manual_seed",
    "matmul",
    "max_reduce",
    "maximum",
    "maxpool2d",
    "memory_stats",
    "minimum",
    "mm_practice",
    "models",
    "nll_loss",
    "nn",
    "no_grad",
    "ones",
    "ones_like",
    "operators",
    "optim",
    "override",
    "prod",
    "profiler",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "release_cached_memory",
    "relu",
    "reset_peak_memory",
    "rsqrt",
    "save",
    "scalar_functions",
    "set_default_dtype",
    "set_grad_enabled",
    "shape_broadcast",
    "sigmoid",
    "sin",
    "softmax",
    "source",
    "sqrt",
    "squeeze",
    "stack",
    "strides_from_shape",
    "sum_practice",
    "tanh",
    "tensor",
    "tensor_functions",
    "tensor_map",
    "tensor_ops",
    "tensor_reduce",
    "tensor_zip",
    "tile",
    "to_index",
    "topological_sort",
    "transpose",
    "uint8",
    "unsqueeze",
    "variable_count",
    "version",
    "viz",
    "where",
    "zeros",
    "zeros_like",
]

# Not brought by `import *`, where they would hide Python's own.
_HIDING = ("bool", "max")


def __dir__() -> list[str]:
    return sorted([*__all__, *_HIDING])


if TYPE_CHECKING:
    from . import models, profiler
    from .network.explain import explain
    from .network.sources import source
    from .tensors.files.serialization import load, save

_blas.connect()
_connect_tensors(_make_graphed)
_attach(_FUNCTIONAL, _MINITORCH)
_register_operations()


# Functions, and the modules that have them.
_LATE = {
    "explain": "network.explain",
    "load": "tensors.files.serialization",
    "save": "tensors.files.serialization",
    "source": "network.sources",
}


# Searched for names that are not here.
_ROOMS = ("functional", "nn", "optim", "data")


def __getattr__(name: str) -> object:
    # Read when asked for: few programs need them.
    if name in ("models", "profiler"):
        return importlib.import_module(f"{__name__}.{name}")
    if name in _LATE:
        module = importlib.import_module(f"{__name__}.{_LATE[name]}")
        value: object = globals().setdefault(name, getattr(module, name))
        return value
    near = "" if name.startswith("_") else _elsewhere(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{near}")


def _elsewhere(name: str) -> str:
    """Return a hint to a name of PyTorch's top level that is elsewhere here, or ""."""
    places = (f"{room}.{name}" for room in _ROOMS if name in dir(globals().get(room)))
    matches = [f"{__name__}.{qualified}" for qualified in places]
    matches += (
        [f".{name}() of a tensor"] if callable(getattr(Tensor, name, None)) else []
    )
    return f". There is {' and '.join(matches)}." if matches else ""
