"""`minitorch ptx`: what the emulator makes of a kernel, after each of its passes.

Calls the emulator's library by name, as no device is needed.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

from .emulate import emulator_library

# MtCheck of cpp/cuda_abi/inspect.h.
CHECKS = {
    "uninit_global": 1 << 0,
    "uninit_shared": 1 << 1,
    "uninit_local": 1 << 2,
    "race": 1 << 3,
    "all": 0xF,
    "counters": 1 << 16,
    "trace": 1 << 17,
}


def check_bits(names: str) -> int:
    """The checks of a list such as "race,counters" as bits.

    Raises:
        ValueError: a name that is none of CHECKS.
    """
    bits = 0
    for name in filter(None, names.split(",")):
        if name not in CHECKS:
            raise ValueError(
                f"[ptx] got check '{name}'; need one or more of {', '.join(CHECKS)}."
            )
        bits |= CHECKS[name]
    return bits


def program_text(
    ptx: str, after: str, kernel: str | None = None, checks: int = 0
) -> str:
    """List the program that the emulator runs, as one of its passes leaves it.

    Args:
        ptx: the text of a PTX module.
        after: the name of a pass; docs/architecture.md has the list.
        kernel: an entry of the module; None: the first.
        checks: bits of CHECKS; what they look for is put into the program.

    Returns:
        one operation a line, behind the line of the PTX that it comes from.

    Raises:
        ValueError: no such pass or kernel, or text that is not PTX.
    """
    library = ctypes.CDLL(str(emulator_library()))
    text = ctypes.c_char_p()
    failed = library.mtProgramText(
        ptx.encode(),
        kernel.encode() if kernel else None,
        ctypes.c_uint32(checks),
        after.encode(),
        ctypes.byref(text),
    )
    if failed:
        library.mtLastMessage(ctypes.byref(text))
        raise ValueError((text.value or b"").decode())
    return (text.value or b"").decode()


def show(file: str, after: str, kernel: str | None, checks: str) -> int:
    """Print the program of a PTX file.

    Returns:
        exit status: 0, or 2 after a message on stderr.
    """
    try:
        ptx = Path(file).read_text()
        print(program_text(ptx, after, kernel, check_bits(checks)), end="")
    except OSError as error:
        reason = error.strerror or str(error)
        print(f"[ptx] cannot read {file}: {reason}.", file=sys.stderr)
        return 2
    except UnicodeDecodeError:
        print(f"[ptx] got {file}, which is not text; need PTX.", file=sys.stderr)
        return 2
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return 0
