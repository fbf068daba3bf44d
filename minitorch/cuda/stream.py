"""Owns streams and events as Python sees them. Must not know kernels."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any

from .. import _core


class Stream:
    """A queue of work in order; work in two streams may overlap.

    Within `with stream:` the calling thread's launches and copies go to it.

    Example:
        >>> from minitorch import cuda
        >>> stream = cuda.Stream()
        >>> with stream:
        ...     x = cuda.to_device([1.0, 2.0])
        >>> stream.synchronize()
    """

    def __init__(self) -> None:
        self._core = _core.Stream()
        self._guards: list[_core.StreamGuard] = []

    @property
    def handle(self) -> int:
        """The driver's CUstream as an integer."""
        return self._core.handle

    def synchronize(self) -> None:
        """Wait for the stream's work.

        Raises:
            KernelError: a kernel had a fault since the last synchronisation.
        """
        self._core.synchronize()

    def __enter__(self) -> Stream:
        self._guards.append(_core.StreamGuard(self._core))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._guards.pop()

    def __repr__(self) -> str:
        return f"Stream(handle={self.handle:#x})"


#: A stream; 0 and None stand for the current one of the thread.
StreamLike = Stream | int | None

_CURRENT: AbstractContextManager[Any] = nullcontext()


def on_stream(stream: StreamLike, where: str) -> AbstractContextManager[Any]:
    """Make a stream current within `with`; 0 and None leave it as it is.

    Raises:
        TypeError: No stream.
    """
    if isinstance(stream, Stream):
        return stream
    if stream is None or (isinstance(stream, int) and stream == 0):
        return _CURRENT
    raise TypeError(
        f"[{where}] got stream {stream!r}; need a cuda.Stream, or 0 for the "
        "current one."
    )


class Event:
    """A point in a stream's order; measures the time between two of them.

    Example:
        >>> from minitorch import cuda
        >>> start, end = cuda.Event(), cuda.Event()
        >>> start.record()
        >>> x = cuda.to_device([1.0, 2.0])
        >>> end.record()
        >>> end.synchronize()
        >>> start.elapsed_time(end) >= 0
        True
    """

    def __init__(self) -> None:
        self._core = _core.Event()

    def record(self, stream: Stream | None = None) -> None:
        """Mark the end of the work now queued on `stream` (None: the current one)."""
        self._core.record(stream._core if stream is not None else None)

    def query(self) -> bool:
        """Tell whether the work before the last `record` has ended."""
        return self._core.done()

    def synchronize(self) -> None:
        """Wait for the work before the last `record`; raises as streams do."""
        self._core.synchronize()

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this event to `end`; both recorded and done."""
        return end._core.elapsed_since(self._core)
