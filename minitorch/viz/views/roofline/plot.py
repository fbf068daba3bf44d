"""The roofline plot with matplotlib.

Source: S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52(4), 2009.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .... import _core
from ....cuda.inspecting.roofline import roofline, speed_limit
from ...figure.plot_axes import HUES, INK, MARKERS, MUTED, axes_of, plain
from ...scene.drawing import shortened
from ...traces.line_metrics import counted_lines
from ...traces.residency import short_card

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _points(
    launches: tuple[Any, ...], gpu: str | None
) -> list[tuple[str, float, float]]:
    """Name, operations a byte and operations a second at most, of each launch."""
    found = []
    for launch in launches:
        counters = counted_lines(launch, "roofline").total
        x, y, z = launch.grid
        roof = roofline(counters, gpu, blocks=x * y * z)
        speed = speed_limit(counters, roof)
        if speed and np.isfinite(roof.intensity):
            name = shortened(launch.kernel, 28) + " (debug build)" * launch.debug
            found.append((name, roof.intensity, speed))
    return found


def plot_roofline(launches: tuple[Any, ...], gpu: str | None, ax: Any) -> Axes:
    """Plot launches under a card's roof; see `viz.roofline`."""
    if not launches:
        raise ValueError(
            "[viz.roofline] got no launch; need at least one: run.launches[0]."
        )
    points = _points(launches, gpu)
    card = _core.card(gpu or "")
    axes = axes_of(ax, "roofline")
    bandwidth, peak = card["bandwidth"], card["single"]
    knee = peak / bandwidth
    low = min([each[1] for each in points] + [knee / 64]) / 2
    high = max([each[1] for each in points] + [knee]) * 8
    middle = np.sqrt(low * knee)
    across = np.array([low, knee, high])
    axes.loglog(across, np.minimum(across * bandwidth, peak), color=INK, linewidth=2,
                base=10, label="_roof")  # fmt: skip
    for at, (name, intensity, speed) in enumerate(points):
        color = HUES[at % 4]
        axes.plot([intensity], [speed], MARKERS[at % 4], color=color, markersize=8,
                  label=f"{name}: at most {speed / 1e12:.2g} TFLOP/s")  # fmt: skip
        axes.vlines(intensity, 0, speed, color=color, linestyle=":", linewidth=1.2)
    axes.annotate(f"{peak / 1e12:.3g} TFLOP/s", (high, peak), (0, 4),
                  textcoords="offset points", ha="right", color=MUTED)  # fmt: skip
    axes.annotate(f"{bandwidth / 1e9:.4g} GB/s", (middle, middle * bandwidth),
                  (-6, 6), textcoords="offset points", ha="right",
                  color=MUTED)  # fmt: skip
    axes.set_xlabel("operations a byte")
    axes.set_ylabel("FLOP/s, at most")
    name = short_card(card["name"])
    axes.set_title(f"Roof of a {name}: a limit, not a measured time", fontsize=10)
    plain(axes)
    if points:
        axes.legend(frameon=False, fontsize=9, loc="lower right")
    return axes
