"""The view of a network: its launches, and one of them down to a thread."""

from __future__ import annotations

from typing import Any

from ....cuda.inspecting.trace import LANES
from ....network.explanation import Explanation
from ...figure.figure import Figure
from ...traces.launches import number_of
from .picture import NetworkScene


def network(
    explanation: Any, kernel: Any = None, block: Any = 0, thread: Any = 0
) -> Figure:
    """Draw how a network is mapped onto a GPU, and what moves for it.

    From top to bottom: each launch with its blocks on the multiprocessors, its
    multiply-adds and its bytes; and one launch down to a block, a warp, a thread and
    the cell that it writes. Launches that are alike are one row, as in the table that
    the explanation prints; beyond 20 rows they fold by modules.

    Args:
        explanation: From `minitorch.explain`.
        kernel: Number of the launch in focus, from 0; None: the one with most
            multiply-adds.
        block: Of that launch: its number, or (x, y, z).
        thread: Of that block: its number, or (x, y, z).

    Returns:
        A figure; its `data` is the explanation.

    Raises:
        TypeError: Not an explanation, or no numbers.
        ValueError: An explanation without a launch.
        IndexError: No such launch, block or thread.
    """
    if not isinstance(explanation, Explanation):
        raise TypeError(
            f"[viz.network] got {type(explanation).__name__}; need an explanation: "
            "minitorch.explain(model, x)."
        )
    kernels = explanation.kernels
    if not kernels:
        raise ValueError(
            "[viz.network] the explanation has no launch. Explain a call that "
            "computes something."
        )
    if kernel is None:
        kernel = max(range(len(kernels)), key=lambda at: kernels[at].macs_executed)
    number = number_of(kernel, (len(kernels), 1, 1), "kernel", "network")
    launch = kernels[number]
    at_block = number_of(block, launch.grid, "block", "network")
    at_thread = number_of(thread, launch.block, "thread", "network")
    warp, lane = divmod(at_thread, LANES)
    state = {"kernel": number, "block": at_block, "warp": warp, "lane": lane}
    return Figure(
        "How is my network mapped onto the GPU, and what moves for it?",
        NetworkScene(explanation).scene(), state, data=explanation,
    )  # fmt: skip
