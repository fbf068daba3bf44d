"""Owns the activation functions beyond relu, sigmoid, tanh, gelu and silu.

Each is made of elementwise operations, so that gradients of gradients are right as
well; what overflows or cancels is kept out of both directions. Must not know layers.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import _core
from .._core import Tensor
from ..tensors.create import rand
from .arguments import require_tensors


def _applied(
    where: str, input: Tensor, inplace: bool, function: Callable[[Tensor], Tensor]
) -> Tensor:
    """function(input); `inplace` puts the result into the input's own memory."""
    require_tensors(where, input)
    if not isinstance(inplace, bool):
        raise TypeError(f"[{where}] got inplace {inplace!r}; need True or False.")
    if not input.dtype.is_floating_point:
        raise TypeError(
            f"[{where}] got dtype {input.dtype.name}; need a floating-point one. Try "
            "input.float()."
        )
    if not inplace:
        return function(input)
    # The way back needs the numbers that were there.
    return input.copy_(function(input.clone()))


def _exactly(rough: Tensor, value: Tensor) -> Tensor:
    """`value`, with the history of `rough`, which differs by rounding alone."""
    return rough + (value - rough).detach()


def leaky_relu(
    input: Tensor, negative_slope: float = 0.01, inplace: bool = False
) -> Tensor:
    """x where it is positive, negative_slope x elsewhere.

    Args:
        input: Any shape, of a floating dtype.
        negative_slope: Of the other side; it is the gradient at 0, too.
        inplace: Put the result into the input's memory.

    Returns:
        Shape, dtype and device of the input.

    Raises:
        TypeError: The input does not hold floating-point numbers.

    Kernel:
        `zip_number.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> leaky_relu(minitorch.tensor([-2.0, 3.0]), 0.5)
        tensor([-1.,  3.])
    """

    def function(x: Tensor) -> Tensor:
        return x.gt(0)._where(x, x * negative_slope)

    return _applied("leaky_relu", input, inplace, function)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where it is positive, weight x elsewhere: a slope that is learned.

    He et al., "Delving deep into rectifiers" (2015).

    Args:
        input: (n, channels, …), or any shape with one slope.
        weight: (1,), or (channels,); () stands for (1,).

    Raises:
        ValueError: There are other slopes than one, or one a channel.

    Kernel:
        `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> prelu(minitorch.tensor([-2.0, 3.0]), minitorch.tensor([0.25]))
        tensor([-0.5,  3. ])
    """
    require_tensors("prelu", input, weight)
    dims, count = len(input.shape), weight.numel()
    channels = input.shape[1] if dims > 1 else 1
    if len(weight.shape) > 1 or count not in (1, channels):
        raise ValueError(
            f"[prelu] got weight {weight.shape} for input {input.shape}; need (1,) or "
            f"({channels},), one slope a channel."
        )
    shape = [1] * dims
    if count > 1:
        shape[1] = count
    slope = weight._reshape(shape)
    return _applied("prelu", input, False, lambda x: x.gt(0)._where(x, x * slope))


def rrelu(
    input: Tensor,
    lower: float = 1 / 8,
    upper: float = 1 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """leaky_relu whose slope is drawn from lower … upper for each cell.

    In evaluation the slope is their mean. Xu et al., "Empirical evaluation of rectified
    activations" (2015).

    Raises:
        ValueError: `lower` is above `upper`.

    Kernel:
        `random.cu` while training, then as leaky_relu.

    Example:
        >>> import minitorch
        >>> rrelu(minitorch.tensor([-2.0, 3.0]), 0.25, 0.75)
        tensor([-1.,  3.])
    """
    if lower > upper:
        raise ValueError(f"[rrelu] got {lower} to {upper}; need lower <= upper.")
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)

    def function(x: Tensor) -> Tensor:
        unit = rand(*x.shape, dtype=x.dtype, device=x.device)
        return x.gt(0)._where(x, x * (unit * (upper - lower) + lower))

    return _applied("rrelu", input, inplace, function)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, alpha (exp(x) - 1) elsewhere.

    Clevert et al., "Fast and accurate deep network learning by exponential linear
    units" (2016).

    Args:
        input: Any shape, of a floating dtype.
        alpha: Minus the limit on the other side.
        inplace: Put the result into the input's memory.

    Kernel:
        `map.cu`, `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> elu(minitorch.tensor([0.0, 3.0]))
        tensor([0., 3.])
    """
    return _applied("elu", input, inplace, lambda x: _elu(x, alpha, 1.0))


def _elu(x: Tensor, alpha: float, scale: float) -> Tensor:
    above = x.gt(0)
    low = above._where(0.0, x).expm1() * (alpha * scale)
    return above._where(x if scale == 1 else x * scale, low)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with the scales that keep mean 0 and variance 1 from layer to layer.

    Klambauer et al., "Self-normalizing neural networks" (2017).

    Kernel:
        `map.cu`, `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> round(selu(minitorch.tensor([1.0])).item(), 4)
        1.0507
    """
    scales = 1.6732632423543772, 1.0507009873554805  # solve its equation 3
    return _applied("selu", input, inplace, lambda x: _elu(x, *scales))


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """max(x, 0) + min(0, alpha (exp(x / alpha) - 1)): smooth for every alpha.

    Barron, "Continuously differentiable exponential linear units" (2017).

    Raises:
        ValueError: `alpha` is 0.

    Kernel:
        `map.cu`, `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> celu(minitorch.tensor([0.0, 3.0]), 2.0)
        tensor([0., 3.])
    """
    if alpha == 0:
        raise ValueError("[celu] got alpha 0; need another number.")

    def function(x: Tensor) -> Tensor:
        above = x.gt(0)
        low = (above._where(0.0, x) / alpha).expm1() * alpha
        return above._where(x, low)

    return _applied("celu", input, inplace, function)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta x)) / beta, without overflow: a smooth relu.

    Args:
        input: Any shape, of a floating dtype.
        beta: How sharp the bend is.
        threshold: Where beta x is larger, x itself.

    Kernel:
        `map.cu`, `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> round(softplus(minitorch.tensor([0.0])).item(), 4)
        0.6931
    """

    def function(x: Tensor) -> Tensor:
        bent = x if beta == 1 else x * beta
        out = _softplus(bent)
        straight = bent.gt(threshold)
        return straight._where(x, out if beta == 1 else out / beta)

    return _applied("softplus", input, False, function)


def _softplus(x: Tensor) -> Tensor:
    """max(x, 0) + log(1 + exp(-|x|)), with gradient ½ at 0."""
    above = x.gt(0)
    low = above._where(-x, x).exp().log1p()
    return above._where(x, 0.0) + low


def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(x)) = -log(1 + exp(-x)), without overflow.

    Kernel:
        `map.cu`, `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> logsigmoid(minitorch.tensor([-1000.0]))
        tensor([-1000.])
    """
    return _applied("logsigmoid", input, False, lambda x: -_softplus(-x))


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x tanh(softplus(x)).

    Misra, "Mish: a self regularized non-monotonic activation function" (2020).

    Kernel:
        `map.cu`, `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> round(mish(minitorch.tensor([1.0])).item(), 4)
        0.8651
    """
    return _applied("mish", input, inplace, lambda x: x * _softplus(x).tanh())


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|).

    Kernel:
        `map.cu` and `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> softsign(minitorch.tensor([-1.0, 3.0]))
        tensor([-0.5 ,  0.75])
    """
    return _applied("softsign", input, False, lambda x: x / (x.abs() + 1))


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x).

    Kernel:
        `map.cu` and `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> tanhshrink(minitorch.tensor([0.0]))
        tensor([0.])
    """
    return _applied("tanhshrink", input, False, lambda x: x - x.tanh())


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x moved towards 0 by lambd, and 0 within ±lambd.

    Raises:
        ValueError: `lambd` is negative.

    Kernel:
        `clamp.cu` and `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> softshrink(minitorch.tensor([-2.0, 0.25, 1.0]))
        tensor([-1.5,  0. ,  0.5])
    """
    if lambd < 0:
        raise ValueError(f"[softshrink] got lambd {lambd}; need 0 or more.")

    def function(x: Tensor) -> Tensor:
        inside = x.ge(-lambd) & x.le(lambd)
        return inside._where(0.0, x - x.detach().clamp(-lambd, lambd))

    return _applied("softshrink", input, False, function)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x outside ±lambd, 0 within.

    Kernel:
        `zip_number.cu`, `zip.cu` and `where_number.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> hardshrink(minitorch.tensor([-2.0, 0.25, 1.0]))
        tensor([-2.,  0.,  1.])
    """

    def function(x: Tensor) -> Tensor:
        return (x.ge(-lambd) & x.le(lambd))._where(0.0, x)

    return _applied("hardshrink", input, False, function)


def threshold(
    input: Tensor, threshold: float, value: float, inplace: bool = False
) -> Tensor:
    """x above the threshold, `value` elsewhere.

    Kernel:
        `zip_number.cu` and `where_number.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> from minitorch.functional import threshold
        >>> threshold(minitorch.tensor([0.5, 2.0]), 1.0, -1.0)
        tensor([-1.,  2.])
    """

    def function(x: Tensor) -> Tensor:
        return x.le(threshold)._where(value, x)

    return _applied("threshold", input, inplace, function)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """x limited to min_val … max_val; its gradient is 0 on the limits.

    Raises:
        ValueError: min_val is above max_val.

    Kernel:
        `clamp.cu`, `zip_number.cu`, `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> hardtanh(minitorch.tensor([-2.0, 0.5, 3.0]))
        tensor([-1. ,  0.5,  1. ])
    """
    if min_val > max_val:
        raise ValueError(
            f"[hardtanh] got limits {min_val} and {max_val}; need the lower one first."
        )
    return _applied(
        "hardtanh", input, inplace, lambda x: _limited(x, x, min_val, max_val)
    )


def _limited(x: Tensor, value: Tensor, low: float, high: float) -> Tensor:
    """`value` limited, with a gradient where x is strictly between the limits."""
    inside = x.gt(low) & x.lt(high)
    return inside._where(value, value.detach().clamp(low, high))


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x, 0), 6).

    Kernel:
        `clamp.cu`, `zip_number.cu`, `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> relu6(minitorch.tensor([-2.0, 0.5, 8.0]))
        tensor([0. , 0.5, 6. ])
    """
    return _applied("relu6", input, inplace, lambda x: _limited(x, x, 0.0, 6.0))


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x + 3, 0), 6) / 6: sigmoid in three straight pieces.

    Kernel:
        `clamp.cu`, `zip_number.cu`, `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> hardsigmoid(minitorch.tensor([-4.0, 0.0, 3.0]))
        tensor([0. , 0.5, 1. ])
    """

    def function(x: Tensor) -> Tensor:
        moved = x + 3
        return _limited(moved, moved, 0.0, 6.0) / 6

    return _applied("hardsigmoid", input, inplace, function)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x hardsigmoid(x).

    Howard et al., "Searching for MobileNetV3" (2019).

    Kernel:
        `clamp.cu`, `zip_number.cu`, `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> hardswish(minitorch.tensor([-4.0, 0.0, 6.0]))
        tensor([0., 0., 6.])
    """

    def function(x: Tensor) -> Tensor:
        within = x.clamp(-3.0, 3.0)  # an infinite x meets no product
        bent = x.le(-3)._where(0.0, within * (within + 3) / 6)
        return x.ge(3)._where(x, bent)

    return _applied("hardswish", input, inplace, function)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of a dimension times the sigmoid of the second.

    Dauphin et al., "Language modeling with gated convolutional networks" (2017).

    Args:
        input: (…, 2 n, …).
        dim: The dimension that is halved.

    Returns:
        (…, n, …).

    Raises:
        ValueError: The dimension has an odd size, or there is none.

    Kernel:
        `map.cu` and `zip.cu`, a thread per element of the result.

    Example:
        >>> import minitorch
        >>> glu(minitorch.tensor([4.0, 0.0]))
        tensor([2.])
    """

    def function(x: Tensor) -> Tensor:
        dims = len(x.shape)
        if not -dims <= dim < dims or x.shape[dim] % 2:
            raise ValueError(
                f"[glu] got shape {x.shape} and dim {dim}; need a dimension of even "
                "size."
            )
        at, half = dim % dims, x.shape[dim] // 2
        gate = x._slice(at, half, 2 * half, 1).sigmoid()
        return x._slice(at, 0, half, 1) * gate

    return _applied("glu", input, False, function)


def softmin(input: Tensor, dim: int = -1) -> Tensor:
    """exp(-x) / sum(exp(-x)) along `dim`, without overflow.

    Kernel:
        `map.cu`, then as softmax.

    Example:
        >>> import minitorch
        >>> softmin(minitorch.tensor([0.0, 0.0]))
        tensor([0.5, 0.5])
    """
    return _applied("softmin", input, False, lambda x: _core.Tensor.softmax(-x, dim))


def gumbel_softmax(
    logits: Tensor,
    tau: float = 1.0,
    hard: bool = False,
    eps: float = 1e-10,
    dim: int = -1,
) -> Tensor:
    """softmax of the scores plus Gumbel noise: a draw that has a gradient.

    Jang et al., "Categorical reparameterization with Gumbel-softmax" (2017).

    Args:
        logits: Scores (…, classes, …).
        tau: Temperature: small ones come near a single class.
        hard: Exactly one class each, with the gradient of the soft draw.
        eps: Taken as PyTorch takes it, and not used.
        dim: The dimension of the classes.

    Raises:
        ValueError: `tau` is 0.

    Kernel:
        `random.cu`, `map.cu`, `zip.cu`, then as softmax.

    Example:
        >>> import minitorch
        >>> gumbel_softmax(minitorch.zeros(2, 3), hard=True).sum(1).shape
        (2, 1)
    """
    if tau == 0:
        raise ValueError("[gumbel_softmax] got tau 0; need another number.")

    def function(x: Tensor) -> Tensor:
        unit = rand(*x.shape, dtype=x.dtype, device=x.device)
        noise = -(1 - unit).log()  # of an exponential distribution: 0 to infinity
        soft = _core.Tensor.softmax((x - noise.log()) / tau, dim)
        if not hard:
            return soft
        if len(x.shape) == 0:  # its only class
            return _exactly(soft, soft.detach() * 0 + 1)
        at = _core.Tensor.argmax(soft.detach(), dim, True)
        zeros = soft.detach() * 0
        one = at._cast(x.dtype) * 0 + 1
        return _exactly(soft, zeros.scatter(dim, at, one))

    return _applied("gumbel_softmax", logits, False, function)
