"""`override`: temporarily replace an op of the library."""

from __future__ import annotations

import fnmatch
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from .. import _core
from .._core import Tensor
from ..tensors.op_calls import enter, leave, names
from .custom_op import CustomOp
from .module_scope import innermost

Only = str | Callable[[str, Any], bool]


class override:
    """A `with` block of this thread in which an op is another one.

    Whatever calls the op meets it: methods, operators, functions, layers. Overrides of
    one op may be nested; the inner one runs first, and its `original` is the outer one.
    An op's steps go back as they were recorded, wherever `backward()` is called; inside
    a backward pass no op is overridden. In-place forms (`a += b`) are other ops.

    Args:
        op: The name of a function of `minitorch.functional`, or of an operator or
            method of Tensor: "batch_norm", "conv2d", "add", "matmul", "relu".
        forward: `forward(original, *args, **extra)` gives the result. `args` are all
            arguments of the op in order, defaults included; `original` is the op
            without this override. None: the op itself (with other kernels).
        backward: `backward(gradient, *args, **extra)` gives a gradient for each of
            `args`, then for each extra parameter (None for those without), or for
            each tensor among them. Nothing inside `forward` is recorded then. None:
            what `forward` calls is recorded.
        kernels: CUDA C++ by file, `{"conv2d.cu": text}`, compiled in place of the
            library's file of this name, with the same spec; for the gradients of the
            op as well. Or a function that makes the text of the library's. The kernel
            has the library's parameters and after them those of `extra_parameters`
            that it needs, by name. Only for tensors on cuda.
        extra_parameters: Values by name: numbers, tensors, parameters, or functions
            of the module that is being called, `lambda module: module.lam`.
        only: The modules in which it holds, as a pattern of their dotted names
            ("layer1.*", from the outermost module that is called), or as a function
            of name and module. None: everywhere.

    Raises:
        ValueError: No such op or file; a kernel, or `forward`, lacks an extra
            parameter; tensors on cpu for `kernels`; `only` met no module.
        TypeError: A part is of another type.
        RuntimeError: A tensor that requires a gradient is an extra parameter of a
            kernel, and there is no `backward`.
        cuda.CompileError: A text does not compile. Behind the block the library's
            kernel is back.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([-2.0, 3.0])
        >>> def leaky(relu, x, slope):
        ...     return relu(x) - slope * relu(-x)
        >>> with override("relu", leaky, extra_parameters={"slope": 0.5}):
        ...     x.relu().numpy(), minitorch.nn.ReLU()(x).numpy()
        (array([-1.,  3.]), array([-1.,  3.]))
        >>> x.relu().numpy()
        array([0., 3.])
    """

    def __init__(
        self,
        op: str,
        forward: Callable[..., Any] | None = None,
        backward: Callable[..., Any] | None = None,
        *,
        kernels: Mapping[str, str | Callable[[str], str]] | None = None,
        extra_parameters: Mapping[str, Any] | None = None,
        only: Only | None = None,
    ) -> None:
        self.op = _known_op(op)
        for name, code in (("forward", forward), ("backward", backward)):
            _require_function(name, code)
        if forward is None and not kernels:
            raise ValueError(
                f"[override] got neither forward nor kernels for '{op}'; need at least "
                "one of them."
            )
        self._forward, self._backward = forward, backward
        self._extra = dict(_mapping("extra_parameters", extra_parameters))
        texts = _texts(_mapping("kernels", kernels))
        self._texts = _core.KernelTexts(texts, list(self._extra)) if texts else None
        self._in_kernels = set(self._texts.extra) if self._texts else set()
        self._in_forward = _taken(forward, self._extra)
        self._require_all_taken()
        if not (only is None or isinstance(only, str) or callable(only)):
            raise TypeError(
                f"[override] got only={only!r}; need a name pattern, or a function of "
                "name and module."
            )
        self._only = only
        self._met: list[str] = []  # names of modules in which it does not hold
        self._held = False
        # Made once: an operator is a class.
        self._operator = None if backward is None else self._with_backward()

    def __enter__(self) -> override:
        self._met, self._held = [], False
        enter(self)
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        leave(self)
        if kind is None and isinstance(self._only, str) and self._met:
            self._require_held()

    def __repr__(self) -> str:
        return f"override({self.op!r})"

    def stands_for(self, name: str) -> bool:
        """Return whether this overrides the op in the current module."""
        return name == self.op and self._holds()

    def run(
        self, name: str, original: Callable[..., Any], args: tuple[Any, ...]
    ) -> Any:
        """Return the op's result, computed by the override."""
        if self._texts is not None:
            self._require_cuda(args)
        extra = {name: self._value(name, of) for name, of in self._extra.items()}
        if self._operator is None:
            return self._compute(original, args, extra)
        args = tuple(
            getattr(argument, "__minitorch_value__", argument) for argument in args
        )
        self._require_no_lists(args)
        return self._operator(_Call(original, len(args)), *args, *extra.values())

    def _holds(self) -> bool:
        """Return whether the override holds in the module that is being called."""
        if self._only is None:
            return True
        module, name = innermost()
        if module is None:
            holds = False
        elif isinstance(self._only, str):
            holds = fnmatch.fnmatchcase(name, self._only)
        else:
            holds = bool(self._only(name, module))
        if holds:
            self._held = True
        elif name not in self._met:
            self._met.append(name)
        return holds

    def _compute(
        self, original: Callable[..., Any], args: tuple[Any, ...], extra: dict[str, Any]
    ) -> Any:
        given = {name: extra[name] for name in self._in_forward}
        forward = self._forward
        if self._texts is None:
            return None if forward is None else forward(original, *args, **given)
        values = {name: extra[name] for name in self._in_kernels}
        _require_unrecorded(values)
        with self._texts.launching(values):
            if forward is None:
                return original(*args)
            return forward(original, *args, **given)

    def _with_backward(self) -> CustomOp:
        """Return an operator of the call, the arguments and extra parameters."""
        names = list(self._extra)

        def forward(call: _Call, *values: Any) -> Any:
            extra = dict(zip(names, values[call.count :], strict=True))
            return self._compute(call.original, values[: call.count], extra)

        def backward(gradient: Tensor, call: _Call, *values: Any) -> Any:
            assert self._backward is not None
            extra = dict(zip(names, values[call.count :], strict=True))
            result = self._backward(gradient, *values[: call.count], **extra)
            return self._gradients(result, values)

        return CustomOp(forward, backward, self.op)

    def _gradients(self, result: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return one gradient per argument of the operator, or one per tensor."""
        gradients = tuple(result) if isinstance(result, tuple | list) else (result,)
        tensors = sum(isinstance(value, Tensor) for value in values)
        if len(gradients) == len(values):
            return (None, *gradients)
        if len(gradients) != tensors:
            extra = f" and {', '.join(self._extra)}" if self._extra else ""
            raise ValueError(
                f"[{self.op}] backward returned {len(gradients)} gradient(s); need "
                f"{len(values)}, one per argument{extra} (None for no gradient), or "
                f"{tensors}, one per tensor."
            )
        return gradients  # the operator knows which arguments are tensors

    def _value(self, name: str, value: Any) -> Any:
        """Return the value of an extra parameter in this call."""
        if callable(value) and not hasattr(value, "__minitorch_value__"):
            value = self._asked(name, value)
        value = getattr(value, "__minitorch_value__", value)
        if not isinstance(value, int | float | Tensor):
            raise TypeError(
                f"[override] got {type(value).__name__} for '{name}'; need a number, a "
                "tensor, a parameter, or a function of the module that returns one."
            )
        return value

    def _asked(self, name: str, value: Callable[[Any], Any]) -> Any:
        module, path = innermost()
        if module is None:
            raise ValueError(
                f"[override] '{name}' is a function of the module, but '{self.op}' was "
                "called outside of any module."
            )
        try:
            return value(module)
        except AttributeError as error:
            raise AttributeError(
                f"[override] module '{path}' ({type(module).__name__}) has no value "
                f"for '{name}', which '{self.op}' needs: {error} Define it, or exclude "
                "the module with only=."
            ) from error

    def _require_all_taken(self) -> None:
        lost = set(self._extra) - self._in_kernels - self._in_forward
        if lost:
            there = []
            if self._forward is not None:
                there.append(f"forward (it has {_parameters_of(self._forward)})")
            if self._texts is not None:
                listed = ", ".join(sorted(self._in_kernels)) or "none"
                there.append(
                    f"a kernel, after the library's parameters (kernels have {listed})"
                )
            raise ValueError(
                f"[override] nothing uses extra_parameters {sorted(lost)}; need a "
                f"parameter of that name in {' or in '.join(there)}."
            )

    def _require_cuda(self, args: tuple[Any, ...]) -> None:
        places = {argument.device for argument in args if isinstance(argument, Tensor)}
        if "cpu" in places:
            raise ValueError(
                f"[override] '{self.op}' got tensors on cpu, but kernels= run on cuda. "
                'Try .to("cuda"), or forward=.'
            )

    def _require_no_lists(self, args: tuple[Any, ...]) -> None:
        for argument in args:
            if isinstance(argument, list | tuple) and any(
                isinstance(one, Tensor) for one in argument
            ):
                raise TypeError(
                    f"[override] '{self.op}' takes a list of tensors, for which a "
                    "backward cannot return gradients. Try forward without backward: "
                    "its operations are recorded."
                )

    def _require_held(self) -> None:
        if not self._held:
            met = ", ".join(repr(name) for name in self._met)
            raise ValueError(
                f"[override] no module matches only={self._only!r}; '{self.op}' was "
                f"called in {met}. Names start below the outermost module that is "
                "called."
            )


class _Call:
    """The call that an operator with a backward replaces."""

    def __init__(self, original: Callable[..., Any], count: int) -> None:
        self.original, self.count = original, count


def _known_op(op: Any) -> str:
    if not isinstance(op, str):
        raise TypeError(f"[override] got op {op!r}; need a name such as 'conv2d'.")
    there = names()
    if op not in there:
        raise ValueError(f"[override] got op '{op}'; need one of {', '.join(there)}.")
    return op


def _require_function(name: str, code: Any) -> None:
    if code is not None and not callable(code):
        raise TypeError(f"[override] got {name}={code!r}; need a function.")


def _mapping(name: str, value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(k, str) for k in value):
        raise TypeError(
            f"[override] got {name}={value!r}; need a dict with string keys."
        )
    return value


def _texts(kernels: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts by file; a function is called with the library's text."""
    texts = {}
    for file, text in kernels.items():
        source = text(_core.kernel_source(file)) if callable(text) else text
        if not isinstance(source, str):
            raise TypeError(
                f"[override] the source of {file} is of type {type(source).__name__}; "
                "need a string of CUDA C++."
            )
        texts[file] = source
    return texts


def _taken(forward: Callable[..., Any] | None, extra: Mapping[str, Any]) -> set[str]:
    """Return the extra parameters that `forward` takes by name."""
    if forward is None:
        return set()
    try:
        parameters = inspect.signature(forward).parameters.values()
    except (TypeError, ValueError):
        return set(extra)
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return set(extra)
    by_name = {
        p.name
        for p in parameters
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    }
    needed = [
        p.name
        for p in parameters
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty and p.name not in extra
    ]
    if needed:
        raise ValueError(
            f"[override] forward needs {', '.join(needed)}, but extra_parameters has "
            f"{', '.join(extra) or 'none'}. Add it there."
        )
    return by_name & set(extra)


def _parameters_of(forward: Callable[..., Any]) -> str:
    return ", ".join(inspect.signature(forward).parameters) or "none"


def _require_unrecorded(values: Mapping[str, Any]) -> None:
    """Raise if a kernel's parameter needs a gradient, which would silently be lost."""
    if not _core.grad_enabled():
        return
    for name, value in values.items():
        if isinstance(value, Tensor) and value.requires_grad:
            raise RuntimeError(
                f"[override] the kernel parameter '{name}' requires a gradient, but "
                "kernels are not recorded. Pass a backward that returns its gradient, "
                f"or use {name}.detach()."
            )
