"""All drawing code of minitorch: data in, self-contained pictures out.

Each view answers one question: about a tensor, about a launch that ran within
`with cuda.inspect(trace=True) as run:`, or about a network that `minitorch.explain`
explained, and returns a `Figure`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..cuda.inspecting.inspection import Launch, connect_pictures
from ..network.explanation import Explanation
from ..network.explanation import connect_pictures as connect_networks
from ..network.neuron import Neuron
from ..network.neuron import connect_pictures as connect_neurons
from .views import find, names

if TYPE_CHECKING:
    from .figure.figure import Figure as Figure
    from .traces.rerun import trace as trace
    from .views.compare import compare as compare
    from .views.counters import counters as counters
    from .views.divergence import divergence as divergence
    from .views.graph import graph as graph
    from .views.grid import grid as grid
    from .views.loss_curve import loss_curve as loss_curve
    from .views.memory import memory as memory
    from .views.network import network as network
    from .views.neuron import neuron as neuron
    from .views.overview import overview as overview
    from .views.race import race as race
    from .views.roofline import roofline as roofline
    from .views.show import show as show
    from .views.sms import sms as sms
    from .views.step import step as step
    from .views.tensor import tensor as tensor
    from .views.timeline import timeline as timeline

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


def _draw(launch: Launch) -> Any:
    return find("show")(launch)


def _draw_network(explained: Explanation) -> Any:
    return find("network")(explained)


def _draw_neuron(computed: Neuron) -> Any:
    return find("neuron")(computed)


connect_pictures(_draw)
connect_networks(_draw_network)
connect_neurons(_draw_neuron)
