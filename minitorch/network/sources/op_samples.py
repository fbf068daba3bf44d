"""A sample call of each operation, with the kernels that run it on `cuda`.

`minitorch.source("conv2d")` runs a row on both devices; the tests compare the kernels.
"""

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
        kernels: the files in `cpp/kernels` that run forward on `cuda`, in the order of
            their first launch; () where the result is a view.
        named: arguments by name.
        room: which table of docs/ops.md it belongs to.
    """

    name: str
    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    kernels: tuple[str, ...]
    named: Mapping[str, Any] = field(default_factory=dict)
    room: str = "functional"

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


def _operator(
    name: str,
    call: Callable[..., Any],
    *arguments: Any,
    kernels: str = "",
    room: str = "operators",
    **named: Any,
) -> OpSample:
    files = tuple(f"{kernel}.cu" for kernel in kernels.split())
    return OpSample(name, call, arguments, files, named, room)


def _function(name: str, *arguments: Any, **options: Any) -> OpSample:
    call = getattr(functional, name)
    return _operator(name, call, *arguments, room="functional", **options)


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

_UNARY = (
    "abs ceil cos erf exp floor gelu log log1p neg reciprocal relu round rsqrt sigmoid "
    "sign silu sin sqrt tanh"
)
_FURTHER = (
    "asin asinh atan cosh digamma erfc exp2 expm1 lgamma log10 log2 sinh tan trunc"
)
_BINARY = "atan2 copysign fmod hypot"

SAMPLES = (
    *(_function(name, POSITIVE, kernels="map") for name in _UNARY.split()),
    *(_function(name, SHARES, kernels="map") for name in _FURTHER.split()),
    _function("acos", SHARES, kernels="map"),
    _function("acosh", BEYOND_ONE, kernels="map"),
    _function("atanh", SHARES, kernels="map"),
    *(_function(name, X, Y, kernels="zip") for name in _BINARY.split()),
    _function("clamp", X, -0.5, 0.5, kernels="clamp"),
    _function("isfinite", X, kernels="map zip_number"),
    _function("isinf", X, kernels="map zip_number"),
    _function("isnan", X, kernels="zip"),
    _function("logical_and", MASK, MASK, kernels="zip"),
    _function("logical_not", MASK, kernels="zip_number"),
    *(
        _function(name, MASK, MASK, kernels="zip")
        for name in ("logical_or", "logical_xor")
    ),
    *(_function(name, X, Y, kernels="zip") for name in ("maximum", "minimum")),
    _function("where", MASK, X, Y, kernels="where"),
    _function("all", MASK, kernels="reduce"),
    _function("amax", X, 1, kernels="reduce"),
    _function("amin", X, 1, kernels="reduce"),
    _function("any", MASK, kernels="reduce"),
    _function("argmax", X, 1, kernels="arg_reduce"),
    _function("argmin", X, 1, kernels="arg_reduce"),
    _function("cumsum", X, 1, kernels="cumsum"),
    _function(
        "logsumexp",
        X,
        1,
        kernels="reduce map zip_number fill where zip",
    ),
    _function("max", X, 1, kernels="arg_reduce gather"),
    _function("mean", X, 1, kernels="reduce zip_number"),
    _function("min", X, 1, kernels="arg_reduce gather"),
    _function("prod", X, 1, kernels="reduce"),
    _function("std", X, 1, kernels="copy reduce zip_number zip map"),
    _function("sum", X, 1, kernels="reduce"),
    _function("var", X, 1, kernels="reduce zip_number zip"),
    _function("cat", [X, Y], kernels="copy"),
    _function("chunk", X, 2),
    _function("flatten", X),
    _function("flip", X, 0, kernels="copy"),
    _function("gather", X, 1, PLACES, kernels="check_index gather"),
    _function(
        "index_select",
        X,
        0,
        Given((3,), 0, 2, "int64"),
        kernels="check_index gather",
    ),
    _function("masked_fill", X, MASK, 0.5, kernels="where_number"),
    _function("one_hot", LABELS, 3, kernels="check_index arange zip copy"),
    _function("repeat", X, 2, 1, kernels="copy"),
    _function("scatter", X, 0, PLACES, Y, kernels="check_index copy scatter"),
    _function("scatter_add", X, 0, PLACES, Y, kernels="check_index copy scatter"),
    _function("split", X, 1),
    _function("squeeze", Given((2, 1, 3)), 1),
    _function("stack", [X, Y], kernels="copy"),
    _function("transpose", X, 0, 1),
    _function("tril", X, kernels="arange zip where_number"),
    _function("triu", X, kernels="arange zip where_number"),
    _function("unsqueeze", X, 1),
    _function("embedding", PLACES, Given((2, 4)), kernels="check_index embedding"),
    _function("matmul", X, Given((3, 4)), kernels="matmul_tiled"),
    _function("linear", X, Given((4, 3)), Given((4,)), kernels="matmul_tiled zip"),
    _function("conv1d", SIGNAL, Given((4, 3, 3)), Given((4,)), kernels="conv2d"),
    _function("conv2d", IMAGE, Given((4, 3, 3, 3)), Given((4,)), kernels="conv2d"),
    _function(
        "conv_transpose2d",
        IMAGE,
        Given((3, 4, 3, 3)),
        Given((4,)),
        kernels="conv2d_grad_input zip",
    ),
    _function("max_pool1d", SIGNAL, 2, kernels="max_pool2d"),
    _function("max_pool2d", IMAGE, 2, kernels="max_pool2d"),
    _function("avg_pool1d", SIGNAL, 2, kernels="avg_pool2d"),
    _function("avg_pool2d", IMAGE, 2, kernels="avg_pool2d"),
    _function("adaptive_avg_pool2d", IMAGE, 3, kernels="avg_pool2d"),
    _function(
        "batch_norm",
        IMAGE,
        RUNNING,
        RUNNING,
        CHANNELS,
        CHANNELS,
        training=True,
        kernels="standardise",
    ),
    _operator(
        "batch_norm_evaluation",
        functional.batch_norm,
        *[IMAGE, RUNNING, RUNNING, CHANNELS, CHANNELS],
        kernels="normalise",
    ),
    _function("layer_norm", X, 3, CHANNELS, CHANNELS, kernels="standardise"),
    _function("dropout", X, 0.5, kernels="dropout_mask zip"),
    _function(
        "scaled_dot_product_attention",
        *[Given((1, 4, 3))] * 3,
        is_causal=True,
        kernels="zip_number matmul_tiled softmax",
    ),
    _function("softmax", X, kernels="softmax"),
    _function("log_softmax", X, kernels="softmax"),
    _function(
        "nll_loss",
        X,
        LABELS,
        kernels="zip_number check_index gather map where_number copy reduce zip",
    ),
    _function(
        "cross_entropy",
        X,
        LABELS,
        kernels="cross_entropy cross_entropy_total",
    ),
    _function("mse_loss", X, STILL, kernels="zip reduce zip_number"),
    _function("l1_loss", X, STILL, kernels="zip map reduce zip_number"),
    _function(
        "binary_cross_entropy",
        Given((2, 3), 0.1, 0.9),
        SHARES,
        kernels="check_range map zip_number zip reduce",
    ),
    _function(
        "binary_cross_entropy_with_logits",
        X,
        SHARES,
        kernels="map zip_number zip reduce",
    ),
    # Beyond the first functions: layers.
    _function("leaky_relu", X, kernels="zip_number where"),
    _function("elu", X, kernels="zip_number where_number map where"),
    _function("softplus", X, kernels="zip_number map where where_number zip"),
    _function("normalize", X, kernels="zip reduce zip_number where_number map"),
    _function(
        "cosine_similarity", X, Y, kernels="zip reduce zip_number where_number map"
    ),
    _function("group_norm", IMAGE, 3, CHANNELS, CHANNELS, kernels="standardise zip"),
    _function("rms_norm", X, 3, kernels="zip reduce zip_number map"),
    _function("pad", X, (1, 1), kernels="fill copy"),
    _function("dropout2d", IMAGE, 0.5, kernels="dropout_mask zip"),
    _function("smooth_l1_loss", X, STILL, kernels="zip map zip_number where reduce"),
    # Operators.
    *(
        _operator(
            name.removeprefix("true"), getattr(operator, name), X, Y, kernels="zip"
        )
        for name in ("add", "sub", "mul", "truediv", "floordiv", "mod")
    ),
    _operator("pow", operator.pow, POSITIVE, Y, kernels="zip"),
    _operator("mul_number", operator.mul, X, 2.0, kernels="zip_number"),
    *(
        _operator(name, getattr(Tensor, name), X, Y, kernels="zip")
        for name in ("eq", "ge", "gt", "le", "lt", "ne")
    ),
    _operator("and", operator.and_, WHOLE, WHOLE, kernels="zip"),
    _operator("or", operator.or_, WHOLE, WHOLE, kernels="zip"),
    _operator("xor", operator.xor, WHOLE, WHOLE, kernels="zip"),
    _operator("getitem", operator.getitem, X, (slice(None), 1)),
    _operator("getitem_element", operator.getitem, X, (0, 1), kernels="copy"),
    _operator(
        "getitem_array",
        operator.getitem,
        X,
        LABELS,
        kernels="check_index zip_number copy zip gather",
    ),
    _operator("setitem", _set_item, STILL, 1, Given((3,)), kernels="copy"),
    _operator(
        "setitem_array",
        _set_item,
        STILL,
        LABELS,
        X,
        kernels="check_index zip_number copy zip scatter",
    ),
    _operator("nonzero", Tensor.nonzero, X, kernels="copy"),
    _operator("to", Tensor.to, X, "float64", kernels="copy"),
    _operator("clone", Tensor.clone, X, kernels="copy"),
    _operator("contiguous", lambda x: x.permute(1, 0).contiguous(), X, kernels="copy"),
    _operator("reshape", Tensor.reshape, X, 3, 2),
    _operator("expand", Tensor.expand, Given((1, 3)), 2, 3),
    _operator("permute", Tensor.permute, X, 1, 0),
    _operator("add_", Tensor.add_, STILL, X, kernels="zip copy"),
    _operator("copy_", Tensor.copy_, STILL, X, kernels="copy"),
    _operator("fill_", Tensor.fill_, STILL, 2.0, kernels="fill"),
    _operator("zero_", Tensor.zero_, STILL, kernels="fill"),
    _operator(
        "nn.cross_entropy",
        course.cross_entropy,
        X,
        LABELS,
        kernels="check_index cross_entropy cross_entropy_total",
    ),
    _operator(
        "nn.nll_loss",
        course.nll_loss,
        X,
        LABELS,
        kernels="check_index arange zip copy reduce zip_number",
    ),
    _operator("to_device", lambda x: x.to("cuda" if x.device == "cpu" else "cpu"), X),
    _operator("item", Tensor.item, Given((1,))),
    _operator("full", full, (2, 3), 1.0, device=DEVICE, kernels="fill"),
    _operator("arange", arange, 6, device=DEVICE, kernels="arange"),
    _operator("rand", rand, (2, 3), device=DEVICE, kernels="random"),
    _operator("randn", randn, (2, 3), device=DEVICE, kernels="random"),
    _operator("sgd", _step, SGD, X, STILL, kernels="sgd"),
    _operator("adam", _step, Adam, X, STILL, kernels="fill adam"),
)
SAMPLES_BY_NAME = {sample.name: sample for sample in SAMPLES}
