"""Secret inputs: a random generator for each row, seeded by the teacher's secret.

The same secret, assignment and row give the same numbers on every machine; without the
secret nobody can say which.
"""

from __future__ import annotations

import hmac
import secrets
from pathlib import Path

import numpy as np

from .assignment import AssignmentError

__all__ = ["generator", "new_secret", "nonce", "read_secret"]

FEWEST_BYTES = 16


def new_secret() -> bytes:
    """Return a new secret: 64 hexadecimal digits.

    Example:
        >>> len(new_secret())
        64
    """
    return secrets.token_hex(32).encode()


def read_secret(path: str | Path) -> bytes:
    """Return the secret in a file, without the line end.

    Raises:
        AssignmentError: No such file, or fewer than 16 bytes in it.
    """
    try:
        secret = Path(path).read_bytes().strip()
    except OSError as error:
        raise AssignmentError(
            f"[secret] got {path}: {error.strerror}; need the file that "
            "`minitorch course new` made."
        ) from None
    return checked(secret, str(path))


def checked(secret: bytes, where: str = "the secret") -> bytes:
    """Return the secret; raise if it is too short.

    Raises:
        AssignmentError: It is not.
    """
    if len(secret) < FEWEST_BYTES:
        raise AssignmentError(
            f"[secret] got {len(secret)} bytes in {where}; need {FEWEST_BYTES} or more."
        )
    return secret


def _digest(secret: bytes, *words: str) -> bytes:
    message = b"".join(f"{len(word)}:{word}".encode() for word in words)
    return hmac.digest(secret, b"minitorch.grade/1:" + message, "sha256")


def generator(secret: bytes, assignment: str, row: str) -> np.random.Generator:
    """Random numbers of one row: HMAC(secret, assignment, row) seeds a PCG64.

    Example:
        >>> a, b = (generator(b"s" * 16, "m3", "3.3-zip") for _ in range(2))
        >>> bool(a.normal() == b.normal())
        True
    """
    seed = int.from_bytes(_digest(secret, "inputs", assignment, row), "big")
    return np.random.Generator(np.random.PCG64(seed))


def nonce(secret: bytes, *words: str) -> str:
    """Return an unguessable word that depends on the secret and on `words`."""
    return _digest(secret, "nonce", *words).hex()[:32]
