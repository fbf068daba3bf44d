"""Owns the plugin `pytest -p minitorch.compat.numba_plugin`: numba for tests that only
ask whether there is a GPU."""

from __future__ import annotations

from .numba_module import install_numba

install_numba()
