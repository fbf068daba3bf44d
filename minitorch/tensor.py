"""Owns the long tail of Tensor's methods: printing, indexing, NumPy, conversions.

The class itself is made in C++ (`minitorch._core.Tensor`), so that results of C++ code
have the same type; this module attaches methods to it and knows no kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tensor = _core.Tensor
DType = _core.DType

Index = int | slice | None | tuple[int | slice | None, ...]


def _sizes(values: tuple[Any, ...]) -> tuple[int, ...]:
    """The sizes of `f(2, 3)`, `f((2, 3))` and `f([2, 3])` alike."""
    if len(values) == 1 and isinstance(values[0], Sequence):
        values = tuple(values[0])
    return tuple(int(value) for value in values)


def _numpy(self: Tensor) -> NDArray[Any]:
    """The tensor as a NumPy array, without history.

    Returns:
        An array of the same shape and dtype. On `cpu` it shares memory with the tensor;
        from `cuda` it is a copy, made after all queued work.

    Example:
        >>> import minitorch
        >>> minitorch.tensor([1, 2]).numpy()
        array([1., 2.])
    """
    return _core.to_numpy(self)


def _array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
    """NumPy's protocol: `numpy.asarray(tensor)`."""
    array = _core.to_numpy(self)
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


def _item(self: Tensor) -> float | int | bool:
    """The only element as a Python number.

    Raises:
        ValueError: The tensor has another number of elements.

    Example:
        >>> import minitorch
        >>> minitorch.tensor([2.5]).item()
        2.5
    """
    value: float = self._item()
    if self.dtype.is_floating_point:
        return value
    return bool(value) if self.dtype == _core.bool_ else int(self.numpy().item())


def _backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool = False,
    create_graph: bool = False,
) -> None:
    """Adds the gradient of this tensor to `grad` of every leaf that it came from.

    Args:
        gradient: d(loss)/d(self), of the same shape; by default 1, for one element.
        retain_graph: Keep what the graph saved, so that `backward` can be called again.
        create_graph: Record the computation of the gradients as well.

    Raises:
        RuntimeError: The tensor has no history, or an earlier call freed the graph.
        ValueError: `gradient` does not fit, or is missing for several elements.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> x.grad.item()
        6.0
    """
    _core.backward(self, gradient, retain_graph, create_graph)


def _permute(self: Tensor, *order: Any) -> Tensor:
    """A view with its dimensions in another order: (s0, s1, …) -> (s[order[0]], …).

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3).permute(1, 0).shape
        (3, 2)
    """
    return self._permute(_sizes(order))


def _transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with two dimensions swapped.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3, 4).transpose(0, 2).shape
        (4, 3, 2)
    """
    order = list(range(self.dims))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return self._permute(order)


def _reversed(self: Tensor) -> Tensor:
    """A view with its dimensions in reverse order."""
    return self._permute(list(range(self.dims - 1, -1, -1)))


def _view(self: Tensor, *shape: Any) -> Tensor:
    """The same memory as another shape; one size may be -1.

    Raises:
        ValueError: The tensor is not contiguous, so only `reshape` can do it.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3).view(3, -1).shape
        (3, 2)
    """
    if not self.is_contiguous():
        raise ValueError(
            f"[view] got strides {self.strides} for shape {self.shape}; need a "
            "contiguous tensor. Try .reshape(...) or .contiguous().view(...)."
        )
    return self._reshape(_sizes(shape))


def _reshape(self: Tensor, *shape: Any) -> Tensor:
    """The same elements as another shape: a view where possible, else a copy.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3).permute(1, 0).reshape(6).shape
        (6,)
    """
    return self._reshape(_sizes(shape))


def _expand(self: Tensor, *shape: Any) -> Tensor:
    """A view that repeats dimensions of size 1.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(3, 1).expand(3, 4).shape
        (3, 4)
    """
    return self._expand(_sizes(shape))


def _to(self: Tensor, target: Any) -> Tensor:
    """The tensor on another device ("cpu", "cuda") or of another dtype.

    Example:
        >>> import minitorch
        >>> minitorch.tensor([1.5]).to("float32").dtype
        minitorch.float32
    """
    if isinstance(target, str) and target.partition(":")[0] in ("cpu", "cuda"):
        return self._to_device(target)
    return self._cast(_core.as_dtype(target))


def _cpu(self: Tensor) -> Tensor:
    """The tensor in host memory; itself if it is there."""
    return self._to_device("cpu")


def _cuda(self: Tensor) -> Tensor:
    """The tensor on the device `cuda`; itself if it is there."""
    return self._to_device("cuda")


def _requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Marks a leaf as one that collects a gradient, and returns it."""
    self.requires_grad = requires_grad
    return self


def _zero_grad_(self: Tensor) -> None:
    """Forgets the gradient."""
    self.grad = None


