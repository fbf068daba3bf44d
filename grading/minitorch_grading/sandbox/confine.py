"""Confine the current process permanently; Linux only.

Landlock (files, signals, network), seccomp (system calls), limits, and another user. A
process does this to itself before it reads anything that is not the grader's; nothing
of it can be undone.
"""

from __future__ import annotations

import ctypes
import os
import resource
import stat
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from . import system_calls

# Numbers of the calls are the same on every machine that Linux calls 64-bit.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1  # LANDLOCK_CREATE_RULESET_VERSION
_PATH_BENEATH = 1  # LANDLOCK_RULE_PATH_BENEATH

# LANDLOCK_ACCESS_FS_*, bit by bit, and since which version of the interface.
_WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 14
_FIRST_RIGHTS = (1 << 13) - 1  # execute, write, read, remove and make of each kind
_LATER_RIGHTS = {2: 1 << 13, 3: _TRUNCATE, 5: 1 << 15}  # refer, truncate, ioctl
_NET_RIGHTS = {4: 3}  # bind and connect by TCP
_SCOPES = {6: 3}  # abstract sockets, signals: not beyond this process and its children

_SET_SECCOMP = 22  # PR_SET_SECCOMP
_SET_NO_NEW_PRIVILEGES = 38
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
_MOST_STACK = 64 << 20

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Rules:
    """What is left to a process.

    Attributes:
        level: "confined", "uid" or "process".
        reads: Files and folders that it may read; what is not there is left out.
        user: Number of the user and group that it becomes, at level "uid".
        root: The folder that becomes its root folder, at level "uid"; "" for none.
        memory: Bytes of its own that it may fill, beside what it has already.
        addresses: Bytes of addresses, beside what it has already.
        processor_seconds: Of all its threads.
        files: How many it may have open.
    """

    level: str
    reads: Sequence[str] = ()
    user: int = 0
    root: str = ""
    memory: int = 1 << 30
    addresses: int = 4 << 30
    processor_seconds: int = 120
    files: int = 32


def _checked(result: int, action: str) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"[sandbox] {action}: {os.strerror(error)}")
    return result


def _control(option: int, value: int, more: int = 0) -> None:
    unused = ctypes.c_ulong(0)
    values = (ctypes.c_ulong(value), ctypes.c_ulong(more), unused, unused)
    _checked(_libc.prctl(option, *values), f"prctl {option}")


def die_with_parent() -> None:
    """Let Linux end this process together with the thread that started it."""
    if sys.platform.startswith("linux"):
        _control(system_calls.SET_DEATH_SIGNAL, 9)


def landlock_version() -> int:
    """Return the version of Landlock's interface, or 0 if the kernel has none."""
    if not sys.platform.startswith("linux"):
        return 0
    none = ctypes.c_void_p(None)
    return max(0, int(_libc.syscall(_CREATE_RULESET, none, 0, _VERSION)))


def _known(rights: dict[int, int], version: int) -> int:
    return sum(bits for since, bits in rights.items() if version >= since)


def _allow(ruleset: int, path: str, rights: int) -> None:
    """Add a rule to the ruleset; ignore a path that does not exist."""
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(file).st_mode):
            rights &= ~_READ_DIR
        rule = struct.pack("=Qi", rights, file)
        done = _libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
        _checked(done, f"Landlock's rule for {path}")
    finally:
        os.close(file)


def restrict_files(reads: Sequence[str]) -> None:
    """Restrict this process to reading the listed paths; it may write nothing.

    Raises:
        OSError: The kernel has no Landlock, or it is switched off.
    """
    version = landlock_version()
    if not version:
        raise OSError("[sandbox] this kernel has no Landlock, or it is switched off.")
    files = _FIRST_RIGHTS | _known(_LATER_RIGHTS, version)
    handled = (files, _known(_NET_RIGHTS, version), _known(_SCOPES, version))
    size = 8 if version < 4 else 16 if version < 6 else 24
    attributes = struct.pack("=QQQ", *handled)[:size]
    created = _libc.syscall(_CREATE_RULESET, attributes, size, 0)
    ruleset = _checked(created, "Landlock's rules")
    try:
        for path in reads:
            _allow(ruleset, path, _READ_FILE | _READ_DIR)
        _allow(ruleset, os.devnull, _READ_FILE | _WRITE_FILE)
        _checked(_libc.syscall(_RESTRICT_SELF, ruleset, 0), "Landlock")
    finally:
        os.close(ruleset)


