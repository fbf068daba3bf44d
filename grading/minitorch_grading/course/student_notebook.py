"""Notebook of a starter: each file to write is a cell, each task a check.

For Colab and Jupyter: nothing is edited outside the notebook, and the notebook alone
can be handed in (`rubric/notebooks.py` reads it). Format 4.5 of Jupyter's `nbformat`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..rubric.assignment import Task
from .sources import Source
from .student_pages import GRADER, PACKAGES, own_words, pictures_of, task_words

_KINDS = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg"}

_HOW = """\
Run the cells from the top. A cell that begins with `%%writefile` is a file: write your
work into it and run it, then run the check of the task. The check knows the files as
they were written last, in a process of its own. To hand in, save this notebook: it
holds all your files."""

_FIRST = """\
# On Colab, upload {name}-starter.zip first (the folder sign on the left).
import importlib.util
import pathlib
import sys
import time

from IPython.display import SVG, display

if importlib.util.find_spec("minitorch_grading") is None:
    # The T4 of Colab has a driver of CUDA 12.
    compiler = "nvrtc12" if "google.colab" in sys.modules else "nvrtc13"
    %pip install -q "minitorch-cuda[{{compiler}}]" {packages}
if not pathlib.Path("assignment.toml").exists():
    !unzip -q -n {name}-starter.zip -d {name}
    %cd {name}


def check(task):
    \"\"\"The public tests of a task, in sentences, and pictures of faults.\"\"\"
    begin = time.time()
    !minitorch course check {{task}}
    for picture in sorted(pathlib.Path("found").glob("*.svg")):
        if picture.stat().st_mtime >= begin - 1:
            display(SVG(filename=str(picture)))"""


def notebook(source: Source, tree: Mapping[str, bytes]) -> str:
    """Return the notebook's text; equal trees give equal texts.

    Args:
        source: By `read_source`.
        tree: The starter's files, or the solution's.
    """
    title = f"# {source.assignment.title}"
    cells = [_words("\n\n".join([title, own_words(source).strip(), _HOW]))]
    first = _FIRST.format(name=source.name, packages=" ".join((*PACKAGES, GRADER)))
    cells += [_code(first), *_work(source, tree)]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    about = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": cells,
        "metadata": {"kernelspec": about, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _work(source: Source, tree: Mapping[str, bytes]) -> Iterator[dict[str, Any]]:
    """Yield each task's text, the file it is the first to use, and its check."""
    tasks = source.assignment.tasks
    left = [file for file in source.files if file in tree]
    for file in list(left):
        if all(task.file != file for task in tasks):
            yield _file(file, tree[file])
            left.remove(file)
    for task in tasks:
        yield _task(source, task)
        if task.file in left:
            yield _file(task.file, tree[task.file])
            left.remove(task.file)
        yield _code(f'check("{task.id}")')


def _file(name: str, data: bytes) -> dict[str, Any]:
    return _code(f"%%writefile {name}\n{data.decode()}")


def _task(source: Source, task: Task) -> dict[str, Any]:
    text, attached = task_words(source, task), {}
    for path, _ in pictures_of(source, task.id):
        if path.suffix in _KINDS:
            data = base64.b64encode(path.read_bytes()).decode()
            attached[path.name] = {_KINDS[path.suffix]: data}
            text = text.replace(
                f"](pictures/{path.name})", f"](attachment:{path.name})"
            )
    return _words(text) | ({"attachments": attached} if attached else {})


def _words(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(text)}


def _code(text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": _lines(text.rstrip("\n")),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
