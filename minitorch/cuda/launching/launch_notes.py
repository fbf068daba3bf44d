"""Notes of launches, for open inspections.

The core's records lack what only Python knows: arguments and source. A record and its
note find each other by kernel and shape, in the order of the launches.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import Coordinates
from .arguments import Argument, arguments_of

#: Bytes of copies of arrays that one run keeps.
MOST_COPIED = 64 << 20


@dataclass(frozen=True)
class Launched:
    """Description of a launch: kernel, configuration and arguments.

    Attributes:
        kernel: Its name.
        owner: The number of a Python kernel; 0 for CUDA C++.
        grid, block: The shape.
        names: Of its parameters.
        values: The arguments.
        source: Returns the text that its author wrote; "" if unknown.
        ptx: Gives its PTX.
        debug: Whether it was compiled for debuggers.
        renamed: Of a kernel in Python: the names of its variables by file, and by their
            names in C++.
    """

    kernel: str
    owner: int
    grid: Coordinates
    block: Coordinates
    names: Sequence[str]
    values: Sequence[Any]
    source: Callable[[], str]
    ptx: Callable[[], str]
    debug: bool = False
    renamed: Mapping[str, Mapping[str, str]] | None = None


@dataclass(frozen=True)
class Note:
    """Launch that was made, with its arguments just before it."""

    launched: Launched
    arguments: tuple[Argument, ...] = ()

    def fits(self, facts: Mapping[str, Any]) -> bool:
        """Return whether this may be the launch of a record."""
        launch = self.launched
        if any(
            getattr(launch, key) != facts[key] for key in ("owner", "grid", "block")
        ):
            return False
        return launch.owner > 0 or _plain(launch.kernel) == _plain(facts["kernel"])


def _plain(name: str) -> str:
    """Return a kernel's name without namespaces and template arguments."""
    return re.split(r"[<(]", name)[0].split("::")[-1].strip()


class NoteBook:
    """Notes of one inspection.

    Attributes:
        traces_next: Says whether the next launch is traced: then it wants the
            arguments.

    Args:
        debug: Whether it wants kernels that were compiled for debuggers.
        most: Notes to keep.
    """

    def __init__(self, debug: bool, most: int) -> None:
        self.debug = debug
        self.traces_next: Callable[[], bool] = lambda: False
        self._most, self._room = most, MOST_COPIED
        self._notes: list[Note] = []

    @property
    def room(self) -> int:
        """Bytes left for copies of arguments."""
        return self._room if self._most > 0 else 0

    def write(self, note: Note) -> None:
        """Add a note; its copies count against the room."""
        if self._most <= 0:
            return
        self._most -= 1
        copies = (argument.before for argument in note.arguments)
        self._room -= sum(
            argument.nbytes for argument in copies if argument is not None
        )
        self._notes.append(note)

    def take(self, facts: Mapping[str, Any]) -> Note | None:
        """Remove and return the note of a record; None for a launch without a note."""
        if facts["library"]:
            return None
        for index, note in enumerate(self._notes):
            if note.fits(facts):
                return self._notes.pop(index)
        return None


#: The books that any thread has open: as long as there are none, launches are not
#: looked at, and cost nothing more.
OPEN: list[NoteBook] = []


class _Thread(threading.local):
    def __init__(self) -> None:
        self.books: list[NoteBook] = []


_thread = _Thread()


def open_book(book: NoteBook) -> None:
    """Write notes of this thread's launches into `book` from now on."""
    _thread.books.append(book)
    OPEN.append(book)


def close_book(book: NoteBook) -> None:
    """Stop writing notes into `book`."""
    for books in (_thread.books, OPEN):
        if book in books:
            books.remove(book)


def is_watched() -> bool:
    """Return whether this thread has an open inspection."""
    return bool(_thread.books)


def wants_debug() -> bool:
    """Return whether an open inspection of this thread wants debug builds."""
    return any(book.debug for book in _thread.books)


def note(launched: Launched, launch: Callable[[], None]) -> None:
    """Launch, and note what was launched. A rejected launch leaves no note.

    The current stream is that of the launch.
    """
    books = _thread.books
    traced = [book for book in books if book.traces_next()]
    room = max((book.room for book in traced), default=0)
    arguments = arguments_of(launched.names, launched.values, room) if traced else ()
    launch()
    for book in books:
        book.write(Note(launched, arguments if book in traced else ()))
