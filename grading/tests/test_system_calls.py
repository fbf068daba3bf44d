"""Tests the filter of system calls against the kernel's own tables."""

from __future__ import annotations

import fcntl
import mmap
import os
import platform
import re
import struct
import termios
from pathlib import Path

import pytest

from minitorch_grading.sandbox import system_calls
from minitorch_grading.sandbox.system_calls import REFUSED, filter_program

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
# What younger headers than Debian 12's have, or what is spelled in another way there.
UNSEEN = {"fchmodat2", "name_to_handle_at", "open_by_handle_at"}


def numbers(machine: str) -> dict[str, int]:
    path = HEADERS[machine]
    if not path.exists():
        pytest.skip(f"{path} is not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", path.read_text())
    return {name: int(number) for name, number in found}


@pytest.mark.parametrize(("column", "machine"), list(enumerate(HEADERS)))
def test_numbers_are_the_kernels(column, machine):
    known = numbers(machine)
    assert len(REFUSED) > 120
    for name, ours in REFUSED.items():
        if name not in UNSEEN:
            assert known.get(name) == ours[column], name
    assert known["clone"] == system_calls._CLONE[column]
    assert known["kill"] == system_calls._KILL[column]
    assert known["tgkill"] == system_calls._TGKILL[column]
    assert known["prlimit64"] == system_calls._PRLIMIT[column]
    assert known["clone3"] == system_calls._CLONE3
    assert known["fcntl"] == system_calls._FCNTL[column]
    assert known["ioctl"] == system_calls._IOCTL[column]
    assert known["mmap"] == system_calls._MMAP[column]
    assert known.get("open") == system_calls._OPEN[column]
    assert known["openat"] == system_calls._OPENAT[column]
    assert known["openat2"] == system_calls._OPENAT2


def run(program: bytes, number: int, arguments=(0,) * 6, machine=0xC000003E) -> int:
    """What the kernel would answer: the few instructions of BPF that the filter has."""
    data = struct.pack("<IIQ6Q", number, machine, 0, *arguments)
    steps = list(struct.iter_unpack("<HBBI", program))
    value, at = 0, 0
    while True:
        code, yes, no, constant = steps[at]
        at += 1
        if code == 0x06:
            return constant
        if code == 0x20:
            (value,) = struct.unpack_from("<I", data, constant)
        elif code == 0x54:
            value &= constant
        else:
            compare = {0x15: int.__eq__, 0x25: int.__gt__, 0x45: int.__and__}[code]
            at += yes if compare(value, constant) else no


ALLOWED, PERMISSION, NO_SUCH_CALL, KILLED = 0x7FFF0000, 0x50001, 0x50026, 0x80000000


@pytest.fixture
def program(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    return filter_program(pid=1234)


def test_each_refused_call_is_refused(program):
    for name, (number, _) in REFUSED.items():
        assert run(program, number) == PERMISSION, name


def test_calls_are_judged_by_their_arguments(program):
    thread, process = 0x3D0F00, 0x1200011  # glibc's flags of threads and of fork
    assert run(program, 56, (thread, 0, 0, 0, 0, 0)) == ALLOWED
    assert run(program, 56, (process, 0, 0, 0, 0, 0)) == PERMISSION
    assert run(program, 435) == NO_SUCH_CALL
    for call in (62, 234):
        assert run(program, call, (1234, 9, 0, 0, 0, 0)) == ALLOWED
        for other in (1, 0, 2**32 - 1, 2**64 - 1, 1235):
            assert run(program, call, (other, 9, 0, 0, 0, 0)) == PERMISSION
    assert run(program, 302, (0, 7, 0, 99, 0, 0)) == ALLOWED
    assert run(program, 302, (0, 7, 1 << 32, 0, 0, 0)) == PERMISSION
    assert run(program, 302, (0, 7, 16, 0, 0, 0)) == PERMISSION
    name, death_signal, dumpable = 15, 1, 4  # PR_SET_*
    assert run(program, 157, (name, 0, 0, 0, 0, 0)) == ALLOWED
    for option in (death_signal, dumpable):
        assert run(program, 157, (option, 0, 0, 0, 0, 0)) == PERMISSION


def test_no_file_sends_signals(program):
    for command in (fcntl.F_GETFL, fcntl.F_DUPFD, fcntl.F_GETOWN, 1031):
        assert run(program, 72, (3, command, 0, 0, 0, 0)) == ALLOWED
    set_owner_ex = 15
    for command in (fcntl.F_SETOWN, fcntl.F_SETSIG, set_owner_ex):
        assert run(program, 72, (3, command, 1, 0, 0, 0)) == PERMISSION
        assert run(program, 72, (3, command | 1 << 32, 1, 0, 0, 0)) == PERMISSION
    for flags, answer in ((os.O_NONBLOCK, ALLOWED), (os.O_ASYNC, PERMISSION)):
        assert run(program, 72, (3, fcntl.F_SETFL, flags, 0, 0, 0)) == answer
        assert run(program, 72, (3, fcntl.F_GETFL, flags, 0, 0, 0)) == ALLOWED
    set_owner, set_group, be_async = 0x8901, 0x8902, 0x5452
    for command in (set_owner, set_group, be_async):
        assert run(program, 16, (3, command, 1, 0, 0, 0)) == PERMISSION
    assert run(program, 16, (3, termios.FIONREAD, 1, 0, 0, 0)) == ALLOWED


def test_who_does_not_write_does_not_cut(program):
    for number, place in ((2, 1), (257, 2)):
        for flags, answer in (
            (os.O_RDONLY, ALLOWED),
            (os.O_WRONLY | os.O_TRUNC, ALLOWED),  # of /dev/null; else Landlock refuses
            (os.O_RDWR | os.O_TRUNC, ALLOWED),
            (os.O_RDONLY | os.O_TRUNC, PERMISSION),
            (os.O_ACCMODE | os.O_TRUNC, PERMISSION),
        ):
            arguments = [0] * 6
            arguments[place] = flags
            assert run(program, number, arguments) == answer
    assert run(program, 437) == NO_SUCH_CALL


def test_memory_without_a_file_belongs_to_one_process(program):
    grows_down = 0x100
    for flags in (mmap.MAP_SHARED, 3, mmap.MAP_PRIVATE | grows_down):
        flags |= mmap.MAP_ANONYMOUS
        assert run(program, 9, (0, 4096, 3, flags, 2**64 - 1, 0)) == PERMISSION
    for flags in (mmap.MAP_SHARED, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS):
        assert run(program, 9, (0, 4096, 3, flags, 3, 0)) == ALLOWED


def test_other_machines_and_unknown_calls_are_refused(program):
    assert run(program, 1, machine=0x40000003) == KILLED  # 32-bit calls
    assert run(program, 1 | 1 << 30) == NO_SUCH_CALL  # x32
    assert run(program, 463) == NO_SUCH_CALL
    assert run(program, 0) == run(program, 1) == run(program, 202) == ALLOWED


def test_a_machine_without_a_table_is_told(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert not system_calls.supported()
    with pytest.raises(OSError, match="does not support riscv64"):
        filter_program()
