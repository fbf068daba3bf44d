"""Files of a starter besides code: README.md, assignment.toml, .devcontainer/."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

from .sources import Source

#: What tests need beside this library.
PACKAGES = ("pytest", "hypothesis")
#: What has the command `minitorch course`.
GRADER = "minitorch-grading"
_INSTALL = f'pip install "minitorch-cuda[nvrtc13]" {" ".join(PACKAGES)}'

_LABEL = re.compile(r'<svg\b[^>]*? aria-label="([^"]*)"')

# Keys of assignment.toml that students get. What is said of a failed hidden row
# (`advice`) and what graded tests may take (`limits`) is not among them.
_TOP = ("schema", "name", "title", "points", "needs", "earlier", "package", "files")
_TASK = ("id", "title", "file", "question", "next")
_ITEM = (
    "id", "task", "title", "points", "hidden", "public", "functions", "manual", "extra",
)  # fmt: skip


def pages(source: Source) -> dict[str, str]:
    """Return the files by name.

    Args:
        source: By `read_source`.
    """
    return {
        "README.md": readme(source),
        "assignment.toml": public_toml(source.facts),
        ".devcontainer/devcontainer.json": _devcontainer(source),
    }


def public_toml(facts: Mapping[str, Any]) -> str:
    """assignment.toml for students: tasks, points, and which tests are public.

    Args:
        facts: The teacher's assignment.toml.

    Example:
        >>> print(public_toml({"name": "m3", "files": ["a.py"], "secret": 1}), end="")
        name = "m3"
        files = ["a.py"]
    """
    lines = [f"{key} = {_toml(facts[key])}" for key in _TOP if key in facts]
    for table, keys in (("task", _TASK), ("item", _ITEM)):
        for entry in facts.get(table, []):
            lines += ["", f"[[{table}]]"]
            lines += [f"{key} = {_toml(entry[key])}" for key in keys if key in entry]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key} = {_toml(part)}" for key, part in value.items())
        return f"{{ {inside} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    # JSON's strings, numbers and booleans are TOML's, but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def marker_of(task: str) -> str:
    """Return the pytest marker of a task: `test3_3` for 3.3."""
    return "test" + task.replace(".", "_")


def readme(source: Source) -> str:
    """Return README.md: how to install and run, then all tasks with pictures."""
    facts = source.facts
    tasks = facts.get("task", [])
    first = str(tasks[0]["id"]) if tasks else ""
    parts = [f"# {facts.get('title', source.name)}", own_words(source)]
    parts.append(_start(source.name, first))
    parts += [task_words(source, part) for part in tasks]
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


def task_words(source: Source, task: Mapping[str, Any]) -> str:
    """Return a task's heading, points, question and pictures, as Markdown."""
    name = str(task["id"])
    items = [e for e in source.facts.get("item", []) if str(e.get("task")) == name]
    points = sum(points_of(item) for item in items)
    extra = " (extra)" if items and all(item.get("extra") for item in items) else ""
    lines = [f"## {name} {task.get('title', '')}".rstrip(), ""]
    location = f"In `{task['file']}`. " if "file" in task else ""
    lines += [f"{location}{points} point{'s' * (points != 1)}{extra}. Run: "]
    lines[-1] += f"`python -m pytest -m {marker_of(name)}`."
    if task.get("question"):
        lines += ["", f"*{task['question']}*"]
    for path, alt in pictures_of(source, name):
        words = alt or f"{name} {task.get('title', '')}"
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


def points_of(item: Mapping[str, Any]) -> int:
    """Return the points of an item, summed over its rows."""
    points = item.get("points", 0)
    return sum(points.values()) if isinstance(points, Mapping) else int(points)


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
        "name": str(source.facts.get("title", source.name)),
        "image": "mcr.microsoft.com/devcontainers/python:3.12",
        "postCreateCommand": _INSTALL,
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
