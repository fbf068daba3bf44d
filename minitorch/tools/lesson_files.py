"""`minitorch lessons`: copy the lessons for a reader to work in."""

from __future__ import annotations

import importlib.util
import os
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .files import write_atomically

FIRST = "00_start.ipynb"
_PACKAGE = Path(__file__).parents[1]


@dataclass
class Copied:
    """What became of the files: their names.

    Attributes:
        written: new ones.
        kept: there already and different: somebody's work, or an older version.
    """

    written: list[str] = field(default_factory=list)
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
    if folder.resolve().is_relative_to(_PACKAGE.resolve()):
        raise OSError(
            f"[lessons] {folder} is inside the library. Name a folder of your own: "
            "minitorch lessons my-lessons."
        )
    copied = Copied()
    folder.mkdir(parents=True, exist_ok=True)
    for source in sources():
        target = folder / source.name
        if not os.path.lexists(target):
            write_atomically(target, source.read_bytes())
            copied.written.append(source.name)
        elif not _is_same(source, target):
            copied.kept.append(source.name)
    return copied


def _is_same(source: Path, target: Path) -> bool:
    try:
        return target.read_bytes() == source.read_bytes()
    except OSError:  # a folder, or nobody may read it
        return False


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


def main(name: str, start: bool) -> int:
    """Copy the lessons, print what was copied, or start JupyterLab.

    Args:
        name: of the folder.
        start: whether to start JupyterLab there.

    Returns:
        exit status; 1 after a problem, which is one sentence on stderr.
    """
    folder = Path(name)
    try:
        copied = copy(folder)
        if start:
            open_lab(folder)
        print(report(copied, folder))
    except (OSError, ModuleNotFoundError) as error:
        problem = str(error)
        if isinstance(error, OSError) and error.strerror:  # the system's, not ours
            problem = (
                f"[lessons] cannot write to {folder}: {error.strerror}. Name another "
                "folder: minitorch lessons FOLDER."
            )
        print(problem, file=sys.stderr)
        return 1
    return 0
