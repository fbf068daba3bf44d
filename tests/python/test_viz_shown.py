"""Tests of who draws for `show()`: registered by name, loaded by the first picture."""

from __future__ import annotations

import subprocess
import sys

import pytest

import minitorch
from minitorch import functional as F
from minitorch import viz
from minitorch.cuda import pictures
from minitorch.profiler import profile, record_function

from .picture import check, words

_LOADED = """
import sys
import minitorch.viz
for name in ("minitorch.profiler", "minitorch.network"):
    print(name, name in sys.modules)
"""


def test_pictures_wait_for_what_they_are_of():
    """Who imports the package loads neither the profiler nor what explains."""
    found = subprocess.run(
        [sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True
    ).stdout
    assert found.split("\n")[:2] == [
        "minitorch.profiler False",
        "minitorch.network False",
    ]


def test_a_profile_shows_itself():
    x = minitorch.rand(8, 8, dtype="float32", device="cuda")
    w = minitorch.rand(8, 8, dtype="float32", device="cuda")
    with profile() as prof:
        with record_function("first"):
            y = x @ w
        with record_function("second"):
            F.relu(y).sum().item()
    figure = prof.show()
    check(figure)
    assert isinstance(figure, viz.Figure)
    shown = words(figure)
    assert "second" in shown


def test_what_nobody_draws():
    with pytest.raises(RuntimeError, match=r"\[show\] drawing needs .* `import"):
        pictures.picture_of("a kind of thing that nobody draws", 3)
