"""The reading and running of `data/wrong_kernels.txt`: kernels with mistakes.

    python tests/python/wrong_kernels.py

writes the messages that the programs give now into the file, for `git diff` to show.
"""

from __future__ import annotations

import linecache
import math
import re
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minitorch import cuda

FILE = Path(__file__).parent / "data" / "wrong_kernels.txt"
RULE = "-" * 40


class WrongKernel(NamedTuple):
    """A program of a few lines and the error that it must end with."""

    title: str
    program: str
    message: str


def read(text):
    """Give the cases of a file."""
    cases = []
    for block in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        title, _, rest = block.partition("\n")
        program, _, message = rest.partition(f"{RULE}\n")
        cases.append(WrongKernel(title, program.strip("\n") + "\n", message.strip()))
    return cases


def message_of(case):
    """Run a program and give its error, with FILE for the name of its file."""
    file = f"<{case.title}>"
    lines = case.program.splitlines(keepends=True)
    linecache.cache[file] = (len(case.program), None, lines, file)
    scope = {
        "__name__": "wrong",
        "math": math,
        "np": np,
        "cuda": cuda,
        "n": 16,
        "a": np.ones(16, np.float32),
        "b": np.ones(16, np.float32),
        "out": np.zeros(16, np.float32),
        "image": np.ones((4, 4), np.float32),
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(case.program, file, "exec"), scope)
    except Exception as error:
        text = f"{type(error).__name__}: {error}".replace(file, "FILE")
        return "\n".join(line.rstrip() for line in text.splitlines())
    return "It ran without an error."


def main():
    """Write the messages of today into the file."""
    text = FILE.read_text()
    parts = [text.partition("== ")[0].rstrip()]
    parts += [
        f"== {case.title}\n{case.program}{RULE}\n{message_of(case)}"
        for case in read(text)
    ]
    FILE.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
