"""Tests of what makes a picture live: its data, its one script, its place in a page."""

from __future__ import annotations

import base64
import html
import json
import re
import shutil
import subprocess
from xml.etree import ElementTree

import pytest

from minitorch.viz.figure.live import bundle

from .scenes import picture
from .source_tree import ROOT

SCRIPTS = sorted((ROOT / "minitorch/viz/assets").glob("*.js"))


def payload_of(text: str) -> dict:
    found = re.search(r'<script type="application/json">(.*?)</script>', text)
    assert found
    return json.loads(found[1])


def test_data_arrive_as_they_were():
    shown = picture(question="</script><!-- é∞", alarm='"')
    for text in (shown.html(), shown._repr_mimebundle_()["text/html"]):
        found = payload_of(text)
        assert (found["question"], found["alarm"]) == (shown.question, shown.alarm)
        assert found["state"] == {"step": 0}
        assert found["packed"] == shown.scene.packed()
        assert text.count("</script>") == 2


def test_a_live_figure_still_has_its_still_forms():
    shown = picture("It is live.")
    bundle_ = shown._repr_mimebundle_()
    assert bundle_["text/plain"] == "It is live."
    root = ElementTree.fromstring(bundle_["image/svg+xml"])
    assert [each for each in root.iter() if each.get("data-part")]
    assert "<script" not in shown.svg()
    assert shown.svg() in shown.html()


def image_in(text: str) -> str:
    found = re.search(r'<img alt="([^"]*)"[^>]* src="data:image/svg\+xml;base64,', text)
    assert found
    assert html.unescape(found[1]) == "It is live."
    return base64.b64decode(text[found.end() :].partition('"')[0]).decode()


def test_notebooks_keep_an_image_where_no_script_may_run():
    shown = picture("It is live.")
    output = shown._repr_mimebundle_()["text/html"]
    assert image_in(output) == shown.svg()
    # What is left when scripts and attributes are taken away has no other words.
    bare = re.sub(r"<(script|style)\b.*?</\1>", "", output, flags=re.DOTALL)
    assert re.sub(r"<[^>]*>", "", bare) == ""


def test_words_in_attributes_stay_words():
    text = picture(question='k<int> "x" & \x00 \ud800').html()
    assert 'aria-label="k&lt;int&gt; &quot;x&quot; &amp; \ufffd \ufffd"' in text


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_are_typed_and_stay_on_this_machine(path):
    text = path.read_text("utf-8")
    assert text.startswith("// @ts-check\n// ")
    assert max(map(len, text.splitlines())) <= 120
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)
    for word in ("fetch(", "XMLHttpRequest", "localStorage", "eval(", "</script"):
        assert word not in text
    assert not re.search(r"^(import|export)\b", bundle(path.stem), re.MULTILINE)


@pytest.mark.skipif(shutil.which("tsc") is None, reason="needs the TypeScript compiler")
def test_the_types_of_scripts_hold():
    command = ["tsc", "--project", str(ROOT / "tests/browser/tsconfig.json")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
