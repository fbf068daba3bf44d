"""The graph view: how a value came to be."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from .data import graph_of
from .picture import draw_graph


def graph(t: Any, names: Any = None) -> Figure:
    """Draw how a tensor or a Scalar came to be, and where its gradients flow.

    Of a graph of more than 200 nodes the stretch that repeats most is drawn once, with
    a count.

    Args:
        t: The result: a tensor, or a `minitorch.Scalar`.
        names: A module, whose parameters are called by their names, or a dict of names
            and tensors; None: names that the values have themselves.

    Returns:
        A figure; its `data` holds all nodes.

    Raises:
        TypeError: Nothing of these.

    Example:
        >>> import minitorch
        >>> from minitorch import viz
        >>> w = minitorch.tensor([[1.0], [2.0]], requires_grad=True)
        >>> x = minitorch.tensor([[3.0, 4.0]])
        >>> viz.graph((x @ w).sum(), {"w": w})
        Figure(3 steps made this value from 1 leaf, which gets a gradient.)
    """
    return draw_graph(graph_of(t, names))
