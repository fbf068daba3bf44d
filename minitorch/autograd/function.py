"""Functions with a gradient written in Python, and switches for recording."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from .. import _core
from .._core import Tensor
from ..autodiff import Context
from ..tensors.op_calls import going_back


class Recording:
    """Recording switched for a `with` block or for the calls of a function.

    Of a generator each part runs so, and what asks for its values does not.
    """

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled
        self._previous: list[bool] = []

    def __enter__(self) -> None:
        self._previous.append(_core.set_grad_enabled(self.enabled))

    def __exit__(self, *error: object) -> None:
        _core.set_grad_enabled(self._previous.pop())

    def _new(self) -> Recording:
        """Return a new instance for a call, which may run on another thread."""
        return type(self)(self.enabled)

    def __call__(self, function: Any) -> Any:
        """Decorate a function so that it runs as if inside the block."""
        if not callable(function):
            where = "enable_grad" if self.enabled else "no_grad"
            raise TypeError(
                f"[{where}] got {type(function).__name__}; need a "
                "function to decorate, or a `with` block."
            )
        if inspect.isgeneratorfunction(function):
            return self._of_generator(function)

        @functools.wraps(function)
        def inside(*values: Any, **options: Any) -> Any:
            with self._new():
                return function(*values, **options)

        return inside

    def _of_generator(self, function: Any) -> Any:
        @functools.wraps(function)
        def inside(*values: Any, **options: Any) -> Any:
            with self._new():
                generator = function(*values, **options)
            resume = functools.partial(next, generator)
            try:
                while True:
                    try:
                        with self._new():
                            value = resume()
                    except StopIteration as end:
                        return end.value
                    try:
                        resume = functools.partial(generator.send, (yield value))
                    except GeneratorExit:
                        raise
                    except BaseException as error:  # thrown in from outside
                        resume = functools.partial(generator.throw, error)
            finally:
                generator.close()

        return inside


def no_grad(function: Any = None) -> Any:
    """A `with` block of this thread, or a decorator, where no history is recorded.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([1.0], requires_grad=True)
        >>> with no_grad():
        ...     (x * 2).requires_grad
        False
        >>> @no_grad()
        ... def double(t):
        ...     return t * 2
        >>> double(x).requires_grad
        False
    """
    return Recording(False) if function is None else Recording(False)(function)


def enable_grad(function: Any = None) -> Any:
    """A `with` block of this thread, or a decorator, where history is recorded again.

    Example:
        >>> with no_grad(), enable_grad():
        ...     is_grad_enabled()
        True
    """
    return Recording(True) if function is None else Recording(True)(function)


class set_grad_enabled(Recording):
    """Switches recording on this thread at once; as a `with` block, only inside it.

    As a decorator it switches for the calls of the function alone.

    Example:
        >>> with set_grad_enabled(False):
        ...     is_grad_enabled()
        False
        >>> is_grad_enabled()
        True
        >>> @set_grad_enabled(False)
        ... def recorded():
        ...     return is_grad_enabled()
        >>> recorded(), is_grad_enabled()
        (False, True)
    """

    def __init__(self, mode: bool) -> None:
        super().__init__(bool(mode))
        self._before = _core.set_grad_enabled(self.enabled)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        _core.set_grad_enabled(self._before)

    def __call__(self, function: Any) -> Any:
        """Decorate a function so that it runs as if inside the block."""
        _core.set_grad_enabled(self._before)
        return super().__call__(function)


def is_grad_enabled() -> bool:
    """Return whether history is recorded on this thread now.

    Example:
        >>> import minitorch
        >>> with minitorch.no_grad():
        ...     minitorch.is_grad_enabled()
        False
    """
    return bool(_core.grad_enabled())


class Function:
    """A function with its own gradient; subclass it and call `apply`.

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

    # A function whose backward records nothing sets this, so that asking for the
    # gradient of its gradient is an error instead of 0.
    once = False

    @staticmethod
    def forward(ctx: Context, *values: Any) -> Tensor:
        """Compute the output from the arguments of `apply`."""
        raise NotImplementedError("[Function] needs a static method forward(ctx, ...).")

    @staticmethod
    def backward(ctx: Context, gradient: Tensor) -> Any:
        """Return one gradient (or None) per argument, given the output's."""
        raise NotImplementedError("[Function] needs a static method backward(ctx, d).")

    @classmethod
    def _forward(cls, ctx: Context, *inps: Any) -> Tensor:
        return cls.forward(ctx, *inps)

    @classmethod
    def _backward(cls, ctx: Context, grad_out: Tensor) -> tuple[Any, ...]:
        result = cls.backward(ctx, grad_out)
        return tuple(result) if isinstance(result, tuple | list) else (result,)

    @classmethod
    def apply(cls, *values: Any) -> Tensor:
        """Run `forward` without recording its ops, and record the call as one node.

        Args:
            values: Tensors and other values, passed on to `forward` as they are; where
                one carries a backend, the tensors are moved to it.

        Raises:
            TypeError: `forward` did not return a tensor.
        """
        if not _core.recording():
            return cls._applied(*values)
        # An op of its own: what goes back is told by it.
        _core.begin_scope(cls.__name__, "op", "Function")
        try:
            return cls._applied(*values)
        finally:
            _core.end_scope()

    @classmethod
    def _applied(cls, *values: Any) -> Tensor:
        tensors = [value for value in values if isinstance(value, Tensor)]
        backends = [t._backend() for t in tensors]
        seen = values
        if any(b is not backends[0] for b in backends):
            values = _moved(values)
            tensors = [value for value in values if isinstance(value, Tensor)]
            seen = _seen(values, next(b for b in backends if b is not None))
        recorded = _core.grad_enabled() and not all(t.is_constant() for t in tensors)
        context = Context(no_grad=not recorded)
        before = _core.set_grad_enabled(False)
        try:
            output = cls._forward(context, *seen)
        finally:
            _core.set_grad_enabled(before)
        if not isinstance(output, Tensor):
            raise TypeError(
                f"[{cls.__name__}] forward returned {type(output).__name__}; it must "
                "return a Tensor."
            )
        if not recorded:
            return output
        step = step_of(cls, values, output._backend())
        step.note_saved(context)
        return _core.attach_python(output, tensors, cls.__name__, step, context)


