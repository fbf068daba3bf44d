"""The typing of a function's syntax: a rule for each kind of node, by families.

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
