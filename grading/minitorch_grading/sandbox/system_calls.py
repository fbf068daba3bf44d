"""Seccomp filter: the refused system calls, and its BPF program.

Seccomp's filter is a program of classic BPF that the kernel runs before each call.
Numbers are those of linux/unistd.h; the man page seccomp(2) describes the rest. Must
not know files, users or limits.
"""

from __future__ import annotations

import errno
import os
import platform
import struct
from pathlib import Path

# AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64; column of the table below.
_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}


def _refused() -> dict[str, tuple[int | None, ...]]:
    text = Path(__file__).with_suffix(".txt").read_text("utf-8")
    rows = [line.split() for line in text.splitlines()[1:] if line[:1].isalpha()]
    return {
        name: tuple(None if number == "-" else int(number) for number in numbers)
        for name, *numbers in rows
    }


#: Calls that are always refused: numbers on x86-64 and on 64-bit ARM, None where a
#: machine has no such call. The file lists them by what they would be used for.
REFUSED = _refused()

# Calls that are refused by their arguments, and the last number that the table knows.
_CLONE, _CLONE3 = (56, 220), 435
_KILL, _TGKILL, _PRLIMIT = (62, 129), (234, 131), (302, 261)
_PRCTL = (157, 167)
_FCNTL, _IOCTL, _MMAP = (72, 25), (16, 29), (9, 222)
_OPEN, _OPENAT, _OPENAT2 = (2, None), (257, 56), 437
_WRITES, _TRUNCATES = 0o3, 0o1000  # O_ACCMODE, O_TRUNC
# Whom a file's news go to as a signal, and which: F_SETOWN, F_SETSIG, F_SETOWN_EX; of
# ioctl FIOSETOWN, SIOCSPGRP, FIOASYNC.
_SIGNALS_OF_FILES = (8, 10, 15)
_SIGNALS_OF_DEVICES = (0x8901, 0x8902, 0x5452)
_SET_FLAGS, _ASYNC = 4, 0o20000  # F_SETFL, O_ASYNC
# MAP_*: RLIMIT_DATA counts neither what is shared nor what grows down.
_SHARED, _ANONYMOUS, _GROWS_DOWN = 0x01, 0x20, 0x100
SET_DEATH_SIGNAL, SET_DUMPABLE = 1, 4  # PR_SET_*
_LAST = 462
_CLONE_THREAD = 0x10000

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06  # BPF_LD | BPF_W | BPF_ABS; ALU; RET
_EQUAL, _ABOVE, _ANY = 0x15, 0x25, 0x45  # BPF_JMP | JEQ, JGT, JSET, against a constant
_ALLOW = 0x7FFF0000  # SECCOMP_RET_ALLOW
_KILL_PROCESS = 0x80000000
_ERROR = 0x00050000  # SECCOMP_RET_ERRNO, with the number of the error
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16  # offsets into struct seccomp_data

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant


def _if_call(number: int, then: list[Instruction]) -> list[Instruction]:
    """Run `then`, which must return, if the loaded call number is `number`."""
    return [(_EQUAL, 0, len(then), number), *then]


def _refuse(error: int) -> Instruction:
    return (_RETURN, 0, 0, _ERROR | error)


def _words(argument: int) -> tuple[int, int]:
    """Return the offsets of the low and high half of an argument (little-endian)."""
    return _ARGUMENTS + 8 * argument, _ARGUMENTS + 8 * argument + 4


def _only_self(pid: int) -> list[Instruction]:
    """Allow a call whose first argument is this process."""
    return [
        (_LOAD, 0, 0, _words(0)[0]),
        (_EQUAL, 0, 1, pid),
        (_RETURN, 0, 0, _ALLOW),
        _refuse(errno.EPERM),
    ]


def _threads_only() -> list[Instruction]:
    return [
        (_LOAD, 0, 0, _words(0)[0]),
        (_ANY, 0, 1, _CLONE_THREAD),
        (_RETURN, 0, 0, _ALLOW),
        _refuse(errno.EPERM),
    ]