def _softmax(self: Tensor, dim: int) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`, without overflow.

    Example:
        >>> import minitorch
        >>> minitorch.tensor([[0.0, 0.0]]).softmax(1).numpy()
        array([[0.5, 0.5]])
    """
    return self.log_softmax(dim).exp()


def _full_index(self: Tensor, index: Index) -> tuple[int | slice | None, ...]:
    key = index if isinstance(index, tuple) else (index,)
    used = sum(part is not None for part in key)
    if used > self.dims:
        raise IndexError(
            f"[index] got {used} indices; need at most {self.dims} for shape "
            f"{self.shape}."
        )
    return key


def _getitem(self: Tensor, index: Index) -> Tensor | float:
    """Elements, slices with positive steps, and None for a new dimension.

    Returns:
        A Python number where every dimension has an index, else a view.

    Raises:
        IndexError: An index lies outside its dimension, or there are too many.

    Example:
        >>> import minitorch
        >>> t = minitorch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> t[1, 2]
        6.0
        >>> t[:, 1].numpy()
        array([2., 5.])
    """
    key = _full_index(self, index)
    view, dim, source = self, 0, 0
    for part in key:
        source += part is not None
        if part is None:
            view = view.unsqueeze(dim)
            dim += 1
        elif isinstance(part, slice):
            start, stop, step = part.start, part.stop, part.step
            size = view.shape[dim]
            view = view._slice(
                dim,
                0 if start is None else int(start),
                size if stop is None else int(stop),
                1 if step is None else int(step),
            )
            dim += 1
        else:
            size, at = view.shape[dim], int(part)
            if not -size <= at < size:
                raise IndexError(
                    f"[index] got {at} for dim {source - 1} of size {size}; need "
                    f"{-size} to {size - 1}."
                )
            at %= size
            view = view._slice(dim, at, at + 1, 1).squeeze(dim)
    only_ints = all(isinstance(part, int | np.integer) for part in key)
    return view.item() if only_ints and view.dims == 0 else view


def _len(self: Tensor) -> int:
    if self.dims == 0:
        raise TypeError("[len] got a tensor without dimensions; need at least one.")
    return int(self.shape[0])


def _iter(self: Tensor) -> Iterator[Tensor | float]:
    return (self[i] for i in range(len(self)))


def _bool(self: Tensor) -> bool:
    if self.size != 1:
        raise ValueError(
            f"[bool] got shape {self.shape}; need one element. Try .all() of a "
            "comparison."
        )
    return bool(self.item())


def _all(self: Tensor) -> Tensor:
    """1.0 if no element is 0, else 0.0, of shape (1,).

    Example:
        >>> import minitorch
        >>> minitorch.tensor([1, 0]).all().item()
        0.0
    """
    zeros = (self.detach() == 0).sum()
    return zeros == 0


def _is_close(self: Tensor, other: Tensor | float) -> Tensor:
    """1.0 where the two differ by less than 0.01, else 0.0.

    Example:
        >>> import minitorch
        >>> minitorch.tensor([1.0]).is_close(1.001).item()
        1.0
    """
    return (self - other).detach().abs() < 1e-2


def _repr(self: Tensor) -> str:
    text = np.array2string(
        self.detach().numpy(), separator=", ", prefix="tensor(", precision=4
    )
    notes = [] if self.dtype == "float64" else [f"dtype={self.dtype.name}"]
    notes += [f"device={self.device!r}"] if self.device != "cpu" else []
    notes += ["requires_grad=True"] if self.requires_grad else []
    return ", ".join([f"tensor({text}", *notes]) + ")"


_METHODS = {
    "numpy": _numpy,
    "to_numpy": _numpy,
    "__array__": _array,
    "item": _item,
    "backward": _backward,
    "permute": _permute,
    "transpose": _transpose,
    "view": _view,
    "reshape": _reshape,
    "expand": _expand,
    "to": _to,
    "cpu": _cpu,
    "cuda": _cuda,
    "requires_grad_": _requires_grad_,
    "zero_grad_": _zero_grad_,
    "softmax": _softmax,
    "__getitem__": _getitem,
    "__len__": _len,
    "__iter__": _iter,
    "__bool__": _bool,
    "__float__": lambda self: float(self.item()),
    "__int__": lambda self: int(self.item()),
    "__ne__": lambda self, other: 1 - (self == other),
    "__le__": lambda self, other: (self < other) + (self == other),
    "__ge__": lambda self, other: (self > other) + (self == other),
    "T": property(_reversed),
    "all": _all,
    "is_close": _is_close,
    "__repr__": _repr,
}

for _name, _method in _METHODS.items():
    setattr(Tensor, _name, _method)
# NumPy must leave `array + tensor` to us instead of adding element by element.
Tensor.__array_ufunc__ = None