def restrict_calls() -> None:
    """Refuse other programs, processes, sockets and mounts; threads are allowed.

    Raises:
        OSError: The kernel refuses the filter, or the machine is another one.
    """
    program = system_calls.filter_program()
    buffer = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: how many instructions, padding, where.
    fprog = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    described = ctypes.create_string_buffer(fprog, len(fprog))
    address = ctypes.addressof(described)
    _control(_SET_SECCOMP, _SECCOMP_MODE_FILTER, address)


def drop_capabilities() -> None:
    """Drop all capabilities, if the process has any."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    _checked(_libc.capset(header, bytes(24)), "capset")


def become(user: int, root: str) -> None:
    """Change from root to `user`, in a group of the same number, permanently.

    Raises:
        PermissionError: This process is not root's.
    """
    if root:
        os.chroot(root)
        os.chdir("/")
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def _used_memory() -> tuple[int, int]:
    """Return this process's bytes of address space and of private memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        numbers = [int(part) for part in file.read().split()]
    page = os.sysconf("SC_PAGE_SIZE")
    return numbers[0] * page, numbers[5] * page


def limit(rules: Rules) -> None:
    """Set the resource limits of `rules`, which cannot be raised afterwards."""
    addresses, private = _used_memory()
    seconds = rules.processor_seconds
    stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
    stack = _MOST_STACK if stack == resource.RLIM_INFINITY else stack
    limits = {
        resource.RLIMIT_CPU: (seconds, seconds + 1),
        resource.RLIMIT_AS: (addresses + rules.addresses,) * 2,
        resource.RLIMIT_DATA: (private + rules.memory,) * 2,
        # Files of its own could only be in memory, where nothing counts them.
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_STACK: (min(stack, _MOST_STACK),) * 2,
        resource.RLIMIT_NOFILE: (rules.files,) * 2,
        resource.RLIMIT_CORE: (0, 0),
    }
    for kind, (soft, hard) in limits.items():
        highest = resource.getrlimit(kind)[1]
        if highest != resource.RLIM_INFINITY:
            soft, hard = min(soft, highest), min(hard, highest)
        resource.setrlimit(kind, (soft, hard))


def _refuse_threads() -> None:
    """Raise if the process has several threads: rules would not hold for the others."""
    count = len(os.listdir("/proc/self/task"))
    if count != 1:
        raise OSError(
            f"[sandbox] the process has {count} threads; need 1, because file rules do "
            "not apply to the others."
        )


def confine(rules: Rules) -> None:
    """Apply all restrictions of `rules` to this process, permanently.

    Raises:
        OSError: A part of it cannot be had here: then the process must not go on. Or
            it has threads already, for which nothing would hold.
        ValueError: The level is unknown.
    """
    if rules.level not in ("confined", "uid", "process"):
        raise ValueError(
            f"[sandbox] got level {rules.level!r}; need confined, uid or process."
        )
    if rules.level != "process":
        _refuse_threads()
    limit(rules)
    if rules.level == "uid":
        become(rules.user, rules.root)
    # Behind the change of user, which forgets both: die with the parent, and be closed
    # to others of the same user.
    die_with_parent()
    if sys.platform.startswith("linux"):
        _control(system_calls.SET_DUMPABLE, 0)
        _control(_SET_NO_NEW_PRIVILEGES, 1)
    if rules.level == "process":
        return
    drop_capabilities()
    if rules.level == "confined":
        restrict_files(rules.reads)
    restrict_calls()
