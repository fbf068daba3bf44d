"""Tests of docs/render_notebooks.py: copies of notebooks that need no script."""

from __future__ import annotations

import base64
import importlib
import io
import os
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from minitorch import cuda, viz

from .source_tree import ROOT

pytest.importorskip("resvg_py", reason="resvg draws the pictures")
image = pytest.importorskip("PIL.Image", reason="Pillow makes them small")
nbformat = pytest.importorskip("nbformat", reason="nbclient brings it")
v4 = nbformat.v4

PLOT = base64.b64encode(b"a plot").decode()


@pytest.fixture
def renderer(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module("render_notebooks")


def a_cell(*outputs: Any, count: int | None = 1) -> Any:
    return v4.new_code_cell("1", outputs=list(outputs), execution_count=count)


def shown(data: dict[str, str]) -> Any:
    return v4.new_output("display_data", data)


@pytest.mark.cuda
def test_a_live_figure_becomes_a_png(renderer: ModuleType) -> None:
    if not cuda.is_emulated():
        pytest.skip("looks at threads, which only the emulator tells")

    @cuda.jit
    def tens(out: Any) -> None:
        out[cuda.threadIdx.x] = 10 * cuda.threadIdx.x

    figure = viz.grid(viz.trace(tens, 1, 8, cuda.to_device(np.zeros(8, np.int32))))
    bundle = figure._repr_mimebundle_()
    assert "<script" in bundle["text/html"]
    bundle["application/vnd.jupyter.widget-view+json"] = "{}"
    (cell,) = read(renderer.render(v4.new_notebook(cells=[a_cell(shown(bundle))])))
    (output,) = cell.outputs
    assert set(output.data) == {"image/png", "text/plain"}
    assert output.data["text/plain"] == figure.text
    assert output.metadata["image/png"] == {"alt": figure.text, "width": 1120}
    picture = image.open(io.BytesIO(base64.b64decode(output.data["image/png"])))
    assert picture.width == 1680
    # The question above the picture: ink of the light theme on white.
    head = picture.convert("L").crop((30, 30, 600, 60)).getextrema()
    assert head[0] < 160
    assert head[1] > 250


def read(text: str) -> list[Any]:
    cells: list[Any] = nbformat.reads(text, as_version=4).cells
    return cells


def test_texts_and_plots_stay_without_paths(renderer: ModuleType) -> None:
    said = f"{ROOT}/.venv/bin/python and {Path.home()}/.cache\n"
    line = "[See the outputs before you run the cells.](https://x/y.ipynb)\nFive"
    cells = [
        v4.new_markdown_cell(line),
        a_cell(v4.new_output("stream", text=said)),
        a_cell(shown({"image/png": PLOT, "text/plain": "<Figure>"})),
        v4.new_code_cell(""),  # never runs: Jupyter skips it
    ]
    words, printed, plot, _ = read(renderer.render(v4.new_notebook(cells=cells)))
    assert words.source == "Five"
    assert printed.outputs[0].text == "minitorch-cuda/.venv/bin/python and ~/.cache\n"
    assert plot.outputs[0].data == {"image/png": PLOT, "text/plain": "<Figure>"}


def test_a_notebook_that_did_not_run_is_refused(
    renderer: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources, ran, out = (tmp_path / name for name in ("sources", "ran", "out"))
    for folder in (sources, ran):
        folder.mkdir()
    failed = a_cell(v4.new_output("error", ename="ZeroDivisionError", evalue=""))
    (sources / "a.ipynb").touch()
    for cell, sentence in (
        (None, "a.ipynb has not run; run python docs/run_notebooks.py first"),
        (a_cell(count=None), "cell 1 has not run; run python docs/run_notebooks.py"),
        (failed, "cell 1 failed; run python docs/run_notebooks.py"),
    ):
        if cell is not None:
            nbformat.write(v4.new_notebook(cells=[cell]), ran / "a.ipynb")
        assert renderer.main(ran, out, sources) == 1
        assert sentence in capsys.readouterr().out
        assert not (out / "a.ipynb").exists()
    nbformat.write(v4.new_notebook(cells=[a_cell()]), ran / "a.ipynb")
    (out / "gone.ipynb").touch()
    assert renderer.main(ran, out, sources) == 0
    assert {path.name for path in out.iterdir()} == {"a.ipynb", "README.md"}
    assert renderer.main(ran, out, sources) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("0 notebooks rendered")


def test_the_copies_become_the_only_commit_of_their_branch(tmp_path: Path) -> None:
    """And the checkout, its branch and its index stay as they are."""
    checkout, remote = tmp_path / "checkout", tmp_path / "remote"
    script = checkout / ".ci" / "publish_rendered"

    def run(*words: str | Path, rc: int = 0) -> str:
        names = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")
        env = os.environ | dict.fromkeys((f"GIT_{name}" for name in names), "someone")
        done = subprocess.run(
            words, cwd=checkout, env=env, capture_output=True, text=True
        )
        assert done.returncode == rc, done.stderr
        return done.stdout + done.stderr

    script.parent.mkdir(parents=True)
    script.write_bytes((ROOT / ".ci" / "publish_rendered").read_bytes())
    script.chmod(0o755)
    (checkout / ".gitignore").write_text("/build/\n")
    run("git", "init", "-q", "--initial-branch=main")
    run("git", "init", "-q", "--bare", remote)
    run("git", "add", ".")
    run("git", "commit", "-qm", "first")
    before = run("git", "log", "--all"), run("git", "status", "--branch")
    assert "run make rendered first" in run(script, remote, rc=1)
    copies = checkout / "build" / "rendered"
    copies.mkdir(parents=True)
    for text in ("old", "new"):
        (copies / "00_start.ipynb").write_text(text)
        run(script, remote)
    assert run("git", "-C", remote, "show", "rendered:00_start.ipynb") == "new"
    assert run("git", "-C", remote, "ls-tree", "rendered").count("\n") == 1
    assert run("git", "-C", remote, "rev-list", "--count", "rendered") == "1\n"
    assert (run("git", "log", "--all"), run("git", "status", "--branch")) == before
