"""The main job: it learns, devices agree, the mistake is named, the page is whole."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from minitorch import cuda
from minitorch.viz import Page

pytest.importorskip("sklearn")

from minitorch.data import Split, load_digits
from minitorch.demo import owners, report, student, training


@pytest.fixture(scope="module")
def digits() -> Split:
    return load_digits()


def test_network_learns_on_cpu(digits: Split) -> None:
    seen: list[float] = []
    history = training.train(digits, training.EPOCHS, "cpu", seen.append)
    assert seen == history.loss
    assert history.accuracy[-1] >= 0.97


@pytest.mark.cuda
def test_devices_agree(digits: Split) -> None:
    same = training.compare_devices(digits, 5)
    # float64 on both sides; only the order of sums differs.
    assert same.loss < 1e-12
    assert same.gradient < 1e-12


def test_gradient_of_the_activation_is_its_slope() -> None:
    step = 1e-6
    for x in (-2.0, -0.3, 0.4, 5.0):
        slope = (training.leaky(x + step) - training.leaky(x - step)) / (2 * step)
        assert training.leaky_gradient(x, 3.0) == pytest.approx(3.0 * slope)


@pytest.mark.cuda
@pytest.mark.skipif(
    cuda.is_available() and not cuda.is_emulated(), reason="a GPU may not notice it"
)
def test_missing_guard_is_named() -> None:
    error = student.run_without_guard(np.ones((8, 8)))
    assert error is not None
    assert error.kind == "oob_global"
    assert error.line == 4
    # 64 pixels, blocks of 48: pixel 64 belongs to thread 16 of block 1.
    assert (error.block, error.thread) == ((1, 0, 0), (16, 0, 0))


@pytest.mark.cuda
def test_owners_are_those_of_the_launch_geometry() -> None:
    data = owners.record()
    m, k, n = owners.SHAPE
    a, b, c = (np.array(data[name]) for name in "abc")
    assert (a.reshape(m, k) @ b.reshape(k, n) == c.reshape(m, n)).all()
    rows, columns = np.divmod(np.arange(m * n), n)
    tile = owners.TILE
    expected = np.stack([columns // tile, rows // tile, columns % tile, rows % tile], 1)
    assert (np.array(data["owner"]) == expected).all()


@pytest.mark.cuda
def test_page_is_self_contained(tmp_path: Path) -> None:
    history = training.History(loss=[2.0, 1.0], accuracy=[0.5])
    path = tmp_path / "demo.html"
    report.write(path, history, None, cuda.launch_table())
    page = path.read_text("utf-8")
    assert not re.search(r'(src|href)="?(https?:)?//', page)
    assert len(page) < 300_000
    assert "drawTiledMatmul(" in page
    assert "drawLossCurve(" in page


def test_page_escapes_what_would_end_a_script() -> None:
    page = Page("a <b>")
    page.add_view("loss_curve.js", "drawLossCurve", {"x": "</script>"})
    text = page.to_html()
    assert "a &lt;b&gt;" in text
    assert '"x":"<\\/script>"' in text
