"""Owns when a result is still good: one key of all that it follows from.

Must not know results.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import platform
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .submissions import hash_of


def versions() -> dict[str, str]:
    """Of what the grader is made; other versions may count or round otherwise."""
    from ... import __version__, _core

    return {
        "minitorch_cuda": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "nvrtc": str(_core.nvrtc_version()),
    }


def bundle_hash(assignment: Path) -> str:
    """SHA-256 of an assignment's folder and of those that it needs, beside it.

    Raises:
        ValueError: no assignment.toml there, or one that is no TOML.
    """
    digest = hashlib.sha256()
    folders, seen = [assignment], set()
    while folders:
        folder = folders.pop(0)
        if folder.resolve() in seen:
            continue
        seen.add(folder.resolve())
        digest.update(bytes.fromhex(hash_of(folder)))
        # A released assignment has the earlier ones inside itself.
        beside = [folder.parent / name for name in _needs(folder)]
        folders += [each for each in beside if each.is_dir()]
    return digest.hexdigest()


def _needs(folder: Path) -> list[str]:
    path = folder / "assignment.toml"
    try:
        facts = tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise ValueError(f"[grade] got {error}; need an assignment's folder.") from None
    except ValueError as error:
        raise ValueError(f"[{path}] got no TOML: {error}; need TOML.") from None
    return [str(name) for name in facts.get("needs", [])]


def result_key(
    submission: str,
    bundle: str,
    secret: bytes,
    level: str | None,
    made_of: Mapping[str, Any],
) -> str:
    """The key of a result: equal keys give equal reports but for times.

    Args:
        submission: its hash.
        bundle: `bundle_hash` of the assignment.
        secret: what the inputs follow from; the key does not give it away.
        level: the isolation that is asked for.
        made_of: `versions`.

    Example:
        >>> one = result_key("00", "11", b"s" * 32, None, {})
        >>> one == result_key("00", "11", b"s" * 32, None, {})
        True
        >>> one == result_key("00", "11", b"t" * 32, None, {})
        False
    """
    told = json.dumps([submission, bundle, level, sorted(made_of.items())])
    return hmac.new(secret, told.encode(), "sha256").hexdigest()
