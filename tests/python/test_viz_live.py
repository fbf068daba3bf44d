"""Tests of what makes a picture live: its data, its one script, its place in a page."""

from __future__ import annotations

import base64
import html
import json
import re
import shutil
import subprocess
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from minitorch.viz import Figure
from minitorch.viz.figure import live
from minitorch.viz.figure.live import Live, bundle
from minitorch.viz.scene.drawing import Drawing

from .source_tree import ROOT

SCRIPTS = sorted((ROOT / "minitorch/viz/assets").glob("*.js"))


def figure(data: dict, answer: str = "It is live.") -> Figure:
    body = Drawing(1080, 40)
    body.rect(0, 0, 20, 20, data_at="bar")
    return Figure("What is it?", answer, "", body, live=Live("frame", data))


def payload_of(text: str) -> object:
    found = re.search(r'<script type="application/json">(.*?)</script>', text)
    assert found
    return json.loads(found[1])


def test_data_arrive_as_they_were():
    data = {"words": ["</script><!--", "é∞", '"'], "step": np.arange(3), "x": 1.5}
    for text in (figure(data).html(), figure(data)._repr_mimebundle_()["text/html"]):
        found = payload_of(text)
        assert found == {"words": data["words"], "step": [0, 1, 2], "x": 1.5}
        assert text.count("</script>") == 2


@pytest.mark.parametrize("value", [np.nan, np.array([1, np.inf]), -np.inf])
def test_numbers_that_json_has_not_are_refused(value):
    with pytest.raises(ValueError, match="'frame' with NaN or an infinity; need"):
        figure({"x": value}).html()


def test_objects_that_json_has_not_are_refused():
    with pytest.raises(TypeError, match="got object in a figure's data; need what"):
        figure({"x": object()}).html()


def test_a_live_figure_still_has_its_still_forms():
    shown = figure({})
    bundle_ = shown._repr_mimebundle_()
    assert bundle_["text/plain"] == "It is live."
    root = ElementTree.fromstring(bundle_["image/svg+xml"])
    assert [each.get("data-at") for each in root.iter() if each.get("data-at")]
    assert "<script" not in shown.svg()
    assert shown.svg() in shown.html()


def image_in(text: str) -> str:
    found = re.search(r'<img alt="([^"]*)"[^>]* src="data:image/svg\+xml;base64,', text)
    assert found
    assert html.unescape(found[1]) == "It is live."
    return base64.b64decode(text[found.end() :].partition('"')[0]).decode()


@pytest.mark.parametrize("is_live", [True, False])
def test_notebooks_keep_an_image_where_no_script_may_run(is_live):
    shown = figure({}) if is_live else replace(figure({}), live=None)
    output = shown._repr_mimebundle_()["text/html"]
    assert image_in(output) == shown.svg()
    # What is left when scripts and attributes are taken away has no other words.
    bare = re.sub(r"<(script|style)\b.*?</\1>", "", output, flags=re.DOTALL)
    assert re.sub(r"<[^>]*>", "", bare) == ""


def test_words_in_attributes_stay_words():
    text = figure({}, 'k<int> "x" & \x00 \ud800').html()
    assert 'data-answer="k&lt;int&gt; &quot;x&quot; &amp; \ufffd \ufffd"' in text


MODULES = {
    "one.js": 'import { two as deux, half } from "./two.js";\n'
    "export function one() {\n  return deux() * half;\n}\n",
    "two.js": "const hidden = 2;\nexport function two() {\n  return hidden;\n}\n"
    "export const half = 0.5;\n",
    "frame.js": "export class Frame {}\n",
    "round.js": 'import { a } from "./about.js";\n',
    "about.js": 'import { b } from "./round.js";\nexport const a = 1;\n',
    "whole.js": 'import * as two from "./two.js";\n',
    "default.js": "export default 3;\n",
}


@pytest.fixture
def modules(monkeypatch):
    monkeypatch.setattr(live, "_asset", MODULES.__getitem__)
    bundle.cache_clear()
    yield
    bundle.cache_clear()


def test_modules_become_one_script_in_the_order_of_their_imports(modules):
    code = bundle("one")
    order = re.findall(r"^const (m_\w+) = \(\(\) => \{$", code, re.MULTILINE)
    assert order == ["m_two", "m_one"]
    assert "const { two: deux, half } = m_two;" in code
    assert "return { two, half };" in code
    assert not re.search(r"^(import|export)\b", code, re.MULTILINE)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_one_script_computes_what_the_modules_do(modules):
    code = f"{bundle('one', 'frame')}console.log(m_one.one(), typeof m_frame.Frame);"
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True)
    assert done.stdout == "1 function\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("round", "a circle of imports: round > about > round"),
        (
            "whole",
            r"got 'import \* as two .*' in whole.js; need imports and exports of",
        ),
        ("default", "got 'export default 3;' in default.js"),
    ],
)
def test_modules_that_cannot_be_joined_are_refused(modules, name, message):
    with pytest.raises(ValueError, match=message):
        bundle(name)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_are_typed_and_stay_on_this_machine(path):
    text = path.read_text("utf-8")
    assert text.startswith("// @ts-check\n// ")
    assert max(map(len, text.splitlines())) <= 120
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)
    for word in ("fetch(", "XMLHttpRequest", "localStorage", "eval(", "</script"):
        assert word not in text
    bundle(path.stem)


@pytest.mark.skipif(shutil.which("tsc") is None, reason="needs the TypeScript compiler")
def test_the_types_of_scripts_hold():
    command = ["tsc", "--project", str(ROOT / "tests/browser/tsconfig.json")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
