"""The submissions of a class: folders, zips and notebooks, with their hashes.

Nothing is unpacked, and no link is followed.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError

LARGEST = 200_000_000  # bytes of one submission whose contents are hashed
_FILES = (".zip", ".ipynb")
_SKIPPED = {"__pycache__", ".git", ".venv", ".ipynb_checkpoints", ".pytest_cache"}


@dataclass(frozen=True)
class Submission:
    """One folder, zip or notebook of the class.

    Attributes:
        name: the platform's, such as `submission_31415` or a login; no report has it.
            Bytes of it that are no UTF-8 are written as in `caf\\xe9`.
        path: the folder, the zip, or the notebook.
        sha256: of all its files, names included.
    """

    name: str
    path: Path
    sha256: str

    @property
    def folder(self) -> str:
        """Name of its results folder, valid in all file systems."""
        return _stem(self.path)


def find_submissions(handed_in: Path) -> list[Submission]:
    """Return the submissions in a folder: each folder, zip and notebook, by name.

    Args:
        handed_in: a folder of folders, zips and notebooks, as platforms export them.

    Raises:
        UsageError: no such folder, nothing in it, or one name twice.

    Example:
        >>> find_submissions(Path("handed-in"))[0].name  # doctest: +SKIP
        'ada'
    """
    if not handed_in.is_dir():
        raise UsageError(
            f"[grade] {handed_in} is not a folder; need a folder with one folder, zip "
            "or notebook for each submission."
        )
    submissions: dict[str, Submission] = {}
    for path in sorted(handed_in.iterdir()):
        if not _is_one(path):
            continue
        name = as_text(_stem(path))
        if name in submissions:
            both = f"{submissions[name].path.name} and {path.name}"
            raise UsageError(
                f"[grade] {name} handed in twice, as {both}. Remove one of them."
            )
        submissions[name] = Submission(name, path, hash_of(path))
    if not submissions:
        raise UsageError(
            f"[grade] {handed_in} contains no folder, zip or notebook. For a single "
            "submission, give the folder above it."
        )
    return list(submissions.values())


def left_out(handed_in: Path) -> list[str]:
    """Return names of entries that are no submission: other archives, files, links."""
    others = [path for path in sorted(handed_in.iterdir()) if not _is_one(path)]
    names = [as_text(path.name) for path in others if not _is_system(path)]
    return ["".join(c if c.isprintable() else "?" for c in name) for name in names]


def _is_system(path: Path) -> bool:
    return path.name.startswith((".", "__MACOSX"))


def _is_one(path: Path) -> bool:
    if _is_system(path) or path.is_symlink():
        return False
    return path.is_dir() or (path.is_file() and path.suffix.lower() in _FILES)


def _stem(path: Path) -> str:
    return path.name if path.is_dir() else path.stem


def as_text(name: str) -> str:
    """Return a file name as text that can be encoded as UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def hash_of(path: Path) -> str:
    """SHA-256 of a file's bytes, or of a folder's file names and bytes; no links.

    Never an exception for what a student handed in: files that cannot be read, or lie
    behind the first `LARGEST` bytes, are in it by size and time. The judge says what
    it cannot use.
    """
    digest = hashlib.sha256()
    left = LARGEST
    for name, file in _files(path):
        size, content = _content(file, left)
        left -= size
        # Sizes in front, so that two names and contents cannot be cut differently.
        raw = name.encode("utf-8", "surrogateescape")
        digest.update(f"{len(raw)} ".encode() + raw + content)
    return digest.hexdigest()


def _content(file: Path, left: int) -> tuple[int, bytes]:
    """Return a file's size and a hash of its content, or of its metadata if it is
    too large.
    """
    size, known = 0, b""
    with suppress(OSError):
        status = os.lstat(file)
        size = status.st_size
        known = repr((size, status.st_mtime_ns)).encode()
        if size <= left:
            with open(file, "rb") as stream:
                return size, hashlib.file_digest(stream, "sha256").digest()
    return size, hashlib.sha256(known).digest()


def _files(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield the regular files below a folder in a fixed order; a file is its own,
    with name "".
    """
    if not path.is_dir():
        yield "", path
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(files):
            file = Path(folder, name)
            with suppress(OSError):  # a name that is too long to be asked for
                if stat.S_ISREG(os.lstat(file).st_mode):
                    yield file.relative_to(path).as_posix(), file
