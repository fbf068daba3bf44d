"""Owns the steps of a graph that go through matrices: inverse, determinant, Cholesky,
eigenvalues, solution, each with its gradient.

NumPy computes them on the host, in batches. Must not know users' functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from .._core import Tensor as Base
from ..gradients.function import Function
from .arguments import require_torch
from .on_host import to_device, to_host
from .parts import diag_embed, diagonal, tril
from .products import matmul


class LinAlgError(RuntimeError):
    """A matrix has no inverse, or no such decomposition."""


def require_matrices(where: str, input: Any, square: bool = False) -> None:
    require_torch(where, input)
    shape = tuple(input.shape)
    if not input.dtype.is_floating_point or input.dtype.itemsize == 2:
        raise RuntimeError(
            f"[{where}] got {input.dtype}; need torch.float32 or torch.float64."
        )
    if len(shape) < 2 or (square and shape[-1] != shape[-2]):
        kind = "square matrices" if square else "matrices"
        raise RuntimeError(f"[{where}] got shape {shape}; need {kind}.")


def computed(where: str, compute: Callable[..., Any], *tensors: Any) -> Any:
    """What NumPy makes of the tensors, as one of its errors in PyTorch's class."""
    try:
        return compute(*(to_host(each) for each in tensors))
    except np.linalg.LinAlgError as error:
        raise LinAlgError(
            f"[{where}] got a matrix for which there is no result ({error}); need "
            "another. Is it singular?"
        ) from None


def like(array: Any, input: Any) -> Any:
    return to_device(np.asarray(array, input.dtype.dtype), input)


def mT(x: Any) -> Any:
    order = list(range(len(x.shape)))
    order[-2:] = order[:-3:-1]
    return Base._permute(x, order)


def refuse_gradient(where: str, *inputs: Any) -> None:
    if _core.grad_enabled() and any(each.requires_grad for each in inputs):
        raise NotImplementedError(
            f"[{where}] got a tensor that requires a gradient, which is not here for "
            "this; need one without. Try .detach()."
        )


class Inverse(Function):
    """Y = X⁻¹ has the gradient -Yᵀ G Yᵀ."""

    @staticmethod
    def forward(ctx: Any, *values: Any) -> Any:
        (x,) = values
        ctx.save_for_backward(x)
        return like(computed("linalg.inv", np.linalg.inv, x), x)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        turned = mT(Inverse.apply(ctx.saved_values[0]))
        return -matmul(matmul(turned, gradient), turned)


class LogDeterminant(Function):
    """log |det X| has the gradient X⁻ᵀ."""

    @staticmethod
    def forward(ctx: Any, *values: Any) -> Any:
        (x,) = values
        ctx.save_for_backward(x)
        return like(computed("linalg.slogdet", np.linalg.slogdet, x)[1], x)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        turned = mT(Inverse.apply(ctx.saved_values[0]))
        return _as_matrix(gradient) * turned


class Determinant(Function):
    """det X has the gradient det X · X⁻ᵀ."""

    @staticmethod
    def forward(ctx: Any, *values: Any) -> Any:
        (x,) = values
        ctx.save_for_backward(x)
        return like(computed("linalg.det", np.linalg.det, x), x)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        (x,) = ctx.saved_values
        scale = _as_matrix(gradient * Determinant.apply(x))
        return scale * mT(Inverse.apply(x))


def _as_matrix(x: Any) -> Any:
    return Base._reshape(x, (*x.shape, 1, 1))


class Cholesky(Function):
    """X = L Lᵀ: half of the triangle of Lᵀ G, between L⁻ᵀ and L⁻¹ (Murray, 2016)."""

    @staticmethod
    def forward(ctx: Any, *values: Any) -> Any:
        (x,) = values
        ctx.save_for_backward(x)
        return like(computed("linalg.cholesky", np.linalg.cholesky, x), x)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        lower = Cholesky.apply(ctx.saved_values[0])
        inside = tril(matmul(mT(lower), gradient))
        inside = inside - diag_embed(diagonal(inside, 0, -2, -1)) * 0.5
        inverse = Inverse.apply(lower)
        found = matmul(matmul(mT(inverse), inside), inverse)
        return (found + mT(found)) * 0.5


class EigenValues(Function):
    """The eigenvalues of symmetric X = V Λ Vᵀ have the gradient V G Vᵀ."""

    once = True

    @staticmethod
    def forward(ctx: Any, *values: Any) -> Any:
        (x,) = values
        found, vectors = computed("linalg.eigvalsh", np.linalg.eigh, x)
        ctx.save_for_backward(like(vectors, x))
        return like(found, x)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        (v,) = ctx.saved_values
        scaled = v * Base.unsqueeze(gradient, len(gradient.shape) - 1)
        return matmul(scaled, mT(v))


class SingularValues(Function):
    """The singular values of X = U Σ Vᵀ have the gradient U G Vᵀ."""

    once = True

    @staticmethod
    def forward(ctx: Any, *values: Any) -> Any:
        (x,) = values
        u, s, vt = computed(
            "linalg.svdvals", lambda m: np.linalg.svd(m, full_matrices=False), x
        )
        ctx.save_for_backward(like(u, x), like(vt, x))
        return like(s, x)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        u, vt = ctx.saved_values
        return matmul(u * Base.unsqueeze(gradient, len(gradient.shape) - 1), vt)


class Solution(Function):
    """X = A⁻¹ B: B's gradient is A⁻ᵀ G, and A's is minus that times Xᵀ."""

    @staticmethod
    def forward(ctx: Any, *values: Any) -> Any:
        a, b = values
        ctx.save_for_backward(a, b)
        return like(computed("linalg.solve", np.linalg.solve, a, b), a)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        a, b = ctx.saved_values
        of_b = Solution.apply(mT(a), gradient)
        of_a = -matmul(of_b, mT(Solution.apply(a, b)))
        return _summed_to(of_a, a), _summed_to(of_b, b)


def _summed_to(gradient: Any, to: Any) -> Any:
    """Summed over the dims that were broadcast."""
    more = len(gradient.shape) - len(to.shape)
    gone = list(range(more))
    pairs = zip(to.shape, gradient.shape[more:], strict=True)
    gone += [more + d for d, (size, wide) in enumerate(pairs) if size == 1 != wide]
    if not gone:
        return gradient
    return Base._reshape(Base.sum(gradient, tuple(gone), True), tuple(to.shape))
