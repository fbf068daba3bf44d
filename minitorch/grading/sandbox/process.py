"""Owns a confined process seen from the grader: start, ask, deadline, end.

Whatever the process does, the grader goes on: it never waits longer than it said, never
takes more than it said, and when it lets go the process is dead. Must not know what is
asked.
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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NoReturn

import numpy as np

from .child import OUT_OF_MEMORY
from .frames import Frame, FrameError, FrameLimits, encode, reading
from .library_subset import Library, hide_folders_above, library, root_folder
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
_THREADS_FIELD = 17  # of /proc/N/stat, behind the name
_MOST_OUTPUT = 256 << 20  # a process that prints more is ended
_PIPE = 1 << 20
_START_SECONDS = 60.0

# What a process may use beside its own memory: code, stacks, a card's addresses.
_ADDRESSES = {"nothing": 1 << 30, "numba": 1 << 30, "cuda": 3 << 30, "runner": 4 << 30}


@dataclass(frozen=True)
class Ended:
    """How a process came to its end, and what it printed.

    Attributes:
        how: "exited", "signalled", "timeout", "memory", "output" (it printed too much),
            "threads" (it started too many), "protocol" (its answer broke the rules), or
            "closed" (by the grader).
        code: Status or number of the signal.
        sentence: The same for people.
        stdout: The first 64 kB that it printed.
        stderr: The same of its errors.
        dropped: Bytes that it printed beyond these.
        seconds: Of the processor.
        memory_mb: The most that was in memory.
    """

    how: How
    code: int
    sentence: str
    stdout: str = ""
    stderr: str = ""
    dropped: int = 0
    seconds: float = 0.0
    memory_mb: int = 0


class PeerEnded(Exception):
    """The process answers no more. `ended` says how that came."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(f"[sandbox] {ended.sentence}")
        self.ended = ended


class _Output:
    """The first bytes of a stream; the rest is counted."""

    def __init__(self) -> None:
        self.kept = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        self.kept += data[: _KEPT - len(self.kept)]

    def text(self) -> str:
        return self.kept.decode("utf-8", "replace")


