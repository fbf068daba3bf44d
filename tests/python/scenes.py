"""Both renderers of scenes side by side: what Python and JavaScript draw for states."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from minitorch import viz
from minitorch.viz.figure.live import bundle
from minitorch.viz.figure.scenes import Interned, swatches
from minitorch.viz.scene.render import draw
from minitorch.viz.scene.scene import (
    Axis,
    Cells,
    Panel,
    Scene,
    Table,
    first,
    sentences,
)

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_DRAW = """
const { packed, states, widths } = JSON.parse(require("fs").readFileSync(0, "utf8"));
unpacked(packed).then((scene) => console.log(JSON.stringify(
  states.map((state, at) => ({
    said: sentences(scene, state),
    drawn: parts_of(scene, state, widths[at]),
  })), (name, value) => name === "mark" || name === "slot" ? undefined : value)));
"""


def picture(
    answer: str = "One thread writes one cell.",
    detail: str = "",
    question: str = "What is it?",
    title: str = "Cells",
    key: tuple[tuple[str, int, str], ...] = (("runs", 0, "runs"),),
    **fields: Any,
) -> viz.Figure:
    """Return a small figure, of one cell and one axis."""
    own = Interned()
    looks = (np.array([own.look("runs")]),)
    cells = Cells("cells", title, "", 1, 1, (20.0, 20.0), looks=looks)
    said = Table(("step",), own.texts([answer] * 3))
    scene = Scene(
        (Axis("step", "Step", 3, words="step {step}"),), own.all, own.looks,
        (Panel((cells,), 1080),), (said,), (detail,), key=swatches(key),
    )  # fmt: skip
    return viz.Figure(question, scene, {"step": 0}, **fields)


def random_states(scene: Scene, count: int, seed: int = 0) -> list[dict[str, int]]:
    """Return states of which each axis has a random index."""
    generator = np.random.default_rng(seed)
    states: list[dict[str, int]] = []
    for _ in range(count):
        state: dict[str, int] = {}
        for axis in scene.axes:
            most = axis.count
            if axis.limit is not None:
                most = first(axis.limit, state)
            state[axis.name] = int(generator.integers(most))
        states.append(state)
    return states


def in_javascript(scene: Scene, states: Any, widths: Any) -> Any:
    """Return sentences and parts that the script gives for states."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here")
    asked = {"packed": scene.packed(), "states": states, "widths": widths}
    found = subprocess.run(
        [node, "-e", bundle("drawing", "render") + _DRAW],
        input=json.dumps(asked), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(found.stdout)


def _tree(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<g>{text.replace('&#64;', '@')}</g>")


def _same(one: str, other: str) -> bool:
    """Equal but for a tenth of a pixel, where halves are rounded apart."""
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= 0.11 for a, b in pairs)


def agree(one: ElementTree.Element, other: ElementTree.Element) -> None:
    """Assert that two trees of elements are equal."""
    assert (one.tag, len(one)) == (other.tag, len(other))
    assert one.attrib.keys() == other.attrib.keys(), (one.attrib, other.attrib)
    for name, value in one.attrib.items():
        assert _same(value, other.attrib[name]), (name, value, other.attrib[name])
    assert (one.text or "") == (other.text or "")
    for a, b in zip(one, other, strict=True):
        agree(a, b)


def check_scene(figure: viz.Figure, scene: Scene, count: int = 20) -> None:
    """Assert that both renderers agree on random states at several widths."""
    states = random_states(scene, count)
    widths = [(1080, 780, 380)[at % 3] for at in range(count)]
    found = in_javascript(scene, states, widths)
    for state, width, drawn in zip(states, widths, found, strict=True):
        mine = draw(scene, state, width)
        assert tuple(drawn["said"]) == sentences(scene, state)
        parts, height, _ = drawn["drawn"]
        every = list(_tree(str(mine)))
        assert len(every) == len(parts)
        for one, part in zip(every, parts, strict=True):
            at = re.findall(_NUMBER, one.get("transform", ""))
            assert [float(each) for each in at] == pytest.approx(
                [part["x"], part["y"]], abs=0.11
            )
            text = "".join(part["drawing"]["parts"])
            own = _tree(text)
            for size in re.findall(r'font-size="([\d.]+)"', text):
                assert float(size) >= 10
            one.attrib.clear()
            agree(one, own)
        assert height == pytest.approx(mine.height, abs=0.2)
