"""The plot of losses with matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...figure.plot_axes import HUES, STYLES, axes_of, plain
from ...scene.drawing import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _numbers(name: str, losses: Any) -> NDArray[np.float64]:
    refused = TypeError(
        f"[viz.loss_curve] got {name} {type(losses).__name__}; need numbers in order "
        "of steps. loss.item() gives the number of a tensor."
    )
    if not isinstance(losses, Iterable):  # a kernel has items, and is no list of losses
        raise refused
    try:
        values = np.array([float(each) for each in losses], np.float64)
    except (TypeError, ValueError) as error:
        raise refused from error
    if not len(values):
        raise ValueError(
            f"[viz.loss_curve] got no number in {name}; need at least one."
        )
    return values


def plot_losses(losses: Any, ax: Any) -> Axes:
    """Plot one curve or several; see `viz.loss_curve`."""
    curves = losses if isinstance(losses, Mapping) else {"losses": losses}
    if not curves:
        raise ValueError("[viz.loss_curve] got no curve; need at least one.")
    known = {str(name): _numbers(str(name), each) for name, each in curves.items()}
    axes = axes_of(ax, "loss_curve")
    missing = 0
    for at, (name, values) in enumerate(known.items()):
        finite = np.where(np.isfinite(values), values, np.nan)
        missing += int(np.isnan(finite).sum())
        few = "o" if len(values) <= 30 else ""
        axes.plot(np.arange(1, len(values) + 1), finite, color=HUES[at % 4],
                  linestyle=STYLES[at // 4 % 4], marker=few, markersize=4,
                  label=shortened(name, 28))  # fmt: skip
    axes.set_xlabel("step")
    axes.set_ylabel("loss")
    plain(axes)
    if missing:
        word = "value is" if missing == 1 else "values are"
        axes.set_title(f"{missing} {word} NaN or infinite", fontsize=10)
    if len(known) > 1:
        axes.legend(frameon=False, fontsize=9)
    return axes
