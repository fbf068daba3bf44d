"""`torch.nn.init`: how tensors are started anew, in place, without history.

The functions are minitorch.nn.init's, for torch.Tensors and with a generator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core
from ...autograd.function import no_grad
from ...nn import init as neutral
from ...nn.init import calculate_gain
from ..random import drawing_from
from ..tensor import Tensor
from .arguments import require_torch

__all__ = [
    "calculate_gain",
    "constant_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]


def _kept(where: str, tensor: Any) -> Tensor:
    require_torch(where, tensor)
    return tensor  # type: ignore[no-any-return]


def _drawn(
    function: Callable[..., Any],
    tensor: Any,
    generator: Any,
    *options: Any,
) -> Tensor:
    """A neutral function of a tensor, with the numbers of a generator."""
    where = function.__name__
    target = _kept(where, tensor)
    with drawing_from(where, generator):
        function(target, *options)
    return target


def constant_(tensor: Tensor, val: float) -> Tensor:
    """One number in all cells.

    Example:
        >>> import minitorch.torch as torch
        >>> constant_(torch.zeros(2), 0.5).tolist()
        [0.5, 0.5]
    """
    target = _kept("constant_", tensor)
    with no_grad():
        _core.Tensor.fill_(target, val)
    return tensor


def zeros_(tensor: Tensor) -> Tensor:
    """0 in all cells.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.init.zeros_(torch.ones(2))
        tensor([0., 0.])
    """
    return constant_(tensor, 0)


def ones_(tensor: Tensor) -> Tensor:
    """1 in all cells.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.init.ones_(torch.zeros(2))
        tensor([1., 1.])
    """
    return constant_(tensor, 1)


def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None
) -> Tensor:
    """Numbers drawn uniformly from a up to b.

    Raises:
        RuntimeError: `a` is above `b`.

    Example:
        >>> import minitorch.torch as torch
        >>> (torch.nn.init.uniform_(torch.zeros(9), 1, 2) >= 1).all()
        tensor(True)
    """
    if a > b:
        raise RuntimeError(f"[uniform_] got a {a} and b {b}; need a up to b.")
    return _drawn(neutral.uniform_, tensor, generator, a, b)


def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None
) -> Tensor:
    """Numbers drawn from a normal distribution.

    Raises:
        RuntimeError: `std` is below 0.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.init.normal_(torch.zeros(2, 3), std=0.02).shape
        torch.Size([2, 3])
    """
    if std < 0:
        raise RuntimeError(f"[normal_] got std {std}; need 0 or more.")
    return _drawn(neutral.normal_, tensor, generator, mean, std)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Numbers of a normal distribution between a and b.

    Example:
        >>> import minitorch.torch as torch
        >>> (torch.nn.init.trunc_normal_(torch.zeros(9)).abs() <= 2).all()
        tensor(True)
    """
    return _drawn(neutral.trunc_normal_, tensor, generator, mean, std, a, b)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform in ±gain sqrt(6 / (fan_in + fan_out)): Glorot and Bengio (2010).

    Example:
        >>> import minitorch.torch as torch
        >>> (torch.nn.init.xavier_uniform_(torch.zeros(3, 3)).abs() <= 1).all()
        tensor(True)
    """
    return _drawn(neutral.xavier_uniform_, tensor, generator, gain)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal with deviation gain sqrt(2 / (fan_in + fan_out)).

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.init.xavier_normal_(torch.zeros(3, 2)).shape
        torch.Size([3, 2])
    """
    return _drawn(neutral.xavier_normal_, tensor, generator, gain)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Uniform in ±gain sqrt(3 / fan): He et al. (2015).

    Args:
        tensor: (outputs, inputs, *kernel).
        a: The slope of "leaky_relu" below 0.
        mode: "fan_in" keeps the spread going forward, "fan_out" going back.
        nonlinearity: What follows the layer; as for calculate_gain.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.init.kaiming_uniform_(torch.zeros(3, 2)).shape
        torch.Size([3, 2])
    """
    options = a, mode, nonlinearity
    return _drawn(neutral.kaiming_uniform_, tensor, generator, *options)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Normal with deviation gain / sqrt(fan): arguments as for `kaiming_uniform_`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.init.kaiming_normal_(torch.zeros(3, 2)).shape
        torch.Size([3, 2])
    """
    options = a, mode, nonlinearity
    return _drawn(neutral.kaiming_normal_, tensor, generator, *options)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Rows (or columns, if fewer) at right angles, each of the length `gain`.

    Example:
        >>> import minitorch.torch as torch
        >>> q = torch.nn.init.orthogonal_(torch.zeros(2, 2))
        >>> torch.allclose(q @ q.T, torch.eye(2), atol=1e-6)
        True
    """
    return _drawn(neutral.orthogonal_, tensor, generator, gain)


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Inputs of an output cell, and outputs that an input cell goes to.

    Raises:
        ValueError: Fewer than two dimensions.
    """
    fans: tuple[int, int] = neutral._fans("fan_in", _kept("fan_in", tensor))
    return fans
