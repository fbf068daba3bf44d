"""Owns what the functions of PyTorch's dialect ask of their arguments, in one voice.

Must not know what any of them computes.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable
from typing import Any, cast

from .. import _core
from .tensor import Tensor


def require_torch(where: str, *needed: Any) -> None:
    """TypeError unless all are tensors of PyTorch's dialect.

    What the library makes for itself has no dialect, and takes part in either.
    """
    for value in needed:
        if not isinstance(value, Tensor) and getattr(value, "_dialect", None) != "":
            kind = type(value)
            ours = hasattr(value, "as_torch")
            name = "minitorch.Tensor" if ours else kind.__name__
            hint = ".as_torch()" if ours else "torch.tensor(...)"
            raise TypeError(f"[{where}] got a {name}; need a torch.Tensor. Try {hint}.")


def place_of(input: Any) -> str:
    """Where it lies, as the core says it: "cpu" or "cuda"."""
    return cast(str, _core.Tensor.device.__get__(input))


def as_integer(where: str, name: str, value: Any) -> int:
    """The argument called `name` as an integer.

    Raises:
        TypeError: It is none; truth values are none here, as in PyTorch.
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise TypeError(f"[{where}] got {name} {value!r}; need an integer.") from None


def as_dim(where: str, dim: Any, ndim: int) -> int:
    """A dimension counted from the front; that of a number may be 0 or -1.

    Raises:
        TypeError: It is not an integer.
        IndexError: There is none of this number.
    """
    at = as_integer(where, "dim", dim)
    dims = max(ndim, 1)
    if not -dims <= at < dims:
        raise IndexError(
            f"[{where}] got dim {at}; need {-dims} to {dims - 1} for {ndim} dimensions."
        )
    return at % dims


def write_out(where: str, out: Any, made: Any) -> Any:
    """What was made, written to `out`, which takes its shape.

    Raises:
        TypeError: `out` is not a tensor.
        RuntimeError: It is of a kind that cannot hold the result, or has a history.
    """
    require_torch(where, out)
    if out.requires_grad:
        raise RuntimeError(
            f"[{where}] got out= that requires a gradient; need one without. Try "
            ".detach()."
        )
    if made.dtype.is_floating_point and not out.dtype.is_floating_point:
        raise RuntimeError(
            f"[{where}] got out= of {out.dtype} for a result of {made.dtype}; need a "
            "floating dtype."
        )
    if out.shape != made.shape:
        out._assign(made.detach()._cast(out.dtype).clone())
    else:
        out._assign_view(made.detach())
    return out


# How Python and this library begin where they have already said what is wrong.
_SAID = re.compile(r"\[|.*\b(missing|takes|unexpected keyword|multiple values)\b")


def in_words(where: str, error: Exception, args: Any, options: Any) -> Exception:
    """An error from inside of a function as one about its arguments.

    What was said in words stays as it is. The rest came of a value that is no number,
    tensor or shape where the function needed one.
    """
    if _SAID.match(str(error)) or "is not here" in str(error):
        return error
    listed = [type(value).__name__ for value in args]
    listed += [f"{name}={type(value).__name__}" for name, value in options.items()]
    reason = "" if "\n" in str(error) else f" ({error})"  # not a list of signatures
    return TypeError(
        f"[{where}] got ({', '.join(listed)}); need arguments of other kinds{reason}. "
        "See help() of it."
    )


_NUMPYS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input"}


def numpys_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which takes NumPy's `axis=`, `keepdims=`, and `out=` as well."""
    where = function.__name__

    @functools.wraps(function)
    def named(*args: Any, **options: Any) -> Any:
        if not options:
            try:
                return function(*args)
            except (TypeError, AttributeError, OverflowError) as error:
                raise in_words(where, error, args, options) from error
        out = options.pop("out", None)
        for theirs, ours in _NUMPYS.items():
            if theirs in options and ours not in options:
                options[ours] = options.pop(theirs)
        try:
            made = function(*args, **options)
        except (TypeError, AttributeError, OverflowError) as error:
            raise in_words(where, error, args, options) from error
        if out is None:
            return made
        if isinstance(made, tuple):
            if not isinstance(out, tuple | list) or len(out) != len(made):
                raise TypeError(
                    f"[{where}] got out= of {type(out).__name__}; need a tuple of "
                    f"{len(made)} tensors."
                )
            pairs = zip(out, made, strict=True)
            return type(made)(*(write_out(where, to, each) for to, each in pairs))
        return write_out(where, out, made)

    return named
