"""Owns functions with a gradient written in Python, and switching recording off."""

from __future__ import annotations

from typing import Any

from . import _core
from .autodiff import Context
from .tensor import Tensor


def no_grad() -> Any:
    """A `with` block of this thread in which no history is recorded.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([1.0], requires_grad=True)
        >>> with no_grad():
        ...     (x * 2).requires_grad
        False
    """
    return _core.GradScope(False)


def enable_grad() -> Any:
    """A `with` block of this thread in which history is recorded again.

    Example:
        >>> with no_grad(), enable_grad():
        ...     is_grad_enabled()
        True
    """
    return _core.GradScope(True)


def is_grad_enabled() -> bool:
    """Is history recorded on this thread now?"""
    return bool(_core.grad_enabled())


class Function:
    """A function with a gradient of its own; subclass it and call `apply`.

    Example:
        >>> import minitorch
        >>> class Cube(Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x * x
        ...     @staticmethod
        ...     def backward(ctx, gradient):
        ...         (x,) = ctx.saved_values
        ...         return gradient * 3 * x * x
        >>> x = minitorch.tensor([2.0], requires_grad=True)
        >>> Cube.apply(x).backward()
        >>> x.grad.item()
        12.0
    """

    @staticmethod
    def forward(ctx: Context, *values: Any) -> Tensor:
        """From the arguments of `apply` to the output."""
        raise NotImplementedError("[Function] need a static method forward(ctx, ...).")

    @staticmethod
    def backward(ctx: Context, gradient: Tensor) -> Any:
        """From the gradient of the output to one for each argument (or None)."""
        raise NotImplementedError("[Function] need a static method backward(ctx, d).")

    @classmethod
    def apply(cls, *values: Any) -> Tensor:
        """Runs `forward` without recording its inside, and records the step as one.

        Args:
            values: Tensors and other values, passed on to `forward` as they are.

        Raises:
            TypeError: `forward` did not return a tensor.
        """
        tensors = [value for value in values if isinstance(value, Tensor)]
        recorded = _core.grad_enabled() and any(t.requires_grad for t in tensors)
        context = Context(no_grad=not recorded)
        with no_grad():
            output = cls.forward(context, *values)
        if not isinstance(output, Tensor):
            raise TypeError(
                f"[{cls.__name__}] got {type(output).__name__} from forward; need a "
                "Tensor."
            )
        if not recorded:
            return output
        positions = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
        step = _Backward(cls, positions, len(values))
        return _core.attach_python(output, tensors, cls.__name__, step, context)


class _Backward:
    """Calls `backward` of a Function and picks the gradients of its tensors."""

    def __init__(
        self, function: type[Function], positions: list[int], arguments: int
    ) -> None:
        self.function = function
        self.positions = positions
        self.arguments = arguments

    def __call__(self, context: Context, gradient: Tensor) -> list[Tensor | None]:
        found = self.function.backward(context, gradient)
        gradients = list(found) if isinstance(found, tuple | list) else [found]
        if len(gradients) == self.arguments:
            gradients = [gradients[i] for i in self.positions]
        if len(gradients) != len(self.positions):
            raise ValueError(
                f"[{self.function.__name__}] got {len(gradients)} gradients from "
                f"backward; need {self.arguments}, one for each argument."
            )
        for one in gradients:
            if one is not None and not isinstance(one, Tensor):
                raise TypeError(
                    f"[{self.function.__name__}] got {type(one).__name__} from "
                    "backward; need a Tensor or None for each argument."
                )
        return gradients
