"""Judging: graded tests run here, submissions never do.

`poisoned` is for graded tests; the rest is for what starts a judge.
"""

from __future__ import annotations

from .values import Poisoned, poisoned

__all__ = ["Poisoned", "poisoned"]
