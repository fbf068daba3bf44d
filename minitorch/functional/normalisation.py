"""Owns layer and batch normalisation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .. import _core
from .._core import Tensor
from .arguments import require_tensors
from .sliding import several


def layer_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(variance + eps) * weight + bias, over the last dimensions.

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
    single = not isinstance(normalized_shape, Sequence)
    count = 1 if single else len(normalized_shape)  # type: ignore[arg-type]
    sizes = several(normalized_shape, count, "normalized_shape", "layer_norm")
    given = [t.shape for t in (weight, bias) if t is not None]
    if not sizes or input.shape[-count:] != sizes or any(s != sizes for s in given):
        raise ValueError(
            f"[layer_norm] got {input.shape}, weight and bias {given}; need an input "
            f"that ends with {sizes}, and weight and bias of that shape."
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
    """(x - mean) / sqrt(variance + eps) * weight + bias, for each channel.

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
            raise ValueError(
                "[batch_norm] got no running_mean or running_var; need both unless "
                "training."
            )
        return _core.normalise(
            input, running_mean, running_var, weight, bias, n, channels, cells, eps
        )
    if n * cells < 2:
        raise ValueError(
            f"[batch_norm] got {input.shape}, {n * cells} values a channel; need 2 or "
            "more in training."
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
        momentum,
        eps,
    )


def _channels(input: Tensor, given: tuple[Tensor | None, ...]) -> int:
    shapes = [t.shape for t in given if t is not None]
    if input.dims < 2 or any(shape != (input.shape[1],) for shape in shapes):
        raise ValueError(
            f"[batch_norm] got {input.shape} and means, variances, weight or bias of "
            f"{shapes}; need (n, channels, …) and (channels,)."
        )
    return int(input.shape[1])
