"""Files of a starter besides code: README.md, assignment.toml, .devcontainer/."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path

import msgspec

from ..rubric.assignment import Assignment, Task, plain_number
from .sources import Source

#: What tests need beside this library.
PACKAGES = ("pytest", "hypothesis")
#: What has the command `minitorch course`.
GRADER = "minitorch-grading"
_INSTALL = f'pip install "minitorch-cuda[nvrtc13]" {" ".join(PACKAGES)}'

_LABEL = re.compile(r'<svg\b[^>]*? aria-label="([^"]*)"')

# Keys of assignment.toml that students get. What is said of a failed hidden row
# (`advice`) and what graded tests may take (`limits`) is not among them.
_TOP = ("schema", "name", "title", "points", "needs", "package", "files")
_TASK = ("id", "title", "file", "question", "next")
_ITEM = (
    "id", "task", "title", "points", "hidden", "public", "manual", "extra",
)  # fmt: skip


def pages(source: Source) -> dict[str, str]:
    """Return the files by name.

    Args:
        source: By `read_source`.
    """
    return {
        "README.md": readme(source),
        "assignment.toml": public_toml(source.assignment),
        ".devcontainer/devcontainer.json": _devcontainer(source),
    }


def public_toml(assignment: Assignment) -> str:
    """assignment.toml for students: tasks, points, and which tests are public.

    Example:
        >>> from minitorch_grading.rubric.assignment import read_assignment
        >>> public_toml(read_assignment("grading/tests/data/tiny")).splitlines()[:2]
        ['schema = "minitorch/assignment/1"', 'name = "tiny"']
    """
    facts = msgspec.to_builtins(assignment, enc_hook=str)
    lines = [f"{key} = {_toml(facts[key])}" for key in _TOP if key in facts]
    for table, keys in (("task", _TASK), ("item", _ITEM)):
        for entry in facts[table]:
            lines += ["", f"[[{table}]]"]
            lines += [f"{key} = {_toml(entry[key])}" for key in keys if key in entry]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        if "" in value:  # the points of a single row
            return _toml(value[""])
        inside = ", ".join(f"{key} = {_toml(part)}" for key, part in value.items())
        return f"{{ {inside} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    # JSON's strings, numbers and booleans are TOML's, but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def marker_of(task: str) -> str:
    """Return the pytest marker of a task: `test3_3` for 3.3."""
    return "test" + task.replace(".", "_")


def readme(source: Source) -> str:
    """Return README.md: how to install and run, then all tasks with pictures."""
    assignment = source.assignment
    parts = [f"# {assignment.title}", own_words(source)]
    parts.append(_start(source.name, assignment.tasks[0].id))
    parts += [task_words(source, task) for task in assignment.tasks]
    parts.append(_end(source))
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def own_words(source: Source) -> str:
    """Return the teacher's INTRO.md, or ""."""
    path = source.folder / "INTRO.md"
    return path.read_text("utf-8") if path.is_file() else ""


def _start(name: str, task: str) -> str:
    marker = marker_of(task)
    return f"""\
## Start

Install once, in a Python 3.11 or newer on Linux (on Windows in WSL). You need no GPU:

```bash
{_INSTALL}
```

Then, in this folder, run the tests of a task up to the first that fails:

```bash
python -m pytest -x -m {marker}
```

Or have all of them told in sentences; the first line is needed once:

```bash
pip install {GRADER}
minitorch course check {task}
```

- **Codespaces**: start one from this repository; it installs itself.
- **Colab, Jupyter**: open `{name}.ipynb`. It holds the files as cells and checks each
  task; on Colab upload this folder's zip beside it, its first cell does the rest."""


def task_words(source: Source, task: Task) -> str:
    """Return a task's heading, points, question and pictures, as Markdown."""
    rows = [row for row in source.assignment.rows if row.task == task.id]
    points = plain_number(sum(row.points for row in rows))
    extra = " (extra)" if all(row.extra for row in rows) else ""
    lines = [f"## {task.id} {task.title}", ""]
    lines += [f"In `{task.file}`. {points} point{'s' * (points != 1)}{extra}. Run: "]
    lines[-1] += f"`python -m pytest -m {marker_of(task.id)}`."
    if task.question:
        lines += ["", f"*{task.question}*"]
    for path, alt in pictures_of(source, task.id):
        words = alt or f"{task.id} {task.title}"
        lines += ["", f"![{words}](pictures/{path.name})"]
    return "\n".join(lines)


def pictures_of(source: Source, task: str) -> list[tuple[Path, str]]:
    """Return a task's pictures with their alternative texts."""
    pictures = (source.folder / "source" / "pictures").glob(f"{task}.*")
    return [(path, _alt(path)) for path in sorted(pictures)]


def _alt(path: Path) -> str:
    """Return an SVG's alternative text, or ""."""
    if path.suffix != ".svg":
        return ""
    match = _LABEL.match(path.read_text("utf-8"))
    return " ".join(unescape(match[1]).split()) if match else ""


def _end(source: Source) -> str:
    files = "\n".join(f"- `{file}`" for file in source.files)
    return f"""\
## Hand in

{files}

Nothing else counts: change other files as you like, but your work must run with those
that you were given. The grader also runs tests that are not in `tests/`. It tells what
kind of mistake they found and in which of your lines, not with which numbers.

`{source.name}.ipynb` alone may be handed in instead: its cells hold these files."""


def _devcontainer(source: Source) -> str:
    content = {
        "name": source.assignment.title,
        "image": "mcr.microsoft.com/devcontainers/python:3.12",
        "postCreateCommand": _INSTALL,
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
