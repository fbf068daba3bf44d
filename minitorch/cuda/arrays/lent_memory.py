"""Device memory that another object owns, such as a tensor."""

from __future__ import annotations

from typing import Any


class LentMemory:
    """Device memory kept alive by its owner.

    Args:
        pointer: Its address.
        device_id: Which open driver it belongs to.
        owner: Kept until the memory is given back.
    """

    def __init__(self, pointer: int, device_id: int, owner: Any) -> None:
        self.pointer = pointer
        self.device_id = device_id
        self.freed = False
        self._owner = owner

    def free(self) -> None:
        """Release the owner; the memory must not be used afterwards."""
        self.freed = True
        self._owner = None
