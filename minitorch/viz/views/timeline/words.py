"""The sentences of the timeline view."""

from __future__ import annotations

from ...scene.drawing import number
from ...scene.phrases import counted
from .lanes import OTHER, Program, Span, before

_SOON = 1.0  # µs
_WHY = {
    "explicit": "the program asked to wait for the device",
    "value": "the program needs a number that the device computes",
    "copy": "a copy from ordinary memory must end first",
    "queue_full": "the queue is full, and a place must become free",
    "memory": "memory is given back",
    "exchange": "another library gets the array",
}


def micro(time: float) -> str:
    """A time of µs in the unit that leaves three digits.

    Example:
        >>> micro(12.34), micro(1234.5), micro(203_062), micro(0.123)
        ('12.3 µs', '1.23 ms', '203 ms', '0.12 µs')
    """
    if time < 1:
        return f"{time:.2f} µs"
    for scale, unit in ((1.0, "µs"), (1e3, "ms")):
        if time < 999.5 * scale:
            return f"{time / scale:.3g} {unit}"
    return f"{number(time / 1e6)} s"


def title_of(name: str) -> str:
    """A kernel without its file.

    Example:
        >>> title_of("conv2d (conv2d.cu)"), title_of("Memset (Device)")
        ('conv2d', 'Memset (Device)')
    """
    return name.partition(" (")[0] if name.endswith(".cu)") else name


def says_work(program: Program, at: int) -> tuple[str, str]:
    """When work was launched and when it began."""
    work = program.works[at]
    name, launched, earlier = title_of(work.name), work.call[1], before(program, at)
    part = f" of {work.group}"
    if work.group == OTHER or work.group.startswith(name):
        part = ""
    rest = max(work.begin - launched, 0.0)
    if earlier is not None and earlier.end > launched + _SOON:
        ahead = micro(earlier.end - launched)
        return (
            f"{name}{part} is launched at {micro(launched)}, {ahead} before the work "
            "ahead of it ends.",
            f"It waits {micro(rest)} in the stream's queue, and the program does not: "
            "launching only says what to do later. The stream keeps the order.",
        )
    return (
        f"{name}{part} is launched at {micro(launched)} and starts {micro(rest)} "
        "later: the queue was empty.",
        f"It takes {micro(work.long)}; the program does not stay for it.",
    )


def says_wait(wait: Span) -> tuple[str, str]:
    """Why the host waits, where, and how long."""
    where = f"{wait.site} waits" if wait.site else "The program waits"
    why = _WHY.get(wait.name, wait.name)
    return (
        f"{where} {micro(wait.long)}: {why}.",
        "Nothing is launched meanwhile, so the queue runs empty."
        if wait.name != "queue_full"
        else "This is why launching seems to take longer while the device is busy.",
    )


def waits_of(program: Program) -> list[tuple[str, str, int, float]]:
    """Waits by line and reason, the longest first: line, reason, count, µs."""
    found: dict[tuple[str, str], list[float]] = {}
    for wait in program.waits:
        found.setdefault((wait.site, wait.name), []).append(wait.long)
    rows = [(*key, len(every), sum(every)) for key, every in found.items()]
    return sorted(rows, key=lambda each: -each[3])


def totals_of(program: Program) -> list[str]:
    """A program in a few words each."""
    most = max((depth for _, depth in program.depth), default=0)
    whose = ["emulated: this computer's times"] if program.emulated else []
    return [
        f"{micro(program.long)} in all",
        f"launching {micro(program.launching)}",
        f"waiting {micro(program.waiting)}",
        f"at most {counted(most, 'launch')} ahead",
        *whose,
    ]
