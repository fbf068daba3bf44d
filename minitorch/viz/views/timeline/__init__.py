"""The view of time: what the host launches, what is queued, what the device runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...figure.figure import Figure
from .. import view
from .lanes import program_of
from .picture import draw_timeline, items_of

_MOST = 3


@view
def timeline(*profiles: Any, names: Sequence[str] | None = None) -> Figure:
    """Draw how far a program runs ahead of the device, and where it waits.

    Of each profile: the host's modules, launches and waits with their lines; how much
    is queued; and what the device runs. Several are drawn below each other on one
    scale: a step as it is written, and the same step as a graph.

    Args:
        *profiles: One to three: profiles that have ended, or what `timeline()` gave.
        names: What the reader calls them; None: "program 1" and so on.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        TypeError: Not a profile.
        ValueError: None, too many, a dict of another form, nothing that ran on the
            device, or not a name for each.
    """
    if not 1 <= len(profiles) <= _MOST:
        raise ValueError(
            f"[viz.timeline] got {len(profiles)} profiles; need 1 to {_MOST}."
        )
    default = ["program"] if len(profiles) == 1 else [
        f"program {at + 1}" for at in range(len(profiles))
    ]  # fmt: skip
    own = default if names is None else [str(each) for each in names]
    if len(own) != len(profiles):
        raise ValueError(
            f"[viz.timeline] got {len(own)} names of {len(profiles)} profiles; need "
            "one for each."
        )
    programs = [
        program_of(each, name) for each, name in zip(profiles, own, strict=True)
    ]
    items = items_of(programs)
    first = programs[0]

    def ahead(at: int) -> float:
        """How long work of the first program stays queued; what is no work, not."""
        item = items[at]
        if item.wait or item.program:
            return -1.0
        work = first.works[item.at]
        return work.begin - work.call[1]

    return draw_timeline(programs, max(range(len(items)), key=ahead))
