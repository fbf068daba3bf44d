"""Run a program in CUDA C++ within Python, and keep records of its launches.

The program is a shared library. Its main runs on this process's thread, so that the
emulator can tell its launches.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import signal
import threading
from pathlib import Path

from ..cuda import KernelError, inspect
from ..cuda.python_kernels.launch_process import TABLES

_MAX_LAUNCHES = 16


def main(library: str, records: str, *arguments: str) -> None:
    """Run the program, and end the process with its exit status.

    Args:
        library: the program.
        records: file for the records of its last launches, a pickled list.
        arguments: of the program.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    libc = ctypes.CDLL(None)
    run = inspect(trace=True, most_launches=_MAX_LAUNCHES)
    run.__enter__()
    assert run._core is not None
    run._core.include_other_clients()

    def keep() -> None:
        with contextlib.suppress(KernelError):  # of a finding that is reported already
            run.__exit__(None, None, None)
        rows = [
            {name: getattr(launch._core, name)() for name in TABLES}
            for launch in run.launches
        ]
        draft = Path(f"{records}.draft")
        draft.write_bytes(pickle.dumps(rows))
        draft.replace(records)

    def keep_apart(_: int | None) -> None:
        thread = threading.Thread(target=keep)  # this one's own data is gone already
        thread.start()
        thread.join()

    # At exit, which the program may call itself, and before the runtime library ends.
    at_exit = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(keep_apart)
    program = ctypes.CDLL(library)
    libc.__cxa_atexit(at_exit, None, None)
    words = [os.fsencode(word) for word in (library, *arguments)]
    argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    libc.exit(program.main(len(words), argv))
