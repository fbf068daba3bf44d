"""The tests of notebooks' first cells: installed, in a checkout, with nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from .source_tree import ROOT

pytest.importorskip("IPython", reason="a notebook's cells are its")
pytestmark = pytest.mark.cuda

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SITE = Path(pytest.__file__).parents[1]  # where packages are installed
SHELL = """
import json, os, sys
from IPython.core.interactiveshell import InteractiveShell

given, told = sys.argv[1:]
sys.executable = os.environ.get("PYTHON_OF_PIP", sys.executable)
results = []
for cells in json.load(open(given)):
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(colors="nocolor")
    for source in cells:
        error = shell.run_cell(source).error_in_exec
        if error is not None:
            break
    results.append([type(error).__name__, str(error)])
json.dump(results, open(told, "w"))
"""
# Where pip finds nothing, and at once.
NOWHERE = {
    "PIP_INDEX_URL": "http://127.0.0.1:9/",
    "PIP_EXTRA_INDEX_URL": "",
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_RETRIES": "0",
}


def first_cells(path):
    """What installs, and what imports."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = ["".join(each["source"]) for each in cells if each["cell_type"] == "code"]
    return code[:2]


def run(books, folder, tmp_path, *words, **variables):
    """Run cells in a shell of IPython for each; their errors, and what was shown."""
    given, told = tmp_path / "given.json", tmp_path / "told.json"
    given.write_text(json.dumps(books))
    kept = {name: each for name, each in os.environ.items() if "MINITORCH" not in name}
    kept |= NOWHERE | {"IPYTHONDIR": str(tmp_path / "ipython")} | variables
    done = subprocess.run(
        [sys.executable, *words, "-c", SHELL, str(given), str(told)],
        cwd=folder,
        env=kept,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return json.loads(told.read_text()), done.stdout


@pytest.mark.parametrize("place", ["elsewhere", "checkout"])
def test_where_it_is_installed_nothing_happens(place, tmp_path):
    folder = ROOT / "notebooks" if place == "checkout" else tmp_path
    books = [first_cells(path) for path in NOTEBOOKS]
    assert len(books) >= 18
    errors, shown = run(books, folder, tmp_path)
    assert errors == [["NoneType", "None"]] * len(books)
    # A cell may print the device; pip would say more.
    assert "pip" not in shown
    assert "restart the kernel" not in shown


@pytest.fixture
def bare(tmp_path):
    """Surroundings with IPython and pip, but without this library.

    What pip installs goes to a folder that is empty.
    """
    others, target = tmp_path / "others", tmp_path / "target"
    others.mkdir()
    target.mkdir()
    for path in SITE.iterdir():
        if not path.name.startswith(("minitorch", "_editable")):
            (others / path.name).symlink_to(path)
    # -S: without the .pth files, which hold an editable install.
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    return {
        "PYTHONPATH": os.pathsep.join(map(str, (others, target))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHON_OF_PIP": str(python),
        "PIP_TARGET": str(target),
    }


def test_where_nothing_can_be_installed_one_sentence_says_what_to_do(tmp_path, bare):
    cells = first_cells(NOTEBOOKS[0])
    ((kind, message),), shown = run([cells], tmp_path, tmp_path, "-S", **bare)
    assert kind == "RuntimeError"
    assert message.startswith("Until minitorch-cuda is on PyPI, put its wheel")
    assert "\n" not in message
    before, _, traceback = shown.partition("RuntimeError")
    assert "No matching distribution found" in before  # so pip was asked
    assert len([line for line in before.splitlines() if line.strip("- ")]) <= 5
    assert len(traceback.splitlines()) < 15
    assert shown.rstrip().endswith(message)


def test_where_it_is_missing_it_is_installed_once(tmp_path, bare):
    """From a wheel beside the notebook, as no test has a network."""
    folder = tmp_path / "notebook"
    folder.mkdir()
    _write_wheel(folder)
    install, _ = first_cells(NOTEBOOKS[0])
    cells = [install, install, "from minitorch_cuda.learn import here"]
    errors, shown = run([cells], folder, tmp_path, "-S", **bare)
    assert errors == [["NoneType", "None"]], shown
    assert shown.count("restart the kernel") == 1  # a note of %pip itself
    assert len(shown.splitlines()) <= 4, shown


def _write_wheel(folder):
    about = "minitorch_cuda-0.1.0.dist-info"
    files = {
        "minitorch_cuda/__init__.py": "",
        "minitorch_cuda/learn.py": "here = True\n",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: minitorch-cuda\n"
        "Version: 0.1.0\nProvides-Extra: lessons\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\n"
        "Root-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": "",
    }
    place = folder / "minitorch_cuda-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(place, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)


def test_the_cell_installs_what_the_project_offers():
    setup, imports = first_cells(NOTEBOOKS[0])
    assert imports.startswith("from minitorch_cuda.learn import ")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f'"{project["name"]}[lessons]"' in setup
    extra, _ = project["optional-dependencies"]["lessons"]
    others = extra.removeprefix(f"{project['name']}[").removesuffix("]").split(",")
    assert set(others) <= set(project["optional-dependencies"])
    assert "data" in others  # the digits of lesson 14
    assert "nvrtc12" in others  # a T4's driver
