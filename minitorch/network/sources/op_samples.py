"""A sample call of each operation, which `minitorch.source("conv2d")` runs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ... import functional
from ..._core import Tensor
from ...nn import functions as course
from ...optim import SGD, Adam
from ...tensors.create import full, rand, randn, tensor
from ...tensors.create_ranges import arange

#: In place of it a sample gets the name of its device.
DEVICE = object()


@dataclass(frozen=True)
class Given:
    """A tensor among a sample's arguments: evenly spaced numbers.

    Attributes:
        shape: its shape.
        low, high: the first and the last number; high does not belong to integers.
        dtype: of it; floating-point ones learn, that is they require gradients.
    """

    shape: tuple[int, ...]
    low: float = -0.9
    high: float = 1.1
    dtype: str = "float32"
    learns: bool = True

    def create(self, device: str) -> Tensor:
        """Return the tensor, in the memory of `device`."""
        count = int(np.prod(self.shape))
        is_real = self.dtype.startswith("float")
        spaced = np.linspace(self.low, self.high, count)
        turns = self.low + np.arange(count) % (self.high - self.low)
        cells = (spaced if is_real else turns).reshape(self.shape)
        result = tensor(cells, dtype=self.dtype, device=device)
        return result.requires_grad_(self.learns and is_real)


@dataclass(frozen=True)
class OpSample:
    """A row of the table: an operation and a sample call of it.

    Attributes:
        name: what `minitorch.source` calls it.
        call: gets `arguments`, with a tensor in place of each `Given`.
        named: arguments by name.
    """

    name: str
    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: Mapping[str, Any] = field(default_factory=dict)

    def on(self, device: str) -> Callable[[], Any]:
        """Return the call with new tensors on `device`; call it once."""
        arguments = [_resolve(argument, device) for argument in self.arguments]
        named = {
            name: _resolve(argument, device) for name, argument in self.named.items()
        }
        return lambda: self.call(*arguments, **named)


def _resolve(value: Any, device: str) -> Any:
    if isinstance(value, Given):
        return value.create(device)
    if value is DEVICE:
        return device
    if isinstance(value, list):
        return [_resolve(part, device) for part in value]
    return value


def _functions(names: str, *arguments: Any, **named: Any) -> list[OpSample]:
    """Return a row for each of these functions, which take the same arguments."""
    return [
        OpSample(name, getattr(functional, name), arguments, named)
        for name in names.split()
    ]


def _operator(
    name: str, call: Callable[..., Any], *arguments: Any, **named: Any
) -> OpSample:
    return OpSample(name, call, arguments, named)


def _set_item(target: Tensor, index: int | Tensor, value: Tensor) -> Tensor:
    target[index] = value
    return target


def _step(optimizer: type[SGD] | type[Adam], value: Tensor, gradient: Tensor) -> None:
    value.grad = gradient
    optimizer([value], lr=0.1).step()


X = Given((2, 3))
Y = Given((2, 3), 0.3, 2.3)
POSITIVE = Given((2, 3), 0.2, 2.2)
BEYOND_ONE = Given((2, 3), 1.2, 3.2)
WHOLE = Given((2, 3), 0, 5, "int64")
MASK = Given((2, 3), 0, 2, "bool")
IMAGE = Given((2, 3, 6, 6))
SIGNAL = Given((2, 3, 6))
PLACES = Given((2, 3), 0, 2, "int64")
LABELS = Given((2,), 0, 3, "int64")
SHARES = Given((2, 3), 0.1, 0.9, learns=False)
STILL = Given((2, 3), learns=False)
CHANNELS = Given((3,), 0.5, 1.5)
RUNNING = Given((3,), 0.5, 1.5, learns=False)
NORMED = (IMAGE, RUNNING, RUNNING, CHANNELS, CHANNELS)

_UNARY = (
    "abs ceil cos erf exp floor gelu log log1p neg reciprocal relu round rsqrt sigmoid "
    "sign silu sin sqrt tanh"
)
_BELOW_ONE = (
    "acos asin asinh atan atanh cosh digamma erfc exp2 expm1 lgamma log10 log2 sinh "
    "tan trunc"
)
_OPERATORS = "add sub mul truediv floordiv mod eq ge gt le lt ne"
_ALONG = (
    "amax amin argmax argmin chunk cumsum logsumexp max mean min prod split std sum "
    "unsqueeze var"
)

SAMPLES = (
    *_functions(_UNARY, POSITIVE),
    *_functions(_BELOW_ONE, SHARES),
    *_functions("acosh", BEYOND_ONE),
    *_functions("atan2 copysign fmod hypot maximum minimum", X, Y),
    *_functions("clamp", X, -0.5, 0.5),
    *_functions("isfinite isinf isnan", X),
    *_functions("logical_and logical_or logical_xor", MASK, MASK),
    *_functions("all any logical_not", MASK),
    *_functions("where", MASK, X, Y),
    *_functions(_ALONG, X, 1),
    *_functions("cat stack", [X, Y]),
    *_functions("flatten tril triu", X),
    *_functions("flip", X, 0),
    *_functions("gather", X, 1, PLACES),
    *_functions("index_select", X, 0, Given((3,), 0, 2, "int64")),
    *_functions("masked_fill", X, MASK, 0.5),
    *_functions("one_hot", LABELS, 3),
    *_functions("repeat", X, 2, 1),
    *_functions("scatter scatter_add", X, 0, PLACES, Y),
    *_functions("squeeze", Given((2, 1, 3)), 1),
    *_functions("transpose", X, 0, 1),
    *_functions("embedding", PLACES, Given((2, 4))),
    *_functions("matmul", X, Given((3, 4))),
    *_functions("linear", X, Given((4, 3)), Given((4,))),
    *_functions("conv1d", SIGNAL, Given((4, 3, 3)), Given((4,))),
    *_functions("conv2d", IMAGE, Given((4, 3, 3, 3)), Given((4,))),
    *_functions("conv_transpose2d", IMAGE, Given((3, 4, 3, 3)), Given((4,))),
    *_functions("max_pool1d avg_pool1d", SIGNAL, 2),
    *_functions("max_pool2d avg_pool2d", IMAGE, 2),
    *_functions("adaptive_avg_pool2d", IMAGE, 3),
    *_functions("batch_norm", *NORMED, training=True),
    _operator("batch_norm_evaluation", functional.batch_norm, *NORMED),
    *_functions("layer_norm", X, 3, CHANNELS, CHANNELS),
    *_functions("group_norm", IMAGE, 3, CHANNELS, CHANNELS),
    *_functions("rms_norm", X, 3),
    *_functions("dropout", X, 0.5),
    *_functions("dropout2d", IMAGE, 0.5),
    *_functions(
        "scaled_dot_product_attention", *[Given((1, 4, 3))] * 3, is_causal=True
    ),
    *_functions("softmax log_softmax", X),
    *_functions("nll_loss cross_entropy", X, LABELS),
    *_functions("mse_loss l1_loss smooth_l1_loss", X, STILL),
    *_functions("binary_cross_entropy", Given((2, 3), 0.1, 0.9), SHARES),
    *_functions("binary_cross_entropy_with_logits", X, SHARES),
    *_functions("leaky_relu elu softplus normalize", X),
    *_functions("cosine_similarity", X, Y),
    *_functions("pad", X, (1, 1)),
    # Operators.
    *(
        _operator(name.removeprefix("true"), getattr(operator, name), X, Y)
        for name in _OPERATORS.split()
    ),
    _operator("pow", operator.pow, POSITIVE, Y),
    _operator("mul_number", operator.mul, X, 2.0),
    *(
        _operator(name, getattr(operator, f"__{name}__"), WHOLE, WHOLE)
        for name in ("and", "or", "xor")
    ),
    _operator("getitem", operator.getitem, X, (slice(None), 1)),
    _operator("getitem_element", operator.getitem, X, (0, 1)),
    _operator("getitem_array", operator.getitem, X, LABELS),
    _operator("setitem", _set_item, STILL, 1, Given((3,))),
    _operator("setitem_array", _set_item, STILL, LABELS, X),
    _operator("nonzero", Tensor.nonzero, X),
    _operator("to", Tensor.to, X, "float64"),
    _operator("clone", Tensor.clone, X),
    _operator("contiguous", lambda x: x.permute(1, 0).contiguous(), X),
    _operator("reshape", Tensor.reshape, X, 3, 2),
    _operator("expand", Tensor.expand, Given((1, 3)), 2, 3),
    _operator("permute", Tensor.permute, X, 1, 0),
    _operator("add_", Tensor.add_, STILL, X),
    _operator("copy_", Tensor.copy_, STILL, X),
    _operator("fill_", Tensor.fill_, STILL, 2.0),
    _operator("zero_", Tensor.zero_, STILL),
    _operator("nn.cross_entropy", course.cross_entropy, X, LABELS),
    _operator("nn.nll_loss", course.nll_loss, X, LABELS),
    _operator("to_device", lambda x: x.to("cuda" if x.device == "cpu" else "cpu"), X),
    _operator("item", Tensor.item, Given((1,))),
    _operator("full", full, (2, 3), 1.0, device=DEVICE),
    _operator("arange", arange, 6, device=DEVICE),
    _operator("rand", rand, (2, 3), device=DEVICE),
    _operator("randn", randn, (2, 3), device=DEVICE),
    _operator("sgd", _step, SGD, X, STILL),
    _operator("adam", _step, Adam, X, STILL),
)
SAMPLES_BY_NAME = {sample.name: sample for sample in SAMPLES}
