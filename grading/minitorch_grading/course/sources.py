"""Find the files of an assignment and of the assignments it needs.

Trees, pages and the validation begin here.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import AssignmentError
from ..rubric.assignment import TOML, Assignment, read_assignment

EARLIER = "earlier"  # where a released assignment has those that it starts from
# What programs leave behind in folders that people edit.
_LEFT_BEHIND = {"__pycache__", ".ipynb_checkpoints", ".pytest_cache", ".hypothesis"}


@dataclass(frozen=True)
class Source:
    """An assignment, and those that it starts from.

    Attributes:
        assignment: Read from assignment.toml.
        earlier: Sources of all assignments before it, the first one first.
    """

    assignment: Assignment
    earlier: tuple[Source, ...] = ()

    @property
    def folder(self) -> Path:
        """Folder with assignment.toml, source/, tests/, graded/, twins/."""
        return self.assignment.folder

    @property
    def name(self) -> str:
        return self.assignment.name

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files that students hand in."""
        return self.assignment.files

    def tasks_of(self, file: str) -> list[str]:
        """Return ids of the tasks assigned to a file, or else all ids."""
        tasks = self.assignment.tasks
        ids = [task.id for task in tasks if task.file == file]
        return ids or [task.id for task in tasks]


def read_source(folder: Path, also: tuple[Path, ...] = ()) -> Source:
    """Read an assignment and those that it starts from.

    Args:
        folder: The assignment's.
        also: Folders in which earlier assignments are looked for, after earlier/ in
            this one and the folder that it lies in.

    Raises:
        AssignmentError: An assignment.toml is wrong, or an earlier assignment is not
            found.
    """
    return _read(Path(folder), also, ())


def _read(folder: Path, also: tuple[Path, ...], open_: tuple[str, ...]) -> Source:
    assignment = read_assignment(folder)
    if assignment.name in open_:
        way = " -> ".join([*open_, assignment.name])
        raise AssignmentError(f"circular needs: {way}.", TOML)
    earlier: dict[str, Source] = {}
    for need in assignment.needs:
        path = _find_needed(need, folder, also)
        needed = _read(path, also, (*open_, assignment.name))
        for source in (*needed.earlier, needed):
            earlier.setdefault(source.name, source)
    return Source(assignment, tuple(earlier.values()))


def _find_needed(need: str, folder: Path, also: tuple[Path, ...]) -> Path:
    siblings = (folder.resolve() / EARLIER, folder.resolve().parent)
    places = tuple(dict.fromkeys((*siblings, *(path.resolve() for path in also))))
    for candidate in places:
        if (candidate / need / TOML).is_file():
            return candidate / need
    listed = ", ".join(map(str, places))
    raise AssignmentError(
        f"got needs = [{need!r}]; need a folder of that name in one of: {listed}.",
        str(folder / TOML),
    )


def assignment_folders(given: Path | None = None) -> tuple[Path, ...]:
    """Folders of assignments: the one given, those of this folder, the installed ones.

    Args:
        given: What `--from` names: a folder that holds assignments, looked at alone.
    """
    if given is not None:
        return (Path(given),)
    here = (Path("assignments"), Path())
    checkout = Path(__file__).resolve().parents[3] / "assignments"
    return tuple(path for path in (*here, checkout, *_installed()) if path.is_dir())


def _installed() -> list[Path]:
    """Return the folders of the instructors' package, if it is installed."""
    spec = importlib.util.find_spec("minitorch_assignments")
    return (
        [Path(location) for location in (spec.submodule_search_locations or ())]
        if spec
        else []
    )


def find(name: str, among: tuple[Path, ...]) -> Path:
    """Return the folder of an assignment, given its name or its path.

    Raises:
        AssignmentError: There is none; says where it was looked for.
    """
    for folder in (Path(name), *(root / name for root in among)):
        if (folder / TOML).is_file():
            return folder
    names = {path.parent.name for root in among for path in root.glob(f"*/{TOML}")}
    known = ", ".join(sorted(names)) or "none"
    listed = ", ".join(map(str, among)) or "no folder of assignments"
    raise AssignmentError(
        f"got the assignment {name!r}; need one of {known} in "
        f"{listed}. Try --from FOLDER.",
        "assignment",
    )


def files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Names and paths of the files of a folder, in a fixed order.

    Raises:
        AssignmentError: One is a link: what it leads to is not in every checkout.
    """
    for path in sorted(folder.rglob("*")):
        if _LEFT_BEHIND & set(path.parts) or path.suffix == ".pyc":
            continue
        if path.is_symlink():
            raise AssignmentError(
                "this is a symbolic link; need the file itself.", str(path)
            )
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path


def text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise AssignmentError(f"not valid UTF-8: {error.reason}.", str(path)) from None
