"""Owns the name `torch.cuda.amp`; what is in it is `torch.amp`'s."""

from __future__ import annotations

from typing import Any

from .. import amp

__all__ = ["GradScaler", "autocast"]


def __dir__() -> list[str]:
    return sorted(__all__)


class autocast(amp.autocast):
    """`torch.amp.autocast("cuda")`."""

    def __init__(
        self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True
    ) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`torch.amp.GradScaler("cuda")`."""

    def __init__(self, *values: Any, **options: Any) -> None:
        super().__init__("cuda", *values, **options)
