"""Streams, which are queues of work, events in their order, and the current stream."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, overload

from ... import _core
from ..argument_checks import need_instance
from ..tracebacks import learner_frames, learner_methods
from .thread_blocks import ThreadBlocks

_NAMES = {
    0: "default stream",
    1: "legacy default stream",
    2: "per-thread default stream",
}


@learner_methods
class Stream:
    """Queue of work in order; work in two streams may overlap.

    Within `with stream:` the calling thread's launches and copies go to it.

    Example:
        >>> from minitorch import cuda
        >>> stream = cuda.Stream()
        >>> with stream:
        ...     x = cuda.to_device([1.0, 2.0])
        >>> stream.synchronize()
    """

    @learner_frames
    def __init__(self) -> None:
        self._use(_core.Stream(), None)

    @classmethod
    def _nonblocking(cls) -> Stream:
        """Return a non-blocking stream: no implicit order with the default stream."""
        stream = cls.__new__(cls)
        stream._use(_core.Stream(blocking=False), None)
        return stream

    @classmethod
    def borrowed(cls, handle: int) -> Stream:
        """Return the driver's stream with this handle, which its owner keeps alive."""
        stream = cls.__new__(cls)
        stream._use(_core.Stream.borrow(handle), handle)
        return stream

    def _use(self, core: _core.Stream, handle: int | None) -> None:
        self._core = core
        self._borrowed_handle = handle
        self._guards: ThreadBlocks[_core.StreamGuard] = ThreadBlocks("stream")

    def _usable(self) -> bool:
        try:
            return self._core.handle is not None
        except RuntimeError:  # the device was reset
            return False

    @property
    def handle(self) -> int:
        """The driver's CUstream as an integer; 0, 1 and 2 are its default streams."""
        return self._core.handle if self._borrowed_handle is None else self._handle

    @property
    def _handle(self) -> int:
        return self._borrowed_handle or 0

    def __int__(self) -> int:
        return self.handle

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return protocol version and handle, for other libraries."""
        return 0, self.handle

    def synchronize(self) -> None:
        """Wait for the stream's work.

        Raises:
            KernelError: a kernel had a fault since the last synchronisation.
        """
        self._core.synchronize()

    def query(self) -> bool:
        """Return whether the work queued so far has finished; does not wait."""
        return self._core.done()

    def record_event(self, event: Event | None = None) -> Event:
        """Mark the end of the work queued so far.

        Args:
            event: A `cuda.Event`; None for a new one.

        Returns:
            The event.

        Raises:
            TypeError: No event.

        Example:
            >>> from minitorch import cuda
            >>> stream = cuda.Stream()
            >>> stream.record_event().query() in (True, False)
            True
        """
        result = Event() if event is None else event
        need_instance(result, Event, "record_event")
        result.record(self)
        return result

    def wait_event(self, event: Event) -> None:
        """Make work queued here later wait for an event's last `record`.

        Args:
            event: A `cuda.Event`.

        Raises:
            TypeError: No event.
        """
        need_instance(event, Event, "wait_event")
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Make work queued here later wait for the work now on another stream.

        Args:
            stream: The other stream.

        Raises:
            TypeError: No stream.

        Example:
            >>> from minitorch import cuda
            >>> main, side = cuda.current_stream(), cuda.Stream()
            >>> side.wait_stream(main)
            >>> with cuda.stream(side):
            ...     x = cuda.to_device([1.0, 2.0])
            >>> main.wait_stream(side)
        """
        need_instance(stream, Stream, "wait_stream")
        self.wait_event(stream.record_event(Event(timing=False)))

    def add_callback(
        self, callback: Callable[[Stream, int, Any], object], arg: Any = None
    ) -> None:
        """Call `callback(stream, status, arg)` once the work queued so far has ended.

        The work queued after it waits for it. It runs on a thread of the driver's, and
        must not use the device. What it raises becomes a warning.

        Args:
            callback: The function; `status` is the driver's result, 0 for success.
            arg: Given on to it.

        Raises:
            TypeError: `callback` cannot be called.
        """
        if not callable(callback):
            raise TypeError(f"[add_callback] got {callback!r}; need a function.")

        def call(status: int) -> None:
            try:
                callback(self, status, arg)
            except Exception as error:
                warnings.warn(
                    f"[add_callback] the callback raised {error!r}.", stacklevel=2
                )

        self._core.add_callback(call)

    def __enter__(self) -> Stream:
        self._guards.begin(_core.StreamGuard(self._core))
        return self

    def __exit__(self, *error: object) -> None:
        self._guards.end()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other.handle == self.handle

    def __hash__(self) -> int:
        return hash(self.handle)

    def __repr__(self) -> str:
        name = _NAMES.get(self.handle)
        return f"Stream({name})" if name else f"Stream(handle={self.handle:#x})"


#: A stream; 0 and None stand for the current one of the thread.
StreamLike = Stream | int | None

_CURRENT: AbstractContextManager[Any] = nullcontext()


