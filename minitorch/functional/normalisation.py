"""Layer, batch, group and RMS normalisation, and dropout."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .. import _core
from .._core import FitError, Tensor
from .activations import in_place
from .arguments import as_shape, require_probability, require_tensors

__all__ = [
    "batch_norm",
    "dropout",
    "dropout2d",
    "group_norm",
    "layer_norm",
    "rms_norm",
]


def layer_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Return (x - mean) / sqrt(variance + eps) * weight + bias over the last dims.

    Ba, Kiros and Hinton, "Layer normalization" (2016).

    Args:
        input: (…, *normalized_shape).
        normalized_shape: Sizes of the dimensions that have one mean together.
        weight: normalized_shape, 1 by default.
        bias: normalized_shape, 0 by default.
        eps: Added to the (biased) variance.

    Returns:
        Shape, dtype and device of the input.

    Raises:
        ValueError: The shapes do not fit.

    Kernel:
        cpp/kernels/standardise.cu, one block a row.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[1.0, 3.0], [10.0, 30.0]])
        >>> layer_norm(x, 2, eps=0.0).numpy()
        array([[-1.,  1.],
               [-1.,  1.]])
    """
    require_tensors("layer_norm", input, optional=(weight, bias))
    sizes = as_shape(normalized_shape, "normalized_shape", "layer_norm")
    given = [tuple(t.shape) for t in (weight, bias) if t is not None]
    if (
        not sizes
        or input.shape[-len(sizes) :] != sizes
        or any(s != sizes for s in given)
    ):
        raise FitError(
            f"[layer_norm] got input {tuple(input.shape)}, weight and bias {given}; "
            f"the input must end with {sizes}, and weight and bias must have that "
            "shape."
        )
    cells = math.prod(sizes)
    rows = input.numel() // cells if cells else 0
    return _core.layer_norm(input, weight, bias, rows, cells, eps)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Return (x - mean) / sqrt(variance + eps) * weight + bias, for each channel.

    In training, mean and (biased) variance are those of the batch, and the running ones
    move towards them: running = (1 - momentum) running + momentum * batch's, with the
    unbiased variance. In evaluation the running ones are used. Ioffe and Szegedy,
    "Batch normalization" (2015).

    Args:
        input: (n, channels, …).
        running_mean: (channels,), changed in training, in its own memory; None to
            keep none.
        running_var: (channels,), likewise.
        weight: (channels,), 1 by default.
        bias: (channels,), 0 by default.
        training: Use the batch's mean and variance.
        momentum: Weight of the new batch in the running ones.
        eps: Added to the variance.

    Returns:
        Shape, dtype and device of the input.

    Raises:
        ValueError: The shapes do not fit, or there is one value a channel in training.

    Kernel:
        cpp/kernels/standardise.cu, one block a channel, in training; in evaluation
        cpp/kernels/normalise.cu.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[1.0], [3.0]])
        >>> mean, var = minitorch.zeros(1), minitorch.ones(1)
        >>> batch_norm(x, mean, var, training=True, eps=0.0).numpy()
        array([[-1.],
               [ 1.]])
        >>> round(mean.item(), 3), round(var.item(), 3)
        (0.2, 1.1)
    """
    given = (running_mean, running_var, weight, bias)
    require_tensors("batch_norm", input, optional=given)
    channels = _channels(input, given)
    n, cells = input.shape[0], math.prod(input.shape[2:])
    if not training:
        if running_mean is None or running_var is None:
            raise FitError(
                "[batch_norm] outside of training, running_mean and running_var are "
                "needed."
            )
        return _core.normalise(
            input, running_mean, running_var, weight, bias, n, channels, cells, eps
        )
    if n * cells < 2:
        raise FitError(
            "[batch_norm] training needs at least 2 values per channel; input "
            f"{tuple(input.shape)} has {n * cells}."
        )
    return _core.batch_norm(
        input,
        running_mean,
        running_var,
        weight,
        bias,
        n,
        channels,
        cells,
        momentum or 0.0,
        eps,
    )


def _channels(input: Tensor, given: tuple[Tensor | None, ...]) -> int:
    shapes = [tuple(t.shape) for t in given if t is not None]
    if input.dims < 2 or any(shape != (input.shape[1],) for shape in shapes):
        raise FitError(
            f"[batch_norm] got input {tuple(input.shape)}, and means, variances, "
            f"weight or bias of shapes {shapes}; need (n, channels, …) and (channels,)."
        )
    return int(input.shape[1])


def _scaled(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """Return x * weight + bias, for each channel of (n, channels, …)."""
    shape = [1, -1, *[1] * (len(x.shape) - 2)]
    if weight is not None:
        x = x * weight._reshape(shape)
    return x if bias is None else x + bias._reshape(shape)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Return (x - mean) / sqrt(variance + eps) * weight + bias, per group of channels.

    Wu and He, "Group normalization" (2018).

    Args:
        input: (n, channels, …).
        num_groups: Parts of the channels, each with a mean and a variance of its own.
        weight: (channels,), 1 by default.
        bias: (channels,), 0 by default.
        eps: Added to the (biased) variance.

    Returns:
        Shape, dtype and device of the input.

    Raises:
        ValueError: The groups do not divide the channels, or shapes do not fit.

    Kernel:
        cpp/kernels/standardise.cu, one block a group, then `zip.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[[1.0], [3.0], [10.0], [30.0]]])
        >>> group_norm(x, 2, eps=0.0).numpy().ravel()
        array([-1.,  1., -1.,  1.])
    """
    require_tensors("group_norm", input, optional=(weight, bias))
    shape = tuple(input.shape)
    given = [tuple(t.shape) for t in (weight, bias) if t is not None]
    if (
        len(shape) < 2
        or num_groups < 1
        or shape[1] % num_groups
        or any(sizes != shape[1:2] for sizes in given)
    ):
        raise FitError(
            f"[group_norm] got input {shape}, num_groups {num_groups}, weight and bias "
            f"{given}; need (n, channels, …), channels a multiple of num_groups, "
            "weight and bias (channels,)."
        )
    rows = shape[0] * num_groups
    cells = math.prod(shape[1:]) // num_groups
    flat = input.contiguous()
    out = _core.layer_norm(flat, None, None, rows, cells, eps)
    return _scaled(out, weight, bias)


