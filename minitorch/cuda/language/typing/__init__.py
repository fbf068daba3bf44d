"""Typing of Python syntax: a rule for each kind of node.

Importing any of its modules fills the tables of `rules`.
"""

from . import (
    assignments,
    attributes,
    calls,
    expressions,
    statements,
    subscripts,
)

__all__ = [
    "assignments",
    "attributes",
    "calls",
    "expressions",
    "statements",
    "subscripts",
]
