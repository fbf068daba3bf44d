"""Start a confined process: as a new Python, or as a fork of one.

A new one takes a third of a second to import what it needs, a copy of one that has
imported it some milliseconds. What is copied has met nothing of a submission: it waits
for orders by a socket that no copy keeps.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .library_subset import library

_PIPE = 1 << 20
_F_SETPIPE_SZ = 1031
_MESSAGE = 1 << 16
_LOADING_SECONDS = 120.0


@dataclass(frozen=True)
class Exit:
    """What a process's end cost.

    Attributes:
        status: As `os.wait4` gives it.
        seconds: Of the processor.
    """

    status: int
    seconds: float = 0.0


class Process(Protocol):
    """A started process and a way to wait for its end."""

    pid: int

    def wait(self, options: int) -> Exit | None:
        """Return its end, as `os.wait4` with these options, or None if it runs."""


@dataclass
class Pipes:
    """The grader's ends of a confined process's pipes.

    Attributes:
        requests, replies: For messages.
        stdout, stderr: What it prints.
    """

    requests: int
    replies: int
    stdout: int
    stderr: int

    def close(self) -> None:
        """Close all four pipes."""
        for file in vars(self).values():
            os.close(file)


def _pipes() -> tuple[Pipes, list[int]]:
    """Create the pipes; return our ends, and the child's in the order of `child.py`."""
    requests, *others = (os.pipe() for _ in range(4))
    ours = [requests[1], *(pipe[0] for pipe in others)]
    theirs = [requests[0], *(pipe[1] for pipe in others)]
    for file in theirs[:2]:
        with contextlib.suppress(OSError):  # a user may have too many large pipes
            fcntl.fcntl(file, _F_SETPIPE_SZ, _PIPE)
    return Pipes(*ours), theirs


def _environment(card_mb: int) -> dict[str, str]:
    """Return the full environment of a confined process; nothing is inherited."""
    return {
        "PATH": "",
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "MINITORCH_SECOND_NAME": "1",
        "MINITORCH_CUDA": "emulator",
        "MINITORCH_DETERMINISTIC": "1",
        "MINITORCH_CACHE_DIR": "",
        "MINITORCH_EMULATED_MEMORY": str(card_mb),
    }


def _python(
    sees: str, card_mb: int, call: str, files: Sequence[int], **more: Any
) -> subprocess.Popen[bytes]:
    """Start a new Python that calls a function of `child.py` and inherits `files`."""
    name = call.partition("(")[0]
    start = f"from {__package__}.child import {name}; {call}"
    return subprocess.Popen(
        [
            *(sys.executable, "-s", "-S", "-P", "-B", "-c"),
            f"import sys; sys.path[:] = {library(sees).path!r}; {start}",
        ],
        stdin=subprocess.DEVNULL,
        pass_fds=files,
        env=_environment(card_mb),
        cwd="/",
        start_new_session=True,
        **more,
    )


class _New:
    """A new Python, a child of this process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid = process.pid

    def wait(self, options: int) -> Exit | None:
        pid, status, usage = os.wait4(self.pid, options)
        if not pid:
            return None
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return Exit(status, usage.ru_utime + usage.ru_stime)


def start_new(sees: str, card_mb: int) -> tuple[Process, Pipes]:
    """Start a new Python with its own pipes.

    Args:
        sees: What it can import.
        card_mb: Memory of its emulated card.
    """
    ours, theirs = _pipes()
    try:
        call = f"main({theirs[0]}, {theirs[1]})"
        process = _python(
            sees, card_mb, call, theirs[:2], stdout=theirs[2], stderr=theirs[3]
        )
    except BaseException:
        ours.close()
        raise
    finally:
        for file in theirs:
            os.close(file)
    return _New(process), ours


class _Original:
    """A process that has imported a program and is forked on demand."""

    def __init__(self, program: str, sees: str, card_mb: int) -> None:
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._link.settimeout(_LOADING_SECONDS)
        self._speaking = threading.Lock()
        settings = {"program": program, "sees": sees, "nvrtc": library(sees).nvrtc}
        number = theirs.fileno()
        try:
            self._process = _python(
                sees, card_mb, f"copies({number})", [number], stdout=subprocess.DEVNULL
            )
            self._link.send(json.dumps(settings).encode())
        except BaseException:
            self._link.close()
            raise
        finally:
            theirs.close()

    def ask(self, order: dict[str, Any], files: Sequence[int] = ()) -> list[Any]:
        """Return the reply to an order.

        Raises:
            OSError: It is dead, or too slow.
        """
        with self._speaking:
            socket.send_fds(self._link, [json.dumps(order).encode()], files)
            answer = self._link.recv(_MESSAGE)
        if not answer:
            raise ConnectionError("[sandbox] the process to be copied has ended.")
        reply: list[Any] = json.loads(answer)
        return reply

    def close(self) -> None:
        """End the process and all its copies."""
        self._link.close()
        self._process.kill()
        self._process.wait()


class _Copy:
    """A copy: a child of its original, which reports its end."""

    def __init__(self, original: _Original, pid: int) -> None:
        self._original = original
        self.pid = pid

    def wait(self, options: int) -> Exit | None:
        try:
            reply = self._original.ask({"wait": self.pid, "options": options})
        except OSError:  # with its original it has died, too
            return Exit(signal.SIGKILL)
        return Exit(*reply) if reply else None


class Prepared:
    """Processes with the imports of confined ones, one for each kind.

    For `confined(..., prepared=)`. Copies die with it.

    Example:
        with contextlib.closing(Prepared()) as prepared:
            prepared.begin("runner", "runner", 256)  # it loads while others do
    """

    def __init__(self) -> None:
        self._originals: dict[tuple[str, str, int], _Original] = {}
        self._choosing = threading.Lock()

    def begin(self, *kind: Any) -> _Original:
        """Start an original of a kind (program, what it sees, MB of its card), if there
        is none, without waiting for it.
        """
        with self._choosing:
            if kind not in self._originals:
                self._originals[kind] = _Original(*kind)
            return self._originals[kind]

    def start(self, program: str, sees: str, card_mb: int) -> tuple[Process, Pipes]:
        """Fork the process that has imported `program`, with new pipes.

        Args:
            program: "author" or "runner".
            sees: What it can import.
            card_mb: Memory of its emulated card.

        Raises:
            OSError: There is no such process, and none can be had.
        """
        original = self.begin(program, sees, card_mb)
        ours, theirs = _pipes()
        try:
            (number,) = original.ask({"start": True}, theirs)
        except BaseException:
            ours.close()
            self._forget(original)
            raise
        finally:
            for file in theirs:
                os.close(file)
        return _Copy(original, number), ours

    def _forget(self, original: _Original) -> None:
        """Close an original, so that the next start creates a new one."""
        with self._choosing:
            for kind in [k for k, v in self._originals.items() if v is original]:
                del self._originals[kind]
        original.close()

    def close(self) -> None:
        """End all originals."""
        while self._originals:
            self._originals.popitem()[1].close()
