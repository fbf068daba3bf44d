"""Small repositories of students, and the library as a wheel would install it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import minitorch
from minitorch import _core

from .source_tree import ROOT

PACKAGES = ("minitorch_cuda", "minitorch_cuda_pytest")
_PLACE = Path(pytest.__file__).parents[1]  # where packages are installed


def write(folder, files):
    """Write files by their names below a folder; returns it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return folder


def make_wheel(folder):
    """A folder that holds what the wheel's folder in site-packages does, by links."""
    (folder / "minitorch").mkdir()
    for source in (Path(minitorch.__file__).parent, Path(_core.__file__).parent):
        for path in source.iterdir():
            link = folder / "minitorch" / path.name
            if path.name != "__pycache__" and not link.exists():
                link.symlink_to(path)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name)
    _write_entry_point(folder)
    # pytest rewrites the asserts of all packages of a wheel that has a plugin.
    record = "".join(f"{name}/__init__.py,,\n" for name in ("minitorch", *PACKAGES))
    write(folder / "minitorch_wheel-1.dist-info", {"RECORD": record})
    return folder


def _write_entry_point(folder):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [f"{a} = {b}" for a, b in project["entry-points"]["pytest11"].items()]
    about = {
        "METADATA": "Metadata-Version: 2.1\nName: minitorch-wheel\nVersion: 1\n",
        "entry_points.txt": "\n".join(["[pytest11]", *lines, ""]),
    }
    write(folder / "minitorch_wheel-1.dist-info", about)


def run(arguments, folder, wheel=None, **variables):
    """A fresh Python in a folder, with this editable install or with a wheel.

    Args:
        arguments: Python's.
        folder: Where it runs.
        wheel: A folder by `make_wheel`; None is the editable install.
    """
    environment = {**os.environ, "MINITORCH_CUDA": "emulator", **variables}
    environment.pop("PYTEST_ADDOPTS", None)
    if wheel is not None:
        # -S: site-packages without its .pth files, which hold the editable install.
        arguments = ["-S", *arguments]
        environment["PYTHONPATH"] = os.pathsep.join([str(wheel), str(_PLACE)])
        environment["PYTHONDONTWRITEBYTECODE"] = "1"  # the links lead to this checkout
    elif not metadata.entry_points(group="pytest11", name=PACKAGES[1]):
        # Installed before the plugin was there: say what a new install would.
        place = folder.parent / "entry_point"
        _write_entry_point(place)
        environment["PYTHONPATH"] = str(place)
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )
