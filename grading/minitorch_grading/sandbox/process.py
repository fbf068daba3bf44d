"""A confined process as the grader sees it: start, requests, deadline, end.

Whatever the process does, the grader goes on: it never waits longer than it said, never
takes more than it said, and when it lets go the process is dead.
"""

from __future__ import annotations

import contextlib
import math
import os
import secrets
import selectors
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np

from .child import OUT_OF_MEMORY
from .frames import Frame, FrameError, FrameLimits, Reading, encode, reading
from .library_subset import hide_folders_above, library, root_folder
from .starting import Exit, Pipes, Prepared, Process, start_new
from .stopwatch import Stopwatch

How = Literal[
    "exited",
    "signalled",
    "timeout",
    "memory",
    "output",
    "threads",
    "protocol",
    "closed",
]

_KEPT = 64 << 10  # bytes of stdout and of stderr
_MOST_THREADS, _LOOK_SECONDS = 512, 0.05
_FILLED = ("RssAnon", "RssShmem", "VmSwap")  # of /proc/N/status, in kB
_MOST_OUTPUT = 256 << 20  # a process that prints more is ended
_PIPE = 1 << 20
_START_SECONDS = 60.0

# What a process may use beside its own memory: code, stacks, a card's addresses.
_ADDRESSES = {"nothing": 1 << 30, "numba": 1 << 30, "cuda": 3 << 30, "runner": 4 << 30}


@dataclass(frozen=True)
class Ended:
    """How a process ended, and its output.

    Attributes:
        how: "exited", "signalled", "timeout", "memory", "output" (it printed too much),
            "threads" (it started too many), "protocol" (its answer broke the rules), or
            "closed" (by the grader).
        code: Status or number of the signal.
        sentence: The same for people.
        stdout: The first 64 kB that it printed.
        stderr: The same of its errors.
    """

    how: How
    code: int
    sentence: str
    stdout: str = ""
    stderr: str = ""


