"""All drawing code of minitorch: data in, self-contained pictures out.

Each view answers one question: about a tensor, about a launch that ran within
`with cuda.inspect(trace=True) as run:`, about a network that `minitorch.explain`
explained, or about a profile, and returns a `Figure`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..cuda.pictures import connect_pictures
from .views import find, names

if TYPE_CHECKING:
    from .figure.figure import Figure as Figure
    from .traces.rerun import trace as trace
    from .views.compare import compare as compare
    from .views.divergence import divergence as divergence
    from .views.graph import graph as graph
    from .views.grid import grid as grid
    from .views.memory import memory as memory
    from .views.network import network as network
    from .views.neuron import neuron as neuron
    from .views.race import race as race
    from .views.reduction import reduction as reduction
    from .views.sms import sms as sms
    from .views.step import step as step
    from .views.tensor import tensor as tensor
    from .views.tiles import tiles as tiles
    from .views.timeline import timeline as timeline
    from .views.warps import warps as warps

_PLACES = {"Figure": ".figure.figure", "trace": ".traces.rerun"}

__all__ = sorted([*_PLACES, *names()])


def __getattr__(name: str) -> Any:
    """Load late: who draws nothing need not wait for what draws."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _PLACES:
        value = getattr(importlib.import_module(_PLACES[name], __name__), name)
    else:
        value = find(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _drawn(view: str) -> Callable[[Any], Any]:
    """What draws with a view, which is imported by the first picture."""
    return lambda shown: find(view)(shown)


connect_pictures(
    launch=_drawn("step"),
    explanation=_drawn("network"),
    neuron=_drawn("neuron"),
    profile=_drawn("timeline"),
)
