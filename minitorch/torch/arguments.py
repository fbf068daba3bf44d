"""Check and convert arguments of the functions in PyTorch's dialect."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, cast

from .. import _core
from ..autograd.stand_ins import is_given_values, read_call
from ..cuda.tracebacks import is_stated
from ..functional.arguments import as_dim as as_dim
from ..functional.arguments import as_integer as as_integer
from .dtypes import kind_of
from .tensor import METHODS, Tensor


def require_torch(where: str, *needed: Any) -> None:
    """Raise TypeError unless all are tensors of PyTorch's dialect.

    What the library makes for itself has no dialect, and takes part in either.
    """
    for value in needed:
        if not isinstance(value, Tensor) and getattr(value, "_dialect", None) != "":
            kind = type(value)
            ours = hasattr(value, "as_torch")
            name = "minitorch.Tensor" if ours else kind.__name__
            hint = ".as_torch()" if ours else "torch.tensor(...)"
            raise TypeError(f"[{where}] got a {name}; need a torch.Tensor. Try {hint}.")


def device_name_of(input: Any) -> str:
    """Return the core's device name: "cpu" or "cuda"."""
    return cast(str, _core.Tensor.device.__get__(input))


def write_out(where: str, out: Any, computed: Any) -> Any:
    """Write a result to `out`, which takes its shape; return `out`.

    Raises:
        TypeError: `out` is not a tensor.
        RuntimeError: It is of a kind that cannot hold the result, or has a history.
    """
    require_torch(where, out)
    if _core.grad_enabled() and (out.requires_grad or computed.requires_grad):
        raise RuntimeError(
            f"[{where}] cannot write to out=, because a tensor requires a gradient. "
            "Try .detach(), or torch.no_grad()."
        )
    if where in _EXACT.split() and out.dtype != computed.dtype:
        raise RuntimeError(
            f"[{where}] got out= of {out.dtype}, but the result is {computed.dtype}; "
            "they must be the same."
        )
    if kind_of(computed.dtype) > kind_of(out.dtype) and where not in _ANY:
        error = TypeError if where in ("cat", "stack") else RuntimeError
        raise error(
            f"[{where}] the result is {computed.dtype} and cannot be converted to "
            f"{out.dtype}, the dtype of out=."
        )
    result = computed.detach()._cast(out.dtype)
    if out.shape == computed.shape:
        out._assign_view(result)
    else:
        out._become(result.clone())
    return out


# Functions whose out= has the dtype of the result, and those whose out= has any.
_EXACT = """
addmm all amax amin any argmax argmin bmm clamp dot gather index_select
log_softmax matmul mm mv neg norm softmax tril triu where
"""
_ANY = ("full", "ones", "zeros")


def in_words(
    function: Callable[..., Any], error: Exception, args: Any, options: Any
) -> Exception:
    """Return an internal error as an error about the function's arguments.

    What the library states stays as it is, and so does Python's message of arguments
    that the function does not have. The rest came of a value that is no number, tensor
    or shape where the function needed one.
    """
    if is_stated(error):
        return error
    try:
        inspect.signature(function).bind(*args, **options)
    except TypeError:
        return error
    listed = [type(value).__name__ for value in args]
    listed += [f"{name}={type(value).__name__}" for name, value in options.items()]
    reason = "" if "\n" in str(error) else f" ({error})"  # not a list of signatures
    return TypeError(
        f"[{function.__name__}] does not accept arguments of types "
        f"({', '.join(listed)}){reason}. See its help()."
    )


# Names of arguments that PyTorch takes, NumPy's among them, and what they stand for in
# the functions here that have no argument of that name.
_SYNONYMS = {
    "axis": "dim",
    "axis0": "dim0",
    "axis1": "dim1",
    "exponent": "other",
    "keepdims": "keepdim",
    "mat2": "other",
    "split_size": "split_size_or_sections",
    "tensor": "other",
    "vec": "other",
    "x2": "other",
}
_FIRST = ("input", "A", "a", "x", "x1")  # what the first argument is called


class _Names:
    """Parameter names of a function, and the synonyms for them."""

    def __init__(self, function: Callable[..., Any]) -> None:
        parameters = inspect.signature(function).parameters.values()
        self.known: list[str] = []
        self.star = ""  # of `*dims`, which is also an argument `dims=`
        self.is_open = False  # with `**options`, whose names are not known here
        for parameter in parameters:
            if parameter.kind is parameter.VAR_POSITIONAL:
                self.star = parameter.name
            elif parameter.kind is parameter.VAR_KEYWORD:
                self.is_open = True
            else:
                self.known.append(parameter.name)

    def _meant(self, name: str) -> str:
        if name in _FIRST and self.known:
            return self.known[0]
        meant = _SYNONYMS.get(name, name)
        return meant if self.is_open or meant in self.known else name

    def resolve(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Rename synonyms in `options`; return the positional arguments."""
        for name in [key for key in options if key not in self.known]:
            meant = self._meant(name)
            if meant not in options:
                options[meant] = options.pop(name)
        if self.star and self.star in options:
            ahead = [options.pop(key) for key in self.known if key in options]
            args = (*args, *ahead, options.pop(self.star))
        return args


def torch_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function whose first argument must be a torch.Tensor.

    The core refuses others of MiniTorch's dialect beside it.
    """
    return accept_numpy_names(function, needs_tensor=True)


def tensor_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function of a torch.Tensor, which is a method of tensors, too."""
    call = METHODS[function.__name__] = torch_function(function)
    return call


def operand_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a method of tensors that, as a function, may have a number first."""
    call = METHODS[function.__name__] = accept_numpy_names(function)
    return call


def accept_numpy_names(
    function: Callable[..., Any], needs_tensor: bool = False
) -> Callable[..., Any]:
    """Decorate a function to accept PyTorch's argument synonyms and `out=`.

    A function of `*dims` takes `dims=` too, and one that has no `axis` takes it as dim.
    With `needs_tensor` its first argument must be a torch.Tensor.
    """
    name, names = function.__name__, _Names(function)

    @functools.wraps(function)
    def named(*args: Any, **options: Any) -> Any:
        if is_given_values(args, options):
            return read_call(function, args, options)
        if not options:
            if needs_tensor:
                require_torch(name, *args[:1])
            try:
                return function(*args)
            except (TypeError, AttributeError, OverflowError) as error:
                raise in_words(function, error, args, options) from error
        out = options.pop("out", None)
        args = names.resolve(args, options)
        if needs_tensor and (args or names.known[0] in options):
            require_torch(name, args[0] if args else options[names.known[0]])
        try:
            result = function(*args, **options)
        except (TypeError, AttributeError, OverflowError) as error:
            raise in_words(function, error, args, options) from error
        if out is None:
            return result
        if isinstance(result, tuple):
            if not isinstance(out, tuple | list) or len(out) != len(result):
                raise TypeError(
                    f"[{name}] got out= of {type(out).__name__}; need a tuple of "
                    f"{len(result)} tensors."
                )
            pairs = zip(out, result, strict=True)
            return type(result)(*(write_out(name, to, value) for to, value in pairs))
        return write_out(name, out, result)

    return named
