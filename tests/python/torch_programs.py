"""How the programs in data/torch_programs are run and what they print compared.

They are text with `import torch`: `rewritten` changes their import lines alone. Works
for PyTorch itself, which recorded what they print (data/make_torch_programs.py), and
for ours. Must import neither.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
import warnings
from pathlib import Path

FOLDER = Path(__file__).parent / "data" / "torch_programs"
# Of a printed number: libraries sum in their own order, and round in the last place.
TOLERANCE = 1e-3
PLACES = 1.5

_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\d+)(?:e[-+]?\d+)?")


def programs():
    """The programs' names, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.py"))


def text_of(name):
    """A program's text, as its author wrote it."""
    return (FOLDER / f"{name}.py").read_text()


def rewritten(text, package):
    """The program with `package` in place of `torch` in its import lines alone.

    `import torch` becomes `import package as torch`.
    """
    text = re.sub(r"(?m)^import torch$", f"import {package} as torch", text)
    return re.sub(r"(?m)^(import|from) torch\b", rf"\1 {package}", text)


def reseeded(text, more):
    """The program with other random numbers: `more` added to its seeds."""

    def other(match):
        return f"{match[1]}seed({int(match[2]) + more})"

    return re.sub(r"\b(manual_|random\.)seed\((\d+)\)", other, text)


def printed(text, name):
    """Runs a program as `python name.py` does; the lines that it prints."""
    out = io.StringIO()
    code = compile(text, f"{name}.py", "exec")
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, {"__name__": "__main__"})
    return out.getvalue().splitlines()


def line_difference(wanted, got):
    """Where two printed lines differ, in words; None where they agree.

    Words and whole numbers must be the same, other numbers close.
    """
    agree = _NUMBER.split(wanted) == _NUMBER.split(got)
    pairs = zip(_NUMBER.findall(wanted), _NUMBER.findall(got), strict=False)
    if agree and all(_close(right, here) for right, here in pairs):
        return None
    return f"printed {got!r}; need {wanted!r}"


def _close(wanted, got):
    if any(text.lstrip("+-").isdigit() for text in (wanted, got)):
        return wanted == got
    digits, _, exponent = wanted.partition("e")
    last = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    return math.isclose(
        float(wanted), float(got), rel_tol=TOLERANCE, abs_tol=PLACES * last
    )
