"""Owns the layers that learn the width of their input from the first one: nn.Lazy….

Before that their parameters hold no numbers; then they become the layer of that width.
Must not know what layers compute.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, NoReturn, cast

from ... import _core
from ...gradients.function import no_grad
from .convolution import Conv1d, Conv2d
from .derived import (
    BatchNorm3d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from .linear import Linear
from .module import Module
from .normalisation import BatchNorm1d, BatchNorm2d
from .parameter import Parameter


class UninitializedParameter(Parameter):
    """A parameter of a lazy layer before its first input: without shape or numbers.

    It is the same object afterwards, so that optimizers made before go on with it.

    Raises:
        RuntimeError: Asked for its shape.
        ValueError: Asked for its number of elements.
    """

    __slots__ = ()

    def _refuse(self) -> NoReturn:
        raise RuntimeError(
            "[shape] got a parameter of a lazy layer that has seen no input; need one: "
            "call the network with a batch first."
        )

    @property
    def shape(self) -> Any:
        """Unknown by now: RuntimeError."""
        self._refuse()

    def size(self, dim: Any = None) -> Any:  # type: ignore[override]
        """Unknown by now: RuntimeError."""
        self._refuse()

    def numel(self) -> int:
        """Unknown by now: ValueError."""
        raise ValueError(
            "[numel] got a parameter of a lazy layer that has seen no input; need one: "
            "call the network with a batch first."
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        kind = str(self.dtype).rpartition(".")[2]
        return _without_numbers, (kind, str(self.device), self.requires_grad)

    def __repr__(self) -> str:
        return "<UninitializedParameter>"


def _without_numbers(kind: str, device: str, learns: bool) -> UninitializedParameter:
    """What a pickle of such a parameter gives."""
    empty: Any = _core.empty((0,), _core.DType(kind), device).as_torch()
    return UninitializedParameter(empty, learns)


def _take(kept: Any, value: Any) -> None:
    """Makes a parameter without numbers one with those of another."""
    learns = kept.requires_grad
    kept.__class__ = Parameter
    with no_grad():
        kept.data = value.detach().to(kept.device, kept.dtype)
    kept.requires_grad = learns


class _Lazy(Module):
    """What lazy layers share: `_layer` is what it becomes, `_size` the size it lacks.

    Args as of the layer it becomes, without that size.
    """

    _layer: Any
    _size: str
    _axis = 1  # of a batch, where the size stands
    _ranks: tuple[int, ...] = ()

    def __init__(self, *args: Any, **options: Any) -> None:
        signature = inspect.signature(self._layer.__init__)
        try:
            bound = signature.bind(self, 1, *args, **options)
        except TypeError as error:
            raise TypeError(f"[{type(self).__name__}] {error}.") from None
        groups = bound.arguments.get("groups", 1)
        self._layer.__init__(self, groups, *args, **options)
        self.__dict__["_asked"] = (args, dict(options))
        self.__dict__[self._size] = 0
        own: dict[str, Any] = self._parameters
        for name, value in own.items():
            if value is not None:
                empty = value.detach().reshape(-1)[:0]
                own[name] = UninitializedParameter(empty)

    def has_uninitialized_params(self) -> bool:
        """Has it seen no input yet?"""
        return True

    def reset_parameters(self) -> None:
        """Nothing: there are no numbers yet."""

    def initialize_parameters(self, input: Any) -> None:
        """Becomes the layer that fits an input; parameters stay the same objects.

        Raises:
            ValueError: The input has another number of dimensions.
        """
        rank = len(input.shape)
        if self._ranks and rank not in self._ranks:
            raise ValueError(
                f"[{type(self).__name__}] got input {tuple(input.shape)}; need one of "
                f"{' or '.join(map(str, self._ranks))} dimensions."
            )
        unbatched = self._size == "in_channels" and rank == self._ranks[0]
        self._become(input.shape[0 if unbatched else self._axis])

    def _become(self, size: int) -> None:
        args, options = self.__dict__.pop("_asked")
        fresh = self._layer(size, *args, **options)
        for name, value in fresh._parameters.items():
            if value is None:
                continue
            kept: Any = self._parameters[name]
            if isinstance(kept, UninitializedParameter):
                _take(kept, value)
        for name, value in fresh._buffers.items():
            old = self._buffers[name]
            self._buffers[name] = (
                value if old is None else value.to(old.device, old.dtype)
            )
        self.__dict__[self._size] = size
        self.__class__ = self._layer

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """Becomes the layer of the input's width, and applies it."""
        given = inputs[0] if inputs else next(iter(options.values()))
        self.initialize_parameters(given)
        return cast(Any, self).forward(*inputs, **options)

    def _load_from_state_dict(
        self, state_dict: Mapping[str, Any], prefix: str, *rest: Any
    ) -> None:
        """A state dict says the size as well as an input does."""
        named = "weight" if self._size != "num_features" else "running_mean"
        for name in (named, "weight"):
            known = state_dict.get(prefix + name)
            if known is not None and "_asked" in self.__dict__:
                self._become(self._size_in(known))
        neutral: Any = Module
        neutral._load_from_state_dict(self, state_dict, prefix, *rest)

    def _size_in(self, known: Any) -> int:
        if self._size == "num_features":
            return int(known.shape[0])
        transposed = getattr(self, "transposed", False)
        groups = getattr(self, "groups", 1)
        return int(known.shape[0] if transposed else known.shape[1] * groups)


def _lazy(layer: Any, size: str, axis: int = 1, ranks: tuple[int, ...] = ()) -> Any:
    """The lazy class of a layer."""
    words = (
        f"{layer.__name__} that learns `{size}` from its first input.\n\n"
        f"Arguments as for {layer.__name__} without `{size}`."
    )
    body = {"_layer": layer, "_size": size, "_axis": axis, "_ranks": ranks}
    body |= {"__module__": __name__, "__doc__": words}
    return type(f"Lazy{layer.__name__}", (_Lazy, layer), body)


LazyLinear = _lazy(Linear, "in_features", -1)
LazyConv1d = _lazy(Conv1d, "in_channels", ranks=(2, 3))
LazyConv2d = _lazy(Conv2d, "in_channels", ranks=(3, 4))
LazyConv3d = _lazy(Conv3d, "in_channels", ranks=(4, 5))
LazyConvTranspose1d = _lazy(ConvTranspose1d, "in_channels", ranks=(2, 3))
LazyConvTranspose2d = _lazy(ConvTranspose2d, "in_channels", ranks=(3, 4))
LazyBatchNorm1d = _lazy(BatchNorm1d, "num_features", ranks=(2, 3))
LazyBatchNorm2d = _lazy(BatchNorm2d, "num_features", ranks=(4,))
LazyBatchNorm3d = _lazy(BatchNorm3d, "num_features", ranks=(5,))
LazyInstanceNorm1d = _lazy(InstanceNorm1d, "num_features", ranks=(2, 3))
LazyInstanceNorm2d = _lazy(InstanceNorm2d, "num_features", ranks=(3, 4))
LazyInstanceNorm3d = _lazy(InstanceNorm3d, "num_features", ranks=(4, 5))
