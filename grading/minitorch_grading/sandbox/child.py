"""Start of a confined process: settings, imports, then permanent confinement.

Started by `starting.py`, anew or as a copy. The first message is the grader's own; what
the program needs of this machine is loaded while it may still be read.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import glob
import importlib
import json
import os
import socket
import sys
from typing import Any

from .confine import Rules, confine, die_with_parent
from .frames import Channel, FrameLimits

#: The status of a process that had no memory left to say so.
OUT_OF_MEMORY = 86

_MESSAGE = 1 << 16


def _program(name: str) -> Any:
    room = __package__.rpartition(".")[0]
    return importlib.import_module(f"{room}.{name}.program")


def copies(control: int) -> None:
    """Import the modules of a program; fork this process for each order.

    The original meets nothing of a submission, and ends when the other side has gone.

    Args:
        control: File descriptor of a socket: settings come first, then orders, with
            the files of the copy: requests, replies, stdout, stderr.
    """
    link = socket.socket(fileno=control)
    settings = json.loads(link.recv(_MESSAGE))
    _program(settings["program"]).load(settings)
    # Pages that nobody writes to are shared with all copies.
    gc.collect()
    gc.freeze()
    while True:
        text, files, _, _ = socket.recv_fds(link, _MESSAGE, 4)
        if not text:
            os._exit(0)
        order = json.loads(text)
        if "wait" in order:
            pid, status, usage = os.wait4(order["wait"], order["options"])
            answer = [status, usage.ru_utime + usage.ru_stime] if pid else []
        else:
            original = os.getpid()
            copy = os.fork()
            if not copy:
                link.close()
                break
            answer = [copy]
            for file in files:
                os.close(file)
        link.send(json.dumps(answer).encode())
    _detach(original, files[2:])
    main(files[0], files[1])


def _detach(original: int, outputs: list[int]) -> None:
    """Start a copy: its own session and outputs, and death with its parent."""
    os.setsid()
    die_with_parent()
    if os.getppid() != original:
        os._exit(1)
    for file, target in zip(outputs, (1, 2), strict=True):
        os.dup2(file, target)
        os.close(file)


def main(requests: int, replies: int) -> None:
    """Serve requests until the other side closes the pipe.

    Args:
        requests: File descriptor from which messages come.
        replies: File descriptor for the answers.
    """
    channel = Channel(requests, replies)
    settings = channel.receive().header
    os.chdir(settings["folder"])
    program = _program(settings["program"])
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
    """Load shared libraries of the system that another root folder lacks: those of
    the compiler and of the standard library's modules.
    """
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
