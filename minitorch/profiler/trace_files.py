"""A handler that writes each cycle to a file."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable

from ..cuda.tracebacks import learner_frames
from .profile import profile


@learner_frames
def tensorboard_trace_handler(
    dir_name: str | os.PathLike[str],
) -> Callable[[profile], None]:
    """Make a handler for `on_trace_ready` that writes Chrome traces into a folder.

    Args:
        dir_name: the folder; it is made if it is not there.

    Returns:
        A function that writes `<host>_<process>.<nanoseconds>.pt.trace.json`, as
        PyTorch's does.

    Raises:
        TypeError: a folder's name that is no text.
        RuntimeError: by the handler, where the folder cannot be made.

    Example:
        >>> import os, tempfile
        >>> from minitorch.profiler import profile, tensorboard_trace_handler
        >>> folder = tempfile.mkdtemp()
        >>> with profile(on_trace_ready=tensorboard_trace_handler(folder)):
        ...     pass
        >>> [name.split(".", 2)[2] for name in os.listdir(folder)]
        ['pt.trace.json']
    """
    if isinstance(dir_name, os.PathLike):
        dir_name = os.fspath(dir_name)
    if not isinstance(dir_name, str):
        raise TypeError(
            f"[tensorboard_trace_handler] got dir_name {dir_name!r}; need a string."
        )

    def write(prof: profile) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError(
                f"[tensorboard_trace_handler] cannot create the folder {dir_name!r}: "
                f"{error.strerror}."
            ) from None
        # Nanoseconds, so that no file takes another's name.
        worker = f"{socket.gethostname()}_{os.getpid()}.{time.time_ns()}"
        file = f"{worker}.pt.trace.json"
        prof.export_chrome_trace(os.path.join(dir_name, file))

    return write
