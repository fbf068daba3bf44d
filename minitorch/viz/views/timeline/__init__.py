"""The view of time: what the host launches, what is queued, what the device runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...figure.figure import Figure
from .data import program_of
from .picture import draw_timeline

_MOST = 3


def timeline(*profiles: Any, names: Sequence[str] | None = None) -> Figure:
    """Draw how far a program runs ahead of the device, and where it waits.

    Of each profile: the host's modules, launches and waits; how much is queued; what
    the device runs; and what each line of the program costs the host. Several are drawn
    below each other on one scale: a step as it is written, and the same as a graph.

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
            f"[viz.timeline] got {len(own)} names for {len(profiles)} profiles; need "
            "one for each."
        )
    return draw_timeline(list(map(program_of, profiles, own)))
