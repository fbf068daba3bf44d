"""Typing of Python syntax: a rule for each kind of node.

Whoever imports one of its modules gets the tables of `rules` full.
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
