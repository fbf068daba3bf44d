"""`Stream`, a queue of work, and the current stream."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from ... import _core
from ..tracebacks import learner_context, learner_frames, learner_methods
from .thread_blocks import ThreadBlocks

if TYPE_CHECKING:
    import asyncio

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
    def _borrowed(cls, handle: int) -> Stream:
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

    def record_event(self, event: Any = None) -> Any:
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
        result = _new_event[0]() if event is None else event
        if not isinstance(result, _new_event[0]):
            raise TypeError(f"[record_event] got {event!r}; need a cuda.Event.")
        result.record(self)
        return result

    def wait_event(self, event: Any) -> None:
        """Make work queued here later wait for an event's last `record`.

        Args:
            event: A `cuda.Event`.

        Raises:
            TypeError: No event.
        """
        if not isinstance(event, _new_event[0]):
            raise TypeError(f"[wait_event] got {event!r}; need a cuda.Event.")
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
        if not isinstance(stream, Stream):
            raise TypeError(f"[wait_stream] got {stream!r}; need a cuda.Stream.")
        self.wait_event(stream.record_event(_new_event[0](timing=False)))

    @learner_context
    def auto_synchronize(self) -> Iterator[Stream]:
        """Wait for the stream's work at the end of a `with` block.

        Example:
            >>> from minitorch import cuda
            >>> stream = cuda.stream()
            >>> with stream.auto_synchronize():
            ...     x = cuda.to_device([1.0], stream=stream)
        """
        yield self
        self.synchronize()

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

    def async_done(self) -> asyncio.Future[Stream]:
        """Return a future that completes, with this stream, when the work so far has.

        Raises:
            RuntimeError: No event loop runs in this thread.
        """
        import asyncio

        loop = asyncio.get_running_loop()
        future: asyncio.Future[Stream] = loop.create_future()

        def resolve(status: int) -> None:
            if future.done():
                return
            if status == 0:
                future.set_result(self)
            else:
                future.set_exception(
                    RuntimeError(
                        f"[async_done] the stream's work failed with result {status}. "
                        "Call stream.synchronize() for the finding."
                    )
                )

        def notify(stream: Stream, status: int, arg: Any) -> None:
            loop.call_soon_threadsafe(resolve, status)

        self.add_callback(notify)
        return future

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
        f"[{where}] got stream {stream!r}; need a cuda.Stream, or 0 for the "
        "current one."
    )


def on_stream(stream: StreamLike, where: str) -> AbstractContextManager[Any]:
    """Make a stream current within `with`; 0 and None change nothing.

    Raises:
        TypeError: No stream.
    """
    return named_stream(stream, where) or _CURRENT


_new_event: list[type[Any]] = []


def connect_events(event: type[Any]) -> None:
    """Register the event class, which depends on streams."""
    _new_event[:] = [event]


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
    if not isinstance(stream, Stream):
        raise TypeError(f"[stream] got {stream!r}; need a cuda.Stream.")
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
        return Stream._borrowed(0)
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
    return Stream._borrowed(0)


@learner_frames
def legacy_default_stream() -> Stream:
    """Return the legacy default stream, the driver's handle 1."""
    return Stream._borrowed(1)


@learner_frames
def per_thread_default_stream() -> Stream:
    """Return the calling thread's default stream, the driver's handle 2."""
    return Stream._borrowed(2)


@learner_frames
def external_stream(ptr: SupportsIndex) -> Stream:
    """Return a stream created by another library, which must keep it alive.

    Args:
        ptr: Its CUstream as an integer.

    Raises:
        CudaError: The driver knows no such stream.
        TypeError: No integer.

    Example:
        >>> from minitorch import cuda
        >>> made = cuda.stream()
        >>> cuda.external_stream(made.handle).handle == made.handle
        True
    """
    if not isinstance(ptr, SupportsIndex):
        raise TypeError(f"[external_stream] got {ptr!r}; need an int.")
    handle = ptr.__index__()
    if not 0 <= handle < 2**64:
        raise ValueError(f"[external_stream] got {handle}; need a CUstream's value.")
    return Stream._borrowed(handle)
