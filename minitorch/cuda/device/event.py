"""Events: points in the order of a stream."""

from __future__ import annotations

from ... import _core
from ..tracebacks import learner_frames, learner_methods
from .stream import StreamLike, connect_events, named_stream


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
        if not isinstance(evtend, Event):
            raise TypeError(f"[elapsed_time] got {evtend!r}; need a cuda.Event.")
        for event in (self, evtend):
            if not event._timing or not event._recorded:
                reason = "made with timing=False" if event._recorded else "not recorded"
                raise ValueError(f"[elapsed_time] got an event {reason}.")
        return evtend._core.elapsed_since(self._core)


connect_events(Event)


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


@learner_frames
def event_elapsed_time(evtstart: Event, evtend: Event) -> float:
    """Return milliseconds between two recorded events.

    Args:
        evtstart: The first event.
        evtend: The second event.

    Raises:
        TypeError: No events.

    Example:
        >>> from minitorch import cuda
        >>> start, end = cuda.event(), cuda.event()
        >>> start.record(), end.record(), end.synchronize()
        (None, None, None)
        >>> cuda.event_elapsed_time(start, end) >= 0
        True
    """
    if not isinstance(evtstart, Event):
        raise TypeError(f"[event_elapsed_time] got {evtstart!r}; need a cuda.Event.")
    return evtstart.elapsed_time(evtend)
