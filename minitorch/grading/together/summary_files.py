"""Owns which files stand beside a class's reports: scores, overview, board, pages.

Must not know how they look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..report.adapters.junit import document
from ..report.pages.sources import read_sources
from ..report.pages.student import student_page
from .board import board_of, board_page, board_secret, board_text, pseudonyms
from .overrides import FILE, read_overrides
from .overview import overview_page
from .scores import Result, scores_csv, unused, write_text


def write_summaries(
    to: Path,
    results: Sequence[Result],
    overrides: Path | None = None,
    handed_in: Mapping[str, Path] | None = None,
) -> None:
    """Write scores.csv, index.html, board.html, board.json; of each report a page and
    junit.xml, for students.

    Args:
        to: the results folder.
        results: of `class_results`.
        overrides: the teacher's file; None: the one in the folder.
        handed_in: by name where a submission lies, so that pages quote its lines.
    """
    lost = unused(read_overrides(overrides or to / FILE), results)
    given = pseudonyms([each.name for each in results], board_secret(to))
    for each in results:
        path = (handed_in or {}).get(each.name)
        files = each.report["submission"]["files"]
        sources = read_sources(path, files) if path is not None else {}
        folder = to / each.line.report
        page = student_page(each.report, folder, sources, given[each.name])
        write_text(to / each.page, page)
        file = to / each.page
        name = file.name.replace("index", "junit")
        write_text(file.with_name(name).with_suffix(".xml"), document(each.report))
    board = board_of(results, given)
    write_text(to / "scores.csv", scores_csv(results))
    write_text(to / "board.json", board_text(board))
    write_text(to / "board.html", board_page(board))
    write_text(to / "index.html", overview_page(results, lost))
