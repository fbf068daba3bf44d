"""`minitorch lessons`: copy the lessons for a reader to work in."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FIRST = "00_start.ipynb"
_PACKAGE = Path(__file__).parents[1]


@dataclass
class Copied:
    """What became of the files: their names.

    Attributes:
        written: new ones.
        same: there already, without a difference.
        kept: there already and different: somebody's work, or an older version.
    """

    written: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def sources() -> list[Path]:
    """Return the lessons of this installation: notebooks, and a README.

    Raises:
        FileNotFoundError: an installation without them.
    """
    # In a wheel they are inside the package; a checkout has them beside it.
    for folder in (_PACKAGE / "lessons", _PACKAGE.resolve().parent / "notebooks"):
        if (folder / FIRST).is_file():
            return [*sorted(folder.glob("*.ipynb")), folder / "README.md"]
    raise FileNotFoundError(
        f"[lessons] the lessons are missing: {_PACKAGE / 'lessons'} does not exist. "
        "Reinstall minitorch-cuda."
    )


def copy(folder: Path) -> Copied:
    """Copy the lessons into a folder; never over a file that is there.

    Args:
        folder: made if it is missing.

    Raises:
        OSError: it cannot be written, is a file, or lies inside the package. No file is
            left half written.
    """
    _check_folder(folder)
    if folder.resolve().is_relative_to(_PACKAGE.resolve()):
        raise OSError(
            f"[lessons] {folder} is inside the library. Name a folder of your own: "
            "minitorch lessons my-lessons."
        )
    copied = Copied()
    with _in_one_sentence(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for source in sources():
            target = folder / source.name
            if not os.path.lexists(target):
                write_atomically(target, source.read_bytes())
                copied.written.append(source.name)
            elif _is_same(source, target):
                copied.same.append(source.name)
            else:
                copied.kept.append(source.name)
    return copied


def _check_folder(folder: Path) -> None:
    """Raise if the name is a file, or is below one."""
    for path in (folder, *folder.parents):
        # Not Path.exists, which raises where nobody may look.
        if not os.path.lexists(path) or os.path.isdir(path):
            continue
        kind = "a file" if os.path.exists(path) else "a broken link"
        clause = "which" if path == folder else f"but {path}"
        raise NotADirectoryError(
            f"[lessons] cannot use {folder}, {clause} is {kind}. Name another folder: "
            "minitorch lessons FOLDER."
        )


def _is_same(source: Path, target: Path) -> bool:
    try:
        return target.read_bytes() == source.read_bytes()
    except OSError:  # a folder, or nobody may read it
        return False


@contextlib.contextmanager
def _in_one_sentence(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno is None or error.strerror is None:
            raise  # it says what to do
        raise OSError(
            f"[lessons] cannot write to {folder}: {error.strerror}. Name another "
            "folder: minitorch lessons FOLDER."
        ) from None


def write_atomically(target: Path, data: bytes) -> None:
    """Write a file under a temporary name, then rename it.

    Raises:
        OSError: it cannot be written; what was there before stays.
    """
    number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with open(number, "wb") as file:
            file.write(data)
        os.chmod(name, 0o666 & ~_mask())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _mask() -> int:
    """Return this process's umask."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def report(copied: Copied, folder: Path) -> str:
    """Return what was copied, and how to go on."""
    count = len(copied.written)
    location = "this folder" if folder == Path() else folder
    lines = [f"{count} new {'file' if count == 1 else 'files'} in {location}."]
    if copied.kept:
        lines.append(
            f"Kept your version of: {', '.join(copied.kept)}. For fresh copies, name "
            "another folder: minitorch lessons FOLDER"
        )
    if _has_lab():
        lines.append(f"Open them: minitorch lessons {shlex.quote(str(folder))} --open")
    else:
        lines.append(f"Open them in JupyterLab ({_install()}), or in VS Code.")
    return "\n".join(lines)


def _install() -> str:
    """Return the command that installs what the notebooks need."""
    return f"{shlex.quote(sys.executable)} -m pip install jupyterlab matplotlib"


def _has_lab() -> bool:
    return importlib.util.find_spec("jupyterlab") is not None


def open_lab(folder: Path) -> None:
    """Become JupyterLab in a folder.

    Raises:
        ModuleNotFoundError: JupyterLab is not installed.
    """
    if not _has_lab():
        raise ModuleNotFoundError(
            f"[lessons] JupyterLab is not installed. Install it: {_install()}"
        )
    os.chdir(folder)
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "jupyterlab"])


def _named(name: str) -> Path:
    """Return the folder that the user names.

    Raises:
        OSError: the name is empty, as of a variable that is not set, or begins with
            ~ and a name that no user has.
    """
    if not name.strip():
        raise OSError(
            f"[lessons] the folder name {name!r} is empty. For this folder write "
            "minitorch lessons . and for the folder minitorch-lessons leave it out."
        )
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise OSError(
            f"[lessons] cannot expand {name}: there is no such user. Name another "
            "folder: minitorch lessons FOLDER."
        ) from None


def main(name: str, start: bool) -> int:
    """Copy the lessons, print what was copied, or start JupyterLab.

    Args:
        name: of the folder.
        start: whether to start JupyterLab there.

    Returns:
        exit status; 1 after a problem, which is one sentence on stderr.
    """
    try:
        folder = _named(name)
        copied = copy(folder)
        if start:
            open_lab(folder)
        print(report(copied, folder))
    except (OSError, ModuleNotFoundError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0
