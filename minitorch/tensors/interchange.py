"""Exchange tensors with other libraries: NumPy, DLPack, pickle, copies.

`minitorch.tensors.tensor_methods` lists the methods; the memory is shared in C++.
"""

from __future__ import annotations

import copy as copies
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._core import Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # DLPack's device types
_VERSION = (1, 0)


def from_numpy(array: NDArray[Any]) -> Tensor:
    """Return a tensor that shares memory with a NumPy array.

    Args:
        array: Any layout, also with negative steps; not written to where it is
            read-only.

    Raises:
        TypeError: It is not an array, or of a dtype that tensors do not have.
        ValueError: Its byte order or layout cannot be shared.

    Example:
        >>> import numpy as np
        >>> array = np.zeros(3)
        >>> tensor = from_numpy(array[::-1])
        >>> tensor += 1
        >>> array[0] = 5
        >>> tensor.numpy()
        array([1., 1., 5.])
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(
            f"[from_numpy] got {type(array).__name__}; need a NumPy array. Try "
            "minitorch.tensor(...), which copies."
        )
    return _core.share_numpy(array)


def to_array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
    """NumPy's protocol, `numpy.asarray(tensor)`: shares memory where it can.

    Raises:
        ValueError: `copy` is False, but the memory cannot be shared.
    """
    array = _core.to_numpy(self)
    other = dtype is not None and array.dtype != np.dtype(dtype)
    if copy is False and (other or self.device != "cpu"):
        raise ValueError(
            f"[__array__] cannot convert a tensor of {self.dtype.name} on "
            f"{self.device} without a copy; need the requested dtype, on the CPU. Try "
            "copy=None."
        )
    if other:
        return array.astype(dtype)
    return array.copy() if copy and self.device == "cpu" else array


def dlpack_device(self: Tensor) -> tuple[int, int]:
    """Return DLPack's type and index of the device: (1, 0) is cpu, (2, 0) is cuda."""
    return (_CPU if self.device == "cpu" else _CUDA), 0


