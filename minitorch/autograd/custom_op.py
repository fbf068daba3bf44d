"""Operators from a user's own forward and backward functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
        self._with_context = _takes_context(first)
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
        if self._with_context:
            output = code(ctx, *inputs)
            # Saved arguments keep their history, for gradients of gradients.
            given = dict(zip(map(id, inputs), values, strict=True))
            saved = tuple(given.get(id(v), v) for v in ctx.saved_values)
        else:
            output = code(*inputs)
            saved = values
        foreign = any(
            isinstance(s, Tensor) and not any(s is v for v in values) for s in saved
        )
        ctx.save_for_backward(*saved, _Step([_Expected(v) for v in values], foreign))
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
        *saved, step = ctx.saved_values
        if recorded:
            self._need_recordable(step, gradient)
            if gradient.is_constant():
                # What comes back is linear in the gradient: a history shows that it
                # was recorded.
                gradient = gradient.detach().requires_grad_()
        else:
            saved = [v.detach() if isinstance(v, Tensor) else v for v in saved]
        if self._with_context:
            result = code(Context(saved_values=tuple(saved)), gradient)
        else:
            result = code(gradient, *saved)
        gradients = self._gradients(step.arguments, result)
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

    def _gradients(self, arguments: list[_Expected], result: Any) -> tuple[Any, ...]:
        """Check what backward returned and return one gradient for each argument."""
        tensors = [i for i, argument in enumerate(arguments) if argument.is_tensor]
        gradients = list(result) if isinstance(result, tuple | list) else [result]
        if len(gradients) == len(tensors) != len(arguments):
            spread: list[Any] = [None] * len(arguments)
            for i, one in zip(tensors, gradients, strict=True):
                spread[i] = one
            gradients = spread
        if len(gradients) != len(arguments):
            raise ValueError(
                f"[{self.__name__}] backward must return one gradient per argument "
                f"({len(arguments)}), but returned {len(gradients)}. Return None for "
                "an argument without gradient."
            )
        for i, (one, expected) in enumerate(zip(gradients, arguments, strict=True)):
            if one is not None:
                expected.check(self.__name__, i + 1, one)
        return tuple(gradients)

    def _need_recordable(self, step: _Step, gradient: Tensor) -> None:
        if step.foreign:
            raise RuntimeError(
                f"[{self.__name__}] cannot compute create_graph=True, because forward "
                "saved a tensor that is not an argument. Save only arguments, and "
                "compute the rest in backward."
            )
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


@dataclass(frozen=True)
class _Step:
    """Facts about a call, saved together with forward's tensors."""

    arguments: list[_Expected]
    foreign: bool  # was anything saved that is not an argument?


class _Expected:
    """Shape, dtype and device that the gradient of an argument must have."""

    def __init__(self, value: Any) -> None:
        self.is_tensor = isinstance(value, Tensor)
        self.like = (
            (tuple(value.shape), value.dtype, value.device) if self.is_tensor else None
        )

    def check(self, name: str, position: int, gradient: Any) -> None:
        start = f"[{name}] the gradient of argument {position}"
        if not isinstance(gradient, Tensor):
            raise TypeError(
                f"{start} has type {type(gradient).__name__}; need a tensor or None."
            )
        if self.like is None:
            raise TypeError(
                f"{start} must be None, because the argument is not a tensor."
            )
        for attribute, got, need in zip(
            ("shape", "dtype", "device"),
            (tuple(gradient.shape), gradient.dtype, gradient.device),
            self.like,
            strict=True,
        ):
            if got != need:
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

    If the first parameter of `forward` is called `ctx`, it gets a `Context` to call
    `ctx.save_for_backward(...)` on, and `backward(ctx, gradient)` finds that in
    `ctx.saved_values`.

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


def _takes_context(function: Callable[..., Any]) -> bool:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return False
    return bool(names) and names[0] == "ctx"


def _is_row(value: Any) -> bool:
    return isinstance(value, tuple | list)
