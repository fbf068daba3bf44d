"""Archives of an assignment: for students, for staff, for a platform.

The same source gives the same bytes. The secret is in the platform's archive alone,
and only where students cannot read that.
"""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

from ..errors import UsageError
from ..report.adapters import gradescope
from .course_folder import own_secret
from .source_checks import problems_of
from .sources import Source, read_source
from .trees import Tree, grader_tree, student_tree

_EARLIEST = (1980, 1, 1, 0, 0, 0)  # zip has no earlier time: archives have no clock


def release(
    folder: Path,
    platform: str,
    to: Path,
    also: tuple[Path, ...] = (),
    secret_file: Path | None = None,
    wheels: tuple[Path, ...] = (),
) -> list[Path]:
    """Write an assignment's archives.

    Args:
        folder: The assignment's.
        platform: `gradescope` or `plain`.
        to: Folder for the archives; older ones of the same name are replaced.
        also: Where earlier assignments are looked for, too.
        secret_file: The course's; needed for `gradescope`.
        wheels: Files of this library to install; empty: the released one is.

    Returns:
        `NAME-starter.zip`, `NAME-solution.zip` and, unless `plain`,
        `NAME-gradescope.zip`.

    Raises:
        UsageError: The files have problems, or the secret is missing.

    Example:
        >>> release(Path("assignments/m3"), "plain", Path("dist"))  # doctest: +SKIP
        [PosixPath('dist/m3-starter.zip'), PosixPath('dist/m3-solution.zip')]
    """
    problems = problems_of(folder, also)
    if problems:
        listed = "\n  ".join(map(str, problems))
        raise UsageError(
            f"[release] {folder.name} has {len(problems)} "
            f"problem{'s' * (len(problems) != 1)}. For details run `minitorch course "
            f"validate`.\n  {listed}"
        )
    source = read_source(folder, also)
    trees = {kind: student_tree(source, kind) for kind in ("starter", "solution")}
    if platform != "plain":
        trees[platform] = _gradescope_tree(source, secret_file, wheels)
    to.mkdir(parents=True, exist_ok=True)
    archives = []
    for kind, tree in trees.items():
        path = to / f"{source.name}-{kind}.zip"
        partial = path.with_name(f".{path.name}.part")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        # What has the solution or the secret is not for other users of this machine.
        mode = 0o644 if kind == "starter" else 0o600
        with os.fdopen(os.open(partial, flags, mode), "wb") as out:
            out.write(archive(tree))
        os.replace(partial, path)
        archives.append(path)
    return archives


def archive(tree: Tree) -> bytes:
    """Return a zip of a tree: sorted, without times, users or folder entries.

    Args:
        tree: Names and bytes.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, data in sorted(tree.items()):
            about = zipfile.ZipInfo(name, _EARLIEST)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.create_system = 3  # Unix: what the mode below means
            about.external_attr = (0o100000 | _mode(name, data)) << 16
            file.writestr(about, data)
    return out.getvalue()


def _mode(name: str, data: bytes) -> int:
    if name.rpartition("/")[2] == "secret":
        return 0o600
    return 0o755 if data.startswith(b"#!") else 0o644


def _gradescope_tree(
    source: Source, secret_file: Path | None, wheels: tuple[Path, ...]
) -> Tree:
    if secret_file is None:
        raise UsageError(
            "[release] gradescope needs the course's secret, which determines inputs "
            "of hidden rows. Run this in the folder of course.toml, or pass "
            "--secret-file FILE."
        )
    tree: Tree = {name: text.encode() for name, text in gradescope.FILES.items()}
    tree["secret"] = own_secret(secret_file) + b"\n"
    for name, data in grader_tree(source).items():
        tree[f"assignment/{name}"] = data
    for wheel in wheels:
        tree[f"wheels/{wheel.name}"] = wheel.read_bytes()
    return tree
