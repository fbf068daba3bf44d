"""Owns layers that are a function with its options kept, and those of activations.

Options have the names, order and defaults that they have in the function. Must not
know what the functions compute.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, ClassVar

from .. import functional
from .._core import Tensor
from ..functional.arguments import require_tensors
from ..module import Module


@functools.cache
def _options(name: str, inputs: int) -> inspect.Signature:
    """What a function takes after its tensors and beside `training`."""
    whole = inspect.signature(getattr(functional, name))
    kept = list(whole.parameters.values())[inputs:]
    return inspect.Signature([each for each in kept if each.name != "training"])


class FunctionLayer(Module):
    """A function of tensors whose options are attributes of the layer.

    Attributes:
        function: its name in minitorch.functional.
        inputs: how many tensors a call takes.
        at_call: options that a call gives.
        own: options whose default is another.
    """

    function: ClassVar[str]
    inputs: ClassVar[int] = 1
    at_call: ClassVar[tuple[str, ...]] = ()
    own: ClassVar[dict[str, Any]] = {}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()
        signature = _options(self.function, self.inputs)
        try:
            bound = signature.bind(*args, **{**self.own, **options})
        except TypeError as error:
            name = type(self).__name__
            raise TypeError(f"[{name}] {error}; need {signature}.") from None
        bound.apply_defaults()
        self._names = tuple(n for n in bound.arguments if n not in self.at_call)
        for name in self._names:
            self._option(name, bound.arguments[name])

    def _option(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor):  # a weight, which moves with the module
            self.register_buffer(name, value)
        elif name == "reduction" and value not in (
            "none",
            "mean",
            "sum",
            *(["batchmean"] if self.function == "kl_div" else []),
        ):
            raise ValueError(
                f"[{type(self).__name__}] got {value!r}; need 'none', 'mean' or 'sum'."
            )
        else:
            setattr(self, name, value)

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """Applies the function."""
        function = getattr(functional, self.function)
        require_tensors(type(self).__name__, *inputs[: self.inputs])
        kept = {name: getattr(self, name) for name in self._names}
        if "training" in inspect.signature(function).parameters:
            kept["training"] = self.training
        return function(*inputs, **kept, **options)

    def extra_repr(self) -> str:
        """The options."""
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in self._names)


class ELU(FunctionLayer):
    """x where it is positive, alpha (exp(x) - 1) elsewhere.

    Example:
        >>> import minitorch
        >>> ELU()(minitorch.zeros(2)).shape
        (2,)
    """

    function = "elu"


class SELU(FunctionLayer):
    """elu with the scales that keep mean 0 and variance 1."""

    function = "selu"


class CELU(FunctionLayer):
    """max(x, 0) + min(0, alpha (exp(x / alpha) - 1))."""

    function = "celu"


class RReLU(FunctionLayer):
    """leaky_relu with slopes drawn while training."""

    function = "rrelu"


class Softplus(FunctionLayer):
    """log(1 + exp(beta x)) / beta."""

    function = "softplus"


class Softsign(FunctionLayer):
    """x / (1 + |x|)."""

    function = "softsign"


class Softmin(FunctionLayer):
    """exp(-x) / sum(exp(-x)) along `dim`."""

    function = "softmin"


class Hardswish(FunctionLayer):
    """x hardsigmoid(x)."""

    function = "hardswish"


class Hardsigmoid(FunctionLayer):
    """min(max(x + 3, 0), 6) / 6."""

    function = "hardsigmoid"


class Hardtanh(FunctionLayer):
    """x limited to min_val … max_val."""

    function = "hardtanh"


class ReLU6(FunctionLayer):
    """min(max(x, 0), 6)."""

    function = "relu6"


class Mish(FunctionLayer):
    """x tanh(softplus(x))."""

    function = "mish"


class LogSigmoid(FunctionLayer):
    """log(sigmoid(x))."""

    function = "logsigmoid"


class Tanhshrink(FunctionLayer):
    """x - tanh(x)."""

    function = "tanhshrink"


class Softshrink(FunctionLayer):
    """x moved towards 0 by lambd, 0 within."""

    function = "softshrink"


class Hardshrink(FunctionLayer):
    """x outside ±lambd, 0 within."""

    function = "hardshrink"


class Threshold(FunctionLayer):
    """x above the threshold, `value` elsewhere."""

    function = "threshold"


class GLU(FunctionLayer):
    """The first half of `dim` times the sigmoid of the second."""

    function = "glu"


class Softmax2d(Module):
    """softmax over the channels of (n, channels, height, width).

    Example:
        >>> import minitorch
        >>> Softmax2d()(minitorch.zeros(1, 2, 1, 1)).numpy().ravel()
        array([0.5, 0.5])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Applies the function; (channels, height, width) is one image."""
        require_tensors("Softmax2d", input)
        dims = len(input.shape)
        if dims not in (3, 4):
            raise ValueError(
                f"[Softmax2d] got {input.shape}; need (n, channels, height, width)."
            )
        return functional.softmax(input, dims - 3)
