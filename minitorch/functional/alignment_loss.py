"""Owns connectionist temporal classification: the loss over all alignments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from .._core import Tensor
from .arguments import require_tensors
from .indexing import stack
from .regression_losses import reduced
from .windows import in_dialect, numbers_like, places_like

#: Stands for the logarithm of 0: differences of infinities would have no gradient.
_NEVER = -1e30


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """-log of the probability that the outputs spell the targets.

    Repeats count once, then blanks are left out. Graves et al., "Connectionist temporal
    classification" (2006): the forward variables of section 4.1 in logarithms, a step
    of time for all samples at once. Their gradient is that of the loss.

    Args:
        log_probs: (time, n, classes), logarithms that add up to 1, or (time, classes).
        targets: (n, longest), or all targets in one row; labels other than the blank.
        input_lengths: Steps of each sample: integers, or a tensor of them (n,).
        target_lengths: Labels of each sample, likewise.
        blank: The class of the blank.
        reduction: "mean" (each loss over its labels, then over n), "sum" or "none".
        zero_infinity: 0, without a gradient, for targets too long for their input.

    Returns:
        Shape (), or (n,) with "none"; infinite for a target that does not fit.

    Raises:
        ValueError: Shapes, lengths, labels or the reduction do not fit.

    Kernel:
        `gather.cu`, `map.cu` and `zip.cu`; the targets wait for the device.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[[0.5, 0.5]], [[0.5, 0.5]]]).log()
        >>> y = minitorch.tensor([[1]], dtype="int64")
        >>> round(ctc_loss(x, y, [2], [1], reduction="sum").item(), 4)
        0.2877
    """
    require_tensors("ctc_loss", log_probs, targets)
    if len(log_probs.shape) == 2:
        lone = targets._reshape([1, -1])
        options = blank, reduction, zero_infinity
        steps, counts = _lengths(input_lengths), _lengths(target_lengths)
        out = ctc_loss(log_probs.unsqueeze(1), lone, steps, counts, *options)
        return out.squeeze(0) if reduction == "none" else out
    steps, counts = _lengths(input_lengths), _lengths(target_lengths)
    rows = _require(log_probs, targets, steps, counts, blank)
    loss = -_forward(log_probs, rows, steps, blank)
    never = loss.gt(-_NEVER / 2)
    loss = never._where(0.0 if zero_infinity else math.inf, loss)
    if reduction == "mean":
        labels = numbers_like(np.maximum(np.array(counts, float), 1), log_probs)
        loss = loss / labels
    return reduced(loss, reduction, "ctc_loss")


def _lengths(given: Any) -> list[int]:
    values = given.detach().numpy() if isinstance(given, Tensor) else np.asarray(given)
    return [int(v) for v in values.ravel()]


def _require(
    log_probs: Tensor,
    targets: Tensor,
    steps: list[int],
    counts: list[int],
    blank: int,
) -> list[list[int]]:
    """The labels of each sample, of which everything fits."""
    shape = tuple(log_probs.shape)
    labels = targets.detach().numpy()
    many = labels.ndim == 2 and len(shape) == 3 and labels.shape[0] == shape[1]
    fits = len(shape) == 3 and len(steps) == len(counts) == shape[1]
    fits = fits and all(0 <= s <= shape[0] for s in steps) and min(counts) >= 0
    if many:
        fits = fits and max(counts) <= labels.shape[1]
    else:
        fits = fits and labels.ndim == 1 and sum(counts) == labels.size
    if not fits or not 0 <= blank < shape[-1]:
        raise ValueError(
            f"[ctc_loss] got {shape}, targets {labels.shape}, input lengths "
            f"{steps[:8]}, target lengths {counts[:8]} and blank {blank}; need "
            "(time, n, classes), (n, longest) or all labels in a row, n lengths each "
            "that fit, and a class for the blank."
        )
    starts = [0, *np.cumsum(counts).tolist()]
    rows = [
        (labels[i, :count] if many else labels[starts[i] : starts[i + 1]]).tolist()
        for i, count in enumerate(counts)
    ]
    if any(not 0 <= v < shape[2] or v == blank for row in rows for v in row):
        raise ValueError(
            f"[ctc_loss] got labels outside 0 to {shape[2] - 1}, or the blank {blank}; "
            "need others."
        )
    return rows


def _forward(
    log_probs: Tensor, rows: list[list[int]], steps: list[int], blank: int
) -> Tensor:
    """(n,): the logarithm of the probability of each target."""
    width = 2 * max(len(row) for row in rows) + 1
    spelled = np.full((len(rows), width), blank)
    for i, row in enumerate(rows):
        spelled[i, 1 : 2 * len(row) : 2] = row
    # A label may follow another one without a blank, but not itself.
    leap = np.zeros(spelled.shape, bool)
    leap[:, 2:] = (spelled[:, 2:] != blank) & (spelled[:, 2:] != spelled[:, :-2])
    barred = numbers_like(np.where(leap, 0.0, _NEVER), log_probs)
    index = places_like(spelled.astype(np.int64), log_probs)
    wall = numbers_like(np.full((len(rows), 2), _NEVER), log_probs)
    begun = np.full(spelled.shape, _NEVER)
    begun[:, :2] = 0  # at the first blank or the first label
    moved, ways = numbers_like(begun, log_probs), []
    for t in range(log_probs.shape[0]):
        emitted = log_probs._slice(0, t, t + 1, 1).squeeze(0).gather(1, index)
        state = (moved + emitted).clamp(_NEVER)
        ways.append(state)
        wide = _core.cat([wall, state], 1)
        one = wide._slice(1, 1, width + 1, 1)
        moved = _sum_of_three(state, one, wide._slice(1, 0, width, 1) + barred)
    return _ends(ways, rows, steps)


def _sum_of_three(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """log(exp(a) + exp(b) + exp(c))"""
    most = a.detach().maximum(b.detach()).maximum(c.detach())
    return ((a - most).exp() + (b - most).exp() + (c - most).exp()).log() + most


def _ends(ways: list[Tensor], rows: list[list[int]], steps: list[int]) -> Tensor:
    """What of the last steps spells the targets, whole: their last label or blank."""
    found = []
    for i, (row, step) in enumerate(zip(rows, steps, strict=True)):
        last = 2 * len(row)
        if not ways or step == 0:
            zero = _core.full((1,), 0.0 if not row else _NEVER, *_kind(ways))
            found.append(in_dialect(zero, ways[0]))
            continue
        state = ways[step - 1]._slice(0, i, i + 1, 1)
        ends = [state._slice(1, k, k + 1, 1) for k in (last, last - 1) if k >= 0]
        both = _core.cat(ends, 1)
        most = _core.Tensor.max(both.detach(), 1, True)
        total = _core.Tensor.sum((both - most).exp(), 1, True).log() + most
        found.append(total._reshape([1]))
    return stack(found)._reshape([-1])


def _kind(ways: list[Tensor]) -> tuple[Any, Any]:
    return ways[0].dtype, ways[0].device