def step_of(function: type[Function], values: Any, backend: Any) -> _Backward:
    """Return the backward node of a call of `function` with these arguments."""
    positions = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
    return _Backward(function, positions, len(values), backend)


def _moved(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Move all tensors to the device of the first one that carries a backend."""
    tensors = (value for value in values if isinstance(value, Tensor))
    device = next(t.device for t in tensors if t._backend() is not None)
    return tuple(
        v._to_device(device) if isinstance(v, Tensor) and v.device != device else v
        for v in values
    )


def _seen(values: tuple[Any, ...], backend: Any) -> tuple[Any, ...]:
    """Return the arguments of `forward`: the same values, all with the same backend."""
    return tuple(_tagged(v, backend) if isinstance(v, Tensor) else v for v in values)


def _tagged(tensor: Tensor, backend: Any) -> Tensor:
    out = tensor.detach()
    out._set_backend(backend, getattr(backend, "native", None) is not None)
    return out


class _Backward:
    """Calls `backward` of a Function and selects the gradients of its tensors."""

    def __init__(
        self,
        function: type[Function],
        positions: list[int],
        arguments: int,
        backend: Any = None,
    ) -> None:
        self.function = function
        self.positions = positions
        self.arguments = arguments
        self.backend = backend
        self.saved: list[tuple[Tensor, int]] = []  # with their versions

    def note_saved(self, context: Context) -> None:
        """Save the version of each saved tensor, to detect later in-place changes."""
        saved = [v for v in context.saved_values if isinstance(v, Tensor)]
        self.saved = [(tensor, tensor._version) for tensor in saved]

    def __call__(self, context: Context, gradient: Tensor) -> list[Tensor | None]:
        for tensor, version in self.saved:
            if tensor._version != version:
                raise RuntimeError(
                    f"[backward] a tensor of shape {tuple(tensor.shape)} that "
                    f"{self.function.__name__} saved at version {version} was changed "
                    f"in place; it is at version {tensor._version} now. Try the op "
                    "that makes a new tensor, or change a .clone()."
                )
        if self.function.once and _core.grad_enabled():
            raise RuntimeError(
                f"[{self.function.__name__}] does not support create_graph=True, "
                "because its backward is not recorded. Use tensor operators, without "
                "backend=."
            )
        if self.backend is not None:
            gradient = _tagged(gradient, self.backend)
        with going_back():
            result = self.function._backward(context, gradient)
        gradients = [
            _core.full((1,), one, gradient.dtype, gradient.device)
            if isinstance(one, int | float)
            else one
            for one in result
        ]
        if len(gradients) == self.arguments:
            gradients = [gradients[i] for i in self.positions]
        if len(gradients) != len(self.positions):
            raise ValueError(
                f"[{self.function.__name__}] backward must return one gradient per "
                f"argument ({self.arguments}), but returned {len(gradients)}."
            )
        for one in gradients:
            if one is not None and not isinstance(one, Tensor):
                raise TypeError(
                    f"[{self.function.__name__}] backward returned "
                    f"{type(one).__name__}; it must return a Tensor or None for each "
                    "argument."
                )
        return gradients
