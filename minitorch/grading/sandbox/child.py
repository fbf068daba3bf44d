"""Owns the first steps of a confined process: settings, own programs, then no way back.

Started by `process.py`. The first message is the grader's own; what the program needs
of this machine is loaded while it may still be read. Must not know what it answers.
"""

from __future__ import annotations

import contextlib
import ctypes
import glob
import importlib
import os
import sys
from typing import Any

from .confine import Rules, confine
from .frames import Channel, FrameLimits

#: The status of a process that had no memory left to say so.
OUT_OF_MEMORY = 86


def main(requests: int, replies: int) -> None:
    """Serves requests until the other side closes the pipe.

    Args:
        requests: File descriptor from which messages come.
        replies: File descriptor for the answers.
    """
    channel = Channel(requests, replies)
    settings = channel.receive().header
    os.chdir(settings["folder"])
    name = f"{__package__.rpartition('.')[0]}.{settings['program']}.program"
    program = importlib.import_module(name)
    program.prepare(settings)
    rules = Rules(**settings["rules"])
    if rules.root:
        _load_system_libraries(settings["nvrtc"])
    confine(rules)
    os.chdir(settings["folder"])  # again: the root folder may be another one
    channel.reply({"ready": True, "level": rules.level})
    channel = Channel(requests, replies, FrameLimits(**settings["limits"]))
    sys.exit(_serve(program, channel))


def _load_system_libraries(nvrtc: str) -> None:
    """Loads shared libraries of the system, which another root folder does not have:
    those of the compiler and of the standard library's own modules."""
    modules = [
        path
        for folder in sys.path
        if os.path.basename(folder) == "lib-dynload"
        for path in sorted(glob.glob(os.path.join(folder, "*.so")))
    ]
    for path in [nvrtc, *modules] if nvrtc else modules:
        with contextlib.suppress(OSError):  # one that is not there is missed by import
            ctypes.CDLL(path)


def _serve(program: Any, channel: Channel) -> int:
    while True:
        try:
            request = channel.receive()
        except EOFError:
            # Nothing that the process still wants to do at its end matters.
            os._exit(0)
        try:
            header, arrays = program.answer(request.header, request.arrays)
            del request
            with contextlib.suppress(Exception):  # a submission may have replaced it
                sys.stdout.flush()
            channel.reply(header, arrays)
            del header, arrays
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
