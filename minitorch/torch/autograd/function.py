"""Custom functions with a gradient written in Python: `Function`.

Several outputs travel as one row, so that `backward` is called once with all gradients.
"""

from __future__ import annotations

import math
from typing import Any

from ... import _core
from ...autograd.function import Function as Neutral
from ...autograd.function import no_grad, step_of
from ...functional.indexing import cat
from ..create import zeros
from ..tensor import Tensor


class FunctionCtx:
    """Context of a function between forward and backward; attributes are free.

    Attributes:
        needs_input_grad: For each argument of `apply`: is its gradient wanted?
        saved_tensors: What `save_for_backward` got.
    """

    def __init__(self, needs: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs
        self.saved_values: tuple[Any, ...] = ()
        self._apart: set[int] = set()

    def save_for_backward(self, *tensors: Any) -> None:
        """Save tensors (or None) for backward; they must not change in place."""
        self.saved_values = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """Values passed to `save_for_backward`."""
        return self.saved_values

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Mark outputs as having no gradient."""
        self._apart = {id(output) for output in tensors}

    def __getattr__(self, name: str) -> Any:
        if name in ("mark_dirty", "set_materialize_grads"):
            raise AttributeError(
                f"ctx.{name} is in PyTorch but not in minitorch; return a new tensor "
                "instead of changing an input. A missing gradient arrives as zeros."
            )
        raise AttributeError(name)


class Function(Neutral):
    """Function with its own gradient; subclass it and call `apply`.

    `forward(ctx, *args)` and `backward(ctx, *grad_outputs)` are static methods; with
    `setup_context(ctx, inputs, output)` forward gets no ctx.

    Example:
        >>> import minitorch.torch as torch
        >>> class Cube(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x**3
        ...     @staticmethod
        ...     def backward(ctx, grad_output):
        ...         (x,) = ctx.saved_tensors
        ...         return grad_output * 3 * x**2
        >>> x = torch.tensor([2.0], requires_grad=True)
        >>> Cube.apply(x).sum().backward()
        >>> x.grad.tolist()
        [12.0]
    """

    @classmethod
    def _applied(cls, *values: Any) -> Any:
        tensors = [value for value in values if isinstance(value, Tensor)]
        needs = tuple(isinstance(v, Tensor) and bool(v.requires_grad) for v in values)
        ctx = FunctionCtx(needs)
        with no_grad():
            result = _forward(cls, ctx, values)
        several = isinstance(result, tuple | list)
        outputs = list(result) if several else [result]
        if not several and not isinstance(result, Tensor):
            raise TypeError(
                f"[{cls.__name__}] forward returned {type(result).__name__}; it must "
                "return a tensor or a tuple of tensors."
            )
        if _core.grad_enabled() and any(needs):
            outputs = _attached(cls, ctx, values, tensors, outputs)
        return tuple(outputs) if several else outputs[0]


def _forward(function: Any, ctx: FunctionCtx, values: tuple[Any, ...]) -> Any:
    set_up = getattr(function, "setup_context", None)
    if set_up is None:
        return function.forward(ctx, *values)
    output = function.forward(*values)
    set_up(ctx, values, output)
    return output


def _attached(
    function: Any,
    ctx: FunctionCtx,
    values: tuple[Any, ...],
    tensors: list[Any],
    outputs: list[Any],
) -> list[Any]:
    """Return the outputs with one graph step as their history."""
    indices = [
        i
        for i, out in enumerate(outputs)
        if isinstance(out, Tensor)
        and out.dtype.is_floating_point
        and id(out) not in ctx._apart
    ]
    if not indices:
        return outputs
    way: Any = _BackwardAdapter(function, outputs, indices)
    step: Any = step_of(way, values, None)
    step.note_saved(ctx)
    parts = [outputs[i].detach() for i in indices]
    name = function.__name__

    if len(parts) == 1:
        outputs[indices[0]] = _core.attach_python(parts[0], tensors, name, step, ctx)
        return outputs
    row: Any = cat([part.reshape(-1) for part in parts], 0)
    row = _core.attach_python(row, tensors, name, step, ctx)
    start = 0
    for index, part in zip(indices, parts, strict=True):
        stop = start + math.prod(part.shape)
        outputs[index] = row[start:stop].reshape(part.shape)
        start = stop
    return outputs


class _BackwardAdapter:
    """Adapter from a graph step to a function's `backward` with all gradients."""

    once = False

    def __init__(self, function: Any, outputs: list[Any], indices: list[int]) -> None:
        self.function, self.indices = function, indices
        self.__name__ = function.__name__
        kinds = [isinstance(out, Tensor) for out in outputs]
        self.forms = [
            (tuple(out.shape), out.dtype) if known else None
            for out, known in zip(outputs, kinds, strict=True)
        ]

    def _backward(self, ctx: FunctionCtx, gradient: Any) -> tuple[Any, ...]:
        given: list[Any] = [
            zeros(form[0], dtype=form[1]) if form else None for form in self.forms
        ]
        start = 0
        for index in self.indices:
            form = self.forms[index]
            assert form is not None
            stop = start + math.prod(form[0])
            one = gradient if len(self.indices) == 1 else gradient[start:stop]
            given[index] = one.reshape(form[0])
            start = stop
        result = self.function.backward(ctx, *given)
        return tuple(result) if isinstance(result, tuple | list) else (result,)
