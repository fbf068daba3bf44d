"""Whether programs in CUDA C++ can be compiled here."""

from __future__ import annotations

import functools
import shutil

import pytest

from minitorch.tools import nvcc


@functools.cache
def why_no_nvcc() -> str:
    """What is missing for nvcc; "" if nothing is."""
    try:
        nvcc.find()
    except nvcc.BuildError as error:
        return str(error)
    return "" if shutil.which("g++") else "there is no g++"


needs_nvcc = pytest.mark.skipif(
    bool(why_no_nvcc()), reason=f"needs nvcc: {why_no_nvcc()}"
)
