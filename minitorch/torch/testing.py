"""Owns `torch.testing`: the comparison of tensors in tests of PyTorch's programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .tensor import Tensor

__all__ = ["assert_close"]

# (rtol, atol) by dtype, as PyTorch has them; other dtypes must be equal.
_CLOSE = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}


def __dir__() -> list[str]:
    return sorted(__all__)


def _array(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return np.asarray(value)
    made: Any = value.detach().cpu()
    wide = made.float() if made.dtype.itemsize == 2 else made
    return np.array(wide.tolist(), wide.dtype.name).reshape(tuple(value.shape))


def _dtype(value: Any) -> str:
    if isinstance(value, float):
        return "float64"
    return value.dtype.name if hasattr(value, "dtype") else type(value).__name__


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Any = None,
) -> None:
    """Fails unless |actual - expected| <= atol + rtol |expected| in every element.

    Args:
        actual, expected: Tensors, numbers, or lists and dicts of them.
        rtol, atol: By default those of the dtype, of both or none.
        equal_nan: Are two NaN close?
        check_device, check_dtype: Must these be the same?
        allow_subclasses, check_layout, check_stride: For programs of PyTorch.
        msg: A text in place of the message, or a function of it.

    Raises:
        AssertionError: They differ; the message says where most.
        ValueError: One of rtol and atol is given.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.testing.assert_close(torch.ones(2) / 3 * 3, torch.ones(2))
    """
    if (rtol is None) != (atol is None):
        raise ValueError("[assert_close] need both rtol and atol, or none.")
    options = {"equal_nan": equal_nan, "dtype": check_dtype, "device": check_device}
    problem = _difference(actual, expected, rtol, atol, options)
    if problem:
        told = msg(problem) if callable(msg) else msg or problem
        raise AssertionError(told)


def _difference(
    actual: Any, expected: Any, rtol: Any, atol: Any, options: dict[str, bool]
) -> str:
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        if set(actual) != set(expected):
            return f"keys {sorted(actual)}; need {sorted(expected)}"
        pairs = [(f"[{k!r}]", actual[k], expected[k]) for k in expected]
    elif isinstance(expected, Sequence) and isinstance(actual, Sequence):
        if len(actual) != len(expected):
            return f"{len(actual)} parts; need {len(expected)}"
        pairs = [
            (f"[{i}]", a, b)
            for i, (a, b) in enumerate(zip(actual, expected, strict=True))
        ]
    else:
        return _of_numbers(actual, expected, rtol, atol, options)
    for place, a, b in pairs:
        if problem := _difference(a, b, rtol, atol, options):
            return f"{place}: {problem}"
    return ""


def _of_numbers(
    actual: Any, expected: Any, rtol: Any, atol: Any, options: dict[str, bool]
) -> str:
    if isinstance(actual, Tensor) != isinstance(expected, Tensor):
        return f"{type(actual).__name__}; need {type(expected).__name__}"
    if isinstance(actual, Tensor):
        for name in ("shape", *(n for n in ("dtype", "device") if options[n])):
            here, right = getattr(actual, name), getattr(expected, name)
            if here != right:
                return f"{name} {here}; need {right}"
    if rtol is None:
        found = [_CLOSE.get(_dtype(v), (0.0, 0.0)) for v in (actual, expected)]
        rtol, atol = (max(each) for each in zip(*found, strict=True))
    a, b = _array(actual), _array(expected)
    close = np.isclose(a, b, rtol, atol, equal_nan=options["equal_nan"])
    if close.all():
        return ""
    away = np.abs(a.astype(np.float64) - b.astype(np.float64))
    far = np.where(close, -1, np.nan_to_num(away, nan=np.inf))
    worst = np.unravel_index(far.argmax(), a.shape)
    place = f" at {tuple(int(i) for i in worst)}" if a.ndim else ""
    return (
        f"{np.count_nonzero(~close)} of {a.size} elements are not close; the worst "
        f"is {a[worst]}{place}; need {b[worst]} (rtol {rtol}, atol {atol})."
    )
