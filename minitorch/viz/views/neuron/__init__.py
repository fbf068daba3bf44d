"""The view of a neuron: who computes one number, and from which numbers."""

from __future__ import annotations

from typing import Any

from ....network.neuron import Neuron
from ...figure.figure import Figure
from ...traces.launches import number_of
from .picture import draw_neuron


def neuron(neuron: Any, product: Any = None, part: Any = None) -> Figure:
    """Draw which thread computes a neuron, and from which numbers.

    From top to bottom: the running sum over all multiply-adds, sixteen of them with
    their factors; the block's threads with those that loaded the factors of the one in
    focus; and the chain of launches from the sum to the layer's output.

    Args:
        neuron: From `Explanation.neuron`.
        product: Number of the multiply-add in focus, from 0; None: the middle one.
        part: Number of the launch in the chain, from 0; None: the one with most
            multiply-adds.

    Returns:
        A figure; its `data` is the neuron.

    Raises:
        TypeError: Not a neuron, or no numbers.
        ValueError: A neuron without a part.
        IndexError: No such part or product.
    """
    if not isinstance(neuron, Neuron):
        raise TypeError(
            f"[viz.neuron] got {type(neuron).__name__}; need a neuron: "
            'minitorch.explain(model, x).neuron("layer1", (0, 3)).'
        )
    if not neuron.chain:
        raise ValueError(
            "[viz.neuron] the neuron has no parts, because no kernel computed it."
        )
    counts = [len(launch.macs) for launch in neuron.chain]
    if part is None:
        part = counts.index(max(counts))
    part = number_of(part, (len(counts), 1, 1), "part", "neuron")
    if product is None:
        return draw_neuron(neuron, part, counts[part] // 2)
    products = (counts[part], 1, 1)
    return draw_neuron(neuron, part, number_of(product, products, "product", "neuron"))
