"""Owns the long tail of Tensor's methods: printing, NumPy, conversions, history.

The class itself is made in C++ (`minitorch._core.Tensor`), so that results of C++ code
have the same type; this module attaches methods to it and knows no kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, interchange
from . import tensor_index as indexing
from . import tensor_layout as layout
from .tensor_ufunc import array_ufunc

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tensor = _core.Tensor
DType = _core.DType


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
    _core.backward([self], [gradient], retain_graph, create_graph)


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


def _zero_grad_(self: Tensor) -> None:
    """Forgets the gradient."""
    self.grad = None


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
    "__array_ufunc__": array_ufunc,
    "numpy": _numpy,
    "to_numpy": _numpy,
    "item": _item,
    "backward": _backward,
    "permute": layout.permute,
    "transpose": layout.transpose,
    "view": layout.view,
    "reshape": layout.reshape,
    "expand": layout.expand,
    "to": _to,
    "cpu": _cpu,
    "cuda": _cuda,
    "zero_grad_": _zero_grad_,
    "__getitem__": indexing.getitem,
    "__setitem__": indexing.setitem,
    "__len__": _len,
    "__iter__": _iter,
    "__bool__": _bool,
    "__float__": lambda self: float(self.item()),
    "__int__": lambda self: int(self.item()),
    "T": property(layout.reverse_dims),
    "all": _all,
    "is_close": _is_close,
    "__repr__": _repr,
}

for _name, _method in (_METHODS | interchange.METHODS).items():
    setattr(Tensor, _name, _method)
