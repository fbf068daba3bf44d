"""Owns a finding as JSON, for reports and pages. Must not know who may read what."""

from __future__ import annotations

from typing import Any

from ...cuda.findings.errors import KernelError, Site

_MOST_TEXT = 4000


def finding_data(error: KernelError) -> dict[str, Any]:
    """Give what is told of a finding.

    Returns:
        `kind`, `severity`, `file` and `line` (the student's own, None where nobody
        knows), `block`, `thread` (lists of three, or None), `other` (the same four of
        the second thread of a race, or None), `space`, `access`, `count` (how often it
        was found), `text` (the whole message).

    Example:
        >>> finding_data(KernelError("[kernel] some fault."))["kind"]
        'device_fault'
    """
    finding = error.finding
    return {
        "kind": error.kind,
        "severity": error.severity,
        **_site_data(finding.site if finding else None),
        "other": _site_data(finding.other) if finding and finding.other else None,
        "space": error.space,
        "access": error.access,
        "count": finding.count if finding else 1,
        "text": error.message[:_MOST_TEXT],
    }


def _site_data(site: Site | None) -> dict[str, Any]:
    return {
        "file": site.file if site else None,
        "line": site.line if site else None,
        "block": list(site.block) if site and site.block else None,
        "thread": list(site.thread) if site and site.thread else None,
    }
