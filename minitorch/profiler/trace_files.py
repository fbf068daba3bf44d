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
    worker_name: str | None = None,
    use_gzip: bool = False,
) -> Callable[[profile], None]:
    """Make a handler for `on_trace_ready` that writes Chrome traces into a folder.

    Args:
        dir_name: the folder; it is made if it is not there.
        worker_name: how files begin; None: "<host>_<process>".
        use_gzip: compress the files.

    Returns:
        A function that writes `<worker_name>.<nanoseconds>.pt.trace.json`, or `.gz`,
        as PyTorch's does.

    Raises:
        TypeError: names that are no texts.
        ValueError: a worker whose name is a path: files go into the folder.
        RuntimeError: by the handler, where the folder cannot be made.

    Example:
        >>> import os, tempfile
        >>> from minitorch.profiler import profile, tensorboard_trace_handler
        >>> folder = tempfile.mkdtemp()
        >>> with profile(on_trace_ready=tensorboard_trace_handler(folder, "me")):
        ...     pass
        >>> [name.split(".")[0] for name in os.listdir(folder)]
        ['me']
    """
    if isinstance(dir_name, os.PathLike):
        dir_name = os.fspath(dir_name)
    for name, value in (("dir_name", dir_name), ("worker_name", worker_name)):
        if not isinstance(value, str) and (name == "dir_name" or value is not None):
            raise TypeError(
                f"[tensorboard_trace_handler] got {name} {value!r}; need a string."
            )

    if worker_name is not None and ("/" in worker_name or os.sep in worker_name):
        raise ValueError(
            f"[tensorboard_trace_handler] got worker_name {worker_name!r}; a name must "
            "not contain a folder. Use dir_name for the folder."
        )

    def write(prof: profile) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError(
                f"[tensorboard_trace_handler] cannot create the folder {dir_name!r}: "
                f"{error.strerror}."
            ) from None
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        ending = ".gz" if use_gzip else ""
        # Nanoseconds, so that no file takes another's name.
        file = f"{worker}.{time.time_ns()}.pt.trace.json{ending}"
        prof.export_chrome_trace(os.path.join(dir_name, file))

    return write
