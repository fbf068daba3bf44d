"""Host memory of tensors: use, peak, cache."""

from __future__ import annotations

from .. import _core


def memory_stats() -> dict[str, int]:
    """What tensors on `cpu` take, in bytes.

    Returns:
        `in_use` now (in whole blocks, at most an eighth more than the elements take),
        its peak `peak_in_use`, `cached` for reuse, and `requests`, the number of blocks
        that were asked of the system so far.

    Example:
        >>> import minitorch
        >>> before = memory_stats()["in_use"]
        >>> tensor = minitorch.zeros(1000, dtype="float32")
        >>> memory_stats()["in_use"] - before
        4096
    """
    return _core.memory_stats()


def reset_peak_memory() -> None:
    """Reset `peak_in_use` to the memory in use."""
    _core.reset_peak_memory()


def release_cached_memory() -> None:
    """Return cached memory to the system."""
    _core.release_cached_memory()
