"""All drawing code of minitorch: data in, self-contained pictures out.

Each view answers one question: about a tensor, or about a launch that ran within
`with cuda.inspect(trace=True) as run:`, and returns a `Figure`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..cuda.inspection import Launch, connect_pictures

if TYPE_CHECKING:
    from .count_views import compare, counters, loss_curve, roofline
    from .figure import Figure
    from .rerun import trace
    from .tensor_views import graph, tensor
    from .time_views import divergence, overview, step
    from .views import grid, memory, race, show, sms

__all__ = [
    "Figure",
    "compare",
    "counters",
    "divergence",
    "graph",
    "grid",
    "loss_curve",
    "memory",
    "overview",
    "race",
    "roofline",
    "show",
    "sms",
    "step",
    "tensor",
    "trace",
]

_PLACES = {
    "Figure": "figure",
    "compare": "count_views",
    "counters": "count_views",
    "divergence": "time_views",
    "graph": "tensor_views",
    "loss_curve": "count_views",
    "overview": "time_views",
    "step": "time_views",
    "roofline": "count_views",
    "tensor": "tensor_views",
    "trace": "rerun",
}


def __getattr__(name: str) -> Any:
    """Load late: who draws nothing need not wait for what draws."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f".{_PLACES.get(name, 'views')}", __name__)
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _draw(launch: Launch) -> Any:
    from .views import show

    return show(launch)


connect_pictures(_draw)
