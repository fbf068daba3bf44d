"""Owns the tests of the launch's source line: files, notebooks, code without a file."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

from minitorch.cuda.launch_site import launch_site


def test_names_file_and_line_of_the_caller():
    lines = Path(__file__).read_text().splitlines()
    site = launch_site()  # here
    line = 1 + next(i for i, text in enumerate(lines) if text.endswith("# here"))
    assert site == f"{Path(__file__).name}:{line}"


def call_from(filename: str, *, through: str | None = None) -> str:
    """The site as seen by code of `filename` (that calls code of `through`)."""
    space = {"launch_site": launch_site}
    inner = "def f():\n    return launch_site()\n"
    exec(compile(inner, through or filename, "exec"), space)
    outer = "\n\ndef g():\n    return f()\n"
    exec(compile(outer, filename, "exec"), space)
    return space["g"]()


def test_frames_of_the_package_are_left_out():
    import minitorch

    package = Path(minitorch.__file__).parent
    assert (
        call_from("/home/me/train.py", through=str(package / "nn.py")) == "train.py:4"
    )


def test_programs_of_the_package_count_as_users():
    import minitorch

    package = Path(minitorch.__file__).parent
    demo = str(package / "demo" / "student.py")
    assert call_from("/home/me/train.py", through=demo) == "student.py:2"


def test_a_cell_of_a_notebook_has_its_number(monkeypatch):
    name = "/scratch/ipykernel_42/1234.py"
    shell = SimpleNamespace(compile=SimpleNamespace(_filename_map={name: 7}))
    ipython = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert call_from(name) == "cell [7]:2"


def test_code_without_a_file():
    assert call_from("<stdin>") == "<stdin>:2"


def test_a_cell_of_a_terminal_has_its_number():
    assert call_from("<ipython-input-12-8f00d1e2>") == "cell [12]:2"
