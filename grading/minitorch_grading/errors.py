"""The error of wrong files, folders and options."""

from __future__ import annotations


class UsageError(ValueError):
    """A wrong file, folder or option: `minitorch course` prints the message alone."""
