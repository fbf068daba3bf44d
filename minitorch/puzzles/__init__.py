"""Owns the former name of `minitorch.learn.puzzles`, which stays for one release."""

from __future__ import annotations

from ..learn.puzzles import (
    PUZZLES,
    Case,
    CaseResult,
    Counts,
    NotAKernel,
    Puzzle,
    Result,
    Setup,
    check,
    puzzle,
)

__all__ = [
    "PUZZLES",
    "Case",
    "CaseResult",
    "Counts",
    "NotAKernel",
    "Puzzle",
    "Result",
    "Setup",
    "check",
    "puzzle",
]


def __dir__() -> list[str]:
    return sorted(__all__)
