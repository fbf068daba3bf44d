"""Report implicit synchronization, and limit how far the host runs ahead."""

from __future__ import annotations

from ... import _core
from ..tracebacks import learner_frames, learner_methods, warn_at_caller
from .thread_blocks import ThreadBlocks

#: "default", "warn", "error", or 0, 1, 2.
SyncDebugMode = str | int

_NAMES = ("default", "warn", "error")


class SynchronizeWarning(UserWarning):
    """Implicit synchronization, which the program did not ask for."""


def _mode_of(mode: SyncDebugMode, where: str) -> _core.SyncDebug:
    if isinstance(mode, bool) or not isinstance(mode, str | int):
        raise TypeError(
            f"[{where}] got {mode!r}; need 'default', 'warn' or 'error', or 0, 1, 2."
        )
    if isinstance(mode, int) and 0 <= mode < len(_NAMES):
        mode = _NAMES[mode]
    if mode not in _NAMES:
        raise ValueError(
            f"[{where}] got {mode!r}; need 'default', 'warn' or 'error', or 0, 1, 2."
        )
    result: _core.SyncDebug = getattr(_core.SyncDebug, str(mode))
    return result


@learner_frames
def set_sync_debug_mode(debug_mode: SyncDebugMode) -> None:
    """Set how implicit synchronization is reported, in all threads.

    Such calls read values (`item`, `float`, `print`, `numpy`, `t[3]`, a mask), copy
    much pageable memory, queue into a full queue, or hand arrays to another library.
    `with sync_debug_mode(...)` does the same for a block. An explicit `synchronize` is
    never reported, nor is the wait of page-locked memory that is freed.

    Args:
        debug_mode: "default" or 0: nothing; "warn" or 1: a `SynchronizeWarning` at the
            line; "error" or 2: RuntimeError there, before the wait.

    Raises:
        TypeError: Neither a text nor an integer.
        ValueError: Another mode.

    Example:
        >>> from minitorch import cuda
        >>> cuda.set_sync_debug_mode("warn")
        >>> cuda.get_sync_debug_mode()
        1
        >>> cuda.set_sync_debug_mode(0)
    """
    _core.set_sync_debug(_mode_of(debug_mode, "set_sync_debug_mode"))


def get_sync_debug_mode() -> int:
    """Return the mode of this thread: 0 default, 1 warn, 2 error.

    Example:
        >>> from minitorch import cuda
        >>> cuda.get_sync_debug_mode()
        0
    """
    return int(_core.sync_debug())


@learner_methods
class sync_debug_mode:
    """Set how implicit synchronization is reported, within a `with` block.

    Args:
        debug_mode: As `set_sync_debug_mode` takes it.

    Raises:
        TypeError: Neither a text nor an integer.
        ValueError: Another mode.

    Example:
        >>> import minitorch
        >>> from minitorch import cuda
        >>> x = minitorch.ones((2, 3), device="cuda")
        >>> with cuda.sync_debug_mode("error"):
        ...     y = (x * 2).sum()
        >>> y.item()
        12.0
    """

    @learner_frames
    def __init__(self, debug_mode: SyncDebugMode) -> None:
        self._mode = _mode_of(debug_mode, "sync_debug_mode")
        self._former: ThreadBlocks[_core.SyncDebug | None]
        self._former = ThreadBlocks("sync_debug_mode")

    def __enter__(self) -> None:
        self._former.begin(_core.set_thread_sync_debug(self._mode))

    def __exit__(self, *error: object) -> None:
        _core.set_thread_sync_debug(self._former.end())


@learner_frames
def queue_limit(limit: int | None = None) -> int:
    """Return, or set, how much work the host may queue in one stream.

    Launches, copies, fills and replays of graphs count. When a stream has so many, the
    next one waits until an old one is done; Ctrl-C ends that wait. A small limit shows
    on a small program how launching takes as long as the work once a queue is full.

    Args:
        limit: 1 to 960, what a stream may have from now on; None leaves it.

    Returns:
        The limit before the call; 960 at the start.

    Raises:
        TypeError: No integer.
        ValueError: Less than 1, or more than 960.

    Example:
        >>> from minitorch import cuda
        >>> former = cuda.queue_limit(8)
        >>> cuda.queue_limit()
        8
        >>> cuda.queue_limit(former)
        8
    """
    former = _core.queue_limit()
    if limit is None:
        return former
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise TypeError(f"[queue_limit] got {limit!r}; need an int from 1 to 960.")
    if not 0 <= limit < 2**31:
        raise ValueError(f"[queue_limit] got {limit}; need 1 to 960.")
    _core.set_queue_limit(limit)
    return former


_core.set_sync_warning_hook(lambda text: warn_at_caller(text, SynchronizeWarning))
