"""`torch.backends`: switches of PyTorch's libraries, which have no effect here.

They can be read and set, so that programs run; nothing hangs on them.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

from ..backends import cudnn

__all__ = ["cuda", "cudnn", "mps"]

# `import torch.backends.cudnn as cudnn`, as programs write it.
sys.modules[f"{__name__}.cudnn"] = cudnn  # type: ignore[assignment]

cuda = SimpleNamespace(
    matmul=SimpleNamespace(allow_tf32=False),
    is_built=lambda: True,
)
mps = SimpleNamespace(is_available=lambda: False, is_built=lambda: False)


def __dir__() -> list[str]:
    return sorted(__all__)
