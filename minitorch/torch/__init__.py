"""Owns what `import minitorch.torch as torch` brings: PyTorch's names and meaning.

Tensors made here have PyTorch's dialect, and so has what comes of them; `as_minitorch`
shows one in MiniTorch's. One file a family of names; this one knows none of their
insides.
"""

from __future__ import annotations

from . import random, tensor_methods
from .conversions import (
    clone,
    detach,
    is_complex,
    is_floating_point,
    is_same_size,
    is_tensor,
    numel,
)
from .create import (
    as_tensor,
    asarray,
    empty,
    empty_like,
    from_dlpack,
    from_numpy,
    full,
    full_like,
    ones,
    ones_like,
    rand,
    rand_like,
    randn,
    randn_like,
    scalar_tensor,
    tensor,
    zeros,
    zeros_like,
)
from .devices import device
from .dtypes import (
    bfloat16,
    bool,
    can_cast,
    double,
    dtype,
    finfo,
    float,
    float16,
    float32,
    float64,
    get_default_dtype,
    half,
    iinfo,
    int,
    int32,
    int64,
    long,
    promote_types,
    set_default_dtype,
    uint8,
)
from .random import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .size import Size
from .tensor import Tensor

tensor_methods.attach()

__all__ = [
    "Generator",
    "Size",
    "Tensor",
    "as_tensor",
    "asarray",
    "bfloat16",
    "bool",
    "can_cast",
    "clone",
    "default_generator",
    "detach",
    "device",
    "double",
    "dtype",
    "empty",
    "empty_like",
    "finfo",
    "float",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "from_numpy",
    "full",
    "full_like",
    "get_default_dtype",
    "get_rng_state",
    "half",
    "iinfo",
    "initial_seed",
    "int",
    "int32",
    "int64",
    "is_complex",
    "is_floating_point",
    "is_same_size",
    "is_tensor",
    "long",
    "manual_seed",
    "numel",
    "ones",
    "ones_like",
    "promote_types",
    "rand",
    "rand_like",
    "randn",
    "randn_like",
    "random",
    "scalar_tensor",
    "seed",
    "set_default_dtype",
    "set_rng_state",
    "tensor",
    "uint8",
    "zeros",
    "zeros_like",
]
