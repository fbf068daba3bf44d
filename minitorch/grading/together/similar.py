"""Owns the list of submissions that look alike, by copydetect. It changes no score.

What is handed out to everybody counts as nobody's. Must not know scores.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ..report.pages.frame import escaped, page
from ..report.pages.sources import read_sources
from .scores import write_text
from .submissions import Submission

ALIKE = 0.6  # of one's own tokens that stand in the other file as well
_NOISE, _GUARANTEE = 15, 20  # tokens: shorter runs are chance; longer ones are found
_MOST = 200  # pairs that a page lists


class SimilarError(RuntimeError):
    """copydetect is missing."""


@dataclass(frozen=True)
class Pair:
    """Two submissions with a file that looks alike, and how much of each is shared."""

    file: str
    first: str
    second: str
    of_first: float
    of_second: float


def similar_pairs(
    submissions: Sequence[Submission],
    files: Iterable[str],
    starter: Path | None = None,
    alike: float = ALIKE,
) -> list[Pair]:
    """Pairs of submissions, the most alike first.

    Args:
        submissions: of a class; only `files` of them are read.
        files: what students hand in, of the assignment.
        starter: the tree that was handed out; its lines do not count.
        alike: the share of tokens from which a pair is listed, 0 to 1.

    Raises:
        SimilarError: copydetect is not installed.
        ValueError: `alike` is no share.
    """
    if not 0 <= alike <= 1:
        raise ValueError(f"[similar] got {alike}; need a share from 0 to 1.")
    pairs = []
    for file in files:
        if PurePosixPath(file).suffix in (".py", ".cu", ".cuh"):
            pairs += _pairs_of(file, submissions, starter, alike)
    return sorted(pairs, key=lambda each: -max(each.of_first, each.of_second))


def _pairs_of(
    file: str, submissions: Sequence[Submission], starter: Path | None, alike: float
) -> list[Pair]:
    detector_type = _imported()
    suffix = PurePosixPath(file).suffix
    with tempfile.TemporaryDirectory(prefix="minitorch-similar-") as scratch:
        works, given = Path(scratch, "works"), Path(scratch, "given")
        works.mkdir()
        given.mkdir()
        names: dict[str, str] = {}
        for number, each in enumerate(submissions):
            lines = read_sources(each.path, [file]).get(file)
            if lines:
                path = works / f"{number}{suffix}"
                path.write_text("\n".join(lines) + "\n", "utf-8")
                names[str(path)] = each.name
        if starter is not None and (starter / file).is_file():
            shutil.copy(starter / file, given / f"starter{suffix}")
        detector = detector_type(
            test_dirs=[str(works)],
            boilerplate_dirs=[str(given)] if any(given.iterdir()) else [],
            extensions=[suffix.removeprefix(".")],
            noise_t=_NOISE,
            guarantee_t=_GUARANTEE,
            display_t=alike,
            silent=True,
            autoopen=False,
            force_language="python" if suffix == ".py" else "cpp",
        )
        detector.run()
        found: list[list[Any]] = detector.get_copied_code_list()
    return [
        Pair(file, names[first], names[second], float(one), float(other))
        for one, other, first, second, *_ in found
        if first in names and second in names
    ]


def _imported() -> Any:
    try:
        import copydetect
    except ImportError as error:
        raise SimilarError(
            f"[similar] got {error}; need copydetect: "
            'pip install "minitorch-cuda[grading]".'
        ) from None
    return copydetect.CopyDetector


def write_similar(to: Path, pairs: Sequence[Pair], count: int) -> Path:
    """Write similar/index.html into a results folder.

    Args:
        to: the results folder.
        pairs: of `similar_pairs`.
        count: how many submissions were compared.

    Returns:
        The page.
    """
    lines = "".join(
        f'<tr><td>{escaped(each.first)}</td><td class="number">{each.of_first:.0%}</td>'
        f'<td>{escaped(each.second)}</td><td class="number">{each.of_second:.0%}</td>'
        f"<td><code>{escaped(each.file)}</code></td></tr>"
        for each in pairs[:_MOST]
    )
    head = (
        '<tr><th>one</th><th class="number">shared</th><th>other</th>'
        '<th class="number">shared</th><th>file</th></tr>'
    )
    answer = f"{len(pairs)} pairs of {count} submissions have files that look alike."
    if len(pairs) > _MOST:
        answer += f" The first {_MOST} are shown."
    text = page(
        "Which submissions look alike?",
        answer,
        "Short tasks have few ways to solve them: read both before you ask. No score "
        "was changed. The page has names and is for teachers alone.",
        [f"<table>{head}{lines}</table>"] if pairs else [],
    )
    path = to / "similar" / "index.html"
    write_text(path, text)
    return path
