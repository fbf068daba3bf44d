"""A teacher's folder: course.toml, its assignments, the secret file.

Inputs of graded tests follow from the secret: who has it can compute them. It is
readable for its owner alone and in no archive.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
import tomllib
from pathlib import Path
from typing import Literal

import msgspec

from ..errors import UsageError
from ..rubric.assignment import TOML
from ..rubric.secret import read_secret
from .sources import files_below, find, read_source

COURSE = "course.toml"
SECRET = "secret"


class Course(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A teacher's folder, read from its course.toml.

    Attributes:
        folder: Holds course.toml.
        schema: Of course.toml.
        assignments: Names of its assignments, without those that they start from.
        name: The course's.
        secret: Name of the file with the secret, 32 bytes in hexadecimal digits.
    """

    folder: Path
    schema: Literal["minitorch/course/1"]
    assignments: tuple[str, ...]
    name: str = ""
    secret: str = SECRET

    @property
    def secret_file(self) -> Path:
        return self.folder / self.secret


def new_course(folder: Path, names: list[str], among: tuple[Path, ...]) -> list[str]:
    """Make a teacher's folder: assignments to edit, course.toml and a new secret.

    Args:
        folder: Where; it must not exist yet, or be empty.
        names: Assignments.
        among: Folders that they are looked for in.

    Returns:
        names of the assignments that came along, since others start from them.

    Raises:
        UsageError: The folder is not empty, or no assignment is named.
        AssignmentError: There is no such assignment.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            f"[course] the folder {folder} is not empty. Name a new folder."
        )
    names = list(dict.fromkeys(names))
    if not names:
        raise UsageError(
            "[course] no assignment was named. Add --assignments m3,clinic."
        )
    sources = [read_source(find(name, among), among) for name in names]
    every = {earlier.name: earlier for source in sources for earlier in source.earlier}
    came = [name for name in every if name not in names]
    every |= {source.name: source for source in sources}
    for name, source in every.items():
        if name != source.folder.resolve().name:
            raise UsageError(
                f"[course] got name = {name!r} in {source.folder}/{TOML}; need the "
                "folder's name."
            )
    for name, source in every.items():
        for file, path in files_below(source.folder):
            to = folder / "assignments" / name / file
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(path.read_bytes())
    listed = ", ".join(f'"{name}"' for name in names)
    name = os.fsencode(folder.resolve().name).decode("utf-8", "replace")
    called = json.dumps(name, ensure_ascii=False)  # quotes as TOML has them, too
    (folder / COURSE).write_text(
        f'schema = "minitorch/course/1"\nname = {called}\n'
        f'assignments = [{listed}]\nsecret = "{SECRET}"\n',
        "utf-8",
    )
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    # Only its owner may read it.
    with os.fdopen(os.open(folder / SECRET, flags, 0o600), "w") as secret:
        secret.write(secrets.token_hex(32) + "\n")
    (folder / ".gitignore").write_text(f"/{SECRET}\n/dist/\n/results*/\n", "utf-8")
    return came


def own_secret(path: Path) -> bytes:
    """Return the bytes of a course's secret file.

    Raises:
        UsageError: It is missing, too short, or others may read it.
    """
    secret = read_secret(path)
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise UsageError(
            f"[course] {path}: other users can read this file (mode {mode:o}), but it "
            f"determines inputs of graded tests. Run: chmod 600 {path}"
        )
    return secret


def course_above(path: Path) -> Course | None:
    """Return the course of a folder, or None if there is no course.toml above it.

    Raises:
        UsageError: Its course.toml is wrong.
    """
    for folder in (path.resolve(), *path.resolve().parents):
        if (folder / COURSE).is_file():
            return read_course(folder)
    return None


def read_course(folder: Path) -> Course:
    """Read course.toml.

    Raises:
        UsageError: A key is missing or of another type, or it is no TOML.
    """
    path = folder / COURSE
    try:
        facts = tomllib.loads(path.read_text("utf-8"))
        course = msgspec.convert(facts | {"folder": folder}, Course)
    except (OSError, ValueError) as error:
        raise UsageError(f"[course] {path} is not right: {error}.") from None
    for assignment in course.assignments:
        if not (folder / "assignments" / assignment / TOML).is_file():
            raise UsageError(
                f"[course] {path}: assignment {assignment!r} was not found; need the "
                f"folder assignments/{assignment} with {TOML}."
            )
    return course
