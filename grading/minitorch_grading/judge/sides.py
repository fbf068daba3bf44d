"""Processes of one tree: authors and a runner.

A `Side` is a submission's tree or the solution's, in one task. Calls and kernels have
authors of their own: what compiles kernels never sees an input.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..author.problem import AuthorError
from ..author.requests import Author
from ..rubric.assignment import Task
from ..runner.launches import LaunchResult, launch
from ..sandbox.frames import FrameLimits
from ..sandbox.process import Peer, PeerEnded, Room, confined
from ..sandbox.starting import Prepared
from .clock import TaskClock
from .rows import NOT_WRITTEN, Ended

_COMPILING = {"CompileError", "PtxError"}
_PICTURE = 32 << 20  # bytes


class Side:
    """The processes of one tree in one task; each is started when it is needed.

    Args:
        folder: The tree: its root is what imports are found from.
        empty: A folder with nothing in it, for the runner.
        level: Of confinement.
        task: Whose limits and imports hold.
        clock: What its processes take is taken from this.
        prepared: Processes to make copies of; None starts each anew.
    """

    def __init__(
        self,
        folder: Path,
        empty: Path,
        level: str,
        task: Task,
        clock: TaskClock,
        prepared: Prepared | None = None,
    ) -> None:
        self.folder, self._empty, self._level = folder, empty, level
        self._task, self.clock, self._prepared = task, clock, prepared
        self._open: dict[str, tuple[ExitStack, Peer]] = {}
        self._room = Room(task.limits.memory_mb + task.limits.card_mb)

    def close(self) -> None:
        """End all processes."""
        for name in list(self._open):
            self._end(name)

    def _end(self, name: str) -> None:
        stack, _ = self._open.pop(name)
        stack.close()

    def _peer(self, name: str) -> Peer:
        """Return the process of this name; start it if it is not running."""
        if name in self._open and not self._open[name][1].is_ready():
            self._end(name)
        if name not in self._open:
            runner = name == "runner"
            limits = self._task.limits
            stack = ExitStack()
            peer = stack.enter_context(
                confined(
                    "runner" if runner else "author",
                    level=self._level,
                    sees="runner" if runner else self._task.sees,
                    folder=self._empty if runner else self.folder,
                    seconds=2 * limits.seconds + 10,
                    memory_mb=limits.memory_mb,
                    card_mb=limits.card_mb,
                    prepared=self._prepared,
                    room=self._room,
                )
            )
            self._open[name] = (stack, peer)
        return self._open[name][1]

    def call(
        self,
        drivers: str,
        name: str,
        arguments: Sequence[Any],
        limits: FrameLimits | None = None,
    ) -> Any:
        """Return the result of a driver for these arguments, called in the author.

        Args:
            drivers: Text of the module.
            name: Of the function.
            arguments: For it.
            limits: What the answer may hold; None: as much as any message.

        Raises:
            Ended: It gives none, or far too much.
        """
        return self._ask("author", "call", drivers, name, list(arguments), limits)

    def tests(self, file: str, to_failure: bool = False) -> dict[str, bool]:
        """Return the result of each test of a file, by name; with `to_failure`, only
        those up to the first that fails.
        """
        results: dict[str, bool] = self._ask(
            "author", "tests", file, to_failure=to_failure
        )
        return results

    def import_package(self, package: str) -> None:
        """Import a package where the task's first request will be answered.

        Raises:
            Ended: It does not import.
        """
        process = "compiler" if self._task.sees == "cuda" else "author"
        self._ask(process, "package_file", package)

    def package_file(self, package: str) -> str | None:
        """Return the path of the author's package, or None if it does not load."""
        try:
            path = self._ask("compiler", "package_file", package)
        except Ended:
            return None
        return None if path is None else str(path)

    def form(
        self,
        module: str,
        attribute: str,
        types: Sequence[str],
        fn: str | None,
        debug: bool = False,
    ) -> NDArray[np.uint8]:
        """Return a compiled kernel's form, by an author that sees no inputs; `debug`:
        with its variables.

        Raises:
            Ended: There is no such kernel, or it does not compile.
        """
        form: NDArray[np.uint8] = self._ask(
            *("compiler", "kernel", module, attribute, list(types), fn), debug=debug
        )
        return form

    def _ask(self, process: str, method: str, *arguments: Any, **named: Any) -> Any:
        peer = self._peer(process)  # its start is our time, not a student's
        with self.clock.running(lambda: peer.seconds) as seconds:
            author = Author(peer, seconds=seconds)
            try:
                return getattr(author, method)(*arguments, **named)
            except AuthorError as error:
                # Half a module may be left of it: the next request gets a fresh one.
                self._end(process)
                position, words = (
                    self._position(error),
                    self._without_folders(error.message),
                )
                ended = _of_author(error, words, method, position)
                ended.before_inputs = process == "compiler"
                raise ended from None
            except PeerEnded as error:
                raise self._of_end(error) from None

    def _without_folders(self, text: str) -> str:
        """Return the text without this run's temporary folder."""
        for folder in (self.folder, self.folder.resolve()):
            text = text.replace(f"{folder}/", "")
        return text

    def _position(self, error: AuthorError) -> tuple[str, int]:
        """Return the line that an author names, if it exists; other values could
        reveal inputs.
        """
        try:
            lines = (self.folder / error.file).read_bytes().count(b"\n") + 1
        except (OSError, ValueError):
            return "", 0
        return (error.file, error.line) if error.line <= lines else ("", 0)

    def launch(
        self,
        form: NDArray[np.uint8],
        shape: tuple[Any, Any, int],
        arguments: Sequence[Any],
        picture: bool = False,
        values: bool = False,
    ) -> LaunchResult:
        """Launch a kernel's form in the runner.

        Args:
            form: As `form` gave it.
            shape: Grid, block, bytes of shared memory.
            arguments: Arrays, `Unwritten` ones, numbers.
            picture: Whether one is wanted.
            values: Whether findings have values of variables, as `form` with `debug`
                knows them.

        Raises:
            Ended: It did not load, or did not end as launches do.
        """
        peer = self._peer("runner")
        with self.clock.running(lambda: peer.seconds) as seconds:

            def exchange(header: dict[str, Any], parts: list[Any]) -> Any:
                # The arrays come back, and perhaps a picture.
                total = sum(part.nbytes for part in parts) + _PICTURE
                limits = FrameLimits(header=4 << 20, total=total)
                frame = peer.ask(header, parts, seconds=seconds, limits=limits)
                return frame.header, frame.arrays

            try:
                result = launch(
                    *(exchange, form, shape[0], shape[1], arguments, shape[2]),
                    picture=picture,
                    values=values,
                )
            except PeerEnded as error:
                raise self._of_end(error) from None
        if result.outcome != "done":
            raise self._of_launch(result)
        return result

    def _of_launch(self, result: LaunchResult) -> Ended:
        plain = {
            "timeout": "Your kernel does not end",
            "memory": "Your kernel used more memory than there is",
            "does_not_compile": "Your kernel cannot be loaded",
            "no_kernel": "Your kernel cannot be loaded",
            "error": "Your kernel cannot be launched as the assignment says",
        }[result.outcome]
        outcome = result.outcome if result.outcome != "no_kernel" else "error"
        first: Any = next(iter(result.findings), {})
        words = self._without_folders(result.message)
        return Ended(outcome, plain, words, first.get("file"), first.get("line"))

    def _of_end(self, error: PeerEnded) -> Ended:
        ended = error.ended
        output = (ended.stdout[-1000:], ended.stderr[-1000:])
        printed = self._without_folders("\n".join(output)).strip()
        details = f"{ended.sentence}. {printed}".strip()
        if ended.how == "timeout":
            return replace(self.clock.out(), details=details)
        plain = {
            "memory": "Your program used more memory than there is",
            "output": "Your program printed without end",
            "threads": "Your program started threads without end",
            "protocol": "Your program's answer cannot be read: it is far larger than "
            "what is asked for, or broken",
        }.get(ended.how, "Your program ended its process instead of giving a result")
        return Ended("memory" if ended.how == "memory" else "crash", plain, details)


def _of_author(
    error: AuthorError, words: str, method: str, position: tuple[str, int]
) -> Ended:
    details = f"{error.type}: {words}"
    if error.blocked:
        plain = "Your program asked for something that programs may not do here"
        refused = re.sub(r"^\[Errno \d+\] ", "", words)
        return Ended("blocked", plain, f"The answer was: {refused}", *position)
    if error.type in _COMPILING:
        plain = "Your kernel does not compile"
        if "a raise statement is not" in error.message:  # the starter's, most often
            # What the compiler quotes is the starter's own line.
            plain, details = f"{NOT_WRITTEN}, or it raises, which no kernel can", ""
        return Ended("does_not_compile", plain, details, *position, unread=not details)
    unread = {
        "NotImplementedError": NOT_WRITTEN,
        "SyntaxError": "A file of yours does not compile",
    }.get(error.type)
    if unread:
        return Ended("error", unread, details, *position, unread=True)
    name = f" ({error.type})" if error.type else ""
    verb = "makes no kernel" if method == "kernel" else "raises an exception"
    return Ended("error", f"Your program {verb}{name}", details, *position)
