"""Named tuples returned by some functions of PyTorch's dialect."""

from __future__ import annotations

from collections import namedtuple
from typing import Any


def named(function: str, *fields: str) -> Any:
    """Return the named tuple class of a function's results.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([[1, 3, 2]]).max(1)
        torch.return_types.max(
        values=tensor([3]),
        indices=tensor([1]))
    """
    kind = namedtuple(function, fields)  # type: ignore[misc]
    result: Any = kind

    def shown(self: Any) -> str:
        rows = [f"{name}={value!r}" for name, value in zip(fields, self, strict=True)]
        return f"torch.return_types.{function}(\n" + ",\n".join(rows) + ")"

    result.__repr__ = shown
    result.__doc__ = f"What torch.{function} returns: {', '.join(fields)}."
    result.__module__ = __name__  # where pickle looks for it
    return result


def _values_and_indices(function: str) -> Any:
    return named(function, "values", "indices")


max = _values_and_indices("max")
min = _values_and_indices("min")
sort = _values_and_indices("sort")
topk = _values_and_indices("topk")
