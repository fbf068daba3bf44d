"""Owns the pictures in starters' README files: of launches of what students are given.

Usage: python assignments/make_pictures.py

Each is what `python picture.py TASK` draws in the starter, for tasks whose given kernel
can be launched. Students see the same of their own files. Writes source/pictures/ of
the assignments; `git diff` shows what has changed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from minitorch.grading.authoring.trees import read_source, student_tree, write_tree

HERE = Path(__file__).parent
TASKS = {"clinic": ["5.1"], "reductions": ["6.1"]}
# picture.py saves a page; its last argument is the name of the file.
_SAVE = re.compile(r'figure\.save\(f"\{task\}\.html"\)')


def picture(name: str, task: str) -> str:
    """The picture of a task as SVG.

    Args:
        name: An assignment's.
        task: One whose kernel students are given, right or wrong.

    Raises:
        CalledProcessError: The starter's picture.py fails.
    """
    with TemporaryDirectory() as folder:
        tree = Path(folder, name)
        write_tree(student_tree(read_source(HERE / name), "starter"), tree)
        script = tree / "picture.py"
        text, count = _SAVE.subn(
            'figure.save(f"{task}.svg")', script.read_text("utf-8")
        )
        assert count == 1, f"{script} saves its figure in another way"
        script.write_text(text, "utf-8")
        subprocess.run(
            [sys.executable, script.name, task],
            cwd=tree,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return (tree / f"{task}.svg").read_text("utf-8")


def main() -> None:
    """Write all pictures."""
    for name, tasks in TASKS.items():
        folder = HERE / name / "source" / "pictures"
        folder.mkdir(exist_ok=True)
        for task in tasks:
            (folder / f"{task}.svg").write_text(picture(name, task), "utf-8")


if __name__ == "__main__":
    main()
