"""What is told of a launch as it is made, for the inspections that are open.

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
    """What is launched, and how.

    Attributes:
        kernel: Its name.
        owner: The number of a Python kernel; 0 for CUDA C++.
        grid, block: The shape.
        names: Of its parameters.
        values: The arguments.
        source: Gives the text that its author wrote; "" where nobody has it.
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
    """A launch that was made, with its arguments as they were just before."""

    launched: Launched
    arguments: tuple[Argument, ...] = ()

    def fits(self, facts: Mapping[str, Any]) -> bool:
        """Can it be the launch of a record?"""
        own = self.launched
        if any(getattr(own, key) != facts[key] for key in ("owner", "grid", "block")):
            return False
        return own.owner > 0 or _plain(own.kernel) == _plain(facts["kernel"])


def _plain(name: str) -> str:
    """A kernel's name without namespaces and template arguments."""
    return re.split(r"[<(]", name)[0].split("::")[-1].strip()


class NoteBook:
    """The notes of one inspection.

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
        """Bytes that its copies may still take."""
        return self._room if self._most > 0 else 0

    def write(self, note: Note) -> None:
        """Keep a note; copies beyond the room are not kept."""
        if self._most <= 0:
            return
        self._most -= 1
        copies = (each.before for each in note.arguments)
        self._room -= sum(each.nbytes for each in copies if each is not None)
        self._notes.append(note)

    def take(self, facts: Mapping[str, Any]) -> Note | None:
        """Give the note of a record, once; None for a launch that nobody noted."""
        if facts["library"]:
            return None
        for at, note in enumerate(self._notes):
            if note.fits(facts):
                return self._notes.pop(at)
        return None


#: The books that any thread has open: as long as there are none, launches are not
#: looked at, and cost nothing more.
OPEN: list[NoteBook] = []


class _Thread(threading.local):
    def __init__(self) -> None:
        self.books: list[NoteBook] = []


_thread = _Thread()


def open_book(book: NoteBook) -> None:
    """Write notes of this thread's launches into a book from now on."""
    _thread.books.append(book)
    OPEN.append(book)


def close_book(book: NoteBook) -> None:
    """Write no more notes into a book."""
    for books in (_thread.books, OPEN):
        if book in books:
            books.remove(book)


def is_watched() -> bool:
    """Has this thread an inspection open?"""
    return bool(_thread.books)


def wants_debug() -> bool:
    """Does an open inspection of this thread want kernels compiled for debuggers?"""
    return any(book.debug for book in _thread.books)


def note(launched: Launched, launch: Callable[[], None]) -> None:
    """Launch, and note what was launched. A launch that is refused leaves no note.

    The current stream is that of the launch.
    """
    books = _thread.books
    traced = [book for book in books if book.traces_next()]
    room = max((book.room for book in traced), default=0)
    arguments = arguments_of(launched.names, launched.values, room) if traced else ()
    launch()
    for book in books:
        book.write(Note(launched, arguments if book in traced else ()))
