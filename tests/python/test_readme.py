"""Owns the check that what README shows is true: its snippets run, its files exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from minitorch import cuda

from .source_tree import ROOT

TEXT = (ROOT / "README.md").read_text()
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
PROSE = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)


def test_there_is_something_to_run():
    assert SNIPPETS


def run(file: Path, text: str, names: dict[str, Any]) -> None:
    """Run a program as a file, since kernels are read from their source."""
    file.write_text(text)
    exec(compile(text, str(file), "exec"), names)


@pytest.mark.cuda
@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_snippets_run(number, monkeypatch, tmp_path):
    if "cuda.inspect" in SNIPPETS[number] and not cuda.is_emulated():
        pytest.skip("a GPU records nothing")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for above in sorted({0, number}):  # some go on with the first program
        run(tmp_path / f"snippet_{above}.py", SNIPPETS[above], names)


def test_every_launch_that_is_shown_is_traced():
    shows = [snippet for snippet in SNIPPETS if ".show()" in snippet]
    assert shows
    assert all("trace=True" in snippet for snippet in shows)
    assert ".show()" not in PROSE


@pytest.mark.cuda
def test_the_message_without_the_guard_is_the_one_shown(tmp_path):
    if not cuda.is_emulated():
        pytest.skip("a GPU does not name the line")
    program, guarded = SNIPPETS[0], "    if i < x.size:\n        x[i] += 1\n"
    assert guarded in program
    wrong = program.replace(guarded, "    x[i] += 1\n")
    with pytest.raises(cuda.KernelError) as found:
        run(tmp_path / "train.py", wrong, {"__name__": "__main__"})
    (shown,) = re.findall(r"```text\nKernelError: (.*?)```", TEXT, re.DOTALL)
    assert shown.split() == str(found.value).split()


@pytest.mark.cuda
def test_the_ten_steps_have_the_numbers_of_a_run():
    if not cuda.is_emulated():
        pytest.skip("the emulator explains")
    page = (ROOT / "docs" / "network.md").read_text()
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0], names)
    told = str(names["explained"].steps()).splitlines()
    rows = re.findall(r"^\| (\d+)(?:–(\d+))? ?(\w*) \|(.*)\|$", TEXT, re.MULTILINE)
    assert [row[0] for row in rows] == ["1", "2", "5", "8"]
    for first, last, name, cells in rows:
        steps = " ".join(told[int(first) - 1 : int(last or first)])
        assert name in steps
        for number in re.findall(r"\d[\d,.]*\d|\d", cells):
            assert re.search(rf"(?<![\d,.]){re.escape(number)}(?![\d])", steps), number


def test_stays_short():
    assert len(TEXT.splitlines()) <= 150


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\]\(([^)#:]+)\)", PROSE))))
def test_links_lead_somewhere(name):
    assert (ROOT / name).exists()


def test_the_commands_come_before_the_first_program():
    places = [
        TEXT.index(each) for each in ("git clone ", "\ncd ", "make demo", "@cuda")
    ]
    assert places == sorted(places)


def test_the_disk_is_what_the_set_up_asks_for():
    (megabytes,) = re.findall(r'"\$free" -ge (\d+)', (ROOT / ".ci/setup").read_text())
    assert f"{int(megabytes) / 1000} GB of disk" in TEXT


def test_the_python_versions_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    least = project["requires-python"].removeprefix(">=")
    tried = re.findall(r":: Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert f"Python {least} or newer | everything; tried: Python " in TEXT
    assert f"tried: Python {' and '.join(tried)};" in TEXT


def test_the_two_commands_exist():
    makefile = (ROOT / "Makefile").read_text()
    for command in re.findall(r"^make (\w+)", TEXT, re.MULTILINE):
        assert f"\n{command}:" in makefile