def rms_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Return x / sqrt(mean of x² + eps) * weight, over the last dimensions.

    Zhang and Sennrich, "Root mean square layer normalization" (2019). 16-bit floats are
    computed in float32.

    Args:
        input: (…, *normalized_shape).
        normalized_shape: Sizes of the dimensions that have one mean together.
        weight: normalized_shape, 1 by default.
        eps: Added to the mean; by default the dtype's step at 1.

    Returns:
        Shape, dtype and device of the input.

    Raises:
        ValueError: The shapes do not fit.

    Kernel:
        `zip.cu`, `reduce.cu` and `map.cu`.

    Example:
        >>> import minitorch
        >>> rms_norm(minitorch.tensor([[3.0, 3.0]]), 2).numpy().round(4)
        array([[1., 1.]])
    """
    require_tensors("rms_norm", input, optional=(weight,))
    sizes = as_shape(normalized_shape, "normalized_shape", "rms_norm")
    if (
        not sizes
        or tuple(input.shape[-len(sizes) :]) != sizes
        or (weight is not None and tuple(weight.shape) != sizes)
    ):
        raise FitError(
            f"[rms_norm] got input {tuple(input.shape)} and normalized_shape {sizes}; "
            f"the input must end with {sizes}, and the weight must have that shape."
        )
    kind = input.dtype
    x = input._cast(_core.float32) if kind in ("float16", "bfloat16") else input
    if eps is None:
        eps = float(np.finfo("float64" if x.dtype == "float64" else "float32").eps)
    dims = tuple(range(len(input.shape) - len(sizes), len(input.shape)))
    square = _core.Tensor.mean(x * x, dims, True)
    out = (x * (square + eps).rsqrt())._cast(kind)
    return out if weight is None else out * weight


def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set each element to 0 with probability `p`, and to x / (1 - p) otherwise.

    Which cells, follows from `manual_seed` and the numbers drawn since, alike on every
    device. Srivastava et al., "Dropout" (2014).

    Args:
        input: Any shape, of a floating dtype.
        p: Probability of leaving out a cell, 0 to 1.
        training: If false, the input comes back as it is.
        inplace: Put the result into the input's memory.

    Raises:
        ValueError: `p` lies outside 0 to 1.

    Kernel:
        cpp/kernels/dropout_mask.cu, one thread for two cells.

    Example:
        >>> import minitorch
        >>> minitorch.manual_seed(0)
        >>> x = dropout(minitorch.ones(1000), 0.25)
        >>> sorted(set(x.numpy().round(4).tolist()))
        [0.0, 1.3333]
        >>> bool(dropout(x, training=False) is x)
        True
    """
    require_tensors("dropout", input)
    require_probability("dropout", p)
    if not training or p == 0:
        return input
    mask = _core.dropout_mask(input.shape, p, input.dtype, input.device)
    return in_place("dropout", input, inplace, lambda x: x * mask)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Whole channels of (n, channels, height, width) 0 with probability `p`.

    Tompson et al., "Efficient object localization using convolutional networks" (2015).

    Args:
        input: (n, channels, height, width), or (channels, height, width).
        p: Probability of leaving out a channel, 0 to 1.
        training: If false, the input comes back as it is.
        inplace: Put the result into the input's memory.

    Raises:
        ValueError: `p` lies outside 0 to 1, or the input is no image.

    Kernel:
        cpp/kernels/dropout_mask.cu and `zip.cu`.

    Example:
        >>> import minitorch
        >>> x = dropout2d(minitorch.ones(1, 8, 2, 2))
        >>> sorted(set(x.numpy().reshape(8, 4).sum(1).tolist())) in ([0, 8], [0], [8])
        True
    """
    require_tensors("dropout2d", input)
    require_probability("dropout2d", p)
    shape = tuple(input.shape)
    if len(shape) not in (3, 4):
        raise FitError(f"[dropout2d] got shape {tuple(shape)}; need 3 or 4 dimensions.")
    if not training or p == 0:
        return input
    mask = _core.dropout_mask((*shape[:-2], 1, 1), p, input.dtype, input.device)
    return in_place("dropout2d", input, inplace, lambda x: x * mask)
