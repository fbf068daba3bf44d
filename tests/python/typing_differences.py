"""Owns the list of typing cases in which we differ from Numba, each with the reason."""

from __future__ import annotations

#: A pattern of `types | expression or body`, and why ours is not Numba's.
DIFFERENCES: dict[str, str] = {}
