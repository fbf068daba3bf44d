"""The view of a network: its launches, and one of them down to a multiply-add."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...traces.launches import number_of
from .. import view
from .nets import LANES, Kernel, net_of
from .picture import draw_network


@view
def network(
    explanation: Any, kernel: Any = None, block: Any = None, thread: Any = None
) -> Figure:
    """Draw how a network is mapped onto a GPU, and what moves for it.

    From top to bottom: each launch with its blocks on the multiprocessors, its
    multiply-adds and its bytes; and one launch down to a block, a warp, a thread and
    the one multiply-add in focus. Beyond 16 launches rows fold by modules.

    Args:
        explanation: From `minitorch.explain`, or what its `to_dict` gave.
        kernel: Number of the launch in focus, from 0; None: the one with most
            multiply-adds.
        block: Of that launch: its number, or (x, y, z); None: the first.
        thread: Of that block: its number, or (x, y, z); None: the first.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        TypeError: Not an explanation, or no numbers.
        ValueError: A dict of another form, or without a launch.
        IndexError: No such launch, block or thread.
    """
    net = net_of(explanation)
    at = _busiest(net.kernels) if kernel is None else _number(kernel, len(net.kernels))
    own = net.kernels[at]
    places = {"block": 0, "thread": 0}
    for name, wanted, extent in (("block", block, own.grid),
                                 ("thread", thread, own.block)):  # fmt: skip
        if wanted is not None:
            places[name] = number_of(wanted, extent, name, "network")
    warp, lane = divmod(places["thread"], LANES)
    focus = {"kernel": at, "block": places["block"], "warp": warp, "lane": lane}
    return draw_network(net, focus)


def _number(kernel: Any, count: int) -> int:
    try:
        number = int(kernel.__index__())
    except (AttributeError, TypeError):
        raise TypeError(
            f"[viz.network] got kernel {kernel!r}; need its number."
        ) from None
    if not 0 <= number < count:
        raise IndexError(
            f"[viz.network] got kernel {number}; need one from 0 to {count - 1}."
        )
    return number


def _busiest(kernels: tuple[Kernel, ...]) -> int:
    return max(range(len(kernels)), key=lambda at: kernels[at].executed)
