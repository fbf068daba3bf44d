"""Tests of the list of views: each module has the function of its name."""

from __future__ import annotations

import pytest

from minitorch import viz
from minitorch.viz import views


def test_each_module_is_a_view_and_public():
    assert {"sms", "step"} < set(views.names())  # a file, and a folder
    assert set(viz.__all__) == {"Figure", "trace", *views.names()}
    for name in views.names():
        assert getattr(viz, name) is views.find(name)
        assert views.find(name).__doc__


def test_what_is_no_view_is_not_there():
    with pytest.raises(AttributeError, match="has no attribute 'cube'"):
        viz.cube  # noqa: B018
