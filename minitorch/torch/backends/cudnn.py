"""`torch.backends.cudnn`: switches without effect."""

from __future__ import annotations

enabled = False
benchmark = False
deterministic = True  # one order of sums, whatever is asked for
allow_tf32 = False


def is_available() -> bool:
    """Return False: the library has kernels of its own."""
    return False


def version() -> int | None:
    """Return None: there is no cuDNN."""
    return None
