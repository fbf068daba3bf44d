"""The table of Tensor's methods.

The class is made in C++ (`minitorch._core.Tensor`), so that results of C++ code have
the same type; Python attaches the long tail. What a dialect has beside these methods or
in their place is no row here but an overlay, which says so (`Dialect`); the package
lays MiniTorch's over them (`minitorch.upstream.upstream_dialect`), after those methods
that are functions (`minitorch.functional.methods`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._core import Tensor
from . import interchange
from . import tensor_index as indexing
from . import tensor_layout as layout
from .tensor_ufunc import array_ufunc

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _numpy(self: Tensor) -> NDArray[Any]:
    """Return the tensor as a NumPy array, without history.

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
    """Return the only element as a Python number.

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


def _numel(self: Tensor) -> int:
    """Return the number of elements.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2, 3).numel()
        6
    """
    return self.size


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


def _to(
    self: Tensor,
    *targets: Any,
    device: Any = None,
    dtype: Any = None,
    non_blocking: bool = False,
) -> Tensor:
    """Return the tensor on another device ("cpu", "cuda") or with another dtype.

    Args:
        targets: A device, a dtype, or both.
        device, dtype: The same by name.
        non_blocking: For programs of PyTorch. Up to 64 KiB never wait on their way to
            `cuda`, more always do, as this memory is not page-locked.

    Raises:
        TypeError: Neither a device nor a dtype.

    Example:
        >>> import minitorch
        >>> minitorch.tensor([1.5]).to("float32").dtype
        minitorch.float32
    """
    wanted = [wish for wish in (*targets, device, dtype) if wish is not None]
    if not wanted:
        raise TypeError("[to] got no arguments; need a device, a dtype or both.")
    if not isinstance(non_blocking, bool):
        raise TypeError(
            f"[to] got non_blocking {non_blocking!r}; need True or False. Pass a dtype "
            "as dtype=."
        )
    result = self
    for wish in wanted:
        if isinstance(wish, str) and wish.partition(":")[0] in ("cpu", "cuda"):
            result = result._to_device(wish)
        else:
            result = result._cast(_core.as_dtype(wish))
    return result


def _requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Makes a leaf collect a gradient, or not; the tensor itself.

    Raises:
        RuntimeError: An op made the tensor.
        TypeError: It is to have a gradient and its dtype is not floating.

    Example:
        >>> import minitorch
        >>> minitorch.zeros(2).as_torch().requires_grad_().requires_grad
        True
    """
    self.requires_grad = requires_grad
    return self


def _cpu(self: Tensor) -> Tensor:
    """Return the tensor in host memory, or self if it is there already."""
    return self._to_device("cpu")


def _cuda(self: Tensor) -> Tensor:
    """Return the tensor on the device `cuda`, or self if it is there already."""
    return self._to_device("cuda")


def _len(self: Tensor) -> int:
    if self.dims == 0:
        raise TypeError("[len] a 0-dimensional tensor has no length.")
    return int(self.shape[0])


def _iter(self: Tensor) -> Iterator[Tensor | float]:
    return (self[i] for i in range(len(self)))


def _bool(self: Tensor) -> bool:
    if self.size != 1:
        raise ValueError(
            f"[bool] the truth value of a tensor of shape {tuple(self.shape)} is "
            "ambiguous; need one element. Try .all() of a comparison."
        )
    return bool(self.item())


def _round(self: Tensor, digits: int | None = None) -> Tensor | float:
    """Round a single element to a Python number, or several by `.round()`.

    Raises:
        TypeError: `digits` for several elements.
    """
    if self.size == 1:
        return round(self.item(), digits)
    if digits is not None:
        raise TypeError(
            f"[round] digits {digits} needs a tensor of one element, got "
            f"shape {tuple(self.shape)}."
        )
    rounded: Tensor = self.round()
    return rounded