class _ThreadWatch:
    """Ends a process that starts threads without end: no limit of Linux's does that for
    each process, and the grader's own programs would find no place beside them."""

    def __init__(self, process: int) -> None:
        self.many = False
        self._process = process
        self._over = threading.Event()
        self._killing = threading.Lock()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        file = Path(f"/proc/{self._process}/stat")
        while not self._over.wait(_LOOK_SECONDS):
            try:
                fields = file.read_bytes().rpartition(b")")[2].split()
            except OSError:  # it has ended, or this is no Linux
                return
            if int(fields[_THREADS_FIELD]) > _MOST_THREADS:
                self._kill()

    def _kill(self) -> None:
        with self._killing:
            if not self._over.is_set():
                self.many = True
                os.kill(self._process, signal.SIGKILL)

    def stop(self) -> None:
        """After this the number of the process may be another's."""
        with self._killing:
            self._over.set()


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
    ) -> None:
        self._process = process
        self._exit: Exit | None = None
        self._pipes = pipes
        self._requests = pipes.requests
        self._replies = pipes.replies
        self._limits = limits
        self._processor_seconds = processor_seconds
        self._outputs: dict[int, _Output] = {}
        self._watch = _ThreadWatch(process.pid)
        self._selector = selectors.DefaultSelector()
        self.ended: Ended | None = None
        self.level, self.seconds = "", 0.0
        for file in (pipes.stdout, pipes.stderr):
            self._outputs[file] = _Output()
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
    ) -> Frame:
        """Sends a request and waits for its answer.

        Args:
            header: What JSON can hold.
            arrays: Go with it.
            seconds: Until the process is ended, by `Stopwatch`.

        Returns:
            The answer. It comes from the process: believe nothing in it.

        Raises:
            PeerEnded: There was no answer in time, or none at all.
        """
        if self.ended:
            raise PeerEnded(self.ended)
        nonce = secrets.token_hex(16)
        self._pending = memoryview(encode({**header, "nonce": nonce}, arrays))
        self._selector.register(self._requests, selectors.EVENT_WRITE)
        steps = reading(self._limits)
        self._buffer = bytearray()
        watch = Stopwatch(self._process.pid)
        try:
            try:
                frame = self._wait(steps, watch, seconds)
            finally:  # while there is a process to be asked
                self.seconds += watch.seconds()
            if frame.header.pop("nonce", None) != nonce:
                raise FrameError("[frames] got an answer to something else.")
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

    def _wait(self, steps: Any, watch: Stopwatch, seconds: float) -> Frame:
        wanted = next(steps)
        deadline = time.monotonic() + seconds
        while True:
            while len(self._buffer) >= wanted:
                piece = bytes(self._buffer[:wanted])
                del self._buffer[:wanted]
                try:
                    wanted = steps.send(piece)
                except StopIteration as end:
                    if self._buffer:
                        raise FrameError("[frames] got two answers.") from None
                    frame: Frame = end.value
                    return frame
            left = deadline - time.monotonic()
            if left <= 0:  # of the clock: did the process have so much?
                left = seconds - watch.seconds()
                deadline = time.monotonic() + left
            if left <= 0:
                raise TimeoutError
            self._pump(left, wanted - len(self._buffer))

    def _pump(self, seconds: float, wanted: int) -> None:
        """Moves what can be moved, in all directions, within `seconds`."""
        for key, _ in self._selector.select(seconds):
            if key.fd == self._requests:
                self._push()
            elif key.fd == self._replies:
                data = os.read(key.fd, min(max(wanted, 1), _PIPE))
                if not data:
                    raise EOFError
                self._buffer += data
            else:
                self._listen(key.fd)

    def _push(self) -> None:
        try:
            self._pending = self._pending[os.write(self._requests, self._pending) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # its end comes by the other pipe
            self._pending = self._pending[:0]
        if not self._pending:
            self._selector.unregister(self._requests)

    def _listen(self, file: int) -> None:
        try:
            data = os.read(file, _PIPE)
        except BlockingIOError:
            return
        if not data:
            self._selector.unregister(file)
        self._outputs[file].add(data)
        if sum(each.total for each in self._outputs.values()) > _MOST_OUTPUT:
            raise _Noisy

    def _end(self, how: How | None = None, sentence: str = "") -> Ended:
        """Ends the process, whatever it does, and says how it came to that."""
        if self.ended:
            return self.ended
        self._watch.stop()
        if how is None:  # it closed the pipe: most likely it is about to end by itself
            self._await_exit(0.5)
        alive = self._exit is None
        end = self._exit or self._kill()
        self._drain()
        self._close_files()
        if how is None:
            how, code, sentence = self._judge(end.status, end.seconds, alive)
        else:
            code = os.waitstatus_to_exitcode(end.status)
        outputs = list(self._outputs.values())
        kept = sum(len(each.kept) for each in outputs)
        self.ended = Ended(
            how,
            abs(code),
            f"the process ended: {sentence}",
            outputs[0].text(),
            outputs[1].text(),
            sum(each.total for each in outputs) - kept,
            end.seconds,
            end.memory_mb,
        )
        return self.ended

    def _judge(self, status: int, spent: float, alive: bool) -> tuple[How, int, str]:
        code = os.waitstatus_to_exitcode(status)
        if self._watch.many:
            return "threads", code, f"it started more than {_MOST_THREADS} threads"
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

    def _await_exit(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self._reap(os.WNOHANG):
                return
            time.sleep(0.002)

    def _reap(self, options: int = 0) -> bool:
        self._exit = self._process.wait(options)
        return self._exit is not None

    def _kill(self) -> Exit:
        # The group first: at level "process" it may have children.
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(self._process.pid, signal.SIGKILL)
        self._reap()
        assert self._exit is not None
        return self._exit

    def _drain(self) -> None:
        """Takes what is left in the pipes of its output, as far as that is kept."""
        for file, output in self._outputs.items():
            with contextlib.suppress(BlockingIOError):
                while output.total < _MOST_OUTPUT and (data := os.read(file, _PIPE)):
                    output.add(data)

    def _close_files(self) -> None:
        self._selector.close()
        self._pipes.close()

    def refuse(self, what: str) -> NoReturn:
        """Ends the process because of an answer that nobody can use.

        Raises:
            PeerEnded: Always.
        """
        raise PeerEnded(self._end("protocol", what))

    def printed(self) -> tuple[str, str, int]:
        """What it has printed so far: stdout, stderr, bytes that were dropped."""
        if not self.ended:
            self._drain()
        outputs = list(self._outputs.values())
        kept = sum(len(each.kept) for each in outputs)
        dropped = sum(each.total for each in outputs) - kept
        return outputs[0].text(), outputs[1].text(), dropped

    def close(self) -> Ended:
        """Ends the process; nothing of it is left."""
        return self._end("closed", "the grader needs it no more")

    def __enter__(self) -> Peer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Noisy(Exception):
    """A process has printed too much."""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _rules(
    part: Library, level: str, folder: Path, sees: str, limits: dict[str, int]
) -> dict[str, Any]:
    card = sees in ("cuda", "runner")
    data = limits["memory_mb"] + limits["card_mb"] << 20
    return {
        "level": level,
        "reads": [*part.reads, str(folder)],
        "memory": data,
        "addresses": data + _ADDRESSES[sees],
        "processor_seconds": limits["seconds"],
        # A card's memory is a file in memory. There is no limit for all such files
        # together: few may be open, or none may hold anything.
        "file_bytes": limits["card_mb"] << 20 if card else 0,
        "files": 14 if card else 24,
    }


# Numbers that systems leave free for users that come and go.
_FIRST_USER, _USERS = 61184, 4336


def _links(folder: str, names: list[str]) -> list[str]:
    """Those of `names` that lead elsewhere."""
    return [name for name in names if os.path.islink(f"{folder}/{name}")]


# Copies that processes of level "uid" see: which user may, and how many processes do.
_copies: dict[Path, list[int]] = {}
_copying = threading.Lock()


def _copy_for(user: int, folder: Path, copy: Path, root: Path) -> None:
    """Copies `folder`: by its group `user` may read it; root stays the owner."""
    shutil.copytree(folder, copy, ignore=_links)
    hide_folders_above([copy], root)
    for above, _, files in os.walk(copy):
        for path, mode in ((above, 0o750), *((f"{above}/{n}", 0o640) for n in files)):
            os.chown(path, 0, user, follow_symlinks=False)
            os.chmod(path, mode)


@contextlib.contextmanager
def _other_user(folder: Path, sees: str) -> Iterator[dict[str, Any]]:
    """Rules of level "uid": a user of its own, a root with a copy of `folder`.

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


def _started(
    prepared: Prepared | None, program: str, sees: str, card_mb: int
) -> tuple[Process, Pipes]:
    if prepared is not None:
        with contextlib.suppress(OSError):  # a new one tells what is the matter
            return prepared.start(program, sees, card_mb)
    return start_new(sees, card_mb)


def _check_possible(level: str, folder: Path) -> None:
    if level == "uid" and os.geteuid() != 0:
        text = "the level uid can be had by root alone"
        raise PeerEnded(Ended("exited", 1, text))


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
) -> Iterator[Peer]:
    """A process of ours that has confined itself and waits for requests.

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

    Yields:
        The process. It is dead when the block ends, however it ends.

    Raises:
        PeerEnded: It did not start, or the level cannot be had here.
        ValueError: An argument has no such value.

    Example:
        with confined("author", level="process", sees="nothing", folder=tree) as peer:
            frame = peer.ask({"ask": "constant", "module": "kernels", "name": "BLOCK"})
    """
    limits = limits or FrameLimits()
    folder = folder.resolve()
    if not folder.is_dir():
        raise PeerEnded(Ended("exited", 1, f"there is no folder {folder} for it"))
    _check_possible(level, folder)
    most = math.ceil(seconds * min(os.cpu_count() or 1, 4))
    caps = {"memory_mb": memory_mb, "card_mb": card_mb, "seconds": most}
    part = library(sees)
    rules = _rules(part, level, folder, sees, caps)
    with contextlib.ExitStack() as stack:
        if level == "uid":
            rules |= stack.enter_context(_other_user(folder, sees))
        settings = {
            "program": program,
            "sees": sees,
            "nvrtc": part.nvrtc,
            "folder": str(folder),
            "rules": rules,
            "limits": {"header": limits.header, "arrays": 256, "total": limits.total},
        }
        if level == "process":
            prepared = None
        started = _started(prepared, program, sees, card_mb)
        peer = stack.enter_context(Peer(*started, limits, most))
        peer.level = str(
            peer.ask(settings, seconds=_START_SECONDS).header.get("level", "")
        )
        yield peer
