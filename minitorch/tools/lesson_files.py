"""`minitorch lessons`: copy the lessons for a reader to work in."""

from __future__ import annotations

import importlib.util
import os
import shlex
import sys
from pathlib import Path

from .files import write_atomically

FIRST = "00_start.ipynb"
_PACKAGE = Path(__file__).parents[1]


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


def copy(folder: Path) -> list[str]:
    """Copy the lessons into a folder; never over a file that is there.

    Args:
        folder: made if it is missing.

    Returns:
        names of the new files.

    Raises:
        OSError: it cannot be written, is a file, or lies inside the package. No file is
            left half written.
    """
    if folder.resolve().is_relative_to(_PACKAGE.resolve()):
        raise OSError(
            f"[lessons] {folder} is inside the library. Name a folder of your own: "
            "minitorch lessons my-lessons."
        )
    new = []
    folder.mkdir(parents=True, exist_ok=True)
    for source in sources():
        target = folder / source.name
        if not os.path.lexists(target):
            write_atomically(target, source.read_bytes())
            new.append(source.name)
    return new


def report(new: list[str], folder: Path) -> str:
    """Return what was copied, and how to go on."""
    lines = [f"New files in {folder}: {len(new)}."]
    if len(new) < len(sources()):
        lines.append(
            "The others were there, and stay as they are. For fresh copies, name "
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
        new = copy(folder)
        if start:
            open_lab(folder)
        print(report(new, folder))
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
