"""Secret inputs: a random generator for each row, seeded by the teacher's secret.

The same secret, assignment and row give the same numbers on every machine; without the
secret nobody can say which.
"""

from __future__ import annotations

import hmac
from pathlib import Path

import numpy as np

from ..errors import AssignmentError

FEWEST_BYTES = 16


def read_secret(path: str | Path) -> bytes:
    """Return the secret in a file, without the line end.

    Raises:
        AssignmentError: No such file, or fewer than 16 bytes in it.
    """
    try:
        secret = Path(path).read_bytes().strip()
    except OSError as error:
        raise AssignmentError(
            f"[secret] cannot read {path}: {error.strerror}; need the secret from "
            "`minitorch course new`."
        ) from None
    return checked(secret, str(path))


def checked(secret: bytes, where: str = "the secret") -> bytes:
    """Return the secret; raise if it is too short.

    Raises:
        AssignmentError: It is not.
    """
    if len(secret) < FEWEST_BYTES:
        raise AssignmentError(
            f"[secret] {where} has {len(secret)} bytes; need at least {FEWEST_BYTES}."
        )
    return secret


def generator(secret: bytes, assignment: str, row: str) -> np.random.Generator:
    """Random numbers of one row: HMAC(secret, assignment, row) seeds a PCG64.

    Example:
        >>> a, b = (generator(b"s" * 16, "m3", "3.3-zip") for _ in range(2))
        >>> bool(a.normal() == b.normal())
        True
    """
    words = ("inputs", assignment, row)
    message = "minitorch.grade/1:" + "".join(f"{len(word)}:{word}" for word in words)
    seed = int.from_bytes(hmac.digest(secret, message.encode(), "sha256"), "big")
    return np.random.Generator(np.random.PCG64(seed))