def _limits_only_read() -> list[Instruction]:
    """Allow `prlimit64` without new limits: its third argument is NULL."""
    low, high = _words(2)
    return [
        (_LOAD, 0, 0, low),
        (_EQUAL, 0, 3, 0),
        (_LOAD, 0, 0, high),
        (_EQUAL, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        _refuse(errno.EPERM),
    ]


def _neither_survive_nor_show() -> list[Instruction]:
    """Allow `prctl`, except options that let a process outlive the grader or be
    inspected by others.
    """
    return [
        (_LOAD, 0, 0, _words(0)[0]),
        (_EQUAL, 1, 0, SET_DEATH_SIGNAL),
        (_EQUAL, 0, 1, SET_DUMPABLE),
        _refuse(errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _none_of(argument: int, values: tuple[int, ...]) -> list[Instruction]:
    """Refuse a call in which an argument is one of `values`; continue otherwise."""
    last = len(values) - 1
    checks = [
        (_EQUAL, last - n, int(n == last), value) for n, value in enumerate(values)
    ]
    return [(_LOAD, 0, 0, _words(argument)[0]), *checks, _refuse(errno.EPERM)]


def _signals_of_files() -> list[Instruction]:
    """Allow `fcntl`, except commands that make the kernel send signals to other
    processes; Landlock restricts signals only since version 6.
    """
    return [
        *_none_of(1, _SIGNALS_OF_FILES),
        (_LOAD, 0, 0, _words(1)[0]),
        (_EQUAL, 0, 3, _SET_FLAGS),
        (_LOAD, 0, 0, _words(2)[0]),
        (_ANY, 0, 1, _ASYNC),
        _refuse(errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _signals_of_devices() -> list[Instruction]:
    """Allow `ioctl`, except requests that send signals."""
    return [*_none_of(1, _SIGNALS_OF_DEVICES), (_RETURN, 0, 0, _ALLOW)]


def _no_cuts(flags: int) -> list[Instruction]:
    """Allow opening a file, unless it truncates without opening for writing;
    Landlock checks that only since version 3. `flags` is an argument.
    """
    return [
        (_LOAD, 0, 0, _words(flags)[0]),
        (_ANY, 0, 3, _TRUNCATES),
        (_AND, 0, 0, _WRITES),
        (_EQUAL, 1, 0, os.O_WRONLY),
        (_EQUAL, 0, 1, os.O_RDWR),
        (_RETURN, 0, 0, _ALLOW),
        _refuse(errno.EPERM),
    ]


def _counted_memory() -> list[Instruction]:
    """Allow `mmap`, except anonymous memory that no limit counts."""
    return [
        (_LOAD, 0, 0, _words(3)[0]),
        (_ANY, 2, 0, _GROWS_DOWN),
        (_ANY, 0, 2, _ANONYMOUS),
        (_ANY, 0, 1, _SHARED),
        _refuse(errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def supported() -> bool:
    """Return whether the table has this machine's system calls."""
    return platform.machine() in _MACHINES and struct.calcsize("P") == 8


def filter_program(pid: int | None = None) -> bytes:
    """Return the filter as an array of `struct sock_filter`.

    Args:
        pid: Number of the process that may signal itself; this one by default.

    Raises:
        OSError: The table does not know this machine.
    """
    if not supported():
        raise OSError(
            f"[sandbox] the system call filter does not support {platform.machine()}, "
            f"only {', '.join(_MACHINES)}."
        )
    audit, column = _MACHINES[platform.machine()]
    pid = os.getpid() if pid is None else pid
    program: list[Instruction] = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, audit),
        (_RETURN, 0, 0, _KILL_PROCESS),  # calls of another machine have other numbers
        (_LOAD, 0, 0, _NUMBER),
        # Also x32's, whose numbers begin at 2**30, and what later kernels bring.
        (_ABOVE, 0, 1, _LAST),
        _refuse(errno.ENOSYS),
        # The C library falls back to clone, whose flags can be read here.
        *_if_call(_CLONE3, [_refuse(errno.ENOSYS)]),
        *_if_call(_CLONE[column], _threads_only()),
        *_if_call(_KILL[column], _only_self(pid)),
        *_if_call(_TGKILL[column], _only_self(pid)),
        *_if_call(_PRLIMIT[column], _limits_only_read()),
        *_if_call(_PRCTL[column], _neither_survive_nor_show()),
        *_if_call(_FCNTL[column], _signals_of_files()),
        *_if_call(_IOCTL[column], _signals_of_devices()),
        *_if_call(_MMAP[column], _counted_memory()),
        *_if_call(_OPENAT[column], _no_cuts(2)),
        # Its flags lie in memory; the C library does without it.
        *_if_call(_OPENAT2, [_refuse(errno.ENOSYS)]),
    ]
    if (number := _OPEN[column]) is not None:
        program += _if_call(number, _no_cuts(1))
    for numbers in REFUSED.values():
        if (number := numbers[column]) is not None:
            program += _if_call(number, [_refuse(errno.EPERM)])
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)
