"""Versions of CUDA, under Numba's names."""

from __future__ import annotations

from ... import _core
from ..errors import CudaError
from ..tracebacks import learner_methods


@learner_methods
class Runtime:
    """Toolkit that compiles kernels: NVRTC."""

    def get_version(self) -> tuple[int, int]:
        """Major and minor version.

        Raises:
            CudaError: There is no NVRTC.

        Example:
            >>> from minitorch import cuda
            >>> cuda.runtime.get_version() >= (11, 0)
            True
        """
        version = _core.nvrtc_version()
        return version // 1000, version % 1000

    def is_supported_version(self) -> bool:
        """Return whether this library supports the NVRTC version."""
        return self.get_version() >= (11, 0)


runtime = Runtime()


def is_supported_version() -> bool:
    """Return whether this library supports the NVRTC version."""
    return runtime.is_supported_version()


def cuda_error() -> CudaError | None:
    """Return why device cuda cannot be opened; None if it can.

    Example:
        >>> from minitorch import cuda
        >>> cuda.cuda_error() is None
        True
    """
    try:
        _core.device_name()
    except CudaError as error:
        return error
    return None