def named_stream(stream: StreamLike, where: str) -> Stream | None:
    """Return a stream, or None for 0 and None; TypeError for anything else."""
    if stream is None or isinstance(stream, Stream):
        return stream
    if isinstance(stream, int) and stream == 0:
        return None
    raise TypeError(
        f"[{where}] got stream {stream!r}; need a cuda.Stream, or 0 for the current "
        "stream."
    )


def on_stream(stream: StreamLike, where: str) -> AbstractContextManager[Any]:
    """Make a stream current within `with`; 0 and None change nothing.

    Raises:
        TypeError: No stream.
    """
    return named_stream(stream, where) or _CURRENT


@learner_methods
class Event:
    """Point in the order of a stream; two of them measure time.

    Args:
        timing: False makes an event that only orders work.
        enable_timing: The same, under PyTorch's name; where it is given it counts.

    Example:
        >>> from minitorch import cuda
        >>> start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        >>> start.record()
        >>> x = cuda.to_device([1.0, 2.0])
        >>> end.record()
        >>> end.synchronize()
        >>> start.elapsed_time(end) >= 0
        True
    """

    @learner_frames
    def __init__(
        self, timing: bool = True, *, enable_timing: bool | None = None
    ) -> None:
        self._timing = bool(timing if enable_timing is None else enable_timing)
        self._core = _core.Event(self._timing)
        self._recorded = False

    def record(self, stream: StreamLike = None) -> None:
        """Mark the end of the work now queued on `stream`.

        Args:
            stream: None or 0 for the current one.

        Raises:
            TypeError: No stream.
        """
        target = named_stream(stream, "event")
        self._core.record(target._core if target is not None else None)
        self._recorded = True

    def query(self) -> bool:
        """Return whether the work before the last `record` has finished."""
        return self._core.done()

    def synchronize(self) -> None:
        """Wait for the work before the last `record`; raise as streams do."""
        self._core.synchronize()

    def wait(self, stream: StreamLike = None) -> None:
        """Make work queued on `stream` later wait for the last `record`.

        Args:
            stream: None or 0 for the current one.

        Raises:
            TypeError: No stream.
        """
        target = named_stream(stream, "event")
        self._core.hold(target._core if target is not None else None)

    def elapsed_time(self, evtend: Event) -> float:
        """Return milliseconds from this event to `evtend`; both must be done.

        Raises:
            CudaError: One of them is not done yet.
            ValueError: One was not recorded, or does not keep the time.
            TypeError: No event.
        """
        need_instance(evtend, Event, "elapsed_time")
        for event in (self, evtend):
            if not event._timing or not event._recorded:
                reason = (
                    "was created with timing=False"
                    if event._recorded
                    else "was not recorded"
                )
                raise ValueError(
                    f"[elapsed_time] an event {reason}. Use cuda.event() and record() "
                    "it on a stream."
                )
        return evtend._core.elapsed_since(self._core)


_NEW = object()


@overload
def stream() -> Stream: ...
@overload
def stream(stream: Stream) -> Stream: ...
@overload
def stream(stream: None) -> AbstractContextManager[None]: ...


@learner_frames
def stream(stream: Any = _NEW) -> Any:
    """Return a new stream, or use one within a `with` block.

    Args:
        stream: The stream whose work the block queues, as PyTorch has it; None leaves
            the current one. Without it a new stream is made, as Numba has it.

    Returns:
        The stream, itself good for `with`.

    Raises:
        TypeError: No stream.

    Example:
        >>> from minitorch import cuda
        >>> side = cuda.stream()
        >>> with cuda.stream(side):
        ...     x = cuda.to_device([1.0, 2.0])
        ...     cuda.current_stream() == side
        True
    """
    if stream is _NEW:
        return Stream()
    if stream is None:
        return _CURRENT
    need_instance(stream, Stream, "stream")
    return stream


@learner_frames
def current_stream() -> Stream:
    """Return the stream on which this thread queues work by default.

    Example:
        >>> from minitorch import cuda
        >>> cuda.current_stream()
        Stream(default stream)
    """
    core = _core.current_stream()
    if core is None:
        return Stream.borrowed(0)
    stream = Stream.__new__(Stream)
    handle = core.handle
    stream._use(core, handle if handle in _NAMES else None)
    return stream


@learner_frames
def default_stream() -> Stream:
    """Return the default stream: the legacy one.

    Work on it waits for work on other streams, and they for it.

    Example:
        >>> from minitorch import cuda
        >>> cuda.default_stream()
        Stream(default stream)
    """
    return Stream.borrowed(0)


@learner_frames
def legacy_default_stream() -> Stream:
    """Return the legacy default stream, the driver's handle 1."""
    return Stream.borrowed(1)


@learner_frames
def per_thread_default_stream() -> Stream:
    """Return the calling thread's default stream, the driver's handle 2."""
    return Stream.borrowed(2)


@learner_frames
def event(timing: bool = True) -> Event:
    """Return a new event.

    Args:
        timing: False makes one that only orders work.

    Example:
        >>> from minitorch import cuda
        >>> mark = cuda.event()
        >>> mark.record()
        >>> mark.synchronize()
        >>> mark.query()
        True
    """
    return Event(timing)
