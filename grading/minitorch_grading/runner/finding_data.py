"""A finding as JSON, for reports and pages."""

from __future__ import annotations

from typing import Any

from minitorch_cuda.cuda.errors import Finding, KernelError, Site

from .thread_values import ThreadValues, own_position

_MOST_TEXT = 4000


def finding_data(
    error: KernelError, launch: ThreadValues | None = None
) -> dict[str, Any]:
    """Return a finding as plain data.

    Args:
        error: The finding.
        launch: Where it was found, if the values of variables are wanted.

    Returns:
        `kind`, `severity`, `file` and `line` (the student's own: of code inlined from
        a header, where it is called; None where nobody knows), `block`, `thread` (lists
        of three, or None), `values` (of the thread's variables: `line` and `text`),
        `race` (None, or `other`: the same five of the second thread, with what both do
        to which element, and the name of what would order them), `text` (the whole
        message).

    Example:
        >>> finding_data(KernelError("[kernel] some fault."))["kind"]
        'device_fault'
    """
    finding = error.finding
    race = None
    between_threads = error.kind in ("race_global", "race_shared")
    if finding and finding.other and between_threads:
        race = {
            "element": finding.element,
            "access": finding.access,
            "other_access": finding.other_access,
            "remedy": finding.remedy,
            "other": _site_data(finding.other, finding, launch),
        }
    return {
        "kind": error.kind,
        "severity": error.severity,
        **_site_data(finding.site if finding else None, finding, launch),
        "race": race,
        "text": error.message[:_MOST_TEXT],
    }


def _site_data(
    site: Site | None, finding: Finding | None, launch: ThreadValues | None
) -> dict[str, Any]:
    file, line = own_position(site) if site else (None, None)
    values: list[dict[str, Any]] = []
    if site and finding and launch:
        file, line, values = launch.at(finding, site)
    return {
        "file": file,
        "line": line,
        "block": list(site.block) if site and site.block else None,
        "thread": list(site.thread) if site and site.thread else None,
        "values": values,
    }
