"""Upstream MiniTorch's dialect of Tensor, over the shared methods.

What upstream's programs and tests want beside our methods (parts in memory, backend,
place in a graph) and where its meaning is another; and the operations that tensors of
other backends call. Meanings of upstream's that C++ has itself, such as `<` that gives
floats, are listed in docs/minitorch_api.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from .. import tensor_functions as fn
from ..autograd.function import no_grad, step_of
from ..cuda_ops import CudaBackend
from ..fast_ops import FastBackend
from ..functional import reduce
from ..tensor import Tensor
from ..tensor_data import TensorData, shape_broadcast
from ..tensors import tensor_layout
from ..tensors.tensor_backend import backend_of, is_foreign, like, plain, with_backend
from ..tensors.tensor_methods import METHODS, Dialect
from . import tensor_history
from .tensor_history import History

Operation = Callable[..., Tensor]


def construct(
    data: TensorData | None = None,
    back: History | None = None,
    name: str | None = None,
    backend: Any = None,
) -> Tensor:
    """Implement `Tensor(data, back, name, backend)`, from upstream's parts."""
    if not isinstance(data, TensorData):
        raise TypeError(
            f"[Tensor] got {type(data).__name__}; need a TensorData. For a tensor from "
            "numbers, try minitorch.tensor(...)."
        )
    result = with_backend(_row_of(data)._strided(data.shape, data.strides), backend)
    if back is not None:
        result = _recorded(result, back)
    if name is not None:
        result.name = name
    return result


def _row_of(data: TensorData) -> Tensor:
    """Return the storage as a shared tensor; a read-only one is copied first."""
    row = data._storage
    if isinstance(row, Tensor):
        return row
    flags = row.flags
    if not (flags.c_contiguous and flags.writeable and flags.aligned):
        data._storage = row = np.array(row)
    return _core.share_numpy(row)


def _recorded(output: Tensor, back: History) -> Tensor:
    if back.last_fn is None:
        return output.requires_grad_()
    inputs = list(back.inputs)
    step = step_of(back.last_fn, inputs, output._backend())
    tensors = [value for value in inputs if isinstance(value, Tensor)]
    return _core.attach_python(output, tensors, back.last_fn.__name__, step, back.ctx)


def make(
    storage: Any,
    shape: Any,
    strides: tuple[int, ...] | None = None,
    backend: Any = None,
) -> Tensor:
    """Return a tensor of a list or a 1-D NumPy array, a shape and strides.

    Example:
        >>> import minitorch
        >>> minitorch.Tensor.make([1.0, 2.0, 3.0, 4.0], (2, 2), (1, 2)).numpy()
        array([[1., 3.],
               [2., 4.]])
    """
    return construct(TensorData(storage, tuple(shape), strides), backend=backend)


def tensor_data(self: Tensor) -> Any:
    """TensorData of the tensor, shared: writing to it changes the tensor.

    On `cuda` its row is read and written one element at a time.
    """
    strides = self.strides
    if any(step < 0 for step in strides):
        return tensor_data(plain(self).contiguous())
    row = self._memory_row()
    on_host = self.device == "cpu"
    return TensorData.over(_core.to_numpy(row) if on_host else row, self.shape, strides)


def parts(self: Tensor) -> Any:
    """Return storage, shape and strides, as kernels take them."""
    return tensor_data(self).tuple()


def get_backend(self: Tensor) -> Any:
    """Return the tensor's own backend, else that of its device."""
    backend = backend_of(self)
    if backend is not None:
        return backend
    return CudaBackend if self.device == "cuda" else FastBackend


def set_backend(self: Tensor, backend: Any) -> None:
    """Move the tensor to another backend, and to the device of that backend."""
    moved = with_backend(self.detach(), backend)
    if moved.device != self.device:
        self._assign(moved)
    self._set_backend(backend, getattr(backend, "native", None) is not None)


def new(self: Tensor, data: Any) -> Tensor:
    """Return a tensor of other TensorData with the same backend."""
    return construct(data, backend=self.backend)


