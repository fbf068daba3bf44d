"""The build of the instructors' wheel: a zip of the assignments beside this file.

A build backend of its own (PEP 517): the wheel is data, and the same sources give the
same bytes. Must not know what an assignment holds.
"""

from __future__ import annotations

import base64
import hashlib
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGE = "minitorch_assignments"
_HERE = Path(__file__).resolve().parent
_START = '"""Holds the assignments\' sources, for instructors. Nothing to import."""\n'
_LEFT_BEHIND = {"__pycache__", ".pytest_cache", ".hypothesis", ".ipynb_checkpoints"}
_EARLIEST = (1980, 1, 1, 0, 0, 0)


def sources() -> Iterator[tuple[str, bytes]]:
    """Names in the wheel and bytes of every file of every assignment, in order."""
    for toml in sorted(_HERE.glob("*/assignment.toml")):
        for path in sorted(toml.parent.rglob("*")):
            name = path.relative_to(_HERE)
            left = _LEFT_BEHIND & set(name.parts) or path.suffix == ".pyc"
            if path.is_file() and not path.is_symlink() and not left:
                yield f"{PACKAGE}/{name.as_posix()}", path.read_bytes()


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, object] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Write the wheel into a folder; give its name."""
    project = tomllib.loads((_HERE / "pyproject.toml").read_text("utf-8"))["project"]
    version = project["version"]
    about = f"{PACKAGE}-{version}.dist-info"
    files = {f"{PACKAGE}/__init__.py": _START.encode(), **dict(sources())}
    files[f"{about}/METADATA"] = _metadata(project).encode()
    files[f"{about}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: minitorch\nRoot-Is-Purelib: true\n"
        b"Tag: py3-none-any\n"
    )
    record = [f"{name},{_hash(data)},{len(data)}" for name, data in files.items()]
    files[f"{about}/RECORD"] = "\n".join([*record, f"{about}/RECORD,,", ""]).encode()
    name = f"{PACKAGE}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(
        Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED
    ) as made:
        for file, data in files.items():
            entry = zipfile.ZipInfo(file, _EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            made.writestr(entry, data)
    return name


def _metadata(project: dict[str, Any]) -> str:
    needs = project["dependencies"]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License: {project['license']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {each}" for each in needs),
    ]
    return "\n".join([*lines, ""])


def _hash(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "sha256=" + digest.decode().rstrip("=")
