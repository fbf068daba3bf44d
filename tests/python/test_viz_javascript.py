"""Tests of the renderer as a script: Python and its translation compute the same."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from minitorch.viz.figure.javascript import Translation
from minitorch.viz.figure.live import bundle

PROGRAM = '''
from dataclasses import dataclass

_STEP, _NAMES = 2, {"a": 1}


@dataclass
class Point:
    x: float
    y: float = 1

    def moved(self, by: float) -> tuple[float, float]:
        return self.x + by, self.y

    @property
    def area(self) -> float:
        return self.x * self.y


def scaled(value: float, *, by: float = 2) -> float:
    """Not a part of the script."""
    return value * by


def unused() -> None:
    import numpy


def program():
    point, found, groups = Point(3), [], {}
    for at, (name, value) in enumerate([("a", 1), ("b", 2), ("c", -3)]):
        if value < 0 or not name:
            continue
        groups.setdefault(name, []).append(at // _STEP)
        found.append(f"{name}{value * 1234:,}{value + 0.5:g}")
    x, (y, *rest) = point.moved(scaled(1, by=5)), [1, 2, 3]
    low = max(0, *rest)
    while low > 0:
        low -= 1
    inside = [a * b for a in (1, 2) for b in range(3) if b]
    head, sign, tail = "k = 3".partition(" = ")
    return [
        x, y, rest, low, found, groups, inside, head + sign + tail, point.area,
        "yes" if [] else "no", "-" * 3, [0] * 2, rest[-1], "abcd"[1:3],
        0 <= y < 2 <= 3, "b" in "abc", any(each > 2 for each in rest), divmod(7, 3),
        {**_NAMES, "b": 2}.get("b", 0), sorted([3, 1, 2], key=lambda each: -each),
        next((each for each in rest if each > 2), 0), -(-7 // 2), sum(inside),
    ]
'''


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_script_computes_what_python_does():
    scope: dict = {"__name__": __name__}
    exec(PROGRAM, scope)
    code = bundle("drawing")
    code += Translation([PROGRAM]).script(["program"], set()).replace("export ", "")
    code += "console.log(JSON.stringify(program()));"
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True)
    assert not done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(scope["program"]()))


@pytest.mark.parametrize(
    ("line", "what"),
    [("with x: pass", "With on line 2"), ("return x @ x", "MatMult on line 2"),
     ("return {each for each in x}", "SetComp on line 2")],
)  # fmt: skip
def test_what_no_script_has_is_refused(line, what):
    with pytest.raises(ValueError, match=f"got {what}; no script has that"):
        Translation([f"def f(x):\n  {line}\n"]).script(["f"], set())


def test_a_name_stands_for_one_thing_in_all_modules():
    with pytest.raises(ValueError, match=r"got .'x'. again; need another name"):
        Translation(["x = 1", "def x(): pass"])
