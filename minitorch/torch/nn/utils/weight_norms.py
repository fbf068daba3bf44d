"""Owns weights that are made anew for each call, from parameters in their place."""

from __future__ import annotations

import math
from typing import Any

from .... import _core
from ....functional.products import matmul
from ....gradients.function import no_grad
from ....tensors.create import randn
from ..module import Module
from ..parameter import Parameter

_base: Any = _core.Tensor


class _Made:
    """A hook before the call that makes the weight; what both kinds share."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, dim

    def weight_of(self, module: Any) -> Any:
        """The weight that the parameters give now."""
        raise NotImplementedError

    def __call__(self, module: Any, args: Any) -> None:
        setattr(module, self.name, self.weight_of(module))

    def install(self, module: Any) -> None:
        """Puts the hook in front of the module's call."""
        setattr(module, self.name, self.weight_of(module))
        module.register_forward_pre_hook(self)

    def remove(self, module: Any) -> None:
        """Makes a parameter of the weight as it is now."""
        with no_grad():
            made = self.weight_of(module).detach()
        delattr(module, self.name)
        module.register_parameter(self.name, Parameter(made.clone()))
        rows = module._hooks().before
        for key in [key for key, each in rows.items() if each.hook is self]:
            del rows[key]


def _require_weight(where: str, module: Any, name: str, kind: type[_Made]) -> Any:
    if not isinstance(module, Module):
        raise TypeError(f"[{where}] got {type(module).__name__}; need a nn.Module.")
    if _found(module, name, kind) is not None:
        raise RuntimeError(f"[{where}] got '{name}' a second time; need it once.")
    return module.get_parameter(name)


def _found(module: Any, name: str, kind: type[_Made]) -> Any:
    if not hasattr(module, "_hooks"):
        raise TypeError(
            f"[torch.nn.utils] got {type(module).__name__}; need a torch.nn.Module."
        )
    hooks = [each.hook for each in module._hooks().before.values()]
    fitting = [each for each in hooks if isinstance(each, kind) and each.name == name]
    return fitting[0] if fitting else None


def _length(x: Any, dim: int | None) -> Any:
    """The norm over all dims but one, which broadcasts to x."""
    over = None if dim is None else [d for d in range(x.dims) if d != dim % x.dims]
    square = x * x
    if over == []:
        return _base.sqrt(square)
    return _base.sqrt(_base.sum(square, over, dim is not None))


class _WeightNorm(_Made):
    def weight_of(self, module: Any) -> Any:
        g, v = (getattr(module, f"{self.name}_{letter}") for letter in "gv")
        return v * (g / _length(v, self.dim))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """A weight as length times direction, two parameters; the module itself.

    Salimans and Kingma, "Weight normalization" (2016).

    Args:
        module: A layer with a parameter `name`.
        name: The weight, which `name_g` and `name_v` take the place of.
        dim: Along which each cell has a length of its own; None for one length.

    Raises:
        AttributeError: The module has no such parameter.
        RuntimeError: It has been done before.

    Example:
        >>> from minitorch.torch import nn
        >>> layer = weight_norm(nn.Linear(3, 2))
        >>> [name for name, _ in layer.named_parameters()]
        ['bias', 'weight_g', 'weight_v']
    """
    weight = _require_weight("weight_norm", module, name, _WeightNorm)
    delattr(module, name)
    module.register_parameter(f"{name}_g", Parameter(_length(weight.detach(), dim)))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    _WeightNorm(name, dim).install(module)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Makes one parameter again of what `weight_norm` made; the module itself.

    Raises:
        ValueError: There is nothing to remove.
    """
    hook = _found(module, name, _WeightNorm)
    if hook is None:
        raise ValueError(f"[remove_weight_norm] got no weight norm of '{name}'.")
    hook.remove(module)
    for letter in "gv":
        delattr(module, f"{name}_{letter}")
    return module


class _SpectralNorm(_Made):
    def __init__(self, name: str, dim: int, steps: int, eps: float) -> None:
        super().__init__(name, dim)
        self.steps, self.eps = steps, eps

    def matrix(self, weight: Any) -> Any:
        """The weight as (outputs, the rest)."""
        at = self.dim or 0
        order = [at, *(d for d in range(weight.dims) if d != at)]
        return weight._permute(order)._reshape((weight.shape[at], -1))

    def _unit(self, x: Any) -> Any:
        return x / _base.clamp(_length(x, None), self.eps, math.inf)

    def weight_of(self, module: Any, steps: int | None = None) -> Any:
        """The weight over its largest singular value."""
        weight = getattr(module, f"{self.name}_orig")
        u, v = (getattr(module, f"{self.name}_{letter}") for letter in "uv")
        rows = self.matrix(weight)
        if module.training or steps is not None:
            with no_grad():
                for _ in range(self.steps if steps is None else steps):
                    _base.copy_(v, self._unit(matmul(rows._permute([1, 0]), u)))
                    _base.copy_(u, self._unit(matmul(rows, v)))
        u, v = u.clone(), v.clone()  # the next call changes them
        return weight / _base.sum(u * matmul(rows, v), None, False)


def spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """A weight over its largest singular value, found step by step; the module itself.

    Miyato et al., "Spectral normalization for generative adversarial networks" (2018).

    Args:
        module: A layer with a parameter `name`, which becomes `name_orig`.
        name: The weight.
        n_power_iterations: Steps towards the singular value in each call in training.
        eps: Keeps a vector of zeros from dividing.
        dim: That of the outputs, by default 0 (1 of transposed convolutions).

    Raises:
        AttributeError: The module has no such parameter.
        RuntimeError: It has been done before.

    Example:
        >>> from minitorch.torch import nn
        >>> layer = spectral_norm(nn.Linear(3, 2, bias=False))
        >>> list(layer.state_dict())
        ['weight_orig', 'weight_u', 'weight_v']
    """
    weight = _require_weight("spectral_norm", module, name, _SpectralNorm)
    if n_power_iterations < 1:
        raise ValueError(
            f"[spectral_norm] got {n_power_iterations} steps; need 1 or more."
        )
    if dim is None:
        dim = 1 if getattr(module, "transposed", False) else 0
    hook = _SpectralNorm(name, dim, n_power_iterations, eps)
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    with no_grad():
        for letter, size in zip("uv", hook.matrix(weight).shape, strict=True):
            start = randn(size, dtype=weight.dtype, device=str(weight.device))
            module.register_buffer(f"{name}_{letter}", hook._unit(start.as_torch()))
        made = hook.weight_of(module, 15)  # so that the first value is near
    setattr(module, name, made)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Makes one parameter again of what `spectral_norm` made; the module itself.

    Raises:
        ValueError: There is nothing to remove.
    """
    hook = _found(module, name, _SpectralNorm)
    if hook is None:
        raise ValueError(f"[remove_spectral_norm] got no spectral norm of '{name}'.")
    training = module.training
    module.training = False  # as it is now, not a step later
    hook.remove(module)
    module.training = training
    for letter in ("orig", "u", "v"):
        delattr(module, f"{name}_{letter}")
    return module
