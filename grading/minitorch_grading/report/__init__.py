"""The report of a graded submission, and what is made of it for people."""

from __future__ import annotations

from .report import (
    FindingReport,
    GradeReport,
    Picture,
    ReportFile,
    RowReport,
    load_report,
)

__all__ = [
    "FindingReport",
    "GradeReport",
    "Picture",
    "ReportFile",
    "RowReport",
    "load_report",
]
