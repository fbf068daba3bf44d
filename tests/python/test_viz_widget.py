"""Tests of figures as widgets: what they send, and that they do without."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from minitorch.viz import Figure
from minitorch.viz.figure import widget

from .scenes import picture

VIEW = "application/vnd.jupyter.widget-view+json"
FORMS = {"text/plain", "image/svg+xml", "text/html"}


def figure() -> Figure:
    return picture("It is <live>.")


@pytest.fixture
def kernel(monkeypatch):
    """As if a notebook's kernel ran: IPython's shell has a kernel then."""
    ipython = pytest.importorskip("IPython")
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setattr(ipython, "get_ipython", lambda: shell)
    monkeypatch.setenv("MINITORCH_WIDGETS", "1")
    return monkeypatch


def test_outside_a_notebook_there_is_no_widget(monkeypatch):
    monkeypatch.setenv("MINITORCH_WIDGETS", "1")
    assert not widget.are_wanted()
    assert set(figure()._repr_mimebundle_()) == FORMS


def test_in_a_notebook_the_widget_stands_beside_the_other_forms(kernel):
    pytest.importorskip("anywidget")
    kernel.setattr("minitorch.viz.figure.figure.make_widget", fake := Fake())
    shown = figure()
    bundle, metadata = shown._repr_mimebundle_()
    assert set(bundle) == {*FORMS, VIEW}
    assert bundle["text/plain"] == "It is <live>."
    assert bundle[VIEW] == "view"
    assert metadata == {VIEW: "metadata"}
    assert shown.widget() is shown.widget() is fake.made[0]
    assert len(fake.made) == 1


class Fake:
    def __init__(self) -> None:
        self.made: list[SimpleNamespace] = []

    def __call__(self, part: str) -> SimpleNamespace:
        bundle = {"text/plain": "a widget", VIEW: "view"}
        output = (bundle, {VIEW: "metadata"})
        self.made.append(SimpleNamespace(_repr_mimebundle_=lambda: output))
        return self.made[-1]


@pytest.mark.parametrize("reason", ["not asked for", "missing"])
def test_widgets_that_nobody_wants_are_not_made(kernel, reason):
    if reason == "missing":
        kernel.setitem(sys.modules, "anywidget", None)
    else:
        kernel.delenv("MINITORCH_WIDGETS")
    assert set(figure()._repr_mimebundle_()) == FORMS


def test_a_figure_whose_widget_was_asked_for_shows_it(monkeypatch):
    monkeypatch.delenv("MINITORCH_WIDGETS", raising=False)
    monkeypatch.setattr("minitorch.viz.figure.figure.make_widget", Fake())
    shown = figure()
    assert set(shown._repr_mimebundle_()) == FORMS
    shown.widget()
    assert set(shown._repr_mimebundle_()[0]) == {*FORMS, VIEW}


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    widget._widget_class.cache_clear()
    with pytest.raises(
        ImportError, match=r"pip install anywidget\. Without it figures"
    ):
        figure().widget()


PROGRAM = """
from tests.python.test_viz_widget import figure
shown = figure()
one = shown.widget()
assert shown.svg() in one.part and "<script>" not in one.part
assert one.state == {}, one.state
one.state = {"block": 2}
assert "export default m_widget;" in one._esm
sent = one.get_state()
assert {"part", "state", "_esm"} <= set(sent) and sent["state"] == {"block": 2}
"""


def test_a_real_widget_holds_the_picture_and_the_state():
    """In a process of its own: widgets open a channel to a front end at once."""
    pytest.importorskip("anywidget")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