def _format(self: Tensor, spec: str) -> str:
    """Format like a number if there is one element and a format spec, or no dimension.

    Raises:
        TypeError: A format for several elements.
    """
    if not self.shape or (spec and self.size == 1):
        return format(self.item(), spec)
    if spec:
        raise TypeError(
            f"[format] the format {spec!r} applies to one element, but the tensor has "
            f"shape {tuple(self.shape)}. Try .item()."
        )
    return str(self)


def _repr(self: Tensor) -> str:
    text = np.array2string(
        self.detach().numpy(), separator=", ", prefix="tensor(", precision=4
    )
    notes = [] if self.dtype == "float64" else [f"dtype={self.dtype.name}"]
    notes += [f"device={self.device!r}"] if self.device != "cpu" else []
    notes += ["requires_grad=True"] if self.requires_grad else []
    return ", ".join([f"tensor({text}", *notes]) + ")"


def _conversion(name: str) -> Callable[[Tensor], Tensor]:
    dtype = _core.as_dtype(name)

    def convert(self: Tensor) -> Tensor:
        return self._cast(dtype)

    convert.__doc__ = f"Return the tensor as {name}, or self if it has this dtype."
    return convert


_OF_THE_CORE = frozenset(vars(Tensor))
# The methods beside those of C++ (bindings/), which have their docstrings there;
# torch's names have torch's meaning.
METHODS: dict[str, Any] = {
    "numpy": _numpy,
    "item": _item,
    "numel": _numel,
    "backward": _backward,
    "requires_grad_": _requires_grad_,
    "to": _to,
    "cpu": _cpu,
    "cuda": _cuda,
    "bfloat16": _conversion("bfloat16"),
    "double": _conversion("float64"),
    "half": _conversion("float16"),
    "long": _conversion("int64"),
    "__len__": _len,
    "__iter__": _iter,
    "__bool__": _bool,
    "__float__": lambda self: float(self.item()),
    "__int__": lambda self: int(self.item()),
    "__round__": _round,
    "__format__": _format,
    "__repr__": _repr,
    "permute": layout.permute,
    "transpose": layout.transpose,
    "view": layout.view,
    "reshape": layout.reshape,
    "expand": layout.expand,
    "T": property(layout.reverse_dims),
    "__getitem__": indexing.getitem,
    "__setitem__": indexing.setitem,
    "__array_ufunc__": array_ufunc,
    "__minitorch_new_device_array__": interchange.new_device_array,
    "__array__": interchange.to_array,
    "__dlpack__": interchange.dlpack,
    "__dlpack_device__": interchange.dlpack_device,
    "__reduce__": interchange.reduce,
    "__copy__": interchange.shallow_copy,
    "__deepcopy__": interchange.deep_copy,
    "__setstate__": interchange.set_state,
}


@dataclass(frozen=True)
class Dialect:
    """Methods that a dialect adds to the tensors' own, and those that it replaces."""

    name: str
    adds: dict[str, Any]
    replaces: dict[str, Any]
    of: type[Tensor]  # the class that has them


def attach(methods: Mapping[str, Any], dialect: Dialect) -> None:
    """Set the methods on the class, and a dialect's on its class.

    Raises:
        ValueError: A method is there already, or what a dialect replaces is not.
    """
    names = {*_OF_THE_CORE, *METHODS, *methods}
    count = len(_OF_THE_CORE) + len(METHODS) + len(methods)
    if len(names) != count or names & dialect.adds.keys():
        raise ValueError(
            f"[Tensor] {dialect.name} or a table of methods defines one twice. A "
            "dialect lists what it replaces."
        )
    if not dialect.replaces.keys() <= names:
        raise ValueError(
            f"[Tensor] {dialect.name} replaces {dialect.replaces.keys() - names}, "
            "which do not exist. Add them instead."
        )
    for name, method in {**METHODS, **methods}.items():
        setattr(Tensor, name, method)
    for name, value in {**dialect.adds, **dialect.replaces}.items():
        setattr(dialect.of, name, value)
