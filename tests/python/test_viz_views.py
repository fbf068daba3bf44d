"""Tests of the list of views: each folder has the function of its name."""

from __future__ import annotations

import pytest

from minitorch import viz
from minitorch.viz import views

from .source_tree import ROOT


def test_each_folder_is_a_view_and_public():
    folder = ROOT / "minitorch/viz/views"
    folders = {path.parent.name for path in folder.glob("*/__init__.py")}
    assert set(views.names()) == folders
    assert set(viz.__all__) == {"Figure", "trace", *folders}
    for name in folders:
        assert getattr(viz, name) is views.find(name)
        assert views.find(name).__doc__


def test_what_is_no_view_is_not_there():
    with pytest.raises(AttributeError, match="has no attribute 'cube'"):
        viz.cube  # noqa: B018