def zeros(self: Tensor, shape: Any = None) -> Tensor:
    """Return zeros of a shape (default: its own), otherwise like the tensor."""
    sizes = self.shape if shape is None else tuple(int(s) for s in shape)
    return like(_core.full(sizes, 0, self.dtype, self.device), self)


def ensure(self: Tensor, value: Any) -> Tensor:
    """Convert a number to a tensor of shape (1,) with the same backend."""
    if isinstance(value, Tensor):
        return value
    return like(_core.full((1,), float(value), self.dtype, self.device), self)


def expand_gradient(self: Tensor, gradient: Tensor) -> Tensor:
    """Sum or repeat a gradient that broadcasts with this shape to this shape."""
    if gradient.shape == self.shape:
        return gradient
    full = shape_broadcast(self.shape, gradient.shape)
    with no_grad():
        total = plain(gradient)._expand(full)
        padded = (1,) * (len(full) - self.dims) + self.shape
        for dim, (size, wanted) in enumerate(zip(full, padded, strict=True)):
            if size != wanted:
                total = total.sum(dim)
        return like(total.contiguous()._reshape(self.shape), self)


def expand(self: Tensor, *shape: Any) -> Tensor:
    if len(shape) == 1 and isinstance(shape[0], Tensor):
        return expand_gradient(self, shape[0])
    return tensor_layout.expand(self, *shape)


expand.__doc__ = (tensor_layout.expand.__doc__ or "") + (
    "\n    With a tensor as the only argument: that gradient in this shape.\n    "
)


def _all(self: Tensor) -> Tensor:
    zeros = (self.detach() == 0).sum()
    return zeros == 0


def all(self: Tensor, *dim: Any, **options: Any) -> Tensor:
    """Return 1.0 if no element is 0, else 0.0, of shape (1,).

    Example:
        >>> import minitorch
        >>> minitorch.tensor([1, 0]).all().item()
        0.0
    """
    if is_foreign(self):
        return fn.All.apply(self, *dim, **options)
    return _all(self, *dim, **options)


def max(
    self: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False
) -> Any:
    """Return the maximum; along one `dim` as (values, indices).

    The pair unpacks; methods and operators are those of its values.

    Along several or all dims the values alone, as `amax(dim)` gives always.

    Example:
        >>> import minitorch
        >>> values, indices = minitorch.tensor([[1.0, 5.0], [7.0, 2.0]]).max(1)
        >>> values.numpy(), indices.numpy()
        (array([5., 7.]), array([1, 0]))
    """
    if isinstance(dim, int):
        return reduce.max(self, dim, keepdim)
    return _core.Tensor.max(self, dim, keepdim)


def min(
    self: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False
) -> Any:
    """Return the minimum; along one `dim` with its positions, as `max` does."""
    if isinstance(dim, int):
        return reduce.min(self, dim, keepdim)
    return _core.Tensor.min(self, dim, keepdim)


def is_close(self: Tensor, other: Any) -> Tensor:
    """Return 1.0 where the two differ by less than 0.01, else 0.0.

    Example:
        >>> import minitorch
        >>> minitorch.tensor([1.0]).is_close(1.001).item()
        1.0
    """
    if is_foreign(self):
        return fn.IsClose.apply(self, ensure(self, other))
    close: Tensor = (self - other).detach().abs() < 1e-2
    return close


def _zero_grad_(self: Tensor) -> None:
    """Reset the gradient to None."""
    self.grad = None


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Make the tensor a leaf that accumulates a gradient, or a constant; return it.

    A tensor that an op made forgets how.
    """
    if _core.graph_step(self) is not None:
        self._forget_history()
    self.requires_grad = requires_grad
    return self


class Flag(int):
    """Bool that may also be called, as upstream's `requires_grad()` is."""

    def __call__(self) -> bool:
        return bool(self)

    def __repr__(self) -> str:
        return str(bool(self))


_FLAGS = (Flag(0), Flag(1))


def _sum(self: Tensor, dim: Any = None, keepdim: bool = True) -> Tensor:
    if dim is None:
        row = self if self.is_contiguous() else self.contiguous()
        total = fn.Sum.apply(row.view(self.size), 0)
        return total if keepdim else total.squeeze(0)
    dims = sorted(d % self.dims for d in (dim if hasattr(dim, "__len__") else (dim,)))
    total = self
    for d in dims:
        total = fn.Sum.apply(total, d)
    for d in reversed(dims):
        total = total if keepdim else total.squeeze(d)
    return total


