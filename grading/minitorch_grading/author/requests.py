"""Requests from the judge to an author, and validation of its answers.

An answer comes from a process in which a submission may do what it likes: only its form
is checked here, its truth is the judge's matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..sandbox.frames import Frame, FrameError, FrameLimits
from ..sandbox.process import Peer
from .problem import read_problem
from .values import ValueForm, unpack

_KERNEL = FrameLimits(header=1 << 20, total=32 << 20)
_SMALL = FrameLimits(header=1 << 20, total=1 << 20)


class Author:
    """An author's process, as functions.

    Each raises `AuthorError` where the submission raised something, and `PeerEnded`
    where the process gave no answer that can be read.

    Args:
        peer: What `confined("author", ...)` gave.
        seconds: For each answer.

    Example:
        with confined("author", level="confined", sees="nothing", folder=tree) as peer:
            Author(peer).call("def f(x): return x + 1", "f", [2])  # 3
    """

    def __init__(self, peer: Peer, *, seconds: float = 60.0) -> None:
        self._peer = peer
        self._seconds = seconds

    def call(
        self,
        drivers: str,
        name: str,
        arguments: Sequence[Any],
        limits: FrameLimits | None = None,
    ) -> Any:
        """Call a function of a text that is not the submission's but imports it.

        Args:
            drivers: Text of the module.
            name: Of a function in it.
            arguments: Arrays, numbers, texts, None, lists and tuples of these.
            limits: Of the answer; by default those of the process.

        Returns:
            What it returned, of the same kinds.
        """
        form = ValueForm()
        tree = form.pack(list(arguments))
        header = {"ask": "call", "drivers": drivers, "name": name, "arguments": tree}
        return self._value(self._ask(header, form.arrays, limits))

    def kernel(
        self,
        module: str,
        attribute: str,
        types: Sequence[str] | None,
        fn: str | None = None,
        *,
        debug: bool = False,
    ) -> NDArray[np.uint8]:
        """Compile a kernel, without inputs.

        Args:
            module: Dotted name, or the path of a `.cu` file in the submission.
            attribute: Name in it; with `fn` of a function that makes the kernel of one.
            types: Of each argument, in Numba's words.
            fn: Dotted name of that function.
            debug: Build for debuggers.

        Returns:
            The kernel's form, as `kernel_form.unpacked` reads it.
        """
        header = {
            "ask": "kernel",
            "module": module,
            "attribute": attribute,
            "types": None if types is None else list(types),
            "fn": fn,
            "debug": debug,
        }
        frame = self._ask(header, limits=_KERNEL)
        if len(frame.arrays) != 1 or frame.arrays[0].dtype != np.uint8:
            self._refuse("a kernel's form that is none")
        return frame.arrays[0].reshape(-1)

    def package_file(self, package: str) -> str | None:
        """Return the file that `package` was imported from, relative to the
        submission's folder if it is inside.
        """
        file = self._value(self._ask({"ask": "package_file", "package": package}))
        return file if isinstance(file, str) else None

    def tests(self, file: str, *, to_failure: bool = False) -> dict[str, bool]:
        """Run test functions of a file that was handed in; return which of them pass.

        Args:
            file: Path in the submission.
            to_failure: The first that fails is the last that is run.
        """
        frame = self._ask({"ask": "tests", "file": file, "to_failure": to_failure})
        results = frame.header.get("results")
        if not isinstance(results, dict) or len(results) > 10_000:
            self._refuse("results of tests that are none")
        return {name: passed is True for name, passed in results.items()}

    def _ask(
        self,
        header: dict[str, Any],
        arrays: Sequence[NDArray[Any]] = (),
        limits: FrameLimits | None = _SMALL,
    ) -> Frame:
        frame = self._peer.ask(header, arrays, seconds=self._seconds, limits=limits)
        if "error" in frame.header:
            raise read_problem(frame.header["error"])
        return frame

    def _value(self, frame: Frame) -> Any:
        try:
            return unpack(frame.header.get("value"), frame.arrays)
        except FrameError as error:
            self._refuse(str(error))

    def _refuse(self, reason: str) -> NoReturn:
        self._peer.refuse(f"it answered with {reason}")