class PeerEnded(Exception):
    """The process no longer answers; `ended` says why."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(f"[sandbox] {ended.sentence}")
        self.ended = ended


@dataclass
class _Output:
    """The first bytes of a stream; the rest is only counted."""

    kept: bytearray = field(default_factory=bytearray)
    total: int = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        self.kept += data[: _KEPT - len(self.kept)]


class Room:
    """Memory that processes of one task may fill together, shared pages included.

    Linux limits what each of them has alone, and leaves out what is shared.

    Args:
        megabytes: Beside what a process has when it is ready.

    Example:
        >>> room = Room(800)
        >>> room.holds(1, 500 << 20), room.holds(2, 600 << 20), room.holds(1, 500 << 20)
        (True, False, True)
    """

    def __init__(self, megabytes: int) -> None:
        # An eighth more: one process alone meets its own limit first.
        self._most = (megabytes << 20) * 9 // 8
        self._filled: dict[int, int] = {}
        self._counting = threading.Lock()

    def holds(self, process: int, filled: int) -> bool:
        """Update the memory of a process; return False if it must end, as the
        largest of processes that use too much together.
        """
        with self._counting:
            self._filled[process] = filled
            together = sum(self._filled.values())
            return together <= self._most or filled < max(self._filled.values())

    def leave(self, process: int) -> None:
        """Remove a process that has ended."""
        with self._counting:
            self._filled.pop(process, None)


class _Watch:
    """Ends a process that starts too many threads or uses more memory than its task
    allows: Linux has no such limit per process.

    Attributes:
        caught: Why it was ended; None while it goes on.
    """

    def __init__(self, process: int, room: Room) -> None:
        self.caught: How | None = None
        self._process, self._room = process, room
        self._before: int | None = None
        self._over = threading.Event()
        self._killing = threading.Lock()
        threading.Thread(target=self._run, daemon=True).start()

    def begin(self) -> None:
        """Start counting the memory that the process fills from now on."""
        self._before = _filled(_status_of(self._process))

    def _run(self) -> None:
        while not self._over.wait(_LOOK_SECONDS):
            status = _status_of(self._process)
            if not status:  # it has ended, or this is no Linux
                return
            if status.get("Threads", 1) > _MOST_THREADS:
                self._kill("threads")
            elif self._before is not None:
                filled = max(_filled(status) - self._before, 0)
                if not self._room.holds(self._process, filled):
                    self._kill("memory")

    def _kill(self, why: How) -> None:
        with self._killing:
            if not self._over.is_set():
                self.caught = self.caught or why
                os.kill(self._process, signal.SIGKILL)

    def stop(self) -> None:
        """Stop watching: from now on the pid may belong to another process."""
        with self._killing:
            self._over.set()
        self._room.leave(self._process)


def _status_of(process: int) -> dict[str, int]:
    """Return the numbers of /proc/PID/status, or {} if there is no such file."""
    numbers = {}
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_bytes().splitlines():
            name, _, rest = line.decode("ascii", "replace").partition(":")
            words = rest.split()
            if words and words[0].isdecimal():
                numbers[name] = int(words[0])
    return numbers


def _filled(status: Mapping[str, int]) -> int:
    return sum(status.get(name, 0) for name in _FILLED) << 10


class Peer:
    """A confined process that answers requests, one at a time.

    Made by `confined`. Not for several threads, and the thread that started it must
    live as long as it: the kernel ends the process with that thread.

    Attributes:
        ended: How it came to its end; None while it answers.
        level: Of confinement, as it says itself.
        seconds: What its answers took so far, by `Stopwatch`.
    """

    def __init__(
        self,
        process: Process,
        pipes: Pipes,
        limits: FrameLimits,
        processor_seconds: float,
        room: Room,
    ) -> None:
        self._process = process
        self._exit: Exit | None = None
        self._pipes = pipes
        self._limits = limits
        self._processor_seconds = processor_seconds
        self._outputs = {file: _Output() for file in (pipes.stdout, pipes.stderr)}
        self._watch = _Watch(process.pid, room)
        self._selector = selectors.DefaultSelector()
        self.ended: Ended | None = None
        self.level, self.seconds = "", 0.0
        self._nonce = ""
        for file in (pipes.requests, pipes.replies, *self._outputs):
            os.set_blocking(file, False)
        for file in (pipes.replies, *self._outputs):
            self._selector.register(file, selectors.EVENT_READ)

    def ask(
        self,
        header: dict[str, Any],
        arrays: Sequence[np.ndarray[Any, Any]] = (),
        *,
        seconds: float = 60.0,
        limits: FrameLimits | None = None,
    ) -> Frame:
        """Send a request and wait for its answer.

        Args:
            header: What JSON can hold.
            arrays: Go with it.
            seconds: Until the process is ended, by `Stopwatch`.
            limits: Of this answer; by default those of the process.

        Returns:
            The answer. It comes from the process: believe nothing in it.

        Raises:
            PeerEnded: There was no answer in time, or none at all.
        """
        if self.ended:
            raise PeerEnded(self.ended)
        before, self._nonce = self._nonce, secrets.token_hex(16)
        message = encode({**header, "nonce": self._nonce}, arrays)
        self._pending = memoryview(message)
        self._selector.register(self._pipes.requests, selectors.EVENT_WRITE)
        watch = Stopwatch(self._process.pid)
        try:
            try:
                while True:
                    frame = self._wait(reading(limits or self._limits), watch, seconds)
                    nonce = frame.header.pop("nonce", None)
                    if nonce != before:  # else a second answer, to the last request
                        break
            finally:  # while there is a process to be asked
                self.seconds += watch.seconds()
            if nonce != self._nonce:
                raise FrameError("[frames] got an answer to something else.")
            if self._unasked():
                raise FrameError("[frames] got two answers.")
        except FrameError as error:
            raise PeerEnded(self._end("protocol", str(error))) from None
        except TimeoutError:
            text = f"it did not answer within {seconds:g} seconds"
            raise PeerEnded(self._end("timeout", text)) from None
        except _Noisy:
            text = f"it printed more than {_MOST_OUTPUT >> 20} MB"
            raise PeerEnded(self._end("output", text)) from None
        except EOFError:
            raise PeerEnded(self._end()) from None
        return frame

    def _wait(self, steps: Reading, watch: Stopwatch, seconds: float) -> Frame:
        wanted, self._buffer = next(steps), bytearray()
        deadline = time.monotonic() + seconds - watch.seconds()
        while True:
            if len(self._buffer) == wanted:  # never more is read
                piece, self._buffer = self._buffer, bytearray()
                try:
                    wanted = steps.send(piece)
                except StopIteration as end:
                    frame: Frame = end.value
                    return frame
            left = deadline - time.monotonic()
            if left <= 0:  # of the clock: did the process have so much?
                left = seconds - watch.seconds()
                deadline = time.monotonic() + left
            if left <= 0:
                raise TimeoutError
            self._pump(left, wanted - len(self._buffer))

    def _unasked(self) -> bytes | None:
        """Return what follows the last answer: None for nothing, b"" for the end."""
        try:
            return os.read(self._pipes.replies, 1)
        except BlockingIOError:
            return None

    def is_ready(self) -> bool:
        """Return whether it can be asked: it has not ended, and has sent nothing
        after its last answer.
        """
        if not self.ended:
            more = self._unasked()
            if more is not None:
                self._end(*(("protocol", "it answered twice") if more else ()))
        return not self.ended

    def _pump(self, seconds: float, wanted: int) -> None:
        """Read and write what is ready, in all pipes, within `seconds`."""
        for key, _ in self._selector.select(seconds):
            if key.fd == self._pipes.requests:
                self._push()
            elif key.fd == self._pipes.replies:
                data = os.read(key.fd, min(max(wanted, 1), _PIPE))
                if not data:
                    raise EOFError
                self._buffer += data
            else:
                self._listen(key.fd)

    def _push(self) -> None:
        try:
            self._pending = self._pending[
                os.write(self._pipes.requests, self._pending) :
            ]
        except BlockingIOError:
            return
        except BrokenPipeError:  # its end comes by the other pipe
            self._pending = self._pending[:0]
        if not self._pending:
            self._selector.unregister(self._pipes.requests)

    def _listen(self, file: int) -> None:
        try:
            data = os.read(file, _PIPE)
        except BlockingIOError:
            return
        if not data:
            self._selector.unregister(file)
        self._outputs[file].add(data)
        if sum(output.total for output in self._outputs.values()) > _MOST_OUTPUT:
            raise _Noisy

    def _end(self, how: How | None = None, sentence: str = "") -> Ended:
        """End the process and return how it ended."""
        if self.ended:
            return self.ended
        self._watch.stop()
        if how is None:  # it closed the pipe: most likely it is about to end by itself
            deadline = time.monotonic() + 0.5
            while self._exit is None and time.monotonic() < deadline:
                time.sleep(0.002)
                self._exit = self._process.wait(os.WNOHANG)
        alive = self._exit is None
        if self._exit is None:
            self._kill()
        end = self._exit
        assert end is not None
        self._drain()
        self._selector.close()
        self._pipes.close()
        if how is None:
            how, code, sentence = self._judge(end.status, end.seconds, alive)
        else:
            code = os.waitstatus_to_exitcode(end.status)
        texts = (
            output.kept.decode("utf-8", "replace") for output in self._outputs.values()
        )
        self.ended = Ended(how, abs(code), f"the process ended: {sentence}", *texts)
        return self.ended

    def _judge(self, status: int, spent: float, alive: bool) -> tuple[How, int, str]:
        code = os.waitstatus_to_exitcode(status)
        if self._watch.caught == "threads":
            return "threads", code, f"it started more than {_MOST_THREADS} threads"
        if self._watch.caught == "memory":
            text = "with others of its task it filled more memory than the task has"
            return "memory", code, text
        if alive:
            return "protocol", code, "it closed the pipe of its answers"
        if code == -signal.SIGXCPU or spent >= self._processor_seconds:
            seconds = f"{self._processor_seconds:g} seconds of the processor"
            return "timeout", code, f"it used {seconds}"
        if code in (OUT_OF_MEMORY, -signal.SIGKILL):
            return "memory", code, "its memory did not suffice"
        if code < 0:
            return "signalled", code, f"by signal {_signal_name(-code)}"
        return "exited", code, f"with status {code}, though it was asked something"

    def _kill(self) -> None:
        # The group first: at level "process" it may have children.
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(self._process.pid, signal.SIGKILL)
        self._exit = self._process.wait(0)

    def _drain(self) -> None:
        """Read the rest of the output pipes, up to the limit."""
        for file, output in self._outputs.items():
            with contextlib.suppress(BlockingIOError):
                while output.total < _MOST_OUTPUT and (data := os.read(file, _PIPE)):
                    output.add(data)

    def begin(self, settings: dict[str, Any]) -> None:
        """Make the process confine itself; from now on its memory counts."""
        frame = self.ask(settings, seconds=_START_SECONDS)
        self.level = str(frame.header.get("level", ""))
        self._watch.begin()

    def refuse(self, reason: str) -> NoReturn:
        """End the process because of an invalid answer.

        Raises:
            PeerEnded: Always.
        """
        raise PeerEnded(self._end("protocol", reason))

    def close(self) -> Ended:
        """End the process and release its pipes."""
        return self._end("closed", "the grader needs it no more")


class _Noisy(Exception):
    """Raised when a process has printed too much."""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


# Numbers that systems leave free for users that come and go.
_FIRST_USER, _USERS = 61184, 4336


# Copies that processes of level "uid" see: which user may, and how many processes do.
_copies: dict[Path, list[int]] = {}
_copying = threading.Lock()


def _copy_for(user: int, folder: Path, copy: Path, root: Path) -> None:
    """Copy `folder` so that the group `user` may read it; root stays the owner."""
    shutil.copytree(
        folder,
        copy,
        ignore=lambda above, names: [
            n for n in names if os.path.islink(f"{above}/{n}")
        ],
    )
    hide_folders_above([copy], root)
    for above, _, files in os.walk(copy):
        for path, mode in ((above, 0o750), *((f"{above}/{n}", 0o640) for n in files)):
            os.chown(path, 0, user, follow_symlinks=False)
            os.chmod(path, mode)


@contextlib.contextmanager
def _other_user(folder: Path, sees: str) -> Iterator[dict[str, Any]]:
    """Return the rules of level "uid": a user of its own, and a root with a copy of
    `folder`.

    Processes that see the same folder at the same time share copy and user.
    """
    with _copying:
        root = root_folder(sees)
        copy = root / str(folder)[1:]
        if copy not in _copies:
            user = _FIRST_USER + secrets.randbelow(_USERS)
            _copy_for(user, folder, copy, root)
            _copies[copy] = [user, 0]
        _copies[copy][1] += 1
        user = _copies[copy][0]
    try:
        yield {"user": user, "root": str(root)}
    finally:
        with _copying:
            _copies[copy][1] -= 1
            if not _copies[copy][1]:
                del _copies[copy]
                shutil.rmtree(copy, ignore_errors=True)


@contextlib.contextmanager
def confined(
    program: str,
    *,
    level: str,
    sees: str,
    folder: Path,
    seconds: float = 60.0,
    memory_mb: int = 1024,
    card_mb: int = 256,
    limits: FrameLimits | None = None,
    prepared: Prepared | None = None,
    room: Room | None = None,
) -> Iterator[Peer]:
    """Start a process that confines itself and waits for requests.

    Args:
        program: "author" or "runner": whose `program.py` answers.
        level: "confined", "uid" or "process"; see `levels.py`.
        sees: What it can import: "nothing", "numba", "cuda" or "runner".
        folder: The one folder beside the library that it may read: it starts there.
        seconds: Of one processor core, for each core of this machine up to four.
        memory_mb: What it may fill.
        card_mb: Memory of the emulated card.
        limits: Of its answers.
        prepared: Processes to make a copy of. At level "process" they are not used:
            what is not confined could reach them.
        room: Memory that it has together with others; by default it is alone.

    Yields:
        The process. It is dead when the block ends, however it ends.

    Raises:
        PeerEnded: It did not start, or the level cannot be had here.
        ValueError: An argument has no such value.

    Example:
        with confined("author", level="process", sees="nothing", folder=tree) as peer:
            frame = peer.ask({"ask": "package_file", "package": "minitorch"})
    """
    limits = limits or FrameLimits()
    folder = folder.resolve()
    if not folder.is_dir():
        raise PeerEnded(Ended("exited", 1, f"there is no folder {folder} for it"))
    if level == "uid" and os.geteuid() != 0:
        raise PeerEnded(Ended("exited", 1, "the level uid can be had by root alone"))
    most = math.ceil(seconds * min(os.cpu_count() or 1, 4))
    part = library(sees)
    memory = memory_mb + card_mb << 20
    rules: dict[str, Any] = {
        "level": level,
        "reads": [*part.reads, str(folder)],
        "memory": memory,
        "addresses": memory + _ADDRESSES[sees],
        "processor_seconds": most,
        "files": 24,
    }
    with contextlib.ExitStack() as stack:
        if level == "uid":
            rules |= stack.enter_context(_other_user(folder, sees))
        settings = {
            "program": program,
            "sees": sees,
            "nvrtc": part.nvrtc,
            "folder": str(folder),
            "rules": rules,
            "limits": {"header": limits.header, "total": limits.total},
        }
        started = None
        if prepared is not None and level != "process":
            with contextlib.suppress(OSError):  # a new one tells what is the matter
                started = prepared.start(program, sees, card_mb)
        process, pipes = started or start_new(sees, card_mb)
        room = room or Room(memory_mb + card_mb)
        peer = Peer(process, pipes, limits, most, room)
        stack.callback(peer.close)
        peer.begin(settings)
        yield peer