def dlpack(
    self: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return a DLPack capsule with the memory of this tensor.

    Args:
        stream: Of the consumer; all work on the tensor is done before it gets it.
        max_version: Newest version that the consumer knows; none for unversioned.
        dl_device: Where the consumer wants it: (1, 0) copies from a GPU.
        copy: True for memory of its own, False to refuse one that needs a copy.

    Raises:
        BufferError: The tensor collects a gradient, is on the emulator, is read-only
            and the consumer knows no flag for that, or needs a copy that is refused.
    """
    if self.requires_grad:
        raise BufferError(
            "[dlpack] the tensor requires a gradient, which the receiving library "
            "cannot record. Try .detach()."
        )
    wanted = dlpack_device(self) if dl_device is None else tuple(dl_device)
    if wanted not in ((_CPU, 0), dlpack_device(self)):
        raise BufferError(
            f"[dlpack] got device {wanted}, but the tensor is on {self.device}; need "
            f"{dlpack_device(self)} or {(_CPU, 0)}."
        )
    moves = wanted != dlpack_device(self)
    if moves and copy is False:
        raise BufferError(
            "[dlpack] copy=False is impossible from cuda to cpu. Try copy=None."
        )
    if wanted[0] == _CUDA and _core.is_emulated():
        raise BufferError(
            "[dlpack] the tensor is on the emulator, whose memory other libraries "
            "cannot access. Try .cpu()."
        )
    versioned = max_version is not None and max_version[0] >= 1
    if moves or copy:
        copied = self.cpu() if moves else self.clone()
        return _core.to_dlpack(copied, versioned, True)
    if self._read_only and not versioned:
        raise BufferError(
            "[dlpack] the tensor is read-only, which the receiving library cannot "
            "express. Pass max_version of at least (1, 0), or copy=True."
        )
    return _core.to_dlpack(self, versioned, False)


def _capsule(source: Any, **options: Any) -> Any:
    try:
        return source.__dlpack__(max_version=_VERSION, **options)
    except TypeError:  # made before DLPack's version 1
        return source.__dlpack__(**options)


def _copied_to_host(source: Any, copy: bool | None) -> Tensor:
    """Copy another library's GPU tensor to host memory."""
    if copy is False:
        raise BufferError(
            "[from_dlpack] copy=False is impossible for a tensor on a GPU, because "
            "device cuda is emulated. Try copy=None."
        )
    try:
        capsule = source.__dlpack__(
            max_version=_VERSION, dl_device=(_CPU, 0), copy=True
        )
    except TypeError:
        raise BufferError(
            "[from_dlpack] the tensor is on a GPU, but device cuda is emulated, and "
            "its library cannot copy it to the CPU here. Try its .cpu()."
        ) from None
    return _core.from_dlpack(capsule)


def _on_device_array(source: Any, device: str | None, copy: bool | None) -> Tensor:
    """Return a tensor on the memory of one of this library's device arrays."""
    pointer, name, _, shape, strides = source.__minitorch_device_view__
    dtype = _core.as_dtype(name)
    steps = [step // dtype.itemsize for step in strides]
    result = _core.tensor_at((pointer, steps), shape, dtype, source)
    if device not in (None, result.device):
        if copy is False:
            raise BufferError(
                f"[from_dlpack] copy=False is impossible from cuda to {device}. Try "
                "copy=None."
            )
        return result.to(device)
    return result.clone() if copy else result


def from_dlpack(
    source: Any, device: str | None = None, copy: bool | None = None
) -> Tensor:
    """Return a tensor on the memory of another library's tensor.

    Args:
        source: An object with `__dlpack__` and `__dlpack_device__`.
        device: "cpu" or "cuda", by default where it is.
        copy: True for memory of its own, False to refuse one that needs a copy.

    Returns:
        A tensor that shares memory with `source` where both can reach it. A GPU tensor
        of another library is copied where device `cuda` is the emulator.

    Raises:
        BufferError: Sharing was required and is not possible, or the kind of device is
            not known.
        TypeError: `source` has no such protocol, or a dtype that tensors lack.

    Example:
        >>> import numpy as np
        >>> array = np.arange(3.0)
        >>> tensor = from_dlpack(array)
        >>> tensor += 1
        >>> array
        array([1., 2., 3.])
    """
    if not hasattr(source, "__dlpack__") or not hasattr(source, "__dlpack_device__"):
        raise TypeError(
            f"[from_dlpack] got {type(source).__name__}; need an object with "
            "__dlpack__ and __dlpack_device__."
        )
    if hasattr(source, "__minitorch_device_view__") and not isinstance(source, Tensor):
        return _on_device_array(source, device, copy)
    kind = source.__dlpack_device__()[0]
    is_copy = False
    if kind in (_CPU, _CUDA_HOST):
        result = _core.from_dlpack(_capsule(source))
    elif kind not in (_CUDA, _CUDA_MANAGED):
        raise BufferError(f"[from_dlpack] got device type {kind}; need cpu or cuda.")
    elif _core.is_emulated():
        result, is_copy = _copied_to_host(source, copy).cuda(), True
    else:
        stream = _core.current_stream_handle() or 1  # 1: CUDA's default stream
        result = _core.from_dlpack(_capsule(source, stream=stream))
    if device is not None and device != result.device:
        if copy is False:
            raise BufferError(
                f"[from_dlpack] copy=False is impossible from {result.device} to "
                f"{device}. Try copy=None."
            )
        return result.to(device)
    return result.clone() if copy and not is_copy else result


def _rebuilt(
    data: bytes,
    dtype: str,
    shape: tuple[int, ...],
    device: str,
    requires_grad: bool,
    dialect: str,
    kind: type[Tensor] | None = None,
) -> Tensor:
    result = _core.from_bytes(data, _core.as_dtype(dtype), shape)._to_device(device)
    result = result.as_torch() if dialect == "torch" else result.as_minitorch()
    return _as_kind(result, kind).requires_grad_(requires_grad)


def _kind_of(self: Tensor) -> type[Tensor] | None:
    """Return the class if it is a subclass such as `torch.nn.Parameter`, else None."""
    return type(self) if type(self) is not type(self.detach()) else None


def _as_kind(result: Tensor, kind: type[Tensor] | None) -> Tensor:
    """Return a tensor without history as an instance of a subclass."""
    if kind is None:
        return result
    instance: Tensor = result._as_instance(kind)
    return instance


def _state(self: Tensor) -> dict[str, Any]:
    """Return the tensor's Python attributes and its gradient."""
    state = dict(self.__dict__)
    if self.name != str(self.unique_id):
        state["name"] = self.name
    if self.grad is not None:
        state["grad"] = self.grad.detach()
    return state


def set_state(self: Tensor, state: dict[str, Any]) -> None:
    for name, value in state.items():
        setattr(self, name, value)


def _require_leaf(self: Tensor, where: str) -> None:
    if self.requires_grad and _core.graph_step(self) is not None:
        raise RuntimeError(
            f"[{where}] cannot copy the result of an operation, because its history "
            "would be lost. Try .detach()."
        )


def reduce(self: Tensor) -> tuple[Any, ...]:
    """Return data, dtype, device, gradient and attributes (pickle's protocol)."""
    _require_leaf(self, "pickle")
    parts = (
        _core.to_bytes(self),
        self.dtype.name,
        self.shape,
        self.device,
        bool(self.requires_grad),
        self._dialect,
        *filter(None, [_kind_of(self)]),
    )
    return _rebuilt, parts, _state(self)


def shallow_copy(self: Tensor) -> Tensor:
    """Return another tensor on the same memory (`copy.copy`)."""
    _require_leaf(self, "copy")
    result = _as_kind(self.detach(), _kind_of(self))
    result.requires_grad_(self.requires_grad)
    set_state(result, _state(self))
    return result


#: A memo of `copy.deepcopy` may say by this key on which device copies are wanted:
#: whole networks go there with all that they hold; "same" keeps each where it lies.
#: Results of ops become leaves.
DEVICE_OF_COPIES = "minitorch.device"


def deep_copy(self: Tensor, memo: dict[Any, Any]) -> Tensor:
    """Return a tensor with its own memory (`copy.deepcopy`)."""
    if not isinstance(memo, dict):
        raise TypeError(
            f"[deepcopy] got memo {memo!r}; need a dict. Use copy.deepcopy."
        )
    device = memo.get(DEVICE_OF_COPIES)
    if device is None:
        _require_leaf(self, "deepcopy")
    source = self.detach()
    there = (
        source._to_device(device)
        if device not in (None, "same", self.device)
        else source.clone()
    )
    result = _as_kind(there, _kind_of(self)).requires_grad_(self.requires_grad)
    memo[id(self)] = result
    set_state(result, copies.deepcopy(_state(self), memo))
    return result


def new_device_array(self: Tensor, shape: Sequence[int], dtype: str) -> Tensor:
    """Return an uninitialized tensor for the result of a kernel that took this one."""
    return _core.empty(shape, _core.as_dtype(dtype), self.device)
