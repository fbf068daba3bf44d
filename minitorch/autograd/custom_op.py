"""Operators from a user's own forward and backward functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from .. import _core
from .._core import Tensor
from ..autodiff import Context
from .function import Function

Code = Callable[..., Any] | Mapping[str, Callable[..., Any]]

_DEVICES = ("cpu", "cuda")


class CustomOp:
    """A differentiable operator, created by `custom_op` and called like a function."""

    def __init__(self, forward: Code, backward: Code | None, name: str | None) -> None:
        self._forward = _by_device("forward", forward)
        self._backward = None if backward is None else _by_device("backward", backward)
        first = next(iter(self._forward.values()))
        self.__name__ = _name_of(first) if name is None else name
        if not isinstance(self.__name__, str) or not self.__name__:
            raise TypeError(f"[custom_op] got name {name!r}; need a non-empty string.")
        self.__doc__ = first.__doc__ if inspect.isroutine(first) else None
        members = {
            "forward": staticmethod(self._run_forward),
            "backward": staticmethod(self._run_backward),
        }
        self._function: type[Function] = type(self.__name__, (Function,), members)

    def __call__(self, *values: Any) -> Tensor:
        """Run `forward` and record the operator as one node of the graph."""
        output: Tensor = self._function.apply(*values)
        return output

    def __repr__(self) -> str:
        return f"custom_op({self.__name__})"

    def _run_forward(self, ctx: Context, *values: Any) -> Tensor:
        code = self._code(self._forward, values, "forward")
        inputs = [v.detach() if isinstance(v, Tensor) else v for v in values]
        output = code(*inputs)
        ctx.save_for_backward(*values)
        if not isinstance(output, Tensor):
            hint = " Write one operator for each output." if _is_row(output) else ""
            raise TypeError(
                f"[{self.__name__}] forward returned {type(output).__name__}; it must "
                f"return one tensor.{hint}"
            )
        return output

    def _run_backward(self, ctx: Context, gradient: Tensor) -> tuple[Any, ...]:
        if self._backward is None:
            raise RuntimeError(
                f"[{self.__name__}] has no backward, but its gradient is needed. "
                "Define one: custom_op(forward=..., backward=...)."
            )
        code = self._code(self._backward, (gradient,), "backward")
        recorded = _core.grad_enabled()
        values = ctx.saved_values
        if recorded:
            self._need_no_backend(gradient)
            if gradient.is_constant():
                # What comes back is linear in the gradient: a history shows that it
                # was recorded.
                gradient = gradient.detach().requires_grad_()
        else:
            values = tuple(v.detach() if isinstance(v, Tensor) else v for v in values)
        gradients = self._gradients(values, code(gradient, *values))
        if recorded:
            self._need_recorded(gradients)
        return gradients

    def _code(
        self,
        codes: dict[str, Callable[..., Any]],
        values: tuple[Any, ...],
        direction: str,
    ) -> Callable[..., Any]:
        """Return the function for the device of the tensors."""
        if len(codes) == 1 and "" in codes:
            return codes[""]
        devices = {v.device.partition(":")[0] for v in values if isinstance(v, Tensor)}
        if len(devices) != 1:
            raise ValueError(
                f"[{self.__name__}] got tensors on {sorted(devices) or 'no device'}; "
                "all must be on the same device."
            )
        device = devices.pop()
        if device not in codes:
            raise ValueError(
                f"[{self.__name__}] got tensors on {device}, but its {direction} is "
                f"for {' and '.join(codes)}. Try .to({next(iter(codes))!r})."
            )
        return codes[device]

    def _gradients(self, values: tuple[Any, ...], result: Any) -> tuple[Any, ...]:
        """Check what backward returned and return one gradient for each argument."""
        tensors = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
        gradients = list(result) if isinstance(result, tuple | list) else [result]
        if len(gradients) == len(tensors) != len(values):
            spread: list[Any] = [None] * len(values)
            for i, one in zip(tensors, gradients, strict=True):
                spread[i] = one
            gradients = spread
        if len(gradients) != len(values):
            raise ValueError(
                f"[{self.__name__}] backward must return one gradient per argument "
                f"({len(values)}), but returned {len(gradients)}. Return None for "
                "an argument without gradient."
            )
        for i, (one, value) in enumerate(zip(gradients, values, strict=True)):
            if one is not None:
                _check_gradient(self.__name__, i + 1, one, value)
        return tuple(gradients)

    def _need_no_backend(self, gradient: Tensor) -> None:
        if gradient._backend() is not None:
            raise RuntimeError(
                f"[{self.__name__}] create_graph=True does not work with backend=. Try "
                "minitorch.tensor(...) without backend=."
            )

    def _need_recorded(self, gradients: tuple[Any, ...]) -> None:
        if any(isinstance(one, Tensor) and one.is_constant() for one in gradients):
            raise RuntimeError(
                f"[{self.__name__}] create_graph=True needs a recorded backward, and "
                "kernels are not recorded. Compute it with tensor operators or with "
                "another custom_op; return None for a gradient of 0."
            )


def _check_gradient(name: str, position: int, gradient: Any, value: Any) -> None:
    """Raise unless a gradient has the shape, dtype and device of its argument."""
    start = f"[{name}] the gradient of argument {position}"
    if not isinstance(gradient, Tensor):
        raise TypeError(
            f"{start} has type {type(gradient).__name__}; need a tensor or None."
        )
    if not isinstance(value, Tensor):
        raise TypeError(f"{start} must be None, because the argument is not a tensor.")
    for attribute in ("shape", "dtype", "device"):
        got, need = getattr(gradient, attribute), getattr(value, attribute)
        if got != need:
            got, need = (tuple(x) if attribute == "shape" else x for x in (got, need))
            raise ValueError(
                f"{start} has {attribute} {got}, but the argument has {need}."
            )


def custom_op(
    forward: Code | None = None,
    backward: Code | None = None,
    *,
    name: str | None = None,
) -> Any:
    """Make a differentiable operator of a function of tensors and one for its gradient.

    The functions may do anything with tensors: launch kernels in CUDA C++ or in Python,
    call NumPy, use operators. Nothing inside `forward` is recorded.

    Args:
        forward: from the arguments of the operator, tensors without history and any
            other values, to one new tensor; or one such function per device,
            `{"cpu": f, "cuda": g}`.
        backward: `backward(gradient, *arguments)` gives a gradient for each argument
            (None for those without), each of the shape, dtype and device of its
            argument. A function or one per device. None: the operator has no gradient.
        name: for messages; by default that of `forward`.

    An operator that keeps something else than its arguments is a `minitorch.Function`.

    Without `forward` it returns a decorator of `forward`.

    Returns:
        The operator, a function of the arguments of `forward`. A gradient can be
        differentiated again if `backward` uses operators that are recorded; if it
        launches kernels by itself, `create_graph=True` is a RuntimeError.

    Raises:
        TypeError: not functions; a kernel, which is to be launched by a function.

    Example:
        >>> import minitorch
        >>> cube = custom_op(
        ...     forward=lambda x: x * x * x,
        ...     backward=lambda gradient, x: gradient * 3 * x * x,
        ...     name="cube",
        ... )
        >>> x = minitorch.tensor([2.0], requires_grad=True)
        >>> cube(x).backward()
        >>> x.grad.item()
        12.0
    """
    if forward is None:
        return functools.partial(custom_op, backward=backward, name=name)
    return CustomOp(forward, backward, name)


def _by_device(direction: str, code: Code) -> dict[str, Callable[..., Any]]:
    """Return the functions by device; the key "" stands for all devices."""
    functions = dict(code) if isinstance(code, Mapping) else {"": code}
    for device, function in functions.items():
        if device and device not in _DEVICES:
            raise ValueError(
                f"[custom_op] got {direction} for device {device!r}; need 'cpu' or "
                "'cuda'."
            )
        if hasattr(type(function), "__getitem__"):
            raise TypeError(
                f"[custom_op] got the kernel {function!r} as {direction}; need a "
                "function of tensors that launches it."
            )
        if not callable(function):
            raise TypeError(
                f"[custom_op] got {function!r} as {direction}; need a function."
            )
    if not functions:
        raise ValueError(
            f"[custom_op] got an empty {direction}; need a function for at least one "
            "device."
        )
    return functions


def _name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return "custom_op" if name == "<lambda>" else str(name)


def _is_row(value: Any) -> bool:
    return isinstance(value, tuple | list)
