"""Read a submission: the declared files, normalized, and nothing else.

Reads a folder or a zip. Follows no links, extracts nothing, runs nothing: what comes
out is names and bytes.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import os
import re
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Union

from .assignment import Assignment
from .notebooks import Cell, cell_of
from .python_source import syntax_error

FILE_BYTES, NOTEBOOK_BYTES = 512 * 1024, 16 * 1024 * 1024
ZIP_BYTES, NAMES = 256 * 1024 * 1024, 5000
_LIST_BYTES = 2 * 1024 * 1024  # of a zip's names


@dataclass(frozen=True)
class HandedIn:
    """A submission: `files` by declared name, line ends `\\n`, without BOM.

    `errors` are sentences for the student. `broken` says, by file, why it cannot be
    used (`missing`, or a sentence); such files are not in `files` if nothing of them
    could be read. `ignored` are names of files that do not count.

    Example:
        >>> from minitorch_grading.rubric.assignment import read_assignment
        >>> tiny = "grading/tests/data/tiny"
        >>> handed_in = read_handed_in(f"{tiny}/source", read_assignment(tiny))
        >>> sorted(handed_in.files), handed_in.errors
        (['kernels/scale.cu', 'minitorch/cuda_ops.py', 'minitorch/operators.py'], ())
    """

    files: dict[str, bytes]
    errors: tuple[str, ...]
    broken: dict[str, str]
    ignored: tuple[str, ...]
    sha256: str
    cells: dict[str, Cell] = field(default_factory=dict)

    @property
    def gradable(self) -> bool:
        """Whether each declared file exists and each Python file parses."""
        return not self.errors

    @property
    def lines(self) -> dict[str, list[str]]:
        """The lines of each file, and of each cell that holds one, by its title."""
        texts = {name: data.decode() for name, data in self.files.items()}
        texts |= {cell.title: cell.source for cell in self.cells.values()}
        # As Python splits: a form feed ends no line.
        return {name: text.split("\n") for name, text in texts.items()}

    def position(self, file: str, line: int) -> tuple[str, int]:
        """Return the student's position of a line: in a cell, if it came from one.

        Example:
            >>> handed_in.position("reductions.py", 12)  # doctest: +SKIP
            ('reductions.ipynb, cell 5', 3)
        """
        cell = self.cells.get(file)
        return (file, line) if cell is None else cell.position(line)

    def with_own_lines(self, text: str) -> str:
        """Replace `FILE:LINE` in a text by the student's own position of that line."""
        for name in self.cells:

            def position(match: re.Match[str], name: str = name) -> str:
                return "{}:{}".format(*self.position(name, int(match[1])))

            file = re.escape(PurePosixPath(name).name)
            text = re.sub(rf"(?:[\w./-]*/)?\b{file}:(\d+)", position, text)
        return text


class _Unusable(Exception):
    """A file or submission that cannot be read. The message is a sentence."""


def read_handed_in(
    submission: str | Path, assignment: Assignment, parse: bool = True
) -> HandedIn:
    """Read the files of a submission that count.

    Args:
        submission: A folder, a .zip, or a notebook (.ipynb). Declared files lie at its
            root, or below its only folder that has any of them (as zips of whole
            repositories do).
        assignment: Which files count.
        parse: Find syntax errors, too.

    Returns:
        the files and sentences on what is wrong with them; never an exception for
        what a student handed in.

    Raises:
        FileNotFoundError: There is no such folder or file: the caller's fault.
    """
    path = Path(submission)
    if not path.exists():
        raise FileNotFoundError(f"[grade] {path} does not exist; need a folder or zip.")
    try:
        store = _store_of(path, assignment.files)
    except _Unusable as error:
        broken = dict.fromkeys(assignment.files, str(error))
        return HandedIn({}, (str(error),), broken, (), _hash({}, [str(error)]))
    return _Reader(store, assignment.files).read(parse)


_Store = Union["_Folder", "_Zip"]


