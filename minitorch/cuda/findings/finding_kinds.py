"""Owns the catalogue of findings as Python reads it: the core's rows by their names.

Must not know one finding.
"""

from __future__ import annotations

from ... import _core

#: By name, such as "oob_global", in the order of the catalogue.
KINDS = {kind.name: kind for kind in _core.finding_kinds()}
