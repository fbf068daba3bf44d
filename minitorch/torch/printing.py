"""Printing of tensors in PyTorch's format, and `set_printoptions`.

The text is PyTorch's to the character: widths, when numbers are shown as powers of ten,
which elements of large tensors are left out, and what stands behind them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _core
from .arguments import device_name_of
from .dtypes import bool as bool_
from .dtypes import get_default_dtype, int64
from .graph import name_of_step
from .tensor import METHODS, Tensor, to_host

__all__ = ["set_printoptions"]

_RATIO, _LARGE, _SMALL = 1000.0, 1e8, 1e-4  # beyond them powers of ten are shown


@dataclass(frozen=True)
class Options:
    """Print options of tensors."""

    precision: int = 4  # digits behind the point
    threshold: float = 1000  # elements from which some are left out
    edgeitems: int = 3  # of each dimension, at both ends, that stay
    linewidth: int = 80
    sci_mode: bool | None = None  # None: where the numbers ask for it


_PROFILES = {
    "default": Options(),
    "short": Options(precision=2, edgeitems=2),
    "full": Options(threshold=math.inf),
}
_options = Options()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed.

    Args:
        precision: Digits behind the point, 4 at first.
        threshold: Tensors of more elements are printed in part, 1000 at first.
        edgeitems: How many of each dimension stay at both ends, 3 at first.
        linewidth: Characters of a line, 80 at first.
        profile: "default", "short" or "full", changed by the others.
        sci_mode: Powers of ten always or never; None for where they are needed.

    Raises:
        ValueError: There is no such profile, or a number is negative.
        TypeError: Something is not a number.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.set_printoptions(precision=2)
        >>> torch.tensor([3.14159])
        tensor([3.14])
        >>> torch.set_printoptions(profile="default")
    """
    global _options
    numbers = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    for name, value in numbers.items():
        if value is None:
            continue
        if not isinstance(value, int | float):
            raise TypeError(f"[set_printoptions] got {name} {value!r}; need a number.")
        if not value >= 0:
            raise ValueError(f"[set_printoptions] got {name} {value}; need at least 0.")
    if profile is not None and profile not in _PROFILES:
        raise ValueError(
            f"[set_printoptions] got profile {profile!r}; need one of "
            f"{', '.join(_PROFILES)}."
        )
    start = _options if profile is None else _PROFILES[profile]
    given: dict[str, Any] = {n: v for n, v in numbers.items() if v is not None}
    _options = replace(start, **given, sci_mode=sci_mode)


class _Numbers:
    """Number format of one tensor: all elements have the same width."""

    def __init__(self, array: Any, options: Options) -> None:
        self.precision = options.precision
        self.floats = array.dtype.kind == "f"
        self.powers, self.whole, self.width = False, True, 1
        if not self.floats:
            texts = [str(value) for value in array.ravel().tolist()]
            self.width = max([1, *map(len, texts)])
            return
        known = array[np.isfinite(array) & (array != 0)].astype(np.float64)
        if not known.size:
            return
        sizes = np.abs(known)
        low, high = float(sizes.min()), float(sizes.max())
        self.whole = bool(np.all(known == np.ceil(known)))
        self.powers = (
            high / low > _RATIO or high > _LARGE or low < _SMALL
            if options.sci_mode is None
            else options.sci_mode
        )
        point = int(self.whole and not self.powers)
        self.width = max(len(self._bare(value)) for value in known.tolist()) + point

    def _bare(self, value: float) -> str:
        if self.powers:
            return f"{value:.{self.precision}e}"
        return f"{value:.{0 if self.whole else self.precision}f}"

    def text(self, value: Any) -> str:
        """Return a number, padded on the left."""
        if not self.floats:
            return str(value).rjust(self.width)
        point = self.whole and not self.powers and math.isfinite(value)
        return (self._bare(value) + "." * point).rjust(self.width)


def _edges(array: Any, edge: int) -> Any:
    """Return the elements that a summarized print shows."""
    for axis, size in enumerate(array.shape):
        if size > 2 * edge:
            kept = [*range(edge), *range(size - edge, size)]
            array = np.take(array, kept, axis=axis)
    return array


def _row(array: Any, indent: int, part: bool, numbers: _Numbers) -> str:
    """Format one dimension of numbers, on as many lines as needed."""
    edge = _options.edgeitems
    fit = max(1, (_options.linewidth - indent) // (numbers.width + 2))
    if part and not edge:
        cells = ["..."]
    elif part and len(array) > 2 * edge:
        front = [numbers.text(value) for value in array[:edge].tolist()]
        back = [numbers.text(value) for value in array[-edge:].tolist()]
        cells = [*front, " ...", *back]
    else:
        cells = [numbers.text(value) for value in array.tolist()]
    lines = [", ".join(cells[i : i + fit]) for i in range(0, len(cells), fit)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _block(array: Any, indent: int, part: bool, numbers: _Numbers) -> str:
    """Format the elements, with brackets for each dimension."""
    if array.ndim == 0:
        return numbers.text(array.item())
    if array.ndim == 1:
        return _row(array, indent, part, numbers)
    edge = _options.edgeitems
    kept: list[int | None] = list(range(len(array)))
    if part and len(array) > 2 * edge:
        kept = [*range(edge), None, *range(len(array) - edge, len(array))]
    texts = [
        "..." if i is None else _block(array[i], indent + 1, part, numbers)
        for i in kept
    ]
    gap = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
    return "[" + gap.join(texts) + "]"


def _notes(input: Tensor) -> list[str]:
    """Return the properties printed after the numbers."""
    notes = [] if device_name_of(input) == "cpu" else [f"device='{input.device}'"]
    usual = [get_default_dtype(), bool_]
    if input.numel() == 0:
        if input.ndim != 1:
            notes.append(f"size={tuple(input.shape)}")
        usual = [get_default_dtype()]
    else:
        usual.append(int64)
    if input.dtype not in usual:
        notes.append(f"dtype={input.dtype!r}")
    step = _core.graph_step(input) if input.requires_grad else None
    if step is not None:
        notes.append(f"grad_fn=<{name_of_step(step)}>")
    elif input.requires_grad:
        notes.append("requires_grad=True")
    return notes


def tensor_text(input: Tensor, start: str = "tensor(") -> str:
    """Return the printed form of a tensor.

    Example:
        >>> import minitorch.torch as torch
        >>> print(torch.tensor([[1.5, 2.0], [0.25, -1.0]], requires_grad=True))
        tensor([[ 1.5000,  2.0000],
                [ 0.2500, -1.0000]], requires_grad=True)
    """
    indent = len(start)
    array = to_host(input)
    if array.size:
        part = array.size > _options.threshold
        visible = _edges(array, _options.edgeitems) if part else array
        if part and array.dtype.kind == "f" and array.itemsize == 2:
            visible = visible.astype(np.float32)
        text = _block(array, indent, part, _Numbers(visible, _options))
    else:
        text = "[]"
    last = len(text) - text.rfind("\n") + 1
    for note in _notes(input):
        if last + len(note) + 2 > _options.linewidth:
            text += ",\n" + " " * indent + note
            last = indent + len(note)
        else:
            text += f", {note}"
            last += len(note) + 2
    return f"{start}{text})"


METHODS |= {"__repr__": lambda input: tensor_text(input)}