def _store_of(path: Path, declared: Sequence[str]) -> _Store:
    """Open a folder, a zip or a notebook. A folder that only holds a zip, as
    platforms create for each upload, is opened as the zip unless a declared file is
    next to it.
    """
    if not path.is_dir():
        alone = path.suffix.lower() == ".ipynb"
        return _Folder(path.parent, [path.name]) if alone else _Zip(path)
    folder = _Folder(path)
    zips = [name for name in folder.names if name.lower().endswith(".zip")]
    ends = tuple({PurePosixPath(name).name for name in declared} | {".ipynb"})
    if len(zips) != 1 or any(name.endswith(ends) for name in folder.names):
        return folder
    return _Zip(path / zips[0])


class _Reader:
    """Reads the declared files of one submission."""

    def __init__(self, store: _Store, declared: Sequence[str]) -> None:
        self._store, self._declared = store, declared
        self._root = _root_of(store.names, declared)
        self._used: set[str] = set()
        self._cells: dict[str, Cell] = {}

    def read(self, parse: bool) -> HandedIn:
        files: dict[str, bytes] = {}
        broken: dict[str, str] = {}
        for name in self._declared:
            try:
                files[name] = self._file(name)
            except _Unusable as error:
                broken[name] = str(error)
        for name, data in files.items() if parse else ():
            if name.endswith(".py") and (slip := syntax_error(data.decode())):
                line, text = slip
                cell = self._cells.get(name)
                file, line = cell.position(line) if cell else (name, line)
                broken[name] = f"{file}:{line} does not compile: {text}."
        ignored = [entry for entry in self._store.names if entry not in self._used]
        ignored.sort(
            key=lambda entry: not entry.endswith((".py", ".cu", ".cuh", ".ipynb"))
        )
        return HandedIn(
            files=files,
            errors=tuple(broken.values()),
            broken=broken,
            ignored=tuple(_printable(entry) for entry in ignored),
            sha256=_hash(files, [broken[n] for n in broken if n not in files]),
            cells=self._cells,
        )

    def _file(self, name: str) -> bytes:
        path = self._root + name
        if path not in self._store.names:
            return self._of_notebook(name)
        self._used.add(path)
        return _text_of(name, self._store.read(path, FILE_BYTES)).encode()

    def _of_notebook(self, name: str) -> bytes:
        """Return the file that a cell of a notebook writes."""
        books = [path for path in self._store.names if path.lower().endswith(".ipynb")]
        for book in sorted(books):
            title = _printable(PurePosixPath(book).name)
            try:
                cell = cell_of(title, self._store.read(book, NOTEBOOK_BYTES), name)
            except ValueError as error:
                raise _Unusable(str(error)) from None
            if cell is not None:
                self._used.add(book)
                self._cells[name] = cell
                return _text_of(title, cell.text.encode()).encode()
        raise _Unusable(self._missing(name))

    def _missing(self, name: str) -> str:
        stem = PurePosixPath(name).name
        near = [path for path in self._store.names if PurePosixPath(path).name == stem]
        elsewhere = f" There is {_printable(near[0])}." if near else ""
        return (
            f"{name} is not among the files handed in; its tasks cannot be judged."
            f"{elsewhere}"
        )


def _root_of(names: Sequence[str], declared: Sequence[str]) -> str:
    """Return "" or the prefix `folder/` of the only folder with declared files."""
    if any(name in names for name in declared):
        return ""
    prefixes = {
        name[: -len(file)]
        for name in names
        for file in declared
        if name.endswith(f"/{file}") and name.count("/") == file.count("/") + 1
    }
    return prefixes.pop() if len(prefixes) == 1 else ""


