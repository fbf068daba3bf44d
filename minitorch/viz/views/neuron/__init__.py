"""The view of a neuron: who computes one number, and from which numbers."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from .. import view
from .chains import Chain, chain_of
from .picture import draw_neuron


@view
def neuron(neuron: Any, product: Any = None, part: Any = None) -> Figure:
    """Draw which thread computes a neuron, and from which numbers.

    From top to bottom: the running sum over all multiply-adds, sixteen of them with
    their factors and sectors; the block's threads with those that loaded the factors of
    the one in focus; and the chain of launches from the sum to the layer's output.

    Args:
        neuron: From `Explanation.neuron`, or what its `to_dict` gave.
        product: Number of the multiply-add in focus, from 0; None: the middle one.
        part: Number of the launch in the chain, from 0; None: the one with most
            multiply-adds.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        TypeError: Not a neuron, or no numbers.
        ValueError: A dict of another form, or without a part.
        IndexError: No such part or product.
    """
    chain = chain_of(neuron)
    counts = [len(each.products) for each in chain.parts]
    at = counts.index(max(counts))
    if part is not None:
        at = _number(part, len(counts), "part")
    shown = counts[at] // 2
    if product is not None:
        shown = _number(product, counts[at], "product")
    return draw_neuron(chain, at, shown)


def _number(value: Any, count: int, what: str) -> int:
    try:
        number = int(value.__index__())
    except (AttributeError, TypeError):
        raise TypeError(
            f"[viz.neuron] got {what} {value!r}; need its number."
        ) from None
    if not 0 <= number < count:
        there = f"need one from 0 to {count - 1}" if count else "there is none"
        raise IndexError(f"[viz.neuron] got {what} {number}; {there}.")
    return number


__all__ = ["Chain", "neuron"]
