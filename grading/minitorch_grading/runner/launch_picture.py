"""Choose the picture of a launch: its race, its bank conflicts, or its elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from minitorch_cuda.cuda.inspecting.inspection import Launch

if TYPE_CHECKING:
    from minitorch_cuda.viz import Figure

#: Most bytes of a picture.
MOST_BYTES = 200 << 10


def picture_of(launch: Launch) -> tuple[dict[str, str] | None, NDArray[np.uint8]]:
    """Draw a launch for a student.

    Args:
        launch: Recorded with its trace.

    Returns:
        "view" ("race", "memory", "grid" or "step"), "form" ("html" or "svg"), "alt"
        (a sentence); and the page as bytes of UTF-8. None and nothing
        where there is nothing to draw, or where it is larger than `MOST_BYTES`.
    """
    nothing = np.zeros(0, np.uint8)
    try:
        view, figure = _figure(launch)
        # Still, so that it can stand in any page, and in a platform's.
        forms = ("svg", figure.svg("light")), ("html", figure.html())
    except Exception:  # no picture is better than no findings
        return None, nothing
    for form, page in forms:
        data = page.encode()
        if len(data) <= MOST_BYTES:
            words = {"view": view, "form": form, "alt": figure.alt}
            return words, np.frombuffer(data, np.uint8)
    return None, nothing


def _figure(launch: Launch) -> tuple[str, Figure]:
    """Return the view that fits the findings: race, step, memory, or else grid."""
    from minitorch_cuda.viz import grid, memory, race, step

    kinds = [finding.kind for finding in launch.findings if finding.severity == "error"]
    if any(kind in ("race_global", "race_shared") for kind in kinds):
        return "race", race(launch)
    if kinds and not {"oob_global", "uninit_global"} & {*kinds}:
        return "step", step(launch)
    if any(finding.kind == "race_benign" for finding in launch.findings) and not kinds:
        return "race", race(launch)
    if not kinds and launch.counters["shared_bank_conflicts"]:
        return "memory", memory(launch, line=_line_of_conflicts(launch))
    return "grid", grid(launch)


def _line_of_conflicts(launch: Launch) -> int | None:
    """Return the line with the most bank conflicts, or None if the PTX has no lines."""
    rows = launch.counters.by_line()
    most: Any = max(rows, key=lambda row: row["shared_bank_conflicts"])
    return most.line or None
