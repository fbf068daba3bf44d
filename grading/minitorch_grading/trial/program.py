"""Try all actions that a confined process must not be able to do."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from typing import Any


def prepare(settings: dict[str, Any]) -> None:
    """Do nothing: the imports above are all that is needed."""


Answer = tuple[dict[str, Any], list[Any]]


def answer(header: dict[str, Any], arrays: list[Any]) -> Answer:
    """Try all forbidden actions; `done` lists those that were possible.

    Args:
        header: `secret`: a file that must not be readable.
        arrays: None.
    """
    secret = header["secret"]

    def read() -> None:
        with open(secret, "rb") as file:
            file.read()

    def write() -> None:
        with open(f"{secret}-written", "wb") as file:
            file.write(b"x")

    def look() -> None:
        # Another root folder may hold one of this name, with nothing of the grader's.
        if os.path.basename(secret) not in os.listdir(os.path.dirname(secret)):
            raise FileNotFoundError(secret)

    attempts: dict[str, Callable[[], object]] = {
        "read the grader's files": read,
        "write files": write,
        "list the grader's folder": look,
        "start processes": _fork,
        "start programs": lambda: os.execv(sys.executable, [sys.executable, "-V"]),
        "open sockets": lambda: socket.socket().close(),
        "signal other processes": lambda: os.kill(os.getppid(), 0),
    }
    done: list[str] = []
    for name, attempt in attempts.items():
        if name == "start programs" and done:
            continue  # it would end this process; what is known suffices
        try:
            attempt()
        except OSError:
            continue
        done.append(name)
    return {"done": done}, []


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)
    os.wait()
