"""Levels of confinement: find those that this machine supports, in a child process."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from .process import PeerEnded, confined

#: From the best to none.
LEVELS = ("confined", "uid", "process")

MEANINGS = {
    "confined": (
        "submissions read their own files and a part of the library, write nothing, "
        "and start no programs (Landlock and seccomp)"
    ),
    "uid": (
        "submissions run as another user in a folder of their own, and start no "
        "programs (root and seccomp)"
    ),
    "process": (
        "submissions run in a process of their own and can read what you can: hidden "
        "rows are not run"
    ),
}


@functools.cache
def missing(level: str) -> str:
    """Return why this machine does not support `level`, or "".

    A process confines itself and then tries what it must not: to read a file of the
    grader, to write one, to start a program, to open a socket.

    Args:
        level: "confined", "uid" or "process".

    Example:
        >>> missing("process")
        ''
    """
    with tempfile.TemporaryDirectory(prefix="minitorch-level-") as scratch:
        folder, secret = Path(scratch, "seen"), Path(scratch, "secret")
        folder.mkdir()
        secret.write_text("secret", encoding="utf-8")
        try:
            with confined("trial", level=level, sees="nothing", folder=folder) as peer:
                answer = peer.ask({"secret": str(secret)}, seconds=20.0).header
        except PeerEnded as error:
            lines = error.ended.stderr.strip().splitlines()
            return lines[-1] if lines else error.ended.sentence
    done = [str(action) for action in answer.get("done", ())]
    if level == "process" or not done:
        return ""
    return f"a process at this level could still {', '.join(done)}"


def best() -> str:
    """Return the best level of this machine."""
    return next(level for level in LEVELS if not missing(level))


def remedy() -> str:
    """Return how to get hidden rows judged when the level was "process"."""
    level = best()
    if level != "process":
        return f"This machine gives the level {level}; do not ask for process."
    return (
        "Hidden rows need the level confined, which is not to be had here "
        f"({missing('confined')}), or uid ({missing('uid')}). Grade on Linux 5.13 or "
        "later with Landlock switched on (lsm=landlock,... on the kernel's command "
        "line), or as root, as in a container."
    )


def report() -> str:
    """What each level means, whether it can be had here, and which one is taken.

    Example:
        >>> print(report().splitlines()[-1].partition(":")[0])
        Submissions are judged here at the level
    """
    rows = []
    for level in LEVELS:
        state = f"no: {missing(level)}" if missing(level) else "yes"
        rows += [f"{level:<9} {state}", f"{'':<9} -> {MEANINGS[level]}"]
    level = best()
    final = "" if level != "process" else " Reports say that they are not final."
    rows += ["", f"Submissions are judged here at the level: {level}.{final}"]
    if level == "process":
        rows[-1] += f" {remedy()}"
    return "\n".join(rows)
