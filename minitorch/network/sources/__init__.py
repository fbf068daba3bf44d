"""The package that tells where the source of an operation is, and what calls it."""

from .calls import Pass, Source, source
from .hierarchy import KernelSource, Step

__all__ = ["KernelSource", "Pass", "Source", "Step", "source"]
