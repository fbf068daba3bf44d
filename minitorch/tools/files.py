"""Write files as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def write_atomically(target: Path, data: bytes) -> None:
    """Write a file under a temporary name, then rename it.

    Raises:
        OSError: it cannot be written; what was there before stays.
    """
    number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with open(number, "wb") as file:
            file.write(data)
        os.chmod(name, 0o666 & ~_mask())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _mask() -> int:
    """Return this process's umask."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
