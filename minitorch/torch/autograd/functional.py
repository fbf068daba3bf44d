"""Owns derivatives of functions of tensors: Jacobians, Hessians, products with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import autograd as neutral
from ...functional.indexing import stack
from ..arguments import require_torch
from ..create import zeros, zeros_like
from ..modes import enable_grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def __dir__() -> list[str]:
    return sorted(__all__)


def _leaves(where: str, inputs: Any, create_graph: bool) -> tuple[bool, list[Any]]:
    """Was it one tensor; tensors that collect a gradient."""
    alone = not isinstance(inputs, tuple)
    given = [inputs] if alone else list(inputs)
    require_torch(where, *given)
    if create_graph:
        return alone, [each.view(each.shape) for each in given]
    return alone, [each.detach().requires_grad_(True) for each in given]


def _gradients(
    output: Any, leaves: list[Any], given: Any, create_graph: bool, strict: bool
) -> list[Any]:
    if not output.requires_grad:
        found: list[Any] = [None] * len(leaves)
    else:
        found = list(neutral.grad([output], leaves, [given], True, create_graph, True))
    if strict and any(one is None for one in found):
        raise RuntimeError(
            "[jacobian] got an output that does not depend on an input; need one that "
            "does, or strict=False."
        )
    return [
        zeros_like(x) if one is None else one
        for one, x in zip(found, leaves, strict=True)
    ]


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Derivatives of each output element by each input element.

    Args:
        func: A function of tensors, which gives one or a tuple of them.
        inputs: A tensor or a tuple.
        create_graph: Record the computation.
        strict: Refuse outputs that do not depend on an input.
        vectorize, strategy: For programs of PyTorch; change nothing.

    Returns:
        Of shape output shape + input shape; nested tuples where there are several.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.jacobian(lambda t: t**2, x).tolist()
        [[2.0, 0.0], [0.0, 4.0]]
    """
    with enable_grad():
        alone, leaves = _leaves("jacobian", inputs, create_graph)
        made = func(*leaves)
        single = not isinstance(made, tuple)
        rows = [
            _rows_of(output, leaves, create_graph, strict)
            for output in ([made] if single else made)
        ]
    shaped = tuple(row[0] if alone else tuple(row) for row in rows)
    return shaped[0] if single else shaped


def _rows_of(
    output: Any, leaves: list[Any], create_graph: bool, strict: bool
) -> list[Any]:
    require_torch("jacobian", output)
    count = output.numel()
    flat = output.reshape(-1)
    found = []
    for i in range(count):
        one = zeros((count,), dtype=output.dtype, device=output.device)
        one[i] = 1.0
        found.append(_gradients(flat, leaves, one, create_graph, strict))
    shape = tuple(output.shape)
    if not found:
        return [zeros((*shape, *x.shape), dtype=x.dtype) for x in leaves]
    columns = zip(*found, strict=True)
    return [
        stack(list(column), 0).reshape((*shape, *x.shape))
        for column, x in zip(columns, leaves, strict=True)
    ]


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Second derivatives of a number by each two input elements.

    Args:
        func: A function of tensors, which gives one element.
        inputs: A tensor or a tuple.
        create_graph: Record the computation.
        strict, vectorize, outer_jacobian_strategy: See `jacobian`.

    Raises:
        RuntimeError: The result has several elements.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.hessian(lambda t: (t**3).sum(), x).tolist()
        [[6.0, 0.0], [0.0, 12.0]]
    """
    alone = not isinstance(inputs, tuple)

    def slopes(*given: Any) -> Any:
        made = func(*given)
        if made.numel() != 1:
            raise RuntimeError(
                f"[hessian] got a result of shape {tuple(made.shape)}; need one "
                "element."
            )
        found = _gradients(made.reshape(()), list(given), None, True, False)
        return found[0] if alone else tuple(found)

    return jacobian(slopes, inputs, create_graph, strict)


def vjp(func: Any, inputs: Any, v: Any = None, **options: Any) -> tuple[Any, Any]:
    """The outputs, and `v` times the Jacobian.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.autograd.functional.vjp(lambda t: (t**2).sum(), x)[1].tolist()
        [2.0, 4.0]
    """
    create_graph = bool(options.get("create_graph"))
    with enable_grad():
        alone, leaves = _leaves("vjp", inputs, create_graph)
        made = func(*leaves)
        found = _gradients(made, leaves, v, create_graph, bool(options.get("strict")))
    kept = made if create_graph else made.detach()
    return kept, found[0] if alone else tuple(found)


def jvp(func: Any, inputs: Any, v: Any = None, **options: Any) -> tuple[Any, Any]:
    """The output, and the Jacobian times `v`: by going back twice."""
    with enable_grad():
        alone, leaves = _leaves("jvp", inputs, False)
        made = func(*leaves)
        free = zeros_like(made).requires_grad_(True)
        slopes = _gradients(made, leaves, free, True, False)
        ways = [v] if alone else list(v)
        parts = [
            (s * (zeros_like(s) + (1.0 if way is None else way))).sum()
            for s, way in zip(slopes, ways, strict=True)
        ]
        total = sum(parts[1:], parts[0])
        (found,) = _gradients(total, [free], None, False, False)
    return made.detach(), found


def hvp(func: Any, inputs: Any, v: Any = None, **options: Any) -> tuple[Any, Any]:
    """The output, and the Hessian times `v`."""
    with enable_grad():
        alone, leaves = _leaves("hvp", inputs, False)
        made = func(*leaves)
        slopes = _gradients(made, leaves, None, True, False)
        ways = [v] if alone else list(v)
        parts = [(s * way).sum() for s, way in zip(slopes, ways, strict=True)]
        found = _gradients(sum(parts[1:], parts[0]), leaves, None, False, False)
    return made.detach(), found[0] if alone else tuple(found)


vhp = hvp  # a Hessian is symmetric
