"""`einsum`: sums of products named by the letters of their dims.

Two operands at a time: their dims are sorted into shared ones that stay, shared ones
that are summed, and those of one side alone, which makes a batch of matrix products.
"""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Sequence
from typing import Any

from .._core import Tensor as Base
from .arguments import require_torch
from .products import bmm
from .slicing import diagonal
from .tensor import Tensor

__all__ = ["einsum"]

# A dim is its letter, or one of the broadcast ones, counted from the last.
_Label = str | int


def _error(equation: str, why: str) -> RuntimeError:
    return RuntimeError(f"[einsum] got {equation!r}; {why}.")


def _labels(equation: str, text: str, ndim: int) -> list[_Label]:
    """Return the labels of one operand's dims, with `...` expanded to numbers."""
    before, dots, after = text.partition("...")
    named = [*before, *after]
    if any(letter not in string.ascii_letters for letter in named):
        raise _error(equation, "need letters, commas, '...' and '->'")
    if not dots:
        if len(named) != ndim:
            raise _error(
                equation,
                f"operand {text!r} must have {ndim} letters, one per dimension",
            )
        return list(named)
    more = ndim - len(named)
    if more < 0:
        raise _error(equation, f"operand {text!r} must have at most {ndim} letters")
    return [*before, *range(more, 0, -1), *after]


def _parsed(
    equation: str, operands: Sequence[Any]
) -> tuple[list[list[_Label]], list[_Label]]:
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise _error(equation, f"need {len(operands)} operands, one per tensor")
    inputs = [
        _labels(equation, term, len(operand.shape))
        for term, operand in zip(terms, operands, strict=True)
    ]
    spread = max((n for term in inputs for n in term if isinstance(n, int)), default=0)
    dots: list[_Label] = list(range(spread, 0, -1))
    if not arrow:
        times = Counter(label for term in inputs for label in term)
        once = [x for x, n in times.items() if n == 1 and isinstance(x, str)]
        return inputs, [*dots, *sorted(once, key=str)]
    if "..." in right:
        before, _, after = right.partition("...")
        output: list[_Label] = [*before, *dots, *after]
    else:
        output = list(right)
    known = {label for term in inputs for label in term}
    if any(label not in known for label in output) or len(set(output)) < len(output):
        raise _error(
            equation, "a letter after -> must appear there once, and in an operand"
        )
    return inputs, output


def _without_repeats(input: Any, labels: list[_Label]) -> tuple[Any, list[_Label]]:
    """Take the diagonal of dims with the same letter: ii -> i."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if input.shape[first] != input.shape[second]:
                raise RuntimeError(
                    f"[einsum] the repeated letter {label!r} stands for sizes "
                    f"{input.shape[first]} and {input.shape[second]} in one operand; "
                    "they must be equal."
                )
            input = diagonal(input, 0, first, second)
            labels = [x for i, x in enumerate(labels) if i not in (first, second)]
            labels.append(label)
    return input, labels


def _summed(
    input: Any, labels: list[_Label], wanted: set[_Label]
) -> tuple[Any, list[_Label]]:
    """Sum over the dims that are not in `wanted`."""
    gone = tuple(i for i, label in enumerate(labels) if label not in wanted)
    if gone:
        input = Base.sum(input, gone, False)
    return input, [label for label in labels if label in wanted]


def _broadcast(equation: str, terms: list[tuple[Any, list[_Label]]]) -> list[Any]:
    """Return the operands, each label of one size in all of them."""
    sizes: dict[_Label, int] = {}
    for operand, labels in terms:
        for label, size in zip(labels, operand.shape, strict=True):
            known = sizes.setdefault(label, size)
            if size != known and 1 not in (size, known):
                raise _error(equation, f"{label!r} stands for sizes {known} and {size}")
            sizes[label] = max(size, known) if 0 not in (size, known) else 0
    return [Base._expand(x, [sizes[label] for label in its]) for x, its in terms]


def _joined(
    a: Any, ours: list[_Label], b: Any, theirs: list[_Label], later: set[_Label]
) -> tuple[Any, list[_Label]]:
    """Multiply two operands; sum over shared labels that are not needed later."""
    a, ours = _summed(a, ours, later | set(theirs))
    b, theirs = _summed(b, theirs, later | set(ours))
    shared = [x for x in ours if x in theirs]
    batch = [x for x in shared if x in later]
    over = [x for x in shared if x not in later]
    left = [x for x in ours if x not in theirs]
    right = [x for x in theirs if x not in ours]
    rows = Base._permute(a, [ours.index(x) for x in [*batch, *left, *over]])
    columns = Base._permute(b, [theirs.index(x) for x in [*batch, *over, *right]])
    product = _multiplied(rows, columns, len(batch), len(over))
    return product, [*batch, *left, *right]


def _multiplied(rows: Any, columns: Any, batch: int, over: int) -> Any:
    """Multiply (batch, left, over) by (batch, over, right) to (batch, left, right)."""
    ours, theirs = tuple(rows.shape), tuple(columns.shape)
    left, right = ours[batch : len(ours) - over], theirs[batch + over :]
    many = ours[:batch]
    if not over:  # an outer product needs no matrix
        spread = Base._reshape(rows, (*many, *left, *[1] * len(right)))
        return spread * Base._reshape(columns, (*many, *[1] * len(left), *right))
    n, k = math.prod(many), math.prod(theirs[batch : batch + over])
    matrices = Base._reshape(rows, (n, math.prod(left), k))
    others = Base._reshape(columns, (n, k, math.prod(right)))
    return Base._reshape(bmm(matrices, others), (*many, *left, *right))


def einsum(equation: str, *operands: Any) -> Tensor:
    """Sum products of elements as an equation says, such as "ij,jk->ik".

    A letter is a dim: one in several operands has one size there; one that the result
    lacks is summed over; one twice in an operand is its diagonal.

    Args:
        args: The equation and a tensor for each of its terms; `...` stands for dims
            that broadcast. Without `->` the result has the letters that stand once,
            sorted.

    Raises:
        RuntimeError: The equation does not fit the tensors, or dtypes differ.

    Example:
        >>> import minitorch.torch as torch
        >>> a, b = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 0], [0, 2]])
        >>> torch.einsum("ij,jk->ik", a, b)
        tensor([[1, 4],
                [3, 8]])
    """
    if not isinstance(equation, str):
        raise TypeError(
            f"[einsum] got {type(equation).__name__}; need an equation such as "
            "'ij,jk->ik' first, then the tensors."
        )
    require_torch("einsum", *operands)
    inputs, output = _parsed(equation, operands)
    terms = [_without_repeats(*term) for term in zip(operands, inputs, strict=True)]
    result, *rest = _broadcast(equation, terms)
    labels, *inputs = [its for _, its in terms]
    for i, operand in enumerate(rest):
        later = {x for others in inputs[i + 1 :] for x in others} | set(output)
        result, labels = _joined(result, labels, operand, inputs[i], later)
    result, labels = _summed(result, labels, set(output))
    return Base._permute(result, [labels.index(x) for x in output])  # type: ignore
