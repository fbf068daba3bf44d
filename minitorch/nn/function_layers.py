"""Layers that apply a function with stored options, such as padding.

Options have the names, order and defaults that they have in the function.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, ClassVar

from .. import functional
from .._core import FitError, Tensor
from ..autograd.stand_ins import is_given_values
from ..functional.arguments import require_tensors, several
from ..module import Module

__all__ = [
    "ZeroPad2d",
]


@functools.cache
def _options(function: str, inputs: int) -> inspect.Signature:
    """Return a function's parameters after its tensors that the layer has."""
    signature = inspect.signature(getattr(functional, function))
    kept = list(signature.parameters.values())[inputs:]
    return inspect.Signature([p for p in kept if p.name != "training"])


@functools.cache
def _takes_training(function: str) -> bool:
    return "training" in inspect.signature(getattr(functional, function)).parameters


class FunctionLayer(Module):
    """A function of tensors whose options are attributes of the layer.

    Attributes:
        functions: the module of the function.
        function: its name.
        inputs: how many tensors a call takes.
        printed: the options of its repr; all, with `inplace` if it is set, by default.
    """

    functions: ClassVar[Any] = functional
    function: ClassVar[str]
    inputs: ClassVar[int] = 1
    printed: ClassVar[tuple[str, ...] | None] = None

    def __init_subclass__(cls) -> None:
        if "function" in vars(cls) and cls.__init__ is FunctionLayer.__init__:
            options = _options(cls.function, cls.inputs)
            cls.__signature__ = options  # type: ignore[attr-defined]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()
        signature = _options(self.function, self.inputs)
        try:
            bound = signature.bind(*args, **options)
        except TypeError as error:
            name = type(self).__name__
            raise TypeError(
                f"[{name}] {error}; the signature is {signature}."
            ) from None
        bound.apply_defaults()
        self._names = tuple(bound.arguments)
        for name in self._names:
            self._option(name, bound.arguments[name])

    def _option(self, name: str, value: Any) -> None:
        if name == "inplace" and not isinstance(value, bool):
            raise TypeError(
                f"[{type(self).__name__}] got inplace {value!r}; need True or False."
            )
        if name in ("weight", "pos_weight"):  # a buffer, which moves with the module
            self.register_buffer(name, value)
        elif name == "reduction" and value not in (
            "none",
            "mean",
            "sum",
        ):
            raise FitError(
                f"[{type(self).__name__}] got reduction {value!r}; need 'none', 'mean' "
                "or 'sum'."
            )
        else:
            setattr(self, name, value)

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """Apply the function."""
        if not is_given_values(inputs, options):
            require_tensors(type(self).__name__, *inputs[: self.inputs])
        kept = {name: getattr(self, name) for name in self._names}
        if _takes_training(self.function):
            kept["training"] = self.training
        return getattr(self.functions, self.function)(*inputs, **kept, **options)

    def extra_repr(self) -> str:
        """Return the options."""
        names = self.printed
        if names is None:
            kept = (name for name in self._names if name != "inplace" or self.inplace)
            names = tuple(kept)
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in names)


class ZeroPad2d(Module):
    """Pad the last two dimensions with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = several(padding, 4, "padding", type(self).__name__)

    def forward(self, input: Tensor) -> Tensor:
        """Pad the input."""
        return functional.pad(input, self.padding)

    def extra_repr(self) -> str:
        """Return the padding before and after each dimension, last dimension first."""
        return str(self.padding)
