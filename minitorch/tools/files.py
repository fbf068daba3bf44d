"""Write files as a whole or not at all."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4


def write_atomically(target: Path, data: bytes) -> None:
    """Write a file under a temporary name, then rename it.

    Raises:
        OSError: it cannot be written; what was there before stays.
    """
    draft = target.with_name(f".{target.name}.{uuid4().hex}")
    try:
        draft.write_bytes(data)
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
