"""Tests that a program's text without words means the same and tells nothing else."""

from __future__ import annotations

from minitorch_grading.judge.bare_source import bare

RIGHT = '''"""Holds operators."""
from __future__ import annotations
import math


class Kept:
    """Has words."""

    def half(self, x: float = 2.0, *more: int, **names: str) -> float:
        """Halves."""
        return x / 2  # as asked


def add(x: float, y: float) -> float:
    """Adds; `"""not this"""`."""
    return x + y


def nothing():
    """Says why."""


text = "a text that is a value"
'''.replace('`"""not this"""`', "`not this`")

WRONG = RIGHT.replace("import math\n", "import math\nimport math\n").replace(
    'def add(x: float, y: float) -> float:\n    """Adds; `not this`."""\n'
    "    return x + y\n",
    "def add(x, y):\n    return x + y + 1  # wrong: one too many\n",
)


def test_the_meaning_stays():
    names: dict = {}
    exec(bare(RIGHT), names)
    assert names["add"](2, 3) == 5
    assert names["Kept"]().half(5.0) == 2.5
    assert names["nothing"]() is None
    assert names["text"] == "a text that is a value"


def test_only_what_is_done_differs():
    assert "wrong" in WRONG
    lines = set(bare(WRONG).splitlines()) ^ set(bare(RIGHT).splitlines())
    assert sorted(lines) == ["    return x + y", "    return x + y + 1"]
    assert len(bare(WRONG).splitlines()) == len(bare(RIGHT).splitlines())


def test_it_can_be_taken_twice():
    assert bare(bare(RIGHT)) == bare(RIGHT)