def _text_of(name: str, data: bytes) -> str:
    """Decode a file: UTF-8 without BOM, line ends `\\n`."""
    if b"\0" in data:
        row = data[: data.index(b"\0")].count(b"\n") + 1
        raise _Unusable(
            f"{name}:{row} contains a NUL byte, so it is not text. Save it as UTF-8, "
            "not UTF-16, and not compiled."
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data[: error.start].count(b"\n") + 1
        raise _Unusable(
            f"{name}:{row} contains a byte that is not UTF-8 "
            f"(0x{data[error.start]:02x}); save the file as UTF-8, and delete a line "
            "that says another coding."
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _hash(files: dict[str, bytes], rest: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    for message in rest:
        digest.update(message.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()


def _printable(name: str) -> str:
    text = "".join(char if char.isprintable() else "?" for char in name)
    return text if len(text) <= 120 else f"{text[:117]}..."


class _Folder:
    """Files in a folder and its subfolders, without symbolic links."""

    def __init__(self, folder: Path, names: list[str] | None = None) -> None:
        self._folder = folder
        self.names = list(self._walk(folder)) if names is None else names

    def _walk(self, folder: Path) -> Iterator[str]:
        count = 0
        pending = [(folder, "")]
        while pending:
            here, prefix = pending.pop()
            for entry in _entries(here, NAMES):
                count += 1
                if count > NAMES:
                    raise _Unusable(f"More than {NAMES} files were handed in.")
                if entry.is_dir(follow_symlinks=False):
                    pending.append((Path(entry.path), f"{prefix}{entry.name}/"))
                elif entry.is_file(follow_symlinks=False):
                    yield f"{prefix}{entry.name}"

    def read(self, name: str, most: int) -> bytes:
        opened = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        parts = name.split("/")
        try:
            for part in parts[:-1]:
                deeper = os.open(
                    part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=opened
                )
                os.close(opened)
                opened = deeper
            file = os.open(
                parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=opened
            )
            with os.fdopen(file, "rb") as reader:
                return _capped(name, reader.read(most + 1), most)
        except OSError as error:
            raise _Unusable(f"{_printable(name)} cannot be read: {error}.") from None
        finally:
            os.close(opened)


def _entries(folder: Path, most: int) -> list[os.DirEntry[str]]:
    """Return a folder's entries sorted by name, at most `most` + 1."""
    try:
        with os.scandir(folder) as entries:
            some = itertools.islice(entries, most + 1)
            return sorted(some, key=lambda entry: entry.name)
    except OSError:  # nobody may read it: nothing of it counts
        return []


class _ShortList(io.BufferedReader):
    """A zip file with a limited directory: zipfile reads the directory at once,
    however large it is.
    """

    most: int | None = _LIST_BYTES

    def read(self, size: int | None = -1, /) -> bytes:
        if self.most is None:
            return super().read(size)
        to_end = size is None or size < 0
        data = super().read(self.most + 1 if to_end else min(size or 0, self.most + 1))
        if len(data) > self.most:
            raise _Unusable(f"The zip has more than {NAMES} files.")
        return data

    def __del__(self) -> None:
        self.close()


class _Zip:
    """Files of a zip. Nothing is extracted; a member is read up to its size limit."""

    def __init__(self, path: Path) -> None:
        try:
            if path.stat().st_size > ZIP_BYTES:
                raise _Unusable(f"The zip is larger than {ZIP_BYTES >> 20} MB.")
            file = _ShortList(io.FileIO(path))
            self._zip = zipfile.ZipFile(file)
            file.most = None
        except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
            raise _Unusable(
                f"{_printable(path.name)} cannot be opened as a zip; hand in the files "
                "or a zip of them."
            ) from None
        members = self._zip.infolist()
        if len(members) > NAMES:
            raise _Unusable(f"The zip has more than {NAMES} files.")
        # Some programs write Windows' separator into archives.
        named = [(member.filename.replace("\\", "/"), member) for member in members]
        self._members = {
            name: member for name, member in named if _is_plain(name, member)
        }
        self.names = list(self._members)

    def read(self, name: str, most: int) -> bytes:
        try:
            with self._zip.open(self._members[name]) as reader:
                return _capped(name, reader.read(most + 1), most)
        except _Unusable:
            raise
        except Exception:  # zipfile raises whatever its decompressor does
            raise _Unusable(f"{_printable(name)} in the zip cannot be read.") from None


def _is_plain(name: str, member: zipfile.ZipInfo) -> bool:
    """Return whether a member is a regular, unencrypted file inside the root."""
    mode = member.external_attr >> 16
    special = stat.S_IFMT(mode) not in (0, stat.S_IFREG)
    inside = ".." not in PurePosixPath(name).parts
    rooted = name.startswith("/") or ":" in name
    return (
        inside
        and not rooted
        and not special
        and not name.endswith("/")
        and not member.flag_bits & 1
    )


def _capped(name: str, data: bytes, most: int) -> bytes:
    if len(data) > most:
        raise _Unusable(
            f"{_printable(name)} is larger than {most >> 10} kB. Hand in only the "
            "program."
        )
    return data