def _mean(self: Tensor, dim: Any = None, keepdim: bool = True) -> Tensor:
    total = _sum(self, dim, keepdim)
    return total * (total.size / self.size)


def _binary(function: Any, swap: bool = False) -> Operation:
    """Return an operator that applies one function to both sides."""

    def operator(self: Tensor, other: Any) -> Tensor:
        # With a foreign tensor on the right, the left side is any tensor.
        sides = (self, ensure(self, other))
        out: Tensor = function.apply(*(reversed(sides) if swap else sides))
        return out

    return operator


def _sub(self: Tensor, other: Any) -> Tensor:
    return fn.Add.apply(self, fn.Neg.apply(ensure(self, other)))


def _rsub(self: Tensor, other: Any) -> Tensor:
    return fn.Add.apply(ensure(self, other), fn.Neg.apply(self))


def _div(self: Tensor, other: Any) -> Tensor:
    return fn.Mul.apply(self, fn.Inv.apply(ensure(self, other)))


def _rdiv(self: Tensor, other: Any) -> Tensor:
    return fn.Mul.apply(ensure(self, other), fn.Inv.apply(self))


# What the core calls for tensors whose backend is not this library.
_OPERATIONS: dict[str, Operation] = {
    "Tensor": construct,
    "__add__": _binary(fn.Add),
    "__radd__": _binary(fn.Add, swap=True),
    "__sub__": _sub,
    "__rsub__": _rsub,
    "__mul__": _binary(fn.Mul),
    "__rmul__": _binary(fn.Mul, swap=True),
    "__truediv__": _div,
    "__rtruediv__": _rdiv,
    "__lt__": _binary(fn.LT),
    "__gt__": _binary(fn.LT, swap=True),
    "__eq__": _binary(fn.EQ),
    "__matmul__": fn.MatMul.apply,
    "neg": fn.Neg.apply,
    "relu": fn.ReLU.apply,
    "sigmoid": fn.Sigmoid.apply,
    "exp": fn.Exp.apply,
    "log": fn.Log.apply,
    "sum": _sum,
    "mean": _mean,
    "permute": fn.Permute.apply,
    "view": fn.View.apply,
    "contiguous": fn.Copy.apply,
}

_native_flag: Any = vars(_core.Tensor)["requires_grad"]


def _requires_grad(self: Tensor) -> Any:
    return _FLAGS[_native_flag.__get__(self)]


MINITORCH = Dialect(
    "upstream_dialect",
    adds={
        "_tensor": property(tensor_data),
        "backend": property(get_backend, set_backend),
        "f": property(get_backend),
        "_type_": set_backend,
        "_new": new,
        "_ensure_tensor": ensure,
        "make": staticmethod(make),
        "zeros": zeros,
        "tuple": parts,
        "history": property(tensor_history.history),
        "parents": property(tensor_history.parents),
        "chain_rule": tensor_history.chain_rule,
        "accumulate_derivative": tensor_history.accumulate_derivative,
        "flat": property(  # pytest.approx reads a tensor of shape () by it
            lambda self: self.detach().numpy().flat,
            doc="The elements, one after another, as of a NumPy array.",
        ),
        "zero_grad_": _zero_grad_,
        "to_numpy": METHODS["numpy"],
        "all": all,
        "is_close": is_close,
    },
    replaces={
        "expand": expand,  # of a gradient as well
        "max": max,  # along one dim with the positions
        "min": min,
        "requires_grad_": requires_grad_,  # also of a tensor that an op made
        "requires_grad": property(  # True or False, which may be called as well
            _requires_grad,
            _native_flag.__set__,
            doc="Is history recorded for it? True or False, which may be called as "
            "well.",
        ),
    },
    of=Tensor,
)


def register_operations() -> None:
    """Register the operations that the core calls for tensors of other backends."""
    _core.set_backend_operations(_OPERATIONS)
