"""Map, zip and reduce of Python scalar functions over tensors, on both devices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import _core
from ._core import Tensor
from .cuda.tracebacks import learner_frames
from .tensors.simple_ops import (
    SimpleBackend,
    SimpleOps,
    tensor_map,
    tensor_reduce,
    tensor_zip,
)
from .tensors.tensor_backend import MapProto, TensorBackend, TensorOps

if TYPE_CHECKING:
    from .cuda.language.scalar_function import ScalarFunction

__all__ = [
    "MapProto",
    "SimpleBackend",
    "SimpleOps",
    "TensorBackend",
    "TensorOps",
    "reduce",
    "tensor_map",
    "tensor_reduce",
    "tensor_zip",
]

# Not brought by `import *`, where they would hide Python's own.
_HIDING = ("map", "zip")


def __dir__() -> list[str]:
    return sorted([*__all__, *_HIDING])


def map(fn: Callable[..., object]) -> Callable[[Tensor], Tensor]:
    """Turn a function of one number into a function of tensors: out[i] = fn(a[i]).

    Args:
        fn: A Python function of a number: arithmetic, comparisons, if/else, `math.*`,
            calls of such functions. It is translated, not called.

    Returns:
        A function of a tensor. Its result has the shape, dtype and device of the
        argument and no history.

    Raises:
        minitorch.cuda.CompileError: At the first use, if `fn` cannot be translated.

    Kernel:
        `map.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> relu = map(lambda x: x if x > 0 else 0.0)
        >>> relu(minitorch.tensor([-1.0, 2.0])).to_numpy()
        array([0., 2.])
    """

    @learner_frames
    def mapped(a: Tensor) -> Tensor:
        return _function(fn, "map", a).map(a)

    return mapped


def zip(fn: Callable[..., object]) -> Callable[[Tensor, Tensor], Tensor]:
    """Turn a function of two numbers into one of tensors: out[i] = fn(a[i], b[i]).

    Args:
        fn: A Python function of two numbers, as for `map`.

    Returns:
        A function of two tensors on one device. Their shapes are broadcast and their
        dtypes promoted; the result has no history.

    Raises:
        minitorch.cuda.CompileError: At the first use, if `fn` cannot be translated.

    Kernel:
        `zip.cu`, a thread per element of the result.

    Example:
        >>> import minitorch
        >>> larger = zip(lambda x, y: x if x > y else y)
        >>> larger(minitorch.tensor([1.0, 5.0]), minitorch.tensor([3.0])).to_numpy()
        array([3., 5.])
    """

    @learner_frames
    def zipped(a: Tensor, b: Tensor) -> Tensor:
        a, b = _promoted(a, b)
        return _function(fn, "zip", a, b).zip(a, b)

    return zipped


def reduce(
    fn: Callable[..., object], start: float = 0.0
) -> Callable[[Tensor, int], Tensor]:
    """Turn a function of two numbers into a fold of tensors along a dimension.

    Args:
        fn: A Python function of two numbers, as for `map`, that is associative and
            commutative up to rounding: the cells are joined in a tree.
        start: Joined once with the cells of each output.

    Returns:
        A function of a tensor and a dimension, which stays with size 1. The result has
        the dtype of the tensor and no history.

    Raises:
        minitorch.cuda.CompileError: At the first use, if `fn` cannot be translated.

    Kernel:
        `reduce.cu`, a group of threads per output with a tree in shared memory.

    Example:
        >>> import minitorch
        >>> product = reduce(lambda x, y: x * y, start=1.0)
        >>> product(minitorch.tensor([[1.0, 2.0], [3.0, 4.0]]), 1).to_numpy()
        array([[ 2.],
               [12.]])
    """

    @learner_frames
    def reduced(a: Tensor, dim: int) -> Tensor:
        return _function(fn, "reduce", a, a).reduce(a, dim, start)

    return reduced


def _function(
    fn: Callable[..., object], where: str, *tensors: Tensor
) -> _core.ScalarFunction:
    # Late: what reads Python would double the time to import this package.
    from .cuda.language import scalar_function, types

    kinds = tuple(types.Type(_type_name(where, tensor)) for tensor in tensors)
    return _native(scalar_function.translate(fn, kinds))


@functools.lru_cache(maxsize=256)
def _native(translated: ScalarFunction) -> _core.ScalarFunction:
    flat = translated.flat
    return _core.ScalarFunction(
        translated.name,
        translated.cuda,
        [type_.value for type_ in flat.arguments],
        [
            (step.operation, step.type.value, step.operands, step.constant)
            for step in flat.instructions
        ],
        flat.result,
    )


def _type_name(where: str, tensor: Tensor) -> str:
    name = tensor.dtype.name
    if name not in ("float32", "float64", "int32", "int64", "bool"):
        raise TypeError(
            f"[{where}] got a tensor of {name}; need float32, float64, int32, int64 or "
            "bool. Try .to(minitorch.float32)."
        )
    return name


def _promoted(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    if a.dtype == b.dtype:
        return a, b
    dtype = _core.promote(a.dtype, b.dtype)
    return a.to(dtype), b.to(dtype)
